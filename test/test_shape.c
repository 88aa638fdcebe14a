// SPDX-License-Identifier: MIT
// Shapes: their extent, their volume against closed forms, and what a mesh for modes must be: whole, unfolded,
// on the true surface, and as symmetric as the body.
#include "mesh/weld.h"
#include "shape.h"

static const double PI = 3.14159265358979323846;

// ---- closed forms ----

// normal offset by the thickness of the meridian in docs/shapes.md, by Simpson's rule along it
static double bell_volume(double radius, double height, double t)
{
    enum
    {
        STEPS = 400
    };
    double sum = 0;
    for (int i = 0; i <= STEPS; i++)
    {
        const double s = i / (double)STEPS;
        const double r = radius * (1.3 * s - pow(s, 3) + 0.7 * pow(s, 5));
        const double dr = radius * (1.3 - 3 * s * s + 3.5 * pow(s, 4)), ddr = radius * (-6 * s + 14 * pow(s, 3));
        const double dz = height * (-2.6 * s + 1.8 * pow(s, 3) - 0.9 * pow(s, 5));
        const double ddz = height * (-2.6 + 5.4 * s * s - 4.5 * pow(s, 4));
        const double speed = sqrt(dr * dr + dz * dz), bend = (dz * ddr - dr * ddz) / pow(speed, 3), lean = dz / speed;

        // integral of 2 pi (r + lean x)(1 - bend x) over the depth x
        const double depth = r * t + 0.5 * (lean - bend * r) * t * t - lean * bend * t * t * t / 3;
        sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * 2 * PI * speed * depth / (3.0 * STEPS);
    }
    return sum;
}

static double fork_volume(double prong, double width, double thick, double gap, double stem, double stem_width)
{
    const double inner = 0.5 * gap, outer = inner + thick;
    const double foot = (outer + stem) * stem_width - under_arc(outer, 0.5 * stem_width);
    return width * (2 * prong * thick + 0.5 * PI * (outer * outer - inner * inner) + foot);
}

static double mug_volume(double r, double h, double t, double reach, double handle, double breadth)
{
    const double body = PI * r * r * h - PI * (r - t) * (r - t) * (h - t);
    const double roots = 2 * handle * ((r + 0.2 * reach) * breadth - under_arc(r, 0.5 * breadth));
    const double a = 0.8 * reach, b = 0.25 * h + 0.5 * handle;
    return body + roots + breadth * 0.5 * PI * (a * b - (a - handle) * (b - handle));
}

// 6 by 4 by 3 meshes: 95 joints and, along x, y and z, 66, 52 and 60 pieces of wire, so 178 - 95 + 1 = 84 ways round
static double basket_volume(void)
{
    const double w = 0.004, gap[3] = {0.296 / 6 - w, 0.196 / 4 - w, 0.146 / 3 - w};
    return w * w * (95 * w + 66 * gap[0] + 52 * gap[1] + 60 * gap[2]);
}

typedef struct Case
{
    const char* text;
    double edge;
    double volume;
    double low[3], high[3];  // bounding box; low[0] = 0: not known
    int euler;               // of the surface: 2 less twice the holes through the body
} Case;

enum
{
    CASES = 20,
    ROUND = 6,
    NOT_ROUND = 12
};

