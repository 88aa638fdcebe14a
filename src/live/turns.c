// SPDX-License-Identifier: MIT
// How much modes turn what is at the nodes of a set.
//
// At the surface: on a face with the unit normal n, on which barycentric coordinate i has the gradient g_i (tangent), corners
// displaced by u_i tilt it and turn it in its plane by
//
//     w = sum over i of (n . u_i) g_i x n + n (n . g_i x u_i)/2.
//
// The second part is half the curl. The first one is the tilt of the normal; half the curl is the mean of it and of what
// lies below leaning over, and without shear these are the same. A vertex has the mean of its faces, weighted by their angles
// there, so that it does not depend on how a flat part is cut into triangles.
//
// Inside: w = sum over the corners of a tet of g_i x u_i / 2, and a node has the mean of its tets, weighted by volume.
//
// Of a rigid rotation all of these are that rotation.
#include "live/warp.h"
#include "modal/embed.h"
#include <stdlib.h>

// a face, or a tet
typedef struct Tilt
{
    twVec3 normal;       // of a face
    twVec3 gradient[4];  // of barycentric coordinates
    double weight[4];    // in what its corners have; all 0: it has no area or volume
} Tilt;

struct Turns
{
    const twModeSet* set;
    int count;       // nodes
    Tilt* faces;     // (faces)
    Tilt* tets;      // (tets) or NULL
    double* weight;  // (count) sum
    twVec3* turn;    // (count)
};

// ---- the surface ----

static void measure_face(Tilt* tilt, const twModeSet* set, const int v[3])
{
    twVec3 x[3];
    for (int i = 0; i < 3; i++) x[i] = set->vertices[v[i]];
    twVec3 cross = tw_vec3_cross(tw_vec3_sub(x[1], x[0]), tw_vec3_sub(x[2], x[0]));
    double doubled = tw_vec3_norm(cross);
    if (!(doubled > 0)) return;
    tilt->normal = tw_vec3_scale(cross, 1 / doubled);
    for (int i = 0; i < 3; i++)
    {
        twVec3 to = tw_vec3_sub(x[(i + 1) % 3], x[i]), from = tw_vec3_sub(x[(i + 2) % 3], x[i]);
        twVec3 opposite = tw_vec3_sub(x[(i + 2) % 3], x[(i + 1) % 3]);
        tilt->gradient[i] = tw_vec3_scale(tw_vec3_cross(tilt->normal, opposite), 1 / doubled);
        tilt->weight[i] = atan2(doubled, tw_vec3_dot(to, from));
    }
}

// measured from corner 0, so that rounding is of what differs
static twVec3 face_turn(const Tilt* tilt, const twModeSet* set, const int* v, int mode)
{
    twVec3 sum = tw_vec3(0, 0, 0), first = tw_mode_set_shape(set, mode, v[0]), n = tilt->normal;
    for (int i = 1; i < 3; i++)
    {
        twVec3 u = tw_vec3_sub(tw_mode_set_shape(set, mode, v[i]), first), g = tilt->gradient[i];
        sum = tw_vec3_add_scaled(sum, tw_vec3_cross(g, n), tw_vec3_dot(n, u));
        sum = tw_vec3_add_scaled(sum, n, 0.5 * tw_vec3_dot(n, tw_vec3_cross(g, u)));
    }
    return sum;
}

// ---- inside ----

static const int* corners_of(const twModeSet* set, int t) { return set->tets + (size_t)t * (size_t)set->nodes_per_tet; }

// only tets with nodes inside count
static void measure_tet(Tilt* tilt, const twModeSet* set, const int* n)
{
    twVec3 side[3];
    for (int i = 0; i < 3; i++) side[i] = tw_vec3_sub(mode_set_node(set, n[i + 1]), mode_set_node(set, n[0]));
    twMat3 inverse, slope = tw_mat3_transpose(tw_mat3_rows(side[0], side[1], side[2]));
    bool inside = false;
    for (int i = 0; i < set->nodes_per_tet; i++) inside |= n[i] >= set->vertex_count;
    if (!inside || !tw_mat3_inverse(&inverse, slope)) return;
    for (int i = 0; i < 3; i++) tilt->gradient[i + 1] = tw_mat3_row(inverse, i);
    for (int i = 0; i < 4; i++) tilt->weight[i] = fabs(tw_mat3_det(slope));
}

