// SPDX-License-Identifier: MIT
// Tests of the surface readers and writers: all formats agree, files are damaged in every way.
#define _XOPEN_SOURCE 700
#include "mesh/scan.h"
#include "mesh/soup.h"
#include "mesh_files.h"
#include "test.h"
#include <locale.h>

// ---- good files ----

static int all_formats_agree(void)
{
    // floats hold these coordinates to 7 digits
    twMesh* box = box_mesh(tw_vec3(-0.1, 0.2, 5), tw_vec3(0.3048, 0.0254, 0.0127));
    twMassProperties wanted = tw_mesh_mass(box, 1);
    for (int format = 0; format < FORMATS; format++)
    {
        Bytes bytes = as_format(box, format);
        twMesh* mesh;
        twError err = {0};
        twStatus status = tw_mesh_load(&mesh, write_file("mesh", bytes.data, bytes.count), 1, &err);
        if (status != TW_OK) printf("format %d: %s\n", format, err.text);
        ENSURE(status == TW_OK);
        ENSURE(mesh->face_count == 12 && mesh->vertex_count == 8 && !mesh->regions);
        twMassProperties mass = tw_mesh_mass(mesh, 1);
        ENSURE_NEAR(mass.volume, wanted.volume, 1e-4 * wanted.volume);
        ENSURE_NEAR(mass.centre.x, wanted.centre.x, 1e-7);
        ENSURE_NEAR(mass.inertia.m[1][1], wanted.inertia.m[1][1], 1e-4 * wanted.inertia.m[1][1]);
        twMeshReport report = tw_mesh_check(mesh);
        ENSURE(report.boundary_edges == 0 && report.flipped_faces == 0);
        tw_mesh_destroy(mesh);
        free(bytes.data);
    }
    tw_mesh_destroy(box);
    return 0;
}

static int saved_meshes_come_back_to_the_bit(void)
{
    twRng rng = tw_rng(5);
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 1, 4);
    mesh->regions = calloc((size_t)mesh->face_count, sizeof(int));
    for (int v = 0; v < mesh->vertex_count; v++)
        mesh->vertices[v] = tw_vec3(tw_rng_normal(&rng), ldexp(tw_rng_normal(&rng), -200), tw_rng_normal(&rng) * 1e20);
    mesh->vertices[3] = tw_vec3(-0.0, 5e-324, 1.7976931348623157e308);
    for (int f = 0; f < mesh->face_count; f++) mesh->regions[f] = 3 - f / 40;
    const char* names[] = {"saved.obj", "saved.PLY"};
    for (int k = 0; k < 2; k++)
    {
        const char* path = in_folder(names[k]);
        twMesh* back;
        ENSURE(tw_mesh_save(mesh, path, NULL) == TW_OK);
        ENSURE(tw_mesh_load(&back, path, 1, NULL) == TW_OK);
        ENSURE(back->vertex_count == mesh->vertex_count && back->face_count == mesh->face_count && back->regions);
        ENSURE(memcmp(back->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof(twVec3)) == 0);
        ENSURE(memcmp(back->faces, mesh->faces, (size_t)mesh->face_count * sizeof(twTriangle)) == 0);
        ENSURE(memcmp(back->regions, mesh->regions, (size_t)mesh->face_count * sizeof(int)) == 0);
        tw_mesh_destroy(back);
    }
    twError err;
    ENSURE(tw_mesh_save(mesh, in_folder("saved.stl"), &err) == TW_BAD_INPUT && strstr(err.text, ".obj or .ply"));
    tw_mesh_destroy(mesh);
    return 0;
}

