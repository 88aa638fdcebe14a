// SPDX-License-Identifier: MIT
#pragma once
#include "scratch.h"
#include "twang/sound.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// @file
/// Traces of one octahedron that rings as a breathing sphere would, and what an ear hears of them.

#define RATE 44100.0
#define SPEED 343.2
#define BELL_RADIUS 0.1
#define BELL_MODES 3
#define BELL_BLOWS 8

static const twVec3 bell_corners[] = {{0.1, 0, 0}, {-0.1, 0, 0}, {0, 0.1, 0}, {0, -0.1, 0}, {0, 0, 0.1}, {0, 0, -0.1}};
static const twTriangle bell_faces[] = {{{0, 2, 4}}, {{2, 1, 4}}, {{1, 3, 4}}, {{3, 0, 4}},
                                        {{2, 0, 5}}, {{1, 2, 5}}, {{3, 1, 5}}, {{0, 3, 5}}};
static const double bell_freq[BELL_MODES] = {440, 1730, 6010};
static const double bell_decay[BELL_MODES] = {4, 9, 30};

/// Shapes point outward, stronger in higher modes; the radiation of each is that of a monopole: p = v R/r.
typedef struct Bell
{
    float shape[BELL_MODES * 6 * 3];
    int order[BELL_MODES];
    int64_t first[BELL_MODES];
    float moments[2 * BELL_MODES], error_db[BELL_MODES];
    twTransfer transfer;
    twModeSet set;
} Bell;

