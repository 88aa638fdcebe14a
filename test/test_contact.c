// SPDX-License-Identifier: MIT
// Impacts between objects of a network: collisions against closed forms and an ODE solver, momentum, energy, resting
// contact, several contacts at once. Impact with friction is in test_contact_rub.c.
#include "ode.h"
#include "rig.h"

static const double RATE = 44100;

// ---- two free masses ----

static int colliding_masses_keep_momentum_and_part_at_the_exact_speed(void)
{
    twRng rng = tw_rng(1);
    for (int i = 0; i < 300; i++)
    {
        double m1 = pow(10, tw_rng_between(&rng, -3, 1)), m2 = pow(10, tw_rng_between(&rng, -3, 1));
        double v1 = tw_rng_between(&rng, -2, 2), v2 = v1 - pow(10, tw_rng_between(&rng, -2, 0.5)), v = v1 - v2;
        double reduced = m1 * m2 / (m1 + m2), samples = 2 * pow(20, tw_rng_uniform(&rng));
        twImpactLaw law = {1e8, tw_rng_between(&rng, 1, 3), tw_rng_between(&rng, 0, 3) / v};
        if (i % 5 == 0) law.dissipation = 0;
        // contact times from 2 to 40 samples
        law.stiffness *= pow(tw_impact_exact(&law, reduced, v).contact_time * RATE / samples, law.exponent + 1);
        Rig rig;
        rig_def(&rig, RATE);
        rig.def.scheme = i % 2 ? TW_SCHEME_EXACT : TW_SCHEME_BILINEAR;
        int a = rig_mode(&rig, 0, 0, m1, 0, v1), b = rig_mode(&rig, 0, 0, m2, tw_rng_uniform(&rng) * v / RATE, v2);
        twContactDef* c = rig_impact(&rig, a, b, law);
        if (i % 3 == 0) c->gap = 5 * v / RATE;
        int out1 = rig_out(&rig, TW_OUT_POINT_V, a), out2 = rig_out(&rig, TW_OUT_POINT_V, b);
        rig_start(&rig, 400);
        rig_run(&rig, 0, 400);
        double u1 = rig.out[out1][399], u2 = rig.out[out2][399];
        double size = m1 * fabs(v1) + m2 * fabs(v2);
        ENSURE_NEAR(m1 * u1 + m2 * u2, m1 * v1 + m2 * v2, 1e-13 * size);
        // mu = 0 is stepped by DG, which is elastic and exact too
        ENSURE_NEAR((u1 - u2) / tw_impact_exact(&law, reduced, v).v_out, 1, 1e-10);
        ENSURE(tw_net_stats(rig.net).unconverged == 0 && !tw_net_closed(rig.net, 0));
        rig_end(&rig);
    }
    return 0;
}

static int a_wall_is_the_limit_of_a_heavy_object(void)
{
    double out[2];
    for (int i = 0; i < 2; i++)
    {
        Rig rig;
        rig_def(&rig, RATE);
        int a = rig_mode(&rig, 0, 0, 0.01, -1e-4, 2), b = i ? rig_mode(&rig, 0, 0, 1e12, 0, 0) : TW_WALL;
        rig_impact(&rig, a, b, tw_impact_law());
        int v = rig_out(&rig, TW_OUT_POINT_V, a);
        rig_start(&rig, 200);
        rig_run(&rig, 0, 200);
        out[i] = rig.out[v][199];
        rig_end(&rig);
    }
    ENSURE_NEAR(out[0], out[1], 1e-10);
    twImpactLaw law = tw_impact_law();
    ENSURE_NEAR(out[0], tw_impact_exact(&law, 0.01, 2).v_out, 1e-10);
    return 0;
}

