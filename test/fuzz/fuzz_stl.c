// SPDX-License-Identifier: MIT
// Target: surfaces, both STL readers; the first byte says which.
#include "fuzz_mesh.h"

bool fuzz_one(uint8_t* data, size_t size)
{
    if (size == 0) return false;
    return mesh_try(data[0] % 2 ? tw_read_stl_text : tw_read_stl_binary, "fuzz.stl", data + 1, size - 1);
}
