// SPDX-License-Identifier: MIT
// Names of the parameters of laws: ours, and the symbols of the sources.
#include "law_names.h"
#include <string.h>

double* impact_parameter(twImpactLaw* law, int index)
{
    double* const at[] = {&law->stiffness, &law->exponent, &law->dissipation};
    return at[index];
}

double* friction_parameter(twFrictionLaw* law, int index)
{
    double* const at[] = {&law->stiffness,       &law->damping,          &law->viscosity, &law->noise,
                          &law->static_friction, &law->dynamic_friction, &law->stribeck,  &law->breakaway};
    return at[index];
}

// which of the names, each with its symbol; -1: none
static int find(const char* const (*names)[2], int count, const char* name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i][0]) == 0 || strcmp(name, names[i][1]) == 0) return i;
    return -1;
}

double* tw_impact_law_find(twImpactLaw* law, const char* name)
{
    static const char* const names[][2] = {{"stiffness", "k"}, {"exponent", "alpha"}, {"dissipation", "mu"}};
    int index = find(names, IMPACT_PARAMETERS, name);
    return index < 0 ? NULL : impact_parameter(law, index);
}

double* tw_friction_law_find(twFrictionLaw* law, const char* name)
{
    static const char* const names[][2] = {{"stiffness", "sigma0"}, {"damping", "sigma1"}, {"viscosity", "sigma2"},
                                           {"noise", "sigma3"},     {"static", "mus"},     {"dynamic", "mud"},
                                           {"stribeck", "vs"},      {"breakaway", "c"}};
    int index = find(names, FRICTION_PARAMETERS, name);
    return index < 0 ? NULL : friction_parameter(law, index);
}
