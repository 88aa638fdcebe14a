// SPDX-License-Identifier: MIT
// A world that is played: its steps, what they are made of by commands, and what of them is seen and heard.
//
// A contact's force holds until the next one of the same contact is listed; those that hold now are kept here. An impact that steps do
// not resolve is heard as a blow that lasts as long as the impact by the contact law.
#include "live/live.h"
#include "dynamics/body_shape.h"
#include "dynamics/world.h"
#include "live/cover.h"
#include "live/pick.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOW_STEPS 2  // that a step longer than an impact makes of it

// ---- defs ----

twLiveBodyDef tw_live_body_def(void) { return (twLiveBodyDef){.body = tw_body_def()}; }

twLiveDef tw_live_def(void)
{
    twLiveDef def = {.world = tw_world_def(), .queue = 256, .ear = tw_ear_def()};
    def.world.fixed_step = true;
    def.world.max_grabs = 64;
    def.world.max_contacts = 512;
    def.world.rod_rate_hz = 0;
    return def;
}

// ---- making ----

static twStatus live_check(const twLiveDef* def, twError* err)
{
    twWorldDef world = def->world;
    world.body_count = def->body_count;
    const twStatus status = world_check_counts(&world, err);
    if (status != TW_OK) return status;
    if (!(def->world.max_step >= 1e-6 && def->world.max_step <= 0.1))
        return tw_fail(err, TW_BAD_INPUT, "a step of %g s is outside 1e-6 to 0.1", def->world.max_step);
    if (def->body_count > 0 && !def->bodies)
        return tw_fail(err, TW_BAD_INPUT, "%d bodies that are not given", def->body_count);
    if (def->queue < 1 || def->queue > 1 << 20)
        return tw_fail(err, TW_BAD_INPUT, "a queue of %d commands; 1 to 1048576 are possible", def->queue);
    if (def->recorded < 0 || def->recorded > 1 << 24)
        return tw_fail(err, TW_BAD_INPUT, "room for %d recorded forces; 0 to 16777216 is possible", def->recorded);
    if (!(def->budget >= 0)) return tw_fail(err, TW_BAD_INPUT, "a budget of %g s", def->budget);
    return TW_OK;
}

// steps of rods fit into those of the world
static twStatus live_set_rod_rate(twLiveDef* def, twError* err)
{
    const double h = def->world.max_step;
    if (def->world.rod_rate_hz == 0)
        def->world.rod_rate_hz = fmax(ceil(TW_MIN_ROD_RATE_HZ * h * (1 - FIXED_SLACK)), 1) / h;
    const double steps = def->world.rod_rate_hz * h;
    if (def->world.rod_count + def->world.spare_rods <= 0) return TW_OK;
    if (steps >= 1 - FIXED_SLACK && fabs(steps - round(steps)) < FIXED_SLACK) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "rods step %g times a second: that is %g times in a step of %g s, not a whole number",
                   def->world.rod_rate_hz, steps, h);
}

static twStatus live_make_world(twLive* s, const twLiveDef* def, twError* err)
{
    twBodyDef* bodies = calloc((size_t)def->body_count + 1, sizeof *bodies);
    if (!bodies) return tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies", def->body_count);
    for (int i = 0; i < def->body_count; i++) bodies[i] = def->bodies[i].body;
    twWorldDef world = s->def.world;
    world.bodies = bodies;
    world.body_count = def->body_count;
    const twStatus status = tw_world_create(&s->world, &world, err);
    free(bodies);
    return status;
}

