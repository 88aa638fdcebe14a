// SPDX-License-Identifier: MIT
// The pass: reads the trace as far as a batch needs it, plans the batch body by body, lets voices ring on as many threads as
// wanted, hands the bodies' signals to the ears, and mixes. What threads do together is added up in a fixed order.

#include "twang/sound.h"
#include "base/crew.h"
#include "board.h"
#include "hearing.h"
#include "source.h"
#include "spread.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIGHEST 0.49        // of the rate
#define LOOK_AHEAD 2.0      // frames behind a batch that its places need
#define FADE 0.02           // at the end [s]
#define HUSH 0.05           // [s] of quiet end a ring: a period of 20 Hz
#define QUIET 1e-3          // of the peak, -60 dB
#define SILENCE 1e-9        // [Pa] 86 dB below what can be heard: round-off
#define STEP_SECONDS 0.005  // of the end, where what is above
#define STEP 1e-4           // of the peak, -80 dB, would click
#define MAX_LOST 512
#define MAX_TAIL 600.0  // [s]

// one voice of one source
typedef struct Job
{
    int source, voice;
} Job;

typedef struct Sounding
{
    Source* source;
    int body;
    double gain;
    twTransfer* estimate;  // ours
    twVec3 before, now;
    float* signal;    // (SOURCE_BATCH)
    twStatus status;  // of its plan
    Spread* spread;   // redistributes its forces; NULL before the first one and if they are not
} Sounding;

struct twSound
{
    twSoundDef def;
    twTraceStream* stream;
    RigidContacts* rigid;
    Board* board;  // NULL: nothing is a board
    Crew* crew;
    int source_count, job_count, row_count;
    int most_voices;  // of a source
    Sounding* sources;
    int* source_of;  // by body; -1: none
    Job* jobs;
    Hearing* ears;
    const float** given;
    double forces_until, frames_until;  // read so far
    bool started, ended;
    double end;      // of the trace, once known
    double said;     // its duration in its own words; 0: not said
    int64_t batch;   // next
    int64_t frames;  // given
    int64_t stop;    // where it ends; 0: not known yet
    int64_t quiet;   // frames up to here that are QUIET in every ear
    double* peaks;   // (ears) of what was given
    twSoundReport report;
    char lost[MAX_LOST];
};

twSoundBody tw_sound_body(void) { return (twSoundBody){.contact_damping = -1, .gain = 1}; }

twSoundDef tw_sound_def(void)
{
    return (twSoundDef){.rate_hz = 48000,
                        .precision = TW_FLOAT,
                        .threads = 1,
                        .sound_speed = 343.2,
                        .air_density = 1.204,
                        .max_freq_hz = 20000,
                        .highpass_hz = 10,
                        .clicks = true,
                        .board = true,
                        .contact_damping = true,
                        .damping_slide = 0.5};
}

static twStatus check(const twSoundDef* d, twError* err)
{
    if (!d->path) return tw_fail(err, TW_BAD_INPUT, "no trace");
    if (!(d->rate_hz >= 1000 && d->rate_hz <= 768000))
        return tw_fail(err, TW_BAD_INPUT, "rate %g Hz must be in [1000, 768000]", d->rate_hz);
    if (!(d->sound_speed >= 1 && d->sound_speed <= 1e5))
        return tw_fail(err, TW_BAD_INPUT, "speed of sound %g m/s must be in [1, 1e5]", d->sound_speed);
    if (!(d->air_density > 0 && d->air_density <= 1e5))
        return tw_fail(err, TW_BAD_INPUT, "density of air %g kg/m^3 must be positive", d->air_density);
    if (!(d->max_freq_hz > 0)) return tw_fail(err, TW_BAD_INPUT, "highest frequency must be positive");
    if (!(d->highpass_hz >= 0 && d->highpass_hz < 0.4 * d->rate_hz))
        return tw_fail(err, TW_BAD_INPUT, "high-pass %g Hz must be in [0, %g)", d->highpass_hz, 0.4 * d->rate_hz);
    if (!(d->tail >= 0 && d->tail <= MAX_TAIL))
        return tw_fail(err, TW_BAD_INPUT, "tail %g s must be in [0, %g]", d->tail, MAX_TAIL);
    if (!(d->ring >= 0 && d->ring <= MAX_TAIL))
        return tw_fail(err, TW_BAD_INPUT, "ring %g s must be in [0, %g]", d->ring, MAX_TAIL);
    if (!(d->damping_slide >= 0 && d->damping_slide <= 1))
        return tw_fail(err, TW_BAD_INPUT, "damping along the surface %g must be in [0, 1]", d->damping_slide);
    if (d->threads < 1 || d->threads > 1024)
        return tw_fail(err, TW_BAD_INPUT, "%d threads; 1 to 1024 are possible", d->threads);
    if (d->ear_count < 1) return tw_fail(err, TW_BAD_INPUT, "nobody listens");
    return TW_OK;
}

