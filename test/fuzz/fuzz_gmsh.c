// SPDX-License-Identifier: MIT
// Target: tetrahedra from Gmsh files.
#include "fuzz_tets.h"

bool fuzz_one(uint8_t* data, size_t size)
{
    twTetMesh* tets;
    twError err = {0};
    const twStatus status = tw_read_gmsh(&tets, "fuzz.msh", (const char*)data, size, 1, &err);
    return tets_check(status, tets, &err);
}
