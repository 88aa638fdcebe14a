// SPDX-License-Identifier: MIT
// twang reproduce rod-contact: Schweickart, James and Marschner 2017, "Animating elastic rods with sound", sections 5 and 6: the
// examples in which rods touch, their computing times (Fig. 7) and rest (Fig. 5). The times of the source are means over whole examples: so
// are ours, but for the walking slinky, of which each second costs about the same.

#include "reproduce_rod_contact.h"
#include <math.h>

#define MOODS 0.1  // part of a timed ratio that a busy machine may take away

typedef struct Example
{
    const char *name, *scene;
    double theirs;   // seconds per second of sound, 8 cores
    int points;      // theirs
    double part[3];  // theirs [%]: motion, contact, sound
    double seconds;  // simulated here
    double quick;    // in a quick run; 0: left out
    double goal;     // times faster at least; 0: none
} Example;

static const Example examples[] = {
    {"Circular Rod", "circular-rod", 42, 50, {67.5, 30.4, 1.7}, 1, 0.4, 0},
    {"Ruler", "oak-ruler", 47, 36, {47.3, 50.7, 1.6}, 1, 0.4, 0},
    {"Strapping", "strapping", 91, 100, {75.0, 22.9, 1.8}, 1, 0, 0},
    {"Chain Link Fence", "chain-link-fence", 5296, 15000, {56.8, 33.3, 9.9}, 2, 0, 20},
    {"Slinky Walk", "slinky-walk", 16527, 3888, {33.3, 65.5, 1.1}, 0.1, 0, 20},
};
#define EXAMPLE_COUNT ((int)(sizeof examples / sizeof examples[0]))

// ---- Fig. 7 ----

static void report_contacts(CliReport* report, const Example* e, const RodContactRun* run)
{
    static const char* const parts[] = {"motion", "contact", "sound"};
    for (int i = 0; i < 3; i++)
        cli_report_info(report, e->part[i], 100 * run->part[i], "%s: %s [%%]", e->name, parts[i]);
    cli_report_info(report, NAN, run->contacts, "%s: contacts per step | %d at most", e->name,
                    run->stats.rod_contacts_max);
    cli_report_info(report, NAN, run->contact_ns, "%s: per contact and step [ns]", e->name);
    cli_report_info(report, NAN, (double)run->stats.refined, "%s: steps cut in halves", e->name);
    cli_report_row(report, 0, (double)(run->stats.failures + run->stats.lost), 0, "%s: solves that failed, bodies lost",
                   e->name);
    cli_report_row(report, 0, run->energy.largest_rise, 1e-12, "%s: largest rise of energy in a step [J]", e->name);
}

static twStatus time_example(CliReport* report, const Example* e, RodContactProgress* progress, twError* err)
{
    ContactScene s;
    RodContactRun run;
    twStatus status = contact_load(&s, e->scene, NULL, err);
    if (status != TW_OK) return status;
    status = rod_contact_run(&run, &s, report->quick ? e->quick : e->seconds, progress, err);
    if (status == TW_OK)
    {
        const double ours = run.cpu_seconds / run.seconds, times = e->theirs / ours;
        cli_report_info(report, e->theirs, ours, "%s [s per s], theirs on 8 cores | %.0f times faster", e->name, times);
        cli_report_info(report, e->points, run.points, "%s: points", e->name);
        if (e->goal > 0 && !report->quick)
            cli_report_least(report, e->goal, times, MOODS * e->goal, "%s: times faster (goal)", e->name);
        report_contacts(report, e, &run);
    }
    rod_contact_run_free(&run);
    contact_unload(&s);
    return status;
}

// of what all examples take, by their points and seconds
static double share_before(int count)
{
    double all = 0, before = 0;
    for (int i = 0; i < EXAMPLE_COUNT; i++)
    {
        all += examples[i].points * examples[i].seconds;
        if (i < count) before += examples[i].points * examples[i].seconds;
    }
    return before / all;
}

twStatus rod_contact_times(CliReport* report, CliProgress* progress, twError* err)
{
    twStatus status = TW_OK;
    cli_report_heading(report, "Fig. 7: computing time per second of sound, theirs on 8 cores, ours on one");
    for (int i = 0; i < EXAMPLE_COUNT && status == TW_OK; i++)
    {
        RodContactProgress part = {progress, 0.8 * share_before(i), 0.8 * share_before(i + 1)};
        if (!report->quick || examples[i].quick > 0) status = time_example(report, &examples[i], &part, err);
    }
    return status;
}

// ---- the whole ----

twStatus reproduce_rod_contact(CliReport* report, twError* err)
{
    CliProgress progress = cli_progress("rod-contact");
    twStatus status = rod_contact_times(report, &progress, err);
    if (status == TW_OK && !report->quick) status = rod_contact_rest(report, err);
    if (report->quick) cli_report_skip(report, "strapping, fence and walking slinky, and rest (Fig. 5)");
    cli_progress_end(&progress);
    return status;
}
