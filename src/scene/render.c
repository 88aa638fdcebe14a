// SPDX-License-Identifier: MIT
// From a scene to its files: <output>.wav, a spectrogram each, report.json. Everything is computed first; files are
// written under temporary names and appear at the end.

#include "render.h"
#include "base/leftovers.h"
#include "twang/math.h"
#include "twang/play.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SILENCE_PA 1e-9  // 86 dB below what can be heard
#define QUIET_PA 2e-4    // least full scale of what bodies sound: 20 dB SPL
#define FAINT_PA 0.02    // 60 dB SPL: what is never louder ends against that, 60 dB above the threshold of hearing
#define RENDER_CHUNK 4096
#define RENDER_MAX_BYTES ((int64_t)8 << 30)
#define WAV_MAX_BYTES (((int64_t)1 << 32) - (1 << 16))

// one output on its way to the disk
typedef struct Track
{
    const twSceneOutput* output;
    float* samples;  // (frames x channels), physical units, then scaled
    twMeter* meter;
    twWavWriter* writer;
} Track;

typedef struct Render
{
    const twScene* scene;
    const twRenderDef* def;
    twRenderReport* report;
    int64_t frames, room;  // of the scene; with the longest tail
    Track* tracks;
    twTraceWriter* trace;
} Render;

static const char* const quantity_units[] = {"m", "m/s", "m/s^2", "Pa"};

// ---- computing ----

// what a WAV file can hold
static twStatus check_lengths(const Render* r, twError* err)
{
    static const int bytes_per_sample[] = {2, 3, 4};
    for (int i = 0; i < r->scene->output_count; i++)
    {
        const twSceneOutput* out = &r->scene->outputs[i];
        int64_t bytes = r->room * out->channels * bytes_per_sample[out->format];
        if (bytes > WAV_MAX_BYTES)
            return tw_fail(
                err, TW_BAD_INPUT,
                "output '%s' would have %.1f GB, more than the 4 GB of a WAV file; shorten 'duration' or lower 'rate'",
                out->name, (double)bytes * 1e-9);
    }
    return TW_OK;
}

static twStatus alloc_tracks(Render* r, twError* err)
{
    int64_t bytes = 0;
    for (int i = 0; i < r->scene->output_count; i++)
        bytes += r->room * r->scene->outputs[i].channels * (int64_t)sizeof(float);
    if (bytes > RENDER_MAX_BYTES)
        return tw_fail(err, TW_NO_MEMORY,
                       "%d output(s) of %g s at %g Hz need %.1f GB; shorten 'duration' or render fewer outputs",
                       r->scene->output_count, r->scene->duration, r->scene->rate_hz, (double)bytes * 1e-9);
    r->tracks = calloc((size_t)r->scene->output_count + 1, sizeof(Track));
    if (!r->tracks) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    for (int i = 0; i < r->scene->output_count; i++)
    {
        Track* track = &r->tracks[i];
        track->output = &r->scene->outputs[i];
        track->samples = calloc((size_t)r->room * (size_t)track->output->channels, sizeof(float));
        track->meter = tw_meter_create(track->output->channels, r->scene->rate_hz);
        if (!track->samples || !track->meter) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    }
    return TW_OK;
}

// one chunk to where it belongs; frames before 0 (the delay) are dropped
static void play_chunk(Render* r, twPlay* play, int64_t from, int n, float** scratch)
{
    float** targets = scratch + r->scene->output_count;
    for (int i = 0; i < r->scene->output_count; i++)
        targets[i] = from >= 0 ? r->tracks[i].samples + from * r->tracks[i].output->channels : scratch[i];
    tw_play_process(play, targets, NULL, n);
}

static twStatus play_all(Render* r, twPlay* play, twError* err)
{
    // pointers: one chunk to throw away per output, then the targets
    float** scratch = calloc(2 * (size_t)r->scene->output_count, sizeof(float*));
    float* waste = calloc(2 * RENDER_CHUNK, sizeof(float));
    twStatus status = scratch && waste ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    for (int i = 0; status == TW_OK && i < r->scene->output_count; i++) scratch[i] = waste;
    int64_t at = -tw_play_delay(play);
    while (status == TW_OK && at < r->frames)
    {
        int64_t left = at < 0 ? -at : r->frames - at, n = left < RENDER_CHUNK ? left : RENDER_CHUNK;
        play_chunk(r, play, at, (int)n, scratch);
        at += n;
        if (at > 0 && r->def->keep_going && !r->def->keep_going((double)at / (double)r->frames, r->def->context))
            status = tw_fail(err, TW_INTERRUPTED, "interrupted at %.0f %%; nothing was written",
                             100.0 * (double)at / (double)r->frames);
    }
    free(scratch);
    free(waste);
    return status;
}

