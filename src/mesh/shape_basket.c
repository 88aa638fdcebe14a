// SPDX-License-Identifier: MIT
// A basket of wires, open at the top: square wires along the edges of a lattice of boxes, in its floor and its four walls. Lengths lie
// along x, y, z; it stands on z = 0 around the z axis. A joint, where wires cross, is a cube; a piece of wire goes from joint to joint.
#include "mesh/shape.h"

enum
{
    LENGTH,
    WIDTH,
    HEIGHT,
    WIRE,
    MESH
};

static void complete_basket(double* p)
{
    if (isnan(p[MESH])) p[MESH] = fmin(p[HEIGHT], fmin(p[LENGTH], p[WIDTH])) / 3;
}

// meshes along a side: as near to the size wanted as there are whole ones
static int meshes(const double* p, int d)
{
    const double n = floor((p[d] - p[WIRE]) / p[MESH] + 0.5);
    return n < 1 ? 1 : n > TW_MAX_BLOCKS ? TW_MAX_BLOCKS : (int)n;
}

static double pitch(const double* p, int d) { return (p[d] - p[WIRE]) / meshes(p, d); }

static bool is_joint(const int n[3], const int at[3])
{
    for (int d = 0; d < 3; d++)
        if (at[d] < 0 || at[d] > n[d]) return false;
    return at[2] == 0 || at[0] % n[0] == 0 || at[1] % n[1] == 0;
}

// whether a wire goes on from a joint along d: in the floor, or in a wall
static bool is_wire(const int n[3], const int at[3], int d)
{
    int next[3] = {at[0], at[1], at[2]};
    next[d]++;
    if (!is_joint(n, at) || !is_joint(n, next)) return false;
    return d == 2 || at[2] == 0 || at[1 - d] % n[1 - d] == 0;
}

static double count_blocks(const int n[3])
{
    const double around = 2.0 * (n[0] + n[1]), floor_joints = (n[0] + 1.0) * (n[1] + 1.0);
    const double floor_wires = n[0] * (n[1] + 1.0) + n[1] * (n[0] + 1.0);
    return floor_joints + floor_wires + n[2] * 3 * around;
}

static const char* check_basket(const double* p)
{
    const int n[3] = {meshes(p, 0), meshes(p, 1), meshes(p, 2)};
    for (int d = 0; d < 3; d++)
        if (!(pitch(p, d) > 1.5 * p[WIRE]))
            return "MESH, from wire to wire, must be more than 1.5 WIRE, and the basket as large";
    return count_blocks(n) <= TW_MAX_BLOCKS ? NULL
                                            : "it has more than 1024 joints and pieces of wire: make MESH greater";
}

static double basket_thickness(const double* p) { return p[WIRE]; }

static twVec3 place_basket(int part, double u, double v, double w, const void* context)
{
    const double* p = ((const twPlan*)context)->length;
    const double t[3] = {u, v, w};
    const int n[3] = {meshes(p, 0), meshes(p, 1), meshes(p, 2)}, kind = part % 4, joint = part / 4;
    const int at[3] = {joint % (n[0] + 1), joint / (n[0] + 1) % (n[1] + 1), joint / (n[0] + 1) / (n[1] + 1)};
    double x[3];
    for (int d = 0; d < 3; d++)
    {
        const double gap = pitch(p, d) - p[WIRE], low = at[d] * pitch(p, d) - (d < 2 ? 0.5 * p[d] : 0);
        x[d] = kind == d + 1 ? low + p[WIRE] + t[d] * gap : low + t[d] * p[WIRE];
    }
    return tw_vec3(x[0], x[1], x[2]);
}

static void lay_basket(twPlan* plan)
{
    const double* p = plan->length;
    const int n[3] = {meshes(p, 0), meshes(p, 1), meshes(p, 2)}, across = tw_plan_cells(plan, p[WIRE]);
    int along[3];
    for (int d = 0; d < 3; d++)
    {
        // an even number from joint to joint, so that all of these begin alike
        along[d] = tw_plan_cells(plan, pitch(p, d) - p[WIRE]);
        along[d] += (along[d] + across) % 2;
    }
    plan->blocks.map = place_basket;
    for (int joint = 0; joint < (n[0] + 1) * (n[1] + 1) * (n[2] + 1); joint++)
    {
        const int at[3] = {joint % (n[0] + 1), joint / (n[0] + 1) % (n[1] + 1), joint / (n[0] + 1) / (n[1] + 1)};
        if (!is_joint(n, at)) continue;
        tw_blocks_add(&plan->blocks, 4 * joint, (int[]){across, across, across}, (int[]){0, 0, 0});
        for (int d = 0; d < 3; d++)
        {
            int cells[3] = {across, across, across}, parity[3] = {0, 0, 0};
            if (!is_wire(n, at, d)) continue;
            cells[d] = along[d];
            parity[d] = across;
            tw_blocks_add(&plan->blocks, 4 * joint + 1 + d, cells, parity);
        }
    }
}

const twShapeKind tw_shape_basket = {
    .name = "basket",
    .syntax = "basket:LENGTHxWIDTHxHEIGHTxWIRE[xMESH]",
    .example = "basket:0.3x0.2x0.15x0.004x0.05",
    .needed = 4,
    .count = 5,
    .length = {{"length", 0.3}, {"width", 0.2}, {"height", 0.15}, {"wire", 0.004}, {"mesh", NAN}},
    .complete = complete_basket,
    .check = check_basket,
    .thickness = basket_thickness,
    .lay = lay_basket,
};
