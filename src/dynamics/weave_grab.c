// SPDX-License-Identifier: MIT
// Grabs of rods: three rows along the world's axes between a point of a rod and its target (grab.c), which may be a point of a body or
// of another rod. A rod's point goes by exactly the way that does the work, so that of a place, or between rods,
//
//     z1 = z0 + h w
//
// is where they are. Only what turns, a body, or what changes, the stiffness, leaves something to be accounted for, by the rule of
// ties (weave_tie.c). Stiffness and damping are one for all directions, without which a largest force has no potential:
// k = kappa/(h^2 W), with W the greatest eigenvalue of the rows' mobility, rods as their implicit step has it.
#include "dynamics/weave.h"

static int weave_grab_slot(const Weave* w, const WeaveTie* tie) { return (int)(tie - w->ties) - w->grab_first; }

static WorldJoint* weave_grab_joint(const twWorld* world, const WeaveTie* tie)
{
    return world->joints + world->def.joint_count + weave_grab_slot(world->weave, tie);
}

// ---- what is held ----

twStatus weave_check_grab(const twWorld* world, int rod, int node, twError* err)
{
    const Weave* w = world->weave;
    const int rods = w ? w->rod_count : 0;
    if (!tw_world_has_rod(world, rod)) return tw_fail(err, TW_BAD_INPUT, "there is no rod %d; there are %d", rod, rods);
    const int points = w->shapes[rod]->point_count;
    if (node < 0 || node >= points)
        return tw_fail(err, TW_BAD_INPUT, "rod '%s' has no point %d; it has %d", w->rods[rod].name, node, points);
    return TW_OK;
}

twVec3 weave_grab_point(const twWorld* world, int rod, int node, twVec3* velocity)
{
    const twRodView v = tw_rod_view(world->weave->rods[rod].rod);
    *velocity = tw_vec3(v.velocity[0][node], v.velocity[1][node], v.velocity[2][node]);
    return tw_vec3(v.position[0][node], v.position[1][node], v.position[2][node]);
}

void weave_bind_grab(twWorld* world, int slot)
{
    Weave* w = world->weave;
    Grab* grab = world->grabs + slot;
    WeaveTie* tie = w->ties + w->grab_first + slot;
    // a body that is held to a rod is the other end, and gets the opposite
    const bool flip = grab->def.at.rod < 0;
    const twGrabPoint *at = flip ? &grab->def.to : &grab->def.at, *to = flip ? &grab->def.at : &grab->def.to;
    *tie = (WeaveTie){.grab = grab, .rod = -1, .body = -1, .to_rod = -1, .sign = flip ? -1 : 1};
    if (grab->active && at->rod >= 0)
    {
        tie->rod = at->rod;
        tie->point = at->node;
        tie->to_rod = to->rod;
        tie->to_point = to->node;
        tie->body = to->body;
        tie->on = to->point;
    }
    while (w->tie_count > w->grab_first && w->ties[w->tie_count - 1].rod < 0) w->tie_count--;
    if (tie->rod >= 0 && w->tie_count <= w->grab_first + slot) w->tie_count = w->grab_first + slot + 1;
}

// ---- rows ----

static twVec3 weave_grab_side(const Weave* w, int rod, int node, const twVec3 axes[3], double sign, WeaveSide* side)
{
    const StrandPlace* place = w->places + rod;
    *side = (WeaveSide){.rod = rod, .point = {node, node}};
    for (int q = 0; q < 3; q++) group_put_vec(side->row[q], tw_vec3_scale(axes[q], sign));
    return tw_vec3(place->x[0][node], place->x[1][node], place->x[2][node]);
}

// where the rod's point should be in the middle of the piece, and how fast that is led
static twVec3 weave_grab_target(twWorld* world, const WeaveTie* tie, twVec3* led)
{
    const Weave* w = world->weave;
    BodyState scratch;
    BodyPlace body = {.shape = NULL};
    GrabStep step = {.t = w->time, .h = w->h_piece};
    if (tie->body >= 0) body = world_place(world, tie->body, w->time + 0.5 * w->h_piece, &scratch);
    if (tie->body >= 0 && tie->sign > 0) step.place[1] = &body;
    const twVec3 aim = grab_aim(tie->grab, &step, led);
    *led = tw_vec3_scale(*led, tie->sign);
    return tie->sign > 0 ? aim : tw_vec3_sub(grab_point(&body, &tie->grab->def.at.point, NULL), aim);
}

