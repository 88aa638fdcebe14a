// SPDX-License-Identifier: MIT
// How two materials touch. Expected values: an ODE solver on the law itself, Hertz's and Mindlin's closed forms.
#include "ode.h"
#include "test.h"
#include "twang/dynamics.h"

typedef struct Fall
{
    twImpactLaw law;
    double mass;
} Fall;

static void fall_rate(const double* y, double* rate, const void* context)
{
    const Fall* fall = context;
    rate[0] = y[1];
    rate[1] = -tw_impact_force(&fall->law, y[0], y[1]) / fall->mass;
}

// speed after and duration of an impact, by an ODE solver
static double rebound(const Fall* fall, double speed, double* time)
{
    const double size = pow(fall->mass * speed * speed / fall->law.stiffness, 0.4), unit = size / speed;
    double y[2] = {0, speed}, scale[2] = {size, speed};
    Ode ode = {fall_rate, fall, 2, scale, 1e-12, 1e-3 * unit};
    for (int i = 0; i < 1000000; i++)
    {
        ode_run(&ode, y, 1e-3 * unit);
        if (time) *time = (i + 1) * 1e-3 * unit + y[0] / speed;
        if (y[0] <= 0) break;
    }
    return -y[1];
}

static twContactMaterial material(const char* name) { return tw_contact_material(tw_material_find(name)); }

static int impact_at_1_m_per_s_gives_the_restitution(void)
{
    const double wanted[] = {0.05, 0.2, 0.45, 0.7, 0.9, 0.99, 1};
    for (int i = 0; i < 7; i++)
    {
        twContactMaterial a = material("steel"), b = a;
        a.restitution = wanted[i];
        b.restitution = 1;
        const Fall fall = {tw_contact_pair(&a, &b, 0.01, 0).impact, 0.03};
        ENSURE_NEAR(rebound(&fall, 1, NULL), wanted[i], 1e-6);
    }
    return 0;
}

static int dissipation_and_rebound_are_each_other_s_inverse(void)
{
    for (double e = 0.002; e < 1; e += 0.002)
        for (double v = 0.01; v < 20; v *= 7)
        {
            const twImpactLaw law = {1e8, 1.5, tw_impact_dissipation(e, v)};
            ENSURE_NEAR(tw_impact_exact(&law, 1, v).v_out, -e * v, 1e-12 * v);
        }
    ENSURE(tw_impact_dissipation(1, 1) == 0 && tw_impact_dissipation(2, 1) == 0);
    ENSURE_NEAR(tw_impact_dissipation(0, 2), 500, 1e-9);
    ENSURE_NEAR(tw_impact_dissipation(1 - 1e-9, 1), 1.5e-9, 1e-14);
    return 0;
}

// T = 2.94 x_max/v = 2.87 (m^2/(R E*^2 v))^(1/5) with the reduced mass and radius; 2.94 = 2 sqrt(pi) G(7/5)/G(9/10)
static int steel_balls_touch_as_long_as_hertz_says(void)
{
    twContactMaterial steel = material("steel");
    steel.restitution = 1;
    const double ra = 0.01, rb = 0.02, density = 7850, speed = 0.7;
    const double ma = 4 * TW_PI / 3 * density * pow(ra, 3), mb = 4 * TW_PI / 3 * density * pow(rb, 3);
    const double mass = ma * mb / (ma + mb), radius = ra * rb / (ra + rb);
    const double stiff = steel.young / (2 * (1 - steel.poisson * steel.poisson));
    const double number = 2 * sqrt(TW_PI) * tgamma(1.4) / tgamma(0.9) * pow(15.0 / 16, 0.4);
    const double expected = number * pow(mass * mass / (radius * stiff * stiff * speed), 0.2);
    const Fall fall = {tw_contact_pair(&steel, &steel, ra, rb).impact, mass};
    double time;
    ENSURE_NEAR(number, 2.87, 5e-3);
    ENSURE_NEAR(rebound(&fall, speed, &time), speed, 1e-8);
    ENSURE_NEAR(time, expected, 1e-3 * expected);
    ENSURE_NEAR(tw_impact_exact(&fall.law, mass, speed).contact_time, expected, 1e-8 * expected);
    return 0;
}

static int bristles_are_mindlin_s_at_1_newton(void)
{
    const twContactMaterial steel = material("steel"), rubber = material("rubber");
    const twContactPair same = tw_contact_pair(&steel, &steel, 0.01, 0.01);
    // slope of the normal force where it is 1 N, by differences
    const double x = pow(1 / same.impact.stiffness, 1 / 1.5), d = 1e-4 * x;
    const double slope = (tw_impact_force(&same.impact, x + d, 0) - tw_impact_force(&same.impact, x - d, 0)) / (2 * d);
    const double nu = steel.poisson;
    ENSURE_NEAR(same.friction.stiffness / slope, 2 * (1 - nu) / (2 - nu), 1e-6);

    // of two the softer one counts
    twContactMaterial rigid = rubber;
    rigid.young = 1e15;
    const twContactPair soft = tw_contact_pair(&rubber, &rigid, 0.01, 0);
    const double k = 4.0 / 3 * rubber.young / (1 - rubber.poisson * rubber.poisson) * sqrt(0.01);
    ENSURE_NEAR(soft.impact.stiffness, k, 1e-6 * k);
    ENSURE_NEAR(soft.friction.stiffness / (1.5 * pow(k, 2.0 / 3)), 2 * (1 - rubber.poisson) / (2 - rubber.poisson),
                1e-6);
    return 0;
}

