// SPDX-License-Identifier: MIT
// What a net refuses, counts and survives.
#include "rig.h"

static const double RATE = 44100;

// ---- hostile input ----

static int hostile_inputs_are_counted_and_leave_no_trace(void)
{
    static const double hostile[] = {NAN, INFINITY, -INFINITY, 1e200, -1e101};
    for (int kind = TW_IN_FORCE; kind <= TW_IN_OFFSET; kind++)
    {
        Rig rig, clean;
        for (int r = 0; r < 2; r++)
        {
            busy_def(r ? &clean : &rig, RATE);
            rig_in(r ? &clean : &rig, (twNetInputKind)kind, kind == TW_IN_FORCE ? 1 : kind == TW_IN_NORMAL_FORCE);
            rig_start(r ? &clean : &rig, 2000);
        }
        for (int i = 0; i < 100; i++) rig.in[1][10 * i] = hostile[i % 5];
        rig_run(&rig, 0, 2000);
        rig_run(&clean, 0, 2000);
        ENSURE(tw_net_stats(rig.net).bad_inputs == 100);
        // each counts as 0
        for (int k = 0; k < 3; k++) ENSURE(memcmp(rig.out[k], clean.out[k], 2000 * sizeof(double)) == 0);
        rig_end(&rig), rig_end(&clean);
    }
    return 0;
}

static int absurd_inputs_leave_everything_finite(void)
{
    static const double absurd[] = {1e99, -1e99, 1e60, 1e30, -1e20};
    for (int kind = TW_IN_FORCE; kind <= TW_IN_OFFSET; kind++)
        for (int i = 0; i < 10; i++)
        {
            Rig rig;
            busy_def(&rig, RATE);
            rig.contacts[0].impact.exponent = i < 5 ? 1.5 : 9;
            int loud = rig_in(&rig, (twNetInputKind)kind, kind == TW_IN_FORCE ? 1 : kind == TW_IN_NORMAL_FORCE);
            rig_start(&rig, 3000);
            rig_fill(&rig, 0, 1.2);
            for (int n = 100; n < 110; n++) rig.in[loud][n] = absurd[i % 5];
            rig_run(&rig, 0, 3000);
            for (int k = 0; k < 3; k++)
                for (int n = 0; n < 3000; n++) ENSURE(isfinite(rig.out[k][n]));
            rig_end(&rig);
        }
    return 0;
}

static int a_net_recovers_after_its_state_has_overflowed(void)
{
    Rig rig;
    busy_def(&rig, RATE);
    // so light that a force makes it faster than any number, and it rubs the plate
    int feather = rig_mode(&rig, 0, 0, 1e-280, 0, 0), blow = rig_in(&rig, TW_IN_FORCE, feather);
    rig_friction(&rig, feather, 1, tw_friction_law(), 1);
    rig_out(&rig, TW_OUT_POINT_V, feather);
    rig_start(&rig, 4000);
    rig_fill(&rig, 0, 1.2);
    for (int n = 100; n < 110; n++) rig.in[blow][n] = n % 2 ? 1e99 : -1e99;
    rig_run(&rig, 0, 2000);
    long resets = tw_net_stats(rig.net).resets;
    ENSURE(resets > 0);
    // silenced, it sounds again
    tw_net_strike(rig.net, 0, 1);
    rig_run(&rig, 2000, 4000);
    double peak = 0;
    for (int n = 2000; n < 4000; n++) peak = fmax(peak, rig.out[1][n]);
    ENSURE(peak > 1);
    ENSURE(tw_net_stats(rig.net).resets == resets);
    for (int k = 0; k < 4; k++)
        for (int n = 0; n < 4000; n++) ENSURE(isfinite(rig.out[k][n]));
    rig_end(&rig);
    return 0;
}

static int empty_nets_and_empty_blocks_are_fine(void)
{
    twNetDef def = tw_net_def();
    twNet* net;
    ENSURE(tw_net_create(&net, &def, NULL) == TW_OK);
    tw_net_process(net, NULL, NULL, 100);
    ENSURE(tw_net_stats(net).steps == 100 && tw_net_energy(net).stored == 0);
    tw_net_destroy(net);
    tw_net_destroy(NULL);

    // an object without modes does not move; a hammer passes through it
    Rig rig;
    rig_def(&rig, RATE);
    twModesDef none = tw_modes_def();
    int nothing = rig_object(&rig, &none), hammer = rig_mode(&rig, 0, 0, 0.1, -1e-4, 1);
    rig_impact(&rig, hammer, nothing, tw_impact_law());
    int x = rig_out(&rig, TW_OUT_POINT_X, nothing), v = rig_out(&rig, TW_OUT_POINT_V, hammer);
    rig_start(&rig, 200);
    rig_run(&rig, 0, 0);
    rig_run(&rig, 0, 200);
    twImpactLaw law = tw_impact_law();
    ENSURE(rig.out[x][199] == 0);
    // it is a wall
    ENSURE_NEAR(rig.out[v][199], tw_impact_exact(&law, 0.1, 1).v_out, 1e-10);
    rig_end(&rig);
    return 0;
}

