// SPDX-License-Identifier: MIT
// The rods' part of a render: motion, sound at the listeners, the trace, the report.

#include "reader.h"
#include "record.h"
#include "render.h"
#include "twang/math.h"
#include <stdlib.h>
#include <string.h>

#define WATCHED_STEPS 256

typedef struct Run
{
    const twScene* scene;
    const twRenderDef* def;
    twRods* rods;
    twTraceWriter** trace;
    RecordMark mark;
    int64_t frames, steps;  // samples of the sound; steps that make them
    double** heard;         // (listeners) of (steps)
} Run;

static double** alloc_heard(int count, int64_t steps)
{
    double** heard = calloc((size_t)count + 1, sizeof *heard);
    for (int i = 0; heard && i < count; i++)
    {
        heard[i] = malloc((size_t)steps * sizeof **heard);
        if (heard[i]) continue;
        while (i-- > 0) free(heard[i]);
        free(heard);
        return NULL;
    }
    return heard;
}

static void free_run(Run* run)
{
    for (int i = 0; run->heard && i < run->scene->listener_count; i++) free(run->heard[i]);
    free(run->heard);
    tw_rods_destroy(run->rods);
}

// ---- the steps ----

// motion at a frame; frame n is at n / rate, found at the step nearest to it
static twStatus record(Run* run, int64_t step, int64_t* frame, twRenderReport* report, twError* err)
{
    const double rate = run->scene->rate_hz * run->scene->oversample;
    if (!*run->trace || step < llround((double)*frame * rate / run->scene->frame_rate_hz)) return TW_OK;
    twError inner = {0};
    const twStatus status = record_frame(*run->trace, run->scene, run->rods, (*frame)++, &run->mark, &inner);
    if (status != TW_OK) tw_trace_abort(run->trace);
    return render_beside(status, &inner, report->trace, report, err);
}

// whether a rod went through the ground, which is no obstacle, but then its reflection is wrong
static void watch_ground(const Run* run, twRenderReport* report)
{
    const twListenerDef* def = &run->scene->listeners[0].def;
    const twVec3 normal = tw_vec3_normalize(def->ground_normal), at = def->ground_point;
    for (int i = 0; i < run->scene->rod_count && def->ground; i++)
    {
        const twRodView v = tw_rod_view(tw_rods_rod(run->rods, i));
        for (int k = 0; k < v.point_count && !report->rods[i].below_ground; k++)
        {
            const twVec3 to = tw_vec3(v.position[0][k] - at.x, v.position[1][k] - at.y, v.position[2][k] - at.z);
            report->rods[i].below_ground = tw_vec3_dot(to, normal) < -READ_GROUND;
        }
    }
}

static double total(const twRodEnergy* e)
{
    return e->kinetic + e->bending + e->twisting + e->stretching + e->shearing + e->springs + e->gravity;
}

// what is there beyond what was put in can only get less; before (rods): at the last look
static void watch_energy(const Run* run, twRenderReport* report, double* before)
{
    for (int i = 0; i < report->rod_count; i++)
    {
        twRenderRod* r = &report->rods[i];
        const twRodEnergy e = tw_rod_energy(tw_rods_rod(run->rods, i));
        const double now = total(&e) - e.work, rise = now - before[i];
        r->largest_energy = fmax(r->largest_energy, total(&e));
        r->largest_rise = fmax(r->largest_rise, rise);
        r->total_rise += fmax(rise, 0);
        before[i] = now;
    }
}

static twStatus play(Run* run, twRenderReport* report, twError* err)
{
    double sound[TW_MAX_SCENE_LISTENERS], before[TW_MAX_SCENE_RODS];
    for (int i = 0; i < report->rod_count; i++) before[i] = total(&report->rods[i].start) - report->rods[i].start.work;
    const int latency = tw_rods_latency(run->rods), listeners = run->scene->listener_count;
    int64_t frame = 0;
    twStatus status = TW_OK;
    for (int64_t i = 0; i < run->steps + latency && status == TW_OK; i++)
    {
        if (i < run->steps) status = record(run, i, &frame, report, err);
        tw_rods_step(run->rods, sound);
        for (int k = 0; k < listeners && i >= latency; k++) run->heard[k][i - latency] = sound[k];
        if (i % WATCHED_STEPS != 0) continue;
        watch_ground(run, report);
        watch_energy(run, report, before);
        const double done = (double)i / (double)run->steps;
        if (status == TW_OK && run->def->keep_going && !run->def->keep_going(fmin(done, 1), run->def->context))
            status = tw_fail(err, TW_INTERRUPTED, "interrupted at %.0f %%; nothing was written", 100 * done);
    }
    return status;
}

// ---- to the outputs ----

static void mix(const Run* run, const twSceneOutput* output, const double* heard, const twSceneTerm* term, float* out)
{
    double left, right;
    render_pan(term, output->channels, &left, &right);
    for (int64_t i = 0; i < run->frames; i++)
    {
        out[i * output->channels] += (float)(left * heard[i]);
        if (output->channels == 2) out[2 * i + 1] += (float)(right * heard[i]);
    }
}

// what a listener heard, at the rate of the sound
static twStatus to_rate(Run* run, int listener, twError* err)
{
    if (run->scene->oversample == 1) return TW_OK;
    double* slow = malloc((size_t)run->frames * sizeof *slow);
    if (!slow) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    const double rate = run->scene->rate_hz;
    twStatus status =
        tw_resample(slow, run->frames, run->heard[listener], run->steps, rate * run->scene->oversample, rate, err);
    free(run->heard[listener]);
    run->heard[listener] = slow;
    return status;
}

