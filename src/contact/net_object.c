// SPDX-License-Identifier: MIT
// The modes of one object of a network: constants of the step, sums at ports and pickups, coupling of rows.

#include "net.h"

void net_set_constants(const twNet* net, Object* o)
{
    double *keep = (double*)o->pass.keep, *pull = (double*)o->pass.pull, *push = (double*)o->pass.push;
    for (int k = 0; k < o->modes; k++)
    {
        Trapezoid t = trapezoid(net->def.scheme, o->freq_hz[k], o->decay[k], o->mass[k], net->h);
        keep[k] = t.keep;
        pull[k] = t.pull;
        push[k] = t.push;
        o->step_mass[k] = t.mass;
        o->step_stiffness[k] = t.stiffness;
        o->step_damping[k] = t.damping;
        o->speed[k] = t.speed;
        o->tilt[k] = t.tilt;
    }
}

void net_set_shapes(Object* o)
{
    double* shape = (double*)o->pass.shape;
    for (int p = 0; p < o->pass.ports; p++)
        for (int k = 0; k < o->modes; k++)
            shape[(long)p * o->pass.modes + k] = o->shape[(long)o->port_point[p] * o->modes + k];
}

// outputs see the true velocity (v - tilt x)/speed
void net_set_pickups(Object* o)
{
    double *by_x = (double*)o->pass.pick_x, *by_v = (double*)o->pass.pick_v;
    for (int s = 0; s < o->pass.pickups; s++)
    {
        int index = o->pickup_index[s];
        const double* weight =
            index < 0 ? o->shape + (long)(-1 - index) * o->modes : o->pickup + (long)index * o->modes;
        for (int k = 0; k < o->modes; k++)
        {
            long at = (long)s * o->pass.modes + k;
            by_v[at] = o->pickup_velocity[s] ? weight[k] / o->speed[k] : 0;
            by_x[at] = o->pickup_velocity[s] ? -weight[k] * o->tilt[k] / o->speed[k] : weight[k];
        }
    }
}

void net_set_mobility(Object* o)
{
    int ports = o->pass.ports;
    for (int p = 0; p < ports; p++)
        for (int q = 0; q < ports; q++)
        {
            const double *tp = o->pass.shape + (long)p * o->pass.modes, *tq = o->pass.shape + (long)q * o->pass.modes;
            double sum = 0;
            for (int k = 0; k < o->modes; k++) sum += tp[k] * o->pass.push[k] * tq[k];
            o->mobility[p * ports + q] = sum;
        }
}

// sums at the ports and pickups from the state as it is
void net_measure(Object* o)
{
    const Pass* a = &o->pass;
    for (int p = 0; p < a->ports; p++)
    {
        a->port_x[p] = a->port_free[p] = o->port_v[p] = 0;
        for (int k = 0; k < o->modes; k++)
        {
            double t = a->shape[(long)p * a->modes + k];
            a->port_x[p] += t * a->x[k];
            o->port_v[p] += t * a->v[k];
            a->port_free[p] += t * (a->keep[k] * a->v[k] + a->pull[k] * a->x[k]);
        }
    }
    for (int s = 0; s < a->pickups; s++)
    {
        a->pickup[s] = 0;
        for (int k = 0; k < o->modes; k++)
            a->pickup[s] += a->pick_x[(long)s * a->modes + k] * a->x[k] + a->pick_v[(long)s * a->modes + k] * a->v[k];
    }
}

// relative velocity at row r per force at row s, through the port a of r and the port b of s
static double reach(const twNet* net, Port a, Port b)
{
    if (a.object == TW_WALL || a.object != b.object) return 0;
    const Object* o = &net->objects[a.object];
    return o->mobility[a.index * o->pass.ports + b.index];
}

void net_set_coupling(twNet* net)
{
    for (int i = 0; i < net->island_count; i++)
    {
        Island* island = &net->islands[i];
        Row* rows = net->rows + island->first;
        for (int r = 0; r < island->count; r++)
            for (int s = 0; s < island->count; s++)
                island->coupling[(long)r * island->count + s] =
                    reach(net, rows[r].plus, rows[s].plus) - reach(net, rows[r].plus, rows[s].minus) -
                    reach(net, rows[r].minus, rows[s].plus) + reach(net, rows[r].minus, rows[s].minus);
        for (int r = 0; r < island->count; r++) rows[r].self = island->coupling[(long)r * island->count + r];
    }
}