// ---- ears ----

// the one that is latest makes the others wait
static twStatus make_ears(twSound* s, twError* err)
{
    int latest = 0;
    const int boards = s->board ? board_load_count(s->board) : 0;  // a source for each that presses
    for (int e = 0; e < s->def.ear_count; e++)
    {
        const twStatus status = hearing_create(&s->ears[e], &s->def, s->source_count + boards, err);
        if (status != TW_OK) return status;
        latest = s->ears[e].skip > latest ? s->ears[e].skip : latest;
    }
    for (int e = 0; e < s->def.ear_count; e++)
        if (!hearing_reserve(&s->ears[e], latest)) return tw_fail(err, TW_NO_MEMORY, "no memory for an ear");
    return TW_OK;
}

// rows are counted before there are sources, ears made after
static twStatus count_rows(twSound* s, twError* err)
{
    s->ears = calloc((size_t)s->def.ear_count, sizeof *s->ears);
    s->given = calloc((size_t)s->def.ear_count, sizeof *s->given);
    s->peaks = calloc((size_t)s->def.ear_count, sizeof *s->peaks);
    if (!s->ears || !s->given || !s->peaks)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d ears", s->def.ear_count);
    for (int e = 0; e < s->def.ear_count; e++)
    {
        s->ears[e].def = s->def.ears[e];
        s->ears[e].first_row = s->row_count;
        s->ears[e].points = hearing_points(&s->def.ears[e].def);
        s->row_count += s->ears[e].points;
    }
    return TW_OK;
}

// ---- bodies ----

// how far behind a batch frames are read: as its places need them, and so that the end is known before it fades [s]
static double look_ahead(const twSound* s)
{
    return fmax(LOOK_AHEAD / tw_trace_stream_head(s->stream)->frame_rate_hz, FADE);
}

double tw_sound_contact_damping(const twTraceBody* body)
{
    if (body->contact_damping > 0) return (double)body->contact_damping;
    const twMaterial* material = tw_material_find(body->material);
    return material ? material->contact_damping : TW_CONTACT_DAMPING;
}

static twStatus check_wish(const twSoundBody* wish, const twTraceBody* body, twError* err)
{
    if (!isfinite(wish->gain)) return tw_fail(err, TW_BAD_INPUT, "%s: gain %g", body->name, wish->gain);
    if (!isfinite(wish->contact_damping))
        return tw_fail(err, TW_BAD_INPUT, "%s: contact damping %g", body->name, wish->contact_damping);
    for (int k = 0; wish->decay && k < body->set->mode_count; k++)
        if (!(wish->decay[k] >= 0 && isfinite(wish->decay[k])))
            return tw_fail(err, TW_BAD_INPUT, "%s: decay %g of mode %d must be 0 or more", body->name, wish->decay[k],
                           k);
    return TW_OK;
}

static twStatus transfer_of(twSound* s, Sounding* one, const twTraceBody* body, const twTransfer** out, twError* err)
{
    const twTransfer* given = s->def.bodies ? s->def.bodies[one->body].transfer : NULL;
    *out = given ? given : body->set->transfer;
    if (body->set->mode_count == 0 || (*out && (*out)->mode_count == body->set->mode_count))
    {
        s->report.baked += body->set->mode_count > 0;
        return TW_OK;
    }
    if (*out)
        return tw_fail(err, TW_BAD_INPUT, "%s: acoustic transfer of %d modes for %d", body->name, (*out)->mode_count,
                       body->set->mode_count);
    s->report.estimated++;
    twError inner = {0};
    const twStatus status =
        tw_transfer_estimate(&one->estimate, body->set, s->def.sound_speed, s->def.air_density, &inner);
    *out = one->estimate;
    return status == TW_OK ? TW_OK : tw_fail(err, status, "%s: %s", body->name, inner.text);
}