static void fill_cases(Case* c)
{
    const double cap = (0.08 * 0.08 + 0.05 * 0.05) / 0.1;  // sphere of a bowl of depth 0.05
    const Case cases[CASES] = {
        {"box:0.1x0.08x0.06", 0.03, 4.8e-4, {-0.05, -0.04, -0.03}, {0.05, 0.04, 0.03}, 2},
        {"bar:0.3048x0.0254x0.0127",
         0.02,
         0.3048 * 0.0254 * 0.0127,
         {-0.1524, -0.0127, -0.00635},
         {0.1524, 0.0127, 0.00635},
         2},
        {"plate:0.2x0.2x0.003", 0.02, 1.2e-4, {-0.1, -0.1, -0.0015}, {0.1, 0.1, 0.0015}, 2},
        {"ruler:", 0.02, 0.3 * 0.03 * 0.001, {-0.15, -0.015, -0.0005}, {0.15, 0.015, 0.0005}, 2},
        {"slab:0.6x0.4x0.03", 0.05, 7.2e-3, {-0.3, -0.2, -0.015}, {0.3, 0.2, 0.015}, 2},
        {"table:1.2x0.7x0.74x0.03x0.06",
         0.1,
         1.2 * 0.7 * 0.03 + 4 * 0.06 * 0.06 * 0.71,
         {-0.6, -0.35, 0},
         {0.6, 0.35, 0.74},
         2},
        {"disc:0.1x0.003", 0.02, PI * 3e-5, {-0.1, -0.1, -0.0015}, {0.1, 0.1, 0.0015}, 2},
        {"cylinder:0.02x0.1", 0.01, PI * 4e-5, {-0.02, -0.02, -0.05}, {0.02, 0.02, 0.05}, 2},
        {"tube:0.3x0.01x0.008", 0.008, PI * 0.3 * 3.6e-5, {-0.15, -0.01, -0.01}, {0.15, 0.01, 0.01}, 0},
        {"ring:0.05x0.01x0.004", 0.01, 2 * PI * 0.05 * 4e-5, {-0.052, -0.052, -0.005}, {0.052, 0.052, 0.005}, 0},
        {"sphere:0.045", 0.02, 4.0 / 3 * PI * 9.1125e-5, {-0.045, -0.045, -0.045}, {0.045, 0.045, 0.045}, 2},
        {"bowl:0.08x0.003",
         0.02,
         2.0 / 3 * PI * (pow(0.08, 3) - pow(0.077, 3)),
         {-0.08, -0.08, 0},
         {0.08, 0.08, 0.08},
         2},
        {"bowl:0.08x0.003x0.05",
         0.02,
         2.0 / 3 * PI * 0.05 / cap * (pow(cap, 3) - pow(cap - 0.003, 3)),
         {0, 0, 0},
         {0, 0, 0},
         2},
        {"bell:0.06x0.08x0.004", 0.01, bell_volume(0.06, 0.08, 0.004), {0, 0, 0}, {0, 0, 0}, 2},
        {"mug:0.04x0.095x0.004x0.03x0.008x0.012",
         0.015,
         mug_volume(0.04, 0.095, 0.004, 0.03, 0.008, 0.012),
         {-0.04, -0.04, 0},
         {0.07, 0.04, 0.095},
         0},
        {"fork:0.085x0.006x0.004x0.008x0.035x0.004",
         0.006,
         fork_volume(0.085, 0.006, 0.004, 0.008, 0.035, 0.004),
         {-0.008, -0.003, -0.043},
         {0.008, 0.003, 0.085},
         2},
        {"fork:",
         0.006,
         fork_volume(0.0772, 0.006, 0.004, 0.008, 0.4 * 0.0772, 0.004),
         {-0.008, -0.003, -0.008 - 0.4 * 0.0772},
         {0.008, 0.003, 0.0772},
         2},
        {"chute:0.47x0.012x0.003", 0.01, 0.5 * PI * 8.1e-5 * 0.47, {0, -0.015, -0.015}, {0.47, 0.015, 0}, 2},
        {"chute:0.47x0.012x0.003x0.15x0.05", 0.01, 0.5 * PI * 8.1e-5 * 0.47, {0, 0, 0}, {0, 0, 0}, 2},
        {"basket:0.3x0.2x0.15x0.004x0.05", 0.02, basket_volume(), {-0.15, -0.1, 0}, {0.15, 0.1, 0.15}, 2 - 2 * 84},
    };
    memcpy(c, cases, sizeof cases);
}

// ---- meshes ----

