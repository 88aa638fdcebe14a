// SPDX-License-Identifier: MIT
// Target: surfaces, the PLY reader.
#include "fuzz_mesh.h"

bool fuzz_one(uint8_t* data, size_t size) { return mesh_try(tw_read_ply, "fuzz.ply", data, size); }
