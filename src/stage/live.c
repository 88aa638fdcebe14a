// SPDX-License-Identifier: MIT
// Commands are checked where they are sent, so that the simulating thread can trust them.

#include "stage/live.h"
#include "live/queue.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#define OUTSIDE 1e-6  // a share of a point may be below 0 by this, and their sum off from 1
#define LARGEST 1e12  // of what commands may say, in any unit
#define SUDDEN 1e-9   // [s]: less is no time

struct StageLive
{
    int body_count, max_grabs;
    int* vertex_count;  // of each body's surface
    LiveQueue* commands;
    _Atomic int64_t refused;
    Snapshot* snapshot;
    StageVoices* voices;  // NULL: no sound
};

// ---- making ----

static Snapshot* make_snapshot(const twStageDef* def, const StageBody* bodies)
{
    int* modes = calloc((size_t)def->body_count + 1, sizeof *modes);
    if (!modes) return NULL;
    for (int i = 0; i < def->body_count; i++) modes[i] = bodies[i].mode_count;
    Snapshot* snapshot = snapshot_create(def->body_count, modes, def->max_grabs);
    free(modes);
    return snapshot;
}

static twStatus make_voices(StageVoices** out, const twStageDef* def, const StageBody* bodies, twError* err)
{
    const twModeSet** sets = calloc((size_t)def->body_count + 1, sizeof *sets);
    if (!sets) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of %d bodies", def->body_count);
    for (int i = 0; i < def->body_count; i++) sets[i] = def->bodies[i].mute ? NULL : def->bodies[i].modes;
    const twStatus status = stage_voices_create(out, def, bodies, sets, err);
    free(sets);
    return status;
}

twStatus stage_live_create(StageLive** out, const twStageDef* def, const StageBody* bodies, twError* err)
{
    *out = NULL;
    StageLive* live = calloc(1, sizeof *live);
    if (!live) return tw_fail(err, TW_NO_MEMORY, "no memory for a stage's commands");
    live->body_count = def->body_count;
    live->max_grabs = def->max_grabs;
    live->vertex_count = calloc((size_t)def->body_count + 1, sizeof *live->vertex_count);
    live->commands = live_queue_create(def->queue, sizeof(StageCommand));
    live->snapshot = make_snapshot(def, bodies);
    twStatus status = TW_OK;
    if (!live->vertex_count || !live->commands || !live->snapshot)
        status = tw_fail(err, TW_NO_MEMORY, "no memory for %d commands and three views", def->queue);
    for (int i = 0; live->vertex_count && i < def->body_count; i++)
        live->vertex_count[i] = bodies[i].contact->vertex_count;
    if (status == TW_OK) status = make_voices(&live->voices, def, bodies, err);
    if (status == TW_OK)
        *out = live;
    else
        stage_live_destroy(live);
    return status;
}

void stage_live_destroy(StageLive* live)
{
    if (!live) return;
    free(live->vertex_count);
    live_queue_destroy(live->commands);
    snapshot_destroy(live->snapshot);
    stage_voices_destroy(live->voices);
    free(live);
}

int live_heard(const StageLive* live, int body) { return live->voices ? stage_voices_heard(live->voices, body) : 0; }

// ---- the simulating thread ----

bool live_take(StageLive* live, StageCommand* out) { return live_queue_take(live->commands, out); }
int64_t live_refused(const StageLive* live) { return atomic_load_explicit(&live->refused, memory_order_relaxed); }
StageVoicesStats live_sound_stats(const StageLive* live)
{
    return live->voices ? stage_voices_stats(live->voices) : (StageVoicesStats){0, 0};
}

StageFrame* live_begin_view(StageLive* live) { return snapshot_begin(live->snapshot); }
void live_publish(StageLive* live) { snapshot_publish(live->snapshot); }

void live_hear(StageLive* live, double time, const StagePush* pushes, int count, const BodyPlace* places)
{
    if (live->voices) stage_voices_step(live->voices, time, pushes, count, places);
}

// ---- what a command may say ----

// numbers whose squares can be added up
static bool is_sane(twVec3 v) { return fabs(v.x) <= LARGEST && fabs(v.y) <= LARGEST && fabs(v.z) <= LARGEST; }
static bool is_time(double seconds) { return seconds >= 0 && seconds <= LARGEST; }
static bool is_body(const StageLive* live, int body) { return body >= 0 && body < live->body_count; }
static bool is_slot(const StageLive* live, int slot) { return slot >= 0 && slot < live->max_grabs; }

