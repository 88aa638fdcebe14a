// SPDX-License-Identifier: MIT
// Vertices and polygons on their way from a file to a mesh. Memory grows with what is found, not with what a header says.
#include "mesh/soup.h"
#include <limits.h>
#include <stdlib.h>

// make room for one more item. @return false without memory
static bool grow(void** items, int* capacity, int count, size_t size)
{
    if (count < *capacity) return true;
    if (*capacity > INT_MAX / 2 - 64) return false;
    int wanted = *capacity + *capacity / 2 + 64;
    if ((size_t)wanted > SIZE_MAX / size) return false;
    void* larger = realloc(*items, (size_t)wanted * size);
    if (!larger) return false;
    *items = larger;
    *capacity = wanted;
    return true;
}

bool tw_soup_vertex(twSoup* soup, twVec3 vertex)
{
    void* items = soup->vertices;
    bool fine = grow(&items, &soup->vertex_capacity, soup->vertex_count, sizeof vertex);
    soup->vertices = items;
    if (fine) soup->vertices[soup->vertex_count++] = vertex;
    return fine;
}

bool tw_soup_corner(twSoup* soup, int vertex)
{
    void* items = soup->corners;
    bool fine = grow(&items, &soup->corner_capacity, soup->corner_count, sizeof vertex);
    soup->corners = items;
    if (fine) soup->corners[soup->corner_count++] = vertex;
    return fine;
}

bool tw_soup_polygon(twSoup* soup, int region, int place)
{
    void* items = soup->polygons;
    bool fine = grow(&items, &soup->polygon_capacity, soup->polygon_count, sizeof *soup->polygons);
    soup->polygons = items;
    if (!fine) return false;
    const twPolygon* last = soup->polygon_count > 0 ? &soup->polygons[soup->polygon_count - 1] : NULL;
    int first = last ? last->first + last->count : 0;
    soup->polygons[soup->polygon_count++] = (twPolygon){first, soup->corner_count - first, region, place};
    return true;
}

void tw_soup_clear(twSoup* soup)
{
    free(soup->vertices);
    free(soup->corners);
    free(soup->polygons);
    *soup = (twSoup){.path = soup->path, .place_name = soup->place_name, .first_vertex = soup->first_vertex};
}

twStatus tw_soup_no_memory(const twSoup* soup, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "%s: no memory for more than %d vertices and %d polygons", soup->path,
                   soup->vertex_count, soup->polygon_count);
}

// all polygons have three corners at least, on vertices that exist
static twStatus check(const twSoup* soup, int64_t* triangles, int* most, bool* regions, twError* err)
{
    *triangles = *most = 0;
    *regions = false;
    if (soup->polygon_count == 0) return tw_fail(err, TW_BAD_INPUT, "%s: there are no faces in it", soup->path);
    for (int p = 0; p < soup->polygon_count; p++)
    {
        const twPolygon* polygon = &soup->polygons[p];
        if (polygon->count < 3)
            return tw_fail(err, TW_BAD_INPUT, "%s, %s %d: a face of %d corners; three are needed", soup->path,
                           soup->place_name, polygon->place, polygon->count);
        for (int i = 0; i < polygon->count; i++)
        {
            int v = soup->corners[polygon->first + i];
            if (v < 0 || v >= soup->vertex_count)
                return tw_fail(err, TW_BAD_INPUT,
                               "%s, %s %d: a corner refers to vertex %lld, but there are %d, counted from %d",
                               soup->path, soup->place_name, polygon->place, (long long)v + soup->first_vertex,
                               soup->vertex_count, soup->first_vertex);
        }
        *triangles += polygon->count - 2;
        if (polygon->count > *most) *most = polygon->count;
        *regions = *regions || polygon->region != soup->polygons[0].region;
    }
    if (*triangles > INT_MAX / 4)
        return tw_fail(err, TW_NO_MEMORY, "%s: %lld triangles are more than can be held", soup->path,
                       (long long)*triangles);
    return TW_OK;
}

static void split_all(twMesh* mesh, const twSoup* soup, int* scratch)
{
    int face = 0;
    for (int p = 0; p < soup->polygon_count; p++)
    {
        const twPolygon* polygon = &soup->polygons[p];
        tw_polygon_split(mesh->faces + face, soup->vertices, soup->corners + polygon->first, polygon->count, scratch);
        for (int i = 0; i < polygon->count - 2; i++, face++)
            if (mesh->regions) mesh->regions[face] = polygon->region;
    }
}

twStatus tw_soup_finish(twMesh** out, twSoup* soup, double scale, twError* err)
{
    *out = NULL;
    int64_t triangles;
    int most;
    bool regions;
    twMesh* mesh = NULL;
    twStatus status = check(soup, &triangles, &most, &regions, err);
    if (status == TW_OK) status = tw_mesh_create(&mesh, soup->vertex_count, (int)triangles, err);
    int* scratch = status == TW_OK ? malloc((size_t)most * sizeof *scratch) : NULL;
    if (status == TW_OK && regions) mesh->regions = malloc((size_t)triangles * sizeof *mesh->regions);
    if (status == TW_OK && (!scratch || (regions && !mesh->regions))) status = tw_soup_no_memory(soup, err);
    if (status == TW_OK)
    {
        split_all(mesh, soup, scratch);
        for (int v = 0; v < soup->vertex_count; v++) mesh->vertices[v] = tw_vec3_scale(soup->vertices[v], scale);
        *out = mesh;
    }
    else
        tw_mesh_destroy(mesh);
    free(scratch);
    tw_soup_clear(soup);
    return status;
}
