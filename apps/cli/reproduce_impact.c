// SPDX-License-Identifier: MIT
// Papetti, Avanzini, Rocchesso 2009: Table 1 and Fig. 3, 7, 8 as numbers, and the schemes that came later (DG, QI).
// Table 1 compares with the fit (7)-(8); "n.e." there (x_max not exceeded) is a negative number here. What is not printed
// in the paper is from an independent computation in double precision.

#include "reproduce_impact.h"
#include <math.h>
#include <stdlib.h>

#define REBOUND 30
#define GRAVITY 9.81

twWallDef impact_case(int number, twImpactMethod method)
{
    twWallDef def = tw_wall_def();
    def.method = method;
    if (number == 1) return def;
    def.law = (twImpactLaw){.stiffness = 1e9, .exponent = 1.5, .dissipation = 0.5};
    def.velocity = 1;
    return def;
}

twWallDef impact_bounce(twImpactMethod method, bool correct)
{
    twWallDef def = impact_case(1, method);
    def.gravity = GRAVITY;
    def.correct = correct;
    return def;
}

// from x (at most 0) until the first release
static twWallRun run_contact(const twWallDef* def, double x)
{
    enum
    {
        LIMIT = 1000
    };
    twWall start = tw_wall(def);
    start.x = x;
    twWallRun run = tw_wall_run(&start);
    while (!run.first.over && run.steps < LIMIT) tw_wall_run_step(&run);
    return run;
}

static double percent(double value, double reference) { return 100 * (value / reference - 1); }

static double energy_percent(double v, double v_reference) { return percent(v * v, v_reference * v_reference); }

// ---- closed forms and Table 1 ----

static void reproduce_closed_forms(CliReport* report)
{
    static const twImpactExact theirs[2] = {
        {1.6684406332e-05, -0.294117420895, -0.294117419927, 1.738643043335e-04},
        {3.8925737782e-05, -0.748434931597, -0.748528641793, 1.328982359259e-04},
    };
    static const double fit_percent[2] = {-3.29e-7, 1.252e-2};
    cli_report_heading(report, "Closed forms, (4), (6), (7)-(8), (9)");
    for (int i = 0; i < 2; i++)
    {
        twWallDef def = impact_case(i + 1, TW_QI);
        twImpactExact ours = tw_impact_exact(&def.law, def.mass, def.velocity);
        cli_report_row(report, theirs[i].x_max, ours.x_max, 1e-15, "case %d: x_max [m]", i + 1);
        cli_report_row(report, theirs[i].v_out, ours.v_out, 1e-12, "case %d: v_out, root of (6) [m/s]", i + 1);
        cli_report_row(report, theirs[i].v_out_approx, ours.v_out_approx, 1e-12, "case %d: v_out, (7)-(8) [m/s]",
                       i + 1);
        cli_report_row(report, theirs[i].contact_time, ours.contact_time, 1e-15, "case %d: contact time [s]", i + 1);
        cli_report_row(report, fit_percent[i], percent(ours.v_out_approx, ours.v_out), i ? 1e-5 : 1e-9,
                       "case %d: (7)-(8) against (6) [%%]", i + 1);
    }
}

// "the contact time equals 8 (6) samples"; last column of Table 1; section 2.1: limits and power law
static void reproduce_text(CliReport* report)
{
    static const double samples[2] = {8, 6}, order[2] = {1e-2, 1e-4};
    cli_report_heading(report, "Sections 2.1 and 3.3: what the text says of the two cases");
    for (int i = 0; i < 2; i++)
    {
        const twWallDef def = impact_case(i + 1, TW_QI);
        const twImpactExact e = tw_impact_exact(&def.law, def.mass, def.velocity);
        cli_report_row(report, samples[i], ceil(e.contact_time * 44100), 0,
                       "case %d: contact time in samples, whole ones", i + 1);
        cli_report_differs(
            report, -order[i], percent(e.v_out_approx, e.v_out),
            "orders of magnitude only, and exchanged between the two cases: (7)-(8) is better for small mu v_in",
            "case %d: Table 1, (7)-(8) against (6) [%%]", i + 1);
    }
    const twImpactLaw law = impact_case(2, TW_QI).law;
    bool slower = true, above = true;
    for (double v = 1; v <= 4; v++)
    {
        const double out = fabs(tw_impact_exact(&law, 0.01, v).v_out);
        slower &= out < v;
        above &= out < 1 / law.dissipation;
    }
    cli_report_claim(report, slower, "Fig. 1: it comes back more slowly than it came, 1 to 4 m/s");
    cli_report_claim(report, above, "Fig. 1: and never as fast as 1/mu, 2 m/s");
    cli_report_row(report, 2, fabs(tw_impact_exact(&law, 0.01, 40).v_out), 1e-6,
                   "v_out for 40 m/s: the limit 1/mu [m/s]");
    twImpactLaw harder = law;
    harder.stiffness *= 10;
    const double soft = tw_impact_exact(&law, 0.01, 1).contact_time,
                 hard = tw_impact_exact(&harder, 0.01, 1).contact_time;
    cli_report_row(report, 1 / (law.exponent + 1), log10(soft / hard), 1e-9,
                   "(9): contact time goes as (m/k) to the power");
}