static bool live_make_room(twLive* s)
{
    const size_t n = (size_t)s->body_count + 1, rods = (size_t)s->rod_count + 1,
                 grabs = (size_t)s->def.world.max_grabs + 1;
    s->force_room = s->def.world.max_contacts + s->def.world.max_grabs * TW_MAX_GRAB_PUSHES + s->def.queue;
    s->push_room = 2 * s->force_room;
    s->places = calloc(n + rods, sizeof *s->places);
    s->grabs = calloc(grabs, sizeof *s->grabs);
    s->grabbed = calloc(grabs, sizeof *s->grabbed);
    s->looks = calloc(n, sizeof *s->looks);
    s->rods = calloc(rods, sizeof *s->rods);
    s->spots = calloc(n, sizeof *s->spots);
    s->changed = calloc(n, sizeof *s->changed);
    s->forces = calloc((size_t)s->force_room + 1, sizeof *s->forces);
    s->pushes = calloc((size_t)s->push_room, sizeof *s->pushes);
    s->recorded = calloc((size_t)s->def.recorded + 1, sizeof *s->recorded);
    s->commands = live_queue_create(s->def.queue, sizeof(LiveCommand));
    return s->places && s->grabs && s->grabbed && s->looks && s->rods && s->spots && s->changed && s->forces &&
           s->pushes && s->recorded && s->commands;
}

static bool live_make_snapshot(twLive* s)
{
    const int places = s->body_count + s->rod_count;
    int* room = calloc((size_t)places + 1, sizeof *room);
    if (!room) return false;
    for (int i = 0; i < places; i++) room[i] = s->places[i].room;
    s->snapshot = live_snapshot_create(&(LiveRoom){.body_count = s->body_count,
                                                   .rod_count = s->rod_count,
                                                   .grab_count = s->def.world.max_grabs,
                                                   .modes = room,
                                                   .points = room + s->body_count});
    free(room);
    return s->snapshot;
}

static twStatus live_make_bodies(twLive* s, const twLiveDef* def, twError* err)
{
    for (int i = 0; i < s->body_count; i++) s->places[i].room = def->world.spare_modes;
    for (int i = 0; i < def->body_count; i++)
    {
        const twStatus status = live_look_create(&s->places[i].look, &def->bodies[i], s->sound, err);
        if (status != TW_OK) return status;
        s->places[i].room = live_look_modes(s->places[i].look);
        s->looks[i] = s->places[i].look;
        if (s->sound) live_sound_set(s->sound, i, s->looks[i]->emitter);
    }
    return TW_OK;
}

static twStatus live_make_rods(twLive* s, const twWorldDef* def, twError* err)
{
    for (int i = 0; i < s->rod_count; i++)
    {
        LivePlace* place = &s->places[s->body_count + i];
        place->room = def->spare_rod_points;
        if (i >= def->rod_count) continue;
        const twStatus status = live_rod_create(&place->rod, &def->rods[i], NULL, err);
        if (status != TW_OK) return status;
        place->room = place->rod->point_count;
        s->rods[i] = place->rod;
    }
    return TW_OK;
}

// what the world would not remove
static void live_tie(twLive* s, const twWorldDef* def)
{
    for (int i = 0; i < 2 * def->joint_count; i++)
    {
        const int body = def->joints[i / 2].body[i % 2];
        if (body != TW_NOWHERE) s->places[body].tied = true;
    }
    for (int i = 0; i < def->push_count; i++) s->places[def->pushes[i].body].tied = true;
    for (int i = 0; i < def->tie_count; i++)
    {
        s->places[def->ties[i].body].tied = true;
        s->places[s->body_count + def->ties[i].rod].tied = true;
    }
}

static void live_publish(twLive* s);
static void live_place_all(twLive* s);

static twStatus live_make(twLive* s, const twLiveDef* def, twError* err)
{
    twStatus status = live_make_room(s) ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a live world");
    if (status == TW_OK) status = live_make_world(s, def, err);
    if (status == TW_OK && def->sound_rate_hz != 0)
        status = live_sound_create(&s->sound, def, s->body_count, s->push_room, err);
    if (status == TW_OK) status = live_make_bodies(s, def, err);
    if (status == TW_OK) status = live_make_rods(s, &def->world, err);
    if (status == TW_OK && !live_make_snapshot(s)) status = tw_fail(err, TW_NO_MEMORY, "no memory for three views");
    if (status != TW_OK) return status;
    live_tie(s, &def->world);
    live_place_all(s);
    live_publish(s);
    return TW_OK;
}

