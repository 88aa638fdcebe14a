// SPDX-License-Identifier: MIT
// Exact balls against surfaces: closed forms, bending, and random motion against trying everything.
#include "collide.h"
#include "dynamics/collide.h"

enum
{
    ROOM = 256 + 128
};
static Touch touches[ROOM];

static ContactShape* blocks_shape(bool (*solid)(int, int, int), int n, double size)
{
    Blocks blocks = {{n, n, n}, {size, size, size}, solid};
    return contact_shape(blocks_mesh(&blocks), NULL, size);
}

static bool solid_tray(int i, int j, int k) { return i < 1 || i > 4 || j < 1 || j > 4 || k < 1; }

// the touch with this normal, or NULL
static const Touch* touch_along(const Touch* list, int count, twVec3 normal)
{
    for (int i = 0; i < count; i++)
        if (tw_vec3_dot(list[i].normal, normal) > 0.999) return &list[i];
    return NULL;
}

static int ids_are_unique(int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) ENSURE(touches[i].id != touches[k].id);
    return 0;
}

static int frames_are_square(int count)
{
    for (int i = 0; i < count; i++)
    {
        const Touch* t = &touches[i];
        ENSURE_NEAR(tw_vec3_norm(t->normal), 1, 1e-12);
        ENSURE_NEAR(tw_vec3_norm(t->tangent[0]), 1, 1e-12);
        ENSURE_NEAR(tw_vec3_dot(t->tangent[0], t->normal), 0, 1e-12);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(tw_vec3_cross(t->normal, t->tangent[0]), t->tangent[1])), 0, 1e-12);
    }
    return 0;
}

// ---- closed forms ----

static double clamp(double x, double most) { return x < -most ? -most : x > most ? most : x; }

static int ball_touches_faces_edges_and_corners_of_a_box_once(void)
{
    // the nearest point of a box: each coordinate cut to it
    ContactShape *box = contact_shape(block_mesh(tw_vec3(0.1, 0.1, 0.1), 3, 3, 3), NULL, 0.01),
                 *ball = ball_shape(0.02);
    PairDef def = tw_pair_def();
    twRng rng = tw_rng(1);
    int kinds[4] = {0};
    for (int i = 0; i < 1500; i++)
    {
        Pair* pair = new_pair(&def);
        BodyPlace b = body_at(box, 5, tw_vec3(0.3, -0.2, 0.1)), a = body_at(ball, 9, b.position);
        b.turn = random_turn(&rng);
        a.turn = random_turn(&rng);
        double at[3];
        int outside = 0;
        twVec3 near;
        do {
            for (int d = 0; d < 3; d++) at[d] = tw_rng_between(&rng, -0.068, 0.068);
            near = tw_vec3(clamp(at[0], 0.05), clamp(at[1], 0.05), clamp(at[2], 0.05));
            outside = (fabs(at[0]) > 0.05) + (fabs(at[1]) > 0.05) + (fabs(at[2]) > 0.05);
        } while (outside == 0);
        twVec3 p = tw_vec3(at[0], at[1], at[2]), way = tw_vec3_sub(p, near);
        a.position = tw_vec3_add(b.position, tw_quat_rotate(b.turn, p));
        double gap = tw_vec3_norm(way) - 0.02;
        int count =
            i % 2 == 0 ? tw_pair_touches(pair, &a, &b, 1e-3, touches) : tw_pair_touches(pair, &b, &a, 1e-3, touches);
        ENSURE(count == (gap < 1e-3 ? 1 : 0));
        if (count == 1)
        {
            kinds[outside]++;
            ENSURE_NEAR(touches[0].gap, gap, 1e-14);
            twVec3 normal = tw_quat_rotate(b.turn, tw_vec3_normalize(way));
            ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].normal, normal)), 0, 1e-9);
            twVec3 middle = tw_vec3_add_scaled(a.position, normal, -0.02 - 0.5 * gap);
            ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].point, middle)), 0, 1e-10);
            ENSURE(touches[0].body[0] == 9 && touches[0].body[1] == 5 && touches[0].which == i % 2);
            ENSURE(touches[0].vertex[0] == -1 && touches[0].face >= 0 && frames_are_square(1) == 0);
        }
        free(pair);
    }
    ENSURE(kinds[1] > 50 && kinds[2] > 50 && kinds[3] > 20);
    tw_contact_shape_destroy(box);
    tw_contact_shape_destroy(ball);
    return 0;
}

