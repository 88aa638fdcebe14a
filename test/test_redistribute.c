// SPDX-License-Identifier: MIT
// Contact forces that are shared more evenly and more steadily, and do the same to the body.
#include "sound/redistribute.h"
#include "test.h"
#include <stdlib.h>

#define MOST 200

typedef struct Load
{
    RedistributeContact c[MOST];
    int count;
} Load;

static twVec3 random_vector(twRng* rng, double size)
{
    const double x = tw_rng_between(rng, -size, size), y = tw_rng_between(rng, -size, size);
    return tw_vec3(x, y, tw_rng_between(rng, -size, size));
}

// contacts anywhere about a body, with forces inside their cones; every third does not push
static Load random_load(twRng* rng, int count)
{
    Load load = {.count = count};
    for (int k = 0; k < count; k++)
    {
        RedistributeContact* c = &load.c[k];
        *c = (RedistributeContact){.id = 10 + (uint64_t)k, .friction = tw_rng_between(rng, 0.1, 0.9)};
        c->place = random_vector(rng, 0.1);
        c->normal = tw_vec3_normalize(tw_vec3_add(tw_vec3(0, 0, 1.2), random_vector(rng, 1)));
        const twVec3 along = tw_vec3_cross(c->normal, random_vector(rng, 1));
        const double push = k % 3 == 2 ? 0 : tw_rng_between(rng, 0, 5), slide = tw_vec3_norm(along);
        c->force = tw_vec3_scale(c->normal, push);
        if (slide > 0) c->force = tw_vec3_add_scaled(c->force, along, c->friction * push * tw_rng_uniform(rng) / slide);
    }
    return load;
}

// what is off in force and torque, of what all forces together could do
static double off(const Load* load, const twVec3* x)
{
    twVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    double size = 0, turn = 0;
    for (int k = 0; k < load->count; k++)
    {
        const twVec3 change = tw_vec3_sub(x[k], load->c[k].force);
        force = tw_vec3_add(force, change);
        torque = tw_vec3_add(torque, tw_vec3_cross(load->c[k].place, change));
        size += tw_vec3_norm(load->c[k].force);
        turn += tw_vec3_norm(load->c[k].force) * tw_vec3_norm(load->c[k].place);
    }
    return fmax(tw_vec3_norm(force) / size, tw_vec3_norm(torque) / turn);
}

// the farthest that a force is outside of its cone, of the largest force
static double out_of_cones(const Load* load, const twVec3* x)
{
    double most = 0, size = 0;
    for (int k = 0; k < load->count; k++)
    {
        const double push = tw_vec3_dot(x[k], load->c[k].normal);
        const double slide = tw_vec3_norm(tw_vec3_add_scaled(x[k], load->c[k].normal, -push));
        most = fmax(most, fmax(-push, slide - load->c[k].friction * push));
        size = fmax(size, tw_vec3_norm(load->c[k].force));
    }
    return most / size;
}

static Redistribution* make(int rows)
{
    Redistribution* state;
    return redistribute_create(&state, MOST, rows, NULL) == TW_OK ? state : NULL;
}

// four legs, at the corners of a square
static Load table(const double push[4], double friction)
{
    Load load = {.count = 4};
    for (int k = 0; k < 4; k++)
        load.c[k] = (RedistributeContact){.id = 1 + (uint64_t)k,
                                          .place = {k % 3 ? 0.5 : -0.5, k < 2 ? -0.5 : 0.5, -0.7},
                                          .normal = {0, 0, 1},
                                          .friction = friction,
                                          .force = {0, 0, push[k]}};
    return load;
}

// ---- claims ----

static int force_and_torque_are_kept(void)
{
    twRng rng = tw_rng(1);
    twVec3 x[MOST];
    Redistribution* state = make(0);
    ENSURE(state);
    double most = 0;
    for (int round = 0; round < 400; round++)
    {
        const Load load = random_load(&rng, 1 + (int)(tw_rng_next(&rng) % 40));
        redistribute_step(state, load.c, load.count, NULL, 0, x);
        most = fmax(most, off(&load, x));
    }
    ENSURE(most > 0 && most < 1e-12);
    ENSURE(redistribute_stats(state).kept <= 4);
    redistribute_destroy(state);
    redistribute_destroy(NULL);
    return 0;
}

