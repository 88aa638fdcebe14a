// SPDX-License-Identifier: MIT
// Roots of functions within a bracket, by Newton and bisection.
#include "test.h"
#include "twang/math.h"

// ---- roots ----

// x^3 - c
static double cube_minus(double x, double* slope, const void* context)
{
    *slope = 3 * x * x;
    return x * x * x - *(const double*)context;
}

static int root_of_a_smooth_function_takes_few_evaluations(void)
{
    double c = 2;
    twRoot root = tw_root_find(cube_minus, &c, 0, 10, 1.5, 1e-14, 50);
    ENSURE(root.converged);
    ENSURE_NEAR(root.x, cbrt(2), 1e-14);
    ENSURE(fabs(root.residual) <= 1e-14);

    // Newton from 1.5 squares the relative error: 0.19, 0.04, 1e-3, 1e-6, 1e-12, 1e-16, and no end was looked at
    ENSURE(root.iterations <= 6);
    return 0;
}

static int root_reaches_round_off_if_tolerance_is_zero(void)
{
    for (int k = -20; k <= 20; k++)
    {
        double c = pow(10, k);
        twRoot root = tw_root_find(cube_minus, &c, 0, 1e10, 1, 0, 200);
        ENSURE(root.converged);
        ENSURE_NEAR(root.x, cbrt(c), 4 * DBL_EPSILON * cbrt(c));
        ENSURE(root.iterations < 100);
    }
    return 0;
}

static double identity(double x, double* slope, const void* context)
{
    (void)context;
    *slope = 1;
    return x;
}

static int root_at_an_end_is_found(void)
{
    twRoot low = tw_root_find(identity, NULL, 0, 1, 0.5, 0, 20);
    ENSURE(low.converged && low.x == 0 && low.residual == 0);
    twRoot high = tw_root_find(identity, NULL, -1, 0, -1, 0, 20);
    ENSURE(high.converged && high.x == 0);
    twRoot at_once = tw_root_find(identity, NULL, 0, 1, 0, 0, 20);
    ENSURE(at_once.converged && at_once.x == 0 && at_once.iterations == 1);
    return 0;
}

static int guess_outside_the_bracket_starts_in_the_middle(void)
{
    double c = 8;
    ENSURE_NEAR(tw_root_find(cube_minus, &c, 0, 10, 1e9, 1e-12, 60).x, 2, 1e-12);
    ENSURE_NEAR(tw_root_find(cube_minus, &c, 0, 10, -1, 1e-12, 60).x, 2, 1e-12);
    ENSURE_NEAR(tw_root_find(cube_minus, &c, 0, 10, NAN, 1e-12, 60).x, 2, 1e-12);
    return 0;
}

// atan: Newton alone diverges from |x| > 1.39
static double arctangent(double x, double* slope, const void* context)
{
    (void)context;
    *slope = 1 / (1 + x * x);
    return atan(x);
}

static int root_is_found_where_newton_alone_diverges(void)
{
    twRoot root = tw_root_find(arctangent, NULL, -1e6, 1e7, 1e5, 1e-12, 100);
    ENSURE(root.converged);
    ENSURE_NEAR(root.x, 0, 1e-12);
    return 0;
}

// (x - 1)^9: flat at the root, of multiplicity 9
static double ninth_power(double x, double* slope, const void* context)
{
    (void)context;
    *slope = 9 * pow(x - 1, 8);
    return pow(x - 1, 9);
}

static int flat_root_is_found(void)
{
    twRoot root = tw_root_find(ninth_power, NULL, -3, 7, 5, 1e-30, 200);
    ENSURE(root.converged);
    ENSURE(fabs(root.residual) <= 1e-30);
    ENSURE_NEAR(root.x, 1, 1e-3);
    return 0;
}

// exp(50 x) - 1: steep on one side, flat on the other, overflows at the upper end
static double steep(double x, double* slope, const void* context)
{
    (void)context;
    *slope = 50 * exp(50 * x);
    return expm1(50 * x);
}

static int steep_function_that_overflows_has_its_root_found(void)
{
    static const double guesses[] = {-100, -1, -0.1, 0.3, 10, 14, 100};
    for (int i = 0; i < 7; i++)
    {
        twRoot root = tw_root_find(steep, NULL, -100, 100, guesses[i], 1e-13, 200);
        ENSURE(root.converged);
        ENSURE_NEAR(root.x, 0, 1e-14);
    }
    return 0;
}

// a jump from -1 to 1 without a root, like dry friction; the slope tells nothing
static double jump(double x, double* slope, const void* context)
{
    const double* c = context;
    *slope = c[1];
    return x < c[0] ? -1 : 1;
}

static int jump_is_located_to_round_off_whatever_the_slope_says(void)
{
    static const double slopes[] = {0, 1, -1, 1e30, -1e30, 1e-30, INFINITY, NAN};
    static const double places[] = {0.3, -0.7, 0, 1e-12, -1e-100, 1e-300};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 6; k++)
        {
            double c[] = {places[k], slopes[i]};
            twRoot root = tw_root_find(jump, c, -1, 2, 0.9, 1e-9, 200);
            ENSURE(root.converged);
            ENSURE(fabs(root.residual) == 1);

            // zero is found exactly; elsewhere a bracket of the smallest normal number counts as closed
            double tolerance = places[k] == 0 ? 0 : 4 * DBL_EPSILON * fabs(places[k]) + DBL_MIN;
            ENSURE_NEAR(root.x, places[k], tolerance);
        }
    return 0;
}

