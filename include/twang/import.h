// SPDX-License-Identifier: MIT
#pragma once
#include "twang/dynamics.h"
#include "twang/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Import: bodies, their motion and a camera from a glTF file (GLB), as modellers write it.
///
/// Everything comes out as scenes have it: metres, z up. docs/import.md tells what becomes of what.

/// How a file is taken. Start from tw_import_def().
typedef struct twImportDef
{
    double unit;                    ///< of the file's lengths [m]
    bool z_up;                      ///< z is up in the file, not y as glTF says
    double start;                   ///< time in the animation at which the scene begins [s]
    int animation_count;            ///< of those that are played; 0 with animations: none
    const char* const* animations;  ///< their names; NULL: all there are
    const char* camera;             ///< name of its node; NULL: the first there is
} twImportDef;
twImportDef tw_import_def(void);  ///< metres, y up, from 0 s on, all animations, the first camera

/// A property that a node was given by hand, called twang_<key>.
typedef struct twImportProperty
{
    const char* key;   ///< without twang_
    const char* text;  ///< its value: a number, true, false or a text
} twImportProperty;

/// A solid that the file gives the numbers of (acousticMaterials of KHR_audio_rigid_bodies).
typedef struct twImportSolid
{
    const char* name;       ///< "": none
    double density;         ///< [kg/m^3]
    double young, poisson;  ///< [Pa]
    double alpha, beta;     ///< damping [1/s], [s]; NaN: not told
    bool usable;            ///< density, modulus and ratio are those of a solid
} twImportSolid;

/// A node with a mesh.
typedef struct twImportBody
{
    const char* name;      ///< of the node, made unique
    const char* material;  ///< name in the file of what most of its surface is made of; "": none
    const char* others;    ///< names of the other materials it has, with commas; "": none
    int solid;             ///< of the solids, which says better what it is made of; -1: none
    int shape;             ///< of the shapes; bodies alike share it
    bool flat;             ///< the mesh is a part of a plane: its shape has a thickness behind it
    twVec3 normal;         ///< of a flat one, in the world at the start
    bool ground;           ///< a flat one called ground, in whatever case, that does not move
    bool moves;            ///< it is animated, or something above it is
    bool skinned;          ///< bones bend it in the file: it is as it was bound to them, and does not move
    twBodyMotion motion;   ///< at the start
    int property_count;
    const twImportProperty* properties;
} twImportBody;

typedef struct twImportTree twImportTree;

/// What a file holds. Constant after creation; free it with tw_import_destroy().
typedef struct twImport
{
    int body_count, shape_count, solid_count, animation_count;
    const twImportSolid* solids;    ///< (solids)
    twImportBody* bodies;           ///< (bodies) in the order of the file's tree
    twMesh** shapes;                ///< (shapes) in the coordinates of their bodies; not mended
    const char* const* animations;  ///< (animations) names of those in the file
    const char* camera;             ///< name of the camera's node; NULL: there is none
    twVec3 eye, target;             ///< of the camera [m]
    double view_angle;              ///< from top to bottom [rad]; 0: the file does not say
    double end;                     ///< when the last motion ends, counted from the start [s]; 0: nothing moves
    twHash hash;                    ///< of the file's bytes
    char note[2048];                ///< what was left out or is otherwise than in the file; "" if nothing
    twImportTree* tree;             ///< of its nodes, and their keys
    twArena* arena;                 ///< owns all but the shapes
} twImport;

/// Read a file. On failure *out is NULL. @return TW_BAD_INPUT naming the node and what is wrong, TW_IO_ERROR, TW_NO_MEMORY
twStatus tw_import_load(twImport** out, const char* path, const twImportDef* def, twError* err);
/// The same from memory; name stands for the file in messages. Survives any input.
twStatus tw_import_read(twImport** out, const char* name, const void* data, size_t bytes, const twImportDef* def,
                        twError* err);
void tw_import_destroy(twImport* import);  ///< NULL is fine

/// Whether a body can follow its animation. @return TW_BAD_INPUT naming the node that jumps (STEP) or changes its size
twStatus tw_import_check(const twImport* import, int body, twError* err);
/// Where a body is in the animation, time after the start [s]. A continuous function with a continuous slope. Real-time safe.
twBodyMotion tw_import_motion(const twImport* import, int body, double time);

#ifdef __cplusplus
}
#endif
