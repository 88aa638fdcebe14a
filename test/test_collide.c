// SPDX-License-Identifier: MIT
// Collision detection: placed bodies against geometry, and random motion against trying everything.
#include "collide.h"

enum
{
    ROOM = 256 + 128
};
static Touch touches[ROOM];

static double least_gap(const Touch* list, int count)
{
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++) least = fmin(least, list[i].gap);
    return least;
}

// all have this normal, towards the first body, and gap
static int all_are(const Touch* list, int count, twVec3 normal, double gap, double tolerance)
{
    for (int i = 0; i < count; i++)
    {
        // towards the first body, whichever of them has the point
        twVec3 first = tw_vec3_scale(list[i].normal, list[i].which == 0 ? 1 : -1);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(first, normal)), 0, 1e-6);
        ENSURE_NEAR(list[i].gap, gap, tolerance);
        ENSURE_NEAR(tw_vec3_dot(list[i].tangent[0], list[i].normal), 0, 1e-12);
        twVec3 third = tw_vec3_cross(list[i].normal, list[i].tangent[0]);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(third, list[i].tangent[1])), 0, 1e-12);
    }
    return 0;
}

// ---- shapes against shapes ----

static int sphere_touches_a_plane_at_its_lowest_point(void)
{
    twMesh* ball = sphere_mesh(tw_vec3(0, 0, 0), 0.05, 6);
    tw_mesh_mend(ball, 1e-9, NULL, NULL);
    ContactShape* sphere = contact_shape(ball, NULL, 0.01);
    ContactShape* plate = contact_shape(block_mesh(tw_vec3(0.3, 0.2, 0.02), 1, 1, 1), NULL, 0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    twRng rng = tw_rng(1);
    for (int i = 0; i < 200; i++)
    {
        BodyPlace a = body_at(sphere, 1, tw_vec3(0.02, 0.01, 0.0598)), b = body_at(plate, 2, tw_vec3(0, 0, 0));
        a.turn = random_turn(&rng);
        double lowest = HUGE_VAL;
        for (int v = 0; v < sphere->vertex_count; v++) lowest = fmin(lowest, world_vertex(&a, v).z);
        int count = tw_pair_touches(pair, &a, &b, 0.001, touches);
        ENSURE(count > 0 || lowest - 0.01 >= 0.001);
        if (count > 0) ENSURE_NEAR(least_gap(touches, count), lowest - 0.01, 1e-9);
        for (int k = 0; k < count; k++)
        {
            ENSURE_NEAR(touches[k].normal.z, 1, 1e-6);
            ENSURE(touches[k].body[0] == 1 && touches[k].body[1] == 2 && touches[k].which == 0);
            ENSURE_NEAR(touches[k].point.z, 0.01 + 0.5 * touches[k].gap, 1e-9);
        }
    }
    free(pair);
    tw_contact_shape_destroy(sphere);
    tw_contact_shape_destroy(plate);
    return 0;
}

static int box_on_box_touches_at_its_corners(void)
{
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.1, 0.1, 0.1), 1, 1, 1), NULL, 0.01);
    ContactShape* slab = contact_shape(block_mesh(tw_vec3(0.4, 0.3, 0.04), 1, 1, 1), NULL, 0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    const double depth = 1e-6;
    BodyPlace a = body_at(box, 0, tw_vec3(0.03, -0.02, 0.07 - depth)), b = body_at(slab, 1, tw_vec3(0, 0, 0));
    a.turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 0.4);
    int count = tw_pair_touches(pair, &a, &b, 1e-4, touches);
    ENSURE(count == 4 && all_are(touches, count, tw_vec3(0, 0, 1), -depth, 1e-9) == 0);

    // the other way round the points are the second body's, and the normal is still towards them
    tw_pair_forget(pair);
    count = tw_pair_touches(pair, &b, &a, 1e-4, touches);
    ENSURE(count == 4 && touches[0].which == 1 && touches[0].body[0] == 0 && touches[0].normal.z > 0.99);
    ENSURE(all_are(touches, count, tw_vec3(0, 0, -1), -depth, 1e-9) == 0);
    free(pair);
    tw_contact_shape_destroy(box);
    tw_contact_shape_destroy(slab);
    return 0;
}

