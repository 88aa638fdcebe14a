// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One step of all modes of one object, the hot loop of a network (internal).
///
/// For every mode: force from the ports, trapezoidal step, then the sums that the next contact solve and the outputs
/// need. Arrays are padded with idle modes to a multiple of PASS_PAD and aligned to 64 bytes.

#define PASS_PAD 8

typedef struct Pass
{
    int modes;  ///< padded
    int ports, pickups;
    double half_step;                  ///< h/2
    double *x, *v;                     ///< state (modes)
    const double *keep, *pull, *push;  ///< (modes)
    const double* shape;               ///< (ports x modes)
    const double* force;               ///< mean force over the step (ports)
    double* port_x;                    ///< displacement after the step (ports)
    double* port_free;                 ///< velocity the next step would end with, without force (ports)
    const double *pick_x, *pick_v;     ///< (pickups x modes)
    double* pickup;                    ///< sum of pick_x x + pick_v v after the step (pickups)
} Pass;

typedef void (*PassFunction)(const Pass* pass);

void pass_generic(const Pass* pass);
void pass_avx2(const Pass* pass);
void pass_avx512(const Pass* pass);

/// The same for an object of one mode, without a vector: most exciters.
static inline void pass_one(const Pass* a)
{
    double x0 = a->x[0], v0 = a->v[0], force = 0;
    for (int p = 0; p < a->ports; p++) force += a->shape[(long)p * a->modes] * a->force[p];
    double v1 = a->keep[0] * v0 + a->pull[0] * x0 + a->push[0] * force, x1 = x0 + a->half_step * (v0 + v1);
    double next = a->keep[0] * v1 + a->pull[0] * x1;
    a->x[0] = x1;
    a->v[0] = v1;
    for (int p = 0; p < a->ports; p++)
    {
        a->port_x[p] = a->shape[(long)p * a->modes] * x1;
        a->port_free[p] = a->shape[(long)p * a->modes] * next;
    }
    for (int s = 0; s < a->pickups; s++)
        a->pickup[s] = a->pick_x[(long)s * a->modes] * x1 + a->pick_v[(long)s * a->modes] * v1;
}

/// The fastest variant this machine runs.
PassFunction pass_select(void);
