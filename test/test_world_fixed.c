// SPDX-License-Identifier: MIT
// Contacts in fixed steps, as what is played live has them: bodies rebound, rest, slide, stack up and never gain, and
// thin flexible ones in a heap are pushed as the asynchronous world pushes them.
#include "test.h"
#include "world.h"
#include <stdlib.h>

static const double steps[] = {1.0 / 240, 1e-3};

static Stage* fixed_world(double step)
{
    Stage* s = stage();
    s->def.max_step = step;
    s->def.fixed_step = true;
    return s;
}

static int slab(Stage* s, double angle)
{
    const int floor = stage_floor(s, 6, 6);
    const twQuat turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), angle);
    s->bodies[floor].motion.turn = turn;
    s->bodies[floor].motion.position = tw_quat_rotate(turn, tw_vec3(0, 0, -0.025));
    return floor;
}

static int a_box_falls_comes_to_rest_and_stays(void)
{
    for (int k = 0; k < 2; k++)
    {
        Stage* s = fixed_world(steps[k]);
        slab(s, 0);
        const int box = stage_body(s, stage_box(s, 0.2, 0.3, 0.1, 500), 0, 0, 0.4);
        s->bodies[box].motion.turn = tw_quat_from_axis_angle(tw_vec3_normalize(tw_vec3(1, 0.4, 0.2)), 0.4);
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 4);
        const twVec3 at = stage_now(s, box).position;
        tw_world_advance(s->world, 5);
        ENSURE(away(stage_now(s, box).position, at) < 1e-5 && tw_vec3_norm(stage_velocity(s, box)) < 1e-6);
        ENSURE_NEAR(at.z, 0.05, 2e-4);
        stage_free(s);
    }
    return 0;
}

static int a_slope_holds_what_friction_can_and_lets_go_the_rest(void)
{
    for (int k = 0; k < 4; k++)
    {
        // tan of the angle against 0.5
        const bool steep = k & 2;
        const double angle = atan(steep ? 0.8 : 0.4);
        Stage* s = fixed_world(steps[k & 1]);
        s->materials[0].stick = s->materials[0].slide = 0.5;
        slab(s, angle);
        const int box = stage_body(s, stage_box(s, 0.3, 0.3, 0.05, 500), 0, 0, 0);
        const twQuat turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), angle);
        s->bodies[box].motion.turn = turn;
        s->bodies[box].motion.position = tw_quat_rotate(turn, tw_vec3(-1, 0, 0.025));
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.25);
        const twVec3 start = stage_centre(s, box), before = stage_velocity(s, box);
        tw_world_advance(s->world, 0.5);
        const double faster = tw_vec3_norm(stage_velocity(s, box)) - tw_vec3_norm(before);
        if (steep)
            ENSURE_NEAR(faster / 0.25, 9.81 * (sin(angle) - 0.5 * cos(angle)), 0.02 * 9.81);
        else
            ENSURE(away(stage_centre(s, box), start) < 1e-4);
        stage_free(s);
    }
    return 0;
}

static int a_stack_stands(void)
{
    for (int k = 0; k < 2; k++)
    {
        Stage* s = fixed_world(steps[k]);
        slab(s, 0);
        const twBodyShape* box = stage_box(s, 0.2, 0.2, 0.1, 500);
        for (int i = 0; i < 5; i++) stage_body(s, box, 0.01 * (i % 2), 0, 0.05 + 0.1 * i);
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 2);
        for (int i = 1; i <= 5; i++)
        {
            ENSURE(away(stage_now(s, i).position, tw_vec3(0.01 * ((i - 1) % 2), 0, 0.1 * i - 0.05)) < 1e-3);
            ENSURE(tw_vec3_norm(stage_velocity(s, i)) < 1e-4);
        }
        stage_free(s);
    }
    return 0;
}

// two beams that meet crosswise, the upper one off the middle and turning
static int soft_bodies_that_meet_keep_momentum_and_gain_nothing_in_any_step(void)
{
    for (int kind = 0; kind < 8; kind++)
    {
        Stage* s = fixed_world(steps[kind & 1]);
        const Beam beam = {{0.3, 0.03, 0.02}, 1000, 1e7, 12, 8, false, false, kind & 2 ? 20 : 0};
        s->materials[0].stick = s->materials[0].slide = kind & 4 ? 0.5 : 0;
        s->def.gravity = tw_vec3(0, 0, 0);
        const twBodyShape* shape = stage_beam(s, &beam);
        stage_body(s, shape, 0, 0, 0);
        stage_body(s, shape, 0.05, 0.04, 0.03);
        s->bodies[1].motion.turn = tw_quat_from_axis_angle(tw_vec3(0, 0.1, 1), 1.2);
        s->bodies[1].motion.velocity = tw_vec3(0.1, 0, -1);
        s->bodies[1].motion.spin = tw_vec3(0, 2, 0);
        must(stage_start(s), &s->err);
        const double start = stage_energy(s);
        const twVec3 momentum = stage_momentum(s);
        double before = start;
        for (int i = 1; i <= 300; i++)
        {
            tw_world_advance(s->world, i * s->def.max_step);
            const double now = stage_energy(s);
            ENSURE(now <= before + 1e-12 * start);
            before = now;
        }
        ENSURE(tw_world_stats(s->world).contacts > 0 && before > 0.05 * start);
        ENSURE(away(stage_momentum(s), momentum) < 1e-11);
        stage_free(s);
    }
    return 0;
}

