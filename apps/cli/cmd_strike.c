// SPDX-License-Identifier: MIT
// twang strike: from a mesh, shape or mode file to the sound of a strike, which is heard after the first round of the analysis and
// gets better with each.
#define _POSIX_C_SOURCE 200809L

#include "bake_options.h"
#include "info_body.h"
#include "twang/strike.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LN_1000 6.907755278982137
#define OWN_OPTIONS 13
#define PEAK_DBFS (-1.0)
#define STRIKE_ACCURACY 1.0   // percent: enough for a sound
#define STRIKE_RADIATION 0.2  // budget of the radiation while better rounds follow [s at 2e9 operations per second]
#define STRIKE_MOST 16        // sounds, one after the other: 12 rounds, and the last one with all its radiation
#define USUAL_MODES 100
#define LONGEST 10.0  // unless asked for [s]
#define SHORTEST 0.5  // [s]
#define LOWEST 20.0   // that is heard [Hz]
#define BESIDE 0.05   // of the body's size: what is farther off the surface is told
#define SIXTY_DB 60.0
#define LOWEST_MODES 6  // that say where a body is struck unless told
#define SLOW_FILM 10.0  // length of a film that is slower than it happens [s]

static const char* const radiation_names[] = {"baked", "estimate", "fine", NULL};  // in the order of twRadiation
// stiffness, exponent, dissipation of the tip
static const char* const tip_names[] = {"felt", "rubber", "wood", "plastic", "metal", NULL};
static const twImpactLaw tips[] = {{1e5, 2.5, 0.6}, {1e6, 1.8, 0.8}, {2e7, 1.5, 0.4}, {1e8, 1.5, 0.3}, {2e9, 1.5, 0.1}};

// A sound that was written.
typedef struct StrikeHeard
{
    double seconds;        // since the command began
    int round;             // 0: not analysed in rounds
    double error, lowest;  // of all frequencies and of the lowest ten, relative; 0: not estimated
    int estimated;         // modes whose radiation is not computed
} StrikeHeard;

typedef struct StrikeOptions
{
    BakeOptions bake;  // the first member: what tw_bake() calls back with
    const char *output, *at, *trace;
    twVec3 at_point;
    twBakeReport report;
    twTransferBakeReport air;
    int tip, radiation;
    double mass, velocity, duration, distance, rate;
    bool duration_given;
    double slow;
    bool slow_given, recoil;
    double start;  // of the command [s]
    int heard_count;
    StrikeHeard heard[STRIKE_MOST];
    char* told;      // of the last sound that was written
    twError failed;  // of a sound between rounds
    bool too_low;    // all modes were, to be heard
    char unit[120];  // note of one that was guessed
} StrikeOptions;

// ---- where ----

static twStatus parse_at(StrikeOptions* s, twError* err)
{
    twPart part;
    if (!s->at) return TW_OK;
    if (tw_part_parse(&part, s->at, NULL) != TW_OK || part.kind != TW_PART_POINT)
        return tw_fail(err, TW_BAD_INPUT, "--at: '%s' must be X,Y,Z in metres", s->at);
    s->at_point = part.centre;
    return TW_OK;
}

static double longest_side(const BodyBox* box)
{
    return fmax(box->high.x - box->low.x, fmax(box->high.y - box->low.y, box->high.z - box->low.z));
}

// a place farther off than the body is long was not meant
static twStatus check_at(const StrikeOptions* s, const BodyBox* box, twError* err)
{
    const twPart part = {.kind = TW_PART_BOX, .low = box->low, .high = box->high};
    double size = longest_side(box), off = s->at ? tw_part_distance(&part, s->at_point) : 0;
    if (off <= size) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "--at: '%s' is %.3g m off the body, which reaches from %.4g,%.4g,%.4g to %.4g,%.4g,%.4g m", s->at,
                   off, cli_tidy(box->low.x, size), cli_tidy(box->low.y, size), cli_tidy(box->low.z, size),
                   cli_tidy(box->high.x, size), cli_tidy(box->high.y, size), cli_tidy(box->high.z, size));
}

