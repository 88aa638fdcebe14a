// SPDX-License-Identifier: MIT
#pragma once
#include "twang/media.h"
#include "twang/trace.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Pictures of recorded motion: surfaces of what a trace holds, and from these glTF files, vertex caches, rendered frames
/// and films. Nothing is simulated again; the same trace gives the same bytes.

// ---- how things look ----

/// Of a material, as physically based renderers see it.
typedef struct twLook
{
    float colour[3];  ///< linear red, green, blue
    float metallic, roughness;
} twLook;
twLook tw_look(const char* material);  ///< unknown names get a colour of their own, always the same

// ---- surfaces ----

/// Start from tw_skin_def().
typedef struct twSkinDef
{
    double exaggeration;  ///< of vibration: factor of modal amplitudes, and of how far rods are from their first frame;
                          ///< above 0; 1: true scale
    int sides;            ///< of round rods, 3 to 256
} twSkinDef;
twSkinDef tw_skin_def(void);  ///< true scale, 16 sides

#define TW_MAX_EXAGGERATION 1e9

/// A place and a turn.
typedef struct twSkinJoint
{
    float position[3];
    float turn[4];  ///< unit quaternion w, x, y, z
} twSkinJoint;

/// The surface of a body or a rod. Vertices where the surface has an edge are there once per side.
/// A body has one joint, and its vertices move with its modes: rest + sum of weight times shape.
/// A rod has one joint per point; rest is in the axes of the vertex's joint: x, y along the section's axes, z along the rod.
typedef struct twSkinPart
{
    const char *name, *material;
    int body, rod;  ///< of the trace; the other is -1
    int vertex_count, face_count, joint_count, mode_count;
    const float* rest;         ///< (vertices x 3) [m]
    const float* rest_normal;  ///< (vertices x 3), unit
    const twTriangle* faces;   ///< (faces) counter-clockwise seen from outside
    const int* joint;          ///< (vertices) of rods; NULL for bodies: all 0
    const int* source;         ///< (vertices) of bodies: vertex of the mode set; NULL for rods
} twSkinPart;

/// The surfaces of everything in a trace, which must outlive it.
typedef struct twSkin
{
    const twTrace* trace;
    double exaggeration;  ///< as in twSkinDef
    int part_count;
    const twSkinPart* parts;
    twVec3 low, high;  ///< box around everything in all frames [m]
    twArena* arena;
} twSkin;

/// @return TW_BAD_INPUT if the trace has nothing to be seen or def makes no sense, TW_NO_MEMORY
twStatus tw_skin_create(twSkin** out, const twTrace* trace, const twSkinDef* def, twError* err);
void tw_skin_destroy(twSkin* skin);                                                  ///< NULL is fine
void tw_skin_joints(const twSkin* skin, int part, int64_t frame, twSkinJoint* out);  ///< (joints)
void tw_skin_weights(const twSkin* skin, int part, int64_t frame, float* out);       ///< exaggerated amplitudes (modes)
/// Where the vertices are in the world, and their unit normals (vertices x 3 each); normals may be NULL.
void tw_skin_vertices(const twSkin* skin, int part, int64_t frame, float* positions, float* normals);

// ---- files for other programs ----

/// Start from tw_glb_def().
typedef struct twGlbDef
{
    int max_targets;   ///< most modes of a body that bend its surface: those that move it most
    double tolerance;  ///< modes that move a body less than this, all together, share of its largest are left out
    bool modal_data;   ///< write the modes themselves too, for programs that sound them (KHR_audio_rigid_bodies)
    bool (*keep_going)(double done, void* context);  ///< with the fraction done; false interrupts; may be NULL
    void* context;
} twGlbDef;
twGlbDef tw_glb_def(void);  ///< 64 modes, 1e-5, with modal data

/// Write a glTF 2.0 file (docs/glb.md): bodies as moving nodes with their modes as morph targets, rods as skinned tubes,
/// materials, camera and lights. Y is up in it, as the format wants. Atomic.
/// @return TW_BAD_INPUT if it would not fit the format (2 GB, 65536 points of a rod), TW_IO_ERROR, TW_NO_MEMORY,
/// TW_INTERRUPTED
twStatus tw_glb_save(const char* path, const twSkin* skin, const twGlbDef* def, twError* err);

/// Start from tw_pc2_def().
typedef struct twPc2Def
{
    bool (*keep_going)(double done, void* context);  ///< with the fraction done; false interrupts; may be NULL
    void* context;
} twPc2Def;
twPc2Def tw_pc2_def(void);  ///< nobody is asked

/// The name that files of a part get: its own, as far as file names may hold it, made unlike those of the other parts.
void tw_pc2_name(const twSkin* skin, int part, char out[TW_TRACE_NAME + 16]);
/// Write folder/<name>.obj, the surface of each part in its first frame, and folder/<name>.pc2, where its vertices are in
/// every frame, in the same order: the cache that Blender's Mesh Cache modifier reads. Z is up. Each file is atomic. The folder
/// is made if missing.
twStatus tw_pc2_save(const char* folder, const twSkin* skin, const twPc2Def* def, twError* err);

