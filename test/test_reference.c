// SPDX-License-Identifier: MIT
// Bodies whose frequencies are known, at the resolution and accuracy that come by default: solid ones within 0.1 %, thin ones
// within 0.3 %, pairs split by less than 0.05 %, errors below twice their estimate.
//
// Plates and rings are compared with thin-body theory, so they are thin enough that it holds to a fraction of that.

#define _XOPEN_SOURCE 700  // scratch.h
#include "scratch.h"
#include "test.h"
#include "twang/bake.h"
#include <math.h>

#define SOLID 1e-3
#define THIN 3e-3
#define SPLIT 5e-4

static twModeSet* bake(const char* body, double poisson, double accuracy, twBakeReport* report)
{
    twError err = {0};
    twModeSet* set;
    twBakeDef def = tw_bake_def();
    def.source = body;
    def.material.young = 2e11;
    def.material.density = 7850;
    def.material.poisson = poisson;
    def.count = 10;
    def.accuracy = accuracy;
    if (accuracy > 0) def.budget = 120;
    if (tw_bake(&set, &def, report, &err) != TW_OK) printf("%s\n", err.text);
    return set;
}

// is there a mode within the tolerance of f?
static bool has(const twModeSet* set, double f, double tolerance)
{
    double nearest = INFINITY;
    for (int k = 0; k < set->mode_count; k++) nearest = fmin(nearest, fabs(set->freq_hz[k] / f - 1));
    if (nearest > tolerance)
        printf("nothing within %.2f %% of %.2f Hz; the nearest is %.3f %% off\n", 100 * tolerance, f, 100 * nearest);
    return nearest <= tolerance;
}

// modes from..from+count-1 all within the tolerance of f, and of each other
static bool group(const twModeSet* set, int from, int count, double f, double tolerance)
{
    double low = INFINITY, high = 0;
    for (int k = from; k < from + count; k++) low = fmin(low, set->freq_hz[k]), high = fmax(high, set->freq_hz[k]);
    bool good = low > f * (1 - tolerance) && high < f * (1 + tolerance) && high / low - 1 < SPLIT;
    if (!good) printf("modes %d to %d: %.3f to %.3f Hz, should be %.3f\n", from + 1, from + count, low, high, f);
    return good;
}

static int a_ball_has_lambs_frequencies(void)
{
    // torsional and spheroidal, degree 2: f = eta c / 2 pi R
    twBakeReport report;
    twModeSet* set = bake("sphere:0.045", 0.29, 0, &report);
    double shear = sqrt(2e11 / (2 * 1.29 * 7850));
    ENSURE(set && set->rigid_modes == 6);
    ENSURE(group(set, 0, 5, 2.50113 * shear / (2 * TW_PI * 0.045), SOLID));
    ENSURE(group(set, 5, 5, 2.64501 * shear / (2 * TW_PI * 0.045), SOLID));
    ENSURE(fabs(set->freq_hz[0] / (2.50113 * shear / (2 * TW_PI * 0.045)) - 1) < 2 * report.error_estimate);
    tw_mode_set_destroy(set);
    return 0;
}

// determinant of a free beam with shear and rotary inertia, for the frequency w; odd or even motion about its middle
static double timoshenko(double w, double length, double side, bool odd)
{
    const double e = 2e11, nu = 0.29, rho = 7850, g = e / (2 * (1 + nu)), area = side * side,
                 inertia = area * area / 12;
    const double shear = 5 * (1 + nu) / (6 + 5 * nu);

    // k^2 of the two waves: EI k^4 - ... , the first runs, the second decays
    const double a = e * inertia, b = rho * inertia * w * w * (1 + e / (shear * g)),
                 c = rho * area * w * w * (rho * inertia * w * w / (shear * g * area) - 1);
    const double root = sqrt(b * b - 4 * a * c), k = sqrt((b + root) / (2 * a)), d = sqrt((root - b) / (2 * a)),
                 h = length / 2;

    // slope p = s y' of each wave; moment p' and shear y' - p vanish at the end
    const double mass = rho * w * w / (shear * g), sk = k - mass / k, sd = d + mass / d;
    if (odd) return k * sk * sin(k * h) * (d - sd) * cosh(d * h) + d * sd * sinh(d * h) * (k - sk) * cos(k * h);
    return k * sk * cos(k * h) * (d - sd) * sinh(d * h) + d * sd * cosh(d * h) * (sk - k) * sin(k * h);
}

static double beam_frequency(double length, double side, int n)
{
    // Euler and Bernoulli's is above it
    const double thin = pow((n + 0.5) * TW_PI, 2) * sqrt(2e11 / 7850) * side / (sqrt(12) * length * length);
    double high = 1.01 * thin, low = 0.9 * thin;
    bool odd = n % 2 == 0;
    double start = timoshenko(low, length, side, odd);
    for (int i = 0; i < 60; i++)
    {
        const double w = 0.5 * (low + high);
        if (timoshenko(w, length, side, odd) * start > 0)
            low = w;
        else
            high = w;
    }
    return low / (2 * TW_PI);
}

