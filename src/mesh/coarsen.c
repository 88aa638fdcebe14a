// SPDX-License-Identifier: MIT
// Fewer triangles for the same surface: edges are collapsed, the cheapest first, where
//
//   cost = length^2 + STIFFNESS distance^2
//
// and distance is how far the joined vertex lies from the planes it stands for (quadric.h). Short edges go first, so that
// triangles become even, as panels of equal waves should be; what lies off the surface costs more than its size, so that
// edges, rims and thin walls stay. A collapse must leave the surface as it is connected (its ends have exactly two
// neighbours in common), turn no face over and make no needle.

#include "coarsen_queue.h"
#include "quadric.h"
#include "twang/mesh.h"
#include <stdlib.h>

#define STIFFNESS 1000.0
#define SPRING 1e-3
#define LEAST_TURN 0.3     // cosine between normals of a face before and after
#define LEAST_HEIGHT 0.04  // of a triangle over its longest side; worse ones must get better

typedef struct Surface
{
    int vertex_count, face_count, alive;  // faces left
    twVec3* places;                       // (vertices)
    Quadric* quadrics;                    // (vertices)
    int* age;                             // (vertices) changes so far; -1: gone
    int* into;                            // (vertices) the vertex it was joined to, or itself
    int *head, *tail, *next;              // corners 3 f + i of a vertex; -1 ends the list
    twTriangle* faces;                    // v[0] < 0: gone
    int* mark;                            // (vertices) number of the last search that met it
    int search;
    CoarsenQueue queue;
} Surface;

static void surface_free(Surface* s)
{
    free(s->places);
    free(s->quadrics);
    free(s->age);
    free(s->into);
    free(s->head);
    free(s->tail);
    free(s->next);
    free(s->faces);
    free(s->mark);
    coarsen_queue_free(&s->queue);
}

// ---- setting up ----

static twVec3 area_vector(const twVec3 corner[3])
{
    return tw_vec3_scale(tw_vec3_cross(tw_vec3_sub(corner[1], corner[0]), tw_vec3_sub(corner[2], corner[0])), 0.5);
}

static bool surface_alloc(Surface* s, const twMesh* mesh)
{
    size_t vertices = (size_t)mesh->vertex_count + 1, faces = (size_t)mesh->face_count + 1;
    s->vertex_count = mesh->vertex_count;
    s->face_count = s->alive = mesh->face_count;
    s->places = malloc(vertices * sizeof *s->places);
    s->quadrics = calloc(vertices, sizeof *s->quadrics);
    s->age = calloc(vertices, sizeof *s->age);
    s->into = malloc(vertices * sizeof *s->into);
    s->head = malloc(vertices * sizeof *s->head);
    s->tail = malloc(vertices * sizeof *s->tail);
    s->next = malloc(3 * faces * sizeof *s->next);
    s->faces = malloc(faces * sizeof *s->faces);
    s->mark = calloc(vertices, sizeof *s->mark);
    return s->places && s->quadrics && s->age && s->into && s->head && s->tail && s->next && s->faces && s->mark;
}

static void append_corner(Surface* s, int vertex, int corner)
{
    if (s->head[vertex] < 0)
        s->head[vertex] = corner;
    else
        s->next[s->tail[vertex]] = corner;
    s->tail[vertex] = corner;
    s->next[corner] = -1;
}

static void surface_fill(Surface* s, const twMesh* mesh)
{
    // places are taken from the first vertex, so that squares keep their digits far from the origin
    for (int i = 0; i < s->vertex_count; i++)
    {
        s->places[i] = tw_vec3_sub(mesh->vertices[i], mesh->vertices[0]);
        s->into[i] = i;
        s->head[i] = s->tail[i] = -1;
    }
    for (int f = 0; f < s->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        twVec3 corner[3] = {s->places[v[0]], s->places[v[1]], s->places[v[2]]}, n = area_vector(corner);
        double area = sqrt(tw_vec3_dot(n, n));
        s->faces[f] = mesh->faces[f];
        for (int i = 0; i < 3; i++)
        {
            append_corner(s, v[i], 3 * f + i);
            if (!(area > 0)) continue;
            twVec3 unit = tw_vec3_scale(n, 1 / area);
            s->quadrics[v[i]] = quadric_add(s->quadrics[v[i]], quadric_of(unit, tw_vec3_dot(unit, corner[0]), area));
        }
    }
}

// ---- edges ----

