// SPDX-License-Identifier: MIT
#pragma once
#include "twang/fem.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Cells: the free vibrations of the solid that a surface encloses, in cells that the surface cuts (finite cell method).
/// Part of the host library.
///
/// A grid of cubes covers the body; each has hierarchic polynomials for the displacement. Cells need not fit the surface:
/// only the integrals do. Round by round the cells that the modes need are refined. Frequencies of a free body only fall.

/// A part of a body: a ball or a box, in the coordinates of the surface.
typedef struct twCellsPart
{
    bool ball;         ///< else a box
    twVec3 centre;     ///< of a ball
    double radius;     ///< of a ball [m]
    twVec3 low, high;  ///< of a box; may be infinite
    int material;      ///< index of the def's materials; -1: held fast
} twCellsPart;

/// What to analyse. Start from tw_cells_def().
typedef struct twCellsDef
{
    const twMesh* surface;  ///< mended: faces outward, without repeated vertices. Overlapping shells are united
    int material_count;
    const twMaterial* materials;  ///< (materials) the first is that of all that no part claims
    twMat3 fibre;                 ///< as in twFemDef
    int part_count;
    const twCellsPart* parts;  ///< (parts) where they overlap the later one wins
    int count;                 ///< elastic modes wanted; 0: all up to max_freq_hz
    double max_freq_hz;        ///< 0: no limit
    double max_operations;     ///< floating-point operations of all rounds together; 0: no limit
    size_t max_memory_bytes;   ///< 0: what the machine has free
    twFemProgress keep_going;  ///< stages: cut, assemble, order, factor, modes; may be NULL
    void* context;
} twCellsDef;
twCellsDef tw_cells_def(void);  ///< no surface, 32 modes

/// A body in cut cells, refined round by round.
typedef struct twCells twCells;

/// The last round. Read the fields directly; valid until the next round.
typedef struct twCellsRound
{
    int round;                   ///< from 0
    int count;                   ///< elastic modes, lowest first
    int rigid_modes;             ///< motions without energy, not listed: 6 for each free piece
    int pieces;                  ///< that share no cell
    int dropped_pieces;          ///< smaller than 1 % of the largest, left out
    int cells, functions;        ///< leaves of the tree; functions, each with three unknowns
    int degree;                  ///< of the polynomials
    int slowest;                 ///< the mode with the largest error, from 0
    twVec3 slowest_at;           ///< the cell with most of that, at a neck or an inner corner, say [m]
    const double* freq_hz;       ///< (modes) [Hz]
    const double* error;         ///< (modes) estimate: the frequency is at most this part of a true one too high
    double volume;               ///< filled [m^3]
    double open_share;           ///< part of the rays that enter more often than they leave: over holes
    double operations;           ///< of all rounds so far
    double foreseen_operations;  ///< of them all, before the last round was solved
    double next_operations;      ///< of these and the next round, if that failed with TW_LIMIT; else 0
    twFemSeconds seconds;        ///< of all rounds so far; assemble includes cutting
    size_t peak_memory_bytes;
} twCellsRound;

/// Cut the body. On failure *out is NULL.
/// @return TW_BAD_INPUT if the surface encloses nothing, or a parameter is wrong
twStatus tw_cells_create(twCells** out, const twCellsDef* def, twError* err);
void tw_cells_destroy(twCells* cells);  ///< NULL is fine
/// The next round: refine where the modes of the last one need it, and find the modes.
/// @return TW_LIMIT or TW_NO_MEMORY if it would take more than allowed, TW_INTERRUPTED: the last round stays as it is
twStatus tw_cells_next(twCells* cells, twError* err);
const twCellsRound* tw_cells_round(const twCells* cells);
/// Displacements of points in or at the body, per mode: (modes x points x 3), unit modal mass [kg^-1/2].
/// Points in held parts do not move.
twStatus tw_cells_shapes(const twCells* cells, const twVec3* points, int count, float* shape, twError* err);
double tw_cells_edge(const twCells* cells);  ///< of the coarsest cells [m]
/// Shares of the materials in the kinetic and the elastic energy of every mode: (modes x materials) each.
twStatus tw_cells_energy(const twCells* cells, double* kinetic, double* elastic, twError* err);
/// Mass, centre and inertia of what is not held, and the volume of each material (materials) [m^3].
twMassProperties tw_cells_mass(const twCells* cells, double* volume);
bool tw_cells_holds(const twCells* cells,
                    int part);  ///< whether a part has any matter, or a held one any surface in it

/// State that a later call needs to continue with the next round, in a new block; free() it.
twStatus tw_cells_save(void** out, size_t* bytes, const twCells* cells, twError* err);
/// Continue from a saved state with the round after it. @return TW_BAD_INPUT if the bytes are not of this body
twStatus tw_cells_load(twCells** out, const twCellsDef* def, const void* bytes, size_t count, twError* err);

#ifdef __cplusplus
}
#endif
