// SPDX-License-Identifier: MIT
// Joints, stepped as bonds by the contact solvers: half a step of free flight, impulses, half a step of flight. Bodies have round
// inertia, so that they keep their spin in flight. Expected values: closed forms, energy, momentum.
#include "joint.h"

// ---- pendulum ----

// complete elliptic integral of the first kind, by the arithmetic-geometric mean
static double elliptic(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 40; i++)
    {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return TW_PI / (a + b);
}

typedef struct Swing
{
    double period, exact, loss, anchor;
} Swing;

// let go at an angle from below, in the x-z plane about y, a few swings. Loss of energy relative to what there is to swing with
static Swing swing(twJointKind kind, double h, double angle, int swings)
{
    Scene* s = scene_with(h, 9.81, SOLVE_NEWTON);
    double mass = 2, inertia = 0.01, length = 0.4;
    twVec3 arm = tw_vec3(-length * sin(angle), 0, length * cos(angle));
    int b = add_body(s, tw_vec3_scale(arm, -1), mass, inertia);
    twJointDef def = joint_at(kind, b, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 1, 0));
    add_joint(s, &def);
    Swing swing = {.exact = 4 * sqrt((inertia + mass * length * length) / (mass * 9.81 * length)) *
                            elliptic(sin(0.5 * angle))};
    double start = body_energy(s), last = 0, time = 0, end = 0;
    for (int turns = 0; turns < 2 * swings && time < 4 * swings * swing.exact;)
    {
        step(s);
        double now = s->place[b].spin.y, at = time + h;
        // the spin changes its sign at the ends
        if (last * now < 0)
        {
            turns++;
            end = time + h * last / (last - now);
        }
        last = now;
        time = at;
        swing.anchor = fmax(swing.anchor, away(s, b, arm, tw_vec3(0, 0, 0)));
    }
    swing.period = end / swings;
    swing.loss = (start - body_energy(s)) / (mass * 9.81 * length * (1 - cos(angle)));
    scene_destroy(s);
    return swing;
}

static int pendulum_has_the_period_of_the_elliptic_integral(void)
{
    static const twJointKind kinds[] = {TW_JOINT_BALL, TW_JOINT_HINGE};
    for (int i = 0; i < 2; i++)
    {
        Swing wide = swing(kinds[i], 1e-3, 2.0, 5), fine = swing(kinds[i], 5e-4, 2.0, 5);
        ENSURE_NEAR(wide.period, wide.exact, 6e-5 * wide.exact);
        ENSURE_NEAR(fine.period, fine.exact, 1.5e-5 * fine.exact);
        ENSURE(fabs(wide.loss) < 1e-4 && fabs(fine.loss) < 2e-5);
        ENSURE(wide.anchor < 1e-4 && fine.anchor < 0.3 * wide.anchor);
    }
    return 0;
}

// a hinge leaves one way to turn, whatever one does
static int hinge_keeps_the_axis(void)
{
    Scene* s = scene_with(1e-3, 9.81, SOLVE_NEWTON);
    int b = add_body(s, tw_vec3(0.3, 0, 0), 1, 0.004);
    twJointDef def = joint_at(TW_JOINT_HINGE, b, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 1, 0));
    add_joint(s, &def);
    s->place[b].spin = tw_vec3(0, 20, 0);
    s->place[b].velocity = tw_vec3(0, 0, -6);
    double worst = 0;
    for (int i = 0; i < 3000; i++)
    {
        // a kick across
        if (i == 500) s->place[b].spin.x += 5;
        step(s);
        twVec3 axis = tw_quat_rotate(s->place[b].turn, tw_vec3(0, 1, 0));
        if (i < 500 || i > 520) worst = fmax(worst, tw_vec3_norm(tw_vec3_sub(axis, tw_vec3(0, 1, 0))));
    }
    ENSURE(worst < 1e-4);
    // and lets it turn on about that axis, for it has speed enough to go over the top
    ENSURE(fabs(s->place[b].spin.y) > 10);
    scene_destroy(s);
    return 0;
}

// ---- springs ----

// frequency of a mass on a spring between the world and it. @return period
static double spring_period(double h, double* rise)
{
    Scene* s = scene_with(h, 0, SOLVE_NEWTON);
    int b = add_body(s, tw_vec3(1.1, 0, 0), 0.5, 0.01);
    twJointDef def = joint_at(TW_JOINT_SPRING, b, TW_NOWHERE, s->place[b].position, tw_vec3(0, 0, 0));
    def.to = tw_vec3(0, 0, 0);
    def.rest_length = 1;
    def.stiffness = 2000;
    add_joint(s, &def);
    double start = spring_energy(s), last = 0, time = 0, end = 0;
    *rise = 0;
    for (int turns = 0; turns < 40; time += h)
    {
        step(s);
        double now = s->place[b].velocity.x, energy = body_energy(s) + spring_energy(s);
        if (last * now < 0)
        {
            turns++;
            end = time + h * last / (last - now);
        }
        last = now;
        *rise = fmax(*rise, fabs(energy / start - 1));
    }
    scene_destroy(s);
    return end / 20;
}

