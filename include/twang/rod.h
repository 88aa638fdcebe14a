// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang/math.h"
#include "twang/modal.h"
#include "twang/section.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Rod: thin elastic rods that bend, twist, stretch and ring, moved by an implicit scheme of 4th order at audio rate.
///
/// A rod is a row of points joined by edges; each edge carries a material frame (d1, d2, tangent) whose d1, d2 are the x
/// and y axes of the outline of the section. The elastic energy measures the turn between neighbouring frames and the
/// stretch of edges against those of a rest shape, which may be curved and twisted. Equations, accuracy: docs/rod.md.

#define TW_MAX_ROD_POINTS (1 << 22)
#define TW_MIN_CLOSED_ROD_POINTS 8

typedef struct twRod twRod;

typedef enum twRodIntegrator
{
    TW_ROD_GAUSS4,     ///< two-stage Gauss: 4th order, A-stable, keeps the energy of linear motion
    TW_ROD_TRAPEZOID,  ///< trapezoidal Newmark: 2nd order; a tone at w sounds at (2/h) atan(w h/2)
} twRodIntegrator;

typedef enum twRodMass
{
    TW_ROD_CONSISTENT,  ///< mass shared between neighbours so that pitch converges with the 4th power of the edges
    TW_ROD_LUMPED,      ///< all mass at the points: 2nd power
} twRodMass;

typedef enum twRodHold
{
    TW_ROD_PINNED,   ///< the point stays where it is (or where tw_rod_move() puts it), edges turn freely
    TW_ROD_CLAMPED,  ///< at an end: point, direction and twist are held; inside: the point and both its edges
    TW_ROD_SPRING,   ///< a spring and a damper to the place where the point is
} twRodHold;

/// Something that holds a point.
typedef struct twRodSupport
{
    twRodHold kind;
    int point;
    twVec3 stiffness;  ///< of a spring along x, y, z [N/m]
    double damping;    ///< of a spring [N s/m]
} twRodSupport;

/// A blow: force sin(pi (t - start)/duration) on a point while it lasts. Sums of them make any blow.
typedef struct twRodPulse
{
    int point;
    twVec3 force;     ///< peak [N]
    double start;     ///< [s] from the creation of the rod
    double duration;  ///< [s]; its impulse, 2/pi |force| duration, is kept even if it is shorter than a step
} twRodPulse;

/// Everything needed to create a rod. Start from tw_rod_def(). Edges: points - 1, or as many as points if closed.
typedef struct twRodDef
{
    int point_count;       ///< at least 2; TW_MIN_CLOSED_ROD_POINTS if closed
    const twVec3* points;  ///< at the start (points) [m]
    bool closed;           ///< an edge joins the last point to the first

    const twVec3* rest_points;      ///< shape without stress (points) [m]; NULL: the points
    bool rest_straight;             ///< without stress it would be straight and untwisted; only lengths count
    double stretch;                 ///< rest lengths are those of the rest shape divided by this
    const twVec3* directions;       ///< about where d1 points at the start (edges); NULL: carried along without twist
    const twVec3* rest_directions;  ///< the same for the rest shape; NULL: as at the start if the shapes are the same
    const double* twists;           ///< turn of the frames at the start beyond that (edges) [rad]; NULL: none
    const twVec3* velocities;       ///< (points) [m/s]; NULL: at rest
    const double* spins;            ///< of the edges about themselves (edges) [rad/s]; NULL: none

    int section_count;          ///< 1, or one per point
    const twSection* sections;  ///< (section_count)
    double young, poisson;      ///< [Pa]; between -1 and 0.5
    double density;             ///< [kg/m^3]
    double alpha, beta;         ///< damping by mass [1/s], by stiffness [s]
    /// Of the material, below 1; > 0: damping by the history of the strains, of loss_factor + 2 pi f beta from 50 Hz to 15 kHz, young then
    /// being the modulus at 1 kHz and the tension that of stretch with it. 0: beta is the rate of the elastic forces, as in Rayleigh's damping
    double loss_factor;
    /// With a loss factor: the air takes what a round rod of this radius [m] radiates in bending; 0: nothing
    double air_radius;
    double air_density, air_speed;  ///< [kg/m^3], [m/s]
    twRelaxation heat;              ///< with a loss factor: thermoelastic loss in bending, of metals; zeros: none
    twVec3 gravity;                 ///< [m/s^2]

    double rate_hz;  ///< steps per second
    twRodIntegrator integrator;
    twRodMass mass;
    bool shear;  ///< sections may tilt against the axis (Timoshenko): for thick rods
    /// Of a step's solution: root of the energy of what is left, as stretching, over that of how far forces move points in a step.
    double tolerance;
    int company;   ///< points of other rods that are stepped in turn with it: if many, caches hold less of this one
    bool account;  ///< add up the energy that damping takes: half as long again

    int support_count;
    const twRodSupport* supports;
    int pulse_count;
    const twRodPulse* pulses;
} twRodDef;
twRodDef tw_rod_def(
    void);  ///< no points; steel, air of 20 degrees around no radius, 44.1 kHz, Gauss, consistent mass, no damping, no gravity

