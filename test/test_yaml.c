// SPDX-License-Identifier: MIT
// The strict YAML layer: values, places, messages, and input meant to harm.
#define _XOPEN_SOURCE 700
#include "test.h"

#include "scene/yaml.h"

#include <locale.h>
#include <stdlib.h>

static twError error;

static twYaml* parse(const char* text)
{
    twYaml* doc;
    error = (twError){0};
    return yaml_parse(&doc, "a.yaml", text, strlen(text), &error) == TW_OK ? doc : NULL;
}

// whether parsing fails with this message
static bool refuses(const char* text, size_t bytes, const char* message)
{
    twYaml* doc;
    error = (twError){0};
    twStatus status = yaml_parse(&doc, "a.yaml", text, bytes, &error);
    bool right = status == TW_BAD_INPUT && doc == NULL && strstr(error.text, message);
    if (!right) printf("got: %s\n", error.text);
    yaml_destroy(doc);
    return right;
}

static bool refuses_text(const char* text, const char* message) { return refuses(text, strlen(text), message); }

static const char* const shapes[] = {"bowl", "plate", "bar", NULL};

// read one key in some way and give the message it leads to
typedef void (*Read)(const twNode* map);

static const char* message_of(const char* text, Read read)
{
    twYaml* doc = parse(text);
    if (!doc) return error.text;
    read(doc->root);
    yaml_status(doc, &error);
    yaml_destroy(doc);
    return error.text;
}

static void read_mass(const twNode* map) { yaml_number(map, "mass", yaml_positive("kg"), 1); }
static void need_mass(const twNode* map) { yaml_need_number(yaml_map(map, "ball"), "mass", yaml_positive("kg")); }
static void read_share(const twNode* map) { yaml_number(map, "mass", yaml_between(0, 1, NULL), 1); }
static void read_count(const twNode* map) { yaml_integer(map, "mass", 1, 9, 1); }
static void read_flag(const twNode* map) { yaml_bool(map, "mass", true); }
static void read_shape(const twNode* map) { yaml_choice(map, "mass", shapes, 0); }
static void read_list(const twNode* map) { yaml_numbers(map, "mass", yaml_positive("Hz"), 2, 3, NULL); }
static void read_text(const twNode* map) { yaml_text(map, "mass", ""); }
static void check_keys(const twNode* map) { yaml_keys(map, "mass", "stiffness"); }

// ---- values ----

static int values_of_all_types_are_read_in_order(void)
{
    twYaml* doc =
        parse("mass: 2.5e-3\ncount: -7\nflag: false\nname: \"a \\u00e9 'b'\"\nshape: bar\nmodes: [1, 2.5,\n  +3e2]\n"
              "ball:\n  - {r: 1}\n  - r: .5\n");
    ENSURE(doc != NULL);
    const twNode* root = doc->root;
    ENSURE(yaml_number(root, "mass", yaml_positive("kg"), 1) == 2.5e-3);
    ENSURE(yaml_integer(root, "count", -10, 10, 0) == -7);
    ENSURE(!yaml_bool(root, "flag", true));
    ENSURE_TEXT(yaml_text(root, "name", ""), "a \xc3\xa9 'b'");
    ENSURE(yaml_choice(root, "shape", shapes, 0) == 2);
    int count;
    const double* modes = yaml_need_numbers(root, "modes", yaml_positive("Hz"), 1, 10, &count);
    ENSURE(count == 3 && modes[0] == 1 && modes[1] == 2.5 && modes[2] == 300);
    double radius[2] = {0, 0};
    YAML_EACH(ball, yaml_list(root, "ball")) radius[ball->index] = yaml_need_number(ball, "r", yaml_any("m"));
    ENSURE(radius[0] == 1 && radius[1] == 0.5);
    ENSURE(yaml_status(doc, NULL) == TW_OK);
    yaml_destroy(doc);
    return 0;
}

static int brackets_may_close_where_people_close_them(void)
{
    twYaml* doc = parse("a: [\n  1, 2\n]\nb: {\n  c: 3\n}\n");
    ENSURE(doc != NULL);
    ENSURE(yaml_list(doc->root, "a")->count == 2 && yaml_number(yaml_map(doc->root, "b"), "c", yaml_any(NULL), 0) == 3);
    yaml_destroy(doc);
    return 0;
}

