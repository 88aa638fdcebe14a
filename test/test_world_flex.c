// SPDX-License-Identifier: MIT
// Bodies that vibrate while they touch. Expected values: beam theory, the closed form of a damped oscillator, momentum, energy.
#include "ode.h"
#include "world.h"

static const double gravity = 9.81;

static const Beam ruler = {
    .size = {0.3, 0.03, 0.002}, .density = 7850, .young = 2e11, .cells = 30, .modes = 8, .clamped = true, .decay = 60};

// ---- statics ----

// deflection of a clamped beam under a load P at a, seen at a: P a^3/(3 E I)
static const double load_place = 0.28;

static Stage* loaded_stage(bool adaptive)
{
    Stage* s = stage();
    const int beam = stage_body(s, stage_beam(s, &ruler), 0, 0, 0);
    s->bodies[beam].kind = TW_BODY_FIXED;
    stage_body(s, stage_box(s, 0.01, 0.02, 0.02, 12000), load_place - 0.15, 0, 0.0111);
    s->def.no_mode_adaptation = !adaptive;
    return s;
}

static double load_expected(const Stage* s)
{
    const double load = gravity * tw_body_shape_mass(s->bodies[1].shape).mass;
    const double bending = ruler.young * ruler.size.y * pow(ruler.size.z, 3) / 12;
    return load * pow(load_place, 3) / (3 * bending);
}

// how far the beam is bent down where the load is
static double load_bend(const Stage* s)
{
    double q[8], bend = 0, slope;
    tw_world_motion(s->world, 0, tw_world_time(s->world), q, NULL);
    for (int k = 0; k < 8; k++)
        bend -= q[k] * beam_shape(true, k, load_place / ruler.size.x, &slope) / sqrt(beam_mass(&ruler));
    return bend;
}

static int weight_on_a_cantilever_bends_it_by_beam_theory(void)
{
    for (int i = 0; i < 2; i++)
    {
        Stage* s = loaded_stage(i == 1);
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.4);
        const double expected = load_expected(s);
        ENSURE(expected > 3e-4);
        ENSURE_NEAR(load_bend(s), expected, 0.005 * expected);
        ENSURE_NEAR(stage_centre(s, 1).z, 0.011 - expected, 0.01 * expected);
        stage_free(s);
    }
    return 0;
}

static twVec3 lift(double time, void* context)
{
    (void)context;
    return tw_vec3(0, 0, time >= 0.7 ? 5 : 0);
}

// the modes of a beam that carries something sleep, silent and bent; if the load is taken away the beam swings back
static int beam_sleeps_bent_under_its_load_until_it_goes(void)
{
    Stage* s = loaded_stage(true);
    Jitter* jitter = calloc(1, sizeof *jitter);
    s->pushes[0] = (twPushDef){.body = 1, .vertex = -1, .force = lift, .begin = 0.7, .end = 1};
    s->def.push_count = 1;
    must(stage_start(s), &s->err);
    for (int i = 1; i <= 69; i++)
    {
        if (i == 60) jitter_begin(jitter);
        tw_world_advance(s->world, 0.01 * i);
        jitter_take(jitter, s->world);
    }
    const double expected = load_expected(s);
    ENSURE(tw_world_active_modes(s->world, 0) == 0);
    ENSURE_NEAR(load_bend(s), expected, 0.005 * expected);
    ENSURE(jitter_worst(jitter) < 1e-6);
    double back = expected;
    for (int i = 70; i <= 80; i++)
    {
        tw_world_advance(s->world, 0.01 * i);
        back = fmin(back, load_bend(s));
    }
    ENSURE(back < 0);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(energy.largest_rise <= 1e-9 * energy.start);
    free(jitter);
    stage_free(s);
    return 0;
}

// ---- ringing ----

static Stage* pluck_stage(double step, double* amplitude)
{
    Stage* s = stage();
    Beam beam = ruler;
    beam.decay = 3;
    const int b = stage_body(s, stage_beam(s, &beam), 0, 0, 0);
    s->bodies[b].kind = TW_BODY_FIXED;
    s->bodies[b].amplitude = amplitude;
    s->def.max_step = step;
    s->def.no_mode_adaptation = true;
    must(stage_start(s), &s->err);
    return s;
}

