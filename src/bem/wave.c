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

// Radon's rule, exact for fifth powers: weights of the corners, share of the area
static const double near_rule[NEAR_POINTS][4] = {
    {1 / 3.0, 1 / 3.0, 1 / 3.0, 0.225},
    {0.0597158717897698, 0.4701420641051151, 0.4701420641051151, 0.1323941527885062},
    {0.4701420641051151, 0.0597158717897698, 0.4701420641051151, 0.1323941527885062},
    {0.4701420641051151, 0.4701420641051151, 0.0597158717897698, 0.1323941527885062},
    {0.7974269853530873, 0.1012865073234563, 0.1012865073234563, 0.1259391805448272},
    {0.1012865073234563, 0.7974269853530873, 0.1012865073234563, 0.1259391805448272},
    {0.1012865073234563, 0.1012865073234563, 0.7974269853530873, 0.1259391805448272},
};

twVec3 bem_panel_point(const Panel* panel, const double weight[3])
{
    twVec3 p = tw_vec3_scale(panel->corner[0], weight[0]);
    p = tw_vec3_add_scaled(p, panel->corner[1], weight[1]);
    return tw_vec3_add_scaled(p, panel->corner[2], weight[2]);
}

const double (*bem_near_rule(int* count))[4]
{
    *count = NEAR_POINTS;
    return near_rule;
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

// the differences at x: G, F and E, by their series where they would cancel
static void differences(double x, double g[2], double f[2], double e[2])
{
    double x2 = x * x, x3 = x2 * x;
    if (x < 0.02)
    {
        g[0] = -x / 2 + x3 / 24;
        g[1] = 1 - x2 / 6;
        f[0] = x2 / 8;
        f[1] = x3 / 30 - x / 3;
        e[0] = x / 8;
        e[1] = x2 / 15;
        return;
    }
    double c = cos(x), s = sin(x);
    g[0] = (c - 1) / x;
    g[1] = s / x;
    f[0] = (1 - c - x * s) / x2 + 0.5;
    f[1] = (x * c - s) / x2;
    e[0] = ((3 - x2) * c + 3 * x * s - 3) / x3 - 1 / (2 * x);
    e[1] = ((3 - x2) * s - 3 * x * c) / x3;
}

Wave bem_near_wave(const Panel* panel, Still still, double k, twVec3 x, twVec3 nx)
{
    double both = tw_vec3_dot(nx, panel->normal), w = tw_vec3_dot(tw_vec3_sub(x, panel->centre), panel->normal);
    double scale = k * panel->area / (4 * TW_PI), half = 0.5 * k * k;
    double s[2] = {still.s, 0}, d[2] = {still.d + half * w * still.s, 0};
    double t[2] = {still.t - half * both * w * still.s, 0}, n[2] = {still.n + half * (both * still.s + w * still.t), 0};
    for (int i = 0; i < NEAR_POINTS; i++)
    {
        twVec3 arm = tw_vec3_sub(x, bem_panel_point(panel, near_rule[i]));
        double r = tw_vec3_norm(arm), weight = near_rule[i][3] * scale, g[2], f[2], e[2];
        double inverse = r > 1e-6 * panel->size ? 1 / r : 0;  // else the direction of arm is round-off
        double at_x = tw_vec3_dot(arm, nx) * inverse, at_y = w * inverse;
        differences(k * r, g, f, e);
        double slope = weight * k, bend = k * slope * at_x * at_y;
        for (int part = 0; part < 2; part++)
        {
            // F/r at r = 0 is -ik/3
            double over = inverse > 0 ? f[part] * inverse : part * (-k / 3);
            s[part] += weight * g[part];
            d[part] -= slope * f[part] * at_y;
            t[part] += slope * (f[part] * at_x - (part == 0 ? 0.5 * (at_x - both * at_y) : 0));
            n[part] -= bend * e[part] + slope * both * over;
        }
    }
    return (Wave){s[0] + I * s[1], d[0] + I * d[1], t[0] + I * t[1], n[0] + I * n[1]};
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
