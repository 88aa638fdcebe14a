// SPDX-License-Identifier: MIT
#pragma once
#include "mesh.h"
#include "scratch.h"
#include <stdio.h>

/// @file
/// Files to test readers with: a folder for them, and meshes in all formats, written byte by byte.

// ---- files ----

// content that grows
typedef struct Bytes
{
    char* data;
    size_t count;
} Bytes;

static inline void put(Bytes* bytes, const void* data, size_t count)
{
    bytes->data = realloc(bytes->data, bytes->count + count + 1);
    if (!bytes->data) abort();
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

static inline void put_text(Bytes* bytes, const char* text) { put(bytes, text, strlen(text)); }

static inline void put_number(Bytes* bytes, const char* format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    put_text(bytes, text);
}

static inline void put_unsigned(Bytes* bytes, uint64_t value, int size, bool big)
{
    for (int i = 0; i < size; i++)
    {
        unsigned char byte = (unsigned char)(value >> 8 * (big ? size - 1 - i : i));
        put(bytes, &byte, 1);
    }
}

static inline void put_float(Bytes* bytes, double value, bool big)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    put_unsigned(bytes, bits, 4, big);
}

static inline void put_vec3(Bytes* bytes, twVec3 p, bool big)
{
    put_float(bytes, p.x, big);
    put_float(bytes, p.y, big);
    put_float(bytes, p.z, big);
}

static inline const char* write_file(const char* name, const void* data, size_t count)
{
    const char* path = in_folder(name);
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(data, 1, count, file) != count) abort();
    fclose(file);
    return path;
}

static inline twStatus load_text(twMesh** mesh, const char* text, twError* err)
{
    return tw_mesh_load(mesh, write_file("text", text, strlen(text)), 1, err);
}

// ---- writers of all formats ----

static inline Bytes as_obj(const twMesh* mesh)
{
    Bytes bytes = {0};
    put_text(&bytes, "# a mesh\n");
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        char line[200];
        snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", mesh->vertices[v].x, mesh->vertices[v].y,
                 mesh->vertices[v].z);
        put_text(&bytes, line);
    }
    for (int f = 0; f < mesh->face_count; f++)
    {
        char line[200];
        const int* v = mesh->faces[f].v;
        snprintf(line, sizeof line, "f %d %d %d\n", v[0] + 1, v[1] + 1, v[2] + 1);
        put_text(&bytes, line);
    }
    return bytes;
}

static inline Bytes as_stl_text(const twMesh* mesh)
{
    Bytes bytes = {0};
    put_text(&bytes, "solid something with a name\n");
    for (int f = 0; f < mesh->face_count; f++)
    {
        put_text(&bytes, "  facet normal 0 0 nan\n    outer loop\n");
        for (int i = 0; i < 3; i++)
        {
            twVec3 p = mesh->vertices[mesh->faces[f].v[i]];
            put_number(&bytes, "      vertex %.9e", p.x);
            put_number(&bytes, " %.9e", p.y);
            put_number(&bytes, " %.9e\n", p.z);
        }
        put_text(&bytes, "    endloop\n  endfacet\n");
    }
    put_text(&bytes, "endsolid something with a name\n");
    return bytes;
}

static inline Bytes as_stl_binary(const twMesh* mesh)
{
    // the head begins like a text, as some programs write it
    Bytes bytes = {0};
    char head[80] = "solid but binary\nfacet";
    put(&bytes, head, 80);
    put_unsigned(&bytes, (uint64_t)mesh->face_count, 4, false);
    for (int f = 0; f < mesh->face_count; f++)
    {
        put_vec3(&bytes, tw_vec3(0, 0, 0), false);
        for (int i = 0; i < 3; i++) put_vec3(&bytes, mesh->vertices[mesh->faces[f].v[i]], false);
        put_unsigned(&bytes, 0, 2, false);
    }
    return bytes;
}

// kind 0 text, 1 little, 2 big
static inline Bytes as_ply(const twMesh* mesh, int kind)
{
    static const char* const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    Bytes bytes = {0};
    char head[400];
    snprintf(
        head, sizeof head,
        "ply\nformat %s 1.0\ncomment with a word\nelement vertex %d\nproperty float nx\nproperty float x\nproperty "
        "float y\nproperty float z\nproperty uchar red\nelement face %d\nproperty uchar kind\nproperty list uchar "
        "ushort vertex_indices\nelement edge 1\nproperty int a\nend_header\n",
        formats[kind], mesh->vertex_count, mesh->face_count);
    put_text(&bytes, head);
    bool big = kind == 2;
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        twVec3 p = mesh->vertices[v];
        char line[200];
        snprintf(line, sizeof line, "0.5 %.9g %.9g %.9g 200\n", p.x, p.y, p.z);
        if (kind == 0) put_text(&bytes, line);
        if (kind == 0) continue;
        put_float(&bytes, 0.5, big);
        put_vec3(&bytes, p, big);
        put_unsigned(&bytes, 200, 1, big);
    }
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        char line[200];
        snprintf(line, sizeof line, "7 3 %d %d %d\n", v[0], v[1], v[2]);
        if (kind == 0) put_text(&bytes, line);
        if (kind == 0) continue;
        put_unsigned(&bytes, 7, 1, big);
        put_unsigned(&bytes, 3, 1, big);
        for (int i = 0; i < 3; i++) put_unsigned(&bytes, (uint64_t)v[i], 2, big);
    }
    if (kind == 0) put_text(&bytes, "5\n");
    if (kind != 0) put_unsigned(&bytes, 5, 4, big);
    return bytes;
}

