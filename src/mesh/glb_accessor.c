// SPDX-License-Identifier: MIT
// glTF 2.0, 3.6: an accessor is a typed view of a part of a buffer; in GLB that is the binary chunk. Every offset, length
// and stride is checked before use. Sparse and compressed data are refused.
#include "mesh/bytes.h"
#include "mesh/glb.h"
#include <limits.h>
#include <math.h>

bool tw_glb_whole(const twGlb* glb, int object, const char* key, int64_t missing, int64_t* out)
{
    int node = tw_json_get(&glb->json, object, key);
    *out = missing;
    if (node < 0) return true;
    double number = glb->json.nodes[node].number;
    if (!tw_json_is(&glb->json, node, TW_JSON_NUMBER) || !(number >= 0 && number < 9e15) || number != floor(number))
        return false;
    *out = (int64_t)number;
    return true;
}

static int type_size(int64_t type)
{
    switch (type)
    {
    case 5120:
    case 5121:
        return 1;
    case 5122:
    case 5123:
        return 2;
    case 5125:
    case 5126:
        return 4;
    default:
        return 0;
    }
}

static bool is_text(const twGlb* glb, int node, const char* text)
{
    if (!tw_json_is(&glb->json, node, TW_JSON_TEXT)) return false;
    const twJsonNode* value = &glb->json.nodes[node];
    return (size_t)value->length == strlen(text) && memcmp(value->text, text, strlen(text)) == 0;
}

// bytes of a buffer view that lie in the binary chunk
static twStatus find_view(const twGlb* glb, int64_t index, const char** data, int64_t* length, int64_t* stride,
                          twError* err)
{
    if (index >= glb->views.count)
        return tw_fail(err, TW_BAD_INPUT, "%s: bufferView %lld does not exist; there are %d", glb->path,
                       (long long)index, glb->views.count);
    int view = glb->views.at[index];
    int64_t buffer, offset, buffer_length = 0;
    bool fine = tw_glb_whole(glb, view, "buffer", 0, &buffer) && tw_glb_whole(glb, view, "byteOffset", 0, &offset) &&
                tw_glb_whole(glb, view, "byteLength", 0, length) && tw_glb_whole(glb, view, "byteStride", 0, stride);
    if (!fine) return tw_fail(err, TW_BAD_INPUT, "%s: bufferView %lld has a bad number", glb->path, (long long)index);
    int extensions = tw_json_get(&glb->json, view, "extensions");
    if (tw_json_get(&glb->json, extensions, "EXT_meshopt_compression") >= 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: the mesh is compressed (meshopt); export it without compression",
                       glb->path);
    if (buffer != 0 || glb->buffers.count < 1 || tw_json_get(&glb->json, glb->buffers.at[0], "uri") >= 0 ||
        !glb->binary)
        return tw_fail(err, TW_BAD_INPUT, "%s: bufferView %lld lies in another file; export all into one .glb",
                       glb->path, (long long)index);
    fine = tw_glb_whole(glb, glb->buffers.at[0], "byteLength", 0, &buffer_length);
    int64_t available = (int64_t)glb->binary_bytes < buffer_length ? (int64_t)glb->binary_bytes : buffer_length;
    if (!fine || offset > available || *length > available - offset)
        return tw_fail(err, TW_BAD_INPUT,
                       "%s: bufferView %lld (%lld bytes from %lld on) reaches beyond the %lld bytes there", glb->path,
                       (long long)index, (long long)*length, (long long)offset, (long long)available);
    *data = glb->binary + offset;
    return TW_OK;
}

// type and number of rows
static twStatus describe(const twGlb* glb, int accessor, int node, twGlbColumn* out, twError* err)
{
    int64_t type, count;
    bool fine = tw_glb_whole(glb, node, "componentType", 0, &type) && tw_glb_whole(glb, node, "count", 0, &count);
    if (!fine || type_size(type) == 0 || count < 1 || count > INT_MAX)
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %d needs a componentType of 5120 to 5126 and a count from 1 on",
                       glb->path, accessor);
    if (tw_json_get(&glb->json, node, "sparse") >= 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %d is sparse; export the mesh without sparse accessors",
                       glb->path, accessor);
    int shape = tw_json_get(&glb->json, node, "type");
    out->parts = is_text(glb, shape, "SCALAR") ? 1
                 : is_text(glb, shape, "VEC2") ? 2
                 : is_text(glb, shape, "VEC3") ? 3
                                               : 0;
    if (is_text(glb, shape, "VEC4")) out->parts = 4;
    if (out->parts == 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %d is neither SCALAR nor a vector", glb->path, accessor);
    out->type = (int)type;
    out->size = type_size(type);
    out->count = (int)count;
    out->normalized = tw_json_is(&glb->json, tw_json_get(&glb->json, node, "normalized"), TW_JSON_TRUE);
    return TW_OK;
}

twStatus tw_glb_column(const twGlb* glb, int accessor, twGlbColumn* out, twError* err)
{
    *out = (twGlbColumn){0};
    if (accessor < 0 || accessor >= glb->accessors.count)
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %d does not exist; there are %d", glb->path, accessor,
                       glb->accessors.count);
    int node = glb->accessors.at[accessor];
    twStatus status = describe(glb, accessor, node, out, err);
    if (status != TW_OK) return status;
    int64_t view, offset, length = 0, stride = 0;
    if (!tw_glb_whole(glb, node, "bufferView", -1, &view) || !tw_glb_whole(glb, node, "byteOffset", 0, &offset) ||
        view < 0)
        return tw_fail(err, TW_BAD_INPUT,
                       "%s: accessor %d has no data (no bufferView); export the mesh without compression", glb->path,
                       accessor);
    status = find_view(glb, view, &out->data, &length, &stride, err);
    if (status != TW_OK) return status;

    // the last row must end within the view
    int64_t row = (int64_t)out->size * out->parts;
    if (stride == 0) stride = row;
    if (stride < row || offset > length || length - offset < row || (length - offset - row) / stride < out->count - 1)
        return tw_fail(err, TW_BAD_INPUT,
                       "%s: accessor %d (%d rows of %lld bytes) reaches beyond its bufferView of %lld bytes", glb->path,
                       accessor, out->count, (long long)row, (long long)length);
    out->data += offset;
    out->stride = (size_t)stride;
    return TW_OK;
}

double tw_glb_real(const twGlbColumn* column, int row, int part)
{
    const char* at = column->data + (size_t)row * column->stride + (size_t)part * (size_t)column->size;
    if (column->type == 5126) return tw_bytes_real(at, 4, false);
    bool has_sign = column->type == 5120 || column->type == 5122;
    int bits = 8 * column->size - has_sign;
    double value = has_sign ? (double)tw_bytes_signed(at, column->size, false)
                            : (double)tw_bytes_unsigned(at, column->size, false);
    return column->normalized ? fmax(value / (ldexp(1, bits) - 1), -1) : value;
}

uint32_t tw_glb_index(const twGlbColumn* column, int row)
{
    return (uint32_t)tw_bytes_unsigned(column->data + (size_t)row * column->stride, column->size, false);
}
