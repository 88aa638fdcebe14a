// SPDX-License-Identifier: MIT
// body_board: what answers as an infinite board (docs/sound.md). A fixed body without modes is one if it is a plate of a material that floors
// and table tops are made of. The box that has its volume V and moments of inertia, I_x = m (y^2 + z^2)/12, has the sides x^2 = 6 (I_y + I_z - I_x)/m
// along the principal axes, however the body lies in its file; t is what the body measures along the shortest of them. Of a plate t is at most
// a part of the next side, and the box of the two longer sides and t is full of it: a disc fills 1.05 of that, a plate 1, a triangle 0.87, a bowl or
// a frame far less. Then m'' = m t/V. What has modes rings by them, and is no board: it would be heard twice.

#include "bodies.h"
#include <math.h>
#include <string.h>

#define PLATE_THIN 0.125  // thickness over the shorter side, at most: bending waves of a board, not of a block
#define PLATE_FULL 0.75  // volume over that of the box, at least: a square frame whose hole is a seventh of it has 0.75

double body_board_thickness(const char* material)
{
    static const struct
    {
        const char* material;
        double thickness;
    } boards[] = {{"wood", 0.022},         {"oak", 0.022},         {"spruce", 0.022},        {"rosewood", 0.022},
                  {"sitka-spruce", 0.022}, {"douglas-fir", 0.022}, {"longleaf-pine", 0.022}, {"mahogany", 0.022},
                  {"sugar-maple", 0.022},  {"red-oak", 0.022},     {"black-walnut", 0.022},  {"yellow-birch", 0.022},
                  {"mdf", 0.019},          {"glass", 0.006}};
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++)
        if (strcmp(boards[i].material, material) == 0) return boards[i].thickness;
    return 0;
}

// what points measure along a direction [m]
static double board_extent(const twModeSet* set, twVec3 along)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < set->vertex_count; i++)
    {
        const double at = tw_vec3_dot(set->vertices[i], along);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return high - low;
}

double body_board(const twBodies* b, int body, twVec3* normal)
{
    const twSceneBody* of = &b->scene->bodies[body];
    const twModeSet* set = b->made[of->shape].set;
    const twMaterial* material = &b->scene->shapes[of->shape].material;
    if (of->kind != TW_BODY_FIXED || set->mode_count > 0 || !(body_board_thickness(material->name) > 0)) return 0;
    double inertia[3], side[3];
    const twMat3 axes = tw_mat3_principal(set->mass.inertia, inertia);
    const double all = inertia[0] + inertia[1] + inertia[2];
    for (int k = 0; k < 3; k++) side[k] = sqrt(fmax(6 * (all - 2 * inertia[k]) / set->mass.mass, 0));
    int flat = side[1] < side[0] ? 1 : 0;
    if (side[2] < side[flat]) flat = 2;
    const double across = side[(flat + 1) % 3], along = side[(flat + 2) % 3], volume = set->mass.volume;
    const double thickness = board_extent(set, tw_mat3_row(axes, flat));
    *normal = tw_quat_rotate(of->motion.turn, tw_mat3_row(axes, flat));
    const bool plate =
        thickness <= PLATE_THIN * fmin(across, along) && volume >= PLATE_FULL * thickness * across * along;
    return plate ? set->mass.mass * thickness / volume : 0;
}
