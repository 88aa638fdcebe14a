// SPDX-License-Identifier: MIT
// Products with M and K, stored as lower triangles: entry (a, b) acts on x_b for y_a and, off the diagonal, on x_a for
// y_b. M comes often and with many columns: four columns at a time are laid side by side, twelve numbers per node, so
// that each entry is loaded once and used for all of them.
#include "fem/system.h"
#include <string.h>

enum
{
    GROUP = 4,
    WIDTH = 3 * GROUP
};

size_t fem_multiply_scratch(const FemSystem* system) { return 2 * WIDTH * (size_t)system->nodes; }

static void gather(const FemSystem* system, const double* x, int columns, double* side)
{
    size_t n = 3 * (size_t)system->nodes;
    for (size_t a = 0; a < (size_t)system->nodes; a++)
        for (int c = 0; c < columns; c++)
            for (int d = 0; d < 3; d++) side[a * WIDTH + (size_t)(3 * c + d)] = x[(size_t)c * n + 3 * a + (size_t)d];
}

static void scatter(const FemSystem* system, const double* side, double* y, int columns)
{
    size_t n = 3 * (size_t)system->nodes;
    for (size_t a = 0; a < (size_t)system->nodes; a++)
        for (int c = 0; c < columns; c++)
            for (int d = 0; d < 3; d++) y[(size_t)c * n + 3 * a + (size_t)d] = side[a * WIDTH + (size_t)(3 * c + d)];
}

static void multiply_group(const FemSystem* system, const double* restrict x, double* restrict y)
{
    for (size_t a = 0; a < (size_t)system->nodes; a++)
    {
        double sum[WIDTH] = {0};
        const double* xa = x + a * WIDTH;
        int64_t diagonal = system->start[a + 1] - 1;
        for (int64_t e = system->start[a]; e < diagonal; e++)
        {
            double m = system->m[e];
            const double* xb = x + (size_t)system->column[e] * WIDTH;
            double* yb = y + (size_t)system->column[e] * WIDTH;
            for (int i = 0; i < WIDTH; i++) sum[i] += m * xb[i];
            for (int i = 0; i < WIDTH; i++) yb[i] += m * xa[i];
        }
        for (int i = 0; i < WIDTH; i++) y[a * WIDTH + (size_t)i] = sum[i] + system->m[diagonal] * xa[i];
    }
}

void fem_multiply_mass(const FemSystem* system, const double* x, double* y, int columns, double* scratch)
{
    size_t n = 3 * (size_t)system->nodes;
    double *from = scratch, *to = scratch + WIDTH * (size_t)system->nodes;
    for (int c = 0; c < columns; c += GROUP)
    {
        int count = columns - c < GROUP ? columns - c : GROUP;
        if (count < GROUP) memset(from, 0, n * GROUP * sizeof *from);
        gather(system, x + (size_t)c * n, count, from);
        multiply_group(system, from, to);
        scatter(system, to, y + (size_t)c * n, count);
    }
}

static void multiply_stiffness(const FemSystem* system, const double* restrict x, double* restrict y)
{
    for (size_t a = 0; a < (size_t)system->nodes; a++)
    {
        double sum[3] = {0, 0, 0};
        const double* xa = x + 3 * a;
        for (int64_t e = system->start[a]; e < system->start[a + 1]; e++)
        {
            size_t b = (size_t)system->column[e];
            const double *k = system->k + 9 * e, *xb = x + 3 * b;
            double* yb = y + 3 * b;
            for (int r = 0; r < 3; r++) sum[r] += k[3 * r] * xb[0] + k[3 * r + 1] * xb[1] + k[3 * r + 2] * xb[2];
            if (b == a) continue;
            for (int c = 0; c < 3; c++) yb[c] += k[c] * xa[0] + k[3 + c] * xa[1] + k[6 + c] * xa[2];
        }
        for (int r = 0; r < 3; r++) y[3 * a + (size_t)r] = sum[r];
    }
}

void fem_multiply_stiffness(const FemSystem* system, const double* x, double* y, int columns)
{
    size_t n = 3 * (size_t)system->nodes;
    for (int c = 0; c < columns; c++) multiply_stiffness(system, x + (size_t)c * n, y + (size_t)c * n);
}
