// SPDX-License-Identifier: MIT
// Tests of the rod's elastic energy, its gradient and Hessian, its mass, and of the linear solver, for open, clamped and closed
// rods, with and without shear. Expected values: finite differences, dense solves, invariance under rigid motion.
#include "rod/rod.h"
#include "test.h"
#include "twang/rod.h"
#include <stdlib.h>

enum
{
    POINTS = 21
};

typedef enum Kind
{
    OPEN,
    CLAMPED,
    CLOSED,
    SHEARED,
    SHEARED_RING,
    KINDS
} Kind;

static twSection bar_section(void)
{
    return (twSection){.area = 3e-4, .moment = {1.6e-8, 4e-9}, .torsion = 1.1e-8, .shear = {0.83, 0.8}, .angle = 0.3};
}

// a crooked rod, bent, twisted and stretched against its crooked rest shape
static twRod* crooked(Kind kind, int n, uint64_t seed, const char* kernel)
{
    twRng rng = tw_rng(seed);
    twVec3 rest[64], now[64], d[64];
    double twist[64];
    bool closed = kind == CLOSED || kind == SHEARED_RING;
    for (int i = 0; i < n; i++)
    {
        double a = closed ? 2 * TW_PI * i / n : 0.15 * i, r = closed ? 0.1 : 0.2;
        rest[i] = tw_vec3(r * cos(a), r * sin(a), closed ? 0.01 * sin(3 * a) : 0.005 * i);
        now[i] = rest[i];
        d[i] = tw_vec3(0, 0.1, 1);
        for (int c = 0; c < 3; c++)
        {
            ((double*)&rest[i])[c] += tw_rng_between(&rng, -0.003, 0.003);
            ((double*)&now[i])[c] += tw_rng_between(&rng, -0.004, 0.004);
        }
        twist[i] = tw_rng_between(&rng, -0.6, 0.6);
    }
    twSection section = bar_section();
    twRodSupport clamps[2] = {{.kind = TW_ROD_CLAMPED, .point = 0}, {.kind = TW_ROD_CLAMPED, .point = n - 1}};
    twRodDef def = tw_rod_def();
    def.point_count = n, def.points = now, def.rest_points = rest, def.directions = d, def.twists = twist;
    def.section_count = 1, def.sections = &section;
    def.closed = closed;
    def.shear = kind == SHEARED || kind == SHEARED_RING;
    if (kind == CLAMPED) def.support_count = 2, def.supports = clamps;
    twRod* rod = NULL;
    if (tw_rod_create(&rod, &def, NULL) != TW_OK) return NULL;
    if (kernel) rod->kernel = tw_rod_kernel(kernel);
    for (int c = ROD_TILT; c < rod->dofs; c++)
        for (int j = 0; j < rod->ne; j++) rod->q[c][j] = tw_rng_between(&rng, -0.2, 0.2);
    return rod;
}

// number of coordinate (node, component); turns and tilts of the last node of an open rod mean nothing
static bool is_real(const twRod* rod, int i, int c) { return c < 3 || i < rod->ne; }

static int gradient_is_the_difference_of_the_energy(void)
{
    for (int kind = 0; kind < KINDS; kind++)
    {
        twRod* rod = crooked(kind, POINTS, 7, NULL);
        ENSURE(rod);
        double** g = rod->g[0];
        tw_rod_elastic(rod, rod->q, g);
        double worst = 0, size = 0;
        for (int i = 0; i < rod->n; i++)
            for (int c = 0; c < rod->dofs; c++)
            {
                if (!is_real(rod, i, c)) continue;
                double e[2], step = 1e-6, keep = rod->q[c][i];
                for (int k = 0; k < 2; k++)
                {
                    rod->q[c][i] = keep + (k ? step : -step);
                    tw_rod_wrap(rod, rod->q, rod->dofs);
                    e[k] = tw_rod_elastic(rod, rod->q, rod->g[1]);
                }
                rod->q[c][i] = keep;
                tw_rod_wrap(rod, rod->q, rod->dofs);
                double scale = c < 3 ? 1 : 100;  // turns are measured in centimetres of arm
                worst = fmax(worst, scale * fabs((e[1] - e[0]) / (2 * step) - g[c][i]));
                size = fmax(size, scale * fabs(g[c][i]));
            }
        ENSURE_NEAR(worst / size, 0, 2e-8);
        tw_rod_destroy(rod);
    }
    return 0;
}

