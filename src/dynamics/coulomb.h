// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Coulomb's law at one rigid contact, exactly (internal).

typedef enum CoulombState
{
    COULOMB_OPEN,
    COULOMB_STICK,
    COULOMB_SLIDE,
} CoulombState;

/// Impulse r (normal, tangents) with u = W r + b, W symmetric positive semidefinite:
///   r = 0 and u_N >= 0,  or  u = 0 and |r_T| <= mu r_N,  or  u_N = 0, |r_T| = mu r_N and u_T = -a r_T with a >= 0.
CoulombState coulomb_solve(const double w[3][3], const double b[3], double mu, double r[3]);

/// The t with |t| <= most that makes t.A t/2 + h.t least (A symmetric positive semidefinite).
void coulomb_disc(const double a[2][2], const double h[2], double most, double t[2]);