static twVec3 tet_turn(const Tilt* tilt, const twModeSet* set, const int* n, int mode)
{
    twVec3 sum = tw_vec3(0, 0, 0), first = tw_mode_set_shape(set, mode, n[0]);
    for (int i = 1; i < 4; i++)
    {
        twVec3 u = tw_vec3_sub(tw_mode_set_shape(set, mode, n[i]), first);
        sum = tw_vec3_add_scaled(sum, tw_vec3_cross(tilt->gradient[i], u), 0.5);
    }
    return sum;
}

// ---- both ----

static void measure(Turns* turns)
{
    const twModeSet* set = turns->set;
    for (int f = 0; f < set->face_count; f++)
    {
        const int* v = set->faces[f].v;
        measure_face(&turns->faces[f], set, v);
        for (int i = 0; i < 3; i++) turns->weight[v[i]] += turns->faces[f].weight[i];
    }
    for (int t = 0; turns->tets && t < set->tet_count; t++)
    {
        const int* n = corners_of(set, t);
        measure_tet(&turns->tets[t], set, n);
        for (int i = 0; i < set->nodes_per_tet; i++)
            if (n[i] >= set->vertex_count) turns->weight[n[i]] += turns->tets[t].weight[0];
    }
}

Turns* turns_create(const twModeSet* set, bool inside)
{
    Turns* turns = calloc(1, sizeof *turns);
    if (!turns) return NULL;
    turns->set = set;
    turns->count = set->vertex_count + (inside ? set->inner_count : 0);
    turns->faces = calloc((size_t)set->face_count + 1, sizeof *turns->faces);
    turns->tets = inside ? calloc((size_t)set->tet_count + 1, sizeof *turns->tets) : NULL;
    turns->weight = calloc((size_t)turns->count, sizeof *turns->weight);
    turns->turn = calloc((size_t)turns->count, sizeof *turns->turn);
    if (turns->faces && turns->weight && turns->turn && (turns->tets || !inside))
    {
        measure(turns);
        return turns;
    }
    turns_destroy(turns);
    return NULL;
}

void turns_destroy(Turns* turns)
{
    if (!turns) return;
    free(turns->faces);
    free(turns->tets);
    free(turns->weight);
    free(turns->turn);
    free(turns);
}

static void add(twVec3* to, twVec3 turn, double weight) { *to = tw_vec3_add_scaled(*to, turn, weight); }

const twVec3* turns_of(Turns* turns, int mode)
{
    const twModeSet* set = turns->set;
    for (int i = 0; i < turns->count; i++) turns->turn[i] = tw_vec3(0, 0, 0);
    for (int f = 0; f < set->face_count; f++)
    {
        const Tilt* tilt = &turns->faces[f];
        const int* v = set->faces[f].v;
        if (!(tilt->weight[0] > 0)) continue;
        twVec3 w = face_turn(tilt, set, v, mode);
        for (int i = 0; i < 3; i++) add(&turns->turn[v[i]], w, tilt->weight[i]);
    }
    for (int t = 0; turns->tets && t < set->tet_count; t++)
    {
        const Tilt* tilt = &turns->tets[t];
        const int* n = corners_of(set, t);
        if (!(tilt->weight[0] > 0)) continue;
        twVec3 w = tet_turn(tilt, set, n, mode);
        for (int i = 0; i < set->nodes_per_tet; i++)
            if (n[i] >= set->vertex_count) add(&turns->turn[n[i]], w, tilt->weight[0]);
    }
    for (int i = 0; i < turns->count; i++)
        if (turns->weight[i] > 0) turns->turn[i] = tw_vec3_scale(turns->turn[i], 1 / turns->weight[i]);
    return turns->turn;
}
