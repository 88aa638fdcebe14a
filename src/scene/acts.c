// SPDX-License-Identifier: MIT
// Grabs and throws of a scene as commands to its world. Each place of a grab has a slot. A target that moves follows a path, a function of
// time; from where the point is it comes there in the time `ease`, see docs/grabs.md.

#include "acts.h"
#include "bodies.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// what changes of a place, and a checkpoint keeps
typedef struct ActState
{
    bool begun, ended;
    twVec3 home, about;  // where it was grabbed, what it turns about
} ActState;

// a place that is grabbed; its number is the slot of the world, and that of its path
typedef struct Act
{
    const twSceneGrab* grab;
    twGrabDef def;
    ActState now;
} Act;

struct Acts
{
    const twScene* scene;
    int count;
    Act* acts;
    twPathDef* paths;  // (acts)
    bool* thrown;      // (throws)
    twRenderGrab* grabs;
};

// ---- paths ----

static twVec3 act_signals(const twSignal to[3], double time)
{
    return tw_vec3(tw_signal_value(&to[0], time, NULL), tw_signal_value(&to[1], time, NULL),
                   tw_signal_value(&to[2], time, NULL));
}

// of a move: how far from where it was grabbed
static twVec3 act_way(double time, void* context)
{
    const Act* act = context;
    if (act->grab->aim == TW_AIM_GIVEN) return act_signals(act->grab->to, time);
    twSceneDrive drive = *act->grab->move;
    drive.start = (twBodyMotion){.position = act->now.home, .turn = tw_quat_identity()};
    drive.about = act->now.about;
    return tw_vec3_sub(tw_scene_drive(&drive, time).position, act->now.home);
}

static bool act_is_still(const twSceneGrab* grab)
{
    if (grab->aim == TW_AIM_MOVE) return false;
    for (int k = 0; k < 3 && grab->aim == TW_AIM_GIVEN; k++)
        if (grab->to[k].kind != TW_SIGNAL_CONSTANT) return false;
    return true;
}

// ---- making ----

static twStatus act_point(const twBodies* b, const char* what, const twScenePlace* place, twGrabPoint* out,
                          twError* err)
{
    *out = (twGrabPoint){.body = place->body, .rod = place->rod, .node = place->node};
    if (place->body == TW_NOWHERE) return TW_OK;
    const twStatus status = bodies_check_place(b, place->body, what, place->at, err);
    if (status != TW_OK) return status;
    out->point = body_touching_place(&b->made[b->scene->bodies[place->body].shape], place->at);
    return TW_OK;
}

static twStatus act_make(const twBodies* b, const twSceneGrab* grab, int place, int slot, Act* act, twError* err)
{
    *act = (Act){.grab = grab, .def = tw_grab_def()};
    twGrabDef* def = &act->def;
    def->kind = grab->kind;
    def->ease = grab->ease;
    def->max_force = grab->max_force;
    def->exact = grab->exact;
    def->here = grab->aim == TW_AIM_HERE || grab->aim == TW_AIM_MOVE;
    def->path = act_is_still(grab) ? TW_NOWHERE : slot;
    def->push_count = grab->push_count;
    for (int k = 0; k < 3; k++) def->along[k] = grab->along[k];
    if (grab->aim == TW_AIM_GIVEN && def->path == TW_NOWHERE) def->target = act_signals(grab->to, 0);
    twStatus status = act_point(b, "a grab", &grab->places[place], &def->at, err);
    if (status == TW_OK && grab->aim == TW_AIM_BODY) status = act_point(b, "a grab", &grab->other, &def->to, err);
    for (int k = 0; k < grab->push_count && status == TW_OK; k++)
        status = act_point(b, "'push' of a grab", &grab->pushes[k], &def->push[k], err);
    return status;
}

static int acts_places(const twScene* scene)
{
    int count = 0;
    for (int i = 0; i < scene->grab_count; i++) count += scene->grabs[i].place_count;
    return count;
}

static twStatus acts_make(Acts* a, const twBodies* b, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; i < a->scene->grab_count; i++)
        for (int k = 0; k < a->scene->grabs[i].place_count && status == TW_OK; k++)
        {
            Act* act = &a->acts[a->count];
            status = act_make(b, &a->scene->grabs[i], k, a->count, act, err);
            a->paths[a->count++] = (twPathDef){act_way, act};
        }
    return status;
}

twStatus acts_create(Acts** out, const twBodies* b, twError* err)
{
    const twScene* scene = b->scene;
    Acts* a = *out = calloc(1, sizeof *a);
    if (!a) return tw_fail(err, TW_NO_MEMORY, "no memory for grabs");
    a->scene = scene;
    const size_t places = (size_t)acts_places(scene) + 1;
    a->acts = calloc(places, sizeof *a->acts);
    a->paths = calloc(places, sizeof *a->paths);
    a->thrown = calloc((size_t)scene->throw_count + 1, sizeof *a->thrown);
    a->grabs = calloc((size_t)scene->grab_count + 1, sizeof *a->grabs);
    const bool room = a->acts && a->paths && a->thrown && a->grabs;
    const twStatus status = room ? acts_make(a, b, err) : tw_fail(err, TW_NO_MEMORY, "no memory for grabs");
    if (status == TW_OK) return TW_OK;
    acts_destroy(a);
    *out = NULL;
    return status;
}

