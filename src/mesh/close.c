// SPDX-License-Identifier: MIT
// close_: closing holes. The edges of one face form loops; each is filled by a fan of triangles about the mean of its
// vertices, wound against the faces along it, so that every edge is used once in each direction afterwards.
#include "mesh/edges.h"
#include <stdlib.h>
#include <string.h>

// The open edges, as the patch runs along them: from `from` to `to`, against their face.
typedef struct CloseEdge
{
    int from, to;
    bool used;
} CloseEdge;

static int close_compare(const void* a, const void* b)
{
    const CloseEdge *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static int close_list(const twMesh* mesh, const twEdges* edges, CloseEdge* list)
{
    int count = 0;
    for (int e = 0; e < edges->count; e++)
    {
        if (tw_edges_faces(edges, e) != 1) continue;
        const int use = edges->uses[edges->start[e]], *v = mesh->faces[use / 3].v;
        list[count++] = (CloseEdge){v[(use % 3 + 1) % 3], v[use % 3], false};
    }
    qsort(list, (size_t)count, sizeof *list, close_compare);
    return count;
}

// the first open edge from a vertex that is not used yet; -1: none
static int close_next(const CloseEdge* list, int count, int vertex)
{
    int low = 0, high = count;
    while (low < high)
    {
        const int middle = (low + high) / 2;
        if (list[middle].from < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < count && list[low].from == vertex && list[low].used) low++;
    return low < count && list[low].from == vertex ? low : -1;
}

// a loop from one open edge on, into loop; its length, 0 if it does not close
static int close_follow(CloseEdge* list, int count, int first, int* loop)
{
    int length = 0, at = first;
    do {
        list[at].used = true;
        loop[length++] = list[at].from;
        if (list[at].to == list[first].from) return length;
        at = close_next(list, count, list[at].to);
    } while (at >= 0);
    return 0;
}

static void close_fan(twMesh* mesh, const int* loop, int length)
{
    twVec3 sum = {0, 0, 0};
    const int middle = mesh->vertex_count++;
    for (int i = 0; i < length; i++) sum = tw_vec3_add(sum, mesh->vertices[loop[i]]);
    mesh->vertices[middle] = tw_vec3_scale(sum, 1.0 / length);
    for (int i = 0; i < length; i++)
        mesh->faces[mesh->face_count++] = (twTriangle){{loop[i], loop[(i + 1) % length], middle}};
}

static twStatus close_copy(twMesh** out, const twMesh* mesh, int open, twError* err)
{
    // a fan has as many faces as its loop has edges, and one vertex
    twStatus status = tw_mesh_create(out, mesh->vertex_count + open, mesh->face_count + open, err);
    if (status != TW_OK) return status;
    memcpy((*out)->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    memcpy((*out)->faces, mesh->faces, (size_t)mesh->face_count * sizeof *mesh->faces);
    (*out)->vertex_count = mesh->vertex_count;
    (*out)->face_count = mesh->face_count;
    return TW_OK;
}

twStatus tw_mesh_close(twMesh** out, const twMesh* mesh, int* closed, twError* err)
{
    *out = NULL;
    twEdges* edges;
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    CloseEdge* list = malloc(((size_t)edges->count + 1) * sizeof *list);
    const int count = list ? close_list(mesh, edges, list) : 0;
    int *loop = malloc(((size_t)count + 1) * sizeof *loop), holes = 0;
    if (!list || !loop) status = tw_fail(err, TW_NO_MEMORY, "no memory for %d open edges", edges->count);
    if (status == TW_OK) status = close_copy(out, mesh, count, err);
    for (int e = 0; status == TW_OK && e < count; e++)
    {
        const int length = list[e].used ? 0 : close_follow(list, count, e, loop);
        if (length < 3) continue;
        close_fan(*out, loop, length);
        holes++;
    }
    if (closed) *closed = holes;
    tw_edges_destroy(edges);
    free(list);
    free(loop);
    return status;
}
