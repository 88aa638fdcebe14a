// SPDX-License-Identifier: MIT
// Rigid bodies that collide and slide. Expected values: the closed form of the impact law, Coulomb, momentum, energy.
#include "world.h"

static const double gravity = 9.81;

// ---- rebound ----

// two balls that meet head on, somewhere across all axes
typedef struct Clash
{
    double max_step, per_impact;  // of the world
    double restitution, speed, offset;
    double friction;
    twVec3 spin;
    twContactMethod method;
} Clash;

static Stage* clash_stage(const Clash* clash, const twImpactLaw* law)
{
    Stage* s = stage();
    const twVec3 way = tw_vec3_normalize(tw_vec3(1, 2, -0.5)), side = tw_vec3_normalize(tw_vec3(2, -1, 0));
    const double r[2] = {0.01, 0.015};
    for (int b = 0; b < 2; b++)
    {
        stage_body(s, stage_ball(s, r[b], 7850), 0, 0, 0);
        twBodyMotion* m = &s->bodies[b].motion;
        m->position = tw_vec3_scale(way, b ? 0.02 : -0.011);
        if (b) m->position = tw_vec3_add_scaled(m->position, side, clash->offset);
        m->velocity = tw_vec3_scale(way, clash->speed * (b ? -0.25 : 0.75));
        m->spin = b ? tw_vec3(0, 0, 0) : clash->spin;
    }
    s->def.gravity = tw_vec3(0, 0, 0);
    s->def.max_step = clash->max_step;
    s->def.steps_per_impact = clash->per_impact;
    s->def.method = clash->method;
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = *law;
    pair->friction.static_friction = pair->friction.dynamic_friction = clash->friction;
    must(stage_start(s), &s->err);
    return s;
}

static double ball_mass(const Stage* s, int b) { return tw_body_shape_mass(s->bodies[b].shape).mass; }

// speed of parting along the line of centres as of a frictionless impact
static double parting(const Stage* s)
{
    const twVec3 line = tw_vec3_normalize(tw_vec3_sub(stage_centre(s, 1), stage_centre(s, 0)));
    return tw_vec3_dot(tw_vec3_sub(stage_velocity(s, 1), stage_velocity(s, 0)), line);
}

static int two_balls_rebound_by_the_law_at_default_steps(void)
{
    const double wanted[] = {0.3, 0.6, 0.9, 1}, stiffness[] = {1e7, 1e9, 1e11};
    for (int i = 0; i < 12; i++)
    {
        const twImpactLaw law = {stiffness[i / 4], 1.5, tw_impact_dissipation(wanted[i % 4], 1)};
        const Clash clash = {.max_step = 1e-3, .per_impact = 4, .speed = 1};
        Stage* s = clash_stage(&clash, &law);
        tw_world_advance(s->world, 0.03);
        ENSURE_NEAR(parting(s), wanted[i % 4], 0.01);
        ENSURE(tw_world_energy(s->world).largest_rise <= 1e-12 * tw_world_energy(s->world).start);
        stage_free(s);
    }
    return 0;
}

// contacts of about 0.1, 1, 4 and 40 steps
static int rebound_is_right_from_four_steps_on_and_never_gains(void)
{
    const double steps[] = {1e-3, 1e-4, 2.5e-5, 2.5e-6};
    for (int i = 0; i < 8; i++)
    {
        const twImpactLaw law = {3e8, 1.5, i < 4 ? 0.3 : 0};
        const Clash clash = {.max_step = steps[i % 4], .per_impact = 0, .speed = 1};
        Stage* s = clash_stage(&clash, &law);
        const double ma = ball_mass(s, 0), mb = ball_mass(s, 1);
        const twImpactExact exact = tw_impact_exact(&law, ma * mb / (ma + mb), 1);
        tw_world_advance(s->world, 0.02);
        if (exact.contact_time > 4 * steps[i % 4]) ENSURE_NEAR(parting(s), -exact.v_out, 0.01);
        ENSURE(parting(s) > 0);
        const twWorldEnergy energy = tw_world_energy(s->world);
        ENSURE(stage_energy(s) <= energy.start * (1 + 1e-12));
        ENSURE(energy.largest_rise <= 1e-12 * energy.start);
        ENSURE_NEAR(tw_vec3_norm(stage_momentum(s)), fabs(0.75 * ma - 0.25 * mb), 1e-12 * ma);
        stage_free(s);
    }
    return 0;
}

