// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"
#include "twang/mesh.h"
#include <stdlib.h>

/// @file
/// Bodies to fill, and what makes a mesh of tets a mesh.

// ---- bodies ----

/// a cube's six sides pushed out to the unit sphere, n x n squares each; equal vertices are not merged
static inline twMesh* make_sphere(int n)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, 6 * (n + 1) * (n + 1), 12 * n * n, NULL)) return NULL;
    int vertex = 0, face = 0;
    for (int side = 0; side < 6; side++)
    {
        int first = vertex, axis = side / 2;
        for (int i = 0; i < (n + 1) * (n + 1); i++)
        {
            double c[3];
            c[axis] = side % 2 ? n : -n;
            c[(axis + 1) % 3] = 2 * (i / (n + 1)) - n;
            c[(axis + 2) % 3] = 2 * (i % (n + 1)) - n;
            mesh->vertices[vertex++] =
                tw_vec3_scale(tw_vec3(c[0], c[1], c[2]), 1 / sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]));
        }
        for (int i = 0; i < n * n; i++)
        {
            int a = first + i / n * (n + 1) + i % n, b = a + n + 1, out = side % 2;
            mesh->faces[face++] = out ? (twTriangle){{a, b, b + 1}} : (twTriangle){{a, b + 1, b}};
            mesh->faces[face++] = out ? (twTriangle){{a, b + 1, a + 1}} : (twTriangle){{a, a + 1, b + 1}};
        }
    }
    return mesh;
}

static const int BOX_FACES[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static inline twMesh* make_box(double x, double y, double z)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, 8, 12, NULL)) return NULL;
    for (int i = 0; i < 8; i++) mesh->vertices[i] = tw_vec3(i & 1 ? x : 0, i & 2 ? y : 0, i & 4 ? z : 0);
    for (int i = 0; i < 12; i++) memcpy(mesh->faces[i].v, BOX_FACES[i], sizeof BOX_FACES[i]);
    return mesh;
}

/// a closed outline (r, z), counterclockwise, turned about the z axis
static inline twMesh* make_turned(const double (*outline)[2], int count, int around)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, count * around, 2 * count * around, NULL)) return NULL;
    for (int i = 0; i < count * around; i++)
    {
        double angle = 2 * TW_PI * (i / count) / around, r = outline[i % count][0];
        mesh->vertices[i] = tw_vec3(r * cos(angle), r * sin(angle), outline[i % count][1]);
        int here = i / count * count, next = (here + count) % (count * around), k = i % count, l = (k + 1) % count;
        mesh->faces[2 * i] = (twTriangle){{here + k, next + k, next + l}};
        mesh->faces[2 * i + 1] = (twTriangle){{here + k, next + l, here + l}};
    }
    return mesh;
}

enum
{
    RING = 24
};

static inline twMesh* make_torus(double radius, double thick)
{
    double outline[RING][2];
    for (int i = 0; i < RING; i++)
    {
        double angle = 2 * TW_PI * i / RING;
        outline[i][0] = radius + thick * cos(angle);
        outline[i][1] = thick * sin(angle);
    }
    return make_turned((const double(*)[2])outline, RING, 3 * RING);
}

/// half a hollow sphere
static inline twMesh* make_bowl(double radius, double wall)
{
    double outline[2 * RING][2];
    for (int i = 0; i < RING; i++)
    {
        double angle = TW_PI / 2 * i / (RING - 1), tiny = i == 0 ? 1e-9 * radius : 0;
        outline[i][0] = radius * sin(angle) + tiny;
        outline[i][1] = -radius * cos(angle);
        outline[2 * RING - 1 - i][0] = (radius - wall) * sin(angle) + tiny;
        outline[2 * RING - 1 - i][1] = -(radius - wall) * cos(angle);
    }
    return make_turned((const double(*)[2])outline, 2 * RING, 4 * RING);
}

