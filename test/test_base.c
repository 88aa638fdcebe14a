// SPDX-License-Identifier: MIT
// Tests of base. Random numbers against the generators' published outputs and the moments of their distributions;
// files against what the system says of them.
#define _XOPEN_SOURCE 700
#include "test.h"
#include "twang/base.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- status ----

static int fail_writes_status_and_text(void)
{
    twError err = {0};
    ENSURE(tw_fail(&err, TW_BAD_INPUT, "mode %d: %g Hz", 3, 2.5) == TW_BAD_INPUT);
    ENSURE(err.status == TW_BAD_INPUT);
    ENSURE_TEXT(err.text, "mode 3: 2.5 Hz");
    ENSURE(tw_fail(NULL, TW_IO_ERROR, "nobody listens") == TW_IO_ERROR);
    return 0;
}

static int fail_can_wrap_its_own_text(void)
{
    twError err = {0};
    tw_fail(&err, TW_IO_ERROR, "inner");
    tw_fail(&err, TW_IO_ERROR, "outer: %s", err.text);
    ENSURE_TEXT(err.text, "outer: inner");
    return 0;
}

static int long_error_text_is_cut_between_characters(void)
{
    // 1022 bytes and a two-byte character: only one of its bytes fits
    char long_text[1100];
    memset(long_text, 'x', 1022);
    memcpy(long_text + 1022, "\xC3\xA9 and more", 12);
    twError err = {0};
    tw_fail(&err, TW_BAD_INPUT, "%s", long_text);
    ENSURE(strlen(err.text) == 1022);
    ENSURE(err.text[1021] == 'x');

    // one byte less and the character is whole
    tw_fail(&err, TW_BAD_INPUT, "%s", long_text + 1);
    ENSURE(strlen(err.text) == 1023);
    ENSURE(memcmp(err.text + 1021, "\xC3\xA9", 2) == 0);
    return 0;
}

static int asserted_line;
static void note_assert(const char* condition, const char* file, int line)
{
    if (strcmp(condition, "1 > 2") == 0 && strstr(file, "test_base.c")) asserted_line = line;
}

static int assert_calls_the_handler_set(void)
{
    twAssertHandler before = tw_set_assert_handler(note_assert);
    asserted_line = 0;
    TW_ASSERT(2 > 1);
    int after_true = asserted_line;
    TW_ASSERT(1 > 2);
    int expected_line = __LINE__ - 1;
    ENSURE(tw_set_assert_handler(before) == note_assert);
    ENSURE(after_true == 0);
    ENSURE(asserted_line == expected_line);
    return 0;
}

static int version_is_that_of_the_header(void)
{
    int major, minor, patch;
    ENSURE_TEXT(tw_version(), TW_VERSION);
    ENSURE(sscanf(tw_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
    return 0;
}

static int clock_does_not_run_backwards(void)
{
    double last = tw_seconds();
    for (int i = 0; i < 1000; i++)
    {
        double now = tw_seconds();
        ENSURE(now >= last);
        last = now;
    }
    return 0;
}

// ---- arena ----

static int is_zero(const unsigned char* bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i]) return 0;
    return 1;
}

static int arena_memory_is_zeroed_and_aligned(void)
{
    twArena* arena = tw_arena_create(100);
    ENSURE(arena);
    size_t start = tw_arena_mark(arena);

    // twice over the same memory, dirty the second time, across several blocks
    for (int round = 0; round < 2; round++)
    {
        for (size_t size = 0; size < 3000; size += 37)
        {
            unsigned char* bytes = tw_arena_alloc(arena, size, 1);
            ENSURE(bytes && (uintptr_t)bytes % 64 == 0);
            ENSURE(is_zero(bytes, size));
            memset(bytes, 0xA5, size);
        }
        tw_arena_reset(arena, start);
    }
    tw_arena_destroy(arena);
    return 0;
}

static int arena_allocations_do_not_overlap(void)
{
    enum
    {
        COUNT = 200
    };
    twArena* arena = tw_arena_create(0);
    int* blocks[COUNT];
    for (int i = 0; i < COUNT; i++)
    {
        blocks[i] = tw_arena_alloc(arena, (size_t)i + 1, sizeof(int));
        ENSURE(blocks[i]);
        for (int k = 0; k <= i; k++) blocks[i][k] = i;
    }
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k <= i; k++) ENSURE(blocks[i][k] == i);
    tw_arena_destroy(arena);
    return 0;
}

