// SPDX-License-Identifier: MIT
// Tests of surfaces: mass properties against closed forms, winding numbers against solid angles, nearest points against
// brute force.
#include "mesh.h"
#include "test.h"

static twVec3 corner(const twMesh* mesh, int f, int i) { return mesh->vertices[mesh->faces[f].v[i]]; }

static void move_mesh(twMesh* mesh, twVec3 by)
{
    for (int i = 0; i < mesh->vertex_count; i++) mesh->vertices[i] = tw_vec3_add(mesh->vertices[i], by);
}

// ---- mass ----

static int mass_of_a_box_is_the_closed_form(void)
{
    twMesh* box = box_mesh(tw_vec3(-1, 2, 5), tw_vec3(0.3, 0.2, 0.1));
    twMassProperties mass = tw_mesh_mass(box, 1000);
    tw_mesh_destroy(box);
    ENSURE_NEAR(mass.volume, 0.006, 1e-15);
    ENSURE_NEAR(mass.mass, 6, 1e-12);
    ENSURE_NEAR(mass.centre.x, -0.85, 1e-14);
    ENSURE_NEAR(mass.centre.y, 2.1, 1e-14);
    ENSURE_NEAR(mass.centre.z, 5.05, 1e-14);
    ENSURE_NEAR(mass.inertia.m[0][0], 6.0 / 12 * (0.04 + 0.01), 1e-13);
    ENSURE_NEAR(mass.inertia.m[1][1], 6.0 / 12 * (0.09 + 0.01), 1e-13);
    ENSURE_NEAR(mass.inertia.m[2][2], 6.0 / 12 * (0.09 + 0.04), 1e-13);
    ENSURE_NEAR(mass.inertia.m[0][1], 0, 1e-14);
    ENSURE_NEAR(mass.inertia.m[1][2], 0, 1e-14);
    return 0;
}

