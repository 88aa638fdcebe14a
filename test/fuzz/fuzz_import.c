// SPDX-License-Identifier: MIT
// Target: imports of glTF files, with what is asked of them afterwards.
#include "fuzz_mesh.h"
#include "twang/import.h"
#include <math.h>

bool fuzz_one(uint8_t* data, size_t size)
{
    twImport* import;
    twError err = {0};
    const twImportDef def = tw_import_def();
    const twStatus status = tw_import_read(&import, "fuzz.glb", data, size, &def, &err);
    fuzz_says(status, &err);
    FUZZ_ENSURE((status == TW_OK) == (import != NULL));
    if (!import) return false;
    for (int i = 0; i < import->shape_count; i++) mesh_is_sound(import->shapes[i]);
    for (int i = 0; i < import->body_count; i++)
    {
        FUZZ_ENSURE(import->bodies[i].name[0] && import->bodies[i].shape < import->shape_count);
        tw_import_check(import, i, &err);
        const twBodyMotion m = tw_import_motion(import, i, 0.25);
        FUZZ_ENSURE(isfinite(m.position.x + m.turn.w) && fabs(tw_quat_norm(m.turn) - 1) < 1e-6);
    }
    tw_import_destroy(import);
    return true;
}
