// SPDX-License-Identifier: MIT
#pragma once
#include "block_kernel.h"
#include <stdbool.h>
#include <stddef.h>

/// @file
/// LU factors of a matrix made of blocks, one row and column of blocks per body, most of them empty (internal). Bodies are
/// eliminated by least work; pivots are chosen inside a body's own block, which suits matrices close to I + J^T D J.

typedef struct BlockFactor
{
    const BlockKernel* kernel;
    int count;         ///< bodies
    const int* first;  ///< of each body in a vector (count)
    const int* size;   ///< (count), may be 0
    double cost;       ///< multiplications of factoring

    int* order;     ///< bodies in order of elimination (count)
    int* link;      ///< of the body at each step, those eliminated later (links)
    int* link_end;  ///< (count)
    long* place;    ///< of block (row, column) in value; -1: none (count x count)
    double* value;
    size_t value_count;
    int* pivot;    ///< (sum of sizes)
    bool* done;    ///< (count) while planning
    double* work;  ///< (count) likewise

    // capacities
    int count_room, link_room, size_room;
    size_t value_room;
} BlockFactor;

/// Plan for bodies that touch in pairs (two bodies each; others are ignored). first and size must live on.
/// @return false without memory
bool block_plan(BlockFactor* f, int count, const int* first, const int* size, const int (*pairs)[2], int pair_count);
/// Room for the factors of any so many bodies with so many velocities together. @return false without memory
bool block_room(BlockFactor* f, int count, int total);
void block_free(BlockFactor* f);
void block_clear(BlockFactor* f);                       ///< all blocks to zero
double* block_at(BlockFactor* f, int row, int column);  ///< (size x size) of two bodies that touch, or of one
bool block_factor(BlockFactor* f);                      ///< false if singular
void block_solve(const BlockFactor* f, double* x);

/// P A = L U in place, n x n, with 1/U on the diagonal; pivot[k] is the row that came to k. @return false if singular or not finite
bool block_dense_factor(const BlockKernel* kernel, double* a, int* pivot, int n);
void block_dense_solve(const double* a, const int* pivot, int n, double* x);

/// a . b of n numbers, in four sums side by side so that it is fast and always the same
static inline double block_dot(const double* a, const double* b, int n)
{
    double s[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int q = 0; q < 4; q++) s[q] += a[i + q] * b[i + q];
    for (; i < n; i++) s[0] += a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}
