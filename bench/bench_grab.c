// SPDX-License-Identifier: MIT
// What a soft body costs that is held at ten points and dragged about: simulation, vertices to be drawn, sound, for surfaces of 1k
// to 300k vertices and 40 modes; how near the loop over vertices is to the memory's bandwidth and the solver to the processor's
// flops, each beside a plain loop that does the same; how even frames are; what more points and what contacts cost; and how long
// modal analysis takes for bodies as large as those of Hauser, Shen and O'Brien 2003 (their Table 1).
//
// A frame of that paper is one step. Both are told: steps per second, each handed out by itself, and frames of 1/60 s at the default
// step of 1 ms, 16 or 17 steps each. All is on one core, in processor time of the thread.
//
// The modes are those of a soft ball by finite elements, 3840 quadratic tets. Finer surfaces are embedded in these: the motion of a
// vertex is that of the element it lies in. So every vertex of a fine surface has 40 modes of its own that are read when it is drawn,
// as if it had been analysed finely. Drawn the other way ("hung"), only the nodes of the elements have modes, and vertices hang on them.
#define _POSIX_C_SOURCE 200809L
#include "bench_scene.h"
#include "twang/fem.h"
#include "twang/stage.h"
#include <math.h>

enum
{
    MODES = 40,
    POINTS = 10,
    MOST_POINTS = 64,
    SOUND_FRAMES = 800,  // of 1/60 s
    BLOCK_BYTES = 32,
};
#define RATE 48000.0
#define RADIUS 0.1
#define FRAME (1.0 / 60)

static void check(const char* what, twStatus status, const twError* err)
{
    if (status != TW_OK) bench_leave(what, err);
}

static void* room(size_t count, size_t size)
{
    void* block = calloc(count, size);
    if (!block) bench_leave("memory", &(twError){.text = "none left"});
    return block;
}

static double smaller(double best, double value) { return best == 0 || value < best ? value : best; }

static void tell(BenchReport* report, const char* prefix, const char* what, double value, const char* note)
{
    char key[96];
    snprintf(key, sizeof key, "%s_%s", prefix, what);
    bench_figure(report, key, value, note);
}

// ---- the body ----

// jelly: 40 modes from 74 to 152 Hz
static twModeSet* coarse_set(void)
{
    twError err;
    twModeSet* set = NULL;
    twBakeDef def = tw_bake_def();
    def.source = "sphere:0.1";
    def.material = (twMaterial){.name = "jelly", .density = 1000, .young = 1e6, .poisson = 0.45};
    def.damping = tw_damping_rayleigh(2, 1e-4);
    def.count = MODES;
    def.accuracy = 0.02;
    def.with_tets = true;
    check("modes", tw_bake(&set, &def, NULL, &err), &err);
    return set;
}

static twMesh* fine_mesh(double edge)
{
    twError err;
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    check("shape", tw_shape_parse(&shape, "sphere:0.1", &err), &err);
    check("mesh", tw_shape_surface(&mesh, shape, edge, &err), &err);
    tw_shape_destroy(shape);
    return mesh;
}

typedef struct Ball
{
    twModeSet* set;
    twBodyShape* shape;
    twCover* hung;  // its surface in the coarse elements; NULL: not wanted
} Ball;

static Ball make_ball(const twModeSet* coarse, double edge, bool hung)
{
    twError err;
    Ball ball = {0};
    twMesh* mesh = fine_mesh(edge);
    check("embedding", tw_mode_set_embed(&ball.set, coarse, mesh, NULL, &err), &err);
    twBodyShapeDef def = tw_body_shape_def();
    def.modes = ball.set;
    def.field.cell = 0.005;
    check("shape", tw_body_shape_create(&ball.shape, &def, &err), &err);
    twCoverDef cover = tw_cover_def();
    cover.set = coarse;
    cover.mesh = mesh;
    if (hung) check("cover", tw_cover_create(&ball.hung, &cover, &err), &err);
    tw_mesh_destroy(mesh);
    return ball;
}

static void free_ball(Ball* ball)
{
    tw_cover_destroy(ball->hung);
    tw_body_shape_destroy(ball->shape);
    tw_mode_set_destroy(ball->set);
}

// ---- dragging ----

