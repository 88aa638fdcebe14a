// SPDX-License-Identifier: MIT
// Bodies that come and go while a world runs, are struck and thrown. A place without a body has the shape of nothing: a ghost that
// stands still where nothing else is. What comes, goes or is pushed at once counts as work from outside.
#include "dynamics/weave.h"
#include <stdio.h>

#define STRIKE_TIME 1e-3  // that a strike is heard to last [s]

// ---- places without a body ----

twBodyDef pool_nobody(const twWorld* world, int index)
{
    twBodyDef def = tw_body_def();
    def.name = "";
    def.shape = world->nothing;
    def.kind = TW_BODY_FIXED;
    def.ghost = true;
    def.motion.position = tw_vec3(LOST_DISTANCE / 10 + index, 0, 0);  // far, and 1 m apart
    return def;
}

twStatus pool_create(twWorld* world, twError* err)
{
    twBodyShapeDef def = tw_body_shape_def();
    def.ball_radius = 0.1;
    def.mass = 1;
    const size_t names = (size_t)world->def.spare_bodies * POOL_NAME + 1;
    world->names = tw_arena_alloc(world->arena, names, 1);
    if (!world->names) return tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies", world->def.spare_bodies);
    return tw_body_shape_create(&world->nothing, &def, err);
}

bool tw_world_has_body(const twWorld* world, int body)
{
    return body >= 0 && body < world->body_count && world->def.bodies[body].shape != world->nothing &&
           !world->bodies[body].lost;
}

static twStatus pool_check(const twWorld* world, int body, twError* err)
{
    if (tw_world_has_body(world, body)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "there is no body %d", body);
}

// what it does from now on has nothing to do with its last step: it cannot go back
static void pool_restart(twWorld* world, int index)
{
    Body* body = world->bodies + index;
    body_copy(&body->before, &body->now, body->mode_count);
    body->touched = true;
    body->mates = INT64_MIN + index;
    body->next_step = 0;
    body->spent = (Account){0};
    body_bound(body);
}

// ---- come and go ----

static twStatus pool_find(const twWorld* world, int* place, twError* err)
{
    if (*place != TW_NOWHERE)
    {
        const bool is_free =
            *place >= 0 && *place < world->body_count && world->def.bodies[*place].shape == world->nothing;
        return is_free ? TW_OK : tw_fail(err, TW_BAD_INPUT, "there is no free place for a body %d", *place);
    }
    for (int i = 0; i < world->body_count; i++)
        if (world->def.bodies[i].shape == world->nothing)
        {
            *place = i;
            return TW_OK;
        }
    return tw_fail(err, TW_BAD_INPUT, "all %d places for bodies are taken", world->body_count);
}

// its modes, as far as there is room for them
static twStatus pool_check_room(const twWorld* world, const twBodyDef* def, int place, twError* err)
{
    const int modes = def->shape && !def->rigid ? def->shape->mode_count : 0;
    if (modes <= world->mode_room[place]) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "body '%s' has %d modes; its place has room for %d", def->name ? def->name : "",
                   modes, world->mode_room[place]);
}

static void pool_set(twWorld* world, int place, const twBodyDef* def)
{
    double* numbers = world->bodies[place].now.q;
    world->body_defs[place] = *def;
    body_init(world->bodies + place, def, numbers);
    world->body_defs[place].amplitude = world->body_defs[place].rate = NULL;
    Body* body = world->bodies + place;
    body->now.time = body->before.time = world->time;
    pool_restart(world, place);
    world->places[place] = body_place(body, place, &body->now);
}

// place: of those without a body
static twStatus pool_add(twWorld* world, int place, const twBodyDef* def, twError* err)
{
    twStatus status = pool_check_room(world, def, place, err);
    if (status == TW_OK) status = world_check_body(&world->def, def, place, err);
    if (status != TW_OK) return status;
    twBodyDef named = *def;
    if (place >= world->given_bodies)
    {
        char* name = world->names + (size_t)(place - world->given_bodies) * POOL_NAME;
        snprintf(name, POOL_NAME, "%s", def->name ? def->name : "");
        named.name = name;
    }
    else
        named.name = world->def.bodies[place].name;
    pool_set(world, place, &named);
    world->energy.work += account_of(world, world->bodies + place);
    window_begin(world);
    return TW_OK;
}

twStatus tw_world_add_body(twWorld* world, const twBodyDef* def, int* body, twError* err)
{
    int place = TW_NOWHERE;
    twStatus status = pool_find(world, &place, err);
    if (status == TW_OK) status = pool_add(world, place, def, err);
    if (status == TW_OK) *body = place;
    return status;
}

twStatus tw_world_add_body_at(twWorld* world, int body, const twBodyDef* def, twError* err)
{
    const twStatus status = pool_find(world, &body, err);
    return status == TW_OK ? pool_add(world, body, def, err) : status;
}