static int ball_in_a_groove_touches_twice_and_in_a_corner_three_times(void)
{
    const double s = 0.01, radius = 0.008, gaps[3] = {1e-5, -2e-5, 7e-5};
    const twVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ContactShape *groove = blocks_shape(solid_angle, 5, s), *tray = blocks_shape(solid_tray, 6, s);
    ContactShape* ball = ball_shape(radius);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(groove, 0, tw_vec3(0, 0, 0));
    BodyPlace a = body_at(ball, 1, tw_vec3(2 * s + radius + gaps[0], 2 * s + radius + gaps[1], 0.023));
    int count = tw_pair_touches(pair, &a, &b, 1e-4, touches);
    ENSURE(count == 2 && ids_are_unique(count) == 0 && frames_are_square(count) == 0);
    for (int d = 0; d < 2; d++)
    {
        const Touch* touch = touch_along(touches, count, axes[d]);
        ENSURE(touch);
        ENSURE_NEAR(touch->gap, gaps[d], 1e-14);
    }

    // the third wall is as far as the reach, and then just within it
    tw_pair_forget(pair);
    b.shape = tray;
    a.position = tw_vec3(s + radius + gaps[0], s + radius + gaps[1], s + radius + gaps[2]);
    ENSURE(tw_pair_touches(pair, &a, &b, gaps[2] - 1e-9, touches) == 2);
    count = tw_pair_touches(pair, &a, &b, gaps[2] + 1e-9, touches);
    ENSURE(count == 3 && ids_are_unique(count) == 0 && frames_are_square(count) == 0);
    for (int d = 0; d < 3; d++)
    {
        const Touch* touch = touch_along(touches, count, axes[d]);
        ENSURE(touch);
        ENSURE_NEAR(touch->gap, gaps[d], 1e-14);
        ENSURE(touch->fresh == (d == 2));
    }
    free(pair);
    tw_contact_shape_destroy(groove);
    tw_contact_shape_destroy(tray);
    tw_contact_shape_destroy(ball);
    return 0;
}

static int two_balls_touch_between_their_centres(void)
{
    ContactShape *small = ball_shape(0.01), *large = ball_shape(0.03);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    twRng rng = tw_rng(2);
    for (int i = 0; i < 100; i++)
    {
        twVec3 n = random_unit(&rng);
        double gap = tw_rng_between(&rng, -1e-3, 2e-3);
        BodyPlace a = body_at(small, 3, tw_vec3(1, 2, 3)),
                  b = body_at(large, 4, tw_vec3_add_scaled(a.position, n, -0.04 - gap));
        a.turn = random_turn(&rng);
        b.turn = random_turn(&rng);
        ENSURE_NEAR(tw_pair_clearance(pair, &a, &b), gap, 1e-14);
        tw_pair_forget(pair);
        int count = tw_pair_touches(pair, &a, &b, 1e-3, touches);
        ENSURE(count == (gap < 1e-3 ? 1 : 0));
        if (count == 0) continue;
        ENSURE_NEAR(touches[0].gap, gap, 1e-14);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].normal, n)), 0, 1e-13);
        twVec3 middle = tw_vec3_add_scaled(a.position, n, -0.01 - 0.5 * gap);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].point, middle)), 0, 1e-14);
        ENSURE(touches[0].fresh && touches[0].face == -1 && touches[0].corner[0] == -1 && frames_are_square(1) == 0);
    }

    // one in the other: still a direction to part along
    BodyPlace a = body_at(small, 3, tw_vec3(1, 2, 3)), b = body_at(large, 4, a.position);
    tw_pair_forget(pair);
    ENSURE(tw_pair_touches(pair, &a, &b, 1e-3, touches) == 1 && frames_are_square(1) == 0);
    ENSURE_NEAR(touches[0].gap, -0.04, 1e-14);
    free(pair);
    tw_contact_shape_destroy(small);
    tw_contact_shape_destroy(large);
    return 0;
}

// ---- bending ----

// the upper side of plate_modes() at x: linear between vertices 1 cm apart
static double bent_top(double x, const double q[3])
{
    double low = floor(x / 0.01) * 0.01, s = (x - low) / 0.01, h[2];
    for (int k = 0; k < 2; k++)
    {
        double u = (low + 0.01 * k) / 0.15;
        h[k] = 0.005 + 2 * (q[0] + q[1] * u + q[2] * (u * u - 0.5));
    }
    return (1 - s) * h[0] + s * h[1];
}

