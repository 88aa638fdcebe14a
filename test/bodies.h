// SPDX-License-Identifier: MIT
#pragma once
#include "mesh.h"
#include <math.h>

/// @file
/// Sound bodies of every kind: solid, hollowed, thin, round, with a handle. About 0.1 m large, divided finely enough for a
/// face to be little.

/// A body of small boxes: whether the one at (i, j, k) is part of it.
typedef struct Blocks
{
    int n[3];     // boxes along the axes
    twVec3 size;  // of a box [m]
    bool (*solid)(int i, int j, int k);
} Blocks;

static inline bool solid_all(int i, int j, int k) { return i + j + k >= 0; }
static inline bool solid_angle(int i, int j, int k) { return k >= 0 && (i < 2 || j < 2); }
static inline bool solid_tube(int i, int j, int k) { return k >= 0 && (i < 1 || i > 2 || j < 1 || j > 2); }
static inline bool solid_cup(int i, int j, int k) { return i < 1 || i > 3 || j < 1 || j > 3 || k < 1; }

static inline bool is_solid(const Blocks* blocks, const int at[3])
{
    for (int d = 0; d < 3; d++)
        if (at[d] < 0 || at[d] >= blocks->n[d]) return false;
    return blocks->solid(at[0], at[1], at[2]);
}

// vertex at a corner of the boxes; the table holds its number + 1
static inline int corner_vertex(twMesh* mesh, const Blocks* blocks, int* numbers, const int at[3])
{
    int* number = &numbers[(at[2] * (blocks->n[1] + 1) + at[1]) * (blocks->n[0] + 1) + at[0]];
    twVec3 s = blocks->size;
    if (*number == 0) *number = 1 + add_vertex(mesh, tw_vec3(s.x * at[0], s.y * at[1], s.z * at[2]));
    return *number - 1;
}

// the side of box at across axis d, seen from the end
static inline void add_side(twMesh* mesh, const Blocks* blocks, int* numbers, const int at[3], int d, int end)
{
    int v[4], e = (d + 1) % 3, f = (d + 2) % 3;
    for (int c = 0; c < 4; c++)
    {
        int corner[3] = {at[0], at[1], at[2]};
        corner[d] += end;
        corner[e] += c == 1 || c == 2;
        corner[f] += c >= 2;
        v[c] = corner_vertex(mesh, blocks, numbers, corner);
    }
    add_face(mesh, v[0], v[end ? 1 : 2], v[end ? 2 : 1]);
    add_face(mesh, v[0], v[end ? 2 : 3], v[end ? 3 : 2]);
}

/// The outside of a body of boxes.
static inline twMesh* blocks_mesh(const Blocks* blocks)
{
    twMesh* mesh;
    int* numbers = calloc((size_t)((blocks->n[0] + 1) * (blocks->n[1] + 1) * (blocks->n[2] + 1)), sizeof *numbers);
    if (!numbers || tw_mesh_create(&mesh, 0, 0, NULL) != TW_OK) abort();
    for (int c = 0; c < blocks->n[0] * blocks->n[1] * blocks->n[2]; c++)
    {
        int at[3] = {c % blocks->n[0], c / blocks->n[0] % blocks->n[1], c / (blocks->n[0] * blocks->n[1])};
        for (int side = 0; side < 6 && is_solid(blocks, at); side++)
        {
            int next[3] = {at[0], at[1], at[2]}, d = side / 2, end = side % 2;
            next[d] += end ? 1 : -1;
            if (!is_solid(blocks, next)) add_side(mesh, blocks, numbers, at, d, end);
        }
    }
    free(numbers);
    return mesh;
}

/// A torus of m x n quads.
static inline twMesh* torus_mesh(double large, double small, int m, int n)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, m * n, 2 * m * n, NULL) != TW_OK) abort();
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
        {
            double u = 2 * TW_PI * i / m, v = 2 * TW_PI * j / n, r = large + small * cos(v);
            mesh->vertices[i * n + j] = tw_vec3(r * cos(u), r * sin(u), small * sin(v));
            int a = i * n + j, b = (i + 1) % m * n + j, c = (i + 1) % m * n + (j + 1) % n, d = i * n + (j + 1) % n;
            mesh->faces[2 * a] = (twTriangle){{a, b, c}};
            mesh->faces[2 * a + 1] = (twTriangle){{a, c, d}};
        }
    return mesh;
}

typedef enum Body
{
    BOX,
    SPHERE,
    CUP,
    ANGLE,
    PLATE,
    TORUS,
    BODIES
} Body;
static const char* const BODY_NAMES[BODIES] = {"box", "sphere", "cup", "angle", "plate", "torus"};

static inline twMesh* body_mesh(Body body)
{
    const Blocks box = {{5, 4, 3}, {0.02, 0.02, 0.02}, solid_all}, cup = {{5, 5, 4}, {0.02, 0.02, 0.02}, solid_cup};
    const Blocks angle = {{5, 5, 2}, {0.02, 0.02, 0.02}, solid_angle},
                 plate = {{5, 4, 1}, {0.02, 0.02, 0.015}, solid_all};
    if (body == SPHERE) return sphere_mesh(tw_vec3(0, 0, 0), 0.05, 6);
    if (body == TORUS) return torus_mesh(0.04, 0.015, 24, 12);
    return blocks_mesh(body == BOX ? &box : body == CUP ? &cup : body == ANGLE ? &angle : &plate);
}