// rods by themselves, or a world
static twStatus compute_space(Render* r, twError* err)
{
    float** sound = calloc((size_t)r->scene->output_count + 1, sizeof *sound);
    if (!sound) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    for (int i = 0; i < r->scene->output_count; i++) sound[i] = r->tracks[i].samples;
    const bool world = tw_scene_has_world(r->scene);
    twStatus status =
        (world ? render_bodies : render_rods)(r->scene, r->def, r->frames, sound, &r->trace, r->report, err);
    free(sound);
    return status;
}

static twStatus compute_objects(Render* r, twError* err)
{
    twPlay* play;
    twPlayDef def = {.audit = true};
    twStatus status = tw_play_create(&play, r->scene, &def, err);
    if (status != TW_OK) return status;
    status = play_all(r, play, err);
    r->report->stats = tw_net_stats(tw_play_net(play));
    r->report->energy = tw_net_energy(tw_play_net(play));
    tw_play_destroy(play);
    return status;
}

static twStatus compute(Render* r, twError* err)
{
    const double start = tw_seconds();
    twStatus status = r->scene->object_count > 0 ? compute_objects(r, err) : TW_OK;
    if (status == TW_OK && r->scene->rod_count + r->scene->body_count > 0) status = compute_space(r, err);
    r->report->compute_seconds = tw_seconds() - start;
    return status;
}

// ---- levels ----

double render_gain(const twMeter* meter, twLevelKind level, double value, RenderQuiet quiet)
{
    if (level == TW_LEVEL_GAIN) return value;
    // round-off of what is at rest is no sound
    if (quiet != RENDER_ANY && tw_meter_level(meter).peak < SILENCE_PA) return 0;
    const double gain =
        level == TW_LEVEL_PEAK ? tw_meter_gain_peak(meter, value) : tw_meter_gain_loudness(meter, value);
    return quiet == RENDER_HEARD ? fmin(gain, 1 / QUIET_PA) : gain;
}

void render_comment(char* out, size_t bytes, double gain, const char* unit)
{
    if (gain != 0)
        snprintf(out, bytes, "Twang %s; 1.0 = %.9g %s", tw_version(), 1 / gain, unit);
    else
        snprintf(out, bytes, "Twang %s; silence", tw_version());
}

// begin with 0, end without a step, and see how loud it is
static twStatus track_finish(Render* r, Track* track, twRenderOutput* out, twError* err)
{
    const bool rings = render_rings(r->scene, track->output);
    out->faded = tw_sound_finish(track->samples, rings ? r->report->frames : r->frames, track->output->channels,
                                 r->scene->rate_hz);
    out->faded |= rings && r->report->hearing.sound.faded;
    const twStatus status = tw_meter_process(track->meter, track->samples, r->report->frames, err);
    if (status != TW_OK) return status;
    const RenderQuiet heard = tw_scene_has_world(r->scene) ? RENDER_HEARD : RENDER_PRESSURE;
    out->gain = render_gain(track->meter, track->output->level, track->output->level_value,
                            track->output->quantity == TW_SOUND_PRESSURE ? heard : RENDER_ANY);
    return TW_OK;
}

// Outputs without a level of their own keep their balance: the loudest of a quantity sets the gain of all.
static void track_share_gains(Render* r)
{
    for (int q = TW_SOUND_DISPLACEMENT; q <= TW_SOUND_PRESSURE; q++)
    {
        double gain = INFINITY;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < r->scene->output_count; i++)
            {
                const twSceneOutput* output = &r->scene->outputs[i];
                double* own = &r->report->outputs[i].gain;
                if (output->own_level || (int)output->quantity != q) continue;
                const bool sounds = *own != 0 && tw_meter_level(r->tracks[i].meter).peak > 0;
                if (pass == 0 && sounds && *own < gain) gain = *own;
                if (pass == 1 && isfinite(gain)) *own = gain;
            }
    }
}

