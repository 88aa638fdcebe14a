// SPDX-License-Identifier: MIT
// The bristle law, its implicit solve and the reference run of docs/friction.md. Expected values: that page, an
// independent ODE solver, the equations written out again, conservation of energy.
#include "ode.h"
#include "rig.h"

// ---- the law, written out again with sign functions, as in the source ----

static double plain_rate(const twFrictionLaw* law, double fn, double v, double z)
{
    double fs = law->static_friction * fn, fc = law->dynamic_friction * fn, s0 = law->stiffness;
    double g = (fc + (fs - fc) * exp(-(v / law->stribeck) * (v / law->stribeck))) / s0;
    double zba = law->breakaway * fc / s0, alpha = 1;
    if (!law->lugre)
    {
        if (v * z <= 0 || fabs(z) <= zba)
            alpha = 0;
        else if (fabs(z) < g)
            alpha = 0.5 * (1 + sin(TW_PI * (fabs(z) - 0.5 * (g + zba)) / (g - zba)));
    }
    double zss = v < 0 ? -g : g;
    return v * (1 - alpha * z / zss);
}

static twFrictionLaw random_law(twRng* rng)
{
    twFrictionLaw law = {.stiffness = pow(10, tw_rng_between(rng, 2, 7)),
                         .damping = pow(10, tw_rng_between(rng, -3, 3)),
                         .viscosity = pow(10, tw_rng_between(rng, -3, 1)),
                         .dynamic_friction = tw_rng_between(rng, 0.05, 1),
                         .stribeck = pow(10, tw_rng_between(rng, -3, 0)),
                         .breakaway = tw_rng_between(rng, 0, 0.99)};
    law.static_friction = law.dynamic_friction * tw_rng_between(rng, 1, 4);
    return law;
}

// a deflection around the interesting range
static double random_z(twRng* rng, const twFrictionLaw* law, double fn)
{
    return tw_rng_between(rng, -1.5, 1.5) * law->static_friction * fn / law->stiffness;
}

static int rate_is_the_corrected_law(void)
{
    twRng rng = tw_rng(1);
    for (int i = 0; i < 20000; i++)
    {
        twFrictionLaw law = random_law(&rng);
        law.lugre = i % 4 == 0;
        double fn = tw_rng_between(&rng, 0.01, 50), v = tw_rng_between(&rng, -3, 3) * law.stribeck;
        double z = random_z(&rng, &law, fn);
        ENSURE_NEAR(tw_friction_rate(&law, fn, v, z, NULL, NULL), plain_rate(&law, fn, v, z), 1e-12 * fabs(v));
    }
    return 0;
}

static int derivatives_agree_with_differences(void)
{
    twRng rng = tw_rng(2);
    int plastic = 0;
    for (int i = 0; i < 20000; i++)
    {
        twFrictionLaw law = random_law(&rng);
        law.lugre = i % 4 == 0;
        double fn = tw_rng_between(&rng, 0.1, 10), v = tw_rng_between(&rng, -3, 3) * law.stribeck;
        double z = random_z(&rng, &law, fn), dv, dz, ignored;
        tw_friction_rate(&law, fn, v, z, &dv, &dz);
        double hv = 1e-5 * law.stribeck, hz = 1e-5 * fabs(z);
        double up = tw_friction_rate(&law, fn, v + hv, z, &ignored, NULL),
               down = tw_friction_rate(&law, fn, v - hv, z, NULL, NULL);
        double far = tw_friction_rate(&law, fn, v, z + hz, NULL, &ignored),
               close = tw_friction_rate(&law, fn, v, z - hz, NULL, NULL);
        double middle = tw_friction_rate(&law, fn, v, z, NULL, NULL), by_v = (up - down) / (2 * hv),
               by_z = (far - close) / (2 * hz);
        // leave out the kinks, where the two one-sided differences disagree
        bool smooth = fabs((up - middle) - (middle - down)) < 1e-3 * hv &&
                      fabs((far - middle) - (middle - close)) < 1e-3 * fabs(by_z * hz);
        if (!smooth && dz != 0) continue;
        if (fabs(v) < 2 * hv) continue;
        plastic += dz != 0;
        ENSURE_NEAR(dv, by_v, 1e-4 * (1 + fabs(by_v)));
        ENSURE_NEAR(dz, by_z, 1e-4 * (1 + fabs(by_z)));
    }
    ENSURE(plastic > 3000);
    return 0;
}

