// SPDX-License-Identifier: MIT
// A scene being played: its network, fed block by block by signals, control layers and strikes.

#include "twang/play.h"
#include "render.h"
#include "twang/math.h"
#include <string.h>

#define PLAY_BLOCK 64

// a signal and what it needs to run
typedef struct Source
{
    const twSignal* signal;
    twNoise noise;
} Source;

// the control layers of one contact; an input is -1 if unused
typedef struct Player
{
    const twSceneContact* contact;
    int weight_input, normal_input, offset_input;
    double weight;  // of the exciter [N]
    Source speed, press, normal, x, y;
    twProfile* profile;
    twTravel travel;
    twBounce bounce;
    twPointer pointer;
} Player;

struct twPlay
{
    const twScene* scene;
    twNet* net;
    twArena* arena;
    int64_t frame;
    int next_strike;
    int input_count, term_count, probe_count;
    Source* forces;    // (scene forces), input i
    Player* players;   // (contacts)
    double* in_block;  // (inputs x PLAY_BLOCK)
    const double** in;
    double* out_block;  // (terms x PLAY_BLOCK)
    double** out;       // (terms + probes)
    double* last;       // (terms): sample before the block, for acceleration
};

static Source source(const twSignal* signal, double rate_hz)
{
    return (Source){signal, tw_noise(signal->beta, rate_hz, signal->seed)};
}

static double source_next(Source* s, double t) { return tw_signal_value(s->signal, t, &s->noise); }

// ---- set-up ----

static double exciter_mass(const twScene* scene, const twSceneContact* contact)
{
    return scene->objects[contact->def.a].modes->mass[0];
}

static twStatus player_start(Player* p, const twScene* scene, const twSceneContact* contact, twError* err)
{
    const twSceneMotion* motion = &contact->motion;
    p->contact = contact;
    p->weight_input = p->normal_input = p->offset_input = -1;
    p->weight = motion->kind != TW_MOTION_NONE ? exciter_mass(scene, contact) * motion->gravity : 0;
    p->speed = source(&motion->speed, scene->rate_hz);
    p->press = source(&motion->press, scene->rate_hz);
    p->normal = source(&contact->normal_force, scene->rate_hz);
    p->x = source(&contact->pointer_x, scene->rate_hz);
    p->y = source(&contact->pointer_y, scene->rate_hz);
    p->bounce = tw_bounce(motion->irregularity, motion->seed);
    p->pointer = contact->pointer;
    if (motion->kind != TW_MOTION_ROLLING && motion->kind != TW_MOTION_SCRAPING) return TW_OK;
    twStatus status = tw_profile_create(&p->profile, &motion->profile, err);
    p->travel = (twTravel){.profile = p->profile, .radius = motion->radius, .asymmetry = motion->asymmetry};
    return status;
}

// declare the inputs a contact's layers drive
static void player_inputs(Player* p, int contact, twNetInput* inputs, int* count)
{
    bool moving = p->contact->motion.kind != TW_MOTION_NONE;
    if (moving || p->contact->has_pointer)
    {
        p->weight_input = (*count)++;
        inputs[p->weight_input] =
            (twNetInput){.kind = TW_IN_FORCE, .object = p->contact->def.a, .point = p->contact->def.a_point};
    }
    if (p->contact->def.has_friction && !p->contact->def.has_impact)
    {
        p->normal_input = (*count)++;
        inputs[p->normal_input] = (twNetInput){.kind = TW_IN_NORMAL_FORCE, .contact = contact};
    }
    if (p->profile)
    {
        p->offset_input = (*count)++;
        inputs[p->offset_input] = (twNetInput){.kind = TW_IN_OFFSET, .contact = contact};
    }
}

static int count_terms(const twScene* scene)
{
    int count = 0;
    for (int i = 0; i < scene->output_count; i++) count += scene->outputs[i].heard ? 0 : scene->outputs[i].term_count;
    return count;
}

// everything the network needs, in the play's arena
typedef struct Parts
{
    twNetObject* objects;
    twContactDef* contacts;
    twNetInput* inputs;
    twNetOutput* outputs;
} Parts;

static bool alloc_parts(twPlay* play, const twScene* scene, const twPlayDef* def, Parts* parts)
{
    twArena* a = play->arena;
    size_t inputs = (size_t)scene->force_count + 3 * (size_t)scene->contact_count, terms = (size_t)play->term_count;
    size_t outputs = terms + (size_t)def->probe_count;
    parts->objects = tw_arena_alloc(a, (size_t)scene->object_count + 1, sizeof(twNetObject));
    parts->contacts = tw_arena_alloc(a, (size_t)scene->contact_count + 1, sizeof(twContactDef));
    parts->inputs = tw_arena_alloc(a, inputs + 1, sizeof(twNetInput));
    parts->outputs = tw_arena_alloc(a, outputs + 1, sizeof(twNetOutput));
    play->forces = tw_arena_alloc(a, (size_t)scene->force_count + 1, sizeof(Source));
    play->players = tw_arena_alloc(a, (size_t)scene->contact_count + 1, sizeof(Player));
    play->in_block = tw_arena_alloc(a, (inputs + 1) * PLAY_BLOCK, sizeof(double));
    play->in = tw_arena_alloc(a, inputs + 1, sizeof(double*));
    play->out_block = tw_arena_alloc(a, (terms + 1) * PLAY_BLOCK, sizeof(double));
    play->out = tw_arena_alloc(a, outputs + 1, sizeof(double*));
    play->last = tw_arena_alloc(a, terms + 1, sizeof(double));
    return parts->objects && parts->contacts && parts->inputs && parts->outputs && play->forces && play->players &&
           play->in_block && play->in && play->out_block && play->out && play->last;
}

