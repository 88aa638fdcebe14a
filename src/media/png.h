// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"
#include <stdint.h>

/// @file
/// PNG in memory.

/// Encode an 8-bit RGB picture, rgb (height x width x 3), top row first, into bytes that the caller frees.
twStatus png_encode(uint8_t** bytes, size_t* count, const uint8_t* rgb, int width, int height, twError* err);
