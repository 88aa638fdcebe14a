// SPDX-License-Identifier: MIT
// Every voice has one contact for lasting forces, whose three directions are the steps a, b, c of the pace, and one for each hit,
// whose first direction is its modal impulse: forces change with every sample, and only their weights have to be told.

#include "live/emitter.h"
#include "dynamics/body_shape.h"
#include "dynamics/world.h"
#include "live/live.h"
#include "twang/sound.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIGHEST 0.45  // of the rate: modes above are not heard; and of the rate of steps: modes above are not seen
#define HELD 1e-6     // of a force: it is held if it changes by less from step to step
#define ALIKE 1.25    // hits of a step whose contact times differ by less than this are one

typedef struct EmitterPart
{
    Voice* voice;
    int first, count;
} EmitterPart;

typedef struct EmitterPulse
{
    bool active, fresh;  // fresh: of the step that is being taken
    double time;         // since it began [samples]
    double length;       // [samples]
} EmitterPulse;

struct Emitter
{
    const twModeSet* set;
    const float* shape;  // by vertex (vertices x 3 x stride)
    int stride;
    float* own_shape;  // NULL: that of the contact shape
    const twTransfer* transfer;
    twTransfer* own_transfer;
    EmitterDef def;
    int mode_count, part_count;
    EmitterPart* parts;
    float* modal;   // (modes) of a push
    float* seen;    // (modes) what makes good how lasting forces are smoothed
    float* weight;  // (modes x 2)
    float* work;
    EmitterPulse pulses[EMITTER_PULSES];
    bool moving, rings;  // lasting forces change; something rings
    double signal[EMITTER_ROWS][VOICE_BLOCK];

    bool placed, faced[EMITTER_ROWS], gliding;
    twVec3 before, position, from, to;  // centre of mass in the last two steps; of the sound in the block
    twQuat turn_before, turn, turned;   // and its turn there
    twVec3 ear[EMITTER_ROWS], heard_at[EMITTER_ROWS];
};

double emitter_lead(const Emitter* s) { return s->transfer->radius; }

// ---- making ----

static int emitter_heard(const twModeSet* set, double rate_hz)
{
    int count = 0;
    while (count < set->mode_count && set->freq_hz[count] < HIGHEST * rate_hz) count++;
    return count;
}

// shapes by vertex: those of the contact shape, or a copy
static bool emitter_find_shapes(Emitter* s, const ContactShape* contact)
{
    const size_t modes = (size_t)s->mode_count, vertices = (size_t)s->set->vertex_count;
    if (contact->shape && contact->mode_count >= s->mode_count && contact->vertex_count == s->set->vertex_count)
    {
        s->shape = contact->shape;
        s->stride = contact->mode_count;
        return true;
    }
    s->own_shape = malloc(3 * vertices * modes * sizeof *s->own_shape);
    if (!s->own_shape) return false;
    for (size_t j = 0; j < modes; j++)
        for (size_t i = 0; i < 3 * vertices; i++) s->own_shape[i * modes + j] = s->set->shape[j * 3 * vertices + i];
    s->shape = s->own_shape;
    s->stride = s->mode_count;
    return true;
}

// a spline of order three makes sinc^3 of a tone; a mode that steps can follow rings as their impulses would have it
static float emitter_seen_gain(double freq_hz, double step)
{
    const double x = TW_PI * freq_hz * step;
    if (!(freq_hz * step < HIGHEST) || x < 1e-6) return 1;
    const double sinc = sin(x) / x;
    return (float)(1 / (sinc * sinc * sinc));
}

static bool emitter_make_part(const Emitter* s, const twBodyDef* d, EmitterPart* part)
{
    const VoiceDef def = {.rate_hz = s->def.rate_hz,
                          .precision = TW_FLOAT,
                          .mode_count = part->count,
                          .freq_hz = s->set->freq_hz + part->first,
                          .decay = s->set->decay + part->first,
                          .rows = s->def.rows};
    part->voice = voice_create(&def);
    if (!part->voice || !voice_reserve(part->voice, 1 + EMITTER_PULSES)) return false;
    float amplitude[VOICE_MODES] = {0};
    for (int j = 0; d->amplitude && j < part->count; j++) amplitude[j] = (float)d->amplitude[part->first + j];
    voice_start(part->voice, amplitude);
    for (int j = 0; d->rate && j < part->count; j++)
        if (d->rate[part->first + j] != 0) voice_set_velocity(part->voice, j, d->rate[part->first + j]);
    return true;
}

