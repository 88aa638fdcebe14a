// SPDX-License-Identifier: MIT
// Methods and kernels of the solver against one another, and their factors.
#include "dynamics/solver.h"
#include "group.h"
#include "table.h"
#include "test.h"

// ---- one method against another ----

// where a thrown block comes to rest on the floor
static double thrown(SolveMethod method, double stiffness)
{
    SolveOptions options = solve_options(method);
    Rig* r = block_on_slope(&options, 0, 1e-4);
    r->law.impact.stiffness = stiffness;
    r->law.friction.stiffness = 1e-2 * stiffness;
    r->law.impact.dissipation = 0;
    r->v[0] = 1;
    for (int i = 0; i < 2500; i++) rig_step(r);
    double place = r->q[0];
    rig_destroy(r);
    return place;
}

static int compliant_contact_tends_to_the_hard_one(void)
{
    double hard = thrown(SOLVE_HARD, 1e8), last = 1, staggered = thrown(SOLVE_STAGGERED, 1e8);
    ENSURE_NEAR(staggered, hard, 1e-6);
    for (double k = 1e6; k <= 1e10; k *= 100)
    {
        double off = fabs(thrown(SOLVE_NEWTON, k) - hard);
        ENSURE(off < last);
        last = off;
    }
    ENSURE(last < 1e-4);
    return 0;
}

// hard methods agree on a problem with many contacts, and so do ways to factor
static int methods_and_kernels_agree_on_the_motion(void)
{
    double v[4][66 + 24];
    for (int way = 0; way < 4; way++)
    {
        SolveOptions options = solve_options(way < 2 ? SOLVE_NEWTON : way == 2 ? SOLVE_HARD : SOLVE_STAGGERED);
        options.restitution = false;
        if (way == 1) options.instructions = "generic";
        if (way > 1) options.tolerance = 1e-10;
        Rig* r = rig_table(&options, 24, 60, 1e-4);
        // later steps amplify what rounding there is
        for (int i = 0; i < (way < 2 ? 10 : 1); i++) rig_step(r);
        memcpy(v[way], r->v, sizeof v[way]);
        rig_destroy(r);
    }
    double newtons = 0, hards = 0, size = 0;
    for (int i = 0; i < 66 + 24; i++)
    {
        newtons = fmax(newtons, fabs(v[0][i] - v[1][i]));
        hards = fmax(hards, fabs(v[2][i] - v[3][i]));
        size = fmax(size, fabs(v[0][i]));
    }
    ENSURE(newtons <= 1e-9 * size);
    ENSURE(hards <= 1e-6 * size);
    return 0;
}

// ---- factors ----

static int block_factors_solve_the_whole_matrix(void)
{
    static const int first[] = {0, 6, 19, 25, 25, 31}, size[] = {6, 13, 6, 0, 6, 9};
    static const int pairs[][2] = {{0, 1}, {1, 2}, {2, 4}, {4, 0}, {5, 1}, {-1, 2}, {3, 1}};
    enum
    {
        N = 40
    };
    static const char* names[] = {"generic", NULL};
    for (int k = 0; k < 2; k++)
    {
        twRng rng = tw_rng(10);
        BlockFactor f = {.kernel = tw_block_kernel(names[k])};
        ENSURE(block_plan(&f, 6, first, size, pairs, 7));
        block_clear(&f);
        double whole[N][N] = {{0}}, x[N], y[N], check[N];
        for (int i = 0; i < 6; i++)
            for (int p = -1; p < 7; p++)
                for (int turn = 0; turn < 2; turn++)
                {
                    if (p >= 0 && (pairs[p][0] < 0 || pairs[p][turn] != i)) continue;
                    int j = p < 0 ? i : pairs[p][1 - turn];
                    if (p < 0 && turn) continue;
                    double* block = block_at(&f, i, j);
                    for (int r = 0; r < size[i]; r++)
                        for (int c = 0; c < size[j]; c++)
                            whole[first[i] + r][first[j] + c] = block[r * size[j] + c] =
                                tw_rng_normal(&rng) + (i == j && r == c ? 12 : 0);
                }
        for (int i = 0; i < N; i++) x[i] = tw_rng_normal(&rng);
        memcpy(y, x, sizeof y);
        ENSURE(block_factor(&f));
        block_solve(&f, y);
        for (int i = 0; i < N; i++)
        {
            check[i] = 0;
            for (int j = 0; j < N; j++) check[i] += whole[i][j] * y[j];
            ENSURE_NEAR(check[i], x[i], 1e-12);
        }
        block_free(&f);
    }
    return 0;
}

