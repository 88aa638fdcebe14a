// SPDX-License-Identifier: MIT
// Oscillators by their closed form. With s the response to an impulse of 1,
//
//     q(t) = g q0 + s v0 + h f,    g = s' + 2 c s,
//     v(t) = -w0^2 s q0 + s' v0 + s f,    h = integral of s = (1 - g) / w0^2,
//
// the pair of exponentials e^{p1 t}, e^{p2 t}, p = -c +- sqrt(c^2 - w0^2), enters as (Hauser, Shen and O'Brien 2003,
// equations 8 to 10, in a real form that stays smooth where the two meet)
//
//     c < w0:   s = e^{-c t} sin(w t) / w,                    s' = e^{-c t} cos(w t) - c s,    w = sqrt(w0^2 - c^2)
//     c >= w0:  s = e^{p1 t} (1 - e^{-2 r t}) / (2 r),        s' = e^{p2 t} + p1 s,            r = sqrt(c^2 - w0^2)
//
// with p2 = -(c + r), p1 = -w0^2 / (c + r): nothing cancels, and both have the limit t e^{-c t} for w, r -> 0.
//
// The state is what it was when it was last changed from outside, and the time since: an oscillator left alone does not
// gather round-off, however many steps it goes.
#include "twang/modal.h"
#include <stdlib.h>

#define LARGEST_FREQ_HZ 1e15  // its square, and the square of that, are far from overflow
#define LARGEST_DECAY 1e16

// the numbers of one oscillator at a time
typedef struct Factors
{
    double g, s, ds, h;
} Factors;

struct twOscillators
{
    int count;
    double *w0, *decay;       // (count) [rad/s], [1/s]
    double* root;             // w or r [1/s]
    double *force, *q0, *v0;  // held; at the last change
    double *q, *v;            // now
    double since, lost;       // time since the last change, and what its sum has rounded away
    double known;             // time of the factors; -1: none
    Factors* factors;         // (count)
    double block[];
};

// ---- one oscillator ----

// (1 - e^{-rate t}) / rate
static double rise(double rate, double t)
{
    double x = rate * t;
    return x > 0 ? -expm1(-x) / rate : t;
}

// h for small c t and w0 t by the series of  h'' + 2 c h' + w0^2 h = 1
static double push_series(double c, double w0, double t)
{
    double last = 0, term = 0.5 * t * t, sum = 0;  // coefficients n - 1 and n, with their powers of t
    for (int n = 2; n < 21; n++)
    {
        sum += term;
        double next = -(2 * c * t * term + w0 * w0 * t * t / n * last) / (n + 1);
        last = term;
        term = next;
    }
    return sum;
}

// the integral of s
static double push(double c, double w0, double root, double t, double g)
{
    if (2 * c * t < 1 && w0 * t < 1) return push_series(c, w0, t);

    // far overdamped: the difference of the integrals of both exponentials, one of which is small
    if (c >= w0 && 2 * root > c)
    {
        double fast = c + root, slow = w0 / fast * w0;
        return (rise(slow, t) - rise(fast, t)) / (2 * root);
    }
    return (1 - g) / (w0 * w0);
}

static Factors factors_of(double c, double w0, double root, double t)
{
    Factors f;
    if (c < w0)
    {
        double angle = fmin(root * t, DBL_MAX), e = exp(-c * t), cosine = e * cos(angle);
        f.s = angle > 0 ? e * sin(angle) / root : e * t;
        f.ds = cosine - c * f.s;
        f.g = cosine + c * f.s;
    }
    else
    {
        double fast = c + root, slow = fast > 0 ? w0 / fast * w0 : 0, e = exp(-fast * t);
        f.s = exp(-slow * t) * rise(2 * root, t);
        f.ds = e - slow * f.s;
        f.g = e + fast * f.s;
    }
    f.h = push(c, w0, root, t, f.g);
    return f;
}

// what is too small to matter becomes 0 before it becomes slow (denormal)
static double flushed(double x) { return fabs(x) < 1e-290 ? 0 : x; }

// ---- creation ----

twStatus tw_oscillators_create(twOscillators** out, int count, const double* freq_hz, const double* decay, twError* err)
{
    *out = NULL;
    TW_ASSERT(count >= 0);
    for (int k = 0; k < count; k++)
        if (!(freq_hz[k] >= 0 && freq_hz[k] <= LARGEST_FREQ_HZ && decay[k] >= 0 && decay[k] <= LARGEST_DECAY))
            return tw_fail(err, TW_BAD_INPUT,
                           "mode %d: %g Hz with a decay of %g 1/s: they are 0 to %g Hz and 0 to %g 1/s", k, freq_hz[k],
                           decay[k], LARGEST_FREQ_HZ, LARGEST_DECAY);

    size_t n = (size_t)count;
    twOscillators* o = calloc(1, sizeof *o + n * (8 * sizeof(double) + sizeof(Factors)));
    if (!o) return tw_fail(err, TW_NO_MEMORY, "no memory for %d oscillators", count);
    double** arrays[8] = {&o->w0, &o->decay, &o->root, &o->force, &o->q0, &o->v0, &o->q, &o->v};
    for (int i = 0; i < 8; i++) *arrays[i] = o->block + (size_t)i * n;
    o->factors = (Factors*)(void*)(o->block + 8 * n);
    o->count = count;
    o->known = -1;
    for (int k = 0; k < count; k++)
    {
        double w0 = 2 * TW_PI * freq_hz[k], c = decay[k];
        o->w0[k] = w0;
        o->decay[k] = c;
        o->root[k] = sqrt(fabs(w0 - c)) * sqrt(w0 + c);
    }
    *out = o;
    return TW_OK;
}

