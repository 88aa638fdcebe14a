// SPDX-License-Identifier: MIT
// Integrals of e^{ikr}/(4 pi r) over a panel. Near it, those at k = 0 are known (still.c), and so are the parts of the
// difference that are not smooth. With x = k r, per 1/(4 pi):
//
//   G  - G0  = k   (e^{ix} - 1)/x
//   G' - G0' = k^2 (F - 1/2),        F = ((ix - 1) e^{ix} + 1)/x^2 + 1/2                  -> -ix/3 + x^2/8
//   H  - H0  = k^3 (E + 1/(2x)),     E = ((3 - 3ix - x^2) e^{ix} - 3)/x^3 - 1/(2x)        -> x/8 + i x^2/15
//
// The constants give, with w the height of x above the panel, k^2/2 times
//
//   D: w S0     T: -nx.n w S0, along n     N: nx.n S0 + w T0
//
// and what is left is smooth even across a wall much thinner than a panel.
#include "bem/bem.h"

enum
{
    NEAR_POINTS = 7
};
#define NEAR_A 0.4701420641051151
#define NEAR_B 0.1012865073234563
#define SHARE_A 0.1323941527885062
#define SHARE_B 0.1259391805448272

// Radon's rule, exact for fifth powers
const double bem_near_points[4][BEM_NEAR_LANES] = {
    {1 / 3.0, 1 - 2 * NEAR_A, NEAR_A, NEAR_A, 1 - 2 * NEAR_B, NEAR_B, NEAR_B, 1},
    {1 / 3.0, NEAR_A, 1 - 2 * NEAR_A, NEAR_A, NEAR_B, 1 - 2 * NEAR_B, NEAR_B, 0},
    {1 / 3.0, NEAR_A, NEAR_A, 1 - 2 * NEAR_A, NEAR_B, NEAR_B, 1 - 2 * NEAR_B, 0},
    {0.225, SHARE_A, SHARE_A, SHARE_A, SHARE_B, SHARE_B, SHARE_B, 0},
};

twVec3 bem_panel_point(const Panel* panel, const double weight[3])
{
    twVec3 p = tw_vec3_scale(panel->corner[0], weight[0]);
    p = tw_vec3_add_scaled(p, panel->corner[1], weight[1]);
    return tw_vec3_add_scaled(p, panel->corner[2], weight[2]);
}

int bem_near_count(void) { return NEAR_POINTS; }

twVec3 bem_near_point(const Panel* panel, int i, double* share)
{
    const double weight[3] = {bem_near_points[0][i], bem_near_points[1][i], bem_near_points[2][i]};
    *share = bem_near_points[3][i];
    return bem_panel_point(panel, weight);
}

// within so many longest edges
static bool within(const Panel* panel, twVec3 x, double edges)
{
    double reach = edges * panel->size;
    twVec3 d = tw_vec3_sub(x, panel->centre);
    return tw_vec3_dot(d, d) < reach * reach;
}

bool bem_is_near(const Panel* panel, twVec3 x) { return within(panel, x, 3); }
bool bem_is_close(const Panel* panel, twVec3 x) { return within(panel, x, 1.2); }

Wave bem_near_wave(const BemKernel* kernel, const Panel* panel, Still still, double k, twVec3 x, twVec3 nx)
{
    double both = tw_vec3_dot(nx, panel->normal), w = tw_vec3_dot(tw_vec3_sub(x, panel->centre), panel->normal);
    double scale = k * panel->area / (4 * TW_PI), half = 0.5 * k * k, more[8];
    BemNear near = {.normal = {nx.x, nx.y, nx.z}, .height = w, .both = both, .k = k, .least = 1e-6 * panel->size};
    for (int i = 0; i < 3; i++)
    {
        twVec3 arm = tw_vec3_sub(x, panel->corner[i]);
        near.arm[i][0] = arm.x, near.arm[i][1] = arm.y, near.arm[i][2] = arm.z;
    }
    kernel->near(&near, more);
    Complex s = more[0] + I * more[1], d = more[2] + I * more[3], t = more[4] + I * more[5], n = more[6] + I * more[7];
    return (Wave){
        .s = still.s + scale * s,
        .d = still.d + half * w * still.s + scale * d,
        .t = still.t - half * both * w * still.s + scale * t,
        .n = still.n + half * (both * still.s + w * still.t) + scale * n,
    };
}

twVec3 bem_far_point(const Panel* panel, int i)
{
    double weight[3] = {1 / 6.0, 1 / 6.0, 1 / 6.0};
    weight[i] = 2 / 3.0;
    return bem_panel_point(panel, weight);
}

Still bem_far_still(const Panel* panel, twVec3 x, twVec3 nx)
{
    Still sum = {0};
    double both = tw_vec3_dot(nx, panel->normal);
    for (int i = 0; i < BEM_POINTS; i++)
    {
        twVec3 d = tw_vec3_sub(x, bem_far_point(panel, i));
        double inverse = 1 / tw_vec3_norm(d), g = panel->area / (BEM_POINTS * 4 * TW_PI) * inverse,
               inverse2 = inverse * inverse;
        double at_x = tw_vec3_dot(d, nx), at_y = tw_vec3_dot(d, panel->normal);
        sum.s += g;
        sum.d += g * inverse2 * at_y;
        sum.t -= g * inverse2 * at_x;
        sum.n -= g * inverse2 * (3 * inverse2 * at_x * at_y - both);
    }
    return sum;
}