static bool emitter_make_parts(Emitter* s, const twBodyDef* d)
{
    s->part_count = (s->mode_count + VOICE_MODES - 1) / VOICE_MODES;
    s->parts = calloc((size_t)s->part_count + 1, sizeof *s->parts);
    if (!s->parts) return false;
    for (int i = 0, first = 0; i < s->part_count; i++)
    {
        EmitterPart* part = &s->parts[i];
        part->first = first;
        part->count = (s->mode_count - first) / (s->part_count - i);
        if (!emitter_make_part(s, d, part)) return false;
        first += part->count;
    }
    return true;
}

static bool emitter_make_arrays(Emitter* s)
{
    const size_t modes = (size_t)s->mode_count;
    s->modal = calloc(modes, sizeof *s->modal);
    s->seen = calloc(modes, sizeof *s->seen);
    s->weight = calloc(2 * (size_t)s->transfer->mode_count + 2, sizeof *s->weight);
    s->work = calloc(tw_transfer_work(s->transfer) + 1, sizeof *s->work);
    if (!s->modal || !s->seen || !s->weight || !s->work) return false;
    for (int j = 0; j < s->mode_count; j++) s->seen[j] = emitter_seen_gain(s->set->freq_hz[j], s->def.step);
    return true;
}

static twStatus emitter_make(Emitter* s, const twBodyDef* body, twError* err)
{
    twStatus status = TW_OK;
    if (!s->set->transfer)
        status = tw_transfer_estimate(&s->own_transfer, s->set, s->def.sound_speed, tw_sound_def().air_density, err);
    if (status != TW_OK) return status;
    s->transfer = s->set->transfer ? s->set->transfer : s->own_transfer;
    if (emitter_find_shapes(s, body->shape->contact) && emitter_make_arrays(s) && emitter_make_parts(s, body))
        return TW_OK;
    return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of the %d modes of %s", s->mode_count,
                   body->name ? body->name : "a body");
}

twStatus emitter_create(Emitter** out, const twLiveBodyDef* body, const EmitterDef* def, twError* err)
{
    const int modes = emitter_heard(body->modes, def->rate_hz);
    *out = NULL;
    if (modes <= 0) return TW_OK;
    Emitter* s = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of a body");
    s->set = body->modes;
    s->mode_count = modes;
    s->def = *def;
    s->rings = true;
    s->turn = s->turn_before = s->turned = tw_quat_identity();
    const twStatus status = emitter_make(s, &body->body, err);
    if (status == TW_OK)
        *out = s;
    else
        emitter_destroy(s);
    return status;
}

void emitter_destroy(Emitter* s)
{
    if (!s) return;
    for (int i = 0; s->parts && i < s->part_count; i++) voice_destroy(s->parts[i].voice);
    free(s->parts);
    free(s->own_shape);
    tw_transfer_destroy(s->own_transfer);
    free(s->modal);
    free(s->seen);
    free(s->weight);
    free(s->work);
    free(s);
}

// ---- how it radiates ----

// how it radiates to where it is heard from
static void emitter_aim(Emitter* s)
{
    for (int r = 0; r < s->def.rows; r++)
    {
        const twVec3 at = tw_quat_rotate(tw_quat_conj(s->turned), tw_vec3_sub(s->ear[r], s->to));
        const double near = fmax(tw_vec3_norm(at), fmax(s->transfer->radius, 1e-6));
        if (s->faced[r] && tw_vec3_norm(tw_vec3_sub(at, s->heard_at[r])) < VOICE_STILL * near) continue;
        s->faced[r] = true;
        s->heard_at[r] = at;
        tw_transfer_weights(s->transfer, tw_vec3_add(at, s->transfer->centre), s->weight, s->work);
        for (int i = 0; i < s->part_count; i++)
            voice_gain(s->parts[i].voice, r, s->weight + 2 * (size_t)s->parts[i].first, s->transfer->radius);
    }
}

// ---- what pushes ----

static float* emitter_direction(const EmitterPart* part, int contact, int d)
{
    return voice_shape(part->voice, contact) + d * voice_padded(part->voice);
}

void emitter_step(Emitter* s, bool steady)
{
    for (int i = 0; i < s->part_count; i++)
    {
        const size_t padded = (size_t)voice_padded(s->parts[i].voice), bytes = padded * sizeof(float);
        float* rows = voice_shape(s->parts[i].voice, 0);
        memmove(rows, rows + padded, 2 * bytes);
        if (!steady) memset(rows + 2 * padded, 0, bytes);
    }
    for (int k = 0; k < EMITTER_PULSES; k++) s->pulses[k].fresh = false;
}

