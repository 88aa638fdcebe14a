// SPDX-License-Identifier: MIT
// Traces read piece by piece: the same as all at once, whatever the file, and in memory that does not grow.
#define _XOPEN_SOURCE 700
#include "test.h"

#include "trace_sample.h"

// ---- a recording like those of scenes ----

#define CONTACTS 6
#define STEPS 20  // of a frame
#define RATE 60

// six contacts on the bell's side: each slides along, pushes for ten frames and a bit, then is another
static twContactForce push_at(int64_t step, int contact)
{
    const int64_t age = step + 7 * contact, life = 10 * STEPS + 3;
    const float along = (float)(age % 50) / 100;
    twContactForce f = {.id = (uint64_t)(100 * contact + 1 + 1000 * (age / life)),
                        .time = (double)step / (STEPS * RATE),
                        .body = {1, 0},
                        .vertex = {{0, 1, -1}, {0, 1, 2}},
                        .weight = {{1 - along, along}, {0.5f, 0.25f, 0.25f}},
                        .point = {along, contact, 0},
                        .normal = {0, 0, 1}};
    if (age % life < life - 1) f.force = tw_vec3(0.1 * contact, sin((double)age), 3 + cos((double)age));
    return f;
}

// a frame is written behind all forces before the next one, as scenes do
static twStatus record_long(const char* path, int frames)
{
    twTraceWriter* writer;
    twTraceDef def = sample_def();
    def.frame_rate_hz = RATE;
    twStatus status = tw_trace_create(&writer, path, &def, NULL);
    for (int f = 0; f < frames && status == TW_OK; f++)
    {
        Sample sample;
        twContactForce forces[STEPS * CONTACTS];
        for (int i = 0; i < STEPS * CONTACTS; i++) forces[i] = push_at((int64_t)f * STEPS + i / CONTACTS, i % CONTACTS);
        status = tw_trace_append_forces(writer, forces, STEPS * CONTACTS, NULL);
        if (status == TW_OK) status = tw_trace_append_samples(writer, samples[0], SAMPLES, NULL);
        if (status == TW_OK) status = tw_trace_append(writer, fill_sample(&sample, f % 4), NULL);
    }
    if (status == TW_OK) return tw_trace_commit(&writer, NULL);
    tw_trace_abort(&writer);
    return status;
}

// ---- what a stream gives ----

typedef struct Counts
{
    int64_t frames, arrows, forces, samples, numbers;
    bool late, kept_promise;
    twTraceItem end;
    char lost[1400];
    size_t memory;
} Counts;

static bool same_forces(const twTraceItem* item, const twTrace* trace, Counts* c)
{
    const twTraceForces* block = trace->force_blocks;
    int64_t at = item->first;
    for (; at >= block->count; block++) at -= block->count;
    for (int64_t i = 0; i < item->count; i++)
    {
        const twTraceForceAt* f = &item->forces[i];
        const twTraceForce* g = &block->forces[at + i];
        if (f->time != g->time || memcmp(f->force, g->force, sizeof f->force) != 0) return false;
        if (memcmp(f->touch, &trace->touches[g->touch], sizeof *f->touch) != 0) return false;
    }
    c->forces += item->count;
    return true;
}

// the item, against what is loaded; NULL: whatever it is
static bool same_item(const twTraceItem* item, const twTrace* trace, Counts* c)
{
    const int64_t n = item->count;
    switch (item->kind)
    {
    case TW_TRACE_FRAME:
        c->frames++;
        return !trace ||
               (item->first == c->frames - 1 && memcmp(item->frame, trace->frames[item->first],
                                                       4 * (size_t)(trace->series_first + trace->series_count)) == 0);
    case TW_TRACE_ARROWS:
        c->arrows += n;
        return !trace || (n == trace->arrow_count[item->first] &&
                          memcmp(item->arrows, trace->arrows[item->first], (size_t)n * sizeof *item->arrows) == 0);
    case TW_TRACE_FORCES:
        if (!trace) c->forces += n;
        return !trace || (item->first == c->forces && same_forces(item, trace, c));
    case TW_TRACE_SAMPLES:
        for (int64_t i = 0; trace && i < n * trace->track_count; i++)
        {
            float there;
            tw_trace_track(trace, (int)(i % trace->track_count), item->first + i / trace->track_count, 1, &there);
            if (item->samples[i] != there) return false;
        }
        c->samples += n;
        return !trace || item->first == c->samples - n;
    case TW_TRACE_NUMBERS:
        c->numbers += n;
        return !trace || item->numbers[0].name[0] != 0;
    default:
        return false;
    }
}

