// SPDX-License-Identifier: MIT
// Coarser and finer surfaces: what they keep.

#include "test.h"
#include "twang/mesh.h"
#include <stdlib.h>

static twMesh* shape_mesh(const char* text, double edge)
{
    twShape* shape;
    twMesh* mesh;
    twError err;
    if (tw_shape_parse(&shape, text, &err) != TW_OK || tw_shape_surface(&mesh, shape, edge, &err) != TW_OK)
    {
        printf("%s\n", err.text);
        exit(1);
    }
    tw_shape_destroy(shape);
    return mesh;
}

// closed and as connected as before: V - E + F is twice the pieces less the handles, and E = 3/2 F
static int characteristic(const twMesh* m) { return m->vertex_count - m->face_count / 2; }

static int coarse_surfaces_keep_form_and_connection(void)
{
    static const struct
    {
        const char* shape;
        double edge;
        int faces;
        double volume_error;
    } cases[] = {{"sphere:0.1", 0.005, 1000, 0.01},
                 {"sphere:0.1", 0.005, 200, 0.03},
                 {"bowl:0.1x0.003", 0.003, 2000, 0.03},
                 {"bowl:0.1x0.003", 0.003, 800, 0.03},
                 {"mug:", 0.003, 2000, 0.03},
                 {"box:0.2x0.1x0.05", 0.005, 500, 1e-3},
                 {"plate:0.2x0.2x0.003", 0.003, 800, 1e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        twMesh *mesh = shape_mesh(cases[i].shape, cases[i].edge), *out;
        ENSURE(tw_mesh_coarsen(&out, mesh, cases[i].faces, NULL, NULL) == TW_OK);
        twMeshReport before = tw_mesh_check(mesh), after = tw_mesh_check(out);
        ENSURE(mesh->face_count > 2 * cases[i].faces && out->face_count <= cases[i].faces);
        ENSURE(out->face_count >= cases[i].faces - 1);
        ENSURE(after.boundary_edges == 0 && after.nonmanifold_edges == 0 && after.self_intersections == 0);
        ENSURE(after.flipped_faces == 0 && after.degenerate_faces == 0 && after.components == before.components);
        ENSURE(characteristic(out) == characteristic(mesh));
        ENSURE_NEAR(after.volume / before.volume, 1, cases[i].volume_error);
        tw_mesh_destroy(out);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

// a wall of 3 mm at 20 mm long triangles: inside stays inside, outside outside
static int sides_of_a_thin_wall_stay_apart(void)
{
    twMesh *mesh = shape_mesh("bowl:0.1x0.003", 0.004), *out;
    int* stands = malloc((size_t)mesh->vertex_count * sizeof *stands);
    const twVec3 middle = {0, 0, 0.1};
    ENSURE(tw_mesh_coarsen(&out, mesh, 700, stands, NULL) == TW_OK);
    for (int i = 0; i < mesh->vertex_count; i++)
    {
        ENSURE(stands[i] >= 0 && stands[i] < out->vertex_count);
        twVec3 from = tw_vec3_sub(mesh->vertices[i], middle), to = tw_vec3_sub(out->vertices[stands[i]], middle);
        double before = sqrt(tw_vec3_dot(from, from)), after = sqrt(tw_vec3_dot(to, to));
        ENSURE(before < 0.0985 ? after < 0.0985 : after > 0.0985);
        // and not far away
        twVec3 d = tw_vec3_sub(from, to);
        ENSURE(tw_vec3_dot(d, d) < 0.03 * 0.03);
    }
    free(stands);
    tw_mesh_destroy(out);
    tw_mesh_destroy(mesh);
    return 0;
}

static int coarse_triangles_are_even(void)
{
    twMesh *mesh = shape_mesh("box:0.2x0.1x0.05", 0.004), *out;
    ENSURE(tw_mesh_coarsen(&out, mesh, 600, NULL, NULL) == TW_OK);
    twMeshReport all = tw_mesh_check(out);
    double mean = all.area / out->face_count;
    for (int f = 0; f < out->face_count; f++)
    {
        const int* v = out->faces[f].v;
        twVec3 a = tw_vec3_sub(out->vertices[v[1]], out->vertices[v[0]]);
        twVec3 b = tw_vec3_sub(out->vertices[v[2]], out->vertices[v[0]]), n = tw_vec3_cross(a, b);
        double area = 0.5 * sqrt(tw_vec3_dot(n, n));
        ENSURE(area > 0.1 * mean && area < 4 * mean);
    }
    tw_mesh_destroy(out);
    tw_mesh_destroy(mesh);
    return 0;
}

// a tetrahedron cannot lose a face, and nothing can be left of less
static int coarsening_ends_where_the_form_would_be_lost(void)
{
    twMesh *mesh = shape_mesh("mug:", 0.005), *out, *less;
    ENSURE(tw_mesh_coarsen(&out, mesh, 4, NULL, NULL) == TW_OK);
    twMeshReport report = tw_mesh_check(out);
    ENSURE(characteristic(out) == 0 && report.boundary_edges == 0 && report.nonmanifold_edges == 0);
    ENSURE(out->face_count >= 14);
    // once more changes nothing that matters
    ENSURE(tw_mesh_coarsen(&less, out, out->face_count, NULL, NULL) == TW_OK && less->face_count == out->face_count);
    tw_mesh_destroy(less);
    tw_mesh_destroy(out);
    tw_mesh_destroy(mesh);
    return 0;
}

static int subdivision_keeps_the_surface_and_tells_where_from(void)
{
    twMesh *mesh = shape_mesh("bowl:0.1x0.003", 0.02), *out;
    int(*ends)[2];
    ENSURE(tw_mesh_subdivide(&out, mesh, &ends, NULL) == TW_OK);
    twMeshReport before = tw_mesh_check(mesh), after = tw_mesh_check(out);
    ENSURE(out->face_count == 4 * mesh->face_count && characteristic(out) == characteristic(mesh));
    ENSURE_NEAR(after.area / before.area, 1, 1e-12);
    ENSURE_NEAR(after.volume / before.volume, 1, 1e-12);
    ENSURE(after.boundary_edges == 0 && after.flipped_faces == 0);
    for (int i = mesh->vertex_count; i < out->vertex_count; i++)
    {
        const int* e = ends[i - mesh->vertex_count];
        twVec3 sum = tw_vec3_add(mesh->vertices[e[0]], mesh->vertices[e[1]]);
        twVec3 d = tw_vec3_sub(out->vertices[i], tw_vec3_scale(sum, 0.5));
        ENSURE(tw_vec3_dot(d, d) < 1e-24);
    }
    free(ends);
    tw_mesh_destroy(out);
    tw_mesh_destroy(mesh);
    return 0;
}

static int wrong_surfaces_are_refused(void)
{
    twMesh *mesh = shape_mesh("box:0.2x0.1x0.05", 0.05), *out;
    twError err;
    ENSURE(tw_mesh_coarsen(&out, mesh, 3, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "4 faces") && !out);
    mesh->faces[5].v[1] = mesh->vertex_count;
    ENSURE(tw_mesh_coarsen(&out, mesh, 8, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "face 5") && !out);
    mesh->faces[5].v[1] = mesh->faces[5].v[0];
    ENSURE(tw_mesh_coarsen(&out, mesh, 8, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "face 5") && !out);
    mesh->vertices[2].y = NAN;
    ENSURE(tw_mesh_coarsen(&out, mesh, 8, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "vertex 2") && !out);
    tw_mesh_destroy(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(coarse_surfaces_keep_form_and_connection)
    RUN(sides_of_a_thin_wall_stay_apart)
    RUN(coarse_triangles_are_even)
    RUN(coarsening_ends_where_the_form_would_be_lost)
    RUN(subdivision_keeps_the_surface_and_tells_where_from)
    RUN(wrong_surfaces_are_refused)
)