static int forces_push_and_stay_in_their_cones(void)
{
    twRng rng = tw_rng(2);
    twVec3 x[MOST];
    Redistribution* state = make(0);
    ENSURE(state);
    for (int round = 0; round < 400; round++)
    {
        const Load load = random_load(&rng, 1 + (int)(tw_rng_next(&rng) % 40));
        redistribute_step(state, load.c, load.count, NULL, 0, x);
        ENSURE(out_of_cones(&load, x) < 1e-11);
    }
    redistribute_destroy(state);
    return 0;
}

// the paper: impulses of the step before are 0 at first, and the nearest to that is the most even
static int the_first_step_is_the_most_even(void)
{
    const double push[] = {10, 0, 10, 0};
    const Load load = table(push, 0.5);
    twVec3 x[4];
    Redistribution* state = make(0);
    ENSURE(state && redistribute_step(state, load.c, 4, NULL, 0, x));
    for (int k = 0; k < 4; k++)
    {
        ENSURE_NEAR(x[k].z, 5, 1e-12);
        ENSURE_NEAR(hypot(x[k].x, x[k].y), 0, 1e-12);
    }
    redistribute_destroy(state);
    return 0;
}

static int a_force_that_cannot_be_otherwise_stays(void)
{
    twRng rng = tw_rng(3);
    twVec3 x[MOST];
    Redistribution* state = make(0);
    ENSURE(state);

    // one contact, sticking or sliding; three without friction
    for (int round = 0; round < 60; round++)
    {
        Load load = random_load(&rng, round % 2 ? 1 : 3);
        for (int k = 0; k < load.count && load.count == 3; k++)
        {
            load.c[k].friction = 0;
            load.c[k].force = tw_vec3_scale(load.c[k].normal, 1 + k);
        }
        redistribute_reset(state);
        ENSURE(redistribute_step(state, load.c, load.count, NULL, 0, x));
        for (int k = 0; k < load.count; k++)
            ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(x[k], load.c[k].force)), 0, 1e-9 * tw_vec3_norm(load.c[k].force));
    }

    // four legs without friction whose load stands on one edge: the other two cannot push
    const double push[] = {3, 4, 0, 0};
    const Load edge = table(push, 0);
    redistribute_step(state, edge.c, 4, NULL, 0, x);
    for (int k = 0; k < 4; k++) ENSURE_NEAR(x[k].z, push[k], 1e-9);
    redistribute_destroy(state);
    return 0;
}

// mean change of the forces from step to step
static double jitter(Redistribution* state, double friction, double noise)
{
    twRng rng = tw_rng(4);
    twVec3 x[4], before[4];
    double sum = 0;
    for (int step = 0; step < 200; step++)
    {
        // two legs carry all, now these and now those; the load itself is not quite steady
        const double all = 10 + noise * tw_rng_between(&rng, -1, 1);
        const double push[] = {step % 2 ? all : 0, step % 2 ? 0 : all, step % 2 ? all : 0, step % 2 ? 0 : all};
        const Load load = table(push, friction);
        for (int k = 0; k < 4; k++) x[k] = load.c[k].force;
        if (state) redistribute_step(state, load.c, 4, NULL, 0, x);
        for (int k = 0; k < 4 && step > 0; k++) sum += tw_vec3_norm(tw_vec3_sub(x[k], before[k])) / (4 * 199);
        memcpy(before, x, sizeof x);
    }
    return sum;
}

static int what_flickers_between_two_solutions_becomes_steady(void)
{
    for (int i = 0; i < 2; i++)
    {
        Redistribution* state = make(0);
        ENSURE(state);
        const double raw = jitter(NULL, 0.4 * i, 0.01);
        ENSURE(raw > 9.9 && jitter(state, 0.4 * i, 0) < 1e-12 * raw);
        redistribute_reset(state);
        ENSURE(jitter(state, 0.4 * i, 0.01) < 1e-3 * raw);
        redistribute_destroy(state);
    }
    return 0;
}

static int forces_and_lengths_may_be_of_any_size(void)
{
    twRng rng = tw_rng(6);
    twVec3 x[MOST], y[MOST];
    for (int round = 0; round < 20; round++)
    {
        Redistribution *a = make(0), *b = make(0);
        ENSURE(a && b);
        Load load = random_load(&rng, 12);
        for (int step = 0; step < 2; step++)
        {
            Load large = load;
            for (int k = 0; k < 12; k++)
            {
                large.c[k].force = tw_vec3_scale(load.c[k].force, 3e7);
                large.c[k].place = tw_vec3_scale(load.c[k].place, 2e-4);
            }
            ENSURE(redistribute_step(a, load.c, 12, NULL, 0, x) && redistribute_step(b, large.c, 12, NULL, 0, y));
            for (int k = 0; k < 12; k++)
                ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(tw_vec3_scale(x[k], 3e7), y[k])), 0, 1e-8 * 3e7 * 5);
            for (int k = 0; k < 12; k++) load.c[k].force = tw_vec3_scale(load.c[k].force, 1 + 0.1 * (k % 2));
        }
        redistribute_destroy(a);
        redistribute_destroy(b);
    }
    return 0;
}

