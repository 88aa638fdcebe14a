// SPDX-License-Identifier: MIT
// The impulses of contacts against closed forms, Coulomb's law and energy.
#include "stage.h"

// ---- problems ----

enum
{
    MOST = 64,
    SIZE = 3 * MOST
};

typedef struct Problem
{
    int count;
    double a[SIZE * SIZE], b[SIZE], p[SIZE], soft[MOST];
    StageContact contacts[MOST];
} Problem;

static Problem* problem(int count, double friction)
{
    static Problem x;
    x = (Problem){.count = count};
    for (int i = 0; i < count; i++) x.contacts[i].friction = friction;
    return &x;
}

static double* at(Problem* x, int i, int k) { return x->a + i * 3 * x->count + k; }

static int solve(Problem* x) { return cone_solve(x->p, x->a, x->b, x->soft, x->contacts, x->count); }

// J J^T of rows of normal numbers, with so many degrees of freedom; b of them too, so that it is the velocity of something
static void make_random(Problem* x, int freedom, twRng* rng)
{
    static double rows[SIZE][SIZE];
    double v[SIZE];
    int n = 3 * x->count;
    for (int i = 0; i < freedom; i++) v[i] = tw_rng_normal(rng);
    for (int i = 0; i < n; i++)
    {
        x->b[i] = 0;
        for (int k = 0; k < freedom; k++)
        {
            rows[i][k] = tw_rng_normal(rng);
            x->b[i] += rows[i][k] * v[k];
        }
    }
    for (int i = 0; i < n * n; i++)
    {
        double sum = 0;
        for (int k = 0; k < freedom; k++) sum += rows[i / n][k] * rows[i % n][k];
        x->a[i] = sum;
    }
}

static void ways(const Problem* x, double* way)
{
    int n = 3 * x->count;
    for (int i = 0; i < n; i++)
    {
        way[i] = x->b[i];
        for (int k = 0; k < n; k++) way[i] += x->a[i * n + k] * x->p[k];
    }
}

// p.(b + A p/2)
static double work(const Problem* x, const double* way)
{
    double sum = 0;
    for (int i = 0; i < 3 * x->count; i++) sum += 0.5 * x->p[i] * (x->b[i] + way[i]);
    return sum;
}

