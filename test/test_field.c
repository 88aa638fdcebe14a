// SPDX-License-Identifier: MIT
// Distance fields against closed forms and against the nearest point by the tree of winding numbers.
#include "bodies.h"
#include "test.h"
#include "twang/mesh.h"

static twField* field_of(const twMesh* mesh, double cell, double tolerance)
{
    twField* field;
    twError err;
    twFieldDef def = tw_field_def();
    def.cell = cell;
    def.tolerance = tolerance;
    if (tw_field_create(&field, mesh, &def, &err) != TW_OK)
    {
        printf("%s\n", err.text);
        return NULL;
    }
    return field;
}

static twMesh* shape_mesh(const char* text, double edge)
{
    twShape* shape;
    twMesh* mesh;
    if (tw_shape_parse(&shape, text, NULL) != TW_OK || tw_shape_surface(&mesh, shape, edge, NULL) != TW_OK) abort();
    tw_shape_destroy(shape);
    return mesh;
}

static twVec3 random_point(twRng* rng, twVec3 half)
{
    return tw_vec3(tw_rng_between(rng, -half.x, half.x), tw_rng_between(rng, -half.y, half.y),
                   tw_rng_between(rng, -half.z, half.z));
}

// ---- closed forms ----

// |max(q, 0)| + min(max q, 0),  q = |p| - half
static double box_distance(twVec3 p, twVec3 half)
{
    double x = fabs(p.x) - half.x, y = fabs(p.y) - half.y, z = fabs(p.z) - half.z;
    double inner = fmin(fmax(x, fmax(y, z)), 0);
    return inner + sqrt(pow(fmax(x, 0), 2) + pow(fmax(y, 0), 2) + pow(fmax(z, 0), 2));
}

static double torus_distance(twVec3 p, double large, double small)
{
    return hypot(hypot(p.x, p.y) - large, p.z) - small;
}

static int sphere_is_its_radius_to_the_mesh(void)
{
    // chords of length e lie e^2/(8 R) below the sphere, middles of triangles e^2/(6 R)
    const double radius = 0.05, edge = 0.005, sag = edge * edge / (4 * radius);
    twMesh* mesh = shape_mesh("sphere:0.05", edge);
    twField* field = field_of(mesh, 0.003, 1e-3);
    ENSURE(field);
    twFieldInfo info = tw_field_info(field);
    twRng rng = tw_rng(1);
    int near = 0;
    for (int i = 0; i < 20000; i++)
    {
        twVec3 p = random_point(&rng, tw_vec3(0.07, 0.07, 0.07)), gradient;
        double truth = tw_vec3_norm(p) - radius, value = tw_field_at(field, p, &gradient);
        if (fabs(truth) < 0.9 * info.band)
        {
            ENSURE_NEAR(value, truth, 1.5 * sag + 0.02 * fabs(truth));
            ENSURE(tw_vec3_dot(tw_vec3_normalize(gradient), tw_vec3_normalize(p)) > 0.98);
            near++;
        }
        else
        {
            ENSURE((value < 0) == (truth < 0));
            ENSURE(fabs(value) <= 1.03 * fabs(truth) + 1.5 * sag && fabs(value) >= 0.85 * info.band);
        }
    }
    ENSURE(near > 1000);
    tw_field_destroy(field);
    tw_mesh_destroy(mesh);
    return 0;
}

static int box_is_exact_at_faces_edges_and_corners(void)
{
    const twVec3 half = {0.06, 0.05, 0.01};
    twMesh* mesh = box_mesh(tw_vec3_scale(half, -1), tw_vec3_scale(half, 2));
    twField* field = field_of(mesh, 0.004, 1e-3);
    ENSURE(field);
    twRng rng = tw_rng(2);
    for (int i = 0; i < 60000; i++)
    {
        // all over, around the surface, around an edge, around a corner
        twVec3 p = random_point(&rng, tw_vec3_scale(half, 1.2)), gradient;
        const double close = 1e-4;
        twVec3 off = random_point(&rng, tw_vec3(close, close, close));
        if (i % 4 > 0) p.x = half.x + off.x;
        if (i % 4 > 1) p.y = -half.y + off.y;
        if (i % 4 > 2) p.z = half.z + off.z;
        double truth = box_distance(p, half), value = tw_field_at(field, p, &gradient);
        if (i % 4 > 0 && fabs(truth) < 2 * close) ENSURE_NEAR(value, truth, 1e-9);
        if (fabs(truth) < 0.008) ENSURE_NEAR(value, truth, 1e-9 + 0.02 * fabs(truth));
        ENSURE_NEAR(tw_field_foot(field, p).distance, truth, 1e-12);
        ENSURE(fabs(tw_field_bound(field, p)) <= fabs(truth) + 1e-9);
    }
    tw_field_destroy(field);
    tw_mesh_destroy(mesh);
    return 0;
}

