// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/json_reader.h"
#include "twang/mesh.h"

/// @file
/// The two halves of the GLB reader: glb_accessor.c finds numbers in the binary chunk, glb.c follows scene, nodes and
/// meshes.

/// A list of the file, by index.
typedef struct twGlbList
{
    int count;
    int* at;  ///< (count) JSON nodes
} twGlbList;

typedef struct twGlb
{
    const char* path;
    twJsonTree json;
    const char* binary;  ///< second chunk, or NULL
    size_t binary_bytes;
    twGlbList nodes, meshes, accessors, views, buffers;
} twGlb;

/// Numbers in the binary chunk, checked to lie within it.
typedef struct twGlbColumn
{
    const char* data;
    int count;
    size_t stride;    ///< [bytes]
    int type;         ///< 5120 to 5126
    int size;         ///< bytes of one number
    int parts;        ///< numbers in a row
    bool normalized;  ///< integers stand for -1..1 or 0..1
} twGlbColumn;

/// Find an accessor's numbers. @return TW_BAD_INPUT naming what is wrong, missing, sparse or compressed
twStatus tw_glb_column(const twGlb* glb, int accessor, twGlbColumn* out, twError* err);
double tw_glb_real(const twGlbColumn* column, int row, int part);
uint32_t tw_glb_index(const twGlbColumn* column, int row);  ///< of an unsigned column

/// A whole number that is not negative: key of an object, or missing if there is none. @return false if it is something else
bool tw_glb_whole(const twGlb* glb, int object, const char* key, int64_t missing, int64_t* out);