// height of the apex after the first impact of a ball dropped on a plate
static double bounce_height(double max_step, double per_impact, const twImpactLaw* law, double height, double* rise)
{
    Stage* s = stage();
    const double radius = 0.01;
    stage_floor(s, 0.2, 0.2);
    const int ball = stage_body(s, stage_ball(s, radius, 7850), 0.013, -0.02, radius + height);
    s->def.max_step = max_step;
    s->def.steps_per_impact = per_impact;
    stage_pair(s, 0, 0)->impact = *law;
    must(stage_start(s), &s->err);
    double apex = 0, low = height;
    for (int i = 1; i < 500; i++)
    {
        tw_world_advance(s->world, 1e-3 * i);
        const double z = stage_centre(s, ball).z - radius;
        if (z < low) low = z;
        if (i * 1e-3 > 1.1 * sqrt(2 * height / gravity) && z > apex) apex = z;
        if (apex > 0 && z < apex) break;
    }
    const twWorldEnergy energy = tw_world_energy(s->world);
    *rise = fmax(energy.largest_rise / energy.start, stage_energy(s) / energy.start - 1);
    stage_free(s);
    return apex;
}

static int ball_on_a_plate_rebounds_by_the_law(void)
{
    const double height = 0.05, speed = sqrt(2 * gravity * height);
    const double wanted[] = {0.5, 0.9};
    for (int i = 0; i < 2; i++)
    {
        const twImpactLaw law = {1e9, 1.5, tw_impact_dissipation(wanted[i], speed)};
        double rise, apex = bounce_height(1e-3, 4, &law, height, &rise);
        ENSURE_NEAR(sqrt(2 * gravity * apex), wanted[i] * speed, 0.01 * speed);
        ENSURE(rise <= 1e-12);
        for (double step = 1e-3; step > 1e-5; step *= 0.2)
        {
            apex = bounce_height(step, 0, &law, height, &rise);
            ENSURE(apex <= height && rise <= 1e-12);
        }
    }
    return 0;
}

// ---- oblique ----

static int oblique_balls_keep_momentum_and_lose_what_the_law_takes(void)
{
    const twImpactLaw law = {1e9, 1.5, 0.2};
    const Clash clash = {.max_step = 1e-3, .per_impact = 16, .speed = 2, .offset = 0.012};
    Stage* s = clash_stage(&clash, &law);
    const double ma = ball_mass(s, 0), mb = ball_mass(s, 1), reduced = ma * mb / (ma + mb);
    const twVec3 before = stage_momentum(s), turning = stage_whole_turning(s);
    // along the line of centres when they touch
    const double normal = clash.speed * sqrt(1 - pow(clash.offset / 0.025, 2));
    const double out = tw_impact_exact(&law, reduced, normal).v_out;
    tw_world_advance(s->world, 0.03);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(away(stage_momentum(s), before) <= 1e-12 * ma * clash.speed);
    ENSURE(away(stage_whole_turning(s), turning) <= 1e-9 * tw_vec3_norm(turning));
    const double loss = 0.5 * reduced * (normal * normal - out * out);
    ENSURE_NEAR(energy.start - energy.kinetic, loss, 0.01 * loss);
    ENSURE(tw_vec3_norm(stage_now(s, 0).spin) < 1e-9 && tw_vec3_norm(stage_now(s, 1).spin) < 1e-9);
    stage_free(s);
    return 0;
}

