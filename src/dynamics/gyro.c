// SPDX-License-Identifier: MIT
// In the axes of a body that spins at W mode j feels  -2 sum of q_k' times the integral of U_j . (W x U_k) dm, so
//
//   d rate/dt = A rate,   A_jk = 2 W . integral of U_j x U_k dm,
//
// antisymmetric: rates turn among each other and no work is done. Integrals are sums over the surface's vertices, by their areas,
// and scaled by what the same sums give for U_j . U_j, which should be 1: right for bars, plates and shells. Centrifugal force, and
// what vibration does to the spin, are of the order of (W/w)^2 and left out.
#include "dynamics/gyro.h"
#include <string.h>

#define LEAST_TURN 1e-7  // [rad] in a step
#define SAMPLES 1000     // vertices, about
#define TERMS 8          // of the exponential

void gyro_areas(double* out, const twModeSet* set)
{
    for (int f = 0; f < set->face_count; f++)
    {
        const int* v = set->faces[f].v;
        twVec3 a = tw_vec3_sub(set->vertices[v[1]], set->vertices[v[0]]),
               b = tw_vec3_sub(set->vertices[v[2]], set->vertices[v[0]]);
        for (int i = 0; i < 3; i++) out[v[i]] += tw_vec3_norm(tw_vec3_cross(a, b));
    }
}

static twVec3 moment(const twModeSet* set, const double* area, int j, int k)
{
    const int stride = 1 + set->vertex_count / SAMPLES;
    twVec3 sum = {0, 0, 0};
    double norm[2] = {0, 0};
    for (int v = 0; v < set->vertex_count; v += stride)
    {
        twVec3 a = tw_mode_set_shape(set, j, v), b = tw_mode_set_shape(set, k, v);
        sum = tw_vec3_add_scaled(sum, tw_vec3_cross(a, b), area[v]);
        norm[0] += area[v] * tw_vec3_dot(a, a);
        norm[1] += area[v] * tw_vec3_dot(b, b);
    }
    const double scale = sqrt(norm[0] * norm[1]);
    return tw_vec3_scale(sum, scale > 0 ? 1 / scale : 0);
}

void gyro_make(double* out, const twModeSet* set, int modes)
{
    const size_t n = (size_t)modes, all = n * n;
    double* area = out + 3 * all;
    memset(area, 0, (size_t)set->vertex_count * sizeof *area);
    gyro_areas(area, set);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k <= j; k++)
        {
            const twVec3 g = j == k ? tw_vec3(0, 0, 0) : moment(set, area, (int)j, (int)k);
            const double part[3] = {g.x, g.y, g.z};
            for (size_t i = 0; i < 3; i++)
            {
                out[i * all + j * n + k] = part[i];
                out[i * all + k * n + j] = -part[i];
            }
        }
}

static double square(const double* x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

void gyro_turn(const double* moments, int modes, int count, twVec3 turn, double* rate, double* spare)
{
    if (count < 2 || !(tw_vec3_max(turn) > LEAST_TURN) || !(tw_vec3_max(turn) < 1)) return;
    const size_t n = (size_t)modes, all = n * n;
    const double before = square(rate, count);
    double *term = spare, *next = spare + count;
    if (!(before > 0)) return;
    memcpy(term, rate, (size_t)count * sizeof *term);
    for (int order = 1; order <= TERMS; order++)
    {
        for (int j = 0; j < count; j++)
        {
            const double *x = moments + (size_t)j * n, *y = x + all, *z = y + all;
            double sum = 0;
            for (int k = 0; k < count; k++) sum += (turn.x * x[k] + turn.y * y[k] + turn.z * z[k]) * term[k];
            next[j] = 2 * sum / order;
        }
        for (int j = 0; j < count; j++) rate[j] += next[j];
        if (square(next, count) < 1e-30 * before) break;
        double* swap = term;
        term = next;
        next = swap;
    }
    // what the series and round-off leave of energy
    const double keep = sqrt(before / square(rate, count));
    for (int j = 0; j < count; j++) rate[j] *= keep;
}
