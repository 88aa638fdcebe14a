// SPDX-License-Identifier: MIT
// Local rods: few contacts on many points, each felt by those near it alone. How they move each other is written down once in a
// piece, as a link of two contacts, from compliances of single points (rod/couple.h):
//
//     J_b W J_a^T = 2/h^2 sum over the points of both edges of rows_b G rows_a^T,
//
// G in the axes of the points, in which it lasts as long as the rod's matrix does. A product with the whole then costs nothing
// against a solve with that matrix.
#include "dynamics/weave.h"

#define LINK_COST 1.5   // of a link, against a point in a solve: it is made once and used some ten times
#define LINK_REACH 0.4  // of what compliances reach: those of contacts farther apart are not worth a link

static float sum_of(WeaveFour a) { return (a[0] + a[1]) + (a[2] + a[3]); }

static WeaveFour times4(const float* block, WeaveFour x)
{
    const WeaveFour* column = (const WeaveFour*)block;
    return column[0] * x[0] + column[1] * x[1] + column[2] * x[2] + column[3] * x[3];
}

static WeaveFour times4_flipped(const float* block, WeaveFour x)
{
    const WeaveFour* column = (const WeaveFour*)block;
    return (WeaveFour){sum_of(column[0] * x), sum_of(column[1] * x), sum_of(column[2] * x), sum_of(column[3] * x)};
}

// ---- which ----

static int link_reach(const WeaveRod* rod) { return (int)ceil(LINK_REACH * tw_rod_local_reach(rod->rod)); }

// if links are fewer than what solves go through
static bool is_local(const WeaveRod* rod, int points)
{
    const int reach = rod->side_count > 0 ? link_reach(rod) : 0;
    const double sides = rod->side_count, links = sides * (1 + sides * reach / points);
    return reach > 0 && LINK_COST * links < points;
}

static void choose(Weave* w)
{
    w->all_local = true;
    for (int i = 0; i < w->rod_count; i++)
    {
        WeaveRod* rod = w->rods + i;
        rod->local = is_local(rod, w->shapes[i]->point_count);
        if (rod->pushed && !rod->local && rod->shape->point_count > 64) w->all_local = false;
    }
}

// ---- sides ----

// rows of a side into the axes of its points, and its compliances; @return false without memory
static bool turn_side(Weave* w, int side)
{
    const WeaveSide* s = w->sides + side;
    WeaveRod* rod = w->rods + s->rod;
    const twRodView v = tw_rod_view(rod->rod);
    WeaveRows* rows = w->rows + side / 2;
    rows->node[side % 2][0] = rows->node[side % 2][1] = -1;
    for (int k = 0; k < 2; k++)
    {
        const int i = s->point[k];
        if (!tw_rod_local_need(rod->rod, i)) return false;
        const float axes[3][3] = {{(float)v.frame_d1[0][i], (float)v.frame_d1[1][i], (float)v.frame_d1[2][i]},
                                  {(float)v.frame_d2[0][i], (float)v.frame_d2[1][i], (float)v.frame_d2[2][i]},
                                  {(float)v.tangent[0][i], (float)v.tangent[1][i], (float)v.tangent[2][i]}};
        for (int q = 0; q < 3; q++)
        {
            WeaveFour* row = &rows->row[side % 2][k][q];
            const WeaveFour x = *row;
            for (int c = 0; c < 3; c++) (*row)[c] = axes[c][0] * x[0] + axes[c][1] * x[1] + axes[c][2] * x[2];
        }
    }
    return true;
}

static bool list_sides(Weave* w)
{
    for (int i = 0; i < w->rod_count; i++)
        if (w->rods[i].local)
            memset(w->head + w->rods[i].first, -1, (size_t)w->shapes[i]->point_count * sizeof *w->head);
    for (int side = 2 * w->contact_count - 1; side >= 0; side--)
    {
        const WeaveSide* s = w->sides + side;
        if (s->rod < 0 || !w->rods[s->rod].local) continue;
        if (!turn_side(w, side)) return false;
        int* head = w->head + w->rods[s->rod].first + s->point[0];
        w->behind[side] = *head;
        *head = side;
    }
    return true;
}

// ---- links ----

// way of a point, by a force on another
static WeaveFour way_by(const twRod* rod, int point, int by, int reach, WeaveFour force)
{
    const int apart = point - by;
    if (apart > reach || apart < -reach) return (WeaveFour){0};
    return apart >= 0 ? times4(tw_rod_local(rod, by) + 16 * apart, force)
                      : times4_flipped(tw_rod_local(rod, point) - 16 * apart, force);
}

