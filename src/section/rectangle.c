// SPDX-License-Identifier: MIT
// The rectangle. Torsion, with b >= t the sides (Timoshenko and Goodier, Theory of Elasticity, 109):
//
//   J = b t^3 (1/3 - 64/pi^5 t/b sum_{n odd} tanh(n pi b/2t)/n^5)
//
// Dipole by conformal mapping: z' = R sqrt(1 - 2 cos(2a)/s^2 + 1/s^4) maps the outside of the unit circle |s| > 1 onto
// that of a rectangle with corners at angles +-a, +-(pi - a):  z = R (s + cos(2a)/s + ...). The coefficient of 1/s is
// the dipole: D along the width is 4 pi R^2 sin(a)^2, along the height 4 pi R^2 cos(a)^2. With complete elliptic
// integrals of modulus k, H(k) = E(k) - (1 - k^2) K(k), the sides are
//
//   height = 4 R H(sin a),   width = 4 R H(cos a)
//
// K and E by the arithmetic-geometric mean (Abramowitz and Stegun 17.6), in a form without cancellation at small k.
#include "rectangle.h"
#include "twang/math.h"

double rectangle_torsion(double width, double height)
{
    double b = fmax(width, height), t = fmin(width, height), sum = 0;
    // tanh differs from 1 only for the first terms; the rest is the tail of zeta: sum_{n odd} 1/n^5 = 31/32 zeta(5)
    for (int n = 1; n < 40; n += 2) sum += (tanh(n * TW_PI * b / (2 * t)) - 1) / pow(n, 5);
    sum += 31.0 / 32 * 1.03692775514336992633;
    return b * t * t * t * (1.0 / 3 - 64 / pow(TW_PI, 5) * t / b * sum);
}

// E(k) - (1 - k^2) K(k) from k and k' = sqrt(1 - k^2):  K (k^2/2 - sum_{n >= 1} 2^(n-1) c_n^2),  K = pi/2/agm(1, k')
static double elliptic(double k, double k1)
{
    double a = 1, b = k1, sum = 0.5 * k * k, c = k, power = 0.5;
    for (int n = 0; n < 40 && fabs(c) > 1e-17 * a; n++)
    {
        // c = (a - b)/2 as c^2/(4 a_next), which cancels nothing
        double next = 0.5 * (a + b);
        c = c * c / (4 * next);
        b = sqrt(a * b);
        a = next;
        power *= 2;
        sum -= power * c * c;
    }
    return TW_PI / (2 * a) * sum;
}

void rectangle_dipole(double width, double height, double out[2])
{
    // height/width rises with a; halve the interval of log tan(a), a <= 45 degrees for the longer side
    double longer = fmax(width, height), shorter = fmin(width, height), low = log(shorter / longer), high = 0;
    double sine = 0, cosine = 1;
    for (int i = 0; i < 60; i++)
    {
        double middle = 0.5 * (low + high), tangent = exp(middle);
        cosine = 1 / sqrt(1 + tangent * tangent);
        sine = tangent * cosine;
        if (elliptic(sine, cosine) * longer < elliptic(cosine, sine) * shorter)
            low = middle;
        else
            high = middle;
    }
    double r = longer / (4 * elliptic(cosine, sine));
    double along_longer = 4 * TW_PI * r * r * sine * sine, along_shorter = 4 * TW_PI * r * r * cosine * cosine;
    out[0] = width >= height ? along_longer : along_shorter;
    out[1] = width >= height ? along_shorter : along_longer;
}
