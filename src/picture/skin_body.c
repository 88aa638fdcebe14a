// SPDX-License-Identifier: MIT
// The surface of a body. Faces that share an edge and meet at less than CREASE belong together; a vertex is there once for
// every such group of faces around it. Its normal is the mean of its group's, weighted by the angles of their corners
// (Thurmer and Wuthrich, J. Graphics Tools 3, 1998), with the weights of the body at rest.

#include "skin.h"
#include <stdlib.h>
#include <string.h>

#define CREASE_COS 0.77  // 40 degrees

// the corners (face * 3 + i) around every vertex
typedef struct Fans
{
    int* first;    // (vertices + 1)
    int* corner;   // (faces x 3)
    int* group;    // (faces x 3) union-find over corners: its parent
    twVec3* face;  // unit normal (faces)
} Fans;

static void free_fans(Fans* fans)
{
    free(fans->first);
    free(fans->corner);
    free(fans->group);
    free(fans->face);
}

static int root(int* group, int i)
{
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
}

static twVec3 face_normal(twVec3 a, twVec3 b, twVec3 c)
{
    return tw_vec3_normalize(tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(c, a)));
}

static bool make_fans(Fans* fans, const twModeSet* set)
{
    const size_t corners = 3 * (size_t)set->face_count;
    fans->first = calloc((size_t)set->vertex_count + 2, sizeof *fans->first);
    fans->corner = malloc((corners + 1) * sizeof *fans->corner);
    fans->group = malloc((corners + 1) * sizeof *fans->group);
    fans->face = malloc(((size_t)set->face_count + 1) * sizeof *fans->face);
    if (!fans->first || !fans->corner || !fans->group || !fans->face) return false;

    // count, sum up, fill: first[v] ends where it should begin
    for (size_t c = 0; c < corners; c++) fans->first[set->faces[c / 3].v[c % 3] + 1]++;
    for (int v = 0; v < set->vertex_count; v++) fans->first[v + 1] += fans->first[v];
    for (size_t c = corners; c-- > 0;)
    {
        int v = set->faces[c / 3].v[c % 3];
        fans->corner[--fans->first[v + 1]] = (int)c;
        fans->group[c] = (int)c;
    }
    for (int v = 0; v < set->vertex_count; v++) fans->first[v] = fans->first[v + 1];
    fans->first[set->vertex_count] = (int)corners;
    for (int f = 0; f < set->face_count; f++)
    {
        const int* v = set->faces[f].v;
        fans->face[f] = face_normal(set->vertices[v[0]], set->vertices[v[1]], set->vertices[v[2]]);
    }
    return true;
}

// whether two corners at one vertex belong to faces that share an edge there and meet smoothly
static bool joined(const Fans* fans, const twModeSet* set, int a, int b)
{
    if (tw_vec3_dot(fans->face[a / 3], fans->face[b / 3]) < CREASE_COS) return false;
    const int *va = set->faces[a / 3].v, *vb = set->faces[b / 3].v;
    const int next_a = va[(a % 3 + 1) % 3], last_a = va[(a % 3 + 2) % 3];
    const int next_b = vb[(b % 3 + 1) % 3], last_b = vb[(b % 3 + 2) % 3];
    return next_a == last_b || last_a == next_b;
}

// one vertex per group; *count is how many. index (faces x 3): the new vertex of each corner
static void number_groups(Fans* fans, const twModeSet* set, int* index, int* count)
{
    *count = 0;
    for (int v = 0; v < set->vertex_count; v++)
    {
        const int from = fans->first[v], to = fans->first[v + 1];
        for (int i = from; i < to; i++)
            for (int k = i + 1; k < to; k++)
                if (joined(fans, set, fans->corner[i], fans->corner[k]))
                    fans->group[root(fans->group, fans->corner[i])] = root(fans->group, fans->corner[k]);
        for (int i = from; i < to; i++)
            if (root(fans->group, fans->corner[i]) == fans->corner[i]) index[fans->corner[i]] = (*count)++;
        for (int i = from; i < to; i++) index[fans->corner[i]] = index[root(fans->group, fans->corner[i])];
    }
}

static float corner_angle(const twModeSet* set, int f, int i)
{
    const int* v = set->faces[f].v;
    const twVec3 at = set->vertices[v[i]];
    const twVec3 a = tw_vec3_normalize(tw_vec3_sub(set->vertices[v[(i + 1) % 3]], at));
    const twVec3 b = tw_vec3_normalize(tw_vec3_sub(set->vertices[v[(i + 2) % 3]], at));
    return (float)acos(fmax(-1, fmin(1, tw_vec3_dot(a, b))));
}

void skin_body_normals(const twSkinPart* part, const SkinBody* body, const float* positions, float* normals)
{
    memset(normals, 0, 3 * (size_t)part->vertex_count * sizeof *normals);
    for (int f = 0; f < part->face_count; f++)
    {
        const int* v = part->faces[f].v;
        const float *a = positions + 3 * v[0], *b = positions + 3 * v[1], *c = positions + 3 * v[2];
        const float p[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, q[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const float n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        const float size = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int i = 0; i < 3 && size > 0; i++)
        {
            const float w = body->weight[3 * f + i] / size;
            for (int k = 0; k < 3; k++) normals[3 * v[i] + k] += w * n[k];
        }
    }
    for (int i = 0; i < part->vertex_count; i++)
    {
        twVec3 n = tw_vec3_normalize(skin_vec3(normals + 3 * i));
        skin_put(normals + 3 * i, tw_vec3_max(n) > 0 ? n : tw_vec3(0, 0, 1));
    }
}

static twStatus fill(twSkinPart* part, SkinBody* body, const twModeSet* set, const int* index, twArena* arena,
                     twError* err)
{
    const size_t vertices = (size_t)part->vertex_count, faces = (size_t)part->face_count;
    float *rest = tw_arena_alloc(arena, 3 * vertices, sizeof *rest),
          *normal = tw_arena_alloc(arena, 3 * vertices, sizeof *normal),
          *weight = tw_arena_alloc(arena, 3 * faces, sizeof *weight);
    int* source = tw_arena_alloc(arena, vertices, sizeof *source);
    twTriangle* triangles = tw_arena_alloc(arena, faces, sizeof *triangles);
    if (!rest || !normal || !weight || !source || !triangles)
        return tw_fail(err, TW_NO_MEMORY, "no memory for the surface of '%s'", part->name);
    for (int f = 0; f < part->face_count; f++)
        for (int i = 0; i < 3; i++)
        {
            const int from = set->faces[f].v[i], to = index[3 * f + i];
            triangles[f].v[i] = to;
            source[to] = from;
            skin_put(rest + 3 * to, set->vertices[from]);
            weight[3 * f + i] = corner_angle(set, f, i);
        }
    part->rest = rest;
    part->faces = triangles;
    part->source = source;
    body->weight = weight;
    skin_body_normals(part, body, rest, normal);
    part->rest_normal = normal;
    return TW_OK;
}

twStatus skin_body(twSkinPart* part, SkinBody* body, const twTraceBody* from, twArena* arena, twError* err)
{
    const twModeSet* set = from->set;
    Fans fans = {0};
    int* index = malloc((3 * (size_t)set->face_count + 1) * sizeof *index);
    twStatus status = TW_OK;
    if (index && make_fans(&fans, set))
    {
        number_groups(&fans, set, index, &part->vertex_count);
        part->face_count = set->face_count;
        part->joint_count = 1;
        part->mode_count = set->mode_count;
        status = fill(part, body, set, index, arena, err);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory for the surface of '%s'", from->name);
    free_fans(&fans);
    free(index);
    return status;
}