// how far --at is from the surface, in words, if that is worth a word
static twStatus note_at(const StrikeOptions* s, const twModeSet* set, char* note, size_t bytes, twError* err)
{
    BodyBox box = body_box(set->vertices, set->vertex_count);
    // only read
    const twMesh surface = {set->vertex_count, set->face_count, (twVec3*)set->vertices, (twTriangle*)set->faces, NULL};
    twWinding* winding;
    twStatus status = tw_winding_create(&winding, &surface, err);
    if (status != TW_OK) return status;
    double off = tw_winding_nearest(winding, s->at_point, NULL, NULL);
    tw_winding_destroy(winding);
    if (off > BESIDE * longest_side(&box))
        snprintf(note, bytes, "--at %s is %.3g m off the surface; the nearest point was struck", s->at, off);
    return TW_OK;
}

// the vertex to strike: nearest to --at, else where the lowest modes answer most
static twStatus find_vertex(int* out, const StrikeOptions* s, const twModeSet* set, twError* err)
{
    if (!s->at) return tw_mode_set_liveliest(out, set, LOWEST_MODES, err);
    *out = tw_mode_set_nearest(set, s->at_point);
    return TW_OK;
}

// ---- the modes ----

// all that can be wrong is told before the analysis
static twStatus prepare(StrikeOptions* s, twBakeDef* def, twError* err)
{
    if (!s->bake.max_freq_given && !s->bake.count_given && !s->bake.decay)
    {
        // what can be heard, but not too much of it
        s->bake.max_freq_given = true;
        s->bake.max_freq = fmin(20000, 0.5 * s->rate);
        s->bake.count_given = true;
        s->bake.count = USUAL_MODES;
    }
    BodyBox box;
    twStatus status = bake_options_def(&s->bake, def, err);
    if (status != TW_OK || !s->at) return status;
    status = body_find_box(body_kind(s->bake.source), s->bake.source, def->scale, &box, err);
    return status == TW_OK ? check_at(s, &box, err) : status;
}

static twStatus load_modes(StrikeOptions* s, twModeSet** set, twError* err)
{
    twStatus status = tw_mode_set_load(set, s->bake.source, err);
    if (status == TW_OK) status = bake_options_damp(&s->bake, set, err);
    if (status != TW_OK) return status;
    BodyBox box = body_box((*set)->vertices, (*set)->vertex_count);
    return check_at(s, &box, err);
}

static bool radiation_goes_on(const char* stage, double done, void* context)
{
    (void)stage;
    cli_progress_update(context, done);
    return !cli_interrupted();
}

// how the modes sound, and what that takes from them
static twStatus radiate(StrikeOptions* s, twModeSet** set, double budget, twError* err)
{
    twRadiationDef def = tw_radiation_def();
    CliProgress progress = cli_progress("radiation");
    progress.quiet = s->bake.json;
    def.quality = (twRadiation)s->radiation;
    def.budget = budget;
    def.cache_folder = s->bake.no_cache ? NULL : tw_cache_folder(s->bake.cache, sizeof s->bake.cache);
    def.keep_going = radiation_goes_on;
    def.context = &progress;
    const twStatus status = tw_radiate(set, &def, &s->air, err);
    cli_progress_end(&progress);
    return status;
}

// ---- the motion ----

// the file's own name, without what is before and behind: of out/mug.obj and mug:0.1 it is mug
static void short_name(char* name, size_t bytes, const char* path)
{
    const char* slash = strrchr(path, '/');
    snprintf(name, bytes, "%.63s", slash ? slash + 1 : path);
    name[strcspn(name, ":")] = 0;
    char* dot = strrchr(name, '.');
    if (dot && dot != name) *dot = 0;
}

// the sound as seen from the trace's folder, which must be its own
static const char* beside(const char* sound, const char* trace)
{
    const char *a = strrchr(sound, '/'), *b = strrchr(trace, '/');
    const size_t bytes = a ? (size_t)(a - sound) : 0;
    if (!a != !b || (a && (bytes != (size_t)(b - trace) || memcmp(sound, trace, bytes) != 0))) return NULL;
    return a ? a + 1 : sound;
}

