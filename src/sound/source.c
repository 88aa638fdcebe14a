// SPDX-License-Identifier: MIT
// A source: voices of up to VOICE_MODES modes, and one more of three modes for the click of its motion as a whole. Voices share
// nothing that they change, so that they may ring on different threads; their signals are added in their order.

#include "damp.h"
#include "source_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUICK 0.05  // of the distance: one that moved more is asked for in every block
#define SPARE_POSES 8
#define SLOW_HZ 5.0     // below: a held force, no sound
#define MOST_POSES 1e5  // with more frames than this in a batch the first of them count for all before

bool source_is_click(const Source* s, int voice) { return s->has_click && voice == s->voice_count - 1; }
int source_mode_count(const Source* s) { return s->mode_count; }
int source_voice_count(const Source* s) { return s->voice_count; }
double source_radius(const Source* s)
{
    return s->def.transfer ? s->def.transfer->radius : cbrt(s->click.volume[0] / (2 * TW_PI));
}

// ---- making ----

static int heard_modes(const SourceDef* d)
{
    const twModeSet* set = d->trace_body->set;
    int count = 0;
    if (!d->transfer) return 0;
    while (count < set->mode_count && set->freq_hz[count] < d->max_freq_hz) count++;
    return count;
}

static Voice* make_voice(const Source* s, int first, int count)
{
    const twModeSet* set = s->set;
    const VoiceDef def = {.rate_hz = s->def.rate_hz,
                          .precision = s->def.precision,
                          .mode_count = count,
                          .freq_hz = set->freq_hz + first,
                          .decay = (s->def.decay ? s->def.decay : set->decay) + first,
                          .rows = s->def.rows};
    return voice_create(&def);
}

static Voice* make_click(const Source* s)
{
    const VoiceDef def = {.rate_hz = s->def.rate_hz,
                          .precision = s->def.precision,
                          .mode_count = 3,
                          .freq_hz = s->click.freq_hz,
                          .decay = s->click.decay,
                          .rows = s->def.rows};
    return voice_create(&def);
}

static bool fill_voice(const Source* s, SourceVoice* v, bool click)
{
    const size_t rows = (size_t)s->def.rows;
    if (!v->voice) return false;
    const size_t padded = (size_t)voice_padded(v->voice);
    v->rows = click ? NULL : calloc((size_t)s->set->vertex_count + 1, sizeof *v->rows);
    v->signals = calloc(rows * SOURCE_BATCH + 1, sizeof *v->signals);
    v->signal = calloc(rows + 1, sizeof *v->signal);
    v->extra = calloc(padded, sizeof *v->extra);
    if (!v->signals || !v->signal || !v->extra || (!click && !v->rows)) return false;
    if (!s->def.full_damping || click) return true;
    v->matrix = damp_create(v->count);
    return v->matrix != NULL;
}

static bool make_voices(Source* s)
{
    const int elastic = s->def.full_damping ? (s->mode_count > 0) : (s->mode_count + VOICE_MODES - 1) / VOICE_MODES;
    s->voice_count = elastic + s->has_click;
    s->voices = calloc((size_t)s->voice_count + 1, sizeof *s->voices);
    if (!s->voices) return false;
    for (int i = 0, first = 0; i < elastic; i++)
    {
        SourceVoice* v = &s->voices[i];
        v->first = first;
        v->count = (s->mode_count - first) / (elastic - i);
        v->voice = make_voice(s, first, v->count);
        if (!fill_voice(s, v, false)) return false;
        first += v->count;
    }
    if (!s->has_click) return true;
    SourceVoice* v = &s->voices[elastic];
    v->count = 3;
    v->voice = make_click(s);
    return fill_voice(s, v, true);
}