void tw_oscillators_destroy(twOscillators* oscillators) { free(oscillators); }

// ---- changes from outside ----

// from now on count from the state now
static void start_anew(twOscillators* o)
{
    for (int k = 0; k < o->count; k++)
    {
        o->q0[k] = o->q[k];
        o->v0[k] = o->v[k];
    }
    o->since = o->lost = 0;
}

void tw_oscillators_set(twOscillators* oscillators, const double* amplitude, const double* rate)
{
    for (int k = 0; k < oscillators->count; k++)
    {
        oscillators->q[k] = amplitude ? amplitude[k] : 0;
        oscillators->v[k] = rate ? rate[k] : 0;
    }
    start_anew(oscillators);
}

void tw_oscillators_get(const twOscillators* oscillators, double* amplitude, double* rate)
{
    for (int k = 0; k < oscillators->count; k++)
    {
        if (amplitude) amplitude[k] = oscillators->q[k];
        if (rate) rate[k] = oscillators->v[k];
    }
}

void tw_oscillators_impulse(twOscillators* oscillators, const double* impulse)
{
    bool any = false;
    for (int k = 0; k < oscillators->count; k++)
    {
        any |= impulse[k] != 0;
        oscillators->v[k] += impulse[k];
    }
    if (any) start_anew(oscillators);
}

void tw_oscillators_hold(twOscillators* oscillators, const double* force)
{
    bool other = false;
    for (int k = 0; k < oscillators->count; k++)
    {
        double f = force ? force[k] : 0;
        other |= f != oscillators->force[k];
        oscillators->force[k] = f;
    }
    if (other) start_anew(oscillators);
}

// ---- time ----

// factors of a time since the last change; those of the last time asked for are kept
static const Factors* factors_at(twOscillators* o, double time)
{
    if (time != o->known)
        for (int k = 0; k < o->count; k++) o->factors[k] = factors_of(o->decay[k], o->w0[k], o->root[k], time);
    o->known = time;
    return o->factors;
}

// where they are at a time since the last change
static void evaluate(twOscillators* o, double time, double* amplitude, double* rate)
{
    const Factors* f = factors_at(o, time);
    for (int k = 0; k < o->count; k++)
    {
        double q0 = o->q0[k], v0 = o->v0[k], force = o->force[k], pull = o->w0[k] * o->w0[k] * q0;
        if (amplitude) amplitude[k] = flushed(f[k].g * q0 + f[k].s * v0 + f[k].h * force);
        if (rate) rate[k] = flushed(f[k].ds * v0 + f[k].s * (force - pull));
    }
}

void tw_oscillators_advance(twOscillators* oscillators, double time)
{
    TW_ASSERT(time >= 0);
    if (!(time > 0)) return;

    // the sum of many small steps, with what is rounded away kept (Knuth)
    double before = oscillators->since, sum = before + time, added = sum - before;
    oscillators->lost += (before - (sum - added)) + (time - added);
    oscillators->since = sum;
    evaluate(oscillators, sum + oscillators->lost, oscillators->q, oscillators->v);
}

void tw_oscillators_ahead(twOscillators* oscillators, double time, double* amplitude, double* rate)
{
    TW_ASSERT(time >= 0);
    evaluate(oscillators, oscillators->since + oscillators->lost + time, amplitude, rate);
}

void tw_oscillators_response(const twOscillators* oscillators, double time, double* amplitude, double* rate)
{
    TW_ASSERT(time >= 0);
    for (int k = 0; k < oscillators->count; k++)
    {
        Factors f = factors_of(oscillators->decay[k], oscillators->w0[k], oscillators->root[k], time);
        if (amplitude) amplitude[k] = f.s;
        if (rate) rate[k] = f.ds;
    }
}

double tw_oscillators_energy(const twOscillators* oscillators)
{
    double sum = 0;
    for (int k = 0; k < oscillators->count; k++)
    {
        double stretch = oscillators->w0[k] * oscillators->q[k];
        sum += oscillators->v[k] * oscillators->v[k] + stretch * stretch;
    }
    return 0.5 * sum;
}
