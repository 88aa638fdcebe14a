// SPDX-License-Identifier: MIT
// Edges are found by hashing their ends and numbered in the order of the faces.
#include "mesh/edges.h"
#include "mesh/table.h"
#include <limits.h>
#include <string.h>

static twStatus no_memory(const twMesh* mesh, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "no memory for the edges of %d faces", mesh->face_count);
}

// number the edges. @return false without memory
static bool number_edges(twEdges* edges, const twMesh* mesh)
{
    twTable table = {0};
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++)
        {
            int a = mesh->faces[f].v[i], b = mesh->faces[f].v[(i + 1) % 3];
            int low = a < b ? a : b, high = a < b ? b : a;
            int* edge = tw_table_put(&table, low, high, 0, edges->count);
            if (!edge)
            {
                tw_table_clear(&table);
                return false;
            }
            if (*edge == edges->count)
            {
                edges->ends[edges->count][0] = low;
                edges->ends[edges->count][1] = high;
                edges->count++;
            }
            edges->of_face[f][i] = *edge;
        }
    tw_table_clear(&table);
    return true;
}

// list the faces of each edge by counting
static bool list_uses(twEdges* edges, const twMesh* mesh)
{
    edges->start = calloc((size_t)edges->count + 2, sizeof *edges->start);
    if (!edges->start) return false;
    int* next = edges->start + 1;
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++) next[edges->of_face[f][i] + 1]++;
    for (int e = 0; e < edges->count; e++) next[e + 1] += next[e];

    // filling moves each beginning to its end, which is where the next one begins
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++) edges->uses[next[edges->of_face[f][i]]++] = 3 * f + i;
    return true;
}

twStatus tw_edges_create(twEdges** out, const twMesh* mesh, twError* err)
{
    *out = NULL;
    twEdges* edges = calloc(1, sizeof *edges);
    if (!edges || mesh->face_count > INT_MAX / 3 - 1)
    {
        free(edges);
        return no_memory(mesh, err);
    }
    size_t sides = 3 * (size_t)mesh->face_count + 1;
    edges->ends = malloc(sides * sizeof *edges->ends);
    edges->uses = malloc(sides * sizeof *edges->uses);
    edges->of_face = malloc(((size_t)mesh->face_count + 1) * sizeof *edges->of_face);
    bool fine = edges->ends && edges->uses && edges->of_face;
    if (!fine || !number_edges(edges, mesh) || !list_uses(edges, mesh))
    {
        tw_edges_destroy(edges);
        return no_memory(mesh, err);
    }
    *out = edges;
    return TW_OK;
}

void tw_edges_destroy(twEdges* edges)
{
    if (!edges) return;
    free(edges->ends);
    free(edges->start);
    free(edges->uses);
    free(edges->of_face);
    free(edges);
}
