// SPDX-License-Identifier: MIT
// A network of objects and contacts, stepped. Set-up is in net_build.c, the solve in net_solve.c, energy in net_energy.c.
//
// One step: velocities at the ports without contact (predict), contact forces (net_solve), then one pass over the
// modes of every object (advance), which leaves the sums that the next step's predict needs.

#include "net.h"
#include <string.h>

#define NET_SNAP 1e-150  // states below this are silence: keeps denormals out
#define NET_SNAP_STEPS                                                                                                 \
    64                   // how often that is looked at; counted in steps, so that blocks of any size give the same bits
#define NET_LIMIT 1e100  // larger inputs and states are not meant

// ---- one step ----

// velocities at the ports with external forces but no contact
static void predict(twNet* net)
{
    for (int i = 0; i < net->object_count; i++)
    {
        Object* o = &net->objects[i];
        int ports = o->pass.ports;
        for (int p = 0; p < ports; p++)
        {
            double u = o->pass.port_free[p];
            for (int q = 0; q < ports; q++) u += o->mobility[p * ports + q] * o->port_external[q];
            o->port_reach[p] = u;
            o->port_force[p] = o->port_external[p];
        }
    }
    for (int i = 0; i < net->row_count; i++)
    {
        Row* row = &net->rows[i];
        double plus = *row->at_plus.v, minus = *row->at_minus.v;
        double plus_free = *row->at_plus.reach, minus_free = *row->at_minus.reach;
        row->u0 = plus - minus;
        row->u_free = plus_free - minus_free;
        row->speed = fabs(plus) + fabs(minus) + fabs(plus_free) + fabs(minus_free);
    }
}

static void push_port(twNet* net, Port port, double force)
{
    if (port.object == TW_WALL) return;
    Object* o = &net->objects[port.object];
    int ports = o->pass.ports;
    o->port_force[port.index] += force;
    for (int p = 0; p < ports; p++) o->port_reach[p] += o->mobility[p * ports + port.index] * force;
}

// the impact of a contact starts afresh
static void open_contact(Contact* c)
{
    c->closed = c->released = c->sustained = false;
    c->xc = lesser(c->gap_x, 0);
    c->force = c->force_last = c->force_sample = 0;
}

static bool touches(const twContactDef* def, int object) { return def->a == object || def->b == object; }

// a state that is not finite cannot be repaired, only silenced, and with it the contacts that made it so
static void keep_finite(twNet* net, Object* o)
{
    double sum = 0;
    for (int p = 0; p < o->pass.ports; p++) sum += o->pass.port_x[p] + o->pass.port_free[p];
    for (int s = 0; s < o->pass.pickups; s++) sum += o->pass.pickup[s];
    if (isfinite(sum)) return;
    memset(o->pass.x, 0, (size_t)o->pass.modes * sizeof(double));
    memset(o->pass.v, 0, (size_t)o->pass.modes * sizeof(double));
    net_measure(o);
    net->stats.resets++;
    for (int i = 0; i < net->contact_count; i++)
    {
        Contact* c = &net->contacts[i];
        if (!touches(&c->def, (int)(o - net->objects))) continue;
        c->gap_x = 0;
        open_contact(c);
        c->z = c->y = c->y_last = c->friction = c->tank = 0;
        if (c->friction_row >= 0) net->rows[c->friction_row].force = 0;
    }
}

static void advance(twNet* net)
{
    for (int i = 0; i < net->row_count; i++)
    {
        const Row* row = &net->rows[i];
        if (row->force == 0) continue;
        push_port(net, row->plus, -row->force);
        push_port(net, row->minus, row->force);
    }
    for (int i = 0; i < net->row_count; i++)
    {
        Row* row = &net->rows[i];
        row->u1 = *row->at_plus.reach - *row->at_minus.reach;
    }
    if (net->def.audit) net_audit_before(net);
    net_commit(net);
    for (int i = 0; i < net->object_count; i++)
    {
        Object* o = &net->objects[i];
        if (net->def.audit)
            net_audit_object(net, o);
        else if (o->modes == 1)
            pass_one(&o->pass);
        else
            net->pass(&o->pass);
        for (int p = 0; p < o->pass.ports; p++) o->port_v[p] = o->port_reach[p];
        keep_finite(net, o);
    }
    if (net->def.audit) net_audit_after(net);
    net->stats.steps++;
}