static twStatus make_source(twSound* s, const twTraceBody* body, int index, twError* err)
{
    Sounding* one = &s->sources[s->source_count];
    const twSoundBody wish = s->def.bodies ? s->def.bodies[index] : tw_sound_body();
    SourceDef def = {.rate_hz = s->def.rate_hz,
                     .frame_rate_hz = tw_trace_stream_head(s->stream)->frame_rate_hz,
                     .look_ahead = look_ahead(s),
                     .sound_speed = s->def.sound_speed,
                     .air_density = s->def.air_density,
                     .precision = s->def.precision,
                     .body = index,
                     .trace_body = body,
                     .decay = wish.decay,
                     .max_freq_hz = fmin(s->def.max_freq_hz, HIGHEST * s->def.rate_hz),
                     .click = s->def.clicks && !wish.held && !body->held,
                     .damping_slide = s->def.damping_slide,
                     .full_damping = s->def.full_damping,
                     .rows = s->row_count};
    one->body = index;
    one->gain = wish.gain;
    s->source_count++;
    if (s->def.contact_damping)
        def.contact_damping = wish.contact_damping < 0 ? tw_sound_contact_damping(body) : wish.contact_damping;
    one->signal = calloc(SOURCE_BATCH, sizeof *one->signal);
    if (!one->signal) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of %s", body->name);
    twStatus status = check_wish(&wish, body, err);
    if (status == TW_OK) status = transfer_of(s, one, body, &def.transfer, err);
    if (status == TW_OK) status = source_create(&one->source, &def, err);
    if (status != TW_OK) return status;
    s->report.modes += source_mode_count(one->source);
    const int voices = source_voice_count(one->source);
    s->job_count += voices;
    s->most_voices = voices > s->most_voices ? voices : s->most_voices;
    return TW_OK;
}

static twStatus make_sources(twSound* s, twError* err)
{
    const twTrace* head = tw_trace_stream_head(s->stream);
    s->sources = calloc((size_t)head->body_count + 1, sizeof *s->sources);
    s->source_of = calloc((size_t)head->body_count + 1, sizeof *s->source_of);
    if (!s->sources || !s->source_of) return tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies", head->body_count);
    for (int i = 0; i < head->body_count; i++)
    {
        const twTraceBody* body = &head->bodies[i];
        const bool held = body->held || (s->def.bodies && s->def.bodies[i].held);
        s->source_of[i] = -1;
        if (body->set->mode_count == 0 && (held || !s->def.clicks || !(body->set->mass.mass > 0))) continue;
        s->source_of[i] = s->source_count;
        const twStatus status = make_source(s, body, i, err);
        if (status != TW_OK) return status;
    }
    s->report.bodies = s->source_count;
    s->jobs = calloc((size_t)s->job_count + 1, sizeof *s->jobs);
    if (!s->jobs) return tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies", head->body_count);
    for (int i = 0, k = 0; i < s->source_count; i++)
        for (int v = 0; v < source_voice_count(s->sources[i].source); v++) s->jobs[k++] = (Job){i, v};
    return TW_OK;
}

static twStatus read_start(twSound* s, twError* err);

twStatus tw_sound_open(twSound** out, const twSoundDef* def, twError* err)
{
    *out = NULL;
    twStatus status = check(def, err);
    if (status != TW_OK) return status;
    twSound* s = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for sound");
    s->def = *def;
    s->frames_until = s->forces_until = -1;
    status = tw_trace_stream_open(&s->stream, def->path, err);
    if (status == TW_OK) status = rigid_create(&s->rigid, tw_trace_stream_head(s->stream)->body_count, err);
    if (status == TW_OK) status = count_rows(s, err);
    if (status == TW_OK) status = make_sources(s, err);
    if (status == TW_OK) status = read_start(s, err);
    if (status == TW_OK) status = make_ears(s, err);
    if (status == TW_OK && !(s->crew = crew_create(def->threads)))
        status = tw_fail(err, TW_NO_MEMORY, "no memory for threads");
    if (status == TW_OK)
        *out = s;
    else
        tw_sound_close(s);
    return status;
}