static int torus_is_its_formula_to_the_mesh(void)
{
    const double large = 0.04, small = 0.015, step = 2 * TW_PI / 64, sag = (large + small) * step * step / 4;
    twMesh* mesh = torus_mesh(large, small, 64, 40);
    twField* field = field_of(mesh, 0.002, 1e-3);
    ENSURE(field);
    twRng rng = tw_rng(3);
    for (int i = 0; i < 20000; i++)
    {
        twVec3 p = random_point(&rng, tw_vec3(0.06, 0.06, 0.02));
        double truth = torus_distance(p, large, small), value = tw_field_at(field, p, NULL);
        if (fabs(truth) < 0.0035) ENSURE_NEAR(value, truth, sag + 0.02 * fabs(truth));
        ENSURE(fabs(value) <= 1.03 * fabs(truth) + sag);
        if (fabs(truth) > sag) ENSURE((value < 0) == (truth < 0));
    }
    tw_field_destroy(field);
    tw_mesh_destroy(mesh);
    return 0;
}

static int plate_thinner_than_a_cell_is_exact(void)
{
    const twVec3 half = {0.15, 0.1, 0.00025};
    twMesh* mesh = shape_mesh("plate:0.3x0.2x0.0005", 0.02);
    twField* field = field_of(mesh, 0.004, 1e-3);
    ENSURE(field);
    twRng rng = tw_rng(4);
    for (int i = 0; i < 20000; i++)
    {
        twVec3 p = random_point(&rng, tw_vec3(0.16, 0.11, 0.001)), gradient;
        double truth = box_distance(p, half), value = tw_field_at(field, p, &gradient);
        if (fabs(truth) < 0.0005) ENSURE_NEAR(value, truth, 1e-9);
        if (fabs(truth) > 1e-9 && fabs(p.x) < 0.149 && fabs(p.y) < 0.099 && fabs(p.z) > 1e-6 && fabs(truth) < 0.0005)
            ENSURE_NEAR(gradient.z, p.z < 0 ? -1 : 1, 1e-6);
    }

    // the side one began on: from the lower half, and from below, up to the upper face
    twFieldFoot foot = tw_field_side(field, tw_vec3(0.01, 0.02, -0.0002), tw_vec3(0, 0, 1), 0.5, 0.001);
    ENSURE_NEAR(foot.distance, -0.00045, 1e-12);
    ENSURE_NEAR(foot.normal.z, 1, 1e-12);
    foot = tw_field_side(field, tw_vec3(0.01, 0.02, -0.0004), tw_vec3(0, 0, 1), 0.5, 0.001);
    ENSURE_NEAR(foot.distance, -0.00065, 1e-12);
    ENSURE(tw_field_side(field, tw_vec3(0.01, 0.02, -0.0004), tw_vec3(0, 0, 1), 0.5, 0.0006).face == -1);
    tw_field_destroy(field);
    tw_mesh_destroy(mesh);
    return 0;
}

// ---- what holds for any body ----

static int distances_are_those_of_the_nearest_face(void)
{
    for (Body body = 0; body < BODIES; body++)
    {
        twMesh* mesh = body_mesh(body);
        tw_mesh_mend(mesh, 1e-9, NULL, NULL);
        twField* field = field_of(mesh, 0.003, 1e-3);
        twWinding* winding;
        ENSURE(field && tw_winding_create(&winding, mesh, NULL) == TW_OK);
        twFieldInfo info = tw_field_info(field);
        twVec3 middle = tw_vec3_scale(tw_vec3_add(info.low, info.high), 0.5);
        twVec3 half = tw_vec3_scale(tw_vec3_sub(info.high, info.low), 0.7);
        twRng rng = tw_rng(5);
        for (int i = 0; i < 5000; i++)
        {
            twVec3 p = tw_vec3_add(middle, random_point(&rng, half));
            double away = tw_winding_nearest(winding, p, NULL, NULL);
            double truth = tw_winding_at(winding, p) > 0.5 ? -away : away;
            double value = tw_field_at(field, p, NULL), bound = tw_field_bound(field, p);
            twFieldFoot foot = tw_field_foot(field, p);
            ENSURE_NEAR(foot.distance, truth, 1e-12);
            const int* v = mesh->faces[foot.face].v;
            twVec3 at = {0, 0, 0};
            for (int c = 0; c < 3; c++) at = tw_vec3_add_scaled(at, mesh->vertices[v[c]], foot.weight[c]);
            ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(at, p)), away, 1e-12);
            if (away < info.band) ENSURE_NEAR(value, truth, 2e-3 * info.cell + 0.03 * away);
            ENSURE(bound * truth >= 0 && fabs(bound) <= away + 1e-9);
            if (away >= info.band) ENSURE(value * truth > 0 && fabs(value) <= away * 1.03);
        }
        tw_winding_destroy(winding);
        tw_field_destroy(field);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

