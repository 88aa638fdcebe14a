// SPDX-License-Identifier: MIT
// Tests of what acts on rods: damping, pulses, gravity, springs, moved supports, and the energy budget of all that. Expected
// values: conservation laws, motion of rigid bodies, Rayleigh's damping.
#include "rod_bar.h"

// ---- damping ----

static int modes_decay_by_rayleigh_damping_and_the_budget_closes(void)
{
    for (int integrator = 0; integrator < 2; integrator++)
    {
        static double series[8000];
        Bar bar;
        bar_make(&bar, 24);
        bar.def.alpha = 20, bar.def.beta = 4e-7, bar.def.integrator = integrator;
        double w;
        bar_ring_mode(&bar, 6, 4000, &w, series);
        double early = 0, late = 0;
        for (int k = 0; k < 500; k++) early = fmax(early, fabs(series[k])), late = fmax(late, fabs(series[3500 + k]));
        double decay = (20 + 4e-7 * w * w) / 2;
        ENSURE_NEAR(log(early / late) / (3500 / 44100.), decay, 0.02 * decay);
        // all the work is motion or was taken by damping
        twRodPulse blow = {.point = 5, .force = {0, 3, 50}, .duration = 3e-4};
        bar.def.pulse_count = 1, bar.def.pulses = &blow, bar.def.account = true;
        bar.def.tolerance = 1e-9;
        twRod* rod = bar_create(&bar.def);
        ENSURE(rod);
        for (int k = 0; k < 2000; k++) tw_rod_step(rod);
        twRodEnergy e = tw_rod_energy(rod);
        ENSURE(e.dissipated > 0.2 * e.work);
        ENSURE_NEAR((bar_energy(rod) + e.dissipated) / e.work, 1, integrator == TW_ROD_GAUSS4 ? 1e-5 : 1e-5);
        tw_rod_destroy(rod);
    }
    return 0;
}

// whatever damping and step, if the equations are solved well; with the default tolerance nothing is gained, and at usual rates
// nothing is lost either
static int the_budget_closes_at_any_damping_and_step(void)
{
    static const double betas[] = {0, 4e-7, 1e-5, 1e-3}, rates[] = {8000, 44100, 88200};
    for (int i = 0; i < 4; i++)
        for (int b = 0; b < 4; b++)
            for (int r = 0; r < 3; r++)
            {
                const int integrator = i / 2;
                const bool fine = i % 2;
                Bar bar;
                bar_make(&bar, 24);
                twRodPulse blow = {.point = 5, .force = {10, 3, 50}, .duration = 3e-4};
                bar.def.alpha = b % 2 ? 0 : 20, bar.def.beta = betas[b];
                bar.def.integrator = (twRodIntegrator)integrator, bar.def.rate_hz = rates[r];
                bar.def.pulse_count = 1, bar.def.pulses = &blow, bar.def.account = true;
                if (fine) bar.def.tolerance = 1e-4;
                twRod* rod = bar_create(&bar.def);
                ENSURE(rod);
                for (int k = 0; k < (int)(0.02 * rates[r]); k++) tw_rod_step(rod);
                twRodEnergy e = tw_rod_energy(rod);
                ENSURE(e.dissipated > 0.02 * e.work);
                const double balance = (tw_rod_total(&e) + e.dissipated) / e.work;
                ENSURE(balance < 1 + 2e-5);
                if (fine || rates[r] > 8000) ENSURE_NEAR(balance, 1, 2e-5);
                tw_rod_destroy(rod);
            }
    return 0;
}

// ---- forces and supports ----

static int pulses_give_their_impulse_however_short(void)
{
    for (int k = 0; k < 3; k++)
    {
        Bar bar;
        bar_make(&bar, 12);
        twRodPulse blows[2] = {{.point = 4,
                                .force = {0, 0, 300},
                                .start = 1.3e-5,
                                .duration = k == 0   ? 1e-6
                                            : k == 1 ? 3e-5
                                                     : 1e-3},
                               {.point = 6, .force = {0, 0, 300}, .start = 2e-4, .duration = 5e-5}};
        bar.def.pulse_count = 2, bar.def.pulses = blows;
        twRod* rod = bar_create(&bar.def);
        ENSURE(rod);
        for (int i = 0; i < 60; i++) tw_rod_step(rod);
        tw_rod_mass_of(rod, rod->v, rod->mz[0]);
        double momentum = 0, expected = 2 / TW_PI * 300 * (blows[0].duration + blows[1].duration);
        for (int i = 0; i < 12; i++) momentum += rod->mz[0][2][i];
        ENSURE_NEAR(momentum / expected, 1, 1e-5);
        tw_rod_destroy(rod);
    }
    return 0;
}

