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
    twFrictionLaw friction;  ///< its damping comes beside k_t mu x/a: the normal spring has mu F = mu x/a dF/dx
    double loss_factor;      ///< eta of the solids under a contact at rest
} SolveLaw;

#define LAW_STIFFEST                                                                                                   \
    10.0  ///< kappa = k h^2 W of a bond that is as stiff as steps allow: errors are gone by 3/7 in each

/// How two bodies hang together: three rows, each a spring of zero length and a damper that push and pull. The geometric error z and its
/// rate u give p = -h k (z0 + (1 + theta)/2 h w) - h c w, w = (u0 + u1)/2. A row with stiffness and damping 0 that is not stiff is not used.
typedef struct SolveBond
{
    double stiffness[3];  ///< k [N/m], [N m/rad]
    double damping[3];    ///< c [N s/m], [N m s/rad]
    double theta[3];      ///< 0: keeps energy (trapezoidal), for springs; 1: calms down (implicit), for joints
    double limit[3];      ///< above 0: a motor, |p| <= limit h, against the rate u; stiffness is not used [N], [N m]
    bool stiff[3];        ///< as stiff as steps allow; a stiffness above 0 is an upper limit. Damping by itself
    bool drives;          ///< all rows hold the rate, not the error
    double max_force;     ///< above 0: of all rows together, |p| <= max_force h; they share stiffness and damping [N]
    double mobility;      ///< above 0: W of all rows, for stiffness and damping, instead of each row's own [1/kg]
} SolveBond;

/// What a contact remembers from step to step; goes with its persistent id. All zero: a new contact.
typedef struct SolveMemory
{
    double compression;  ///< xc, above 0: closed
    double bristle[2];   ///< z, along the tangents, which turn with the contact: whoever turns them turns z
    double impulse[3];   ///< of the last step: normal, tangents [N s]
    double before[3];    ///< of the step before that
    double spread[3];    ///< the same as redistributed (staggered projections)
    double stored;       ///< of a bond: energy at the end of the step [J]
    double branch;       ///< e of the branch of a contact at rest, which stores e^2/2 [sqrt(J)]
    int closed_steps;
    bool impact;  ///< closed, and not at rest
    bool slides;
} SolveMemory;

/// The rows of a bond in a step.
typedef struct BondStep
{
    double k[3], c[3], theta[3];
    double most[3];  ///< |p| of a row [N s]; 0: any
    double radius;   ///< |p| of all rows together [N s]; 0: any
    bool drives;     ///< rates are held
    double z0[3];    ///< error at the start
} BondStep;

/// The known side of a step.
typedef struct LawStep
{
    twImpactLaw impact;
    double h;
    double x0;            ///< compression, below 0: open
    double u0[3];         ///< relative velocity: normal (positive apart), tangents
    double z0[2];         ///< bristles
    double drift;         ///< extra rate of compression of what lies still, at most 0 [m/s]
    double friction;      ///< coefficient of what slides, in this step
    double cone;          ///< static coefficient: friction is never more
    double breakaway;     ///< share of its bend in sliding up to which a bristle is elastic; 1: all
    double viscosity;     ///< [N s/m]
    bool fixed_limit;     ///< friction is limited by limit, whatever the normal impulse: then all is convex
    double limit;         ///< [N s]
    double kt, damping;   ///< of bristles [N/m], [N s/m]
    double own_damping;   ///< what the law says; the difference calms down, of what steps do not resolve [N s/m]
    double rest_damping;  ///< of the normal motion, at rest [N s/m]
    double branch_stiffness, branch_rate;  ///< G, w_b of the branch, 0: none [N/m], [rad/s]
    double branch0;                        ///< e at the start [sqrt(J)]
    bool smooth;           ///< steps resolve the swing of bristles: they keep energy but for their damping
    bool rest;             ///< calms down, instead of rebounding exactly
    bool calm;             ///< and so do its bristles
    bool follows;          ///< at rest it goes by the mean velocity alone: that at the end is not known (rods)
    bool frictionless;     ///< bristles are let go
    const BondStep* bond;  ///< not NULL: a bond, and nothing of the above but h and u0 counts
} LawStep;

/// Where it ends.
typedef struct LawEnd
{
    double p[3];     ///< impulse on the pair: normal >= 0, tangents [N s]
    double d[3][3];  ///< -dp/du1
    double x1, z1[2];
    double z0[2];    ///< bristles as they began
    double branch1;  ///< e
    bool slides;
    bool holds;  ///< a bond: always there
} LawEnd;