void tw_sound_close(twSound* s)
{
    if (!s) return;
    crew_destroy(s->crew);
    for (int e = 0; s->ears && e < s->def.ear_count; e++) hearing_destroy(&s->ears[e]);
    for (int i = 0; i < s->source_count; i++)
    {
        source_destroy(s->sources[i].source);
        tw_transfer_destroy(s->sources[i].estimate);
        free(s->sources[i].signal);
        spread_destroy(s->sources[i].spread);
    }
    rigid_destroy(s->rigid);
    board_destroy(s->board);
    tw_trace_stream_close(s->stream);
    free(s->ears);
    free(s->given);
    free(s->peaks);
    free(s->sources);
    free(s->source_of);
    free(s->jobs);
    free(s);
}

const twTrace* tw_sound_trace(const twSound* s) { return tw_trace_stream_head(s->stream); }

// ---- reading ----

static void take_frame(twSound* s, const twTraceItem* item)
{
    const twTrace* head = tw_trace_stream_head(s->stream);
    const double time = (double)item->first / head->frame_rate_hz;
    for (int i = 0; i < s->source_count; i++)
        source_set_pose(s->sources[i].source, tw_trace_item_pose(head, item, s->sources[i].body), time);
}

static bool redistributes(const twSound* s)
{
    if (s->def.redistribution != TW_REDISTRIBUTE_AUTO) return s->def.redistribution == TW_REDISTRIBUTE_ON;
    return rigid_wanted(s->rigid);
}

static twStatus give_force(void* context, const twTraceTouch* touch, double time, const float force[3], twError* err)
{
    return source_force(context, touch, time, force, err);
}

static twStatus take_force(twSound* s, Sounding* one, const twTraceForceAt* f, twError* err)
{
    if (!redistributes(s)) return source_force(one->source, f->touch, f->time, f->force, err);
    s->report.redistributed = true;
    twStatus status = one->spread ? TW_OK : spread_create(&one->spread, one->body, s->rigid, err);
    if (status != TW_OK) return status;
    if (f->touch->id >= TW_TRACE_PUSH)  // from outside: as it is, behind what was before it
    {
        status = spread_flush(one->spread, f->time, give_force, one->source, err);
        return status == TW_OK ? source_force(one->source, f->touch, f->time, f->force, err) : status;
    }
    return spread_take(one->spread, f->touch, f->time, f->force, give_force, one->source, err);
}

static twStatus take_forces(twSound* s, const twTraceItem* item, twError* err)
{
    twStatus status = TW_OK;
    for (int64_t i = 0; i < item->count && status == TW_OK; i++)
    {
        const twTraceForceAt* f = &item->forces[i];
        if (s->board) status = board_force(s->board, f->touch, f->time, f->force, err);
        for (int side = 0; side < 2 && status == TW_OK; side++)
        {
            const int body = f->touch->body[side];
            const int source = body >= 0 ? s->source_of[body] : -1;
            if (source >= 0) status = take_force(s, &s->sources[source], f, err);
        }
    }
    return status;
}

// forces that wait for others of their time
static twStatus flush_forces(twSound* s, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; i < s->source_count && status == TW_OK; i++)
    {
        Sounding* one = &s->sources[i];
        if (one->spread) status = spread_flush(one->spread, s->forces_until, give_force, one->source, err);
    }
    return status;
}

// TW_TRACE_BOARD. Once there are ears it is too late: they have no sources for it.
static twStatus take_board(twSound* s, const twTraceNumber* number, twError* err)
{
    int body, end = 0;
    const int count = tw_trace_stream_head(s->stream)->body_count;
    if (!s->def.board || s->ears[0].ear || !(number->value > 0 && isfinite(number->value))) return TW_OK;
    if (sscanf(number->name, TW_TRACE_BOARD "%n", &body, &end) != 1 || end == 0 || number->name[end] != 0) return TW_OK;
    if (body < TW_NOWHERE || body >= count) return TW_OK;
    const twStatus status = s->board ? TW_OK : board_create(&s->board, count, s->def.rate_hz, err);
    if (status != TW_OK) return status;
    board_set(s->board, body, number->value);
    if (body == TW_NOWHERE) s->report.board = number->value;
    s->report.boards++;
    return TW_OK;
}

