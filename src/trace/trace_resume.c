// SPDX-License-Identifier: MIT
// Going on with a recording. The trace grows in path.part and nothing in it is ever written twice. A checkpoint brings that to
// the disk, then replaces path.state, which says how long the part was then and what the hash of its last chunk, which contacts
// pushed, and what the caller wants to know again. So the trace itself is the same with or without checkpoints, and at any
// moment the state on the disk is of a part that is on the disk.

#include "trace_writer.h"
#include <math.h>
#include <stdlib.h>

#define STATE_VERSION 1
#define STATE_MAGIC "TWSTATE\n"  // 8 bytes
#define STATE_MAX_BYTES ((size_t)16 << 30)

typedef struct StateHeader
{
    char magic[8];
    uint32_t version, reserved;
    twHash hash;     // of this with 0 here, then of what follows
    TraceDone done;  // how much there is in the part
    twHash chain;    // of its last chunk
    double last_time;
    uint64_t contact_count, state_bytes;  // what follows
} StateHeader;
_Static_assert(sizeof(StateHeader) == 136, "the file's records have no padding");

twStatus trace_name_state(twTraceWriter* w, twError* err)
{
    const char* part = tw_file_temporary(w->file);
    const size_t stem = strlen(part) - strlen(".part");
    w->state_path = malloc(stem + sizeof ".state");
    if (!w->state_path) return tw_fail(err, TW_NO_MEMORY, "%s: no memory", w->path);
    memcpy(w->state_path, part, stem);
    strcpy(w->state_path + stem, ".state");
    return TW_OK;
}

// ---- checkpoints ----

// all that push, one after the other. @return NULL without memory
static TraceContact* list_contacts(const TraceContacts* c)
{
    TraceContact* list = calloc(c->used + 1, sizeof *list);
    for (size_t i = 0, n = 0; list && i < c->capacity; i++)
        if (c->places[i].number != 0) list[n++] = c->places[i];
    return list;
}

static twHash hash_state(const StateHeader* header, const void* contacts, const void* state)
{
    StateHeader bare = *header;
    bare.hash = (twHash){0, 0};
    const twHash start = tw_hash(&bare, sizeof bare, (twHash){0, 0});
    return tw_hash(state, (size_t)header->state_bytes,
                   tw_hash(contacts, (size_t)header->contact_count * sizeof(TraceContact), start));
}

static twStatus write_state(const twTraceWriter* w, const TraceContact* contacts, const void* state, size_t bytes,
                            twError* err)
{
    StateHeader header = {.version = STATE_VERSION,
                          .done = w->done,
                          .chain = w->hash,
                          .last_time = w->last_time,
                          .contact_count = w->contacts.used,
                          .state_bytes = bytes};
    memcpy(header.magic, STATE_MAGIC, 8);
    header.hash = hash_state(&header, contacts, state);
    twFile* file;
    twStatus status = tw_file_create(&file, w->state_path, err);
    if (status != TW_OK) return status;
    FILE* stream = tw_file_stream(file);
    const size_t count = w->contacts.used;
    if (fwrite(&header, sizeof header, 1, stream) == 1 && fwrite(contacts, sizeof *contacts, count, stream) == count &&
        (bytes == 0 || fwrite(state, 1, bytes, stream) == bytes))
        return tw_file_commit(&file, err);
    status = tw_file_fail(file, err);
    tw_file_abort(&file);
    return status;
}

twStatus tw_trace_checkpoint(twTraceWriter* w, const void* state, size_t bytes, twError* err)
{
    TW_ASSERT(w->state_path);
    if (w->failed) return tw_fail(err, TW_IO_ERROR, "cannot write %s: writing failed before", w->path);
    TraceContact* contacts = list_contacts(&w->contacts);
    if (!contacts) return tw_fail(err, TW_NO_MEMORY, "%s: no memory for a checkpoint", w->path);
    twStatus status = trace_cut(w, err);
    if (status == TW_OK) status = tw_file_sync(w->file, err);
    if (status != TW_OK) w->failed = true;
    if (status == TW_OK) status = write_state(w, contacts, state, bytes, err);
    free(contacts);
    return status;
}

// ---- going on ----

// a checkpoint in memory
typedef struct State
{
    char* bytes;  // of the file; to be freed
    StateHeader header;
    const TraceContact* contacts;
    const char* state;
} State;

static bool good_state(State* s, size_t count)
{
    if (count < sizeof s->header) return false;
    memcpy(&s->header, s->bytes, sizeof s->header);
    const StateHeader* h = &s->header;
    const size_t room = count - sizeof *h;
    if (memcmp(h->magic, STATE_MAGIC, 8) != 0 || h->contact_count > room / sizeof(TraceContact)) return false;
    if (h->state_bytes != room - h->contact_count * sizeof(TraceContact)) return false;
    s->contacts = (const void*)(s->bytes + sizeof *h);
    s->state = s->bytes + sizeof *h + (size_t)h->contact_count * sizeof(TraceContact);
    return trace_same_hash(h->hash, hash_state(h, s->contacts, s->state));
}

static twStatus read_state(State* s, const char* path, twError* err)
{
    size_t count;
    twStatus status = tw_file_read(&s->bytes, &count, path, STATE_MAX_BYTES, err);
    if (status != TW_OK) return status;
    if (!good_state(s, count)) return tw_fail(err, TW_BAD_INPUT, "%s is damaged or no checkpoint: start again", path);
    if (s->header.version != STATE_VERSION)
        return tw_fail(err, TW_BAD_INPUT, "%s was made by another version of Twang: start again", path);
    return TW_OK;
}

