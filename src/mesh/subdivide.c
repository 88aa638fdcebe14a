// SPDX-License-Identifier: MIT
// Each triangle into four, by the middles of its sides.

#include "edges.h"
#include "twang/mesh.h"

twStatus tw_mesh_subdivide(twMesh** out, const twMesh* mesh, int (**ends)[2], twError* err)
{
    *out = NULL;
    if (ends) *ends = NULL;
    if (mesh->face_count > INT32_MAX / 4)
        return tw_fail(err, TW_BAD_INPUT, "%d faces are too many to divide", mesh->face_count);
    twEdges* edges;
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    int vertices = mesh->vertex_count;
    if (edges->count > INT32_MAX - vertices)
        status = tw_fail(err, TW_BAD_INPUT, "%d faces are too many to divide", mesh->face_count);
    if (status == TW_OK) status = tw_mesh_create(out, vertices + edges->count, 4 * mesh->face_count, err);
    if (status == TW_OK)
    {
        for (int i = 0; i < vertices; i++) (*out)->vertices[i] = mesh->vertices[i];
        for (int e = 0; e < edges->count; e++)
            (*out)->vertices[vertices + e] =
                tw_vec3_scale(tw_vec3_add(mesh->vertices[edges->ends[e][0]], mesh->vertices[edges->ends[e][1]]), 0.5);
        for (int f = 0; f < mesh->face_count; f++)
        {
            const int *v = mesh->faces[f].v, *e = edges->of_face[f];
            int a = vertices + e[0], b = vertices + e[1], c = vertices + e[2];
            const twTriangle four[4] = {{{v[0], a, c}}, {{a, v[1], b}}, {{c, b, v[2]}}, {{a, b, c}}};
            for (int i = 0; i < 4; i++) (*out)->faces[4 * f + i] = four[i];
        }
    }
    if (status == TW_OK && ends)
    {
        // the list is handed over
        *ends = edges->ends;
        edges->ends = NULL;
    }
    tw_edges_destroy(edges);
    return status;
}
