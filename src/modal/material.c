// SPDX-License-Identifier: MIT
// Built-in materials. "Zheng and James 2011": their Table 1. "textbook": elastic constants as in common tables of
// engineering materials; alpha and beta chosen here, so that the loss factor alpha/w + beta w at 1 kHz is typical of the
// material (docs/materials.md). Contact damping: theirs; ours is that of their material most alike. Wood is taken along the grain and as if isotropic.

#include "twang/modal.h"
#include <string.h>

#define ZHENG "Zheng and James 2011, Table 1"
#define OURS "textbook, damping chosen here"

static const twMaterial materials[] = {
    // name, density [kg/m3], young [Pa], poisson, alpha [1/s], beta [s], loss factor, contact damping [s/m], source, note
    {"ceramic", 2700, 7.4e10, 0.19, 6, 1e-7, 0, 3e-2, ZHENG, "tableware"},
    {"polystyrene", 1050, 3.5e9, 0.34, 30, 8e-7, 0, 4e-4, ZHENG, "stiff plastic"},
    {"steel", 7850, 2e11, 0.29, 5, 3e-8, 0, 3e-1, ZHENG, ""},
    {"mdf", 615, 4e9, 0.32, 35, 5e-6, 0, 9e-3, ZHENG, "medium-density fibreboard"},
    {"wood", 750, 1.1e10, 0.25, 60, 2e-6, 0, 5e-4, ZHENG, ""},

    {"aluminium", 2700, 6.9e10, 0.33, 2, 1e-8, 0, 3e-1, OURS, ""},
    {"brass", 8500, 1e11, 0.35, 2, 3e-8, 0, 3e-1, OURS, ""},
    {"bronze", 8700, 1e11, 0.34, 0.6, 1e-8, 0, 3e-1, OURS, "bell metal, 20 % tin"},
    {"copper", 8960, 1.2e11, 0.34, 6, 1.5e-7, 0, 3e-1, OURS, ""},
    {"iron", 7200, 1.1e11, 0.26, 10, 3e-7, 0, 3e-1, OURS, "grey cast iron"},
    {"lead", 11340, 1.6e10, 0.44, 30, 1.5e-6, 0, 3e-1, OURS, ""},
    {"titanium", 4430, 1.14e11, 0.34, 1.5, 2e-8, 0, 3e-1, OURS, "alloy of 6 % aluminium, 4 % vanadium"},
    {"glass", 2500, 7e10, 0.22, 3, 6e-8, 0, 3e-2, OURS, "soda-lime"},
    {"crystal", 3000, 6e10, 0.22, 1, 1.5e-8, 0, 3e-2, OURS, "lead glass, 24 % lead oxide"},
    {"porcelain", 2400, 7e10, 0.2, 5, 8e-8, 0, 3e-2, OURS, ""},
    {"granite", 2700, 5e10, 0.25, 15, 4e-7, 0, 3e-2, OURS, ""},
    {"marble", 2700, 5.5e10, 0.27, 10, 2.5e-7, 0, 3e-2, OURS, ""},
    {"concrete", 2400, 3e10, 0.2, 40, 1e-6, 0, 3e-2, OURS, ""},
    {"ice", 917, 9.3e9, 0.33, 20, 1e-6, 0, 3e-2, OURS, "at -5 C"},
    {"oak", 700, 1.1e10, 0.35, 40, 2e-6, 0, 5e-4, OURS, "along the grain"},
    {"spruce", 430, 1.1e10, 0.37, 20, 8e-7, 0, 5e-4, OURS, "tonewood, along the grain"},
    {"rosewood", 900, 1.6e10, 0.3, 12, 5e-7, 0, 5e-4, OURS, "tonewood, along the grain"},
    {"acrylic", 1180, 3.1e9, 0.37, 40, 3.5e-6, 0, 4e-4, OURS, ""},
    {"nylon", 1140, 2.8e9, 0.39, 40, 5e-6, 0, 4e-4, OURS, "dry"},
    {"rubber", 950, 5e6, 0.49, 100, 1e-4, 0, 4e-4, OURS, "soft, natural"},
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
    for (int i = 0; i < count; i++) names[i] = all[i].name;
    return tw_nearest_name(name, names, count);
}

double tw_material_decay(const twMaterial* material, double freq_hz)
{
    double w = 2 * 3.14159265358979323846 * freq_hz;
    return 0.5 * (material->alpha + material->loss_factor * w + material->beta * w * w);
}
