// SPDX-License-Identifier: MIT
// One strike on a baked body: a hammer of the contact module on the body's modes, heard by what each mode radiates: at distance d
// its pressure has the amplitude sqrt(2 P rho c/(4 pi))/d per modal velocity, the mean over all directions. Phases between
// modes are not modelled. Modes without a transfer radiate as estimated.
//
// A free body recoils: a rigid motion with the effective mass 1/(1/M + (r x n) . I^-1 (r x n)) joins the modes, unheard.

#include "strike.h"
#include "twang/acoustics.h"
#include "twang/bake.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEARING_HZ 20000.0
#define LOWEST_HZ 20.0
#define BLOCK 256

twStrikeDef tw_strike_def(void)
{
    return (twStrikeDef){.mass = 0.02,
                         .velocity = 1,
                         .law = {.stiffness = 2e7, .exponent = 1.5, .dissipation = 0.4},
                         .distance = 1,
                         .rate_hz = 48000,
                         .duration = 3};
}

static twStatus check(const twModeSet* set, const twStrikeDef* d, twError* err)
{
    if (d->vertex < 0 || d->vertex >= set->vertex_count)
        return tw_fail(err, TW_BAD_INPUT, "vertex %d does not exist; there are %d", d->vertex, set->vertex_count);
    if (!(d->mass > 0 && d->mass < 1e6))
        return tw_fail(err, TW_BAD_INPUT, "hammer mass %g kg must be positive", d->mass);
    if (!(d->velocity > 0 && d->velocity < 1e4))
        return tw_fail(err, TW_BAD_INPUT, "velocity %g m/s must be positive", d->velocity);
    if (!(d->distance > 0 && d->distance < 1e6))
        return tw_fail(err, TW_BAD_INPUT, "distance %g m must be positive", d->distance);
    if (!(d->duration > 0 && d->duration <= 3600))
        return tw_fail(err, TW_BAD_INPUT, "duration %g s must be in (0, 3600]", d->duration);
    if (!(d->rate_hz >= 1000 && d->rate_hz <= 768000))
        return tw_fail(err, TW_BAD_INPUT, "rate %g Hz must be in [1000, 768000]", d->rate_hz);
    return tw_impact_law_check(&d->law, err);
}

// ---- radiation ----

// pressure at the listener per modal velocity: the root mean square over all directions
static double radiation(const twTransfer* transfer, int mode, double distance)
{
    const double impedance = transfer->air_density * transfer->sound_speed;
    return sqrt(2 * tw_transfer_power(transfer, mode) * impedance / (4 * TW_PI)) / distance;
}

// ---- the body ----

// mass that a push along direction at a vertex meets in the body as a whole
static double effective_mass(const twModeSet* set, int vertex, twVec3 direction)
{
    twMat3 inverse;
    twVec3 arm = tw_vec3_cross(tw_vec3_sub(set->vertices[vertex], set->mass.centre), direction);
    double give = 1 / set->mass.mass;
    if (tw_mat3_inverse(&inverse, set->mass.inertia)) give += tw_vec3_dot(arm, tw_mat3_mul_vec(inverse, arm));
    return 1 / give;
}

twVec3 strike_direction(const twModeSet* set, const twStrikeDef* def)
{
    return tw_vec3_scale(tw_mode_set_normal(set, def->vertex), -1);
}

double strike_limit(const twStrikeDef* def) { return fmin(HEARING_HZ, 0.5 * def->rate_hz); }

// heard modes at the struck vertex, with radiation as pickup weights; a free body's recoil comes last
static twStatus body_modes(twModes** out, const twModeSet* set, const twTransfer* transfer, const twStrikeDef* d,
                           twError* err)
{
    double limit = strike_limit(d);
    twVec3 push = strike_direction(set, d);
    size_t room = (size_t)set->mode_count + 1;
    double* block = calloc(5 * room, sizeof(double));
    if (!block) return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", set->mode_count);
    double *freq = block, *decay = block + room, *mass = block + 2 * room, *shape = block + 3 * room,
           *weight = block + 4 * room;
    int count = 0, audible = 0;
    for (int k = 0; k < set->mode_count; k++)
    {
        if (set->freq_hz[k] >= limit) continue;
        audible += set->freq_hz[k] >= LOWEST_HZ;
        const float* s = set->shape + 3 * ((size_t)k * (size_t)set->vertex_count + (size_t)d->vertex);
        freq[count] = set->freq_hz[k];
        decay[count] = set->decay[k];
        mass[count] = 1;
        shape[count] = s[0] * push.x + s[1] * push.y + s[2] * push.z;
        weight[count++] = radiation(transfer, k, d->distance);
    }
    twStatus status = TW_OK;
    if (count == 0)
        status =
            tw_fail(err, TW_BAD_INPUT,
                    "no mode is below %g Hz: nothing to hear; ask for more modes or strike something larger", limit);
    else if (audible == 0)
        status =
            tw_fail(err, TW_BAD_INPUT,
                    "nothing to hear: all modes are below %g Hz, at %.3g to %.3g Hz; are Young's modulus in Pa, the "
                    "density in kg/m^3 and the lengths in m?",
                    LOWEST_HZ, freq[0], freq[count - 1]);
    else
    {
        if (set->rigid_modes > 0 && set->mass.mass > 0)
        {
            mass[count] = effective_mass(set, d->vertex, push);
            shape[count++] = 1;
        }
        twModesDef def = {count, freq, decay, mass, 1, shape, 1, weight};
        status = tw_modes_create(out, &def, err);
    }
    free(block);
    return status;
}

