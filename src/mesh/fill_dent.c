// SPDX-License-Identifier: MIT
// Dents and ridges. A boundary edge a b of the mesh that still cuts across a sharp edge of the surface has two boundary
// faces, a b c and a b d. If c and d belong to one patch or sharp edge, the boundary should rather run along c d: then the
// tet a b c d is a dent to be filled, or a ridge to be taken off if it is in the mesh already.
//
//        c                c
//      / | \            /   \        seen from outside; a on top of a plate,
//     a--+--b    ->    a     b       b on its side, c and d on its rim
//      \ | /            \   /
//        d                d
#include "fill.h"
#include <stdlib.h>

static const double LEAST_QUALITY = 0.03;

// two boundary faces of an edge: 4 * tet + the node opposite
typedef struct Hinge
{
    int face[2];
    int count;
} Hinge;

static int third_node(const FillShape* shape, int face, int a, int b)
{
    for (int k = 0; k < 4; k++)
    {
        int n = shape->mesh->tets[face / 4].n[k];
        if (k != face % 4 && n != a && n != b) return n;
    }
    return -1;
}

// index of a boundary edge; they are in order
static int find_edge(const FillShape* shape, int a, int b)
{
    int low = 0, high = shape->edge_count, wanted[2] = {a < b ? a : b, a < b ? b : a};
    while (low < high)
    {
        int middle = (low + high) / 2;
        const int* e = &shape->edges[2 * middle];
        if (e[0] < wanted[0] || (e[0] == wanted[0] && e[1] < wanted[1]))
            low = middle + 1;
        else
            high = middle;
    }
    const int* e = &shape->edges[2 * low];
    return low < shape->edge_count && e[0] == wanted[0] && e[1] == wanted[1] ? low : -1;
}

// the boundary faces of every boundary edge
static Hinge* list_hinges(const FillShape* shape)
{
    Hinge* hinges = calloc((size_t)shape->edge_count + 1, sizeof *hinges);
    for (int i = 0; hinges && i < 4 * shape->mesh->tet_count; i++)
    {
        if (shape->neighbours[i / 4][i % 4] >= 0) continue;
        const int* n = shape->mesh->tets[i / 4].n;
        for (int k = 1; k < 4; k++)
        {
            Hinge* hinge = &hinges[find_edge(shape, n[(i + k) % 4], n[(i + k % 3 + 1) % 4])];
            if (hinge->count < 2) hinge->face[hinge->count] = i;
            hinge->count++;
        }
    }
    return hinges;
}

// is an edge from c to d in the mesh? Look through the tets of c
static bool are_joined(const FillShape* shape, int c, int d)
{
    for (int i = shape->first[c]; i < shape->first[c + 1]; i++)
        for (int k = 0; k < 4; k++)
            if (shape->mesh->tets[shape->star[i]].n[k] == d) return true;
    return false;
}

typedef struct Dents
{
    FillShape* shape;
    bool* touched;  // (nodes) of a tet added or dropped: the lists around it are out of date
    bool* dropped;  // (tets) there were
    bool changed, failed;
} Dents;

static void add_tet(Dents* dents, int a, int b, int c, int d)
{
    FillMesh* mesh = dents->shape->mesh;
    const twVec3* p = mesh->nodes;
    double quality = fill_tet_quality(p[a], p[b], p[c], p[d]);
    twVec3 middle = tw_vec3_scale(tw_vec3_add(tw_vec3_add(p[a], p[b]), tw_vec3_add(p[c], p[d])), 0.25);
    if (quality < LEAST_QUALITY || fill_field_value(dents->shape->field, middle) <= 0) return;
    if (!fill_reserve((void**)&mesh->tets, &mesh->tet_capacity, mesh->tet_count + 1, sizeof *mesh->tets))
    {
        dents->failed = true;
        return;
    }
    mesh->tets[mesh->tet_count++] = (twTet){{a, b, c, d}};
    dents->touched[a] = dents->touched[b] = dents->touched[c] = dents->touched[d] = dents->changed = true;
}

static void drop_tet(Dents* dents, int tet)
{
    const FillShape* shape = dents->shape;
    const int* n = shape->mesh->tets[tet].n;
    twVec3 middle = {0, 0, 0};
    for (int k = 0; k < 4; k++) middle = tw_vec3_add_scaled(middle, shape->mesh->nodes[n[k]], 0.25);
    if (fill_field_value(shape->field, middle) >= 0) return;
    dents->dropped[tet] = dents->changed = true;
    for (int k = 0; k < 4; k++) dents->touched[n[k]] = true;
}

static void swap_edge(Dents* dents, const Hinge* hinge, int a, int b)
{
    const FillShape* shape = dents->shape;
    int c = third_node(shape, hinge->face[0], a, b), d = third_node(shape, hinge->face[1], a, b);
    if (c == d || dents->touched[c] || dents->touched[d] || !fill_have_common(shape, c, d)) return;
    if (hinge->face[0] / 4 == hinge->face[1] / 4)
        drop_tet(dents, hinge->face[0] / 4);
    else if (!are_joined(shape, c, d))
    {
        // the node opposite to the face is on the inner side of it: c turns about the edge away from it
        twVec3 pa = shape->mesh->nodes[a], ab = tw_vec3_sub(shape->mesh->nodes[b], pa);
        twVec3 ac = tw_vec3_sub(shape->mesh->nodes[c], pa), ad = tw_vec3_sub(shape->mesh->nodes[d], pa);
        int opposite = shape->mesh->tets[hinge->face[0] / 4].n[hinge->face[0] % 4];
        twVec3 normal = tw_vec3_cross(ab, ac), ai = tw_vec3_sub(shape->mesh->nodes[opposite], pa);
        double inner = tw_vec3_dot(normal, ai), outer = tw_vec3_dot(normal, ad);
        if (inner * outer < 0) add_tet(dents, a, b, outer > 0 ? c : d, outer > 0 ? d : c);
    }
}

static void mend_edge(Dents* dents, int edge, const Hinge* hinge)
{
    int a = dents->shape->edges[2 * edge], b = dents->shape->edges[2 * edge + 1];
    if (dents->touched[a] || dents->touched[b] || fill_have_common(dents->shape, a, b)) return;
    if (hinge->count == 2) swap_edge(dents, hinge, a, b);
}

static void pack(FillMesh* mesh, const bool* dropped, int count)
{
    int kept = 0;
    for (int i = 0; i < mesh->tet_count; i++)
        if (i >= count || !dropped[i]) mesh->tets[kept++] = mesh->tets[i];
    mesh->tet_count = kept;
}

twStatus fill_dents(FillShape* shape, bool* changed, twError* err)
{
    int count = shape->mesh->tet_count;
    Hinge* hinges = list_hinges(shape);
    Dents dents = {.shape = shape};
    dents.touched = calloc((size_t)shape->mesh->node_count + 1, sizeof *dents.touched);
    dents.dropped = calloc((size_t)count + 1, sizeof *dents.dropped);
    dents.failed = !hinges || !dents.touched || !dents.dropped;
    for (int i = 0; !dents.failed && i < shape->edge_count; i++) mend_edge(&dents, i, &hinges[i]);
    if (!dents.failed) pack(shape->mesh, dents.dropped, count);
    *changed = dents.changed;
    free(hinges);
    free(dents.touched);
    free(dents.dropped);
    return dents.failed ? tw_fail(err, TW_NO_MEMORY, "fill: no memory for the edges of %d tets", count) : TW_OK;
}
