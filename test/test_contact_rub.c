// SPDX-License-Identifier: MIT
// Impact and friction at one contact.
#include "rig.h"

static const double RATE = 44100;

// ---- impact and friction at one contact ----

// a mass on two legs: mode 0 moves along the normal (point 0), mode 1 along the slide (point 1)
static int slider(Rig* rig, double mass, double* displacement, double* velocity)
{
    static const double freq[2] = {0, 0}, shape[4] = {1, 0, 0, 1};
    double masses[2] = {mass, mass};
    twModesDef def = tw_modes_def();
    def.mode_count = 2, def.point_count = 2;
    def.freq_hz = freq, def.mass = masses, def.shape = shape;
    int object = rig_object(rig, &def);
    rig->objects[object].displacement = displacement;
    rig->objects[object].velocity = velocity;
    return object;
}

static int friction_acts_only_while_the_impact_presses(void)
{
    double m = 0.2, displacement[2] = {-2e-4, 0}, velocity[2] = {0, 0.8};
    Rig rig;
    rig_def(&rig, RATE);
    int body = slider(&rig, m, displacement, velocity);
    twContactDef* c = rig_impact(&rig, body, TW_WALL, (twImpactLaw){1e7, 1.5, 60});
    c->has_friction = true;
    c->friction = tw_friction_law();
    c->friction.viscosity = 0;
    c->a_slide = 1;
    int gravity = rig_in(&rig, TW_IN_FORCE, body);
    int n_force = rig_out(&rig, TW_OUT_IMPACT_FORCE, 0), f_force = rig_out(&rig, TW_OUT_FRICTION_FORCE, 0);
    int slip = rig_out(&rig, TW_OUT_SLIP, 0), z = rig_out(&rig, TW_OUT_BRISTLE, 0);
    rig_start(&rig, 44100);
    rig_fill(&rig, gravity, 9.81 * m);
    rig_run(&rig, 0, 44100);
    double** out = rig.out;
    int open = 0;
    for (int n = 0; n < 44100; n++)
    {
        // outputs are states: the force of sample n belongs to the step before it
        if (out[n_force][n] == 0) ENSURE(out[f_force][n] == 0 && out[z][n] == 0);
        open += out[n_force][n] == 0;
    }
    ENSURE(open > 100);
    // coming to rest in the first half second: deceleration mu_d g, more as it slows below the stribeck velocity
    twFrictionLaw law = c->friction;
    int at = 4410;
    while (at < 44100 && fabs(out[slip][at]) > 0.5) at++;
    ENSURE_NEAR(out[n_force][at], 9.81 * m, 0.02 * 9.81 * m);
    ENSURE_NEAR(out[f_force][at], -tw_friction_steady(&law, 9.81 * m, 0.5), 0.02 * 9.81 * m);
    ENSURE_NEAR(out[slip][44099], 0, 1e-6);
    twNetEnergy e = tw_net_energy(rig.net);
    ENSURE_NEAR(e.balance_error, 0, 1e-12 * e.stored_start);
    ENSURE(e.friction_loss > 0.9 * 0.5 * m * 0.64);
    ENSURE(tw_net_stats(rig.net).unconverged == 0 && tw_net_stats(rig.net).iterations_max < 200);
    rig_end(&rig);
    return 0;
}

static int many_rubbing_contacts_stay_solvable(void)
{
    // objects tied together by impact and friction at once, of very different masses
    twRng rng = tw_rng(12);
    for (int i = 0; i < 60; i++)
    {
        Rig rig;
        rig_def(&rig, RATE);
        static double start[8][2], push[8][2];
        int count = 2 + i % 5;
        for (int k = 0; k < count; k++)
        {
            start[k][0] = 0, start[k][1] = 0;
            push[k][0] = tw_rng_between(&rng, -0.5, 0.5), push[k][1] = tw_rng_between(&rng, -1, 1);
            slider(&rig, pow(10, tw_rng_between(&rng, -3, 0)), start[k], push[k]);
        }
        for (int k = 0; k + 1 < count; k++)
        {
            twContactDef* c = rig_impact(&rig, k, k + 1, (twImpactLaw){pow(10, tw_rng_between(&rng, 5, 10)), 1.5, 0.5});
            c->has_friction = true;
            c->a_slide = c->b_slide = 1;
            c->friction = tw_friction_law();
        }
        int press = rig_in(&rig, TW_IN_FORCE, 0);
        rig_start(&rig, 2000);
        rig_fill(&rig, press, 1);
        rig_run(&rig, 0, 2000);
        twNetEnergy e = tw_net_energy(rig.net);
        // friction may give back in a step what it took before, never more
        ENSURE(e.friction_loss >= 0 && e.impact_loss >= -1e-12 * e.stored_start);
        ENSURE_NEAR(e.balance_error, 0, 1e-11 * (e.stored_start + fabs(e.work_in)));
        twNetStats stats = tw_net_stats(rig.net);
        ENSURE(stats.unconverged == 0 && stats.iterations_max <= 200);
        rig_end(&rig);
    }
    return 0;
}

