// SPDX-License-Identifier: MIT
#pragma once
#include "twang/stage.h"

/// @file
/// The latest view of a stage, from the thread that simulates to the one that draws (internal). Three views: one is written, one is
/// drawn, one is the latest between them. Neither side ever waits, and none sees a view that is half done.

/// A view and its arrays, to be filled in; the view points to them.
typedef struct StageFrame
{
    twStageView view;
    twStagePose* bodies;  ///< (bodies) with amplitude and mode_count set
    twStageGrip* grabs;   ///< (max_grabs)
    double** amplitude;   ///< of each body (its modes): what its pose points to
} StageFrame;

typedef struct Snapshot Snapshot;

/// mode_count: of each body, that move (bodies). NULL without memory. The first view is all 0, with turns of 1.
Snapshot* snapshot_create(int body_count, const int* mode_count, int grab_count);
void snapshot_destroy(Snapshot* snapshot);  ///< NULL is fine

// the following are real-time safe

/// The frame to write; it holds something old. The writing thread, until snapshot_publish().
StageFrame* snapshot_begin(Snapshot* snapshot);
void snapshot_publish(Snapshot* snapshot);
/// The latest that is published; stays as it is until the next call. The reading thread.
const twStageView* snapshot_latest(Snapshot* snapshot);
