// SPDX-License-Identifier: MIT
#pragma once
#include "twang/live.h"

/// @file
/// The latest view, from the thread that simulates to the one that draws (internal). Three frames: one is written, one is drawn, one
/// is the latest between them. Neither side ever waits, and none sees a frame that is half done.

typedef struct LiveLook LiveLook;

/// A view and its arrays, to be filled in; the view, which comes first, points to them.
typedef struct LiveFrame
{
    twLiveView view;
    twLivePose* bodies;  ///< (bodies) with amplitude set
    twLiveRod* rods;     ///< (rods)
    twGrabView* grabs;   ///< (grabs)
    double** amplitude;  ///< (bodies) what poses point to
    double** points;     ///< (rods) what rods are to point to: room for 9 numbers a point
    LiveLook** looks;    ///< (bodies) what is drawn; NULL: nothing
    int64_t removed;     ///< the last removal that is done
} LiveFrame;

typedef struct LiveSnapshot LiveSnapshot;

/// How much there can be in a view.
typedef struct LiveRoom
{
    int body_count, rod_count, grab_count;
    const int *modes, *points;  ///< of each body, of each rod
} LiveRoom;

/// NULL without memory. The first view is all 0, with turns of 1.
LiveSnapshot* live_snapshot_create(const LiveRoom* room);
void live_snapshot_destroy(LiveSnapshot* snapshot);  ///< NULL is fine

// the following are real-time safe

/// The frame to write; it holds something old. The writing thread, until live_snapshot_publish().
LiveFrame* live_snapshot_begin(LiveSnapshot* snapshot);
void live_snapshot_publish(LiveSnapshot* snapshot);
/// The latest that is published; stays as it is until the next call. The reading thread.
const LiveFrame* live_snapshot_latest(LiveSnapshot* snapshot);
/// Whether nobody reads, or will, a frame before that removal was done. Any thread.
bool live_snapshot_is_past(const LiveSnapshot* snapshot, int64_t removal);
