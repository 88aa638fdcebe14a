// SPDX-License-Identifier: MIT
// The rods of a scene: each moves, radiates, and is heard by every listener, step by step.

#include "reader.h"
#include <stdlib.h>

// of these one is timed: the clock costs as much as ten points. Prime, since rods do some of their work every so many steps
#define TIMED_STEPS 61

// one rod and its sound
typedef struct Voice
{
    const twSceneRod* scene;
    twRod* rod;
    twRadiator* radiator;
    twVec3* anchors;  // where moved supports began (moves)
    int track;
} Voice;

typedef struct Ear
{
    const twSceneListener* scene;
    twListener* listener;
    double picked;  // velocity of a pickup's point when the step began
} Ear;

struct twRods
{
    const twScene* scene;
    int latency;
    int64_t steps;
    double step_seconds, motion_seconds, sound_seconds;
    Voice* voices;
    Ear* ears;
};

// ---- creating ----

static twStatus create_radiator(twRadiator** out, const twSceneRod* rod, const twRodView* view, twError* err)
{
    twRadiatorDef def = tw_radiator_def();
    def.point_count = rod->def.point_count;
    def.closed = rod->def.closed;
    def.section_count = rod->def.section_count;
    def.sections = rod->def.sections;
    def.lengths = view->rest_length;
    def.end_caps = !rod->silent_ends;
    def.poisson = rod->stiff_sides ? 0 : rod->def.poisson;
    def.uniform = rod->uniform;
    return tw_radiator_create(out, &def, err);
}

static twStatus create_voice(Voice* voice, const twSceneRod* rod, int track, twError* err)
{
    voice->scene = rod;
    voice->track = track;
    voice->anchors = calloc((size_t)rod->move_count + 1, sizeof *voice->anchors);
    if (!voice->anchors) return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    twStatus status = tw_rod_create(&voice->rod, &rod->def, err);
    if (status != TW_OK) return status;
    const twRodView view = tw_rod_view(voice->rod);
    for (int i = 0; i < rod->move_count; i++)
    {
        const int p = rod->def.supports[rod->moves[i].support].point;
        voice->anchors[i] = tw_vec3(view.position[0][p], view.position[1][p], view.position[2][p]);
    }
    return create_radiator(&voice->radiator, rod, &view, err);
}

// exact cylinders of one radius share a track, which all listeners number alike; 0 is for compact sources
static int track_of(const twScene* scene, const twSceneRod* rod)
{
    const twListenerDef* def = scene->listener_count > 0 ? &scene->listeners[0].def : NULL;
    for (int i = 1; def && rod->exact && i < def->track_count; i++)
        if (def->radius[i] == rod->def.sections[0].radius) return i;
    return 0;
}

twStatus tw_rods_create(twRods** out, const twScene* scene, twError* err)
{
    *out = NULL;
    twRods* rods = calloc(1, sizeof *rods);
    if (!rods) return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    rods->scene = scene;
    rods->step_seconds = 1 / (scene->rate_hz * scene->oversample);
    rods->voices = calloc((size_t)scene->rod_count + 1, sizeof *rods->voices);
    rods->ears = calloc((size_t)scene->listener_count + 1, sizeof *rods->ears);
    twStatus status = rods->voices && rods->ears ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    twError inner;
    for (int i = 0; status == TW_OK && i < scene->rod_count; i++)
    {
        status = create_voice(&rods->voices[i], &scene->rods[i], track_of(scene, &scene->rods[i]), &inner);
        if (status != TW_OK) tw_fail(err, status, "rod '%s': %s", scene->rods[i].name, inner.text);
    }
    for (int i = 0; status == TW_OK && i < scene->listener_count; i++)
    {
        rods->ears[i].scene = &scene->listeners[i];
        status = tw_listener_create(&rods->ears[i].listener, &scene->listeners[i].def, &inner);
        if (status != TW_OK)
            tw_fail(err, status, "listener '%s': %s", scene->listeners[i].name, inner.text);
        else
            rods->latency = tw_listener_latency(rods->ears[i].listener);
    }
    if (status == TW_OK)
        *out = rods;
    else
        tw_rods_destroy(rods);
    return status;
}

void tw_rods_destroy(twRods* rods)
{
    if (!rods) return;
    for (int i = 0; rods->voices && i < rods->scene->rod_count; i++)
    {
        tw_rod_destroy(rods->voices[i].rod);
        tw_radiator_destroy(rods->voices[i].radiator);
        free(rods->voices[i].anchors);
    }
    for (int i = 0; rods->ears && i < rods->scene->listener_count; i++) tw_listener_destroy(rods->ears[i].listener);
    free(rods->voices);
    free(rods->ears);
    free(rods);
}

