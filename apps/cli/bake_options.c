// SPDX-License-Identifier: MIT
// Options of commands that bake a body.

#include "bake_options.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAFT_ACCURACY 10   // percent
#define DRAFT_BUDGET 3      // [s at 2 Gflop/s]: half a second of a core that does 12 Gflop/s
#define ROUGH_ACCURACY 0.2  // relative: to say where the lowest mode is

static const char* const element_names[] = {"quadratic", "linear", NULL};

const char* const bake_unit_names[] = {"m", "dm", "cm", "mm", "in", "ft", NULL};  // of tw_units(), in its order

BakeOptions bake_options(void) { return (BakeOptions){.scale = 1, .count = 32, .budget = tw_bake_def().budget}; }

void bake_options_free(BakeOptions* o) { free(o->decays); }

void bake_option_table(BakeOptions* o, CliOption table[BAKE_OPTION_COUNT])
{
    const CliOption options[BAKE_OPTION_COUNT] = {
        {.kind = CLI_ARGUMENT,
         .name = "BODY",
         .out = &o->source,
         .help = "a shape like bar:0.3x0.02x0.01, a mesh (OBJ, STL, PLY, OFF, glTF), or tets (.msh, .node)",
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
         .low = -1,
         .high = 0.4999,
         .above = true,
         .given = &o->poisson_given},
        {.kind = CLI_TEXT,
         .name = "--fibre",
         .value = "DIRECTION",
         .out = &o->fibre,
         .help = "of the grain of wood: x, y, z or X,Y,Z, with the radial direction x:y [default: the longest side]"},
        {.kind = CLI_NUMBER,
         .name = "--alpha",
         .value = "1/S",
         .out = &o->alpha,
         .help = "Rayleigh damping by mass, instead of the material's damping",
         .low = 0,
         .high = 1e9,
         .unit = "1/s",
         .given = &o->alpha_given},
        {.kind = CLI_NUMBER,
         .name = "--beta",
         .value = "S",
         .out = &o->beta,
         .help = "Rayleigh damping by stiffness, instead of the material's damping",
         .low = 0,
         .high = 1e3,
         .unit = "s",
         .given = &o->beta_given},
        {.kind = CLI_NUMBER,
         .name = "--loss-factor",
         .value = "ETA",
         .out = &o->loss_factor,
         .help = "of the solid, instead of the material's: decay = pi eta f; heat and air come on top",
         .low = 0,
         .high = 0.999,
         .given = &o->loss_given},
        {.kind = CLI_NUMBER,
         .name = "--t60",
         .value = "S",
         .out = &o->t60,
         .help = "time in which every mode falls by 60 dB, instead of the material's damping",
         .low = 0,
         .high = 1e6,
         .above = true,
         .unit = "s",
         .given = &o->t60_given},
        {.kind = CLI_TEXT,
         .name = "--mounting",
         .value = "HOW",
         .out = &o->mounting,
         .help = "what holds the body: free (on a thread), hand or cloth [default: free]"},
        {.kind = CLI_TEXT,
         .name = "--damping-curve",
         .value = "F:D,...|FILE",
         .out = &o->damping_curve,
         .help = "decays [1/s] at frequencies [Hz], straight lines between them in log-log"},
        {.kind = CLI_TEXT,
         .name = "--decay",
         .value = "D,D,...|FILE",
         .out = &o->decay,
         .help = "the decay of each mode [1/s]; without --count and --max-freq, as many modes"},
        {.kind = CLI_CHOICE,
         .name = "--units",
         .value = "UNIT",
         .out = &o->units,
         .help = "of a file's coordinates, metres if not given",
         .choices = bake_unit_names,
         .given = &o->units_given},
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
         .help = "how many modes, the lowest [default: 32, or all up to --max-freq]",
         .low = 1,
         .high = 100000,
         .given = &o->count_given},
        {.kind = CLI_NUMBER,
         .name = "--max-freq",
         .value = "HZ",
         .out = &o->max_freq,
         .help = "modes up to here [default: no limit]",
         .low = 0,
         .high = 1e9,
         .above = true,
         .unit = "Hz",
         .given = &o->max_freq_given},
        {.kind = CLI_CHOICE,
         .name = "--elements",
         .value = "KIND",
         .out = &o->elements,
         .help = "of 10 or of 4 nodes, which are far too stiff for thin bodies",
         .choices = element_names},
        {.kind = CLI_NUMBER,
         .name = "--accuracy",
         .value = "PERCENT",
         .out = &o->accuracy,
         .help = "wanted error of the lowest ten frequencies [default: shapes 0.1, thin ones 0.2, meshes 0.3]",
         .low = 0,
         .high = 100,
         .above = true,
         .given = &o->accuracy_given},
        {.kind = CLI_NUMBER,
         .name = "--budget",
         .value = "S",
         .out = &o->budget,
         .help = "end the rounds of a mesh before so many seconds at 2e9 operations per second (0: no limit)",
         .low = 0,
         .high = 1e9,
         .unit = "s"},
        {.kind = CLI_FLAG, .name = "--draft", .out = &o->draft, .help = "quick: --accuracy 10 --budget 3"},
        {.kind = CLI_NUMBER,
         .name = "--thickness",
         .value = "M",
         .out = &o->thickness,
         .help = "thickness of a mesh that is a sheet, or of the walls of a closed one [m]",
         .low = 0,
         .high = 1e6,
         .above = true,
         .unit = "m",
         .given = &o->thickness_given},
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

void bake_option_help(CliOption table[BAKE_OPTION_COUNT], const char* name, const char* help)
{
    for (int i = 0; i < BAKE_OPTION_COUNT; i++)
        if (strcmp(table[i].name, name) == 0) table[i].help = help;
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
        snprintf(o->stage, sizeof o->stage, "%s", stage);
        if (strcmp(stage, "assemble") == 0) o->mesh = (o->report->levels > 0 ? o->report->levels : o->mesh) + 1;
        int n = o->mesh > 0 ? snprintf(o->label, sizeof o->label, "round %d: ", o->mesh) : 0;
        snprintf(o->label + n, sizeof o->label - (size_t)n, "%s", stage);
        cli_progress_stage(&o->progress, o->label);
    }
    cli_progress_update(&o->progress, done);
    cli_may_leave(&o->progress, done < 1 ? stage : NULL);  // files are written only between stages
    return !cli_interrupted();
}

