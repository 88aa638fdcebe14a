// SPDX-License-Identifier: MIT
// The world's part of a render: motion, trace, what is heard of it at once, checkpoints, the report.
//
// With rods everything happens at their steps: frames and checkpoints at the first that is not before them (to half a step).
// Without, three clocks tick: samples of the pickups, frames, and checkpoints. The world advances to whichever comes next, or to where a
// hand does something; where it stops on the way changes nothing in it. A checkpoint does: saving a world forgets what only saves time, so it is saved at the same
// times whether or not that is kept, and a render that was resumed ends like one that was not.

#include "acts.h"
#include "bodies.h"
#include "heard.h"
#include "record_bodies.h"
#include "record_push.h"
#include "render.h"
#include "world_rods.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHECKPOINT 0.05         // in the model [s]
#define CHECKPOINT_SECONDS 1.0  // least time between two on the disk [s]
#define WATCH 0.002             // how often it is asked whether to go on, in the model [s]
#define WATCHED_STEPS 64        // the same, of rods
#define MOST_CHANNELS 4         // of a listener
#define STATE_MAGIC 0x54574253u
#define STATE_VERSION 4

// what a checkpoint begins with
typedef struct RunState
{
    uint32_t magic, version;
    twHash scene;
    int64_t checkpoint, record_bytes, rods_bytes, acts_bytes, world_bytes;
    double seconds;  // that it took so far
} RunState;

typedef struct Run
{
    const twScene* scene;
    const twRenderDef* def;
    twRenderReport* report;
    twBodies* bodies;
    twWorld* world;
    BodyRecord* record;
    PushRecord* pushes;
    Acts* acts;               // of the bodies
    WorldRods* rods;          // NULL: none
    int64_t frames;           // samples of the sound
    int64_t sample, picture;  // next ones
    int64_t checkpoint;
    Heard* heard;
    int* vertices;      // of the pickups (listeners)
    twStartTrace from;  // that it begins from
    twHash hash;        // of the scene and that
    double start, seconds_before, kept_at;
} Run;

// ---- pickups ----

static twStatus keep_sample(Run* run, const float* values, twError* err)
{
    heard_keep(run->heard, run->sample++, values);
    return body_record_sample(run->record, values, err);
}

static twStatus take_sample(Run* run, double time, twError* err)
{
    float values[TW_MAX_SCENE_LISTENERS];
    for (int i = 0; i < run->scene->listener_count; i++)
    {
        const twSceneListener* l = &run->scene->listeners[i];
        twVec3 velocity;
        if (l->track < 0) continue;
        tw_world_point(run->world, l->pickup_body, run->vertices[i], time, &velocity);
        values[l->track] = (float)tw_vec3_dot(velocity, l->pickup_direction);
    }
    return keep_sample(run, values, err);
}

// ---- checkpoints ----

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the motion"); }

static double seconds_so_far(const Run* run) { return run->seconds_before + tw_seconds() - run->start; }

static twStatus keep(Run* run, const void* world, size_t world_bytes, twError* err)
{
    const size_t record_bytes = body_record_size(run->record);
    const size_t rods_bytes = run->rods ? world_rods_state_bytes(run->rods) : 0;
    const size_t acts_bytes = acts_state_bytes(run->acts);
    const RunState head = {.magic = STATE_MAGIC,
                           .version = STATE_VERSION,
                           .scene = run->hash,
                           .checkpoint = run->checkpoint,
                           .record_bytes = (int64_t)record_bytes,
                           .rods_bytes = (int64_t)rods_bytes,
                           .acts_bytes = (int64_t)acts_bytes,
                           .world_bytes = (int64_t)world_bytes,
                           .seconds = seconds_so_far(run)};
    const size_t count = sizeof head + record_bytes + rods_bytes + acts_bytes + world_bytes;
    char* bytes = malloc(count);
    if (!bytes) return tw_fail(err, TW_NO_MEMORY, "no memory for a checkpoint");
    memcpy(bytes, &head, sizeof head);
    body_record_save(run->record, bytes + sizeof head);
    if (run->rods) world_rods_save(run->rods, bytes + sizeof head + record_bytes);
    acts_save(run->acts, bytes + count - world_bytes - acts_bytes);
    memcpy(bytes + count - world_bytes, world, world_bytes);
    const twStatus status = body_record_checkpoint(run->record, bytes, count, err);
    free(bytes);
    run->kept_at = tw_seconds();
    return status;
}

