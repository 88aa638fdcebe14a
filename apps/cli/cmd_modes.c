// SPDX-License-Identifier: MIT
// twang modes: from a mesh or shape to its modes.

#include "bake_options.h"
#include "info_body.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LN_1000 6.907755278982137
#define OWN_OPTIONS 6
#define PLOTTED_MODES 24

typedef struct ModesOptions
{
    BakeOptions bake;
    const char *output, *plot, *cull_text, *band_text;
    bool with_tets;
} ModesOptions;

// What was culled, and why.
typedef struct Culling
{
    bool wanted;
    twCullDef def;
    twCullReport report;
    twCullReason* why;  // (all modes)
    twModeSet* all;     // the modes before
} Culling;

static void culling_free(Culling* c)
{
    free(c->why);
    tw_mode_set_destroy(c->all);
}

// ---- culling ----

static const char* const reasons[] = {"kept", "too low", "too high", "too stiff"};

static twStatus parse_pair(const char* option, const char* text, const char* what, double* a, double* b, twError* err)
{
    char first[64];
    const char* comma = strchr(text, ',');
    bool right = comma && (size_t)(comma - text) < sizeof first;
    if (right) snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    if (!right || cli_parse_number(first, a) || cli_parse_number(comma + 1, b) || *a < 0 || *b < 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: '%s' must be two numbers, %s", option, text, what);
    return TW_OK;
}

static twStatus parse_culling(const ModesOptions* o, Culling* c, twError* err)
{
    twStatus status = TW_OK;
    c->wanted = o->cull_text || o->band_text;
    if (o->cull_text)
        status = parse_pair("--cull", o->cull_text, "FORCE,MOTION in N and m", &c->def.largest_force,
                            &c->def.smallest_motion, err);
    if (o->band_text && status == TW_OK)
        status = parse_pair("--band", o->band_text, "LOW,HIGH in Hz", &c->def.low_hz, &c->def.high_hz, err);
    if (status == TW_OK && o->band_text && c->def.high_hz <= c->def.low_hz)
        return tw_fail(err, TW_BAD_INPUT, "--band: '%s' is empty; write LOW,HIGH in Hz", o->band_text);
    return status;
}

// a set without modes is of no use: say what there was
static twStatus fail_culled(const Culling* c, twError* err)
{
    int count = c->all->mode_count;
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, c->def.largest_force * tw_mode_set_give(c->all, k));
    char stiff[80] = "";
    if (c->report.too_stiff > 0)
        snprintf(stiff, sizeof stiff, ", and %g N move none by more than %.2g m", c->def.largest_force, most);
    return tw_fail(
        err, TW_BAD_INPUT,
        "no mode is left by --band and --cull: of %d, %d are too low, %d too high, %d too stiff; the lowest is "
        "at %.5g Hz, the highest at %.5g Hz%s",
        count, c->report.too_low, c->report.too_high, c->report.too_stiff, c->all->freq_hz[0],
        c->all->freq_hz[count - 1], stiff);
}

// *set becomes the modes kept; c keeps the others
static twStatus cull(twModeSet** set, Culling* c, twError* err)
{
    if (!c->wanted) return TW_OK;
    c->all = *set;
    *set = NULL;
    c->why = calloc((size_t)c->all->mode_count + 1, sizeof *c->why);
    if (!c->why) return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", c->all->mode_count);
    twStatus status = tw_mode_set_cull(set, c->all, &c->def, c->why, &c->report, err);
    return status == TW_OK && c->report.kept == 0 ? fail_culled(c, err) : status;
}

// ---- JSON ----

static void json_culling(twJson* j, const Culling* c)
{
    if (!c->wanted)
    {
        tw_json_null(j, "culling");
        return;
    }
    tw_json_object(j, "culling");
    tw_json_integer(j, "kept", c->report.kept);
    tw_json_integer(j, "too_low", c->report.too_low);
    tw_json_integer(j, "too_high", c->report.too_high);
    tw_json_integer(j, "too_stiff", c->report.too_stiff);
    tw_json_array(j, "culled");
    for (int k = 0; k < c->all->mode_count; k++)
    {
        if (c->why[k] == TW_CULL_KEPT) continue;
        tw_json_object(j, NULL);
        tw_json_integer(j, "mode", k + 1);
        tw_json_number(j, "frequency_hz", c->all->freq_hz[k]);
        tw_json_text(j, "reason", reasons[c->why[k]]);
        if (c->def.largest_force > 0) tw_json_number(j, "motion_m", c->def.largest_force * tw_mode_set_give(c->all, k));
        tw_json_end(j);
    }
    tw_json_end(j);
    tw_json_end(j);
}

