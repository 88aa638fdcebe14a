// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// States as bytes, at any address: a head that says of what, the content, a checksum of both (internal).

enum
{
    SAVED_MAGIC_BYTES = 8
};

size_t saved_bytes(size_t content);  ///< all together
/// Write the head. magic (SAVED_MAGIC_BYTES); of: what the state belongs to. @return where the content goes
char* saved_begin(void* bytes, const char* magic, twHash of, size_t content);
void saved_end(void* bytes, size_t content);  ///< when the content is there: write the checksum
/// @return the content; NULL if the bytes are damaged, of something else, or not as many
const char* saved_content(const void* bytes, size_t count, const char* magic, twHash of, size_t content);

/// Copy, and go on behind it.
void saved_put(char** at, const void* from, size_t bytes);
void saved_take(const char** at, void* to, size_t bytes);