// ---- against another method: Dykstra's alternating projections ----

static void onto_cone(double mu, twVec3 n, twVec3* f)
{
    const double push = tw_vec3_dot(n, *f);
    const twVec3 along = tw_vec3_add_scaled(*f, n, -push);
    const double slide = tw_vec3_norm(along);
    if (slide <= mu * push) return;
    const double along_edge = (push + mu * slide) / (1 + mu * mu);
    const double p = along_edge > 0 ? along_edge : 0;
    *f = tw_vec3_add_scaled(tw_vec3_scale(n, p), along, slide > 0 ? mu * p / slide : 0);
}

// least change that gives the sums of the load
static void onto_sums(const Load* load, twVec3* x)
{
    double a[36] = {0}, sum[6] = {0};
    int pivot[6];
    for (int k = 0; k < load->count; k++)
    {
        const twMat3 r = tw_mat3_skew(load->c[k].place);
        const twVec3 d = tw_vec3_sub(load->c[k].force, x[k]), t = tw_vec3_cross(load->c[k].place, d);
        const double g[6][3] = {{1, 0, 0},
                                {0, 1, 0},
                                {0, 0, 1},
                                {r.m[0][0], r.m[0][1], r.m[0][2]},
                                {r.m[1][0], r.m[1][1], r.m[1][2]},
                                {r.m[2][0], r.m[2][1], r.m[2][2]}};
        const double add[6] = {d.x, d.y, d.z, t.x, t.y, t.z};
        for (int i = 0; i < 6; i++)
        {
            sum[i] += add[i];
            for (int j = 0; j < 6; j++)
                for (int q = 0; q < 3; q++) a[6 * i + j] += g[i][q] * g[j][q];
        }
    }
    if (!tw_lu_factor(a, pivot, 6)) return;
    tw_lu_solve(a, pivot, 6, sum);
    const twVec3 l = tw_vec3(sum[0], sum[1], sum[2]), w = tw_vec3(sum[3], sum[4], sum[5]);
    for (int k = 0; k < load->count; k++) x[k] = tw_vec3_add(x[k], tw_vec3_add(l, tw_vec3_cross(w, load->c[k].place)));
}

static void onto_limit(double most, twVec3 n, twVec3* f)
{
    const double over = tw_vec3_dot(n, *f) - most;
    if (over > 0) *f = tw_vec3_add_scaled(*f, n, -over);
}

// most: how much each may push
static void dykstra(const Load* load, const twVec3* near, const double* most, twVec3* x, int turns)
{
    twVec3 extra[MOST] = {{0}}, over[MOST] = {{0}};
    memcpy(x, near, (size_t)load->count * sizeof *x);
    for (int turn = 0; turn < turns; turn++)
    {
        onto_sums(load, x);
        for (int k = 0; k < load->count; k++)
        {
            const twVec3 v = tw_vec3_add(x[k], extra[k]);
            x[k] = v;
            onto_cone(load->c[k].friction, load->c[k].normal, &x[k]);
            extra[k] = tw_vec3_sub(v, x[k]);
            const twVec3 w = tw_vec3_add(x[k], over[k]);
            x[k] = w;
            onto_limit(most[k], load->c[k].normal, &x[k]);
            over[k] = tw_vec3_sub(w, x[k]);
        }
    }
}

static double sum_of(const Load* load)
{
    double sum = 0;
    for (int k = 0; k < load->count; k++) sum += tw_vec3_norm(load->c[k].force);
    return sum;
}

