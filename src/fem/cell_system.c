// SPDX-License-Identifier: MIT
// cell_system_: matrices of cut cells, and their sum. With the leaf's functions N and x = t h/2,
//     K_ij^rc = h/2 sum_ab C_ra,cb G_ij^ab,  G^ab = int d_a N_i d_b N_j dt over the matter in the cell,
// and M = (h/2)^3 rho int N_i N_j dt. The void part of a cell has ALPHA times the part of the cell that is matter of the stiffness of
// its first material, and no mass: enough to keep functions with little matter determined, too little to be heard. A rod of width a
// would bend as if it had ALPHA (h/a)^4 more stiffness if the void were the same everywhere; so it is ALPHA (h/a)^2. Held surfaces have the stiffness HOLD E/h per area.
#include "fem/cell_system.h"
#include "fem/block.h"
#include "fem/graph.h"
#include "fem/lapack.h"
#include <math.h>
#include <string.h>

// Stiffness of the void over the mean of its cell. The first mode of the Stanford bunny changes by 0.03 % from 1e-6 to 1e-8,
// by 0.1 % at 1e-5.
#define CELL_ALPHA 1e-7
// Stiffness of held surfaces over E/h: a body that gives way along its size L moves by h/(HOLD L) of that there.
#define CELL_HOLD 1e4

// ---- one cell ----

bool cell_matrices_alloc(CellMatrices* matrices, const CellBody* body)
{
    const size_t square = (size_t)body->trunk->count * (size_t)body->trunk->count;
    double* block = malloc((19 * square + (size_t)body->finer->total) * sizeof *block);
    *matrices = (CellMatrices){0};
    if (!block) return false;
    matrices->stiffness = block;
    matrices->mass = block + 9 * square;
    matrices->product = block + 10 * square;
    matrices->weights = block + 19 * square;
    return true;
}

void cell_matrices_free(CellMatrices* matrices) { free(matrices->stiffness); }

void cell_stiffness_weights(const CellBody* body, const Cell* cell, const CellWeights* of, double* out)
{
    const size_t total = (size_t)body->finer->total;
    memcpy(out, of->w, total * sizeof *out);
    for (const CellWeights* w = cell->weights; w != of; w = w->next)
        if (w->material >= 0) return;
    const double alpha = CELL_ALPHA * cell->fraction;
    for (size_t g = 0; g < total; g++) out[g] += alpha * body->finer->full_weight[g];
    for (const CellWeights* w = of; w; w = w->next)
        for (size_t g = 0; g < total && w->material >= 0; g++) out[g] -= alpha * w->w[g];
}

double cell_held_stiffness(double h) { return CELL_HOLD / h * 0.25 * h * h; }

// stiffness += scale C G
static void cell_add_stiffness(const Trunk* trunk, const CellMaterial* material, double scale, const double* gradient,
                               double* stiffness)
{
    const size_t n = (size_t)trunk->count;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                {
                    const double modulus = scale * cell_modulus(material, r, a, c, b);
                    if (modulus == 0) continue;
                    double* to = stiffness + (size_t)(3 * r + c) * n * n;
                    const double* from = gradient + ((size_t)b * n * 3 + (size_t)a) * n;
                    for (size_t j = 0; j < n; j++)
                        for (size_t i = 0; i < n; i++) to[j * n + i] += modulus * from[j * 3 * n + i];
                }
}

static void cell_add_held(const CellBody* body, const Cell* cell, double h, CellMatrices* matrices)
{
    const double* weights = cell_weights_of(cell, CELL_HELD);
    const size_t square = (size_t)body->trunk->count * (size_t)body->trunk->count;
    if (!weights) return;
    trunk_product_sum(body->values, weights, matrices->product);
    const double scale = cell_held_stiffness(h);
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < square; i++) matrices->stiffness[4 * r * square + i] += scale * matrices->product[i];
}

static void cell_add_material(const CellBody* body, const Cell* cell, const CellWeights* w, double h,
                              CellMatrices* matrices)
{
    const CellMaterial* material = &body->materials[w->material];
    const size_t square = (size_t)body->trunk->count * (size_t)body->trunk->count;
    double* product = matrices->product;
    trunk_product_sum(body->values, w->w, product);
    for (size_t i = 0; i < square; i++) matrices->mass[i] += 0.125 * h * h * h * material->density * product[i];
    cell_stiffness_weights(body, cell, w, matrices->weights);
    trunk_product_sum(body->slopes, matrices->weights, product);
    cell_add_stiffness(body->trunk, material, 0.5 * h, product, matrices->stiffness);
}

