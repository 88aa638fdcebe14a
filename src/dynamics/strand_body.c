// SPDX-License-Identifier: MIT
// A rod and a body, step by step. Pieces of the rod, 8 edges each, keep where their points were when they were last looked at and a
// lower bound of their distance from the body then. Since then no distance has become less by more than the farthest that one of their points
// went, and the sum over the steps of
//     |change of the position| + |change of the turn| R + sum of |U_j| |change of q_j|,
// the way of the body's surface. Pieces whose bound less both exceeds the reach are left alone.
#include "dynamics/strand_body_parts.h"
#include <stdlib.h>
#include <string.h>

// ---- life ----

static double widest(const StrandShape* rod)
{
    double wide = 0;
    for (int i = 0; i < rod->edge_count; i++)
    {
        double w = strand_body_half(rod, 0, i), h = strand_body_half(rod, 1, i),
               r = rod->fibre_count == 1 ? w : sqrt(w * w + h * h);
        wide = r > wide ? r : wide;
    }
    return wide;
}

// links of an edge: four times as long as the rod is wide, about
static int split_of(const StrandShape* rod, double wide)
{
    double links = wide > 0 ? ceil(rod->longest / (8 * wide)) : 1;
    return links < 1 ? 1 : links < STRAND_SPLIT ? (int)links : STRAND_SPLIT;
}

static size_t strand_chunks_of(int edges) { return ((size_t)edges + STRAND_CHUNK - 1) / STRAND_CHUNK; }

static size_t strand_values_of(int edges, int modes)
{
    return 2 * (size_t)edges + strand_chunks_of(edges) * (2 + 3 * (STRAND_CHUNK + 1)) + (size_t)modes;
}

bool strand_body_reserve(StrandBody* pair, int edges, int modes)
{
    const size_t values = strand_values_of(edges, modes), chunks = strand_chunks_of(edges);
    if (values <= pair->value_room && chunks <= pair->flat_room) return true;
    double* block = realloc(pair->cosine, values * sizeof *block);
    if (block) pair->cosine = block, pair->value_room = values;
    StrandFlat* flats = realloc(pair->flats, chunks * sizeof *flats);
    if (flats) pair->flats = flats, pair->flat_room = chunks;
    return block && flats;
}

bool strand_body_begin(StrandBody* pair, const StrandShape* rod, const ContactShape* body)
{
    if (!strand_body_reserve(pair, rod->edge_count, body->mode_count)) return false;
    const size_t edges = (size_t)rod->edge_count, chunks = strand_chunks_of(rod->edge_count);
    memset(pair->cosine, 0, strand_values_of(rod->edge_count, body->mode_count) * sizeof *pair->cosine);
    memset(pair->flats, 0, chunks * sizeof *pair->flats);
    *pair = (StrandBody){.rod = rod,
                         .body = body,
                         .wide = widest(rod),
                         .chunk_count = (int)chunks,
                         .cosine = pair->cosine,
                         .flats = pair->flats,
                         .value_room = pair->value_room,
                         .flat_room = pair->flat_room};
    pair->line_count = rod->fibre_count == 1 ? 1 : STRAND_FIBRES;
    pair->split = split_of(rod, pair->wide);
    pair->sine = pair->cosine + edges;
    pair->low = pair->sine + edges;
    pair->low_path = pair->low + chunks;
    pair->seen = pair->low_path + chunks;
    pair->amplitude = pair->seen + chunks * 3 * (STRAND_CHUNK + 1);
    for (size_t i = 0; i < edges; i++)
    {
        pair->cosine[i] = cos(rod->angle[i]);
        pair->sine[i] = sin(rod->angle[i]);
    }
    return true;
}

StrandBody* strand_body_create(void) { return calloc(1, sizeof(StrandBody)); }

void strand_body_destroy(StrandBody* pair)
{
    if (!pair) return;
    free(pair->cosine);
    free(pair->flats);
    free(pair);
}

StrandWork* strand_work_create(void) { return calloc(1, sizeof(StrandWork)); }

bool strand_work_reserve(StrandWork* work, int touches)
{
    StrandTouch* more = realloc(work->touches, (size_t)touches * sizeof *more);
    if (!more) return false;
    work->touches = more;
    work->touch_room = touches;
    return true;
}

void strand_work_destroy(StrandWork* work)
{
    if (work) free(work->touches);
    free(work);
}

static void forget_flats(StrandBody* pair) { memset(pair->flats, 0, (size_t)pair->chunk_count * sizeof *pair->flats); }

void strand_body_forget(StrandBody* pair)
{
    forget_flats(pair);
    pair->valid = false;
}

StrandBodyStats strand_body_stats(const StrandBody* pair) { return pair->stats; }

// ---- places ----

