// SPDX-License-Identifier: MIT
// Grabs of worlds: errors are what the law says, largest forces, pushes, servos, bad input. test_grab_random has the
// energy.
#include "test.h"
#include "world.h"
#include <stdlib.h>
#include <string.h>

// ---- the law's error ----

static twGrabDef hold_vertex(int body, int vertex)
{
    twGrabDef def = tw_grab_def();
    def.at.body = body;
    def.at.point = tw_surface_vertex(vertex);
    def.here = true;
    return def;
}

static int a_hanging_box_sags_by_its_weight_over_the_stiffness(void)
{
    Stage* s = stage();
    s->def.max_grabs = 1;
    const int box = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 0);
    must(stage_start(s), &s->err);
    twGrabDef def = hold_vertex(box, 0);
    def.at.point = (twSurfacePoint){{-1, -1, -1}, {0}};
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 1);
    const twGrabView view = tw_world_grab_view(s->world, 0);
    ENSURE_NEAR(view.force.z, 9.81, 1e-6);
    ENSURE_NEAR(view.error, 9.81 / view.stiffness, 0.05 * 9.81 / view.stiffness);
    // k = 10 m/h^2: a millionth of a metre
    ENSURE_NEAR(view.error, 9.81e-7, 0.05 * 9.81e-7);
    stage_free(s);
    return 0;
}

// One that hangs from a point above its mass centre, of any mass, rigid or soft, at any step. @return its error, of
// force/stiffness
static double hanging_error(twRng* rng, bool soft_one, double* of_size)
{
    Stage* s = stage();
    s->def.max_grabs = 1;
    s->def.fixed_step = true;
    s->def.max_step = 1e-4 * pow(160, tw_rng_uniform(rng));
    const twVec3 size = {0.4, 0.04, 0.02};
    const double volume = size.x * size.y * size.z, density = 1e-6 * pow(1e12, tw_rng_uniform(rng)) / volume;
    const Beam bar = {.size = size, .density = density, .young = 1e6 * density, .cells = 8, .modes = 6, .decay = 30};
    const twBodyShape* shape = soft_one ? stage_beam(s, &bar) : stage_box(s, size.x, size.y, size.z, density);
    const int body = stage_body(s, shape, 0, 0, 0);
    must(stage_start(s), &s->err);
    twGrabDef def = hold_vertex(body, tw_body_shape_nearest(shape, tw_vec3(0, 0, 0.01)));
    // the middle of the upper face
    if (!soft_one)
        def.at.point = (twSurfacePoint){
            {tw_body_shape_nearest(shape, tw_vec3(1, 1, 1)), tw_body_shape_nearest(shape, tw_vec3(-1, -1, 1)), -1},
            {0.5, 0.5, 0}};
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 2);
    const twGrabView view = tw_world_grab_view(s->world, 0);
    const double weight = 9.81 * tw_body_shape_mass(shape).mass;
    *of_size = view.force.z / weight;
    const double error = view.error * view.stiffness / weight;
    stage_free(s);
    return error;
}

static int the_error_of_what_rests_is_force_over_stiffness(void)
{
    twRng rng = tw_rng(1);
    for (int i = 0; i < 40; i++)
    {
        double force;
        ENSURE_NEAR(hanging_error(&rng, i % 2, &force), 1, 0.05);
        ENSURE_NEAR(force, 1, 0.01);
    }
    return 0;
}

