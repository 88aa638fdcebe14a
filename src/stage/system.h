// SPDX-License-Identifier: MIT
#pragma once
#include "stage/body.h"
#include "stage/gram.h"

/// @file
/// The equations of a half step (internal): lines of grabs and contacts over the velocities of bodies, and their solution.

/// A row (how something moves) or a column (where an impulse acts), over one or two bodies.
typedef struct StageLine
{
    int body[2];      ///< TW_NOWHERE: none
    double* part[2];  ///< J (size of the body)
    double* give[2];  ///< M^-1 J
    bool way;         ///< judged by its way in the step over h; else by its velocity
    double softness;  ///< of a row: what has it leaves directions below alone, at least
} StageLine;

/// Grabs of bodies that hang together (bunch.h).
typedef struct StageBunch
{
    int row_count, column_count, n;  ///< n velocities
    int *rows, *columns;             ///< which of the system's
    double *matrix, *factor;         ///< (rows x columns)
    double softness;                 ///< directions below are left alone
    bool definite;                   ///< factor is a triangle: the matrix is symmetric and positive definite
    int rank;                        ///< directions that are not left alone
    bool narrow;                     ///< gram has it instead: there are more rows and columns than velocities
    Gram gram;
} StageBunch;

typedef struct StageSystem
{
    StageBody* bodies;
    double h;
    int body_count, row_room, column_room, contact_room;
    int row_count, column_count, touch_count;
    StageLine *rows, *columns;  ///< of grabs
    StageLine* touches;         ///< (3 x contacts), both rows and columns
    double** speed;             ///< (bodies) velocities that rows are multiplied with
    double** kick;              ///< (bodies) that impulses have added
    StageBunch* bunches;        ///< (bodies)
    int bunch_count;
    int *joined, *bunch_of;   ///< (bodies) one that it hangs together with, the bunch of such a one; -1: none
    int* order;               ///< (rows and columns) by bunches
    double *matrix, *factor;  ///< of all bunches
    double *own_b, *own_p;    ///< (rows), (columns) of one
    bool definite;            ///< all are
    int rank;                 ///< of all
    double softest;           ///< softness of any
    int* first;               ///< (bodies) of a body's velocities among those of its bunch; -1: grabs do not know it
    double* gram_block;
    double *mixed, *solved;  ///< A_gc (rows x touches), and A_gg^+ of it (columns x touches), column by column
    double* led;             ///< A_cg (touches x columns)
    double* contact;         ///< without the grabs (touches x touches)
    double *b, *p, *bc, *pc, *soft, *spare;
    double softness;
    void* block;
} StageSystem;

twStatus system_make(StageSystem* system, const twStageDef* def, StageBody* bodies, twError* err);
void system_free(StageSystem* system);

void system_clear(StageSystem* system);                       ///< no lines, no kicks
StageLine* system_row(StageSystem* system, int a, int b);     ///< a new one of zeros; there is room
StageLine* system_column(StageSystem* system, int a, int b);  ///< give has to be made, by system_give()
StageLine* system_touch(StageSystem* system, int a, int b);
void system_give(const StageSystem* system, StageLine* line);

int system_known(
    StageSystem* system);  ///< numbers velocities of the bodies that rows know, in first, all in one. @return how many
double system_along(const StageSystem* system, const StageLine* line);                            ///< of speed
double system_product(const StageSystem* system, const StageLine* row, const StageLine* column);  ///< J S M^-1 J^T
/// Matrix and pseudo-inverse of the grabs, bunch by bunch.
void system_factor(StageSystem* system);
void system_aim(StageSystem* system);  ///< once more: rows have changed, columns have not
/// Whether grabs of a group (of bodies) ask for nothing that others of it forbid, acting where they hold: their matrix is clearly of full
/// rank. The factors stay, the matrix that system_reach() needs does not.
bool system_agrees(StageSystem* system, const int* group, int wanted);
/// Impulses p that grabs need for b alone.
void system_solve_grabs(StageSystem* system, const double* b, double* p);
void system_solve_roughly(StageSystem* system, const double* b, double* p);  ///< as a round of Newton's method may do
/// Largest part of b that grabs can do anything about, if p is their solution.
double system_reach(StageSystem* system, const double* p);
/// Impulses of grabs (p) and contacts (pc) together: rows b, contacts bc and soft as cone_solve() wants them.
void system_solve(StageSystem* system, const StageContact* contacts);
/// Add the impulses of grabs p, of contacts pc (NULL: none) to the kicks.
void system_push(StageSystem* system, const double* p, const double* pc);
void system_push_line(StageSystem* system, const StageLine* line, double impulse);