static int a_strike_throws_the_hammer_from_where_it_touches(void)
{
    Rig rig;
    rig_def(&rig, RATE);
    // a hammer with a shape value of its own, in front of a heavy target that has moved
    double freq = 0, mass = 0.02, shape = -0.5;
    twModesDef def = tw_modes_def();
    def.mode_count = 1, def.freq_hz = &freq, def.mass = &mass, def.shape = &shape;
    int a = rig_object(&rig, &def), b = rig_mode(&rig, 0, 0, 1e9, 0.3, 0);
    rig_impact(&rig, a, b, tw_impact_law())->gap = 0.05;
    int va = rig_out(&rig, TW_OUT_POINT_V, a), x = rig_out(&rig, TW_OUT_COMPRESSION, 0);
    rig_start(&rig, 300);
    tw_net_strike(rig.net, 0, 1.5);
    rig_run(&rig, 0, 300);
    ENSURE_NEAR(rig.out[x][0], 0, 1e-15);
    ENSURE_NEAR(rig.out[va][0], 1.5, 1e-14);
    // a point with shape value t has the mass m / t^2
    twImpactLaw law = tw_impact_law();
    ENSURE_NEAR(rig.out[va][299], tw_impact_exact(&law, mass / (shape * shape), 1.5).v_out, 1e-9);
    twNetEnergy e = tw_net_energy(rig.net);
    ENSURE_NEAR(e.stored_start, 0.5 * mass * 9, 1e-14);
    ENSURE_NEAR(e.balance_error, 0, 1e-13 * e.stored_start);
    rig_end(&rig);
    return 0;
}

// ---- against an ODE solver ----

typedef struct Struck
{
    twImpactLaw law;
    double hammer, mass, w0, decay;
} Struck;

// x_h, v_h, x, v
static void struck_rate(const double* y, double* rate, const void* context)
{
    const Struck* s = context;
    double x = y[0] - y[2], v = y[1] - y[3];
    double f = x > 0 ? s->law.stiffness * pow(x, s->law.exponent) * (1 + s->law.dissipation * v) : 0;
    rate[0] = y[1];
    rate[1] = -f / s->hammer;
    rate[2] = y[3];
    rate[3] = f / s->mass - s->w0 * s->w0 * y[2] - 2 * s->decay * y[3];
}

// error of the resonator's displacement 2 ms after a hammer of 10 g meets a mode of 30 g at 1 m/s
static double struck_error(int finer, double mu)
{
    Struck s = {{1e8, 2, mu}, 0.01, 0.03, 2 * TW_PI * 1200, 40};
    double scale[4] = {1e-5, 1, 1e-5, 1}, y[4] = {0, 1, 0, 0}, rate_hz = 40000.0 * finer;
    Ode ode = {struck_rate, &s, 4, scale, 1e-12, 1e-7};
    ode_run(&ode, y, 2e-3);
    Rig rig;
    rig_def(&rig, rate_hz);
    int a = rig_mode(&rig, 0, 0, s.hammer, 0, 1), b = rig_mode(&rig, 1200, s.decay, s.mass, 0, 0), n = 80 * finer;
    rig_impact(&rig, a, b, s.law);
    int x = rig_out(&rig, TW_OUT_POINT_X, b);
    rig_start(&rig, n + 1);
    rig_run(&rig, 0, n + 1);
    double error = fabs(rig.out[x][n] - y[2]) / fabs(y[2]);
    rig_end(&rig);
    return error;
}

static int a_struck_mode_converges_to_the_ode_with_order_2(void)
{
    for (int i = 0; i < 2; i++)
    {
        double mu = i ? 0.3 : 0, coarse = struck_error(4, mu), fine = struck_error(8, mu),
               finest = struck_error(16, mu);
        ENSURE(coarse < 0.02);
        ENSURE_NEAR(log2(coarse / fine), 2, 0.25);
        ENSURE_NEAR(log2(fine / finest), 2, 0.25);
    }
    return 0;
}

// ---- energy ----

static int random_resonator(Rig* rig, twRng* rng, int modes)
{
    double freq[256], decay[256], mass[256], shape[256];
    for (int k = 0; k < modes; k++)
    {
        freq[k] = pow(10, tw_rng_between(rng, 1.3, 4.3));
        decay[k] = pow(10, tw_rng_between(rng, -1, 3));
        mass[k] = pow(10, tw_rng_between(rng, -3, 0));
        shape[k] = tw_rng_between(rng, -1, 1);
    }
    twModesDef def = tw_modes_def();
    def.mode_count = modes;
    def.freq_hz = freq, def.decay = decay, def.mass = mass, def.shape = shape;
    return rig_object(rig, &def);
}

