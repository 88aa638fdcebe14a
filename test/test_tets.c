// SPDX-License-Identifier: MIT
// Tests of tetrahedra: quality and mass against closed forms, boundaries, mid-edge nodes.
#include "mesh.h"
#include "mesh/tets.h"
#include "test.h"

static const double ONE[] = {1, 1, 1, 1};

// ---- quality ----

static twTetMesh* one_tet(twVec3 a, twVec3 b, twVec3 c, twVec3 d)
{
    twTetMesh* tets;
    if (tw_tets_create(&tets, 4, 1, NULL) != TW_OK) abort();
    const twVec3 nodes[4] = {a, b, c, d};
    memcpy(tets->nodes, nodes, sizeof nodes);
    tets->tets[0] = (twTet){{0, 1, 2, 3}};
    return tets;
}

static int the_regular_tetrahedron_is_best(void)
{
    twTetMesh* tets = one_tet(tw_vec3(1, 1, 1), tw_vec3(-1, 1, -1), tw_vec3(1, -1, -1), tw_vec3(-1, -1, 1));
    twTetQuality quality = tw_tets_quality(tets);
    double angle = acos(1.0 / 3) * 180 / TW_PI;
    ENSURE_NEAR(quality.worst_aspect, 1, 1e-14);
    ENSURE_NEAR(quality.least_dihedral_deg, angle, 1e-12);
    ENSURE_NEAR(quality.greatest_dihedral_deg, angle, 1e-12);
    ENSURE_NEAR(quality.least_volume, 8.0 / 3, 1e-14);
    ENSURE_NEAR(quality.mean_edge, sqrt(8), 1e-14);
    ENSURE(quality.inverted == 0);
    tw_tets_destroy(tets);
    return 0;
}

static int the_corner_of_a_cube_has_known_quality(void)
{
    // R = sqrt(3)/2, r = 1/(3 + sqrt(3)); angles 90 and arccos(1/sqrt(3))
    twTetMesh* tets = one_tet(tw_vec3(0, 0, 0), tw_vec3(1, 0, 0), tw_vec3(0, 1, 0), tw_vec3(0, 0, 1));
    twTetQuality quality = tw_tets_quality(tets);
    ENSURE_NEAR(quality.worst_aspect, sqrt(3) / 2 * (3 + sqrt(3)) / 3, 1e-14);
    ENSURE_NEAR(quality.least_dihedral_deg, acos(1 / sqrt(3)) * 180 / TW_PI, 1e-12);
    ENSURE_NEAR(quality.greatest_dihedral_deg, 90, 1e-12);
    ENSURE_NEAR(quality.least_edge, 1, 0);

    // inside out and flat ones are counted
    tets->tets[0] = (twTet){{0, 2, 1, 3}};
    ENSURE(tw_tets_quality(tets).inverted == 1);
    tets->nodes[3] = tw_vec3(1, 1, 0);
    ENSURE(tw_tets_quality(tets).inverted == 1 && tw_tets_quality(tets).worst_aspect == HUGE_VAL);
    tets->tet_count = 0;
    ENSURE(tw_tets_quality(tets).worst_aspect == 0);
    tw_tets_destroy(tets);
    return 0;
}

// ---- mass ----

static int mass_of_tets_is_that_of_their_surface(void)
{
    twTetMesh* tets = box_tets(3, 2, 2, tw_vec3(0.1, 0.2, 0.3));
    for (int i = 0; i < tets->node_count; i++) tets->nodes[i].x += 0.3 * tets->nodes[i].y;
    twMesh* surface;
    ENSURE(tw_tets_surface(&surface, NULL, tets, NULL) == TW_OK);
    const double density[] = {1000};
    twMassProperties a = tw_tets_mass(tets, density), b = tw_mesh_mass(surface, 1000);
    ENSURE_NEAR(a.volume, 0.3 * 0.4 * 0.6, 1e-15);
    ENSURE_NEAR(a.mass, b.mass, 1e-12);
    ENSURE_NEAR(a.centre.x, b.centre.x, 1e-14);
    for (int i = 0; i < 9; i++) ENSURE_NEAR(a.inertia.m[i / 3][i % 3], b.inertia.m[i / 3][i % 3], 1e-13);
    tw_mesh_destroy(surface);
    tw_tets_destroy(tets);
    return 0;
}

