// SPDX-License-Identifier: MIT
// Harmonics of the field on the unit sphere, by Green's representation of the field and the expansion of its kernel,
//
//   p(x) = integral of p dG/dn - G q,   G = ik sum of h_n(k|x|) j_n(k|y|) Y_nm(x) Y_nm(y)
//
// in functions that stay in range: ik h_n(k) j_n(k r) = e^{ik} (prod of s_j/(2j - 1), j = 1..n) b_n(k r) r^n/(2n + 1), with
// s and b of acoustics/hankel.h. Of the regular part u = b_n(k r) r^n Y_nm, the slope along a direction d is
//
//   d.grad u = r^(n-1) b_n d.g_nm - (k^2 r/(2n + 3)) b_(n+1) r^n (d.y/r) Y_nm,   g_nm = r^(1-n) grad(r^n Y_nm)
//
// and g_nm are harmonics of order n - 1.
#include "acoustics/hankel.h"
#include "bem/bem.h"
#include "twang/acoustics.h"
#include <string.h>

enum
{
    TERMS = (TW_MAX_BEM_ORDER + 1) * (TW_MAX_BEM_ORDER + 1)
};

typedef struct Basis
{
    int order;
    double k;
    double root[2 * TW_MAX_BEM_ORDER + 2];  // square roots of 0, 1, 2, ...
    double bessel[TW_MAX_BEM_ORDER + 2];
    double y[TERMS];
} Basis;

// one point on the surface
typedef struct Source
{
    twVec3 place, normal;
    Complex pressure, flux;  // times area
} Source;

// harmonics of order n - 1 with cos and sin of a turn, as complex numbers without the factor sqrt(2) of m = 0
static double cos_term(const double* y, int n, int m) { return m > n ? 0 : (m == 0 ? sqrt(2) : 1) * y[n * n + n + m]; }
static double sin_term(const double* y, int n, int m) { return m > n || m == 0 ? 0 : y[n * n + n - m]; }

// d.g of the pair (n, m) and (n, -m)
static void slopes(const Basis* basis, int n, int m, twVec3 d, double out[2])
{
    const double *y = basis->y, *root = basis->root;
    double scale = root[2 * n + 1] / root[2 * n - 1];
    double down = 0.5 * scale * root[n + m] * root[n + m > 0 ? n + m - 1 : 0];
    double up = 0.5 * scale * root[n - m] * root[n > m ? n - m - 1 : 0];
    double along = scale * root[n + m] * root[n - m] * d.z;
    double cos_up = cos_term(y, n - 1, m + 1), sin_up = sin_term(y, n - 1, m + 1);
    if (m == 0)
    {
        out[0] = along * y[n * n - n] - sqrt(2) * up * (d.x * cos_up + d.y * sin_up);
        out[1] = 0;
        return;
    }
    double cos_down = cos_term(y, n - 1, m - 1), sin_down = sin_term(y, n - 1, m - 1);
    out[0] =
        along * cos_term(y, n - 1, m) + d.x * (down * cos_down - up * cos_up) - d.y * (down * sin_down + up * sin_up);
    out[1] =
        along * sin_term(y, n - 1, m) + d.x * (down * sin_down - up * sin_up) + d.y * (down * cos_down + up * cos_up);
}

static void add_term(double* moment, const Source* source, double value, double slope)
{
    moment[0] += creal(source->pressure) * slope - creal(source->flux) * value;
    moment[1] += cimag(source->pressure) * slope - cimag(source->flux) * value;
}

static void add_source(Basis* basis, const Source* source, double* moments)
{
    double r = tw_vec3_norm(source->place), k = basis->k, power = 1, below = 0;
    twVec3 direction = r > 0 ? tw_vec3_scale(source->place, 1 / r) : tw_vec3(0, 0, 1);
    tw_harmonics_double(basis->y, basis->order, direction);
    bessel_scaled(basis->bessel, basis->order + 1, k * r);
    double radial = tw_vec3_dot(direction, source->normal);
    for (int n = 0; n <= basis->order; n++)
    {
        // power is r^n, below r^(n - 1)
        double value = basis->bessel[n] * power, along = basis->bessel[n] * below;
        double outward = -k * k * r / (2 * n + 3) * basis->bessel[n + 1] * power * radial;
        for (int m = 0; m <= n; m++)
        {
            double g[2] = {0, 0};
            int middle = n * n + n;
            if (n > 0) slopes(basis, n, m, source->normal, g);
            double y = basis->y[middle + m], z = basis->y[middle - m];
            add_term(moments + 2 * (middle + m), source, value * y, outward * y + along * g[0]);
            if (m > 0) add_term(moments + 2 * (middle - m), source, value * z, outward * z + along * g[1]);
        }
        below = power;
        power *= r;
    }
}

