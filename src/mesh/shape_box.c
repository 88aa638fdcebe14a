// SPDX-License-Identifier: MIT
// Cuboids under five names, and the table: a plate on four square legs, flush with its corners.
//
// Lengths lie along x, y, z. Cuboids are centred on the origin; the table stands on z = 0 around the z axis.
#include "mesh/shape.h"

// ---- cuboids ----

static double least(const double* length) { return fmin(length[0], fmin(length[1], length[2])); }

static twVec3 place_box(int part, double u, double v, double w, const void* context)
{
    (void)part;
    const double* length = ((const twPlan*)context)->length;
    return tw_vec3((u - 0.5) * length[0], (v - 0.5) * length[1], (w - 0.5) * length[2]);
}

static void lay_box(twPlan* plan)
{
    // even, so that the mesh has the cuboid's symmetries; only a thickness unlike the other lengths may be odd
    twRow row[3];
    for (int d = 0; d < 3; d++)
    {
        const double a = plan->length[d], other = fmin(plan->length[(d + 1) % 3], plan->length[(d + 2) % 3]);
        const bool thin = a<other*(1 - 1e-9), wall = a> 1.5 * plan->thin;
        row[d] = tw_plan_row(plan, a, wall, wall, !thin);
    }
    plan->blocks.map = place_box;
    tw_blocks_add(&plan->blocks, 0, (int[]){row[0].cells, row[1].cells, row[2].cells}, (int[]){0, 0, 0});
    for (int d = 0; d < 3; d++) tw_blocks_grade(&plan->blocks, d, row[d].grade);
}

#define CUBOID(names, proper, b, c, l0, l1, l2)                                                                        \
    {                                                                                                                  \
        .name = names, .syntax = names ":LENGTHxWIDTHx" proper, .example = names ":" #l0 "x" #l1 "x" #l2, .needed = 3, \
        .count = 3, .length = {{"length", l0}, {b, l1}, {c, l2}}, .thickness = least, .lay = lay_box                   \
    }

const twShapeKind tw_shape_box = CUBOID("box", "HEIGHT", "width", "height", 0.1, 0.08, 0.06);
const twShapeKind tw_shape_bar = CUBOID("bar", "THICKNESS", "width", "thickness", 0.3048, 0.0254, 0.0127);
const twShapeKind tw_shape_plate = CUBOID("plate", "THICKNESS", "width", "thickness", 0.2, 0.2, 0.003);
const twShapeKind tw_shape_ruler = CUBOID("ruler", "THICKNESS", "width", "thickness", 0.3, 0.03, 0.001);
const twShapeKind tw_shape_slab = CUBOID("slab", "THICKNESS", "width", "thickness", 0.6, 0.4, 0.03);

// ---- table ----

enum
{
    LENGTH,
    WIDTH,
    HEIGHT,
    TOP,
    LEG
};

static void complete_table(double* p)
{
    if (isnan(p[TOP])) p[TOP] = 0.04 * fmin(p[HEIGHT], fmin(p[LENGTH], p[WIDTH]));
    if (isnan(p[LEG])) p[LEG] = 2 * p[TOP];
}

static const char* check_table(const double* p)
{
    if (!(p[TOP] < p[HEIGHT])) return "TOP, the thickness of the top, must be less than HEIGHT";
    if (!(2 * p[LEG] < fmin(p[LENGTH], p[WIDTH]))) return "LEG must be less than half of LENGTH and of WIDTH";
    return NULL;
}

static double table_thickness(const double* p) { return fmin(p[TOP], p[LEG]); }

// parts 0 to 8: the top, three by three; 9 to 12: legs under its corners
static twVec3 place_table(int part, double u, double v, double w, const void* context)
{
    const twPlan* plan = context;
    const int leg = part - 9;
    const int i = leg < 0 ? part % 3 : leg % 2 * 2, j = leg < 0 ? part / 3 : leg / 2 * 2, k = leg < 0;
    const double *x = plan->line[0] + i, *y = plan->line[1] + j, *z = plan->line[2] + k;
    return tw_vec3(x[0] + u * (x[1] - x[0]), y[0] + v * (y[1] - y[0]), z[0] + w * (z[1] - z[0]));
}

static void lay_table(twPlan* plan)
{
    const double* p = plan->length;
    int cells[2][3];
    for (int d = 0; d < 2; d++)
    {
        const double at[4] = {-0.5 * p[d], p[LEG] - 0.5 * p[d], 0.5 * p[d] - p[LEG], 0.5 * p[d]};
        for (int i = 0; i < 4; i++) plan->line[d][i] = at[i];
        for (int i = 0; i < 3; i++) cells[d][i] = tw_plan_even(plan, at[i + 1] - at[i]);
    }
    plan->line[2][0] = 0;
    plan->line[2][1] = p[HEIGHT] - p[TOP];
    plan->line[2][2] = p[HEIGHT];
    const int top = tw_plan_cells(plan, p[TOP]), legs = tw_plan_cells(plan, p[HEIGHT] - p[TOP]);

    // parity 0 where the legs meet the top
    plan->blocks.map = place_table;
    for (int k = 0; k < 9; k++)
        tw_blocks_add(&plan->blocks, k, (int[]){cells[0][k % 3], cells[1][k / 3], top}, (int[]){0, 0, 0});
    for (int k = 9; k < 13; k++)
        tw_blocks_add(&plan->blocks, k, (int[]){cells[0][0], cells[1][0], legs}, (int[]){0, 0, legs});
}

const twShapeKind tw_shape_table = {
    .name = "table",
    .syntax = "table:LENGTHxWIDTHxHEIGHT[xTOPxLEG]",
    .example = "table:1.2x0.7x0.74x0.03x0.06",
    .needed = 3,
    .count = 5,
    .length = {{"length", 1.2}, {"width", 0.7}, {"height", 0.74}, {"top", NAN}, {"leg", NAN}},
    .complete = complete_table,
    .check = check_table,
    .thickness = table_thickness,
    .lay = lay_table,
};
