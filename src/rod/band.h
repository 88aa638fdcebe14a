// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

/// @file
/// Block-pentadiagonal symmetric systems, real or complex, factored from both ends at once (internal).
///
/// A block couples two nodes: cols columns of rows numbers (4 of 4, or 6 of 6 padded to 8), column after column; if
/// complex, each column has its real numbers, then its imaginary ones. A closed row of nodes is a band of all but the
/// last two, bordered by those.
///
/// A factor may be used for a row whose nodes turned since: turn tells how far node i turned against node i - 1, in the axes of
/// node i. What couples them, pulls along the edge between them above all, goes along with node i - 1. So sums that are passed on
/// from i - 1 to i are turned on the way (L_i,i-1 becomes (1 + turn x) L_i,i-1), and what is eliminated from the other end is
/// turned before (L_i-1,i becomes L_i-1,i (1 - turn x)). What is left of a node when it is eliminated hardly depends on the turn.

#define BAND_SHORT_NODES 700  ///< more do not fit into the second cache
#define BAND_REACH 2          ///< a node is coupled with this many on either side
#define BAND_MIN_NODES 6      ///< shorter ones are filled up with nodes of their own

typedef struct RodBand
{
    int n;       ///< nodes of the system, filled up
    int m;       ///< nodes eliminated from the top; then from the bottom down to m + 2; then the middle two
    int band_n;  ///< n, or n - 2 if closed
    bool closed, is_complex;
    int cols, rows;
    int vec;          ///< doubles per node vector
    int size;         ///< doubles per block
    double* a;        ///< matrix: blocks (i, i), (i + 1, i), (i + 2, i) of each node, indices around if closed (n x 3)
    double* down[2];  ///< per eliminated node: inverse pivot, L(i + 1, i), L(i + 2, i)
    double* up[2];    ///< per eliminated node: transposes of these L
    float* short_down[2];  ///< down in float, for long open complex rows; NULL: none
    bool use_short;        ///< solve in float: less exact, less memory to go through
    double* turn;          ///< of nodes since the factor was made, about their own axes; the fourth is 0 (n x 4) [rad]
    float* short_turn;     ///< the same in float: only those are set that are used
    double* work[2];       ///< what is left of the matrix while factoring
    double*
        border;  ///< closed: inverse of the band times its coupling with the last two nodes (band_n x 2 cols vectors)
    double* schur;  ///< closed: inverse of what is left for those (2 cols x 2 cols, real and imaginary)
    void* block;
    double *own_down[2], *own_up[2];  ///< down, up and short_down, unless another's are used
    float* own_short[2];
} RodBand;

/// brief: with factors in float too, if it is an open complex one of 4 columns. @return NULL without memory
RodBand* tw_band_create(int nodes, int cols, bool is_complex, bool closed, bool brief);
void tw_band_destroy(RodBand* band);
/// Solve with the factor of another one of the same kind, as long as that is there; NULL: with its own.
void tw_band_use(RodBand* band, const RodBand* other);
double* tw_band_block(const RodBand* band, int node, int k);  ///< block (node + k, node) of the matrix
