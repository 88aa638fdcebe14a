// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bake.h"
#include "twang/fem.h"

/// @file
/// Inside baking (internal): where the body comes from, and the cache.

typedef struct BakeSource
{
    twShape* shape;  ///< one of these three
    twMesh* surface;
    twTetMesh* tets;
    bool fixed_mesh;     ///< tets as given: nothing to refine
    double size, width;  ///< longest and second side of the bounding box [m]
    double thickness;    ///< thinnest wall, or an estimate [m]
} BakeSource;

twStatus bake_open(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err);
void bake_close(BakeSource* source);

/// How fine a mesh is.
typedef struct BakeSize
{
    double edge;  ///< size of the elements of the first mesh [m]
    double cuts;  ///< each is cut into so many along the walls; a whole number for shapes
    int through;  ///< least elements across the walls of shapes
} BakeSize;

/// A mesh of the body, quadratic unless def->linear.
twStatus bake_mesh(const BakeSource* source, const twBakeDef* def, BakeSize size, twTetMesh** out, twBakeReport* report,
                   twError* err);

/// Region of the source's file by name or number. @return TW_BAD_INPUT listing the regions there are
twStatus bake_find_region(const twBakeDef* def, const BakeSource* source, const char* name, int* region, twError* err);
/// Set the tets' regions to what they are made of: 0 the def's material, r its region r - 1.
twStatus bake_assign_materials(const twBakeDef* def, const BakeSource* source, twTetMesh* tets, twError* err);
twMaterial* bake_materials(const twBakeDef* def);  ///< by those regions, in a new array; NULL without memory
/// Nodes inside the holds, in a new array.
twStatus bake_find_held(const twBakeDef* def, const BakeSource* source, const twTetMesh* tets, int** out, int* count,
                        twError* err);
void bake_bounds(const twVec3* points, int count, twVec3* low, twVec3* high);
double bake_longest_edge(const twTetMesh* tets);

/// The ways to refine: along the walls (solids: everywhere), across them.
typedef enum BakeWay
{
    BAKE_ALONG,
    BAKE_ACROSS,
    BAKE_WAYS
} BakeWay;

/// What a refinement told of a frequency; relative.
typedef struct BakeError
{
    double ratio;       ///< of the element sizes; 0: there was none yet
    double difference;  ///< it made
    double known;       ///< part of the error that is subtracted
    double left;        ///< estimate of the rest
} BakeError;

typedef struct BakeMode
{
    double freq_hz;              ///< less the known errors
    BakeError error[BAKE_WAYS];  ///< by the last step in each way
} BakeMode;

/// One mesh and its modes.
typedef struct BakeLevel
{
    twTetMesh* tets;
    twFemModes* modes;
    BakeMode* mode;  ///< (modes)
    BakeSize size;
    int across;      ///< elements across the walls
    bool old_walls;  ///< the errors across them are of longer edges
    double loose;    ///< relative error because parts of the body are cut along the elements
} BakeLevel;
/// Mesh the body.
twStatus bake_level_mesh(BakeLevel* level, const twBakeDef* def, const BakeSource* source, BakeSize size,
                         twBakeReport* report, twError* err);
/// Find the modes of its mesh. A level that failed is free.
twStatus bake_level_solve(BakeLevel* level, const twBakeDef* def, const BakeSource* source, twBakeReport* report,
                          twError* err);
void bake_level_free(BakeLevel* level);
/// Refine until good enough; level is the finest one solved, report has its estimated error.
twStatus bake_refine(const twBakeDef* def, const BakeSource* source, BakeLevel* level, twBakeReport* report,
                     twError* err);

/// What it costs a level that balls and boxes are cut along its elements; fem is what it was solved with.
double bake_loose(const twBakeDef* def, const BakeSource* source, const BakeLevel* level, const twFemDef* fem);
/// The finest level as a mode set, damped by its materials.
twStatus bake_set(twModeSet** out, const twBakeDef* def, const BakeLevel* level, double error_estimate, twError* err);

// ---- the cache ----

#define BAKE_PATH_BYTES 1024

/// Path of the cached result without ending: the hash of everything it depends on. False if there is no cache or the
/// source cannot be read.
bool bake_cache_path(const twBakeDef* def, char* path, size_t bytes);
/// False if there is no such entry, or it is damaged.
bool bake_cache_load(twModeSet** out, const char* path, twBakeReport* report);
/// A cache that cannot be written is no failure.
void bake_cache_save(const twModeSet* set, const char* path, const twBakeDef* def, const twBakeReport* report);