// ---- films ----

/// Start from tw_film_def().
typedef struct twFilmDef
{
    int width, height;     ///< of the picture [pixels], even, 128 to 4096
    double frame_rate_hz;  ///< 1 to 240; 0: the trace's, but at most 60
    double start, end;     ///< part of the trace that is shown [s]; end 0: to its end
    const char* sound;     ///< WAV file whose first sample is at time 0; NULL: silent
    bool arrows;           ///< show the trace's forces
    bool strip;            ///< show the sound's waveform and the trace's series below, with where the film is in them
    int samples;           ///< per pixel, 1 to 16; what the driver has if that is less
    const char* encoder;   ///< name or path of the ffmpeg program
    bool (*keep_going)(double done, void* context);  ///< with the fraction done; false interrupts; may be NULL
    void* context;
} twFilmDef;
twFilmDef tw_film_def(void);  ///< 1280 x 720, the whole trace, silent, without arrows and strip, 4 samples, "ffmpeg"

#define TW_FILM_FOLDER 1024
#define TW_FILM_MIN_SIDE 128  ///< [pixels]
#define TW_FILM_MAX_SIDE 4096

/// What was made, and what it took.
typedef struct twFilmReport
{
    int64_t frames;
    double frame_rate_hz;
    double draw_seconds;          ///< until pictures were handed to the driver [s]
    double wait_seconds;          ///< for the driver
    double read_seconds;          ///< to copy pictures from it
    double show_seconds;          ///< to put them over the backdrop and draw the strip
    double encode_seconds;        ///< spent on encoding here: conversion and waiting for the encoder
    double encoder_cpu_seconds;   ///< of the encoder's own process, beside all that
    int samples;                  ///< per pixel
    char renderer[128];           ///< what drew
    char folder[TW_FILM_FOLDER];  ///< if there is no encoder: where the pictures are; else ""
} twFilmReport;

/// Make a film: H.264 and AAC in MP4, by an ffmpeg that runs beside. Atomic. Frame n, at start + n / frame_rate_hz, shows the
/// last frame of the trace up to the middle of its time, and the sound of that time is heard with it. The same skin, driver and encoder give the same
/// bytes. Needs EGL with OpenGL ES 3, but no screen. report may be NULL.
/// Without an encoder, the pictures are left as PNG files in a folder beside, named in report and err, and TW_IO_ERROR is
/// returned.
/// @return TW_BAD_INPUT if def makes no sense or the sound cannot be read; TW_IO_ERROR saying why nothing can be drawn, encoded
/// or written (in the encoder's words); TW_INTERRUPTED, and nothing is left behind; TW_NO_MEMORY
twStatus tw_film_save(const char* path, const twSkin* skin, const twFilmDef* def, twFilmReport* report, twError* err);

/// One frame of the trace as PNG, as a film shows it; of def, start, end, rate, encoder and keep_going do not matter. Atomic.
twStatus tw_still_save(const char* path, const twSkin* skin, int64_t frame, const twFilmDef* def, twError* err);

// ---- all that a trace is worth ----

/// What to make; add them up. Names are those at true scale; vibration that is shown 100 times as large gives scene-x100.glb,
/// preview-x100.mp4, still-x100.png and cache-x100.
enum
{
    TW_PICTURE_GLB = 1,     ///< scene.glb
    TW_PICTURE_FILM = 2,    ///< preview.mp4
    TW_PICTURE_STILL = 4,   ///< still.png
    TW_PICTURE_SERIES = 8,  ///< series.png, if the trace has any
    TW_PICTURE_PC2 = 16,    ///< cache/<part>.pc2 and .obj
    TW_PICTURE_USUAL = 15,
};

/// Start from tw_picture_def().
typedef struct twPictureDef
{
    const char* folder;  ///< made if missing
    unsigned wanted;     ///< TW_PICTURE_GLB | ...
    twSkinDef skin;
    twGlbDef glb;
    twFilmDef film;                                                     ///< of films and stills; keep_going is not used
    double still_time;                                                  ///< [s]; below 0: a tenth of the trace
    bool (*keep_going)(const char* stage, double done, void* context);  ///< false interrupts; may be NULL
    void* context;
} twPictureDef;
twPictureDef tw_picture_def(void);  ///< the usual ones, with a film of 30 frames per second

/// What was made: paths, "" for what was not.
typedef struct twPictureReport
{
    double exaggeration;
    int triangles;
    char glb[512], film[512], still[512], series[512], pc2[512];
    twFilmReport film_report;
    double seconds;
} twPictureReport;

/// Make pictures of a trace. What fails does not keep the others from being made; an interruption does.
/// @return the status and text of the first failure
twStatus tw_picture_save(const twTrace* trace, const twPictureDef* def, twPictureReport* report, twError* err);
/// Path of the sound that a trace names, which lies beside it; "" if it names none. @return out
const char* tw_picture_sound(char* out, size_t bytes, const twTrace* trace, const char* trace_path);

#ifdef __cplusplus
}
#endif