static int volume_of_curved_tets_is_the_closed_form(void)
{
    Case c[CASES];
    fill_cases(c);
    for (int i = 0; i < CASES; i++)
    {
        twTetMesh* tets = tets_of(c[i].text, c[i].edge, 1);
        ENSURE(tets);
        double error = volume_of(tets) / c[i].volume - 1;
        tw_tets_destroy(tets);
        if (fabs(error) > 5e-4) printf("%s: volume off by %g\n", c[i].text, error);
        ENSURE(fabs(error) <= 5e-4);
    }
    return 0;
}

static int volume_converges_with_the_fourth_power_of_the_edge(void)
{
    const char* const texts[] = {"disc:0.1x0.02", "tube:0.1x0.05x0.04", "sphere:0.045", "bowl:0.08x0.01",
                                 "bell:0.06x0.08x0.004"};
    const double exact[] = {PI * 2e-4, PI * 9e-5, 4.0 / 3 * PI * 9.1125e-5, 2.0 / 3 * PI * (5.12e-4 - 3.43e-4),
                            bell_volume(0.06, 0.08, 0.004)};
    const double edge[] = {0.0629, 0.0180, 0.025, 0.0503, 0.0378};
    for (int i = 0; i < 5; i++)
    {
        double error[2];
        for (int k = 0; k < 2; k++)
        {
            twTetMesh* tets = cut_tets_of(texts[i], edge[i], 2 + 2 * k, 1);
            ENSURE(tets);
            error[k] = fabs(volume_of(tets) / exact[i] - 1);
            tw_tets_destroy(tets);
        }
        if (!(error[0] / error[1] > 11)) printf("%s: %g, %g\n", texts[i], error[0], error[1]);
        ENSURE(error[0] / error[1] > 11);
    }
    return 0;
}

static int no_element_is_folded_or_flat(void)
{
    Case c[CASES];
    fill_cases(c);
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < 3; k++)
        {
            // very coarse, as wanted, and with three layers
            twTetMesh* tets = tets_of(c[i].text, k == 0 ? 1 : c[i].edge, k == 2 ? 3 : 1);
            ENSURE(tets);
            double least = HUGE_VAL;
            for (int t = 0; t < tets->tet_count; t++) least = fmin(least, tw_tet_least_jacobian(tets, t));
            twTetQuality quality = tw_tets_quality(tets);
            tw_tets_destroy(tets);
            if (!(least > 0.1)) printf("%s, %d: %g\n", c[i].text, k, least);
            ENSURE(quality.inverted == 0);
            ENSURE(least > 0.1);
        }
    return 0;
}

static int cells_as_thick_as_long_make_well_shaped_tets(void)
{
    Case c[CASES];
    fill_cases(c);
    for (int i = 0; i < CASES; i++)
    {
        twShape* shape;
        ENSURE(tw_shape_parse(&shape, c[i].text, NULL) == TW_OK);
        twTetMesh* tets = tets_of(c[i].text, 1.3 * tw_shape_thickness(shape), 1);
        tw_shape_destroy(shape);
        twTetQuality quality = tw_tets_quality(tets);
        tw_tets_destroy(tets);
        if (!(quality.worst_aspect < 4.5)) printf("%s: %g\n", c[i].text, quality.worst_aspect);
        ENSURE(quality.worst_aspect < 4.5);
        ENSURE(quality.greatest_dihedral_deg < 140);
    }
    return 0;
}

// edges as pairs of vertices, sorted; a closed, consistently wound surface has each once in either direction
static int compare_edges(const void* a, const void* b)
{
    const long long x = *(const long long*)a, y = *(const long long*)b;
    return x < y ? -1 : x > y;
}

static int is_closed(const twMesh* mesh)
{
    const int count = 3 * mesh->face_count;
    long long* there = malloc(2 * (size_t)count * sizeof *there);
    long long* back = there + count;
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++)
        {
            const long long a = mesh->faces[f].v[k], b = mesh->faces[f].v[(k + 1) % 3];
            there[3 * f + k] = a << 32 | b;
            back[3 * f + k] = b << 32 | a;
        }
    qsort(there, (size_t)count, sizeof *there, compare_edges);
    qsort(back, (size_t)count, sizeof *back, compare_edges);
    int closed = memcmp(there, back, (size_t)count * sizeof *there) == 0;
    for (int k = 1; k < count; k++) closed = closed && there[k] != there[k - 1];
    free(there);
    return closed;
}

