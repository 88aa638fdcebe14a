// SPDX-License-Identifier: MIT
// What the measures of Zheng and James 2011 gain: contact reduction (3.3), adaptivity and friction culling (4).
// Gains are ratios of processor times of worlds that run in turns.

#include "reproduce_contact.h"
#include <math.h>

#define TURN 0.01  // simulated at a time [s]
#define MOODS 0.1  // part of a timed ratio that a busy machine may take away

typedef struct Example
{
    const char *scene, *name;
    double ours;   // simulated here [s]
    double both;   // simulated with adaptivity off too [s]
    double early;  // before bodies rattle on each other [s]
    double gain;   // theirs, by adaptivity; 0: not told
} Example;

static const Example examples[] = {
    {"ruler", "ruler", 0.5, 0.5, 0.5, 0},
    {"table", "table", 2.2, 2.2, 0.6, 2.6},
    {"marbles", "marbles", 3, 0.6, 0.4, 6.8},
};
#define EXAMPLE_COUNT ((int)(sizeof examples / sizeof examples[0]))

// ---- steps ----

// the part of all steps that are in the two shortest classes of those that occur
static double shortest_share(const twWorldStats* s)
{
    double all = 0, few = 0;
    int last = TW_STEP_BINS - 1;
    while (last > 0 && s->step_bins[last] == 0) last--;
    for (int i = 0; i <= last; i++) all += (double)s->step_bins[i];
    for (int i = last; i > last - 2 && i >= 0; i--) few += (double)s->step_bins[i];
    return all > 0 ? few / all : 0;
}

static double mean_dof(const ContactRun* run, double from, double to)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < run->count; i++)
        if (run->time[i] > from && run->time[i] <= to) sum += run->dof[i], count++;
    return count ? sum / count : 0;
}

// ---- figures 8 and 15 to 17 ----

static twStatus draw(const CliReport* report, const Example* e, const ContactRun runs[2], twError* err)
{
    if (!report->folder) return TW_OK;
    char file[64], title[96];
    const ContactCurve curves[] = {{"adaptive", runs[0].time, runs[0].dof, runs[0].count},
                                   {"all modes", runs[1].time, runs[1].dof, runs[1].count}};
    snprintf(file, sizeof file, "contact-dof-%s.svg", e->scene);
    snprintf(title, sizeof title, "Figures 8, 15 and 17: active degrees of freedom, %s", e->name);
    twStatus status = contact_plot(report->folder, file, title, "degrees of freedom", curves, 2, false, err);
    if (status != TW_OK) return status;
    const twWorldStats stats[2] = {tw_world_stats(runs[0].world), tw_world_stats(runs[1].world)};
    static const char* const labels[] = {"adaptive", "adaptivity off"};
    snprintf(file, sizeof file, "contact-steps-%s.svg", e->scene);
    snprintf(title, sizeof title, "Figure 16: steps by their length, %s", e->name);
    return contact_plot_steps(report->folder, file, title, stats, labels, 2, err);
}

static void report_motion(CliReport* report, const Example* e, const ContactRun* run)
{
    const twWorldStats stats = tw_world_stats(run->world);
    const twWorldEnergy energy = tw_world_energy(run->world);
    cli_report_info(report, NAN, mean_dof(run, 0, run->until), "%s: active degrees of freedom, mean", e->name);
    cli_report_claim(report, mean_dof(run, 0.75 * run->until, run->until) < 0.9 * run->dof_max,
                     "figures 8, 15, 17, %s: modes die out (below 0.9 of the most at the end)", e->name);
    cli_report_info(report, NAN, shortest_share(&stats), "figure 16, %s: part of the steps in the two shortest octaves",
                    e->name);
    cli_report_row(report, 0, (double)(stats.failures + stats.lost), 0, "%s: solves that failed, bodies lost", e->name);
    cli_report_row(report, 0, energy.largest_rise, 1e-12, "%s: largest rise of energy in a step [J]", e->name);
}

static void report_gain(CliReport* report, const Example* e, const ContactRun runs[2])
{
    const double early = runs[1].at_mark[0] / runs[0].at_mark[0], all = runs[1].at_mark[1] / runs[0].at_mark[1];
    if (e->gain > 0)
        cli_report_least(report, e->gain, early, MOODS * e->gain, "%s: gain by adaptivity, first %g s", e->name,
                         e->early);
    if (e->gain > 0)
        cli_report_info(report, e->gain, all, "%s: gain by adaptivity, first %g s", e->name, e->both);
    else
        cli_report_info(report, NAN, all, "%s: gain by adaptivity, first %g s", e->name, e->both);
}

