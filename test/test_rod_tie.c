// SPDX-License-Identifier: MIT
// Rods that hold bodies, and bodies that hold rods.
#include "test.h"
#include "weave.h"

#define G 9.81
#define STEEL 7800.0
#define YOUNG 2e11

static double area(double radius) { return TW_PI * radius * radius; }
static double second_moment(double radius) { return 0.25 * TW_PI * pow(radius, 4); }

static void tie(Stage* s, int rod, int point, int body, bool clamped)
{
    s->ties[s->def.tie_count++] = (twTieDef){.rod = rod, .point = point, .body = body, .clamped = clamped};
}

static void hold(Stage* s, int rod, const twRodSupport* support)
{
    s->rods[rod].rod.support_count = 1;
    s->rods[rod].rod.supports = support;
}

// ---- a ball on a wire ----

#define WIRE 0.15
static const twRodSupport pin = {.kind = TW_ROD_PINNED, .point = 0};

// its wire hangs from the origin, turned out by an angle along x
static Stage* pendulum(double angle, double thick, double ball)
{
    Stage* s = stage();
    const twVec3 end = tw_vec3(WIRE * sin(angle), 0, -WIRE * cos(angle));
    const int body = stage_body(s, stage_ball(s, ball, STEEL), end.x, end.y, end.z);
    s->bodies[body].name = "ball";
    const int rod = stage_line(s, tw_vec3(0, 0, 0), end, 6, tw_section_circle(thick));
    s->rods[rod].rod.density = STEEL;
    hold(s, rod, &pin);
    tie(s, rod, 5, body, false);
    return s;
}

// T = 2 pi sqrt(I/(g S)) with wire and ball as one; a ball that is tied at its centre does not turn
static int a_ball_on_a_wire_swings_as_a_pendulum_does(void)
{
    const double angle = 0.2, radius = 0.01;
    Stage* s = pendulum(angle, 0.0003, radius);
    must(stage_start(s), &s->err);
    const double m = tw_body_shape_mass(s->bodies[0].shape).mass, wire = STEEL * area(0.0003) * WIRE;
    const double inertia = (m + wire / 3) * WIRE * WIRE, moment = (m + wire / 2) * WIRE;
    const double period = 4 * sqrt(inertia / (G * moment)) * elliptic(sin(0.5 * angle));
    double crossed = 0, before = stage_centre(s, 0).x, time = 0;
    const double whole = G * moment, start = stage_energy(s);
    double highest = start;
    while (time < 0.62 && crossed == 0)
    {
        const double h = 1e-3;
        time += h;
        tw_world_advance(s->world, time);
        const double now = stage_centre(s, 0).x, at = tw_world_time(s->world);
        // the second time that it hangs straight down
        if (before < 0 && now >= 0) crossed = at - h * now / (now - before);
        before = now;
        highest = fmax(highest, stage_energy(s));
    }
    ENSURE_NEAR(crossed, 0.75 * period, 0.005 * period);
    ENSURE(highest - start < 1e-9 * whole);
    ENSURE(start - stage_energy(s) < 1e-4 * whole);
    stage_free(s);
    return 0;
}

// ---- beams with something at the end ----

static const twRodSupport clamp = {.kind = TW_ROD_CLAMPED, .point = 0};

// root of 1 + cos b cosh b + ratio b (cos b sinh b - sin b cosh b): clamped, with a mass at the end
static double loaded_root(double ratio)
{
    double low = 0.01, high = 1.8751041;
    for (int i = 0; i < 80; i++)
    {
        const double b = 0.5 * (low + high);
        const double f = 1 + cos(b) * cosh(b) + ratio * b * (cos(b) * sinh(b) - sin(b) * cosh(b));
        *(f > 0 ? &low : &high) = b;
    }
    return low;
}

// [Hz]
static double beam_pitch(double root, double radius, double length)
{
    return root * root / (2 * TW_PI * length * length) * sqrt(YOUNG * second_moment(radius) / (STEEL * area(radius)));
}

static double place_of(Stage* s, int rod, int point, int axis)
{
    return tw_rod_view(tw_world_rod(s->world, rod)).position[axis][point];
}

// frequency of what a point does along z, from where it goes through the middle upwards
static double measure(Stage* s, int rod, int point, double rest, double duration)
{
    const double h = 5 / s->def.rod_rate_hz;
    double first = 0, last = 0, before = place_of(s, rod, point, 2) - rest, time = 0;
    int count = 0;
    while (time < duration)
    {
        tw_world_advance(s->world, time += h);
        const double now = place_of(s, rod, point, 2) - rest, at = tw_world_time(s->world);
        if (before < 0 && now >= 0)
        {
            last = at - h * now / (now - before);
            if (count++ == 0) first = last;
        }
        before = now;
    }
    return (count - 1) / (last - first);
}

