// SPDX-License-Identifier: MIT
// Tests of tet filling. Expected values: volumes of the bodies, the paper's bounds of dihedral angles, orders of
// convergence, and what makes a mesh a mesh: positive tets, faces shared by two, a closed manifold boundary.
#include "test.h"
#include "twang/mesh.h"
#include <stdlib.h>

// ---- bodies ----

// a cube's six sides pushed out to the unit sphere, n x n squares each; equal vertices are not merged
static twMesh* make_sphere(int n)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, 6 * (n + 1) * (n + 1), 12 * n * n, NULL)) return NULL;
    int vertex = 0, face = 0;
    for (int side = 0; side < 6; side++)
    {
        int first = vertex, axis = side / 2;
        for (int i = 0; i < (n + 1) * (n + 1); i++)
        {
            double c[3];
            c[axis] = side % 2 ? n : -n;
            c[(axis + 1) % 3] = 2 * (i / (n + 1)) - n;
            c[(axis + 2) % 3] = 2 * (i % (n + 1)) - n;
            mesh->vertices[vertex++] =
                tw_vec3_scale(tw_vec3(c[0], c[1], c[2]), 1 / sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]));
        }
        for (int i = 0; i < n * n; i++)
        {
            int a = first + i / n * (n + 1) + i % n, b = a + n + 1, out = side % 2;
            mesh->faces[face++] = out ? (twTriangle){{a, b, b + 1}} : (twTriangle){{a, b + 1, b}};
            mesh->faces[face++] = out ? (twTriangle){{a, b + 1, a + 1}} : (twTriangle){{a, a + 1, b + 1}};
        }
    }
    return mesh;
}

static const int BOX_FACES[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static twMesh* make_box(double x, double y, double z)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, 8, 12, NULL)) return NULL;
    for (int i = 0; i < 8; i++) mesh->vertices[i] = tw_vec3(i & 1 ? x : 0, i & 2 ? y : 0, i & 4 ? z : 0);
    for (int i = 0; i < 12; i++) memcpy(mesh->faces[i].v, BOX_FACES[i], sizeof BOX_FACES[i]);
    return mesh;
}

// a closed outline (r, z), counterclockwise, turned about the z axis
static twMesh* make_turned(const double (*outline)[2], int count, int around)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, count * around, 2 * count * around, NULL)) return NULL;
    for (int i = 0; i < count * around; i++)
    {
        double angle = 2 * TW_PI * (i / count) / around, r = outline[i % count][0];
        mesh->vertices[i] = tw_vec3(r * cos(angle), r * sin(angle), outline[i % count][1]);
        int here = i / count * count, next = (here + count) % (count * around), k = i % count, l = (k + 1) % count;
        mesh->faces[2 * i] = (twTriangle){{here + k, next + k, next + l}};
        mesh->faces[2 * i + 1] = (twTriangle){{here + k, next + l, here + l}};
    }
    return mesh;
}

enum
{
    RING = 24
};

static twMesh* make_torus(double radius, double thick)
{
    double outline[RING][2];
    for (int i = 0; i < RING; i++)
    {
        double angle = 2 * TW_PI * i / RING;
        outline[i][0] = radius + thick * cos(angle);
        outline[i][1] = thick * sin(angle);
    }
    return make_turned((const double(*)[2])outline, RING, 3 * RING);
}

// half a hollow sphere
static twMesh* make_bowl(double radius, double wall)
{
    double outline[2 * RING][2];
    for (int i = 0; i < RING; i++)
    {
        double angle = TW_PI / 2 * i / (RING - 1), tiny = i == 0 ? 1e-9 * radius : 0;
        outline[i][0] = radius * sin(angle) + tiny;
        outline[i][1] = -radius * cos(angle);
        outline[2 * RING - 1 - i][0] = (radius - wall) * sin(angle) + tiny;
        outline[2 * RING - 1 - i][1] = -(radius - wall) * cos(angle);
    }
    return make_turned((const double(*)[2])outline, 2 * RING, 4 * RING);
}