// h^2 W 10 m g/10 at a step of 1 ms: 9.81 um at the mass centre, m W times as much elsewhere, 5.5 at the corner of a
// cube
static int ten_weights_move_a_rigid_body_by_micrometres(void)
{
    for (int corner = 0; corner < 2; corner++)
    {
        Stage* s = stage();
        s->def.max_grabs = 2;
        const double size = corner ? 1 : 0.1, weight = 9.81 * 1000 * size * size * size;
        const int box = stage_body(s, stage_box(s, size, size, size, 1000), 0, 0, 0);
        must(stage_start(s), &s->err);
        // below it swings by some degrees
        twGrabDef def = hold_vertex(box, tw_body_shape_nearest(s->bodies[box].shape, tw_vec3(1, 1, 1)));
        if (!corner) def.at.point = (twSurfacePoint){{-1, -1, -1}, {0}};
        must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
        twGrabDef push = def;
        push.kind = TW_GRAB_FORCE;
        push.here = false;
        push.target = tw_vec3(0, 0, -9 * weight);
        must(tw_world_grab(s->world, 1, &push, &s->err) == TW_OK, &s->err);
        double worst = 0;
        for (int i = 0; i < 500; i++)
        {
            tw_world_advance(s->world, 0.5 + 1e-3 * i);
            worst = fmax(worst, tw_world_grab_view(s->world, 0).error);
        }
        ENSURE(worst < 1e-4 * size && worst < 1.2 * 9.81e-6 * (corner ? 5.5 : 1));
        stage_free(s);
    }
    return 0;
}

// a bar that spins about a corner that is held: integral action must not drive it
static int an_exact_grab_does_not_drive_what_swings(void)
{
    double energy[2];
    for (int exact = 0; exact < 2; exact++)
    {
        Stage* s = stage();
        s->def.max_step = 1e-3;
        s->def.fixed_step = true;
        s->def.max_grabs = 1;
        const int bar = stage_body(s, stage_box(s, 0.4, 0.04, 0.02, 1000), 0, 0, 0);
        s->bodies[bar].motion.spin = tw_vec3(5, 30, 8);
        must(stage_start(s), &s->err);
        twGrabDef def = tw_grab_def();
        def.at.body = bar;
        def.at.point = tw_surface_vertex(tw_body_shape_nearest(s->bodies[bar].shape, tw_vec3(0.2, 0.02, 0.01)));
        def.here = true;
        def.exact = exact;
        def.max_force = 2e4;
        must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
        tw_world_advance(s->world, 1);
        const double start = stage_energy(s);
        tw_world_advance(s->world, 5);
        energy[exact] = stage_energy(s) / start;
        stage_free(s);
    }
    ENSURE_NEAR(energy[1], energy[0], 0.01);
    return 0;
}

static int an_exact_grab_has_no_error_at_rest(void)
{
    for (int exact = 0; exact < 2; exact++)
    {
        Stage* s = stage();
        s->def.max_grabs = 1;
        const Beam bar = {
            .size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e7, .cells = 8, .modes = 8, .decay = 20};
        const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
        must(stage_start(s), &s->err);
        twGrabDef def = hold_vertex(body, tw_body_shape_nearest(s->bodies[body].shape, tw_vec3(0, 0, 0.01)));
        def.max_force = 100;
        def.exact = exact;
        must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
        tw_world_advance(s->world, 3);
        const double error = tw_world_grab_view(s->world, 0).error / 0.4;
        ENSURE(exact ? error < 1e-9 : error > 1e-6);
        ENSURE(stage_energy(s) <= tw_world_energy(s->world).start + 1e-12);
        stage_free(s);
    }
    return 0;
}

