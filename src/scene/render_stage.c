// SPDX-License-Identifier: MIT
// The stage's part of a render: what happens, motion, trace, what is heard of it, the report.
//
// The stage is so quick that a render that was interrupted begins again: nothing is kept of it. Frames are at the ends of steps.

#include "acts.h"
#include "bodies.h"
#include "record_bodies.h"
#include "render.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WATCHED_STEPS 16  // it is asked so often whether to go on

typedef struct StageRun
{
    const twScene* scene;
    const twRenderDef* def;
    twRenderReport* report;
    twBodies* bodies;
    twStage* stage;
    BodyRecord* record;
    Acts* acts;
    int64_t pictures;
} StageRun;

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the motion"); }

// ---- the way ----

static twStatus take_picture(StageRun* run, int64_t step, twError* err)
{
    const twScene* scene = run->scene;
    if (!(scene->frame_rate_hz > 0)) return TW_OK;
    const int64_t steps = llround(1 / (scene->frame_rate_hz * scene->stage.step));
    if (step % steps != 0) return TW_OK;
    run->pictures++;
    return body_record_view(run->record, tw_stage_view(run->stage), err);
}

static twStatus keep_forces(StageRun* run, twError* err)
{
    int count;
    const twContactForce* forces = tw_stage_forces(run->stage, &count);
    return run->scene->frame_rate_hz > 0 ? body_record_forces(run->record, forces, count, err) : TW_OK;
}

static twStatus play(StageRun* run, twError* err)
{
    const double h = run->scene->stage.step, duration = run->scene->duration;
    const int64_t steps = (int64_t)ceil(duration / h * (1 - 1e-9));
    twStatus status = TW_OK;
    for (int64_t i = 0; i < steps && status == TW_OK; i++)
    {
        const double time = (double)i * h;
        status = take_picture(run, i, err);
        if (status != TW_OK) break;
        acts_before(run->acts, time);
        tw_stage_advance(run->stage, h);
        acts_after(run->acts);
        status = keep_forces(run, err);
        if (i % WATCHED_STEPS == 0 && status == TW_OK && run->def->keep_going &&
            !run->def->keep_going(fmin(time / duration, 1), run->def->context))
            return tw_fail(err, TW_INTERRUPTED, "interrupted at %.3f s of %g s; nothing was written", time, duration);
    }
    return status;
}

// ---- the report ----

static twStatus end_report(StageRun* run, twError* err)
{
    const twScene* scene = run->scene;
    twRenderStage* r = &run->report->stage;
    const twStageView* view = tw_stage_view(run->stage);
    r->given = true;
    r->step = scene->stage.step;
    r->stats = view->stats;
    r->end = view->energy;
    r->largest_energy = body_record_counts(run->record).largest_energy;
    r->modes = calloc((size_t)scene->body_count + 1, sizeof *r->modes);
    r->grabs = calloc((size_t)scene->grab_count + 1, sizeof *r->grabs);
    if (!r->modes || !r->grabs) return no_memory(err);
    for (int i = 0; i < scene->body_count; i++) r->modes[i] = tw_stage_modes(run->stage, i);
    memcpy(r->grabs, acts_grabs(run->acts), (size_t)scene->grab_count * sizeof *r->grabs);
    for (int i = 0; i < scene->shape_count; i++)
    {
        const BodyMade* made = &run->bodies->made[i];
        const twVec3 sides = body_sides(made->set->vertices, made->set->vertex_count);
        r->outside = fmax(r->outside, made->outside / tw_vec3_norm(sides));
        if (!r->note[0] && made->note[0])
            snprintf(r->note, sizeof r->note, "%.300s: %.700s", scene->shapes[i].source, made->note);
    }
    return render_modes_fill(run->report, scene, run->bodies, err);
}

