// SPDX-License-Identifier: MIT
#pragma once
#include "scratch.h"
#include "twang/bake.h"

/// @file
/// What the tests of baking share: a small tet file of two regions. The test defines _XOPEN_SOURCE 700.

// A bar along x of 1 m, in two regions that meet in the middle. @return its path
static inline const char* write_bar(int cells)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const char* path = in_folder("bar.msh");
    FILE* file = fopen(path, "w");
    if (!file) abort();
    fprintf(file,
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 3 \"skin\"\n3 3 \"handle\"\n"
            "3 8 \"soft head\"\n$EndPhysicalNames\n$Nodes\n%d\n",
            4 * (cells + 1));
    for (int i = 0; i <= cells; i++)
        for (int j = 0; j < 4; j++)
            fprintf(file, "%d %.17g %g %g\n", 4 * i + j + 1, (double)i / cells, 0.05 * (j & 1), 0.05 * (j >> 1));
    fprintf(file, "$EndNodes\n$Elements\n%d\n", 6 * cells);
    for (int i = 0; i < cells; i++)
        for (int k = 0; k < 6; k++)
        {
            // from corner to corner along the axes in each order
            int at[3] = {i, 0, 0};
            fprintf(file, "%d 4 2 %d 1 %d", 6 * i + k + 1, 2 * i < cells ? 3 : 8, 4 * i + 1);
            for (int n = 0; n < 3; n++)
            {
                at[order[k][n]]++;
                fprintf(file, " %d", 4 * at[0] + at[1] + 2 * at[2] + 1);
            }
            fprintf(file, "\n");
        }
    fprintf(file, "$EndElements\n");
    if (fclose(file) != 0) abort();
    return path;
}

static inline twBakeRegion region_of(const char* where, twMaterial material)
{
    twBakeRegion region = {.material = material};
    if (tw_part_parse(&region.part, where, NULL) != TW_OK) abort();
    return region;
}
