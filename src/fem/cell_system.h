// SPDX-License-Identifier: MIT
#pragma once
#include "fem/cell_space.h"
#include "fem/system.h"
#include "fem/trunk_product.h"

// What cells are made of, without units: moduli over the largest Young's modulus, densities over the largest.
typedef struct CellMaterial
{
    double c[6][6];  // stiffness in the grid's axes, in the order 11, 22, 33, 23, 13, 12
    double density;
} CellMaterial;

// C_ra,cb
static inline double cell_modulus(const CellMaterial* material, int r, int a, int c, int b)
{
    static const int voigt[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    return material->c[voigt[r][a]][voigt[c][b]];
}

typedef struct CellBody
{
    const Trunk* trunk;             // the functions
    const Trunk* finer;             // of the next degree: weights of cells are at its points
    TrunkProduct *slopes, *values;  // of the functions with each other
    int material_count;
    CellMaterial* materials;
    double cell;  // edge of a level-0 cell over the length of the system
} CellBody;

// Matrices of one cell in its own functions (n): stiffness as nine blocks (n x n), block 3 r + c for displacements along r
// and c; mass (n x n). By columns.
typedef struct CellMatrices
{
    double* stiffness;
    double* mass;
    double *product, *weights;  // scratch: (3 n x 3 n), (points)
} CellMatrices;
bool cell_matrices_alloc(CellMatrices* matrices, const CellBody* body);
void cell_matrices_free(CellMatrices* matrices);
// of one material, CELL_ALL: of all, with what holds
enum
{
    CELL_ALL = -2
};
void cell_matrices_of(CellMatrices* matrices, const CellBody* body, const Cell* cell, int material);

// Weights (points of body->finer) of a material's stiffness in a cut cell: its own; those of the first one hold the void.
void cell_stiffness_weights(const CellBody* body, const Cell* cell, const CellWeights* of, double* out);
double cell_held_stiffness(double h);  // of held surfaces per weight, in a cell of edge h

// K and M of a space: graph, pieces and numbers; length, young and density are set by the caller.
twStatus cell_system_create(FemSystem** out, const CellSpace* space, FemMemory* memory, twError* err);
// add K and M
twStatus cell_system_assemble(FemSystem* system, const CellSpace* space, const CellBody* body, FemMemory* memory,
                              twError* err);
// Rigid motions of the pieces that nothing holds (3 functions x *count), orthonormal in the mass norm; free with fem_free().
twStatus cell_system_rigid(double** out, int* count, const FemSystem* system, const CellSpace* space, FemMemory* memory,
                           twError* err);
