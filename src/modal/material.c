// SPDX-License-Identifier: MIT
// Built-in materials. "Zheng and James 2011": their Table 1. "textbook": elastic constants as in common tables of
// engineering materials; alpha and beta chosen here, so that the loss factor alpha/w + beta w at 1 kHz is typical of the
// material (docs/materials.md). Contact damping: theirs; ours is that of their material most alike.
// "Wood Handbook": Forest Products Laboratory, Wood handbook: wood as an engineering material, FPL-GTR-282, 2021, at 12 %
// moisture: elastic ratios of Table 5-1, Poisson's ratios of Table 5-2; E_L is the modulus in bending of Table 5-3 (5-5 for
// mahogany) and 10 % more, as the text says, since that is lowered by shear; density 1.12 times the specific gravity. A shear
// modulus that Table 5-1 lacks is 0: estimated. The other woods are taken along the grain and as if isotropic.

#include "twang/modal.h"
#include <string.h>

#define ZHENG "Zheng and James 2011, Table 1"
#define OURS "textbook, damping chosen here"
#define HANDBOOK "Wood Handbook 2021, damping chosen here"

// orthotropic constants from ratios: E_R, E_T, G_LR, G_LT, G_RT over E_L, then nu_LR, nu_LT, nu_RT
#define ORTHOTROPIC(e, r, t, lr, lt, rt, nu_lr, nu_lt, nu_rt)                                                          \
    {                                                                                                                  \
        {(e) * (r), (e) * (t)}, {(e) * (lr), (e) * (lt), (e) * (rt)}, { nu_lr, nu_lt, nu_rt }                          \
    }
#define ISOTROPIC                                                                                                      \
    {                                                                                                                  \
        {0, 0}, {0, 0, 0}, { 0, 0, 0 }                                                                                 \
    }

