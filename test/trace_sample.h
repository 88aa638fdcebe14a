// SPDX-License-Identifier: MIT
#pragma once
#include "scratch.h"
#include "twang/trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// @file
/// A small trace with everything in it, and where things are in its file after docs/trace.md and not after the sources.

#define POINTS 5
#define FRAMES 4
#define MODES 2
#define SAMPLES 5

/// Chunks of the sample, in order.
enum
{
    META,
    RODS,
    SECT,
    CORN,
    BODY,
    MODE0,
    MODE1,
    SERI,
    TRAK,
    FRAM0,
    TOUC0,
    FORC0,
    FRAM1,
    ARRW1,
    SAMP0,
    NUMB0,
    FRAM2,
    TOUC1,
    FORC1,
    FRAM3,
    ARRW3,
    SAMP1,
    NUMB1,
    DONE,
    CHUNKS
};

static const twTraceSection tapered[POINTS] = {{{0.002, 0.001}, 0, 0.1},
                                               {{0.003, 0.001}, 0, 0.2},
                                               {{0.004, 0.001}, 0, 0.3},
                                               {{0.005, 0.001}, 0, 0.4},
                                               {{0.006, 0.001}, 0, 0.5}};
static const twTraceSection wire = {{0.0005, 0.0005}, 0.0005, 0};
static const double square_corners[] = {-1, -1, 1, -1, 1, 1, -1, 1};
static const twTraceRod rods[] = {
    {.name = "gong",
     .material = "steel",
     .point_count = POINTS,
     .section_count = POINTS,
     .sections = tapered,
     .corner_count = 4,
     .corners = square_corners},
    {.name = "r\303\251seau", .material = "", .point_count = 3, .closed = true, .section_count = 1, .sections = &wire},
};

// a tetrahedron that bends in two ways, and a triangle that does not
static const twVec3 corners3d[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const twTriangle sides[] = {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{2, 0, 3}}};
static const double freqs[MODES] = {10, 20}, decays[MODES] = {1, 2};
static const float shapes[MODES * 4 * 3] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 1, 1.1f, 1.2f};
static const int tet[] = {0, 1, 2, 3};
static const twModeSet bell = {.mode_count = MODES,
                               .vertex_count = 4,
                               .face_count = 4,
                               .rigid_modes = 6,
                               .freq_hz = freqs,
                               .decay = decays,
                               .shape = shapes,
                               .vertices = corners3d,
                               .faces = sides,
                               .mass = {.volume = 1, .mass = 2},
                               .tet_count = 1,
                               .nodes_per_tet = 4,
                               .tets = tet};
static const twModeSet leaf = {.vertex_count = 3, .face_count = 1, .vertices = corners3d, .faces = sides};
static const twTraceBody bodies[] = {{.name = "bell", .material = "bronze", .set = &bell, .contact_damping = 0.25f},
                                     {.name = "leaf", .set = &leaf, .held = true}};
static const twTraceSeries series[] = {{"energy", "J"}, {"step", "s"}, {"points", ""}};
static const twTraceArrow arrows[] = {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {-1, -2, -3}}};

// velocities of two points, of three frames and then two more
static const twTraceTrack tracks[] = {{"rim", "m/s"}, {"crown", "m/s"}};
static const float samples[SAMPLES][2] = {{1, 10}, {2, 20}, {3, 30}, {4, 40}, {5, 50}};
static const twTraceNumber numbers[] = {{"steps", 100}, {"rollbacks", 3}}, numbers_later[] = {{"steps", 250}};

