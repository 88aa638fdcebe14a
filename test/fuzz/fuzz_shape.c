// SPDX-License-Identifier: MIT
// Target: shapes in words, such as "bar:0.3x0.02x0.01", and their meshes.
#include "fuzz.h"
#include "twang/mesh.h"

bool fuzz_one(uint8_t* data, size_t size)
{
    char* text = fuzz_text(data, size);
    twShape* shape;
    twError err = {0};
    const twStatus status = tw_shape_parse(&shape, text, &err);
    fuzz_says(status, &err);
    tw_shape_looks_like(text);
    if (status == TW_OK)
    {
        // as coarse as it can be; too many cells are refused
        twMesh* mesh;
        twTetMesh* tets;
        if (tw_shape_surface(&mesh, shape, 1e9, &err) == TW_OK) FUZZ_ENSURE(tw_mesh_mass(mesh, 1).volume > 0);
        tw_mesh_destroy(mesh);
        if (tw_shape_tets(&tets, shape, 1e9, 1, &err) == TW_OK) FUZZ_ENSURE(tets->tet_count > 0);
        tw_tets_destroy(tets);
    }
    tw_shape_destroy(shape);
    free(text);
    return status == TW_OK;
}