// U . p of all modes
static void emitter_weigh(Emitter* s, const LivePush* push)
{
    const double p[3] = {push->impulse.x, push->impulse.y, push->impulse.z};
    memset(s->modal, 0, (size_t)s->mode_count * sizeof *s->modal);
    for (int k = 0; k < 3; k++)
    {
        if (push->vertex[k] < 0 || push->vertex[k] >= s->set->vertex_count) continue;
        for (int d = 0; d < 3; d++)
        {
            const float* row = s->shape + (3 * (size_t)push->vertex[k] + (size_t)d) * (size_t)s->stride;
            const float scale = (float)(fmin(fmax(p[d], -GRAB_LARGEST), GRAB_LARGEST) * (double)push->weight[k]);
            for (int j = 0; j < s->mode_count; j++) s->modal[j] += scale * row[j];
        }
    }
}

// a pulse of this step that is as long, or a new one
static EmitterPulse* emitter_find_pulse(Emitter* s, double length, double since, bool* cut)
{
    EmitterPulse* oldest = &s->pulses[0];
    for (int k = 0; k < EMITTER_PULSES; k++)
    {
        EmitterPulse* p = &s->pulses[k];
        if (p->fresh && p->length < ALIKE * length && length < ALIKE * p->length) return p;
        const bool better = !p->active ? oldest->active : oldest->active && p->time > oldest->time;
        if (better) oldest = p;
    }
    *cut = oldest->active;
    *oldest = (EmitterPulse){.active = true, .fresh = true, .time = since, .length = length};
    for (int i = 0; i < s->part_count; i++)
        memset(emitter_direction(&s->parts[i], 1 + (int)(oldest - s->pulses), 0), 0,
               (size_t)voice_padded(s->parts[i].voice) * sizeof(float));
    return oldest;
}

static bool emitter_hit(Emitter* s, double contact_time, double since)
{
    bool cut = false;
    const double length = contact_time * s->def.rate_hz;
    const int contact = 1 + (int)(emitter_find_pulse(s, length, since, &cut) - s->pulses);
    for (int i = 0; i < s->part_count; i++)
    {
        const EmitterPart* part = &s->parts[i];
        float* to = emitter_direction(part, contact, 0);
        for (int j = 0; j < part->count; j++) to[j] += s->modal[part->first + j];
    }
    s->rings = true;
    return !cut;
}

static void emitter_force(Emitter* s)
{
    const float scale = (float)(1 / s->def.step);
    for (int i = 0; i < s->part_count; i++)
    {
        const EmitterPart* part = &s->parts[i];
        float* to = emitter_direction(part, 0, 2);
        for (int j = 0; j < part->count; j++) to[j] += scale * s->seen[part->first + j] * s->modal[part->first + j];
    }
}

// silent, it was not followed: it radiates as it does now, not on the way there from long ago
static void emitter_wake(Emitter* s)
{
    emitter_aim(s);
    for (int i = 0; i < s->part_count; i++) voice_rest(s->parts[i].voice);
}

bool emitter_push(Emitter* s, const LivePush* push, double since)
{
    if (!s->rings) emitter_wake(s);
    emitter_weigh(s, push);
    if (push->contact_time > 0) return emitter_hit(s, push->contact_time, since);
    emitter_force(s);
    return true;
}

void emitter_settle(Emitter* s)
{
    double largest = 0, change = 0;
    for (int i = 0; i < s->part_count; i++)
    {
        const EmitterPart* part = &s->parts[i];
        const float *a = emitter_direction(part, 0, 0), *b = emitter_direction(part, 0, 1),
                    *c = emitter_direction(part, 0, 2);
        for (int j = 0; j < part->count; j++)
        {
            largest = fmax(largest, (double)fmaxf(fabsf(a[j]), fmaxf(fabsf(b[j]), fabsf(c[j]))));
            change = fmax(change, (double)fmaxf(fabsf(b[j] - a[j]), fabsf(c[j] - b[j])));
        }
    }
    s->moving = change > HELD * largest;
    s->rings = s->rings || s->moving;
}

// ---- where it is ----

void emitter_place(Emitter* s, twVec3 position, twQuat turn)
{
    s->before = s->placed ? s->position : position;
    s->turn_before = s->placed ? s->turn : turn;
    s->position = position;
    s->turn = turn;
    s->placed = true;
}