static twStatus save(Run* run, bool last, twError* err)
{
    void* bytes;
    size_t count;
    run->checkpoint++;
    twStatus status = body_record_flush(run->record, false, err);
    if (status == TW_OK) status = tw_world_save(run->world, &bytes, &count, err);
    if (status != TW_OK) return status;
    const double rest = run->def->checkpoint_seconds > 0 ? run->def->checkpoint_seconds : CHECKPOINT_SECONDS;
    if (run->checkpoint == 1 || last || tw_seconds() - run->kept_at >= rest) status = keep(run, bytes, count, err);
    free(bytes);
    return status;
}

static twStatus unpack(Run* run, const char* bytes, size_t count, twError* err)
{
    RunState head = {0};
    if (count >= sizeof head) memcpy(&head, bytes, sizeof head);
    const size_t record = (size_t)head.record_bytes, rods = (size_t)head.rods_bytes, world = (size_t)head.world_bytes;
    const size_t acts = (size_t)head.acts_bytes;
    if (head.magic != STATE_MAGIC || head.version != STATE_VERSION || record > count || rods > count || acts > count ||
        world > count || record + rods + acts + world + sizeof head != count)
        return tw_fail(err, TW_BAD_INPUT, "its checkpoint is of another version of the program");
    if (head.scene.high != run->hash.high || head.scene.low != run->hash.low)
        return tw_fail(err, TW_BAD_INPUT, "the scene was changed since, or what it begins from");
    if (!body_record_load(run->record, bytes + sizeof head, record) || (rods > 0) != (run->rods != NULL) ||
        (rods > 0 && !world_rods_load(run->rods, bytes + sizeof head + record, rods)) ||
        !acts_load(run->acts, bytes + count - world - acts, acts))
        return tw_fail(err, TW_BAD_INPUT, "its checkpoint is not of this scene");
    run->checkpoint = head.checkpoint;
    run->seconds_before = head.seconds;
    const RecordCounts counts = body_record_counts(run->record);
    run->sample = counts.samples;
    run->picture = counts.frames;
    return tw_world_load(run->world, bytes + count - world, world, err);
}

static twStatus resume(Run* run, const char* path, twError* err)
{
    void* state = NULL;
    size_t bytes = 0;
    twError inner;
    twStatus status = body_record_start(run->record, path, true, &state, &bytes, &inner);
    if (status == TW_OK) status = unpack(run, state, bytes, &inner);
    if (status == TW_OK) status = heard_again(run->heard, path, run->sample, &inner);
    free(state);
    if (status != TW_OK)
        return tw_fail(err, status, "cannot go on with %s: %s; render without --resume to begin again", path,
                       inner.text);
    run->report->world.resumed_at = tw_world_time(run->world);
    return TW_OK;
}

// ---- the way ----

static double frame_time(const Run* run) { return (double)run->picture / run->scene->frame_rate_hz; }
static double sample_time(const Run* run) { return (double)run->sample / run->scene->rate_hz; }
static double checkpoint_time(const Run* run) { return (double)run->checkpoint * CHECKPOINT; }

static double next_time(const Run* run, double watch)
{
    double next = fmin(fmin(run->scene->duration, acts_next(run->acts)), fmin(watch, checkpoint_time(run)));
    if (run->scene->frame_rate_hz > 0) next = fmin(next, frame_time(run));
    return run->scene->pickup_count > 0 && run->sample < run->frames ? fmin(next, sample_time(run)) : next;
}

