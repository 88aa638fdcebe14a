// SPDX-License-Identifier: MIT
#pragma once
#include "twang/fem.h"

// everything about a def that can be wrong without looking at the shape of the elements
twStatus fem_check(const twFemDef* def, twError* err);
// what is looked for, and on how many threads
twStatus fem_check_wishes(int count, double max_freq_hz, int threads, twError* err);
// that the axes of the fibres are perpendicular unit vectors, or 0
twStatus fem_check_fibre(twMat3 fibre, twError* err);