static twStatus scale(Render* r, Track* track, twRenderOutput* out, twError* err)
{
    int64_t count = r->report->frames * track->output->channels;
    for (int64_t i = 0; i < count; i++) track->samples[i] = (float)(out->gain * track->samples[i]);
    // measure what the file will hold
    tw_meter_destroy(track->meter);
    track->meter = tw_meter_create(track->output->channels, r->scene->rate_hz);
    if (!track->meter) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    const twStatus status = tw_meter_process(track->meter, track->samples, r->report->frames, err);
    out->level = tw_meter_level(track->meter);
    const double least = track->output->quantity == TW_SOUND_PRESSURE ? FAINT_PA * out->gain : 0;
    const double rest_db = render_rest_db(track->samples, r->frames, track->output->channels, r->scene->rate_hz, least);
    r->report->check.rest_db = fmax(r->report->check.rest_db, rest_db);
    if (status == TW_OK && track->output->format != TW_WAV_FLOAT && out->level.peak > 1)
        return tw_fail(
            err, TW_BAD_INPUT,
            "output '%s' peaks at %.1f dB above full scale; use 'format: float', a lower 'gain', or 'level: {peak: -1}'",
            track->output->name, 20 * log10(out->level.peak));
    return status;
}

// ---- files ----

static twStatus write_wav(Render* r, Track* track, const twRenderOutput* out, twError* err)
{
    char comment[200];
    render_comment(comment, sizeof comment, out->gain, quantity_units[track->output->quantity]);
    twWavDef def = tw_wav_def();
    def.rate_hz = (int)r->scene->rate_hz;
    def.channels = track->output->channels;
    def.format = track->output->format;
    def.comment = comment;
    twStatus status = tw_wav_create(&track->writer, out->wav, &def, err);
    return status == TW_OK ? tw_wav_write(track->writer, track->samples, r->report->frames, err) : status;
}

static twStatus write_picture(Render* r, const Track* track, const twRenderOutput* out, twError* err)
{
    char title[200];
    snprintf(title, sizeof title, "%s%s%s", r->scene->title, r->scene->title[0] ? " - " : "", track->output->name);
    twSpectrogramDef def = tw_spectrogram_def();
    def.title = title;
    return tw_spectrogram_save(out->png, &def, track->samples, r->report->frames, track->output->channels,
                               r->scene->rate_hz, err);
}

static void json_energy(twJson* json, const twNetEnergy* e)
{
    tw_json_object(json, "energy");
    tw_json_number(json, "start", e->stored_start);
    tw_json_number(json, "work_in", e->work_in);
    tw_json_number(json, "noise_work", e->noise_work);
    tw_json_number(json, "modal_loss", e->modal_loss);
    tw_json_number(json, "impact_loss", e->impact_loss);
    tw_json_number(json, "friction_loss", e->friction_loss);
    tw_json_number(json, "stored", e->stored + e->springs);
    tw_json_number(json, "largest_gain_in_a_step", e->gain_max);
    tw_json_number(json, "balance_error", e->balance_error);
    tw_json_end(json);
}

static void json_stats(twJson* json, const twNetStats* s)
{
    tw_json_object(json, "solver");
    tw_json_integer(json, "steps", s->steps);
    tw_json_integer(json, "solves", s->solves);
    tw_json_number(json, "iterations_mean", s->solves ? (double)s->iterations / (double)s->solves : 0);
    tw_json_integer(json, "iterations_max", s->iterations_max);
    tw_json_integer(json, "unconverged", s->unconverged);
    tw_json_integer(json, "guarded", s->guarded);
    tw_json_integer(json, "resets", s->resets);
    tw_json_integer(json, "bad_inputs", s->bad_inputs);
    tw_json_end(json);
}

static void json_output(twJson* json, const Track* track, const twRenderOutput* out)
{
    tw_json_object(json, NULL);
    tw_json_text(json, "name", track->output->name);
    tw_json_text(json, "wav", out->wav);
    if (out->png[0]) tw_json_text(json, "spectrogram", out->png);
    tw_json_integer(json, "channels", track->output->channels);
    tw_json_text(json, "unit", quantity_units[track->output->quantity]);
    tw_json_number(json, "gain", out->gain);
    if (out->gain != 0) tw_json_number(json, "full_scale", 1 / out->gain);
    tw_json_bool(json, "faded", out->faded);
    tw_json_number(json, "peak_dbfs", 20 * log10(out->level.peak));
    tw_json_number(json, "rms_dbfs", 20 * log10(out->level.rms));
    tw_json_number(json, "loudness_lufs", out->level.loudness_lufs);
    tw_json_end(json);
}

