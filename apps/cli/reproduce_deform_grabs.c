// SPDX-License-Identifier: MIT
// Figure 6 and sections 3.4.1 and 4 of Hauser et al. 2003: points that are moved deform a body; about ten of them in real time; what is
// asked for beyond what a body can do is met as well as it can be; what is let go keeps its energy.

#include "reproduce_deform.h"

enum
{
    POINTS = 10,
    MANY = 20
};

// vertices far from each other, the first near a place
static void spread(int* out, int count, const twModeSet* set, twVec3 first)
{
    out[0] = tw_mode_set_nearest(set, first);
    for (int n = 1; n < count; n++)
    {
        double best = -1;
        for (int v = 0; v < set->vertex_count; v++)
        {
            double nearest = HUGE_VAL;
            for (int k = 0; k < n; k++)
                nearest = fmin(nearest, tw_vec3_norm(tw_vec3_sub(set->vertices[v], set->vertices[out[k]])));
            if (nearest > best) best = nearest, out[n] = v;
        }
    }
}

static void grab_all(twStage* stage, const int* vertices, int count)
{
    for (int i = 0; i < count; i++)
    {
        twStageGrabDef grab = tw_stage_grab_def();
        grab.point = tw_stage_vertex(vertices[i]);
        grab.here = true;
        tw_stage_grab(stage, i, &grab);
    }
    tw_stage_advance(stage, 0.1);
}

// some direction, another one for each point
static twVec3 some_way(int i)
{
    return tw_vec3_normalize(tw_vec3(sin(1.7 * i + 0.3), sin(2.9 * i + 1.1), sin(4.3 * i + 2.2)));
}

static double largest_error(const twStageView* view, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, tw_vec3_norm(tw_vec3_sub(view->grabs[i].point, view->grabs[i].target)));
    return largest;
}

// ---- Fig. 6 ----

static void draw_state(twPlot* plot, twStage* stage, const char* title, int points)
{
    const twStageView* view = tw_stage_view(stage);
    const twCover* cover = tw_stage_cover(stage, 0);
    int faces;
    const twTriangle* face = tw_cover_faces(cover, &faces);
    float* positions = calloc(3 * (size_t)tw_cover_vertices(cover), sizeof *positions);
    if (!positions) return;
    double x[POINTS], z[POINTS];
    for (int i = 0; i < points; i++) x[i] = view->grabs[i].target.x, z[i] = view->grabs[i].target.z;
    tw_stage_vertices(stage, view, 0, positions, NULL);
    DeformWires wires = deform_wires(positions, face, faces);
    tw_plot_panel(plot, title, "x [m]", "z [m]");
    tw_plot_x_range(plot, -0.25, 0.25);
    tw_plot_y_range(plot, -0.16, 0.16);
    tw_plot_line(plot, wires.x, wires.z, wires.count, NULL);
    tw_plot_dots(plot, x, z, (size_t)points, NULL);
    deform_wires_free(&wires);
    free(positions);
}

// half of the points are moved by a tenth of its size, in a quarter of a second
static double deform_it(twStage* stage, const twModeSet* set, const int* vertices, double size)
{
    double largest = 0;
    for (int i = 0; i < POINTS; i += 2)
        tw_stage_move(stage, i, tw_vec3_add_scaled(set->vertices[vertices[i]], some_way(i), 0.1 * size), 0.25);
    for (int i = 0; i < 500; i++)
    {
        tw_stage_advance(stage, 1e-3);
        largest = fmax(largest, largest_error(tw_stage_view(stage), POINTS));
    }
    return largest;
}

