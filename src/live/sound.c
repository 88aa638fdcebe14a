// SPDX-License-Identifier: MIT
// Every step becomes a few notes in a queue: the step itself, where its bodies are, what pushed them. The notes of a step come
// at once, and say all about it, so that a step that is lost leaves nothing behind but a steady force, which is silent. The sounding
// thread makes blocks, takes steps as its pace wants them, and gives away as many samples as it is asked for.
//
// Which emitters ring is told beside the queue. The sounding thread looks there where a step names a body that it does not know, and at
// the end of each block; what is gone rings through that block, to 0, and is not touched after it.

#include "live/sound.h"
#include "live/live.h"
#include "live/pace.h"
#include "live/queue.h"
#include "sound/highpass.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LOW_HZ 10.0  // below: slow motion, no sound
#define EAR_TIME                                                                                                       \
    0.02  // in which the listener follows where it is told to be, twice: it neither starts nor stops suddenly [s]
#define QUEUE_STEPS 32  // with as many pushes as there can be, that wait

typedef enum LiveNoteKind
{
    NOTE_STEP,
    NOTE_EAR,
    NOTE_SPOT,
    NOTE_PUSH
} LiveNoteKind;

typedef struct LiveNote
{
    LiveNoteKind kind;
    int body;
    union
    {
        int count;  // of the step's notes
        LiveEar ear;
        LiveSpot spot;
        LivePush push;
    };
} LiveNote;

struct LiveSound
{
    EmitterDef def;
    int body_count, channels;
    _Atomic(Emitter*)* wanted;      // (bodies) NULL: not heard
    _Atomic int64_t removed, past;  // removals that are told, that no block rings any more
    LiveQueue* notes;
    _Atomic int64_t put;  // steps, in the queue
    _Atomic int64_t lost_hits, late;
    _Atomic int overflows;

    // of the simulating thread
    LiveNote* step;
    int step_room;
    LiveEar listen;
    bool listens;  // the listener is to go there

    // of the sounding thread
    Emitter** emitters;  // (bodies)
    int64_t taken;
    int overflows_seen;
    bool started;
    Pace pace;
    twEar* ear;
    LiveEar from, to;    // of its way, in a straight line
    LiveEar follows[2];  // that, and it that
    double gone;         // on it [s]
    Highpass* filters;   // (channels)
    float* block;        // (VOICE_BLOCK x channels)
    int given;           // samples of the block
    float weight[VOICE_BLOCK][3];
    float signal[EMITTER_ROWS][VOICE_BLOCK];
};

// ---- making ----

static bool sound_make_room(LiveSound* v)
{
    const size_t n = (size_t)v->body_count + 1;
    v->step = calloc((size_t)v->step_room, sizeof *v->step);
    v->notes = live_queue_create(QUEUE_STEPS * v->step_room, sizeof(LiveNote));
    v->wanted = calloc(n, sizeof *v->wanted);
    v->emitters = calloc(n, sizeof *v->emitters);
    v->filters = calloc((size_t)v->channels, sizeof *v->filters);
    v->block = calloc((size_t)v->channels * VOICE_BLOCK, sizeof *v->block);
    for (int c = 0; v->filters && c < v->channels; c++) v->filters[c] = highpass(LOW_HZ, v->def.rate_hz);
    return v->step && v->notes && v->wanted && v->emitters && v->filters && v->block;
}

static twStatus sound_make(LiveSound* v, twEarDef ear, twError* err)
{
    ear.rate_hz = v->def.rate_hz;
    ear.source_count = v->body_count > 0 ? v->body_count : 1;
    ear.max_block = VOICE_BLOCK;
    const twStatus status = tw_ear_create(&v->ear, &ear, err);
    if (status != TW_OK) return status;
    v->channels = tw_ear_channels(ear.kind);
    if (!sound_make_room(v)) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of a world");
    v->from = v->to = v->follows[0] = v->follows[1] =
        (LiveEar){.position = ear.position, .turn = tw_quat_normalize(ear.turn)};
    v->given = VOICE_BLOCK;
    v->pace = pace_make(v->def.rate_hz, v->def.step, VOICE_BLOCK);
    atomic_init(&v->past, INT64_MAX);
    return TW_OK;
}

