// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

enum
{
    FEM_MAX_NODES = 10,    // nodes of an element
    FEM_MASS_POINTS = 15,  // of the rule for the mass: exact to degree 5
    FEM_STIFF_POINTS = 4   // of the rule for the stiffness: exact to degree 2
};

// a quadrature point: barycentric coordinates and weight; the weights sum to 1
typedef struct FemPoint
{
    double l[4], weight;
} FemPoint;

// what does not change from element to element
typedef struct FemRule
{
    int nodes;  // 4 or 10
    int stiff_points;
    FemPoint stiff[FEM_STIFF_POINTS], mass[FEM_MASS_POINTS];
    double stiff_slope[FEM_STIFF_POINTS][FEM_MAX_NODES][3];  // dN/d(l1, l2, l3) at the points
    double mass_slope[FEM_MASS_POINTS][FEM_MAX_NODES][3];
    double mass_value[FEM_MASS_POINTS][FEM_MAX_NODES];  // N
} FemRule;

typedef struct FemElement
{
    double k[FEM_MAX_NODES][FEM_MAX_NODES][9];  // blocks by rows; [p][q] for q <= p only
    double m[FEM_MAX_NODES][FEM_MAX_NODES];     // M is m times the identity; q <= p only
    double volume;
    double least_det;  // smallest Jacobian at a point: 6 times the volume of a straight tet
} FemElement;

// what an element is made of
typedef struct FemStiffness
{
    bool isotropic;
    double lambda, mu;  // if it is
    double c[6][6];     // in the axes of the mesh, in the order 11, 22, 33, 23, 13, 12
} FemStiffness;

FemRule fem_rule(int nodes);
// of a material that lies in the mesh with the axes L, R, T (columns; all 0: x, y, z)
FemStiffness fem_stiffness(const twMaterial* material, twMat3 fibre);
// the same axes, with 0 for x, y, z made so
twMat3 fem_fibre(twMat3 fibre);
// values (nodes) and slopes (nodes x 3) of the shape functions at a point
void fem_shape(int nodes, const double l[4], double* value, double (*slope)[3]);
// Matrices of an element of a stiffness and the density rho. @return false if it is inverted at a point
bool fem_element(FemElement* element, const FemRule* rule, const twVec3* x, const FemStiffness* stiffness, double rho);
