// SPDX-License-Identifier: MIT
#pragma once
#include "block_factor.h"
#include "solve.h"
#include <string.h>

/// @file
/// What the contact solvers share (internal).
///
/// With M = L L^T all of them work in y = L^T v, where the mass is 1, the norm is energy, and a contact's rows are J L^-T.

#define MIX_DEPTH 5  ///< past steps that are mixed

/// A contact in this step.
typedef struct Touch
{
    const SolveContact* contact;
    LawStep step;
    LawEnd end;
    double u1[3];    ///< relative velocity at the end
    double own[3];   ///< diagonal of its own J M^-1 J^T [1/kg]
    bool in_impact;  ///< above the wake speed and about to close
    int rows;        ///< 1 without friction, else 3
    int slot[2];     ///< where its rows begin among the active rows of each of its bodies
} Touch;

/// L of one body's inertia, and its inverse (lower triangles).
typedef struct Root
{
    double low[3][3], inverse[3][3];
    bool turns;
} Root;

struct Solver
{
    SolveOptions options;
    SolveStats stats;
    const BlockKernel* kernel;
    const SolveGroup* group;

    // one block of memory, for groups up to these sizes
    void* memory;
    int body_room, contact_room, size_room;
    size_t row_room;
    Root* root;                        ///< (bodies)
    int *first, *size;                 ///< (bodies)
    int* filled;                       ///< active rows of each body
    size_t* row_base;                  ///< of each body's rows
    bool* marked;                      ///< (bodies)
    bool* symmetric;                   ///< (bodies) D of all their active contacts is
    double (*swing)[2];                ///< (bodies) (w h)^2 of its contacts, at most: along normals, across
    Touch* touch;                      ///< (contacts)
    BondStep* bonds;                   ///< (contacts) of those that are bonds
    int (*pair)[2];                    ///< (contacts) bodies, to see whether they have changed
    int* row_counts;                   ///< (contacts) likewise
    int* order;                        ///< contacts by pair
    int* active;                       ///< contacts in the factor, in order
    int* active_row;                   ///< where their rows begin
    double* inverse_mass;              ///< (size) 0 for angular velocities
    double *mass_root, *inverse_root;  ///< (size) of linear velocities and modes; 1 for angular ones
    double *y, *y_free, *y_try, *y_keep, *warm, *g, *dy, *v, *out;  ///< (size)
    double *rows, *weighted;                                        ///< J L^-T by body; D times it, or the like
    double* near;                                                   ///< (contacts x 9) local blocks of J M^-1 J^T
    double* scratch;                                                ///< (9 x contacts)

    // past steps with the same factors
    double* past;  ///< (2 MIX_DEPTH + 2) x size_room
    int past_count, past_next;

    // the Newton matrix
    BlockFactor blocks;
    bool planned, factored, by_contacts;
    bool has_bonds;
    bool plain;    ///< bristles do not calm down: fewer kinks
    int left;      ///< Newton steps that may still be taken in this step
    bool settled;  ///< y, and u1 of the touches, are those of the impulses
    int pair_count, active_count, active_rows;
    double shift;
    double* dense;  ///< I + D W of the active contacts
    size_t dense_room;
    int* dense_pivot;
    double (*slope)[3][3];  ///< D of the active contacts, as factored
};

// solve.c: y <-> v, rows, impulses
void solver_to_velocity(const Solver* s, const double* y, double* v);
void solver_to_scaled(const Solver* s, const double* v, double* y);
void solver_force_to_scaled(const Solver* s, const double* force, double* y);
/// Rows of one contact's side in y.
void solver_scaled_rows(const Solver* s, const Touch* t, int side, double* rows);
/// All contacts' scaled rows and local blocks, for the hard methods.
void solver_all_rows(Solver* s);
/// Rows of a contact and side after solver_all_rows().
double* solver_rows_of(const Solver* s, const Touch* t, int side);
double solver_norm(const Solver* s, const double* y);
/// Relative velocity of a contact for velocities v of the bodies.
void solver_relative(const Solver* s, const Touch* t, const double* v, double u[3]);

/// u += rows v of one side of a contact, as many rows as it has.
static inline void touch_dot(const Solver* s, const Touch* t, const double* rows, int n, const double* v, double u[3])
{
    if (t->rows == 1)
        u[0] += s->kernel->dot1(rows, n, v);
    else
        s->kernel->dot3(rows, n, v, u);
}
/// out += rows^T p likewise.
static inline void touch_add(const Solver* s, const Touch* t, const double* rows, int n, const double p[3], double* out)
{
    if (t->rows == 1)
        s->kernel->add1(rows, n, p[0], out);
    else
        s->kernel->add3(rows, n, p, out);
}
/// y = y_free + sum over contacts of J^T p, with p = end.p.
void solver_apply(Solver* s, double* y);

/// Room for n x n numbers in dense. @return false without memory
bool solver_dense_room(Solver* s, size_t n);

// solve_guard.c
/// Keep each contact from gaining. @return what they gain all the same [J]
double guard_settle(Solver* s);
/// Scale impulses down until what contacts and bonds have stored pays for the work they do.
void guard_scale(Solver* s);
/// What bonds store after the step: the energy of their errors, at most what is left of it after their work.
void guard_store(Solver* s);

// rest.c
void rest_modes(Solver* s);

// mix.c
void mix_reset(Solver* s);  ///< forget the past: factors or the law have changed
void mix_step(Solver* s);   ///< from dy = A^-1 g make the step to take

// solve_matrix.c
/// Factor shift I + J^T D J, with the slopes D of the contacts that push. @return false if singular or without memory
bool matrix_factor(Solver* s, double shift, bool by_bodies);
void matrix_solve(Solver* s, const double* g, double* dy);

// the methods: from touches prepared to touches with end.p; @return whether solved
bool newton_solve(Solver* s);
bool hard_solve(Solver* s);
bool staggered_solve(Solver* s);
/// Take note of a relative residual. @return whether it is below most
bool solver_accept(Solver* s, double residual, double most);
/// Impulses for the record, which move the bodies like those that were solved for, but evenly spread (contacts x 3).
void staggered_redistribute(Solver* s, double* impulse);
/// Sweeps from zero impulse without rebound: something passive when all else fails.
void hard_rescue(Solver* s);