// TW_TRACE_BOARD_NORMAL
static void take_face(twSound* s, const twTraceNumber* number)
{
    int axis, body, end = 0;
    if (!s->board || sscanf(number->name, TW_TRACE_BOARD_NORMAL "%n", &axis, &body, &end) != 2 || end == 0) return;
    const bool there = body >= 0 && body < tw_trace_stream_head(s->stream)->body_count && axis >= 0 && axis < 3 &&
                       isfinite(number->value);
    if (there && number->name[end] == 0) board_face(s->board, body, axis, number->value);
}

static twStatus take_numbers(twSound* s, const twTraceItem* item, twError* err)
{
    twStatus status = TW_OK;
    for (int64_t i = 0; i < item->count && status == TW_OK; i++) status = take_board(s, &item->numbers[i], err);
    if (status != TW_OK) return status;
    for (int64_t i = 0; i < item->count; i++)
        if (strcmp(item->numbers[i].name, TW_TRACE_DURATION) == 0) s->said = item->numbers[i].value;
    for (int64_t i = 0; i < item->count; i++) take_face(s, &item->numbers[i]);
    return rigid_take(s->rigid, item->numbers, item->count, err);
}

// a whole trace ends where it says, if that is less than a frame after its last one
static void take_end(twSound* s, const twTraceItem* item)
{
    const double frame = 1 / tw_trace_stream_head(s->stream)->frame_rate_hz;
    s->ended = true;
    s->end = fmax(item->until, 0);
    if (item->complete && s->said > s->end && s->said <= s->end + frame) s->end = s->said;
    s->report.complete = item->complete;
    snprintf(s->lost, sizeof s->lost, "%s", item->lost ? item->lost : "");
    s->forces_until = s->frames_until = HUGE_VAL;
}

static twStatus read_item(twSound* s, twTraceKind* kind, twError* err)
{
    twTraceItem item;
    twStatus status = tw_trace_stream_next(s->stream, &item, err);
    if (status != TW_OK) return status;
    *kind = item.kind;
    s->forces_until = item.forces_until;
    s->frames_until = item.frames_until;
    if (item.kind == TW_TRACE_FRAME)
        take_frame(s, &item);
    else if (item.kind == TW_TRACE_FORCES)
        status = take_forces(s, &item, err);
    else if (item.kind == TW_TRACE_NUMBERS)
        status = take_numbers(s, &item, err);
    else if (item.kind == TW_TRACE_END)
        take_end(s, &item);
    return status;
}

// the numbers before all else, and one item behind them
static twStatus read_start(twSound* s, twError* err)
{
    twTraceKind kind = TW_TRACE_NUMBERS;
    twStatus status = TW_OK;
    while (status == TW_OK && kind == TW_TRACE_NUMBERS) status = read_item(s, &kind, err);
    return status;
}

// everything that is needed for sound until a time
static twStatus read_until(twSound* s, double time, twError* err)
{
    const double ahead = look_ahead(s);
    twTraceKind kind;
    twStatus status = TW_OK;
    while (status == TW_OK && !s->ended && (s->forces_until <= time || s->frames_until < time + ahead))
        status = read_item(s, &kind, err);
    return status == TW_OK ? flush_forces(s, err) : status;
}

// ---- a batch ----

static double batch_time(const twSound* s, int64_t batch) { return (double)batch * SOURCE_BATCH / s->def.rate_hz; }

static void plan(void* context, int index, int worker)
{
    twSound* s = context;
    Sounding* one = &s->sources[index];
    const double start = batch_time(s, s->batch), end = batch_time(s, s->batch + 1);
    (void)worker;
    one->before = source_centre(one->source, start);
    one->now = source_centre(one->source, end);
    one->status = source_plan(one->source, start, NULL);
    if (one->status != TW_OK) return;
    for (int e = 0; e < s->def.ear_count; e++)
        for (int p = 0; p < s->ears[e].points; p++)
            source_hear_at(one->source, s->ears[e].first_row + p, s->ears[e].now[p]);
}

