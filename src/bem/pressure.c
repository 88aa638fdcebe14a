// SPDX-License-Identifier: MIT
// The field outside: by Green's representation from what is known on the surface, and by its harmonics on the sphere.
#include "acoustics/hankel.h"
#include "bem/bem.h"
#include "twang/acoustics.h"

static double wave_number(const twBem* bem, double freq_hz)
{
    return 2 * TW_PI * freq_hz / bem->def.sound_speed * bem->radius;
}

static twVec3 in_sphere(const twBem* bem, twVec3 place)
{
    return tw_vec3_scale(tw_vec3_sub(place, bem->centre), 1 / bem->radius);
}

// S and D of a panel at x: from a row, or by the near rule
static Wave panel_wave(const twBem* bem, const float* row, int j, double k, twVec3 x)
{
    const Panel* panel = &bem->panels[j];
    if (bem_is_near(panel, x))
        return bem_near_wave(bem->kernel, panel, bem_still(panel, x, panel->normal), k, x, panel->normal);
    size_t stride = (size_t)bem->far.stride;
    row += j;
    return (Wave){.d = (double)row[0] + I * (double)row[stride],
                  .s = (double)row[2 * stride] + I * (double)row[3 * stride]};
}

void tw_bem_pressure(const twBem* bem, double freq_hz, const double* normal_velocity, const double* pressure, int count,
                     const twVec3* places, double* out)
{
    TW_ASSERT(bem && normal_velocity && pressure && places && out);
    float row[BEM_OUTPUTS * (TW_MAX_BEM_PANELS + BEM_LANES)];
    double k = wave_number(bem, freq_hz), flux = 2 * TW_PI * freq_hz * bem->def.air_density * bem->radius;
    for (int i = 0; i < count; i++)
    {
        twVec3 x = in_sphere(bem, places[i]);
        Complex sum = 0;
        // without coupling a row is D and S
        BemSpot spot = {.place = {(float)x.x, (float)x.y, (float)x.z}, .k = (float)k};
        bem->kernel->row(&bem->far, &spot, row);
        for (int j = 0; j < bem->count; j++)
        {
            Complex p = pressure[2 * j] + I * pressure[2 * j + 1];
            Complex q = I * flux * (normal_velocity[2 * j] + I * normal_velocity[2 * j + 1]);
            Wave wave = panel_wave(bem, row, j, k, x);
            sum += p * wave.d - q * wave.s;
        }
        out[2 * i] = creal(sum);
        out[2 * i + 1] = cimag(sum);
    }
}

void bem_field_sums(double k, int order, const double* moments, twVec3 x, Complex* sums)
{
    double y[(TW_MAX_BEM_ORDER + 1) * (TW_MAX_BEM_ORDER + 1)];
    double far[2 * (TW_MAX_BEM_ORDER + 1)], near[2 * (TW_MAX_BEM_ORDER + 1)];
    double r = fmax(tw_vec3_norm(x), 1);
    tw_harmonics_double(y, order, tw_vec3_normalize(x));
    hankel_steps(near, order, k);
    hankel_steps(far, order, k * r);
    hankel_ratios(far, order, far, near, 1 / r);
    Complex sum = 0, spread = cexp(I * k * (r - 1)) / r;
    for (int n = 0; n <= order; n++)
    {
        double re = 0, im = 0;
        for (int i = n * n; i < (n + 1) * (n + 1); i++)
        {
            re += moments[2 * i] * y[i];
            im += moments[2 * i + 1] * y[i];
        }
        sum += (far[2 * n] + I * far[2 * n + 1]) * (re + I * im);
        sums[n] = spread * sum;
    }
}

void tw_bem_field(const twBem* bem, double freq_hz, int order, const double* moments, int count, const twVec3* places,
                  double* out)
{
    TW_ASSERT(bem && moments && places && out && order >= 0 && order <= TW_MAX_BEM_ORDER);
    Complex sums[TW_MAX_BEM_ORDER + 1];
    for (int i = 0; i < count; i++)
    {
        bem_field_sums(wave_number(bem, freq_hz), order, moments, in_sphere(bem, places[i]), sums);
        out[2 * i] = creal(sums[order]);
        out[2 * i + 1] = cimag(sums[order]);
    }
}

// ---- how well both agree ----

enum
{
    FIT_DIRECTIONS = 100,
    FIT_WORST = 5  // directions that do not count
};

// the largest level difference but for the worst directions, with moments up to an order
static double fit_error(const Complex* exact, Complex (*sums)[TW_MAX_BEM_ORDER + 1], int order)
{
    // the largest ones, rising
    double worst[FIT_WORST + 1] = {0};
    for (int i = 0; i < FIT_DIRECTIONS; i++)
    {
        double error = fabs(20 * log10(cabs(sums[i][order]) / cabs(exact[i])));
        if (!(error < HUGE_VAL)) error = exact[i] == sums[i][order] ? 0 : HUGE_VAL;
        int at = 0;
        if (error <= worst[0]) continue;
        for (; at < FIT_WORST && worst[at + 1] < error; at++) worst[at] = worst[at + 1];
        worst[at] = error;
    }
    return worst[0];
}

int tw_bem_fit(const twBem* bem, double freq_hz, const double* normal_velocity, const double* pressure, int order,
               const double* moments, double times, double goal_db, double* error_db)
{
    TW_ASSERT(bem && moments && order >= 0 && order <= TW_MAX_BEM_ORDER && times >= 1);
    Complex exact[FIT_DIRECTIONS], sums[FIT_DIRECTIONS][TW_MAX_BEM_ORDER + 1];
    for (int i = 0; i < FIT_DIRECTIONS; i++)
    {
        // evenly, along a spiral by the golden angle
        double z = 1 - 2 * (i + 0.5) / FIT_DIRECTIONS, phi = 2.399963229728653 * i, s = sqrt(1 - z * z), out[2];
        twVec3 x = tw_vec3_scale(tw_vec3(s * cos(phi), s * sin(phi), z), times);
        twVec3 place = tw_vec3_add_scaled(bem->centre, x, bem->radius);
        tw_bem_pressure(bem, freq_hz, normal_velocity, pressure, 1, &place, out);
        exact[i] = out[0] + I * out[1];
        bem_field_sums(wave_number(bem, freq_hz), order, moments, x, sums[i]);
    }
    int enough = order;
    while (enough > 0 && fit_error(exact, sums, enough - 1) <= goal_db) enough--;
    if (error_db) *error_db = fit_error(exact, sums, enough);
    return enough;
}
