// SPDX-License-Identifier: MIT
// Damping on the command line: constants, a curve over frequency, or a decay for each mode. Curves and decays are written
// in the option itself or in a file: one point "FREQUENCY DECAY" to a line, or decays separated by spaces, commas or lines;
// from # on a line is a comment.

#include "bake_options.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)16 << 20)
#define SEPARATORS " \t\r,;:"

// A list of numbers, line by line.
typedef struct Numbers
{
    const char* option;  // for messages
    const char* name;    // of the file, or the text itself
    bool is_file;
    char* text;  // what is not read yet; changed
    char* block;
    int line;
} Numbers;

// What can only be numbers is the list itself, anything else names a file; but what begins like a list, and names none, is a
// list with a mistake.
static bool names_file(const char* text)
{
    if (text[strspn(text, "0123456789.eE+-,:")] == 0) return false;
    if (!strchr("0123456789.+-", text[0]) || !strpbrk(text, ",:")) return true;
    FILE* file = fopen(text, "rb");
    if (file) fclose(file);
    return file != NULL;
}

static twStatus open_numbers(Numbers* n, const char* option, const char* text, twError* err)
{
    *n = (Numbers){.option = option, .name = text};
    size_t bytes = strlen(text);
    n->is_file = names_file(text);
    if (n->is_file)
    {
        twError inner;
        if (tw_file_read(&n->block, &bytes, text, FILE_MAX_BYTES, &inner) != TW_OK)
            return tw_fail(err, inner.status, "%s: %s", option, inner.text);
        if (strlen(n->block) != bytes)
        {
            free(n->block);
            return tw_fail(err, TW_BAD_INPUT, "%s: %s is not a text file", option, text);
        }
    }
    else if (!(n->block = calloc(bytes + 1, 1)))
        return tw_fail(err, TW_NO_MEMORY, "%s: no memory", option);
    else
        memcpy(n->block, text, bytes);
    n->text = n->block;
    return TW_OK;
}

// The next line without its comment; in the option itself a comma ends it. NULL at the end
static char* next_line(Numbers* n)
{
    if (!n->text) return NULL;
    char *line = n->text, *end = line + strcspn(line, n->is_file ? "\n" : ",");
    n->text = *end ? end + 1 : NULL;
    *end = 0;
    line[strcspn(line, "#")] = 0;
    n->line++;
    return line;
}

static twStatus wrong(const Numbers* n, const char* what, twError* err)
{
    if (n->is_file) return tw_fail(err, TW_BAD_INPUT, "%s: %s, line %d: %s", n->option, n->name, n->line, what);
    return tw_fail(err, TW_BAD_INPUT, "%s: '%.100s', value %d: %s", n->option, n->name, n->line, what);
}

// numbers of a line. @return how many, -1 if one is none or there are more than most
static int line_numbers(char* line, double* values, int most)
{
    int count = 0;
    for (char* at = line + strspn(line, SEPARATORS); *at; at += strspn(at, SEPARATORS))
    {
        size_t length = strcspn(at, SEPARATORS);
        char* end = at + length;
        bool last = *end == 0;
        *end = 0;
        if (count == most || cli_parse_number(at, &values[count])) return -1;
        count++;
        at = last ? end : end + 1;
    }
    return count;
}

static twStatus parse_curve(const char* text, twDamping* out, twError* err)
{
    Numbers n;
    twError inner;
    *out = (twDamping){.kind = TW_DAMPING_CURVE};
    twStatus status = open_numbers(&n, "--damping-curve", text, err);
    if (status != TW_OK) return status;
    for (char* line; status == TW_OK && (line = next_line(&n));)
    {
        double pair[2];
        int count = line_numbers(line, pair, 2);
        if (count == 0 && n.is_file) continue;
        if (count != 2)
            status = wrong(&n,
                           n.is_file ? "a frequency [Hz] and a decay [1/s] should be here"
                                     : "write FREQUENCY:DECAY in Hz and 1/s, such as 100:2,1000:8",
                           err);
        else if (out->count == TW_MAX_DAMPING_POINTS)
            status = wrong(&n, "a curve has at most 32 points", err);
        else
        {
            out->freq_hz[out->count] = pair[0];
            out->decay[out->count++] = pair[1];
        }
    }
    free(n.block);
    if (status == TW_OK && tw_damping_check(out, &inner) != TW_OK)
        status = tw_fail(err, TW_BAD_INPUT, "--damping-curve: %s", inner.text);
    return status;
}

static twStatus parse_decays(BakeOptions* o, twError* err)
{
    Numbers n;
    twStatus status = open_numbers(&n, "--decay", o->decay, err);
    if (status != TW_OK) return status;
    o->decays = malloc((strlen(n.block) + 1) * sizeof *o->decays);
    if (!o->decays) status = tw_fail(err, TW_NO_MEMORY, "--decay: no memory");
    for (char* line; status == TW_OK && (line = next_line(&n));)
    {
        double* values = o->decays + o->decay_count;
        int count = line_numbers(line, values, (int)strlen(line) + 1);
        if (count < 0 || (count == 0 && !n.is_file)) status = wrong(&n, "a decay [1/s] should be here", err);
        for (int i = 0; i < count && status == TW_OK; i++)
            if (values[i] < 0) status = wrong(&n, "a decay must not be negative", err);
        if (count > 0) o->decay_count += count;
    }
    free(n.block);
    return status;
}

// constants that are not given are 0
static void change_constants(const BakeOptions* o, twMaterial* material)
{
    material->alpha = o->t60_given ? 2 * log(1000) / o->t60 : o->alpha_given ? o->alpha : 0;
    material->beta = o->beta_given ? o->beta : 0;
    material->loss_factor = o->loss_given ? o->loss_factor : 0;
}

static twStatus parse_mounting(const BakeOptions* o, double* alpha, twError* err)
{
    *alpha = 0;
    if (!o->mounting || tw_mounting_parse(o->mounting, alpha)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "--mounting: '%s' is not free, hand or cloth", o->mounting);
}

bool bake_damping_given(const BakeOptions* o)
{
    return o->alpha_given || o->beta_given || o->loss_given || o->t60_given || o->damping_curve || o->decay ||
           o->mounting;
}

twStatus bake_parse_damping(BakeOptions* o, twMaterial* materials, int count, twDamping* damping, twError* err)
{
    const bool constants = o->alpha_given || o->beta_given || o->loss_given;
    double mounting;
    if (constants + o->t60_given + (o->damping_curve != NULL) + (o->decay != NULL) > 1)
        return tw_fail(
            err, TW_BAD_INPUT,
            "give one kind of damping: --loss-factor, --alpha and --beta; --t60; --damping-curve; or --decay");
    if (o->mounting && (o->damping_curve || o->decay))
        return tw_fail(err, TW_BAD_INPUT, "--mounting: a curve and decays have the mounting in them");
    twStatus status = parse_mounting(o, &mounting, err);
    for (int i = 0; i < count && status == TW_OK; i++)
    {
        if (constants || o->t60_given) change_constants(o, &materials[i]);
        materials[i].alpha += mounting;
    }
    *damping = tw_damping_materials();
    if (status != TW_OK) return status;
    if (o->damping_curve) return parse_curve(o->damping_curve, damping, err);
    if (!o->decay) return TW_OK;
    *damping = (twDamping){.kind = TW_DAMPING_MODES};
    return parse_decays(o, err);
}
