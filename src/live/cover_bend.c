// SPDX-License-Identifier: MIT
// Where covers are: bent, and put to their place in the world.
#include "live/cover.h"
#include <string.h>

enum
{
    NODE_STRIDE = 4  // floats of a node, so that one load has all of it
};

// ---- places ----

size_t tw_cover_scratch(const twCover* cover)
{
    size_t nodes = cover->hangs ? NODE_STRIDE * (size_t)cover->field.point_count : 0;
    return (size_t)cover->field.mode_count + nodes + 1;
}

static void add_rest(const twCover* cover, float* restrict positions)
{
    const float* restrict rest = cover->rest;
    for (size_t i = 0; i < 3 * (size_t)cover->vertex_count; i++) positions[i] += rest[i];
}

static inline void hang_vertices(const twCover* cover, const float* restrict nodes, float* restrict positions,
                                 int hangs)
{
    const int* node = cover->node;
    const float *weight = cover->weight, *rest = cover->rest;
    for (int v = 0; v < cover->vertex_count; v++, node += hangs, weight += hangs, rest += 3, positions += 3)
    {
        float sum[NODE_STRIDE] = {0};
        for (int i = 0; i < hangs; i++)
            for (int d = 0; d < NODE_STRIDE; d++)
                sum[d] += weight[i] * nodes[NODE_STRIDE * (size_t)node[i] + (size_t)d];
        for (int d = 0; d < 3; d++) positions[d] = rest[d] + sum[d];
    }
}

static void bend_embedded(const twCover* cover, const float* amplitude, float* positions, float* nodes)
{
    cover->kernel->bend(&cover->field, amplitude, nodes, NODE_STRIDE);
    for (int i = 0; i < cover->field.point_count; i++) nodes[NODE_STRIDE * i + 3] = 0;
    if (cover->hangs == 4)
        hang_vertices(cover, nodes, positions, 4);
    else
        hang_vertices(cover, nodes, positions, 10);
}

void tw_cover_bend(const twCover* cover, const double* amplitude, float* positions, float* normals, float* scratch)
{
    const int modes = cover->field.mode_count;
    for (int k = 0; k < modes; k++) scratch[k] = (float)amplitude[k];
    if (cover->hangs)
        bend_embedded(cover, scratch, positions, scratch + modes);
    else
    {
        if (modes == 0) memset(positions, 0, 3 * (size_t)cover->vertex_count * sizeof *positions);
        cover->kernel->bend(&cover->field, scratch, positions, 3);
        add_rest(cover, positions);
    }
    if (normals) cover_normals(cover, positions, normals);
}

// ---- normals ----

static void add_face(const float* positions, float* normals, const int v[3], const float share[3])
{
    const float *x = positions + 3 * (size_t)v[0], *y = positions + 3 * (size_t)v[1], *z = positions + 3 * (size_t)v[2];
    const float a[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, b[3] = {z[0] - x[0], z[1] - x[1], z[2] - x[2]};
    const float cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++) normals[3 * (size_t)v[i] + (size_t)d] += share[i] * cross[d];
}

void cover_normals(const twCover* cover, const float* positions, float* normals)
{
    for (size_t i = 0; i < 3 * (size_t)cover->vertex_count; i++) normals[i] = 0;
    for (int f = 0; f < cover->face_count; f++)
        add_face(positions, normals, cover->faces[f].v, cover->share + 3 * (size_t)f);
    for (int v = 0; v < cover->vertex_count; v++, normals += 3)
    {
        const float square = normals[0] * normals[0] + normals[1] * normals[1] + normals[2] * normals[2];
        const float scale = 1 / sqrtf(square);
        const bool known = square > 0 && scale > 0;
        for (int d = 0; d < 3; d++) normals[d] = known ? scale * normals[d] : (float)(d == 2);
    }
}

// ---- in the world ----

static inline void turn_by(const float m[9], const float shift[3], float* x)
{
    const float a = x[0], b = x[1], c = x[2];
    for (int d = 0; d < 3; d++) x[d] = m[3 * d] * a + m[3 * d + 1] * b + m[3 * d + 2] * c + shift[d];
}

void cover_place(float* positions, float* normals, int count, twVec3 position, twQuat turn)
{
    const twMat3 r = tw_mat3_from_quat(turn);
    const float to[3] = {(float)position.x, (float)position.y, (float)position.z}, none[3] = {0};
    float m[9];
    for (int i = 0; i < 9; i++) m[i] = (float)r.m[i / 3][i % 3];
    for (int v = 0; v < count; v++) turn_by(m, to, positions + 3 * (size_t)v);
    for (int v = 0; normals && v < count; v++) turn_by(m, none, normals + 3 * (size_t)v);
}
