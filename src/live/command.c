// SPDX-License-Identifier: MIT
// Commands are checked where they are sent, by what the sending thread knows: the simulating thread can trust them, and who sends nonsense
// learns it at once.
#include "dynamics/world.h"
#include "live/live.h"
#include "live/pick.h"
#include <math.h>

// ---- what a command may say ----

static bool command_is_time(double seconds) { return seconds >= 0 && seconds <= GRAB_LARGEST; }

// a body that is there, as commands go
static const LiveLook* command_body(const twLive* live, int body)
{
    if (body < 0 || body >= live->body_count || live->places[body].removal > 0) return NULL;
    return live->places[body].look;
}

static bool command_is_point(const twLive* live, int body, const twSurfacePoint* point)
{
    const LiveLook* look = command_body(live, body);
    return look && grab_check_surface(&look->def, point, NULL) == TW_OK;
}

static bool command_is_end(const twLive* live, const twGrabPoint* at)
{
    if (at->rod == TW_NOWHERE) return command_is_point(live, at->body, &at->point);
    if (at->body != TW_NOWHERE || at->rod < 0 || at->rod >= live->def.world.rod_count) return false;
    return at->node >= 0 && at->node < live->nodes[at->rod];
}

static bool command_is_grab(const twLive* live, const twGrabDef* grab)
{
    if (grab_check_numbers(grab, NULL) != TW_OK || !command_is_end(live, &grab->at)) return false;
    const bool alone = grab->to.body == TW_NOWHERE && grab->to.rod == TW_NOWHERE;
    if (!alone && (!command_is_end(live, &grab->to) || grab->to.body == grab->at.body)) return false;
    for (int k = 0; k < grab->push_count; k++)
        if (grab->push[k].body != grab->at.body || !command_is_end(live, &grab->push[k])) return false;
    return true;
}

static bool command_is_slot(const twLive* live, int slot, bool used)
{
    return slot >= 0 && slot < live->def.world.max_grabs && live->grabbed[slot] == used;
}

// ---- sending ----

static bool command_send(twLive* live, bool right, const LiveCommand* command)
{
    if (right && live_queue_put(live->commands, command, 1)) return true;
    atomic_fetch_add_explicit(&live->refused, 1, memory_order_relaxed);
    return false;
}

bool tw_live_grab(twLive* live, int slot, const twGrabDef* grab)
{
    TW_ASSERT(live && grab);
    const LiveCommand command = {.kind = LIVE_GRAB, .index = slot, .grab = *grab};
    if (!command_send(live, command_is_slot(live, slot, false) && command_is_grab(live, grab), &command)) return false;
    live->grabs[slot] = *grab;
    return live->grabbed[slot] = true;
}

bool tw_live_move(twLive* live, int slot, twVec3 target, double seconds)
{
    const LiveCommand command = {.kind = LIVE_MOVE, .index = slot, .move = {target, seconds}};
    return command_send(
        live, command_is_slot(live, slot, true) && world_is_within(target, GRAB_LARGEST) && command_is_time(seconds),
        &command);
}

bool tw_live_release(twLive* live, int slot)
{
    const LiveCommand command = {.kind = LIVE_RELEASE, .index = slot};
    if (!command_send(live, command_is_slot(live, slot, true), &command)) return false;
    live->grabbed[slot] = false;
    return true;
}

bool tw_live_strike(twLive* live, int body, const twSurfacePoint* point, twVec3 impulse)
{
    TW_ASSERT(live && point);
    const LiveCommand command = {.kind = LIVE_STRIKE, .index = body, .strike = {*point, impulse}};
    return command_send(live, command_is_point(live, body, point) && world_is_within(impulse, GRAB_LARGEST), &command);
}

bool tw_live_throw(twLive* live, int body, const twBodyMotion* motion)
{
    TW_ASSERT(live && motion);
    LiveCommand command = {.kind = LIVE_THROW, .index = body, .motion = *motion};
    const LiveLook* look = command_body(live, body);
    const bool right = look && look->def.kind == TW_BODY_FREE && pool_is_motion(motion);
    if (right) command.motion.turn = tw_quat_normalize(motion->turn);
    return command_send(live, right, &command);
}