static int spring_is_of_second_order_and_keeps_energy_to_round_off(void)
{
    double exact = 2 * TW_PI * sqrt(0.5 / 2000), rise[3], error[3];
    for (int i = 0; i < 3; i++) error[i] = spring_period(2e-3 / (1 << i), rise + i) / exact - 1;
    // trapezoidal: tan(w' h/2) = w h/2, so that the period is longer by (w h)^2/12
    double wh = 2e-3 * 2 * TW_PI / exact;
    ENSURE_NEAR(error[0], wh * wh / 12, 0.02 * wh * wh / 12);
    ENSURE_NEAR(error[0] / error[1], 4, 0.1);
    ENSURE_NEAR(error[1] / error[2], 4, 0.1);
    for (int i = 0; i < 3; i++) ENSURE(rise[i] < 1e-12);
    return 0;
}

// Two bodies fly about each other on a spring that is as long as nothing, and through each other: an ellipse
static int spring_of_no_length_goes_through_zero(void)
{
    for (int through = 0; through < 2; through++)
    {
        Scene* s = scene_with(1e-3, 0, SOLVE_NEWTON);
        int a = add_body(s, tw_vec3(1, 0, 0), 1, 0.01), b = add_body(s, tw_vec3(-1, 0, 0), 3, 0.01);
        twJointDef def = joint_at(TW_JOINT_SPRING, a, b, s->place[a].position, tw_vec3(0, 0, 0));
        def.to = s->place[b].position;
        def.rest_length = 0;
        def.stiffness = 100;
        add_joint(s, &def);
        if (!through) s->place[a].velocity = tw_vec3(0, 2, 0.5);
        double start = body_energy(s) + spring_energy(s), w = sqrt(100 * (1 + 1 / 3.0));
        int steps = (int)(10 * 2 * TW_PI / w / s->h + 0.5);
        for (int i = 0; i < steps; i++) step(s);
        // ten periods later it is where it was, up to the centre's motion and the period's error
        twVec3 apart = tw_vec3_sub(s->place[a].position, s->place[b].position);
        ENSURE_NEAR(apart.x, 2, 0.01);
        ENSURE_NEAR(apart.y, 0, 0.01);
        ENSURE_NEAR(body_energy(s) + spring_energy(s), start, 1e-9 * start);
        scene_destroy(s);
    }
    // and one of some length whose ends meet pulls somewhere, and stays finite
    Scene* s = scene_with(1e-3, 0, SOLVE_NEWTON);
    int a = add_body(s, tw_vec3(0, 0, 0), 1, 0.01);
    twJointDef def = joint_at(TW_JOINT_SPRING, a, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 0, 0));
    def.rest_length = 0.5;
    def.stiffness = 100;
    add_joint(s, &def);
    for (int i = 0; i < 100; i++) step(s);
    ENSURE(tw_vec3_norm(s->place[a].position) > 0.1 && tw_vec3_norm(s->place[a].position) < 1.1);
    scene_destroy(s);
    return 0;
}

// ---- slider, fixed, motor ----

static int slider_slides_and_does_not_turn(void)
{
    double slope = 0.4, time = 0.5;
    Scene* s = scene_with(1e-3, 9.81, SOLVE_NEWTON);
    int b = add_body(s, tw_vec3(0, 0, 0), 2, 0.01);
    twVec3 axis = tw_vec3(cos(slope), 0, -sin(slope)), off = tw_vec3(0, 0, 0.2);
    // held above its centre: its weight would turn it
    twJointDef def = joint_at(TW_JOINT_SLIDER, b, TW_NOWHERE, off, axis);
    add_joint(s, &def);
    for (int i = 0; i < time / s->h - 0.5; i++) step(s);
    twVec3 expected = tw_vec3_scale(axis, 0.5 * 9.81 * sin(slope) * time * time);
    ENSURE(tw_vec3_norm(tw_vec3_sub(s->place[b].position, expected)) < 1e-4);
    ENSURE(fabs(s->place[b].turn.w) > 1 - 1e-8);
    scene_destroy(s);
    return 0;
}