static int rough_spinning_balls_keep_momentum_and_never_gain(void)
{
    const twImpactLaw law = {1e9, 1.5, 0.1};
    for (int i = 0; i < 6; i++)
    {
        const Clash clash = {.max_step = i % 2 ? 1e-3 : 1e-4,
                             .per_impact = i % 3 ? 4 : 0,
                             .speed = 2,
                             .offset = 0.01,
                             .friction = 0.4,
                             .spin = tw_vec3(30, -300, 100. * i)};
        Stage* s = clash_stage(&clash, &law);
        const twVec3 before = stage_momentum(s), turning = stage_whole_turning(s);
        tw_world_advance(s->world, 0.03);
        const twWorldEnergy energy = tw_world_energy(s->world);
        ENSURE(parting(s) > 0);
        ENSURE(away(stage_momentum(s), before) <= 1e-12 * ball_mass(s, 0) * clash.speed);
        ENSURE(away(stage_whole_turning(s), turning) <= 1e-9 * tw_vec3_norm(turning));
        ENSURE(energy.kinetic < energy.start && energy.largest_rise <= 1e-12 * energy.start);
        ENSURE(tw_vec3_norm(stage_now(s, 1).spin) > 1);
        stage_free(s);
    }
    return 0;
}

// a ball that slides across a plate with a hit: while it slips the whole time, tangential impulse is mu times the normal one
static int slipping_impact_obeys_coulomb(void)
{
    Stage* s = stage();
    stage_floor(s, 0.5, 0.5);
    const int ball = stage_body(s, stage_ball(s, 0.01, 7850), -0.05, 0, 0.011);
    s->bodies[ball].motion.velocity = tw_vec3(3, 0, -1);
    s->def.gravity = tw_vec3(0, 0, 0);
    s->def.steps_per_impact = 16;
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->friction.static_friction = pair->friction.dynamic_friction = 0.1;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.02);
    const twVec3 v = stage_velocity(s, ball);
    const twMassProperties mass = tw_body_shape_mass(s->bodies[ball].shape);
    const double impulse = mass.mass * (v.z + 1);
    ENSURE(v.z > 0.5);
    ENSURE_NEAR(mass.mass * (3 - v.x), 0.1 * impulse, 0.001 * impulse);
    ENSURE_NEAR(stage_turning(s, ball).y, 0.01 * 0.1 * impulse, 0.01 * 0.001 * impulse);
    stage_free(s);
    return 0;
}

// ---- friction ----

// how far a block has gone down a slope after a time, and how fast it is
static double slope_run(double angle, double time, double* speed, twContactMethod method)
{
    Stage* s = stage();
    const twQuat tilt = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), angle);
    const int floor = stage_floor(s, 2, 0.4);
    const int block = stage_body(s, stage_box(s, 0.1, 0.08, 0.03, 700), 0, 0, 0);
    s->bodies[floor].motion.turn = s->bodies[block].motion.turn = tilt;
    s->bodies[floor].motion.position = tw_quat_rotate(tilt, tw_vec3(0, 0, -0.025));
    s->bodies[block].motion.position = tw_quat_rotate(tilt, tw_vec3(0, 0, 0.015));
    s->def.method = method;
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->friction.static_friction = 0.5;
    pair->friction.dynamic_friction = 0.4;
    pair->friction.stribeck = 1e-6;  // at once
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, time);
    const twVec3 way = tw_quat_rotate(tilt, tw_vec3(1, 0, 0));
    *speed = tw_vec3_dot(stage_velocity(s, block), way);
    const double gone = tw_vec3_dot(tw_vec3_sub(stage_centre(s, block), s->bodies[block].motion.position), way);
    stage_free(s);
    return gone;
}

