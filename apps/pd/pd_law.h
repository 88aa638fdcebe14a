// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang_pd.h"

/// @file
/// Laws of contact by messages.

/// Names and symbols of the parameters of friction, names of those of impact; NULL ends them.
extern const char* const pd_friction_selectors[];
extern const char* const pd_impact_selectors[];
/// Set the parameter that the selector names. @return false, and an error, if it cannot be; the law is as it was then
bool pd_friction_message(PdObject* x, twFrictionLaw* law, const char* selector, int argc, const t_atom* argv);
bool pd_impact_message(PdObject* x, twImpactLaw* law, const char* selector, int argc, const t_atom* argv);
