// SPDX-License-Identifier: MIT
// Hunt-Crossley impact: the law and its closed forms for a point mass m hitting a rigid wall at v_in
// (Papetti, Avanzini, Rocchesso 2009; equation numbers are theirs).
//
//   x_max^(a+1) = m (a+1)/(k mu^2) (mu v_in - log(1 + mu v_in))                                  (4)
//   mu v_out - log(1 + mu v_out) = mu v_in - log(1 + mu v_in),  -1 < mu v_out <= 0               (6)
//   v_out ~ -1/mu [1 - (sum b_j v_in^j) exp(-2 mu v_in)]                                         (7), (8)
//   tau = integral of dv / ((k/m) x(v)^a (1 + mu v)) from v_out to v_in                          (9)

#include "hunt.h"
#include "twang/contact.h"

twImpactLaw tw_impact_law(void) { return (twImpactLaw){.stiffness = 1e8, .exponent = 1.5, .dissipation = 0.5}; }

twStatus tw_impact_law_check(const twImpactLaw* law, twError* err)
{
    if (!(law->stiffness > 0 && law->stiffness <= 1e30))
        return tw_fail(err, TW_BAD_INPUT, "impact stiffness %g must be in (0, 1e30] N/m^a", law->stiffness);
    if (!(law->exponent >= 1 && law->exponent <= 10))
        return tw_fail(err, TW_BAD_INPUT, "impact exponent %g must be in [1, 10]", law->exponent);
    if (!(law->dissipation >= 0 && law->dissipation <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "impact dissipation mu %g must be in [0, 1e6] s/m", law->dissipation);
    return TW_OK;
}

double tw_impact_force(const twImpactLaw* law, double x, double v)
{
    double slope;
    return x > 0 ? hunt_elastic(law, x, &slope) * (1 + law->dissipation * v) : 0;
}

double tw_impact_potential(const twImpactLaw* law, double x) { return hunt_potential(law, x); }

// ---- closed forms ----

// phi(v) - target for (6)
typedef struct Release
{
    double target;
} Release;

static double release_gap(double y, double* slope, const void* context)
{
    const Release* release = context;
    *slope = y / (1 + y);
    return hunt_log_gap(y) - release->target;
}

// y = mu v_out from mu v_in: root of (6) on (-1, 0)
static double release_root(double y_in)
{
    double series = y_in * (-1 + y_in * (2.0 / 3 + y_in * (-4.0 / 9 + y_in * 44.0 / 135)));
    if (y_in < 1e-4) return series;
    Release release = {hunt_log_gap(y_in)};
    // as y -> -1 the gap grows like -log(1+y) - 1, so exp(-1 - target) bounds 1 + y from below
    double low = -1 + exp(-1 - release.target);
    if (!(low > -1)) return -1;
    double guess = series < low || series >= 0 ? 0.5 * low : series;
    return tw_root_find(release_gap, &release, low, 0, guess, 1e-16 * release.target, 200).x;
}

double hunt_release(double mu, double v_in) { return mu > 0 ? release_root(mu * v_in) / mu : -v_in; }

// (6) with y = mu v_in and mu v_out = -e y, over y^2 so that y = 0 is no root: falls from (1 - e^2)/2 at 0 to -inf at 1/e
static double restitution_gap(double y, double* slope, const void* context)
{
    double e = *(const double*)context, gap = (hunt_log_gap(y) - hunt_log_gap(-e * y)) / (y * y);
    *slope = (1 / (1 + y) - e * e / (1 - e * y) - 2 * gap) / y;
    return gap;
}

double tw_impact_dissipation(double restitution, double v_in)
{
    const double least = 1e-3, e = restitution > least ? restitution : least;
    if (!(e < 1) || !(v_in > 0)) return 0;
    // the first terms of the series in y; exact where e is near 1
    double guess = 1.5 * (1 - e * e) / (1 + e * e * e);
    return tw_root_find(restitution_gap, &e, 1 - e, 1 / e, guess, 1e-17, 200).x / v_in;
}

double hunt_x_max(const twImpactLaw* law, double mass, double v_in)
{
    double mu = law->dissipation, p = law->exponent + 1;
    double phi = mu > 0 ? hunt_log_gap(mu * v_in) / (mu * mu) : 0.5 * v_in * v_in;
    return pow(mass * p / law->stiffness * phi, 1 / p);
}

double hunt_release_fit(double mu, double v_in)
{
    if (mu == 0) return -v_in;
    double y = mu * v_in;
    double sum = 1 + y * (1 + y * (2.0 / 3 + y * (2.0 / 9 + y * 14.0 / 135)));
    // 1 - sum e^(-2y) without cancellation for small y
    double head = -expm1(-2 * y) - (sum - 1) * exp(-2 * y);
    return -head / mu;
}

// The part of the contact between rest (v = 0, greatest compression) and the end where v = v_end = v_in or v_out. There
// (k/m) x^(a+1)/(a+1) = phi(v_end) - phi(v) and dt = dv/((k/m) x^a (1 + mu v)), singular like (v_end - v)^(-a/(a+1)).

// phi(v_end) - phi(v_end (1 - r)), without cancellation for small r
static double phi_drop(double mu, double v_end, double r)
{
    if (mu == 0) return 0.5 * v_end * v_end * r * (2 - r);
    if (r > 1e-4) return (hunt_log_gap(mu * v_end) - hunt_log_gap(mu * v_end * (1 - r))) / (mu * mu);
    double s = 1 + mu * v_end, d = v_end * r;
    return d * (v_end / s - d * (0.5 / (s * s) + d * mu / (3 * s * s * s)));
}

// integrand after v = v_end (1 - u^(a+1)), which removes the singularity
static double half_contact_rate(const twImpactLaw* law, double mass, double v_end, double u)
{
    double a = law->exponent, mu = law->dissipation, p = a + 1, k = law->stiffness / mass;
    double r = pow(u, p), x = pow(p * phi_drop(mu, v_end, r) / k, 1 / p);
    double force = k * pow(x, a) * (1 + mu * v_end * (1 - r));
    return force > 0 ? fabs(v_end) * p * pow(u, a) / force : 0;
}

// The same with q = -log(1 + mu v) in place of v, dt = dq/(mu (k/m) x^a): smooth where 1 + mu v is tiny, as at the release
// after a strongly damped impact. phi(v) = (v + q/mu)/mu.
static double half_contact_rate_log(const twImpactLaw* law, double mass, double q_end, double u)
{
    double a = law->exponent, mu = law->dissipation, p = a + 1, k = law->stiffness / mass;
    double d = q_end * pow(u, p), drop = (d - exp(-q_end) * expm1(d)) / (mu * mu);
    double force = k * pow(p * drop / k, a / p);
    return force > 0 ? q_end * p * pow(u, a) / (mu * force) : 0;
}

// tanh-sinh quadrature over u in (0, 1)
static double half_contact(const twImpactLaw* law, double mass, double v_end, double q_end)
{
    enum
    {
        STEPS = 200
    };
    double sum = 0, reach = 3.2, dt = 2 * reach / STEPS;
    for (int i = 0; i < STEPS; i++)
    {
        double t = -reach + (i + 0.5) * dt, q = 0.5 * TW_PI * sinh(t);
        double u = 0.5 * (1 + tanh(q)), du = 0.25 * TW_PI * cosh(t) / (cosh(q) * cosh(q));
        sum += (q_end > 0.5 ? half_contact_rate_log(law, mass, q_end, u) : half_contact_rate(law, mass, v_end, u)) * du;
    }
    return sum * dt;
}

twImpactExact tw_impact_exact(const twImpactLaw* law, double mass, double v_in)
{
    twImpactExact exact = {0};
    if (!(v_in > 0)) return exact;
    double mu = law->dissipation;
    exact.x_max = hunt_x_max(law, mass, v_in);
    exact.v_out = hunt_release(mu, v_in);
    exact.v_out_approx = hunt_release_fit(mu, v_in);
    // at the release L(mu v_out) = L(mu v_in) gives q = L(mu v_in) - mu v_out
    double q_out = mu > 0 ? hunt_log_gap(mu * v_in) - mu * exact.v_out : 0;
    exact.contact_time = half_contact(law, mass, v_in, 0) + half_contact(law, mass, exact.v_out, q_out);
    return exact;
}
