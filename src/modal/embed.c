// SPDX-License-Identifier: MIT
// Points in tets. With barycentric coordinates L a point of a tet is at X(L) = sum of n_i(L) x_i, and it moves with the same
// weights, where for 4 nodes n = L, and for 10 nodes
//
//     n_i = L_i (2 L_i - 1) at corners,   n_ij = 4 L_i L_j between them.
//
// L is found by Newton's method if edges are curved. Outside, from the nearest place L0 on: n(L0) + n'(L0) dL with
// X'(L0) dL = x - X(L0). So whatever is linear in space comes out exactly, inside and outside, and nothing grows faster than
// linearly.
#include "modal/embed.h"
#include "mesh/tree.h"
#include <stdlib.h>

static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const double farthest = 1e100;  // coordinates beyond would overflow

enum
{
    CORNERS = 4,
    NODES = 10,
    LEAF_TETS = 4,
    MOST_ROUNDS = 20,
};

// ---- a tet ----

typedef struct Tet
{
    int nodes;
    bool curved;
    twVec3 x[NODES];
} Tet;

// a place in a tet
typedef struct Spot
{
    double l[CORNERS];
    double distance;  // of the point from it
} Spot;

twVec3 mode_set_node(const twModeSet* set, int node)
{
    return node < set->vertex_count ? set->vertices[node] : set->inner[node - set->vertex_count];
}

static Tet tet_of(const twModeSet* set, int t)
{
    Tet tet = {.nodes = set->nodes_per_tet, .curved = false};
    for (int i = 0; i < tet.nodes; i++)
        tet.x[i] = mode_set_node(set, set->tets[(size_t)t * (size_t)tet.nodes + (size_t)i]);
    for (int e = 0; tet.nodes == NODES && e < 6; e++)
    {
        twVec3 a = tet.x[ends[e][0]], b = tet.x[ends[e][1]], side = tw_vec3_sub(b, a);
        twVec3 off = tw_vec3_sub(tet.x[CORNERS + e], tw_vec3_scale(tw_vec3_add(a, b), 0.5));
        if (tw_vec3_max(off) > 1e-9 * tw_vec3_max(side)) tet.curved = true;
    }
    return tet;
}

static void weigh(int nodes, const double l[CORNERS], double n[NODES])
{
    for (int i = 0; i < CORNERS; i++) n[i] = nodes == NODES ? l[i] * (2 * l[i] - 1) : l[i];
    for (int e = 0; nodes == NODES && e < 6; e++) n[CORNERS + e] = 4 * l[ends[e][0]] * l[ends[e][1]];
}

// change of the weights with dl, of sum 0
static void weigh_change(int nodes, const double l[CORNERS], const double dl[CORNERS], double dn[NODES])
{
    for (int i = 0; i < CORNERS; i++) dn[i] = nodes == NODES ? (4 * l[i] - 1) * dl[i] : dl[i];
    for (int e = 0; nodes == NODES && e < 6; e++)
    {
        int a = ends[e][0], b = ends[e][1];
        dn[CORNERS + e] = 4 * (l[a] * dl[b] + l[b] * dl[a]);
    }
}

static twVec3 mix(const Tet* tet, const double n[NODES])
{
    twVec3 sum = tw_vec3(0, 0, 0);
    for (int i = 0; i < tet->nodes; i++) sum = tw_vec3_add_scaled(sum, tet->x[i], n[i]);
    return sum;
}

static twVec3 place_at(const Tet* tet, const double l[CORNERS])
{
    double n[NODES];
    weigh(tet->nodes, l, n);
    return mix(tet, n);
}

// dl with X'(l) dl = way; false if the tet is flat there
static bool step_by(const Tet* tet, const double l[CORNERS], twVec3 way, double dl[CORNERS])
{
    twVec3 column[3];
    for (int k = 0; k < 3; k++)
    {
        double along[CORNERS] = {-1, k == 0, k == 1, k == 2}, dn[NODES];
        weigh_change(tet->nodes, l, along, dn);
        column[k] = mix(tet, dn);
    }
    twMat3 inverse, slope = tw_mat3_transpose(tw_mat3_rows(column[0], column[1], column[2]));
    if (!tw_mat3_inverse(&inverse, slope)) return false;
    twVec3 d = tw_mat3_mul_vec(inverse, way);
    dl[0] = -(d.x + d.y + d.z), dl[1] = d.x, dl[2] = d.y, dl[3] = d.z;
    return true;
}

