// SPDX-License-Identifier: MIT
// Figures 3, 7 and 8 of Papetti, Avanzini, Rocchesso 2009 from our own runs.

#include "reproduce_impact.h"
#include "twang/media.h"
#include <math.h>
#include <stdlib.h>

static twStatus save_plot(twPlot* plot, const char* folder, const char* name, twError* err)
{
    char path[4096];
    twStatus status = TW_OK;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || length >= (int)sizeof path)
        status = tw_fail(err, TW_BAD_INPUT, "the folder's name is too long");
    else
        status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    return status;
}

// ---- Fig. 3 ----

static twStatus figure_fit(const char* folder, twError* err)
{
    enum
    {
        POINTS = 600
    };
    double y[POINTS], error[POINTS];
    for (int i = 0; i < POINTS; i++)
    {
        y[i] = pow(10, -2 + 4.0 * i / (POINTS - 1));
        twImpactLaw law = {.stiffness = 1, .exponent = 1.5, .dissipation = 1};
        twImpactExact exact = tw_impact_exact(&law, 1, y[i]);
        error[i] = 100 * (exact.v_out_approx / exact.v_out - 1);
    }
    twPlot* plot = tw_plot_create("Fig. 3: error of the fit (7)-(8)", 1);
    tw_plot_panel(plot, NULL, "mu v_in", "error of v_out [%]");
    tw_plot_log(plot, true, false);
    tw_plot_line(plot, y, error, POINTS, NULL);
    tw_plot_hline(plot, 2.045, "2.045 %");
    tw_plot_vline(plot, 3.0, NULL);
    return save_plot(plot, folder, "impact_fig3.svg", err);
}

// ---- Fig. 7 ----

#define CONTACT_POINTS 64

typedef struct Contact
{
    double t[CONTACT_POINTS], x[CONTACT_POINTS], v[CONTACT_POINTS], h[CONTACT_POINTS];
    size_t count;
} Contact;

static void trace_contact(Contact* trace, const twWallDef* def)
{
    twWall start = tw_wall(def);
    twWallRun run = tw_wall_run(&start);
    // three samples beyond the release
    int64_t end = CONTACT_POINTS - 1;
    for (trace->count = 0; run.steps <= end; tw_wall_run_step(&run))
    {
        size_t i = trace->count++;
        trace->t[i] = (double)run.steps / def->rate_hz;
        trace->x[i] = run.wall.xc;
        trace->v[i] = run.wall.v;
        trace->h[i] = tw_wall_energy(&run.wall);
        if (run.first.over && end == CONTACT_POINTS - 1) end = run.steps + 3 < end ? run.steps + 3 : end;
    }
}

static void draw_case(twPlot* plot, int number, twImpactMethod method)
{
    twWallDef def = impact_case(number, method);
    twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
    Contact plain, corrected;
    trace_contact(&plain, &def);
    def.correct = true;
    trace_contact(&corrected, &def);

    char title[64];
    snprintf(title, sizeof title, "Case %d, %s", number, tw_impact_method_name(method));
    tw_plot_panel(plot, title, "compression x [m]", "velocity v [m/s]");
    tw_plot_line(plot, plain.x, plain.v, plain.count, "without corrections");
    tw_plot_line(plot, corrected.x, corrected.v, corrected.count, "with corrections");
    tw_plot_vline(plot, exact.x_max, "x_max");
    tw_plot_hline(plot, exact.v_out, "v_out");
    tw_plot_panel(plot, title, "time [s]", "total energy H [J]");
    tw_plot_line(plot, plain.t, plain.h, plain.count, "without corrections");
    tw_plot_line(plot, corrected.t, corrected.h, corrected.count, "with corrections");
    tw_plot_hline(plot, 0.5 * def.mass * def.velocity * def.velocity, "H_0");
    tw_plot_hline(plot, 0.5 * def.mass * exact.v_out * exact.v_out, "H_tau");
}

static twStatus figure_corrections(const char* folder, twError* err)
{
    twPlot* plot = tw_plot_create("Fig. 7: with and without corrections", 2);
    draw_case(plot, 1, TW_VERLET);
    draw_case(plot, 2, TW_HEUN);
    return save_plot(plot, folder, "impact_fig7.svg", err);
}

// ---- Fig. 8 ----

#define BOUNCE_SECONDS 2.0
#define BOUNCE_POINTS 2756
#define BOUNCE_SPACING 32  // samples

typedef struct Bounce
{
    double t[BOUNCE_POINTS], height[BOUNCE_POINTS];
} Bounce;

static void trace_bounce(Bounce* trace, const twWallDef* def)
{
    twWall start = tw_wall(def);
    twWallRun run = tw_wall_run(&start);
    for (int i = 0; i < BOUNCE_POINTS; i++)
    {
        trace->t[i] = (double)run.steps / def->rate_hz;
        trace->height[i] = -run.wall.x;
        for (int j = 0; j < BOUNCE_SPACING; j++) tw_wall_run_step(&run);
    }
}

// flights of the exact run; the contacts are too short to see
static void trace_events(Bounce* trace, const twWallDef* def)
{
    twWallEvent events[64];
    int count = tw_wall_events(def, BOUNCE_SECONDS, events, 64), at = 0;
    for (int i = 0; i < BOUNCE_POINTS; i++)
    {
        double t = (double)i * BOUNCE_SPACING / def->rate_hz;
        while (at + 1 < count && events[at + 1].touch <= t) at++;
        double flown = count ? fmax(t - events[at].release, 0) : 0, v = count ? events[at].v_out : 0;
        trace->t[i] = t;
        trace->height[i] = -(v * flown + 0.5 * def->gravity * flown * flown);
    }
}

static void draw_bounces(twPlot* plot, Bounce* trace, double from)
{
    static const struct
    {
        twImpactMethod method;
        bool correct;
        const char* label;
    } runs[] = {{TW_AM1, false, "am1"}, {TW_RK4, false, "rk4"}, {TW_AM1, true, "am1 corrected"}, {TW_QI, false, "qi"}};
    twWallDef def = impact_bounce(TW_QI, false);
    tw_plot_panel(plot, NULL, "time [s]", "height [m]");
    tw_plot_x_range(plot, from, BOUNCE_SECONDS);
    if (from > 0) tw_plot_y_range(plot, 0, 1.6e-3);
    trace_events(trace, &def);
    tw_plot_line(plot, trace->t, trace->height, BOUNCE_POINTS, "exact");
    for (int i = 0; i < 4; i++)
    {
        def = impact_bounce(runs[i].method, runs[i].correct);
        trace_bounce(trace, &def);
        tw_plot_line(plot, trace->t, trace->height, BOUNCE_POINTS, runs[i].label);
    }
}

static twStatus figure_bouncing(const char* folder, twError* err)
{
    Bounce* trace = malloc(sizeof *trace);
    if (!trace) return tw_fail(err, TW_NO_MEMORY, "no memory for Fig. 8");
    twPlot* plot = tw_plot_create("Fig. 8: bouncing, case 1 under gravity", 1);
    draw_bounces(plot, trace, 0);
    draw_bounces(plot, trace, 1.75);
    free(trace);
    return save_plot(plot, folder, "impact_fig8.svg", err);
}

twStatus impact_figures(const char* folder, twError* err)
{
    twStatus status = figure_fit(folder, err);
    if (status == TW_OK) status = figure_corrections(folder, err);
    if (status == TW_OK) status = figure_bouncing(folder, err);
    return status;
}