static int it_is_the_nearest_by_another_method(void)
{
    twRng rng = tw_rng(7);
    twVec3 x[MOST], y[MOST], near[MOST];
    double most[10];
    for (int k = 0; k < 10; k++) most[k] = HUGE_VAL;
    for (int round = 0; round < 12; round++)
    {
        Redistribution* state = make(0);
        ENSURE(state);
        Load load = random_load(&rng, 10);
        memset(near, 0, sizeof near);
        for (int step = 0; step < 3; step++)
        {
            ENSURE(redistribute_step(state, load.c, 10, NULL, 0, x));
            dykstra(&load, near, most, y, 4000);
            for (int k = 0; k < 10; k++) ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(x[k], y[k])), 0, 1e-4);
            const double before = sum_of(&load);
            const Load other = random_load(&rng, 10);
            for (int k = 0; k < 10; k++)
                load.c[k].force = tw_vec3_scale(load.c[k].normal, tw_vec3_norm(other.c[k].force));
            const double fade = fmin(1, sum_of(&load) / before);
            for (int k = 0; k < 10; k++) near[k] = tw_vec3_scale(x[k], fade);
        }
        redistribute_destroy(state);
    }
    return 0;
}

// contacts that have ended: half as much as before at most, and nearest to less
static int what_fades_is_the_nearest_of_what_it_may_be(void)
{
    twRng rng = tw_rng(17);
    twVec3 x[MOST], y[MOST], near[MOST];
    double most[10];
    int at_limit = 0;
    for (int round = 0; round < 12; round++)
    {
        Redistribution* state = make(0);
        ENSURE(state);
        Load load = random_load(&rng, 10);
        ENSURE(redistribute_step(state, load.c, 10, NULL, 0, x));
        const double before = sum_of(&load);
        for (int k = 0; k < 10; k++)
        {
            const bool ends = k % 3 == 0;
            load.c[k].force = tw_vec3_scale(load.c[k].normal, ends ? 0 : 2 * tw_vec3_norm(load.c[k].force));
            load.c[k].fade = ends ? 0.7 : 0;
            load.c[k].limit = ends ? 0.5 : 0;
            most[k] = ends ? 0.5 * tw_vec3_dot(x[k], load.c[k].normal) : HUGE_VAL;
        }
        const double fade = fmin(1, sum_of(&load) / before);
        for (int k = 0; k < 10; k++) near[k] = tw_vec3_scale(x[k], fade * (k % 3 == 0 ? 0.3 : 1));
        ENSURE(redistribute_step(state, load.c, 10, NULL, 0, x));
        ENSURE(off(&load, x) < 1e-12 && out_of_cones(&load, x) < 1e-11);
        dykstra(&load, near, most, y, 4000);
        for (int k = 0; k < 10; k++)
        {
            const double push = tw_vec3_dot(x[k], load.c[k].normal);
            ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(x[k], y[k])), 0, 1e-4);
            ENSURE(push <= most[k] + 1e-10);
            at_limit += push > most[k] - 1e-9;
        }
        redistribute_destroy(state);
    }
    ENSURE(at_limit >= 5);
    return 0;
}

// ---- the rest ----

// a block in a slot, struck from below: what holds it from above need not press because the floor did
static int what_a_blow_pressed_does_not_go_on_as_tension(void)
{
    Load load = {.count = 4};
    twVec3 x[4];
    Redistribution* state = make(0);
    ENSURE(state);
    for (int step = 0; step < 3; step++)
    {
        const double blow = step == 0 ? 500 : 5;
        for (int k = 0; k < 4; k++)
            load.c[k] = (RedistributeContact){.id = 1 + (uint64_t)k,
                                              .place = {k % 2 ? 0.1 : -0.1, 0, k < 2 ? -0.1 : 0.1},
                                              .normal = {0, 0, k < 2 ? 1 : -1},
                                              .friction = 0.3,
                                              .force = {0, 0, k < 2 ? blow : 0}};
        ENSURE(redistribute_step(state, load.c, 4, NULL, 0, x) && off(&load, x) < 1e-12);
        for (int k = 0; k < 4; k++) ENSURE_NEAR(x[k].z, k < 2 ? blow : 0, 1e-9 * blow);
    }
    redistribute_destroy(state);
    return 0;
}

static int what_modes_feel_is_kept_with_it(void)
{
    twRng rng = tw_rng(8);
    twVec3 x[MOST];
    double rows[20 * 4 * 3];
    Redistribution* state = make(4);
    ENSURE(state);
    for (int round = 0; round < 50; round++)
    {
        const Load load = random_load(&rng, 20);
        for (int i = 0; i < 240; i++) rows[i] = tw_rng_between(&rng, -30, 30);
        ENSURE(redistribute_step(state, load.c, 20, rows, 4, x));
        ENSURE(off(&load, x) < 1e-12);
        for (int j = 0; j < 4; j++)
        {
            double sum = 0, change = 0;
            for (int k = 0; k < 20; k++)
            {
                const double* row = rows + 3 * (4 * k + j);
                const twVec3 d = tw_vec3_sub(x[k], load.c[k].force);
                sum += row[0] * d.x + row[1] * d.y + row[2] * d.z;
                change += 30 * tw_vec3_norm(d);
            }
            ENSURE(change > 1 && fabs(sum) < 1e-11 * change);
        }
    }
    redistribute_destroy(state);
    return 0;
}

