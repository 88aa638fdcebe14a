// SPDX-License-Identifier: MIT
// A stage as a whole, nothing touched: bodies fly, turn, ring and sag as closed forms say, at any step; what they hold is counted.
#include "grab.h"

static const double steps[] = {1.0 / 60, 1e-3, 1e-4};

enum
{
    STEPS = 3
};

// a soft beam of rubber, 3 Hz
static Beam soft_beam(int modes)
{
    return (Beam){.size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e4, .cells = 8, .modes = modes};
}

// ---- flying ----

static int what_is_thrown_flies_along_a_parabola(void)
{
    for (int k = 0; k < STEPS; k++)
    {
        GrabCase g;
        grab_case(&g);
        grab_box(&g, tw_vec3(0.1, 0.2, 0.3), 500, tw_vec3(1, 2, 3));
        g.bodies[0].motion.velocity = tw_vec3(3, -1, 7);
        g.def.step = steps[k];
        grab_start(&g);
        tw_stage_advance(g.stage, 0.5);
        const double t = tw_stage_time(g.stage);
        ENSURE_NEAR(t, 0.5, 1e-12);
        const twStagePose* pose = &grab_view(&g)->bodies[0];
        ENSURE_NEAR(pose->position.x, 1 + 3 * t, 1e-12);
        ENSURE_NEAR(pose->position.y, 2 - t, 1e-12);
        ENSURE_NEAR(pose->position.z, 3 + 7 * t - 0.5 * 9.81 * t * t, 1e-12);
        ENSURE_NEAR(pose->velocity.z, 7 - 9.81 * t, 1e-12);
        grab_free(&g);
    }
    return 0;
}

static twVec3 turning(const GrabCase* g, const twStagePose* pose)
{
    const twVec3 own = tw_quat_rotate(tw_quat_conj(pose->turn), pose->spin);
    return tw_quat_rotate(pose->turn, tw_mat3_mul_vec(tw_body_shape_mass(g->bodies[0].shape).inertia, own));
}

// about its middle axis it tumbles
static void tumble(GrabCase* g, double step)
{
    grab_case(g);
    grab_box(g, tw_vec3(0.1, 0.2, 0.3), 500, tw_vec3(0, 0, 0));
    g->bodies[0].motion.spin = tw_vec3(0.3, 9, 0.2);
    g->def.gravity = tw_vec3(0, 0, 0);
    g->def.step = step;
    grab_start(g);
}

static int what_tumbles_keeps_energy_and_angular_momentum(void)
{
    for (int k = 0; k < STEPS; k++)
    {
        GrabCase g;
        tumble(&g, steps[k]);
        const twVec3 before = turning(&g, &grab_view(&g)->bodies[0]);
        const double energy = grab_energy(&g);
        double turned = 0;
        for (int i = 0; i < 100; i++)
        {
            grab_steps(&g, k == 0 ? 6 : 50);
            const twStagePose* pose = &grab_view(&g)->bodies[0];
            const twVec3 now = turning(&g, pose);
            ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(now, before)), 0, 1e-12 * tw_vec3_norm(before));
            ENSURE_NEAR(grab_energy(&g), energy, 1e-12 * energy);
            turned = fmax(turned, tw_quat_rotate(pose->turn, tw_vec3(0, 1, 0)).y);
        }
        ENSURE(turned > 0.5);
        grab_free(&g);
    }
    return 0;
}

static twQuat tumbled(double step)
{
    GrabCase g;
    tumble(&g, step);
    tw_stage_advance(g.stage, 0.4);
    const twQuat turn = grab_view(&g)->bodies[0].turn;
    grab_free(&g);
    return turn;
}

