// SPDX-License-Identifier: MIT
// Files that are no traces, damaged or made to harm: refused with words, or read, nothing worse.
#define _XOPEN_SOURCE 700
#include "test.h"

#include "trace_sample.h"

static void put_i32(char* bytes, size_t at, int32_t value32) { memcpy(bytes + at, &value32, 4); }
static void put_float(char* bytes, size_t at, float number) { memcpy(bytes + at, &number, 4); }
static void put_double(char* bytes, size_t at, double number) { memcpy(bytes + at, &number, 8); }

// a good file and a copy to be damaged
typedef struct Pair
{
    char *good, *b;
    size_t n;
} Pair;

static Pair make_pair(void)
{
    Pair p = {0};
    p.good = good_bytes(&p.n);
    p.b = p.good ? malloc(p.n) : NULL;
    if (p.b) memcpy(p.b, p.good, p.n);
    return p;
}

static int free_pair(const Pair* p)
{
    free(p->good);
    free(p->b);
    return 0;
}

// where the items of a chunk begin
static size_t in_chunk(const Pair* p, int chunk) { return chunk_at(p->good, chunk) + 64; }

// whether the copy, signed, is refused with such a text; it is made good again
static bool refused(const Pair* p, const char* text)
{
    twError err = {0};
    twTrace* trace;
    sign(p->b, p->good, CHUNKS);
    bool right = tw_trace_view(&trace, p->b, p->n, &err) == TW_BAD_INPUT && !trace && strstr(err.text, text);
    if (!right) printf("%s, expected: %s\n", trace ? "it was read" : err.text, text);
    tw_trace_destroy(trace);
    memcpy(p->b, p->good, p->n);
    return right;
}

// ---- by accident ----

// in the last chunk too: then the file is as one that was never finished
static int every_damaged_byte_is_noticed(void)
{
    size_t count;
    twTrace* trace;
    char* bytes = good_bytes(&count);
    ENSURE(bytes && tw_trace_view(&trace, bytes, count, NULL) == TW_OK && trace->complete && trace->lost_bytes == 0);
    tw_trace_destroy(trace);
    for (size_t i = 0; i < count; i++)
    {
        bytes[i] ^= (char)(1 << i % 8);
        const twStatus status = tw_trace_view(&trace, bytes, count, NULL);
        ENSURE(status == TW_BAD_INPUT ? !trace : i >= count - 128 && !trace->complete && trace->lost_bytes == 128);
        tw_trace_destroy(trace);
        bytes[i] ^= (char)(1 << i % 8);
    }
    free(bytes);
    return 0;
}

// each in a block of its own size, so that a sanitizer sees one byte too many
static int a_file_cut_anywhere_is_read_up_to_its_last_whole_chunk(void)
{
    size_t count;
    char* bytes = good_bytes(&count);
    ENSURE(bytes);
    const size_t tables = chunk_at(bytes, FRAM0);
    for (size_t n = 0; n < count; n += n % 64 == 0 || n % 64 == 63 ? 1 : 7)
    {
        twTrace* trace;
        twError err = {0};
        char* part = malloc(n ? n : 1);
        ENSURE(part);
        memcpy(part, bytes, n);
        const twStatus status = tw_trace_view(&trace, part, n, &err);
        int whole = 0, frames = 0;
        while (whole < CHUNKS && chunk_at(bytes, whole + 1) <= n)
        {
            frames += memcmp(bytes + chunk_at(bytes, whole), "FRAM", 4) == 0;
            whole++;
        }
        if (n < tables)
            ENSURE(status == TW_BAD_INPUT && !trace && err.text[0]);
        else
        {
            ENSURE(status == TW_OK && !trace->complete && trace->frame_count == frames);
            ENSURE(trace->lost_bytes == (int64_t)(n - chunk_at(bytes, whole)));
            ENSURE(trace->force_count == (whole > FORC1 ? 6 : whole > FORC0 ? 3 : 0));
            ENSURE(trace->sample_count == (whole > SAMP1 ? 5 : whole > SAMP0 ? 3 : 0));
        }
        tw_trace_destroy(trace);
        free(part);
    }
    free(bytes);
    return 0;
}

