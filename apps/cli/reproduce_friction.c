// SPDX-License-Identifier: MIT
// twang reproduce friction: the reference run of docs/friction.md and the source's three applications (Avanzini,
// Serafin and Rocchesso 2005, section VI). The source prints few numbers for these; what it says of them is checked.

#include "cli.h"
#include "scenes_data.h"
#include "twang/math.h"
#include "twang/render.h"
#include "twang/rub.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_SECONDS 0.2

enum
{
    T,
    X_R,
    V_R,
    X_E,
    V_E,
    Z,
    F
};

static bool keep_going(double done, void* context)
{
    (void)done;
    (void)context;
    return !cli_interrupted();
}

static twStatus load(twScene** scene, const char* name, twError* err)
{
    for (const SceneText* s = scene_texts; s->name; s++)
        if (strcmp(s->name, name) == 0) return tw_scene_parse(scene, name, s->text, strlen(s->text), err);
    return tw_fail(err, TW_BAD_INPUT, "the scene '%s' is not built in", name);
}

// rub the n-th friction contact of a scene, keeping every sample
static twStatus rub(twRub* out, const twScene* scene, int nth, twError* err)
{
    int contact = -1;
    for (int i = 0, seen = 0; i < scene->contact_count; i++)
        if (scene->contacts[i].def.has_friction && seen++ == nth) contact = i;
    twRubDef def = {
        .contact = contact, .tail = (int)lround(scene->duration * scene->rate_hz) + 1, .keep_going = keep_going};
    return tw_rub(out, scene, &def, err);
}

// ---- the reference run ----

static void reference_samples(CliReport* report, const twRub* r)
{
    const double theirs[] = {3.541386132e-05, 1.084680070e-01, 9.498051873e-02, -6.842617015e-06};
    const int column[] = {X_R, V_R, V_E, Z};
    const char* const names[] = {"x_r", "v_r", "v_e", "z"};
    for (int i = 0; i < 4; i++)
        cli_report_row(report, theirs[i], r->column[column[i]][441], 1e-9 * fabs(theirs[i]), "sample 441, %s",
                       names[i]);
    cli_report_row(report, -3.174694866e-01, r->column[V_R][4410], 1e-6, "sample 4410, v_r [m/s]");
    cli_report_row(report, -1.000000001e-05, r->column[Z][4410], 1e-14, "sample 4410, z [m]");
}

static void reference_totals(CliReport* report, const twRub* r)
{
    cli_report_row(report, -0.363297, r->v_r_min, 1e-6, "v_r, least [m/s]");
    cli_report_row(report, 0.165385, r->v_r_max, 1e-6, "v_r, greatest [m/s]");
    cli_report_row(report, -0.499696, r->slip_min, 1e-6, "slip, least [m/s]");
    cli_report_row(report, 0.029427, r->slip_max, 1e-6, "slip, greatest [m/s]");
    cli_report_row(report, 0.137165, r->v_e_mean, 1e-6, "v_e, mean [m/s]");
    cli_report_row(report, 0.340042810, r->energy.work_in, 1e-9, "work done by the force [J]");
    cli_report_row(report, 0.186394475, r->energy.modal_loss, 1e-9, "lost in the modes [J]");
    cli_report_row(report, 0.152609493, r->energy.friction_loss, 1e-9, "lost in friction [J]");
    cli_report_row(report, 0.001038842, r->energy.stored + r->energy.springs, 1e-9, "stored [J]");
    cli_report_row(report, 0, r->energy.balance_error / r->energy.work_in, 1e-12, "energy unaccounted for, relative");
    cli_report_row(report, 0, (double)r->stats.unconverged, 0, "solves that failed");
}

static twStatus save_reference_plot(const CliReport* report, const twRub* r, double rate_hz, twError* err)
{
    if (!report->folder) return TW_OK;
    char path[600];
    snprintf(path, sizeof path, "%s/friction-reference.svg", report->folder);
    int n = (int)(0.015 * rate_hz), from = r->tail - n;
    double* slip = malloc((size_t)n * sizeof(double));
    if (!slip) return tw_fail(err, TW_NO_MEMORY, "no memory for a plot");
    for (int i = 0; i < n; i++) slip[i] = r->column[V_R][from + i] - r->column[V_E][from + i];
    twPlot* plot = tw_plot_create("Friction reference run", 2);
    tw_plot_panel(plot, "Velocities at the contact", "time [s]", "velocity [m/s]");
    tw_plot_line(plot, r->column[T] + from, r->column[V_R] + from, (size_t)n, "resonator");
    tw_plot_line(plot, r->column[T] + from, r->column[V_E] + from, (size_t)n, "exciter");
    tw_plot_panel(plot, "Force against slip", "slip v_r - v_e [m/s]", "friction [N]");
    tw_plot_line(plot, slip, r->column[F] + from, (size_t)n, NULL);
    twStatus status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    free(slip);
    return status;
}

