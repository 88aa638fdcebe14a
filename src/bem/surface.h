// SPDX-License-Identifier: MIT
#pragma once
#include "bem/bem.h"

/// @file
/// From a mesh to panels (internal).

/// Whether a mesh is closed, outward and finite.
twStatus bem_check_surface(const twMesh* mesh, twError* err);
/// A sphere that holds the mesh, nearly the smallest. @return radius
double bem_find_sphere(const twMesh* mesh, twVec3* centre);
twStatus bem_check_sphere(const twMesh* mesh, twVec3 centre, double radius, twError* err);
/// A face in units of the sphere.
Panel bem_panel(const twMesh* mesh, int face, twVec3 centre, double radius);
enum
{
    BEM_FAR_ARRAYS = 3 * BEM_POINTS + 4
};
/// block: (BEM_FAR_ARRAYS x stride)
void bem_fill_far(BemFar* far, float* block, int stride, const Panel* panels, int count);