static int boxes_flush_with_each_other_touch_only_face_to_face(void)
{
    // corners lie on edges: inside, outside or exactly on them, by nanometres
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.1, 0.08, 0.06), 1, 1, 1), NULL, 0.01);
    PairDef def = tw_pair_def();
    const double depths[3] = {0, 1e-6, 1e-8}, offs[4] = {0, 1e-9, -1e-9, 1e-7};
    for (int i = 0; i < 12; i++)
    {
        Pair* pair = new_pair(&def);
        double depth = depths[i % 3], off = offs[i / 3];
        BodyPlace b = body_at(box, 1, tw_vec3(0, 0, 0)), a = body_at(box, 0, tw_vec3(off, -0.5 * off, 0.06 - depth));
        for (int step = 0; step < 3; step++)
        {
            int count = tw_pair_touches(pair, &a, &b, 1e-4, touches);
            ENSURE(count == 4 && all_are(touches, count, tw_vec3(0, 0, 1), -depth, 1e-12) == 0);
            a.position.x = off - a.position.x;
        }
        free(pair);
    }
    tw_contact_shape_destroy(box);
    return 0;
}

static int crossing_edges_touch_once(void)
{
    // a roof edge along x below, one along y above, turned by 30 degrees
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.1, 0.1, 0.1), 1, 1, 1), NULL, 0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    double half_diagonal = 0.05 * sqrt(2), roof = TW_PI / 4;
    BodyPlace b = body_at(box, 1, tw_vec3(0, 0, 0));
    b.turn = tw_quat_from_axis_angle(tw_vec3(1, 0, 0), roof);
    for (int i = 0; i < 2; i++)
    {
        double gap = i == 0 ? 1e-5 : -1e-5;
        BodyPlace a = body_at(box, 0, tw_vec3(0.01, 0.02, 2 * half_diagonal + gap));
        twQuat round = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), TW_PI / 6);
        a.turn = tw_quat_mul(round, tw_quat_from_axis_angle(tw_vec3(0, 1, 0), roof));
        int count = tw_pair_touches(pair, &a, &b, 1e-4, touches);
        ENSURE(count == 1 && touches[0].edge && touches[0].face == -1);
        ENSURE(all_are(touches, count, tw_vec3(0, 0, 1), gap, 1e-12) == 0);

        // the lines meet above y = 0: the upper one passes (0.01, 0.02) at 30 degrees from the y axis
        ENSURE_NEAR(touches[0].point.y, 0, 1e-12);
        ENSURE_NEAR(touches[0].point.x, 0.01 + 0.02 * tan(TW_PI / 6), 1e-12);
    }
    free(pair);
    tw_contact_shape_destroy(box);
    return 0;
}

static int corner_on_a_face_touches_once(void)
{
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.1, 0.1, 0.1), 2, 2, 2), NULL, 0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(box, 7, tw_vec3(0, 0, 0)), a = body_at(box, 3, tw_vec3(0.003, 0.004, 0));
    twVec3 corner = tw_vec3(-0.05, -0.05, -0.05), axis = tw_vec3_cross(corner, tw_vec3(0, 0, -1));
    a.turn = tw_quat_from_axis_angle(axis, acos(1 / sqrt(3)));
    a.position.z = 0.05 + 0.05 * sqrt(3) - 1e-5;
    int count = tw_pair_touches(pair, &a, &b, 1e-4, touches);
    ENSURE(count == 1 && !touches[0].edge && all_are(touches, 1, tw_vec3(0, 0, 1), -1e-5, 1e-9) == 0);
    ENSURE_NEAR(touches[0].point.x, 0.003, 1e-12);
    ENSURE_NEAR(touches[0].point.y, 0.004, 1e-12);
    free(pair);
    tw_contact_shape_destroy(box);
    return 0;
}