// the leaf's first corner on a side of the bell (9), and an edge of the leaf (7), which later slips; then 9 ends. In the world
// they are where they are not on the bodies, which matters to nobody here
static const twContactForce forces_early[] = {{.id = 7,
                                               .time = 0.001,
                                               .body = {1, 0},
                                               .vertex = {{0, 1, -1}, {0, 1, 2}},
                                               .weight = {{0.25f, 0.75f}, {0.5f, 0.25f, 0.25f}},
                                               .point = {1, 2, 3},
                                               .normal = {0, 0, 1},
                                               .force = {0, 3, 4}},
                                              {.id = 9,
                                               .time = 0.001,
                                               .body = {1, 0},
                                               .vertex = {{0, -1, -1}, {1, 2, 3}},
                                               .weight = {{1}, {0, 0, 1}},
                                               .point = {1, 2, 3.5},
                                               .normal = {0, 0.6, 0.8},
                                               .force = {0, 0, 2}},
                                              {.id = 7,
                                               .time = 0.003,
                                               .body = {1, 0},
                                               .vertex = {{0, 1, -1}, {0, 1, 2}},
                                               .weight = {{0.25f, 0.75f}, {0.5f, 0.25f, 0.25f}},
                                               .point = {1, 2, 3},
                                               .normal = {0, 0, 1},
                                               .force = {0, 0, 1}}};
static const twContactForce forces_late[] = {{.id = 7,
                                              .time = 0.004,
                                              .body = {1, 0},
                                              .vertex = {{0, 1, -1}, {0, 1, 2}},
                                              .weight = {{0.5f, 0.5f}, {0.5f, 0.25f, 0.25f}},
                                              .point = {1, 2, 3},
                                              .normal = {0, 0, 1},
                                              .force = {0, 0, 2}},
                                             {.id = 9,
                                              .time = 0.005,
                                              .body = {1, 0},
                                              .vertex = {{0, -1, -1}, {1, 2, 3}},
                                              .weight = {{1}, {0, 0, 1}},
                                              .point = {1, 2, 3.5},
                                              .normal = {0, 0.6, 0.8}},
                                             {.id = 7,
                                              .time = 0.006,
                                              .body = {1, 0},
                                              .vertex = {{0, 1, -1}, {0, 1, 2}},
                                              .weight = {{0.5f, 0.5f}, {0.5f, 0.25f, 0.25f}},
                                              .point = {1, 2, 3},
                                              .normal = {0, 0, 1}}};

/// where things are in a frame, different for every number
static inline double value(int frame, int rod, int k, int i)
{
    return sin(1 + frame + 0.37 * rod + 0.11 * k + 1.7 * i) / 3;
}

/// A frame, in memory of its own.
typedef struct Sample
{
    double numbers[2][6][POINTS];
    double amplitude[MODES], values[3];
    twRodView views[2];
    twTracePose poses[2];
    twTraceFrame frame;
} Sample;

/// those of the simulation have the same form
static inline void fill_views(Sample* s, int frame)
{
    for (int r = 0; r < 2; r++)
    {
        s->views[r].point_count = rods[r].point_count;
        s->views[r].edge_count = rods[r].closed ? rods[r].point_count : rods[r].point_count - 1;
        for (int k = 0; k < 3; k++)
        {
            for (int i = 0; i < POINTS; i++)
            {
                s->numbers[r][k][i] = value(frame, r, k, i);
                s->numbers[r][3 + k][i] = value(frame, r, 3 + k, i);
            }
            s->views[r].position[k] = s->numbers[r][k];
            s->views[r].frame_d1[k] = s->numbers[r][3 + k];
        }
    }
}

/// The second body stands still and its amplitudes are not given; the second series has nothing in odd frames.
static inline const twTraceFrame* fill_sample(Sample* s, int frame)
{
    *s = (Sample){.amplitude = {0.5 * frame, -0.25 * frame}, .values = {1e6 + frame, frame % 2 ? NAN : frame, 7}};
    fill_views(s, frame);
    s->poses[0] = (twTracePose){{frame, 2, 3}, {cos(0.1 * frame), 0, 0, sin(0.1 * frame)}, s->amplitude};
    s->poses[1] = (twTracePose){.turn = {0, 1, 0, 0}};
    s->frame = (twTraceFrame){.rods = s->views,
                              .bodies = s->poses,
                              .series = s->values,
                              .arrow_count = frame == 1   ? 2
                                             : frame == 3 ? 1
                                                          : 0,
                              .arrows = arrows};
    return &s->frame;
}

