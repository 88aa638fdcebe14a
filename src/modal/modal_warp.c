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
#include "modal/modal_warp.h"
#include "modal/embed.h"
#include <stdlib.h>

// sums over the faces and tets of each node
typedef struct Turns
{
    const twModeSet* set;
    int mode_count;
    size_t count;    // nodes
    twVec3* turn;    // (modes x count)
    double* weight;  // (count)
} Turns;

static void turns_add(Turns* t, int node, int mode, twVec3 turn, double weight)
{
    twVec3* to = t->turn + (size_t)mode * t->count + node;
    *to = tw_vec3_add_scaled(*to, turn, weight);
}

// displacement of a node against another one, so that rounding is of what differs
static twVec3 turns_way(const twModeSet* set, int mode, int node, int from)
{
    return tw_vec3_sub(tw_mode_set_shape(set, mode, node), tw_mode_set_shape(set, mode, from));
}

static void turns_add_face(Turns* t, const int v[3])
{
    const twVec3* x = t->set->vertices;
    const twVec3 cross = tw_vec3_cross(tw_vec3_sub(x[v[1]], x[v[0]]), tw_vec3_sub(x[v[2]], x[v[0]]));
    const double doubled = tw_vec3_norm(cross);
    if (!(doubled > 0)) return;
    const twVec3 n = tw_vec3_scale(cross, 1 / doubled);
    twVec3 gradient[3];
    double angle[3];
    for (int i = 0; i < 3; i++)
    {
        const twVec3 here = x[v[i]], next = x[v[(i + 1) % 3]], last = x[v[(i + 2) % 3]];
        gradient[i] = tw_vec3_scale(tw_vec3_cross(n, tw_vec3_sub(last, next)), 1 / doubled);
        angle[i] = atan2(doubled, tw_vec3_dot(tw_vec3_sub(next, here), tw_vec3_sub(last, here)));
        t->weight[v[i]] += angle[i];
    }
    for (int k = 0; k < t->mode_count; k++)
    {
        twVec3 w = tw_vec3(0, 0, 0);
        for (int i = 1; i < 3; i++)
        {
            const twVec3 u = turns_way(t->set, k, v[i], v[0]), g = gradient[i];
            w = tw_vec3_add_scaled(w, tw_vec3_cross(g, n), tw_vec3_dot(n, u));
            w = tw_vec3_add_scaled(w, n, 0.5 * tw_vec3_dot(n, tw_vec3_cross(g, u)));
        }
        for (int i = 0; i < 3; i++) turns_add(t, v[i], k, w, angle[i]);
    }
}

// nodes at the surface have the turn of their faces
static void turns_add_tet(Turns* t, const int* n)
{
    const twModeSet* set = t->set;
    twVec3 side[3];
    for (int i = 0; i < 3; i++) side[i] = tw_vec3_sub(mode_set_node(set, n[i + 1]), mode_set_node(set, n[0]));
    twMat3 gradient, slope = tw_mat3_transpose(tw_mat3_rows(side[0], side[1], side[2]));
    if (!tw_mat3_inverse(&gradient, slope)) return;
    const double volume = fabs(tw_mat3_det(slope));
    for (int i = 0; i < set->nodes_per_tet; i++)
        if (n[i] >= set->vertex_count) t->weight[n[i]] += volume;
    for (int k = 0; k < t->mode_count; k++)
    {
        twVec3 w = tw_vec3(0, 0, 0);
        for (int i = 1; i < 4; i++)
        {
            const twVec3 u = turns_way(set, k, n[i], n[0]);
            w = tw_vec3_add_scaled(w, tw_vec3_cross(tw_mat3_row(gradient, i - 1), u), 0.5);
        }
        for (int i = 0; i < set->nodes_per_tet; i++)
            if (n[i] >= set->vertex_count) turns_add(t, n[i], k, w, volume);
    }
}

twVec3* turns_create(const twModeSet* set, int mode_count, bool inside)
{
    Turns t = {.set = set, .mode_count = mode_count};
    t.count = (size_t)set->vertex_count + (size_t)(inside ? set->inner_count : 0);
    t.turn = calloc(t.count * (size_t)mode_count + 1, sizeof *t.turn);
    t.weight = calloc(t.count + 1, sizeof *t.weight);
    const bool fine = t.turn && t.weight;
    for (int f = 0; fine && f < set->face_count; f++) turns_add_face(&t, set->faces[f].v);
    for (int e = 0; fine && inside && e < set->tet_count; e++)
        turns_add_tet(&t, set->tets + (size_t)e * (size_t)set->nodes_per_tet);
    for (size_t i = 0; fine && i < t.count * (size_t)mode_count; i++)
        if (t.weight[i % t.count] > 0) t.turn[i] = tw_vec3_scale(t.turn[i], 1 / t.weight[i % t.count]);
    free(t.weight);
    if (fine) return t.turn;
    free(t.turn);
    return NULL;
}
