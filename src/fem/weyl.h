// SPDX-License-Identifier: MIT
#pragma once
#include "fem/system.h"

// how many modes to expect: about line w + area w^2 + volume w^3 - rigid of them lie below the frequency w, without
// units
typedef struct FemWeyl
{
    double line, area, volume, rigid;
} FemWeyl;

FemWeyl fem_weyl(const FemSystem* system, const twFemDef* def, FemMemory* memory);
// the same from sums over a body's materials, from {0}; volumes and the surface in the units of the system
void fem_weyl_add(FemWeyl* weyl, double volume, const FemSystem* system, const twMaterial* stuff);
void fem_weyl_end(FemWeyl* weyl, double volume, double area);
double fem_weyl_count(const FemWeyl* weyl, double lambda);  // elastic modes below lambda = w^2
double fem_weyl_lambda(const FemWeyl* weyl, double count);  // the other way
