// SPDX-License-Identifier: MIT
// How many modes one core sounds in real time. The measure is modes * samples per second / 44100. The limit is the
// peak rate of fused multiply-adds over the widest vectors the bank uses, divided by the 6 operations a mode with
// input and output gain needs per sample. Every bank is driven by noise in all its inputs all the time, its modes
// spread from 50 Hz to 18 kHz with decays of 1 to 50 1/s, so that no state ever rests or gets near denormals.
#include "bench.h"
#include "modal/bank.h"
#include "twang/modal.h"
#include <math.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum
{
    BLOCK = 64,
    NOISE = 4096,  // samples of noise, shared by all inputs at different places
    ROUNDS = 12
};
static const double RATE = 44100, RUN_SECONDS = 4e-3;

// ---- peak rate of multiply-adds: 12 independent chains ----

typedef struct Peak
{
    float seed;
    int steps;
    double lanes;  // multiply-adds per step: 12 x lanes of a vector
    double result;
} Peak;

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void peak_avx512(void* context)
{
    Peak* peak = context;
    __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(peak->seed), v[12];
    for (int k = 0; k < 12; k++) v[k] = _mm512_set1_ps((float)k);
    for (int i = 0; i < peak->steps; i++)
    {
        v[0] = _mm512_fmadd_ps(v[0], a, b), v[1] = _mm512_fmadd_ps(v[1], a, b), v[2] = _mm512_fmadd_ps(v[2], a, b);
        v[3] = _mm512_fmadd_ps(v[3], a, b), v[4] = _mm512_fmadd_ps(v[4], a, b), v[5] = _mm512_fmadd_ps(v[5], a, b);
        v[6] = _mm512_fmadd_ps(v[6], a, b), v[7] = _mm512_fmadd_ps(v[7], a, b), v[8] = _mm512_fmadd_ps(v[8], a, b);
        v[9] = _mm512_fmadd_ps(v[9], a, b), v[10] = _mm512_fmadd_ps(v[10], a, b), v[11] = _mm512_fmadd_ps(v[11], a, b);
    }
    for (int k = 1; k < 12; k++) v[0] = _mm512_add_ps(v[0], v[k]);
    bench_keep(_mm512_reduce_add_ps(v[0]));
}

__attribute__((target("avx2,fma"))) static void peak_avx2(void* context)
{
    Peak* peak = context;
    __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(peak->seed), v[12];
    for (int k = 0; k < 12; k++) v[k] = _mm256_set1_ps((float)k);
    for (int i = 0; i < peak->steps; i++)
    {
        v[0] = _mm256_fmadd_ps(v[0], a, b), v[1] = _mm256_fmadd_ps(v[1], a, b), v[2] = _mm256_fmadd_ps(v[2], a, b);
        v[3] = _mm256_fmadd_ps(v[3], a, b), v[4] = _mm256_fmadd_ps(v[4], a, b), v[5] = _mm256_fmadd_ps(v[5], a, b);
        v[6] = _mm256_fmadd_ps(v[6], a, b), v[7] = _mm256_fmadd_ps(v[7], a, b), v[8] = _mm256_fmadd_ps(v[8], a, b);
        v[9] = _mm256_fmadd_ps(v[9], a, b), v[10] = _mm256_fmadd_ps(v[10], a, b), v[11] = _mm256_fmadd_ps(v[11], a, b);
    }
    for (int k = 1; k < 12; k++) v[0] = _mm256_add_ps(v[0], v[k]);
    float lane[8];
    _mm256_storeu_ps(lane, v[0]);
    bench_keep(lane[0] + lane[7]);
}
#endif

// without fused operations the multiply and the add count as one
static void peak_generic(void* context)
{
    Peak* peak = context;
    float v[48];
    for (int k = 0; k < 48; k++) v[k] = (float)k;
    for (int i = 0; i < peak->steps; i++)
        for (int k = 0; k < 48; k++) v[k] = v[k] * 0.999f + peak->seed;
    double sum = 0;
    for (int k = 0; k < 48; k++) sum += (double)v[k];
    bench_keep(sum);
}

static BenchJob peak_job(const BankVariant* variant)
{
#if defined(__x86_64__)
    if (strcmp(variant->name, "avx512") == 0) return peak_avx512;
    if (strcmp(variant->name, "avx2") == 0) return peak_avx2;
#endif
    (void)variant;
    return peak_generic;
}

// ---- banks ----

typedef struct Subject
{
    int objects, modes;  // modes of each object
    twBank* bank;
    const float** in;
    float** out;
    float* noise;
    float* buffer;
    int at;  // where in the noise
} Subject;

