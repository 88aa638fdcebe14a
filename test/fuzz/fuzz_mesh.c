// SPDX-License-Identifier: MIT
// Target: surfaces, whichever reader the content asks for.
#include "fuzz_mesh.h"

bool fuzz_one(uint8_t* data, size_t size) { return mesh_try(tw_mesh_read, "fuzz.stl", data, size); }
