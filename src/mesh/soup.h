// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// What the surface readers gather: vertices and polygons, in growing arrays; then a mesh made of it.

typedef struct twPolygon
{
    int first, count;  ///< its corners
    int region;
    int place;  ///< line or number in the file, for messages
} twPolygon;

typedef struct twSoup
{
    const char* path;
    const char* place_name;  ///< "line" or "face"
    int first_vertex;        ///< its number in the file, for messages: 0 or 1
    twVec3* vertices;
    int* corners;  ///< vertex indices, polygon by polygon
    twPolygon* polygons;
    int vertex_count, vertex_capacity;
    int corner_count, corner_capacity;
    int polygon_count, polygon_capacity;
} twSoup;

/// Each returns false without memory, or beyond what an int can count.
bool tw_soup_vertex(twSoup* soup, twVec3 vertex);
bool tw_soup_corner(twSoup* soup, int vertex);              ///< of the polygon being gathered; not checked here
bool tw_soup_polygon(twSoup* soup, int region, int place);  ///< the corners since the last one
/// Make a mesh: check indices, split polygons, apply the scale. soup is emptied either way.
twStatus tw_soup_finish(twMesh** out, twSoup* soup, double scale, twError* err);
void tw_soup_clear(twSoup* soup);
twStatus tw_soup_no_memory(const twSoup* soup, twError* err);

/// Split a polygon into count - 2 triangles. scratch (count).
void tw_polygon_split(twTriangle* out, const twVec3* vertices, const int* corners, int count, int* scratch);

// ---- readers: data (bytes) is the file's content, path its name for messages ----

/// Any of the formats below, told apart by content.
twStatus tw_mesh_read(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);
twStatus tw_read_obj(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);
twStatus tw_read_off(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);
bool tw_is_off(const char* path, const char* data, size_t bytes);  ///< whether it begins as OFF does
twStatus tw_read_stl_text(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);
twStatus tw_read_stl_binary(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);
twStatus tw_read_ply(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);
twStatus tw_read_glb(twMesh** out, const char* path, const char* data, size_t bytes, double scale, twError* err);