static int absent_values_take_their_fallback(void)
{
    twYaml* doc = parse("a: 1\n");
    const twNode* root = doc->root;
    ENSURE(yaml_number(root, "x", yaml_positive(NULL), -5) == -5);
    ENSURE(yaml_number(yaml_map(root, "nothing"), "x", yaml_any(NULL), 4) == 4);
    ENSURE(yaml_integer(root, "x", 1, 2, 99) == 99);
    ENSURE(yaml_bool(root, "x", true) && yaml_choice(root, "x", shapes, -1) == -1 &&
           yaml_text(root, "x", NULL) == NULL);
    int count = 5;
    ENSURE(yaml_numbers(root, "x", yaml_any(NULL), 1, 2, &count) == NULL && count == 0);
    ENSURE(yaml_has(root, "a") && !yaml_has(root, "x"));
    ENSURE(yaml_ok(doc));
    yaml_destroy(doc);
    return 0;
}

static int only_decimal_numbers_are_numbers(void)
{
    static const char* const good[] = {
        "1", "-1", "+1.5", "1.", ".5", "1e3", "1E-3", "0", "0.0", "-0.5e+2", "123456789012345678901"};
    static const char* const bad[] = {"1,5",   "1_000", "0x1p3", "0x10", "0o7",  "010", "00",   "1e",  "e5",   ".",
                                      "+",     "--1",   "1.2.3", "nan",  ".nan", "inf", ".inf", "-",   "1 kg", "1kg",
                                      "\"1\"", "true",  "1e999", "~",    "1d3",  "1f",  "1-2",  "1 2", "|\n 1"};
    char text[64];
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
    {
        snprintf(text, sizeof text, "mass: %s\n", good[k]);
        twYaml* doc = parse(text);
        ENSURE(doc != NULL);
        ENSURE(yaml_need_number(doc->root, "mass", yaml_any(NULL)) == strtod(good[k], NULL));
        ENSURE(yaml_ok(doc));
        yaml_destroy(doc);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    {
        snprintf(text, sizeof text, "mass: %s\n", bad[k]);
        twYaml* doc = parse(text);
        if (!doc) continue;
        yaml_need_number(doc->root, "mass", yaml_any(NULL));
        if (yaml_ok(doc)) printf("accepted: %s\n", bad[k]);
        ENSURE(!yaml_ok(doc));
        yaml_destroy(doc);
    }
    return 0;
}

static int a_decimal_comma_locale_changes_nothing(void)
{
    // where no such locale is installed the test still checks the plain one
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "sv_SE.UTF-8"};
    for (size_t k = 0; k < sizeof names / sizeof *names && !setlocale(LC_NUMERIC, names[k]); k++)
    {
    }
    twYaml* doc = parse("mass: 1.5\n");
    double mass = yaml_need_number(doc->root, "mass", yaml_any(NULL));
    yaml_destroy(doc);
    setlocale(LC_NUMERIC, "C");
    ENSURE(mass == 1.5);
    return 0;
}

static int ranges_keep_their_ends(void)
{
    twYaml* doc = parse("zero: 0\none: 1\n");
    const twNode* root = doc->root;
    ENSURE(yaml_number(root, "zero", yaml_not_negative(NULL), 9) == 0);
    ENSURE(yaml_number(root, "one", yaml_between(0, 1, NULL), 9) == 1);
    ENSURE(yaml_ok(doc));
    ENSURE(yaml_number(root, "zero", yaml_positive(NULL), 9) == 9);
    ENSURE(!yaml_ok(doc));
    yaml_destroy(doc);
    return 0;
}