static int units_scale_all_formats(void)
{
    twMesh* box = box_mesh(tw_vec3(0, 0, 0), tw_vec3(300, 20, 10));
    for (int format = 0; format < FORMATS; format++)
    {
        Bytes bytes = as_format(box, format);
        const char* path = write_file("mesh", bytes.data, bytes.count);
        twMesh* mesh;
        ENSURE(tw_mesh_load(&mesh, path, 0.001, NULL) == TW_OK);
        ENSURE_NEAR(tw_mesh_mass(mesh, 7850).mass, 7850 * 0.3 * 0.02 * 0.01, 1e-9);
        tw_mesh_destroy(mesh);
        ENSURE(tw_mesh_load(&mesh, path, 0, NULL) == TW_BAD_INPUT);
        ENSURE(tw_mesh_load(&mesh, path, NAN, NULL) == TW_BAD_INPUT && !mesh);
        free(bytes.data);
    }
    tw_mesh_destroy(box);
    return 0;
}

static int obj_reads_what_programs_write(void)
{
    // CR LF, tabs, colours after coordinates, texture and normal numbers, negative numbers, continued lines, comments
    static const char text[] = "\xEF\xBB\xBF# made by hand\r\nmtllib none.mtl\r\no thing\r\n"
                               "v 0 0 0 1 1 1\r\nv\t1 0 0\r\nv 1. 1 +0\r\nv 0 1e0 0\r\nvt 0 0\r\nvn 0 0 1\r\n"
                               "v .5 .5 1e+0\r\n\r\ns off\r\n"
                               "f 4/1/1 3/1/1 2/1/1 1/1/1\r\nf 1//1 2//1 -1//1 # and so on\r\nf 2/1 3/1 \\\r\n5/1\r\n"
                               "f -3 -2 -1\r\nf 4 1 5";
    twMesh* mesh;
    ENSURE(load_text(&mesh, text, NULL) == TW_OK);
    ENSURE(mesh->vertex_count == 5 && mesh->face_count == 6);
    twMeshReport report = tw_mesh_check(mesh);
    ENSURE(report.boundary_edges == 0 && report.flipped_faces == 0);
    ENSURE_NEAR(report.volume, 1.0 / 3, 1e-15);
    tw_mesh_destroy(mesh);

    // old Macintosh lines
    ENSURE(load_text(&mesh, "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", NULL) == TW_OK);
    ENSURE(mesh->face_count == 1);
    tw_mesh_destroy(mesh);
    return 0;
}

static int off_reads_what_programs_write(void)
{
    // a pyramid: colours of vertices and faces, comments, blank lines, no edges, counts beside the word or without it, one a line
    static const char* const heads[] = {"OFF\n5 5 8\n",
                                        "COFF # coloured\n\n5 5\n",
                                        "OFF 5 5 0\n",
                                        "NOFF\r\n 5 5 0\r\n",
                                        "STCNOFF\n5 5 0 \n",
                                        "OFF5 5 0\n",
                                        "off\n5\n5\n8\n",
                                        "5 5 0\n",
                                        "\xEF\xBB\xBF# first\n  OFF\n# second\n5 5 0\n"};
    static const char body[] =
        "# vertices\n0 0 0 255 0 0\n1 0 0 1 2 3 4\n\n1 1 0 # here\n0 1 0\n.5 5e-1 1\n"
        "4 3 2 1 0 255 0 0\n3 0 1 4 0.5 0.5 0.5 1\n  3\t1 2 4 7\n# between\n3 2 3 4\n3 3 0 4\nbehind the end";
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    {
        Bytes bytes = {0};
        twMesh* mesh;
        twError err = {0};
        put_text(&bytes, heads[i]);
        put_text(&bytes, body);
        const char* path = write_file("cup.off", bytes.data, bytes.count);
        if (tw_mesh_load(&mesh, path, 1, &err) != TW_OK) printf("%zu: %s\n", i, err.text);
        ENSURE(mesh && mesh->vertex_count == 5 && mesh->face_count == 6 && !mesh->regions);
        ENSURE(tw_mesh_kind(path) == TW_MESH_SURFACE);
        twMeshReport report = tw_mesh_check(mesh);
        ENSURE(report.boundary_edges == 0 && report.flipped_faces == 0);
        ENSURE_NEAR(report.volume, 1.0 / 3, 1e-15);
        tw_mesh_destroy(mesh);
        free(bytes.data);
    }
    return 0;
}

