// SPDX-License-Identifier: MIT
// Tests of mending and checking: meshes broken on purpose, each in one way, and at random.
#include "mesh.h"
#include "test.h"

// ---- mending ----

// a mended closed body: every edge has two faces and the volume is right
#define ENSURE_SOLID(mesh, report, wanted_volume)                                                                      \
    do {                                                                                                               \
        ENSURE((report).boundary_edges == 0);                                                                          \
        ENSURE((report).nonmanifold_edges == 0);                                                                       \
        ENSURE_NEAR((report).volume, (wanted_volume), 1e-12 * fabs(wanted_volume));                                    \
        ENSURE_NEAR(tw_mesh_mass(mesh, 1).volume, (wanted_volume), 1e-12 * fabs(wanted_volume));                       \
    } while (0)

static int a_sound_mesh_is_left_alone(void)
{
    twMesh* mesh = cube_mesh();
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 1e-6, &report, NULL) == TW_OK);
    ENSURE(mesh->vertex_count == 8 && mesh->face_count == 12);
    ENSURE(report.merged_vertices == 0 && report.flipped_faces == 0 && report.degenerate_faces == 0);
    ENSURE(report.components == 1 && report.holes == 0 && report.self_intersections == 0);
    ENSURE_NEAR(report.size, sqrt(3), 1e-15);
    ENSURE_NEAR(report.area, 6, 1e-14);
    ENSURE_SOLID(mesh, report, 1.0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int duplicate_vertices_become_one(void)
{
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 1, 10);
    twMeshReport report, before = tw_mesh_check(mesh);
    ENSURE(before.components == 800 && before.boundary_edges == 2400);
    ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);

    // Euler: V = 2 + F/2 for a closed surface without handles
    ENSURE(mesh->vertex_count == 402 && report.merged_vertices == 2400 - 402);
    ENSURE(report.components == 1 && report.boundary_edges == 0 && report.nonmanifold_edges == 0);
    ENSURE(report.flipped_faces == 0 && report.self_intersections == 0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int merging_reaches_as_far_as_asked(void)
{
    for (int k = 0; k < 2; k++)
    {
        twMesh* mesh = cube_mesh();
        int twin = add_vertex(mesh, tw_vec3(1 + 1e-5, 1, 1));
        for (int i = 0; i < 36; i++)
            if (i > 18 && mesh->faces[i / 3].v[i % 3] == 7) mesh->faces[i / 3].v[i % 3] = twin;
        twMeshReport report;
        ENSURE(tw_mesh_mend(mesh, k == 0 ? 0 : 1e-5, &report, NULL) == TW_OK);
        ENSURE(report.merged_vertices == k);
        ENSURE((report.boundary_edges == 0) == (k == 1));
        tw_mesh_destroy(mesh);
    }
    return 0;
}

// every face on vertices of its own, each moved a little: far wider than the tolerance, far narrower than the faces
static int cracks_are_closed(void)
{
    for (int k = 0; k < 3; k++)
    {
        twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 1, 10);
        twRng rng = tw_rng(5);
        double width = pow(10, -7 + 2 * k);
        for (int v = 0; v < mesh->vertex_count; v++)
            mesh->vertices[v] = tw_vec3_scale(mesh->vertices[v], 1 + tw_rng_between(&rng, -width, width));
        twMeshReport report;
        ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
        ENSURE(mesh->vertex_count == 402 && report.boundary_edges == 0 && report.nonmanifold_edges == 0);
        ENSURE(report.components == 1 && report.flipped_faces == 0 && report.holes == 0);
        tw_mesh_destroy(mesh);
    }

    // a gap as wide as the faces is no crack
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 1, 6);
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
    drop_face(mesh, 100);
    ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
    ENSURE(report.boundary_edges == 3 && report.merged_vertices == 0 && report.split_faces == 0);
    // and is as large as the triangle that is missing: the sphere has 288 of about one size
    ENSURE_NEAR(report.hole_area / report.area, 1.0 / 287, 2e-3);
    tw_mesh_destroy(mesh);
    return 0;
}