typedef struct Drag
{
    twStage* stage;
    int points;
    twVec3 at[MOST_POINTS];  // where they were grabbed
    double time;             // of the hands
} Drag;

// even over the ball
static twVec3 around(int i, int count)
{
    const double z = 1 - (2 * i + 1.0) / count, r = sqrt(1 - z * z), turn = 2.399963229728653 * i;
    return tw_vec3(RADIUS * r * cos(turn), RADIUS * r * sin(turn), RADIUS * z);
}

// the hands go in circles of 4 mm, each at its own pace, so that the body is bent all the time
static twVec3 hand_at(const Drag* d, int i)
{
    const double turn = 2 * TW_PI * (1 + 0.1 * i) * d->time + i;
    return tw_vec3_add(d->at[i], tw_vec3(0.004 * cos(turn), 0.004 * sin(turn), 0.002 * sin(2 * turn)));
}

static Drag make_drag(const Ball* ball, int points, const twCover* cover, bool sound)
{
    twError err;
    twStageBodyDef body = tw_stage_body_def();
    body.name = "ball";
    body.shape = ball->shape;
    body.modes = ball->set;
    body.cover = cover;
    twContactMaterial material = {.young = 1e6, .poisson = 0.45, .stick = 0.5, .slide = 0.5, .restitution = 0.5};
    twStageDef def = tw_stage_def();
    def.bodies = &body;
    def.body_count = 1;
    def.materials = &material;
    def.material_count = 1;
    def.max_grabs = MOST_POINTS;
    def.sound_rate_hz = sound ? RATE : 0;
    def.ear = tw_ear_def();
    def.ear.position = tw_vec3(0.5, 0, 0);
    Drag d = {.points = points};
    check("stage", tw_stage_create(&d.stage, &def, &err), &err);
    for (int i = 0; i < points; i++)
    {
        twGrabDef grab = tw_grab_def();
        grab.point = tw_stage_vertex(tw_body_shape_nearest(ball->shape, around(i, points)));
        grab.here = true;
        d.at[i] = ball->set->vertices[grab.point.vertex[0]];
        if (!tw_stage_grab(d.stage, i, &grab)) bench_leave("grab", &(twError){.text = "refused"});
    }
    tw_stage_advance(d.stage, 0.1);
    return d;
}

static void move_hands(Drag* d)
{
    d->time += FRAME;
    for (int i = 0; i < d->points; i++) tw_stage_move(d->stage, i, hand_at(d, i), FRAME);
}

static void drag_frame(Drag* d)
{
    move_hands(d);
    tw_stage_advance(d->stage, FRAME);
}

// seconds of a step that is handed out by itself, and of a frame of 1/60 s
static void time_drag(Drag* d, int frames, double* step, double* frame)
{
    double begin = bench_cpu_seconds();
    const double steps = 16;
    for (int i = 0; i < frames; i++)
    {
        move_hands(d);
        for (int k = 0; k < steps; k++) tw_stage_advance(d->stage, 1e-3);
    }
    *step = smaller(*step, (bench_cpu_seconds() - begin) / (frames * steps));
    begin = bench_cpu_seconds();
    for (int i = 0; i < frames; i++) drag_frame(d);
    *frame = smaller(*frame, (bench_cpu_seconds() - begin) / frames);
}

// ---- vertices ----

typedef struct Canvas
{
    Drag* drag;
    int vertices;
    float *positions, *normals;
} Canvas;

static Canvas make_canvas(Drag* d)
{
    Canvas c = {.drag = d, .vertices = tw_cover_vertices(tw_stage_cover(d->stage, 0))};
    c.positions = room(3 * (size_t)c.vertices, sizeof *c.positions);
    c.normals = room(3 * (size_t)c.vertices, sizeof *c.normals);
    return c;
}

static void free_canvas(Canvas* c)
{
    free(c->positions);
    free(c->normals);
}

static void draw_places(void* context)
{
    Canvas* c = context;
    tw_stage_vertices(c->drag->stage, tw_stage_view(c->drag->stage), 0, c->positions, NULL);
}

static void draw_all(void* context)
{
    Canvas* c = context;
    tw_stage_vertices(c->drag->stage, tw_stage_view(c->drag->stage), 0, c->positions, c->normals);
}

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
    const twStagePose* pose = &tw_stage_view(p->canvas->drag->stage)->bodies[0];
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

