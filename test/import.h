// SPDX-License-Identifier: MIT
#pragma once
#include "mesh_files.h"
#include "twang/import.h"

/// @file
/// Small glTF files for tests of imports: a box, and whatever numbers and JSON a test adds. In the file the box is that of
/// box_mesh() from 0 to size.

typedef struct Model
{
    Bytes binary;
    char views[4096], accessors[4096];
    int count;  ///< accessors
} Model;

static inline void add_view(Model* model, size_t bytes, int type, int rows, const char* kind)
{
    const size_t v = strlen(model->views), a = strlen(model->accessors);
    const char* comma = model->count ? "," : "";
    snprintf(model->views + v, sizeof model->views - v, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", comma,
             model->binary.count - bytes, bytes);
    snprintf(model->accessors + a, sizeof model->accessors - a,
             "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"}", comma, model->count, type, rows,
             kind);
    model->count++;
}

/// Rows of 1, 3 or 4 floats. @return the number of their accessor
static inline int add_floats(Model* model, const double* values, int rows, int parts)
{
    for (int i = 0; i < rows * parts; i++) put_float(&model->binary, values[i], false);
    add_view(model, 4 * (size_t)rows * (size_t)parts, 5126, rows, parts == 1 ? "SCALAR" : parts == 3 ? "VEC3" : "VEC4");
    return model->count - 1;
}

/// Accessors 0 and 1: positions and indices.
static inline Model model_of(const twMesh* mesh)
{
    Model model = {0};
    for (int v = 0; v < mesh->vertex_count; v++) put_vec3(&model.binary, mesh->vertices[v], false);
    add_view(&model, 12 * (size_t)mesh->vertex_count, 5126, mesh->vertex_count, "VEC3");
    for (int i = 0; i < 3 * mesh->face_count; i++)
        put_unsigned(&model.binary, (uint64_t)mesh->faces[i / 3].v[i % 3], 4, false);
    add_view(&model, 12 * (size_t)mesh->face_count, 5125, 3 * mesh->face_count, "SCALAR");
    return model;
}

static inline Model box_model(twVec3 size)
{
    twMesh* box = box_mesh(tw_vec3(0, 0, 0), size);
    const Model model = model_of(box);
    tw_mesh_destroy(box);
    return model;
}

#define BOX_MESH "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]"

/// The file; rest: what comes behind the accessors, without a comma. The model is used up.
static inline Bytes glb_model(Model* model, const char* rest)
{
    const size_t room = strlen(rest) + strlen(model->views) + strlen(model->accessors) + 256;
    char* json = malloc(room);
    if (!json) abort();
    snprintf(json, room,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s],"
             "\"accessors\":[%s],%s}",
             model->binary.count, model->views, model->accessors, rest);
    const Bytes bytes = glb_of(json, model->binary);
    free(json);
    *model = (Model){0};
    return bytes;
}

/// The import of a model, or NULL and what is wrong with it in err (on the terminal, if err is NULL).
static inline twImport* import_model(Model* model, const char* rest, const twImportDef* def, twError* err)
{
    twImport* import;
    twError own = {0};
    const twImportDef usual = tw_import_def();
    Bytes bytes = glb_model(model, rest);
    if (tw_import_read(&import, "test.glb", bytes.data, bytes.count, def ? def : &usual, err ? err : &own) != TW_OK &&
        !err)
        printf("%s\n", own.text);
    free(bytes.data);
    return import;
}

static inline twImport* import_box(twVec3 size, const char* rest)
{
    Model model = box_model(size);
    return import_model(&model, rest, NULL, NULL);
}

/// Where a vertex of a body is in the world.
static inline twVec3 world_vertex(const twImport* import, int body, int vertex, double time)
{
    const twBodyMotion m = tw_import_motion(import, body, time);
    return tw_vec3_add(m.position,
                       tw_quat_rotate(m.turn, import->shapes[import->bodies[body].shape]->vertices[vertex]));
}