static void sing(void* context, int index, int worker)
{
    twSound* s = context;
    (void)worker;
    source_sing(s->sources[s->jobs[index].source].source, s->jobs[index].voice);
}

static void hear(void* context, int index, int worker)
{
    twSound* s = context;
    Sounding* one = &s->sources[index];
    (void)worker;
    for (int e = 0; e < s->def.ear_count; e++)
        for (int p = 0; p < s->ears[e].points; p++)
        {
            if (!source_signal(one->source, s->ears[e].first_row + p, one->signal)) continue;
            for (int n = 0; n < SOURCE_BATCH; n++) one->signal[n] *= (float)one->gain;
            tw_ear_hear(s->ears[e].ear, index, p, one->signal, SOURCE_BATCH, one->before, one->now,
                        source_radius(one->source));
        }
}

// all of a source at once: threads need not wait for each other in between
static void play(void* context, int index, int worker)
{
    twSound* s = context;
    plan(context, index, worker);
    if (s->sources[index].status != TW_OK) return;
    for (int v = 0; v < source_voice_count(s->sources[index].source); v++) source_sing(s->sources[index].source, v);
    hear(context, index, worker);
}

// what a body does to boards; images are in its formula, so only points that are none hear it
static void press(void* context, int index, int worker)
{
    twSound* s = context;
    float signal[SOURCE_BATCH];
    twVec3 place[2];
    (void)worker;
    if (!board_play(s->board, index, batch_time(s, s->batch), signal, place)) return;
    const double strength = s->def.air_density / (2 * TW_PI);
    const double gain = s->def.bodies && index < board_load_count(s->board) - 1 ? s->def.bodies[index].gain : 1;
    for (int n = 0; n < SOURCE_BATCH; n++) signal[n] *= (float)(strength * gain);
    const double early = 0.5 * s->def.sound_speed / s->def.rate_hz;  // the signal is half a sample late
    for (int e = 0; e < s->def.ear_count; e++)
        for (int p = 0; p < s->ears[e].points / (s->ears[e].def.def.ground ? 2 : 1); p++)
            tw_ear_hear(s->ears[e].ear, s->source_count + index, p, signal, SOURCE_BATCH, place[0], place[1], early);
}

static void mix(void* context, int index, int worker)
{
    twSound* s = context;
    (void)worker;
    hearing_mix(&s->ears[index]);
}

// one source after the other, unless one has so many voices that threads would wait for it
static void run_sources(twSound* s)
{
    if (s->most_voices * s->def.threads <= s->job_count || s->def.threads == 1)
    {
        crew_run(s->crew, play, s, s->source_count);
        return;
    }
    crew_run(s->crew, plan, s, s->source_count);
    for (int i = 0; i < s->source_count; i++)
        if (s->sources[i].status != TW_OK) return;
    crew_run(s->crew, sing, s, s->job_count);
    crew_run(s->crew, hear, s, s->source_count);
}

static twStatus run_batch(twSound* s, twError* err)
{
    twStatus status = read_until(s, batch_time(s, s->batch + 1), err);
    for (int i = 0; i < s->source_count && !s->started && status == TW_OK; i++)
        status = source_start(s->sources[i].source, err);
    if (s->board && !s->started) board_start(s->board);
    s->started = true;
    if (status != TW_OK) return status;
    for (int e = 0; e < s->def.ear_count; e++) hearing_move(&s->ears[e], batch_time(s, s->batch + 1));
    run_sources(s);
    for (int i = 0; i < s->source_count; i++)
        if (s->sources[i].status != TW_OK || source_failed(s->sources[i].source))
            return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of a body");
    if (s->board) crew_run(s->crew, press, s, board_load_count(s->board));
    crew_run(s->crew, mix, s, s->def.ear_count);
    s->batch++;
    return TW_OK;
}

// ---- what is given ----

// samples up to where it may end; only once the end of the trace is known
static int64_t sound_least_frames(const twSound* s)
{
    return (int64_t)llround((s->end + s->def.tail) * s->def.rate_hz);
}

