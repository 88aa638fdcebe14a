// SPDX-License-Identifier: MIT
// Many bodies: stacks that stand, heaps that never gain energy, results that depend on nothing but the scene.
#include "world.h"

static const double gravity = 9.81;

// ---- rest ----

static Stage* stack_stage(int boxes)
{
    Stage* s = stage();
    stage_floor(s, 0.5, 0.5);
    const twBodyShape* box = stage_box(s, 0.1, 0.1, 0.05, 700);
    for (int i = 0; i < boxes; i++) stage_body(s, box, 0, 0, 0.025 + 0.05 * i);
    must(stage_start(s), &s->err);
    return s;
}

static int stack_of_ten_boxes_stands_still_and_silent(void)
{
    Stage* s = stack_stage(10);
    Jitter* jitter = calloc(1, sizeof *jitter);
    for (int i = 1; i <= 30; i++)
    {
        tw_world_advance(s->world, 0.01 * i);
        jitter_take(jitter, s->world);
    }
    twVec3 settled[11];
    for (int b = 0; b <= 10; b++) settled[b] = stage_centre(s, b);
    jitter_begin(jitter);
    for (int i = 31; i <= 50; i++)
    {
        tw_world_advance(s->world, 0.01 * i);
        jitter_take(jitter, s->world);
    }
    for (int b = 1; b <= 10; b++)
    {
        ENSURE(away(stage_centre(s, b), settled[b]) < 1e-9);
        ENSURE(away(stage_centre(s, b), s->bodies[b].motion.position) < 2e-5);
    }
    ENSURE(jitter_worst(jitter) < 1e-4);

    // and what presses is the weight above
    const double weight = gravity * tw_body_shape_mass(s->bodies[1].shape).mass;
    ENSURE(jitter->pair_count == 10);
    for (int p = 0; p < 10; p++)
    {
        const double above = weight * (10 - jitter->pairs[p].body[0]);
        ENSURE_NEAR(fabs(jitter->pairs[p].force.z), above, 1e-3 * above);
    }
    free(jitter);
    stage_free(s);
    return 0;
}

static int box_dropped_on_its_corner_comes_to_rest_on_a_face(void)
{
    Stage* s = stage();
    stage_floor(s, 1, 1);
    s->materials[1] = tw_contact_material(tw_material_find("wood"));
    s->def.material_count = 2;
    const int box = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 700), 0, 0, 0.1);
    s->bodies[box].motion.turn = tw_quat_from_axis_angle(tw_vec3(1, 0.6, 0.2), 0.7);
    s->bodies[box].material = 1;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 1.5);
    ENSURE_NEAR(stage_centre(s, box).z, 0.05, 1e-5);
    ENSURE(tw_vec3_norm(stage_velocity(s, box)) < 1e-5);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(energy.largest_rise <= 1e-9 * energy.start && energy.total_rise <= 1e-9 * energy.start);
    stage_free(s);
    return 0;
}

// ---- heaps ----

// boxes, balls and bars that fall into a heap, of random materials and speeds, with random settings
static Stage* heap_stage(uint64_t seed, int count)
{
    Stage* s = stage();
    twRng rng = tw_rng(seed);
    int known;
    const twMaterial* all = tw_materials(&known);
    for (int i = 0; i < 4; i++) s->materials[i] = tw_contact_material(all + tw_rng_next(&rng) % (unsigned)known);
    s->def.material_count = 4;
    stage_floor(s, 1, 1);
    const Beam bar = {.size = tw_vec3(0.2, 0.04, 0.004),
                      .density = 2700,
                      .young = 6.9e10,
                      .cells = 10,
                      .modes = 4,
                      .decay = tw_rng_between(&rng, 0, 20)};
    const twBodyShape* shapes[] = {stage_box(s, 0.06, 0.05, 0.04, 700), stage_ball(s, 0.02, 2500), stage_beam(s, &bar)};
    for (int i = 0; i < count; i++)
    {
        const int b = stage_body(s, shapes[tw_rng_next(&rng) % 3], 0.1 * tw_rng_normal(&rng), 0.1 * tw_rng_normal(&rng),
                                 0.12 + 0.2 * i);
        s->bodies[b].material = (int)(tw_rng_next(&rng) % 4);
        s->bodies[b].motion.turn = random_turn(&rng);
        s->bodies[b].motion.velocity = tw_vec3(0.3 * tw_rng_normal(&rng), 0.3 * tw_rng_normal(&rng), -0.8 * i);
        s->bodies[b].motion.spin = tw_vec3_scale(random_unit(&rng), 10 * tw_rng_uniform(&rng));
    }
    s->def.max_step = pow(10, tw_rng_between(&rng, -4, -3));
    s->def.steps_per_impact = (double)(tw_rng_next(&rng) % 3) * 3;
    s->def.no_private_clocks = tw_rng_next(&rng) % 2;
    s->def.no_mode_adaptation = tw_rng_next(&rng) % 2;
    s->def.no_friction_culling = tw_rng_next(&rng) % 2;
    return s;
}

