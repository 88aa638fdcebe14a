// SPDX-License-Identifier: MIT
// Tests of rods that are squeezed until edges turn round: they go on, and their energy stays finite and accounted for.
#include "rod/rod.h"
#include "test.h"
#include "twang/rod.h"

enum
{
    POINTS = 12
};

typedef enum Squeeze
{
    CLAMPED,  // an end is pushed through the other, clamped one, and back
    PINNED,
    SNAPPED,  // stretched to twice its length and let go
    SHEARED,  // the same with shear
    PRESSED,  // pressed at both ends
    RING,     // pressed from two sides
    SQUEEZES
} Squeeze;

// a straight soft strip, or a ring of it
static twRod* strip(Squeeze squeeze, double tolerance)
{
    twVec3 points[POINTS];
    bool ring = squeeze == RING;
    for (int i = 0; i < POINTS; i++)
    {
        double a = 2 * TW_PI * i / POINTS;
        points[i] = ring ? tw_vec3(0.05 * cos(a), 0.05 * sin(a), 0) : tw_vec3(0.3 * i / (POINTS - 1), 0, 0);
    }
    twSection section = {.area = 5e-6, .moment = {4e-13, 1e-11}, .torsion = 1.6e-12, .shear = {5. / 6, 5. / 6}};
    twRodSupport ends[2] = {{.kind = squeeze == PINNED ? TW_ROD_PINNED : TW_ROD_CLAMPED, .point = 0},
                            {.kind = TW_ROD_PINNED, .point = POINTS - 1}};
    twRodDef def = tw_rod_def();
    def.point_count = POINTS, def.points = points, def.closed = ring;
    def.section_count = 1, def.sections = &section;
    def.young = 1e6, def.poisson = 0.45, def.density = 1100, def.alpha = 2, def.beta = 1e-5;
    def.account = true, def.shear = squeeze == SHEARED;
    if (tolerance > 0) def.tolerance = tolerance;
    def.supports = ends, def.support_count = squeeze <= PINNED ? 2 : squeeze <= SHEARED ? 1 : 0;
    def.stretch = squeeze == SNAPPED || squeeze == SHEARED ? 2 : 1;
    twRod* rod = NULL;
    return tw_rod_create(&rod, &def, NULL) == TW_OK ? rod : NULL;
}

// what step k does to it
static void act(twRod* rod, Squeeze squeeze, int k)
{
    double there = fmin(1, k / 2000.), back = fmax(0, fmin(1, (k - 3000) / 2000.));
    if (squeeze <= PINNED && k < 5100)
        tw_rod_move(rod, 1, tw_vec3(0.3 - 0.31 * (there - back), 0, 0), tw_quat_identity());
    if (squeeze == PRESSED && k < 300)
    {
        tw_rod_push(rod, 0, tw_vec3(30, 0, 0));
        tw_rod_push(rod, POINTS - 1, tw_vec3(-30, 0, 0));
    }
    if (squeeze == RING && k < 300)
    {
        tw_rod_push(rod, 0, tw_vec3(-30, 0, 0));
        tw_rod_push(rod, POINTS / 2, tw_vec3(30, 0, 0));
    }
}

static bool is_finite(const twRodEnergy* e)
{
    return isfinite(tw_rod_total(e)) && isfinite(e->work) && isfinite(e->dissipated);
}

static int squeezed_rods_go_on_with_finite_energy(void)
{
    for (int i = 0; i < 2 * SQUEEZES; i++)
    {
        const int squeeze = i / 2;
        const bool fine = i % 2;  // well solved, or with the default tolerance
        twRod* rod = strip((Squeeze)squeeze, fine ? 1e-3 : 0);
        ENSURE(rod);
        twRodEnergy first = tw_rod_energy(rod), e = first;
        double turnover = tw_rod_total(&first);
        for (int k = 0; k < 8820; k++)
        {
            act(rod, (Squeeze)squeeze, k);
            double before = e.work;
            tw_rod_step(rod);
            e = tw_rod_energy(rod);
            ENSURE(is_finite(&e));
            turnover += fabs(e.work - before);
        }
        // stopped now and then, not for good
        int64_t stops = tw_rod_stats(rod).stops;
        for (int k = 0; k < 441; k++) tw_rod_step(rod);
        if (stops > 20) printf("%d: %d stops\n", squeeze, (int)stops);
        ENSURE(stops <= 20 && tw_rod_stats(rod).stops == stops);
        e = tw_rod_energy(rod);
        // it still moves, as free rods do
        ENSURE(e.kinetic > 0);
        // what is not accounted for is what a step through a fold did
        double error = tw_rod_total(&e) + e.dissipated - e.work - tw_rod_total(&first);
        ENSURE(error < 0.02 * turnover);
        if (fine) ENSURE_NEAR(error / turnover, 0, 0.02);
        tw_rod_destroy(rod);
    }
    return 0;
}

// a rod that cannot go on loses its motion, which counts as dissipated
static int what_a_stop_takes_is_dissipated(void)
{
    twRod* rod = strip(SNAPPED, 0);
    ENSURE(rod);
    int64_t stops = 0;
    double lost = 0, most = 0;
    twRodEnergy first = tw_rod_energy(rod), e = first;
    for (int k = 0; k < 2000; k++)
    {
        double before = e.dissipated;
        tw_rod_step(rod);
        e = tw_rod_energy(rod);
        if (tw_rod_stats(rod).stops > stops) lost += e.dissipated - before;
        stops = tw_rod_stats(rod).stops;
        most = fmax(most, fabs(tw_rod_total(&e) + e.dissipated - tw_rod_total(&first)));
    }
    ENSURE(stops > 0 && lost > 0.1 * tw_rod_total(&first));
    ENSURE(most < 0.02 * tw_rod_total(&first));
    tw_rod_destroy(rod);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(squeezed_rods_go_on_with_finite_energy)
    RUN(what_a_stop_takes_is_dissipated)
)