static int sphere_touches_an_edge_from_above_it(void)
{
    // its edges are not sharp, but that of the box is
    twMesh* ball = sphere_mesh(tw_vec3(0, 0, 0), 0.05, 12);
    tw_mesh_mend(ball, 1e-9, NULL, NULL);
    ContactShape* sphere = contact_shape(ball, NULL, 0.01);
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.2, 0.1, 0.1), 1, 1, 1), NULL, 0.01);
    PairDef def = tw_pair_def();
    twRng rng = tw_rng(5);
    double sag = 0.05 * pow(TW_PI / 2 / 12, 2) / 4, top = 0.05 * sqrt(2);
    for (int i = 0; i < 100; i++)
    {
        // a roof edge along x, and the ball let down on it until it is inside
        Pair* pair = new_pair(&def);
        BodyPlace b = body_at(box, 1, tw_vec3(0, 0, 0)), a = body_at(sphere, 0, tw_vec3(0.01, 0, 0));
        b.turn = tw_quat_from_axis_angle(tw_vec3(1, 0, 0), TW_PI / 4);
        a.turn = random_turn(&rng);
        for (int k = 0; k < 60; k++)
        {
            double depth = 2e-5 * (k - 20);
            a.position.z = top + 0.05 - depth;
            int count = tw_pair_touches(pair, &a, &b, 3e-4, touches);
            if (depth < 2 * sag) continue;
            ENSURE(count > 0 && least_gap(touches, count) < 0);
            ENSURE(least_gap(touches, count) > -depth - 1e-9);
            for (int m = 0; m < count; m++)
                if (touches[m].gap < 0) ENSURE((touches[m].which == 0 ? 1 : -1) * touches[m].normal.z > 0.9);
        }
        ENSURE(tw_pair_stats(pair).forced == 0);
        free(pair);
    }
    tw_contact_shape_destroy(sphere);
    tw_contact_shape_destroy(box);
    return 0;
}

static int thin_sheet_is_touched_from_the_side_it_was_come_from(void)
{
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.02, 0.02, 0.02), 2, 2, 2), NULL, 0.004);
    ContactShape* sheet = contact_shape(block_mesh(tw_vec3(0.3, 0.2, 0.0005), 6, 4, 1), NULL, 0.004);
    PairDef def = tw_pair_def();
    for (int way = -1; way <= 1; way += 2)
    {
        // pushed through by 1.5 mm, three times its thickness, 0.1 mm at a time
        Pair* pair = new_pair(&def);
        for (int i = -2; i <= 15; i++)
        {
            double gap = -1e-4 * i;
            BodyPlace a = body_at(box, 0, tw_vec3(0.01, 0.02, way * (0.01025 + gap)));
            BodyPlace b = body_at(sheet, 1, tw_vec3(0, 0, 0));
            int count = tw_pair_touches(pair, &a, &b, 3e-4, touches);
            ENSURE(count >= 4);
            for (int k = 0; k < count; k++)
            {
                if (touches[k].which == 1) continue;
                ENSURE_NEAR(touches[k].normal.z, way, 1e-6);
                ENSURE_NEAR(touches[k].gap, gap, 1e-9);
            }
        }
        free(pair);
    }
    tw_contact_shape_destroy(box);
    tw_contact_shape_destroy(sheet);
    return 0;
}

// Half way between two sides the interpolated distance has no slope: a body deep inside another has a way out all the same.
static int normals_deep_inside_are_of_length_one(void)
{
    ContactShape* block = contact_shape(block_mesh(tw_vec3(0.2, 0.05, 0.05), 2, 1, 1), NULL, 0.004);
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.002, 0.002, 0.002), 1, 1, 1), NULL, 0.004);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    for (int i = 0; i < 100; i++)
    {
        const twVec3 middle = {-0.08 + 0.0016 * i, 0.001 * (i % 3 - 1), 0};
        BodyPlace a = body_at(box, 0, middle), b = body_at(block, 1, tw_vec3(0, 0, 0));
        tw_pair_forget(pair);
        const int count = tw_pair_touches(pair, &a, &b, 1e-3, touches);
        ENSURE(count > 0);
        for (int k = 0; k < count; k++) ENSURE_NEAR(tw_vec3_norm(touches[k].normal), 1, 1e-9);
    }
    free(pair);
    tw_contact_shape_destroy(block);
    tw_contact_shape_destroy(box);
    return 0;
}

// ---- step by step ----

