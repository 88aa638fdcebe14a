// SPDX-License-Identifier: MIT
// Table 2 of Zheng and James 2011: how large their examples are, and what motion and sound take; beside our scenes of the same
// things. Sizes differ where their meshes do; Twang needs fewer tets for the same pitch, as its elements are quadratic. Times are
// processor time.

#define _POSIX_C_SOURCE 200809L
#include "reproduce_contact.h"
#include "twang/render.h"
#include <time.h>

typedef struct Example
{
    const char *scene, *name;
    int vertices, tets, dof;
    double simulated, hours, sound;  // [s], of motion [h], of sound [s]
    int modes;                       // that sound
    bool quick;
    bool same;  // ours has the same bodies and modes
} Example;

static const Example examples[] = {
    {"ruler", "ruler", 5760, 18860, 108, 2.0, 0.08, 7.2, 305, true, false},
    {"table", "table", 362550, 2836215, 132, 2.2, 4.8, 22.2, 1005, false, true},
    {"mug", "mug", 29718, 161543, 6, 3.0, 0.12, 5.3, 64, false, false},
    {"fork", "tuning fork", 6601, 44076, 6, 2.0, 0.08, 4.3, 30, false, false},
    {"feeder", "pipes", 185912, 910765, 138, 12.2, 6.3, 15.7, 842, false, false},
    {"helix", "marble tracks", 188864, 310844, 426, 35, 9.6, 32.4, 3822, false, false},
    {"cart", "shopping cart", 215150, 992355, 186, 4.0, 4.7, 14.2, 2060, false, false},
};
#define EXAMPLE_COUNT ((int)(sizeof examples / sizeof *examples))

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// context: processor time when motion began [s]; 0: not yet
static bool keep_going(double done, void* context)
{
    double* begin = context;
    (void)done;
    if (*begin == 0) *begin = cpu_seconds();
    return !cli_interrupted();
}

static bool keep_baking(const char* stage, double done, void* context)
{
    (void)stage, (void)done, (void)context;
    return !cli_interrupted();
}

// ---- sizes ----

static void report_sizes(CliReport* report, const Example* e, const ContactScene* s)
{
    int vertices = 0, tets = 0;
    for (int i = 0; i < s->scene->body_count; i++)
    {
        vertices += tw_bodies_set(s->bodies, i)->vertex_count;
        tets += tw_bodies_tets(s->bodies, s->scene->bodies[i].shape);
    }
    cli_report_info(report, e->vertices, vertices, "%s: surface vertices", e->name);
    cli_report_info(report, e->tets, tets, "%s: tetrahedra, of bodies that bend", e->name);
    if (e->same)
        cli_report_row(report, e->dof, contact_dof(s), 0, "%s: degrees of freedom (72 modes, 10 rigid bodies)",
                       e->name);
    else
        cli_report_info(report, e->dof, contact_dof(s), "%s: degrees of freedom", e->name);
}

static twStatus compare_sizes(CliReport* report, const Example* e, twError* err)
{
    ContactScene s;
    const twStatus status = contact_load(&s, e->scene, NULL, err);
    if (status != TW_OK) return status;
    report_sizes(report, e, &s);
    contact_unload(&s);
    return TW_OK;
}

// ---- times ----

// cpu: processor time of both, which the clock tells the shares of [s]
static void report_times(CliReport* report, const Example* e, const twRenderReport* r, double cpu)
{
    const double motion = 3600 * e->hours / e->simulated, sound = e->sound / e->simulated;
    const double both = r->world.seconds + r->hearing.seconds;
    const double our_motion = cpu * r->world.seconds / both / r->check.seconds;
    const double our_sound = cpu * r->hearing.seconds / both / r->check.seconds;
    cli_report_info(report, e->modes, r->hearing.sound.modes, "%s: modes that sound", e->name);
    cli_report_info(report, motion, our_motion, "%s: motion [s per s], theirs on 8 cores | %.0f times faster", e->name,
                    motion / our_motion);
    cli_report_info(report, sound, our_sound, "%s: sound [s per s], theirs on 8 cores | %.0f times faster", e->name,
                    sound / our_sound);
    cli_report_claim(report, our_motion < motion, "%s: motion is faster", e->name);
    cli_report_claim(report, tw_check_passive(&r->check) && tw_check_finite(&r->check),
                     "%s: no energy rises, all stays finite", e->name);
}

// one thread, no pictures
static twStatus compare_times(CliReport* report, const Example* e, const char* folder, twError* err)
{
    char path[600], out[600], cache[512];
    twScene* scene;
    double begin = 0;
    snprintf(path, sizeof path, "%s/%s.yaml", folder, e->scene);
    snprintf(out, sizeof out, "%s/out/%s", folder, e->scene);
    twStatus status = tw_scene_load(&scene, path, err);
    if (status != TW_OK) return status;
    const twRenderDef def = {.folder = out,
                             .no_picture = true,
                             .context = &begin,
                             .keep_going = keep_going,
                             .keep_baking = keep_baking,
                             .keep_hearing = keep_going,
                             .cache_folder = tw_cache_folder(cache, sizeof cache),
                             .threads = 1};
    twRenderReport rendered;
    status = tw_render(scene, &def, &rendered, err);
    tw_scene_destroy(scene);
    if (status != TW_OK) return status;
    report_times(report, e, &rendered, cpu_seconds() - begin);
    tw_render_report_free(&rendered);
    return TW_OK;
}

twStatus contact_table(CliReport* report, twError* err)
{
    char folder[512];
    cli_report_heading(
        report, "Table 2: sizes of the examples, and what motion and sound take, theirs on 8 cores, ours on one");
    twStatus status = contact_unpack(folder, sizeof folder, err);
    if (status != TW_OK) return status;
    // in the order of the table: the parts of the contraption begin where the one before ends
    for (int i = 0; i < EXAMPLE_COUNT && status == TW_OK; i++)
    {
        if (report->quick && !examples[i].quick) continue;
        status = compare_sizes(report, &examples[i], err);
        if (status == TW_OK) status = compare_times(report, &examples[i], folder, err);
    }
    contact_remove(folder);
    return status;
}