// coordinates of x by its corners alone
static bool straight(const Tet* tet, twVec3 x, double l[CORNERS])
{
    Tet corners = *tet;
    corners.nodes = CORNERS;
    const double first[CORNERS] = {1, 0, 0, 0};
    if (!step_by(&corners, first, tw_vec3_sub(x, tet->x[0]), l)) return false;
    l[0] += 1;
    return true;
}

// to X(l) = x from where l is; false if that leads nowhere
static bool refine(const Tet* tet, twVec3 x, double l[CORNERS])
{
    for (int round = 0; round < MOST_ROUNDS; round++)
    {
        double dl[CORNERS], most = 0;
        if (!step_by(tet, l, tw_vec3_sub(x, place_at(tet, l)), dl)) return false;
        for (int i = 0; i < CORNERS; i++) l[i] += dl[i], most = fmax(most, fabs(dl[i]));
        if (!(most < 4)) return false;
        if (most < 1e-14) return true;
    }
    return false;
}

static bool is_inside(const double l[CORNERS]) { return l[0] >= 0 && l[1] >= 0 && l[2] >= 0 && l[3] >= 0; }

static void clamp(double l[CORNERS])
{
    double sum = 0;
    for (int i = 0; i < CORNERS; i++) l[i] = fmax(l[i], 0), sum += l[i];
    for (int i = 0; i < CORNERS; i++) l[i] /= sum;
}

// the nearest point of the four sides, between corners
static twVec3 nearest_side(const Tet* tet, twVec3 x)
{
    twVec3 best = tet->x[0];
    double least = INFINITY;
    for (int i = 0; i < CORNERS; i++)
    {
        const twVec3 side[3] = {tet->x[i], tet->x[(i + 1) % CORNERS], tet->x[(i + 2) % CORNERS]};
        twVec3 foot = tw_triangle_nearest(side, x);
        double distance = tw_vec3_norm(tw_vec3_sub(x, foot));
        if (distance < least) least = distance, best = foot;
    }
    return best;
}

// the same as if its edges were straight, in barycentric coordinates
static bool nearest_straight(const Tet* tet, twVec3 x, double l[CORNERS])
{
    if (!straight(tet, x, l)) return false;
    return is_inside(l) || straight(tet, nearest_side(tet, x), l);
}

// the place of a tet nearest to x, about if it is curved; false if the tet is flat
static bool find_spot(const Tet* tet, twVec3 x, Spot* spot)
{
    bool exact = straight(tet, x, spot->l) && (!tet->curved || refine(tet, x, spot->l));
    spot->distance = 0;
    if (exact && is_inside(spot->l)) return true;
    if (!(exact && tet->curved) && !nearest_straight(tet, x, spot->l)) return false;
    clamp(spot->l);
    spot->distance = tw_vec3_norm(tw_vec3_sub(x, place_at(tet, spot->l)));
    return true;
}

// ---- among all ----

typedef struct Search
{
    const twModeSet* set;
    twTree* tree;
} Search;

