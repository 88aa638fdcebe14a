// SPDX-License-Identifier: MIT
// What a step of a group in contact costs: a table with 72 modes and ten dishes (138 unknowns) on 100 to 600 contacts, warm-started,
// at rest and after a kick; compliant Newton to its default tolerance (1e-11), beside block Gauss-Seidel and staggered
// projections to 1e-6.
// Processor time; each step of an impact is timed alone, because steps differ. Figures are means.
#define _POSIX_C_SOURCE 200809L
#include "../test/group.h"
#include "../test/table.h"
#include "bench.h"
#include "dynamics/block_kernel.h"

typedef struct Cost
{
    double rest_us, impact_us;    // per step
    double culled_us;             // at rest without friction
    double iterations;            // per step of the impact
    double factorisations;        // likewise
    double rise;                  // largest of energy in one step, of the kick
    double jitter;                // of impulses at rest
    int64_t failures, fallbacks;  // in all
} Cost;

static double step_us(Rig* r)
{
    rig_predict(r);
    double begin = bench_cpu_seconds();
    solve_step(r->solver, &r->group);
    double took = bench_cpu_seconds() - begin;
    for (int i = 0; i < r->group.size; i++)
    {
        r->q[i] += 0.5 * r->group.step * (r->v[i] + r->next[i]);
        r->v[i] = r->next[i];
    }
    return 1e6 * took;
}

static double mean_us(Rig* r, int steps)
{
    double sum = 0;
    for (int i = 0; i < steps; i++) sum += step_us(r);
    return sum / steps;
}

// dishes fall on the table, which rings
static void kick(Rig* r)
{
    for (int b = 1; b <= 10; b++) r->v[r->bodies[b].first + 2] -= 0.5 + 0.05 * b;
    for (int j = 0; j < 72; j++) r->v[6 + j] += 0.1 * sin(1.0 + j);
}

static Cost cost_of(SolveMethod method, double tolerance, int contacts, int settle, int steps, int after)
{
    SolveOptions options = solve_options(method);
    options.tolerance = tolerance;
    options.redistribute = false;
    Rig* r = rig_table(&options, 72, contacts, 1 / 44100.0);
    Cost cost = {0};
    // modes of the table are held back at first, to come to rest sooner
    double damping[72];
    memcpy(damping, r->damping + 6, sizeof damping);
    for (int j = 0; j < 72; j++) r->damping[6 + j] = sqrt(r->w2[6 + j]);
    for (int i = 0; i < settle; i++) rig_step(r);
    cost.rest_us = mean_us(r, steps);
    cost.jitter = rig_jitter(r, steps / 4 + 1);
    // the same with friction culled
    r->group.frictionless = true;
    for (int i = 0; i < settle / 4; i++) rig_step(r);
    cost.culled_us = mean_us(r, steps);
    r->group.frictionless = false;
    memcpy(r->damping + 6, damping, sizeof damping);
    kick(r);
    SolveStats before = *solve_stats(r->solver);
    double energy = rig_energy(r), scale = 0;
    for (int i = 0; i < r->group.size; i++) scale += 0.5 * r->mass[i] * r->v[i] * r->v[i];
    for (int i = 0; i < after; i++)
    {
        cost.impact_us += step_us(r) / after;
        double now = rig_energy(r);
        if (now - energy > cost.rise * scale) cost.rise = (now - energy) / scale;
        energy = now;
    }
    const SolveStats* stats = solve_stats(r->solver);
    cost.iterations = (double)(stats->iterations - before.iterations) / after;
    cost.factorisations = (double)(stats->factorisations - before.factorisations) / after;
    cost.failures = stats->failures;
    cost.fallbacks = stats->fallbacks;
    rig_destroy(r);
    return cost;
}

static void figure(BenchReport* report, const char* method, int contacts, const char* what, double value,
                   const char* meaning)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%d_%s", method, contacts, what);
    bench_figure(report, key, value, meaning);
}

int main(int argc, char** argv)
{
    BenchReport report = bench_report(argc, argv, "bench_solve");
    bench_text(&report, "instructions", tw_block_kernel(NULL)->name, "kernel that runs here");
    static const int counts[] = {100, 300, 600};
    for (int i = 0; i < 3; i++)
    {
        int n = counts[i];
        Cost newton = cost_of(SOLVE_NEWTON, solve_options(SOLVE_NEWTON).tolerance, n, 8000, 400, 20),
             hard = cost_of(SOLVE_HARD, 1e-6, n, 20, 2000 / n, 20);
        figure(&report, "newton", n, "rest_us", newton.rest_us, "us per step at rest, compliant Newton");
        figure(&report, "newton", n, "impact_us", newton.impact_us, "us per step after a kick");
        figure(&report, "newton", n, "culled_us", newton.culled_us, "us per step at rest without friction");
        figure(&report, "newton", n, "iterations", newton.iterations, "per step after a kick");
        figure(&report, "newton", n, "factorisations", newton.factorisations, "likewise");
        figure(&report, "newton", n, "rise", newton.rise, "largest rise of energy in a step, of the kick");
        figure(&report, "newton", n, "jitter", newton.jitter, "change of impulses at rest, of their mean");
        figure(&report, "newton", n, "failures", (double)newton.failures, "steps that missed the tolerance");
        figure(&report, "newton", n, "fallbacks", (double)newton.fallbacks, "steps that took the slow way");
        figure(&report, "hard", n, "rest_us", hard.rest_us, "us per step at rest, block Gauss-Seidel");
        figure(&report, "hard", n, "impact_us", hard.impact_us, "us per step after a kick");
        figure(&report, "hard", n, "rest_ratio", hard.rest_us / newton.rest_us, "times as long as Newton");
        figure(&report, "hard", n, "impact_ratio", hard.impact_us / newton.impact_us, "times as long as Newton");
        if (n > 300) continue;
        Cost staggered = cost_of(SOLVE_STAGGERED, 1e-6, n, 20, 2000 / n, 20);
        figure(&report, "staggered", n, "rest_us", staggered.rest_us, "us per step at rest, staggered projections");
        figure(&report, "staggered", n, "impact_us", staggered.impact_us, "us per step after a kick");
        figure(&report, "staggered", n, "culled_us", staggered.culled_us, "us per step at rest without friction");
        figure(&report, "staggered", n, "rest_ratio", staggered.rest_us / newton.rest_us, "times as long as Newton");
        figure(&report, "staggered", n, "impact_ratio", staggered.impact_us / newton.impact_us,
               "times as long as Newton");
        figure(&report, "staggered", n, "failures", (double)staggered.failures, "steps that did not converge");
    }
    bench_end(&report);
    return 0;
}