static int struck_resonators_never_gain_energy(void)
{
    twRng rng = tw_rng(7);
    for (int i = 0; i < 400; i++)
    {
        Rig rig;
        rig_def(&rig, RATE);
        rig.def.scheme = i % 4 ? TW_SCHEME_EXACT : TW_SCHEME_BILINEAR;
        double m = pow(10, tw_rng_between(&rng, -4, 0)), speed = pow(10, tw_rng_between(&rng, -2, 1));
        int hammer = rig_mode(&rig, 0, 0, m, 0, speed),
            plate = random_resonator(&rig, &rng, 1 + (int)((i % 8 ? 64 : 255) * tw_rng_uniform(&rng)));
        twImpactLaw law = {pow(10, tw_rng_between(&rng, 2, 12)), tw_rng_between(&rng, 1, 3.5),
                           tw_rng_between(&rng, 0, 3) / speed};
        twContactDef* c = rig_impact(&rig, hammer, plate, law);
        c->method = i % 3 ? TW_QI : TW_DG;
        if (i % 7 == 0) c->gap = -1e-5;
        // half of them pressed on by a weight
        int weight = rig_in(&rig, TW_IN_FORCE, hammer);
        rig_start(&rig, 1500);
        rig_fill(&rig, weight, i % 2 ? 9.81 * m : 0);
        rig_run(&rig, 0, 1500);
        twNetEnergy e = tw_net_energy(rig.net);
        ENSURE(e.gain_max <= 1e-12 * e.stored_start);
        ENSURE_NEAR(e.balance_error, 0, 1e-11 * (e.stored_start + fabs(e.work_in)));
        ENSURE(e.impact_loss >= -1e-12 * e.stored_start && e.modal_loss >= 0);
        ENSURE(tw_net_stats(rig.net).unconverged == 0);
        rig_end(&rig);
    }
    return 0;
}

static int am1_gains_energy_where_qi_does_not(void)
{
    // stiff contact on one mode; published: AM1 gains up to 1.6 E0 in a step, QI less than 1e-15
    double gain[2] = {0};
    for (int i = 0; i < 2; i++)
    {
        for (double k = 1e8; k < 1e12; k *= 3)
        {
            Rig rig;
            rig_def(&rig, RATE);
            rig.def.scheme = TW_SCHEME_BILINEAR;
            int a = rig_mode(&rig, 0, 0, 0.01, 0, 1), b = rig_mode(&rig, 500, 5, 0.05, 0, 0);
            rig_impact(&rig, a, b, (twImpactLaw){k, 1.5, 0.1})->method = i ? TW_QI : TW_AM1;
            rig_start(&rig, 200);
            rig_run(&rig, 0, 200);
            twNetEnergy e = tw_net_energy(rig.net);
            gain[i] = fmax(gain[i], e.gain_max / e.stored_start);
            rig_end(&rig);
        }
    }
    ENSURE(gain[0] > 0.1);
    ENSURE(gain[1] < 1e-14);
    return 0;
}

static int the_budget_balances_with_everything_acting(void)
{
    for (int s = 0; s < 2; s++)
    {
        Rig rig;
        twRng rng = tw_rng(9);
        rig_def(&rig, RATE);
        rig.def.scheme = s ? TW_SCHEME_EXACT : TW_SCHEME_BILINEAR;
        int hammer = rig_mode(&rig, 0, 0, 0.05, -1e-4, 1), plate = random_resonator(&rig, &rng, 20),
            bow = rig_mode(&rig, 0, 10, 0.1, 0, 0);
        rig_impact(&rig, hammer, plate, tw_impact_law());
        rig_friction(&rig, bow, plate, tw_friction_law(), 3)->friction.noise = 0.3;
        int weight = rig_in(&rig, TW_IN_FORCE, hammer), pull = rig_in(&rig, TW_IN_FORCE, bow),
            profile = rig_in(&rig, TW_IN_OFFSET, 0);
        rig_start(&rig, 20000);
        rig_fill(&rig, weight, 2);
        rig_fill(&rig, pull, 1.5);
        for (int n = 0; n < 20000; n++) rig.in[profile][n] = 1e-6 * sin(0.1 * n);
        rig_run(&rig, 0, 10000);
        // changes while sounding are work from outside
        twImpactLaw stiffer = {3e8, 1.5, 0.5};
        twFrictionLaw softer = tw_friction_law();
        softer.stiffness = 5e4;
        tw_net_set_impact(rig.net, 0, &stiffer);
        tw_net_set_friction(rig.net, 1, &softer);
        rig_run(&rig, 10000, 20000);
        twNetEnergy e = tw_net_energy(rig.net);
        double turnover = e.stored_start + fabs(e.work_in) + fabs(e.noise_work) + e.friction_loss + e.modal_loss;
        ENSURE(e.work_in > 0 && e.friction_loss > 0 && e.modal_loss > 0 && e.impact_loss > 0 && e.noise_work != 0);
        ENSURE_NEAR(e.balance_error, 0, 1e-12 * turnover);
        rig_end(&rig);
    }
    return 0;
}

