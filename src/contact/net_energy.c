// SPDX-License-Identifier: MIT
// The energy budget of a network. Per step, with bars for means over the step:
//
//   modes      d(M v^2 + K x^2)/2 = h F v_bar - h R v_bar^2
//   impact     loss = h F c_bar - dV, where c_bar includes the profile's own rate, whose share h F rate is work from outside
//   friction   loss = h F v_bar - d(s0 z^2)/2; exact scheme: that is h (s0 z (v - y) + s1 y v + s2 v^2)
//   noise      work h s3 w v_bar against the slip

#include "net.h"
#include <string.h>

double net_object_energy(const Object* o)
{
    double sum = 0;
    for (int k = 0; k < o->modes; k++)
        sum += o->step_mass[k] * o->pass.v[k] * o->pass.v[k] + o->step_stiffness[k] * o->pass.x[k] * o->pass.x[k];
    return 0.5 * sum;
}

static double bristle_energy(const Contact* c) { return 0.5 * c->def.friction.stiffness * c->z * c->z; }

double net_spring_energy(const twNet* net)
{
    double sum = 0;
    for (int i = 0; i < net->contact_count; i++)
    {
        const Contact* c = &net->contacts[i];
        if (c->def.has_impact) sum += hunt_potential(&c->def.impact, c->xc);
        if (c->def.has_friction) sum += bristle_energy(c);
    }
    return sum;
}

static double stored_now(const twNet* net)
{
    double sum = net_spring_energy(net);
    for (int i = 0; i < net->object_count; i++) sum += net_object_energy(&net->objects[i]);
    return sum;
}

static void audit_impact(twNet* net, const Row* row)
{
    const Contact* c = &net->contacts[row->contact];
    double w = 0.5 * (row->u0 + row->u1);
    net->energy.impact_loss += net->h * row->force * (w + c->offset_rate) + hunt_potential(&c->def.impact, c->xc);
    net->passed += net->h * row->force * c->offset_rate;
    net->energy.work_in += net->h * row->force * c->offset_rate;
}

static void audit_friction(twNet* net, const Row* row)
{
    const Contact* c = &net->contacts[row->contact];
    double w = 0.5 * (row->u0 + row->u1), taken = net->h * row->force * w;
    double noise = row->bristle.gripping ? net->h * row->bristle.s3 * c->noise_value * w : 0;
    net->energy.noise_work -= noise;
    net->passed -= noise;
    net->energy.friction_loss += taken - noise + bristle_energy(c);
}

void net_audit_before(twNet* net)
{
    net->stored_before = stored_now(net);
    net->passed = 0;
    for (int i = 0; i < net->row_count; i++)
    {
        if (net->rows[i].kind == ROW_IMPACT)
            audit_impact(net, &net->rows[i]);
        else
            audit_friction(net, &net->rows[i]);
    }
}

void net_audit_object(twNet* net, Object* o)
{
    memcpy(net->v_before, o->pass.v, (size_t)o->modes * sizeof(double));
    if (o->modes == 1)
        pass_one(&o->pass);
    else
        net->pass(&o->pass);
    for (int k = 0; k < o->modes; k++)
    {
        double w = 0.5 * (net->v_before[k] + o->pass.v[k]);
        net->energy.modal_loss += net->h * o->step_damping[k] * w * w;
    }
    for (int p = 0; p < o->pass.ports; p++)
    {
        double work = net->h * o->port_external[p] * 0.5 * (o->port_v[p] + o->port_reach[p]);
        net->energy.work_in += work;
        net->passed += work;
    }
}

// close the books: what springs hold now was counted as loss before
void net_audit_after(twNet* net)
{
    for (int i = 0; i < net->contact_count; i++)
    {
        const Contact* c = &net->contacts[i];
        if (c->def.has_impact) net->energy.impact_loss -= hunt_potential(&c->def.impact, c->xc);
        if (c->def.has_friction) net->energy.friction_loss -= bristle_energy(c);
    }
    double gain = stored_now(net) - net->stored_before - net->passed;
    if (gain > net->energy.gain_max) net->energy.gain_max = gain;
}

twNetEnergy tw_net_energy(const twNet* net)
{
    twNetEnergy e = net->energy;
    e.springs = net_spring_energy(net);
    e.stored = stored_now(net) - e.springs;
    e.balance_error = e.stored + e.springs + e.modal_loss + e.impact_loss + e.friction_loss - e.stored_start -
                      e.work_in - e.noise_work;
    return e;
}
