// SPDX-License-Identifier: MIT
// Oscillators against closed forms, and against the exponential of their matrix in extended precision.
#include "test.h"
#include "twang/math.h"
#include "twang/modal.h"
#include <stdlib.h>

// ---- helpers ----

static twOscillators* one(double w0, double decay)
{
    twOscillators* o = NULL;
    double freq_hz = w0 / (2 * TW_PI);
    tw_oscillators_create(&o, 1, &freq_hz, &decay, NULL);
    return o;
}

static void state(const twOscillators* o, double* q, double* v) { tw_oscillators_get(o, q, v); }

static void multiply(long double out[3][3], long double a[3][3], long double b[3][3])
{
    long double r[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) r[i][j] += a[i][k] * b[k][j];
    memcpy(out, r, sizeof r);
}

// (q, v, f) after t: exp of t [0 1 0; -w0^2 -2c 1; 0 0 0] by its series for t / 2^n, squared n times
static void exact(double w0, double c, double t, double f, double* q, double* v)
{
    int halvings = 0;
    while (ldexp(fmax(fmax(w0, 2 * c), 1) * t, -halvings) > 0.25) halvings++;
    long double h = ldexpl((long double)t, -halvings), w = w0;
    long double a[3][3] = {{0, h, 0}, {-w * w * h, -2 * (long double)c * h, h}, {0, 0, 0}};
    long double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int n = 1; n < 60; n++)
    {
        multiply(term, term, a);
        for (int i = 0; i < 9; i++) term[i / 3][i % 3] /= n, e[i / 3][i % 3] += term[i / 3][i % 3];
    }
    while (halvings-- > 0) multiply(e, e, e);
    long double q0 = *q, v0 = *v;
    *q = (double)(e[0][0] * q0 + e[0][1] * v0 + e[0][2] * f);
    *v = (double)(e[1][0] * q0 + e[1][1] * v0 + e[1][2] * f);
}

// how far a step is from exact, relative to the largest the motion can have
static double error_of(double w0, double c, double t, double q0, double v0, double f)
{
    twOscillators* o = one(w0, c);
    tw_oscillators_set(o, &q0, &v0);
    tw_oscillators_hold(o, &f);
    tw_oscillators_advance(o, t);
    double q, v, q1 = q0, v1 = v0, rate = fmax(w0, 1 / t);
    state(o, &q, &v);
    exact(2 * TW_PI * (w0 / (2 * TW_PI)), c, t, f, &q1, &v1);
    double size = fmax(fabs(q0) + fabs(v0) / rate + fabs(f) / (rate * rate), 1e-300);
    tw_oscillators_destroy(o);
    return fmax(fabs(q - q1), fabs(v - v1) / rate) / size;
}

// ---- closed forms ----

static int underdamped_is_the_closed_form(void)
{
    const double w0 = 50, c = 14, w = 48, q0 = 0.3, v0 = -2;  // 14, 48, 50
    twOscillators* o = one(w0, c);
    tw_oscillators_set(o, &q0, &v0);
    for (int i = 1; i <= 100; i++)
    {
        tw_oscillators_advance(o, 0.007);
        double t = 0.007 * i, q, v, b = (v0 + c * q0) / w;
        state(o, &q, &v);
        ENSURE_NEAR(q, exp(-c * t) * (q0 * cos(w * t) + b * sin(w * t)), 1e-14);
        ENSURE_NEAR(v, exp(-c * t) * ((b * w - c * q0) * cos(w * t) - (q0 * w + c * b) * sin(w * t)), 1e-12);
    }
    tw_oscillators_destroy(o);
    return 0;
}

static int overdamped_is_the_closed_form(void)
{
    const double w0 = 6, c = 10, q0 = 0.3, v0 = -2, a = (v0 + 18 * q0) / 16, b = q0 - a;  // p = -2, -18
    twOscillators* o = one(w0, c);
    tw_oscillators_set(o, &q0, &v0);
    for (int i = 1; i <= 100; i++)
    {
        tw_oscillators_advance(o, 0.03);
        double t = 0.03 * i, q, v;
        state(o, &q, &v);
        ENSURE_NEAR(q, a * exp(-2 * t) + b * exp(-18 * t), 1e-15);
        ENSURE_NEAR(v, -2 * a * exp(-2 * t) - 18 * b * exp(-18 * t), 1e-14);
    }
    tw_oscillators_destroy(o);
    return 0;
}