static double enclosed(const twMesh* mesh)
{
    double sum = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        sum += tw_vec3_dot(mesh->vertices[v[0]], tw_vec3_cross(mesh->vertices[v[1]], mesh->vertices[v[2]])) / 6;
    }
    return sum;
}

static int tets_fit_face_to_face_across_blocks(void)
{
    // a face that two blocks cut in different ways would lie open: more faces, more volume, another Euler number
    Case c[CASES];
    fill_cases(c);
    for (int i = 0; i < CASES; i++)
        for (int through = 1; through < 4; through++)
        {
            twTetMesh* tets = tets_of(c[i].text, c[i].edge * (1 + 0.3 * through), through);
            twMesh* mesh = NULL;
            int* node_of = NULL;
            ENSURE(tets && tw_tets_surface(&mesh, &node_of, tets, NULL) == TW_OK);
            ENSURE(is_closed(mesh));
            ENSURE(mesh->vertex_count - mesh->face_count / 2 == c[i].euler);
            ENSURE(enclosed(mesh) > 0.9 * c[i].volume && enclosed(mesh) < 1.001 * c[i].volume);
            tw_mesh_destroy(mesh);
            tw_tets_destroy(tets);
            free(node_of);
        }
    return 0;
}

static int surface_is_closed_outward_and_of_the_extent_in_the_text(void)
{
    Case c[CASES];
    fill_cases(c);
    for (int i = 0; i < CASES; i++)
    {
        twMesh* mesh = surface_of(c[i].text, 0.3 * c[i].edge);
        ENSURE(mesh && is_closed(mesh));
        ENSURE(mesh->vertex_count - mesh->face_count / 2 == c[i].euler);
        ENSURE(enclosed(mesh) > 0.97 * c[i].volume && enclosed(mesh) < 1.0001 * c[i].volume);
        double low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
        for (int k = 0; k < mesh->vertex_count; k++)
        {
            const double x[3] = {mesh->vertices[k].x, mesh->vertices[k].y, mesh->vertices[k].z};
            for (int d = 0; d < 3; d++) low[d] = fmin(low[d], x[d]), high[d] = fmax(high[d], x[d]);
        }
        tw_mesh_destroy(mesh);
        for (int d = 0; d < 3 && c[i].low[0] < 0; d++)
        {
            // vertices lie on the true surface; those on circles need not lie where it reaches out the furthest
            const double tolerance = i >= ROUND && i < NOT_ROUND ? 0.01 * c[i].high[d] : 1e-15;
            ENSURE_NEAR(low[d], c[i].low[d], tolerance);
            ENSURE_NEAR(high[d], c[i].high[d], tolerance);
            ENSURE(low[d] > c[i].low[d] - 1e-15 && high[d] < c[i].high[d] + 1e-15);
        }
    }
    return 0;
}

static int mid_nodes_lie_on_the_true_surface(void)
{
    // of the sphere, the bowl and the tube: every boundary node lies at one of two radii, or on a flat end
    static const char* const texts[] = {"sphere:0.045", "bowl:0.08x0.003", "tube:0.3x0.01x0.008"};
    for (int i = 0; i < 3; i++)
    {
        twTetMesh* tets = tets_of(texts[i], i == 2 ? 0.01 : 0.03, 1);
        twMesh* mesh = NULL;
        int* node_of = NULL;
        ENSURE(tets && tw_tets_surface(&mesh, &node_of, tets, NULL) == TW_OK);
        for (int k = 0; k < mesh->vertex_count; k++)
        {
            const twVec3 p = mesh->vertices[k], bowl = tw_vec3_sub(p, tw_vec3(0, 0, 0.08));
            const double r = i == 0 ? tw_vec3_norm(p) : i == 1 ? tw_vec3_norm(bowl) : hypot(p.y, p.z);
            const double flat = i == 1 ? fabs(bowl.z) : fabs(fabs(p.x) - 0.15);
            const double outer[] = {0.045, 0.08, 0.01}, inner[] = {0.045, 0.077, 0.008};
            ENSURE(fabs(r - outer[i]) < 1e-14 || fabs(r - inner[i]) < 1e-14 || (i > 0 && flat < 1e-14));
        }
        tw_mesh_destroy(mesh);
        tw_tets_destroy(tets);
        free(node_of);
    }
    return 0;
}

