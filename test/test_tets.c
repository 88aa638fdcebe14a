// SPDX-License-Identifier: MIT
// Tests of tetrahedra: quality and mass against closed forms, boundaries, mid-edge nodes, files of Gmsh and TetGen.
#define _XOPEN_SOURCE 700
#include "mesh.h"
#include "mesh/tet_soup.h"
#include "mesh/tets.h"
#include "test.h"
#include <unistd.h>

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

// ---- files ----

static char folder[] = "/tmp/test_tets.XXXXXX";

static const char* in_folder(const char* name)
{
    static char path[2][256];
    static int next;
    next = !next;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

// number of node i in files: sparse, and out of order
static long long number_of(int i) { return 1000 - 3 * i; }

static void write_raw(FILE* file, int64_t value, int size)
{
    for (int i = 0; i < size; i++) fputc((int)(value >> 8 * i & 255), file);
}

static void write_real(FILE* file, double value)
{
    int64_t bits;
    memcpy(&bits, &value, 8);
    write_raw(file, bits, 8);
}

// a whole number as text or raw
static void write_whole(FILE* file, bool binary, int64_t value, int size)
{
    if (binary)
        write_raw(file, value, size);
    else
        fprintf(file, "%lld ", (long long)value);
}

static void write_point(FILE* file, bool binary, twVec3 p)
{
    if (!binary)
    {
        fprintf(file, "%.17g %.17g %.17g\n", p.x, p.y, p.z);
        return;
    }
    write_real(file, p.x);
    write_real(file, p.y);
    write_real(file, p.z);
}

// nodes of tet t in Gmsh's order
static int gmsh_nodes(const twTetMesh* tets, int t, int nodes[10])
{
    static const int order[6] = {0, 1, 2, 3, 5, 4};
    for (int i = 0; i < 4; i++) nodes[i] = tets->tets[t].n[i];
    for (int e = 0; e < 6 && tets->mid_nodes; e++) nodes[4 + e] = tets->mid_nodes[t][order[e]];
    return tets->mid_nodes ? 10 : 4;
}

static void write_gmsh_2(FILE* file, const twTetMesh* tets, bool binary)
{
    fprintf(file, "$MeshFormat\n2.2 %d 8\n", binary);
    if (binary) write_raw(file, 1, 4);
    fprintf(file, "%s$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n$Nodes\n%d\n",
            binary ? "\n" : "", tets->node_count + 1);
    for (int i = 0; i <= tets->node_count; i++)
    {
        write_whole(file, binary, i < tets->node_count ? number_of(i) : 5000, 4);
        write_point(file, binary, i < tets->node_count ? tets->nodes[i] : tw_vec3(99, 99, 99));
    }
    fprintf(file, "%s$EndNodes\n$Elements\n%d\n", binary ? "\n" : "", tets->tet_count + 2);

    // two triangles first, which are of no interest
    for (int i = 0; i < 2; i++)
    {
        const int head[] = {2, 1, 2}, line[] = {i + 1, 2, 2};
        for (int k = 0; k < 3; k++) write_whole(file, binary, binary ? head[k] : line[k], 4);
        if (binary) write_raw(file, i + 1, 4);
        for (int k = 0; k < 2; k++) write_whole(file, binary, 99, 4);
        for (int k = 0; k < 3; k++) write_whole(file, binary, number_of(k), 4);
        if (!binary) fputc('\n', file);
    }
    int per = tets->mid_nodes ? 10 : 4, type = tets->mid_nodes ? 11 : 4;
    if (binary)
    {
        write_raw(file, type, 4);
        write_raw(file, tets->tet_count, 4);
        write_raw(file, 2, 4);
    }
    for (int t = 0; t < tets->tet_count; t++)
    {
        int nodes[10];
        gmsh_nodes(tets, t, nodes);
        write_whole(file, binary, 10 + t, 4);
        if (!binary) fprintf(file, "%d 2 ", type);
        write_whole(file, binary, tets->regions && tets->regions[t] ? 7 : 3, 4);
        write_whole(file, binary, 1, 4);
        for (int k = 0; k < per; k++) write_whole(file, binary, number_of(nodes[k]), 4);
        if (!binary) fputc('\n', file);
    }
    fprintf(file, "%s$EndElements\n", binary ? "\n" : "");
}

static void write_gmsh_4(FILE* file, const twTetMesh* tets, bool binary)
{
    fprintf(file, "$MeshFormat\n4.1 %d 8\n", binary);
    if (binary) write_raw(file, 1, 4);
    fprintf(file, "%s$EndMeshFormat\n$Entities\n", binary ? "\n" : "");

    // a point with a group, a surface, two volumes with groups 9 and 4
    const int counts[] = {1, 0, 1, 2};
    for (int d = 0; d < 4; d++) write_whole(file, binary, counts[d], 8);
    write_whole(file, binary, 1, 4);
    write_point(file, binary, tw_vec3(0, 0, 0));
    write_whole(file, binary, 1, 8);
    write_whole(file, binary, 3, 4);
    for (int v = 0; v < 3; v++)
    {
        write_whole(file, binary, v == 0 ? 5 : v, 4);
        write_point(file, binary, tw_vec3(0, 0, 0));
        write_point(file, binary, tw_vec3(1, 1, 1));
        write_whole(file, binary, v == 0 ? 0 : 2, 8);
        for (int k = 0; k < 2 && v > 0; k++) write_whole(file, binary, k == 0 ? (v == 1 ? 4 : 9) : 77, 4);
        write_whole(file, binary, 1, 8);
        write_whole(file, binary, -5, 4);
    }

    // nodes in two blocks, the first one with parameters
    fprintf(file, "\n$EndEntities\n$Nodes\n");
    const int split = 3;
    const int64_t head[] = {2, tets->node_count, 1, 5000};
    for (int k = 0; k < 4; k++) write_whole(file, binary, head[k], 8);
    for (int block = 0; block < 2; block++)
    {
        int first = block ? split : 0, end = block ? tets->node_count : split;
        write_whole(file, binary, block ? 3 : 2, 4);
        write_whole(file, binary, 5, 4);
        write_whole(file, binary, !block, 4);
        write_whole(file, binary, end - first, 8);
        for (int i = first; i < end; i++) write_whole(file, binary, number_of(i), 8);
        for (int i = first; i < end; i++)
        {
            write_point(file, binary, tets->nodes[i]);
            for (int k = 0; k < 2 && !block; k++)
                if (binary)
                    write_real(file, 0.5);
                else
                    fprintf(file, "0.5 ");
        }
    }
    fprintf(file, "\n$EndNodes\n$Elements\n");

    // a block of a triangle, then the tets of each volume
    int upper = 0, per = tets->mid_nodes ? 10 : 4;
    for (int t = 0; t < tets->tet_count; t++) upper += tets->regions && tets->regions[t];
    const int64_t element_head[] = {3, tets->tet_count + 1, 1, 5000};
    for (int k = 0; k < 4; k++) write_whole(file, binary, element_head[k], 8);
    for (int k = 0; k < 3; k++) write_whole(file, binary, k == 1 ? 5 : 2, 4);
    write_whole(file, binary, 1, 8);
    for (int k = 0; k < 4; k++) write_whole(file, binary, k == 0 ? 1 : number_of(k), 8);
    if (!binary) fputc('\n', file);
    for (int region = 0; region < 2; region++)
    {
        write_whole(file, binary, 3, 4);
        write_whole(file, binary, 1 + region, 4);
        write_whole(file, binary, tets->mid_nodes ? 11 : 4, 4);
        write_whole(file, binary, region ? upper : tets->tet_count - upper, 8);
        for (int t = 0; t < tets->tet_count; t++)
        {
            int nodes[10];
            if ((tets->regions && tets->regions[t]) != region) continue;
            gmsh_nodes(tets, t, nodes);
            write_whole(file, binary, 10 + t, 8);
            for (int k = 0; k < per; k++) write_whole(file, binary, number_of(nodes[k]), 8);
            if (!binary) fputc('\n', file);
        }
    }
    fprintf(file, "\n$EndElements\n");
}

static void write_tetgen(const twTetMesh* tets, int first)
{
    FILE* file = fopen(in_folder("body.node"), "w");
    if (!file) abort();
    fprintf(file, "# nodes\n%d 3 1 0\n\n", tets->node_count);
    for (int i = 0; i < tets->node_count; i++)
        fprintf(file, "  %d  %.17g %.17g %.17g  0.5\n", i + first, tets->nodes[i].x, tets->nodes[i].y,
                tets->nodes[i].z);
    fclose(file);
    file = fopen(in_folder("body.ele"), "w");
    if (!file) abort();
    fprintf(file, "%d %d 1\n", tets->tet_count, tets->mid_nodes ? 10 : 4);
    for (int t = 0; t < tets->tet_count; t++)
    {
        static const int order[6] = {5, 3, 4, 1, 2, 0};
        fprintf(file, "%d", t + first);
        for (int i = 0; i < 4; i++) fprintf(file, " %d", tets->tets[t].n[i] + first);
        for (int e = 0; e < 6 && tets->mid_nodes; e++) fprintf(file, " %d", tets->mid_nodes[t][order[e]] + first);
        fprintf(file, " %d\n", tets->regions && tets->regions[t] ? 20 : -1);
    }
    fprintf(file, "# Generated by nobody\n");
    fclose(file);
}

// write a mesh in one of six ways. @return its name
static const char* write_format(const twTetMesh* tets, int format)
{
    if (format >= 4)
    {
        write_tetgen(tets, format - 4);
        return in_folder(format == 4 ? "body.node" : "body.ele");
    }
    FILE* file = fopen(in_folder("body.msh"), "wb");
    if (!file) abort();
    if (format < 2)
        write_gmsh_2(file, tets, format == 1);
    else
        write_gmsh_4(file, tets, format == 3);
    fclose(file);
    return in_folder("body.msh");
}

static twTetMesh* sample(bool quadratic, bool regions)
{
    twTetMesh* tets = box_tets(2, 1, 2, tw_vec3(0.1, 0.2, 0.3));
    int calls = 0;
    if (quadratic && tw_tets_make_quadratic(tets, NULL, &calls, NULL) != TW_OK) abort();
    if (regions)
    {
        tets->regions = calloc((size_t)tets->tet_count, sizeof(int));
        if (!tets->regions) abort();
        for (int t = 0; t < tets->tet_count; t++) tets->regions[t] = t % 12 >= 6;
    }
    return tets;
}

static int all_tet_formats_agree(void)
{
    const double density[] = {1, 5};
    for (int kind = 0; kind < 4; kind++)
        for (int format = 0; format < 6; format++)
        {
            twTetMesh *tets = sample(kind & 1, kind & 2), *back;
            twError err = {0};
            twStatus status = tw_tets_load(&back, write_format(tets, format), 10, &err);
            if (status != TW_OK) printf("format %d: %s\n", format, err.text);
            ENSURE(status == TW_OK);
            ENSURE(back->node_count == tets->node_count && back->tet_count == tets->tet_count);
            ENSURE(!back->mid_nodes == !tets->mid_nodes && !back->regions == !tets->regions);
            twMassProperties a = tw_tets_mass(tets, density), b = tw_tets_mass(back, density);
            ENSURE_NEAR(b.mass, 1000 * a.mass, 1e-11);
            ENSURE_NEAR(b.centre.z, 10 * a.centre.z, 1e-12);
            ENSURE_NEAR(b.inertia.m[0][0], 1e5 * a.inertia.m[0][0], 1e-8);
            ENSURE(tw_tets_quality(back).inverted == 0);
            for (int t = 0; t < back->tet_count && back->mid_nodes; t++)
                ENSURE_NEAR(tw_tet_least_jacobian(back, t), 1, 1e-9);
            tw_tets_destroy(tets);
            tw_tets_destroy(back);
        }
    return 0;
}

static int tets_inside_out_are_turned(void)
{
    for (int kind = 0; kind < 2; kind++)
    {
        // mirrored: every tet comes in negative, with its mid nodes in the order of its corners
        twTetMesh *tets = sample(kind, false), *back;
        for (int i = 0; i < tets->node_count; i++) tets->nodes[i].x *= -1;
        ENSURE(tw_tets_load(&back, write_format(tets, 0), 1, NULL) == TW_OK);
        ENSURE(tw_tets_quality(back).inverted == 0);
        for (int t = 0; t < back->tet_count && kind; t++) ENSURE_NEAR(tw_tet_least_jacobian(back, t), 1, 1e-9);
        tw_tets_destroy(tets);
        tw_tets_destroy(back);
    }
    return 0;
}

static twStatus load_text(const char* text, twError* err)
{
    FILE* file = fopen(in_folder("text.msh"), "wb");
    if (!file || fputs(text, file) < 0) abort();
    fclose(file);
    twTetMesh* tets;
    twStatus status = tw_tets_load(&tets, in_folder("text.msh"), 1, err);
    tw_tets_destroy(tets);
    return status;
}

#define NODES "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"

static int errors_of_tet_files_say_what_is_wrong(void)
{
    static const char* const cases[][2] = {
        {"$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "2.2 and 4.1"},
        {"$MeshFormat\nx 0 8\n$EndMeshFormat\n", "line 2"},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "no tetrahedra"},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4000000000\n", "room"},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "twice"},
        {NODES "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements\n", "node 5"},
        {NODES "$Elements\n1\n1 4 0 1 2 3 3\n$EndElements\n", "twice"},
        {NODES "$Elements\n1\n1 4 0 1 2 3\n$EndElements\n", "whole number"},
        {NODES "$Elements\n2\n1 4 0 1 2 3 4\n", "line 14"},
        {NODES "$Elements\n1\n1 4 0 1 2 3 4\n", "no end"},
        {NODES "$Elements\n3\n1 4 0 1 2 3 4\n2 4 0 1 2 3 4\n3 4 0 1 2 3 4\n$EndElements\n", "overlap"},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n"
         "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
         "no volume"},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 nan\n3 0 1 0\n4 1 1 0\n$EndNodes\n"
         "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
         "finite"},
        {"hello", "no Gmsh"},
        {"", "no Gmsh"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        twError err = {0};
        twStatus status = load_text(cases[i][0], &err);
        if (!strstr(err.text, cases[i][1])) printf("%zu: %s\n", i, err.text);
        ENSURE(status == TW_BAD_INPUT && strstr(err.text, cases[i][1]) && strstr(err.text, "text.msh"));
    }
    twError err;
    twTetMesh* tets;
    ENSURE(load_text(NODES "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n", &err) == TW_OK);
    ENSURE(tw_tets_load(&tets, in_folder("missing.node"), 1, &err) == TW_BAD_INPUT && strstr(err.text, "missing.node"));
    ENSURE(tw_tets_load(&tets, in_folder("missing.msh"), 1, &err) == TW_BAD_INPUT && !tets);
    ENSURE(tw_tets_load(&tets, in_folder("text.msh"), -1, &err) == TW_BAD_INPUT && strstr(err.text, "scale"));
    return 0;
}

