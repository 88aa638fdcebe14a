// SPDX-License-Identifier: MIT
// Target: .twmodes files, with their checksum made right.
#include "fuzz.h"
#include "twang/modal.h"

// what was read can be written, and read again as the same
static void keep(const twModeSet* set)
{
    char* bytes;
    size_t count;
    twModeSet* again;
    if (tw_mode_set_encode(&bytes, &count, set, NULL) != TW_OK) return;
    FUZZ_ENSURE(tw_mode_set_view(&again, bytes, count, NULL) == TW_OK);
    FUZZ_ENSURE(again->mode_count == set->mode_count && again->vertex_count == set->vertex_count);
    tw_mode_set_destroy(again);
    free(bytes);
}

static void use(const twModeSet* set)
{
    for (int k = 0; k < set->mode_count; k++) tw_mode_set_give(set, k);
    const int vertex = tw_mode_set_nearest(set, tw_vec3(0, 0, 0));
    FUZZ_ENSURE(vertex >= 0 && vertex < set->vertex_count);
    tw_mode_set_normal(set, vertex);
}

bool fuzz_one(uint8_t* data, size_t size)
{
    twModeSet *view, *set;
    twError err = {0};
    fuzz_sign_modes(data, size);
    twStatus status = tw_mode_set_view(&view, data, size, &err);
    fuzz_says(status, &err);
    if (status != TW_OK) return false;
    use(view);
    status = tw_mode_set_create(&set, view, &err);
    fuzz_says(status, &err);
    FUZZ_ENSURE(status == TW_OK);
    keep(set);
    tw_mode_set_destroy(set);
    tw_mode_set_destroy(view);
    return true;
}
