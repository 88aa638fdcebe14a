// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/body_shape.h"

/// @file
/// A body of a world (internal): its states at the last two times of its private clock, and how it moves by itself.
///
/// A step of h is   drift h/2 - kick - drift h/2.   Drift is free flow: position by velocity, turning by the torque-free motion.
/// The kick changes velocities by forces and contacts at the middle of the step; amplitudes of modes change with it.

/// What changes in time.
typedef struct BodyState
{
    double time;      ///< [s]
    twVec3 position;  ///< of the mass centre
    twQuat turn;
    twVec3 velocity;  ///< in the world's axes
    twVec3 spin;      ///< in the body's own axes
    double* q;        ///< (modes) amplitudes; those asleep stay
    double* rate;     ///< (modes) of those asleep 0
} BodyState;

/// What was put in and what was lost, [J].
typedef struct Account
{
    double work;
    double loss[TW_LOSS_COUNT];
} Account;

typedef struct Body
{
    const twBodyShape* shape;
    const char* name;
    twBodyKind kind;
    bool held;     ///< its frame does not move by itself
    bool heard;    ///< forces of rods on it are told in any case
    bool dynamic;  ///< something of it moves by itself
    bool ghost, lost;
    int material, mode_count;
    double roughness, grain;
    void (*path)(double time, twBodyMotion* out, void* context);
    void* path_context;

    BodyState now, before;
    BodyState start, middle;  ///< of the step that is being made
    int active;               ///< modes awake: the first so many
    int bent;                 ///< modes that displace it: awake, or asleep in a bent shape
    int hold;                 ///< steps until modes may go to sleep
    double next_step;         ///< [s]
    int64_t mates;            ///< number of the last step; bodies of the same one were stepped together
    bool touched;             ///< in that step something touched it
    Account spent;            ///< in that step; what its group did together is with the first body of it
    double speed, extent;     ///< at most in its last step [m/s]; farthest point from the mass centre, at most [m]
    double room;              ///< that it has in this window [m]
    double blow, widened;     ///< what others may give it [m/s]; of its room for that [m]
    twVec3 window_place;
    double stored;             ///< in its contacts when the window began [J]
    int slot;                  ///< in the group that is being stepped
    int64_t prepared, member;  ///< stamps: start and middle are made; it takes part

    // of the modes, for the step h they were made for
    double h;
    double* stretch;  ///< h~/h (modes)
    double* mass;     ///< effective: D (modes)
    double* spare;    ///< (2 x modes)

    // what modes asleep would do if forces moved them: only to see when they wake
    double *dream_q, *dream_rate;  ///< (modes)
} Body;

enum
{
    BODY_NUMBERS = 14  ///< of each mode, in the arrays of a body
};

void body_init(Body* body, const twBodyDef* def, double* numbers);  ///< at time 0
void body_reset(Body* body, const twBodyDef* def);                  ///< what it is, as said
void body_put(Body* body, const twBodyMotion* motion);              ///< elsewhere, moving so; its bend stays
void body_lose(Body* body);                                         ///< it stays where it is, and touches nothing
void body_copy(BodyState* to, const BodyState* from, int modes);
/// Effective mass of a mode in a step, and its stretch.
double body_mode_mass(const Body* body, int mode, double h, double* stretch);
/// Make stretch and mass for a step.
void body_prepare(Body* body, double h);
/// Free flow of the frame for a time; of a moved body: to where its path is then. Modes go on in a straight line.
void body_drift(const Body* body, BodyState* state, double dt);
/// Velocities at the end of a step if nothing touches: of the frame by gravity, of the modes by the trapezoidal rule with
/// forces [kg^1/2 m/s^2] (modes; NULL: none).
void body_free_modes(const Body* body, const BodyState* state, const double* force, double* rate);
/// Whether the acceleration of its frame moves its modes.
bool body_is_shaken(const Body* body);
/// Forces of that on all its modes, mean of a step from t [kg^1/2 m/s^2] (modes).
void body_shake(const Body* body, double t, double h, double* force);
/// Modes and middle of a state to the end of the step, given velocities at its end.
void body_finish(const Body* body, const BodyState* start, const BodyState* middle, twVec3 velocity, twVec3 spin,
                 const double* rate, double h, BodyState* end);
/// One step without touches, from start to end; arrays must not be shared.
void body_free_step(Body* body, const BodyState* start, twVec3 gravity, double h, BodyState* end);
/// The state at a time between before and now: exact if nothing touched, else in between.
void body_at(Body* body, double time, twVec3 gravity, BodyState* out);
/// As collision detection sees a state.
BodyPlace body_place(const Body* body, int index, const BodyState* state);
void body_bound(Body* body);                                    ///< sets speed and extent, after a step
double body_kinetic(const Body* body, const BodyState* state);  ///< of the frame [J]
double body_modal(const Body* body, const BodyState* state);    ///< kinetic and elastic, of the modes [J]
double body_wanted_step(const Body* body, double steps_per_cycle, double max_step);
twBodyMotion body_motion(const Body* body, const BodyState* state);  ///< of the mesh's origin
