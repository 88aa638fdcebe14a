// SPDX-License-Identifier: MIT
// Built-in materials. Elastic constants are those of common tables of engineering materials, rounded; those of ceramic,
// polystyrene, steel, mdf and wood are of Table 1 of Zheng and James 2011, and zheng-... are that table as it stands, damping
// included. Damping is a loss factor eta (docs/materials.md lists the evidence for each), with alpha for the support of a
// thing that hangs on a thread and, for some woods, beta for the shear that grows with frequency. Thermal constants give the
// thermoelastic loss of thin metal. Contact damping: Zheng's; ours is that of their material most alike.
// "Wood Handbook": Forest Products Laboratory, Wood handbook: wood as an engineering material, FPL-GTR-282, 2021, at 12 %
// moisture: elastic ratios of Table 5-1, Poisson's ratios of Table 5-2; E_L is the modulus in bending of Table 5-3 (5-5 for
// mahogany) and 10 % more, as the text says, since that is lowered by shear; density 1.12 times the specific gravity. A shear
// modulus that Table 5-1 lacks is 0: estimated. The other woods are taken along the grain and as if isotropic.

#include "twang/modal.h"
#include <string.h>

#define ZHENG "Zheng and James 2011, Table 1"
#define MEASURED "eta from recordings"
#define BOOK "eta from handbooks"
#define GUESS "eta of the usual size, not checked"

#define ROOM 293.0  // temperature at which thermal constants are taken [K]

// orthotropic constants from ratios: E_R, E_T, G_LR, G_LT, G_RT over E_L, then nu_LR, nu_LT, nu_RT
#define ORTHOTROPIC(e, r, t, lr, lt, rt, nu_lr, nu_lt, nu_rt)                                                          \
    {                                                                                                                  \
        {(e) * (r), (e) * (t)}, {(e) * (lr), (e) * (lt), (e) * (rt)}, { nu_lr, nu_lt, nu_rt }                          \
    }
#define ISOTROPIC                                                                                                      \
    {                                                                                                                  \
        {0, 0}, {0, 0, 0}, { 0, 0, 0 }                                                                                 \
    }
#define NO_HEAT                                                                                                        \
    {                                                                                                                  \
        0, 0, 0                                                                                                        \
    }

