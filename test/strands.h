// SPDX-License-Identifier: MIT
#pragma once
#include "bar.h"

/// @file
/// Rods of all kinds, recorded: open, closed, with corners, tapered.

enum
{
    RODS = 4,
    POINTS = 24,
    ROD_FRAMES = 20,
};
#define RADIUS 0.01

typedef struct Strand
{
    double x[3][POINTS], d[3][POINTS];
} Strand;

// 0: a straight rod that swings about its upper end; 1: a hoop that becomes an ellipse; 2: a string; 3: a horn that shifts
static inline void strand_at(Strand* s, int rod, double t)
{
    *s = (Strand){0};
    for (int i = 0; i < POINTS; i++)
    {
        const double u = (double)i / (POINTS - 1), a = 2 * TW_PI * i / POINTS, swing = 0.5 * sin(5 * t);
        const double place[RODS][3] = {{0.5 * u * sin(swing), 0, -0.5 * u * cos(swing)},
                                       {0.3 * (1 + 0.2 * sin(7 * t)) * cos(a), 0.3 * sin(a) + 1, 0.2},
                                       {u, 2, 0.05 * sin(TW_PI * u) * sin(9 * t)},
                                       {u, 3 + 0.1 * t, 0}};
        const double across[RODS][3] = {{0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 1}};
        for (int k = 0; k < 3; k++) s->x[k][i] = place[rod][k], s->d[k][i] = across[rod][k];
    }
}

static inline bool record_rods(Recorded* r, bool still)
{
    const twTraceSection round = {.half_size = {RADIUS, RADIUS}, .radius = RADIUS}, flat = {.half_size = {0.02, 0.005}};
    const double corners[] = {1, -1, 1, 1, -1, 1, -1, -1};
    twTraceSection horn[POINTS];
    for (int i = 0; i < POINTS; i++) horn[i] = (twTraceSection){.half_size = {0.01 + 0.002 * i, 0.02}};
    const twTraceRod rods[RODS] = {
        {.name = "rod", .material = "steel", .point_count = POINTS, .section_count = 1, .sections = &round},
        {.name = "hoop",
         .material = "rubber",
         .point_count = POINTS,
         .closed = true,
         .section_count = 1,
         .sections = &round},
        {.name = "string",
         .material = "brass",
         .point_count = POINTS,
         .section_count = 1,
         .sections = &flat,
         .corner_count = 4,
         .corners = corners},
        {.name = "horn", .material = "brass", .point_count = POINTS, .section_count = POINTS, .sections = horn},
    };
    *r = (Recorded){0};
    twTraceDef def = tw_trace_def();
    def.rod_count = RODS;
    def.rods = rods;
    twTraceWriter* writer;
    if (tw_trace_create(&writer, in_folder("rods.twtrace"), &def, NULL) != TW_OK) return false;
    bool fine = true;
    for (int f = 0; f < ROD_FRAMES && fine; f++)
    {
        Strand strands[RODS];
        twRodView views[RODS] = {{0}};
        for (int i = 0; i < RODS; i++)
        {
            strand_at(&strands[i], i, still ? 0 : f / 60.0);
            views[i].point_count = POINTS;
            views[i].edge_count = rods[i].closed ? POINTS : POINTS - 1;
            for (int k = 0; k < 3; k++) views[i].position[k] = strands[i].x[k], views[i].frame_d1[k] = strands[i].d[k];
        }
        fine = tw_trace_append(writer, &(twTraceFrame){.rods = views}, NULL) == TW_OK;
    }
    return tw_trace_commit(&writer, NULL) == TW_OK && fine && reload(r, in_folder("rods.twtrace"), 1);
}