// chunks that end where a file ends: what is missing is named
static int a_file_cut_in_its_tables_is_refused_by_name(void)
{
    static const char* const missing[] = {"META", "RODS", "SECT", "CORN", "BODY", "modes of body 0", "modes of body 1",
                                          "SERI", "TRAK"};
    size_t count;
    char* bytes = good_bytes(&count);
    ENSURE(bytes);
    for (int chunks = 0; chunks < FRAM0; chunks++)
    {
        twTrace* trace;
        twError err = {0};
        ENSURE(tw_trace_view(&trace, bytes, chunk_at(bytes, chunks), &err) == TW_BAD_INPUT && !trace);
        ENSURE(strstr(err.text, missing[chunks]) && strstr(err.text, "cut short"));
    }
    free(bytes);
    return 0;
}

static int errors_name_file_and_trouble(void)
{
    twError err;
    twTrace* trace;
    size_t count;
    _Alignas(8) const char other[200] = "TWMODES\n";
    char* bytes = good_bytes(&count);
    ENSURE(bytes);
    ENSURE(tw_trace_load(&trace, in_folder("no.twtrace"), &err) == TW_BAD_INPUT && strstr(err.text, "no.twtrace"));
    ENSURE(tw_trace_load(&trace, scratch_folder(), &err) == TW_BAD_INPUT && strstr(err.text, "folder"));
    FILE* file = fopen(in_folder("cut.twtrace"), "wb");
    ENSURE(file && fwrite(bytes, 1, 100, file) == 100 && fclose(file) == 0);
    ENSURE(tw_trace_load(&trace, in_folder("cut.twtrace"), &err) == TW_BAD_INPUT && !trace);
    ENSURE(strstr(err.text, "cut.twtrace: ") && strstr(err.text, "chunk META: cut short"));
    ENSURE(tw_trace_view(&trace, other, sizeof other, &err) == TW_BAD_INPUT && strstr(err.text, "not a trace"));
    put_i32(bytes, 8, 2);
    ENSURE(tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && strstr(err.text, "version 2"));
    ENSURE(strstr(err.text, "older version") && strstr(err.text, "render again"));
    put_i32(bytes, 8, 5);
    ENSURE(tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && strstr(err.text, "newer version"));
    put_i32(bytes, 8, 4);
    bytes[chunk_at(bytes, FRAM1) + 70] ^= 1;
    ENSURE(tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && strstr(err.text, "checksum"));
    ENSURE(tw_trace_view(&trace, bytes + 1, count - 1, &err) == TW_BAD_INPUT && strstr(err.text, "aligned"));
    free(bytes);
    return 0;
}

// version 3 had a MODE for every body and nothing where it says now whose set it has
static int a_trace_of_version_3_is_read(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    put_i32(p.b, 8, 3);
    put_i32(p.b, in_chunk(&p, BODY) + 144 + 132, 77);
    sign(p.b, p.good, CHUNKS);
    twTrace* trace;
    ENSURE(tw_trace_view(&trace, p.b, p.n, NULL) == TW_OK && trace->complete && trace->frame_count == FRAMES);
    ENSURE(trace->bodies[0].set->mode_count == MODES && trace->bodies[1].set->vertex_count == 3);
    ENSURE(trace->set_first[0] == 0 && trace->set_first[1] == 1);
    tw_trace_destroy(trace);
    return free_pair(&p);
}

// ---- under a right checksum, as a hostile writer would make them ----

