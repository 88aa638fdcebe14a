// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"

/// @file
/// The hot loops: what each source contributes and when, adding it to a ring buffer; dipoles of moving edges (internal).

enum
{
    WRITE_TAPS = 8,    ///< samples that one contribution touches
    WRITE_BEFORE = 3,  ///< of them before the whole sample of its time
    WRITE_PHASE_BITS = 8,
    WRITE_PHASES = 1 << WRITE_PHASE_BITS,  ///< rows of the table
    WRITE_COPIES = 4,                      ///< rings in turn, so that no write waits for the one before
    CONVOLVE_BLOCK = 32,                   ///< samples that are made at a time
};

/// One listener, or its image in the ground, at one step.
typedef struct Ear
{
    double place[3], velocity[3];  ///< [m], [m/s]
    double near2, far;             ///< squared nearest distance, farthest distance [m]
    double speed, rate;            ///< of sound [m/s], samples per second
    double gain, rate_gain;        ///< rho/4pi times reflection: of dipole and volume; over c: of dipole_rate
    bool moves, instant;
} Ear;

/// Where contributions go: WRITE_COPIES rings of mask + 1 samples, each with WRITE_TAPS more at its end, and after them as
/// many that stay 0.
typedef struct Ring
{
    double* samples;
    int64_t stride;  ///< between copies
    int64_t mask;
    int64_t now;          ///< index of this step, not masked
    const double* table;  ///< (WRITE_PHASES x 2 x WRITE_TAPS): row and difference to the next one
} Ring;

/// Take a finished sample out of the rings; what went beyond their end belongs to their start.
static inline double ring_take(const Ring* ring, int64_t index)
{
    int64_t at = index & ring->mask;
    double sum = 0;
    for (int copy = 0; copy < WRITE_COPIES; copy++)
    {
        double* samples = ring->samples + copy * ring->stride;
        sum += samples[at];
        samples[at] = 0;
        if (at >= WRITE_TAPS) continue;
        sum += samples[ring->mask + 1 + at];
        samples[ring->mask + 1 + at] = 0;
    }
    return sum;
}

/// Edges that act on points: out = or += d1 (D11 p + D12 q) + d2 (D12 p + D22 q), p = d1.v, q = d2.v.
typedef struct Turn
{
    const double *d11, *d12, *d22;
    const double *d1[3], *d2[3], *v[3];
    double* out[3];
    int count;
} Turn;

/// ear - source over a block of n samples, at s = i/n:  d + d_change s + bend s (s - 1).
typedef struct Leg
{
    twVec3 d, d_change, bend;  ///< [m]
    twVec3 w, w_change;        ///< velocity that the ear goes on with until sound arrives [m/s]
    double speed, rate;        ///< of sound [m/s], samples per second
    double limit, farthest;  ///< distances go over to less nearer than the limit; beyond farthest they are counted [m]
    double lead, gain;       ///< radius of the source [m]
    bool moves;              ///< there is a w
} Leg;

/// Samples that came from too near, too far.
typedef struct Heard
{
    int near, far;
} Heard;

/// Towards a source that goes from one place straight to another one in an ear's axes, and patterns omni + axis.e.
typedef struct Aim
{
    twVec3 from, change;
    double nearest;  ///< nearer than this e shrinks as (3 u - u^3)/2, u = distance/nearest
    int count;
    double omni[4];
    twVec3 axis[4];
} Aim;

/// The loops for one instruction set.
typedef struct Kernel
{
    const char* name;
    void (*write)(const Ear* ear, const Ring* ring, const twSources* sources, twListenerStats* stats);
    void (*turn)(const Turn* turn, bool add);
    double (*filter)(const double* h, const double* x, int count);  ///< sum of h x; count is a multiple of 8
    /// Arrival of n samples: gain times level over distance, delay [samples]; writes up to a multiple of 8.
    Heard (*travel)(const Leg* leg, double* gain, double* delay, int n);
    /// out_k = x (omni_k + axis_k.e), k < count; reads and writes up to a multiple of 8.
    void (*aim)(const Aim* aim, double* const* out, const double* x, int n);
    /// Write value i at ring->now + i + delay i [samples], delays from 0 on; readable up to a multiple of 8.
    void (*scatter)(const Ring* ring, const double* value, const double* delay, int count);
    /// The same of values times a gain that all have one delay.
    void (*scatter_even)(const Ring* ring, const double* value, double gain, double delay, int count);
    /// out_i = sum of h_k x_(i-k), i < count, which is a multiple of CONVOLVE_BLOCK; there are taps - 1 samples before x.
    void (*convolve)(double* out, const double* h, int taps, const double* x, int count);
    /// The same for two filters h (2 x taps) at once, in single precision.
    void (*convolve_pair)(double* const out[2], const float* h, int taps, const float* x, int count);
    /// out_i = sum over 4 rows of weight x_i, i < n.
    void (*blend)(float* out, const double* const rows[4], const double weights[4], int n);
} Kernel;
extern const Kernel acoustics_generic, acoustics_avx2, acoustics_avx512;

/// A variant by name, NULL if this machine cannot run it; without a name the fastest.
const Kernel* acoustics_kernel(const char* name);