enum
{
    POINTS = 17
};

// bent as its first mode is, for a start
static void pluck(Stage* s, int rod, double speed)
{
    const int count = s->rods[rod].rod.point_count;
    for (int i = 0; i < count; i++)
    {
        const double x = fmax(0, (i - 0.5) / (count - 1.5));
        s->rod_velocities[rod][i].z = speed * x * x * (6 - 4 * x + x * x) / 3;
    }
}

static int a_beam_with_a_ball_at_its_end_sounds_as_lowly_as_it_should(void)
{
    const double length = 0.2, radius = 0.002;
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    const int ball = stage_body(s, stage_ball(s, 0.008, STEEL), length, 0, 0);
    const int rod = stage_line(s, tw_vec3(0, 0, 0), tw_vec3(length, 0, 0), POINTS, tw_section_circle(radius));
    s->rods[rod].rod.density = STEEL;
    s->rods[rod].rod.young = YOUNG;
    hold(s, rod, &clamp);
    tie(s, rod, POINTS - 1, ball, false);
    s->bodies[ball].motion.velocity.z = 0.5;
    pluck(s, rod, 0.5);
    must(stage_start(s), &s->err);
    const double ratio = tw_body_shape_mass(s->bodies[ball].shape).mass / (STEEL * area(radius) * length);
    const double hertz = measure(s, rod, POINTS - 1, 0, 0.2), expected = beam_pitch(loaded_root(ratio), radius, length);
    ENSURE_NEAR(hertz, expected, 0.002 * expected);
    ENSURE(tw_world_energy(s->world).total_rise < 1e-9 * tw_world_energy(s->world).start);
    stage_free(s);
    return 0;
}

#define LENGTH 0.2
#define RADIUS 0.002

// A beam along x, from the origin. block: it is clamped to, -1 none; inside: there is as much of it on the other side
static int steel_beam(Stage* s, int points, int block, bool inside)
{
    const int rod = stage_line(s, tw_vec3(inside ? -LENGTH : 0, 0, 0), tw_vec3(LENGTH, 0, 0),
                               inside ? 2 * points - 1 : points, tw_section_circle(RADIUS));
    s->rods[rod].rod.density = STEEL;
    s->rods[rod].rod.young = YOUNG;
    s->rods[rod].ghost = true;
    if (block >= 0)
        tie(s, rod, inside ? points - 1 : 0, block, true);
    else
        hold(s, rod, &clamp);
    return rod;
}

static int stone(Stage* s, bool fixed)
{
    const int block = stage_body(s, stage_box(s, 0.2, 0.2, 0.2, STEEL), -0.1, 0, 0);
    if (fixed) s->bodies[block].kind = TW_BODY_FIXED;
    return block;
}

enum
{
    OWN_CLAMP,
    FIXED_BODY,
    HEAVY_BODY,
    INSIDE
};

// [Hz]; loss: of its energy in 0.06 s
static double clamped_pitch(int how, int points, double* loss)
{
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    const int block = how == OWN_CLAMP ? -1 : stone(s, how != HEAVY_BODY),
              rod = steel_beam(s, points, block, how == INSIDE), end = s->rods[rod].rod.point_count - 1;
    for (int i = 0; i < points; i++)
    {
        const double x = 1 - (double)i / (points - 1);
        s->rod_velocities[rod][end - i].z = 0.5 * x * x * (6 - 4 * x + x * x) / 3;
    }
    must(stage_start(s), &s->err);
    const double hertz = measure(s, rod, end, 0, 0.06), start = tw_world_energy(s->world).start;
    *loss = 1 - stage_energy(s) / start;
    if (tw_world_energy(s->world).total_rise > 1e-9 * start || tw_world_stats(s->world).failures > 0) *loss = HUGE_VAL;
    stage_free(s);
    return hertz;
}

static int a_beam_clamped_to_a_body_sounds_as_a_clamped_one_does(void)
{
    const double expected = beam_pitch(1.8751041, RADIUS, LENGTH);
    for (int how = OWN_CLAMP; how <= INSIDE; how++)
        for (int points = 21; points <= (how == FIXED_BODY ? 81 : 41); points = 2 * points - 1)
        {
            double loss;
            ENSURE_NEAR(clamped_pitch(how, points, &loss), expected, 0.005 * expected);
            ENSURE(loss > -1e-9 && loss < 1e-3);
        }
    return 0;
}

