// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"
#include <string.h>

/// @file
/// The layout of .twtrace files and what can be recorded (internal); docs/trace.md.

#define TRACE_VERSION 1
#define TRACE_MAX_BYTES ((size_t)64 << 30)
#define TRACE_ALIGN 64
#define TRACE_MAX_RODS (1 << 20)

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

typedef struct TraceRecord
{
    char name[TW_TRACE_NAME], material[TW_TRACE_NAME];
    int32_t point_count, closed, section_count, reserved;
} TraceRecord;

_Static_assert(sizeof(TraceHeader) == TRACE_ALIGN && sizeof(TraceChunk) == TRACE_ALIGN, "what follows is aligned");
_Static_assert(sizeof(TraceRecord) == 144 && sizeof(twTraceSection) == 32, "the file's records have no padding");

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

/// floats of a rod in a frame: positions, then directors
static inline int64_t trace_floats(const twTraceRod* rod) { return 3 * (rod->point_count + trace_edges(rod)); }

static inline twHash trace_hash(const TraceHeader* header, twHash chunks)
{
    TraceHeader bare = *header;
    bare.hash_high = bare.hash_low = 0;
    return tw_hash(&bare, sizeof bare, chunks);
}

// what can be recorded: errors name the rod
bool trace_good_name(const char* name, size_t max_bytes);  ///< ends within max_bytes, has no control characters
twStatus trace_check_rate(double frame_rate_hz, twError* err);
twStatus trace_check_shape(const twTraceRod* rod, int index, twError* err);
twStatus trace_check_sections(const twTraceRod* rod, int index, twError* err);