static int a_moving_profile_does_the_work_that_the_budget_counts(void)
{
    // the ground rises and falls under a mass that flies off: its energy can only come from there
    Rig rig;
    rig_def(&rig, RATE);
    int mass = rig_mode(&rig, 0, 0, 0.1, 0, 0);
    rig_impact(&rig, mass, TW_WALL, (twImpactLaw){1e7, 1.5, 0});
    int profile = rig_in(&rig, TW_IN_OFFSET, 0), v = rig_out(&rig, TW_OUT_POINT_V, mass);
    rig_start(&rig, 2000);
    for (int n = 0; n < 2000; n++) rig.in[profile][n] = n < 100 ? 1e-4 * (1 - cos(TW_PI * n / 50)) : 0;
    rig_run(&rig, 0, 2000);
    twNetEnergy e = tw_net_energy(rig.net);
    double u = rig.out[v][1999];
    ENSURE(u < -0.01);
    ENSURE_NEAR(e.work_in, 0.5 * 0.1 * u * u, 1e-12 * e.work_in);
    ENSURE_NEAR(e.balance_error, 0, 1e-12 * e.work_in);
    rig_end(&rig);
    return 0;
}

static int a_mass_rides_on_a_slow_profile(void)
{
    for (int oversample = 1; oversample <= 3; oversample += 2)
    {
        // heights add to the compression: the mass is lifted against its weight, which pushes toward +x
        double m = 0.05, weight = 9.81 * m, lift = 1e-4;
        twImpactLaw law = {1e7, 1.5, 20};
        Rig rig;
        rig_def(&rig, RATE);
        rig.def.oversample = oversample;
        rig.def.unfiltered = true;
        double rest = pow(weight / law.stiffness, 1 / law.exponent);
        int mass = rig_mode(&rig, 0, 0, m, rest, 0);
        rig_impact(&rig, mass, TW_WALL, law);
        int gravity = rig_in(&rig, TW_IN_FORCE, mass), profile = rig_in(&rig, TW_IN_OFFSET, 0);
        int x = rig_out(&rig, TW_OUT_POINT_X, mass), c = rig_out(&rig, TW_OUT_COMPRESSION, 0);
        rig_start(&rig, 44100);
        rig_fill(&rig, gravity, weight);
        for (int n = 0; n < 44100; n++) rig.in[profile][n] = lift * 0.5 * (1 - cos(2 * TW_PI * 3 * n / RATE));
        rig_run(&rig, 0, 44100);
        for (int n = 1000; n < 44100; n++)
        {
            // a height given with sample n - 1 is reached at sample n
            ENSURE_NEAR(rig.out[x][n], rest - rig.in[profile][n - 1], 1e-2 * lift);
            ENSURE_NEAR(rig.out[c][n], rest, 0.1 * rest);
        }
        rig_end(&rig);
    }
    return 0;
}

// ---- several contacts ----

