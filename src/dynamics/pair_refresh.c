// SPDX-License-Identifier: MIT
// Looking at all points and edges of a pair. Trees over them are searched with the other body's field: a box that is farther
// from the surface than half its diagonal, both bendings and the radius holds nothing of interest. When there is no room
// the nearest are kept and the radius is cut to the nearest of those left out, so that none is missed as long as it is not
// below the reach. The radius of a pair without candidates is the distance of what is nearest: it sleeps until that is used up.
#include "dynamics/pair_parts.h"
#include <string.h>

#define ROOM 2.0  // of the reach, beyond it: fast bodies look again after some steps, not in each

typedef struct Search
{
    Pair* pair;
    const PairView* view;
    double radius;   // look within
    double nearest;  // lower bound of all that is left out
    bool asleep;     // nothing is near: find out how far everything is
    bool sharp;      // look at sharp edges, or at the others
    double full[2];  // lower bound of the edges of each body there was no room for
} Search;

static void leave_out(Search* search, double low)
{
    if (low < search->nearest) search->nearest = low;
}

static void add_point(Search* search, int vertex, double low)
{
    Pair* pair = search->pair;
    PairPoint *points = tw_pair_points(pair), point = {search->view->which, vertex, low};
    if (pair->point_count < pair->def.max_candidates)
    {
        points[pair->point_count++] = point;
        return;
    }

    // in the place of the farthest
    int far = 0;
    for (int i = 1; i < pair->point_count; i++)
        if (points[i].low > points[far].low) far = i;
    leave_out(search, points[far].low > low ? points[far].low : low);
    if (points[far].low > low) points[far] = point;
    search->radius = search->nearest < search->radius ? search->nearest : search->radius;
}

static void try_vertex(Search* search, int vertex)
{
    search->pair->stats.lookups++;
    double low =
        tw_field_bound(search->view->b->shape->field, tw_pair_seen(search->view, vertex)) - search->view->bend_b;
    if (low <= search->radius && !search->asleep)
        add_point(search, vertex, low);
    else
        leave_out(search, low);
}

// lower bound of the distance of a segment from b's surface; by halves, until it exceeds enough or they are short
static double segment_bound(Search* search, twVec3 p, twVec3 q, double enough, int halvings)
{
    const PairView* view = search->view;
    twVec3 middle = tw_vec3_scale(tw_vec3_add(p, q), 0.5);
    double half = 0.5 * tw_vec3_norm(tw_vec3_sub(p, q));
    search->pair->stats.lookups++;
    double low = tw_field_bound(view->b->shape->field, middle) - half - view->bend_b;
    if (low > enough || halvings == 0 || half < 0.5 * search->pair->margin) return low;
    double first = segment_bound(search, p, middle, enough, halvings - 1);
    if (first <= enough) return first;
    double second = segment_bound(search, middle, q, enough, halvings - 1);
    return first < second ? first : second;
}

static void try_edge(Search* search, int edge, int* near, int* count)
{
    const int* v = search->view->a->shape->edges[edge].v;
    twVec3 p = tw_pair_seen(search->view, v[0]), q = tw_pair_seen(search->view, v[1]);
    double low = segment_bound(search, p, q, search->radius, 8);
    double* full = &search->full[search->view->which];
    if (low > search->radius)
        leave_out(search, low);
    else if (*count < search->pair->def.max_edges)
        near[(*count)++] = edge;
    else if (low < *full)
        *full = low;
}