static int64_t total_frames(const twSound* s)
{
    if (!s->ended) return INT64_MAX;
    return s->stop > 0 ? s->stop : sound_least_frames(s) + (int64_t)llround(s->def.ring * s->def.rate_hz);
}

static int64_t sound_fade_frames(const twSound* s) { return (int64_t)ceil(FADE * s->def.rate_hz); }

// from here on it may be seen to be quiet enough to end
static int64_t sound_first_stop(const twSound* s)
{
    const int64_t first = sound_least_frames(s) - sound_fade_frames(s);
    return s->ended && s->stop == 0 && s->def.ring > 0 && first > s->frames ? first : INT64_MAX;
}

// the last milliseconds fade out, so that what still sounds does not click
static void fade(twSound* s, int ear, float* out, int frames)
{
    const int64_t left = total_frames(s) - s->frames, length = sound_fade_frames(s);
    const int channels = s->ears[ear].channels;
    if (left - frames > length) return;
    for (int n = 0; n < frames; n++)
    {
        const double along = fmin((double)(left - n - 1) / (double)length, 1);
        const bool last = (double)(left - n) <= STEP_SECONDS * s->def.rate_hz;
        for (int c = 0; c < channels; c++)
        {
            float* x = &out[n * channels + c];
            s->report.faded |= last && fabs((double)*x) > fmax(STEP * s->peaks[ear], SILENCE);
            *x *= (float)(0.5 - 0.5 * cos(TW_PI * along));
        }
    }
}

// how loud the next frames of an ear are. @return whether they are quiet
static bool sound_watch(twSound* s, int ear, const float* x, int frames)
{
    double most = 0;
    for (int i = 0; i < frames * s->ears[ear].channels; i++) most = fmax(most, fabs((double)x[i]));
    s->peaks[ear] = fmax(s->peaks[ear], most);
    return most <= fmax(QUIET * s->peaks[ear], SILENCE);
}

// it ends as soon as it has been quiet for a while, but not before trace and tail
static void sound_look_for_end(twSound* s)
{
    const int64_t least = sound_least_frames(s), fading = s->frames + sound_fade_frames(s);
    if (!s->ended || s->stop > 0 || fading < least || (double)s->quiet < HUSH * s->def.rate_hz) return;
    s->stop = fading < total_frames(s) ? fading : total_frames(s);
}

static int least_queued(const twSound* s)
{
    int least = SOURCE_BATCH;
    for (int e = 0; e < s->def.ear_count; e++) least = s->ears[e].queued < least ? s->ears[e].queued : least;
    return least;
}

twStatus tw_sound_next(twSound* s, const float* const** sounds, int* frames, twError* err)
{
    *frames = 0;
    *sounds = s->given;
    while (s->frames < total_frames(s) && least_queued(s) == 0)
    {
        const twStatus status = run_batch(s, err);
        if (status != TW_OK) return status;
    }
    int64_t left = total_frames(s) - s->frames;
    if (sound_first_stop(s) - s->frames < left) left = sound_first_stop(s) - s->frames;
    const int count = left < least_queued(s) ? (int)(left > 0 ? left : 0) : least_queued(s);
    bool quiet = true;
    for (int e = 0; e < s->def.ear_count; e++)
    {
        float* given = hearing_take(&s->ears[e], count);
        quiet &= sound_watch(s, e, given, count);
        if (s->ended) fade(s, e, given, count);
        s->given[e] = given;
    }
    s->quiet = quiet ? s->quiet + count : 0;
    s->frames += count;
    sound_look_for_end(s);
    *frames = count;
    return TW_OK;
}

twSoundReport tw_sound_report(const twSound* s)
{
    twSoundReport report = s->report;
    report.frames = s->frames;
    report.share = tw_trace_stream_share(s->stream);
    report.rang = s->ended ? fmax((double)(s->frames - sound_least_frames(s)) / s->def.rate_hz, 0) : 0;
    report.duration = s->ended ? s->end : tw_trace_stream_duration(s->stream);
    report.lost = s->lost;
    for (int e = 0; e < s->def.ear_count; e++)
    {
        const twEarStats stats = tw_ear_stats(s->ears[e].ear);
        report.too_near += stats.too_near;
        report.too_far += stats.too_far;
        report.bad_values += stats.bad_values;
    }
    return report;
}
