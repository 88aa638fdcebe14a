// SPDX-License-Identifier: MIT
// The bake cache: results under the hash of everything they depend on. Files appear whole (atomic), so any number of
// processes may share a cache; a damaged file fails its checksum and is made again.

#include "bake.h"
#include <stdlib.h>
#include <string.h>

#define CACHE_VERSION 1  // raise it when the analysis changes
#define SOURCE_MAX_BYTES ((size_t)2 << 30)

static void add(twHash* hash, const void* bytes, size_t count) { *hash = tw_hash(bytes, count, *hash); }

static bool add_file(twHash* hash, const char* path)
{
    char* bytes;
    size_t count;
    if (tw_file_read(&bytes, &count, path, SOURCE_MAX_BYTES, NULL) != TW_OK) return false;
    add(hash, bytes, count);
    free(bytes);
    return true;
}

// a TetGen mesh is two files: the other one counts too
static bool add_partner(twHash* hash, const char* path)
{
    size_t n = strlen(path);
    bool node = n > 5 && strcmp(path + n - 5, ".node") == 0, ele = n > 4 && strcmp(path + n - 4, ".ele") == 0;
    if (!node && !ele) return true;
    char* partner = malloc(n + 8);
    if (!partner) return false;
    snprintf(partner, n + 8, "%.*s%s", (int)(n - (node ? 5 : 4)), path, node ? ".ele" : ".node");
    bool good = add_file(hash, partner);
    free(partner);
    return good;
}

bool bake_cache_path(const twBakeDef* def, char* path, size_t bytes)
{
    twHash hash = {CACHE_VERSION, 0};
    const twDamping* d = &def->damping;
    const double numbers[] = {def->scale,
                              def->material.density,
                              def->material.young,
                              def->material.poisson,
                              def->max_freq_hz,
                              def->accuracy,
                              d->alpha,
                              d->beta,
                              d->loss_factor,
                              (double)d->kind,
                              (double)d->count,
                              (double)def->count,
                              (double)def->linear,
                              (double)def->max_memory_bytes};
    add(&hash, numbers, sizeof numbers);
    add(&hash, d->freq_hz, sizeof d->freq_hz);
    add(&hash, d->decay, sizeof d->decay);
    if (def->hold_count) add(&hash, def->holds, (size_t)def->hold_count * sizeof *def->holds);
    if (tw_shape_looks_like(def->source))
        add(&hash, def->source, strlen(def->source));
    else if (!add_file(&hash, def->source) || !add_partner(&hash, def->source))
        return false;
    char text[33];
    tw_hash_text(hash, text);
    int length = snprintf(path, bytes, "%s/%s.twmodes", def->cache_folder, text);
    return length > 0 && (size_t)length < bytes;
}

const char* tw_cache_folder(char* out, size_t bytes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0])
        snprintf(out, bytes, "%s/twang", cache);
    else if (home && home[0])
        snprintf(out, bytes, "%s/.cache/twang", home);
    else
        snprintf(out, bytes, ".twang-cache");
    return out;
}
