// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/contact.h"

/// @file
/// What the rows and the figures of `twang reproduce impact` share.

twWallDef impact_case(int number, twImpactMethod method);      ///< case 1 or 2 of the source
twWallDef impact_bounce(twImpactMethod method, bool correct);  ///< case 1 under gravity

twStatus impact_figures(const char* folder, twError* err);  ///< Fig. 3, 7, 8 as SVG
