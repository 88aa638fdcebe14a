// SPDX-License-Identifier: MIT
// How many contact voices one core sounds in real time at 44.1 kHz, and what they cost. A voice is a free mass of 10 g
// against an object of N modes spread from 50 Hz to 18 kHz, with one pickup:
//
//   impact    N modes of 1 kg, k = 1e8, mu = 1, a = 1.5, struck at 3 m/s ten times a second
//   pressed   the same, the mass pressed on by 50 N all the time
//   friction  N modes of 10 g, f_N = 0.5 N, bristles s0 = 5000, s1 = 1, s2 = 0.2, noise 0.01 N, pulled by 0.3 N
//
// All times are processor time of the thread. The plain reference is the textbook method: bilinear modes, one scalar
// loop over them per sample, Newton on the K-method equation.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "contact/net.h"
#include "twang/contact.h"
#include "twang/math.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum
{
    BLOCK = 64,
    STRIKE_BLOCKS = 69,  // ten strikes a second
    BLOCKS = 3000,       // for the spread of block times
    ROUNDS = 8,          // over all cases, so that a busy moment of the machine spoils none of them
    WINDOWS = 6          // timings per case and round; the best counts
};
static const double RATE = 44100, WINDOW_SECONDS = 1e-3;

typedef enum VoiceKind
{
    IMPACT,
    PRESSED,
    FRICTION,
} VoiceKind;

static const char* const kind_names[] = {"impact", "pressed", "friction"};

// ---- voices ----

static double mode_freq(int k, int modes) { return 50 * pow(360, (k + 0.5) / modes); }
static double mode_decay(int k, int modes) { return 1 + 49 * (k + 0.5) / modes; }

typedef struct Voice
{
    VoiceKind kind;
    twNet* net;
    int block;  // count
    double force[BLOCK], out[BLOCK];
} Voice;

static twModes* voice_modes(int modes, double mass_each)
{
    double* freq = malloc((size_t)modes * 3 * sizeof *freq);
    double *decay = freq + modes, *mass = decay + modes;
    for (int k = 0; k < modes; k++)
    {
        freq[k] = mode_freq(k, modes);
        decay[k] = mode_decay(k, modes);
        mass[k] = mass_each;
    }
    twModesDef def = tw_modes_def();
    def.mode_count = modes;
    def.freq_hz = freq, def.decay = decay, def.mass = mass;
    twModes* result = NULL;
    if (tw_modes_create(&result, &def, NULL) != TW_OK) exit(1);
    free(freq);
    return result;
}

static twFrictionLaw voice_friction(void)
{
    return (twFrictionLaw){.stiffness = 5000,
                           .damping = 1,
                           .viscosity = 0.2,
                           .noise = 0.01,
                           .static_friction = 0.95,
                           .dynamic_friction = 0.15,
                           .stribeck = 0.1,
                           .breakaway = 0.2};
}

static Voice voice(VoiceKind kind, int modes)
{
    twModes *mass = NULL, *object = voice_modes(modes, kind == FRICTION ? 0.01 : 1);
    if (tw_modes_rigid(&mass, 0.01, NULL) != TW_OK) exit(1);
    twNetObject objects[2] = {{.modes = mass}, {.modes = object}};
    twContactDef contact = tw_contact_def();
    contact.has_impact = kind != FRICTION;
    contact.impact = (twImpactLaw){.stiffness = 1e8, .exponent = 1.5, .dissipation = 1};
    contact.has_friction = kind == FRICTION;
    contact.friction = voice_friction();
    contact.normal_force = 0.5;
    twNetInput input = {.kind = TW_IN_FORCE, .object = 0};
    twNetOutput output = {.kind = TW_OUT_DISPLACEMENT, .object = 1};
    twNetDef def = tw_net_def();
    def.rate_hz = RATE;
    def.object_count = 2, def.objects = objects;
    def.contact_count = 1, def.contacts = &contact;
    def.input_count = 1, def.inputs = &input;
    def.output_count = 1, def.outputs = &output;
    Voice v = {.kind = kind};
    if (tw_net_create(&v.net, &def, NULL) != TW_OK) exit(1);
    tw_modes_destroy(mass), tw_modes_destroy(object);
    for (int i = 0; i < BLOCK; i++) v.force[i] = kind == PRESSED ? 50 : kind == FRICTION ? 0.3 : 0;
    return v;
}

static void run_voice(void* context)
{
    Voice* v = context;
    const double* in = v->force;
    double* out = v->out;
    if (v->kind == IMPACT && v->block % STRIKE_BLOCKS == 0) tw_net_strike(v->net, 0, 3);
    v->block++;
    tw_net_process(v->net, &in, &out, BLOCK);
    bench_keep(out[BLOCK / 2]);
}

