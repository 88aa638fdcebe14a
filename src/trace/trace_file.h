// SPDX-License-Identifier: MIT
#pragma once
#include "twang/trace.h"
#include <string.h>

/// @file
/// The layout of .twtrace files and what can be recorded (internal); docs/trace.md.

#define TRACE_VERSION 4
#define TRACE_OLDEST 3  // that can be read: every body has a MODE of its own
#define TRACE_MAX_BYTES ((size_t)64 << 30)
#define TRACE_ALIGN 64
#define TRACE_MAX_RODS (1 << 20)
#define TRACE_MAX_BODIES (1 << 20)
#define TRACE_MAX_SERIES 4096
#define TRACE_MAX_CORNERS 65536
#define TRACE_MAX_ARROWS (1 << 24)  // of a frame
#define TRACE_MAX_TRACKS 4096
#define TRACE_MAX_NUMBERS 65536            // said at once
#define TRACE_MAX_END ((uint64_t)1 << 32)  // numbers
#define TRACE_MAX_TOUCHES UINT32_MAX
#define TRACE_POSE 7  // numbers of a body in a frame, before its amplitudes

typedef struct TraceHeader
{
    char magic[8];
    uint32_t version, reserved;
    double frame_rate_hz, sample_rate_hz;
    uint64_t reserved2[4];
} TraceHeader;

typedef struct TraceChunk
{
    uint32_t id, item_bytes;
    uint64_t count, index;
    uint64_t reserved[3];
    twHash hash;  // chained, see trace_chain()
} TraceChunk;

// the last chunk
typedef struct TraceDone
{
    uint64_t file_bytes, chunk_count, frame_count, touch_count, force_count, sample_count;
    uint64_t reserved[2];
} TraceDone;

typedef struct TraceMeta
{
    char title[TW_TRACE_TEXT], sound[TW_TRACE_TEXT];
    int32_t camera, ground;  // 1: there is one; else what belongs to it is 0
    twVec3 eye, target;
    double view_angle;
    twVec3 ground_point, ground_normal;
} TraceMeta;

typedef struct TraceRod
{
    char name[TW_TRACE_NAME], material[TW_TRACE_NAME];
    int32_t point_count, closed, section_count, corner_count;
} TraceRod;

typedef struct TraceBody
{
    char name[TW_TRACE_NAME], material[TW_TRACE_NAME];
    int32_t mode_count;
    int32_t like;           // 1 + the earlier body whose MODE is its own too; 0: it has one
    int32_t flags;          // TRACE_HELD
    float contact_damping;  // gamma [s/m]; 0: by the material
} TraceBody;
#define TRACE_HELD 1

typedef struct TraceSeries
{
    char name[TW_TRACE_NAME], unit[TW_TRACE_NAME];
} TraceSeries;

typedef struct TraceNumber
{
    char name[TW_TRACE_NAME];
    double value;
} TraceNumber;

// what the chunk ENDS begins with
typedef struct TraceEnds
{
    twHash scene, start;
} TraceEnds;

_Static_assert(sizeof(TraceHeader) == TRACE_ALIGN && sizeof(TraceChunk) == TRACE_ALIGN, "what follows is aligned");
_Static_assert(sizeof(TraceMeta) == 624 && sizeof(TraceRod) == 144 && sizeof(TraceBody) == 144 &&
                   sizeof(TraceSeries) == 128 && sizeof(twTraceSection) == 32 && sizeof(twTraceArrow) == 24 &&
                   sizeof(TraceDone) == 64 && sizeof(TraceNumber) == 72 && sizeof(TraceEnds) == 32 &&
                   sizeof(twTraceTouch) == 88 && sizeof(twTraceForce) == 24 && sizeof(twHash) == 16,
               "the file's records have no padding");

#define TRACE_MAGIC "TWTRACE\n"  // 8 bytes

/// four letters
static inline uint32_t trace_id(const char* letters)
{
    uint32_t id;
    memcpy(&id, letters, 4);
    return id;
}

static inline bool trace_little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char*)&one == 1;
}

static inline uint64_t trace_padded(uint64_t bytes) { return (bytes + TRACE_ALIGN - 1) / TRACE_ALIGN * TRACE_ALIGN; }

static inline int64_t trace_edges(const twTraceRod* rod) { return (int64_t)rod->point_count - !rod->closed; }

/// numbers of a rod in a frame: positions, then directors
static inline int64_t trace_rod_floats(const twTraceRod* rod) { return 3 * (rod->point_count + trace_edges(rod)); }

/// Hash of a chunk: of its header without the hash, then of its items; seed: that of the chunk before, or of the file's header
static inline twHash trace_chain(const TraceChunk* head, const void* items, size_t bytes, twHash seed)
{
    TraceChunk bare = *head;
    bare.hash = (twHash){0, 0};
    return tw_hash(items, bytes, tw_hash(&bare, sizeof bare, seed));
}

/// Bytes of a chunk's items with what fills them up. @return false if that is more than room
static inline bool trace_chunk_size(const TraceChunk* head, uint64_t room, uint64_t* padded)
{
    if (head->item_bytes > 0 && head->count > room / head->item_bytes) return false;
    *padded = trace_padded(head->count * head->item_bytes);
    return *padded <= room;
}

static inline bool trace_same_hash(twHash a, twHash b) { return a.high == b.high && a.low == b.low; }

/// Whether a chunk is filled up with zeros and has the hash that it says; *hash becomes that of the chain up to here.
bool trace_good_chunk(const TraceChunk* head, const char* items, uint64_t padded, twHash* hash);

// what can be recorded: errors name the rod or body
bool trace_good_text(const char* text, size_t max_bytes);      ///< ends within max_bytes, has no control characters
bool trace_good_turn(double w, double x, double y, double z);  ///< unit, near enough
twStatus trace_check_rate(double frame_rate_hz, twError* err);
twStatus trace_check_sample_rate(double sample_rate_hz, int track_count, twError* err);
twStatus trace_check_camera(const twTraceCamera* camera, twError* err);
twStatus trace_check_ground(twVec3 point, twVec3 normal, twError* err);
twStatus trace_check_shape(const twTraceRod* rod, int index, twError* err);  ///< counts of points and corners
twStatus trace_check_sections(const twTraceRod* rod, int index, twError* err);
twStatus trace_check_corners(const twTraceRod* rod, int index, twError* err);
twStatus trace_check_touch(const twTraceTouch* touch, const twTraceBody* bodies, int body_count, twError* err);