// the middle of the sound at the end of a block, in the world; far from where it was, it goes there at a moderate speed
static twVec3 emitter_centre(Emitter* s, double u, twQuat turn)
{
    const twVec3 offset = tw_vec3_sub(s->transfer->centre, s->set->mass.centre);
    const twVec3 at = tw_vec3_add_scaled(s->before, tw_vec3_sub(s->position, s->before), u);
    const twVec3 centre = tw_vec3_add(at, tw_quat_rotate(turn, offset)), way = tw_vec3_sub(centre, s->to);
    const double most = LIVE_FASTEST * VOICE_BLOCK / s->def.rate_hz, length = tw_vec3_norm(way);
    if (!s->gliding || length <= most) return centre;
    return tw_vec3_add_scaled(s->to, way, most / length);
}

void emitter_face(Emitter* s, const twVec3* points, double u)
{
    s->turned = tw_quat_blend(s->turn_before, s->turn, u);
    const twVec3 centre = emitter_centre(s, u, s->turned);
    s->from = s->gliding ? s->to : centre;
    s->to = centre;
    s->gliding = true;
    memcpy(s->ear, points, (size_t)s->def.rows * sizeof *points);
    if (s->rings) emitter_aim(s);
}

// ---- what is heard ----

// mean over the coming sample, for an impulse of 1 [1/s]
static double emitter_pulse_force(const EmitterPulse* p, double time, double rate_hz)
{
    const double from = fmin(fmax(time / p->length, 0), 1), to = fmin(fmax((time + 1) / p->length, 0), 1);
    return 0.5 * (cos(TW_PI * from) - cos(TW_PI * to)) * rate_hz;
}

static bool emitter_is_hit(const Emitter* s)
{
    for (int k = 0; k < EMITTER_PULSES; k++)
        if (s->pulses[k].active) return true;
    return false;
}

// forces of sample n of a segment
static void emitter_push_part(const Emitter* s, const EmitterPart* part, int n, const float weight[3])
{
    const double steps[3] = {(double)weight[0], (double)weight[1], (double)weight[2]};
    if (s->moving) voice_push(part->voice, 0, steps);
    for (int k = 0; k < EMITTER_PULSES; k++)
    {
        const EmitterPulse* p = &s->pulses[k];
        const double force[3] = {p->active ? emitter_pulse_force(p, p->time + n, s->def.rate_hz) : 0};
        if (p->active) voice_push(part->voice, 1 + k, force);
    }
    voice_change(part->voice, 0);
}

static void emitter_ring_part(Emitter* s, const EmitterPart* part, int first, int last, const float (*weight)[3],
                              bool varies)
{
    double* out[EMITTER_ROWS];
    for (int r = 0; r < s->def.rows; r++) out[r] = s->signal[r];
    if (!s->moving)
    {
        voice_push(part->voice, 0, (const double[3]){0, 1, 0});
        voice_change(part->voice, 0);
    }
    if (!varies) voice_ring(part->voice, first, last, out);
    for (int n = first; varies && n < last; n++)
    {
        emitter_push_part(s, part, n - first, weight[n - first]);
        voice_ring(part->voice, n, n + 1, out);
    }
}

// pulses that are over after some samples; what is left of their force, by rounding, goes
static void emitter_age(Emitter* s, int samples)
{
    for (int k = 0; k < EMITTER_PULSES; k++)
    {
        EmitterPulse* p = &s->pulses[k];
        if (!p->active) continue;
        p->time += samples;
        if (p->time < p->length) continue;
        p->active = p->fresh = false;
        for (int i = 0; i < s->part_count; i++) voice_push(s->parts[i].voice, 1 + k, (const double[3]){0});
    }
}

void emitter_ring(Emitter* s, int first, int last, const float (*weight)[3])
{
    if (first == 0) memset(s->signal, 0, sizeof s->signal);
    if (!s->rings || first == last) return;
    const bool varies = s->moving || emitter_is_hit(s);
    for (int i = 0; i < s->part_count; i++) emitter_ring_part(s, &s->parts[i], first, last, weight, varies);
    emitter_age(s, last - first);
}

bool emitter_end(Emitter* s, bool fade, float* const* signal, twVec3* from, twVec3* to)
{
    const bool heard = s->rings && s->gliding;
    bool rings = s->moving || emitter_is_hit(s);
    for (int i = 0; i < s->part_count; i++) rings |= voice_rest(s->parts[i].voice);
    s->rings = rings;
    for (int r = 0; heard && r < s->def.rows; r++)
        for (int n = 0; n < VOICE_BLOCK; n++)
            signal[r][n] = (float)(s->signal[r][n] * (fade ? 1 - (n + 1.0) / VOICE_BLOCK : 1));
    *from = s->from;
    *to = s->to;
    return heard;
}
