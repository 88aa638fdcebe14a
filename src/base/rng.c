// SPDX-License-Identifier: MIT
// Random numbers by xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47,
// 2021), period 2^256 - 1:
//     result = rotl(s0 + s3, 23) + s0;  t = s1 << 17;
//     s2 ^= s0;  s3 ^= s1;  s1 ^= s2;  s0 ^= s3;  s2 ^= t;  s3 = rotl(s3, 45)
// Its state is filled by splitmix64 (Steele, Lea and Flood, OOPSLA 2014), which maps every seed to a state that is not
// all zero. Normal numbers by Box and Muller (1958): with u, v uniform,
//     sqrt(-2 ln u) cos(2 pi v)  and  sqrt(-2 ln u) sin(2 pi v)
// are independent, with mean 0 and variance 1. Unlike the polar method it needs a fixed number of draws.
#include "twang/base.h"
#include <math.h>

static uint64_t rotate_left(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

static uint64_t splitmix64(uint64_t* state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

twRng tw_rng(uint64_t seed)
{
    twRng rng = {{0}, 0, false};
    for (int i = 0; i < 4; i++) rng.s[i] = splitmix64(&seed);
    return rng;
}

uint64_t tw_rng_next(twRng* rng)
{
    uint64_t* s = rng->s;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double tw_rng_uniform(twRng* rng)
{
    // the upper 53 bits fill a double exactly
    return (double)(tw_rng_next(rng) >> 11) * 0x1p-53;
}

double tw_rng_between(twRng* rng, double low, double high)
{
    // the sum may round up to high, which is excluded
    double x = low + (high - low) * tw_rng_uniform(rng);
    return x < high ? x : low;
}

double tw_rng_normal(twRng* rng)
{
    if (rng->has_spare)
    {
        rng->has_spare = false;
        return rng->spare;
    }

    // 1 - uniform is never 0, so the logarithm is finite
    double radius = sqrt(-2 * log(1 - tw_rng_uniform(rng)));
    double angle = 6.28318530717958647693 * tw_rng_uniform(rng);
    rng->spare = radius * sin(angle);
    rng->has_spare = true;
    return radius * cos(angle);
}
