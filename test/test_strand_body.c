// SPDX-License-Identifier: MIT
// Where rods touch bodies.
#include "strand_rod.h"

enum
{
    ROOM = 512
};
static StrandTouch touches[ROOM], others[ROOM];

static const twVec3 UP = {0, 0, 1};

// a box 100 x 80 x 20 mm with its top at 0
static ContactShape* box_shape(void) { return contact_shape(block_mesh(tw_vec3(0.1, 0.08, 0.02), 5, 4, 1), NULL, 0); }
static BodyPlace box_at(const ContactShape* box) { return body_at(box, 5, tw_vec3(0, 0, -0.01)); }

static bool is_inside(const StrandTouch* touch) { return (touch->id & 3) == 2; }

static int count_inside(const StrandTouch* list, int count)
{
    int inside = 0;
    for (int i = 0; i < count; i++) inside += is_inside(&list[i]);
    return inside;
}

static const StrandTouch* first_inside(const StrandTouch* list, int count)
{
    for (int i = 0; i < count; i++)
        if (is_inside(&list[i])) return &list[i];
    return NULL;
}

// ---- faces ----

static int rod_on_a_face_touches_at_its_points_only(void)
{
    ContactShape* box = box_shape();
    BodyPlace place = box_at(box);
    TestRod* rod = test_rod(9, false, 1e-3, 0);
    for (int side = 0; side < 2; side++)
        for (int tilt = -1; tilt <= 1; tilt++)
        {
            // above and below, overlapping by 1 um or apart
            double sign = side == 0 ? 1 : -1, z = side == 0 ? 0 : -0.02, h = 1e-3 - 1e-6;
            line_rod(rod, tw_vec3(-0.03, 0.001, z + sign * h), tw_vec3(0.03, 0.007, z + sign * (h + tilt * 1e-5)), UP);
            int count = fresh_touches(rod, &place, 1e-4, touches, ROOM);
            ENSURE(count == 9);
            for (int i = 0; i < count; i++)
            {
                const StrandTouch* c = &touches[i];
                double gap = -1e-6 + tilt * 1e-5 * i / 8;
                ENSURE_NEAR(c->gap, gap, 1e-12);
                ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(c->normal, tw_vec3(0, 0, sign))), 0, 1e-12);
                ENSURE(c->rod[0] == 2 && c->rod[1] == -1 && c->body == 5);
                ENSURE(c->edge[0] == (i < 8 ? i : 7) && c->share[0] == (i < 8 ? 0 : 1));

                // half way between both; the corners of the body make the same point
                twVec3 x = get(rod->x, i), point = tw_vec3(x.x, x.y, z + sign * gap / 2), on = {0, 0, 0};
                ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(c->point, point)), 0, 1e-12);
                ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(tw_vec3_add(x, c->arm[0]), c->point)), 0, 1e-15);
                for (int k = 0; k < 3; k++)
                    on = tw_vec3_add_scaled(on, world_vertex(&place, c->corner[k]), c->weight[k]);
                ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(on, tw_vec3(x.x, x.y, z))), 0, 1e-12);
            }
        }
    free(rod);
    tw_contact_shape_destroy(box);
    return 0;
}

static int ruler_touches_with_its_real_corners_however_it_is_turned(void)
{
    ContactShape* box = box_shape();
    BodyPlace place = box_at(box);
    const double w = 1.5e-3, h = 4e-3, z = 4.1e-3;
    TestRod* rod = test_rod(5, false, w, h);
    for (int k = 0; k < 40; k++)
    {
        // d1 turned by a from up; the section's own angle turns it back by a part of that
        double a = 0.03 + 0.157 * k, back = 0.3;
        for (int i = 0; i < 4; i++) rod->angle[i] = -back;
        line_rod(rod, tw_vec3(-0.03, 0, z), tw_vec3(0.03, 0, z), tw_vec3(0, -sin(a), cos(a)));
        int count = fresh_touches(rod, &place, 1, touches, ROOM), seen = 0;
        double lowest = HUGE_VAL, expected = HUGE_VAL;
        for (int i = 0; i < count; i++)
        {
            lowest = fmin(lowest, touches[i].gap);
            seen += tw_vec3_dot(touches[i].normal, UP) > 0.999;
        }
        for (int c = 0; c < 4; c++)
            expected = fmin(expected, z + (c % 2 ? -w : w) * cos(a - back) + (c / 2 ? -h : h) * sin(a - back));
        ENSURE_NEAR(lowest, expected, 1e-12);
        ENSURE(seen == 20);
    }
    free(rod);
    tw_contact_shape_destroy(box);
    return 0;
}

