// SPDX-License-Identifier: MIT
// Coulomb's law at one contact. With the normal row eliminated, A = W_TT - w w^T/W_NN and h = b_T - b_N w/W_NN, a sliding contact
// obeys
//
//   r_T(a) = -(A + a)^-1 h,   r_N(a) = -(b_N + w.r_T)/W_NN,   |r_T| = mu r_N
//
// for one number a >= 0. In the eigenbasis of A this is a sum of two terms, and q(a) = mu r_N/|r_T| - 1 is nearly straight:
// Newton's method inside a bracket. At a = 0 it sticks unless q < 0; |r_T| <= |h|/a gives the other end.
#include "coulomb.h"
#include "twang/math.h"

// A in its eigenbasis: rotation (c, s), eigenvalues, h, and w/W_NN
typedef struct Secular
{
    double c, s;
    double value[2], h[2], pull[2];
    double normal;  // r_N without friction
    double mu;
} Secular;

// eigenvectors of a symmetric 2 x 2 matrix: the first is (c, s)
static void eigen2(const double a[2][2], double* c, double* s, double value[2])
{
    double d = 0.5 * (a[0][0] - a[1][1]), m = 0.5 * (a[0][0] + a[1][1]), e = sqrt(d * d + a[0][1] * a[0][1]);
    double x = d >= 0 ? d + e : a[0][1], y = d >= 0 ? a[0][1] : e - d, size = sqrt(x * x + y * y);
    *c = size > 0 ? x / size : 1;
    *s = size > 0 ? y / size : 0;
    value[0] = m + e;
    value[1] = m > e ? m - e : 0;
}

static void turn(double c, double s, const double from[2], double to[2])
{
    to[0] = c * from[0] + s * from[1];
    to[1] = c * from[1] - s * from[0];
}

static void impulse_at(const Secular* x, double a, double t[2], double* n)
{
    for (int i = 0; i < 2; i++) t[i] = x->h[i] == 0 ? 0 : -x->h[i] / (x->value[i] + a);
    *n = x->normal - (x->pull[0] * t[0] + x->pull[1] * t[1]);
}

static double cone_gap(double a, double* slope, const void* context)
{
    const Secular* x = context;
    double t[2], n, rise = 0, fall = 0;
    impulse_at(x, a, t, &n);
    double size = sqrt(t[0] * t[0] + t[1] * t[1]);
    for (int i = 0; i < 2; i++)
    {
        double by_a = t[i] == 0 ? 0 : -t[i] / (x->value[i] + a);
        rise -= x->pull[i] * by_a;
        fall += t[i] * by_a;
    }
    *slope = x->mu * (rise - n * (fall / (size * size))) / size;
    return x->mu * n / size - 1;
}

static CoulombState slide(const Secular* x, double r[3])
{
    double h = sqrt(x->h[0] * x->h[0] + x->h[1] * x->h[1]), mean = 0.5 * (x->value[0] + x->value[1]), t[2], n;
    double pull = sqrt(x->pull[0] * x->pull[0] + x->pull[1] * x->pull[1]);
    double low = 1e-15 * x->value[0], high = h * (1 + x->mu * pull) / (x->mu * x->normal) + low;
    twRoot root = tw_root_find(cone_gap, x, low, high, h / (x->mu * x->normal) - mean, 1e-14, 100);
    impulse_at(x, root.x, t, &n);

    // onto the cone, whatever round-off is left
    double size = sqrt(t[0] * t[0] + t[1] * t[1]);
    r[0] = n > 0 ? n : 0;
    double part = size > 0 ? x->mu * r[0] / size : 0, p[2] = {part * t[0], part * t[1]};
    turn(x->c, -x->s, p, r + 1);
    return COULOMB_SLIDE;
}

CoulombState coulomb_solve(const double w[3][3], const double b[3], double mu, double r[3])
{
    r[0] = r[1] = r[2] = 0;
    if (!(b[0] < 0 && w[0][0] > 0)) return COULOMB_OPEN;
    double pull[2] = {w[0][1] / w[0][0], w[0][2] / w[0][0]}, normal = -b[0] / w[0][0], a[2][2], h[2];
    r[0] = normal;
    if (!(mu > 0)) return COULOMB_SLIDE;
    for (int i = 0; i < 2; i++)
    {
        for (int j = 0; j < 2; j++) a[i][j] = w[1 + i][1 + j] - w[0][1 + i] * pull[j];
        h[i] = b[1 + i] - b[0] * pull[i];
    }
    Secular x = {.normal = normal, .mu = mu};
    eigen2((const double(*)[2])a, &x.c, &x.s, x.value);
    turn(x.c, x.s, h, x.h);
    turn(x.c, x.s, pull, x.pull);
    if (x.value[1] > 1e-14 * x.value[0] || (x.h[0] == 0 && x.h[1] == 0))
    {
        double t[2], n;
        impulse_at(&x, 0, t, &n);
        if (n >= 0 && t[0] * t[0] + t[1] * t[1] <= mu * mu * n * n)
        {
            r[0] = n;
            turn(x.c, -x.s, t, r + 1);
            return COULOMB_STICK;
        }
    }
    return slide(&x, r);
}

void coulomb_disc(const double a[2][2], const double h[2], double most, double t[2])
{
    t[0] = t[1] = 0;
    if (!(most > 0)) return;
    Secular x = {.normal = most, .mu = 1};
    double p[3], n;
    eigen2(a, &x.c, &x.s, x.value);
    turn(x.c, x.s, h, x.h);
    if (x.value[1] > 1e-14 * x.value[0] || (h[0] == 0 && h[1] == 0))
    {
        impulse_at(&x, 0, p, &n);
        if (p[0] * p[0] + p[1] * p[1] <= most * most)
        {
            turn(x.c, -x.s, p, t);
            return;
        }
    }
    slide(&x, p);
    t[0] = p[1];
    t[1] = p[2];
}
