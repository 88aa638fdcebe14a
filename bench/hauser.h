// SPDX-License-Identifier: MIT
#pragma once
#include "../test/grid.h"

/// @file
/// Table 1 of Hauser, Shen and O'Brien 2003, the time of modal decomposition, and boxes of linear elements with about as many tets.

typedef struct HauserModel
{
    const char* name;
    Grid grid;
    int modes;
    double seconds;  ///< theirs
} HauserModel;

static const HauserModel hauser_models[] = {
    {"hauser2003_brain_997", {{11, 5, 3}, false, grid_box, {0.2, 0.1, 0.06}, false}, 40, 68.5},
    {"hauser2003_dodo_295", {{7, 7, 1}, false, grid_box, {0.2, 0.2, 0.05}, false}, 40, 6.2},
    {"hauser2003_bunny_15507", {{11, 11, 21}, false, grid_box, {0.1, 0.1, 0.19}, false}, 32, 1440},
    {"hauser2003_sphere_282", {{4, 4, 3}, false, grid_box, {0.1, 0.1, 0.1}, false}, 40, 2.9},
    {"hauser2003_sheet_486", {{9, 9, 1}, false, grid_box, {0.2, 0.2, 0.01}, false}, 20, 14.4},
    {"hauser2003_bat_1030", {{43, 2, 2}, false, grid_box, {0.8, 0.05, 0.05}, false}, 20, 68.9},
};

enum
{
    HAUSER_MODELS = sizeof hauser_models / sizeof *hauser_models
};
