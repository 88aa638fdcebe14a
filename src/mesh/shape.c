// SPDX-License-Identifier: MIT
// Shapes from text:
//
//     shape  = name ":" [lengths] ; lengths = ordered | named | ordered "," named
//     ordered = number { "x" number } ; named = name "=" number { "," name "=" number }
//
// Lengths in order are all of those outside the syntax's brackets, and then as many more as wanted. What is left out is
// as in the standard shape or follows from the others.
#include "mesh/shape.h"
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_NAME = 31,
    MAX_TEXT = 240,  // of those that are corrected in messages
    MAX_KINDS = 64,
    MAX_NUMBER = 40,
    MAX_THROUGH = 256,
    MAX_CUTS = 1024,
    MAX_LAYERS = (TW_MAX_STRETCHES - 1) / 2
};

static const double LEAST_LENGTH = 1e-9, GREATEST_LENGTH = 1e9;  // [m]
static const double SECTION = 2.6;                               // lengths up to this many walls are refined with them
static const double GREATEST_RATIO = 1e5;                        // of the greatest length to the smallest wall

const twShapeKind* tw_shape_kind(int index)
{
    static const twShapeKind* const kinds[] = {
        &tw_shape_box,  &tw_shape_bar,  &tw_shape_plate,  &tw_shape_ruler,    &tw_shape_slab,   &tw_shape_disc,
        &tw_shape_ring, &tw_shape_tube, &tw_shape_sphere, &tw_shape_cylinder, &tw_shape_bowl,   &tw_shape_bell,
        &tw_shape_mug,  &tw_shape_fork, &tw_shape_table,  &tw_shape_chute,    &tw_shape_basket,
    };
    return index >= 0 && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

const char* tw_shape_syntax(int index)
{
    const twShapeKind* kind = tw_shape_kind(index);
    return kind ? kind->syntax : NULL;
}

// ---- names ----

static bool is_word(const char* text, size_t length, const char* word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static const twShapeKind* find_kind(const char* text, size_t length)
{
    const twShapeKind* kind;
    for (int i = 0; (kind = tw_shape_kind(i)); i++)
        if (is_word(text, length, kind->name)) return kind;
    return NULL;
}

// the kind whose name is most like the word, or NULL if none is
static const twShapeKind* nearest_kind(const char* word, size_t length)
{
    char copy[MAX_NAME + 1];
    const char* names[MAX_KINDS + 1] = {NULL};
    const twShapeKind* kind;
    if (length > MAX_NAME) return NULL;
    memcpy(copy, word, length);
    copy[length] = 0;
    for (int i = 0; i < MAX_KINDS && (kind = tw_shape_kind(i)); i++) names[i] = kind->name;
    const char* near = tw_nearest_name(copy, names, -1);
    return near ? find_kind(near, strlen(near)) : NULL;
}

// length of the name before the colon, or 0 if there is none
static size_t name_length(const char* text)
{
    size_t n = 0;
    while (n <= MAX_NAME && isalpha((unsigned char)text[n])) n++;
    return text[n] == ':' ? n : 0;
}

bool tw_shape_looks_like(const char* text)
{
    size_t n = name_length(text);
    if (n == 0) return false;
    if (find_kind(text, n)) return true;

    // one misspelt, but with the letters of a drive or a scheme it is a file's name
    return n > 2 && text[n + 1] != '/' && text[n + 1] != '\\' && nearest_kind(text, n);
}

// ---- messages ----

static twStatus unknown_kind(const char* text, size_t length, twError* err)
{
    char all[256] = "";
    const twShapeKind* kind;
    for (int i = 0; (kind = tw_shape_kind(i)); i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", kind->name);
    if (length == 0)
        return tw_fail(err, TW_BAD_INPUT,
                       "shape '%.80s': write a name, a colon and lengths in metres, such as %s or %s:, with one of %s",
                       text, tw_shape_bar.example, tw_shape_mug.name, all);
    const twShapeKind* near = nearest_kind(text, length);
    if (near)
        return tw_fail(err, TW_BAD_INPUT, "shape '%.80s': there is no '%.*s'; did you mean %s? All shapes: %s", text,
                       (int)length, text, near->syntax, all);
    return tw_fail(err, TW_BAD_INPUT, "shape '%.80s': there is no '%.*s'; all shapes: %s", text, (int)length, text,
                   all);
}

// what is wrong, and what would be right
static twStatus bad(const char* text, const twShapeKind* kind, const char* what, twError* err)
{
    return tw_fail(err, TW_BAD_INPUT, "shape '%.80s': %s; write %s with lengths in metres, for example %s", text, what,
                   kind->syntax, kind->example);
}

// ---- numbers ----

static size_t digits(const char* s)
{
    size_t n = 0;
    while (isdigit((unsigned char)s[n])) n++;
    return n;
}

// length of the decimal number at s, digits [. digits] [e [sign] digits] with or without a sign; 0 if there is none
static size_t number_length(const char* s)
{
    size_t n = *s == '+' || *s == '-', whole = digits(s + n), part = 0;
    n += whole;
    if (s[n] == '.') part = digits(s + n + 1), n += 1 + part;
    if (whole + part == 0) return 0;
    if (s[n] != 'e' && s[n] != 'E') return n;
    size_t sign = s[n + 1] == '+' || s[n + 1] == '-', power = digits(s + n + 1 + sign);
    return power ? n + 1 + sign + power : n;
}

// value of a number; strtod follows the locale and reads 0x as hexadecimal, shapes do not
static double number(const char* s, size_t length)
{
    char copy[MAX_NUMBER + 1];
    if (length > MAX_NUMBER) return NAN;
    memcpy(copy, s, length);
    copy[length] = 0;
    char* point = strchr(copy, '.');
    const char* local = localeconv()->decimal_point;
    if (point && local && local[0] && !local[1]) *point = local[0];
    return strtod(copy, NULL);
}

// read a length at *at and go past it
static twStatus read_length(double* out, const char** at, const char* text, const twShapeKind* kind, twError* err)
{
    char what[160];
    size_t n = number_length(*at);
    const char next = (*at)[n];
    if (n == 0 || (next && next != 'x' && next != 'X' && next != ','))
    {
        snprintf(what, sizeof what, "'%.24s' is no length: a decimal number, without a unit", *at);
        return bad(text, kind, what, err);
    }
    double x = number(*at, n);
    if (!(x >= LEAST_LENGTH && x <= GREATEST_LENGTH))
    {
        snprintf(what, sizeof what, "'%.*s' m must lie between %g and %g", n < 40 ? (int)n : 40, *at, LEAST_LENGTH,
                 GREATEST_LENGTH);
        return bad(text, kind, what, err);
    }
    *out = x;
    *at += n;
    return TW_OK;
}

// ---- lengths ----

static twStatus read_ordered(twShape* shape, const char** at, const char* text, twError* err)
{
    const twShapeKind* kind = shape->kind;
    int count = 0;
    for (;; (*at)++)
    {
        double x;
        twStatus status = read_length(&x, at, text, kind, err);
        if (status) return status;
        if (count < kind->count) shape->length[count] = x;
        count++;
        if (**at != 'x' && **at != 'X') break;
    }
    if (count >= kind->needed && count <= kind->count) return TW_OK;

    char what[160];
    if (kind->needed == kind->count)
        snprintf(what, sizeof what, "%d length%s, but %s has %d", count, count == 1 ? "" : "s", kind->name,
                 kind->count);
    else
        snprintf(what, sizeof what, "%d length%s, but %s has %d to %d", count, count == 1 ? "" : "s", kind->name,
                 kind->needed, kind->count);
    return bad(text, kind, what, err);
}

static twStatus read_named(twShape* shape, const char** at, const char* text, twError* err)
{
    const twShapeKind* kind = shape->kind;
    char what[320];
    size_t n = 0;
    while (isalpha((unsigned char)(*at)[n]) || (*at)[n] == '_') n++;
    for (int k = 0; (*at)[n] == '=' && k < kind->count; k++)
    {
        if (!is_word(*at, n, kind->length[k].name)) continue;
        if (shape->length[k] > 0)
        {
            snprintf(what, sizeof what, "'%s' is given twice", kind->length[k].name);
            return bad(text, kind, what, err);
        }
        *at += n + 1;
        twStatus status = read_length(&shape->length[k], at, text, kind, err);
        if (status || !**at || **at == ',') return status;
        snprintf(what, sizeof what, "after '%s=' comes one length", kind->length[k].name);
        return bad(text, kind, what, err);
    }
    snprintf(what, sizeof what, "'%.24s' is no length of %s; by name they are", *at, kind->name);
    for (int k = 0; k < kind->count; k++)
        snprintf(what + strlen(what), sizeof what - strlen(what), "%s %s=", k ? "," : "", kind->length[k].name);
    return bad(text, kind, what, err);
}

// A comma stands before a name; between digits it is a decimal comma, or stands for an x. @return
// TW_OK if neither helps
static twStatus shape_check_commas(const char* text, twError* err)
{
    char right[MAX_TEXT];
    bool found = false;
    const size_t length = strlen(text);
    if (length >= sizeof right) return TW_OK;
    for (int attempt = 0; attempt < 2; attempt++)
    {
        memcpy(right, text, length + 1);
        for (size_t i = 1; i + 1 < length; i++)
        {
            if (text[i] != ',' || !isdigit((unsigned char)text[i - 1]) || !isdigit((unsigned char)text[i + 1]))
                continue;
            right[i] = attempt == 0 ? '.' : 'x';
            found = true;
        }
        twShape* shape;
        if (!found || tw_shape_parse(&shape, right, NULL) != TW_OK) continue;
        tw_shape_destroy(shape);
        return tw_fail(err, TW_BAD_INPUT, "shape '%.80s': %s: write %s", text,
                       attempt == 0 ? "decimal comma" : "an x stands between lengths", right);
    }
    return TW_OK;
}

static twStatus read_lengths(twShape* shape, const char* at, const char* text, twError* err)
{
    if (!*at) return TW_OK;
    twStatus status = shape_check_commas(text, err);
    if (status) return status;

    // the first group goes by order unless it begins with a letter
    bool ordered = !isalpha((unsigned char)*at);
    for (;; at++)
    {
        status = ordered ? read_ordered(shape, &at, text, err) : read_named(shape, &at, text, err);
        ordered = false;
        if (status || !*at) return status;
    }
}

static void complete(twShape* shape)
{
    const twShapeKind* kind = shape->kind;
    for (int k = 0; k < kind->count; k++)
        if (!(shape->length[k] > 0)) shape->length[k] = kind->length[k].standard;
    if (kind->complete) kind->complete(shape->length);
}

static twStatus check(const twShape* shape, const char* text, twError* err)
{
    const twShapeKind* kind = shape->kind;
    const char* wrong = kind->check ? kind->check(shape->length) : NULL;
    if (wrong) return bad(text, kind, wrong, err);

    double greatest = 0, thin = kind->thickness(shape->length);
    for (int k = 0; k < kind->count; k++) greatest = fmax(greatest, shape->length[k]);
    if (thin * GREATEST_RATIO >= greatest) return TW_OK;
    char what[160];
    snprintf(what, sizeof what, "%g m is too thin for a body of %g m; the ratio may be %g at most", thin, greatest,
             GREATEST_RATIO);
    return bad(text, kind, what, err);
}

twStatus tw_shape_parse(twShape** out, const char* text, twError* err)
{
    *out = NULL;
    const size_t n = name_length(text);
    twShape shape = {.kind = find_kind(text, n)};
    if (!shape.kind) return unknown_kind(text, n, err);

    twStatus status = read_lengths(&shape, text + n + 1, text, err);
    if (status) return status;
    complete(&shape);
    status = check(&shape, text, err);
    if (status) return status;

    *out = malloc(sizeof **out);
    if (!*out) return tw_fail(err, TW_NO_MEMORY, "shape '%.80s': no memory", text);
    **out = shape;
    return TW_OK;
}

void tw_shape_destroy(twShape* shape) { free(shape); }

bool tw_shape_scaled(char* out, size_t bytes, const char* text, double factor)
{
    size_t used = 0;
    for (const char* at = text; *at;)
    {
        // lengths are behind a colon, an x or an equals sign
        const bool number_may_be = at > text && strchr(":xX=", at[-1]);
        const size_t n = number_may_be ? number_length(at) : 0;
        const int wrote = n > 0 ? snprintf(out + used, bytes - used, "%.4g", factor * number(at, n))
                                : snprintf(out + used, bytes - used, "%c", *at);
        if (wrote < 0 || (size_t)wrote >= bytes - used) return false;
        used += (size_t)wrote;
        at += n > 0 ? n : 1;
    }
    return true;
}

const char* tw_shape_meant(char* out, size_t bytes, const char* text)
{
    size_t n = 0;
    if (bytes > 0) out[0] = 0;
    while (n <= MAX_NAME && isalpha((unsigned char)text[n])) n++;
    const twShapeKind* kind = n > 2 ? find_kind(text, n) : NULL;
    if (n > 2 && !kind) kind = nearest_kind(text, n);
    if (!kind || strlen(text) >= MAX_TEXT) return out;

    // "bowl", "sphere 0.05", "bar=0.3x0.02x0.01"; what is no shape even then is the name of a file
    const char* rest = text + n + (text[n] && strchr(" =;_-", text[n]));
    char right[MAX_TEXT + MAX_NAME];
    twShape* shape;
    snprintf(right, sizeof right, "%s:%s", kind->name, rest);
    if (tw_shape_parse(&shape, right, NULL) != TW_OK) return out;
    tw_shape_destroy(shape);
    snprintf(out, bytes, "%s", right);
    return out;
}

double tw_shape_thickness(const twShape* shape) { return shape->kind->thickness(shape->length); }

// ---- meshes ----

// cells of at most an edge, each cut as often as wanted; a length below an edge waits until the cuts are shorter
static int cut(const twPlan* plan, double length, int parts, int at_least)
{
    const double edge = plan->edge / plan->cuts;
    double n = (double)parts * plan->cuts;
    if (length <= plan->edge * (1 + 1e-9))
        for (n = 1; n * edge < length * (1 - 1e-9) && n < 1e7;) n *= 2;
    return (int)fmin(1e7, fmax(n, at_least));
}

// least cells along a length: as short as those wanted across the thinnest wall, unless it is much longer than that
static int least(const twPlan* plan, double length)
{
    return length < SECTION * plan->thin ? tw_cells(length, plan->thin / plan->through, 1) : 1;
}

int tw_plan_cells(const twPlan* plan, double length)
{
    return cut(plan, length, tw_cells(length, plan->edge, 1), least(plan, length));
}

static int even(int n) { return n + n % 2; }

int tw_plan_even(const twPlan* plan, double length)
{
    return cut(plan, length, tw_even_cells(length, plan->edge, 2), even(least(plan, length)));
}

int tw_plan_around(const twPlan* plan, double radius)
{
    const int few = plan->round > 10 ? plan->round : 10;
    int n = cut(plan, 2 * TW_PI * radius, tw_cells(2 * TW_PI * radius, plan->edge, 10), few);
    while (n % 4 != 2) n++;
    return n;
}

static void add_stretch(twRow* row, double width, int cells)
{
    const int i = row->grade.count++;
    row->grade.width[i] = width;
    row->grade.cells[i] = cells;
    row->cells += cells;
}

// layers `first`, twice that and so on, before they are cut: until they are about an edge wide, and in a quarter of a length
static int count_layers(const twPlan* plan, double first, double length)
{
    int layers = 0;
    while (layers < MAX_LAYERS && first * ldexp(1.5, layers) < plan->edge &&
           first * (ldexp(2, layers) - 1) < 0.25 * length)
        layers++;
    return layers;
}

twRow tw_plan_row(const twPlan* plan, double length, bool low_free, bool high_free, bool pairs)
{
    const double first = plan->thin / plan->through;
    const int layers = count_layers(plan, first, length);
    twRow row = {0};
    if (layers == 0 || !(low_free || high_free))
    {
        row.cells = pairs ? tw_plan_even(plan, length) : tw_plan_cells(plan, length);
        return row;
    }
    const double middle = length - (low_free + high_free) * first * (ldexp(1, layers) - 1);
    for (int i = 0; low_free && i < layers; i++)
        add_stretch(&row, ldexp(first, i) / length, cut(plan, ldexp(first, i), 1, 1));
    add_stretch(&row, middle / length,
                cut(plan, middle, pairs ? tw_even_cells(middle, plan->edge, 2) : tw_cells(middle, plan->edge, 1),
                    pairs ? 2 : 1));
    for (int i = layers - 1; high_free && i >= 0; i--)
        add_stretch(&row, ldexp(first, i) / length, cut(plan, ldexp(first, i), 1, 1));
    return row;
}

twRow tw_plan_section(const twPlan* plan, double length, bool pairs)
{
    const bool broad = length >= SECTION * plan->thin;
    return tw_plan_row(plan, length, broad, broad, pairs);
}

void tw_plan_disc(twPlan* plan, double radius, double meridian)
{
    plan->disc = tw_disc(radius, meridian, plan->edge);
    plan->disc.inner *= plan->cuts;
    const twRow row = tw_plan_row(plan, (1 - 0.9 * plan->disc.core) * meridian, false, true, false);
    plan->disc.outer = row.cells;
    plan->disc.rim = row.grade;
}

static twStatus lay(twPlan* plan, const twShape* shape, double edge, int cuts, int through, int round, twError* err)
{
    const char* name = shape->kind->name;
    if (!(edge > 0) || isinf(edge))
        return tw_fail(err, TW_BAD_INPUT, "%s: an edge of %g m; it must be above 0", name, edge);
    if (cuts < 1 || cuts > MAX_CUTS)
        return tw_fail(err, TW_BAD_INPUT, "%s: edges cut into %d parts; 1 to %d are possible", name, cuts, MAX_CUTS);
    if (through < 1 || through > MAX_THROUGH)
        return tw_fail(err, TW_BAD_INPUT, "%s: %d elements through the thickness; 1 to %d are possible", name, through,
                       MAX_THROUGH);
    *plan = (twPlan){.length = shape->length,
                     .edge = edge,
                     .cuts = cuts,
                     .thin = tw_shape_thickness(shape),
                     .through = through,
                     .round = round};
    plan->blocks.name = name;
    plan->blocks.context = plan;
    shape->kind->lay(plan);
    return TW_OK;
}

twStatus tw_shape_surface(twMesh** out, const twShape* shape, double edge, twError* err)
{
    return tw_shape_surface_round(out, shape, edge, 0, err);
}

twStatus tw_shape_surface_round(twMesh** out, const twShape* shape, double edge, int round, twError* err)
{
    *out = NULL;
    twPlan plan;
    twStatus status = lay(&plan, shape, edge, 1, 1, round, err);
    return status ? status : tw_blocks_surface(out, &plan.blocks, err);
}

twStatus tw_shape_tets(twTetMesh** out, const twShape* shape, double edge, int through_thickness, twError* err)
{
    return tw_shape_tets_cut(out, shape, edge, 1, through_thickness, err);
}

twStatus tw_shape_tets_cut(twTetMesh** out, const twShape* shape, double edge, int cuts, int through_thickness,
                           twError* err)
{
    *out = NULL;
    twPlan plan;
    twStatus status = lay(&plan, shape, edge, cuts, through_thickness, 0, err);
    return status ? status : tw_blocks_tets(out, &plan.blocks, err);
}