static int gap_follows_a_vibrating_plate(void)
{
    const double radius = 0.008;
    twMesh* mesh = block_mesh(tw_vec3(0.3, 0.2, 0.01), 30, 20, 1);
    twModeSet* set = plate_modes(mesh);
    ContactShape *plate = contact_shape(mesh, set, 0.005), *ball = ball_shape(radius);
    PairDef def = tw_pair_def();
    Pair *pair = new_pair(&def), *new = new_pair(&def);
    double q[3], rate[3] = {0.3, -0.2, 0.5};
    BodyPlace b = body_at(plate, 1, tw_vec3(0, 0, 0));
    b.mode_count = 3;
    b.amplitude = q;
    b.rate = rate;
    int found = 0;
    for (int i = 0; i < 2000; i++)
    {
        for (int j = 0; j < 3; j++) q[j] = 2e-4 * sin((0.02 + 0.03 * j) * i);
        BodyPlace a = body_at(ball, 0, tw_vec3(-0.1 + 1e-4 * i, 0.013, 0.005 + radius + 3e-4));
        a.velocity = tw_vec3(0.1, 0.2, 0.3);
        a.spin = tw_vec3(5, 6, 7);
        double gap = a.position.z - radius - bent_top(a.position.x, q);
        int count = tw_pair_touches(pair, &a, &b, 4e-4, touches);
        ENSURE(count == (gap < 4e-4 ? 1 : 0));
        if (count == 0) continue;
        found++;
        ENSURE_NEAR(touches[0].gap, gap, 1e-9);
        ENSURE_NEAR(touches[0].normal.z, 1, 1e-12);

        // what the pair remembers changes nothing
        Touch touch = touches[0];
        tw_pair_forget(new);
        ENSURE(tw_pair_touches(new, &a, &b, 4e-4, touches) == 1 && touches[0].gap == touch.gap);

        // rows: rigid for the ball, with modes for the plate; their product is the velocity
        double row[2][27], v[9] = {0, 0, 0, 0, 0, 0, rate[0], rate[1], rate[2]}, sum[3], velocity[3];
        const double w[6] = {0.1, 0.2, 0.3, 5, 6, 7};
        tw_touch_rows(row[0], &touch, 0, &a, false);
        tw_touch_rows(row[1], &touch, 1, &b, false);
        for (int d = 0; d < 3; d++)
        {
            sum[d] = 0;
            for (int k = 0; k < 6; k++) sum[d] += row[0][6 * d + k] * w[k];
            for (int k = 0; k < 9; k++) sum[d] += row[1][9 * d + k] * v[k];
        }
        tw_touch_velocity(velocity, &touch, &a, &b);
        for (int d = 0; d < 3; d++) ENSURE_NEAR(sum[d], velocity[d], 1e-12);

        // the upper side's speed is that of the bend
        double up = bent_top(a.position.x, rate) - 0.005;
        ENSURE_NEAR(velocity[0], 0.3 - up, 1e-6);
    }
    ENSURE(found > 200 && found < 2000 && tw_pair_stats(pair).refreshes < 400);
    free(pair);
    free(new);
    tw_mode_set_destroy(set);
    tw_contact_shape_destroy(plate);
    tw_contact_shape_destroy(ball);
    return 0;
}

// ---- trying everything ----

// a ball that bounces about in and around a tray, whose gaps are those to the nearest of all its triangles
static int least_gap_is_that_of_all_triangles(void)
{
    const double s = 0.01, radius = 0.006;
    Blocks blocks = {{6, 6, 6}, {s, s, s}, solid_tray};
    twMesh* mesh = blocks_mesh(&blocks);
    twWinding* surface;
    if (tw_winding_create(&surface, mesh, NULL) != TW_OK) abort();
    ContactShape *tray = contact_shape(mesh, NULL, s), *ball = ball_shape(radius);
    PairDef def = tw_pair_def();
    Pair *pair = new_pair(&def), *new = new_pair(&def);
    twRng rng = tw_rng(7);
    BodyPlace b = body_at(tray, 0, tw_vec3(0, 0, 0)), a = body_at(ball, 1, tw_vec3(0.02, 0.03, 0.03));
    static Touch other[ROOM];
    twVec3 v = tw_vec3(0, 0, 0), target = v;
    int near = 0, several = 0;
    for (int i = 0; i < 20000; i++)
    {
        double reach = tw_rng_between(&rng, 2e-4, 1e-3);
        a.position = tw_vec3_add(a.position, v);
        a.turn = random_turn(&rng);
        double away = tw_winding_nearest(surface, a.position, NULL, NULL);
        int count = tw_pair_touches(pair, &a, &b, reach, touches);
        ENSURE(ids_are_unique(count) == 0);
        ENSURE((count > 0) == (away - radius < reach));
        double least = HUGE_VAL;
        for (int k = 0; k < count; k++)
        {
            ENSURE(touches[k].gap < reach);
            least = fmin(least, touches[k].gap);
        }
        if (count > 0) ENSURE_NEAR(least, away - radius, 1e-13);
        near += count > 0;
        several += count > 1;
        if (i % 10 == 0)
        {
            tw_pair_forget(new);
            int same = tw_pair_touches(new, &a, &b, reach, other);
            ENSURE(same == count);
            for (int k = 0; k < count; k++) ENSURE(touch_along(other, count, touches[k].normal)->gap == touches[k].gap);
        }

        // drawn to another place every now and then, and pushed back by what it touches
        if (i % 400 == 0)
            target = tw_vec3(tw_rng_between(&rng, -s, 7 * s), tw_rng_between(&rng, -s, 7 * s),
                             tw_rng_between(&rng, 0, 8 * s));
        v = tw_vec3_add_scaled(tw_vec3_scale(v, 0.95), tw_vec3_normalize(tw_vec3_sub(target, a.position)), 1e-5);
        for (int k = 0; k < count; k++)
            if (touches[k].gap < 0)
                v = tw_vec3_add_scaled(v, touches[k].normal, fmax(0, 1e-5 - tw_vec3_dot(v, touches[k].normal)));
    }
    ENSURE(near > 1000 && several > 100 && tw_pair_stats(pair).forced == 0);
    tw_winding_destroy(surface);
    free(pair);
    free(new);
    tw_contact_shape_destroy(tray);
    tw_contact_shape_destroy(ball);
    return 0;
}