void strand_body_axes(const StrandView* view, int edge, twVec3 axis[2])
{
    twVec3 d1 = strand_body_at(view->rod->d1, edge), d2 = strand_body_at(view->rod->d2, edge);
    double c = view->pair->cosine[edge], s = view->pair->sine[edge];
    axis[0] = tw_vec3_add_scaled(tw_vec3_scale(d1, c), d2, s);
    axis[1] = tw_vec3_add_scaled(tw_vec3_scale(d2, c), d1, -s);
}

void strand_body_edges(const StrandShape* rod, int point, int edge[2])
{
    edge[0] = point > 0 ? point - 1 : rod->closed ? rod->edge_count - 1 : -1;
    edge[1] = point < rod->edge_count ? point : -1;
}

// ---- ids ----

// beyond those of bodies, whose numbers are below 2^19 for that; rod, body, edge and its link, line, kind
static uint64_t body_id(int rod, int body, int link, int line, StrandKind kind)
{
    return (uint64_t)3 << 62 | (uint64_t)rod << 46 | (uint64_t)body << 26 | (uint64_t)link << 4 | (uint64_t)line << 2 |
           (uint64_t)kind;
}

int strand_body_neighbours(const StrandTouch* touch, uint64_t ids[8])
{
    int rod = touch->rod[0], body = touch->body, link = (int)(touch->id >> 4 & 0x3fffff),
        line = (int)(touch->id >> 2 & 3);
    int first = link - link % STRAND_SPLIT, count = 0;
    StrandKind kind = (StrandKind)(touch->id & 3);
    if (kind != STRAND_INSIDE)
    {
        ids[count++] = body_id(rod, body, first, line, STRAND_INSIDE);
        if (kind == STRAND_POINT && first > 0)
            ids[count++] = body_id(rod, body, first - STRAND_SPLIT, line, STRAND_INSIDE);
        return count;
    }

    // the links beside it, by its edge or that before or behind, however many these have; points, from balls
    if (link > first) ids[count++] = body_id(rod, body, link - 1, line, kind);
    if (link < first + STRAND_SPLIT - 1) ids[count++] = body_id(rod, body, link + 1, line, kind);
    ids[count++] = body_id(rod, body, first + STRAND_SPLIT, line, kind);
    for (int k = 1; k <= STRAND_SPLIT && link == first && first > 0; k++)
        ids[count++] = body_id(rod, body, first - k, line, kind);
    if (touch->corner[0] >= 0) return count;
    count = count > 5 ? 5 : count;
    ids[count++] = body_id(rod, body, first, line, STRAND_POINT);
    ids[count++] = body_id(rod, body, first + STRAND_SPLIT, line, STRAND_POINT);
    ids[count++] = body_id(rod, body, first, line, STRAND_LAST);
    return count;
}

StrandTouch* strand_body_add(const StrandView* view, int edge, int link, int line, StrandKind kind)
{
    StrandWork* work = view->work;
    if (work->touch_count == work->touch_room && !strand_work_reserve(work, 2 * work->touch_room + 16))
    {
        work->failed = true;
        return NULL;
    }
    StrandTouch* touch = &work->touches[work->touch_count++];
    *touch = (StrandTouch){.id = body_id(view->rod->rod, view->body->body, STRAND_SPLIT * edge + link, line, kind),
                           .rod = {view->rod->rod, -1},
                           .edge = {edge, -1},
                           .body = view->body->body,
                           .corner = {-1, -1, -1}};
    return touch;
}

// ---- how far everything went ----

static double bend_change(const StrandBody* pair, const BodyPlace* body)
{
    double sum = 0;
    const double* motion = body->shape->motion;
    int most = pair->mode_count > body->mode_count ? pair->mode_count : body->mode_count;
    for (int j = 0; j < most; j++)
    {
        double then = j < pair->mode_count ? pair->amplitude[j] : 0,
               now = j < body->mode_count ? body->amplitude[j] : 0;
        sum += motion[j] * fabs(now - then);
    }
    return sum;
}

// the way of the body's surface since the last step
static double body_way(const StrandBody* pair, const BodyPlace* body, double bend)
{
    double way = tw_vec3_norm(tw_vec3_sub(body->position, pair->position));
    if (body->shape->ball > 0) return way;
    twQuat turn = tw_quat_mul(tw_quat_conj(pair->turn), body->turn);
    double chord = 2 * tw_vec3_norm(tw_vec3(turn.x, turn.y, turn.z));
    return way + chord * (body->shape->radius + bend) + bend_change(pair, body);
}

static void follow_body(StrandBody* pair, const BodyPlace* body, double bend)
{
    if (pair->valid) pair->path += body_way(pair, body, bend);
    pair->position = body->position;
    pair->turn = body->turn;
    pair->mode_count = body->shape->ball > 0 ? 0 : body->mode_count;
    for (int j = 0; j < pair->mode_count; j++) pair->amplitude[j] = body->amplitude[j];
}

// points of a piece: the last of a closed rod is the first
static int chunk_points(const StrandShape* rod, int chunk, int* first)
{
    *first = chunk * STRAND_CHUNK;
    int edges = rod->edge_count - *first;
    return (edges < STRAND_CHUNK ? edges : STRAND_CHUNK) + 1;
}