void cell_matrices_of(CellMatrices* matrices, const CellBody* body, const Cell* cell, int material)
{
    const Trunk* trunk = body->trunk;
    const size_t square = (size_t)trunk->count * (size_t)trunk->count;
    const double h = body->cell * cell_edge(cell->level);
    memset(matrices->stiffness, 0, 9 * square * sizeof *matrices->stiffness);
    memset(matrices->mass, 0, square * sizeof *matrices->mass);
    if (cell->kind == CELL_FULL && material <= 0)
    {
        cell_add_stiffness(trunk, &body->materials[0], 0.5 * h, body->slopes->full, matrices->stiffness);
        for (size_t i = 0; i < square; i++)
            matrices->mass[i] = 0.125 * h * h * h * body->materials[0].density * body->values->full[i];
    }
    if (cell->kind == CELL_FULL) return;
    for (const CellWeights* w = cell->weights; w; w = w->next)
        if (w->material >= 0 && (material == CELL_ALL || material == w->material))
            cell_add_material(body, cell, w, h, matrices);
    if (material == CELL_ALL) cell_add_held(body, cell, h, matrices);
}

// ---- the sum ----

twStatus cell_system_create(FemSystem** out, const CellSpace* space, FemMemory* memory, twError* err)
{
    *out = NULL;
    FemSystem* system = fem_alloc(memory, 1, sizeof *system);
    if (!system) return fem_no_memory(memory, sizeof *system, "the system", err);
    system->nodes = space->functions;
    const FemLists lists = {space->leaf_count, space->start, space->function};
    twStatus status = fem_graph_of(system, &lists, memory, err);
    if (status == TW_OK)
        *out = system;
    else
        fem_system_destroy(system, memory);
    return status;
}

// scratch for the sum of one leaf
typedef struct CellSum
{
    CellMatrices matrices;
    double* rows;    // (functions of a leaf x n)
    double* half;    // (functions of a leaf x n)
    double* blocks;  // (10 x functions of a leaf squared): nine of the stiffness, the mass
} CellSum;

// a leaf's matrix in the functions of the space: rows K rows^T
static void cell_transform(const CellSum* sum, int count, int n, const double* from, double* to)
{
    fem_gemm('T', 'N', count, n, n, 1, sum->rows, n, from, n, 0, sum->half, count);
    fem_gemm('N', 'N', count, count, n, 1, sum->half, count, sum->rows, n, 0, to, count);
}

static void cell_scatter(FemSystem* system, const int* function, int count, const double* stiffness, const double* mass)
{
    const size_t square = (size_t)count * (size_t)count;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
        {
            if (function[j] > function[i]) continue;
            const int64_t entry = fem_system_entry(system, function[i], function[j]);
            const size_t at = (size_t)j * (size_t)count + (size_t)i;
            double* k = system->k + 9 * entry;
            system->m[entry] += mass[at];
            for (size_t b = 0; b < 9; b++) k[b] += stiffness[b * square + at];
        }
}

static void cell_add_leaf(FemSystem* system, const CellSpace* space, const CellBody* body, CellSum* sum, int leaf)
{
    const int n = body->trunk->count, count = (int)(space->start[leaf + 1] - space->start[leaf]);
    const size_t square = (size_t)n * (size_t)n, large = (size_t)count * (size_t)count;
    const int* function = space->function + space->start[leaf];
    cell_matrices_of(&sum->matrices, body, &space->tree->cells[space->leaf[leaf]], CELL_ALL);
    if (cell_space_rows(space, leaf, sum->rows))
    {
        cell_scatter(system, function, n, sum->matrices.stiffness, sum->matrices.mass);
        return;
    }
    for (size_t b = 0; b < 9; b++)
        cell_transform(sum, count, n, sum->matrices.stiffness + b * square, sum->blocks + b * large);
    cell_transform(sum, count, n, sum->matrices.mass, sum->blocks + 9 * large);
    cell_scatter(system, function, count, sum->blocks, sum->blocks + 9 * large);
}

static bool cell_sum_alloc(CellSum* sum, const CellSpace* space, const CellBody* body)
{
    const size_t n = (size_t)space->trunk->count, most = (size_t)cell_space_most(space);
    sum->rows = malloc((2 * most * n + 10 * most * most) * sizeof *sum->rows);
    if (!sum->rows || !cell_matrices_alloc(&sum->matrices, body)) return false;
    sum->half = sum->rows + most * n;
    sum->blocks = sum->half + most * n;
    return true;
}