static int regions_weigh_as_their_materials(void)
{
    // a lower half of density 3 and an upper one of density 1: the centre is a quarter of the height below the middle of
    // the upper half: (3 * 0.25 + 1 * 0.75) / 4
    twTetMesh* tets = box_tets(1, 1, 2, tw_vec3(1, 1, 0.5));
    tets->regions = calloc(12, sizeof(int));
    ENSURE(tets->regions);
    for (int t = 6; t < 12; t++) tets->regions[t] = 1;
    const double density[] = {3, 1};
    twMassProperties mass = tw_tets_mass(tets, density);
    ENSURE_NEAR(mass.mass, 2, 1e-14);
    ENSURE_NEAR(mass.volume, 1, 1e-15);
    ENSURE_NEAR(mass.centre.z, 0.375, 1e-15);
    twMesh* surface;
    ENSURE(tw_tets_surface(&surface, NULL, tets, NULL) == TW_OK);
    ENSURE(surface->regions && surface->face_count == 20);
    for (int f = 0; f < 20; f++)
    {
        double z = 0;
        for (int i = 0; i < 3; i++) z += surface->vertices[surface->faces[f].v[i]].z / 3;
        ENSURE(surface->regions[f] == (z > 0.5));
    }
    tw_mesh_destroy(surface);
    tw_tets_destroy(tets);
    return 0;
}

static int mass_of_a_curved_tet_is_exact(void)
{
    // x = u + a v^2 shears the corner tet without changing volumes: a quadratic map, so its ten nodes hold it exactly.
    // Moments over the corner tet: <u> = 1/4, <v^2> = 1/10, <u^2> = 1/10, <u v^2> = 2!/(5 6) 1/... = 1/60, <v^4> = 1/35
    const double a = 0.3;
    twTetMesh* tets = one_tet(tw_vec3(0, 0, 0), tw_vec3(1, 0, 0), tw_vec3(0, 1, 0), tw_vec3(0, 0, 1));
    ENSURE(tw_tets_make_quadratic(tets, NULL, NULL, NULL) == TW_OK);
    for (int i = 0; i < 10; i++) tets->nodes[i].x += a * tets->nodes[i].y * tets->nodes[i].y;
    twMassProperties mass = tw_tets_mass(tets, ONE);
    ENSURE_NEAR(mass.volume, 1.0 / 6, 1e-15);
    ENSURE_NEAR(mass.centre.x, 0.25 + a / 10, 1e-15);
    ENSURE_NEAR(mass.centre.y, 0.25, 1e-15);

    // J_yy - J_xx = integral of x^2 - y^2 about the centre
    double xx = 0.1 + 2 * a / 60 + a * a / 35 - pow(0.25 + a / 10, 2), yy = 0.1 - 1.0 / 16;
    ENSURE_NEAR(mass.inertia.m[1][1] - mass.inertia.m[0][0], (xx - yy) / 6, 1e-15);
    tw_tets_destroy(tets);
    return 0;
}

// ---- boundary ----

static int the_surface_of_tets_is_closed_and_outward(void)
{
    for (int quadratic = 0; quadratic < 2; quadratic++)
    {
        twTetMesh* tets = box_tets(3, 4, 5, tw_vec3(1, 1, 1));
        if (quadratic) ENSURE(tw_tets_make_quadratic(tets, NULL, NULL, NULL) == TW_OK);
        twMesh* surface;
        int* node_of;
        ENSURE(tw_tets_surface(&surface, &node_of, tets, NULL) == TW_OK);
        int faces = 2 * 2 * (12 + 15 + 20) * (quadratic ? 4 : 1);
        ENSURE(surface->face_count == faces && surface->vertex_count == faces / 2 + 2);
        twMeshReport report = tw_mesh_check(surface);
        ENSURE(report.boundary_edges == 0 && report.nonmanifold_edges == 0 && report.components == 1);
        ENSURE(report.flipped_faces == 0 && report.isolated_vertices == 0);
        ENSURE_NEAR(report.volume, 60, 1e-12);
        for (int v = 0; v < surface->vertex_count; v++)
            ENSURE(tw_vec3_max(tw_vec3_sub(surface->vertices[v], tets->nodes[node_of[v]])) == 0);
        free(node_of);
        tw_mesh_destroy(surface);
        tw_tets_destroy(tets);
    }
    return 0;
}

// ---- mid-edge nodes ----

