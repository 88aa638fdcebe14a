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

// ---- against another method ----

// a straight rod as a convex core: centre, half axes
typedef struct Core
{
    twVec3 centre, half[3];
} Core;

static Core core_of(const Bench* bench, int r)
{
    const BenchRod* rod = &bench->rods[r];
    const StrandPlace* place = &bench->places[r];
    const twVec3 d1 = {place->d1[0][0], place->d1[1][0], place->d1[2][0]},
                 d2 = {place->d2[0][0], place->d2[1][0], place->d2[2][0]};
    const double c = cos(rod->shape->angle[0]), s = sin(rod->shape->angle[0]);
    const twVec3 from = rod->points[0], to = rod->points[rod->count - 1];
    return (Core){tw_vec3_scale(tw_vec3_add(from, to), 0.5),
                  {tw_vec3_scale(tw_vec3_sub(to, from), 0.5),
                   tw_vec3_scale(tw_vec3_add_scaled(tw_vec3_scale(d1, c), d2, s), rod->shape->core[0][0]),
                   tw_vec3_scale(tw_vec3_add_scaled(tw_vec3_scale(d1, -s), d2, c), rod->shape->core[1][0])}};
}

// of two cores, by going down along one of the six coordinates after the other; ends: how near to the ends of the rods
static double core_distance(const Core* a, const Core* b, double* ends)
{
    double u[6] = {0};
    twVec3 w = tw_vec3_sub(a->centre, b->centre);
    for (int round = 0; round < 20000; round++)
    {
        double most = 0;
        for (int k = 0; k < 6; k++)
        {
            const twVec3 h = k < 3 ? a->half[k] : tw_vec3_scale(b->half[k - 3], -1);
            const double square = tw_vec3_dot(h, h);
            if (square == 0) continue;
            const double to = fmax(-1, fmin(1, u[k] - tw_vec3_dot(w, h) / square));
            w = tw_vec3_add_scaled(w, h, to - u[k]);
            most = fmax(most, fabs(to - u[k]));
            u[k] = to;
        }
        if (most < 1e-13) break;
    }
    *ends = 1 - fmax(fabs(u[0]), fabs(u[3]));
    return tw_vec3_norm(w);
}

static twVec3 any_vector(twRng* rng) { return tw_vec3(tw_rng_normal(rng), tw_rng_normal(rng), tw_rng_normal(rng)); }

static twSectionDef any_section(twRng* rng)
{
    const int kind = (int)(3 * tw_rng_uniform(rng));
    return kind == 0   ? tw_section_circle(0.001)
           : kind == 1 ? tw_section_rectangle(0.004, 0.0012)
                       : tw_section_rectangle(0.002, 0.0025);
}

static int the_nearest_touch_is_as_near_as_the_rods(void)
{
    twRng rng = tw_rng(5);
    int tried = 0;
    for (int trial = 0; trial < 2500; trial++)
    {
        Bench bench = {0};
        for (int r = 0; r < 2; r++)
        {
            bench_rod(&bench, 12, false, any_section(&rng));
            const twVec3 middle = tw_vec3_scale(any_vector(&rng), 0.0016);
            const twVec3 half = tw_vec3_scale(tw_vec3_normalize(any_vector(&rng)), 0.03);
            bench_line(&bench, r, tw_vec3_sub(middle, half), tw_vec3_add(middle, half), 3 * tw_rng_uniform(&rng));
        }
        ENSURE(bench_begin(&bench));
        const StrandTouch* t;
        const double reach = 0.0005;
        const int count = bench_touches(&bench, reach, &t);
        const Core a = core_of(&bench, 0), b = core_of(&bench, 1);
        const double radii = bench.shapes[0]->radius[0] + bench.shapes[1]->radius[0];
        double ends, gap = core_distance(&a, &b, &ends) - radii, least = INFINITY;
        // cores that overlap have no distance; ends have edges that are not looked at
        if (gap < 0.9 * reach && gap > -0.5 * radii && ends > 0.1)
        {
            tried++;
            for (int i = 0; i < count; i++) least = fmin(least, t[i].gap);
            ENSURE_NEAR(least, gap, 0.006 * radii);
            ENSURE(least > gap - 1e-9);
        }
        bench_end(&bench);
    }
    ENSURE(tried > 300);
    return 0;
}

// ---- smoothness ----

static int has_id(const uint64_t* ids, int count, uint64_t id)
{
    for (int i = 0; i < count; i++)
        if (ids[i] == id) return 1;
    return 0;
}