static twStatus put_numbers(const StageRun* run, twTraceWriter* writer, twError* err)
{
    const twStageStats* s = &run->report->stage.stats;
    const twStageEnergy* e = &run->report->stage.end;
    const twTraceNumber numbers[] = {{TW_TRACE_DURATION, run->scene->duration},
                                     {"steps", (double)s->steps},
                                     {"contacts per step", s->steps ? (double)s->contacts / (double)s->steps : 0},
                                     {"most contacts of a step", s->contacts_max},
                                     {"dropped contacts", (double)s->dropped_contacts},
                                     {"steps in which a grab gave way", (double)s->limited},
                                     {"lost bodies", (double)s->resets},
                                     {"work of grabs", e->work},
                                     {"dissipated energy", e->dissipated}};
    return tw_trace_put_numbers(writer, numbers, sizeof numbers / sizeof *numbers, err);
}

// ---- the whole ----

static twStatus say(twTraceWriter* writer, const char* format, int body, twError* err)
{
    char name[TW_TRACE_NAME];
    snprintf(name, sizeof name, format, body);
    const twTraceNumber number = {name, 1};
    return tw_trace_put_numbers(writer, &number, 1, err);
}

// what pictures and sound need to know
static twStatus say_bodies(StageRun* run, twError* err)
{
    const twScene* scene = run->scene;
    twTraceWriter* writer = body_record_writer(run->record);
    twStatus status = TW_OK;
    for (int i = 0; i < scene->body_count && status == TW_OK; i++)
    {
        const twSceneBody* body = &scene->bodies[i];
        if (body->warp) status = say(writer, TW_TRACE_WARP, i, err);
        if (body->kind == TW_BODY_FIXED && tw_bodies_set(run->bodies, i)->mode_count > 0 && !body->bent &&
            !scene->unsettled && status == TW_OK)
            status = say(writer, TW_TRACE_RESTS, i, err);
    }
    return status;
}

static twStatus start(StageRun* run, twError* err)
{
    const twScene* scene = run->scene;
    const twBodiesDef def = {run->def->cache_folder, run->def->keep_baking, run->def->context, NULL};
    const double begin = tw_seconds();
    twStatus status = render_check_heads(scene, err);
    if (status == TW_OK) status = tw_bodies_create(&run->bodies, scene, &def, err);
    if (status != TW_OK) return status;
    run->report->stage.make_seconds = tw_seconds() - begin;
    run->stage = tw_bodies_stage(run->bodies);
    run->report->stage.start = tw_stage_view(run->stage)->energy;
    tw_stage_record(run->stage, scene->frame_rate_hz > 0);
    status = acts_create(&run->acts, scene, run->bodies, err);
    if (status == TW_OK) status = body_record_create(&run->record, scene, run->bodies, err);
    if (status != TW_OK || !(scene->frame_rate_hz > 0)) return status;
    status = body_record_start(run->record, run->report->trace, false, NULL, NULL, err);
    return status == TW_OK ? say_bodies(run, err) : status;
}

// the trace is whole but for its end
static twStatus hear_all(const StageRun* run, twTraceWriter* trace, int64_t frames, float* const* sound, twError* err)
{
    char part[600];
    twStatus status = tw_trace_flush(trace, err);
    if (status != TW_OK) return status;
    snprintf(part, sizeof part, "%s.part", run->report->trace);
    return render_sound(run->scene, run->def, part, run->pictures, frames, sound, run->report, err);
}

twStatus render_stage(const twScene* scene, const twRenderDef* def, int64_t frames, float* const* sound,
                      twTraceWriter** trace, twRenderReport* report, twError* err)
{
    StageRun run = {.scene = scene, .def = def, .report = report};
    if (def->resume)
        return tw_fail(err, TW_BAD_INPUT, "what is played on a stage is quick: it begins again, and cannot be resumed");
    twStatus status = start(&run, err);
    const double begin = tw_seconds();
    if (status == TW_OK) status = play(&run, err);
    report->stage.seconds = tw_seconds() - begin;
    if (status == TW_OK) status = body_record_flush(run.record, true, err);
    if (status == TW_OK) status = end_report(&run, err);
    if (run.record) *trace = body_record_release(run.record);
    if (status == TW_OK && *trace) status = put_numbers(&run, *trace, err);
    if (status == TW_OK && scene->ear_count > 0) status = hear_all(&run, *trace, frames, sound, err);
    body_record_destroy(run.record);
    acts_destroy(run.acts);
    tw_bodies_destroy(run.bodies);
    return status;
}

