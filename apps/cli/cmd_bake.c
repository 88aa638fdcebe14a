// SPDX-License-Identifier: MIT
// twang bake: how the modes of a body, or of all bodies of a scene, sound in the air around them.

#include "bake_options.h"
#include "bake_plot.h"
#include "info_body.h"
#include "twang/bodies.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN_OPTIONS 10
#define HEARD_HZ 20000.0
#define USUAL_MODES 200  // of a body that is analysed first

typedef struct AirOptions
{
    BakeOptions bake;
    const char *output, *plot;
    int min_panels, max_panels, threads;
    double sound_speed, air_density, budget;
    bool fine, min_given, max_given, speed_given, air_given;
    CliProgress progress;
    char label[64];
    twJson json;
} AirOptions;

// ---- one body ----

static bool keep_going(int done, int count, double fraction, void* context)
{
    AirOptions* o = context;
    char label[sizeof o->label];
    snprintf(label, sizeof label, "mode %d of %d", done < count ? done + 1 : count, count);
    if (strcmp(label, o->label) != 0)
    {
        // the bar goes on, with the time that is left of all
        memcpy(o->label, label, sizeof label);
        o->progress.label = o->label;
    }
    cli_progress_update(&o->progress, fraction);
    return !cli_interrupted();
}

static void print_table(const twModeSet* set, const twTransfer* t, const twTransferModeReport* modes)
{
    printf("mode   frequency [Hz]   order   panels   per wave   fit error [dB]   radiation [dB]\n");
    for (int k = 0; k < set->mode_count; k++)
    {
        char freq[CLI_NUMBER_BYTES];
        if (modes[k].baked)
            printf("%4d   %14s   %5d   %6d   %8.1f   %14.2f   %14.1f\n", k + 1, cli_number(freq, set->freq_hz[k]),
                   t->order[k], modes[k].panels, modes[k].panels_per_wave, (double)t->error_db[k],
                   10 * log10(modes[k].efficiency));
        else if (modes[k].estimated)
            printf("%4d   %14s   %5d   estimated                              %14.1f\n", k + 1,
                   cli_number(freq, set->freq_hz[k]), t->order[k], 10 * log10(modes[k].efficiency));
        else
            printf("%4d   %14s   not baked\n", k + 1, cli_number(freq, set->freq_hz[k]));
    }
}

static void print_text(const char* name, const twModeSet* set, const twTransfer* t, const twTransferModeReport* modes,
                       const twTransferBakeReport* r)
{
    if (name) printf("%s\n", name);
    print_table(set, t, modes);
    printf("%d modes in %.2f s", r->baked, r->seconds);
    if (r->cached > 0) printf(", %d of them from the cache", r->cached);
    printf("; sphere of %.4g m\n", t->radius);
    if (r->left > 0) printf("%d modes are estimated, %.1f dB of the loudness of all\n", r->left, r->left_db);
    if (r->failed > 0) printf("note: %d modes did not converge and are estimated\n", r->failed);
    if (r->note[0]) printf("note: %s\n", r->note);
}

static void print_json(twJson* j, const char* name, const twModeSet* set, const twTransfer* t,
                       const twTransferModeReport* modes, const twTransferBakeReport* r)
{
    tw_json_object(j, NULL);
    if (name) tw_json_text(j, "body", name);
    tw_json_number(j, "radius_m", t->radius);
    tw_json_number(j, "sound_speed", t->sound_speed);
    tw_json_number(j, "air_density", t->air_density);
    tw_json_integer(j, "baked", r->baked);
    tw_json_integer(j, "cached", r->cached);
    tw_json_integer(j, "failed", r->failed);
    tw_json_integer(j, "estimated", r->left);
    tw_json_number(j, "estimated_db", r->left > 0 ? r->left_db : NAN);
    tw_json_number(j, "seconds", r->seconds);
    tw_json_text(j, "note", r->note);
    tw_json_array(j, "modes");
    for (int k = 0; k < set->mode_count; k++)
    {
        tw_json_object(j, NULL);
        tw_json_number(j, "frequency_hz", set->freq_hz[k]);
        tw_json_integer(j, "order", t->order[k]);
        tw_json_integer(j, "panels", modes[k].panels);
        tw_json_number(j, "panels_per_wave", modes[k].panels_per_wave);
        tw_json_number(j, "fit_error_db", t->error_db[k]);
        tw_json_bool(j, "estimated", modes[k].estimated);
        tw_json_number(j, "radiation_db", t->order[k] >= 0 ? 10 * log10(modes[k].efficiency) : NAN);
        tw_json_number(j, "seconds", modes[k].seconds);
        tw_json_bool(j, "cached", modes[k].cached);
        tw_json_end(j);
    }
    tw_json_end(j);
    tw_json_end(j);
}