// Points of the lower side of the lower bar look at the upper side of the upper one, 8 mm away, as if they had come
// through both. The bars have modes, so that points in the middle of faces touch too.
static int far_side_of_a_thin_bar_is_not_touched_however_long_the_reach(void)
{
    twMesh* mesh = block_mesh(tw_vec3(0.3, 0.03, 0.004), 32, 4, 1);
    twModeSet* set = plate_modes(mesh);
    ContactShape* bar = contact_shape(mesh, set, 0.002);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    const double heights[3] = {0.0041, 0.004, 0.0025}, ahead[3] = {0, 5e-4, 5e-4}, none[3] = {0};
    for (int i = 0; i < 3; i++)
    {
        BodyPlace a = body_at(bar, 0, tw_vec3(0, 0, heights[i])), b = body_at(bar, 1, tw_vec3(0, 0, 0));
        a.turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 1.2);
        a.velocity = tw_vec3(0, 0, i < 2 ? -1 : -4);
        a.mode_count = b.mode_count = 3;
        a.amplitude = a.rate = b.amplitude = b.rate = none;
        tw_pair_forget(pair);
        const int count = tw_pair_touches_ahead(pair, &a, &b, 0.012, ahead[i], touches);
        ENSURE(count > 0);
        for (int k = 0; k < count; k++) ENSURE((touches[k].which == 0 ? 1 : -1) * touches[k].normal.z > -0.5);
        // what came in within the step is known
        ENSURE(i < 2 || least_gap(touches, count) < -0.001);
    }
    free(pair);
    tw_contact_shape_destroy(bar);
    tw_mode_set_destroy(set);
    return 0;
}

static int ids_and_tangents_persist_while_a_box_slides_and_turns(void)
{
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.05, 0.05, 0.02), 5, 5, 2), NULL, 0.005);
    ContactShape* slab = contact_shape(block_mesh(tw_vec3(0.4, 0.3, 0.04), 1, 1, 1), NULL, 0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(slab, 1, tw_vec3(0, 0, 0));
    uint64_t ids[24];
    twVec3 tangent[24];
    int first = 0;
    for (int i = 0; i < 2000; i++)
    {
        BodyPlace a = body_at(box, 0, tw_vec3(-0.1 + 1e-4 * i, 0, 0.03 - 1e-6));
        a.turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 1e-3 * i);
        int count = tw_pair_touches(pair, &a, &b, 1e-5, touches);
        if (i == 0) first = count;
        ENSURE(count == first && count >= 4 && count <= def.max_touches);
        for (int k = 0; k < count; k++)
        {
            if (i == 0) ids[k] = touches[k].id;
            ENSURE(touches[k].id == ids[k] && touches[k].fresh == (i == 0));
            for (int m = 0; m < k; m++) ENSURE(ids[m] != ids[k]);
            if (i > 0) ENSURE_NEAR(tw_vec3_dot(touches[k].tangent[0], tangent[k]), 1, 1e-12);
            tangent[k] = touches[k].tangent[0];
        }
    }
    ENSURE(tw_pair_stats(pair).refreshes < 400);
    free(pair);
    tw_contact_shape_destroy(box);
    tw_contact_shape_destroy(slab);
    return 0;
}

static int crossing_keeps_its_id_from_edge_to_edge(void)
{
    // edges of five pieces each
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.1, 0.1, 0.1), 5, 5, 5), NULL, 0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    double roof = TW_PI / 4, height = 0.1 * sqrt(2) - 1e-6;
    BodyPlace b = body_at(box, 1, tw_vec3(0, 0, 0));
    b.turn = tw_quat_from_axis_angle(tw_vec3(1, 0, 0), roof);
    uint64_t id = 0;
    for (int i = 0; i < 800; i++)
    {
        BodyPlace a = body_at(box, 0, tw_vec3(-0.0395 + 1e-4 * i, 0.0399 - 1e-4 * i, height));
        a.turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), roof);
        int count = tw_pair_touches(pair, &a, &b, 1e-5, touches);
        ENSURE(count == 1 && all_are(touches, 1, tw_vec3(0, 0, 1), -1e-6, 1e-12) == 0);
        if (i == 0) id = touches[0].id;
        ENSURE(touches[0].id == id);
    }
    free(pair);
    tw_contact_shape_destroy(box);
    return 0;
}

