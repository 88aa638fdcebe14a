// SPDX-License-Identifier: MIT
// Recorded motion: what is written comes back, and what is not a trace is refused.
#define _XOPEN_SOURCE 700
#include "test.h"

#include "scratch.h"
#include "twang/scene.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

#define POINTS 5
#define FRAMES 4
#define OUTPUT_MAX 4096

static const twTraceSection tapered[POINTS] = {{{0.002, 0.001}, 0, 0.1},
                                               {{0.003, 0.001}, 0, 0.2},
                                               {{0.004, 0.001}, 0, 0.3},
                                               {{0.005, 0.001}, 0, 0.4},
                                               {{0.006, 0.001}, 0, 0.5}};
static const twTraceSection wire = {{0.0005, 0.0005}, 0.0005, 0};
static const twTraceRod rods[] = {
    {.name = "gong", .material = "steel", .point_count = POINTS, .section_count = POINTS, .sections = tapered},
    {.name = "r\303\251seau", .material = "", .point_count = 3, .closed = true, .section_count = 1, .sections = &wire},
};

static double numbers[2][6][POINTS];

// where things are in a frame, different for every number
static double value(int frame, int rod, int k, int i) { return sin(1 + frame + 0.37 * rod + 0.11 * k + 1.7 * i) / 3; }

// the two rods as append wants them; those of the simulation have the same form
static void fill_views(twRodView views[2], int frame)
{
    memset(views, 0, 2 * sizeof *views);
    for (int r = 0; r < 2; r++)
    {
        views[r].point_count = rods[r].point_count;
        views[r].edge_count = rods[r].closed ? rods[r].point_count : rods[r].point_count - 1;
        for (int k = 0; k < 3; k++)
        {
            for (int i = 0; i < POINTS; i++)
            {
                numbers[r][k][i] = value(frame, r, k, i);
                numbers[r][3 + k][i] = value(frame, r, 3 + k, i);
            }
            views[r].position[k] = numbers[r][k];
            views[r].frame_d1[k] = numbers[r][3 + k];
        }
    }
}

static twTraceDef two_rods(void)
{
    twTraceDef def = tw_trace_def();
    def.frame_rate_hz = 24;
    def.rod_count = 2;
    def.rods = rods;
    return def;
}

static twStatus record(const char* path, int frames)
{
    twTraceWriter* writer;
    twTraceDef def = two_rods();
    twRodView views[2];
    twStatus status = tw_trace_create(&writer, path, &def, NULL);
    for (int f = 0; status == TW_OK && f < frames; f++)
    {
        fill_views(views, f);
        status = tw_trace_append(writer, views, NULL);
    }
    if (status == TW_OK) return tw_trace_commit(&writer, NULL);
    tw_trace_abort(&writer);
    return status;
}

// a good trace in memory; free() it
static char* good_bytes(size_t* count)
{
    char* bytes = NULL;
    if (record(in_folder("good.twtrace"), FRAMES) == TW_OK)
        tw_file_read(&bytes, count, in_folder("good.twtrace"), 1 << 20, NULL);
    return bytes;
}