static int sets_of_bodies_that_have_none_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const size_t first = in_chunk(&p, BODY), second = first + 144;
    const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, 2, 3};  // not before the second
    for (int i = 0; i < 5; i++)
    {
        put_i32(p.b, second + 132, wrong[i]);
        ENSURE(refused(&p, "body 1: it has the modes of body"));
    }
    put_i32(p.b, first + 132, 1);  // of itself
    ENSURE(refused(&p, "body 0: it has the modes of body 0"));
    put_i32(p.b, second + 132, 1);  // which has two
    ENSURE(refused(&p, "body 1: 0 modes of which body 0"));
    put_i32(p.b, second + 132, 1);
    put_i32(p.b, second + 128, MODES);  // right, but then the leaf's own are too much
    ENSURE(refused(&p, "modes of body 1 of 2 where"));
    return free_pair(&p);
}

static int wrong_counts_of_the_file_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const size_t frame0 = chunk_at(p.good, FRAM0), done = in_chunk(&p, DONE);
    const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 4 + 1, (uint64_t)1 << 62, (uint64_t)1 << 32, 100000};
    for (int i = 0; i < 5; i++)
    {
        for (size_t k = 1; k < 6; k++)  // chunks, frames, touches, forces, samples
        {
            put_u64(p.b, done + 8 * k, huge[i]);
            ENSURE(refused(&p, "that should have"));
        }
        for (int k = 0; k < DONE; k++)  // items of each chunk
        {
            put_u64(p.b, chunk_at(p.good, k) + 8, huge[i]);
            ENSURE(refused(&p, "beyond the end"));
        }
    }
    put_i32(p.b, frame0 + 4, -1);  // bytes per item
    ENSURE(refused(&p, "beyond the end"));
    put_i32(p.b, frame0 + 4, 0);
    ENSURE(refused(&p, "damaged"));
    p.b[chunk_at(p.good, FRAM1) - 1] = 1;  // what fills a chunk up must be 0
    ENSURE(refused(&p, "checksum of chunk 11 is wrong"));
    put_u64(p.b, done + 16, FRAMES - 1);
    ENSURE(refused(&p, "trace of 4 frames, 6 forces and 5 samples that should have 3, 6 and 5"));
    memcpy(p.b + chunk_at(p.good, NUMB1), "DONE", 4);
    ENSURE(refused(&p, "chunk DONE has 1 items of 72 bytes"));
    put_u64(p.b, frame0 + 16, 1);
    ENSURE(refused(&p, "frame 1 of 4 where frame 0 should be"));
    put_u64(p.b, chunk_at(p.good, TOUC1) + 16, 1);
    ENSURE(refused(&p, "touches from 1 where 2 should be"));
    put_u64(p.b, chunk_at(p.good, FORC1) + 16, UINT64_MAX);
    ENSURE(refused(&p, "where 3 should be"));
    put_u64(p.b, chunk_at(p.good, SAMP0) + 16, 3);
    ENSURE(refused(&p, "samples from 3 where 0 should be"));
    for (int k = 0; k < DONE; k++)  // the same bytes as twice as many halves of items
    {
        uint32_t item;
        const size_t at = chunk_at(p.good, k);
        memcpy(&item, p.good + at + 4, 4);
        if (item == 1) continue;  // bytes have no halves
        put_i32(p.b, at + 4, (int32_t)item / 2);
        put_u64(p.b, at + 8, 2 * u64_at(p.good, at + 8));
        ENSURE(refused(&p, " bytes"));
    }
    return free_pair(&p);
}