static twStatus fill_inputs(twPlay* play, const twScene* scene, Parts* parts, twError* err)
{
    for (int i = 0; i < scene->force_count; i++)
    {
        const twSceneForce* force = &scene->forces[i];
        play->forces[i] = source(&force->value, scene->rate_hz);
        parts->inputs[play->input_count++] =
            (twNetInput){.kind = TW_IN_FORCE, .object = force->object, .point = force->point};
    }
    for (int i = 0; i < scene->contact_count; i++)
    {
        parts->contacts[i] = scene->contacts[i].def;
        twStatus status = player_start(&play->players[i], scene, &scene->contacts[i], err);
        if (status != TW_OK) return status;
        player_inputs(&play->players[i], i, parts->inputs, &play->input_count);
    }
    for (int i = 0; i < play->input_count; i++) play->in[i] = play->in_block + i * PLAY_BLOCK;
    return TW_OK;
}

static void fill_outputs(twPlay* play, const twScene* scene, const twPlayDef* def, Parts* parts)
{
    int at = 0;
    for (int i = 0; i < scene->output_count; i++)
        for (int k = 0; k < scene->outputs[i].term_count && !scene->outputs[i].heard; k++)
        {
            const twSceneTerm* term = &scene->outputs[i].terms[k];
            bool displacement = scene->outputs[i].quantity == TW_SOUND_DISPLACEMENT;
            parts->outputs[at] = (twNetOutput){.kind = displacement ? TW_OUT_DISPLACEMENT : TW_OUT_VELOCITY,
                                               .object = term->object,
                                               .index = term->pickup};
            play->out[at] = play->out_block + at * PLAY_BLOCK;
            at++;
        }
    if (def->probe_count) memcpy(parts->outputs + at, def->probes, (size_t)def->probe_count * sizeof(twNetOutput));
}

static twStatus build(twPlay* play, const twScene* scene, const twPlayDef* def, twError* err)
{
    Parts parts;
    play->term_count = count_terms(scene);
    play->probe_count = def->probe_count;
    if (!alloc_parts(play, scene, def, &parts)) return tw_fail(err, TW_NO_MEMORY, "no memory to play the scene");
    twStatus status = fill_inputs(play, scene, &parts, err);
    if (status != TW_OK) return status;
    fill_outputs(play, scene, def, &parts);
    for (int i = 0; i < scene->object_count; i++)
        parts.objects[i] =
            (twNetObject){scene->objects[i].modes, scene->objects[i].displacement, scene->objects[i].velocity};
    twNetDef net = tw_net_def();
    net.rate_hz = scene->rate_hz;
    net.oversample = scene->oversample;
    net.scheme = scene->scheme;
    net.audit = def->audit;
    net.unfiltered = def->unfiltered;
    net.object_count = scene->object_count;
    net.objects = parts.objects;
    net.contact_count = scene->contact_count;
    net.contacts = parts.contacts;
    net.input_count = play->input_count;
    net.inputs = parts.inputs;
    net.output_count = play->term_count + def->probe_count;
    net.outputs = parts.outputs;
    return tw_net_create(&play->net, &net, err);
}

twStatus tw_play_create(twPlay** out, const twScene* scene, const twPlayDef* def, twError* err)
{
    *out = NULL;
    twArena* arena = tw_arena_create(1 << 14);
    twPlay* play = arena ? tw_arena_alloc(arena, 1, sizeof *play) : NULL;
    if (!play)
    {
        tw_arena_destroy(arena);
        return tw_fail(err, TW_NO_MEMORY, "no memory to play the scene");
    }
    play->scene = scene;
    play->arena = arena;
    twStatus status = build(play, scene, def, err);
    if (status == TW_OK)
        *out = play;
    else
        tw_play_destroy(play);
    return status;
}

void tw_play_destroy(twPlay* play)
{
    if (!play) return;
    for (int i = 0; play->players && i < play->scene->contact_count; i++) tw_profile_destroy(play->players[i].profile);
    tw_net_destroy(play->net);
    tw_arena_destroy(play->arena);
}

int tw_play_delay(const twPlay* play) { return tw_net_delay(play->net); }

const twNet* tw_play_net(const twPlay* play) { return play->net; }

// ---- a block ----

