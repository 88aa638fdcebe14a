// SPDX-License-Identifier: MIT
// The solver of a step beside a plain one, and the flops of the machine.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"

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

void report_solver(BenchReport* report, const Ball* ball)
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
