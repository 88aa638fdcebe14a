// SPDX-License-Identifier: MIT
// The boundary of a tetrahedral mesh: the faces that one tet alone has. A face with mid nodes becomes four triangles.
#include "mesh/tets.h"
#include <limits.h>
#include <stdlib.h>

// the edge between two corners
static int edge_between(int a, int b)
{
    for (int e = 0; e < 6; e++)
        if ((tw_tet_edges[e][0] == a && tw_tet_edges[e][1] == b) ||
            (tw_tet_edges[e][0] == b && tw_tet_edges[e][1] == a))
            return e;
    return 0;
}

// triangles of face i of tet t, as nodes. @return how many
static int face_triangles(const twTetMesh* tets, int t, int i, twTriangle out[4])
{
    const int *n = tets->tets[t].n, *face = tw_tet_faces[i];
    if (!tets->mid_nodes)
    {
        out[0] = (twTriangle){{n[face[0]], n[face[1]], n[face[2]]}};
        return 1;
    }
    int mid[3];
    for (int k = 0; k < 3; k++) mid[k] = tets->mid_nodes[t][edge_between(face[k], face[(k + 1) % 3])];
    for (int k = 0; k < 3; k++) out[k] = (twTriangle){{n[face[k]], mid[k], mid[(k + 2) % 3]}};
    out[3] = (twTriangle){{mid[0], mid[1], mid[2]}};
    return 4;
}

static int count_bits(unsigned mask)
{
    int count = 0;
    for (; mask; mask >>= 1) count += mask & 1;
    return count;
}

// faces as nodes, with the regions of their tets
static void collect(twMesh* mesh, const twTetMesh* tets, const unsigned char* mask)
{
    int face = 0;
    for (int t = 0; t < tets->tet_count; t++)
        for (int i = 0; i < 4; i++)
        {
            twTriangle triangles[4];
            int count = mask[t] >> i & 1 ? face_triangles(tets, t, i, triangles) : 0;
            for (int k = 0; k < count; k++)
            {
                if (mesh->regions) mesh->regions[face] = tets->regions[t];
                mesh->faces[face++] = triangles[k];
            }
        }
}

// number the nodes in use in their own order and make the faces refer to them; vertex_of starts as zero
static void renumber(twMesh* mesh, int* node_of, const twTetMesh* tets, int* vertex_of)
{
    int count = 0;
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++) vertex_of[mesh->faces[f].v[k]] = 1;
    for (int i = 0; i < tets->node_count; i++)
    {
        if (!vertex_of[i]) continue;
        node_of[count] = i;
        mesh->vertices[count] = tets->nodes[i];
        vertex_of[i] = count++;
    }
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++) mesh->faces[f].v[k] = vertex_of[mesh->faces[f].v[k]];
    mesh->vertex_count = count;
}

twStatus tw_tets_surface(twMesh** out, int** node_of, const twTetMesh* tets, twError* err)
{
    *out = NULL;
    if (node_of) *node_of = NULL;
    unsigned char* mask = malloc((size_t)tets->tet_count + 1);
    int* vertex_of = calloc((size_t)tets->node_count + 1, sizeof *vertex_of);
    int* nodes = malloc(((size_t)tets->node_count + 1) * sizeof *nodes);
    twStatus status = mask && vertex_of && nodes
                          ? tw_tets_boundary(mask, tets, err)
                          : tw_fail(err, TW_NO_MEMORY, "no memory for the boundary of %d tets", tets->tet_count);

    int64_t faces = 0;
    for (int t = 0; t < tets->tet_count && status == TW_OK; t++) faces += count_bits(mask[t]);
    faces *= tets->mid_nodes ? 4 : 1;
    twMesh* mesh = NULL;
    if (status == TW_OK && faces > INT_MAX)
        status = tw_fail(err, TW_NO_MEMORY, "the boundary of %d tets has too many faces", tets->tet_count);
    if (status == TW_OK) status = tw_mesh_create(&mesh, tets->node_count, (int)faces, err);
    if (status == TW_OK && tets->regions)
    {
        mesh->regions = calloc((size_t)faces + 1, sizeof *mesh->regions);
        if (!mesh->regions)
            status = tw_fail(err, TW_NO_MEMORY, "no memory for the regions of %lld faces", (long long)faces);
    }
    if (status == TW_OK)
    {
        collect(mesh, tets, mask);
        renumber(mesh, nodes, tets, vertex_of);
        *out = mesh;
    }
    else
        tw_mesh_destroy(mesh);
    free(mask);
    free(vertex_of);
    if (status == TW_OK && node_of)
        *node_of = nodes;
    else
        free(nodes);
    return status;
}