// the modes alone, without any contact
static void run_pass(void* context)
{
    Voice* v = context;
    for (int i = 0; i < BLOCK; i++)
    {
        pass_one(&v->net->objects[0].pass);
        v->net->pass(&v->net->objects[1].pass);
    }
    bench_keep(v->net->objects[1].pass.port_x[0]);
}

// best processor time of a block [s], over whole turns of the strikes
static double block_seconds(BenchJob job, void* context)
{
    double best = HUGE_VAL;
    for (int window = 0; window < WINDOWS; window++)
    {
        double begin = bench_cpu_seconds(), took = 0;
        int blocks = 0;
        while (took < WINDOW_SECONDS)
        {
            for (int i = 0; i < STRIKE_BLOCKS; i++) job(context);
            blocks += STRIKE_BLOCKS;
            took = bench_cpu_seconds() - begin;
        }
        best = fmin(best, took / blocks);
    }
    return best;
}

// ---- spread of block times ----

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// 99th percentile over median of single blocks
static double block_spread(Voice* v)
{
    static double took[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
    {
        double begin = bench_cpu_seconds();
        run_voice(v);
        took[i] = bench_cpu_seconds() - begin;
    }
    qsort(took, BLOCKS, sizeof *took, by_size);
    return took[BLOCKS * 99 / 100] / took[BLOCKS / 2];
}

// ---- the plain reference ----

typedef struct Plain
{
    VoiceKind kind;
    int modes;
    double *x, *v, *xx, *xv, *vx, *vv, *bx, *bv;  // state, step and input of each mode; the mass is mode 0
    double force, z, y, kx, kv;
    unsigned noise;
    double out[BLOCK];
} Plain;

static void plain_mode(Plain* p, int k, double freq, double decay, double mass)
{
    double w2 = 4 * TW_PI * TW_PI * freq * freq, d = RATE * RATE + decay * RATE + w2 / 4;
    p->xx[k] = 1 - w2 / (2 * d);
    p->xv[k] = RATE / d;
    p->vx[k] = -RATE * w2 / d;
    p->vv[k] = 2 * RATE * RATE / d - 1;
    p->bx[k] = 1 / (4 * mass * d);
    p->bv[k] = RATE / (2 * mass * d);
    p->kx += p->bx[k];
    p->kv += p->bv[k];
}

static Plain plain(VoiceKind kind, int modes)
{
    Plain p = {.kind = kind, .modes = modes + 1, .noise = 1};
    double* block = calloc((size_t)p.modes * 8, sizeof *block);
    double** arrays[] = {&p.x, &p.v, &p.xx, &p.xv, &p.vx, &p.vv, &p.bx, &p.bv};
    for (int i = 0; i < 8; i++) *arrays[i] = block + i * p.modes;
    plain_mode(&p, 0, 0, 0, 0.01);
    for (int k = 0; k < modes; k++)
        plain_mode(&p, k + 1, mode_freq(k, modes), mode_decay(k, modes), kind == FRICTION ? 0.01 : 1);
    return p;
}

// one mode: complete the state with the force of the last sample, step, add the part that force has in the next one
static inline void plain_step(Plain* p, int k, double force)
{
    double fx = p->bx[k] * force, fv = p->bv[k] * force, x = p->x[k] + fx, v = p->v[k] + fv;
    p->x[k] = p->xx[k] * x + p->xv[k] * v + fx;
    p->v[k] = p->vx[k] * x + p->vv[k] * v + fv;
}

static double plain_impact(const Plain* p, double x, double v)
{
    double y = 0;
    for (int i = 0; i < 30; i++)
    {
        double at = x - p->kx * y, rate = v - p->kv * y;
        if (at <= 0)
        {
            y *= 0.5;
            continue;
        }
        double elastic = 1e8 * pow(at, 1.5), damp = 1 + rate, gap = elastic * damp - y;
        double slope = -(1.5 * elastic / at * p->kx * damp + elastic * p->kv) - 1, step = gap / slope;
        y -= step;
        if (fabs(step) <= 1e-12 * fabs(y) + 1e-18) break;
    }
    return y > 0 ? y : 0;
}

static double plain_friction(Plain* p, double v_free)
{
    const double s0 = 5000, s1 = 1, s2 = 0.2, fs = 0.475, fc = 0.075, vs = 0.1, zb = 0.2 * fc / s0, k2 = 0.5 / RATE;
    double loaded = 1 + s2 * p->kv, k1 = -p->kv * (s0 * k2 + s1) / loaded, y = p->y, v = 0, z = 0;
    p->noise = p->noise * 1664525u + 1013904223u;
    double w = 0.01 * ((double)p->noise / 2147483648.0 - 1), z_known = p->z + k2 * p->y;
    double v_known = (v_free - p->kv * (s0 * z_known + w)) / loaded;
    for (int i = 0; i < 30; i++)
    {
        v = v_known + k1 * y, z = z_known + k2 * y;
        double e = exp(-(v / vs) * (v / vs)), g = (fc + (fs - fc) * e) / s0,
               g_rise = -2 * v / (vs * vs) * (fs - fc) * e / s0;
        double alpha = 0, by_z = 0, by_g = 0, size = fabs(z);
        if (v * z > 0 && size >= g)
            alpha = 1;
        else if (v * z > 0 && size > zb)
        {
            double q = (size - 0.5 * (g + zb)) / (g - zb);
            alpha = 0.5 + 0.5 * sin(TW_PI * q);
            by_z = 0.5 * TW_PI * cos(TW_PI * q) / (g - zb);
            by_g = -by_z * (0.5 + q);
        }
        double speed = fabs(v), gap = v - alpha * speed * z / g - y;
        double dv = 1 - alpha * (v < 0 ? -1 : 1) * z / g - speed * z / g * g_rise * (by_g - alpha / g);
        double dz = -speed / g * (alpha + size * by_z), step = gap / (k1 * dv + k2 * dz - 1);
        y -= step;
        if (fabs(step) < 1e-12 * fabs(y) + 1e-16) break;
    }
    v = v_known + k1 * y, z = z_known + k2 * y;
    p->y = y, p->z = z;
    return s0 * z + s1 * y + s2 * v + w;
}

static void run_plain(void* context)
{
    Plain* p = context;
    double pull = p->kind == PRESSED ? 50 : p->kind == FRICTION ? 0.3 : 0, side = p->kind == FRICTION ? -1 : 1;
    for (int i = 0; i < BLOCK; i++)
    {
        // side * force acts on the object, the opposite on the mass
        double x = 0, v = 0, f = side * p->force;
        plain_step(p, 0, pull - f);
        double x_mass = p->x[0] + p->bx[0] * pull, v_mass = p->v[0] + p->bv[0] * pull;
        for (int k = 1; k < p->modes; k++)
        {
            plain_step(p, k, f);
            x += p->x[k];
            v += p->v[k];
        }
        if (p->kind == FRICTION)
            p->force = plain_friction(p, v - v_mass);
        else
            p->force = x_mass > x ? plain_impact(p, x_mass - x, v_mass - v) : 0;
        p->out[i] = x;
    }
    bench_keep(p->out[BLOCK / 2]);
}

// ---- the limit of the modal pass ----

// Operations of one vector of modes with one port and one pickup (pass_kernel.h): 12 that a fused multiply-add unit does,
// 20 floating point operations per mode.
enum
{
    PASS_UNITS = 12,
    PASS_FLOPS = 20,
    PEAK_STEPS = 400
};

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static double peak_avx512(double seed)
{
    __m512d a = _mm512_set1_pd(0.999), b = _mm512_set1_pd(seed), v[12];
    for (int k = 0; k < 12; k++) v[k] = _mm512_set1_pd(k);
    for (int i = 0; i < PEAK_STEPS; i++)
    {
        v[0] = _mm512_fmadd_pd(v[0], a, b), v[1] = _mm512_fmadd_pd(v[1], a, b), v[2] = _mm512_fmadd_pd(v[2], a, b);
        v[3] = _mm512_fmadd_pd(v[3], a, b), v[4] = _mm512_fmadd_pd(v[4], a, b), v[5] = _mm512_fmadd_pd(v[5], a, b);
        v[6] = _mm512_fmadd_pd(v[6], a, b), v[7] = _mm512_fmadd_pd(v[7], a, b), v[8] = _mm512_fmadd_pd(v[8], a, b);
        v[9] = _mm512_fmadd_pd(v[9], a, b), v[10] = _mm512_fmadd_pd(v[10], a, b), v[11] = _mm512_fmadd_pd(v[11], a, b);
    }
    for (int k = 1; k < 12; k++) v[0] = _mm512_add_pd(v[0], v[k]);
    return _mm512_reduce_add_pd(v[0]);
}
#endif

static void run_peak(void* context)
{
    double* seed = context;
    *seed += 1e-9;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) bench_keep(peak_avx512(*seed));
#endif
}

