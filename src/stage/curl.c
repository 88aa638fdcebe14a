// SPDX-License-Identifier: MIT
// How much modes turn what is at the surface. On a face with the unit normal n, on which barycentric coordinate i has the
// gradient g_i (tangent), corners displaced by u_i tilt it and turn it in its plane by
//
//     w = sum over i of (n . u_i) g_i x n + n (n . g_i x u_i)/2.
//
// The second part is half the curl. The first one is the tilt of the normal; half the curl is the mean of it and of what
// lies below leaning over, and without shear these are the same. A rigid rotation comes out exactly. A vertex has the mean of its
// faces, weighted by their angles there, so that it does not depend on how a flat part is cut into triangles.
#include "stage/warp.h"
#include <stdlib.h>

typedef struct Tilt
{
    twVec3 normal, gradient[3];
    double angle[3];
} Tilt;

// false: a face without area
static bool tilt_of(Tilt* tilt, const twModeSet* set, const int v[3])
{
    twVec3 x[3];
    for (int i = 0; i < 3; i++) x[i] = set->vertices[v[i]];
    twVec3 cross = tw_vec3_cross(tw_vec3_sub(x[1], x[0]), tw_vec3_sub(x[2], x[0]));
    double doubled = tw_vec3_norm(cross);
    if (!(doubled > 0)) return false;
    tilt->normal = tw_vec3_scale(cross, 1 / doubled);
    for (int i = 0; i < 3; i++)
    {
        twVec3 to = tw_vec3_sub(x[(i + 1) % 3], x[i]), from = tw_vec3_sub(x[(i + 2) % 3], x[i]);
        twVec3 opposite = tw_vec3_sub(x[(i + 2) % 3], x[(i + 1) % 3]);
        tilt->gradient[i] = tw_vec3_scale(tw_vec3_cross(tilt->normal, opposite), 1 / doubled);
        tilt->angle[i] = atan2(doubled, tw_vec3_dot(to, from));
    }
    return true;
}

// measured from corner 0, so that rounding is of what differs
static twVec3 face_turn(const Tilt* tilt, const twModeSet* set, const int v[3], int mode)
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

static void turn_mode(twVec3* turn, const Tilt* tilts, const twModeSet* set, int mode)
{
    for (int v = 0; v < set->vertex_count; v++) turn[v] = tw_vec3(0, 0, 0);
    for (int f = 0; f < set->face_count; f++)
    {
        const int* v = set->faces[f].v;
        if (!(tilts[f].angle[0] > 0)) continue;
        twVec3 w = face_turn(&tilts[f], set, v, mode);
        for (int i = 0; i < 3; i++) turn[v[i]] = tw_vec3_add_scaled(turn[v[i]], w, tilts[f].angle[i]);
    }
}

static void measure_faces(Tilt* tilts, double* angle, const twModeSet* set)
{
    for (int f = 0; f < set->face_count; f++)
    {
        const int* v = set->faces[f].v;
        if (!tilt_of(&tilts[f], set, v)) continue;
        for (int i = 0; i < 3; i++) angle[v[i]] += tilts[f].angle[i];
    }
}

static void fill_turns(float* out, const Tilt* tilts, const double* angle, twVec3* turn, const twModeSet* set,
                       int modes)
{
    for (int k = 0; k < modes; k++)
    {
        turn_mode(turn, tilts, set, k);
        for (int v = 0; v < set->vertex_count; v++)
        {
            twVec3 w = angle[v] > 0 ? tw_vec3_scale(turn[v], 1 / angle[v]) : tw_vec3(0, 0, 0);
            float* at = out + 3 * (size_t)modes * (size_t)v + k;
            at[0] = (float)w.x;
            at[modes] = (float)w.y;
            at[2 * (size_t)modes] = (float)w.z;
        }
    }
}

float* stage_curl(const twModeSet* set, int modes)
{
    size_t vertices = (size_t)set->vertex_count, faces = (size_t)set->face_count;
    TW_ASSERT(modes >= 0 && modes <= set->mode_count);
    float* out = malloc((3 * vertices * (size_t)modes + 1) * sizeof *out);
    Tilt* tilts = calloc(faces + 1, sizeof *tilts);
    double* angle = calloc(vertices, sizeof *angle);
    twVec3* turn = malloc(vertices * sizeof *turn);
    bool enough = out && tilts && angle && turn;
    if (enough)
    {
        measure_faces(tilts, angle, set);
        fill_turns(out, tilts, angle, turn, set, modes);
    }
    else
        free(out);
    free(tilts);
    free(angle);
    free(turn);
    return enough ? out : NULL;
}
