// SPDX-License-Identifier: MIT
#pragma once
#include "twang/picture.h"

/// @file
/// Drawing of triangles without a window: lit, with shadows, antialiased, over nothing. Behind it is GLES 3 on EGL, which no other file
/// knows. What stands still (camera, light, triangles) is given once, vertices for each picture.

/// Triangles of one look.
typedef struct GlPart
{
    int vertex_count, face_count;
    const twTriangle* faces;  ///< counter-clockwise seen from outside; others are not seen
    twLook look;
    float radius;       ///< of wires: thickened where they are thinner than a pixel; 0: as it is [m]
    bool casts_shadow;  ///< and is in the shadow of others
    bool in_front;      ///< of all parts before it
    bool fine;          ///< triangles of a few pixels: lit at their vertices, which is quicker
} GlPart;

/// Where things are seen and lit from; matrices are column-major.
typedef struct GlView
{
    float clip[16];          ///< world to clip space
    float eye[3], light[3];  ///< place; unit vector towards the light
    float pixel;             ///< width of a pixel at distance 1
    float shadow[16];        ///< world to clip space of the shadow map
    int shadow_size[2];      ///< of the map [texels]; 0: no shadows
    float shadow_texel;      ///< [m]
    float floor_to_map
        [9];  ///< (column, row, 1) of a pixel to (u, v, 1) times w of the map where the floor is seen; w <= 0: no floor
} GlView;

typedef struct GlDef
{
    int width, height;
    int samples;  ///< per pixel: 1, or what the driver allows up to this
    GlView view;
    int part_count;
    const GlPart* parts;
} GlDef;

typedef struct Gl Gl;

/// def is copied. The calls must all come from one thread. On failure *out is NULL.
/// @return TW_IO_ERROR saying what the machine lacks, TW_NO_MEMORY
twStatus gl_create(Gl** out, const GlDef* def, twError* err);
void gl_destroy(Gl* gl);                ///< NULL is fine
const char* gl_renderer(const Gl* gl);  ///< name of what draws
int gl_samples(const Gl* gl);           ///< that are taken
/// Where the vertices of a part are in the next picture, (vertices x 3) each; only its first faces are drawn.
void gl_vertices(Gl* gl, int part, const float* positions, const float* normals, int face_count);
/// Begin a picture; the driver goes on with it beside the caller.
void gl_draw(Gl* gl);
void gl_wait(Gl* gl);  ///< until it is done
/// Copy it: rgba (height x width x 4), bottom row first; alpha is how much of a pixel things cover, and colours
/// are times alpha. cover (rows x columns of gl_cover_size()) is how much of the shadow map's coarse texels they cover.
/// @return TW_IO_ERROR if the driver failed
twStatus gl_read(Gl* gl, uint8_t* rgba, uint8_t* cover, twError* err);
void gl_cover_size(const Gl* gl, int size[2]);  ///< columns, rows
