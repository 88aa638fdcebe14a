// SPDX-License-Identifier: MIT
// Tests of the GLB reader: transforms, kinds of primitives and numbers, and what it refuses.
#define _XOPEN_SOURCE 700
#include "mesh_files.h"
#include "test.h"
#include <sys/stat.h>
#include <unistd.h>

static int glb_places_its_nodes(void)
{
    // a parent that doubles and moves, a child turned by 90 degrees about z, one with a matrix, one mirrored
    static const char nodes[] =
        ",\"nodes\":[{\"children\":[1,2],\"scale\":[2,2,2],\"translation\":[10,0,0]},"
        "{\"mesh\":0,\"rotation\":[0,0,0.7071067811865476,0.7071067811865476]},"
        "{\"mesh\":0,\"matrix\":[1,0,0,0, 0,3,0,0, 0,0,1,0, 0,0,50,1]},"
        "{\"mesh\":0,\"scale\":[-1,1,1],\"translation\":[-20,0,0]},{\"mesh\":0}],\"scenes\":[{\"nodes\":[4]},{\"nodes\":[0,3]}],"
        "\"scene\":1";
    twMesh* box = box_mesh(tw_vec3(0, 0, 0), tw_vec3(1, 2, 3));
    Bytes bytes = as_glb(box, 5123, nodes);
    twMesh* mesh;
    ENSURE(tw_mesh_load(&mesh, write_file("nodes.glb", bytes.data, bytes.count), 1, NULL) == TW_OK);
    ENSURE(mesh->face_count == 36 && mesh->vertex_count == 24);

    // volumes: 8 * 6 + 8 * 3 * 6 + 6, all outward though one is mirrored
    ENSURE_NEAR(tw_mesh_mass(mesh, 1).volume, 48 + 144 + 6, 1e-4);
    twMeshReport report = tw_mesh_check(mesh);
    ENSURE(report.flipped_faces == 0 && report.components == 3);
    double least_x = HUGE_VAL, least_turned = HUGE_VAL, most_turned = -HUGE_VAL;
    for (int v = 0; v < 24; v++) least_x = fmin(least_x, mesh->vertices[v].x);
    for (int v = 0; v < 8; v++) least_turned = fmin(least_turned, mesh->vertices[v].x);
    for (int v = 0; v < 8; v++) most_turned = fmax(most_turned, mesh->vertices[v].y);
    ENSURE_NEAR(least_x, -21, 1e-12);
    ENSURE_NEAR(least_turned, 10 - 2 * 2, 1e-12);
    ENSURE_NEAR(most_turned, 2, 1e-12);
    tw_mesh_destroy(mesh);
    tw_mesh_destroy(box);
    free(bytes.data);
    return 0;
}

