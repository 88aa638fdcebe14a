// SPDX-License-Identifier: MIT
// Tests of tet filling. Expected values: volumes of the bodies, the paper's bounds of dihedral angles, orders of
// convergence, and what makes a mesh a mesh: positive tets, faces shared by two, a closed manifold boundary.
#include "fill.h"

// ---- smooth bodies ----

// the paper's bounds are 10.7 and 164.8 degrees
static int smooth_bodies_keep_the_bounds_of_the_paper(void)
{
    for (int i = 0; i < 4; i++)
    {
        twFillReport report;
        twMesh* surface = i % 2 ? make_torus(1, 0.4) : make_sphere(10);
        place(surface, tw_quat_from_axis_angle(tw_vec3(1, i, 2), 0.3 + i), 1, tw_vec3(0.1 * i, 0, 0));
        twTetMesh* tets = fill(surface, 0.27 - 0.02 * i, 1, &report);
        ENSURE_MESH(tets, report, 10.7, 164.8);
        tw_tets_destroy(tets);
    }
    return 0;
}

static int volume_converges_with_order_two(void)
{
    double error[2];
    for (int i = 0; i < 2; i++)
    {
        twFillReport report;
        twTetMesh* tets = fill(make_torus(1, 0.4), i ? 0.125 : 0.25, 1, &report);
        ENSURE(tets);
        error[i] = report.volume_error;
        tw_tets_destroy(tets);
    }
    ENSURE_NEAR(log2(error[0] / error[1]), 2, 0.5);
    return 0;
}

static int grading_keeps_the_boundary_and_saves_tets(void)
{
    twFillReport uniform, graded;
    twTetMesh* fine = fill(make_sphere(6), 0.13, 1, &uniform);
    twTetMesh* coarse = fill(make_sphere(6), 0.13, 4, &graded);
    ENSURE_MESH(fine, uniform, 10.7, 164.8);
    ENSURE_MESH(coarse, graded, 10.7, 164.8);
    ENSURE(coarse->tet_count < 0.95 * fine->tet_count);
    ENSURE_NEAR(graded.volume_error, uniform.volume_error, 1e-12);
    tw_tets_destroy(fine);
    tw_tets_destroy(coarse);
    return 0;
}

static int a_rough_body_is_filled_too(void)
{
    twFillReport report;
    twMesh* surface = make_sphere(10);
    for (int i = 0; i < surface->vertex_count; i++)
    {
        twVec3 p = surface->vertices[i];
        double bump = 0.2 * sin(9 * p.x) * sin(8 * p.y + 1) * sin(7 * p.z + 2);
        surface->vertices[i] = tw_vec3_scale(p, 1 + bump);
    }
    twTetMesh* tets = fill(surface, 0.15, 1, &report);
    ENSURE_MESH(tets, report, 8, 168);
    ENSURE_NEAR(report.volume_error, 0, 0.02);
    tw_tets_destroy(tets);
    return 0;
}

// ---- sharp bodies ----

static int a_box_is_filled_exactly_however_it_is_turned(void)
{
    for (int i = 0; i < 3; i++)
    {
        twFillReport report;
        twMesh* surface = make_box(0.3, 0.11, 0.07);
        place(surface, tw_quat_from_axis_angle(tw_vec3(1, 2, 3), 0.7 * i), 1, tw_vec3(5, 0, 0));
        twTetMesh* tets = fill(surface, 0, 1, &report);
        ENSURE_MESH(tets, report, 25, 130);
        ENSURE_NEAR(report.volume_error, 0, 1e-10);
        ENSURE_NEAR(report.thinnest, 0.07, 1e-3);
        tw_tets_destroy(tets);
    }
    return 0;
}

static int sharp_edges_off_the_lattice_are_kept(void)
{
    // a box pushed askew has no two faces at right angles
    twFillReport report;
    twMesh* surface = make_box(1, 0.7, 0.5);
    for (int i = 0; i < 8; i++)
    {
        twVec3* p = &surface->vertices[i];
        *p = tw_vec3(p->x + 0.3 * p->z, p->y + 0.25 * p->x, p->z + 0.1 * p->y);
    }
    twTetMesh* tets = fill(surface, 0.08, 1, &report);
    ENSURE_MESH(tets, report, 5, 172);
    ENSURE_NEAR(report.volume_error, 0, 1e-3);
    tw_tets_destroy(tets);
    return 0;
}

static int a_thin_plate_is_exact_with_one_cell_through(void)
{
    twFillReport report;
    twTetMesh* tets = fill(make_box(0.1, 0.08, 0.003), 0.003, 1, &report);
    ENSURE_MESH(tets, report, 25, 130);
    ENSURE_NEAR(report.volume_error, 0, 1e-10);
    ENSURE_NEAR(report.elements_through, 1, 0.01);
    tw_tets_destroy(tets);
    return 0;
}