static twStatus play(const StrikeOptions* s, const twModeSet* set, const twStrikeDef* def, float** sound,
                     int64_t* frames, twTraceWriter** trace, twError* err)
{
    if (!s->trace) return tw_strike(sound, frames, set, def, err);
    char name[TW_TRACE_NAME], title[TW_TRACE_NAME + 64];
    twStrikeRecord record = tw_strike_record_def();
    short_name(name, sizeof name, s->bake.source);
    record.path = s->trace;
    snprintf(title, sizeof title, "%s", name);
    if (s->slow > 1) snprintf(title, sizeof title, "%s, %g times slower", name, s->slow);
    record.name = name;
    record.title = title;
    record.material = set->material_count > 0 ? set->materials[0].name : "";
    record.sound = beside(s->output, s->trace);
    record.slow = s->slow;
    record.longest = s->slow > 1 ? SLOW_FILM : 0;
    record.recoil = s->recoil;
    return tw_strike_record(sound, frames, trace, set, def, &record, err);
}

// ---- the sound ----

// until the slowest heard mode has fallen by 60 dB [s]
static double ringing(const twModeSet* set)
{
    double slowest = INFINITY;
    for (int k = 0; k < set->mode_count; k++)
        if (set->freq_hz[k] < 20000) slowest = fmin(slowest, set->decay[k]);
    return LN_1000 / slowest;
}

// and the motion, if it was recorded: both appear, or none
static twStatus save_sound(const StrikeOptions* s, float* sound, int64_t frames, twTraceWriter** trace, double* peak,
                           twError* err)
{
    *peak = 0;
    tw_sound_finish(sound, frames, 1, s->rate);
    for (int64_t i = 0; i < frames; i++) *peak = fmax(*peak, fabs(sound[i]));
    double gain = *peak > 0 ? pow(10, PEAK_DBFS / 20) / *peak : 1;
    for (int64_t i = 0; i < frames; i++) sound[i] = (float)(gain * sound[i]);
    char comment[160];
    snprintf(comment, sizeof comment, "Twang %s; 1.0 = %.9g Pa at %g m", tw_version(), 1 / gain, s->distance);
    twWavDef wav = tw_wav_def();
    wav.rate_hz = (int)s->rate;
    wav.comment = comment;
    twWavWriter* writer;
    twStatus status = tw_wav_create(&writer, s->output, &wav, err);
    if (status == TW_OK) status = tw_wav_write(writer, sound, frames, err);
    if (status == TW_OK && cli_interrupted()) status = tw_fail(err, TW_INTERRUPTED, "interrupted; nothing was written");
    if (status == TW_OK && *trace) status = tw_trace_commit(trace, err);
    if (status == TW_OK) return tw_wav_commit(&writer, NULL, err);
    tw_wav_abort(&writer);
    return status;
}

// What there is to say about a strike.
typedef struct Result
{
    twStrikeDef def;
    double peak;                           // [Pa]
    double rings;                          // until it has fallen by 60 dB [s]
    char cut[160], at[160], unheard[200];  // notes
} Result;

static bool keep_going(double done, void* context)
{
    cli_progress_update(context, done);
    return !cli_interrupted();
}

// modes that make no sound of their own
static void note_unheard(const StrikeOptions* s, const twModeSet* set, char* note, size_t bytes)
{
    const double limit = fmin(20000, 0.5 * s->rate);
    int above = 0, dead = 0;
    for (int k = 0; k < set->mode_count; k++)
    {
        above += set->freq_hz[k] >= limit;
        dead += set->decay[k] >= 2 * TW_PI * set->freq_hz[k];
    }
    if (above > 0) snprintf(note, bytes, "%d modes above %g Hz are not heard", above, limit);
    size_t at = strlen(note);
    if (dead > 0)
        snprintf(note + at, bytes - at, "%s%d modes are damped so much that they do not swing", at ? "; " : "", dead);
}

