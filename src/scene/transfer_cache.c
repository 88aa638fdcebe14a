// SPDX-License-Identifier: MIT
// Baked transfers in the cache: CACHE/transfer-HASH/HASH.mode. The folder's hash is that of surface and air, a file's that
// of frequency and shape of its mode: so culling, damping or other modes of the same body do not matter. Files appear whole
// and end with a checksum.

#define _POSIX_C_SOURCE 200809L
#include "transfer_cache.h"
#include "panels.h"
#include "twang/bake.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRY_VERSION 2  // raise it when results change
#define ENTRY_MAX_BYTES ((size_t)16 << 20)
#define HASH_BYTES 40

typedef struct EntryHead
{
    char magic[8];
    int32_t version, order, panels, min_panels, max_panels, more_orders;
    double wanted_per_wave, panels_per_wave, seconds, error_db;
} EntryHead;

static const char entry_magic[8] = "TWAIR\n\0";

static size_t moment_bytes(int order) { return 2 * sizeof(float) * (size_t)(order + 1) * (size_t)(order + 1); }

// ---- names ----

bool transfer_folder(char* out, size_t bytes, const twModeSet* set, const char* cache_folder, double sound_speed,
                     double air_density)
{
    char text[HASH_BYTES];
    const double air[] = {sound_speed, air_density};
    twHash hash = tw_hash(set->vertices, (size_t)set->vertex_count * sizeof *set->vertices, (twHash){ENTRY_VERSION, 0});
    hash = tw_hash(set->faces, (size_t)set->face_count * sizeof *set->faces, hash);
    hash = tw_hash(air, sizeof air, hash);
    tw_hash_text(hash, text);
    int length = snprintf(out, bytes, "%s/transfer-%s", cache_folder, text);
    return length > 0 && (size_t)length < bytes;
}

static bool mode_path(char* out, size_t bytes, const char* folder, const twModeSet* set, int mode)
{
    char text[HASH_BYTES];
    size_t row = 3 * (size_t)set->vertex_count;
    twHash hash = tw_hash(&set->freq_hz[mode], sizeof(double), (twHash){ENTRY_VERSION, 1});
    hash = tw_hash(set->shape + row * (size_t)mode, row * sizeof(float), hash);
    tw_hash_text(hash, text);
    int length = snprintf(out, bytes, "%s/%s.mode", folder, text);
    return length > 0 && (size_t)length < bytes;
}

// ---- entries ----

static bool read_entry(TransferEntry* entry, const char* bytes, size_t count)
{
    EntryHead head;
    twHash stored, hash;
    if (count < sizeof head + sizeof hash) return false;
    memcpy(&head, bytes, sizeof head);
    memcpy(&stored, bytes + count - sizeof stored, sizeof stored);
    hash = tw_hash(bytes, count - sizeof hash, (twHash){0, 0});
    if (memcmp(head.magic, entry_magic, sizeof entry_magic) != 0 || head.version != ENTRY_VERSION) return false;
    if (hash.high != stored.high || hash.low != stored.low) return false;
    if (head.order < 0 || head.order > TW_MAX_TRANSFER_ORDER) return false;
    if (count != sizeof head + moment_bytes(head.order) + sizeof hash) return false;
    *entry = (TransferEntry){.order = head.order,
                             .panels = head.panels,
                             .min_panels = head.min_panels,
                             .max_panels = head.max_panels,
                             .more_orders = head.more_orders,
                             .wanted_per_wave = head.wanted_per_wave,
                             .panels_per_wave = head.panels_per_wave,
                             .seconds = head.seconds,
                             .error_db = head.error_db,
                             .moments = malloc(moment_bytes(head.order))};
    if (entry->moments) memcpy(entry->moments, bytes + sizeof head, moment_bytes(head.order));
    return entry->moments != NULL;
}

bool transfer_load(TransferEntry* entry, const char* folder, const twModeSet* set, int mode)
{
    char path[TRANSFER_PATH_BYTES], *bytes;
    size_t count;
    if (!mode_path(path, sizeof path, folder, set, mode)) return false;
    if (tw_file_read(&bytes, &count, path, ENTRY_MAX_BYTES, NULL) != TW_OK) return false;
    bool good = read_entry(entry, bytes, count);
    free(bytes);
    return good;
}

