// SPDX-License-Identifier: MIT
#pragma once
#include "source.h"

/// @file
/// A board that is heard (internal): a ground that is a plate, pushed by the bodies on it (docs/sound.md). Below its coincidence
/// frequency an infinite plate of mass per area m'' radiates the normal force F itself, the same in all directions:
///
///   p(t) = rho F(t - r/c)/(2 pi m'' r)     (F along the normal, out of the board: a body that presses makes p negative)
///
/// The forces of one body are summed and heard from their mean place, weighted by their impulses in the batch.

typedef struct Board Board;

/// On failure *out is NULL.
twStatus board_create(Board** out, int body_count, double rate_hz, twError* err);
void board_destroy(Board* board);  ///< NULL is fine
/// A force of the trace between a body, touch->body[0], and the board, in the order of time. @return TW_NO_MEMORY
twStatus board_force(Board* board, const twTraceTouch* touch, double time, const float force[3], twError* err);
void board_start(Board* board);  ///< forces at time 0 have always been there
/// The force of a body on the board, out of it, in the batch that begins at a time (SOURCE_BATCH) [N], half a sample late, without what
/// is held; and where it acts at the beginning and the end. Bodies may be played by different threads. @return false if it is silent
bool board_play(Board* board, int body, double start, float* signal, twVec3 place[2]);
