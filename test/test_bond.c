// SPDX-License-Identifier: MIT
// Bonds, and contacts without friction, in groups. Expected values: differences, eigenvalues, energy, one method against another.
#include "dynamics/solve.h"
#include "group.h"
#include "table.h"
#include "test.h"

static double decades(twRng* rng, double low, double high) { return pow(10, tw_rng_between(rng, low, high)); }

static LawStep random_bond(twRng* rng, BondStep* bond)
{
    double h = decades(rng, -6, -2), speed = decades(rng, -3, 1);
    LawStep step = {.h = h, .bond = bond};
    for (int r = 0; r < 3; r++)
    {
        bool motor = tw_rng_next(rng) % 4 == 0;
        step.u0[r] = speed * tw_rng_between(rng, -1, 1);
        bond->k[r] = motor ? 0 : decades(rng, 0, 9);
        bond->c[r] = tw_rng_next(rng) % 2 ? decades(rng, 0, 5) : 0;
        bond->theta[r] = tw_rng_uniform(rng);
        bond->most[r] = motor ? h * decades(rng, 0, 3) : 0;
        bond->z0[r] = motor ? 0 : h * speed * tw_rng_between(rng, -3, 3);
    }
    return step;
}

// k (z1^2 - z0^2)/2 + p w of each row, with z1 = z0 + h w
static int bond_takes_energy_out_whatever_the_bodies_do(void)
{
    twRng rng = tw_rng(1);
    int limited = 0;
    for (int i = 0; i < 30000; i++)
    {
        BondStep bond = {.k = {0}};
        LawStep step = random_bond(&rng, &bond);
        bool spring = i % 3 == 0;
        for (int r = 0; r < 3 && spring; r++) bond.c[r] = bond.theta[r] = 0;
        double u1[3], all = 0, sizes = 0;
        for (int r = 0; r < 3; r++) u1[r] = 3 * fabs(step.u0[r]) * tw_rng_between(&rng, -1, 1);
        LawEnd end;
        law_end(&end, &step, u1);
        for (int r = 0; r < 3; r++)
        {
            double w = 0.5 * (step.u0[r] + u1[r]), z0 = bond.z0[r], z1 = z0 + step.h * w, k = bond.k[r];
            double gain = 0.5 * k * (z1 * z1 - z0 * z0) + end.p[r] * w,
                   size = 0.5 * k * (z1 * z1 + z0 * z0) + fabs(end.p[r] * w);
            ENSURE(gain <= 1e-14 * size);
            // a spring keeps it
            if (spring && k > 0) ENSURE(gain >= -1e-14 * size);
            if (bond.most[r] > 0) ENSURE(fabs(end.p[r]) <= bond.most[r]);
            limited += bond.most[r] > 0 && end.d[r][r] == 0;
            all += gain;
            sizes += size;
        }
        ENSURE_NEAR(law_gain(&step, &end, u1), all, 1e-13 * sizes);
    }
    ENSURE(limited > 1000);
    return 0;
}

static int slope_of_a_bond_agrees_with_differences(void)
{
    twRng rng = tw_rng(2);
    for (int i = 0; i < 5000; i++)
    {
        BondStep bond = {.k = {0}};
        LawStep step = random_bond(&rng, &bond);
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++)
            {
                // it is straight but for the limits: any distance will do
                double u1[3] = {0.1, -0.2, 0.3}, far = 1e-3;
                LawEnd at, up;
                law_end(&at, &step, u1);
                u1[q] += far;
                law_end(&up, &step, u1);
                if (r == q && (at.d[r][r] == 0) != (up.d[r][r] == 0)) continue;
                ENSURE_NEAR(at.d[r][q] * far, at.p[r] - up.p[r], 1e-12 * (fabs(at.p[r]) + at.d[r][r] * far));
            }
    }
    return 0;
}