// ---- edges and corners ----

static int rod_across_an_edge_touches_there(void)
{
    // edges along y at x = 0.05; the rod slants across it, with tilts of all signs
    ContactShape* box = box_shape();
    BodyPlace place = box_at(box);
    TestRod *round = test_rod(6, false, 1e-3, 0), *flat = test_rod(6, false, 1e-3, 3e-3);
    for (int k = 0; k < 60; k++)
    {
        double s = -0.45 + 0.013 * k, tilt = 0.25 + 0.02 * k, gap = -2e-6;
        twVec3 t = tw_vec3_normalize(tw_vec3(cos(tilt), 0.3, -sin(tilt))), f = tw_vec3(0, 1, 0);
        twVec3 n = tw_vec3_normalize(tw_vec3_cross(t, f));
        twVec3 at = tw_vec3_add_scaled(tw_vec3(0.05, 0.002, 0), n, 1e-3 + gap);
        line_rod(round, tw_vec3_add_scaled(at, t, -0.05 + 0.02 * s), tw_vec3_add_scaled(at, t, 0.05 + 0.02 * s), n);
        int count = fresh_touches(round, &place, 1e-5, touches, ROOM);
        const StrandTouch* c = first_inside(touches, count);
        ENSURE(count_inside(touches, count) == 1);
        ENSURE_NEAR(c->gap, gap, 1e-9);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(c->normal, n)), 0, 1e-6);
        ENSURE_NEAR(c->edge[0] + c->share[0], 2.5 - s, 1e-6);

        // flat: two corners of the section rest on it, and overlap is no other thing than being apart
        for (int side = -1; side <= 1; side += 2)
        {
            at = tw_vec3_add_scaled(tw_vec3(0.05, 0.002, 0), n, 1e-3 + side * 5e-6);
            line_rod(flat, tw_vec3_add_scaled(at, t, -0.05), tw_vec3_add_scaled(at, t, 0.05), n);
            count = fresh_touches(flat, &place, 1e-5, touches, ROOM);
            ENSURE(count_inside(touches, count) == 2);
            for (int i = 0; i < count; i++)
                if (is_inside(&touches[i])) ENSURE_NEAR(touches[i].gap, side * 5e-6, 1e-9);
        }
    }
    free(round);
    free(flat);
    tw_contact_shape_destroy(box);
    return 0;
}

static int corner_of_a_box_touches_the_side_of_a_rod(void)
{
    ContactShape* box = box_shape();
    BodyPlace place = box_at(box);
    TestRod* rod = test_rod(4, false, 2e-3, 0);
    twVec3 corner = tw_vec3(0.05, 0.04, 0), n = tw_vec3_normalize(tw_vec3(1, 1, 1));
    twVec3 t = tw_vec3_normalize(tw_vec3(1, -1, 0.2));
    t = tw_vec3_normalize(tw_vec3_add_scaled(t, n, -tw_vec3_dot(t, n)));
    twVec3 at = tw_vec3_add_scaled(corner, n, 2e-3 + 3e-6);
    line_rod(rod, tw_vec3_add_scaled(at, t, -0.04), tw_vec3_add_scaled(at, t, 0.05), n);
    int count = fresh_touches(rod, &place, 1e-4, touches, ROOM);
    ENSURE(count == 1 && is_inside(&touches[0]));
    ENSURE_NEAR(touches[0].gap, 3e-6, 1e-9);
    ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].normal, n)), 0, 1e-6);
    ENSURE_NEAR((touches[0].edge[0] + touches[0].share[0]) * 0.03, 0.04, 1e-8);
    free(rod);
    tw_contact_shape_destroy(box);
    return 0;
}

static bool solid_fret(int i, int j, int k) { return j >= 0 && (k == 0 || i == 12); }

