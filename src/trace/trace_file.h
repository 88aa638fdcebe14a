// SPDX-License-Identifier: MIT
#pragma once
#include "twang/trace.h"
#include <string.h>

/// @file
/// The layout of .twtrace files and what can be recorded (internal); docs/trace.md.

#define TRACE_VERSION 2
#define TRACE_MAX_BYTES ((size_t)64 << 30)
#define TRACE_ALIGN 64
#define TRACE_MAX_RODS (1 << 20)
#define TRACE_MAX_BODIES (1 << 20)
#define TRACE_MAX_SERIES 4096
#define TRACE_MAX_CORNERS 65536
#define TRACE_MAX_ARROWS (1 << 24)  // of a frame
#define TRACE_POSE 7                // numbers of a body in a frame, before its amplitudes

typedef struct TraceHeader
{
    char magic[8];
    uint32_t version, reserved;
    uint64_t file_bytes;
    uint64_t hash_high, hash_low;
    double frame_rate_hz;
    uint64_t frame_count, chunk_count;
} TraceHeader;

typedef struct TraceChunk
{
    uint32_t id, item_bytes;
    uint64_t count, index;
    uint64_t reserved[5];
} TraceChunk;

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
    int32_t mode_count, reserved[3];
} TraceBody;

typedef struct TraceSeries
{
    char name[TW_TRACE_NAME], unit[TW_TRACE_NAME];
} TraceSeries;

_Static_assert(sizeof(TraceHeader) == TRACE_ALIGN && sizeof(TraceChunk) == TRACE_ALIGN, "what follows is aligned");
_Static_assert(sizeof(TraceMeta) == 624 && sizeof(TraceRod) == 144 && sizeof(TraceBody) == 144 &&
                   sizeof(TraceSeries) == 128 && sizeof(twTraceSection) == 32 && sizeof(twTraceArrow) == 24,
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

static inline twHash trace_hash(const TraceHeader* header, twHash chunks)
{
    TraceHeader bare = *header;
    bare.hash_high = bare.hash_low = 0;
    return tw_hash(&bare, sizeof bare, chunks);
}

// what can be recorded: errors name the rod or body
bool trace_good_text(const char* text, size_t max_bytes);      ///< ends within max_bytes, has no control characters
bool trace_good_turn(double w, double x, double y, double z);  ///< unit, near enough
twStatus trace_check_rate(double frame_rate_hz, twError* err);
twStatus trace_check_camera(const twTraceCamera* camera, twError* err);
twStatus trace_check_ground(twVec3 point, twVec3 normal, twError* err);
twStatus trace_check_shape(const twTraceRod* rod, int index, twError* err);  ///< counts of points and corners
twStatus trace_check_sections(const twTraceRod* rod, int index, twError* err);
twStatus trace_check_corners(const twTraceRod* rod, int index, twError* err);
