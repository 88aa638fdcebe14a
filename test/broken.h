// SPDX-License-Identifier: MIT
#pragma once
#include "bodies.h"

/// @file
/// What can happen to a surface: tools to break it with.

static inline twVec3 middle_of(const twMesh* mesh)
{
    twVec3 low = mesh->vertices[0], high = low;
    for (int v = 1; v < mesh->vertex_count; v++)
    {
        twVec3 p = mesh->vertices[v];
        low = tw_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return tw_vec3_scale(tw_vec3_add(low, high), 0.5);
}

static inline void stretch(twMesh* mesh, double x, double y, double z)
{
    for (int v = 0; v < mesh->vertex_count; v++)
        mesh->vertices[v] = tw_vec3(x * mesh->vertices[v].x, y * mesh->vertices[v].y, z * mesh->vertices[v].z);
}

static inline void shift(twMesh* mesh, twVec3 way)
{
    for (int v = 0; v < mesh->vertex_count; v++) mesh->vertices[v] = tw_vec3_add(mesh->vertices[v], way);
}

static inline twMesh* copy_of(const twMesh* mesh)
{
    twMesh* copy;
    if (tw_mesh_create(&copy, mesh->vertex_count, mesh->face_count, NULL) != TW_OK) abort();
    memcpy(copy->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *copy->vertices);
    memcpy(copy->faces, mesh->faces, (size_t)mesh->face_count * sizeof *copy->faces);
    return copy;
}

/// A copy about the same middle, larger or smaller, added.
static inline void add_shell(twMesh* mesh, double factor)
{
    twVec3 middle = middle_of(mesh);
    twMesh* copy = copy_of(mesh);
    shift(copy, tw_vec3_scale(middle, -1));
    stretch(copy, factor, factor, factor);
    shift(copy, middle);
    join_mesh(mesh, copy);
}

/// Drop the faces whose middle is beyond the share of the way from the lowest to the highest along x + 0.3 y + 0.1 z.
static inline void cut_off(twMesh* mesh, double share)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int pass = 0; pass < 2; pass++)
        for (int f = mesh->face_count - 1; f >= 0; f--)
        {
            double at = 0;
            for (int i = 0; i < 3; i++)
            {
                twVec3 p = mesh->vertices[mesh->faces[f].v[i]];
                at += (p.x + 0.3 * p.y + 0.1 * p.z) / 3;
            }
            low = pass ? low : fmin(low, at);
            high = pass ? high : fmax(high, at);
            if (pass && at > low + share * (high - low)) drop_face(mesh, f);
        }
}

/// Every face on vertices of its own.
static inline void unshare(twMesh* mesh)
{
    int faces = mesh->face_count;
    twVec3* vertices = malloc(3 * (size_t)faces * sizeof *vertices);
    if (!vertices) abort();
    for (int i = 0; i < 3 * faces; i++)
    {
        vertices[i] = mesh->vertices[mesh->faces[i / 3].v[i % 3]];
        mesh->faces[i / 3].v[i % 3] = i;
    }
    free(mesh->vertices);
    mesh->vertices = vertices;
    mesh->vertex_count = 3 * faces;
}

/// Each vertex moved by up to reach along each axis.
static inline void shake(twMesh* mesh, double reach)
{
    twRng rng = tw_rng(7);
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        double x = tw_rng_uniform(&rng), y = tw_rng_uniform(&rng), z = tw_rng_uniform(&rng);
        mesh->vertices[v] =
            tw_vec3_add(mesh->vertices[v], tw_vec3(reach * (2 * x - 1), reach * (2 * y - 1), reach * (2 * z - 1)));
    }
}
