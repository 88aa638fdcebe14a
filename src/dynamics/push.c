// SPDX-License-Identifier: MIT
// Forces from outside at points of bodies: as they are in the middle of a step, for all of it.
#include "dynamics/group.h"

#define SOON 1e-9  // [s]: what begins sooner than that begins now

double push_limit(const twPushDef* push, double t)
{
    if (!(t < push->end)) return HUGE_VAL;
    if (t < push->begin) return fmax(push->begin - t, SOON);
    double left = fmax(push->end - t, SOON);
    return push->shortest > 0 && push->shortest < left ? push->shortest : left;
}

bool push_is_passed(const twPushDef* push, double t, double h)
{
    return (t < push->begin && t + h > push->begin + SOON) || (t < push->end && t + h > push->end + SOON);
}

bool push_add_one(Group* g, const HandPush* push)
{
    if (g->push_count == g->push_room)
    {
        const int room = 2 * g->push_room + 8;
        HandPush* more = group_scratch(g, (size_t)room, sizeof *more);
        if (!more) return false;
        if (g->push_count > 0) memcpy(more, g->pushes, (size_t)g->push_count * sizeof *more);
        g->pushes = more;
        g->push_room = room;
    }
    g->pushes[g->push_count++] = *push;
    return true;
}

bool push_list(Group* g)
{
    const twWorldDef* def = &g->world->def;
    const double middle = g->t + 0.5 * g->h;
    for (int i = 0; i < def->push_count; i++)
    {
        const twPushDef* push = def->pushes + i;
        if (g->world->bodies[push->body].member != g->stamp || !(middle >= push->begin && middle < push->end)) continue;
        const HandPush one = {push->body, tw_surface_vertex(push->vertex), push->force(middle, push->context)};
        if (!push_add_one(g, &one)) return false;
    }
    for (int i = 0; i < g->joint_count; i++)
    {
        WorldJoint* joint = g->world->joints + g->joints[i];
        if (joint->grab && !grab_holds(joint->grab) && !grab_push(g, joint)) return false;
    }
    return true;
}

bool push_acts(const Group* g, int index)
{
    for (int i = 0; i < g->push_count; i++)
        if (g->pushes[i].body == index) return true;
    return false;
}

void push_add(const Group* g, int index, double* free, double* modal)
{
    const Body* body = g->world->bodies + index;
    const BodyPlace place = body_place(body, index, &body->middle);
    for (int i = 0; i < g->push_count; i++)
    {
        const HandPush* push = g->pushes + i;
        if (push->body != index) continue;
        const twQuat back = tw_quat_conj(place.turn);
        const twVec3 local = tw_quat_rotate(back, push->force);
        for (int j = 0; j < body->active; j++) modal[j] += tw_vec3_dot(grab_shape(&place, &push->point, j), local);
        if (body->held) continue;
        const twVec3 arm = tw_vec3_sub(grab_point(&place, &push->point, NULL), place.position);
        const twVec3 moment = tw_quat_rotate(back, tw_vec3_cross(arm, push->force));
        const twVec3 spin = tw_quat_rotate(place.turn, tw_mat3_mul_vec(body->shape->inverse_inertia, moment));
        group_put_vec(free, tw_vec3_add_scaled(group_get_vec(free), push->force, g->h / body->shape->mass.mass));
        group_put_vec(free + 3, tw_vec3_add_scaled(group_get_vec(free + 3), spin, g->h));
    }
}

// Work in the step: impulses along the mean velocities.
double push_work(Group* g)
{
    double work = 0;
    for (int k = 0; k < g->body_count; k++)
    {
        if (!push_acts(g, g->bodies[k])) continue;
        const Body* body = g->world->bodies + g->bodies[k];
        const SolveBody* b = g->solve_bodies + k;
        int rigid = b->held ? 0 : 6;
        const double *v0 = g->solve.velocity + b->first, *v1 = g->solve.result + b->first;
        double kick[6] = {0}, *modal = group_scratch(g, (size_t)body->active, sizeof(double));
        if (!modal) continue;
        push_add(g, g->bodies[k], kick, modal);
        twVec3 turn = rigid ? tw_mat3_mul_vec(b->inertia, group_get_vec(kick + 3)) : tw_vec3(0, 0, 0);
        for (int i = 0; i < 3 && rigid; i++) work += 0.5 * b->mass * kick[i] * (v0[i] + v1[i]);
        if (rigid) work += 0.5 * tw_vec3_dot(turn, tw_vec3_add(group_get_vec(v0 + 3), group_get_vec(v1 + 3)));
        for (int j = 0; j < body->active; j++)
            work += 0.5 * body->stretch[j] * g->h * modal[j] * (v0[rigid + j] + v1[rigid + j]);
    }
    return work;
}
