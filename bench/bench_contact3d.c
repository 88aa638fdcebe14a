// SPDX-License-Identifier: MIT
// What bodies that collide and vibrate cost: the examples of Zheng and James 2011 on one core, beside that paper's computing
// times on 8 cores (its table 2), and what each of its measures gains here: worlds that differ in one setting run in one
// process, in turns of some milliseconds, so that all see the same moods of the machine.
//
// Times are processor time of the thread. Modes come from the cache of `twang`, and are found first if they are not in it.
#define _POSIX_C_SOURCE 200809L
#include "bench_scene.h"
#include <math.h>

#define TURN 0.01  // simulated in one turn [s]
#define SERIES 24  // points of what is told over time

// ---- scenes ----

typedef struct Example
{
    const char* scene;
    double hours, simulated;  // the paper's: dynamics cost [h], simulated time [s]
    int dof;                  // the paper's, at most
    double baseline;          // simulated with adaptivity off at most [s]
    double early;             // before bodies rattle on each other: until here adaptivity is compared by itself too [s]
    double quick;             // simulated in a quick run [s]
} Example;

static const Example examples[] = {
    {"ruler", 0.08, 2.0, 108, 1, 0.5, 0.2}, {"table", 4.8, 2.2, 132, 2.2, 0.6, 0.4}, {"mug", 0.12, 3.0, 6, 1, 1, 0.4},
    {"fork", 0.08, 2.0, 6, 1, 1, 0.2},      {"marbles", 9.6, 35, 426, 1, 0.4, 0.2},
};
#define EXAMPLE_COUNT ((int)(sizeof examples / sizeof *examples))

// ---- worlds side by side ----

typedef struct Racer
{
    twWorldDef settings;
    double until;       // simulated [s]
    double seconds;     // of processor time
    double mark[2];     // times on the way [s]
    double at_mark[2];  // what it had taken until then [s]
    twWorld* world;
    int dof_max;
    int dof[SERIES];  // at even times until the end
} Racer;

// velocities that are unknown: 6 of each free body, and its active modes
static int active_dof(const BenchScene* b, const twWorld* world)
{
    int dof = 0;
    for (int i = 0; i < b->scene->body_count; i++)
        dof += (b->scene->bodies[i].kind == TW_BODY_FREE ? 6 : 0) + tw_world_active_modes(world, i);
    return dof;
}

static void turn(const BenchScene* b, Racer* racer, double time)
{
    int count;
    const double begin = bench_cpu_seconds();
    tw_world_advance(racer->world, time);
    bench_keep(tw_world_forces(racer->world, &count) ? count : 0);
    racer->seconds += bench_cpu_seconds() - begin;
    for (int i = 0; i < 2; i++)
        if (time < racer->mark[i] + 0.5 * TURN) racer->at_mark[i] = racer->seconds;
    const int dof = active_dof(b, racer->world), at = (int)(SERIES * (time - 0.5 * TURN) / racer->until);
    if (dof > racer->dof_max) racer->dof_max = dof;
    if (at >= 0 && at < SERIES && dof > racer->dof[at]) racer->dof[at] = dof;
}

static void race(const BenchScene* b, Racer* racers, int count)
{
    double end = 0;
    for (int i = 0; i < count; i++)
    {
        twError err;
        if (tw_bodies_another(&racers[i].world, b->bodies, &racers[i].settings, &err) != TW_OK)
            bench_leave("world", &err);
        end = fmax(end, racers[i].until);
    }
    for (int k = 1; (k - 0.5) * TURN < end; k++)
        for (int i = 0; i < count; i++)
            if ((k - 0.5) * TURN < racers[i].until) turn(b, &racers[i], k * TURN);
}

static void end_race(Racer* racers, int count)
{
    for (int i = 0; i < count; i++) tw_world_destroy(racers[i].world);
}

static twWorldDef unadapted(twWorldDef settings)
{
    settings.no_private_clocks = settings.no_mode_adaptation = settings.no_friction_culling = true;
    return settings;
}

// ---- report ----

typedef struct Teller
{
    BenchReport* report;
    const char* scene;
} Teller;