static int files_in_folder(void)
{
    int n = 0;
    DIR* dir = opendir(scratch_folder());
    for (struct dirent* entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (dir) closedir(dir);
    return n;
}

// ---- the layout, after docs/trace.md and not after the sources ----

static uint64_t u64_at(const char* bytes, size_t at)
{
    uint64_t value64;
    memcpy(&value64, bytes + at, 8);
    return value64;
}

static void put_u64(char* bytes, size_t at, uint64_t value64) { memcpy(bytes + at, &value64, 8); }
static void put_i32(char* bytes, size_t at, int32_t value32) { memcpy(bytes + at, &value32, 4); }
static void put_float(char* bytes, size_t at, float number) { memcpy(bytes + at, &number, 4); }
static void put_double(char* bytes, size_t at, double number) { memcpy(bytes + at, &number, 8); }

// where the n-th chunk begins
static size_t chunk_at(const char* bytes, int n)
{
    size_t at = 64;
    for (; n > 0; n--)
    {
        uint32_t item;
        memcpy(&item, bytes + at + 4, 4);
        at += 64 + (size_t)((item * u64_at(bytes, at + 8) + 63) / 64 * 64);
    }
    return at;
}

// make the checksum right; sizes must be those of the good file
static void sign(char* bytes, const char* good)
{
    twHash hash = {0, 0};
    for (int i = 0; i < FRAMES + 2; i++)
    {
        size_t from = chunk_at(good, i), to = chunk_at(good, i + 1);
        hash = tw_hash(bytes + from, to - from, hash);
    }
    put_u64(bytes, 24, 0);
    put_u64(bytes, 32, 0);
    hash = tw_hash(bytes, 64, hash);
    put_u64(bytes, 24, hash.high);
    put_u64(bytes, 32, hash.low);
}

// whether bytes, signed, are refused with such a text; bytes are made good again
static bool refused(char* bytes, const char* good, size_t count, const char* text)
{
    twError err = {0};
    twTrace* trace;
    sign(bytes, good);
    bool right = tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && !trace && strstr(err.text, text);
    if (!right) printf("%s, expected: %s\n", trace ? "it was read" : err.text, text);
    tw_trace_destroy(trace);
    memcpy(bytes, good, count);
    return right;
}

// ---- what is good ----

static int what_is_recorded_comes_back(void)
{
    twTrace* trace;
    ENSURE(record(in_folder("a.twtrace"), FRAMES) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("a.twtrace"), NULL) == TW_OK);
    ENSURE(trace->frame_rate_hz == 24 && trace->frame_count == FRAMES && trace->rod_count == 2);
    for (int r = 0; r < 2; r++)
    {
        const twTraceRod* rod = &trace->rods[r];
        ENSURE_TEXT(rod->name, rods[r].name);
        ENSURE_TEXT(rod->material, rods[r].material);
        ENSURE(rod->point_count == rods[r].point_count && rod->closed == rods[r].closed);
        ENSURE(rod->section_count == rods[r].section_count);
        ENSURE(memcmp(rod->sections, rods[r].sections, (size_t)rod->section_count * sizeof *rod->sections) == 0);
        for (int f = 0; f < FRAMES; f++)
            for (int k = 0; k < 3; k++)
            {
                int edges = rod->closed ? rod->point_count : rod->point_count - 1;
                const float *x = tw_trace_positions(trace, f, r), *d1 = tw_trace_directors(trace, f, r);
                for (int i = 0; i < rod->point_count; i++) ENSURE(x[3 * i + k] == (float)value(f, r, k, i));
                for (int i = 0; i < edges; i++) ENSURE(d1[3 * i + k] == (float)value(f, r, 3 + k, i));
            }
    }
    tw_trace_destroy(trace);
    return 0;
}

static int the_bytes_depend_on_the_contents_alone_and_are_aligned(void)
{
    size_t count, again;
    char *bytes = good_bytes(&count), *other = good_bytes(&again);
    ENSURE(bytes && other && count == again && memcmp(bytes, other, count) == 0);
    ENSURE(memcmp(bytes, "TWTRACE\n", 8) == 0 && count % 64 == 0 && u64_at(bytes, 16) == count);
    ENSURE(chunk_at(bytes, FRAMES + 2) == count && u64_at(bytes, 56) == FRAMES + 2);

    // the checksum is what the page says
    sign(other, bytes);
    ENSURE(memcmp(bytes, other, count) == 0);
    free(bytes);
    free(other);
    return 0;
}

