// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"

/// @file
/// Inside baking (internal): where the body comes from, and the cache.

typedef struct BakeSource
{
    twShape* shape;  ///< one of these three
    twMesh* surface;
    twTetMesh* tets;
    bool fixed_mesh;   ///< tets as given: nothing to refine
    double size;       ///< longest side of the bounding box [m]
    double thickness;  ///< thinnest wall, or an estimate [m]
} BakeSource;

twStatus bake_open(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err);
void bake_close(BakeSource* source);
/// A mesh with elements of about the given size, quadratic unless def->linear.
twStatus bake_mesh(const BakeSource* source, const twBakeDef* def, double edge, twTetMesh** out, twBakeReport* report,
                   twError* err);

/// Path of the cached result: the hash of everything it depends on. False if the source cannot be read.
bool bake_cache_path(const twBakeDef* def, char* path, size_t bytes);
