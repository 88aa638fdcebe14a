// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"

/// @file
/// The parameters of laws one by one (internal): by name for messages, by index for glides.

enum
{
    IMPACT_PARAMETERS = 3,
    FRICTION_PARAMETERS = 8
};
double* impact_parameter(twImpactLaw* law, int index);
double* friction_parameter(twFrictionLaw* law, int index);