static int least_gap_at_curved_surfaces_is_theirs_but_for_the_bulge(void)
{
    twMesh* mesh = shape_mesh("mug:", 0.008);
    twWinding* surface;
    if (tw_winding_create(&surface, mesh, NULL) != TW_OK) abort();
    ContactShape *body = contact_shape(mesh, NULL, 0.004), *ball = ball_shape(0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    twRng rng = tw_rng(8);
    double bulge = body->rounding->bulge, worst = 0;
    int near = 0;
    for (int i = 0; i < 6000; i++)
    {
        BodyPlace b = body_at(body, 0, tw_vec3(0, 0, 0)), a = body_at(ball, 1, tw_vec3(0, 0, 0));
        const twVec3 low = body->low, high = body->high;
        a.position = tw_vec3(tw_rng_between(&rng, low.x - 0.01, high.x + 0.01),
                             tw_rng_between(&rng, low.y - 0.01, high.y + 0.01),
                             tw_rng_between(&rng, low.z - 0.01, high.z + 0.01));
        double away = tw_winding_nearest(surface, a.position, NULL, NULL) - 0.01, least = HUGE_VAL;
        if (tw_winding_at(surface, a.position) > 0.5) continue;
        tw_pair_forget(pair);
        int count = tw_pair_touches(pair, &a, &b, 1e-3, touches);
        ENSURE(ids_are_unique(count) == 0 && frames_are_square(count) == 0);
        for (int k = 0; k < count; k++) least = fmin(least, touches[k].gap);
        if (count == 0)
            ENSURE(away > 1e-3 - 2 * bulge);
        else
            worst = fmax(worst, fabs(least - away));
        near += count > 0;
    }
    ENSURE(near > 1000 && worst < bulge);
    tw_winding_destroy(surface);
    free(pair);
    tw_contact_shape_destroy(body);
    tw_contact_shape_destroy(ball);
    return 0;
}

// ---- walls ----

static int ball_stays_on_the_side_of_a_thin_sheet_that_it_came_from(void)
{
    const double radius = 0.002;
    ContactShape *ball = ball_shape(radius),
                 *sheet = contact_shape(block_mesh(tw_vec3(0.3, 0.2, 0.0005), 6, 4, 1), NULL, 0.004);
    PairDef def = tw_pair_def();
    for (int way = -1; way <= 1; way += 2)
    {
        // pushed until the centre is 3 mm beyond, 0.1 mm at a time
        Pair* pair = new_pair(&def);
        uint64_t id = 0;
        for (int i = -2; i <= 55; i++)
        {
            double gap = -1e-4 * i;
            BodyPlace a = body_at(ball, 0, tw_vec3(0.011, 0.023, way * (0.00025 + radius + gap)));
            BodyPlace b = body_at(sheet, 1, tw_vec3(0, 0, 0));
            ENSURE(tw_pair_touches(pair, &a, &b, 3e-4, touches) == 1);
            ENSURE_NEAR(touches[0].normal.z, way, 1e-9);
            ENSURE_NEAR(touches[0].gap, gap, 1e-12);
            if (i == -2) id = touches[0].id;
            ENSURE(touches[0].id == id);
        }
        free(pair);
    }
    tw_contact_shape_destroy(ball);
    tw_contact_shape_destroy(sheet);
    return 0;
}

static int ball_inside_from_the_start_is_sent_out_the_short_way(void)
{
    ContactShape *ball = ball_shape(0.01),
                 *box = contact_shape(block_mesh(tw_vec3(0.3, 0.3, 0.3), 6, 6, 6), NULL, 0.02);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace a = body_at(ball, 0, tw_vec3(0.02, 0.05, -0.01)), b = body_at(box, 1, tw_vec3(0, 0, 0));
    for (int i = 0; i < 3; i++)
    {
        ENSURE(tw_pair_touches(pair, &a, &b, 1e-3, touches) == 1);
        ENSURE_NEAR(touches[0].normal.y, 1, 1e-9);
        ENSURE_NEAR(touches[0].gap, -0.11, 1e-9);
    }
    a.position.x = NAN;
    ENSURE(tw_pair_touches(pair, &a, &b, 1e-3, touches) == 0 && tw_pair_stats(pair).lost == 1);
    free(pair);
    tw_contact_shape_destroy(ball);
    tw_contact_shape_destroy(box);
    return 0;
}

// ---- bounds ----

static int a_spinning_ball_takes_no_room_and_costs_nothing(void)
{
    ContactShape *ball = ball_shape(0.01),
                 *box = contact_shape(block_mesh(tw_vec3(0.1, 0.1, 0.1), 2, 2, 2), NULL, 0.02);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    twRng rng = tw_rng(9);
    BodyPlace a = body_at(ball, 0, tw_vec3(0.3, 0.2, 0.1)), b = body_at(box, 1, tw_vec3(0, 0, 0));
    a.velocity = tw_vec3(3, 0, 4);
    a.spin = tw_vec3(100, 200, 300);
    ENSURE_NEAR(tw_place_speed_bound(&a), 5, 1e-12);
    for (int i = 0; i < 100; i++)
    {
        twVec3 low, high;
        a.turn = random_turn(&rng);
        tw_place_box(&a, &low, &high);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(low, tw_vec3(0.29, 0.19, 0.09))), 0, 1e-12);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(high, tw_vec3(0.31, 0.21, 0.11))), 0, 1e-12);
        ENSURE(tw_pair_touches(pair, &a, &b, 1e-3, touches) == 0);
    }
    ENSURE(tw_pair_stats(pair).refreshes == 1);

    // its clearance is below the distance, by little
    double away = tw_vec3_norm(tw_vec3(0.25, 0.15, 0.05)) - 0.01, clear = tw_pair_clearance(pair, &a, &b);
    ENSURE(clear <= away && clear > 0.5 * away);
    free(pair);
    tw_contact_shape_destroy(ball);
    tw_contact_shape_destroy(box);
    return 0;
}