static int plucked_modes_ring_at_their_pitch_however_long_the_steps(void)
{
    for (int i = 0; i < 3; i++)
    {
        double amplitude[8] = {1e-3, -5e-4, 2e-4}, q[8];
        Stage* s = pluck_stage(i == 0 ? 1e-3 : i == 1 ? 3e-4 : 2e-5, amplitude);
        const double time = 0.2;
        tw_world_advance(s->world, time);
        const double now = tw_world_time(s->world);
        tw_world_motion(s->world, 0, now, q, NULL);
        for (int k = 0; k < 3; k++)
        {
            const double w0 = beam_frequency(&ruler, k), c = 3, w = sqrt(w0 * w0 - c * c);
            const double exact = amplitude[k] * exp(-c * now) * (cos(w * now) + c / w * sin(w * now));
            ENSURE_NEAR(q[k], exact, 0.02 * fabs(amplitude[k]));
        }
        ENSURE(tw_world_energy(s->world).largest_rise <= 1e-12 * tw_world_energy(s->world).start);
        stage_free(s);
    }
    return 0;
}

// a push at the tip of which the modes' answer is known: a step of force
static twVec3 lean(double time, void* context)
{
    (void)context;
    return tw_vec3(0, 0, time >= 0 ? 1 : 0);
}

static int push_at_the_tip_bends_by_beam_theory(void)
{
    Stage* s = stage();
    const int beam = stage_body(s, stage_beam(s, &ruler), 0, 0, 0);
    s->bodies[beam].kind = TW_BODY_FIXED;
    const int tip = tw_body_shape_nearest(s->bodies[beam].shape, tw_vec3(0.15, 0, 0.001));
    s->pushes[0] = (twPushDef){.body = beam, .vertex = tip, .force = lean, .begin = 0, .end = 10};
    s->def.push_count = 1;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.4);
    const double bending = ruler.young * ruler.size.y * pow(ruler.size.z, 3) / 12;
    const double expected = pow(ruler.size.x, 3) / (3 * bending);
    const twVec3 at = tw_world_point(s->world, beam, tip, tw_world_time(s->world), NULL);
    ENSURE_NEAR(at.z - 0.001, expected, 0.005 * expected);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE_NEAR(energy.elastic, 0.5 * expected, 0.02 * expected);
    ENSURE(energy.work >= energy.elastic && energy.largest_rise <= 1e-9 * energy.work);
    stage_free(s);
    return 0;
}

// ---- frames that accelerate ----

// how the foot of the beam, at x = -L/2, is led: along z, or turned about y
typedef struct Lead
{
    double swing, rate;  // z = swing (1 - cos rate t)
    double lift, turn;   // [m/s^2], [rad/s^2]
} Lead;

static void lead_path(double t, twBodyMotion* out, void* context)
{
    const Lead* lead = context;
    const twVec3 foot = tw_vec3(-0.5 * ruler.size.x, 0, 0);
    const double angle = 0.5 * lead->turn * t * t;
    out->turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), angle);
    out->spin = tw_vec3(0, lead->turn * t, 0);
    const twVec3 arm = tw_quat_rotate(out->turn, foot);
    out->position = tw_vec3_sub(foot, arm);
    out->velocity = tw_vec3_scale(tw_vec3_cross(out->spin, arm), -1);
    out->position.z += lead->swing * (1 - cos(lead->rate * t)) + 0.5 * lead->lift * t * t;
    out->velocity.z += lead->swing * lead->rate * sin(lead->rate * t) + lead->lift * t;
}

static Stage* led_stage(const Beam* beam, Lead* lead)
{
    Stage* s = stage();
    const int body = stage_body(s, stage_beam(s, beam), 0, 0, 0);
    s->bodies[body].kind = TW_BODY_MOVED;
    s->bodies[body].path = lead_path;
    s->bodies[body].path_context = lead;
    return s;
}

