// SPDX-License-Identifier: MIT
#pragma once
#include "stage/parts.h"

/// @file
/// A body of a stage (internal): its frame and its oscillators, where its points are, how they move.

/// @return TW_BAD_INPUT naming the body, TW_NO_MEMORY; then stage_body_free() is due all the same
twStatus stage_body_make(StageBody* body, const twStageDef* def, int index, twStageModes* modes, twError* err);
void stage_body_free(StageBody* body);
void stage_body_reset(StageBody* body);         ///< to where it began, at rest but for its motion then, unbent
bool stage_body_finite(const StageBody* body);  ///< and not beyond 1e9 m

/// Where a body is, as collision detection sees it.
BodyPlace stage_body_place(const StageBody* body);
twBodyMotion stage_body_motion(const StageBody* body);  ///< of the mesh's origin
void stage_body_throw(StageBody* body, const twBodyMotion* motion);
void stage_body_weigh(StageBody* body, twVec3 gravity);  ///< a fixed one, as it is turned now

/// Sets free_q: where the modes will be after a step without impulses.
void stage_body_predict(StageBody* body, double h);
/// Where it would be after a step, for which it was predicted, with impulses kick (size) added to its velocities now: amplitudes into q (modes).
/// Frames turn with their angular momentum and energy kept (implicit midpoint in the body's axes).
BodyPlace stage_body_after(const StageBody* body, twVec3 gravity, double h, const double* kick, double* q);
/// How a frame turns further after that step, if the spin now is changed, over h: exactly, the derivative of where it is then.
twMat3 stage_body_turning(const StageBody* body, double h, const double* kick);
/// Add kick (size) to the velocities: rates of the oscillators too.
void stage_body_kick(StageBody* body, const double* kick);
/// Go there.
void stage_body_flow(StageBody* body, twVec3 gravity, double h);

/// M^-1 times a row (size).
void stage_body_give(const StageBody* body, const double* row, double* out);
void stage_body_speed(const StageBody* body, double* out);  ///< its velocities now (size)
/// Mean velocities of a step without impulses, for which it was predicted (size).
void stage_body_mean(const StageBody* body, twVec3 gravity, double h, double* out);

twVec3 stage_point_place(const StageBody* body, const BodyPlace* place, const twStagePoint* point);  ///< in the world
/// The rows (3 x size) of a point's velocity along x, y, z.
void stage_point_rows(double* rows, const StageBody* body, const BodyPlace* place, const twStagePoint* point);
double stage_body_kinetic(const StageBody* body);
double stage_body_kinetic_of(const StageBody* body, const double* speed);  ///< if its velocities were these (size)
double stage_body_elastic(const StageBody* body);
double stage_body_weight(const StageBody* body, twVec3 gravity);
/// All at vertices, of the first modes, (vertices x 3 x modes): x of all modes, then y, z, as ContactShape.shape is. free() it; NULL
/// without memory.
float* stage_curl(const twModeSet* set, int modes);