static int damaged_tet_files_are_survived(void)
{
    twRng rng = tw_rng(10);
    int loaded = 0;
    for (int kind = 0; kind < 8; kind++)
    {
        twTetMesh* tets = sample(kind & 4, true);
        char* data;
        size_t bytes;
        ENSURE(tw_file_read(&data, &bytes, write_format(tets, kind % 4), 1 << 20, NULL) == TW_OK);
        for (int round = 0; round < 1500; round++)
        {
            // cut it, or change some bytes
            size_t length = round < 500 ? bytes * (size_t)round / 500 : bytes;
            char* copy = malloc(length + 1);
            if (!copy) abort();
            memcpy(copy, data, length);
            copy[length] = 0;
            for (int k = 0; k < round % 3 + 1 && round >= 500; k++)
                copy[tw_rng_next(&rng) % bytes] =
                    round % 2 ? (char)tw_rng_next(&rng) : "0123456789 -.$\n"[tw_rng_next(&rng) % 15];
            twTetMesh* back;
            twError err = {0};
            twStatus status = tw_read_gmsh(&back, "any", copy, length, 1, &err);
            free(copy);
            ENSURE(status == TW_OK || (!back && err.text[0]));
            loaded += status == TW_OK;
            for (int t = 0; status == TW_OK && t < back->tet_count; t++)
                for (int i = 0; i < 4; i++) ENSURE(back->tets[t].n[i] >= 0 && back->tets[t].n[i] < back->node_count);
            tw_tets_destroy(back);
        }
        free(data);
        tw_tets_destroy(tets);
    }
    ENSURE(loaded > 100);
    return 0;
}