static int a_bar_bends_twists_and_stretches_as_theory_says(void)
{
    const double length = 0.4, side = 0.016, speed = sqrt(2e11 / 7850);
    twModeSet* set = bake("bar:0.4x0.016x0.016", 0.29, 0, NULL);
    ENSURE(set && set->rigid_modes == 6);
    for (int n = 1; n <= 3; n++)
    {
        int k = 0;
        while (k < 9 && fabs(set->freq_hz[k] / beam_frequency(length, side, n) - 1) > 0.02) k++;
        ENSURE(group(set, k, 2, beam_frequency(length, side, n), SOLID));
    }
    const double twist = sqrt(0.140577 * 6 / (2 * 1.29)) * speed / (2 * length);
    const double love = 1 - pow(TW_PI * 0.29 * side / length, 2) / 12;
    ENSURE(has(set, twist, SOLID) && has(set, love * speed / (2 * length), SOLID));
    tw_mode_set_destroy(set);
    return 0;
}

static int a_square_plate_has_the_ritz_values(void)
{
    const double lambda[10] = {13.4682, 19.5961, 24.2702, 34.8009, 34.8009,
                               61.0932, 61.0932, 63.6861, 69.2654, 77.1717};
    const double stiff = sqrt(2e11 * 1e-6 / (12 * (1 - 0.09) * 7850)) / (2 * TW_PI * 0.04);
    twModeSet* set = bake("plate:0.2x0.2x0.001", 0.3, 0, NULL);
    ENSURE(set && set->rigid_modes == 6);
    for (int k = 0; k < 10; k++)
    {
        const bool pair = k + 1 < 10 && lambda[k] == lambda[k + 1];
        ENSURE(group(set, k, pair ? 2 : 1, lambda[k] * stiff, THIN));
        k += pair;
    }
    tw_mode_set_destroy(set);
    return 0;
}

static int a_round_plate_has_the_bessel_values(void)
{
    // (2,0) (0,1) (3,0) (1,1) (4,0) and one of (5,0)
    const double lambda[6] = {5.3583, 9.0031, 12.4390, 20.4746, 21.8352, 33.4949};
    const int from[6] = {0, 2, 3, 5, 7, 9}, count[6] = {2, 1, 2, 2, 2, 1};
    const double stiff = sqrt(2e11 * 1e-6 / (12 * (1 - 0.09) * 7850)) / (2 * TW_PI * 0.01);
    twModeSet* set = bake("disc:0.1x0.001", 0.3, 0, NULL);
    ENSURE(set && set->rigid_modes == 6);
    for (int i = 0; i < 6; i++) ENSURE(group(set, from[i], count[i], lambda[i] * stiff, THIN));
    tw_mode_set_destroy(set);
    return 0;
}

static int a_ring_has_the_frequencies_of_the_annulus(void)
{
    // in plane, n = 2 and 3, by the exact plane-stress annulus of h/R = 0.05; the ring is no wider than thick
    const double exact[2] = {0.99882, 0.99682}, speed = sqrt(2e11 / 7850);
    twModeSet* set = bake("ring:0.05x0.0025x0.0025", 0.3, 0, NULL);
    ENSURE(set && set->rigid_modes == 6);
    for (int n = 2; n <= 3; n++)
    {
        const double w = speed * 0.0025 / (sqrt(12) * 0.0025) * n * (n * n - 1) / sqrt(n * n + 1);
        ENSURE(has(set, exact[n - 2] * w / (2 * TW_PI), THIN));
    }
    for (int k = 0; k < 10; k += 2) ENSURE(set->freq_hz[k + 1] / set->freq_hz[k] - 1 < SPLIT);
    tw_mode_set_destroy(set);
    return 0;
}

static int a_clamped_bar_is_a_cantilever(void)
{
    twError err = {0};
    twModeSet* set;
    twBakeDef def = tw_bake_def();
    twPart end;
    ENSURE(tw_part_parse(&end, "x<-0.1999", &err) == TW_OK);
    def.source = "bar:0.4x0.004x0.004";
    def.count = 6;
    def.hold_count = 1;
    def.holds = &end;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_OK && set->rigid_modes == 0);
    const double b[3] = {1.87510407, 4.69409113, 7.85475744};
    const double unit = sqrt(2e11 / 7850) * 0.004 / (sqrt(12) * 2 * TW_PI * 0.16);
    for (int n = 0; n < 3; n++) ENSURE(group(set, 2 * n, 2, b[n] * b[n] * unit, THIN));
    tw_mode_set_destroy(set);
    return 0;
}