// read all; every item is as in trace, if that is given
static bool read_stream(twTraceStream* stream, const twTrace* trace, Counts* c)
{
    *c = (Counts){.kept_promise = true};
    double promised = -1;
    while (tw_trace_stream_next(stream, &c->end, NULL) == TW_OK && c->end.kind != TW_TRACE_END)
    {
        if (!same_item(&c->end, trace, c)) return false;
        if (c->end.kind == TW_TRACE_FORCES) c->kept_promise &= c->end.forces[0].time >= promised;
        c->late |= c->end.late;
        promised = c->end.forces_until;
    }
    snprintf(c->lost, sizeof c->lost, "%s", c->end.lost);
    c->memory = tw_trace_stream_memory(stream);
    return c->end.kind == TW_TRACE_END;
}

static bool read_path(const char* path, const twTrace* trace, Counts* c)
{
    twTraceStream* stream;
    if (tw_trace_stream_open(&stream, path, NULL) != TW_OK) return false;
    const bool good = read_stream(stream, trace, c);
    tw_trace_stream_close(stream);
    return good;
}

static bool put_file(const char* path, const char* bytes, size_t count)
{
    FILE* file = fopen(path, "wb");
    return file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0;
}

// ---- claims ----

static int a_stream_gives_item_by_item_what_a_load_gives(void)
{
    twTrace* trace;
    Counts c;
    ENSURE(record(in_folder("a.twtrace"), FRAMES) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("a.twtrace"), NULL) == TW_OK);
    ENSURE(read_path(in_folder("a.twtrace"), trace, &c));
    ENSURE(c.frames == 4 && c.arrows == 3 && c.forces == 6 && c.samples == 5 && c.numbers == 3);
    ENSURE(c.end.complete && c.end.lost_bytes == 0);
    ENSURE_TEXT(c.lost, "");
    ENSURE_NEAR(c.end.until, 3.0 / 24, 1e-15);
    tw_trace_destroy(trace);

    ENSURE(record_long(in_folder("b.twtrace"), 50) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("b.twtrace"), NULL) == TW_OK);
    ENSURE(trace->touch_count > 1000 && read_path(in_folder("b.twtrace"), trace, &c) && c.end.complete);
    ENSURE(c.frames == trace->frame_count && c.forces == trace->force_count && c.samples == trace->sample_count);
    tw_trace_destroy(trace);
    return 0;
}

static int the_head_says_what_is_in_it(void)
{
    twTraceStream* stream;
    ENSURE(record(in_folder("a.twtrace"), FRAMES) == TW_OK);
    ENSURE(tw_trace_stream_open(&stream, in_folder("a.twtrace"), NULL) == TW_OK);
    const twTrace* head = tw_trace_stream_head(stream);
    ENSURE_TEXT(head->title, "Two rods, a bell and a leaf");
    ENSURE_TEXT(head->bodies[0].material, "bronze");
    ENSURE(head->ground && head->ground_point.z == -1 && head->camera.given);
    ENSURE(head->frame_rate_hz == 24 && head->sample_rate_hz == 8000 && head->track_count == 2);
    ENSURE(head->rod_count == 2 && head->rods[0].corners[2] == 1 && head->rods[0].sections[4].angle == 0.5);
    ENSURE(head->bodies[0].set->mode_count == MODES && head->bodies[0].set->freq_hz[1] == 20);
    ENSURE(head->frame_count == 0 && head->force_count == 0 && !head->frames);
    ENSURE_NEAR(tw_trace_stream_duration(stream), 3.0 / 24, 1e-15);
    twTraceItem item;
    ENSURE(tw_trace_stream_next(stream, &item, NULL) == TW_OK && item.kind == TW_TRACE_FRAME);
    const float* pose = tw_trace_item_pose(head, &item, 1);
    ENSURE(pose[4] == 1 && pose[3] == 0);
    ENSURE(tw_trace_stream_share(stream) > 0 && tw_trace_stream_share(stream) < 1);
    while (item.kind != TW_TRACE_END) ENSURE(tw_trace_stream_next(stream, &item, NULL) == TW_OK);
    ENSURE(tw_trace_stream_share(stream) == 1);
    ENSURE(tw_trace_stream_next(stream, &item, NULL) == TW_OK && item.kind == TW_TRACE_END && item.complete);
    tw_trace_stream_close(stream);
    tw_trace_stream_close(NULL);
    return 0;
}

