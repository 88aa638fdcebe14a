// SPDX-License-Identifier: MIT
// The law of one contact over one step. Expected values: finite differences, the sign of the energy balance, closed
// forms.
#include "dynamics/law.h"
#include "test.h"
#include "twang/math.h"

static double decades(twRng* rng, double low, double high) { return pow(10, tw_rng_between(rng, low, high)); }

// a contact somewhere between soft and hard, slow and fast, open and closed
static LawStep random_step(twRng* rng)
{
    static const double exponents[] = {1, 1.5, 2, 1.3};
    double h = decades(rng, -6, -3), speed = decades(rng, -4, 1), mass = decades(rng, -3, 2);
    LawStep step = {.impact = {decades(rng, 2, 12), exponents[tw_rng_next(rng) % 4], decades(rng, -3, 2)},
                    .h = h,
                    .x0 = h * speed * tw_rng_between(rng, -1, 5),
                    .cone = tw_rng_between(rng, 0, 1.5),
                    .breakaway = tw_rng_uniform(rng),
                    .viscosity = tw_rng_next(rng) % 3 ? 0 : decades(rng, -2, 1),
                    .kt = decades(rng, 2, 9)};
    step.friction = step.cone * (tw_rng_next(rng) % 2 ? tw_rng_uniform(rng) : 1);
    if (tw_rng_next(rng) % 4 == 0) step.impact.dissipation = 0;
    step.damping = tw_rng_uniform(rng) * sqrt(step.kt * mass);
    for (int q = 0; q < 3; q++) step.u0[q] = speed * tw_rng_between(rng, -1, 1);
    for (int q = 0; q < 2; q++) step.z0[q] = step.x0 > 0 ? 10 * h * speed * tw_rng_between(rng, -1, 1) : 0;
    if (step.x0 > 0 && tw_rng_next(rng) % 2)
    {
        step.branch_stiffness = decades(rng, 2, 9), step.branch_rate = decades(rng, -1, 1) / h;
        step.branch0 = sqrt(step.branch_stiffness) * 3 * h * speed * tw_rng_between(rng, -1, 1);
    }
    return step;
}

static void random_end(twRng* rng, const LawStep* step, double u1[3])
{
    double speed = fabs(step->u0[0]) + fabs(step->u0[1]) + fabs(step->u0[2]);
    for (int q = 0; q < 3; q++) u1[q] = 2 * speed * tw_rng_between(rng, -1, 1);
}

static int derivative_agrees_with_differences(void)
{
    twRng rng = tw_rng(1);
    int slid = 0, stuck = 0;
    for (int i = 0; i < 20000; i++)
    {
        LawStep step = random_step(&rng);
        step.rest = i % 3 > 0;
        step.calm = step.rest && i % 4 > 0;
        step.rest_damping = i % 3 > 1 ? step.damping : 0;
        step.smooth = !step.calm && i % 7 > 3;
        double u1[3], speed = fabs(step.u0[0]) + fabs(step.u0[1]) + fabs(step.u0[2]);
        random_end(&rng, &step, u1);
        LawEnd at, up, down;
        law_end(&at, &step, u1);
        // well inside what is smooth: not at a corner of the law, not where 1 + mu v nears its floor
        double mu = step.impact.dissipation, eps = 1e-6 * speed;
        if (!(at.x1 > 1e-2 * step.h * speed) || 1 - mu * u1[0] < 0.05 || 1 - mu * step.u0[0] < 0.05) continue;
        // nor where bristles bend far more in eps than they yield over
        const double bend = step.friction * at.p[0] / (step.h * step.kt), yields = (1 - step.breakaway) * bend;
        if (!(step.h * eps < 1e-4 * fmin(yields, bend))) continue;
        for (int q = 0; q < 3; q++)
        {
            double plus[3] = {u1[0], u1[1], u1[2]}, minus[3] = {u1[0], u1[1], u1[2]};
            plus[q] += eps;
            minus[q] -= eps;
            law_end(&up, &step, plus);
            law_end(&down, &step, minus);
            if (up.slides != at.slides || down.slides != at.slides) continue;
            if (step.rest && (plus[0] > step.u0[0]) != (minus[0] > step.u0[0])) continue;
            if (step.rest &&
                ((up.x1 > step.x0) != (down.x1 > step.x0) || (plus[0] > -step.u0[0]) != (minus[0] > -step.u0[0])))
                continue;
            for (int r = 0; r < 3; r++)
            {
                double difference = -(up.p[r] - down.p[r]) / (2 * eps),
                       size = fabs(at.d[r][0]) + fabs(at.d[r][1]) + fabs(at.d[r][2]);
                ENSURE_NEAR(at.d[r][q], difference, 1e-4 * size + 1e-7 * fabs(at.p[r]) / speed);
            }
        }
        if (at.slides)
            slid++;
        else
            stuck++;
    }
    ENSURE(slid > 3000 && stuck > 300);
    return 0;
}