bool tw_live_listen(twLive* live, twVec3 position, twQuat turn, double seconds)
{
    LiveCommand command = {.kind = LIVE_LISTEN, .listen = {position, turn, seconds}};
    const bool right = pool_is_motion(&(twBodyMotion){.position = position, .turn = turn}) && command_is_time(seconds);
    if (right) command.listen.turn = tw_quat_normalize(turn);
    return command_send(live, right, &command);
}

// ---- bodies that come and go ----

void live_reclaim(twLive* live)
{
    for (int i = 0; i < live->body_count; i++)
    {
        LivePlace* place = &live->places[i];
        if (place->removal == 0 || !live_snapshot_is_past(live->snapshot, place->removal)) continue;
        if (live->sound && !live_sound_is_past(live->sound, place->removal)) continue;
        live_look_destroy(place->look);
        place->look = NULL;
        place->removal = 0;
    }
}

// a place that is free and has room. @return below 0: there is none
static int command_place(twLive* live, const LiveLook* look)
{
    const int modes = live_look_modes(look);
    live_reclaim(live);
    for (int i = 0; i < live->body_count; i++)
        if (!live->places[i].look && live->places[i].modes >= modes) return i;
    return -1;
}

static twStatus command_add(twLive* live, LiveLook* look, int* body, twError* err)
{
    const int place = command_place(live, look);
    if (place < 0)
        return tw_fail(err, TW_BAD_INPUT, "body %s: no place is free that has room for its %d modes", look->def.name,
                       live_look_modes(look));
    const LiveCommand command = {.kind = LIVE_ADD, .index = place, .look = look};
    if (!live_queue_put(live->commands, &command, 1))
        return tw_fail(err, TW_BAD_INPUT, "body %s: %d commands wait already", look->def.name,
                       live_queue_room(live->commands));
    live->places[place].look = look;
    *body = place;
    return TW_OK;
}

twStatus tw_live_add(twLive* live, const twLiveBodyDef* def, int* body, twError* err)
{
    TW_ASSERT(live && def && body);
    LiveLook* look = NULL;
    twStatus status = world_check_body(&live->def.world, &def->body, live->body_count, err);
    if (status == TW_OK) status = live_look_create(&look, def, live->sound, err);
    if (status == TW_OK) status = command_add(live, look, body, err);
    if (status == TW_OK) return TW_OK;
    live_look_destroy(look);
    atomic_fetch_add_explicit(&live->refused, 1, memory_order_relaxed);
    return status;
}

static bool command_holds(const twGrabDef* grab, int body)
{
    bool holds = grab->at.body == body || grab->to.body == body;
    for (int k = 0; k < grab->push_count; k++) holds |= grab->push[k].body == body;
    return holds;
}

bool tw_live_remove(twLive* live, int body)
{
    const bool right = command_body(live, body) && !live->places[body].tied;
    const LiveCommand command = {.kind = LIVE_REMOVE, .index = body, .removal = live->removals + 1};
    if (!command_send(live, right, &command)) return false;
    live->places[body].removal = ++live->removals;
    for (int i = 0; i < live->def.world.max_grabs; i++)
        if (live->grabbed[i] && command_holds(&live->grabs[i], body)) live->grabbed[i] = false;
    return true;
}

bool tw_live_is_free(twLive* live, int body)
{
    if (body < 0 || body >= live->body_count) return false;
    live_reclaim(live);
    return !live->places[body].look;
}

double tw_live_nearest(const twLive* live, int body, twVec3 at, twSurfacePoint* point)
{
    *point = tw_surface_vertex(0);
    const LiveLook* look = command_body(live, body);
    return look ? pick_nearest(look->def.shape->contact, at, point) : INFINITY;
}
