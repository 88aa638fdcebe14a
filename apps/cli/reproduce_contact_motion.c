// SPDX-License-Identifier: MIT
// What vibrating bodies do that rigid ones do not (section 6 of Zheng and James 2011): dishes jump on a table that bends (figure 2),
// a ruler chatters on an edge, and its pitch rises as it is pulled back.

#include "reproduce_contact.h"
#include <math.h>
#include <stdlib.h>

// ---- dishes on a table ----

#define DROP_SEEN 0.35  // the box falls for 0.25 s; then dishes jump, until it comes near them [s]

static void make_rigid(twScene* scene)
{
    for (int i = 0; i < scene->shape_count; i++) scene->shapes[i].flexible = false;
}

typedef struct Jump
{
    const twScene* scene;
    double highest;  // of the dishes above where they stood [m]
} Jump;

// all free bodies but the last, which is what falls
static void see_dishes(ContactRun* run, double time, const twContactForce* forces, int count)
{
    Jump* jump = run->context;
    (void)forces, (void)count;
    int last = jump->scene->body_count - 1;
    for (int i = 0; i < last; i++)
    {
        if (jump->scene->bodies[i].kind != TW_BODY_FREE) continue;
        const twBodyMotion now = tw_world_motion(run->world, i, time, NULL, NULL);
        jump->highest = fmax(jump->highest, now.position.z - jump->scene->bodies[i].motion.position.z);
    }
}

static twStatus dishes(double* out, void (*change)(twScene* scene), twError* err)
{
    ContactScene s;
    twStatus status = contact_load(&s, "table", change, err);
    if (status != TW_OK) return status;
    Jump jump = {.scene = s.scene};
    ContactRun run = {.settings = s.scene->world, .until = DROP_SEEN, .see = see_dishes, .context = &jump};
    status = contact_race(&s, &run, 1, 0.002, err);
    *out = jump.highest;
    contact_run_free(&run);
    contact_unload(&s);
    return status;
}

static twStatus table(CliReport* report, twError* err)
{
    double flexible = 0, rigid = 0;
    twStatus status = dishes(&flexible, NULL, err);
    if (status == TW_OK) status = dishes(&rigid, make_rigid, err);
    if (status != TW_OK) return status;
    cli_report_info(report, NAN, 1e3 * flexible, "figure 2: dishes jump on a table that bends [mm]");
    cli_report_info(report, NAN, 1e3 * rigid, "figure 2: on a rigid table [mm]");
    cli_report_claim(report, flexible > 1e-3, "figure 2: dishes jump (by more than 1 mm) when the table bends");
    cli_report_claim(report, rigid < 1e-4, "figure 2: and stay (within 0.1 mm) when it is rigid");
    return TW_OK;
}

// ---- the ruler ----

#define TIP_RATE 4000.0  // [Hz]
#define TIP_MOST 8000

typedef struct Tip
{
    int body, vertex, count;
    double time[TIP_MOST], z[TIP_MOST];
    int begun;  // times that contacts closed
} Tip;

static void see_tip(ContactRun* run, double time, const twContactForce* forces, int count)
{
    Tip* tip = run->context;
    for (int i = 0; i < count; i++) tip->begun += tw_vec3_norm(forces[i].force) == 0;
    if (tip->count == TIP_MOST) return;
    const double z = tw_world_point(run->world, tip->body, tip->vertex, time, NULL).z;
    tip->time[tip->count] = time;
    tip->z[tip->count++] = z;
}

static twStatus run_ruler(Tip* tip, const char* name, double seconds, twError* err)
{
    ContactScene s;
    twStatus status = contact_load(&s, name, NULL, err);
    if (status != TW_OK) return status;
    const twSceneListener *l = s.scene->listeners, *end = l + s.scene->listener_count;
    while (l < end && l->pickup_body < 0) l++;
    if (l == end) status = tw_fail(err, TW_BAD_INPUT, "the scene '%s' has no pickup", name);
    if (status == TW_OK)
    {
        tip->body = l->pickup_body;
        tip->vertex = tw_body_shape_nearest(tw_bodies_shape(s.bodies, tip->body), l->pickup_at);
        ContactRun run = {.settings = s.scene->world, .until = seconds, .see = see_tip, .context = tip};
        status = contact_race(&s, &run, 1, 1 / TIP_RATE, err);
        contact_run_free(&run);
    }
    contact_unload(&s);
    return status;
}

// frequency of the strongest partial of the tip between two times [Hz]
static double pitch(const Tip* tip, double from, double to, double low_hz, double high_hz)
{
    const int first = (int)(from * TIP_RATE), n = (int)(to * TIP_RATE) - first;
    double best = 0, best_hz = 0, mean = 0;
    if (n < 16 || first + n > tip->count) return 0;
    for (int i = 0; i < n; i++) mean += tip->z[first + i] / n;
    for (double hz = low_hz; hz < high_hz; hz += 0.5)
    {
        double re = 0, im = 0;
        for (int i = 0; i < n; i++)
        {
            const double window = 0.5 - 0.5 * cos(2 * TW_PI * (i + 0.5) / n), w = 2 * TW_PI * hz * i / TIP_RATE;
            re += window * (tip->z[first + i] - mean) * cos(w);
            im += window * (tip->z[first + i] - mean) * sin(w);
        }
        const double power = re * re + im * im;
        if (power > best) best = power, best_hz = hz;
    }
    return best_hz;
}

static twStatus draw_tips(const char* folder, const Tip* still, const Tip* moving, twError* err)
{
    const ContactCurve curves[] = {{"held", still->time, still->z, still->count},
                                   {"pulled back", moving->time, moving->z, moving->count}};
    return contact_plot(folder, "contact-ruler.svg", "Figure 8: the ruler's tip", "height [m]", curves, 2, false, err);
}

static twStatus ruler(CliReport* report, twError* err)
{
    Tip* tips = calloc(2, sizeof *tips);
    if (!tips) return tw_fail(err, TW_NO_MEMORY, "no memory for the tip of the ruler");
    twStatus status = run_ruler(&tips[0], "ruler", 0.5, err);
    if (status == TW_OK) status = run_ruler(&tips[1], "ruler-moving", 1.3, err);
    if (status == TW_OK)
    {
        const double before = pitch(&tips[1], 0.02, 0.25, 10, 300), after = pitch(&tips[1], 1, 1.25, 10, 300);
        cli_report_info(report, NAN, tips[0].begun, "ruler: contacts that open again in 0.5 s");
        cli_report_claim(report, tips[0].begun > 20, "section 6: the ruler chatters");
        cli_report_info(report, NAN, before, "ruler pulled back: pitch of the tip at first [Hz]");
        cli_report_info(report, NAN, after, "ruler pulled back: pitch of the tip after 1 s [Hz]");
        cli_report_claim(report, after > 1.5 * before, "section 6: the pitch rises");
        if (report->folder) status = draw_tips(report->folder, &tips[0], &tips[1], err);
    }
    free(tips);
    return status;
}

twStatus contact_motion(CliReport* report, twError* err)
{
    cli_report_heading(report, "Section 6: what vibrating bodies do");
    twStatus status = report->quick ? TW_OK : table(report, err);
    if (status == TW_OK) status = ruler(report, err);
    return status;
}