// ways of a point, by forces of side a along its three rows
static void ways(const Weave* w, int a, int point, int reach, WeaveFour way[3])
{
    const WeaveSide* s = w->sides + a;
    const twRod* rod = w->rods[s->rod].rod;
    const WeaveFour(*row)[3] = (const WeaveFour(*)[3])w->rows[a / 2].row[a % 2];
    for (int q = 0; q < 3; q++)
        way[q] = way_by(rod, point, s->point[0], reach, row[0][q]) + way_by(rod, point, s->point[1], reach, row[1][q]);
}

// how side b moves: columns by the rows of the side that made the ways of its points
static void see(const Weave* w, int b, WeaveFour way[2][3], float scale, WeaveFour out[3])
{
    const WeaveFour(*row)[3] = (const WeaveFour(*)[3])w->rows[b / 2].row[b % 2];
    for (int q = 0; q < 3; q++)
        for (int r = 0; r < 3; r++) out[q][r] = scale * sum_of(row[0][r] * way[0][q] + row[1][r] * way[1][q]);
    for (int q = 0; q < 3; q++) out[q][3] = 0;
}

static void flip(const WeaveFour from[3], WeaveFour to[3])
{
    for (int q = 0; q < 3; q++) to[q] = (WeaveFour){from[0][q], from[1][q], from[2][q], 0};
}

static bool add_link(Weave* w, int from, int to, const WeaveFour block[3])
{
    if (!weave_room_links(w, w->link_count + 1)) return false;
    WeaveLink* link = w->links + w->link_count++;
    link->from = from;
    link->to = to;
    memcpy(link->there, block, sizeof link->there);
    flip(block, link->back);
    return true;
}

// of side a with b, on the same point or after
static bool join(Weave* w, int a, int b, WeaveFour way[2][3], float scale)
{
    WeaveFour block[3], back[3];
    see(w, b, way, scale, block);
    if (a / 2 != b / 2) return add_link(w, a / 2, b / 2, block);
    flip(block, back);
    for (int q = 0; q < 3; q++) w->give[3 * (a / 2) + q] += a == b ? block[q] : block[q] + back[q];
    return true;
}

static bool link_side(Weave* w, int a, int reach, float scale)
{
    const WeaveSide* s = w->sides + a;
    const int *head = w->head + w->rods[s->rod].first, points = w->shapes[s->rod]->point_count;
    const int last = s->point[0] + link_reach(w->rods + s->rod);
    WeaveFour way[2][3];
    int known[2] = {-1, -1};
    for (int i = s->point[0]; i <= last && i < points; i++)
        // those of the same point once each
        for (int b = i == s->point[0] ? a : head[i]; b >= 0; b = w->behind[b])
        {
            const int* to = w->sides[b].point;
            if (known[1] == to[0] && known[0] != to[0]) memcpy(way[0], way[1], sizeof way[0]), known[0] = to[0];
            for (int k = 0; k < 2; k++)
                if (known[k] != to[k]) ways(w, a, known[k] = to[k], reach, way[k]);
            if (!join(w, a, b, way, scale)) return false;
        }
    return true;
}

bool weave_local_build(Weave* w)
{
    const float scale = (float)(2 / (w->h_piece * w->h_piece));
    choose(w);
    if (w->contact_count > 0) memset(w->give, 0, 3 * (size_t)w->contact_count * sizeof *w->give);
    if (!list_sides(w)) return false;
    for (int side = 0; side < 2 * w->contact_count; side++)
    {
        const int rod = w->sides[side].rod;
        if (rod < 0 || !w->rods[rod].local) continue;
        if (!link_side(w, side, tw_rod_local_reach(w->rods[rod].rod), scale)) return false;
    }
    return true;
}

// ---- products ----

static WeaveFour times(const WeaveFour column[3], WeaveFour x)
{
    return column[0] * x[0] + column[1] * x[1] + column[2] * x[2];
}

void weave_local_add(Weave* w)
{
    for (int k = 0; k < w->contact_count; k++) w->rate[k] += times(w->give + 3 * k, w->spread[k]);
    for (int i = 0; i < w->link_count; i++)
    {
        const WeaveLink* link = w->links + i;
        w->rate[link->to] += times(link->there, w->spread[link->from]);
        w->rate[link->from] += times(link->back, w->spread[link->to]);
    }
}
