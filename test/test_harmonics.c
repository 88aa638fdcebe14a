// SPDX-License-Identifier: MIT
// Spherical harmonics, and Bessel and Hankel functions of spheres.
#include "acoustics/hankel.h"
#include "test.h"
#include "twang/acoustics.h"
#include <complex.h>

enum
{
    ORDER = 40,
    COUNT = (ORDER + 1) * (ORDER + 1)
};

static twVec3 direction(double theta, double phi)
{
    return tw_vec3(sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta));
}

static int low_harmonics_are_the_known_polynomials(void)
{
    twVec3 e = direction(0.7, 2.1);
    double y[16];
    tw_harmonics_double(y, 3, e);
    ENSURE_NEAR(y[0], sqrt(1 / (4 * TW_PI)), 1e-15);
    ENSURE_NEAR(y[1], sqrt(3 / (4 * TW_PI)) * e.y, 1e-15);
    ENSURE_NEAR(y[2], sqrt(3 / (4 * TW_PI)) * e.z, 1e-15);
    ENSURE_NEAR(y[3], sqrt(3 / (4 * TW_PI)) * e.x, 1e-15);
    ENSURE_NEAR(y[4], sqrt(15 / (4 * TW_PI)) * e.x * e.y, 1e-15);
    ENSURE_NEAR(y[5], sqrt(15 / (4 * TW_PI)) * e.y * e.z, 1e-15);
    ENSURE_NEAR(y[6], sqrt(5 / (16 * TW_PI)) * (3 * e.z * e.z - 1), 1e-15);
    ENSURE_NEAR(y[8], sqrt(15 / (16 * TW_PI)) * (e.x * e.x - e.y * e.y), 1e-15);
    ENSURE_NEAR(y[9], sqrt(35 / (32 * TW_PI)) * (3 * e.x * e.x - e.y * e.y) * e.y, 1e-15);
    return 0;
}

static int harmonics_are_orthonormal(void)
{
    // Fejer's rule over theta and equal steps of phi are exact for products of these orders
    enum
    {
        LOW = 8,
        TERMS = (LOW + 1) * (LOW + 1),
        RINGS = 24,
        TURNS = 20
    };
    static double sum[TERMS][TERMS];
    for (int ring = 0; ring < RINGS; ring++)
    {
        double theta = TW_PI * (ring + 0.5) / RINGS, weight = 1;
        for (int i = 1; i <= RINGS / 2; i++) weight -= 2 * cos(2 * i * theta) / (4.0 * i * i - 1);
        weight *= 2.0 / RINGS * 2 * TW_PI / TURNS;
        for (int turn = 0; turn < TURNS; turn++)
        {
            double y[TERMS];
            tw_harmonics_double(y, LOW, direction(theta, 2 * TW_PI * turn / TURNS));
            for (int a = 0; a < TERMS; a++)
                for (int b = 0; b < TERMS; b++) sum[a][b] += weight * y[a] * y[b];
        }
    }
    for (int a = 0; a < TERMS; a++)
        for (int b = 0; b < TERMS; b++) ENSURE_NEAR(sum[a][b], a == b, 1e-13);
    return 0;
}

static int products_of_an_order_are_legendre_polynomials(void)
{
    static double y[COUNT], z[COUNT];
    twVec3 pairs[][2] = {{direction(0.3, 1), direction(2.9, 4)},
                         {direction(1e-9, 1), direction(1.2, 0)},
                         {tw_vec3(0, 0, 1), tw_vec3(0, 0, -1)},
                         {direction(1.5, 3), direction(1.5, 3)}};
    for (int i = 0; i < 4; i++)
    {
        tw_harmonics_double(y, ORDER, pairs[i][0]);
        tw_harmonics_double(z, ORDER, pairs[i][1]);
        double x = tw_vec3_dot(pairs[i][0], pairs[i][1]), below = 0, legendre = 1;
        for (int n = 0; n <= ORDER; n++)
        {
            double sum = 0;
            for (int m = -n; m <= n; m++) sum += y[n * n + n + m] * z[n * n + n + m];
            ENSURE_NEAR(sum, (2 * n + 1) / (4 * TW_PI) * legendre, 1e-12);
            double above = ((2 * n + 1) * x * legendre - n * below) / (n + 1);
            below = legendre;
            legendre = above;
        }
    }
    return 0;
}

static int floats_are_the_doubles_rounded(void)
{
    static double y[COUNT];
    static float z[COUNT];
    tw_harmonics_double(y, ORDER, direction(2, 5));
    tw_harmonics(z, ORDER, direction(2, 5));
    for (int i = 0; i < COUNT; i++) ENSURE(z[i] == (float)y[i]);
    return 0;
}