static int a_cradle_conserves_momentum_and_passes_the_speed_on(void)
{
    enum
    {
        BALLS = 6
    };
    Rig rig;
    rig_def(&rig, RATE);
    int v[BALLS];
    for (int i = 0; i < BALLS; i++)
    {
        // a hair apart, so that the pairs collide in turn
        int ball = rig_mode(&rig, 0, 0, 0.1, i * 2e-4, i ? 0 : 1);
        v[i] = rig_out(&rig, TW_OUT_POINT_V, ball);
    }
    for (int i = 0; i + 1 < BALLS; i++) rig_impact(&rig, i, i + 1, (twImpactLaw){1e9, 1.5, 0});
    rig_start(&rig, 2000);
    rig_run(&rig, 0, 2000);
    for (int n = 0; n < 2000; n++)
    {
        double sum = 0;
        for (int i = 0; i < BALLS; i++) sum += rig.out[v[i]][n];
        ENSURE_NEAR(sum, 1, 1e-13);
    }
    ENSURE_NEAR(rig.out[v[BALLS - 1]][1999], 1, 1e-9);
    for (int i = 0; i + 1 < BALLS; i++) ENSURE_NEAR(rig.out[v[i]][1999], 0, 1e-9);
    ENSURE(tw_net_stats(rig.net).unconverged == 0);
    rig_end(&rig);
    return 0;
}

static int a_touching_cradle_conserves_momentum_and_energy(void)
{
    twRng rng = tw_rng(5);
    for (int t = 0; t < 40; t++)
    {
        enum
        {
            BALLS = 8
        };
        Rig rig;
        rig_def(&rig, RATE);
        double momentum = 0, speed[BALLS], mass[BALLS];
        int v[BALLS];
        for (int i = 0; i < BALLS; i++)
        {
            mass[i] = pow(10, tw_rng_between(&rng, -2, 0)), speed[i] = tw_rng_between(&rng, -1, 1);
            momentum += mass[i] * speed[i];
            v[i] = rig_out(&rig, TW_OUT_POINT_V, rig_mode(&rig, 0, 0, mass[i], 0, speed[i]));
        }
        twImpactLaw law = {pow(10, tw_rng_between(&rng, 5, 11)), tw_rng_between(&rng, 1, 2.5), t % 2 ? 0.3 : 0};
        for (int i = 0; i + 1 < BALLS; i++) rig_impact(&rig, i, i + 1, law);
        rig_start(&rig, 500);
        rig_run(&rig, 0, 500);
        double sum = 0;
        for (int i = 0; i < BALLS; i++) sum += mass[i] * rig.out[v[i]][499];
        twNetEnergy e = tw_net_energy(rig.net);
        ENSURE_NEAR(sum, momentum, 1e-12);
        ENSURE(e.gain_max <= 1e-12 * e.stored_start);
        ENSURE_NEAR(e.balance_error, 0, 1e-11 * e.stored_start);
        ENSURE(tw_net_stats(rig.net).unconverged == 0);
        // a real-time solve must not run away
        ENSURE(tw_net_stats(rig.net).iterations_max <= 300);
        rig_end(&rig);
    }
    return 0;
}

static int contacts_in_either_order_give_the_same_motion(void)
{
    // two heavy strikers on one light object at the same time
    enum
    {
        N = 1000
    };
    static double result[2][2][N];
    for (int order = 0; order < 2; order++)
    {
        Rig rig;
        rig_def(&rig, RATE);
        int left = rig_mode(&rig, 0, 0, 0.1, -1e-5, 1), right = rig_mode(&rig, 0, 0, 0.2, -2e-5, 1.7);
        twRng rng = tw_rng(3);
        int light = random_resonator(&rig, &rng, 5);
        for (int i = 0; i < 2; i++)
            rig_impact(&rig, (i ^ order) ? right : left, light, (twImpactLaw){(i ^ order) ? 2e8 : 1e8, 1.5, 0.3});
        int out[2] = {rig_out(&rig, TW_OUT_POINT_V, light), rig_out(&rig, TW_OUT_POINT_V, left)};
        rig_start(&rig, N);
        rig_run(&rig, 0, N);
        for (int k = 0; k < 2; k++) memcpy(result[order][k], rig.out[out[k]], sizeof result[0][0]);
        ENSURE(tw_net_stats(rig.net).unconverged == 0);
        rig_end(&rig);
    }
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < N; n++) ENSURE_NEAR(result[0][k][n], result[1][k][n], 1e-9);
    return 0;
}

// ---- resting ----

