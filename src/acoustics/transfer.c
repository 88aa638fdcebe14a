// SPDX-License-Identifier: MIT
// The sound of modes at a place (docs/transfer.md). Written as p = z e^{ik(r-R)} (R/r) a(x),
//
//   a(x) = sum_n g_n sum_m A_nm Y_nm,   g_n = (r/R) e^{-ik(r-R)} h_n(k r)/h_n(k R)
//
// Y_nm is the same for all modes, g_n depends on mode and distance alone. g_0 = 1; far away g_n goes to a constant.
//
// Power through the sphere: half the real part of the integral of p times the conjugate of v_r = p'/(i w rho). With
// p'/p = k h_n'/h_n for degree n and Im h_n'/h_n = 1/|x h_n|^2, x = k R, it is
//
//   P = R^2/(2 rho c) sum_nm |A_nm|^2/|x h_n|^2,   |x h_n| = product of |s_j/x|, j = 1..n,   s_j = x h_j/h_(j-1)

#include "acoustics/hankel.h"
#include "twang/acoustics.h"

enum
{
    LANES = 8,  // floats summed side by side: four complex moments
    STEPS = 2 * (TW_MAX_TRANSFER_ORDER + 1)
};

static int highest_order(const twTransfer* t)
{
    int highest = -1;
    for (int k = 0; k < t->mode_count; k++) highest = t->order[k] > highest ? t->order[k] : highest;
    return highest;
}

size_t tw_transfer_work(const twTransfer* transfer)
{
    size_t side = (size_t)(highest_order(transfer) + 1);
    return 2 * side * side + LANES;
}

// each harmonic twice, for the real and the imaginary part of its moment; those of inner places fade as rho^n
static void spread_harmonics(float* pairs, int order, twVec3 direction, double rho)
{
    // in place, from behind
    double fade = pow(rho, order);
    tw_harmonics(pairs, order, direction);
    for (int n = order; n >= 0; n--)
    {
        float gain = rho < 1 ? (float)(n > 0 ? fade : 1) : 1.0f;
        for (int i = (n + 1) * (n + 1) - 1; i >= n * n; i--) pairs[2 * i] = pairs[2 * i + 1] = gain * pairs[i];
        fade = rho > 0 ? fade / rho : 0;
    }
}

// sum of the moments of one degree times their harmonics: count floats in pairs
static void sum_degree(double out[2], const float* restrict moments, const float* restrict harmonics, int count)
{
    float lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int j = 0; j < LANES; j++) lane[j] += moments[i + j] * harmonics[i + j];
    for (int j = 0; i < count; i++, j++) lane[j] += moments[i] * harmonics[i];
    out[0] = (double)lane[0] + lane[2] + lane[4] + lane[6];
    out[1] = (double)lane[1] + lane[3] + lane[5] + lane[7];
}

static void weigh_mode(const twTransfer* t, int mode, double r, const float* harmonics, float out[2])
{
    double ratio[STEPS], at_radius[STEPS], re = 0, im = 0;
    int order = t->order[mode];
    double k = 2 * TW_PI * t->freq_hz[mode] / t->sound_speed;
    const float* moments = t->moments + 2 * t->first[mode];
    hankel_steps(ratio, order, k * r);
    hankel_steps(at_radius, order, k * t->radius);
    hankel_ratios(ratio, order, ratio, at_radius, t->radius / r);
    for (int n = 0; n <= order; n++)
    {
        double s[2], a = ratio[2 * n], b = ratio[2 * n + 1];
        sum_degree(s, moments + 2 * n * n, harmonics + 2 * n * n, 2 * (2 * n + 1));
        re += a * s[0] - b * s[1];
        im += a * s[1] + b * s[0];
    }
    out[0] = (float)re;
    out[1] = (float)im;
}

void tw_transfer_weights(const twTransfer* t, twVec3 place, float* out, float* work)
{
    twVec3 d = tw_vec3_sub(place, t->centre);
    double distance = sqrt(tw_vec3_dot(d, d)), r = distance > t->radius ? distance : t->radius;
    if (!isfinite(r)) r = t->radius, distance = 0;
    int order = highest_order(t);
    twVec3 direction = distance > 0 ? tw_vec3_scale(d, 1 / distance) : (twVec3){0, 0, 1};
    if (order >= 0) spread_harmonics(work, order, direction, fmin(1, 2 * distance / t->radius));
    for (int k = 0; k < t->mode_count; k++, out += 2)
    {
        out[0] = out[1] = 0;
        if (t->order[k] >= 0) weigh_mode(t, k, r, work, out);
    }
}

double tw_transfer_power(const twTransfer* t, int mode)
{
    TW_ASSERT(mode >= 0 && mode < t->mode_count);
    if (t->order[mode] < 0) return 0;
    double step[STEPS], x = 2 * TW_PI * t->freq_hz[mode] / t->sound_speed * t->radius;
    double power = 0, through = 1;  // 1/|x h_n|^2
    const float* a = t->moments + 2 * t->first[mode];
    hankel_steps(step, t->order[mode], x);
    for (int n = 0; n <= t->order[mode]; n++)
    {
        double square = 0, s2 = step[2 * n] * step[2 * n] + step[2 * n + 1] * step[2 * n + 1];
        for (int i = 2 * n * n; i < 2 * (n + 1) * (n + 1); i++) square += (double)a[i] * a[i];
        if (n > 0) through *= x * x / s2;
        power += through * square;
    }
    return 0.5 * power * t->radius * t->radius / (t->air_density * t->sound_speed);
}

double tw_transfer_decay(const twTransfer* t, int mode) { return tw_transfer_power(t, mode); }
