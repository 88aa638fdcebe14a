// SPDX-License-Identifier: MIT
// Covers of soft bodies: bending, embedding, picking.
#include "cover.h"
#include "live/pick.h"

// ---- covers ----

static twVec3 wavy_field(twVec3 x, int mode)
{
    double p = (mode + 1) * (3 * x.x + 2 * x.y + x.z);
    return tw_vec3(sin(p), cos(1.3 * p + mode), sin(2 * p + 1) * cos(x.z));
}

static const double amplitudes[] = {0.1, -0.23, 0.05, 0.4, -0.31, 0.02, 0.17};

// a cover with its arrays
typedef struct Bent
{
    twCover* cover;
    float *positions, *normals, *scratch;
} Bent;

static bool bent_create(Bent* bent, const twCoverDef* def)
{
    *bent = (Bent){0};
    if (tw_cover_create(&bent->cover, def, NULL) != TW_OK) return false;
    size_t vertices = (size_t)tw_cover_vertices(bent->cover);
    bent->positions = calloc(3 * vertices, sizeof *bent->positions);
    bent->normals = calloc(3 * vertices, sizeof *bent->normals);
    bent->scratch = calloc(tw_cover_scratch(bent->cover), sizeof *bent->scratch);
    return bent->positions && bent->normals && bent->scratch;
}

static void bent_destroy(Bent* bent)
{
    tw_cover_destroy(bent->cover);
    free(bent->positions), free(bent->normals), free(bent->scratch);
}

static void bend(Bent* bent, const double* amplitude)
{
    tw_cover_bend(bent->cover, amplitude, bent->positions, bent->normals, bent->scratch);
}

static twVec3 place_of(const Bent* bent, int v)
{
    const float* x = bent->positions + 3 * (size_t)v;
    return tw_vec3((double)x[0], (double)x[1], (double)x[2]);
}

static twVec3 normal_of(const Bent* bent, int v)
{
    const float* x = bent->normals + 3 * (size_t)v;
    return tw_vec3((double)x[0], (double)x[1], (double)x[2]);
}

static twVec3 sum_at(const twModeSet* set, int node, const double* amplitude, int modes)
{
    twVec3 sum = tw_vec3(0, 0, 0);
    for (int k = 0; k < modes; k++) sum = tw_vec3_add_scaled(sum, tw_mode_set_shape(set, k, node), amplitude[k]);
    return sum;
}

static int own_surface_is_the_sum_of_its_modes(void)
{
    twModeSet* set = cover_box(1, 0.5, 0.25, 5, 3, 2, false, wavy_field, 7);
    ENSURE(set);
    for (int modes = 0; modes <= 7; modes++)
    {
        twCoverDef def = tw_cover_def();
        def.set = set;
        def.mode_count = modes == 7 ? -1 : modes;
        Bent bent;
        ENSURE(bent_create(&bent, &def) && tw_cover_vertices(bent.cover) == set->vertex_count);
        bend(&bent, amplitudes);
        for (int v = 0; v < set->vertex_count; v++)
        {
            twVec3 exact = tw_vec3_add(set->vertices[v], sum_at(set, v, amplitudes, modes));
            ENSURE(cover_apart(place_of(&bent, v), exact) < 5e-7);
        }
        ENSURE(tw_cover_outside(bent.cover) == 0);
        bent_destroy(&bent);
    }
    tw_mode_set_destroy(set);
    return 0;
}

// also where turns are beyond what the series of the kernels can do
static int warped_vertices_are_warped_points(void)
{
    twModeSet* set = cover_box(1, 0.5, 0.25, 5, 3, 2, false, wavy_field, 7);
    float* curl = set ? cover_turns(set, 7) : NULL;
    twCoverDef def = tw_cover_def();
    def.set = set;
    def.warp = true;
    Bent bent;
    ENSURE(curl && bent_create(&bent, &def));
    bend(&bent, amplitudes);
    double largest = 0, least = INFINITY;
    for (int v = 0; v < set->vertex_count; v++)
    {
        double w[3] = {0};
        for (int i = 0; i < 21; i++) w[i / 7] += amplitudes[i % 7] * (double)curl[21 * v + i];
        twVec3 turn = tw_vec3(w[0], w[1], w[2]), u = sum_at(set, v, amplitudes, 7);
        ENSURE(cover_apart(place_of(&bent, v), tw_vec3_add(set->vertices[v], warp_point(u, turn))) < 3e-6);
        largest = fmax(largest, tw_vec3_norm(turn)), least = fmin(least, tw_vec3_norm(turn));
    }
    ENSURE(largest > 4 && least < 3);
    free(curl);
    bent_destroy(&bent);
    tw_mode_set_destroy(set);
    return 0;
}