// a box as the corners of a triangle that spans it
static void span(const Tet* tet, twVec3 corners[3])
{
    twVec3 low = tet->x[0], high = low;
    for (int i = 1; i < tet->nodes; i++)
    {
        twVec3 p = tet->x[i];
        low = tw_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    // an edge between three nodes stays within a third of what they span
    double room = tet->curved ? 0.34 * tw_vec3_max(tw_vec3_sub(high, low)) : 0;
    corners[0] = corners[2] = tw_vec3_sub(low, tw_vec3(room, room, room));
    corners[1] = tw_vec3_add(high, tw_vec3(room, room, room));
}

static twStatus search_create(Search* search, const twModeSet* set, twError* err)
{
    twVec3* corners = malloc(3 * (size_t)set->tet_count * sizeof *corners);
    *search = (Search){.set = set};
    if (!corners) return tw_fail(err, TW_NO_MEMORY, "no memory to search %d tets", set->tet_count);
    for (int t = 0; t < set->tet_count; t++)
    {
        Tet tet = tet_of(set, t);
        span(&tet, corners + 3 * (size_t)t);
    }
    twStatus status = tw_tree_create(&search->tree, corners, set->tet_count, LEAF_TETS, err);
    free(corners);
    return status;
}

static double beyond(double x, double low, double high) { return x < low ? low - x : x > high ? x - high : 0; }

static double box_distance(const twTreeNode* node, twVec3 x)
{
    return tw_vec3_norm(tw_vec3(beyond(x.x, node->low.x, node->high.x), beyond(x.y, node->low.y, node->high.y),
                                beyond(x.z, node->low.z, node->high.z)));
}

typedef struct Branch
{
    int node;
    double distance;
} Branch;

static void search_leaf(const Search* search, const twTreeNode* node, twVec3 x, int* best, Spot* spot)
{
    for (int k = 0; k < node->count && spot->distance > 0; k++)
    {
        int t = search->tree->order[node->first + k];
        Tet tet = tet_of(search->set, t);
        Spot here;
        if (find_spot(&tet, x, &here) && here.distance < spot->distance) *spot = here, *best = t;
    }
}

// the nearest tet; -1 if all are flat
static int search_nearest(const Search* search, twVec3 x, Spot* spot)
{
    const twTree* tree = search->tree;
    Branch stack[2 * TW_TREE_DEPTH];
    int depth = 0, best = -1;
    spot->distance = INFINITY;
    stack[depth++] = (Branch){0, 0};
    while (depth > 0)
    {
        Branch branch = stack[--depth];
        const twTreeNode* node = &tree->nodes[branch.node];
        if (branch.distance >= spot->distance) continue;
        if (node->right == 0)
        {
            search_leaf(search, node, x, &best, spot);
            continue;
        }
        // the nearer child last, so that it is searched first
        Branch left = {branch.node + 1, box_distance(&tree->nodes[branch.node + 1], x)};
        Branch right = {node->right, box_distance(&tree->nodes[node->right], x)};
        bool left_first = left.distance <= right.distance;
        stack[depth++] = left_first ? right : left;
        stack[depth++] = left_first ? left : right;
    }
    return best;
}

// ---- embeddings ----

double mode_set_size(const twModeSet* set)
{
    twVec3 low = set->vertices[0], high = low;
    for (int i = 1; i < set->vertex_count; i++)
    {
        twVec3 p = set->vertices[i];
        low = tw_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return tw_vec3_norm(tw_vec3_sub(high, low));
}

static twStatus embed_point(Embedding* e, const Search* search, int i, twVec3 x, twError* err)
{
    Spot spot;
    int t = search_nearest(search, x, &spot);
    if (t < 0) return tw_fail(err, TW_BAD_INPUT, "all tets of the set are flat: nothing can be embedded in them");
    Tet tet = tet_of(search->set, t);
    double dl[CORNERS], dn[NODES] = {0}, n[NODES];
    weigh(e->nodes, spot.l, n);
    if (spot.distance > 0 && step_by(&tet, spot.l, tw_vec3_sub(x, mix(&tet, n)), dl))
        weigh_change(e->nodes, spot.l, dl, dn);
    size_t first = (size_t)i * (size_t)e->nodes;
    for (int k = 0; k < e->nodes; k++)
    {
        e->node[first + (size_t)k] = search->set->tets[(size_t)t * (size_t)e->nodes + (size_t)k];
        e->weight[first + (size_t)k] = n[k] + dn[k];
    }
    e->outside = fmax(e->outside, spot.distance);
    return TW_OK;
}

static twStatus embed_points(Embedding* e, const twModeSet* set, const twVec3* at, twError* err)
{
    Search search;
    twStatus status = search_create(&search, set, err);
    for (int i = 0; i < e->count && status == TW_OK; i++)
        if (tw_vec3_max(at[i]) < farthest)
            status = embed_point(e, &search, i, at[i], err);
        else
            status = tw_fail(err, TW_BAD_INPUT, "vertex %d is not finite: mend the mesh", i);
    tw_tree_destroy(search.tree);

    // what rounding makes of the tets' own surface is inside
    if (e->outside < 1e-12 * mode_set_size(set)) e->outside = 0;
    return status;
}

twStatus embedding_create(Embedding** out, const twModeSet* set, const twVec3* at, int count, twError* err)
{
    *out = NULL;
    if (set->tet_count == 0)
        return tw_fail(err, TW_BAD_INPUT, "the modes were kept without tets, so that nothing can be embedded in them");
    Embedding* e = calloc(1, sizeof *e);
    size_t values = (size_t)count * (size_t)set->nodes_per_tet;
    if (e) *e = (Embedding){.count = count, .nodes = set->nodes_per_tet};
    if (e) e->node = malloc((values + 1) * sizeof *e->node);
    if (e) e->weight = malloc((values + 1) * sizeof *e->weight);
    bool enough = e && e->node && e->weight;
    twStatus status =
        enough ? embed_points(e, set, at, err) : tw_fail(err, TW_NO_MEMORY, "no memory to embed %d vertices", count);
    if (status == TW_OK)
        *out = e;
    else
        embedding_destroy(e);
    return status;
}

void embedding_destroy(Embedding* e)
{
    if (!e) return;
    free(e->node);
    free(e->weight);
    free(e);
}