void acts_destroy(Acts* a)
{
    if (!a) return;
    free(a->acts);
    free(a->paths);
    free(a->thrown);
    free(a->grabs);
    free(a);
}

void acts_fill_world(const Acts* a, twWorldDef* def)
{
    def->max_grabs = def->path_count = a->count;
    def->paths = a->paths;
}

// ---- what happens ----

double acts_next(const Acts* a)
{
    double next = INFINITY;
    for (int i = 0; i < a->count; i++)
        if (!a->acts[i].now.ended)
            next = fmin(next, a->acts[i].now.begun ? a->acts[i].grab->end : a->acts[i].grab->begin);
    for (int i = 0; i < a->scene->throw_count; i++)
        if (!a->thrown[i]) next = fmin(next, a->scene->throws[i].time);
    return next;
}

static twVec3 act_place(twWorld* world, const twGrabPoint* at)
{
    twVec3 sum = {0, 0, 0};
    if (at->body == TW_NOWHERE)
    {
        const twRodView v = tw_rod_view(tw_world_rod(world, at->rod));
        return tw_vec3(v.position[0][at->node], v.position[1][at->node], v.position[2][at->node]);
    }
    for (int k = 0; k < 3; k++)
    {
        if (at->point.vertex[k] < 0) continue;
        const twVec3 vertex = tw_world_point(world, at->body, at->point.vertex[k], tw_world_time(world), NULL);
        sum = tw_vec3_add_scaled(sum, vertex, at->point.weight[k]);
    }
    return sum;
}

// an error of the world, with the place of what it is about
static twStatus act_fail(const char* where, const twError* inner, twError* err)
{
    return tw_fail(err, inner->status, "%s: %s", where, inner->text);
}

// several places of one grab turn together, about where the first one is
static twStatus act_begin(Acts* a, twWorld* world, int slot, twError* err)
{
    Act *act = &a->acts[slot], *first = act;
    twError inner;
    while (first > a->acts && first[-1].grab == act->grab) first--;
    act->now.begun = true;
    act->now.home = act_place(world, &act->def.at);
    act->now.about = act->grab->move && !act->grab->about_here ? act->grab->move->about : first->now.home;
    if (tw_world_grab(world, slot, &act->def, &inner) == TW_OK) return TW_OK;
    return act_fail(act->grab->where, &inner, err);
}

static twStatus acts_throw(const twSceneThrow* t, twWorld* world, twError* err)
{
    twError inner;
    twBodyMotion motion = tw_world_motion(world, t->body, tw_world_time(world), NULL, NULL);
    if (t->has_velocity) motion.velocity = t->velocity;
    if (t->has_spin) motion.spin = t->spin;
    return tw_world_throw(world, t->body, &motion, &inner) == TW_OK ? TW_OK : act_fail(t->where, &inner, err);
}

twStatus acts_do(Acts* a, twWorld* world, double time, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; i < a->scene->throw_count && status == TW_OK; i++)
    {
        if (a->thrown[i] || a->scene->throws[i].time > time) continue;
        a->thrown[i] = true;
        status = acts_throw(&a->scene->throws[i], world, err);
    }
    for (int i = 0; i < a->count && status == TW_OK; i++)
    {
        Act* act = &a->acts[i];
        if (!act->now.begun && act->grab->begin <= time) status = act_begin(a, world, i, err);
        if (status != TW_OK || !act->now.begun || act->now.ended || act->grab->end > time) continue;
        act->now.ended = true;
        tw_world_release(world, i);
    }
    return status;
}

void acts_look(Acts* a, const twWorld* world)
{
    for (int i = 0; i < a->count; i++)
    {
        const twGrabView view = tw_world_grab_view(world, i);
        twRenderGrab* of = &a->grabs[a->acts[i].grab - a->scene->grabs];
        if (!view.active) continue;
        of->force = fmax(of->force, tw_vec3_norm(view.force));
        of->error = fmax(of->error, view.error);
        of->limited |= view.limited;
        of->powerless |= view.powerless;
    }
}

const twRenderGrab* acts_grabs(const Acts* a) { return a->grabs; }

// ---- checkpoints ----

size_t acts_state_bytes(const Acts* a)
{
    return (size_t)a->count * sizeof(ActState) + (size_t)a->scene->throw_count * sizeof *a->thrown +
           (size_t)a->scene->grab_count * sizeof *a->grabs;
}

void acts_save(const Acts* a, char* out)
{
    const size_t throws = (size_t)a->scene->throw_count * sizeof *a->thrown;
    for (int i = 0; i < a->count; i++, out += sizeof(ActState)) memcpy(out, &a->acts[i].now, sizeof(ActState));
    memcpy(out, a->thrown, throws);
    memcpy(out + throws, a->grabs, (size_t)a->scene->grab_count * sizeof *a->grabs);
}

bool acts_load(Acts* a, const char* bytes, size_t count)
{
    const size_t throws = (size_t)a->scene->throw_count * sizeof *a->thrown;
    if (count != acts_state_bytes(a)) return false;
    for (int i = 0; i < a->count; i++, bytes += sizeof(ActState)) memcpy(&a->acts[i].now, bytes, sizeof(ActState));
    memcpy(a->thrown, bytes, throws);
    memcpy(a->grabs, bytes + throws, (size_t)a->scene->grab_count * sizeof *a->grabs);
    return true;
}
