// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"
#include "twang/mesh.h"
#include "twang/modal.h"
#include <stdlib.h>

/// @file
/// Surfaces that the tests of shells share: plates, surfaces of revolution.

static const twMaterial shell_steel = {.density = 7850, .young = 2e11, .poisson = 0.3};

/// nx x ny rectangles of two triangles each in the plane z = 0, with diagonals in turn; irregular:
/// vertices inside moved
static inline twMesh* shell_plate(int nx, int ny, double a, double b, double irregular)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, (nx + 1) * (ny + 1), 2 * nx * ny, NULL) != TW_OK) return NULL;
    twRng rng = tw_rng(1);
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++)
        {
            const bool inside = i > 0 && j > 0 && i < nx && j < ny;
            const double dx = inside ? irregular * tw_rng_between(&rng, -1, 1) : 0;
            const double dy = inside ? irregular * tw_rng_between(&rng, -1, 1) : 0;
            mesh->vertices[j * (nx + 1) + i] = tw_vec3(((i + dx) / nx - 0.5) * a, ((j + dy) / ny - 0.5) * b, 0);
        }
    for (int j = 0, f = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
        {
            const int p = j * (nx + 1) + i, q = p + nx + 1;
            const twTriangle pair[2][2] = {{{{p, p + 1, q}}, {{p + 1, q + 1, q}}},
                                           {{{p, p + 1, q + 1}}, {{p, q + 1, q}}}};
            mesh->faces[f++] = pair[(i + j) % 2][0];
            mesh->faces[f++] = pair[(i + j) % 2][1];
        }
    return mesh;
}

/// (r, z) of point i of a meridian
typedef void (*ShellMeridian)(double* r, double* z, int i, const void* context);

/// points of a meridian turned about z in so many sides; a point with r = 0 becomes one vertex
static inline twMesh* shell_revolve(int points, int sides, ShellMeridian meridian, const void* context)
{
    int vertices = 0, faces = 0;
    int* first = malloc((size_t)points * sizeof *first);
    double* r = malloc(2 * (size_t)points * sizeof *r);
    double* z = r + points;
    for (int i = 0; i < points; i++)
    {
        meridian(&r[i], &z[i], i, context);
        first[i] = vertices;
        vertices += r[i] > 0 ? sides : 1;
        if (i > 0) faces += sides * ((r[i] > 0) + (r[i - 1] > 0));
    }
    twMesh* mesh = NULL;
    if (tw_mesh_create(&mesh, vertices, faces, NULL) != TW_OK) return NULL;
    faces = 0;
    for (int i = 0; i < points; i++)
        for (int s = 0; s < sides; s++)
        {
            const double angle = 2 * TW_PI * s / sides;
            const bool tip = !(r[i] > 0);
            mesh->vertices[first[i] + (tip ? 0 : s)] = tw_vec3(r[i] * cos(angle), r[i] * sin(angle), z[i]);
            if (i == 0) continue;
            const int n = (s + 1) % sides;
            const int a = first[i - 1] + (r[i - 1] > 0 ? s : 0), b = first[i - 1] + (r[i - 1] > 0 ? n : 0);
            const int d = first[i] + (tip ? 0 : s), c = first[i] + (tip ? 0 : n);
            if (a != b) mesh->faces[faces++] = (twTriangle){{a, b, c}};
            if (c != d) mesh->faces[faces++] = (twTriangle){{a, c, d}};
        }
    free(first);
    free(r);
    return mesh;
}

/// a cap of a sphere about -z, up to the angle
typedef struct ShellCap
{
    double radius, angle;
    int parts;
} ShellCap;
static inline void shell_cap_point(double* r, double* z, int i, const void* context)
{
    const ShellCap* cap = context;
    *r = i == 0 ? 0 : cap->radius * sin(cap->angle * i / cap->parts);
    *z = -cap->radius * cos(cap->angle * i / cap->parts);
}
static inline twMesh* shell_hemisphere(double radius, int sides)
{
    const ShellCap cap = {radius, TW_PI / 2, sides / 4};
    return shell_revolve(cap.parts + 1, sides, shell_cap_point, &cap);
}

