// SPDX-License-Identifier: MIT
// Contacts on a stage: bodies rebound, rest, slide, stack up and never gain, by constraint and by penalty, in small steps and large ones.
#include "grab.h"

static const double steps[] = {1.0 / 60, 1e-3};

static const Beam soft = {
    .size = {0.4, 0.04, 0.04}, .density = 500, .young = 2e6, .cells = 6, .modes = 4, .decay = 2, .both = true};

// a floor whose top is at z = 0, turned about y
static int grab_floor(GrabCase* g, double angle)
{
    const int floor = grab_box(g, tw_vec3(6, 6, 0.5), 1000, tw_vec3(0, 0, 0));
    const twQuat turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), angle);
    g->bodies[floor].kind = TW_BODY_FIXED;
    g->bodies[floor].motion.turn = turn;
    g->bodies[floor].motion.position = tw_quat_rotate(turn, tw_vec3(0, 0, -0.25));
    return floor;
}

static twVec3 velocity(GrabCase* g, int body) { return grab_view(g)->bodies[body].velocity; }
static twVec3 position(GrabCase* g, int body) { return grab_view(g)->bodies[body].position; }

// ---- one body ----

static int ball_rebounds_by_its_restitution(void)
{
    for (int k = 0; k < 2; k++)
        for (int e = 0; e <= 4; e++)
        {
            GrabCase g;
            grab_case(&g);
            g.material.restitution = 0.25 * e;
            grab_floor(&g, 0);
            const int ball = grab_body(&g, stage_ball(g.shapes, 0.05, 1000), NULL, tw_vec3(0, 0, 1));
            g.def.gravity = tw_vec3(0, 0, 0);
            g.def.step = steps[k];
            g.bodies[ball].motion.velocity = tw_vec3(0, 0, -2);
            grab_start(&g);
            tw_stage_advance(g.stage, 0.8);
            ENSURE_NEAR(velocity(&g, ball).z, 2 * g.material.restitution, 1e-9);
            grab_free(&g);
        }
    return 0;
}

static int box_falls_comes_to_rest_and_stays(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        GrabCase g;
        grab_case(&g);
        grab_floor(&g, 0);
        const int box = grab_box(&g, tw_vec3(0.2, 0.3, 0.1), 500, tw_vec3(0, 0, 0.5));
        g.bodies[box].motion.turn = tw_quat_from_axis_angle(tw_vec3(1, 0.4, 0.2), 0.4);
        g.bodies[box].motion.turn = tw_quat_normalize(g.bodies[box].motion.turn);
        g.def.step = steps[kind & 1];
        g.def.contact = kind & 2 ? TW_STAGE_PENALTY : TW_STAGE_CONSTRAINT;
        grab_start(&g);
        tw_stage_advance(g.stage, 4);
        const twVec3 at = position(&g, box);
        for (int i = 0; i < 60; i++)
        {
            tw_stage_advance(g.stage, 1.0 / 60);
            ENSURE(tw_vec3_norm(velocity(&g, box)) < 1e-6);
        }
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(position(&g, box), at)), 0, 1e-5);
        ENSURE_NEAR(at.z, 0.05, 2e-3);
        grab_free(&g);
    }
    return 0;
}