// a corner is led along the floor, into another box, which is pushed along
static int a_grabbed_point_stays_on_target_whatever_is_in_the_way(void)
{
    for (int k = 0; k < 2; k++)
    {
        Stage* s = fixed_world(steps[k]);
        s->def.max_grabs = 1;
        slab(s, 0);
        const int held = stage_body(s, stage_box(s, 0.2, 0.2, 0.1, 500), 0, 0, 0.05);
        const int other = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 500), -0.25, 0, 0.06);
        must(stage_start(s), &s->err);
        twGrabDef def = tw_grab_def();
        def.at.body = held;
        def.at.point = tw_surface_vertex(tw_body_shape_nearest(s->bodies[held].shape, tw_vec3(0.1, 0.1, 0.05)));
        def.target = tw_vec3(-0.2, 0.1, 0.1);
        def.ease = 1;
        must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
        for (int i = 1; i <= 60; i++)
        {
            tw_world_advance(s->world, i / 60.0);
            ENSURE(tw_world_grab_view(s->world, 0).error < 100 * steps[k] * steps[k]);
        }
        ENSURE(stage_now(s, other).position.x < -0.3);
        stage_free(s);
    }
    return 0;
}

// ---- a heap ----

enum
{
    BARS = 6,
    FRAMES = 72  // of 1/60 s
};

static Stage* heap_of_thin_bars(bool fixed)
{
    Stage* s = stage();
    s->def.fixed_step = fixed;
    const Beam bar = {.size = {0.3, 0.02, 0.003}, .density = 2700, .young = 7e8, .cells = 12, .modes = 6, .decay = 20};
    const twBodyShape* shape = stage_beam(s, &bar);
    stage_floor(s, 2, 2);
    for (int i = 0; i < BARS; i++)
    {
        const int body = stage_body(s, shape, 0.01 * (i % 3), 0.012 * (i % 2), 0.02 + 0.025 * i);
        s->bodies[body].motion.turn = tw_quat_from_axis_angle(tw_vec3(0, 0.1, 1), 0.9 * i);
    }
    must(stage_start(s), &s->err);
    return s;
}

static int by_size(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Impulse of all contacts in a frame, at the 95th percentile of the frames. sum: of what pushes up on the floor, all
// the time [N s]
static double heap_impulse(bool fixed, double* sum)
{
    Stage* s = heap_of_thin_bars(fixed);
    static struct
    {
        uint64_t id;
        double force, up, since;
    } now[JITTER_CONTACTS];
    double frames[FRAMES] = {0};
    int contacts = 0;
    *sum = 0;
    for (int f = 0; f < FRAMES; f++)
    {
        int count;
        tw_world_advance(s->world, (f + 1) / 60.0);
        const twContactForce* forces = tw_world_forces(s->world, &count);
        for (int k = 0; k <= count; k++)
        {
            // what acted until then; at the end all of them
            for (int c = 0; c < contacts; c++)
            {
                if (k < count && now[c].id != forces[k].id) continue;
                const double until =
                    k < count ? fmax(forces[k].time, now[c].since) : fmax((f + 1) / 60.0, now[c].since);
                frames[f] += now[c].force * (until - now[c].since);
                *sum += now[c].up * (until - now[c].since);
                now[c].since = until;
            }
            if (k == count) break;
            int c = 0;
            while (c < contacts && now[c].id != forces[k].id) c++;
            if (c == JITTER_CONTACTS) abort();
            if (c == contacts) contacts++;
            now[c].id = forces[k].id;
            now[c].since = forces[k].time;
            now[c].force = fabs(tw_vec3_dot(forces[k].force, forces[k].normal));
            const bool floor = forces[k].body[0] == 0 || forces[k].body[1] == 0;
            now[c].up = floor ? (forces[k].body[1] == 0 ? 1 : -1) * forces[k].force.z : 0;
        }
    }
    for (int b = 1; b <= BARS; b++)
        if (!(stage_centre(s, b).z > 0)) frames[FRAMES - 1] = HUGE_VAL;
    stage_free(s);
    qsort(frames, FRAMES, sizeof *frames, by_size);
    return frames[(int)(0.95 * FRAMES)];
}

static int a_heap_of_thin_bars_is_pushed_as_in_the_asynchronous_world(void)
{
    double sum[2];
    const double live = heap_impulse(true, &sum[0]), async = heap_impulse(false, &sum[1]);
    const double weight = 9.81 * BARS * 2700 * 0.3 * 0.02 * 0.003 * FRAMES / 60.0;
    ENSURE(live < 2 * async && live > 0.5 * async);
    // nothing else carries them
    for (int i = 0; i < 2; i++) ENSURE_NEAR(sum[i], weight, 0.01 * weight);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_box_falls_comes_to_rest_and_stays)
    RUN(a_slope_holds_what_friction_can_and_lets_go_the_rest)
    RUN(a_stack_stands)
    RUN(soft_bodies_that_meet_keep_momentum_and_gain_nothing_in_any_step)
    RUN(a_grabbed_point_stays_on_target_whatever_is_in_the_way)
    RUN(a_heap_of_thin_bars_is_pushed_as_in_the_asynchronous_world)
)
