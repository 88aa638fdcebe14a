// SPDX-License-Identifier: MIT
// Networks that are played: laws that glide, networks that take another's place. Expected values: what an untouched network does,
// and the laws of energy.
#include "test.h"
#include "twang/contact.h"
#include "twang/math.h"

enum
{
    N = 9600
};

typedef struct Rig
{
    twModes *mass, *bar;
    twNetObject objects[2];
    twContactDef contact;
    twNetInput inputs[2];
    twNetOutput outputs[3];
    twNetDef def;
    double force[N], normal[N], out[3][N];
} Rig;
static Rig rig, other;

// a mass that rubs, or strikes, some modes at the first of two points
static void make_rig(Rig* r, bool rubs, int modes)
{
    double freq[64], decay[64], mass[64], shape[128];
    for (int k = 0; k < modes; k++)
    {
        freq[k] = 200.0 * (k + 1) + 3 * k * k, decay[k] = 2 + k, mass[k] = 0.02 + 0.001 * k;
        shape[k] = cos(k + 0.3), shape[modes + k] = sin(2 * k + 1.0);
    }
    twModesDef def = tw_modes_def();
    def.mode_count = modes, def.freq_hz = freq, def.decay = decay, def.mass = mass;
    def.point_count = 2, def.shape = shape;
    tw_modes_create(&r->bar, &def, NULL);
    tw_modes_rigid(&r->mass, 0.05, NULL);
    r->objects[0] = (twNetObject){.modes = r->mass}, r->objects[1] = (twNetObject){.modes = r->bar};
    r->contact = tw_contact_def();
    r->contact.has_friction = rubs, r->contact.has_impact = !rubs;
    r->inputs[0] = (twNetInput){.kind = TW_IN_FORCE, .object = 0};
    r->inputs[1] = (twNetInput){.kind = rubs ? TW_IN_NORMAL_FORCE : TW_IN_NONE};
    r->outputs[0] = (twNetOutput){.kind = TW_OUT_VELOCITY, .object = 1};
    r->outputs[1] = (twNetOutput){.kind = rubs ? TW_OUT_FRICTION_FORCE : TW_OUT_IMPACT_FORCE};
    r->outputs[2] = (twNetOutput){.kind = TW_OUT_NONE};
    r->def = tw_net_def();
    r->def.audit = true;
    r->def.object_count = 2, r->def.objects = r->objects;
    r->def.contact_count = 1, r->def.contacts = &r->contact;
    r->def.input_count = 2, r->def.inputs = r->inputs;
    r->def.output_count = 3, r->def.outputs = r->outputs;
    for (int i = 0; i < N; i++) r->force[i] = 1.5, r->normal[i] = 3;
}

static void free_rig(Rig* r) { tw_modes_destroy(r->mass), tw_modes_destroy(r->bar); }

static void play(twInstrument* x, Rig* r, int from, int to, int block)
{
    for (int at = from; at < to; at += block)
    {
        int n = to - at < block ? to - at : block;
        const double* in[] = {r->force + at, r->normal + at};
        double* out[] = {r->out[0] + at, r->out[1] + at, r->out[2] + at};
        tw_instrument_process(x, in, out, n);
    }
}

static double stored(twNet* net)
{
    twNetEnergy e = tw_net_energy(net);
    return e.stored + e.springs;
}

static int an_instrument_that_nobody_touches_is_its_network(void)
{
    make_rig(&rig, true, 6);
    twInstrument* x;
    twNet* net;
    ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK && tw_net_create(&net, &rig.def, NULL) == TW_OK);
    static double alone[3][N];
    const double* in[] = {rig.force, rig.normal};
    double* out[] = {alone[0], alone[1], alone[2]};
    tw_net_process(net, in, out, N);
    play(x, &rig, 0, N, 37);
    ENSURE(memcmp(alone, rig.out, sizeof alone) == 0);
    for (int i = 0; i < N; i++) ENSURE(rig.out[2][i] == 0);
    tw_net_destroy(net);
    tw_instrument_destroy(x);
    free_rig(&rig);
    return 0;
}