static int gradient_is_the_slope_of_the_value(void)
{
    const double step = 1e-7;
    twMesh* mesh = torus_mesh(0.04, 0.015, 24, 12);
    twField* field = field_of(mesh, 0.002, 1e-3);
    ENSURE(field);
    twRng rng = tw_rng(6);
    int tried = 0, off = 0;
    for (int i = 0; i < 5000; i++)
    {
        twVec3 p = random_point(&rng, tw_vec3(0.06, 0.06, 0.02)), gradient;
        if (fabs(tw_field_at(field, p, &gradient)) > 0.0035) continue;
        twVec3 axis[3] = {{step, 0, 0}, {0, step, 0}, {0, 0, step}};
        double slope[3];
        for (int d = 0; d < 3; d++)
            slope[d] = (tw_field_at(field, tw_vec3_add(p, axis[d]), NULL) -
                        tw_field_at(field, tw_vec3_sub(p, axis[d]), NULL)) /
                       (2 * step);

        // but at walls of cells and creases between faces, which are thin
        tried++;
        off += tw_vec3_max(tw_vec3_sub(gradient, tw_vec3(slope[0], slope[1], slope[2]))) > 1e-5;
    }
    ENSURE(tried > 500 && off * 200 < tried);
    tw_field_destroy(field);
    tw_mesh_destroy(mesh);
    return 0;
}

static int distance_changes_by_no_more_than_the_way(void)
{
    const double cell = 0.003, tolerance = 1e-3;
    twMesh* mesh = body_mesh(CUP);
    twField* field = field_of(mesh, cell, tolerance);
    ENSURE(field);
    twRng rng = tw_rng(7);
    for (int i = 0; i < 50000; i++)
    {
        twVec3 p = tw_vec3_add(tw_vec3(0.05, 0.05, 0.04), random_point(&rng, tw_vec3(0.06, 0.06, 0.05)));
        twVec3 q = tw_vec3_add(p, random_point(&rng, tw_vec3(cell, cell, cell)));
        double a = tw_field_at(field, p, NULL), b = tw_field_at(field, q, NULL);
        if (fabs(a) > 2 * cell || fabs(b) > 2 * cell) continue;
        double off = 2 * tolerance * cell + 0.02 * (fabs(a) + fabs(b));
        ENSURE(fabs(a - b) <= tw_vec3_norm(tw_vec3_sub(p, q)) + off);
    }
    tw_field_destroy(field);
    tw_mesh_destroy(mesh);
    return 0;
}

static double worst_interpolation(const twMesh* mesh, const twWinding* winding, double cell)
{
    // a tolerance without limit: no cell is exact
    twField* field = field_of(mesh, cell, 1e9);
    twRng rng = tw_rng(8);
    double worst = 0;
    for (int i = 0; i < 4000 && field; i++)
    {
        twVec3 p = tw_vec3_scale(tw_vec3_normalize(random_point(&rng, tw_vec3(1, 1, 1))), 0.055);
        worst = fmax(worst, fabs(tw_field_at(field, p, NULL) - tw_winding_nearest(winding, p, NULL, NULL)));
    }
    tw_field_destroy(field);
    return worst;
}

static int interpolation_is_of_second_order(void)
{
    // 5 mm above the surface, where it is smooth: h^2 / (4 r) for a function that curves by 1/r in two directions. What
    // is left are the faces: edges of 4, 3, 2 mm give orders 1.77, 1.89, 1.97
    twMesh* mesh = shape_mesh("sphere:0.05", 0.003);
    twWinding* winding;
    ENSURE(tw_winding_create(&winding, mesh, NULL) == TW_OK);
    double coarse = worst_interpolation(mesh, winding, 0.012), fine = worst_interpolation(mesh, winding, 0.006);
    ENSURE_NEAR(coarse, 0.012 * 0.012 / (4 * 0.055), 0.1 * coarse);
    ENSURE_NEAR(log2(coarse / fine), 2, 0.15);
    tw_winding_destroy(winding);
    tw_mesh_destroy(mesh);
    return 0;
}