// anything: up to 6 objects of up to 12 modes with masses from 1 mg to 1 t, contacts of any law and stiffness between them
static void absurd_net(Rig* rig, twRng* rng, double velocity[6][12])
{
    int count = 1 + (int)tw_rng_between(rng, 0, 6);
    for (int i = 0; i < count; i++)
    {
        int modes = 1 + (int)(12 * tw_rng_uniform(rng) * tw_rng_uniform(rng));
        double freq[12], decay[12], mass[12], shape[24];
        for (int k = 0; k < modes; k++)
        {
            freq[k] = tw_rng_uniform(rng) < 0.3 ? 0 : pow(10, tw_rng_between(rng, 1, 4.3));
            decay[k] = tw_rng_uniform(rng) < 0.3 ? 0 : pow(10, tw_rng_between(rng, -2, 4));
            mass[k] = pow(10, tw_rng_between(rng, -6, 3));
            shape[k] = tw_rng_between(rng, -1, 1), shape[modes + k] = tw_rng_between(rng, -1, 1);
            velocity[i][k] = tw_rng_between(rng, -2, 2);
        }
        twModesDef def = tw_modes_def();
        def.mode_count = modes, def.point_count = 2;
        def.freq_hz = freq, def.decay = decay, def.mass = mass, def.shape = shape;
        rig->objects[rig_object(rig, &def)].velocity = velocity[i];
    }
    int contacts = 1 + (int)tw_rng_between(rng, 0, 6);
    for (int i = 0; i < contacts; i++)
    {
        int a = (int)tw_rng_between(rng, 0, count), b = (int)tw_rng_between(rng, 0, count), kind = i % 3;
        twContactDef* c = rig_contact(rig, a, a == b ? TW_WALL : b);
        c->b_slide = a != b, c->a_slide = 1;
        c->has_impact = kind != 1, c->has_friction = kind != 0;
        c->gap = tw_rng_between(rng, -1e-4, 1e-4);
        c->impact = (twImpactLaw){pow(10, tw_rng_between(rng, 0, 14)), tw_rng_between(rng, 1, 4),
                                  pow(10, tw_rng_between(rng, -3, 2))};
        c->method = tw_rng_uniform(rng) < 0.7 ? TW_QI : TW_DG;
        c->friction.stiffness = pow(10, tw_rng_between(rng, 0, 8));
        c->friction.damping = pow(10, tw_rng_between(rng, -3, 4));
        c->friction.stribeck = pow(10, tw_rng_between(rng, -3, 0));
        c->friction.lugre = tw_rng_uniform(rng) < 0.2;
        c->normal_force = pow(10, tw_rng_between(rng, -3, 3));
    }
}

static int absurd_networks_stay_passive_even_where_their_solve_fails(void)
{
    twRng rng = tw_rng(17);
    long unconverged = 0;
    for (int i = 0; i < 250; i++)
    {
        Rig rig;
        double velocity[6][12];
        rig_def(&rig, RATE);
        absurd_net(&rig, &rng, velocity);
        int push = rig_in(&rig, TW_IN_FORCE, 0);
        rig_start(&rig, 150);
        rig_fill(&rig, push, i % 2 ? pow(10, tw_rng_between(&rng, -3, 2)) : 0);
        rig_run(&rig, 0, 150);
        twNetEnergy e = tw_net_energy(rig.net);
        double turnover = e.stored_start + fabs(e.work_in);
        ENSURE(e.impact_loss >= -1e-12 * turnover && e.friction_loss >= -1e-12 * turnover && e.modal_loss >= 0);
        ENSURE(tw_net_stats(rig.net).resets == 0);
        unconverged += tw_net_stats(rig.net).unconverged;
        rig_end(&rig);
    }
    // the claim is empty unless some fail
    ENSURE(unconverged > 0);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(friction_acts_only_while_the_impact_presses)
    RUN(many_rubbing_contacts_stay_solvable)
    RUN(absurd_networks_stay_passive_even_where_their_solve_fails)
)
