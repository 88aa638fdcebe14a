// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bodies.h"
#include "twang/play.h"

/// @file
/// Recording of a scene's rods, and what is said of its contacts (internal).

/// A name that fits: cut at a whole character, without control characters.
void record_tidy(char* out, size_t bytes, const char* text);
/// What a trace says of all rods of a scene; free() it. NULL: no memory
twTraceRod* record_rods(const twScene* scene);
/// Add blows on a rod between two times to arrows, of which there are count, at most so many. Blows are shorter than frames: an
/// arrow is the largest force until the next frame. @return how many there are then
int record_blows(twTraceArrow* arrows, int count, int most, const twRodDef* def, const twRodView* view, double from,
                 double to);
/// Start the trace of a scene. @return TW_IO_ERROR, TW_NO_MEMORY
twStatus record_start(twTraceWriter** out, const twScene* scene, const char* path, twError* err);
/// Say in the trace of a scene's bodies whether its contacts are rigid, and then with which friction.
twStatus record_rigid(twTraceWriter* writer, const twScene* scene, const twBodies* bodies, twError* err);
/// How far rods were at the last frame.
typedef struct RecordMark
{
    int64_t steps, pieces;  ///< of all rods
} RecordMark;
/// Append what the rods do now, at frame n of the trace. mark: zero at first
twStatus record_frame(twTraceWriter* writer, const twScene* scene, twRods* rods, int64_t n, RecordMark* mark,
                      twError* err);
