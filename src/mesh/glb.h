// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/json_reader.h"
#include "mesh/soup.h"
#include "mesh/table.h"
#include "twang/mesh.h"

/// @file
/// The parts of the glTF reader: glb_file.c finds the chunks, glb_buffer.c the bytes, glb_accessor.c numbers in them,
/// glb_mesh.c the triangles of a mesh; glb.c joins those of all nodes. The import of scenes (src/import) reads with them too.

/// A list of the file, by index.
typedef struct twGlbList
{
    int count;
    int* at;  ///< (count) JSON nodes
} twGlbList;

/// Bytes that accessors refer to.
typedef struct twGlbBuffer
{
    const char* data;  ///< NULL: there are none
    int64_t bytes;
    char* owned;  ///< decoded from a data URI, or read from a file
    bool file;    ///< read from a file beside this one
} twGlbBuffer;

typedef struct twGlb
{
    const char* path;
    twJsonTree json;
    const char* binary;  ///< second chunk, or NULL
    size_t binary_bytes;
    twGlbList nodes, meshes, accessors, views, buffers;
    twGlbBuffer* buffer_data;  ///< (buffers)
    size_t file_bytes;         ///< of buffers in other files
} twGlb;

/// Take a file apart; data must outlive it. path is its name, for messages and to find buffers in
/// files beside it. Close it even after failure.
twStatus tw_glb_open(twGlb* glb, const char* path, const char* data, size_t bytes, twError* err);
void tw_glb_close(twGlb* glb);
/// Where the items of a list under a key of the root are; free() its `at`. @return false without memory
bool tw_glb_list(const twGlb* glb, const char* key, twGlbList* out);

/// Find the bytes of all buffers; close even after failure.
twStatus tw_glb_open_buffers(twGlb* glb, twError* err);
void tw_glb_close_buffers(twGlb* glb);

/// Numbers in a buffer, checked to lie within it. Some rows may have other values (sparse accessors).
typedef struct twGlbColumn
{
    const char* data;  ///< NULL: all zero but for the sparse rows
    int count;
    size_t stride;    ///< [bytes]
    int type;         ///< 5120 to 5126
    int size;         ///< bytes of one number
    int parts;        ///< numbers in a row
    bool normalized;  ///< integers stand for -1..1 or 0..1
    int sparse_count;
    int sparse_size;            ///< bytes of a row's number
    const char* sparse_rows;    ///< (sparse_count) numbers of rows, rising
    const char* sparse_values;  ///< (sparse_count) rows without gaps
} twGlbColumn;

/// Find an accessor's numbers. @return TW_BAD_INPUT naming what is wrong, missing or compressed
twStatus tw_glb_column(const twGlb* glb, int accessor, twGlbColumn* out, twError* err);
double tw_glb_real(const twGlbColumn* column, int row, int part);
uint32_t tw_glb_index(const twGlbColumn* column, int row);  ///< of an unsigned column

/// A whole number that is not negative: key of an object, or missing if there is none. @return false if it is something else
bool tw_glb_whole(const twGlb* glb, int object, const char* key, int64_t missing, int64_t* out);
/// count numbers of an array under a key. @return false if there is none such
bool tw_glb_numbers(const twGlb* glb, int object, const char* key, double* out, int count);

/// x -> m x + t
typedef struct twPlacement
{
    twMat3 m;
    twVec3 t;
} twPlacement;
twPlacement tw_glb_placement(const twGlb* glb, int node);  ///< of a node (JSON), in its parent

/// Meshes being gathered. Its regions are numbered in the order of their first triangles.
typedef struct twGlbGather
{
    const twGlb* glb;
    twSoup soup;
    twTable regions;  ///< by material
    int* materials;   ///< of each region; -1: none
    int* base_of;     ///< (accessors) first vertex of positions placed already
    int* placed_for;  ///< (accessors) the instance they were placed for
    int instance;
    int64_t size;  ///< vertices and triangles so far, which are limited
} twGlbGather;
bool tw_glb_gather(twGlbGather* gather, const twGlb* glb);  ///< clear it even if this fails, without memory
void tw_glb_gather_clear(twGlbGather* gather);
/// Add a mesh at a place, with the morph weights of its node (JSON; -1: of its own).
twStatus tw_glb_add_mesh(twGlbGather* gather, int64_t mesh, int node, twPlacement place, twError* err);
