// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/touch.h"

/// @file
/// Rough surfaces (internal): normals that are off by a random angle, as with a normal map. Sliding over them makes noise.
///
/// The tilt is a function of the place on the body alone: the same when one slides back, for any step and any thread.

/// Three smooth random functions of the place: Gaussian, mean 0, variance 1 everywhere, nearly the same within a tenth of a
/// grain [m] and others beyond one. Real-time safe.
twVec3 tw_rough_noise(double grain, uint64_t seed, twVec3 place);
/// Turn a frame by a tilt whose part about any direction across the normal has the standard deviation given [rad]. Frame and
/// place are in the body's axes at rest. Deviation or grain 0: it stays as it is, to the bit. Real-time safe.
void tw_rough_turn(twVec3* normal, twVec3 tangent[2], double deviation, double grain, uint64_t seed, twVec3 place);
/// The same for a touch in the world, by the roughness of one of its bodies, where that is now. Real-time safe.
void tw_rough_touch(Touch* touch, const BodyPlace* body, double deviation, double grain, uint64_t seed);