static void print_text(FILE* to, const StrikeOptions* s, const twModeSet* set, const Result* r)
{
    BodyBox box = body_box(set->vertices, set->vertex_count);
    double size = longest_side(&box);
    twVec3 p = set->vertices[r->def.vertex];
    char low[CLI_NUMBER_BYTES], high[CLI_NUMBER_BYTES];
    fprintf(to, "%s: %.2f s, struck at %.4g,%.4g,%.4g m; full scale is %.3g Pa at %g m\n", s->output, r->def.duration,
            cli_tidy(p.x, size), cli_tidy(p.y, size), cli_tidy(p.z, size), r->peak / pow(10, PEAK_DBFS / 20),
            s->distance);
    fprintf(to, "%d modes from %s to %s Hz\n", set->mode_count, cli_number(low, set->freq_hz[0]),
            cli_number(high, set->freq_hz[set->mode_count - 1]));
    if (s->air.left > 0 && s->air.baked > 0)
        fprintf(to, "radiation of %d modes computed, that of the others (%.0f dB below all) estimated\n", s->air.baked,
                -s->air.left_db);
    char error[240];
    if (bake_error_text(error, sizeof error, &s->report)[0]) fprintf(to, "frequencies are %s\n", error);
    if (s->trace && s->slow > 1)
        fprintf(to, "motion in %s, %g times slower\n", s->trace, s->slow);
    else if (s->trace)
        fprintf(to, "motion in %s\n", s->trace);
    const char* const notes[] = {s->unit, s->report.note, s->air.note, r->at, r->unheard, r->cut};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (notes[i][0]) fprintf(to, "note: %s\n", notes[i]);
}

static void join_note(char* all, size_t bytes, const char* note)
{
    size_t at = strlen(all);
    if (note[0]) snprintf(all + at, bytes - at, "%s%s", at ? "; " : "", note);
}

static void json_percent(twJson* j, const char* key, double error)
{
    if (error > 0)
        tw_json_number(j, key, 100 * error);
    else
        tw_json_null(j, key);
}

static void json_rounds(twJson* j, const StrikeOptions* s)
{
    tw_json_array(j, "rounds");
    for (int i = 0; i < s->heard_count; i++)
    {
        const StrikeHeard* h = &s->heard[i];
        tw_json_object(j, NULL);
        tw_json_number(j, "seconds", h->seconds);
        tw_json_integer(j, "round", h->round);
        json_percent(j, "error_estimate_percent", h->error);
        json_percent(j, "error_lowest_percent", h->lowest);
        tw_json_integer(j, "radiation_estimated", h->estimated);
        tw_json_end(j);
    }
    tw_json_end(j);
}

static void print_json(FILE* to, const StrikeOptions* s, const twModeSet* set, const Result* r)
{
    twVec3 p = set->vertices[r->def.vertex];
    char note[sizeof s->unit + sizeof s->report.note + sizeof s->air.note + sizeof r->at + sizeof r->unheard +
              sizeof r->cut + 10] = "";
    join_note(note, sizeof note, s->unit);
    join_note(note, sizeof note, s->report.note);
    join_note(note, sizeof note, s->air.note);
    join_note(note, sizeof note, r->at);
    join_note(note, sizeof note, r->unheard);
    join_note(note, sizeof note, r->cut);
    twJson j = tw_json(to);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "wav", s->output);
    if (s->trace) tw_json_text(&j, "trace", s->trace);
    tw_json_number(&j, "duration_s", r->def.duration);
    tw_json_number(&j, "ringing_s", r->rings);
    tw_json_number(&j, "rate_hz", s->rate);
    tw_json_numbers(&j, "at_m", (double[]){p.x, p.y, p.z}, 3);
    tw_json_number(&j, "distance_m", s->distance);
    tw_json_number(&j, "peak_pa", r->peak);
    tw_json_number(&j, "full_scale_pa", r->peak / pow(10, PEAK_DBFS / 20));
    tw_json_numbers(&j, "frequencies_hz", set->freq_hz, (size_t)set->mode_count);
    tw_json_numbers(&j, "decay_per_s", set->decay, (size_t)set->mode_count);
    bake_error_json(&j, &s->report);
    tw_json_integer(&j, "radiation_baked", s->air.baked);
    tw_json_integer(&j, "radiation_estimated", s->air.left);
    if (s->air.left > 0) tw_json_number(&j, "radiation_estimated_db", s->air.left_db);
    tw_json_text(&j, "note", note);
    json_rounds(&j, s);
    tw_json_end(&j);
    fputc('\n', to);
}