static void reproduce_table(CliReport* report)
{
    // x_max, v_out, H in percent
    static const double theirs[2][4][3] = {
        {{-0.4856, 1.293, 2.603}, {1.122, 1.660, 3.348}, {1.254, 1.467, 2.955}, {-0.3409, -0.125, -0.250}},
        {{-1.6393, 2.551, 5.166}, {-4.8877, 0.839, 1.685}, {-4.4685, -4.692, -9.164}, {-1.9699, -0.105, -0.211}},
    };
    const double tolerance = 0.0015;
    for (int i = 0; i < 2; i++)
    {
        cli_report_heading(report, i ? "Table 1 (b), case 2 [%]" : "Table 1 (a), case 1 [%]");
        for (int m = TW_AM1; m <= TW_RK4; m++)
        {
            twWallDef def = impact_case(i + 1, (twImpactMethod)m);
            twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
            twWallRun run = run_contact(&def, 0);
            const double* row = theirs[i][m];
            const char* name = tw_impact_method_name(def.method);
            const char* exceeded = row[0] < 0 ? " (n.e.)" : "";
            cli_report_row(report, row[0], percent(run.first.x_max, exact.x_max), tolerance, "case %d: %s x_max%s",
                           i + 1, name, exceeded);
            cli_report_row(report, row[1], percent(run.first.v_out, exact.v_out_approx), tolerance, "case %d: %s v_out",
                           i + 1, name);
            cli_report_row(report, row[2], energy_percent(run.first.v_out, exact.v_out_approx), tolerance,
                           "case %d: %s H_tau", i + 1, name);
        }
    }
}

// ---- Fig. 3: error of (7)-(8) against mu v_in ----

static double fit_error(double y)
{
    twImpactLaw law = {.stiffness = 1, .exponent = 1.5, .dissipation = 1};
    twImpactExact exact = tw_impact_exact(&law, 1, y);
    return percent(exact.v_out_approx, exact.v_out);
}

static void reproduce_fit(CliReport* report)
{
    double peak = -INFINITY, at = 0;
    for (int i = 1; i <= 1000; i++)
    {
        double y = 0.01 * i, error = fit_error(y);
        if (error <= peak) continue;
        peak = error;
        at = y;
    }
    cli_report_heading(report, "Fig. 3: error of (7)-(8) against mu v_in");
    cli_report_row(report, 2.045, peak, 0.0006, "largest error [%%]");
    cli_report_row(report, 3.0, at, 0.05, "at mu v_in");
}

// ---- Fig. 7: the corrections on the worst runs ----

static void reproduce_corrections(CliReport* report)
{
    static const twImpactMethod worst[2] = {TW_VERLET, TW_HEUN};
    cli_report_heading(report, "Fig. 7: the worst runs, corrected (final energy right, but by a jump)");
    for (int i = 0; i < 2; i++)
    {
        twWallDef def = impact_case(i + 1, worst[i]);
        def.correct = true;
        twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
        twWallRun run = run_contact(&def, 0);
        const char* name = tw_impact_method_name(worst[i]);
        double over = fmax(percent(run.first.x_max, exact.x_max), 0);
        cli_report_row(report, 0, over, 1e-9, "case %d: %s x_max beyond (4) [%%]", i + 1, name);
        cli_report_row(report, 0, energy_percent(run.first.v_out, exact.v_out_approx), 1e-9, "case %d: %s H_tau [%%]",
                       i + 1, name);
        if (i == 1)
            cli_report_row(report, 4.96, 100 * run.gain_max / run.energy_start, 0.005,
                           "case %d: %s jump at the release [%% of H_0]", i + 1, name);
    }
}

