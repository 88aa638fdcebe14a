// SPDX-License-Identifier: MIT
// A frame of surfaces of several sizes: simulation, vertices, sound.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"

// the same places as a plain loop finds them, mode by mode as the set has them
typedef struct Plain
{
    Canvas* canvas;
    const twModeSet* set;
    double* sum;
} Plain;

static void plain_places(void* context)
{
    Plain* p = context;
    const int n = p->set->vertex_count;
    const twLivePose* pose = &p->canvas->view->bodies[0];
    for (int v = 0; v < n; v++)
        p->sum[3 * v] = p->set->vertices[v].x, p->sum[3 * v + 1] = p->set->vertices[v].y,
                   p->sum[3 * v + 2] = p->set->vertices[v].z;
    for (int k = 0; k < pose->mode_count; k++)
    {
        const float* shape = p->set->shape + (size_t)k * (size_t)n * 3;
        for (int i = 0; i < 3 * n; i++) p->sum[i] += pose->amplitude[k] * (double)shape[i];
    }
    for (int v = 0; v < n; v++)
    {
        const twVec3 at = tw_vec3(p->sum[3 * v], p->sum[3 * v + 1], p->sum[3 * v + 2]);
        const twVec3 x = tw_vec3_add(pose->position, tw_quat_rotate(pose->turn, at));
        float* to = p->canvas->positions + 3 * (size_t)v;
        to[0] = (float)x.x, to[1] = (float)x.y, to[2] = (float)x.z;
    }
}

// largest distance between both, over the radius
static double plain_differs(Plain* p)
{
    double largest = 0;
    const size_t values = 3 * (size_t)p->canvas->vertices;
    float* ours = room(values, sizeof *ours);
    draw_places(p->canvas);
    memcpy(ours, p->canvas->positions, values * sizeof *ours);
    plain_places(p);
    for (size_t i = 0; i < values; i++) largest = fmax(largest, fabs((double)(ours[i] - p->canvas->positions[i])));
    free(ours);
    return largest / RADIUS;
}

// ---- a surface of some size ----

const Size grab_sizes[SIZE_COUNT] = {
    {"1k", 4, true},   {"3k", 7, true},     {"10k", 13, true},   {"20k", 19, true},
    {"30k", 22, true}, {"100k", 41, false}, {"300k", 71, false},
};
double edge_of(const Size* size) { return 0.556 * RADIUS / (size->cells - 0.05); }

typedef struct Cost
{
    int vertices;
    double step, frame, places, all, plain, hung, sound, differs;  // [s]; differs: over the radius
    double read;                                                   // [s] as many bytes as are read for the vertices
} Cost;

static void time_sound(Drag* d, Cost* cost, int frames)
{
    float* out = room((size_t)(SOUND_FRAMES * tw_live_channels(d->live)), sizeof *out);
    double took = 0;
    for (int i = 0; i < frames; i++)
    {
        drag_frame(d);
        const double begin = bench_cpu_seconds();
        tw_live_sound(d->live, out, SOUND_FRAMES);
        took += bench_cpu_seconds() - begin;
    }
    free(out);
    cost->sound = smaller(cost->sound, took / frames);
}

static size_t vertex_bytes(const Cost* cost) { return (size_t)cost->vertices * MODES * 3 * sizeof(float); }