static double apart(twQuat a, twQuat b)
{
    const twQuat d = tw_quat_mul(tw_quat_conj(a), b);
    return 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

static int turning_converges_with_the_square_of_the_step(void)
{
    const twQuat best = tumbled(2e-5);
    const double coarse = apart(tumbled(4e-3), best), fine = apart(tumbled(2e-3), best);
    ENSURE(coarse > 1e-6);
    ENSURE_NEAR(coarse / fine, 4, 0.2);
    return 0;
}

// ---- ringing ----

static int modes_of_a_flying_body_ring_by_their_closed_form(void)
{
    for (int k = 0; k < STEPS; k++)
    {
        GrabCase g;
        grab_case(&g);
        Beam beam = soft_beam(3);
        beam.decay = 0.7;
        const int body = grab_beam(&g, &beam, tw_vec3(0, 0, 0));
        const double q0[3] = {0.01, -0.004, 0.002}, v0[3] = {0.2, 0, -0.1};
        g.bodies[body].amplitude = q0;
        g.bodies[body].rate = v0;
        g.bodies[body].motion.spin = tw_vec3(1, 2, 3);
        g.def.step = steps[k];
        grab_start(&g);
        tw_stage_advance(g.stage, 1.5);
        const double t = tw_stage_time(g.stage), c = beam.decay;
        const twStagePose* pose = &grab_view(&g)->bodies[body];
        // at 60 Hz only those below 27 Hz move
        ENSURE(pose->mode_count >= 2 && (k == 0 || pose->mode_count == 3));
        for (int j = 0; j < pose->mode_count; j++)
        {
            const double w0 = beam_frequency(&beam, j), w = sqrt(w0 * w0 - c * c);
            const double q = exp(-c * t) * (q0[j] * cos(w * t) + (v0[j] + c * q0[j]) / w * sin(w * t));
            ENSURE_NEAR(pose->amplitude[j], q, 1e-12);
        }
        grab_free(&g);
    }
    return 0;
}

static int undamped_body_keeps_its_energy_for_a_million_periods(void)
{
    GrabCase g;
    grab_case(&g);
    const Beam beam = soft_beam(3);
    grab_beam(&g, &beam, tw_vec3(0, 0, 0));
    const double q0[3] = {0.01, -0.004, 0.002};
    g.bodies[0].amplitude = q0;
    g.bodies[0].motion.spin = tw_vec3(1, 2, 3);
    g.def.gravity = tw_vec3(0, 0, 0);
    g.def.step = 0.01;
    grab_start(&g);
    const double energy = grab_energy(&g);
    for (int i = 0; i < 20; i++)
    {
        tw_stage_advance(g.stage, 100);
        ENSURE_NEAR(grab_energy(&g), energy, 1e-10 * energy);
    }
    ENSURE_NEAR(grab_view(&g)->energy.dissipated, 0, 1e-10 * energy);
    grab_free(&g);
    return 0;
}

static int held_beam_sinks_to_rest_and_gives_half_of_its_work_away(void)
{
    GrabCase g;
    grab_case(&g);
    Beam beam = soft_beam(4);
    beam.clamped = true;
    beam.decay = 1.5;
    beam.young = 2e5;
    grab_beam(&g, &beam, tw_vec3(0, 0, 0));
    g.def.gravity = tw_vec3(0, 0, -0.5);
    grab_start(&g);
    const twStageView* view = grab_view(&g);
    const double energy = grab_energy(&g);
    tw_stage_advance(g.stage, 20);
    view = grab_view(&g);
    const twStageEnergy e = view->energy;
    ENSURE_NEAR(e.kinetic, 0, 1e-12 * e.elastic);
    // a weight that sinks to rest gives half of its work away
    ENSURE_NEAR(e.dissipated, e.elastic, 1e-6 * e.elastic);
    ENSURE_NEAR(grab_energy(&g) + e.dissipated, energy, 1e-12 * e.elastic);
    grab_free(&g);
    return 0;
}

// ---- blows ----

static int blow_gives_its_momentum_and_its_work(void)
{
    GrabCase g;
    grab_case(&g);
    const Beam beam = soft_beam(3);
    const int body = grab_beam(&g, &beam, tw_vec3(0, 0, 0));
    g.def.gravity = tw_vec3(0, 0, 0);
    grab_start(&g);
    const int tip = grab_vertex(&g, body, tw_vec3(0.2, 0, 0.01));
    const twVec3 impulse = tw_vec3(0.01, 0.02, 0.05);
    ENSURE(tw_stage_strike(g.stage, body, tw_stage_vertex(tip), impulse));
    grab_steps(&g, 1);
    const twStageView* view = grab_view(&g);
    const twVec3 v = view->bodies[0].velocity, about = turning(&g, &view->bodies[0]);
    const twVec3 arm = g.shapes->sets[0]->vertices[tip], moment = tw_vec3_cross(arm, impulse);
    const double mass = beam_mass(&beam);
    ENSURE_NEAR(v.x * mass, impulse.x, 1e-12);
    ENSURE_NEAR(v.y * mass, impulse.y, 1e-12);
    ENSURE_NEAR(v.z * mass, impulse.z, 1e-12);
    ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(about, moment)), 0, 1e-9 * tw_vec3_norm(moment));
    // p.v before and after, halved; and nothing else happens
    ENSURE_NEAR(view->energy.work, view->energy.kinetic + view->energy.elastic, 1e-12);
    const double half = 0.5 * tw_vec3_dot(impulse, impulse) / mass;
    ENSURE(view->energy.work > half);
    grab_free(&g);
    return 0;
}

