// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"
#include "twang/contact.h"
#include "twang/math.h"
#include <stdlib.h>

/// @file
/// Small networks for tests: modes by a call, one contact by a call, buffers that free themselves with the rig.

#define RIG_MAX 16

/// Everything one test network needs. Fill def (or use the rig_* calls), then rig_start().
typedef struct Rig
{
    twNetDef def;
    twModes* modes[RIG_MAX];
    twNetObject objects[RIG_MAX];
    twContactDef contacts[RIG_MAX];
    twNetInput inputs[RIG_MAX];
    twNetOutput outputs[RIG_MAX];
    double displacement[RIG_MAX], velocity[RIG_MAX];  ///< initial, of objects with one mode
    twNet* net;
    double* out[RIG_MAX];
    double* in[RIG_MAX];
    int length;
} Rig;

static inline void rig_def(Rig* rig, double rate_hz)
{
    memset(rig, 0, sizeof *rig);
    rig->def = tw_net_def();
    rig->def.rate_hz = rate_hz;
    rig->def.audit = true;
}

/// Add an object. @return its index
static inline int rig_object(Rig* rig, const twModesDef* def)
{
    int i = rig->def.object_count++;
    if (tw_modes_create(&rig->modes[i], def, NULL) != TW_OK) abort();
    rig->objects[i].modes = rig->modes[i];
    return i;
}

/// Add an object of one mode with an initial state.
static inline int rig_mode(Rig* rig, double freq_hz, double decay, double mass, double displacement, double velocity)
{
    twModesDef def = tw_modes_def();
    def.mode_count = 1;
    def.freq_hz = &freq_hz, def.decay = &decay, def.mass = &mass;
    int i = rig_object(rig, &def);
    rig->displacement[i] = displacement, rig->velocity[i] = velocity;
    rig->objects[i].displacement = &rig->displacement[i];
    rig->objects[i].velocity = &rig->velocity[i];
    return i;
}

/// Add a contact between point 0 of two objects, without any law yet.
static inline twContactDef* rig_contact(Rig* rig, int a, int b)
{
    twContactDef* c = &rig->contacts[rig->def.contact_count++];
    *c = tw_contact_def();
    c->a = a, c->b = b;
    return c;
}

static inline twContactDef* rig_impact(Rig* rig, int a, int b, twImpactLaw law)
{
    twContactDef* c = rig_contact(rig, a, b);
    c->has_impact = true;
    c->impact = law;
    return c;
}

static inline twContactDef* rig_friction(Rig* rig, int a, int b, twFrictionLaw law, double normal_force)
{
    twContactDef* c = rig_contact(rig, a, b);
    c->has_friction = true;
    c->friction = law;
    c->normal_force = normal_force;
    return c;
}

static inline int rig_out(Rig* rig, twNetOutputKind kind, int object_or_contact)
{
    twNetOutput* o = &rig->outputs[rig->def.output_count];
    *o = (twNetOutput){.kind = kind, .object = object_or_contact, .contact = object_or_contact};
    return rig->def.output_count++;
}

static inline int rig_in(Rig* rig, twNetInputKind kind, int object_or_contact)
{
    twNetInput* i = &rig->inputs[rig->def.input_count];
    *i = (twNetInput){.kind = kind, .object = object_or_contact, .contact = object_or_contact};
    return rig->def.input_count++;
}

/// Create the net, with buffers for length samples.
static inline void rig_start(Rig* rig, int length)
{
    twError err;
    rig->def.objects = rig->objects, rig->def.contacts = rig->contacts;
    rig->def.inputs = rig->inputs, rig->def.outputs = rig->outputs;
    rig->length = length;
    for (int i = 0; i < rig->def.output_count; i++) rig->out[i] = calloc((size_t)length + 1, sizeof(double));
    for (int i = 0; i < rig->def.input_count; i++) rig->in[i] = calloc((size_t)length + 1, sizeof(double));
    if (tw_net_create(&rig->net, &rig->def, &err) == TW_OK) return;
    printf("rig: %s\n", err.text);
    abort();
}

/// A constant into an input's buffer.
static inline void rig_fill(Rig* rig, int input, double value)
{
    for (int i = 0; i < rig->length; i++) rig->in[input][i] = value;
}

/// Run samples [from, to).
static inline void rig_run(Rig* rig, int from, int to)
{
    const double* in[RIG_MAX];
    double* out[RIG_MAX];
    for (int i = 0; i < rig->def.input_count; i++) in[i] = rig->in[i] ? rig->in[i] + from : NULL;
    for (int i = 0; i < rig->def.output_count; i++) out[i] = rig->out[i] ? rig->out[i] + from : NULL;
    tw_net_process(rig->net, in, out, to - from);
}

static inline void rig_end(Rig* rig)
{
    tw_net_destroy(rig->net);
    for (int i = 0; i < rig->def.object_count; i++) tw_modes_destroy(rig->modes[i]);
    for (int i = 0; i < RIG_MAX; i++) free(rig->in[i]), free(rig->out[i]);
}

/// All energy in the net now [J].
static inline double rig_energy(const Rig* rig)
{
    twNetEnergy e = tw_net_energy(rig->net);
    return e.stored + e.springs;
}

static inline double relative(double value, double expected) { return fabs(value - expected) / fabs(expected); }

/// three points, two pickups, modes of all kinds
static inline int rich_object(Rig* rig)
{
    static const double freq[] = {0, 210, 555, 1300, 4000}, decay[] = {0, 3, 8, 20, 60},
                        mass[] = {0.2, 0.1, 0.05, 0.1, 0.3};
    static const double shape[] = {1, 0.7, -0.4, 0.9, 0.1, 1, -0.2, 0.8, 0.3, -0.6, 1, 0.5, 0.5, -1, 0.2};
    static const double pickup[] = {0, 1, 1, 1, 1, 0.5, -0.1, 0.3, 0.2, 0.9};
    twModesDef def = tw_modes_def();
    def.mode_count = 5, def.point_count = 3, def.pickup_count = 2;
    def.freq_hz = freq, def.decay = decay, def.mass = mass, def.shape = shape, def.pickup = pickup;
    return rig_object(rig, &def);
}

/// a striker and a rubbed mode: everything nonlinear at once
static inline void busy_def(Rig* rig, double rate_hz)
{
    rig_def(rig, rate_hz);
    rig->def.audit = false;
    int hammer = rig_mode(rig, 0, 0, 0.02, -1e-3, 1.5), plate = rich_object(rig),
        bow = rig_mode(rig, 0, 20, 0.05, 0, 0);
    rig_impact(rig, hammer, plate, (twImpactLaw){1e8, 1.5, 0.4});
    twContactDef* rub = rig_friction(rig, bow, plate, tw_friction_law(), 2);
    rub->b_point = 2;
    rub->friction.noise = 0.05;
    int force = rig_in(rig, TW_IN_FORCE, bow);
    rig_out(rig, TW_OUT_VELOCITY, plate);
    rig_out(rig, TW_OUT_IMPACT_FORCE, 0);
    rig_out(rig, TW_OUT_FRICTION_FORCE, 1);
    (void)force;
}
