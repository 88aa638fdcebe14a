// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// The hot loops in single precision: rows of the matrix, and products with it (internal).

enum
{
    BEM_POINTS = 3,   ///< of the far rule: exact for squares
    BEM_LANES = 16,   ///< arrays are padded to whole lanes
    BEM_OUTPUTS = 4,  ///< of a row
};

/// Points of the far rule, as separate arrays (stride each).
typedef struct BemFar
{
    int stride;  ///< panels, padded
    float* point[BEM_POINTS][3];
    float* normal[3];
    float* weight;  ///< area/(3 * 4 pi); 0 in the padding
} BemFar;

/// One collocation point.
typedef struct BemSpot
{
    float place[3], normal[3];
    float k, beta;  ///< alpha is i beta
} BemSpot;

/// The loops for one instruction set.
typedef struct BemKernel
{
    const char* name;
    /// D + alpha N (real, imaginary), then S + alpha D' (real, imaginary): (BEM_OUTPUTS x stride)
    void (*row)(const BemFar* far, const BemSpot* spot, float* out);
    /// out (rows x 2, interleaved) = A x, with A (rows x 2 stride) and x (2 stride) by real and imaginary parts
    void (*multiply)(const float* a, int rows, int stride, const float* x, double* out);
} BemKernel;
extern const BemKernel bem_generic, bem_avx2, bem_avx512;

/// A variant by name, NULL if this machine cannot run it; without a name the fastest.
const BemKernel* bem_kernel(const char* name);