static void choose_duration(const StrikeOptions* s, const twModeSet* set, Result* r)
{
    r->rings = ringing(set);
    r->def.duration = s->duration_given ? s->duration : fmin(fmax(r->rings, SHORTEST), LONGEST);
    if (s->duration_given || r->rings <= LONGEST) return;
    snprintf(r->cut, sizeof r->cut,
             "cut at %g s, when the slowest mode has fallen by %.2g of %g dB; --duration S for more", LONGEST,
             SIXTY_DB * LONGEST / r->rings, SIXTY_DB);
}

// the text of the last sound takes the place of the one before; it is told at the end, or when a signal ends the command
static twStatus keep_text(StrikeOptions* s, const twModeSet* set, const Result* r, twError* err)
{
    char* text = NULL;
    size_t bytes;
    FILE* to = open_memstream(&text, &bytes);
    if (!to) return tw_fail(err, TW_NO_MEMORY, "no memory for the result");
    if (s->bake.json)
        print_json(to, s, set, r);
    else
        print_text(to, s, set, r);
    fclose(to);
    cli_keep(text);
    free(s->told);
    s->told = text;
    return text ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the result");
}

static void note_heard(StrikeOptions* s)
{
    if (s->heard_count == STRIKE_MOST) return;
    s->heard[s->heard_count++] = (StrikeHeard){.seconds = tw_seconds() - s->start,
                                               .round = s->report.levels,
                                               .error = s->report.error_estimate,
                                               .lowest = s->report.error_lowest,
                                               .estimated = s->air.left};
}

static twStatus strike(StrikeOptions* s, const twModeSet* set, twError* err)
{
    Result r = {.def = tw_strike_def()};
    r.def.mass = s->mass;
    r.def.velocity = s->velocity;
    r.def.law = tips[s->tip];
    r.def.distance = s->distance;
    r.def.rate_hz = s->rate;
    twStatus status = find_vertex(&r.def.vertex, s, set, err);
    if (status != TW_OK) return status;
    choose_duration(s, set, &r);
    float* sound = NULL;
    int64_t frames;
    twTraceWriter* trace = NULL;
    CliProgress progress = cli_progress("rendering");
    progress.quiet = s->bake.json;
    r.def.keep_going = keep_going;
    r.def.context = &progress;
    note_unheard(s, set, r.unheard, sizeof r.unheard);
    if (s->at) status = note_at(s, set, r.at, sizeof r.at, err);
    if (status == TW_OK) status = play(s, set, &r.def, &sound, &frames, &trace, err);
    cli_progress_end(&progress);
    if (status == TW_OK) status = save_sound(s, sound, frames, &trace, &r.peak, err);
    tw_trace_abort(&trace);
    free(sound);
    if (status != TW_OK) return status;
    note_heard(s);
    return keep_text(s, set, &r, err);
}

// ---- better and better ----

// the sound of modes in their air, in place of the one before
static twStatus hear(StrikeOptions* s, const twModeSet* set, double radiation, twError* err)
{
    twModeSet* heard;
    twStatus status = tw_mode_set_create(&heard, set, err);
    if (status == TW_OK) status = radiate(s, &heard, radiation, err);
    if (status == TW_OK) status = strike(s, heard, err);
    tw_mode_set_destroy(heard);
    return status;
}