static bool same_pair(const twContactPair* a, const twContactPair* b)
{
    return a->impact.stiffness == b->impact.stiffness && a->impact.dissipation == b->impact.dissipation &&
           a->friction.static_friction == b->friction.static_friction &&
           a->friction.dynamic_friction == b->friction.dynamic_friction &&
           a->friction.stiffness == b->friction.stiffness;
}

static int every_pair_is_sound_and_the_same_both_ways(void)
{
    int count;
    const twMaterial* all = tw_materials(&count);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
        {
            const twContactMaterial a = tw_contact_material(all + i), b = tw_contact_material(all + j);
            const twContactPair p = tw_contact_pair(&a, &b, 0.02, 0.05), q = tw_contact_pair(&b, &a, 0.05, 0.02);
            ENSURE(same_pair(&p, &q));
            ENSURE(tw_impact_law_check(&p.impact, NULL) == TW_OK && p.impact.dissipation > 0);
            ENSURE(tw_friction_law_check(&p.friction, NULL) == TW_OK && p.friction.static_friction <= 1);
            ENSURE(p.impact.stiffness > 1e5 && p.friction.stiffness > 1e2);
        }
    return 0;
}

static int materials_rebound_and_rub_as_known(void)
{
    ENSURE_NEAR(material("steel").restitution, 0.9, 0.05);
    ENSURE_NEAR(material("wood").restitution, 0.5, 0.1);
    ENSURE(material("lead").restitution < 0.3);
    ENSURE(material("rubber").stick > material("steel").stick && material("ice").slide < 0.1);

    // a solid of no known name: by how it rings, to 0.1 of the table
    const char* names[] = {"steel", "glass", "ceramic", "polystyrene", "wood", "mdf"};
    for (int i = 0; i < 6; i++)
    {
        twMaterial other = *tw_material_find(names[i]);
        const double known = tw_contact_material(&other).restitution;
        other.name = i % 2 ? "no such" : NULL;
        ENSURE_NEAR(tw_contact_material(&other).restitution, known, 0.1);
    }
    twMaterial dough = {.young = 1e5, .poisson = 0.49, .alpha = 1e9};
    ENSURE_NEAR(tw_contact_material(&dough).restitution, 0.8, 0);
    dough.young = 1e10;
    ENSURE_NEAR(tw_contact_material(&dough).restitution, 0.2, 0);
    return 0;
}

static int extremes_are_finite(void)
{
    const double values[] = {0, -1, 1e-300, 1e-3, 1, 1e300, HUGE_VAL, NAN};
    const twContactMaterial steel = material("steel");
    for (int i = 0; i < 8 * 8 * 8; i++)
    {
        const double p = values[i % 8], q = values[i / 8 % 8], r = values[i / 64];
        const twContactMaterial a = {p, q, r, q, r, p};
        const twContactPair pairs[2] = {tw_contact_pair(&a, &steel, q, r), tw_contact_pair(&a, &a, r, p)};
        for (int k = 0; k < 2; k++)
        {
            ENSURE(tw_impact_law_check(&pairs[k].impact, NULL) == TW_OK);
            ENSURE(pairs[k].friction.stiffness > 0 && isfinite(pairs[k].friction.stiffness));
            const double stick = pairs[k].friction.static_friction, slide = pairs[k].friction.dynamic_friction;
            ENSURE(stick >= slide && slide >= 0 && isfinite(stick));
        }
    }
    // a flat is a ball of no curvature, whichever way it is said
    const twContactPair none = tw_contact_pair(&steel, &steel, 0.01, 0),
                        flat = tw_contact_pair(&steel, &steel, HUGE_VAL, 0.01);
    ENSURE(same_pair(&none, &flat));
    // and a ball in a hollow of twice its radius touches like one of twice its radius on a flat
    const twContactPair hollow = tw_contact_pair(&steel, &steel, 0.01, -0.02);
    ENSURE_NEAR(hollow.impact.stiffness, sqrt(2) * none.impact.stiffness, 1e-9 * none.impact.stiffness);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(impact_at_1_m_per_s_gives_the_restitution)
    RUN(dissipation_and_rebound_are_each_other_s_inverse)
    RUN(steel_balls_touch_as_long_as_hertz_says)
    RUN(bristles_are_mindlin_s_at_1_newton)
    RUN(every_pair_is_sound_and_the_same_both_ways)
    RUN(materials_rebound_and_rub_as_known)
    RUN(extremes_are_finite)
)