static int factors_by_bodies_and_by_contacts_are_the_same(void)
{
    SolveOptions options = newton();
    Rig* r = rig_table(&options, 40, 20, 1e-4);
    for (int i = 0; i < 30; i++) rig_step(r);
    twRng rng = tw_rng(11);
    double g[66 + 40], dy[2][66 + 40];
    for (int i = 0; i < 66 + 40; i++) g[i] = tw_rng_normal(&rng);
    ENSURE(matrix_factor(r->solver, 1.3, false) && r->solver->by_contacts && r->solver->active_count > 4);
    matrix_solve(r->solver, g, dy[0]);
    ENSURE(matrix_factor(r->solver, 1.3, true) && !r->solver->by_contacts);
    matrix_solve(r->solver, g, dy[1]);
    for (int i = 0; i < 66 + 40; i++) ENSURE_NEAR(dy[0][i], dy[1][i], 1e-9);
    rig_destroy(r);
    return 0;
}

// spreading the impulses of a slab evenly changes no motion, and leaves less noise
static int redistribution_keeps_the_motion_and_calms_impulses(void)
{
    double jitter[2], place[2];
    for (int spread = 0; spread < 2; spread++)
    {
        SolveOptions options = solve_options(SOLVE_STAGGERED);
        options.redistribute = spread;
        Rig* r = rig_create(3e-5, &options, 1, 40, 6, 40 * 18);
        int slab = rig_box(r, tw_vec3(0, 0, 0.01), 1.5, tw_vec3(0.4, 0.25, 0.02));
        for (int i = 0; i < 40; i++)
            rig_contact(r, slab, -1, tw_vec3(-0.2 + 0.4 * (i % 8) / 7, -0.125 + 0.25 * (i / 8) / 4, 0),
                        tw_vec3(0, 0, 1), -1e-9, NULL, NULL);
        rig_gravity(r, tw_vec3(0, 0, -9.81));
        twRng rng = tw_rng(9);
        double last[40] = {0}, square = 0;
        for (int i = 0; i < 100; i++)
        {
            for (int q = 0; q < 6; q++) r->push[q] = (q == 2 ? -9.81 : 0) + 9.81e-3 * tw_rng_normal(&rng);
            rig_step(r);
            double force[6] = {0};
            for (int c = 0; c < 40; c++)
            {
                const double* p = r->impulse + 3 * c;
                if (i > 0) square += pow(p[0] - last[c], 2);
                last[c] = p[0];
                ENSURE(p[0] >= -1e-18 && sqrt(p[1] * p[1] + p[2] * p[2]) <= 0.5 * p[0] * (1 + 1e-6) + 1e-18);
                for (int j = 0; j < 6; j++)
                    for (int q = 0; q < 3; q++) force[j] += r->contacts[c].row[0][6 * q + j] * p[q];
            }
            // impulses explain the motion
            for (int j = 0; j < 6; j++)
                ENSURE_NEAR(force[j], r->mass[j] * (r->v[j] - r->free[j]), 1e-9 * 1.5 * 9.81 * 3e-5);
        }
        jitter[spread] = sqrt(square);
        place[spread] = r->q[2];
        rig_destroy(r);
    }
    ENSURE_NEAR(place[1], place[0], 1e-12);
    ENSURE(jitter[1] < 0.5 * jitter[0]);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(compliant_contact_tends_to_the_hard_one)
    RUN(methods_and_kernels_agree_on_the_motion)
    RUN(block_factors_solve_the_whole_matrix)
    RUN(factors_by_bodies_and_by_contacts_are_the_same)
    RUN(redistribution_keeps_the_motion_and_calms_impulses)
)
