// SPDX-License-Identifier: MIT
#pragma once
#include "pd_pair.h"

/// @file
/// A pair whose contact moves along a rough surface: a tip that scrapes, a ball that rolls.

typedef struct Travel
{
    Pair pair;
    t_clock* clock;                 ///< makes the surface
    twProfileDef surface, working;  ///< as asked for, and the last one that could be made
    twProfile *profile, *before;    ///< before gives way
    twTravel travel;
    twRamp share;   ///< of the new profile
    twRamp weight;  ///< constant force on the exciter [N]
    twRamp asymmetry;
} Travel;

/// Inlets: speed, and force on the exciter. Bases: speed, force.
extern const PairKind travel_kind;
void* travel_new(t_class* class, const char* defaults, int argc, t_atom* argv);
void travel_free(Travel* x);
t_class* travel_class(const char* name, t_newmethod make, bool ball);
