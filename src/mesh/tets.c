// SPDX-License-Identifier: MIT
// Tetrahedral meshes: life, boundary, mid-edge nodes.
//
// A quadratic tet maps barycentric coordinates L to x = sum_i N_i x_i with N_i = L_i (2 L_i - 1) at corners and 4 L_i L_j
// on edges. The Jacobian's determinant is positive inside if the element is not folded; it is watched at the ten nodes.
#include "mesh/tets.h"
#include "mesh/table.h"
#include <limits.h>
#include <stdlib.h>

const int tw_tet_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const int tw_tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// a curved element whose Jacobian falls below this part of the straight one is made straight again
static const double LEAST_JACOBIAN = 0.1;

// ---- life ----

twStatus tw_tets_create(twTetMesh** out, int node_count, int tet_count, twError* err)
{
    *out = NULL;
    if (node_count < 0 || tet_count < 0)
        return tw_fail(err, TW_BAD_INPUT, "a mesh of %d nodes and %d tets: counts must not be negative", node_count,
                       tet_count);
    twTetMesh* tets = calloc(1, sizeof *tets);
    if (tets)
    {
        tets->nodes = calloc((size_t)node_count + 1, sizeof *tets->nodes);
        tets->tets = calloc((size_t)tet_count + 1, sizeof *tets->tets);
        tets->node_count = node_count;
        tets->tet_count = tet_count;
    }
    if (!tets || !tets->nodes || !tets->tets)
    {
        tw_tets_destroy(tets);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a mesh of %d nodes and %d tets", node_count, tet_count);
    }
    *out = tets;
    return TW_OK;
}

void tw_tets_destroy(twTetMesh* tets)
{
    if (!tets) return;
    free(tets->nodes);
    free(tets->tets);
    free(tets->mid_nodes);
    free(tets->regions);
    free(tets->region_list);
    free(tets);
}

// ---- boundary ----

static void sort3(int v[3])
{
    for (int i = 0; i < 3; i++)
    {
        int a = i == 1 ? 1 : 0, b = a + 1;
        if (v[a] <= v[b]) continue;
        int swap = v[a];
        v[a] = v[b];
        v[b] = swap;
    }
}

twStatus tw_tets_boundary(unsigned char* mask, const twTetMesh* tets, twError* err)
{
    if (tets->tet_count > INT_MAX / 4)
        return tw_fail(err, TW_NO_MEMORY, "%d tets are too many for their faces to be numbered", tets->tet_count);
    twTable table = {0};
    for (int t = 0; t < tets->tet_count; t++)
    {
        mask[t] = 0;
        for (int i = 0; i < 4; i++)
        {
            // the first to have a face takes it as its own; a second one makes it an inner one
            int v[3] = {tets->tets[t].n[tw_tet_faces[i][0]], tets->tets[t].n[tw_tet_faces[i][1]],
                        tets->tets[t].n[tw_tet_faces[i][2]]};
            sort3(v);
            int* owner = tw_table_put(&table, v[0], v[1], v[2], 4 * t + i);
            if (!owner)
            {
                tw_table_clear(&table);
                return tw_fail(err, TW_NO_MEMORY, "no memory for the faces of %d tets", tets->tet_count);
            }
            if (*owner == 4 * t + i)
                mask[t] |= (unsigned char)(1 << i);
            else
                mask[*owner / 4] &= (unsigned char)~(1 << *owner % 4);
        }
    }
    tw_table_clear(&table);
    return TW_OK;
}

// ---- mid-edge nodes ----

// number the edges from first on: node of each edge in mid (tets), their ends in ends. @return false without memory
static bool number_edges(const twTetMesh* tets, int (*mid)[6], int first, int (**ends)[2], int* edge_count)
{
    twTable table = {0};
    int capacity = 0, count = 0;
    bool fine = true;
    for (int t = 0; t < tets->tet_count && fine; t++)
        for (int e = 0; e < 6 && fine; e++)
        {
            int a = tets->tets[t].n[tw_tet_edges[e][0]], b = tets->tets[t].n[tw_tet_edges[e][1]];
            int* node =
                first <= INT_MAX - count ? tw_table_put(&table, a < b ? a : b, a < b ? b : a, 0, first + count) : NULL;
            if (node && *node == first + count && count == capacity)
            {
                capacity = capacity < INT_MAX / 2 ? 2 * capacity + 64 : INT_MAX;
                int(*larger)[2] = realloc(*ends, (size_t)capacity * sizeof *larger);
                if (larger) *ends = larger;
                if (!larger) node = NULL;
            }
            fine = node != NULL;
            if (!fine) break;
            if (*node == first + count)
            {
                (*ends)[count][0] = a;
                (*ends)[count][1] = b;
                count++;
            }
            mid[t][e] = *node;
        }
    tw_table_clear(&table);
    *edge_count = count;
    return fine;
}

