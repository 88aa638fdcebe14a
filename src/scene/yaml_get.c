// SPDX-License-Identifier: MIT
// Getters: what a scene may say, and what to answer when it says something else.

#include "scene/yaml.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 64  // characters of a number
#define SHOWN 40       // characters of a wrong value repeated in a message

// ---- finding nodes ----

const twNode* yaml_get(const twNode* map, const char* key)
{
    if (!map || map->kind != TW_NODE_MAP) return NULL;
    YAML_EACH(child, map)
    {
        if (strcmp(child->key, key) == 0) return child;
    }
    return NULL;
}

bool yaml_has(const twNode* map, const char* key) { return yaml_get(map, key) != NULL; }

static bool is_empty(const twNode* node)
{
    return node->kind == TW_NODE_SCALAR && !node->quoted &&
           (!node->text[0] || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

// what a node is, for messages: a map, '7800kg', the text "7"
static const char* shown(const twNode* node, char* out, size_t bytes)
{
    const char* dots = strlen(node->text) > SHOWN ? "..." : "";
    if (node->kind == TW_NODE_MAP)
        snprintf(out, bytes, "a map");
    else if (node->kind == TW_NODE_LIST)
        snprintf(out, bytes, "a list");
    else if (node->quoted)
        snprintf(out, bytes, "the text \"%.*s%s\"", SHOWN, node->text, dots);
    else
        snprintf(out, bytes, "'%.*s%s'", SHOWN, node->text, dots);
    return out;
}

// "'mass' must be WHAT, not '7800kg'CURE"
static void wrong(const twNode* node, const char* what, const char* cure)
{
    char name[96], value[96];
    yaml_name(node, name, sizeof name);
    if (is_empty(node))
        yaml_fail(node, "%s is empty; it must be %s", name, what);
    else
        yaml_fail(node, "%s must be %s, not %s%s", name, what, shown(node, value, sizeof value), cure);
}

static const twNode* as_kind(const twNode* node, twNodeKind kind, const char* what, const char* cure)
{
    if (!node || node->kind == kind) return node;
    wrong(node, what, cure);
    return NULL;
}

const twNode* yaml_as_map(const twNode* node) { return as_kind(node, TW_NODE_MAP, "a map of 'key: value' lines", ""); }

const twNode* yaml_as_list(const twNode* node)
{
    return as_kind(node, TW_NODE_LIST, "a list", "; write [a, b, ...] or lines that begin with '- '");
}

const twNode* yaml_map(const twNode* map, const char* key) { return yaml_as_map(yaml_get(map, key)); }

const twNode* yaml_list(const twNode* map, const char* key) { return yaml_as_list(yaml_get(map, key)); }

// the node of a key that must be there; reports it missing and returns NULL
static const twNode* need(const twNode* map, const char* key, const char* what)
{
    const twNode* node = yaml_get(map, key);
    if (node || !map) return node;
    char name[96];
    yaml_name(map, name, sizeof name);
    if (map->parent)
        yaml_fail(map, "%s lacks '%s'; add %s: followed by %s", name, key, key, what);
    else
        yaml_fail_at(map->doc, map->place, "'%s' is missing; add %s: followed by %s", key, key, what);
    return NULL;
}

const twNode* yaml_need_map(const twNode* map, const char* key)
{
    return yaml_as_map(need(map, key, "a map of 'key: value' lines"));
}

const twNode* yaml_need_list(const twNode* map, const char* key) { return yaml_as_list(need(map, key, "a list")); }

// append to a text of limited size
static void append(char* out, size_t bytes, const char* a, const char* b)
{
    size_t used = strlen(out);
    snprintf(out + used, bytes - used, "%s%s", a, b);
}

static void list_names(char* out, size_t bytes, const char* const* names)
{
    out[0] = 0;
    for (const char* const* n = names; *n; n++) append(out, bytes, n == names ? "" : ", ", *n);
    if (strlen(out) + 1 == bytes) memcpy(out + bytes - 4, "...", 4);
}

void yaml_check_keys(const twNode* map, const char* const* keys)
{
    if (!yaml_as_map(map)) return;
    YAML_EACH(child, map)
    {
        const char* const* k = keys;
        while (*k && strcmp(*k, child->key) != 0) k++;
        if (*k) continue;
        char name[96], all[320];
        list_names(all, sizeof all, keys);
        const char* near = tw_nearest_name(child->key, keys, -1);
        const char *in = map->parent ? " in " : "", *where = map->parent ? yaml_name(map, name, sizeof name) : "";
        if (near)
            yaml_fail_key(child, "unknown key '%.60s'%s%s; did you mean '%s'? Allowed: %s", child->key, in, where, near,
                          all);
        else
            yaml_fail_key(child, "unknown key '%.60s'%s%s; allowed: %s", child->key, in, where, all);
        return;
    }
}

// ---- ranges ----

twRange yaml_any(const char* unit) { return (twRange){-INFINITY, INFINITY, false, false, unit}; }

twRange yaml_positive(const char* unit) { return (twRange){0, INFINITY, true, false, unit}; }

twRange yaml_not_negative(const char* unit) { return (twRange){0, INFINITY, false, false, unit}; }

twRange yaml_between(double low, double high, const char* unit) { return (twRange){low, high, false, false, unit}; }

static bool inside(twRange r, double x)
{
    return (r.above_low ? x > r.low : x >= r.low) && (r.below_high ? x < r.high : x <= r.high);
}

// "a positive number", "a number from 0 to 1"
static const char* describe(twRange r, char* out, size_t bytes)
{
    const bool low = isfinite(r.low), high = isfinite(r.high);
    if (r.low == 0 && r.above_low && !high)
        snprintf(out, bytes, "a positive number");
    else if (low && high)
        snprintf(out, bytes, "a number %s %g %s %g", r.above_low ? "above" : "from", r.low,
                 r.below_high  ? "and below"
                 : r.above_low ? "and up to"
                               : "to",
                 r.high);
    else if (low)
        snprintf(out, bytes, r.above_low ? "a number above %g" : "a number, %g or more", r.low);
    else if (high)
        snprintf(out, bytes, r.below_high ? "a number below %g" : "a number, %g or less", r.high);
    else
        snprintf(out, bytes, "a number");
    return out;
}

static const char* with_unit(twRange r, char* what, size_t bytes)
{
    if (r.unit) append(what, bytes, " in ", r.unit);
    return what;
}

// something harmless for the caller to go on with
static double harmless(twRange r)
{
    if (inside(r, 1)) return 1;
    if (inside(r, 0)) return 0;
    if (isfinite(r.low) && isfinite(r.high)) return 0.5 * (r.low + r.high);
    return isfinite(r.low) ? r.low + 1 : r.high - 1;
}

// ---- numbers ----

static const char* skip_digits(const char* s)
{
    while (isdigit((unsigned char)*s)) s++;
    return s;
}

// end of the number at the beginning of s: [+-] digits [. digits] [e [+-] digits]; s itself if there is none
static const char* number_end(const char* s)
{
    const char* start = s;
    if (*s == '+' || *s == '-') s++;
    const char* whole = skip_digits(s);
    const char* end = *whole == '.' ? skip_digits(whole + 1) : whole;
    // at least one digit on either side of the point
    if (end - s - (*whole == '.') < 1) return start;
    if (*end != 'e' && *end != 'E') return end;
    const char* power = end + 1 + (end[1] == '+' || end[1] == '-');
    return isdigit((unsigned char)*power) ? skip_digits(power) : end;
}

static bool has_leading_zero(const char* s)
{
    if (*s == '+' || *s == '-') s++;
    return s[0] == '0' && isdigit((unsigned char)s[1]);
}

// strtod follows the locale; scenes do not
static double to_double(const char* text)
{
    char copy[MAX_NUMBER + 1];
    snprintf(copy, sizeof copy, "%s", text);
    char* point = strchr(copy, '.');
    const char* local = localeconv()->decimal_point;
    if (point && local && local[0] && !local[1]) *point = local[0];
    return strtod(copy, NULL);
}

static const char* cure_for(const char* text, twRange range, char* out, size_t bytes)
{
    char right[64];
    const char* end = number_end(text);
    const char* digits = *text == '+' || *text == '-' ? text + 1 : text;
    out[0] = 0;
    if (has_leading_zero(text))
        snprintf(out, bytes, "; write it without leading zeros");
    else if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o' || digits[1] == 'b'))
        snprintf(out, bytes, "; write it in decimal");
    else if (tw_decimal_comma(right, sizeof right, text, strlen(text)))
        snprintf(out, bytes, "; decimal comma: write %s", right);
    else if (end > text && *end == ',')
        snprintf(out, bytes, "; write a decimal point and no commas");
    else if (end > text && *end == '_')
        snprintf(out, bytes, "; write the digits without underscores");
    else if (end > text && (isalpha((unsigned char)*end) || *end == ' ' || *end == '%' || (unsigned char)*end >= 0x80))
        snprintf(out, bytes, range.unit ? "; write it without a unit, in %s" : "; write the number alone", range.unit);
    return out;
}

static double number_of(const twNode* node, twRange range)
{
    char what[96], cure[128], name[96];
    describe(range, what, sizeof what);
    const bool scalar = node->kind == TW_NODE_SCALAR;
    const bool number = scalar && !node->quoted && node->text[0] && *number_end(node->text) == 0 &&
                        number_end(node->text) > node->text && !has_leading_zero(node->text);
    if (number && strlen(node->text) <= MAX_NUMBER)
    {
        double x = to_double(node->text);
        if (isfinite(x) && inside(range, x)) return x;
        wrong(node, isfinite(x) ? with_unit(range, what, sizeof what) : "a number below 1.8e308", "");
    }
    else if (number)
        yaml_fail(node, "%s has more than %d characters; write fewer digits", yaml_name(node, name, sizeof name),
                  MAX_NUMBER);
    else if (scalar && node->quoted)
        wrong(node, what, "; remove the quotes");
    else
    {
        cure_for(node->text, range, cure, sizeof cure);
        wrong(node, cure[0] ? what : with_unit(range, what, sizeof what), cure);
    }
    return harmless(range);
}

double yaml_as_number(const twNode* node, twRange range)
{
    return node && yaml_ok(node->doc) ? number_of(node, range) : harmless(range);
}

double yaml_number(const twNode* map, const char* key, twRange range, double fallback)
{
    const twNode* node = yaml_get(map, key);
    if (!node || !yaml_ok(node->doc)) return fallback;
    double x = number_of(node, range);
    return yaml_ok(node->doc) ? x : fallback;
}

double yaml_need_number(const twNode* map, const char* key, twRange range)
{
    char what[96];
    describe(range, what, sizeof what);
    return yaml_as_number(need(map, key, with_unit(range, what, sizeof what)), range);
}

// ---- integers ----

static const char* describe_integer(int64_t low, int64_t high, char* out, size_t bytes)
{
    if (low > INT64_MIN && high < INT64_MAX)
        snprintf(out, bytes, "a whole number from %" PRId64 " to %" PRId64, low, high);
    else if (low > INT64_MIN)
        snprintf(out, bytes, "a whole number, %" PRId64 " or more", low);
    else if (high < INT64_MAX)
        snprintf(out, bytes, "a whole number, %" PRId64 " or less", high);
    else
        snprintf(out, bytes, "a whole number");
    return out;
}

static int64_t harmless_integer(int64_t low, int64_t high)
{
    return low <= 1 && high >= 1 ? 1 : low <= 0 && high >= 0 ? 0 : low > 0 ? low : high;
}

int64_t yaml_as_integer(const twNode* node, int64_t low, int64_t high)
{
    if (!node || !yaml_ok(node->doc)) return harmless_integer(low, high);
    char what[96];
    const char* digits = *node->text == '+' || *node->text == '-' ? node->text + 1 : node->text;
    const bool whole = node->kind == TW_NODE_SCALAR && !node->quoted && *digits && *skip_digits(digits) == 0;
    errno = 0;
    int64_t x = whole ? strtoll(node->text, NULL, 10) : 0;
    if (whole && errno == 0 && !has_leading_zero(node->text) && x >= low && x <= high) return x;
    const char* cure = node->quoted                   ? "; remove the quotes"
                       : has_leading_zero(node->text) ? "; write no leading zeros"
                                                      : "";
    wrong(node, describe_integer(low, high, what, sizeof what), cure);
    return harmless_integer(low, high);
}

int64_t yaml_integer(const twNode* map, const char* key, int64_t low, int64_t high, int64_t fallback)
{
    const twNode* node = yaml_get(map, key);
    if (!node || !yaml_ok(node->doc)) return fallback;
    int64_t x = yaml_as_integer(node, low, high);
    return yaml_ok(node->doc) ? x : fallback;
}

int64_t yaml_need_integer(const twNode* map, const char* key, int64_t low, int64_t high)
{
    char what[96];
    return yaml_as_integer(need(map, key, describe_integer(low, high, what, sizeof what)), low, high);
}

// ---- words ----

bool yaml_as_bool(const twNode* node)
{
    if (!node || !yaml_ok(node->doc)) return false;
    const bool plain = node->kind == TW_NODE_SCALAR && !node->quoted;
    if (plain && strcmp(node->text, "true") == 0) return true;
    if (plain && strcmp(node->text, "false") == 0) return false;
    wrong(node, "true or false", node->quoted ? "; remove the quotes" : "");
    return false;
}

bool yaml_bool(const twNode* map, const char* key, bool fallback)
{
    const twNode* node = yaml_get(map, key);
    if (!node || !yaml_ok(node->doc)) return fallback;
    bool x = yaml_as_bool(node);
    return yaml_ok(node->doc) ? x : fallback;
}

const char* yaml_as_text(const twNode* node)
{
    if (!node || !yaml_ok(node->doc)) return "";
    if (node->kind == TW_NODE_SCALAR && !is_empty(node)) return node->text;
    wrong(node, "a text", "");
    return "";
}

const char* yaml_text(const twNode* map, const char* key, const char* fallback)
{
    const twNode* node = yaml_get(map, key);
    if (!node || !yaml_ok(node->doc)) return fallback;
    const char* text = yaml_as_text(node);
    return yaml_ok(node->doc) ? text : fallback;
}

const char* yaml_need_text(const twNode* map, const char* key) { return yaml_as_text(need(map, key, "a text")); }

int yaml_as_choice(const twNode* node, const char* const* names)
{
    if (!node || !yaml_ok(node->doc)) return 0;
    const bool scalar = node->kind == TW_NODE_SCALAR;
    for (int k = 0; scalar && names[k]; k++)
        if (strcmp(names[k], node->text) == 0) return k;
    char all[320] = "one of ", cure[96] = "";
    list_names(all + strlen(all), sizeof all - strlen(all), names);
    const char* near = scalar ? tw_nearest_name(node->text, names, -1) : NULL;
    if (near) snprintf(cure, sizeof cure, "; did you mean '%.60s'?", near);
    wrong(node, all, cure);
    return 0;
}

int yaml_choice(const twNode* map, const char* key, const char* const* names, int fallback)
{
    const twNode* node = yaml_get(map, key);
    if (!node || !yaml_ok(node->doc)) return fallback;
    int k = yaml_as_choice(node, names);
    return yaml_ok(node->doc) ? k : fallback;
}

int yaml_need_choice(const twNode* map, const char* key, const char* const* names)
{
    char all[320] = "one of ";
    list_names(all + strlen(all), sizeof all - strlen(all), names);
    return yaml_as_choice(need(map, key, all), names);
}

// ---- lists of numbers ----

// Items of a list without a blank behind the comma between them, such as 0 and 5 of [0,5, 1].
// @return how many such pairs
static int yaml_tight_pairs(const twNode* list, const twNode** first)
{
    int pairs = 0;
    YAML_EACH(item, list)
    {
        const twNode* next = item->next;
        const bool tight = next && next->place.line == item->place.line &&
                           next->place.column == item->place.column + item->place.length + 1 &&
                           isdigit((unsigned char)next->text[0]);
        if (tight && pairs++ == 0) *first = item;
    }
    return pairs;
}

static void wrong_count(const twNode* node, int low, int high)
{
    char name[96], cure[160] = "";
    yaml_name(node, name, sizeof name);
    const twNode* first = NULL;
    const int count = node->count - yaml_tight_pairs(node, &first);
    if (first && count >= low && count <= high)
        snprintf(cure, sizeof cure, "; if '%.20s,%.20s' is one number, write %.20s.%.20s", first->text,
                 first->next->text, first->text, first->next->text);
    if (low == high)
        yaml_fail(node, "%s must have %d numbers, not %d%s", name, low, node->count, cure);
    else
        yaml_fail(node, "%s must have %d to %d numbers, not %d%s", name, low, high, node->count, cure);
}

const double* yaml_as_numbers(const twNode* node, twRange range, int min_count, int max_count, int* count)
{
    if (count) *count = 0;
    if (!node || !yaml_ok(node->doc) || !as_kind(node, TW_NODE_LIST, "a list of numbers", "; write [a, b, ...]"))
        return NULL;
    if (node->count < min_count || node->count > max_count)
    {
        wrong_count(node, min_count, max_count);
        return NULL;
    }
    double* values = tw_arena_alloc(node->doc->arena, (size_t)node->count + 1, sizeof *values);
    if (!values)
    {
        tw_fail(&node->doc->error, TW_NO_MEMORY, "%s: no memory", node->doc->name);
        return NULL;
    }
    int n = 0;
    YAML_EACH(item, node) values[n++] = yaml_as_number(item, range);
    if (!yaml_ok(node->doc)) return NULL;
    if (count) *count = n;
    return values;
}

const double* yaml_numbers(const twNode* map, const char* key, twRange range, int min_count, int max_count, int* count)
{
    return yaml_as_numbers(yaml_get(map, key), range, min_count, max_count, count);
}

const double* yaml_need_numbers(const twNode* map, const char* key, twRange range, int min_count, int max_count,
                                int* count)
{
    return yaml_as_numbers(need(map, key, "a list of numbers"), range, min_count, max_count, count);
}
