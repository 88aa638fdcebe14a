// SPDX-License-Identifier: MIT
#pragma once
#include "twang/live.h"

/// @file
/// Inside covers (internal).

enum
{
    COVER_BLOCK = 32  ///< points side by side
};

/// What modes do to points: their displacement and, to warp, their rotation. Points lie in blocks, which are read one after the
/// other: (blocks x modes x 3 x COVER_BLOCK), all x of a block and mode, then y, z.
typedef struct CoverField
{
    int point_count, mode_count;
    float* shape;
    float* turn;  ///< NULL: no warp
} CoverField;

typedef struct CoverKernel
{
    const char* name;
    /// Displacements of all points, stride floats from one to the next.
    void (*bend)(const CoverField* field, const float* amplitude, float* out, int stride);
} CoverKernel;

/// "avx2", "generic", or NULL for the best that runs here. @return NULL if it does not run
const CoverKernel* cover_kernel(const char* name);
extern const CoverKernel cover_kernel_avx2, cover_kernel_generic;

struct twCover
{
    twArena* arena;  ///< of everything, this too
    const CoverKernel* kernel;
    CoverField field;  ///< of the vertices, or, embedded, of the nodes that they hang on
    int vertex_count, face_count;
    float* rest;        ///< (vertices x 3) [m]
    twTriangle* faces;  ///< (faces)
    float* share;       ///< of the cross product of a face's sides in its corners' normals (faces x 3)
    int hangs;          ///< nodes of each vertex, if embedded; 0: the field is of the vertices
    int* node;          ///< (vertices x hangs) points of the field
    float* weight;      ///< (vertices x hangs)
    double outside;     ///< over the size
};

/// Unit normals of a surface that is bent (vertices x 3). Real-time safe.
void cover_normals(const twCover* cover, const float* positions, float* normals);
/// From the body's axes to the world's: x goes to position + turn x, in place. normals may be NULL. Real-time safe.
void cover_place(float* positions, float* normals, int count, twVec3 position, twQuat turn);