// a row as stiff as steps allow, and nothing else: eigenvalues 0 and (4 - 10)/(4 + 10); softer ones decay too, without ringing long
static int stiffest_row_calms_down_by_its_eigenvalues(void)
{
    double h = 1e-4, own[3] = {2, 2, 2}, offset[3] = {1e-3, 0, 0};
    SolveBond bond = {.theta = {1, 1, 1}, .stiff = {true, true, true}};
    for (int soft = 0; soft < 2; soft++)
    {
        bond.stiffness[0] = soft ? 1e5 : 0;
        double z = 1e-3, u = 0.5, last = 0;
        int steps = soft ? 800 : 8;
        for (int i = 0; i < steps; i++)
        {
            offset[0] = last = z;
            BondStep rows = law_bond(&bond, offset, h, own);
            LawStep step = {.h = h, .u0 = {u}, .bond = &rows};
            const double w[3][3] = {{2}};
            double p[3], b[3] = {u, 0, 0}, u1;
            law_bond_alone(&step, w, b, p);
            u1 = u + 2 * p[0];
            z += 0.5 * h * (u + u1);
            u = u1;
        }
        if (soft)
            ENSURE(fabs(z) < 1e-9 && fabs(u) < 1e-5);
        else
            ENSURE_NEAR(z / last, -3.0 / 7, 1e-9);
    }
    return 0;
}

static int lone_bond_obeys_its_law(void)
{
    twRng rng = tw_rng(4);
    for (int i = 0; i < 5000; i++)
    {
        BondStep bond = {.k = {0}};
        LawStep step = random_bond(&rng, &bond);
        double a[3][4], w[3][3] = {{0}}, b[3], p[3], u1[3], size = 0;
        for (int r = 0; r < 3; r++) b[r] = step.u0[r] + 0.1 * tw_rng_normal(&rng);
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < 4; q++) a[r][q] = tw_rng_normal(&rng);
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++)
                for (int k = 0; k < 4; k++) w[r][q] += a[r][k] * a[q][k];
        // one motor at most: two may limit each other
        bond.most[1] = bond.most[2] = 0;
        law_bond_alone(&step, (const double(*)[3])w, b, p);
        for (int r = 0; r < 3; r++) u1[r] = b[r] + w[r][0] * p[0] + w[r][1] * p[1] + w[r][2] * p[2];
        LawEnd end;
        law_end(&end, &step, u1);
        for (int r = 0; r < 3; r++) size += fabs(p[r]) + end.d[r][r] * (fabs(u1[r]) + fabs(b[r]));
        for (int r = 0; r < 3; r++) ENSURE_NEAR(end.p[r], p[r], 1e-9 * size);
    }
    return 0;
}

// ---- in groups ----

typedef struct Tied
{
    Rig* rig;
    SolveBond bond[8];
} Tied;