static int wrong_counts_of_rods_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const size_t rod0 = in_chunk(&p, RODS);
    const int points[] = {1, -1, -5, INT32_MAX - 1, INT32_MIN, TW_MAX_ROD_POINTS + 1};
    for (int i = 0; i < 6; i++)
    {
        put_i32(p.b, rod0 + 128, points[i]);
        ENSURE(refused(&p, "rod 0: "));
        put_i32(p.b, rod0 + 136, points[i] + 1);  // sections
        ENSURE(refused(&p, "rod 0: "));
        put_i32(p.b, rod0 + 140, points[i]);  // corners
        ENSURE(refused(&p, "rod 0: "));
    }
    put_i32(p.b, rod0 + 128, 6);
    put_i32(p.b, rod0 + 136, 1);
    ENSURE(refused(&p, "sections that belong to no rod"));
    put_i32(p.b, rod0 + 144 + 128, 4);
    ENSURE(refused(&p, "frame 0: 64 numbers of 4 bytes; what is in it has 70"));
    put_i32(p.b, rod0 + 144 + 128, 2);
    ENSURE(refused(&p, "it must be 3 to"));
    put_u64(p.b, chunk_at(p.good, SECT) + 8, 5);
    memset(p.b + in_chunk(&p, SECT) + 5 * 32, 0, 32);
    ENSURE(refused(&p, "rod 1: 1 sections of which 0"));
    put_i32(p.b, rod0 + 140, 0);
    ENSURE(refused(&p, "4 corners that belong to no rod"));
    put_i32(p.b, rod0 + 140, 5);
    ENSURE(refused(&p, "rod 0: 5 corners of which 4"));
    put_i32(p.b, rod0 + 144 + 140, 3);
    ENSURE(refused(&p, "rod 1: 3 corners of which 0"));
    return free_pair(&p);
}

static int wrong_counts_of_bodies_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const int modes[] = {0, 1, 3, -1, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 6; i++)
    {
        put_i32(p.b, in_chunk(&p, BODY) + 128, modes[i]);
        ENSURE(refused(&p, "body 0: "));
    }
    put_u64(p.b, chunk_at(p.good, MODE0) + 16, 1);
    ENSURE(refused(&p, "modes of body 1 of 2 where those of body 0 should be"));
    put_u64(p.b, chunk_at(p.good, MODE1) + 16, UINT64_MAX);
    ENSURE(refused(&p, "where those of body 1 should be"));
    put_u64(p.b, chunk_at(p.good, MODE1) + 8, u64_at(p.good, chunk_at(p.good, MODE1) + 8) - 1);
    ENSURE(refused(&p, "body 1: mode file of "));
    for (size_t i = 0; i < u64_at(p.good, chunk_at(p.good, MODE0) + 8); i++)  // any byte of a mode file
    {
        p.b[in_chunk(&p, MODE0) + i] ^= 1;
        ENSURE(refused(&p, "body 0: "));
    }
    memcpy(p.b + chunk_at(p.good, MODE1), "EDOM", 4);
    ENSURE(refused(&p, "without the modes of body 1 before its frames"));
    put_u64(p.b, chunk_at(p.good, ARRW1) + 16, 0);
    ENSURE(refused(&p, "arrows of frame 0 behind 2 frames"));
    put_u64(p.b, chunk_at(p.good, ARRW3) + 16, 4);
    ENSURE(refused(&p, "arrows of frame 4 behind 4 frames"));
    return free_pair(&p);
}

