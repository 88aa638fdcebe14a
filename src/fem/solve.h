// SPDX-License-Identifier: MIT
#pragma once
#include "fem/lanczos.h"
#include "fem/weyl.h"

// what to solve, and what is known of it
typedef struct FemSolveDef
{
    const FemSystem* system;
    FemMemory* memory;
    const twFemDef* want;  // its count, max_freq_hz, tolerance, verify_count and keep_going; its mesh is not used
    FemWeyl weyl;          // how many modes to expect
    double shift;          // lambda in the midst of the modes wanted; 0: by weyl
    const double* rigid;   // (3 nodes x rigid_count) motions without energy, orthonormal in the mass norm
    int rigid_count;
    bool dense;             // small problems as full matrices; M must be positive definite then
    double max_operations;  // floating-point operations; TW_LIMIT before the factorisation if more are foreseen; 0: any
    double* foreseen;       // operations foreseen before the factorisation; may be NULL
} FemSolveDef;

// how it went
typedef struct FemSolved
{
    int count;            // elastic modes
    int zeros;            // modes without energy beside the rigid ones
    double rigid_lambda;  // largest eigenvalue of a rigid motion, by round-off
    bool verified;        // the count was proved
    size_t factor_bytes;
    double operations;  // of factorisations and solves
    twFemSeconds seconds;
} FemSolved;

typedef struct FemSolve FemSolve;

// Find the modes. The system, its memory and the rigid motions must outlive the result. On failure *out is NULL.
twStatus fem_solve_create(FemSolve** out, const FemSolveDef* def, twError* err);
void fem_solve_destroy(FemSolve* solve);  // NULL is fine
FemSolved fem_solve_result(const FemSolve* solve);
double fem_solve_lambda(const FemSolve* solve, int mode);
double fem_solve_residual(const FemSolve* solve, int mode);  // relative, see twFemModes
// vectors of modes first ... first + count - 1 into x (3 nodes x count), of unit mass; count is at most FEM_VECTORS
void fem_solve_vectors(FemSolve* solve, int first, int count, double* x);
