// SPDX-License-Identifier: MIT
#pragma once
#include "fem/cell_error.h"
#include "fem/dexel.h"
#include "fem/memory.h"
#include "twang/cells.h"

// What was done to the tree, to do it again later: refine or drop a cell, or integrate those refined since.
typedef struct CellStep
{
    int at[3], level;
    int fragment;  // number among those of its cube
    enum
    {
        CELL_STEP_REFINE,
        CELL_STEP_DROP,
        CELL_STEP_INTEGRATE
    } kind;
} CellStep;

struct twCells
{
    twCellsDef def;
    twMaterial* materials;  // copies
    twCellsPart* parts;
    FemMemory memory;
    DexelBody dexel;
    Trunk *trunk, *finer;  // the functions, and those of the next degree
    CellTree tree;
    CellBody body, finer_body;      // the second with the functions of the next degree
    double length, young, density;  // units of the systems [m], [Pa], [kg/m^3]
    double area;                    // of the surface [m^2]

    CellSpace* space;  // of the last round; NULL before the first
    CellModes modes;
    double* gain;  // (modes) by cell_error_estimate()
    int* marks;    // leaves that the next round refines
    int mark_count;
    int found;  // modes of the last round, some more than are wanted
    double* error;
    double* freq_hz;
    double *last_freq_hz, *last_gain;  // (modes) of the round before
    int last_count;
    double shift;  // lambda in the midst of the modes; 0: not known
    CellStep* history;
    int history_count, history_room;
    double last_operations;  // of the last round alone
    twCellsRound round;
};

// the volume of the leaves in level-0 cells. @return how many leaves there are
int cells_count(const CellTree* tree, double* volume);
void cells_free_round(twCells* cells);
// frequencies and their estimated errors from the modes of the last round
twStatus cells_estimate(twCells* cells, const FemSystem* system, twError* err);
bool cells_remember(twCells* cells, CellStep step);
CellStep cells_step_of(const CellTree* tree, const Cell* cell, int kind);