twStatus tw_live_create(twLive** out, const twLiveDef* def, twError* err)
{
    *out = NULL;
    twStatus status = live_check(def, err);
    if (status != TW_OK) return status;
    twLive* s = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for a live world");
    s->def = *def;
    s->body_count = def->body_count + def->world.spare_bodies;
    s->rod_count = def->world.rod_count + def->world.spare_rods;
    status = live_set_rod_rate(&s->def, err);
    if (status == TW_OK) status = live_make(s, def, err);
    if (status == TW_OK)
        *out = s;
    else
        tw_live_destroy(s);
    return status;
}

// bodies and rods whose command was never taken are known to their places
void tw_live_destroy(twLive* s)
{
    if (!s) return;
    for (int i = 0; s->places && i < s->body_count + s->rod_count; i++)
    {
        live_look_destroy(s->places[i].look);
        live_rod_destroy(s->places[i].rod);
    }
    tw_world_destroy(s->world);
    live_sound_destroy(s->sound);
    live_queue_destroy(s->commands);
    live_snapshot_destroy(s->snapshot);
    void* const blocks[] = {s->places, s->grabs,   s->grabbed, s->looks,  s->rods,
                            s->spots,  s->changed, s->forces,  s->pushes, s->recorded};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    free(s);
}

// ---- commands ----

static twStatus live_add(twLive* s, int place, LiveLook* look)
{
    const twStatus status = tw_world_add_body_at(s->world, place, &look->def, NULL);
    if (status != TW_OK) return status;
    s->looks[place] = look;
    if (s->sound) live_sound_set(s->sound, place, look->emitter);
    return TW_OK;
}

static void live_set_removed(twLive* s, int64_t removal)
{
    s->removed = removal;
    if (s->sound) live_sound_remove(s->sound, removal);
}

static twStatus live_remove(twLive* s, int body, int64_t removal)
{
    const bool was = s->looks[body];
    s->looks[body] = NULL;
    if (s->sound) live_sound_set(s->sound, body, NULL);
    live_set_removed(s, removal);
    return was ? tw_world_remove_body(s->world, body, NULL) : TW_OK;
}

static twStatus live_add_rod(twLive* s, int place, LiveRod* rod)
{
    const twStatus status = tw_world_add_rod_at(s->world, place, rod->made, NULL);
    if (status == TW_OK) s->rods[place] = rod;
    return status;
}

static twStatus live_remove_rod(twLive* s, int rod, int64_t removal)
{
    const bool was = s->rods[rod];
    s->rods[rod] = NULL;
    live_set_removed(s, removal);
    return was ? tw_world_remove_rod(s->world, rod, NULL) : TW_OK;
}

static twStatus live_act(twLive* s, const LiveCommand* c)
{
    switch (c->kind)
    {
    case LIVE_GRAB:
        return tw_world_grab(s->world, c->index, &c->grab, NULL);
    case LIVE_MOVE:
        return tw_world_move_grab(s->world, c->index, c->move.target, c->move.seconds, NULL);
    case LIVE_RELEASE:
        tw_world_release(s->world, c->index);
        return TW_OK;
    case LIVE_STRIKE:
        return tw_world_strike(s->world, c->index, &c->strike.point, c->strike.impulse, NULL);
    case LIVE_THROW:
        return tw_world_throw(s->world, c->index, &c->motion, NULL);
    case LIVE_LISTEN:
        if (s->sound) live_sound_listen(s->sound, &c->listen);
        return TW_OK;
    case LIVE_ADD:
        return live_add(s, c->index, c->look);
    case LIVE_REMOVE:
        return live_remove(s, c->index, c->removal);
    case LIVE_ADD_ROD:
        return live_add_rod(s, c->index, c->rod);
    case LIVE_REMOVE_ROD:
        return live_remove_rod(s, c->index, c->removal);
    }
    return TW_OK;
}