static int cut_tetgen_files_are_survived(void)
{
    for (int part = 0; part < 2; part++)
    {
        twTetMesh* tets = sample(false, false);
        write_tetgen(tets, 1);
        const char* path = in_folder(part ? "body.ele" : "body.node");
        char* data;
        size_t bytes;
        ENSURE(tw_file_read(&data, &bytes, path, 1 << 20, NULL) == TW_OK);
        for (size_t length = 0; length + 60 < bytes; length += 37)
        {
            FILE* file = fopen(path, "wb");
            ENSURE(file && fwrite(data, 1, length, file) == length);
            fclose(file);
            twTetMesh* back;
            twError err = {0};
            ENSURE(tw_tets_load(&back, path, 1, &err) == TW_BAD_INPUT && !back && strstr(err.text, "body."));
        }
        free(data);
        tw_tets_destroy(tets);
    }
    return 0;
}

int main(int argc, char** argv)
{
    int ran = 0, failed = 0;
    if (!mkdtemp(folder)) return 1;
    RUN(the_regular_tetrahedron_is_best)
    RUN(the_corner_of_a_cube_has_known_quality)
    RUN(mass_of_tets_is_that_of_their_surface)
    RUN(regions_weigh_as_their_materials)
    RUN(mass_of_a_curved_tet_is_exact)
    RUN(the_surface_of_tets_is_closed_and_outward)
    RUN(mid_nodes_halve_every_edge_once)
    RUN(snapping_raises_the_order_of_a_curved_body)
    RUN(folded_elements_are_made_straight_again)
    RUN(all_tet_formats_agree)
    RUN(tets_inside_out_are_turned)
    RUN(errors_of_tet_files_say_what_is_wrong)
    RUN(damaged_tet_files_are_survived)
    RUN(cut_tetgen_files_are_survived)
    const char* names[] = {"body.msh", "body.node", "body.ele", "text.msh"};
    for (int i = 0; i < 4; i++) unlink(in_folder(names[i]));
    rmdir(folder);
    printf("%d of %d claims hold\n", ran - failed, ran);
    return failed > 0 || ran == 0;
}
