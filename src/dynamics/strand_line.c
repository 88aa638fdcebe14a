// SPDX-License-Identifier: MIT
// Lines through the fibres: at a node the mean of where its two edges have them, so that they hang together. What else there is to know
// of an edge waits until something is near it.
#include "dynamics/strand_feature.h"

bool strand_line_create(StrandLine* line, const StrandShape* shape)
{
    const size_t points = (size_t)shape->point_count, fibres = (size_t)shape->fibre_count;
    *line = (StrandLine){.shape = shape, .per_edge = 1 / shape->longest};
    line->block = calloc((fibres + 3) * points, sizeof *line->block);
    line->axes = calloc((size_t)shape->edge_count, sizeof *line->axes);
    line->edges = strand_lines((size_t)shape->edge_count, sizeof *line->edges);
    line->radius = calloc(points, sizeof *line->radius);
    if (fibres > 1) line->twists = calloc((size_t)shape->edge_count, sizeof *line->twists);
    if (!line->block || !line->axes || !line->edges || !line->radius || (fibres > 1 && !line->twists)) return false;
    line->centre = line->block;
    line->node = fibres > 1 ? line->centre + points : line->centre;
    if (fibres > 1) line->box[0] = line->node + fibres * points;
    if (fibres > 2) line->box[1] = line->box[0] + points;
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
    free(line->twists);
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

static void set_nodes(StrandLine* line, const StrandPlace* place)
{
    const StrandShape* shape = line->shape;
    const int last = shape->edge_count - 1;
    twVec3 a[2], b[2];
    offsets(line, place, shape->closed ? last : 0, a);
    for (int i = 0; i < shape->point_count; i++)
    {
        offsets(line, place, i < last ? i : last, b);
        set_node(line, i, a, b);
        a[0] = b[0];
        a[1] = b[1];
    }
}

void strand_line_update(StrandLine* line, const StrandPlace* place)
{
    const double* restrict x = place->x[0], * restrict y = place->x[1], * restrict z = place->x[2];
    twVec3* restrict centre = line->centre;
    line->place = place;
    line->when++;
    for (int i = 0; i < line->shape->point_count; i++) centre[i] = tw_vec3(x[i], y[i], z[i]);
    if (line->shape->fibre_count > 1) set_nodes(line, place);
}

// ---- edges ----

static twVec3 direction(const StrandLine* line, int e)
{
    const StrandPlace* place = line->place;
    return tw_vec3(place->t[0][e], place->t[1][e], place->t[2][e]);
}

// one end of an edge, 0 or 1
static void set_end(const StrandLine* line, int e, int end)
{
    const int other = strand_edge_beside(line->shape, e, end == 0 ? -1 : 1), beside = other < 0 ? e : other;
    const twVec3 ta = direction(line, end == 0 ? beside : e), tb = direction(line, end == 0 ? e : beside),
                 sum = tw_vec3_add(ta, tb);
    const double size = tw_vec3_norm(sum);
    StrandEdge* edge = &line->edges[e];
    edge->tangent[end] = size > 0 ? tw_vec3_scale(sum, 1 / size) : tb;
    edge->turn[end] = tw_vec3_norm(tw_vec3_sub(tb, ta));
}

static void set_twist(const StrandLine* line, int e, int next)
{
    StrandTwist* twist = &line->twists[e];
    const twVec3 h = line->box[0][e], along = line->edges[e].along;
    twist->twist = tw_vec3_sub(line->box[0][next], h);
    twist->along_h = tw_vec3_dot(along, h);
    twist->along_twist = tw_vec3_dot(along, twist->twist);
    twist->h_twist = tw_vec3_dot(h, twist->twist);
    twist->twist2 = tw_vec3_dot(twist->twist, twist->twist);
}

void strand_line_set_edge(const StrandLine* line, int e)
{
    const int next = strand_next_node(line->shape, e);
    StrandEdge* edge = &line->edges[e];
    set_end(line, e, 0);
    set_end(line, e, 1);
    edge->along = tw_vec3_sub(line->centre[next], line->centre[e]);
    const double square = tw_vec3_dot(edge->along, edge->along);
    edge->length = sqrt(square);
    edge->over = 1 / square;
    edge->bend = (tw_vec3_norm(strand_bow(edge, 0)) + tw_vec3_norm(strand_bow(edge, 1))) / edge->length;
    edge->close = 2 * edge->bend / edge->length;
    if (line->twists) set_twist(line, e, next);
    edge->when = line->when;
}
