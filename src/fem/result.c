// SPDX-License-Identifier: MIT
// The result of an analysis: one block, its arrays behind the public struct. A vector without units and of unit mass
// becomes a shape at all nodes of the mesh by the factor (rho L^3)^(-1/2).
#include "fem/result.h"
#include <stdlib.h>

twFemDef tw_fem_def(void) { return (twFemDef){.count = 32, .tolerance = 1e-6, .threads = 1}; }

typedef struct Result
{
    twFemModes modes;
    double block[];  // frequencies, residuals, shapes
} Result;

size_t fem_result_bytes(const FemSystem* system, int count)
{
    return sizeof(Result) + (size_t)count * (2 + 3 * (size_t)system->mesh_nodes) * sizeof(double);
}

twStatus fem_result_create(twFemModes** out, const FemSystem* system, const twFemDef* def, int count, FemMemory* memory,
                           twError* err)
{
    *out = NULL;
    size_t bytes = fem_result_bytes(system, count);
    Result* result = bytes <= fem_memory_left(memory) ? calloc(1, bytes) : NULL;
    if (!result) return fem_no_memory(memory, (double)bytes, "the shapes", err);
    fem_memory_add(memory, bytes);
    double unit = system->length * system->length * system->length * system->density;
    result->modes = (twFemModes){.count = count,
                                 .pieces = system->pieces,
                                 .node_count = system->mesh_nodes,
                                 .active_nodes = system->nodes,
                                 .element_count = def->tets->tet_count,
                                 .freq_hz = result->block,
                                 .residual = result->block + count,
                                 .shape = result->block + 2 * (size_t)count,
                                 .mass = system->mass * unit};
    *out = &result->modes;
    return TW_OK;
}

void tw_fem_modes_destroy(twFemModes* modes) { free(modes); }

// mid nodes that linear elements do not use get the mean of their corners
static void fill_mid_nodes(const FemSystem* system, const twTetMesh* tets, double* shape)
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int e = 0; e < tets->tet_count; e++)
        for (int i = 0; i < 6; i++)
        {
            int mid = tets->mid_nodes[e][i], a = tets->tets[e].n[ends[i][0]], b = tets->tets[e].n[ends[i][1]];
            if (mid < 0 || mid >= tets->node_count || system->active[mid] != -2) continue;
            for (int d = 0; d < 3; d++)
                shape[3 * (size_t)mid + (size_t)d] =
                    0.5 * (shape[3 * (size_t)a + (size_t)d] + shape[3 * (size_t)b + (size_t)d]);
        }
}

void fem_result_mode(twFemModes* modes, int k, const FemSystem* system, const twFemDef* def, double lambda,
                     double residual, const double* x)
{
    double* block = ((Result*)modes)->block;
    double* shape = block + 2 * (size_t)modes->count + 3 * (size_t)k * (size_t)system->mesh_nodes;
    double scale = 1 / sqrt(system->density) / (system->length * sqrt(system->length));
    block[k] = fem_system_freq_hz(system, lambda);
    block[modes->count + k] = residual;
    for (size_t a = 0; a < (size_t)system->nodes; a++)
        for (size_t d = 0; d < 3; d++) shape[3 * (size_t)system->node[a] + d] = scale * x[3 * a + d];
    if (def->linear && def->tets->mid_nodes) fill_mid_nodes(system, def->tets, shape);
}