// faces divided on one side of an edge only, at one place and at three, in order and not
static int vertices_on_edges_divide_the_faces_there(void)
{
    twMesh* mesh = cube_mesh();
    const double parts[3] = {0.5, 0.2, 0.8};
    int middle[3], a = mesh->faces[0].v[0], b = mesh->faces[0].v[1], c = mesh->faces[0].v[2];
    for (int i = 0; i < 3; i++)
        middle[i] = add_vertex(
            mesh, tw_vec3_add_scaled(mesh->vertices[a], tw_vec3_sub(mesh->vertices[b], mesh->vertices[a]), parts[i]));
    mesh->faces[0] = (twTriangle){{a, middle[1], c}};
    add_face(mesh, middle[1], middle[0], c);
    add_face(mesh, middle[0], middle[2], c);
    add_face(mesh, middle[2], b, c);
    int one = add_vertex(mesh, tw_vec3_scale(tw_vec3_add(mesh->vertices[b], mesh->vertices[c]), 0.5));
    mesh->faces[mesh->face_count - 1] = (twTriangle){{middle[2], b, one}};
    add_face(mesh, middle[2], one, c);
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
    ENSURE(report.split_faces == 2 && report.merged_vertices == 0 && report.self_intersections == 0);
    ENSURE(mesh->vertex_count == 12 && mesh->face_count == 20);
    ENSURE_SOLID(mesh, report, 1.0);
    tw_mesh_destroy(mesh);
    return 0;
}

