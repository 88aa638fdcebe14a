// SPDX-License-Identifier: MIT
// Grabs of a scene as commands to its stage.
//
// An aim that stays is told once, and the stage eases to it. One that moves, g(t), is told step by step; that nothing jumps when a
// point at x with velocity v is grabbed at t0, the aim is
//
//     g(t) + e(s),  s = (t - t0)/T < 1,   e a cubic with  e(0) = x - g(t0),  T^-1 e'(0) = v - g'(t0),  e(1) = e'(1) = 0.

#include "acts.h"
#include "bodies.h"
#include <math.h>
#include <stdlib.h>

// a place that is grabbed, joined or pushed; its number is the slot of the stage
typedef struct Act
{
    const twSceneGrab* grab;    // NULL: a joint,
    const twScenePush* push;    // or a push
    const twSceneJoint* joint;  // or both NULL
    twStageGrabDef def;
    double begin, end;
    bool begun, ended, still;  // still: its aim does not move
    twVec3 home, away, drift;  // where it was grabbed; e(0), T^-1 e'(0)
    twVec3 about;              // what it turns about
    double since;
} Act;

struct Acts
{
    const twScene* scene;
    twBodies* bodies;
    twStage* stage;
    int count;
    Act* acts;
    twStagePoint* struck;  // (pushes)
    bool *pushed, *thrown;
    twRenderGrab* grabs;
};

// ---- making ----

static twStatus find_point(const Acts* a, int body, const char* what, twVec3 at, twStagePoint* out, twError* err)
{
    const twStatus status = bodies_check_place(a->bodies, body, what, at, err);
    if (status != TW_OK) return status;
    if (isfinite(tw_stage_nearest(a->stage, body, at, out))) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s: '%s' has no surface to be held at", a->scene->bodies[body].where,
                   a->scene->bodies[body].name);
}

static bool is_still(const twSceneGrab* grab)
{
    if (grab->aim == TW_AIM_MOVE) return false;
    for (int k = 0; k < 3 && grab->aim == TW_AIM_GIVEN; k++)
        if (grab->to[k].kind != TW_SIGNAL_CONSTANT) return false;
    return true;
}

static twVec3 signals_at(const twSignal to[3], double time)
{
    return tw_vec3(tw_signal_value(&to[0], time, NULL), tw_signal_value(&to[1], time, NULL),
                   tw_signal_value(&to[2], time, NULL));
}

static twStatus make_grab(Acts* a, const twSceneGrab* grab, int place, Act* act, twError* err)
{
    *act = (Act){
        .grab = grab, .def = tw_stage_grab_def(), .begin = grab->begin, .end = grab->end, .still = is_still(grab)};
    twStageGrabDef* def = &act->def;
    def->kind = grab->kind;
    def->body = grab->body;
    def->ease = grab->ease;
    def->max_force = grab->max_force;
    def->here = grab->aim == TW_AIM_HERE;
    for (int k = 0; k < 3; k++) def->along[k] = grab->along[k];
    if (grab->aim == TW_AIM_GIVEN) def->target = signals_at(grab->to, grab->begin);
    twStatus status = find_point(a, grab->body, "a grab", grab->places[place], &def->point, err);
    if (status == TW_OK && grab->aim == TW_AIM_BODY)
    {
        def->other = grab->other.body;
        status = find_point(a, def->other, "a grab", grab->other.at, &def->other_point, err);
    }
    def->push_count = grab->push_count;
    for (int k = 0; k < grab->push_count && status == TW_OK; k++)
    {
        def->push_body[k] = grab->pushes[k].body;
        status = find_point(a, def->push_body[k], "'push' of a grab", grab->pushes[k].at, &def->push_point[k], err);
    }
    return status;
}

// a place of the world in a body's coordinates at the start
static twVec3 into(const twSceneBody* body, twVec3 at)
{
    return tw_quat_rotate(tw_quat_conj(body->motion.turn), tw_vec3_sub(at, body->motion.position));
}

static twStatus make_joint(Acts* a, const twSceneJoint* joint, Act* act, twError* err)
{
    const twSceneBody* bodies = a->scene->bodies;
    *act = (Act){.joint = joint, .def = tw_stage_grab_def(), .end = INFINITY, .still = true};
    int first = joint->def.body[0], second = joint->def.body[1];
    if (first == TW_NOWHERE) first = second, second = TW_NOWHERE;
    act->def.body = first;
    act->def.here = true;
    act->def.other = second;
    twStatus status = find_point(a, first, "a joint", into(&bodies[first], joint->def.at), &act->def.point, err);
    if (status == TW_OK && second != TW_NOWHERE)
        status = find_point(a, second, "a joint", into(&bodies[second], joint->def.at), &act->def.other_point, err);
    return status;
}