static int a_bowl_keeps_its_wall_with_one_cell_through(void)
{
    twFillReport report;
    twTetMesh* tets = fill(make_bowl(0.1, 0.01), 0.01, 1, &report);
    ENSURE_MESH(tets, report, 5, 172);
    ENSURE_NEAR(report.volume_error, 0, 0.01);
    ENSURE_NEAR(report.thinnest, 0.01, 0.0005);
    ENSURE(report.dropped_pieces == 0);
    tw_tets_destroy(tets);
    return 0;
}

// ---- curved elements ----

static int curved_elements_converge_with_order_four(void)
{
    // volume of the quadratic mesh against that of a finely faceted sphere
    double error[2];
    for (int i = 0; i < 2; i++)
    {
        twFillReport report;
        int straight;
        twMesh* surface = make_sphere(50);
        double density = 1, exact = tw_mesh_mass(surface, density).volume;
        twFillDef def = tw_fill_def();
        twTetMesh* tets;
        def.spacing = i ? 0.25 : 0.5;
        ENSURE(tw_tets_fill(&tets, surface, &def, &report, NULL) == TW_OK);
        ENSURE(tw_tets_curve(tets, surface, &straight, NULL) == TW_OK);
        ENSURE(tets->mid_nodes && straight == 0);
        error[i] = fabs(tw_tets_mass(tets, &density).volume / exact - 1);
        ENSURE(error[i] < 0.05 * fabs(report.volume_error));
        tw_tets_destroy(tets);
        tw_mesh_destroy(surface);
    }
    ENSURE(log2(error[0] / error[1]) > 3);
    return 0;
}

static int mid_nodes_of_a_rim_lie_on_the_rim(void)
{
    // a disc: chords of its rim lie in its flat faces, so that only the sharp edge tells where the middle belongs
    enum
    {
        AROUND = 192
    };
    const double outline[4][2] = {{1e-9, 0}, {1, 0}, {1, 0.2}, {1e-9, 0.2}};
    double density = 1;
    twFillDef def = tw_fill_def();
    twMesh* surface = make_turned(outline, 4, AROUND);
    twTetMesh* tets;
    ENSURE(surface);
    def.spacing = 0.1;
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, NULL) == TW_OK);
    ENSURE(tw_tets_curve(tets, surface, NULL, NULL) == TW_OK);
    double exact = tw_mesh_mass(surface, density).volume;
    ENSURE_NEAR(tw_tets_mass(tets, &density).volume / exact, 1, 2e-4);
    tw_tets_destroy(tets);
    tw_mesh_destroy(surface);
    return 0;
}

// ---- manners ----

static int the_same_input_gives_the_same_mesh(void)
{
    twTetMesh* tets[2];
    twFillReport report;
    for (int i = 0; i < 2; i++)
    {
        tets[i] = fill(make_bowl(0.1, 0.03), 0.02, 1.5, &report);
        ENSURE(tets[i]);
    }
    ENSURE(tets[0]->tet_count == tets[1]->tet_count && tets[0]->node_count == tets[1]->node_count);
    ENSURE(memcmp(tets[0]->tets, tets[1]->tets, (size_t)tets[0]->tet_count * sizeof(twTet)) == 0);
    ENSURE(memcmp(tets[0]->nodes, tets[1]->nodes, (size_t)tets[0]->node_count * sizeof(twVec3)) == 0);
    for (int i = 0; i < 2; i++) tw_tets_destroy(tets[i]);
    return 0;
}

typedef struct Watch
{
    int calls, stop_at;
    double last;
    bool fell;
} Watch;

static bool watch(double done, void* context)
{
    Watch* w = context;
    w->fell |= done < w->last || done < 0 || done > 1;
    w->last = done;
    return ++w->calls != w->stop_at;
}

static int progress_rises_and_stops_at_any_call(void)
{
    twError err;
    twTetMesh* tets;
    Watch all = {0};
    twFillDef def = tw_fill_def();
    twMesh* surface = make_box(1, 0.8, 0.3);
    def.keep_going = watch;
    def.context = &all;
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_OK);
    ENSURE(all.calls > 4 && !all.fell);
    tw_tets_destroy(tets);
    for (int i = 1; i <= all.calls; i++)
    {
        Watch w = {.stop_at = i};
        def.context = &w;
        ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_INTERRUPTED && !tets);
        ENSURE(w.calls == i);
    }
    tw_mesh_destroy(surface);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(smooth_bodies_keep_the_bounds_of_the_paper)
    RUN(volume_converges_with_order_two)
    RUN(grading_keeps_the_boundary_and_saves_tets)
    RUN(a_rough_body_is_filled_too)
    RUN(a_box_is_filled_exactly_however_it_is_turned)
    RUN(sharp_edges_off_the_lattice_are_kept)
    RUN(a_thin_plate_is_exact_with_one_cell_through)
    RUN(a_bowl_keeps_its_wall_with_one_cell_through)
    RUN(curved_elements_converge_with_order_four)
    RUN(mid_nodes_of_a_rim_lie_on_the_rim)
    RUN(the_same_input_gives_the_same_mesh)
    RUN(progress_rises_and_stops_at_any_call)
)
