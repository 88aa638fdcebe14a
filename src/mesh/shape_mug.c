// SPDX-License-Identifier: MIT
// A mug on z = 0 about the z axis: floor and wall of one thickness, and a handle towards +x. The handle is a band, BREADTH
// wide along y and HANDLE thick, along half an ellipse between two straight roots; it sticks out by REACH from the wall.
//
// The floor is a square core of three strips and eight sectors; the wall goes on from the sectors, cut along z so that
// the handle's two roots are whole block faces:
//
//     parts 0-2                    core, strips along y
//     3 + sector                   floor between core and wall
//     3 + sector + 8 (1 + layer)   wall; six layers, the lowest beside the floor
//     ROOTS, ROOTS + 1, + 2        handle: upper root, bow, lower root
#include "mesh/shape.h"

enum
{
    RADIUS,
    HEIGHT,
    WALL,
    REACH,
    HANDLE,
    BREADTH,

    SECTORS = 8,
    LAYERS = 6,
    SECTOR_LINE = 0,
    LAYER_LINE = 1,
    FLOOR = 3,
    SIDE = FLOOR + SECTORS,
    ROOTS = SIDE + SECTORS * LAYERS
};

static const double CORE = 0.4;                   // half side of the core, of the inner radius
static const double MIDDLE = 0.52, APART = 0.25;  // of the height: the handle's middle, its roots above and below
static const double ROOT = 0.2;                   // of the reach: length of a root

static void complete_mug(double* p)
{
    if (isnan(p[REACH])) p[REACH] = 0.75 * p[RADIUS];
    if (isnan(p[HANDLE])) p[HANDLE] = fmin(0.2 * p[RADIUS], 0.1 * p[HEIGHT]);
    if (isnan(p[BREADTH])) p[BREADTH] = 0.3 * p[RADIUS];
}

static const char* check_mug(const double* p)
{
    if (!(p[WALL] < 0.95 * p[RADIUS])) return "THICKNESS must be less than 0.95 of RADIUS";
    if (!(p[WALL] + 0.5 * p[HANDLE] < (MIDDLE - APART) * p[HEIGHT]))
        return "the handle's lower root, at 0.27 of HEIGHT, must lie above the floor: make THICKNESS or HANDLE smaller";
    if (!(p[HANDLE] < 0.4 * p[HEIGHT])) return "HANDLE, the handle's thickness, must be less than 0.4 of HEIGHT";
    if (!(p[HANDLE] < 0.75 * p[REACH])) return "HANDLE, the handle's thickness, must be less than 0.75 of REACH";
    if (!(p[BREADTH] <= 2 * p[REACH])) return "BREADTH, the handle's width, must be at most twice REACH";
    if (!(p[BREADTH] <= p[RADIUS])) return "BREADTH, the handle's width, must be at most RADIUS";
    return NULL;
}

static double mug_thickness(const double* p) { return fmin(p[WALL], fmin(p[HANDLE], p[BREADTH])); }

static double mix(double a, double b, double t) { return (1 - t) * a + t * b; }

// where the line between two sectors leaves the core
static twVec3 core_point(const twPlan* plan, int line)
{
    const double q = CORE * (plan->length[RADIUS] - plan->length[WALL]), strip = q * tan(plan->line[SECTOR_LINE][2]);
    const double y[SECTORS] = {-q, -strip, strip, q, q, strip, -strip, -q};
    return tw_vec3(line % SECTORS < 4 ? q : -q, y[line % SECTORS], 0);
}

static twVec3 place_floor(const twPlan* plan, int sector, double u, double v, double z)
{
    const double inner = plan->length[RADIUS] - plan->length[WALL];
    const double angle = mix(plan->line[SECTOR_LINE][sector], plan->line[SECTOR_LINE][sector + 1], v);
    const twVec3 a = core_point(plan, sector), b = core_point(plan, sector + 1);
    return tw_vec3(mix(mix(a.x, b.x, v), inner * cos(angle), u), mix(mix(a.y, b.y, v), inner * sin(angle), u), z);
}

// u along y, v from the handle's inner to its outer side, w along it from the upper root to the lower
static twVec3 place_handle(const twPlan* plan, int piece, double u, double v, double w)
{
    const double* p = plan->length;
    const double angle = mix(plan->line[SECTOR_LINE][1], plan->line[SECTOR_LINE][2], u), y = p[RADIUS] * sin(angle);
    const double x = p[RADIUS] + ROOT * p[REACH], z = MIDDLE * p[HEIGHT];
    const double a = (1 - ROOT) * p[REACH] - (1 - v) * p[HANDLE], b = APART * p[HEIGHT] + (v - 0.5) * p[HANDLE];
    if (piece == 1) return tw_vec3(x + a * sin(TW_PI * w), y, z + b * cos(TW_PI * w));
    if (piece == 0) return tw_vec3(mix(p[RADIUS] * cos(angle), x, w), y, z + b);
    return tw_vec3(mix(x, p[RADIUS] * cos(angle), w), y, z - b);
}

