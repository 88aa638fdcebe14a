// SPDX-License-Identifier: MIT
// Directions one after another: those triangles that see the new one from outside go, and their rim is joined to it. On a
// sphere this is Delaunay's triangulation. Directions of a grid lie on common planes by the dozen; each is shifted outwards by
// a trace of its own, so that none does.
//
// The weights of a direction d between a, b, c: d = s (u a + v b + w c), so that u ~ d.(b x c) and so on.
#include "hull.h"

typedef struct Span
{
    Facet* facets;  // corner[0] < 0: free
    int count, capacity, free_list;
    const twVec3* directions;
    int *rim, rim_count, rim_capacity;  // edges as pairs
} Span;

static double shift_of(int i)
{
    uint32_t hash = (uint32_t)i * 2654435761u;
    return 1 + 1e-7 * (hash >> 8) / (1 << 24);
}

static twVec3 point(const Span* s, int i) { return tw_vec3_scale(s->directions[i], shift_of(i)); }

// volume spanned by three points and a fourth, above 0 if they are counter-clockwise seen from it
static double volume(const Span* s, int a, int b, int c, int d)
{
    twVec3 p = point(s, a), u = tw_vec3_sub(point(s, b), p), v = tw_vec3_sub(point(s, c), p);
    return tw_vec3_dot(tw_vec3_cross(u, v), tw_vec3_sub(point(s, d), p));
}

static bool add_facet(Span* s, int a, int b, int c)
{
    int at = s->free_list;
    if (at >= 0)
        s->free_list = s->facets[at].across[0];
    else if (s->count < s->capacity)
        at = s->count++;
    else
        return false;
    s->facets[at] = (Facet){{a, b, c}, {-1, -1, -1}};
    return true;
}

static void remove_facet(Span* s, int at)
{
    s->facets[at].corner[0] = -1;
    s->facets[at].across[0] = s->free_list;
    s->free_list = at;
}

// an edge of a facet that goes: if its other facet went too, neither is of the rim
static bool note_edge(Span* s, int a, int b)
{
    for (int i = 0; i < s->rim_count; i++)
        if (s->rim[2 * i] == b && s->rim[2 * i + 1] == a)
        {
            s->rim_count--;
            s->rim[2 * i] = s->rim[2 * s->rim_count];
            s->rim[2 * i + 1] = s->rim[2 * s->rim_count + 1];
            return true;
        }
    if (s->rim_count == s->rim_capacity) return false;
    s->rim[2 * s->rim_count] = a;
    s->rim[2 * s->rim_count++ + 1] = b;
    return true;
}

static bool add_point(Span* s, int i)
{
    s->rim_count = 0;
    for (int f = 0; f < s->count; f++)
    {
        const int* c = s->facets[f].corner;
        if (c[0] < 0 || volume(s, c[0], c[1], c[2], i) <= 0) continue;
        for (int k = 0; k < 3; k++)
            if (!note_edge(s, c[k], c[(k + 1) % 3])) return false;
        remove_facet(s, f);
    }
    for (int k = 0; k < s->rim_count; k++)
        if (!add_facet(s, s->rim[2 * k], s->rim[2 * k + 1], i)) return false;
    return true;
}

// four directions that span the largest volume that a greedy choice finds
static bool add_first(Span* s, int n, int first[4])
{
    first[0] = first[1] = first[2] = first[3] = 0;
    double best[3] = {0, 0, 0};
    for (int k = 1; k < 4; k++)
        for (int i = 0; i < n; i++)
        {
            twVec3 d = tw_vec3_sub(point(s, i), point(s, 0)), e = tw_vec3_sub(point(s, first[1]), point(s, 0));
            double size = k == 1   ? tw_vec3_norm(d)
                          : k == 2 ? tw_vec3_norm(tw_vec3_cross(e, d))
                                   : fabs(volume(s, 0, first[1], first[2], i));
            if (size <= best[k - 1]) continue;
            best[k - 1] = size;
            first[k] = i;
        }
    if (!(best[2] > 1e-3)) return false;
    int a = first[0], b = first[1], c = first[2], d = first[3];
    if (volume(s, a, b, c, d) > 0) b = first[2], c = first[1];
    return add_facet(s, a, b, c) && add_facet(s, a, c, d) && add_facet(s, c, b, d) && add_facet(s, b, a, d);
}

// bring facets together, and tell each who is across its edges; work: for each corner a list of the edges that start there
static int close_hull(Span* s, int* work, int corners)
{
    int count = 0, *first = work, *next = work + corners;
    for (int f = 0; f < s->count; f++)
        if (s->facets[f].corner[0] >= 0) s->facets[count++] = s->facets[f];
    for (int i = 0; i < corners; i++) first[i] = -1;
    for (int e = 0; e < 3 * count; e++)
    {
        int from = s->facets[e / 3].corner[e % 3];
        next[e] = first[from];
        first[from] = e;
    }
    for (int e = 0; e < 3 * count; e++)
    {
        const Facet* f = &s->facets[e / 3];
        int a = f->corner[e % 3], b = f->corner[(e % 3 + 1) % 3], back = first[b];
        while (back >= 0 && s->facets[back / 3].corner[(back % 3 + 1) % 3] != a) back = next[back];
        if (back < 0) return 0;
        s->facets[e / 3].across[e % 3] = back / 3;
    }
    return count;
}

int hull_span(Facet* facets, int* work, const twVec3* directions, int count)
{
    Span s = {.facets = facets,
              .capacity = 2 * count,
              .free_list = -1,
              .directions = directions,
              .rim = work,
              .rim_capacity = 2 * count};
    int first[4];
    if (count < 4 || !add_first(&s, count, first)) return 0;
    for (int i = 0; i < count; i++)
    {
        bool known = i == first[0] || i == first[1] || i == first[2] || i == first[3];
        if (!known && !add_point(&s, i)) return 0;
    }
    return close_hull(&s, work, count);
}

static void weigh(const Facet* f, const twVec3* directions, twVec3 d, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = tw_vec3_dot(d, tw_vec3_cross(directions[f->corner[(k + 1) % 3]], directions[f->corner[(k + 2) % 3]]));
}

static int least_of(const double w[3])
{
    int least = w[1] < w[0] ? 1 : 0;
    return w[2] < w[least] ? 2 : least;
}

int hull_find(const Facet* facets, int count, const twVec3* directions, twVec3 direction, int start, double weights[3])
{
    int at = start >= 0 && start < count ? start : 0;
    // walk over the edge that it is farthest beyond
    for (int step = 0; step < count; step++)
    {
        weigh(&facets[at], directions, direction, weights);
        int least = least_of(weights);
        if (weights[least] >= -1e-12) break;
        at = facets[at].across[(least + 1) % 3];
    }
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += weights[k] = fmax(weights[k], 0);
    for (int k = 0; k < 3; k++) weights[k] = sum > 0 ? weights[k] / sum : 1.0 / 3;
    return at;
}