static int string_finds_both_edges_of_a_fret_between_its_points(void)
{
    // a board, 4 mm thick, with a fret 4 mm wide and 4 mm high in its middle; points of the string are 10 mm apart
    Blocks blocks = {{25, 2, 2}, {0.004, 0.02, 0.004}, solid_fret};
    ContactShape* board = contact_shape(blocks_mesh(&blocks), NULL, 0);
    BodyPlace place = body_at(board, 5, tw_vec3(0, 0, 0));
    TestRod* rod = test_rod(9, false, 0.25e-3, 0);
    for (int k = 0; k < 200; k++)
    {
        double x = 0.005 + 5e-5 * k, z = 8.25e-3 - 1e-6;
        line_rod(rod, tw_vec3(x, 0.02, z), tw_vec3(x + 0.08, 0.021, z), UP);
        int count = fresh_touches(rod, &place, 1e-5, touches, ROOM), points = 0, ends[2] = {0, 0};
        for (int i = 0; i < count; i++)
        {
            ENSURE(touches[i].gap > -1e-6 - 1e-9 && touches[i].normal.z > 0.9);
            bool full = touches[i].gap < -0.95e-6;
            for (int e = 0; e < 2; e++) ends[e] += full && fabs(touches[i].point.x - (e ? 0.052 : 0.048)) < 1e-5;
            points += !is_inside(&touches[i]);
        }
        ENSURE(ends[0] >= 1 && ends[1] >= 1 && points <= 1);
    }
    free(rod);
    tw_contact_shape_destroy(board);
    return 0;
}

// force of springs at all touches, along z [m]
static double spring_force(const StrandTouch* list, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum -= list[i].gap < 0 ? list[i].gap * list[i].normal.z : 0;
    return sum;
}

static int rod_slides_over_an_edge_without_a_jump(void)
{
    // across a ridge, point after point passing it: one touch carries all the time
    ContactShape* box = box_shape();
    BodyPlace place = box_at(box);
    place.turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), -TW_PI / 4);
    twVec3 top = tw_vec3_add(place.position, tw_quat_rotate(place.turn, tw_vec3(0.05, 0, 0.01)));
    TestRod* rod = test_rod(9, false, 1e-3, 0);
    double last = -1;
    uint64_t id = 0;
    for (int k = 0; k < 20000; k++)
    {
        double slide = -0.015 + 0.03 * k / 20000, z = top.z + 1e-3 - 2e-6;
        line_rod(rod, tw_vec3(top.x - 0.04 + slide, 0, z), tw_vec3(top.x + 0.04 + slide, 0, z), UP);
        int count = fresh_touches(rod, &place, 1e-4, touches, ROOM);
        double force = spring_force(touches, count);
        ENSURE_NEAR(force, 2e-6, 1e-9);
        ENSURE(last < 0 || fabs(force - last) < 1e-9);
        const StrandTouch* c = first_inside(touches, count);
        ENSURE(c && count_inside(touches, count) == 1);

        // on the next edge it says where it comes from
        uint64_t ids[8];
        bool known = id == 0 || id == c->id;
        for (int i = strand_body_neighbours(c, ids) - 1; i >= 0; i--) known = known || ids[i] == id;
        ENSURE(known);
        id = c->id;
        last = force;
    }
    free(rod);
    tw_contact_shape_destroy(box);
    return 0;
}

// largest change of the force from step to step of a rod that lies flat, overlaps by 2 um, slides off and rocks a little
static double largest_change(TestRod* rod, double half, const BodyPlace* place, int steps)
{
    double last = 0, largest = 0;
    for (int k = 0; k < steps; k++)
    {
        double u = (double)k / steps, slide = 0.008 + 0.003 * u, tilt = 1e-6 * sin(12 * u), z = half - 2e-6;
        line_rod(rod, tw_vec3(0.001 + slide, 0, z - tilt), tw_vec3(0.081 + slide, 0, z + tilt), UP);
        double force = spring_force(touches, fresh_touches(rod, place, 1e-4, touches, ROOM));
        if (k > 0) largest = fmax(largest, fabs(force - last));
        last = force;
    }
    return largest;
}

static int rod_beyond_the_end_of_a_face_leaves_it_without_a_jump(void)
{
    // the finer the steps, the smaller the changes
    ContactShape* box = box_shape();
    BodyPlace place = box_at(box);
    TestRod* rods[2] = {test_rod(9, false, 1e-3, 0), test_rod(9, false, 0.5e-3, 2e-3)};
    for (int r = 0; r < 2; r++)
    {
        double half = r == 0 ? 1e-3 : 0.5e-3;
        double coarse = largest_change(rods[r], half, &place, 2500),
               fine = largest_change(rods[r], half, &place, 10000);
        ENSURE(coarse < 2e-6 && fine < coarse / 3);
        free(rods[r]);
    }
    tw_contact_shape_destroy(box);
    return 0;
}