static int corners_come_first_and_every_node_is_used(void)
{
    twTetMesh* tets = tets_of("mug:", 0.02, 1);
    ENSURE(tets);
    char* use = calloc((size_t)tets->node_count, 1);
    for (int t = 0; t < tets->tet_count; t++)
    {
        for (int k = 0; k < 4; k++) use[tets->tets[t].n[k]] |= 1;
        for (int k = 0; k < 6; k++) use[tets->mid_nodes[t][k]] |= 2;
    }
    int middles = 0;
    for (int k = 0; k < tets->node_count; k++)
    {
        ENSURE(use[k] == 1 || use[k] == 2);
        middles += use[k] == 2;
        ENSURE(use[k] == 2 || middles == 0);
    }
    free(use);
    tw_tets_destroy(tets);
    return 0;
}

// ---- symmetry ----

// whether turning the mesh (columns of m are where the axes go) maps tets onto tets, told by the means of their corners
static int has_symmetry(const twTetMesh* tets, twMat3 m)
{
    twWeld weld;
    const size_t count = (size_t)tets->tet_count;
    if (!tw_weld_create(&weld, 2 * count, 2 * count, tw_vec3(-1, -1, -1), 2)) return 0;
    for (int turned = 0; turned < 2; turned++)
        for (int t = 0; t < tets->tet_count; t++)
        {
            twVec3 sum = tw_vec3(0, 0, 0);
            for (int k = 0; k < 4; k++) sum = tw_vec3_add(sum, tets->nodes[tets->tets[t].n[k]]);
            tw_weld_add(&weld, turned ? tw_mat3_mul_vec(m, sum) : sum);
        }
    int same = weld.count == tets->tet_count;
    tw_weld_destroy(&weld);
    return same;
}

static twMat3 turn(twVec3 axis, double degrees)
{
    return tw_mat3_from_quat(tw_quat_from_axis_angle(axis, degrees * PI / 180));
}