static int a_resting_mass_settles_to_the_static_compression_and_stays_quiet(void)
{
    for (int i = 0; i < 4; i++)
    {
        double m = 0.05, weight = 9.81 * m;
        twImpactLaw law = {i % 2 ? 1e8 : 1e6, i < 2 ? 1.5 : 1.1, 5};
        Rig rig;
        rig_def(&rig, RATE);
        // dropped from 0.1 mm
        int mass = rig_mode(&rig, 0, 0, m, -1e-4, 0);
        rig_impact(&rig, mass, TW_WALL, law);
        int gravity = rig_in(&rig, TW_IN_FORCE, mass), x = rig_out(&rig, TW_OUT_COMPRESSION, 0),
            p = rig_out(&rig, TW_OUT_POINT_X, mass);
        int v = rig_out(&rig, TW_OUT_POINT_V, mass), f = rig_out(&rig, TW_OUT_IMPACT_FORCE, 0);
        rig_start(&rig, 6 * 44100);
        rig_fill(&rig, gravity, weight);
        rig_run(&rig, 0, rig.length);
        double rest = pow(weight / law.stiffness, 1 / law.exponent), last = rig.length - 1;
        ENSURE_NEAR(rig.out[x][(int)last] / rest, 1, 1e-6);
        // the law's compression does not drift from the geometric one
        ENSURE_NEAR(rig.out[p][(int)last] / rest, 1, 1e-3);
        for (int n = rig.length - 4410; n < rig.length; n++)
        {
            ENSURE_NEAR(rig.out[v][n], 0, 1e-7);
            ENSURE_NEAR(rig.out[f][n], weight, 1e-4 * weight);
        }
        ENSURE(tw_net_closed(rig.net, 0));
        ENSURE(tw_net_energy(rig.net).gain_max < 1e-18);
        rig_end(&rig);
    }
    return 0;
}

static int a_pressed_contact_follows_the_geometry_while_the_object_rings(void)
{
    // 50 N onto a ringing bar for half a second: compression and geometry agree to a part of themselves
    Rig rig;
    twRng rng = tw_rng(8);
    rig_def(&rig, RATE);
    int tip = rig_mode(&rig, 0, 0, 0.01, 0, 0), bar = random_resonator(&rig, &rng, 10);
    rig_impact(&rig, tip, bar, (twImpactLaw){1e8, 1.5, 1});
    int press = rig_in(&rig, TW_IN_FORCE, tip), shake = rig_in(&rig, TW_IN_FORCE, bar);
    int x = rig_out(&rig, TW_OUT_COMPRESSION, 0), a = rig_out(&rig, TW_OUT_POINT_X, tip),
        b = rig_out(&rig, TW_OUT_POINT_X, bar);
    rig_start(&rig, 22050);
    rig_fill(&rig, press, 50);
    for (int n = 0; n < 22050; n++) rig.in[shake][n] = 5 * sin(0.08 * n);
    rig_run(&rig, 0, 22050);
    double worst = 0, mean = 0;
    for (int n = 11025; n < 22050; n++)
    {
        worst = fmax(worst, fabs(rig.out[x][n] - (rig.out[a][n] - rig.out[b][n])));
        mean += rig.out[x][n] / 11025;
    }
    ENSURE(mean > 1e-5 && worst < 0.02 * mean);
    twNetEnergy e = tw_net_energy(rig.net);
    ENSURE_NEAR(e.balance_error, 0, 1e-12 * (e.modal_loss + e.work_in));
    rig_end(&rig);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(colliding_masses_keep_momentum_and_part_at_the_exact_speed)
    RUN(a_wall_is_the_limit_of_a_heavy_object)
    RUN(a_strike_throws_the_hammer_from_where_it_touches)
    RUN(a_struck_mode_converges_to_the_ode_with_order_2)
    RUN(struck_resonators_never_gain_energy)
    RUN(am1_gains_energy_where_qi_does_not)
    RUN(the_budget_balances_with_everything_acting)
    RUN(a_moving_profile_does_the_work_that_the_budget_counts)
    RUN(a_mass_rides_on_a_slow_profile)
    RUN(a_cradle_conserves_momentum_and_passes_the_speed_on)
    RUN(a_touching_cradle_conserves_momentum_and_energy)
    RUN(contacts_in_either_order_give_the_same_motion)
    RUN(a_resting_mass_settles_to_the_static_compression_and_stays_quiet)
    RUN(a_pressed_contact_follows_the_geometry_while_the_object_rings)
)