// q l^4/(8 E I), which all of the moment at its end makes; of a heavy beam, so that it bends notably
static int a_beam_clamped_to_a_body_sags_as_a_clamped_one_does(void)
{
    double low[2];
    for (int tied = 0; tied < 2; tied++)
    {
        Stage* s = stage();
        s->def.gravity = tw_vec3(0, 0, -10 * G);
        const int rod = steel_beam(s, 41, tied ? stone(s, true) : -1, false);
        s->rods[rod].rod.beta = 1e-3;
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.12);
        low[tied] = -place_of(s, rod, 40, 2);
        stage_free(s);
    }
    const double q = 10 * G * STEEL * area(RADIUS);
    const double sag = q * pow(LENGTH, 4) / (8 * YOUNG * second_moment(RADIUS));
    ENSURE_NEAR(low[0], sag, 2e-3 * sag);
    ENSURE_NEAR(low[1], low[0], 1e-3 * sag);
    return 0;
}

static twVec3 all_turning(Stage* s, int body, int rod)
{
    twVec3 turning;
    const twMassProperties m = tw_body_shape_mass(s->bodies[body].shape);
    const twBodyMotion at = tw_world_motion(s->world, body, tw_world_time(s->world), NULL, NULL);
    const twMat3 turn = tw_mat3_from_quat(at.turn),
                 inertia = tw_mat3_mul(tw_mat3_mul(turn, m.inertia), tw_mat3_transpose(turn));
    rod_momentum(s, rod, &turning);
    turning = tw_vec3_add(turning, tw_mat3_mul_vec(inertia, at.spin));
    return tw_vec3_add(turning, tw_vec3_cross(at.position, tw_vec3_scale(at.velocity, m.mass)));
}

// a moment at the end of a rod is one on the body
static int a_spinning_body_with_a_rod_clamped_to_it_keeps_its_turning(void)
{
    for (int inside = 0; inside < 2; inside++)
    {
        Stage* s = stage();
        s->def.gravity = tw_vec3(0, 0, 0);
        const int body = stage_body(s, stage_box(s, 0.03, 0.04, 0.05, STEEL), 0.01, 0.002, 0.001);
        const int rod = steel_beam(s, 21, body, inside);
        s->bodies[body].motion.spin = tw_vec3(10, 20, 15);
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 1e-4);
        const twVec3 start = all_turning(s, body, rod);
        tw_world_advance(s->world, 0.05);
        ENSURE(away(all_turning(s, body, rod), start) < 1e-3 * tw_vec3_norm(start));
        ENSURE(tw_world_energy(s->world).total_rise < 1e-9 * tw_world_energy(s->world).start);
        stage_free(s);
    }
    return 0;
}

// ---- a clapper ----

static int a_clapper_rebounds_without_gain(void)
{
    const double thick = 0.0003, radius = 0.01, angle = 0.3;
    Stage* s = pendulum(angle, thick, radius);
    s->materials[0].restitution = 0.8;
    const int plate = stage_body(s, stage_box(s, 0.02, 0.1, 0.1, STEEL), -radius - 0.01, 0, -WIRE);
    s->bodies[plate].kind = TW_BODY_FIXED;
    must(stage_start(s), &s->err);
    const double start = stage_energy(s), whole = start + G * WIRE * tw_body_shape_mass(s->bodies[0].shape).mass;
    double highest = start, fastest = 0, back = 0, deepest = 0;
    for (int i = 1; i <= 400; i++)
    {
        tw_world_advance(s->world, i * 1e-3);
        highest = fmax(highest, stage_energy(s));
        fastest = fmin(fastest, stage_velocity(s, 0).x);
        back = fmax(back, stage_velocity(s, 0).x);
        deepest = fmin(deepest, stage_centre(s, 0).x);
    }
    ENSURE(-fastest > 0.9 * sqrt(2 * G * WIRE * (1 - cos(angle))));
    ENSURE(back > 0.5 * -fastest && back < -fastest);
    ENSURE(deepest > -0.1 * radius);
    ENSURE(highest - start < 1e-9 * whole);
    stage_free(s);
    return 0;
}