static int values_after_an_error_are_inside_their_ranges(void)
{
    twYaml* doc = parse("a: wrong\n");
    double a = yaml_need_number(doc->root, "a", yaml_between(3, 5, NULL));
    ENSURE(a >= 3 && a <= 5);
    int64_t n = yaml_need_integer(doc->root, "n", 7, 9);
    ENSURE(n >= 7 && n <= 9);
    ENSURE(yaml_need_choice(doc->root, "c", shapes) == 0);
    ENSURE_TEXT(yaml_need_text(doc->root, "t"), "");
    ENSURE(yaml_need_list(doc->root, "l") == NULL);
    yaml_destroy(doc);
    return 0;
}

// ---- messages ----

static int a_wrong_number_is_shown_with_place_cure_and_caret(void)
{
    ENSURE_TEXT(message_of("# bar\nball:\nmass:   7800kg # steel\n", read_mass),
                "a.yaml:3:9: 'mass' must be a positive number, not '7800kg'; write it without a unit, in kg\n"
                "   3 | mass:   7800kg # steel\n"
                "     |         ^~~~~~");
    return 0;
}

static int carets_count_characters_not_bytes(void)
{
    ENSURE_TEXT(message_of("{\xc3\xa4\xe2\x82\xac: 1, mass: -1}\n", read_mass),
                "a.yaml:1:15: 'mass' must be a positive number in kg, not '-1'\n"
                "   1 | {\xc3\xa4\xe2\x82\xac: 1, mass: -1}\n"
                "     |               ^~");
    return 0;
}

static int every_kind_of_error_names_its_cure(void)
{
    ENSURE(strstr(message_of("mass: 7,8", read_mass), "not '7,8'; decimal comma: write 7.8"));
    ENSURE(strstr(message_of("mass: 0x1F", read_mass), "write it in decimal"));
    ENSURE(strstr(message_of("mass: 012", read_mass), "without leading zeros"));
    ENSURE(strstr(message_of("mass: 1_000", read_mass), "without underscores"));
    ENSURE(strstr(message_of("mass: '7'", read_mass), "not the text \"7\"; remove the quotes"));
    ENSURE(strstr(message_of("mass:", read_mass), "'mass' is empty; it must be a positive number in kg"));
    ENSURE(strstr(message_of("mass: {a: 1}", read_mass), "not a map"));
    ENSURE(strstr(message_of("mass: 1.5", read_share), "must be a number from 0 to 1, not '1.5'"));
    ENSURE(strstr(message_of("mass: 1.5", read_count), "must be a whole number from 1 to 9, not '1.5'"));
    ENSURE(strstr(message_of("mass: 99999999999999999999", read_count), "must be a whole number from 1 to 9"));
    ENSURE(strstr(message_of("mass: yes", read_flag), "must be true or false, not 'yes'"));
    ENSURE(strstr(message_of("mass: bowel", read_shape),
                  "must be one of bowl, plate, bar, not 'bowel'; did you mean 'bowl'?"));
    ENSURE(strstr(message_of("mass: [1, 2, 3x]", read_list), "a.yaml:1:14: item 3 of 'mass' must be"));
    ENSURE(strstr(message_of("mass: [1]", read_list), "'mass' must have 2 to 3 numbers, not 1"));
    ENSURE(strstr(message_of("mass: 1", read_list), "must be a list of numbers, not '1'; write [a, b, ...]"));
    ENSURE(strstr(message_of("mass: [a]", read_text), "must be a text, not a list"));
    ENSURE(strstr(message_of("ball:\n  r: 1", need_mass),
                  "a.yaml:1:1: 'ball' lacks 'mass'; add mass: followed by a positive number in kg"));
    ENSURE(strstr(message_of("ball: 3", need_mass), "'ball' must be a map of 'key: value' lines, not '3'"));
    return 0;
}

static int unknown_keys_suggest_the_nearest(void)
{
    ENSURE_TEXT(message_of("mass: 1\n  \nstifness: 3\n", check_keys),
                "a.yaml:3:1: unknown key 'stifness'; did you mean 'stiffness'? Allowed: mass, stiffness\n"
                "   3 | stifness: 3\n"
                "     | ^~~~~~~~");
    ENSURE(strstr(message_of("colour: 3\n", check_keys), "unknown key 'colour'; allowed: mass, stiffness"));
    return 0;
}