double tw_tet_least_jacobian(const twTetMesh* tets, int tet)
{
    static const double corner[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    const twVec3* x = tets->nodes;
    const int *n = tets->tets[tet].n, *m = tets->mid_nodes[tet];
    double straight = tw_tet_det(x, &tets->tets[tet]), least = HUGE_VAL;
    for (int at = 0; at < 10; at++)
    {
        double L[4];
        for (int i = 0; i < 4; i++)
            L[i] = at < 4 ? corner[at][i] : (tw_tet_edges[at - 4][0] == i || tw_tet_edges[at - 4][1] == i) ? 0.5 : 0;

        // d x / d L_i
        twVec3 slope[4];
        for (int i = 0; i < 4; i++) slope[i] = tw_vec3_scale(x[n[i]], 4 * L[i] - 1);
        for (int e = 0; e < 6; e++)
        {
            int a = tw_tet_edges[e][0], b = tw_tet_edges[e][1];
            slope[a] = tw_vec3_add_scaled(slope[a], x[m[e]], 4 * L[b]);
            slope[b] = tw_vec3_add_scaled(slope[b], x[m[e]], 4 * L[a]);
        }
        twVec3 u = tw_vec3_sub(slope[1], slope[0]), v = tw_vec3_sub(slope[2], slope[0]);
        double det = tw_vec3_dot(tw_vec3_cross(u, v), tw_vec3_sub(slope[3], slope[0]));
        if (!(det >= least)) least = det;
    }
    return straight > 0 ? least / straight : 0;
}

// move the mid nodes of boundary edges to the true surface
static void snap_boundary(twTetMesh* tets, const unsigned char* mask, int first, twVec3 (*snap)(twVec3, void*),
                          void* context, unsigned char* moved)
{
    for (int t = 0; t < tets->tet_count; t++)
        for (int e = 0; e < 6; e++)
        {
            // faces opposite to i contain an edge if i is none of its ends
            int a = tw_tet_edges[e][0], b = tw_tet_edges[e][1], node = tets->mid_nodes[t][e];
            bool on_boundary = (mask[t] & ~(1 << a) & ~(1 << b)) != 0;
            if (!on_boundary || moved[node - first]) continue;
            twVec3 point = snap(tets->nodes[node], context);
            if (!isfinite(point.x + point.y + point.z)) continue;
            tets->nodes[node] = point;
            moved[node - first] = 1;
        }
}

// straighten folded elements; that may fold a neighbour, so go on until none is left
static void unfold(twTetMesh* tets, const int (*ends)[2], int first, unsigned char* moved)
{
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int t = 0; t < tets->tet_count; t++)
        {
            const int* mid = tets->mid_nodes[t];
            bool curved = false;
            for (int e = 0; e < 6; e++) curved = curved || moved[mid[e] - first];
            if (!curved || tw_tet_least_jacobian(tets, t) >= LEAST_JACOBIAN) continue;
            for (int e = 0; e < 6; e++)
            {
                const int* end = ends[mid[e] - first];
                tets->nodes[mid[e]] = tw_vec3_scale(tw_vec3_add(tets->nodes[end[0]], tets->nodes[end[1]]), 0.5);
                moved[mid[e] - first] = 0;
            }
            changed = true;
        }
    }
}

static twStatus snap_and_unfold(twTetMesh* tets, const int (*ends)[2], int edge_count,
                                twVec3 (*snap)(twVec3 point, void* context), void* context, twError* err)
{
    int first = tets->node_count - edge_count;
    unsigned char* mask = malloc((size_t)tets->tet_count + 1);
    unsigned char* moved = calloc((size_t)edge_count + 1, 1);
    twStatus status = mask && moved
                          ? tw_tets_boundary(mask, tets, err)
                          : tw_fail(err, TW_NO_MEMORY, "no memory for the boundary of %d tets", tets->tet_count);
    if (status == TW_OK)
    {
        snap_boundary(tets, mask, first, snap, context, moved);
        unfold(tets, ends, first, moved);
    }
    free(mask);
    free(moved);
    return status;
}

twStatus tw_tets_make_quadratic(twTetMesh* tets, twVec3 (*snap)(twVec3 point, void* context), void* context,
                                twError* err)
{
    if (tets->mid_nodes) return tw_fail(err, TW_BAD_INPUT, "the tets have mid-edge nodes already");
    int(*mid)[6] = malloc(((size_t)tets->tet_count + 1) * sizeof *mid);
    int(*ends)[2] = NULL;
    int edge_count = 0;
    bool fine = mid && number_edges(tets, mid, tets->node_count, &ends, &edge_count);
    twVec3* nodes = NULL;
    if (fine) nodes = realloc(tets->nodes, ((size_t)tets->node_count + (size_t)edge_count + 1) * sizeof *nodes);
    if (!nodes)
    {
        free(mid);
        free(ends);
        return tw_fail(err, TW_NO_MEMORY, "no memory for the mid-edge nodes of %d tets", tets->tet_count);
    }
    tets->nodes = nodes;
    for (int e = 0; e < edge_count; e++)
        nodes[tets->node_count + e] = tw_vec3_scale(tw_vec3_add(nodes[ends[e][0]], nodes[ends[e][1]]), 0.5);
    tets->node_count += edge_count;
    tets->mid_nodes = mid;
    twStatus status = snap ? snap_and_unfold(tets, (const int(*)[2])ends, edge_count, snap, context, err) : TW_OK;
    free(ends);
    return status;
}