// struck while it runs, as if the blow had been in the def
static int strikes_act_as_pulses_of_the_def(void)
{
    const twRodPulse blow = {.point = 4, .force = {0, 2, 30}, .start = 100 / 44100. + 3e-6, .duration = 2e-4};
    twVec3 end[2];
    double work[2];
    for (int k = 0; k < 2; k++)
    {
        Bar bar;
        bar_make(&bar, 12);
        if (k == 0) bar.def.pulse_count = 1, bar.def.pulses = &blow;
        twRod* rod = bar_create(&bar.def);
        ENSURE(rod);
        for (int i = 0; i < 200; i++)
        {
            if (k == 1 && i == 100) ENSURE(tw_rod_strike(rod, &blow));
            tw_rod_step(rod);
        }
        end[k] = tw_vec3(rod->q[0][4], rod->q[1][4], rod->q[2][4]);
        work[k] = tw_rod_energy(rod).work;
        tw_rod_destroy(rod);
    }
    ENSURE(work[0] > 0 && work[1] == work[0]);
    ENSURE(end[0].z > 0 && end[0].z == end[1].z && end[0].y == end[1].y);
    return 0;
}

static int strikes_are_refused_when_all_places_are_taken_and_ignored_if_not_finite(void)
{
    Bar bar;
    bar_make(&bar, 12);
    twRod* rod = bar_create(&bar.def);
    ENSURE(rod);
    const twRodPulse blow = {.point = 4, .force = {0, 0, 1}, .duration = 1e-4};
    for (int i = 0; i < 64; i++) ENSURE(tw_rod_strike(rod, &blow));
    ENSURE(!tw_rod_strike(rod, &blow));
    // when they are over there is room again, and all of them were given
    for (int i = 0; i < 8; i++) tw_rod_step(rod);
    tw_rod_mass_of(rod, rod->v, rod->mz[0]);
    double momentum = 0;
    for (int i = 0; i < 12; i++) momentum += rod->mz[0][2][i];
    ENSURE_NEAR(momentum / (64 * 2 / TW_PI * 1e-4), 1, 1e-5);
    ENSURE(tw_rod_strike(rod, &blow));
    // one that is over before it is given does nothing
    ENSURE(tw_rod_strike(rod, &(twRodPulse){.point = 1, .force = {0, 0, 1e6}, .duration = 1e-5}));
    const twRodPulse bad[] = {{.point = 4, .force = {0, NAN, 1}, .duration = 1e-4},
                              {.point = 4, .force = {0, 0, 1}, .duration = 0},
                              {.point = 4, .force = {0, 0, 1}, .start = INFINITY, .duration = 1e-4}};
    for (int i = 0; i < 3; i++) ENSURE(tw_rod_strike(rod, &bad[i]));
    ENSURE(tw_rod_stats(rod).bad_inputs == 3);
    double before = tw_rod_energy(rod).kinetic;
    for (int i = 0; i < 100; i++) tw_rod_step(rod);
    ENSURE(tw_rod_energy(rod).kinetic < 4 * before);
    tw_rod_destroy(rod);
    return 0;
}

static int free_fall_is_free_fall(void)
{
    Bar bar;
    bar_make(&bar, 12);
    bar.def.gravity = tw_vec3(0, 0, -9.81);
    twRod* rod = bar_create(&bar.def);
    ENSURE(rod);
    for (int i = 0; i < 4410; i++) tw_rod_step(rod);
    for (int i = 0; i < 12; i++) ENSURE_NEAR(rod->q[2][i], -0.5 * 9.81 * 0.01, 1e-12);
    tw_rod_destroy(rod);
    return 0;
}

static int springs_hold_with_their_stiffness_and_damp(void)
{
    // a stiff bar on two springs bounces as a rigid mass: w^2 = 2 k/m, decay c/m
    Bar bar;
    bar_make(&bar, 12);
    for (int k = 0; k < 2; k++)
        bar.ends[k].kind = TW_ROD_SPRING, bar.ends[k].stiffness = tw_vec3(1000, 1000, 1000), bar.ends[k].damping = 0.2;
    bar.def.support_count = 2;
    for (int i = 0; i < 12; i++) bar.velocities[i] = tw_vec3(0, 0, 0.1);
    bar.def.velocities = bar.velocities;
    bar.def.rate_hz = 8000;
    twRod* rod = bar_create(&bar.def);
    ENSURE(rod);
    static double series[8000];
    for (int i = 0; i < 8000; i++)
    {
        tw_rod_step(rod);
        series[i] = rod->q[2][6];
    }
    double mass = 2700 * bar.section.area * 0.3048, w0 = sqrt(2000 / mass), c = 0.2 / mass;
    ENSURE_NEAR(bar_crossings(series, 8000, 8000), sqrt(w0 * w0 - c * c), 2e-3 * w0);
    double early = 0, late = 0;
    for (int k = 0; k < 2000; k++) early = fmax(early, fabs(series[k])), late = fmax(late, fabs(series[6000 + k]));
    ENSURE_NEAR(log(early / late), c * 0.75, 0.05 * c);
    ENSURE(tw_rod_energy(rod).springs > 0);
    tw_rod_destroy(rod);
    return 0;
}