static twStatus move_points(CliReport* report, twPlot* plot, const char* text, const char* name, twError* err)
{
    DeformBody body = {0};
    twStage* stage = NULL;
    int vertices[POINTS];
    const DeformMatter matter = {.young = 1e6, .alpha = 2, .beta = 5e-4, .modes = 40};
    twStatus status = deform_body(&body, text, &matter, err);
    if (status == TW_OK)
    {
        const twStageBodyDef bodies = deform_on_stage(&body, name, tw_vec3(0, 0, 0));
        twStageDef def = deform_stage(&bodies, 1);
        status = tw_stage_create(&stage, &def, err);
    }
    if (status == TW_OK)
    {
        char title[64];
        const double size = deform_size(body.set);
        spread(vertices, POINTS, body.set, tw_vec3(1, 0, 0));
        grab_all(stage, vertices, POINTS);
        if (plot) draw_state(plot, stage, name, POINTS);
        const double error = deform_it(stage, body.set, vertices, size);
        snprintf(title, sizeof title, "%s, points moved", name);
        if (plot) draw_state(plot, stage, title, POINTS);
        cli_report_row(report, 0, error / size, 1e-9, "%s: %d points off target at most, of its size", name, POINTS);
        cli_report_row(report, 0, (double)tw_stage_view(stage)->stats.limited, 0, "%s: steps in which one gave way",
                       name);
    }
    tw_stage_destroy(stage);
    deform_body_free(&body);
    return status;
}

static twStatus figure(CliReport* report, twError* err)
{
    twPlot* plot = report->folder ? tw_plot_create("Fig. 6: points that are moved (dots) deform bodies", 2) : NULL;
    cli_report_heading(report, "Fig. 6: constraints deform objects");
    if (plot) tw_plot_size(plot, 1200, 1200);
    twStatus status = move_points(report, plot, "sphere:0.1", "ball", err);
    if (status == TW_OK) status = move_points(report, plot, "bar:0.4x0.06x0.06", "bar", err);
    if (status == TW_OK) status = move_points(report, plot, "box:0.2x0.15x0.1", "block", err);
    if (status == TW_OK && plot) return deform_save(plot, report->folder, "deform-fig6.png", err);
    tw_plot_destroy(plot);
    return status;
}

// ---- in real time ----

static twStatus in_time(CliReport* report, twError* err)
{
    DeformBody body = {0};
    twStage* stage = NULL;
    int vertices[POINTS];
    const DeformMatter matter = {.young = 1e6, .alpha = 2, .beta = 5e-4, .modes = 40};
    twStatus status = deform_body(&body, "sphere:0.1", &matter, err);
    const twStageBodyDef bodies = deform_on_stage(&body, "ball", tw_vec3(0, 0, 0));
    twStageDef def = deform_stage(&bodies, 1);
    if (status == TW_OK) status = tw_stage_create(&stage, &def, err);
    if (status == TW_OK)
    {
        double best = HUGE_VAL;
        spread(vertices, POINTS, body.set, tw_vec3(1, 0, 0));
        grab_all(stage, vertices, POINTS);
        for (int round = 0; round < 5; round++)
        {
            for (int i = 0; i < POINTS; i++)
            {
                const twVec3 to = tw_vec3_scale(some_way(i + round), 0.01);
                tw_stage_move(stage, i, tw_vec3_add(body.set->vertices[vertices[i]], to), 0.1);
            }
            const double begin = deform_cpu_seconds();
            tw_stage_advance(stage, 0.1);
            best = fmin(best, (deform_cpu_seconds() - begin) / 100);
        }
        cli_report_least(report, 1, 1e-3 / best, 0, "%d points, 40 modes: seconds simulated per second", POINTS);
        cli_report_info(report, NAN, 1 / best, "and steps (frames) per second");
        if (!report->quick) cli_report_least(report, 1000, 1 / best, 0, "goal: 1000 of them");
    }
    tw_stage_destroy(stage);
    deform_body_free(&body);
    return status;
}

// ---- letting go ----