static int arena_reset_returns_to_the_mark_and_keeps_what_is_before(void)
{
    twArena* arena = tw_arena_create(1024);
    char* kept = tw_arena_copy_text(arena, "kept");
    size_t mark = tw_arena_mark(arena);
    char* first = tw_arena_alloc(arena, 100, 1);
    for (int i = 0; i < 50; i++) ENSURE(tw_arena_alloc(arena, 1000, 1));
    tw_arena_reset(arena, mark);
    ENSURE(tw_arena_mark(arena) == mark);
    ENSURE(tw_arena_alloc(arena, 100, 1) == first);
    ENSURE_TEXT(kept, "kept");
    tw_arena_destroy(arena);
    return 0;
}

static int arena_mark_at_a_block_end_survives_a_jump(void)
{
    // fill the first block to its last byte, then mark, jump on and come back
    twArena* arena = tw_arena_create(1024);
    unsigned char* full = tw_arena_alloc(arena, 1024, 1);
    memset(full, 7, 1024);
    size_t mark = tw_arena_mark(arena);
    ENSURE(tw_arena_alloc(arena, 5000, 1));
    tw_arena_reset(arena, mark);
    unsigned char* other = tw_arena_alloc(arena, 64, 1);
    ENSURE(other && (other < full || other >= full + 1024));
    for (int i = 0; i < 1024; i++) ENSURE(full[i] == 7);
    tw_arena_destroy(arena);
    return 0;
}

static int arena_grows_past_a_kept_block_that_is_too_small(void)
{
    twArena* arena = tw_arena_create(1024);
    size_t mark = tw_arena_mark(arena);
    ENSURE(tw_arena_alloc(arena, 1500, 1));
    tw_arena_reset(arena, mark);
    unsigned char* big = tw_arena_alloc(arena, 100000, 1);
    ENSURE(big && is_zero(big, 100000));
    memset(big, 1, 100000);
    ENSURE(tw_arena_alloc(arena, 100000, 1));
    tw_arena_destroy(arena);
    return 0;
}

static int absurd_arena_requests_give_null(void)
{
    twArena* arena = tw_arena_create(1024);
    ENSURE(tw_arena_alloc(arena, SIZE_MAX / 8 + 2, 8) == NULL);
    ENSURE(tw_arena_alloc(arena, SIZE_MAX, 1) == NULL);
    ENSURE(tw_arena_alloc(arena, SIZE_MAX - 100, 1) == NULL);
    ENSURE(tw_arena_alloc(arena, 1, PTRDIFF_MAX) == NULL);

    // and leave the arena as it was
    ENSURE(tw_arena_alloc(arena, 10, 10));
    tw_arena_destroy(arena);
    tw_arena_destroy(NULL);
    ENSURE(tw_arena_create(SIZE_MAX) == NULL);
    ENSURE(tw_arena_create(SIZE_MAX - 64) == NULL);
    return 0;
}

// ---- random numbers ----

static int rng_is_the_published_xoshiro256pp(void)
{
    // the authors' code started from the state 1, 2, 3, 4
    static const uint64_t expected[] = {UINT64_C(41943041),
                                        UINT64_C(58720359),
                                        UINT64_C(3588806011781223),
                                        UINT64_C(3591011842654386),
                                        UINT64_C(9228616714210784205),
                                        UINT64_C(9973669472204895162),
                                        UINT64_C(14011001112246962877),
                                        UINT64_C(12406186145184390807),
                                        UINT64_C(15849039046786891736),
                                        UINT64_C(10450023813501588000)};
    twRng rng = {.s = {1, 2, 3, 4}};
    for (int i = 0; i < 10; i++) ENSURE(tw_rng_next(&rng) == expected[i]);
    return 0;
}

static int rng_seeds_by_the_published_splitmix64(void)
{
    twRng rng = tw_rng(1234567);
    ENSURE(rng.s[0] == UINT64_C(6457827717110365317));
    ENSURE(rng.s[1] == UINT64_C(3203168211198807973));
    ENSURE(rng.s[2] == UINT64_C(9817491932198370423));
    ENSURE(rng.s[3] == UINT64_C(4593380528125082431));
    twRng zero = tw_rng(0);
    ENSURE(zero.s[0] | zero.s[1] | zero.s[2] | zero.s[3]);
    return 0;
}

static int copied_rng_repeats_its_sequence(void)
{
    twRng a = tw_rng(5);
    tw_rng_normal(&a);
    twRng b = a;
    for (int i = 0; i < 100; i++) ENSURE(tw_rng_normal(&a) == tw_rng_normal(&b));
    twRng other = tw_rng(6);
    ENSURE(tw_rng_next(&a) != tw_rng_next(&other));
    return 0;
}