static int meshes_have_the_symmetries_that_keep_pairs_together(void)
{
    const twVec3 x = {1, 0, 0}, z = {0, 0, 1};
    const double g = 0.5 * (1 + sqrt(5));
    const struct
    {
        const char* text;
        double edge;
        twMat3 a, b;
    } cases[] = {
        // square plate and bar: quarter turns; cube: thirds about the diagonal, too
        {"plate:0.2x0.2x0.003", 0.03, turn(z, 90), tw_mat3_diagonal(tw_vec3(-1, 1, 1))},
        {"bar:0.2x0.01x0.01", 0.03, turn(x, 90), tw_mat3_diagonal(tw_vec3(-1, 1, 1))},
        {"box:0.1x0.1x0.1", 0.03, turn(x, 90), turn(tw_vec3(1, 1, 1), 120)},
        // five-fold, with mirrors
        {"disc:0.1x0.003", 0.03, turn(z, 72), tw_mat3_diagonal(tw_vec3(1, -1, 1))},
        {"cylinder:0.02x0.1", 0.01, turn(z, 72), tw_mat3_diagonal(tw_vec3(1, 1, -1))},
        {"bowl:0.08x0.003", 0.03, turn(z, 72), tw_mat3_diagonal(tw_vec3(1, -1, 1))},
        {"bell:0.06x0.08x0.004", 0.03, turn(z, 72), tw_mat3_diagonal(tw_vec3(1, -1, 1))},
        // icosahedron: fifths about a corner, thirds about a face
        {"sphere:0.045", 0.03, turn(tw_vec3(0, 1, g), 72), turn(tw_vec3(1, 1, 1), 120)},
        {"sphere:0.045", 0.02, turn(tw_vec3(0, 1, g), 72), tw_mat3_diagonal(tw_vec3(-1, -1, -1))},
        // eleven pairs of cells around
        {"ring:0.05x0.01x0.004", 0.016, turn(z, 360.0 / 11), tw_mat3_diagonal(tw_vec3(1, -1, 1))},
        {"tube:0.1x0.05x0.04", 0.016, turn(x, 360.0 / 11), tw_mat3_diagonal(tw_vec3(-1, 1, 1))},
        {"table:", 0.1, tw_mat3_diagonal(tw_vec3(-1, 1, 1)), tw_mat3_diagonal(tw_vec3(1, -1, 1))},
        {"fork:", 0.005, tw_mat3_diagonal(tw_vec3(-1, 1, 1)), tw_mat3_diagonal(tw_vec3(1, -1, 1))},
        {"mug:", 0.02, tw_mat3_diagonal(tw_vec3(1, -1, 1)), tw_mat3_identity()},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        twTetMesh* tets = tets_of(cases[i].text, cases[i].edge, 1);
        ENSURE(tets);
        if (!has_symmetry(tets, cases[i].a) || !has_symmetry(tets, cases[i].b)) printf("not: %s\n", cases[i].text);
        ENSURE(has_symmetry(tets, cases[i].a) && has_symmetry(tets, cases[i].b));
        ENSURE(!has_symmetry(tets, turn(z, 50)));
        tw_tets_destroy(tets);
    }
    return 0;
}

static int thickness_gets_the_wanted_number_of_elements(void)
{
    for (int through = 1; through <= 5; through++)
    {
        // five lattice planes make two elements
        twTetMesh* tets = tets_of("plate:0.2x0.2x0.003", 0.05, through);
        ENSURE(tets);
        int planes = 0;
        for (int k = 0; k < tets->node_count; k++) planes += fabs(tets->nodes[k].x) + fabs(tets->nodes[k].y) < 1e-12;
        tw_tets_destroy(tets);
        ENSURE(planes == 2 * through + 1);
    }
    return 0;
}

static int edges_are_no_longer_than_wanted(void)
{
    // the shortest edge of a tet is one of a cell
    Case c[CASES];
    fill_cases(c);
    for (int i = 0; i < CASES; i++)
    {
        const double wanted = 0.8 * c[i].edge;
        twTetMesh* tets = tets_of(c[i].text, wanted, 1);
        ENSURE(tets);
        for (int t = 0; t < tets->tet_count; t++)
        {
            double longest = 0;
            for (int e = 0; e < 6; e++)
            {
                const twVec3 a = tets->nodes[tets->tets[t].n[tw_tet_edges[e][0]]];
                const twVec3 b = tets->nodes[tets->tets[t].n[tw_tet_edges[e][1]]];
                longest = fmax(longest, tw_vec3_norm(tw_vec3_sub(a, b)));
            }
            if (!(longest < sqrt(3) * wanted * 1.1)) printf("%s: %g of %g\n", c[i].text, longest, wanted);
            ENSURE(longest < sqrt(3) * wanted * 1.1);
        }
        tw_tets_destroy(tets);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(volume_of_curved_tets_is_the_closed_form)
    RUN(volume_converges_with_the_fourth_power_of_the_edge)
    RUN(no_element_is_folded_or_flat)
    RUN(cells_as_thick_as_long_make_well_shaped_tets)
    RUN(tets_fit_face_to_face_across_blocks)
    RUN(surface_is_closed_outward_and_of_the_extent_in_the_text)
    RUN(mid_nodes_lie_on_the_true_surface)
    RUN(corners_come_first_and_every_node_is_used)
    RUN(meshes_have_the_symmetries_that_keep_pairs_together)
    RUN(thickness_gets_the_wanted_number_of_elements)
    RUN(edges_are_no_longer_than_wanted)
)