// one run at a rate; the details only at the first
static twStatus reference_at(CliReport* report, double* found_hz, double rate_hz, double theirs_hz, bool details,
                             twError* err)
{
    twScene* scene;
    twRub r;
    twStatus status = load(&scene, "friction-reference", err);
    if (status != TW_OK) return status;
    scene->rate_hz = rate_hz;
    status = rub(&r, scene, 0, err);
    tw_scene_destroy(scene);
    if (status != TW_OK) return status;
    cli_report_row(report, theirs_hz, r.fundamental_hz, 0.01, "stick-slip frequency at %g kHz [Hz]", rate_hz / 1000);
    *found_hz = r.fundamental_hz;
    if (details)
    {
        reference_samples(report, &r);
        reference_totals(report, &r);
        status = save_reference_plot(report, &r, rate_hz, err);
    }
    tw_rub_free(&r);
    return status;
}

static twStatus reference(CliReport* report, twError* err)
{
    static const double rate_hz[] = {44100, 88200, 176400}, theirs_hz[] = {382.692, 382.450, 382.391};
    double hz[3];
    twStatus status = TW_OK;
    cli_report_heading(report, "Reference run, bilinear scheme");
    for (int i = 0; i < 3 && status == TW_OK; i++)
        status = reference_at(report, &hz[i], rate_hz[i], theirs_hz[i], i == 0, err);
    if (status == TW_OK)
        cli_report_row(report, 2, log2((hz[0] - hz[1]) / (hz[1] - hz[2])), 0.1, "section IV: order of accuracy");
    return status;
}

// ---- the applications ----

// "no more than two modes for each resonator have been used in all the applications"
static void check_modes(CliReport* report, const twScene* scene, const char* name)
{
    int most = 0;
    for (int i = 0; i < scene->contact_count; i++)
    {
        if (!scene->contacts[i].def.has_friction) continue;
        const int modes = scene->objects[scene->contacts[i].def.b].modes->mode_count;
        most = modes > most ? modes : most;
    }
    cli_report_info(report, 2, most, "%s: modes of a resonator, theirs at most", name);
}

// RMS of a column between two times
static double rms(const twRub* r, int column, double from_s, double to_s, double rate_hz)
{
    double sum = 0;
    int from = (int)(from_s * rate_hz), to = (int)(to_s * rate_hz), n = 0;
    for (int i = from; i < to && i < r->tail; i++, n++) sum += r->column[column][i] * r->column[column][i];
    return n ? sqrt(sum / n) : 0;
}

static double pitch_at(const twRub* r, double at_s, double rate_hz)
{
    int from = (int)(at_s * rate_hz), n = (int)(WINDOW_SECONDS * rate_hz);
    return from + n <= r->tail ? tw_pitch(r->column[V_R] + from, n, rate_hz) : 0;
}

// share of samples between two times in which the bristles follow the surfaces
static double stick_between(const twRub* r, double from_s, double to_s, double rate_hz)
{
    int stuck = 0, n = 0;
    for (int i = (int)(from_s * rate_hz) + 1; i < (int)(to_s * rate_hz) && i < r->tail; i++, n++)
    {
        double slip = r->column[V_R][i] - r->column[V_E][i], before = r->column[V_R][i - 1] - r->column[V_E][i - 1];
        stuck += fabs(r->column[Z][i] - r->column[Z][i - 1]) * rate_hz >= 0.25 * fabs(slip + before);
    }
    return n ? (double)stuck / n : 0;
}