static int block_sticks_below_the_friction_angle_and_slides_above(void)
{
    const double degree = TW_PI / 180, below = atan(0.4) - degree, above = atan(0.5) + degree, time = 0.3;
    double speed;
    ENSURE_NEAR(slope_run(below, time, &speed, TW_CONTACT_COMPLIANT), 0, 1e-6);
    ENSURE_NEAR(speed, 0, 1e-6);
    const double fall = gravity * (sin(above) - 0.4 * cos(above)), way = 0.5 * fall * time * time;
    ENSURE_NEAR(slope_run(above, time, &speed, TW_CONTACT_COMPLIANT), way, 0.01 * way);
    ENSURE_NEAR(speed, fall * time, 0.01 * fall * time);
    return 0;
}

static twVec3 ramp(double time, void* context)
{
    const double* rate = context;
    return tw_vec3(0, time > 0.1 ? *rate * (time - 0.1) : 0, 0);
}

// a block that has settled and is pushed ever harder: it goes when the push is stick times its weight
static int settled_block_breaks_away_at_the_static_coefficient(void)
{
    Stage* s = stage();
    stage_floor(s, 1, 1);
    const int block = stage_body(s, stage_box(s, 0.1, 0.1, 0.02, 700), 0, 0, 0.01);
    const double weight = gravity * tw_body_shape_mass(s->bodies[block].shape).mass;
    double rate = weight, last = 0, force = 0;  // [N/s]
    s->pushes[0] = (twPushDef){.body = block, .vertex = -1, .force = ramp, .context = &rate, .begin = 0, .end = 1};
    s->def.push_count = 1;
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->friction.static_friction = pair->friction.dynamic_friction = 0.5;
    must(stage_start(s), &s->err);
    for (double time = 0; time < 0.8 && !(last > 2e-7); time += 5e-4)
    {
        tw_world_advance(s->world, time);
        force = ramp(time, &rate).y;
        last = stage_centre(s, block).y;
    }
    ENSURE_NEAR(force, 0.5 * weight, 0.01 * weight);
    ENSURE(tw_world_energy(s->world).largest_rise <= 1e-9 * tw_world_energy(s->world).start);
    stage_free(s);
    return 0;
}

static twVec3 steady(double time, void* context)
{
    (void)time;
    return *(const twVec3*)context;
}

// pushes that begin and end inside steps of 1 ms, and one that is shorter than that
static int push_gives_force_times_time(void)
{
    const double begin[] = {0, 0.00317, 0.0031, 0.00385, 0.0031}, length[] = {0.01, 0.01, 1e-4, 0.0105, 6e-4};
    for (int i = 0; i < 10; i++)
    {
        Stage* s = stage();
        twVec3 force = {3, 0, 0};
        s->def.gravity = tw_vec3(0, 0, 0);
        s->def.no_private_clocks = i >= 5;
        const int block = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 0);
        s->pushes[0] = (twPushDef){.body = block,
                                   .vertex = -1,
                                   .force = steady,
                                   .context = &force,
                                   .begin = begin[i % 5],
                                   .end = begin[i % 5] + length[i % 5]};
        s->def.push_count = 1;
        ENSURE(stage_start(s));
        tw_world_advance(s->world, 0.03);
        ENSURE_NEAR(stage_now(s, block).velocity.x, 3 * length[i % 5], 1e-12);
        stage_free(s);
    }
    return 0;
}

static int hard_contacts_stick_and_slide_too(void)
{
    const double limit = atan(0.5), degree = TW_PI / 180, angle = limit + degree;
    const twContactMethod methods[] = {TW_CONTACT_HARD, TW_CONTACT_STAGGERED};
    for (int i = 0; i < 2; i++)
    {
        double speed, fall = gravity * (sin(angle) - 0.4 * cos(angle));
        ENSURE_NEAR(slope_run(atan(0.4) - degree, 0.2, &speed, methods[i]), 0, 1e-4);
        slope_run(angle, 0.2, &speed, methods[i]);
        ENSURE_NEAR(speed, fall * 0.2, 0.02 * fall * 0.2);
    }
    return 0;
}