static int wrong_values_of_the_whole_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const size_t meta = in_chunk(&p, META);
    const double rates[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
    {
        put_double(p.b, 16, rates[i]);
        ENSURE(refused(&p, "frames per second"));
        put_double(p.b, 24, rates[i]);
        ENSURE(refused(&p, "samples per second of 2 tracks"));
        put_double(p.b, meta + 568, rates[i]);  // angle of view
        ENSURE(refused(&p, "camera: an angle"));
        put_double(p.b, meta + 600, rates[i] - 1);  // the normal's x
        ENSURE(refused(&p, "ground: a normal"));
    }
    put_double(p.b, meta + 520, NAN);
    ENSURE(refused(&p, "camera: its eye"));
    memcpy(p.b + meta + 544, p.b + meta + 520, 24);  // target = eye
    ENSURE(refused(&p, "camera: its eye"));
    put_double(p.b, meta + 576, INFINITY);
    ENSURE(refused(&p, "ground: its point"));
    put_i32(p.b, meta + 512, 2);
    ENSURE(refused(&p, "2 cameras"));
    put_i32(p.b, meta + 516, -1);
    ENSURE(refused(&p, "-1 grounds"));
    memset(p.b + meta, 'x', 256);
    ENSURE(refused(&p, "does not end"));
    p.b[meta + 256] = 27;  // would speak to the terminal
    ENSURE(refused(&p, "control characters"));
    const int named[] = {RODS, BODY, SERI, TRAK};
    for (int i = 0; i < 4; i++)
    {
        memset(p.b + in_chunk(&p, named[i]), 'x', 64);
        ENSURE(refused(&p, "does not end"));
        p.b[in_chunk(&p, named[i]) + 1] = 27;
        ENSURE(refused(&p, "control characters"));
        p.b[in_chunk(&p, named[i]) + 64] = 127;
        ENSURE(refused(&p, "control characters"));
    }
    return free_pair(&p);
}

static int wrong_values_of_what_moves_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const size_t sect = in_chunk(&p, SECT), corn = in_chunk(&p, CORN), frame1 = in_chunk(&p, FRAM1);
    const double sizes[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
    {
        put_double(p.b, sect, sizes[i]);  // half a size
        ENSURE(refused(&p, "rod 0: section 0"));
    }
    put_double(p.b, sect + 5 * 32 + 16, -1);  // a radius
    ENSURE(refused(&p, "rod 1: section 0"));
    put_double(p.b, sect + 5 * 32 + 24, NAN);  // an angle
    ENSURE(refused(&p, "rod 1: section 0"));
    put_double(p.b, corn + 8, NAN);
    ENSURE(refused(&p, "rod 0: corner 0"));
    put_double(p.b, corn + 3 * 16, -2.5);
    ENSURE(refused(&p, "rod 0: corner 3"));
    memcpy(p.b + corn + 16, p.good + corn + 48, 16);  // the second and the last corner change places
    memcpy(p.b + corn + 48, p.good + corn + 16, 16);
    ENSURE(refused(&p, "counter-clockwise"));
    put_i32(p.b, in_chunk(&p, RODS) + 132, 2);
    ENSURE(refused(&p, "closed is 2"));

    // a frame: 27 + 18 numbers of the rods, 9 and 7 of the bodies, 3 of the series
    for (size_t i = 0; i < 61; i++)
    {
        put_float(p.b, frame1 + 4 * i, i % 2 ? NAN : -INFINITY);
        ENSURE(refused(&p, "frame 1: a number"));
    }
    put_float(p.b, frame1 + 4 * 61, INFINITY);
    ENSURE(refused(&p, "frame 1: series 0 is infinite"));
    put_float(p.b, frame1 + 4 * 48, 1.1f);
    ENSURE(refused(&p, "frame 1, body 0: the turn"));
    put_float(p.b, frame1 + 4 * 58, 0);
    ENSURE(refused(&p, "frame 1, body 1: the turn 0, 0, 0, 0"));
    put_float(p.b, in_chunk(&p, ARRW3) + 20, NAN);
    ENSURE(refused(&p, "frame 3: arrow 0 is not finite"));
    return free_pair(&p);
}