// clang-format off
static const twMaterial materials[] = {
    // name, density [kg/m3], young [Pa], poisson, alpha [1/s], beta [s], loss factor, contact damping [s/m], expansion [1/K], conductivity [W/m K], heat capacity [J/kg K], source, note, orthotropy
    {"ceramic", 2700, 7.4e10, 0.19, 0.5, 0, 6.5e-4, 3e-2, NO_HEAT, MEASURED, "tableware", ISOTROPIC},
    {"porcelain", 2400, 7e10, 0.2, 0.5, 0, 5e-4, 3e-2, NO_HEAT, GUESS, "", ISOTROPIC},
    {"glass", 2500, 7e10, 0.22, 0.5, 0, 8e-4, 3e-2, NO_HEAT, GUESS, "soda-lime", ISOTROPIC},
    {"crystal", 3000, 6e10, 0.22, 0.5, 0, 4e-4, 3e-2, NO_HEAT, GUESS, "lead glass, 24 % lead oxide", ISOTROPIC},
    {"steel", 7850, 2e11, 0.29, 0.5, 0, 2e-4, 3e-1, {12e-6, 50, 460}, BOOK, "", ISOTROPIC},
    {"iron", 7200, 1.1e11, 0.26, 0.5, 0, 1e-3, 3e-1, {11e-6, 50, 460}, MEASURED, "grey cast iron", ISOTROPIC},
    {"aluminium", 2700, 6.9e10, 0.33, 0.5, 0, 1e-4, 3e-1, {23e-6, 167, 900}, BOOK, "", ISOTROPIC},
    {"brass", 8500, 1e11, 0.35, 0.5, 0, 3e-4, 3e-1, {19e-6, 115, 380}, BOOK, "", ISOTROPIC},
    {"bronze", 8700, 1e11, 0.34, 0.3, 0, 1.5e-4, 3e-1, {17.5e-6, 42, 360}, GUESS, "bell metal, 20 % tin", ISOTROPIC},
    {"copper", 8960, 1.2e11, 0.34, 0.5, 0, 2e-3, 3e-1, {16.5e-6, 390, 385}, BOOK, "", ISOTROPIC},
    {"titanium", 4430, 1.14e11, 0.34, 0.5, 0, 2e-4, 3e-1, {8.6e-6, 6.7, 530}, GUESS, "alloy of 6 % aluminium, 4 % vanadium", ISOTROPIC},
    {"lead", 11340, 1.6e10, 0.44, 1, 0, 1.5e-2, 3e-1, {29e-6, 35, 129}, BOOK, "", ISOTROPIC},
    {"granite", 2700, 5e10, 0.25, 1, 0, 5e-3, 3e-2, NO_HEAT, BOOK, "", ISOTROPIC},
    {"marble", 2700, 5.5e10, 0.27, 1, 0, 3e-3, 3e-2, NO_HEAT, GUESS, "", ISOTROPIC},
    {"concrete", 2400, 3e10, 0.2, 1, 0, 8e-3, 3e-2, NO_HEAT, BOOK, "", ISOTROPIC},
    {"ice", 917, 9.3e9, 0.33, 1, 0, 5e-3, 3e-2, NO_HEAT, GUESS, "at -5 C", ISOTROPIC},
    {"wood", 750, 1.1e10, 0.25, 1, 0, 1.4e-2, 5e-4, NO_HEAT, MEASURED, "", ISOTROPIC},
    {"oak", 700, 1.1e10, 0.35, 1, 1.5e-7, 1e-2, 5e-4, NO_HEAT, BOOK, "along the grain", ISOTROPIC},
    {"spruce", 430, 1.1e10, 0.37, 1, 1.5e-7, 7e-3, 5e-4, NO_HEAT, BOOK, "tonewood, along the grain", ISOTROPIC},
    {"rosewood", 900, 1.6e10, 0.3, 1, 8e-8, 5e-3, 5e-4, NO_HEAT, BOOK, "tonewood, along the grain", ISOTROPIC},
    {"mdf", 615, 4e9, 0.32, 2, 0, 2e-2, 9e-3, NO_HEAT, BOOK, "medium-density fibreboard", ISOTROPIC},
    {"polystyrene", 1050, 3.5e9, 0.34, 5, 0, 9e-3, 4e-4, NO_HEAT, MEASURED, "stiff plastic, as ABS", ISOTROPIC},
    {"acrylic", 1180, 3.1e9, 0.37, 100, 0, 3.5e-2, 4e-4, NO_HEAT, GUESS, "", ISOTROPIC},
    {"nylon", 1140, 2.8e9, 0.39, 20, 0, 3.5e-2, 4e-4, NO_HEAT, GUESS, "dry", ISOTROPIC},
    {"rubber", 950, 5e6, 0.49, 20, 3e-6, 8e-2, 4e-4, NO_HEAT, GUESS, "soft, natural", ISOTROPIC},

    {"zheng-ceramic", 2700, 7.4e10, 0.19, 6, 1e-7, 0, 3e-2, NO_HEAT, ZHENG, "tableware", ISOTROPIC},
    {"zheng-polystyrene", 1050, 3.5e9, 0.34, 30, 8e-7, 0, 4e-4, NO_HEAT, ZHENG, "stiff plastic", ISOTROPIC},
    {"zheng-steel", 7850, 2e11, 0.29, 5, 3e-8, 0, 3e-1, NO_HEAT, ZHENG, "", ISOTROPIC},
    {"zheng-mdf", 615, 4e9, 0.32, 35, 5e-6, 0, 9e-3, NO_HEAT, ZHENG, "medium-density fibreboard", ISOTROPIC},
    {"zheng-wood", 750, 1.1e10, 0.25, 60, 2e-6, 0, 5e-4, NO_HEAT, ZHENG, "", ISOTROPIC},

    {"sitka-spruce", 403, 1.09e10, 0.37, 1, 1.5e-7, 7e-3, 5e-4, NO_HEAT, "Wood Handbook 2021; " GUESS, "tonewood",
     ORTHOTROPIC(1.09e10, 0.078, 0.043, 0.064, 0.061, 0.003, 0.372, 0.467, 0.435)},
    {"douglas-fir", 538, 1.47e10, 0.29, 1, 1.5e-7, 8e-3, 5e-4, NO_HEAT, "Wood Handbook 2021; " GUESS, "coast",
     ORTHOTROPIC(1.47e10, 0.068, 0.050, 0.064, 0.078, 0.007, 0.292, 0.449, 0.390)},
    {"longleaf-pine", 661, 1.51e10, 0.33, 1, 1.5e-7, 9e-3, 5e-4, NO_HEAT, "Wood Handbook 2021; " GUESS, "",
     ORTHOTROPIC(1.51e10, 0.102, 0.055, 0.071, 0.060, 0.012, 0.332, 0.365, 0.384)},
    {"mahogany", 504, 1.13e10, 0.31, 1, 1.5e-7, 7e-3, 5e-4, NO_HEAT, "Wood Handbook 2021; " GUESS, "Honduras",
     ORTHOTROPIC(1.13e10, 0.107, 0.064, 0.066, 0.086, 0.028, 0.314, 0.533, 0.600)},
    {"sugar-maple", 706, 1.39e10, 0.42, 1, 1.5e-7, 1e-2, 5e-4, NO_HEAT, "Wood Handbook 2021; " GUESS, "G_RT estimated",
     ORTHOTROPIC(1.39e10, 0.132, 0.065, 0.111, 0.063, 0, 0.424, 0.476, 0.774)},
    {"red-oak", 706, 1.38e10, 0.35, 1, 1.5e-7, 1e-2, 5e-4, NO_HEAT, "Wood Handbook 2021; " GUESS, "northern; G_RT estimated",
     ORTHOTROPIC(1.38e10, 0.154, 0.082, 0.089, 0.081, 0, 0.350, 0.448, 0.560)},
    {"black-walnut", 616, 1.28e10, 0.49, 1, 1.5e-7, 9e-3, 5e-4, NO_HEAT, "Wood Handbook 2021; " GUESS, "",
     ORTHOTROPIC(1.28e10, 0.106, 0.056, 0.085, 0.062, 0.021, 0.495, 0.632, 0.718)},
    {"yellow-birch", 694, 1.53e10, 0.43, 1, 1.5e-7, 9e-3, 5e-4, NO_HEAT, "Wood Handbook 2021; " GUESS, "",
     ORTHOTROPIC(1.53e10, 0.078, 0.050, 0.074, 0.068, 0.017, 0.426, 0.451, 0.697)},
};
// clang-format on