static void tell(const Teller* t, const char* what, double value, const char* note)
{
    char key[96];
    snprintf(key, sizeof key, "%s_%s", t->scene, what);
    bench_figure(t->report, key, value, note);
}

static void tell_series(const Teller* t, const char* what, const double* values, int count, const char* note)
{
    char key[96];
    snprintf(key, sizeof key, "%s_%s", t->scene, what);
    if (t->report->as_json)
    {
        tw_json_array(&t->report->json, key);
        for (int i = 0; i < count; i++) tw_json_number(&t->report->json, NULL, values[i]);
        tw_json_end(&t->report->json);
        return;
    }
    printf("%-26s", key);
    for (int i = 0; i < count; i++) printf(" %g", values[i]);
    printf("   %s\n", note);
}

static void tell_parts(const Teller* t, const Racer* r)
{
    const twWorldStats s = tw_world_stats(r->world);
    const twWorldEnergy e = tw_world_energy(r->world);
    const double steps = (double)(s.steps + s.free_steps), groups = fmax(1, (double)s.steps);
    tell(t, "steps", (double)s.steps, "of bodies that touch or are joined");
    tell(t, "free_steps", (double)s.free_steps, "of bodies alone");
    tell(t, "collide_us", 1e6 * s.collide_seconds / steps, "per step, looking where bodies touch (wall time)");
    tell(t, "solve_us", 1e6 * s.solve_seconds / steps, "per step, contact solver");
    tell(t, "other_us", 1e6 * s.other_seconds / steps, "per step, the rest");
    tell(t, "contacts", (double)s.contacts / groups, "per step of bodies that touch");
    tell(t, "unknowns", (double)s.unknowns / groups, "per step of bodies that touch");
    tell(t, "iterations", (double)s.iterations / groups, "per step of bodies that touch, steps made again included");
    tell(t, "made_again", (double)s.tried_again / steps, "steps made again, per step");
    tell(t, "rollbacks", (double)s.rollbacks / steps, "bodies that went back, per step");
    tell(t, "culled", (double)s.culled / groups, "part of steps solved without friction");
    tell(t, "failures", (double)(s.failures + s.lost), "solves that failed, bodies lost");
    tell(t, "dropped", (double)s.dropped, "touches and pairs there was no room for");
    tell(t, "escaped", (double)s.escaped, "bodies that left their boxes in a window");
    tell(t, "largest_rise", e.largest_rise, "of energy in a step [J]");
    double bins[TW_STEP_BINS], dof[SERIES];
    int first = 0, last = TW_STEP_BINS - 1;
    for (int i = 0; i < TW_STEP_BINS; i++) bins[i] = (double)s.step_bins[i];
    while (first < TW_STEP_BINS - 1 && bins[first] == 0) first++;
    while (last > first && bins[last] == 0) last--;
    tell(t, "first_bin", first, "steps between 2^(-k-1) and 2^-k seconds, k from here on:");
    tell_series(t, "step_bins", bins + first, last - first + 1, "");
    for (int i = 0; i < SERIES; i++) dof[i] = r->dof[i];
    tell(t, "dof_max", r->dof_max, "velocities of bodies and active modes at most");
    tell_series(t, "dof", dof, SERIES, "over the time simulated");
}

static double simulated(const Example* e, const twScene* scene, const BenchOptions* options)
{
    double seconds = fmin(scene->duration, e->simulated);
    if (options->quick) seconds = fmin(seconds, e->quick);
    if (options->seconds > 0) seconds = fmin(seconds, options->seconds);
    return seconds;
}

