// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

// The hierarchic trunk (serendipity) functions of degree p on the cube [-1, 1]^3: per axis a function is (1 -+ t)/2 or the
// integrated Legendre polynomial (P_k - P_(k-2)) / sqrt(2 (2 k - 1)), k >= 2, which is 0 at both ends. Functions with one
// such factor belong to an edge, with two to a face. Together they hold all polynomials of degree p; those of degree p are
// the first ones of degree p + 1.

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
    double*
        child[8];  // (count x count) function f on a child of the cube is sum_g child[f * count + g] of the child's g
    double* full_weight;  // (total) Gauss weights of the cube
} Trunk;

twStatus trunk_create(Trunk** out, int degree, twError* err);
void trunk_destroy(Trunk* trunk);  // NULL is fine
// value and derivative of one factor: place 0 and 2 are linear, 1 is the integrated Legendre polynomial of the degree
void trunk_factor(int place, int degree, double t, double* value, double* slope);
void trunk_values(const Trunk* trunk, const double t[3], double* value);  // (count) at a point of the cube
// (points) Lagrange polynomials of the Gauss points at t, and their integrals from -1 to t
void trunk_lagrange(const Trunk* trunk, double t, double* out);
void trunk_integrals(const Trunk* trunk, double t, double* out);