// ---- Fig. 8: bouncing ----

// start of the 30th contact, as the samples show it; NaN if it never comes
static double rebound_time(const twWallDef* def)
{
    twWall start = tw_wall(def);
    twWallRun run = tw_wall_run(&start);
    int64_t limit = (int64_t)(10 * def->rate_hz);
    while (run.contacts < REBOUND && run.steps < limit) tw_wall_run_step(&run);
    return run.contacts == REBOUND ? run.last.start : NAN;
}

static int ascending(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

#define ENSEMBLE 100

// The drift depends on where between two samples each contact begins, which every bounce magnifies some 27 times: after
// 30 bounces it is a matter of round-off. So compare with the spread of many runs whose v_in differ by 1e-9.
static twStatus reproduce_drift(CliReport* report, twImpactMethod method, double theirs_ms, double exact, twError* err)
{
    double drift[ENSEMBLE];
    twRng rng = tw_rng(1);
    CliProgress progress = cli_progress("bouncing");
    for (int i = 0; i < ENSEMBLE; i++)
    {
        if (cli_interrupted()) return tw_fail(err, TW_INTERRUPTED, "interrupted");
        twWallDef def = impact_bounce(method, false);
        def.velocity *= 1 + 1e-9 * tw_rng_between(&rng, -1, 1);
        drift[i] = 1e3 * (rebound_time(&def) - exact);
        cli_progress_update(&progress, (i + 1.0) / ENSEMBLE);
    }
    cli_progress_end(&progress);
    qsort(drift, ENSEMBLE, sizeof drift[0], ascending);
    double low = drift[ENSEMBLE / 20], median = drift[ENSEMBLE / 2], high = drift[ENSEMBLE - 1 - ENSEMBLE / 20];
    cli_report_row(report, theirs_ms, 0.5 * (low + high), 0.5 * (high - low),
                   "%s drift at rebound 30, middle of %+.1f..%+.1f (median %+.1f) [ms]", tw_impact_method_name(method),
                   low, high, median);
    return TW_OK;
}

static void reproduce_events(CliReport* report, const twWallEvent* events)
{
    int within = 0;
    for (int i = 0; i < 60; i++) within += events[i].touch < 2;
    cli_report_row(report, 47, within, 0, "exact: rebounds in 2 s");
    cli_report_row(report, 0.502891874, events[9].touch, 1e-9, "exact: t_10 [s]");
    cli_report_row(report, 1.391309551, events[29].touch, 1e-9, "exact: t_30 [s]");
    cli_report_row(report, 2.372863989, events[59].touch, 1e-9, "exact: t_60 [s]");
    cli_report_row(report, 0.189473272, events[29].v_in, 1e-9, "exact: v_30 [m/s]");
}

static twStatus reproduce_bouncing(CliReport* report, twError* err)
{
    twWallEvent events[60];
    twWallDef qi = impact_bounce(TW_QI, false), corrected = impact_bounce(TW_AM1, true);
    cli_report_heading(report, "Fig. 8: bouncing, case 1 under gravity");
    if (tw_wall_events(&qi, INFINITY, events, 60) < 60) return tw_fail(err, TW_NO_CONVERGE, "the bouncing ends early");
    reproduce_events(report, events);
    double exact = events[REBOUND - 1].touch;
    twStatus status = reproduce_drift(report, TW_AM1, 36.1, exact, err);
    if (status == TW_OK) status = reproduce_drift(report, TW_RK4, -7.0, exact, err);
    if (status != TW_OK) return status;
    cli_report_row(report, 2.9, 1e3 * (rebound_time(&corrected) - exact), 0.05,
                   "am1 corrected drift at rebound 30 [ms]");
    cli_report_row(report, 0.09, 1e3 * (rebound_time(&qi) - exact), 0.02, "qi drift at rebound 30 [ms]");
    return TW_OK;
}

// ---- schemes that cannot gain energy ----

static void reproduce_consistent(CliReport* report)
{
    static const double dg_percent[2] = {0.055, 1.41};
    cli_report_heading(report, "Schemes that cannot gain energy: v_out against the root of (6) [%]");
    for (int i = 0; i < 2; i++)
    {
        twWallDef def = impact_case(i + 1, TW_DG);
        twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
        cli_report_row(report, dg_percent[i], percent(run_contact(&def, 0).first.v_out, exact.v_out),
                       i ? 0.005 : 0.0005, "case %d: dg v_out", i + 1);
        def.method = TW_QI;
        cli_report_row(report, 0, percent(run_contact(&def, 0).first.v_out, exact.v_out), 1e-10, "case %d: qi v_out",
                       i + 1);
    }
}

// smallest and largest error of the final energy in percent, over all places of the touch between two samples
static void phase_range(int number, twImpactMethod method, double range[2])
{
    enum
    {
        PHASES = 1000
    };
    twWallDef def = impact_case(number, method);
    // contact time ~ k^(-1/(a+1)): make it two samples
    double samples = tw_impact_exact(&def.law, def.mass, def.velocity).contact_time * def.rate_hz;
    def.law.stiffness *= pow(samples / 2, def.law.exponent + 1);
    twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int i = 0; i < PHASES; i++)
    {
        twWallRun run = run_contact(&def, -def.velocity / def.rate_hz * i / PHASES);
        double error = energy_percent(run.first.v_out, exact.v_out);
        range[0] = fmin(range[0], error);
        range[1] = fmax(range[1], error);
    }
}

