// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/law.h"
#include "dynamics/touch.h"
#include "twang/dynamics.h"

/// @file
/// Grabs: hands that hold points of bodies (internal). A grab of a position or velocity is a bond of three rows along the world's
/// axes, as joints are; its target is a path in time, or a point of another body. Forces and servos push before a step is
/// solved. docs/grabs.md has the equations.

/// How a target moves: along a cubic with continuous velocity to where it was told to be at begin + span, and to rest in another span if it
/// was to go on. Velocities, accelerations and forces go in straight lines.
typedef struct GrabPath
{
    double begin, span;  ///< [s]
    twVec3 from, from_rate, to, to_rate;
} GrabPath;

/// A slot.
typedef struct Grab
{
    bool active;
    twGrabDef def;
    const twPathDef* ways;  ///< (paths of the world)
    GrabPath path;  ///< of the target, beside its way; of two bodies of the place in the other's axes, beside its point
    double told;    ///< when it was told to move [s]
    double mobility;   ///< W: how easily the point moves in a step, along whatever direction [1/kg]
    double stiffness;  ///< k [N/m]

    twVec3 speed;  ///< of an acceleration: of the target, at the start of the step [m/s]

    // of `exact`: the target leads
    twVec3 lead, lead_rate;  ///< [m], [m/s]
    double lead_work;        ///< that it has done [J]
    double lead_budget;      ///< that it may do: f^2/k of the largest force so far [J]

    // of pushes
    int push_count;
    twVec3 push[TW_MAX_GRAB_PUSHES];  ///< in the step that is being made [N]

    // of the last step
    twVec3 force;  ///< on the point [N]
    bool limited, powerless;
    float given[3];  ///< the force that was listed last
} Grab;

/// Whether it is a bond; else it pushes.
static inline bool grab_holds(const Grab* g) { return g->def.push_count == 0 && g->def.kind != TW_GRAB_FORCE; }

/// Whether it holds a rod, so that it is among the rods' bonds.
static inline bool grab_has_rod(const Grab* g) { return g->def.at.rod != TW_NOWHERE || g->def.to.rod != TW_NOWHERE; }

/// Whether it holds this body.
static inline bool grab_has_body(const Grab* g, int body)
{
    return g->active && (g->def.at.body == body || g->def.to.body == body);
}

/// Vertices of a point, first ones. @return how many
int grab_vertices(const twSurfacePoint* point, int vertex[3], double weight[3]);
/// Where a point of a body is, as it is bent, and how it moves (may be NULL) [m], [m/s].
twVec3 grab_point(const BodyPlace* place, const twSurfacePoint* point, twVec3* velocity);

/// At rest or as it is bent, in the body's axes from its mass centre.
twVec3 grab_local(const BodyPlace* place, const twSurfacePoint* point, bool bent);
/// How a mode moves it, in the body's axes [kg^-1/2].
twVec3 grab_shape(const BodyPlace* place, const twSurfacePoint* point, int mode);

/// The part of a vector in the directions that are held; these, the others 0.
twVec3 grab_along(const Grab* grab, twVec3 v);
void grab_axes(const Grab* grab, twVec3 axes[3]);

/// Where a target is told to be at a time, and its rate (may be NULL).
twVec3 grab_path_at(const GrabPath* path, double time, twVec3* rate);
/// What its way adds to that.
twVec3 grab_way(const Grab* grab, double time);
/// It goes elsewhere from a time on, in so many seconds. straight: in a straight line.
void grab_path_move(GrabPath* path, twVec3 to, double seconds, double time, double since, bool straight);

/// What a step of a grab is made of.
typedef struct GrabStep
{
    double t, h;
    const BodyPlace* place[2];  ///< in the middle of the step, with velocities from its start; NULL: no body
    int awake[2];               ///< modes that move in the step; the others of the place stay as they are
    bool held[2];               ///< bodies without linear and angular velocity
    double* row[2];             ///< (3 x tw_touch_size()) to be filled, of modes awake; NULL: nothing moves by itself
} GrabStep;
/// The bond: rows, errors at the start of the step, prescribed velocity.
void grab_block(const Grab* grab, const GrabStep* step, double offset[3], double wall[3], SolveBond* bond);
/// Where its target is in the middle of a step, and how fast it is led, not by another body.
twVec3 grab_aim(const Grab* grab, const GrabStep* step, twVec3* led);
/// How fast its target is led in the middle of a step, of none that is a point of a body [m/s].
twVec3 grab_led(const Grab* grab, double t, double h);
