// SPDX-License-Identifier: MIT
// Grabs that contradict each other: the sum of squares of their errors is as small as it can be, and nothing flies. ONE_GO=N in the
// environment tries N random motions instead of a few.
#define _XOPEN_SOURCE 700
#include "rigid_motion.h"

#define ON_TARGET 1e-9  // of a body's size
#define AT_ONCE 0.05    // [s] after a motion: all should be where it was told to be

// ---- told in one go ----

static double worst_error(Rigid* m)
{
    double worst = 0;
    for (int k = 0; k < m->count; k++) worst = fmax(worst, grab_view(&m->r.g)->grabs[k].error);
    return worst;
}

// of energy: 0 as it began
static double balance(Rigid* m)
{
    const twStageEnergy e = grab_view(&m->r.g)->energy;
    return e.kinetic + e.elastic + e.weight + e.springs + e.dissipated - e.work;
}

// Told to go to the end of a rigid motion in one go, points go by straight lines, on which they come nearer to each other by up to 46 %.
// met: counts those that are at their targets then
static int comes_to_its_end(uint64_t seed, int* met)
{
    Rigid m;
    rigid_motion(&m, seed);
    const double step = m.r.g.def.step;
    const int count = (int)ceil(m.span / step);
    double way = 0, most = 1;
    for (int k = 0; k < m.count; k++)
    {
        const twVec3 to = rigid_target(&m, k, 1);
        way = fmax(way, tw_vec3_norm(tw_vec3_sub(to, m.start[k])));
        if (!tw_stage_move(m.r.g.stage, k, to, m.span)) abort();
    }
    const twVec3 start = grab_view(&m.r.g)->bodies[0].position;
    const double before = balance(&m);
    for (int i = 0; i < count + (int)ceil(AT_ONCE / step) + 1; i++)
    {
        grab_steps(&m.r.g, 1);
        ENSURE(tw_vec3_norm(tw_vec3_sub(grab_view(&m.r.g)->bodies[0].position, start)) <= way + m.length);
        ENSURE(worst_error(&m) <= way);
        most = fmax(most, fmax(grab_energy(&m.r.g), fabs(grab_view(&m.r.g)->energy.work)));
    }
    ENSURE(worst_error(&m) <= 0.01 * m.length);
    *met += worst_error(&m) <= ON_TARGET * m.length;
    ENSURE_NEAR(balance(&m), before, 1e-9 * most);
    grab_free(&m.r.g);
    return 0;
}

static int points_told_in_one_go_to_turn_are_met_at_the_end_and_nothing_flies(void)
{
    // once bent, let go and thrown by up to some sizes, with forces of up to 1e9 N
    static const int once_flew[] = {23, 24, 27, 106, 117, 126, 133, 135, 166, 212};
    const char* wanted = getenv("ONE_GO");
    const int count = wanted ? atoi(wanted) : 10;
    int met = 0;
    for (int i = 0; i < count; i++)
    {
        const uint64_t seed = wanted ? 1 + (uint64_t)i : (uint64_t)once_flew[i];
        if (!comes_to_its_end(seed, &met)) continue;
        printf("motion %d\n", (int)seed);
        return 1;
    }
    ENSURE(met >= 0.8 * count);
    return 0;
}

// ---- least squares ----

// sum of squares of errors of the points of a bar, one of its coordinates (6 and the modes) being off
static double squares(Rigid* m, const twVec3* target, int coordinate, double off)
{
    const twStagePose* pose = &grab_view(&m->r.g)->bodies[0];
    const twModeSet* set = m->r.g.bodies[0].modes;
    double d[6] = {0}, sum = 0;
    if (coordinate < 6) d[coordinate] = off;
    const twVec3 at = tw_vec3_add(pose->position, tw_vec3(d[0], d[1], d[2]));
    const twQuat turn = tw_quat_integrate(pose->turn, tw_vec3(d[3], d[4], d[5]), 1);
    for (int k = 0; k < m->count; k++)
    {
        twVec3 own = set->vertices[m->held[k]];
        for (int j = 0; j < pose->mode_count; j++)
            own = tw_vec3_add_scaled(own, tw_mode_set_shape(set, j, m->held[k]),
                                     pose->amplitude[j] + (coordinate == 6 + j ? off : 0));
        const twVec3 error = tw_vec3_sub(target[k], tw_vec3_add(at, tw_quat_rotate(turn, own)));
        sum += tw_vec3_dot(error, error);
    }
    return sum;
}

// cosine between errors and what a coordinate does to points: 0 where their squares are least
static double slope_of_squares(Rigid* m, const twVec3* target, int coordinate)
{
    const twModeSet* set = m->r.g.bodies[0].modes;
    const double off = 1e-4 * (coordinate < 3 ? m->length : coordinate < 6 ? 1 : m->length * sqrt(set->mass.mass));
    const double here = squares(m, target, coordinate, 0), up = squares(m, target, coordinate, off);
    const double down = squares(m, target, coordinate, -off), moved = sqrt(0.5 * (up + down) - here);
    return (up - down) / (4 * moved * sqrt(here));
}