static int slope_holds_what_friction_can_and_lets_go_the_rest(void)
{
    for (int kind = 0; kind < 4; kind++)
        for (int steep = 0; steep < 2; steep++)
        {
            // tan of the angle against 0.5
            const double angle = atan(steep ? 0.8 : 0.4), g0 = 9.81;
            GrabCase g;
            grab_case(&g);
            grab_floor(&g, angle);
            const int box = grab_box(&g, tw_vec3(0.3, 0.3, 0.05), 500, tw_vec3(0, 0, 0));
            const twQuat turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), angle);
            g.bodies[box].motion.turn = turn;
            g.bodies[box].motion.position = tw_quat_rotate(turn, tw_vec3(-1, 0, 0.025));
            g.def.step = steps[kind & 1];
            g.def.contact = kind & 2 ? TW_STAGE_PENALTY : TW_STAGE_CONSTRAINT;
            grab_start(&g);
            tw_stage_advance(g.stage, 0.25);
            const twVec3 start = position(&g, box), before = velocity(&g, box);
            tw_stage_advance(g.stage, 0.25);
            const double way = tw_vec3_norm(tw_vec3_sub(position(&g, box), start));
            const double faster = tw_vec3_norm(velocity(&g, box)) - tw_vec3_norm(before);
            if (steep)
                ENSURE_NEAR(faster / 0.25, g0 * (sin(angle) - 0.5 * cos(angle)), 0.02 * g0);
            else
                ENSURE_NEAR(way, 0, 1e-4);
            grab_free(&g);
        }
    return 0;
}

// ---- several ----

static int bodies_that_collide_keep_their_momentum(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        GrabCase g;
        grab_case(&g);
        const twBodyShape* box = stage_box(g.shapes, 0.2, 0.2, 0.2, 500);
        grab_body(&g, box, NULL, tw_vec3(0, 0, 0));
        if (kind & 2)
            grab_beam(&g, &soft, tw_vec3(0.5, 0.05, 0.03));
        else
            grab_body(&g, box, NULL, tw_vec3(0.5, 0.05, 0.03));
        g.bodies[0].motion.velocity = tw_vec3(1.5, 0, 0);
        g.bodies[1].motion.spin = tw_vec3(1, 2, 3);
        g.def.gravity = tw_vec3(0, 0, 0);
        g.def.step = steps[kind & 1];
        grab_start(&g);
        const double m0 = tw_body_shape_mass(g.bodies[0].shape).mass, m1 = tw_body_shape_mass(g.bodies[1].shape).mass;
        const double energy = grab_energy(&g);
        tw_stage_advance(g.stage, 1);
        const twVec3 p = tw_vec3_add(tw_vec3_scale(velocity(&g, 0), m0), tw_vec3_scale(velocity(&g, 1), m1));
        ENSURE_NEAR(p.x, 1.5 * m0, 1e-11);
        ENSURE_NEAR(p.y, 0, 1e-11);
        ENSURE_NEAR(p.z, 0, 1e-11);
        ENSURE(velocity(&g, 1).x > 0.5 && grab_energy(&g) <= (1 + 1e-9) * energy);
        grab_free(&g);
    }
    return 0;
}

static int stack_stands(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        GrabCase g;
        grab_case(&g);
        grab_floor(&g, 0);
        const twBodyShape* box = stage_box(g.shapes, 0.2, 0.2, 0.1, 500);
        for (int i = 0; i < 5; i++) grab_body(&g, box, NULL, tw_vec3(0.01 * (i % 2), 0, 0.05 + 0.1 * i));
        g.def.step = steps[kind & 1];
        g.def.contact = kind & 2 ? TW_STAGE_PENALTY : TW_STAGE_CONSTRAINT;
        grab_start(&g);
        tw_stage_advance(g.stage, 2);
        for (int i = 1; i <= 5; i++)
        {
            ENSURE_NEAR(position(&g, i).z, 0.1 * i - 0.05, 5e-3);
            ENSURE_NEAR(position(&g, i).x, 0.01 * ((i - 1) % 2), 5e-3);
            ENSURE(tw_vec3_norm(velocity(&g, i)) < 1e-3);
        }
        grab_free(&g);
    }
    return 0;
}