static inline twTraceDef sample_def(void)
{
    twTraceDef def = tw_trace_def();
    def.frame_rate_hz = 24;
    def.title = "Two rods, a bell and a leaf";
    def.sound = "all.wav";
    def.camera = (twTraceCamera){true, {1, 2, 3}, {0, 0, 0.5}, 0.7};
    def.ground = true;
    def.ground_point = (twVec3){0, 0, -1};
    def.ground_normal = (twVec3){0, 0, 1};
    def.rod_count = 2;
    def.rods = rods;
    def.body_count = 2;
    def.bodies = bodies;
    def.series_count = 3;
    def.series = series;
    def.sample_rate_hz = 8000;
    def.track_count = 2;
    def.tracks = tracks;
    return def;
}

/// A frame and all that comes behind it.
static inline twStatus record_frame_of(twTraceWriter* writer, int frame)
{
    Sample sample;
    twStatus status = tw_trace_append(writer, fill_sample(&sample, frame), NULL);
    if (status != TW_OK) return status;
    if (frame == 0) return tw_trace_append_forces(writer, forces_early, 3, NULL);
    if (frame == 2) return tw_trace_append_forces(writer, forces_late, 3, NULL);
    status = tw_trace_append_samples(writer, frame == 1 ? samples[0] : samples[3], frame == 1 ? 3 : 2, NULL);
    if (status != TW_OK) return status;
    return tw_trace_put_numbers(writer, frame == 1 ? numbers : numbers_later, frame == 1 ? 2 : 1, NULL);
}

static inline twStatus record(const char* path, int frames)
{
    twTraceWriter* writer;
    twTraceDef def = sample_def();
    twStatus status = tw_trace_create(&writer, path, &def, NULL);
    for (int f = 0; status == TW_OK && f < frames; f++) status = record_frame_of(writer, f);
    if (status == TW_OK) return tw_trace_commit(&writer, NULL);
    tw_trace_abort(&writer);
    return status;
}

/// A good trace in memory; free() it.
static inline char* good_bytes(size_t* count)
{
    char* bytes = NULL;
    if (record(in_folder("good.twtrace"), FRAMES) == TW_OK)
        tw_file_read(&bytes, count, in_folder("good.twtrace"), 1 << 20, NULL);
    return bytes;
}

// ---- the layout ----

static inline uint64_t u64_at(const char* bytes, size_t at)
{
    uint64_t value64;
    memcpy(&value64, bytes + at, 8);
    return value64;
}

static inline void put_u64(char* bytes, size_t at, uint64_t value64) { memcpy(bytes + at, &value64, 8); }

/// Where the n-th chunk begins.
static inline size_t chunk_at(const char* bytes, int n)
{
    size_t at = 64;
    for (; n > 0; n--)
    {
        uint32_t item;
        memcpy(&item, bytes + at + 4, 4);
        at += 64 + (size_t)((item * u64_at(bytes, at + 8) + 63) / 64 * 64);
    }
    return at;
}

/// Make the checksums right of bytes whose chunks are of the sizes of those in layout.
static inline void sign(char* bytes, const char* layout, int chunks)
{
    twHash hash = tw_hash(bytes, 64, (twHash){0, 0});
    for (size_t i = 0, from = 64, to; i < (size_t)chunks; i++, from = to)
    {
        uint32_t item;
        memcpy(&item, layout + from + 4, 4);
        to = from + 64 + (size_t)((item * u64_at(layout, from + 8) + 63) / 64 * 64);
        put_u64(bytes, from + 48, 0);
        put_u64(bytes, from + 56, 0);

        // the items as the bytes themselves say, for they may lie; if they lie too much it does not matter
        uint64_t count = u64_at(bytes, from + 8), size;
        memcpy(&item, bytes + from + 4, 4);
        size = item > 0 && count > (to - from - 64) / item ? to - from - 64 : item * count;
        hash = tw_hash(bytes + from, 64, hash);
        hash = tw_hash(bytes + from + 64, (size_t)size, hash);
        put_u64(bytes, from + 48, hash.high);
        put_u64(bytes, from + 56, hash.low);
    }
}