// Points of a bar pulled hither and thither by some per cent of its length. contradicting, exact: how many do, and come to rest exactly
static int errors_are_least(uint64_t seed, int* contradicting, int* exact)
{
    Rigid m;
    rigid_motion(&m, seed);
    twVec3 target[MOST_POINTS];
    const bool warped = m.r.g.bodies[0].warp;
    for (int k = 0; k < m.count; k++)
    {
        target[k] = tw_vec3_add(m.start[k], random_way(&m.r.rng, 0.02 * m.length));
        if (!tw_stage_move(m.r.g.stage, k, target[k], 0.2)) abort();
    }
    tw_stage_advance(m.r.g.stage, 0.5);
    const int modes = grab_view(&m.r.g)->bodies[0].mode_count;
    if (!warped && sqrt(squares(&m, target, 0, 0)) > 1e-3 * m.length)
    {
        double worst = 0;
        for (int c = 0; c < 6 + modes; c++) worst = fmax(worst, fabs(slope_of_squares(&m, target, c)));
        // squares grow by its square; the little that absurd forces would gain is left alone
        ENSURE(worst < 0.01);
        *contradicting += 1;
        *exact += worst < 1e-6;
    }
    grab_free(&m.r.g);
    return 0;
}

static int points_pulled_hither_and_thither_come_to_rest_where_errors_are_least(void)
{
    int contradicting = 0, exact = 0;
    for (uint64_t seed = 1; seed <= 30; seed++)
    {
        if (!errors_are_least(seed, &contradicting, &exact)) continue;
        printf("seed %d\n", (int)seed);
        return 1;
    }
    ENSURE(contradicting >= 10 && exact >= 0.85 * contradicting);
    return 0;
}

// ---- largest forces ----

// hands that pull against each other with all they have hold what hangs from them nevertheless, and tell how far off they are
static int hands_at_their_largest_force_carry_what_they_hold(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        GrabCase g;
        const Beam bar = {
            .size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e6, .cells = 8, .modes = 8, .decay = 20};
        grab_case(&g);
        grab_beam(&g, &bar, tw_vec3(0, 0, 0));
        g.bodies[0].warp = kind & 1;
        g.def.step = kind & 2 ? 1.0 / 240 : 1e-3;
        grab_start(&g);
        const double weight = 9.81 * tw_body_shape_mass(g.bodies[0].shape).mass;
        for (int i = 0; i < 4; i++)
        {
            const twVec3 at = {i & 1 ? 0.2 : -0.2, i & 2 ? 0.02 : -0.02, 0.01};
            twStageGrabDef def = tw_stage_grab_def();
            def.point = tw_stage_vertex(grab_vertex(&g, 0, at));
            def.target = tw_vec3_add(at, tw_vec3(i & 1 ? 0.05 : -0.05, i & 2 ? 0.05 : -0.05, 0));
            def.max_force = 5 * weight;
            ENSURE(tw_stage_grab(g.stage, i, &def));
        }
        tw_stage_advance(g.stage, 3);
        const twStageView* view = grab_view(&g);
        ENSURE(view->stats.limited > 0.5 * (double)view->stats.steps);
        ENSURE(tw_vec3_norm(view->bodies[0].velocity) < 0.05);
        for (int i = 0; i < 4; i++)
        {
            // free, it would have fallen by 44 m
            ENSURE_NEAR(view->grabs[i].point.z, 0.01, bar.size.x);
            ENSURE(view->grabs[i].error > 0.02 && tw_vec3_norm(view->grabs[i].force) <= 5.000001 * weight);
        }
        grab_free(&g);
    }
    return 0;
}

// ---- beside each other ----

// Two bars that do not touch, of densities: one held by eight points, told to turn in one go or to stay, the other lifted by some.
static void make_two(GrabCase* g, double light, const Beam* other, double step)
{
    const Beam bar = {
        .size = {0.3, 0.03, 0.03}, .density = light, .young = 1000 * light, .cells = 8, .modes = 8, .both = true};
    grab_case(g);
    grab_beam(g, &bar, tw_vec3(0, 0, 0));
    grab_beam(g, other, tw_vec3(0, 2, 0));
    g->def.step = step;
    g->def.contact = TW_STAGE_NO_CONTACT;
    grab_start(g);
}

// farthest that points of the second bar are from their targets, of its length
static double error_beside(double light, const Beam* other, int points, bool turns, double step)
{
    GrabCase g;
    twRng rng = tw_rng(7);
    const twQuat turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), turns ? 1.5 : 0);
    double worst = 0;
    make_two(&g, light, other, step);
    for (int k = 0; k < 8 + points; k++)
    {
        const int body = k >= 8;
        grab_here(&g, k, body, random_below(&rng, g.bodies[body].modes->vertex_count), 0);
    }
    grab_steps(&g, 1);
    for (int k = 0; k < 8 + points; k++)
    {
        const twVec3 at = grab_view(&g)->grabs[k].target;
        const twVec3 to = k < 8 ? tw_quat_rotate(turn, at) : tw_vec3_add(at, tw_vec3(0, 0, 0.1));
        if (!tw_stage_move(g.stage, k, to, 0.3)) abort();
    }
    for (double time = 0; time < 0.4; time += step)
    {
        grab_steps(&g, 1);
        for (int k = 8; k < 8 + points; k++) worst = fmax(worst, grab_view(&g)->grabs[k].error);
    }
    grab_free(&g);
    return worst / other->size.x;
}

