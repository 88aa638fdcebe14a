// SPDX-License-Identifier: MIT
// A 128-bit hash: two lanes of 64 bits over 8-byte little-endian words, each mixed by multiplication and rotation and
// finished by the splitmix64 finaliser.

#include "twang/base.h"

static uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static uint64_t finish(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// up to 8 bytes as a little-endian word
static uint64_t word_at(const unsigned char* bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++) word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

twHash tw_hash(const void* bytes, size_t count, twHash seed)
{
    const unsigned char* at = bytes;
    uint64_t a = seed.high ^ UINT64_C(0x9e3779b97f4a7c15), b = seed.low ^ UINT64_C(0xd1b54a32d192ed03);
    for (size_t left = count; left > 0;)
    {
        size_t n = left < 8 ? left : 8;
        uint64_t word = word_at(at, n);
        a = rotate(a ^ word, 29) * UINT64_C(0x9fb21c651e98df25) + b;
        b = rotate(b + word, 41) * UINT64_C(0xc2b2ae3d27d4eb4f) ^ a;
        at += n;
        left -= n;
    }
    a ^= count;
    b += count;
    return (twHash){finish(a + rotate(b, 17)), finish(b ^ rotate(a, 31))};
}

void tw_hash_text(twHash hash, char out[33])
{
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}