// ---- trouble ----

static int refuses_with(const char* words, twMesh* mesh)
{
    twField* field;
    twError err;
    twFieldDef def = tw_field_def();
    twStatus status = tw_field_create(&field, mesh, &def, &err);
    ENSURE(status == TW_BAD_INPUT && field == NULL);
    if (!strstr(err.text, words)) printf("'%s' does not say '%s'\n", err.text, words);
    ENSURE(strstr(err.text, words));
    tw_mesh_destroy(mesh);
    return 0;
}

static int broken_surfaces_are_refused_by_name(void)
{
    twMesh* mesh = cube_mesh();
    drop_face(mesh, 3);
    ENSURE(refuses_with("the surface is open: 3 edges", mesh) == 0);
    mesh = cube_mesh();
    flip_face(mesh, 5);
    ENSURE(refuses_with("faces disagree on what is outside at 3 edges", mesh) == 0);
    mesh = cube_mesh();
    for (int f = 0; f < 12; f++) flip_face(mesh, f);
    ENSURE(refuses_with("inside out: its volume is -1", mesh) == 0);
    mesh = cube_mesh();
    mesh->vertices[3].y = NAN;
    ENSURE(refuses_with("vertex 3 is not finite", mesh) == 0);
    mesh = cube_mesh();
    mesh->faces[7].v[2] = 8;
    ENSURE(refuses_with("face 7: vertex 8 is outside 0..7", mesh) == 0);
    mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(1, 1, 0));
    ENSURE(refuses_with("thickness is zero", mesh) == 0);
    mesh = cube_mesh();
    mesh->face_count = 0;
    ENSURE(refuses_with("no faces", mesh) == 0);

    // two boxes, one of them inside out
    mesh = box_mesh(tw_vec3(3, 0, 0), tw_vec3(0.8, 0.8, 0.8));
    for (int f = 0; f < 12; f++) flip_face(mesh, f);
    twMesh* both = cube_mesh();
    join_mesh(both, mesh);
    ENSURE(refuses_with("a part of the surface is inside out", both) == 0);
    return 0;
}

static int senseless_options_are_refused(void)
{
    twMesh* mesh = cube_mesh();
    twField* field;
    twError err;
    twFieldDef def = tw_field_def();
    def.cell = 1e-6;
    ENSURE(tw_field_create(&field, mesh, &def, &err) == TW_BAD_INPUT && strstr(err.text, "too small"));
    def.cell = -1;
    ENSURE(tw_field_create(&field, mesh, &def, &err) == TW_BAD_INPUT && strstr(err.text, "cell is -1"));
    def = tw_field_def();
    def.band = NAN;
    ENSURE(tw_field_create(&field, mesh, &def, &err) == TW_BAD_INPUT && strstr(err.text, "band"));
    tw_field_destroy(NULL);
    tw_mesh_destroy(mesh);
    return 0;
}

static int any_point_has_an_answer(void)
{
    twMesh* mesh = cube_mesh();
    twField* field = field_of(mesh, 0.05, 1e-3);
    ENSURE(field);
    twVec3 gradient;
    ENSURE(tw_field_foot(field, tw_vec3(NAN, 0, 0)).face == -1);
    ENSURE_NEAR(tw_field_at(field, tw_vec3(1e6, 0.5, 0.5), &gradient), 1e6, 2);
    ENSURE_NEAR(gradient.x, 1, 1e-6);
    ENSURE(tw_field_foot(field, tw_vec3(1e6, 0.5, 0.5)).face >= 0);
    ENSURE(tw_field_at(field, tw_vec3(0.5, 0.5, 0.5), NULL) < -0.09);
    tw_field_destroy(field);
    tw_mesh_destroy(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(sphere_is_its_radius_to_the_mesh)
    RUN(box_is_exact_at_faces_edges_and_corners)
    RUN(torus_is_its_formula_to_the_mesh)
    RUN(plate_thinner_than_a_cell_is_exact)
    RUN(distances_are_those_of_the_nearest_face)
    RUN(gradient_is_the_slope_of_the_value)
    RUN(distance_changes_by_no_more_than_the_way)
    RUN(interpolation_is_of_second_order)
    RUN(broken_surfaces_are_refused_by_name)
    RUN(senseless_options_are_refused)
    RUN(any_point_has_an_answer)
)