static int ties_make_no_energy(void)
{
    // far out, so that the ball turns and the rod bends: tied at its skin, and clamped
    for (int clamped = 0; clamped < 2; clamped++)
    {
        Stage* s = stage();
        const int body = stage_body(s, stage_box(s, 0.03, 0.02, 0.01, STEEL), 0.16, 0.004, 0.002);
        s->bodies[body].motion.spin = tw_vec3(3, 20, 5);
        const int rod = stage_line(s, tw_vec3(0, 0, 0), tw_vec3(0.144, 0, 0), 7, tw_section_circle(0.0005));
        hold(s, rod, &pin);
        tie(s, rod, 6, body, clamped);
        must(stage_start(s), &s->err);
        const double start = stage_energy(s), mass = tw_body_shape_mass(s->bodies[body].shape).mass;
        const double whole = start + mass * G * 0.2;
        double highest = start;
        for (int i = 1; i <= 50; i++)
        {
            tw_world_advance(s->world, i * 0.02);
            highest = fmax(highest, stage_energy(s));
        }
        ENSURE(highest - start < 1e-9 * whole);
        ENSURE(tw_world_stats(s->world).failures == 0 && tw_world_stats(s->world).lost == 0);
        stage_free(s);
    }
    return 0;
}

// a wire under a ball that falls: its end rattles on the floor, and bears the ball. How deep it is hammered in is chance, 0.2 to 0.6 of
// its radius left for balls of 4.5 to 5.6 m/s; its middle stays outside
static int an_end_that_hammers_does_not_go_through_the_floor(void)
{
    const double thick = 0.0009;
    Stage* s = stage();
    s->materials[0].restitution = 0.5;
    stage_floor(s, 1, 1);
    const int ball = stage_body(s, stage_ball(s, 0.006, STEEL), 0.03, 0, 0.06);
    const int rod = stage_line(s, tw_vec3(0.03, 0, 0.06), tw_vec3(0, 0.01, 0.002), 19, tw_section_circle(thick));
    s->rods[rod].rod.young = 1.6e10;
    s->rods[rod].rod.density = 2000;
    s->bodies[ball].motion.velocity = tw_vec3(0, 0, -5);
    stage_throw(s, rod, tw_vec3(0, 0, -5));
    tie(s, rod, 1, ball, true);
    must(stage_start(s), &s->err);
    double least = 1;
    for (int i = 1; i <= 60; i++)
    {
        tw_world_advance(s->world, i * 2e-4);
        least = fmin(least, place_of(s, rod, 18, 2));
    }
    ENSURE(least > 0);
    ENSURE(tw_world_stats(s->world).failures == 0);
    stage_free(s);
    return 0;
}

// ---- hardly any force ----

// all of it is round-off, which need not agree
static int a_ball_that_flies_along_with_its_rod_is_no_trouble(void)
{
    for (int point = 0; point < 19; point += 3)
    {
        Stage* s = stage();
        s->def.gravity = tw_vec3(0, 0, 0);
        const twVec3 from = {-0.031, 0.012, 0.05}, to = {0.027, -0.02, 0.048}, v = {0.3, -0.7, 0.2};
        const int rod = stage_line(s, from, to, 19, tw_section_circle(0.0006)),
                  ball = stage_body(s, stage_ball(s, 0.006, STEEL), 0, 0, 0);
        s->rods[rod].rod.young = 3e8;
        s->bodies[ball].motion.position = tw_vec3_add(s->rod_points[rod][point], tw_vec3(0, 0, 0.001));
        s->bodies[ball].motion.velocity = v;
        stage_throw(s, rod, v);
        tie(s, rod, point, ball, point % 2);
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.005);
        const twWorldStats stats = tw_world_stats(s->world);
        ENSURE(stats.refined == 0 && stats.failures == 0 && stats.iterations < 10 * stats.rod_steps);
        ENSURE(away(stage_velocity(s, ball), v) < 1e-9);
        stage_free(s);
    }
    return 0;
}

// ---- steps that are cut to pieces ----

// what hits a ball so hard that steps are cut gives it all of its momentum
static int pieces_of_steps_leave_no_body_behind(void)
{
    int64_t refined = 0;
    for (int k = 0; k < 8; k++)
    {
        Stage* s = stage();
        s->def.gravity = tw_vec3(0, 0, 0);
        s->materials[0].restitution = 0.05;
        stage_pair(s, 0, 0)->impact.stiffness = 1e12;
        const int ball = stage_body(s, stage_ball(s, 0.01, STEEL), 0, 0, 0);
        const double z = 0.0115 + 1e-4 * k;
        const int rod = stage_line(s, tw_vec3(-0.03, 0.001, z), tw_vec3(0.04, 0.002, z), 9, tw_section_circle(0.0015));
        stage_throw(s, rod, tw_vec3(0, 0, -5));
        must(stage_start(s), &s->err);
        twVec3 turning;
        const double start = rod_momentum(s, rod, &turning).z;
        tw_world_advance(s->world, 0.003);
        const double now = rod_momentum(s, rod, &turning).z,
                     given = tw_body_shape_mass(s->bodies[ball].shape).mass * stage_velocity(s, ball).z;
        ENSURE(given < 0.1 * start);
        ENSURE_NEAR(now + given, start, 1e-6 * fabs(start));  // of steps solved to 1e-5
        refined += tw_world_stats(s->world).refined;
        stage_free(s);
    }
    ENSURE(refined > 20);
    return 0;
}