// ---- the strike ----

static twStatus make_net(twNet** out, const twModes* body, const twStrikeDef* d, twError* err)
{
    twModes* hammer;
    twStatus status = tw_modes_rigid(&hammer, d->mass, err);
    if (status != TW_OK) return status;
    twNetObject objects[] = {{.modes = hammer, .velocity = &d->velocity}, {.modes = body}};
    twContactDef contact = tw_contact_def();
    contact.has_impact = true;
    contact.impact = d->law;
    const twNetOutput outputs[] = {{.kind = TW_OUT_VELOCITY, .object = 1}, {.kind = TW_OUT_IMPACT_FORCE}};
    twNetDef net = tw_net_def();
    net.rate_hz = d->rate_hz;
    net.object_count = 2;
    net.objects = objects;
    net.contact_count = 1;
    net.contacts = &contact;
    net.output_count = 2;
    net.outputs = outputs;
    status = tw_net_create(out, &net, err);
    tw_modes_destroy(hammer);
    return status;
}

// the sound, and the motion if there is a recorder
static twStatus play(twNet* net, float* sound, int64_t count, StrikeRecorder* recorder, const twStrikeDef* def,
                     twError* err)
{
    int64_t told = -BLOCK;
    for (int64_t at = 0; at < count;)
    {
        double block[BLOCK], force[BLOCK], *blocks[] = {block, recorder ? force : NULL};
        int64_t n = count - at < BLOCK ? count - at : BLOCK;
        twStatus status = TW_OK;
        while (recorder && status == TW_OK && strike_record_wait(recorder, at) <= 0)
            status = strike_record_take(recorder, net, at, err);
        if (status != TW_OK) return status;
        if (recorder && strike_record_wait(recorder, at) < n) n = strike_record_wait(recorder, at);
        tw_net_process(net, NULL, blocks, (int)n);
        if (recorder) strike_record_force(recorder, force, (int)n);
        for (int64_t i = 0; i < n; i++) sound[at + i] = (float)block[i];
        if (at >= told + BLOCK && def->keep_going)
        {
            told = at;
            if (!def->keep_going((double)at / (double)count, def->context))
                return tw_fail(err, TW_INTERRUPTED, "interrupted at %.0f %%; nothing was written",
                               100 * (double)at / (double)count);
        }
        at += n;
    }
    return TW_OK;
}

twStatus tw_strike(float** out, int64_t* frames, const twModeSet* set, const twStrikeDef* def, twError* err)
{
    return tw_strike_record(out, frames, NULL, set, def, NULL, err);
}

twStatus tw_strike_record(float** out, int64_t* frames, twTraceWriter** trace, const twModeSet* set,
                          const twStrikeDef* def, const twStrikeRecord* record, twError* err)
{
    *out = NULL;
    *frames = 0;
    if (trace) *trace = NULL;
    twModes* body = NULL;
    twNet* net = NULL;
    StrikeRecorder* recorder = NULL;
    twTransfer* estimate = NULL;
    const twRadiationDef air = tw_radiation_def();
    twStatus status = check(set, def, err);
    if (status == TW_OK && !set->transfer)
        status = tw_transfer_estimate(&estimate, set, air.sound_speed, air.air_density, err);
    if (status == TW_OK) status = body_modes(&body, set, estimate ? estimate : set->transfer, def, err);
    tw_transfer_destroy(estimate);
    if (status == TW_OK) status = make_net(&net, body, def, err);
    if (status == TW_OK && record) status = strike_record_start(&recorder, set, body, def, record, err);
    int64_t count = (int64_t)llround(def->duration * def->rate_hz);
    float* sound = status == TW_OK ? malloc((size_t)(count > 0 ? count : 1) * sizeof(float)) : NULL;
    if (status == TW_OK && !sound) status = tw_fail(err, TW_NO_MEMORY, "no memory for %g s of sound", def->duration);
    if (status == TW_OK) status = play(net, sound, count, recorder, def, err);
    if (status == TW_OK && recorder) status = strike_record_end(recorder, trace, err);
    strike_record_destroy(recorder);
    tw_net_destroy(net);
    tw_modes_destroy(body);
    if (status != TW_OK) free(sound);
    if (status != TW_OK) return status;
    *out = sound;
    *frames = count;
    return TW_OK;
}