// one strip of three vertices per triangle, with -1 between them; kind as above
static inline Bytes as_ply_strips(const twMesh* mesh, int kind)
{
    static const char* const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    const int count = 4 * mesh->face_count;
    const bool big = kind == 2;
    Bytes bytes = {0};
    char head[300], line[200];
    snprintf(head, sizeof head,
             "ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nelement "
             "tristrips 1\nproperty list int int vertex_indices\nend_header\n",
             formats[kind], mesh->vertex_count);
    put_text(&bytes, head);
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        const twVec3 p = mesh->vertices[v];
        snprintf(line, sizeof line, "%.9g %.9g %.9g\n", p.x, p.y, p.z);
        if (kind == 0)
            put_text(&bytes, line);
        else
            put_vec3(&bytes, p, big);
    }
    for (int i = -1; i < count; i++)
    {
        const int value = i < 0 ? count : i % 4 == 3 ? -1 : mesh->faces[i / 4].v[i % 4];
        if (kind == 0)
            put_number(&bytes, "%.0f ", value);
        else
            put_unsigned(&bytes, (uint32_t)value, 4, big);
    }
    return bytes;
}

static inline Bytes as_off(const twMesh* mesh)
{
    Bytes bytes = {0};
    char line[200];
    snprintf(line, sizeof line, "OFF\n# a mesh\n%d %d 0\n", mesh->vertex_count, mesh->face_count);
    put_text(&bytes, line);
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        const twVec3 p = mesh->vertices[v];
        snprintf(line, sizeof line, "%.9g %.9g %.9g\n", p.x, p.y, p.z);
        put_text(&bytes, line);
    }
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        snprintf(line, sizeof line, "3 %d %d %d\n", v[0], v[1], v[2]);
        put_text(&bytes, line);
    }
    return bytes;
}

// a GLB of a JSON text and a binary chunk
static inline Bytes glb_of(const char* json, Bytes binary)
{
    Bytes bytes = {0};
    size_t padded = (strlen(json) + 3) / 4 * 4, padded_binary = (binary.count + 3) / 4 * 4;
    put_text(&bytes, "glTF");
    put_unsigned(&bytes, 2, 4, false);
    put_unsigned(&bytes, 20 + padded + 8 + padded_binary, 4, false);
    put_unsigned(&bytes, padded, 4, false);
    put_text(&bytes, "JSON");
    put_text(&bytes, json);
    for (size_t i = strlen(json); i < padded; i++) put_text(&bytes, " ");
    put_unsigned(&bytes, padded_binary, 4, false);
    put(&bytes, "BIN\0", 4);
    if (binary.count > 0) put(&bytes, binary.data, binary.count);
    for (size_t i = binary.count; i < padded_binary; i++) put(&bytes, "", 1);
    free(binary.data);
    return bytes;
}

// positions as floats from 0 on, then indices of the given size
static inline Bytes glb_binary(const twMesh* mesh, int index_size)
{
    Bytes binary = {0};
    for (int v = 0; v < mesh->vertex_count; v++) put_vec3(&binary, mesh->vertices[v], false);
    for (int i = 0; i < 3 * mesh->face_count; i++)
        put_unsigned(&binary, (uint64_t)mesh->faces[i / 3].v[i % 3], index_size, false);
    return binary;
}

// extra: what comes after the meshes, such as nodes; index_type 5121, 5123 or 5125
static inline Bytes as_glb(const twMesh* mesh, int index_type, const char* extra)
{
    int size = index_type == 5121 ? 1 : index_type == 5123 ? 2 : 4;
    int split = 12 * mesh->vertex_count, indices = 3 * mesh->face_count;
    char json[2000];
    snprintf(
        json, sizeof json,
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%d}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":%d},{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":%d,\"count\":%d,"
        "\"type\":\"SCALAR\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]%s}",
        split + indices * size, split, split, indices * size, mesh->vertex_count, index_type, indices, extra);
    return glb_of(json, glb_binary(mesh, size));
}

static const char ONE_NODE[] = ",\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0";

static inline Bytes as_format(const twMesh* mesh, int format)
{
    if (format == 0) return as_obj(mesh);
    if (format == 1) return as_stl_text(mesh);
    if (format == 2) return as_stl_binary(mesh);
    if (format < 6) return as_ply(mesh, format - 3);
    if (format > 9) return as_ply_strips(mesh, format - 10);
    if (format == 9) return as_off(mesh);
    return as_glb(mesh, format == 6 ? 5121 : format == 7 ? 5123 : 5125, format == 7 ? "" : ONE_NODE);
}

enum
{
    FORMATS = 13
};