static int moved_supports_arrive_and_stay(void)
{
    Bar bar;
    bar_make(&bar, 12);
    bar.def.support_count = 2, bar.def.alpha = 200;
    twRod* rod = bar_create(&bar.def);
    ENSURE(rod);
    for (int k = 1; k <= 2000; k++)
    {
        double s = k / 2000.;
        for (int end = 0; end < 2; end++) tw_rod_move(rod, end, tw_vec3(end * 0.3048, 0.02 * s, 0), tw_quat_identity());
        tw_rod_step(rod);
    }
    for (int k = 0; k < 6000; k++) tw_rod_step(rod);
    for (int i = 0; i < 12; i++)
    {
        ENSURE_NEAR(rod->q[1][i], 0.02, i == 0 || i == 11 ? 1e-15 : 1e-4);
        ENSURE(i % 11 != 0 || rod->v[1][i] == 0);
    }
    // pushing a held point does nothing, pushing another moves it
    tw_rod_push(rod, 0, tw_vec3(0, 5, 0));
    tw_rod_push_spring(rod, 6, tw_vec3(0, 5, 0), &(twMat3){{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}}, NULL);
    double before = rod->q[1][6];
    tw_rod_step(rod);
    ENSURE_NEAR(rod->q[1][0], 0.02, 1e-15);
    ENSURE(rod->q[1][6] > before);
    tw_rod_destroy(rod);
    return 0;
}

// supports of all kinds moved and turned about, with gravity and damping
static int the_work_of_moved_supports_balances_the_budget(void)
{
    static const struct
    {
        twRodHold kind;
        int point;
        bool shear;
    } cases[] = {{TW_ROD_PINNED, 0, false},  {TW_ROD_CLAMPED, 0, false}, {TW_ROD_CLAMPED, 11, false},
                 {TW_ROD_CLAMPED, 5, false}, {TW_ROD_SPRING, 3, false},  {TW_ROD_CLAMPED, 11, true}};
    for (int integrator = 0; integrator < 2; integrator++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        {
            Bar bar;
            bar_make(&bar, 12);
            bar.def.young = 1e8, bar.def.alpha = 30, bar.def.beta = 1e-6, bar.def.account = true;
            bar.def.gravity = tw_vec3(0, 0, -9.81), bar.def.shear = cases[i].shear;
            bar.def.tolerance = 1e-6;  // solved well: 1e-5 is missing with the default
            bar.def.integrator = (twRodIntegrator)integrator;
            twRodSupport hold = {.kind = cases[i].kind, .point = cases[i].point, .stiffness = {2000, 2000, 2000}};
            bar.def.support_count = 1, bar.def.supports = &hold;
            twRod* rod = bar_create(&bar.def);
            ENSURE(rod);
            twRodEnergy first = tw_rod_energy(rod), last = first;
            const twVec3 x = bar.points[cases[i].point];
            double turnover = 0;
            for (int k = 1; k < 4000; k++)
            {
                double t = k / 44100., a = 0.01 * sin(200 * t), b = 0.1 * sin(100 * t);
                if (k < 3000)
                    tw_rod_move(rod, 0, tw_vec3(x.x + 0.2 * a, x.y + a, x.z + 0.5 * t),
                                tw_quat_from_axis_angle(tw_vec3(0.5, 1, 0.3), b));
                tw_rod_step(rod);
                twRodEnergy now = tw_rod_energy(rod);
                turnover += fabs(now.work - last.work);
                last = now;
            }
            ENSURE(turnover > 0.5);
            double error = tw_rod_total(&last) + last.dissipated - last.work - tw_rod_total(&first);
            // rotary inertia acts along the frames at the start of a step
            ENSURE_NEAR(error / turnover, 0, cases[i].shear ? 1e-3 : integrator == TW_ROD_GAUSS4 ? 1e-6 : 1e-5);
            tw_rod_destroy(rod);
        }
    return 0;
}

static int lifting_a_bar_takes_its_weight_times_the_height(void)
{
    Bar bar;
    bar_make(&bar, 12);
    bar.def.support_count = 2, bar.def.gravity = tw_vec3(0, 0, -9.81);
    twRod* rod = bar_create(&bar.def);
    ENSURE(rod);
    for (int k = 1; k <= 8000; k++)
    {
        double s = fmin(1, k / 6000.), lift = 0.05 * s * s * (3 - 2 * s);
        for (int end = 0; end < 2; end++) tw_rod_move(rod, end, tw_vec3(end * 0.3048, 0, lift), tw_quat_identity());
        tw_rod_step(rod);
    }
    double weight = 2700 * bar.section.area * 0.3048 * 9.81;
    ENSURE_NEAR(tw_rod_energy(rod).work / (weight * 0.05), 1, 1e-3);
    tw_rod_destroy(rod);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(modes_decay_by_rayleigh_damping_and_the_budget_closes)
    RUN(the_budget_closes_at_any_damping_and_step)
    RUN(pulses_give_their_impulse_however_short)
    RUN(strikes_act_as_pulses_of_the_def)
    RUN(strikes_are_refused_when_all_places_are_taken_and_ignored_if_not_finite)
    RUN(free_fall_is_free_fall)
    RUN(springs_hold_with_their_stiffness_and_damp)
    RUN(moved_supports_arrive_and_stay)
    RUN(the_work_of_moved_supports_balances_the_budget)
    RUN(lifting_a_bar_takes_its_weight_times_the_height)
)
