// SPDX-License-Identifier: MIT
// Surfaces to files: OBJ as text with as many digits as read back to the same doubles; PLY as little-endian doubles.
// Regions become materials named region_0, region_1, ... in OBJ and a property of the faces in PLY.
#include "twang/mesh.h"
#include <stdlib.h>
#include <string.h>

// ---- OBJ ----

// the shortest of 15 or 17 digits that reads back, with a dot whatever the locale
static void write_number(FILE* stream, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
    bool dotted = false;
    fputc(' ', stream);
    for (const char* s = text; *s; s++)
    {
        bool plain = strchr("0123456789+-einfa", *s) != NULL;
        if (plain || !dotted) fputc(plain ? *s : '.', stream);
        dotted = dotted || !plain;
    }
}

static void write_obj(FILE* stream, const twMesh* mesh)
{
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        fputc('v', stream);
        write_number(stream, mesh->vertices[v].x);
        write_number(stream, mesh->vertices[v].y);
        write_number(stream, mesh->vertices[v].z);
        fputc('\n', stream);
    }
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        if (mesh->regions && (f == 0 || mesh->regions[f] != mesh->regions[f - 1]))
            fprintf(stream, "usemtl region_%d\n", mesh->regions[f]);
        fprintf(stream, "f %d %d %d\n", v[0] + 1, v[1] + 1, v[2] + 1);
    }
}

// ---- PLY ----

static void write_bytes(FILE* stream, uint64_t value, int size)
{
    unsigned char bytes[8];
    for (int i = 0; i < size; i++) bytes[i] = (unsigned char)(value >> 8 * i);
    fwrite(bytes, 1, (size_t)size, stream);
}

static void write_double(FILE* stream, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_bytes(stream, bits, 8);
}

static void write_ply(FILE* stream, const twMesh* mesh)
{
    fprintf(stream, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", mesh->vertex_count);
    fprintf(stream, "property double x\nproperty double y\nproperty double z\nelement face %d\n", mesh->face_count);
    fprintf(stream, "property list uchar int vertex_indices\n%send_header\n",
            mesh->regions ? "property int region\n" : "");
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        write_double(stream, mesh->vertices[v].x);
        write_double(stream, mesh->vertices[v].y);
        write_double(stream, mesh->vertices[v].z);
    }
    for (int f = 0; f < mesh->face_count; f++)
    {
        write_bytes(stream, 3, 1);
        for (int i = 0; i < 3; i++) write_bytes(stream, (uint32_t)mesh->faces[f].v[i], 4);
        if (mesh->regions) write_bytes(stream, (uint32_t)mesh->regions[f], 4);
    }
}

// ---- by name ----

static bool ends_with(const char* text, const char* ending)
{
    size_t length = strlen(text), wanted = strlen(ending);
    if (length < wanted) return false;
    for (size_t i = 0; i < wanted; i++)
    {
        char c = text[length - wanted + i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != ending[i]) return false;
    }
    return true;
}

twStatus tw_mesh_save(const twMesh* mesh, const char* path, twError* err)
{
    bool obj = ends_with(path, ".obj");
    if (!obj && !ends_with(path, ".ply"))
        return tw_fail(err, TW_BAD_INPUT, "cannot write %s: the name of a mesh file must end with .obj or .ply", path);
    twFile* file;
    twStatus status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    if (obj)
        write_obj(tw_file_stream(file), mesh);
    else
        write_ply(tw_file_stream(file), mesh);
    return tw_file_commit(&file, err);
}