static bool may_go_on(const Run* run, double time)
{
    return !run->def->keep_going || run->def->keep_going(fmin(time / run->scene->duration, 1), run->def->context);
}

static twStatus stopped(const Run* run, double time, twError* err)
{
    return tw_fail(err, TW_INTERRUPTED, "interrupted at %.3f s of %g s", time, run->scene->duration);
}

// forces since a time, with pushes among them
static twStatus keep_forces(Run* run, double since, twError* err)
{
    int count;
    const twContactForce* forces = tw_world_forces(run->world, &count);
    if (!(run->scene->frame_rate_hz > 0)) return TW_OK;
    const bool merged = push_record_merge(run->pushes, &forces, &count, since, tw_world_time(run->world));
    return merged ? body_record_forces(run->record, forces, count, err) : no_memory(err);
}

static twStatus keep_frame(Run* run, double time, twError* err)
{
    run->picture++;
    return body_record_frame(run->record, time, err);
}

// what is due at a time, and before
static twStatus act(Run* run, double time, twError* err)
{
    const twScene* scene = run->scene;
    const double before = tw_world_time(run->world);
    tw_world_advance(run->world, time);
    twStatus status = keep_forces(run, before, err);
    if (status == TW_OK && scene->pickup_count > 0 && run->sample < run->frames && sample_time(run) <= time)
        status = take_sample(run, time, err);
    if (status == TW_OK && scene->frame_rate_hz > 0 && time < scene->duration && frame_time(run) <= time)
        status = keep_frame(run, time, err);
    if (status == TW_OK && checkpoint_time(run) <= time) status = save(run, false, err);
    acts_look(run->acts, run->world);
    return status == TW_OK ? acts_do(run->acts, run->world, time, err) : status;
}

static twStatus play(Run* run, twError* err)
{
    const double duration = run->scene->duration;
    double time = tw_world_time(run->world), watch = time;
    twStatus status = acts_do(run->acts, run->world, time, err);
    while (status == TW_OK && time < duration)
    {
        time = next_time(run, watch);
        status = act(run, time, err);
        if (time < watch) continue;
        watch = time + WATCH;
        if (status == TW_OK && !may_go_on(run, time)) return stopped(run, time, err);
    }
    return status;
}

// ---- the way with rods ----

// what is due before a step
static twStatus act_before(Run* run, int64_t step, twError* err)
{
    const double rate = world_rods_rate(run->rods);
    twStatus status = TW_OK;
    if (run->scene->frame_rate_hz > 0 && llround(frame_time(run) * rate) <= step)
        status = keep_frame(run, (double)step / rate, err);
    if (status == TW_OK && llround(checkpoint_time(run) * rate) <= step) status = save(run, false, err);
    return status;
}

// What is heard is late, so some steps more are taken for it.
static twStatus play_steps(Run* run, twError* err)
{
    float values[TW_MAX_SCENE_LISTENERS * MOST_CHANNELS];
    const int64_t steps = heard_room(run->heard), latency = world_rods_latency(run->rods);
    const double rate = world_rods_rate(run->rods);
    twStatus status = TW_OK;
    for (int64_t step = world_rods_steps(run->rods); step < steps + latency && status == TW_OK; step++)
    {
        const double since = tw_world_time(run->world);
        if (step < steps) status = act_before(run, step, err);
        if (status == TW_OK) status = acts_do(run->acts, run->world, (double)step / rate, err);
        if (status != TW_OK) break;
        world_rods_advance(run->rods, values);
        acts_look(run->acts, run->world);
        if (step < steps) status = keep_forces(run, since, err);
        if (step >= latency && status == TW_OK && run->scene->pickup_count > 0) status = keep_sample(run, values, err);
        if (step % WATCHED_STEPS == 0 && status == TW_OK && !may_go_on(run, (double)step / rate))
            return stopped(run, (double)step / rate, err);
    }
    return status;
}

// ---- the report ----

static void put_number(twTraceNumber* numbers, int* count, const char* name, double value)
{
    numbers[(*count)++] = (twTraceNumber){name, value};
}