static twStatus mix_all(Run* run, float* const* sound, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; i < run->scene->listener_count && status == TW_OK; i++) status = to_rate(run, i, err);
    for (int o = 0; o < run->scene->output_count && status == TW_OK; o++)
    {
        const twSceneOutput* output = &run->scene->outputs[o];
        for (int k = 0; k < output->term_count && output->heard; k++)
            mix(run, output, run->heard[output->terms[k].listener], &output->terms[k], sound[o]);
    }
    return status;
}

// ---- the whole ----

static twStatus start_report(const Run* run, twRenderReport* report, twError* err)
{
    report->rods = calloc((size_t)run->scene->rod_count, sizeof *report->rods);
    report->listeners = calloc((size_t)run->scene->listener_count, sizeof *report->listeners);
    if (!report->rods || !report->listeners) return tw_fail(err, TW_NO_MEMORY, "no memory for the report");
    report->rod_count = run->scene->rod_count;
    for (int i = 0; i < report->rod_count; i++) report->rods[i].start = tw_rod_energy(tw_rods_rod(run->rods, i));
    return TW_OK;
}

static void end_report(const Run* run, twRenderReport* report)
{
    for (int i = 0; i < report->rod_count; i++)
    {
        report->rods[i].stats = tw_rod_stats(tw_rods_rod(run->rods, i));
        report->rods[i].end = tw_rod_energy(tw_rods_rod(run->rods, i));
    }
    for (int i = 0; i < run->scene->listener_count; i++) report->listeners[i] = tw_rods_listener_stats(run->rods, i);
    tw_rods_seconds(run->rods, &report->motion_seconds, &report->radiation_seconds);
}

twStatus render_rods(const twScene* scene, const twRenderDef* def, int64_t frames, float* const* sound,
                     twTraceWriter** trace, twRenderReport* report, twError* err)
{
    Run run = {.scene = scene, .def = def, .trace = trace, .frames = frames, .steps = frames * scene->oversample};
    twStatus status = tw_rods_create(&run.rods, scene, err);
    if (status == TW_OK && scene->frame_rate_hz > 0)
    {
        twError inner = {0};
        status = record_start(trace, scene, report->trace, &inner);
        status = render_beside(status, &inner, report->trace, report, err);
    }
    if (status == TW_OK)
    {
        run.heard = alloc_heard(scene->listener_count, run.steps);
        if (!run.heard)
            status = tw_fail(err, TW_NO_MEMORY, "no memory for %d listener(s) over %g s", scene->listener_count,
                             scene->duration);
    }
    if (status == TW_OK) status = start_report(&run, report, err);
    if (status == TW_OK) status = play(&run, report, err);
    if (status == TW_OK) status = mix_all(&run, sound, err);
    if (status == TW_OK) end_report(&run, report);
    free_run(&run);
    return status;
}

// ---- in words ----

static void json_energy(twJson* json, const char* name, const twRodEnergy* e)
{
    tw_json_object(json, name);
    tw_json_number(json, "kinetic", e->kinetic);
    tw_json_number(json, "bending", e->bending);
    tw_json_number(json, "twisting", e->twisting);
    tw_json_number(json, "stretching", e->stretching);
    tw_json_number(json, "shearing", e->shearing);
    tw_json_number(json, "springs", e->springs);
    tw_json_number(json, "gravity", e->gravity);
    tw_json_end(json);
}

static void json_rod(twJson* json, const twSceneRod* rod, const twRenderRod* r, bool alone)
{
    tw_json_object(json, NULL);
    tw_json_text(json, "name", rod->name);
    tw_json_integer(json, "points", rod->def.point_count);
    tw_json_integer(json, "steps", r->stats.steps);
    tw_json_integer(json, "substeps", r->stats.substeps);
    tw_json_integer(json, "iterations", r->stats.iterations);
    tw_json_integer(json, "refactorisations", r->stats.refactorisations);
    tw_json_integer(json, "halvings", r->stats.halvings);
    tw_json_integer(json, "stops", r->stats.stops);
    tw_json_integer(json, "bad_inputs", r->stats.bad_inputs);
    if (alone) tw_json_bool(json, "below_ground", r->below_ground);
    json_energy(json, "energy_start", &r->start);
    json_energy(json, "energy_end", &r->end);
    tw_json_number(json, "work_in", r->end.work);
    tw_json_number(json, "dissipated", r->end.dissipated);
    if (alone) tw_json_number(json, "largest_rise", r->largest_rise);
    // of one that touches others the world keeps the balance
    if (alone)
        tw_json_number(json, "balance_error", total(&r->end) + r->end.dissipated - r->end.work - total(&r->start));
    tw_json_end(json);
}

void render_rods_json(twJson* json, const twScene* scene, const twRenderReport* report)
{
    if (report->rod_count == 0) return;
    tw_json_object(json, "seconds");
    tw_json_number(json, "motion", report->motion_seconds);
    tw_json_number(json, "radiation", report->radiation_seconds);
    tw_json_end(json);
    tw_json_array(json, "rods");
    for (int i = 0; i < report->rod_count; i++) json_rod(json, &scene->rods[i], &report->rods[i], !scene->rods_touch);
    tw_json_end(json);
    tw_json_array(json, "listeners");
    for (int i = 0; i < scene->listener_count; i++)
    {
        const twListenerStats* s = &report->listeners[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", scene->listeners[i].name);
        tw_json_integer(json, "too_near", s->too_near);
        tw_json_integer(json, "too_far", s->too_far);
        tw_json_integer(json, "bad_values", s->bad_values);
        tw_json_end(json);
    }
    tw_json_end(json);
    if (report->trace[0] && !report->world.given) tw_json_text(json, "trace", report->trace);
}
