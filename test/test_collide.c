// SPDX-License-Identifier: MIT
// Collision detection: placed bodies against geometry, and random motion against trying everything.
#include "collide.h"
#include "dynamics/collide.h"

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

// ---- modes ----

static int bending_is_the_sum_over_modes_with_any_instructions(void)
{
    enum
    {
        MOST = 70
    };
    float rows[3 * MOST];
    double v[MOST];
    twRng rng = tw_rng(17);
    for (int i = 0; i < 3 * MOST; i++) rows[i] = (float)tw_rng_normal(&rng);
    for (int i = 0; i < MOST; i++) v[i] = tw_rng_normal(&rng);
    for (int n = 0; n <= MOST; n++)
    {
        double generic[3], best[3];
        tw_block_kernel("generic")->bend3(rows, MOST, n, v, generic);
        tw_block_kernel(NULL)->bend3(rows, MOST, n, v, best);
        for (int r = 0; r < 3; r++)
        {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += (double)rows[r * MOST + i] * v[i];
            ENSURE_NEAR(best[r], sum, 1e-13);
            ENSURE_NEAR(generic[r], sum, 1e-13);
        }
    }
    return 0;
}

static int bent_bodies_touch_where_they_are_bent_to(void)
{
    twMesh* mesh = block_mesh(tw_vec3(0.3, 0.2, 0.01), 30, 20, 1);
    twModeSet* set = plate_modes(mesh);
    ContactShape* plate = contact_shape(mesh, set, 0.005);
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.02, 0.02, 0.02), 1, 1, 1), NULL, 0.005);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    const double q[3] = {1e-4, 2e-4, -1e-4}, rate[3] = {0, 0, 0};
    BodyPlace b = body_at(plate, 1, tw_vec3(0, 0, 0)), a = body_at(box, 0, tw_vec3(0.08, 0.013, 0.015));
    b.mode_count = 3;
    b.amplitude = q;
    b.rate = rate;
    a.turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 0.3);
    int count = tw_pair_touches(pair, &a, &b, 1e-3, touches), corners = 0;
    for (int i = 0; i < count; i++)
    {
        // the plate's top at x: linear between vertices 1 cm apart, slope at most 3e-3
        twVec3 p = world_vertex(touches[i].which == 0 ? &a : &b, touches[i].vertex[0]);
        double x = floor(p.x / 0.01) * 0.01, s = (p.x - x) / 0.01, h[2];
        for (int k = 0; k < 2; k++)
        {
            double u = (x + 0.01 * k) / 0.15;
            h[k] = 0.005 + 2 * (q[0] + q[1] * u + q[2] * (u * u - 0.5));
        }
        if (touches[i].which == 0)
            ENSURE_NEAR(touches[i].gap, p.z - ((1 - s) * h[0] + s * h[1]), 1e-8);
        else
            ENSURE_NEAR(touches[i].gap, 0.005 - p.z, 1e-8);
        corners += touches[i].which == 0;
    }
    ENSURE(corners == 4);
    free(pair);
    tw_mode_set_destroy(set);
    tw_contact_shape_destroy(plate);
    tw_contact_shape_destroy(box);
    return 0;
}

static int vibration_hides_no_contact_from_a_pair_that_remembers(void)
{
    // a plate that swings by 3 mm below a box that creeps down, against a pair that is new in every step
    twMesh* mesh = block_mesh(tw_vec3(0.3, 0.2, 0.01), 12, 8, 1);
    twModeSet* set = plate_modes(mesh);
    ContactShape* plate = contact_shape(mesh, set, 0.005);
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.03, 0.03, 0.03), 1, 1, 1), NULL, 0.005);
    PairDef def = tw_pair_def();
    Pair *pair = new_pair(&def), *fresh = new_pair(&def);
    static Touch other[ROOM];
    double q[3];
    int found = 0;
    BodyPlace b = body_at(plate, 1, tw_vec3(0, 0, 0));
    b.mode_count = 3;
    b.amplitude = b.rate = q;
    for (int i = 0; i < 1500; i++)
    {
        BodyPlace a = body_at(box, 0, tw_vec3(0.053, 0.013, 0.0223 - 1e-6 * i));
        for (int j = 0; j < 3; j++) q[j] = 5e-4 * sin((0.02 + 0.03 * j) * i);
        tw_pair_forget(fresh);
        int count = tw_pair_touches(pair, &a, &b, 1e-4, touches),
            expected = tw_pair_touches(fresh, &a, &b, 1e-4, other);
        ENSURE(count == expected);
        for (int k = 0; k < count; k++) ENSURE(touches[k].gap == other[k].gap && touches[k].id == other[k].id);
        found += count > 0;
    }
    ENSURE(found > 50 && found < 1400);
    ENSURE(tw_pair_stats(pair).refreshes < 300);
    free(pair);
    free(fresh);
    tw_mode_set_destroy(set);
    tw_contact_shape_destroy(plate);
    tw_contact_shape_destroy(box);
    return 0;
}

