// SPDX-License-Identifier: MIT
// What joints may store. A bond ends a step with the error z1 = z0 + h w of its row, and an energy k z1^2/2 that was paid for; where the
// bodies then are, their true error z differs from it by terms of second order, as rows turn within a step. To hold the true one
// takes
//
//   made = sum of k z^2/2 - stored
//
// If that is above 0 it is taken from the motion of the joint's bodies against each other before anything is solved: velocities less
// those of the motion as one rigid body, times
//
//   1 - f,   (2 f - f^2) T = made,   T the kinetic energy of that motion,
//
// which keeps momentum and angular momentum. What is not there to be taken is not held: errors are scaled down. So energy cannot rise.
// A spring that has more than it needs keeps the rest for later, as its errors go to and fro; joints let it go.
#include "dynamics/group.h"

#define MOST_TAKEN 0.25  // of the kinetic energy of two bodies against each other, in a step

// A body of a joint that moves by itself.
typedef struct Mover
{
    const SolveBody* body;
    double *velocity, *free;
    twVec3* middle;
    twVec3 place;
    twVec3 linear, turning;  // against the other
} Mover;

static int movers_of(const Group* g, const WorldJoint* joint, Mover* movers)
{
    int count = 0;
    for (int side = 0; side < 2; side++)
    {
        Body* body = joint->body[side] >= 0 ? g->world->bodies + joint->body[side] : NULL;
        if (!body || body->held) continue;
        const SolveBody* b = g->solve_bodies + body->slot;
        double* velocity = g->velocity + b->first;
        movers[count++] = (Mover){.body = b,
                                  .velocity = velocity,
                                  .free = velocity + g->solve.size,
                                  .middle = &body->middle.position,
                                  .place = body->middle.position,
                                  .linear = group_get_vec(velocity),
                                  .turning = group_get_vec(velocity + 3)};
    }
    return count;
}

static void subtract(Mover* m, twVec3 centre, twVec3 velocity, twVec3 spin)
{
    m->linear = tw_vec3_sub(m->linear, tw_vec3_add(velocity, tw_vec3_cross(spin, tw_vec3_sub(m->place, centre))));
    m->turning = tw_vec3_sub(m->turning, spin);
}

// the motion of two bodies as if they were one
static void subtract_common(Mover m[2])
{
    double mass = m[0].body->mass + m[1].body->mass, share = m[1].body->mass / mass;
    twVec3 centre = tw_vec3_add_scaled(m[0].place, tw_vec3_sub(m[1].place, m[0].place), share);
    twVec3 velocity = tw_vec3_add_scaled(m[0].linear, tw_vec3_sub(m[1].linear, m[0].linear), share);
    twVec3 momentum = {0, 0, 0};
    twMat3 inertia = {{{0}}}, inverse;
    for (int i = 0; i < 2; i++)
    {
        twVec3 r = tw_vec3_sub(m[i].place, centre), v = tw_vec3_sub(m[i].linear, velocity);
        const double arm[3] = {r.x, r.y, r.z}, square = tw_vec3_dot(r, r), own = m[i].body->mass;
        momentum = tw_vec3_add_scaled(momentum, tw_vec3_cross(r, v), own);
        momentum = tw_vec3_add(momentum, tw_mat3_mul_vec(m[i].body->inertia, m[i].turning));
        for (int k = 0; k < 9; k++)
            inertia.m[k / 3][k % 3] +=
                m[i].body->inertia.m[k / 3][k % 3] + own * ((k % 4 == 0) * square - arm[k / 3] * arm[k % 3]);
    }
    twVec3 spin = tw_mat3_inverse(&inverse, inertia) ? tw_mat3_mul_vec(inverse, momentum) : tw_vec3(0, 0, 0);
    for (int i = 0; i < 2; i++) subtract(m + i, centre, velocity, spin);
}

static double kinetic(const Mover* m)
{
    return 0.5 * m->body->mass * tw_vec3_dot(m->linear, m->linear) +
           0.5 * tw_vec3_dot(m->turning, tw_mat3_mul_vec(m->body->inertia, m->turning));
}

// Times 1 - f. Of a body alone as if it had been so from the start of the step: then weight does the work it should; of two it does that
// anyway, and they keep their angular momentum where they are. @return work of what the body moves against
static double slow_down(const Mover* m, double f, double h)
{
    const double change[6] = {m->linear.x, m->linear.y, m->linear.z, m->turning.x, m->turning.y, m->turning.z};
    twVec3 led = tw_vec3_sub(group_get_vec(m->velocity), m->linear),
           turned = tw_vec3_sub(group_get_vec(m->velocity + 3), m->turning);
    if (h > 0) *m->middle = tw_vec3_add_scaled(*m->middle, m->linear, -0.5 * h * f);
    for (int i = 0; i < 6; i++)
    {
        m->velocity[i] -= f * change[i];
        m->free[i] -= f * change[i];
    }
    return -f * (m->body->mass * tw_vec3_dot(m->linear, led) +
                 tw_vec3_dot(turned, tw_mat3_mul_vec(m->body->inertia, m->turning)));
}