static int bessel_functions_are_the_closed_forms(void)
{
    double b[4];
    static const double at[] = {0.3, 1, 3.14159265358979, 4.4934094579, 20, 183, 700};
    for (int i = 0; i < 7; i++)
    {
        double x = at[i], s = sin(x), c = cos(x);
        bessel_scaled(b, 3, x);
        double j2 = (3 / (x * x) - 1) * s / x - 3 * c / (x * x);
        ENSURE_NEAR(b[0], s / x, 1e-13);
        ENSURE_NEAR(b[1] * x / 3, s / (x * x) - c / x, 1e-13 / fmin(x, 1));
        ENSURE_NEAR(b[2] * x * x / 15, j2, 1e-13 / fmin(x * x, 1));
    }
    bessel_scaled(b, 3, 0);
    for (int n = 0; n < 4; n++) ENSURE(b[n] == 1);
    // the series: 1 - x^2/(2 (2n + 3))
    bessel_scaled(b, 3, 1e-3);
    for (int n = 0; n < 4; n++) ENSURE_NEAR(b[n], 1 - 1e-6 / (2 * (2 * n + 3)), 1e-13);
    return 0;
}

static int hankel_ratios_are_the_closed_forms(void)
{
    double near[8], far[8], out[8];
    hankel_steps(near, 3, 2.5);
    hankel_steps(far, 3, 7.5);
    hankel_ratios(out, 3, far, near, 2.5 / 7.5);
    // h_n(x) = e^ix/x times 1, 1 + i/x, 1 + 3i/x - 3/x^2, ... and a unit
    for (int n = 0; n < 3; n++)
    {
        double complex a = I / 2.5, b = I / 7.5;
        double complex expected = n == 0   ? 1
                                  : n == 1 ? (1 + b) / (1 + a)
                                           : (1 + 3 * b + 3 * b * b) / (1 + 3 * a + 3 * a * a);
        ENSURE_NEAR(out[2 * n], creal(expected), 1e-15);
        ENSURE_NEAR(out[2 * n + 1], cimag(expected), 1e-15);
    }
    return 0;
}

static int hankel_ratios_stay_in_range(void)
{
    static double near[2 * 301], far[2 * 301];
    hankel_steps(near, 300, 1e-12);
    hankel_steps(far, 300, 1e-9);
    hankel_ratios(far, 300, far, near, 1e-3);
    // statics: (R/r)^n
    ENSURE_NEAR(far[2 * 5], 1e-15, 1e-27);
    for (int i = 0; i <= 600; i++) ENSURE(isfinite(far[i]));
    // far away: h_n(kr) is (-i)^n e^ikr/kr, of size 1 against h_0
    hankel_steps(near, 300, 1);
    hankel_steps(far, 300, 1e9);
    hankel_ratios(far, 300, far, near, 1e-9);
    for (int i = 0; i <= 600; i++) ENSURE(isfinite(far[i]));
    ENSURE_NEAR(hypot(far[2], far[3]), sqrt(0.5), 1e-9);
    return 0;
}

// e^(ik|x - y|)/(4 pi |x - y|) = ik sum h_n(k|x|) j_n(k|y|) Y_nm(x) Y_nm(y), with all three functions
static int point_sources_are_the_sum_of_their_multipoles(void)
{
    static double y[COUNT], z[COUNT], steps[2 * (ORDER + 1)], bessel[ORDER + 1];
    static const double waves[] = {0, 1e-8, 1e-3, 1, 3.14159265358979, 12};
    twVec3 a = tw_vec3_scale(direction(0.5, 1), 1.0), b = tw_vec3_scale(direction(1.2, 2), 0.4);
    tw_harmonics_double(y, ORDER, tw_vec3_normalize(a));
    tw_harmonics_double(z, ORDER, tw_vec3_normalize(b));
    for (int i = 0; i < 6; i++)
    {
        double k = waves[i], distance = tw_vec3_norm(tw_vec3_sub(a, b));
        hankel_steps(steps, ORDER, k);
        bessel_scaled(bessel, ORDER, 0.4 * k);
        double complex outer = cexp(I * k), sum = 0;
        for (int n = 0; n <= ORDER; n++)
        {
            if (n > 0) outer *= (steps[2 * n] + I * steps[2 * n + 1]) / (2 * n - 1) * 0.4;
            for (int m = -n; m <= n; m++) sum += outer * bessel[n] / (2 * n + 1) * y[n * n + n + m] * z[n * n + n + m];
        }
        double complex expected = cexp(I * k * distance) / (4 * TW_PI * distance);
        ENSURE_NEAR(creal(sum), creal(expected), 1e-14);
        ENSURE_NEAR(cimag(sum), cimag(expected), 1e-14);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(low_harmonics_are_the_known_polynomials)
    RUN(harmonics_are_orthonormal)
    RUN(products_of_an_order_are_legendre_polynomials)
    RUN(floats_are_the_doubles_rounded)
    RUN(bessel_functions_are_the_closed_forms)
    RUN(hankel_ratios_are_the_closed_forms)
    RUN(hankel_ratios_stay_in_range)
    RUN(point_sources_are_the_sum_of_their_multipoles)
)
