// SPDX-License-Identifier: MIT
// radiation_: how the modes of a body sound in the air around it, and what that takes from them. A mode whose damping is that of
// its materials decays by what it radiates on top (docs/materials.md): c = c_material + P, with P the power per squared modal
// velocity. Decays that were fitted as a whole (Rayleigh's constants, curves, decays mode by mode) have the air in them.

#include "twang/acoustics.h"
#include "twang/bake.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIATION_BUDGET 1.0      // of a body [s at TW_BAKE_RATE operations per second] ...
#define RADIATION_PER_MODE 0.025  // ... and for each of its modes

twRadiationDef tw_radiation_def(void)
{
    const twTransferBakeDef air = tw_transfer_bake_def(NULL);
    return (twRadiationDef){
        .quality = TW_RADIATION_BAKED, .sound_speed = air.sound_speed, .air_density = air.air_density};
}

bool tw_radiation_parse(const char* name, twRadiation* out)
{
    static const char* const names[] = {"baked", "estimate", "fine"};
    for (int i = 0; i < 3; i++)
    {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (twRadiation)i;
        return true;
    }
    return false;
}

static bool radiation_keep_going(int done, int count, double fraction, void* context)
{
    const twRadiationDef* def = context;
    (void)done, (void)count;
    return !def->keep_going || def->keep_going("radiation", fraction, def->context);
}

twStatus tw_radiate(twModeSet** set, const twRadiationDef* def, twTransferBakeReport* report, twError* err)
{
    twTransferBakeReport unused;
    if (!report) report = &unused;
    memset(report, 0, sizeof *report);
    report->left_db = -HUGE_VAL;
    if ((*set)->mode_count == 0 || def->quality == TW_RADIATION_ESTIMATE) return TW_OK;
    if ((*set)->transfer) return tw_transfer_damp(set, (*set)->transfer, err);
    const bool fine = def->quality == TW_RADIATION_FINE;
    twTransferBakeDef bake = fine ? tw_transfer_fine_def(*set) : tw_transfer_bake_def(*set);
    bake.sound_speed = def->sound_speed;
    bake.air_density = def->air_density;
    bake.cache_folder = def->cache_folder;
    const double usual = RADIATION_BUDGET + RADIATION_PER_MODE * (*set)->mode_count;
    if (!fine) bake.budget = def->budget > 0 ? def->budget : usual;
    bake.keep_going = radiation_keep_going;
    bake.context = (void*)def;
    twTransfer* transfer;
    twError inner = {0};
    twStatus status = tw_bake_transfer(&transfer, &bake, report, &inner);
    if (status == TW_BAD_INPUT)
    {
        // an open surface, say: what is estimated is heard all the same
        snprintf(report->note, sizeof report->note, "its radiation is estimated: %.400s", inner.text);
        return TW_OK;
    }
    if (status != TW_OK) return tw_fail(err, status, "%s", inner.text);
    if (!fine) report->note[0] = 0;  // few panels are what was asked for
    status = tw_transfer_damp(set, transfer, err);
    tw_transfer_destroy(transfer);
    return status;
}