// Each pulls with its largest force F toward a target at a distance D: upward that is F z/D, so that a bar of weight
// G sinks by z = D G/(4 F), and then no more.
static int hands_that_pull_apart_carry_what_points_up(void)
{
    for (int fixed = 0; fixed < 2; fixed++)
    {
        Stage* s = stage();
        s->def.max_grabs = 4;
        s->def.fixed_step = fixed;
        const Beam bar = {
            .size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e8, .cells = 8, .modes = 8, .decay = 20};
        const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
        must(stage_start(s), &s->err);
        const double weight = 9.81 * beam_mass(&bar), far = 0.05 * sqrt(2);
        for (int i = 0; i < 4; i++)
        {
            const twVec3 at = {i & 1 ? 0.2 : -0.2, i & 2 ? 0.02 : -0.02, 0.01};
            twGrabDef def = hold_vertex(body, tw_body_shape_nearest(s->bodies[body].shape, at));
            def.here = false;
            def.target = tw_vec3_add(at, tw_vec3(i & 1 ? 0.05 : -0.05, i & 2 ? 0.05 : -0.05, 0));
            def.max_force = 5 * weight;
            must(tw_world_grab(s->world, i, &def, &s->err) == TW_OK, &s->err);
        }
        tw_world_advance(s->world, 2);
        const double before = stage_now(s, body).position.z;
        double up = 0;
        tw_world_advance(s->world, 3);
        for (int i = 0; i < 4; i++)
        {
            const twGrabView view = tw_world_grab_view(s->world, i);
            ENSURE(view.limited);
            ENSURE(tw_vec3_norm(view.force) <= 5 * weight * (1 + 1e-12));
            ENSURE_NEAR(0.01 - view.point.z, far / 20, 0.1 * far / 20);
            up += view.force.z;
        }
        ENSURE_NEAR(up, weight, 0.1 * weight);
        ENSURE(fabs(stage_now(s, body).position.z - before) < 1e-3);
        stage_free(s);
    }
    return 0;
}

static int hands_of_their_own_for_height_hold_a_bar_up(void)
{
    Stage* s = stage();
    s->def.max_grabs = 8;
    const Beam bar = {.size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e6, .cells = 8, .modes = 8};
    const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
    must(stage_start(s), &s->err);
    for (int i = 0; i < 8; i++)
    {
        const twVec3 at = {i & 1 ? 0.2 : -0.2, i & 2 ? 0.02 : -0.02, 0.01};
        twGrabDef def = hold_vertex(body, tw_body_shape_nearest(s->bodies[body].shape, at));
        def.here = false;
        def.target = tw_vec3_add(at, tw_vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, 0));
        def.max_force = 5 * 9.81 * beam_mass(&bar);
        for (int k = 0; k < 3; k++) def.along[k] = (k == 2) == (i >= 4);
        must(tw_world_grab(s->world, i, &def, &s->err) == TW_OK, &s->err);
    }
    tw_world_advance(s->world, 3);
    for (int i = 0; i < 4; i++) ENSURE(fabs(tw_world_grab_view(s->world, i).point.z - 0.01) < 1e-3);
    stage_free(s);
    return 0;
}

static int contradictory_targets_are_met_by_least_squares(void)
{
    Stage* s = stage();
    s->def.max_grabs = 3;
    s->def.gravity = tw_vec3(0, 0, 0);
    const Beam bar = {.size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e6, .cells = 8, .modes = 4, .decay = 50};
    const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
    must(stage_start(s), &s->err);
    const twVec3 target[3] = {{-0.2, 0.01, 0.02}, {-0.2, -0.01, 0}, {-0.2, 0, -0.01}};
    // one point, three targets
    const int vertex = tw_body_shape_nearest(s->bodies[body].shape, tw_vec3(-0.2, 0, 0.01));
    for (int i = 0; i < 3; i++)
    {
        twGrabDef def = hold_vertex(body, vertex);
        def.here = false;
        def.target = target[i];
        must(tw_world_grab(s->world, i, &def, &s->err) == TW_OK, &s->err);
    }
    tw_world_advance(s->world, 3);
    const twVec3 at = tw_world_grab_view(s->world, 0).point;
    ENSURE_NEAR(at.x, -0.2, 1e-4);
    ENSURE_NEAR(at.y, 0, 1e-4);
    ENSURE_NEAR(at.z, 0.01 / 3, 1e-4);
    stage_free(s);
    return 0;
}