// square of how far a point of the piece went since it was looked at
static double chunk_way2(const StrandView* view, int chunk)
{
    int first, count = chunk_points(view->pair->rod, chunk, &first);
    const double* seen = view->pair->seen + (size_t)chunk * 3 * (STRAND_CHUNK + 1);
    const double *x = view->rod->x[0] + first, *y = view->rod->x[1] + first, *z = view->rod->x[2] + first;
    double most = 0;
    // the last point is that of the next piece too; a closed rod's is looked up there
    int inner = first + count > view->pair->rod->point_count ? count - 1 : count;
    for (int i = 0; i < inner; i++)
    {
        double u = x[i] - seen[3 * i], v = y[i] - seen[3 * i + 1], w = z[i] - seen[3 * i + 2],
               d = u * u + v * v + w * w;
        most = d > most ? d : most;
    }
    if (inner < count)
    {
        twVec3 way = tw_vec3_sub(strand_body_at(view->rod->x, 0),
                                 tw_vec3(seen[3 * inner], seen[3 * inner + 1], seen[3 * inner + 2]));
        double d = tw_vec3_dot(way, way);
        most = d > most ? d : most;
    }
    return most;
}

static bool is_far(const StrandView* view, int chunk)
{
    const StrandBody* pair = view->pair;
    double room = pair->low[chunk] - (pair->path - pair->low_path[chunk]) - pair->wide - view->reach;
    return room > 0 && chunk_way2(view, chunk) <= room * room * (1 - 1e-9);
}

// ---- a piece ----

// nothing is known of this step yet
static void clean(StrandWork* work, int line_count)
{
    for (int l = 0; l < line_count && !work->clean; l++)
        for (int k = 0; k < 2 * STRAND_RING; k++) work->samples[l][k].node = work->rises[l][k].link = -1;
    for (int k = 0; k < 2 * STRAND_RING && !work->clean; k++) work->frames[k].point = -1;
    work->clean = true;
}

static void touch_chunk(const StrandView* view, int chunk)
{
    StrandBody* pair = view->pair;
    const StrandShape* rod = pair->rod;
    int first, count = chunk_points(rod, chunk, &first);
    double bound[STRAND_CHUNK + 1], *seen = pair->seen + (size_t)chunk * 3 * (STRAND_CHUNK + 1), low = HUGE_VAL;
    twVec3 x[STRAND_CHUNK + 1];
    bool flat[STRAND_CHUNK + 1];
    pair->stats.looks++;
    for (int i = 0; i < count; i++)
    {
        x[i] = strand_body_at(view->rod->x, first + i < rod->point_count ? first + i : 0);
        seen[3 * i] = x[i].x;
        seen[3 * i + 1] = x[i].y;
        seen[3 * i + 2] = x[i].z;
        bound[i] = strand_body_bound(view, chunk, x[i], flat + i);
    }
    for (int i = 0; i + 1 < count; i++)
    {
        double inside = strand_body_edge_bound(view, chunk, x[i], x[i + 1], bound + i, flat[i] && flat[i + 1],
                                               view->reach + pair->wide, STRAND_HALVINGS);
        low = inside < low ? inside : low;
        if (!(inside - pair->wide < view->reach)) continue;
        if (pair->body->ball > 0)
            strand_body_ball(view, first + i);
        else
        {
            clean(view->work, pair->line_count);
            strand_body_lines(view, first + i);
        }
    }
    pair->low[chunk] = low;
    pair->low_path[chunk] = pair->path;
}

// ---- a step ----

static bool is_finite(twVec3 a) { return a.x - a.x == 0 && a.y - a.y == 0 && a.z - a.z == 0; }

int strand_body_touches(StrandBody* pair, StrandWork* work, const StrandPlace* rod, const BodyPlace* body, double reach,
                        const StrandTouch** out)
{
    TW_ASSERT(rod->shape == pair->rod && body->shape == pair->body);
    pair->stats.steps++;
    work->touch_count = 0;
    work->clean = work->failed = false;
    *out = work->touches;
    if (rod->ghost || !is_finite(body->position))
    {
        strand_body_forget(pair);
        return 0;
    }
    StrandView view = {.pair = pair, .work = work, .rod = rod, .body = body, .reach = reach};
    view.bend = body->shape->ball > 0 ? 0 : tw_place_bend_bound(body);
    view.to_world = tw_mat3_from_quat(body->turn);
    view.to_body = tw_mat3_transpose(view.to_world);
    follow_body(pair, body, view.bend);
    for (int c = 0; c < pair->chunk_count; c++)
        if (!pair->valid || !is_far(&view, c)) touch_chunk(&view, c);
    pair->valid = true;
    pair->stats.touches += work->touch_count;
    *out = work->touches;
    return work->failed ? -1 : work->touch_count;
}
