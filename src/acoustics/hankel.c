// SPDX-License-Identifier: MIT
// h_n(x) grows as (2n - 1)!!/x^(n+1) and j_n(x) falls as x^n/(2n + 1)!!: both leave the range of doubles soon. What is
// needed are products and ratios, which do not. From f_(n+1) = (2n + 1)/x f_n - f_(n-1), for f = h and f = j:
//
//   s_n = x h_n/h_(n-1):             s_1 = 1 - i x,   s_(n+1) = 2n + 1 - x^2/s_n      upward: |h_n| rises
//   b_n = j_n (2n + 1)!!/x^n:        b_(n-1) = b_n - x^2/((2n + 1)(2n + 3)) b_(n+1)   downward: j_n rises
//
// h_n has no zeros at real x. b_n goes to 1 far above x, where any start will do, and is then scaled by b_0 or b_1.
#include "acoustics/hankel.h"
#include "twang/math.h"

void hankel_steps(double* steps, int order, double x)
{
    steps[0] = 1;
    steps[1] = 0;
    double re = 1, im = -x;
    for (int n = 1; n <= order; n++)
    {
        steps[2 * n] = re;
        steps[2 * n + 1] = im;
        double scale = x * x / (re * re + im * im);
        re = 2 * n + 1 - scale * re;
        im = scale * im;
    }
}

void hankel_ratios(double* out, int order, const double* steps_r, const double* steps_R, double nearness)
{
    double re = 1, im = 0;
    for (int n = 0; n <= order; n++)
    {
        // times s_n(k r)/s_n(k R) R/r
        double a = steps_r[2 * n], b = steps_r[2 * n + 1], c = steps_R[2 * n], d = steps_R[2 * n + 1];
        double scale = (n > 0 ? nearness : 1) / (c * c + d * d);
        double p = scale * (a * c + b * d), q = scale * (b * c - a * d), turned = re * p - im * q;
        im = re * q + im * p;
        re = turned;
        out[2 * n] = re;
        out[2 * n + 1] = im;
    }
}

void bessel_scaled(double* out, int order, double x)
{
    TW_ASSERT(x >= 0 && x <= 1000);

    // sin x/x and 3 (sin x - x cos x)/x^3, of which at least one is not small
    double b0 = x > 0 ? sin(x) / x : 1, b1 = x > 0.5 ? 3 * (sin(x) - x * cos(x)) / (x * x * x) : 0;
    bool by_first = x <= 0.5 || fabs(b0) * x > fabs(b1) * x * x / 3;

    // start above order and x, where j falls by a large factor per order
    int start = (order > x ? order : (int)x) + 30 + (int)cbrt(50 * x);
    double above = 1, b = 1, found0 = 1, found1 = 1;
    for (int n = start; n >= 0; n--)
    {
        if (n <= order) out[n] = b;
        if (n == 1) found1 = b;
        if (n == 0) found0 = b;
        double below = b - x * x / ((2 * n + 1.0) * (2 * n + 3.0)) * above;
        above = b;
        b = below;
    }
    double scale = by_first ? b0 / found0 : b1 / found1;
    for (int n = 0; n <= order; n++) out[n] *= scale;
}