twStatus live_sound_create(LiveSound** out, const twLiveDef* def, int body_count, int most_pushes, twError* err)
{
    const double rate = def->sound_rate_hz, step = def->world.max_step;
    *out = NULL;
    if (!(rate * step >= 1) || !isfinite(rate))
        return tw_fail(err, TW_BAD_INPUT, "a sound rate of %g Hz is below that of steps, %g Hz", rate, 1 / step);
    LiveSound* v = calloc(1, sizeof *v);
    if (!v) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of a world");
    v->def = (EmitterDef){.rate_hz = rate, .step = step, .sound_speed = def->ear.sound_speed};
    v->def.rows = (def->ear.kind == TW_EAR_STEREO ? 2 : 1) * (def->ear.ground ? 2 : 1);
    v->body_count = body_count;
    v->step_room = 2 + body_count + most_pushes;
    const twStatus status = sound_make(v, def->ear, err);
    if (status == TW_OK)
        *out = v;
    else
        live_sound_destroy(v);
    return status;
}

void live_sound_destroy(LiveSound* v)
{
    if (!v) return;
    free(v->wanted);
    free(v->emitters);
    live_queue_destroy(v->notes);
    free(v->step);
    tw_ear_destroy(v->ear);
    free(v->filters);
    free(v->block);
    free(v);
}

int live_sound_channels(const LiveSound* v) { return v->channels; }

const EmitterDef* live_sound_emitter(const LiveSound* v) { return &v->def; }

void live_sound_count(const LiveSound* v, twLiveStats* stats)
{
    stats->lost_hits = atomic_load_explicit(&v->lost_hits, memory_order_relaxed);
    stats->late = atomic_load_explicit(&v->late, memory_order_relaxed);
}