// a block thrown along a level floor. @return where it has stopped
static double slide_run(const Stage* how, double sticks, double stiffness)
{
    Stage* s = stage();
    s->def = how->def;
    stage_floor(s, 1, 0.4);
    const int block = stage_body(s, stage_box(s, 0.1, 0.08, 0.03, 700), -0.3, 0, 0.015);
    s->bodies[block].motion.velocity = tw_vec3(1, 0, 0);
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->friction.static_friction = sticks;
    pair->friction.dynamic_friction = 0.4;
    pair->friction.stribeck = 1e-6;  // at once
    if (stiffness > 0) pair->impact.stiffness = stiffness;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.35);
    const double gone = stage_centre(s, block).x + 0.3;
    stage_free(s);
    return gone;
}

static int sliding_block_stops_where_friction_says(void)
{
    Stage* how = stage();
    const double expected = 1 / (2 * 0.4 * gravity);
    const twContactMethod methods[] = {TW_CONTACT_COMPLIANT, TW_CONTACT_HARD, TW_CONTACT_STAGGERED};
    for (int i = 0; i < 3; i++)
    {
        how->def.method = methods[i];
        ENSURE_NEAR(slide_run(how, 0.5, 0), expected, 0.01 * expected);
    }
    stage_free(how);
    return 0;
}

// at a given step; and both find the place where the block should stop as the step goes to 0
static int stiffer_contacts_converge_to_hard_ones(void)
{
    Stage* how = stage();
    how->def.method = TW_CONTACT_HARD;
    const double hard = slide_run(how, 0.4, 0), exact = 1 / (2 * 0.4 * gravity);
    how->def.method = TW_CONTACT_COMPLIANT;
    double last = fabs(slide_run(how, 0.4, 1e7) - hard);
    for (double k = 1e8; k < 1e12; k *= 10)
    {
        const double miss = fabs(slide_run(how, 0.4, k) - hard);
        ENSURE(miss < fmax(0.5 * last, 5e-7));
        last = miss;
    }
    ENSURE(last < 5e-7);

    how->def.max_step = 2.5e-4;
    ENSURE(fabs(slide_run(how, 0.4, 1e8) - exact) < 1e-5);
    how->def.method = TW_CONTACT_HARD;
    ENSURE(fabs(slide_run(how, 0.4, 0) - exact) < 0.26 * fabs(hard - exact));  // of first order at least
    stage_free(how);
    return 0;
}

// ---- rods ----

static Stage* rod_stage(double angle, double speed, double per_impact)
{
    Stage* s = stage();
    const double half = 0.15, thick = 0.01;
    stage_floor(s, 1, 0.3);
    const int rod = stage_body(s, stage_box(s, 2 * half, 2 * thick, 2 * thick, 7850), 0, 0, 0);
    twBodyMotion* m = &s->bodies[rod].motion;
    m->turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), angle);
    m->position.z = half * sin(fabs(angle)) + thick * cos(angle) + 1e-3;
    m->velocity.z = -speed;
    s->def.gravity = tw_vec3(0, 0, 0);
    s->def.steps_per_impact = per_impact;
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = (twImpactLaw){1e9, 1.5, tw_impact_dissipation(0.7, 1)};
    pair->friction.static_friction = pair->friction.dynamic_friction = 0;
    must(stage_start(s), &s->err);
    return s;
}

static int rod_dropped_flat_rebounds_without_spin(void)
{
    Stage* s = rod_stage(0, 1, 4);
    tw_world_advance(s->world, 0.01);
    const twBodyMotion m = stage_now(s, 1);
    ENSURE_NEAR(m.velocity.z, 0.7, 0.007);
    ENSURE(tw_vec3_norm(m.spin) < 1e-9);
    ENSURE(fabs(m.velocity.x) < 1e-12 && fabs(m.velocity.y) < 1e-12);
    stage_free(s);
    return 0;
}

