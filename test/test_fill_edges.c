// SPDX-License-Identifier: MIT
// Tests of filling bodies with edges that point inward, and of what a fill says about surfaces that are open or in pieces.
#include "bodies.h"
#include "test.h"

static twTetMesh* fill(twMesh* surface, double spacing, twFillReport* report, twError* err)
{
    twTetMesh* tets;
    twFillDef def = tw_fill_def();
    def.spacing = spacing;
    tw_tets_fill(&tets, surface, &def, report, err);
    tw_mesh_destroy(surface);
    return tets;
}

// least distance of two nodes, over the mean edge
static double least_gap(const twTetMesh* tets, double mean_edge)
{
    double least = HUGE_VAL;
    for (int i = 0; i < tets->node_count; i++)
        for (int k = 0; k < i; k++) least = fmin(least, tw_vec3_norm(tw_vec3_sub(tets->nodes[i], tets->nodes[k])));
    return least / mean_edge;
}

// an L and a cup on lattices that their inner edges do not fit: no edge is blunted, no corner has two nodes
static int inner_edges_and_corners_are_kept(void)
{
    const double spacings[] = {0.009, 0.0115, 0.01333, 0.015, 0.0187};
    for (int i = 0; i < 10; i++)
    {
        twFillReport report;
        twTetMesh* tets = fill(body_mesh(i % 2 ? CUP : ANGLE), spacings[i / 2], &report, NULL);
        ENSURE(tets);
        ENSURE_NEAR(report.volume_error, 0, 1e-8);
        ENSURE(report.quality.inverted == 0 && report.quality.least_dihedral_deg > 10);
        ENSURE(least_gap(tets, report.quality.mean_edge) > 0.05);
        ENSURE(report.pieces == 1 && report.open_share == 0 && report.unused_share == 0);
        twMesh* boundary;
        int* node_of;
        ENSURE(tw_tets_surface(&boundary, &node_of, tets, NULL) == TW_OK);
        twMeshReport found = tw_mesh_check(boundary);
        ENSURE(found.boundary_edges == 0 && found.nonmanifold_edges == 0 && found.self_intersections == 0);
        tw_mesh_destroy(boundary);
        free(node_of);
        tw_tets_destroy(tets);
    }
    return 0;
}

static int an_open_surface_is_filled_if_little_is_missing_and_refused_if_much(void)
{
    // a cube without its top: w = 1/2 on the plane of the opening, which is a sixth of the outside
    twFillReport report;
    twError err = {0};
    twMesh* box = cube_mesh();
    int top = 0;
    for (int f = box->face_count - 1; f >= 0; f--)
    {
        const int* v = box->faces[f].v;
        if ((v[0] & v[1] & v[2] & 4) == 0) continue;
        drop_face(box, f);
        top++;
    }
    ENSURE(top == 2);
    twTetMesh* tets = fill(box, 0.1, &report, &err);
    ENSURE(tets);
    double density = 1;
    ENSURE_NEAR(tw_tets_mass(tets, &density).volume, 1, 1e-3);
    // nodes on the rim of the opening are on the surface: those inside make up less
    ENSURE(report.open_share > 0.12 && report.open_share < 0.17);
    tw_tets_destroy(tets);

    // half a sphere without a floor is a third open: rather a thin bowl than half a ball
    twMesh* bowl = sphere_mesh(tw_vec3(0, 0, 0), 1, 8);
    for (int f = bowl->face_count - 1; f >= 0; f--)
    {
        const int* v = bowl->faces[f].v;
        if (bowl->vertices[v[0]].z + bowl->vertices[v[1]].z + bowl->vertices[v[2]].z > 0) drop_face(bowl, f);
    }
    ENSURE(!fill(bowl, 0.2, &report, &err));
    ENSURE(strstr(err.text, "open") && strstr(err.text, "thickness"));
    return 0;
}