// Take energy from the motion of a joint's bodies against each other. @return how much was there [J]
static double take(Group* g, const WorldJoint* joint, double energy)
{
    Mover m[2];
    int count = movers_of(g, joint, m);
    double there = 0;
    if (count == 2) subtract_common(m);
    const twVec3 still = {0, 0, 0};
    if (count == 1 && joint->grab && joint->body[1] < 0)
        subtract(m, m->place, grab_led(joint->grab, g->t, g->h), still);
    for (int side = 0; count == 1 && side < 2; side++)
    {
        int other = joint->body[side];
        if (other < 0 || g->world->bodies[other].kind != TW_BODY_MOVED) continue;
        BodyState scratch;
        BodyPlace led = world_place(g->world, other, g->t + 0.5 * g->h, &scratch);
        subtract(m, led.position, led.velocity, led.spin);
    }
    for (int i = 0; i < count; i++) there += kinetic(m + i);
    double taken = fmin(energy, MOST_TAKEN * there);
    if (!(taken > 0)) return 0;
    double part = taken / there, f = part / (1 + sqrt(1 - part));
    for (int i = 0; i < count; i++)
    {
        double work = slow_down(m + i, f, count == 1 ? g->h : 0);
        if (count == 1) g->budget_work += work;
    }
    return taken;
}

// ---- all joints ----

// of rows that hold an error
static void budget_stiffness(const SolveBond* bond, double stiffness[3])
{
    for (int q = 0; q < 3; q++) stiffness[q] = bond->limit[q] > 0 || bond->drives ? 0 : bond->stiffness[q];
}

// energy of the errors at the start, of all blocks of a joint
static double energy_of(const Group* g, int first, int count)
{
    double sum = 0;
    for (int k = first; k < first + count; k++)
    {
        const SolveContact* c = g->contacts + k;
        double stiffness[3];
        budget_stiffness(c->bond, stiffness);
        sum += law_bond_potential(stiffness, c->bond->max_force, c->offset);
    }
    return sum;
}

static double stored_of(const Group* g, int first, int count)
{
    double sum = 0;
    for (int k = first; k < first + count; k++) sum += g->start[k].stored;
    return sum;
}

// what all joints of a group make, and of that only those that make any
static double made_by_all(Group* g, double* gains)
{
    double all = 0;
    *gains = 0;
    for (int i = 0, k = g->touch_count; i < g->joint_count; i++)
    {
        const Joint* joint = &g->world->joints[g->joints[i]].joint;
        int count = world_joint_blocks(g->world->joints + g->joints[i]);
        double made = energy_of(g, k, count) - stored_of(g, k, count);
        if (joint->kind == TW_JOINT_SPRING) g->spare[k - g->touch_count] = fmax(-made, 0);
        if (joint->kind != TW_JOINT_SPRING || made > 0) all += made;
        *gains += fmax(made, 0);
        k += count;
    }
    return all;
}

// errors of a block that store a part of what they do
static void hold_less(SolveContact* c, double part)
{
    double stiffness[3];
    budget_stiffness(c->bond, stiffness);
    const double energy = law_bond_potential(stiffness, c->bond->max_force, c->offset);
    const double scale = law_bond_within(stiffness, c->bond->max_force, c->offset, part * energy);
    for (int q = 0; q < 3; q++) c->offset[q] *= scale;
}

void budget_joints(Group* g)
{
    double gains, all = made_by_all(g, &gains), part = gains > 0 ? fmax(all, 0) / gains : 0;
    for (int i = 0, k = g->touch_count; i < g->joint_count && part > 0; i++)
    {
        const WorldJoint* joint = g->world->joints + g->joints[i];
        int count = world_joint_blocks(joint);
        const double energy = energy_of(g, k, count), stored = stored_of(g, k, count), made = part * (energy - stored);
        // as a sum of what there is, which rounding of a large error does not touch
        const double most = made > 0 ? (1 - part) * energy + part * stored + take(g, joint, made) : energy;
        for (int b = k; b < k + count && most < energy; b++) hold_less(g->contacts + b, most / energy);
        k += count;
    }
}