static void json_report(FILE* stream, const Render* r)
{
    const twRenderReport* report = r->report;
    twJson json = tw_json(stream);
    tw_json_object(&json, NULL);
    tw_json_text(&json, "title", r->scene->title);
    tw_json_text(&json, "version", tw_version());
    tw_json_number(&json, "duration", r->scene->duration);
    tw_json_number(&json, "rate", r->scene->rate_hz);
    tw_json_integer(&json, "frames", report->frames);
    tw_json_number(&json, "tail", report->tail);
    tw_json_text(&json, "scheme", r->scene->scheme == TW_SCHEME_EXACT ? "exact" : "bilinear");
    tw_json_integer(&json, "oversample", r->scene->oversample);
    tw_json_number(&json, "compute_seconds", report->compute_seconds);
    tw_json_number(&json, "real_time_factor", report->sound_seconds / report->compute_seconds);
    tw_json_array(&json, "outputs");
    for (int i = 0; i < report->output_count; i++) json_output(&json, &r->tracks[i], &report->outputs[i]);
    tw_json_end(&json);
    render_check_json(&json, &report->check);
    if (r->scene->object_count > 0)
    {
        json_energy(&json, &report->energy);
        json_stats(&json, &report->stats);
    }
    render_rods_json(&json, r->scene, report);
    render_modes_json(&json, r->scene, report);
    render_bodies_json(&json, r->scene, report);
    tw_json_end(&json);
    fputc('\n', stream);
}

static void name_picture(const Render* r, int output, char* path, size_t bytes)
{
    if (output == 0)
        snprintf(path, bytes, "%s/spectrogram.png", r->def->folder);
    else
        snprintf(path, bytes, "%s/%s-spectrogram.png", r->def->folder, r->scene->outputs[output].name);
}

static void name_trace(const Render* r, char* path, size_t bytes)
{
    snprintf(path, bytes, "%s/trace.twtrace", r->def->folder);
}

static void name_files(Render* r)
{
    const char* folder = r->def->folder;
    for (int i = 0; i < r->report->output_count; i++)
    {
        twRenderOutput* out = &r->report->outputs[i];
        snprintf(out->wav, sizeof out->wav, "%s/%s.wav", folder, r->scene->outputs[i].name);
        if (!r->def->no_picture) name_picture(r, i, out->png, sizeof out->png);
    }
    if (r->scene->frame_rate_hz > 0) name_trace(r, r->report->trace, sizeof r->report->trace);
    snprintf(r->report->json, sizeof r->report->json, "%s/report.json", folder);
}

// an earlier render's picture or trace beside this one's sound would be taken for its own
static void remove_stale(const Render* r)
{
    char path[512];
    if (access(r->report->json, F_OK) != 0) return;
    for (int i = 0; i < r->report->output_count || i == 0; i++)
    {
        name_picture(r, i, path, sizeof path);
        if (i >= r->report->output_count || !r->report->outputs[i].png[0]) unlink(path);
    }
    name_trace(r, path, sizeof path);
    if (!r->report->trace[0]) unlink(path);
}

static bool still_going(const Render* r) { return !r->def->keep_going || r->def->keep_going(1, r->def->context); }

twStatus render_beside(twStatus status, const twError* why, char* path, twRenderReport* report, twError* err)
{
    if (status == TW_OK) return TW_OK;
    if (status != TW_IO_ERROR) return tw_fail(err, status, "%s", why->text);
    path[0] = 0;
    if (report->trouble.status == TW_OK) report->trouble = *why;
    return TW_OK;
}

static twStatus write_sound(Render* r, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; status == TW_OK && i < r->report->output_count; i++)
        status = write_wav(r, &r->tracks[i], &r->report->outputs[i], err);
    return status;
}

// a trace that leaves no room for the sound goes
static twStatus write_sound_first(Render* r, twError* err)
{
    const twStatus status = write_sound(r, err);
    if (status != TW_IO_ERROR || !r->trace || tw_scene_has_world(r->scene)) return status;
    twError why;
    tw_fail(&why, status, "cannot write %s: no room beside the sound", r->report->trace);
    tw_trace_abort(&r->trace);
    for (int i = 0; i < r->report->output_count; i++) tw_wav_abort(&r->tracks[i].writer);
    render_beside(status, &why, r->report->trace, r->report, err);
    return write_sound(r, err);
}

static twStatus write_pictures(Render* r, twError* err)
{
    twStatus status = TW_OK;
    twError inner = {0};
    for (int i = 0; status == TW_OK && !r->def->no_picture && i < r->report->output_count; i++)
    {
        twRenderOutput* out = &r->report->outputs[i];
        status = render_beside(write_picture(r, &r->tracks[i], out, &inner), &inner, out->png, r->report, err);
    }
    return status;
}