static int no_frames_and_no_rods_are_fine(void)
{
    twTrace* trace;
    twTraceWriter* writer;
    twTraceDef none = tw_trace_def();
    ENSURE(record(in_folder("still.twtrace"), 0) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("still.twtrace"), NULL) == TW_OK);
    ENSURE(trace->frame_count == 0 && trace->rod_count == 2);
    tw_trace_destroy(trace);
    ENSURE(tw_trace_create(&writer, in_folder("empty.twtrace"), &none, NULL) == TW_OK);
    ENSURE(tw_trace_append(writer, NULL, NULL) == TW_OK && tw_trace_commit(&writer, NULL) == TW_OK && !writer);
    ENSURE(tw_trace_load(&trace, in_folder("empty.twtrace"), NULL) == TW_OK);
    ENSURE(trace->frame_count == 1 && trace->rod_count == 0);
    tw_trace_destroy(trace);
    tw_trace_destroy(NULL);
    tw_trace_abort(NULL);
    return 0;
}

static int a_simulated_rod_is_recorded_as_it_moves(void)
{
    const twVec3 points[] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}, {0.3, 0, 0}};
    const twSectionDef round = {.kind = TW_SECTION_CIRCLE, .radius = 0.002};
    const twRodPulse blow = {.point = 3, .force = {0, 5, 0}, .duration = 1e-3};
    twSection section;
    twRod* rod;
    twTrace* trace;
    twTraceWriter* writer;
    ENSURE(tw_section_compute(&section, &round, NULL) == TW_OK);
    const twTraceSection drawn = tw_trace_section(&section);
    ENSURE_NEAR(drawn.radius, 0.002, 1e-12);
    ENSURE_NEAR(drawn.half_size[1], 0.002, 1e-12);
    twRodDef def = tw_rod_def();
    def.point_count = 4;
    def.points = points;
    def.section_count = 1;
    def.sections = &section;
    def.pulse_count = 1;
    def.pulses = &blow;
    ENSURE(tw_rod_create(&rod, &def, NULL) == TW_OK);
    const twTraceRod described = {"rod", "steel", 4, false, 1, &drawn};
    const twTraceDef recorded = {.frame_rate_hz = def.rate_hz / 100, .rod_count = 1, .rods = &described};
    ENSURE(tw_trace_create(&writer, in_folder("rod.twtrace"), &recorded, NULL) == TW_OK);
    twRodView view = tw_rod_view(rod);
    ENSURE(tw_trace_append(writer, &view, NULL) == TW_OK);
    for (int i = 0; i < 100; i++) tw_rod_step(rod);
    view = tw_rod_view(rod);
    ENSURE(tw_trace_append(writer, &view, NULL) == TW_OK && tw_trace_commit(&writer, NULL) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("rod.twtrace"), NULL) == TW_OK && trace->frame_count == 2);
    ENSURE(tw_trace_positions(trace, 0, 0)[3 * 3 + 1] == 0);
    ENSURE(tw_trace_positions(trace, 1, 0)[3 * 3 + 1] == (float)view.position[1][3] && view.position[1][3] > 1e-6);
    for (int k = 0; k < 3; k++) ENSURE(tw_trace_directors(trace, 1, 0)[3 * 2 + k] == (float)view.frame_d1[k][2]);
    tw_trace_destroy(trace);
    tw_rod_destroy(rod);
    return 0;
}

// bodies and impulses of later versions: a chunk that is not known, between those that are
static int chunks_that_are_not_known_are_skipped(void)
{
    size_t count;
    char *good = good_bytes(&count), *more = good ? malloc(count + 192) : NULL;
    ENSURE(more);
    size_t at = chunk_at(good, 3);
    memcpy(more, good, at);
    memset(more + at, 0, 192);
    memcpy(more + at, "IMPL", 4);
    put_i32(more, at + 4, 100);
    put_u64(more, at + 8, 1);
    memcpy(more + at + 192, good + at, count - at);
    put_u64(more, 16, count + 192);
    put_u64(more, 56, FRAMES + 3);
    twHash hash = {0, 0};
    for (int i = 0; i < FRAMES + 3; i++)
        hash = tw_hash(more + chunk_at(more, i), chunk_at(more, i + 1) - chunk_at(more, i), hash);
    put_u64(more, 24, 0);
    put_u64(more, 32, 0);
    hash = tw_hash(more, 64, hash);
    put_u64(more, 24, hash.high);
    put_u64(more, 32, hash.low);
    twTrace* trace;
    ENSURE(tw_trace_view(&trace, more, count + 192, NULL) == TW_OK && trace->frame_count == FRAMES);
    ENSURE(tw_trace_positions(trace, 3, 1)[4] == (float)value(3, 1, 1, 1));
    tw_trace_destroy(trace);
    free(good);
    free(more);
    return 0;
}