/// What the law itself takes in a step, by mechanism [J]; what a contact loses beyond that is because steps do not resolve it.
typedef struct LawSpent
{
    double normal;   ///< dissipation
    double bristle;  ///< damping of bristles
    double slip;     ///< sliding
} LawSpent;

/// What of the tangential rate at the end bends bristles, u', and how that depends on the rate and on the normal impulse.
typedef struct LawFlow
{
    double u[2];                      ///< u' [m/s]
    double z0[2], z0_by_normal[2];    ///< bristles at the start, inside the cone [m]
    double by_u[2][2], by_normal[2];  ///< du'/du1, du'/dp_N
    double along[2];                  ///< e, direction of what slips; 0: nothing does
    double bend, bend_by_u;           ///< |zs| [m], d zs/du1 [s]
    bool slips;                       ///< else u' is u1, and z0 where it was
} LawFlow;

/// What bristles push that do not slip but for that.
typedef struct LawStick
{
    double y[2], z1[2];         ///< impulse [N s]; bristles at the end [m]
    double slope[2], by_z0[2];  ///< -dy/du', -dy/dz0
    double along;               ///< what pushed along the slip, and was left out [N s]
} LawStick;

/// Whether a contact does anything at all.
static inline bool law_pushes(const LawEnd* end)
{
    return end->holds || end->p[0] > 0 || end->p[1] != 0 || end->p[2] != 0;
}

/// The known side of a contact's step: gap at the start (below 0: overlap) and how easily it moves along its tangents
/// (mean of the diagonal of J M^-1 J^T there) [1/kg]; h, u0, which is there already, and what rest makes of it are left to the caller.
void law_begin(LawStep* step, const SolveLaw* law, const SolveMemory* memory, double gap, double across);
/// The branch of a contact at rest whose swing steps resolve. own: how easily it moves along its normal [1/kg]
void law_branch(LawStep* step, const SolveLaw* law, const SolveMemory* memory, double own);
/// Bristles of a step that resolves their swing: they keep energy but for what the law says.
void law_smooth(LawStep* step);
void law_end(LawEnd* end, const LawStep* step, const double u1[3]);
/// The normal part of that alone.
void law_push(LawEnd* end, const LawStep* step, const double u1[3]);
/// The part of a contact's rate that is elastic, for a normal impulse.
LawFlow law_flow(const LawStep* step, const double u1[3], double normal);
/// What bristles push that are bent so, inside any cone.
LawStick law_stick(const LawStep* step, const LawFlow* flow);
/// What a contact or bond remembers after a step.
void law_remember(SolveMemory* memory, const LawStep* step, const LawEnd* end, const double u1[3], bool closed);
/// Energy stored in a contact: V(x) + k_t z^2/2 [J].
double law_energy(const LawStep* step, double x, const double z[2]);
/// What is gained in the step if the bodies move from u0 to u1: change of the contact's energy and of theirs [J]. By the law it
/// is never above 0, whatever u1.
double law_gain(const LawStep* step, const LawEnd* end, const double u1[3]);
/// Of what it loses, what the law itself takes.
LawSpent law_spent(const LawStep* step, const LawEnd* end, const double u1[3]);
/// Shrink what the contact stores at the end by an excess [J]. @return what is left of the excess
double law_shrink(const LawStep* step, LawEnd* end, double excess);

/// The rows of a bond, made definite: own is the diagonal of its J M^-1 J^T [1/kg].
BondStep law_bond(const SolveBond* bond, const double offset[3], double h, const double own[3]);
/// Energy stored in a bond when it ends with u1; NULL: at the start [J].
double law_bond_energy(const LawStep* step, const double u1[3]);
/// The same for errors z: sum of k z^2/2, beyond a largest force F of all rows  F |z| - F^2/(2 k)  (Huber 1964) [J].
double law_bond_potential(const double k[3], double max_force, const double z[3]);
/// By what factor, up to 1, errors are made smaller so that they store no more than an energy [J].
double law_bond_within(const double k[3], double max_force, const double z[3], double energy);
/// The impulse of a bond if u1 = W p + b: the law and its own mobility solved together, W symmetric positive semidefinite.
void law_bond_alone(const LawStep* step, const double w[3][3], const double b[3], double p[3]);
