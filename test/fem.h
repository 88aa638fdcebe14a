// SPDX-License-Identifier: MIT
#pragma once
#include "grid.h"
#include "test.h"
#include "twang/fem.h"

/// @file
/// What the tests of modal analysis share: materials, boxes, an analysis in one line.

static const twMaterial aluminium = {.density = 2700, .young = 68.9e9, .poisson = 0.33};
static const twMaterial cork = {.density = 1000, .young = 1e9, .poisson = 0};  // stretches without getting thinner

static inline twFemDef def_of(const twTetMesh* mesh, const twMaterial* material, int count)
{
    twFemDef def = tw_fem_def();
    def.tets = mesh;
    def.linear = !mesh->mid_nodes;
    def.material_count = 1;
    def.materials = material;
    def.count = count;
    return def;
}

static inline twTetMesh* box_mesh(int x, int y, int z, double a, double b, double c, bool quadratic)
{
    Grid grid = {{x, y, z}, quadratic, grid_box, {a, b, c}, false};
    return grid_mesh(&grid);
}

static inline twFemModes* modes_of(const twFemDef* def)
{
    twError err = {TW_OK, ""};
    twFemModes* modes = NULL;
    if (tw_fem_modes_create(&modes, def, &err) != TW_OK) printf("unexpected: %s\n", err.text);
    return modes;
}

static inline twFemModes* box_modes(const twTetMesh* mesh, const twMaterial* material, int count)
{
    twFemDef def = def_of(mesh, material, count);
    return modes_of(&def);
}

// a cube, whose modes come in groups of two and three
static inline twTetMesh* cube_mesh(void) { return box_mesh(5, 5, 5, 0.1, 0.1, 0.1, true); }
