// SPDX-License-Identifier: MIT
// Figures 5 and 8 of Hauser et al. 2003: two soft bodies that collide, and one that bounces off the ground. What has no figures of its
// own is judged by what cannot be otherwise: momentum stays, energy never rises.

#include "reproduce_deform.h"

#define STEPS_MOST 4000

/// What was seen of a run, step by step.
typedef struct Seen
{
    int count;
    double time[STEPS_MOST], height[STEPS_MOST], speed[2][STEPS_MOST];
    double energy[STEPS_MOST], elastic[STEPS_MOST];
    double rise;         ///< of energy in a step at most
    double momentum;     ///< largest change since the start
    int64_t contacts;    ///< of all steps
    int64_t lost;        ///< bodies
    double closest_end;  ///< distance of both bodies at the end
} Seen;

static twVec3 momentum_of(const twLiveView* view, const twLiveDef* def)
{
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < def->body_count; i++)
    {
        const twMassProperties mass = tw_body_shape_mass(def->bodies[i].body.shape);
        const twLivePose* pose = &view->bodies[i];
        const twVec3 arm = tw_quat_rotate(pose->turn, mass.centre);
        sum = tw_vec3_add_scaled(sum, tw_vec3_add(pose->velocity, tw_vec3_cross(pose->spin, arm)), mass.mass);
    }
    return sum;
}

static twStatus watch(Seen* seen, const twLiveDef* def, int steps, twError* err)
{
    twLive* live = NULL;
    *seen = (Seen){.count = 0};
    const twStatus status = tw_live_create(&live, def, err);
    if (status != TW_OK) return status;
    const twLiveView* view = tw_live_view(live);
    const twVec3 start = momentum_of(view, def);
    double before = deform_energy(view);
    for (int i = 0; i < steps && i < STEPS_MOST; i++)
    {
        tw_live_advance(live, def->world.max_step);
        view = tw_live_view(live);
        const double energy = deform_energy(view);
        const twVec3 change = tw_vec3_sub(momentum_of(view, def), start);
        seen->rise = fmax(seen->rise, energy - before);
        seen->momentum = fmax(seen->momentum, tw_vec3_norm(change));
        seen->time[i] = view->time;
        seen->height[i] = view->bodies[0].position.z;
        for (int k = 0; k < 2; k++) seen->speed[k][i] = view->bodies[k].velocity.x;
        seen->energy[i] = before = energy;
        seen->elastic[i] = view->energy.elastic;
        seen->count = i + 1;
    }
    seen->contacts = view->stats.world.contacts;
    seen->lost = view->stats.world.lost;
    seen->closest_end = tw_vec3_norm(tw_vec3_sub(view->bodies[0].position, view->bodies[1].position));
    tw_live_destroy(live);
    return TW_OK;
}

// ---- Fig. 5 ----

static twStatus draw_collision(const char* folder, const Seen* seen, twError* err)
{
    twPlot* plot = tw_plot_create("Fig. 5: two soft bodies collide", 1);
    const size_t n = (size_t)seen->count;
    tw_plot_panel(plot, "speed", "time [s]", "velocity [m/s]");
    tw_plot_line(plot, seen->time, seen->speed[0], n, "ball");
    tw_plot_line(plot, seen->time, seen->speed[1], n, "block");
    tw_plot_panel(plot, "energy", "time [s]", "energy [J]");
    tw_plot_line(plot, seen->time, seen->energy, n, "all");
    tw_plot_line(plot, seen->time, seen->elastic, n, "elastic");
    return deform_save(plot, folder, "deform-fig5.png", err);
}

static void report_collision(CliReport* report, const Seen* seen, double weight)
{
    const double start = seen->energy[0];
    cli_report_claim(report, seen->contacts > 0 && seen->closest_end > 0.2, "they meet, and part again");
    cli_report_row(report, 0, seen->momentum / weight, 1e-9, "change of momentum, of what each brings");
    cli_report_row(report, 0, fmax(seen->rise, 0) / start, 1e-12, "largest rise of energy in a step");
    cli_report_info(report, NAN, 1 - seen->energy[seen->count - 1] / start, "share of energy lost");
    cli_report_row(report, 0, (double)seen->lost, 0, "bodies lost");
}