// Bounds of the next two tests are 5 standard deviations of the estimates.

static int uniform_numbers_have_the_moments_of_their_law(void)
{
    enum
    {
        N = 200000
    };
    twRng rng = tw_rng(1);
    double sum = 0, squares = 0, lagged = 0, last = 0.5;
    int bins[20] = {0};
    for (int i = 0; i < N; i++)
    {
        double u = tw_rng_uniform(&rng);
        ENSURE(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
        lagged += (u - 0.5) * (last - 0.5);
        last = u;
        bins[(int)(20 * u)]++;
    }
    ENSURE_NEAR(sum / N, 0.5, 5 * sqrt(1.0 / 12 / N));
    ENSURE_NEAR(squares / N, 1.0 / 3, 5 * sqrt(4.0 / 45 / N));
    ENSURE_NEAR(lagged / N, 0, 5 * (1.0 / 12) / sqrt(N));

    // chi-square with 19 degrees of freedom: mean 19, variance 38
    double chi2 = 0;
    for (int i = 0; i < 20; i++) chi2 += (bins[i] - N / 20.0) * (bins[i] - N / 20.0) / (N / 20.0);
    ENSURE_NEAR(chi2, 19, 5 * sqrt(38));
    return 0;
}

static int normal_numbers_have_the_moments_of_their_law(void)
{
    enum
    {
        N = 1000000
    };
    twRng rng = tw_rng(2);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    int beyond = 0;
    for (int i = 0; i < N; i++)
    {
        double x = tw_rng_normal(&rng);
        ENSURE(isfinite(x));
        m1 += x;
        m2 += x * x;
        m3 += x * x * x;
        m4 += x * x * x * x;
        beyond += fabs(x) > 2;
    }
    ENSURE_NEAR(m1 / N, 0, 5 * sqrt(1.0 / N));
    ENSURE_NEAR(m2 / N, 1, 5 * sqrt(2.0 / N));
    ENSURE_NEAR(m3 / N, 0, 5 * sqrt(15.0 / N));
    ENSURE_NEAR(m4 / N, 3, 5 * sqrt(96.0 / N));
    double tail = erfc(sqrt(2));
    ENSURE_NEAR((double)beyond / N, tail, 5 * sqrt(tail / N));
    return 0;
}

static int between_excludes_its_upper_end(void)
{
    twRng rng = tw_rng(3);

    // two neighbouring doubles: half of the sums round up to the excluded one
    double low = 1, high = nextafter(1, 2);
    for (int i = 0; i < 1000; i++) ENSURE(tw_rng_between(&rng, low, high) == low);
    for (int i = 0; i < 1000; i++)
    {
        double x = tw_rng_between(&rng, -3, 5);
        ENSURE(x >= -3 && x < 5);
    }
    ENSURE(tw_rng_between(&rng, 2, 2) == 2);
    return 0;
}

// ---- JSON ----

static char json_text[8192];

static FILE* json_open(void) { return fmemopen(json_text, sizeof json_text, "w"); }

static int json_nests_objects_and_arrays(void)
{
    FILE* stream = json_open();
    twJson json = tw_json(stream);
    tw_json_object(&json, NULL);
    tw_json_text(&json, "name", "bell");
    tw_json_integer(&json, "modes", 3);
    tw_json_bool(&json, "ok", true);
    tw_json_null(&json, "none");
    tw_json_text(&json, "missing", NULL);
    tw_json_numbers(&json, "freq_hz", (double[]){440, 1212.5}, 2);
    tw_json_numbers(&json, "empty", NULL, 0);
    tw_json_array(&json, "items");
    tw_json_object(&json, NULL);
    tw_json_end(&json);
    tw_json_array(&json, NULL);
    tw_json_number(&json, NULL, 0.5);
    tw_json_end(&json);
    tw_json_end(&json);
    tw_json_end(&json);
    fclose(stream);
    ENSURE_TEXT(json_text, "{\n  \"name\": \"bell\",\n  \"modes\": 3,\n  \"ok\": true,\n  \"none\": null,\n"
                           "  \"missing\": null,\n  \"freq_hz\": [440, 1212.5],\n  \"empty\": [],\n"
                           "  \"items\": [\n    {},\n    [\n      0.5\n    ]\n  ]\n}\n");
    return 0;
}

static const char* json_of_text(const char* text)
{
    FILE* stream = json_open();
    twJson json = tw_json(stream);
    tw_json_text(&json, NULL, text);
    fclose(stream);
    return json_text;
}

static int json_escapes_what_the_standard_asks(void)
{
    ENSURE_TEXT(json_of_text("a\"b\\c/\b\f\n\r\t\x01\x1f\x7f"), "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"\n");
    ENSURE_TEXT(json_of_text(""), "\"\"\n");

    // keys too
    FILE* stream = json_open();
    twJson json = tw_json(stream);
    tw_json_object(&json, NULL);
    tw_json_bool(&json, "a\nb", false);
    tw_json_end(&json);
    fclose(stream);
    ENSURE_TEXT(json_text, "{\n  \"a\\nb\": false\n}\n");
    return 0;
}

static int json_keeps_utf8_and_replaces_what_is_not(void)
{
    // the first and last characters of each length
    const char* good = "\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF \xF0\x90\x80\x80 "
                       "\xF4\x8F\xBF\xBF";
    char quoted[100];
    snprintf(quoted, sizeof quoted, "\"%s\"\n", good);
    ENSURE_TEXT(json_of_text(good), quoted);

    // stray continuation, overlong slash, surrogate, beyond U+10FFFF, impossible byte, cut at the end
#define BAD "\xEF\xBF\xBD"
    ENSURE_TEXT(json_of_text("\x80."), "\"" BAD ".\"\n");
    ENSURE_TEXT(json_of_text("\xC0\xAF."), "\"" BAD BAD ".\"\n");
    ENSURE_TEXT(json_of_text("\xE0\x9F\xBF."), "\"" BAD BAD BAD ".\"\n");
    ENSURE_TEXT(json_of_text("\xED\xA0\x80."), "\"" BAD BAD BAD ".\"\n");
    ENSURE_TEXT(json_of_text("\xF4\x90\x80\x80."), "\"" BAD BAD BAD BAD ".\"\n");
    ENSURE_TEXT(json_of_text("\xFF."), "\"" BAD ".\"\n");
    ENSURE_TEXT(json_of_text("\xE2\x82"), "\"" BAD BAD "\"\n");
    ENSURE_TEXT(json_of_text("\xF0\x9F\x92"), "\"" BAD BAD BAD "\"\n");
#undef BAD
    return 0;
}

static const char* json_of_number(double value)
{
    FILE* stream = json_open();
    twJson json = tw_json(stream);
    tw_json_number(&json, NULL, value);
    fclose(stream);
    json_text[strcspn(json_text, "\n")] = 0;
    return json_text;
}

static int json_numbers_are_short_and_round_trip(void)
{
    ENSURE_TEXT(json_of_number(0.1), "0.1");
    ENSURE_TEXT(json_of_number(44100), "44100");
    ENSURE_TEXT(json_of_number(-0.0), "-0");
    ENSURE_TEXT(json_of_number(1e300), "1e+300");
    ENSURE_TEXT(json_of_number(0.1 + 0.2), "0.30000000000000004");
    ENSURE(strtod(json_of_number(5e-324), NULL) == 5e-324);
    ENSURE(strtod(json_of_number(1.7976931348623157e308), NULL) == 1.7976931348623157e308);

    // any bit pattern that is a finite number
    twRng rng = tw_rng(4);
    for (int i = 0; i < 20000; i++)
    {
        uint64_t bits = tw_rng_next(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) ENSURE(strtod(json_of_number(value), NULL) == value);
    }
    return 0;
}

static int json_has_no_nan_or_infinity(void)
{
    ENSURE_TEXT(json_of_number(NAN), "null");
    ENSURE_TEXT(json_of_number(INFINITY), "null");
    ENSURE_TEXT(json_of_number(-INFINITY), "null");
    return 0;
}

static int json_integers_reach_both_limits(void)
{
    FILE* stream = json_open();
    twJson json = tw_json(stream);
    tw_json_array(&json, NULL);
    tw_json_integer(&json, NULL, INT64_MIN);
    tw_json_integer(&json, NULL, INT64_MAX);
    tw_json_end(&json);
    fclose(stream);
    ENSURE_TEXT(json_text, "[\n  -9223372036854775808,\n  9223372036854775807\n]\n");
    return 0;
}

static int assert_count;
static void count_assert(const char* condition, const char* file, int line)
{
    (void)condition, (void)file, (void)line;
    assert_count++;
}

static int json_misuse_asserts_and_stays_in_bounds(void)
{
    FILE* stream = json_open();
    twJson json = tw_json(stream);
    twAssertHandler before = tw_set_assert_handler(count_assert);
    assert_count = 0;

    // 63 levels are fine, the others are refused; then too many ends
    for (int i = 0; i < 63; i++) tw_json_array(&json, NULL);
    int after_63 = assert_count;
    for (int i = 0; i < 10; i++) tw_json_array(&json, NULL);
    int after_73 = assert_count;
    for (int i = 0; i < 63; i++) tw_json_end(&json);
    int after_ends = assert_count;
    tw_json_end(&json);
    int after_extra = assert_count;

    // a key in an array, none in an object, a second value at the top
    json = tw_json(stream);
    tw_json_array(&json, NULL);
    tw_json_bool(&json, "key", true);
    tw_json_object(&json, NULL);
    tw_json_bool(&json, NULL, true);
    tw_json_end(&json);
    tw_json_end(&json);
    tw_json_null(&json, NULL);
    tw_set_assert_handler(before);
    fclose(stream);
    ENSURE(after_63 == 0);
    ENSURE(after_73 == 10);
    ENSURE(after_ends == 10);
    ENSURE(after_extra == 11);
    ENSURE(assert_count == 14);
    return 0;
}

// ---- files ----

// a fresh folder for one test, removed by folder_remove(); paths inside by in()
static char folder[200];

static int folder_make(void)
{
    const char* base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/test_base.XXXXXX", base && *base && strlen(base) < 100 ? base : "/tmp");
    return mkdtemp(folder) != NULL;
}

static const char* in(const char* name)
{
    static char path[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

// number of entries, hidden ones too
static int entries(void)
{
    int count = 0;
    DIR* dir = opendir(folder);
    if (!dir) return -1;
    for (struct dirent* e = readdir(dir); e; e = readdir(dir))
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return count;
}

// remove the folder with all files and folders one level deep
static void folder_remove(void)
{
    DIR* dir = opendir(folder);
    if (!dir) return;
    for (struct dirent* e = readdir(dir); e; e = readdir(dir))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) remove(in(e->d_name));
    closedir(dir);
    rmdir(folder);
}

static int write_file(const char* path, const char* text)
{
    twFile* file;
    if (tw_file_create(&file, path, NULL) != TW_OK) return 0;
    fputs(text, tw_file_stream(file));
    return tw_file_commit(&file, NULL) == TW_OK && file == NULL;
}

static int holds(const char* path, const char* text)
{
    char* data;
    size_t bytes;
    if (tw_file_read(&data, &bytes, path, 1000, NULL) != TW_OK) return 0;
    int same = bytes == strlen(text) && strcmp(data, text) == 0;
    free(data);
    return same;
}

static int file_appears_only_at_commit(void)
{
    ENSURE(folder_make());
    twFile* file;
    twError err;
    ENSURE(tw_file_create(&file, in("a.txt"), &err) == TW_OK);
    fputs("hello", tw_file_stream(file));
    fflush(tw_file_stream(file));
    ENSURE(access(in("a.txt"), F_OK) != 0);
    ENSURE(strncmp(tw_file_temporary(file), folder, strlen(folder)) == 0);
    ENSURE(holds(tw_file_temporary(file), "hello"));
    ENSURE(tw_file_commit(&file, &err) == TW_OK);
    ENSURE(file == NULL);
    ENSURE(holds(in("a.txt"), "hello"));
    ENSURE(entries() == 1);
    folder_remove();
    return 0;
}

static int aborted_file_leaves_nothing(void)
{
    ENSURE(folder_make());
    ENSURE(write_file(in("a.txt"), "old"));
    twFile* file;
    ENSURE(tw_file_create(&file, in("a.txt"), NULL) == TW_OK);
    fputs("new", tw_file_stream(file));
    tw_file_abort(&file);
    ENSURE(file == NULL);
    tw_file_abort(&file);
    ENSURE(entries() == 1);
    ENSURE(holds(in("a.txt"), "old"));
    folder_remove();
    return 0;
}

static int commit_replaces_an_existing_file(void)
{
    ENSURE(folder_make());
    ENSURE(write_file(in("a.txt"), "old and longer"));
    ENSURE(write_file(in("a.txt"), "new"));
    ENSURE(holds(in("a.txt"), "new"));
    ENSURE(entries() == 1);
    folder_remove();
    return 0;
}

static int a_part_stays_and_can_be_gone_on_with(void)
{
    ENSURE(folder_make());
    twFile* file;
    twError err;
    ENSURE(tw_file_resume(&file, in("a.txt"), &err) == TW_BAD_INPUT && !file);
    ENSURE(strstr(err.text, "a.txt.part is not there"));
    ENSURE(tw_file_create_part(&file, in("a.txt"), NULL) == TW_OK && entries() == 1);
    fputs("one two", tw_file_stream(file));
    ENSURE(tw_file_sync(file, NULL) == TW_OK && holds(in("a.txt.part"), "one two"));
    tw_file_leave(&file);
    ENSURE(!file && access(in("a.txt"), F_OK) != 0);
    ENSURE(tw_file_resume(&file, in("a.txt"), NULL) == TW_OK);
    ENSURE(tw_file_cut(file, 8, &err) == TW_BAD_INPUT && strstr(err.text, "less than 8 bytes"));
    ENSURE(tw_file_cut(file, 4, NULL) == TW_OK);
    fputs("three", tw_file_stream(file));
    ENSURE(tw_file_commit(&file, NULL) == TW_OK && entries() == 1 && holds(in("a.txt"), "one three"));

    // a commit that fails leaves it; what is no part is left to nobody
    ENSURE(tw_file_create_part(&file, in("b.txt"), NULL) == TW_OK && mkdir(in("b.txt"), 0777) == 0);
    ENSURE(tw_file_commit(&file, NULL) == TW_IO_ERROR && access(in("b.txt.part"), F_OK) == 0);
    ENSURE(tw_file_create(&file, in("c.txt"), NULL) == TW_OK && entries() == 4);
    tw_file_leave(&file);
    ENSURE(entries() == 3);
    tw_file_leave(NULL);
    folder_remove();
    return 0;
}

static int file_written_by_name_is_committed_too(void)
{
    ENSURE(folder_make());
    twFile* file;
    ENSURE(tw_file_create(&file, in("a.txt"), NULL) == TW_OK);
    FILE* other = fopen(tw_file_temporary(file), "wb");
    ENSURE(other);
    fputs("by name", other);
    fclose(other);
    ENSURE(tw_file_commit(&file, NULL) == TW_OK);
    ENSURE(holds(in("a.txt"), "by name"));
    folder_remove();
    return 0;
}

static int two_writers_of_one_file_do_not_mix(void)
{
    ENSURE(folder_make());
    twFile *a, *b;
    ENSURE(tw_file_create(&a, in("a.txt"), NULL) == TW_OK);
    ENSURE(tw_file_create(&b, in("a.txt"), NULL) == TW_OK);
    fputs("first", tw_file_stream(a));
    fputs("second", tw_file_stream(b));
    ENSURE(tw_file_commit(&b, NULL) == TW_OK);
    ENSURE(holds(in("a.txt"), "second"));
    ENSURE(tw_file_commit(&a, NULL) == TW_OK);
    ENSURE(holds(in("a.txt"), "first"));
    ENSURE(entries() == 1);
    folder_remove();
    return 0;
}

static int permissions_follow_the_umask(void)
{
    ENSURE(folder_make());
    struct stat info;
    mode_t before = umask(027);
    int written = write_file(in("a.txt"), "x");
    umask(022);
    written += write_file(in("b.txt"), "x");
    umask(before);
    ENSURE(written == 2);
    ENSURE(stat(in("a.txt"), &info) == 0 && (info.st_mode & 0777) == 0640);
    ENSURE(stat(in("b.txt"), &info) == 0 && (info.st_mode & 0777) == 0644);
    folder_remove();
    return 0;
}

static int link_is_kept_and_its_target_replaced(void)
{
    ENSURE(folder_make());
    struct stat info;
    ENSURE(write_file(in("target.txt"), "old"));
    ENSURE(symlink("target.txt", in("link.txt")) == 0);
    ENSURE(write_file(in("link.txt"), "new"));
    ENSURE(lstat(in("link.txt"), &info) == 0 && S_ISLNK(info.st_mode));
    ENSURE(holds(in("target.txt"), "new"));
    ENSURE(entries() == 2);
    folder_remove();
    return 0;
}

static int file_with_the_longest_name_can_be_written(void)
{
    ENSURE(folder_make());
    char name[256];
    memset(name, 'n', 255);
    name[255] = 0;
    ENSURE(write_file(in(name), "x"));
    ENSURE(holds(in(name), "x"));
    folder_remove();
    return 0;
}

static int check_says_whether_a_file_could_be_written(void)
{
    ENSURE(folder_make());
    twError err;
    ENSURE(tw_file_check(in("a.txt"), &err) == TW_OK && entries() == 0);
    ENSURE(write_file(in("a.txt"), "old"));
    ENSURE(tw_file_check(in("a.txt"), &err) == TW_OK && entries() == 1 && holds(in("a.txt"), "old"));
    ENSURE(tw_file_check(in("no/a.txt"), &err) == TW_IO_ERROR && strstr(err.text, "mkdir -p"));
    ENSURE(tw_file_check(folder, NULL) == TW_IO_ERROR && entries() == 1);
    folder_remove();
    return 0;
}

static int create_refuses_with_path_and_reason(void)
{
    ENSURE(folder_make());
    twFile* file;
    twError err;
    const char* lost = in("no/such/a.wav");
    ENSURE(tw_file_create(&file, lost, &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, lost) && strstr(err.text, "folder does not exist"));
    ENSURE(tw_file_create(&file, folder, &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, folder) && strstr(err.text, "it is a folder"));
    ENSURE(tw_file_create(&file, "/dev/null", &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, "not a regular file"));
    ENSURE(tw_file_create(&file, "", &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, "empty"));
    ENSURE(tw_file_create(&file, in("a/"), NULL) == TW_IO_ERROR && file == NULL);

    // a file in place of a folder
    ENSURE(write_file(in("f"), "x"));
    ENSURE(tw_file_create(&file, in("f/a.wav"), &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, "Not a directory"));
    ENSURE(entries() == 1);
    folder_remove();
    return 0;
}

static int commit_fails_if_the_folder_is_gone(void)
{
    ENSURE(folder_make());
    twFile* file;
    twError err = {0};
    ENSURE(tw_make_folder(in("sub"), NULL) == TW_OK);
    ENSURE(tw_file_create(&file, in("sub/a.txt"), NULL) == TW_OK);
    ENSURE(unlink(tw_file_temporary(file)) == 0);
    ENSURE(rmdir(in("sub")) == 0);
    ENSURE(tw_file_commit(&file, &err) == TW_IO_ERROR);
    ENSURE(file == NULL);
    ENSURE(strstr(err.text, "sub/a.txt") && strstr(err.text, "No such file"));
    ENSURE(entries() == 0);
    folder_remove();
    return 0;
}

static int commit_reports_a_write_that_failed(void)
{
    // reading from a stream open for writing sets its error flag, as a full disk would
    ENSURE(folder_make());
    twFile* file;
    twError err = {0};
    ENSURE(tw_file_create(&file, in("a.txt"), NULL) == TW_OK);
    ENSURE(fgetc(tw_file_stream(file)) == EOF && ferror(tw_file_stream(file)));
    ENSURE(tw_file_commit(&file, &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, "a.txt"));
    ENSURE(entries() == 0);
    folder_remove();
    return 0;
}

static int read_returns_every_byte_up_to_the_limit(void)
{
    ENSURE(folder_make());
    twFile* file;
    ENSURE(tw_file_create(&file, in("a.bin"), NULL) == TW_OK);
    fwrite("a\0b\nc", 1, 5, tw_file_stream(file));
    ENSURE(tw_file_commit(&file, NULL) == TW_OK);

    char* data;
    size_t bytes;
    ENSURE(tw_file_read(&data, &bytes, in("a.bin"), 5, NULL) == TW_OK);
    int same = bytes == 5 && memcmp(data, "a\0b\nc", 6) == 0;
    free(data);
    ENSURE(same);

    twError err;
    ENSURE(tw_file_read(&data, &bytes, in("a.bin"), 4, &err) == TW_BAD_INPUT && data == NULL && bytes == 0);
    ENSURE(strstr(err.text, "a.bin") && strstr(err.text, "more than 4 bytes"));
    ENSURE(tw_file_read(&data, NULL, in("a.bin"), SIZE_MAX, NULL) == TW_OK);
    free(data);
    folder_remove();
    return 0;
}

static int read_of_an_empty_file_is_an_empty_text(void)
{
    ENSURE(folder_make());
    ENSURE(write_file(in("empty"), ""));
    char* data;
    size_t bytes = 9;
    ENSURE(tw_file_read(&data, &bytes, in("empty"), 0, NULL) == TW_OK);
    int empty = bytes == 0 && data[0] == 0;
    free(data);
    ENSURE(empty);
    folder_remove();
    return 0;
}

static int read_stops_on_an_endless_device(void)
{
    char* data;
    twError err;
    ENSURE(tw_file_read(&data, NULL, "/dev/zero", 300000, &err) == TW_BAD_INPUT && data == NULL);
    ENSURE(strstr(err.text, "more than 300000 bytes"));
    return 0;
}

static int read_refuses_with_path_and_reason(void)
{
    ENSURE(folder_make());
    char* data;
    twError err;
    ENSURE(tw_file_read(&data, NULL, in("missing.yaml"), 100, &err) == TW_BAD_INPUT && data == NULL);
    ENSURE(strstr(err.text, in("missing.yaml")) && strstr(err.text, "No such file"));
    ENSURE(tw_file_read(&data, NULL, folder, 100, &err) == TW_BAD_INPUT && data == NULL);
    ENSURE(strstr(err.text, folder) && strstr(err.text, "folder"));
    folder_remove();
    return 0;
}

static int make_folder_makes_parents_and_accepts_what_is_there(void)
{
    ENSURE(folder_make());
    struct stat info;
    ENSURE(tw_make_folder(in("a/b//c/"), NULL) == TW_OK);
    ENSURE(stat(in("a/b/c"), &info) == 0 && S_ISDIR(info.st_mode));
    ENSURE(tw_make_folder(in("a/b/c"), NULL) == TW_OK);
    ENSURE(tw_make_folder("/", NULL) == TW_OK);
    ENSURE(tw_make_folder(".", NULL) == TW_OK);
    rmdir(in("a/b/c"));
    rmdir(in("a/b"));
    folder_remove();
    return 0;
}

static int make_folder_names_what_is_in_the_way(void)
{
    ENSURE(folder_make());
    twError err;
    ENSURE(write_file(in("f"), "x"));
    ENSURE(tw_make_folder(in("f/sub"), &err) == TW_IO_ERROR);
    ENSURE(strstr(err.text, in("f/sub")) && strstr(err.text, "/f exists and is not a folder"));
    ENSURE(tw_make_folder(in("f"), &err) == TW_IO_ERROR);
    ENSURE(tw_make_folder("", &err) == TW_BAD_INPUT);
    folder_remove();
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(fail_writes_status_and_text)
    RUN(fail_can_wrap_its_own_text)
    RUN(long_error_text_is_cut_between_characters)
    RUN(assert_calls_the_handler_set)
    RUN(version_is_that_of_the_header)
    RUN(clock_does_not_run_backwards)
    RUN(arena_memory_is_zeroed_and_aligned)
    RUN(arena_allocations_do_not_overlap)
    RUN(arena_reset_returns_to_the_mark_and_keeps_what_is_before)
    RUN(arena_mark_at_a_block_end_survives_a_jump)
    RUN(arena_grows_past_a_kept_block_that_is_too_small)
    RUN(absurd_arena_requests_give_null)
    RUN(rng_is_the_published_xoshiro256pp)
    RUN(rng_seeds_by_the_published_splitmix64)
    RUN(copied_rng_repeats_its_sequence)
    RUN(uniform_numbers_have_the_moments_of_their_law)
    RUN(normal_numbers_have_the_moments_of_their_law)
    RUN(between_excludes_its_upper_end)
    RUN(json_nests_objects_and_arrays)
    RUN(json_escapes_what_the_standard_asks)
    RUN(json_keeps_utf8_and_replaces_what_is_not)
    RUN(json_numbers_are_short_and_round_trip)
    RUN(json_has_no_nan_or_infinity)
    RUN(json_integers_reach_both_limits)
    RUN(json_misuse_asserts_and_stays_in_bounds)
    RUN(file_appears_only_at_commit)
    RUN(aborted_file_leaves_nothing)
    RUN(commit_replaces_an_existing_file)
    RUN(a_part_stays_and_can_be_gone_on_with)
    RUN(file_written_by_name_is_committed_too)
    RUN(two_writers_of_one_file_do_not_mix)
    RUN(permissions_follow_the_umask)
    RUN(link_is_kept_and_its_target_replaced)
    RUN(file_with_the_longest_name_can_be_written)
    RUN(check_says_whether_a_file_could_be_written)
    RUN(create_refuses_with_path_and_reason)
    RUN(commit_fails_if_the_folder_is_gone)
    RUN(commit_reports_a_write_that_failed)
    RUN(read_returns_every_byte_up_to_the_limit)
    RUN(read_of_an_empty_file_is_an_empty_text)
    RUN(read_stops_on_an_endless_device)
    RUN(read_refuses_with_path_and_reason)
    RUN(make_folder_makes_parents_and_accepts_what_is_there)
    RUN(make_folder_names_what_is_in_the_way)
)