// force, normal force and height of one contact at one sample
static void player_sample(Player* p, double t, double dt, double* weight, double* normal, double* offset)
{
    double factor = 1;
    switch (p->contact->motion.kind)
    {
    case TW_MOTION_NONE:
        break;
    case TW_MOTION_ROLLING:
    case TW_MOTION_SCRAPING:
        *offset = tw_travel_next(&p->travel, source_next(&p->speed, t), dt, &factor);
        break;
    case TW_MOTION_BOUNCING:
        factor = p->bounce.factor;
        break;
    }
    *weight = p->weight * factor + source_next(&p->press, t);
    *normal = source_next(&p->normal, t);
    if (!p->contact->has_pointer) return;
    tw_pointer_next(&p->pointer, source_next(&p->x, t), source_next(&p->y, t), dt);
    *weight = p->pointer.force;
    *normal = p->pointer.normal;
}

static void player_fill(twPlay* play, int contact, double t0, double dt, int n)
{
    Player* p = &play->players[contact];
    if (p->weight_input < 0 && p->normal_input < 0 && p->offset_input < 0) return;
    // looked at on a fixed grid of frames, so that the caller's block size makes no difference
    if (p->contact->motion.kind == TW_MOTION_BOUNCING && play->frame % PLAY_BLOCK == 0)
        tw_bounce_next(&p->bounce, tw_net_rebounds(play->net, contact));
    for (int i = 0; i < n; i++)
    {
        double weight = 0, normal = 0, offset = 0;
        player_sample(p, t0 + i * dt, dt, &weight, &normal, &offset);
        if (p->weight_input >= 0) play->in_block[p->weight_input * PLAY_BLOCK + i] = weight;
        if (p->normal_input >= 0) play->in_block[p->normal_input * PLAY_BLOCK + i] = normal;
        if (p->offset_input >= 0) play->in_block[p->offset_input * PLAY_BLOCK + i] = offset;
    }
}

static void fill_block(twPlay* play, int n)
{
    double dt = 1 / play->scene->rate_hz, t0 = (double)play->frame * dt;
    for (int i = 0; i < play->scene->force_count; i++)
        for (int k = 0; k < n; k++) play->in_block[i * PLAY_BLOCK + k] = source_next(&play->forces[i], t0 + k * dt);
    for (int i = 0; i < play->scene->contact_count; i++) player_fill(play, i, t0, dt, n);
}

// acceleration by difference: exact mean over the sample before
static double term_value(twPlay* play, const twSceneOutput* output, int term, int i)
{
    double value = play->out_block[term * PLAY_BLOCK + i];
    if (output->quantity != TW_SOUND_ACCELERATION) return value;
    double change = (value - play->last[term]) * play->scene->rate_hz;
    if (play->frame == 0 && i == 0) change = 0;
    play->last[term] = value;
    return change;
}

// mix the terms of every output
static void mix_block(twPlay* play, float* const* sound, int at, int n)
{
    for (int o = 0, term = 0; o < play->scene->output_count; o++)
    {
        const twSceneOutput* output = &play->scene->outputs[o];
        int channels = output->channels;
        if (output->heard) continue;
        float* out = sound && sound[o] ? sound[o] + (int64_t)at * channels : NULL;
        if (out) memset(out, 0, (size_t)(n * channels) * sizeof(float));
        for (int k = 0; k < output->term_count; k++, term++)
        {
            const twSceneTerm* t = &output->terms[k];
            double left, right;
            render_pan(t, channels, &left, &right);
            for (int i = 0; i < n; i++)
            {
                double value = term_value(play, output, term, i);
                if (!out) continue;
                out[i * channels] += (float)(left * value);
                if (channels == 2) out[i * channels + 1] += (float)(right * value);
            }
        }
    }
}

static int64_t strike_frame(const twPlay* play)
{
    return (int64_t)llround(play->scene->strikes[play->next_strike].time * play->scene->rate_hz);
}

// throw what is due now, at the first impact that the object excites
static void strike_due(twPlay* play)
{
    const twScene* scene = play->scene;
    while (play->next_strike < scene->strike_count && strike_frame(play) <= play->frame)
    {
        const twSceneStrike* strike = &scene->strikes[play->next_strike++];
        for (int i = 0; i < scene->contact_count; i++)
        {
            if (scene->contacts[i].def.a != strike->object || !scene->contacts[i].def.has_impact) continue;
            tw_net_strike(play->net, i, strike->velocity);
            break;
        }
    }
}

void tw_play_process(twPlay* play, float* const* sound, double* const* probes, int n)
{
    for (int done = 0; done < n;)
    {
        strike_due(play);
        int64_t chunk = PLAY_BLOCK - play->frame % PLAY_BLOCK;
        if (n - done < chunk) chunk = n - done;
        if (play->next_strike < play->scene->strike_count)
        {
            int64_t until = strike_frame(play) - play->frame;
            if (until < chunk) chunk = until;
        }
        for (int i = 0; i < play->probe_count; i++)
            play->out[play->term_count + i] = probes && probes[i] ? probes[i] + done : NULL;
        fill_block(play, (int)chunk);
        tw_net_process(play->net, play->in, play->out, (int)chunk);
        mix_block(play, sound, done, (int)chunk);
        play->frame += chunk;
        done += (int)chunk;
    }
}
