// SPDX-License-Identifier: MIT
// Target: changes to what the cache keeps of sound in the air, a file per mode, with its checksum made right.
#define _XOPEN_SOURCE 700
#include "../scratch.h"
#include "fuzz.h"
#include "scene/transfer_cache.h"
#include <dirent.h>

// the only file of the scratch folder
static void find_file(char* out, size_t bytes)
{
    DIR* folder = opendir(scratch_folder());
    FUZZ_ENSURE(folder);
    for (struct dirent* entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') snprintf(out, bytes, "%s", entry->d_name);
    closedir(folder);
}

bool fuzz_one(uint8_t* data, size_t size)
{
    static char name[256], *start;
    static size_t start_size;
    const double freq = 100;
    const float shape[3] = {1, 2, 3};
    const twVec3 vertex = {0, 0, 0};
    const twModeSet set = {.mode_count = 1, .vertex_count = 1, .freq_hz = &freq, .shape = shape, .vertices = &vertex};
    float moments[8] = {0};
    TransferEntry entry = {.order = 1, .moments = moments};
    if (!start)
    {
        transfer_save(&entry, scratch_folder(), &set, 0);
        find_file(name, sizeof name);
        FUZZ_ENSURE(tw_file_read(&start, &start_size, in_folder(name), 1 << 20, NULL) == TW_OK);
    }
    uint8_t* changed = malloc(start_size);
    FUZZ_ENSURE(changed);
    memcpy(changed, start, start_size);
    const size_t count = fuzz_change(changed, start_size, 1, data, size);
    fuzz_seal(changed, count);
    fuzz_file(name, changed, count);
    free(changed);
    entry = (TransferEntry){0};
    if (!transfer_load(&entry, scratch_folder(), &set, 0)) return false;
    FUZZ_ENSURE(entry.order >= 0 && entry.order <= TW_MAX_TRANSFER_ORDER);
    twTransfer* transfer;
    twError err = {0};
    const twStatus status = transfer_join(&transfer, &set, &entry, 343, 1.2, &err);
    fuzz_says(status, &err);
    tw_transfer_destroy(transfer);
    free(entry.moments);
    return true;
}