static int many_touches_become_few_that_stay_and_span_the_patch(void)
{
    ContactShape* box = spaced_shape(block_mesh(tw_vec3(0.1, 0.08, 0.02), 10, 8, 2), NULL, 0.005, 0);
    ContactShape* slab = spaced_shape(block_mesh(tw_vec3(0.2, 0.2, 0.02), 20, 20, 2), NULL, 0.005, 0);
    PairDef def = tw_pair_def();
    def.max_touches = 8;
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(slab, 1, tw_vec3(0, 0, 0)), a = body_at(box, 0, tw_vec3(0.0031, 0.0013, 0.02 - 1e-6));
    uint64_t ids[8];
    for (int i = 0; i < 100; i++)
    {
        // trembling by nanometres
        a.position.z += i % 2 ? 1e-9 : -1e-9;
        int count = tw_pair_touches(pair, &a, &b, 1e-5, touches);
        ENSURE(count == 8);
        double low[2] = {1, 1}, high[2] = {-1, -1};
        for (int k = 0; k < count; k++)
        {
            if (i == 3) ids[k] = touches[k].id;
            if (i > 3) ENSURE(touches[k].id == ids[k]);
            low[0] = fmin(low[0], touches[k].point.x - a.position.x);
            high[0] = fmax(high[0], touches[k].point.x - a.position.x);
            low[1] = fmin(low[1], touches[k].point.y - a.position.y);
            high[1] = fmax(high[1], touches[k].point.y - a.position.y);
        }
        ENSURE(low[0] < -0.045 && high[0] > 0.045 && low[1] < -0.036 && high[1] > 0.036);
    }
    free(pair);
    tw_contact_shape_destroy(box);
    tw_contact_shape_destroy(slab);
    return 0;
}

static int bodies_that_stay_apart_cost_no_lookup(void)
{
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.05, 0.05, 0.02), 5, 5, 2), NULL, 0.005);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    BodyPlace b = body_at(box, 1, tw_vec3(0, 0, 0));
    int64_t lookups = 0;
    for (int i = 0; i < 1000; i++)
    {
        // 10 mm apart, trembling and turning
        BodyPlace a = body_at(box, 0, tw_vec3(0.06 + 1e-3 * sin(0.1 * i), 1e-3 * cos(0.1 * i), 0));
        a.turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), 1e-2 * sin(0.3 * i));
        ENSURE(tw_pair_touches(pair, &a, &b, 1e-4, touches) == 0);
        if (i == 0) lookups = tw_pair_stats(pair).lookups;
        ENSURE(tw_pair_stats(pair).lookups == lookups);
        ENSURE(tw_pair_clearance(pair, &a, &b) > 1e-4);
    }
    ENSURE(tw_pair_stats(pair).refreshes == 1);
    free(pair);
    tw_contact_shape_destroy(box);
    return 0;
}

static int copy_of_a_pair_takes_it_back(void)
{
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.05, 0.05, 0.02), 5, 5, 2), NULL, 0.005);
    PairDef def = tw_pair_def();
    Pair *pair = new_pair(&def), *copy = new_pair(&def);
    Touch first[24];
    BodyPlace b = body_at(box, 1, tw_vec3(0, 0, 0));
    for (int round = 0; round < 2; round++)
    {
        for (int i = round * 50; i < 100; i++)
        {
            if (i == 50 && round == 0) memcpy(copy, pair, tw_pair_bytes(&def));
            if (i == 50 && round == 1) memcpy(pair, copy, tw_pair_bytes(&def));
            BodyPlace a = body_at(box, 0, tw_vec3(1e-3 + 1e-4 * i, 1e-3, 0.02 - 1e-6));
            int count = tw_pair_touches(pair, &a, &b, 1e-5, touches);
            ENSURE(count >= 4 && count <= 24);
        }
        if (round == 0) memcpy(first, touches, sizeof first);
    }
    for (int k = 0; k < 4; k++)
        ENSURE(first[k].id == touches[k].id && first[k].gap == touches[k].gap &&
               first[k].tangent[0].x == touches[k].tangent[0].x);
    free(pair);
    free(copy);
    tw_contact_shape_destroy(box);
    return 0;
}

// ---- random motion ----