static int mass_of_a_corner_tetrahedron_is_the_closed_form(void)
{
    // corner of a cube with edges a, b, c: V = abc/6, centre (a, b, c)/4, J_xx = 3 m (b^2 + c^2)/80, J_xy = m ab/80
    double a = 1, b = 2, c = 3;
    twMesh* mesh;
    ENSURE(tw_mesh_create(&mesh, 4, 4, NULL) == TW_OK);
    mesh->vertices[1] = tw_vec3(a, 0, 0);
    mesh->vertices[2] = tw_vec3(0, b, 0);
    mesh->vertices[3] = tw_vec3(0, 0, c);
    const twTriangle faces[4] = {{{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}};
    memcpy(mesh->faces, faces, sizeof faces);
    twMassProperties mass = tw_mesh_mass(mesh, 2);
    tw_mesh_destroy(mesh);
    ENSURE_NEAR(mass.mass, 2, 1e-14);
    ENSURE_NEAR(mass.centre.x, a / 4, 1e-15);
    ENSURE_NEAR(mass.centre.z, c / 4, 1e-15);
    ENSURE_NEAR(mass.inertia.m[0][0], 3 * 2.0 / 80 * (b * b + c * c), 1e-14);
    ENSURE_NEAR(mass.inertia.m[2][2], 3 * 2.0 / 80 * (a * a + b * b), 1e-14);
    ENSURE_NEAR(mass.inertia.m[0][1], 2 * a * b / 80, 1e-14);
    ENSURE_NEAR(mass.inertia.m[2][1], 2 * b * c / 80, 1e-14);
    return 0;
}

static int mass_of_a_sphere_converges_with_the_square_of_the_edges(void)
{
    double error[2], inertia_error[2];
    for (int k = 0; k < 2; k++)
    {
        twMesh* sphere = sphere_mesh(tw_vec3(1, 2, 3), 0.5, 16 << k);
        twMassProperties mass = tw_mesh_mass(sphere, 1);
        tw_mesh_destroy(sphere);
        error[k] = 1 - mass.volume / (4 * TW_PI / 3 * 0.125);
        inertia_error[k] = 1 - mass.inertia.m[1][1] / (0.4 * mass.mass * 0.25);
        ENSURE_NEAR(mass.centre.z, 3, 1e-13);
    }
    ENSURE(error[0] > 0 && error[0] < 0.01);
    ENSURE_NEAR(error[0] / error[1], 4, 0.05);
    ENSURE_NEAR(inertia_error[0] / inertia_error[1], 4, 0.05);
    return 0;
}

static int inertia_about_the_centre_does_not_depend_on_the_place(void)
{
    twMesh* sphere = sphere_mesh(tw_vec3(0.1, 0, 0), 0.5, 4);
    join_mesh(sphere, box_mesh(tw_vec3(2, 0, 0), tw_vec3(1, 0.5, 0.2)));
    twMassProperties here = tw_mesh_mass(sphere, 3);
    move_mesh(sphere, tw_vec3(1000, -2000, 500));
    twMassProperties there = tw_mesh_mass(sphere, 3);
    tw_mesh_destroy(sphere);

    // the coordinates themselves have lost four digits
    for (int i = 0; i < 9; i++)
        ENSURE_NEAR(there.inertia.m[i / 3][i % 3], here.inertia.m[i / 3][i % 3], 1e-10 * here.inertia.m[1][1]);
    ENSURE_NEAR(there.centre.y, here.centre.y - 2000, 1e-11);
    return 0;
}

static int a_cavity_takes_its_mass_away(void)
{
    twMesh* box = box_mesh(tw_vec3(0, 0, 0), tw_vec3(2, 2, 2));
    twMesh* cavity = cube_mesh();
    for (int f = 0; f < 12; f++) flip_face(cavity, f);
    join_mesh(box, cavity);
    twMassProperties mass = tw_mesh_mass(box, 1);
    tw_mesh_destroy(box);
    ENSURE_NEAR(mass.volume, 7, 1e-13);
    ENSURE_NEAR(mass.centre.x, (8 * 1 - 0.5) / 7, 1e-14);
    return 0;
}

// ---- winding ----

// the sum of solid angles, one by one
static double winding_by_sum(const twMesh* mesh, twVec3 q)
{
    double sum = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        twVec3 a = tw_vec3_sub(corner(mesh, f, 0), q), b = tw_vec3_sub(corner(mesh, f, 1), q),
               c = tw_vec3_sub(corner(mesh, f, 2), q);
        double la = tw_vec3_norm(a), lb = tw_vec3_norm(b), lc = tw_vec3_norm(c);
        sum += atan2(tw_vec3_dot(a, tw_vec3_cross(b, c)),
                     la * lb * lc + tw_vec3_dot(a, b) * lc + tw_vec3_dot(b, c) * la + tw_vec3_dot(c, a) * lb);
    }
    return sum / (2 * TW_PI);
}

