// SPDX-License-Identifier: MIT
#pragma once
#include "twang/picture.h"

/// @file
/// Inside skins (internal): how a body's and a rod's surface are made.

/// A surface of which one vertex may have several normals.
typedef struct SkinBody
{
    const float* weight;  ///< of each corner of each face in its vertex's normal (faces x 3)
    const float*
        turn;  ///< by modes of what is around its set's vertices (modes x vertices x 3); NULL: it is not warped
} SkinBody;

/// Surface of a body: vertices split where faces meet at more than CREASE.
twStatus skin_body(twSkinPart* part, SkinBody* body, const twTraceBody* from, twArena* arena, twError* err);
/// Unit normals of a bent body (vertices x 3).
void skin_body_normals(const twSkinPart* part, const SkinBody* body, const float* positions, float* normals);

/// Let bent parts of a body turn instead of growing, if the trace says so.
twStatus skin_warp(SkinBody* body, const twTrace* trace, int index, twArena* arena, twError* err);
/// That, of a body in its own axes that was bent by amplitudes (modes) times a factor.
void skin_warp_vertices(const twSkinPart* part, const SkinBody* body, const twModeSet* set, const float* amplitude,
                        double factor, float* positions);

/// The frame of from <= frame < to in which a body bends most: shapes are mass-normalised, so that the sum of the amplitudes'
/// squares is its mass times the mean square of how far its points are from where they rest.
int64_t skin_most_bent(const twTrace* trace, int body, int64_t from, int64_t to);

/// By what angle the frame of the first edge of a closed round rod is turned against that of the last, in the first frame of the
/// trace [rad]; 0 for other rods.
double skin_rod_seam(const twTrace* trace, int rod);
/// Surface of a rod: rings of vertices about its points, and caps.
twStatus skin_rod(twSkinPart* part, const twTraceRod* from, double seam, int sides, twArena* arena, twError* err);

/// A rigid motion: x goes to to + turn(x - from).
typedef struct SkinFit
{
    twVec3 from, to;
    twQuat turn;
} SkinFit;
/// The one that brings points (count x 3) nearest to where they are later.
SkinFit skin_fit(const float* x0, const float* x, int count);
bool skin_is_free(const twTrace* trace, int rod);  ///< whether both ends go about as far as the rest

/// A rod in a frame, as it is shown.
typedef struct SkinRod
{
    const twTraceRod* rod;
    const float *x0, *x, *d1;  ///< of the trace: the points in the first frame and in this one, the edges' directors
    const SkinFit* fit;        ///< how it travelled as a whole; NULL: not at all
    double exaggeration;
    double seam;  ///< see skin_rod_seam()
} SkinRod;
twVec3 skin_rod_point(const SkinRod* shown, int point);  ///< its vibration exaggerated
void skin_rod_joint(const SkinRod* shown, int point, twSkinJoint* out);

static inline twVec3 skin_vec3(const float* v) { return tw_vec3(v[0], v[1], v[2]); }

static inline void skin_put(float* out, twVec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}
