// SPDX-License-Identifier: MIT
// Surfaces from files, told apart by content: glTF, PLY and OFF by their first bytes, binary STL by
// its size (some begin with "solid" like the text ones), text STL by its words, OBJ by the first
// words of its lines. Files of other programs are known too, to say what to export from there.
#include "mesh/scan.h"
#include "mesh/soup.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 31)  // of a file

typedef twStatus Reader(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);

static bool begins(const char* data, size_t bytes, const char* text)
{
    size_t length = strlen(text);
    return bytes >= length && memcmp(data, text, length) == 0;
}

// The bytes a binary STL would have with as many faces as it says; 0: it says nothing.
static uint64_t stl_size(const char* data, size_t bytes)
{
    if (bytes < 84) return 0;
    const unsigned char* d = (const unsigned char*)data + 80;
    uint64_t faces = (uint64_t)d[0] | (uint64_t)d[1] << 8 | (uint64_t)d[2] << 16 | (uint64_t)d[3] << 24;
    return faces * 50 + 84;
}

static bool ends(const char* text, const char* ending)
{
    size_t n = strlen(text), m = strlen(ending);
    for (size_t i = 0; i < m; i++)
        if (n < m || (text[n - m + i] | 32) != (ending[i] | 32)) return false;
    return true;
}

// JSON: an object comes first
static bool is_gltf(const char* data, size_t bytes)
{
    size_t i = begins(data, bytes, "\xEF\xBB\xBF") ? 3 : 0;
    while (i < bytes && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t')) i++;
    return i < bytes && data[i] == '{';
}

// bytes that no text has, near the beginning
static bool is_binary(const char* data, size_t bytes)
{
    for (size_t i = 0; i < bytes && i < 1024; i++)
        if ((unsigned char)data[i] < 9) return true;
    return false;
}

static bool is_stl_text(const char* path, const char* data, size_t bytes)
{
    twScan scan = tw_scan(path, data, bytes);
    twWord word;
    return tw_scan_any_word(&scan, &word, 0) && tw_word_is(word, "solid");
}

static bool is_obj(const char* path, const char* data, size_t bytes)
{
    static const char* const words[] = {"v", "vt", "vn", "vp",     "f",      "fo",     "o",   "g",    "s",
                                        "l", "p",  "mg", "mtllib", "usemtl", "cstype", "lod", "bevel"};
    twScan scan = tw_scan(path, data, bytes);
    twWord word;
    if (!tw_scan_any_word(&scan, &word, '#')) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tw_word_is(word, words[i])) return true;
    return false;
}

// ---- files of other programs ----

static bool load_contains(const char* data, size_t bytes, size_t within, const char* text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i + length <= bytes && i < within; i++)
        if (memcmp(data + i, text, length) == 0) return true;
    return false;
}

#define LOAD_EXPORT "; export it as glTF (.glb), OBJ, PLY or STL"
#define LOAD_UNPACK "; unpack it, and name the mesh that is in it"