static int inputs_and_outputs_may_be_left_out(void)
{
    Rig rig, full;
    busy_def(&rig, RATE), busy_def(&full, RATE);
    rig_start(&rig, 500), rig_start(&full, 500);
    tw_net_process(rig.net, NULL, NULL, 300);
    free(rig.out[1]), free(rig.in[0]);
    rig.out[1] = rig.in[0] = NULL;
    rig_run(&rig, 300, 500);
    rig_run(&full, 0, 500);
    for (int n = 300; n < 500; n++) ENSURE(rig.out[0][n] == full.out[0][n] && rig.out[2][n] == full.out[2][n]);
    rig_end(&rig), rig_end(&full);
    return 0;
}

// ---- bad descriptions ----

typedef struct Bad
{
    const char* part[3];  ///< what the message must name
    void (*spoil)(Rig* rig);
} Bad;

static void spoil_rate(Rig* rig) { rig->def.rate_hz = NAN; }
static void spoil_oversample(Rig* rig) { rig->def.oversample = 0; }
static void spoil_nyquist(Rig* rig) { rig->def.rate_hz = 7000; }
static void spoil_object(Rig* rig) { rig->contacts[1].b = 3; }
static void spoil_point(Rig* rig) { rig->contacts[1].b_point = 3; }
static void spoil_self(Rig* rig) { rig->contacts[1].a = 1; }
static void spoil_law(Rig* rig) { rig->contacts[0].impact.exponent = 0; }
static void spoil_friction(Rig* rig) { rig->contacts[1].friction.stribeck = -1; }
static void spoil_method(Rig* rig) { rig->contacts[0].method = TW_RK4; }
static void spoil_gap(Rig* rig) { rig->contacts[0].gap = NAN; }
static void spoil_normal(Rig* rig) { rig->contacts[1].normal_force = -1; }
static void spoil_beta(Rig* rig) { rig->contacts[1].roughness_beta = NAN; }
static void spoil_input(Rig* rig) { rig->inputs[0].object = -1; }
static void spoil_output(Rig* rig) { rig->outputs[1].contact = 2; }
static void spoil_pickup(Rig* rig) { rig->outputs[0].index = 2; }
static void spoil_start(Rig* rig) { rig->velocity[2] = INFINITY; }
static void spoil_count(Rig* rig) { rig->def.contact_count = 1 << 30; }

static int bad_descriptions_are_refused_by_name(void)
{
    static const Bad bad[] = {{{"rate"}, spoil_rate},
                              {{"oversampling"}, spoil_oversample},
                              {{"object 1", "mode 4", "4000"}, spoil_nyquist},
                              {{"contact 1", "object 3"}, spoil_object},
                              {{"contact 1", "point 3"}, spoil_point},
                              {{"contact 1", "itself"}, spoil_self},
                              {{"contact 0", "exponent"}, spoil_law},
                              {{"contact 1", "stribeck"}, spoil_friction},
                              {{"contact 0", "rk4"}, spoil_method},
                              {{"contact 0", "gap"}, spoil_gap},
                              {{"contact 1", "normal force"}, spoil_normal},
                              {{"contact 1", "beta"}, spoil_beta},
                              {{"input 0", "object -1"}, spoil_input},
                              {{"output 1", "contact 2"}, spoil_output},
                              {{"output 0", "pickup 2"}, spoil_pickup},
                              {{"object 2", "mode 0"}, spoil_start},
                              {{"100000"}, spoil_count}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    {
        Rig rig;
        busy_def(&rig, RATE);
        rig.def.objects = rig.objects, rig.def.contacts = rig.contacts;
        rig.def.inputs = rig.inputs, rig.def.outputs = rig.outputs;
        bad[i].spoil(&rig);
        twError err = {.text = ""};
        twNet* net = (twNet*)1;
        ENSURE(tw_net_create(&net, &rig.def, &err) == TW_BAD_INPUT && net == NULL);
        for (int k = 0; k < 3 && bad[i].part[k]; k++)
        {
            if (!strstr(err.text, bad[i].part[k]))
                printf("message \"%s\" does not name %s\n", err.text, bad[i].part[k]);
            ENSURE(strstr(err.text, bad[i].part[k]));
        }
        ENSURE(tw_net_create(&net, &rig.def, NULL) == TW_BAD_INPUT);
        rig.def.contact_count = 2;
        rig_end(&rig);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(hostile_inputs_are_counted_and_leave_no_trace)
    RUN(absurd_inputs_leave_everything_finite)
    RUN(a_net_recovers_after_its_state_has_overflowed)
    RUN(empty_nets_and_empty_blocks_are_fine)
    RUN(inputs_and_outputs_may_be_left_out)
    RUN(bad_descriptions_are_refused_by_name)
)
