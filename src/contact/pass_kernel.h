// SPDX-License-Identifier: MIT
/// @file
/// The step of pass.h, written against a vector type Vec of WIDTH doubles and the wrappers vec_load, vec_store, vec_set,
/// vec_mul, vec_add, vec_fma (a b + c) and vec_sum, which the including file defines for its instruction set.

#include "pass.h"

#define PASS_CHUNK 4  // ports or pickups whose sums stay in registers
#define INLINE static inline __attribute__((always_inline))

// What all modes share.
typedef struct Shared
{
    Vec half, force[PASS_CHUNK];
} Shared;

// Sums over the modes of up to PASS_CHUNK rows. Two of them take turns, and each pickup has one for x and one for v, so
// that no sum waits for itself.
typedef struct Sums
{
    Vec x[PASS_CHUNK], free[PASS_CHUNK], pick_x[PASS_CHUNK], pick_v[PASS_CHUNK];
} Sums;

INLINE void sums_clear(Sums* sums, int ports, int pickups)
{
    for (int p = 0; p < ports; p++) sums->x[p] = sums->free[p] = vec_set(0);
    for (int p = 0; p < pickups; p++) sums->pick_x[p] = sums->pick_v[p] = vec_set(0);
}

// One vector of modes: step and accumulate the first ports and pickups. all_ports is a->ports, as a constant where it is
// known to the caller.
INLINE void pass_vector(const Pass* a, const Shared* shared, int i, int all_ports, int ports, int pickups, Sums* sums)
{
    int n = a->modes;
    Vec x0 = vec_load(a->x + i), v0 = vec_load(a->v + i), keep = vec_load(a->keep + i), pull = vec_load(a->pull + i);
    Vec push = vec_load(a->push + i);
    // modal force, then v1 = keep v0 + pull x0 + push F and x1 = x0 + h/2 (v0 + v1)
    Vec force = all_ports > 0 ? vec_mul(vec_load(a->shape + i), shared->force[0]) : vec_set(0);
    for (int p = 1; p < ports; p++) force = vec_fma(vec_load(a->shape + (long)p * n + i), shared->force[p], force);
    for (int p = PASS_CHUNK; p < all_ports; p++)
        force = vec_fma(vec_load(a->shape + (long)p * n + i), vec_set(a->force[p]), force);
    Vec v1 = vec_fma(push, force, vec_fma(keep, v0, vec_mul(pull, x0)));
    Vec x1 = vec_fma(shared->half, vec_add(v0, v1), x0);
    vec_store(a->x + i, x1);
    vec_store(a->v + i, v1);
    // sums
    Vec next = vec_fma(keep, v1, vec_mul(pull, x1));
    for (int p = 0; p < ports; p++)
    {
        Vec t = vec_load(a->shape + (long)p * n + i);
        sums->x[p] = vec_fma(t, x1, sums->x[p]);
        sums->free[p] = vec_fma(t, next, sums->free[p]);
    }
    for (int p = 0; p < pickups; p++)
    {
        sums->pick_x[p] = vec_fma(vec_load(a->pick_x + (long)p * n + i), x1, sums->pick_x[p]);
        sums->pick_v[p] = vec_fma(vec_load(a->pick_v + (long)p * n + i), v1, sums->pick_v[p]);
    }
}

INLINE void sums_deliver(const Sums* even, const Sums* odd, const Pass* a, int ports, int pickups)
{
    for (int p = 0; p < ports; p++)
    {
        a->port_x[p] = vec_sum(vec_add(even->x[p], odd->x[p]));
        a->port_free[p] = vec_sum(vec_add(even->free[p], odd->free[p]));
    }
    for (int p = 0; p < pickups; p++)
    {
        Vec x = vec_add(even->pick_x[p], odd->pick_x[p]), v = vec_add(even->pick_v[p], odd->pick_v[p]);
        a->pickup[p] = vec_sum(vec_add(x, v));
    }
}

INLINE void pass_few(const Pass* pass, int all_ports, int ports, int pickups)
{
    // a copy, since the compiler must think that a vector stored may change anything that has an address
    const Pass copy = *pass, *a = &copy;
    Shared shared = {.half = vec_set(a->half_step)};
    for (int p = 0; p < ports; p++) shared.force[p] = vec_set(a->force[p]);
    Sums even, odd;
    sums_clear(&even, ports, pickups);
    sums_clear(&odd, ports, pickups);
    int i = 0;
    for (; i + 2 * WIDTH <= a->modes; i += 2 * WIDTH)
    {
        pass_vector(a, &shared, i, all_ports, ports, pickups, &even);
        pass_vector(a, &shared, i + WIDTH, all_ports, ports, pickups, &odd);
    }
    if (i < a->modes) pass_vector(a, &shared, i, all_ports, ports, pickups, &even);
    sums_deliver(&even, &odd, a, ports, pickups);
}

// sums of one port or pickup beyond the first PASS_CHUNK, after the step
static inline void pass_rest(const Pass* a)
{
    int n = a->modes;
    for (int p = PASS_CHUNK; p < a->ports; p++)
    {
        Vec x = vec_set(0), free = vec_set(0);
        for (int i = 0; i < n; i += WIDTH)
        {
            Vec t = vec_load(a->shape + (long)p * n + i), x1 = vec_load(a->x + i), v1 = vec_load(a->v + i);
            x = vec_fma(t, x1, x);
            free = vec_fma(t, vec_fma(vec_load(a->keep + i), v1, vec_mul(vec_load(a->pull + i), x1)), free);
        }
        a->port_x[p] = vec_sum(x);
        a->port_free[p] = vec_sum(free);
    }
    for (int p = PASS_CHUNK; p < a->pickups; p++)
    {
        Vec sum = vec_set(0);
        for (int i = 0; i < n; i += WIDTH)
        {
            sum = vec_fma(vec_load(a->pick_x + (long)p * n + i), vec_load(a->x + i), sum);
            sum = vec_fma(vec_load(a->pick_v + (long)p * n + i), vec_load(a->v + i), sum);
        }
        a->pickup[p] = vec_sum(sum);
    }
}

// constant counts let the compiler keep the sums in registers
static inline void pass_any(const Pass* a)
{
    int ports = a->ports < PASS_CHUNK ? a->ports : PASS_CHUNK;
    int pickups = a->pickups < PASS_CHUNK ? a->pickups : PASS_CHUNK;
    if (a->ports == 1 && pickups == 0)
        pass_few(a, 1, 1, 0);
    else if (a->ports == 1 && pickups == 1)
        pass_few(a, 1, 1, 1);
    else if (a->ports == 1 && pickups == 2)
        pass_few(a, 1, 1, 2);
    else if (a->ports == 2 && pickups == 0)
        pass_few(a, 2, 2, 0);
    else if (a->ports == 2 && pickups == 1)
        pass_few(a, 2, 2, 1);
    else if (a->ports == 2 && pickups == 2)
        pass_few(a, 2, 2, 2);
    else
        pass_few(a, a->ports, ports, pickups);
    if (a->ports > PASS_CHUNK || a->pickups > PASS_CHUNK) pass_rest(a);
}