static double size_of(const double* x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

// by how much Coulomb's law is broken, of the sizes of ways and impulses
static double broken(const Problem* x)
{
    double way[SIZE], worst = 0, scale = size_of(x->b, 3 * x->count), most = size_of(x->p, 3 * x->count) + 1e-300;
    ways(x, way);
    for (int i = 0; i < x->count; i++)
    {
        const double *p = x->p + 3 * i, *u = way + 3 * i;
        double n = u[0] + x->soft[i] * p[0], limit = x->contacts[i].friction * p[0], t = hypot(p[1], p[2]);
        worst = fmax(worst, -n / scale);
        worst = fmax(worst, fmax(-p[0], t - limit) / most);
        worst = fmax(worst, fabs(p[0] * n) / (scale * most));
        // sliding takes the most it can: p_t.u_t = -mu p_n |u_t|
        worst = fmax(worst, fabs(p[1] * u[1] + p[2] * u[2] + limit * hypot(u[1], u[2])) / (scale * most));
    }
    return worst;
}

// ---- closed forms ----

static int point_mass_stops_sticks_and_slides_as_it_should(void)
{
    // 2 kg at (-3 down, 1 along): stops if mu > 1/3, else keeps 1 - 3 mu along
    for (int i = 0; i < 3; i++)
    {
        const double mu[3] = {0, 0.2, 0.5};
        Problem* x = problem(1, mu[i]);
        for (int k = 0; k < 3; k++) *at(x, k, k) = 0.5;
        x->b[0] = -3, x->b[1] = 0.6, x->b[2] = 0.8;
        solve(x);
        double speed = fmax(1 - 3 * mu[i], 0);
        ENSURE_NEAR(x->p[0], 6, 1e-12);
        ENSURE_NEAR(x->p[1], -2 * 0.6 * (1 - speed), 1e-12);
        ENSURE_NEAR(x->p[2], -2 * 0.8 * (1 - speed), 1e-12);
    }
    return 0;
}

static int contact_that_opens_gets_nothing(void)
{
    Problem* x = problem(1, 0.5);
    for (int k = 0; k < 3; k++) *at(x, k, k) = 1;
    x->b[0] = 1e-3, x->b[1] = 5;
    x->p[0] = 7, x->p[1] = 3;
    solve(x);
    ENSURE(x->p[0] == 0 && x->p[1] == 0 && x->p[2] == 0);
    return 0;
}

static int soft_contact_gives_way_by_its_compliance(void)
{
    // w p + b + soft p = 0
    Problem* x = problem(1, 0);
    for (int k = 0; k < 3; k++) *at(x, k, k) = 2;
    x->b[0] = -6;
    x->soft[0] = 1;
    solve(x);
    ENSURE_NEAR(x->p[0], 2, 1e-12);
    x->p[0] = 100;
    solve(x);
    ENSURE_NEAR(x->p[0], 2, 1e-12);
    return 0;
}

// point masses on a line, the lowest on the ground: contact i is between i and i - 1
static void make_stack(Problem* x, const double* mass)
{
    for (int i = 0; i < x->count; i++)
    {
        for (int d = 0; d < 3; d++)
        {
            *at(x, 3 * i + d, 3 * i + d) = 1 / mass[i] + (i > 0 ? 1 / mass[i - 1] : 0);
            if (i > 0) *at(x, 3 * i + d, 3 * i - 3 + d) = *at(x, 3 * i - 3 + d, 3 * i + d) = -1 / mass[i - 1];
        }
        x->b[3 * i] = i == 0 ? -9.81e-3 : 0;
    }
}

static int stack_carries_the_weight_above_each_contact(void)
{
    Problem* x = problem(10, 0);
    double mass[10], above = 0;
    for (int i = 0; i < 10; i++) mass[i] = 1 + 0.3 * i;
    make_stack(x, mass);
    int sweeps = solve(x);
    printf("   %d sweeps\n", sweeps);
    ENSURE(sweeps < 60);
    for (int i = 9; i >= 0; i--)
    {
        above += mass[i];
        ENSURE_NEAR(x->p[3 * i], 9.81e-3 * above, 1e-7 * above);
    }
    // the guess of the step before needs no work
    ENSURE(solve(x) <= 2);
    return 0;
}

static int a_million_times_the_mass_on_top_is_carried(void)
{
    Problem* x = problem(3, 0.5);
    const double mass[3] = {1e-3, 1, 1e3};
    make_stack(x, mass);
    int sweeps = solve(x);
    ENSURE_NEAR(x->p[6], 9.81, 1e-5 * 9.81);
    ENSURE_NEAR(x->p[0], 9.81e-3 * 1001.001, 1e-5 * 9.81);
    printf("   %d sweeps\n", sweeps);
    return 0;
}

// ---- Coulomb's law ----

static int random_contacts_obey_complementarity(void)
{
    twRng rng = tw_rng(11);
    double worst = 0;
    int most = 0;
    for (int i = 0; i < 300; i++)
    {
        Problem* x = problem(1 + i % 12, i % 3 == 0 ? 0 : 0.3 * (i % 3));
        make_random(x, 3 * x->count + 3, &rng);
        int sweeps = solve(x);
        if (sweeps > most) most = sweeps;
        worst = fmax(worst, broken(x));
    }
    printf("   %d sweeps at most, law broken by %.2g\n", most, worst);
    ENSURE(worst < 1e-6);
    return 0;
}

static int more_contacts_than_freedom_obey_the_law_too(void)
{
    // 40 touches of one rigid body: rank 6
    twRng rng = tw_rng(12);
    double worst = 0;
    int most = 0;
    for (int i = 0; i < 40; i++)
    {
        Problem* x = problem(40, i % 2 == 0 ? 0 : 0.3);
        make_random(x, 6, &rng);
        int sweeps = solve(x);
        if (sweeps > most) most = sweeps;
        worst = fmax(worst, broken(x));
    }
    printf("   %d sweeps at most, law broken by %.2g\n", most, worst);
    ENSURE(worst < 1e-4);
    return 0;
}

static int two_contacts_at_the_same_place_share(void)
{
    Problem* x = problem(2, 0.5);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) *at(x, i, k) = i % 3 == k % 3 ? 1 : 0;
    for (int i = 0; i < 2; i++) x->b[3 * i] = -1, x->b[3 * i + 1] = 0.2;
    solve(x);
    ENSURE_NEAR(x->p[0] + x->p[3], 1, 1e-12);
    ENSURE_NEAR(x->p[1] + x->p[4], -0.2, 1e-12);
    return 0;
}