static int elastic_below_breakaway_and_plastic_beyond(void)
{
    twFrictionLaw law = tw_friction_law();
    double z_ba = 0.7e-5, g = 2e-5, v = 1e-9, dv, dz;
    ENSURE(tw_friction_rate(&law, 5, v, 0.99 * z_ba, &dv, &dz) == v && dv == 1 && dz == 0);
    ENSURE(tw_friction_rate(&law, 5, -v, 1.9e-5, &dv, &dz) == -v && dv == 1 && dz == 0);
    // at |z| = g(v) bristles slide and stay bent
    ENSURE_NEAR(tw_friction_rate(&law, 5, v, g, NULL, NULL), 0, 1e-12 * v);
    ENSURE(tw_friction_rate(&law, 5, v, 1.1 * g, NULL, NULL) < 0);
    // LuGre creeps at any deflection
    law.lugre = true;
    ENSURE_NEAR(tw_friction_rate(&law, 5, v, 0.5 * z_ba, NULL, NULL), v * (1 - 0.5 * z_ba / g), 1e-10 * v);
    return 0;
}

static int steady_force_and_passive_speed_are_the_closed_forms(void)
{
    twFrictionLaw law = tw_friction_law();
    ENSURE_NEAR(tw_friction_steady(&law, 5, 1e-9), 2, 1e-8);
    ENSURE_NEAR(tw_friction_steady(&law, 5, 0.1), 1 + exp(-1) + 0.04, 1e-14);
    ENSURE(tw_friction_steady(&law, 0, 0.1) == 0 && tw_friction_steady(&law, -1, 0.1) == 0);
    ENSURE_NEAR(tw_friction_passive_speed(&law, 5), 4 / 29.6, 1e-15);
    law.damping = 0.4;
    ENSURE(isinf(tw_friction_passive_speed(&law, 5)));
    law.damping = 0;
    ENSURE(isinf(tw_friction_passive_speed(&law, 5)));
    return 0;
}

// the least power that friction takes at a speed, over all that bristles may be bent [W]
static double least_power(const twFrictionLaw* law, double fn, double v)
{
    double least = INFINITY, most = law->static_friction * fn / law->stiffness;
    for (int i = 0; i <= 2000; i++)
    {
        double z = most * i / 2000, rate = plain_rate(law, fn, v, z);
        double power = law->stiffness * z * (v - rate) + law->damping * rate * v + law->viscosity * v * v;
        least = fmin(least, power);
    }
    return least;
}

static int bristles_give_back_above_the_passive_speed_only(void)
{
    twRng rng = tw_rng(31);
    int bounded = 0;
    for (int i = 0; i < 300; i++)
    {
        twFrictionLaw law = random_law(&rng);
        double fn = tw_rng_between(&rng, 0.01, 50), speed = tw_friction_passive_speed(&law, fn);
        bool finite = isfinite(speed);
        for (int k = 1; k <= 8; k++) ENSURE(least_power(&law, fn, (finite ? speed : 100) * (0.999 * k / 8)) >= 0);
        if (!finite) continue;
        // where static friction is gone it is the very limit
        law.stribeck = speed / 10;
        ENSURE(least_power(&law, fn, 1.001 * speed) < 0);
        bounded++;
    }
    ENSURE(bounded > 100 && bounded < 290);
    return 0;
}

// ---- the implicit solve ----

// y - z'(v + k1 y, z + k2 y)
static double miss(const twFrictionLaw* law, double fn, double v, double z, double k1, double k2, double y)
{
    return y - plain_rate(law, fn, v + k1 * y, z + k2 * y);
}

typedef struct Implicit
{
    twFrictionLaw law;
    double fn, v, z, k1, k2, guess;
} Implicit;

// light and heavy objects, soft and stiff bristles, any step: |k1| from 1e-4 to 1e4
static Implicit random_implicit(twRng* rng, int i)
{
    Implicit p = {.law = random_law(rng), .fn = pow(10, tw_rng_between(rng, -4, 3))};
    p.law.lugre = i % 8 == 0;
    p.k1 = -pow(10, tw_rng_between(rng, -4, 4));
    p.k2 = pow(10, tw_rng_between(rng, -7, -4));
    p.z = random_z(rng, &p.law, p.fn);
    double v = pow(10, tw_rng_between(rng, -3, 2)) * p.law.stribeck * (1 - p.k1);
    // mostly further in the direction bristles are bent, where plasticity acts
    p.v = i % 5 ? copysign(v, p.z) : v;
    if (i & 1) p.v = tw_rng_between(rng, -2, 2) * p.law.static_friction * p.fn / p.law.stiffness / p.k2;
    p.guess = (i & 2 ? 1 : 1e-3) * tw_rng_between(rng, -1, 1) * fabs(p.v);
    return p;
}

