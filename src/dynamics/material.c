// SPDX-License-Identifier: MIT
// What materials do where they touch: springs by Hertz and Mindlin, rebound and friction by name or by how stiff and lossy a
// solid is.
//
//   1/E* = sum of (1 - nu^2)/E,   1/R = 1/Ra + 1/Rb,   F = 4/3 E* sqrt(R) x^(3/2)                          (Hertz)
//   k_N = dF/dx = 2 E* a,   k_T = 8 G* a,   1/G* = sum of (2 - nu)/G,   G = E/(2 (1 + nu))                 (Mindlin)
//
// The solids' loss factors count by how much they give: 1/E* is complex then. So k_T/k_N = 4 G*/E*, which for two of one material is 2 (1 - nu)/(2 - nu). Rebound and friction of solids are no constants:
// the numbers below are of the size that engineering tables give for like on like, dry and clean, at about 1 m/s, and scatter
// by a third (docs/dynamics.md).

#include "twang/dynamics.h"
#include <string.h>

typedef struct Feel
{
    const char* name;
    double stick, slide, restitution;
} Feel;

static const Feel known[] = {
    {"steel", 0.6, 0.45, 0.9},      {"iron", 0.4, 0.25, 0.75},     {"titanium", 0.5, 0.4, 0.85},
    {"aluminium", 0.6, 0.45, 0.8},  {"brass", 0.45, 0.4, 0.75},    {"bronze", 0.4, 0.3, 0.85},
    {"copper", 0.5, 0.36, 0.65},    {"lead", 0.9, 0.8, 0.2},       {"glass", 0.6, 0.4, 0.94},
    {"crystal", 0.6, 0.4, 0.92},    {"ceramic", 0.5, 0.4, 0.8},    {"porcelain", 0.5, 0.4, 0.82},
    {"granite", 0.6, 0.5, 0.8},     {"marble", 0.55, 0.45, 0.75},  {"concrete", 0.7, 0.6, 0.6},
    {"ice", 0.05, 0.03, 0.6},       {"wood", 0.4, 0.3, 0.5},       {"oak", 0.5, 0.35, 0.5},
    {"spruce", 0.4, 0.3, 0.5},      {"rosewood", 0.4, 0.3, 0.6},   {"mdf", 0.4, 0.3, 0.45},
    {"polystyrene", 0.5, 0.4, 0.7}, {"acrylic", 0.55, 0.45, 0.65}, {"nylon", 0.25, 0.2, 0.6},
    {"rubber", 0.9, 0.8, 0.8},
};

static const double young_min = 1e3, young_max = 1e15;  // [Pa]
static const double soft = 1e8;                         // below: rubbers [Pa]
static const double hard = 2e10;                        // above: metals, glass, stone [Pa]
static const double radius_min = 1e-9, flat = 1;        // [m]
static const double friction_max = 100, loss_max = 0.9;
static const double typical_load = 1;         // of a contact, for its bristles [N]
static const double typical_stribeck = 1e-3;  // of dry solids: Canudas de Wit et al. 1995 [m/s]
static const double typical_breakaway = 0.7;  // of Avanzini et al. 2005

static double clamp(double x, double low, double high) { return x > low ? (x < high ? x : high) : low; }

// by its name; a built-in one also by what that ends with: zheng-steel, red-oak
static const Feel* find(const char* name)
{
    const char* dash = name && tw_material_find(name) ? strrchr(name, '-') : NULL;
    for (size_t i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0 || (dash && strcmp(known[i].name, dash + 1) == 0)) return &known[i];
    return NULL;
}

// at 1 kHz
static double loss_of(const twMaterial* material)
{
    const double freq = 1000;
    return clamp(tw_material_decay(material, freq) / (TW_PI * freq), 0, loss_max);
}

// Of a solid that is not in the table. Rubbers give back what they take, and stick; what is stiffer loses the more in an impact
// the more it loses when it rings: 1 - 3.8 sqrt(eta at 1 kHz) is right to 0.1 for steel, glass, tableware, polystyrene and wood.
static Feel guess(const twMaterial* material)
{
    if (material->young < soft) return (Feel){"", 0.9, 0.8, 0.8};
    const double eta = loss_of(material);
    const double rebound = clamp(1 - 3.8 * sqrt(eta), 0.2, 0.95);
    return material->young < hard ? (Feel){"", 0.4, 0.3, rebound} : (Feel){"", 0.5, 0.4, rebound};
}

twContactMaterial tw_contact_material(const twMaterial* material)
{
    const Feel* found = find(material->name);
    const Feel touch = found ? *found : guess(material);
    return (twContactMaterial){.young = material->young,
                               .poisson = material->poisson,
                               .stick = touch.stick,
                               .slide = touch.slide,
                               .restitution = touch.restitution,
                               .loss_factor = loss_of(material)};
}

// curvature of a surface; 0 and infinite radii are flat, negative ones hollow
static double curvature(double radius)
{
    return isfinite(radius) && radius != 0 ? 1 / copysign(fmax(fabs(radius), radius_min), radius) : 0;
}

// radius of a ball on a flat that touches like both; two flats, and a ball in a hollow as large, like a ball of 1 m
static double common_radius(double a, double b)
{
    return clamp(1 / clamp(curvature(a) + curvature(b), 1 / flat, 2 / radius_min), 0, flat);
}

// geometric
static double mean(double a, double b) { return sqrt(clamp(a, 0, friction_max) * clamp(b, 0, friction_max)); }

twContactPair tw_contact_pair(const twContactMaterial* a, const twContactMaterial* b, double radius_a, double radius_b)
{
    const twContactMaterial* side[2] = {a, b};
    double normal_give = 0, tangent_give = 0, lost = 0;  // 1/E*, 1/G*, and 1/E* times the loss factor
    for (int i = 0; i < 2; i++)
    {
        const double e = clamp(side[i]->young, young_min, young_max), nu = clamp(side[i]->poisson, -0.99, 0.5);
        normal_give += (1 - nu * nu) / e;
        lost += (1 - nu * nu) / e * clamp(side[i]->loss_factor, 0, loss_max);
        tangent_give += 2 * (2 - nu) * (1 + nu) / e;
    }
    const double k = 4.0 / 3 / normal_give * sqrt(common_radius(radius_a, radius_b));
    const double tangent = 1.5 * cbrt(k * k * typical_load);  // dF/dx where F is the load: x = (F/k)^(2/3)
    const double restitution = clamp(fmin(a->restitution, b->restitution), 0, 1);
    const double stick = mean(a->stick, b->stick);
    return (twContactPair){.impact = {k, 1.5, tw_impact_dissipation(restitution, 1)},
                           .friction = {.stiffness = 4 * normal_give / tangent_give * tangent,
                                        .static_friction = stick,
                                        .dynamic_friction = fmin(stick, mean(a->slide, b->slide)),
                                        .stribeck = typical_stribeck,
                                        .breakaway = typical_breakaway},
                           .loss_factor = lost / normal_give};
}