// ---- balls ----

static int ball_touches_a_round_rod_where_it_is_nearest(void)
{
    ContactShape* ball = ball_shape(0.01);
    TestRod* rod = test_rod(9, false, 1e-3, 0);
    twRng rng = tw_rng(3);
    line_rod(rod, tw_vec3(-0.04, 0, 0), tw_vec3(0.04, 0, 0), UP);
    for (int k = 0; k < 500; k++)
    {
        // exact also at points and beyond the ends
        double x = k % 5 == 0 ? 0.01 * (k % 9 - 4) : tw_rng_between(&rng, -0.045, 0.045),
               a = tw_rng_between(&rng, 0, 6);
        BodyPlace place = body_at(ball, 7, tw_vec3(x, 0.0105 * cos(a), 0.0105 * sin(a)));
        double end = fmin(fmax(x, -0.04), 0.04), away = sqrt((x - end) * (x - end) + 0.0105 * 0.0105);
        int count = fresh_touches(rod, &place, 1e-2, touches, ROOM);
        ENSURE(count == 1);
        ENSURE_NEAR(touches[0].gap, away - 0.011, 1e-12);
        ENSURE_NEAR((touches[0].edge[0] + touches[0].share[0]) * 0.01 - 0.04, end, 1e-12);
        twVec3 n = tw_vec3_scale(tw_vec3_sub(tw_vec3(end, 0, 0), place.position), 1 / away);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(touches[0].normal, n)), 0, 1e-12);
        ENSURE(touches[0].corner[0] == -1);
    }
    free(rod);
    tw_contact_shape_destroy(ball);
    return 0;
}

static int ball_touches_the_faces_of_a_ruler(void)
{
    ContactShape* ball = ball_shape(0.01);
    TestRod* rod = test_rod(9, false, 1e-3, 5e-3);
    line_rod(rod, tw_vec3(-0.04, 0, 0), tw_vec3(0.04, 0, 0), UP);
    for (int k = 0; k < 200; k++)
    {
        double x = -0.039 + 0.00039 * k, y = -0.008 + 8e-5 * k, z = 0.011 - 1e-6, beside = fmax(fabs(y) - 5e-3, 0);
        BodyPlace place = body_at(ball, 7, tw_vec3(x, y, z));
        int count = fresh_touches(rod, &place, 1e-2, touches, ROOM);
        ENSURE(count == 1);
        ENSURE_NEAR(touches[0].gap, sqrt((z - 1e-3) * (z - 1e-3) + beside * beside) - 0.01, 1e-12);
        if (beside == 0) ENSURE_NEAR(touches[0].normal.z, -1, 1e-12);
    }
    free(rod);
    tw_contact_shape_destroy(ball);
    return 0;
}

// ---- flexible bodies ----

static int rod_follows_a_plate_that_bends(void)
{
    twMesh* mesh = block_mesh(tw_vec3(0.3, 0.2, 0.01), 30, 20, 1);
    twModeSet* set = plate_modes(mesh);
    ContactShape* plate = contact_shape(mesh, set, 0.005);
    TestRod* rod = test_rod(5, false, 1e-3, 0);
    const double q[3] = {1e-4, 2e-4, -1e-4}, rate[3] = {0, 0, 0};
    BodyPlace place = body_at(plate, 1, tw_vec3(0, 0, 0));
    place.mode_count = 3;
    place.amplitude = q;
    place.rate = rate;

    // across: as the plate is at x there; it is linear between vertices 1 cm apart
    line_rod(rod, tw_vec3(0.083, -0.04, 0.0062), tw_vec3(0.083, 0.04, 0.0062), UP);
    int count = fresh_touches(rod, &place, 2e-3, touches, ROOM);
    ENSURE(count == 5);
    double h[2];
    for (int k = 0; k < 2; k++)
    {
        double u = (0.08 + 0.01 * k) / 0.15;
        h[k] = 0.005 + 2 * (q[0] + q[1] * u + q[2] * (u * u - 0.5));
    }
    for (int i = 0; i < count; i++) ENSURE_NEAR(touches[i].gap, 0.0052 - (0.7 * h[0] + 0.3 * h[1]), 1e-8);
    free(rod);
    tw_mode_set_destroy(set);
    tw_contact_shape_destroy(plate);
    return 0;
}