// ---- a ring ----

static int a_ring_hangs_alike_from_all_of_its_points(void)
{
    enum
    {
        RING = 24
    };
    twVec3 lowest[3];
    for (int k = 0; k < 3; k++)
    {
        // tied where it goes along the bottom of a box, with its thickness in it
        const int at = (int[]){11, 0, RING - 1}[k];
        const double radius = 0.03;
        Stage* s = stage();
        const int body = stage_body(s, stage_box(s, 0.1, 0.1, 0.02, STEEL), 0, 0, 0.01);
        s->bodies[body].kind = TW_BODY_FIXED;
        twVec3 points[RING];
        for (int i = 0; i < RING; i++)
        {
            const double phi = 2 * TW_PI * (i - at) / RING;
            points[i] = tw_vec3(radius * sin(phi), 0, radius * (cos(phi) - 1));
        }
        const int rod = stage_rod(s, points, RING, tw_section_circle(0.001));
        s->rods[rod].rod.closed = true;
        stage_throw(s, rod, tw_vec3(0.1, 0.2, 0));
        tie(s, rod, at, body, false);
        ENSURE(stage_start(s));
        tw_world_advance(s->world, 0.01);
        lowest[k] = rod_point(s, rod, (at + RING / 2) % RING);
        ENSURE(tw_world_stats(s->world).failures == 0);
        stage_free(s);
    }
    ENSURE(away(lowest[0], lowest[1]) < 1e-7 && away(lowest[0], lowest[2]) < 1e-7);
    return 0;
}

// ---- a flexible beam ----

static double bent(Stage* s, int body, int vertex)
{
    return tw_world_point(s->world, body, vertex, tw_world_time(s->world), NULL).z;
}

static int a_rod_tied_to_a_beam_bends_it_by_its_weight(void)
{
    const Beam beam = {.size = {0.3, 0.02, 0.01},
                       .density = 2700,
                       .young = 7e10,
                       .cells = 20,
                       .modes = 5,
                       .clamped = true,
                       .decay = 400};
    double place[2] = {0};
    for (int hung = 0; hung < 2; hung++)
    {
        Stage* s = stage();
        const int body = stage_body(s, stage_beam(s, &beam), 0, 0, 0);
        s->bodies[body].kind = TW_BODY_FIXED;
        const twVec3 top = tw_vec3(0.15, 0, hung ? -0.005 : -0.1);
        const int rod = stage_line(s, top, tw_vec3(top.x, top.y, top.z - 0.1), 4, tw_section_circle(0.004));
        s->rods[rod].rod.density = 20000;
        s->rods[rod].rod.alpha = 100;
        s->rods[rod].ghost = true;
        if (hung) tie(s, rod, 0, body, false);
        must(stage_start(s), &s->err);
        const int vertex = tw_body_shape_nearest(s->bodies[body].shape, tw_vec3(0.15, 0, -0.005));
        tw_world_advance(s->world, 0.4);
        place[hung] = bent(s, body, vertex);
        stage_free(s);
    }
    const double force = 20000 * area(0.004) * 0.1 * G, moment = 0.02 * pow(0.01, 3) / 12;
    const double expected = force * pow(0.3, 3) / (3 * 7e10 * moment);
    ENSURE_NEAR(place[0] - place[1], expected, 0.005 * expected);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_ball_on_a_wire_swings_as_a_pendulum_does)
    RUN(a_beam_with_a_ball_at_its_end_sounds_as_lowly_as_it_should)
    RUN(a_beam_clamped_to_a_body_sounds_as_a_clamped_one_does)
    RUN(a_beam_clamped_to_a_body_sags_as_a_clamped_one_does)
    RUN(a_spinning_body_with_a_rod_clamped_to_it_keeps_its_turning)
    RUN(a_clapper_rebounds_without_gain)
    RUN(ties_make_no_energy)
    RUN(an_end_that_hammers_does_not_go_through_the_floor)
    RUN(a_ball_that_flies_along_with_its_rod_is_no_trouble)
    RUN(pieces_of_steps_leave_no_body_behind)
    RUN(a_ring_hangs_alike_from_all_of_its_points)
    RUN(a_rod_tied_to_a_beam_bends_it_by_its_weight)
)
