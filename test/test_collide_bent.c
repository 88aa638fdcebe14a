// SPDX-License-Identifier: MIT
// Collision detection between bodies that vibrate.
#include "collide.h"

enum
{
    ROOM = 256 + 128
};
static Touch touches[ROOM];

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

// clang-format off
TEST_MAIN(
    RUN(bending_is_the_sum_over_modes_with_any_instructions)
    RUN(bent_bodies_touch_where_they_are_bent_to)
    RUN(vibration_hides_no_contact_from_a_pair_that_remembers)
    RUN(normal_rows_are_the_slope_of_the_gap)
)