// contacts come and go and change their order: each finds its own
static int contacts_are_known_by_their_ids(void)
{
    const double push[] = {8, 2, 8, 2};
    Load load = table(push, 0), turned = {.count = 4};
    twVec3 x[4], y[4];
    Redistribution* state = make(0);
    ENSURE(state && redistribute_step(state, load.c, 4, NULL, 0, x));
    const double other[] = {0, 10, 0, 10};
    load = table(other, 0);
    for (int k = 0; k < 4; k++) turned.c[k] = load.c[3 - k];
    ENSURE(redistribute_step(state, turned.c, 4, NULL, 0, y));
    for (int k = 0; k < 4; k++) ENSURE_NEAR(y[k].z, x[3 - k].z, 1e-12);
    redistribute_destroy(state);
    return 0;
}

static int what_makes_no_sense_is_left_as_it_is(void)
{
    twRng rng = tw_rng(9);
    twVec3 x[MOST + 1];
    Redistribution* state = make(0);
    ENSURE(state);
    RedistributeContact many[MOST + 1] = {{0}};
    for (int k = 0; k <= MOST; k++)
        many[k] = (RedistributeContact){.id = (uint64_t)k, .normal = {0, 0, 1}, .force = {0, 0, k}};
    ENSURE(!redistribute_step(state, many, MOST + 1, NULL, 0, x) && x[7].z == 7);
    ENSURE(!redistribute_step(state, many, 1, NULL, 0, x) && x[0].z == 0);  // no force at all
    ENSURE(!redistribute_step(state, NULL, 0, NULL, 0, x));
    Load load = random_load(&rng, 8);
    load.c[3].force.y = NAN;
    ENSURE(!redistribute_step(state, load.c, 8, NULL, 0, x) && x[0].x == load.c[0].force.x);

    // one that pulls stays, the others share what is theirs
    load = random_load(&rng, 8);
    load.c[3].force = tw_vec3_scale(load.c[3].normal, -2);
    ENSURE(redistribute_step(state, load.c, 8, NULL, 0, x));
    ENSURE(tw_vec3_norm(tw_vec3_sub(x[3], load.c[3].force)) == 0 && off(&load, x) < 1e-12);
    ENSURE(tw_vec3_norm(tw_vec3_sub(x[0], load.c[0].force)) > 0);
    ENSURE(redistribute_stats(state).steps == 5 && redistribute_stats(state).kept == 4);
    redistribute_destroy(state);
    return 0;
}

// 200 contacts under one body, as many as there is room for
static int many_contacts_are_no_trouble(void)
{
    twRng rng = tw_rng(10);
    twVec3 x[MOST];
    Redistribution* state = make(0);
    ENSURE(state);
    for (int step = 0; step < 20; step++)
    {
        const Load load = random_load(&rng, MOST);
        ENSURE(redistribute_step(state, load.c, MOST, NULL, 0, x));
        ENSURE(off(&load, x) < 1e-12 && out_of_cones(&load, x) < 1e-11);
    }
    ENSURE(redistribute_stats(state).iterations < 20 * 20);
    redistribute_destroy(state);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(force_and_torque_are_kept)
    RUN(forces_push_and_stay_in_their_cones)
    RUN(the_first_step_is_the_most_even)
    RUN(a_force_that_cannot_be_otherwise_stays)
    RUN(what_flickers_between_two_solutions_becomes_steady)
    RUN(forces_and_lengths_may_be_of_any_size)
    RUN(it_is_the_nearest_by_another_method)
    RUN(what_fades_is_the_nearest_of_what_it_may_be)
    RUN(what_a_blow_pressed_does_not_go_on_as_tension)
    RUN(what_modes_feel_is_kept_with_it)
    RUN(contacts_are_known_by_their_ids)
    RUN(what_makes_no_sense_is_left_as_it_is)
    RUN(many_contacts_are_no_trouble)
)