static int winding_is_one_inside_and_zero_outside(void)
{
    for (int kind = 0; kind < 2; kind++)
    {
        twMesh* mesh = kind == 0 ? cube_mesh() : sphere_mesh(tw_vec3(0.5, 0.5, 0.5), 0.5, 20);
        twWinding* winding;
        ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
        twRng rng = tw_rng(1);
        for (int i = 0; i < 2000; i++)
        {
            twVec3 p = tw_vec3(tw_rng_between(&rng, -1, 2), tw_rng_between(&rng, -1, 2), tw_rng_between(&rng, -1, 2));
            twVec3 from_centre = tw_vec3_sub(p, tw_vec3(0.5, 0.5, 0.5));
            double beyond = kind == 0 ? tw_vec3_max(from_centre) - 0.5 : tw_vec3_norm(from_centre) - 0.5;
            if (fabs(beyond) < 0.01) continue;
            ENSURE_NEAR(tw_winding_at(winding, p), beyond < 0, 1e-3);
        }
        tw_winding_destroy(winding);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

static int winding_by_tree_is_the_sum_of_solid_angles(void)
{
    // a bumpy sphere: closed, open, and as flat as a plate
    for (int kind = 0; kind < 3; kind++)
    {
        twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 1, 20);
        for (int i = 0; i < mesh->vertex_count; i++)
        {
            twVec3* p = &mesh->vertices[i];
            *p = tw_vec3_scale(*p, 1 + 0.3 * sin(5 * p->x) * cos(4 * p->y));
            if (kind == 2) p->z *= 0.05;
        }
        if (kind == 1) mesh->face_count = mesh->face_count * 2 / 3;
        twWinding* winding;
        ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
        twRng rng = tw_rng(2);
        for (int i = 0; i < 300; i++)
        {
            double z = tw_rng_between(&rng, -1.5, 1.5) * (kind == 2 ? 0.1 : 1);
            twVec3 p = tw_vec3(tw_rng_between(&rng, -1.5, 1.5), tw_rng_between(&rng, -1.5, 1.5), z);
            ENSURE_NEAR(tw_winding_at(winding, p), winding_by_sum(mesh, p), 1e-3);
        }
        tw_winding_destroy(winding);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

static int winding_at_a_hole_is_a_half(void)
{
    // what is left of a cube without its lid fills half the view of a point in the lid's middle
    twMesh* mesh = cube_mesh();
    mesh->face_count = 10;
    twWinding* winding;
    ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
    ENSURE_NEAR(tw_winding_at(winding, tw_vec3(1, 0.4, 0.7)), 0.5, 1e-12);
    ENSURE_NEAR(tw_winding_at(winding, tw_vec3(0.5, 0.5, 0.5)), 5.0 / 6, 1e-12);
    tw_winding_destroy(winding);

    // without the far half of a sphere, its centre sees a half too
    tw_mesh_destroy(mesh);
    mesh = sphere_mesh(tw_vec3(0, 0, 0), 1, 12);
    mesh->face_count /= 2;
    ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
    ENSURE_NEAR(tw_winding_at(winding, tw_vec3(0, 0, 0)), 0.5, 1e-3);
    tw_winding_destroy(winding);
    tw_mesh_destroy(mesh);
    return 0;
}

static int winding_and_distance_hold_at_any_scale(void)
{
    const double scales[] = {1e-100, 1e-9, 1e9, 1e90};
    for (int k = 0; k < 4; k++)
    {
        double s = scales[k];
        twMesh* mesh = sphere_mesh(tw_vec3(3 * s, 0, 0), s, 8);
        twWinding* winding;
        ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
        ENSURE_NEAR(tw_winding_at(winding, tw_vec3(3.4 * s, 0.1 * s, 0)), 1, 1e-3);
        ENSURE_NEAR(tw_winding_at(winding, tw_vec3(0, 0, 0)), 0, 1e-3);
        ENSURE_NEAR(tw_winding_nearest(winding, tw_vec3(0, 0, 0), NULL, NULL) / s, 2, 1e-12);
        tw_winding_destroy(winding);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

static int winding_answers_absurd_questions(void)
{
    twMesh* mesh = cube_mesh();
    twWinding* winding;
    ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
    ENSURE(tw_winding_at(winding, tw_vec3(NAN, 0, 0)) == 0);
    ENSURE(tw_winding_at(winding, tw_vec3(1e300, 0, 0)) == 0);
    ENSURE(isfinite(tw_winding_at(winding, tw_vec3(0, 0, 0))));
    ENSURE(isfinite(tw_winding_at(winding, tw_vec3(0.5, 0, 0))));
    int face = 5;
    ENSURE(tw_winding_nearest(winding, tw_vec3(INFINITY, 0, 0), NULL, &face) == HUGE_VAL && face == -1);
    tw_winding_destroy(winding);

    // no faces: nothing is near and nothing inside
    mesh->face_count = 0;
    ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
    ENSURE(tw_winding_at(winding, tw_vec3(0.5, 0.5, 0.5)) == 0);
    ENSURE(tw_winding_nearest(winding, tw_vec3(0, 0, 0), NULL, &face) == HUGE_VAL);
    tw_winding_destroy(winding);

    // faces that cannot be are refused
    twError err;
    mesh->face_count = 12;
    mesh->faces[7].v[1] = 8;
    ENSURE(tw_winding_create(&winding, mesh, &err) == TW_BAD_INPUT && strstr(err.text, "face 7") && !winding);
    mesh->faces[7].v[1] = 3;
    mesh->vertices[3].y = NAN;
    ENSURE(tw_winding_create(&winding, mesh, &err) == TW_BAD_INPUT && strstr(err.text, "mend"));
    tw_mesh_destroy(mesh);
    return 0;
}

static int nearest_point_of_a_cube_is_exact(void)
{
    twMesh* mesh = cube_mesh();
    twWinding* winding;
    ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
    const double asked[5][3] = {{0.3, 0.6, 2}, {0.25, -1, 3}, {4, 5, -6}, {0.5, 0.25, 0.9}, {1, 0.5, 0.5}};
    const double nearest[5][3] = {{0.3, 0.6, 1}, {0.25, 0, 1}, {1, 1, 0}, {0.5, 0.25, 1}, {1, 0.5, 0.5}};
    for (int i = 0; i < 5; i++)
    {
        twVec3 p = tw_vec3(asked[i][0], asked[i][1], asked[i][2]), foot;
        int face;
        double distance = tw_winding_nearest(winding, p, &foot, &face);
        ENSURE(foot.x == nearest[i][0] && foot.y == nearest[i][1] && foot.z == nearest[i][2]);
        ENSURE_NEAR(distance, tw_vec3_norm(tw_vec3_sub(p, foot)), 1e-15);
        ENSURE(face >= 0 && face < 12);
    }
    tw_winding_destroy(winding);
    tw_mesh_destroy(mesh);
    return 0;
}

// the nearest of many points of a triangle: never nearer than the nearest of all, nor much farther
static double distance_by_sampling(const twMesh* mesh, int f, twVec3 q)
{
    double least = HUGE_VAL;
    for (int i = 0; i <= 60; i++)
        for (int j = 0; i + j <= 60; j++)
        {
            twVec3 p = tw_vec3_scale(corner(mesh, f, 0), (60 - i - j) / 60.0);
            p = tw_vec3_add_scaled(tw_vec3_add_scaled(p, corner(mesh, f, 1), i / 60.0), corner(mesh, f, 2), j / 60.0);
            least = fmin(least, tw_vec3_norm(tw_vec3_sub(p, q)));
        }
    return least;
}

static int nearest_point_agrees_with_sampling(void)
{
    twRng rng = tw_rng(4);
    twMesh* mesh;
    ENSURE(tw_mesh_create(&mesh, 60, 20, NULL) == TW_OK);
    for (int i = 0; i < 60; i++)
    {
        mesh->vertices[i] = tw_vec3(tw_rng_uniform(&rng), tw_rng_uniform(&rng), tw_rng_uniform(&rng));
        mesh->faces[i / 3].v[i % 3] = i;
    }
    mesh->vertices[5] = mesh->vertices[4];  // one without area
    twWinding* winding;
    ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
    for (int k = 0; k < 30; k++)
    {
        twVec3 q = tw_vec3(tw_rng_between(&rng, -1, 2), tw_rng_between(&rng, -1, 2), tw_rng_between(&rng, -1, 2)), foot;
        double sampled = HUGE_VAL, distance = tw_winding_nearest(winding, q, &foot, NULL);
        for (int f = 0; f < 20; f++) sampled = fmin(sampled, distance_by_sampling(mesh, f, q));
        ENSURE(distance <= sampled + 1e-12);
        ENSURE(distance >= sampled - 0.04);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(q, foot)), distance, 1e-14);
    }
    tw_winding_destroy(winding);
    tw_mesh_destroy(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(mass_of_a_box_is_the_closed_form)
    RUN(mass_of_a_corner_tetrahedron_is_the_closed_form)
    RUN(mass_of_a_sphere_converges_with_the_square_of_the_edges)
    RUN(inertia_about_the_centre_does_not_depend_on_the_place)
    RUN(a_cavity_takes_its_mass_away)
    RUN(winding_is_one_inside_and_zero_outside)
    RUN(winding_by_tree_is_the_sum_of_solid_angles)
    RUN(winding_at_a_hole_is_a_half)
    RUN(winding_and_distance_hold_at_any_scale)
    RUN(winding_answers_absurd_questions)
    RUN(nearest_point_of_a_cube_is_exact)
    RUN(nearest_point_agrees_with_sampling)
)