twStatus source_create(Source** out, const SourceDef* def, twError* err)
{
    Source* s = *out = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for a body's sound");
    s->def = *def;
    s->set = def->trace_body->set;
    s->mode_count = heard_modes(def);
    for (int n = 0; n <= VOICE_BLOCK; n++) s->fade[n] = exp(-2 * TW_PI * SLOW_HZ * n / def->rate_hz);
    s->click = click_of(s->set, def->sound_speed, def->rate_hz);
    s->has_click = def->click && s->set->mass.mass > 0 && s->click.volume[0] > 0;
    if (def->full_damping && s->mode_count > DAMP_MAX_MODES)
    {
        *out = NULL;
        free(s);
        return tw_fail(err, TW_BAD_INPUT, "%s has %d modes; full contact damping is for at most %d",
                       def->trace_body->name, heard_modes(def), DAMP_MAX_MODES);
    }
    const size_t rows = (size_t)def->rows + 1;
    s->ids = ids_create();
    const size_t modes = 2 * (size_t)s->set->mode_count;
    s->click_weight = calloc(SOURCE_BLOCKS * 9 * rows, sizeof *s->click_weight);
    s->click_now = calloc(9 * rows, sizeof *s->click_now);
    s->weights = calloc(SOURCE_BLOCKS * rows * modes + 1, sizeof *s->weights);
    s->weights_now = calloc(rows * modes + 1, sizeof *s->weights_now);
    s->scratch = calloc(modes + 9, sizeof *s->scratch);
    s->near_now = calloc(3 * rows, sizeof *s->near_now);
    s->anew = calloc(rows, sizeof *s->anew);
    const double frames = (SOURCE_BATCH / def->rate_hz + def->look_ahead) * def->frame_rate_hz;
    s->pose_room = (int)fmin(frames, MOST_POSES) + SPARE_POSES;
    s->poses = calloc((size_t)s->pose_room, sizeof *s->poses);
    s->amplitude = calloc((size_t)s->set->mode_count + 1, sizeof *s->amplitude);
    s->work = calloc(def->transfer ? tw_transfer_work(def->transfer) + 1 : 1, sizeof *s->work);
    s->heard_at = calloc(rows, sizeof *s->heard_at);
    s->heard = calloc(rows, sizeof *s->heard);
    s->place = calloc(rows, sizeof *s->place);
    const bool fine = s->ids && s->click_weight && s->click_now && s->weights && s->weights_now && s->scratch;
    const bool more =
        s->near_now && s->anew && s->work && s->heard_at && s->heard && s->place && s->poses && s->amplitude;
    if (fine && more && make_voices(s)) return TW_OK;
    source_destroy(s);
    *out = NULL;
    return tw_fail(err, TW_NO_MEMORY, "no memory for the %d modes of %s", heard_modes(def), def->trace_body->name);
}

static void destroy_voice(const Source* s, SourceVoice* v)
{
    for (int i = 0; v->rows && i < s->set->vertex_count; i++) free(v->rows[i]);
    free(v->rows);
    free(v->signals);
    free(v->signal);
    free(v->extra);
    free(v->matrix);
    voice_destroy(v->voice);
}

void source_destroy(Source* s)
{
    if (!s) return;
    for (int i = 0; s->voices && i < s->voice_count; i++) destroy_voice(s, &s->voices[i]);
    free(s->voices);
    ids_destroy(s->ids);
    free(s->near_now);
    free(s->click_weight);
    free(s->click_now);
    free(s->weights);
    free(s->weights_now);
    free(s->scratch);
    free(s->anew);
    free(s->work);
    free(s->heard_at);
    free(s->heard);
    free(s->place);
    free(s->poses);
    free(s->amplitude);
    free(s->contacts);
    free(s->forces);
    free(s->events);
    free(s->dampers);
    free(s);
}

// ---- where the body is ----

void source_set_pose(Source* s, const float* p, double time)
{
    if (time <= 0) memcpy(s->amplitude, p + 7, (size_t)s->set->mode_count * sizeof *s->amplitude);
    if (s->pose_count == s->pose_room) memmove(s->poses, s->poses + 1, (size_t)--s->pose_count * sizeof *s->poses);
    s->poses[s->pose_count++] =
        (Pose){time, tw_vec3((double)p[0], (double)p[1], (double)p[2]),
               tw_quat_normalize(tw_quat((double)p[3], (double)p[4], (double)p[5], (double)p[6]))};
}

