// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/fem.h"
#include "twang/live.h"
#include "twang/media.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// @file
/// The parts of `twang reproduce deform`: soft bodies, live worlds of them, one function per group of rows.

// ---- bodies ----

/// A shape with its modes.
typedef struct DeformBody
{
    twModeSet* set;
    twBodyShape* shape;
} DeformBody;

/// How stiff, how lossy, how many modes.
typedef struct DeformMatter
{
    double young, alpha, beta;  ///< [Pa], [1/s], [s]
    int modes;
    const char* held;  ///< a part that cannot move; NULL: none
    double accuracy;   ///< of the frequencies; 0: what a coarse mesh gives
} DeformMatter;

/// Rubber as heavy as water. From the cache if it is there.
twStatus deform_body(DeformBody* out, const char* text, const DeformMatter* matter, twError* err);
/// A body that does not bend.
twStatus deform_rigid(DeformBody* out, const char* text, twError* err);
void deform_body_free(DeformBody* body);  ///< zeroed is fine

/// At a place, free.
twLiveBodyDef deform_placed(const DeformBody* body, const char* name, twVec3 position);
/// A live world of bodies of rubber in steps of 1 ms, no gravity.
twLiveDef deform_world(const twLiveBodyDef* bodies, int count);

/// Size of a body: the diagonal of its box [m].
double deform_size(const twModeSet* set);
double deform_energy(const twLiveView* view);  ///< of motion, bending, height, contacts and grabs [J]
double deform_cpu_seconds(void);               ///< processor time

/// From the unit cube to a body.
typedef twVec3 (*DeformMap)(twVec3 u);
twVec3 deform_ball(twVec3 u);   ///< of radius 0.1 m
twVec3 deform_sheet(twVec3 u);  ///< 0.6 x 0.6 x 0.02 m
twVec3 deform_bat(twVec3 u);    ///< 0.8 m along z, round, thicker at its upper end
twVec3 deform_block(twVec3 u);  ///< 0.3 x 0.1 x 0.1 m
/// So many cells along x, y, z, six linear tets each.
twStatus deform_grid(twTetMesh** out, const int cells[3], DeformMap map, twError* err);
twMaterial deform_rubber(double young);

// ---- pictures ----

/// Lines along the edges of a surface, seen along y: x and z of both ends, then a gap. free() both.
typedef struct DeformWires
{
    double *x, *z;
    size_t count;
} DeformWires;
/// NULL arrays: no memory; such are drawn as nothing.
DeformWires deform_wires(const float* positions, const twTriangle* faces, int face_count);
void deform_wires_free(DeformWires* wires);
/// Saves into the folder and destroys it.
twStatus deform_save(twPlot* plot, const char* folder, const char* name, twError* err);

// ---- groups of rows ----

twStatus deform_table(CliReport* report, twError* err);   ///< Table 1, and which modes are seen
twStatus deform_bar(CliReport* report, twError* err);     ///< Fig. 2
twStatus deform_bowl(CliReport* report, twError* err);    ///< Fig. 4
twStatus deform_hits(CliReport* report, twError* err);    ///< Fig. 5 and 8
twStatus deform_grabs(CliReport* report, twError* err);   ///< Fig. 6, how many points, release, too many points
twStatus deform_claims(CliReport* report, twError* err);  ///< steps, over-damped modes
twStatus deform_full(CliReport* report, twError* err);    ///< modes beside the full system integrated in time
