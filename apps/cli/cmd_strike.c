// SPDX-License-Identifier: MIT
// twang strike: from a mesh, shape or mode file to the sound of a strike.

#include "bake_options.h"
#include "info_body.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LN_1000 6.907755278982137
#define OWN_OPTIONS 9
#define PEAK_DBFS (-1.0)
#define STRIKE_ACCURACY 0.5  // percent: enough for a sound

// stiffness, exponent, dissipation of the tip
static const char* const tip_names[] = {"felt", "rubber", "wood", "plastic", "metal", NULL};
static const twImpactLaw tips[] = {{1e5, 2.5, 0.6}, {1e6, 1.8, 0.8}, {2e7, 1.5, 0.4}, {1e8, 1.5, 0.3}, {2e9, 1.5, 0.1}};

typedef struct StrikeOptions
{
    BakeOptions bake;
    const char *output, *at;
    int tip;
    double mass, velocity, duration, distance, rate;
    bool duration_given;
} StrikeOptions;

static twStatus get_modes(StrikeOptions* s, twModeSet** set, twError* err)
{
    if (body_kind(s->bake.source) == BODY_MODES)
    {
        twStatus loaded = tw_mode_set_load(set, s->bake.source, err);
        return loaded == TW_OK ? bake_options_damp(&s->bake, set, err) : loaded;
    }
    twBakeDef def;
    twBakeReport report = {0};
    if (!s->bake.max_freq_given && !s->bake.count_given)
    {
        // what can be heard, but not too much of it
        s->bake.max_freq_given = true;
        s->bake.max_freq = fmin(20000, 0.5 * s->rate);
        s->bake.count_given = true;
        s->bake.count = 100;
    }
    twStatus status = bake_options_def(&s->bake, &def, err);
    if (status == TW_OK) status = tw_bake(set, &def, &report, err);
    cli_progress_end(&s->bake.progress);
    bake_options_hint(&s->bake, "strike", report.size);
    return status;
}

// the vertex to strike: nearest to --at, else where the lowest modes answer most
static twStatus find_vertex(const StrikeOptions* s, const twModeSet* set, int* vertex, twError* err)
{
    *vertex = 0;
    if (s->at)
    {
        twVec3 p;
        char rest;
        if (sscanf(s->at, "%lf,%lf,%lf%c", &p.x, &p.y, &p.z, &rest) != 3 || !isfinite(p.x + p.y + p.z))
            return tw_fail(err, TW_BAD_INPUT, "--at: '%s' must be X,Y,Z in metres", s->at);
        *vertex = tw_mode_set_nearest(set, p);
        return TW_OK;
    }
    double most = -1;
    for (int i = 0; i < set->vertex_count; i++)
    {
        double sum = 0;
        for (int k = 0; k < set->mode_count && k < 6; k++)
        {
            const float* v = set->shape + 3 * ((size_t)k * (size_t)set->vertex_count + (size_t)i);
            sum += (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
        }
        if (sum > most) most = sum, *vertex = i;
    }
    return TW_OK;
}

// long enough for the slowest heard mode to fall by 60 dB, within reason
static double good_duration(const twModeSet* set)
{
    double slowest = INFINITY;
    for (int k = 0; k < set->mode_count; k++)
        if (set->freq_hz[k] < 20000) slowest = fmin(slowest, set->decay[k]);
    return fmin(fmax(LN_1000 / slowest, 0.5), 10);
}

static twStatus save_sound(const StrikeOptions* s, float* sound, int64_t frames, double* peak, twError* err)
{
    *peak = 0;
    for (int64_t i = 0; i < frames; i++) *peak = fmax(*peak, fabs(sound[i]));
    double gain = *peak > 0 ? pow(10, PEAK_DBFS / 20) / *peak : 1;
    for (int64_t i = 0; i < frames; i++) sound[i] = (float)(gain * sound[i]);
    char comment[160];
    snprintf(comment, sizeof comment, "Twang %s; 1.0 = %.9g Pa at %g m", tw_version(), 1 / gain, s->distance);
    twWavDef wav = tw_wav_def();
    wav.rate_hz = (int)s->rate;
    wav.comment = comment;
    return tw_wav_save(s->output, &wav, sound, frames, NULL, err);
}

static twStatus strike(StrikeOptions* s, const twModeSet* set, twError* err)
{
    twStrikeDef def = tw_strike_def();
    def.mass = s->mass;
    def.velocity = s->velocity;
    def.law = tips[s->tip];
    def.distance = s->distance;
    def.rate_hz = s->rate;
    def.duration = s->duration_given ? s->duration : good_duration(set);
    float* sound = NULL;
    int64_t frames;
    double peak;
    twStatus status = find_vertex(s, set, &def.vertex, err);
    if (status == TW_OK) status = tw_strike(&sound, &frames, set, &def, err);
    if (status == TW_OK) status = save_sound(s, sound, frames, &peak, err);
    free(sound);
    if (status != TW_OK) return status;
    twVec3 p = set->vertices[def.vertex];
    if (!s->bake.json)
    {
        printf("%s: %.2f s, struck at %.4g,%.4g,%.4g m; full scale is %.3g Pa at %g m\n", s->output, def.duration, p.x,
               p.y, p.z, peak / pow(10, PEAK_DBFS / 20), s->distance);
        printf("%d modes from %.1f to %.1f Hz\n", set->mode_count, set->mode_count ? set->freq_hz[0] : 0,
               set->mode_count ? set->freq_hz[set->mode_count - 1] : 0);
        return TW_OK;
    }
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "wav", s->output);
    tw_json_number(&j, "duration", def.duration);
    tw_json_numbers(&j, "at", (double[]){p.x, p.y, p.z}, 3);
    tw_json_number(&j, "peak_pa", peak);
    tw_json_numbers(&j, "frequencies_hz", set->freq_hz, (size_t)set->mode_count);
    tw_json_numbers(&j, "decay_per_s", set->decay, (size_t)set->mode_count);
    tw_json_end(&j);
    putchar('\n');
    return TW_OK;
}

