// SPDX-License-Identifier: MIT
// Modes with what the air takes from them: c = c of the solid + P, the power they radiate (transfer.c).
#include "twang/acoustics.h"
#include <stdlib.h>

// whether decays are of the solid alone; Rayleigh's constants were fitted to things that sound
static bool is_of_solid(const twModeSet* set)
{
    bool solid = false;
    for (int i = 0; i < set->material_count; i++) solid = solid || set->materials[i].loss_factor > 0;
    return solid && set->damping.kind == TW_DAMPING_MATERIALS;
}

double tw_radiation_decay(const twModeSet* set, int mode)
{
    return set->transfer && is_of_solid(set) ? tw_transfer_decay(set->transfer, mode) : 0;
}

static twStatus damp_solid(twModeSet** out, twModeSet* of, twError* err)
{
    twModeSet* solid = NULL;
    double* decay = malloc(((size_t)of->mode_count + 1) * sizeof *decay);
    // by the materials first, whatever was added before
    twStatus status = decay ? tw_mode_set_damp(&solid, of, &of->damping, NULL, err)
                            : tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", of->mode_count);
    if (status == TW_OK)
    {
        for (int k = 0; k < of->mode_count; k++) decay[k] = solid->decay[k] + tw_radiation_decay(of, k);
        of->decay = decay;
        status = tw_mode_set_create(out, of, err);
    }
    tw_mode_set_destroy(solid);
    free(decay);
    return status;
}

twStatus tw_transfer_damp(twModeSet** set, const twTransfer* transfer, twError* err)
{
    twModeSet *damped, of = **set;
    of.transfer = transfer;
    const twStatus status = is_of_solid(*set) ? damp_solid(&damped, &of, err) : tw_mode_set_create(&damped, &of, err);
    if (status == TW_OK) tw_mode_set_destroy(*set), *set = damped;
    return status;
}