// (K + sum of k W^T W) q = sum of k W^T t, by Gauss's elimination: where springs between points of a clamped body and
// targets balance
static void springs_in_balance(const double* w, const double* k, int rows, const double* own, int n, const double* t,
                               double* q)
{
    double a[8][9] = {{0}};
    for (int i = 0; i < n; i++)
    {
        a[i][i] = own[i];
        for (int r = 0; r < rows; r++)
        {
            for (int j = 0; j < n; j++) a[i][j] += k[r / 3] * w[r * n + i] * w[r * n + j];
            a[i][n] += k[r / 3] * w[r * n + i] * t[r];
        }
    }
    for (int c = 0; c < n; c++)
        for (int r = 0; r < n; r++)
            for (int i = n; i >= c && r != c; i--) a[r][i] -= a[r][c] / a[c][c] * a[c][i];
    for (int i = 0; i < n; i++) q[i] = a[i][n] / a[i][i];
}

static int more_points_than_modes_bend_by_weighted_least_squares(void)
{
    enum
    {
        POINTS = 12,
        MODES = 6
    };
    Stage* s = stage();
    s->def.max_grabs = POINTS;
    s->def.fixed_step = true;
    const Beam bar = {.size = {0.4, 0.04, 0.02},
                      .density = 1000,
                      .young = 2e5,
                      .cells = 8,
                      .modes = MODES,
                      .decay = 30,
                      .clamped = true};
    const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
    s->bodies[body].kind = TW_BODY_FIXED;
    must(stage_start(s), &s->err);
    const twModeSet* set = s->sets[0];
    double w[3 * POINTS * MODES], t[3 * POINTS], k[POINTS], one[POINTS], own[MODES], none[MODES] = {0};
    double q[MODES], plain[MODES], now[MODES], rate[MODES], largest = 0;
    twRng rng = tw_rng(7);
    for (int i = 0; i < POINTS; i++)
    {
        // away from where it is clamped
        int v = (i * 7 + 2) % set->vertex_count;
        while (set->vertices[v].x < -0.1) v = (v + 1) % set->vertex_count;
        for (int c = 0; c < 3; c++) t[3 * i + c] = 0.01 * (tw_rng_uniform(&rng) - 0.5);
        twGrabDef def = hold_vertex(body, v);
        def.here = false;
        def.target = tw_vec3_add(set->vertices[v], tw_vec3(t[3 * i], t[3 * i + 1], t[3 * i + 2]));
        must(tw_world_grab(s->world, i, &def, &s->err) == TW_OK, &s->err);
        k[i] = tw_world_grab_view(s->world, i).stiffness;
        one[i] = 1;
        for (int j = 0; j < MODES; j++)
        {
            const twVec3 u = tw_mode_set_shape(set, j, v);
            w[(3 * i + 0) * MODES + j] = u.x;
            w[(3 * i + 1) * MODES + j] = u.y;
            w[(3 * i + 2) * MODES + j] = u.z;
        }
    }
    for (int j = 0; j < MODES; j++) own[j] = pow(beam_frequency(&bar, j), 2);
    springs_in_balance(w, k, 3 * POINTS, own, MODES, t, q);
    springs_in_balance(w, k, 3 * POINTS, none, MODES, t, plain);
    tw_world_advance(s->world, 2);
    tw_world_motion(s->world, body, tw_world_time(s->world), now, rate);
    for (int j = 0; j < MODES; j++) largest = fmax(largest, fabs(plain[j]));
    for (int j = 0; j < MODES; j++)
    {
        // exactly what springs do, and to 1 % the least squares of errors that springs weigh
        ENSURE_NEAR(now[j], q[j], 1e-6 * largest);
        ENSURE_NEAR(now[j], plain[j], 0.01 * largest);
    }
    // the weights matter
    springs_in_balance(w, one, 3 * POINTS, none, MODES, t, plain);
    double differ = 0;
    for (int j = 0; j < MODES; j++) differ = fmax(differ, fabs(now[j] - plain[j]));
    ENSURE(differ > 0.02 * largest);
    stage_free(s);
    return 0;
}