static void json_seconds(twJson* j, const twBakeReport* r)
{
    tw_json_object(j, "seconds");
    tw_json_number(j, "mesh", r->mesh_seconds);
    tw_json_number(j, "assemble", r->assemble_seconds);
    tw_json_number(j, "order", r->order_seconds);
    tw_json_number(j, "factor", r->factor_seconds);
    tw_json_number(j, "solve", r->solve_seconds);
    tw_json_number(j, "total", r->total_seconds);
    tw_json_number(j, "load", r->load_seconds);
    tw_json_end(j);
}

static void print_json(const twModeSet* set, const twBakeReport* r, const Culling* c)
{
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_numbers(&j, "frequencies_hz", set->freq_hz, (size_t)set->mode_count);
    tw_json_numbers(&j, "decay_per_s", set->decay, (size_t)set->mode_count);
    tw_json_integer(&j, "rigid_modes", set->rigid_modes);
    tw_json_integer(&j, "nodes", r->nodes);
    tw_json_integer(&j, "elements", r->elements);
    tw_json_integer(&j, "held_nodes", r->held_nodes);
    tw_json_integer(&j, "surface_vertices", set->vertex_count);
    tw_json_number(&j, "mass_kg", set->mass.mass);
    tw_json_number(&j, "volume_m3", set->mass.volume);
    tw_json_number(&j, "size_m", r->size);
    bake_error_json(&j, r);
    tw_json_integer(&j, "levels", r->levels);
    json_mode_materials(&j, set);
    json_culling(&j, c);
    tw_json_bool(&j, "cached", r->cached);
    json_seconds(&j, r);
    tw_json_integer(&j, "peak_memory_bytes", (int64_t)r->peak_memory_bytes);
    tw_json_text(&j, "note", r->note);
    tw_json_end(&j);
    putchar('\n');
}

// ---- text ----

static void print_culling(const Culling* c)
{
    if (!c->wanted) return;
    printf("culled %d of %d modes", c->all->mode_count - c->report.kept, c->all->mode_count);
    printf(c->report.kept < c->all->mode_count ? ":\n" : "\n");
    for (int k = 0; k < c->all->mode_count; k++)
    {
        if (c->why[k] == TW_CULL_KEPT) continue;
        char freq[CLI_NUMBER_BYTES];
        printf("%4d   %14s   %s", k + 1, cli_number(freq, c->all->freq_hz[k]), reasons[c->why[k]]);
        if (c->why[k] == TW_CULL_TOO_STIFF)
            printf(": %g N move it by %.2g m", c->def.largest_force,
                   c->def.largest_force * tw_mode_set_give(c->all, k));
        putchar('\n');
    }
}

static void print_materials(const twModeSet* set)
{
    for (int i = 0; i < set->material_count && set->material_count > 1; i++)
        printf("%s: %.4g kg, %.4g m^3\n", set->materials[i].name, set->materials[i].density * set->materials[i].volume,
               set->materials[i].volume);
}

static void print_text(const twModeSet* set, const twBakeReport* r, const Culling* c)
{
    printf("mode   frequency [Hz]   decay [1/s]   T60 [s]   largest shape [kg^-1/2]\n");
    for (int k = 0; k < set->mode_count; k++)
    {
        char freq[CLI_NUMBER_BYTES], decay[CLI_NUMBER_BYTES], t60[CLI_NUMBER_BYTES], shape[CLI_NUMBER_BYTES];
        double w = 2 * TW_PI * set->freq_hz[k];
        printf("%4d   %14s   %11s   %7s   %s\n", k + 1, cli_number(freq, set->freq_hz[k]),
               cli_number(decay, set->decay[k]), cli_number(t60, LN_1000 / set->decay[k]),
               cli_number(shape, w * sqrt(tw_mode_set_give(set, k))));
    }
    print_culling(c);
    printf("%d rigid modes; mass %.4g kg, volume %.4g m^3\n", set->rigid_modes, set->mass.mass, set->mass.volume);
    print_materials(set);
    if (r->held_nodes > 0) printf("held at %d nodes\n", r->held_nodes);
    printf("%d nodes, %d elements, %d round(s), %.2f s, %.0f MB\n", r->nodes, r->elements, r->levels, r->total_seconds,
           (double)r->peak_memory_bytes * 1e-6);
    if (r->cached) printf("from the cache, in %.2f s\n", r->load_seconds);
    char error[240];
    if (bake_error_text(error, sizeof error, r)[0]) printf("frequencies are %s\n", error);
    if (r->note[0]) printf("note: %s\n", r->note);
}

