// SPDX-License-Identifier: MIT
// Figure 6 and sections 3.4.1 and 4 of Hauser et al. 2003: points that are moved deform a body; about ten of them in real time; what is
// asked for beyond what a body can do is met as well as it can be; what is let go keeps its energy.

#include "reproduce_deform.h"

enum
{
    POINTS = 10,
    MANY = 20
};

static bool moves(const twModeSet* set, int vertex)
{
    double sum = 0;
    for (int k = 0; k < set->mode_count; k++) sum += tw_vec3_norm(tw_mode_set_shape(set, k, vertex));
    return sum > 0;
}

// vertices far from each other that modes move, the first near a place
static void spread(int* out, int count, const twModeSet* set, twVec3 first)
{
    out[0] = tw_mode_set_nearest(set, first);
    for (int n = 1; n < count; n++)
    {
        double best = -1;
        for (int v = 0; v < set->vertex_count; v++)
        {
            if (!moves(set, v)) continue;
            double nearest = HUGE_VAL;
            for (int k = 0; k < n; k++)
                nearest = fmin(nearest, tw_vec3_norm(tw_vec3_sub(set->vertices[v], set->vertices[out[k]])));
            if (nearest > best) best = nearest, out[n] = v;
        }
    }
}

// some direction, another one for each point
static twVec3 some_way(int i)
{
    return tw_vec3_normalize(tw_vec3(sin(1.7 * i + 0.3), sin(2.9 * i + 1.1), sin(4.3 * i + 2.2)));
}

static double largest_error(const twLiveView* view, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, view->grabs[i].error);
    return largest;
}

// At rest a spring of stiffness k under a force f is off by f/k: by how much errors differ from that, of the largest of them
static double compliance_differs(const twLiveView* view, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
    {
        const twGrabView* grab = &view->grabs[i];
        most = fmax(most, fabs(grab->error - tw_vec3_norm(grab->force) / grab->stiffness));
    }
    return most / largest_error(view, count);
}

/// A body with its world.
typedef struct Held
{
    DeformBody body;
    twLive* live;
    int vertices[MANY];  ///< that are held
} Held;

static twStatus make_held(Held* h, const char* text, const char* name, const DeformMatter* matter, twError* err)
{
    *h = (Held){.live = NULL};
    const twStatus status = deform_body(&h->body, text, matter, err);
    if (status != TW_OK) return status;
    twLiveBodyDef body = deform_placed(&h->body, name, tw_vec3(0, 0, 0));
    if (matter->held) body.body.kind = TW_BODY_FIXED;
    const twLiveDef def = deform_world(&body, 1);
    return tw_live_create(&h->live, &def, err);
}

// points far from each other, where they are now, for a tenth of a second
static twStatus hold(Held* h, int count, const twGrabDef* kind, twError* err)
{
    spread(h->vertices, count, h->body.set, tw_vec3(1, 0, 0));
    for (int i = 0; i < count; i++)
    {
        twGrabDef grab = *kind;
        grab.at.body = 0;
        grab.at.point = tw_surface_vertex(h->vertices[i]);
        grab.here = true;
        tw_live_grab(h->live, i, &grab);
    }
    tw_live_advance(h->live, 0.1);
    if (tw_live_view(h->live)->stats.refused == 0) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "a point could not be held");
}

static void free_held(Held* h)
{
    tw_live_destroy(h->live);
    deform_body_free(&h->body);
}

// ---- Fig. 6 ----

static void draw_state(twPlot* plot, twLive* live, const char* title, int points)
{
    const twLiveView* view = tw_live_view(live);
    const twCover* cover = tw_live_cover(view, 0);
    int faces;
    const twTriangle* face = tw_cover_faces(cover, &faces);
    float* positions = calloc(3 * (size_t)tw_cover_vertices(cover), sizeof *positions);
    if (!positions) return;
    double x[POINTS], z[POINTS];
    for (int i = 0; i < points; i++) x[i] = view->grabs[i].target.x, z[i] = view->grabs[i].target.z;
    tw_live_vertices(view, 0, positions, NULL);
    DeformWires wires = deform_wires(positions, face, faces);
    tw_plot_panel(plot, title, "x [m]", "z [m]");
    tw_plot_x_range(plot, -0.25, 0.25);
    tw_plot_y_range(plot, -0.16, 0.16);
    tw_plot_line(plot, wires.x, wires.z, wires.count, NULL);
    tw_plot_dots(plot, x, z, (size_t)points, NULL);
    deform_wires_free(&wires);
    free(positions);
}