static int a_released_bar_rings_at_its_modes(void)
{
    Stage* s = stage();
    s->def.max_grabs = 2;
    s->def.fixed_step = true;
    s->def.gravity = tw_vec3(0, 0, 0);
    const Beam bar = {.size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e6, .cells = 8, .modes = 3};
    const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
    must(stage_start(s), &s->err);
    for (int i = 0; i < 2; i++)
    {
        const double x = i ? 0 : 0.2;
        const int vertex = tw_body_shape_nearest(s->bodies[body].shape, tw_vec3(x, 0, 0.01));
        twGrabDef def = hold_vertex(body, vertex);
        must(tw_world_grab(s->world, i, &def, &s->err) == TW_OK, &s->err);
    }
    tw_world_advance(s->world, 0.01);
    must(tw_world_move_grab(s->world, 0, tw_vec3(0.2, 0, 0.03), 0.1, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 0.5);
    tw_world_release(s->world, 0);
    tw_world_release(s->world, 1);
    // zero crossings of each amplitude over 2 s
    double last[3] = {0}, first_at[3], last_at[3], q[3];
    int crossings[3] = {-1, -1, -1};
    for (int i = 0; i < 2000; i++)
    {
        const double t = 0.5 + 1e-3 * i;
        tw_world_advance(s->world, t);
        tw_world_motion(s->world, body, tw_world_time(s->world), q, NULL);
        for (int j = 0; j < 3; j++)
        {
            const bool crosses = i > 0 && last[j] < 0 && q[j] >= 0;
            if (crosses) last_at[j] = t - 1e-3 * q[j] / (q[j] - last[j]);
            if (crosses && crossings[j]++ < 0) first_at[j] = last_at[j];
            last[j] = q[j];
        }
    }
    for (int j = 0; j < 3; j++)
    {
        const double freq = beam_frequency(&bar, j) / (2 * TW_PI);
        ENSURE(crossings[j] > 10);
        ENSURE_NEAR(crossings[j] / (last_at[j] - first_at[j]), freq, 5e-4 * freq);
    }
    stage_free(s);
    return 0;
}

// 20 mm to and fro, twice a second
static twVec3 path_swing(double time, void* context)
{
    return tw_vec3(*(const double*)context * sin(4 * TW_PI * time), 0, 0);
}

static Stage* path_world(const twPathDef* path)
{
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    s->def.fixed_step = true;
    s->def.max_grabs = s->def.path_count = 1;
    s->def.paths = path;
    stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 0);
    must(stage_start(s), &s->err);
    return s;
}

// at all times, to what the spring gives: F/k with F = m w^2 A = 3.2 N at most; also in a world that was loaded
static int a_target_follows_its_path(void)
{
    double size = 0.02;
    const twPathDef path = {path_swing, &size};
    Stage *s = path_world(&path), *other = path_world(&path);
    twGrabDef def = hold_vertex(0, 0);
    def.at.point = (twSurfacePoint){{-1, -1, -1}, {0}};
    def.path = 1;
    ENSURE(tw_world_grab(s->world, 0, &def, NULL) == TW_BAD_INPUT);
    def.path = 0;
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    for (int i = 1; i <= 20; i++)
    {
        tw_world_advance(s->world, i * 0.02);
        const twGrabView view = tw_world_grab_view(s->world, 0);
        if (i <= 3) continue;  // it comes there within 50 ms
        ENSURE_NEAR(view.target.x, size * sin(4 * TW_PI * tw_world_time(s->world)), 1e-12);
        ENSURE(view.error < 1.01 * size * 16 * TW_PI * TW_PI / view.stiffness);
        if (i > 10) continue;
        void* bytes;
        size_t count;
        must(tw_world_save(s->world, &bytes, &count, &s->err) == TW_OK, &s->err);
        must(tw_world_load(other->world, bytes, count, &s->err) == TW_OK, &s->err);
        free(bytes);
    }
    tw_world_advance(other->world, 0.4);
    const twVec3 a = tw_world_grab_view(s->world, 0).point, b = tw_world_grab_view(other->world, 0).point;
    ENSURE(a.x == b.x && a.y == b.y && a.z == b.z);
    stage_free(other);
    stage_free(s);
    return 0;
}