// ---- the command ----

static twStatus fail_modes_already(const char* path, twError* err)
{
    twModeSet* set;
    twStatus status = tw_mode_set_load(&set, path, err);
    tw_mode_set_destroy(set);
    if (status != TW_OK) return status;
    return tw_fail(err, TW_BAD_INPUT, "%s holds modes already; 'twang info' shows them", path);
}

// all that can be wrong is told before the analysis
static twStatus prepare(ModesOptions* o, twBakeDef* def, Culling* culling, twError* err)
{
    if (body_kind(o->bake.source) == BODY_MODES) return fail_modes_already(o->bake.source, err);
    twStatus status = bake_options_def(&o->bake, def, err);
    def->with_tets = o->with_tets;
    if (status == TW_OK) status = parse_culling(o, culling, err);
    if (status == TW_OK && o->with_tets && !o->output)
        status = tw_fail(err, TW_BAD_INPUT, "--with-tets is about the file to be written; name it: -o FILE.twmodes");
    if (status == TW_OK) status = cli_check_output("--output", o->output, ".twmodes", err);
    if (status == TW_OK) status = cli_check_output("--plot", o->plot, ".png", err);
    return status;
}

static int run(ModesOptions* o, const char* command)
{
    twError err;
    twBakeDef def;
    twModeSet* set = NULL;
    twBakeReport report = {0};
    Culling culling = {0};
    twStatus status = prepare(o, &def, &culling, &err);
    if (status == TW_OK) status = bake_options_run(&o->bake, command, &def, &set, &report, &err);
    if (status == TW_OK) status = cull(&set, &culling, &err);
    if (status == TW_OK && cli_interrupted())
        status = tw_fail(&err, TW_INTERRUPTED, "interrupted; nothing was written");
    if (status == TW_OK && o->output) status = tw_mode_set_save(set, o->output, &err);
    if (status == TW_OK && o->plot) status = tw_mode_sheet_save(o->plot, set, PLOTTED_MODES, &err);
    int code = CLI_OK;
    if (status != TW_OK)
        code = cli_fail_error(command, &err);
    else if (o->bake.json)
        print_json(set, &report, &culling);
    else
        print_text(set, &report, &culling);
    if (status == TW_OK && o->plot && !o->bake.json && set->mode_count > PLOTTED_MODES)
        printf("%s shows %d of %d modes\n", o->plot, PLOTTED_MODES, set->mode_count);
    tw_mode_set_destroy(set);
    culling_free(&culling);
    return code;
}

int cmd_modes(int argc, char** argv)
{
    ModesOptions o = {.bake = bake_options()};
    CliOption options[BAKE_OPTION_COUNT + OWN_OPTIONS];
    bake_option_table(&o.bake, options);
    const CliOption own[OWN_OPTIONS] = {
        {.kind = CLI_TEXT,
         .name = "-o|--output",
         .value = "FILE.twmodes",
         .out = &o.output,
         .help = "write the modes with their shapes"},
        {.kind = CLI_FLAG,
         .name = "--with-tets",
         .out = &o.with_tets,
         .help = "write the tets too, and how they move inside"},
        {.kind = CLI_TEXT,
         .name = "--cull",
         .value = "FORCE,MOTION",
         .out = &o.cull_text,
         .help = "leave out modes that FORCE [N], held, moves less than MOTION [m] anywhere"},
        {.kind = CLI_TEXT,
         .name = "--band",
         .value = "LOW,HIGH",
         .out = &o.band_text,
         .help = "leave out modes outside [Hz]: 20,20000 to hear, 0,15 to see at 30 pictures per second"},
        {.kind = CLI_TEXT, .name = "--plot", .value = "FILE.png", .out = &o.plot, .help = "draw the mode shapes"},
        {.kind = CLI_FLAG, .name = "--json", .out = &o.bake.json, .help = "print the result as JSON"},
    };
    memcpy(options + BAKE_OPTION_COUNT, own, sizeof own);
    const CliUsage usage = {
        argv[0], "modal analysis of a mesh or shape", options, BAKE_OPTION_COUNT + OWN_OPTIONS,
        BAKE_NOTES
        "A mesh is analysed in rounds, each better than the last, until --accuracy or --budget is reached; every round\n"
        "is cached, and a later call with a better accuracy continues from it.\n"
        "Example: twang modes bar:0.3048x0.0254x0.0127 --material aluminium --count 10"};
    int code;
    if (cli_parse(&usage, argc, argv, &code)) code = run(&o, argv[0]);
    bake_options_free(&o.bake);
    return code;
}
