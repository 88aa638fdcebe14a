// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang/math.h"

/// @file
/// The Hunt-Crossley law over one step, in forms that cannot gain energy (internal).
///
/// Over a step of length h the compression rate goes from c0 to c1, with mean w. Write V(x) = k x^(a+1)/(a+1) for
/// x > 0 and DV = (V(x1) - V(x0))/(x1 - x0), s(v) = max(1 + mu v, smin), F(v) = v / s(v), phi' = F.
///
///   DG:  x1 = x0 + h w,                force = s(w) DV,  dH = h DV w (1 - s(w))      <= 0
///   QI:  x1 = x0 + h s(w) Dphi,        force = s(w) DV,  dH = h s(w) DV (Dphi - w)   <= 0
///
/// with Dphi = (phi(c1) - phi(c0))/(c1 - c0), the mean of F over [c0, c1]; F(v) <= v gives the second sign. For a mass
/// alone QI conserves V/m + phi(v), so the velocity at release is exact whatever the step.

double hunt_x_max(const twImpactLaw* law, double mass, double v_in);  ///< (4) of the source
double hunt_release(double mu, double v_in);                          ///< v_out, the root of (6)
double hunt_release_fit(double mu, double v_in);                      ///< (7)-(8) of the source

#ifndef HUNT_SMIN
#define HUNT_SMIN 1e-12  ///< floor of 1 + mu v: contact never sticks
#endif

/// k x^a, and the slope of it.
static inline double hunt_elastic(const twImpactLaw* law, double x, double* slope)
{
    if (!(x > 0))
    {
        *slope = 0;
        return 0;
    }
    double a = law->exponent;
    // k x^(a-1) first: its product with x needs no division
    double root = a == 1.5 ? sqrt(x) : a == 1 ? 1 : a == 2 ? x : pow(x, a - 1);
    *slope = a * law->stiffness * root;
    return law->stiffness * root * x;
}

static inline double hunt_potential(const twImpactLaw* law, double x)
{
    double slope;
    return x > 0 ? hunt_elastic(law, x, &slope) * x / (law->exponent + 1) : 0;
}

/// s(v) = max(1 + mu v, smin) and its slope.
static inline double hunt_damping(double mu, double v, double* slope)
{
    double s = 1 + mu * v;
    *slope = s > HUNT_SMIN ? mu : 0;
    return s > HUNT_SMIN ? s : HUNT_SMIN;
}

/// y - log(1 + y), without cancellation near 0.
static inline double hunt_log_gap(double y)
{
    if (fabs(y) > 0.1) return y - log1p(y);
    // log(1+y) = 2 (r + r^3/3 + r^5/5 ...), r = y/(2+y); y - 2r = y r
    double r = y / (2 + y), q = r * r;
    double tail = q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q / 13)))));
    return y * r - 2 * r * tail;
}

/// phi(v), continued below the floor of s so that phi' = v / smin there.
static inline double hunt_phi(double mu, double v)
{
    double y = mu * v;
    if (1 + y >= HUNT_SMIN) return hunt_log_gap(y) / (mu * mu);
    double edge = HUNT_SMIN - 1;
    return (edge - log(HUNT_SMIN) + (y * y - edge * edge) / (2 * HUNT_SMIN)) / (mu * mu);
}

/// Dphi, the mean of F over [c0, c1], and its slope in c1. With q = mu (c1 - c0)/s0 it is (c0 + (q - log(1+q))/(q mu))/s0,
/// free of cancellation.
static inline double hunt_mean_rate(double mu, double c0, double c1, double* slope)
{
    double d = c1 - c0, s0 = 1 + mu * c0, q = mu * d / s0;
    if (s0 > HUNT_SMIN && s0 * (1 + q) > HUNT_SMIN)
    {
        double gap = q == 0 ? 0 : hunt_log_gap(q) / q;
        double rise = fabs(q) < 1e-2 ? 0.5 + q * (-2.0 / 3 + q * (0.75 - 0.8 * q)) : (q / (1 + q) - gap) / q;
        *slope = rise / (s0 * s0);
        return (c0 + gap / mu) / s0;
    }
    double ignored;
    if (d == 0)
    {
        *slope = 0.5 / HUNT_SMIN;
        return c0 / hunt_damping(mu, c0, &ignored);
    }
    double mean = (hunt_phi(mu, c1) - hunt_phi(mu, c0)) / d;
    *slope = (c1 / hunt_damping(mu, c1, &ignored) - mean) / d;
    return mean;
}