static twRadiatorMotion motion_of(const Voice* voice)
{
    const twRodView v = tw_rod_view(voice->rod);
    twRadiatorMotion motion;
    for (int k = 0; k < 3; k++)
    {
        motion.position[k] = v.position[k];
        motion.acceleration[k] = v.acceleration[k];
        motion.jerk[k] = v.jerk[k];
        motion.director1[k] = v.frame_d1[k];
        motion.director2[k] = v.frame_d2[k];
    }
    return motion;
}

twStatus rods_check_place(const twScene* scene, twVec3 place, twError* err)
{
    twStatus status = TW_OK;
    twError inner;
    for (int i = 0; i < scene->rod_count && status == TW_OK; i++)
    {
        Voice voice = {0};
        status = create_voice(&voice, &scene->rods[i], 0, &inner);
        if (status == TW_OK)
        {
            const twRadiatorMotion motion = motion_of(&voice);
            status = tw_radiator_check_place(voice.radiator, &motion, place, &inner);
        }
        if (status != TW_OK) tw_fail(err, status, "rod '%s': %s", scene->rods[i].name, inner.text);
        tw_rod_destroy(voice.rod);
        tw_radiator_destroy(voice.radiator);
        free(voice.anchors);
    }
    return status;
}

// ---- stepping ----

twVec3 rods_place(const twSignal along[3], double time)
{
    return tw_vec3(tw_signal_value(&along[0], time, NULL), tw_signal_value(&along[1], time, NULL),
                   tw_signal_value(&along[2], time, NULL));
}

static void move_supports(const Voice* voice, double t)
{
    for (int i = 0; i < voice->scene->move_count; i++)
    {
        const twSceneMove* move = &voice->scene->moves[i];
        const twVec3 to = tw_vec3_add(voice->anchors[i], rods_place(move->along, t));
        tw_rod_move(voice->rod, move->support, to, tw_quat_identity());
    }
}

// sound is that of the start of a step, and so is what a pickup takes
static void pick_up(const twRods* rods, Ear* ear)
{
    const twSceneListener* scene = ear->scene;
    if (scene->pickup_rod < 0) return;
    const twRodView view = tw_rod_view(rods->voices[scene->pickup_rod].rod);
    const int p = scene->pickup_point;
    const twVec3 v = tw_vec3(view.velocity[0][p], view.velocity[1][p], view.velocity[2][p]);
    ear->picked = tw_vec3_dot(v, scene->pickup_direction);
}

// a pickup hears one point's velocity, everybody else all sources
static void hear(const twRods* rods, Ear* ear, const twSources* sources, double t)
{
    const twSceneListener* scene = ear->scene;
    if (scene->pickup_rod >= 0)
    {
        tw_listener_add_signal(ear->listener, ear->picked);
        return;
    }
    if (scene->moves) tw_listener_move(ear->listener, rods_place(scene->along, t));
    for (int i = 0; i < rods->scene->rod_count; i++) tw_listener_add(ear->listener, rods->voices[i].track, &sources[i]);
}

void tw_rods_step(twRods* rods, double* sound)
{
    const bool timed = rods->steps % TIMED_STEPS == TIMED_STEPS / 2;
    const double t = (double)rods->steps++ * rods->step_seconds, start = timed ? tw_seconds() : 0;
    twSources sources[TW_MAX_SCENE_RODS];
    for (int i = 0; i < rods->scene->listener_count; i++) pick_up(rods, &rods->ears[i]);
    for (int i = 0; i < rods->scene->rod_count; i++)
    {
        move_supports(&rods->voices[i], t + rods->step_seconds);
        tw_rod_step(rods->voices[i].rod);
    }
    const double moved = timed ? tw_seconds() : 0;
    for (int i = 0; i < rods->scene->rod_count; i++)
    {
        const twRadiatorMotion motion = motion_of(&rods->voices[i]);
        sources[i] = tw_radiator_update(rods->voices[i].radiator, &motion);
    }
    for (int i = 0; i < rods->scene->listener_count; i++)
    {
        hear(rods, &rods->ears[i], sources, t);
        sound[i] = tw_listener_step(rods->ears[i].listener);
    }
    if (!timed) return;
    rods->motion_seconds += TIMED_STEPS * (moved - start);
    rods->sound_seconds += TIMED_STEPS * (tw_seconds() - moved);
}

int tw_rods_latency(const twRods* rods) { return rods->latency; }

twRod* tw_rods_rod(twRods* rods, int index) { return rods->voices[index].rod; }

twListenerStats tw_rods_listener_stats(const twRods* rods, int index)
{
    return tw_listener_stats(rods->ears[index].listener);
}

void tw_rods_seconds(const twRods* rods, double* motion, double* sound)
{
    *motion = rods->motion_seconds;
    *sound = rods->sound_seconds;
}