static int critically_damped_is_the_closed_form(void)
{
    const double q0 = 0.3, v0 = -2, c = 2 * TW_PI * (10 / (2 * TW_PI)), b = v0 + c * q0;
    twOscillators* o = one(10, c);
    tw_oscillators_set(o, &q0, &v0);
    for (int i = 1; i <= 100; i++)
    {
        tw_oscillators_advance(o, 0.03);
        double t = 0.03 * i, q, v;
        state(o, &q, &v);
        ENSURE_NEAR(q, exp(-c * t) * (q0 + b * t), 1e-15);
        ENSURE_NEAR(v, exp(-c * t) * (b - c * (q0 + b * t)), 1e-14);
    }
    tw_oscillators_destroy(o);
    return 0;
}

static int without_stiffness_it_flies_or_stops(void)
{
    // free: q0 + v0 t + f t^2/2
    const double q0 = 0.3, v0 = -2, f = 3, t = 1.7, c = 0.9;
    double q, v;
    twOscillators* o = one(0, 0);
    tw_oscillators_set(o, &q0, &v0);
    tw_oscillators_hold(o, &f);
    tw_oscillators_advance(o, t);
    state(o, &q, &v);
    ENSURE_NEAR(q, q0 + v0 * t + f * t * t / 2, 1e-15);
    ENSURE_NEAR(v, v0 + f * t, 1e-15);
    tw_oscillators_destroy(o);

    // damped: towards v = f/2c
    o = one(0, c);
    tw_oscillators_set(o, &q0, &v0);
    tw_oscillators_hold(o, &f);
    tw_oscillators_advance(o, t);
    state(o, &q, &v);
    double end = f / (2 * c), e = exp(-2 * c * t);
    ENSURE_NEAR(v, end + (v0 - end) * e, 1e-15);
    ENSURE_NEAR(q, q0 + end * t + (v0 - end) * (1 - e) / (2 * c), 1e-15);
    tw_oscillators_destroy(o);
    return 0;
}

// c = w0 (1 + x) for x from far to nearly 0, on both sides; times short and long; with and without force
static int every_damping_agrees_with_the_matrix_exponential(void)
{
    static const double x[] = {0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999};
    static const double t[] = {1e-9, 1e-4, 1e-2, 0.05, 0.3, 2};
    static const double start[][3] = {{1, 0, 0}, {0, 100, 0}, {0, 0, 1e4}, {0.3, -20, 500}};
    const double w0 = 100;
    for (int i = 0; i < 10; i++)
        for (int side = -1; side <= 1; side++)
            for (int j = 0; j < 6; j++)
                for (int k = 0; k < 4; k++)
                {
                    double c = side == 1 ? w0 / (1 - x[i]) : side == 0 ? w0 * (1 - x[i]) : w0 * x[i];
                    ENSURE_NEAR(error_of(w0, c, t[j], start[k][0], start[k][1], start[k][2]), 0, 2e-13);
                }
    return 0;
}

// The force has moved it by f t^2/2 after a short time: not the difference of two large numbers.
static int slow_modes_feel_a_force_without_cancellation(void)
{
    static const double w0[] = {0, 1e-12, 1e-6, 1e-3, 1}, c[] = {0, 1e-9, 1e-3, 10, 1000};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (double t = 1e-7; t < 2; t *= 10)
            {
                double f = 1, q, v, q1 = 0, v1 = 0;
                twOscillators* o = one(w0[i], c[j]);
                tw_oscillators_hold(o, &f);
                tw_oscillators_advance(o, t);
                state(o, &q, &v);
                exact(w0[i], c[j], t, f, &q1, &v1);
                ENSURE_NEAR(q / q1, 1, 1e-12);
                ENSURE_NEAR(v / v1, 1, 1e-12);
                tw_oscillators_destroy(o);
            }
    return 0;
}

// ---- steps ----

enum
{
    SEVERAL = 6
};
static const double several_hz[SEVERAL] = {0, 0, 3, 20, 440, 9000}, several_decay[SEVERAL] = {0, 2, 40, 0, 5, 9e4};

