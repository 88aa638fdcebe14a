// SPDX-License-Identifier: MIT
// The .twmodes file (docs/twmodes.md): a header, a table of sections, the sections. Little-endian; every section begins
// at a multiple of 64 bytes, so that a mapped file can be used in place.
//
//   header    "TWMODES\n", u32 version, u32 section count, u64 file size, u64[2] hash of all else
//   table     per section: u32 id, u32 item size, u64 offset, u64 item count
//   sections  INFO (one record), FREQ, DCAY (double), SHAP (float), VERT (3 double), FACE (3 int32), MATL (records), and
//             if there are several materials KINE, ELAS (double), if the tets are kept TETS, TMAT (int32), INOD (3 double),
//             ISHP (float), if the acoustic transfer is known AINF (one record), AORD (int32), AFST (int64), AMOM, AERR
//             (float)

#include "mode_file.h"
#include <stdlib.h>
#include <string.h>

#define FILE_VERSION 3
#define FILE_MAX_BYTES ((size_t)64 << 30)
#define ALIGN 64

typedef struct FileHeader
{
    char magic[8];
    uint32_t version, section_count;
    uint64_t file_bytes;
    uint64_t hash_high, hash_low;
    uint64_t reserved[3];
} FileHeader;

typedef struct FileSection
{
    uint32_t id, item_bytes;
    uint64_t offset, count;
} FileSection;

typedef struct FileInfo
{
    int32_t mode_count, vertex_count, face_count, rigid_modes;
    int32_t material_count, tet_count, nodes_per_tet, inner_count;
    int32_t damping_kind, curve_count;
    double volume, mass, centre[3], inertia[9];
    double error_estimate;
    double alpha, beta, loss_factor;
    double curve_hz[TW_MAX_DAMPING_POINTS], curve_decay[TW_MAX_DAMPING_POINTS];
} FileInfo;

typedef struct FileTransfer
{
    double centre[3], radius, sound_speed, air_density;
    int64_t moment_count;
} FileTransfer;

_Static_assert(sizeof(FileHeader) == 64 && sizeof(FileSection) == 24, "the file's layout has no padding");
_Static_assert(sizeof(FileInfo) == 696 && sizeof(twModeMaterial) == 136 && sizeof(FileTransfer) == 56,
               "the file's records have no padding");
_Static_assert(sizeof(twVec3) == 24 && sizeof(twTriangle) == 12 && sizeof(int) == 4, "arrays are stored as they are");

enum
{
    INFO,
    FREQ,
    DCAY,
    SHAP,
    VERT,
    FACE,
    MATL,
    REQUIRED,
    KINE = REQUIRED,
    ELAS,
    TETS,
    TMAT,
    INOD,
    ISHP,
    AINF,
    AORD,
    AFST,
    AMOM,
    AERR,
    SECTIONS
};

static const char section_names[SECTIONS][5] = {"INFO", "FREQ", "DCAY", "SHAP", "VERT", "FACE", "MATL", "KINE", "ELAS",
                                                "TETS", "TMAT", "INOD", "ISHP", "AINF", "AORD", "AFST", "AMOM", "AERR"};
static const uint32_t item_bytes[SECTIONS] = {
    sizeof(FileInfo), 8, 8, 4, 24, 12, sizeof(twModeMaterial), 8, 8, 4, 4, 24, 4, sizeof(FileTransfer), 4, 8, 4, 4};
static const char file_magic[8] = "TWMODES\n";

static uint32_t section_id(int section)
{
    uint32_t id;
    memcpy(&id, section_names[section], 4);
    return id;
}

static bool little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char*)&one == 1;
}

// of the header without its hash, then of the rest
static twHash hash_of(const FileHeader* header, const char* bytes, size_t count)
{
    FileHeader bare = *header;
    bare.hash_high = bare.hash_low = 0;
    twHash seed = tw_hash(&bare, sizeof bare, (twHash){0, 0});
    return tw_hash(bytes + sizeof bare, count - sizeof bare, seed);
}

