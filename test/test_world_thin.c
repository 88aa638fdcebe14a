// SPDX-License-Identifier: MIT
// Walls, sheets and floors that are thin against what comes, and bodies of all sizes.
#include "dynamics/shape.h"
#include "test.h"
#include "world.h"

// ---- how thick ----

static double thickness_of(const char* text, double edge)
{
    Stage* s = stage();
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    ContactShape* contact = NULL;
    must(tw_shape_parse(&shape, text, &s->err) == TW_OK && tw_shape_surface(&mesh, shape, edge, &s->err) == TW_OK,
         &s->err);
    ContactShapeDef def = tw_contact_shape_def();
    def.mesh = mesh;
    must(tw_contact_shape_create(&contact, &def, &s->err) == TW_OK, &s->err);
    const double thick = contact->thickness;
    tw_contact_shape_destroy(contact);
    tw_mesh_destroy(mesh);
    tw_shape_destroy(shape);
    stage_free(s);
    return thick;
}

static int thickness_is_that_of_the_thinnest_wall(void)
{
    ENSURE_NEAR(thickness_of("box:0.2x0.1x0.003", 0.02), 0.003, 0.03 * 0.003);
    ENSURE_NEAR(thickness_of("box:0.1x0.1x0.1", 0.02), 0.1, 0.03 * 0.1);
    ENSURE_NEAR(thickness_of("tube:0.1x0.02x0.018", 0.004), 0.002, 0.05 * 0.002);
    return 0;
}

// ---- walls ----

typedef enum Flyer
{
    MARBLE,
    BLOCK,
    NEEDLE,  // point first
    SHEET,   // flat side first
    FLYERS
} Flyer;

// something of 2 cm that flies along x at a wall that stands still, in nothing
static Stage* fly(Flyer kind, double speed, double thick)
{
    Stage* s = stage();
    const double size = 0.02;
    const int wall = stage_body(s, stage_box(s, thick, 0.4, 0.4, 7800), 0, 0, 0);
    s->bodies[wall].kind = TW_BODY_FIXED;
    const twBodyShape* shape = NULL;
    if (kind == MARBLE) shape = stage_ball(s, size, 2000);
    if (kind == BLOCK) shape = stage_box(s, size, size, size, 2000);
    if (kind == NEEDLE) shape = stage_box(s, 2 * size, 0.02 * size, 0.02 * size, 2000);
    if (kind == SHEET) shape = stage_box(s, 0.02 * size, 2 * size, 2 * size, 2000);
    const int body = stage_body(s, shape, -3 * size, 0.1 * size, 0.2 * size);
    s->bodies[body].motion.velocity = tw_vec3(speed, 0, 0);
    s->def.gravity = tw_vec3(0, 0, 0);
    must(stage_start(s), &s->err);
    return s;
}

static int nothing_passes_a_thin_wall_however_fast(void)
{
    const double speeds[] = {20, 300}, walls[] = {0.002, 0.0005};
    for (int i = 0; i < 2 * FLYERS; i++)
    {
        const double speed = speeds[i % 2], time = 0.16 / speed;
        Stage* s = fly((Flyer)(i / 2), speed, walls[i % 2]);
        for (int k = 1; k <= 40; k++)
        {
            tw_world_advance(s->world, time * k / 40);
            ENSURE(stage_now(s, 1).position.x < 0);
        }
        ENSURE(stage_velocity(s, 1).x < 0);
        ENSURE(tw_world_stats(s->world).failures == 0);
        ENSURE(tw_world_energy(s->world).largest_rise <= 1e-12 * tw_world_energy(s->world).start);
        stage_free(s);
    }
    return 0;
}

