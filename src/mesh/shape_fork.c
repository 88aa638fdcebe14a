// SPDX-License-Identifier: MIT
// A tuning fork: two straight prongs along z, joined by half a circular bend around the y axis, with a stem below. The
// section of the prongs and the bend is THICKNESS (in the plane of the bend, x z, in which the prongs sway) by WIDTH (y).
// PRONG is the length of the straight part, from z = 0 up; GAP the room between the prongs; STEM the length of the stem
// below the bend, STEM_WIDTH its width along x; along y it is as wide as the prongs.
#include "mesh/shape.h"

enum
{
    PRONG,
    WIDTH,
    THICKNESS,
    GAP,
    STEM,
    STEM_WIDTH,

    // parts, along the fork from the tip of the left prong
    LEFT = 0,
    BEND,  // left, middle, right
    RIGHT = BEND + 3,
    BOTTOM
};

static double outer_radius(const double* p) { return 0.5 * p[GAP] + p[THICKNESS]; }

static void complete_fork(double* p)
{
    if (isnan(p[GAP])) p[GAP] = 2 * p[THICKNESS];
    if (isnan(p[STEM_WIDTH])) p[STEM_WIDTH] = fmin(p[THICKNESS], outer_radius(p));
    if (isnan(p[STEM])) p[STEM] = fmax(0.4 * p[PRONG], p[STEM_WIDTH]);
}

static const char* check_fork(const double* p)
{
    if (!(p[STEM_WIDTH] <= 1.5 * outer_radius(p)))
        return "STEM_WIDTH must be at most 1.5 times the bend's outer radius, GAP / 2 + THICKNESS";
    if (!(p[STEM] >= 0.5 * p[STEM_WIDTH])) return "STEM must be at least half of STEM_WIDTH";
    return NULL;
}

static double fork_thickness(const double* p) { return fmin(p[THICKNESS], fmin(p[WIDTH], p[STEM_WIDTH])); }

// u along the fork, v along y, w from the outer to the inner side
static twVec3 place_fork(int part, double u, double v, double w, const void* context)
{
    const twPlan* plan = context;
    const double* p = plan->length;
    const double outer = outer_radius(p), r = outer - w * p[THICKNESS], y = (v - 0.5) * p[WIDTH];
    if (part == LEFT) return tw_vec3(-r, y, (1 - u) * p[PRONG]);
    if (part == RIGHT) return tw_vec3(r, y, u * p[PRONG]);

    // the stem is under the middle part of the bend; there w runs up
    const int piece = part == BOTTOM ? 1 : part - BEND;
    const double* line = plan->line[0];
    const double angle = line[piece] + u * (line[piece + 1] - line[piece]);
    if (part == BOTTOM) return tw_vec3(outer * sin(angle), y, -w * outer * cos(angle) - (1 - w) * (outer + p[STEM]));
    return tw_vec3(r * sin(angle), y, -r * cos(angle));
}

static void lay_fork(twPlan* plan)
{
    const double* p = plan->length;
    const double half = asin(0.5 * p[STEM_WIDTH] / outer_radius(p));
    const double line[4] = {-0.5 * TW_PI, -half, half, 0.5 * TW_PI};
    for (int i = 0; i < 4; i++) plan->line[0][i] = line[i];

    const int thick = tw_plan_cells(plan, p[THICKNESS]), wide = tw_plan_even(plan, p[WIDTH]);
    const int prong = tw_plan_cells(plan, p[PRONG]), stem = tw_plan_cells(plan, p[STEM]);
    const int bend = tw_plan_even(plan, (0.5 * TW_PI - half) * outer_radius(p)),
              foot = tw_plan_even(plan, p[STEM_WIDTH]);

    // even parity where parts meet, so the tips may have any
    plan->blocks.map = place_fork;
    tw_blocks_add(&plan->blocks, LEFT, (int[]){prong, wide, thick}, (int[]){prong, 0, 0});
    for (int k = 0; k < 3; k++)
        tw_blocks_add(&plan->blocks, BEND + k, (int[]){k == 1 ? foot : bend, wide, thick}, (int[]){0, 0, 0});
    tw_blocks_add(&plan->blocks, RIGHT, (int[]){prong, wide, thick}, (int[]){0, 0, 0});
    tw_blocks_add(&plan->blocks, BOTTOM, (int[]){foot, wide, stem}, (int[]){0, 0, stem});
}

const twShapeKind tw_shape_fork = {
    .name = "fork",
    .syntax = "fork:PRONGxWIDTHxTHICKNESS[xGAPxSTEMxSTEM_WIDTH]",
    .example = "fork:0.0772x0.006x0.004x0.008x0.031x0.004",
    .needed = 3,
    .count = 6,
    .length =
        {{"prong", 0.0772}, {"width", 0.006}, {"thickness", 0.004}, {"gap", NAN}, {"stem", NAN}, {"stem_width", NAN}},
    .complete = complete_fork,
    .check = check_fork,
    .thickness = fork_thickness,
    .lay = lay_fork,
};