static twStatus collide(CliReport* report, twError* err)
{
    DeformBody body[2] = {{0}};
    const DeformMatter matter = {.young = 1e6, .alpha = 0.5, .beta = 1e-4, .modes = 30};
    Seen* seen = calloc(1, sizeof *seen);
    twStatus status = seen ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a collision");
    cli_report_heading(report, "Fig. 5: two objects that collide");
    if (status == TW_OK) status = deform_body(&body[0], "sphere:0.08", &matter, err);
    if (status == TW_OK) status = deform_body(&body[1], "box:0.12x0.16x0.2", &matter, err);
    if (status == TW_OK)
    {
        twLiveBodyDef bodies[2] = {deform_placed(&body[0], "ball", tw_vec3(-0.17, 0.01, 0.03)),
                                   deform_placed(&body[1], "block", tw_vec3(0, 0, 0))};
        bodies[0].body.motion.velocity = tw_vec3(1.5, 0, 0);
        bodies[1].body.motion.velocity = tw_vec3(-0.5, 0, 0);
        const twLiveDef def = deform_world(bodies, 2);
        status = watch(seen, &def, 400, err);
    }
    if (status == TW_OK) report_collision(report, seen, 1.5 * tw_body_shape_mass(body[0].shape).mass);
    if (status == TW_OK && report->folder) status = draw_collision(report->folder, seen, err);
    for (int i = 0; i < 2; i++) deform_body_free(&body[i]);
    free(seen);
    return status;
}

// ---- Fig. 8 ----

static twStatus draw_bounces(const char* folder, const Seen* seen, twError* err)
{
    twPlot* plot = tw_plot_create("Fig. 8: a soft body bounces off the ground", 1);
    tw_plot_panel(plot, NULL, "time [s]", "height [m]");
    tw_plot_line(plot, seen->time, seen->height, (size_t)seen->count, NULL);
    tw_plot_panel(plot, NULL, "time [s]", "energy [J]");
    tw_plot_line(plot, seen->time, seen->energy, (size_t)seen->count, "all");
    tw_plot_line(plot, seen->time, seen->elastic, (size_t)seen->count, "elastic");
    return deform_save(plot, folder, "deform-fig8.png", err);
}

// how often it goes up again from the ground: highest points between lowest ones
static int count_bounces(const Seen* seen)
{
    int bounces = 0;
    double low = seen->height[0];
    bool rising = false;
    for (int i = 1; i < seen->count; i++)
    {
        const double z = seen->height[i];
        if (!rising && z > low + 2e-3) rising = true, bounces++, low = z;
        if (rising ? z > low : z < low) low = z;
        if (rising && z < low - 2e-3) rising = false, low = z;
    }
    return bounces;
}

static twStatus bounce(CliReport* report, twError* err)
{
    DeformBody body[2] = {{0}};
    const DeformMatter matter = {.young = 5e5, .alpha = 0.5, .beta = 2e-4, .modes = 32};
    Seen* seen = calloc(1, sizeof *seen);
    twStatus status = seen ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a fall");
    cli_report_heading(report, "Fig. 8: an object that bounces off the ground");
    if (status == TW_OK) status = deform_body(&body[0], "cylinder:0.05x0.12", &matter, err);
    if (status == TW_OK) status = deform_rigid(&body[1], "box:4x4x0.4", err);
    if (status == TW_OK)
    {
        twLiveBodyDef bodies[2] = {deform_placed(&body[0], "bunny", tw_vec3(0, 0, 0.35)),
                                   deform_placed(&body[1], "ground", tw_vec3(0, 0, -0.2))};
        bodies[0].body.motion.turn = tw_quat_from_axis_angle(tw_vec3(1, 0.3, 0), 0.5);
        bodies[1].body.kind = TW_BODY_FIXED;
        twLiveDef def = deform_world(bodies, 2);
        def.world.gravity = tw_vec3(0, 0, -9.81);
        const double fall = 9.81 * 0.35 * tw_body_shape_mass(body[0].shape).mass;
        status = watch(seen, &def, report->quick ? 1200 : 3000, err);
        cli_report_least(report, 2, count_bounces(seen), 0, "times it goes up again");
        cli_report_row(report, 0, fmax(seen->rise, 0) / fall, 1e-12, "largest rise of energy in a step, of the fall's");
        cli_report_row(report, 0, (double)seen->lost, 0, "bodies lost");
        cli_report_info(report, NAN, seen->height[seen->count - 1], "height of its middle at the end [m]");
    }
    if (status == TW_OK && report->folder) status = draw_bounces(report->folder, seen, err);
    for (int i = 0; i < 2; i++) deform_body_free(&body[i]);
    free(seen);
    return status;
}

twStatus deform_hits(CliReport* report, twError* err)
{
    const twStatus status = collide(report, err);
    return status == TW_OK ? bounce(report, err) : status;
}