// -2 - x/10 below 1, then 5 + x: |f| at the lower end -10 is smaller than on either side of the jump
static double uneven_jump(double x, double* slope, const void* context)
{
    (void)context;
    *slope = x < 1 ? -0.1 : 1;
    return x < 1 ? -2 - 0.1 * x : 5 + x;
}

static int closed_bracket_beats_a_smaller_residual_elsewhere(void)
{
    twRoot root = tw_root_find(uneven_jump, NULL, -10, 10, 3, 1e-9, 200);
    ENSURE(root.converged);
    ENSURE_NEAR(root.x, 1, 4 * DBL_EPSILON);
    ENSURE(root.residual < 0);
    return 0;
}

// log(x) - 1 with NaN below 0 and beyond 50
static double logarithm(double x, double* slope, const void* context)
{
    (void)context;
    *slope = 1 / x;
    return x > 50 || x < 0 ? NAN : log(x) - 1;
}

static int nan_is_bisected_away(void)
{
    static const double guesses[] = {1, 20, 45, 60, 99, 1e-300};
    for (int i = 0; i < 6; i++)
    {
        // the upper end has no value at all
        twRoot root = tw_root_find(logarithm, NULL, 0, 100, guesses[i], 1e-14, 200);
        ENSURE(root.converged);
        ENSURE_NEAR(root.x, exp(1), 1e-13);
    }
    return 0;
}

static double nothing(double x, double* slope, const void* context)
{
    (void)x, (void)context;
    *slope = NAN;
    return NAN;
}

static int function_without_values_ends_unconverged(void)
{
    twRoot root = tw_root_find(nothing, NULL, 0, 1, 0.5, 1e-9, 50);
    ENSURE(!root.converged && root.iterations <= 50);
    ENSURE(root.x >= 0 && root.x <= 1);
    return 0;
}

// x^2 + 1 has no root
static double parabola(double x, double* slope, const void* context)
{
    (void)context;
    *slope = 2 * x;
    return x * x + 1;
}

static int function_without_a_root_ends_unconverged_at_its_best_point(void)
{
    twRoot root = tw_root_find(parabola, NULL, -3, 5, 0.01, 1e-9, 100);
    ENSURE(!root.converged);
    ENSURE(root.iterations <= 100);
    ENSURE_NEAR(root.x, 0.01, 0);
    ENSURE_NEAR(root.residual, 1.0001, 1e-15);
    return 0;
}

// counts evaluations on its own
static double counted_jump(double x, double* slope, const void* context)
{
    ++*(int*)(uintptr_t)context;
    *slope = 0;
    return x < 0.3 ? -1 : 1;
}

static int root_finder_never_exceeds_its_evaluations(void)
{
    for (int limit = 0; limit < 12; limit++)
    {
        int count = 0;
        twRoot root = tw_root_find(counted_jump, &count, -1, 1, 0.9, 1e-9, limit);
        ENSURE(count == root.iterations && count <= limit);
        ENSURE(!root.converged);
    }
    return 0;
}

// a sum of powers and exponentials with a jump: a[0] x |x|^p + a[1] sinh(a[2] x) + a[3] sign(x) - a[4], rising
typedef struct Rising
{
    double cubic, hyperbolic, rate, jump, target;
} Rising;

static double rising(double x, double* slope, const void* context)
{
    const Rising* r = context;
    *slope = 3 * r->cubic * x * x + r->hyperbolic * r->rate * cosh(r->rate * x);
    return r->cubic * x * x * x + r->hyperbolic * sinh(r->rate * x) + (x < 0 ? -r->jump : r->jump) - r->target;
}

static int random_rising_functions_never_fail(void)
{
    twRng rng = tw_rng(9);
    for (int i = 0; i < 100000; i++)
    {
        Rising r = {exp(tw_rng_between(&rng, -20, 20)), exp(tw_rng_between(&rng, -20, 20)),
                    exp(tw_rng_between(&rng, -5, 5)), exp(tw_rng_between(&rng, -20, 5)),
                    tw_rng_normal(&rng) * exp(tw_rng_between(&rng, -10, 10))};
        double bound = 1 + cbrt(fabs(r.target) / r.cubic);
        twRoot root = tw_root_find(rising, &r, -bound, bound, tw_rng_between(&rng, -bound, bound), 1e-12, 300);
        ENSURE(root.converged);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(root_of_a_smooth_function_takes_few_evaluations)
    RUN(root_reaches_round_off_if_tolerance_is_zero)
    RUN(root_at_an_end_is_found)
    RUN(guess_outside_the_bracket_starts_in_the_middle)
    RUN(root_is_found_where_newton_alone_diverges)
    RUN(flat_root_is_found)
    RUN(steep_function_that_overflows_has_its_root_found)
    RUN(jump_is_located_to_round_off_whatever_the_slope_says)
    RUN(closed_bracket_beats_a_smaller_residual_elsewhere)
    RUN(nan_is_bisected_away)
    RUN(function_without_values_ends_unconverged)
    RUN(function_without_a_root_ends_unconverged_at_its_best_point)
    RUN(root_finder_never_exceeds_its_evaluations)
    RUN(random_rising_functions_never_fail)
)
