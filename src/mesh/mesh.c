// SPDX-License-Identifier: MIT
// Surfaces in memory. Arrays are separate blocks, because mending and building replace them one by one.
#include "mesh/copy.h"
#include <stdlib.h>
#include <string.h>

twStatus tw_mesh_create(twMesh** out, int vertex_count, int face_count, twError* err)
{
    *out = NULL;
    if (vertex_count < 0 || face_count < 0)
        return tw_fail(err, TW_BAD_INPUT, "a mesh of %d vertices and %d faces: counts must not be negative",
                       vertex_count, face_count);
    twMesh* mesh = calloc(1, sizeof *mesh);
    if (mesh)
    {
        // one item at least, so that NULL always means no memory
        mesh->vertices = calloc((size_t)vertex_count + 1, sizeof *mesh->vertices);
        mesh->faces = calloc((size_t)face_count + 1, sizeof *mesh->faces);
        mesh->vertex_count = vertex_count;
        mesh->face_count = face_count;
    }
    if (!mesh || !mesh->vertices || !mesh->faces)
    {
        tw_mesh_destroy(mesh);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a mesh of %d vertices and %d faces", vertex_count, face_count);
    }
    *out = mesh;
    return TW_OK;
}

twStatus tw_mesh_copy(twMesh** out, const twMesh* mesh, twError* err)
{
    const twStatus status = tw_mesh_create(out, mesh->vertex_count, mesh->face_count, err);
    if (status != TW_OK) return status;
    if (mesh->vertex_count > 0)
        memcpy((*out)->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    if (mesh->face_count > 0) memcpy((*out)->faces, mesh->faces, (size_t)mesh->face_count * sizeof *mesh->faces);
    return TW_OK;
}

void tw_mesh_destroy(twMesh* mesh)
{
    if (!mesh) return;
    free(mesh->vertices);
    free(mesh->faces);
    free(mesh->regions);
    free(mesh);
}