// a sheet thinner than it is pressed into the wall comes back by the law too: e of (1 + e) mu v = log((1 + mu v)/(1 - e mu v)), whatever
// its mass; its far side does not hang on the far side of the wall
static int sheet_thinner_than_its_impact_rebounds_by_the_law(void)
{
    Stage* s = fly(SHEET, 5, 0.002);
    const twContactPair pair = tw_contact_pair(&s->materials[0], &s->materials[0], 0.01, 0.01);
    const double mv = 5 * pair.impact.dissipation;
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++)
    {
        const double e = 0.5 * (low + high);
        if (log((1 + mv) / (1 - e * mv)) > (1 + e) * mv || e * mv >= 1)
            high = e;
        else
            low = e;
    }
    tw_world_advance(s->world, 0.03);
    ENSURE_NEAR(-stage_velocity(s, 1).x, 5 * low, 0.01 * 5 * low);
    stage_free(s);
    return 0;
}

// shot at a wall by a heavy ball that is faster than it
static int struck_ball_stays_before_the_wall(void)
{
    const double speeds[] = {50, 200};
    for (int i = 0; i < 2; i++)
    {
        Stage* s = stage();
        s->def.gravity = tw_vec3(0, 0, 0);
        const int wall = stage_body(s, stage_box(s, 0.002, 1, 1, 7800), 0.05, 0, 0);
        const int light = stage_body(s, stage_ball(s, 0.005, 2000), 0, 0, 0);
        const int heavy = stage_body(s, stage_ball(s, 0.05, 7800), -0.08, 0, 0);
        s->bodies[wall].kind = TW_BODY_FIXED;
        s->bodies[heavy].motion.velocity.x = speeds[i];
        must(stage_start(s), &s->err);
        for (int k = 1; k <= 100; k++)
        {
            tw_world_advance(s->world, 0.15 / speeds[i] * k / 100);
            ENSURE(stage_now(s, light).position.x < 0.05);
        }
        stage_free(s);
    }
    return 0;
}

// what flies past at 300 m/s takes no more steps than alone
static int flight_that_comes_near_nothing_takes_long_steps(void)
{
    Stage* s = fly(MARBLE, 300, 0.0005);
    s->bodies[1].motion.velocity = tw_vec3(0, 300, 0);
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.05);
    ENSURE(tw_world_stats(s->world).free_steps <= 51 && tw_world_stats(s->world).steps == 0);
    stage_free(s);
    return 0;
}

// ---- sizes ----

// dropped from its own height it comes to rest on a face, whatever its size
static int bodies_of_any_size_come_to_rest_on_thin_floors(void)
{
    const double sizes[] = {1e-3, 5, 50};
    for (int i = 0; i < 3; i++)
    {
        Stage* s = stage();
        const double r = sizes[i], thick = i == 0 ? 5e-5 : 0.05;
        const int floor = stage_body(s, stage_box(s, 10 * r, 10 * r, thick, 2000), 0, 0, -0.5 * thick);
        const int body = stage_body(s, stage_box(s, r, 0.8 * r, 0.6 * r, 2000), 0, 0, r);
        s->bodies[floor].kind = TW_BODY_FIXED;
        s->bodies[body].motion.turn = tw_quat_from_axis_angle(tw_vec3(0.6, 0.8, 0), 0.3);
        must(stage_start(s), &s->err);
        const double time = 4 * sqrt(2 * r / 9.81) + 0.05;
        for (int k = 1; k <= 100; k++) tw_world_advance(s->world, time * k / 100);
        ENSURE_NEAR(stage_now(s, body).position.z, 0.3 * r, 0.01 * r);
        ENSURE(tw_world_stats(s->world).failures == 0);
        stage_free(s);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(thickness_is_that_of_the_thinnest_wall)
    RUN(nothing_passes_a_thin_wall_however_fast)
    RUN(sheet_thinner_than_its_impact_rebounds_by_the_law)
    RUN(struck_ball_stays_before_the_wall)
    RUN(flight_that_comes_near_nothing_takes_long_steps)
    RUN(bodies_of_any_size_come_to_rest_on_thin_floors)
)
