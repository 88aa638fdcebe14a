// SPDX-License-Identifier: MIT
// close_: closing holes. The edges of one face form loops; each is filled by a fan of triangles, wound against the
// faces along it, so that every edge is used once in each direction afterwards.
#include "mesh/edges.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The open edges, as the patch runs along them: from `from` to `to`, against their face.
typedef struct CloseEdge
{
    int from, to;
    bool used;
    twVec3 normal;  // of its face, times twice the area
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
        const twVec3 a = mesh->vertices[v[0]], b = mesh->vertices[v[1]], c = mesh->vertices[v[2]];
        const twVec3 normal = tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(c, a));
        list[count++] = (CloseEdge){v[(use % 3 + 1) % 3], v[use % 3], false, normal};
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

// the edges of a loop from one open edge on, into loop; its length, 0 if it does not close
static int close_follow(CloseEdge* list, int count, int first, int* loop)
{
    int length = 0, at = first;
    do {
        list[at].used = true;
        loop[length++] = at;
        if (list[at].to == list[first].from) return length;
        at = close_next(list, count, list[at].to);
    } while (at >= 0);
    return 0;
}

// Where the planes of the faces around a hole meet as nearly as can be, not far from the mean of its vertices: a hole over a
// sharp edge is closed with the edge. Least squares of the distances from the planes, weighted by area.
static twVec3 close_apex(const twMesh* mesh, const CloseEdge* list, const int* loop, int length)
{
    const double pull = 0.01;  // towards the mean, over that of the planes
    twVec3 mean = {0, 0, 0}, right = mean;
    twMat3 sum = tw_mat3_scale(tw_mat3_identity(), 0), inverse;
    double reach = 0;
    for (int i = 0; i < length; i++) mean = tw_vec3_add_scaled(mean, mesh->vertices[list[loop[i]].from], 1.0 / length);
    for (int i = 0; i < length; i++)
    {
        const CloseEdge* edge = &list[loop[i]];
        const twVec3 p = tw_vec3_sub(mesh->vertices[edge->from], mean), n = edge->normal;
        const double size = tw_vec3_norm(n);
        reach = fmax(reach, tw_vec3_norm(p));
        if (size == 0) continue;
        sum = tw_mat3_add(sum, tw_mat3_scale(tw_mat3_outer(n, n), 1 / size));
        right = tw_vec3_add_scaled(right, n, tw_vec3_dot(n, p) / size);
    }
    const double trace = sum.m[0][0] + sum.m[1][1] + sum.m[2][2];
    sum = tw_mat3_add(sum, tw_mat3_scale(tw_mat3_identity(), pull * trace));
    if (!tw_mat3_inverse(&inverse, sum)) return mean;
    const twVec3 off = tw_mat3_mul_vec(inverse, right);
    const double far = tw_vec3_norm(off);
    return tw_vec3_add_scaled(mean, off, far > reach ? reach / far : 1);
}

static void close_fan(twMesh* mesh, const CloseEdge* list, const int* loop, int length)
{
    const int apex = mesh->vertex_count++;
    mesh->vertices[apex] = close_apex(mesh, list, loop, length);
    for (int i = 0; i < length; i++)
        mesh->faces[mesh->face_count++] = (twTriangle){{list[loop[i]].from, list[loop[i]].to, apex}};
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
        close_fan(*out, list, loop, length);
        holes++;
    }
    if (closed) *closed = holes;
    tw_edges_destroy(edges);
    free(list);
    free(loop);
    return status;
}