// two bodies that wander about each other, against trying everything; *close counts the steps in which they nearly touch
static int wander(ContactShape* sa, ContactShape* sb, const twMesh* ma, const twMesh* mb, uint64_t seed, int steps,
                  int* close)
{
    const double reach = 2e-3;
    twWinding *wa, *wb;
    ENSURE(tw_winding_create(&wa, ma, NULL) == TW_OK && tw_winding_create(&wb, mb, NULL) == TW_OK);
    PairDef def = tw_pair_def();
    def.max_touches = ROOM;
    Pair* pair = new_pair(&def);
    twRng rng = tw_rng(seed);
    BodyPlace b = body_at(sb, 1, tw_vec3(0, 0, 0)), a = body_at(sa, 0, tw_vec3(0.12, 0, 0));
    twVec3 drift = random_unit(&rng), spin = random_unit(&rng);
    for (int i = 0; i < steps; i++)
    {
        double vertices = fmin(brute_vertices(&a, &b, wb), brute_vertices(&b, &a, wa));
        double truth = fmin(vertices, vertices > 0 && vertices < 0.05 ? brute_sides(&a, &b) : HUGE_VAL);
        if (truth > 0 && truth < 0.01 && (brute_pierces(&a, &b) || brute_pierces(&b, &a))) truth = -truth;
        int count = tw_pair_touches(pair, &a, &b, reach, touches);
        if (truth > 1e-9 && truth < reach)
        {
            ENSURE(count > 0);
            ENSURE_NEAR(least_gap(touches, count), truth, 1e-9 + 0.02 * truth);
            ++*close;
        }
        if (truth > reach) ENSURE(count == 0 || least_gap(touches, count) > 0);
        if (vertices < -1e-9) ENSURE(count > 0 && least_gap(touches, count) < 0);

        // towards each other while apart, away when they meet
        twVec3 way = tw_vec3_normalize(tw_vec3_sub(b.position, a.position));
        double step = truth < 5e-4 ? -5e-3 : truth > 0.01 ? 4e-3 : 4e-4;
        if (i % 20 == 0) drift = random_unit(&rng), spin = random_unit(&rng);
        a.position = tw_vec3_add_scaled(tw_vec3_add_scaled(a.position, way, step), drift, 2e-4);
        a.turn = tw_quat_integrate(a.turn, spin, truth < 5e-4 ? 0.3 : 0.01);
    }
    ENSURE(tw_pair_stats(pair).crowded == 0);
    free(pair);
    tw_winding_destroy(wa);
    tw_winding_destroy(wb);
    return 0;
}

static int no_contact_is_missed_in_random_motion(void)
{
    int close = 0;
    twMesh *box = block_mesh(tw_vec3(0.06, 0.05, 0.04), 1, 1, 1), *bar = block_mesh(tw_vec3(0.14, 0.02, 0.02), 3, 1, 1);
    ContactShape* a = contact_shape(block_mesh(tw_vec3(0.06, 0.05, 0.04), 1, 1, 1), NULL, 0.005);
    ContactShape* b = contact_shape(block_mesh(tw_vec3(0.14, 0.02, 0.02), 3, 1, 1), NULL, 0.005);
    for (uint64_t seed = 1; seed <= 4; seed++) ENSURE(wander(a, b, box, bar, seed, 300, &close) == 0);

    // a cup, which is hollow
    twMesh* cup = body_mesh(CUP);
    ContactShape* c = contact_shape(body_mesh(CUP), NULL, 0.005);
    for (uint64_t seed = 1; seed <= 2; seed++) ENSURE(wander(a, c, box, cup, seed, 200, &close) == 0);
    ENSURE(close > 150);
    tw_mesh_destroy(box);
    tw_mesh_destroy(bar);
    tw_mesh_destroy(cup);
    tw_contact_shape_destroy(a);
    tw_contact_shape_destroy(b);
    tw_contact_shape_destroy(c);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(sphere_touches_a_plane_at_its_lowest_point)
    RUN(box_on_box_touches_at_its_corners)
    RUN(boxes_flush_with_each_other_touch_only_face_to_face)
    RUN(crossing_edges_touch_once)
    RUN(corner_on_a_face_touches_once)
    RUN(sphere_touches_an_edge_from_above_it)
    RUN(thin_sheet_is_touched_from_the_side_it_was_come_from)
    RUN(far_side_of_a_thin_bar_is_not_touched_however_long_the_reach)
    RUN(normals_deep_inside_are_of_length_one)
    RUN(ids_and_tangents_persist_while_a_box_slides_and_turns)
    RUN(crossing_keeps_its_id_from_edge_to_edge)
    RUN(many_touches_become_few_that_stay_and_span_the_patch)
    RUN(bodies_that_stay_apart_cost_no_lookup)
    RUN(copy_of_a_pair_takes_it_back)
    RUN(no_contact_is_missed_in_random_motion)
)