static int wrong_values_of_forces_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const size_t touch = in_chunk(&p, TOUC0), forces = in_chunk(&p, FORC0), later = in_chunk(&p, FORC1);
    const int wrong[] = {-2, 4, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
    {
        put_i32(p.b, touch + 8, wrong[i]);
        ENSURE(refused(&p, "touch 0: it is at body"));
        put_i32(p.b, touch + 16, wrong[i]);  // the first of the leaf's vertices
        ENSURE(refused(&p, "touch 0: it is at vertex"));
        put_i32(p.b, touch + 88 + 36, wrong[i]);  // the last of the bell's
        ENSURE(refused(&p, "touch 1: it is at vertex"));
    }
    put_i32(p.b, touch + 8, 0);
    ENSURE(refused(&p, "touch 0: body 0 touches itself"));
    put_i32(p.b, touch + 12, -1);  // nowhere there are no vertices
    ENSURE(refused(&p, "touch 0: it is at vertex 0 of 0 of body -1"));
    for (size_t k = 0; k < 6; k++)
    {
        put_float(p.b, touch + 40 + 4 * k, k % 2 ? NAN : INFINITY);
        ENSURE(refused(&p, "touch 0: a weight"));
        put_float(p.b, touch + 64 + 4 * k, NAN);
        ENSURE(refused(&p, k < 3 ? "touch 0: its point" : "touch 0: its normal"));
    }
    put_float(p.b, touch + 84, 1.1f);
    ENSURE(refused(&p, "touch 0: its normal is of length 1.1"));
    put_double(p.b, forces + 24, 0.0009);
    ENSURE(refused(&p, "force 1 is of 0.0009 s, after one of 0.001 s"));
    put_double(p.b, later, 0.002);
    ENSURE(refused(&p, "force 3 is of 0.002 s, after one of 0.003 s"));
    put_double(p.b, forces, -1);
    ENSURE(refused(&p, "force 0 is of -1 s"));
    put_double(p.b, forces, NAN);
    ENSURE(refused(&p, "s, after one of 0 s"));
    put_double(p.b, later + 48, INFINITY);
    ENSURE(refused(&p, "force 5 is of inf s"));
    put_i32(p.b, forces + 8, 2);  // which comes later
    ENSURE(refused(&p, "force 0: at touch 2 of 2"));
    put_i32(p.b, later + 8, -1);
    ENSURE(refused(&p, "force 3: at touch 4294967295 of 3"));
    for (size_t k = 0; k < 3; k++)
    {
        put_float(p.b, forces + 24 + 12 + 4 * k, k == 1 ? INFINITY : NAN);
        ENSURE(refused(&p, "force 1 is not finite"));
    }
    return free_pair(&p);
}

static int wrong_values_of_samples_and_numbers_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    put_float(p.b, in_chunk(&p, SAMP1) + 12, NAN);
    ENSURE(refused(&p, "track 1: sample 4 is not finite"));
    put_float(p.b, in_chunk(&p, SAMP0), -INFINITY);
    ENSURE(refused(&p, "track 0: sample 0 is not finite"));
    put_double(p.b, in_chunk(&p, NUMB0) + 64, INFINITY);
    ENSURE(refused(&p, "number steps is infinite"));
    memset(p.b + in_chunk(&p, NUMB0) + 72, 'x', 64);
    ENSURE(refused(&p, "number 1: its name does not end"));
    p.b[in_chunk(&p, NUMB1)] = 27;
    ENSURE(refused(&p, "number 2: its name does not end or holds control characters"));
    return free_pair(&p);
}

static int chunks_out_of_place_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const char ids[][5] = {"META", "RODS", "SECT", "CORN", "BODY", "MODE", "MODE", "SERI", "TRAK"};
    for (int k = 0; k < 9; k++)  // not there
    {
        char text[64];
        snprintf(text, sizeof text, "chunk %s", ids[k]);
        memcpy(p.b + chunk_at(p.good, k), "????", 4);
        ENSURE(refused(&p, k == RODS                  ? "SECT before its chunk RODS"
                           : k == BODY                ? "MODE before its chunk BODY"
                           : k == MODE0 || k == MODE1 ? " body "
                                                      : text));
    }
    const size_t frame1 = chunk_at(p.good, FRAM1);
    for (int k = 0; k < 9; k++)  // and once more
    {
        char text[64];
        snprintf(text, sizeof text, k == MODE0 || k == MODE1 ? "modes of body 1 of 2" : "two chunks %s", ids[k]);
        memcpy(p.b + frame1, ids[k], 4);
        ENSURE(refused(&p, text));
    }
    return free_pair(&p);
}

