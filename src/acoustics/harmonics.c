// SPDX-License-Identifier: MIT
// Real orthonormal spherical harmonics of a unit vector (x, y, z):
//
//   Y_nm = sqrt(2) Q_nm(z) Re (x + i y)^m,  Y_n-m = sqrt(2) Q_nm(z) Im (x + i y)^m,  Y_n0 = Q_n0(z)
//
// where Q_nm sin^m is Legendre's function with norm and without the sign (-1)^m. As polynomials in x, y and z they have no
// trouble at the poles. Column by column:
//
//   Q_mm = sqrt((2m + 1)/2m) Q_(m-1)(m-1),   Q_nm = a_n z Q_(n-1)m - a_n/a_(n-1) Q_(n-2)m,
//   a_n  = sqrt((4n^2 - 1)/(n^2 - m^2))
//
// stable upward in n to any order. (Holmes and Featherstone 2002, J. Geodesy 76)
#include "twang/acoustics.h"

// where the harmonics go: one of both
typedef struct Sheet
{
    float* single;
    double* full;
} Sheet;

static void put(Sheet sheet, int index, double value)
{
    if (sheet.full) sheet.full[index] = value;
    if (sheet.single) sheet.single[index] = (float)value;
}

// harmonics n = m..order of one m: q is Q_mm, with sqrt(2); c and s are (x + i y)^m
static void put_column(Sheet sheet, int order, int m, double q, double c, double s, double z)
{
    double before = 0, a_before = 1, m2 = (double)m * m;
    for (int n = m; n <= order; n++)
    {
        int middle = n * n + n;
        if (m > 0) put(sheet, middle - m, q * s);
        put(sheet, middle + m, q * c);
        double next = n + 1.0, a = sqrt((4 * next * next - 1) / (next * next - m2));
        double above = a * (z * q - before / a_before);
        before = q;
        q = above;
        a_before = a;
    }
}

static void put_harmonics(Sheet sheet, int order, twVec3 e)
{
    TW_ASSERT(order >= 0);
    double q = sqrt(1 / (4 * TW_PI)), c = 1, s = 0;
    for (int m = 0; m <= order; m++)
    {
        put_column(sheet, order, m, q, c, s, e.z);
        double turned = c * e.x - s * e.y;
        s = c * e.y + s * e.x;
        c = turned;
        q *= sqrt((2 * m + 3.0) / (m > 0 ? 2 * m + 2.0 : 1));
    }
}

void tw_harmonics(float* out, int order, twVec3 direction) { put_harmonics((Sheet){.single = out}, order, direction); }

void tw_harmonics_double(double* out, int order, twVec3 direction)
{
    put_harmonics((Sheet){.full = out}, order, direction);
}
