// SPDX-License-Identifier: MIT
// Balls that roll: on planes of any triangles, on each other, and on meshes that stand for something round.
#include "collide.h"

enum
{
    ROOM = 256 + 128
};
static Touch touches[ROOM];

// ---- flat ----

// a plate whose upper side is of random triangles
static ContactShape* random_plate(twRng* rng)
{
    twMesh* mesh = block_mesh(tw_vec3(0.3, 0.2, 0.02), 40, 30, 1);
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        twVec3* p = &mesh->vertices[v];
        if (p->z < 0 || fabs(p->x) > 0.149 || fabs(p->y) > 0.099) continue;
        p->x += tw_rng_between(rng, -0.4, 0.4) * 0.3 / 40;
        p->y += tw_rng_between(rng, -0.4, 0.4) * 0.2 / 30;
    }
    return contact_shape(mesh, NULL, 0.01);
}

static int rolling_on_a_plane_is_even_whatever_its_triangles_are(void)
{
    twRng rng = tw_rng(3);
    ContactShape *plate = random_plate(&rng), *ball = ball_shape(0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(plate, 0, tw_vec3(0, 0, 0)), a = body_at(ball, 1, tw_vec3(0, 0, 0));
    const double gap = -1e-6;
    uint64_t id = 0;
    twVec3 tangent = {0, 0, 0};
    int faces = 0, last = -1;
    for (int i = 0; i < 4000; i++)
    {
        // 20 cm along a slanting way, rolling and spinning
        a.position = tw_vec3(-0.1 + 5e-5 * i, 0.05 - 2.3e-5 * i, 0.02 + gap);
        a.turn = tw_quat_integrate(a.turn, tw_vec3(2.3e-3, 5e-3, 4e-3), 1);
        ENSURE(tw_pair_touches(pair, &a, &b, 1e-4, touches) == 1);
        ENSURE_NEAR(touches[0].gap, gap, 1e-12);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].normal, tw_vec3(0, 0, 1))), 0, 1e-9);
        if (i == 0)
        {
            id = touches[0].id;
            tangent = touches[0].tangent[0];
        }
        ENSURE(touches[0].id == id && touches[0].fresh == (i == 0));
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].tangent[0], tangent)), 0, 1e-9);
        faces += touches[0].face != last;
        last = touches[0].face;
    }
    ENSURE(faces > 30);
    free(pair);
    tw_contact_shape_destroy(plate);
    tw_contact_shape_destroy(ball);
    return 0;
}

static int tangents_of_rolling_balls_do_not_spin(void)
{
    // gears: both turn about x, along which one tangent lies if it did at first; the other stays across
    ContactShape* ball = ball_shape(0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace a = body_at(ball, 0, tw_vec3(0, 0, 0.02)), b = body_at(ball, 1, tw_vec3(0, 0, 0));
    twVec3 tangent = {0, 0, 0};
    for (int i = 0; i < 2000; i++)
    {
        ENSURE(tw_pair_touches(pair, &a, &b, 1e-4, touches) == 1 && touches[0].fresh == (i == 0));
        if (i == 0) tangent = touches[0].tangent[0];
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].tangent[0], tangent)), 0, 1e-10);
        a.turn = tw_quat_integrate(a.turn, tw_vec3(0.01, 0.02, 0), 1);
        b.turn = tw_quat_integrate(b.turn, tw_vec3(-0.01, -0.02, 0), 1);
    }
    free(pair);
    tw_contact_shape_destroy(ball);
    return 0;
}

// ---- round ----

typedef struct Ripple
{
    double low, high;  // of the gap
    double jump;       // largest change of the gap in a step
    double turn;       // of the normal against the true one
    double kick;       // of the normal in a step, beyond the true one's
} Ripple;

// roll along a great circle of a round surface about a middle, at the distance of a ball that is pressed in a little
static int roll_round(Pair* pair, const BodyPlace* b, const ContactShape* ball, twVec3 middle, double distance,
                      double sign, double from, double to, double around, Ripple* ripple)
{
    const int steps = 3000;
    uint64_t id = 0;
    twVec3 last = {0, 0, 0}, true_last = last;
    *ripple = (Ripple){HUGE_VAL, -HUGE_VAL, 0, 0, 0};
    double gap = 0;
    for (int i = 0; i <= steps; i++)
    {
        double angle = from + (to - from) * i / steps;
        twVec3 out = tw_vec3(sin(angle) * cos(around), sin(angle) * sin(around), -cos(angle));
        BodyPlace a = body_at(ball, 1, tw_vec3_add_scaled(middle, out, distance));
        ENSURE(tw_pair_touches(pair, &a, b, 1e-4, touches) == 1);
        if (i == 0) id = touches[0].id;
        ENSURE(touches[0].id == id);
        ripple->low = fmin(ripple->low, touches[0].gap);
        ripple->high = fmax(ripple->high, touches[0].gap);
        twVec3 n = touches[0].normal, truth = tw_vec3_scale(out, sign);
        ripple->turn = fmax(ripple->turn, tw_vec3_norm(tw_vec3_sub(n, truth)));
        if (i > 0)
        {
            ripple->jump = fmax(ripple->jump, fabs(touches[0].gap - gap));
            twVec3 change = tw_vec3_sub(tw_vec3_sub(n, last), tw_vec3_sub(truth, true_last));
            ripple->kick = fmax(ripple->kick, tw_vec3_norm(change));
        }
        gap = touches[0].gap;
        last = n;
        true_last = truth;
    }
    return 0;
}