/// Create a rod; def is copied. On failure *out is NULL.
/// @return TW_BAD_INPUT naming point, edge or support and what would be right; TW_NO_MEMORY.
twStatus tw_rod_create(twRod** out, const twRodDef* def, twError* err);
void tw_rod_destroy(twRod* rod);  ///< NULL is fine

/// Advance by 1/rate. Real-time safe in that it never allocates, prints or fails: a step that does not converge is cut in
/// halves, and what still does not is stopped, unfolded where edges turned round, and counted.
void tw_rod_step(twRod* rod);

// ---- what acts during the next step ----

/// Add a force [N] on a point, for the next step only: contacts, say.
void tw_rod_push(twRod* rod, int point, twVec3 force);
/// The same for a force that depends on where the point goes: force - stiffness (x - x now) - damping v. The matrices are
/// symmetric and positive semidefinite; NULL: none. At most 64 points per step, further ones push alone and are counted.
void tw_rod_push_spring(twRod* rod, int point, twVec3 force, const twMat3* stiffness, const twMat3* damping);
/// Where a support (by its index) will be at the end of the next step, and for a clamp how it is turned against its
/// first orientation. The point moves there smoothly; a spring's anchor jumps.
void tw_rod_move(twRod* rod, int support, twVec3 position, twQuat turn);
/// Add a pulse. @return false if all 64 places beyond those of the def are taken by pulses that are not over
bool tw_rod_strike(twRod* rod, const twRodPulse* pulse);

/// Hold something against a point that rubs it along a direction: a bow, a wet finger. Elasto-plastic friction (docs/friction.md), found
/// together with the step; it never gives energy back that it has not taken. Another point or direction starts with straight
/// bristles. @return false if the law or the direction makes no sense; then nothing changes
bool tw_rod_bow(twRod* rod, int point, twVec3 direction, const twFrictionLaw* law);
/// From the next step on: how fast it moves along the direction [m/s] and how hard it presses [N]; 0 or less: not at all.
void tw_rod_bow_move(twRod* rod, double speed, double normal_force);
double tw_rod_bow_force(const twRod* rod);  ///< on the point along the direction, in the last step [N]

// ---- what it does ----

/// Views of the state, valid until the rod is destroyed; contents change with each step.
typedef struct twRodView
{
    int point_count, edge_count;
    double time;                                           ///< [s]
    const double* position[3];                             ///< x, y, z at time (points) [m]
    const double* velocity[3];                             ///< (points) [m/s]
    const double *frame_d1[3], *frame_d2[3], *tangent[3];  ///< material frames at time (edges), unit
    const double* spin;                                    ///< about the tangent (edges) [rad/s]
    double sound_time;              ///< start of the last step [s]: what radiation needs is of 4th order there
    const double* acceleration[3];  ///< at sound_time (points) [m/s^2]
    const double* jerk[3];          ///< third derivative of the position at sound_time (points) [m/s^3]
    const double* rest_length;      ///< (edges) [m]
} twRodView;
twRodView tw_rod_view(const twRod* rod);

typedef struct twRodEnergy
{
    double kinetic, bending, twisting, stretching, shearing;  ///< [J]; with a loss factor also what its branches hold
    double springs;                                           ///< in spring supports
    double gravity;                                           ///< potential, 0 at the origin
    double work;        ///< done by pulses, tw_rod_push() and tw_rod_move(), since the start
    double dissipated;  ///< by damping and stops since the start; 0 unless def.account
} twRodEnergy;
twRodEnergy tw_rod_energy(twRod* rod);  ///< of the present state; costs about half a step

typedef struct twRodStats
{
    int64_t steps;
    int64_t substeps;          ///< more than steps if some were cut in halves
    int64_t iterations;        ///< of the solver, over all steps
    int64_t refactorisations;  ///< of its matrix
    int64_t halvings;          ///< steps cut in two
    int64_t stops;             ///< steps at whose end the rod was stopped, because nothing converged
    int64_t bad_inputs;        ///< forces and places that were not finite and were ignored
} twRodStats;
twRodStats tw_rod_stats(const twRod* rod);