static void place(twMesh* mesh, twQuat turn, double scale, twVec3 shift)
{
    for (int i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = tw_vec3_add_scaled(shift, tw_quat_rotate(turn, mesh->vertices[i]), scale);
}

// both bodies in one mesh; the second one inside out if cavity; takes both
static twMesh* join(twMesh* a, twMesh* b, bool cavity)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, a->vertex_count + b->vertex_count, a->face_count + b->face_count, NULL)) return NULL;
    memcpy(mesh->vertices, a->vertices, (size_t)a->vertex_count * sizeof *a->vertices);
    memcpy(mesh->vertices + a->vertex_count, b->vertices, (size_t)b->vertex_count * sizeof *b->vertices);
    memcpy(mesh->faces, a->faces, (size_t)a->face_count * sizeof *a->faces);
    for (int i = 0; i < b->face_count; i++)
        for (int k = 0; k < 3; k++)
            mesh->faces[a->face_count + i].v[k] = a->vertex_count + b->faces[i].v[cavity ? 2 - k : k];
    tw_mesh_destroy(a);
    tw_mesh_destroy(b);
    return mesh;
}

// ---- what makes a mesh a mesh ----

static double volume_of(const twTetMesh* tets)
{
    double density = 1;
    return tw_tets_mass(tets, &density).volume;
}

static int compare_triples(const void* a, const void* b) { return memcmp(a, b, 3 * sizeof(int)); }
static int compare_pairs(const void* a, const void* b) { return memcmp(a, b, 2 * sizeof(int)); }

static void sort_small(int* v, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--)
        {
            int t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
}

// most tets that share a face
static int most_sharing(const twTetMesh* tets)
{
    int count = 4 * tets->tet_count, most = 0;
    int(*faces)[3] = malloc((size_t)count * sizeof *faces);
    for (int i = 0; i < count; i++)
    {
        for (int k = 0; k < 3; k++) faces[i][k] = tets->tets[i / 4].n[(i + 1 + k) % 4];
        sort_small(faces[i], 3);
    }
    qsort(faces, (size_t)count, sizeof *faces, compare_triples);
    for (int i = 0, run = 0; i < count; i++)
    {
        run = i > 0 && compare_triples(faces[i], faces[i - 1]) == 0 ? run + 1 : 1;
        if (run > most) most = run;
    }
    free(faces);
    return most;
}

// edges of the boundary that do not have exactly two faces; -1 if the boundary cannot be made
static int bad_boundary_edges(const twTetMesh* tets)
{
    twMesh* surface;
    int* node_of;
    if (tw_tets_surface(&surface, &node_of, tets, NULL)) return -1;
    int count = 3 * surface->face_count, bad = 0;
    int(*edges)[2] = malloc((size_t)count * sizeof *edges);
    for (int i = 0; i < count; i++)
    {
        for (int k = 0; k < 2; k++) edges[i][k] = surface->faces[i / 3].v[(i + k) % 3];
        sort_small(edges[i], 2);
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_pairs);
    for (int i = 0, run; i < count; i += run)
    {
        for (run = 1; i + run < count && compare_pairs(edges[i], edges[i + run]) == 0;) run++;
        bad += run != 2;
    }
    free(edges);
    free(node_of);
    tw_mesh_destroy(surface);
    return bad;
}

// fill and check; takes the surface. @return NULL and prints why, if it failed
static twTetMesh* fill(twMesh* surface, double spacing, double growth, twFillReport* report)
{
    twError err;
    twTetMesh* tets;
    twFillDef def = tw_fill_def();
    def.spacing = spacing;
    def.interior_growth = growth;
    twStatus status = tw_tets_fill(&tets, surface, &def, report, &err);
    tw_mesh_destroy(surface);
    if (status != TW_OK) printf("%s\n", err.text);
    return tets;
}

#define ENSURE_MESH(tets, report, least_deg, greatest_deg)                                                             \
    do {                                                                                                               \
        ENSURE(tets);                                                                                                  \
        ENSURE((report).quality.inverted == 0);                                                                        \
        ENSURE((report).quality.least_dihedral_deg >= (least_deg));                                                    \
        ENSURE((report).quality.greatest_dihedral_deg <= (greatest_deg));                                              \
        ENSURE(most_sharing(tets) == 2);                                                                               \
        ENSURE(bad_boundary_edges(tets) == 0);                                                                         \
    } while (0)

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
    RUN(holes_are_closed)
    RUN(a_surface_inside_out_is_filled_all_the_same)
    RUN(a_few_flipped_faces_do_no_great_harm)
    RUN(crossing_boxes_become_their_union)
    RUN(a_cavity_stays_empty)
    RUN(crumbs_are_dropped_and_counted)
    RUN(size_does_not_matter)
    RUN(hopeless_input_is_refused_with_a_reason)
    RUN(too_fine_a_lattice_is_refused_before_the_work)
    RUN(the_same_input_gives_the_same_mesh)
    RUN(progress_rises_and_stops_at_any_call)
)