static void time_vertices(Canvas* c, Canvas* hung, const Ball* ball, Cost* cost)
{
    Plain plain = {c, ball->set, room(3 * (size_t)c->vertices, sizeof(double))};
    Stretch stretch = {.count = vertex_bytes(cost) / BLOCK_BYTES};
    void* block = room(stretch.count + 1, BLOCK_BYTES);
    memset(block, 1, stretch.count * BLOCK_BYTES);
    stretch.data = (const Floats*)(((uintptr_t)block + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES);
    cost->differs = plain_differs(&plain);
    BenchTimer places = bench_timer(draw_places, c, 0.02), all = bench_timer(draw_all, c, 0.02);
    BenchTimer scalar = bench_timer(plain_places, &plain, 0.02), hangs = bench_timer(draw_places, hung, 0.02);
    BenchTimer read = bench_timer(wide_runs() ? read_stretch : draw_places, wide_runs() ? (void*)&stretch : c, 0.02);
    BenchTimer* const timers[] = {&places, &all, &scalar, &hangs, &read};
    bench_rounds(timers, 5, 7);
    cost->places = places.best;
    cost->all = all.best;
    cost->plain = scalar.best;
    cost->hung = hangs.best;
    cost->read = wide_runs() ? read.best : 0;
    free(plain.sum);
    free(block);
}

static Cost measure(const twModeSet* coarse, const Size* size, const BenchOptions* options)
{
    const int frames = options->quick ? 10 : 30;
    Ball ball = make_ball(coarse, edge_of(size), true);
    Cost cost = {.vertices = ball.set->vertex_count};
    Drag d = make_drag(&ball, POINTS, NULL, false), heard = make_drag(&ball, POINTS, NULL, true);
    Drag hung = make_drag(&ball, POINTS, ball.hung, false);
    for (int round = 0; round < 5; round++)
    {
        time_drag(&d, frames, &cost.step, &cost.frame);
        time_sound(&heard, &cost, frames);
    }
    drag_frame(&hung);
    Canvas canvas = make_canvas(&d), other = make_canvas(&hung);
    time_vertices(&canvas, &other, &ball, &cost);
    free_canvas(&canvas);
    free_canvas(&other);
    tw_live_destroy(d.live);
    tw_live_destroy(heard.live);
    tw_live_destroy(hung.live);
    free_ball(&ball);
    return cost;
}

static void tell_size(BenchReport* report, const char* name, const Cost* c)
{
    const double shown = c->frame + c->all + c->sound;
    tell(report, name, "vertices", c->vertices, "of the surface");
    tell(report, name, "steps", 1 / c->step, "per second, each handed out: simulation alone");
    tell(report, name, "frames", 1 / c->frame, "of 1/60 s, per second: simulation alone");
    tell(report, name, "steps_drawn", 1 / (c->step + c->all), "per second, with all vertices and normals each step");
    tell(report, name, "frames_drawn", 1 / (c->frame + c->all), "with vertices and normals");
    tell(report, name, "frames_heard", 1 / shown, "with vertices, normals and sound");
    tell(report, name, "share_simulation", c->frame / shown, "of a frame of 1/60 s");
    tell(report, name, "share_vertices", c->all / shown, "");
    tell(report, name, "share_sound", c->sound / shown, "");
    tell(report, name, "vertex_ns", 1e9 * c->places / c->vertices, "per vertex, its place");
    tell(report, name, "normal_ns", 1e9 * (c->all - c->places) / c->vertices, "per vertex, its normal besides");
    tell(report, name, "hung_ns", 1e9 * c->hung / c->vertices, "per vertex, its place, hung on the nodes");
    tell(report, name, "plain_ns", 1e9 * c->plain / c->vertices, "per vertex by a plain loop in double");
    tell(report, name, "vertices_speedup", c->plain / c->places, "against it");
    tell(report, name, "differs", c->differs, "from it at most, over the radius");
    if (c->read > 0)
        tell(report, name, "bandwidth_share", c->read / c->places, "of the speed at which as many bytes are only read");
    if (c->read > 0) tell(report, name, "read_gbs", 1e-9 * (double)vertex_bytes(c) / c->read, "GB/s, only reading");
}

void report_sizes(BenchReport* report, const twModeSet* coarse, const BenchOptions* options)
{
    Cost first = {0}, last = {0};
    for (int i = 0; i < SIZE_COUNT; i++)
    {
        if (options->quick && !grab_sizes[i].quick) continue;
        char name[32];
        snprintf(name, sizeof name, "v%s", grab_sizes[i].name);
        last = measure(coarse, &grab_sizes[i], options);
        if (i == 0) first = last;
        tell_size(report, name, &last);
    }
    const double growth = log((double)last.vertices / first.vertices);
    bench_figure(report, "step_exponent", log(last.step / first.step) / growth, "of simulation over vertices; 0: none");
    bench_figure(report, "vertices_exponent", log(last.places / first.places) / growth, "of drawing over vertices");
}