static void refresh_gaps(twNet* net)
{
    for (int i = 0; i < net->contact_count; i++)
    {
        Contact* c = &net->contacts[i];
        if (c->impact_row < 0) continue;
        const Row* row = &net->rows[c->impact_row];
        c->gap_x = *row->at_plus.x - *row->at_minus.x - c->def.gap + c->offset;
    }
}

// silence below NET_SNAP
static void snap(twNet* net)
{
    for (int i = 0; i < net->object_count; i++)
    {
        Pass* a = &net->objects[i].pass;
        for (int k = 0; k < a->modes; k++)
            if (fabs(a->x[k]) < NET_SNAP && fabs(a->v[k]) < NET_SNAP) a->x[k] = a->v[k] = 0;
    }
    for (int i = 0; i < net->contact_count; i++)
        if (fabs(net->contacts[i].z) < NET_SNAP) net->contacts[i].z = 0;
}

static void step(twNet* net)
{
    for (int i = 0; i < net->contact_count; i++)
    {
        Contact* c = &net->contacts[i];
        c->noise_value = c->friction_row >= 0 && c->def.friction.noise > 0 ? tw_noise_next(&c->noise) : 0;
    }
    predict(net);
    net_solve(net);
    advance(net);
    refresh_gaps(net);
    if (net->stats.steps % NET_SNAP_STEPS == 0) snap(net);
}

// ---- signals ----

static double input_value(twNet* net, const double* buffer, int at)
{
    double value = buffer[at];
    if (fabs(value) < NET_LIMIT) return value;
    net->stats.bad_inputs++;
    return 0;
}

static void read_inputs(twNet* net, const double* const* in, int at)
{
    // several inputs may push the same port
    for (int i = 0; i < net->def.input_count; i++)
        if (net->inputs[i].kind == TW_IN_FORCE) *net->input_force[i] = 0;
    for (int i = 0; i < net->def.input_count; i++)
    {
        const twNetInput* input = &net->inputs[i];
        if (!in || !in[i])
        {
            if (input->kind == TW_IN_NORMAL_FORCE)
                net->contacts[input->contact].normal_force = net->contacts[input->contact].def.normal_force;
            continue;
        }
        double value = input_value(net, in[i], at);
        switch (input->kind)
        {
        case TW_IN_FORCE:
            *net->input_force[i] += value;
            break;
        case TW_IN_NORMAL_FORCE:
            net->contacts[input->contact].normal_force = greater(value, 0);
            break;
        case TW_IN_OFFSET:
            net->contacts[input->contact].offset_target = value;
            break;
        case TW_IN_NONE:
            break;
        }
    }
}

// spread the change of every profile's height over the steps of this sample
static void move_offsets(twNet* net)
{
    for (int i = 0; i < net->contact_count; i++)
    {
        Contact* c = &net->contacts[i];
        if (!net->primed)
        {
            c->gap_x += c->offset_target - c->offset;
            c->offset = c->offset_target;
        }
        c->offset_rate = (c->offset_target - c->offset) * net->def.rate_hz;
    }
    net->primed = true;
}

static double output_value(const twNet* net, int i)
{
    const twNetOutput* out = &net->outputs[i];
    if (out->kind <= TW_OUT_POINT_V) return net->objects[out->object].pass.pickup[net->output_slot[i]];
    if (out->kind == TW_OUT_NONE) return 0;
    const Contact* c = &net->contacts[out->contact];
    switch (out->kind)
    {
    case TW_OUT_COMPRESSION:
        return c->closed ? c->xc : c->gap_x;
    case TW_OUT_IMPACT_FORCE:
        return c->force;
    case TW_OUT_FRICTION_FORCE:
        return c->friction;
    case TW_OUT_BRISTLE:
        return c->z;
    case TW_OUT_NORMAL_FORCE:
        return c->impact_row >= 0 ? c->force : c->normal_force;
    default:
        break;
    }
    if (c->friction_row < 0) return 0;
    const Row* row = &net->rows[c->friction_row];
    return *row->at_plus.v - *row->at_minus.v;
}