static double rod_contacts(const twWorldStats* s)
{
    return s->rod_steps > 0 ? (double)s->rod_contacts / (double)s->rod_steps : 0;
}

// what depends on the motion alone: no times
static twStatus put_numbers(const Run* run, twTraceWriter* writer, twError* err)
{
    const twRenderWorld* w = &run->report->world;
    twTraceNumber numbers[32];
    int count = 0;
    put_number(numbers, &count, TW_TRACE_DURATION, run->scene->duration);
    put_number(numbers, &count, "steps", (double)w->stats.steps);
    put_number(numbers, &count, "steps of bodies alone", (double)w->stats.free_steps);
    put_number(numbers, &count, "steps of all bodies", (double)w->stats.body_steps);
    put_number(numbers, &count, "rollbacks", (double)w->stats.rollbacks);
    put_number(numbers, &count, "steps tried again", (double)w->stats.tried_again);
    put_number(numbers, &count, "modes woken", (double)w->stats.woken);
    put_number(numbers, &count, "modes put to sleep", (double)w->stats.put_to_sleep);
    put_number(numbers, &count, "steps without friction", (double)w->stats.culled);
    put_number(numbers, &count, "failures", (double)w->stats.failures);
    put_number(numbers, &count, "lost bodies", (double)w->stats.lost);
    put_number(numbers, &count, "contacts per step",
               w->stats.steps ? (double)w->stats.contacts / (double)w->stats.steps : 0);
    put_number(numbers, &count, "most contacts of a step", w->stats.contacts_max);
    if (run->rods)
    {
        put_number(numbers, &count, "steps of rods", (double)w->stats.rod_steps);
        put_number(numbers, &count, "contacts of rods per step", rod_contacts(&w->stats));
        put_number(numbers, &count, "most contacts of rods", w->stats.rod_contacts_max);
        put_number(numbers, &count, "refined steps of rods", (double)w->stats.refined);
        put_number(numbers, &count, "pieces with softer contacts", (double)w->stats.softened);
    }
    put_number(numbers, &count, "largest rise of energy", w->energy.largest_rise);
    put_number(numbers, &count, "all rises of energy", w->energy.total_rise);
    return tw_trace_put_numbers(writer, numbers, count, err);
}

// how it ends, for a scene that begins there
static twStatus put_end(const Run* run, twTraceWriter* writer, twError* err)
{
    double* numbers;
    size_t count;
    if (run->rods) return TW_OK;
    twStatus status = tw_world_end(&numbers, &count, run->world, err);
    if (status != TW_OK) return status;
    const twTraceEnd end = {run->scene->hash, run->from.hash, (int64_t)count, numbers};
    status = tw_trace_put_end(writer, &end, err);
    free(numbers);
    return status;
}

// embedded surfaces, from their tets, over the size of the body
static double farthest_outside(const Run* run)
{
    double most = 0;
    for (int i = 0; i < run->scene->shape_count; i++)
    {
        const BodyMade* made = &run->bodies->made[i];
        const twVec3 sides = body_sides(made->set->vertices, made->set->vertex_count);
        if (made->drawn) most = fmax(most, made->outside / tw_vec3_norm(sides));
    }
    return most;
}

static twStatus end_report(Run* run, twError* err)
{
    twRenderWorld* w = &run->report->world;
    const RecordCounts counts = body_record_counts(run->record);
    w->given = true;
    w->stats = tw_world_stats(run->world);
    w->energy = tw_world_energy(run->world);
    w->largest_energy = counts.largest_energy;
    w->mean_dof = counts.frames > 0 ? counts.dof_sum / (double)counts.frames : 0;
    for (int i = 0; i < TW_DOF_BINS && i < RECORD_DOF_BINS; i++) w->dof_bins[i] = counts.dof_bins[i];
    w->seconds = seconds_so_far(run);
    w->outside = farthest_outside(run);
    w->grabs = calloc((size_t)run->scene->grab_count + 1, sizeof *w->grabs);
    if (!w->grabs) return no_memory(err);
    memcpy(w->grabs, acts_grabs(run->acts), (size_t)run->scene->grab_count * sizeof *w->grabs);
    for (int i = 0; i < run->scene->shape_count && !w->note[0]; i++)
        if (tw_bodies_note(run->bodies, i)[0])
            snprintf(w->note, sizeof w->note, "%.300s: %.700s", run->scene->shapes[i].source,
                     tw_bodies_note(run->bodies, i));
    const twStatus status = render_modes_fill(run->report, run->scene, run->bodies, err);
    return status == TW_OK && run->rods ? world_rods_report(run->rods, run->report, err) : status;
}

