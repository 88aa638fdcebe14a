// SPDX-License-Identifier: MIT
// A network that took over what another one did, under the forces that go on. A mode of stiffness K under a steady force f rests at
//
//   x = f/K,
//
// and other modes, shapes or points rest elsewhere: left where the modes before rested they would be let go, and ring. So what is taken
// over is the motion q about that place, and the new place x' = f'/K' is added. Where that would take more energy than there was, each mode
// gets at most what it had for q, and all of them s x', as far as the rest allows:
//
//   E(s) = E(0) + s sum K' q x' + s^2 sum K' x'^2/2.

#include "net.h"

// force on mode k through the ports
static double mode_force(const Object* o, const double* port_force, int k)
{
    double force = 0;
    for (int p = 0; p < o->pass.ports; p++) force += o->pass.shape[(long)p * o->pass.modes + k] * port_force[p];
    return force;
}

static double rest_place(const Object* o, const double* port_force, int k)
{
    return o->step_stiffness[k] > 0 ? mode_force(o, port_force, k) / o->step_stiffness[k] : 0;
}

static int from_of(const int* from, int i, int count)
{
    int at = from ? from[i] : i;
    return at < count ? at : -1;
}

static void push(twNet* net, Port port, double force)
{
    if (port.object != TW_WALL) net->objects[port.object].port_force[port.index] += force;
}

// the forces of the network before at the ports of the new one
static void pass_forces(twNet* net, const twNet* from, const int* contact_from)
{
    for (int i = 0; i < net->object_count; i++)
        for (int p = 0; p < net->objects[i].pass.ports; p++) net->objects[i].port_force[p] = 0;
    for (int i = 0; i < net->def.input_count; i++)
        if (net->inputs[i].kind == TW_IN_FORCE) *net->input_force[i] = 0;
    for (int i = 0; i < net->def.input_count; i++)
        if (net->inputs[i].kind == TW_IN_FORCE && from->inputs[i].kind == TW_IN_FORCE)
            *net->input_force[i] += *from->input_force[i];
    for (int i = 0; i < net->object_count; i++)
        for (int p = 0; p < net->objects[i].pass.ports; p++)
            net->objects[i].port_force[p] += net->objects[i].port_external[p];
    for (int i = 0; i < net->row_count; i++)
    {
        const Row* row = &net->rows[i];
        int at = from_of(contact_from, row->contact, from->contact_count);
        if (at < 0) continue;
        const Contact* c = &from->contacts[at];
        int old = row->kind == ROW_IMPACT ? c->impact_row : c->friction_row;
        double force = old >= 0 ? from->rows[old].force : 0;
        push(net, row->plus, -force);
        push(net, row->minus, force);
    }
}

typedef void (*ModeGoesOn)(Object* to, const Object* from, int k, double displacement);

// Objects go on about where they rest now. @return the energy that is then left over
static double take_motion(twNet* net, const twNet* from, const int* object_from, ModeGoesOn goes_on)
{
    double spare = net_spring_energy(from) - net_spring_energy(net);
    for (int i = 0; i < net->object_count; i++)
    {
        int at = from_of(object_from, i, from->object_count);
        if (at < 0) continue;
        Object* to = &net->objects[i];
        const Object* o = &from->objects[at];
        for (int k = 0; k < to->modes; k++) to->pass.x[k] = to->pass.v[k] = 0;
        for (int k = 0; k < to->modes && k < o->modes; k++)
            goes_on(to, o, k, o->pass.x[k] - rest_place(o, o->port_force, k));
        spare += net_object_energy(o) - net_object_energy(to);
    }
    return spare;
}

// what E(s) needs beyond E(0)
static void rest_energy(const twNet* net, const twNet* from, const int* object_from, double* linear, double* square)
{
    *linear = *square = 0;
    for (int i = 0; i < net->object_count; i++)
    {
        const Object* o = &net->objects[i];
        for (int k = 0; k < o->modes && from_of(object_from, i, from->object_count) >= 0; k++)
        {
            double place = rest_place(o, o->port_force, k);
            *linear += o->step_stiffness[k] * o->pass.x[k] * place;
            *square += 0.5 * o->step_stiffness[k] * place * place;
        }
    }
}

static double share_within(double spare, double linear, double square)
{
    if (square == 0 || linear + square <= spare) return 1;
    return lesser(1, (-linear + sqrt(linear * linear + 4 * square * greater(spare, 0))) / (2 * square));
}

static int contacts_of(const twNet* net, int object)
{
    int count = 0;
    for (int i = 0; i < net->contact_count; i++)
        count += net->contacts[i].def.a == object || net->contacts[i].def.b == object;
    return count;
}

// A free exciter goes where it is as far from the resonator as it was, whatever shape that has now: its place holds no energy, and the
// contact would push it there.
static void keep_distance(twNet* net, Contact* to, const Contact* from)
{
    if (to->impact_row < 0) return;
    const Row* row = &net->rows[to->impact_row];
    Object* a = &net->objects[to->def.a];
    double shape = a->modes > 0 ? a->shape[(long)to->def.a_point * a->modes] : 0;
    to->gap_x = *row->at_plus.x - *row->at_minus.x - to->def.gap + to->offset;
    if (from->impact_row < 0 || shape == 0 || a->freq_hz[0] != 0 || contacts_of(net, to->def.a) != 1) return;
    a->pass.x[0] += (from->gap_x + from->def.gap - to->gap_x - to->def.gap) / shape;
    net_measure(a);
    to->gap_x = *row->at_plus.x - *row->at_minus.x - to->def.gap + to->offset;
}

void net_settle(twNet* net, const twNet* from, const int* object_from, const int* contact_from)
{
    double linear, square, share = 1;
    pass_forces(net, from, contact_from);
    double spare = take_motion(net, from, object_from, net_move_mode);
    rest_energy(net, from, object_from, &linear, &square);
    if (linear + square > spare)
    {
        spare = take_motion(net, from, object_from, net_take_mode);
        rest_energy(net, from, object_from, &linear, &square);
        share = share_within(spare, linear, square);
    }
    for (int i = 0; i < net->object_count; i++)
    {
        Object* to = &net->objects[i];
        bool taken = from_of(object_from, i, from->object_count) >= 0;
        for (int k = 0; k < to->modes && taken; k++) to->pass.x[k] += share * rest_place(to, to->port_force, k);
        net_measure(to);
    }
    for (int i = 0; i < net->contact_count; i++)
    {
        int at = from_of(contact_from, i, from->contact_count);
        if (at >= 0) keep_distance(net, &net->contacts[i], &from->contacts[at]);
    }
    net->energy.stored_start = net_spring_energy(net);
    for (int i = 0; i < net->object_count; i++) net->energy.stored_start += net_object_energy(&net->objects[i]);
}
