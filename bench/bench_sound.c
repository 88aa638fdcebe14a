// SPDX-License-Identifier: MIT
// What sound costs. Of a trace: seconds of sound per second of computing for 300, 1000 and 4000 modes on one and two threads; against a
// plain loop over modes; the evaluation of acoustic transfer; memory against the length of the trace. Of baking (sound_bake.c): cost of a
// mode against kR, and how right the default is. The trace: bodies of 125 modes, each struck ten times a second (a blow is twenty forces
// in half a millisecond), so that no mode ever falls silent. Busy: every fourth also lies on four contacts that change 4000 times a
// second, and every fourth turns in the air.
#define _DEFAULT_SOURCE
#include "sound.h"
#include "twang/sound.h"
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
    MODES = 125,  // of a body
    BLOW_FORCES = 20,
    BLOWS_PER_SECOND = 10,
    CONTACTS = 4,
    FRAMES_PER_SECOND = 60,
    LIE_RATE = 4000
};
static const double RATE = 44100, SECONDS = 4;
static const double THEIRS = 1;  // 3822 modes on 8 cores (Zheng and James 2011, Table 2)

// ---- a trace ----

typedef struct Body
{
    double freq_hz[MODES], decay[MODES];
    float* shape;  // (modes x vertices x 3)
    twModeSet set;
    twMesh* mesh;
} Body;

static void make_body(Body* b, twRng* rng)
{
    twError err = {0};
    twShape* shape;
    check(tw_shape_parse(&shape, "sphere:0.06", &err), &err);
    check(tw_shape_surface(&b->mesh, shape, 0.04, &err), &err);
    tw_shape_destroy(shape);
    const int count = b->mesh->vertex_count;
    b->shape = calloc((size_t)(MODES * count * 3), sizeof *b->shape);
    for (int k = 0; k < MODES; k++)
    {
        b->freq_hz[k] = 200 * pow(90, (k + tw_rng_uniform(rng)) / MODES);
        b->decay[k] = 4 + 2e-7 * b->freq_hz[k] * b->freq_hz[k];
        for (int i = 0; i < 3 * count; i++) b->shape[k * count * 3 + i] = (float)(4 * tw_rng_uniform(rng) - 2);
    }
    b->set = (twModeSet){.mode_count = MODES,
                         .vertex_count = count,
                         .face_count = b->mesh->face_count,
                         .rigid_modes = 6,
                         .freq_hz = b->freq_hz,
                         .decay = b->decay,
                         .shape = b->shape,
                         .vertices = b->mesh->vertices,
                         .faces = b->mesh->faces,
                         .mass = tw_mesh_mass(b->mesh, 2700),
                         .damping = {.kind = TW_DAMPING_MODES}};
}

static twContactForce force_on(int body, int contact, double time, double size, const Body* b)
{
    const int vertex = (7 * contact + body) % b->set.vertex_count;
    const twVec3 normal = tw_vec3_normalize(b->set.vertices[vertex]);
    return (twContactForce){.id = (uint64_t)(1 + 1000 * body + contact),
                            .time = time,
                            .body = {body, TW_NOWHERE},
                            .vertex = {{vertex, -1, -1}, {-1, -1, -1}},
                            .weight = {{1, 0, 0}},
                            .point = b->set.vertices[vertex],
                            .normal = tw_vec3_scale(normal, -1),
                            .force = tw_vec3_scale(normal, -size)};
}

static int by_time(const void* a, const void* b)
{
    const double x = ((const twContactForce*)a)->time, y = ((const twContactForce*)b)->time;
    return (x > y) - (x < y);
}

// the forces on all bodies between two times, sorted
static int forces_between(twContactForce* out, const Body* bodies, int count, double from, double until, bool busy,
                          twRng* rng)
{
    int n = 0;
    for (int i = 0; i < count; i++)
    {
        const double phase = (double)i / count;
        for (double blow = floor(from * BLOWS_PER_SECOND); blow <= until * BLOWS_PER_SECOND; blow++)
            for (int k = 0; k <= BLOW_FORCES; k++)
            {
                const double t = (blow + phase) / BLOWS_PER_SECOND + k * 0.5e-3 / BLOW_FORCES;
                const double size = k == BLOW_FORCES ? 0 : 20 * sin(TW_PI * (k + 0.5) / BLOW_FORCES);
                if (t >= from && t < until) out[n++] = force_on(i, 900, t, size, &bodies[i]);
            }
        for (int64_t k = (int64_t)ceil(from * LIE_RATE); busy && i % 4 == 0 && (double)k / LIE_RATE < until; k++)
            for (int c = 0; c < CONTACTS; c++)
                out[n++] = force_on(i, c, (double)k / LIE_RATE, 1 + 0.1 * tw_rng_uniform(rng), &bodies[i]);
    }
    qsort(out, (size_t)n, sizeof *out, by_time);
    return n;
}

