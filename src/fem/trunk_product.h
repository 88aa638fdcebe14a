// SPDX-License-Identifier: MIT
#pragma once
#include "fem/trunk.h"

// Integrals of products of trunk functions, or of their slopes, over the matter in a cell, from weights at Gauss points.
// Functions are products of one factor per axis, so the sums over the points go axis by axis, and each distinct product of
// factors is summed once: for slopes of degree 4 times degree 3 with 729 points that is 1/30 of a matrix product's work.

typedef struct TrunkPair
{
    int x, y;  // columns of factors along two axes
} TrunkPair;

typedef struct TrunkTriple
{
    int pair, z;  // a pair, and a column of factors along the third axis
} TrunkTriple;

typedef struct TrunkProduct
{
    int rows, columns;  // of the result
    int points;         // per axis
    int factor_count, pair_count, triple_count;
    double* factors;       // (points x factors) products of two one-dimensional functions or slopes at the points
    TrunkPair* pairs;      // distinct ones
    TrunkTriple* triples;  // distinct ones
    int* entry;            // (rows x columns) triple
    double* full;          // (rows x columns) the result for a full cube
    double *x, *xy, *xyz;  // scratch: (points^2 x factors), (points x pairs), (triples)
} TrunkProduct;

// Functions of one trunk in the rows, of another in the columns, at the points of a third. With slopes the result has three
// times as many rows and columns, axis by axis: the block of axes a, b begins at row a count, column b count.
twStatus trunk_product_create(TrunkProduct** out, const Trunk* points, const Trunk* rows, const Trunk* columns,
                              bool slopes, twError* err);
void trunk_product_destroy(TrunkProduct* product);             // NULL is fine
double trunk_product_operations(const TrunkProduct* product);  // of one sum
// out (rows x columns) by columns, from weights (points^3)
void trunk_product_sum(TrunkProduct* product, const double* weights, double* out);