static int ply_strips_are_triangles_that_take_turns(void)
{
    // a tetrahedron without its last side, with it behind a -1, and behind repeated vertices, which make no triangles
    static const char* const strips[] = {"element tristrips 1\nproperty list int int vertex_indices\nend_header\n",
                                         "10 0 1 2 3 0 0 0 -1 0 3 -1", "9 0 1 2 3 0 -1 0 3 1", "9 0 1 2 3 0 0 0 3 1"};
    static const int wanted[] = {0, 3, 4, 4};
    for (int i = 1; i < 4; i++)
    {
        Bytes bytes = {0};
        twMesh* mesh;
        put_text(&bytes,
                 "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n");
        put_text(&bytes, strips[0]);
        put_text(&bytes, "0 0 0\n0 1 0\n1 0 0\n0 0 1\n");
        put_text(&bytes, strips[i]);
        ENSURE(tw_mesh_load(&mesh, write_file("strip.ply", bytes.data, bytes.count), 1, NULL) == TW_OK);
        ENSURE(mesh->face_count == wanted[i]);
        const twMeshReport report = tw_mesh_check(mesh);
        if (i > 1) ENSURE(report.boundary_edges == 0 && report.flipped_faces == 0);
        if (i > 1) ENSURE_NEAR(report.volume, 1.0 / 6, 1e-12);
        tw_mesh_destroy(mesh);
        free(bytes.data);
    }
    return 0;
}