static twVec3 place_mug(int part, double u, double v, double w, const void* context)
{
    const twPlan* plan = context;
    const double* p = plan->length;
    if (part >= ROOTS) return place_handle(plan, part - ROOTS, u, v, w);
    if (part >= SIDE)
    {
        const int sector = (part - SIDE) % SECTORS, layer = (part - SIDE) / SECTORS;
        const double angle = mix(plan->line[SECTOR_LINE][sector], plan->line[SECTOR_LINE][sector + 1], v);
        const double r = p[RADIUS] - (1 - u) * p[WALL];
        return tw_vec3(r * cos(angle), r * sin(angle),
                       mix(plan->line[LAYER_LINE][layer], plan->line[LAYER_LINE][layer + 1], w));
    }
    if (part >= FLOOR) return place_floor(plan, part - FLOOR, u, v, w * p[WALL]);

    // strips of the core run from the sectors' lines 7, 6, 5 and 4 to 0, 1, 2 and 3
    const twVec3 a = core_point(plan, part), b = core_point(plan, part + 1);
    return tw_vec3(mix(-a.x, a.x, u), mix(a.y, b.y, v), w * p[WALL]);
}

static void draw_lines(twPlan* plan)
{
    const double* p = plan->length;
    const double half = asin(0.5 * p[BREADTH] / p[RADIUS]), corner = 0.25 * TW_PI;
    const double angles[SECTORS + 1] = {
        -corner, -half, half, corner, TW_PI - corner, TW_PI - half, TW_PI + half, TW_PI + corner, 2 * TW_PI - corner};
    for (int i = 0; i <= SECTORS; i++) plan->line[SECTOR_LINE][i] = angles[i];

    const double low = (MIDDLE - APART) * p[HEIGHT], high = (MIDDLE + APART) * p[HEIGHT], root = 0.5 * p[HANDLE];
    const double heights[LAYERS + 1] = {0, p[WALL], low - root, low + root, high - root, high + root, p[HEIGHT]};
    for (int i = 0; i <= LAYERS; i++) plan->line[LAYER_LINE][i] = heights[i];
}

static void lay_mug(twPlan* plan)
{
    draw_lines(plan);
    const double* p = plan->length;
    const double* angle = plan->line[SECTOR_LINE];
    const int beside = tw_plan_even(plan, p[RADIUS] * (angle[3] - angle[2])), strip = tw_plan_even(plan, p[BREADTH]);
    const int back = tw_plan_even(plan, 0.5 * TW_PI * p[RADIUS]);
    const int around[SECTORS] = {beside, strip, beside, back, beside, strip, beside, back};
    const int wall = tw_plan_cells(plan, p[WALL]), out = tw_plan_even(plan, (1 - 1.2 * CORE) * (p[RADIUS] - p[WALL]));

    // floor: everything begins at even parity and only the wall's thickness may be odd
    plan->blocks.map = place_mug;
    for (int k = 0; k < FLOOR; k++) tw_blocks_add(&plan->blocks, k, (int[]){back, around[k], wall}, (int[]){0, 0, 0});
    for (int k = 0; k < SECTORS; k++)
        tw_blocks_add(&plan->blocks, FLOOR + k, (int[]){out, around[k], wall}, (int[]){0, 0, 0});

    for (int layer = 0; layer < LAYERS; layer++)
    {
        const double height = plan->line[LAYER_LINE][layer + 1] - plan->line[LAYER_LINE][layer];
        const int parity = layer == 0 ? 0 : wall;
        twRow up = tw_plan_row(plan, height, false, layer == LAYERS - 1, true);
        if (layer == 0) up = (twRow){.cells = wall};
        for (int k = 0; k < SECTORS; k++)
        {
            tw_blocks_add(&plan->blocks, SIDE + layer * SECTORS + k, (int[]){wall, around[k], up.cells},
                          (int[]){0, 0, parity});
            tw_blocks_grade(&plan->blocks, 2, up.grade);
        }
    }

    const int thick = tw_plan_even(plan, p[HANDLE]), root = tw_plan_cells(plan, ROOT * p[REACH]);
    const double bow = TW_PI * sqrt(0.5 * (APART * APART * p[HEIGHT] * p[HEIGHT] + p[REACH] * p[REACH]));
    const int along[3] = {root, tw_plan_even(plan, bow), root}, from[3] = {wall, wall + root, wall + root};
    for (int k = 0; k < 3; k++)
        tw_blocks_add(&plan->blocks, ROOTS + k, (int[]){strip, thick, along[k]}, (int[]){0, wall, from[k]});
}

const twShapeKind tw_shape_mug = {
    .name = "mug",
    .syntax = "mug:RADIUSxHEIGHTxTHICKNESS[xREACHxHANDLExBREADTH]",
    .example = "mug:0.04x0.095x0.004x0.03x0.008x0.012",
    .needed = 3,
    .count = 6,
    .length =
        {{"radius", 0.04}, {"height", 0.095}, {"thickness", 0.004}, {"reach", NAN}, {"handle", NAN}, {"breadth", NAN}},
    .complete = complete_mug,
    .check = check_mug,
    .thickness = mug_thickness,
    .lay = lay_mug,
};