static int heaps_of_anything_never_gain_energy(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
    {
        Stage* s = heap_stage(seed, 5);
        must(stage_start(s), &s->err);
        double last = stage_energy(s);
        for (int i = 1; i <= 10; i++)
        {
            tw_world_advance(s->world, 0.04 * i);
            const double now = stage_energy(s), start = tw_world_energy(s->world).start;
            ENSURE(now <= last + 1e-9 * start);
            last = now;
        }
        const twWorldEnergy energy = tw_world_energy(s->world);
        const twWorldStats stats = tw_world_stats(s->world);
        ENSURE(energy.largest_rise <= 1e-9 * energy.start);
        ENSURE(energy.total_rise <= 1e-8 * energy.start);
        ENSURE(stats.lost == 0 && stats.dropped == 0);
        ENSURE(last < 0.99 * energy.start);
        for (int b = 1; b < s->def.body_count; b++) ENSURE(stage_centre(s, b).z > 0);
        stage_free(s);
    }
    return 0;
}

static void shaking(double time, twBodyMotion* out, void* context)
{
    const double size = *(const double*)context, w = 60;
    *out = (twBodyMotion){.position = tw_vec3(0, 0, -0.025 + size * sin(w * time)),
                          .turn = tw_quat_identity(),
                          .velocity = tw_vec3(0, 0, size * w * cos(w * time))};
}

// a floor that shakes does work; without it the energy falls
static int shaken_bodies_gain_no_more_than_the_floor_gives(void)
{
    Stage* s = heap_stage(5, 3);
    double size = 0.01;
    s->bodies[0].kind = TW_BODY_MOVED;
    s->bodies[0].path = shaking;
    s->bodies[0].path_context = &size;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.5);
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(energy.work > 0);
    ENSURE(stage_energy(s) <= energy.start * (1 + 1e-9));
    ENSURE(energy.largest_rise <= 1e-9 * (energy.start + energy.work));
    stage_free(s);
    return 0;
}

// ---- the same again ----

// everything that comes out of a run: motion, and forces in their order
static twHash heap_hash(uint64_t seed, int threads, int parts)
{
    Stage* s = heap_stage(seed, 5);
    twHash hash = {0, 0};
    s->def.threads = threads;
    // a second heap, out of reach of the first
    const int first = s->def.body_count;
    for (int b = 0; b < first; b++)
    {
        s->bodies[first + b] = s->bodies[b];
        s->bodies[first + b].motion.position.x += 5;
    }
    s->def.body_count = 2 * first;
    must(stage_start(s), &s->err);
    for (int i = 1; i <= parts; i++)
    {
        int count;
        tw_world_advance(s->world, 0.24 * i / parts);
        const twContactForce* forces = tw_world_forces(s->world, &count);
        for (int k = 0; k < count; k++)
        {
            const double values[] = {forces[k].time,    forces[k].force.x,         forces[k].force.y,
                                     forces[k].force.z, (double)forces[k].body[0], (double)forces[k].body[1]};
            hash = tw_hash(&forces[k].id, sizeof forces[k].id, hash);
            hash = tw_hash(values, sizeof values, hash);
        }
    }
    const twHash end = stage_hash(s);
    hash = tw_hash(&end, sizeof end, hash);
    stage_free(s);
    return hash;
}

static int threads_and_repetition_change_no_bit(void)
{
    const twHash one = heap_hash(2, 1, 4);
    ENSURE(same_hash(one, heap_hash(2, 1, 4)));
    ENSURE(same_hash(one, heap_hash(2, 2, 4)));
    ENSURE(same_hash(one, heap_hash(2, 3, 4)));
    return 0;
}

static int asking_more_often_changes_no_bit(void)
{
    ENSURE(same_hash(heap_hash(2, 1, 1), heap_hash(2, 1, 12)));
    return 0;
}

static int loaded_world_goes_on_to_the_bit(void)
{
    twRng rng = tw_rng(11);
    for (uint64_t seed = 2; seed <= 4; seed++)
    {
        Stage *a = heap_stage(seed, 4), *b = heap_stage(seed, 4);
        void* bytes;
        size_t count;
        const double time = tw_rng_between(&rng, 0.02, 0.25);
        must(stage_start(a) && stage_start(b), &a->err);
        tw_world_advance(a->world, time);
        ENSURE(tw_world_save(a->world, &bytes, &count, &a->err) == TW_OK);
        tw_world_advance(b->world, tw_rng_between(&rng, 0, 0.1));
        must(tw_world_load(b->world, bytes, count, &b->err) == TW_OK, &b->err);
        ENSURE(same_hash(stage_hash(a), stage_hash(b)));
        tw_world_advance(a->world, 0.3);
        tw_world_advance(b->world, 0.3);
        ENSURE(same_hash(stage_hash(a), stage_hash(b)));
        const twWorldEnergy ea = tw_world_energy(a->world), eb = tw_world_energy(b->world);
        ENSURE(memcmp(&ea, &eb, sizeof ea) == 0);
        free(bytes);
        stage_free(a);
        stage_free(b);
    }
    return 0;
}

// ---- a billiard ----

