// SPDX-License-Identifier: MIT
#pragma once
#include "fem/cell_system.h"

// Modes of a space: x (3 functions x count), unit mass, eigenvalues lambda (count).
typedef struct CellModes
{
    int count;
    double* lambda;
    double* x;
} CellModes;

// What each frequency would gain by functions of the next degree, those of body, relatively: gain (modes); and the part of each
// leaf in the largest of the gains: eta (leaves).
// worst: the leaf that has the largest part of each gain, and that part (modes each).
typedef struct CellWorst
{
    int leaf;
    double part;
} CellWorst;
twStatus cell_error_estimate(const CellSpace* space, const CellBody* body, const CellModes* modes, FemMemory* memory,
                             double* gain, double* eta, CellWorst* worst, twError* err);
// Shares of the materials in the kinetic and the elastic energy (modes x materials).
twStatus cell_error_energy(const CellSpace* space, const CellBody* body, const CellModes* modes, double* kinetic,
                           double* elastic, twError* err);
// Leaves to refine: those of the largest eta until they have THETA of the sum, and at least LEAST of all. @return how many; they come first in order (leaves)
int cell_error_mark(const CellSpace* space, const double* eta, int* order);
