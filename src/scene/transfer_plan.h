// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bake.h"

/// @file
/// What of a mode set is baked, with how many panels, in which order (internal). It follows from the set and the settings alone, not
/// from what the cache has.

/// Modes that share equations: neighbours in pitch.
typedef struct TransferGroup
{
    int first, count;  ///< modes
    double freq_hz;    ///< of the equations: the mean
    int panels;        ///< wanted
    int order;         ///< of the moments
    double cost;       ///< operations
    double loudness;   ///< if it radiated as a piston does
    int turn;          ///< louder groups of its octave
    bool left;         ///< estimated
} TransferGroup;

typedef struct TransferPlan
{
    int count, wanted;      ///< groups; modes below the limit
    TransferGroup* groups;  ///< (count), the loudest of each octave first
    int most_panels;
} TransferPlan;

/// @return TW_BAD_INPUT if the surface has no area, TW_NO_MEMORY
twStatus transfer_plan_make(TransferPlan* plan, const twTransferBakeDef* def, twError* err);
/// Operations that a group took with its panels, iterations of all its motions, and factors of its equations.
double transfer_plan_took(double panels, double iterations, int factors);
void transfer_plan_free(TransferPlan* plan);