// the gap after a body's coordinate k has moved by step; only the touch with this id
static double gap_after(const BodyPlace place[2], int which, int k, double step, uint64_t id)
{
    PairDef def = tw_pair_def();
    def.max_touches = ROOM;
    Pair* pair = new_pair(&def);
    BodyPlace moved[2] = {place[0], place[1]};
    double q[3] = {0, 0, 0}, d[6] = {0}, gap = NAN;
    if (k < 6) d[k] = step;
    BodyPlace* m = &moved[which];
    m->position = tw_vec3_add(m->position, tw_vec3(d[0], d[1], d[2]));
    m->turn = tw_quat_integrate(m->turn, tw_vec3(d[3], d[4], d[5]), 1);
    for (int j = 0; j < m->mode_count; j++) q[j] = m->amplitude[j] + (k == 6 + j ? step : 0);
    if (m->mode_count > 0) m->amplitude = q;
    int count = tw_pair_touches(pair, &moved[0], &moved[1], 2e-3, touches);
    for (int i = 0; i < count; i++)
        if (touches[i].id == id) gap = touches[i].gap;
    free(pair);
    return gap;
}

static int normal_rows_are_the_slope_of_the_gap(void)
{
    twMesh* mesh = block_mesh(tw_vec3(0.3, 0.2, 0.01), 12, 8, 1);
    twModeSet* set = plate_modes(mesh);
    ContactShape* plate = contact_shape(mesh, set, 0.005);
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.03, 0.03, 0.03), 1, 1, 1), NULL, 0.005);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    const double q[3] = {1e-6, -2e-6, 1e-6}, rate[3] = {0.1, -0.2, 0.3}, step = 1e-6;
    BodyPlace place[2] = {body_at(box, 0, tw_vec3(0.053, 0.013, 0.0203)), body_at(plate, 1, tw_vec3(0, 0, 0))};
    place[0].turn = tw_quat_from_axis_angle(tw_vec3(0.01, 0.02, 1), 0.3);
    place[1].mode_count = 3;
    place[1].amplitude = q;
    place[1].rate = rate;
    place[0].velocity = tw_vec3(1, 2, 3);
    place[0].spin = tw_vec3(4, 5, 6);
    int count = tw_pair_touches(pair, &place[0], &place[1], 2e-3, touches);
    Touch list[24];
    ENSURE(count >= 4 && count <= 24);
    memcpy(list, touches, (size_t)count * sizeof *list);
    for (int i = 0; i < count; i++)
    {
        // side 0 is a, which may be either body; velocities of both give the velocity at the touch
        double velocity[3] = {0, 0, 0}, expected[3], momentum[18] = {0};
        for (int side = 0; side < 2; side++)
        {
            int which = side ^ list[i].which;
            double rows[3 * 9], v[9] = {place[which].velocity.x, place[which].velocity.y, place[which].velocity.z,
                                        place[which].spin.x,     place[which].spin.y,     place[which].spin.z};
            tw_touch_rows(rows, &list[i], side, &place[which], false);
            int size = tw_touch_size(&place[which], false);
            ENSURE(size == 6 + place[which].mode_count);
            for (int j = 6; j < size; j++) v[j] = rate[j - 6];
            for (int d = 0; d < 3; d++)
            {
                for (int k = 0; k < size; k++) velocity[d] += rows[d * size + k] * v[k];
                twVec3 push = tw_vec3(rows[d * size], rows[d * size + 1], rows[d * size + 2]);
                twVec3 turn = tw_vec3_cross(place[which].position, push);
                const double part[6] = {push.x,
                                        push.y,
                                        push.z,
                                        turn.x + rows[d * size + 3],
                                        turn.y + rows[d * size + 4],
                                        turn.z + rows[d * size + 5]};
                for (int k = 0; k < 6; k++) momentum[6 * d + k] += part[k];
            }
            for (int k = 0; k < size; k++)
            {
                double slope =
                    (gap_after(place, which, k, step, list[i].id) - gap_after(place, which, k, -step, list[i].id)) /
                    (2 * step);
                ENSURE_NEAR(rows[k], slope, 2e-4);
            }

            // a held body has the modes alone
            double held[3 * 3];
            tw_touch_rows(held, &list[i], side, &place[which], true);
            for (int k = 0; k < 3 * (size - 6); k++)
                ENSURE(held[k] == rows[k / (size - 6) * size + 6 + k % (size - 6)]);
        }
        tw_touch_velocity(expected, &list[i], &place[list[i].which], &place[1 - list[i].which]);
        for (int d = 0; d < 3; d++) ENSURE_NEAR(velocity[d], expected[d], 1e-12);
        for (int k = 0; k < 18; k++) ENSURE_NEAR(momentum[k], 0, 1e-15);
    }
    free(pair);
    tw_mode_set_destroy(set);
    tw_contact_shape_destroy(plate);
    tw_contact_shape_destroy(box);
    return 0;
}

