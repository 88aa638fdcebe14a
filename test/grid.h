// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"
#include <stdlib.h>
#include <string.h>

/// @file
/// Structured tet meshes for tests and benchmarks: a grid of cells, six tets each, mapped to a body.

/// From the unit cube to the body.
typedef twVec3 (*GridMap)(twVec3 u, const double* size);

static inline twVec3 grid_box(twVec3 u, const double* size)
{
    return tw_vec3(size[0] * u.x, size[1] * u.y, size[2] * u.z);
}

/// A spherical shell over a square patch of directions: size = outer radius, half angle, thickness.
static inline twVec3 grid_bowl(twVec3 u, const double* size)
{
    double a = tan(size[1] * (2 * u.x - 1)), b = tan(size[1] * (2 * u.y - 1)), r = size[0] - size[2] * u.z;
    return tw_vec3_scale(tw_vec3(a, b, -1), r / sqrt(a * a + b * b + 1));
}

/// A solid ball of radius size[0]; needs an even number of cells each way.
static inline twVec3 grid_ball(twVec3 u, const double* size)
{
    twVec3 p = tw_vec3(2 * u.x - 1, 2 * u.y - 1, 2 * u.z - 1);
    return tw_vec3_scale(tw_vec3_normalize(p), size[0] * tw_vec3_max(p));
}

typedef struct Grid
{
    int cells[3];
    bool quadratic;
    GridMap map;
    double size[3];
    bool mirrored;  ///< diagonals of the cells point outward from the middle, as a ball needs
} Grid;

static inline void grid_free(twTetMesh* mesh)
{
    if (!mesh) return;
    free(mesh->nodes);
    free(mesh->tets);
    free(mesh->mid_nodes);
    free(mesh->regions);
    free(mesh);
}

static inline int grid_node(const Grid* grid, const int at[3])
{
    int step = grid->quadratic ? 2 : 1;
    return (at[2] * (grid->cells[1] * step + 1) + at[1]) * (grid->cells[0] * step + 1) + at[0];
}

/// Tet `way` of the six of a cell: a path along its edges, one axis after the other.
static inline void grid_tet(const Grid* grid, const int cell[3], int way, int corner[4][3])
{
    static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    int step = grid->quadratic ? 2 : 1, back = 0;
    bool turned = way >= 3;
    for (int d = 0; d < 3; d++)
    {
        // in a lower half the path runs the other way
        bool lower = grid->mirrored && 2 * cell[d] < grid->cells[d];
        corner[0][d] = step * (cell[d] + lower);
        if (lower) turned = !turned, back |= 1 << d;
    }
    for (int i = 0; i < 3; i++)
    {
        memcpy(corner[i + 1], corner[i], sizeof corner[0]);
        corner[i + 1][axes[way][i]] += back >> axes[way][i] & 1 ? -step : step;
    }
    for (int d = 0; turned && d < 3; d++)
    {
        int swap = corner[1][d];
        corner[1][d] = corner[2][d];
        corner[2][d] = swap;
    }
}

static inline void grid_connect(const Grid* grid, twTetMesh* mesh)
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    int cell[3], corner[4][3], mid[3], e = 0;
    for (cell[2] = 0; cell[2] < grid->cells[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < grid->cells[1]; cell[1]++)
            for (cell[0] = 0; cell[0] < grid->cells[0]; cell[0]++)
                for (int way = 0; way < 6; way++, e++)
                {
                    grid_tet(grid, cell, way, corner);
                    for (int i = 0; i < 4; i++) mesh->tets[e].n[i] = grid_node(grid, corner[i]);
                    for (int i = 0; grid->quadratic && i < 6; i++)
                    {
                        for (int d = 0; d < 3; d++) mid[d] = (corner[ends[i][0]][d] + corner[ends[i][1]][d]) / 2;
                        mesh->mid_nodes[e][i] = grid_node(grid, mid);
                    }
                }
}

/// The mesh; NULL without memory. Nodes lie by x first. Mid nodes are mapped too, so that curved bodies get curved
/// edges.
static inline twTetMesh* grid_mesh(const Grid* grid)
{
    int step = grid->quadratic ? 2 : 1, most[3], at[3], node = 0;
    for (int d = 0; d < 3; d++) most[d] = grid->cells[d] * step;
    twTetMesh* mesh = calloc(1, sizeof *mesh);
    if (!mesh) return NULL;
    mesh->node_count = (most[0] + 1) * (most[1] + 1) * (most[2] + 1);
    mesh->tet_count = 6 * grid->cells[0] * grid->cells[1] * grid->cells[2];
    mesh->nodes = calloc((size_t)mesh->node_count, sizeof *mesh->nodes);
    mesh->tets = calloc((size_t)mesh->tet_count, sizeof *mesh->tets);
    mesh->mid_nodes = grid->quadratic ? calloc((size_t)mesh->tet_count, sizeof *mesh->mid_nodes) : NULL;
    if (!mesh->nodes || !mesh->tets || (grid->quadratic && !mesh->mid_nodes))
    {
        grid_free(mesh);
        return NULL;
    }
    for (at[2] = 0; at[2] <= most[2]; at[2]++)
        for (at[1] = 0; at[1] <= most[1]; at[1]++)
            for (at[0] = 0; at[0] <= most[0]; at[0]++)
            {
                twVec3 u = tw_vec3((double)at[0] / most[0], (double)at[1] / most[1], (double)at[2] / most[2]);
                mesh->nodes[node++] = grid->map(u, grid->size);
            }
    grid_connect(grid, mesh);
    return mesh;
}
