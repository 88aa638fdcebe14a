// SPDX-License-Identifier: MIT
// How much modes count in what is heard, and modes that are not baked beside such that are: their estimate, moved to the same sphere,
//
//   A_nm(R) = A_nm(a) h_n(k R)/h_n(k a),
//
// and scaled to the power of a piston times the median radiation efficiency of the baked modes of about the same pitch. The estimate has
// its directions alone: by its power modes of short waves would be silent, and ring too long.
#include "acoustics/hankel.h"
#include "twang/acoustics.h"
#include <stdlib.h>
#include <string.h>

// ---- loudness ----

// squared gain of IEC 61672's A curve, 1 at 1 kHz
static double a_weight(double freq_hz)
{
    const double f2 = freq_hz * freq_hz, top = 12194 * 12194.0;
    double gain =
        top * f2 * f2 / ((f2 + 20.6 * 20.6) * sqrt((f2 + 107.7 * 107.7) * (f2 + 737.9 * 737.9)) * (f2 + top)) * 1.2589;
    return gain * gain;
}

double tw_mode_loudness(const twModeSet* set, int mode, double power)
{
    TW_ASSERT(mode >= 0 && mode < set->mode_count);
    const float* shape = set->shape + 3 * (size_t)mode * (size_t)set->vertex_count;
    double square = 0, decay = set->decay ? set->decay[mode] : 0;
    for (int i = 0; i < 3 * set->vertex_count; i++) square += (double)shape[i] * shape[i];
    // integral of exp(-2 c t) over a second
    double second = decay > 0 ? -expm1(-2 * decay) / (2 * decay) : 1;
    return square / set->vertex_count * power * a_weight(set->freq_hz[mode]) * second;
}

double tw_transfer_loudness(const twTransfer* t, const twModeSet* set, int mode)
{
    TW_ASSERT(t->mode_count == set->mode_count);
    return tw_mode_loudness(set, mode, tw_transfer_power(t, mode));
}

// ---- a piston ----

double tw_mode_piston(const twModeSet* set, int mode, double sound_speed, double air_density)
{
    const float* shape = set->shape + 3 * (size_t)mode * (size_t)set->vertex_count;
    double sum = 0;
    for (int f = 0; f < set->face_count; f++)
    {
        const int* v = set->faces[f].v;
        const twVec3 a = set->vertices[v[0]],
                     n = tw_vec3_scale(
                         tw_vec3_cross(tw_vec3_sub(set->vertices[v[1]], a), tw_vec3_sub(set->vertices[v[2]], a)), 0.5);
        double area = tw_vec3_norm(n), squares = 0, total = 0;
        for (int i = 0; i < 3; i++)
        {
            const float* u = shape + 3 * (size_t)v[i];
            const double flux = n.x * (double)u[0] + n.y * (double)u[1] + n.z * (double)u[2];
            squares += flux * flux;
            total += flux;
        }
        if (area > 0) sum += (squares + total * total) / 12 / area;
    }
    return 0.5 * air_density * sound_speed * sum;
}

// ---- modes that are missing ----

#define NEIGHBOURS 0.5  // octaves to both sides: radiation efficiency changes slowly with pitch

