// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

// The hierarchic trunk (serendipity) functions of degree p on the cube [-1, 1]^3: per axis a function is (1 -+ t)/2 or the
// integrated Legendre polynomial (P_k - P_(k-2)) / sqrt(2 (2 k - 1)), k >= 2, which is 0 at both ends. Functions with one
// such factor belong to an edge, with two to a face. Together they hold all polynomials of degree p.

enum
{
    TRUNK_DEGREE_MAX = 4,
    TRUNK_MAX = 50,                               // functions of degree 4
    TRUNK_POINTS_MAX = 2 * TRUNK_DEGREE_MAX + 1,  // per axis
    TRUNK_RAYS_MAX = 3 * TRUNK_DEGREE_MAX + 2,    // per axis
    TRUNK_ENTITIES = 27                           // corners, edges, faces and the inside of a cube
};

typedef struct TrunkFunction
{
    int place[3];   // per axis 0: low end, 2: high end, 1: between
    int degree[3];  // of the factors between, else 0
    int entity;     // place[0] + 3 place[1] + 9 place[2]
    int slot;       // among the functions of its entity
    bool top;       // of degree p
} TrunkFunction;

typedef struct Trunk
{
    int degree, count;  // p, functions
    int points, total;  // Gauss points per axis, exact for products of two functions; points^3
    int rays;           // per axis of a ray bundle, exact for flat cuts
    TrunkFunction function[TRUNK_MAX];
    int per_entity[TRUNK_ENTITIES];
    double node[TRUNK_POINTS_MAX], weight[TRUNK_POINTS_MAX];  // Gauss points, ascending
    double ray[TRUNK_RAYS_MAX], ray_weight[TRUNK_RAYS_MAX];   // the same for rays
    double integral[TRUNK_POINTS_MAX][TRUNK_POINTS_MAX + 1];  // coefficients of their integrals from -1
    double* value;                                            // (count x total) functions at the Gauss points
    double* slope;                                            // (3 count x total) their derivatives, axis by axis
    double*
        child[8];  // (count x count) function f on a child of the cube is sum_g child[f * count + g] of the child's g
    double *full_gradient, *full_mass;  // what trunk_gradients() and trunk_masses() give for a full cube
    double* scratch;                    // (3 count x total)
} Trunk;

twStatus trunk_create(Trunk** out, int degree, twError* err);
void trunk_destroy(Trunk* trunk);  // NULL is fine
// values (count) and slopes (count x 3; may be NULL) at a point of the cube
void trunk_values(const Trunk* trunk, const double t[3], double* value, double (*slope)[3]);
// (points) Lagrange polynomials of the Gauss points at t, and their integrals from -1 to t
void trunk_lagrange(const Trunk* trunk, double t, double* out);
void trunk_integrals(const Trunk* trunk, double t, double* out);
// From weights (total) at the Gauss points: integrals of the products of slopes (3 count x 3 count; the block of axes a, b
// begins at row a count, column b count) and of the functions (count x count), by columns.
void trunk_gradients(Trunk* trunk, const double* weights, double* out);
void trunk_masses(Trunk* trunk, const double* weights, double* out);