// integrals of the shape, and of it times x/L from the foot: 2 s/b, 2/b^2
static double beam_lean(int k)
{
    const double b = beam_root(true, k);
    return 2 * (cosh(b) + cos(b)) / (sinh(b) + sin(b)) / b;
}

// the base shaken from rest: mode k swings as -p a (cos rate t - cos w t)/(w^2 - rate^2)
static int cantilever_on_a_shaken_base_swings_as_in_closed_form(void)
{
    Beam beam = ruler;
    beam.decay = 0;
    beam.cells = 40;
    Lead lead = {.swing = 1e-4, .rate = 0.7 * beam_frequency(&beam, 0)};
    Stage* s = led_stage(&beam, &lead);
    s->def.no_mode_adaptation = true;
    must(stage_start(s), &s->err);
    for (int i = 1; i <= 20; i++)
    {
        double t = 5e-3 * i, q[8];
        tw_world_advance(s->world, t);
        tw_world_motion(s->world, 0, t, q, NULL);
        for (int k = 0; k < 2; k++)
        {
            const double w = beam_frequency(&beam, k), p = sqrt(beam_mass(&beam)) * beam_lean(k);
            const double size = p * lead.swing * lead.rate * lead.rate / fabs(w * w - lead.rate * lead.rate);
            const double expected = size * (w > lead.rate ? -1 : 1) * (cos(lead.rate * t) - cos(w * t));
            ENSURE_NEAR(q[k], expected, 0.06 * size);
        }
    }
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(energy.largest_rise <= 1e-12 * energy.kinetic + 1e-15);
    ENSURE_NEAR(energy.kinetic + energy.elastic, energy.work, 1e-9 * (energy.kinetic + energy.elastic));
    stage_free(s);
    return 0;
}

// lifted ever faster it bends by density A a L^4/(8 E I); turned ever faster about its foot each mode bends by p W'/w^2, p = sqrt(m) L 2/b^2;
// asleep or not
static int cantilever_that_speeds_up_bends_by_beam_theory(void)
{
    for (int i = 0; i < 3; i++)
    {
        Beam beam = ruler;
        beam.decay = 60;
        beam.cells = 40;
        Lead lead = {.lift = i < 2 ? 30 : 0, .turn = i < 2 ? 0 : 100};
        Stage* s = led_stage(&beam, &lead);
        s->def.no_mode_adaptation = i == 1;
        must(stage_start(s), &s->err);
        double q[8], tip = 0, slope, time = 0.2;
        tw_world_advance(s->world, time);
        tw_world_motion(s->world, 0, time, q, NULL);
        for (int k = 0; k < 8; k++) tip += q[k] * beam_shape(true, k, 1, &slope) / sqrt(beam_mass(&beam));
        const double bending = beam.young * beam.size.y * pow(beam.size.z, 3) / 12;
        const double load = beam.density * beam.size.y * beam.size.z * lead.lift;
        const double w = beam_frequency(&beam, 0), b = beam_root(true, 0);
        const double mode = sqrt(beam_mass(&beam)) * beam.size.x * 2 / (b * b) * lead.turn / (w * w);
        if (i < 2)
            ENSURE_NEAR(-tip, load * pow(beam.size.x, 4) / (8 * bending), 0.02 * fabs(tip));
        else
            ENSURE_NEAR(q[0], mode, 0.02 * mode);
        stage_free(s);
    }
    return 0;
}

// ---- impact ----

static const Beam strip = {
    .size = {0.3, 0.1, 0.004}, .density = 2700, .young = 6.9e10, .cells = 12, .modes = 6, .decay = 5};

// a ball that hits a free strip flying in nothing, off its middle
static Stage* strike_stage(bool rigid, double decay, double speed, double x)
{
    Stage* s = stage();
    Beam beam = strip;
    beam.decay = decay;
    const int target = stage_body(s, stage_beam(s, &beam), 0, 0, 0);
    s->bodies[target].rigid = rigid;
    const int ball = stage_body(s, stage_ball(s, 0.01, 7850), x, 0.01, 0.0125);
    s->bodies[ball].motion.velocity = tw_vec3(0, 0, -speed);
    s->def.gravity = tw_vec3(0, 0, 0);
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = (twImpactLaw){1e8, 1.5, 0};
    pair->friction.static_friction = pair->friction.dynamic_friction = 0;
    return s;
}

