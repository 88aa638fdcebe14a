// SPDX-License-Identifier: MIT
// twang sound: what is heard of recorded motion, again and otherwise, without simulating again.

#include "sound_options.h"
#include <math.h>
#include <string.h>

#define HEARING_PA 2e-5

static bool keep_going(double done, void* context)
{
    cli_progress_update(context, done);
    return !cli_interrupted();
}

// sound beside the trace
static void default_folder(const char* trace, char* out, size_t bytes)
{
    const char* slash = strrchr(trace, '/');
    snprintf(out, bytes, "%.*ssound", slash ? (int)(slash - trace) + 1 : 0, trace);
}

// what has neither modes nor can be accelerated, without a board that answers, is never heard
static twStatus check_bodies(const SoundOptions* o, twError* err)
{
    twTraceStream* stream;
    twStatus status = tw_trace_stream_open(&stream, o->trace, err);
    if (status != TW_OK) return status;
    const twTrace* head = tw_trace_stream_head(stream);
    bool can_sound = head->body_count == 0;  // which is told otherwise
    for (int i = 0; i < head->body_count && !can_sound; i++)
        can_sound = head->bodies[i].set->mode_count > 0 || (!head->bodies[i].held && !o->no_clicks);
    if (!can_sound && (o->no_board || !tw_listen_board(o->trace)))
        status = tw_fail(err, TW_BAD_INPUT, "nothing in %s can sound: no body has modes%s", o->trace,
                         o->no_clicks ? ", and --no-clicks leaves out the others" : ", and all are held");
    tw_trace_stream_close(stream);
    return status;
}

static double spl(double pascal) { return 20 * log10(pascal / HEARING_PA); }

static double real_time(const SoundOptions* o, const twListenReport* r)
{
    return (double)r->sound.frames / o->def.sound.rate_hz / fmax(r->seconds, 1e-9);
}

static void print_ear(const SoundOptions* o, const twListenFile* file, const twListenReport* r)
{
    printf("sound    %s  (%.2f s, peak %.1f dBFS, %.1f LUFS)\n", file->wav,
           (double)r->sound.frames / o->def.sound.rate_hz, 20 * log10(file->level.peak), file->level.loudness_lufs);
    if (file->png[0]) printf("picture  %s\n", file->png);
    if (file->peak > 0)
        printf("         peak %.3g Pa, %.1f dB SPL; 1.0 is %.4g Pa\n", file->peak, spl(file->peak),
               file->gain > 0 ? 1 / file->gain : 0);
}

static void print_report(const SoundOptions* o, const twListenFile* files, const twListenReport* r)
{
    const twSoundReport* s = &r->sound;
    for (int i = 0; i < o->def.ear_count; i++) print_ear(o, &files[i], r);
    printf("         %d bod%s with %d modes; they radiate as baked: %d, as estimated: %d%s\n", s->bodies,
           s->bodies == 1 ? "y" : "ies", s->modes, s->baked, s->estimated,
           s->redistributed ? "; forces redistributed" : "");
    if (s->board > 0) printf("         the ground is a board of %.3g kg/m^2 and heard\n", s->board);
    if (s->bodies > 0 && s->modes == 0)
        printf("note     no modes are heard, only clicks: no body has modes, or all are too high\n");
    printf("         %.1f s of sound in %.2f s, %.3g times real time\n", (double)s->frames / o->def.sound.rate_hz,
           r->seconds, real_time(o, r));
    for (int i = 0; i < o->def.ear_count; i++)
        if (files[i].peak == 0)
            printf(
                "note     '%s' is silent: nothing touches in this trace ('twang strike' records no forces), all is at "
                "rest, or what sounds was left out\n",
                o->ears[i].name);
        else if (files[i].peak < HEARING_PA)
            printf("note     '%s' peaks at %.1e Pa, less than can be heard\n", o->ears[i].name, files[i].peak);
}

// where a program that reads the result does not see it
static void print_notes(const SoundOptions* o, const twListenReport* r)
{
    const twSoundReport* s = &r->sound;
    if (!s->complete) fprintf(stderr, "note     %s: %s\n", o->trace, r->lost[0] ? r->lost : "it is not whole");
    if (r->note[0]) fprintf(stderr, "note     %s\n", r->note);
    if (s->too_near > 0)
        fprintf(stderr,
                "note     for %.3g s a body was around a listener or nearly touched it; it sounds as from its rim\n",
                (double)s->too_near / o->def.sound.rate_hz);
    if (s->too_far > 0)
        fprintf(stderr, "note     for %.3g s a body was farther than %g m from a listener, and not heard\n",
                (double)s->too_far / o->def.sound.rate_hz, o->ears[0].def.farthest);
    if (s->bad_values > 0) fprintf(stderr, "note     %ld values were not finite and left out\n", (long)s->bad_values);
}