// messages at the same samples give the same bits, whatever the blocks
static int glides_and_fades_do_not_depend_on_blocks(void)
{
    static const int blocks[] = {1, 64, 1000};
    static double kept[3][N];
    make_rig(&rig, true, 6);
    for (int b = 0; b < 3; b++)
    {
        twInstrument* x;
        twFrictionLaw law = tw_friction_law();
        rig.contact.b_point = 0, rig.contact.friction = law;
        ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
        play(x, &rig, 0, 3000, blocks[b]);
        law.static_friction = 0.8, law.stiffness = 2e4;
        tw_instrument_set_friction(x, 0, &law);
        play(x, &rig, 3000, 3100, blocks[b]);
        law.noise = 0.01;
        tw_instrument_set_friction(x, 0, &law);
        play(x, &rig, 3100, 6000, blocks[b]);
        rig.contact.b_point = 1, rig.contact.friction = law;
        ENSURE(tw_instrument_change(x, &rig.def, NULL, NULL, NULL) == TW_OK && tw_instrument_fading(x));
        play(x, &rig, 6000, N, blocks[b]);
        ENSURE(!tw_instrument_fading(x));
        if (b == 0) memcpy(kept, rig.out, sizeof kept);
        ENSURE(memcmp(kept, rig.out, sizeof kept) == 0);
        tw_instrument_destroy(x);
    }
    free_rig(&rig);
    return 0;
}

static double largest_step(const double* x, int from, int to)
{
    double most = 0;
    for (int i = from + 1; i < to; i++) most = fmax(most, fabs(x[i] - x[i - 1]));
    return most;
}

// a finger that slides; only what is set changes
static int a_law_that_jumps_is_heard_less_if_it_glides(void)
{
    double step[2];
    for (int glides = 0; glides < 2; glides++)
    {
        make_rig(&rig, true, 6);
        twInstrument* x;
        twFrictionLaw law = tw_friction_law();
        ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
        play(x, &rig, 0, 5000, 64);
        law.viscosity = 5;
        if (glides)
            tw_instrument_set_friction(x, 0, &law);
        else
            tw_net_set_friction(tw_instrument_net(x), 0, &law);
        play(x, &rig, 5000, N, 64);
        step[glides] = largest_step(rig.out[1], 5000, N);
        tw_instrument_destroy(x);
        free_rig(&rig);
    }
    ENSURE(step[1] < 0.05 * step[0]);
    return 0;
}

// what is compressed or bent takes another law of any stiffness
static int another_law_adds_no_energy(void)
{
    twRng rng = tw_rng(8);
    for (int rubs = 0; rubs < 2; rubs++)
    {
        make_rig(&rig, rubs, 6);
        for (int i = 0; i < N; i++) rig.force[i] = 0.3 * fmin(1, i / 2000.0);
        twInstrument* x;
        ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
        play(x, &rig, 0, 3000, 64);
        twNet* net = tw_instrument_net(x);
        ENSURE(stored(net) > 0 && (rubs || tw_net_closed(net, 0)));
        for (int at = 3000; at + 8 < N; at += 8)
        {
            double before = tw_net_energy(net).springs;
            twFrictionLaw friction = tw_friction_law();
            twImpactLaw impact = tw_impact_law();
            friction.stiffness *= pow(10, tw_rng_between(&rng, -2, 2));
            impact.stiffness *= pow(10, tw_rng_between(&rng, -2, 2));
            impact.exponent = tw_rng_between(&rng, 1, 3);
            impact.dissipation = 0;
            if (rubs)
                tw_net_set_friction(net, 0, &friction);
            else
                tw_net_set_impact(net, 0, &impact);
            ENSURE(tw_net_energy(net).springs <= before * (1 + 1e-12));
            play(x, &rig, at, at + 8, 8);
            twNetEnergy e = tw_net_energy(net);
            ENSURE_NEAR(e.balance_error, 0, 1e-11 * (e.stored_start + fabs(e.work_in) + e.impact_loss));
        }
        tw_instrument_destroy(x);
        free_rig(&rig);
    }
    return 0;
}