// the touches of a contact that goes on are still there after many calls
static int a_touch_stays_until_its_contact_leaves_it(void)
{
    twTraceStream* stream;
    twTraceItem item;
    const twTraceTouch* held[1000] = {0};
    twTraceTouch copy[1000];
    ENSURE(record_long(in_folder("b.twtrace"), 40) == TW_OK);
    ENSURE(tw_trace_stream_open(&stream, in_folder("b.twtrace"), NULL) == TW_OK);
    int checked = 0;
    while (tw_trace_stream_next(stream, &item, NULL) == TW_OK && item.kind != TW_TRACE_END)
    {
        if (item.kind != TW_TRACE_FORCES) continue;
        for (int64_t i = 0; i < item.count; i++)
        {
            const twTraceForceAt* f = &item.forces[i];
            const int c = (int)(f->touch->id % 1000);
            if (held[c]) ENSURE(memcmp(held[c], &copy[c], sizeof copy[c]) == 0);
            checked += held[c] != NULL;
            held[c] = f->force[2] != 0 ? f->touch : NULL;
            copy[c] = *f->touch;
        }
    }
    ENSURE(checked > 4000);
    tw_trace_stream_close(stream);
    return 0;
}

static int a_file_cut_anywhere_gives_as_much_as_a_load(void)
{
    size_t count;
    char* bytes = good_bytes(&count);
    ENSURE(bytes);
    const size_t tables = chunk_at(bytes, FRAM0);
    ENSURE(put_file(in_folder("cut.twtrace"), bytes, count));
    for (size_t n = count - 1; n > 0; n -= n % 64 < 2 || n < 8 ? 1 : 7)
    {
        twTraceStream* stream;
        twTrace* trace;
        Counts c;
        twError err = {0}, load_err = {0};
        ENSURE(truncate(in_folder("cut.twtrace"), (off_t)n) == 0);
        const twStatus status = tw_trace_stream_open(&stream, in_folder("cut.twtrace"), &err);
        ENSURE(tw_trace_load(&trace, in_folder("cut.twtrace"), &load_err) == status);
        ENSURE((status == TW_OK) == (n >= tables));
        if (status != TW_OK)
        {
            ENSURE(status == TW_BAD_INPUT && !stream);
            ENSURE_TEXT(err.text, load_err.text);
            continue;
        }
        ENSURE(read_stream(stream, trace, &c) && !c.end.complete && c.lost[0]);
        ENSURE(c.frames == trace->frame_count && c.forces == trace->force_count && c.samples == trace->sample_count);
        ENSURE(c.end.lost_bytes == trace->lost_bytes);
        tw_trace_stream_close(stream);
        tw_trace_destroy(trace);
    }
    free(bytes);
    return 0;
}

// the chunk that has a byte
static int chunk_of(const char* bytes, size_t at)
{
    int chunk = 0;
    while (chunk_at(bytes, chunk + 1) <= at) chunk++;
    return chunk;
}