// ---- step by step ----

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

// ---- which bodies ----

enum
{
    BODY_COUNT = 60
};

static double box_gap(const BodyPlace* a, const BodyPlace* b)
{
    twVec3 al, ah, bl, bh;
    tw_place_box(a, &al, &ah);
    tw_place_box(b, &bl, &bh);
    return fmax(fmax(fmax(al.x - bh.x, bl.x - ah.x), fmax(al.y - bh.y, bl.y - ah.y)), fmax(al.z - bh.z, bl.z - ah.z));
}

static int all_against_all_finds_the_same_pairs(void)
{
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.06, 0.04, 0.03), 1, 1, 1), NULL, 0.01);
    BodyPlace places[BODY_COUNT];
    const double reach = 1e-3, margin = 5e-3;
    twRng rng = tw_rng(11);
    Broad* broad;
    ENSURE(tw_broad_create(&broad, BODY_COUNT, BODY_COUNT * BODY_COUNT / 2, margin, NULL) == TW_OK);
    for (int i = 0; i < BODY_COUNT; i++)
    {
        places[i] = body_at(
            box, i, tw_vec3(tw_rng_uniform(&rng) * 0.4, tw_rng_uniform(&rng) * 0.4, tw_rng_uniform(&rng) * 0.1));
        places[i].turn = random_turn(&rng);
        places[i].velocity = tw_vec3_scale(random_unit(&rng), i % 3 == 0 ? 5 : 0.1);
        places[i].spin = tw_vec3_scale(random_unit(&rng), i % 4 == 0 ? 30 : 0);
        places[i].still = i < 5;
        if (i < 5) places[i].velocity = places[i].spin = tw_vec3(0, 0, 0);
    }
    int met = 0;
    for (int step = 0; step < 300; step++)
    {
        tw_broad_update(broad, places, reach);
        int count, next = 0;
        const BroadPair* pairs = tw_broad_pairs(broad, &count);
        for (int a = 0; a < BODY_COUNT; a++)
            for (int b = a + 1; b < BODY_COUNT; b++)
            {
                bool listed = next < count && pairs[next].a == a && pairs[next].b == b;
                double gap = box_gap(&places[a], &places[b]);
                next += listed;
                met += listed;
                if (a < 5 && b < 5)
                    ENSURE(!listed);
                else
                    ENSURE(listed ? gap < 14 * margin : gap > reach);
            }
        ENSURE(next == count);
        for (int i = 0; i < BODY_COUNT; i++)
        {
            places[i].position = tw_vec3_add_scaled(places[i].position, places[i].velocity, 1.0 / 30000);
            places[i].turn = tw_quat_integrate(places[i].turn, places[i].spin, 1.0 / 30000);
        }
    }
    ENSURE(met > 1000);

    // and when all stand still nothing is done
    int64_t sweeps = tw_broad_stats(broad).sweeps;
    for (int step = 0; step < 10; step++) ENSURE(!tw_broad_update(broad, places, reach) || step == 0);
    ENSURE(tw_broad_stats(broad).sweeps <= sweeps + 1 && tw_broad_stats(broad).dropped == 0);
    tw_broad_destroy(broad);
    tw_contact_shape_destroy(box);
    return 0;
}

