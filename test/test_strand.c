// SPDX-License-Identifier: MIT
#include "dynamics/strand_feature.h"
#include "dynamics/strand_pair.h"
#include "strand.h"
#include "test.h"
#include <stdlib.h>

static int two_rods_that_cross_touch_once(void)
{
    Bench bench = {0};
    // along x at height 1.9 mm above one along y, radius 1 mm each
    const int a = bench_rod(&bench, 9, false, tw_section_circle(0.001)),
              b = bench_rod(&bench, 9, false, tw_section_circle(0.001));
    bench_line(&bench, a, tw_vec3(-0.0381, 0, 0.0019), tw_vec3(0.0401, 0, 0.0019), 0);
    bench_line(&bench, b, tw_vec3(0.0013, -0.039, 0), tw_vec3(0.0013, 0.0402, 0), 0);
    ENSURE(bench_begin(&bench));
    const StrandTouch* t;
    ENSURE(bench_touches(&bench, 1e-5, &t) == 1);
    ENSURE_NEAR(t->gap, -0.0001, 1e-15);
    ENSURE_NEAR(t->normal.z, 1, 1e-12);
    ENSURE_NEAR(t->point.x, 0.0013, 1e-15);
    ENSURE_NEAR(t->point.y, 0, 1e-15);
    ENSURE_NEAR(t->point.z, 0.00095, 1e-15);
    ENSURE_NEAR(t->arm[0].z, -0.00095, 1e-15);
    ENSURE_NEAR(t->arm[1].z, 0.00095, 1e-15);
    ENSURE_NEAR(fabs(t->tangent[0].x), 1, 1e-12);
    bench_end(&bench);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(two_rods_that_cross_touch_once)
)
