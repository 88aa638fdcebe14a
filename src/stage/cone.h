// SPDX-License-Identifier: MIT
#pragma once
#include "stage/parts.h"

/// @file
/// The impulses of all contacts at once (internal).

enum
{
    CONE_MAX = 256  ///< contacts at a time
};

/// Way (or velocity) along the rows of count contacts (CONE_MAX at most) is b + A p (3 rows each: normal, two tangents). Finds p with
/// p_n >= 0, way_n + soft_n p_n >= 0, p_n (way_n + soft_n p_n) = 0, |p_t| <= mu p_n, and sliding opposite to p_t. A symmetric
/// positive semidefinite (3 count x 3 count, row-major); soft (count): compliance of penalty contacts, 0 for constraints; NULL: all 0.
/// p holds the guess. Never gains energy: p.(b + A p/2) <= 0 but for round-off; what does not converge is cut back to something
/// passive, and contacts that are not finite get nothing. Real-time safe. @return sweeps
int cone_solve(double* p, const double* a, const double* b, const double* soft, const StageContact* contacts,
               int count);