// ---- what the machine can do ----

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2,fma")))
#else
#define WIDE
#endif

typedef float Floats __attribute__((vector_size(BLOCK_BYTES)));
typedef double Doubles __attribute__((vector_size(BLOCK_BYTES)));

typedef struct Stretch
{
    const Floats* data;
    size_t count;  // of blocks; a multiple of 8
} Stretch;

// read it once, from one end to the other
WIDE static void read_stretch(void* context)
{
    const Stretch* s = context;
    Floats sum[8] = {{0}};
    for (size_t i = 0; i + 8 <= s->count; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += s->data[i + (size_t)k];
    for (int k = 1; k < 8; k++) sum[0] += sum[k];
    bench_keep((double)sum[0][0]);
}

enum
{
    CHAINS = 10,
    LINKS = 1 << 16
};

// 2 flops x 4 lanes x CHAINS x LINKS
WIDE static void spin_flops(void* context)
{
    const double* factor = context;
    Doubles x[CHAINS], f = (Doubles){0} + *factor, one = (Doubles){0} + 1;
    for (int k = 0; k < CHAINS; k++) x[k] = one * k;
    for (int i = 0; i < LINKS; i++)
        for (int k = 0; k < CHAINS; k++) x[k] = x[k] * f + one;
    for (int k = 1; k < CHAINS; k++) x[0] += x[k];
    bench_keep(x[0][0]);
}

static bool wide_runs(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

// ---- a surface of some size ----

typedef struct Size
{
    const char* name;
    double cells;  // the ball has 60 cells^2 + 2 vertices
    bool quick;
} Size;

static const Size sizes[] = {
    {"1k", 4, true},   {"3k", 7, true},     {"10k", 13, true},   {"20k", 19, true},
    {"30k", 22, true}, {"100k", 41, false}, {"300k", 71, false},
};
#define SIZE_COUNT ((int)(sizeof sizes / sizeof *sizes))

static double edge_of(const Size* size) { return 0.556 * RADIUS / (size->cells - 0.05); }

typedef struct Cost
{
    int vertices;
    double step, frame, places, all, plain, hung, sound, differs;  // [s]; differs: over the radius
    double read;                                                   // [s] as many bytes as are read for the vertices
} Cost;

static void time_sound(Drag* d, Cost* cost, int frames)
{
    float* out = room((size_t)(SOUND_FRAMES * tw_stage_channels(d->stage)), sizeof *out);
    double took = 0;
    for (int i = 0; i < frames; i++)
    {
        drag_frame(d);
        const double begin = bench_cpu_seconds();
        tw_stage_sound(d->stage, out, SOUND_FRAMES);
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
    tw_stage_destroy(d.stage);
    tw_stage_destroy(heard.stage);
    tw_stage_destroy(hung.stage);
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

static void report_sizes(BenchReport* report, const twModeSet* coarse, const BenchOptions* options)
{
    Cost first = {0}, last = {0};
    for (int i = 0; i < SIZE_COUNT; i++)
    {
        if (options->quick && !sizes[i].quick) continue;
        char name[32];
        snprintf(name, sizeof name, "v%s", sizes[i].name);
        last = measure(coarse, &sizes[i], options);
        if (i == 0) first = last;
        tell_size(report, name, &last);
    }
    const double growth = log((double)last.vertices / first.vertices);
    bench_figure(report, "step_exponent", log(last.step / first.step) / growth, "of simulation over vertices; 0: none");
    bench_figure(report, "vertices_exponent", log(last.places / first.places) / growth, "of drawing over vertices");
}

// ---- the solver beside a plain one ----

enum
{
    ROWS = 3 * POINTS,
    UNKNOWNS = 6 + MODES
};

typedef struct PlainStep
{
    double rows[ROWS][UNKNOWNS], matrix[ROWS][ROWS], b[ROWS];
    double speed[UNKNOWNS], q[MODES], turn[MODES][4], s[MODES];
} PlainStep;

// Gauss with pivots in a column, plain
static void plain_solve(double a[ROWS][ROWS], double* b)
{
    for (int k = 0; k < ROWS; k++)
    {
        int best = k;
        for (int i = k + 1; i < ROWS; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int j = 0; j < ROWS; j++)
        {
            const double t = a[k][j];
            a[k][j] = a[best][j], a[best][j] = t;
        }
        const double t = b[k];
        b[k] = b[best], b[best] = t;
        for (int i = k + 1; i < ROWS; i++)
        {
            const double f = a[i][k] / a[k][k];
            for (int j = k; j < ROWS; j++) a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = ROWS - 1; k >= 0; k--)
    {
        for (int j = k + 1; j < ROWS; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

static void plain_half(PlainStep* p, bool way)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
        {
            double sum = i == j ? 1e-9 : 0;
            for (int k = 0; k < UNKNOWNS; k++) sum += p->rows[i][k] * p->rows[j][k] * (way && k >= 6 ? p->s[k - 6] : 1);
            p->matrix[i][j] = sum;
        }
    for (int i = 0; i < ROWS; i++)
    {
        p->b[i] = 1e-3 * i;
        for (int k = 0; k < UNKNOWNS; k++) p->b[i] -= p->rows[i][k] * p->speed[k];
    }
    plain_solve(p->matrix, p->b);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < UNKNOWNS; k++) p->speed[k] += p->rows[i][k] * p->b[i];
}

// the arithmetic of a step without anything around it: two systems, and the oscillators in between
static void plain_step(void* context)
{
    PlainStep* p = context;
    plain_half(p, true);
    for (int k = 0; k < MODES; k++)
    {
        const double q = p->q[k], v = p->speed[6 + k];
        p->q[k] = p->turn[k][0] * q + p->turn[k][1] * v;
        p->speed[6 + k] = p->turn[k][2] * q + p->turn[k][3] * v;
    }
    plain_half(p, false);
    bench_keep(p->speed[7]);
}

static PlainStep* make_plain_step(void)
{
    twRng rng = tw_rng(1);
    PlainStep* p = room(1, sizeof *p);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < UNKNOWNS; k++) p->rows[i][k] = tw_rng_uniform(&rng) - 0.5;
    for (int k = 0; k < MODES; k++)
    {
        const double w = 2 * TW_PI * (74 + 2 * k), h = 1e-3;
        p->s[k] = sin(w * h) / w / h;
        p->turn[k][0] = p->turn[k][3] = cos(w * h);
        p->turn[k][1] = sin(w * h) / w, p->turn[k][2] = -w * sin(w * h);
    }
    return p;
}

// multiplications and additions of a step with ten points: matrices, their factors by elimination, the rest
static double step_flops(void)
{
    const double n = ROWS, u = UNKNOWNS;
    return 2 * (2 * n * n * u + 2.0 / 3 * n * n * n + 2 * n * n + 4 * n * u) + 8 * MODES;
}

static void report_solver(BenchReport* report, const Ball* ball)
{
    double step = 0, frame = 0, factor = 1e-3;
    PlainStep* plain = make_plain_step();
    Drag d = make_drag(ball, POINTS, NULL, false);
    BenchTimer scalar = bench_timer(plain_step, plain, 0.02);
    BenchTimer peak = bench_timer(wide_runs() ? spin_flops : plain_step, wide_runs() ? (void*)&factor : plain, 0.02);
    BenchTimer* const timers[] = {&scalar, &peak};
    const int64_t before = tw_stage_view(d.stage)->stats.repeated, from = tw_stage_view(d.stage)->stats.steps;
    for (int round = 0; round < 7; round++)
    {
        time_drag(&d, 20, &step, &frame);
        bench_rounds(timers, 2, 1);
    }
    const twStageStats s = tw_stage_view(d.stage)->stats;
    const double gflops = 1e-9 * step_flops() / step, most = 1e-9 * 8.0 * CHAINS * LINKS / peak.best;
    bench_figure(report, "step_us", 1e6 * frame / (FRAME * 1e3), "a step of 40 modes and 10 points");
    bench_figure(report, "step_alone_us", 1e6 * step, "and handed out by itself");
    bench_figure(report, "plain_step_us", 1e6 * scalar.best, "its arithmetic alone, plainly");
    bench_figure(report, "step_over_plain", step / scalar.best, "");
    bench_figure(report, "step_gflops", gflops, "of the arithmetic that is needed");
    if (wide_runs()) bench_figure(report, "peak_gflops", most, "of this core, double, multiply and add");
    if (wide_runs()) bench_figure(report, "flops_share", gflops / most, "");
    bench_figure(report, "newton_rounds", (double)(s.repeated - before) / (double)(s.steps - from),
                 "per step, beyond the first");
    bench_figure(report, "resets", (double)s.resets, "bodies that were lost");
    tw_stage_destroy(d.stage);
    free(plain);
}

// ---- points ----

static void report_points(BenchReport* report, const Ball* ball)
{
    static const int counts[] = {1, 2, 4, 8, 10, 16, 32, 64};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    {
        char name[32];
        double step = 0, frame = 0;
        Drag d = make_drag(ball, counts[i], NULL, false);
        for (int round = 0; round < 5; round++) time_drag(&d, counts[i] > 16 ? 4 : 10, &step, &frame);
        snprintf(name, sizeof name, "points_%d", counts[i]);
        tell(report, name, "steps", 1 / step, "per second");
        tell(report, name, "frames", 1 / frame, "of 1/60 s, per second; more than 15 points leave 40 modes no freedom");
        tw_stage_destroy(d.stage);
    }
}

// ---- even frames ----

static int by_size(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void tell_frames(BenchReport* report, const char* name, double* took, int count)
{
    qsort(took, (size_t)count, sizeof *took, by_size);
    tell(report, name, "median_us", 1e6 * took[count / 2], "a frame of 1/60 s with vertices, normals and sound");
    tell(report, name, "p99_us", 1e6 * took[count * 99 / 100], "");
    tell(report, name, "p99_over_median", took[count * 99 / 100] / took[count / 2], "");
}

static void report_frames(BenchReport* report, const Ball* ball, const BenchOptions* options)
{
    const int count = options->quick ? 300 : 1200;
    double *cpu = room((size_t)count, sizeof *cpu), *wall = room((size_t)count, sizeof *wall);
    Drag d = make_drag(ball, POINTS, NULL, true);
    Canvas canvas = make_canvas(&d);
    float* out = room((size_t)(SOUND_FRAMES * tw_stage_channels(d.stage)), sizeof *out);
    for (int i = -20; i < count; i++)
    {
        const double begin = bench_cpu_seconds(), began = wall_seconds();
        drag_frame(&d);
        draw_all(&canvas);
        tw_stage_sound(d.stage, out, SOUND_FRAMES);
        if (i < 0) continue;
        cpu[i] = bench_cpu_seconds() - begin;
        wall[i] = wall_seconds() - began;
    }
    tell_frames(report, "frame", cpu, count);
    tell_frames(report, "frame_wall", wall, count);
    free(out);
    free_canvas(&canvas);
    tw_stage_destroy(d.stage);
    free(cpu);
    free(wall);
}

// ---- contacts ----

typedef struct Meeting
{
    twStageBodyDef bodies[3];
    twBodyShape* floor;
    twStage* stage;
} Meeting;

// two balls that fly at each other, or lie on a floor, one on the other
static void make_meeting(Meeting* m, const Ball* ball, bool pile, twStageContact contact)
{
    twError err;
    twMesh* box = NULL;
    twShape* shape = NULL;
    check("floor", tw_shape_parse(&shape, "box:2x2x0.2", &err), &err);
    check("floor", tw_shape_surface(&box, shape, 0.5, &err), &err);
    twBodyShapeDef floor = tw_body_shape_def();
    floor.mesh = box;
    check("floor", tw_body_shape_create(&m->floor, &floor, &err), &err);
    for (int i = 0; i < 3; i++)
    {
        m->bodies[i] = tw_stage_body_def();
        m->bodies[i].name = i < 2 ? "ball" : "floor";
        m->bodies[i].shape = i < 2 ? ball->shape : m->floor;
        m->bodies[i].modes = i < 2 ? ball->set : NULL;
        m->bodies[i].motion.position =
            pile ? tw_vec3(0, 0, 0.1 + 0.2 * i) : tw_vec3(i == 0 ? -0.12 : 0.12, 0, 0.02 * i);
        if (!pile) m->bodies[i].motion.velocity = tw_vec3(i == 0 ? 1 : -1, 0, 0);
    }
    m->bodies[2].kind = TW_BODY_FIXED;
    m->bodies[2].motion = (twBodyMotion){.position = {0, 0, -0.1}, .turn = {1, 0, 0, 0}};
    twContactMaterial material = {.young = 1e6, .poisson = 0.45, .stick = 0.5, .slide = 0.5, .restitution = 0.5};
    twStageDef def = tw_stage_def();
    def.bodies = m->bodies;
    def.body_count = pile ? 3 : 2;
    if (!pile) def.gravity = tw_vec3(0, 0, 0);
    def.materials = &material;
    def.material_count = 1;
    def.contact = contact;
    check("stage", tw_stage_create(&m->stage, &def, &err), &err);
    tw_shape_destroy(shape);
    tw_mesh_destroy(box);
}

static void report_meeting(BenchReport* report, const char* name, const Ball* ball, bool pile, twStageContact contact)
{
    Meeting m = {.floor = NULL};
    make_meeting(&m, ball, pile, contact);
    double worst = 0, took = 0, most = 0, free_way = 0;
    int touching = 0, alone = 0;
    const int steps = pile ? 600 : 120;
    for (int i = 0; i < steps; i++)
    {
        const int64_t before = tw_stage_view(m.stage)->stats.contacts;
        const double begin = bench_cpu_seconds();
        tw_stage_advance(m.stage, 1e-3);
        const double step = bench_cpu_seconds() - begin;
        const double contacts = (double)(tw_stage_view(m.stage)->stats.contacts - before);
        most = fmax(most, contacts);
        if (contacts > 0)
            took += step, worst = fmax(worst, step), touching++;
        else
            free_way += step, alone++;
    }
    const twStageStats s = tw_stage_view(m.stage)->stats;
    if (alone > 0) tell(report, name, "apart_us", 1e6 * free_way / alone, "a step without contact");
    tell(report, name, "touching_us", 1e6 * took / fmax(1, touching), "a step with contact");
    tell(report, name, "worst_us", 1e6 * worst, "");
    tell(report, name, "contacts", most, "in a step at most");
    tell(report, name, "dropped", (double)s.dropped_contacts, "contacts there was no room for");
    tell(report, name, "lost", (double)s.resets, "bodies");
    tell(report, name, "realtime", touching ? 1e-3 * touching / took : 0, "seconds simulated per second, in contact");
    tw_stage_destroy(m.stage);
    tw_body_shape_destroy(m.floor);
}

static void report_contacts(BenchReport* report, const twModeSet* coarse, const BenchOptions* options)
{
    for (int i = 0; i < (options->quick ? 1 : 3); i++)
    {
        static const int which[] = {0, 2, 3};
        const Size* size = &sizes[which[i]];
        char name[48];
        Ball ball = make_ball(coarse, edge_of(size), false);
        snprintf(name, sizeof name, "collide_%s", size->name);
        report_meeting(report, name, &ball, false, TW_STAGE_CONSTRAINT);
        snprintf(name, sizeof name, "collide_penalty_%s", size->name);
        report_meeting(report, name, &ball, false, TW_STAGE_PENALTY);
        snprintf(name, sizeof name, "pile_%s", size->name);
        report_meeting(report, name, &ball, true, TW_STAGE_CONSTRAINT);
        free_ball(&ball);
    }
}

int main(int argc, char** argv)
{
    const BenchOptions options =
        bench_options(&argc, argv, "up to 30k vertices, shorter", "one of sizes, solver, points, frames, contacts");
    BenchReport report = bench_report(argc, argv, "bench_grab");
    twModeSet* coarse = coarse_set();
    Ball usual = make_ball(coarse, edge_of(&sizes[3]), false);
    if (bench_wants(&options, "solver")) report_solver(&report, &usual);
    if (bench_wants(&options, "points")) report_points(&report, &usual);
    if (bench_wants(&options, "frames")) report_frames(&report, &usual, &options);
    free_ball(&usual);
    if (bench_wants(&options, "sizes")) report_sizes(&report, coarse, &options);
    if (bench_wants(&options, "contacts")) report_contacts(&report, coarse, &options);
    tw_mode_set_destroy(coarse);
    bench_end(&report);
    return 0;
}