// a few bodies, some with modes, in a row on the ground; every bond of another kind
static Tied tied_group(twRng* rng, const SolveOptions* options, int bodies, int bonds, int contacts)
{
    int modes = (int)(tw_rng_next(rng) % 12), count = 6 + modes, all = bonds + contacts;
    double h = decades(rng, -6, -3), speed = decades(rng, -3, 1),
           *shape = calloc(6 * (size_t)modes + 1, sizeof(double));
    Tied t = {.rig = rig_create(h, options, bodies, all, bodies * count, (size_t)all * 6 * (size_t)count)};
    Rig* r = t.rig;
    r->law.impact = (twImpactLaw){decades(rng, 4, 10), 1.5, 0.1 / speed};
    r->law.friction = random_friction(rng, speed);
    for (int b = 0; b < bodies; b++)
    {
        double mass = decades(rng, -1, 1);
        int first = r->group.size;
        rig_body(r, tw_vec3(0.1 * b, 0, 0.05), mass, tw_vec3(mass * 2e-3, mass * 3e-3, mass * 4e-3), modes);
        for (int j = 0; j < modes; j++)
        {
            r->mass[first + 6 + j] = mass;
            r->w2[first + 6 + j] = pow(2 * TW_PI * decades(rng, 1.5, 4), 2);
            r->damping[first + 6 + j] = decades(rng, 0, 3);
        }
        for (int i = 0; i < count; i++) r->v[first + i] = speed * tw_rng_normal(rng);
    }
    for (int c = 0; c < all; c++)
    {
        int a = (int)(tw_rng_next(rng) % (unsigned)bodies), b = (int)(tw_rng_next(rng) % (unsigned)bodies);
        for (int j = 0; j < 6 * modes; j++) shape[j] = tw_rng_normal(rng);
        twVec3 at = tw_vec3(0.1 * a + tw_rng_between(rng, -0.05, 0.05), tw_rng_between(rng, -0.05, 0.05),
                            tw_rng_between(rng, 0, 0.1));
        twVec3 normal = tw_vec3(tw_rng_normal(rng), tw_rng_normal(rng), 2 * tw_rng_normal(rng));
        rig_contact(r, a, a == b ? -1 : b, at, tw_vec3_normalize(normal), h * speed * tw_rng_between(rng, 0, 2), shape,
                    shape + 3 * modes);
        if (c >= bonds) continue;
        for (int q = 0; q < 3; q++)
        {
            int kind = (int)(tw_rng_next(rng) % 4);
            t.bond[c].theta[q] = kind != 2;
            t.bond[c].stiff[q] = kind < 2;
            t.bond[c].stiffness[q] = kind == 1 ? 0 : decades(rng, 2, 7);
            t.bond[c].limit[q] = kind == 1 && q == 2 ? decades(rng, -1, 2) : 0;
        }
    }
    free(shape);
    return t;
}

static void tie(Tied* t, int bonds)
{
    for (int c = 0; c < bonds; c++) t->rig->contacts[c].bond = t->bond + c;
}

// Bonds, contacts and modes; now and then friction is culled
static int tied_groups_never_gain_energy(void)
{
    twRng rng = tw_rng(5);
    double worst = 0;
    int64_t failures = 0, pushed = 0;
    for (int i = 0; i < 200; i++)
    {
        SolveOptions options = solve_options(SOLVE_NEWTON);
        int bonds = 1 + i % 8;
        Tied t = tied_group(&rng, &options, 2 + i % 4, bonds, i % 10);
        tie(&t, bonds);
        Rig* r = t.rig;
        double energy = rig_energy(r), scale = energy;
        for (int step = 0; step < 20; step++)
        {
            r->group.frictionless = tw_rng_next(&rng) % 3 == 0;
            rig_step(r);
            double now = rig_energy(r);
            worst = fmax(worst, (now - energy) / scale);
            energy = now;
            for (int c = bonds; c < r->group.contact_count; c++) pushed += r->impulse[3 * c] > 0;
        }
        failures += solve_stats(r->solver)->failures;
        rig_destroy(r);
    }
    ENSURE(worst <= 1e-13);
    ENSURE(failures == 0);
    ENSURE(pushed > 2000);
    return 0;
}

// without contacts all methods solve the same linear problem
static int methods_agree_on_bonds(void)
{
    twRng rng = tw_rng(6);
    for (int i = 0; i < 30; i++)
    {
        double v[3][5 * 17], size = 0;
        twRng same = rng;
        int n = 0;
        for (int m = 0; m < 3; m++)
        {
            SolveOptions options = solve_options((SolveMethod)m);
            options.tolerance = m ? 1e-12 : options.tolerance;
            options.max_iterations = m ? 20000 : options.max_iterations;
            rng = same;
            int bonds = 1 + i % 4;
            Tied t = tied_group(&rng, &options, 2 + i % 3, bonds, 0);
            tie(&t, bonds);
            for (int step = 0; step < 3; step++) rig_step(t.rig);
            ENSURE(solve_stats(t.rig->solver)->failures == 0);
            n = t.rig->group.size;
            memcpy(v[m], t.rig->v, (size_t)n * sizeof(double));
            rig_destroy(t.rig);
        }
        for (int k = 0; k < n; k++) size = fmax(size, fabs(v[0][k]));
        for (int k = 0; k < n; k++)
            for (int m = 1; m < 3; m++) ENSURE_NEAR(v[m][k], v[0][k], 1e-7 * size);
    }
    return 0;
}