static twOscillators* several(void)
{
    static const double q[SEVERAL] = {1, -1, 0.2, 0.3, -0.4, 0.5}, v[SEVERAL] = {1, 2, -3, 40, 500, -6e3},
                        f[SEVERAL] = {1, 2, 30, -400, 5e4, 6e6};
    twOscillators* o = NULL;
    if (tw_oscillators_create(&o, SEVERAL, several_hz, several_decay, NULL) != TW_OK) return NULL;
    tw_oscillators_set(o, q, v);
    tw_oscillators_hold(o, f);
    return o;
}

static int two_steps_are_one(void)
{
    static const double a[] = {0, 1e-3, 0.4, 3}, b[] = {0, 1e-5, 0.7};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            for (int touched = 0; touched < 2; touched++)
            {
                twOscillators *two = several(), *whole = several();
                double q[SEVERAL], v[SEVERAL], q1[SEVERAL], v1[SEVERAL];
                tw_oscillators_advance(two, a[i]);
                tw_oscillators_get(two, q, v);
                if (touched) tw_oscillators_set(two, q, v);  // counts anew
                tw_oscillators_advance(two, b[j]);
                tw_oscillators_advance(whole, a[i] + b[j]);
                tw_oscillators_get(two, q, v);
                tw_oscillators_get(whole, q1, v1);
                for (int k = 0; k < SEVERAL; k++)
                {
                    double rate = fmax(1, 2 * TW_PI * several_hz[k]);
                    ENSURE_NEAR(q[k], q1[k], 1e-11);
                    ENSURE_NEAR(v[k], v1[k], 1e-11 * rate);
                }
                tw_oscillators_destroy(two);
                tw_oscillators_destroy(whole);
            }
    return 0;
}

static int ahead_is_where_they_come_and_changes_nothing(void)
{
    twOscillators* o = several();
    double q[SEVERAL], v[SEVERAL], q1[SEVERAL], v1[SEVERAL], now[SEVERAL], then[SEVERAL], push[SEVERAL] = {1, 1, 1};
    tw_oscillators_advance(o, 0.01);
    for (int i = 0; i < 5; i++)
    {
        tw_oscillators_get(o, now, NULL);
        tw_oscillators_ahead(o, 0.003, q, v);
        tw_oscillators_get(o, then, NULL);
        for (int k = 0; k < SEVERAL; k++) ENSURE(now[k] == then[k]);
        tw_oscillators_advance(o, 0.003);
        tw_oscillators_get(o, q1, v1);
        for (int k = 0; k < SEVERAL; k++)
        {
            ENSURE_NEAR(q[k], q1[k], 1e-12);
            ENSURE_NEAR(v[k], v1[k], 1e-12 * fmax(1, 2 * TW_PI * several_hz[k]));
        }
        tw_oscillators_impulse(o, push);
    }
    tw_oscillators_destroy(o);
    return 0;
}

static int no_time_changes_nothing(void)
{
    twOscillators* o = several();
    double q[SEVERAL], v[SEVERAL], q1[SEVERAL], v1[SEVERAL], s[SEVERAL], ds[SEVERAL];
    tw_oscillators_get(o, q, v);
    tw_oscillators_advance(o, 0);
    tw_oscillators_ahead(o, 0, q1, v1);
    for (int k = 0; k < SEVERAL; k++) ENSURE(q[k] == q1[k] && v[k] == v1[k]);
    tw_oscillators_get(o, q1, v1);
    for (int k = 0; k < SEVERAL; k++) ENSURE(q[k] == q1[k] && v[k] == v1[k]);
    tw_oscillators_response(o, 0, s, ds);
    for (int k = 0; k < SEVERAL; k++) ENSURE(s[k] == 0 && ds[k] == 1);
    tw_oscillators_destroy(o);
    return 0;
}

