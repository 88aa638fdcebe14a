// SPDX-License-Identifier: MIT
// Bodies around an axis: disc and cylinder (solid, about z), tube (about x), ring (about z), sphere; all centred on the
// origin. The ball is the icosahedron's twenty tets from the centre, each cut into four hexahedra, blown up to the sphere:
// it has the icosahedron's symmetries, which keep the groups of 3 and 5 equal frequencies of degree 1 and 2 together.
#include "mesh/shape.h"

// ---- disc and cylinder: radius, height ----

static twVec3 place_cylinder(int part, double u, double v, double w, const void* context)
{
    const twPlan* plan = context;
    twVec3 p = tw_disc_point(&plan->disc, part, u, v);
    return tw_vec3(plan->length[0] * p.x, plan->length[0] * p.y, (w - 0.5) * plan->length[1]);
}

static double cylinder_thickness(const double* p) { return fmin(2 * p[0], p[1]); }

static void lay_cylinder(twPlan* plan)
{
    const double radius = plan->length[0], height = plan->length[1];
    const bool flat = height <= radius;
    if (flat)
        tw_plan_disc(plan, radius, radius);
    else
        plan->disc = tw_disc(radius, radius, fmin(plan->edge, 2 * TW_PI * radius / fmax(plan->round, 1)));
    if (!flat) plan->disc.inner *= plan->cuts, plan->disc.outer *= plan->cuts;

    // across the diameter lie two kites' sides and two sectors
    const int wanted = tw_plan_cells(plan, 2 * radius);
    if (!flat && 4 * plan->disc.inner < wanted) plan->disc.inner = (wanted + 3) / 4;
    if (!flat && 4 * plan->disc.outer < wanted) plan->disc.outer = (wanted + 3) / 4;
    plan->blocks.map = place_cylinder;
    tw_disc_add(&plan->disc, &plan->blocks, flat ? tw_plan_cells(plan, height) : tw_plan_even(plan, height), 0);
}

const twShapeKind tw_shape_disc = {
    .name = "disc",
    .syntax = "disc:RADIUSxTHICKNESS",
    .example = "disc:0.1x0.003",
    .needed = 2,
    .count = 2,
    .length = {{"radius", 0.1}, {"thickness", 0.003}},
    .thickness = cylinder_thickness,
    .lay = lay_cylinder,
};

const twShapeKind tw_shape_cylinder = {
    .name = "cylinder",
    .syntax = "cylinder:RADIUSxHEIGHT",
    .example = "cylinder:0.02x0.1",
    .needed = 2,
    .count = 2,
    .length = {{"radius", 0.02}, {"height", 0.1}},
    .thickness = cylinder_thickness,
    .lay = lay_cylinder,
};

// ---- tube: length, outer and inner radius ----

static const char* check_tube(const double* p)
{
    return p[2] < p[1] ? NULL : "INNER_RADIUS must be less than OUTER_RADIUS";
}

static double tube_thickness(const double* p) { return fmin(p[0], p[1] - p[2]); }

static twVec3 place_tube(int part, double u, double v, double w, const void* context)
{
    (void)part;
    const double* p = ((const twPlan*)context)->length;
    const double r = p[2] + u * (p[1] - p[2]), angle = 2 * TW_PI * v;
    return tw_vec3((w - 0.5) * p[0], r * cos(angle), r * sin(angle));
}

static void lay_tube(twPlan* plan)
{
    const double* p = plan->length;
    const int wall = tw_plan_cells(plan, p[1] - p[2]), around = tw_plan_around(plan, p[1]);
    const twRow along = tw_plan_row(plan, p[0], true, true, true);
    plan->blocks.map = place_tube;
    tw_blocks_add(&plan->blocks, 0, (int[]){wall, around, along.cells}, (int[]){0, 0, 0});
    tw_blocks_grade(&plan->blocks, 2, along.grade);
}

const twShapeKind tw_shape_tube = {
    .name = "tube",
    .syntax = "tube:LENGTHxOUTER_RADIUSxINNER_RADIUS",
    .example = "tube:0.3x0.01x0.008",
    .needed = 3,
    .count = 3,
    .length = {{"length", 0.3}, {"outer_radius", 0.01}, {"inner_radius", 0.008}},
    .check = check_tube,
    .thickness = tube_thickness,
    .lay = lay_tube,
};

// ---- ring: mean radius, width along the axis, thickness along the radius ----

