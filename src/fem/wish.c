// SPDX-License-Identifier: MIT
// What an analysis looks for. The shift s = -(2 pi f)^2 with f = sqrt(E/rho) / (20 diagonal) makes K - s M positive
// definite and lies near the lowest modes of compact bodies.
#include "fem/wish.h"
#include <limits.h>
#include <math.h>

static const double root = 2 * TW_PI / 20;  // of -s

double fem_shift(void) { return -root * root; }

FemWish fem_wish(const twFemDef* def, const FemSystem* system, double rigid_lambda)
{
    const double zero = 1e-4;  // of the frequency of the shift: below is a mechanism, a hinge or a ball joint
    return (FemWish){.count = def->count > 0 ? def->count : INT_MAX / 8,
                     .max_lambda = def->max_freq_hz > 0 ? fem_system_lambda(system, def->max_freq_hz) : HUGE_VAL,
                     .zero = fmax(zero * zero * root * root, 10 * rigid_lambda),
                     .extra = def->verify_count ? 8 : 0,
                     .tolerance = def->tolerance};
}