// Half of the points are moved by a tenth of a size in a quarter of a second, then half a second of rest. @return largest error [m]
static double deform_it(Held* h, double size)
{
    double largest = 0;
    for (int i = 0; i < POINTS; i += 2)
    {
        const twVec3 from = h->body.set->vertices[h->vertices[i]];
        tw_live_move(h->live, i, tw_vec3_add_scaled(from, some_way(i), 0.1 * size), 0.25);
    }
    for (int i = 0; i < 750; i++)
    {
        tw_live_advance(h->live, 1e-3);
        largest = fmax(largest, largest_error(tw_live_view(h->live), POINTS));
    }
    return largest;
}

static twStatus move_points(CliReport* report, twPlot* plot, const char* text, const char* name, twError* err)
{
    Held h;
    const DeformMatter matter = {.young = 1e6, .alpha = 2, .beta = 5e-4, .modes = 40};
    twGrabDef grab = tw_grab_def();
    twStatus status = make_held(&h, text, name, &matter, err);
    if (status == TW_OK) status = hold(&h, POINTS, &grab, err);
    if (status == TW_OK)
    {
        char title[64];
        const double size = deform_size(h.body.set);
        if (plot) draw_state(plot, h.live, name, POINTS);
        const double moving = deform_it(&h, size);
        snprintf(title, sizeof title, "%s, points moved", name);
        if (plot) draw_state(plot, h.live, title, POINTS);
        const twLiveView* view = tw_live_view(h.live);
        cli_report_info(report, NAN, moving / size, "%s: %d points off target at most, of its size", name, POINTS);
        cli_report_info(report, NAN, largest_error(view, POINTS) / size, "%s: at rest", name);
        cli_report_row(report, 0, compliance_differs(view, POINTS), 0.05,
                       "%s: at rest the errors are force over stiffness: largest difference", name);
    }
    free_held(&h);
    return status;
}

// hands that lead their targets until there is no error
static twStatus move_exactly(CliReport* report, twError* err)
{
    Held h;
    const DeformMatter matter = {.young = 1e6, .alpha = 2, .beta = 5e-4, .modes = 40};
    twGrabDef grab = tw_grab_def();
    grab.exact = true;
    grab.max_force = 1e5;
    twStatus status = make_held(&h, "sphere:0.1", "ball", &matter, err);
    if (status == TW_OK) status = hold(&h, POINTS, &grab, err);
    if (status == TW_OK)
    {
        deform_it(&h, deform_size(h.body.set));
        cli_report_row(report, 0, largest_error(tw_live_view(h.live), POINTS) / deform_size(h.body.set), 1e-6,
                       "ball, exact: %d points off target at rest, of its size", POINTS);
    }
    free_held(&h);
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
    if (status == TW_OK) status = move_exactly(report, err);
    if (status == TW_OK && plot) return deform_save(plot, report->folder, "deform-fig6.png", err);
    tw_plot_destroy(plot);
    return status;
}

// ---- in real time ----

static twStatus in_time(CliReport* report, twError* err)
{
    Held h;
    const DeformMatter matter = {.young = 1e6, .alpha = 2, .beta = 5e-4, .modes = 40};
    twGrabDef grab = tw_grab_def();
    twStatus status = make_held(&h, "sphere:0.1", "ball", &matter, err);
    if (status == TW_OK) status = hold(&h, POINTS, &grab, err);
    if (status == TW_OK)
    {
        double best = HUGE_VAL;
        for (int round = 0; round < 5; round++)
        {
            for (int i = 0; i < POINTS; i++)
            {
                const twVec3 to = tw_vec3_scale(some_way(i + round), 0.01);
                tw_live_move(h.live, i, tw_vec3_add(h.body.set->vertices[h.vertices[i]], to), 0.1);
            }
            const double begin = deform_cpu_seconds();
            tw_live_advance(h.live, 0.1);
            best = fmin(best, (deform_cpu_seconds() - begin) / 100);
        }
        cli_report_least(report, 1, 1e-3 / best, 0, "%d points, 40 modes: seconds simulated per second", POINTS);
        cli_report_info(report, NAN, 1 / best, "and steps (frames) per second");
        if (!report->quick) cli_report_least(report, 1000, 1 / best, 0, "goal: 1000 of them");
    }
    free_held(&h);
    return status;
}

// ---- letting go ----

