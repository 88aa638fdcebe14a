// SPDX-License-Identifier: MIT
// Worlds with rods, step by step, and what a listener hears of their rods.

#include "reproduce_rod_contact.h"
#include "twang/play.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

// of these steps one is timed in parts, as in scenes of rods; prime, since rods do some of their work every so many steps
#define TIMED_STEPS 61
#define WINDOW 0.01      // of a level [s]
#define QUIET_DB (-200)  // below it nothing is told apart

// all that hears
typedef struct Hearing
{
    twListener* listener;
    int count;
    twRadiator** radiators;  // (count)
} Hearing;

// ---- hearing ----

static void hearing_free(Hearing* h)
{
    for (int i = 0; h->radiators && i < h->count; i++) tw_radiator_destroy(h->radiators[i]);
    free(h->radiators);
    tw_listener_destroy(h->listener);
}

static twStatus make_hearing(Hearing* h, const ContactScene* s, twError* err)
{
    const twScene* scene = s->scene;
    twListenerDef def = tw_listener_def();
    *h = (Hearing){.count = scene->rod_count};
    if (scene->rod_count == 0) return tw_fail(err, TW_BAD_INPUT, "the scene has no rods");
    def.rate_hz = scene->rods[0].def.rate_hz;
    def.position = tw_vec3(0.3, 0.4, 1.5);
    def.ground = true;
    twStatus status = tw_listener_create(&h->listener, &def, err);
    h->radiators = calloc((size_t)h->count, sizeof(twRadiator*));
    if (status == TW_OK && !h->radiators) status = tw_fail(err, TW_NO_MEMORY, "no memory for %d rods", h->count);
    for (int i = 0; i < h->count && status == TW_OK; i++)
    {
        const twRodView view = tw_rod_view(tw_world_rod(tw_bodies_world(s->bodies), i));
        status = tw_scene_radiator(&h->radiators[i], &scene->rods[i], &view, err);
    }
    return status;
}

static double hear_step(const Hearing* h, twWorld* world)
{
    for (int i = 0; i < h->count; i++)
    {
        const twRodView view = tw_rod_view(tw_world_rod(world, i));
        const twRadiatorMotion motion = tw_radiator_motion(&view);
        const twSources sources = tw_radiator_update(h->radiators[i], &motion);
        tw_listener_add(h->listener, 0, &sources);
    }
    return tw_listener_step(h->listener);
}

// ---- running ----

// motion and sound of all steps, wall time [s]
typedef struct Spent
{
    double motion, sound;
} Spent;

static twStatus run_steps(RodContactRun* out, twWorld* world, const Hearing* h, RodContactProgress* progress,
                          Spent* spent, twError* err)
{
    const int late = tw_listener_latency(h->listener), all = out->count + late;
    for (int i = 0; i < all; i++)
    {
        int forces;
        const bool timed = i % TIMED_STEPS == TIMED_STEPS / 2;
        if (i % 64 == 0 && cli_interrupted()) return tw_fail(err, TW_INTERRUPTED, "interrupted");
        if (i % 64 == 0 && progress)
            cli_progress_update(progress->progress, progress->from + (progress->to - progress->from) * i / all);
        // to the middle of the step: it goes on to the end, one step each time whatever is rounded
        const double begin = timed ? tw_seconds() : 0;
        tw_world_advance(world, (i + 0.5) / out->rate_hz);
        tw_world_forces(world, &forces);
        const double moved = timed ? tw_seconds() : 0, pressure = hear_step(h, world);
        if (i >= late) out->samples[i - late] = pressure;
        if (timed) spent->motion += moved - begin, spent->sound += tw_seconds() - moved;
    }
    return TW_OK;
}

static void tell_cost(RodContactRun* out, const Spent* spent)
{
    const twWorldStats* s = &out->stats;
    const double all = fmax(1e-12, s->collide_seconds + s->solve_seconds + s->rod_seconds + s->other_seconds);
    const double both = fmax(1e-12, spent->motion + spent->sound), world = spent->motion / both;
    out->part[1] = world * (s->collide_seconds + s->solve_seconds) / all;
    out->part[0] = world - out->part[1];
    out->part[2] = 1 - world;
    out->contacts = (double)s->rod_contacts / fmax(1, (double)s->rod_steps);
    out->contact_ns = 1e9 * out->part[1] * out->cpu_seconds / fmax(1, (double)s->rod_contacts);
}

twStatus rod_contact_run(RodContactRun* out, const ContactScene* s, double seconds, RodContactProgress* progress,
                         twError* err)
{
    twWorld* world = tw_bodies_world(s->bodies);
    Hearing h = {0};
    Spent spent = {0, 0};
    *out = (RodContactRun){.seconds = seconds};
    twStatus status = make_hearing(&h, s, err);
    if (status == TW_OK)
    {
        out->rate_hz = s->scene->rods[0].def.rate_hz;
        out->count = (int)fmax(1, lround(seconds * out->rate_hz));
        for (int i = 0; i < h.count; i++) out->points += s->scene->rods[i].def.point_count;
        out->samples = malloc((size_t)out->count * sizeof *out->samples);
        if (!out->samples) status = tw_fail(err, TW_NO_MEMORY, "no memory for a sound of %g s", seconds);
    }
    const clock_t begin = clock();
    if (status == TW_OK) status = run_steps(out, world, &h, progress, &spent, err);
    if (status == TW_OK)
    {
        out->cpu_seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        out->stats = tw_world_stats(world);
        out->energy = tw_world_energy(world);
        out->seconds = (double)(out->count + tw_listener_latency(h.listener)) / out->rate_hz;
        tell_cost(out, &spent);
    }
    hearing_free(&h);
    if (status != TW_OK) rod_contact_run_free(out);
    return status;
}

void rod_contact_run_free(RodContactRun* run)
{
    free(run->samples);
    *run = (RodContactRun){0};
}

// ---- levels ----

twStatus rod_contact_level(RodContactLevel* out, const RodContactRun* run, twError* err)
{
    const int length = (int)lround(WINDOW * run->rate_hz);
    *out = (RodContactLevel){.count = run->count / length};
    out->time = calloc(2 * (size_t)out->count + 1, sizeof(double));
    if (!out->time) return tw_fail(err, TW_NO_MEMORY, "no memory for a level");
    out->level = out->time + out->count;
    for (int i = 0; i < out->count; i++)
    {
        double sum = 0;
        for (int k = i * length; k < (i + 1) * length; k++) sum += run->samples[k] * run->samples[k];
        out->time[i] = (i + 0.5) * length / run->rate_hz;
        out->level[i] = sqrt(sum / length);
        if (out->level[i] > out->level[out->impact]) out->impact = i;
    }
    const double loudest = out->count > 0 ? out->level[out->impact] : 0;
    for (int i = 0; i < out->count; i++)
        out->level[i] = out->level[i] > 0 ? fmax(QUIET_DB, 20 * log10(out->level[i] / loudest)) : QUIET_DB;
    return TW_OK;
}

void rod_contact_level_free(RodContactLevel* level)
{
    free(level->time);
    *level = (RodContactLevel){0};
}