// the Hessian's block (i, j) at (r, c)
static double hessian_at(const twRod* rod, int i, int r, int j, int c)
{
    int n = rod->n, d = rod->dofs, k = (i - j + n) % n, back = (j - i + n) % n;
    if (k > 2 && back > 2) return 0;
    if (!rod->closed && k != i - j && back != j - i) return 0;
    if (k <= 2) return rod->h_blocks[((size_t)j * 3 + (size_t)k) * (size_t)(d * d) + (size_t)(c * d + r)];
    return rod->h_blocks[((size_t)i * 3 + (size_t)back) * (size_t)(d * d) + (size_t)(r * d + c)];
}

static int hessian_is_the_symmetric_difference_of_the_gradient(void)
{
    for (int kind = 0; kind <= CLOSED; kind++)
    {
        twRod* rod = crooked(kind, POINTS, 9, NULL);
        ENSURE(rod);
        int n = rod->n, d = rod->dofs, all = n * d;
        double* h = calloc((size_t)all * (size_t)all, sizeof *h);
        for (int j = 0; j < n; j++)
            for (int c = 0; c < d; c++)
            {
                if (!is_real(rod, j, c)) continue;
                double keep = rod->q[c][j], step = c < 3 ? 1e-7 : 1e-5;
                for (int k = 0; k < 2; k++)
                {
                    rod->q[c][j] = keep + (k ? step : -step);
                    tw_rod_wrap(rod, rod->q, d);
                    tw_rod_elastic(rod, rod->q, rod->g[1]);
                    for (int i = 0; i < n; i++)
                        for (int r = 0; r < d; r++)
                            h[(i * d + r) * all + j * d + c] += (k ? 1 : -1) * rod->g[1][r][i] / (2 * step);
                }
                rod->q[c][j] = keep;
                tw_rod_wrap(rod, rod->q, d);
            }
        tw_rod_hessian(rod, 1, 1);
        double worst = 0, size = 0;
        for (int a = 0; a < all; a++)
            for (int b = 0; b < all; b++)
            {
                if (!is_real(rod, a / d, a % d) || !is_real(rod, b / d, b % d)) continue;
                double scale = (a % d < 3 ? 1 : 100) * (b % d < 3 ? 1 : 100);
                double exact = hessian_at(rod, a / d, a % d, b / d, b % d),
                       mean = 0.5 * (h[a * all + b] + h[b * all + a]);
                worst = fmax(worst, scale * fabs(exact - mean));
                size = fmax(size, scale * fabs(exact));
            }
        ENSURE_NEAR(worst / size, 0, 1e-7);
        free(h);
        tw_rod_destroy(rod);
    }
    return 0;
}

static int no_force_and_no_torque_on_the_whole(void)
{
    for (int kind = 0; kind < KINDS; kind++)
    {
        if (kind == CLAMPED) continue;
        twRod* rod = crooked(kind, POINTS, 5, NULL);
        ENSURE(rod);
        double** g = rod->g[0];
        tw_rod_elastic(rod, rod->q, g);
        twVec3 force = {0, 0, 0}, torque = {0, 0, 0};
        double size = 0;
        for (int i = 0; i < rod->n; i++)
        {
            twVec3 f = tw_vec3(g[0][i], g[1][i], g[2][i]), x = tw_vec3(rod->q[0][i], rod->q[1][i], rod->q[2][i]);
            force = tw_vec3_add(force, f);
            torque = tw_vec3_add(torque, tw_vec3_cross(x, f));
            size = fmax(size, tw_vec3_max(f));
        }
        ENSURE_NEAR(tw_vec3_max(force) / size, 0, 1e-13);
        // a turn of an edge about itself is the rest of the torque
        twVec3 spun = {0, 0, 0};
        for (int j = 0; j < rod->ne; j++)
            spun = tw_vec3_add_scaled(spun, tw_vec3(rod->t0[0][j], rod->t0[1][j], rod->t0[2][j]), g[3][j]);
        ENSURE_NEAR(tw_vec3_max(tw_vec3_add(torque, spun)) / (0.1 * size), 0, 1e-12);
        tw_rod_destroy(rod);
    }
    return 0;
}