// ---- the whole ----

// what pictures need to know
static twStatus say_warps(Run* run, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; i < run->scene->body_count && status == TW_OK; i++)
    {
        char name[TW_TRACE_NAME];
        snprintf(name, sizeof name, TW_TRACE_WARP, i);
        const twTraceNumber number = {name, 1};
        if (run->scene->bodies[i].warp) status = tw_trace_put_numbers(body_record_writer(run->record), &number, 1, err);
    }
    return status;
}

static twStatus start(Run* run, twError* err)
{
    const twScene* scene = run->scene;
    const double begin = tw_seconds();
    twStatus status = render_check_heads(scene, err);
    if (status == TW_OK) status = tw_scene_start(&run->from, scene, run->def->folder, err);
    const twBodiesDef def = {run->def->cache_folder, run->def->keep_baking, run->def->context, run->from.trace};
    run->hash = run->from.trace ? tw_hash(&run->from.hash, sizeof run->from.hash, scene->hash) : scene->hash;
    if (status == TW_OK) status = tw_bodies_create(&run->bodies, scene, &def, err);
    tw_trace_destroy(run->from.trace);
    run->from.trace = NULL;
    if (status != TW_OK) return status;
    run->report->world.make_seconds = tw_seconds() - begin;
    run->world = tw_bodies_world(run->bodies);
    run->acts = bodies_acts(run->bodies);
    status = body_record_create(&run->record, scene, run->bodies, err);
    run->pushes = push_record_create(scene, run->bodies);
    if (status == TW_OK && !run->pushes) status = no_memory(err);
    run->heard = heard_create(scene, run->frames);
    run->vertices = calloc((size_t)scene->listener_count + 1, sizeof *run->vertices);
    if (status == TW_OK && !(run->heard && run->vertices))
        status = tw_fail(err, TW_NO_MEMORY, "no memory for what is heard over %g s", scene->duration);
    if (status == TW_OK && scene->rods_touch) status = world_rods_create(&run->rods, scene, run->bodies, err);
    for (int i = 0; i < scene->listener_count && status == TW_OK; i++)
        if (scene->listeners[i].pickup_body >= 0)
            run->vertices[i] = tw_body_shape_nearest(tw_bodies_shape(run->bodies, scene->listeners[i].pickup_body),
                                                     scene->listeners[i].pickup_at);
    run->start = tw_seconds();
    if (status != TW_OK || !(scene->frame_rate_hz > 0)) return status;
    if (run->def->resume) return resume(run, run->report->trace, err);
    status = body_record_start(run->record, run->report->trace, false, NULL, NULL, err);
    return status == TW_OK ? say_warps(run, err) : status;
}

static void free_run(Run* run)
{
    heard_destroy(run->heard);
    free(run->vertices);
    world_rods_destroy(run->rods);
    body_record_destroy(run->record);
    push_record_destroy(run->pushes);
    tw_bodies_destroy(run->bodies);
}

// The trace is whole but for its end, and stays a part until all files are there: an interruption here loses no motion.
static twStatus hear_all(const Run* run, twTraceWriter* trace, float* const* sound, twError* err)
{
    char part[600];
    twStatus status = tw_trace_flush(trace, err);
    if (status != TW_OK) return status;
    snprintf(part, sizeof part, "%s.part", run->report->trace);
    return render_sound(run->scene, run->def, part, run->picture, run->frames, sound, run->report, err);
}