// ---- forces ----

// where a contact is in the list, or would be
static int live_find(const twLive* s, uint64_t id)
{
    int low = 0, high = s->force_count;
    while (low < high)
    {
        const int middle = (low + high) / 2;
        if (s->forces[middle].force.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void live_mark(twLive* s, const twContactForce* f)
{
    for (int side = 0; side < 2; side++)
        if (f->body[side] >= 0) s->changed[f->body[side]] = true;
}

// what a force has done by a time
static void live_count_impulse(LiveForce* f, double time)
{
    f->impulse = tw_vec3_add_scaled(f->impulse, f->force.force, time - f->force.time);
    f->force.time = time;
}

static void live_take_force(twLive* s, const twContactForce* f)
{
    const int at = live_find(s, f->id);
    LiveForce* place = s->forces + at;
    const bool known = at < s->force_count && place->force.id == f->id;
    live_mark(s, f);
    if (!known && s->force_count == s->force_room)
    {
        s->stats.dropped_forces++;
        return;
    }
    if (!known)
    {
        memmove(place + 1, place, (size_t)(s->force_count++ - at) * sizeof *place);
        *place = (LiveForce){.force = *f};
    }
    live_count_impulse(place, f->time);
    place->force = *f;
    place->impact_time = fmax(place->impact_time, f->impact_time);
}

static void live_record_force(twLive* s, const twContactForce* f)
{
    if (s->recorded_count < s->def.recorded)
        s->recorded[s->recorded_count++] = *f;
    else
        s->stats.dropped_forces++;
}

static void live_take_forces(twLive* s)
{
    int count;
    const twContactForce* forces = tw_world_forces(s->world, &count);
    for (int i = 0; i < count; i++) live_take_force(s, &forces[i]);
    for (int i = 0; s->def.recorded > 0 && i < count; i++) live_record_force(s, &forces[i]);
    for (int i = 0; i < s->force_count; i++) live_count_impulse(&s->forces[i], s->time);
}

// A step is over. What has ended goes; a blow is over, and what is left of its force lasts from now on.
static void live_end_forces(twLive* s)
{
    int kept = 0;
    memset(s->changed, 0, (size_t)s->body_count * sizeof *s->changed);
    for (int i = 0; i < s->force_count; i++)
    {
        LiveForce* f = &s->forces[i];
        if (f->impact_time > 0) live_mark(s, &f->force);
        f->impact_time = 0;
        f->impulse = tw_vec3(0, 0, 0);
        if (tw_vec3_max(f->force.force) > 0) s->forces[kept++] = *f;
    }
    s->force_count = kept;
}

// ---- what is heard ----

static void live_push(twLive* s, const LiveForce* f, twVec3 impulse, double contact_time)
{
    for (int side = 0; side < 2; side++)
    {
        const int body = f->force.body[side];
        if (body < 0 || !s->changed[body] || !s->looks[body] || !s->looks[body]->emitter) continue;
        if (s->push_count == s->push_room) return;
        LivePush* push = &s->pushes[s->push_count++];
        *push = (LivePush){.body = body, .contact_time = contact_time};
        push->impulse = tw_quat_rotate(tw_quat_conj(s->spots[body].turn), tw_vec3_scale(impulse, side ? -1 : 1));
        memcpy(push->vertex, f->force.vertex[side], sizeof push->vertex);
        memcpy(push->weight, f->force.weight[side], sizeof push->weight);
    }
}

// A step that is longer than an impact gives half of its impulse, or a little more; the next one gives the rest. Both are one blow,
// told when it is over: two of them a millisecond apart would have no sound at 500 Hz.
static void live_hear_force(twLive* s, LiveForce* f)
{
    const bool blow = f->impact_time > 0 && f->impact_time <= s->def.world.max_step;
    if (blow)
    {
        f->blow = tw_vec3_add(f->blow, f->impulse);
        f->blow_time = f->impact_time;
        f->blow_steps++;
    }
    const bool over = !blow || tw_vec3_max(f->force.force) == 0 || f->blow_steps == BLOW_STEPS;
    if (f->blow_steps > 0 && over)
    {
        live_push(s, f, f->blow, f->blow_time);
        f->blow = tw_vec3(0, 0, 0);
        f->blow_steps = 0;
    }
    if (!blow) live_push(s, f, f->impulse, 0);
}

// where bodies are; what turns feels the same force in other directions
static void live_place_all(twLive* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        if (!s->looks[i] || !s->looks[i]->emitter) continue;
        LiveSpot* spot = &s->spots[i];
        const twBodyMotion m = tw_world_motion(s->world, i, s->time, NULL, NULL);
        const twVec3 centre = s->looks[i]->def.shape->contact->centre;
        spot->steady = !s->changed[i] && m.turn.w == spot->turn.w && m.turn.x == spot->turn.x &&
                       m.turn.y == spot->turn.y && m.turn.z == spot->turn.z;
        s->changed[i] = !spot->steady;
        spot->turn = m.turn;
        spot->position = tw_vec3_add(m.position, tw_quat_rotate(m.turn, centre));
    }
}

static void live_hear(twLive* s)
{
    if (!s->sound) return;
    live_place_all(s);
    s->push_count = 0;
    for (int i = 0; i < s->force_count; i++) live_hear_force(s, &s->forces[i]);
    live_sound_step(s->sound, s->pushes, s->push_count, s->spots);
}

// ---- what is seen ----

static void live_publish_bodies(twLive* s, LiveFrame* frame, double time)
{
    for (int i = 0; i < s->body_count; i++)
    {
        twLivePose* pose = &frame->bodies[i];
        frame->looks[i] = s->looks[i];
        pose->present = s->looks[i];
        if (!pose->present) continue;
        // a rigid body has no room for the modes of its shape
        pose->mode_count = live_look_modes(s->looks[i]);
        double* amplitude = pose->mode_count > 0 ? frame->amplitude[i] : NULL;
        const twBodyMotion m = tw_world_motion(s->world, i, time, amplitude, NULL);
        pose->position = m.position, pose->turn = m.turn;
        pose->velocity = m.velocity, pose->spin = m.spin;
    }
}

static double* live_interleave(const double* const x[3], int count, double* out)
{
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) *out++ = x[c][i];
    return out;
}

static void live_publish_rods(twLive* s, LiveFrame* frame)
{
    for (int i = 0; i < s->rod_count; i++)
    {
        const LiveRod* rod = s->rods[i];
        frame->rods[i].present = rod;
        if (!rod) continue;
        const twRodView v = tw_rod_view(tw_world_rod(s->world, i));
        double* velocity = live_interleave(v.position, v.point_count, frame->points[i]);
        double* across = live_interleave(v.velocity, v.point_count, velocity);
        live_interleave(v.frame_d1, v.edge_count, across);
        frame->rods[i] = (twLiveRod){.present = true,
                                     .closed = rod->closed,
                                     .point_count = v.point_count,
                                     .position = frame->points[i],
                                     .velocity = velocity,
                                     .across = across,
                                     .section_count = rod->section_count,
                                     .section = rod->section};
    }
}

static void live_publish(twLive* s)
{
    LiveFrame* frame = live_snapshot_begin(s->snapshot);
    live_publish_bodies(s, frame, s->time);
    live_publish_rods(s, frame);
    for (int i = 0; i < s->def.world.max_grabs; i++) frame->grabs[i] = tw_world_grab_view(s->world, i);
    s->stats.refused = atomic_load_explicit(&s->refused, memory_order_relaxed);
    if (s->sound) live_sound_count(s->sound, &s->stats);
    s->stats.world = tw_world_stats(s->world);
    frame->view.time = s->time;
    frame->view.energy = tw_world_energy(s->world);
    frame->view.stats = s->stats;
    frame->removed = s->removed;
    live_snapshot_publish(s->snapshot);
}

// ---- time ----

static void live_step(twLive* s)
{
    const double h = s->def.world.max_step;
    LiveCommand command;
    while (live_queue_take(s->commands, &command))
        if (live_act(s, &command) != TW_OK) atomic_fetch_add_explicit(&s->refused, 1, memory_order_relaxed);
    s->time = (double)++s->stats.steps * h;
    // by a little less, so that rounding makes no step more
    tw_world_advance(s->world, s->time - FIXED_SLACK * h);
    live_take_forces(s);
    live_hear(s);
    live_end_forces(s);
    s->left -= h;
}

void tw_live_advance(twLive* s, double seconds)
{
    TW_ASSERT(s);
    const double begin = s->def.budget > 0 ? tw_seconds() : 0, h = s->def.world.max_step;
    s->recorded_count = 0;
    if (seconds > 0 && isfinite(seconds)) s->left += seconds;
    for (int64_t i = 0; s->left >= h * (1 - FIXED_SLACK); i++)
    {
        if (i > 0 && s->def.budget > 0 && tw_seconds() - begin > s->def.budget)
        {
            s->stats.dropped_time += s->left;
            s->left = 0;
            break;
        }
        live_step(s);
    }
    live_publish(s);
}

double tw_live_time(const twLive* s) { return s->time; }
const twWorld* tw_live_world(const twLive* s) { return s->world; }

const twContactForce* tw_live_forces(const twLive* s, int* count)
{
    *count = s->recorded_count;
    return s->recorded;
}

// ---- looking ----

const twLiveView* tw_live_view(twLive* s) { return &live_snapshot_latest(s->snapshot)->view; }

// a view is the first member of its frame
static const LiveFrame* live_frame(const twLiveView* view) { return (const LiveFrame*)(const void*)view; }

const twCover* tw_live_cover(const twLiveView* view, int body)
{
    TW_ASSERT(body >= 0 && body < view->body_count);
    const LiveLook* look = live_frame(view)->looks[body];
    return look ? look->cover : NULL;
}

void tw_live_vertices(const twLiveView* view, int body, float* positions, float* normals)
{
    TW_ASSERT(tw_live_cover(view, body));
    const LiveLook* look = live_frame(view)->looks[body];
    const twLivePose* pose = &view->bodies[body];
    tw_cover_bend(look->cover, pose->amplitude, positions, normals, look->scratch);
    cover_place(positions, normals, tw_cover_vertices(look->cover), pose->position, pose->turn);
}

bool tw_live_pick(const twLiveView* view, twVec3 eye, twVec3 direction, twGrabPoint* point, twVec3* place)
{
    double nearest = HUGE_VAL;
    for (int i = 0; i < view->body_count; i++)
    {
        const LiveLook* look = live_frame(view)->looks[i];
        if (!look || !look->cover) continue;
        twSurfacePoint at;
        twVec3 where;
        const double distance = pick_body(look->cover, look->def.shape->contact, &view->bodies[i], eye, direction,
                                          nearest, look->picked, look->scratch, &at, &where);
        if (!(distance < nearest)) continue;
        nearest = distance;
        *point = (twGrabPoint){.body = i, .point = at, .rod = TW_NOWHERE}, *place = where;
    }
    for (int i = 0; i < view->rod_count; i++)
    {
        int node;
        if (!view->rods[i].present) continue;
        const double distance = pick_rod(&view->rods[i], eye, direction, nearest, &node);
        if (!(distance < nearest)) continue;
        nearest = distance;
        *point = (twGrabPoint){.body = TW_NOWHERE, .rod = i, .node = node};
        *place = tw_vec3_add_scaled(eye, direction, distance);
    }
    return nearest < HUGE_VAL;
}

// ---- hearing ----

int tw_live_channels(const twLive* s) { return s->sound ? live_sound_channels(s->sound) : 0; }

void tw_live_sound(twLive* s, float* out, int frames)
{
    if (s->sound) live_sound_make(s->sound, out, frames);
}
