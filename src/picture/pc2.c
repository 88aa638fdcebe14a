// SPDX-License-Identifier: MIT
// PC2 point caches: a head of 32 bytes ("POINTCACHE2" and a zero, version 1, number of points, first frame, frames per
// sample, number of samples; integers of 32 bits and floats, little-endian), then the points of every sample as floats.
#include "twang/picture.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum
{
    NAME = TW_TRACE_NAME + 16,
};

twPc2Def tw_pc2_def(void) { return (twPc2Def){0}; }

// ---- names ----

static void plain_name(const char* name, char out[NAME])
{
    int n = 0;
    for (; n < TW_TRACE_NAME - 1 && name[n]; n++)
    {
        const unsigned char c = (unsigned char)name[n];
        out[n] = (char)(c < 128 && (isalnum(c) || c == '-' || c == '_') ? c : '_');
    }
    out[n] = 0;
    if (n == 0) strcpy(out, "part");
}

// names that differ by their case alone are the same to some systems
static bool same_name(const char* a, const char* b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return *a == 0 && *b == 0;
}

void tw_pc2_name(const twSkin* skin, int part, char out[TW_TRACE_NAME + 16])
{
    bool taken = false;
    char other[NAME];
    plain_name(skin->parts[part].name, out);
    for (int p = 0; p < skin->part_count && !taken; p++)
    {
        if (p == part) continue;
        plain_name(skin->parts[p].name, other);
        taken = same_name(out, other);
    }

    // a dot is in no plain name
    const size_t length = strlen(out);
    if (taken) snprintf(out + length, NAME - length, ".%d", part);
}

static char* join(const char* folder, const char* name, const char* ending)
{
    const size_t bytes = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char* path = malloc(bytes);
    if (path) snprintf(path, bytes, "%s/%s%s", folder, name, ending);
    return path;
}

// ---- files ----

static void put_u32(FILE* stream, uint32_t value)
{
    for (int i = 0; i < 4; i++) fputc((int)(value >> 8 * i & 255), stream);
}

// the bytes of floats, in place
static void write_floats(FILE* stream, float* values, int count)
{
    for (int i = 0; i < count; i++)
    {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        const unsigned char bytes[4] = {bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24};
        memcpy(&values[i], bytes, sizeof bytes);
    }
    fwrite(values, sizeof *values, (size_t)count, stream);
}

static void write_head(FILE* stream, int points, int64_t samples)
{
    fwrite("POINTCACHE2", 1, 12, stream);
    put_u32(stream, 1);
    put_u32(stream, (uint32_t)points);
    write_floats(stream, (float[]){0, 1}, 2);
    put_u32(stream, (uint32_t)samples);
}

static twStatus ask(const twPc2Def* def, const twSkin* skin, int part, int64_t frame, twError* err)
{
    const double done = (part + (double)frame / (double)skin->trace->frame_count) / skin->part_count;
    if (!def->keep_going || def->keep_going(done, def->context)) return TW_OK;
    return tw_fail(err, TW_INTERRUPTED, "the point caches are not all written: interrupted");
}

static twStatus save_cache(const char* path, const twSkin* skin, int part, const twPc2Def* def, float* points,
                           twError* err)
{
    twFile* file;
    const int count = skin->parts[part].vertex_count;
    twStatus status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    write_head(tw_file_stream(file), count, skin->trace->frame_count);
    for (int64_t f = 0; f < skin->trace->frame_count && status == TW_OK; f++)
    {
        tw_skin_vertices(skin, part, f, points, NULL);
        write_floats(tw_file_stream(file), points, 3 * count);
        if (ferror(tw_file_stream(file)))
            status = tw_file_fail(file, err);
        else
            status = ask(def, skin, part, f + 1, err);
    }
    if (status == TW_OK) return tw_file_commit(&file, err);
    tw_file_abort(&file);
    return status;
}

static twStatus save_mesh(const char* path, const twSkin* skin, int part, float* points, twError* err)
{
    const twSkinPart* from = &skin->parts[part];
    twMesh* mesh;
    twStatus status = tw_mesh_create(&mesh, from->vertex_count, from->face_count, err);
    if (status != TW_OK) return status;
    tw_skin_vertices(skin, part, 0, points, NULL);
    for (int i = 0; i < from->vertex_count; i++)
        mesh->vertices[i] = tw_vec3(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    memcpy(mesh->faces, from->faces, (size_t)from->face_count * sizeof *mesh->faces);
    status = tw_mesh_save(mesh, path, err);
    tw_mesh_destroy(mesh);
    return status;
}

static twStatus save_part(const char* folder, const twSkin* skin, int part, const twPc2Def* def, twError* err)
{
    char name[NAME];
    tw_pc2_name(skin, part, name);
    char *cache = join(folder, name, ".pc2"), *mesh = join(folder, name, ".obj");
    float* points = malloc(3 * (size_t)skin->parts[part].vertex_count * sizeof *points);
    twStatus status = TW_OK;
    if (!cache || !mesh || !points)
        status = tw_fail(err, TW_NO_MEMORY, "no memory for the point cache of '%s'", skin->parts[part].name);
    if (status == TW_OK) status = save_mesh(mesh, skin, part, points, err);
    if (status == TW_OK) status = save_cache(cache, skin, part, def, points, err);
    free(cache);
    free(mesh);
    free(points);
    return status;
}

twStatus tw_pc2_save(const char* folder, const twSkin* skin, const twPc2Def* def, twError* err)
{
    TW_ASSERT(folder && skin && def);
    if (skin->trace->frame_count > INT32_MAX)
        return tw_fail(err, TW_BAD_INPUT, "%lld frames are more than a point cache can hold",
                       (long long)skin->trace->frame_count);
    twStatus status = tw_make_folder(folder, err);
    for (int p = 0; p < skin->part_count && status == TW_OK; p++) status = save_part(folder, skin, p, def, err);
    return status;
}
