// SPDX-License-Identifier: MIT
#pragma once
#include "law.h"
#include "twang/math.h"

/// @file
/// One step of a group of bodies that touch (internal): velocities after it and the impulses of its contacts. What the world
/// hands to a solver and gets back; solvers know nothing of meshes, poses and clocks. docs/dynamics.md has the equations.

/// A body as the solver sees it: generalised velocity (linear 3, angular 3, modes), or modes alone if it is held.
typedef struct SolveBody
{
    int first, count;         ///< its velocities in the group's arrays; ranges of bodies do not overlap
    bool held;                ///< no linear and angular velocity: modes alone
    double mass;              ///< [kg]
    twMat3 inertia;           ///< effective, about the centre, in world axes [kg m^2]
    const double* mode_mass;  ///< effective (modes): m D_j of the trapezoidal rule
} SolveBody;

typedef struct SolveContact
{
    int body[2];           ///< of the group, two different ones; -1: nothing that moves by itself
    const double* row[2];  ///< (3 x count) of each body: velocity along normal, tangent 1, tangent 2; signs included
    double wall[3];        ///< relative velocity that is prescribed (keyframed bodies)
    double gap;            ///< at the start of the step [m], below 0: overlap
    const SolveLaw* law;
    SolveMemory* memory;    ///< read, and left as it is after the step
    const SolveBond* bond;  ///< not NULL: a bond with these three rows; gap and law are not used
    double offset[3];       ///< of a bond: its errors z0 at the start of the step [m], [rad]
} SolveContact;

/// What a contact did in a step [J].
typedef struct SolveSpent
{
    LawSpent law;
    double work;  ///< on the bodies, less what walls did: p.(u0 + u1)/2
} SolveSpent;

typedef struct SolveGroup
{
    double step;  ///< h [s]
    int body_count, contact_count, size;
    const SolveBody* bodies;
    const SolveContact* contacts;
    const double* velocity;  ///< at the start (size)
    const double* free;      ///< at the end if nothing touched (size)
    double* result;          ///< at the end (size)
    double* impulse;         ///< (contacts x 3): normal, tangents [N s]; always explains result - free exactly
    SolveSpent* spent;       ///< (contacts) filled; NULL: not wanted
    bool quick;         ///< Newton: rather fail than try all ways; then nothing but the count of failures has changed
    bool frictionless;  ///< contacts only push, and only their normal rows are read
} SolveGroup;

typedef enum SolveMethod
{
    SOLVE_NEWTON,     ///< compliant contacts, the default: energy of bodies and contacts never rises
    SOLVE_HARD,       ///< rigid contacts, exact Coulomb cones, block Gauss-Seidel
    SOLVE_STAGGERED,  ///< rigid contacts, staggered projections with active sets, as in Zheng and James 2011; a group
                      ///< that has bonds is solved by SOLVE_HARD
} SolveMethod;

/// Start from solve_options().
typedef struct SolveOptions
{
    SolveMethod method;
    double tolerance;     ///< of the residual, relative to the impulses
    int max_iterations;   ///< Newton steps, sweeps, or alternations of a solve
    int budget;           ///< Newton steps of a whole step, whatever they are for; 0: any
    double rest_speed;    ///< v_rest: onset below this is no impact [m/s]
    double wake_speed;    ///< v_wake: contacts at rest wake up above [m/s]
    double drift_speed;   ///< of a resting compression toward the overlap at most [m/s]
    double resolved;      ///< (w h)^2 of a contact's swing below which steps resolve it: no calming down
    double rest_damping;  ///< of a contact at rest along its normal, of critical
    bool warm_start;      ///< from the contacts' last impulses
    bool always_impact;   ///< no blend for resting contacts (for comparison)
    bool restitution;     ///< hard, staggered: rebound by the law's closed form
    bool
        only_approaching;  ///< staggered: drop contacts that separate, as methods at velocity level do (for comparison)
    bool redistribute;     ///< staggered: spread impulses evenly where this does not change the motion
    bool keep_all;         ///< staggered: friction at all contacts, not only at the active ones (for comparison)
    const char* instructions;  ///< "avx2", "generic"; NULL: the best that runs here
} SolveOptions;
SolveOptions solve_options(SolveMethod method);
/// (w h)^2 of what is resolved by so many steps per cycle.
static inline double solve_resolved(double steps_per_cycle)
{
    return (2 * TW_PI / steps_per_cycle) * (2 * TW_PI / steps_per_cycle);
}

typedef struct SolveStats
{
    int64_t solves;          ///< steps
    int64_t iterations;      ///< Newton steps, sweeps, alternations
    int64_t evaluations;     ///< passes over all contacts
    int64_t factorisations;  ///< of the Newton matrix
    int64_t fallbacks;       ///< steps that needed the slow, safe way
    int64_t failures;        ///< steps whose residual stayed above tolerance; they are passive and finite all the same
    int64_t shrunk;          ///< contacts that stored less to undo a gain by round-off
    int64_t guarded;         ///< steps whose impulses had to be scaled down to keep energy from rising
    double worst_residual;   ///< relative, over all steps
} SolveStats;

typedef struct Solver Solver;
Solver* solve_create(const SolveOptions* options);  ///< NULL without memory
void solve_destroy(Solver* solver);                 ///< NULL is fine
/// Memory for a group of this size. solve_step() does it by itself when a group is larger than all before, which
/// allocates. @return false without memory
bool solve_reserve(Solver* solver, const SolveGroup* group);
/// What all groups of a solver may need.
typedef struct SolveRoom
{
    int bodies, contacts;
    int size, largest;  ///< velocities of all bodies, of one
} SolveRoom;
/// Memory for all of them at once: none that fits asks for more. @return false without memory
bool solve_room(Solver* solver, const SolveRoom* room);
void solve_forget(Solver* solver);  ///< plans and factors of earlier steps: the next one does not depend on them
/// Step a group: fills result and impulse, updates the memories. Never fails: without memory, or if the input is not finite,
/// bodies move as if free (those that can) and the failure is counted.
void solve_step(Solver* solver, const SolveGroup* group);
const SolveStats* solve_stats(const Solver* solver);
