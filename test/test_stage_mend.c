// SPDX-License-Identifier: MIT
// Points that hold more than their body can give up, or contradict each other: what agrees is met without absurd forces, what does not is
// met as well as it can be, in whole steps. RIGID_MOTIONS=N in the environment tries N random rigid motions instead of a few.
#define _XOPEN_SOURCE 700
#include "rigid_motion.h"

#define ON_TARGET 1e-9  // of a body's size

// ---- rigid motions ----

// consistent whatever the modes
// a share of the motion, to be done in a step
static void tell(Rigid* m, double share)
{
    const double smooth = share * share * (3 - 2 * share);
    for (int k = 0; k < m->count; k++)
        if (!tw_stage_move(m->r.g.stage, k, rigid_target(m, k, smooth), m->r.g.def.step)) abort();
}

// most_force: HUGE_VAL: any, and places may be missed on the way to being mended
static int stays_on_target(uint64_t seed, double most_force)
{
    Rigid m;
    rigid_motion(&m, seed);
    const int count = (int)ceil(m.span / m.r.g.def.step);
    for (int i = 0; i < count + 20; i++)
    {
        if (i < count) tell(&m, (i + 1.0) / count);
        grab_steps(&m.r.g, 1);
        const twStageView* view = grab_view(&m.r.g);
        for (int k = 0; k < m.count; k++)
        {
            ENSURE(view->grabs[k].error <= ON_TARGET * m.length);
            ENSURE(tw_vec3_norm(view->grabs[k].force) <= most_force);
        }
    }
    const twStageStats stats = grab_view(&m.r.g)->stats;
    if (most_force < HUGE_VAL) ENSURE(stats.missed == 0 && stats.let_go == 0);
    grab_free(&m.r.g);
    return 0;
}

static int points_that_hold_more_than_a_bar_can_give_stay_on_target_without_absurd_forces(void)
{
    // missed by 1e-9 to 0.02 of the size once, with forces of 1e5 to 1e9 N
    static const int once_missed[] = {24, 76, 92, 135, 149, 160, 166, 237, 307, 383};
    const char* wanted = getenv("RIGID_MOTIONS");
    for (int i = 0; i < (wanted ? atoi(wanted) : 10); i++)
    {
        const uint64_t seed = wanted ? 1 + (uint64_t)i : (uint64_t)once_missed[i];
        if (!stays_on_target(seed, wanted ? HUGE_VAL : 1e3)) continue;
        printf("motion %d\n", (int)seed);
        return 1;
    }
    return 0;
}

// directions that hardly give are left alone with those that do not: once missed by 0.3 %
static int directions_that_hardly_give_are_left_alone_too(void) { return stays_on_target(394, HUGE_VAL); }

// ---- what stays free ----

static const Beam soft = {.size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e5, .cells = 8, .modes = 6};

// two points of an edge leave a bar free to turn about it: what is mended there takes nothing from that
static int bar_goes_on_turning_about_two_points_that_hold_it(void)
{
    GrabCase g;
    Beam bar = soft;
    bar.modes = 1;
    grab_case(&g);
    grab_beam(&g, &bar, tw_vec3(0, 0, 0));
    g.bodies[0].motion.spin = tw_vec3(10, 0, 0);
    g.def.gravity = tw_vec3(0, 0, 0);
    grab_start(&g);
    grab_here(&g, 0, 0, grab_vertex(&g, 0, tw_vec3(-0.2, 0.02, 0.01)), 0);
    grab_here(&g, 1, 0, grab_vertex(&g, 0, tw_vec3(0.1, 0.02, 0.01)), 0);
    grab_steps(&g, 10);
    const double start = grab_energy(&g);
    for (int i = 0; i < 1000; i++)
    {
        grab_steps(&g, 1);
        ENSURE(grab_energy(&g) <= (1 + 1e-9) * start && grab_energy(&g) > 0.98 * start);
        for (int k = 0; k < 2; k++) ENSURE(grab_view(&g)->grabs[k].error <= ON_TARGET * 0.4);
    }
    grab_free(&g);
    return 0;
}

// ---- contradictions ----

static int grabs_of_one_point_that_contradict_each_other_meet_in_the_middle_in_whole_steps(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        GrabCase g;
        grab_case(&g);
        grab_beam(&g, &soft, tw_vec3(0, 0, 0));
        g.bodies[0].warp = kind & 1;
        g.def.step = kind & 2 ? 1.0 / 60 : 1e-3;
        grab_start(&g);
        twStageGrabDef def = tw_stage_grab_def();
        def.point = tw_stage_vertex(grab_vertex(&g, 0, tw_vec3(0.2, 0.02, 0.01)));
        const twVec3 ways[3] = {{-0.02, 0.01, 0}, {0, 0, 0}, {0.02, 0, 0.03}}, start = {0.2, 0.02, 0.01};
        const twVec3 middle = tw_vec3_add(start, tw_vec3(0, 0.01 / 3, 0.01));
        for (int i = 0; i < 3; i++)
        {
            def.target = tw_vec3_add(start, ways[i]);
            ENSURE(tw_stage_grab(g.stage, i, &def));
        }
        tw_stage_advance(g.stage, def.ease + 0.02);
        for (int i = 0; i < 30; i++)
        {
            grab_steps(&g, 1);
            ENSURE(tw_vec3_norm(tw_vec3_sub(grab_view(&g)->grabs[0].point, middle)) <= ON_TARGET * 0.4);
        }
        ENSURE(grab_view(&g)->stats.parts == 0 && grab_view(&g)->stats.missed == 0);
        grab_free(&g);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(points_that_hold_more_than_a_bar_can_give_stay_on_target_without_absurd_forces)
    RUN(directions_that_hardly_give_are_left_alone_too)
    RUN(bar_goes_on_turning_about_two_points_that_hold_it)
    RUN(grabs_of_one_point_that_contradict_each_other_meet_in_the_middle_in_whole_steps)
)