static void write_trace(const char* path, int body_count, double seconds, bool busy)
{
    twRng rng = tw_rng(1);
    twError err = {0};
    Body* bodies = calloc((size_t)body_count, sizeof *bodies);
    twTraceBody* named = calloc((size_t)body_count, sizeof *named);
    twTracePose* poses = calloc((size_t)body_count, sizeof *poses);
    twContactForce* forces = calloc((size_t)body_count * 1024, sizeof *forces);
    char(*names)[32] = calloc((size_t)body_count, sizeof *names);
    if (!bodies || !named || !poses || !forces || !names) exit(1);
    for (int i = 0; i < body_count; i++)
    {
        make_body(&bodies[i], &rng);
        snprintf(names[i], sizeof names[i], "body-%d", i);
        named[i] = (twTraceBody){.name = names[i], .material = "ceramic", .set = &bodies[i].set};
    }
    twTraceDef def = tw_trace_def();
    def.body_count = body_count;
    def.bodies = named;
    twTraceWriter* writer;
    check(tw_trace_create(&writer, path, &def, &err), &err);
    for (int k = 0; k <= (int)(seconds * FRAMES_PER_SECOND); k++)
    {
        const double time = (double)k / FRAMES_PER_SECOND, next = (double)(k + 1) / FRAMES_PER_SECOND;
        for (int i = 0; i < body_count; i++)
        {
            poses[i].position = tw_vec3(0.2 * (i % 8), 0.2 * (i / 8), 0);
            poses[i].turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), busy && i % 4 == 1 ? 6 * time : 0);
        }
        const twTraceFrame frame = {.bodies = poses};
        check(tw_trace_append(writer, &frame, &err), &err);
        const int n = forces_between(forces, bodies, body_count, time, next, busy, &rng);
        check(tw_trace_append_forces(writer, forces, n, &err), &err);
    }
    check(tw_trace_commit(&writer, &err), &err);
    for (int i = 0; i < body_count; i++) tw_mesh_destroy(bodies[i].mesh), free(bodies[i].shape);
    free(names), free(forces), free(poses), free(named), free(bodies);
}

// ---- sound ----

static twSoundDef sound_def(const char* path, twSoundEar* ear, int threads)
{
    twSoundDef def = tw_sound_def();
    *ear = (twSoundEar){.def = tw_ear_def()};
    ear->def.position = tw_vec3(0.5, -1, 0.8);
    def.path = path;
    def.threads = threads;
    def.ear_count = 1;
    def.ears = ear;
    return def;
}

// wall-clock seconds of the whole pass
static double time_sound(const char* path, int threads)
{
    twError err = {0};
    twSoundEar ear;
    const twSoundDef def = sound_def(path, &ear, threads);
    const double start = tw_seconds();
    twSound* sound;
    check(tw_sound_open(&sound, &def, &err), &err);
    for (int count = 1; count > 0;)
    {
        const float* const* given;
        check(tw_sound_next(sound, &given, &count, &err), &err);
        if (count > 0) bench_keep((double)given[0][0]);
    }
    tw_sound_close(sound);
    return tw_seconds() - start;
}

// the same modes, one after the other, sample by sample, with one weight each: what a plain program would do
static double time_plain(int modes)
{
    const int samples = 4410;
    double *c = calloc((size_t)modes, sizeof *c), *s = calloc((size_t)modes, sizeof *s),
           *x = calloc((size_t)modes, sizeof *x), *y = calloc((size_t)modes, sizeof *y);
    if (!c || !s || !x || !y) exit(1);
    for (int k = 0; k < modes; k++)
    {
        c[k] = 0.999 * cos(0.001 * k + 0.05), s[k] = 0.999 * sin(0.001 * k + 0.05);
        x[k] = 1;
    }
    const double start = tw_seconds();
    for (int n = 0; n < samples; n++)
    {
        double out = 0;
        for (int k = 0; k < modes; k++)
        {
            const double turned = c[k] * x[k] - s[k] * y[k];
            y[k] = s[k] * x[k] + c[k] * y[k];
            x[k] = turned;
            out += y[k];
        }
        bench_keep(out);
    }
    const double seconds = tw_seconds() - start;
    free(c), free(s), free(x), free(y);
    return seconds * RATE / samples;
}

