// SPDX-License-Identifier: MIT
// Constants of one mode under the trapezoidal rule. With s the mode's pole, z = exp(s h) and S = (2/h)(z - 1)/(z + 1) the
// pole the trapezoidal rule must be given for its step to multiply by z:
//
//   R/M = -(S1 + S2),  K/M = S1 S2
//
// After an impulse J in a step from rest the step gives x_n = C [(z1 + 1) z1^(n-1) - (z2 + 1) z2^(n-1)] with
// C = h J/(2 M D (z1 - z2)) and D = 4/((z1 + 1)(z2 + 1)). The continuous mode struck in mid-step rings with the pair
// J z^(n-1/2)/(m (s1 - s2)). Equal size of the (slower) first pole's part gives
//
//   M = m (h/4) |z1 + 1| |z2 + 1| |cosh(s1 h/2)| |(s1 - s2)/(z1 - z2)|.

#include "trapezoid.h"
#include "twang/math.h"

// what the poles give: S1 + S2, S1 S2 (both with the h of the rule), M/m, and the map of velocities
typedef struct Warp
{
    double sum, product, mass, speed, tilt;
} Warp;

// complex pair s = -c +- i w
static Warp warp_pair(double c, double w, double h)
{
    double r = exp(-c * h), half = sin(0.5 * w * h), theta = w * h;
    double near = (1 - r) * (1 - r) + 4 * r * half * half;  // |z - 1|^2
    double far = (1 + r) * (1 + r) - 4 * r * half * half;   // |z + 1|^2
    Warp warp;
    warp.sum = 4 / h * expm1(-2 * c * h) / far;
    warp.product = 4 / (h * h) * near / far;
    double spread = theta < 1e-8 ? 1 : theta / sin(theta);  // |(s1 - s2)/(z1 - z2)| h e^(-ch)
    warp.mass = 0.25 * far * (0.5 * sqrt(far / r)) * spread / r;
    double imaginary = 4 / h * r * (theta < 1e-8 ? theta : sin(theta)) / far;  // Im S
    warp.speed = w > 0 ? imaginary / w : 4 * r / far;
    warp.tilt = 0.5 * warp.sum + warp.speed * c;
    return warp;
}

// real poles s = -c +- d; the slow one from the product w0^2 of both, since c - d would cancel
static Warp warp_real(double w0, double c, double d, double h)
{
    double fast = c + d, slow = w0 * w0 / fast;
    double s1 = -2 / h * tanh(0.5 * slow * h), s2 = -2 / h * tanh(0.5 * fast * h);
    double z1 = exp(-slow * h), z2 = exp(-fast * h);
    // (s1 - s2)/(z1 - z2) h = 2 d h e^(slow h)/(1 - e^(-2dh))
    double spread = d * h < 1e-8 ? exp(c * h) : 2 * d * h / (-expm1(-2 * d * h) * z1);
    Warp warp;
    warp.sum = s1 + s2;
    warp.product = s1 * s2;
    warp.mass = 0.25 * (1 + z1) * (1 + z2) * cosh(0.5 * slow * h) * spread;
    double t = tanh(0.5 * c * h);
    warp.speed = d * h < 1e-8 ? 1 - t * t : (s1 - s2) / (2 * d);
    warp.tilt = s1 + warp.speed * slow;
    return warp;
}

static Warp warp_of(double w0, double c, double h)
{
    double square = w0 * w0 - c * c;
    return square >= 0 ? warp_pair(c, sqrt(square), h) : warp_real(w0, c, sqrt(-square), h);
}

Trapezoid trapezoid(twScheme scheme, double freq_hz, double decay, double mass, double h)
{
    double w0 = 2 * TW_PI * freq_hz;
    Warp warp = {-2 * decay, w0 * w0, 1, 1, 0};
    if (scheme == TW_SCHEME_EXACT) warp = warp_of(w0, decay, h);
    Trapezoid t = {.mass = mass * warp.mass, .speed = warp.speed, .tilt = warp.tilt};
    double k = fmax(warp.product, 0), r = fmax(-warp.sum, 0);
    t.stiffness = t.mass * k;
    t.damping = t.mass * r;
    double d = 1 + 0.5 * h * r + 0.25 * h * h * k;
    t.keep = (2 - d) / d;
    t.pull = -h * k / d;
    t.push = h / (t.mass * d);
    return t;
}