// A wrong number of decays is told before the analysis. Without a limit of the modes there are as many as decays.
static twStatus match_decays(const BakeOptions* o, twBakeDef* def, twError* err)
{
    if (def->damping.kind != TW_DAMPING_MODES) return TW_OK;
    if (!o->count_given && !o->max_freq_given) def->count = o->decay_count;
    bool wrong = o->max_freq_given ? o->decay_count > def->count : o->decay_count != def->count;
    if (def->count == 0 || !wrong) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "--decay: %d decays for %s%d modes: one is needed for each", o->decay_count,
                   o->max_freq_given ? "at most " : "", def->count);
}

// of the body and of its regions
static twStatus parse_dampings(BakeOptions* o, twBakeDef* def, twError* err)
{
    twMaterial all[CLI_LIST_MAX + 1] = {def->material};
    for (int i = 0; i < def->region_count; i++) all[i + 1] = o->regions[i].material;
    twStatus status = bake_parse_damping(o, all, def->region_count + 1, &def->damping, err);
    def->material = all[0];
    for (int i = 0; i < def->region_count; i++) o->regions[i].material = all[i + 1];
    return status;
}

twStatus bake_options_def(BakeOptions* o, twBakeDef* def, twError* err)
{
    *def = tw_bake_def();
    def->source = o->source;
    def->linear = o->elements == 1;
    def->max_freq_hz = o->max_freq_given ? o->max_freq : 0;
    def->count = o->max_freq_given && !o->count_given ? 0 : o->count;
    def->accuracy = 0.01 * (o->draft && !o->accuracy_given ? DRAFT_ACCURACY : o->accuracy);
    def->budget = o->draft ? DRAFT_BUDGET : o->budget;
    def->thickness = o->thickness_given ? o->thickness : 0;
    def->max_memory_bytes = (size_t)(o->max_memory_gb * 1e9);
    def->cache_folder = o->no_cache ? NULL : tw_cache_folder(o->cache, sizeof o->cache);
    def->keep_going = keep_going;
    def->context = o;
    twStatus status = bake_scale(o->source, o->units, o->scale, &def->scale, err);
    if (status == TW_OK) status = bake_parse_materials(o, def, err);
    if (status == TW_OK) status = parse_dampings(o, def, err);
    def->decay = o->decays;
    def->decay_count = o->decay_count;
    if (status == TW_OK) status = match_decays(o, def, err);
    return status == TW_OK ? parse_holds(o, def, err) : status;
}