// "sound is generated at one of the natural frequencies of the glass and its harmonics"
static void check_glass(CliReport* report, const twScene* scene, const twRub* r)
{
    const twModes* glass = scene->objects[scene->contacts[0].def.b].modes;
    double pitch = pitch_at(r, 3.5, scene->rate_hz), off = 1;
    for (int k = 0; k < glass->mode_count; k++) off = fmin(off, fabs(pitch / glass->freq_hz[k] - 1));
    cli_report_row(report, 0, off, 0.005, "wineglass: pitch away from a mode, relative | %.1f Hz", pitch);
    cli_report_claim(report, rms(r, V_R, 5.5, 6, scene->rate_hz) > 0.01 * rms(r, V_R, 3.5, 4, scene->rate_hz),
                     "wineglass: rings on after the finger has gone");
    cli_report_claim(report, rms(r, V_R, 3.5, 4, scene->rate_hz) > 2 * rms(r, V_R, 0.3, 0.5, scene->rate_hz),
                     "wineglass: takes time to speak");
}

// "Neat stick-slip is established only at sufficiently low velocities, and squeals are produced in the final stage"
static void check_brake(CliReport* report, const twScene* scene, const twRub* r)
{
    double fast = stick_between(r, 2.3, 2.6, scene->rate_hz), best = 0;
    for (double t = 2.6; t < 5.5; t += 0.1)
        best = fmax(best, stick_between(r, t, t + 0.1, scene->rate_hz) < 0.95
                              ? stick_between(r, t, t + 0.1, scene->rate_hz)
                              : 0);
    cli_report_claim(report, fast < 0.02, "braking wheel: no sticking while fast | %.1f %% of the time", 100 * fast);
    cli_report_claim(report, best > 0.1, "braking wheel: stick-slip in the final stage | %.0f %% sticking", 100 * best);
}

// "complex transient and glissando effects"
static void check_door(CliReport* report, const twScene* scene, const twRub* r, const char* side)
{
    double low = INFINITY, high = 0;
    for (double t = 0.4; t < 5.2; t += 0.1)
    {
        double pitch = pitch_at(r, t, scene->rate_hz), loud = rms(r, V_R, t, t + WINDOW_SECONDS, scene->rate_hz);
        if (pitch <= 0 || loud < 1e-3) continue;
        low = fmin(low, pitch);
        high = fmax(high, pitch);
    }
    cli_report_claim(report, high > 1.05 * low, "door, %s shutter: squeaks that glide | %.0f to %.0f Hz", side, low,
                     high);
}

static twStatus application(CliReport* report, const char* name, twError* err)
{
    static const char* const sides[] = {"left", "right"};
    twScene* scene;
    twStatus status = load(&scene, name, err);
    if (status != TW_OK) return status;
    bool door = strcmp(name, "door") == 0;
    check_modes(report, scene, name);
    for (int i = 0; status == TW_OK && i < (door ? 2 : 1); i++)
    {
        twRub r;
        status = rub(&r, scene, i, err);
        if (status != TW_OK) break;
        if (door)
            check_door(report, scene, &r, sides[i]);
        else if (strcmp(name, "brake") == 0)
            check_brake(report, scene, &r);
        else
            check_glass(report, scene, &r);
        cli_report_claim(report, r.stats.unconverged == 0 && r.stats.resets == 0, "%s%s%s: every solve converged", name,
                         door ? ", " : "", door ? sides[i] : "");
        cli_report_info(report, 7, (double)r.stats.iterations / (double)(r.stats.solves > 0 ? r.stats.solves : 1),
                        "%s%s%s: iterations of a solve, theirs at most, typically; ours on average | %d at most", name,
                        door ? ", " : "", door ? sides[i] : "", r.stats.iterations_max);
        tw_rub_free(&r);
    }
    if (status == TW_OK && report->folder)
    {
        char folder[600];
        snprintf(folder, sizeof folder, "%s/%s", report->folder, name);
        twRenderDef def = {.folder = folder, .keep_going = keep_going};
        twRenderReport rendered;
        status = tw_render(scene, &def, &rendered, err);
        if (status == TW_OK) tw_render_report_free(&rendered);
    }
    tw_scene_destroy(scene);
    return status;
}

twStatus reproduce_friction(CliReport* report, twError* err)
{
    twStatus status = reference(report, err);
    if (status == TW_OK) cli_report_heading(report, "Applications, exact scheme");
    if (status == TW_OK) status = application(report, "brake", err);
    if (status == TW_OK) status = application(report, "wineglass", err);
    if (status == TW_OK) status = application(report, "door", err);
    return status;
}
