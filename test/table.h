// SPDX-License-Identifier: MIT
#pragma once
#include "group.h"

/// @file
/// A table laid with dishes, for tests and benchmarks.

/// A table with bending modes, free on four legs, and ten dishes on it; contacts spread over the dishes' rims.
static inline Rig* rig_table(const SolveOptions* options, int modes, int contacts, double h)
{
    size_t rows = (size_t)(contacts + 4) * 3 * (size_t)(12 + modes);
    Rig* r = rig_create(h, options, 11, contacts + 4, 66 + modes, rows);
    double sides[2] = {1.2, 0.8}, mass = 12;
    int board =
        rig_body(r, tw_vec3(0, 0, 0), mass, tw_vec3(mass * 0.64 / 12, mass * 1.44 / 12, mass * 2.08 / 12), modes);
    double* shape = calloc(3 * (size_t)modes, sizeof(double));
    for (int j = 0; j < modes; j++)
    {
        double f = 60 * pow(8000 / 60.0, j / (double)modes);
        r->w2[6 + j] = pow(2 * TW_PI * f, 2);
        r->damping[6 + j] = 4 + 1e-7 * r->w2[6 + j];
        r->mass[6 + j] = 1;
    }
    for (int i = 0; i < 10; i++)
        rig_box(r, tw_vec3(0.2 * (i % 5) - 0.4, i < 5 ? -0.2 : 0.2, 0.02), 0.3, tw_vec3(0.12, 0.12, 0.04));
    for (int c = 0; c < contacts + 4; c++)
    {
        bool leg = c >= contacts;
        int dish = 1 + c % 10, corner = c - contacts;
        double turn = 2 * TW_PI * (c / 10) / (contacts / 10.0);
        twVec3 at = leg ? tw_vec3(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.35 : -0.35, 0)
                        : tw_vec3(r->centre[dish].x + 0.06 * cos(turn), r->centre[dish].y + 0.06 * sin(turn), 0);
        for (int j = 0; j < modes; j++)
            shape[3 * j + 2] = 2 / sqrt(mass) * cos(TW_PI * (j % 9 + 1) * (at.x / sides[0] + 0.5)) *
                               cos(TW_PI * (j / 9 + (j % 9 == 0)) * (at.y / sides[1] + 0.5));
        if (leg)
            rig_contact(r, board, -1, at, tw_vec3(0, 0, 1), 0, shape, NULL);
        else
            rig_contact(r, dish, board, at, tw_vec3(0, 0, 1), 0, NULL, shape);
    }
    free(shape);
    rig_gravity(r, tw_vec3(0, 0, -9.81));
    return r;
}
