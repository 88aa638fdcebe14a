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

static twVec3 momentum_of(const twStageView* view, const twStageDef* def)
{
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < def->body_count; i++)
    {
        const twMassProperties mass = tw_body_shape_mass(def->bodies[i].shape);
        const twStagePose* pose = &view->bodies[i];
        const twVec3 arm = tw_quat_rotate(pose->turn, mass.centre);
        sum = tw_vec3_add_scaled(sum, tw_vec3_add(pose->velocity, tw_vec3_cross(pose->spin, arm)), mass.mass);
    }
    return sum;
}

static twStatus watch(Seen* seen, const twStageDef* def, int steps, twError* err)
{
    twStage* stage = NULL;
    *seen = (Seen){.count = 0};
    const twStatus status = tw_stage_create(&stage, def, err);
    if (status != TW_OK) return status;
    const twStageView* view = tw_stage_view(stage);
    const twVec3 start = momentum_of(view, def);
    double before = deform_energy(view);
    for (int i = 0; i < steps && i < STEPS_MOST; i++)
    {
        tw_stage_advance(stage, def->step);
        view = tw_stage_view(stage);
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
    seen->contacts = view->stats.contacts;
    seen->lost = view->stats.resets;
    seen->closest_end = tw_vec3_norm(tw_vec3_sub(view->bodies[0].position, view->bodies[1].position));
    tw_stage_destroy(stage);
    return TW_OK;
}

// ---- Fig. 5 ----

static twStatus draw_collision(const char* folder, const Seen* seen, twError* err)
{
    static const char* const names[] = {"constraints", "penalty"};
    twPlot* plot = tw_plot_create("Fig. 5: two soft bodies collide", 2);
    for (int i = 0; i < 2; i++)
    {
        const size_t n = (size_t)seen[i].count;
        char title[64];
        snprintf(title, sizeof title, "%s: speed", names[i]);
        tw_plot_panel(plot, title, "time [s]", "velocity [m/s]");
        tw_plot_line(plot, seen[i].time, seen[i].speed[0], n, "ball");
        tw_plot_line(plot, seen[i].time, seen[i].speed[1], n, "block");
        snprintf(title, sizeof title, "%s: energy", names[i]);
        tw_plot_panel(plot, title, "time [s]", "energy [J]");
        tw_plot_line(plot, seen[i].time, seen[i].energy, n, "all");
        tw_plot_line(plot, seen[i].time, seen[i].elastic, n, "elastic");
    }
    return deform_save(plot, folder, "deform-fig5.png", err);
}

static void report_collision(CliReport* report, const Seen* seen, double weight, const char* name)
{
    const double start = seen->energy[0];
    cli_report_claim(report, seen->contacts > 0 && seen->closest_end > 0.2, "%s: they meet, and part again", name);
    cli_report_row(report, 0, seen->momentum / weight, 1e-9, "%s: change of momentum, of what each brings", name);
    cli_report_row(report, 0, fmax(seen->rise, 0) / start, 1e-9, "%s: largest rise of energy in a step", name);
    cli_report_info(report, NAN, 1 - seen->energy[seen->count - 1] / start, "%s: share of energy lost", name);
    cli_report_row(report, 0, (double)seen->lost, 0, "%s: bodies lost", name);
}

static twStatus collide(CliReport* report, twError* err)
{
    static const char* const names[] = {"constraints", "penalty"};
    DeformBody body[2] = {{0}};
    const DeformMatter matter = {.young = 1e6, .alpha = 0.5, .beta = 1e-4, .modes = 30};
    Seen* seen = calloc(2, sizeof *seen);
    twStatus status = seen ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a collision");
    cli_report_heading(report, "Fig. 5: two objects that collide");
    if (status == TW_OK) status = deform_body(&body[0], "sphere:0.08", &matter, err);
    if (status == TW_OK) status = deform_body(&body[1], "box:0.12x0.16x0.2", &matter, err);
    for (int i = 0; i < 2 && status == TW_OK; i++)
    {
        twStageBodyDef bodies[2] = {deform_on_stage(&body[0], "ball", tw_vec3(-0.17, 0.01, 0.03)),
                                    deform_on_stage(&body[1], "block", tw_vec3(0, 0, 0))};
        bodies[0].motion.velocity = tw_vec3(1.5, 0, 0);
        bodies[1].motion.velocity = tw_vec3(-0.5, 0, 0);
        twStageDef def = deform_stage(bodies, 2);
        def.contact = i == 0 ? TW_STAGE_CONSTRAINT : TW_STAGE_PENALTY;
        status = watch(&seen[i], &def, 400, err);
        if (status == TW_OK) report_collision(report, &seen[i], 1.5 * tw_body_shape_mass(body[0].shape).mass, names[i]);
    }
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
        twStageBodyDef bodies[2] = {deform_on_stage(&body[0], "bunny", tw_vec3(0, 0, 0.35)),
                                    deform_on_stage(&body[1], "ground", tw_vec3(0, 0, -0.2))};
        bodies[0].motion.turn = tw_quat_from_axis_angle(tw_vec3(1, 0.3, 0), 0.5);
        bodies[1].kind = TW_BODY_FIXED;
        twStageDef def = deform_stage(bodies, 2);
        def.gravity = tw_vec3(0, 0, -9.81);
        const double fall = 9.81 * 0.35 * tw_body_shape_mass(body[0].shape).mass;
        status = watch(seen, &def, report->quick ? 1200 : 3000, err);
        cli_report_least(report, 2, count_bounces(seen), 0, "times it goes up again");
        cli_report_row(report, 0, fmax(seen->rise, 0) / fall, 1e-9, "largest rise of energy in a step, of the fall's");
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