// ---- motion ----

// a rod that moves as a rigid body, its ends a and b, by v and w for a moment; how much gaps change is compared. @return touches; -1: not so
static int compare_motion(TestRod* rod, twVec3 a, twVec3 b, twVec3 up, const BodyPlace* place, twRng* rng)
{
    const double step = 1e-8, reach = 1e-4;
    twVec3 v = random_unit(rng), w = tw_vec3_scale(random_unit(rng), 10);
    line_rod(rod, a, b, up);
    int count = fresh_touches(rod, place, reach, touches, ROOM), compared = 0;
    a = tw_vec3_add_scaled(a, tw_vec3_add(v, tw_vec3_cross(w, a)), step);
    b = tw_vec3_add_scaled(b, tw_vec3_add(v, tw_vec3_cross(w, b)), step);
    line_rod(rod, a, b, tw_vec3_add_scaled(up, tw_vec3_cross(w, up), step));
    int after = fresh_touches(rod, place, 2 * reach, others, ROOM);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < after; j++)
        {
            if (touches[i].id != others[j].id) continue;
            double speed = tw_vec3_dot(touches[i].normal, tw_vec3_add(v, tw_vec3_cross(w, touches[i].point)));
            if (fabs((others[j].gap - touches[i].gap) / step - speed) > 1e-3) return -1;
            compared++;
        }
    return compared;
}

static int gaps_change_as_fast_as_the_points_that_forces_act_on_part(void)
{
    ContactShape *box = box_shape(), *ball = ball_shape(0.02);
    BodyPlace on_box = box_at(box), on_ball = body_at(ball, 5, tw_vec3(0.0012, 0.0021, -0.02));
    TestRod* rods[2] = {test_rod(8, false, 1e-3, 0), test_rod(8, false, 1e-3, 3e-3)};
    twRng rng = tw_rng(9);
    for (int k = 0; k < 200; k++)
    {
        // across the edge at x = 0.05
        TestRod* rod = rods[k % 2];
        double tilt = tw_rng_between(&rng, 0.3, 1.2);
        twVec3 t = tw_vec3_normalize(tw_vec3(cos(tilt), tw_rng_between(&rng, -0.3, 0.3), -sin(tilt)));
        twVec3 n = tw_vec3_normalize(tw_vec3_cross(t, tw_vec3(0, 1, 0)));
        twVec3 at = tw_vec3_add_scaled(tw_vec3(0.05, 0.003, 0), n, 1e-3 + tw_rng_between(&rng, -1e-5, 1e-5));
        twVec3 a = tw_vec3_add_scaled(at, t, -0.035), b = tw_vec3_add_scaled(at, t, 0.034);
        ENSURE(compare_motion(rod, a, b, n, &on_box, &rng) >= 1 + k % 2);

        // on a face, and on a ball
        t = tw_vec3_normalize(tw_vec3(tw_rng_normal(&rng), tw_rng_normal(&rng), 0));
        at = tw_vec3(0.001, 0.002, 1e-3 - 1e-6);
        a = tw_vec3_add_scaled(at, t, -0.03);
        b = tw_vec3_add_scaled(at, t, 0.03);
        ENSURE(compare_motion(rod, a, b, UP, &on_box, &rng) == (k % 2 ? 16 : 8));
        ENSURE(compare_motion(rod, a, b, UP, &on_ball, &rng) == 1);
    }
    for (int r = 0; r < 2; r++) free(rods[r]);
    tw_contact_shape_destroy(box);
    tw_contact_shape_destroy(ball);
    return 0;
}

// ---- what is remembered ----

// a rod that swims about the origin, bent, at a time
static void swim(TestRod* rod, double t, double away)
{
    int n = rod->shape.point_count;
    for (int i = 0; i < n; i++)
    {
        double u = (double)i / (n - 1) - 0.5, a = 2 * TW_PI * i / n;
        twVec3 open = tw_vec3(0.2 * u, 0.02 * sin(3 * t + 9 * u), 0.004 * sin(5 * t + 20 * u));
        twVec3 ring = tw_vec3(0.04 * cos(a + t), 0.04 * sin(a + t) * cos(0.3 * t), 0.04 * sin(a + t) * sin(0.3 * t));
        twVec3 at = rod->shape.closed ? ring : open;
        put(rod->x, i, tw_vec3_add(at, tw_vec3(0.01 * sin(t), 0.01 * cos(2 * t), away + 0.005 * sin(7 * t))));
    }
    frame_rod(rod, tw_vec3(0.1, 0.3, 1));
}

