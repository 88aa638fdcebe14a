// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// what is wanted of the lower end of the spectrum
typedef struct FemWish
{
    int count;          // eigenvalues above zero
    double max_lambda;  // none above
    double zero;        // eigenvalues below count as zero
    int extra;          // converged ones beyond, for choosing a gap
    double tolerance;   // relative residual
} FemWish;

// rigid_lambda: the largest eigenvalue that rigid motions have by round-off
FemWish fem_wish(const twFemDef* def, const FemSystem* system, double rigid_lambda);
double fem_shift(void);  // without units