static twModes* spread_modes(int modes, int object)
{
    double* freq = malloc((size_t)modes * 4 * sizeof *freq);
    double *decay = freq + modes, *mass = decay + modes, *shape = mass + modes;
    for (int k = 0; k < modes; k++)
    {
        double place = (k + 0.5) / modes;
        freq[k] = 50 * pow(360, place) * (1 + 1e-4 * object);
        decay[k] = 1 + 49 * place;
        mass[k] = 1e-3;
        shape[k] = 1 + 0.1 * (k % 7);
    }
    twModesDef def = tw_modes_def();
    def.mode_count = modes;
    def.freq_hz = freq, def.decay = decay, def.mass = mass, def.shape = shape;
    twModes* result = NULL;
    if (tw_modes_create(&result, &def, NULL) != TW_OK) exit(1);
    free(freq);
    return result;
}

static Subject subject(int objects, int modes, twPrecision precision, bool mixed)
{
    Subject s = {.objects = objects, .modes = modes};
    s.in = calloc((size_t)objects, sizeof *s.in);
    s.out = calloc((size_t)objects, sizeof *s.out);
    s.noise = malloc(NOISE * sizeof *s.noise);
    s.buffer = calloc((size_t)objects * BLOCK, sizeof *s.buffer);
    twBankObject* object = calloc((size_t)objects, sizeof *object);
    twRng rng = tw_rng(1);
    for (int i = 0; i < NOISE; i++) s.noise[i] = (float)tw_rng_between(&rng, -1, 1);
    for (int i = 0; i < objects; i++)
    {
        object[i] = tw_bank_object(spread_modes(modes, i));
        s.out[i] = s.buffer + (mixed ? 0 : i * BLOCK);
    }
    twBankDef def = {.rate_hz = RATE, .precision = precision, .object_count = objects, .objects = object};
    if (tw_bank_create(&s.bank, &def, NULL) != TW_OK) exit(1);
    for (int i = 0; i < objects; i++) tw_modes_destroy((twModes*)object[i].modes);
    free(object);
    return s;
}

static void subject_free(Subject* s)
{
    tw_bank_destroy(s->bank);
    free(s->in), free(s->out), free(s->noise), free(s->buffer);
}

// give up the folding of input into output weights, as a change of input weights does
static void unfold(Subject* s)
{
    double* shape = malloc((size_t)s->modes * sizeof *shape);
    memcpy(shape, s->bank->items[0].shape, (size_t)s->modes * sizeof *shape);
    tw_bank_set_input_weights(s->bank, 0, 0, shape);
    free(shape);
}

// one block of all objects, each with its own stretch of noise
static void run_subject(void* context)
{
    Subject* s = context;
    s->at = (s->at + BLOCK) % (NOISE / 2);
    for (int i = 0; i < s->objects; i++) s->in[i] = s->noise + s->at + i * 61 % (NOISE / 2 - BLOCK);
    memset(s->buffer, 0, (size_t)(s->out[s->objects - 1] - s->buffer + BLOCK) * sizeof *s->buffer);
    tw_bank_process(s->bank, s->in, s->out, BLOCK);
    bench_keep(s->buffer[BLOCK / 2]);
}

// ---- the plain loop: per sample, per mode, in double ----

typedef struct Plain
{
    int modes, at;
    double *re, *im, *c, *s, *b, *g;
    float noise[NOISE];
} Plain;

static void run_plain(void* context)
{
    Plain* p = context;
    float out[BLOCK];
    p->at = (p->at + BLOCK) % NOISE;
    for (int i = 0; i < BLOCK; i++)
    {
        double y = 0, f = (double)p->noise[p->at + i];
        for (int k = 0; k < p->modes; k++)
        {
            double re = p->re[k] * p->c[k] - p->im[k] * p->s[k] + p->b[k] * f;
            p->im[k] = p->re[k] * p->s[k] + p->im[k] * p->c[k];
            p->re[k] = re;
            y += p->g[k] * p->im[k];
        }
        out[i] = (float)y;
    }
    bench_keep(out[BLOCK / 2]);
}

static void plain_init(Plain* p, const Subject* s)
{
    const BankItem* item = &s->bank->items[0];
    // arrays a multiple of 4096 bytes apart would stall each other
    int n = s->modes, gap = n + 24;
    double* block = calloc((size_t)gap * 6, sizeof *block);
    *p = (Plain){.modes = n, .re = block, .im = block + gap, .c = block + 2 * gap};
    p->s = block + 3 * gap, p->b = block + 4 * gap, p->g = block + 5 * gap;
    memcpy(p->noise, s->noise, sizeof p->noise);
    for (int k = 0; k < n; k++)
    {
        const BankMode* mode = &item->mode[k];
        double r = exp(-mode->decay / RATE);
        p->c[k] = r * cos(mode->w / RATE), p->s[k] = r * sin(mode->w / RATE);
        p->b[k] = item->shape[k], p->g[k] = item->pickup[k] / (mode->mass * mode->w * RATE);
    }
}

