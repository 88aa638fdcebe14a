// SPDX-License-Identifier: MIT
// A cylinder of radius a that moves with v exp(-i w t) across its axis makes the field p = A H1(k r) cos(theta), with
// dp/dr = i w rho v at r = a:  A = i rho c v/H1'(ka), H1 Hankel's function of the first kind. For small ka, H1' is
// 2i/(pi (ka)^2): the compact dipole. The ratio is
//
//   C = 2i/(pi (ka)^2 H1'(ka)),   H1' = H0 - H1/(ka),   H = J + i Y
//
// and its conjugate for exp(+i w t). (Morse and Ingard, Theoretical Acoustics, 7.3)
#define _XOPEN_SOURCE 700
#include "cylinder.h"
#include "twang/math.h"

void cylinder_factor(double ka, double out[2])
{
    out[0] = 1;
    out[1] = 0;
    if (ka < 1e-4) return;
    double real = j0(ka) - j1(ka) / ka, imag = y0(ka) - y1(ka) / ka;
    // 2i/(pi ka^2)/(real + i imag) = 2/(pi ka^2) (imag + i real)/(real^2 + imag^2)
    double scale = 2 / (TW_PI * ka * ka * (real * real + imag * imag));
    out[0] = scale * imag;
    out[1] = -scale * real;
}
