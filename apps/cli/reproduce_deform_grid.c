// SPDX-License-Identifier: MIT
// Bodies of a grid of cells, mapped: as many elements as are wanted, no mesher in between.

#include "reproduce_deform.h"

twVec3 deform_ball(twVec3 u)
{
    const twVec3 p = tw_vec3(2 * u.x - 1, 2 * u.y - 1, 2 * u.z - 1);
    const double far = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
    return far > 0 ? tw_vec3_scale(tw_vec3_normalize(p), 0.1 * far) : p;
}

twVec3 deform_sheet(twVec3 u) { return tw_vec3(0.6 * u.x, 0.6 * u.y, 0.02 * u.z); }

// squares become circles
twVec3 deform_bat(twVec3 u)
{
    const double x = 2 * u.x - 1, y = 2 * u.y - 1, far = fmax(fabs(x), fabs(y));
    const double round = hypot(x, y) > 0 ? far / hypot(x, y) : 1, radius = 0.012 + 0.021 * u.z * u.z;
    return tw_vec3(radius * round * x, radius * round * y, 0.8 * u.z);
}

twVec3 deform_block(twVec3 u) { return tw_vec3(0.3 * u.x, 0.1 * u.y, 0.1 * u.z); }

static int node_at(const int cells[3], const int at[3])
{
    return (at[2] * (cells[1] + 1) + at[1]) * (cells[0] + 1) + at[0];
}

// the six paths along the edges of a cell from its first corner to its last
static void cut_cell(twTet tets[6], const int cells[3], const int cell[3])
{
    static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    for (int way = 0; way < 6; way++)
    {
        int at[3] = {cell[0], cell[1], cell[2]}, n[4];
        n[0] = node_at(cells, at);
        for (int i = 0; i < 3; i++)
        {
            at[axes[way][i]]++;
            n[i + 1] = node_at(cells, at);
        }
        // the last three run the other way round
        const bool turned = way >= 3;
        tets[way] = (twTet){{n[0], n[turned ? 2 : 1], n[turned ? 1 : 2], n[3]}};
    }
}

twStatus deform_grid(twTetMesh** out, const int cells[3], DeformMap map, twError* err)
{
    const int nodes = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1), boxes = cells[0] * cells[1] * cells[2];
    const twStatus status = tw_tets_create(out, nodes, 6 * boxes, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < nodes; i++)
    {
        const int x = i % (cells[0] + 1), y = i / (cells[0] + 1) % (cells[1] + 1);
        const int z = i / ((cells[0] + 1) * (cells[1] + 1));
        (*out)->nodes[i] = map(tw_vec3((double)x / cells[0], (double)y / cells[1], (double)z / cells[2]));
    }
    for (int i = 0; i < boxes; i++)
    {
        const int cell[3] = {i % cells[0], i / cells[0] % cells[1], i / (cells[0] * cells[1])};
        cut_cell((*out)->tets + 6 * (size_t)i, cells, cell);
    }
    return TW_OK;
}

twMaterial deform_rubber(double young)
{
    return (twMaterial){.name = "rubber", .density = 1000, .young = young, .poisson = 0.4};
}
