// SPDX-License-Identifier: MIT
// How a surface is: pieces (faces joined by edges), edges of one face, loops of them, edges of more than two, faces that
// cross. A surface is closed if every edge has two faces.
#include "mesh/copy.h"
#include "mesh/mend.h"
#include <stdlib.h>
#include <string.h>

// sets that are left after joining, among those marked
static int count_sets(int* parent, const unsigned char* marked, int count)
{
    int sets = 0;
    for (int i = 0; i < count; i++) sets += (!marked || marked[i]) && parent[i] == i;
    return sets;
}

static int count_components(const twMesh* mesh, const twEdges* edges, int* parent)
{
    for (int f = 0; f < mesh->face_count; f++) parent[f] = f;
    for (int e = 0; e < edges->count; e++)
        for (int u = edges->start[e] + 1; u < edges->start[e + 1]; u++)
            tw_union_join(parent, edges->uses[edges->start[e]] / 3, edges->uses[u] / 3);
    return count_sets(parent, NULL, mesh->face_count);
}

// loops of boundary edges; loops that touch at a vertex are one
static int count_holes(const twMesh* mesh, const twEdges* edges, int* parent, unsigned char* marked)
{
    memset(marked, 0, (size_t)mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) parent[v] = v;
    for (int e = 0; e < edges->count; e++)
    {
        if (tw_edges_faces(edges, e) != 1) continue;
        marked[edges->ends[e][0]] = marked[edges->ends[e][1]] = 1;
        tw_union_join(parent, edges->ends[e][0], edges->ends[e][1]);
    }
    return count_sets(parent, marked, mesh->vertex_count);
}

// How often an odd edge is used from its smaller end to the larger, less the other way. Even ones bound nothing.
static int imbalance(const twMesh* mesh, const twEdges* edges, int e)
{
    int net = 0;
    if (tw_edges_faces(edges, e) % 2 == 0) return 0;
    for (int u = edges->start[e]; u < edges->start[e + 1]; u++) net += tw_edges_forward(mesh, edges->uses[u]) ? 1 : -1;
    return net;
}

// Area of the flattest patches over the holes: for each loop of odd edges from a to b, |sum of (a - o) x (b - o)| / 2
// about any point o.
static double hole_area(const twMesh* mesh, const twEdges* edges, int* parent, twVec3* sums)
{
    double area = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        parent[v] = v;
        sums[v] = tw_vec3(0, 0, 0);
    }
    for (int e = 0; e < edges->count; e++)
        if (imbalance(mesh, edges, e) != 0) tw_union_join(parent, edges->ends[e][0], edges->ends[e][1]);
    for (int e = 0; e < edges->count; e++)
    {
        int net = imbalance(mesh, edges, e);
        if (net == 0) continue;
        int root = tw_union_root(parent, edges->ends[e][0]);
        twVec3 o = mesh->vertices[root], a = tw_vec3_sub(mesh->vertices[edges->ends[e][0]], o);
        sums[root] = tw_vec3_add_scaled(sums[root], tw_vec3_cross(a, tw_vec3_sub(mesh->vertices[edges->ends[e][1]], o)),
                                        0.5 * net);
    }
    for (int v = 0; v < mesh->vertex_count; v++) area += tw_vec3_norm(sums[v]);
    return area;
}

static double total_area(const twMesh* mesh)
{
    double area = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        twVec3 a = mesh->vertices[v[0]];
        area += 0.5 *
                tw_vec3_norm(tw_vec3_cross(tw_vec3_sub(mesh->vertices[v[1]], a), tw_vec3_sub(mesh->vertices[v[2]], a)));
    }
    return area;
}

twStatus tw_check_topology(twMeshReport* report, const twMesh* mesh, twError* err)
{
    twEdges* edges;
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    size_t items = (size_t)(mesh->face_count > mesh->vertex_count ? mesh->face_count : mesh->vertex_count) + 1;
    int* parent = malloc(items * sizeof *parent);
    unsigned char* marked = malloc(items);
    twVec3* sums = malloc(items * sizeof *sums);
    if (parent && marked && sums)
    {
        report->components = count_components(mesh, edges, parent);
        report->holes = count_holes(mesh, edges, parent, marked);
        report->hole_area = hole_area(mesh, edges, parent, sums);
        for (int e = 0; e < edges->count; e++)
        {
            report->boundary_edges += tw_edges_faces(edges, e) == 1;
            report->nonmanifold_edges += tw_edges_faces(edges, e) > 2;
        }
        report->self_intersections = tw_count_crossings(mesh, &report->more_crossings);
    }
    if (!parent || !marked || !sums || report->self_intersections < 0)
        status = tw_fail(err, TW_NO_MEMORY, "no memory to check %d faces", mesh->face_count);
    free(parent);
    free(marked);
    free(sums);
    tw_edges_destroy(edges);
    twVec3 low, high;
    if (tw_mesh_box(mesh, &low, &high)) report->size = tw_vec3_norm(tw_vec3_sub(high, low));
    report->area = total_area(mesh);
    report->volume = tw_mesh_mass(mesh, 1).volume;
    return status;
}

// ---- of any mesh ----

// leave only faces that have three different vertices in good places, and blank the places that are bad
static void keep_sound(twMesh* mesh)
{
    int count = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        bool sound = v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
        for (int i = 0; i < 3; i++)
            sound = sound && v[i] >= 0 && v[i] < mesh->vertex_count && tw_is_place(mesh->vertices[v[i]]);
        if (sound) mesh->faces[count++] = mesh->faces[f];
    }
    mesh->face_count = count;
}

// bad places would spoil the reference point of the volume
static void blank_bad(twMesh* mesh)
{
    twVec3 low, high;
    if (!tw_mesh_box(mesh, &low, &high)) low = tw_vec3(0, 0, 0);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (!tw_is_place(mesh->vertices[v])) mesh->vertices[v] = low;
}

twMeshReport tw_mesh_check(const twMesh* mesh)
{
    twMeshReport report = {0};
    twMesh *as_is, *mended;
    tw_mesh_copy(&as_is, mesh, NULL);
    tw_mesh_copy(&mended, mesh, NULL);
    twStatus status = as_is && mended ? TW_OK : TW_NO_MEMORY;
    if (status == TW_OK) status = tw_mend_faces(mended, 0, &report, NULL);
    if (status == TW_OK)
    {
        keep_sound(as_is);
        blank_bad(as_is);
        status = tw_check_topology(&report, as_is, NULL);
    }
    if (status != TW_OK) report.components = -1;
    tw_mesh_destroy(as_is);
    tw_mesh_destroy(mended);
    return report;
}