static int the_first_error_stays(void)
{
    twYaml* doc = parse("a: x\nb: y\n");
    yaml_number(doc->root, "b", yaml_any(NULL), 0);
    yaml_number(doc->root, "a", yaml_any(NULL), 0);
    yaml_fail(doc->root, "later");
    ENSURE(yaml_status(doc, &error) == TW_BAD_INPUT);
    ENSURE(strncmp(error.text, "a.yaml:2:4:", 11) == 0);
    yaml_destroy(doc);
    return 0;
}

static int semantic_errors_point_at_value_or_key(void)
{
    twYaml* doc = parse("ball:\n  freq: 30000\n");
    yaml_fail(yaml_get(yaml_map(doc->root, "ball"), "freq"), "above %d Hz", 24000);
    yaml_status(doc, &error);
    ENSURE_TEXT(error.text, "a.yaml:2:9: above 24000 Hz\n   2 |   freq: 30000\n     |         ^~~~~");
    yaml_destroy(doc);
    doc = parse("ball:\n  freq: 30000\n");
    yaml_fail(yaml_get(doc->root, "ball"), "unused");
    yaml_status(doc, &error);
    ENSURE(strncmp(error.text, "a.yaml:1:1: unused", 18) == 0);
    yaml_destroy(doc);
    return 0;
}

static int messages_about_long_lines_fit_and_stay_utf8(void)
{
    enum
    {
        SIZE = 20000
    };
    char* text = malloc(SIZE);
    // key, then thousands of two-byte letters as the value
    size_t n = (size_t)snprintf(text, SIZE, "mass: ");
    while (n + 2 < SIZE) memcpy(text + n, "\xc3\xa9", 2), n += 2;
    text[n] = 0;
    const char* message = message_of(text, read_mass);
    size_t length = strlen(message);
    ENSURE(length > 100 && length < sizeof error.text - 1);
    for (size_t i = 0; i < length;)
    {
        int step = yaml_character(message + i, length - i);
        ENSURE(step > 0);
        i += (size_t)step;
    }
    ENSURE(strstr(message, "\n     |       ^"));
    free(text);
    return 0;
}

// ---- documents that are refused ----

static int yaml_beyond_plain_trees_is_refused(void)
{
    ENSURE(refuses_text("", "the file is empty"));
    ENSURE(refuses_text("# only a comment\n\n", "the file is empty"));
    ENSURE(refuses_text("---\n...\n", "the file is empty"));
    ENSURE(refuses_text("- 1\n- 2\n", "not of a list"));
    ENSURE(refuses_text("hello\n", "not of a single value"));
    ENSURE(refuses_text("a: &x 1\nb: *x\n", "a.yaml:1:5: anchors and aliases"));
    ENSURE(refuses_text("b: *x\n", "anchors and aliases"));
    ENSURE(refuses_text("<<: {a: 1}\n", "merge keys"));
    ENSURE(refuses_text("a: !!int 3\n", "tags"));
    ENSURE(refuses_text("a: 1\n---\nb: 2\n", "a.yaml:2:1: a second document"));
    ENSURE(refuses_text("? [a, b]\n: 1\n", "a key must be text, not a list"));
    ENSURE(refuses_text(": 1\n", "a key is missing"));
    ENSURE(refuses_text("a: 1\nb: 2\na: 3\n", "a.yaml:3:1: 'a' appears twice; the first is in line 1"));
    ENSURE(refuses_text("x: {a: 1, b: 2, a: 3}\n", "a.yaml:1:17: 'a' appears twice"));
    ENSURE(refuses_text("a:\n\tb: 1\n", "a.yaml:2:1: a tab in the indentation; use spaces"));
    ENSURE(refuses_text("a: [1, 2\n", "not valid YAML"));
    ENSURE(refuses_text("a: \"x\n", "not valid YAML"));
    ENSURE(refuses_text("a: \"\\0\"\n", "NUL character"));
    return 0;
}

