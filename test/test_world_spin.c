// SPDX-License-Identifier: MIT
// Bodies that turn freely, and on joints. Expected values: elliptic integrals, steady precession, conserved quantities.
#include "world.h"

static const double gravity = 9.81;

// one body without weight, turning
static Stage* free_stage(const twBodyShape* (*shape)(Stage* s), twVec3 spin, double step)
{
    Stage* s = stage();
    stage_body(s, shape(s), 0, 0, 0);
    s->bodies[0].motion.spin = spin;
    s->def.gravity = tw_vec3(0, 0, 0);
    s->def.max_step = step;
    must(stage_start(s), &s->err);
    return s;
}

static const twBodyShape* brick(Stage* s) { return stage_box(s, 0.12, 0.07, 0.03, 2000); }
static const twBodyShape* coin(Stage* s) { return stage_text(s, "cylinder:0.05x0.01", 0.02, 2000, 0); }

// spin along its own axes
static twVec3 own_spin(const Stage* s, int body)
{
    const twBodyMotion m = stage_now(s, body);
    return tw_quat_rotate(tw_quat_conj(m.turn), m.spin);
}

static twVec3 moments(const Stage* s, int body)
{
    const twMat3 i = tw_body_shape_mass(s->bodies[body].shape).inertia;
    return tw_vec3(i.m[0][0], i.m[1][1], i.m[2][2]);
}

static int tumbling_brick_keeps_energy_and_angular_momentum(void)
{
    const twVec3 spin = tw_vec3(0.3, 20, 0.1);
    Stage* s = free_stage(brick, spin, 1e-3);
    const twVec3 start = stage_turning(s, 0);
    const double energy = stage_energy(s);
    for (int i = 1; i <= 20; i++)
    {
        tw_world_advance(s->world, 0.1 * i);
        ENSURE_NEAR(stage_energy(s), energy, 1e-11 * energy);
        const twBodyMotion m = stage_now(s, 0);
        ENSURE_NEAR(tw_quat_norm(m.turn), 1, 1e-12);
    }
    ENSURE(away(stage_turning(s, 0), start) < 1e-3 * tw_vec3_norm(start));
    stage_free(s);
    return 0;
}

// With moments a < b < c and m^2 < 2 e b the spin about the middle axis repeats after
//   T = 4 K(k) sqrt(abc/((b - a)(2 e c - m^2))),  k^2 = (c - b)(m^2 - 2 e a)/((b - a)(2 e c - m^2)),
// else with a and c exchanged (L. D. Landau and E. M. Lifshitz, Mechanics, 37)
static double flip_period(double a, double b, double c, twVec3 spin)
{
    const double e2 = a * spin.x * spin.x + b * spin.y * spin.y + c * spin.z * spin.z;
    const double m2 = pow(a * spin.x, 2) + pow(b * spin.y, 2) + pow(c * spin.z, 2);
    const double up = (b - a) * (e2 * c - m2), down = (c - b) * (m2 - e2 * a);
    return 4 * elliptic(sqrt(fmin(up, down) / fmax(up, down))) * sqrt(a * b * c / fmax(up, down));
}

static int brick_flips_about_its_middle_axis_in_time(void)
{
    const twVec3 spin = tw_vec3(0.3, 20, 0.1);
    Stage* s = free_stage(brick, spin, 1e-4);
    const twVec3 i = moments(s, 0);
    ENSURE(i.x < i.y && i.y < i.z);
    const double expected = flip_period(i.x, i.y, i.z, spin);
    // times at which the spin about the middle axis goes from + to -
    double cross[2], last = 20, dt = 1e-3;
    int found = 0;
    for (int k = 1; found < 2 && k < 4000; k++)
    {
        tw_world_advance(s->world, dt * k);
        const twBodyMotion m = tw_world_motion(s->world, 0, dt * k, NULL, NULL);
        const double now = tw_quat_rotate(tw_quat_conj(m.turn), m.spin).y;
        if (last > 0 && now <= 0) cross[found++] = dt * (k - now / (now - last));
        last = now;
    }
    ENSURE(found == 2);
    ENSURE_NEAR(cross[1] - cross[0], expected, 1e-4 * expected);
    stage_free(s);
    return 0;
}

