// SPDX-License-Identifier: MIT
// Bodies that come and go, are struck and thrown while a world runs; grabs that are saved.
#include "test.h"
#include "world.h"
#include <stdlib.h>

static int a_strike_gives_its_impulse_and_no_more_energy_than_its_work(void)
{
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    const Beam bar = {.size = {0.4, 0.04, 0.02}, .density = 1000, .young = 2e7, .cells = 8, .modes = 4};
    const int body = stage_body(s, stage_beam(s, &bar), 0, 0, 0);
    must(stage_start(s), &s->err);
    const twSurfacePoint end = tw_surface_vertex(tw_body_shape_nearest(s->bodies[body].shape, tw_vec3(0.2, 0, 0.01)));
    const twVec3 impulse = {0.1, 0, 0.3};
    must(tw_world_strike(s->world, body, &end, impulse, &s->err) == TW_OK, &s->err);
    const twVec3 p = stage_momentum(s);
    ENSURE_NEAR(p.x, 0.1, 1e-12);
    ENSURE_NEAR(p.z, 0.3, 1e-12);

    const twWorldEnergy e = tw_world_energy(s->world);
    ENSURE_NEAR(e.work, e.kinetic, 1e-12);
    tw_world_advance(s->world, 0.5);
    ENSURE_NEAR(stage_energy(s), 0, 1e-9);
    stage_free(s);
    return 0;
}

static int a_strike_is_listed_as_its_impulse(void)
{
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    const int box = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 0);
    must(stage_start(s), &s->err);
    const twSurfacePoint corner = tw_surface_vertex(0);
    must(tw_world_strike(s->world, box, &corner, tw_vec3(0, 0, 2), &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 0.01);
    int count;
    const twContactForce* f = tw_world_forces(s->world, &count);
    ENSURE(count == 2);
    for (int i = 0; i < 3; i++)
    {
        const twVec3 none = {i == 0 ? NAN : 0, i == 1 ? NAN : 1, i == 2 ? NAN : 0};
        ENSURE(tw_world_strike(s->world, box, &corner, none, NULL) == TW_BAD_INPUT);
    }
    ENSURE_NEAR(f[0].force.z * (f[1].time - f[0].time), 2, 1e-12);
    ENSURE(f[1].force.z == 0);
    stage_free(s);
    return 0;
}

static int a_thrown_body_flies_on_from_where_it_is_put(void)
{
    Stage* s = stage();
    s->def.max_grabs = 1;
    stage_floor(s, 1, 1);
    const int box = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 0.05);
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.2);
    const twBodyMotion to = {.position = {0, 0, 3}, .turn = {1, 0, 0, 0}, .velocity = {1, 0, 2}};
    must(tw_world_throw(s->world, box, &to, &s->err) == TW_OK, &s->err);
    const double before = stage_energy(s);
    tw_world_advance(s->world, 0.6);
    const twBodyMotion now = stage_now(s, box);
    ENSURE_NEAR(now.position.x, 0.4, 1e-6);
    ENSURE_NEAR(now.position.z, 3 + 2 * 0.4 - 0.5 * 9.81 * 0.16, 1e-4);
    ENSURE(stage_energy(s) <= before + 1e-9);
    // what is fixed, and what is no place, are refused
    ENSURE(tw_world_throw(s->world, 0, &to, NULL) == TW_BAD_INPUT);
    twBodyMotion bad = to;
    bad.velocity.y = NAN;
    ENSURE(tw_world_throw(s->world, box, &bad, NULL) == TW_BAD_INPUT);
    stage_free(s);
    return 0;
}

static int a_thrown_body_that_is_held_comes_to_its_target_anew(void)
{
    Stage* s = stage();
    s->def.max_grabs = 1;
    const int box = stage_body(s, stage_box(s, 0.1, 0.1, 0.1, 1000), 0, 0, 0);
    must(stage_start(s), &s->err);
    twGrabDef def = tw_grab_def();
    def.at.body = box;
    def.target = tw_vec3(0.05, 0.05, 0.05);
    def.at.point = tw_surface_vertex(tw_body_shape_nearest(s->bodies[box].shape, def.target));
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 0.2);
    const twBodyMotion to = {.position = {1, 0, 0}, .turn = {1, 0, 0, 0}};
    must(tw_world_throw(s->world, box, &to, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 1);
    ENSURE(tw_world_grab_view(s->world, 0).error < 1e-4);
    stage_free(s);
    return 0;
}

