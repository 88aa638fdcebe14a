// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>

/// @file
/// Characters of labels.

#define TEXT_BAD 0xfffdu  ///< what stands for bytes that are no character

/// The next character of UTF-8 text, 0 at its end. Bytes that are not UTF-8, and what XML forbids, are TEXT_BAD each.
uint32_t text_next(const char** text);
/// The ASCII character of a superscript digit or sign; 0 if it is none.
char text_superscript(uint32_t character);
/// Text cut to a width [px], with "..." at the end if something had to go. width(size, text) measures.
void text_fit(char* out, size_t bytes, const char* text, double size, double room,
              double (*width)(double, const char*));