static twStatus save(const AirOptions* o, const twModeSet* set, const twTransfer* t, twError* err)
{
    twModeSet with = *set;
    with.transfer = t;
    return o->output ? tw_mode_set_save(&with, o->output, err) : TW_OK;
}

// bake a set and say how it went
static twStatus bake_set(AirOptions* o, const char* name, const twModeSet* set, twError* err)
{
    twTransferBakeDef def = o->fine ? tw_transfer_fine_def(set) : tw_transfer_bake_def(set);
    twTransferBakeReport report;
    twTransfer* t = NULL;
    def.sound_speed = o->sound_speed;
    def.air_density = o->air_density;
    def.max_freq_hz = o->bake.max_freq_given ? o->bake.max_freq : HEARD_HZ;
    def.max_panels = o->max_panels;
    def.min_panels = o->min_panels;
    def.budget = o->budget;
    def.threads = o->threads;
    def.max_memory_bytes = (size_t)(o->bake.max_memory_gb * 1e9);
    def.cache_folder = o->bake.no_cache ? NULL : tw_cache_folder(o->bake.cache, sizeof o->bake.cache);
    def.keep_going = keep_going;
    def.context = o;
    def.modes = calloc((size_t)set->mode_count + 1, sizeof *def.modes);
    if (!def.modes) return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", set->mode_count);
    o->progress = cli_progress("panels");
    o->progress.quiet = o->bake.json;
    twStatus status = tw_bake_transfer(&t, &def, &report, err);
    cli_progress_end(&o->progress);
    if (status == TW_OK) status = save(o, set, t, err);
    if (status == TW_OK && o->plot) status = bake_plot_save(o->plot, t, err);
    if (status == TW_OK && o->bake.json) print_json(&o->json, name, set, t, def.modes, &report);
    if (status == TW_OK && !o->bake.json) print_text(name, set, t, def.modes, &report);
    tw_transfer_destroy(t);
    free(def.modes);
    return status;
}

// ---- what is baked ----

static twStatus bake_file(AirOptions* o, twError* err)
{
    twModeSet* set;
    twStatus status = tw_mode_set_load(&set, o->bake.source, err);
    if (status != TW_OK) return status;
    status = bake_set(o, NULL, set, err);
    tw_mode_set_destroy(set);
    return status;
}

static twStatus bake_body(AirOptions* o, twError* err)
{
    twBakeDef def;
    twModeSet* set = NULL;
    twBakeReport report = {0};
    bool limited = o->bake.max_freq_given;
    if (!limited && !o->bake.count_given && !o->bake.decay)
    {
        // what can be heard, but not too much of it
        o->bake.max_freq_given = o->bake.count_given = true;
        o->bake.max_freq = HEARD_HZ;
        o->bake.count = USUAL_MODES;
    }
    twStatus status = bake_options_def(&o->bake, &def, err);
    if (status == TW_OK) status = bake_options_run(&o->bake, "bake", &def, &set, &report, err);
    if (status == TW_OK) status = bake_set(o, NULL, set, err);
    tw_mode_set_destroy(set);
    return status;
}

static bool bodies_go_on(const char* stage, double done, void* context)
{
    AirOptions* o = context;
    if (strcmp(stage, o->label) != 0)
    {
        snprintf(o->label, sizeof o->label, "%s", stage);
        cli_progress_stage(&o->progress, o->label);
    }
    cli_progress_update(&o->progress, done);
    return !cli_interrupted();
}

