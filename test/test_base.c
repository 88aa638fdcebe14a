// SPDX-License-Identifier: MIT
// Tests of base. Random numbers against the generators' published outputs and the moments of their distributions.
#define _XOPEN_SOURCE 700
#include "test.h"
#include "twang/base.h"
#include <math.h>
#include <stdlib.h>

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

// ---- spelling ----

static int near_misses_find_the_name_that_was_meant(void)
{
    static const char* const names[] = {"modes", "mass", "steel", "glass", "frequency", NULL};
    // by hand: one letter less, swapped, more, other, in capitals; the start of a long name
    static const char* const pairs[][2] = {{"mas", "mass"},    {"amss", "mass"},      {"steeel", "steel"},
                                           {"glas", "glass"},  {"glaas", "glass"},    {"GLASS", "glass"},
                                           {"stele", "steel"}, {"freq", "frequency"}, {"Modes", "modes"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    {
        const char* near = tw_nearest_name(pairs[i][0], names, -1);
        ENSURE(near && strcmp(near, pairs[i][1]) == 0);
        ENSURE(tw_nearest_name(pairs[i][0], names, 5) == near);
    }
    // nothing is near; one letter is like any other; words and names without end
    char endless[5000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    const char* const long_names[] = {endless, "aaa"};
    ENSURE(!tw_nearest_name("x", (const char* const[]){"y", "mass"}, 2));
    ENSURE(!tw_nearest_name("", names, -1) && !tw_nearest_name("wood", names, -1) &&
           !tw_nearest_name("mass", names, 0));
    ENSURE(!tw_nearest_name(endless, long_names, 2) && tw_nearest_name("aab", long_names, 2) == long_names[1]);
    return 0;
}

static int decimal_commas_are_told_from_lists(void)
{
    static const char* const right[][2] = {{"0,5", "0.5"},        {"-12,25", "-12.25"},       {"+1,5e-3", "+1.5e-3"},
                                           {"0,125", "0.125"},    {"7,850", "7.850 or 7850"}, {"1,000E+2", "1.000E+2"},
                                           {"12,3456", "12.3456"}};
    static const char* const wrong[] = {"",    ",",    "5",     "0.5",  ",5",    "5,",    "1,2,3",
                                        "1,x", "1,5e", "1,5e+", "1,5 ", "--1,5", "1.5,2", "1,5m"};
    char out[64];
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
    {
        ENSURE(tw_decimal_comma(out, sizeof out, right[i][0], strlen(right[i][0])));
        ENSURE(strcmp(out, right[i][1]) == 0);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ENSURE(!tw_decimal_comma(out, sizeof out, wrong[i], strlen(wrong[i])));
    // only so much of the text, and only so much room
    ENSURE(tw_decimal_comma(out, sizeof out, "0,5x0,3", 3) && strcmp(out, "0.5") == 0);
    ENSURE(tw_decimal_comma(out, 4, "7,850", 5) && strcmp(out, "7.8") == 0);
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
    RUN(near_misses_find_the_name_that_was_meant)
    RUN(decimal_commas_are_told_from_lists)
)