// the tolerance is a part of the size of what has faces
static int stray_vertices_do_not_stretch_the_tolerance(void)
{
    twMesh* mesh = cube_mesh();
    add_vertex(mesh, tw_vec3(1e7, 0, 0));
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 1e-6, &report, NULL) == TW_OK);
    ENSURE(report.isolated_vertices == 1 && report.merged_vertices == 0 && mesh->vertex_count == 8);
    ENSURE_SOLID(mesh, report, 1.0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int reports_are_put_into_words(void)
{
    char words[400];
    twMeshReport report = {.components = 1, .size = 0.1, .area = 3, .volume = 0.1};
    ENSURE_TEXT(tw_mesh_describe(words, sizeof words, &report), "");
    report.flipped_faces = 1;
    report.duplicate_faces = 2;
    report.holes = 1;
    report.hole_area = 1;
    const char* found = "2 duplicate faces dropped; 1 face flipped; 1 hole over 25 % of the surface";
    tw_mesh_describe(words, sizeof words, &report);
    ENSURE_TEXT(words, found);
    report.hole_area = 0.03;
    tw_mesh_describe(words, sizeof words, &report);
    ENSURE(strstr(words, "1 hole over"));
    report = (twMeshReport){.components = 3, .cavities = 1, .self_intersections = 7, .more_crossings = true};
    tw_mesh_describe(words, sizeof words, &report);
    ENSURE(strstr(words, "1 shell inside another") && strstr(words, "2 shells") && strstr(words, "at least 7 pairs"));

    // cut off, but never beyond the end
    for (size_t n = 0; n < 60; n++)
    {
        char small[61];
        memset(small, 'x', sizeof small);
        tw_mesh_describe(small, n, &report);
        ENSURE(small[n] == 'x' && (n == 0 || memchr(small, 0, n)));
    }
    twFillReport filled = {.elements_through = 2, .pieces = 1};
    ENSURE_TEXT(tw_fill_describe(words, sizeof words, &filled), "");
    filled =
        (twFillReport){.elements_through = 0.5, .thinnest = 0.001, .spacing = 0.002, .pieces = 2, .open_share = 0.1};
    tw_fill_describe(words, sizeof words, &filled);
    ENSURE(strstr(words, "2 separate pieces") && strstr(words, "10 %") && strstr(words, "0.001 m are thinner"));
    return 0;
}

static int flipped_faces_are_turned_back(void)
{
    // some, most and all of them
    for (int kind = 0; kind < 3; kind++)
    {
        twMesh* mesh = sphere_mesh(tw_vec3(7, 0, 0), 1, 6);
        double volume = tw_mesh_mass(mesh, 1).volume;
        int flipped = 0;
        for (int f = 0; f < mesh->face_count; f++)
            if (kind == 2 || (f % 5 == 0) == (kind == 0))
            {
                flip_face(mesh, f);
                flipped++;
            }
        twMeshReport report;
        ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
        ENSURE(report.flipped_faces == flipped);
        ENSURE_NEAR(report.volume, volume, 1e-12);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

static int rubbish_is_dropped(void)
{
    twMesh* mesh = cube_mesh();
    int lonely = add_vertex(mesh, tw_vec3(0.2, 0.2, 0.2)), bad = add_vertex(mesh, tw_vec3(0, NAN, 0));
    add_vertex(mesh, tw_vec3(1e200, 0, 0));
    add_face(mesh, 0, 0, 1);
    add_face(mesh, 3, bad, 5);
    add_face(mesh, mesh->faces[4].v[1], mesh->faces[4].v[2], mesh->faces[4].v[0]);
    add_face(mesh, 2, 3, 99);
    add_face(mesh, -1, 3, 4);
    twMeshReport report;
    ENSURE(lonely == 8 && tw_mesh_mend(mesh, 0, &report, NULL) == TW_OK);
    ENSURE(report.isolated_vertices == 1 && report.bad_coordinates == 2);
    ENSURE(report.degenerate_faces == 3 && report.duplicate_faces == 1);
    ENSURE(mesh->vertex_count == 8 && mesh->face_count == 12);
    ENSURE_SOLID(mesh, report, 1.0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int a_face_without_area_leaves_no_slit(void)
{
    // the edge 01 of the cube gets a point in its middle that only one of the two faces there knows; a triangle without
    // area fills the slit
    twMesh* mesh = cube_mesh();
    int middle = add_vertex(mesh, tw_vec3(0.5, 0, 0));
    for (int f = 0; f < 12; f++)
        for (int i = 0; i < 3; i++)
            if (mesh->faces[f].v[i] == 0 && mesh->faces[f].v[(i + 1) % 3] == 1)
            {
                int apex = mesh->faces[f].v[(i + 2) % 3];
                mesh->faces[f] = (twTriangle){{0, middle, apex}};
                add_face(mesh, middle, 1, apex);
                add_face(mesh, 0, 1, middle);
                f = 12;
                break;
            }
    ENSURE(mesh->face_count == 14);
    ENSURE(tw_mesh_check(mesh).degenerate_faces == 1);
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 0, &report, NULL) == TW_OK);
    ENSURE(report.degenerate_faces == 1 && mesh->face_count == 14);
    ENSURE_SOLID(mesh, report, 1.0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int a_sheet_drawn_from_both_sides_keeps_one(void)
{
    twMesh* mesh = cube_mesh();
    for (int f = 0; f < 12; f++)
    {
        const int* v = mesh->faces[f].v;
        add_face(mesh, v[0], v[2], v[1]);
    }
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 0, &report, NULL) == TW_OK);
    ENSURE(report.duplicate_faces == 12);
    ENSURE_SOLID(mesh, report, 1.0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int a_wall_between_two_bodies_goes(void)
{
    // two cubes side by side with all their faces
    twMesh* mesh = cube_mesh();
    join_mesh(mesh, box_mesh(tw_vec3(1, 0, 0), tw_vec3(1, 1, 1)));
    for (int f = 12; f < 24; f++)  // the second one's diagonals on the wall must be those of the first
        for (int i = 0; i < 3; i++) mesh->faces[f].v[i] = 8 + (mesh->faces[f - 12].v[i] ^ 1);
    for (int f = 12; f < 24; f++) flip_face(mesh, f);
    for (int i = 0; i < 8; i++) mesh->vertices[8 + i].x = 1 + (i & 1);
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
    ENSURE(report.duplicate_faces == 4 && mesh->face_count == 20 && report.components == 1);
    ENSURE_SOLID(mesh, report, 2.0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int nested_shells_alternate(void)
{
    // five shells, each turned at random: solid, cavity, solid, cavity, solid
    twMesh* mesh = box_mesh(tw_vec3(-5, -5, -5), tw_vec3(10, 10, 10));
    for (int k = 4; k >= 1; k--) join_mesh(mesh, box_mesh(tw_vec3(-k, -k, -k), tw_vec3(2 * k, 2 * k, 2 * k)));
    for (int f = 0; f < mesh->face_count; f++)
        if (f * 7 % 11 < 5) flip_face(mesh, f);
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 0, &report, NULL) == TW_OK);
    ENSURE(report.components == 5 && report.cavities == 2);
    ENSURE_SOLID(mesh, report, 1000.0 - 512 + 216 - 64 + 8);
    tw_mesh_destroy(mesh);

    // bodies beside each other do not
    mesh = cube_mesh();
    join_mesh(mesh, box_mesh(tw_vec3(2, 0, 0), tw_vec3(1, 1, 1)));
    for (int f = 12; f < 24; f++) flip_face(mesh, f);
    ENSURE(tw_mesh_mend(mesh, 0, &report, NULL) == TW_OK);
    ENSURE(report.flipped_faces == 12 && report.components == 2);
    ENSURE_SOLID(mesh, report, 2.0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int holes_are_counted(void)
{
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 1, 6);
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
    drop_face(mesh, 200);
    drop_face(mesh, 3);
    flip_face(mesh, 50);
    ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
    ENSURE(report.holes == 2 && report.boundary_edges == 6 && report.components == 1);
    ENSURE(report.flipped_faces == 1 && report.volume > 3);

    // an open sheet keeps the side that most of it shows
    twMesh* sheet;
    ENSURE(tw_mesh_create(&sheet, 6, 4, NULL) == TW_OK);
    for (int i = 0; i < 6; i++) sheet->vertices[i] = tw_vec3(i % 3, i / 3, 0);
    const twTriangle faces[4] = {{{0, 1, 4}}, {{0, 4, 3}}, {{1, 2, 5}}, {{1, 4, 5}}};
    memcpy(sheet->faces, faces, sizeof faces);
    ENSURE(tw_mesh_mend(sheet, 0, &report, NULL) == TW_OK);
    ENSURE(report.flipped_faces == 1 && sheet->faces[3].v[1] == 5 && report.holes == 1);
    tw_mesh_destroy(sheet);
    tw_mesh_destroy(mesh);
    return 0;
}

static int edges_of_many_faces_are_counted_and_survived(void)
{
    // two cubes that touch along one edge, joined there
    twMesh* mesh = cube_mesh();
    join_mesh(mesh, box_mesh(tw_vec3(1, 1, 0), tw_vec3(1, 1, 1)));
    for (int f = 0; f < 24; f += 3) flip_face(mesh, f);
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 0, &report, NULL) == TW_OK);
    ENSURE(report.nonmanifold_edges == 1 && report.components == 1 && report.boundary_edges == 0);
    ENSURE_NEAR(report.volume, 2, 1e-13);
    tw_mesh_destroy(mesh);
    return 0;
}

static int a_moebius_strip_does_not_confuse(void)
{
    const int n = 12;
    twMesh* mesh;
    ENSURE(tw_mesh_create(&mesh, 2 * n, 2 * n, NULL) == TW_OK);
    for (int i = 0; i < n; i++)
    {
        double t = 2 * TW_PI * i / n, w = 0.3;
        for (int k = 0; k < 2; k++)
        {
            double s = (k ? w : -w), r = 1 + s * cos(t / 2);
            mesh->vertices[2 * i + k] = tw_vec3(r * cos(t), r * sin(t), s * sin(t / 2));
        }
        int a = 2 * i, b = 2 * i + 1, c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? b + 2 : 0;
        mesh->faces[2 * i] = (twTriangle){{a, b, d}};
        mesh->faces[2 * i + 1] = (twTriangle){{a, d, c}};
    }
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 0, &report, NULL) == TW_OK);
    ENSURE(report.holes == 1 && report.components == 1 && report.boundary_edges == 2 * n);
    tw_mesh_destroy(mesh);
    return 0;
}

static int crossing_faces_are_found(void)
{
    // two cubes of which one reaches into the other: its corner's three faces cross three faces
    twMesh* mesh = cube_mesh();
    join_mesh(mesh, box_mesh(tw_vec3(0.6, 0.5, 0.7), tw_vec3(1, 1, 1)));
    ENSURE(tw_mesh_check(mesh).self_intersections > 0);
    tw_mesh_destroy(mesh);

    // through the middle: sides pass exactly through the diagonals
    mesh = cube_mesh();
    join_mesh(mesh, box_mesh(tw_vec3(0.5, 0.5, 0.5), tw_vec3(1, 1, 1)));
    ENSURE(tw_mesh_check(mesh).self_intersections > 0);
    tw_mesh_destroy(mesh);

    // two triangles in one plane; one folded onto its neighbour
    ENSURE(tw_mesh_create(&mesh, 6, 2, NULL) == TW_OK);
    const twVec3 flat[6] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, 0}, {3, 0.5, 0}, {0.5, 3, 0}};
    memcpy(mesh->vertices, flat, sizeof flat);
    mesh->faces[0] = (twTriangle){{0, 1, 2}};
    mesh->faces[1] = (twTriangle){{3, 4, 5}};
    ENSURE(tw_mesh_check(mesh).self_intersections == 1);
    mesh->faces[1] = (twTriangle){{1, 0, 3}};
    ENSURE(tw_mesh_check(mesh).self_intersections == 1);
    tw_mesh_destroy(mesh);
    return 0;
}