static void write_outputs(twNet* net, double* const* out, int at)
{
    for (int i = 0; i < net->def.output_count; i++)
    {
        double value = output_value(net, i);
        if (net->decimators) decimator_push(&net->decimators[i], value);
        if (out && out[i] && at >= 0) out[i][at] = net->decimators ? decimator_pull(&net->decimators[i]) : value;
    }
}

void tw_net_process(twNet* net, const double* const* in, double* const* out, int n)
{
    for (int i = 0; i < n; i++)
    {
        read_inputs(net, in, i);
        move_offsets(net);
        for (int sub = 0; sub < net->def.oversample; sub++)
        {
            if (sub == 0 || net->decimators) write_outputs(net, out, sub == 0 ? i : -1);
            step(net);
        }
    }
}

// ---- changes while sounding ----

// Another law while a contact is compressed: neither its force nor its energy grows. Stiffer keeps the force and holds less, softer keeps
// the energy and presses less; the compression follows the geometric one later (net_solve.c).
double net_impact_kept(const twImpactLaw* from, const twImpactLaw* to, double x)
{
    if (from->stiffness == to->stiffness && from->exponent == to->exponent) return x;
    double slope, force = hunt_elastic(from, x, &slope), energy = hunt_potential(from, x);
    double by_force = pow(force / to->stiffness, 1 / to->exponent);
    double by_energy = pow((to->exponent + 1) * energy / to->stiffness, 1 / (to->exponent + 1));
    return lesser(by_force, by_energy);
}

void tw_net_set_impact(twNet* net, int contact, const twImpactLaw* law)
{
    TW_ASSERT(contact >= 0 && contact < net->contact_count);
    if (tw_impact_law_check(law, NULL) != TW_OK)
    {
        net->stats.rejected++;
        return;
    }
    Contact* c = &net->contacts[contact];
    double before = net_spring_energy(net);
    if (c->closed && c->def.method != TW_AM1) c->xc = net_impact_kept(&c->def.impact, law, c->xc);
    c->def.impact = *law;
    net->energy.work_in += net_spring_energy(net) - before;
}

// bristles that are bent, likewise: s0 z and s0 z^2/2 do not grow
double net_bristle_kept(const twFrictionLaw* from, const twFrictionLaw* to)
{
    double ratio = from->stiffness / to->stiffness;
    return ratio > 1 ? sqrt(ratio) : ratio;
}

void tw_net_set_friction(twNet* net, int contact, const twFrictionLaw* law)
{
    TW_ASSERT(contact >= 0 && contact < net->contact_count);
    if (tw_friction_law_check(law, NULL) != TW_OK)
    {
        net->stats.rejected++;
        return;
    }
    Contact* c = &net->contacts[contact];
    double before = net_spring_energy(net);
    c->z *= net_bristle_kept(&c->def.friction, law);
    c->def.friction = *law;
    if (c->friction_row >= 0) net->rows[c->friction_row].normal_force = NAN;
    net->energy.work_in += net_spring_energy(net) - before;
}

void tw_net_set_modes(twNet* net, int object, const double* freq_hz, const double* decay)
{
    TW_ASSERT(object >= 0 && object < net->object_count);
    Object* o = &net->objects[object];
    double before = net_object_energy(o);
    for (int k = 0; k < o->modes; k++)
    {
        if (!(freq_hz[k] >= 0 && freq_hz[k] < 0.5 / net->h && decay[k] >= 0 && isfinite(decay[k])))
        {
            net->stats.rejected++;
            continue;
        }
        // keep displacement and true velocity
        double velocity = (o->pass.v[k] - o->tilt[k] * o->pass.x[k]) / o->speed[k];
        o->freq_hz[k] = freq_hz[k];
        o->decay[k] = decay[k];
        Trapezoid t = trapezoid(net->def.scheme, freq_hz[k], decay[k], o->mass[k], net->h);
        o->pass.v[k] = t.speed * velocity + t.tilt * o->pass.x[k];
    }
    net_set_constants(net, o);
    net_set_pickups(o);
    net_set_mobility(o);
    net_measure(o);
    net_set_coupling(net);
    net->energy.work_in += net_object_energy(o) - before;
}