static int bytes_that_are_no_text_are_refused(void)
{
    ENSURE(refuses("a: 1\nb: \0\n", 10, "a.yaml:2:4: a NUL byte"));
    ENSURE(refuses_text("a: \xff\n", "a.yaml:1:4: byte 0xff is not UTF-8"));
    ENSURE(refuses_text("a: \xc0\xaf\n", "not UTF-8"));
    ENSURE(refuses_text("a: \xed\xa0\x80\n", "not UTF-8"));
    ENSURE(refuses_text("a: \xe2\x82", "not UTF-8"));
    ENSURE(refuses_text("a: \x1b[31m\n", "control character 0x1b"));
    ENSURE(refuses("\xff\xfe"
                   "a\0:\0",
                   6, "not UTF-8"));
    return 0;
}

static int windows_files_are_read_like_others(void)
{
    twYaml* doc = parse("\xef\xbb\xbf"
                        "a: 1\r\nmass: x\r\n");
    ENSURE(doc != NULL);
    read_mass(doc->root);
    yaml_status(doc, &error);
    ENSURE_TEXT(error.text,
                "a.yaml:2:7: 'mass' must be a positive number in kg, not 'x'\n   2 | mass: x\n     |       ^");
    yaml_destroy(doc);
    return 0;
}

static int missing_files_and_folders_are_reported(void)
{
    twYaml* doc;
    ENSURE(yaml_load(&doc, "test/data/there_is_no_such.yaml", &error) != TW_OK && doc == NULL);
    ENSURE(strstr(error.text, "there_is_no_such.yaml"));
    ENSURE(yaml_load(&doc, "/", &error) != TW_OK && doc == NULL);
    return 0;
}

// ---- input meant to harm ----

static int deep_nesting_is_refused(void)
{
    enum
    {
        DEEP = 200000
    };
    char* text = malloc(DEEP + 8);
    memcpy(text, "a: ", 3);
    memset(text + 3, '[', DEEP);
    ENSURE(refuses(text, DEEP + 3, "nest"));
    memset(text + 3, '{', DEEP);
    ENSURE(refuses(text, DEEP + 3, ""));
    memset(text, '-', DEEP);
    for (int i = 1; i < DEEP; i += 2) text[i] = ' ';
    ENSURE(refuses(text, DEEP, "nest"));
    free(text);
    // 63 levels below the root map are fine
    char ok[256] = "a: ";
    for (int k = 0; k < YAML_MAX_DEPTH - 1; k++) strcat(ok, "[");
    for (int k = 0; k < YAML_MAX_DEPTH - 1; k++) strcat(ok, "]");
    twYaml* doc = parse(ok);
    ENSURE(doc != NULL);
    yaml_destroy(doc);
    return 0;
}

static int billion_laughs_are_refused(void)
{
    ENSURE(refuses_text("a: &a [lol, lol, lol]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c]\n",
                        "a.yaml:1:5: anchors"));
    return 0;
}

// n lines "k<i>: <i>"
static char* many_keys(int n, size_t* bytes)
{
    char* text = malloc((size_t)n * 20);
    *bytes = 0;
    for (int i = 0; text && i < n; i++) *bytes += (size_t)sprintf(text + *bytes, "k%d: %d\n", i, i);
    return text;
}

static int many_keys_are_read(void)
{
    size_t bytes;
    char* text = many_keys(50000, &bytes);
    twYaml* doc;
    ENSURE(yaml_parse(&doc, "a.yaml", text, bytes, &error) == TW_OK);
    ENSURE(doc->root->count == 50000 && yaml_integer(doc->root, "k49999", 0, 100000, 0) == 49999);
    yaml_destroy(doc);
    free(text);
    return 0;
}

static int too_many_values_and_too_long_lines_are_refused(void)
{
    // a list of 1.1 million values, first in lines, then in one line
    enum
    {
        COUNT = 1100000
    };
    char* text = malloc(3 * COUNT + 8);
    memcpy(text, "a: [", 4);
    for (int i = 0; i < COUNT; i++) memcpy(text + 4 + 3 * i, "1,\n", 3);
    ENSURE(refuses(text, 4 + 3 * COUNT, "more than 1000000 values"));
    for (int i = 0; i < COUNT; i++) text[6 + 3 * i] = ' ';
    ENSURE(refuses(text, 4 + 3 * COUNT, "a.yaml:1:1048577: the line is longer than 1048576 characters"));
    free(text);
    ENSURE(refuses("a: 1", YAML_MAX_BYTES + 1, "more than 16777216 bytes"));
    return 0;
}