twStatus cell_system_assemble(FemSystem* system, const CellSpace* space, const CellBody* body, FemMemory* memory,
                              twError* err)
{
    size_t entries = (size_t)system->start[system->nodes];
    system->m = fem_alloc(memory, entries, sizeof *system->m);
    system->k = fem_alloc(memory, entries, 9 * sizeof *system->k);
    if (!system->m || !system->k) return fem_no_memory(memory, 80.0 * (double)entries, "the matrices", err);
    CellSum sum = {0};
    const bool good = cell_sum_alloc(&sum, space, body);
    for (int l = 0; l < space->leaf_count && good; l++) cell_add_leaf(system, space, body, &sum, l);
    cell_matrices_free(&sum.matrices);
    free(sum.rows);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the matrices of the cells");
}

// ---- rigid motions ----

// component `axis` of motion i, rotations about the middle first, then translations
typedef struct CellMotion
{
    int i, axis;
    double middle[3];
} CellMotion;

static double cell_motion(const void* context, const double place[3])
{
    const CellMotion* m = context;
    if (m->i >= 3) return m->i - 3 == m->axis;
    const int b = (m->i + 1) % 3, c = (m->i + 2) % 3;
    // e_i x r: component b is -r_c, component c is r_b
    return m->axis == b ? -(place[c] - m->middle[c]) : m->axis == c ? place[b] - m->middle[b] : 0;
}

static void cell_find_free(const FemSystem* system, const CellSpace* space, bool* held)
{
    for (int l = 0; l < space->leaf_count; l++)
        if (cell_weights_of(&space->tree->cells[space->leaf[l]], CELL_HELD))
            held[system->piece[space->function[space->start[l]]]] = true;
}

// the six motions of one piece: those of all, where it is
static void cell_copy_piece(double* to, const double* all, const FemSystem* system, int piece)
{
    const size_t n = 3 * (size_t)system->nodes;
    for (size_t i = 0; i < 6; i++)
        for (size_t a = 0; a < n; a++) to[i * n + a] = system->piece[a / 3] == piece ? all[i * n + a] : 0;
}

static twStatus cell_all_motions(double* all, double* column, const CellSpace* space, twError* err)
{
    const size_t functions = (size_t)space->functions;
    CellMotion motion = {0};
    twStatus status = TW_OK;
    for (int x = 0; x < 3; x++) motion.middle[x] = 0.5 * space->tree->size[x];
    for (motion.i = 0; motion.i < 6; motion.i++)
        for (motion.axis = 0; motion.axis < 3 && status == TW_OK; motion.axis++)
        {
            status = cell_space_linear(space, cell_motion, &motion, column, err);
            double* to = all + (size_t)motion.i * 3 * functions + (size_t)motion.axis;
            for (size_t f = 0; f < functions; f++) to[3 * f] = column[f];
        }
    return status;
}

static bool cell_orthonormalise(double* v, int count, const FemSystem* system, FemMemory* memory)
{
    double* r = fem_alloc(memory, (size_t)(count * count), sizeof *r);
    FemBlocks blocks;
    const bool good = fem_blocks_create(&blocks, system, count, memory) && r;
    for (int pass = 0; good && pass < 2; pass++) fem_normalise(&blocks, v, count, r);
    fem_blocks_destroy(&blocks, memory);
    fem_free(memory, r);
    return good;
}

twStatus cell_system_rigid(double** out, int* count, const FemSystem* system, const CellSpace* space, FemMemory* memory,
                           twError* err)
{
    const size_t n = 3 * (size_t)system->nodes;
    *out = NULL;
    *count = 0;
    bool* held = fem_alloc(memory, (size_t)system->pieces, sizeof *held);
    double *all = fem_alloc(memory, 6 * n, sizeof *all), *column = fem_alloc(memory, n, sizeof *column);
    twStatus status = TW_OK;
    if (!held || !all || !column) status = fem_no_memory(memory, 56.0 * (double)n, "the rigid motions", err);
    if (status == TW_OK) cell_find_free(system, space, held);
    for (int p = 0; status == TW_OK && p < system->pieces; p++) *count += held[p] ? 0 : 6;
    if (status == TW_OK) status = cell_all_motions(all, column, space, err);
    if (status == TW_OK && *count > 0)
    {
        double* to = *out = fem_alloc(memory, n * (size_t)*count, sizeof **out);
        if (!to) status = fem_no_memory(memory, 8.0 * (double)n * *count, "the rigid motions", err);
        for (int p = 0; to && p < system->pieces; p++)
        {
            if (held[p]) continue;
            cell_copy_piece(to, all, system, p);
            to += 6 * n;
        }
        if (*out && !cell_orthonormalise(*out, *count, system, memory))
            status = fem_no_memory(memory, 8.0 * (double)n * *count, "the rigid motions", err);
    }
    fem_free(memory, held);
    fem_free(memory, all);
    fem_free(memory, column);
    return status;
}