static const twMaterial materials[] = {
    // name, density [kg/m3], young [Pa], poisson, alpha [1/s], beta [s], loss factor, contact damping [s/m], source, note, orthotropy
    {"ceramic", 2700, 7.4e10, 0.19, 6, 1e-7, 0, 3e-2, ZHENG, "tableware", ISOTROPIC},
    {"polystyrene", 1050, 3.5e9, 0.34, 30, 8e-7, 0, 4e-4, ZHENG, "stiff plastic", ISOTROPIC},
    {"steel", 7850, 2e11, 0.29, 5, 3e-8, 0, 3e-1, ZHENG, "", ISOTROPIC},
    {"mdf", 615, 4e9, 0.32, 35, 5e-6, 0, 9e-3, ZHENG, "medium-density fibreboard", ISOTROPIC},
    {"wood", 750, 1.1e10, 0.25, 60, 2e-6, 0, 5e-4, ZHENG, "", ISOTROPIC},

    {"aluminium", 2700, 6.9e10, 0.33, 2, 1e-8, 0, 3e-1, OURS, "", ISOTROPIC},
    {"brass", 8500, 1e11, 0.35, 2, 3e-8, 0, 3e-1, OURS, "", ISOTROPIC},
    {"bronze", 8700, 1e11, 0.34, 0.6, 1e-8, 0, 3e-1, OURS, "bell metal, 20 % tin", ISOTROPIC},
    {"copper", 8960, 1.2e11, 0.34, 6, 1.5e-7, 0, 3e-1, OURS, "", ISOTROPIC},
    {"iron", 7200, 1.1e11, 0.26, 10, 3e-7, 0, 3e-1, OURS, "grey cast iron", ISOTROPIC},
    {"lead", 11340, 1.6e10, 0.44, 30, 1.5e-6, 0, 3e-1, OURS, "", ISOTROPIC},
    {"titanium", 4430, 1.14e11, 0.34, 1.5, 2e-8, 0, 3e-1, OURS, "alloy of 6 % aluminium, 4 % vanadium", ISOTROPIC},
    {"glass", 2500, 7e10, 0.22, 3, 6e-8, 0, 3e-2, OURS, "soda-lime", ISOTROPIC},
    {"crystal", 3000, 6e10, 0.22, 1, 1.5e-8, 0, 3e-2, OURS, "lead glass, 24 % lead oxide", ISOTROPIC},
    {"porcelain", 2400, 7e10, 0.2, 5, 8e-8, 0, 3e-2, OURS, "", ISOTROPIC},
    {"granite", 2700, 5e10, 0.25, 15, 4e-7, 0, 3e-2, OURS, "", ISOTROPIC},
    {"marble", 2700, 5.5e10, 0.27, 10, 2.5e-7, 0, 3e-2, OURS, "", ISOTROPIC},
    {"concrete", 2400, 3e10, 0.2, 40, 1e-6, 0, 3e-2, OURS, "", ISOTROPIC},
    {"ice", 917, 9.3e9, 0.33, 20, 1e-6, 0, 3e-2, OURS, "at -5 C", ISOTROPIC},
    {"oak", 700, 1.1e10, 0.35, 40, 2e-6, 0, 5e-4, OURS, "along the grain", ISOTROPIC},
    {"spruce", 430, 1.1e10, 0.37, 20, 8e-7, 0, 5e-4, OURS, "tonewood, along the grain", ISOTROPIC},
    {"rosewood", 900, 1.6e10, 0.3, 12, 5e-7, 0, 5e-4, OURS, "tonewood, along the grain", ISOTROPIC},
    {"acrylic", 1180, 3.1e9, 0.37, 40, 3.5e-6, 0, 4e-4, OURS, "", ISOTROPIC},
    {"nylon", 1140, 2.8e9, 0.39, 40, 5e-6, 0, 4e-4, OURS, "dry", ISOTROPIC},
    {"rubber", 950, 5e6, 0.49, 100, 1e-4, 0, 4e-4, OURS, "soft, natural", ISOTROPIC},

    {"sitka-spruce", 403, 1.09e10, 0.37, 20, 8e-7, 0, 5e-4, HANDBOOK, "tonewood",
     ORTHOTROPIC(1.09e10, 0.078, 0.043, 0.064, 0.061, 0.003, 0.372, 0.467, 0.435)},
    {"douglas-fir", 538, 1.47e10, 0.29, 25, 1e-6, 0, 5e-4, HANDBOOK, "coast",
     ORTHOTROPIC(1.47e10, 0.068, 0.050, 0.064, 0.078, 0.007, 0.292, 0.449, 0.390)},
    {"longleaf-pine", 661, 1.51e10, 0.33, 35, 1.5e-6, 0, 5e-4, HANDBOOK, "",
     ORTHOTROPIC(1.51e10, 0.102, 0.055, 0.071, 0.060, 0.012, 0.332, 0.365, 0.384)},
    {"mahogany", 504, 1.13e10, 0.31, 15, 7e-7, 0, 5e-4, HANDBOOK, "Honduras",
     ORTHOTROPIC(1.13e10, 0.107, 0.064, 0.066, 0.086, 0.028, 0.314, 0.533, 0.600)},
    {"sugar-maple", 706, 1.39e10, 0.42, 30, 1.2e-6, 0, 5e-4, HANDBOOK, "G_RT estimated",
     ORTHOTROPIC(1.39e10, 0.132, 0.065, 0.111, 0.063, 0, 0.424, 0.476, 0.774)},
    {"red-oak", 706, 1.38e10, 0.35, 40, 2e-6, 0, 5e-4, HANDBOOK, "northern; G_RT estimated",
     ORTHOTROPIC(1.38e10, 0.154, 0.082, 0.089, 0.081, 0, 0.350, 0.448, 0.560)},
    {"black-walnut", 616, 1.28e10, 0.49, 30, 1.2e-6, 0, 5e-4, HANDBOOK, "",
     ORTHOTROPIC(1.28e10, 0.106, 0.056, 0.085, 0.062, 0.021, 0.495, 0.632, 0.718)},
    {"yellow-birch", 694, 1.53e10, 0.43, 30, 1.2e-6, 0, 5e-4, HANDBOOK, "",
     ORTHOTROPIC(1.53e10, 0.078, 0.050, 0.074, 0.068, 0.017, 0.426, 0.451, 0.697)},
};

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
    double w = 2 * 3.14159265358979323846 * freq_hz;
    return 0.5 * (material->alpha + material->loss_factor * w + material->beta * w * w);
}
