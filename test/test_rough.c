// SPDX-License-Identifier: MIT
// Rough normals: statistics of the tilt, and that it is a function of the place.
#include "collide.h"
#include "dynamics/rough.h"

static const double GRAIN = 2e-3;

static twVec3 somewhere(twRng* rng)
{
    return tw_vec3(tw_rng_between(rng, -1, 1), tw_rng_between(rng, -1, 1), tw_rng_between(rng, -1, 1));
}

// one less half the mean square of the difference of numbers at places a step apart, along any direction or along x
static double correlation(double step, bool along_x)
{
    twRng rng = tw_rng(4);
    double sum = 0;
    const int count = 20000;
    for (int i = 0; i < count; i++)
    {
        twVec3 p = somewhere(&rng), way = along_x ? tw_vec3(1, 0, 0) : random_unit(&rng);
        twVec3 a = tw_rough_noise(GRAIN, 11, p), b = tw_rough_noise(GRAIN, 11, tw_vec3_add_scaled(p, way, step));
        twVec3 change = tw_vec3_sub(a, b);
        sum += tw_vec3_dot(change, change) / 3;
    }
    return 1 - 0.5 * sum / count;
}

// ---- statistics ----

static int noise_is_of_mean_0_and_variance_1_and_gaussian(void)
{
    twRng rng = tw_rng(1);
    const int count = 100000;
    double sum[3] = {0}, square[3] = {0}, fourth[3] = {0}, cross[3] = {0};
    for (int i = 0; i < count; i++)
    {
        twVec3 g = tw_rough_noise(GRAIN, 5, somewhere(&rng));
        const double v[3] = {g.x, g.y, g.z};
        for (int d = 0; d < 3; d++)
        {
            sum[d] += v[d] / count;
            square[d] += v[d] * v[d] / count;
            fourth[d] += v[d] * v[d] * v[d] * v[d] / count;
            cross[d] += v[d] * v[(d + 1) % 3] / count;
        }
    }
    for (int d = 0; d < 3; d++)
    {
        // five standard deviations of the sample: 5/sqrt(count), 5 sqrt(2/count), 5/sqrt(count)
        ENSURE_NEAR(sum[d], 0, 0.016);
        ENSURE_NEAR(square[d], 1, 0.022);
        ENSURE_NEAR(cross[d], 0, 0.016);
        ENSURE_NEAR(fourth[d], 3, 0.3);
    }
    return 0;
}

static int variance_is_1_at_corners_and_middles_of_the_lattice_alike(void)
{
    const double edge = GRAIN / 1.5, part[5] = {0, 0.1, 0.25, 0.5, 0.9};
    for (int k = 0; k < 5; k++)
    {
        twRng rng = tw_rng(2);
        double square = 0;
        const int count = 20000;
        for (int i = 0; i < count; i++)
        {
            twVec3 p = somewhere(&rng);
            double at = part[k];
            p = tw_vec3((floor(p.x / edge) + at) * edge, (floor(p.y / edge) + at) * edge,
                        (floor(p.z / edge) + at) * edge);
            twVec3 g = tw_rough_noise(GRAIN, 6, p);
            square += tw_vec3_dot(g, g) / (3 * count);
        }
        ENSURE_NEAR(square, 1, 0.03);
    }
    return 0;
}

static int noise_is_the_same_nearby_and_another_beyond_a_grain(void)
{
    ENSURE(correlation(0.02 * GRAIN, false) > 0.995);
    ENSURE(correlation(0.1 * GRAIN, false) > 0.95);
    ENSURE_NEAR(correlation(GRAIN, false), 0, 0.06);
    ENSURE_NEAR(correlation(GRAIN, true), 0, 0.06);
    ENSURE_NEAR(correlation(1.34 * GRAIN, true), 0, 0.02);
    return 0;
}

static int other_seeds_are_other_surfaces(void)
{
    twRng rng = tw_rng(3);
    double product = 0;
    const int count = 20000;
    for (int i = 0; i < count; i++)
    {
        twVec3 p = somewhere(&rng);
        product += tw_vec3_dot(tw_rough_noise(GRAIN, 1, p), tw_rough_noise(GRAIN, 2, p)) / (3 * count);
    }
    ENSURE_NEAR(product, 0, 0.02);
    return 0;
}

// ---- frames ----