static int glb_reads_strips_fans_and_small_integers(void)
{
    // a unit square: as a strip of bytes that stand for 0..1, as a fan of shorts, with strides and offsets
    static const char json[] =
        "{\"buffers\":[{\"byteLength\":72}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":16,\"byteStride\":4},"
        "{\"buffer\":0,\"byteOffset\":16,\"byteLength\":56,\"byteStride\":12}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5121,\"normalized\":true,\"count\":4,\"type\":\"VEC3\"},{\"bufferView\":1,\"byteOffset\":8,"
        "\"componentType\":5122,\"count\":4,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"mode\":5,\"attributes\":{"
        "\"POSITION\":0},\"material\":3},{\"mode\":6,\"attributes\":{\"POSITION\":1},\"material\":1},{\"mode\":1,"
        "\"attributes\":{\"POSITION\":1}}]}]}";
    static const int strip[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}}, fan[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};
    Bytes binary = {0};
    for (int i = 0; i < 4; i++)
    {
        put_unsigned(&binary, (uint64_t)strip[i][0] * 255, 1, false);
        put_unsigned(&binary, (uint64_t)strip[i][1] * 255, 1, false);
        put_unsigned(&binary, 0, 2, false);
    }
    put_unsigned(&binary, 0, 8, false);
    for (int i = 0; i < 4; i++)
    {
        put_unsigned(&binary, (uint64_t)(int64_t)fan[i][0], 2, false);
        put_unsigned(&binary, (uint64_t)(int64_t)fan[i][1], 2, false);
        put_unsigned(&binary, 9, 2, false);
        put_unsigned(&binary, 0, 6, false);
    }
    Bytes bytes = glb_of(json, binary);
    twMesh* mesh;
    twError err = {0};
    twStatus status = tw_mesh_load(&mesh, write_file("strip.glb", bytes.data, bytes.count), 1, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    ENSURE(mesh->face_count == 4 && mesh->vertex_count == 8);
    ENSURE(mesh->regions && mesh->regions[0] == 0 && mesh->regions[3] == 1);
    ENSURE(mesh->vertices[3].x == 1 && mesh->vertices[3].y == 1 && mesh->vertices[6].y == -1 &&
           mesh->vertices[6].z == 9);
    for (int f = 0; f < 4; f++)
    {
        const int* v = mesh->faces[f].v;
        twVec3 a = mesh->vertices[v[0]];
        ENSURE_NEAR(tw_vec3_cross(tw_vec3_sub(mesh->vertices[v[1]], a), tw_vec3_sub(mesh->vertices[v[2]], a)).z, 1,
                    1e-15);
    }
    tw_mesh_destroy(mesh);
    free(bytes.data);
    return 0;
}

// ---- buffers in other files ----

// the cube as .gltf, with a buffer of such a URI, which has so many bytes as it says
static twStatus load_gltf(twMesh** mesh, const char* uri, int bytes, twError* err)
{
    Bytes text = {0};
    char buffer[3000];
    snprintf(buffer, sizeof buffer,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"%s\",\"byteLength\":%d}],", uri, bytes);
    put_text(&text, buffer);
    put_text(&text,
             "\"bufferViews\":[{\"buffer\":0,\"byteLength\":96},{\"buffer\":0,\"byteOffset\":96,\"byteLength\":36}],"
             "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\"},{\"bufferView\":1,"
             "\"componentType\":5121,\"count\":36,\"type\":\"SCALAR\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
             "\"POSITION\":0},\"indices\":1}]}]}");
    const char* path = write_file("cube.gltf", text.data, text.count);
    free(text.data);
    if (tw_mesh_kind(path) != TW_MESH_SURFACE) abort();
    return tw_mesh_load(mesh, path, 1, err);
}

static void write_cube_buffer(const char* name)
{
    twMesh* cube = cube_mesh();
    Bytes binary = glb_binary(cube, 1);
    write_file(name, binary.data, binary.count);
    free(binary.data);
    tw_mesh_destroy(cube);
}

