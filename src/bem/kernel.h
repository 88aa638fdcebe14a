// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// The hot loops: rows of the matrix and products with it, in single precision, and sums of harmonics over the surface, in double
/// (internal).

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

/// Points on the surface, as separate arrays.
enum
{
    BEM_SOURCE_ARRAYS = 14
};
typedef struct BemSources
{
    int count;  ///< padded to whole lanes with points that have neither pressure nor flux
    double k;
    /// direction (3), distance r from the centre, b_0(k r), b_1(k r), weight of the latter, pressure times area (2), flux times
    /// area (2), normal of the surface (3)
    double* value[BEM_SOURCE_ARRAYS];
} BemSources;

/// Sums over the points of Q_nm Re or Im (x + i y)^m times something complex: what goes with Y_nm itself; and b_(n+1) r^n p n along
/// each axis, for the slopes of degree n + 1.
typedef enum BemSum
{
    BEM_OWN_COS,
    BEM_OWN_SIN,
    BEM_X_COS,
    BEM_X_SIN,
    BEM_Y_COS,
    BEM_Y_SIN,
    BEM_Z_COS,
    BEM_Z_SIN,
    BEM_SUMS = 16  ///< numbers of a pair
} BemSum;

/// Harmonics are by columns of equal m: place of the pair (n, m) among those of an order.
static inline size_t bem_pair(int order, int n, int m) { return (size_t)(m * (order + 1) - m * (m - 1) / 2 + n - m); }

/// How Q_nm follow from each other: Q_mm, and the two factors of Q_(n+1)m.
typedef struct BemLegendre
{
    int order;
    double *start, *step;  ///< (order + 1), (pairs x 2)
} BemLegendre;

/// A panel close to a place.
typedef struct BemNear
{
    double arm[3][3];  ///< from the corners to the place
    double normal[3];  ///< at the place
    double height;     ///< of the place above the panel
    double both;       ///< product of the normals
    double k;
    double least;  ///< distance below which there is no direction
} BemNear;
enum
{
    BEM_NEAR_LANES = 8  ///< the points of the near rule, and one that weighs nothing
};
/// Weights of the corners and share of the area of each point.
extern const double bem_near_points[4][BEM_NEAR_LANES];

/// The loops for one instruction set.
typedef struct BemKernel
{
    const char* name;
    /// D + alpha N (real, imaginary), then S + alpha D' (real, imaginary): (BEM_OUTPUTS x stride)
    void (*row)(const BemFar* far, const BemSpot* spot, float* out);
    /// out (rows x 2, interleaved) = A x, with A (rows x 2 stride) and x (2 stride) by real and imaginary parts
    void (*multiply)(const float* a, int rows, int stride, const float* x, double* out);
    /// what S, D, T and N at k are more than at k = 0 (wave.c), by the near rule, for a panel of area 4 pi/k: real and imaginary
    void (*near)(const BemNear* near, double out[8]);
    /// out (pairs x BEM_SUMS x BEM_LANES), zero before: the first pairs x BEM_SUMS are the sums after it
    void (*project)(const BemSources* sources, const BemLegendre* legendre, double* out);
} BemKernel;
extern const BemKernel bem_generic, bem_avx2, bem_avx512;

/// A variant by name, NULL if this machine cannot run it; without a name the fastest.
const BemKernel* bem_kernel(const char* name);
