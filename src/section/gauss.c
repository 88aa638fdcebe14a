// SPDX-License-Identifier: MIT
// Gauss's rule, and integrals with a pole by Neumann's formula for Legendre functions of the second kind:
//
//   int P_k(t)/(z - t) dt = 2 Q_k(z),   (k+1) Q_{k+1} = (2k+1) z Q_k - k Q_{k-1},   Q_0 = 1/2 log((z+1)/(z-1)), Q_1 = z Q_0 - 1
//
// A function known at the nodes t_i is sum_k c_k P_k with c_k = (2k+1)/2 sum_i w_i P_k(t_i) f(t_i), exactly so for
// polynomials of degree below the order. For z on (-1, 1) the principal value has Q_0 = 1/2 log((1+z)/(1-z)).
#include "gauss.h"
#include "twang/math.h"

// P_0 .. P_order at t. @return the derivative of the last
static double legendre(int order, double t, double* p)
{
    p[0] = 1;
    p[1] = t;
    for (int k = 1; k < order; k++) p[k + 1] = ((2 * k + 1) * t * p[k] - k * p[k - 1]) / (k + 1);
    return order * (t * p[order] - p[order - 1]) / (t * t - 1);
}

Gauss gauss_rule(int order)
{
    TW_ASSERT(order >= 3 && order <= GAUSS_MAX);
    // Gauss's rule errs by rho^(-2 order) at a pole with rho = far + sqrt(far^2 - 1): 1e-10
    double rho = pow(10, 5.0 / order);
    Gauss gauss = {.order = order, .far = 0.5 * (rho + 1 / rho)};
    for (int i = 0; i < order; i++)
    {
        double p[GAUSS_MAX + 1], slope = 1, t = -cos(TW_PI * (i + 0.75) / (order + 0.5));
        for (int step = 0; step < 6; step++)
        {
            slope = legendre(order, t, p);
            t -= p[order] / slope;
        }
        slope = legendre(order, t, p);
        gauss.node[i] = t;
        gauss.weight[i] = 2 / ((1 - t * t) * slope * slope);
        for (int k = 0; k < order; k++) gauss.pole[i][k] = gauss.weight[i] * (2 * k + 1) * p[k];
    }
    return gauss;
}

// Rising recurrence: it loses rho^order digits, rho = |z| + sqrt(|z|^2 - 1), so that z must be near.
static void sum_poles(const Gauss* gauss, double complex z, double complex q0, double complex* out)
{
    double complex q[GAUSS_MAX];
    q[0] = q0;
    q[1] = z * q0 - 1;
    for (int k = 1; k + 1 < gauss->order; k++) q[k + 1] = ((2 * k + 1) * z * q[k] - k * q[k - 1]) / (k + 1);
    for (int i = 0; i < gauss->order; i++)
    {
        out[i] = 0;
        for (int k = 0; k < gauss->order; k++) out[i] += gauss->pole[i][k] * q[k];
    }
}

void gauss_pole(const Gauss* gauss, double complex z, double complex* out)
{
    double distance2 = creal(z) * creal(z) + cimag(z) * cimag(z);
    if (distance2 < gauss->far * gauss->far)
    {
        sum_poles(gauss, z, 0.5 * clog((z + 1) / (z - 1)), out);
        return;
    }
    for (int i = 0; i < gauss->order; i++)
    {
        double x = creal(z) - gauss->node[i], y = cimag(z), scale = gauss->weight[i] / (x * x + y * y);
        out[i] = point(scale * x, -scale * y);
    }
}

void gauss_pole_inside(const Gauss* gauss, double z, double complex* out)
{
    sum_poles(gauss, z, 0.5 * log((1 + z) / (1 - z)), out);
}

// int log|t - c| from -1 to 1
static double integral_of_log(double c)
{
    double below = c + 1, above = 1 - c;
    return (below == 0 ? 0 : below * log(fabs(below))) + (above == 0 ? 0 : above * log(fabs(above))) - 2;
}

void gauss_log_weights(const Gauss* gauss, double low, double high, double* out)
{
    // farther off a logarithm is as good as a polynomial
    const double far = 2.5;
    double place[2] = {low, high}, a[GAUSS_MAX * GAUSS_MAX];
    int n = gauss->order, logs = 0, pivot[GAUSS_MAX];
    for (int k = 0; k < 2; k++)
        if (fabs(place[k]) < far) place[logs++] = place[k];
    for (int i = 0; i < n; i++)
    {
        double p[GAUSS_MAX + 1];
        legendre(n, gauss->node[i], p);
        for (int k = 0; k < n - logs; k++) a[k * n + i] = p[k];
        for (int k = 0; k < logs; k++) a[(n - logs + k) * n + i] = log(fabs(gauss->node[i] - place[k]));
        out[i] = 0;
    }
    out[0] = 2;
    for (int k = 0; k < logs; k++) out[n - logs + k] = integral_of_log(place[k]);
    if (tw_lu_factor(a, pivot, n))
        tw_lu_solve(a, pivot, n, out);
    else
        for (int i = 0; i < n; i++) out[i] = gauss->weight[i];
}
