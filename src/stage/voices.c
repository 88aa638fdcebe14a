// SPDX-License-Identifier: MIT
// Every step becomes a few notes in a queue: the step itself, where its bodies are, what pushed them. The notes of a step come
// at once, and say all about it, so that a step that is lost leaves nothing behind. The sounding thread makes blocks, takes
// steps as its pace wants them, and gives away as many samples as it is asked for.

#include "stage/voices.h"
#include "live/pace.h"
#include "live/queue.h"
#include "sound/highpass.h"
#include "stage/singer.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LOW_HZ 10.0       // below: slow motion, no sound
#define SPARE_PUSHES 64   // of a step
#define QUEUE_TIME 0.5    // of steps that wait, with as many pushes as usual [s]
#define MOST_NOTES 65536  // in the queue

typedef enum NoteKind
{
    NOTE_STEP,
    NOTE_PLACE,
    NOTE_PUSH
} NoteKind;

typedef struct Note
{
    NoteKind kind;
    union
    {
        int count;  // of the step's notes
        struct
        {
            int body;
            twVec3 position;
            twQuat turn;
        } place;
        StagePush push;
    };
} Note;

struct StageVoices
{
    int body_count, source_count, channels, points;
    Singer** singers;  // (bodies); NULL: not heard
    LiveQueue* notes;
    _Atomic int64_t put;  // steps, in the queue
    _Atomic int64_t lost_hits, late;
    _Atomic int overflows;

    // of the simulating thread
    Note* step;
    int step_room;

    // of the sounding thread
    int64_t taken;
    int overflows_seen;
    bool started;
    Pace pace;
    twEar* ear;
    Highpass* filters;  // (channels)
    float* block;       // (VOICE_BLOCK x channels)
    int given;          // samples of the block
    float weight[VOICE_BLOCK][3];
    float signal[SINGER_ROWS][VOICE_BLOCK];
};

// ---- making ----

static twStatus make_singers(StageVoices* v, const twStageDef* def, const StageBody* bodies,
                             const twModeSet* const* sets, twError* err)
{
    v->singers = calloc((size_t)def->body_count + 1, sizeof *v->singers);
    if (!v->singers) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of %d bodies", def->body_count);
    for (int i = 0; i < def->body_count; i++)
    {
        if (!sets[i]) continue;
        const twStageBodyDef* body = &def->bodies[i];
        const SingerDef singer = {.name = body->name ? body->name : "a body",
                                  .set = sets[i],
                                  .contact = bodies[i].contact,
                                  .rate_hz = def->sound_rate_hz,
                                  .step = def->step,
                                  .sound_speed = def->ear.sound_speed,
                                  .rows = v->points,
                                  .amplitude = body->amplitude,
                                  .rate = body->rate};
        const twStatus status = singer_create(&v->singers[i], &singer, err);
        if (status != TW_OK) return status;
        v->source_count += v->singers[i] != NULL;
    }
    return TW_OK;
}

static twStatus make_ear(StageVoices* v, const twStageDef* def, twError* err)
{
    twEarDef ear = def->ear;
    ear.rate_hz = def->sound_rate_hz;
    ear.source_count = v->source_count > 0 ? v->source_count : 1;
    ear.max_block = VOICE_BLOCK;
    return tw_ear_create(&v->ear, &ear, err);
}

static bool make_queue(StageVoices* v, const twStageDef* def)
{
    const int usual = 1 + v->source_count + def->max_contacts + def->max_grabs;
    v->step_room = usual + v->source_count + def->max_contacts + def->max_grabs + SPARE_PUSHES;
    const double notes = fmin(usual * ceil(QUEUE_TIME / def->step), MOST_NOTES);
    v->step = calloc((size_t)v->step_room, sizeof *v->step);
    v->notes = live_queue_create((int)fmax(notes, 4 * v->step_room), sizeof(Note));
    return v->step && v->notes;
}

static bool make_output(StageVoices* v, const twStageDef* def)
{
    v->filters = calloc((size_t)v->channels, sizeof *v->filters);
    v->block = calloc((size_t)v->channels * VOICE_BLOCK, sizeof *v->block);
    for (int c = 0; v->filters && c < v->channels; c++) v->filters[c] = highpass(LOW_HZ, def->sound_rate_hz);
    v->given = VOICE_BLOCK;
    v->pace = pace_make(def->sound_rate_hz, def->step, VOICE_BLOCK);
    return v->filters && v->block;
}