/// One step's known side.
typedef struct HuntStep
{
    const twImpactLaw* law;
    double h;       ///< step [s]
    double x0, c0;  ///< compression (negative when open) and its rate at the start
    double v0;      ///< V(x0)
    double shift;   ///< wanted extra rate of compression (DG only): pulls x toward the geometric gap
    bool qi;        ///< QI, else DG
} HuntStep;

static inline HuntStep hunt_step(const twImpactLaw* law, double h, double x0, double c0, bool qi)
{
    return (HuntStep){law, h, x0, c0, hunt_potential(law, x0), 0, qi && law->dissipation > 0};
}

/// Where a step ends for a given c1.
typedef struct HuntEnd
{
    double x1;     ///< compression
    double v1;     ///< V(x1)
    double force;  ///< mean force over the step, at least 0
    double slope;  ///< of force in c1
    double reach;  ///< of x1 in c1
} HuntEnd;

/// DV and its slope in x1.
static inline double hunt_gradient(const HuntStep* step, double x1, double* v1, double* slope)
{
    const twImpactLaw* law = step->law;
    double x0 = step->x0, d = x1 - x0, a = law->exponent, mid = 0.5 * (x0 + x1), rise;
    *v1 = *slope = 0;
    if (x0 <= 0 && x1 <= 0) return 0;
    if (fabs(d) < 0.1 * mid && x0 > 0)
    {
        // mean of k x^a around the middle, where the quotient would cancel; e is half the relative width
        double force = hunt_elastic(law, mid, &rise), e = 0.5 * d / mid, e2 = e * e;
        double c2 = a * (a - 1) * (1.0 / 6), c4 = (a - 2) * (a - 3) * (1.0 / 20), c6 = (a - 4) * (a - 5) * (1.0 / 42);
        double mean = force * (1 + c2 * e2 * (1 + c4 * e2 * (1 + c6 * e2)));
        *slope = rise * (0.5 + (a - 1) * (1.0 / 6) * e);
        *v1 = step->v0 + mean * d;
        return mean;
    }
    double force = hunt_elastic(law, x1, &rise), mean;
    *v1 = x1 > 0 ? force * x1 / (a + 1) : 0;
    mean = (*v1 - step->v0) / d;
    *slope = (force - mean) / d;
    return mean;
}

static inline HuntEnd hunt_end(const HuntStep* step, double c1)
{
    double mu = step->law->dissipation, w = 0.5 * (step->c0 + c1), s_rise, s = hunt_damping(mu, w, &s_rise);
    // DG may compress faster than w by up to (s - 1) w >= 0 and stay passive; half of that keeps it damped
    double room = 0.5 * (s - 1) * w, rate = w + step->shift, rate_rise = 0.5;
    if (step->shift > room)
    {
        rate = w + room;
        rate_rise += 0.25 * (s_rise * w + s - 1);
    }
    if (step->qi)
    {
        double mean_rise, mean = hunt_mean_rate(mu, step->c0, c1, &mean_rise);
        rate = s * mean;
        rate_rise = 0.5 * s_rise * mean + s * mean_rise;
    }
    HuntEnd end;
    end.x1 = step->x0 + step->h * rate;
    double g_rise, g = hunt_gradient(step, end.x1, &end.v1, &g_rise);
    end.force = s * g;
    end.reach = step->h * rate_rise;
    end.slope = 0.5 * s_rise * g + s * g_rise * end.reach;
    return end;
}

/// The compression at the end of a step whose energy is at most what the step has put in, whatever round-off the solve
/// has left: in a very hard contact the last bit of c1 moves the force by more than the force. Excess up to slack [J] is
/// let pass: in a very soft one the whole energy is below the round-off of the bodies' own.
static inline double hunt_passive_end(const HuntStep* step, const HuntEnd* end, double force, double c1, double slack)
{
    double put_in = step->h * force * 0.5 * (step->c0 + c1), most = step->v0 + put_in;
    if (end->v1 <= most + slack) return end->x1;
    double p = step->law->exponent + 1;
    return most > 0 ? pow(p * most / step->law->stiffness, 1 / p) : 0;
}