static int touching_faces_do_not_cross(void)
{
    // cubes that touch at a corner and along an edge; a point on a face; but one cube laid on another does cross it
    twMesh* mesh = cube_mesh();
    join_mesh(mesh, box_mesh(tw_vec3(1, 0.3, 0.3), tw_vec3(1, 1, 1)));
    join_mesh(mesh, box_mesh(tw_vec3(-1, -1, -1), tw_vec3(1, 1, 1)));
    int tip = add_vertex(mesh, tw_vec3(0.25, 0.5, 1)), a = add_vertex(mesh, tw_vec3(0.2, 0.5, 2));
    int b = add_vertex(mesh, tw_vec3(0.3, 0.4, 2));
    add_face(mesh, tip, a, b);
    ENSURE(tw_mesh_check(mesh).self_intersections > 0);
    for (int i = 0; i < 8; i++) mesh->vertices[8 + i].x += 1e-3;
    join_mesh(mesh, box_mesh(tw_vec3(-1, 1, 0.5), tw_vec3(1, 1, 1)));
    ENSURE(tw_mesh_check(mesh).self_intersections == 0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int crossings_are_counted_to_a_thousand(void)
{
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 1, 40);
    join_mesh(mesh, sphere_mesh(tw_vec3(0.3, 0.2, 0.1), 1, 41));
    join_mesh(mesh, sphere_mesh(tw_vec3(0.6, -0.2, 0.3), 1, 39));
    join_mesh(mesh, sphere_mesh(tw_vec3(0.2, -0.3, -0.3), 1, 42));
    twMeshReport report;
    ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
    ENSURE(report.self_intersections == 1000 && report.more_crossings);
    ENSURE(report.components == 4 && report.boundary_edges == 0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int checking_changes_nothing(void)
{
    twMesh* mesh = cube_mesh();
    flip_face(mesh, 4);
    add_vertex(mesh, tw_vec3(1, 1, 1));
    add_vertex(mesh, tw_vec3(NAN, 1, 1));
    add_face(mesh, 0, 1, 1);
    add_face(mesh, 0, 1, 9);
    twTriangle faces[14];
    memcpy(faces, mesh->faces, sizeof faces);
    twMeshReport report = tw_mesh_check(mesh);
    ENSURE(memcmp(faces, mesh->faces, sizeof faces) == 0 && mesh->face_count == 14 && mesh->vertex_count == 10);
    ENSURE(report.flipped_faces == 1 && report.isolated_vertices == 1 && report.degenerate_faces == 1);
    ENSURE(report.bad_coordinates == 1 && report.components == 1 && report.boundary_edges == 0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int mending_holds_at_any_scale(void)
{
    const double scales[] = {1e-60, 1e-9, 1e9, 1e60};
    for (int k = 0; k < 4; k++)
    {
        double s = scales[k];
        twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 2, 5);
        join_mesh(mesh, sphere_mesh(tw_vec3(0.1, 0, 0), 1, 5));
        double volume = tw_mesh_mass(mesh, 1).volume / 9 * 7;  // the radii are 2 and 1
        for (int f = 0; f < mesh->face_count; f += 2) flip_face(mesh, f);
        for (int v = 0; v < mesh->vertex_count; v++) mesh->vertices[v] = tw_vec3_scale(mesh->vertices[v], s);
        twMeshReport report;
        ENSURE(tw_mesh_mend(mesh, 1e-9, &report, NULL) == TW_OK);
        ENSURE(report.boundary_edges == 0 && report.components == 2 && report.degenerate_faces == 0);
        ENSURE_NEAR(report.volume / s / s / s, volume, 1e-10);
        ENSURE(report.self_intersections == 0);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

static int nothing_left_is_an_error(void)
{
    twMesh* mesh = cube_mesh();
    for (int i = 0; i < 8; i++) mesh->vertices[i] = tw_vec3(1, 2, 3);
    twMeshReport report;
    twError err;
    ENSURE(tw_mesh_mend(mesh, 0, &report, &err) == TW_BAD_INPUT && strstr(err.text, "no face is left"));
    ENSURE(report.degenerate_faces == 12 && report.merged_vertices == 7);
    ENSURE(tw_mesh_mend(mesh, 0.5, &report, &err) == TW_BAD_INPUT && strstr(err.text, "0.1"));
    tw_mesh_destroy(mesh);

    twMesh* empty;
    ENSURE(tw_mesh_create(&empty, 0, 0, NULL) == TW_OK);
    ENSURE(tw_mesh_mend(empty, 0, NULL, &err) == TW_BAD_INPUT);
    ENSURE(tw_mesh_check(empty).components == 0);
    tw_mesh_destroy(empty);
    ENSURE(tw_mesh_create(&empty, -1, 0, &err) == TW_BAD_INPUT && !empty);
    return 0;
}

static int mending_survives_anything(void)
{
    // few places and many faces, so that everything coincides; NaN and wrong indices among them
    twRng rng = tw_rng(9);
    for (int round = 0; round < 300; round++)
    {
        int vertices = 1 + (int)(tw_rng_next(&rng) % 30), faces = (int)(tw_rng_next(&rng) % 60);
        twMesh* mesh;
        ENSURE(tw_mesh_create(&mesh, vertices, faces, NULL) == TW_OK);
        for (int i = 0; i < vertices; i++)
        {
            double steps = (double)(1 + tw_rng_next(&rng) % 3);
            double x[3];
            for (int k = 0; k < 3; k++) x[k] = floor(tw_rng_uniform(&rng) * steps) / steps;
            if (tw_rng_next(&rng) % 40 == 0) x[1] = round % 2 ? NAN : -INFINITY;
            mesh->vertices[i] = tw_vec3(x[0], x[1], x[2]);
        }
        for (int i = 0; i < 3 * faces; i++)
            mesh->faces[i / 3].v[i % 3] = (int)(tw_rng_next(&rng) % (uint64_t)(vertices + 1)) - (round % 4 == 0);
        mesh->regions = calloc((size_t)faces + 1, sizeof(int));
        twMeshReport report, again;
        tw_mesh_check(mesh);
        twStatus status = tw_mesh_mend(mesh, round % 3 ? 0 : 0.01, &report, NULL);
        ENSURE(status == TW_OK || mesh->face_count == 0);
        for (int i = 0; i < 3 * mesh->face_count; i++)
            ENSURE(mesh->faces[i / 3].v[i % 3] >= 0 && mesh->faces[i / 3].v[i % 3] < mesh->vertex_count);

        // what is mended needs no more of it
        if (status == TW_OK) ENSURE(tw_mesh_mend(mesh, 0, &again, NULL) == TW_OK);
        if (status == TW_OK)
            ENSURE(again.degenerate_faces == 0 && again.merged_vertices == 0 && again.isolated_vertices == 0);
        if (status == TW_OK) ENSURE(again.bad_coordinates == 0);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_sound_mesh_is_left_alone)
    RUN(duplicate_vertices_become_one)
    RUN(merging_reaches_as_far_as_asked)
    RUN(cracks_are_closed)
    RUN(vertices_on_edges_divide_the_faces_there)
    RUN(stray_vertices_do_not_stretch_the_tolerance)
    RUN(reports_are_put_into_words)
    RUN(flipped_faces_are_turned_back)
    RUN(rubbish_is_dropped)
    RUN(a_face_without_area_leaves_no_slit)
    RUN(a_sheet_drawn_from_both_sides_keeps_one)
    RUN(a_wall_between_two_bodies_goes)
    RUN(nested_shells_alternate)
    RUN(holes_are_counted)
    RUN(edges_of_many_faces_are_counted_and_survived)
    RUN(a_moebius_strip_does_not_confuse)
    RUN(crossing_faces_are_found)
    RUN(touching_faces_do_not_cross)
    RUN(crossings_are_counted_to_a_thousand)
    RUN(checking_changes_nothing)
    RUN(mending_holds_at_any_scale)
    RUN(nothing_left_is_an_error)
    RUN(mending_survives_anything)
)
