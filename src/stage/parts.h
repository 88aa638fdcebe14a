// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/body_shape.h"
#include "dynamics/collide.h"
#include "twang/stage.h"

/// @file
/// What a stage is made of (internal).
///
/// A step of h: impulses p act at its beginning on velocities V = (v, w, q') of all bodies, then everything goes freely, gravity and
/// oscillators exactly; at its end impulses act again. The first ones bring points to their places at the end, the second ones to
/// their velocities:
///
///     J S M^-1 J^T p = target - place after a free step,     S = h for frames, s(h) for modes
///     J   M^-1 J^T p = target - velocity
///
/// Rows of grabs are equations, rows of contacts are p >= 0, way >= 0, and a friction cone.

enum
{
    STAGE_LEVELS = 3,  ///< of dividing a step
    STAGE_PARTS = 4,   ///< one more level: into so many parts
};

/// A body.
typedef struct StageBody
{
    // constant
    const twBodyShape* shape;
    const ContactShape* contact;  ///< of the shape; modes 0 to mode_count - 1 of its rows are those that move
    bool free, warp, ghost, mute;
    int index, material;
    double inverse_mass;  ///< 0 if fixed [1/kg]
    int mode_count;       ///< that move
    int size;             ///< velocities: 6 if free, then modes
    twBodyMotion start;   ///< of the mesh's origin
    float* curl;          ///< with warp: how each mode turns each vertex, laid out as the contact's shape; NULL: none
    twOscillators* oscillators;
    double* s;                     ///< response to an impulse after a step or the parts it has now (modes)
    double* responses;             ///< (STAGE_LEVELS x modes) of a step, and of its parts
    double* load;                  ///< weight of a held body on its modes (modes)
    double* loads;                 ///< of gravity of 1 along its x, y and z (3 x modes)
    double *start_q, *start_rate;  ///< (modes)

    // state
    twVec3 position;  ///< of the mass centre [m]
    twQuat turn;
    twVec3 velocity, spin;  ///< in the world
    double *q, *rate;       ///< (modes), as the oscillators have them

    int parts;       ///< in which its frame turns in a step
    double* free_q;  ///< after a step without impulses (modes)
} StageBody;

/// A contact of a step.
typedef struct StageContact
{
    Touch touch;                ///< its rows: normal, tangents, by tw_touch_rows() (side 0 minus side 1, as there)
    double friction;            ///< coefficient
    double stiffness, damping;  ///< of penalty [N/m], [N s/m]
    double hertz;               ///< stiffness of the impact law, for how long a blow lasts [N/m^1.5]
    double impulse[3];          ///< of the step: along normal and tangents [N s]
    double share;               ///< of a cluster: how many touches it stands for
    double work;                ///< of its impulses in this step [J]
} StageContact;