static twStatus make_all(StageVoices* v, const twStageDef* def, const StageBody* bodies, const twModeSet* const* sets,
                         twError* err)
{
    v->body_count = def->body_count;
    v->channels = tw_ear_channels(def->ear.kind);
    v->points = (def->ear.kind == TW_EAR_STEREO ? 2 : 1) * (def->ear.ground ? 2 : 1);
    twStatus status = make_singers(v, def, bodies, sets, err);
    if (status == TW_OK) status = make_ear(v, def, err);
    if (status == TW_OK && (!make_queue(v, def) || !make_output(v, def)))
        status = tw_fail(err, TW_NO_MEMORY, "no memory for the sound of a stage");
    return status;
}

twStatus stage_voices_create(StageVoices** out, const twStageDef* def, const StageBody* bodies,
                             const twModeSet* const* sets, twError* err)
{
    *out = NULL;
    if (def->sound_rate_hz == 0) return TW_OK;
    if (!(def->sound_rate_hz * def->step >= 1) || !isfinite(def->sound_rate_hz))
        return tw_fail(err, TW_BAD_INPUT, "a sound rate of %g Hz is below that of steps, %g Hz", def->sound_rate_hz,
                       1 / def->step);
    if (def->ear.kind < 0 || def->ear.kind >= TW_EAR_KIND_COUNT)
        return tw_fail(err, TW_BAD_INPUT, "an ear of kind %d is not known", (int)def->ear.kind);
    StageVoices* v = calloc(1, sizeof *v);
    if (!v) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of a stage");
    const twStatus status = make_all(v, def, bodies, sets, err);
    if (status == TW_OK)
        *out = v;
    else
        stage_voices_destroy(v);
    return status;
}

void stage_voices_destroy(StageVoices* v)
{
    if (!v) return;
    for (int i = 0; v->singers && i < v->body_count; i++) singer_destroy(v->singers[i]);
    free(v->singers);
    live_queue_destroy(v->notes);
    free(v->step);
    tw_ear_destroy(v->ear);
    free(v->filters);
    free(v->block);
    free(v);
}

int stage_voices_channels(const StageVoices* v) { return v->channels; }
int stage_voices_heard(const StageVoices* v, int body) { return v->singers[body] ? singer_modes(v->singers[body]) : 0; }

StageVoicesStats stage_voices_stats(const StageVoices* v)
{
    return (StageVoicesStats){.lost_hits = atomic_load_explicit(&v->lost_hits, memory_order_relaxed),
                              .late = atomic_load_explicit(&v->late, memory_order_relaxed)};
}

