// SPDX-License-Identifier: MIT
#pragma once
#include "fem/memory.h"
#include "twang/fem.h"

// K and M of the nodes that move, lower triangle by rows of 3x3 blocks. Without units: lengths by the diagonal of the
// body, moduli by the largest Young's modulus, densities by the largest, so that nothing over- or underflows.
typedef struct FemSystem
{
    int nodes;       // that move
    int mesh_nodes;  // of the mesh
    int* node;       // (nodes) node of the mesh
    int* active;     // (mesh nodes) number among those that move; -1: fixed, -2: used by no element
    int64_t* start;  // (nodes + 1) first entry of each row
    int* column;     // (entries) at most the row, ascending, the diagonal last
    double* m;       // (entries) M is m times the identity
    double* k;       // (entries x 9) blocks by rows
    twVec3* x;       // (mesh nodes) places from the middle of the body
    double mass;     // of the whole body
    int* piece;      // (nodes) connected piece
    int pieces;

    double length, young, density;  // the units [m], [Pa], [kg/m^3]
    const int* tet_name;            // (tets) number of a tet in messages, of a part of a mesh; NULL: its own
} FemSystem;

// checks the def; *out is NULL on failure
twStatus fem_system_create(FemSystem** out, const twFemDef* def, FemMemory* memory, twError* err);
// the two halves of it: all but k, m and mass; then these
twStatus fem_system_prepare(FemSystem** out, const twFemDef* def, FemMemory* memory, twError* err);
twStatus fem_system_assemble(FemSystem* system, const twFemDef* def, FemMemory* memory, twError* err);
void fem_system_destroy(FemSystem* system, FemMemory* memory);

int64_t fem_system_entry(const FemSystem* system, int row, int column);  // by bisection; it exists, column <= row

double fem_system_freq_hz(const FemSystem* system, double lambda);  // of an eigenvalue w^2 without units
double fem_system_lambda(const FemSystem* system, double freq_hz);  // the other way

// y = M x and y = K x for columns of length 3 nodes, one after the other. scratch: fem_multiply_scratch() doubles
size_t fem_multiply_scratch(const FemSystem* system);
void fem_multiply_mass(const FemSystem* system, const double* x, double* y, int columns, double* scratch);
void fem_multiply_stiffness(const FemSystem* system, const double* x, double* y, int columns);

// Rigid motions of the pieces that the fixed nodes allow (3 nodes x *count, by columns), as they come, without K and M;
// free with fem_free(). NULL with *count = 0 if there are none.
twStatus fem_rigid_find(double** out, int* count, const FemSystem* system, const twFemDef* def, FemMemory* memory,
                        twError* err);
// The same, orthonormal in the mass norm.
twStatus fem_rigid_motions(double** out, int* count, const FemSystem* system, const twFemDef* def, FemMemory* memory,
                           twError* err);