// at rest, all at once
static int a_stiffer_law_keeps_the_force(void)
{
    for (int rubs = 0; rubs < 2; rubs++)
    {
        make_rig(&rig, rubs, 6);
        for (int i = 0; i < N; i++) rig.force[i] = 0.3 * fmin(1, i / 4000.0);
        twInstrument* x;
        ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
        play(x, &rig, 0, 9000, 64);
        twFrictionLaw friction = tw_friction_law();
        twImpactLaw impact = tw_impact_law();
        friction.stiffness *= 10, impact.stiffness *= 10;
        if (rubs)
            tw_net_set_friction(tw_instrument_net(x), 0, &friction);
        else
            tw_net_set_impact(tw_instrument_net(x), 0, &impact);
        play(x, &rig, 9000, 9010, 64);
        ENSURE_NEAR(rig.out[1][9001], rig.out[1][9000], 0.02 * fabs(rig.out[1][9000]));
        ENSURE(fabs(rig.out[1][9000]) > 0.1);
        tw_instrument_destroy(x);
        free_rig(&rig);
    }
    return 0;
}

static int a_glide_ends_at_the_law_that_was_set(void)
{
    make_rig(&rig, true, 6);
    make_rig(&other, true, 6);
    twInstrument *x, *y;
    twFrictionLaw law = tw_friction_law();
    law.static_friction = 0.7, law.dynamic_friction = 0.5, law.stribeck = 0.3, law.breakaway = 0.1;
    other.contact.friction = law;
    ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK && tw_instrument_create(&y, &other.def, NULL) == TW_OK);
    // set before the first sample: at once
    tw_instrument_set_friction(x, 0, &law);
    play(x, &rig, 0, N, 64), play(y, &other, 0, N, 64);
    ENSURE(memcmp(rig.out, other.out, sizeof rig.out) == 0);
    // what makes no law is ignored
    law.stiffness = -1;
    tw_instrument_set_friction(x, 0, &law);
    play(x, &rig, 0, N, 64), play(y, &other, 0, N, 64);
    ENSURE(memcmp(rig.out, other.out, sizeof rig.out) == 0);
    tw_instrument_destroy(x), tw_instrument_destroy(y);
    free_rig(&rig), free_rig(&other);
    return 0;
}

// ---- taking over ----

// the same network, exchanged in the middle of rubbing or of a blow: it goes on as if nothing had been
static int the_same_network_goes_on_as_before(void)
{
    for (int rubs = 0; rubs < 2; rubs++)
    {
        make_rig(&rig, rubs, 6);
        make_rig(&other, rubs, 6);
        twInstrument *x, *y;
        ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
        ENSURE(tw_instrument_create(&y, &other.def, NULL) == TW_OK);
        int at = rubs ? 2000 : 8;
        if (!rubs) tw_net_strike(tw_instrument_net(x), 0, 1), tw_net_strike(tw_instrument_net(y), 0, 1);
        play(x, &rig, 0, at, 64), play(y, &other, 0, at, 64);
        ENSURE(rubs || tw_net_closed(tw_instrument_net(x), 0));
        double before = stored(tw_instrument_net(x));
        ENSURE(tw_instrument_change(x, &rig.def, NULL, NULL, NULL) == TW_OK);
        ENSURE_NEAR(stored(tw_instrument_net(x)), before, 1e-13 * before);
        play(x, &rig, at, N, 64), play(y, &other, at, N, 64);
        double worst = 0, largest = 0;
        for (int i = at; i < (rubs ? at + 400 : N); i++)
            worst = fmax(worst, fabs(rig.out[0][i] - other.out[0][i])), largest = fmax(largest, fabs(other.out[0][i]));
        ENSURE(worst <= 1e-9 * largest);
        tw_instrument_destroy(x), tw_instrument_destroy(y);
        free_rig(&rig), free_rig(&other);
    }
    return 0;
}