// a free symmetric body: its axis goes around the angular momentum at L/I1
static int free_coin_wobbles_at_the_rate_of_its_angular_momentum(void)
{
    Stage* s = free_stage(coin, tw_vec3(4, 0, 25), 1e-4);
    const twVec3 i = moments(s, 0), turning = stage_turning(s, 0);
    ENSURE_NEAR(i.x, i.y, 1e-9 * i.x);
    const double rate = tw_vec3_norm(turning) / i.x, time = 0.5;
    const twVec3 axis = tw_vec3(0, 0, 1);
    tw_world_advance(s->world, time);
    const twBodyMotion m = tw_world_motion(s->world, 0, time, NULL, NULL);
    const twVec3 expected = tw_quat_rotate(tw_quat_from_axis_angle(turning, rate * time), axis);
    ENSURE(away(tw_quat_rotate(m.turn, axis), expected) < 1e-4);
    ENSURE_NEAR(own_spin(s, 0).z, 25, 1e-9);
    stage_free(s);
    return 0;
}

// Steady precession of a heavy top at angle t: A cos t W^2 - C w3 W + m g l = 0, A about the tip; the slow root
static int heavy_top_precesses_steadily(void)
{
    Stage* s = stage();
    const double tilt = 0.5, arm = 0.06, own = 150;
    const int top = stage_body(s, coin(s), arm * sin(tilt), 0, arm * cos(tilt));
    const twMassProperties mass = tw_body_shape_mass(s->bodies[top].shape);
    const double a = mass.inertia.m[0][0] + mass.mass * arm * arm, c = mass.inertia.m[2][2];
    const double p = c * own, q = a * cos(tilt), pull = mass.mass * gravity * arm;
    const double rate = 2 * pull / (p + sqrt(p * p - 4 * q * pull));
    const twVec3 axis = tw_vec3(sin(tilt), 0, cos(tilt));
    twBodyMotion* m = &s->bodies[top].motion;
    m->turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), tilt);
    m->spin = tw_vec3_add_scaled(tw_vec3(0, 0, rate), axis, own - rate * cos(tilt));
    m->velocity = tw_vec3_cross(m->spin, tw_vec3_scale(axis, arm));
    s->def.max_step = 1e-4;
    s->def.gravity = tw_vec3(0, 0, -gravity);
    stage_joint(s, TW_JOINT_BALL, top, TW_NOWHERE, tw_vec3(0, 0, 0));
    must(stage_start(s), &s->err);
    const double time = 1;
    tw_world_advance(s->world, time);
    const twBodyMotion end = tw_world_motion(s->world, top, time, NULL, NULL);
    const twVec3 now = tw_quat_rotate(end.turn, tw_vec3(0, 0, 1));
    const twVec3 expected = tw_quat_rotate(tw_quat_from_axis_angle(tw_vec3(0, 0, 1), rate * time), axis);
    ENSURE(rate * time > 1);
    ENSURE(away(now, expected) < 2e-3 * rate * time * sin(tilt));
    ENSURE_NEAR(tw_vec3_norm(end.position), arm, 1e-5);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(energy.largest_rise <= 1e-9 * fabs(energy.start));
    stage_free(s);
    return 0;
}

// ---- joints ----

typedef struct Swing
{
    Stage* stage;
    int body;
    double rate;  // of small swings [rad/s]
} Swing;

static Swing swing(double angle, twJointKind kind)
{
    Stage* s = stage();
    const double arm = 0.1;
    const int body = stage_body(s, stage_box(s, 0.02, 0.03, 0.25, 7850), 0, 0, 0);
    const twMassProperties mass = tw_body_shape_mass(s->bodies[body].shape);
    twBodyMotion* m = &s->bodies[body].motion;
    m->turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), angle);
    m->position = tw_quat_rotate(m->turn, tw_vec3(0, 0, -arm));
    s->def.gravity = tw_vec3(0, 0, -gravity);
    s->def.max_step = 2e-4;
    stage_joint(s, kind, body, TW_NOWHERE, tw_vec3(0, 0, 0))->axis = tw_vec3(0, 1, 0);
    must(stage_start(s), &s->err);
    const double inertia = mass.inertia.m[1][1] + mass.mass * arm * arm;
    return (Swing){s, body, sqrt(mass.mass * gravity * arm / inertia)};
}