static const char* check_ring(const double* p)
{
    return p[2] < 2 * p[0] ? NULL : "THICKNESS, along the radius, must be less than twice RADIUS, the mean radius";
}

static double ring_thickness(const double* p) { return fmin(p[1], p[2]); }

static twVec3 place_ring(int part, double u, double v, double w, const void* context)
{
    (void)part;
    const double* p = ((const twPlan*)context)->length;
    const double r = p[0] + (u - 0.5) * p[2], angle = 2 * TW_PI * v;
    return tw_vec3(r * cos(angle), r * sin(angle), (w - 0.5) * p[1]);
}

static void lay_ring(twPlan* plan)
{
    const double* p = plan->length;
    const int around = tw_plan_around(plan, p[0] + 0.5 * p[2]);
    const twRow wall = tw_plan_section(plan, p[2], false), wide = tw_plan_section(plan, p[1], false);
    plan->blocks.map = place_ring;
    tw_blocks_add(&plan->blocks, 0, (int[]){wall.cells, around, wide.cells}, (int[]){0, 0, 0});
    tw_blocks_grade(&plan->blocks, 0, wall.grade);
    tw_blocks_grade(&plan->blocks, 2, wide.grade);
}

const twShapeKind tw_shape_ring = {
    .name = "ring",
    .syntax = "ring:RADIUSxWIDTHxTHICKNESS",
    .example = "ring:0.05x0.01x0.004",
    .needed = 3,
    .count = 3,
    .length = {{"radius", 0.05}, {"width", 0.01}, {"thickness", 0.004}},
    .check = check_ring,
    .thickness = ring_thickness,
    .lay = lay_ring,
};

// ---- sphere: radius ----

static const int triangles[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};

// corner of the icosahedron in the unit sphere: (0, +-1, +-g) and its cyclic permutations, scaled
static twVec3 icosahedron(int k)
{
    const double g = 0.5 * (1 + sqrt(5)), scale = 1 / sqrt(1 + g * g);
    const double a = scale * (k % 2 ? 1 : -1), b = scale * g * (k % 4 < 2 ? 1 : -1);
    if (k < 4) return tw_vec3(a, b, 0);
    if (k < 8) return tw_vec3(0, a, b);
    return tw_vec3(k < 10 ? scale * g : -scale * g, 0, a);
}

// barycentric coordinates in a tet of the point (u, v, w) of the hexahedron at its corner `at`: trilinear between that
// corner, the middles of its edges, the centres of its faces and the centre of the tet
static void hexahedron(double b[4], int at, double u, double v, double w)
{
    static const int even[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    for (int k = 0; k < 4; k++) b[k] = 0;
    for (int corner = 0; corner < 8; corner++)
    {
        const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        const double share = (i ? u : 1 - u) * (j ? v : 1 - v) * (k ? w : 1 - w) / (1 + i + j + k);
        b[even[at][0]] += share;
        if (i) b[even[at][1]] += share;
        if (j) b[even[at][2]] += share;
        if (k) b[even[at][3]] += share;
    }
}

static twVec3 place_sphere(int part, double u, double v, double w, const void* context)
{
    double b[4];
    hexahedron(b, part % 4, u, v, w);
    twVec3 flat = tw_vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) flat = tw_vec3_add_scaled(flat, icosahedron(triangles[part / 4][k]), b[k + 1]);

    // flat at the centre, round at the surface
    const double s = b[1] + b[2] + b[3], radius = ((const twPlan*)context)->length[0];
    const double round = s > 0 ? s / tw_vec3_norm(flat) : 1;
    return tw_vec3_scale(flat, radius * ((1 - s) + s * round));
}

static double sphere_thickness(const double* p) { return 2 * p[0]; }

static void lay_sphere(twPlan* plan)
{
    // a side of the icosahedron spans 1.107 of the radius, in two hexahedra; the diameter spans four
    int cells = tw_cells(0.554 * plan->length[0], plan->edge, 1) * plan->cuts;
    if (4 * cells < plan->through) cells = (plan->through + 3) / 4;
    plan->blocks.map = place_sphere;
    for (int k = 0; k < 80; k++) tw_blocks_add(&plan->blocks, k, (int[]){cells, cells, cells}, (int[]){0, 0, 0});
}

const twShapeKind tw_shape_sphere = {
    .name = "sphere",
    .syntax = "sphere:RADIUS",
    .example = "sphere:0.045",
    .needed = 1,
    .count = 1,
    .length = {{"radius", 0.045}},
    .thickness = sphere_thickness,
    .lay = lay_sphere,
};
