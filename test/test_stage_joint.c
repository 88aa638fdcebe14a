// SPDX-License-Identifier: MIT
// Many grabs at once: joints between bodies, chains and rings of them, more grabs than there are ways to move, and ones that contradict
// each other.
#include "grab.h"

#define TOGETHER 1e-9  // of a body's size

static const double steps[] = {1.0 / 60, 1e-3, 1e-4};

enum
{
    STEPS = 3
};

static const Beam soft = {.size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e5, .cells = 8, .modes = 6};

static twStageGrabDef joint(GrabCase* g, int a, twVec3 at_a, int b, twVec3 at_b, double ease)
{
    twStageGrabDef def = tw_stage_grab_def();
    def.body = a;
    def.point = tw_stage_vertex(grab_vertex(g, a, at_a));
    def.other = b;
    def.other_point = tw_stage_vertex(grab_vertex(g, b, at_b));
    def.ease = ease;
    return def;
}

static twStageGrabDef pin(int body, int vertex, twVec3 target)
{
    twStageGrabDef def = tw_stage_grab_def();
    def.body = body;
    def.point = tw_stage_vertex(vertex);
    def.target = target;
    def.ease = 0;
    return def;
}

// ---- momentum ----

typedef struct Sum
{
    twVec3 linear, angular;
} Sum;

static Sum momentum(GrabCase* g)
{
    Sum sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < g->def.body_count; i++)
    {
        const twStagePose* pose = &grab_view(g)->bodies[i];
        const twMassProperties mass = tw_body_shape_mass(g->bodies[i].shape);
        const twVec3 arm = tw_quat_rotate(pose->turn, mass.centre), centre = tw_vec3_add(pose->position, arm);
        const twVec3 v = tw_vec3_add(pose->velocity, tw_vec3_cross(pose->spin, arm));
        const twVec3 own = tw_quat_rotate(tw_quat_conj(pose->turn), pose->spin);
        sum.linear = tw_vec3_add_scaled(sum.linear, v, mass.mass);
        sum.angular = tw_vec3_add(sum.angular, tw_quat_rotate(pose->turn, tw_mat3_mul_vec(mass.inertia, own)));
        sum.angular = tw_vec3_add_scaled(sum.angular, tw_vec3_cross(centre, v), mass.mass);
    }
    return sum;
}

static double differ(twVec3 a, twVec3 b) { return tw_vec3_norm(tw_vec3_sub(a, b)); }

// ---- joints ----

static double widest(GrabCase* g, int joints)
{
    double error = 0;
    for (int i = 0; i < joints; i++) error = fmax(error, grab_view(g)->grabs[i].error);
    return error;
}

// boxes in a row, joined at edges' ends, flying and turning
static void make_chain(GrabCase* g, int count, bool ring, bool soft_one, double step)
{
    grab_case(g);
    const twBodyShape* box = stage_box(g->shapes, 0.4, 0.04, 0.02, 1000);
    for (int i = 0; i < count; i++)
    {
        if (soft_one && i == 1)
            grab_beam(g, &soft, tw_vec3(0.4 * i, 0, 0));
        else
            grab_body(g, box, NULL, tw_vec3(0.4 * i, 0, 0));
        g->bodies[i].motion.velocity = tw_vec3(0, 0.3 * sin(i), 0.2 * cos(2 * i));
        g->bodies[i].motion.spin = tw_vec3(0, 1, 0.5 * i);
        g->bodies[i].ghost = true;
    }
    if (ring)
        for (int i = 0; i < count; i++)
        {
            // the sides of a polygon
            const double a = 2 * TW_PI * i / count, r = 0.2 / tan(TW_PI / count);
            g->bodies[i].motion.turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), a + 0.5 * TW_PI);
            g->bodies[i].motion.position = tw_vec3(r * cos(a), r * sin(a), 0);
        }
    g->def.gravity = tw_vec3(0, 0, 0);
    g->def.step = step;
    grab_start(g);
    for (int i = 0; i + 1 < count + ring; i++)
    {
        twStageGrabDef def = joint(g, i, tw_vec3(0.2, 0.02, 0.01), (i + 1) % count, tw_vec3(-0.2, 0.02, 0.01), 0);
        def.here = ring;
        if (!tw_stage_grab(g->stage, i, &def)) abort();
    }
    grab_steps(g, 1);
}

