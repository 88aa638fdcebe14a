// SPDX-License-Identifier: MIT
// Contacts of soft bodies on a stage never make energy, in no step, and keep momentum.
#include "grab.h"

static const Beam beam = {{0.3, 0.03, 0.02}, 1000, 1e7, 12, 8, false, false, 0};

// two beams that meet crosswise, the upper one off the middle and turning
static void make_meeting(GrabCase* g, twStageContact contact, double friction, double decay)
{
    Beam damped = beam;
    damped.decay = decay;
    grab_case(g);
    g->material.stick = g->material.slide = friction;
    g->def.contact = contact;
    g->def.gravity = tw_vec3(0, 0, 0);
    grab_beam(g, &damped, tw_vec3(0, 0, 0));
    grab_beam(g, &damped, tw_vec3(0.05, 0.04, 0.03));
    g->bodies[1].motion.turn = tw_quat_from_axis_angle(tw_vec3(0, 0.1, 1), 1.2);
    g->bodies[1].motion.velocity = tw_vec3(0.1, 0, -1);
    g->bodies[1].motion.spin = tw_vec3(0, 2, 0);
    grab_start(g);
}

static int meets_without_making_energy(twStageContact contact, double friction, double decay)
{
    GrabCase g;
    make_meeting(&g, contact, friction, decay);
    const double start = grab_energy(&g);
    const twVec3 from =
        tw_vec3_add(grab_view(&g)->bodies[0].velocity, grab_view(&g)->bodies[1].velocity);  // equally heavy
    double before = start;
    for (int i = 0; i < 300; i++)
    {
        grab_steps(&g, 1);
        const double now = grab_energy(&g);
        ENSURE(now <= before + 1e-12 * start);
        before = now;
    }
    const twStageView* view = grab_view(&g);
    ENSURE(view->stats.contacts > 0 && view->stats.resets == 0);
    ENSURE(before > 0.05 * start);
    // what is there and what is gone is what was there
    ENSURE_NEAR(before + view->energy.dissipated, start, 1e-9 * start);
    const twVec3 to = tw_vec3_add(view->bodies[0].velocity, view->bodies[1].velocity);
    ENSURE(tw_vec3_norm(tw_vec3_sub(to, from)) < 1e-10);
    grab_free(&g);
    return 0;
}

static int soft_bodies_that_meet_make_no_energy(void)
{
    for (int contact = 0; contact < 2; contact++)
        for (int friction = 0; friction < 2; friction++)
            for (int decay = 0; decay < 2; decay++)
                if (meets_without_making_energy((twStageContact)contact, 0.5 * friction, 20 * decay)) return 1;
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(soft_bodies_that_meet_make_no_energy)
)