static void reproduce_phases(CliReport* report)
{
    static const struct
    {
        int number;
        twImpactMethod method;
        double low, high, tolerance;
    } theirs[] = {
        {1, TW_AM1, -31, 50, 0.5}, {2, TW_VERLET, -75, 3406, 4}, {2, TW_RK4, -46, 5, 0.5},
        {1, TW_QI, 0, 0, 1e-10},   {2, TW_QI, 0, 0, 1e-10},
    };
    cli_report_heading(report, "Contact of 2 samples, all places between samples: final energy error [%]");
    for (int i = 0; i < 5; i++)
    {
        double range[2];
        phase_range(theirs[i].number, theirs[i].method, range);
        const char* name = tw_impact_method_name(theirs[i].method);
        cli_report_row(report, theirs[i].low, range[0], theirs[i].tolerance, "case %d: %s, least", theirs[i].number,
                       name);
        cli_report_row(report, theirs[i].high, range[1], theirs[i].tolerance, "case %d: %s, most", theirs[i].number,
                       name);
    }
}

// largest energy seen while lying on a stiff wall for 5 s, in terms of the initial; stops beyond the limit
static double sustained_energy(twImpactMethod method, double limit)
{
    twWallDef def = impact_bounce(method, false);
    def.law.stiffness = 1e9;
    def.velocity = 0.02;
    twWall start = tw_wall(&def);
    twWallRun run = tw_wall_run(&start);
    int64_t steps = (int64_t)(5 * def.rate_hz);
    while (run.steps < steps && run.energy_max <= limit * run.energy_start) tw_wall_run_step(&run);
    return run.energy_max / run.energy_start;
}

static void reproduce_sustained(CliReport* report)
{
    static const twImpactMethod gaining[] = {TW_AM1, TW_VERLET, TW_RK4}, passive[] = {TW_DG, TW_QI};
    cli_report_heading(report, "Sustained contact, k = 1e9, v = 0.02 m/s, under gravity");
    for (int i = 0; i < 3; i++)
        cli_report_claim(report, sustained_energy(gaining[i], 1000) > 1000, "%s exceeds 1000 H_0",
                         tw_impact_method_name(gaining[i]));
    for (int i = 0; i < 2; i++)
        cli_report_row(report, 1, sustained_energy(passive[i], 1000), 1e-12, "%s: largest energy [H_0]",
                       tw_impact_method_name(passive[i]));
}

twStatus reproduce_impact(CliReport* report, twError* err)
{
    reproduce_closed_forms(report);
    reproduce_text(report);
    reproduce_table(report);
    reproduce_fit(report);
    reproduce_corrections(report);
    twStatus status = reproduce_bouncing(report, err);
    if (status != TW_OK) return status;
    reproduce_consistent(report);
    reproduce_phases(report);
    reproduce_sustained(report);
    if (cli_interrupted()) return tw_fail(err, TW_INTERRUPTED, "interrupted");
    return report->folder ? impact_figures(report->folder, err) : TW_OK;
}