static int joined_bodies_stay_together_and_keep_their_momentum(void)
{
    for (int k = 0; k < STEPS; k++)
        for (int kind = 0; kind < 4; kind++)
        {
            GrabCase g;
            const bool ring = kind & 1, soft_one = kind & 2;
            const int count = ring ? 5 : 4, joints = ring ? 5 : 3;
            make_chain(&g, count, ring, soft_one, steps[k]);
            const Sum before = momentum(&g);
            for (int i = 0; i < 120; i++)
            {
                grab_steps(&g, 1);
                ENSURE_NEAR(widest(&g, joints), 0, TOGETHER * 0.4);
            }
            const Sum after = momentum(&g);
            ENSURE_NEAR(differ(after.linear, before.linear), 0, 1e-11);
            ENSURE_NEAR(differ(after.angular, before.angular), 0, 1e-11);
            grab_free(&g);
        }
    return 0;
}

static double drift(bool ring, bool soft_one, double step)
{
    GrabCase g;
    make_chain(&g, ring ? 5 : 4, ring, soft_one, step);
    const double energy = grab_energy(&g);
    double worst = 0;
    for (int i = 0; i < 50; i++)
    {
        tw_stage_advance(g.stage, 0.02);
        worst = fmax(worst, fabs(grab_energy(&g) / energy - 1));
    }
    grab_free(&g);
    return worst;
}

static int energy_of_joined_bodies_stays_the_better_the_smaller_the_steps(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        const double coarse = drift(kind & 1, kind & 2, 1e-3), fine = drift(kind & 1, kind & 2, 2.5e-4);
        ENSURE(coarse < 2e-3);
        ENSURE(fine < coarse / 8);
    }
    return 0;
}

static int frames_of_sixty_a_second_gain_nothing(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        GrabCase g;
        make_chain(&g, kind & 1 ? 5 : 4, kind & 1, kind & 2, 1.0 / 60);
        const double energy = grab_energy(&g);
        for (int i = 0; i < 1800; i++)
        {
            grab_steps(&g, 1);
            ENSURE(grab_energy(&g) < 1.1 * energy);
        }
        grab_free(&g);
    }
    return 0;
}

static int bodies_that_are_apart_come_together_in_the_time_they_are_given(void)
{
    GrabCase g;
    grab_case(&g);
    for (int i = 0; i < 2; i++) grab_box(&g, tw_vec3(0.1, 0.1, 0.1), 1000, tw_vec3(0.5 * i, 0, 0));
    g.bodies[0].ghost = true;
    g.def.gravity = tw_vec3(0, 0, 0);
    grab_start(&g);
    const twStageGrabDef def = joint(&g, 0, tw_vec3(0.05, 0.05, 0.05), 1, tw_vec3(-0.05, 0.05, 0.05), 0.3);
    ENSURE(tw_stage_grab(g.stage, 0, &def));
    double before = 0.4, slowest = 0;
    for (int i = 0; i < 300; i++)
    {
        grab_steps(&g, 1);
        const double apart =
            differ(tw_stage_place(g.stage, 0, &def.point, NULL), tw_stage_place(g.stage, 1, &def.other_point, NULL));
        ENSURE(apart <= before + 1e-12);
        // the cubic: 6 w/T^2 at most
        ENSURE_NEAR(before - apart - slowest, 0, 1.01 * 6 * 0.4 / 0.09 * 1e-6);
        slowest = before - apart;
        before = apart;
    }
    ENSURE_NEAR(before, 0, 1e-10);
    ENSURE_NEAR(tw_vec3_norm(momentum(&g).linear), 0, 1e-12);
    grab_free(&g);
    return 0;
}