// the part of the tree that is near. near NULL: vertices; else edges, added to a list of count. @return the new count
static int walk(Search* search, const twTree* tree, int* near, int count)
{
    const PairView* view = search->view;
    int stack[TW_TREE_DEPTH], depth = 0;
    if (tree->node_count > 0) stack[depth++] = 0;
    while (depth > 0)
    {
        int i = stack[--depth];
        const twTreeNode* node = &tree->nodes[i];
        twVec3 middle = tw_vec3_scale(tw_vec3_add(node->low, node->high), 0.5);
        twVec3 y = tw_vec3_add(tw_mat3_mul_vec(view->to_b, middle), view->shift);
        double half = 0.5 * tw_vec3_norm(tw_vec3_sub(node->high, node->low));
        search->pair->stats.lookups++;
        double low = tw_field_bound(view->b->shape->field, y) - half - view->bend_a - view->bend_b;
        if (low > (search->asleep && !near ? search->nearest : search->radius))
        {
            leave_out(search, low);
            continue;
        }
        for (int k = 0; node->right == 0 && k < node->count; k++)
        {
            int item = tree->order[node->first + k];
            if (!near)
                try_vertex(search, item);
            else if (view->a->shape->edges[item].sharp == search->sharp)
                try_edge(search, item, near, &count);
        }
        if (node->right == 0) continue;
        stack[depth++] = node->right;
        stack[depth++] = i + 1;
    }
    return count;
}

// ---- pairs of edges ----

static void sort_numbers(int* list, int count)
{
    for (int i = 1; i < count; i++)
    {
        int item = list[i], j = i;
        for (; j > 0 && list[j - 1] > item; j--) list[j] = list[j - 1];
        list[j] = item;
    }
}

static double limit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// distance of the segments from p along e and from q along f: at the nearest points of the lines if these are on them, at
// the nearest ends otherwise
static double segment_distance(twVec3 p, twVec3 e, twVec3 q, twVec3 f)
{
    twVec3 w = tw_vec3_sub(p, q);
    double ee = tw_vec3_dot(e, e), ff = tw_vec3_dot(f, f), ef = tw_vec3_dot(e, f);
    double ew = tw_vec3_dot(e, w), fw = tw_vec3_dot(f, w), sine2 = ee * ff - ef * ef;
    double s = sine2 > 1e-12 * ee * ff ? limit((ef * fw - ff * ew) / sine2) : 0, t = ff > 0 ? (ef * s + fw) / ff : 0;
    if (t < 0 || t > 1)
    {
        t = limit(t);
        s = ee > 0 ? limit((ef * t - ew) / ee) : 0;
    }
    return tw_vec3_norm(tw_vec3_sub(tw_vec3_add_scaled(w, e, s), tw_vec3_scale(f, t)));
}

static void match_edges(Search* search, const PairView view[2], const int count[2])
{
    Pair* pair = search->pair;
    const int *first = tw_pair_near(pair, 0), *second = tw_pair_near(pair, 1);
    PairEdge* edges = tw_pair_edges(pair);
    const ContactShape *a = view[0].a->shape, *b = view[0].b->shape;
    for (int i = 0; i < count[0]; i++)
    {
        const int* u = a->edges[first[i]].v;
        twVec3 p = tw_pair_seen(&view[0], u[0]), e = tw_vec3_sub(tw_pair_seen(&view[0], u[1]), p);
        for (int k = 0; k < count[1]; k++)
        {
            const int* v = b->edges[second[k]].v;
            if (!a->edges[first[i]].sharp && !b->edges[second[k]].sharp) continue;
            twVec3 q = tw_vec3_add(b->vertices[v[0]], b->centre), f = tw_vec3_sub(b->vertices[v[1]], b->vertices[v[0]]);
            double low = segment_distance(p, e, q, f) - view[0].bend_b;
            if (!search->asleep && low <= search->radius && pair->edge_count < TW_PAIR_CROSSINGS * pair->def.max_edges)
                edges[pair->edge_count++] = (PairEdge){{first[i], second[k]}};
            else
                leave_out(search, low);
        }
    }
}

// ---- all ----

static bool comes_before(const PairPoint* a, const PairPoint* b)
{
    return a->which < b->which || (a->which == b->which && a->vertex < b->vertex);
}