static int grabs_of_a_light_body_are_nothing_to_those_of_a_heavy_one(void)
{
    const Beam heavy = {.size = {0.3, 0.03, 0.01}, .density = 1e5, .young = 1e8, .cells = 8, .modes = 8, .decay = 1};
    // masses of 1 to 3e5 and 1 to 3e6: once a tenth of its length away, and dropped
    ENSURE(error_beside(0.1, &heavy, 2, false, 1.0 / 60) <= ON_TARGET);
    ENSURE(error_beside(0.01, &heavy, 2, false, 1.0 / 60) <= ON_TARGET);
    return 0;
}

static int grabs_that_contradict_each_other_leave_those_of_other_bodies_on_target(void)
{
    const Beam heavy = {.size = {0.3, 0.03, 0.01}, .density = 1e5, .young = 1e8, .cells = 8, .modes = 8, .decay = 1};
    const Beam thin = {.size = {0.3, 0.03, 0.01}, .density = 1000, .young = 1e6, .cells = 40, .modes = 40, .decay = 1};
    ENSURE(error_beside(0.1, &heavy, 3, true, 1e-3) <= ON_TARGET);
    ENSURE(error_beside(1000, &thin, 10, true, 1e-3) <= ON_TARGET);
    return 0;
}

// ---- accelerations ----

// Largest energy of a spinning bar and a box, joined, that are held by more than they can give and led about at random; accelerated: by two
// points of the box, too, which the others forbid.
static double most_energy(uint64_t seed, bool accelerated)
{
    GrabCase g;
    twRng rng = tw_rng(seed);
    const Beam beam = {.size = {0.3, 0.03, 0.03}, .density = 200, .young = 2e5, .cells = 8, .modes = 4, .both = true};
    double most = 0;
    grab_case(&g);
    const int bar = grab_beam(&g, &beam, tw_vec3(0, 0, 0));
    const int box = grab_box(&g, tw_vec3(0.1, 0.03, 0.03), 200, tw_vec3(0.3, 0, 0));
    g.bodies[bar].warp = true;
    for (int b = 0; b < 2; b++) g.bodies[b].motion.spin = random_way(&rng, 20);
    g.def.contact = TW_STAGE_NO_CONTACT;
    grab_start(&g);
    for (int k = 0; k < (accelerated ? 8 : 6); k++)
    {
        twStageGrabDef def = tw_stage_grab_def();
        def.body = k < 3 ? bar : box;
        def.point = tw_stage_vertex(random_below(&rng, k < 3 ? g.bodies[bar].modes->vertex_count : 8));
        def.here = k < 6, def.ease = 0;
        if (k == 5) def.other = bar, def.other_point = tw_stage_vertex(random_below(&rng, 40)), def.ease = 0.1;
        if (k >= 6) def.kind = TW_STAGE_GRAB_ACCELERATION;
        if (!tw_stage_grab(g.stage, k, &def)) abort();
    }
    grab_steps(&g, 1);
    twVec3 start[5];
    for (int k = 0; k < 5; k++) start[k] = grab_view(&g)->grabs[k].point;
    twRng hands = tw_rng(seed);
    for (int i = 0; i < 30; i++)
    {
        for (int k = 0; k < 5; k++)
            if (!tw_stage_move(g.stage, k, tw_vec3_add(start[k], random_way(&hands, 0.1)), 1.0 / 60)) abort();
        for (int step = 0; step < 17; step++)
        {
            grab_steps(&g, 1);
            most = fmax(most, grab_view(&g)->energy.kinetic + grab_view(&g)->energy.elastic);
        }
    }
    grab_free(&g);
    return most;
}

static int accelerations_that_others_forbid_bring_nothing_beyond_what_those_do(void)
{
    // once up to 2500 times as much
    static const uint64_t seeds[] = {7, 8, 9};
    for (int i = 0; i < 3; i++) ENSURE(most_energy(seeds[i], true) <= 2 * most_energy(seeds[i], false));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(points_told_in_one_go_to_turn_are_met_at_the_end_and_nothing_flies)
    RUN(points_pulled_hither_and_thither_come_to_rest_where_errors_are_least)
    RUN(hands_at_their_largest_force_carry_what_they_hold)
    RUN(grabs_of_a_light_body_are_nothing_to_those_of_a_heavy_one)
    RUN(accelerations_that_others_forbid_bring_nothing_beyond_what_those_do)
    RUN(grabs_that_contradict_each_other_leave_those_of_other_bodies_on_target)
)