static int joint_that_keeps_a_distance_turns_with_the_other_body(void)
{
    GrabCase g;
    grab_case(&g);
    for (int i = 0; i < 2; i++) grab_box(&g, tw_vec3(0.1, 0.1, 0.1), 1000, tw_vec3(0.5 * i, 0, 0));
    g.bodies[1].motion.spin = tw_vec3(0, 0, 50);
    g.def.gravity = tw_vec3(0, 0, 0);
    grab_start(&g);
    twStageGrabDef def = joint(&g, 0, tw_vec3(0.05, 0.05, 0.05), 1, tw_vec3(-0.05, 0.05, 0.05), 0);
    def.here = true;
    ENSURE(tw_stage_grab(g.stage, 0, &def));
    grab_steps(&g, 1);
    const Sum before = momentum(&g);
    double farthest = 0;
    for (int i = 0; i < 2000; i++)
    {
        grab_steps(&g, 1);
        const twVec3 a = tw_stage_place(g.stage, 0, &def.point, NULL),
                     b = tw_stage_place(g.stage, 1, &def.other_point, NULL);
        ENSURE_NEAR(differ(a, b), 0.4, 1e-9);
        farthest = fmax(farthest, fabs(tw_vec3_sub(b, a).y));
    }
    ENSURE(farthest > 0.2);
    ENSURE_NEAR(differ(momentum(&g).angular, before.angular), 0, 1e-11);
    grab_free(&g);
    return 0;
}

// ---- too many ----

static int same_point_twice_shares_the_force(void)
{
    for (int kind = 0; kind < 2; kind++)
    {
        GrabCase g;
        grab_case(&g);
        if (kind == 0)
            grab_box(&g, tw_vec3(0.4, 0.04, 0.02), 1000, tw_vec3(0, 0, 0));
        else
            grab_beam(&g, &soft, tw_vec3(0, 0, 0));
        grab_start(&g);
        const int tip = grab_vertex(&g, 0, tw_vec3(0.2, 0.02, 0.01));
        for (int i = 0; i < 3; i++) grab_here(&g, i, 0, tip, 0);
        for (int i = 0; i < 200; i++)
        {
            grab_steps(&g, 1);
            ENSURE(widest(&g, 3) <= TOGETHER * 0.4);
            const twStageGrip* grips = grab_view(&g)->grabs;
            ENSURE(differ(grips[0].force, grips[1].force) <= 1e-6 * tw_vec3_norm(grips[0].force));
            ENSURE(differ(grips[0].force, grips[2].force) <= 1e-6 * tw_vec3_norm(grips[0].force));
        }
        // told to be at three places it is at their mean
        const twVec3 at = grab_view(&g)->grabs[0].point;
        for (int i = 0; i < 3; i++) tw_stage_move(g.stage, i, tw_vec3_add(at, tw_vec3(0.003 * i, 0, 0.01 * i)), 0.1);
        grab_steps(&g, 150);
        const twVec3 now = grab_view(&g)->grabs[0].point;
        ENSURE_NEAR(differ(now, tw_vec3_add(at, tw_vec3(0.003, 0, 0.01))), 0, 1e-9);
        grab_free(&g);
    }
    return 0;
}