static int rolling_on_a_faceted_sphere_is_that_on_a_round_one(void)
{
    const double radius = 0.05, r = 0.01;
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), radius, 12);
    tw_mesh_mend(mesh, 1e-9, NULL, NULL);
    ContactShape *sphere = contact_shape(mesh, NULL, 0.01), *ball = ball_shape(r);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(sphere, 0, tw_vec3(0, 0, 0));
    Ripple ripple;
    ENSURE(roll_round(pair, &b, ball, tw_vec3(0, 0, 0), radius + r, 1, -1.3, 1.3, 0.4, &ripple) == 0);
    ENSURE_NEAR(ripple.low, 0, 1e-15);
    ENSURE_NEAR(ripple.high, 0, 1e-15);
    ENSURE_NEAR(ripple.turn, 0, 1e-12);
    free(pair);
    tw_contact_shape_destroy(sphere);
    tw_contact_shape_destroy(ball);
    return 0;
}

static int rolling_in_a_faceted_bowl_is_that_in_a_round_one(void)
{
    const double r = 0.01;
    ContactShape *bowl = contact_shape(shape_mesh("bowl:0.08x0.003", 0.006), NULL, 0.006), *ball = ball_shape(r);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(bowl, 0, tw_vec3(0, 0, 0));
    Ripple ripple;
    ENSURE(roll_round(pair, &b, ball, tw_vec3(0, 0, 0.08), 0.077 - r, -1, -1.2, 1.2, 0.3, &ripple) == 0);
    ENSURE_NEAR(ripple.low, 0, 1e-15);
    ENSURE_NEAR(ripple.high, 0, 1e-15);
    ENSURE_NEAR(ripple.turn, 0, 1e-12);
    free(pair);
    tw_contact_shape_destroy(bowl);
    tw_contact_shape_destroy(ball);
    return 0;
}

// gap and normal of a ball at a torus about z
static double torus_gap(twVec3 p, double large, double small, double r, twVec3* normal)
{
    double away = hypot(p.x, p.y);
    twVec3 way = tw_vec3_sub(p, tw_vec3(large * p.x / away, large * p.y / away, 0));
    *normal = tw_vec3_normalize(way);
    return tw_vec3_norm(way) - small - r;
}

static int rolling_on_a_faceted_torus_has_no_jumps(void)
{
    // edges of 6.5 and 7.9 mm: the facets are off by e^2/8R, 0.26 mm
    const double large = 0.05, small = 0.03, r = 0.01;
    ContactShape *torus = contact_shape(torus_mesh(large, small, 48, 24), NULL, 0.01), *ball = ball_shape(r);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(torus, 0, tw_vec3(0, 0, 0));
    double off = 0, jump = 0, turn = 0, kick = 0, last_off = 0;
    twVec3 last_turn = {0, 0, 0};
    for (int i = 0; i < 20000; i++)
    {
        // winding round it, outside and through the hole
        double u = 1e-3 * i, v = 0.37e-3 * i, ring = large + (small + r) * cos(v);
        BodyPlace a = body_at(ball, 1, tw_vec3(ring * cos(u), ring * sin(u), (small + r) * sin(v)));
        twVec3 normal;
        ENSURE(tw_pair_touches(pair, &a, &b, 1e-4, touches) == 1 && touches[0].fresh == (i == 0));
        double wrong = touches[0].gap - torus_gap(a.position, large, small, r, &normal);
        twVec3 turned = tw_vec3_sub(touches[0].normal, normal);
        off = fmax(off, fabs(wrong));
        turn = fmax(turn, tw_vec3_norm(turned));
        if (i > 0)
        {
            jump = fmax(jump, fabs(wrong - last_off));
            kick = fmax(kick, tw_vec3_norm(tw_vec3_sub(turned, last_turn)));
        }
        last_off = wrong;
        last_turn = turned;
    }

    // a step is up to 90 um long; facets meet at 0.13 and 0.26 rad
    ENSURE(off < 1e-5 && turn < 0.02);
    ENSURE(jump < 1e-6 && kick < 1e-3);
    free(pair);
    tw_contact_shape_destroy(torus);
    tw_contact_shape_destroy(ball);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rolling_on_a_plane_is_even_whatever_its_triangles_are)
    RUN(tangents_of_rolling_balls_do_not_spin)
    RUN(rolling_on_a_faceted_sphere_is_that_on_a_round_one)
    RUN(rolling_in_a_faceted_bowl_is_that_in_a_round_one)
    RUN(rolling_on_a_faceted_torus_has_no_jumps)
)