int cmd_strike(int argc, char** argv)
{
    StrikeOptions s = {
        .bake = bake_options(), .tip = 2, .mass = 0.02, .velocity = 1, .distance = 1, .rate = 44100, .duration = 3};
    s.bake.accuracy = STRIKE_ACCURACY;
    CliOption options[BAKE_OPTION_COUNT + OWN_OPTIONS];
    bake_option_table(&s.bake, options);
    options[0].help = "a shape, a mesh, tets, or a .twmodes file";
    const CliOption own[OWN_OPTIONS] = {
        {.kind = CLI_TEXT,
         .name = "-o|--output",
         .value = "FILE.wav",
         .out = &s.output,
         .help = "the sound",
         .required = true},
        {.kind = CLI_TEXT,
         .name = "--at",
         .value = "X,Y,Z",
         .out = &s.at,
         .help = "where to strike [m]; the nearest point of the surface is taken"},
        {.kind = CLI_CHOICE,
         .name = "--hardness",
         .value = "TIP",
         .out = &s.tip,
         .help = "felt, rubber, wood, plastic or metal",
         .choices = tip_names},
        {.kind = CLI_NUMBER,
         .name = "--hammer",
         .value = "KG",
         .out = &s.mass,
         .help = "mass of the hammer",
         .low = 0,
         .high = 1e5,
         .above = true,
         .unit = "kg"},
        {.kind = CLI_NUMBER,
         .name = "--velocity",
         .value = "M/S",
         .out = &s.velocity,
         .help = "of the hammer",
         .low = 0,
         .high = 1000,
         .above = true,
         .unit = "m/s"},
        {.kind = CLI_NUMBER,
         .name = "--distance",
         .value = "M",
         .out = &s.distance,
         .help = "of the listener",
         .low = 0,
         .high = 1e5,
         .above = true,
         .unit = "m"},
        {.kind = CLI_NUMBER,
         .name = "--duration",
         .value = "S",
         .out = &s.duration,
         .help = "instead of until it has died away",
         .low = 0,
         .high = 3600,
         .above = true,
         .unit = "s",
         .given = &s.duration_given},
        {.kind = CLI_NUMBER,
         .name = "--rate",
         .value = "HZ",
         .out = &s.rate,
         .help = "sample rate",
         .low = 1000,
         .high = 768000,
         .unit = "Hz"},
        {.kind = CLI_FLAG, .name = "--json", .out = &s.bake.json, .help = "print what was done as JSON"},
    };
    memcpy(options + BAKE_OPTION_COUNT, own, sizeof own);
    const CliUsage usage = {"strike", "strike a mesh or shape and hear it", options, BAKE_OPTION_COUNT + OWN_OPTIONS,
                            BAKE_NOTES "A mode file takes the options of the damping, not those of the analysis.\n"
                                       "Example: twang strike bar: --material aluminium --hardness metal -o bar.wav"};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    twError err;
    twModeSet* set = NULL;
    twStatus status = get_modes(&s, &set, &err);
    if (status == TW_OK) status = strike(&s, set, &err);
    tw_mode_set_destroy(set);
    bake_options_free(&s.bake);
    return status == TW_OK ? CLI_OK : cli_fail_error("strike", &err);
}