// ---- keep and go on ----

/// Everything that changes, as bytes, and the same back, between steps. A rod of the same def that loads them goes on to the bit as
/// the one that was saved does. Saving forgets what only saves time: the next step makes its matrix anew. For this machine, not for
/// others.
size_t tw_rod_state_bytes(const twRod* rod);  ///< how many; always the same for a rod
void tw_rod_save(twRod* rod, void* bytes);    ///< bytes (tw_rod_state_bytes())
/// @return false if they are of another rod, or damaged; then nothing changed
bool tw_rod_load(twRod* rod, const void* bytes, size_t count);

// ---- wires: a rod that is played ----

/// A straight round rod along x that is struck, plucked, pushed and bowed along y, heard at pickups, and exchanged while it sounds. Places
/// are shares of its length, 0 to 1.
typedef struct twWire twWire;

#define TW_MAX_WIRE_POINTS 512
#define TW_MAX_WIRE_PICKUPS 16
#define TW_WIRE_FADE 0.02  ///< how long another wire takes to come in [s]

typedef enum twWireHold
{
    TW_WIRE_FREE,
    TW_WIRE_PINNED,      ///< both ends
    TW_WIRE_CLAMPED,     ///< both ends
    TW_WIRE_CANTILEVER,  ///< the first end, clamped
} twWireHold;
bool tw_wire_hold_parse(const char* name, twWireHold* out);  ///< "free", "pinned", "clamped", "cantilever"

typedef struct twWireDef
{
    double rate_hz;
    int points, pickups;
    double length, radius;  ///< [m]
    double stretch;         ///< length over that without tension; for wires held at both ends
    double young, density;  ///< [Pa], [kg/m^3]
    double alpha, beta;     ///< damping by mass [1/s], by stiffness [s]
    double loss_factor;     ///< of the material, and more on top, as of rods
    const twMaterial*
        matter;  ///< whose heat flows across the wire, with a loss factor; NULL: none. It outlives the wire
    twWireHold hold;
} twWireDef;
/// A number of it by name: "length", "radius", "stretch", "young", "density", "alpha", "beta", "loss_factor"; NULL: there is none of that name.
double* tw_wire_def_find(twWireDef* def, const char* name);
/// Make it of a material: stiffness, density and damping, of a loss factor with what the air and heat take.
void tw_wire_def_material(twWireDef* def, const twMaterial* material);
twStatus tw_wire_def_check(const twWireDef* def, twError* err);  ///< TW_BAD_INPUT naming what is out of range
twWireDef tw_wire_def(void);  ///< a steel string of 33 cm at about 300 Hz, 48 kHz, one pickup

twStatus tw_wire_create(twWire** out, const twWireDef* def, twError* err);
void tw_wire_destroy(twWire* wire);  ///< NULL is fine
/// Become that, with as many pickups. The same wire at another rate or with other damping goes on as it moves; another one starts at
/// rest while this one fades out. On failure nothing changes. Not real-time safe.
twStatus tw_wire_change(twWire* wire, const twWireDef* def, twError* err);
bool tw_wire_fading(const twWire* wire);  ///< another change now would cut off what fades out

/// What follows is real-time safe. @return false if a value makes no sense, or too many blows are under way; then nothing changes
bool tw_wire_strike(twWire* wire, double place, double force, double duration);  ///< half a sine [N], [s]
bool tw_wire_pluck(twWire* wire, double place, double force, double duration);  ///< pulled slowly, then let go [N], [s]
bool tw_wire_place_bow(twWire* wire, double place);
bool tw_wire_place_push(twWire* wire, double place);
bool tw_wire_place_pickup(twWire* wire, int pickup, double place);
bool tw_wire_set_friction(twWire* wire, const twFrictionLaw* law);  ///< of the bow
twFrictionLaw tw_wire_friction(const twWire* wire);

/// Advance n samples under a force [N], a bow's speed [m/s] and normal force [N] (NULL: none; what is not finite or beyond 1e5 counts as
/// 0). out: velocities of the pickups, then their places along y, then the bow's force; NULL: not wanted. Sample i is the state at
/// time i.
void tw_wire_process(twWire* wire, const double* force, const double* bow_speed, const double* bow_force,
                     double* const* out, int n);
const twRod* tw_wire_rod(const twWire* wire);  ///< the rod that moves, until the next change

#ifdef __cplusplus
}
#endif