// What a file is that is no mesh of ours, and what to do about it; NULL: not known. Bytes that
// begin it are enough.
static const char* load_foreign(const char* data, size_t bytes)
{
    static const struct
    {
        const char* begin;
        const char* words;
    } kinds[] = {{"BLENDER", "a Blender file" LOAD_EXPORT},
                 {"Kaydara FBX", "an FBX file" LOAD_EXPORT},
                 {"; FBX", "an FBX file" LOAD_EXPORT},
                 {"PXR-USDC", "a USD file" LOAD_EXPORT},
                 {"#usda", "a USD file" LOAD_EXPORT},
                 {"ISO-10303-21", "a STEP file, which has no triangles" LOAD_EXPORT},
                 {"#VRML", "a VRML file" LOAD_EXPORT},
                 {"\x1F\x8B", "compressed (gzip)" LOAD_UNPACK},
                 {"\x28\xB5\x2F\xFD", "compressed (zstd), as Blender's files may be" LOAD_EXPORT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(data, bytes, kinds[i].begin)) return kinds[i].words;

    // a zip holds the names of its files as they are
    if (begins(data, bytes, "PK\3\4"))
    {
        if (load_contains(data, bytes, 65536, "3D/3dmodel.model") || load_contains(data, bytes, 256, "_rels/.rels") ||
            load_contains(data, bytes, 256, "[Content_Types].xml"))
            return "a 3MF file" LOAD_EXPORT;
        if (load_contains(data, bytes, 256, ".usd")) return "a USD file" LOAD_EXPORT;
        return "a zip archive" LOAD_UNPACK;
    }
    if (load_contains(data, bytes, 64, "<?xml") || begins(data, bytes, "<"))
    {
        if (load_contains(data, bytes, 4096, "<COLLADA")) return "a Collada file" LOAD_EXPORT;
        if (load_contains(data, bytes, 4096, "<X3D")) return "an X3D file" LOAD_EXPORT;
        if (load_contains(data, bytes, 4096, "<amf")) return "an AMF file" LOAD_EXPORT;
    }
    return NULL;
}

// ---- readers ----

static Reader* find_reader(const char* path, const char* data, size_t bytes)
{
    if (load_foreign(data, bytes)) return NULL;
    if (begins(data, bytes, "glTF") || is_gltf(data, bytes)) return tw_read_glb;
    if (begins(data, bytes, "ply\n") || begins(data, bytes, "ply\r") || begins(data, bytes, "ply ")) return tw_read_ply;
    uint64_t stl = stl_size(data, bytes);
    if (stl > 0 && stl == bytes) return tw_read_stl_binary;
    if (tw_is_off(path, data, bytes)) return tw_read_off;
    // some have more at their end; those cut short can only be told by their name
    if (is_binary(data, bytes)) return stl > 0 && (stl < bytes || ends(path, ".stl")) ? tw_read_stl_binary : NULL;
    if (is_stl_text(path, data, bytes)) return tw_read_stl_text;
    if (is_obj(path, data, bytes)) return tw_read_obj;
    return NULL;
}

static twStatus unknown(const char* path, const char* data, size_t bytes, twError* err)
{
    if (bytes == 0) return tw_fail(err, TW_BAD_INPUT, "%s: the file is empty", path);
    if (begins(data, bytes, "$MeshFormat"))
        return tw_fail(err, TW_BAD_INPUT, "%s: this is a Gmsh file of tetrahedra, not a surface", path);
    const char* foreign = load_foreign(data, bytes);
    if (foreign) return tw_fail(err, TW_BAD_INPUT, "%s is %s", path, foreign);
    return tw_fail(err, TW_BAD_INPUT, "%s: this is neither OBJ nor STL, PLY, OFF or glTF", path);
}

// ---- what a file is ----

#define HEAD_BYTES 65536

// a scene can be JSON too, but has no such keys
static bool is_known_gltf(const char* data, size_t bytes)
{
    return begins(data, bytes, "glTF") ||
           (is_gltf(data, bytes) &&
            (load_contains(data, bytes, bytes, "\"asset\"") || load_contains(data, bytes, bytes, "\"accessors\"") ||
             load_contains(data, bytes, bytes, "\"bufferViews\"")));
}

static twMeshKind kind_of(const char* path, const char* head, size_t bytes, long size)
{
    if (begins(head, bytes, "$MeshFormat") || begins(head, bytes, "$NOD")) return TW_MESH_TETS;
    if (load_foreign(head, bytes)) return TW_MESH_NONE;
    if (stl_size(head, bytes) == (uint64_t)size) return TW_MESH_SURFACE;
    if (is_gltf(head, bytes)) return is_known_gltf(head, bytes) ? TW_MESH_SURFACE : TW_MESH_NONE;
    Reader* reader = find_reader(path, head, bytes);
    return reader && reader != tw_read_stl_binary ? TW_MESH_SURFACE : TW_MESH_NONE;
}

// the first bytes of a file, in new memory; NULL: there are none. size may be NULL
static char* load_head(const char* path, size_t* bytes, long* size)
{
    FILE* file = fopen(path, "rb");
    char* head = malloc(HEAD_BYTES);
    *bytes = file && head ? fread(head, 1, HEAD_BYTES, file) : 0;
    bool fine = *bytes > 0;
    if (fine && size)
    {
        fine = fseek(file, 0, SEEK_END) == 0;
        *size = ftell(file);
    }
    if (file) fclose(file);
    if (fine) return head;
    free(head);
    return NULL;
}

twMeshKind tw_mesh_kind(const char* path)
{
    if (ends(path, ".node") || ends(path, ".ele")) return TW_MESH_TETS;
    size_t bytes;
    long size;
    char* head = load_head(path, &bytes, &size);
    const twMeshKind kind = head ? kind_of(path, head, bytes, size) : TW_MESH_NONE;
    free(head);
    return kind;
}

bool tw_mesh_is_foreign(const char* path, twError* err)
{
    size_t bytes;
    char* head = load_head(path, &bytes, NULL);
    const char* foreign = head ? load_foreign(head, bytes) : NULL;
    free(head);
    if (foreign) tw_fail(err, TW_BAD_INPUT, "%s is %s", path, foreign);
    return foreign != NULL;
}

// ---- reading ----

// a file that cannot be read; what is not there may be a shape without its colon
static twStatus load_no_file(const char* path, twStatus status, twError* err)
{
    char meant[300];
    FILE* file = tw_shape_meant(meant, sizeof meant, path)[0] ? fopen(path, "rb") : NULL;
    if (file) fclose(file);
    if (file || !meant[0]) return status;
    return tw_fail(err, TW_BAD_INPUT, "there is no file '%s'; the shape is written '%s'", path, meant);
}

twStatus tw_mesh_read(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err)
{
    *out = NULL;
    Reader* reader = find_reader(path, data, bytes);
    return reader ? reader(out, path, data, bytes, scale, err) : unknown(path, data, bytes, err);
}

twStatus tw_mesh_load(twMesh** out, const char* path, double scale, twError* err)
{
    *out = NULL;
    if (!(scale > 0 && scale < 1e100))
        return tw_fail(err, TW_BAD_INPUT, "%s: the scale %g must be positive, such as 0.001 for millimetres", path,
                       scale);
    char* data;
    size_t bytes;
    twStatus status = tw_file_read(&data, &bytes, path, MAX_BYTES, err);
    if (status != TW_OK) return load_no_file(path, status, err);
    status = tw_mesh_read(out, path, data, bytes, scale, err);
    free(data);
    return status;
}
