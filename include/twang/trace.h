// SPDX-License-Identifier: MIT
#pragma once
#include "twang/dynamics.h"
#include "twang/modal.h"
#include "twang/rod.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Traces: what moved, recorded at a frame rate for pictures, and what pushed, force by force, for sound; made later without
/// simulating again, however it was simulated (.twtrace, docs/trace.md). A recording that is interrupted can go on from its last
/// checkpoint and ends with the same bytes. Z is up.

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
    const twModeSet* set;   ///< surface, mass and modes in the body's own axes; rigid: without modes. Copies that have
                            ///< the same one (the same pointer) share it in the file
    bool held;              ///< fixed or moved: forces do not accelerate it as a whole
    float contact_damping;  ///< gamma [s/m], see twMaterial; 0: that of the built-in material, or the usual
} twTraceBody;

/// A quantity that is recorded with the frames: energy, degrees of freedom, step size.
typedef struct twTraceSeries
{
    const char *name, *unit;  ///< less than TW_TRACE_NAME bytes each
} twTraceSeries;

/// A quantity that is recorded at a sample rate: the velocity of a point.
typedef twTraceSeries twTraceTrack;

/// A number that is said of the whole: a statistic.
typedef struct twTraceNumber
{
    const char* name;  ///< less than TW_TRACE_NAME bytes
    double value;      ///< NaN: none
} twTraceNumber;

/// How everything is at the end, so that another scene can begin there: what tw_world_end() gives.
typedef struct twTraceEnd
{
    twHash scene, start;  ///< of the scene's text, and of the end that it began from itself; 0: none
    int64_t count;
    const double* numbers;  ///< (count)
} twTraceEnd;

// numbers that a scene says before its first frame, for sound; body -1: the ground
#define TW_TRACE_DURATION "duration"   ///< of what was simulated [s]: up to a frame more than the frames say
#define TW_TRACE_HARD "hard contacts"  ///< 1: forces of contacts are not unique; 0: they are
#define TW_TRACE_SPREAD "hard contacts redistributed"  ///< 1: of all that are possible the even ones were recorded
#define TW_TRACE_FRICTION "friction of body %d"        ///< coefficient; of two bodies the geometric mean,
#define TW_TRACE_FRICTION_PAIR "friction of bodies %d and %d"  ///< unless the pair has its own
#define TW_TRACE_BOARD "mass per area of body %d"  ///< that is a board [kg/m^2]; not said: it is none, and silent
#define TW_TRACE_BOARD_NORMAL                                                                                          \
    "component %d of the normal of body %d"  ///< of that board's face; not said: the normals of what touches it

// and for pictures
#define TW_TRACE_WARP "warped body %d"  ///< 1: its bent parts turn instead of growing

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
    double sample_rate_hz;  ///< of the tracks; 0 if there are none
    int track_count;
    const twTraceTrack* tracks;
    bool resumable;  ///< write path.part, which stays if interrupted, see tw_trace_checkpoint()
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
/// Append forces of contacts between the bodies, as the world gives them: later than those before, or at the same time. Their
/// vertices are those of the bodies' sets. Kept as float, but for the time.
/// @return TW_BAD_INPUT naming the force that does not fit, and none of them is kept; TW_IO_ERROR
twStatus tw_trace_append_forces(twTraceWriter* writer, const twContactForce* forces, int count, twError* err);
/// Append samples (frames x tracks); the k-th of all is at k / sample_rate_hz. @return TW_BAD_INPUT if one is not finite
twStatus tw_trace_append_samples(twTraceWriter* writer, const float* samples, int64_t frames, twError* err);
/// Say numbers of the whole; of those of one name the last counts.
twStatus tw_trace_put_numbers(twTraceWriter* writer, const twTraceNumber* numbers, int count, twError* err);
/// Say how everything is at the end, once, last of all; the numbers are finite.
twStatus tw_trace_put_end(twTraceWriter* writer, const twTraceEnd* end, twError* err);

/// Let what is written be read, from the part if the trace is resumable; more may follow. @return TW_IO_ERROR
twStatus tw_trace_flush(twTraceWriter* writer, twError* err);

/// How much is written.
typedef struct twTraceCounts
{
    int64_t frames, touches, forces, samples;
} twTraceCounts;
twTraceCounts tw_trace_counts(const twTraceWriter* writer);

/// Make the file appear. *writer becomes NULL either way. A resumable part stays if that fails.
twStatus tw_trace_commit(twTraceWriter** writer, twError* err);
void tw_trace_abort(twTraceWriter** writer);  ///< leave nothing behind; NULL is fine

// ---- going on after an interruption: def.resumable ----

