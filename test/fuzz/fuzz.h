// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"
#include <stdlib.h>
#include <string.h>

/// @file
/// What all fuzz targets share. A target is a file fuzz_<reader>.c with fuzz_one(), which gives any bytes to a reader and then uses
/// what came out as programs do. libFuzzer calls it (TWANG_FUZZ), or replay.c with the files of its corpus, as a test.

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);  ///< what libFuzzer calls: fuzz_copy(); returns 0
bool fuzz_copy(const uint8_t* data, size_t size);              ///< fuzz_one() with a copy in a block of its own size

/// Read data (size), aligned to 16; it may be changed. One byte beyond it is not to be touched. @return whether the reader took it
bool fuzz_one(uint8_t* data, size_t size);

/// Stop, and keep the input: what must hold does not.
#define FUZZ_ENSURE(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/// A failure says what is wrong, in text that ends; success leaves nothing to say.
static inline void fuzz_says(twStatus status, const twError* err)
{
    FUZZ_ENSURE(status == TW_OK || (err->text[0] && strlen(err->text) < sizeof err->text));
    FUZZ_ENSURE(status == TW_OK || status == err->status);
}

/// The bytes as text that ends with a zero; free() it.
static inline char* fuzz_text(const uint8_t* data, size_t size)
{
    char* text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/// Write a hash of the bytes before it to the last 16 of them, so that a reader looks at the rest.
static inline void fuzz_seal(uint8_t* data, size_t size)
{
    if (size < sizeof(twHash)) return;
    const twHash hash = tw_hash(data, size - sizeof hash, (twHash){0, 0});
    memcpy(data + size - sizeof hash, &hash, sizeof hash);
}

/// Make the checksum of a .twmodes file right: 16 bytes behind the first 24, over a header of 64 bytes and the rest.
static inline void fuzz_sign_modes(uint8_t* data, size_t size)
{
    if (size < 64) return;
    memset(data + 24, 0, sizeof(twHash));
    const twHash hash = tw_hash(data + 64, size - 64, tw_hash(data, 64, (twHash){0, 0}));
    memcpy(data + 24, &hash, sizeof hash);
}

/// Changes to bytes that are good, from any input: a place (2 bytes, times step), how many (0 to 8) and what to put there; none: cut the
/// bytes there. @return how many there are
static inline size_t fuzz_change(uint8_t* bytes, size_t count, size_t step, const uint8_t* data, size_t size)
{
    for (size_t i = 0; i + 3 <= size && count > 0;)
    {
        const size_t at = step * (data[i] | (size_t)data[i + 1] << 8) % count, most = data[i + 2] % 9;
        i += 3;
        if (most == 0) count = at;
        for (size_t k = 0; k < most && i < size && at + k < count; k++) bytes[at + k] = data[i++];
    }
    return count;
}

/// Keep the bytes in a file of a folder that goes when the program ends. @return its path, which holds until the second next call
const char* fuzz_file(const char* name, const void* data, size_t size);