static int throw_puts_a_body_where_it_is_told_and_leaves_its_bend(void)
{
    GrabCase g;
    grab_case(&g);
    const Beam beam = soft_beam(2);
    grab_beam(&g, &beam, tw_vec3(0, 0, 0));
    const double q0[2] = {0.01, 0};
    g.bodies[0].amplitude = q0;
    g.def.gravity = tw_vec3(0, 0, 0);
    grab_start(&g);
    const twBodyMotion motion = {
        .position = {5, 6, 7}, .turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 1), .velocity = {1, 0, 0}};
    const double before = grab_energy(&g);
    ENSURE(tw_stage_throw(g.stage, 0, &motion));
    grab_steps(&g, 1);
    const twStageView* view = grab_view(&g);
    ENSURE_NEAR(view->bodies[0].position.x, 5 + 1e-3, 1e-12);
    ENSURE_NEAR(apart(view->bodies[0].turn, motion.turn), 0, 1e-12);
    ENSURE_NEAR(view->bodies[0].amplitude[0], 0.01 * cos(beam_frequency(&beam, 0) * 1e-3), 1e-12);
    ENSURE_NEAR(grab_energy(&g) - before, view->energy.work, 1e-12);
    // a turn of any length but none
    twBodyMotion wrong = motion;
    wrong.turn = tw_quat(0, 0, 0, 0);
    ENSURE(!tw_stage_throw(g.stage, 0, &wrong));
    grab_free(&g);
    return 0;
}

static int what_is_lost_comes_back_to_where_it_began(void)
{
    GrabCase g;
    grab_case(&g);
    grab_box(&g, tw_vec3(0.1, 0.1, 0.1), 500, tw_vec3(1, 0, 0));
    grab_start(&g);
    grab_here(&g, 0, 0, 0, 1);
    const twBodyMotion motion = {.position = {1e12, 0, 0}, .turn = {1, 0, 0, 0}};
    ENSURE(tw_stage_throw(g.stage, 0, &motion));
    grab_steps(&g, 1);
    ENSURE(grab_view(&g)->stats.resets == 1);
    ENSURE_NEAR(grab_view(&g)->bodies[0].position.x, 1, 1e-9);
    ENSURE(!grab_view(&g)->grabs[0].active);
    grab_steps(&g, 10);
    ENSURE(grab_view(&g)->stats.resets == 1);
    grab_free(&g);
    return 0;
}

// ---- which modes move ----

static int modes_are_left_out_for_good_reasons_and_that_is_said(void)
{
    GrabCase g;
    grab_case(&g);
    Beam beam = soft_beam(6);
    beam.young = 2e5;
    grab_beam(&g, &beam, tw_vec3(0, 0, 0));
    g.def.step = 1.0 / 60;
    grab_start(&g);
    twStageModes m = tw_stage_modes(g.stage, 0);
    int slow = 0;  // below 27 Hz
    for (int j = 0; j < 6; j++) slow += beam_frequency(&beam, j) / (2 * TW_PI) < 0.45 * 60;
    ENSURE(slow > 0 && slow < 6);
    ENSURE(m.seen == slow && m.too_fast == 6 - slow && m.too_stiff == 0 && m.too_many == 0);
    tw_stage_destroy(g.stage);

    // a force of 1 mN moves the stiff ones less than the eye sees
    g.def.step = 1e-4;
    g.def.largest_force = 1e-3;
    g.def.smallest_motion = 1e-5;
    grab_start(&g);
    m = tw_stage_modes(g.stage, 0);
    ENSURE(m.too_fast == 0 && m.seen + m.too_stiff == 6 && m.seen > 0 && m.too_stiff > 0);
    const twModeSet* set = g.bodies[0].modes;
    ENSURE(tw_mode_set_give(set, m.seen - 1) * 1e-3 >= 1e-5 && tw_mode_set_give(set, m.seen) * 1e-3 < 1e-5);
    grab_free(&g);
    return 0;
}

// ---- time ----

static int time_that_is_left_of_a_step_is_kept(void)
{
    GrabCase g;
    grab_case(&g);
    grab_box(&g, tw_vec3(0.1, 0.1, 0.1), 500, tw_vec3(0, 0, 0));
    g.def.step = 1e-3;
    grab_start(&g);
    for (int i = 0; i < 60; i++) tw_stage_advance(g.stage, 1.0 / 60);
    ENSURE_NEAR(tw_stage_time(g.stage), 1, 1.001e-3);
    ENSURE(grab_view(&g)->stats.steps >= 999 && grab_view(&g)->stats.steps <= 1000);
    ENSURE(grab_view(&g)->stats.dropped_time == 0);
    tw_stage_advance(g.stage, -1);
    tw_stage_advance(g.stage, 0);
    ENSURE_NEAR(tw_stage_time(g.stage), 1, 1.001e-3);
    grab_free(&g);
    return 0;
}