void transfer_save(const TransferEntry* entry, const char* folder, const twModeSet* set, int mode)
{
    char path[TRANSFER_PATH_BYTES];
    size_t moments = moment_bytes(entry->order), count = sizeof(EntryHead) + moments;
    EntryHead head = {.version = ENTRY_VERSION,
                      .order = entry->order,
                      .panels = entry->panels,
                      .min_panels = entry->min_panels,
                      .max_panels = entry->max_panels,
                      .more_orders = entry->more_orders,
                      .wanted_per_wave = entry->wanted_per_wave,
                      .panels_per_wave = entry->panels_per_wave,
                      .seconds = entry->seconds,
                      .error_db = entry->error_db};
    memcpy(head.magic, entry_magic, sizeof entry_magic);
    char* bytes = malloc(count);
    twFile* file;
    if (bytes && mode_path(path, sizeof path, folder, set, mode) && tw_make_folder(folder, NULL) == TW_OK &&
        tw_file_create(&file, path, NULL) == TW_OK)
    {
        memcpy(bytes, &head, sizeof head);
        memcpy(bytes + sizeof head, entry->moments, moments);
        twHash hash = tw_hash(bytes, count, (twHash){0, 0});
        FILE* stream = tw_file_stream(file);
        if (fwrite(bytes, 1, count, stream) == count && fwrite(&hash, sizeof hash, 1, stream) == 1)
            tw_file_commit(&file, NULL);
        else
            tw_file_abort(&file);
    }
    free(bytes);
}

// ---- all modes ----

twStatus transfer_join(twTransfer** out, const twModeSet* set, const TransferEntry* entries, double sound_speed,
                       double air_density, twError* err)
{
    *out = NULL;
    size_t modes = (size_t)set->mode_count + 1, total = 0;
    for (int k = 0; k < set->mode_count; k++) total += entries[k].order >= 0 ? moment_bytes(entries[k].order) : 0;
    int* order = calloc(modes, sizeof *order);
    int64_t* first = calloc(modes, sizeof *first);
    float *error = calloc(modes, sizeof *error), *moments = malloc(total + 1);
    twStatus status = TW_OK;
    if (order && first && error && moments)
    {
        twTransfer t = {.mode_count = set->mode_count,
                        .sound_speed = sound_speed,
                        .air_density = air_density,
                        .freq_hz = set->freq_hz,
                        .order = order,
                        .first = first,
                        .moments = moments,
                        .error_db = error};
        t.radius = panel_sphere(set, &t.centre);
        for (int k = 0; k < set->mode_count; k++)
        {
            order[k] = entries[k].order;
            first[k] = t.moment_count;
            if (order[k] < 0) continue;
            error[k] = (float)entries[k].error_db;
            memcpy(moments + 2 * t.moment_count, entries[k].moments, moment_bytes(order[k]));
            t.moment_count += (order[k] + 1) * (order[k] + 1);
        }
        status = tw_transfer_create(out, &t, err);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory for the transfer of %d modes", set->mode_count);
    free(order);
    free(first);
    free(error);
    free(moments);
    return status;
}

twTransfer* tw_transfer_find(const twModeSet* set, const char* cache_folder, double sound_speed, double air_density)
{
    char folder[TRANSFER_PATH_BYTES];
    twTransfer* transfer = NULL;
    bool any = false;
    if (!cache_folder || !transfer_folder(folder, sizeof folder, set, cache_folder, sound_speed, air_density))
        return NULL;
    // most bodies were never baked: ask for the folder before reading all shapes
    struct stat info;
    if (stat(folder, &info) != 0) return NULL;
    TransferEntry* entries = calloc((size_t)set->mode_count + 1, sizeof *entries);
    for (int k = 0; entries && k < set->mode_count; k++)
    {
        bool found = transfer_load(&entries[k], folder, set, k);
        if (!found) entries[k] = (TransferEntry){.order = -1};
        any = any || found;
    }
    if (any) transfer_join(&transfer, set, entries, sound_speed, air_density, NULL);
    for (int k = 0; entries && k < set->mode_count; k++) free(entries[k].moments);
    free(entries);
    return transfer;
}