static int variants_of_the_loops_give_the_same_bits(void)
{
    twModeSet* set = cover_box(1, 0.5, 0.25, 5, 3, 2, false, wavy_field, 7);
    ENSURE(set);
    for (int warp = 0; warp < 2; warp++)
    {
        twCoverDef def = tw_cover_def();
        def.set = set;
        def.warp = warp;
        Bent fast, plain;
        ENSURE(bent_create(&fast, &def) && bent_create(&plain, &def));
        plain.cover->kernel = cover_kernel("generic");
        bend(&fast, amplitudes);
        bend(&plain, amplitudes);
        size_t bytes = 3 * (size_t)set->vertex_count * sizeof(float);
        ENSURE(memcmp(fast.positions, plain.positions, bytes) == 0);
        bent_destroy(&fast);
        bent_destroy(&plain);
    }
    ENSURE(cover_kernel("abacus") == NULL);
    tw_mode_set_destroy(set);
    return 0;
}

// (exp([w]x) - I) x = V w x x: no part of a rotation is lost or becomes size
static int a_warped_linear_rotation_is_a_rotation(void)
{
    twModeSet* set = cover_box(1, 1, 0.1, 4, 4, 1, false, cover_rotation, 1);
    twCoverDef def = tw_cover_def();
    def.set = set;
    def.warp = true;
    Bent bent;
    ENSURE(set && bent_create(&bent, &def));
    double angle = 2.4;
    bend(&bent, &angle);
    twQuat turn = tw_quat_from_axis_angle(cover_spin, angle * tw_vec3_norm(cover_spin));
    for (int v = 0; v < set->vertex_count; v++)
        ENSURE(cover_apart(place_of(&bent, v), tw_quat_rotate(turn, set->vertices[v])) < 1e-5);
    bent_destroy(&bent);
    tw_mode_set_destroy(set);
    return 0;
}

// those of a plate that turns as a whole turn with it
static int normals_are_those_of_the_bent_surface(void)
{
    twModeSet* set = cover_box(1, 1, 0.1, 4, 4, 1, false, cover_rotation, 1);
    twCoverDef def = tw_cover_def();
    def.set = set;
    def.warp = true;
    Bent bent;
    ENSURE(set && bent_create(&bent, &def));
    double angle = 1.7;
    bend(&bent, &angle);
    twQuat turn = tw_quat_from_axis_angle(cover_spin, angle * tw_vec3_norm(cover_spin));
    for (int v = 0; v < set->vertex_count; v++)
    {
        twVec3 x = set->vertices[v];
        ENSURE_NEAR(tw_vec3_norm(normal_of(&bent, v)), 1, 1e-6);
        bool inner = x.x > 0.1 && x.x < 0.9 && x.y > 0.1 && x.y < 0.9 && x.z > 0.05;
        if (inner) ENSURE(cover_apart(normal_of(&bent, v), tw_quat_rotate(turn, tw_vec3(0, 0, 1))) < 1e-5);
    }
    bent_destroy(&bent);
    tw_mode_set_destroy(set);
    return 0;
}

// ---- embedding ----

// six loose points, inside and outside the box of 1 x 0.5 x 0.25, in two triangles that share nothing
static twVec3 loose_at[] = {{0.13, 0.21, 0.07}, {0.9, 0.4, 0.2},  {0.51, 0.02, 0.11},
                            {0.5, 0.25, 0.125}, {1.2, 0.25, 0.1}, {-0.3, -0.4, 0.1}};
static twTriangle loose_faces[] = {{{0, 1, 2}}, {{3, 5, 4}}};
static twMesh loose = {.vertex_count = 6, .face_count = 2, .vertices = loose_at, .faces = loose_faces};