// every flexible body once: equal ones share their set
static twStatus bake_bodies(AirOptions* o, const twScene* scene, const twBodies* bodies, twError* err)
{
    twStatus status = TW_OK;
    int baked = 0;
    for (int i = 0; i < scene->body_count && status == TW_OK; i++)
    {
        const twModeSet* set = tw_bodies_set(bodies, i);
        bool again = set->mode_count == 0;
        for (int k = 0; k < i && !again; k++) again = tw_bodies_set(bodies, k) == set;
        if (again) continue;
        if (baked++ == 0 && o->bake.json) tw_json_array(&o->json, NULL);
        status = bake_set(o, scene->bodies[i].name, set, err);
    }
    if (status == TW_OK && baked == 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: no body of the scene has modes, so there is nothing to bake",
                       o->bake.source);
    return status;
}

// what says how one body is made; those of a scene say it themselves
static bool describes_body(const BakeOptions* b)
{
    return b->material.count > 0 || b->fibre || b->fix.count > 0 || b->count_given || b->accuracy_given ||
           b->density_given || b->young_given || b->poisson_given || bake_damping_given(b);
}

static twStatus bake_scene(AirOptions* o, twError* err)
{
    twScene* scene;
    twBodies* bodies = NULL;
    if (o->output || o->plot)
        return tw_fail(err, TW_BAD_INPUT,
                       "--output and --plot are for one body; those of a scene are kept in the cache");
    if (describes_body(&o->bake))
        return tw_fail(err, TW_BAD_INPUT,
                       "options for the material and the modes are for one body; a scene says its own");
    if (o->bake.no_cache) return tw_fail(err, TW_BAD_INPUT, "--no-cache: the bodies of a scene are kept nowhere else");
    twStatus status = tw_scene_load(&scene, o->bake.source, err);
    if (status != TW_OK) return status;
    if (scene->body_count == 0)
    {
        tw_scene_destroy(scene);
        return tw_fail(err, TW_BAD_INPUT, "%s: there are no 'bodies' in the scene, so there is nothing to bake",
                       o->bake.source);
    }
    // the air it will be heard in, or nobody would find what is baked
    if (!o->speed_given) o->sound_speed = scene->sound.sound_speed;
    if (!o->air_given) o->air_density = scene->sound.air_density;
    twBodiesDef def = tw_bodies_def();
    def.cache_folder = tw_cache_folder(o->bake.cache, sizeof o->bake.cache);
    def.keep_going = bodies_go_on;
    def.context = o;
    o->progress = cli_progress("");
    o->progress.quiet = o->bake.json;
    status = tw_bodies_create(&bodies, scene, &def, err);
    cli_progress_end(&o->progress);
    if (status == TW_OK) status = bake_bodies(o, scene, bodies, err);
    tw_bodies_destroy(bodies);
    tw_scene_destroy(scene);
    return status;
}

