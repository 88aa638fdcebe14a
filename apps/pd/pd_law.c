// SPDX-License-Identifier: MIT
// Laws of contact by messages.
#include "pd_law.h"

const char* const pd_friction_selectors[] = {"stiffness", "damping",   "viscosity", "noise",  "static", "dynamic",
                                             "stribeck",  "breakaway", "sigma0",    "sigma1", "sigma2", "sigma3",
                                             "mus",       "mud",       "vs",        "c",      NULL};

const char* const pd_impact_selectors[] = {"stiffness", "exponent", "dissipation", NULL};

bool pd_friction_message(PdObject* x, twFrictionLaw* law, const char* selector, int argc, const t_atom* argv)
{
    twError err;
    twFrictionLaw changed = *law;
    if (!pd_number(x, selector, argc, argv, -PD_ANY, PD_ANY, tw_friction_law_find(&changed, selector)) ||
        !pd_ok(x, tw_friction_law_check(&changed, &err), &err))
        return false;
    *law = changed;
    return true;
}

bool pd_impact_message(PdObject* x, twImpactLaw* law, const char* selector, int argc, const t_atom* argv)
{
    twError err;
    twImpactLaw changed = *law;
    if (!pd_number(x, selector, argc, argv, -PD_ANY, PD_ANY, tw_impact_law_find(&changed, selector)) ||
        !pd_ok(x, tw_impact_law_check(&changed, &err), &err))
        return false;
    *law = changed;
    return true;
}