// ---- report ----

static double rt_modes(const BenchTimer* timer)
{
    const Subject* s = timer->context;
    return (double)s->objects * s->modes * BLOCK / timer->best / RATE;
}

static void report_sizes(BenchReport* report)
{
    static const char* const key[] = {"rt_modes_f32_16",   "rt_modes_f32_64",    "rt_modes_f32_256",
                                      "rt_modes_f32_4096", "rt_modes_f32_16384", "rt_modes_f32_65536"};
    static const int size[] = {16, 64, 256, 4096, 16384, 65536};
    for (int i = 0; i < 6; i++)
    {
        Subject s = subject(1, size[i], TW_FLOAT, false);
        BenchTimer timer = bench_timer(run_subject, &s, RUN_SECONDS);
        bench_rounds((BenchTimer*[]){&timer}, 1, ROUNDS / 2);
        bench_figure(report, key[i], rt_modes(&timer), "one object of as many modes");
        subject_free(&s);
    }
}

int main(int argc, char** argv)
{
    BenchReport report = bench_report(argc, argv, "bench_modal");
    Subject wide = subject(1, 1024, TW_FLOAT, false), wide_double = subject(1, 1024, TW_DOUBLE, false);
    Subject small = subject(64, 16, TW_FLOAT, false), small_mix = subject(64, 16, TW_FLOAT, true);
    Subject tiny = subject(340, 3, TW_FLOAT, false), tiny_mix = subject(340, 3, TW_FLOAT, true);
    Subject unfolded = subject(1, 1024, TW_FLOAT, false);
    unfold(&unfolded);
    Plain* plain = malloc(sizeof *plain);
    plain_init(plain, &wide);
    const BankVariant* variant = wide.bank->variant;
    BenchJob job = peak_job(variant);
    Peak peak = {.seed = 1e-3f, .steps = 4096, .lanes = job == peak_generic ? 48 : 12.0 * variant->lanes};

    BenchTimer peak_timer = bench_timer(job, &peak, RUN_SECONDS),
               plain_timer = bench_timer(run_plain, plain, RUN_SECONDS);
    Subject* all[] = {&wide, &unfolded, &wide_double, &small, &small_mix, &tiny, &tiny_mix};
    enum
    {
        SUBJECTS = sizeof all / sizeof *all
    };
    BenchTimer timer[SUBJECTS], *timers[SUBJECTS + 2] = {&peak_timer, &plain_timer};
    for (int i = 0; i < SUBJECTS; i++)
    {
        timer[i] = bench_timer(run_subject, all[i], RUN_SECONDS);
        timers[i + 2] = &timer[i];
    }
    bench_rounds(timers, SUBJECTS + 2, 4 * ROUNDS);

    double limit = peak.lanes * peak.steps / peak_timer.best / 6 / RATE, f32 = rt_modes(&timer[0]);
    double plain_modes = 1024.0 * BLOCK / plain_timer.best / RATE;
    bench_text(&report, "variant", variant->name, "instruction set in use");
    bench_figure(&report, "rt_modes_f32", f32, "modes in real time on one core: 1 object of 1024, float");
    bench_figure(&report, "limit_rt_modes", limit, "peak vector multiply-adds / 6 / 44100");
    bench_figure(&report, "ratio_to_limit", f32 / limit, "above 1: the input gain is folded into the output gain");
    bench_figure(&report, "rt_modes_f32_unfolded", rt_modes(&timer[1]),
                 "all 6 operations, after a change of input gains");
    bench_figure(&report, "ratio_unfolded_to_limit", rt_modes(&timer[1]) / limit, "");
    bench_figure(&report, "plain_rt_modes", plain_modes, "plain loop per sample and mode, double");
    bench_figure(&report, "ratio_to_plain", f32 / plain_modes, "");
    bench_figure(&report, "rt_modes_f64", rt_modes(&timer[2]), "1 object of 1024, double");
    bench_figure(&report, "rt_modes_f32_64x16", rt_modes(&timer[3]), "64 objects of 16, each with its own output");
    bench_figure(&report, "ratio_64x16_to_1024", rt_modes(&timer[3]) / f32, "");
    bench_figure(&report, "rt_modes_f32_64x16_mixed", rt_modes(&timer[4]), "the same with one output for all");
    bench_figure(&report, "rt_modes_f32_340x3", rt_modes(&timer[5]), "340 objects of 3, each with its own output");
    bench_figure(&report, "rt_modes_f32_340x3_mixed", rt_modes(&timer[6]), "the same with one output for all");
    report_sizes(&report);
    bench_end(&report);

    for (int i = 0; i < SUBJECTS; i++) subject_free(all[i]);
    free(plain->re);
    free(plain);
    return 0;
}
