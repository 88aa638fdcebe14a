// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bake.h"
#include "twang/cells.h"

/// @file
/// Inside baking (internal): where the body comes from, and the cache.

typedef struct BakeSource
{
    twMesh* surface;      ///< where modes are seen; NULL: it has tets
    twTetMesh* tets;      ///< of a file; NULL: it has a surface
    twShape* shape;       ///< that the surface is of; NULL: of a file
    twMeshReport mended;  ///< of the surface
    twMesh* walls;      ///< what bounds the body: both faces of thick walls, finer facets of a shape; NULL: the surface
    bool solid;         ///< a surface with a thickness that is too thick for a shell
    twTetMesh* filled;  ///< of a surface, once its tets were needed; NULL: not yet
    size_t note_bytes;  ///< of the report's note: what it says of the surface
    double size, width;  ///< longest and second side of the bounding box [m]
    twVec3 box;          ///< its sides along x, y, z [m]
    twMat3 fibre;        ///< axes of orthotropic materials, see twFemDef
} BakeSource;

twStatus bake_open(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err);
void bake_close(BakeSource* source);

/// Tets of the body, quadratic unless def->linear.
twStatus bake_mesh(const BakeSource* source, const twBakeDef* def, twTetMesh** out, twError* err);

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

/// Modes, and where they are seen: at the nodes of tets, or at the vertices of a surface.
typedef struct BakeLevel
{
    twTetMesh* tets;        ///< NULL: a surface
    const twMesh* surface;  ///< unless there are tets
    twFemModes* modes;      ///< at the nodes of the tets
    const twCells* cells;   ///< in cut cells, which know mass and materials too; NULL: modes
    twMat3 fibre;           ///< of the source
    double loose;           ///< relative error because parts of the body are cut along the elements
} BakeLevel;
/// The modes of the source's tets as they are. A level that failed is free.
twStatus bake_level(BakeLevel* level, const twBakeDef* def, const BakeSource* source, twBakeReport* report,
                    twError* err);
void bake_level_free(BakeLevel* level);

/// What it costs a level that balls and boxes are cut along its elements; fem is what it was solved with.
double bake_loose(const twBakeDef* def, const BakeSource* source, const BakeLevel* level, const twFemDef* fem);
/// The finest level as a mode set, damped by its materials.
twStatus bake_set(twModeSet** out, const twBakeDef* def, const BakeLevel* level, double error_estimate, twError* err);

// ---- the cache ----

#define BAKE_PATH_BYTES 1024

/// What is needed to go on with the rounds of a surface.
typedef struct BakeState
{
    void* bytes;
    size_t count;
} BakeState;

/// Path of the cached result without ending: the hash of everything it depends on. False if there is no cache or the
/// source cannot be read.
bool bake_cache_path(const twBakeDef* def, char* path, size_t bytes);
/// Path of round r of a surface.
void bake_cache_round(char* out, size_t bytes, const char* path, int round);
/// False if there is no such entry, or it is damaged. state (may be NULL) gets a new block.
bool bake_cache_load(twModeSet** out, const char* path, twBakeReport* report, BakeState* state);
/// A cache that cannot be written is no failure. state may be NULL.
void bake_cache_save(const twModeSet* set, const char* path, const twBakeDef* def, const twBakeReport* report,
                     const BakeState* state);

// ---- surfaces ----

/// The cached round that accuracy and budget make the last one, or the last there is, with what the next one needs. False if
/// the rounds should continue from there; *out is NULL if there is none.
bool bake_rounds_find(twModeSet** out, const twBakeDef* def, const char* path, twBakeReport* report, BakeState* state);
/// The modes of a surface by rounds of cut cells, as far as accuracy and budget go, from *out and its state on. path: of the
/// cache; NULL: none
twStatus bake_rounds(twModeSet** out, const twBakeDef* def, BakeSource* source, twBakeReport* report, const char* path,
                     const BakeState* state, twError* err);
/// The modes of the last round as a mode set.
twStatus bake_cells_set(twModeSet** out, const twBakeDef* def, BakeSource* source, const twCells* cells, double error,
                        twError* err);
/// The modes of a surface as a shell of the def's thickness.
twStatus bake_shell(twModeSet** out, const twBakeDef* def, const BakeSource* source, twBakeReport* report,
                    twError* err);
/// Make a surface with a thickness solid if that is too thick for a shell: source->walls of a closed one; both sides of a sheet take
/// the place of source->surface.
twStatus bake_walls(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err);
bool bake_is_hollow(const BakeSource* source);  ///< whether a thickness means walls inside of the surface, not a sheet
/// Both sides of a sheet and its rims, closed. The first half of the vertices is one side, the second the other; *of (half of
/// the vertices; free() it; may be NULL) tells which vertex of the sheet each is.
twStatus bake_thicken(twMesh** out, int** of, const twMesh* mesh, double thickness, twError* err);
double bake_sheet_thickness(const BakeSource* source);  ///< of a surface that encloses no volume [m]; 0: it does
void bake_report_errors(twBakeReport* report, const double* error,
                        int count);  ///< the errors, from those of the modes
/// That a part has nothing of the body; material: -1 for a held one.
twStatus bake_fail_part(const twBakeDef* def, const twPart* part, int material, double gap, twVec3 nearest,
                        const BakeSource* source, twError* err);
/// wall [m]: how thick the body's walls are, for its thermoelastic loss.
twModeMaterial bake_material_of(const twMaterial* material, double volume, double wall);
double bake_wall(const twMesh* surface, double volume);  ///< mean thickness 2 V/S [m]
/// Leave out the shares of materials without volume: (modes x materials).
void bake_pack_shares(double* shares, const double* volume, int modes, int materials);
double
bake_weight(int mode);  ///< of a mode's error: the lowest ten are to be as accurate as wanted, mode k less by 10/k
bool bake_is_orthotropic(const twBakeDef* def);  ///< whether any material is
bool bake_is_shape(const twBakeDef* def);
bool bake_is_tets(const twBakeDef* def);
/// Hints at sizes and frequencies that no body has whose sound is looked for.
void bake_add_hints(const twModeSet* set, const twBakeDef* def, twBakeReport* report);
/// Tell the caller of a round that is not the last, with the damping asked for.
twStatus bake_show(const twModeSet* set, const twBakeDef* def, twError* err);
void bake_add_note(twBakeReport* report, const char* words, const char* why);