// edges of a held face are singular: frequencies from a mesh of 198,505 nodes, whose own errors are 0.01 %
static int a_short_bar_held_at_an_end_is_accurate(void)
{
    const double fine[] = {2318.092, 2318.092, 7249.589, 11029.938, 11029.938, 12706.176, 21738.346, 24563.614};
    const double accuracy[] = {0, 5e-3, 2e-2};
    for (int i = 0; i < 3; i++)
    {
        twError err = {0};
        twBakeReport report;
        twModeSet* set;
        twBakeDef def = tw_bake_def();
        twPart end;
        ENSURE(tw_part_parse(&end, "x<-0.05", &err) == TW_OK);
        def.source = "box:0.1x0.03x0.03";
        def.count = 8;
        def.accuracy = accuracy[i];
        def.hold_count = 1;
        def.holds = &end;
        ENSURE(tw_bake(&set, &def, &report, &err) == TW_OK);
        for (int k = 0; k < 8; k++)
        {
            const double error = fabs(set->freq_hz[k] / fine[k] - 1);
            ENSURE(error < 2 * report.error_estimate && error < (i == 0 ? SOLID : 2 * accuracy[i]));
        }
        tw_mode_set_destroy(set);
    }
    return 0;
}

static bool save_surface(const char* body, const char* path)
{
    twShape* shape;
    twMesh* surface = NULL;
    if (tw_shape_parse(&shape, body, NULL) != TW_OK) return false;
    twStatus status = tw_shape_surface(&surface, shape, 1, NULL);
    if (status == TW_OK) status = tw_mesh_save(surface, path, NULL);
    tw_mesh_destroy(surface);
    tw_shape_destroy(shape);
    return status == TW_OK;
}

static int a_surface_is_filled_as_finely_as_it_needs(void)
{
    const char* const bodies[] = {"box:0.1x0.08x0.06", "box:0.1x0.03x0.03"};
    for (int i = 0; i < 2; i++)
    {
        twBakeReport report;
        const char* path = in_folder("box.obj");
        ENSURE(save_surface(bodies[i], path));
        twModeSet *filled = bake(path, 0.29, 0, &report), *shape = bake(bodies[i], 0.29, 3e-4, NULL);
        ENSURE(filled && shape);
        for (int k = 0; k < 10; k++)
        {
            const double error = fabs(filled->freq_hz[k] / shape->freq_hz[k] - 1);
            ENSURE(error < 2 * report.error_estimate && error < SOLID);
        }
        tw_mode_set_destroy(filled);
        tw_mode_set_destroy(shape);
    }
    return 0;
}

static int a_fork_sounds_like_two_clamped_beams(void)
{
    // a prong ends somewhere in the bend: clamped at its lowest point it is a little too long
    const double radius = 0.006, length = 0.0772 + 0.5 * TW_PI * radius;
    const double beam = pow(1.87510407, 2) * sqrt(2e11 / 7850) * 0.004 / (sqrt(12) * 2 * TW_PI * length * length);
    twModeSet* set = bake("fork:0.0772x0.006x0.004", 0.29, 5e-3, NULL);
    ENSURE(set && set->rigid_modes == 6);
    ENSURE(has(set, beam, 0.02));
    tw_mode_set_destroy(set);
    return 0;
}

static int errors_are_below_twice_their_estimate(void)
{
    const char* const bodies[] = {"box:0.1x0.08x0.06", "cylinder:0.02x0.1", "bar:0.3048x0.0254x0.0127",
                                  "ring:0.05x0.01x0.004", "slab:0.6x0.4x0.03"};
    for (int i = 0; i < 5; i++)
    {
        twBakeReport rough, fine;
        twModeSet *a = bake(bodies[i], 0.29, 2e-2, &rough), *b = bake(bodies[i], 0.29, 5e-4, &fine);
        ENSURE(a && b && fine.error_estimate < rough.error_estimate);
        for (int k = 0; k < 10; k++)
        {
            const double error = fabs(a->freq_hz[k] / b->freq_hz[k] - 1);
            if (!(error < 2 * rough.error_estimate))
                printf("%s, mode %d: off by %g, estimate %g\n", bodies[i], k + 1, error, rough.error_estimate);
            ENSURE(error < 2 * rough.error_estimate);
        }
        tw_mode_set_destroy(a);
        tw_mode_set_destroy(b);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_ball_has_lambs_frequencies)
    RUN(a_bar_bends_twists_and_stretches_as_theory_says)
    RUN(a_square_plate_has_the_ritz_values)
    RUN(a_round_plate_has_the_bessel_values)
    RUN(a_ring_has_the_frequencies_of_the_annulus)
    RUN(a_clamped_bar_is_a_cantilever)
    RUN(a_short_bar_held_at_an_end_is_accurate)
    RUN(a_surface_is_filled_as_finely_as_it_needs)
    RUN(a_fork_sounds_like_two_clamped_beams)
    RUN(errors_are_below_twice_their_estimate)
)
