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

// elements at each node: first (nodes + 1) and element
typedef struct GraphFans
{
    int64_t* first;
    int* element;
} GraphFans;

static bool graph_make_fans(GraphFans* fans, const FemSystem* system, const FemLists* lists, FemMemory* memory)
{
    fans->first = fem_alloc(memory, (size_t)system->nodes + 2, sizeof *fans->first);
    fans->element = fem_alloc(memory, (size_t)lists->start[lists->count] + 1, sizeof *fans->element);
    if (!fans->first || !fans->element) return false;

    // count two places on, so that filling moves each start to its place
    int64_t* place = fans->first + 1;
    for (int64_t i = 0; i < lists->start[lists->count]; i++)
        if (lists->node[i] >= 0) place[lists->node[i] + 1]++;
    for (int a = 0; a < system->nodes; a++) place[a + 1] += place[a];
    for (int e = 0; e < lists->count; e++)
        for (int64_t i = lists->start[e]; i < lists->start[e + 1]; i++)
            if (lists->node[i] >= 0) fans->element[place[lists->node[i]]++] = e;
    return true;
}

// the neighbours at or above node a, each once, into list; returns their number
static int graph_above(const FemLists* lists, const GraphFans* fans, int a, int* seen, int* list)
{
    int count = 0;
    for (int64_t f = fans->first[a]; f < fans->first[a + 1]; f++)
        for (int64_t i = lists->start[fans->element[f]]; i < lists->start[fans->element[f] + 1]; i++)
        {
            int b = lists->node[i];
            if (b < a || seen[b] == a + 1) continue;
            seen[b] = a + 1;
            list[count++] = b;
        }
    return count;
}

// start and column, by two passes over the neighbours
static bool graph_make_rows(FemSystem* system, const FemLists* lists, const GraphFans* fans, int* seen, int* list,
                            FemMemory* memory)
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
        for (int i = graph_above(lists, fans, a, seen, list) - 1; i >= 0; i--) system->start[list[i] + 1]++;
    for (size_t a = 0; a < n; a++) system->start[a + 1] += system->start[a];

    memset(seen, 0, n * sizeof *seen);
    memcpy(place, system->start, n * sizeof *place);
    system->column = fem_alloc(memory, (size_t)system->start[n], sizeof *system->column);
    for (int a = 0; system->column && a < system->nodes; a++)
        for (int i = graph_above(lists, fans, a, seen, list) - 1; i >= 0; i--) system->column[place[list[i]]++] = a;
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

twStatus fem_graph_of(FemSystem* system, const FemLists* lists, FemMemory* memory, twError* err)
{
    size_t n = (size_t)system->nodes;
    system->piece = fem_alloc(memory, n, sizeof *system->piece);
    int* seen = fem_alloc(memory, n, sizeof *seen);
    int* list = fem_alloc(memory, n, sizeof *list);
    GraphFans fans = {NULL, NULL};
    bool ok = system->piece && seen && list && graph_make_fans(&fans, system, lists, memory) &&
              graph_make_rows(system, lists, &fans, seen, list, memory);
    fem_free(memory, seen);
    fem_free(memory, list);
    fem_free(memory, fans.first);
    fem_free(memory, fans.element);
    if (!ok) return fem_no_memory(memory, 200.0 * (double)n, "the graph of the mesh", err);
    find_pieces(system);
    return TW_OK;
}

// numbers among the nodes that move of every tet's nodes
static void graph_list_tets(const FemSystem* system, const twFemDef* def, int64_t* start, int* node)
{
    for (int e = 0; e < def->tets->tet_count; e++)
    {
        const int count = fem_tet_nodes(def, e, node);
        for (int i = 0; i < count; i++) node[i] = system->active[node[i]];
        node += count;
        start[e + 1] = start[e] + count;
    }
}

twStatus fem_graph(FemSystem* system, const twFemDef* def, FemMemory* memory, twError* err)
{
    system->nodes = number_nodes(system, def);
    if (system->nodes == 0) return tw_fail(err, TW_BAD_INPUT, "every node is fixed: nothing can move");
    if (system->nodes > INT_MAX / 3)
        return tw_fail(err, TW_BAD_INPUT, "%d nodes: at most %d can be handled", system->nodes, INT_MAX / 3);
    size_t n = (size_t)system->nodes, tets = (size_t)def->tets->tet_count;
    system->node = fem_alloc(memory, n, sizeof *system->node);
    int64_t* start = fem_alloc(memory, tets + 1, sizeof *start);
    int* node = fem_alloc(memory, tets * (def->linear ? 4 : 10) + 10, sizeof *node);
    twStatus status = TW_OK;
    if (!system->node || !start || !node) status = fem_no_memory(memory, 50.0 * (double)tets, "the graph", err);
    if (status == TW_OK)
    {
        graph_list_tets(system, def, start, node);
        const FemLists lists = {def->tets->tet_count, start, node};
        status = fem_graph_of(system, &lists, memory, err);
    }
    fem_free(memory, start);
    fem_free(memory, node);
    for (int i = 0; status == TW_OK && i < system->mesh_nodes; i++)
        if (system->active[i] >= 0) system->node[system->active[i]] = i;
    return status;
}