static int one_call_finds_the_touches_of_all_pairs(void)
{
    // boxes in a row that hop one after the other: pairs come and go, and their memory with them
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.1, 0.1, 0.1), 1, 1, 1), NULL, 0.02);
    ContactShape* floor = contact_shape(block_mesh(tw_vec3(3, 0.4, 0.1), 1, 1, 1), NULL, 0.05);
    enum
    {
        BOXES = 8
    };
    ColliderDef def = tw_collider_def();
    def.body_count = BOXES + 1;
    def.max_pairs = BOXES;
    def.pair.max_candidates = def.pair.max_edges = 64;
    Collider* collider;
    ENSURE(tw_collider_create(&collider, &def, NULL) == TW_OK);
    BodyPlace places[BOXES + 1];
    for (int step = 0; step < 400; step++)
    {
        int up = 0, count;
        places[BOXES] = body_at(floor, BOXES, tw_vec3(0, 0, -0.05));
        for (int i = 0; i < BOXES; i++)
        {
            double height = 0.1 * sin(0.05 * step + i);
            places[i] = body_at(box, i, tw_vec3(-1.2 + 0.3 * i, 0.01 * i, 0.05 + (height > 0 ? height : -1e-6)));
            up += height > 1e-4;
        }
        const Touch* list = tw_collider_step(collider, places, 1e-4, &count);
        ENSURE(count == 4 * (BOXES - up));
        for (int k = 0; k < count; k++) ENSURE(list[k].body[0] == list[k / 4 * 4].body[0] && list[k].body[1] == BOXES);
    }
    ColliderStats stats = tw_collider_stats(collider);
    ENSURE(stats.dropped == 0 && stats.broad.dropped == 0 && stats.pairs.crowded == 0);
    ENSURE(stats.pairs.steps < 400 * BOXES && stats.pairs.refreshes > BOXES);
    tw_collider_destroy(collider);
    tw_contact_shape_destroy(box);
    tw_contact_shape_destroy(floor);
    return 0;
}

static int speed_bound_holds_for_every_vertex(void)
{
    twMesh* mesh = block_mesh(tw_vec3(0.3, 0.2, 0.01), 6, 4, 1);
    twModeSet* set = plate_modes(mesh);
    ContactShape* plate = contact_shape(mesh, set, 0.01);
    const double q[3] = {1e-3, -2e-3, 1e-3}, rate[3] = {0.5, -1, 2}, h = 1e-6;
    double q2[3];
    BodyPlace a = body_at(plate, 0, tw_vec3(0, 0, 0));
    a.velocity = tw_vec3(1, -1, 2);
    a.spin = tw_vec3(3, 10, 5);
    a.mode_count = 3;
    a.amplitude = q;
    a.rate = rate;
    for (int j = 0; j < 3; j++) q2[j] = q[j] + h * rate[j];
    BodyPlace later = a;
    later.amplitude = q2;
    later.position = tw_vec3_add_scaled(a.position, a.velocity, h);
    later.turn = tw_quat_integrate(a.turn, a.spin, h);
    double fastest = 0;
    for (int v = 0; v < plate->vertex_count; v++)
    {
        double speed = tw_vec3_norm(tw_vec3_sub(world_vertex(&later, v), world_vertex(&a, v))) / h;
        ENSURE(speed <= tw_place_speed_bound(&a) * (1 + 1e-6));
        ENSURE(tw_vec3_norm(tw_place_bend(&a, v)) <= tw_place_bend_bound(&a));
        fastest = fmax(fastest, speed);
    }
    ENSURE(fastest > 0.3 * tw_place_speed_bound(&a));
    tw_mode_set_destroy(set);
    tw_contact_shape_destroy(plate);
    return 0;
}