static int huge_steps_end_at_rest_or_ring_on(void)
{
    static const double times[] = {1e6, 1e100, 1e307};
    static const double hz[4] = {100, 100, 100, 0}, decay[4] = {0, 1, 1e4, 3};
    for (int i = 0; i < 3; i++)
    {
        twOscillators* o = NULL;
        double rate[4] = {1, 1, 1, 1}, q[4], v[4];
        ENSURE(tw_oscillators_create(&o, 4, hz, decay, NULL) == TW_OK);
        tw_oscillators_impulse(o, rate);
        tw_oscillators_advance(o, times[i]);
        tw_oscillators_get(o, q, v);
        ENSURE_NEAR(v[0] * v[0] + pow(200 * TW_PI * q[0], 2), 1, 1e-14);
        ENSURE(q[1] == 0 && v[1] == 0 && v[3] == 0);
        ENSURE_NEAR(q[2], 0, 1e-300);
        ENSURE_NEAR(q[3], 1 / 6.0, 1e-16);
        tw_oscillators_destroy(o);
    }
    return 0;
}

// ---- impulses and forces ----

static int response_is_the_motion_after_an_impulse(void)
{
    twOscillators* o = NULL;
    ENSURE(tw_oscillators_create(&o, SEVERAL, several_hz, several_decay, NULL) == TW_OK);
    double push[SEVERAL] = {1, 1, 1, 1, 1, 1}, q[SEVERAL], v[SEVERAL], s[SEVERAL], ds[SEVERAL];
    tw_oscillators_impulse(o, push);
    tw_oscillators_get(o, q, v);
    for (int k = 0; k < SEVERAL; k++) ENSURE(q[k] == 0 && v[k] == 1);
    for (int i = 1; i < 50; i++)
    {
        tw_oscillators_advance(o, 0.001);
        tw_oscillators_get(o, q, v);
        tw_oscillators_response(o, 0.001 * i, s, ds);
        for (int k = 0; k < SEVERAL; k++)
        {
            ENSURE_NEAR(q[k], s[k], 1e-15);
            ENSURE_NEAR(v[k], ds[k], 1e-11);
        }

        // underdamped: e^{-ct} sin(wt)/w
        double c = several_decay[4], w = sqrt(pow(880 * TW_PI, 2) - c * c), t = 0.001 * i;
        ENSURE_NEAR(s[4], exp(-c * t) * sin(w * t) / w, 1e-16);
    }
    tw_oscillators_destroy(o);
    return 0;
}

static int held_force_bends_to_its_equilibrium_without_a_jump(void)
{
    const double hz[3] = {5, 5, 5}, decay[3] = {4, 2 * TW_PI * 5, 90}, force[3] = {10, -20, 30}, start[3] = {1, 1, 1};
    twOscillators* o = NULL;
    ENSURE(tw_oscillators_create(&o, 3, hz, decay, NULL) == TW_OK);
    double q[3], v[3], q1[3], v1[3];
    tw_oscillators_set(o, start, start);
    tw_oscillators_advance(o, 0.01);
    tw_oscillators_get(o, q, v);
    tw_oscillators_hold(o, force);
    tw_oscillators_get(o, q1, v1);
    for (int k = 0; k < 3; k++) ENSURE(q[k] == q1[k] && v[k] == v1[k]);

    // the acceleration jumps by the force, nothing else
    tw_oscillators_ahead(o, 1e-7, NULL, v1);
    for (int k = 0; k < 3; k++)
    {
        double w0 = 10 * TW_PI;
        ENSURE_NEAR((v1[k] - v[k]) / 1e-7, force[k] - 2 * decay[k] * v[k] - w0 * w0 * q[k], 1e-2);
    }
    tw_oscillators_advance(o, 60);
    tw_oscillators_get(o, q, v);
    for (int k = 0; k < 3; k++)
    {
        ENSURE_NEAR(q[k], force[k] / pow(10 * TW_PI, 2), 1e-16);
        ENSURE_NEAR(v[k], 0, 1e-15);
    }

    // let go: back to zero
    tw_oscillators_hold(o, NULL);
    tw_oscillators_advance(o, 60);
    tw_oscillators_get(o, q, v);
    for (int k = 0; k < 3; k++) ENSURE_NEAR(q[k], 0, 1e-16);
    tw_oscillators_destroy(o);
    return 0;
}

// ---- energy ----