static void tell_refining(const StrikeOptions* s)
{
    char error[240];
    if (s->bake.json) return;
    const bool known = bake_error_text(error, sizeof error, &s->report)[0] != 0;
    printf("%s: heard%s%s; refining, Ctrl-C keeps this\n", s->output, known ? ", frequencies are " : "",
           known ? error : "");
    fflush(stdout);
}

static bool is_too_low(const twModeSet* set)
{
    return set->mode_count > 0 && set->freq_hz[set->mode_count - 1] < LOWEST;
}

static bool hear_round(const twModeSet* set, void* context)
{
    StrikeOptions* s = context;
    cli_may_leave(&s->bake.progress, NULL);
    cli_progress_end(&s->bake.progress);
    const twStatus status = hear(s, set, STRIKE_RADIATION, &s->failed);
    if (status == TW_OK) tell_refining(s);
    s->bake.stage[0] = 0;
    // what cannot be heard yet, modes above 20 kHz, say, may be in a better round; frequencies only fall
    s->too_low = status == TW_BAD_INPUT && is_too_low(set);
    return status == TW_OK || (status == TW_BAD_INPUT && !s->too_low);
}

// A file whose body is so large that nothing of it is heard is in another unit, unless lengths of the command go by this one.
static bool guess_unit(StrikeOptions* s, twBakeDef* def)
{
    int count;
    const int unit = tw_units_guess(def->scale, s->report.size);
    const bool given = s->bake.units_given || s->bake.scale != 1 || s->at || def->thickness > 0 ||
                       def->hold_count > 0 || def->region_count > 0;
    if (unit < 0 || given || tw_shape_looks_like(s->bake.source)) return false;
    const twUnit* guess = &tw_units(&count)[unit];
    snprintf(s->unit, sizeof s->unit, "nothing of %.6g m is heard: lengths of the file are taken as %s (--units %s)",
             s->report.size, guess->plural, guess->name);
    def->scale = guess->metres;
    return true;
}

static twStatus analyse(StrikeOptions* s, twBakeDef* def, twModeSet** set, twError* err)
{
    twStatus status = bake_options_run(&s->bake, "strike", def, set, &s->report, err);
    s->too_low = s->too_low || (status == TW_OK && is_too_low(*set));
    if (!s->too_low) return status;
    if (!guess_unit(s, def))
    {
        if (status == TW_OK) return status;
        *err = s->failed;
        return err->status;
    }
    tw_mode_set_destroy(*set);
    *set = NULL;
    s->too_low = false;
    return bake_options_run(&s->bake, "strike", def, set, &s->report, err);
}

static twStatus get_modes(StrikeOptions* s, twModeSet** set, twError* err)
{
    twBakeDef def;
    twStatus status = parse_at(s, err);
    if (status == TW_OK) status = cli_check_output("--output", s->output, ".wav", err);
    if (status == TW_OK && s->trace) status = cli_check_output("--trace", s->trace, ".twtrace", err);
    if (status == TW_OK && !s->trace && (s->slow_given || s->recoil))
        status = tw_fail(err, TW_BAD_INPUT, "%s is for what is recorded; add --trace FILE.twtrace",
                         s->slow_given ? "--slow" : "--recoil");
    if (status != TW_OK) return status;
    if (body_kind(s->bake.source) == BODY_MODES) return load_modes(s, set, err);
    status = prepare(s, &def, err);
    if (!s->bake.draft) def.on_round = hear_round;
    return status == TW_OK ? analyse(s, &def, set, err) : status;
}

// the last round: soon, and then with the radiation of all modes
static twStatus hear_last(StrikeOptions* s, const twModeSet* set, twError* err)
{
    const StrikeHeard* last = s->heard_count > 0 ? &s->heard[s->heard_count - 1] : NULL;
    twStatus status = TW_OK;
    const bool better = !last || last->round != s->report.levels || last->error != s->report.error_estimate;
    if (better) status = hear(s, set, STRIKE_RADIATION, err);
    if (status != TW_OK || s->bake.draft || s->air.left == 0) return status;
    tell_refining(s);
    return hear(s, set, 0, err);
}

