// SPDX-License-Identifier: MIT
#pragma once
#include "trace_file.h"

/// @file
/// Writing of traces (internal).

/// A contact that pushes. Without padding: it is part of checkpoints.
typedef struct TraceContact
{
    twTraceTouch touch;  ///< the last that was written
    uint64_t number;     ///< of the touch, plus 1; 0: a free place
} TraceContact;
_Static_assert(sizeof(TraceContact) == 96, "the file's records have no padding");

/// All that push, by id: a table of places, those that collide go to the next.
typedef struct TraceContacts
{
    TraceContact* places;   ///< (capacity) a power of two, or none
    size_t capacity, used;  ///< less than half of it is used
} TraceContacts;

struct twTraceWriter
{
    twFile* file;
    char *path, *state_path;  ///< state_path NULL: not resumable
    bool comparing;           ///< chunks are compared with those in the file instead of written
    bool failed;              ///< the end of the file is not a whole chunk
    bool uncut;               ///< gone on with, and what lies behind the checkpoint is still there
    TraceHeader header;
    twHash hash;     ///< of the chunks so far
    TraceDone done;  ///< and how much they are
    int rod_count, body_count, series_count, track_count;
    twTraceRod* rods;     ///< counts only
    twTraceBody* bodies;  ///< with their sets, counts and vertices only
    twModeSet* sets;      ///< (bodies)
    int* set_first;       ///< (bodies) the first that has the same set
    twVec3* vertices;     ///< of all bodies
    double* size;         ///< (bodies) diagonal [m]
    char* frame;          ///< items of a FRAM, used again and again
    uint64_t frame_floats;
    TraceContacts contacts;
    double last_time;  ///< of the forces; 0 if there is none
    char* scratch;     ///< for touches and forces
    size_t scratch_bytes;
};

/// Append a chunk. @return TW_IO_ERROR; if comparing, TW_BAD_INPUT saying what differs
twStatus trace_put(twTraceWriter* w, const char* id, uint64_t index, size_t item_bytes, uint64_t count,
                   const void* items, twError* err);
twStatus trace_cut(twTraceWriter* w, twError* err);  ///< before anything is written behind a checkpoint
twStatus trace_put_header(twTraceWriter* w, twError* err);
/// Whether the first bytes of a file are whole chunks that end with this hash.
twStatus trace_verify(FILE* stream, const TraceDone* done, twHash hash, twError* err);

twStatus trace_check_def(const twTraceDef* def, twError* err);
twStatus trace_put_tables(twTraceWriter* w, const twTraceDef* def, twError* err);  ///< all chunks before the frames
/// A writer without a file. @return TW_BAD_INPUT naming what cannot be recorded, TW_NO_MEMORY
twStatus trace_make_writer(twTraceWriter** out, const char* path, const twTraceDef* def, twError* err);
twStatus trace_name_state(twTraceWriter* w, twError* err);  ///< state_path, once the file is begun
void trace_free_writer(twTraceWriter** writer);             ///< all but the file

bool trace_reserve_contacts(TraceContacts* contacts,
                            size_t more);  ///< room for so many more. @return false without memory
TraceContact* trace_find_contact(const TraceContacts* contacts, uint64_t id);  ///< its place, or the one it would take
void trace_end_contact(TraceContacts* contacts, TraceContact* place);