// a step that cannot be solved in the iterations it is given stays finite, and gains nothing to speak of
static int unsolved_bonds_stay_finite(void)
{
    twRng rng = tw_rng(8);
    for (int i = 0; i < 50; i++)
    {
        SolveOptions options = solve_options(SOLVE_NEWTON);
        options.max_iterations = 0;
        options.warm_start = false;
        Tied t = tied_group(&rng, &options, 4, 4, 10);
        tie(&t, 4);
        double start = rig_energy(t.rig);
        for (int step = 0; step < 10; step++) rig_step(t.rig);
        ENSURE(solve_stats(t.rig->solver)->failures > 0);
        ENSURE(rig_energy(t.rig) < 1.01 * start);
        rig_destroy(t.rig);
    }
    return 0;
}

// NaN in an error lets go, once
static int broken_bonds_let_go(void)
{
    twRng rng = tw_rng(9);
    SolveOptions options = solve_options(SOLVE_NEWTON);
    Tied t = tied_group(&rng, &options, 3, 2, 0);
    tie(&t, 2);
    rig_predict(t.rig);
    t.rig->contacts[1].offset[2] = NAN;
    solve_step(t.rig->solver, &t.rig->group);
    ENSURE(solve_stats(t.rig->solver)->failures == 1);
    for (int i = 0; i < t.rig->group.size; i++) ENSURE(t.rig->next[i] == t.rig->free[i]);
    rig_destroy(t.rig);
    return 0;
}

// ---- without friction ----

// one step more is the same as with a coefficient of 0, by all methods; with friction it is another
static int culled_friction_is_none(void)
{
    for (int m = 0; m < 3; m++)
        for (int contacts = 10; contacts <= 60; contacts += 50)
        {
            double v[3][66 + 24], size = 0, other = 0;
            for (int way = 0; way < 3; way++)
            {
                SolveOptions options = solve_options((SolveMethod)m);
                options.redistribute = false;
                Rig* r = rig_table(&options, 24, contacts, 1e-4);
                r->law.friction.static_friction = r->law.friction.dynamic_friction = 0;
                for (int b = 1; b < 11; b++) r->v[r->bodies[b].first] = 0.1 * b;
                for (int i = 0; i < 30; i++) rig_step(r);
                if (way) r->law.friction.static_friction = r->law.friction.dynamic_friction = 0.5;
                r->group.frictionless = way == 1;
                rig_step(r);
                for (int c = 0; c < r->group.contact_count && way == 1; c++)
                    ENSURE(r->impulse[3 * c + 1] == 0 && r->impulse[3 * c + 2] == 0);
                ENSURE(solve_stats(r->solver)->failures == 0);
                memcpy(v[way], r->v, sizeof v[way]);
                rig_destroy(r);
            }
            for (int i = 0; i < 66 + 24; i++) size = fmax(size, fabs(v[0][i]));
            for (int i = 0; i < 66 + 24; i++) other = fmax(other, fabs(v[2][i] - v[0][i]));
            for (int i = 0; i < 66 + 24; i++) ENSURE_NEAR(v[1][i], v[0][i], 1e-10 * size);
            ENSURE(other > 1e-5 * size);
        }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(bond_takes_energy_out_whatever_the_bodies_do)
    RUN(slope_of_a_bond_agrees_with_differences)
    RUN(stiffest_row_calms_down_by_its_eigenvalues)
    RUN(lone_bond_obeys_its_law)
    RUN(tied_groups_never_gain_energy)
    RUN(methods_agree_on_bonds)
    RUN(unsolved_bonds_stay_finite)
    RUN(broken_bonds_let_go)
    RUN(culled_friction_is_none)
)