// rigid and soft bodies thrown at each other on a floor. @return how much energy ever was more than before, of that at the start; NAN
// if something was lost
static double gain(twStageContact contact, double step, bool warp, uint64_t seed)
{
    GrabCase g;
    grab_case(&g);
    twRng rng = tw_rng(seed);
    grab_floor(&g, 0);
    const twBodyShape *box = stage_box(g.shapes, 0.2, 0.15, 0.1, 500), *ball = stage_ball(g.shapes, 0.06, 1000);
    for (int i = 0; i < 6; i++)
    {
        const twVec3 at = tw_vec3(0.3 * (i % 3) - 0.3, 0.45 * (i / 3), 0.3 + 0.15 * i);
        const int body = i % 3 == 2 ? grab_beam(&g, &soft, at) : grab_body(&g, i % 3 ? ball : box, NULL, at);
        g.bodies[body].motion.velocity = tw_vec3(tw_rng_normal(&rng), tw_rng_normal(&rng), tw_rng_normal(&rng));
        g.bodies[body].motion.spin = tw_vec3(5 * tw_rng_normal(&rng), 5 * tw_rng_normal(&rng), 5 * tw_rng_normal(&rng));
        g.bodies[body].warp = warp;
    }
    g.def.contact = contact;
    g.def.step = step;
    grab_start(&g);
    const double start = grab_energy(&g);
    double least = start, most = 0;
    for (int i = 0; i < (int)(1.5 / step); i++)
    {
        grab_steps(&g, 1);
        const double energy = grab_energy(&g);
        most = fmax(most, energy - least);
        least = fmin(least, energy);
        if (!isfinite(energy) || grab_view(&g)->stats.resets > 0) most = NAN;
    }
    grab_free(&g);
    return most / start;
}

static int heaps_never_gain(void)
{
    for (int k = 0; k < 3; k++)
        for (int contact = 0; contact < 2; contact++)
        {
            static const double step[] = {1e-3, 4e-3, 1.0 / 60};
            const double more =
                gain(contact ? TW_STAGE_PENALTY : TW_STAGE_CONSTRAINT, step[k], k == 1, 5 + (uint64_t)k);
            printf("    %s, steps of %.2g s: gains %.2g\n", contact ? "penalty" : "constraint", step[k], more);
            ENSURE(more < 1e-7);
        }
    return 0;
}

// ---- with grabs ----

static int grabbed_point_stays_on_target_whatever_is_in_the_way(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        GrabCase g;
        grab_case(&g);
        grab_floor(&g, 0);
        grab_box(&g, tw_vec3(0.2, 0.2, 0.1), 500, tw_vec3(0, 0, 0.05));
        const int other = grab_box(&g, tw_vec3(0.1, 0.1, 0.1), 500, tw_vec3(-0.25, 0, 0.06));
        g.def.step = steps[kind & 1];
        g.def.contact = kind & 2 ? TW_STAGE_PENALTY : TW_STAGE_CONSTRAINT;
        grab_start(&g);
        // a corner is led along the floor, into the other box, which is pushed along
        const int corner = grab_vertex(&g, 1, tw_vec3(0.1, 0.1, 0.05));
        twStageGrabDef def = tw_stage_grab_def();
        def.body = 1;
        def.point = tw_stage_vertex(corner);
        def.target = tw_vec3(-0.2, 0.1, 0.1);
        def.ease = 1;
        ENSURE(tw_stage_grab(g.stage, 0, &def));
        for (int i = 0; i < 60; i++)
        {
            tw_stage_advance(g.stage, 1.0 / 60);
            ENSURE_NEAR(grab_view(&g)->grabs[0].error, 0, 1e-9 * 0.2);
        }
        ENSURE(position(&g, other).x < -0.3);
        ENSURE(position(&g, 1).z > 0.03);
        grab_free(&g);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(ball_rebounds_by_its_restitution)
    RUN(box_falls_comes_to_rest_and_stays)
    RUN(slope_holds_what_friction_can_and_lets_go_the_rest)
    RUN(bodies_that_collide_keep_their_momentum)
    RUN(stack_stands)
    RUN(heaps_never_gain)
    RUN(grabbed_point_stays_on_target_whatever_is_in_the_way)
)
