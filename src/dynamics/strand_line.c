// SPDX-License-Identifier: MIT
// Lines through the fibres: at a node the mean of where its two edges have them, so that they hang together.
#include "dynamics/strand_feature.h"
#include <stdlib.h>

bool strand_line_create(StrandLine* line, const StrandShape* shape)
{
    const size_t points = (size_t)shape->point_count, fibres = (size_t)shape->fibre_count;
    *line = (StrandLine){.shape = shape, .per_edge = 1 / shape->longest};
    line->block = calloc((fibres + 4) * points, sizeof *line->block);
    line->axes = calloc((size_t)shape->edge_count, sizeof *line->axes);
    line->edges = calloc((size_t)shape->edge_count, sizeof *line->edges);
    line->radius = calloc(2 * points, sizeof *line->radius);
    if (!line->block || !line->axes || !line->edges || !line->radius) return false;
    line->turn = line->radius + points;
    line->node = line->block;
    line->centre = line->node + points * fibres;
    line->tangent = line->centre + points;
    if (fibres > 1) line->box[0] = line->tangent + points;
    if (fibres > 2) line->box[1] = line->tangent + 2 * points;
    for (int e = 0; e < shape->edge_count; e++)
    {
        const double c = cos(shape->angle[e]), s = sin(shape->angle[e]), c1 = shape->core[0][e], c2 = shape->core[1][e];
        line->thick = fmax(line->thick, shape->radius[e] + hypot(c1, c2));
        line->axes[e] = (StrandAxes){{c1 * c, c1 * s}, {-c2 * s, c2 * c}, 1 / (c1 * c1)};
    }
    for (int i = 0; i < shape->point_count; i++)
    {
        int a = i - 1, b = i;
        if (a < 0) a = shape->closed ? shape->edge_count - 1 : 0;
        if (b >= shape->edge_count) b = shape->edge_count - 1;
        line->radius[i] = 0.5 * (shape->radius[a] + shape->radius[b]);
    }
    return true;
}

void strand_line_destroy(StrandLine* line)
{
    free(line->block);
    free(line->axes);
    free(line->edges);
    free(line->radius);
}

// corner of the core of an edge from the centre line, for fibres 0 and, if there are four, 1; the others are opposite
static void offsets(const StrandLine* line, const StrandPlace* place, int e, twVec3 out[2])
{
    const StrandAxes* axes = &line->axes[e];
    const twVec3 d1 = tw_vec3(place->d1[0][e], place->d1[1][e], place->d1[2][e]);
    const twVec3 d2 = tw_vec3(place->d2[0][e], place->d2[1][e], place->d2[2][e]);
    const twVec3 first = tw_vec3_add_scaled(tw_vec3_scale(d1, axes->first[0]), d2, axes->first[1]);
    const twVec3 second = tw_vec3_add_scaled(tw_vec3_scale(d1, axes->second[0]), d2, axes->second[1]);
    out[0] = tw_vec3_add(first, second);
    out[1] = tw_vec3_sub(second, first);
}

// a, b: of the edges on either side
static void set_node(StrandLine* line, int i, const twVec3 a[2], const twVec3 b[2])
{
    const int fibres = line->shape->fibre_count;
    const size_t points = (size_t)line->shape->point_count;
    const twVec3 x = line->centre[i];
    twVec3 *node = line->node + i, w[2];
    *node = x;
    if (fibres == 1) return;
    for (int k = 0; k < fibres / 2; k++)
    {
        w[k] = tw_vec3_scale(tw_vec3_add(a[k], b[k]), 0.5);
        // 0 and 1 of a flat one; 0 and 2, 1 and 3 of a solid one
        node[(size_t)k * points] = tw_vec3_add(x, w[k]);
        node[(size_t)(k + fibres / 2) * points] = tw_vec3_sub(x, w[k]);
    }
    line->box[0][i] = fibres == 2 ? w[0] : tw_vec3_scale(tw_vec3_sub(w[0], w[1]), 0.5);
    if (fibres > 2) line->box[1][i] = tw_vec3_scale(tw_vec3_add(w[0], w[1]), 0.5);
}

static void set_edge(StrandLine* line, int e)
{
    const int next = e + 1 < line->shape->point_count ? e + 1 : 0;
    StrandEdge* edge = &line->edges[e];
    edge->along = tw_vec3_sub(line->centre[next], line->centre[e]);
    const double square = tw_vec3_dot(edge->along, edge->along);
    edge->length = sqrt(square);
    edge->over = 1 / square;
    edge->bow[0] = tw_vec3_sub(tw_vec3_scale(line->tangent[e], edge->length), edge->along);
    edge->bow[1] = tw_vec3_sub(tw_vec3_scale(line->tangent[next], edge->length), edge->along);
    edge->bend = (tw_vec3_norm(edge->bow[0]) + tw_vec3_norm(edge->bow[1])) / edge->length;
    edge->close = 2 * edge->bend / edge->length;
    if (!line->box[0]) return;
    const twVec3 h = line->box[0][e];
    edge->twist = tw_vec3_sub(line->box[0][next], h);
    edge->along_h = tw_vec3_dot(edge->along, h);
    edge->along_twist = tw_vec3_dot(edge->along, edge->twist);
    edge->h_twist = tw_vec3_dot(h, edge->twist);
    edge->twist2 = tw_vec3_dot(edge->twist, edge->twist);
}

void strand_line_update(StrandLine* line, const StrandPlace* place)
{
    const StrandShape* shape = line->shape;
    line->place = place;
    const bool core = shape->fibre_count > 1;
    const int last = shape->edge_count - 1, start = shape->closed ? last : 0;
    twVec3 a[2] = {{0}}, b[2] = {{0}}, ta = tw_vec3(place->t[0][start], place->t[1][start], place->t[2][start]);
    if (core) offsets(line, place, start, a);
    for (int i = 0; i < shape->point_count; i++)
    {
        const int e = i < last ? i : last;
        const twVec3 tb = tw_vec3(place->t[0][e], place->t[1][e], place->t[2][e]);
        if (core) offsets(line, place, e, b);
        line->centre[i] = tw_vec3(place->x[0][i], place->x[1][i], place->x[2][i]);
        set_node(line, i, a, b);
        const twVec3 sum = tw_vec3_add(ta, tb);
        const double size = tw_vec3_norm(sum);
        line->tangent[i] = size > 0 ? tw_vec3_scale(sum, 1 / size) : tb;
        line->turn[i] = tw_vec3_norm(tw_vec3_sub(tb, ta));
        ta = tb;
        a[0] = b[0];
        a[1] = b[1];
    }
    for (int e = 0; e < shape->edge_count; e++) set_edge(line, e);
}
