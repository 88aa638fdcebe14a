// SPDX-License-Identifier: MIT
// Options of commands that bake a body.

#include "bake_options.h"
#include <stdlib.h>
#include <string.h>

static const char* const element_names[] = {"quadratic", "linear", NULL};

const char* const bake_unit_names[] = {"m", "mm", "cm", "in", NULL};

double bake_unit(int unit)
{
    static const double factors[] = {1, 1e-3, 1e-2, 0.0254};
    return factors[unit];
}

BakeOptions bake_options(void) { return (BakeOptions){.scale = 1, .count = 32}; }

void bake_options_free(BakeOptions* o) { free(o->decays); }

void bake_option_table(BakeOptions* o, CliOption table[BAKE_OPTION_COUNT])
{
    const CliOption options[BAKE_OPTION_COUNT] = {
        {.kind = CLI_ARGUMENT,
         .name = "BODY",
         .out = &o->source,
         .help = "a shape like bar:0.3x0.02x0.01, a mesh (OBJ, STL, PLY, GLB), or tets (.msh, .node)",
         .required = true},
        {.kind = CLI_LIST,
         .name = "--material",
         .value = "[WHERE=]NAME",
         .out = &o->material,
         .help = "what the body, or a part of it, is made of, see below [default: steel]"},
        {.kind = CLI_NUMBER,
         .name = "--density",
         .value = "KG_M3",
         .out = &o->density,
         .help = "instead of the material's",
         .low = 0,
         .high = 1e6,
         .above = true,
         .unit = "kg/m^3",
         .given = &o->density_given},
        {.kind = CLI_NUMBER,
         .name = "--young",
         .value = "PA",
         .out = &o->young,
         .help = "instead of the material's",
         .low = 0,
         .high = 1e15,
         .above = true,
         .unit = "Pa",
         .given = &o->young_given},
        {.kind = CLI_NUMBER,
         .name = "--poisson",
         .value = "NU",
         .out = &o->poisson,
         .help = "instead of the material's",
         .low = -0.99,
         .high = 0.499,
         .given = &o->poisson_given},
        {.kind = CLI_NUMBER,
         .name = "--alpha",
         .value = "1/S",
         .out = &o->alpha,
         .help = "Rayleigh damping by mass, instead of the material's",
         .low = 0,
         .high = 1e9,
         .unit = "1/s",
         .given = &o->alpha_given},
        {.kind = CLI_NUMBER,
         .name = "--beta",
         .value = "S",
         .out = &o->beta,
         .help = "Rayleigh damping by stiffness, instead of the material's",
         .low = 0,
         .high = 1e3,
         .unit = "s",
         .given = &o->beta_given},
        {.kind = CLI_NUMBER,
         .name = "--loss-factor",
         .value = "ETA",
         .out = &o->loss_factor,
         .help = "one loss factor instead: decay = pi eta f",
         .low = 0,
         .high = 1.99,
         .given = &o->loss_given},
        {.kind = CLI_TEXT,
         .name = "--damping-curve",
         .value = "F:D,...|FILE",
         .out = &o->damping_curve,
         .help = "decays [1/s] at frequencies [Hz], straight lines between them in log-log"},
        {.kind = CLI_TEXT,
         .name = "--decay",
         .value = "D,D,...|FILE",
         .out = &o->decay,
         .help = "the decay of each mode [1/s]"},
        {.kind = CLI_CHOICE,
         .name = "--units",
         .value = "UNIT",
         .out = &o->units,
         .help = "of a file's coordinates",
         .choices = bake_unit_names},
        {.kind = CLI_NUMBER,
         .name = "--scale",
         .value = "X",
         .out = &o->scale,
         .help = "factor of a file's coordinates, instead of --units",
         .low = 0,
         .high = 1e12,
         .above = true},
        {.kind = CLI_INTEGER,
         .name = "--count",
         .value = "N",
         .out = &o->count,
         .help = "how many modes",
         .low = 1,
         .high = 100000,
         .given = &o->count_given},
        {.kind = CLI_NUMBER,
         .name = "--max-freq",
         .value = "HZ",
         .out = &o->max_freq,
         .help = "modes up to here; without --count, all of them",
         .low = 0,
         .high = 1e9,
         .above = true,
         .unit = "Hz",
         .given = &o->max_freq_given},
        {.kind = CLI_CHOICE,
         .name = "--elements",
         .value = "KIND",
         .out = &o->elements,
         .help = "quadratic (10 nodes) or linear (4 nodes, far too stiff for thin bodies)",
         .choices = element_names},
        {.kind = CLI_NUMBER,
         .name = "--accuracy",
         .value = "PERCENT",
         .out = &o->accuracy,
         .help = "wanted error of the lowest ten frequencies; usually 0.1, thin bodies 0.2, strike 0.5",
         .low = 0,
         .high = 100,
         .above = true,
         .given = &o->accuracy_given},
        {.kind = CLI_NUMBER,
         .name = "--max-memory",
         .value = "GB",
         .out = &o->max_memory_gb,
         .help = "refuse to use more (0: what is free)",
         .low = 0,
         .high = 1e6},
        {.kind = CLI_LIST,
         .name = "--fix",
         .value = "WHERE",
         .out = &o->fix,
         .help = "hold a part of the body fast, see below"},
        {.kind = CLI_FLAG, .name = "--no-cache", .out = &o->no_cache, .help = "analyse even if the result is known"},
    };
    memcpy(table, options, sizeof options);
}