// ---- figures ----

typedef struct Case
{
    VoiceKind kind;
    int modes;
    Voice voice, idle;  // idle is never played: only its modes are stepped
    Plain plain;
    double seconds, pass, reference, spread;  // the best so far; block, its modes, the plain loop's block
} Case;

static Case case_of(VoiceKind kind, int modes)
{
    Case c = {kind,     modes,   voice(kind, modes), voice(kind, modes), plain(kind, modes), HUGE_VAL, HUGE_VAL,
              HUGE_VAL, HUGE_VAL};
    for (int k = 0; k < modes; k++) tw_net_throw(c.idle.net, 1, k, 0, 1);
    // into the steady state
    for (int i = 0; i < 2 * STRIKE_BLOCKS; i++) run_voice(&c.voice), run_plain(&c.plain);
    return c;
}

static void measure(Case* c, bool whole)
{
    c->seconds = fmin(c->seconds, block_seconds(run_voice, &c->voice));
    if (whole && c->kind != IMPACT) c->spread = fmin(c->spread, block_spread(&c->voice));
    // the plain loop strikes only once, so that it cannot be compared there
    if (whole && c->kind != IMPACT) c->reference = fmin(c->reference, block_seconds(run_plain, &c->plain));
    c->pass = fmin(c->pass, block_seconds(run_pass, &c->idle));
}