static int gltf_reads_buffers_beside_it(void)
{
    static const char* const uris[] = {"cube.bin",           "./cube.bin",   "a%20b/%C3%BC.bin",
                                       "a b//./\\u00fc.bin", "%63ube%2ebin", "a%20b%2F%C3%bc.bin"};
    ENSURE(tw_make_folder(in_folder("a b"), NULL) == TW_OK);
    write_cube_buffer("cube.bin");
    write_cube_buffer("a b/\xC3\xBC.bin");
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++)
    {
        twMesh* mesh;
        twError err = {0};
        if (load_gltf(&mesh, uris[i], 132, &err) != TW_OK) printf("%s: %s\n", uris[i], err.text);
        ENSURE(mesh && mesh->face_count == 12);
        ENSURE_NEAR(tw_mesh_mass(mesh, 1).volume, 1, 1e-6);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

static int gltf_reads_nothing_outside_its_folder(void)
{
    // the buffer is right wherever it is, so only where it is makes the difference
    char absolute[600], endless[2001], twice[600];
    write_cube_buffer("cube.bin");
    write_cube_buffer("short.bin");
    ENSURE(tw_make_folder(in_folder("inside"), NULL) == TW_OK);
    ENSURE(truncate(in_folder("short.bin"), 131) == 0);
    unlink(in_folder("link.bin"));
    unlink(in_folder("linked"));
    unlink(in_folder("pipe.bin"));
    ENSURE(symlink("cube.bin", in_folder("link.bin")) == 0 && symlink(".", in_folder("linked")) == 0);
    ENSURE(mkfifo(in_folder("pipe.bin"), 0600) == 0);
    snprintf(absolute, sizeof absolute, "%s", in_folder("cube.bin"));
    const char* folder = strrchr(scratch_folder(), '/') + 1;
    snprintf(twice, sizeof twice, "../%s/cube.bin", folder);
    memset(endless, 'a', 2000);
    endless[2000] = 0;
    const char* const refused[][2] = {{absolute, "in the folder of"},
                                      {twice, "in the folder of"},
                                      {"inside/../cube.bin", "in the folder of"},
                                      {"inside/%2e%2E/cube.bin", "in the folder of"},
                                      {"%2e./x/cube.bin", "in the folder of"},
                                      {"%2Fetc/passwd", "in the folder of"},
                                      {"..", "in the folder of"},
                                      {"", "in the folder of"},
                                      {"file:cube.bin", "address"},
                                      {"https://a.b/cube.bin", "address"},
                                      {"C:cube.bin", "address"},
                                      {"data:application/octet-stream,abc", "address"},
                                      {"link.bin", "symbolic link"},
                                      {"linked/cube.bin", "symbolic link"},
                                      {"pipe.bin", "regular file"},
                                      {"inside", "regular file"},
                                      {"inside/", "regular file"},
                                      {"cube.bin/x", "cannot read"},
                                      {"cube%00.bin", "hexadecimal"},
                                      {"cube%2.bin", "hexadecimal"},
                                      {"cube.bin%", "hexadecimal"},
                                      {"other.bin", "one .glb"},
                                      {"short.bin", "should have 132 bytes, but short.bin has 131"},
                                      {endless, "too long"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    {
        twMesh* mesh;
        twError err = {0};
        ENSURE(load_gltf(&mesh, refused[i][0], 132, &err) == TW_BAD_INPUT && !mesh);
        if (!strstr(err.text, refused[i][1])) printf("%s: %s\n", refused[i][0], err.text);
        ENSURE(strstr(err.text, refused[i][1]) && strstr(err.text, "cube.gltf") && strstr(err.text, "buffer 0"));
    }
    return 0;
}

static int glb_says_what_is_wrong(void)
{
    // what is changed in the JSON, into what no longer than it, and a word of the message
    static const char* const changes[][3] = {
        {"\"bufferView\":1", "\"bufferView\":7", "bufferView 7"},
        {"\"POSITION\":0", "\"POSITION\":9", "accessor 9"},
        {"\"byteOffset\":96", "\"byteOffset\":99", "beyond"},
        {"\"count\":36", "\"count\":99", "beyond"},
        {"\"componentType\":5121", "\"componentType\":5124", "componentType"},
        {"\"componentType\":5121", "\"componentType\":5126", "beyond"},
        {"\"type\":\"VEC3\"", "\"type\":\"MAT4\"", "vector"},
        {"\"type\":\"VEC3\"", "\"type\":\"VEC2\"", "VEC3"},
        {"\"mesh\":0", "\"mesh\":4", "mesh 4"},
        {"\"scene\":0", "\"scene\":3", "scene"},
        {"[{\"nodes\":[0]}]", "[{\"nodes\":[6]}]", "node 6"},
        {"\"asset\":{\"version\"", "\"asset\":{\"version'", "of its JSON"},
        {"\"byteLength\":132}]", "\"byteLength\":100}]", "beyond"},
        {"\"byteLength\":132}]", "\"uri\":\"othe.bin\"}]", "one .glb"},
        {"\"bufferView\":0,\"componentType\":5126", "\"sparse\":{}, \"componentType\":5126", "sparse"},
    };
    twMesh* box = cube_mesh();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    {
        Bytes bytes = as_glb(box, 5121, ONE_NODE);
        bytes.data[bytes.count] = 0;
        char* at = NULL;
        for (size_t k = 0; k + strlen(changes[i][0]) <= bytes.count && !at; k++)
            if (memcmp(bytes.data + k, changes[i][0], strlen(changes[i][0])) == 0) at = bytes.data + k;
        ENSURE(at);
        size_t length = strlen(changes[i][1]), room = strlen(changes[i][0]);
        ENSURE(length <= room);
        memcpy(at, changes[i][1], length);
        memset(at + length, ' ', room - length);
        twMesh* mesh;
        twError err = {0};
        ENSURE(tw_mesh_load(&mesh, write_file("bad.glb", bytes.data, bytes.count), 1, &err) == TW_BAD_INPUT && !mesh);
        if (!strstr(err.text, changes[i][2])) printf("%zu: %s\n", i, err.text);
        ENSURE(strstr(err.text, changes[i][2]) && strstr(err.text, "bad.glb"));
        free(bytes.data);
    }
    tw_mesh_destroy(box);
    return 0;
}

static int glb_refuses_compression_and_copies_without_end(void)
{
    static const char* const extras[][2] = {
        {",\"nodes\":[{\"mesh\":0,\"children\":[1]},{\"children\":[0]}],\"scenes\":[{\"nodes\":[0]}]", "tree"},
        {",\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0,0]}]", "twice"},
        {",\"nodes\":[{\"mesh\":-1}]", "number"},
        {",\"nodes\":[{\"children\":[0]}]", "no faces"},
        {",\"nodes\":[],\"scenes\":[{}]", "no faces"},
    };
    twMesh* box = cube_mesh();
    twMesh* mesh;
    twError err;
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++)
    {
        Bytes bytes = as_glb(box, 5121, extras[i][0]);
        ENSURE(tw_mesh_load(&mesh, write_file("bad.glb", bytes.data, bytes.count), 1, &err) == TW_BAD_INPUT);
        if (!strstr(err.text, extras[i][1])) printf("%s\n", err.text);
        ENSURE(strstr(err.text, extras[i][1]));
        free(bytes.data);
    }
    tw_mesh_destroy(box);

    // compressed meshes have no plain data
    Bytes none = {0};
    Bytes bytes = glb_of("{\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"extensions\":{"
                         "\"KHR_draco_mesh_compression\":{}}}]}]}",
                         none);
    ENSURE(tw_mesh_load(&mesh, write_file("draco.glb", bytes.data, bytes.count), 1, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "Draco"));
    free(bytes.data);

    // a great many copies of a small mesh, and JSON nested without end
    Bytes json = {0};
    put_text(&json,
             "{\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{"
             "\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[");
    for (int i = 0; i < 2000; i++)
        put_text(&json, i ? ",{\"attributes\":{\"POSITION\":0}}" : "{\"attributes\":{\"POSITION\":0}}");
    put_text(&json, "]}],\"nodes\":[");
    for (int i = 0; i < 2000; i++) put_text(&json, i ? ",{\"mesh\":0}" : "{\"mesh\":0}");
    put_text(&json, "]}");
    put(&json, "", 1);
    Bytes points = {0};
    for (int i = 0; i < 9; i++) put_float(&points, i % 4 == 0, false);
    bytes = glb_of(json.data, points);
    ENSURE(tw_mesh_load(&mesh, write_file("many.glb", bytes.data, bytes.count), 1, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "copies"));
    free(bytes.data);
    free(json.data);
    char deep[1001];
    memset(deep, '[', 1000);
    deep[1000] = 0;
    bytes = glb_of(deep, none);
    ENSURE(tw_mesh_load(&mesh, write_file("deep.glb", bytes.data, bytes.count), 1, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "deep"));
    free(bytes.data);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(glb_places_its_nodes)
    RUN(glb_reads_strips_fans_and_small_integers)
    RUN(gltf_reads_buffers_beside_it)
    RUN(gltf_reads_nothing_outside_its_folder)
    RUN(glb_says_what_is_wrong)
    RUN(glb_refuses_compression_and_copies_without_end)
)