static int struck_strip_takes_energy_into_its_modes_and_keeps_momentum(void)
{
    double out[2];
    for (int i = 0; i < 2; i++)
    {
        Stage* s = strike_stage(i == 1, 0, 1, 0.1);
        must(stage_start(s), &s->err);
        const twVec3 momentum = stage_momentum(s);
        tw_world_advance(s->world, 0.02);
        const twWorldEnergy energy = tw_world_energy(s->world);
        const double size = tw_vec3_norm(momentum);
        ENSURE(away(stage_momentum(s), momentum) < 1e-12 * size);
        ENSURE(away(stage_whole_turning(s), tw_vec3_cross(tw_vec3(0.1, 0.01, 0), momentum)) < 1e-5 * size);
        ENSURE_NEAR(stage_energy(s), energy.start, 1e-5 * energy.start);
        ENSURE(energy.largest_rise <= 1e-9 * energy.start);
        out[i] = stage_velocity(s, 1).z;
        stage_free(s);
    }
    // some of it rings on: the ball leaves slower than from a rigid strip
    ENSURE(out[0] < out[1] - 0.02);
    return 0;
}

// the same by an ODE solver: ball, rigid motion of the strip in z and about y, four modes
typedef struct Strike
{
    double ball, mass, inertia, arm, row[4], w2[4];
    twImpactLaw law;
} Strike;

// y: places of ball and strip, its angle, modes; then their rates
static void strike_rate(const double* y, double* rate, const void* context)
{
    const Strike* st = context;
    double depth = -y[0] + y[1] - st->arm * y[2], force;
    for (int k = 0; k < 4; k++) depth += st->row[k] * y[3 + k];
    force = tw_impact_force(&st->law, depth, 0);
    for (int k = 0; k < 7; k++) rate[k] = y[7 + k];
    rate[7] = force / st->ball;
    rate[8] = -force / st->mass;
    rate[9] = force * st->arm / st->inertia;
    for (int k = 0; k < 4; k++) rate[10 + k] = -st->w2[k] * y[3 + k] - st->row[k] * force;
}

static int struck_strip_rings_as_an_ode_solver_says(void)
{
    Stage* s = stage();
    Beam beam = strip;
    beam.decay = 0;
    beam.modes = 4;
    const int target = stage_body(s, stage_beam(s, &beam), 0, 0, 0);
    const int ball = stage_body(s, stage_ball(s, 0.01, 7850), 0.1, 0, 0.012);
    s->bodies[ball].motion.velocity = tw_vec3(0, 0, -1);
    s->def.gravity = tw_vec3(0, 0, 0);
    s->def.steps_per_impact = 40;
    s->def.steps_per_cycle = 40;
    s->def.no_mode_adaptation = true;
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = (twImpactLaw){1e8, 1.5, 0};
    pair->friction.static_friction = pair->friction.dynamic_friction = 0;
    must(stage_start(s), &s->err);

    const twMassProperties mass = tw_body_shape_mass(s->bodies[target].shape);
    Strike st = {.ball = tw_body_shape_mass(s->bodies[ball].shape).mass,
                 .mass = mass.mass,
                 .inertia = mass.inertia.m[1][1],
                 .arm = 0.1,
                 .law = pair->impact};
    for (int k = 0; k < 4; k++)
    {
        double slope;
        st.row[k] = beam_shape(false, k, 0.1 / 0.3 + 0.5, &slope) / sqrt(mass.mass);
        st.w2[k] = pow(beam_frequency(&beam, k), 2);
    }
    double y[14] = {0}, scale[14], time = 1.5e-3, q[4];
    y[7] = -1;
    for (int k = 0; k < 14; k++) scale[k] = k < 7 ? 1e-4 : 1;
    Ode ode = {strike_rate, &st, 14, scale, 1e-9, 1e-7};
    ode_run(&ode, y, time);

    tw_world_advance(s->world, time);
    ENSURE_NEAR(stage_velocity(s, ball).z, y[7], 0.01);
    tw_world_motion(s->world, target, time, q, NULL);
    double largest = 0;
    for (int k = 0; k < 4; k++) largest = fmax(largest, fabs(y[3 + k]));
    for (int k = 0; k < 4; k++) ENSURE_NEAR(q[k], y[3 + k], 0.03 * largest);
    stage_free(s);
    return 0;
}

