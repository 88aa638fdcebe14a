// SPDX-License-Identifier: MIT
#pragma once
#include "gauss.h"
#include "outline.h"

/// @file
/// An outline cut into panels, each with the nodes of Gauss's rule (internal).

/// z = centre + half t, t from -1 to 1; on an arc z = centre + radius exp(i (mid + turn t)).
typedef struct Panel
{
    int edge;
    double first, last;  ///< t where its edge begins and ends
    Point centre, half;
    double radius;  ///< 0: straight
    double mid, turn;
} Panel;

/// How finely an outline is cut.
typedef struct Fineness
{
    int order;         ///< nodes per panel
    double tolerance;  ///< aimed at, relative: it grades the panels towards the corners
    double clearance;  ///< longest panel in terms of its distance to corners of other edges
} Fineness;

typedef struct Panels
{
    Gauss gauss;
    int count, nodes;  ///< nodes = count * order
    Panel* panels;     ///< (count)
    Point* z;          ///< (nodes)
    Point* tangent;    ///< unit, counterclockwise (nodes)
    double* ds;        ///< length a node stands for (nodes)
    double* log_ds;    ///< the same for functions with logarithms where edges end (nodes)
} Panels;

int panels_count(const Outline* outline, Fineness fineness);
/// NULL without memory. One block, to be freed by free().
Panels* panels_create(const Outline* outline, Fineness fineness);