// what was heard last is the result, also if nothing better came of it because of Ctrl-C
static int strike_end(StrikeOptions* s, twStatus status, const twError* err)
{
    if (status == TW_INTERRUPTED && s->failed.status != TW_OK && s->failed.status != TW_BAD_INPUT) err = &s->failed;
    const bool kept = status == TW_OK || (err->status == TW_INTERRUPTED && s->heard_count > 0);
    cli_keep(NULL);
    if (kept) fputs(s->told, stdout);
    free(s->told);
    return kept ? CLI_OK : cli_fail_error("strike", err);
}

int cmd_strike(int argc, char** argv)
{
    StrikeOptions s = {.bake = bake_options(),
                       .tip = 2,
                       .mass = 0.02,
                       .velocity = 1,
                       .distance = 1,
                       .rate = 48000,
                       .duration = 3,
                       .slow = 1,
                       .start = tw_seconds()};
    s.bake.accuracy = STRIKE_ACCURACY;
    s.bake.usual_accuracy = STRIKE_ACCURACY;
    CliOption options[BAKE_OPTION_COUNT + OWN_OPTIONS];
    bake_option_table(&s.bake, options);
    bake_option_help(options, "BODY", "a shape, a mesh, tets, or a .twmodes file");
    bake_option_help(options, "--count", "how many modes, the lowest [default: up to 100, or all up to --max-freq]");
    bake_option_help(options, "--max-freq", "modes up to here [default: 20000, or no limit with --count]");
    bake_option_help(options, "--accuracy", "wanted error of the lowest ten frequencies [default: 1]");
    bake_option_help(options, "--draft", "heard once, soon: --accuracy 10 --budget 3");
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
         .help = "where to strike [m], at the nearest point of the surface [default: where it answers most]"},
        {.kind = CLI_CHOICE,
         .name = "--hardness",
         .value = "TIP",
         .out = &s.tip,
         .help = "what the hammer's tip is like",
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
         .help = "length of the sound [default: until it has fallen by 60 dB, 0.5 to 10]",
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
        {.kind = CLI_TEXT,
         .name = "--trace",
         .value = "FILE.twtrace",
         .out = &s.trace,
         .help = "record the motion, 60 frames per second, for pictures"},
        {.kind = CLI_NUMBER,
         .name = "--slow",
         .value = "FACTOR",
         .out = &s.slow,
         .help = "record it so many times slower than it happens, 10 s at most, without sound",
         .low = 1,
         .high = 12800,
         .given = &s.slow_given},
        {.kind = CLI_FLAG,
         .name = "--recoil",
         .out = &s.recoil,
         .help = "a free body is recorded as it moves off; else it stays in its place"},
        {.kind = CLI_CHOICE,
         .name = "--radiation",
         .value = "HOW",
         .out = &s.radiation,
         .help = "how the sound in the air is found",
         .choices = radiation_names},
        {.kind = CLI_FLAG, .name = "--json", .out = &s.bake.json, .help = "print what was done as JSON"},
    };
    memcpy(options + BAKE_OPTION_COUNT, own, sizeof own);
    const CliUsage usage = {
        "strike", "strike a mesh or shape and hear it", options, BAKE_OPTION_COUNT + OWN_OPTIONS,
        BAKE_NOTES
        "The sound is written after the first round of the analysis, and again after each better one, until --accuracy\n"
        "or --budget is reached; Ctrl-C keeps the last one. A later call goes on from there.\n"
        "A mode file takes the options of the damping, not those of the analysis.\n"
        "Example: twang strike bar: --material aluminium --hardness metal -o bar.wav"};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    twError err;
    twModeSet* set = NULL;
    twStatus status = get_modes(&s, &set, &err);
    if (status == TW_OK) status = hear_last(&s, set, &err);
    tw_mode_set_destroy(set);
    bake_options_free(&s.bake);
    return strike_end(&s, status, &err);
}