static int pendulum_swings_in_the_time_of_the_elliptic_integral(void)
{
    const twJointKind kinds[] = {TW_JOINT_HINGE, TW_JOINT_BALL};
    for (int i = 0; i < 2; i++)
    {
        const double angle = 1.2;
        const Swing w = swing(angle, kinds[i]);
        const double expected = 4 * elliptic(sin(0.5 * angle)) / w.rate, dt = 1e-3;
        // when it passes below, the first and the third time
        double cross[3], last = -1;
        int found = 0;
        for (int k = 1; found < 3 && k < 3000; k++)
        {
            tw_world_advance(w.stage->world, k * dt);
            const double x = tw_world_motion(w.stage->world, w.body, k * dt, NULL, NULL).position.x;
            if (x * last > 0 || k == 1) last = x;
            if (x * last <= 0) cross[found++] = dt * (k - x / (x - last)), last = x;
            ENSURE_NEAR(away(stage_centre(w.stage, w.body), tw_vec3(0, 0, 0)), 0.1, 2e-5);
        }
        ENSURE(found == 3);
        ENSURE_NEAR(cross[2] - cross[0], expected, 1e-3 * expected);
        const twWorldEnergy energy = tw_world_energy(w.stage->world);
        const double size = fabs(energy.start) + energy.kinetic;
        ENSURE(energy.largest_rise <= 1e-9 * size);
        ENSURE_NEAR(stage_energy(w.stage), energy.start, 1e-3 * size);
        stage_free(w.stage);
    }
    return 0;
}

// a joint is solved, so a step with one is a step, but no contact; a body that falls has none of either
static int steps_of_joined_bodies_are_counted_as_such(void)
{
    const Swing w = swing(1.2, TW_JOINT_HINGE);
    tw_world_advance(w.stage->world, 0.1);
    const twWorldStats joined = tw_world_stats(w.stage->world);
    ENSURE(joined.steps >= 500 && joined.free_steps == 0 && joined.body_steps == joined.steps);
    ENSURE(joined.contacts == 0 && joined.contacts_max == 0 && joined.unknowns == 6 * joined.steps);
    stage_free(w.stage);
    Stage* s = stage();
    stage_body(s, stage_box(s, 0.02, 0.03, 0.25, 7850), 0, 0, 0);
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.1);
    const twWorldStats alone = tw_world_stats(s->world);
    ENSURE(alone.steps == 0 && alone.free_steps > 0 && alone.body_steps == alone.free_steps);
    stage_free(s);
    return 0;
}

static int spring_swings_as_mass_and_stiffness_say(void)
{
    Stage* s = stage();
    const int body = stage_body(s, stage_box(s, 0.05, 0.05, 0.05, 1000), 0.02, 0, 0);
    const double mass = tw_body_shape_mass(s->bodies[body].shape).mass;
    s->def.gravity = tw_vec3(0, 0, 0);
    twJointDef* spring = stage_joint(s, TW_JOINT_SPRING, body, TW_NOWHERE, tw_vec3(0.02, 0, 0));
    spring->to = tw_vec3(-0.5, 0, 0);
    spring->stiffness = 200;
    spring->damping = 0.5;
    spring->rest_length = 0.5;
    must(stage_start(s), &s->err);
    const double c = 0.5 * spring->damping / mass, w = sqrt(spring->stiffness / mass - c * c);
    for (double t = 0.1; t < 1; t += 0.1)
    {
        tw_world_advance(s->world, t);
        const double x = tw_world_motion(s->world, body, t, NULL, NULL).position.x;
        ENSURE_NEAR(x, 0.02 * exp(-c * t) * (cos(w * t) + c / w * sin(w * t)), 0.02 * 2e-3);
    }
    ENSURE(tw_world_energy(s->world).largest_rise <= 1e-9 * tw_world_energy(s->world).start);
    stage_free(s);
    return 0;
}

