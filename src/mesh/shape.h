// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/blocks.h"

/// @file
/// Shapes, from the inside: a kind is a table entry with a layout of blocks; a shape is a kind with its lengths.

enum
{
    TW_SHAPE_LENGTHS = 6,  ///< most lengths of a kind
    TW_SHAPE_LINES = 10    ///< most lines that cut one direction into blocks
};

typedef struct twShapeKind twShapeKind;

/// What a layout works with, and what its map reads.
typedef struct twPlan
{
    const double* length;  ///< of the shape, in the order of its kind [m]
    double edge;           ///< wanted size of cells [m], before
    int cuts;              ///< each is cut into so many
    double thin;           ///< smallest wall [m]
    int through;           ///< cells wanted across it
    int round;             ///< least cells around slender round shapes
    twDisc disc;
    double line[3][TW_SHAPE_LINES];  ///< where blocks begin and end along three directions
    twBlocks blocks;
} twPlan;

struct twShapeKind
{
    const char* name;
    const char* syntax;   ///< name:FIRSTxSECOND[xTHIRD]
    const char* example;  ///< lengths that are fine
    int needed, count;    ///< lengths to give at least, if any are given by order; and at most
    struct
    {
        const char* name;
        double standard;  ///< if it is not given; NAN: set by complete()
    } length[TW_SHAPE_LENGTHS];

    void (*complete)(double* length);            ///< set the lengths that are NAN from the others; or NULL
    const char* (*check)(const double* length);  ///< what is wrong with positive lengths, or NULL
    double (*thickness)(const double* length);   ///< smallest wall [m]
    void (*lay)(twPlan* plan);                   ///< add the blocks and their map
};

struct twShape
{
    const twShapeKind* kind;
    double length[TW_SHAPE_LENGTHS];
};

// the kinds, one entry per name
extern const twShapeKind tw_shape_box, tw_shape_bar, tw_shape_plate, tw_shape_ruler, tw_shape_slab, tw_shape_table;
extern const twShapeKind tw_shape_disc, tw_shape_cylinder, tw_shape_tube, tw_shape_ring, tw_shape_sphere;
extern const twShapeKind tw_shape_bowl, tw_shape_bell, tw_shape_mug, tw_shape_fork, tw_shape_chute, tw_shape_basket;

/// A shape's text with all its lengths times a factor. @return false if it does not fit
bool tw_shape_scaled(char* out, size_t bytes, const char* text, double factor);
const twShapeKind* tw_shape_kind(int index);  ///< NULL past the last

/// Cells along a length: at most an edge long, cut as often as wanted, and at least as many as wanted across the
/// thinnest wall if it is not much longer than that.
int tw_plan_cells(const twPlan* plan, double length);
int tw_plan_even(const twPlan* plan, double length);  ///< likewise, and even
/// Cells around a circle of the given radius: twice an odd number, so that pairs stay pairs (see twDisc).
int tw_plan_around(const twPlan* plan, double radius);

/// Cells along a length of a wall, with layers as thin as the cells across it at those ends that are free edges. Near an
/// edge, within about a thickness, stresses change as fast along the wall as across it.
typedef struct twRow
{
    int cells;
    twGrade grade;
} twRow;
twRow tw_plan_row(const twPlan* plan, double length, bool low_free, bool high_free, bool pairs);
twRow tw_plan_section(const twPlan* plan, double length, bool pairs);  ///< a side of a free section, thin or broad
/// Lay out plan->disc for a disc, cap or shell of revolution with a free rim: radius of its greatest circle, length of
/// its meridian.
void tw_plan_disc(twPlan* plan, double radius, double meridian);