static bool is_scene(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

// one of the two that was given moves the usual value of the other
static twStatus check_panels(AirOptions* o, twError* err)
{
    twTransferBakeDef usual = o->fine ? tw_transfer_fine_def(NULL) : tw_transfer_bake_def(NULL);
    if (!o->min_given) o->min_panels = usual.min_panels;
    if (!o->max_given) o->max_panels = usual.max_panels;
    if (o->min_panels <= o->max_panels) return TW_OK;
    if (o->min_given && o->max_given)
        return tw_fail(err, TW_BAD_INPUT, "--min-panels %d is more than --max-panels %d", o->min_panels, o->max_panels);
    if (o->min_given)
        o->max_panels = o->min_panels;
    else
        o->min_panels = o->max_panels;
    return TW_OK;
}

static int run(AirOptions* o, const char* command)
{
    twError err;
    twStatus status = cli_check_output("--output", o->output, ".twmodes", &err);
    if (status == TW_OK) status = cli_check_plot("--plot", o->plot, &err);
    if (status == TW_OK) status = check_panels(o, &err);
    o->json = tw_json(stdout);
    bool scene = is_scene(o->bake.source);
    if (status == TW_OK)
        status = scene                                     ? bake_scene(o, &err)
                 : body_kind(o->bake.source) == BODY_MODES ? bake_file(o, &err)
                                                           : bake_body(o, &err);
    if (status == TW_OK && o->bake.json)
    {
        if (scene) tw_json_end(&o->json);
        putchar('\n');
    }
    if (status == TW_INTERRUPTED) return cli_fail(command, CLI_INTERRUPTED, "%s", err.text);
    return status == TW_OK ? CLI_OK : cli_fail_error(command, &err);
}

int cmd_bake(int argc, char** argv)
{
    twTransferBakeDef usual = tw_transfer_bake_def(NULL);
    AirOptions o = {.bake = bake_options(),
                    .min_panels = usual.min_panels,
                    .max_panels = usual.max_panels,
                    .sound_speed = usual.sound_speed,
                    .air_density = usual.air_density};
    CliOption options[BAKE_OPTION_COUNT + OWN_OPTIONS];
    bake_option_table(&o.bake, options);
    options[0].help =
        "modes (.twmodes), a shape like bowl:0.08x0.003, a mesh, tets, or a scene (.yaml): all its flexible bodies";
    bake_option_help(options, "--count", "how many modes, the lowest [default: 200, or all up to --max-freq]");
    bake_option_help(options, "--max-freq", "bake modes up to here [default: 20000]");
    const CliOption own[OWN_OPTIONS] = {
        {.kind = CLI_FLAG,
         .name = "--fine",
         .out = &o.fine,
         .help = "directions and the field near by, too: 1000 to 2000 panels, 10 per wave; takes five times as long"},
        {.kind = CLI_NUMBER,
         .name = "--bake-budget",
         .value = "S",
         .out = &o.budget,
         .help =
             "bake the loudest modes within so many seconds at 2e9 operations per second, estimate the rest; 0: no limit",
         .low = 0,
         .high = 1e9},
        {.kind = CLI_INTEGER,
         .name = "--max-panels",
         .value = "N",
         .out = &o.max_panels,
         .given = &o.max_given,
         .help = "boundary elements of a mode at most; as many as its wavelength needs, the most if it radiates weakly",
         .low = 16,
         .high = 8000},
        {.kind = CLI_INTEGER,
         .name = "--min-panels",
         .value = "N",
         .out = &o.min_panels,
         .given = &o.min_given,
         .help = "and at least",
         .low = 16,
         .high = 8000},
        {.kind = CLI_INTEGER,
         .name = "--threads",
         .value = "N",
         .out = &o.threads,
         .help = "modes at a time; 0: as many as processors",
         .low = 0,
         .high = 256},
        {.kind = CLI_NUMBER,
         .name = "--sound-speed",
         .value = "M_S",
         .out = &o.sound_speed,
         .given = &o.speed_given,
         .help = "of the air",
         .low = 1,
         .high = 1e4,
         .unit = "m/s"},
        {.kind = CLI_NUMBER,
         .name = "--air-density",
         .value = "KG_M3",
         .out = &o.air_density,
         .given = &o.air_given,
         .help = "of the air",
         .low = 1e-6,
         .high = 1e4,
         .unit = "kg/m^3"},
        {.kind = CLI_TEXT,
         .name = "-o|--output",
         .value = "FILE.twmodes",
         .out = &o.output,
         .help = "write the modes with their sound in the air"},
        {.kind = CLI_TEXT,
         .name = "--plot",
         .value = "FILE",
         .out = &o.plot,
         .help = "draw where the first modes sound to, as SVG or PNG"},
        {.kind = CLI_FLAG, .name = "--json", .out = &o.bake.json, .help = "print the result as JSON"},
    };
    memcpy(options + BAKE_OPTION_COUNT, own, sizeof own);
    const CliUsage usage = {
        argv[0], "how modes sound in the air around a body, in all directions, near and far", options,
        BAKE_OPTION_COUNT + OWN_OPTIONS,
        BAKE_NOTES
        "Each mode is kept in the cache as soon as it is done: an interrupted bake goes on where it was, and 'twang sound'\n"
        "and 'twang render' find what is there. Radiation is the power over that of a large flat piston of the same motion.\n"
        "Example: twang bake bowl:0.08x0.003 --material brass --count 20 -o bowl.twmodes"};
    int code;
    if (cli_parse(&usage, argc, argv, &code)) code = run(&o, argv[0]);
    bake_options_free(&o.bake);
    return code;
}
