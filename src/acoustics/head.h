// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"

/// @file
/// What ears ask of heads (internal).

double head_least_delay(const twHead* head);  ///< of all directions [samples]
double head_most_delay(const twHead* head);

enum
{
    HEAD_ROWS = 4
};

/// What tw_head_at() mixes: rows of responses (2 x taps) and their weights. The last has none but near the centre.
void head_find(const twHead* head, twVec3 place, const double* rows[HEAD_ROWS], double weights[HEAD_ROWS],
               double delays[2], int* hint);
