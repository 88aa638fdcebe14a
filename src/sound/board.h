// SPDX-License-Identifier: MIT
#pragma once
#include "source.h"

/// @file
/// Boards that are heard (internal): a ground, and fixed bodies, that are plates, pushed by bodies and rods (docs/sound.md). Below its
/// coincidence frequency an infinite plate of mass per area m'' radiates the normal force F itself, the same in all directions:
///
///   p(t) = rho F(t - r/c)/(2 pi m'' r)     (F along the normal, out of the board: a body that presses makes p negative)
///
/// The forces of one body, each over m'' of its board, are summed and heard from their mean place, weighted by their impulses in the batch;
/// so are those of all rods together.

typedef struct Board Board;

/// None is a board yet. On failure *out is NULL.
twStatus board_create(Board** out, int body_count, double rate_hz, twError* err);
void board_destroy(Board* board);                              ///< NULL is fine
void board_set(Board* board, int body, double mass_per_area);  ///< TW_NOWHERE: the ground [kg/m^2]
/// A component of the normal of its face, which forces count along; without one they count along that of what touches it.
void board_face(Board* board, int body, int axis, double component);
int board_load_count(const Board* board);  ///< what may press: the bodies, then all rods together
/// A force of the trace, in the order of time; nothing is done if no board feels it. @return TW_NO_MEMORY
twStatus board_force(Board* board, const twTraceTouch* touch, double time, const float force[3], twError* err);
void board_start(Board* board);  ///< forces at time 0 have always been there
/// The force of a load on its boards, out of them, over their mass per area, in the batch that begins at a time (SOURCE_BATCH) [m/s^2], half
/// a sample late, without what is held; and where it acts at the beginning and the end. Loads may be played by different threads.
/// @return false if it is silent
bool board_play(Board* board, int load, double start, float* signal, twVec3 place[2]);