static const char sample[] =
    "# scene\nrate: 48000\nobjects:\n  - name: \"b\\u0061r\"\n    modes: {freq: [220, 440.5], decay: [1, 2]}\n"
    "  - {name: 'ball', mass: 0.1}\ntext: |\n  two\n  lines\nfold: >\n  and\n  more\nlast: ~\n";

// read everything there is, in every way
static void read_all(const twNode* node, int depth)
{
    YAML_EACH(child, node)
    {
        yaml_as_number(child, yaml_any("m"));
        yaml_as_text(child);
        if (depth < YAML_MAX_DEPTH) read_all(child, depth + 1);
    }
    yaml_keys(node, "rate", "objects");
}

static int survives(const char* text, size_t bytes)
{
    twYaml* doc;
    error = (twError){0};
    twStatus status = yaml_parse(&doc, "a.yaml", text, bytes, &error);
    if (status == TW_OK) read_all(doc->root, 0);
    int ok = (status == TW_OK) == (doc != NULL) && (status == TW_OK || error.text[0]) &&
             strlen(error.text) < sizeof error.text;
    yaml_destroy(doc);
    return ok;
}

static int truncated_files_are_survived(void)
{
    for (size_t n = 0; n < sizeof sample; n++) ENSURE(survives(sample, n));
    return 0;
}

static int random_bytes_are_survived(void)
{
    static const char alphabet[] = "{}[]:,-?&*!|>'\"%@`#~ \n\n\t\\ab01.\xc3\xa9\r<=";
    twRng rng = tw_rng(12);
    char text[400];
    for (int round = 0; round < 4000; round++)
    {
        size_t n = (size_t)tw_rng_between(&rng, 0, sizeof text);
        bool bytes = round % 4 == 0;
        for (size_t i = 0; i < n; i++)
            text[i] = bytes ? (char)tw_rng_next(&rng) : alphabet[tw_rng_next(&rng) % (sizeof alphabet - 1)];
        ENSURE(survives(text, n));
    }
    return 0;
}

static int mutated_scenes_are_survived(void)
{
    twRng rng = tw_rng(13);
    char text[sizeof sample];
    for (int round = 0; round < 4000; round++)
    {
        memcpy(text, sample, sizeof sample);
        for (int k = 0; k < 1 + round % 8; k++)
            text[tw_rng_next(&rng) % (sizeof sample - 1)] = sample[tw_rng_next(&rng) % (sizeof sample - 1)];
        ENSURE(survives(text, sizeof sample - 1));
    }
    return 0;
}

TEST_MAIN(RUN(values_of_all_types_are_read_in_order) RUN(brackets_may_close_where_people_close_them) RUN(
    absent_values_take_their_fallback) RUN(only_decimal_numbers_are_numbers) RUN(a_decimal_comma_locale_changes_nothing)
              RUN(ranges_keep_their_ends) RUN(values_after_an_error_are_inside_their_ranges)
                  RUN(a_wrong_number_is_shown_with_place_cure_and_caret) RUN(carets_count_characters_not_bytes)
                      RUN(every_kind_of_error_names_its_cure) RUN(unknown_keys_suggest_the_nearest)
                          RUN(the_first_error_stays) RUN(semantic_errors_point_at_value_or_key)
                              RUN(messages_about_long_lines_fit_and_stay_utf8) RUN(yaml_beyond_plain_trees_is_refused)
                                  RUN(bytes_that_are_no_text_are_refused) RUN(windows_files_are_read_like_others)
                                      RUN(missing_files_and_folders_are_reported) RUN(deep_nesting_is_refused)
                                          RUN(billion_laughs_are_refused) RUN(many_keys_are_read)
                                              RUN(too_many_values_and_too_long_lines_are_refused)
                                                  RUN(truncated_files_are_survived) RUN(random_bytes_are_survived)
                                                      RUN(mutated_scenes_are_survived))
