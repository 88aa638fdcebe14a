// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bodies.h"
#include "twang/render.h"

/// @file
/// The rods of a scene in the world of its bodies, stepped and heard (internal).

typedef struct WorldRods WorldRods;

/// At time 0 of the world of the bodies, which must outlive it. On failure *out is NULL.
twStatus world_rods_create(WorldRods** out, const twScene* scene, twBodies* bodies, twError* err);
void world_rods_destroy(WorldRods* rods);         ///< NULL is fine
int64_t world_rods_steps(const WorldRods* rods);  ///< taken
double world_rods_rate(const WorldRods* rods);    ///< steps per second [Hz]
int world_rods_latency(const WorldRods* rods);    ///< [steps]
/// Advance the world by a step. values (tracks of the scene): what was heard world_rods_latency() steps ago, [Pa] or [m/s].
void world_rods_advance(WorldRods* rods, float* values);

/// Everything that changes beside the world, as bytes, and the same back.
size_t world_rods_state_bytes(const WorldRods* rods);
void world_rods_save(const WorldRods* rods, char* out);
bool world_rods_load(WorldRods* rods, const char* bytes, size_t count);  ///< false if they do not fit

/// Fill the rods' part of the report: energies, steps, listeners, seconds.
twStatus world_rods_report(WorldRods* rods, twRenderReport* report, twError* err);
