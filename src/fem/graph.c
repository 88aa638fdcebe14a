// SPDX-License-Identifier: MIT
// The graph of the nodes that move: two are neighbours if they share an element. Rows come out sorted without sorting:
// first the neighbours above each node are gathered in any order, then the lists are transposed, node by node upward.
#include "fem/graph.h"
#include <limits.h>
#include <string.h>

int fem_tet_nodes(const twFemDef* def, int tet, int* node)
{
    const twTetMesh* tets = def->tets;
    memcpy(node, tets->tets[tet].n, 4 * sizeof *node);
    if (def->linear) return 4;
    memcpy(node + 4, tets->mid_nodes[tet], 6 * sizeof *node);
    return 10;
}

static int number_nodes(FemSystem* system, const twFemDef* def)
{
    enum
    {
        UNUSED = -2,
        FIXED = -1
    };
    int node[10];
    for (int i = 0; i < system->mesh_nodes; i++) system->active[i] = UNUSED;
    for (int e = 0; e < def->tets->tet_count; e++)
        for (int i = fem_tet_nodes(def, e, node) - 1; i >= 0; i--) system->active[node[i]] = 0;
    for (int i = 0; i < def->fixed_count; i++)
        if (system->active[def->fixed_nodes[i]] == 0) system->active[def->fixed_nodes[i]] = FIXED;
    int count = 0;
    for (int i = 0; i < system->mesh_nodes; i++)
        if (system->active[i] == 0) system->active[i] = count++;
    return count;
}

// elements at each node that moves: first (nodes + 1) and tet
typedef struct Fans
{
    int64_t* first;
    int* tet;
} Fans;

static bool make_fans(Fans* fans, const FemSystem* system, const twFemDef* def, FemMemory* memory)
{
    int node[10];
    size_t corners = (size_t)def->tets->tet_count * (def->linear ? 4 : 10);
    fans->first = fem_alloc(memory, (size_t)system->nodes + 2, sizeof *fans->first);
    fans->tet = fem_alloc(memory, corners, sizeof *fans->tet);
    if (!fans->first || !fans->tet) return false;

    // count two places on, so that filling moves each start to its place
    int64_t* place = fans->first + 1;
    for (int e = 0; e < def->tets->tet_count; e++)
        for (int i = fem_tet_nodes(def, e, node) - 1; i >= 0; i--)
            if (system->active[node[i]] >= 0) place[system->active[node[i]] + 1]++;
    for (int a = 0; a < system->nodes; a++) place[a + 1] += place[a];
    for (int e = 0; e < def->tets->tet_count; e++)
        for (int i = fem_tet_nodes(def, e, node) - 1; i >= 0; i--)
            if (system->active[node[i]] >= 0) fans->tet[place[system->active[node[i]]]++] = e;
    return true;
}

// the neighbours at or above node a, each once, into list; returns their number
static int neighbours_above(const FemSystem* system, const twFemDef* def, const Fans* fans, int a, int* seen, int* list)
{
    int node[10], count = 0;
    for (int64_t f = fans->first[a]; f < fans->first[a + 1]; f++)
        for (int i = fem_tet_nodes(def, fans->tet[f], node) - 1; i >= 0; i--)
        {
            int b = system->active[node[i]];
            if (b < a || seen[b] == a + 1) continue;
            seen[b] = a + 1;
            list[count++] = b;
        }
    return count;
}

// start and column, by two passes over the neighbours
static bool make_rows(FemSystem* system, const twFemDef* def, const Fans* fans, int* seen, int* list, FemMemory* memory)
{
    size_t n = (size_t)system->nodes;
    int64_t* place = fem_alloc(memory, n + 2, sizeof *place);
    system->start = fem_alloc(memory, n + 1, sizeof *system->start);
    if (!place || !system->start)
    {
        fem_free(memory, place);
        return false;
    }
    for (int a = 0; a < system->nodes; a++)
        for (int i = neighbours_above(system, def, fans, a, seen, list) - 1; i >= 0; i--) system->start[list[i] + 1]++;
    for (size_t a = 0; a < n; a++) system->start[a + 1] += system->start[a];

    memset(seen, 0, n * sizeof *seen);
    memcpy(place, system->start, n * sizeof *place);
    system->column = fem_alloc(memory, (size_t)system->start[n], sizeof *system->column);
    for (int a = 0; system->column && a < system->nodes; a++)
        for (int i = neighbours_above(system, def, fans, a, seen, list) - 1; i >= 0; i--)
            system->column[place[list[i]]++] = a;
    fem_free(memory, place);
    return system->column;
}

static int root_of(int* parent, int a)
{
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    return a;
}

// number the connected pieces by union-find along the rows
static void find_pieces(FemSystem* system)
{
    int* parent = system->piece;
    for (int a = 0; a < system->nodes; a++) parent[a] = a;
    for (int a = 0; a < system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1]; e++)
        {
            // the smaller root stays, so that a root comes before its piece
            int p = root_of(parent, a), q = root_of(parent, system->column[e]);
            if (p < q) parent[q] = p;
            if (q < p) parent[p] = q;
        }
    for (int a = 0; a < system->nodes; a++) parent[a] = root_of(parent, a);
    for (int a = 0; a < system->nodes; a++) parent[a] = parent[a] == a ? system->pieces++ : parent[parent[a]];
}

twStatus fem_graph(FemSystem* system, const twFemDef* def, FemMemory* memory, twError* err)
{
    system->nodes = number_nodes(system, def);
    if (system->nodes == 0) return tw_fail(err, TW_BAD_INPUT, "every node is fixed: nothing can move");
    if (system->nodes > INT_MAX / 3)
        return tw_fail(err, TW_BAD_INPUT, "%d nodes: at most %d can be handled", system->nodes, INT_MAX / 3);
    size_t n = (size_t)system->nodes;
    system->node = fem_alloc(memory, n, sizeof *system->node);
    system->piece = fem_alloc(memory, n, sizeof *system->piece);
    int* seen = fem_alloc(memory, n, sizeof *seen);
    int* list = fem_alloc(memory, n, sizeof *list);
    Fans fans = {NULL, NULL};
    bool ok = system->node && system->piece && seen && list && make_fans(&fans, system, def, memory) &&
              make_rows(system, def, &fans, seen, list, memory);
    fem_free(memory, seen);
    fem_free(memory, list);
    fem_free(memory, fans.first);
    fem_free(memory, fans.tet);
    if (!ok) return fem_no_memory(memory, 200.0 * (double)n, "the graph of the mesh", err);

    for (int i = 0; i < system->mesh_nodes; i++)
        if (system->active[i] >= 0) system->node[system->active[i]] = i;
    find_pieces(system);
    return TW_OK;
}
