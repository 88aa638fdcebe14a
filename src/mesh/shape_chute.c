// SPDX-License-Identifier: MIT
// A chute: half a tube, open upwards, that balls run down. Its middle line, on which their centres would lie if they filled it,
// goes around the z axis to the left with the radius BEND, or straight on along x, and down by DROP evenly:
//
//     angle = s/BEND, s from 0 to LENGTH;   (BEND + b) (sin, -cos)(angle), z = c - DROP s/LENGTH
//
// with (b, c) in the half ring of radii RADIUS to RADIUS + THICKNESS below z = 0. Bent, it begins below (0, -BEND, 0), toward +x;
// straight, at the origin. Bending keeps the volume, as the half ring's centre is on the line, and so does shearing down:
// (pi/2) (2 RADIUS THICKNESS + THICKNESS^2) LENGTH.
#include "mesh/shape.h"

enum
{
    LENGTH,
    RADIUS,
    THICKNESS,
    BEND,
    DROP
};

static const double ROUND = 2;  // cells in a radian, at least

// what is not given is 0
static void complete_chute(double* p)
{
    if (isnan(p[BEND])) p[BEND] = 0;
    if (isnan(p[DROP])) p[DROP] = 0;
}

static bool is_straight(const double* p) { return !(p[BEND] > 0); }

static const char* check_chute(const double* p)
{
    const double outer = p[RADIUS] + p[THICKNESS];
    if (is_straight(p)) return NULL;
    const double angle = p[LENGTH] / p[BEND];
    if (!(outer < p[BEND])) return "RADIUS and THICKNESS together must be less than BEND";
    if (angle > 2 * TW_PI && !(p[DROP] * 2 * TW_PI > angle * outer))
        return "more than a turn must drop by more than RADIUS and THICKNESS in each";
    return NULL;
}

static double chute_thickness(const double* p) { return p[THICKNESS]; }

static twVec3 place_chute(int part, double u, double v, double w, const void* context)
{
    (void)part;
    const double* p = ((const twPlan*)context)->length;
    const double r = p[RADIUS] + (1 - w) * p[THICKNESS], turn = TW_PI * (v - 1);
    const double b = -r * cos(turn), z = r * sin(turn) - p[DROP] * u;
    if (is_straight(p)) return tw_vec3(u * p[LENGTH], -b, z);
    const double angle = u * p[LENGTH] / p[BEND];
    return tw_vec3((p[BEND] + b) * sin(angle), -(p[BEND] + b) * cos(angle), z);
}

// no fewer cells than wanted, so that it is round; then even ones
static twRow at_least(twRow row, double wanted)
{
    const int n = (int)ceil(wanted);
    return row.cells >= n ? row : (twRow){.cells = n + n % 2};
}

static void lay_chute(twPlan* plan)
{
    const double* p = plan->length;
    const double turn = is_straight(p) ? 0 : p[LENGTH] / p[BEND];
    const twRow around = at_least(tw_plan_row(plan, TW_PI * p[RADIUS], true, true, true),
                                  fmax(ROUND * TW_PI * plan->cuts, 0.5 * plan->round));
    const twRow along = at_least(tw_plan_row(plan, p[LENGTH], true, true, true), ROUND * turn * plan->cuts);
    plan->blocks.map = place_chute;
    tw_blocks_add(&plan->blocks, 0, (int[]){along.cells, around.cells, tw_plan_cells(plan, p[THICKNESS])},
                  (int[]){0, 0, 0});
    tw_blocks_grade(&plan->blocks, 0, along.grade);
    tw_blocks_grade(&plan->blocks, 1, around.grade);
}

const twShapeKind tw_shape_chute = {
    .name = "chute",
    .syntax = "chute:LENGTHxRADIUSxTHICKNESS[xBENDxDROP]",
    .example = "chute:0.47x0.012x0.003x0.15x0.05",
    .needed = 3,
    .count = 5,
    .length = {{"length", 0.47}, {"radius", 0.012}, {"thickness", 0.003}, {"bend", NAN}, {"drop", NAN}},
    .complete = complete_chute,
    .check = check_chute,
    .thickness = chute_thickness,
    .lay = lay_chute,
};