// a body that is pushed and turned moves only as its joint lets it
// two balls that whirl about each other on a spring whose swing is much shorter than steps are
static int stiff_spring_that_whirls_keeps_its_energy(void)
{
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    const twBodyShape* ball = stage_ball(s, 0.05, 1000);
    const int a = stage_body(s, ball, 0, 0, 0), b = stage_body(s, ball, 0.5, 0, 0);
    twJointDef* joint = stage_joint(s, TW_JOINT_SPRING, a, b, tw_vec3(0, 0, 0));
    joint->to = tw_vec3(0.5, 0, 0);
    joint->stiffness = 1e10;
    joint->rest_length = 0.4;
    s->bodies[a].motion.velocity = tw_vec3(0, 1, 0);
    s->bodies[b].motion.velocity = tw_vec3(0, -1, 0.3);
    ENSURE(stage_start(s));
    const double start = stage_energy(s);
    for (int i = 1; i <= 100; i++)
    {
        tw_world_advance(s->world, 1e-3 * i);
        ENSURE_NEAR(stage_energy(s), start, 1e-4 * start);
    }
    stage_free(s);
    return 0;
}

static int joints_hold_what_they_hold(void)
{
    const twJointKind kinds[] = {TW_JOINT_BALL, TW_JOINT_HINGE, TW_JOINT_SLIDER, TW_JOINT_FIXED};
    for (int i = 0; i < 4; i++)
    {
        Stage* s = stage();
        const int body = stage_body(s, stage_box(s, 0.1, 0.06, 0.04, 1000), 0, 0, 0);
        const twVec3 corner = tw_vec3(0.05, 0.03, 0.02), axis = tw_vec3_normalize(tw_vec3(1, 1, 0));
        const double m = tw_body_shape_mass(s->bodies[body].shape).mass;
        s->def.gravity = tw_vec3(3, -4, -8);
        stage_joint(s, kinds[i], body, TW_NOWHERE, corner)->axis = axis;
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.25);
        const twBodyMotion now = stage_now(s, body);
        const twVec3 at = tw_vec3_add(now.position, tw_quat_rotate(now.turn, corner));
        const twVec3 gone = tw_vec3_sub(at, corner);
        const double along = tw_vec3_dot(gone, axis), time = tw_world_time(s->world);
        ENSURE(away(gone, tw_vec3_scale(axis, kinds[i] == TW_JOINT_SLIDER ? along : 0)) < 1e-4);
        if (kinds[i] == TW_JOINT_SLIDER)
        {
            const double pull = tw_vec3_dot(s->def.gravity, axis);
            ENSURE_NEAR(along, 0.5 * pull * time * time, 1e-3 * fabs(pull) * time * time + 1e-5);
        }
        if (kinds[i] == TW_JOINT_SLIDER || kinds[i] == TW_JOINT_FIXED)
            ENSURE(fabs(now.turn.w) > 1 - 1e-6);
        else
            ENSURE(fabs(now.turn.w) < 0.99);
        if (kinds[i] == TW_JOINT_HINGE) ENSURE(away(tw_quat_rotate(now.turn, axis), axis) < 1e-3);
        const twWorldEnergy energy = tw_world_energy(s->world);
        ENSURE(energy.largest_rise <= 1e-6 * m * 10 * 0.1);
        stage_free(s);
    }
    return 0;
}

// a slender rod on a joint at its end stretches it by F h^2 W/4, with W = 1/m + l^2/(4 I) of a blow across the end, whatever the
// inertia about its length, of which the joint feels nothing
static int joints_of_slender_bodies_are_stiff(void)
{
    const twJointKind kinds[] = {TW_JOINT_BALL, TW_JOINT_HINGE, TW_JOINT_FIXED};
    for (int i = 0; i < 3; i++)
    {
        Stage* s = stage();
        const double length = 0.5, h = 1e-3;
        const int body = stage_body(s, stage_box(s, 0.02, 0.02, length, 7850), 0, 0, 0);
        const double m = tw_body_shape_mass(s->bodies[body].shape).mass;
        const double across = m * (length * length + 0.02 * 0.02) / 12;
        s->def.max_step = h;
        stage_joint(s, kinds[i], body, TW_NOWHERE, tw_vec3(0, 0, 0.5 * length))->axis = tw_vec3(0, 1, 0);
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 1);
        const double sag = m * 9.81 * h * h * (1 / m + 0.25 * length * length / across) / 4;
        ENSURE_NEAR(-stage_now(s, body).position.z, sag, 1e-3 * sag);
        stage_free(s);
    }
    return 0;
}