// ---- in words ----

static void json_energy(twJson* json, const twRenderStage* r)
{
    const twStageEnergy *a = &r->start, *b = &r->end;
    const double before = a->kinetic + a->elastic + a->weight + a->springs;
    const double now = b->kinetic + b->elastic + b->weight + b->springs;
    tw_json_object(json, "energy");
    tw_json_number(json, "start", before);
    tw_json_number(json, "kinetic", b->kinetic);
    tw_json_number(json, "elastic", b->elastic);
    tw_json_number(json, "weight", b->weight);
    tw_json_number(json, "springs", b->springs);
    tw_json_number(json, "work_in", b->work);
    tw_json_number(json, "dissipated", b->dissipated);
    tw_json_number(json, "largest", r->largest_energy);
    tw_json_number(json, "balance_error", before + b->work - b->dissipated - now);
    tw_json_end(json);
}

static void json_stats(twJson* json, const twStageStats* s)
{
    tw_json_integer(json, "steps", s->steps);
    tw_json_number(json, "contacts_mean", s->steps ? (double)s->contacts / (double)s->steps : 0);
    tw_json_integer(json, "contacts_max", s->contacts_max);
    tw_json_integer(json, "clustered", s->clustered);
    tw_json_integer(json, "dropped_contacts", s->dropped_contacts);
    tw_json_integer(json, "rows_max", s->rows_max);
    tw_json_number(json, "repeated_mean", s->steps ? (double)s->repeated / (double)s->steps : 0);
    tw_json_integer(json, "limited", s->limited);
    tw_json_integer(json, "refused", s->refused);
    tw_json_integer(json, "resets", s->resets);
}

static void json_modes(twJson* json, const twScene* scene, const twRenderStage* r)
{
    tw_json_array(json, "modes");
    for (int i = 0; i < scene->body_count; i++)
    {
        const twStageModes* m = &r->modes[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "body", scene->bodies[i].name);
        tw_json_integer(json, "seen", m->seen);
        tw_json_integer(json, "too_fast", m->too_fast);
        tw_json_integer(json, "too_stiff", m->too_stiff);
        tw_json_integer(json, "too_many", m->too_many);
        tw_json_end(json);
    }
    tw_json_end(json);
}

static void json_grabs(twJson* json, const twScene* scene, const twRenderStage* r)
{
    tw_json_array(json, "grabs");
    for (int i = 0; i < scene->grab_count; i++)
    {
        tw_json_object(json, NULL);
        tw_json_text(json, "name", scene->grabs[i].name);
        tw_json_text(json, "on", scene->bodies[scene->grabs[i].body].name);
        tw_json_number(json, "largest_error", r->grabs[i].error);
        tw_json_number(json, "largest_force", r->grabs[i].force);
        tw_json_end(json);
    }
    tw_json_end(json);
}

void render_stage_json(twJson* json, const twScene* scene, const twRenderReport* report)
{
    const twRenderStage* r = &report->stage;
    if (!r->given) return;
    tw_json_object(json, "stage");
    tw_json_integer(json, "bodies", scene->body_count);
    tw_json_number(json, "step", r->step);
    tw_json_number(json, "seconds", r->seconds);
    tw_json_number(json, "make_seconds", r->make_seconds);
    tw_json_number(json, "seconds_per_second", r->seconds / scene->duration);
    json_energy(json, r);
    json_stats(json, &r->stats);
    json_modes(json, scene, r);
    json_grabs(json, scene, r);
    if (r->outside > 0) tw_json_number(json, "surface_outside", r->outside);
    tw_json_text(json, "note", r->note);
    tw_json_end(json);
    render_heard_json(json, report);
    if (report->trace[0]) tw_json_text(json, "trace", report->trace);
}