/// floor of so many rings and a wall of so many
typedef struct ShellCup
{
    double radius, floor, height;
    int floor_parts, wall_parts;
} ShellCup;
static inline void shell_cup_point(double* r, double* z, int i, const void* context)
{
    const ShellCup* cup = context;
    const int up = i - cup->floor_parts;
    *r = up >= 0 ? cup->radius : cup->radius * i / cup->floor_parts;
    *z = up <= 0 ? cup->floor : cup->floor + (cup->height - cup->floor) * up / cup->wall_parts;
}
static inline twMesh* shell_cup(double radius, double floor, double height, int floor_parts, int wall_parts, int sides)
{
    const ShellCup cup = {radius, floor, height, floor_parts, wall_parts};
    return shell_revolve(floor_parts + wall_parts + 1, sides, shell_cup_point, &cup);
}

/// an open tube along z
static inline void shell_tube_point(double* r, double* z, int i, const void* context)
{
    const ShellCup* tube = context;
    *r = tube->radius;
    *z = tube->height * i / tube->wall_parts;
}
static inline twMesh* shell_tube(double radius, double height, int wall_parts, int sides)
{
    const ShellCup tube = {radius, 0, height, 0, wall_parts};
    return shell_revolve(wall_parts + 1, sides, shell_tube_point, &tube);
}

/// all of both, as parts that share nothing; both are destroyed
static inline twMesh* shell_join(twMesh* a, twMesh* b)
{
    twMesh* mesh = NULL;
    if (tw_mesh_create(&mesh, a->vertex_count + b->vertex_count, a->face_count + b->face_count, NULL) != TW_OK)
        return NULL;
    for (int v = 0; v < mesh->vertex_count; v++)
        mesh->vertices[v] = v < a->vertex_count ? a->vertices[v] : b->vertices[v - a->vertex_count];
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++)
            mesh->faces[f].v[i] =
                f < a->face_count ? a->faces[f].v[i] : b->faces[f - a->face_count].v[i] + a->vertex_count;
    tw_mesh_destroy(a);
    tw_mesh_destroy(b);
    return mesh;
}

/// an open pipe along a curve in the plane y = 0: from p by q to r, a parabola
static inline twMesh* shell_pipe(twVec3 p, twVec3 q, twVec3 r, double radius, int parts, int sides)
{
    twMesh* mesh = shell_tube(radius, 1, parts, sides);
    for (int v = 0; mesh && v < mesh->vertex_count; v++)
    {
        const twVec3 x = mesh->vertices[v];
        const double s = x.z;
        const twVec3 at =
            tw_vec3_add(tw_vec3_add(tw_vec3_scale(p, (1 - s) * (1 - s)), tw_vec3_scale(q, 2 * s * (1 - s))),
                        tw_vec3_scale(r, s * s));
        const twVec3 d = tw_vec3_normalize(
            tw_vec3_add(tw_vec3_scale(tw_vec3_sub(q, p), 1 - s), tw_vec3_scale(tw_vec3_sub(r, q), s)));
        const twVec3 side = tw_vec3_cross(tw_vec3(0, 1, 0), d);
        mesh->vertices[v] = tw_vec3_add_scaled(tw_vec3_add_scaled(at, side, x.x), tw_vec3(0, 1, 0), x.y);
    }
    return mesh;
}

/// a round pot, open at the top
static inline void shell_pot_point(double* r, double* z, int i, const void* context)
{
    const int parts = *(const int*)context;
    const double s = (double)i / parts, angle = 0.86 * TW_PI * s;
    *r = i == 0 ? 0 : 0.07 * sin(angle);
    *z = -0.05 * cos(angle);
}
/// a teapot of three parts that cross without sharing vertices: pot, spout and handle. About 62
/// sides^2/100 + ... faces
static inline twMesh* shell_teapot(int sides)
{
    const int parts = sides * 5 / 12, small = sides / 3;
    twMesh* pot = shell_revolve(parts + 1, sides, shell_pot_point, &parts);
    twMesh* spout =
        shell_pipe(tw_vec3(0.05, 0, -0.02), tw_vec3(0.1, 0, -0.02), tw_vec3(0.12, 0, 0.045), 0.012, small, small);
    twMesh* handle = shell_pipe(tw_vec3(-0.06, 0, 0.02), tw_vec3(-0.14, 0, 0.02), tw_vec3(-0.055, 0, -0.028), 0.006,
                                sides / 2, small / 2);
    return shell_join(shell_join(pot, spout), handle);
}