// items of each section
static void count_items(const twModeSet* set, uint64_t counts[SECTIONS])
{
    uint64_t modes = (uint64_t)set->mode_count, vertices = (uint64_t)set->vertex_count;
    uint64_t materials = (uint64_t)set->material_count, tets = (uint64_t)set->tet_count;
    uint64_t inner = (uint64_t)set->inner_count, baked = set->transfer ? modes : 0;
    const uint64_t all[SECTIONS] = {1,
                                    modes,
                                    modes,
                                    3 * modes * vertices,
                                    vertices,
                                    (uint64_t)set->face_count,
                                    materials,
                                    modes * materials,
                                    modes * materials,
                                    tets * (uint64_t)set->nodes_per_tet,
                                    tets,
                                    inner,
                                    3 * modes * inner,
                                    set->transfer ? 1 : 0,
                                    baked,
                                    baked,
                                    set->transfer ? 2 * (uint64_t)set->transfer->moment_count : 0,
                                    baked};
    memcpy(counts, all, sizeof all);
}

// ---- writing ----

static FileInfo info_of(const twModeSet* set)
{
    FileInfo info = {.mode_count = set->mode_count,
                     .vertex_count = set->vertex_count,
                     .face_count = set->face_count,
                     .rigid_modes = set->rigid_modes,
                     .material_count = set->material_count,
                     .tet_count = set->tet_count,
                     .nodes_per_tet = set->nodes_per_tet,
                     .inner_count = set->inner_count,
                     .damping_kind = (int32_t)set->damping.kind,
                     .curve_count = set->damping.count,
                     .volume = set->mass.volume,
                     .mass = set->mass.mass,
                     .centre = {set->mass.centre.x, set->mass.centre.y, set->mass.centre.z},
                     .error_estimate = set->error_estimate,
                     .alpha = set->damping.alpha,
                     .beta = set->damping.beta,
                     .loss_factor = set->damping.loss_factor};
    memcpy(info.inertia, set->mass.inertia.m, sizeof info.inertia);
    memcpy(info.curve_hz, set->damping.freq_hz, sizeof info.curve_hz);
    memcpy(info.curve_decay, set->damping.decay, sizeof info.curve_decay);
    return info;
}

static FileTransfer transfer_info_of(const twTransfer* t)
{
    return (FileTransfer){.centre = {t->centre.x, t->centre.y, t->centre.z},
                          .radius = t->radius,
                          .sound_speed = t->sound_speed,
                          .air_density = t->air_density,
                          .moment_count = t->moment_count};
}

// the table of those sections that have data. @return how many
static uint32_t fill_table(const twModeSet* set, const void* const data[SECTIONS], FileSection table[SECTIONS],
                           int which[SECTIONS], uint64_t* file_bytes)
{
    uint64_t counts[SECTIONS];
    uint32_t sections = 0;
    count_items(set, counts);
    for (int i = 0; i < SECTIONS; i++)
        if (i < REQUIRED || (data[i] && counts[i])) which[sections++] = i;
    uint64_t at = sizeof(FileHeader) + sections * sizeof(FileSection);
    for (uint32_t i = 0; i < sections; i++)
    {
        at = (at + ALIGN - 1) / ALIGN * ALIGN;
        table[i] = (FileSection){section_id(which[i]), item_bytes[which[i]], at, counts[which[i]]};
        at += table[i].count * table[i].item_bytes;
    }
    *file_bytes = at;
    return sections;
}

// in memory as a whole, so that its hash can go in front
twStatus tw_mode_set_encode(char** out, size_t* bytes, const twModeSet* set, twError* err)
{
    *out = NULL;
    if (!little_endian()) return tw_fail(err, TW_IO_ERROR, "mode files need a little-endian machine");
    FileSection table[SECTIONS];
    FileInfo info = info_of(set);
    uint64_t total;
    int which[SECTIONS];
    const twTransfer none = {0}, *t = set->transfer ? set->transfer : &none;
    FileTransfer air = transfer_info_of(t);
    const void* const data[SECTIONS] = {
        &info,        set->freq_hz, set->decay, set->shape,         set->vertices, set->faces,       set->materials,
        set->kinetic, set->elastic, set->tets,  set->tet_materials, set->inner,    set->inner_shape, &air,
        t->order,     t->first,     t->moments, t->error_db};
    uint32_t sections = fill_table(set, data, table, which, &total);
    char* file = total > PTRDIFF_MAX ? NULL : calloc(1, (size_t)total);
    if (!file) return tw_fail(err, TW_NO_MEMORY, "no memory for a mode file of %.1f MB", (double)total * 1e-6);
    FileHeader header = {.version = FILE_VERSION, .section_count = sections, .file_bytes = total};
    memcpy(header.magic, file_magic, sizeof file_magic);
    memcpy(file + sizeof header, table, sections * sizeof *table);
    for (uint32_t i = 0; i < sections; i++)
        if (table[i].count)
            memcpy(file + table[i].offset, data[which[i]], (size_t)(table[i].count * table[i].item_bytes));
    twHash hash = hash_of(&header, file, (size_t)total);
    header.hash_high = hash.high;
    header.hash_low = hash.low;
    memcpy(file, &header, sizeof header);
    *out = file;
    *bytes = (size_t)total;
    return TW_OK;
}