// ---- what is not ----

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
    put_i32(bytes, 8, 2);
    ENSURE(tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && strstr(err.text, "version 2"));
    put_i32(bytes, 8, 1);
    bytes[chunk_at(bytes, 3) + 70] ^= 1;
    ENSURE(tw_trace_view(&trace, bytes, count, &err) == TW_BAD_INPUT && strstr(err.text, "checksum"));
    ENSURE(tw_trace_view(&trace, bytes + 1, count - 1, &err) == TW_BAD_INPUT && strstr(err.text, "aligned"));
    free(bytes);
    return 0;
}

// under a right checksum, as a hostile writer would make them
static int wrong_counts_are_refused(void)
{
    size_t n;
    char *good = good_bytes(&n), *b = good ? malloc(n) : NULL;
    ENSURE(b);
    memcpy(b, good, n);
    size_t rod0 = chunk_at(good, 0) + 64, sect = chunk_at(good, 1), frame0 = chunk_at(good, 2);
    const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 4 + 1, (uint64_t)1 << 62, (uint64_t)1 << 32, 1000};
    for (int i = 0; i < 5; i++)
    {
        put_u64(b, 48, huge[i]);  // frames
        ENSURE(refused(b, good, n, "cannot hold"));
        put_u64(b, 56, huge[i]);  // chunks
        ENSURE(refused(b, good, n, "cannot hold"));
        for (int k = 0; k < 3; k++)  // items of each kind of chunk
        {
            put_u64(b, chunk_at(good, k) + 8, huge[i]);
            ENSURE(refused(b, good, n, "beyond the end"));
        }
    }
    put_i32(b, frame0 + 4, -1);  // bytes per item
    ENSURE(refused(b, good, n, "beyond the end"));
    put_u64(b, 48, FRAMES - 1);
    ENSURE(refused(b, good, n, "frame 3 of 3"));
    put_u64(b, 48, FRAMES + 1);
    ENSURE(refused(b, good, n, "4 frames that should have 5"));
    put_u64(b, 56, FRAMES + 1);
    ENSURE(refused(b, good, n, "behind its last chunk"));
    put_u64(b, frame0 + 16, 1);
    ENSURE(refused(b, good, n, "frame 1 of 4 where frame 0 should be"));
    const int points[] = {1, -1, -5, INT32_MAX - 1, INT32_MIN, TW_MAX_ROD_POINTS + 1};
    for (int i = 0; i < 6; i++)
    {
        put_i32(b, rod0 + 128, points[i]);
        ENSURE(refused(b, good, n, "rod 0: "));
        put_i32(b, rod0 + 136, points[i] + 1);  // sections
        ENSURE(refused(b, good, n, "rod 0: "));
    }
    put_i32(b, rod0 + 128, 6);
    put_i32(b, rod0 + 136, 1);
    ENSURE(refused(b, good, n, "belong to no rod"));
    put_i32(b, rod0 + 144 + 128, 4);
    ENSURE(refused(b, good, n, "frame 0: 45 numbers of 4 bytes; its rods have 51"));
    put_i32(b, rod0 + 144 + 128, 2);
    ENSURE(refused(b, good, n, "it must be 3 to"));
    put_u64(b, sect + 8, 5);
    ENSURE(refused(b, good, n, "rod 1: 1 sections of which 0"));
    free(good);
    free(b);
    return 0;
}