static double megabytes_of(const char* path)
{
    const pid_t child = fork();
    if (child == 0)
    {
        time_sound(path, 1);
        _exit(0);
    }
    struct rusage usage;
    int status = 0;
    wait4(child, &status, 0, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static double best_of(const char* path, int threads)
{
    double best = HUGE_VAL;
    for (int round = 0; round < 3; round++) best = fmin(best, time_sound(path, threads));
    return best;
}

static void report_modes(BenchReport* report, const char* folder, int body_count, const char* label)
{
    char path[512], key[64];
    double plain = HUGE_VAL;
    snprintf(path, sizeof path, "%s/bench.twtrace", folder);
    for (int round = 0; round < 3; round++) plain = fmin(plain, time_plain(body_count * MODES));
    for (int busy = 0; busy < 2; busy++)
    {
        const char* kind = busy ? "_busy" : "";
        write_trace(path, body_count, SECONDS, busy);
        const double one = best_of(path, 1), two = best_of(path, 2);
        snprintf(key, sizeof key, "modes_%s%s_one_thread", label, kind);
        bench_figure(report, key, SECONDS / one,
                     busy ? "and with bodies that lie and turn" : "seconds of sound per second");
        snprintf(key, sizeof key, "modes_%s%s_two_threads", label, kind);
        bench_figure(report, key, SECONDS / two, "the same on two threads");
        snprintf(key, sizeof key, "modes_%s%s_plain_ratio", label, kind);
        bench_figure(report, key, SECONDS * plain / one, "times as fast as a plain loop over modes without forces");
    }
    unlink(path);
}

static void report_memory(BenchReport* report, const char* folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s/bench.twtrace", folder);
    const double lengths[] = {2, 20};
    double used[2];
    for (int i = 0; i < 2; i++)
    {
        write_trace(path, 2, lengths[i], true);
        used[i] = megabytes_of(path);
    }
    bench_figure(report, "memory_2_s_mb", used[0], "largest memory, trace of 2 s");
    bench_figure(report, "memory_20_s_mb", used[1], "trace of 20 s");
    unlink(path);
}

static void report_transfer(BenchReport* report)
{
    twRng rng = tw_rng(2);
    twError err = {0};
    Body body;
    make_body(&body, &rng);
    twTransfer* transfer;
    const double start = tw_seconds();
    check(tw_transfer_estimate(&transfer, &body.set, 343.2, 1.204, &err), &err);
    bench_figure(report, "estimate_us", 1e6 * (tw_seconds() - start) / MODES, "per mode: transfer without baking");
    float* out = calloc(2 * MODES, sizeof *out);
    float* work = calloc(tw_transfer_work(transfer) + 1, sizeof *work);
    if (!out || !work) exit(1);
    double best = HUGE_VAL;
    for (int round = 0; round < 20; round++)
    {
        const double begin = tw_seconds();
        for (int k = 0; k < 20; k++) tw_transfer_weights(transfer, tw_vec3(1, 0.1 * k, 0.3 * round), out, work);
        best = fmin(best, (tw_seconds() - begin) / 20);
    }
    bench_figure(report, "evaluate_us", 1e6 * best / MODES, "per mode, place and block: weights of a listener");
    free(out), free(work);
    tw_transfer_destroy(transfer);
    tw_mesh_destroy(body.mesh);
    free(body.shape);
}

static int report_traces(BenchReport* report)
{
    const char* parent = getenv("TMPDIR");
    char folder[256];
    snprintf(folder, sizeof folder, "%s/twang_bench_XXXXXX", parent && parent[0] ? parent : P_tmpdir);
    if (!mkdtemp(folder)) return 1;
    report_modes(report, folder, 3, "300");
    report_modes(report, folder, 8, "1000");
    report_modes(report, folder, 32, "4000");
    bench_figure(report, "theirs", THEIRS, "3822 modes on eight cores (Zheng and James 2011)");
    report_memory(report, folder);
    rmdir(folder);
    return 0;
}

int main(int argc, char** argv)
{
    const BenchOptions options =
        bench_options(&argc, argv, "no accuracy of baking",
                      "trace, transfer, cost, accuracy or left: modes that a budget leaves out");
    BenchReport report = bench_report(argc, argv, "bench_sound");
    bench_check_only(&options, "bench_sound", "trace transfer cost accuracy left");
    int failed = 0;
    if (bench_wants(&options, "trace")) failed = report_traces(&report);
    if (bench_wants(&options, "transfer")) report_transfer(&report);
    if (bench_wants(&options, "cost")) report_bake_cost(&report);
    if (bench_wants(&options, "accuracy") && !options.quick) report_bake_accuracy(&report);
    if (bench_wants(&options, "left") && !options.quick) report_bake_left(&report);
    bench_end(&report);
    return failed;
}
