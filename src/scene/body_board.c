// SPDX-License-Identifier: MIT
// body_board: what answers as an infinite board (docs/sound.md). A fixed body without modes is one if it is a plate of a material that floors
// and table tops are made of. Its box, along the axes of its shape, has the sides a >= b >= t; of a plate t is at most a part of b, and it
// fills its box but for corners. Then m'' = mass/(a b). What has modes rings by them, and is no board: it would be heard twice.

#include "bodies.h"
#include <math.h>
#include <string.h>

#define PLATE_THIN 0.125  // thickness over the shorter side, at most: bending waves of a board, not of a block
#define PLATE_FULL 0.75   // volume over that of the box, at least: a disc has 0.785

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

double body_board(const twBodies* b, int body)
{
    const twSceneBody* of = &b->scene->bodies[body];
    const twModeSet* set = b->made[of->shape].set;
    const twMaterial* material = &b->scene->shapes[of->shape].material;
    if (of->kind != TW_BODY_FIXED || set->mode_count > 0 || !(body_board_thickness(material->name) > 0)) return 0;
    const twVec3 sides = body_sides(set->vertices, set->vertex_count);
    const double box = sides.x * sides.y * sides.z, thickness = fmin(sides.x, fmin(sides.y, sides.z)),
                 shorter = box / (thickness * tw_vec3_max(sides));
    const bool plate = thickness <= PLATE_THIN * shorter && set->mass.mass >= PLATE_FULL * material->density * box;
    return plate ? set->mass.mass * thickness / box : 0;
}
