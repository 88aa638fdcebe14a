// SPDX-License-Identifier: MIT
#pragma once
#include "twang/fem.h"
#include "twang/scene.h"

/// @file
/// Inside baking (internal): where the body comes from, and the cache.

typedef struct BakeSource
{
    twShape* shape;  ///< one of these three
    twMesh* surface;
    twTetMesh* tets;
    bool fixed_mesh;     ///< tets as given: nothing to refine
    double size, width;  ///< longest and second side of the bounding box [m]
    double refine;       ///< ratio of element sizes from level to level
    double thickness;    ///< thinnest wall, or an estimate [m]
} BakeSource;

twStatus bake_open(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err);
void bake_close(BakeSource* source);
/// The mesh of a level (from 0) with elements of about the given size, quadratic unless def->linear.
twStatus bake_mesh(const BakeSource* source, const twBakeDef* def, double edge, int level, twTetMesh** out,
                   twBakeReport* report, twError* err);

/// Nodes inside the holds, in a new array.
twStatus bake_find_held(const twBakeDef* def, const twTetMesh* tets, int** out, int* count, twError* err);

/// One mesh and its modes.
typedef struct BakeLevel
{
    twTetMesh* tets;
    twFemModes* modes;
    double edge;  ///< about the size of its elements [m]
} BakeLevel;
void bake_level_free(BakeLevel* level);
/// Refine until good enough; best holds the finest level solved, report its estimated error.
twStatus bake_refine(const twBakeDef* def, const BakeSource* source, BakeLevel* best, twBakeReport* report,
                     twError* err);

/// Path of the cached result: the hash of everything it depends on. False if the source cannot be read.
bool bake_cache_path(const twBakeDef* def, char* path, size_t bytes);