static int a_damaged_byte_costs_what_is_behind_it_and_no_more(void)
{
    size_t count;
    char* bytes = good_bytes(&count);
    ENSURE(bytes && put_file(in_folder("bad.twtrace"), bytes, count));
    FILE* file = fopen(in_folder("bad.twtrace"), "r+b");
    ENSURE(file);
    for (size_t i = 0; i < count; i += i < chunk_at(bytes, FRAM0) ? 13 : 3)
    {
        twTraceStream* stream;
        Counts c;
        const char byte = (char)(bytes[i] ^ (1 << i % 8));
        ENSURE(fseek(file, (long)i, SEEK_SET) == 0 && fwrite(&byte, 1, 1, file) == 1 && fflush(file) == 0);
        const twStatus status = tw_trace_stream_open(&stream, in_folder("bad.twtrace"), NULL);
        const int chunk = i < 64 ? 0 : chunk_of(bytes, i);
        if (chunk < FRAM0)
            ENSURE(status == TW_BAD_INPUT && !stream);
        else
        {
            ENSURE(status == TW_OK && read_stream(stream, NULL, &c) && !c.end.complete && c.lost[0]);
            ENSURE(c.end.lost_bytes == (int64_t)(count - chunk_at(bytes, chunk)));
            ENSURE(c.forces == (chunk > FORC1 ? 6 : chunk > FORC0 ? 3 : 0));
            ENSURE(c.samples == (chunk > SAMP1 ? 5 : chunk > SAMP0 ? 3 : 0));
            ENSURE(c.frames == (chunk > FRAM0) + (chunk > FRAM1) + (chunk > FRAM2) + (chunk > FRAM3));
        }
        tw_trace_stream_close(stream);
        ENSURE(fseek(file, (long)i, SEEK_SET) == 0 && fwrite(bytes + i, 1, 1, file) == 1 && fflush(file) == 0);
    }
    fclose(file);
    free(bytes);
    return 0;
}

// with right checksums: what a load refuses ends the stream before its end; what it takes the stream takes
static int a_file_made_to_harm_does_none(void)
{
    size_t count;
    char* bytes = good_bytes(&count);
    char* copy = malloc(count);
    twRng rng = tw_rng(5);
    ENSURE(bytes && copy);
    int taken = 0, ended = 0;
    for (int round = 0; round < 1500; round++)
    {
        twTraceStream* stream;
        twTrace* trace;
        Counts c;
        memcpy(copy, bytes, count);
        const size_t from = round % 4 ? chunk_at(bytes, FRAM0) : 64;
        for (int k = 0; k < 1 + round % 3; k++)
            copy[from + tw_rng_next(&rng) % (count - from)] = (char)(tw_rng_next(&rng) & 255);
        sign(copy, bytes, CHUNKS);
        ENSURE(put_file(in_folder("harm.twtrace"), copy, count));
        const bool loads = tw_trace_load(&trace, in_folder("harm.twtrace"), NULL) == TW_OK && trace->complete;
        const twStatus status = tw_trace_stream_open(&stream, in_folder("harm.twtrace"), NULL);
        if (status == TW_OK)
        {
            ENSURE(read_stream(stream, loads ? trace : NULL, &c));
            ENSURE(loads ? c.end.complete || strstr(c.lost, "has left") : !c.end.complete && c.lost[0]);
            taken += c.end.complete;
            ended += !c.end.complete;
        }
        else
            ENSURE(!loads);
        tw_trace_stream_close(stream);
        tw_trace_destroy(trace);
    }
    ENSURE(taken > 100 && ended > 100);
    free(copy);
    free(bytes);
    return 0;
}