// ---- the analysis ----

// nothing was found: say where the lowest mode is, roughly
static twStatus fail_empty(const twBakeDef* def, twError* err)
{
    twBakeDef rough = *def;
    twModeSet* lowest;
    rough.count = 1;
    rough.max_freq_hz = 0;
    rough.accuracy = ROUGH_ACCURACY;
    rough.damping = tw_damping_materials();
    rough.on_round = NULL;
    twStatus status = tw_bake(&lowest, &rough, NULL, err);
    if (status != TW_OK) return status;
    if (lowest->mode_count > 0)
        status = tw_fail(err, TW_BAD_INPUT, "there is no mode up to %g Hz; the lowest is at about %.5g Hz",
                         def->max_freq_hz, lowest->freq_hz[0]);
    else
        status = tw_fail(err, TW_BAD_INPUT, "%s has no modes: too much of it is held", def->source);
    tw_mode_set_destroy(lowest);
    return status;
}

twStatus bake_options_run(BakeOptions* o, const char* command, const twBakeDef* def, twModeSet** set,
                          twBakeReport* report, twError* err)
{
    o->progress = cli_progress("");
    o->progress.quiet = o->json;
    o->report = report;
    twStatus status = tw_bake(set, def, report, err);
    if (status == TW_OK && (*set)->mode_count == 0) status = fail_empty(def, err);
    cli_progress_end(&o->progress);
    bake_hint(o->source, command, def->scale, report->size);
    return status;
}

// ---- errors ----

static double cents(double error) { return 1200 * log2(1 + error); }

// Two figures, without an exponent for large ones: "0.0031 %", "4.2 %", "140 %".
static const char* two_figures(char out[40], double x)
{
    snprintf(out, 40, x < 10 ? "%.2g" : "%.0f", x);
    return out;
}

const char* bake_error_text(char* out, size_t bytes, const twBakeReport* r)
{
    char percent[40], in_cents[40];
    out[0] = 0;
    if (!(r->error_estimate > 0)) return out;
    int n = r->error_known > 0
                ? snprintf(out, bytes, "at most %s %% (%s cents) %s", two_figures(percent, 100 * r->error_known),
                           two_figures(in_cents, cents(r->error_known)), r->one_sided ? "too high" : "off")
                : snprintf(out, bytes, "not known yet");
    if (r->error_known > 0 && r->unknown_modes > 0)
        n += snprintf(out + n, bytes - (size_t)n, ", but for %d not known yet", r->unknown_modes);
    if (r->error_lowest > 0 && r->error_lowest < 0.9 * r->error_known)
        n += snprintf(out + n, bytes - (size_t)n, ", the lowest ten at most %s %% (%s cents)",
                      two_figures(percent, 100 * r->error_lowest), two_figures(in_cents, cents(r->error_lowest)));
    if (r->next_operations > 0)
        snprintf(out + n, bytes - (size_t)n, "; --budget %.0f allows the next, better round",
                 ceil(r->next_operations / TW_BAKE_RATE));
    return out;
}

