// SPDX-License-Identifier: MIT
#pragma once
#include "trace_file.h"

/// @file
/// Writing of traces (internal).

struct twTraceWriter
{
    twFile* file;
    char* path;
    TraceHeader header;
    twHash hash;  ///< of the chunks so far
    int rod_count, body_count, series_count;
    twTraceRod* rods;  ///< counts only
    int* mode_count;   ///< (bodies)
    char* frame;       ///< a chunk FRAM, used again and again
    size_t frame_bytes;
};

/// Room for a chunk with its header and padding, to be freed. @return NULL without memory
char* trace_make_chunk(const char* id, size_t item_bytes, uint64_t count, size_t* bytes);
twStatus trace_put_chunk(twTraceWriter* w, const void* chunk, size_t bytes, twError* err);  ///< whole, with its padding

twStatus trace_check_def(const twTraceDef* def, twError* err);
twStatus trace_put_tables(twTraceWriter* w, const twTraceDef* def, twError* err);  ///< all chunks before the frames
