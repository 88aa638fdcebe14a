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

static int every_damaged_byte_is_noticed(void)
{
    size_t count;
    twTrace* trace;
    char* bytes = good_bytes(&count);
    ENSURE(bytes && tw_trace_view(&trace, bytes, count, NULL) == TW_OK);
    tw_trace_destroy(trace);
    for (size_t i = 0; i < count; i++)
    {
        bytes[i] ^= (char)(1 << i % 8);
        ENSURE(tw_trace_view(&trace, bytes, count, NULL) == TW_BAD_INPUT && !trace);
        bytes[i] ^= (char)(1 << i % 8);
    }
    free(bytes);
    return 0;
}

// each in a block of its own size, so that a sanitizer sees one byte too many
static int a_file_cut_anywhere_is_refused(void)
{
    size_t count;
    char* bytes = good_bytes(&count);
    ENSURE(bytes);
    for (size_t n = 0; n < count; n += n % 64 == 0 || n % 64 == 63 ? 1 : 7)
    {
        twTrace* trace;
        twError err = {0};
        char* part = malloc(n ? n : 1);
        ENSURE(part);
        memcpy(part, bytes, n);
        twStatus cut = tw_trace_view(&trace, part, n, &err);

        // and with a header that admits the length
        if (n >= 64) put_u64(part, 16, n);
        twStatus honest = tw_trace_view(&trace, part, n, &err);
        free(part);
        ENSURE(cut == TW_BAD_INPUT && honest == TW_BAD_INPUT && err.text[0]);
    }
    free(bytes);
    return 0;
}

// chunks that end where a file ends, rightly signed: what is missing is named
static int a_file_cut_between_chunks_is_refused_by_name(void)
{
    static const char* const missing[CHUNKS] = {
        "META", "RODS", "SECT", "CORN", "BODY", "modes of body 0", "modes of body 1", "SERI"};
    Pair p = make_pair();
    ENSURE(p.b);
    for (int chunks = 0; chunks < CHUNKS; chunks++)
    {
        size_t n = chunk_at(p.good, chunks);
        char* part = malloc(n);
        ENSURE(part);
        memcpy(part, p.good, n);
        put_u64(part, 16, n);
        put_u64(part, 48, chunks > FRAM0 ? (uint64_t)(chunks > FRAM3) + (chunks > FRAM2) + (chunks > FRAM1) + 1 : 0);
        put_u64(part, 56, (uint64_t)chunks);
        sign(part, part, chunks);
        twTrace* trace;
        twError err = {0};
        twStatus status = tw_trace_view(&trace, part, n, &err);
        if (missing[chunks])
            ENSURE(status == TW_BAD_INPUT && !trace && strstr(err.text, missing[chunks]));
        else
            ENSURE(status == TW_OK);
        tw_trace_destroy(trace);
        free(part);
    }
    return free_pair(&p);
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
    ENSURE(strstr(err.text, "cut.twtrace: ") && strstr(err.text, "of 100 bytes") && strstr(err.text, "cut short"));
    ENSURE(tw_trace_view(&trace, other, sizeof other, &err) == TW_BAD_INPUT && strstr(err.text, "not a trace"));
    put_i32(bytes, 8, 1);
    ENSURE(tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && strstr(err.text, "version 1"));
    ENSURE(strstr(err.text, "older version") && strstr(err.text, "render again"));
    put_i32(bytes, 8, 3);
    ENSURE(tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && strstr(err.text, "newer version"));
    put_i32(bytes, 8, 2);
    bytes[chunk_at(bytes, FRAM1) + 70] ^= 1;
    ENSURE(tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && strstr(err.text, "checksum"));
    ENSURE(tw_trace_view(&trace, bytes + 1, count - 1, &err) == TW_BAD_INPUT && strstr(err.text, "aligned"));
    free(bytes);
    return 0;
}

// ---- under a right checksum, as a hostile writer would make them ----

static int wrong_counts_of_the_file_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const size_t frame0 = chunk_at(p.good, FRAM0);
    const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 4 + 1, (uint64_t)1 << 62, (uint64_t)1 << 32, 100000};
    for (int i = 0; i < 5; i++)
    {
        put_u64(p.b, 48, huge[i]);  // frames
        ENSURE(refused(&p, "cannot hold"));
        put_u64(p.b, 56, huge[i]);  // chunks
        ENSURE(refused(&p, "cannot hold"));
        for (int k = 0; k < CHUNKS; k++)  // items of each chunk
        {
            put_u64(p.b, chunk_at(p.good, k) + 8, huge[i]);
            ENSURE(refused(&p, "beyond the end"));
        }
    }
    put_i32(p.b, frame0 + 4, -1);  // bytes per item
    ENSURE(refused(&p, "beyond the end"));
    put_u64(p.b, 48, FRAMES - 1);
    ENSURE(refused(&p, "frame 3 of 3"));
    put_u64(p.b, 48, FRAMES + 1);
    ENSURE(refused(&p, "4 frames that should have 5"));
    put_u64(p.b, 56, CHUNKS - 1);
    ENSURE(refused(&p, "behind its last chunk"));
    put_u64(p.b, frame0 + 16, 1);
    ENSURE(refused(&p, "frame 1 of 4 where frame 0 should be"));
    for (int k = 0; k < CHUNKS; k++)  // the same bytes as twice as many halves of items
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
        put_double(p.b, 40, rates[i]);
        ENSURE(refused(&p, "frames per second"));
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
    const int named[] = {RODS, BODY, SERI};
    for (int i = 0; i < 3; i++)
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

static int chunks_out_of_place_are_refused(void)
{
    Pair p = make_pair();
    ENSURE(p.b);
    const char ids[][5] = {"META", "RODS", "SECT", "CORN", "BODY", "MODE", "MODE", "SERI"};
    for (int k = 0; k < 8; k++)  // not there
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
    for (int k = 0; k < 8; k++)  // and once more
    {
        char text[64];
        snprintf(text, sizeof text, k == MODE0 || k == MODE1 ? "modes of body 1 of 2" : "two chunks %s", ids[k]);
        memcpy(p.b + frame1, ids[k], 4);
        ENSURE(refused(&p, text));
    }
    return free_pair(&p);
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
        const int64_t last = trace->frame_count - 1;
        double sum = 0;
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
    RUN(a_file_cut_anywhere_is_refused)
    RUN(a_file_cut_between_chunks_is_refused_by_name)
    RUN(errors_name_file_and_trouble)
    RUN(wrong_counts_of_the_file_are_refused)
    RUN(wrong_counts_of_rods_are_refused)
    RUN(wrong_counts_of_bodies_are_refused)
    RUN(wrong_values_of_the_whole_are_refused)
    RUN(wrong_values_of_what_moves_are_refused)
    RUN(chunks_out_of_place_are_refused)
    RUN(random_damage_does_no_harm)
)
