// SPDX-License-Identifier: MIT
// What moves with a frame that accelerates by a, turns at W and ever faster by W', feels
//
//   f_j = - integral of U_j . (a + W' x x + W (W . x) - x W^2) dm,   x from the mass centre,
//
// which is all in p = integral of U_j dm and G = integral of x U_j^T dm. Integrals are sums over the surface's vertices, by their
// areas, scaled so that each mode has the mass 1, as in gyro.c: right for bars, plates and shells. Modes of a body that is free are
// square to all rigid motion: only those of a body that is held somewhere feel the first two.
#include "dynamics/shake.h"
#include "dynamics/gyro.h"
#include <string.h>

// p, then G by rows
static void make_mode(double* out, const twModeSet* set, const double* area, double mass, int j)
{
    double norm = 0;
    memset(out, 0, SHAKE_MOMENTS * sizeof *out);
    for (int v = 0; v < set->vertex_count; v++)
    {
        const twVec3 u = tw_mode_set_shape(set, j, v), x = tw_vec3_sub(set->vertices[v], set->mass.centre);
        const double at[3] = {x.x, x.y, x.z}, moves[3] = {u.x, u.y, u.z};
        norm += area[v] * tw_vec3_dot(u, u);
        for (int k = 0; k < 3; k++) out[k] += area[v] * moves[k];
        for (int k = 0; k < 9; k++) out[3 + k] += area[v] * at[k / 3] * moves[k % 3];
    }
    // shares of the mass are area mass/(sum of areas); with the mode's own mass scaled to 1 the sum cancels but for a root
    double sum = 0;
    for (int v = 0; v < set->vertex_count; v++) sum += area[v];
    const double scale = norm > 0 && sum > 0 ? sqrt(mass / (sum * norm)) : 0;
    for (int k = 0; k < SHAKE_MOMENTS; k++) out[k] *= scale;
}

void shake_make(double* out, const twModeSet* set, int modes)
{
    double* area = out + SHAKE_MOMENTS * (size_t)modes;
    memset(area, 0, (size_t)set->vertex_count * sizeof *area);
    gyro_areas(area, set);
    for (int j = 0; j < modes; j++) make_mode(out + SHAKE_MOMENTS * (size_t)j, set, area, set->mass.mass, j);
}

void shake_force(double* out, const double* moments, int modes, twVec3 acceleration, twVec3 spin_up, twVec3 spin)
{
    const double w[3] = {spin.x, spin.y, spin.z}, square = tw_vec3_dot(spin, spin);
    for (int j = 0; j < modes; j++)
    {
        const double *p = moments + SHAKE_MOMENTS * (size_t)j, *g = p + 3;
        // U.(W' x x) = W'.(x x U)
        const twVec3 turning = tw_vec3(g[5] - g[7], g[6] - g[2], g[1] - g[3]);
        double sum = tw_vec3_dot(acceleration, tw_vec3(p[0], p[1], p[2])) + tw_vec3_dot(spin_up, turning);
        for (int k = 0; k < 9; k++) sum += (w[k / 3] * w[k % 3] - (k % 4 == 0) * square) * g[k];
        out[j] = -sum;
    }
}