twStatus render_bodies(const twScene* scene, const twRenderDef* def, int64_t frames, float* const* sound,
                       twTraceWriter** trace, twRenderReport* report, twError* err)
{
    Run run = {.scene = scene, .def = def, .report = report, .frames = frames};
    if (def->resume && !(scene->frame_rate_hz > 0))
        return tw_fail(err, TW_BAD_INPUT, "there is nothing to go on from: 'frames' is 0, so nothing is recorded");
    twStatus status = start(&run, err);
    if (status == TW_OK) status = run.rods ? play_steps(&run, err) : play(&run, err);
    if (status == TW_OK && scene->frame_rate_hz > 0) status = save(&run, true, err);
    if (status == TW_OK) status = body_record_flush(run.record, true, err);
    if (status == TW_OK) status = end_report(&run, err);
    if (status == TW_OK) status = heard_mix(run.heard, sound, err);
    if (status == TW_OK)
    {
        *trace = body_record_release(run.record);
        if (*trace) status = put_numbers(&run, *trace, err);
        if (*trace && status == TW_OK) status = put_end(&run, *trace, err);
    }
    if (status == TW_OK && scene->ear_count > 0 && tw_scene_has_sound(scene))
        status = hear_all(&run, *trace, sound, err);
    free_run(&run);
    return status;
}

// ---- in words ----

static void json_energy(twJson* json, const twWorldEnergy* e)
{
    const double now = e->kinetic + e->elastic + e->weight + e->contacts;
    tw_json_object(json, "energy");
    tw_json_number(json, "start", e->start);
    tw_json_number(json, "kinetic", e->kinetic);
    tw_json_number(json, "elastic", e->elastic);
    tw_json_number(json, "weight", e->weight);
    tw_json_number(json, "contacts_and_joints", e->contacts);
    tw_json_number(json, "work_in", e->work);
    tw_json_number(json, "lost", e->start + e->work - now);
    tw_json_object(json, "losses");
    for (int i = 0; i < TW_LOSS_COUNT; i++) tw_json_number(json, tw_loss_name((twLoss)i), e->loss[i]);
    tw_json_end(json);
    tw_json_number(json, "largest_rise_in_a_step", e->largest_rise);
    tw_json_number(json, "all_rises", e->total_rise);
    tw_json_end(json);
}

static void json_counts(twJson* json, const char* name, const int64_t* bins, int count)
{
    double values[TW_STEP_BINS + TW_DOF_BINS];
    for (int i = 0; i < count; i++) values[i] = (double)bins[i];
    while (count > 0 && values[count - 1] == 0) count--;
    tw_json_numbers(json, name, values, (size_t)count);
}

static void json_stats(twJson* json, const twRenderWorld* w)
{
    const twWorldStats* s = &w->stats;
    const double steps = s->steps + s->free_steps > 0 ? (double)(s->steps + s->free_steps) : 1;
    tw_json_integer(json, "steps", s->steps);
    tw_json_integer(json, "free_steps", s->free_steps);
    tw_json_integer(json, "body_steps", s->body_steps);
    tw_json_integer(json, "rollbacks", s->rollbacks);
    tw_json_integer(json, "tried_again", s->tried_again);
    tw_json_integer(json, "modes_woken", s->woken);
    tw_json_integer(json, "modes_put_to_sleep", s->put_to_sleep);
    tw_json_integer(json, "culled", s->culled);
    tw_json_integer(json, "failures", s->failures);
    tw_json_integer(json, "lost", s->lost);
    tw_json_integer(json, "escaped", s->escaped);
    tw_json_integer(json, "dropped", s->dropped);
    tw_json_number(json, "contacts_mean", s->steps ? (double)s->contacts / (double)s->steps : 0);
    tw_json_integer(json, "contacts_max", s->contacts_max);
    tw_json_number(json, "iterations_mean", s->steps ? (double)s->iterations / (double)s->steps : 0);
    tw_json_number(json, "unknowns_mean", s->steps ? (double)s->unknowns / (double)s->steps : 0);
    tw_json_integer(json, "unknowns_max", s->unknowns_max);
    tw_json_number(json, "dof_mean", w->mean_dof);
    json_counts(json, "frames_by_log2_dof", w->dof_bins, TW_DOF_BINS);
    json_counts(json, "steps_by_minus_log2_seconds", s->step_bins, TW_STEP_BINS);
    tw_json_object(json, "microseconds_per_step");
    tw_json_number(json, "collide", 1e6 * s->collide_seconds / steps);
    tw_json_number(json, "solve", 1e6 * s->solve_seconds / steps);
    tw_json_number(json, "other", 1e6 * s->other_seconds / steps);
    tw_json_end(json);
}