static int bodies_come_collide_and_go(void)
{
    for (int fixed = 0; fixed < 2; fixed++)
    {
        Stage* s = stage();
        s->def.spare_bodies = 2;
        s->def.spare_modes = 4;
        s->def.max_grabs = 1;
        s->def.fixed_step = fixed;
        stage_floor(s, 1, 1);
        const twBodyShape* box = stage_box(s, 0.1, 0.1, 0.1, 1000);
        const Beam beam = {
            .size = {0.2, 0.02, 0.02}, .density = 1000, .young = 1e9, .cells = 4, .modes = 4, .decay = 5};
        const twBodyShape* bar = stage_beam(s, &beam);
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 0.01);
        twBodyDef def = tw_body_def();
        def.name = "box";
        def.shape = box;
        def.motion.position = tw_vec3(0, 0, 0.1);
        for (int round = 0; round < 3; round++)
        {
            int first = TW_NOWHERE, second = TW_NOWHERE;
            const double start = tw_world_time(s->world);
            def.shape = round == 1 ? bar : box;
            must(tw_world_add_body(s->world, &def, &first, &s->err) == TW_OK, &s->err);
            twBodyDef other = def;
            other.shape = bar;
            other.motion.position.z = 0.3;
            must(tw_world_add_body(s->world, &other, &second, &s->err) == TW_OK, &s->err);
            int none = -1;
            ENSURE(tw_world_add_body(s->world, &other, &none, NULL) == TW_BAD_INPUT);
            const double before = stage_energy(s);
            twGrabDef grab = tw_grab_def();
            grab.at.body = second;
            grab.here = true;
            must(tw_world_grab(s->world, 0, &grab, &s->err) == TW_OK, &s->err);
            tw_world_advance(s->world, start + 0.05);
            tw_world_release(s->world, 0);
            tw_world_advance(s->world, start + 0.6);
            ENSURE(stage_energy(s) <= before + 1e-9);
            const twBodyMotion low = tw_world_motion(s->world, first, tw_world_time(s->world), NULL, NULL);
            ENSURE(low.position.z > 0 && low.position.z < 0.11);
            must(tw_world_grab(s->world, 0, &grab, &s->err) == TW_OK, &s->err);
            must(tw_world_remove_body(s->world, second, &s->err) == TW_OK, &s->err);
            ENSURE(!tw_world_grab_view(s->world, 0).active);
            must(tw_world_remove_body(s->world, first, &s->err) == TW_OK, &s->err);
            ENSURE(!tw_world_has_body(s->world, first));
            ENSURE(tw_world_remove_body(s->world, first, NULL) == TW_BAD_INPUT);
            ENSURE(tw_world_grab(s->world, 0, &grab, NULL) == TW_BAD_INPUT);
            tw_world_advance(s->world, start + 0.65);
        }
        const twWorldEnergy e = tw_world_energy(s->world);
        ENSURE_NEAR(e.kinetic + e.elastic + e.contacts, 0, 1e-12);
        stage_free(s);
    }
    return 0;
}

static int a_body_with_too_many_modes_is_refused(void)
{
    Stage* s = stage();
    s->def.spare_bodies = 1;
    s->def.spare_modes = 2;
    const Beam beam = {.size = {0.2, 0.02, 0.02}, .density = 1000, .young = 1e9, .cells = 4, .modes = 4};
    const twBodyShape* bar = stage_beam(s, &beam);
    must(stage_start(s), &s->err);
    twBodyDef def = tw_body_def();
    def.shape = bar;
    int body = TW_NOWHERE;
    ENSURE(tw_world_add_body(s->world, &def, &body, NULL) == TW_BAD_INPUT);
    def.shape = NULL;
    ENSURE(tw_world_add_body(s->world, &def, &body, NULL) == TW_BAD_INPUT);
    stage_free(s);
    return 0;
}

static Stage* held_pair(void)
{
    Stage* s = stage();
    s->def.max_grabs = 3;
    const Beam beam = {.size = {0.4, 0.04, 0.02}, .density = 1000, .young = 1e7, .cells = 8, .modes = 4, .decay = 5};
    const twBodyShape* bar = stage_beam(s, &beam);
    const int a = stage_body(s, bar, 0, 0, 0.5), b = stage_body(s, bar, 0, 0.1, 0.5);
    must(stage_start(s), &s->err);
    twGrabDef def = tw_grab_def();
    def.at.body = a;
    def.target = tw_vec3(0.3, 0, 0.8);
    def.max_force = 20;
    def.exact = true;
    must(tw_world_grab(s->world, 0, &def, &s->err) == TW_OK, &s->err);
    def = tw_grab_def();
    def.at.body = b;
    def.to.body = a;
    def.here = true;
    must(tw_world_grab(s->world, 2, &def, &s->err) == TW_OK, &s->err);
    return s;
}

static int a_saved_world_goes_on_with_its_grabs(void)
{
    Stage *s = held_pair(), *other = held_pair();
    tw_world_release(other->world, 2);
    tw_world_advance(s->world, 0.1);
    void* bytes;
    size_t count;
    must(tw_world_save(s->world, &bytes, &count, &s->err) == TW_OK, &s->err);
    must(tw_world_load(other->world, bytes, count, &s->err) == TW_OK, &s->err);
    tw_world_advance(s->world, 0.4);
    tw_world_advance(other->world, 0.4);
    for (int b = 0; b < 2; b++)
    {
        const twVec3 a = stage_now(s, b).position, c = stage_now(other, b).position;
        ENSURE(a.x == c.x && a.y == c.y && a.z == c.z);
    }
    ENSURE(tw_world_grab_view(other->world, 2).active);
    free(bytes);
    stage_free(s);
    stage_free(other);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_strike_gives_its_impulse_and_no_more_energy_than_its_work)
    RUN(a_strike_is_listed_as_its_impulse)
    RUN(a_thrown_body_flies_on_from_where_it_is_put)
    RUN(a_thrown_body_that_is_held_comes_to_its_target_anew)
    RUN(bodies_come_collide_and_go)
    RUN(a_body_with_too_many_modes_is_refused)
    RUN(a_saved_world_goes_on_with_its_grabs)
)