static double implicit_miss(const Implicit* p, double y) { return miss(&p->law, p->fn, p->v, p->z, p->k1, p->k2, y); }

static int a_million_random_solves_all_find_a_root(void)
{
    twRng rng = tw_rng(3);
    int most = 0;
    double total = 0;
    for (int i = 0; i < 1000000; i++)
    {
        Implicit p = random_implicit(&rng, i);
        twFrictionRoot root = tw_friction_solve(&p.law, p.fn, p.v, p.z, p.k1, p.k2, p.guess);
        ENSURE(root.converged);
        most = root.iterations > most ? root.iterations : most;
        total += root.iterations;
        // a root: no miss beyond round-off, or a change of sign at a jump
        double at = implicit_miss(&p, root.y);
        if (fabs(at) <= 1e-12 * (fabs(p.v) + fabs(root.y) * (1 - p.k1))) continue;
        double step = 1e-14 * (fabs(root.y) + fabs(p.v / (1 - p.k1)));
        ENSURE((implicit_miss(&p, root.y - step) > 0) != (implicit_miss(&p, root.y + step) > 0));
    }
    ENSURE(total < 8e6 && most <= 100);
    return 0;
}

static int the_solve_keeps_the_branch_of_its_guess(void)
{
    // a light object: three roots, found here by their changes of sign
    Implicit p = {.fn = 0.36, .v = 0.193, .z = 2.8e-5, .k1 = -59.3, .k2 = 1.49e-5};
    p.law = (twFrictionLaw){
        .stiffness = 15772, .static_friction = 1.84, .dynamic_friction = 0.663, .stribeck = 0.417, .lugre = true};
    double low = -p.z / p.k2, high = p.v / (1 - p.k1), roots[3] = {0};
    int found = 0, points = 200000;
    for (int i = 0; i < points; i++)
    {
        double a = low + (high - low) * i / points, b = low + (high - low) * (i + 1) / points;
        if ((implicit_miss(&p, a) < 0) == (implicit_miss(&p, b) < 0)) continue;
        ENSURE(found < 3);
        roots[found++] = 0.5 * (a + b);
    }
    ENSURE(found == 3);
    for (int i = 0; i < 3; i++)
    {
        double y = tw_friction_solve(&p.law, p.fn, p.v, p.z, p.k1, p.k2, roots[i]).y;
        ENSURE_NEAR(y, roots[i], 1.01 * (high - low) / points);
    }
    return 0;
}

static int without_normal_force_nothing_is_solved(void)
{
    twFrictionLaw law = tw_friction_law();
    double dv = 1, dz = 1;
    for (int i = 0; i < 3; i++)
    {
        double fn = i == 0 ? 0 : i == 1 ? -3 : NAN;
        twFrictionRoot root = tw_friction_solve(&law, fn, 0.2, 1e-5, -1, 1e-5, 0.1);
        ENSURE(root.y == 0 && root.converged);
        ENSURE(tw_friction_rate(&law, fn, 0.2, 1e-5, &dv, &dz) == 0 && dv == 0 && dz == 0);
    }
    return 0;
}

// ---- the reference run ----

typedef struct Pair
{
    Rig rig;
    int force, x_r, v_r, x_e, v_e, z, slip, f;
} Pair;

// exciter: a free mass of 100 g; resonator: 500 Hz, 1 g; law and normal force of the reference run
static void pair_def(Pair* pair, double rate_hz, twScheme scheme)
{
    Rig* rig = &pair->rig;
    rig_def(rig, rate_hz);
    rig->def.scheme = scheme;
    // the source's damping g is twice the decay
    int e = rig_mode(rig, 0, 50, 0.1, 0, 0), r = rig_mode(rig, 500, 10, 1e-3, 0, 0);
    rig_friction(rig, e, r, tw_friction_law(), 5);
    pair->force = rig_in(rig, TW_IN_FORCE, e);
    pair->x_r = rig_out(rig, TW_OUT_POINT_X, r);
    pair->v_r = rig_out(rig, TW_OUT_POINT_V, r);
    pair->x_e = rig_out(rig, TW_OUT_POINT_X, e);
    pair->v_e = rig_out(rig, TW_OUT_POINT_V, e);
    pair->z = rig_out(rig, TW_OUT_BRISTLE, 0);
    pair->slip = rig_out(rig, TW_OUT_SLIP, 0);
    pair->f = rig_out(rig, TW_OUT_FRICTION_FORCE, 0);
}