static int the_end_says_what_was_lost(void)
{
    size_t count;
    Counts c;
    char expected[200];
    char* bytes = good_bytes(&count);
    ENSURE(bytes);

    // damage in a finished file: frames 0 and 1 of 4 are whole
    const size_t at = chunk_at(bytes, FRAM2);
    bytes[at + 64 + 5] ^= 1;
    ENSURE(put_file(in_folder("lost.twtrace"), bytes, count) && read_path(in_folder("lost.twtrace"), NULL, &c));
    snprintf(expected, sizeof expected, "chunk 16 at byte %zu fails its checksum: the last 0.08 s of 0.12 s are lost",
             at);
    ENSURE_TEXT(c.lost, expected);
    ENSURE_NEAR(c.end.until, 1.0 / 24, 1e-15);
    bytes[at + 64 + 5] ^= 1;

    // a value that cannot be
    const float none = NAN;
    memcpy(bytes + at + 64, &none, 4);
    sign(bytes, bytes, CHUNKS);
    ENSURE(put_file(in_folder("lost.twtrace"), bytes, count) && read_path(in_folder("lost.twtrace"), NULL, &c));
    ENSURE(c.frames == 2 && strstr(c.lost, "chunk 16 at byte") && strstr(c.lost, "frame 2: a number is not finite"));
    ENSURE_NEAR(c.end.until, 1.0 / 24, 1e-15);

    // cut short: how long it was is not known
    ENSURE(put_file(in_folder("lost.twtrace"), bytes, at + 100) && read_path(in_folder("lost.twtrace"), NULL, &c));
    snprintf(expected, sizeof expected,
             "chunk 16 at byte %zu is cut short: what comes after 0.042 s is lost, 100 bytes", at);
    ENSURE_TEXT(c.lost, expected);

    // not finished
    ENSURE(put_file(in_folder("lost.twtrace"), bytes, at) && read_path(in_folder("lost.twtrace"), NULL, &c));
    ENSURE_TEXT(c.lost, "the trace was not finished: it ends at 0.042 s");
    ENSURE(c.end.lost_bytes == 0 && !c.end.complete);
    free(bytes);
    return 0;
}

static int memory_does_not_grow_with_the_length(void)
{
    Counts once, ten;
    ENSURE(record_long(in_folder("once.twtrace"), 60) == TW_OK && read_path(in_folder("once.twtrace"), NULL, &once));
    ENSURE(record_long(in_folder("ten.twtrace"), 600) == TW_OK && read_path(in_folder("ten.twtrace"), NULL, &ten));
    ENSURE(ten.forces > 9 * once.forces && ten.frames == 10 * once.frames);
    ENSURE(ten.memory == once.memory && ten.memory < 250000);
    return 0;
}

// a consumer may make sound up to forces_until
static int no_force_comes_before_what_was_promised(void)
{
    Counts c;
    ENSURE(record_long(in_folder("b.twtrace"), 60) == TW_OK && read_path(in_folder("b.twtrace"), NULL, &c));
    ENSURE(c.kept_promise && !c.late);

    // the sample's forces are of times that its frames have passed
    ENSURE(record(in_folder("a.twtrace"), FRAMES) == TW_OK && read_path(in_folder("a.twtrace"), NULL, &c));
    ENSURE(!c.kept_promise && c.late);
    return 0;
}

static int what_cannot_be_read_is_named(void)
{
    twTraceStream* stream;
    twError err;
    ENSURE(tw_trace_stream_open(&stream, in_folder("no.twtrace"), &err) == TW_BAD_INPUT && !stream);
    ENSURE(strstr(err.text, "no.twtrace"));
    ENSURE(tw_trace_stream_open(&stream, scratch_folder(), &err) == TW_BAD_INPUT && strstr(err.text, "folder"));
    ENSURE(put_file(in_folder("empty.twtrace"), "", 0));
    ENSURE(tw_trace_stream_open(&stream, in_folder("empty.twtrace"), &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "not a trace"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_stream_gives_item_by_item_what_a_load_gives)
    RUN(the_head_says_what_is_in_it)
    RUN(a_touch_stays_until_its_contact_leaves_it)
    RUN(a_file_cut_anywhere_gives_as_much_as_a_load)
    RUN(a_damaged_byte_costs_what_is_behind_it_and_no_more)
    RUN(a_file_made_to_harm_does_none)
    RUN(the_end_says_what_was_lost)
    RUN(memory_does_not_grow_with_the_length)
    RUN(no_force_comes_before_what_was_promised)
    RUN(what_cannot_be_read_is_named)
)