static int mid_nodes_halve_every_edge_once(void)
{
    // edges of the lattice: along the axes, across the faces, through the cells
    const int n = 4;
    twTetMesh* tets = box_tets(n, n, n, tw_vec3(1, 1, 1));
    int corners = tets->node_count, edges = 3 * n * (n + 1) * (n + 1) + 3 * n * n * (n + 1) + n * n * n;
    ENSURE(tw_tets_make_quadratic(tets, NULL, NULL, NULL) == TW_OK);
    ENSURE(tets->node_count == corners + edges);
    for (int t = 0; t < tets->tet_count; t++)
        for (int e = 0; e < 6; e++)
        {
            twVec3 a = tets->nodes[tets->tets[t].n[tw_tet_edges[e][0]]],
                   b = tets->nodes[tets->tets[t].n[tw_tet_edges[e][1]]];
            twVec3 twice = tw_vec3_sub(tw_vec3_add(a, b), tw_vec3_scale(tets->nodes[tets->mid_nodes[t][e]], 2));
            ENSURE(tw_vec3_max(twice) == 0 && tets->mid_nodes[t][e] >= corners);
            ENSURE_NEAR(tw_tet_least_jacobian(tets, t), 1, 1e-12);
        }
    twError err;
    ENSURE(tw_tets_make_quadratic(tets, NULL, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "already"));
    tw_tets_destroy(tets);
    return 0;
}

// points near the round walls, at radii 1 and 2, belong on them
static twVec3 to_wall(twVec3 p, void* context)
{
    *(int*)context += 1;
    double r = hypot(p.x, p.y), wanted = fabs(r - 1) < 0.05 ? 1 : fabs(r - 2) < 0.05 ? 2 : r;
    return tw_vec3(p.x * wanted / r, p.y * wanted / r, p.z);
}

static int snapping_raises_the_order_of_a_curved_body(void)
{
    // a sector of a tube, radii 1 and 2, over 1 rad: straight elements lose volume with h^2, curved ones with h^4
    double straight[2], curved[2];
    for (int k = 0; k < 2; k++)
    {
        int n = 4 << k, calls = 0;
        twTetMesh* tets = box_tets(n, n, n, tw_vec3(1.0 / n, 1.0 / n, 1.0 / n));
        for (int i = 0; i < tets->node_count; i++)
        {
            twVec3 p = tets->nodes[i];
            tets->nodes[i] = tw_vec3((1 + p.x) * cos(p.y), (1 + p.x) * sin(p.y), p.z);
        }
        straight[k] = fabs(1 - tw_tets_mass(tets, ONE).volume / 1.5);
        ENSURE(tw_tets_make_quadratic(tets, to_wall, &calls, NULL) == TW_OK);
        curved[k] = fabs(1 - tw_tets_mass(tets, ONE).volume / 1.5);

        // as many calls as the surface has edges: F = 12 n^2, E = 3 F/2
        ENSURE(calls == 18 * n * n);
        for (int t = 0; t < tets->tet_count; t++) ENSURE(tw_tet_least_jacobian(tets, t) > 0.5);
        tw_tets_destroy(tets);
    }
    ENSURE_NEAR(straight[0] / straight[1], 4, 0.1);
    ENSURE_NEAR(curved[0] / curved[1], 16, 1);
    ENSURE(curved[0] < 0.01 * straight[0]);
    return 0;
}

static twVec3 far_away(twVec3 p, void* context)
{
    (void)context;
    return tw_vec3(p.x + 3, -p.y, p.x > 0.5 ? NAN : p.z);
}

static int folded_elements_are_made_straight_again(void)
{
    twTetMesh* tets = box_tets(2, 2, 2, tw_vec3(0.5, 0.5, 0.5));
    ENSURE(tw_tets_make_quadratic(tets, far_away, NULL, NULL) == TW_OK);
    for (int t = 0; t < tets->tet_count; t++) ENSURE(tw_tet_least_jacobian(tets, t) >= 0.1);
    for (int i = 0; i < tets->node_count; i++) ENSURE(isfinite(tets->nodes[i].x + tets->nodes[i].y + tets->nodes[i].z));
    ENSURE_NEAR(tw_tets_mass(tets, ONE).volume, 1, 1e-12);
    tw_tets_destroy(tets);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(the_regular_tetrahedron_is_best)
    RUN(the_corner_of_a_cube_has_known_quality)
    RUN(mass_of_tets_is_that_of_their_surface)
    RUN(regions_weigh_as_their_materials)
    RUN(mass_of_a_curved_tet_is_exact)
    RUN(the_surface_of_tets_is_closed_and_outward)
    RUN(mid_nodes_halve_every_edge_once)
    RUN(snapping_raises_the_order_of_a_curved_body)
    RUN(folded_elements_are_made_straight_again)
)