bool weave_set_grab(twWorld* world, const WeaveTie* tie, WeaveContact* c, double offset[3])
{
    const Weave* w = world->weave;
    twVec3 axes[3], led, to = weave_grab_target(world, tie, &led);
    grab_axes(tie->grab, axes);
    const twVec3 at = weave_grab_side(w, tie->rod, tie->point, axes, 1, c->side);
    if (tie->to_rod >= 0) to = tw_vec3_add(to, weave_grab_side(w, tie->to_rod, tie->to_point, axes, -1, c->side + 1));
    if (tie->body >= 0 && !weave_hold_body(world, tie->body, &tie->on, at, axes, c)) return false;
    for (int q = 0; q < 3; q++) c->wall[q] -= tw_vec3_dot(axes[q], led);
    weave_begin_contact(w, c);
    for (int q = 0; q < 3; q++)
        offset[q] = tw_vec3_dot(axes[q], tw_vec3_sub(at, to)) - 0.5 * w->h_piece * c->step.u0[q];
    return true;
}

// ---- how hard ----

// J M^-1 J^T of the body
static twMat3 weave_grab_mobility_of_body(const Weave* w, const WeaveContact* c)
{
    twMat3 out = {{{0}}};
    if (c->body[1] < 0) return out;
    const SolveBody* b = w->group.solve_bodies + c->body[1];
    const int rigid = b->held ? 0 : 6;
    for (int r = 0; r < 9; r++)
    {
        const double *x = c->row[1] + r / 3 * b->count, *y = c->row[1] + r % 3 * b->count;
        double* sum = &out.m[r / 3][r % 3];
        for (int j = rigid; j < b->count; j++) *sum += x[j] * y[j] / b->mode_mass[j - rigid];
        if (!rigid) continue;
        *sum +=
            tw_vec3_dot(group_get_vec(x), group_get_vec(y)) / b->mass +
            tw_vec3_dot(group_get_vec(x + 3), tw_mat3_mul_vec(w->inverse_inertia[c->body[1]], group_get_vec(y + 3)));
    }
    return out;
}

double weave_grab_mobility(const Weave* w, const WeaveContact* c, twMat3 rods)
{
    return world_greatest_eigenvalue(tw_mat3_add(rods, weave_grab_mobility_of_body(w, c)));
}

void weave_stiffen_grab(const Weave* w, const WeaveTie* tie, WeaveContact* c)
{
    Grab* grab = tie->grab;
    const double offset[3] = {c->bond.z0[0], c->bond.z0[1], c->bond.z0[2]};
    grab->mobility = tie->mobility[0];
    grab->powerless = !(grab->mobility > 0);  // nothing that moves
    SolveBond bond = {.drives = grab->def.kind != TW_GRAB_POSITION, .mobility = grab->mobility};
    for (int q = 0; q < 3; q++)
    {
        c->own[q] = grab->def.along[q] ? grab->mobility : 0;
        bond.stiff[q] = c->own[q] > 0;
        bond.theta[q] = 1;
    }
    c->bond = law_bond(&bond, offset, tie->mobility_h, c->own);
    c->bond.radius = grab->def.max_force * w->h_piece;
    grab->stiffness = fmax(c->bond.k[0], fmax(c->bond.k[1], c->bond.k[2]));
}

// ---- forces ----

// that it pushes by on its end, in this step
static twVec3 weave_grab_push(const WeaveTie* tie, bool other)
{
    return tw_vec3_scale(tie->grab->push[0], other ? -tie->sign : tie->sign);
}

void weave_push_rods(twWorld* world)
{
    Weave* w = world->weave;
    for (int i = w->grab_first; i < w->tie_count; i++)
    {
        const WeaveTie* tie = w->ties + i;
        if (tie->rod < 0 || grab_holds(tie->grab)) continue;
        grab_set_force(tie->grab, w->time, w->h);
        tie->grab->force = tie->grab->push[0];
        tw_rod_push(w->rods[tie->rod].rod, tie->point, weave_grab_push(tie, false));
        if (tie->to_rod >= 0) tw_rod_push(w->rods[tie->to_rod].rod, tie->to_point, weave_grab_push(tie, true));
    }
}

bool weave_push_bodies(twWorld* world)
{
    Weave* w = world->weave;
    for (int i = w->grab_first; i < w->tie_count; i++)
    {
        const WeaveTie* tie = w->ties + i;
        if (tie->rod < 0 || tie->body < 0 || grab_holds(tie->grab) || !world->bodies[tie->body].dynamic) continue;
        const HandPush push = {tie->body, tie->on, weave_grab_push(tie, true)};
        if (!push_add_one(&w->group, &push)) return false;
    }
    return true;
}

// ---- after a piece ----

void weave_end_grabs(twWorld* world)
{
    Weave* w = world->weave;
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        const WeaveTie* tie = c->touch <= -2 ? w->ties - 2 - c->touch : NULL;
        if (!tie || !tie->grab) continue;
        tie->grab->force = tw_vec3_scale(group_get_vec(c->end.p), tie->sign / w->h_piece);
        tie->grab->limited = c->end.slides;
    }
    for (int i = w->grab_first; i < w->tie_count; i++)
        if (w->ties[i].rod >= 0)
            grab_end_step(world, &w->cluster, weave_grab_joint(world, w->ties + i), w->time, w->h_piece);
}
