// SPDX-License-Identifier: MIT
// The .twmodes file (docs/twmodes.md): a header, a table of sections, the sections. Little-endian; every section begins
// at a multiple of 64 bytes, so that a mapped file can be used in place.
//
//   header    "TWMODES\n", u32 version, u32 section count, u64 file size, u64[2] hash of all else
//   table     per section: u32 id, u32 item size, u64 offset, u64 item count
//   sections  INFO (one record), FREQ, DCAY (double), SHAP (float), VERT (3 double), FACE (3 int32)

#include "mode_file.h"
#include <stdlib.h>
#include <string.h>

#define FILE_VERSION 1
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
    int32_t mode_count, vertex_count, face_count, damping_kind, rigid_modes, reserved;
    double volume, mass, centre[3], inertia[9];
    double density, young, poisson, error_estimate;
    double alpha, beta, loss_factor;
    double curve_hz[TW_MAX_DAMPING_POINTS], curve_decay[TW_MAX_DAMPING_POINTS];
    int64_t curve_count;
} FileInfo;

_Static_assert(sizeof(FileHeader) == 64 && sizeof(FileSection) == 24, "the file's layout has no padding");
_Static_assert(sizeof(twVec3) == 24 && sizeof(twTriangle) == 12, "arrays are stored as they are");

enum
{
    INFO,
    FREQ,
    DCAY,
    SHAP,
    VERT,
    FACE,
    SECTIONS
};

static const char section_names[SECTIONS][5] = {"INFO", "FREQ", "DCAY", "SHAP", "VERT", "FACE"};
static const uint32_t item_bytes[SECTIONS] = {sizeof(FileInfo), 8, 8, 4, 24, 12};
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

// ---- writing ----

static FileInfo info_of(const twModeSet* set)
{
    FileInfo info = {.mode_count = set->mode_count,
                     .vertex_count = set->vertex_count,
                     .face_count = set->face_count,
                     .damping_kind = (int32_t)set->damping.kind,
                     .rigid_modes = set->rigid_modes,
                     .volume = set->mass.volume,
                     .mass = set->mass.mass,
                     .centre = {set->mass.centre.x, set->mass.centre.y, set->mass.centre.z},
                     .density = set->density,
                     .young = set->young,
                     .poisson = set->poisson,
                     .error_estimate = set->error_estimate,
                     .alpha = set->damping.alpha,
                     .beta = set->damping.beta,
                     .loss_factor = set->damping.loss_factor,
                     .curve_count = set->damping.count};
    memcpy(info.inertia, set->mass.inertia.m, sizeof info.inertia);
    memcpy(info.curve_hz, set->damping.freq_hz, sizeof info.curve_hz);
    memcpy(info.curve_decay, set->damping.decay, sizeof info.curve_decay);
    return info;
}

static void fill_table(const twModeSet* set, FileSection table[SECTIONS], uint64_t* file_bytes)
{
    uint64_t modes = (uint64_t)set->mode_count, vertices = (uint64_t)set->vertex_count;
    const uint64_t counts[SECTIONS] = {1, modes, modes, 3 * modes * vertices, vertices, (uint64_t)set->face_count};
    uint64_t at = sizeof(FileHeader) + SECTIONS * sizeof(FileSection);
    for (int i = 0; i < SECTIONS; i++)
    {
        at = (at + ALIGN - 1) / ALIGN * ALIGN;
        table[i] = (FileSection){section_id(i), item_bytes[i], at, counts[i]};
        at += counts[i] * item_bytes[i];
    }
    *file_bytes = at;
}

// the whole file in memory, so that its hash can go in front
static twStatus build_file(char** out, size_t* bytes, const twModeSet* set, twError* err)
{
    FileSection table[SECTIONS];
    FileInfo info = info_of(set);
    uint64_t total;
    fill_table(set, table, &total);
    const void* const data[SECTIONS] = {&info, set->freq_hz, set->decay, set->shape, set->vertices, set->faces};
    char* file = calloc(1, (size_t)total);
    if (!file) return tw_fail(err, TW_NO_MEMORY, "no memory for a mode file of %.1f MB", (double)total * 1e-6);
    FileHeader header = {.version = FILE_VERSION, .section_count = SECTIONS, .file_bytes = total};
    memcpy(header.magic, file_magic, sizeof file_magic);
    memcpy(file + sizeof header, table, sizeof table);
    for (int i = 0; i < SECTIONS; i++)
        if (table[i].count) memcpy(file + table[i].offset, data[i], (size_t)(table[i].count * table[i].item_bytes));
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
    if (!little_endian()) return tw_fail(err, TW_IO_ERROR, "mode files need a little-endian machine");
    twStatus status = build_file(&bytes, &count, set, err);
    if (status != TW_OK) return status;
    status = tw_file_create(&file, path, err);
    if (status == TW_OK && fwrite(bytes, 1, count, tw_file_stream(file)) != count)
        status = tw_fail(err, TW_IO_ERROR, "cannot write %s: is the disk full?", path);
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
        return tw_fail(err, TW_BAD_INPUT, "mode file of version %u; this program reads version %d",
                       (unsigned)header->version, FILE_VERSION);
    if (header->file_bytes != count)
        return tw_fail(err, TW_BAD_INPUT, "mode file of %zu bytes that should have %llu: cut short or damaged", count,
                       (unsigned long long)header->file_bytes);
    twHash hash = hash_of(header, bytes, count);
    if (hash.high != header->hash_high || hash.low != header->hash_low)
        return tw_fail(err, TW_BAD_INPUT, "mode file is damaged: its checksum is wrong");
    return TW_OK;
}

