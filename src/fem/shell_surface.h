// SPDX-License-Identifier: MIT
#pragma once
#include "twang/shell.h"

// where a vertex of the given surface is on the one that is solved: its displacement is the sum of
// weight (u + theta x arm) over three vertices
typedef struct ShellPlace
{
    int vertex[3];
    double weight[3];
    twVec3 arm[3];  // [m]
} ShellPlace;

// the middle surface of one round
typedef struct ShellSurface
{
    twMesh* mesh;
    bool* held;  // (vertices); NULL: none
} ShellSurface;

// The middle surface of a def, so far inside of the given one [m], with at most about so many
// faces, and the place of each vertex of def->surface on it (free() it). On failure nothing is
// left.
twStatus shell_surface_create(ShellSurface* out, ShellPlace** places, const twShellDef* def, double inset,
                              int max_faces, twError* err);
void shell_surface_destroy(ShellSurface* surface);

// Move a closed surface inward by this [m]: every face in parallel, as far as those around a vertex allow.
twStatus shell_surface_inset(twMesh* mesh, double distance, twError* err);

// Divide all edges longer than this [m], and those of marked faces (may be NULL), at their middles,
// and the triangles with them; vertices keep their numbers. The new vertices lie on the curved
// surface that the old ones suggest. surface is replaced; on failure it stays.
twStatus shell_surface_refine(ShellSurface* surface, double longest, const bool* marked, twError* err);

twMassProperties shell_surface_mass(const twMesh* mesh, double thickness, const twMaterial* materials);

// weights of the corners of a triangle at the point of its plane nearest to p
void shell_barycentric(double weight[3], const twVec3 x[3], twVec3 p);
