// SPDX-License-Identifier: MIT
// A network that goes on from where another one is.
//
// A mode takes displacement and true velocity. Its energy in the terms of the step, (M v^2 + K x^2)/2, must not exceed what the mode
// it comes from had: another frequency, mass or rate would make work of nothing; then both are scaled down.

#include "net.h"

static double mode_energy(const Object* o, int k)
{
    double x = o->pass.x[k], v = o->pass.v[k];
    return 0.5 * (o->step_mass[k] * v * v + o->step_stiffness[k] * x * x);
}

static void refresh_gap(const twNet* net, Contact* c)
{
    if (c->impact_row < 0) return;
    const Row* row = &net->rows[c->impact_row];
    c->gap_x = *row->at_plus.x - *row->at_minus.x - c->def.gap + c->offset;
}

// contacts have a state of their own; until they take one they touch as the objects do, and hold no energy
static void start_contacts(twNet* net, int object)
{
    for (int i = 0; i < net->contact_count; i++)
    {
        Contact* c = &net->contacts[i];
        if (c->def.a != object && c->def.b != object) continue;
        refresh_gap(net, c);
        c->closed = false;
        c->xc = lesser(c->gap_x, 0);
    }
}

static void count_energy(twNet* net)
{
    net->energy.stored_start = net_spring_energy(net);
    for (int i = 0; i < net->object_count; i++) net->energy.stored_start += net_object_energy(&net->objects[i]);
}

void net_move_mode(Object* to, const Object* from, int k, double displacement)
{
    double velocity = (from->pass.v[k] - from->tilt[k] * displacement) / from->speed[k];
    to->pass.x[k] = displacement;
    to->pass.v[k] = to->speed[k] * velocity + to->tilt[k] * displacement;
}

void net_take_mode(Object* to, const Object* from, int k, double displacement)
{
    net_move_mode(to, from, k, displacement);
    double had = mode_energy(from, k), has = mode_energy(to, k);
    if (!(has > had)) return;
    double share = sqrt(had / has);
    to->pass.x[k] *= share;
    to->pass.v[k] *= share;
}

void tw_net_take_object(twNet* net, int object, const twNet* from, int from_object)
{
    TW_ASSERT(object >= 0 && object < net->object_count && from_object >= 0 && from_object < from->object_count);
    Object* to = &net->objects[object];
    const Object* o = &from->objects[from_object];
    for (int k = 0; k < to->modes && k < o->modes; k++) net_take_mode(to, o, k, o->pass.x[k]);
    net_measure(to);
    start_contacts(net, object);
    count_energy(net);
}

void tw_net_take_contact(twNet* net, int contact, const twNet* from, int from_contact)
{
    TW_ASSERT(contact >= 0 && contact < net->contact_count && from_contact >= 0 && from_contact < from->contact_count);
    Contact* to = &net->contacts[contact];
    const Contact* c = &from->contacts[from_contact];
    if (to->impact_row >= 0 && c->impact_row >= 0)
    {
        to->offset = c->offset;
        to->offset_target = c->offset_target;
        refresh_gap(net, to);
        to->closed = c->closed;
        to->xc = c->closed ? net_impact_kept(&c->def.impact, &to->def.impact, c->xc) : lesser(to->gap_x, 0);
        to->closing = c->closing;
        to->force = c->force, to->force_last = c->force_last, to->force_sample = c->force_sample;
        to->released = c->released, to->sustained = c->sustained;
        to->rebounds = c->rebounds;
        net->rows[to->impact_row].force = from->rows[c->impact_row].force;
    }
    if (to->friction_row >= 0 && c->friction_row >= 0)
    {
        to->z = c->z * net_bristle_kept(&c->def.friction, &to->def.friction);
        to->y = c->y, to->y_last = c->y_last;
        to->friction = c->friction, to->tank = c->tank;
        to->normal_force = c->normal_force;
        to->noise.rng = c->noise.rng;
        if (net->h == from->h && to->def.roughness_beta == c->def.roughness_beta) to->noise = c->noise;
    }
    net->primed = from->primed;
    count_energy(net);
}