/// Bring what is written to the disk, with what the caller needs to go on from here (path.state, which replaces that of the
/// checkpoint before). @return TW_IO_ERROR, and the checkpoint before still holds
twStatus tw_trace_checkpoint(twTraceWriter* writer, const void* state, size_t bytes, twError* err);
/// Close and leave the part, for tw_trace_resume(). NULL is fine. What is not resumable is aborted.
void tw_trace_leave(twTraceWriter** writer);
/// Go on from the last checkpoint of path.part: what is behind it is cut off when something is written; tw_trace_leave() before
/// that changes nothing. state: free() it. On failure nothing is changed, *out and *state are NULL.
/// @return TW_BAD_INPUT if there is no part or no checkpoint, it is damaged, or was begun with another def, saying what differs
twStatus tw_trace_resume(twTraceWriter** out, const char* path, const twTraceDef* def, void** state, size_t* bytes,
                         twError* err);

/// What a checkpoint (path.state) says of itself.
typedef struct twTraceState
{
    twTraceCounts counts;  ///< written until then
    double
        time;  ///< until when something is recorded [s]; NaN if path.part is not there, which says how much a frame is
    uint64_t part_bytes;  ///< of path.part until then
    size_t bytes;         ///< of the caller
} twTraceState;
/// Look into path.state. @return TW_BAD_INPUT if it is damaged or of another version
twStatus tw_trace_state(twTraceState* out, const char* state_path, twError* err);

// ---- reading ----

#define TW_TRACE_PUSH ((uint64_t)1 << 63)

/// Where two bodies touch. A contact that moves along has several, one after the other.
typedef struct twTraceTouch
{
    uint64_t id;  ///< of the contact; from TW_TRACE_PUSH on: of a push from outside, which is no contact
    int32_t body
        [2];  ///< the one that has the point, TW_NOWHERE: a rod; and the one that has the surface, TW_NOWHERE: the ground, or none
    int32_t vertex[2][3];  ///< of their sets; -1: none
    float weight[2][3];
    float point[3];   ///< in the world [m]
    float normal[3];  ///< from body[1] to body[0], unit
} twTraceTouch;

/// A force that begins to act and goes on until the next one of the same contact (twTraceTouch.id).
typedef struct twTraceForce
{
    double time;     ///< [s]
    uint32_t touch;  ///< where: index into the touches
    float force[3];  ///< on body[0], in the world [N]
} twTraceForce;

/// Forces that lie together in the file.
typedef struct twTraceForces
{
    const twTraceForce* forces;  ///< (count)
    int64_t count;
} twTraceForces;

/// Samples that lie together in the file.
typedef struct twTraceSamples
{
    const float* samples;  ///< (frames x tracks)
    int64_t first, frames;
} twTraceSamples;

/// A trace in memory.
typedef struct twTrace
{
    bool complete;       ///< false: cut short or still being written; this is what is whole of it
    int64_t lost_bytes;  ///< behind what is whole
    double frame_rate_hz;
    int64_t frame_count;
    const char *title, *sound;  ///< "" if there is none
    twTraceCamera camera;
    bool ground;
    twVec3 ground_point, ground_normal;
    int rod_count, body_count, series_count;
    const twTraceRod* rods;       ///< (rods)
    const twTraceBody* bodies;    ///< (bodies)
    const int* set_first;         ///< (bodies) the first body with the same set: copies share one
    const twTraceSeries* series;  ///< (series)
    const float* const* frames;   ///< (frames), see tw_trace_positions()
    const int64_t* rod_first;     ///< (rods) where a rod begins in a frame
    const int64_t* body_first;    ///< (bodies)
    int64_t series_first;
    const int* arrow_count;             ///< (frames)
    const twTraceArrow* const* arrows;  ///< (frames) of (arrow_count); NULL where there are none
    int64_t touch_count, force_count;
    const twTraceTouch* touches;  ///< (touches)
    int force_block_count;
    const twTraceForces* force_blocks;  ///< (blocks) all forces in the order of time, in place
    double sample_rate_hz;              ///< 0 if there are no tracks
    int64_t sample_count;               ///< of each track
    int track_count, sample_block_count, number_count;
    const twTraceTrack* tracks;           ///< (tracks)
    const twTraceSamples* sample_blocks;  ///< (blocks), see tw_trace_track()
    const twTraceNumber* numbers;         ///< (numbers) in the order they were first said
    twTraceEnd end;                       ///< its numbers are NULL if it is not told
    twArena* arena;                       ///< owns the tables
    char* bytes;                          ///< of the file; NULL for a view
} twTrace;

