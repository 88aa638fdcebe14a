// SPDX-License-Identifier: MIT
// Warping of soft bodies, and how their modes turn what is around a node.
#include "cover.h"

// ---- warping ----

// the integral of exp(s [w]x) u over s, by Simpson's rule
static twVec3 integrate(twVec3 u, twVec3 w)
{
    twVec3 sum = tw_vec3(0, 0, 0);
    const int steps = 400;
    for (int i = 0; i <= steps; i++)
    {
        double s = (double)i / steps, weight = i == 0 || i == steps ? 1 : i % 2 ? 4 : 2;
        twVec3 turned = tw_quat_rotate(tw_quat_from_axis_angle(w, s * tw_vec3_norm(w)), u);
        sum = tw_vec3_add_scaled(sum, turned, weight / (3.0 * steps));
    }
    return sum;
}

static int warp_is_the_integral_of_the_rotation(void)
{
    for (int i = 0; i < 40; i++)
    {
        twVec3 u = cover_some(i), w = tw_vec3_scale(cover_some(i + 100), 0.1 * i);
        ENSURE(cover_apart(warp_point(u, w), integrate(u, w)) < 1e-9);
    }
    return 0;
}

// one term beyond, the error of u + w x u/2 is of second order
static int warp_of_small_bends_is_the_linear_one_to_second_order(void)
{
    twVec3 u = cover_some(1), w = cover_some(2);
    double error[2];
    for (int i = 0; i < 2; i++)
    {
        double size = i ? 1e-4 : 2e-4;
        twVec3 small = tw_vec3_scale(u, size);
        error[i] = cover_apart(warp_point(small, tw_vec3_scale(w, size)), small);
    }
    ENSURE_NEAR(error[0] / error[1], 4, 1e-3);
    ENSURE(error[0] < 4e-8);
    return 0;
}

// both ways of computing meet where one takes over from the other
static int warp_has_no_jump_where_its_series_ends(void)
{
    twVec3 u = cover_some(1), axis = tw_vec3_normalize(cover_some(4));
    twVec3 below = tw_vec3_scale(axis, 0.5 * (1 - 1e-15)), above = tw_vec3_scale(axis, 0.5 * (1 + 1e-15));
    ENSURE(tw_vec3_dot(below, below) < 0.25 && tw_vec3_dot(above, above) >= 0.25);
    ENSURE(cover_apart(warp_point(u, below), warp_point(u, above)) < 1e-14);
    return 0;
}

// ---- turning of the surface ----

static twVec3 rotation_field(twVec3 x, int mode)
{
    twVec3 turned = tw_vec3_cross(tw_vec3_scale(cover_spin, mode + 1), x);
    return tw_vec3_add(turned, tw_vec3(2, -1, mode));
}

static int a_rigid_rotation_turns_every_vertex_by_itself(void)
{
    twModeSet* set = cover_box(1, 0.5, 0.25, 3, 2, 2, true, rotation_field, 3);
    float* curl = set ? cover_turns(set, 2) : NULL;
    ENSURE(curl);
    double worst = 0;
    for (int v = 0; v < set->vertex_count; v++)
        for (int k = 0; k < 2; k++)
        {
            const float* at = curl + 6 * (size_t)v + k;
            worst = fmax(worst, cover_apart(tw_vec3((double)at[0], (double)at[2], (double)at[4]),
                                            tw_vec3_scale(cover_spin, k + 1)));
        }
    // displacements of up to 3 are floats, 2^-24 off, over edges of 1/8
    ENSURE(worst < 1e-5);
    free(curl);
    tw_mode_set_destroy(set);
    return 0;
}

// Euler and Bernoulli's cantilever along x under a force at its end, with neither shear nor Poisson's effect
static const double beam_length = 1, beam_width = 0.04, beam_height = 0.02;

static double beam_bend(double x) { return 0.5 * x * x * (3 - x); }
static double beam_slope(double x) { return 0.5 * x * (6 - 3 * x); }

static twVec3 beam_field(twVec3 x, int mode)
{
    (void)mode;
    return tw_vec3(-(x.z - 0.5 * beam_height) * beam_slope(x.x), 0, beam_bend(x.x));
}

static int a_bent_beam_turns_by_its_slope(void)
{
    twModeSet* set = cover_box(beam_length, beam_width, beam_height, 50, 2, 1, true, beam_field, 1);
    float* curl = set ? cover_turns(set, 1) : NULL;
    ENSURE(curl);
    double worst = 0;
    for (int v = 0; v < set->vertex_count; v++)
    {
        const float* w = curl + 3 * (size_t)v;
        twVec3 exact = tw_vec3(0, -beam_slope(set->vertices[v].x), 0);
        worst = fmax(worst, cover_apart(tw_vec3((double)w[0], (double)w[1], (double)w[2]), exact));
    }
    // a face has the slope of its middle: at the held end half an edge of 1/100 off, times the curvature 3
    ENSURE(worst < 0.016);
    free(curl);
    tw_mode_set_destroy(set);
    return 0;
}

static int inner_nodes_turn_with_their_tets(void)
{
    twModeSet* set = cover_box(1, 0.5, 0.25, 4, 4, 4, true, rotation_field, 2);
    twVec3* turns = set ? turns_create(set, 2, true) : NULL;
    ENSURE(turns && set->inner_count > 0);
    const int nodes = set->vertex_count + set->inner_count;
    for (int i = 0; i < nodes; i++) ENSURE(cover_apart(turns[nodes + i], tw_vec3_scale(cover_spin, 2)) < 2e-5);
    free(turns);
    tw_mode_set_destroy(set);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(warp_is_the_integral_of_the_rotation)
    RUN(warp_of_small_bends_is_the_linear_one_to_second_order)
    RUN(warp_has_no_jump_where_its_series_ends)
    RUN(a_rigid_rotation_turns_every_vertex_by_itself)
    RUN(a_bent_beam_turns_by_its_slope)
    RUN(inner_nodes_turn_with_their_tets)
)
