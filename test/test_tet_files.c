// SPDX-License-Identifier: MIT
// Tests of the readers of tetrahedra: the formats of Gmsh and TetGen agree, files are damaged in every way.
#define _XOPEN_SOURCE 700
#include "mesh/tet_soup.h"
#include "mesh/tets.h"
#include "mesh_files.h"
#include "test.h"

// ---- writers ----

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
        // as TetGen 1.5 writes them with -o2: of edges 23, 03, 01, 12, 13, 02
        static const int order[6] = {5, 3, 0, 1, 4, 2};
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

static int regions_keep_their_numbers_and_names(void)
{
    // of Gmsh 2.2, Gmsh 4.1 and TetGen, as the writers above have them
    static const long long tags[3][2] = {{3, 7}, {4, 9}, {-1, 20}};
    for (int format = 0; format < 6; format++)
    {
        twTetMesh *tets = sample(false, true), *back;
        ENSURE(tw_tets_load(&back, write_format(tets, format), 1, NULL) == TW_OK);
        ENSURE(back->region_count == 2);
        for (int i = 0; i < 2; i++) ENSURE(back->region_list[i].tag == tags[format / 2][i]);
        ENSURE(strcmp(back->region_list[1].name, format < 2 ? "body" : "") == 0 && !back->region_list[0].name[0]);
        tw_tets_destroy(tets);
        tw_tets_destroy(back);
    }
    // without groups the volumes are the regions; with one, all that is in none is region 0
    for (int group = 0; group < 2; group++)
    {
        FILE* file = fopen(in_folder("volumes.msh"), "w");
        ENSURE(file);
        fprintf(file,
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 5 \"skin\"\n3 5 \"a\nb\"\n"
                "$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
                "$Elements\n2\n1 4 2 %d 11 1 2 3 4\n2 4 2 0 12 2 3 4 5\n$EndElements\n",
                group ? 5 : 0);
        ENSURE(fclose(file) == 0);
        twTetMesh* back;
        ENSURE(tw_tets_load(&back, in_folder("volumes.msh"), 1, NULL) == TW_OK && back->region_count == 2);
        ENSURE(back->region_list[0].tag == (group ? 0 : 11) && back->region_list[1].tag == (group ? 5 : 12));
        ENSURE(strcmp(back->region_list[1].name, group ? "a?b" : "") == 0);
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

static twStatus load_tets_text(const char* text, twError* err)
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
        twStatus status = load_tets_text(cases[i][0], &err);
        if (!strstr(err.text, cases[i][1])) printf("%zu: %s\n", i, err.text);
        ENSURE(status == TW_BAD_INPUT && strstr(err.text, cases[i][1]) && strstr(err.text, "text.msh"));
    }
    twError err;
    twTetMesh* tets;
    ENSURE(load_tets_text(NODES "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n", &err) == TW_OK);
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

// clang-format off
TEST_MAIN(
    RUN(all_tet_formats_agree)
    RUN(regions_keep_their_numbers_and_names)
    RUN(tets_inside_out_are_turned)
    RUN(errors_of_tet_files_say_what_is_wrong)
    RUN(damaged_tet_files_are_survived)
    RUN(cut_tetgen_files_are_survived)
)