static int all_kernels_agree(void)
{
    static const char* const names[] = {"generic", "avx2", "avx512"};
    for (int kind = 0; kind < KINDS; kind++)
        for (int n = 9; n < 40; n += 7)
        {
            twRod* rod = crooked(kind, n, 3, "generic");
            ENSURE(rod);
            double energy = tw_rod_elastic(rod, rod->q, rod->g[0]);
            for (int k = 1; k < 3; k++)
            {
                const RodKernel* kernel = tw_rod_kernel(names[k]);
                if (!kernel) continue;
                rod->kernel = kernel;
                ENSURE_NEAR(tw_rod_elastic(rod, rod->q, rod->g[1]), energy, 1e-12 * energy);
                double worst = 0, size = 0;
                for (int c = 0; c < rod->dofs; c++)
                    for (int i = 0; i < n; i++)
                    {
                        worst = fmax(worst, fabs(rod->g[1][c][i] - rod->g[0][c][i]));
                        size = fmax(size, fabs(rod->g[0][c][i]));
                    }
                ENSURE_NEAR(worst / size, 0, 1e-12);
            }
            tw_rod_destroy(rod);
        }
    return 0;
}

// ---- linear solver ----

// entry of the assembled system at ((i, r), (j, c)); part 0 real, 1 imaginary
static double band_at(const RodBand* band, int i, int r, int j, int c, int part)
{
    int n = band->n, k = (i - j + n) % n, back = (j - i + n) % n;
    if (part && !band->is_complex) return 0;
    if (k <= 2 && (band->closed || i >= j)) return tw_band_block(band, j, k)[c * band->vec + part * band->rows + r];
    if (back <= 2 && (band->closed || j >= i))
        return tw_band_block(band, i, back)[r * band->vec + part * band->rows + c];
    return 0;
}

static int solver_meets_its_equations(void)
{
    static const char* const names[] = {"generic", "avx2", "avx512"};
    for (int variant = 0; variant < 3; variant++)
        for (int nodes = 8; nodes < 30; nodes += 5)
            for (int which = 0; which < 8; which++)
            {
                const RodKernel* kernel = tw_rod_kernel(names[variant]);
                if (!kernel) continue;
                twRng rng = tw_rng((uint64_t)(nodes * 8 + which));
                RodBand* band = tw_band_create(nodes, which & 1 ? 6 : 4, (which & 2) != 0, (which & 4) != 0, false);
                ENSURE(band);
                int cols = band->cols;
                // random blocks, symmetric on a heavy diagonal; nothing beyond an open end
                for (int i = 0; i < nodes; i++)
                    for (int k = 0; k < 3 && (band->closed || i + k < nodes); k++)
                        for (int c = 0; c < cols; c++)
                            for (int r = 0; r < cols; r++)
                                for (int part = 0; part < (band->is_complex ? 2 : 1); part++)
                                {
                                    double* b = tw_band_block(band, i, k) + part * band->rows;
                                    double value = tw_rng_between(&rng, -1, 1) + (k == 0 && r == c ? 12 : 0);
                                    b[c * band->vec + r] = value;
                                    if (k == 0) b[r * band->vec + c] = value;
                                }
                double *y = aligned_alloc(64, (size_t)(nodes + 8) * 16 * 8), *b = calloc((size_t)(nodes + 8) * 16, 8);
                memset(y, 0, (size_t)(nodes + 8) * 16 * 8);
                for (int i = 0; i < nodes; i++)
                    for (int r = 0; r < cols; r++)
                        for (int part = 0; part < (band->is_complex ? 2 : 1); part++)
                            y[i * band->vec + part * band->rows + r] = tw_rng_between(&rng, -1, 1);
                memcpy(b, y, (size_t)nodes * (size_t)band->vec * 8);
                kernel->factor(band);
                kernel->solve(band, y);
                double worst = 0;
                for (int i = 0; i < nodes; i++)
                    for (int r = 0; r < cols; r++)
                    {
                        double re = b[i * band->vec + r], im = band->is_complex ? b[i * band->vec + band->rows + r] : 0;
                        for (int j = 0; j < nodes; j++)
                            for (int c = 0; c < cols; c++)
                            {
                                double ar = band_at(band, i, r, j, c, 0), ai = band_at(band, i, r, j, c, 1);
                                double xr = y[j * band->vec + c],
                                       xi = band->is_complex ? y[j * band->vec + band->rows + c] : 0;
                                re -= ar * xr - ai * xi;
                                im -= ar * xi + ai * xr;
                            }
                        worst = fmax(worst, fabs(re) + fabs(im));
                    }
                ENSURE_NEAR(worst, 0, 1e-13 * nodes);
                free(y), free(b);
                tw_band_destroy(band);
            }
    return 0;
}