static int compare_efficiencies(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// power of each baked mode over that of a piston; 0 where there is none
static void baked_efficiencies(double* out, const twTransfer* baked, const twModeSet* set)
{
    for (int k = 0; k < baked->mode_count; k++)
    {
        double from = baked->order[k] >= 0 ? tw_mode_piston(set, k, baked->sound_speed, baked->air_density) : 0;
        out[k] = from > 0 ? tw_transfer_power(baked, k) / from : 0;
    }
}

// their median among neighbours in pitch; 0 without any
static double median_efficiency(const twTransfer* t, const double* efficiency, double freq_hz, double* near)
{
    int count = 0;
    for (int k = 0; k < t->mode_count; k++)
        if (efficiency[k] > 0 && fabs(log2(t->freq_hz[k] / freq_hz)) <= NEIGHBOURS) near[count++] = efficiency[k];
    qsort(near, (size_t)count, sizeof *near, compare_efficiencies);
    if (count == 0) return 0;
    return count % 2 ? near[count / 2] : 0.5 * (near[count / 2 - 1] + near[count / 2]);
}

// what brings the estimate of a mode to the power that its neighbours tell; 1 without any
static double estimate_gain(const twTransfer* estimate, const twModeSet* set, int mode, double efficiency)
{
    const double power = tw_transfer_power(estimate, mode);
    if (!(efficiency > 0 && power > 0)) return 1;
    return sqrt(efficiency * tw_mode_piston(set, mode, estimate->sound_speed, estimate->air_density) / power);
}

// moments of a mode of one transfer on the sphere of another, times a gain
static void move_moments(float* to, const twTransfer* from, int mode, double radius, double gain)
{
    double at_a[2 * (TW_MAX_TRANSFER_ORDER + 1)], at_r[2 * (TW_MAX_TRANSFER_ORDER + 1)];
    int order = from->order[mode];
    double k = 2 * TW_PI * from->freq_hz[mode] / from->sound_speed, a = from->radius, turn = k * (radius - a);
    hankel_steps(at_a, order, k * a);
    hankel_steps(at_r, order, k * radius);
    hankel_ratios(at_r, order, at_r, at_a, a / radius);
    double c = gain * a / radius * cos(turn), s = gain * a / radius * sin(turn);
    const float* moments = from->moments + 2 * from->first[mode];
    for (int n = 0; n <= order; n++)
    {
        double re = at_r[2 * n] * c - at_r[2 * n + 1] * s, im = at_r[2 * n] * s + at_r[2 * n + 1] * c;
        for (int i = 2 * n * n; i < 2 * (n + 1) * (n + 1); i += 2)
        {
            to[i] = (float)(re * (double)moments[i] - im * (double)moments[i + 1]);
            to[i + 1] = (float)(re * (double)moments[i + 1] + im * (double)moments[i]);
        }
    }
}

// where each mode comes from: what is baked, else the estimate, below the limit
static const twTransfer* origin(const twTransfer* baked, const twTransfer* estimate, int mode, double max_freq_hz)
{
    return baked->order[mode] >= 0 || baked->freq_hz[mode] > max_freq_hz ? baked : estimate;
}

static twStatus join_transfers(twTransfer** out, const twTransfer* baked, const twTransfer* estimate,
                               const twModeSet* set, double max_freq_hz, twError* err)
{
    size_t modes = (size_t)baked->mode_count + 1;
    int64_t count = baked->moment_count + estimate->moment_count + 1;
    float *moments = calloc((size_t)count, 2 * sizeof *moments), *error = calloc(modes, sizeof *error);
    int* order = calloc(modes, sizeof *order);
    int64_t* first = calloc(modes, sizeof *first);
    double* efficiency = calloc(2 * modes, sizeof *efficiency);
    twStatus status = TW_OK;
    if (moments && error && order && first && efficiency)
    {
        twTransfer t = *baked;
        t.order = order, t.first = first, t.moments = moments, t.error_db = error, t.moment_count = 0;
        baked_efficiencies(efficiency, baked, set);
        for (int k = 0; k < baked->mode_count; k++)
        {
            const twTransfer* from = origin(baked, estimate, k, max_freq_hz);
            double gain = 1;
            if (from == estimate)
                gain = estimate_gain(estimate, set, k,
                                     median_efficiency(baked, efficiency, baked->freq_hz[k], efficiency + modes));
            order[k] = from->order[k];
            first[k] = t.moment_count;
            error[k] = from->error_db[k];
            if (order[k] >= 0) move_moments(moments + 2 * first[k], from, k, baked->radius, gain);
            t.moment_count += (order[k] + 1) * (order[k] + 1);
        }
        status = tw_transfer_create(out, &t, err);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", baked->mode_count);
    free(moments), free(error), free(order), free(first), free(efficiency);
    return status;
}

twStatus tw_transfer_complete(twTransfer** out, const twTransfer* baked, const twModeSet* set, double max_freq_hz,
                              twError* err)
{
    *out = NULL;
    if (baked->mode_count != set->mode_count)
        return tw_fail(err, TW_BAD_INPUT, "acoustic transfer of %d modes for %d", baked->mode_count, set->mode_count);
    bool complete = true;
    for (int k = 0; k < baked->mode_count; k++) complete &= baked->order[k] >= 0 || baked->freq_hz[k] > max_freq_hz;
    if (complete) return tw_transfer_create(out, baked, err);
    twTransfer* estimate;
    twStatus status = tw_transfer_estimate(&estimate, set, baked->sound_speed, baked->air_density, err);
    if (status != TW_OK) return status;
    status = join_transfers(out, baked, estimate, set, max_freq_hz, err);
    tw_transfer_destroy(estimate);
    return status;
}