/// Load a trace, finished or not (path.part). Survives any input. On failure *out is NULL.
/// @return TW_BAD_INPUT saying what is wrong with the file
twStatus tw_trace_load(twTrace** out, const char* path, twError* err);
/// The same for a file in memory (mapped, say), aligned to 8 bytes, which must outlive the trace.
twStatus tw_trace_view(twTrace** out, const void* bytes, size_t count, twError* err);
void tw_trace_destroy(twTrace* trace);                                            ///< NULL is fine
const float* tw_trace_positions(const twTrace* trace, int64_t frame, int rod);    ///< (points x 3) [m]
const float* tw_trace_directors(const twTrace* trace, int64_t frame, int rod);    ///< d1 (edges x 3), unit
const float* tw_trace_pose(const twTrace* trace, int64_t frame, int body);        ///< x, y, z [m], then turn w, x, y, z
const float* tw_trace_amplitudes(const twTrace* trace, int64_t frame, int body);  ///< (modes)
const float* tw_trace_values(const twTrace* trace, int64_t frame);                ///< (series)
/// Copy samples first to first + count of a track.
void tw_trace_track(const twTrace* trace, int track, int64_t first, int64_t count, float* out);
/// The forces on one body in the order of time, whichever side of the touch it is; free() them.
twStatus tw_trace_forces_on(twTraceForce** out, int64_t* count, const twTrace* trace, int body, twError* err);

/// What two bodies did to each other.
typedef struct twTracePair
{
    int body[2];         ///< the lower index first
    int64_t contacts;    ///< that pushed at some time
    double largest;      ///< force of one contact [N]
    double impulse;      ///< of the forces' magnitudes [N s]
    double first, last;  ///< when the first and the last contact began to push [s]
} twTracePair;
/// All pairs that touched, in the order of their indices, without pushes; free() them. A force at the end of the trace lasts until its last
/// frame.
twStatus tw_trace_pairs(twTracePair** out, int* count, const twTrace* trace, twError* err);

// ---- reading piece by piece ----

/// A trace that is read from its beginning to its end, in memory that does not grow with its length: that of its bodies and rods,
/// of its largest chunk, and of the contacts that push.
typedef struct twTraceStream twTraceStream;

typedef enum twTraceKind
{
    TW_TRACE_END,
    TW_TRACE_FRAME,
    TW_TRACE_ARROWS,  ///< of the frame before
    TW_TRACE_FORCES,
    TW_TRACE_SAMPLES,
    TW_TRACE_NUMBERS,  ///< of those of one name the last counts
} twTraceKind;

/// A force that begins to act and goes on until the next one of the same contact, with the place where it does.
typedef struct twTraceForceAt
{
    double time;     ///< [s]
    float force[3];  ///< on body[0], in the world [N]; 0: the contact ends
    /// Stays where it is until a force of its contact is at another, or its end: it is then good until the next call still.
    const twTraceTouch* touch;
} twTraceForceAt;

/// What comes next in a trace. What it points to holds until the next call.
typedef struct twTraceItem
{
    twTraceKind kind;
    int64_t first;                 ///< index among all of its kind; of arrows: their frame
    int64_t count;                 ///< of what there is of its kind
    const float* frame;            ///< laid out as frames of the head, see tw_trace_item_pose()
    const twTraceArrow* arrows;    ///< (count)
    const twTraceForceAt* forces;  ///< (count) in the order of time
    const float* samples;          ///< (count x tracks)
    const twTraceNumber* numbers;  ///< (count)
    double forces_until;           ///< no force before this time is still to come [s]
    double frames_until;           ///< time of the last frame so far [s]; below 0: none
    bool late;                     ///< forces that come after a frame of a later time, against the rule (docs/trace.md)
    bool complete;                 ///< at the end: nothing is lost
    int64_t lost_bytes;            ///< at the end: behind what is whole
    double until;                  ///< at the end: everything is whole up to this time [s]
    const char* lost;              ///< at the end: what is wrong and what is lost; "" if complete
} twTraceItem;

/// Open a trace, finished or not (path.part), and read what is in it: all before the first frame, force or sample. Survives any
/// input. On failure *out is NULL. @return TW_BAD_INPUT saying what is wrong with the file
twStatus tw_trace_stream_open(twTraceStream** out, const char* path, twError* err);
void tw_trace_stream_close(twTraceStream* stream);  ///< NULL is fine
/// What is in it: rods, bodies with their sets, series, tracks, ground, rates; no frames, forces, samples, numbers.
const twTrace* tw_trace_stream_head(const twTraceStream* stream);
/// The next item in the order of the file; every checksum and value is checked. A file that is cut short or damaged gives what is
/// before the damage, then its end, which says what was lost. At the end again and again the end.
/// @return TW_IO_ERROR, TW_NO_MEMORY
twStatus tw_trace_stream_next(twTraceStream* stream, twTraceItem* out, twError* err);
double
tw_trace_stream_duration(const twTraceStream* stream);       ///< time of the last frame, by its end; below 0: not known
double tw_trace_stream_share(const twTraceStream* stream);   ///< of the file that is read, 0 to 1
size_t tw_trace_stream_memory(const twTraceStream* stream);  ///< largest so far, without the head [bytes]
/// Of a frame: x, y, z [m], then turn w, x, y, z, then the amplitudes (modes).
const float* tw_trace_item_pose(const twTrace* head, const twTraceItem* item, int body);

#ifdef __cplusplus
}
#endif