static void pair_run(Pair* pair, int length)
{
    rig_start(&pair->rig, length);
    rig_fill(&pair->rig, pair->force, 2.5);
    rig_run(&pair->rig, 0, length);
}

// mean frequency of the upward crossings of a level
static double crossing_rate(const double* x, int from, int to, double level, double rate_hz)
{
    double first = 0, last = 0;
    int count = 0;
    for (int i = from; i + 1 < to; i++)
    {
        if (!(x[i] < level && x[i + 1] >= level)) continue;
        last = i + (level - x[i]) / (x[i + 1] - x[i]);
        if (count++ == 0) first = last;
    }
    return (count - 1) * rate_hz / (last - first);
}

static int reference_run_hits_the_published_samples(void)
{
    Pair pair;
    pair_def(&pair, 44100, TW_SCHEME_BILINEAR);
    pair_run(&pair, 4411);
    double** out = pair.rig.out;
    ENSURE_NEAR(out[pair.x_r][441] / 3.541386132e-05, 1, 1e-9);
    ENSURE_NEAR(out[pair.v_r][441] / 1.084680070e-01, 1, 1e-9);
    ENSURE_NEAR(out[pair.v_e][441] / 9.498051873e-02, 1, 1e-9);
    ENSURE_NEAR(out[pair.z][441] / -6.842617015e-06, 1, 1e-9);
    ENSURE_NEAR(out[pair.v_r][4410], -3.174694866e-01, 1e-6);
    ENSURE_NEAR(out[pair.z][4410] / -1.000000001e-05, 1, 1e-6);
    rig_end(&pair.rig);
    return 0;
}