static twStatus compare(CliReport* report, const Example* e, twError* err)
{
    ContactScene s;
    twStatus status = contact_load(&s, e->scene, NULL, err);
    if (status != TW_OK) return status;
    ContactRun runs[2] = {
        {.settings = s.scene->world, .until = e->ours, .mark = {e->early, e->both}},
        {.settings = contact_unadapted(&s.scene->world), .until = e->both, .mark = {e->early, e->both}}};
    status = contact_race(&s, runs, 2, TURN, err);
    if (status == TW_OK)
    {
        report_gain(report, e, runs);
        report_motion(report, e, &runs[0]);
        status = draw(report, e, runs, err);
    }
    for (int i = 0; i < 2; i++) contact_run_free(&runs[i]);
    contact_unload(&s);
    return status;
}

// ---- what single measures gain on the table before the drop, and in it ----

static twStatus two_worlds(ContactRun runs[2], const ContactScene* s, twWorldDef with, twWorldDef without,
                           double seconds, twError* err)
{
    runs[0] = (ContactRun){.settings = with, .until = seconds};
    runs[1] = (ContactRun){.settings = without, .until = seconds};
    return contact_race(s, runs, 2, TURN, err);
}

static void free_two(ContactRun runs[2])
{
    for (int i = 0; i < 2; i++) contact_run_free(&runs[i]);
}

static twStatus cull(CliReport* report, const ContactScene* s, const char* name, double seconds, double least,
                     twError* err)
{
    ContactRun runs[2];
    twWorldDef with = s->scene->world, without = with;
    without.no_friction_culling = true;
    twStatus status = two_worlds(runs, s, with, without, seconds, err);
    if (status == TW_OK)
    {
        const twWorldStats stats = tw_world_stats(runs[0].world);
        const double gain = 100 * (runs[1].seconds / runs[0].seconds - 1);
        const double part = 100 * (double)stats.culled / (double)(stats.steps > 0 ? stats.steps : 1);
        if (least > 0)
            cli_report_least(report, least, gain, 0, "4.1, %s: gain by friction culling [%%] | %.0f %% of steps", name,
                             part);
        else
            cli_report_info(report, 6, gain, "4.1, %s: gain by friction culling [%%] | %.0f %% of steps", name, part);
    }
    free_two(runs);
    return status;
}

static twStatus reduce(CliReport* report, const ContactScene* s, twError* err)
{
    ContactRun runs[2];
    twWorldDef with = s->scene->world;
    with.method = TW_CONTACT_STAGGERED;
    with.no_redistribution = true;
    twWorldDef without = with;
    without.no_contact_reduction = true;
    twStatus status = two_worlds(runs, s, with, without, 0.3, err);
    if (status == TW_OK)
        cli_report_info(report, 10, contact_solve_seconds(&runs[1]) / contact_solve_seconds(&runs[0]),
                        "3.3, table: gain by contact reduction (staggered, solver, per step)");
    free_two(runs);
    if (status != TW_OK) return status;
    without = with;
    with.no_redistribution = false;
    status = two_worlds(runs, s, with, without, 0.3, err);
    if (status == TW_OK)
        cli_report_info(report, 10, 100 * (runs[0].seconds / runs[1].seconds - 1),
                        "5.2, table: cost of redistribution [%%], theirs 2 to 10");
    free_two(runs);
    return status;
}

static twStatus single_gains(CliReport* report, twError* err)
{
    ContactScene s;
    twStatus status = contact_load(&s, "table", NULL, err);
    if (status != TW_OK) return status;
    status = cull(report, &s, "table", 0.4, 0, err);
    if (status == TW_OK) status = reduce(report, &s, err);
    contact_unload(&s);
    if (status == TW_OK) status = contact_load(&s, "plates", NULL, err);
    if (status != TW_OK) return status;
    status = cull(report, &s, "stack of plates", 0.4, 6, err);
    contact_unload(&s);
    return status;
}

twStatus contact_gains(CliReport* report, twError* err)
{
    cli_report_heading(report, "Sections 3.3, 4 and 6: what adaptivity gains (ratios of processor times in one run)");
    const twWorldDef def = tw_world_def();
    cli_report_row(report, 6.5, def.steps_per_cycle, 0, "4.1: steps in a cycle of the highest mode");
    cli_report_row(report, 1e-7, def.sleep_energy, 0, "4.1: energy below which a mode sleeps [J]");
    cli_report_differs(report, 1e-5, def.wake_force,
                       "ours wake when forces would give them that energy: a bound in joules, whatever the step",
                       "4.1: change of modal force at which a mode wakes");
    cli_report_row(report, 1e-8, def.cull_speed, 0, "4.1: speed below which friction is culled [m/s]");
    cli_report_row(report, 1e-10, def.cull_impulse, 0, "4.1: friction impulse below which it is [N s]");
    cli_report_row(report, 3.07e-5, 1 / (def.steps_per_cycle * 5000), 1e-7,
                   "table 2: least step with modes up to 5 kHz [s]");
    twStatus status = TW_OK;
    for (int i = 0; i < EXAMPLE_COUNT && status == TW_OK; i++)
        if (!report->quick || i == 0) status = compare(report, &examples[i], err);
    if (status == TW_OK && !report->quick) status = single_gains(report, err);
    return status;
}
