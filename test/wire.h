// SPDX-License-Identifier: MIT
#pragma once
#include "rod/couple.h"
#include "rod_modes.h"
#include "test.h"

/// @file
/// Steel wires of all shapes, for tests of rods that others take part in.

enum
{
    WIRE_POINTS = 43  // no multiple of what is done at a time
};

typedef enum WireShape
{
    WIRE_STRAIGHT,
    WIRE_HELIX,  ///< twisted too
    WIRE_RING,   ///< closed
    WIRE_HELD,   ///< straight, one end clamped, the other pinned
    WIRE_SHAPES
} WireShape;

typedef struct Wire
{
    WireShape shape;
    twVec3 points[WIRE_POINTS];
    double twists[WIRE_POINTS];
    twSection section;
    twRodSupport ends[2];
    twRodPulse blow;
    twRodDef def;
} Wire;

/// Forces or ways: components over the points.
typedef struct WireField
{
    double at[ROD_COUPLED][WIRE_POINTS];
    double* part[ROD_COUPLED];
} WireField;

static inline twVec3 wire_point(WireShape shape, int i)
{
    const double n = WIRE_POINTS, u = i / (n - 1), radius = 0.04;
    if (shape == WIRE_RING) return tw_vec3(radius * cos(2 * TW_PI * i / n), radius * sin(2 * TW_PI * i / n), 0);
    if (shape == WIRE_HELIX) return tw_vec3(radius * cos(9 * u), radius * sin(9 * u), 0.1 * u);
    return tw_vec3(0.4 * u, 0, 0);
}

static inline void wire_make(Wire* wire, WireShape shape)
{
    const double a = 1.5e-3, b = 1e-3, area = TW_PI * a * b;
    *wire = (Wire){.shape = shape};
    wire->section = (twSection){.area = area,
                                .moment = {area * b * b / 4, area * a * a / 4},
                                .torsion = TW_PI * a * a * a * b * b * b / (a * a + b * b),
                                .shear = {0.9, 0.9}};
    for (int i = 0; i < WIRE_POINTS; i++)
    {
        wire->points[i] = wire_point(shape, i);
        wire->twists[i] = 1e-4 * i;
    }
    wire->def = tw_rod_def();
    wire->def.point_count = WIRE_POINTS, wire->def.points = wire->points, wire->def.closed = shape == WIRE_RING;
    wire->def.section_count = 1, wire->def.sections = &wire->section;
    if (shape == WIRE_HELIX) wire->def.twists = wire->twists;
    wire->ends[0] = (twRodSupport){.kind = TW_ROD_CLAMPED, .point = 0};
    wire->ends[1] = (twRodSupport){.kind = TW_ROD_PINNED, .point = WIRE_POINTS - 1};
    wire->def.supports = wire->ends, wire->def.support_count = shape == WIRE_HELD ? 2 : 0;
    wire->blow = (twRodPulse){.point = 20, .force = {3, 10, -7}, .start = 1e-5, .duration = 4e-4};
    wire->def.pulses = &wire->blow;
}

static inline twRod* wire_create(const Wire* wire)
{
    twRod* rod = NULL;
    twError err;
    if (tw_rod_create(&rod, &wire->def, &err) != TW_OK) printf("%s\n", err.text);
    return rod;
}

static inline WireField* wire_field(WireField* field)
{
    memset(field, 0, sizeof *field);
    for (int c = 0; c < ROD_COUPLED; c++) field->part[c] = field->at[c];
    return field;
}

/// anything, of about the given size; moments a hundredth of it
static inline WireField* wire_noise(WireField* field, double size, double seed)
{
    wire_field(field);
    for (int c = 0; c < ROD_COUPLED; c++)
        for (int i = 0; i < WIRE_POINTS; i++)
            field->at[c][i] = (c < 3 ? 1 : 0.01) * size * sin(seed + 12.9898 * i * i + 78.233 * c);
    return field;
}

static inline double wire_dot(const WireField* a, const WireField* b)
{
    double sum = 0;
    for (int c = 0; c < ROD_COUPLED; c++)
        for (int i = 0; i < WIRE_POINTS; i++) sum += a->at[c][i] * b->at[c][i];
    return sum;
}

/// open a step with these forces and iterate, to the tolerance or as far as it goes
static inline void wire_open(twRod* rod, const WireField* force, bool finely)
{
    const double h = 1 / rod->rate_hz;
    tw_rod_open(rod, tw_rod_view(rod).time, h, h, true);
    double* const* to = tw_rod_forces(rod);
    for (int c = 0; c < ROD_COUPLED; c++) memcpy(to[c], force->at[c], sizeof force->at[c]);
    for (int k = 0; k < 20; k++)
        if (tw_rod_iterate(rod) < tw_rod_enough(rod) && !finely) break;
}

static inline void wire_step(twRod* rod, const WireField* force, bool finely)
{
    wire_open(rod, force, finely);
    tw_rod_close(rod);
    tw_rod_end_step(rod, 0);
}