static int a_rod_slides_along_a_bent_one_without_a_jump(void)
{
    for (int side = -1; side <= 1; side += 2)
    {
        Bench bench = {0};
        const int a = bench_rod(&bench, 12, false, tw_section_circle(0.001));
        const int b = bench_rod(&bench, 30, false, tw_section_circle(0.001));
        // bent to a circle of 60 mm; the other lies across, outside or inside
        const double radius = 0.06, away = 0.0019;
        for (int i = 0; i < 30; i++)
            bench.rods[b].points[i] = tw_vec3(radius * sin(0.06 * (i - 15)), 0, radius * cos(0.06 * (i - 15)));
        StrandTouch before = {0};
        int changes = 0;
        for (int k = 0; k <= 4000; k++)
        {
            const double angle = -0.5 + 0.00025 * k, r = radius + side * away;
            const twVec3 at = tw_vec3(r * sin(angle), 0, r * cos(angle));
            bench_line(&bench, a, tw_vec3_add(at, tw_vec3(0, -0.02, 0)), tw_vec3_add(at, tw_vec3(0, 0.021, 0)), 0);
            if (k == 0) ENSURE(bench_begin(&bench));
            const StrandTouch* t;
            int cc = bench_touches(&bench, 2e-5, &t);
            if (cc != 1)
            {
                printf("k %d count %d side %d\n", k, cc, side);
                for (int q = 0; q < cc; q++)
                    printf("%d %d %d %g %g gap %g\n", t[q].corner[0], t[q].edge[0], t[q].edge[1], t[q].share[0],
                           t[q].share[1], t[q].gap);
            }
            ENSURE(cc == 1);
            // a circle has the same gap everywhere
            ENSURE_NEAR(t->gap, -0.0001, 1e-6);
            if (k > 0) ENSURE_NEAR(t->gap, before.gap, 1e-7);
            if (k > 0 && t->id != before.id)
            {
                uint64_t ids[8];
                changes++;
                ENSURE(has_id(ids, strand_neighbours(t, bench.shapes, ids), before.id));
            }
            before = *t;
        }
        ENSURE(changes == 16 || changes == 17);
        bench_end(&bench);
    }
    return 0;
}

static double support(const StrandTouch* t, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += t[i].gap < 0 ? pow(-t[i].gap, 1.5) : 0;
    return sum;
}

static int support_is_smooth_from_parallel_to_crossed(void)
{
    Bench bench = {0};
    const int a = bench_rod(&bench, 16, false, tw_section_circle(0.001)),
              b = bench_rod(&bench, 16, false, tw_section_circle(0.001));
    const double depth = 1e-5;
    bench_line(&bench, b, tw_vec3(-0.03, 0, 0), tw_vec3(0.03, 0, 0), 0);
    double before = 0;
    for (int k = 0; k <= 3000; k++)
    {
        const double angle = 1e-4 * k, c = 0.031 * cos(angle), s = 0.031 * sin(angle), z = 0.002 - depth;
        bench_line(&bench, a, tw_vec3(0.0007 - c, -s, z), tw_vec3(0.0007 + c, s, z), 0);
        if (k == 0) ENSURE(bench_begin(&bench));
        const StrandTouch* t;
        const int count = bench_touches(&bench, 1e-6, &t);
        const double sum = support(t, count), one = pow(depth, 1.5);
        ENSURE(sum > 0.99 * one);
        if (k == 0) ENSURE(sum > 14 * one && sum < 32 * one);
        if (k > 0) ENSURE(fabs(sum - before) < 0.1 * one + 0.03 * before);
        before = sum;
    }
    // crossed: one
    ENSURE_NEAR(before / pow(depth, 1.5), 1, 1e-6);
    bench_end(&bench);
    return 0;
}