static twStatus find_state(State* s, const twTraceWriter* w, twError* err)
{
    FILE* there = fopen(w->state_path, "rb");
    if (!there)
        return tw_fail(err, TW_BAD_INPUT, "%s has no checkpoint (%s): start again", tw_file_temporary(w->file),
                       w->state_path);
    fclose(there);
    return read_state(s, w->state_path, err);
}

// the contacts that pushed; of a hostile file too
static twStatus take_contacts(twTraceWriter* w, const State* s, twError* err)
{
    const size_t count = (size_t)s->header.contact_count;
    if (!trace_reserve_contacts(&w->contacts, count)) return tw_fail(err, TW_NO_MEMORY, "%s: no memory", w->path);
    for (size_t i = 0; i < count; i++)
    {
        const TraceContact* from = &s->contacts[i];
        TraceContact* place = trace_find_contact(&w->contacts, from->touch.id);
        if (from->number == 0 || from->number > w->done.touch_count || place->number != 0 ||
            trace_check_touch(&from->touch, w->bodies, w->body_count, NULL) != TW_OK)
            return tw_fail(err, TW_BAD_INPUT, "%s: contact %zu is wrong: start again", w->state_path, i);
        *place = *from;
        w->contacts.used++;
    }
    return TW_OK;
}

// whether the part is as it was and begins with this def
static twStatus check_part(twTraceWriter* w, const twTraceDef* def, const State* s, twError* err)
{
    twError inner = {0};
    twStatus status = trace_verify(tw_file_stream(w->file), &s->header.done, s->header.chain, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", tw_file_temporary(w->file), inner.text);
    w->comparing = true;
    status = trace_put_header(w, err);
    if (status == TW_OK) status = trace_put_tables(w, def, err);
    w->comparing = false;
    if (status == TW_OK && w->done.file_bytes > s->header.done.file_bytes)
        return tw_fail(err, TW_BAD_INPUT, "%s: its checkpoint lies before its tables: start again", w->state_path);
    return status;
}

static twStatus resume(twTraceWriter* w, const twTraceDef* def, const State* s, twError* err)
{
    twStatus status = check_part(w, def, s, err);
    if (status != TW_OK) return status;
    w->done = s->header.done;
    w->hash = s->header.chain;
    w->last_time = s->header.last_time;
    // the caller may still refuse: nothing changes until something is written
    w->uncut = true;
    return take_contacts(w, s, err);
}

static twStatus copy_state(void** state, size_t* bytes, const State* s, twError* err)
{
    *bytes = (size_t)s->header.state_bytes;
    *state = malloc(*bytes + 1);
    if (!*state) return tw_fail(err, TW_NO_MEMORY, "no memory for a checkpoint of %zu bytes", *bytes);
    memcpy(*state, s->state, *bytes);
    return TW_OK;
}

twStatus tw_trace_resume(twTraceWriter** out, const char* path, const twTraceDef* def, void** state, size_t* bytes,
                         twError* err)
{
    twTraceWriter* w;
    State s = {0};
    *out = NULL;
    *state = NULL;
    *bytes = 0;
    twStatus status = trace_make_writer(&w, path, def, err);
    if (status != TW_OK) return status;
    status = tw_file_resume(&w->file, path, err);
    if (status == TW_OK) status = trace_name_state(w, err);
    if (status == TW_OK) status = find_state(&s, w, err);
    if (status == TW_OK) status = copy_state(state, bytes, &s, err);
    if (status == TW_OK) status = resume(w, def, &s, err);
    free(s.bytes);
    if (status == TW_OK)
    {
        *out = w;
        return TW_OK;
    }
    free(*state);
    *state = NULL;
    *bytes = 0;
    tw_trace_leave(&w);
    return status;
}

// ---- what it says ----

// the header of the part that belongs to a state
static bool part_header(TraceHeader* header, const char* state_path)
{
    const size_t length = strlen(state_path), ending = strlen(".state");
    if (length < ending || strcmp(state_path + length - ending, ".state") != 0) return false;
    char* part = malloc(length + 1);
    if (!part) return false;
    memcpy(part, state_path, length - ending);
    strcpy(part + length - ending, ".part");
    FILE* file = fopen(part, "rb");
    const bool read = file && fread(header, sizeof *header, 1, file) == 1;
    if (file) fclose(file);
    free(part);
    return read && memcmp(header->magic, TRACE_MAGIC, 8) == 0 && header->frame_rate_hz > 0;
}

twStatus tw_trace_state(twTraceState* out, const char* state_path, twError* err)
{
    State s = {0};
    TraceHeader part;
    *out = (twTraceState){.time = NAN};
    const twStatus status = read_state(&s, state_path, err);
    free(s.bytes);
    if (status != TW_OK) return status;
    const TraceDone* d = &s.header.done;
    out->counts = (twTraceCounts){(int64_t)d->frame_count, (int64_t)d->touch_count, (int64_t)d->force_count,
                                  (int64_t)d->sample_count};
    out->part_bytes = d->file_bytes;
    out->bytes = (size_t)s.header.state_bytes;
    if (!part_header(&part, state_path)) return TW_OK;
    out->time = s.header.last_time;
    if (d->frame_count > 0) out->time = fmax(out->time, (double)(d->frame_count - 1) / part.frame_rate_hz);
    if (part.sample_rate_hz > 0) out->time = fmax(out->time, (double)d->sample_count / part.sample_rate_hz);
    return TW_OK;
}