static int budget_drops_what_does_not_fit_and_counts_it(void)
{
    GrabCase g;
    grab_case(&g);
    grab_box(&g, tw_vec3(0.1, 0.1, 0.1), 500, tw_vec3(0, 0, 0));
    g.def.step = 1e-5;
    g.def.budget = 1e-3;
    grab_start(&g);
    tw_stage_advance(g.stage, 0.9);
    const twStageView* view = grab_view(&g);
    ENSURE(view->stats.steps >= 1 && view->stats.dropped_time > 0);
    ENSURE_NEAR(view->time + view->stats.dropped_time, 0.9, 1.1e-5);
    grab_free(&g);
    return 0;
}

static int wrong_stages_are_refused_by_name(void)
{
    GrabCase g;
    grab_case(&g);
    grab_box(&g, tw_vec3(0.1, 0.1, 0.1), 500, tw_vec3(0, 0, 0));
    g.bodies[0].name = "cube";
    g.bodies[0].material = 3;
    ENSURE(tw_stage_create(&g.stage, &g.def, &g.err) == TW_BAD_INPUT && g.stage == NULL);
    ENSURE(strstr(g.err.text, "cube"));
    g.bodies[0].material = 0;
    g.bodies[0].motion.velocity.x = NAN;
    ENSURE(tw_stage_create(&g.stage, &g.def, &g.err) == TW_BAD_INPUT && strstr(g.err.text, "cube"));
    g.bodies[0].motion.velocity.x = 0;
    g.bodies[0].kind = TW_BODY_MOVED;
    ENSURE(tw_stage_create(&g.stage, &g.def, &g.err) == TW_BAD_INPUT && strstr(g.err.text, "grabs"));
    g.bodies[0].kind = TW_BODY_FREE;
    g.def.step = 0;
    ENSURE(tw_stage_create(&g.stage, &g.def, &g.err) == TW_BAD_INPUT);
    g.def.step = 1e-3;
    g.def.max_contacts = 100000;
    ENSURE(tw_stage_create(&g.stage, &g.def, &g.err) == TW_BAD_INPUT);
    g.def.max_contacts = 8;
    grab_start(&g);
    // what cannot be, cannot be told
    twStageGrabDef grab = tw_stage_grab_def();
    grab.body = 1;
    ENSURE(!tw_stage_grab(g.stage, 0, &grab));
    grab.body = 0;
    grab.point = tw_stage_vertex(99);
    ENSURE(!tw_stage_grab(g.stage, 0, &grab));
    ENSURE(!tw_stage_release(g.stage, 64) && !tw_stage_move(g.stage, -1, tw_vec3(0, 0, 0), 1));
    ENSURE(!tw_stage_strike(g.stage, 0, tw_stage_vertex(0), tw_vec3(NAN, 0, 0)));
    grab_steps(&g, 1);
    ENSURE(grab_view(&g)->stats.refused == 5);
    grab_free(&g);
    return 0;
}

static int stage_of_nothing_stands(void)
{
    twStageDef def = tw_stage_def();
    twStage* stage = NULL;
    twError err;
    ENSURE(tw_stage_create(&stage, &def, &err) == TW_OK);
    tw_stage_advance(stage, 0.1);
    ENSURE(tw_stage_view(stage)->body_count == 0);
    ENSURE_NEAR(tw_stage_time(stage), 0.1, 1e-9);
    int body;
    twStagePoint point;
    twVec3 place;
    ENSURE(!tw_stage_pick(stage, tw_stage_view(stage), tw_vec3(0, 0, 1), tw_vec3(0, 0, -1), &body, &point, &place));
    tw_stage_destroy(stage);
    tw_stage_destroy(NULL);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(what_is_thrown_flies_along_a_parabola)
    RUN(what_tumbles_keeps_energy_and_angular_momentum)
    RUN(turning_converges_with_the_square_of_the_step)
    RUN(modes_of_a_flying_body_ring_by_their_closed_form)
    RUN(undamped_body_keeps_its_energy_for_a_million_periods)
    RUN(held_beam_sinks_to_rest_and_gives_half_of_its_work_away)
    RUN(blow_gives_its_momentum_and_its_work)
    RUN(throw_puts_a_body_where_it_is_told_and_leaves_its_bend)
    RUN(what_is_lost_comes_back_to_where_it_began)
    RUN(modes_are_left_out_for_good_reasons_and_that_is_said)
    RUN(time_that_is_left_of_a_step_is_kept)
    RUN(budget_drops_what_does_not_fit_and_counts_it)
    RUN(wrong_stages_are_refused_by_name)
    RUN(stage_of_nothing_stands)
)