// a joint's stiffness does not change as the body turns, nor with the step: it makes up no more than round-off of its errors
static int joints_make_up_next_to_no_energy(void)
{
    for (int i = 0; i < 3; i++)
    {
        Stage* s = stage();
        const int body = stage_body(s, stage_box(s, 0.1, 0.06, 0.04, 1000), 0, 0, 0);
        s->def.gravity = tw_vec3(3, -4, -8);
        s->def.max_step = 1e-3 / (1 << i);
        stage_joint(s, TW_JOINT_BALL, body, TW_NOWHERE, tw_vec3(0.05, 0.03, 0.02));
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.25);
        const twWorldEnergy energy = tw_world_energy(s->world);
        ENSURE(energy.kinetic > 0.01);
        ENSURE(energy.largest_rise <= 1e-8 * energy.kinetic);
        ENSURE(energy.total_rise <= 1e-6 * energy.kinetic);
        stage_free(s);
    }
    return 0;
}

// a row of rods, joined at their ends, the first one to the world
static Stage* rods(int count, twJointKind kind, double step)
{
    Stage* s = stage();
    const double length = 0.1;
    const twBodyShape* rod = stage_box(s, length, 0.01, 0.01, 7800);
    for (int i = 0; i < count; i++)
    {
        stage_body(s, rod, (i + 0.5) * length, 0, 0);
        s->bodies[i].ghost = true;
        stage_joint(s, kind, i, i - 1, tw_vec3(i * length, 0, 0))->axis = tw_vec3(0, 1, 0);
    }
    s->def.max_step = step;
    return s;
}

// what joints that have drifted need is taken from motion: chains that fall, arms with motors, springs that whirl and swing
static int joints_never_gain_energy(void)
{
    for (int i = 0; i < 5; i++)
    {
        Stage* s = rods(i == 3 ? 1 : 5, i == 1 || i == 2 ? TW_JOINT_BALL : TW_JOINT_HINGE, i == 0 ? 1e-3 : 2e-4);
        if (i == 2)
        {
            // in nothing, with a twist
            s->joints[0] = s->joints[--s->def.joint_count];
            s->def.gravity = tw_vec3(0, 0, 0);
            s->bodies[0].motion.spin = tw_vec3(1, 2, 30);
        }
        if (i == 3)
        {
            s->joints[0].motor = true;
            s->joints[0].speed = 20;
            s->joints[0].max_force = 1;
        }
        if (i == 4)
        {
            s->joints[0].kind = TW_JOINT_SPRING;
            s->joints[0].stiffness = 100;
            s->joints[0].to = tw_vec3(-0.2, 0, 0.1);
            s->joints[0].rest_length = 0.2;
        }
        must(stage_start(s), &s->err);
        double most = 0, start = stage_energy(s);
        for (int k = 1; k <= 50; k++)
        {
            tw_world_advance(s->world, 0.01 * k);
            most = fmax(most, tw_world_energy(s->world).kinetic);
            ENSURE(stage_energy(s) <= start + 1e-12 * most);
        }
        ENSURE(most > 1e-3);
        ENSURE(tw_world_energy(s->world).largest_rise <= 1e-14 * most);
        ENSURE(tw_world_energy(s->world).total_rise <= 1e-12 * most);
        stage_free(s);
    }
    return 0;
}

