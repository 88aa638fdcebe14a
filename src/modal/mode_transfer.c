// SPDX-License-Identifier: MIT
// Acoustic transfer as data: checking, copies. What it says is in include/twang/modal.h.

#include "mode_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MOMENTS ((int64_t)1 << 34)

// ---- checking ----

static bool positive(double value) { return value > 0 && isfinite(value); }

static twStatus check_frame(const twTransfer* t, twError* err)
{
    if (t->mode_count < 0 || t->mode_count > TW_MAX_MODES || t->moment_count < 0 || t->moment_count > MAX_MOMENTS)
        return tw_fail(err, TW_BAD_INPUT, "acoustic transfer: %d modes and %lld moments are out of range",
                       t->mode_count, (long long)t->moment_count);
    if (!isfinite(t->centre.x) || !isfinite(t->centre.y) || !isfinite(t->centre.z) || !positive(t->radius))
        return tw_fail(err, TW_BAD_INPUT,
                       "acoustic transfer: the centre is not finite, or the radius %g m not positive", t->radius);
    if (!positive(t->sound_speed) || !positive(t->air_density))
        return tw_fail(err, TW_BAD_INPUT,
                       "acoustic transfer: sound speed %g m/s and air density %g kg/m^3 must be positive",
                       t->sound_speed, t->air_density);
    return TW_OK;
}

static int64_t moments_of(int order) { return (int64_t)(order + 1) * (order + 1); }

static twStatus check_mode(const twTransfer* t, int k, twError* err)
{
    if (!positive(t->freq_hz[k]))
        return tw_fail(err, TW_BAD_INPUT, "acoustic transfer of mode %d: frequency %g Hz must be positive", k,
                       t->freq_hz[k]);
    if (t->order[k] < -1 || t->order[k] > TW_MAX_TRANSFER_ORDER)
        return tw_fail(err, TW_BAD_INPUT, "acoustic transfer of mode %d: order %d is outside -1 to %d", k, t->order[k],
                       TW_MAX_TRANSFER_ORDER);
    if (!(t->error_db[k] >= 0) || !isfinite(t->error_db[k]))
        return tw_fail(err, TW_BAD_INPUT, "acoustic transfer of mode %d: fit error %g dB is not usable", k,
                       (double)t->error_db[k]);
    int64_t count = moments_of(t->order[k]);
    if (t->first[k] < 0 || t->first[k] > t->moment_count - count)
        return tw_fail(err, TW_BAD_INPUT, "acoustic transfer of mode %d: moments %lld to %lld of %lld", k,
                       (long long)t->first[k], (long long)(t->first[k] + (count - 1)), (long long)t->moment_count);
    return TW_OK;
}

twStatus transfer_check(const twTransfer* t, twError* err)
{
    twStatus status = check_frame(t, err);
    for (int k = 0; status == TW_OK && k < t->mode_count; k++) status = check_mode(t, k, err);
    for (int64_t i = 0; status == TW_OK && i < 2 * t->moment_count; i++)
        if (!isfinite(t->moments[i]))
            status = tw_fail(err, TW_BAD_INPUT, "acoustic transfer: moment %lld is not finite", (long long)(i / 2));
    return status;
}

// ---- copies ----

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

// a block with room for the arrays, values copied from those of t, arrays still empty. NULL if there is no memory
static twTransfer* transfer_block(const twTransfer* t, int mode_count, int64_t moment_count)
{
    size_t modes = (size_t)mode_count, moments = 2 * (size_t)moment_count * sizeof(float);
    size_t head = aligned(sizeof *t), freq = aligned(modes * sizeof(double)), order = aligned(modes * sizeof(int));
    char* block = calloc(1, head + 2 * freq + 2 * order + moments);
    if (!block) return NULL;
    twTransfer* copy = (twTransfer*)block;
    *copy = *t;
    copy->mode_count = mode_count;
    copy->moment_count = moment_count;
    copy->freq_hz = (double*)(block + head);
    copy->first = (int64_t*)(block + head + freq);
    copy->order = (int*)(block + head + 2 * freq);
    copy->error_db = (float*)(block + head + 2 * freq + order);
    copy->moments = (float*)(block + head + 2 * freq + 2 * order);
    return copy;
}

twTransfer* transfer_keep(const twTransfer* t, const int* kept, int count)
{
    int64_t total = 0, at = 0;
    for (int i = 0; i < count; i++) total += moments_of(t->order[kept[i]]);
    twTransfer* copy = transfer_block(t, count, total);
    for (int i = 0; copy && i < count; i++)
    {
        int k = kept[i];
        int64_t moments = moments_of(t->order[k]);
        ((double*)copy->freq_hz)[i] = t->freq_hz[k];
        ((int*)copy->order)[i] = t->order[k];
        ((int64_t*)copy->first)[i] = at;
        ((float*)copy->error_db)[i] = t->error_db[k];
        if (moments)
            memcpy((float*)copy->moments + 2 * at, t->moments + 2 * t->first[k], 2 * (size_t)moments * sizeof(float));
        at += moments;
    }
    return copy;
}

twStatus tw_transfer_create(twTransfer** out, const twTransfer* def, twError* err)
{
    *out = NULL;
    twStatus status = transfer_check(def, err);
    if (status != TW_OK) return status;
    int* all = malloc(((size_t)def->mode_count + 1) * sizeof *all);
    for (int k = 0; all && k < def->mode_count; k++) all[k] = k;
    if (all) *out = transfer_keep(def, all, def->mode_count);
    free(all);
    return *out ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the transfer of %d modes", def->mode_count);
}

void tw_transfer_destroy(twTransfer* transfer) { free(transfer); }