static inline void place(twMesh* mesh, twQuat turn, double scale, twVec3 shift)
{
    for (int i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = tw_vec3_add_scaled(shift, tw_quat_rotate(turn, mesh->vertices[i]), scale);
}

/// both bodies in one mesh; the second one inside out if cavity; takes both
static inline twMesh* join(twMesh* a, twMesh* b, bool cavity)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, a->vertex_count + b->vertex_count, a->face_count + b->face_count, NULL)) return NULL;
    memcpy(mesh->vertices, a->vertices, (size_t)a->vertex_count * sizeof *a->vertices);
    memcpy(mesh->vertices + a->vertex_count, b->vertices, (size_t)b->vertex_count * sizeof *b->vertices);
    memcpy(mesh->faces, a->faces, (size_t)a->face_count * sizeof *a->faces);
    for (int i = 0; i < b->face_count; i++)
        for (int k = 0; k < 3; k++)
            mesh->faces[a->face_count + i].v[k] = a->vertex_count + b->faces[i].v[cavity ? 2 - k : k];
    tw_mesh_destroy(a);
    tw_mesh_destroy(b);
    return mesh;
}

// ---- what makes a mesh a mesh ----

static inline double volume_of(const twTetMesh* tets)
{
    double density = 1;
    return tw_tets_mass(tets, &density).volume;
}

static inline int compare_triples(const void* a, const void* b) { return memcmp(a, b, 3 * sizeof(int)); }
static inline int compare_pairs(const void* a, const void* b) { return memcmp(a, b, 2 * sizeof(int)); }

static inline void sort_small(int* v, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--)
        {
            int t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
}

/// most tets that share a face
static inline int most_sharing(const twTetMesh* tets)
{
    int count = 4 * tets->tet_count, most = 0;
    int(*faces)[3] = malloc((size_t)count * sizeof *faces);
    for (int i = 0; i < count; i++)
    {
        for (int k = 0; k < 3; k++) faces[i][k] = tets->tets[i / 4].n[(i + 1 + k) % 4];
        sort_small(faces[i], 3);
    }
    qsort(faces, (size_t)count, sizeof *faces, compare_triples);
    for (int i = 0, run = 0; i < count; i++)
    {
        run = i > 0 && compare_triples(faces[i], faces[i - 1]) == 0 ? run + 1 : 1;
        if (run > most) most = run;
    }
    free(faces);
    return most;
}

/// edges of the boundary that do not have exactly two faces; -1 if the boundary cannot be made
static inline int bad_boundary_edges(const twTetMesh* tets)
{
    twMesh* surface;
    int* node_of;
    if (tw_tets_surface(&surface, &node_of, tets, NULL)) return -1;
    int count = 3 * surface->face_count, bad = 0;
    int(*edges)[2] = malloc((size_t)count * sizeof *edges);
    for (int i = 0; i < count; i++)
    {
        for (int k = 0; k < 2; k++) edges[i][k] = surface->faces[i / 3].v[(i + k) % 3];
        sort_small(edges[i], 2);
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_pairs);
    for (int i = 0, run; i < count; i += run)
    {
        for (run = 1; i + run < count && compare_pairs(edges[i], edges[i + run]) == 0;) run++;
        bad += run != 2;
    }
    free(edges);
    free(node_of);
    tw_mesh_destroy(surface);
    return bad;
}

/// fill and check; takes the surface. @return NULL and prints why, if it failed
static inline twTetMesh* fill(twMesh* surface, double spacing, double growth, twFillReport* report)
{
    twError err;
    twTetMesh* tets;
    twFillDef def = tw_fill_def();
    def.spacing = spacing;
    def.interior_growth = growth;
    twStatus status = tw_tets_fill(&tets, surface, &def, report, &err);
    tw_mesh_destroy(surface);
    if (status != TW_OK) printf("%s\n", err.text);
    return tets;
}

#define ENSURE_MESH(tets, report, least_deg, greatest_deg)                                                             \
    do {                                                                                                               \
        ENSURE(tets);                                                                                                  \
        ENSURE((report).quality.inverted == 0);                                                                        \
        ENSURE((report).quality.least_dihedral_deg >= (least_deg));                                                    \
        ENSURE((report).quality.greatest_dihedral_deg <= (greatest_deg));                                              \
        ENSURE(most_sharing(tets) == 2);                                                                               \
        ENSURE(bad_boundary_edges(tets) == 0);                                                                         \
    } while (0)
