// SPDX-License-Identifier: MIT
#pragma once
#include "twang/section.h"
#include <complex.h>

/// @file
/// The outline of a section: straight edges and quarter arcs, counterclockwise; a point x + i y is a complex number
/// (internal).

typedef double complex Point;

/// From start to end; on a circle about centre if radius > 0, else straight.
typedef struct Edge
{
    Point start, end;
    Point centre;
    double radius;
    double from, sweep;  ///< angle at the start, angle passed over (> 0) [rad]
} Edge;

typedef struct Outline
{
    int count;
    Edge edges[TW_MAX_SECTION_POINTS + 8];
} Outline;

/// Area, centroid and second moments about it.
typedef struct Moments
{
    double area;
    Point centroid;
    double xx, yy, xy;  ///< integrals of x^2, y^2, x y
} Moments;

/// A polygon, counterclockwise, without repeated and straight-through points; checked.
twStatus outline_polygon(Outline* out, const double* points, int count, twError* err);
/// A rectangle with round corners; edges that would have no length are left out.
void outline_rounded(Outline* out, double width, double height, double corner_radius);

Moments outline_moments(const Outline* outline);
/// Move the centroid to the origin, turn the principal axes to x and y, divide by scale. @return angle of axis 1 [rad]
double outline_normalize(Outline* outline, const Moments* moments, double scale);
/// Half the extent along x and y.
void outline_half_size(const Outline* outline, double half_size[2]);