static twStatus let_go(CliReport* report, twError* err)
{
    DeformBody body = {0};
    twStage* stage = NULL;
    int vertices[POINTS];
    const DeformMatter matter = {.young = 1e6, .modes = 40};
    twStatus status = deform_body(&body, "sphere:0.1", &matter, err);
    const twStageBodyDef bodies = deform_on_stage(&body, "ball", tw_vec3(0, 0, 0));
    twStageDef def = deform_stage(&bodies, 1);
    if (status == TW_OK) status = tw_stage_create(&stage, &def, err);
    if (status == TW_OK)
    {
        spread(vertices, POINTS, body.set, tw_vec3(1, 0, 0));
        grab_all(stage, vertices, POINTS);
        deform_it(stage, body.set, vertices, 0.2);
        for (int i = 0; i < POINTS; i++) tw_stage_release(stage, i);
        tw_stage_advance(stage, 1e-3);
        const double before = deform_energy(tw_stage_view(stage));
        double largest = 0;
        for (int i = 0; i < 1000; i++)
        {
            tw_stage_advance(stage, 1e-3);
            largest = fmax(largest, fabs(deform_energy(tw_stage_view(stage)) - before));
        }
        cli_report_claim(report, before > 0, "let go, it has energy");
        cli_report_row(report, 0, largest / before, 1e-9, "and keeps it without damping: largest change in 1 s");
    }
    tw_stage_destroy(stage);
    deform_body_free(&body);
    return status;
}

// ---- more than it can do ----

// of what is left at points: how much of it the modes could still mend. 0: it is the least
static double mendable(const twStageView* view, const twModeSet* set, int modes, const int* vertices, int count)
{
    double largest = 0, left = 0;
    for (int i = 0; i < count; i++)
    {
        const twVec3 off = tw_vec3_sub(view->grabs[i].target, view->grabs[i].point);
        left += tw_vec3_dot(off, off);
    }
    for (int k = 0; k < modes; k++)
    {
        double along = 0, square = 0;
        for (int i = 0; i < count; i++)
        {
            const twVec3 shape = tw_mode_set_shape(set, k, vertices[i]);
            along += tw_vec3_dot(shape, tw_vec3_sub(view->grabs[i].target, view->grabs[i].point));
            square += tw_vec3_dot(shape, shape);
        }
        largest = fmax(largest, fabs(along) / sqrt(square * left));
    }
    return largest;
}

static twStatus too_many(CliReport* report, twError* err)
{
    DeformBody body = {0};
    twStage* stage = NULL;
    int vertices[MANY];
    const DeformMatter matter = {.young = 1e6, .alpha = 2, .beta = 1e-3, .modes = 24, .held = "x<-0.19"};
    twStatus status = deform_body(&body, "bar:0.4x0.06x0.06", &matter, err);
    twStageBodyDef bodies = deform_on_stage(&body, "bar", tw_vec3(0, 0, 0));
    bodies.kind = TW_BODY_FIXED;
    twStageDef def = deform_stage(&bodies, 1);
    if (status == TW_OK) status = tw_stage_create(&stage, &def, err);
    if (status == TW_OK)
    {
        spread(vertices, MANY, body.set, tw_vec3(1, 0, 0));
        grab_all(stage, vertices, MANY);
        for (int i = 0; i < MANY; i++)
            tw_stage_move(stage, i, tw_vec3_add_scaled(body.set->vertices[vertices[i]], some_way(i), 0.02), 0.2);
        tw_stage_advance(stage, 0.5);
        const twStageView* view = tw_stage_view(stage);
        const int modes = tw_stage_modes(stage, 0).seen;
        cli_report_info(report, NAN, 3.0 * MANY / modes, "too many points: what is asked for, over what modes can do");
        cli_report_claim(report, largest_error(view, MANY) > 1e-3, "not all can be met");
        cli_report_row(report, 0, mendable(view, body.set, modes, vertices, MANY), 1e-5,
                       "but by least squares: share of the rest that modes could mend");
    }
    tw_stage_destroy(stage);
    deform_body_free(&body);
    return status;
}

twStatus deform_grabs(CliReport* report, twError* err)
{
    twStatus status = figure(report, err);
    cli_report_heading(report, "Sections 3.4.1 and 4: manipulation");
    if (status == TW_OK) status = in_time(report, err);
    if (status == TW_OK) status = let_go(report, err);
    if (status == TW_OK) status = too_many(report, err);
    return status;
}