static int polygons_are_split_within_themselves(void)
{
    // an L, from all six starting corners: the area is that of the L, and no triangle looks the other way
    static const double outline[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    for (int start = 0; start < 6; start++)
    {
        Bytes bytes = {0};
        for (int i = 0; i < 6; i++)
        {
            put_number(&bytes, "v 0 %g", outline[(start + i) % 6][0]);
            put_number(&bytes, " %g\n", outline[(start + i) % 6][1]);
        }
        put_text(&bytes, "f 1 2 3 4 5 6\n");
        twMesh* mesh;
        ENSURE(tw_mesh_load(&mesh, write_file("l.obj", bytes.data, bytes.count), 1, NULL) == TW_OK);
        ENSURE(mesh->face_count == 4);
        double area = 0;
        for (int f = 0; f < 4; f++)
        {
            const int* v = mesh->faces[f].v;
            twVec3 a = mesh->vertices[v[0]];
            double twice = tw_vec3_cross(tw_vec3_sub(mesh->vertices[v[1]], a), tw_vec3_sub(mesh->vertices[v[2]], a)).x;
            ENSURE(twice > 0);
            area += 0.5 * twice;
        }
        ENSURE_NEAR(area, 4, 1e-15);
        tw_mesh_destroy(mesh);
        free(bytes.data);
    }

    // very many corners are no trouble either
    Bytes bytes = {0};
    for (int i = 0; i < 5000; i++)
    {
        put_number(&bytes, "v %.15g", cos(2 * TW_PI * i / 5000));
        put_number(&bytes, " %.15g 0\n", sin(2 * TW_PI * i / 5000));
    }
    put_text(&bytes, "f");
    for (int i = 1; i <= 5000; i++) put_number(&bytes, " %g", i);
    twMesh* mesh;
    ENSURE(tw_mesh_load(&mesh, write_file("disc.obj", bytes.data, bytes.count), 1, NULL) == TW_OK);
    ENSURE(mesh->face_count == 4998);
    tw_mesh_destroy(mesh);
    free(bytes.data);
    return 0;
}

static int materials_become_regions(void)
{
    static const char text[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl unused\nusemtl a steel\nf 1 2 3\nusemtl a wood\n"
        "f 1 2 4\nusemtl a steel \nf 1 3 4\n";
    twMesh* mesh;
    ENSURE(load_text(&mesh, text, NULL) == TW_OK);
    ENSURE(mesh->regions && mesh->regions[0] == 0 && mesh->regions[1] == 1 && mesh->regions[2] == 0);
    tw_mesh_destroy(mesh);
    return 0;
}

static int stl_shares_equal_vertices_whatever_the_case(void)
{
    twMesh* mesh;
    ENSURE(load_text(
               &mesh,
               "SOLID\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX -0 1 0\nENDLOOP\nENDFACET\n"
               "facet normal 0 0 1 outer loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop endfacet\nENDSOLID\n",
               NULL) == TW_OK);
    ENSURE(mesh->vertex_count == 4 && mesh->face_count == 2);
    tw_mesh_destroy(mesh);
    return 0;
}

static int bad_coordinates_are_left_to_mending(void)
{
    twMesh* box = cube_mesh();
    Bytes bytes = as_obj(box);
    put_text(&bytes, "v nan 0 -inf\nv 1e999 -NaN(0x5) 0\nf 9 2 3\nf 10 1 2\n");
    twMesh* mesh;
    twMeshReport report;
    ENSURE(tw_mesh_load(&mesh, write_file("nan.obj", bytes.data, bytes.count), 1, NULL) == TW_OK);
    ENSURE(isnan(mesh->vertices[8].x) && mesh->vertices[8].z == -HUGE_VAL && mesh->vertices[9].x == HUGE_VAL);
    ENSURE(tw_mesh_mend(mesh, 0, &report, NULL) == TW_OK);
    ENSURE(report.bad_coordinates == 2 && mesh->face_count == 12);
    ENSURE_NEAR(report.volume, 1, 1e-15);
    tw_mesh_destroy(mesh);
    tw_mesh_destroy(box);
    free(bytes.data);
    return 0;
}

static int numbers_are_read_as_the_c_library_reads_them(void)
{
    static const char* const words[] = {"0.1",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "123456789012345678901234567890",
                                        "4.9e-324",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "1e400",
                                        "-0",
                                        ".5",
                                        "5.",
                                        "+7e-3",
                                        "0000000000000000000000000000001.5",
                                        "0.00000000000000000000001234567",
                                        "1e-400",
                                        "8.5e+0005"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    {
        double value;
        ENSURE(tw_word_number((twWord){words[i], (int)strlen(words[i])}, &value));
        ENSURE_NEAR(value, strtod(words[i], NULL), 0);
    }
    twRng rng = tw_rng(6);
    for (int i = 0; i < 20000; i++)
    {
        char text[64];
        uint64_t bits = tw_rng_next(&rng);
        double number, value;
        memcpy(&number, &bits, 8);
        if (!isfinite(number)) continue;
        if (i % 2) number = tw_rng_normal(&rng);
        snprintf(text, sizeof text, "%.*g", 1 + i % 17, number);
        ENSURE(tw_word_number((twWord){text, (int)strlen(text)}, &value));
        ENSURE_NEAR(value, strtod(text, NULL), 0);
    }
    static const char* const wrong[] = {"",    "-",     ".",   "e5",   "1e",    "1e+", "0x10",
                                        "1,5", "1.2.3", "--1", "nano", "infin", "1f"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        double value;
        ENSURE(!tw_word_number((twWord){wrong[i], (int)strlen(wrong[i])}, &value));
    }
    return 0;
}

// ---- bad files ----

static int errors_name_the_place_and_the_cure(void)
{
    static const char* const cases[][3] = {
        {"v 0 0 0\nv 1 x 0\n", "line 2", "'x'"},
        {"v 0 0 0\nv 1 0\n", "line 2", "coordinate"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4", "vertex 4"},
        {"v 0 0 0\nv 1 0 0\nf 1 2 -3\n", "line 3", "-3"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4", "from 1"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 1.5\n", "line 4", "1.5"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999\n", "line 4", "99999999999"},
        {"v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3", "three"},
        {"v 0 0 0\n", "no faces", ""},
        {"", "empty", ""},
        {"hello\n", "neither OBJ", ""},
        {"# only a comment\n", "neither OBJ", ""},
        {"$MeshFormat\n", "Gmsh", ""},
        {"{\"asset\":{}}", ".glb", ""},
        {"BLENDER-v293RENDH", "is a Blender file", "glTF (.glb), OBJ"},
        {"Kaydara FBX Binary  ", "is an FBX file", ".glb"},
        {"; FBX 7.3.0 project file\n", "is an FBX file", ".glb"},
        {"PXR-USDC", "is a USD file", ".glb"},
        {"#usda 1.0\n", "is a USD file", ".glb"},
        {"ISO-10303-21;\nHEADER;\n", "is a STEP file", "STL"},
        {"<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"\">", "is a Collada file", ".glb"},
        {"PK\3\4 3D/3dmodel.model", "is a 3MF file", "STL"},
        {"PK\3\4 cup.obj", "is a zip archive", "unpack"},
        {"\x1F\x8B", "gzip", "unpack"},
        {"solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", "cut short", "line 2"},
        {"solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "three", "line 2"},
        {"solid x\nvertex 0 0 0\n", "line 2", "facet"},
        {"solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0\n", "line 4", "coordinate"},
        {"solid x\nendsolid\n", "no faces", ""},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nend_header\n", "vertex_indices", ""},
        {"ply\nformat asci 1.0\n", "line 2", "binary_little_endian"},
        {"ply\nelement vertex -3\n", "line 2", "number of elements"},
        {"ply\nproperty float x\n", "line 2", "element"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty flaot x\n", "line 4", "'flaot'"},
        {"ply\nformat ascii 1.0\nelement vertex 1\n", "end_header", ""},
        {"ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n",
         "4000000000", "promises"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0 1 0 0 0 1 0\n3 0 1 3\n",
         "vertex 3, but there are 3, counted from 0", "face 0"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element tristrips 1\nproperty list uchar int vertex_index\nend_header\n0 0 0 1 0 0 0 1 0\n4 0 1 2 3\n",
         "vertex 3, but there are 3, counted from 0", "face 1"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element tristrips 1\nproperty list uchar int vertex_index\nend_header\n0 0 0 1 0 0 0 1 0\n4 0 1 2 -2\n",
         "vertex -1", "face 1"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element tristrips 1\nproperty list uchar float vertex_index\nend_header\n",
         "line 8", "integers"},
        {"OFF\n3 1 3\n0 0 0\n1 0 0\n0 1\n3 0 1 2\n", "line 5", "coordinate"},
        {"OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6", "vertex 3, but there are 3, counted from 0"},
        {"OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "line 6", "vertex -1"},
        {"OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n4 0 1 2\n", "line 6", "after 3 of the 4 corners"},
        {"OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2.5\n", "line 6", "'2.5'"},
        {"OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n0\n", "line 6", "'0'"},
        {"OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "no faces", ""},
        {"OFF\n3 2 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "face 1 of the 2", "line 2 promises"},
        {"OFF\n# so many\n4000000000 2 3\n0 0 0\n", "vertex 1 of the 4000000000", "line 3 promises"},
        {"OFF\n-3 1 0\n", "line 2", "number of vertices"},
        {"OFF\n3 x 0\n", "line 2", "number of faces"},
        {"OFF", "line 2", "number of vertices"},
        {"OFF BINARY\n", "line 1", "export it as text"},
        {"4OFF\n", "line 1", "'4OFF'"},
        {"CnOFF 3\n", "line 1", "'CnOFF'"},
        {"v 0 0 0\nv 1 0,5 0\n", "line 2", "decimal comma: '0,5' should be 0.5"},
        {"OFF\n3 1 3\n0 0 0\n-1,25e-3 0 0\n", "line 4", "'-1,25e-3' should be -1.25e-3"},
        {"solid x\nfacet normal 0 0 0\nouter loop\nvertex 0,0 0,0 1,5\n", "line 4", "'0,0' should be 0.0"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n1 0,5 0\n0 1 0\n3 0 1 3\n",
         "line 11", "'0,5' should be 0.5"},
        {"v 0 0 0\nv 1,2,3\n", "line 2", "'1,2,3' where"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0 1 0 0 0 1 0\n1000000 0 1 3\n",
         "longer than the file", "1e+06"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0 1 0 zero 0 1 0\n3 0 1 3\n",
         "line 10", "'zero'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        twMesh* mesh;
        twError err = {0};
        twStatus status = load_text(&mesh, cases[i][0], &err);
        if (!strstr(err.text, cases[i][1]) || !strstr(err.text, cases[i][2])) printf("%zu: %s\n", i, err.text);
        ENSURE(status == TW_BAD_INPUT && !mesh);
        ENSURE(strstr(err.text, cases[i][1]) && strstr(err.text, cases[i][2]) && strstr(err.text, scratch_folder()));
    }
    twMesh* mesh;
    twError err;
    ENSURE(tw_mesh_load(&mesh, in_folder("missing.obj"), 1, &err) == TW_BAD_INPUT && strstr(err.text, "missing.obj"));
    ENSURE(tw_mesh_load(&mesh, scratch_folder(), 1, &err) == TW_BAD_INPUT && strstr(err.text, "folder"));
    return 0;
}

static int binary_stl_believes_its_size_not_its_count(void)
{
    twMesh* box = cube_mesh();
    Bytes bytes = as_stl_binary(box);
    twMesh* mesh;
    twError err;
    memcpy(bytes.data + 80, "\xFF\xFF\xFF\xFF", 4);
    ENSURE(tw_mesh_load(&mesh, write_file("bad.stl", bytes.data, bytes.count), 1, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "4294967295 faces") && strstr(err.text, "offset 80"));
    memcpy(bytes.data + 80, "\0\0\0\0", 4);
    ENSURE(tw_mesh_load(&mesh, write_file("bad.stl", bytes.data, bytes.count), 1, &err) == TW_BAD_INPUT);

    // a few bytes behind the last face do no harm
    memcpy(bytes.data + 80, "\x0C\0\0\0", 4);
    put_text(&bytes, "tail");
    ENSURE(tw_mesh_load(&mesh, write_file("tail.stl", bytes.data, bytes.count), 1, &err) == TW_OK);
    ENSURE(mesh->face_count == 12);
    tw_mesh_destroy(mesh);
    tw_mesh_destroy(box);
    free(bytes.data);
    return 0;
}

// whatever comes of it must be a sound mesh or an error
static int read_any(const char* data, size_t count, int* loaded)
{
    twMesh* mesh;
    twError err = {0};
    char* copy = malloc(count + 1);  // as long as it may be read, so that the sanitizer sees more
    if (!copy) abort();
    if (count > 0) memcpy(copy, data, count);
    copy[count] = 0;
    twStatus status = tw_mesh_read(&mesh, "any", copy, count, 1, &err);
    free(copy);
    if (status != TW_OK)
    {
        ENSURE(!mesh && err.text[0] && err.status == status);
        return 0;
    }
    *loaded += 1;
    ENSURE(mesh->face_count > 0);
    for (int i = 0; i < 3 * mesh->face_count; i++)
        ENSURE(mesh->faces[i / 3].v[i % 3] >= 0 && mesh->faces[i / 3].v[i % 3] < mesh->vertex_count);
    tw_mesh_mend(mesh, 1e-9, NULL, NULL);
    tw_mesh_destroy(mesh);
    return 0;
}

static int files_cut_anywhere_are_survived(void)
{
    twMesh* box = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.3, 0.2, 0.1));
    for (int format = 0; format < FORMATS; format++)
    {
        Bytes bytes = as_format(box, format);
        int loaded = 0;
        for (size_t length = 0; length < bytes.count; length++)
            if (read_any(bytes.data, length, &loaded) != 0) return 1;

        // text may end after any face; the last newline or word of a binary file may be spare, but no more
        ENSURE(format < 2 || loaded <= 30);
        free(bytes.data);
    }
    tw_mesh_destroy(box);
    return 0;
}

static int damaged_files_are_survived(void)
{
    twMesh* box = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.3, 0.2, 0.1));
    twRng rng = tw_rng(7);
    int loaded = 0;
    for (int format = 0; format < FORMATS; format++)
        for (int round = 0; round < 2000; round++)
        {
            // change, repeat or take out some bytes; digits and brackets more than others
            static const char likely[] = "0123456789-.{}[]\",: \n/\xFF\x7F";
            Bytes bytes = as_format(box, format);
            int changes = 1 + (int)(tw_rng_next(&rng) % 4);
            for (int k = 0; k < changes; k++)
            {
                size_t at = tw_rng_next(&rng) % bytes.count;
                uint64_t how = tw_rng_next(&rng) % 4;
                if (how == 0)
                    bytes.data[at] = (char)tw_rng_next(&rng);
                else if (how == 1)
                    bytes.data[at] = likely[tw_rng_next(&rng) % (sizeof likely)];
                else if (how == 2)
                    memmove(bytes.data + at, bytes.data + at + 1, --bytes.count - at);
                else
                    memmove(bytes.data + at, bytes.data + at / 2, bytes.count - at);
            }
            if (read_any(bytes.data, bytes.count, &loaded) != 0) return 1;
            free(bytes.data);
        }
    tw_mesh_destroy(box);
    ENSURE(loaded > 100);
    return 0;
}

static int random_bytes_are_survived(void)
{
    twRng rng = tw_rng(8);
    static const char* const heads[] = {"", "glTF\2\0\0\0", "ply\n", "solid ", "v 0 0 0\nf ", "# "};
    int loaded = 0;
    for (int round = 0; round < 6000; round++)
    {
        char data[700];
        size_t count = tw_rng_next(&rng) % sizeof data, head = strlen(heads[round % 6]);
        for (size_t i = 0; i < count; i++)
            data[i] = round % 12 < 6 ? (char)tw_rng_next(&rng) : "0123456789 .-/\nvf"[tw_rng_next(&rng) % 17];
        if (count > 8) memcpy(data, heads[round % 6], round % 6 == 1 ? 8 : head);
        if (read_any(data, count, &loaded) != 0) return 1;
    }
    return 0;
}

static int the_locale_does_not_matter(void)
{
    // a locale with a decimal comma, if the system has one
    const char* names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    for (int i = 0; i < 4; i++)
        if (setlocale(LC_NUMERIC, names[i])) break;
    twMesh* mesh = cube_mesh();
    twMesh* back = NULL;
    mesh->vertices[7].x = 1.23456789012345678;
    twStatus saved = tw_mesh_save(mesh, in_folder("locale.obj"), NULL);
    twStatus loaded = tw_mesh_load(&back, in_folder("locale.obj"), 1, NULL);
    setlocale(LC_NUMERIC, "C");
    ENSURE(saved == TW_OK && loaded == TW_OK && back->vertices[7].x == mesh->vertices[7].x);
    tw_mesh_destroy(mesh);
    tw_mesh_destroy(back);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(all_formats_agree)
    RUN(saved_meshes_come_back_to_the_bit)
    RUN(units_scale_all_formats)
    RUN(obj_reads_what_programs_write)
    RUN(off_reads_what_programs_write)
    RUN(ply_strips_are_triangles_that_take_turns)
    RUN(polygons_are_split_within_themselves)
    RUN(materials_become_regions)
    RUN(stl_shares_equal_vertices_whatever_the_case)
    RUN(bad_coordinates_are_left_to_mending)
    RUN(numbers_are_read_as_the_c_library_reads_them)
    RUN(errors_name_the_place_and_the_cure)
    RUN(binary_stl_believes_its_size_not_its_count)
    RUN(files_cut_anywhere_are_survived)
    RUN(damaged_files_are_survived)
    RUN(random_bytes_are_survived)
    RUN(the_locale_does_not_matter)
)