static int flat_rings_slide_over_each_other_without_a_jump(void)
{
    Bench bench = {0};
    for (int r = 0; r < 2; r++)
    {
        bench_rod(&bench, 48, true, tw_section_rectangle(0.001, 0.003));
        bench.rods[r].upright = true;
    }
    const double depth = 5e-6, one = pow(depth, 1.5);
    double before = 0;
    for (int k = 0; k <= 3000; k++)
    {
        for (int r = 0; r < 2; r++)
            for (int i = 0; i < 48; i++)
            {
                const double angle = 2 * TW_PI * (i + 0.3 * r) / 48, along = 0.001 + 2e-6 * k;
                bench.rods[r].points[i] =
                    tw_vec3(0.03 * cos(angle) + r * along, 0.03 * sin(angle), r * (0.001 - depth));
            }
        if (k == 0) ENSURE(bench_begin(&bench));
        const StrandTouch* t;
        const int count = bench_touches(&bench, 1e-6, &t);
        const double sum = support(t, count);
        ENSURE(sum > 5 * one);
        if (k > 0) ENSURE(fabs(sum - before) < 0.1 * one + 0.005 * before);
        before = sum;
    }
    bench_end(&bench);
    return 0;
}

// ---- itself ----

static int loops_of_a_stacked_helix_touch_at_every_node(void)
{
    static const double per_turn[2] = {24, 23.4};
    for (int flat = 0; flat < 2; flat++)
        for (int k = 0; k < 2; k++)
        {
            Bench bench = {0};
            const int r = bench_rod(&bench, 24 * 6, false,
                                    flat ? tw_section_rectangle(0.0005, 0.0015) : tw_section_circle(0.00025));
            bench_helix(&bench, r, 0.01, 0.000499, per_turn[k]);
            ENSURE(bench_begin(&bench));
            const StrandTouch* t;
            const int count = bench_touches(&bench, 3e-5, &t);
            int above[144] = {0}, below[144] = {0};
            for (int i = 0; i < count; i++)
            {
                ENSURE(fabs(t[i].normal.z) > 0.9);
                if (t[i].corner[1] < 0) continue;
                (t[i].normal.z < 0 ? above : below)[t[i].corner[1]]++;
            }
            // each but the ends has, or is touched by, one above and one below
            for (int i = 26; i < 144 - 28; i++) ENSURE(above[i] == 1 && below[i] == 1);
            bench_end(&bench);
        }
    return 0;
}

static int a_straight_rod_does_not_touch_itself(void)
{
    Bench bench = {0};
    bench_rod(&bench, 200, false, tw_section_circle(0.003));
    bench_line(&bench, 0, tw_vec3(0, 0, 0), tw_vec3(0.1, 0, 0), 0);
    ENSURE(bench_begin(&bench));
    const StrandTouch* t;
    ENSURE(bench_touches(&bench, 1e-3, &t) == 0);
    bench_end(&bench);
    return 0;
}

// ---- memory ----

static void wiggle(Bench* bench, int step)
{
    for (int r = 0; r < bench->count; r++)
        for (int i = 0; i < bench->rods[r].count; i++)
        {
            const double s = 0.4 * i, time = 0.008 * step;
            bench->rods[r].points[i] =
                tw_vec3(0.002 * i - 0.04 + 0.0007 * sin(s + r), 0.002 * sin(1.3 * s + 2.1 * r + time),
                        0.002 * cos(0.9 * s - 1.7 * r + 1.4 * time));
            bench->rods[r].twist[i] = 0.3 * sin(s + time) + r;
        }
}

static int same_touches(const StrandTouch* a, int count_a, const StrandTouch* b, int count_b)
{
    if (count_a != count_b) return 0;
    for (int i = 0; i < count_a; i++)
        if (a[i].id != b[i].id || a[i].gap != b[i].gap || memcmp(&a[i].normal, &b[i].normal, sizeof a[i].normal) != 0)
            return 0;
    return 1;
}

static int what_is_remembered_changes_nothing(void)
{
    Bench bench[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++)
    {
        bench_rod(&bench[k], 40, false, tw_section_circle(0.0008));
        bench_rod(&bench[k], 41, false, tw_section_rectangle(0.002, 0.0006));
        bench_rod(&bench[k], 39, false, tw_section_rectangle(0.001, 0.0012));
        wiggle(&bench[k], 0);
        ENSURE(bench_begin(&bench[k]));
    }
    int most = 0;
    for (int step = 0; step < 600; step++)
    {
        const StrandTouch *a, *b;
        wiggle(&bench[0], step);
        wiggle(&bench[1], step);
        strand_pairs_forget(bench[1].pairs);
        const int count = bench_touches(&bench[0], 1e-4, &a);
        const int again = bench_touches(&bench[1], 1e-4, &b);
        ENSURE(same_touches(a, count, b, again));
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++) ENSURE(a[i].id != a[j].id);
        most = count > most ? count : most;
    }
    ENSURE(most > 20);
    const StrandPairsStats kept = strand_pairs_stats(bench[0].pairs), forgot = strand_pairs_stats(bench[1].pairs);
    ENSURE(kept.refreshes < forgot.refreshes && kept.tests < forgot.tests / 2);
    bench_end(&bench[0]);
    bench_end(&bench[1]);
    return 0;
}