static int pieces_and_idle_faces_are_counted(void)
{
    twFillReport report;
    twMesh* pair = cube_mesh();
    join_mesh(pair, box_mesh(tw_vec3(2, 0, 0), tw_vec3(1, 1, 1)));
    twTetMesh* tets = fill(pair, 0.25, &report, NULL);
    ENSURE(tets && report.pieces == 2 && report.dropped_pieces == 0);
    tw_tets_destroy(tets);

    // a box that lies inside another, turned the same way: its whole area, 1.5 of 7.5, is idle
    twMesh* nested = cube_mesh();
    join_mesh(nested, box_mesh(tw_vec3(0.25, 0.25, 0.25), tw_vec3(0.5, 0.5, 0.5)));
    tets = fill(nested, 0.125, &report, NULL);
    ENSURE(tets && report.pieces == 1);
    ENSURE_NEAR(report.unused_share, 0.2, 0.01);
    double density = 1;
    ENSURE_NEAR(tw_tets_mass(tets, &density).volume, 1, 1e-9);
    tw_tets_destroy(tets);
    return 0;
}

// a plate, a tube and a ball: cells grow long along the first two and stay cubes in the third
static int cells_are_long_where_walls_allow(void)
{
    const double wall = 0.002;
    double thinnest, usual;
    twMesh* plate = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.08, wall));
    ENSURE(tw_mesh_thickness(&thinnest, &usual, plate, NULL) == TW_OK);
    ENSURE_NEAR(thinnest, wall, 1e-9);
    ENSURE_NEAR(usual, wall, 1e-9);
    for (int body = 0; body < 2; body++)
    {
        // a square tube of 20 boxes along z: four sides with a channel between them
        const Blocks tube = {{4, 4, 40}, {wall, wall, wall}, solid_tube};
        twFillReport cubes, longer;
        twTetMesh *a, *b;
        twMesh* surface = body ? blocks_mesh(&tube) : plate;
        twFillDef def = tw_fill_def();
        def.spacing = wall;
        ENSURE(tw_tets_fill(&a, surface, &def, &cubes, NULL) == TW_OK);
        def.stretch = 4;
        ENSURE(tw_tets_fill(&b, surface, &def, &longer, NULL) == TW_OK);
        ENSURE_NEAR(longer.volume_error, 0, 1e-9);
        ENSURE_NEAR(longer.elements_through, 1, 0.01);
        ENSURE(longer.spacing > 3 * wall && longer.spacing < 4.1 * wall && cubes.spacing < 1.1 * wall);
        ENSURE(b->tet_count < (body ? 0.35 : 0.1) * a->tet_count && longer.quality.inverted == 0);
        tw_tets_destroy(a);
        tw_tets_destroy(b);
        tw_mesh_destroy(surface);
    }

    // walls that look everywhere
    twFillReport report;
    twError err = {0};
    twTetMesh* tets;
    twMesh* shell = sphere_mesh(tw_vec3(0, 0, 0), 0.05, 16);
    twMesh* inner = sphere_mesh(tw_vec3(0, 0, 0), 0.045, 16);
    for (int f = 0; f < inner->face_count; f++) flip_face(inner, f);
    join_mesh(shell, inner);
    twFillDef def = tw_fill_def();
    def.spacing = 0.005;
    def.stretch = 4;
    ENSURE(tw_tets_fill(&tets, shell, &def, &report, &err) == TW_OK);
    ENSURE(report.spacing < 0.0051);
    def.stretch = 0.5;
    tw_tets_destroy(tets);
    ENSURE(tw_tets_fill(&tets, shell, &def, &report, &err) == TW_BAD_INPUT && strstr(err.text, "stretch"));
    tw_mesh_destroy(shell);
    return 0;
}

static int absurd_sizes_are_refused(void)
{
    for (int i = 0; i < 2; i++)
    {
        twError err = {0};
        double size = i ? 1e20 : 1e-20;
        ENSURE(!fill(box_mesh(tw_vec3(0, 0, 0), tw_vec3(size, size, size)), 0, NULL, &err));
        ENSURE(strstr(err.text, "across") && strstr(err.text, "unit"));
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(inner_edges_and_corners_are_kept)
    RUN(an_open_surface_is_filled_if_little_is_missing_and_refused_if_much)
    RUN(pieces_and_idle_faces_are_counted)
    RUN(cells_are_long_where_walls_allow)
    RUN(absurd_sizes_are_refused)
)