static bool gone(const Surface* s, int face) { return s->faces[face].v[0] < 0; }

// where both ends of an edge go, and what it costs
static double edge_cost(const Surface* s, int u, int v, twVec3* place)
{
    twVec3 d = tw_vec3_sub(s->places[u], s->places[v]);
    twVec3 middle = tw_vec3_scale(tw_vec3_add(s->places[u], s->places[v]), 0.5);
    Quadric q = quadric_add(s->quadrics[u], s->quadrics[v]);
    *place = quadric_best(&q, middle, SPRING);
    return tw_vec3_dot(d, d) + STIFFNESS * quadric_at(&q, *place);
}

static bool put_edge(Surface* s, int u, int v)
{
    twVec3 place;
    if (u > v)
    {
        int swap = u;
        u = v;
        v = swap;
    }
    return coarsen_queue_put(&s->queue, (QueueItem){edge_cost(s, u, v, &place), u, v, s->age[u] + s->age[v]});
}

static bool put_all_edges(Surface* s)
{
    for (int f = 0; f < s->face_count; f++)
        for (int i = 0; i < 3; i++)
        {
            int u = s->faces[f].v[i], v = s->faces[f].v[(i + 1) % 3];
            // each edge of a closed surface is run through in both directions
            if (u < v && !put_edge(s, u, v)) return false;
        }
    return true;
}

// all edges of a vertex anew
static bool put_edges_of(Surface* s, int v)
{
    s->search++;
    for (int c = s->head[v]; c >= 0; c = s->next[c])
        for (int i = 0; i < 3 && !gone(s, c / 3); i++)
        {
            int u = s->faces[c / 3].v[i];
            if (u == v || s->mark[u] == s->search) continue;
            s->mark[u] = s->search;
            if (!put_edge(s, u, v)) return false;
        }
    return true;
}

// ---- what may be collapsed ----

static int faces_of(const Surface* s, int v)
{
    int count = 0;
    for (int c = s->head[v]; c >= 0; c = s->next[c]) count += !gone(s, c / 3);
    return count;
}

static bool has(const twTriangle* face, int v) { return face->v[0] == v || face->v[1] == v || face->v[2] == v; }

// the two ends share two faces and two neighbours, and those stay with three faces at least
static bool may_join(Surface* s, int u, int v)
{
    int shared_faces = 0, shared = 0;
    s->search++;
    for (int c = s->head[u]; c >= 0; c = s->next[c])
        for (int i = 0; i < 3 && !gone(s, c / 3); i++) s->mark[s->faces[c / 3].v[i]] = s->search;
    int seen = s->search++;
    for (int c = s->head[v]; c >= 0; c = s->next[c])
    {
        if (gone(s, c / 3)) continue;
        const twTriangle* face = &s->faces[c / 3];
        shared_faces += has(face, u);
        for (int i = 0; i < 3; i++)
        {
            int w = face->v[i];
            if (w == u || w == v || s->mark[w] != seen) continue;
            s->mark[w] = s->search;
            if (++shared > 2 || faces_of(s, w) <= 3) return false;
        }
    }
    return shared == 2 && shared_faces == 2;
}

static double height_over_side(const twVec3 corner[3])
{
    twVec3 n = area_vector(corner);
    double longest = 0;
    for (int i = 0; i < 3; i++)
    {
        twVec3 d = tw_vec3_sub(corner[(i + 1) % 3], corner[i]);
        longest = fmax(longest, tw_vec3_dot(d, d));
    }
    return longest > 0 ? 2 * sqrt(tw_vec3_dot(n, n)) / longest : 0;
}

// the faces of v but those with other keep their side and their shape when v moves
static bool faces_stay_good(const Surface* s, int v, int other, twVec3 place)
{
    for (int c = s->head[v]; c >= 0; c = s->next[c])
    {
        const twTriangle* face = &s->faces[c / 3];
        if (gone(s, c / 3) || has(face, other)) continue;
        twVec3 old[3], new[3];
        for (int i = 0; i < 3; i++)
        {
            old[i] = s->places[face->v[i]];
            new[i] = face->v[i] == v ? place : old[i];
        }
        twVec3 m = area_vector(old), n = area_vector(new);
        double both = sqrt(tw_vec3_dot(m, m) * tw_vec3_dot(n, n));
        if (both > 0 && tw_vec3_dot(m, n) < LEAST_TURN * both) return false;
        double height = height_over_side(new);
        if (height < LEAST_HEIGHT && height <= height_over_side(old)) return false;
    }
    return true;
}