static twVec3 linear_field(twVec3 x, int mode)
{
    return tw_vec3(0.5 * x.x - 2 * x.y + 0.3 * mode, x.y + 3 * x.z, 0.25 - x.x + mode * x.z);
}

static twVec3 quadratic_field(twVec3 x, int mode)
{
    twVec3 l = linear_field(x, mode);
    return tw_vec3(l.x * l.y, l.y * l.z + x.x, l.z * l.z);
}

static int embedding_reproduces_linear_fields_exactly(void)
{
    for (int quadratic = 0; quadratic < 2; quadratic++)
    {
        twModeSet *set = cover_box(1, 0.5, 0.25, 4, 2, 2, quadratic, linear_field, 2), *on;
        double outside;
        ENSURE(set && tw_mode_set_embed(&on, set, &loose, &outside, NULL) == TW_OK);
        for (int k = 0; k < 2; k++)
            for (int v = 0; v < 6; v++)
                ENSURE(cover_apart(tw_mode_set_shape(on, k, v), linear_field(loose_at[v], k)) < 3e-6);
        // the last one is beside an edge of the box, 0.3 and 0.4 away
        ENSURE_NEAR(outside, 0.5, 1e-12);
        ENSURE(on->tet_count == 0 && on->face_count == 2 && on->freq_hz[1] == set->freq_hz[1]);
        tw_mode_set_destroy(on);
        tw_mode_set_destroy(set);
    }
    return 0;
}

static int tets_of_ten_nodes_embed_quadratic_fields_exactly(void)
{
    twModeSet *set = cover_box(1, 0.5, 0.25, 4, 2, 2, true, quadratic_field, 1), *on;
    ENSURE(set && tw_mode_set_embed(&on, set, &loose, NULL, NULL) == TW_OK);
    for (int v = 0; v < 4; v++)
        ENSURE(cover_apart(tw_mode_set_shape(on, 0, v), quadratic_field(loose_at[v], 0)) < 2e-6);
    // outside they go on straight
    twVec3 slope =
        tw_vec3_sub(quadratic_field(tw_vec3(1, 0.25, 0.1), 0), quadratic_field(tw_vec3(1 - 1e-5, 0.25, 0.1), 0));
    twVec3 on_straight = tw_vec3_add_scaled(quadratic_field(tw_vec3(1, 0.25, 0.1), 0), slope, 0.2 / 1e-5);
    ENSURE(cover_apart(tw_mode_set_shape(on, 0, 4), on_straight) < 1e-5);
    tw_mode_set_destroy(on);
    tw_mode_set_destroy(set);
    return 0;
}

// points of a ball of curved tets, many of them between the curved surface and the straight one
static int curved_tets_embed_linear_fields_exactly(void)
{
    Grid grid = {{2, 2, 2}, true, grid_ball, {1}, true};
    twTetMesh* tets = grid_mesh(&grid);
    twModeSet *set = tets ? cover_set_of(tets, linear_field, 1) : NULL, *on;
    twVec3 at[300];
    twTriangle face = {{0, 1, 2}};
    for (int i = 0; i < 300; i++)
        at[i] = tw_vec3_scale(tw_vec3_normalize(cover_some(i)), i % 3 ? 0.97 : 0.5 + 0.001 * i);
    twMesh mesh = {.vertex_count = 300, .face_count = 1, .vertices = at, .faces = &face};
    double outside;
    ENSURE(set && tw_mode_set_embed(&on, set, &mesh, &outside, NULL) == TW_OK);
    for (int i = 0; i < 300; i++) ENSURE(cover_apart(tw_mode_set_shape(on, 0, i), linear_field(at[i], 0)) < 3e-6);
    ENSURE(outside < 0.02);
    tw_mode_set_destroy(on);
    tw_mode_set_destroy(set);
    grid_free(tets);
    return 0;
}