twStatus tw_mode_set_save(const twModeSet* set, const char* path, twError* err)
{
    char* bytes;
    size_t count;
    twFile* file = NULL;
    twStatus status = tw_mode_set_encode(&bytes, &count, set, err);
    if (status != TW_OK) return status;
    status = tw_file_create(&file, path, err);
    if (status == TW_OK && fwrite(bytes, 1, count, tw_file_stream(file)) != count) status = tw_file_fail(file, err);
    free(bytes);
    if (status == TW_OK) return tw_file_commit(&file, err);
    tw_file_abort(&file);
    return status;
}

// ---- reading ----

static twStatus check_header(const FileHeader* header, const char* bytes, size_t count, twError* err)
{
    if (count < sizeof *header || memcmp(header->magic, file_magic, sizeof file_magic) != 0)
        return tw_fail(err, TW_BAD_INPUT, "this is not a mode file (.twmodes)");
    if (header->version != FILE_VERSION)
        return tw_fail(err, TW_BAD_INPUT, "mode file of version %u; this program reads version %d: make it again",
                       (unsigned)header->version, FILE_VERSION);
    if (header->file_bytes != count)
        return tw_fail(err, TW_BAD_INPUT, "mode file of %zu bytes that should have %llu: cut short or damaged", count,
                       (unsigned long long)header->file_bytes);
    twHash hash = hash_of(header, bytes, count);
    if (hash.high != header->hash_high || hash.low != header->hash_low)
        return tw_fail(err, TW_BAD_INPUT, "mode file is damaged: its checksum is wrong");
    return TW_OK;
}

// where a section's items are; *out is NULL if it is absent. @return false if it is misplaced or of another size
static bool find_section(const void** out, const char* bytes, size_t total, uint32_t sections, int which,
                         uint64_t count)
{
    *out = NULL;
    for (uint32_t i = 0; i < sections; i++)
    {
        FileSection s;
        size_t at = sizeof(FileHeader) + (size_t)i * sizeof s;
        if (at + sizeof s > total) return false;
        memcpy(&s, bytes + at, sizeof s);
        if (s.id != section_id(which)) continue;
        bool fits = s.item_bytes == item_bytes[which] && s.count == count && s.offset % ALIGN == 0 &&
                    s.offset <= total && count <= (total - s.offset) / s.item_bytes;
        if (fits) *out = bytes + s.offset;
        return fits;
    }
    return true;
}

static void set_from_info(twModeSet* set, const FileInfo* info)
{
    set->mode_count = info->mode_count;
    set->vertex_count = info->vertex_count;
    set->face_count = info->face_count;
    set->rigid_modes = info->rigid_modes;
    set->material_count = info->material_count;
    set->tet_count = info->tet_count;
    set->nodes_per_tet = info->nodes_per_tet;
    set->inner_count = info->inner_count;
    set->mass.volume = info->volume;
    set->mass.mass = info->mass;
    set->mass.centre = (twVec3){info->centre[0], info->centre[1], info->centre[2]};
    memcpy(set->mass.inertia.m, info->inertia, sizeof info->inertia);
    set->error_estimate = info->error_estimate;
    set->damping = (twDamping){.kind = (twDampingKind)info->damping_kind,
                               .alpha = info->alpha,
                               .beta = info->beta,
                               .loss_factor = info->loss_factor,
                               .count = (int)info->curve_count};
    memcpy(set->damping.freq_hz, info->curve_hz, sizeof info->curve_hz);
    memcpy(set->damping.decay, info->curve_decay, sizeof info->curve_decay);
}

// the record of the transfer, if there is one, so that its arrays can be counted
static twStatus read_transfer(twModeSet* set, twTransfer* t, const char* bytes, size_t count, uint32_t sections,
                              twError* err)
{
    FileTransfer air;
    const void* at;
    if (!find_section(&at, bytes, count, sections, AINF, 1))
        return tw_fail(err, TW_BAD_INPUT, "mode file whose section AINF is of the wrong size");
    if (!at) return TW_OK;
    memcpy(&air, at, sizeof air);
    if (air.moment_count < 0 || (uint64_t)air.moment_count > count)
        return tw_fail(err, TW_BAD_INPUT, "mode file with counts out of range");
    *t = (twTransfer){.mode_count = set->mode_count,
                      .moment_count = air.moment_count,
                      .centre = {air.centre[0], air.centre[1], air.centre[2]},
                      .radius = air.radius,
                      .sound_speed = air.sound_speed,
                      .air_density = air.air_density};
    set->transfer = t;
    return TW_OK;
}

