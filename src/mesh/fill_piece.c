// SPDX-License-Identifier: MIT
// Pieces of a tet mesh. Tets that share a face belong together. Pieces far smaller than the largest are crumbs that
// the lattice left in thin corners: they are dropped. Tets that share only a node or an edge would make a hinge, with a
// vibration of no stiffness: such nodes are doubled.
#include "fill.h"
#include <stdlib.h>
#include <string.h>

static const double LEAST_PIECE = 1e-2;  // of the volume of the largest

static void sort_three(int n[3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (n[k] > n[k + 1])
            {
                int t = n[k];
                n[k] = n[k + 1];
                n[k + 1] = t;
            }
}

int (*fill_neighbours(const twTet* tets, int count))[4]
{
    int(*neighbours)[4] = malloc(((size_t)count + 1) * sizeof *neighbours);
    twTable faces = {0};
    if (!neighbours) return NULL;
    memset(neighbours, 0xff, ((size_t)count + 1) * sizeof *neighbours);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
        {
            int n[3] = {tets[i].n[(k + 1) % 4], tets[i].n[(k + 2) % 4], tets[i].n[(k + 3) % 4]};
            sort_three(n);
            int* slot = tw_table_put(&faces, n[0], n[1], n[2], 4 * i + k);
            if (!slot)
            {
                tw_table_clear(&faces);
                free(neighbours);
                return NULL;
            }
            if (*slot == 4 * i + k) continue;
            neighbours[i][k] = *slot / 4;
            neighbours[*slot / 4][*slot % 4] = i;
        }
    tw_table_clear(&faces);
    return neighbours;
}

// ---- pieces ----

static double volume_of(const FillMesh* mesh, int tet)
{
    const int* n = mesh->tets[tet].n;
    const twVec3* p = mesh->nodes;
    twVec3 a = p[n[0]];
    return tw_vec3_dot(tw_vec3_cross(tw_vec3_sub(p[n[1]], a), tw_vec3_sub(p[n[2]], a)), tw_vec3_sub(p[n[3]], a)) / 6;
}

// piece of every tet (tets), filled by walking across faces; volumes of the pieces (room for tets). @return their number
static int label(const FillMesh* mesh, int (*neighbours)[4], int* piece, int* stack, double* volumes)
{
    int pieces = 0;
    memset(piece, 0xff, (size_t)mesh->tet_count * sizeof *piece);
    for (int start = 0; start < mesh->tet_count; start++)
    {
        if (piece[start] >= 0) continue;
        int depth = 0;
        volumes[pieces] = 0;
        piece[start] = pieces;
        stack[depth++] = start;
        while (depth > 0)
        {
            int tet = stack[--depth];
            volumes[pieces] += volume_of(mesh, tet);
            for (int k = 0; k < 4; k++)
            {
                int next = neighbours[tet][k];
                if (next < 0 || piece[next] >= 0) continue;
                piece[next] = pieces;
                stack[depth++] = next;
            }
        }
        pieces++;
    }
    return pieces;
}

// @return pieces dropped; *left gets those that stay
static int drop_crumbs(FillMesh* mesh, int (*neighbours)[4], int* piece, int* stack, double* volumes, int* left)
{
    int pieces = label(mesh, neighbours, piece, stack, volumes), dropped = 0, kept = 0;
    double largest = 0;
    for (int i = 0; i < pieces; i++) largest = fmax(largest, volumes[i]);
    for (int i = 0; i < pieces; i++) dropped += !(volumes[i] >= LEAST_PIECE * largest);
    // neighbours move along with their tets; only whole pieces go, so no neighbour of a kept tet goes
    int* moved = stack;
    for (int i = 0; i < mesh->tet_count; i++) moved[i] = volumes[piece[i]] >= LEAST_PIECE * largest ? kept++ : -1;
    for (int i = 0; i < mesh->tet_count; i++)
    {
        if (moved[i] < 0) continue;
        mesh->tets[moved[i]] = mesh->tets[i];
        for (int k = 0; k < 4; k++) neighbours[moved[i]][k] = neighbours[i][k] < 0 ? -1 : moved[neighbours[i][k]];
    }
    mesh->tet_count = kept;
    *left = pieces - dropped;
    return dropped;
}

// ---- hinges ----

static int find_root(int* parent, int i)
{
    while (parent[i] != i)
    {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Corners of tets (4 per tet) at the same node are joined across shared faces; each group gets a node of its own.
// @return false without memory
static bool renumber(FillMesh* mesh, int (*neighbours)[4])
{
    int corners = 4 * mesh->tet_count, count = 0;
    int* parent = malloc(((size_t)corners + 1) * sizeof *parent);
    int* node = malloc(((size_t)corners + 1) * sizeof *node);
    twVec3* nodes = malloc(((size_t)corners + 1) * sizeof *nodes);
    bool done = parent && node && nodes;
    for (int i = 0; done && i < corners; i++) parent[i] = i;
    for (int i = 0; done && i < corners; i++)
    {
        // corner i of tet i / 4 with the same corner of each neighbour across a face that holds it
        int tet = i / 4, n = mesh->tets[tet].n[i % 4];
        for (int k = 0; k < 4; k++)
        {
            int other = neighbours[tet][k];
            if (k == i % 4 || other < 0) continue;
            for (int j = 0; j < 4; j++)
                if (mesh->tets[other].n[j] == n) parent[find_root(parent, 4 * other + j)] = find_root(parent, i);
        }
    }
    if (done) memset(node, 0xff, (size_t)corners * sizeof *node);
    for (int i = 0; done && i < corners; i++)
    {
        int root = find_root(parent, i);
        if (node[root] < 0)
        {
            nodes[count] = mesh->nodes[mesh->tets[i / 4].n[i % 4]];
            node[root] = count++;
        }
        parent[i] = root;
    }
    for (int i = 0; done && i < corners; i++) mesh->tets[i / 4].n[i % 4] = node[parent[i]];
    free(parent);
    free(node);
    if (!done)
    {
        free(nodes);
        return false;
    }
    free(mesh->nodes);
    mesh->nodes = nodes;
    mesh->node_count = count;
    mesh->node_capacity = corners + 1;
    return true;
}

twStatus fill_pieces(FillMesh* mesh, int* kept, int* dropped, twError* err)
{
    int(*neighbours)[4] = fill_neighbours(mesh->tets, mesh->tet_count);
    size_t room = (size_t)mesh->tet_count + 1;
    int* piece = malloc(room * sizeof *piece);
    int* stack = malloc(room * sizeof *stack);
    double* volumes = malloc(room * sizeof *volumes);
    bool done = neighbours && piece && stack && volumes;
    if (done) *dropped = drop_crumbs(mesh, neighbours, piece, stack, volumes, kept);
    done = done && renumber(mesh, neighbours);
    free(neighbours);
    free(piece);
    free(stack);
    free(volumes);
    return done ? TW_OK : tw_fail(err, TW_NO_MEMORY, "fill: no memory to number %d tets", mesh->tet_count);
}