static Touch touch_on(twRng* rng)
{
    Touch touch = {.point = somewhere(rng), .normal = random_unit(rng)};
    touch.tangent[0] = tw_vec3_normalize(tw_vec3_cross(touch.normal, random_unit(rng)));
    touch.tangent[1] = tw_vec3_cross(touch.normal, touch.tangent[0]);
    return touch;
}

static int frame_stays_square_and_tilts_as_much_as_it_should(void)
{
    twRng rng = tw_rng(5);
    const double deviation = 0.05;
    const int count = 20000;
    double square[2] = {0}, most = 0;
    for (int i = 0; i < count; i++)
    {
        Touch touch = touch_on(&rng);
        twVec3 n = touch.normal, t[2] = {touch.tangent[0], touch.tangent[1]};
        tw_rough_turn(&n, t, deviation, GRAIN, 7, touch.point);
        ENSURE_NEAR(tw_vec3_norm(n), 1, 1e-12);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(tw_vec3_cross(n, t[0]), t[1])), 0, 1e-12);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(tw_vec3_cross(t[0], t[1]), n)), 0, 1e-12);
        for (int d = 0; d < 2; d++)
        {
            double part = tw_vec3_dot(n, touch.tangent[d]);
            square[d] += part * part / count;
            most = fmax(most, fabs(part));
        }
    }
    for (int d = 0; d < 2; d++) ENSURE_NEAR(sqrt(square[d]), deviation, 0.02 * deviation);
    ENSURE(most > 3 * deviation && most < 6 * deviation);
    return 0;
}

static int smooth_surfaces_are_left_alone_to_the_bit(void)
{
    twRng rng = tw_rng(6);
    BodyPlace body = {.turn = random_turn(&rng), .position = somewhere(&rng)};
    for (int i = 0; i < 100; i++)
    {
        Touch touch = touch_on(&rng), before = touch;
        tw_rough_turn(&touch.normal, touch.tangent, 0, GRAIN, 7, touch.point);
        tw_rough_turn(&touch.normal, touch.tangent, 0.1, 0, 7, touch.point);
        tw_rough_touch(&touch, &body, 0, GRAIN, 7);
        ENSURE(memcmp(&touch.normal, &before.normal, sizeof touch.normal) == 0);
        ENSURE(memcmp(touch.tangent, before.tangent, sizeof touch.tangent) == 0);
    }
    return 0;
}

static int tilt_is_fixed_to_the_body_wherever_it_is(void)
{
    // the same touch, carried along with a body and with other tangents
    twRng rng = tw_rng(7);
    for (int i = 0; i < 200; i++)
    {
        Touch rest = touch_on(&rng), moved = rest;
        BodyPlace home = {.turn = tw_quat_identity()}, away = {.turn = random_turn(&rng), .position = somewhere(&rng)};
        moved.point = tw_vec3_add(away.position, tw_quat_rotate(away.turn, rest.point));
        moved.normal = tw_quat_rotate(away.turn, rest.normal);
        moved.tangent[0] = tw_quat_rotate(away.turn, rest.tangent[1]);
        moved.tangent[1] = tw_quat_rotate(away.turn, tw_vec3_scale(rest.tangent[0], -1));
        tw_rough_touch(&rest, &home, 0.1, GRAIN, 8);
        tw_rough_touch(&moved, &away, 0.1, GRAIN, 8);
        twVec3 normal = tw_quat_rotate(away.turn, rest.normal), tangent = tw_quat_rotate(away.turn, rest.tangent[1]);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(moved.normal, normal)), 0, 1e-9);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(moved.tangent[0], tangent)), 0, 1e-9);
    }
    return 0;
}

static int places_that_are_nowhere_do_no_harm(void)
{
    const twVec3 far[3] = {{1e30, -1e30, 1e300}, {-1e15, 1e18, 3}, {1e-300, -1e-300, 0}};
    for (int i = 0; i < 3; i++)
    {
        twVec3 g = tw_rough_noise(GRAIN, 1, far[i]);
        ENSURE(tw_vec3_max(g) < 10);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(noise_is_of_mean_0_and_variance_1_and_gaussian)
    RUN(variance_is_1_at_corners_and_middles_of_the_lattice_alike)
    RUN(noise_is_the_same_nearby_and_another_beyond_a_grain)
    RUN(other_seeds_are_other_surfaces)
    RUN(frame_stays_square_and_tilts_as_much_as_it_should)
    RUN(smooth_surfaces_are_left_alone_to_the_bit)
    RUN(tilt_is_fixed_to_the_body_wherever_it_is)
    RUN(places_that_are_nowhere_do_no_harm)
)