static int what_is_pulled_apart_stays_in_the_middle(void)
{
    // a rigid bar whose ends are told to be a tenth farther apart than they are, and elsewhere
    for (int k = 0; k < STEPS; k++)
    {
        GrabCase g;
        grab_case(&g);
        grab_box(&g, tw_vec3(0.4, 0.04, 0.02), 1000, tw_vec3(0, 0, 0));
        g.def.step = steps[k];
        grab_start(&g);
        const int a = grab_vertex(&g, 0, tw_vec3(-0.2, 0.02, 0.01)), b = grab_vertex(&g, 0, tw_vec3(0.2, 0.02, 0.01));
        const twVec3 middle = tw_vec3(0.3, 0.1, 0.2), half = tw_vec3(0.132, 0.132, 0.1188);  // 0.22 long
        twStageGrabDef first = pin(0, a, tw_vec3_sub(middle, half)), second = pin(0, b, tw_vec3_add(middle, half));
        first.ease = second.ease = 0.2;
        ENSURE(tw_stage_grab(g.stage, 0, &first) && tw_stage_grab(g.stage, 1, &second));
        tw_stage_advance(g.stage, 0.3);
        for (int i = 0; i < 50; i++)
        {
            grab_steps(&g, 1);
            const twVec3 pa = grab_view(&g)->grabs[0].point, pb = grab_view(&g)->grabs[1].point;
            const twVec3 along = tw_vec3_normalize(half);
            ENSURE_NEAR(differ(tw_vec3_scale(tw_vec3_add(pa, pb), 0.5), middle), 0, 1e-8);
            ENSURE_NEAR(differ(tw_vec3_normalize(tw_vec3_sub(pb, pa)), along), 0, 1e-6);
            ENSURE_NEAR(grab_view(&g)->grabs[0].error, tw_vec3_norm(half) - 0.2, 1e-8);
        }
        grab_free(&g);
    }
    return 0;
}

// normal equations, W (rows x n), by Gauss's elimination with the largest pivot
static void least_squares(const double* w, int rows, int n, const double* t, double* q)
{
    double a[16][17] = {0};
    for (int i = 0; i < n; i++)
        for (int r = 0; r < rows; r++)
        {
            for (int j = 0; j < n; j++) a[i][j] += w[r * n + i] * w[r * n + j];
            a[i][n] += w[r * n + i] * t[r];
        }
    for (int c = 0; c < n; c++)
    {
        int best = c;
        for (int r = c + 1; r < n; r++) best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
        for (int k = 0; k <= n; k++)
        {
            const double swap = a[c][k];
            a[c][k] = a[best][k];
            a[best][k] = swap;
        }
        for (int r = 0; r < n; r++)
        {
            const double f = r == c ? 0 : a[r][c] / a[c][c];
            for (int k = c; k <= n; k++) a[r][k] -= f * a[c][k];
        }
    }
    for (int i = 0; i < n; i++) q[i] = a[i][n] / a[i][i];
}

static int more_points_than_modes_bend_by_least_squares(void)
{
    for (int k = 1; k < STEPS; k++)
    {
        GrabCase g;
        grab_case(&g);
        Beam beam = soft;
        beam.clamped = true;
        grab_beam(&g, &beam, tw_vec3(0, 0, 0));
        g.def.step = steps[k];
        grab_start(&g);
        const twModeSet* set = g.shapes->sets[0];
        const int n = 6, points = 12;
        double w[3 * 12 * 6], t[3 * 12], q[6];
        twRng rng = tw_rng(7);
        for (int i = 0; i < points; i++)
        {
            const int v = (i * 7 + 2) % set->vertex_count;
            double to[3];
            for (int c = 0; c < 3; c++) t[3 * i + c] = to[c] = 0.01 * (tw_rng_uniform(&rng) - 0.5);
            const twStageGrabDef def = pin(0, v, tw_vec3_add(set->vertices[v], tw_vec3(to[0], to[1], to[2])));
            ENSURE(tw_stage_grab(g.stage, i, &def));
            for (int j = 0; j < n; j++)
            {
                const twVec3 u = tw_mode_set_shape(set, j, v);
                w[(3 * i + 0) * n + j] = u.x;
                w[(3 * i + 1) * n + j] = u.y;
                w[(3 * i + 2) * n + j] = u.z;
            }
        }
        least_squares(w, 3 * points, n, t, q);
        double largest = 0;
        for (int j = 0; j < n; j++) largest = fmax(largest, fabs(q[j]));
        for (int i = 0; i < 300; i++)
        {
            grab_steps(&g, 1);
            for (int j = 0; j < n; j++) ENSURE_NEAR(grab_view(&g)->bodies[0].amplitude[j], q[j], 1e-9 * largest);
        }
        grab_free(&g);
    }
    return 0;
}