bool stage_is_point(const StageLive* live, int body, const twStagePoint* point)
{
    if (!is_body(live, body)) return false;
    double sum = 0;
    for (int k = 0; k < 3; k++)
    {
        if (point->vertex[k] < -1 || point->vertex[k] >= live->vertex_count[body]) return false;
        if (point->vertex[k] < 0) continue;
        if (!(point->weight[k] >= -OUTSIDE)) return false;
        sum += point->weight[k];
    }
    return fabs(sum - 1) <= OUTSIDE;
}

static bool is_grab(const StageLive* live, const twStageGrabDef* grab)
{
    const bool kind = grab->kind >= TW_STAGE_GRAB_POSITION && grab->kind <= TW_STAGE_GRAB_FORCE;
    if (!kind || !stage_is_point(live, grab->body, &grab->point) || !is_sane(grab->target)) return false;
    if (grab->other != TW_NOWHERE && !stage_is_point(live, grab->other, &grab->other_point)) return false;
    if (!is_time(grab->ease) || !(grab->max_force >= 0)) return false;
    if (grab->push_count < 0 || grab->push_count > TW_MAX_STAGE_PUSHES) return false;
    for (int k = 0; k < grab->push_count; k++)
        if (!stage_is_point(live, grab->push_body[k], &grab->push_point[k])) return false;
    return true;
}

static bool is_motion(const twBodyMotion* motion)
{
    const twQuat turn = motion->turn;
    const double length = turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
    const bool turned = length > 0 && isfinite(length);
    return turned && is_sane(motion->position) && is_sane(motion->velocity) && is_sane(motion->spin);
}

static bool send(StageLive* live, bool right, const StageCommand* command)
{
    if (right && live_queue_put(live->commands, command, 1)) return true;
    atomic_fetch_add_explicit(&live->refused, 1, memory_order_relaxed);
    return false;
}

// ---- the commanding thread ----

bool tw_stage_grab(twStage* stage, int slot, const twStageGrabDef* grab)
{
    TW_ASSERT(stage && grab);
    StageLive* live = stage_live(stage);
    StageCommand command = {.kind = STAGE_GRAB, .slot = slot, .body = grab->body, .grab = *grab};
    if (grab->ease < SUDDEN) command.grab.ease = 0;
    return send(live, is_slot(live, slot) && is_grab(live, grab), &command);
}

bool tw_stage_move(twStage* stage, int slot, twVec3 target, double seconds)
{
    StageLive* live = stage_live(stage);
    const StageCommand command = {.kind = STAGE_MOVE, .slot = slot, .move = {target, seconds < SUDDEN ? 0 : seconds}};
    return send(live, is_slot(live, slot) && is_sane(target) && is_time(seconds), &command);
}

bool tw_stage_release(twStage* stage, int slot)
{
    StageLive* live = stage_live(stage);
    const StageCommand command = {.kind = STAGE_RELEASE, .slot = slot};
    return send(live, is_slot(live, slot), &command);
}

bool tw_stage_strike(twStage* stage, int body, twStagePoint point, twVec3 impulse)
{
    StageLive* live = stage_live(stage);
    const StageCommand command = {.kind = STAGE_STRIKE, .body = body, .strike = {point, impulse}};
    return send(live, stage_is_point(live, body, &point) && is_sane(impulse), &command);
}

bool tw_stage_throw(twStage* stage, int body, const twBodyMotion* motion)
{
    TW_ASSERT(stage && motion);
    StageLive* live = stage_live(stage);
    StageCommand command = {.kind = STAGE_THROW, .body = body, .motion = *motion};
    const bool right = is_body(live, body) && is_motion(motion);
    if (right) command.motion.turn = tw_quat_normalize(motion->turn);
    return send(live, right, &command);
}

// ---- the drawing and the sounding thread ----

const twStageView* tw_stage_view(twStage* stage) { return snapshot_latest(stage_live(stage)->snapshot); }

int tw_stage_channels(const twStage* stage)
{
    const StageLive* live = stage_live(stage);
    return live->voices ? stage_voices_channels(live->voices) : 0;
}

void tw_stage_sound(twStage* stage, float* out, int frames)
{
    const StageLive* live = stage_live(stage);
    if (live->voices) stage_voices_sound(live->voices, out, frames);
}