static void sort_points(PairPoint* points, int count)
{
    for (int step = count / 2; step > 0; step /= 2)
        for (int i = step; i < count; i++)
        {
            PairPoint item = points[i];
            int j = i;
            for (; j >= step && comes_before(&item, &points[j - step]); j -= step) points[j] = points[j - step];
            points[j] = item;
        }
}

// points that were inside in the last step stay, wherever they are now: they may be beyond a thin wall
static void keep_inside(Pair* pair)
{
    PairPoint* points = tw_pair_points(pair);
    const PairMemory* memory = tw_pair_memory(pair, pair->now);
    for (int m = 0; m < pair->memory_count; m++)
    {
        if (memory[m].edge || memory[m].gap >= 0) continue;
        int i = 0;
        while (i < pair->point_count && (points[i].which != memory[m].which || points[i].vertex != memory[m].item)) i++;
        if (i == pair->def.max_candidates) continue;
        if (i == pair->point_count) pair->point_count++;
        points[i] = (PairPoint){memory[m].which, memory[m].item, -HUGE_VAL};
    }
}

// all points, sharp edges, and the other edges if sharp ones of the other body are near
static void look(Search* search, const PairView view[2])
{
    Pair* pair = search->pair;
    int near[2], sharp[2];
    search->full[0] = search->full[1] = HUGE_VAL;
    for (int which = 0; which < 2; which++)
    {
        search->view = &view[which];
        walk(search, view[which].a->shape->vertex_tree, NULL, 0);
    }
    if (search->asleep) search->radius = search->nearest;
    search->sharp = true;
    for (int which = 0; which < 2; which++)
    {
        search->view = &view[which];
        sharp[which] = walk(search, view[which].a->shape->edge_tree, tw_pair_near(pair, which), 0);
    }
    search->sharp = false;
    for (int which = 0; which < 2; which++)
    {
        search->view = &view[which];
        near[which] = sharp[which];
        if (sharp[1 - which] > 0)
            near[which] = walk(search, view[which].a->shape->edge_tree, tw_pair_near(pair, which), near[which]);
        sort_numbers(tw_pair_near(pair, which), near[which]);
    }

    // edges left out matter only if there is something for them to cross
    for (int which = 0; which < 2; which++)
        if (near[1 - which] > 0) leave_out(search, search->full[which]);
    match_edges(search, view, near);
}

void tw_pair_refresh(Pair* pair, const PairView view[2], double reach)
{
    const double room = fmax(pair->margin, ROOM * reach);
    Search search = {.pair = pair, .radius = reach + room, .nearest = HUGE_VAL};
    pair->stats.refreshes++;
    pair->point_count = pair->edge_count = 0;
    look(&search, view);
    keep_inside(pair);
    sort_points(tw_pair_points(pair), pair->point_count);
    if (pair->point_count + pair->edge_count == 0)
    {
        search.asleep = true;
        search.nearest = HUGE_VAL;
        look(&search, view);
    }

    // with candidates it looks again soon, lest they be carried along for ever
    double soon = reach + 2 * room;
    bool any = pair->point_count + pair->edge_count > 0;
    pair->radius = any && search.nearest > soon ? soon : search.nearest;
    if (pair->radius < reach)
    {
        // looking more often would not make room
        pair->radius = soon;
        pair->stats.crowded++;
    }
    tw_pair_look_at(pair, view[0].a, view[0].b);
}

void tw_pair_look_at(Pair* pair, const BodyPlace* a, const BodyPlace* b)
{
    const BodyPlace* places[2] = {a, b};
    pair->valid = true;
    pair->pose = tw_pair_pose(a, b);
    for (int which = 0; which < 2; which++)
    {
        const BodyPlace* place = places[which];
        TW_ASSERT(place->mode_count <= pair->def.max_modes && place->mode_count <= place->shape->mode_count);
        pair->mode_count[which] = place->mode_count;
        for (int j = 0; j < place->mode_count; j++) tw_pair_amplitude(pair, which)[j] = place->amplitude[j];
    }
}