static int undamped_keeps_its_energy_for_a_million_steps(void)
{
    const double hz[3] = {0.7, 61, 440}, none[3] = {0}, v[3] = {1, 2, 3}, q[3] = {0.1, 0, 0.01};
    twOscillators* o = NULL;
    ENSURE(tw_oscillators_create(&o, 3, hz, none, NULL) == TW_OK);
    tw_oscillators_set(o, q, v);
    double before = tw_oscillators_energy(o), most = 0;
    ENSURE_NEAR(before, 0.5 * (14 + pow(2 * TW_PI * 0.07, 2) + pow(2 * TW_PI * 4.4, 2)), 1e-12);
    for (int i = 0; i < 1000000; i++)
    {
        tw_oscillators_advance(o, 1e-3);
        most = fmax(most, fabs(tw_oscillators_energy(o) / before - 1));
    }
    ENSURE_NEAR(most, 0, 1e-13);

    // and their phases: 1000 s after the start
    double q1[3], v1[3];
    tw_oscillators_get(o, q1, v1);
    for (int k = 0; k < 3; k++)
    {
        long double w = 2 * (long double)TW_PI * hz[k], t = 1000 * (long double)1e-3 * 1000;
        ENSURE_NEAR(q1[k], (double)(q[k] * cosl(w * t) + v[k] / w * sinl(w * t)),
                    1e-9 * (fabs(q[k]) + v[k] / (double)w));
    }
    tw_oscillators_destroy(o);
    return 0;
}

static int damped_never_gains_energy(void)
{
    static const double decay[] = {1e-6, 0.1, 30, 62.8, 100, 1e4};
    twRng rng = tw_rng(3);
    for (int i = 0; i < 6; i++)
    {
        double hz = 10, push = 1;
        twOscillators* o = NULL;
        ENSURE(tw_oscillators_create(&o, 1, &hz, &decay[i], NULL) == TW_OK);
        tw_oscillators_impulse(o, &push);
        double last = tw_oscillators_energy(o), first = last;
        for (int step = 0; step < 10000; step++)
        {
            tw_oscillators_advance(o, tw_rng_between(&rng, 0, 0.01));
            double energy = tw_oscillators_energy(o);
            ENSURE(energy <= last + 4e-16 * first);
            last = energy;
        }
        tw_oscillators_destroy(o);
    }
    return 0;
}

// ---- edges ----

static int no_modes_are_fine(void)
{
    twOscillators* o = NULL;
    ENSURE(tw_oscillators_create(&o, 0, NULL, NULL, NULL) == TW_OK && o);
    tw_oscillators_set(o, NULL, NULL);
    tw_oscillators_hold(o, NULL);
    tw_oscillators_impulse(o, NULL);
    tw_oscillators_advance(o, 1);
    tw_oscillators_response(o, 1, NULL, NULL);
    ENSURE(tw_oscillators_energy(o) == 0);
    tw_oscillators_destroy(o);
    tw_oscillators_destroy(NULL);
    return 0;
}

static int bad_modes_are_named(void)
{
    static const double bad[][2] = {{-1, 0}, {NAN, 0}, {INFINITY, 0}, {1, -1}, {1, NAN}, {1, INFINITY}};
    for (int i = 0; i < 6; i++)
    {
        const double hz[2] = {1, bad[i][0]}, decay[2] = {0, bad[i][1]};
        twOscillators* o = (twOscillators*)(void*)&o;
        twError err = {0};
        ENSURE(tw_oscillators_create(&o, 2, hz, decay, &err) == TW_BAD_INPUT && !o);
        ENSURE(strstr(err.text, "mode 1"));
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(underdamped_is_the_closed_form)
    RUN(overdamped_is_the_closed_form)
    RUN(critically_damped_is_the_closed_form)
    RUN(without_stiffness_it_flies_or_stops)
    RUN(every_damping_agrees_with_the_matrix_exponential)
    RUN(slow_modes_feel_a_force_without_cancellation)
    RUN(two_steps_are_one)
    RUN(ahead_is_where_they_come_and_changes_nothing)
    RUN(no_time_changes_nothing)
    RUN(huge_steps_end_at_rest_or_ring_on)
    RUN(response_is_the_motion_after_an_impulse)
    RUN(held_force_bends_to_its_equilibrium_without_a_jump)
    RUN(undamped_keeps_its_energy_for_a_million_steps)
    RUN(damped_never_gains_energy)
    RUN(no_modes_are_fine)
    RUN(bad_modes_are_named)
)