// other points, modes, masses, rates: never more energy than there was, and never a jump that the sound does not have
static int no_exchange_adds_energy(void)
{
    twRng rng = tw_rng(4);
    for (int round = 0; round < 60; round++)
    {
        bool rubs = round % 2;
        make_rig(&rig, rubs, 1 + round % 20);
        make_rig(&other, rubs, 1 + (round * 7) % 20);
        other.contact.b_point = round % 3 == 0, other.def.rate_hz = round % 5 == 0 ? 96000 : 48000;
        twInstrument* x;
        ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
        if (!rubs) tw_net_strike(tw_instrument_net(x), 0, 2);
        play(x, &rig, 0, 10 + (int)(3000 * tw_rng_uniform(&rng)), 64);
        double before = stored(tw_instrument_net(x));
        ENSURE(tw_instrument_change(x, &other.def, NULL, NULL, NULL) == TW_OK);
        ENSURE(stored(tw_instrument_net(x)) <= before * (1 + 1e-12));
        play(x, &other, 0, N, 64);
        for (int i = 0; i < N; i++) ENSURE(isfinite(other.out[0][i]) && fabs(other.out[0][i]) < 100);
        tw_instrument_destroy(x);
        free_rig(&rig), free_rig(&other);
    }
    return 0;
}

// rubbed at the one point, then at the other: the steps of the sound stay as small as they are
static int another_contact_point_does_not_click(void)
{
    make_rig(&rig, true, 12);
    twInstrument* x;
    ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
    play(x, &rig, 0, 6000, 64);
    double usual = largest_step(rig.out[0], 1000, 6000);
    rig.contact.b_point = 1;
    ENSURE(tw_instrument_change(x, &rig.def, NULL, NULL, NULL) == TW_OK);
    play(x, &rig, 6000, 6100, 64);
    ENSURE(largest_step(rig.out[0], 5998, 6100) <= usual);
    tw_instrument_destroy(x);
    free_rig(&rig);
    return 0;
}

// by less than 6 %: the same network goes on, and arrives at the pitch
static int a_small_change_of_pitch_tunes_in_place(void)
{
    make_rig(&rig, false, 1);
    make_rig(&other, false, 1);
    ((double*)other.bar->freq_hz)[0] *= 1.05;
    ((double*)other.bar->decay)[0] *= 2;
    memset(rig.force, 0, sizeof rig.force), memset(other.force, 0, sizeof other.force);
    twInstrument* x;
    ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
    tw_net_strike(tw_instrument_net(x), 0, 1);
    play(x, &rig, 0, 1000, 64);
    twNet* net = tw_instrument_net(x);
    ENSURE(tw_instrument_change(x, &other.def, NULL, NULL, NULL) == TW_OK);
    ENSURE(tw_instrument_net(x) == net && !tw_instrument_fading(x));
    play(x, &rig, 1000, N, 64);
    double usual = largest_step(rig.out[0], 500, 1000);
    ENSURE(largest_step(rig.out[0], 998, 3000) <= 1.2 * usual);
    // upward zeros from when it has arrived
    double first = 0, last = 0;
    int zeros = 0;
    for (int i = 2200; i < N; i++)
    {
        double a = rig.out[0][i - 1], b = rig.out[0][i];
        if (!(a < 0 && b >= 0)) continue;
        last = i - 1 + a / (a - b);
        if (zeros++ == 0) first = last;
    }
    ENSURE_NEAR((zeros - 1) / (last - first) * 48000, 1.05 * 200, 0.01);
    tw_instrument_destroy(x);
    free_rig(&rig), free_rig(&other);
    return 0;
}

// a mass that presses on modes at rest; stiffer ones take their place
static int a_load_at_rest_stays_at_rest_on_other_modes(void)
{
    make_rig(&rig, false, 6);
    make_rig(&other, false, 6);
    for (int k = 0; k < 6; k++)
    {
        ((double*)other.bar->freq_hz)[k] *= 1.5;
        ((double*)rig.bar->decay)[k] = ((double*)other.bar->decay)[k] = 200;
    }
    for (int i = 0; i < N; i++) rig.force[i] = 1.5 * fmin(1, i / 2000.0);
    twInstrument* x;
    ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK);
    play(x, &rig, 0, 6000, 64);
    ENSURE(tw_instrument_change(x, &other.def, NULL, NULL, NULL) == TW_OK);
    play(x, &rig, 6000, N, 64);
    // let go the modes would reach w x = f/(m w) each
    double most = 0, let_go = 1.5 / (0.02 * 2 * TW_PI * 300);
    for (int i = 6000; i < N; i++) most = fmax(most, fabs(rig.out[0][i]));
    ENSURE(most < 0.01 * let_go);
    tw_instrument_destroy(x);
    free_rig(&rig), free_rig(&other);
    return 0;
}