// ---- energy ----

static int energy_is_never_gained_whatever_the_matrix(void)
{
    // few or many degrees of freedom, all frictions, sizes from 1e-6 to 1e6, guesses from anywhere
    twRng rng = tw_rng(13);
    const double frictions[5] = {0, 0.1, 0.5, 1, 5};
    int hard = 0;
    for (int i = 0; i < 400; i++)
    {
        Problem* x = problem(1 + (int)tw_rng_between(&rng, 0, 16), frictions[i % 5]);
        int n = 3 * x->count;
        make_random(x, 1 + (int)tw_rng_between(&rng, 0, 20), &rng);
        double size[SIZE];
        for (int k = 0; k < x->count; k++)
            size[3 * k] = size[3 * k + 1] = size[3 * k + 2] = pow(10, tw_rng_between(&rng, -3, 3));
        for (int k = 0; k < n * n; k++) x->a[k] *= size[k / n] * size[k % n];
        for (int k = 0; k < n; k++)
        {
            x->b[k] = i % 4 == 0 ? tw_rng_normal(&rng) : x->b[k] * size[k];
            x->p[k] = 10 * tw_rng_normal(&rng);
        }
        hard += solve(x) >= 200;
        double way[SIZE], scale = 0;
        ways(x, way);
        for (int k = 0; k < n * n; k++) scale += fabs(x->a[k] * x->p[k / n] * x->p[k % n]);
        for (int k = 0; k < n; k++) scale += fabs(x->b[k] * x->p[k]);
        ENSURE(work(x, way) <= 1e-12 * scale);
        for (int k = 0; k < x->count; k++)
        {
            const double* p = x->p + 3 * k;
            ENSURE(p[0] >= 0 && hypot(p[1], p[2]) <= x->contacts[k].friction * p[0] * (1 + 1e-12));
        }
    }
    printf("   %d of 400 not converged\n", hard);
    return 0;
}

// ---- what cannot be ----

static int bodies_that_cannot_move_get_no_impulse(void)
{
    Problem* x = problem(3, 0.5);
    for (int k = 0; k < 9; k++) x->b[k] = -1;
    for (int k = 3; k < 6; k++) *at(x, k, k) = 1;
    for (int k = 0; k < 9; k++) x->p[k] = 1;
    solve(x);
    for (int k = 0; k < 3; k++) ENSURE(x->p[k] == 0 && x->p[6 + k] == 0);
    ENSURE_NEAR(x->p[3], 1, 1e-12);
    return 0;
}

static int nan_and_infinity_stay_where_they_are(void)
{
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 60; i++)
    {
        Problem* x = problem(4, i % 7 == 0 ? bad[i % 3] : 0.5);
        for (int k = 0; k < 12; k++) *at(x, k, k) = 1;
        for (int k = 0; k < 4; k++) x->b[3 * k] = -1;
        // the second contact's body is lost
        int row = 3 + i % 3;
        if (i < 20) x->b[row] = bad[i / 3 % 3];
        if (i >= 20 && i < 40)
            for (int k = 0; k < 12; k++) *at(x, row, k) = *at(x, k, row) = bad[i / 3 % 3];
        if (i >= 40) x->p[row] = bad[i / 3 % 3];
        solve(x);
        for (int k = 0; k < 12; k++) ENSURE(isfinite(x->p[k]));
        ENSURE_NEAR(x->p[0], 1, 1e-12);
        ENSURE_NEAR(x->p[9], 1, 1e-12);
    }
    return 0;
}

static int no_contacts_take_no_sweeps(void)
{
    ENSURE(cone_solve(NULL, NULL, NULL, NULL, NULL, 0) <= 1);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(point_mass_stops_sticks_and_slides_as_it_should)
    RUN(contact_that_opens_gets_nothing)
    RUN(soft_contact_gives_way_by_its_compliance)
    RUN(stack_carries_the_weight_above_each_contact)
    RUN(a_million_times_the_mass_on_top_is_carried)
    RUN(random_contacts_obey_complementarity)
    RUN(more_contacts_than_freedom_obey_the_law_too)
    RUN(two_contacts_at_the_same_place_share)
    RUN(energy_is_never_gained_whatever_the_matrix)
    RUN(bodies_that_cannot_move_get_no_impulse)
    RUN(nan_and_infinity_stay_where_they_are)
    RUN(no_contacts_take_no_sweeps)
)