static int what_lies_at_nodes_moves_as_they_do(void)
{
    for (int quadratic = 0; quadratic < 2; quadratic++)
        for (int warp = 0; warp < 2; warp++)
        {
            twModeSet* set = cover_box(1, 0.5, 0.25, 4, 2, 2, quadratic, wavy_field, 7);
            ENSURE(set);
            twMesh mesh = {.vertex_count = set->vertex_count, .face_count = set->face_count};
            mesh.vertices = (twVec3*)(uintptr_t)set->vertices;
            mesh.faces = (twTriangle*)(uintptr_t)set->faces;
            twCoverDef own = tw_cover_def(), other;
            own.set = set;
            own.warp = warp;
            other = own;
            other.mesh = &mesh;
            Bent here, there;
            ENSURE(bent_create(&here, &own) && bent_create(&there, &other));
            bend(&here, amplitudes);
            bend(&there, amplitudes);
            for (int v = 0; v < set->vertex_count; v++)
                ENSURE(cover_apart(place_of(&here, v), place_of(&there, v)) < 1e-6);
            ENSURE(tw_cover_outside(there.cover) == 0);
            bent_destroy(&here);
            bent_destroy(&there);
            tw_mode_set_destroy(set);
        }
    return 0;
}

static int embedded_covers_are_the_sum_of_embedded_modes(void)
{
    twModeSet *set = cover_box(1, 0.5, 0.25, 4, 2, 2, true, wavy_field, 7), *on;
    ENSURE(set && tw_mode_set_embed(&on, set, &loose, NULL, NULL) == TW_OK);
    twCoverDef def = tw_cover_def();
    def.set = set;
    def.mesh = &loose;
    Bent bent;
    ENSURE(bent_create(&bent, &def));
    bend(&bent, amplitudes);
    for (int v = 0; v < 6; v++)
        ENSURE(cover_apart(place_of(&bent, v), tw_vec3_add(loose_at[v], sum_at(on, v, amplitudes, 7))) < 1e-5);
    ENSURE_NEAR(tw_cover_outside(bent.cover), 0.5 / sqrt(1 + 0.25 + 0.0625), 1e-9);
    bent_destroy(&bent);
    tw_mode_set_destroy(on);
    tw_mode_set_destroy(set);
    return 0;
}

static int what_cannot_be_embedded_is_refused(void)
{
    twModeSet *set = cover_box(1, 0.5, 0.25, 2, 2, 2, false, linear_field, 1), *on, *again;
    twError err;
    ENSURE(set && tw_mode_set_embed(&on, set, &loose, NULL, NULL) == TW_OK);
    twCoverDef def = tw_cover_def();
    twCover* cover;
    def.set = on;
    def.mesh = &loose;
    ENSURE(tw_cover_create(&cover, &def, &err) == TW_BAD_INPUT && !cover && strstr(err.text, "tets"));
    ENSURE(tw_mode_set_embed(&again, on, &loose, NULL, &err) == TW_BAD_INPUT && !again);

    twVec3 bad_at[3] = {{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}};
    twTriangle faces[1] = {{{0, 1, 2}}};
    twMesh bad = {.vertex_count = 3, .face_count = 1, .vertices = bad_at, .faces = faces}, empty = {0};
    def.set = set;
    def.mesh = &bad;
    ENSURE(tw_cover_create(&cover, &def, &err) == TW_BAD_INPUT && strstr(err.text, "vertex 1"));
    bad_at[1].y = 0;
    faces[0].v[2] = 3;
    ENSURE(tw_cover_create(&cover, &def, &err) == TW_BAD_INPUT && strstr(err.text, "face 0"));
    def.mesh = &empty;
    ENSURE(tw_cover_create(&cover, &def, &err) == TW_BAD_INPUT && strstr(err.text, "empty"));
    tw_mode_set_destroy(on);
    tw_mode_set_destroy(set);
    return 0;
}

static int a_rigid_cover_stays_as_it_is(void)
{
    twCoverDef def = tw_cover_def();
    def.mesh = &loose;
    Bent bent;
    ENSURE(bent_create(&bent, &def));
    bend(&bent, NULL);
    for (int v = 0; v < 6; v++) ENSURE(cover_apart(place_of(&bent, v), loose_at[v]) < 1e-7);
    bent_destroy(&bent);
    return 0;
}

// ---- far beyond the linear range ----

static const double beam_width = 0.04, beam_height = 0.02;

enum
{
    FIBRES = 201
};

// the first mode of a cantilever of length 1 (Euler and Bernoulli), 1 at its end
static twVec3 cantilever_field(twVec3 x, int mode)
{
    (void)mode;
    const double b = 1.875104068711961, s = (cosh(b) + cos(b)) / (sinh(b) + sin(b)), p = b * x.x;
    double y = 0.5 * (cosh(p) - cos(p) - s * (sinh(p) - sin(p)));
    double slope = 0.5 * b * (sinh(p) + sin(p) - s * (cosh(p) - cos(p)));
    return tw_vec3(-(x.z - 0.5 * beam_height) * slope, 0, y);
}

