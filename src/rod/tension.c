// SPDX-License-Identifier: MIT
// What makes rods under tension 4th order.
//
// With D = -(second difference)/l^2 = k^2 (1 - (k l)^2/12), tension T, bending EI and masses shared by b l [1, 1/b - 2, 1],
//
//     m w^2 (1 - b (k l)^2) = T D + (EI - X) D^2:   w^2 is off by  T k^4 l^2 (b - 1/12) - X k^4 + EI k^6 l^2 (b - 1/6),
//
// so bending wants b = 1/6 and a string 1/12. X = T l^2 (b - 1/12) cancels the first two. X is taken from the bending stiffness,
// as much as b = 1/6 needs but a quarter of EI at most, since a rod that gets slack must stay stiff; what is then missing, b makes
// good. The rest is below (k l)^4/144 EI/(EI + T/k^2). All is constant in time: energy is kept as ever.
//
// Near a clamp a string bends within d = sqrt(EI/T), which is often less than an edge; it sounds as if it were shorter by d.
// A row of nodes with moments m_i = B_i (turn at i) obeys  m_i+1 - 2 m_i + m_i-1 = T l/B_i m_i, and is shorter by m_0/T per
// slope far away, which for the B of all other nodes is d if
//
//     B_0 = T d/(1 - (1 - m_1/m_0) d/l).
#include "rod.h"
#include <math.h>

// of the bending stiffness may go
#define MOST_SHARE 0.25

void tw_rod_find_pulls(const twRod* rod, double* pull)
{
    for (int j = 0; j < rod->ne; j++)
    {
        int k = (j + 1) % rod->n;
        double square = 0;
        for (int c = 0; c < 3; c++) square += (rod->q[c][k] - rod->q[c][j]) * (rod->q[c][k] - rod->q[c][j]);
        double length = sqrt(square);
        pull[j] = rod->axial[j] * (length * rod->inv_rest[j] - 1) * length;
    }
}

static double node_pull(const twRod* rod, const double* pull, int i)
{
    int before = i > 0 ? i - 1 : rod->closed ? rod->ne - 1 : 0, after = i < rod->ne ? i : rod->ne - 1;
    return 0.5 * (pull[before] + pull[after]);
}

double tw_rod_soften(const twRod* rod, const double* pull, int i, double b[3])
{
    double p = node_pull(rod, pull, i), least = 0.5 * (b[0] + b[1]) - hypot(0.5 * (b[0] - b[1]), b[2]);
    double x = fmax(-MOST_SHARE * least, fmin(MOST_SHARE * least, p / 12));
    b[0] -= x, b[1] -= x;
    return p > 0 ? 1 - 12 * x / p : 0;
}

// a tensor along (x, y)
static double along(double t11, double t22, double t12, double x, double y)
{
    return t11 * x * x + t22 * y * y + 2 * t12 * x * y;
}

static double moment_along(const twRod* rod, const twRodDef* def, int i, double x, double y)
{
    double moment[3], torsion;
    tw_rod_node_section(rod, def, i, moment, &torsion);
    return along(moment[0], moment[1], moment[2], x, y);
}

double tw_rod_clamp_stiffness(const twRod* rod, const twRodDef* def, const double* pull, int end, double x, double y)
{
    const int last = end ? rod->n - 1 : 0, inward = end ? -1 : 1, edge = end ? rod->ne - 1 : 0;
    const double p = pull[edge], moment = moment_along(rod, def, last, x, y);
    const double far = 30;  // [edges]: the end correction of stiffness.c does as well
    if (!(p > 0) || rod->n < 7) return 0;
    const double d = sqrt(def->young * moment * rod->inv_rest[edge] / p);
    if (d > far) return 0;
    double tau[4];
    for (int k = 1; k < 4; k++)
    {
        // as if the rod did not taper: the difference below is small
        const int i = last + inward * k;
        tau[k] = p * moment_along(rod, def, i, x, y) / (moment * along(rod->b11[i], rod->b22[i], rod->b12[i], x, y));
    }
    double decay = 1 / (1 + 0.5 * tau[3] + sqrt(tau[3] + 0.25 * tau[3] * tau[3]));
    double first = 1 / (2 + tau[1] - 1 / (2 + tau[2] - decay));
    return p * d / (1 - (1 - first) * d);
}
