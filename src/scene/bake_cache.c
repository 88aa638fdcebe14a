// SPDX-License-Identifier: MIT
// The bake cache: results under the hash of everything they depend on. An entry is a mode set (.twmodes) and the report of
// its analysis (.report). Files appear whole (atomic) and say by a checksum whether they are, and the modes of one hash are
// the same whoever writes them, so any number of processes may share a cache. What is missing or damaged is made again.

#define _XOPEN_SOURCE 700
#include "bake.h"
#include "base/leftovers.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_VERSION 11  // raise it when the analysis changes
#define SOURCE_MAX_BYTES ((size_t)2 << 30)
#define HASH_DIGITS 32

// ---- the hash ----

static void add(twHash* hash, const void* bytes, size_t count) { *hash = tw_hash(bytes, count, *hash); }

static void add_text(twHash* hash, const char* text) { add(hash, text, strlen(text) + 1); }

static void cache_add_mesh(twHash* hash, const twMesh* mesh)
{
    add(hash, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    add(hash, mesh->faces, (size_t)mesh->face_count * sizeof *mesh->faces);
    if (mesh->regions) add(hash, mesh->regions, (size_t)mesh->face_count * sizeof *mesh->regions);
}

// whether it may be a glTF file that names others
static bool cache_names_files(const char* bytes, size_t count)
{
    static const char key[] = "\"uri\"";
    const size_t length = sizeof key - 1;
    const char* brace = memchr(bytes, '{', count < 32 ? count : 32);
    for (size_t i = 0; brace && i + length <= count; i++)
        if (memcmp(bytes + i, key, length) == 0) return true;
    return false;
}

static bool add_file(twHash* hash, const char* path)
{
    char* bytes;
    size_t count;
    if (tw_file_read(&bytes, &count, path, SOURCE_MAX_BYTES, NULL) != TW_OK) return false;
    add(hash, bytes, count);
    const bool more = cache_names_files(bytes, count);
    free(bytes);
    if (!more) return true;

    // what is in those counts too
    twMesh* mesh;
    if (tw_mesh_load(&mesh, path, 1, NULL) != TW_OK) return false;
    cache_add_mesh(hash, mesh);
    tw_mesh_destroy(mesh);
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

static void add_place(twHash* hash, const twPart* p)
{
    const double numbers[] = {(double)p->kind, p->centre.x, p->centre.y, p->centre.z, p->radius, p->low.x,
                              p->low.y,        p->low.z,    p->high.x,   p->high.y,   p->high.z};
    add(hash, numbers, sizeof numbers);
    add_text(hash, p->region);
}

static void add_material(twHash* hash, const twMaterial* m)
{
    const double numbers[] = {
        m->density, m->young, m->poisson, m->thermal.expansion, m->thermal.conductivity, m->thermal.heat_capacity};
    add(hash, numbers, sizeof numbers);
    add_text(hash, m->name ? m->name : "");
    if (tw_material_is_orthotropic(m)) add(hash, &m->orthotropy, sizeof m->orthotropy);
}

// Damping is left out: it is applied to what comes from the cache. Names of materials are in the result.
static bool hash_of(twHash* hash, const twBakeDef* def)
{
    // rounds of a surface are the same for any accuracy, budget and memory: these only say which is the last
    const bool rounds = !bake_is_tets(def) && def->thickness == 0;
    const double numbers[] = {def->scale,
                              def->thickness,
                              def->thickness > 0 ? def->budget : 0,
                              def->max_freq_hz,
                              rounds ? 0 : def->accuracy,
                              (double)def->count,
                              (double)def->linear,
                              rounds ? 0 : (double)def->max_memory_bytes,
                              (double)def->with_tets,
                              (double)def->no_rest,
                              (double)def->region_count,
                              (double)def->hold_count};
    *hash = (twHash){CACHE_VERSION, 0};
    add_text(hash, tw_version());
    add(hash, numbers, sizeof numbers);
    add_material(hash, &def->material);
    for (int i = 0; i < def->region_count; i++)
    {
        add_place(hash, &def->regions[i].part);
        add_material(hash, &def->regions[i].material);
    }
    for (int i = 0; i < def->hold_count; i++) add_place(hash, &def->holds[i]);
    if (bake_is_orthotropic(def)) add(hash, &def->fibre, sizeof def->fibre);
    if (def->mesh)
    {
        cache_add_mesh(hash, def->mesh);
        return true;
    }
    if (!tw_shape_looks_like(def->source)) return add_file(hash, def->source) && add_partner(hash, def->source);
    add_text(hash, def->source);
    return true;
}

bool bake_cache_path(const twBakeDef* def, char* path, size_t bytes)
{
    twHash hash;
    char text[HASH_DIGITS + 1];
    if (!def->cache_folder || !hash_of(&hash, def)) return false;
    tw_hash_text(hash, text);
    int length = snprintf(path, bytes, "%s/%s", def->cache_folder, text);
    return length > 0 && (size_t)length < bytes;
}

// ---- entries ----

typedef struct Names
{
    char modes[BAKE_PATH_BYTES + 16], report[BAKE_PATH_BYTES + 16];
} Names;

static Names names_of(const char* path)
{
    Names names;
    snprintf(names.modes, sizeof names.modes, "%s.twmodes", path);
    snprintf(names.report, sizeof names.report, "%s.report", path);
    return names;
}

// a report as it is in memory: a cache is for one machine; behind it comes the state of the rounds
typedef struct Record
{
    uint64_t version;
    twBakeReport report;
    uint64_t state_bytes;
    twHash state_hash, hash;
} Record;

static const twHash state_seed = {sizeof(Record), CACHE_VERSION};

static twHash record_hash(const Record* record)
{
    return tw_hash(record, offsetof(Record, hash), (twHash){sizeof *record, CACHE_VERSION});
}

static bool same_hash(twHash a, twHash b) { return a.high == b.high && a.low == b.low; }

static bool take_state(BakeState* state, const Record* record, const char* bytes)
{
    if (!same_hash(record->state_hash, tw_hash(bytes, record->state_bytes, state_seed))) return false;
    if (!state || record->state_bytes == 0) return true;
    state->bytes = malloc(record->state_bytes);
    state->count = record->state_bytes;
    if (!state->bytes) return false;
    memcpy(state->bytes, bytes, state->count);
    return true;
}

static bool load_report(twBakeReport* report, const char* path, BakeState* state)
{
    char* bytes;
    size_t count;
    Record record;
    if (tw_file_read(&bytes, &count, path, SOURCE_MAX_BYTES, NULL) != TW_OK) return false;
    bool good = count >= sizeof record;
    if (good)
    {
        memcpy(&record, bytes, sizeof record);
        good = same_hash(record_hash(&record), record.hash) && record.version == CACHE_VERSION &&
               record.state_bytes == count - sizeof record && take_state(state, &record, bytes + sizeof record);
    }
    free(bytes);
    if (good) *report = record.report;
    return good;
}

static void save_report(const twBakeReport* report, const char* path, const BakeState* state)
{
    Record record;
    twFile* file;
    memset(&record, 0, sizeof record);
    record.version = CACHE_VERSION;
    record.report = *report;
    record.state_bytes = state ? state->count : 0;
    record.state_hash = tw_hash(state ? state->bytes : NULL, record.state_bytes, state_seed);
    record.hash = record_hash(&record);
    if (tw_file_create(&file, path, NULL) != TW_OK) return;
    fwrite(&record, sizeof record, 1, tw_file_stream(file));
    if (record.state_bytes > 0) fwrite(state->bytes, 1, state->count, tw_file_stream(file));
    tw_file_commit(&file, NULL);
}

bool bake_cache_load(twModeSet** out, const char* path, twBakeReport* report, BakeState* state)
{
    Names names = names_of(path);
    twBakeReport old;
    BakeState rest = {0};
    bool good = load_report(&old, names.report, state ? &rest : NULL);
    good = good && tw_mode_set_load(out, names.modes, NULL) == TW_OK;
    if (!good) free(rest.bytes);
    if (!good) return false;
    *report = old;
    if (state) *state = rest;
    // used just now: the last to be removed
    utimensat(AT_FDCWD, names.modes, NULL, 0);
    return true;
}

void bake_cache_round(char* out, size_t bytes, const char* path, int round)
{
    snprintf(out, bytes, "%s-%d", path, round);
}

// ---- size ----

typedef struct Entry
{
    char name[HASH_DIGITS + 8];
    uint64_t bytes;
    struct timespec used;
} Entry;

static bool ends_with(const char* text, const char* ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

static bool is_entry(const char* name)
{
    if (strspn(name, "0123456789abcdef") != HASH_DIGITS) return false;
    name += HASH_DIGITS;
    if (*name == '-') name += 1 + strspn(name + 1, "0123456789");
    return strcmp(name, ".twmodes") == 0;
}

static int compare_use(const void* a, const void* b)
{
    const Entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec > y->used.tv_sec ? 1 : -1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static void remove_entry(const char* folder, const char* name)
{
    char path[BAKE_PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return;
    Names names = names_of(path);
    remove(names.report);
    remove(names.modes);
}

// the entries of a folder in a new array
static Entry* list_entries(const char* folder, int* count)
{
    DIR* dir = opendir(folder);
    Entry* list = NULL;
    int room = 0;
    *count = 0;
    for (struct dirent* item = dir ? readdir(dir) : NULL; item; item = readdir(dir))
    {
        char path[BAKE_PATH_BYTES];
        struct stat info;
        if (snprintf(path, sizeof path, "%s/%s", folder, item->d_name) >= (int)sizeof path) continue;
        if (stat(path, &info) != 0) continue;
        if (!is_entry(item->d_name)) continue;
        if (*count == room)
        {
            Entry* larger = realloc(list, ((size_t)room + 256) * sizeof *list);
            if (!larger) break;
            list = larger;
            room += 256;
        }
        Entry* entry = &list[(*count)++];
        snprintf(entry->name, sizeof entry->name, "%.*s", (int)(strlen(item->d_name) - strlen(".twmodes")),
                 item->d_name);
        entry->bytes = (uint64_t)info.st_size;
        entry->used = info.st_mtim;
    }
    if (dir) closedir(dir);
    return list;
}

// remove what was not used for longest until the rest is small enough; the entry at path stays
static void trim(const char* folder, const char* path, uint64_t most)
{
    int count;
    uint64_t total = 0;
    tw_remove_leftovers(folder);
    Entry* list = list_entries(folder, &count);
    if (count > 0) qsort(list, (size_t)count, sizeof *list, compare_use);
    for (int i = 0; i < count; i++) total += list[i].bytes;
    for (int i = 0; i < count && total > most; i++)
    {
        if (ends_with(path, list[i].name)) continue;
        remove_entry(folder, list[i].name);
        total -= list[i].bytes;
    }
    free(list);
}

void bake_cache_save(const twModeSet* set, const char* path, const twBakeDef* def, const twBakeReport* report,
                     const BakeState* state)
{
    Names names = names_of(path);
    if (tw_make_folder(def->cache_folder, NULL) != TW_OK) return;
    if (tw_mode_set_save(set, names.modes, NULL) != TW_OK) return;
    save_report(report, names.report, state);
    trim(def->cache_folder, path, def->cache_max_bytes);
}

const char* tw_cache_folder(char* out, size_t bytes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')  // the XDG specification has relative ones ignored
        snprintf(out, bytes, "%s/twang", cache);
    else if (home && home[0])
        snprintf(out, bytes, "%s/.cache/twang", home);
    else
        snprintf(out, bytes, ".twang-cache");
    return out;
}