// length of the middle of the beam, which is embedded in it
static double bent_length(const twModeSet* set, bool warp, double tip)
{
    twVec3 at[FIBRES];
    twTriangle faces[FIBRES - 2];
    for (int i = 0; i < FIBRES; i++) at[i] = tw_vec3(i / (FIBRES - 1.0), 0.5 * beam_width, 0.5 * beam_height);
    for (int i = 0; i < FIBRES - 2; i++) faces[i] = (twTriangle){{i, i + 1, i + 2}};
    twMesh fibre = {.vertex_count = FIBRES, .face_count = FIBRES - 2, .vertices = at, .faces = faces};
    twCoverDef def = tw_cover_def();
    def.set = set;
    def.mesh = &fibre;
    def.warp = warp;
    Bent bent;
    double sum = NAN;
    if (bent_create(&bent, &def))
    {
        sum = 0;
        bend(&bent, &tip);
        for (int i = 1; i < FIBRES; i++) sum += cover_apart(place_of(&bent, i), place_of(&bent, i - 1));
    }
    bent_destroy(&bent);
    return sum;
}

static int a_warped_cantilever_keeps_its_length(void)
{
    twModeSet* set = cover_box(1, beam_width, beam_height, 50, 2, 2, true, cantilever_field, 1);
    ENSURE(set);
    // (tip over length, what the linear one grows by at least, what the warped one changes by at most)
    const double cases[][3] = {{0.25, 0.034, 0.007}, {0.5, 0.13, 0.027}, {0.75, 0.27, 0.058}};
    for (int i = 0; i < 3; i++)
    {
        ENSURE(bent_length(set, false, cases[i][0]) > 1 + cases[i][1]);
        ENSURE_NEAR(bent_length(set, true, cases[i][0]), 1, cases[i][2]);
    }
    tw_mode_set_destroy(set);
    return 0;
}

// ---- picking ----

typedef struct Picked
{
    double distance;
    twSurfacePoint point;
    twVec3 place;
} Picked;

// with the surface of a set as what points are named by
static Picked pick(const Bent* bent, const twModeSet* set, const twLivePose* pose, twVec3 eye, twVec3 direction,
                   double limit)
{
    const ContactShape shape = {.vertex_count = set->vertex_count,
                                .face_count = set->face_count,
                                .vertices = (twVec3*)(uintptr_t)set->vertices,
                                .faces = (twTriangle*)(uintptr_t)set->faces};
    Picked p;
    p.distance =
        pick_body(bent->cover, &shape, pose, eye, direction, limit, bent->positions, bent->scratch, &p.point, &p.place);
    return p;
}

static twVec3 mix_point(const Bent* bent, const twSurfacePoint* point)
{
    twVec3 sum = tw_vec3(0, 0, 0);
    for (int i = 0; i < 3; i++) sum = tw_vec3_add_scaled(sum, place_of(bent, point->vertex[i]), point->weight[i]);
    return sum;
}

static int a_ray_finds_the_nearest_face_of_a_box(void)
{
    twModeSet* set = cover_box(1, 0.5, 0.25, 3, 2, 2, false, linear_field, 1);
    twCoverDef def = tw_cover_def();
    def.set = set;
    Bent bent;
    ENSURE(set && bent_create(&bent, &def));
    const double still = 0;
    // x goes along y, y along -x
    const twLivePose pose = {.position = tw_vec3(5, 0, 0),
                             .turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), TW_PI / 2),
                             .amplitude = &still};
    const twVec3 down = tw_vec3(0, 0, -2), up = tw_vec3(0, 0, 1), above = tw_vec3(4.8, 0.3, 3);
    // the box is now at x from 4.5 to 5, y from 0 to 1; its top at 0.25 is met from above
    const Picked top = pick(&bent, set, &pose, above, down, INFINITY);
    ENSURE_NEAR(top.distance, (3 - 0.25) / 2, 1e-7);
    ENSURE(cover_apart(top.place, tw_vec3(4.8, 0.3, 0.25)) < 1e-6);
    ENSURE(cover_apart(mix_point(&bent, &top.point), tw_vec3(0.3, 0.2, 0.25)) < 1e-6);
    ENSURE_NEAR(top.point.weight[0] + top.point.weight[1] + top.point.weight[2], 1, 1e-12);
    // beside it, behind the eye, and beyond the limit there is nothing
    ENSURE(pick(&bent, set, &pose, tw_vec3(5.1, 0.3, 3), down, INFINITY).distance == INFINITY);
    ENSURE(pick(&bent, set, &pose, above, up, INFINITY).distance == INFINITY);
    ENSURE(pick(&bent, set, &pose, above, down, 1).distance == INFINITY);
    bent_destroy(&bent);
    tw_mode_set_destroy(set);
    return 0;
}