// a soft body and a box pulled hither and thither by up to a dozen points, which contradict each other. @return fastest speed; asked:
// of targets
static double abuse(GrabCase* g, int count, double max_force, double* asked)
{
    twRng rng = tw_rng(11);
    const int vertices = g->shapes->sets[0]->vertex_count;
    double speed = 0;
    *asked = 0;
    for (int i = 0; i < count; i++)
    {
        const int slot = (int)(tw_rng_uniform(&rng) * 12), body = slot % 3 == 0;
        const twStagePoint point = tw_stage_vertex((int)(tw_rng_uniform(&rng) * (body ? 8 : vertices)));
        const twVec3 from = tw_stage_place(g->stage, body, &point, NULL);
        const twVec3 way = tw_vec3(tw_rng_normal(&rng), tw_rng_normal(&rng), tw_rng_normal(&rng));
        twStageGrabDef def = pin(body, point.vertex[0], tw_vec3_add_scaled(from, way, 0.1));
        def.ease = slot % 2 ? 0.1 : 0.02;
        def.max_force = max_force;
        if (slot % 5 == 4) def.other = !body, def.other_point = tw_stage_vertex(i % 8);
        const twVec3 to = def.other < 0 ? def.target : tw_stage_place(g->stage, def.other, &def.other_point, NULL);
        *asked = fmax(*asked, 1.5 * differ(to, from) / fmax(def.ease, g->def.step));
        if (i % 3 == 0)
            tw_stage_grab(g->stage, slot, &def);
        else
            tw_stage_release(g->stage, slot);
        grab_steps(g, 1 + i % 4);
        for (int b = 0; b < 2; b++) speed = fmax(speed, tw_vec3_norm(grab_view(g)->bodies[b].velocity));
        if (!isfinite(grab_energy(g))) return INFINITY;
    }
    for (int i = 0; i < 12; i++) tw_stage_release(g->stage, i);
    grab_steps(g, 1);
    return speed;
}

static int nonsense_does_not_explode(void)
{
    for (int kind = 0; kind < 8; kind++)
    {
        const int k = kind & 1, warp = kind >> 1 & 1;
        const double max_force = kind & 4 ? 0 : 50;
        GrabCase g;
        grab_case(&g);
        Beam beam = soft;
        beam.decay = 5;
        grab_beam(&g, &beam, tw_vec3(0, 0, 0));
        grab_box(&g, tw_vec3(0.2, 0.1, 0.1), 100, tw_vec3(0, 0.5, 0));
        g.bodies[0].warp = warp;
        g.def.step = steps[k];
        g.def.contact = TW_STAGE_NO_CONTACT;
        g.def.gravity = tw_vec3(0, 0, 0);
        grab_start(&g);
        double asked;
        const double speed = abuse(&g, k == 0 ? 100 : 200, max_force, &asked);
        // a dozen times 50 N on 0.2 kg for 20 to 100 ms; without a limit 8 times what targets are told to, and what it bends, all
        // of it in the lighter body
        const double bend = 2 * TW_PI * 0.45 / g.def.step * 0.21;
        ENSURE_NEAR(speed, 0, max_force > 0 ? 300 : sqrt(0.52 / 0.2) * (8 * asked + fmin(bend, 60)));
        ENSURE(grab_view(&g)->stats.resets == 0);
        const double energy = grab_energy(&g);
        grab_steps(&g, 300);
        ENSURE(grab_energy(&g) <= (1 + 1e-10) * energy);
        grab_free(&g);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(joined_bodies_stay_together_and_keep_their_momentum)
    RUN(energy_of_joined_bodies_stays_the_better_the_smaller_the_steps)
    RUN(frames_of_sixty_a_second_gain_nothing)
    RUN(bodies_that_are_apart_come_together_in_the_time_they_are_given)
    RUN(joint_that_keeps_a_distance_turns_with_the_other_body)
    RUN(same_point_twice_shares_the_force)
    RUN(what_is_pulled_apart_stays_in_the_middle)
    RUN(more_points_than_modes_bend_by_least_squares)
    RUN(nonsense_does_not_explode)
)