// the end that hits turns back as the law says; impulse through 1/m_eff = 1/m + arm^2/I
static int rod_dropped_on_an_end_rebounds_and_turns(void)
{
    for (int i = 0; i < 3; i++)
    {
        const double angle = (i - 1 ? i - 1 : 0.5) * 0.4;
        Stage* s = rod_stage(angle, 1, 8);
        const twMassProperties mass = tw_body_shape_mass(s->bodies[1].shape);
        tw_world_advance(s->world, 2.5e-3);
        const twBodyMotion m = stage_now(s, 1);
        // arm from the centre to the lower edge, at the moment of touch
        const twVec3 corner = tw_vec3(angle > 0 ? 0.15 : -0.15, 0, -0.01);
        const double arm = tw_quat_rotate(s->bodies[1].motion.turn, corner).x, turn = mass.inertia.m[1][1];
        const double impulse = 1.7 / (1 / mass.mass + arm * arm / turn);
        ENSURE_NEAR(m.velocity.z, -1 + impulse / mass.mass, 0.01);
        ENSURE_NEAR(m.spin.y, -arm * impulse / turn, 0.01 * fabs(arm * impulse / turn));
        ENSURE(fabs(m.spin.x) < 1e-6 * fabs(m.spin.y) && fabs(m.spin.z) < 1e-6 * fabs(m.spin.y));
        stage_free(s);
    }
    return 0;
}

// ---- steps ----

// where a ball is after it has slid and rolled over a plate and hit it: step h, all together
static twVec3 step_run(double h, bool clocks)
{
    Stage* s = stage();
    stage_floor(s, 1, 0.5);
    const int ball = stage_body(s, stage_ball(s, 0.02, 2500), -0.1, 0, 0.0201);
    s->bodies[ball].motion.velocity = tw_vec3(0.5, 0.1, -0.05);
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = (twImpactLaw){1e6, 1.5, 0.3};
    s->def.max_step = h;
    s->def.steps_per_impact = 0;
    s->def.no_private_clocks = !clocks;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.064);
    const twVec3 at = tw_world_motion(s->world, ball, 0.064, NULL, NULL).position;
    stage_free(s);
    return at;
}

static int halving_the_step_converges(void)
{
    const twVec3 best = step_run(2e-6, false);
    double miss[4];
    for (int i = 0; i < 4; i++) miss[i] = away(step_run(1.6e-4 / (1 << i), false), best);
    // contacts begin inside a step: between first and second order
    ENSURE(miss[3] < miss[0] / 6);
    ENSURE(miss[3] < 1e-5);
    return 0;
}

static int private_clocks_change_no_more_than_the_step_does(void)
{
    const twVec3 best = step_run(2e-6, false);
    const double miss = away(step_run(4e-5, false), best);
    ENSURE(away(step_run(4e-5, true), best) < 4 * miss + 1e-6);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(two_balls_rebound_by_the_law_at_default_steps)
    RUN(rebound_is_right_from_four_steps_on_and_never_gains)
    RUN(ball_on_a_plate_rebounds_by_the_law)
    RUN(oblique_balls_keep_momentum_and_lose_what_the_law_takes)
    RUN(rough_spinning_balls_keep_momentum_and_never_gain)
    RUN(slipping_impact_obeys_coulomb)
    RUN(block_sticks_below_the_friction_angle_and_slides_above)
    RUN(settled_block_breaks_away_at_the_static_coefficient)
    RUN(push_gives_force_times_time)
    RUN(hard_contacts_stick_and_slide_too)
    RUN(sliding_block_stops_where_friction_says)
    RUN(stiffer_contacts_converge_to_hard_ones)
    RUN(rod_dropped_flat_rebounds_without_spin)
    RUN(rod_dropped_on_an_end_rebounds_and_turns)
    RUN(halving_the_step_converges)
    RUN(private_clocks_change_no_more_than_the_step_does)
)