static int a_ray_meets_what_is_bent_where_it_is_seen(void)
{
    twModeSet* set = cover_box(1, 0.04, 0.02, 50, 2, 1, true, cantilever_field, 1);
    twCoverDef def = tw_cover_def();
    def.set = set;
    def.warp = true;
    Bent bent;
    ENSURE(set && bent_create(&bent, &def));
    double tip = 0.5;
    const twLivePose pose = {.turn = tw_quat_identity(), .amplitude = &tip};
    const Picked p = pick(&bent, set, &pose, tw_vec3(0.7, 0.021, 4), tw_vec3(0, 0, -1), INFINITY);
    // where it is bent to, and not where it was
    ENSURE(p.distance < 3.8 && p.distance > 3.5);
    ENSURE(cover_apart(mix_point(&bent, &p.point), p.place) < 1e-5);
    bent_destroy(&bent);
    tw_mode_set_destroy(set);
    return 0;
}

// what hangs in the tets is named by the nearest place of the shape's own surface
static int an_embedded_cover_is_picked_by_the_shape_below(void)
{
    twModeSet* set = cover_box(1, 0.5, 0.25, 3, 2, 2, false, linear_field, 1);
    twVec3 at[3] = {{0, 0, 0.3}, {1, 0, 0.3}, {0, 0.5, 0.3}};
    twTriangle face = {{0, 1, 2}};
    twMesh above = {.vertex_count = 3, .face_count = 1, .vertices = at, .faces = &face};
    twCoverDef def = tw_cover_def();
    def.set = set;
    def.mesh = &above;
    Bent bent;
    ENSURE(set && bent_create(&bent, &def));
    double still = 0;
    const twLivePose pose = {.turn = tw_quat_identity(), .amplitude = &still};
    const Picked p = pick(&bent, set, &pose, tw_vec3(0.3, 0.2, 1), tw_vec3(0, 0, -1), INFINITY);
    twVec3 sum = tw_vec3(0, 0, 0);
    ENSURE_NEAR(p.distance, 0.7, 1e-7);
    for (int i = 0; i < 3; i++) sum = tw_vec3_add_scaled(sum, set->vertices[p.point.vertex[i]], p.point.weight[i]);
    ENSURE(cover_apart(sum, tw_vec3(0.3, 0.2, 0.25)) < 1e-7);
    bent_destroy(&bent);
    tw_mode_set_destroy(set);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(own_surface_is_the_sum_of_its_modes)
    RUN(warped_vertices_are_warped_points)
    RUN(variants_of_the_loops_give_the_same_bits)
    RUN(a_warped_linear_rotation_is_a_rotation)
    RUN(normals_are_those_of_the_bent_surface)
    RUN(embedding_reproduces_linear_fields_exactly)
    RUN(tets_of_ten_nodes_embed_quadratic_fields_exactly)
    RUN(curved_tets_embed_linear_fields_exactly)
    RUN(what_lies_at_nodes_moves_as_they_do)
    RUN(embedded_covers_are_the_sum_of_embedded_modes)
    RUN(what_cannot_be_embedded_is_refused)
    RUN(a_rigid_cover_stays_as_it_is)
    RUN(a_warped_cantilever_keeps_its_length)
    RUN(a_ray_finds_the_nearest_face_of_a_box)
    RUN(a_ray_meets_what_is_bent_where_it_is_seen)
    RUN(an_embedded_cover_is_picked_by_the_shape_below)
)
