// SPDX-License-Identifier: MIT
#pragma once
#include "twang/picture.h"

/// @file
/// The parts of the glTF writer (internal). Everything is put into tables first (glb_bin.c, glb_body.c, glb_rod.c,
/// glb_modal.c, glb_stage.c), then written as JSON and bytes (glb_json.c, glb.c).

enum
{
    GLB_BYTE = 5121,
    GLB_SHORT = 5123,
    GLB_INT = 5125,
    GLB_FLOAT = 5126,  // component types
    GLB_VERTICES = 34962,
    GLB_INDICES = 34963,  // what a view is for; 0: neither
    GLB_ROOT = 0,         // node below which z is up
};

/// A piece of the bytes.
typedef struct GlbView
{
    size_t first, bytes;
    int target;
} GlbView;

/// Numbers in a view: count rows of parts each.
typedef struct GlbAccessor
{
    int view;
    size_t first;  ///< in the view
    int64_t count;
    int type, parts;
    bool normalized;  ///< integers stand for 0..1
    bool bounded;     ///< low and high are known
    float low[3], high[3];
} GlbAccessor;

typedef struct GlbNode
{
    char name[TW_TRACE_NAME + 16];
    int parent;  ///< -1: of the scene
    bool has_children;
    twSkinJoint place;
    int mesh, skin, camera, light, model;  ///< -1: none
} GlbNode;

typedef struct GlbMaterial
{
    const char* name;
    twLook look;
} GlbMaterial;

typedef struct GlbMesh
{
    const char* name;
    int material;
    int position, normal, joints, weights, indices;  ///< accessors; joints and weights -1 without a skin
    int target_count;
    int targets;           ///< accessor of the first target's positions; then its normals, then the next
    const int* modes;      ///< (targets) of the body
    const float* start;    ///< (targets) weights of the first frame
    const twModeSet* set;  ///< whose modes they are
    double left_out;       ///< how far the modes that are no targets move it at most [m]
} GlbMesh;

typedef struct GlbSkin
{
    const char* name;
    int inverse_bind;  ///< accessor
    int first_joint, joint_count;
} GlbSkin;

typedef enum GlbPath
{
    GLB_TRANSLATION,
    GLB_ROTATION,
    GLB_WEIGHTS,
} GlbPath;

/// A property of a node over time.
typedef struct GlbTrack
{
    int node, accessor;
    GlbPath path;
} GlbTrack;

/// The modes of a body as data.
typedef struct GlbModel
{
    const char* name;
    const twModeSet* set;
    int frequencies, decays, positions, shapes, indices;  ///< accessors
    int material;                                         ///< acoustic; -1: none
    double moments[3];                                    ///< principal, of inertia
    twQuat axes;                                          ///< of these
} GlbModel;

typedef struct GlbAcoustic
{
    const char* name;
    double density, young, poisson;
    bool has_damping;
    double alpha, beta;
} GlbAcoustic;

/// Everything that goes into a file.
typedef struct Glb
{
    const char* path;
    const twSkin* skin;
    const twGlbDef* def;
    twArena* arena;  ///< of the tables

    char* bytes;
    size_t byte_count, byte_capacity;
    int view_count, accessor_count, node_count, material_count, mesh_count, skin_count, track_count;
    int model_count, acoustic_count, camera_count, light_count;
    GlbView* views;
    GlbAccessor* accessors;
    GlbNode* nodes;
    GlbMaterial* materials;
    GlbMesh* meshes;
    GlbSkin* skins;
    GlbTrack* tracks;
    GlbModel* models;
    GlbAcoustic* acoustics;
    int times;  ///< accessor; -1 until something moves
    double view_angle, aspect, near_plane, far_plane;
    double light[2];  ///< their strengths
} Glb;

/// Make the tables, with room for all that the skin can need.
twStatus glb_open(Glb* glb, twError* err);
void glb_close(Glb* glb);
twStatus glb_no_memory(const Glb* glb, twError* err);
/// Ask whether to go on: part by part, and within one. @return TW_INTERRUPTED if not
twStatus glb_ask(const Glb* glb, int part, double within, twError* err);

/// Start a view; accessors go into the last one.
void glb_view(Glb* glb, int target);
/// Append rows of floats or of unsigned integers. @return TW_BAD_INPUT if the file becomes too large
twStatus glb_floats(Glb* glb, int* accessor, const float* values, int64_t count, int parts, twError* err);
twStatus glb_integers(Glb* glb, int* accessor, int type, const int* values, int64_t count, int parts, twError* err);
/// Find out the smallest and largest of the columns of an accessor of floats, at most 3.
void glb_bound(Glb* glb, int accessor);

/// A new node of which nothing is known but its name and parent.
GlbNode* glb_node(Glb* glb, const char* name, int parent);
int glb_material(Glb* glb, const char* name);
/// Put the triangles of a part into a mesh.
twStatus glb_faces(Glb* glb, GlbMesh* mesh, const twTriangle* faces, int face_count, int vertex_count, twError* err);
/// Where count nodes from first on are in every frame: their first place, and tracks of those that move. places is
/// (frames x count).
twStatus glb_moves(Glb* glb, int first, int count, const twSkinJoint* places, twError* err);
/// A track of rows per frame.
twStatus glb_track(Glb* glb, int node, GlbPath path, const float* values, int64_t count, int parts, twError* err);

twStatus glb_body(Glb* glb, int part, twError* err);
twStatus glb_rod(Glb* glb, int part, twError* err);
/// The modes of a body for a node (KHR_audio_rigid_bodies).
twStatus glb_model(Glb* glb, const twSkinPart* part, GlbNode* node, twError* err);
twStatus glb_stage(Glb* glb, twError* err);  ///< camera, lights, ground

void glb_json(const Glb* glb, FILE* stream);
void glb_place(twSkinJoint* out, twVec3 position, twQuat turn);