// ---- spin ----

// A bar that spins about its length and is plucked: in space its plane of vibration stays, whatever the bar does under it (so does
// Foucault's pendulum). Without Coriolis' force it would turn with the bar.
static int spinning_bar_keeps_its_plane_of_vibration(void)
{
    Stage* s = stage();
    const Beam bar = {
        .size = tw_vec3(0.3, 0.005, 0.005), .density = 7850, .young = 2e11, .cells = 12, .modes = 4, .both = true};
    const double w = beam_frequency(&bar, 0), spin = 0.05 * w, size = 1e-6;
    // at rest in space when it is let go: in its own axes the rate is -spin x displacement
    const double amplitude[4] = {size}, rate[4] = {0, spin * size};
    const int b = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
    s->bodies[b].motion.spin = tw_vec3(spin, 0, 0);
    s->bodies[b].amplitude = amplitude;
    s->bodies[b].rate = rate;
    s->def.gravity = tw_vec3(0, 0, 0);
    s->def.no_mode_adaptation = true;
    s->def.max_step = 0.02 / w;
    must(stage_start(s), &s->err);
    double along = 0, across = 0;
    const double turn = 1.5, from = turn / spin, cycle = 2 * TW_PI / w;
    for (int i = 0; i < 40; i++)
    {
        const double time = from + cycle * i / 40;
        double q[4];
        tw_world_advance(s->world, time);
        const twBodyMotion m = tw_world_motion(s->world, b, time, q, NULL);
        const twVec3 u = tw_quat_rotate(m.turn, tw_vec3(0, q[1], q[0]));
        along = fmax(along, fabs(u.z));
        across = fmax(across, fabs(u.y));
    }
    ENSURE_NEAR(along, size, 0.03 * size);
    ENSURE(across < 0.05 * size);
    stage_free(s);
    return 0;
}

// ---- modes that wake and sleep ----

static int struck_strip_wakes_modes_and_lets_them_sleep(void)
{
    Stage* s = strike_stage(false, 200, 1, 0.1);
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 1e-4);
    ENSURE(tw_world_active_modes(s->world, 0) == 0);
    int most = 0;
    for (int i = 1; i <= 40; i++)
    {
        tw_world_advance(s->world, 2.5e-4 * i);
        const int now = tw_world_active_modes(s->world, 0);
        most = now > most ? now : most;
    }
    ENSURE(most >= 4);
    tw_world_advance(s->world, 0.5);
    const twWorldStats stats = tw_world_stats(s->world);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(tw_world_active_modes(s->world, 0) == 0);
    ENSURE(stats.woken >= most && stats.put_to_sleep == stats.woken + 6);
    ENSURE(energy.largest_rise <= 1e-9 * energy.start);
    ENSURE(energy.elastic <= 6 * s->def.sleep_energy && energy.elastic < 1e-4 * energy.start);
    stage_free(s);
    return 0;
}

static int adaptation_changes_little(void)
{
    double out[2][2];
    for (int i = 0; i < 2; i++)
    {
        Stage* s = strike_stage(false, 5, 1, 0.1);
        s->def.no_mode_adaptation = i;
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.02);
        out[i][0] = stage_velocity(s, 1).z;
        out[i][1] = tw_world_energy(s->world).kinetic + tw_world_energy(s->world).elastic;
        stage_free(s);
    }
    ENSURE_NEAR(out[0][0], out[1][0], 0.02);
    ENSURE_NEAR(out[0][1], out[1][1], 0.02 * out[1][1]);
    return 0;
}