static void figure(BenchReport* report, const char* what, const Case* c, double value, const char* meaning)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%s_%d", what, kind_names[c->kind], c->modes);
    bench_figure(report, key, value, meaning);
}

static void report_case(BenchReport* report, const Case* c)
{
    twNetStats stats = tw_net_stats(c->voice.net);
    figure(report, "voices", c, BLOCK / RATE / c->seconds, "voices in real time on one core");
    figure(report, "ns_per_sample", c, 1e9 * c->seconds / BLOCK, "of one voice");
    figure(report, "ns_pass", c, 1e9 * c->pass / BLOCK, "of these in the modes");
    figure(report, "ns_solve", c, 1e9 * (c->seconds - c->pass) / BLOCK, "in the contact and around it");
    figure(report, "iterations_mean", c, stats.solves ? (double)stats.iterations / (double)stats.solves : 0,
           "per solve");
    figure(report, "iterations_max", c, stats.iterations_max, "of one solve");
    figure(report, "unconverged", c, (double)stats.unconverged, "solves");
    if (c->kind == IMPACT) return;
    figure(report, "block_p99_over_median", c, c->spread, "time of 64-sample blocks");
    figure(report, "ratio_to_plain", c, c->reference / c->seconds, "times faster than the plain loop");
}

static void report_cost(BenchReport* report, const Case* c, double peak)
{
    char key[64];
    snprintf(key, sizeof key, "ns_per_sample_%d", c->modes);
    bench_figure(report, key, 1e9 * c->seconds / BLOCK, "of a pressed voice");
    snprintf(key, sizeof key, "pass_gflops_%d", c->modes);
    bench_figure(report, key, 1e-9 * PASS_FLOPS * c->modes * BLOCK / c->pass, "arithmetic of the modes");
    snprintf(key, sizeof key, "pass_of_peak_%d", c->modes);
    // 8 lanes
    if (peak > 0)
        bench_figure(report, key, PASS_UNITS * c->modes / 8.0 * BLOCK / c->pass / peak, "of the units' peak rate");
}

int main(int argc, char** argv)
{
    static const int counts[] = {3, 16, 128}, costs[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    enum
    {
        VOICES = 9,
        COSTS = sizeof costs / sizeof costs[0]
    };
    static Case cases[VOICES + COSTS];
    BenchReport report = bench_report(argc, argv, "bench_contact");
    for (int i = 0; i < VOICES; i++) cases[i] = case_of((VoiceKind)(i / 3), counts[i % 3]);
    for (int i = 0; i < COSTS; i++) cases[VOICES + i] = case_of(PRESSED, costs[i]);
    double peak = HUGE_VAL, seed = 1e-3;
    for (int round = 0; round < ROUNDS; round++)
    {
        for (int i = 0; i < VOICES + COSTS; i++) measure(&cases[i], i < VOICES);
        peak = fmin(peak, block_seconds(run_peak, &seed));
    }
    // vector operations per second; without wide vectors the figure is left out
    double rate = peak > 1e-7 ? 12.0 * PEAK_STEPS / peak : 0;
    for (int i = 0; i < VOICES; i++) report_case(&report, &cases[i]);
    for (int i = 0; i < COSTS; i++) report_cost(&report, &cases[VOICES + i], rate);
    if (rate > 0) bench_figure(&report, "peak_gflops", 16e-9 * rate, "fused multiply-adds, 8 lanes of double");
    for (int i = 0; i < VOICES + COSTS; i++)
        tw_net_destroy(cases[i].voice.net), tw_net_destroy(cases[i].idle.net), free(cases[i].plain.x);
    bench_end(&report);
    return 0;
}
