// SPDX-License-Identifier: MIT
#pragma once
#include "bench_scene.h"
#include "twang/fem.h"
#include "twang/live.h"
#include <math.h>

/// @file
/// What the parts of bench_grab share: a soft ball, hands that drag it, and what is drawn of it. See bench_grab.c.

enum
{
    MODES = 40,
    POINTS = 10,
    MOST_POINTS = 64,
    SOUND_FRAMES = 800,  // of 1/60 s
    BLOCK_BYTES = 32,
    SIZE_COUNT = 7
};
#define RATE 48000.0
#define RADIUS 0.1
#define FRAME (1.0 / 60)

static inline void check(const char* what, twStatus status, const twError* err)
{
    if (status != TW_OK) bench_leave(what, err);
}

static inline void* room(size_t count, size_t size)
{
    void* block = calloc(count, size);
    if (!block) bench_leave("memory", &(twError){.text = "none left"});
    return block;
}

static inline double smaller(double best, double value) { return best == 0 || value < best ? value : best; }

static inline void tell(BenchReport* report, const char* prefix, const char* what, double value, const char* note)
{
    char key[96];
    snprintf(key, sizeof key, "%s_%s", prefix, what);
    bench_figure(report, key, value, note);
}

// ---- the ball, and hands (grab_drag.c) ----

typedef struct Ball
{
    twModeSet* set;
    twBodyShape* shape;
    twCover* hung;  // its surface in the coarse elements; NULL: not wanted
} Ball;

extern const twContactMaterial jelly;
twModeSet* coarse_set(void);  ///< jelly: 40 modes from 74 to 152 Hz
Ball make_ball(const twModeSet* coarse, double edge, bool hung);
void free_ball(Ball* ball);

typedef struct Drag
{
    twLive* live;
    int points;
    twVec3 at[MOST_POINTS];  // where they were grabbed
    double time;             // of the hands
} Drag;

Drag make_drag(const Ball* ball, int points, const twCover* cover, bool sound);
void drag_frame(Drag* d);
/// Seconds of a step that is handed out by itself, and of a frame of 1/60 s.
void time_drag(Drag* d, int frames, double* step, double* frame);

typedef struct Canvas
{
    Drag* drag;
    const twLiveView* view;
    int vertices;
    float *positions, *normals;
} Canvas;

Canvas make_canvas(Drag* d);
void free_canvas(Canvas* c);
void draw_places(void* canvas);
void draw_all(void* canvas);

// ---- what the machine can do (grab_machine.c) ----

typedef float Floats __attribute__((vector_size(BLOCK_BYTES)));

typedef struct Stretch
{
    const Floats* data;
    size_t count;  // of blocks; a multiple of 8
} Stretch;

void read_stretch(void* stretch);  ///< once, from one end to the other
bool wide_runs(void);

// ---- the parts ----

typedef struct Size
{
    const char* name;
    double cells;  // the ball has 60 cells^2 + 2 vertices
    bool quick;
} Size;

extern const Size grab_sizes[SIZE_COUNT];
double edge_of(const Size* size);
void report_sizes(BenchReport* report, const twModeSet* coarse, const BenchOptions* options);
void report_contacts(BenchReport* report, const twModeSet* coarse, const BenchOptions* options);
twBodyShape* make_floor(void);
void report_heaps(BenchReport* report);
void report_table(BenchReport* report, const BenchOptions* options);
