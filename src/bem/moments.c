// SPDX-License-Identifier: MIT
// Harmonics of the field on the unit sphere, by Green's representation of the field and the expansion of its kernel,
//
//   p(x) = integral of p dG/dn - G q,   G = ik sum of h_n(k|x|) j_n(k|y|) Y_nm(x) Y_nm(y)
//
// in functions that stay in range: ik h_n(k) j_n(k r) = e^{ik} (prod of s_j/(2j - 1), j = 1..n) b_n(k r) r^n/(2n + 1), with
// s and b of acoustics/hankel.h. Of the regular part u = b_n(k r) r^n Y_nm, the slope along a direction d is
//
//   d.grad u = r^(n-1) b_n d.g_nm - (k^2 r/(2n + 3)) b_(n+1) r^n (d.y/r) Y_nm,   g_nm = r^(1-n) grad(r^n Y_nm)
//
// and g_nm are harmonics of order n - 1 with coefficients that no place changes. So the sums over the surface (the kernel, many
// points side by side) are of plain harmonics, once with everything that goes with Y_nm and three times with the parts of p n
// along the axes, and the slopes are put together once, from the sums.
#include "acoustics/hankel.h"
#include "bem/bem.h"
#include "twang/acoustics.h"
#include <string.h>

// ---- points on the surface ----

// Harmonics turn by size (order + 1) over a panel. Seven points are enough for as few panels as there may be: with half a panel per
// wave power changes by less than 0.01 dB if panels are cut in pieces.
#define MOMENT_SMOOTH 1.5  // most turn for three points [rad]: 1e-3 of the integral

static bool panel_is_smooth(const Panel* panel, int order) { return panel->size * (order + 1) < MOMENT_SMOOTH; }

static int point_count(const Panel* panel, int order)
{
    return panel_is_smooth(panel, order) ? BEM_POINTS : bem_near_count();
}

void bem_source_put(BemSources* sources, twVec3 at, twVec3 normal, Complex pressure, Complex flux)
{
    int i = sources->count++;
    double r = tw_vec3_norm(at), x = sources->k * r;
    twVec3 e = r > 0 ? tw_vec3_scale(at, 1 / r) : tw_vec3(0, 0, 1);
    // two values of b_n scale the rest; j_1 is no use near 0
    double b1 = x > 0.5 ? 3 * (sin(x) - x * cos(x)) / (x * x * x) : 0;
    const double values[BEM_SOURCE_ARRAYS] = {e.x,
                                              e.y,
                                              e.z,
                                              r,
                                              x > 0 ? sin(x) / x : 1,
                                              b1,
                                              x > 0.5 ? x * x / 9 : 0,
                                              creal(pressure),
                                              cimag(pressure),
                                              creal(flux),
                                              cimag(flux),
                                              normal.x,
                                              normal.y,
                                              normal.z};
    for (int j = 0; j < BEM_SOURCE_ARRAYS; j++) sources->value[j][i] = values[j];
}

static void put_panel(BemSources* sources, const Panel* panel, bool smooth, Complex pressure, Complex flux)
{
    for (int i = 0; i < (smooth ? BEM_POINTS : bem_near_count()); i++)
    {
        double share = 1.0 / BEM_POINTS;
        twVec3 at = smooth ? bem_far_point(panel, i) : bem_near_point(panel, i, &share);
        bem_source_put(sources, at, panel->normal, share * panel->area * pressure, share * panel->area * flux);
    }
}

static void put_surface(BemSources* sources, const BemSystem* system, const Complex* pressure, int order)
{
    const twBem* bem = system->bem;
    for (int i = 0; i < bem->count; i++)
    {
        const Panel* panel = &bem->panels[i];
        put_panel(sources, panel, panel_is_smooth(panel, order), pressure[i], system->flux[i]);
    }
    while (sources->count % BEM_LANES != 0) bem_source_put(sources, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1), 0, 0);
}

// ---- sums to moments ----

// one of the sums of the pair (n, m), real and imaginary; none beyond the triangle
static Complex moment_sum(const double* sums, int order, BemSum which, int n, int m)
{
    if (m > n) return 0;
    const double* at = sums + (bem_pair(order, n, m) * BEM_SUMS + 2 * (size_t)which);
    return at[0] + I * at[1];
}

// d.g of the pair (n, m) and (n, -m), summed
static void sum_slopes(const double* sums, int order, int n, int m, Complex out[2])
{
    double scale = sqrt((2 * n + 1.0) / (2 * n - 1));
    double down = 0.5 * scale * sqrt((n + m) * (n + m - 1.0)), up = 0.5 * scale * sqrt((n - m) * (n - m - 1.0));
    double along = scale * sqrt((n + m) * (double)(n - m));
    if (m == 0) up *= 2;  // (n, 1) and (n, -1) are alike
#define AT(which, turn) moment_sum(sums, order, which, n - 1, m + (turn))
    out[0] = along * AT(BEM_Z_COS, 0) - up * (AT(BEM_X_COS, 1) + AT(BEM_Y_SIN, 1));
    out[1] = along * AT(BEM_Z_SIN, 0) - up * (AT(BEM_X_SIN, 1) - AT(BEM_Y_COS, 1));
    if (m == 0) return;
    out[0] += down * (AT(BEM_X_COS, -1) - AT(BEM_Y_SIN, -1));
    out[1] += down * (AT(BEM_X_SIN, -1) + AT(BEM_Y_COS, -1));
#undef AT
}