static void json_ear(twJson* json, const char* name, const twListenFile* file)
{
    tw_json_object(json, NULL);
    tw_json_text(json, "name", name);
    tw_json_text(json, "wav", file->wav);
    if (file->png[0]) tw_json_text(json, "spectrogram", file->png);
    tw_json_integer(json, "channels", file->channels);
    tw_json_number(json, "peak_pa", file->peak);
    tw_json_number(json, "peak_db_spl", spl(file->peak));
    tw_json_number(json, "gain", file->gain);
    if (file->gain != 0) tw_json_number(json, "full_scale_pa", 1 / file->gain);
    tw_json_number(json, "peak_dbfs", 20 * log10(file->level.peak));
    tw_json_number(json, "rms_dbfs", 20 * log10(file->level.rms));
    tw_json_number(json, "loudness_lufs", file->level.loudness_lufs);
    tw_json_end(json);
}

static void print_json(const SoundOptions* o, const twListenFile* files, const twListenReport* r)
{
    const twSoundReport* s = &r->sound;
    twJson json = tw_json(stdout);
    tw_json_object(&json, NULL);
    tw_json_text(&json, "trace", o->trace);
    tw_json_text(&json, "version", tw_version());
    tw_json_bool(&json, "complete", s->complete);
    tw_json_text(&json, "lost", r->lost);
    tw_json_number(&json, "rate", o->def.sound.rate_hz);
    tw_json_integer(&json, "frames", s->frames);
    tw_json_number(&json, "duration", (double)s->frames / o->def.sound.rate_hz);
    tw_json_number(&json, "tail", s->rang + o->def.sound.tail);
    tw_json_bool(&json, "faded", s->faded);
    tw_json_integer(&json, "bodies", s->bodies);
    tw_json_integer(&json, "modes", s->modes);
    tw_json_integer(&json, "baked", s->baked);
    tw_json_integer(&json, "estimated", s->estimated);
    tw_json_bool(&json, "redistributed", s->redistributed);
    tw_json_number(&json, "ground_mass_per_area", s->board);
    tw_json_number(&json, "seconds", r->seconds);
    tw_json_number(&json, "real_time_factor", real_time(o, r));
    tw_json_array(&json, "listeners");
    for (int i = 0; i < o->def.ear_count; i++) json_ear(&json, o->ears[i].name, &files[i]);
    tw_json_end(&json);
    tw_json_text(&json, "note", r->note);
    tw_json_end(&json);
    putchar('\n');
}

static int hear(SoundOptions* o)
{
    twError err;
    twListenReport report;
    twListenFile files[CLI_LIST_MAX + 1];
    char folder[400], file[512], cache[400];
    default_folder(o->trace, folder, sizeof folder);
    if (!o->folder) o->folder = folder;
    if (sound_parse(o, &err) != TW_OK || check_bodies(o, &err) != TW_OK) return cli_fail_error("sound", &err);
    if (snprintf(file, sizeof file, "%s/x.wav", o->folder) >= (int)sizeof file)
        return cli_fail("sound", CLI_USAGE, "--output: the folder's name is too long");
    o->files.folder = o->folder;
    o->def.cache_folder = tw_cache_folder(cache, sizeof cache);
    CliProgress progress = cli_progress("listening");
    progress.quiet = o->json;
    o->def.keep_going = keep_going;
    o->def.context = &progress;
    const twStatus status = tw_listen_save(&o->def, &o->files, files, &report, &err);
    cli_progress_end(&progress);
    if (status != TW_OK) return cli_fail_error("sound", &err);
    print_notes(o, &report);
    if (o->json)
        print_json(o, files, &report);
    else
        print_report(o, files, &report);
    return CLI_OK;
}

int cmd_sound(int argc, char** argv)
{
    SoundOptions o = {0};
    CliOption options[SOUND_OPTIONS];
    const int count = sound_options(options, &o);
    const CliUsage usage = {
        "sound", "hear recorded motion: other places, other ears, other damping, without simulating again", options,
        count,
        "Writes DIR/NAME.wav and DIR/NAME-spectrogram.png for each listener: 1, 2, 2 or 4 channels of mono, stereo,\n"
        "binaural and ambix (W Y Z X). Without --listener a head 'ear' is where the camera is, or in front of the bodies.\n"
        "BODY is the name of a body, or of all copies of one. In every file 1.0 is 20 Pa unless --level says otherwise, so\n"
        "that runs can be compared; its comment says what 1.0 is. A damaged trace is heard up to the damage, with a note.\n"
        "Example: twang sound out/mug/trace.twtrace --listener near=binaural:0,-0.3,0.1@0,0,0.05 --damping x0.5"};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    return hear(&o);
}