static int reference_run_has_the_published_ranges_and_energy(void)
{
    Pair pair;
    pair_def(&pair, 44100, TW_SCHEME_BILINEAR);
    pair_run(&pair, 44100);
    double low[2] = {1, 1}, high[2] = {-1, -1}, mean = 0, **out = pair.rig.out;
    for (int i = 22050; i < 44100; i++)
    {
        for (int k = 0; k < 2; k++)
        {
            double x = out[k ? pair.slip : pair.v_r][i];
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
        mean += out[pair.v_e][i] / 22050;
    }
    ENSURE_NEAR(low[0], -0.363297, 1e-6);
    ENSURE_NEAR(high[0], 0.165385, 1e-6);
    ENSURE_NEAR(low[1], -0.499696, 1e-6);
    ENSURE_NEAR(high[1], 0.029427, 1e-6);
    ENSURE_NEAR(mean, 0.137165, 1e-6);
    twNetEnergy e = tw_net_energy(pair.rig.net);
    ENSURE_NEAR(e.work_in, 0.340042810, 1e-9);
    ENSURE_NEAR(e.modal_loss, 0.186394475, 1e-9);
    ENSURE_NEAR(e.friction_loss, 0.152609493, 1e-9);
    ENSURE_NEAR(e.stored + e.springs, 0.001038842, 1e-9);
    ENSURE_NEAR(e.balance_error, 0, 1e-12 * e.work_in);
    ENSURE(tw_net_stats(pair.rig.net).unconverged == 0);
    rig_end(&pair.rig);
    return 0;
}

static int stick_slip_pitch_converges_as_published(void)
{
    static const double rates[] = {44100, 88200, 176400}, pitch[] = {382.692, 382.450, 382.391};
    for (int i = 0; i < 3; i++)
    {
        Pair pair;
        int n = (int)rates[i];
        pair_def(&pair, rates[i], TW_SCHEME_BILINEAR);
        pair.rig.def.audit = false;
        pair_run(&pair, n);
        ENSURE_NEAR(crossing_rate(pair.rig.out[pair.v_r], n / 2, n, 0, rates[i]), pitch[i], 0.01);
        rig_end(&pair.rig);
    }
    return 0;
}

// ---- against an ODE solver ----

// x_r, v_r, v_e, z of the reference run
static void pair_rate(const double* y, double* rate, const void* context)
{
    const twFrictionLaw* law = context;
    double v = y[1] - y[2], dz = plain_rate(law, 5, v, y[3]);
    double f = law->stiffness * y[3] + law->damping * dz + law->viscosity * v, w = 2 * TW_PI * 500;
    rate[0] = y[1];
    rate[1] = -w * w * y[0] - 20 * y[1] - f / 1e-3;
    rate[2] = -100 * y[2] + (2.5 + f) / 0.1;
    rate[3] = dz;
}

enum
{
    ODE_SAMPLES = 2205
};  // 50 ms

static void pair_by_ode(double* v_r)
{
    static const double scale[4] = {1e-4, 0.1, 0.1, 1e-5};
    twFrictionLaw law = tw_friction_law();
    Ode ode = {pair_rate, &law, 4, scale, 1e-11, 1e-7};
    double y[4] = {0};
    for (int i = 0; i < ODE_SAMPLES; i++)
    {
        v_r[i] = y[1];
        ode_run(&ode, y, 1 / 44100.0);
    }
}

// RMS error of v_r over 50 ms, of its RMS
static double pair_error(twScheme scheme, int finer, const double* exact)
{
    Pair pair;
    pair_def(&pair, 44100.0 * finer, scheme);
    pair.rig.def.audit = false;
    pair_run(&pair, ODE_SAMPLES * finer);
    double error = 0, size = 0;
    for (int i = 0; i < ODE_SAMPLES; i++)
    {
        double d = pair.rig.out[pair.v_r][i * finer] - exact[i];
        error += d * d;
        size += exact[i] * exact[i];
    }
    rig_end(&pair.rig);
    return sqrt(error / size);
}

static int both_schemes_converge_to_the_ode_with_order_2(void)
{
    static double exact[ODE_SAMPLES];
    pair_by_ode(exact);
    ENSURE_NEAR(pair_error(TW_SCHEME_BILINEAR, 1, exact), 0.0868, 0.0002);
    for (int s = 0; s < 2; s++)
    {
        double e[3];
        for (int k = 0; k < 3; k++) e[k] = pair_error(s ? TW_SCHEME_EXACT : TW_SCHEME_BILINEAR, 4 << k, exact);
        ENSURE_NEAR(log2(e[0] / e[1]), 2, 0.2);
        ENSURE_NEAR(log2(e[1] / e[2]), 2, 0.2);
    }
    return 0;
}

// a resonator that swings at 3 m/s and rubs itself to rest, by the solver; the same normal force, nothing drives it
static void swing_rate(const double* y, double* rate, const void* context)
{
    pair_rate(y, rate, context);
    rate[2] -= 2.5 / 0.1;
}

enum
{
    SWING_SAMPLES = 441
};  // 10 ms

// the most that stored energy rises above its least so far, of the first
static double rise_by_ode(const twFrictionLaw* law)
{
    static const double scale[4] = {1e-4, 0.1, 0.1, 1e-5};
    Ode ode = {swing_rate, law, 4, scale, 1e-11, 1e-8};
    double y[4] = {0, 3, 0, 0}, w = 2 * TW_PI * 500, least = 4.5e-3, rise = 0;
    for (int i = 0; i < 20 * SWING_SAMPLES; i++)
    {
        ode_run(&ode, y, 0.05 / 44100);
        double energy =
            0.5e-3 * (y[1] * y[1] + w * w * y[0] * y[0]) + 0.05 * y[2] * y[2] + 0.5 * law->stiffness * y[3] * y[3];
        rise = fmax(rise, energy - least);
        least = fmin(least, energy);
    }
    return rise / 4.5e-3;
}

static double rise_in_network(const twFrictionLaw* law, int finer)
{
    Rig rig;
    rig_def(&rig, 44100.0 * finer);
    int e = rig_mode(&rig, 0, 50, 0.1, 0, 0), r = rig_mode(&rig, 500, 10, 1e-3, 0, 3);
    rig_friction(&rig, e, r, *law, 5);
    rig_start(&rig, 1);
    double first = rig_energy(&rig), least = first, rise = 0;
    for (int i = 0; i < finer * SWING_SAMPLES; i++)
    {
        rig_run(&rig, 0, 1);
        double energy = rig_energy(&rig);
        rise = fmax(rise, energy - least);
        least = fmin(least, energy);
    }
    rig_end(&rig);
    return rise / first;
}

// What stored energy gains for a moment is in the law, not in the scheme. The fastest it swings is 3 m/s, the passive speed that of
// 30 N s/m only 0.14 m/s: that it falls all the time there is the motion's, and no step may change it.
static int stored_energy_rises_only_as_the_law_itself_lets_it(void)
{
    static const double damping[] = {1, 30, 100};
    for (int i = 0; i < 3; i++)
    {
        twFrictionLaw law = tw_friction_law();
        law.damping = damping[i];
        double exact = rise_by_ode(&law), coarse = rise_in_network(&law, 1), fine = rise_in_network(&law, 16);
        ENSURE((exact > 1e-9) == (i == 2));
        ENSURE_NEAR(fine, exact, 1e-3 * exact + 1e-12);
        ENSURE(coarse <= 3 * exact + 1e-12);
    }
    return 0;
}

// in one sample they slide many times their bend: they come to rest at it and do not swing around it
static int bristles_that_slide_fast_do_not_overshoot(void)
{
    static const double speeds[] = {1.5, 5, 50};
    for (int i = 0; i < 3; i++)
    {
        Rig rig;
        rig_def(&rig, 44100);
        int mass = rig_mode(&rig, 0, 0, 1e9, 0, speeds[i]);
        rig_friction(&rig, mass, TW_WALL, tw_friction_law(), 5);
        int z = rig_out(&rig, TW_OUT_BRISTLE, 0), f = rig_out(&rig, TW_OUT_FRICTION_FORCE, 0);
        rig_start(&rig, 20);
        rig_run(&rig, 0, 20);
        // the first step begins with straight bristles that grip
        ENSURE(rig.out[z][1] < -0.9e-5 && rig.out[z][1] > -1.3e-5);
        for (int n = 2; n < 20; n++)
        {
            ENSURE_NEAR(rig.out[z][n], -1e-5, 1e-9);
            if (n == 2) continue;
            ENSURE_NEAR(rig.out[f][n], -tw_friction_steady(&rig.contacts[0].friction, 5, speeds[i]), 1e-3);
        }
        rig_end(&rig);
    }
    return 0;
}

// ---- in a network ----

static int steady_sliding_gives_the_steady_force(void)
{
    static const double speeds[] = {0.002, 0.05, 0.3, 2};
    for (int i = 0; i < 8; i++)
    {
        Rig rig;
        rig_def(&rig, 44100);
        rig.def.scheme = i < 4 ? TW_SCHEME_EXACT : TW_SCHEME_BILINEAR;
        // so heavy that it does not slow down
        int mass = rig_mode(&rig, 0, 0, 1e9, 0, speeds[i % 4]);
        rig_friction(&rig, mass, TW_WALL, tw_friction_law(), 5);
        int f = rig_out(&rig, TW_OUT_FRICTION_FORCE, 0), z = rig_out(&rig, TW_OUT_BRISTLE, 0);
        rig_start(&rig, 8000);
        rig_run(&rig, 0, 8000);
        // slip is v_b - v_a: against the wall it is negative
        twFrictionLaw law = tw_friction_law();
        double steady = tw_friction_steady(&law, 5, speeds[i % 4]);
        ENSURE_NEAR(rig.out[f][7999], -steady, 1e-8);
        ENSURE_NEAR(rig.out[z][7999], -(steady - 0.4 * speeds[i % 4]) / 1e5, 1e-13);
        rig_end(&rig);
    }
    return 0;
}

// how far the exciter creeps in the last of 10 periods of a 5 Hz force around 0.35 N, breakaway being at 0.7 N
static double creep(twScheme scheme, bool lugre)
{
    Pair pair;
    pair_def(&pair, 44100, scheme);
    pair.rig.contacts[0].friction.lugre = lugre;
    pair.rig.def.audit = false;
    rig_start(&pair.rig, 88201);
    for (int i = 0; i <= 88200; i++) pair.rig.in[pair.force][i] = 0.35 + 0.2 * sin(2 * TW_PI * 5 * i / 44100);
    rig_run(&pair.rig, 0, 88201);
    double moved = pair.rig.out[pair.x_e][88200] - pair.rig.out[pair.x_e][88200 - 8820];
    rig_end(&pair.rig);
    return moved;
}

static int lugre_creeps_below_breakaway_and_elasto_plastic_does_not(void)
{
    ENSURE_NEAR(creep(TW_SCHEME_BILINEAR, true), 1.476e-6, 1e-9);
    ENSURE_NEAR(creep(TW_SCHEME_BILINEAR, false), 0, 1e-16);
    ENSURE_NEAR(creep(TW_SCHEME_EXACT, true), 1.476e-6, 1e-9);
    ENSURE_NEAR(creep(TW_SCHEME_EXACT, false), 0, 1e-16);
    return 0;
}

static int without_normal_force_friction_is_gone_and_bristles_relax(void)
{
    for (int s = 0; s < 2; s++)
    {
        Pair pair;
        pair_def(&pair, 44100, s ? TW_SCHEME_EXACT : TW_SCHEME_BILINEAR);
        pair.rig.contacts[0].friction.noise = 0.1;
        int fn = rig_in(&pair.rig, TW_IN_NORMAL_FORCE, 0);
        rig_start(&pair.rig, 3000);
        rig_fill(&pair.rig, pair.force, 2.5);
        for (int i = 0; i < 3000; i++) pair.rig.in[fn][i] = i < 1000 ? 5 : i < 2000 ? -1 : 5;
        rig_run(&pair.rig, 0, 3000);
        double **out = pair.rig.out, drift = 0;
        ENSURE(out[pair.f][999] != 0 && out[pair.z][999] != 0);
        for (int i = 1001; i <= 2000; i++) ENSURE(out[pair.f][i] == 0 && out[pair.z][i] == 0);
        // the freed exciter obeys v' = F/m - g v
        for (int i = 1002; i <= 2000; i++)
        {
            double v0 = out[pair.v_e][i - 1], steady = 2.5 / 0.1 / 100;
            drift = fmax(drift, fabs(out[pair.v_e][i] - (steady + (v0 - steady) * exp(-100 / 44100.0))));
        }
        ENSURE(drift < 1e-6);
        ENSURE(out[pair.f][2500] != 0);
        rig_end(&pair.rig);
    }
    return 0;
}

static int a_negative_shape_value_is_the_mirror_image(void)
{
    // both modes of the resonator turned round: the same motion at the contact point
    double freq[2] = {500, 1340}, decay[2] = {10, 15}, mass[2] = {1e-3, 2e-3}, shape[2] = {1, -0.6};
    Pair turned[2];
    for (int i = 0; i < 2; i++)
    {
        pair_def(&turned[i], 44100, TW_SCHEME_EXACT);
        tw_modes_destroy(turned[i].rig.modes[1]);
        twModesDef def = tw_modes_def();
        def.mode_count = 2;
        def.freq_hz = freq, def.decay = decay, def.mass = mass, def.shape = shape;
        if (tw_modes_create(&turned[i].rig.modes[1], &def, NULL) != TW_OK) return 1;
        turned[i].rig.objects[1] = (twNetObject){.modes = turned[i].rig.modes[1]};
        pair_run(&turned[i], 44100);
        shape[0] = -shape[0], shape[1] = -shape[1];
    }
    for (int i = 0; i < 44100; i++)
    {
        ENSURE(turned[0].rig.out[turned[0].v_r][i] == turned[1].rig.out[turned[1].v_r][i]);
        ENSURE(fabs(turned[0].rig.out[turned[0].v_r][i]) < 1);
    }
    twNetEnergy e = tw_net_energy(turned[1].rig.net);
    ENSURE_NEAR(e.balance_error, 0, 1e-12 * e.work_in);
    ENSURE(e.friction_loss > 0);
    rig_end(&turned[0].rig), rig_end(&turned[1].rig);
    return 0;
}

// modes of random pitch, decay, mass and shape (of both signs), moving
static int random_object(Rig* rig, twRng* rng, int modes, double* velocity)
{
    double freq[128], decay[128], mass[128], shape[128];
    for (int k = 0; k < modes; k++)
    {
        freq[k] = tw_rng_uniform(rng) < 0.2 ? 0 : pow(10, tw_rng_between(rng, 1, 4.3));
        decay[k] = tw_rng_uniform(rng) < 0.3 ? 0 : pow(10, tw_rng_between(rng, -1, 3));
        mass[k] = pow(10, tw_rng_between(rng, -4, 0));
        shape[k] = tw_rng_between(rng, -1, 1);
        velocity[k] = tw_rng_between(rng, -2, 2);
    }
    twModesDef def = tw_modes_def();
    def.mode_count = modes;
    def.freq_hz = freq, def.decay = decay, def.mass = mass, def.shape = shape;
    int object = rig_object(rig, &def);
    rig->objects[object].velocity = velocity;
    return object;
}

static int undriven_friction_never_exceeds_its_first_energy(void)
{
    twRng rng = tw_rng(21);
    long guarded = 0;
    for (int i = 0; i < 300; i++)
    {
        Rig rig;
        rig_def(&rig, 44100);
        double velocity[2][128];
        int a = random_object(&rig, &rng, 1 + i % 4, velocity[0]),
            b = random_object(&rig, &rng, i % 25 ? 1 + i % 7 : 128, velocity[1]);
        twFrictionLaw law = random_law(&rng);
        law.lugre = i % 3 == 0;
        // damping far beyond what sounds good gives back most
        if (i % 10 == 4) law.damping *= 100;
        rig_friction(&rig, a, b, law, 1);
        int fn = rig_in(&rig, TW_IN_NORMAL_FORCE, 0);
        rig_start(&rig, 1);
        double first = rig_energy(&rig), press = pow(10, tw_rng_between(&rng, -2, 2));
        for (int n = 0; n < 300; n++)
        {
            // the normal force does no work, but a sudden fall leaves bristles bent further than they may be
            rig.in[fn][0] = i % 2 || n % 20 < 10 ? press : press * tw_rng_uniform(&rng);
            rig_run(&rig, 0, 1);
            ENSURE(rig_energy(&rig) <= first * (1 + 1e-12));
        }
        twNetEnergy e = tw_net_energy(rig.net);
        ENSURE_NEAR(e.balance_error, 0, 1e-12 * first);
        ENSURE(e.friction_loss >= -1e-13 * first);
        ENSURE(tw_net_stats(rig.net).unconverged == 0);
        guarded += tw_net_stats(rig.net).guarded;
        rig_end(&rig);
    }
    // the claim is empty unless the law would have given energy back
    ENSURE(guarded > 20);
    return 0;
}

static int bad_laws_are_refused_by_name(void)
{
    struct
    {
        size_t offset;
        double value;
        const char* name;
    } bad[] = {{offsetof(twFrictionLaw, stiffness), 0, "stiffness"},
               {offsetof(twFrictionLaw, damping), -1, "damping"},
               {offsetof(twFrictionLaw, viscosity), NAN, "viscosity"},
               {offsetof(twFrictionLaw, noise), INFINITY, "noise"},
               {offsetof(twFrictionLaw, dynamic_friction), 0, "dynamic"},
               {offsetof(twFrictionLaw, static_friction), 0.1, "static"},
               {offsetof(twFrictionLaw, stribeck), 0, "stribeck"},
               {offsetof(twFrictionLaw, breakaway), 1, "breakaway"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    {
        twError err;
        twFrictionLaw law = tw_friction_law();
        ENSURE(tw_friction_law_check(&law, &err) == TW_OK);
        *(double*)((char*)&law + bad[i].offset) = bad[i].value;
        ENSURE(tw_friction_law_check(&law, &err) == TW_BAD_INPUT && strstr(err.text, bad[i].name));
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rate_is_the_corrected_law)
    RUN(derivatives_agree_with_differences)
    RUN(elastic_below_breakaway_and_plastic_beyond)
    RUN(steady_force_and_passive_speed_are_the_closed_forms)
    RUN(bristles_give_back_above_the_passive_speed_only)
    RUN(a_million_random_solves_all_find_a_root)
    RUN(the_solve_keeps_the_branch_of_its_guess)
    RUN(without_normal_force_nothing_is_solved)
    RUN(reference_run_hits_the_published_samples)
    RUN(reference_run_has_the_published_ranges_and_energy)
    RUN(stick_slip_pitch_converges_as_published)
    RUN(both_schemes_converge_to_the_ode_with_order_2)
    RUN(stored_energy_rises_only_as_the_law_itself_lets_it)
    RUN(bristles_that_slide_fast_do_not_overshoot)
    RUN(steady_sliding_gives_the_steady_force)
    RUN(lugre_creeps_below_breakaway_and_elasto_plastic_does_not)
    RUN(without_normal_force_friction_is_gone_and_bristles_relax)
    RUN(a_negative_shape_value_is_the_mirror_image)
    RUN(undriven_friction_never_exceeds_its_first_energy)
    RUN(bad_laws_are_refused_by_name)
)