static void sound_count(_Atomic int64_t* counter, int64_t more)
{
    if (more > 0) atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

// ---- the simulating thread ----

void live_sound_set(LiveSound* v, int body, Emitter* emitter) { atomic_store(&v->wanted[body], emitter); }
void live_sound_remove(LiveSound* v, int64_t removal) { atomic_store(&v->removed, removal); }

// a block that begins after it is seen that it was told, finds what was told; who has made no block yet has touched nothing
bool live_sound_is_past(const LiveSound* v, int64_t removal)
{
    return atomic_load(&v->removed) >= removal && atomic_load(&v->past) >= removal;
}

void live_sound_listen(LiveSound* v, const LiveEar* to)
{
    v->listen = *to;
    v->listens = true;
}

static bool sound_is_finite(twVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static bool sound_is_heard(const LiveSound* v, const LivePush* push)
{
    if (!atomic_load_explicit(&v->wanted[push->body], memory_order_relaxed)) return false;
    const bool zero = push->impulse.x == 0 && push->impulse.y == 0 && push->impulse.z == 0;
    for (int k = 0; k < 3; k++)
        if (push->vertex[k] >= 0 && !isfinite(push->weight[k])) return false;
    return !zero && sound_is_finite(push->impulse);
}

// @return behind the notes
static int sound_write_spots(LiveSound* v, const LiveSpot* spots, int at)
{
    for (int i = 0; i < v->body_count; i++)
    {
        const twQuat t = spots[i].turn;
        if (!atomic_load_explicit(&v->wanted[i], memory_order_relaxed)) continue;
        if (!sound_is_finite(spots[i].position) || !isfinite(t.w + t.x + t.y + t.z)) continue;
        v->step[at++] = (LiveNote){.kind = NOTE_SPOT, .body = i, .spot = spots[i]};
    }
    return at;
}

void live_sound_step(LiveSound* v, const LivePush* pushes, int push_count, const LiveSpot* spots)
{
    int at = 1, hits = 0;
    int64_t lost = 0;
    if (v->listens) v->step[at++] = (LiveNote){.kind = NOTE_EAR, .ear = v->listen};
    at = sound_write_spots(v, spots, at);
    for (int i = 0; i < push_count; i++)
    {
        const bool hit = pushes[i].contact_time > 0;
        if (!sound_is_heard(v, &pushes[i])) continue;
        if (at == v->step_room)
        {
            lost += hit;
            continue;
        }
        v->step[at++] = (LiveNote){.kind = NOTE_PUSH, .body = pushes[i].body, .push = pushes[i]};
        hits += hit;
    }
    v->step[0] = (LiveNote){.kind = NOTE_STEP, .count = at - 1};
    if (live_queue_put(v->notes, v->step, at))
    {
        atomic_fetch_add_explicit(&v->put, 1, memory_order_release);
        v->listens = false;
    }
    else
    {
        lost += hits;
        atomic_fetch_add_explicit(&v->overflows, 1, memory_order_relaxed);
    }
    sound_count(&v->lost_hits, lost);
}

// ---- the sounding thread: steps ----

static int sound_waiting(const LiveSound* v)
{
    return (int)(atomic_load_explicit(&v->put, memory_order_acquire) - v->taken);
}

static LiveEar sound_between(const LiveEar* from, const LiveEar* to, double share)
{
    const twVec3 way = tw_vec3_sub(to->position, from->position);
    return (LiveEar){.position = tw_vec3_add_scaled(from->position, way, share),
                     .turn = tw_quat_blend(from->turn, to->turn, share)};
}

// where it is told to be
static LiveEar sound_told(const LiveSound* v)
{
    return sound_between(&v->from, &v->to, v->to.seconds > 0 ? fmin(v->gone / v->to.seconds, 1) : 1);
}

static void sound_set_out(LiveSound* v, const LiveEar* to)
{
    v->from = sound_told(v);
    v->to = *to;
    v->to.seconds = fmax(to->seconds, tw_vec3_norm(tw_vec3_sub(to->position, v->from.position)) / LIVE_FASTEST);
    v->gone = 0;
}

static void sound_face(LiveSound* v, Emitter* emitter)
{
    twVec3 points[EMITTER_ROWS];
    for (int p = 0; p < v->def.rows; p++) points[p] = tw_ear_point(v->ear, p);
    emitter_face(emitter, points, fmin(fmax(v->pace.u, 0), 1));
}

// one that is new is found here
static void sound_take_spot(LiveSound* v, int body, const LiveSpot* spot, double since)
{
    const bool known = v->emitters[body];
    if (!known) v->emitters[body] = atomic_load(&v->wanted[body]);
    Emitter* emitter = v->emitters[body];
    if (!emitter) return;
    emitter_place(emitter, spot->position, spot->turn);
    if (!known) sound_face(v, emitter);
    if (since >= 0) emitter_step(emitter, spot->steady);
}

// since: its step was due [samples]; below 0: its pushes are too old to be heard. @return hits that are lost
static bool sound_take_note(LiveSound* v, const LiveNote* note, double since)
{
    if (note->kind == NOTE_EAR) sound_set_out(v, &note->ear);
    if (note->kind == NOTE_SPOT) sound_take_spot(v, note->body, &note->spot, since);
    Emitter* emitter = v->emitters[note->body];
    if (note->kind != NOTE_PUSH || !emitter) return false;
    if (since >= 0) return !emitter_push(emitter, &note->push, since);
    return note->push.contact_time > 0;
}

// the oldest step that waits
static void sound_take_step(LiveSound* v, double since)
{
    LiveNote note;
    int64_t lost = 0;
    if (!live_queue_take(v->notes, &note)) return;
    v->taken++;
    for (int left = note.count; left > 0 && live_queue_take(v->notes, &note); left--)
        lost += sound_take_note(v, &note, since);
    for (int i = 0; since >= 0 && i < v->body_count; i++)
        if (v->emitters[i]) emitter_settle(v->emitters[i]);
    sound_count(&v->lost_hits, lost);
}

// what is too late to be heard is left out
static void sound_skip_steps(LiveSound* v)
{
    const int overflows = atomic_load_explicit(&v->overflows, memory_order_relaxed), wait = sound_waiting(v);
    const int keep = overflows != v->overflows_seen ? 0 : wait > v->pace.most ? v->pace.allowed : wait;
    v->overflows_seen = overflows;
    for (int i = wait; i > keep; i--) sound_take_step(v, -1);
}

// ---- the sounding thread: blocks ----

static void sound_move_ear(LiveSound* v)
{
    v->gone += VOICE_BLOCK / v->def.rate_hz;
    const double share = 1 - exp(-VOICE_BLOCK / (v->def.rate_hz * EAR_TIME));
    const LiveEar told = sound_told(v);
    v->follows[0] = sound_between(&v->follows[0], &told, share);
    v->follows[1] = sound_between(&v->follows[1], &v->follows[0], share);
    tw_ear_move(v->ear, v->follows[1].position, v->follows[1].turn);
}

static void sound_ring_all(LiveSound* v)
{
    bool late = false;
    for (int n = 0; n < VOICE_BLOCK;)
    {
        const bool more = sound_waiting(v) > 0;
        const int samples = pace_run(&v->pace, VOICE_BLOCK - n, more, v->weight);
        late |= !more && pace_slowed(&v->pace);
        for (int i = 0; i < v->body_count; i++)
            if (v->emitters[i]) emitter_ring(v->emitters[i], n, n + samples, (const float(*)[3])v->weight);
        n += samples;
        if (n < VOICE_BLOCK) sound_take_step(v, pace_take(&v->pace));
        pace_watch(&v->pace, samples, sound_waiting(v));
    }
    sound_count(&v->late, late);
}

// what is not wanted any more, as it was when the block began, fades out and is forgotten
static void sound_hear(LiveSound* v, int body, float* const* signal)
{
    twVec3 from, to;
    Emitter* emitter = v->emitters[body];
    const bool fade = atomic_load(&v->wanted[body]) != emitter;
    const bool heard = emitter_end(emitter, fade, signal, &from, &to);
    for (int p = 0; heard && p < v->def.rows; p++)
        tw_ear_hear(v->ear, body, p, signal[p], VOICE_BLOCK, from, to, emitter_lead(emitter));
    if (fade) v->emitters[body] = NULL;
}

static void sound_hear_all(LiveSound* v)
{
    float* signal[EMITTER_ROWS];
    for (int p = 0; p < v->def.rows; p++) signal[p] = v->signal[p];
    for (int i = 0; i < v->body_count; i++)
        if (v->emitters[i]) sound_hear(v, i, signal);
    tw_ear_mix(v->ear, v->block, VOICE_BLOCK);
    for (int n = 0; n < VOICE_BLOCK * v->channels; n++)
    {
        const double value = isfinite(v->block[n]) ? (double)v->block[n] : 0;
        v->block[n] = (float)highpass_step(&v->filters[n % v->channels], value);
    }
}

static void sound_make_block(LiveSound* v)
{
    v->given = 0;
    if (atomic_load(&v->past) == INT64_MAX) atomic_store(&v->past, 0);
    const int64_t removed = atomic_load(&v->removed);
    sound_skip_steps(v);
    v->started = v->started || sound_waiting(v) > 0;
    if (v->started)
    {
        sound_move_ear(v);
        for (int i = 0; i < v->body_count; i++)
            if (v->emitters[i]) sound_face(v, v->emitters[i]);
        sound_ring_all(v);
        sound_hear_all(v);
    }
    atomic_store(&v->past, removed);
}

void live_sound_make(LiveSound* v, float* out, int frames)
{
    const int channels = v->channels;
    while (frames > 0)
    {
        if (v->given == VOICE_BLOCK) sound_make_block(v);
        const int count = frames < VOICE_BLOCK - v->given ? frames : VOICE_BLOCK - v->given;
        memcpy(out, v->block + v->given * channels, (size_t)(count * channels) * sizeof *out);
        out += count * channels;
        v->given += count;
        frames -= count;
    }
}