// two bodies that are one, thrown with spin: momentum is kept, the distance too
static int fixed_joint_makes_one_body_of_two(void)
{
    Scene* s = scene_with(1e-3, 0, SOLVE_NEWTON);
    int a = add_body(s, tw_vec3(0.3, 0, 0), 2, 0.01), b = add_body(s, tw_vec3(-0.2, 0, 0), 3, 0.02);
    twJointDef def = joint_at(TW_JOINT_FIXED, a, b, tw_vec3(0.1, 0.05, 0), tw_vec3(0, 0, 0));
    add_joint(s, &def);
    // as one body about its centre (at x = 0) about z; products of inertia vanish
    double spin = 10;
    s->place[a].velocity = tw_vec3(1, 0.3 * spin, 0);
    s->place[b].velocity = tw_vec3(1, -0.2 * spin, 0);
    s->place[a].spin = s->place[b].spin = tw_vec3(0, 0, spin);
    double momentum = 2 * 0.3 * 0.3 * spin + 3 * 0.2 * 0.2 * spin + 0.03 * spin, start = body_energy(s);
    for (int i = 0; i < 2000; i++) step(s);
    const BodyPlace *p = s->place + a, *q = s->place + b;
    double now = 0.01 * p->spin.z + 0.02 * q->spin.z + 2 * tw_vec3_cross(p->position, p->velocity).z +
                 3 * tw_vec3_cross(q->position, q->velocity).z;
    ENSURE_NEAR(now, momentum, 1e-11);
    ENSURE_NEAR(2 * p->velocity.x + 3 * q->velocity.x, 5, 1e-12);
    // the spin stretches it by 18 N over k = 10/(h^2 W), and no more
    ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(p->position, q->position)), 0.5, 1e-3);
    twQuat apart = tw_quat_mul(p->turn, tw_quat_conj(q->turn));
    ENSURE(fabs(apart.w) > 1 - 1e-6);
    ENSURE(body_energy(s) <= start * (1 + 1e-9) && body_energy(s) > 0.99 * start);
    scene_destroy(s);
    return 0;
}

// Turned at rest, it comes back the short way from any turn below half of one
static int fixed_joint_turns_back_from_large_turns(void)
{
    for (double angle = -3; angle < 3.1; angle += 0.75)
    {
        Scene* s = scene_with(1e-3, 0, SOLVE_NEWTON);
        int b = add_body(s, tw_vec3(0, 0, 0), 1, 0.01);
        twJointDef def = joint_at(TW_JOINT_FIXED, b, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 0, 0));
        add_joint(s, &def);
        twVec3 axis = tw_vec3(0.6, 0, 0.8);
        s->place[b].turn = tw_quat_from_axis_angle(axis, angle);
        step(s);
        ENSURE(tw_vec3_dot(s->place[b].spin, axis) * angle < 0 || angle == 0);
        for (int i = 0; i < 100; i++) step(s);
        ENSURE(fabs(s->place[b].turn.w) > 1 - 1e-9);
        scene_destroy(s);
    }
    return 0;
}

// against a load: by T = J w' up to its speed; and if the load is heavier than the motor is strong, it gives way by the difference
static int motor_reaches_its_speed_and_stalls_at_its_force(void)
{
    for (int slide = 0; slide < 2; slide++)
        for (int heavy = 0; heavy < 2; heavy++)
        {
            double gravity = 9.81, strength = heavy ? 15 : 30, mass = 2;
            Scene* s = scene_with(1e-3, gravity, SOLVE_NEWTON);
            int b = add_body(s, tw_vec3(0, 0, 0), mass, 0.5);
            twJointDef def =
                joint_at(slide ? TW_JOINT_SLIDER : TW_JOINT_HINGE, b, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1));
            def.motor = true;
            def.speed = 3;
            def.max_force = strength;
            add_joint(s, &def);
            double load = slide ? mass * gravity : 0, inert = slide ? mass : 0.5;
            double rate = (strength - load) / inert, time = 0.02;
            for (int i = 0; i < 20; i++) step(s);
            double now = slide ? s->place[b].velocity.z : s->place[b].spin.z;
            ENSURE_NEAR(now, rate * time, 1e-9);
            for (int i = 0; i < 980; i++) step(s);
            now = slide ? s->place[b].velocity.z : s->place[b].spin.z;
            // it falls behind by what the load does in half a step
            if (rate > 0)
                ENSURE_NEAR(now, 3 - 0.5 * s->h * load / inert, 1e-9);
            else
                ENSURE_NEAR(now, rate, 1e-9);
            scene_destroy(s);
        }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(pendulum_has_the_period_of_the_elliptic_integral)
    RUN(hinge_keeps_the_axis)
    RUN(spring_is_of_second_order_and_keeps_energy_to_round_off)
    RUN(spring_of_no_length_goes_through_zero)
    RUN(slider_slides_and_does_not_turn)
    RUN(fixed_joint_makes_one_body_of_two)
    RUN(fixed_joint_turns_back_from_large_turns)
    RUN(motor_reaches_its_speed_and_stalls_at_its_force)
)
