// SPDX-License-Identifier: MIT
// glTF 2.0 (Khronos, https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html): as GLB, a header, a chunk of JSON and a
// chunk of bytes; or as JSON alone, with the bytes within or in files beside it.
#include "mesh/bytes.h"
#include "mesh/glb.h"
#include <stdlib.h>

bool tw_glb_list(const twGlb* glb, const char* key, twGlbList* out)
{
    int array = tw_json_get(&glb->json, 0, key), node = tw_json_first(array);
    out->count = tw_json_length(&glb->json, array);
    out->at = malloc(((size_t)out->count + 1) * sizeof *out->at);
    if (!out->at) return false;
    for (int i = 0; i < out->count; i++, node = tw_json_next(&glb->json, node)) out->at[i] = node;
    return true;
}

static twStatus read_json(twGlb* glb, const char* data, size_t bytes, twError* err)
{
    twStatus status = tw_json_read(&glb->json, glb->path, data, bytes, err);
    if (status != TW_OK) return status;
    bool fine = tw_glb_list(glb, "nodes", &glb->nodes) && tw_glb_list(glb, "meshes", &glb->meshes) &&
                tw_glb_list(glb, "accessors", &glb->accessors) && tw_glb_list(glb, "bufferViews", &glb->views) &&
                tw_glb_list(glb, "buffers", &glb->buffers);
    return fine ? tw_glb_open_buffers(glb, err) : tw_fail(err, TW_NO_MEMORY, "%s: no memory", glb->path);
}

// a file of JSON alone
static twStatus open_gltf(twGlb* glb, const char* data, size_t bytes, twError* err)
{
    size_t mark = bytes >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    twStatus status = read_json(glb, data + mark, bytes - mark, err);
    int version = tw_json_get(&glb->json, tw_json_get(&glb->json, 0, "asset"), "version");
    bool two = tw_json_is(&glb->json, version, TW_JSON_TEXT) && glb->json.nodes[version].length > 0 &&
               glb->json.nodes[version].text[0] == '2';
    if (status != TW_OK || two) return status;
    return tw_fail(err, TW_BAD_INPUT, "%s: this is JSON, but no glTF of version 2; export it as glTF 2.0 (.glb)",
                   glb->path);
}

// find the chunks and read the JSON
static twStatus open_glb(twGlb* glb, const char* data, size_t bytes, twError* err)
{
    if (bytes < 20) return tw_fail(err, TW_BAD_INPUT, "%s: %zu bytes are too few for a GLB", glb->path, bytes);
    uint64_t version = tw_bytes_unsigned(data + 4, 4, false), length = tw_bytes_unsigned(data + 8, 4, false);
    if (version != 2)
        return tw_fail(err, TW_BAD_INPUT, "%s, offset 4: glTF version %llu; version 2 is needed", glb->path,
                       (unsigned long long)version);
    if (length > bytes)
        return tw_fail(err, TW_BAD_INPUT, "%s, offset 8: the file should have %llu bytes, but has %zu; it is cut short",
                       glb->path, (unsigned long long)length, bytes);
    uint64_t json_bytes = tw_bytes_unsigned(data + 12, 4, false);
    if (json_bytes > bytes - 20 || memcmp(data + 16, "JSON", 4) != 0)
        return tw_fail(err, TW_BAD_INPUT, "%s, offset 12: there should be a JSON chunk within the file's %zu bytes",
                       glb->path, bytes);
    size_t second = 20 + (size_t)json_bytes;
    if (bytes - second >= 8 && memcmp(data + second + 4, "BIN\0", 4) == 0)
    {
        uint64_t binary_bytes = tw_bytes_unsigned(data + second, 4, false);
        if (binary_bytes > bytes - second - 8)
            return tw_fail(err, TW_BAD_INPUT, "%s, offset %zu: a chunk of %llu bytes reaches beyond the file",
                           glb->path, second, (unsigned long long)binary_bytes);
        glb->binary = data + second + 8;
        glb->binary_bytes = (size_t)binary_bytes;
    }
    return read_json(glb, data + 20, (size_t)json_bytes, err);
}

void tw_glb_close(twGlb* glb)
{
    tw_glb_close_buffers(glb);
    tw_json_clear(&glb->json);
    free(glb->nodes.at);
    free(glb->meshes.at);
    free(glb->accessors.at);
    free(glb->views.at);
    free(glb->buffers.at);
}

twStatus tw_glb_open(twGlb* glb, const char* path, const char* data, size_t bytes, twError* err)
{
    *glb = (twGlb){.path = path};
    bool packed = bytes >= 4 && memcmp(data, "glTF", 4) == 0;
    return packed ? open_glb(glb, data, bytes, err) : open_gltf(glb, data, bytes, err);
}

// ---- small things ----

bool tw_glb_numbers(const twGlb* glb, int object, const char* key, double* out, int count)
{
    int array = tw_json_get(&glb->json, object, key);
    if (tw_json_length(&glb->json, array) != count) return false;
    int node = tw_json_first(array);
    for (int i = 0; i < count; i++, node = tw_json_next(&glb->json, node))
    {
        if (!tw_json_is(&glb->json, node, TW_JSON_NUMBER)) return false;
        out[i] = glb->json.nodes[node].number;
    }
    return true;
}

twPlacement tw_glb_placement(const twGlb* glb, int node)
{
    double a[16], t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    twPlacement result;
    if (tw_glb_numbers(glb, node, "matrix", a, 16))
    {
        // column by column
        result.m = tw_mat3_rows(tw_vec3(a[0], a[4], a[8]), tw_vec3(a[1], a[5], a[9]), tw_vec3(a[2], a[6], a[10]));
        result.t = tw_vec3(a[12], a[13], a[14]);
        return result;
    }
    tw_glb_numbers(glb, node, "translation", t, 3);
    tw_glb_numbers(glb, node, "rotation", q, 4);
    tw_glb_numbers(glb, node, "scale", s, 3);
    twMat3 turn = tw_mat3_from_quat(tw_quat_normalize(tw_quat(q[3], q[0], q[1], q[2])));
    result.m = tw_mat3_mul(turn, tw_mat3_diagonal(tw_vec3(s[0], s[1], s[2])));
    result.t = tw_vec3(t[0], t[1], t[2]);
    return result;
}