static int a_force_does_the_work_of_its_way(void)
{
    Stage* s = stage();
    s->def.max_grabs = 1;
    s->def.gravity = tw_vec3(0, 0, 0);
    const int box = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 0);
    must(stage_start(s), &s->err);
    twGrabDef def = hold_vertex(box, 0);
    def.at.point = (twSurfacePoint){{-1, -1, -1}, {0}};
    def.kind = TW_GRAB_FORCE;
    def.here = false;
    def.ease = 0;
    def.target = tw_vec3(2, 0, 0);
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 1);
    // x = F t^2/(2 m), W = F x
    ENSURE_NEAR(stage_centre(s, box).x, 1, 1e-9);
    ENSURE_NEAR(tw_world_energy(s->world).work, 2, 1e-9);
    stage_free(s);
    return 0;
}

static int velocities_and_accelerations_are_kept(void)
{
    for (int kind = TW_GRAB_VELOCITY; kind <= TW_GRAB_ACCELERATION; kind++)
    {
        Stage* s = stage();
        s->def.max_grabs = 1;
        const int box = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 0);
        must(stage_start(s), &s->err);
        twGrabDef def = hold_vertex(box, 0);
        def.at.point = (twSurfacePoint){{-1, -1, -1}, {0}};
        def.kind = (twGrabKind)kind;
        def.here = false;
        def.ease = 0;
        def.target = tw_vec3(0.5, 0, 0);
        must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
        tw_world_advance(s->world, 2);
        const twVec3 v = stage_velocity(s, box);
        const double expected = kind == TW_GRAB_VELOCITY ? 0.5 : 1;
        ENSURE_NEAR(v.x, expected, 0.01 * expected);
        // a damper holds weight by creeping: c = 2 m/h
        ENSURE(fabs(v.z) <= 9.81 * 1e-3 / 2 * 1.01);
        stage_free(s);
    }
    return 0;
}

static int a_servo_moves_a_point_from_elsewhere(void)
{
    Stage* s = stage();
    s->def.max_grabs = 2;
    const Beam bar = {
        .size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e7, .cells = 8, .modes = 3, .decay = 20, .clamped = true};
    const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
    s->bodies[body].kind = TW_BODY_FIXED;
    must(stage_start(s), &s->err);
    const int far = tw_body_shape_nearest(s->bodies[body].shape, tw_vec3(0.2, 0, 0.01));
    const int near = tw_body_shape_nearest(s->bodies[body].shape, tw_vec3(0.15, 0, 0.01));
    twGrabDef def = hold_vertex(body, far);
    def.here = false;
    def.target = tw_vec3(0.2, 0, 0.03);
    def.along[0] = def.along[1] = false;
    def.max_force = 50;
    def.push_count = 1;
    def.push[0] = (twGrabPoint){body, tw_surface_vertex(near), TW_NOWHERE, 0};
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 1);
    const twGrabView view = tw_world_grab_view(s->world, 0);
    ENSURE(!view.powerless);
    ENSURE(view.error < 1e-3);
    stage_free(s);
    return 0;
}

