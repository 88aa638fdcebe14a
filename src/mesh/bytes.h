// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// @file
/// Numbers out of files, byte by byte, so that neither alignment nor the machine's order matters.

/// An unsigned integer of size bytes (1 to 8).
static inline uint64_t tw_bytes_unsigned(const char* data, int size, bool big)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)(unsigned char)data[big ? size - 1 - i : i] << 8 * i;
    return value;
}

/// A signed integer of size bytes (1 to 8), two's complement.
static inline int64_t tw_bytes_signed(const char* data, int size, bool big)
{
    uint64_t value = tw_bytes_unsigned(data, size, big), sign = (uint64_t)1 << (8 * size - 1);
    int64_t result;
    value = (value ^ sign) - sign;
    memcpy(&result, &value, sizeof result);
    return result;
}

/// A float (size 4) or double (size 8).
static inline double tw_bytes_real(const char* data, int size, bool big)
{
    uint64_t bits = tw_bytes_unsigned(data, size, big);
    if (size == 4)
    {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