static twStatus pool_check_free(const twWorld* world, int body, twError* err)
{
    const char* name = world->def.bodies[body].name;
    for (int i = 0; i < world->def.joint_count; i++)
        if (world->joints[i].body[0] == body || world->joints[i].body[1] == body)
            return tw_fail(err, TW_BAD_INPUT, "body '%s' cannot go: joint %d holds it", name, i);
    for (int i = 0; i < world->def.push_count; i++)
        if (world->def.pushes[i].body == body)
            return tw_fail(err, TW_BAD_INPUT, "body '%s' cannot go: push %d is on it", name, i);
    const int tie = world->weave ? weave_tie_of(world->weave, body) : -1;
    if (tie >= 0) return tw_fail(err, TW_BAD_INPUT, "body '%s' cannot go: tie %d holds it", name, tie);
    return TW_OK;
}

twStatus tw_world_remove_body(twWorld* world, int body, twError* err)
{
    // one that was lost can go too
    if (body < 0 || body >= world->body_count || world->def.bodies[body].shape == world->nothing)
        return tw_fail(err, TW_BAD_INPUT, "there is no body %d", body);
    const twStatus status = pool_check_free(world, body, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < world->def.max_grabs; i++)
        if (grab_has_body(world->grabs + i, body)) tw_world_release(world, i);
    if (world->weave) weave_forget_contacts(world, TW_NOWHERE, body);
    world->energy.work -= account_of(world, world->bodies + body);
    twBodyDef nobody = pool_nobody(world, body);
    nobody.name = world->def.bodies[body].name;
    pool_set(world, body, &nobody);
    window_begin(world);
    return TW_OK;
}

// ---- struck and thrown ----

twStatus tw_world_strike(twWorld* world, int index, const twSurfacePoint* point, twVec3 impulse, twError* err)
{
    twStatus status = pool_check(world, index, err);
    if (status == TW_OK) status = grab_check_point(world, index, point, err);
    if (status != TW_OK) return status;
    if (!world_is_within(impulse, GRAB_LARGEST))
        return tw_fail(err, TW_BAD_INPUT, "an impulse on body '%s' is not finite", world->def.bodies[index].name);
    Body* body = world->bodies + index;
    if (!body->dynamic || !(tw_vec3_max(impulse) > 0)) return TW_OK;
    const double before = account_of(world, body);
    const BodyPlace place = body_place(body, index, &body->now);
    const twVec3 local = tw_quat_rotate(tw_quat_conj(place.turn), impulse), arm = grab_local(&place, point, true);
    if (!body->held)
    {
        const twVec3 spin = tw_mat3_mul_vec(body->shape->inverse_inertia, tw_vec3_cross(arm, local));
        body->now.velocity = tw_vec3_add_scaled(body->now.velocity, impulse, 1 / body->shape->mass.mass);
        body->now.spin = tw_vec3_add(body->now.spin, spin);
    }
    grab_wake(body);
    for (int j = 0; j < body->mode_count; j++) body->now.rate[j] += tw_vec3_dot(grab_shape(&place, point, j), local);
    world->energy.work += account_of(world, body) - before;
    pool_restart(world, index);
    // what only sounds hears it as a force through a longest step
    const double time = body->now.time, h = world->def.max_step;
    const uint64_t number = world->strikes++;
    record_hand(world, &world->ends, RECORD_STRIKE, number, time, index, point, tw_vec3_scale(impulse, 1 / h),
                STRIKE_TIME);
    record_hand(world, &world->ends, RECORD_STRIKE, number, time + h, index, point, tw_vec3(0, 0, 0), 0);
    return TW_OK;
}

bool pool_is_motion(const twBodyMotion* m)
{
    const double turn = tw_quat_norm(m->turn);
    return world_is_within(m->position, LOST_DISTANCE) && world_is_within(m->velocity, LOST_DISTANCE) &&
           world_is_within(m->spin, TW_MAX_SPIN) && turn > 0.5 && turn < 2;
}

// nothing of what its contacts knew holds
static void pool_forget_contacts(twWorld* world, int body)
{
    for (int i = 0; i < world->max_pairs; i++)
    {
        Link* link = world->links + i;
        if (!link->used || (link->a != body && link->b != body)) continue;
        for (int k = 0; k < link->count; k++)
            record_force(&world->ends, link->slots + k, world->time, tw_vec3(0, 0, 0));
        world->ends.account.loss[TW_LOSS_ENDED] += link_energy(link);
        link->count = 0;
    }
    if (world->weave) weave_forget_contacts(world, TW_NOWHERE, body);
}

twStatus tw_world_throw(twWorld* world, int index, const twBodyMotion* motion, twError* err)
{
    const twStatus status = pool_check(world, index, err);
    if (status != TW_OK) return status;
    Body* body = world->bodies + index;
    if (body->kind != TW_BODY_FREE)
        return tw_fail(err, TW_BAD_INPUT, "body '%s' is not free: it cannot be thrown", world->def.bodies[index].name);
    if (!pool_is_motion(motion))
        return tw_fail(err, TW_BAD_INPUT, "body '%s' is thrown to a place, or with a speed, that is none",
                       world->def.bodies[index].name);
    const double before = account_of(world, body);
    twBodyMotion to = *motion;
    to.turn = tw_quat_normalize(to.turn);
    body_put(body, &to);
    world->energy.work += account_of(world, body) - before;
    pool_restart(world, index);
    pool_forget_contacts(world, index);
    grab_again(world, index);
    window_begin(world);
    return TW_OK;
}