// ---- collapsing ----

// u goes into v
static bool collapse(Surface* s, int u, int v, twVec3 place)
{
    for (int c = s->head[u]; c >= 0; c = s->next[c])
    {
        twTriangle* face = &s->faces[c / 3];
        if (gone(s, c / 3)) continue;
        if (has(face, v))
        {
            face->v[0] = -1;
            s->alive--;
        }
        else
            face->v[c % 3] = v;
    }
    s->next[s->tail[v]] = s->head[u];
    s->tail[v] = s->tail[u];
    s->places[v] = place;
    s->quadrics[v] = quadric_add(s->quadrics[v], s->quadrics[u]);
    s->into[u] = v;
    s->age[u] = -1;
    s->age[v]++;
    return put_edges_of(s, v);
}

static twStatus collapse_to(Surface* s, int wanted, twError* err)
{
    bool memory = put_all_edges(s);
    while (memory && s->alive > wanted && s->queue.count > 0)
    {
        QueueItem item = coarsen_queue_take(&s->queue);
        twVec3 place;
        if (s->age[item.u] < 0 || s->age[item.v] < 0 || s->age[item.u] + s->age[item.v] != item.age) continue;
        edge_cost(s, item.u, item.v, &place);
        if (!may_join(s, item.u, item.v) || !faces_stay_good(s, item.u, item.v, place) ||
            !faces_stay_good(s, item.v, item.u, place))
            continue;
        memory = collapse(s, item.v, item.u, place);
    }
    return memory ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory to coarsen %d faces", s->face_count);
}

// ---- the result ----

// numbers of the vertices left, in mark. @return how many
static int number_vertices(Surface* s)
{
    int count = 0;
    for (int i = 0; i < s->vertex_count; i++)
        if (s->age[i] >= 0 && faces_of(s, i) > 0) s->mark[i] = count++;
    return count;
}

static twStatus surface_result(twMesh** out, Surface* s, twVec3 origin, int* stands, twError* err)
{
    int vertices = number_vertices(s), faces = 0;
    twStatus status = tw_mesh_create(out, vertices, s->alive, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < s->vertex_count; i++)
    {
        int root = i;
        while (s->into[root] != root) root = s->into[root] = s->into[s->into[root]];
        bool used = faces_of(s, root) > 0;
        if (stands) stands[i] = used ? s->mark[root] : -1;
        if (root == i && used) (*out)->vertices[s->mark[i]] = tw_vec3_add(s->places[i], origin);
    }
    for (int f = 0; f < s->face_count; f++)
    {
        if (gone(s, f)) continue;
        for (int i = 0; i < 3; i++) (*out)->faces[faces].v[i] = s->mark[s->faces[f].v[i]];
        faces++;
    }
    return TW_OK;
}

static twStatus check_input(const twMesh* mesh, int face_count, twError* err)
{
    if (face_count < 4) return tw_fail(err, TW_BAD_INPUT, "a closed surface has 4 faces at least, not %d", face_count);
    for (int i = 0; i < mesh->vertex_count; i++)
        if (!isfinite(mesh->vertices[i].x + mesh->vertices[i].y + mesh->vertices[i].z))
            return tw_fail(err, TW_BAD_INPUT, "vertex %d is not finite", i);
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        for (int i = 0; i < 3; i++)
            if (v[i] < 0 || v[i] >= mesh->vertex_count || v[i] == v[(i + 1) % 3])
                return tw_fail(err, TW_BAD_INPUT, "face %d names vertices %d, %d and %d of %d", f, v[0], v[1], v[2],
                               mesh->vertex_count);
    }
    return TW_OK;
}

twStatus tw_mesh_coarsen(twMesh** out, const twMesh* mesh, int face_count, int* stands, twError* err)
{
    *out = NULL;
    twStatus status = check_input(mesh, face_count, err);
    if (status != TW_OK) return status;
    Surface s = {0};
    if (surface_alloc(&s, mesh))
    {
        surface_fill(&s, mesh);
        status = collapse_to(&s, face_count, err);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory to coarsen %d faces", mesh->face_count);
    twVec3 origin = mesh->vertex_count > 0 ? mesh->vertices[0] : (twVec3){0, 0, 0};
    if (status == TW_OK) status = surface_result(out, &s, origin, stands, err);
    surface_free(&s);
    return status;
}
