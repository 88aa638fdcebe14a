// SPDX-License-Identifier: MIT
// Figures 7 and 10 of Zheng and James 2011: a curved slab that lies still, and how its contact forces flicker all the same; how
// many of its contacts carry it, and how evenly.

#include "reproduce_contact.h"
#include <math.h>
#include <stdlib.h>

#define MOST 512      // contacts followed
#define SETTLED 0.2   // before this nothing is counted [s]
#define UNTIL 0.5     // [s]
#define CARRIES 1e-3  // of the mean force: more carries
#define TURN 1e-3     // [s]
#define SILENT 1e-4   // jitter that is none

// the forces of a run
typedef struct Flicker
{
    int count;
    uint64_t id[MOST];
    double force[MOST];  // now, along the normal [N]
    double changes;      // sum of squared changes [N^2]
    double sum;          // of all forces at the last look [N]
    int64_t steps;       // before the count began
    int points;
    double time[CONTACT_POINTS], first[CONTACT_POINTS];  // force of the contact seen first
} Flicker;

static double* force_of(Flicker* f, uint64_t id)
{
    for (int i = 0; i < f->count; i++)
        if (f->id[i] == id) return &f->force[i];
    if (f->count == MOST) return NULL;
    f->id[f->count] = id;
    f->force[f->count] = 0;
    return &f->force[f->count++];
}

static void see(ContactRun* run, double time, const twContactForce* forces, int count)
{
    Flicker* f = run->context;
    const bool counts = time > SETTLED;
    if (!counts) f->steps = tw_world_stats(run->world).steps;
    for (int i = 0; i < count; i++)
    {
        double* now = force_of(f, forces[i].id);
        if (!now) continue;
        const double force = tw_vec3_dot(forces[i].force, forces[i].normal);
        if (counts) f->changes += (force - *now) * (force - *now);
        *now = force;
        if (now == f->force && f->points < CONTACT_POINTS)
        {
            f->time[f->points] = forces[i].time;
            f->first[f->points++] = force;
        }
    }
}

typedef struct Noise
{
    double jitter;    // RMS change of a contact's force from step to step, of the mean force
    int contacts;     // there are
    int carry;        // of these
    double evenness;  // (sum f)^2/(n sum f^2): 1 if all n carry the same
} Noise;

static Noise noise_of(const ContactRun* run, const Flicker* f)
{
    const twWorldStats s = tw_world_stats(run->world);
    const int contacts = (int)((double)s.contacts / (double)s.steps + 0.5);
    double sum = 0, squares = 0;
    for (int i = 0; i < f->count; i++) sum += f->force[i], squares += f->force[i] * f->force[i];
    Noise n = {.contacts = contacts, .evenness = squares > 0 ? sum * sum / (squares * contacts) : 0};
    for (int i = 0; i < f->count; i++) n.carry += f->force[i] > CARRIES * sum / contacts;
    n.jitter = sqrt(f->changes / ((double)(s.steps - f->steps) * contacts)) / (sum / contacts);
    return n;
}

enum
{
    VELOCITY,  // contacts only where bodies approach, no warm start
    SPARSE,    // as the paper's motion is solved
    SPREAD,    // as its sound is made
    OURS,
    KINDS
};

static void make_runs(ContactRun* runs, Flicker* flickers, const twWorldDef* settings)
{
    for (int k = 0; k < KINDS; k++)
    {
        runs[k] = (ContactRun){.settings = *settings, .until = UNTIL, .see = see, .context = &flickers[k]};
        runs[k].settings.no_friction_culling = true;
        if (k != OURS) runs[k].settings.method = TW_CONTACT_STAGGERED;
    }
    runs[VELOCITY].settings.only_approaching = runs[VELOCITY].settings.no_warm_start = true;
    runs[VELOCITY].settings.no_redistribution = runs[SPARSE].settings.no_redistribution = true;
}

static void report_noise(CliReport* report, const Noise n[KINDS])
{
    cli_report_info(report, NAN, n[VELOCITY].jitter, "figure 7 (a): velocity-level contacts, jitter of their forces");
    cli_report_info(report, NAN, n[SPARSE].jitter, "figure 7 (b): contacts where bodies overlap, warm start");
    cli_report_info(report, NAN, n[SPREAD].jitter, "the same, redistributed");
    cli_report_claim(report, n[VELOCITY].jitter > 0.1, "figure 7 (a): velocity-level contacts are noisy (above 0.1)");
    cli_report_claim(report, n[SPARSE].jitter < 0.1 * n[VELOCITY].jitter, "figure 7 (b): ten times less noise");
    cli_report_row(report, 0, n[OURS].jitter, SILENT, "compliant contacts, our default: jitter");
    cli_report_info(report, NAN, n[SPARSE].carry, "figure 10 (a): contacts that carry, of %d", n[SPARSE].contacts);
    cli_report_info(report, NAN, n[SPREAD].carry, "figure 10 (b): redistributed");
    cli_report_info(report, NAN, n[OURS].carry, "compliant");
    cli_report_info(report, NAN, n[SPARSE].evenness, "figure 10 (a): evenness, 1: all carry the same");
    cli_report_info(report, NAN, n[SPREAD].evenness, "figure 10 (b): redistributed");
    cli_report_info(report, NAN, n[OURS].evenness, "compliant");
    cli_report_claim(report, n[SPREAD].evenness > n[SPARSE].evenness, "figure 10: redistributed forces are more even");
}

static twStatus draw(const char* folder, const Flicker* flickers, twError* err)
{
    static const char* const labels[] = {"velocity level, no warm start", "overlap, warm start", "redistributed",
                                         "compliant"};
    ContactCurve curves[KINDS];
    for (int k = 0; k < KINDS; k++)
        curves[k] = (ContactCurve){labels[k], flickers[k].time, flickers[k].first, flickers[k].points};
    return contact_plot(folder, "contact-slab.svg", "Figure 7: force of one contact of a slab at rest", "force [N]",
                        curves, KINDS, false, err);
}

// theirs does not bend
static void make_rigid(twScene* scene)
{
    for (int i = 0; i < scene->shape_count; i++) scene->shapes[i].flexible = false;
}

twStatus contact_noise(CliReport* report, twError* err)
{
    ContactScene s;
    ContactRun runs[KINDS] = {{.until = 0}};
    Noise noise[KINDS];
    cli_report_heading(report, "Sections 3 and 5.2: forces of a curved slab at rest");
    twStatus status = contact_load(&s, "slab", make_rigid, err);
    if (status != TW_OK) return status;
    Flicker* flickers = calloc(KINDS, sizeof *flickers);
    if (!flickers) status = tw_fail(err, TW_NO_MEMORY, "no memory for forces");
    if (status == TW_OK)
    {
        make_runs(runs, flickers, &s.scene->world);
        status = contact_race(&s, runs, KINDS, TURN, err);
    }
    if (status == TW_OK)
    {
        for (int k = 0; k < KINDS; k++) noise[k] = noise_of(&runs[k], &flickers[k]);
        report_noise(report, noise);
    }
    if (status == TW_OK && report->folder) status = draw(report->folder, flickers, err);
    for (int k = 0; k < KINDS; k++) contact_run_free(&runs[k]);
    free(flickers);
    contact_unload(&s);
    return status;
}
