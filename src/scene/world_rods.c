// SPDX-License-Identifier: MIT
// The world advances by half a step beyond the last one, so that rounding never takes one more or one less.

#include "world_rods.h"
#include "rod_sound.h"
#include <stdlib.h>
#include <string.h>

#define TIMED_STEPS 61  // of these one is timed, as in rods.c

struct WorldRods
{
    const twScene* scene;
    twWorld* world;
    RodSound* sound;
    int64_t step;
    double rate;
    double motion_seconds, sound_seconds;
    twRodEnergy* start;  // (rods)
    int* vertices;       // of pickups on bodies (listeners)
    double* heard;       // (channels)
};

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the rods"); }

static twStatus create(WorldRods* r, twBodies* bodies, twError* err)
{
    const twScene* scene = r->scene;
    twRod* rods[TW_MAX_SCENE_RODS];
    r->start = calloc((size_t)scene->rod_count + 1, sizeof *r->start);
    r->vertices = calloc((size_t)scene->listener_count + 1, sizeof *r->vertices);
    if (!r->start || !r->vertices) return no_memory(err);
    for (int i = 0; i < scene->rod_count; i++)
    {
        rods[i] = tw_world_rod(r->world, i);
        r->start[i] = tw_rod_energy(rods[i]);
    }
    for (int i = 0; i < scene->listener_count; i++)
        if (scene->listeners[i].pickup_body >= 0)
            r->vertices[i] = tw_body_shape_nearest(tw_bodies_shape(bodies, scene->listeners[i].pickup_body),
                                                   scene->listeners[i].pickup_at);
    const twStatus status = rod_sound_create(&r->sound, scene, rods, err);
    if (status != TW_OK) return status;
    r->heard = calloc((size_t)rod_sound_channels(r->sound) + 1, sizeof *r->heard);
    return r->heard ? TW_OK : no_memory(err);
}

twStatus world_rods_create(WorldRods** out, const twScene* scene, twBodies* bodies, twError* err)
{
    *out = NULL;
    WorldRods* r = calloc(1, sizeof *r);
    if (!r) return no_memory(err);
    r->scene = scene;
    r->world = tw_bodies_world(bodies);
    r->rate = scene->world.rod_rate_hz;
    const twStatus status = create(r, bodies, err);
    if (status == TW_OK)
        *out = r;
    else
        world_rods_destroy(r);
    return status;
}

void world_rods_destroy(WorldRods* r)
{
    if (!r) return;
    rod_sound_destroy(r->sound);
    free(r->start);
    free(r->vertices);
    free(r->heard);
    free(r);
}

int64_t world_rods_steps(const WorldRods* r) { return r->step; }
double world_rods_rate(const WorldRods* r) { return r->rate; }
int world_rods_latency(const WorldRods* r) { return rod_sound_latency(r->sound); }

// ---- a step ----

static void pick_bodies(const WorldRods* r, double time)
{
    for (int i = 0; i < r->scene->listener_count; i++)
    {
        const twSceneListener* l = &r->scene->listeners[i];
        twVec3 velocity;
        if (l->pickup_body < 0) continue;
        tw_world_point(r->world, l->pickup_body, r->vertices[i], time, &velocity);
        rod_sound_pick(r->sound, i, tw_vec3_dot(velocity, l->pickup_direction));
    }
}

void world_rods_advance(WorldRods* r, float* values)
{
    const bool timed = r->step % TIMED_STEPS == TIMED_STEPS / 2;
    const double time = (double)r->step / r->rate, start = timed ? tw_seconds() : 0;
    rod_sound_before(r->sound, time);
    pick_bodies(r, time);
    tw_world_advance(r->world, ((double)r->step + 0.5) / r->rate);
    r->step++;
    const double moved = timed ? tw_seconds() : 0;
    rod_sound_after(r->sound, time, r->heard);
    for (int i = 0; i < rod_sound_channels(r->sound); i++) values[i] = (float)r->heard[i];
    if (!timed) return;
    r->motion_seconds += TIMED_STEPS * (moved - start);
    r->sound_seconds += TIMED_STEPS * (tw_seconds() - moved);
}

// ---- saving ----

size_t world_rods_state_bytes(const WorldRods* r) { return sizeof r->step + rod_sound_state_bytes(r->sound); }

void world_rods_save(const WorldRods* r, char* out)
{
    memcpy(out, &r->step, sizeof r->step);
    rod_sound_save(r->sound, out + sizeof r->step);
}

bool world_rods_load(WorldRods* r, const char* bytes, size_t count)
{
    int64_t step;
    if (count < sizeof step) return false;
    memcpy(&step, bytes, sizeof step);
    if (step < 0 || !rod_sound_load(r->sound, bytes + sizeof step, count - sizeof step)) return false;
    r->step = step;
    return true;
}

// ---- the report ----

twStatus world_rods_report(WorldRods* r, twRenderReport* report, twError* err)
{
    const twScene* scene = r->scene;
    report->rods = calloc((size_t)scene->rod_count + 1, sizeof *report->rods);
    report->listeners = calloc((size_t)scene->listener_count + 1, sizeof *report->listeners);
    if (!report->rods || !report->listeners) return tw_fail(err, TW_NO_MEMORY, "no memory for the report");
    report->rod_count = scene->rod_count;
    for (int i = 0; i < scene->rod_count; i++)
    {
        twRod* rod = tw_world_rod(r->world, i);
        report->rods[i] = (twRenderRod){.stats = tw_rod_stats(rod), .start = r->start[i], .end = tw_rod_energy(rod)};
    }
    for (int i = 0; i < scene->listener_count; i++) report->listeners[i] = rod_sound_stats(r->sound, i);
    report->motion_seconds = r->motion_seconds;
    report->radiation_seconds = r->sound_seconds;
    return TW_OK;
}