// a row of touching balls, elastic: what comes in at one end goes out at the other
static int hundred_marbles_that_meet_in_pairs_keep_energy_and_momentum(void)
{
    Stage* s = stage();
    const twBodyShape* ball = stage_ball(s, 0.01, 2500);
    for (int i = 0; i < 100; i++)
    {
        const int b = stage_body(s, ball, 0.03 * (i % 10), 0.03 * (i / 10), 0);
        s->bodies[b].motion.velocity =
            tw_vec3((i * 37 % 11 - 5) * 0.1, (i * 53 % 13 - 6) * 0.1, (i * 29 % 7 - 3) * 0.02);
    }
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = (twImpactLaw){1e9, 1.5, 0};
    pair->friction.static_friction = pair->friction.dynamic_friction = 0;
    s->def.gravity = tw_vec3(0, 0, 0);
    must(stage_start(s), &s->err);
    const twVec3 momentum = stage_momentum(s), turning = stage_whole_turning(s);
    tw_world_advance(s->world, 0.1);
    const twWorldEnergy energy = tw_world_energy(s->world);
    const double size = 100 * tw_body_shape_mass(ball).mass * 0.5;
    ENSURE(tw_world_stats(s->world).contacts > 100);
    ENSURE(away(stage_momentum(s), momentum) < 1e-12 * size);
    ENSURE(away(stage_whole_turning(s), turning) < 1e-9 * size);
    ENSURE_NEAR(stage_energy(s), energy.start, 1e-6 * energy.start);
    ENSURE(energy.largest_rise <= 1e-12 * energy.start);
    stage_free(s);
    return 0;
}

// ---- who can meet whom ----

// a light ball that a heavy one drives at nearly 200 m/s against a wall which neither was near
static int struck_body_meets_what_it_was_not_near(void)
{
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    const double front = 0.05;
    s->bodies[stage_body(s, stage_box(s, 0.1, 1, 1, 7800), front + 0.05, 0, 0)].kind = TW_BODY_FIXED;
    const int light = stage_body(s, stage_ball(s, 0.005, 2000), 0, 0, 0);
    const int heavy = stage_body(s, stage_ball(s, 0.05, 7800), -0.08, 0, 0);
    s->bodies[heavy].motion.velocity.x = 100;
    ENSURE(stage_start(s));
    double farthest = 0;
    for (int i = 1; i <= 50; i++)
    {
        tw_world_advance(s->world, 2e-4 * i);
        farthest = fmax(farthest, stage_centre(s, light).x);
    }
    // it is pressed into the wall, but not to its own middle
    ENSURE(farthest > front - 0.005 && farthest < front);
    ENSURE(tw_world_stats(s->world).escaped == 0);
    stage_free(s);
    return 0;
}

// a ball on a slope cannot settle, and is put back
static int ball_that_cannot_settle_has_not_escaped(void)
{
    Stage* s = stage();
    stage_floor(s, 4, 1);
    stage_body(s, stage_ball(s, 0.02, 2000), 0, 0, 0.02);
    s->def.gravity = tw_vec3(3, 0, -9);
    s->def.settle = true;
    ENSURE(stage_start(s));
    tw_world_advance(s->world, 0.1);
    ENSURE(tw_world_stats(s->world).escaped == 0);
    stage_free(s);
    return 0;
}

// balls of half a millimetre, all nearer to each other than boxes have room
static int crowd_of_tiny_balls_loses_no_pair(void)
{
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    const twBodyShape* ball = stage_ball(s, 5e-4, 2000);
    for (int i = 0; i < 64; i++)
    {
        const twVec3 at = {1.5e-3 * (i % 4 - 1.5), 1.5e-3 * (i / 4 % 4 - 1.5), 1.5e-3 * (i / 16 - 1.5)};
        s->bodies[stage_body(s, ball, at.x, at.y, at.z)].motion.velocity = tw_vec3_scale(at, -20);
    }
    ENSURE(stage_start(s));
    tw_world_advance(s->world, 0.03);
    const twWorldStats stats = tw_world_stats(s->world);
    ENSURE(stats.dropped == 0 && stats.contacts > 0 && stats.lost == 0);
    // none went through another
    for (int a = 0; a < 64; a++)
        for (int b = 0; b < a; b++) ENSURE(away(stage_centre(s, a), stage_centre(s, b)) > 0.99e-3);
    stage_free(s);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(stack_of_ten_boxes_stands_still_and_silent)
    RUN(box_dropped_on_its_corner_comes_to_rest_on_a_face)
    RUN(heaps_of_anything_never_gain_energy)
    RUN(shaken_bodies_gain_no_more_than_the_floor_gives)
    RUN(threads_and_repetition_change_no_bit)
    RUN(asking_more_often_changes_no_bit)
    RUN(loaded_world_goes_on_to_the_bit)
    RUN(hundred_marbles_that_meet_in_pairs_keep_energy_and_momentum)
    RUN(struck_body_meets_what_it_was_not_near)
    RUN(ball_that_cannot_settle_has_not_escaped)
    RUN(crowd_of_tiny_balls_loses_no_pair)
)