// where a section's items are; NULL if it is absent, misplaced or of another size
static const void* find_section(const char* bytes, size_t total, uint32_t sections, int which, uint64_t count)
{
    for (uint32_t i = 0; i < sections; i++)
    {
        FileSection s;
        size_t at = sizeof(FileHeader) + (size_t)i * sizeof s;
        if (at + sizeof s > total) return NULL;
        memcpy(&s, bytes + at, sizeof s);
        if (s.id != section_id(which)) continue;
        bool fits = s.item_bytes == item_bytes[which] && s.count == count && s.offset % ALIGN == 0 &&
                    s.offset <= total && count <= (total - s.offset) / s.item_bytes;
        return fits ? bytes + s.offset : NULL;
    }
    return NULL;
}

static void set_from_info(twModeSet* set, const FileInfo* info)
{
    set->mode_count = info->mode_count;
    set->vertex_count = info->vertex_count;
    set->face_count = info->face_count;
    set->rigid_modes = info->rigid_modes;
    set->mass.volume = info->volume;
    set->mass.mass = info->mass;
    set->mass.centre = (twVec3){info->centre[0], info->centre[1], info->centre[2]};
    memcpy(set->mass.inertia.m, info->inertia, sizeof info->inertia);
    set->density = info->density;
    set->young = info->young;
    set->poisson = info->poisson;
    set->error_estimate = info->error_estimate;
    set->damping = (twDamping){.kind = (twDampingKind)info->damping_kind,
                               .alpha = info->alpha,
                               .beta = info->beta,
                               .loss_factor = info->loss_factor,
                               .count = (int)info->curve_count};
    memcpy(set->damping.freq_hz, info->curve_hz, sizeof info->curve_hz);
    memcpy(set->damping.decay, info->curve_decay, sizeof info->curve_decay);
}

// point a set into the bytes of a file
static twStatus point_into(twModeSet* set, const char* bytes, size_t count, twError* err)
{
    FileHeader header = {0};
    if (count >= sizeof header) memcpy(&header, bytes, sizeof header);
    twStatus status = check_header(&header, bytes, count, err);
    if (status != TW_OK) return status;
    FileInfo info;
    const void* at = find_section(bytes, count, header.section_count, INFO, 1);
    if (!at) return tw_fail(err, TW_BAD_INPUT, "mode file without a section INFO");
    memcpy(&info, at, sizeof info);
    if (info.mode_count < 0 || info.vertex_count < 0 || info.face_count < 0 || info.rigid_modes < 0 ||
        info.curve_count < 0 || info.curve_count > TW_MAX_DAMPING_POINTS)
        return tw_fail(err, TW_BAD_INPUT, "mode file with counts out of range");
    set_from_info(set, &info);
    uint64_t modes = (uint64_t)info.mode_count, vertices = (uint64_t)info.vertex_count;
    set->freq_hz = find_section(bytes, count, header.section_count, FREQ, modes);
    set->decay = find_section(bytes, count, header.section_count, DCAY, modes);
    set->shape = find_section(bytes, count, header.section_count, SHAP, 3 * modes * vertices);
    set->vertices = find_section(bytes, count, header.section_count, VERT, vertices);
    set->faces = find_section(bytes, count, header.section_count, FACE, (uint64_t)info.face_count);
    if (!set->freq_hz || !set->decay || !set->shape || !set->vertices || !set->faces)
        return tw_fail(err, TW_BAD_INPUT, "mode file whose sections are missing or of the wrong size");
    return mode_set_check(set, err);
}

twStatus tw_mode_set_view(twModeSet** out, const void* bytes, size_t count, twError* err)
{
    *out = NULL;
    if ((uintptr_t)bytes % 8 != 0)
        return tw_fail(err, TW_BAD_INPUT, "a mode file in memory must be aligned to 8 bytes");
    if (!little_endian()) return tw_fail(err, TW_IO_ERROR, "mode files need a little-endian machine");
    twModeSet* set = calloc(1, sizeof *set);
    if (!set) return tw_fail(err, TW_NO_MEMORY, "no memory for a mode set");
    twStatus status = point_into(set, bytes, count, err);
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
