// SPDX-License-Identifier: MIT
#pragma once
#include "bem/kernel.h"
#include "fem/memory.h"
#include "twang/bem.h"
#include <complex.h>

/// @file
/// The inside of twBem (internal). All lengths are in units of the sphere's radius R, from its centre: k is k R here, and
/// dp/dn is R dp/dn.

typedef double complex Complex;

/// A flat triangle.
typedef struct Panel
{
    twVec3 corner[3], centre, normal;
    double area, size;  ///< size: longest edge
} Panel;

/// Integrals of 1/(4 pi r) and its derivatives over a panel at one place x with a direction nx: itself, along the panel's
/// normal at the panel, along nx at x, and both.
typedef struct Still
{
    double s, d, t, n;
} Still;
/// The same of e^{ikr}/(4 pi r).
typedef struct Wave
{
    Complex s, d, t, n;
} Wave;

struct twBem
{
    twBemDef def;
    twVec3 centre;
    double radius;
    int count;
    Panel* panels;       ///< (count)
    twBemPanel* outer;   ///< (count), in metres
    double longest;      ///< edge
    size_t* near_start;  ///< (count + 1)
    int* near_panel;     ///< panels too near to a panel's centre for the far rule, itself among them
    Still* near_still;   ///< of close ones their integrals at k = 0, of others what these are more than by the far rule
    bool* near_close;
    BemFar far;
    const BemKernel* kernel;
};

/// The equations of one solve.
typedef struct BemSystem
{
    const twBem* bem;
    double k;             ///< k R
    const Complex* flux;  ///< (sides x panels) R dp/dn
    float* matrix;        ///< (panels x 2 stride): real parts of a row, then imaginary parts
    Complex* right;       ///< (sides x panels)
} BemSystem;

/// The equations of one solve, factored: all sides share it.
typedef struct BemFactor
{
    float* matrix;  ///< (2 panels x panels); NULL: not made yet
    int* pivot;     ///< (panels), in the same block
} BemFactor;

/// the place on a panel with these weights of its corners
twVec3 bem_panel_point(const Panel* panel, const double weight[3]);
/// points of the near rule, exact for fifth powers: how many, and one with its share of the area
int bem_near_count(void);
twVec3 bem_near_point(const Panel* panel, int i, double* share);
twVec3 bem_far_point(const Panel* panel, int i);  ///< point of the far rule
/// whether a place is too near to a panel for the far rule at k = 0, and at any k
bool bem_is_near(const Panel* panel, twVec3 x);
bool bem_is_close(const Panel* panel, twVec3 x);
/// integrals at k = 0, in closed form; exact at any distance, also on the panel itself (finite part)
Still bem_still(const Panel* panel, twVec3 x, twVec3 nx);
/// the same by the far rule
Still bem_far_still(const Panel* panel, twVec3 x, twVec3 nx);
/// integrals at k, near the panel: those at k = 0 and the smooth difference by quadrature
Wave bem_near_wave(const BemKernel* kernel, const Panel* panel, Still still, double k, twVec3 x, twVec3 nx);

/// Fill matrix and right sides. row: scratch (BEM_OUTPUTS x stride). @return TW_INTERRUPTED
twStatus bem_assemble(const BemSystem* system, int sides, float* row, twError* err);
/// pressure (panels) is the solution for the first side. @return TW_NO_CONVERGE, TW_NO_MEMORY, TW_INTERRUPTED
twStatus bem_iterate(const BemSystem* system, Complex* pressure, twBemReport* report, FemMemory* memory, twError* err);
/// The same by factoring. Needs the memory of a second matrix, which the caller frees, also after a failure.
twStatus bem_factor(const BemSystem* system, BemFactor* factor, Complex* pressure, twBemReport* report,
                    FemMemory* memory, twError* err);
/// A x - b -> out. x and out (panels)
void bem_residual(const BemSystem* system, const Complex* x, float* work, Complex* out);
/// harmonics on the unit sphere of the field of pressure and flux on the panels
twStatus bem_moments(const BemSystem* system, const Complex* pressure, int order, double* moments, FemMemory* memory,
                     twError* err);
/// one point more; pressure and flux are times its share of the area
void bem_source_put(BemSources* sources, twVec3 at, twVec3 normal, Complex pressure, Complex flux);
void bem_legendre_fill(BemLegendre* legendre, int order);
double bem_power(const twBem* bem, double k, int order, const double* moments);  ///< [W]
/// sums[n]: pressure at x, in the sphere's units, by moments up to n, for n = 0..order
void bem_field_sums(double k, int order, const double* moments, twVec3 x, Complex* sums);
double bem_norm(const Complex* x, int count);
size_t bem_iterate_bytes(const twBem* bem);
twStatus bem_no_memory(const FemMemory* memory, double more, twError* err);
/// ask the caller. done: from 0 to 1. @return TW_INTERRUPTED
twStatus bem_ask(const twBem* bem, double done, twError* err);
