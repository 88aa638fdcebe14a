// SPDX-License-Identifier: MIT
// Where the energy of a world goes: the account closes, and a body that rings on contacts without losses loses what its own modes take.
#include "world.h"

// how far the sum of the losses is from what is gone, of the largest of all
static double loss_gap(const Stage* s)
{
    const twWorldEnergy e = tw_world_energy(s->world);
    double sum = 0, largest = fabs(e.start) + fabs(e.work);
    for (int i = 0; i < TW_LOSS_COUNT; i++)
    {
        sum += e.loss[i];
        largest = fmax(largest, fabs(e.loss[i]));
    }
    return fabs(e.start - stage_energy(s) - sum) / largest;
}

static double loss_all(const Stage* s) { return tw_world_energy(s->world).start - stage_energy(s); }

static double loss_part(const Stage* s, twLoss loss) { return tw_world_energy(s->world).loss[loss] / loss_all(s); }

// ---- it closes ----

static int account_of_a_heap_that_goes_back_in_time_closes(void)
{
    Stage* s = stage();
    const twBodyShape* ball = stage_ball(s, 0.01, 2500);
    stage_floor(s, 1, 1);
    for (int i = 0; i < 12; i++)
    {
        const int b = stage_body(s, ball, 0.015 * (i % 3), 0.012 * (i % 2), 0.011 + 0.022 * i);
        s->bodies[b].motion.velocity = tw_vec3(0.1 * (i % 4), -0.05 * i, -0.2);
    }
    stage_pair(s, 0, 0)->rolling = 1e-4;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.4);
    ENSURE(tw_world_stats(s->world).rollbacks > 5 && tw_world_stats(s->world).failures == 0);
    ENSURE(loss_gap(s) < 1e-12);
    // each of these is more than the account may be off by: without it it would not close
    ENSURE(loss_part(s, TW_LOSS_NORMAL) > 0.1 && loss_part(s, TW_LOSS_SLIP) > 0.05 &&
           loss_part(s, TW_LOSS_ROLLING) > 1e-3);
    ENSURE(fabs(loss_part(s, TW_LOSS_SOLVER)) < 1e-9 && loss_part(s, TW_LOSS_MATERIAL) == 0 &&
           loss_part(s, TW_LOSS_JOINTS) == 0);
    stage_free(s);
    return 0;
}

static twVec3 loss_push(double time, void* context)
{
    (void)context;
    return tw_vec3(0, 0, -2 * sin(TW_PI * time / 0.01));
}

static const Beam loss_beam = {
    .size = {0.3, 0.03, 0.002}, .density = 7850, .young = 2e11, .cells = 30, .modes = 8, .decay = 8};

static int account_of_joints_modes_and_pushes_closes(void)
{
    Stage* s = stage();
    Beam beam = loss_beam;
    beam.clamped = true;
    const int ruler = stage_body(s, stage_beam(s, &beam), 0, 0, 0);
    const int load = stage_body(s, stage_box(s, 0.01, 0.02, 0.02, 12000), 0.1, 0, 0.0111);
    const int arm = stage_body(s, stage_box(s, 0.1, 0.02, 0.02, 2000), 0.45, 0, 0.2);
    s->bodies[ruler].kind = TW_BODY_FIXED;
    stage_joint(s, TW_JOINT_BALL, arm, -1, tw_vec3(0.5, 0, 0.2));
    s->pushes[0] = (twPushDef){.body = load, .vertex = -1, .force = loss_push, .begin = 0, .end = 0.01};
    s->def.push_count = 1;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.5);
    ENSURE(loss_gap(s) < 1e-12);
    ENSURE(tw_world_energy(s->world).work > 1e-3 && tw_world_stats(s->world).put_to_sleep > 0);
    ENSURE(loss_part(s, TW_LOSS_MATERIAL) > 0.01 && loss_part(s, TW_LOSS_JOINTS) > 1e-9 &&
           loss_part(s, TW_LOSS_SLEEP) > 1e-12);
    ENSURE(fabs(loss_part(s, TW_LOSS_SOLVER)) < 1e-9);
    stage_free(s);
    return 0;
}

// ---- a body that rings on three contacts ----

static twVec3 loss_tap(double time, void* context)
{
    return tw_vec3(0, 0, -*(const double*)context * sin(TW_PI * (time - 0.001) / 1e-3));
}

// [N] of a bar that weighs 1.4 N
static double hard_tap = 0.5, gentle_tap = 0.05;

// a free bar on three balls that do not move, tapped
static Stage* loss_tripod(double dissipation, double friction, double* tap)
{
    Stage* s = stage();
    const twBodyShape* ball = stage_ball(s, 0.005, 7800);
    static const double at[3][2] = {{-0.1, -0.01}, {-0.1, 0.01}, {0.11, 0}};
    const int bar = stage_body(s, stage_beam(s, &loss_beam), 0, 0, 0.001);
    for (int i = 0; i < 3; i++) s->bodies[stage_body(s, ball, at[i][0], at[i][1], -0.005)].kind = TW_BODY_FIXED;
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = (twImpactLaw){1e8, 1.5, dissipation};
    pair->friction.static_friction = pair->friction.dynamic_friction = friction;
    pair->loss_factor = 0;
    s->pushes[0] = (twPushDef){
        .body = bar, .vertex = 0, .force = loss_tap, .context = tap, .begin = 0.001, .end = 0.002, .shortest = 1e-5};
    s->def.push_count = 1;
    s->def.settle = s->def.no_mode_adaptation = true;
    must(stage_start(s), &s->err);
    return s;
}