static twStatus parse_holds(BakeOptions* o, twBakeDef* def, twError* err)
{
    twError inner;
    def->holds = o->holds;
    for (; def->hold_count < o->fix.count; def->hold_count++)
        if (tw_part_parse(&o->holds[def->hold_count], o->fix.items[def->hold_count], &inner) != TW_OK)
            return tw_fail(err, TW_BAD_INPUT, "--fix: %s", inner.text);
    return TW_OK;
}

static bool keep_going(const char* stage, double done, void* context)
{
    BakeOptions* o = context;
    if (strcmp(stage, o->stage) != 0)
    {
        cli_progress_end(&o->progress);
        snprintf(o->stage, sizeof o->stage, "%s", stage);
        o->mesh += strcmp(stage, "assemble") == 0;
        int n = o->mesh > 0 ? snprintf(o->label, sizeof o->label, "mesh %d: ", o->mesh) : 0;
        snprintf(o->label + n, sizeof o->label - (size_t)n, "%s", stage);
        o->progress = cli_progress(o->label);
    }
    cli_progress_update(&o->progress, done);
    cli_may_leave(&o->progress, done < 1 ? stage : NULL);  // files are written only between stages
    return !cli_interrupted();
}

static twStatus parse_scale(const BakeOptions* o, twBakeDef* def, twError* err)
{
    if (o->units != 0 && o->scale != 1) return tw_fail(err, TW_BAD_INPUT, "give --units or --scale, not both");
    def->scale = o->scale * bake_unit(o->units);
    return TW_OK;
}

twStatus bake_options_def(BakeOptions* o, twBakeDef* def, twError* err)
{
    *def = tw_bake_def();
    def->source = o->source;
    def->linear = o->elements == 1;
    def->max_freq_hz = o->max_freq_given ? o->max_freq : 0;
    def->count = o->max_freq_given && !o->count_given ? 0 : o->count;
    def->accuracy = 0.01 * o->accuracy;
    def->max_memory_bytes = (size_t)(o->max_memory_gb * 1e9);
    def->cache_folder = o->no_cache ? NULL : tw_cache_folder(o->cache, sizeof o->cache);
    def->keep_going = keep_going;
    def->context = o;
    o->progress = cli_progress("");
    twStatus status = parse_scale(o, def, err);
    if (status == TW_OK) status = bake_parse_materials(o, def, err);
    if (status == TW_OK) status = bake_parse_damping(o, &def->material, &def->damping, err);
    def->decay = o->decays;
    def->decay_count = o->decay_count;
    return status == TW_OK ? parse_holds(o, def, err) : status;
}

// ---- modes that are made already ----

// an option that only an analysis can follow; NULL if none is given
static const char* analysis_option(const BakeOptions* o)
{
    return o->material.count           ? "--material"
           : o->density_given          ? "--density"
           : o->young_given            ? "--young"
           : o->poisson_given          ? "--poisson"
           : o->fix.count              ? "--fix"
           : o->units || o->scale != 1 ? "--units or --scale"
           : o->count_given            ? "--count"
           : o->max_freq_given         ? "--max-freq"
           : o->elements               ? "--elements"
                                       : NULL;
}

twStatus bake_options_damp(BakeOptions* o, twModeSet** set, twError* err)
{
    const char* late = analysis_option(o);
    if (late)
        return tw_fail(err, TW_BAD_INPUT, "%s: the modes in %s are made already; make others with 'twang modes'", late,
                       o->source);
    twDamping damping;
    twMaterial first = {0};
    if ((*set)->material_count > 0)
        first = (twMaterial){.alpha = (*set)->materials[0].alpha, .beta = (*set)->materials[0].beta};
    twStatus status = bake_parse_damping(o, &first, &damping, err);
    if (status != TW_OK || damping.kind == TW_DAMPING_MATERIALS) return status;
    if (damping.kind == TW_DAMPING_MODES && o->decay_count != (*set)->mode_count)
        return tw_fail(err, TW_BAD_INPUT, "--decay: %d decays for %d modes: one is needed for each", o->decay_count,
                       (*set)->mode_count);
    twModeSet* damped;
    status = tw_mode_set_damp(&damped, *set, &damping, o->decays, err);
    if (status != TW_OK) return status;
    tw_mode_set_destroy(*set);
    *set = damped;
    return TW_OK;
}

// ---- units ----

#define LARGEST_BODY 100.0  // [m]
#define SMALLEST_BODY 1e-4

void bake_options_hint(const BakeOptions* o, const char* command, double size)
{
    if (size == 0 || (size <= LARGEST_BODY && size >= SMALLEST_BODY)) return;
    fprintf(stderr, "%s%s: hint: the body is %.3g m long; ", cli_prefix, command, size);
    if (tw_shape_looks_like(o->source))
        fprintf(stderr, "lengths of shapes are in metres\n");
    else if (size > LARGEST_BODY)
        fprintf(stderr, "if %s is not in metres, say so: --units mm, cm or in\n", o->source);
    else
        fprintf(stderr, "if %s is in other units, say so: --units m, mm, cm or in\n", o->source);
}
