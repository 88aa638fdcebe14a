// SPDX-License-Identifier: MIT
// Fig. 5 of Schweickart et al. 2017: a slinky of four loops comes to rest on the ground. Theirs buzzes on unless motion that
// is not rigid is damped near rest; compliant contacts are silent without that.

#include "reproduce_rod_contact.h"
#include <math.h>

#define SILENT_DB (-80)  // re the impact
#define LAST 0.2         // what is heard of rest [s]
#define CALM_SPEED 0.02  // slower, motion that is not rigid is damped [m/s]

// rms of the last of it [dB re the loudest 10 ms]
static double rest_db(const RodContactLevel* level)
{
    double sum = 0;
    int n = 0;
    for (int i = level->count - 1; i >= 0 && level->time[i] > level->time[level->count - 1] - LAST; i--, n++)
        sum += pow(10, 0.1 * level->level[i]);
    return n > 0 && sum > 0 ? 10 * log10(sum / n) : 0;
}

// from the impact until nothing louder follows [s]
static double silent_after(const RodContactLevel* level)
{
    int last = level->count - 1;
    while (last > level->impact && level->level[last] <= SILENT_DB) last--;
    return level->time[last] - level->time[level->impact];
}

static void report_rest(CliReport* report, const char* how, const RodContactRun* run, const RodContactLevel* level)
{
    cli_report_info(report, NAN, rest_db(level), "%s: last %g s re the impact [dB]", how, LAST);
    cli_report_least(report, -SILENT_DB, -rest_db(level), 0, "%s: quieter than the impact by [dB] (goal)", how);
    cli_report_row(report, 0, silent_after(level), 1, "%s: silent after [s] (goal: within one)", how);
    cli_report_row(report, 0, (double)(run->stats.failures + run->stats.lost), 0, "%s: solves that failed", how);
    cli_report_row(report, 0, run->energy.largest_rise, 1e-12, "%s: largest rise of energy in a step [J]", how);
}

static twStatus hear_rest(CliReport* report, RodContactLevel* level, const char* how, void (*change)(twScene* scene),
                          twError* err)
{
    ContactScene s;
    RodContactRun run;
    *level = (RodContactLevel){0};
    twStatus status = contact_load(&s, "slinky-rest", change, err);
    if (status != TW_OK) return status;
    status = rod_contact_run(&run, &s, s.scene->duration, NULL, err);
    if (status == TW_OK) status = rod_contact_level(level, &run, err);
    if (status == TW_OK) report_rest(report, how, &run, level);
    rod_contact_run_free(&run);
    contact_unload(&s);
    return status;
}

static void set_calm(twScene* scene, double speed)
{
    for (int i = 0; i < scene->rod_count; i++) scene->rods[i].calm_speed = speed;
}

static void leave_as_it_is(twScene* scene) { set_calm(scene, 0); }
static void damp(twScene* scene) { set_calm(scene, CALM_SPEED); }

twStatus rod_contact_rest(CliReport* report, twError* err)
{
    static const char* const labels[] = {"without nonrigid damping", "with nonrigid damping"};
    RodContactLevel levels[2] = {{0}, {0}};
    cli_report_heading(report, "Fig. 5: rest of a slinky of four loops (theirs buzzes without nonrigid damping)");
    twStatus status = hear_rest(report, &levels[0], labels[0], leave_as_it_is, err);
    if (status == TW_OK) status = hear_rest(report, &levels[1], labels[1], damp, err);
    if (status == TW_OK && report->folder)
    {
        const ContactCurve curves[] = {{labels[0], levels[0].time, levels[0].level, levels[0].count},
                                       {labels[1], levels[1].time, levels[1].level, levels[1].count}};
        status = contact_plot(report->folder, "rod-contact-rest.svg", "Figure 5: a slinky of four loops comes to rest",
                              "level re the impact [dB]", curves, 2, false, err);
    }
    for (int i = 0; i < 2; i++) rod_contact_level_free(&levels[i]);
    return status;
}