// random blocks on a heavy diagonal, and some turn of each node
static void fill_band(const RodBand* band, twRng* rng)
{
    for (int i = 0; i < band->n; i++)
    {
        for (int k = 0; k < 3 && i + k < band->n; k++)
            for (int c = 0; c < band->cols; c++)
                for (int r = 0; r < band->vec; r++)
                {
                    double* column = tw_band_block(band, i, k) + c * band->vec;
                    column[r] = tw_rng_between(rng, -1, 1) + (k == 0 && r == c ? 12 : 0);
                    if (k == 0 && r % 4 < c) column[r] = tw_band_block(band, i, k)[r % 4 * band->vec + r / 4 * 4 + c];
                }
        for (int c = 0; c < 3; c++)
            band->short_turn[4 * i + c] = (float)(band->turn[4 * i + c] = tw_rng_between(rng, -0.1, 0.1));
    }
}

static int solver_in_float_does_as_that_in_double(void)
{
    static const char* const names[] = {"generic", "avx2", "avx512"};
    for (int variant = 0; variant < 3; variant++)
        for (int nodes = BAND_SHORT_NODES + 1; nodes < BAND_SHORT_NODES + 3; nodes++)
        {
            const RodKernel* kernel = tw_rod_kernel(names[variant]);
            if (!kernel) continue;
            twRng rng = tw_rng((uint64_t)nodes);
            RodBand* band = tw_band_create(nodes, 4, true, false, true);
            ENSURE(band);
            fill_band(band, &rng);
            const size_t count = (size_t)nodes * 8, bytes = count * sizeof(double);
            double *in_double = aligned_alloc(64, bytes), *in_float = aligned_alloc(64, bytes);
            for (size_t i = 0; i < count; i++) in_double[i] = in_float[i] = tw_rng_between(&rng, -1, 1);
            kernel->factor(band);
            kernel->solve(band, in_double);
            band->use_short = true;
            kernel->solve(band, in_float);
            double worst = 0, largest = 0;
            for (size_t i = 0; i < count; i++)
            {
                worst = fmax(worst, fabs(in_float[i] - in_double[i]));
                largest = fmax(largest, fabs(in_double[i]));
            }
            ENSURE(largest > 0.05);
            ENSURE(worst > 0);
            ENSURE_NEAR(worst / largest, 0, 1e-6);
            free(in_double), free(in_float);
            tw_band_destroy(band);
        }
    return 0;
}

// ---- mass ----

static int mass_is_that_of_the_rod(void)
{
    for (int kind = 0; kind < KINDS; kind++)
    {
        twRod* rod = crooked(kind, POINTS, 2, NULL);
        ENSURE(rod);
        double length = 0, sum = 0;
        for (int j = 0; j < rod->ne; j++) length += rod->rest_length[j];
        for (int i = 0; i < rod->n; i++) rod->v[0][i] = 1;
        tw_rod_wrap(rod, rod->v, rod->dofs);
        tw_rod_mass_of(rod, rod->v, rod->mz[0]);
        for (int i = 0; i < rod->n; i++) sum += rod->mz[0][0][i];
        ENSURE_NEAR(sum, 7850 * 3e-4 * length, 1e-13 * sum);
        tw_rod_destroy(rod);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(gradient_is_the_difference_of_the_energy)
    RUN(hessian_is_the_symmetric_difference_of_the_gradient)
    RUN(no_force_and_no_torque_on_the_whole)
    RUN(all_kernels_agree)
    RUN(solver_meets_its_equations)
    RUN(solver_in_float_does_as_that_in_double)
    RUN(mass_is_that_of_the_rod)
)
