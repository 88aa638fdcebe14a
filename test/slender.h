// SPDX-License-Identifier: MIT
#pragma once
#include "mesh.h"
#include "twang/mesh.h"
#include <math.h>
#include <stdlib.h>

// Bodies of wires and walls much thinner than they are long [m]: the first cells are much wider than their walls.

typedef struct SlenderBody
{
    const char* name;
    twMesh* (*mesh)(void);
} SlenderBody;

static inline twMesh* slender_box(double x, double y, double z, double a, double b, double c)
{
    return box_mesh(tw_vec3(x, y, z), tw_vec3(a, b, c));
}

// a straight wire, 1 : 200
static inline twMesh* slender_wire(void) { return slender_box(0, 0, 0, 0.4, 0.002, 0.002); }

static inline twMesh* slender_plate(void) { return slender_box(0, 0, 0, 0.1, 0.08, 0.001); }

// a wire of 2 mm bent to a ring of 120 mm
static inline twMesh* slender_ring(void)
{
    enum
    {
        SIDES = 96,
        AROUND = 12
    };
    twMesh* mesh;
    if (tw_mesh_create(&mesh, SIDES * AROUND, 2 * SIDES * AROUND, NULL) != TW_OK) abort();
    for (int i = 0; i < SIDES * AROUND; i++)
    {
        const int ring = i / AROUND, k = i % AROUND, next = (ring + 1) % SIDES * AROUND, beside = (k + 1) % AROUND;
        const double a = 2 * TW_PI * ring / SIDES, b = 2 * TW_PI * k / AROUND, r = 0.06 + 0.001 * cos(b);
        mesh->vertices[i] = tw_vec3(r * cos(a), r * sin(a), 0.001 * sin(b));
        mesh->faces[2 * i] = (twTriangle){{i, next + k, next + beside}};
        mesh->faces[2 * i + 1] = (twTriangle){{i, next + beside, ring * AROUND + beside}};
    }
    return mesh;
}

// 39 teeth of 3 x 1 mm, and a handle
static inline twMesh* slender_comb(void)
{
    twMesh* mesh = slender_box(0, 0, 0, 0.16, 0.02, 0.001);
    join_mesh(mesh, slender_box(0.14, -0.03, 0, 0.02, 0.04, 0.001));
    for (int i = 0; i < 39; i++) join_mesh(mesh, slender_box(0.004 * i, 0.01, 0, 0.003, 0.07, 0.001));
    return mesh;
}

// nine teeth of 4 x 3 mm, each longer than the one before
static inline twMesh* slender_rake(void)
{
    twMesh* mesh = slender_box(0, 0, 0, 0.1, 0.02, 0.003);
    for (int i = 0; i < 9; i++) join_mesh(mesh, slender_box(0.011 * i, 0.015, 0, 0.004, 0.04 + 0.002 * i, 0.003));
    return mesh;
}

// a closed box with a wall, given by both its faces
static inline twMesh* slender_hollow(double wall)
{
    twMesh *mesh = slender_box(0, 0, 0, 0.1, 0.08, 0.06),
           *inner = slender_box(wall, wall, wall, 0.1 - 2 * wall, 0.08 - 2 * wall, 0.06 - 2 * wall);
    for (int f = 0; f < inner->face_count; f++)
        inner->faces[f] = (twTriangle){{inner->faces[f].v[0], inner->faces[f].v[2], inner->faces[f].v[1]}};
    join_mesh(mesh, inner);
    return mesh;
}

static inline twMesh* slender_thin_box(void) { return slender_hollow(0.001); }
static inline twMesh* slender_thick_box(void) { return slender_hollow(0.003); }

// two sheets that cross at 60 degrees
static inline twMesh* slender_crossing(double wall)
{
    twMesh *mesh = slender_box(-0.05, -0.5 * wall, 0, 0.1, wall, 0.08),
           *other = slender_box(-0.05, -0.5 * wall, 0, 0.1, wall, 0.08);
    for (int v = 0; v < other->vertex_count; v++)
    {
        const twVec3 p = other->vertices[v];
        other->vertices[v] = tw_vec3(0.5 * p.x - sqrt(0.75) * p.y, sqrt(0.75) * p.x + 0.5 * p.y, p.z);
    }
    join_mesh(mesh, other);
    return mesh;
}

static inline twMesh* slender_foils(void) { return slender_crossing(0.0005); }
static inline twMesh* slender_sheets(void) { return slender_crossing(0.002); }

// a tuning fork of 3 mm
static inline twMesh* slender_fork(void)
{
    const double wall = 0.003;
    twMesh* mesh = slender_box(0, 0, 0, 0.1, wall, wall);
    join_mesh(mesh, slender_box(0, 0.009, 0, 0.1, wall, wall));
    join_mesh(mesh, slender_box(-wall, 0, 0, 0.006, 0.012, wall));
    join_mesh(mesh, slender_box(-0.04, 0.0045, 0, 0.04, wall, wall));
    return mesh;
}

// the twelve edges of a box, of 4 mm
static inline twMesh* slender_frame(void)
{
    const double side[3] = {0.1, 0.08, 0.06}, wall = 0.004;
    twMesh* mesh = NULL;
    for (int i = 0; i < 12; i++)
    {
        const int a = i / 4, b = (a + 1) % 3, c = (a + 2) % 3;
        double low[3] = {0}, size[3] = {wall, wall, wall};
        size[a] = side[a];
        low[b] = i & 1 ? side[b] - wall : 0;
        low[c] = i & 2 ? side[c] - wall : 0;
        twMesh* edge = slender_box(low[0], low[1], low[2], size[0], size[1], size[2]);
        if (mesh)
            join_mesh(mesh, edge);
        else
            mesh = edge;
    }
    return mesh;
}

static const SlenderBody slender_bodies[] = {
    {"wire", slender_wire},           {"plate", slender_plate}, {"ring", slender_ring},
    {"comb", slender_comb},           {"rake", slender_rake},   {"thin box", slender_thin_box},
    {"thick box", slender_thick_box}, {"foils", slender_foils}, {"sheets", slender_sheets},
    {"fork", slender_fork},           {"frame", slender_frame},
};
enum
{
    SLENDER_COUNT = sizeof slender_bodies / sizeof *slender_bodies
};