static int a_ball_of_no_size_is_refused(void)
{
    ContactShape* shape;
    twError err;
    ContactShapeDef def = tw_contact_shape_def();
    def.ball = HUGE_VAL;
    ENSURE(tw_contact_shape_create(&shape, &def, &err) == TW_BAD_INPUT && !shape);

    // with a mesh it keeps the vertices, for who asks where they are
    twMesh* mesh = sphere_mesh(tw_vec3(1, 0, 0), 0.05, 2);
    def.ball = 0.05;
    def.mesh = mesh;
    def.centre = tw_vec3(1, 0, 0);
    ENSURE(tw_contact_shape_create(&shape, &def, &err) == TW_OK && shape->vertex_count == mesh->vertex_count);
    ENSURE_NEAR(tw_vec3_norm(shape->vertices[0]), 0.05, 1e-12);
    ENSURE(shape->radius == 0.05 && !shape->field && shape->mode_count == 0);
    tw_mesh_destroy(mesh);
    tw_contact_shape_destroy(shape);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(ball_touches_faces_edges_and_corners_of_a_box_once)
    RUN(ball_in_a_groove_touches_twice_and_in_a_corner_three_times)
    RUN(two_balls_touch_between_their_centres)
    RUN(gap_follows_a_vibrating_plate)
    RUN(least_gap_is_that_of_all_triangles)
    RUN(least_gap_at_curved_surfaces_is_theirs_but_for_the_bulge)
    RUN(ball_stays_on_the_side_of_a_thin_sheet_that_it_came_from)
    RUN(ball_inside_from_the_start_is_sent_out_the_short_way)
    RUN(a_spinning_ball_takes_no_room_and_costs_nothing)
    RUN(a_ball_of_no_size_is_refused)
)