static int a_rod_pressed_into_another_keeps_its_side(void)
{
    static const double thick[3] = {0.002, 0.0012, 0.002};
    for (int kind = 0; kind < 3; kind++)
    {
        Bench bench = {0};
        for (int r = 0; r < 2; r++)
            bench_rod(&bench, 10, false,
                      kind == 0   ? tw_section_circle(0.001)
                      : kind == 1 ? tw_section_rectangle(0.0012, 0.004)
                                  : tw_section_rectangle(0.002, 0.0022));
        bench_line(&bench, 1, tw_vec3(-0.02, 0, 0), tw_vec3(0.021, 0, 0), 0);
        for (int k = 0; k <= 120; k++)
        {
            // to 0.9 of the thickness of one, and for round and flat ones on beyond the centre line
            const double z = thick[kind] * (1.01 - 0.0075 * k);
            if (kind == 2 && z < 0.85 * thick[kind]) break;
            bench_line(&bench, 0, tw_vec3(0.001, -0.022, z), tw_vec3(0.003, 0.02, z), 0);
            if (k == 0) ENSURE(bench_begin(&bench));
            if (k == 100)
            {
                // as it would go on after it was saved
                size_t bytes;
                const void* state = strand_pairs_state(bench.pairs, &bytes);
                StrandPairs* other = strand_pairs_create(bench.shapes, NULL, bench.count);
                ENSURE(other && bytes > 0 && strand_pairs_load(other, state, bytes) &&
                       !strand_pairs_load(other, state, bytes - 1));
                strand_pairs_destroy(bench.pairs);
                bench.pairs = other;
            }
            const StrandTouch* t;
            const int count = bench_touches(&bench, 1e-4, &t);
            ENSURE(count >= (kind == 0 ? 1 : 4));
            for (int i = 0; i < count; i++)
            {
                ENSURE((t[i].rod[0] == 0 ? 1 : -1) * t[i].normal.z > 0.9);
                if (t[i].corner[1] < 0) ENSURE_NEAR(t[i].gap, z - thick[kind], 1e-9);
            }
        }
        bench_end(&bench);
    }
    return 0;
}

// a step that is made again looks ahead first, too far, and has to forget that
static int a_look_that_did_not_count_loses_no_side(void)
{
    static const double thick = 0.002;
    for (int counts = 0; counts < 2; counts++)
    {
        Bench bench = {0};
        for (int r = 0; r < 2; r++) bench_rod(&bench, 10, false, tw_section_circle(0.5 * thick));
        bench_line(&bench, 1, tw_vec3(-0.02, 0, 0), tw_vec3(0.021, 0, 0), 0);
        const double z[] = {0.3 * thick, -2 * thick, -0.1 * thick};
        const StrandTouch* t;
        for (int k = 0; k < 3; k++)
        {
            bench_line(&bench, 0, tw_vec3(0.001, -0.022, z[k]), tw_vec3(0.003, 0.02, z[k]), 0);
            if (k == 0) ENSURE(bench_begin(&bench));
            ENSURE(bench_touches(&bench, 1e-4, &t) == (k == 1 ? 0 : 1));
            if (k == 1 && counts == 0) strand_pairs_back(bench.pairs);
        }
        ENSURE_NEAR((t->rod[0] == 0 ? 1 : -1) * t->normal.z, counts == 0 ? 1 : -1, 1e-9);
        ENSURE_NEAR(t->gap, (counts == 0 ? -1.1 : -0.9) * thick, 1e-9);
        bench_end(&bench);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(two_rods_that_cross_touch_once)
    RUN(the_nearest_touch_is_as_near_as_the_rods)
    RUN(a_rod_slides_along_a_bent_one_without_a_jump)
    RUN(support_is_smooth_from_parallel_to_crossed)
    RUN(flat_rings_slide_over_each_other_without_a_jump)
    RUN(loops_of_a_stacked_helix_touch_at_every_node)
    RUN(a_straight_rod_does_not_touch_itself)
    RUN(what_is_remembered_changes_nothing)
    RUN(a_rod_pressed_into_another_keeps_its_side)
    RUN(a_look_that_did_not_count_loses_no_side)
)
