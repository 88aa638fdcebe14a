// SPDX-License-Identifier: MIT
// Collision detection among many bodies: which pairs, how fast, what shapes are made of.
#include "collide.h"
#include "dynamics/collide.h"

enum
{
    ROOM = 256 + 128
};
static Touch touches[ROOM];

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
    RUN(all_against_all_finds_the_same_pairs)
    RUN(one_call_finds_the_touches_of_all_pairs)
    RUN(speed_bound_holds_for_every_vertex)
    RUN(bodies_that_are_nowhere_touch_nothing)
    RUN(points_are_corners_and_whatever_curves)
    RUN(open_surface_makes_no_shape)
)