static int bodies_that_are_nowhere_touch_nothing(void)
{
    ContactShape* box = contact_shape(block_mesh(tw_vec3(0.1, 0.1, 0.1), 1, 1, 1), NULL, 0.01);
    PairDef def = tw_pair_def();
    Pair* pair = new_pair(&def);
    Broad* broad;
    ENSURE(tw_broad_create(&broad, 3, 2, 1e-3, NULL) == TW_OK);
    const twVec3 lost[4] = {{NAN, 0, 0}, {0, HUGE_VAL, 0}, {0, 0, -1e300}, {0, 0, 0.1 - 1e-6}};
    for (int i = 0; i < 4; i++)
    {
        BodyPlace places[3] = {body_at(box, 0, lost[i]), body_at(box, 1, tw_vec3(0, 0, 0)),
                               body_at(box, 2, tw_vec3(9, 0, 0))};
        tw_broad_update(broad, places, 1e-4);
        int count = tw_pair_touches(pair, &places[0], &places[1], 1e-4, touches);
        ENSURE(count == (i == 3 ? 4 : 0));
        places[0].turn.w = NAN;
        ENSURE(tw_pair_touches(pair, &places[0], &places[1], 1e-4, touches) == 0);
    }
    ENSURE(tw_pair_stats(pair).lost == 7);
    int count;
    const BroadPair* pairs = tw_broad_pairs(broad, &count);
    ENSURE(count == 1 && pairs[0].a == 0 && pairs[0].b == 1);
    tw_broad_destroy(broad);
    free(pair);
    tw_contact_shape_destroy(box);
    return 0;
}

static int points_are_corners_and_whatever_curves(void)
{
    twVec3 size = tw_vec3(0.1, 0.1, 0.02);
    ContactShape* corners = contact_shape(block_mesh(size, 10, 10, 2), NULL, 0.01);
    ContactShape* all = spaced_shape(block_mesh(size, 10, 10, 2), NULL, 0.01, 0);
    ContactShape* some = spaced_shape(block_mesh(size, 10, 10, 2), NULL, 0.01, 0.03);
    ENSURE(corners->vertex_tree->face_count == 8);
    ENSURE(all->vertex_tree->face_count == all->vertex_count);
    ENSURE(some->vertex_tree->face_count > 20 && some->vertex_tree->face_count < 80);

    // a slab bent to a radius of 20 m: 0.06 mm over its length
    twMesh* slab = block_mesh(size, 10, 10, 2);
    for (int v = 0; v < slab->vertex_count; v++) slab->vertices[v].z += slab->vertices[v].x * slab->vertices[v].x / 40;
    ContactShape* bent = contact_shape(slab, NULL, 0.01);
    ENSURE(bent->vertex_tree->face_count >= 2 * 9 * 11);
    tw_contact_shape_destroy(corners);
    tw_contact_shape_destroy(all);
    tw_contact_shape_destroy(some);
    tw_contact_shape_destroy(bent);
    return 0;
}

static int open_surface_makes_no_shape(void)
{
    twMesh* mesh = cube_mesh();
    drop_face(mesh, 0);
    ContactShapeDef def = tw_contact_shape_def();
    ContactShape* shape;
    twError err;
    def.mesh = mesh;
    ENSURE(tw_contact_shape_create(&shape, &def, &err) == TW_BAD_INPUT && shape == NULL && strstr(err.text, "open"));
    tw_contact_shape_destroy(NULL);
    tw_mesh_destroy(mesh);
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
    RUN(bending_is_the_sum_over_modes_with_any_instructions)
    RUN(bent_bodies_touch_where_they_are_bent_to)
    RUN(vibration_hides_no_contact_from_a_pair_that_remembers)
    RUN(normal_rows_are_the_slope_of_the_gap)
    RUN(ids_and_tangents_persist_while_a_box_slides_and_turns)
    RUN(crossing_keeps_its_id_from_edge_to_edge)
    RUN(many_touches_become_few_that_stay_and_span_the_patch)
    RUN(bodies_that_stay_apart_cost_no_lookup)
    RUN(copy_of_a_pair_takes_it_back)
    RUN(no_contact_is_missed_in_random_motion)
    RUN(all_against_all_finds_the_same_pairs)
    RUN(one_call_finds_the_touches_of_all_pairs)
    RUN(speed_bound_holds_for_every_vertex)
    RUN(bodies_that_are_nowhere_touch_nothing)
    RUN(points_are_corners_and_whatever_curves)
    RUN(open_surface_makes_no_shape)
)
