// SPDX-License-Identifier: MIT
// glTF 2.0, 3.6: an accessor is a typed view of a part of a buffer. A sparse one has a list of rows, in rising order, and
// their values beside it. Every offset, length and stride is checked before use. Compressed data are refused.
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

// bytes of a buffer view
static twStatus find_view(const twGlb* glb, int64_t index, const char** data, int64_t* length, int64_t* stride,
                          twError* err)
{
    if (index < 0 || index >= glb->views.count)
        return tw_fail(err, TW_BAD_INPUT, "%s: bufferView %lld does not exist; there are %d", glb->path,
                       (long long)index, glb->views.count);
    int view = glb->views.at[index];
    int64_t buffer, offset;
    bool fine = tw_glb_whole(glb, view, "buffer", 0, &buffer) && tw_glb_whole(glb, view, "byteOffset", 0, &offset) &&
                tw_glb_whole(glb, view, "byteLength", 0, length) && tw_glb_whole(glb, view, "byteStride", 0, stride);
    if (!fine) return tw_fail(err, TW_BAD_INPUT, "%s: bufferView %lld has a bad number", glb->path, (long long)index);
    int extensions = tw_json_get(&glb->json, view, "extensions");
    if (tw_json_get(&glb->json, extensions, "EXT_meshopt_compression") >= 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: the mesh is compressed (meshopt); export it without compression",
                       glb->path);
    if (buffer >= glb->buffers.count || !glb->buffer_data[buffer].data)
        return tw_fail(err, TW_BAD_INPUT, "%s: bufferView %lld is of buffer %lld, which has no data", glb->path,
                       (long long)index, (long long)buffer);
    int64_t available = glb->buffer_data[buffer].bytes;
    if (offset > available || *length > available - offset)
        return tw_fail(err, TW_BAD_INPUT,
                       "%s: bufferView %lld (%lld bytes from %lld on) reaches beyond the %lld bytes there", glb->path,
                       (long long)index, (long long)*length, (long long)offset, (long long)available);
    *data = glb->buffer_data[buffer].data + offset;
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

static twStatus beyond(const twGlb* glb, int accessor, int64_t rows, int64_t row, int64_t length, twError* err)
{
    return tw_fail(err, TW_BAD_INPUT,
                   "%s: accessor %d (%lld rows of %lld bytes) reaches beyond its bufferView of %lld bytes", glb->path,
                   accessor, (long long)rows, (long long)row, (long long)length);
}

// the rows of a part of a sparse accessor, which have no gaps
static twStatus find_part(const twGlb* glb, int accessor, int node, int64_t rows, int64_t row, const char** data,
                          twError* err)
{
    int64_t view, offset, length = 0, stride = 0;
    if (!tw_glb_whole(glb, node, "bufferView", -1, &view) || !tw_glb_whole(glb, node, "byteOffset", 0, &offset))
        return tw_fail(err, TW_BAD_INPUT, "%s: sparse accessor %d has a bad number", glb->path, accessor);
    twStatus status = find_view(glb, view, data, &length, &stride, err);
    if (status != TW_OK) return status;
    if (offset > length || rows > (length - offset) / row) return beyond(glb, accessor, rows, row, length, err);
    *data += offset;
    return TW_OK;
}

static twStatus find_sparse(const twGlb* glb, int accessor, int sparse, twGlbColumn* out, twError* err)
{
    int64_t count, type;
    int rows = tw_json_get(&glb->json, sparse, "indices"), values = tw_json_get(&glb->json, sparse, "values");
    bool fine = tw_glb_whole(glb, sparse, "count", 0, &count) && tw_glb_whole(glb, rows, "componentType", 0, &type);
    if (!fine || count < 1 || count > out->count || (type != 5121 && type != 5123 && type != 5125))
        return tw_fail(err, TW_BAD_INPUT,
                       "%s: sparse accessor %d needs a count up to %d and indices of componentType 5121, 5123 or 5125",
                       glb->path, accessor, out->count);
    out->sparse_count = (int)count;
    out->sparse_size = type_size(type);
    twStatus status = find_part(glb, accessor, rows, count, out->sparse_size, &out->sparse_rows, err);
    if (status == TW_OK)
        status = find_part(glb, accessor, values, count, (int64_t)out->size * out->parts, &out->sparse_values, err);
    for (int i = 1; i < out->sparse_count && status == TW_OK; i++)
    {
        const char* at = out->sparse_rows + (size_t)i * (size_t)out->sparse_size;
        if (tw_bytes_unsigned(at, out->sparse_size, false) <=
            tw_bytes_unsigned(at - out->sparse_size, out->sparse_size, false))
            status = tw_fail(err, TW_BAD_INPUT, "%s: the indices of sparse accessor %d must rise", glb->path, accessor);
    }
    return status;
}

// the rows of a plain accessor
static twStatus find_rows(const twGlb* glb, int accessor, int64_t view, int64_t offset, twGlbColumn* out, twError* err)
{
    int64_t length = 0, stride = 0, row = (int64_t)out->size * out->parts;
    twStatus status = find_view(glb, view, &out->data, &length, &stride, err);
    if (status != TW_OK) return status;

    // the last row must end within the view
    if (stride == 0) stride = row;
    if (stride < row || offset > length || length - offset < row || (length - offset - row) / stride < out->count - 1)
        return beyond(glb, accessor, out->count, row, length, err);
    out->data += offset;
    out->stride = (size_t)stride;
    return TW_OK;
}

twStatus tw_glb_column(const twGlb* glb, int accessor, twGlbColumn* out, twError* err)
{
    *out = (twGlbColumn){0};
    if (accessor < 0 || accessor >= glb->accessors.count)
        return tw_fail(err, TW_BAD_INPUT, "%s: accessor %d does not exist; there are %d", glb->path, accessor,
                       glb->accessors.count);
    int node = glb->accessors.at[accessor], sparse = tw_json_get(&glb->json, node, "sparse");
    twStatus status = describe(glb, accessor, node, out, err);
    if (status != TW_OK) return status;
    int64_t view, offset;
    bool fine = tw_glb_whole(glb, node, "bufferView", -1, &view) && tw_glb_whole(glb, node, "byteOffset", 0, &offset);
    if (!fine || (view < 0 && sparse < 0))
        return tw_fail(err, TW_BAD_INPUT,
                       "%s: accessor %d has no data (no bufferView); export the mesh without compression", glb->path,
                       accessor);
    if (view >= 0) status = find_rows(glb, accessor, view, offset, out, err);
    return status == TW_OK && sparse >= 0 ? find_sparse(glb, accessor, sparse, out, err) : status;
}

// where a row begins, NULL if it is all zero
static const char* find_row(const twGlbColumn* column, int row)
{
    int low = 0, high = column->sparse_count;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        uint64_t here = tw_bytes_unsigned(column->sparse_rows + (size_t)middle * (size_t)column->sparse_size,
                                          column->sparse_size, false);
        if (here == (uint64_t)row)
            return column->sparse_values + (size_t)middle * (size_t)column->size * (size_t)column->parts;
        if (here < (uint64_t)row)
            low = middle + 1;
        else
            high = middle;
    }
    return column->data ? column->data + (size_t)row * column->stride : NULL;
}

double tw_glb_real(const twGlbColumn* column, int row, int part)
{
    const char* at = find_row(column, row);
    if (!at) return 0;
    at += (size_t)part * (size_t)column->size;
    if (column->type == 5126) return tw_bytes_real(at, 4, false);
    bool has_sign = column->type == 5120 || column->type == 5122;
    int bits = 8 * column->size - has_sign;
    double value = has_sign ? (double)tw_bytes_signed(at, column->size, false)
                            : (double)tw_bytes_unsigned(at, column->size, false);
    return column->normalized ? fmax(value / (ldexp(1, bits) - 1), -1) : value;
}

uint32_t tw_glb_index(const twGlbColumn* column, int row)
{
    const char* at = find_row(column, row);
    return at ? (uint32_t)tw_bytes_unsigned(at, column->size, false) : 0;
}
