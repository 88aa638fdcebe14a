// SPDX-License-Identifier: MIT
#pragma once
#include "fuzz.h"
#include "mesh/soup.h"

/// @file
/// Surfaces from any bytes: what a reader lets through must be safe to use.

/// What every reader promises.
static inline void mesh_is_sound(const twMesh* mesh)
{
    FUZZ_ENSURE(mesh->face_count > 0 && mesh->vertex_count > 0);
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++) FUZZ_ENSURE(mesh->faces[f].v[k] >= 0 && mesh->faces[f].v[k] < mesh->vertex_count);
    for (int f = 0; mesh->regions && f < mesh->face_count; f++) FUZZ_ENSURE(mesh->regions[f] >= 0);
}

/// Mend it, measure it, ask for distances.
static inline void mesh_use(twMesh* mesh)
{
    char text[512];
    twMeshReport report = tw_mesh_check(mesh);
    tw_mesh_describe(text, sizeof text, &report);
    if (mesh->face_count > 2000 || tw_mesh_mend(mesh, 1e-6, &report, NULL) != TW_OK) return;
    mesh_is_sound(mesh);
    tw_mesh_describe(text, sizeof text, &report);
    tw_mesh_mass(mesh, 1000);
    twWinding* winding;
    if (tw_winding_create(&winding, mesh, NULL) != TW_OK) return;
    tw_winding_at(winding, tw_vec3(0.1, 0.2, 0.3));
    tw_winding_nearest(winding, tw_vec3(0.1, 0.2, 0.3), NULL, NULL);
    tw_winding_destroy(winding);
}

typedef twStatus MeshReader(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);

/// @return whether it is one
static inline bool mesh_try(MeshReader* reader, const char* name, const uint8_t* data, size_t size)
{
    twMesh* mesh;
    twError err = {0};
    const twStatus status = reader(&mesh, name, (const char*)data, size, 0.001, &err);
    fuzz_says(status, &err);
    FUZZ_ENSURE((status == TW_OK) == (mesh != NULL));
    if (!mesh) return false;
    mesh_is_sound(mesh);
    mesh_use(mesh);
    tw_mesh_destroy(mesh);
    return true;
}
