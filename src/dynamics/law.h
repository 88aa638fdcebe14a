// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"

/// @file
/// The law of one contact over one step (internal): impulse and its exact derivative as functions of the relative velocity at
/// the end of the step. Normal: Hunt and Crossley by the invariant-preserving rule of contact/hunt.h, with the compression as a
/// state of its own. Tangential: bristles with memory, inside the cone. docs/dynamics.md has the equations.

/// How a pair of materials pushes and rubs.
typedef struct SolveLaw
{
    twImpactLaw impact;
    double stick, slide;       ///< friction coefficients: until it slides, and while it does
    double bristle_stiffness;  ///< k_t [N/m]
    double bristle_damping;    ///< zeta, of critical
} SolveLaw;

/// What a contact remembers from step to step; goes with its persistent id. All zero: a new contact.
typedef struct SolveMemory
{
    double compression;  ///< xc, above 0: closed
    double bristle[2];   ///< z, along the tangents, which turn with the contact: whoever turns them turns z
    double impulse[3];   ///< of the last step: normal, tangents [N s]
    double before[3];    ///< of the step before that
    double spread[3];    ///< the same as redistributed (staggered projections)
    int closed_steps;
    bool impact;  ///< closed, and not at rest
    bool slides;
} SolveMemory;

/// The known side of a step.
typedef struct LawStep
{
    twImpactLaw impact;
    double h;
    double x0;         ///< compression, below 0: open
    double u0[3];      ///< relative velocity: normal (positive apart), tangents
    double z0[2];      ///< bristles
    double drift;      ///< extra rate of compression at rest, at most 0 [m/s]
    double friction;   ///< coefficient in this step
    bool fixed_limit;  ///< friction is limited by limit, whatever the normal impulse: then all is convex
    double limit;      ///< [N s]
    double kt, damping;
    double rest_damping;  ///< of the normal motion, at rest [N s/m]
    bool rest;            ///< calms down, instead of rebounding exactly
} LawStep;

/// Where it ends.
typedef struct LawEnd
{
    double p[3];     ///< impulse on the pair: normal >= 0, tangents [N s]
    double d[3][3];  ///< -dp/du1
    double x1, z1[2];
    bool slides;
} LawEnd;

/// Whether a contact does anything at all.
static inline bool law_pushes(const LawEnd* end) { return end->p[0] > 0 || end->p[1] != 0 || end->p[2] != 0; }

void law_end(LawEnd* end, const LawStep* step, const double u1[3]);
/// Energy stored in a contact: V(x) + k_t z^2/2 [J].
double law_energy(const LawStep* step, double x, const double z[2]);
/// What is gained in the step if the bodies move from u0 to u1: change of the contact's energy and of theirs [J]. By the law it
/// is never above 0, whatever u1.
double law_gain(const LawStep* step, const LawEnd* end, const double u1[3]);
/// Shrink what the contact stores at the end by an excess [J]. @return what is left of the excess
double law_shrink(const LawStep* step, LawEnd* end, double excess);
