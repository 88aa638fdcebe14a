// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"
#include "twang/rod.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Traces: what moved, recorded at a frame rate for pictures that are made later without simulating again, however it
/// was simulated (.twtrace, docs/trace.md). Z is up.

#define TW_TRACE_NAME 64  ///< bytes of a name in a trace, with its zero
#define TW_TRACE_TEXT 256

// ---- what is recorded ----

/// What a picture needs of a cross section.
typedef struct twTraceSection
{
    double half_size[2];  ///< along the principal axes 1, 2 [m]
    double radius;        ///< outer radius of a circle or tube, 0 if it is neither [m]
    double angle;         ///< of axis 1 from d1 [rad]
} twTraceSection;
twTraceSection tw_trace_section(const twSection* section);

/// A rod that is recorded. Edges: points - 1, or as many as points if closed.
typedef struct twTraceRod
{
    const char *name, *material;  ///< less than TW_TRACE_NAME bytes each
    int point_count;              ///< at least 2; 3 if closed
    bool closed;
    int section_count;               ///< 1, or one per point
    const twTraceSection* sections;  ///< (section_count)
    int corner_count;                ///< of the outline; 0: an ellipse that fills the half sizes
    const double* corners;           ///< (corners x 2) along axes 1, 2 in units of the half sizes, counter-clockwise
} twTraceRod;

/// A body that is recorded: a surface that moves as a whole and, if it has modes, bends.
typedef struct twTraceBody
{
    const char *name, *material;  ///< less than TW_TRACE_NAME bytes each
    const twModeSet* set;         ///< surface, mass and modes in the body's own axes; rigid: without modes
} twTraceBody;

/// A quantity that is recorded with the frames: energy, degrees of freedom, step size.
typedef struct twTraceSeries
{
    const char *name, *unit;  ///< less than TW_TRACE_NAME bytes each
} twTraceSeries;

/// From where a scene wants to be seen.
typedef struct twTraceCamera
{
    bool given;  ///< false: found from what is there
    twVec3 eye, target;
    double view_angle;  ///< from the top to the bottom of the picture [rad]
} twTraceCamera;

/// Everything needed to record motion. Start from tw_trace_def().
typedef struct twTraceDef
{
    double frame_rate_hz;
    const char* title;  ///< less than TW_TRACE_TEXT bytes, as is sound; NULL: ""
    const char* sound;  ///< name of the WAV file, from the trace's folder, whose first sample is the first frame's time
    twTraceCamera camera;
    bool ground;  ///< there is a floor
    twVec3 ground_point, ground_normal;
    int rod_count, body_count, series_count;
    const twTraceRod* rods;
    const twTraceBody* bodies;
    const twTraceSeries* series;
} twTraceDef;
twTraceDef tw_trace_def(void);  ///< 60 frames per second, nothing in it

/// Where a body is: its point x lies at position + turn(x + sum of amplitude times shape).
typedef struct twTracePose
{
    twVec3 position;
    twQuat turn;              ///< unit
    const double* amplitude;  ///< (modes) of its set [kg^1/2 m]; NULL: all 0
} twTracePose;

/// A force at a place, to be drawn as an arrow.
typedef struct twTraceArrow
{
    float at[3], force[3];  ///< [m], [N]
} twTraceArrow;

/// What is at one time.
typedef struct twTraceFrame
{
    const twRodView* rods;      ///< (rods) of which only counts, position and frame_d1 are read
    const twTracePose* bodies;  ///< (bodies)
    const double* series;       ///< (series) NaN: none
    int arrow_count;
    const twTraceArrow* arrows;
} twTraceFrame;

// ---- writing ----

/// A trace being written; memory does not grow with its length.
typedef struct twTraceWriter twTraceWriter;

/// Start a file; def is copied. On failure *out is NULL.
/// @return TW_BAD_INPUT naming the rod or body and what would be right, TW_IO_ERROR if the folder cannot be written,
/// TW_NO_MEMORY.
twStatus tw_trace_create(twTraceWriter** out, const char* path, const twTraceDef* def, twError* err);
/// Append a frame: the k-th is the motion at k / frame_rate_hz. Kept as float. After a failure only abort is of use.
/// @return TW_BAD_INPUT if a number is not finite, TW_IO_ERROR.
twStatus tw_trace_append(twTraceWriter* writer, const twTraceFrame* frame, twError* err);
/// Make the file appear. *writer becomes NULL either way.
twStatus tw_trace_commit(twTraceWriter** writer, twError* err);
void tw_trace_abort(twTraceWriter** writer);  ///< leave nothing behind; NULL is fine

// ---- reading ----

/// A trace in memory.
typedef struct twTrace
{
    double frame_rate_hz;
    int64_t frame_count;
    const char *title, *sound;  ///< "" if there is none
    twTraceCamera camera;
    bool ground;
    twVec3 ground_point, ground_normal;
    int rod_count, body_count, series_count;
    const twTraceRod* rods;       ///< (rods)
    const twTraceBody* bodies;    ///< (bodies)
    const twTraceSeries* series;  ///< (series)
    const float* const* frames;   ///< (frames), see tw_trace_positions()
    const int64_t* rod_first;     ///< (rods) where a rod begins in a frame
    const int64_t* body_first;    ///< (bodies)
    int64_t series_first;
    const int* arrow_count;             ///< (frames)
    const twTraceArrow* const* arrows;  ///< (frames) of (arrow_count); NULL where there are none
    twArena* arena;                     ///< owns the tables
    char* bytes;                        ///< of the file; NULL for a view
} twTrace;

/// Load a trace. Survives any input. On failure *out is NULL. @return TW_BAD_INPUT saying what is wrong with the file
twStatus tw_trace_load(twTrace** out, const char* path, twError* err);
/// The same for a file in memory (mapped, say), aligned to 8 bytes, which must outlive the trace.
twStatus tw_trace_view(twTrace** out, const void* bytes, size_t count, twError* err);
void tw_trace_destroy(twTrace* trace);                                            ///< NULL is fine
const float* tw_trace_positions(const twTrace* trace, int64_t frame, int rod);    ///< (points x 3) [m]
const float* tw_trace_directors(const twTrace* trace, int64_t frame, int rod);    ///< d1 (edges x 3), unit
const float* tw_trace_pose(const twTrace* trace, int64_t frame, int body);        ///< x, y, z [m], then turn w, x, y, z
const float* tw_trace_amplitudes(const twTrace* trace, int64_t frame, int body);  ///< (modes)
const float* tw_trace_values(const twTrace* trace, int64_t frame);                ///< (series)

#ifdef __cplusplus
}
#endif