// and a spring that swings in space loses nothing in the long run
static int swinging_spring_keeps_its_energy(void)
{
    Stage* s = stage();
    const int body = stage_body(s, stage_box(s, 0.05, 0.05, 0.05, 1000), 0.3, 0, 0);
    twJointDef* spring = stage_joint(s, TW_JOINT_SPRING, body, TW_NOWHERE, tw_vec3(0.3, 0, 0));
    spring->to = tw_vec3(0, 0, 0.1);
    spring->stiffness = 100;
    spring->rest_length = 0.3;
    s->bodies[body].motion.velocity = tw_vec3(0, 0.5, 0);
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 5);
    const twBodyMotion now = stage_now(s, body);
    const double mass = tw_body_shape_mass(s->bodies[body].shape).mass;
    const double stretch = away(now.position, spring->to) - spring->rest_length;
    const double energy =
        0.5 * mass * tw_vec3_dot(now.velocity, now.velocity) + mass * 9.81 * now.position.z + 50 * stretch * stretch;
    const double first = 0.5 * mass * 0.25 + 50 * pow(hypot(0.3, 0.1) - 0.3, 2);
    ENSURE_NEAR(energy, first, 1e-3 * mass * 9.81 * 0.3);
    stage_free(s);
    return 0;
}

static int motor_reaches_its_speed_by_its_torque(void)
{
    Stage* s = stage();
    const int body = stage_body(s, coin(s), 0, 0, 0);
    const double inertia = tw_body_shape_mass(s->bodies[body].shape).inertia.m[2][2], torque = 1e-3, speed = 5;
    s->def.gravity = tw_vec3(0, 0, 0);
    twJointDef* hinge = stage_joint(s, TW_JOINT_HINGE, body, TW_NOWHERE, tw_vec3(0, 0, 0));
    hinge->axis = tw_vec3(0, 0, 1);
    hinge->motor = true;
    hinge->speed = speed;
    hinge->max_force = torque;
    must(stage_start(s), &s->err);
    const double ready = speed * inertia / torque;
    tw_world_advance(s->world, 0.5 * ready);
    const twBodyMotion mid = tw_world_motion(s->world, body, 0.5 * ready, NULL, NULL);
    ENSURE_NEAR(mid.spin.z, 0.5 * speed, 0.01 * speed);
    tw_world_advance(s->world, 1.5 * ready);
    ENSURE_NEAR(stage_now(s, body).spin.z, speed, 1e-6 * speed);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE_NEAR(energy.work, energy.kinetic, 0.01 * energy.kinetic);
    ENSURE(energy.largest_rise <= 1e-9 * energy.kinetic);
    stage_free(s);
    return 0;
}

// two bodies in nothing, joined: momentum stays
static int joined_bodies_keep_their_momentum(void)
{
    Stage* s = stage();
    const twBodyShape* box = brick(s);
    for (int b = 0; b < 2; b++) stage_body(s, box, 0.14 * b, 0, 0);
    s->bodies[0].motion.spin = tw_vec3(0, 0, 10);
    s->bodies[1].motion.velocity = tw_vec3(0, 0.3, 0.5);
    s->def.gravity = tw_vec3(0, 0, 0);
    s->def.max_step = 2e-4;
    stage_joint(s, TW_JOINT_BALL, 0, 1, tw_vec3(0.07, 0, 0));
    must(stage_start(s), &s->err);
    const twVec3 momentum = stage_momentum(s), turning = stage_whole_turning(s);
    tw_world_advance(s->world, 0.3);
    ENSURE(away(stage_momentum(s), momentum) < 1e-12 * tw_vec3_norm(momentum));
    ENSURE(away(stage_whole_turning(s), turning) < 1e-3 * tw_vec3_norm(turning));
    ENSURE(tw_world_energy(s->world).largest_rise <= 1e-9 * tw_world_energy(s->world).start);
    stage_free(s);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(tumbling_brick_keeps_energy_and_angular_momentum)
    RUN(brick_flips_about_its_middle_axis_in_time)
    RUN(free_coin_wobbles_at_the_rate_of_its_angular_momentum)
    RUN(heavy_top_precesses_steadily)
    RUN(pendulum_swings_in_the_time_of_the_elliptic_integral)
    RUN(steps_of_joined_bodies_are_counted_as_such)
    RUN(spring_swings_as_mass_and_stiffness_say)
    RUN(stiff_spring_that_whirls_keeps_its_energy)
    RUN(joints_hold_what_they_hold)
    RUN(joints_of_slender_bodies_are_stiff)
    RUN(joints_make_up_next_to_no_energy)
    RUN(joints_never_gain_energy)
    RUN(swinging_spring_keeps_its_energy)
    RUN(motor_reaches_its_speed_by_its_torque)
    RUN(joined_bodies_keep_their_momentum)
)
