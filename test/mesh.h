// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"
#include <stdlib.h>
#include <string.h>

/// @file
/// Meshes to test with.

/// A box from low on, outward: 8 vertices, 12 faces.
static inline twMesh* box_mesh(twVec3 low, twVec3 size)
{
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    twMesh* mesh;
    if (tw_mesh_create(&mesh, 8, 12, NULL) != TW_OK) abort();
    for (int i = 0; i < 8; i++)
        mesh->vertices[i] =
            tw_vec3(low.x + (i & 1) * size.x, low.y + (i >> 1 & 1) * size.y, low.z + (i >> 2 & 1) * size.z);
    for (int f = 0; f < 12; f++)
    {
        const int* q = quads[f / 2];
        mesh->faces[f] = f % 2 ? (twTriangle){{q[0], q[2], q[3]}} : (twTriangle){{q[0], q[1], q[2]}};
    }
    return mesh;
}

static inline twMesh* cube_mesh(void) { return box_mesh(tw_vec3(0, 0, 0), tw_vec3(1, 1, 1)); }

/// A sphere: each side of an octahedron is divided by n; vertices are repeated from side to side until mended.
static inline twMesh* sphere_mesh(twVec3 centre, double radius, int n)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, 8 * 3 * n * n, 8 * n * n, NULL) != TW_OK) abort();
    int v = 0;
    for (int side = 0; side < 8; side++)
    {
        twVec3 a = tw_vec3(side & 1 ? -1 : 1, 0, 0), b = tw_vec3(0, side & 2 ? -1 : 1, 0),
               c = tw_vec3(0, 0, side & 4 ? -1 : 1);
        bool odd = (side & 1) ^ (side >> 1 & 1) ^ (side >> 2 & 1);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 2 * (n - i) - 1; k++)
            {
                // triangles of row i, every other one upside down; (i, j) counts steps along b and c
                int j = k / 2, up = k % 2 == 0;
                int at[3][2] = {{i + !up, j}, {i + 1, j + !up}, {i, j + 1}};
                for (int m = 0; m < 3; m++, v++)
                {
                    int x = n - at[m][0] - at[m][1];
                    twVec3 p = tw_vec3_add(tw_vec3_scale(a, x),
                                           tw_vec3_add(tw_vec3_scale(b, at[m][0]), tw_vec3_scale(c, at[m][1])));
                    mesh->vertices[v] = tw_vec3_add_scaled(centre, tw_vec3_normalize(p), radius);
                    int place = odd && m > 0 ? 3 - m : m;
                    mesh->faces[v / 3].v[place] = v;
                }
            }
    }
    return mesh;
}

/// b's faces and vertices behind a's; b is destroyed
static inline void join_mesh(twMesh* a, twMesh* b)
{
    int v = a->vertex_count, f = a->face_count;
    a->vertices = realloc(a->vertices, (size_t)(v + b->vertex_count + 1) * sizeof *a->vertices);
    a->faces = realloc(a->faces, (size_t)(f + b->face_count + 1) * sizeof *a->faces);
    if (!a->vertices || !a->faces) abort();
    for (int i = 0; i < b->vertex_count; i++) a->vertices[v + i] = b->vertices[i];
    for (int i = 0; i < 3 * b->face_count; i++) a->faces[f + i / 3].v[i % 3] = b->faces[i / 3].v[i % 3] + v;
    a->vertex_count += b->vertex_count;
    a->face_count += b->face_count;
    tw_mesh_destroy(b);
}

static inline void flip_face(twMesh* mesh, int face)
{
    int* v = mesh->faces[face].v;
    int swap = v[1];
    v[1] = v[2];
    v[2] = swap;
}

static inline void add_face(twMesh* mesh, int a, int b, int c)
{
    mesh->faces = realloc(mesh->faces, (size_t)(mesh->face_count + 1) * sizeof *mesh->faces);
    if (!mesh->faces) abort();
    mesh->faces[mesh->face_count++] = (twTriangle){{a, b, c}};
}

static inline int add_vertex(twMesh* mesh, twVec3 p)
{
    mesh->vertices = realloc(mesh->vertices, (size_t)(mesh->vertex_count + 1) * sizeof *mesh->vertices);
    if (!mesh->vertices) abort();
    mesh->vertices[mesh->vertex_count] = p;
    return mesh->vertex_count++;
}

static inline void drop_face(twMesh* mesh, int face) { mesh->faces[face] = mesh->faces[--mesh->face_count]; }

/// A box of nx x ny x nz cells of size h, each of six tets around its diagonal.
static inline twTetMesh* box_tets(int nx, int ny, int nz, twVec3 h)
{
    static const int paths[6][2] = {{1, 2}, {2, 4}, {4, 1}, {2, 1}, {4, 2}, {1, 4}};
    twTetMesh* tets;
    if (tw_tets_create(&tets, (nx + 1) * (ny + 1) * (nz + 1), 6 * nx * ny * nz, NULL) != TW_OK) abort();
    int t = 0;
    for (int i = 0; i < tets->node_count; i++)
        tets->nodes[i] = tw_vec3(i % (nx + 1) * h.x, i / (nx + 1) % (ny + 1) * h.y, i / ((nx + 1) * (ny + 1)) * h.z);
    for (int c = 0; c < nx * ny * nz; c++)
    {
        int corner[8];
        for (int k = 0; k < 8; k++)
            corner[k] =
                (c % nx + (k & 1)) + (nx + 1) * ((c / nx % ny + (k >> 1 & 1)) + (ny + 1) * (c / (nx * ny) + (k >> 2)));
        for (int p = 0; p < 6; p++, t++)
        {
            int one = paths[p][0], two = one | paths[p][1];
            tets->tets[t] = p < 3 ? (twTet){{corner[0], corner[one], corner[two], corner[7]}}
                                  : (twTet){{corner[0], corner[two], corner[one], corner[7]}};
        }
    }
    return tets;
}