// everything but what frames hold is used
static double sum_of_new(const twTrace* trace)
{
    double sum = 0;
    twTracePair* pairs;
    int pair_count;
    for (int b = 0; b < trace->force_block_count; b++)
        for (int64_t i = 0; i < trace->force_blocks[b].count; i++)
        {
            const twTraceForce* f = &trace->force_blocks[b].forces[i];
            const twTraceTouch* touch = &trace->touches[f->touch];
            if (touch->body[0] >= 0 && touch->vertex[0][2] >= 0)
                sum += trace->bodies[touch->body[0]].set->vertices[touch->vertex[0][2]].x;
            sum += f->time * f->force[2];
        }
    if (tw_trace_pairs(&pairs, &pair_count, trace, NULL) == TW_OK)
        for (int i = 0; i < pair_count; i++) sum += pairs[i].impulse > 0;
    free(pairs);
    for (int k = 0; k < trace->track_count; k++)
        for (int64_t i = 0; i < trace->sample_count; i++)
        {
            float sample;
            tw_trace_track(trace, k, i, 1, &sample);
            sum += (double)sample;
        }
    for (int i = 0; i < trace->number_count; i++) sum += (double)strlen(trace->numbers[i].name);
    return sum;
}

// bytes of all kinds under a right checksum: refused or read, nothing worse
static int random_damage_does_no_harm(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    twRng rng = tw_rng(5);
    int read = 0;
    const int trials = 20000;
    for (int t = 0; t < trials; t++)
    {
        memcpy(p.b, p.good, p.n);
        for (int hits = 1 + (int)(tw_rng_next(&rng) % 3); hits > 0; hits--)
            p.b[tw_rng_next(&rng) % p.n] =
                (char)(tw_rng_next(&rng) % 4 ? tw_rng_next(&rng) : 255 * (tw_rng_next(&rng) % 2));
        sign(p.b, p.good, CHUNKS);
        twTrace* trace;
        if (tw_trace_view(&trace, p.b, p.n, NULL) != TW_OK) continue;
        double sum = sum_of_new(trace);
        const int64_t last = trace->frame_count - 1;
        if (last < 0)
        {
            tw_trace_destroy(trace);
            continue;
        }
        for (int r = 0; r < trace->rod_count; r++)
            for (int i = 0; i < 3 * trace->rods[r].point_count; i++) sum += tw_trace_positions(trace, last, r)[i];
        for (int b = 0; b < trace->body_count; b++)
            for (int i = 0; i < trace->bodies[b].set->mode_count; i++) sum += tw_trace_amplitudes(trace, last, b)[i];
        for (int i = 0; i < trace->arrow_count[last]; i++) sum += trace->arrows[last][i].force[2];
        read += isfinite(sum);
        tw_trace_destroy(trace);
    }
    ENSURE(read > trials / 20 && read < trials);
    return free_pair(&p);
}

// clang-format off
TEST_MAIN(
    RUN(every_damaged_byte_is_noticed)
    RUN(a_file_cut_anywhere_is_read_up_to_its_last_whole_chunk)
    RUN(a_file_cut_in_its_tables_is_refused_by_name)
    RUN(errors_name_file_and_trouble)
    RUN(a_trace_of_version_3_is_read)
    RUN(sets_of_bodies_that_have_none_are_refused)
    RUN(wrong_counts_of_the_file_are_refused)
    RUN(wrong_counts_of_rods_are_refused)
    RUN(wrong_counts_of_bodies_are_refused)
    RUN(wrong_values_of_the_whole_are_refused)
    RUN(wrong_values_of_what_moves_are_refused)
    RUN(wrong_values_of_forces_are_refused)
    RUN(wrong_values_of_samples_and_numbers_are_refused)
    RUN(chunks_out_of_place_are_refused)
    RUN(random_damage_does_no_harm)
)