// of a world the motion is what was asked for
static twStatus write_motion(Render* r, twError* err)
{
    twError inner = {0};
    if (!r->trace) return TW_OK;
    if (tw_scene_has_world(r->scene)) return tw_trace_commit(&r->trace, err);
    return render_beside(tw_trace_commit(&r->trace, &inner), &inner, r->report->trace, r->report, err);
}

static twStatus write_report(Render* r, twError* err)
{
    twFile* file;
    twStatus status = tw_file_create(&file, r->report->json, err);
    if (status != TW_OK) return status;
    json_report(tw_file_stream(file), r);
    return tw_file_commit(&file, err);
}

static twStatus write_all(Render* r, twError* err)
{
    twStatus status = write_sound_first(r, err);
    if (status == TW_OK && !still_going(r)) status = tw_fail(err, TW_INTERRUPTED, "interrupted; nothing was written");
    // From here on files appear. The motion of a world can be gone on with until it has its name: only when all else is there. The report
    // comes last: it tells that nothing is missing.
    if (status == TW_OK) status = write_pictures(r, err);
    for (int i = 0; status == TW_OK && i < r->report->output_count; i++)
        status = tw_wav_commit(&r->tracks[i].writer, NULL, err);
    if (status == TW_OK) status = write_motion(r, err);
    if (status != TW_OK) return status;
    remove_stale(r);
    return write_report(r, err);
}

// ---- all of it ----

static void free_tracks(Render* r)
{
    tw_trace_leave(&r->trace);
    for (int i = 0; r->tracks && i < r->scene->output_count; i++)
    {
        tw_wav_abort(&r->tracks[i].writer);
        tw_meter_destroy(r->tracks[i].meter);
        free(r->tracks[i].samples);
    }
    free(r->tracks);
}

twStatus tw_render(const twScene* scene, const twRenderDef* def, twRenderReport* report, twError* err)
{
    *report = (twRenderReport){.output_count = scene->output_count, .check.rest_db = NAN};
    if (report->output_count < 1 && !tw_scene_has_world(scene))
        return tw_fail(err, TW_BAD_INPUT, "the scene has no outputs");
    Render r = {
        .scene = scene, .def = def, .report = report, .frames = (int64_t)llround(scene->duration * scene->rate_hz)};
    if (strlen(def->folder) > 300) return tw_fail(err, TW_BAD_INPUT, "the output folder's name is too long");
    if (r.frames < 1)
        return tw_fail(err, TW_BAD_INPUT, "%g s at %g Hz is less than one sample", scene->duration, scene->rate_hz);
    r.room = render_room(scene, r.frames);
    report->frames = r.frames;
    report->sound_seconds = (double)r.frames / scene->rate_hz;
    twStatus status = check_lengths(&r, err);
    if (status == TW_OK) status = start_prepare(scene, def, report, err);
    if (status != TW_OK) return status;
    report->outputs = calloc((size_t)report->output_count + 1, sizeof(twRenderOutput));
    status = report->outputs ? alloc_tracks(&r, err) : tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    // a folder that cannot be made is told before the work, and one made in vain is taken away again
    struct stat info;
    bool new_folder = stat(def->folder, &info) != 0;
    int lock = -1;
    if (status == TW_OK) status = tw_make_folder(def->folder, err);
    if (status == TW_OK) status = tw_lock_folder(&lock, def->folder, err);
    if (lock < 0 && status == TW_BAD_INPUT) new_folder = false;  // it is another's
    if (status == TW_OK) tw_remove_leftovers(def->folder);
    if (status == TW_OK) name_files(&r);
    if (status == TW_OK) status = compute(&r, err);
    for (int i = 0; status == TW_OK && i < scene->output_count; i++)
        status = track_finish(&r, &r.tracks[i], &report->outputs[i], err);
    if (status == TW_OK) track_share_gains(&r);
    for (int i = 0; status == TW_OK && i < scene->output_count; i++)
        status = scale(&r, &r.tracks[i], &report->outputs[i], err);
    if (status == TW_OK) render_check(report, scene);
    if (status == TW_OK) status = write_all(&r, err);
    free_tracks(&r);
    if (status != TW_OK && new_folder) rmdir(def->folder);
    tw_unlock_folder(&lock);
    if (status == TW_OK) return TW_OK;
    tw_render_report_free(report);
    return status;
}

void tw_render_report_free(twRenderReport* report)
{
    free(report->outputs);
    free(report->rods);
    free(report->listeners);
    free(report->modes);
    free(report->world.grabs);
    *report = (twRenderReport){0};
}
