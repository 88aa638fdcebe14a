// SPDX-License-Identifier: MIT
// What listeners of a scene hear of its bodies, once their motion is recorded.

#include "render.h"
#include "twang/math.h"
#include <stdlib.h>

typedef struct Mix
{
    const twScene* scene;
    int64_t room, at;
    float* const* sound;  // (outputs)
    int* ear_of;          // (listeners) -1: none
} Mix;

static void add_term(const Mix* m, const twSceneOutput* output, const twSceneTerm* term, float* to, const float* from,
                     int frames)
{
    const int heard = tw_ear_channels(m->scene->listeners[term->listener].ear->def.kind);
    double left, right;
    render_pan(term, heard == 1 ? output->channels : 1, &left, &right);
    for (int n = 0; n < frames; n++)
        for (int c = 0; c < output->channels; c++)
        {
            const double gain = heard == 1 && c == 1 ? right : left;
            to[n * output->channels + c] += (float)(gain * (double)from[n * heard + (heard > 1 ? c : 0)]);
        }
}

static twStatus take(const float* const* sounds, int frames, void* context, twError* err)
{
    Mix* m = context;
    (void)err;
    const int n = frames < m->room - m->at ? frames : (int)(m->room - m->at);
    for (int o = 0; o < m->scene->output_count; o++)
    {
        const twSceneOutput* output = &m->scene->outputs[o];
        for (int k = 0; k < output->term_count; k++)
        {
            const int ear = output->terms[k].listener >= 0 ? m->ear_of[output->terms[k].listener] : -1;
            if (ear >= 0)
                add_term(m, output, &output->terms[k], m->sound[o] + m->at * output->channels, sounds[ear], n);
        }
    }
    m->at += n;
    return TW_OK;
}

bool render_rings(const twScene* scene, const twSceneOutput* output)
{
    if (!output->heard || output->term_count < 1 || !(scene->frame_rate_hz > 0)) return false;
    return tw_scene_has_sound(scene) && scene->listeners[output->terms[0].listener].ear;
}

int64_t render_room(const twScene* scene, int64_t frames)
{
    bool rings = false;
    for (int o = 0; o < scene->output_count; o++) rings |= render_rings(scene, &scene->outputs[o]);
    const double tail = scene->tail == TW_TAIL_AUTO ? TW_TAIL_MOST : scene->tail;
    return frames + (rings ? (int64_t)llround(tail * scene->rate_hz) : 0);
}

// what the scene says of its bodies
static int list_changes(const twScene* scene, twListenBody* out)
{
    int count = 0;
    if (scene->sound.contact_damping > 0 && scene->sound.contact_damping != 1)
    {
        out[count] = tw_listen_body();
        out[count++].contact_damping = scene->sound.contact_damping;
    }
    for (int i = 0; i < scene->body_count; i++)
    {
        if (scene->bodies[i].gain == 1) continue;
        out[count] = tw_listen_body();
        out[count].name = scene->bodies[i].name;
        out[count++].gain = scene->bodies[i].gain;
    }
    return count;
}

static twListenDef describe(const twScene* scene, const twRenderDef* render, const char* trace, double recorded)
{
    twListenDef def = tw_listen_def();
    def.sound.path = trace;
    def.sound.rate_hz = scene->rate_hz;
    def.sound.threads = render->threads;
    def.sound.clicks = scene->sound.clicks;
    def.sound.contact_damping = scene->sound.contact_damping > 0;
    def.sound.full_damping = scene->sound.full_damping;
    def.sound.max_freq_hz = scene->sound.max_freq_hz;
    def.sound.highpass_hz = scene->sound.highpass_hz;
    def.sound.sound_speed = scene->sound.sound_speed;
    def.sound.air_density = scene->sound.air_density;
    def.sound.redistribution = scene->sound.redistribution;
    def.sound.tail = fmax(scene->duration - recorded, 0) + fmax(scene->tail, 0);
    def.sound.ring = scene->tail == TW_TAIL_AUTO ? TW_TAIL_MOST : 0;
    def.cache_folder = scene->sound.radiation == TW_RADIATION_ESTIMATE ? NULL : render->cache_folder;
    def.keep_going = render->keep_hearing;
    def.context = render->context;
    return def;
}

twStatus render_check_heads(const twScene* scene, twError* err)
{
    for (int i = 0; i < scene->listener_count; i++)
    {
        const twSceneEar* ear = scene->listeners[i].ear;
        twHead* head = NULL;
        twError inner = {0};
        if (!ear || !ear->hrtf) continue;
        const twStatus status = tw_head_load(&head, ear->hrtf, scene->rate_hz, &inner);
        tw_head_destroy(head);
        if (status != TW_OK) return tw_fail(err, status, "listener '%s': %s", ear->name, inner.text);
    }
    return TW_OK;
}

twStatus render_sound(const twScene* scene, const twRenderDef* render, const char* trace, int64_t recorded,
                      int64_t frames, float* const* sound, twRenderReport* report, twError* err)
{
    twSceneEar ears[TW_MAX_SCENE_LISTENERS];
    int ear_of[TW_MAX_SCENE_LISTENERS];
    twListenDef def = describe(scene, render, trace, (double)(recorded - 1) / scene->frame_rate_hz);
    twListenBody* changes = calloc((size_t)scene->body_count + 1, sizeof *changes);
    if (!changes) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    for (int i = 0; i < scene->listener_count; i++)
    {
        ear_of[i] = scene->listeners[i].ear ? def.ear_count : -1;
        if (scene->listeners[i].ear) ears[def.ear_count++] = *scene->listeners[i].ear;
    }
    def.ears = ears;
    def.bodies = changes;
    def.body_count = list_changes(scene, changes);
    Mix mix = {.scene = scene, .room = render_room(scene, frames), .sound = sound, .ear_of = ear_of};
    // rods are heard already, and do not ring on
    for (int o = 0; o < scene->output_count && scene->rods_touch; o++)
        if (render_rings(scene, &scene->outputs[o]))
            tw_sound_finish(sound[o], frames, scene->outputs[o].channels, scene->rate_hz);
    const twStatus status = tw_listen(&def, take, &mix, &report->hearing, err);
    if (mix.at > frames) report->frames = mix.at;
    report->tail = (double)(report->frames - frames) / scene->rate_hz;
    report->heard = status == TW_OK;
    free(changes);
    return status;
}
