// SPDX-License-Identifier: MIT
// Nested dissection by METIS (Karypis and Kumar 1998). It works on the graph of nodes, whose three unknowns stay
// together: a third of the size, and better separators than on the unknowns.
#include "fem/metis.h"
#include <limits.h>
#include <metis.h>
#include <string.h>

// both triangles without the diagonal
static void full_graph(const FemSystem* system, idx_t* first, idx_t* neighbour)
{
    // count two places on, so that filling moves each start to its place
    idx_t* place = first + 1;
    for (int a = 0; a < system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1] - 1; e++)
        {
            place[a + 1]++;
            place[system->column[e] + 1]++;
        }
    for (int a = 0; a < system->nodes; a++) place[a + 1] += place[a];
    for (int a = 0; a < system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1] - 1; e++)
        {
            int b = system->column[e];
            neighbour[place[a]++] = b;
            neighbour[place[b]++] = a;
        }
}

twStatus fem_order(int* position, const FemSystem* system, FemMemory* memory, twError* err)
{
    size_t n = (size_t)system->nodes;
    int64_t edges = 2 * (system->start[n] - (int64_t)n);
    if (edges > INT32_MAX) return tw_fail(err, TW_BAD_INPUT, "the mesh has too many neighbours (%g)", (double)edges);

    idx_t* first = fem_alloc(memory, n + 2, sizeof *first);
    idx_t* neighbour = fem_alloc(memory, (size_t)edges + 1, sizeof *neighbour);
    idx_t* order = fem_alloc(memory, 2 * n, sizeof *order);
    twStatus status = TW_OK;
    if (!first || !neighbour || !order)
        status = fem_no_memory(memory, 4.0 * (3.0 * (double)n + (double)edges), "the ordering", err);
    if (status == TW_OK)
    {
        full_graph(system, first, neighbour);
        idx_t options[METIS_NOPTIONS], nodes = system->nodes;
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;  // the same order every time
        idx_t* inverse = order + n;
        int result = METIS_NodeND(&nodes, first, neighbour, NULL, options, order, inverse);
        if (result == METIS_ERROR_MEMORY)
            status = tw_fail(err, TW_NO_MEMORY, "no memory for ordering %d nodes", system->nodes);
        else if (result == METIS_ERROR)  // all that it says of a SIGTERM, which it catches itself
            status = tw_fail(err, TW_INTERRUPTED, "stopped while METIS was ordering %d nodes", system->nodes);
        else if (result != METIS_OK)
            status = tw_fail(err, TW_NO_CONVERGE, "METIS cannot order %d nodes (error %d)", system->nodes, result);
        else
            for (size_t a = 0; a < n; a++) position[a] = inverse[a];
    }
    fem_free(memory, first);
    fem_free(memory, neighbour);
    fem_free(memory, order);
    return status;
}