static void report_example(BenchReport* report, const Example* e, const BenchOptions* options)
{
    BenchScene b = bench_load(e->scene);
    const Teller t = {report, e->scene};
    const double seconds = simulated(e, b.scene, options), paper = 3600 * e->hours / e->simulated;
    const double both = fmin(seconds, e->baseline);
    const double early = fmin(both, e->early);
    Racer racers[2] = {{.settings = b.scene->world, .until = seconds, .mark = {early, both}},
                       {.settings = unadapted(b.scene->world), .until = both, .mark = {early, both}}};
    race(&b, racers, 2);
    const double ours = racers[0].seconds / seconds;
    tell(&t, "simulated", seconds, "seconds");
    tell(&t, "seconds", ours, "of computing per second simulated, one core");
    tell(&t, "paper", paper, "the paper's, 8 cores");
    tell(&t, "speedup", paper / ours, "");
    tell(&t, "paper_dof", e->dof, "the paper's");
    tell_parts(&t, &racers[0]);
    const twWorldStats s = tw_world_stats(racers[1].world);
    tell(&t, "unadapted", racers[1].seconds / both, "seconds per second with adaptivity off");
    tell(&t, "early", early, "seconds simulated, before bodies rattle on each other");
    tell(&t, "adaptive_speedup", racers[1].at_mark[0] / racers[0].at_mark[0], "in these");
    tell(&t, "baseline", both, "seconds simulated with adaptivity off");
    tell(&t, "adaptive_speedup_all", racers[1].at_mark[1] / racers[0].at_mark[1], "in these");
    tell(&t, "unadapted_dof", racers[1].dof_max, "");
    tell(&t, "unadapted_failures", (double)(s.failures + s.lost), "");
    end_race(racers, 2);
    bench_unload(&b);
}

// ---- single measures ----

// processor time of the solver, per step of bodies that touch
static double solve_seconds(const Racer* r)
{
    const twWorldStats s = tw_world_stats(r->world);
    const double all = s.collide_seconds + s.solve_seconds + s.other_seconds;
    return r->seconds * s.solve_seconds / all / fmax(1, (double)s.steps);
}

static void report_culling(BenchReport* report, const BenchScene* b, const char* name, double seconds)
{
    const Teller t = {report, name};
    Racer racers[2] = {{.settings = b->scene->world, .until = seconds},
                       {.settings = b->scene->world, .until = seconds}};
    racers[1].settings.no_friction_culling = true;
    race(b, racers, 2);
    const twWorldStats s = tw_world_stats(racers[0].world);
    tell(&t, "culling_gain", racers[1].seconds / racers[0].seconds - 1, "time that friction culling saves");
    tell(&t, "culled_steps", (double)s.culled / fmax(1, (double)s.steps), "part of the steps");
    end_race(racers, 2);
}

static void report_staggered(BenchReport* report, const BenchScene* b, double seconds)
{
    const Teller t = {report, "table"};
    Racer racers[3] = {{.until = seconds}, {.until = seconds}, {.until = seconds}};
    for (int i = 0; i < 3; i++)
    {
        racers[i].settings = b->scene->world;
        racers[i].settings.method = TW_CONTACT_STAGGERED;
        racers[i].settings.no_redistribution = i > 0;
    }
    racers[2].settings.no_contact_reduction = true;
    race(b, racers, 3);
    tell(&t, "contact_reduction_gain", solve_seconds(&racers[2]) / solve_seconds(&racers[1]),
         "staggered projections, solver, per step");
    tell(&t, "redistribution_cost", racers[0].seconds / racers[1].seconds - 1, "of the time");
    end_race(racers, 3);
}

static void report_measures(BenchReport* report, const BenchOptions* options)
{
    BenchScene b = bench_load("table");
    report_culling(report, &b, "table", 0.4);
    report_staggered(report, &b, options->quick ? 0.1 : 0.4);
    bench_unload(&b);
    b = bench_load("plates");
    report_culling(report, &b, "plates", options->quick ? 0.1 : 0.4);
    bench_unload(&b);
}

int main(int argc, char** argv)
{
    const BenchOptions options = bench_options(&argc, argv, "the first tenths of a second of each scene",
                                               "one of ruler, table, mug, fork, marbles, measures");
    BenchReport report = bench_report(argc, argv, "bench_contact3d");
    for (int i = 0; i < EXAMPLE_COUNT; i++)
        if (bench_wants(&options, examples[i].scene)) report_example(&report, &examples[i], &options);
    if (bench_wants(&options, "measures")) report_measures(&report, &options);
    bench_end(&report);
    return 0;
}