static int no_contact_gains_energy_whatever_the_bodies_do(void)
{
    twRng rng = tw_rng(2);
    int pushed = 0, let_go = 0;
    for (int i = 0; i < 50000; i++)
    {
        LawStep step = random_step(&rng);
        step.rest = i % 2;
        step.calm = step.rest && i % 4 > 1;
        step.rest_damping = i % 4 > 2 ? step.damping : 0;
        step.drift = step.rest || i % 8 > 3 ? -1e-3 * tw_rng_uniform(&rng) : 0;
        step.smooth = !step.calm && i % 3 > 0;
        step.fixed_limit = i % 5 == 0;
        step.limit = tw_rng_uniform(&rng);
        double u1[3];
        random_end(&rng, &step, u1);
        LawEnd end;
        law_end(&end, &step, u1);
        double size = law_energy(&step, step.x0, step.z0) + law_energy(&step, end.x1, end.z1);
        size += step.branch0 * step.branch0 + end.branch1 * end.branch1;
        for (int q = 0; q < 3; q++) size += fabs(end.p[q] * (fabs(u1[q]) + fabs(step.u0[q])));
        ENSURE(law_gain(&step, &end, u1) <= 1e-13 * size);
        ENSURE(end.p[0] >= 0);
        pushed += end.p[0] > 0;
        let_go += step.branch0 < 0 && end.branch1 == 0;
    }
    ENSURE(pushed > 20000 && let_go > 1000);
    return 0;
}

// Dissipation, damping and sliding are all that a contact loses whose swing steps resolve; without them it keeps what it has.
static int resolved_contacts_lose_what_the_law_takes(void)
{
    twRng rng = tw_rng(4);
    int kept = 0, slid = 0;
    for (int i = 0; i < 50000; i++)
    {
        LawStep step = random_step(&rng);
        if (i % 2) step.impact.dissipation = step.damping = step.branch_stiffness = step.branch0 = step.viscosity = 0;
        step.own_damping = step.damping;
        step.smooth = true;
        double u1[3], size = 0;
        random_end(&rng, &step, u1);
        LawEnd end;
        law_end(&end, &step, u1);
        if (!(end.p[0] > 0)) continue;
        const LawSpent spent = law_spent(&step, &end, u1);
        for (int q = 0; q < 3; q++) size += fabs(end.p[q] * (fabs(u1[q]) + fabs(step.u0[q])));
        size += law_energy(&step, step.x0, step.z0) + law_energy(&step, end.x1, end.z1);
        size += step.branch0 * step.branch0 + end.branch1 * end.branch1;
        ENSURE(spent.normal >= -1e-13 * size && spent.bristle >= 0 && spent.slip >= -1e-13 * size);
        ENSURE_NEAR(spent.normal + spent.bristle + spent.slip, -law_gain(&step, &end, u1), 1e-12 * size);
        slid += end.slides && spent.slip > 1e-6 * size;
        if (!(i % 2) || end.slides) continue;
        ENSURE(fabs(law_gain(&step, &end, u1)) <= 1e-12 * size);
        kept++;
        // the implicit rule loses k_t (h w)^2/2 of each bristle
        step.smooth = false;
        law_end(&end, &step, u1);
        if (!end.slides) ENSURE(law_gain(&step, &end, u1) < 0);
    }
    ENSURE(kept > 300 && slid > 3000);
    return 0;
}

static int friction_stays_in_the_cone_and_against_motion(void)
{
    twRng rng = tw_rng(3);
    for (int i = 0; i < 20000; i++)
    {
        LawStep step = random_step(&rng);
        step.z0[0] = step.z0[1] = step.viscosity = 0;
        double u1[3];
        random_end(&rng, &step, u1);
        LawEnd end;
        law_end(&end, &step, u1);
        double size = sqrt(end.p[1] * end.p[1] + end.p[2] * end.p[2]);
        ENSURE(size <= step.cone * end.p[0] * (1 + 1e-12));
        ENSURE(end.p[1] * (u1[1] + step.u0[1]) + end.p[2] * (u1[2] + step.u0[2]) <= 0);
    }
    return 0;
}

// from static to dynamic by exp(-(v/v_s)^2)
static int friction_falls_with_the_speed_of_sliding(void)
{
    const SolveLaw law = {
        {1e8, 1.5, 0.2},
        {.stiffness = 1e6, .static_friction = 0.5, .dynamic_friction = 0.4, .stribeck = 1e-3, .breakaway = 0.7},
        0};
    const SolveMemory memory = {.compression = 1e-6};
    static const double speeds[] = {0, 1e-6, 1e-3, 1e-2, 1};
    static const double expected[] = {0.5, 0.5, 0.4 + 0.1 / 2.718281828459045, 0.4, 0.4};
    for (int i = 0; i < 5; i++)
    {
        LawStep step = {.h = 1e-5, .u0 = {0.3, -0.6 * speeds[i], 0.8 * speeds[i]}};
        law_begin(&step, &law, &memory, 0, 1);
        ENSURE_NEAR(step.friction, expected[i], 1e-6);
        ENSURE_NEAR(step.breakaway * step.friction, 0.7 * 0.4, 1e-15);
        ENSURE_NEAR(step.cone, 0.5, 0);
    }
    return 0;
}

// what is stored can be taken back, to the joule
static int stored_energy_shrinks_by_the_excess(void)
{
    twRng rng = tw_rng(4);
    for (int i = 0; i < 5000; i++)
    {
        LawStep step = random_step(&rng);
        LawEnd end = {.x1 = fabs(step.x0), .z1 = {step.z0[0], 1e-9}};
        double stored = law_energy(&step, end.x1, end.z1), excess = stored * tw_rng_between(&rng, 0, 1.5);
        double left = law_shrink(&step, &end, excess);
        ENSURE_NEAR(law_energy(&step, end.x1, end.z1), fmax(stored - excess, 0), 1e-12 * stored);
        ENSURE_NEAR(left, fmax(excess - stored, 0), 1e-12 * stored);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(derivative_agrees_with_differences)
    RUN(no_contact_gains_energy_whatever_the_bodies_do)
    RUN(resolved_contacts_lose_what_the_law_takes)
    RUN(friction_stays_in_the_cone_and_against_motion)
    RUN(friction_falls_with_the_speed_of_sliding)
    RUN(stored_energy_shrinks_by_the_excess)
)