static int a_change_that_fails_leaves_the_sound_alone(void)
{
    make_rig(&rig, true, 6);
    make_rig(&other, true, 6);
    twInstrument *x, *y;
    twError err;
    ENSURE(tw_instrument_create(&x, &rig.def, NULL) == TW_OK && tw_instrument_create(&y, &other.def, NULL) == TW_OK);
    play(x, &rig, 0, 1000, 64), play(y, &other, 0, 1000, 64);
    rig.contact.b_point = 9;
    ENSURE(tw_instrument_change(x, &rig.def, NULL, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "no point 9"));
    rig.contact.b_point = 0, rig.def.output_count = 1;
    ENSURE(tw_instrument_change(x, &rig.def, NULL, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "outputs"));
    rig.def.output_count = 3;
    play(x, &rig, 1000, N, 64), play(y, &other, 1000, N, 64);
    ENSURE(memcmp(rig.out, other.out, sizeof rig.out) == 0);
    tw_instrument_destroy(x), tw_instrument_destroy(y);
    free_rig(&rig), free_rig(&other);
    return 0;
}

// ---- sketches ----

// a rig by names is the rig
static int a_sketch_builds_what_it_names(void)
{
    make_rig(&rig, true, 6);
    twSketch* s;
    twDraft* draft;
    twInstrument *x = NULL, *y;
    twError err;
    ENSURE(tw_sketch_create(&s, 2, 3, NULL) == TW_OK);
    ENSURE(tw_sketch_object(s, "finger", &draft, NULL) == TW_OK);
    ENSURE(tw_draft_mass(draft, rig.mass->mass, 1, NULL) == TW_OK);
    ENSURE(tw_sketch_object(s, "bar", &draft, NULL) == TW_OK);
    ENSURE(tw_draft_list(draft, rig.bar->freq_hz, 6, NULL) == TW_OK);
    ENSURE(tw_draft_decay(draft, rig.bar->decay, 6, NULL) == TW_OK &&
           tw_draft_mass(draft, rig.bar->mass, 6, NULL) == TW_OK);
    ENSURE(tw_draft_point(draft, 3, rig.bar->shape, 6, NULL) == TW_OK);
    ENSURE(tw_draft_pickup(draft, 0, rig.bar->pickup, 6, NULL) == TW_OK);
    // inputs may be named before the laws that use them
    ENSURE(tw_sketch_contact(s, "rub", "finger", "bar.3", NULL) == TW_OK);
    ENSURE(tw_sketch_input(s, 0, "force", "finger", NULL) == TW_OK &&
           tw_sketch_input(s, 1, "normal", "rub", NULL) == TW_OK);
    ENSURE(tw_sketch_output(s, 0, "velocity", "bar", NULL) == TW_OK &&
           tw_sketch_output(s, 1, "friction", "rub", NULL) == TW_OK);
    ENSURE(tw_sketch_build(s, &x, 48000, 1, NULL) == TW_OK);
    const char* const names[] = {"stiffness", "damping", "beauty"};
    const twFrictionLaw law = tw_friction_law();
    const double values[] = {law.stiffness, law.damping, 1};
    ENSURE(tw_sketch_friction(s, "rub", names, values, 3, &err) == TW_BAD_INPUT && strstr(err.text, "beauty"));
    ENSURE(tw_sketch_friction(s, "nobody", names, values, 2, &err) == TW_BAD_INPUT && strstr(err.text, "nobody"));
    ENSURE(!tw_sketch_changed(s) && tw_sketch_friction(s, "rub", names, values, 2, NULL) == TW_OK);
    ENSURE(tw_sketch_changed(s) && tw_sketch_strike(s, x, "rub", 1, &err) == TW_BAD_INPUT);
    ENSURE(tw_sketch_build(s, &x, 48000, 1, &err) == TW_OK);
    ENSURE(tw_instrument_create(&y, &rig.def, NULL) == TW_OK);
    play(x, &rig, 0, N, 64);
    static double kept[3][N];
    memcpy(kept, rig.out, sizeof kept);
    play(y, &rig, 0, N, 64);
    ENSURE(memcmp(kept, rig.out, sizeof kept) == 0);
    tw_sketch_clear(s);
    ENSURE(tw_sketch_find_object(s, "bar") == -1 && tw_sketch_build(s, &x, 48000, 1, NULL) == TW_OK);
    tw_instrument_destroy(x), tw_instrument_destroy(y);
    tw_sketch_destroy(s);
    free_rig(&rig);
    return 0;
}