// Energy of all that moves after the tap, 0.1 s later. @return what is lost in that time beyond what the modes take, of that
static double loss_beyond(Stage* s, double* left)
{
    tw_world_advance(s->world, 0.003);
    const double before = loss_all(s), moving = tw_world_energy(s->world).work - before,
                 material = tw_world_energy(s->world).loss[TW_LOSS_MATERIAL];
    tw_world_advance(s->world, 0.103);
    const double own = tw_world_energy(s->world).loss[TW_LOSS_MATERIAL] - material, all = loss_all(s) - before;
    *left = 1 - all / moving;
    return all / own - 1;
}

static int ringing_body_on_three_contacts_loses_what_its_modes_take(void)
{
    double left, lossy;
    Stage* s = loss_tripod(0, 0, &hard_tap);
    ENSURE(fabs(loss_beyond(s, &left)) < 0.01);
    ENSURE(tw_world_stats(s->world).contacts > 0 && loss_gap(s) < 1e-12);
    // in the air all of it is in the modes, and exp(-2 c t) is left
    ENSURE(left > 0.99 * exp(-2 * loss_beam.decay * 0.1) && left < 1);
    ENSURE(tw_world_energy(s->world).largest_rise < 1e-9 * tw_world_energy(s->world).work);
    stage_free(s);
    // contacts that lose take more
    s = loss_tripod(2, 0, &hard_tap);
    ENSURE(loss_beyond(s, &lossy) > 0.02 && loss_part(s, TW_LOSS_NORMAL) > 0.02 && lossy < left);
    ENSURE(loss_part(s, TW_LOSS_UNRESOLVED) < 1e-3);
    stage_free(s);
    return 0;
}

// what sticks without loss loses nothing either; what slides does
static int bristles_that_stick_lose_nothing(void)
{
    double left;
    Stage* s = loss_tripod(0, 100, &gentle_tap);
    ENSURE(fabs(loss_beyond(s, &left)) < 0.01);
    stage_free(s);
    s = loss_tripod(0, 0.01, &gentle_tap);
    ENSURE(loss_beyond(s, &left) > 0.02 && loss_part(s, TW_LOSS_SLIP) > 0.02);
    stage_free(s);
    return 0;
}

// a bar of one mode that rings in the air: material and sound take what is gone, in the ratio of their decays
static int sound_takes_its_share_of_the_decay(void)
{
    for (int i = 0; i < 2; i++)
    {
        const double radiation = i * 3.0, t = 0.05;
        Stage* s = stage();
        Beam beam = loss_beam;
        beam.modes = 1;
        s->sets[0] = beam_set(&beam);
        twBodyShapeDef def = tw_body_shape_def();
        def.modes = s->sets[0];
        def.max_freq_hz = 1e6;
        def.radiation = &radiation;
        const int bar = stage_body(s, stage_shape_of(s, &def), 0, 0, 0);
        s->pushes[0] = (twPushDef){
            .body = bar, .vertex = 0, .force = loss_tap, .context = &hard_tap, .begin = 0.001, .end = 0.002};
        s->def.push_count = 1;
        s->def.gravity = tw_vec3(0, 0, 0);
        s->def.no_mode_adaptation = true;
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.003);
        const twWorldEnergy before = tw_world_energy(s->world);
        tw_world_advance(s->world, 0.003 + t);
        const twWorldEnergy after = tw_world_energy(s->world);
        const double material = after.loss[TW_LOSS_MATERIAL] - before.loss[TW_LOSS_MATERIAL],
                     sound = after.loss[TW_LOSS_RADIATION] - before.loss[TW_LOSS_RADIATION],
                     gone = before.kinetic + before.elastic - after.kinetic - after.elastic;
        ENSURE_NEAR(sound, material * radiation / (beam.decay - radiation), 1e-12 * material);
        ENSURE_NEAR(sound + material, gone, 1e-9 * gone);
        ENSURE(loss_gap(s) < 1e-12 && material > 0 && (sound > 0) == (i > 0));
        stage_free(s);
    }
    return 0;
}

static int losses_have_names(void)
{
    for (int i = 0; i < TW_LOSS_COUNT; i++)
        for (int k = 0; k < i; k++) ENSURE(strcmp(tw_loss_name((twLoss)i), tw_loss_name((twLoss)k)) != 0);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(account_of_a_heap_that_goes_back_in_time_closes)
    RUN(account_of_joints_modes_and_pushes_closes)
    RUN(ringing_body_on_three_contacts_loses_what_its_modes_take)
    RUN(bristles_that_stick_lose_nothing)
    RUN(sound_takes_its_share_of_the_decay)
    RUN(losses_have_names))
