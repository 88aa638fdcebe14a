// SPDX-License-Identifier: MIT
// A source rings: one voice through one block, from event to event.

#include "damp.h"
#include "source_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEADY 1e-9  // of a force: less is held

// a mode's shape at a vertex, for all modes of a voice side by side
static const float* shape_row(const Source* s, SourceVoice* v, int vertex)
{
    if (v->rows[vertex]) return v->rows[vertex];
    const int padded = voice_padded(v->voice);
    float* row = calloc(3 * (size_t)padded, sizeof *row);
    if (!row) return NULL;
    for (int j = 0; j < v->count; j++)
        for (int d = 0; d < 3; d++)
        {
            const size_t from = 3 * ((size_t)(v->first + j) * (size_t)s->set->vertex_count + (size_t)vertex);
            row[d * padded + j] = s->set->shape[from + (size_t)d];
        }
    return v->rows[vertex] = row;
}

static void place_elastic(const Source* s, SourceVoice* v, const Event* e)
{
    float* shape = voice_shape(v->voice, e->contact);
    const int count = 3 * voice_padded(v->voice);
    memset(shape, 0, (size_t)count * sizeof *shape);
    for (int k = 0; k < 3; k++)
    {
        if (e->vertex[k] < 0 || e->weight[k] == 0) continue;
        const float* row = shape_row(s, v, e->vertex[k]);
        if (!row)
        {
            v->failed = true;
            return;
        }
        for (int i = 0; i < count; i++) shape[i] += e->weight[k] * row[i];
    }
}

// modes of the click follow the acceleration: each its own axis
static void place_click(const Source* s, SourceVoice* v, const Event* e)
{
    float* shape = voice_shape(v->voice, e->contact);
    for (int d = 0; d < 3; d++)
    {
        const double w0 = 2 * TW_PI * s->click.freq_hz[d];
        shape[d * voice_padded(v->voice) + d] = (float)(w0 * w0 / s->set->mass.mass);
    }
}

// events of one time, from e on. @return the first after them
static const Event* push_all(const Source* s, SourceVoice* v, const Event* e, const Event* end)
{
    const Event* first = e;
    for (; e < end && e->sample == first->sample && e->tau == first->tau; e++)
    {
        if (e->placed && v->rows) place_elastic(s, v, e);
        if (!v->rows) place_click(s, v, e);
        voice_push(v->voice, e->contact, e->force);
    }
    return e;
}

static void sing_elastic(const Source* s, SourceVoice* v, int block)
{
    const Plan* plan = &s->plans[block];
    const Event *e = s->events + plan->event_first, *end = e + plan->event_count;
    int at = 0;
    while (e < end)
    {
        const Event* first = e;
        damp_ring(v, at, first->sample);
        at = first->sample;
        e = push_all(s, v, e, end);
        voice_change(v->voice, first->tau);
    }
    damp_ring(v, at, VOICE_BLOCK);
    damp_voice(s, v, plan);
}

// acceleration that is not that of a held force, near the body: what the modes of the click are relative to
static void add_near(Source* s, SourceVoice* v, const double force[3], int first, int last)
{
    double rest[3];
    for (int d = 0; d < 3; d++)
    {
        rest[d] = (force[d] - s->held[d]) / s->set->mass.mass;
        s->held[d] = force[d] - (force[d] - s->held[d]) * s->fade[last - first];
    }
    for (int r = 0; r < s->def.rows; r++)
    {
        const float* gain = s->near_now + 3 * r;
        const double sum = (double)gain[0] * rest[0] + (double)gain[1] * rest[1] + (double)gain[2] * rest[2];
        double* out = v->signal[r] + first;
        for (int n = 0; n < last - first; n++) out[n] += sum * s->fade[n];
    }
}