const twMaterial* tw_materials(int* count)
{
    *count = (int)(sizeof materials / sizeof materials[0]);
    return materials;
}

const twMaterial* tw_material_find(const char* name)
{
    int count;
    const twMaterial* all = tw_materials(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    return NULL;
}

const char* tw_material_nearest(const char* name)
{
    const char* names[sizeof materials / sizeof materials[0]];
    int count;
    const twMaterial* all = tw_materials(&count);
    for (int i = 0; i < count; i++)
    {
        // maple is meant for sugar-maple
        const char* last = strrchr(all[i].name, '-');
        if (last && strcmp(last + 1, name) == 0) return all[i].name;
        names[i] = all[i].name;
    }
    return tw_nearest_name(name, names, count);
}

double tw_material_decay(const twMaterial* material, double freq_hz)
{
    const double w = 2 * TW_PI * freq_hz;
    return 0.5 * (material->alpha + material->loss_factor * w + material->beta * w * w);
}

// Bending compresses one side of a wall and stretches the other; what heats there cools by conduction through the wall
// (Zener, Phys. Rev. 52, 1937): a loss factor D w tau/(1 + w^2 tau^2), with the time tau = h^2/(pi^2 chi) that heat takes through
// the wall h, chi = conductivity/(density heat_capacity), and the strength D = E expansion^2 T/(density heat_capacity).
twRelaxation tw_material_thermoelastic(const twMaterial* material, double wall)
{
    const twThermal* t = &material->thermal;
    const double heat = material->density * t->heat_capacity;
    if (!(heat > 0 && t->conductivity > 0 && wall > 0)) return (twRelaxation){0, 0};
    return (twRelaxation){.strength = material->young * t->expansion * t->expansion * ROOM / heat,
                          .time = wall * wall * heat / (TW_PI * TW_PI * t->conductivity)};
}

double tw_relaxation_loss(twRelaxation relaxation, double freq_hz)
{
    const double x = 2 * TW_PI * freq_hz * relaxation.time;
    return relaxation.strength * x / (1 + x * x);
}

bool tw_mounting_parse(const char* name, double* alpha)
{
    // household things in a hand and on a cloth fall by 60 dB in 0.05 to 0.15 s at any pitch (docs/materials.md)
    static const struct
    {
        const char* name;
        double alpha;
    } mountings[] = {{"free", 0}, {"hand", 60}, {"cloth", 140}};
    for (size_t i = 0; i < sizeof mountings / sizeof *mountings; i++)
    {
        if (strcmp(mountings[i].name, name) != 0) continue;
        *alpha = mountings[i].alpha;
        return true;
    }
    return false;
}
