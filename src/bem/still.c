// SPDX-License-Identifier: MIT
// Integrals over a flat triangle at k = 0, in closed form. Seen from x, side i with unit tangent s and outward normal m = s x n
// in the plane lies at t = (v - x).m, and runs from a to b along s; R is the distance to an end. With w the height of x above
// the plane,
//
//   f = log((R_b + b)/(R_a + a)),  angle = atan2(t b, t^2 + w^2 + |w| R_b) - the same at a,  solid = sign(w) sum angle
//
//   4 pi S = sum t f - |w| sum angle                (potential of the panel)
//   4 pi D = solid                                  (solid angle)
//   4 pi T = -nx.(sum m f + n solid)                (gradient of S)
//   4 pi N = -nx.sum (s x (x - v)) (b/R_b - a/R_a)/(t^2 + w^2)      (gradient of D: Biot and Savart along the sides)
//
// N on the panel itself is Hadamard's finite part. (Wilton et al. 1984, IEEE Trans. AP 32; Hess and Smith 1967)
#include "bem/bem.h"

// one side as seen from x
typedef struct Side
{
    twVec3 tangent, outward, arm;  // arm: from its first corner to x
    double t, a, b, ra, rb;
} Side;

static Side side_of(const Panel* panel, int i, twVec3 x)
{
    Side side;
    twVec3 from = panel->corner[i], to = panel->corner[(i + 1) % 3];
    side.tangent = tw_vec3_normalize(tw_vec3_sub(to, from));
    side.outward = tw_vec3_cross(side.tangent, panel->normal);
    side.arm = tw_vec3_sub(x, from);
    twVec3 other = tw_vec3_sub(x, to);
    side.t = -tw_vec3_dot(side.arm, side.outward);
    side.a = -tw_vec3_dot(side.arm, side.tangent);
    side.b = -tw_vec3_dot(other, side.tangent);
    side.ra = tw_vec3_norm(side.arm);
    side.rb = tw_vec3_norm(other);
    return side;
}

// log((rb + b)/(ra + a)) from the end where nothing cancels
static double side_log(const Side* side)
{
    return side->a + side->b > 0 ? log((side->rb + side->b) / (side->ra + side->a))
                                 : log((side->ra - side->a) / (side->rb - side->b));
}

// (b/rb - a/ra)/rho2, with l/r = sign(l) (1 - rho2/(r (r + |l|)))
static double side_turn(const Side* side, double rho2)
{
    double at_a = 1 / (side->ra * (side->ra + fabs(side->a))), at_b = 1 / (side->rb * (side->rb + fabs(side->b)));
    if (side->a > 0) return at_a - at_b;
    if (side->b < 0) return at_b - at_a;
    return 2 / rho2 - at_a - at_b;
}

Still bem_still(const Panel* panel, twVec3 x, twVec3 nx)
{
    double w = tw_vec3_dot(tw_vec3_sub(x, panel->centre), panel->normal), height = fabs(w);
    double logs = 0, angles = 0, turns = 0;
    const double least = 1e-20 * panel->size * panel->size;  // no place is on a side
    twVec3 pull = tw_vec3(0, 0, 0);
    for (int i = 0; i < 3; i++)
    {
        Side side = side_of(panel, i, x);
        double rho2 = fmax(side.t * side.t + w * w, least), f = side_log(&side);
        logs += side.t * f;
        angles += atan2(side.t * side.b, rho2 + height * side.rb) - atan2(side.t * side.a, rho2 + height * side.ra);
        pull = tw_vec3_add_scaled(pull, side.outward, f);
        turns += tw_vec3_dot(nx, tw_vec3_cross(side.tangent, side.arm)) * side_turn(&side, rho2);
    }
    double solid = w > 0 ? angles : w < 0 ? -angles : 0;
    const double scale = 1 / (4 * TW_PI);
    return (Still){
        .s = scale * (logs - height * angles),
        .d = scale * solid,
        .t = -scale * (tw_vec3_dot(nx, pull) + solid * tw_vec3_dot(nx, panel->normal)),
        .n = -scale * turns,
    };
}
