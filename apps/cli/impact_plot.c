// SPDX-License-Identifier: MIT
// The picture of an impact: phase portrait, force against compression, energy, height. The smooth curves are exact: (3)
// of Papetti et al. 2009, and (1) along it.

#include "impact.h"
#include "twang/media.h"
#include <math.h>
#include <stdlib.h>

// ---- trace ----

static void thin(Trace* trace)
{
    double* const columns[] = {trace->t, trace->x, trace->v, trace->f, trace->h, trace->kinetic, trace->elastic};
    trace->count /= 2;
    trace->spacing *= 2;
    for (int c = 0; c < 7; c++)
        for (int i = 0; i < trace->count; i++) columns[c][i] = columns[c][2 * i];
}

double sample_force(const twWall* wall)
{
    // DG and QI keep the mean force of the step
    return wall->def.method < TW_DG ? wall->f : tw_impact_force(&wall->def.law, wall->xc, wall->v);
}

void trace_add(Trace* trace, const twWallRun* run)
{
    if (trace->count == TRACE_POINTS) thin(trace);
    if (!trace->spacing) trace->spacing = 1;
    if (run->steps % trace->spacing) return;
    const twWall* wall = &run->wall;
    int i = trace->count++;
    trace->t[i] = (double)run->steps / wall->def.rate_hz;
    trace->x[i] = wall->xc;
    trace->v[i] = wall->v;
    trace->f[i] = sample_force(wall);
    trace->h[i] = tw_wall_energy(wall);
    trace->kinetic[i] = 0.5 * wall->def.mass * wall->v * wall->v;
    trace->elastic[i] = tw_impact_potential(&wall->def.law, wall->xc);
}

// ---- exact curves ----

#define CURVE_POINTS 400

typedef struct Curve
{
    double x[CURVE_POINTS], v[CURVE_POINTS], f[CURVE_POINTS];
} Curve;

static void exact_curve(Curve* curve, const twWallDef* def, const twImpactExact* exact, double v_in)
{
    for (int i = 0; i < CURVE_POINTS; i++)
    {
        // denser near the ends, where x(v) is steep
        double share = 0.5 - 0.5 * cos(3.14159265358979323846 * i / (CURVE_POINTS - 1));
        curve->v[i] = v_in + share * (exact->v_out - v_in);
        curve->x[i] = tw_impact_compression(&def->law, def->mass, v_in, curve->v[i]);
        curve->f[i] = tw_impact_force(&def->law, curve->x[i], curve->v[i]);
    }
}

// ---- panels ----

static void draw_contact(twPlot* plot, const Trace* trace, const Curve* curve, const twImpactExact* exact)
{
    size_t n = (size_t)trace->count;
    tw_plot_panel(plot, "Phase portrait", "compression x [m]", "velocity v [m/s]");
    tw_plot_line(plot, curve->x, curve->v, CURVE_POINTS, "exact");
    tw_plot_dots(plot, trace->x, trace->v, n, "samples");
    tw_plot_vline(plot, exact->x_max, "x_max");
    tw_plot_hline(plot, exact->v_out, "v_out");

    tw_plot_panel(plot, "Force against compression", "compression x [m]", "force f [N]");
    tw_plot_line(plot, curve->x, curve->f, CURVE_POINTS, "exact");
    tw_plot_dots(plot, trace->x, trace->f, n, "samples");
}

static void draw_energy(twPlot* plot, const Trace* trace, double h0, double h_tau)
{
    size_t n = (size_t)trace->count;
    tw_plot_panel(plot, "Energies", "time [s]", "energy [J]");
    tw_plot_line(plot, trace->t, trace->h, n, "total H");
    tw_plot_line(plot, trace->t, trace->kinetic, n, "kinetic T");
    tw_plot_line(plot, trace->t, trace->elastic, n, "elastic V");

    tw_plot_panel(plot, "Total energy", "time [s]", "energy H [J]");
    tw_plot_line(plot, trace->t, trace->h, n, NULL);
    tw_plot_hline(plot, h0, "H_0");
    tw_plot_hline(plot, h_tau, "H_tau exact");
}

static twStatus draw_bouncing(twPlot* plot, const Trace* all, twError* err)
{
    double* height = malloc((size_t)all->count * sizeof *height);
    if (!height) return tw_fail(err, TW_NO_MEMORY, "no memory for the plot");
    for (int i = 0; i < all->count; i++) height[i] = -all->x[i];
    tw_plot_panel(plot, "Total energy of the whole run", "time [s]", "energy [J]");
    tw_plot_line(plot, all->t, all->h, (size_t)all->count, NULL);
    tw_plot_panel(plot, "Height", "time [s]", "height above the wall [m]");
    tw_plot_line(plot, all->t, height, (size_t)all->count, NULL);
    free(height);
    return TW_OK;
}

twStatus impact_plot(const char* path, const twWallRun* run, const Trace* contact, const Trace* all, bool bouncing,
                     twError* err)
{
    const twWallDef* def = &run->wall.def;
    double v_in = fabs(def->velocity);
    twImpactExact exact = tw_impact_exact(&def->law, def->mass, v_in);
    Curve curve;
    exact_curve(&curve, def, &exact, v_in);
    char title[128];
    snprintf(title, sizeof title, "Impact, %s%s, %g Hz", tw_impact_method_name(def->method),
             def->correct ? " corrected" : "", def->rate_hz);

    twPlot* plot = tw_plot_create(title, bouncing ? 3 : 2);
    draw_contact(plot, contact, &curve, &exact);
    draw_energy(plot, contact, run->energy_start, 0.5 * def->mass * exact.v_out * exact.v_out);
    twStatus status = bouncing ? draw_bouncing(plot, all, err) : TW_OK;
    if (status == TW_OK) status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    return status;
}