static int a_powerless_servo_says_so(void)
{
    Stage* s = stage();
    s->def.max_grabs = 1;
    const Beam bar = {
        .size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e6, .cells = 8, .modes = 1, .decay = 20, .clamped = true};
    const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
    s->bodies[body].kind = TW_BODY_FIXED;
    must(stage_start(s), &s->err);
    // from where it is clamped it cannot be bent
    const twBodyShape* shape = s->bodies[body].shape;
    twGrabDef def = hold_vertex(body, tw_body_shape_nearest(shape, tw_vec3(0.2, 0, 0.01)));
    def.here = false;
    def.along[0] = def.along[1] = false;
    def.target = tw_vec3(0.2, 0, 0.05);
    def.max_force = 1000;
    def.push_count = 1;
    def.push[0] =
        (twGrabPoint){body, tw_surface_vertex(tw_body_shape_nearest(shape, tw_vec3(-0.2, 0, 0.01))), TW_NOWHERE, 0};
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 0.01);
    twGrabView view = tw_world_grab_view(s->world, 0);
    ENSURE(view.powerless);
    ENSURE(tw_vec3_norm(view.force) < 1);
    // from the middle it can
    def.push[0].point = tw_surface_vertex(tw_body_shape_nearest(shape, tw_vec3(0, 0, 0.01)));
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 1);
    view = tw_world_grab_view(s->world, 0);
    ENSURE(!view.powerless);
    ENSURE(view.error < 1e-3);
    stage_free(s);
    return 0;
}

// ---- bad input ----

static int bad_grabs_are_refused(void)
{
    Stage* s = stage();
    s->def.max_grabs = 2;
    const int box = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 1);
    s->bodies[box].name = "box";
    stage_floor(s, 1, 1);
    must(stage_start(s), &s->err);
    const twGrabDef good = hold_vertex(box, 0);
    twGrabDef bad[12];
    for (int i = 0; i < 12; i++) bad[i] = good;
    bad[0].at.body = 7;
    bad[1].at.point.vertex[0] = 1000;
    bad[2].max_force = -1;
    bad[3].target.x = NAN;
    bad[4].to = bad[4].at;
    bad[5].at.body = 1;
    bad[6].push_count = 1;
    bad[7].exact = true;
    bad[8].at.point.weight[0] = 0.5;
    bad[9].ease = -1;
    bad[10].along[0] = bad[10].along[1] = bad[10].along[2] = false;
    bad[11].kind = (twGrabKind)9;
    for (int i = 0; i < 12; i++)
    {
        twError err = {0};
        ENSURE(tw_world_grab(s->world, 0, &bad[i], &err) == TW_BAD_INPUT);
        ENSURE(err.text[0]);
        ENSURE(!tw_world_grab_view(s->world, 0).active);
    }
    ENSURE(tw_world_grab(s->world, 2, &good, NULL) == TW_BAD_INPUT);
    ENSURE(tw_world_move_grab(s->world, 0, tw_vec3(0, 0, 0), 1, NULL) == TW_BAD_INPUT);
    ENSURE(tw_world_grab(s->world, 1, &good, NULL) == TW_OK);
    ENSURE(tw_world_move_grab(s->world, 1, tw_vec3(NAN, 0, 0), 1, NULL) == TW_BAD_INPUT);
    ENSURE(tw_world_move_grab(s->world, 1, tw_vec3(0, 0, 0), -1, NULL) == TW_BAD_INPUT);
    tw_world_advance(s->world, 0.1);
    ENSURE(tw_world_grab_view(s->world, 1).error < 1e-4);
    stage_free(s);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_hanging_box_sags_by_its_weight_over_the_stiffness)
    RUN(the_error_of_what_rests_is_force_over_stiffness)
    RUN(ten_weights_move_a_rigid_body_by_micrometres)
    RUN(an_exact_grab_has_no_error_at_rest)
    RUN(an_exact_grab_does_not_drive_what_swings)
    RUN(hands_that_pull_apart_carry_what_points_up)
    RUN(hands_of_their_own_for_height_hold_a_bar_up)
    RUN(contradictory_targets_are_met_by_least_squares)
    RUN(more_points_than_modes_bend_by_weighted_least_squares)
    RUN(a_released_bar_rings_at_its_modes)
    RUN(a_target_follows_its_path)
    RUN(a_force_does_the_work_of_its_way)
    RUN(velocities_and_accelerations_are_kept)
    RUN(a_servo_moves_a_point_from_elsewhere)
    RUN(a_powerless_servo_says_so)
    RUN(bad_grabs_are_refused)
)
