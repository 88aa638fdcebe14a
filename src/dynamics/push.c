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

// forces from outside, to the free velocities
void push_add(const Group* g, int index, double* free, double* modal)
{
    const Body* body = g->world->bodies + index;
    double middle = g->t + 0.5 * g->h;
    for (int i = 0; i < g->world->def.push_count; i++)
    {
        const twPushDef* push = g->world->def.pushes + i;
        if (push->body != index || !(middle >= push->begin && middle < push->end)) continue;
        twVec3 f = push->force(middle, push->context), arm = {0, 0, 0};
        BodyPlace place = body_place(body, index, &body->middle);
        twVec3 local = tw_quat_rotate(tw_quat_conj(place.turn), f);
        if (push->vertex >= 0)
        {
            twVec3 at = tw_vec3_add(place.shape->vertices[push->vertex], tw_place_bend(&place, push->vertex));
            arm = at;
            const float* u = place.shape->shape + 3 * (size_t)place.shape->mode_count * (size_t)push->vertex;
            for (int j = 0; j < body->active; j++)
                modal[j] += u[j] * local.x + u[place.shape->mode_count + j] * local.y +
                            u[2 * place.shape->mode_count + j] * local.z;
        }
        if (body->held) continue;
        twVec3 spin = tw_mat3_mul_vec(body->shape->inverse_inertia, tw_vec3_cross(arm, local));
        spin = tw_quat_rotate(place.turn, spin);
        group_put_vec(free, tw_vec3_add_scaled(group_get_vec(free), f, g->h / body->shape->mass.mass));
        group_put_vec(free + 3, tw_vec3_add_scaled(group_get_vec(free + 3), spin, g->h));
    }
}

bool push_acts(const Group* g, int index)
{
    double middle = g->t + 0.5 * g->h;
    for (int i = 0; i < g->world->def.push_count; i++)
    {
        const twPushDef* push = g->world->def.pushes + i;
        if (push->body == index && middle >= push->begin && middle < push->end) return true;
    }
    return false;
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