static void sing_click(Source* s, SourceVoice* v, int block)
{
    const Plan* plan = &s->plans[block];
    const Event *e = s->events + plan->event_first, *end = e + plan->event_count;
    const double* force = plan->net;
    int at = 0;
    while (e < end)
    {
        const Event* first = e;
        voice_ring(v->voice, at, first->sample, v->signal);
        add_near(s, v, force, at, first->sample);
        at = first->sample;
        e = push_all(s, v, e, end);
        voice_change(v->voice, first->tau);
        force = e[-1].net;
    }
    voice_ring(v->voice, at, VOICE_BLOCK, v->signal);
    add_near(s, v, force, at, VOICE_BLOCK);
}

// whether the force that is held shows in the near field of the click, though nothing rings
static bool settles(const Source* s, const Plan* plan)
{
    for (int d = 0; d < 3; d++)
        if (fabs(plan->net[d] - s->held[d]) > STEADY * fabs(plan->net[d])) return true;
    return false;
}

// weights that hold from the end of the block on
static void set_gains(Source* s, SourceVoice* v, int block, bool click)
{
    for (int r = 0; r < s->def.rows; r++)
    {
        const size_t slot = (size_t)block * (size_t)s->def.rows + (size_t)r;
        if (!s->anew[r]) continue;
        if (click)
        {
            voice_gain(v->voice, r, s->click_weight + 9 * slot, 1);
            memcpy(s->near_now + 3 * r, s->click_weight + 9 * slot + 6, 3 * sizeof *s->near_now);
        }
        else
            voice_gain(v->voice, r, s->weights + 2 * (slot * (size_t)s->set->mode_count + (size_t)v->first),
                       source_radius(s));
    }
}

static void sing_block(Source* s, SourceVoice* v, int block, bool click)
{
    const Plan* plan = &s->plans[block];
    set_gains(s, v, block, click);
    const bool sings = v->rings || plan->event_count > 0 || (click && settles(s, plan));
    if (!sings)
    {
        voice_rest(v->voice);
        return;
    }
    if (!v->sang) memset(v->signals, 0, (size_t)s->def.rows * SOURCE_BATCH * sizeof *v->signals);
    v->sang = true;
    if (!v->rings && !click) damp_wake(s, v, block > 0 ? &s->plans[block - 1] : &s->before);
    for (int r = 0; r < s->def.rows; r++) v->signal[r] = v->signals + (size_t)r * SOURCE_BATCH + block * VOICE_BLOCK;
    if (click)
        sing_click(s, v, block);
    else
        sing_elastic(s, v, block);
    v->rings = voice_rest(v->voice);
}

void source_sing(Source* s, int voice)
{
    SourceVoice* v = &s->voices[voice];
    v->sang = false;
    for (int b = 0; b < SOURCE_BLOCKS; b++) sing_block(s, v, b, source_is_click(s, voice));
}

bool source_signal(const Source* s, int row, float* out)
{
    double sum[SOURCE_BATCH] = {0};
    bool any = false;
    for (int i = 0; i < s->voice_count; i++)
    {
        if (!s->voices[i].sang) continue;
        any = true;
        const double* signal = s->voices[i].signals + (size_t)row * SOURCE_BATCH;
        for (int n = 0; n < SOURCE_BATCH; n++) sum[n] += signal[n];
    }
    for (int n = 0; n < SOURCE_BATCH; n++) out[n] = (float)sum[n];
    return any;
}

// ---- the beginning ----

twStatus source_start(Source* s, twError* err)
{
    const twStatus status = source_plan_start(s, err);
    if (status != TW_OK) return status;
    const Event* end = s->events + s->event_count;
    for (int i = 0; i < s->voice_count; i++)
    {
        SourceVoice* v = &s->voices[i];
        for (const Event* e = s->events; e < end;) e = push_all(s, v, e, end);
        voice_start(v->voice, v->rows ? s->amplitude + v->first : NULL);
        v->rings = voice_rest(v->voice);
        if (v->rings && v->rows) damp_wake(s, v, &s->plans[SOURCE_BLOCKS - 1]);
    }
    memcpy(s->held, s->net, sizeof s->held);
    s->event_count = 0;
    return TW_OK;
}

bool source_failed(const Source* s)
{
    for (int i = 0; i < s->voice_count; i++)
        if (s->voices[i].failed) return true;
    return false;
}
