// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// A surface again, without its regions. On failure *out is NULL.
twStatus tw_mesh_copy(twMesh** out, const twMesh* mesh, twError* err);
