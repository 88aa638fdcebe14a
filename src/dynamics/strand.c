// SPDX-License-Identifier: MIT
// What a rod is to collision detection: from the sections of its def. Edges have the mean of the sections at their ends.
#include "dynamics/strand.h"
#include <stdlib.h>

static const twSection* section_of(const twRodDef* def, int point)
{
    return &def->sections[def->section_count > 1 ? point : 0];
}

// circles have one fibre; sections that are all twice as wide as thick, the same way, two; else four
static int fibres_of(const twRodDef* def, bool* turned)
{
    bool round = true, wide[2] = {true, true};
    for (int i = 0; i < def->section_count; i++)
    {
        const twSection* s = &def->sections[i];
        round = round && s->radius > 0;
        wide[0] = wide[0] && s->half_size[0] >= 2 * s->half_size[1];
        wide[1] = wide[1] && s->half_size[1] >= 2 * s->half_size[0];
    }
    *turned = !round && wide[1];
    return round ? 1 : wide[0] || wide[1] ? 2 : STRAND_FIBRES;
}

static void set_edge(StrandShape* shape, int e, const twSection* a, const twSection* b, bool turned)
{
    const int first = turned ? 1 : 0;
    double half[2];
    for (int k = 0; k < 2; k++) half[k] = 0.5 * (a->half_size[k ^ first] + b->half_size[k ^ first]);
    const double thin = fmin(half[0], half[1]);
    shape->angle[e] = 0.5 * (a->angle + b->angle) + (turned ? 0.5 * TW_PI : 0);
    shape->radius[e] = shape->fibre_count == 1   ? 0.5 * (a->radius + b->radius)
                       : shape->fibre_count == 2 ? half[1]
                                                 : 0.25 * thin;
    for (int k = 0; k < 2; k++)
        shape->core[k][e] =
            shape->fibre_count == 1 || (shape->fibre_count == 2 && k == 1) ? 0 : half[k] - shape->radius[e];
    shape->thinnest = fmin(shape->thinnest, 2 * (shape->fibre_count == 1 ? shape->radius[e] : thin));
}

StrandShape* strand_shape_create(const twRodDef* def)
{
    const int edges = def->closed ? def->point_count : def->point_count - 1;
    StrandShape* shape = calloc(1, sizeof *shape);
    double* block = calloc((size_t)edges * 5 + 1, sizeof *block);
    if (!shape || !block)
    {
        free(shape);
        free(block);
        return NULL;
    }
    bool turned;
    *shape = (StrandShape){.point_count = def->point_count,
                           .edge_count = edges,
                           .closed = def->closed,
                           .radius = block,
                           .core = {block + edges, block + 2 * (size_t)edges},
                           .angle = block + 3 * (size_t)edges,
                           .arc = block + 4 * (size_t)edges,
                           .fibre_count = fibres_of(def, &turned),
                           .thinnest = INFINITY};
    for (int e = 0; e < edges; e++)
    {
        const int next = e + 1 < def->point_count ? e + 1 : 0;
        set_edge(shape, e, section_of(def, e), section_of(def, next), turned);
        const double length = tw_vec3_norm(tw_vec3_sub(def->points[next], def->points[e]));
        shape->arc[e + 1] = shape->arc[e] + length;
        shape->longest = fmax(shape->longest, length);
    }
    return shape;
}

void strand_shape_destroy(StrandShape* shape)
{
    if (!shape) return;
    free(shape->radius);
    free(shape);
}

void strand_tangents(StrandTouch* touch, twVec3 along)
{
    const twVec3 n = touch->normal;
    twVec3 first = tw_vec3_add_scaled(along, n, -tw_vec3_dot(along, n));
    const double whole = tw_vec3_dot(along, along);
    double square = tw_vec3_dot(first, first);
    // end on: any direction across will do
    if (square < 1e-12 * whole || !(whole > 0))
    {
        first = fabs(n.x) < 0.6 ? tw_vec3(1 - n.x * n.x, -n.x * n.y, -n.x * n.z)
                                : tw_vec3(-n.y * n.x, 1 - n.y * n.y, -n.y * n.z);
        square = tw_vec3_dot(first, first);
    }
    touch->tangent[0] = tw_vec3_scale(first, 1 / sqrt(square));
    touch->tangent[1] = tw_vec3_cross(n, touch->tangent[0]);
}