static int wrong_values_are_refused(void)
{
    size_t n;
    char *good = good_bytes(&n), *b = good ? malloc(n) : NULL;
    ENSURE(b);
    memcpy(b, good, n);
    size_t rods_at = chunk_at(good, 0), sect = chunk_at(good, 1), frame1 = chunk_at(good, 3);
    const double rates[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
    {
        put_double(b, 40, rates[i]);
        ENSURE(refused(b, good, n, "frames per second"));
        put_double(b, sect + 64, rates[i]);  // half a size
        ENSURE(refused(b, good, n, "rod 0: section 0"));
    }
    put_double(b, sect + 64 + 5 * 32 + 16, -1);  // a radius
    ENSURE(refused(b, good, n, "rod 1: section 0"));
    put_double(b, sect + 64 + 5 * 32 + 24, NAN);  // an angle
    ENSURE(refused(b, good, n, "rod 1: section 0"));
    put_float(b, frame1 + 64 + 40, NAN);
    ENSURE(refused(b, good, n, "frame 1: a number"));
    put_float(b, frame1 + 64 + 44 * 4, -INFINITY);
    ENSURE(refused(b, good, n, "frame 1: a number"));
    memset(b + rods_at + 64, 'x', 64);
    ENSURE(refused(b, good, n, "does not end"));
    b[rods_at + 64 + 1] = 27;  // would speak to the terminal
    ENSURE(refused(b, good, n, "control characters"));
    b[rods_at + 64 + 64] = 127;
    ENSURE(refused(b, good, n, "control characters"));
    put_i32(b, rods_at + 64 + 132, 2);
    ENSURE(refused(b, good, n, "closed is 2"));
    memcpy(b + rods_at, "SDOR", 4);
    ENSURE(refused(b, good, n, "before its chunk RODS"));
    memcpy(b + sect, "TCES", 4);
    ENSURE(refused(b, good, n, "before its rods and sections"));
    memcpy(b + sect, "RODS", 4);
    ENSURE(refused(b, good, n, "two chunks RODS"));
    memcpy(b + frame1, "SECT", 4);
    ENSURE(refused(b, good, n, "twice"));
    free(good);
    free(b);
    return 0;
}

// bytes of all kinds under a right checksum: refused or read, nothing worse
static int random_damage_does_no_harm(void)
{
    size_t n;
    char *good = good_bytes(&n), *b = good ? malloc(n) : NULL;
    ENSURE(b);
    twRng rng = tw_rng(5);
    int read = 0;
    const int trials = 20000;
    for (int t = 0; t < trials; t++)
    {
        memcpy(b, good, n);
        for (int hits = 1 + (int)(tw_rng_next(&rng) % 3); hits > 0; hits--)
            b[tw_rng_next(&rng) % n] =
                (char)(tw_rng_next(&rng) % 4 ? tw_rng_next(&rng) : 255 * (tw_rng_next(&rng) % 2));
        sign(b, good);
        twTrace* trace;
        if (tw_trace_view(&trace, b, n, NULL) != TW_OK) continue;
        double sum = 0;
        for (int r = 0; r < trace->rod_count; r++)
            for (int i = 0; i < 3 * trace->rods[r].point_count; i++)
                sum += tw_trace_positions(trace, trace->frame_count - 1, r)[i];
        read += isfinite(sum);
        tw_trace_destroy(trace);
    }
    ENSURE(read > trials / 20 && read < trials);
    free(good);
    free(b);
    return 0;
}

// ---- writing that fails ----

static int an_aborted_trace_leaves_nothing(void)
{
    int before = files_in_folder();
    twTraceWriter* writer;
    twTraceDef def = two_rods();
    twRodView views[2];
    fill_views(views, 0);
    ENSURE(tw_trace_create(&writer, in_folder("gone.twtrace"), &def, NULL) == TW_OK);
    ENSURE(tw_trace_append(writer, views, NULL) == TW_OK);
    ENSURE(access(in_folder("gone.twtrace"), F_OK) != 0 && files_in_folder() == before + 1);
    tw_trace_abort(&writer);
    ENSURE(!writer && files_in_folder() == before);
    return 0;
}

static int a_full_disk_leaves_what_was_there(void)
{
    ENSURE(record(in_folder("full.twtrace"), 1) == TW_OK);
    int before = files_in_folder();
    struct rlimit old, tight;
    ENSURE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    tight = old;
    tight.rlim_cur = 20000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    twTraceWriter* writer;
    twTraceDef def = two_rods();
    twRodView views[2];
    twError err;
    twStatus appended = TW_OK, created = tw_trace_create(&writer, in_folder("full.twtrace"), &def, NULL);
    fill_views(views, 0);
    for (int i = 0; i < 1000 && created == TW_OK && appended == TW_OK; i++)
        appended = tw_trace_append(writer, views, &err);
    twStatus committed = created == TW_OK ? tw_trace_commit(&writer, NULL) : TW_OK;
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    ENSURE(created == TW_OK && appended == TW_IO_ERROR && committed == TW_IO_ERROR && !writer);
    ENSURE(strstr(err.text, "full.twtrace") && files_in_folder() == before);
    twTrace* trace;
    ENSURE(tw_trace_load(&trace, in_folder("full.twtrace"), NULL) == TW_OK && trace->frame_count == 1);
    tw_trace_destroy(trace);
    return 0;
}

static int what_cannot_be_recorded_is_refused_by_name(void)
{
    twError err;
    twTraceWriter* writer;
    const char* path = in_folder("bad.twtrace");
    char longest[80];
    memset(longest, 'x', sizeof longest);
    longest[64] = 0;
    const struct
    {
        double rate_hz;
        int count;
        const char *name, *text;
        int points, sections;
        bool closed;
        double half_size;
    } bad[] = {{0, 1, "a", "0 frames per second", 2, 1, false, 1},
               {NAN, 1, "a", "frames per second", 2, 1, false, 1},
               {1, -1, "a", "-1 rods", 2, 1, false, 1},
               {1, 1, "a", "rod 0: 1 points; it must be 2", 1, 1, false, 1},
               {1, 1, "a", "rod 0: 2 points; it must be 3", 2, 1, true, 1},
               {1, 1, "a", "rod 0: 2 sections", 3, 2, false, 1},
               {1, 1, "a", "rod 0: section 0 has half sizes 0 and", 2, 1, false, 0},
               {1, 1, longest, "longer than 63 bytes", 2, 1, false, 1},
               {1, 1, "a\nb", "control characters", 2, 1, false, 1}};
    int before = files_in_folder();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    {
        const twTraceSection section[2] = {{{bad[i].half_size, 1}, 0, 0}, {{1, 1}, 0, 0}};
        const twTraceRod rod = {bad[i].name, NULL, bad[i].points, bad[i].closed, bad[i].sections, section};
        const twTraceDef def = {bad[i].rate_hz, bad[i].count, &rod};
        ENSURE(tw_trace_create(&writer, path, &def, &err) == TW_BAD_INPUT && !writer);
        ENSURE(strstr(err.text, bad[i].text) && strstr(err.text, path));
    }
    longest[63] = 0;
    const twTraceRod good = {longest, NULL, 2, false, 1, &wire};
    const twTraceDef def = {1, 1, &good};
    ENSURE(tw_trace_create(&writer, path, &def, NULL) == TW_OK);
    tw_trace_abort(&writer);
    ENSURE(tw_trace_create(&writer, in_folder("no/where.twtrace"), &def, &err) == TW_IO_ERROR && !writer);
    ENSURE(strstr(err.text, "folder") && files_in_folder() == before);
    return 0;
}

static int frames_that_do_not_fit_are_refused_by_name(void)
{
    twError err;
    twTraceWriter* writer;
    twTraceDef def = two_rods();
    twRodView views[2];
    ENSURE(tw_trace_create(&writer, in_folder("bad.twtrace"), &def, NULL) == TW_OK);
    fill_views(views, 0);
    numbers[1][2][1] = NAN;
    ENSURE(tw_trace_append(writer, views, &err) == TW_BAD_INPUT &&
           strstr(err.text, "frame 0, rod 1: the place of point 1"));
    fill_views(views, 0);
    numbers[0][3][3] = 1e39;  // beyond floats
    ENSURE(tw_trace_append(writer, views, &err) == TW_BAD_INPUT && strstr(err.text, "frame 0, rod 0: d1 of edge 3"));
    fill_views(views, 0);
    views[1].edge_count = 2;
    ENSURE(tw_trace_append(writer, views, &err) == TW_BAD_INPUT && strstr(err.text, "the trace has 3 and 3"));
    tw_trace_abort(&writer);
    return 0;
}

// ---- the command ----

static char output[OUTPUT_MAX];

// @return exit code of twang info
static int info(const char* options, const char* path)
{
    char command[1600];
    snprintf(command, sizeof command, "%s/twang info %s '%s' 2>&1", TEST_BIN_DIR, options, path);
    FILE* pipe = popen(command, "r");
    if (!pipe) return -1;
    output[fread(output, 1, sizeof output - 1, pipe)] = 0;
    int code = pclose(pipe);
    return code < 0 ? code : code >> 8;
}

static int info_tells_what_is_in_a_trace(void)
{
    ENSURE(record(in_folder("shown.twtrace"), FRAMES) == TW_OK);
    ENSURE(info("", in_folder("shown.twtrace")) == 0);
    ENSURE(strstr(output, "trace, 4 frame(s) at 24 per second, 0.125 s"));
    ENSURE(strstr(output, "gong: 5 points, steel, section 0.004 x 0.002 m at its first point"));
    ENSURE(strstr(output, "seau: 3 points, closed, round, diameter 0.001 m"));
    ENSURE(info("--json", in_folder("shown.twtrace")) == 0);
    ENSURE(strstr(output, "\"frames\": 4") && strstr(output, "\"radius_m\": 0.0005"));

    // the first rod's largest move, by hand
    double farthest = 0;
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < POINTS; i++)
        {
            double square = 0;
            for (int k = 0; k < 3; k++) square += pow(value(f, 0, k, i) - value(0, 0, k, i), 2);
            farthest = fmax(farthest, sqrt(square));
        }
    const char* told = strstr(output, "\"moves_by_m\": ");
    ENSURE(told);
    ENSURE_NEAR(atof(told + 14), farthest, 1e-6);

    // by its first bytes, whatever its name
    ENSURE(rename(in_folder("shown.twtrace"), in_folder("shown.bin")) == 0);
    ENSURE(info("", in_folder("shown.bin")) == 0 && strstr(output, "trace, 4 frame(s)"));
    FILE* file = fopen(in_folder("text.twtrace"), "w");
    ENSURE(file && fputs("duration: 1\n", file) >= 0 && fclose(file) == 0);
    ENSURE(info("", in_folder("text.twtrace")) == 2 && strstr(output, "not a trace"));
    ENSURE(info("", in_folder("missing.twtrace")) == 2);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(what_is_recorded_comes_back)
    RUN(the_bytes_depend_on_the_contents_alone_and_are_aligned)
    RUN(no_frames_and_no_rods_are_fine)
    RUN(a_simulated_rod_is_recorded_as_it_moves)
    RUN(chunks_that_are_not_known_are_skipped)
    RUN(every_damaged_byte_is_noticed)
    RUN(a_file_cut_anywhere_is_refused)
    RUN(errors_name_file_and_trouble)
    RUN(wrong_counts_are_refused)
    RUN(wrong_values_are_refused)
    RUN(random_damage_does_no_harm)
    RUN(an_aborted_trace_leaves_nothing)
    RUN(a_full_disk_leaves_what_was_there)
    RUN(what_cannot_be_recorded_is_refused_by_name)
    RUN(frames_that_do_not_fit_are_refused_by_name)
    RUN(info_tells_what_is_in_a_trace)
)