static twStatus make_push(Acts* a, const twScenePush* push, Act* act, twError* err)
{
    *act = (Act){.push = push, .def = tw_stage_grab_def(), .end = INFINITY};
    act->def.kind = TW_STAGE_GRAB_FORCE;
    act->def.body = push->body;
    act->def.ease = 0;
    return find_point(a, push->body, "a push", push->at, &act->def.point, err);
}

static twStatus make_all(Acts* a, twError* err)
{
    const twScene* scene = a->scene;
    twStatus status = TW_OK;
    for (int i = 0; i < scene->grab_count; i++)
        for (int k = 0; k < scene->grabs[i].place_count && status == TW_OK; k++)
            status = make_grab(a, &scene->grabs[i], k, &a->acts[a->count++], err);
    for (int i = 0; i < scene->joint_count && status == TW_OK; i++)
        status = make_joint(a, &scene->joints[i], &a->acts[a->count++], err);
    for (int i = 0; i < scene->push_count && status == TW_OK; i++)
        if (scene->pushes[i].tap)
            status = find_point(a, scene->pushes[i].body, "a push", scene->pushes[i].at, &a->struck[i], err);
        else
            status = make_push(a, &scene->pushes[i], &a->acts[a->count++], err);
    return status;
}

twStatus acts_create(Acts** out, const twScene* scene, twBodies* bodies, twError* err)
{
    Acts* a = *out = calloc(1, sizeof *a);
    if (!a) return tw_fail(err, TW_NO_MEMORY, "no memory for what happens");
    *a = (Acts){.scene = scene, .bodies = bodies, .stage = tw_bodies_stage(bodies)};
    a->acts = calloc((size_t)bodies_holds(scene) + 1, sizeof *a->acts);
    a->struck = calloc((size_t)scene->push_count + 1, sizeof *a->struck);
    a->pushed = calloc((size_t)scene->push_count + 1, sizeof *a->pushed);
    a->thrown = calloc((size_t)scene->throw_count + 1, sizeof *a->thrown);
    a->grabs = calloc((size_t)scene->grab_count + 1, sizeof *a->grabs);
    const bool room = a->acts && a->struck && a->pushed && a->thrown && a->grabs;
    const twStatus status = room ? make_all(a, err) : tw_fail(err, TW_NO_MEMORY, "no memory for what happens");
    if (status == TW_OK) return TW_OK;
    acts_destroy(a);
    *out = NULL;
    return status;
}

void acts_destroy(Acts* a)
{
    if (!a) return;
    free(a->acts);
    free(a->struck);
    free(a->pushed);
    free(a->thrown);
    free(a->grabs);
    free(a);
}

// ---- aims that move ----

static twBodyMotion drive_at(const Act* act, double time)
{
    twSceneDrive drive = *act->grab->move;
    drive.start = (twBodyMotion){.position = act->home, .turn = tw_quat_identity()};
    drive.about = act->about;
    return tw_scene_drive(&drive, time);
}

// where a point that was grabbed at home is to be
static twVec3 aim_at(const Act* act, double time)
{
    const twSceneGrab* grab = act->grab;
    if (act->push) return tw_vec3_scale(act->push->force, tw_signal_value(&act->push->value, time, NULL));
    if (grab->aim == TW_AIM_GIVEN) return signals_at(grab->to, time);
    return drive_at(act, time).position;
}

static twVec3 aim_rate(const Act* act, double time)
{
    const twSceneGrab* grab = act->grab;
    if (grab->aim == TW_AIM_GIVEN)
        return tw_vec3(tw_signal_rate(&grab->to[0], time), tw_signal_rate(&grab->to[1], time),
                       tw_signal_rate(&grab->to[2], time));
    return drive_at(act, time).velocity;
}

static bool is_place(const Act* act) { return act->def.kind == TW_STAGE_GRAB_POSITION; }