// the frames about a time: the first of them. @return how far between them, 0 to 1
static double between(const Source* s, double time, const Pose** first)
{
    int low = 0, high = s->pose_count - 1;
    while (high - low > 1)
    {
        const int middle = (low + high) / 2;
        if (s->poses[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    *first = &s->poses[low];
    if (high <= low) return 0;
    return fmin(fmax((time - s->poses[low].time) / (s->poses[high].time - s->poses[low].time), 0), 1);
}

twQuat source_turn(const Source* s, double time)
{
    const Pose* a;
    if (s->pose_count == 0) return tw_quat_identity();
    const double t = between(s, time, &a);
    if (t == 0 || memcmp(&a->turn, &a[1].turn, sizeof a->turn) == 0) return a->turn;
    return tw_quat_blend(a->turn, a[1].turn, t);
}

// Catmull and Rom's cubic
static twVec3 position_at(const Source* s, double time)
{
    const Pose* a;
    if (s->pose_count == 0) return tw_vec3(0, 0, 0);
    const double t = between(s, time, &a), u = 1 - t;
    if (t == 0) return a->position;
    const Pose *b = a + 1, *end = s->poses + s->pose_count;
    const twVec3 step = tw_vec3_sub(b->position, a->position);
    const twVec3 in = a > s->poses ? tw_vec3_scale(tw_vec3_sub(b->position, a[-1].position), 0.5) : step;
    const twVec3 out = b + 1 < end ? tw_vec3_scale(tw_vec3_sub(b[1].position, a->position), 0.5) : step;
    const twVec3 ends =
        tw_vec3_add(tw_vec3_scale(a->position, u * u * (1 + 2 * t)), tw_vec3_scale(b->position, t * t * (3 - 2 * t)));
    return tw_vec3_add(ends, tw_vec3_sub(tw_vec3_scale(in, t * u * u), tw_vec3_scale(out, t * t * u)));
}

twVec3 source_centre(const Source* s, double time)
{
    const twVec3 inside = s->def.transfer ? s->def.transfer->centre : s->set->mass.centre;
    return tw_vec3_add(position_at(s, time), tw_quat_rotate(source_turn(s, time), inside));
}

// ---- where it is heard ----

// of the click: modes (6), acceleration (3)
static void weigh_click(const Source* s, float* weight, twVec3 direction, double distance)
{
    const double e[3] = {direction.x, direction.y, direction.z};
    for (int d = 0; d < 3; d++)
    {
        const double strength = s->def.air_density * s->click.volume[d] / (4 * TW_PI) * e[d];
        weight[2 * d] = (float)(strength / s->def.sound_speed);
        weight[2 * d + 1] = (float)(strength / distance / (2 * TW_PI * s->click.freq_hz[d]));
        weight[6 + d] = (float)(strength / distance);
    }
}

// some blocks of the batch, at the ends of which weights go evenly from those before to those at the end of the last one
typedef struct Ramp
{
    int first, count;
    bool jumps;  // there are none before
} Ramp;

// those at the end become those before
static void spread(const Ramp* ramp, float* out, size_t stride, float* before, const float* after, size_t count)
{
    for (int b = 0; b < ramp->count; b++)
    {
        const float along = ramp->jumps ? 1 : (b + 1.0f) / ramp->count;
        float* here = out + (size_t)(ramp->first + b) * stride;
        for (size_t i = 0; i < count; i++) here[i] = before[i] + along * (after[i] - before[i]);
    }
    memcpy(before, after, count * sizeof *before);
}

// a place in the world, from the centre of the body in its axes
static twVec3 seen_from(const Source* s, twVec3 place, double time)
{
    const twVec3 way = tw_vec3_sub(place, source_centre(s, time));
    return tw_quat_rotate(tw_quat_conj(source_turn(s, time)), way);
}

static double distance_to(const Source* s, twVec3 at) { return fmax(tw_vec3_norm(at), fmax(source_radius(s), 1e-6)); }

static void weigh(Source* s, size_t row, twVec3 at, const Ramp* ramp)
{
    const size_t modes = 2 * (size_t)s->set->mode_count, rows = (size_t)s->def.rows;
    const double distance = distance_to(s, at);
    if (s->mode_count > 0)
    {
        tw_transfer_weights(s->def.transfer, tw_vec3_add(at, s->def.transfer->centre), s->scratch, s->work);
        spread(ramp, s->weights + row * modes, rows * modes, s->weights_now + row * modes, s->scratch, modes);
    }
    if (!s->has_click) return;
    weigh_click(s, s->scratch, tw_vec3_scale(at, 1 / distance), distance);
    spread(ramp, s->click_weight + row * 9, rows * 9, s->click_now + row * 9, s->scratch, 9);
}

void source_hear_at(Source* s, int row, twVec3 place)
{
    const twVec3 at = seen_from(s, place, s->plans[SOURCE_BLOCKS - 1].end), from = s->place[row];
    const double moved = tw_vec3_norm(tw_vec3_sub(at, s->heard_at[row])) / distance_to(s, at);
    const bool first = !s->heard[row];
    s->place[row] = place;
    s->anew[row] = first || moved >= VOICE_STILL;
    if (!s->anew[row]) return;
    s->heard[row] = true;
    s->heard_at[row] = at;
    const int pieces = !first && moved > QUICK ? SOURCE_BLOCKS : 1;
    for (int k = 0; k < pieces; k++)
    {
        const Ramp ramp = {k, SOURCE_BLOCKS / pieces, first};
        const twVec3 here = tw_vec3_add_scaled(from, tw_vec3_sub(place, from), (k + 1.0) / pieces);
        weigh(s, (size_t)row, pieces > 1 ? seen_from(s, here, s->plans[k].end) : at, &ramp);
    }
}
