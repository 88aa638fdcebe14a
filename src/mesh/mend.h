// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/edges.h"

/// @file
/// The steps of mending and checking, each in its own file. They expect valid indices and finite coordinates unless said
/// otherwise, and report trouble with memory only.

enum
{
    TW_CROSSINGS_MAX = 1000  ///< self-intersections are counted up to here
};

/// Coordinates are finite and so small that volumes do not overflow.
static inline bool tw_is_place(twVec3 p) { return fabs(p.x) < 1e100 && fabs(p.y) < 1e100 && fabs(p.z) < 1e100; }

/// Box around the good coordinates; false if there are none.
bool tw_mesh_box(const twMesh* mesh, twVec3* low, twVec3* high);

/// For every vertex the first one that is nearer than distance (0: equal), itself if there is none. Bad coordinates are
/// left alone. @return how many have another, -1 without memory
int tw_merge_vertices(int* first_of, const twMesh* mesh, double distance);

/// Whether a triangle has no area, as far as its coordinates can tell: its height over the longest side is below 1e-12 of
/// that, or below the rounding of coordinates as large as reach.
bool tw_is_sliver(const twMesh* mesh, twTriangle face, double reach);
/// Take out triangles without area whose three vertices differ: where one lies on the side of a neighbour, the neighbour is
/// split there, so that no gap opens. The rest is dropped. regions follow.
twStatus tw_remove_slivers(twMesh* mesh, int* removed, twError* err);

/// Close cracks: join vertices of edges of one face that are near to each other, split faces at vertices on such edges.
/// regions follow. Vertices that were joined stay behind without faces; faces may be left with repeated vertices.
twStatus tw_stitch_cracks(twMesh* mesh, int* joined, int* split, twError* err);

/// Drop faces on the same three vertices but one; both of a pair back to back that is a wall or fin inside other faces.
twStatus tw_remove_duplicates(twMesh* mesh, int* removed, twError* err);

/// Turn faces to agree with their neighbours and to face outward, or inward as the wall of a cavity.
twStatus tw_orient_faces(twMesh* mesh, int* flipped, int* cavities, twError* err);
/// Drop the pieces that lie inside others: the walls of cavities and what is in them. Vertices stay.
twStatus tw_mesh_keep_outer(twMesh* mesh, twError* err);

/// Pairs of faces that cross, up to TW_CROSSINGS_MAX; *more: the search ended early. @return -1 without memory
int tw_count_crossings(const twMesh* mesh, bool* more);

/// Fill the part of a report that says how the surface is: from components on.
twStatus tw_check_topology(twMeshReport* report, const twMesh* mesh, twError* err);
/// Mend without looking at the topology: fill the part of a report that says what was done.
twStatus tw_mend_faces(twMesh* mesh, double tolerance, twMeshReport* report, twError* err);
/// Drop the faces that keep[f] is 0 for; regions follow.
void tw_mesh_keep_faces(twMesh* mesh, const unsigned char* keep);