static twVec3 eased(const Act* act, double time)
{
    const twVec3 aim = aim_at(act, time);
    const double span = act->def.ease, s = span > 0 ? (time - act->since) / span : 1;
    if (!is_place(act) || s >= 1) return aim;
    // e = (1 - s)^2 (e(0) (1 + 2 s) + T^-1 e'(0) T s)
    const twVec3 e = tw_vec3_add_scaled(tw_vec3_scale(act->away, 1 + 2 * s), act->drift, span * s);
    return tw_vec3_add_scaled(aim, e, (1 - s) * (1 - s));
}

// ---- a step ----

// several places of one grab turn together, about where the first one is
static twVec3 turning_point(const Acts* a, const Act* act)
{
    const Act* first = act;
    if (!act->grab->about_here) return act->grab->move->about;
    while (first > a->acts && first[-1].grab == act->grab) first--;
    return tw_stage_place(a->stage, first->def.body, &first->def.point, NULL);
}

static void begin(Acts* a, int slot, double time)
{
    Act* act = &a->acts[slot];
    twStageGrabDef def = act->def;
    twVec3 velocity;
    act->begun = true;
    act->since = time;
    act->home = tw_stage_place(a->stage, def.body, &def.point, &velocity);
    if (act->grab && act->grab->move) act->about = turning_point(a, act);
    if (!act->still && is_place(act))
    {
        // moved from where it is, by what follows at once
        act->away = tw_vec3_sub(act->home, aim_at(act, time));
        act->drift = tw_vec3_sub(velocity, aim_rate(act, time));
        def.here = true;
        def.ease = 0;
    }
    if (act->push) def.target = aim_at(act, time);
    tw_stage_grab(a->stage, slot, &def);
}

static void go_on(Acts* a, int slot, double time)
{
    const Act* act = &a->acts[slot];
    const double h = a->scene->stage.step;
    // what is no place comes to its value first, along a straight line
    if (!is_place(act) && time < act->since + act->def.ease - 0.5 * h) return;
    tw_stage_move(a->stage, slot, eased(act, time + h), h);
}

static void act_now(Acts* a, int slot, double time)
{
    Act* act = &a->acts[slot];
    const double soon = time + 0.5 * a->scene->stage.step;
    if (act->ended || act->begin > soon) return;
    if (act->end <= soon)
    {
        act->ended = true;
        if (act->begun) tw_stage_release(a->stage, slot);
        return;
    }
    if (!act->begun) begin(a, slot, time);
    if (!act->still) go_on(a, slot, time);
}

// half a sine of force, all at once
static void strike(const Acts* a, int i)
{
    const twScenePush* push = &a->scene->pushes[i];
    const twVec3 impulse = tw_vec3_scale(push->force, 2 / TW_PI * (push->end - push->begin));
    tw_stage_strike(a->stage, push->body, a->struck[i], impulse);
}

static void throw(const Acts* a, const twSceneThrow* t)
{
    const twStagePose* pose = &tw_stage_view(a->stage)->bodies[t->body];
    const twBodyMotion motion = {.position = pose->position,
                                 .turn = pose->turn,
                                 .velocity = t->has_velocity ? t->velocity : pose->velocity,
                                 .spin = t->has_spin ? t->spin : pose->spin};
    tw_stage_throw(a->stage, t->body, &motion);
}

void acts_before(Acts* a, double time)
{
    const double soon = time + 0.5 * a->scene->stage.step;
    for (int i = 0; i < a->scene->throw_count; i++)
    {
        if (a->thrown[i] || a->scene->throws[i].time > soon) continue;
        a->thrown[i] = true;
        throw(a, &a->scene->throws[i]);
    }
    for (int i = 0; i < a->scene->push_count; i++)
    {
        const twScenePush* push = &a->scene->pushes[i];
        if (!push->tap || a->pushed[i] || push->begin > soon) continue;
        a->pushed[i] = true;
        strike(a, i);
    }
    for (int i = 0; i < a->count; i++) act_now(a, i, time);
}

void acts_after(Acts* a)
{
    const twStageView* view = tw_stage_view(a->stage);
    for (int i = 0; i < a->count; i++)
    {
        const Act* act = &a->acts[i];
        const twStageGrip* grip = &view->grabs[i];
        if (!act->grab || !grip->active) continue;
        twRenderGrab* of = &a->grabs[act->grab - a->scene->grabs];
        of->force = fmax(of->force, tw_vec3_norm(grip->force));
        of->error = fmax(of->error, grip->error);
    }
}

const twRenderGrab* acts_grabs(const Acts* a) { return a->grabs; }