static twStatus let_go(CliReport* report, twError* err)
{
    Held h;
    const DeformMatter matter = {.young = 1e6, .modes = 40};
    twGrabDef grab = tw_grab_def();
    twStatus status = make_held(&h, "sphere:0.1", "ball", &matter, err);
    if (status == TW_OK) status = hold(&h, POINTS, &grab, err);
    if (status == TW_OK)
    {
        deform_it(&h, 0.2);
        for (int i = 0; i < POINTS; i++) tw_live_release(h.live, i);
        tw_live_advance(h.live, 1e-3);
        const double before = deform_energy(tw_live_view(h.live));
        double largest = 0;
        for (int i = 0; i < 1000; i++)
        {
            tw_live_advance(h.live, 1e-3);
            largest = fmax(largest, fabs(deform_energy(tw_live_view(h.live)) - before));
        }
        cli_report_claim(report, before > 0, "let go, it has energy");
        cli_report_row(report, 0, largest / before, 1e-9, "and keeps it without damping: largest change in 1 s");
    }
    free_held(&h);
    return status;
}

// ---- more than it can do ----

// Springs in balance: (sum of k U^T U + w^2) q = sum of k U^T (target - rest), of the points that are held. solved in q
static bool balance(double* q, const twLiveView* view, const Held* h, int count)
{
    const twModeSet* set = h->body.set;
    const int modes = view->bodies[0].mode_count;
    double* a = calloc((size_t)(modes * modes), sizeof *a);
    if (!a) return false;
    for (int k = 0; k < modes; k++)
    {
        const double w = 2 * TW_PI * set->freq_hz[k];
        a[k * modes + k] = w * w;
        q[k] = 0;
    }
    for (int i = 0; i < count; i++)
    {
        const twVec3 way = tw_vec3_sub(view->grabs[i].target, set->vertices[h->vertices[i]]);
        for (int k = 0; k < modes; k++)
        {
            const twVec3 shape = tw_mode_set_shape(set, k, h->vertices[i]);
            q[k] += view->grabs[i].stiffness * tw_vec3_dot(shape, way);
            for (int l = 0; l < modes; l++)
                a[k * modes + l] +=
                    view->grabs[i].stiffness * tw_vec3_dot(shape, tw_mode_set_shape(set, l, h->vertices[i]));
        }
    }
    const bool fine = tw_cholesky_factor(a, modes);
    if (fine) tw_cholesky_solve(a, modes, q);
    free(a);
    return fine;
}

// largest distance of a held point from where modes q have it, over the largest way of one
static double balance_differs(const double* q, const twLiveView* view, const Held* h, int count)
{
    double off = 0, largest = 0;
    for (int i = 0; i < count; i++)
    {
        const twVec3 rest = h->body.set->vertices[h->vertices[i]];
        twVec3 at = rest;
        for (int k = 0; k < view->bodies[0].mode_count; k++)
            at = tw_vec3_add_scaled(at, tw_mode_set_shape(h->body.set, k, h->vertices[i]), q[k]);
        off = fmax(off, tw_vec3_norm(tw_vec3_sub(view->grabs[i].point, at)));
        largest = fmax(largest, tw_vec3_norm(tw_vec3_sub(at, rest)));
    }
    return off / largest;
}

static twStatus too_many(CliReport* report, twError* err)
{
    enum
    {
        MODES = 24
    };
    Held h;
    const DeformMatter matter = {.young = 1e6, .alpha = 2, .beta = 1e-3, .modes = MODES, .held = "x<-0.19"};
    twGrabDef grab = tw_grab_def();
    twStatus status = make_held(&h, "bar:0.4x0.06x0.06", "bar", &matter, err);
    if (status == TW_OK) status = hold(&h, MANY, &grab, err);
    if (status == TW_OK)
    {
        double q[MODES];
        for (int i = 0; i < MANY; i++)
            tw_live_move(h.live, i, tw_vec3_add_scaled(h.body.set->vertices[h.vertices[i]], some_way(i), 0.02), 0.2);
        tw_live_advance(h.live, 1);
        const twLiveView* view = tw_live_view(h.live);
        cli_report_info(report, NAN, 3.0 * MANY / view->bodies[0].mode_count,
                        "too many points: what is asked for, over what modes can do");
        cli_report_claim(report, largest_error(view, MANY) > 1e-3, "not all can be met");
        if (balance(q, view, &h, MANY))
            cli_report_row(report, 0, balance_differs(q, view, &h, MANY), 0.01,
                           "but by weighted least squares: difference from springs in balance");
        else
            status = tw_fail(err, TW_NO_CONVERGE, "the balance of springs is not definite");
    }
    free_held(&h);
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