// modes above half the sample rate are left out: there may be none to throw
static int a_sketch_throws_nothing_that_has_no_modes(void)
{
    twSketch* s;
    twDraft* draft;
    twInstrument* x = NULL;
    twError err;
    ENSURE(tw_sketch_create(&s, 0, 0, NULL) == TW_OK && tw_sketch_object(s, "a", &draft, NULL) == TW_OK);
    ENSURE(tw_draft_list(draft, (double[]){100, 30000}, 2, NULL) == TW_OK);
    ENSURE(tw_sketch_build(s, &x, 48000, 1, NULL) == TW_OK && tw_net_modes(tw_instrument_net(x), 0) == 1);
    ENSURE(tw_sketch_throw(s, x, "a", 0, 1, NULL) == TW_OK);
    ENSURE(tw_draft_list(draft, (double[]){30000}, 1, NULL) == TW_OK);
    ENSURE(tw_sketch_build(s, &x, 48000, 1, NULL) == TW_OK && tw_net_modes(tw_instrument_net(x), 0) == 0);
    ENSURE(tw_sketch_throw(s, x, "a", 0, 1, &err) == TW_BAD_INPUT && strstr(err.text, "no mode"));
    tw_instrument_destroy(x);
    tw_sketch_destroy(s);
    return 0;
}