static inline void bell_make(Bell* b, double mass)
{
    memset(b, 0, sizeof *b);
    for (int k = 0; k < BELL_MODES; k++)
    {
        for (int v = 0; v < 6; v++)
        {
            const float size = (float)(10 * (k + 1) / BELL_RADIUS);
            float* s = b->shape + 3 * (6 * k + v);
            s[0] = size * (float)bell_corners[v].x, s[1] = size * (float)bell_corners[v].y;
            s[2] = size * (float)bell_corners[v].z;
        }
        b->first[k] = k;
        b->moments[2 * k] = (float)sqrt(4 * TW_PI);  // 1/Y_00
    }
    b->transfer = (twTransfer){.mode_count = BELL_MODES,
                               .moment_count = BELL_MODES,
                               .radius = BELL_RADIUS,
                               .sound_speed = 343.2,
                               .air_density = 1.204,
                               .freq_hz = bell_freq,
                               .order = b->order,
                               .first = b->first,
                               .moments = b->moments,
                               .error_db = b->error_db};
    b->set = (twModeSet){.mode_count = BELL_MODES,
                         .vertex_count = 6,
                         .face_count = 8,
                         .rigid_modes = 6,
                         .freq_hz = bell_freq,
                         .decay = bell_decay,
                         .shape = b->shape,
                         .vertices = bell_corners,
                         .faces = bell_faces,
                         .mass = {.volume = 1.33e-3, .mass = mass, .inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
                         .damping = {.kind = TW_DAMPING_MODES},
                         .transfer = &b->transfer};
}

/// A force on a vertex of the bell, against the outward direction there, from a time until another [N], [s].
typedef struct Blow
{
    double from, until, force;
    int vertex;
} Blow;

static inline twContactForce bell_force(const Blow* blow, int id, bool end)
{
    const twVec3 out = tw_vec3_normalize(bell_corners[blow->vertex]);
    return (twContactForce){.id = (uint64_t)id + 1,
                            .time = end ? blow->until : blow->from,
                            .body = {0, TW_NOWHERE},
                            .vertex = {{blow->vertex, -1, -1}, {-1, -1, -1}},
                            .weight = {{1, 0, 0}, {0, 0, 0}},
                            .point = bell_corners[blow->vertex],
                            .normal = tw_vec3_scale(out, -1),
                            .force = tw_vec3_scale(out, end ? 0 : -blow->force)};
}

/// The begins and ends of blows in the order of time.
static inline void sort_forces(twContactForce* out, const Blow* blows, int count)
{
    for (int i = 0; i < 2 * count; i++)
    {
        const twContactForce force = bell_force(&blows[i / 2], i / 2, i % 2);
        int at = i;
        for (; at > 0 && out[at - 1].time > force.time; at--) out[at] = out[at - 1];
        out[at] = force;
    }
}

/// A trace of the bell, at rest in the middle or on a way, turning about z with so many rad/s; BELL_BLOWS blows at most.
static inline twStatus bell_trace_at(const char* path, const Bell* bell, double frame_rate_hz, double seconds,
                                     const Blow* blows, int count, twVec3 velocity, double spin, twError* err)
{
    const twTraceBody body = {.name = "bell", .material = "steel", .set = &bell->set};
    twTraceDef def = tw_trace_def();
    def.body_count = 1;
    def.bodies = &body;
    def.frame_rate_hz = frame_rate_hz;
    twTraceWriter* writer;
    twStatus status = tw_trace_create(&writer, path, &def, err);
    twContactForce forces[2 * BELL_BLOWS];
    sort_forces(forces, blows, count);
    int next = 0;
    for (int k = 0; status == TW_OK && k <= (int)(frame_rate_hz * seconds + 0.5); k++)
    {
        const double time = k / frame_rate_hz;
        for (; status == TW_OK && next < 2 * count && forces[next].time <= time; next++)
            status = tw_trace_append_forces(writer, &forces[next], 1, err);
        const twTracePose pose = {.position = tw_vec3_scale(velocity, time),
                                  .turn = tw_quat(cos(0.5 * spin * time), 0, 0, sin(0.5 * spin * time))};
        const twTraceFrame frame = {.bodies = &pose};
        if (status == TW_OK) status = tw_trace_append(writer, &frame, err);
    }
    if (status == TW_OK) return tw_trace_commit(&writer, err);
    tw_trace_abort(&writer);
    return status;
}

static inline twStatus bell_trace(const char* path, const Bell* bell, double seconds, const Blow* blows, int count,
                                  twVec3 velocity, twError* err)
{
    return bell_trace_at(path, bell, 60, seconds, blows, count, velocity, 0, err);
}

/// All that one ear hears; free() it. NULL on failure.
static inline float* sound_of(const twSoundDef* def, int64_t* frames, twSoundReport* report, twError* err)
{
    twSound* sound;
    *frames = 0;
    if (tw_sound_open(&sound, def, err) != TW_OK) return NULL;
    const size_t channels = (size_t)tw_ear_channels(def->ears[0].def.kind);
    float* all = calloc(1, sizeof *all);
    twStatus status = TW_OK;
    for (int count = 1; count > 0 && status == TW_OK && all;)
    {
        const float* const* given;
        status = tw_sound_next(sound, &given, &count, err);
        if (status != TW_OK || count == 0) break;
        float* more = realloc(all, ((size_t)*frames + (size_t)count) * channels * sizeof *all);
        if (!more) status = TW_NO_MEMORY;
        if (!more) break;
        all = more;
        memcpy(all + (size_t)*frames * channels, given[0], (size_t)count * channels * sizeof *all);
        *frames += count;
    }
    if (report)
    {
        static char lost[512];
        *report = tw_sound_report(sound);
        snprintf(lost, sizeof lost, "%s", report->lost);
        report->lost = lost;
    }
    tw_sound_close(sound);
    if (status == TW_OK) return all;
    free(all);
    return NULL;
}

static const twVec3 still = {0, 0, 0};

static inline twSoundEar mono_at(twVec3 place)
{
    twSoundEar ear = {.def = tw_ear_def()};
    ear.def.position = place;
    return ear;
}

static inline twSoundDef sound_def(const char* path, const twSoundEar* ear)
{
    twSoundDef def = tw_sound_def();
    def.rate_hz = RATE;
    def.path = path;
    def.ear_count = 1;
    def.ears = ear;
    def.highpass_hz = 0;
    def.clicks = def.contact_damping = false;
    return def;
}
