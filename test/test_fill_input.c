// SPDX-License-Identifier: MIT
// Filling surfaces that are broken, crossing, tiny or hopeless.
#include "fill.h"

// ---- bad input ----

static int holes_are_closed(void)
{
    twFillReport report;
    twMesh* surface = make_sphere(12);
    surface->face_count -= 20;
    twTetMesh* tets = fill(surface, 0.25, 1, &report);
    ENSURE(tets);
    ENSURE(report.quality.inverted == 0);
    ENSURE(most_sharing(tets) == 2);
    ENSURE_NEAR(volume_of(tets), 4 * TW_PI / 3, 0.25);
    tw_tets_destroy(tets);
    return 0;
}

static int a_surface_inside_out_is_filled_all_the_same(void)
{
    twFillReport report, same;
    twMesh* surface = make_sphere(12);
    for (int i = 0; i < surface->face_count; i++)
    {
        int* v = surface->faces[i].v;
        int t = v[0];
        v[0] = v[1];
        v[1] = t;
    }
    twTetMesh *tets = fill(surface, 0.3, 1, &report), *right = fill(make_sphere(12), 0.3, 1, &same);
    ENSURE(tets && right);
    ENSURE(tets->tet_count == right->tet_count);
    ENSURE_NEAR(report.volume_error, same.volume_error, 1e-9);
    tw_tets_destroy(tets);
    tw_tets_destroy(right);
    return 0;
}

static int a_few_flipped_faces_do_no_great_harm(void)
{
    twFillReport report;
    twMesh* surface = make_sphere(12);
    for (int i = 0; i < surface->face_count; i += 97)
    {
        int* v = surface->faces[i].v;
        int t = v[0];
        v[0] = v[1];
        v[1] = t;
    }
    twTetMesh* tets = fill(surface, 0.3, 1, &report);
    ENSURE(tets);
    ENSURE(report.quality.inverted == 0);
    ENSURE(most_sharing(tets) == 2);
    ENSURE_NEAR(volume_of(tets), 4 * TW_PI / 3, 0.4);
    tw_tets_destroy(tets);
    return 0;
}

static int crossing_boxes_become_their_union(void)
{
    twFillReport report;
    twMesh* other = make_box(1, 1, 1);
    place(other, tw_quat_identity(), 1, tw_vec3(0.5, 0.45, 0.4));
    twTetMesh* tets = fill(join(make_box(1, 1, 1), other, false), 0.1, 1, &report);
    ENSURE(tets);
    ENSURE(report.quality.inverted == 0);
    ENSURE(most_sharing(tets) == 2);
    ENSURE_NEAR(volume_of(tets), 2 - 0.5 * 0.55 * 0.6, 0.01);
    tw_tets_destroy(tets);
    return 0;
}

static int a_cavity_stays_empty(void)
{
    twFillReport report;
    twMesh* hole = make_sphere(12);
    place(hole, tw_quat_identity(), 0.5, tw_vec3(0.1, 0, 0));
    twTetMesh* tets = fill(join(make_sphere(12), hole, true), 0.15, 1, &report);
    ENSURE_MESH(tets, report, 10.7, 164.8);
    ENSURE_NEAR(report.volume_error, 0, 0.02);
    tw_tets_destroy(tets);
    return 0;
}

static int crumbs_are_dropped_and_counted(void)
{
    twFillReport report;
    twMesh* crumb = make_box(1, 1, 1);
    place(crumb, tw_quat_identity(), 0.2, tw_vec3(2, 0, 0));
    twTetMesh* tets = fill(join(make_sphere(6), crumb, false), 0.15, 1, &report);
    ENSURE(tets);
    ENSURE(report.dropped_pieces == 1);
    ENSURE_NEAR(volume_of(tets), 4 * TW_PI / 3, 0.2);
    tw_tets_destroy(tets);
    return 0;
}

static int size_does_not_matter(void)
{
    int count = 0;
    for (int i = -1; i <= 1; i++)
    {
        // powers of two: exact
        double scale = ldexp(1, 30 * i);
        twFillReport report;
        twMesh* surface = make_sphere(8);
        place(surface, tw_quat_identity(), scale, tw_vec3(0, 0, 0));
        twTetMesh* tets = fill(surface, 0.25 * scale, 1, &report);
        ENSURE(tets);
        ENSURE_NEAR(report.spacing / scale, 0.25, 1e-12);
        if (i >= 0) ENSURE(tets->tet_count == count);
        count = tets->tet_count;
        tw_tets_destroy(tets);
    }
    return 0;
}

static int hopeless_input_is_refused_with_a_reason(void)
{
    twError err;
    twTetMesh* tets;
    twMesh empty = {0};
    twFillDef def = tw_fill_def();
    ENSURE(tw_tets_fill(&tets, &empty, &def, NULL, &err) == TW_BAD_INPUT && !tets);
    ENSURE(strstr(err.text, "0 faces"));

    // one triangle, and a flat box, enclose nothing
    twMesh* surface = make_box(1, 1, 1);
    surface->face_count = 1;
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_BAD_INPUT && !tets);
    ENSURE(strstr(err.text, "no volume"));
    surface->face_count = 12;
    for (int i = 0; i < 8; i++) surface->vertices[i].z = 0;
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_BAD_INPUT && !tets);
    for (int i = 0; i < 8; i++) surface->vertices[i] = tw_vec3(3, 3, 3);
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_BAD_INPUT && !tets);
    ENSURE(strstr(err.text, "no extent"));
    surface->vertices[5].y = NAN;
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_BAD_INPUT && !tets);
    ENSURE(strstr(err.text, "vertex 5"));
    surface->vertices[5].y = 3;
    surface->faces[7].v[1] = 8;
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_BAD_INPUT && !tets);
    ENSURE(strstr(err.text, "face 7"));
    tw_mesh_destroy(surface);
    return 0;
}

static int too_fine_a_lattice_is_refused_before_the_work(void)
{
    twError err;
    twTetMesh* tets;
    twFillDef def = tw_fill_def();
    twMesh* surface = make_box(1, 1, 0.001);
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_NO_MEMORY && !tets);
    ENSURE(strstr(err.text, "max_tets"));
    def.spacing = 1e-30;
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_NO_MEMORY && !tets);
    def.spacing = -1;
    ENSURE(tw_tets_fill(&tets, surface, &def, NULL, &err) == TW_BAD_INPUT && !tets);
    ENSURE(strstr(err.text, "spacing"));
    tw_mesh_destroy(surface);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(holes_are_closed)
    RUN(a_surface_inside_out_is_filled_all_the_same)
    RUN(a_few_flipped_faces_do_no_great_harm)
    RUN(crossing_boxes_become_their_union)
    RUN(a_cavity_stays_empty)
    RUN(crumbs_are_dropped_and_counted)
    RUN(size_does_not_matter)
    RUN(hopeless_input_is_refused_with_a_reason)
    RUN(too_fine_a_lattice_is_refused_before_the_work)
)
