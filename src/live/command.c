// SPDX-License-Identifier: MIT
// Commands are checked where they are sent, by what the sending thread knows: the simulating thread can trust them, and who sends nonsense
// learns it at once.
#include "dynamics/world.h"
#include "live/live.h"
#include "live/pick.h"
#include <math.h>

// ---- what a command may say ----

static bool command_is_time(double seconds) { return seconds >= 0 && seconds <= GRAB_LARGEST; }

static bool command_is_free(const LivePlace* place) { return !place->look && !place->rod; }

// what is there as commands go, of bodies or of rods; NULL: nothing
static LivePlace* command_place(const twLive* live, bool rods, int index)
{
    if (index < 0 || index >= (rods ? live->rod_count : live->body_count)) return NULL;
    LivePlace* place = &live->places[rods ? live->body_count + index : index];
    return place->removal == 0 && !command_is_free(place) ? place : NULL;
}

static const LiveLook* command_body(const twLive* live, int body)
{
    const LivePlace* place = command_place(live, false, body);
    return place ? place->look : NULL;
}

static bool command_is_point(const twLive* live, int body, const twSurfacePoint* point)
{
    const LiveLook* look = command_body(live, body);
    return look && grab_check_surface(&look->def, point, NULL) == TW_OK;
}

static bool command_is_end(const twLive* live, const twGrabPoint* at)
{
    if (at->rod == TW_NOWHERE) return command_is_point(live, at->body, &at->point);
    const LivePlace* place = command_place(live, true, at->rod);
    return at->body == TW_NOWHERE && place && at->node >= 0 && at->node < place->rod->point_count;
}

// both ends at one body, or at one point of a rod
static bool command_is_one(const twGrabPoint* a, const twGrabPoint* b)
{
    return a->body == b->body && a->rod == b->rod && (a->rod == TW_NOWHERE || a->node == b->node);
}

static bool command_is_grab(const twLive* live, const twGrabDef* grab)
{
    if (grab_check_numbers(grab, NULL) != TW_OK || !command_is_end(live, &grab->at)) return false;
    const bool alone = grab->to.body == TW_NOWHERE && grab->to.rod == TW_NOWHERE;
    if (!alone && (!command_is_end(live, &grab->to) || command_is_one(&grab->to, &grab->at))) return false;
    if (grab->push_count > 0 && grab->at.rod != TW_NOWHERE) return false;
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

// ---- bodies and rods that come and go ----

void live_reclaim(twLive* live)
{
    for (int i = 0; i < live->body_count + live->rod_count; i++)
    {
        LivePlace* place = &live->places[i];
        if (place->removal == 0 || !live_snapshot_is_past(live->snapshot, place->removal)) continue;
        if (live->sound && !live_sound_is_past(live->sound, place->removal)) continue;
        live_look_destroy(place->look);
        live_rod_destroy(place->rod);
        place->look = NULL, place->rod = NULL;
        place->removal = 0;
    }
}

// what is made goes to a place that is free and has room. command: without index
static twStatus command_add(twLive* live, const LivePlace* made, LiveCommand* command, int* index, twError* err)
{
    LivePlace* places = made->rod ? live->places + live->body_count : live->places;
    const int count = made->rod ? live->rod_count : live->body_count;
    const char *what = made->rod ? "rod" : "body", *parts = made->rod ? "points" : "modes";
    int i = 0;
    live_reclaim(live);
    while (i < count && !(command_is_free(&places[i]) && places[i].room >= made->room)) i++;
    if (i == count)
        return tw_fail(err, TW_BAD_INPUT, "a %s: no place is free that has room for its %d %s", what, made->room,
                       parts);
    command->index = i;
    if (!live_queue_put(live->commands, command, 1))
        return tw_fail(err, TW_BAD_INPUT, "a %s: %d commands wait already", what, live_queue_room(live->commands));
    places[i].look = made->look, places[i].rod = made->rod;
    *index = i;
    return TW_OK;
}

static twStatus command_end_add(twLive* live, twStatus status, const LivePlace* made)
{
    if (status == TW_OK) return TW_OK;
    live_look_destroy(made->look);
    live_rod_destroy(made->rod);
    atomic_fetch_add_explicit(&live->refused, 1, memory_order_relaxed);
    return status;
}

twStatus tw_live_add(twLive* live, const twLiveBodyDef* def, int* body, twError* err)
{
    TW_ASSERT(live && def && body);
    LivePlace made = {.look = NULL};
    twStatus status = world_check_body(&live->def.world, &def->body, live->body_count, err);
    if (status == TW_OK) status = live_look_create(&made.look, def, live->sound, err);
    if (status == TW_OK)
    {
        made.room = live_look_modes(made.look);
        status = command_add(live, &made, &(LiveCommand){.kind = LIVE_ADD, .look = made.look}, body, err);
    }
    return command_end_add(live, status, &made);
}

twStatus tw_live_add_rod(twLive* live, const twWorldRodDef* def, int* rod, twError* err)
{
    TW_ASSERT(live && def && rod);
    LivePlace made = {.room = def->rod.point_count};
    twStatus status = live_rod_create(&made.rod, def, live->world, err);
    if (status == TW_OK)
        status = command_add(live, &made, &(LiveCommand){.kind = LIVE_ADD_ROD, .rod = made.rod}, rod, err);
    return command_end_add(live, status, &made);
}

static bool command_holds(const twGrabPoint* point, bool rods, int index)
{
    return (rods ? point->rod : point->body) == index;
}

static bool command_remove(twLive* live, bool rods, int index)
{
    LivePlace* place = command_place(live, rods, index);
    const LiveCommand command = {
        .kind = rods ? LIVE_REMOVE_ROD : LIVE_REMOVE, .index = index, .removal = live->removals + 1};
    if (!command_send(live, place && !place->tied, &command)) return false;
    place->removal = ++live->removals;
    for (int i = 0; i < live->def.world.max_grabs; i++)
    {
        const twGrabDef* grab = &live->grabs[i];
        bool holds = command_holds(&grab->at, rods, index) || command_holds(&grab->to, rods, index);
        for (int k = 0; k < grab->push_count; k++) holds |= command_holds(&grab->push[k], rods, index);
        live->grabbed[i] &= !holds;
    }
    return true;
}

bool tw_live_remove(twLive* live, int body) { return command_remove(live, false, body); }
bool tw_live_remove_rod(twLive* live, int rod) { return command_remove(live, true, rod); }

bool tw_live_is_free(twLive* live, int body)
{
    live_reclaim(live);
    return body >= 0 && body < live->body_count && command_is_free(&live->places[body]);
}

bool tw_live_rod_is_free(twLive* live, int rod)
{
    live_reclaim(live);
    return rod >= 0 && rod < live->rod_count && command_is_free(&live->places[live->body_count + rod]);
}

double tw_live_nearest(const twLive* live, int body, twVec3 at, twSurfacePoint* point)
{
    *point = tw_surface_vertex(0);
    const LiveLook* look = command_body(live, body);
    return look ? pick_nearest(look->def.shape->contact, at, point) : INFINITY;
}