static void put_moment(double* moments, int i, Complex value)
{
    moments[2 * i] = creal(value);
    moments[2 * i + 1] = cimag(value);
}

// times ik h_n j_n without b_n r^n; the sums lack the factor sqrt(2), which m = 0 has not
static void combine_moments(const double* sums, int order, double k, double* moments)
{
    double steps[2 * (TW_MAX_BEM_ORDER + 1)];
    hankel_steps(steps, order, k);
    Complex outer = cos(k) + I * sin(k);
    for (int n = 0; n <= order; n++)
    {
        if (n > 0) outer *= (steps[2 * n] + I * steps[2 * n + 1]) / (2 * n - 1);
        for (int m = 0; m <= n; m++)
        {
            Complex slope[2] = {0, 0}, gain = outer / (2 * n + 1) * (m > 0 ? sqrt(2) : 1);
            if (n > 0) sum_slopes(sums, order, n, m, slope);
            put_moment(moments, n * n + n + m, gain * (moment_sum(sums, order, BEM_OWN_COS, n, m) + slope[0]));
            if (m > 0)
                put_moment(moments, n * n + n - m, gain * (moment_sum(sums, order, BEM_OWN_SIN, n, m) + slope[1]));
        }
    }
}

// Q_nm = a z Q_(n-1)m - b Q_(n-2)m (acoustics/harmonics.c)
void bem_legendre_fill(BemLegendre* legendre, int order)
{
    double start = sqrt(1 / (4 * TW_PI));
    legendre->order = order;
    for (int m = 0; m <= order; m++)
    {
        double before = 0, m2 = (double)m * m;
        legendre->start[m] = start;
        for (int n = m; n < order; n++)
        {
            double next = n + 1.0, a = sqrt((4 * next * next - 1) / (next * next - m2));
            double* step = legendre->step + 2 * bem_pair(order, n, m);
            step[0] = a;
            step[1] = n > m ? a / before : 0;
            before = a;
        }
        start *= sqrt((2 * m + 3.0) / (2 * m + 2.0));
    }
}

twStatus bem_moments(const BemSystem* system, const Complex* pressure, int order, double* moments, FemMemory* memory,
                     twError* err)
{
    const twBem* bem = system->bem;
    size_t points = BEM_LANES, pairs = bem_pair(order, order, order) + 1, columns = (size_t)order + 1;
    for (int i = 0; i < bem->count; i++) points += (size_t)point_count(&bem->panels[i], order);
    size_t sums = pairs * BEM_SUMS * BEM_LANES, steps = 2 * pairs + columns;
    size_t bytes = (sums + BEM_SOURCE_ARRAYS * points + steps) * sizeof(double);
    double* block = fem_alloc(memory, 1, bytes);
    if (!block) return bem_no_memory(memory, (double)bytes, err);

    BemSources sources = {.k = system->k};
    for (int i = 0; i < BEM_SOURCE_ARRAYS; i++) sources.value[i] = block + sums + (size_t)i * points;
    BemLegendre legendre = {.step = block + sums + BEM_SOURCE_ARRAYS * points};
    legendre.start = legendre.step + 2 * pairs;
    bem_legendre_fill(&legendre, order);
    put_surface(&sources, system, pressure, order);
    memset(block, 0, sums * sizeof *block);
    twStatus status = bem_ask(bem, 0.95, err);
    if (status == TW_OK)
    {
        bem->kernel->project(&sources, &legendre, block);
        combine_moments(block, order, system->k, moments);
    }
    fem_free(memory, block);
    return status;
}

// Far away a moment is A e^{ikr}/(k r h_n(k)) up to a unit, and 1/|k h_n(k)| the product of k/|s_j|, j = 1..n. The pressure on
// the surface gives the power, too, but is mostly out of phase at low frequencies.
double bem_power(const twBem* bem, double k, int order, const double* moments)
{
    double steps[2 * (TW_MAX_BEM_ORDER + 1)],
        power = 0, gain = bem->radius / sqrt(2 * bem->def.air_density * bem->def.sound_speed);
    hankel_steps(steps, order, k);
    for (int n = 0; n <= order; n++)
    {
        if (n > 0) gain *= k / hypot(steps[2 * n], steps[2 * n + 1]);
        for (int i = 2 * n * n; i < 2 * (n + 1) * (n + 1); i++) power += gain * moments[i] * (gain * moments[i]);
    }
    return power;
}