static void count(_Atomic int64_t* counter, int64_t more)
{
    if (more > 0) atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

// ---- the simulating thread ----

static bool is_finite(twVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static bool is_heard(const StageVoices* v, const StagePush* push)
{
    if (push->body < 0 || push->body >= v->body_count || !v->singers[push->body]) return false;
    const bool zero = push->impulse.x == 0 && push->impulse.y == 0 && push->impulse.z == 0;
    for (int k = 0; k < 3; k++)
        if (push->vertex[k] >= 0 && !isfinite(push->weight[k])) return false;
    return !zero && is_finite(push->impulse);
}

static int write_places(StageVoices* v, const BodyPlace* places, int at)
{
    for (int i = 0; i < v->body_count; i++)
    {
        const BodyPlace* place = &places[i];
        const twQuat t = place->turn;
        if (!v->singers[i] || !is_finite(place->position) || !isfinite(t.w + t.x + t.y + t.z)) continue;
        v->step[at++] = (Note){.kind = NOTE_PLACE, .place = {i, place->position, t}};
    }
    return at;
}

void stage_voices_step(StageVoices* v, double time, const StagePush* pushes, int push_count, const BodyPlace* places)
{
    (void)time;  // steps follow each other: their order is enough
    int at = write_places(v, places, 1), hits = 0;
    int64_t lost = 0;
    for (int i = 0; i < push_count; i++)
    {
        if (!is_heard(v, &pushes[i])) continue;
        if (at == v->step_room)
        {
            lost += pushes[i].hit;
            continue;
        }
        v->step[at++] = (Note){.kind = NOTE_PUSH, .push = pushes[i]};
        hits += pushes[i].hit;
    }
    v->step[0] = (Note){.kind = NOTE_STEP, .count = at - 1};
    if (live_queue_put(v->notes, v->step, at))
        atomic_fetch_add_explicit(&v->put, 1, memory_order_release);
    else
    {
        lost += hits;
        atomic_fetch_add_explicit(&v->overflows, 1, memory_order_relaxed);
    }
    count(&v->lost_hits, lost);
}

// ---- the sounding thread: steps ----

static int waiting(const StageVoices* v)
{
    return (int)(atomic_load_explicit(&v->put, memory_order_acquire) - v->taken);
}

// the oldest step that waits. since: it was due [samples]; below 0: its pushes are too old to be heard
static void take_step(StageVoices* v, double since)
{
    Note note;
    int64_t lost = 0;
    if (!live_queue_take(v->notes, &note)) return;
    v->taken++;
    for (int i = 0; since >= 0 && i < v->body_count; i++)
        if (v->singers[i]) singer_step(v->singers[i]);
    for (int left = note.count; left > 0 && live_queue_take(v->notes, &note); left--)
    {
        if (note.kind == NOTE_PLACE)
            singer_place(v->singers[note.place.body], note.place.position, note.place.turn);
        else if (since >= 0)
            lost += !singer_push(v->singers[note.push.body], &note.push, since);
        else
            lost += note.push.hit;
    }
    for (int i = 0; since >= 0 && i < v->body_count; i++)
        if (v->singers[i]) singer_settle(v->singers[i]);
    count(&v->lost_hits, lost);
}

// what is too late to be heard is left out
static void skip_steps(StageVoices* v)
{
    const int overflows = atomic_load_explicit(&v->overflows, memory_order_relaxed), wait = waiting(v);
    const int keep = overflows != v->overflows_seen ? 0 : wait > v->pace.most ? v->pace.allowed : wait;
    v->overflows_seen = overflows;
    for (int i = wait; i > keep; i--) take_step(v, -1);
}

// ---- the sounding thread: blocks ----

static void face_all(StageVoices* v)
{
    twVec3 points[SINGER_ROWS];
    const double u = fmin(fmax(v->pace.u, 0), 1);
    for (int p = 0; p < v->points; p++) points[p] = tw_ear_point(v->ear, p);
    for (int i = 0; i < v->body_count; i++)
        if (v->singers[i]) singer_face(v->singers[i], points, u);
}

static void ring_all(StageVoices* v)
{
    bool late = false;
    for (int n = 0; n < VOICE_BLOCK;)
    {
        const bool more = waiting(v) > 0;
        const int samples = pace_run(&v->pace, VOICE_BLOCK - n, more, v->weight);
        late |= !more && pace_slowed(&v->pace);
        for (int i = 0; i < v->body_count; i++)
            if (v->singers[i]) singer_ring(v->singers[i], n, n + samples, (const float(*)[3])v->weight);
        n += samples;
        if (n < VOICE_BLOCK) take_step(v, pace_take(&v->pace));
        pace_watch(&v->pace, samples, waiting(v));
    }
    count(&v->late, late);
}

static void hear_all(StageVoices* v)
{
    float* signal[SINGER_ROWS];
    twVec3 from, to;
    for (int p = 0; p < v->points; p++) signal[p] = v->signal[p];
    for (int i = 0, source = 0; i < v->body_count; i++)
    {
        if (!v->singers[i]) continue;
        const bool heard = singer_end(v->singers[i], signal, &from, &to);
        for (int p = 0; heard && p < v->points; p++)
            tw_ear_hear(v->ear, source, p, signal[p], VOICE_BLOCK, from, to, singer_lead(v->singers[i]));
        source++;
    }
    tw_ear_mix(v->ear, v->block, VOICE_BLOCK);
    for (int n = 0; n < VOICE_BLOCK * v->channels; n++)
    {
        const double value = isfinite(v->block[n]) ? (double)v->block[n] : 0;
        v->block[n] = (float)highpass_step(&v->filters[n % v->channels], value);
    }
}

static void make_block(StageVoices* v)
{
    v->given = 0;
    skip_steps(v);
    v->started = v->started || waiting(v) > 0;
    if (!v->started) return;
    face_all(v);
    ring_all(v);
    hear_all(v);
}

void stage_voices_sound(StageVoices* v, float* out, int frames)
{
    const int channels = v->channels;
    while (frames > 0)
    {
        if (v->given == VOICE_BLOCK) make_block(v);
        const int count_now = frames < VOICE_BLOCK - v->given ? frames : VOICE_BLOCK - v->given;
        memcpy(out, v->block + v->given * channels, (size_t)(count_now * channels) * sizeof *out);
        out += count_now * channels;
        v->given += count_now;
        frames -= count_now;
    }
}