static int what_is_remembered_changes_nothing(void)
{
    ContactShape* bodies[2] = {box_shape(), ball_shape(0.02)};
    TestRod* rods[3] = {test_rod(30, false, 1e-3, 0), test_rod(26, true, 1e-3, 0), test_rod(21, false, 1e-3, 3e-3)};
    int found = 0;
    for (int r = 0; r < 3; r++)
        for (int b = 0; b < 2; b++)
        {
            StrandBody* pair = strand_pair(rods[r], bodies[b]);
            StrandWork* work = strand_work_create();
            for (int k = 0; k < 600; k++)
            {
                double t = 0.01 * k;
                swim(rods[r], t, 0.01 * sin(0.7 * t));
                BodyPlace place = body_at(bodies[b], 5, tw_vec3(0, 0.002 * sin(4 * t), -0.012));
                place.turn = tw_quat_from_axis_angle(tw_vec3(1, 2, 3), 0.2 * sin(2 * t));
                const StrandTouch* list;
                int count = strand_body_touches(pair, work, &rods[r]->place, &place, 2e-4, &list);
                ENSURE(count == fresh_touches(rods[r], &place, 2e-4, others, ROOM));
                for (int i = 0; i < count; i++)
                {
                    ENSURE(list[i].id == others[i].id && list[i].gap == others[i].gap);
                    ENSURE(i == 0 || list[i].edge[0] >= list[i - 1].edge[0]);
                    for (int j = 0; j < i; j++) ENSURE(list[j].id != list[i].id);
                }
                found += count;
            }
            StrandBodyStats stats = strand_body_stats(pair);
            ENSURE(stats.looks < stats.steps * 4);
            strand_body_destroy(pair);
            strand_work_destroy(work);
        }
    ENSURE(found > 1000);
    for (int r = 0; r < 3; r++) free(rods[r]);
    for (int b = 0; b < 2; b++) tw_contact_shape_destroy(bodies[b]);
    return 0;
}

static int far_bodies_are_left_alone(void)
{
    ContactShape* box = box_shape();
    BodyPlace place = box_at(box);
    TestRod* rod = test_rod(60, false, 1e-3, 0);
    StrandBody* pair = strand_pair(rod, box);
    StrandWork* work = strand_work_create();
    const StrandTouch* list;
    for (int k = 0; k < 10000; k++)
    {
        swim(rod, 1e-5 * k, 0.3);
        ENSURE(strand_body_touches(pair, work, &rod->place, &place, 1e-4, &list) == 0);
    }
    StrandBodyStats stats = strand_body_stats(pair);
    ENSURE(stats.steps == 10000 && stats.looks == 8 && stats.lookups == 0);

    // a ghost touches nothing, however near
    swim(rod, 0, 0);
    ENSURE(strand_body_touches(pair, work, &rod->place, &place, 1e-4, &list) > 0);
    rod->place.ghost = true;
    ENSURE(strand_body_touches(pair, work, &rod->place, &place, 1e-4, &list) == 0);
    strand_body_destroy(pair);
    strand_work_destroy(work);
    free(rod);
    tw_contact_shape_destroy(box);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rod_on_a_face_touches_at_its_points_only)
    RUN(ruler_touches_with_its_real_corners_however_it_is_turned)
    RUN(rod_across_an_edge_touches_there)
    RUN(corner_of_a_box_touches_the_side_of_a_rod)
    RUN(string_finds_both_edges_of_a_fret_between_its_points)
    RUN(rod_slides_over_an_edge_without_a_jump)
    RUN(rod_beyond_the_end_of_a_face_leaves_it_without_a_jump)
    RUN(ball_touches_a_round_rod_where_it_is_nearest)
    RUN(ball_touches_the_faces_of_a_ruler)
    RUN(rod_follows_a_plate_that_bends)
    RUN(gaps_change_as_fast_as_the_points_that_forces_act_on_part)
    RUN(what_is_remembered_changes_nothing)
    RUN(far_bodies_are_left_alone)
)
