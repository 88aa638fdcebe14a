// SPDX-License-Identifier: MIT
#pragma once
#include "import/spline.h"
#include "mesh/glb.h"
#include "twang/import.h"

/// @file
/// The parts of an import: node.c makes the tree, keys.c gives it motion, motion.c follows that, shape.c makes the meshes
/// of bodies, property.c finds what was written by hand, name.c what they are called.

#define IMPORT_NAME 58  ///< bytes of a body's name with its zero; copies of it get a number behind

typedef enum ImportWay
{
    IMPORT_TRANSLATION,
    IMPORT_ROTATION,
    IMPORT_SCALE,
    IMPORT_WAYS
} ImportWay;

/// A node of the file's tree.
typedef struct ImportNode
{
    const char* name;  ///< as in the file, or its number
    int json;
    int parent;  ///< -1: none
    bool used;   ///< the scene has it
    bool has_matrix;
    twPlacement matrix;
    twVec3 translation, scale;  ///< where it does not move
    twQuat rotation;
    const Spline* way[IMPORT_WAYS];  ///< how it moves; NULL: it does not
    int animation[IMPORT_WAYS];      ///< which one has its keys; -1: none
    bool jumps;                      ///< keys of its are steps
} ImportNode;

/// Where the frame of a node is, and how it changes: x -> a x + p.
typedef struct ImportFrame
{
    twMat3 a, a_rate;
    twVec3 p, p_rate;
} ImportFrame;

/// How a body hangs in the tree.
typedef struct ImportHook
{
    int node;
    bool still;      ///< placed by its mesh alone
    twMat3 unscale;  ///< inverse of what its scale does to the mesh
} ImportHook;

struct twImportTree
{
    int node_count;
    ImportNode* nodes;
    int order_count;
    int* order;         ///< nodes of the scene, parents first
    ImportHook* hooks;  ///< (bodies)
    double unit, start;
    bool z_up;
};

/// What is at hand while a file is read.
typedef struct ImportReader
{
    twImport* import;
    const twGlb* glb;
    const twImportDef* def;
    twGlbList materials, animations;
    int64_t keys;  ///< so far, which are limited
} ImportReader;

void* import_alloc(ImportReader* reader, size_t count, size_t size);  ///< from the arena; NULL without memory
twStatus import_no_memory(const ImportReader* reader, twError* err);
const char* import_text(ImportReader* reader, int json);  ///< a copy of a text, at most 255 bytes; NULL without memory
/// Add to what is told of the import, once.
void import_note(twImport* import, const char* format, ...) TW_PRINTF(2, 3);
bool import_is(const twGlb* glb, int json, const char* text);  ///< whether a JSON text is that

/// What a node says by KHR_audio_rigid_bodies.
typedef struct ImportAcoustic
{
    int solid;                ///< -1: none
    int modes;                ///< 0: not told
    double gain;              ///< NaN: not told
    double roughness, grain;  ///< of slopes [rad], [m]; 0: not told
} ImportAcoustic;
ImportAcoustic import_acoustic(const ImportReader* reader, int node);
twStatus import_solids(ImportReader* reader, twError* err);

twStatus import_nodes(ImportReader* reader, twError* err);
twStatus import_keys(ImportReader* reader, twError* err);
twStatus import_bodies(ImportReader* reader, twError* err);
twStatus import_properties(ImportReader* reader, int node, int mesh, twImportBody* body, twError* err);
twStatus import_camera(ImportReader* reader, twError* err);
/// Names of bodies that are all different.
twStatus import_names(ImportReader* reader, twError* err);

/// In the axes and units of the world.
ImportFrame import_frame(const twImportTree* tree, int node, double time);
bool import_moves(const twImportTree* tree, int node);
twVec3 import_axes(const twImportTree* tree, twVec3 v);  ///< from the file's axes to ours
/// a = r k, r a rotation. @return false if a has no inverse
bool import_split(twMat3 a, twQuat* r, twMat3* k);