// ---- bodies on a flexible one ----

// a block resting on a strip held by its frame jumps when the strip is struck, and not if the strip is rigid
static double jump(bool rigid)
{
    Stage* s = stage();
    Beam beam = strip;
    const int table = stage_body(s, stage_beam(s, &beam), 0, 0, 0);
    s->bodies[table].kind = TW_BODY_FIXED;
    s->bodies[table].rigid = rigid;
    const int dish = stage_body(s, stage_box(s, 0.03, 0.03, 0.01, 2500), -0.1, 0, 0.007);
    const int hammer = stage_body(s, stage_ball(s, 0.02, 7850), 0.1, 0, 0.0245);
    s->bodies[hammer].motion.velocity = tw_vec3(0, 0, -3);
    must(stage_start(s), &s->err);
    double highest = 0;
    for (int i = 1; i <= 60; i++)
    {
        tw_world_advance(s->world, 1e-3 * i);
        highest = fmax(highest, stage_centre(s, dish).z - 0.007);
    }
    const twWorldEnergy energy = tw_world_energy(s->world);
    if (energy.largest_rise > 1e-9 * energy.start) highest = NAN;
    stage_free(s);
    return highest;
}

static int dish_jumps_from_a_flexible_table_only(void)
{
    ENSURE(jump(false) > 1e-3);
    ENSURE(jump(true) < 1e-6);
    return 0;
}

// ---- with joints ----

// a free beam that lies on the floor, with a block hinged to its end, which does not
static Stage* trailer(void)
{
    Stage* s = stage();
    Beam beam = ruler;
    beam.clamped = false;
    stage_floor(s, 2, 2);
    const int lies = stage_body(s, stage_beam(s, &beam), 0, 0, 0.5 * beam.size.z);
    const int hangs = stage_body(s, stage_box(s, 0.02, 0.02, 0.02, 1000), 0.5 * beam.size.x + 0.02, 0, 0.03);
    stage_joint(s, TW_JOINT_HINGE, hangs, lies, tw_vec3(0.5 * beam.size.x, 0, 0.5 * beam.size.z))->axis =
        tw_vec3(0, 1, 0);
    s->def.settle = true;
    return s;
}

static int what_stands_settles_beside_what_it_is_joined_to_and_is_saved(void)
{
    size_t count;
    Stage *s = trailer(), *t = trailer();
    ENSURE(stage_start(s) && stage_start(t));
    // long after modes of others would sleep
    tw_world_advance(s->world, 0.2);
    void* bytes = stage_save(s, &count);
    ENSURE(tw_world_load(t->world, bytes, count, &t->err) == TW_OK);
    tw_world_advance(s->world, 0.3);
    tw_world_advance(t->world, 0.3);
    const twHash a = stage_hash(s), b = stage_hash(t);
    ENSURE(a.high == b.high && a.low == b.low);
    ENSURE(stage_now(s, 1).position.z > 0 && tw_world_energy(s->world).total_rise < 1e-12);
    free(bytes);
    stage_free(s);
    stage_free(t);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(weight_on_a_cantilever_bends_it_by_beam_theory)
    RUN(beam_sleeps_bent_under_its_load_until_it_goes)
    RUN(plucked_modes_ring_at_their_pitch_however_long_the_steps)
    RUN(push_at_the_tip_bends_by_beam_theory)
    RUN(cantilever_on_a_shaken_base_swings_as_in_closed_form)
    RUN(cantilever_that_speeds_up_bends_by_beam_theory)
    RUN(struck_strip_takes_energy_into_its_modes_and_keeps_momentum)
    RUN(struck_strip_rings_as_an_ode_solver_says)
    RUN(spinning_bar_keeps_its_plane_of_vibration)
    RUN(struck_strip_wakes_modes_and_lets_them_sleep)
    RUN(adaptation_changes_little)
    RUN(dish_jumps_from_a_flexible_table_only)
    RUN(what_stands_settles_beside_what_it_is_joined_to_and_is_saved)
)