static int a_sketch_refuses_what_is_not_there(void)
{
    twSketch* s;
    twDraft* draft;
    twError err;
    ENSURE(tw_sketch_create(&s, -1, 2, NULL) == TW_BAD_INPUT && tw_sketch_create(&s, 2, 1 << 30, NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_create(&s, 2, 2, NULL) == TW_OK);
    static const char* const bad[] = {"", "wall", "a.b",
                                      "a name that is longer than anybody would ever want to write down for an object"};
    ENSURE(tw_sketch_gap(s, "c", 0, NULL) == TW_BAD_INPUT && tw_sketch_normal(s, "c", 1, NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_strike(s, NULL, "c", 1, NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_throw(s, NULL, "a", 0, 1, NULL) == TW_BAD_INPUT);
    for (int i = 0; i < 4; i++) ENSURE(tw_sketch_object(s, bad[i], &draft, NULL) == TW_BAD_INPUT && !draft);
    ENSURE(tw_sketch_object(s, "a", &draft, NULL) == TW_OK && tw_sketch_object(s, "b", &draft, NULL) == TW_OK);
    ENSURE(tw_sketch_contact(s, "c", "a", "nobody", &err) == TW_BAD_INPUT && strstr(err.text, "nobody"));
    static const char* const places[] = {"b.", "b.8", "b.-1", "b.11", "b.x", ".1", "wall.1"};
    for (int i = 0; i < 7; i++) ENSURE(tw_sketch_contact(s, "c", "a", places[i], NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_contact(s, "c", "a", "a.1", NULL) == TW_BAD_INPUT &&
           tw_sketch_contact(s, "c", "wall", "a", NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_find_contact(s, "c") == -1);
    ENSURE(tw_sketch_contact(s, "c", "a", "wall", NULL) == TW_OK &&
           tw_sketch_contact(s, "c", "a", "b.7", NULL) == TW_OK);
    ENSURE(tw_sketch_find_contact(s, "c") == 0);
    ENSURE(tw_sketch_impact(s, "c", NULL, NULL, 0, NULL) == TW_OK);
    ENSURE(tw_sketch_impact(s, "c", (const char*[]){"stiffness"}, (double[]){-1}, 1, NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_gap(s, "c", NAN, NULL) == TW_BAD_INPUT && tw_sketch_gap(s, "c", 0.1, NULL) == TW_OK);
    ENSURE(tw_sketch_normal(s, "c", -1, NULL) == TW_BAD_INPUT && tw_sketch_normal(s, "c", 2, NULL) == TW_OK);
    ENSURE(tw_sketch_strike(s, NULL, "c", 1, &err) == TW_BAD_INPUT && strstr(err.text, "not built"));
    ENSURE(tw_sketch_throw(s, NULL, "a", NAN, 1, NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_input(s, 2, "force", "a", NULL) == TW_BAD_INPUT &&
           tw_sketch_input(s, -1, "force", "a", NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_input(s, 0, "beauty", "a", NULL) == TW_BAD_INPUT &&
           tw_sketch_input(s, 0, "normal", "a", NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_output(s, 0, "slip", "a", NULL) == TW_BAD_INPUT &&
           tw_sketch_output(s, 0, "velocity", "c", NULL) == TW_BAD_INPUT);
    ENSURE(tw_sketch_output(s, 0, "none", "", NULL) == TW_OK && tw_sketch_input(s, 0, "none", "", NULL) == TW_OK);
    tw_sketch_destroy(s);
    return 0;
}

// ---- ramps and names ----

static int a_ramp_is_straight_and_arrives(void)
{
    twRamp r = tw_ramp(1);
    tw_ramp_to(&r, 3, 4);
    for (int i = 0; i < 4; i++) ENSURE_NEAR(tw_ramp_next(&r), 1 + 0.5 * i, 1e-14);
    ENSURE(tw_ramp_next(&r) == 3 && tw_ramp_next(&r) == 3);
    tw_ramp_to(&r, NAN, 4), tw_ramp_to(&r, INFINITY, 4);
    ENSURE(tw_ramp_next(&r) == 3);
    tw_ramp_to(&r, -1, 0);
    ENSURE(tw_ramp_next(&r) == -1);
    tw_ramp_to(&r, 5, -7);
    ENSURE(tw_ramp_next(&r) == 5);
    return 0;
}

static int parameters_have_names_and_symbols(void)
{
    twFrictionLaw f = tw_friction_law();
    twImpactLaw i = tw_impact_law();
    ENSURE(tw_friction_law_find(&f, "sigma0") == &f.stiffness && tw_friction_law_find(&f, "stiffness") == &f.stiffness);
    ENSURE(tw_friction_law_find(&f, "sigma1") == &f.damping && tw_friction_law_find(&f, "sigma2") == &f.viscosity);
    ENSURE(tw_friction_law_find(&f, "sigma3") == &f.noise && tw_friction_law_find(&f, "vs") == &f.stribeck);
    ENSURE(tw_friction_law_find(&f, "mud") == &f.dynamic_friction &&
           tw_friction_law_find(&f, "mus") == &f.static_friction);
    ENSURE(tw_friction_law_find(&f, "c") == &f.breakaway && !tw_friction_law_find(&f, "mass"));
    ENSURE(tw_impact_law_find(&i, "k") == &i.stiffness && tw_impact_law_find(&i, "exponent") == &i.exponent);
    ENSURE(tw_impact_law_find(&i, "mu") == &i.dissipation && !tw_impact_law_find(&i, ""));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(an_instrument_that_nobody_touches_is_its_network)
    RUN(glides_and_fades_do_not_depend_on_blocks)
    RUN(a_law_that_jumps_is_heard_less_if_it_glides)
    RUN(another_law_adds_no_energy)
    RUN(a_stiffer_law_keeps_the_force)
    RUN(a_glide_ends_at_the_law_that_was_set)
    RUN(the_same_network_goes_on_as_before)
    RUN(no_exchange_adds_energy)
    RUN(another_contact_point_does_not_click)
    RUN(a_small_change_of_pitch_tunes_in_place)
    RUN(a_load_at_rest_stays_at_rest_on_other_modes)
    RUN(a_change_that_fails_leaves_the_sound_alone)
    RUN(a_sketch_builds_what_it_names)
    RUN(a_sketch_throws_nothing_that_has_no_modes)
    RUN(a_sketch_refuses_what_is_not_there)
    RUN(a_ramp_is_straight_and_arrives)
    RUN(parameters_have_names_and_symbols)
)