// find all sections; those that the counts ask for must be there. t is where the transfer of set goes
static twStatus point_sections(twModeSet* set, twTransfer* t, const char* bytes, size_t count, uint32_t sections,
                               twError* err)
{
    const void* at[SECTIONS];
    uint64_t counts[SECTIONS];
    twStatus status = read_transfer(set, t, bytes, count, sections, err);
    if (status != TW_OK) return status;
    count_items(set, counts);
    for (int i = 1; i < SECTIONS; i++)
    {
        bool optional = i == KINE || i == ELAS || i == TMAT || counts[i] == 0;
        if (!find_section(&at[i], bytes, count, sections, i, counts[i]) || (!at[i] && (i < REQUIRED || !optional)))
            return tw_fail(err, TW_BAD_INPUT, "mode file whose section %s is missing or of the wrong size",
                           section_names[i]);
    }
    set->freq_hz = at[FREQ];
    set->decay = at[DCAY];
    set->shape = at[SHAP];
    set->vertices = at[VERT];
    set->faces = at[FACE];
    set->materials = at[MATL];
    set->kinetic = at[KINE];
    set->elastic = at[ELAS];
    set->tets = at[TETS];
    set->tet_materials = at[TMAT];
    set->inner = at[INOD];
    set->inner_shape = at[ISHP];
    t->freq_hz = at[FREQ];
    t->order = at[AORD];
    t->first = at[AFST];
    t->moments = at[AMOM];
    t->error_db = at[AERR];
    return TW_OK;
}

// point a set and its transfer into the bytes of a file
static twStatus point_into(twModeSet* set, twTransfer* t, const char* bytes, size_t count, twError* err)
{
    FileHeader header = {0};
    if (count >= sizeof header) memcpy(&header, bytes, sizeof header);
    twStatus status = check_header(&header, bytes, count, err);
    if (status != TW_OK) return status;
    FileInfo info;
    const void* at;
    if (!find_section(&at, bytes, count, header.section_count, INFO, 1) || !at)
        return tw_fail(err, TW_BAD_INPUT, "mode file without a section INFO");
    memcpy(&info, at, sizeof info);
    if (info.mode_count < 0 || info.vertex_count < 0 || info.face_count < 0 || info.material_count < 0 ||
        info.tet_count < 0 || info.nodes_per_tet < 0 || info.inner_count < 0 || info.curve_count < 0 ||
        info.curve_count > TW_MAX_DAMPING_POINTS)
        return tw_fail(err, TW_BAD_INPUT, "mode file with counts out of range");
    set_from_info(set, &info);
    status = point_sections(set, t, bytes, count, header.section_count, err);
    return status == TW_OK ? mode_set_check(set, err) : status;
}

twStatus tw_mode_set_view(twModeSet** out, const void* bytes, size_t count, twError* err)
{
    *out = NULL;
    if ((uintptr_t)bytes % 8 != 0)
        return tw_fail(err, TW_BAD_INPUT, "a mode file in memory must be aligned to 8 bytes");
    if (!little_endian()) return tw_fail(err, TW_IO_ERROR, "mode files need a little-endian machine");
    twModeSet* set = calloc(1, sizeof *set + sizeof(twTransfer));
    if (!set) return tw_fail(err, TW_NO_MEMORY, "no memory for a mode set");
    twStatus status = point_into(set, (twTransfer*)(set + 1), bytes, count, err);
    if (status == TW_OK)
        *out = set;
    else
        free(set);
    return status;
}

twStatus tw_mode_set_load(twModeSet** out, const char* path, twError* err)
{
    char* bytes;
    size_t count;
    twError inner = {0};
    *out = NULL;
    twStatus status = tw_file_read(&bytes, &count, path, FILE_MAX_BYTES, err);
    if (status != TW_OK) return status;
    twModeSet* view;
    status = tw_mode_set_view(&view, bytes, count, &inner);
    if (status == TW_OK) status = tw_mode_set_create(out, view, &inner);
    tw_mode_set_destroy(view);
    free(bytes);
    return status == TW_OK ? TW_OK : tw_fail(err, status, "%s: %s", path, inner.text);
}