// a panel or a part of it, by three points if the harmonics turn by no more than that over it, else by seven
static void add_points(Basis* basis, const Panel* panel, Complex pressure, Complex flux, double* moments)
{
    int count;
    const double(*rule)[4] = bem_near_rule(&count);
    bool smooth = panel->size * (basis->order + 1) < 1.5;
    for (int i = 0; i < (smooth ? BEM_POINTS : count); i++)
    {
        double share = panel->area * (smooth ? 1.0 / BEM_POINTS : rule[i][3]);
        twVec3 at = smooth ? bem_far_point(panel, i) : bem_panel_point(panel, rule[i]);
        Source source = {at, panel->normal, share * pressure, share * flux};
        add_source(basis, &source, moments);
    }
}

// quarter panels that are too large even for these
static void add_panel(Basis* basis, const Panel* panel, int depth, Complex pressure, Complex flux, double* moments)
{
    if (depth == 0 || panel->size * (basis->order + 1) < 5)
    {
        add_points(basis, panel, pressure, flux, moments);
        return;
    }
    twVec3 middle[3];
    for (int i = 0; i < 3; i++)
        middle[i] = tw_vec3_scale(tw_vec3_add(panel->corner[i], panel->corner[(i + 1) % 3]), 0.5);
    Panel part = {.normal = panel->normal, .area = panel->area / 4, .size = panel->size / 2};
    for (int i = 0; i < 4; i++)
    {
        // three at the corners and the one between
        for (int j = 0; j < 3; j++) part.corner[j] = middle[i == 3 ? j : j == 1 ? i : (i + 2) % 3];
        if (i < 3) part.corner[0] = panel->corner[i];
        add_panel(basis, &part, depth - 1, pressure, flux, moments);
    }
}

// times ik h_n j_n without b_n r^n
static void scale_moments(const Basis* basis, double* moments)
{
    double steps[2 * (TW_MAX_BEM_ORDER + 1)];
    hankel_steps(steps, basis->order, basis->k);
    Complex outer = cos(basis->k) + I * sin(basis->k);
    for (int n = 0; n <= basis->order; n++)
    {
        if (n > 0) outer *= (steps[2 * n] + I * steps[2 * n + 1]) / (2 * n - 1);
        for (int i = n * n; i < (n + 1) * (n + 1); i++)
        {
            Complex moment = outer / (2 * n + 1) * (moments[2 * i] + I * moments[2 * i + 1]);
            moments[2 * i] = creal(moment);
            moments[2 * i + 1] = cimag(moment);
        }
    }
}

twStatus bem_moments(const BemSystem* system, const Complex* pressure, int order, double* moments, FemMemory* memory,
                     twError* err)
{
    const int depth = 4;
    Basis* basis = fem_alloc(memory, 1, sizeof *basis);
    if (!basis) return bem_no_memory(memory, sizeof *basis, err);
    basis->order = order;
    basis->k = system->k;
    for (int i = 0; i < 2 * TW_MAX_BEM_ORDER + 2; i++) basis->root[i] = sqrt(i);
    memset(moments, 0, 2 * (size_t)(order + 1) * (size_t)(order + 1) * sizeof *moments);
    twStatus status = TW_OK;
    for (int i = 0; i < system->bem->count && status == TW_OK; i++)
    {
        if (i % 256 == 0) status = bem_ask(system->bem, 0.95 + 0.05 * i / system->bem->count, err);
        add_panel(basis, &system->bem->panels[i], depth, pressure[i], system->flux[i], moments);
    }
    scale_moments(basis, moments);
    fem_free(memory, basis);
    return status;
}

// Far away a moment is A e^{ikr}/(k r h_n(k)) up to a unit, and 1/|k h_n(k)| the product of k/|s_j|, j = 1..n. The pressure on
// the surface gives the power, too, but is mostly out of phase at low frequencies.
double bem_power(const twBem* bem, double k, int order, const double* moments)
{
    double steps[2 * (TW_MAX_BEM_ORDER + 1)],
        power = 0, gain = bem->radius / sqrt(2 * bem->def.air_density * bem->def.sound_speed);
    hankel_steps(steps, order, k);
    for (int n = 0; n <= order; n++)
    {
        if (n > 0) gain *= k / hypot(steps[2 * n], steps[2 * n + 1]);
        for (int i = 2 * n * n; i < 2 * (n + 1) * (n + 1); i++) power += gain * moments[i] * (gain * moments[i]);
    }
    return power;
}
