// SPDX-License-Identifier: MIT
// Balls that roll, and what holds them up.
#include "test.h"
#include "world.h"

static const double gravity = 9.81, radius = 0.02;

// a ball that rolls along a floor at a speed, in a direction
static Stage* roll(double speed, double angle, double rolling, double step)
{
    Stage* s = stage();
    stage_floor(s, 2, 2);
    const int ball = stage_body(s, stage_ball(s, radius, 2000), 0, 0, radius);
    s->bodies[ball].motion.velocity = tw_vec3(speed * cos(angle), speed * sin(angle), 0);
    s->bodies[ball].motion.spin = tw_vec3(-speed / radius * sin(angle), speed / radius * cos(angle), 0);
    s->def.gravity = tw_vec3(0, 0, -gravity);
    s->def.max_step = step;
    stage_pair(s, 0, 0)->rolling = rolling;
    return s;
}

// rolling on at rest takes m a = -f, 2/5 m R^2 W' = f R - rolling m g: a = -5/7 g rolling/R, and a way of v^2/(2 a)
static int ball_stops_at_the_distance_that_rolling_resistance_says(void)
{
    const double angles[] = {0, 0.7, 2};
    for (int i = 0; i < 3; i++)
    {
        const double speed = 0.2, rolling = 1e-3, slowing = 5.0 / 7 * gravity * rolling / radius;
        const double way = speed * speed / (2 * slowing);
        Stage* s = roll(speed, angles[i], rolling, i == 2 ? 2.5e-4 : 1e-3);
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.5 * speed / slowing);
        ENSURE_NEAR(tw_vec3_norm(stage_velocity(s, 1)), 0.5 * speed, 0.01 * speed);
        tw_world_advance(s->world, 1.5 * speed / slowing);
        const twVec3 at = stage_now(s, 1).position;
        ENSURE_NEAR(hypot(at.x, at.y), way, 0.01 * way);
        ENSURE_NEAR(at.y * cos(angles[i]) - at.x * sin(angles[i]), 0, 1e-3 * way);
        ENSURE(tw_vec3_norm(stage_velocity(s, 1)) < 1e-6);
        const twWorldEnergy energy = tw_world_energy(s->world);
        ENSURE(energy.largest_rise <= 1e-13 * energy.start && energy.work == 0);
        ENSURE(tw_world_stats(s->world).failures == 0);
        stage_free(s);
    }
    return 0;
}

static int ball_without_resistance_rolls_on(void)
{
    Stage* s = roll(0.2, 0, 0, 1e-3);
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 2);
    ENSURE_NEAR(stage_velocity(s, 1).x, 0.2, 1e-3 * 0.2);
    stage_free(s);
    return 0;
}

// on a slope below rolling/R it stays, but for a creep of 5/4 g h sine; above it rolls down at 5/7 g (sine - rolling/R cosine)
static int ball_stays_on_a_slope_below_its_resistance(void)
{
    const double slopes[] = {0.5, 2};
    for (int i = 0; i < 2; i++)
    {
        const double rolling = 1e-3, slope = atan(slopes[i] * rolling / radius), time = 0.5;
        Stage* s = roll(0, 0, rolling, 1e-3);
        s->def.gravity = tw_vec3(gravity * sin(slope), 0, -gravity * cos(slope));
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, time);
        const double expected = 5.0 / 7 * gravity * (sin(slope) - rolling / radius * cos(slope)) * time;
        if (i == 0)
            ENSURE(fabs(stage_velocity(s, 1).x) <= 1.3 * gravity * 1e-3 * sin(slope));
        else
            ENSURE_NEAR(stage_velocity(s, 1).x, expected, 0.03 * expected);
        stage_free(s);
    }
    return 0;
}

// marbles thrown at each other: never more energy, and all of them stop; one or the other may hop on the spot for a while
static int marbles_on_a_floor_come_to_rest(void)
{
    Stage* s = roll(0.3, 0, 1e-3, 1e-3);
    const twBodyShape* marble = stage_ball(s, 0.01, 2500);
    for (int i = 0; i < 9; i++)
    {
        const int b = stage_body(s, marble, 0.1 + 0.03 * (i % 3), 0.03 * (i / 3) - 0.03, 0.01);
        s->bodies[b].motion.velocity = tw_vec3(-0.1 * (i % 2), 0.05 * (i % 4), 0);
    }
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 3);
    for (int b = 1; b < s->def.body_count; b++) ENSURE(hypot(stage_velocity(s, b).x, stage_velocity(s, b).y) < 1e-6);
    ENSURE(tw_world_energy(s->world).largest_rise <= 1e-13 * tw_world_energy(s->world).start);
    ENSURE(tw_world_stats(s->world).failures == 0);
    stage_free(s);
    return 0;
}

// a belt under a ball at rest drags it along less than its surface: work is the belt's
static void belt(double time, twBodyMotion* out, void* context)
{
    (void)time;
    (void)context;
    out->position = tw_vec3(0, 0, -0.025);
    out->velocity = tw_vec3(0.1, 0, 0);
}

static int ball_on_a_belt_is_taken_along(void)
{
    Stage* s = roll(0, 0, 1e-3, 1e-3);
    s->bodies[0].kind = TW_BODY_MOVED;
    s->bodies[0].path = belt;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 1);
    ENSURE_NEAR(stage_velocity(s, 1).x, 0.1, 1e-3);
    ENSURE(tw_vec3_norm(stage_now(s, 1).spin) < 1e-3);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(energy.work > energy.kinetic && energy.largest_rise <= 1e-12 * energy.work);
    stage_free(s);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(ball_stops_at_the_distance_that_rolling_resistance_says)
    RUN(ball_without_resistance_rolls_on)
    RUN(ball_stays_on_a_slope_below_its_resistance)
    RUN(marbles_on_a_floor_come_to_rest)
    RUN(ball_on_a_belt_is_taken_along)
)