static void json_rods(twJson* json, const twScene* scene, const twRenderWorld* w)
{
    const twWorldStats* s = &w->stats;
    tw_json_integer(json, "rods", scene->rod_count);
    tw_json_integer(json, "rod_steps", s->rod_steps);
    tw_json_number(json, "rod_contacts_mean", rod_contacts(s));
    tw_json_integer(json, "rod_contacts_max", s->rod_contacts_max);
    tw_json_integer(json, "refined_steps", s->refined);
    tw_json_integer(json, "softened_pieces", s->softened);
    tw_json_number(json, "rod_seconds", s->rod_seconds);
}

static void json_grabs(twJson* json, const twScene* scene, const twRenderWorld* w)
{
    tw_json_array(json, "grabs");
    for (int i = 0; i < scene->grab_count; i++)
    {
        tw_json_object(json, NULL);
        tw_json_text(json, "name", scene->grabs[i].name);
        tw_json_text(json, "on", scene->grabs[i].on);
        tw_json_number(json, "largest_error", w->grabs[i].error);
        tw_json_number(json, "largest_force", w->grabs[i].force);
        tw_json_bool(json, "gave_way", w->grabs[i].limited);
        tw_json_bool(json, "powerless", w->grabs[i].powerless);
        tw_json_end(json);
    }
    tw_json_end(json);
}

void render_heard_json(twJson* json, const twRenderReport* report)
{
    const twListenReport* r = &report->hearing;
    if (!report->heard) return;
    tw_json_object(json, "hearing");
    tw_json_integer(json, "bodies", r->sound.bodies);
    tw_json_integer(json, "modes", r->sound.modes);
    tw_json_integer(json, "baked", r->sound.baked);
    tw_json_integer(json, "estimated", r->sound.estimated);
    tw_json_bool(json, "redistributed", r->sound.redistributed);
    tw_json_number(json, "ground_mass_per_area", r->sound.board);
    tw_json_number(json, "seconds", r->seconds);
    tw_json_text(json, "note", r->note);
    tw_json_end(json);
}

void render_bodies_json(twJson* json, const twScene* scene, const twRenderReport* report)
{
    const twRenderWorld* w = &report->world;
    if (!w->given) return;
    tw_json_object(json, "world");
    tw_json_integer(json, "bodies", scene->body_count);
    tw_json_integer(json, "joints", scene->joint_count);
    tw_json_number(json, "seconds", w->seconds);
    tw_json_number(json, "make_seconds", w->make_seconds);
    tw_json_number(json, "seconds_per_second", w->seconds / scene->duration);
    tw_json_number(json, "resumed_at", w->resumed_at);
    json_energy(json, &w->energy);
    json_stats(json, w);
    if (scene->rods_touch) json_rods(json, scene, w);
    if (scene->grab_count > 0) json_grabs(json, scene, w);
    if (w->outside > 0) tw_json_number(json, "surface_outside", w->outside);
    tw_json_text(json, "note", w->note);
    if (scene->import) tw_json_text(json, "import", scene->import->note);
    tw_json_end(json);
    render_heard_json(json, report);
    if (report->trace[0]) tw_json_text(json, "trace", report->trace);
}
