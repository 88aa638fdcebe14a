// SPDX-License-Identifier: MIT
// Target: surfaces, the OFF reader.
#include "fuzz_mesh.h"

bool fuzz_one(uint8_t* data, size_t size) { return mesh_try(tw_read_off, "fuzz.off", data, size); }