// does a contact press or rub at a point?
static bool point_is_held(const twNet* net, int object, int point)
{
    for (int i = 0; i < net->row_count; i++)
    {
        const Row* row = &net->rows[i];
        const Contact* c = &net->contacts[row->contact];
        const Port ports[2] = {row->plus, row->minus};
        for (int side = 0; side < 2; side++)
            if (ports[side].object == object && net->objects[object].port_point[ports[side].index] == point &&
                (row->kind == ROW_IMPACT ? c->closed : c->z != 0))
                return true;
    }
    return false;
}

void tw_net_set_point(twNet* net, int object, int point, const double* shape)
{
    TW_ASSERT(object >= 0 && object < net->object_count && point >= 0 && point < net->objects[object].points);
    Object* o = &net->objects[object];
    bool fine = !point_is_held(net, object, point);
    for (int k = 0; k < o->modes && fine; k++) fine = fabs(shape[k]) < NET_LIMIT;
    if (!fine)
    {
        net->stats.rejected++;
        return;
    }
    memcpy((double*)o->shape + (long)point * o->modes, shape, (size_t)o->modes * sizeof(double));
    net_set_shapes(o);
    net_set_pickups(o);
    net_set_mobility(o);
    net_measure(o);
    net_set_coupling(net);
    refresh_gaps(net);
    for (int i = 0; i < net->contact_count; i++)
        if (touches(&net->contacts[i].def, object) && !net->contacts[i].closed) open_contact(&net->contacts[i]);
}

void tw_net_state(const twNet* net, int object, double* displacement, double* velocity)
{
    TW_ASSERT(object >= 0 && object < net->object_count);
    const Object* o = &net->objects[object];
    for (int k = 0; k < o->modes; k++)
    {
        if (displacement) displacement[k] = o->pass.x[k];
        if (velocity) velocity[k] = (o->pass.v[k] - o->tilt[k] * o->pass.x[k]) / o->speed[k];
    }
}

void tw_net_throw(twNet* net, int object, int mode, double displacement, double velocity)
{
    TW_ASSERT(object >= 0 && object < net->object_count && mode >= 0 && mode < net->objects[object].modes);
    Object* o = &net->objects[object];
    if (!(fabs(displacement) < NET_LIMIT && fabs(velocity) < NET_LIMIT))
    {
        net->stats.rejected++;
        return;
    }
    double before = net_object_energy(o) + net_spring_energy(net);
    o->pass.x[mode] = displacement;
    o->pass.v[mode] = o->speed[mode] * velocity + o->tilt[mode] * displacement;
    net_measure(o);
    refresh_gaps(net);
    // its contacts start afresh
    for (int i = 0; i < net->contact_count; i++)
        if (touches(&net->contacts[i].def, object)) open_contact(&net->contacts[i]);
    net->energy.stored_start += net_object_energy(o) + net_spring_energy(net) - before;
}

void tw_net_strike(twNet* net, int contact, double velocity)
{
    TW_ASSERT(contact >= 0 && contact < net->contact_count);
    const Contact* c = &net->contacts[contact];
    const Object* o = &net->objects[c->def.a];
    double shape = o->modes > 0 ? o->shape[(long)c->def.a_point * o->modes] : 0;
    if (c->impact_row < 0 || shape == 0)
    {
        net->stats.rejected++;
        return;
    }
    tw_net_throw(net, c->def.a, 0, o->pass.x[0] - c->gap_x / shape, velocity / shape);
}

long tw_net_rebounds(const twNet* net, int contact)
{
    TW_ASSERT(contact >= 0 && contact < net->contact_count);
    return net->contacts[contact].rebounds;
}

bool tw_net_closed(const twNet* net, int contact)
{
    TW_ASSERT(contact >= 0 && contact < net->contact_count);
    return net->contacts[contact].closed;
}

twNetStats tw_net_stats(const twNet* net) { return net->stats; }
