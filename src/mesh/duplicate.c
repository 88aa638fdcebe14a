// SPDX-License-Identifier: MIT
// Faces on the same three vertices. Turned the same way they are copies: one stays. Back to back they are either a sheet
// drawn from both sides, of which one side stays, or a wall between two bodies (or a fin without thickness) that encloses
// nothing and only keeps edges from being manifold: then both go. A patch of back-to-back pairs is such a wall if it meets
// other faces at an edge, that is if an edge has three or more different triples of vertices on it.
#include "mesh/mend.h"
#include "mesh/table.h"

// the same for all orders of three vertices; turned tells an odd order
static void sorted(const int v[3], int key[3], bool* turned)
{
    *turned = false;
    for (int i = 0; i < 3; i++) key[i] = v[i];
    for (int i = 0; i < 3; i++)
    {
        int a = i == 1 ? 1 : 0;
        if (key[a] <= key[a + 1]) continue;
        int swap = key[a];
        key[a] = key[a + 1];
        key[a + 1] = swap;
        *turned = !*turned;
    }
}

// keep the first of each triple; paired: it has a twin turned the other way. @return how many go, -1 without memory
static int mark_copies(const twMesh* mesh, unsigned char* keep, unsigned char* paired)
{
    twTable table = {0};
    int removed = 0;
    for (int f = 0; f < mesh->face_count && removed >= 0; f++)
    {
        int key[3], other[3];
        bool turned, other_turned;
        sorted(mesh->faces[f].v, key, &turned);
        int* first = tw_table_put(&table, key[0], key[1], key[2], f);
        if (!first)
        {
            removed = -1;
            break;
        }
        keep[f] = *first == f;
        if (keep[f]) continue;
        removed++;
        sorted(mesh->faces[*first].v, other, &other_turned);
        if (turned != other_turned) paired[*first] = 1;
    }
    tw_table_clear(&table);
    return removed;
}

// drop the pairs whose patch meets other faces; mesh has one face of each triple by now. @return how many, or -1
static int mark_walls(const twMesh* mesh, const unsigned char* paired, unsigned char* keep, twError* err)
{
    twEdges* edges;
    int* parent = malloc(((size_t)mesh->face_count + 1) * sizeof *parent);
    if (!parent || tw_edges_create(&edges, mesh, err) != TW_OK)
    {
        free(parent);
        return -1;
    }

    // patches: pairs joined across plain edges
    for (int f = 0; f < mesh->face_count; f++) parent[f] = f;
    for (int e = 0; e < edges->count; e++)
    {
        int a = edges->uses[edges->start[e]] / 3, b = edges->uses[edges->start[e + 1] - 1] / 3;
        if (tw_edges_faces(edges, e) == 2 && paired[a] && paired[b]) tw_union_join(parent, a, b);
    }

    // a patch with a face on a crowded edge goes; the mark is on its root
    int removed = 0;
    for (int f = 0; f < mesh->face_count; f++) keep[f] = 1;
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3 && paired[f]; i++)
            if (tw_edges_faces(edges, edges->of_face[f][i]) > 2) keep[tw_union_root(parent, f)] = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        if (paired[f]) keep[f] = keep[tw_union_root(parent, f)];
        removed += !keep[f];
    }
    tw_edges_destroy(edges);
    free(parent);
    return removed;
}

twStatus tw_remove_duplicates(twMesh* mesh, int* removed, twError* err)
{
    unsigned char* keep = malloc((size_t)mesh->face_count + 1);
    unsigned char* paired = calloc((size_t)mesh->face_count + 1, 1);
    int copies = keep && paired ? mark_copies(mesh, keep, paired) : -1, walls = 0;
    if (copies > 0)
    {
        int kept = 0;
        for (int f = 0; f < mesh->face_count; f++)
            if (keep[f]) paired[kept++] = paired[f];
        tw_mesh_keep_faces(mesh, keep);
        walls = mark_walls(mesh, paired, keep, err);
        if (walls > 0) tw_mesh_keep_faces(mesh, keep);
    }
    free(keep);
    free(paired);
    if (copies < 0 || walls < 0)
        return tw_fail(err, TW_NO_MEMORY, "no memory to look for duplicates among %d faces", mesh->face_count);
    *removed = copies + walls;
    return TW_OK;
}
