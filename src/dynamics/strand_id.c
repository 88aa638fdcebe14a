// SPDX-License-Identifier: MIT
// Names of touches between rods, and of those they turn into as they slide.
#include "dynamics/strand_feature.h"
#include "dynamics/strand_pair.h"

// ---- ids ----

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t strand_id(int feature, int rod0, int item0, int rod1, int item1)
{
    const uint64_t a = (uint64_t)rod0 << 24 | (uint64_t)item0, b = (uint64_t)rod1 << 24 | (uint64_t)item1;
    return mix(mix(a << 8 | (uint64_t)feature) + b * UINT64_C(0x9e3779b97f4a7c15));
}

// ---- neighbours ----

typedef struct Ids8
{
    uint64_t* ids;
    int count;
} Ids8;

static void add_id(Ids8* out, int feature, int rod0, int item0, int rod1, int item1)
{
    if (item0 >= 0 && item1 >= 0 && out->count < 8)
        out->ids[out->count++] = strand_id(feature, rod0, item0, rod1, item1);
}

// the nearer neighbour along an edge first
static int step_of(double share, int k) { return (share < 0.5) == (k == 0) ? -1 : 1; }

static int near_node(const StrandShape* shape, int edge, double share)
{
    return share < 0.5 ? edge : strand_next_node(shape, edge);
}

static void cross_neighbours(Ids8* out, const StrandTouch* t, const StrandShape* const* shapes, int fibre0, int fibre1)
{
    const StrandShape* a = shapes[t->rod[0]];
    const StrandShape* b = shapes[t->rod[1]];
    const int f = t->corner[0];
    for (int k = 0; k < 2; k++)
    {
        add_id(out, f, t->rod[0], strand_edge_beside(a, t->edge[0], step_of(t->share[0], k)), t->rod[1], t->edge[1]);
        add_id(out, f, t->rod[0], t->edge[0], t->rod[1], strand_edge_beside(b, t->edge[1], step_of(t->share[1], k)));
    }
    add_id(out, f, t->rod[0], strand_edge_beside(a, t->edge[0], step_of(t->share[0], 0)), t->rod[1],
           strand_edge_beside(b, t->edge[1], step_of(t->share[1], 0)));
    add_id(out, strand_feature(STRAND_NODE, fibre0, 0), t->rod[0], near_node(a, t->edge[0], t->share[0]), t->rod[1],
           t->edge[1]);
    add_id(out, strand_feature(STRAND_NODE, fibre1, 0), t->rod[1], near_node(b, t->edge[1], t->share[1]), t->rod[0],
           t->edge[0]);
}

// a crossing of the edges, whichever comes first
static void add_cross(Ids8* out, const StrandTouch* t, int edge0, int fibre0, int fibre1)
{
    const bool swap = t->rod[0] > t->rod[1] || (t->rod[0] == t->rod[1] && edge0 > t->edge[1]);
    if (swap)
        add_id(out, strand_feature(STRAND_CROSS, fibre1, fibre0), t->rod[1], t->edge[1], t->rod[0], edge0);
    else
        add_id(out, strand_feature(STRAND_CROSS, fibre0, fibre1), t->rod[0], edge0, t->rod[1], t->edge[1]);
}

static void node_neighbours(Ids8* out, const StrandTouch* t, const StrandShape* const* shapes, int fibre0)
{
    const StrandShape* a = shapes[t->rod[0]];
    const StrandShape* b = shapes[t->rod[1]];
    const int node = t->corner[1], fibres = b->fibre_count;
    for (int k = 0; k < 2; k++)
        add_id(out, t->corner[0], t->rod[0], node, t->rod[1],
               strand_edge_beside(b, t->edge[1], step_of(t->share[1], k)));
    // the edge before this node, or the one it begins
    const int beside = t->share[0] > 0.5 ? -1 : strand_edge_beside(a, t->edge[0], -1);
    for (int fibre = 0; fibre < fibres && fibre < 2; fibre++)
    {
        add_cross(out, t, t->edge[0], fibre0, fibre);
        if (beside >= 0) add_cross(out, t, beside, fibre0, fibre);
    }
    add_id(out, strand_feature(STRAND_NODE, 0, 0), t->rod[1], near_node(b, t->edge[1], t->share[1]), t->rod[0],
           t->edge[0]);
}

int strand_neighbours(const StrandTouch* touch, const StrandShape* const* shapes, uint64_t ids[8])
{
    Ids8 out = {ids, 0};
    const int fibre0 = touch->corner[0] >> 1 & 3, fibre1 = touch->corner[0] >> 3 & 3;
    if (touch->body >= 0) return 0;
    if ((touch->corner[0] & 1) == STRAND_CROSS)
        cross_neighbours(&out, touch, shapes, fibre0, fibre1);
    else
        node_neighbours(&out, touch, shapes, fibre0);
    return out.count;
}
