// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/touch.h"

/// @file
/// Where two bodies touch at many points, a few that do the same (internal).

enum
{
    PATCH_MAX = 64  ///< touches of a pair
};

/// A touch of a pair, and the cluster it is in.
typedef struct PatchTouch
{
    const Touch* touch;
    bool was_seed;  ///< set before: in the last step
    bool rim;       ///< a corner of the polygon that the touches beside it span
    bool seed;      ///< its cluster is named after it
    int cluster;    ///< below the count
    double rank;    ///< gap, less what speaks for it as a seed [m]
} PatchTouch;

/// Clusters of touches nearer than distance [m] with normals within 25 degrees; each to the nearest seed. Of those near each other the
/// deepest is the seed, of those as deep a corner, else one that was seed before. @return clusters, in the order of their seeds' rank
int patch_split(PatchTouch* touches, int count, double distance);

/// One touch instead of a cluster: with its least gap, at its mean with weights of reach - gap; at its seed if that is a corner and
/// there are other clusters beside it. Which vertices move it: those of the touch nearest to the place. @return touches in it
int patch_join(const PatchTouch* touches, int count, int cluster, double reach, Touch* out);