void bake_error_json(twJson* j, const twBakeReport* r)
{
    if (r->error_estimate > 0)
    {
        tw_json_number(j, "error_estimate_percent", 100 * r->error_estimate);
        tw_json_number(j, "error_cents", cents(r->error_estimate));
    }
    else
    {
        tw_json_null(j, "error_estimate_percent");
        tw_json_null(j, "error_cents");
    }
    tw_json_integer(j, "unknown_modes", r->unknown_modes);
    tw_json_bool(j, "one_sided", r->one_sided);
}

// ---- modes that are made already ----

// an option that only an analysis can follow; NULL if none is given
static const char* analysis_option(const BakeOptions* o)
{
    return o->material.count           ? "--material"
           : o->density_given          ? "--density"
           : o->young_given            ? "--young"
           : o->poisson_given          ? "--poisson"
           : o->fibre                  ? "--fibre"
           : o->fix.count              ? "--fix"
           : o->units || o->scale != 1 ? "--units or --scale"
           : o->count_given            ? "--count"
           : o->max_freq_given         ? "--max-freq"
           : o->elements               ? "--elements"
           : o->accuracy_given         ? "--accuracy"
           : o->thickness_given        ? "--thickness"
           : o->draft                  ? "--draft"
                                       : NULL;
}

// the set with materials (as many as it has) of other damping
static twStatus damp_made(BakeOptions* o, twModeSet** set, twMaterial* materials, twModeMaterial* damped, twError* err)
{
    const int count = (*set)->material_count;
    twDamping damping;
    for (int i = 0; i < count; i++)
    {
        const twModeMaterial* m = &(*set)->materials[i];
        materials[i] = (twMaterial){.alpha = m->alpha, .beta = m->beta, .loss_factor = m->loss_factor};
    }
    twStatus status = bake_parse_damping(o, materials, count, &damping, err);
    if (status != TW_OK) return status;
    if (damping.kind == TW_DAMPING_MODES && o->decay_count != (*set)->mode_count)
        return tw_fail(err, TW_BAD_INPUT, "--decay: %d decays for %d modes: one is needed for each", o->decay_count,
                       (*set)->mode_count);
    for (int i = 0; i < count; i++)
    {
        damped[i] = (*set)->materials[i];
        damped[i].alpha = materials[i].alpha;
        damped[i].beta = materials[i].beta;
        damped[i].loss_factor = materials[i].loss_factor;
    }
    twModeSet *made, of = **set;
    of.materials = damped;
    status = tw_mode_set_damp(&made, &of, &damping, o->decays, err);
    if (status != TW_OK) return status;
    tw_mode_set_destroy(*set);
    *set = made;
    return TW_OK;
}

twStatus bake_options_damp(BakeOptions* o, twModeSet** set, twError* err)
{
    const char* late = analysis_option(o);
    if (late)
        return tw_fail(err, TW_BAD_INPUT, "%s: the modes in %s are made already; make others with 'twang modes'", late,
                       o->source);
    if (!bake_damping_given(o)) return TW_OK;
    const size_t count = (size_t)(*set)->material_count;
    twMaterial* materials = calloc(count + 1, sizeof *materials);
    twModeMaterial* damped = calloc(count + 1, sizeof *damped);
    twStatus status = materials && damped ? damp_made(o, set, materials, damped, err)
                                          : tw_fail(err, TW_NO_MEMORY, "no memory for %zu materials", count);
    free(materials);
    free(damped);
    return status;
}

// ---- units ----

twStatus bake_scale(const char* source, int units, double scale, double* factor, twError* err)
{
    int count;
    *factor = scale * tw_units(&count)[units].metres;
    if (units != 0 && scale != 1) return tw_fail(err, TW_BAD_INPUT, "give --units or --scale, not both");
    if (*factor != 1 && tw_shape_looks_like(source))
        return tw_fail(err, TW_BAD_INPUT, "%s is for files; lengths of shapes such as %s are in metres",
                       units ? "--units" : "--scale", source);
    return TW_OK;
}

void bake_hint(const char* source, const char* command, double scale, double size)
{
    char hint[512];
    if (tw_size_hint(hint, sizeof hint, source, scale, size, false)[0])
        fprintf(stderr, "%s%s: hint: %s\n", cli_prefix, command, hint);
}
