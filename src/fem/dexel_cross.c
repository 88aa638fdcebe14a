// SPDX-License-Identifier: MIT
// dexel_cross: which cells the faces of a surface cross, and how they face the axes in them.
#include "fem/dexel_run.h"

enum
{
    DEXEL_CORNERS = 12  // of a triangle clipped by six planes, and some to spare
};

// the part of a polygon on one side of the plane x_axis = at
static int dexel_clip(const twVec3* in, int count, int axis, double at, bool above, twVec3* out)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
    {
        const twVec3 a = in[i], b = in[(i + 1) % count];
        double da = dexel_axis_of(a, axis) - at, db = dexel_axis_of(b, axis) - at;
        if (!above) da = -da, db = -db;
        if (da >= 0) out[kept++] = a;
        if ((da > 0 && db < 0) || (da < 0 && db > 0))
            out[kept++] = tw_vec3_add_scaled(a, tw_vec3_sub(b, a), da / (da - db));
    }
    return kept;
}

static int dexel_clip_slab(const twVec3* in, int count, int axis, int at, twVec3* out)
{
    twVec3 half[DEXEL_CORNERS];
    const int kept = dexel_clip(in, count, axis, at, true, half);
    return kept < 3 ? 0 : dexel_clip(half, kept, axis, at + 1, false, out);
}

// a face that stands along the rays of other axes
void dexel_note_steep(DexelCell* cell, const int at[3], const twVec3* polygon, int count, int axis, double area)
{
    if (cell->steep[axis] == 0) cell->low[axis] = 1, cell->high[axis] = 0;
    cell->steep[axis] += area;
    for (int i = 0; i < count; i++)
    {
        cell->low[axis] = fmin(cell->low[axis], dexel_axis_of(polygon[i], axis) - at[axis]);
        cell->high[axis] = fmax(cell->high[axis], dexel_axis_of(polygon[i], axis) - at[axis]);
    }
}

static void dexel_cross(DexelCell* cell, const int at[3], const twVec3* polygon, int count)
{
    const double facing = 0.98;  // cosine to the axis
    twVec3 area = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++)
        area = tw_vec3_add(area,
                           tw_vec3_cross(tw_vec3_sub(polygon[i], polygon[0]), tw_vec3_sub(polygon[i + 1], polygon[0])));
    const double size = tw_vec3_norm(area);
    cell->crossed = true;
    for (int x = 0; x < 3 && size > 0; x++)
    {
        const double part = dexel_axis_of(area, x);
        cell->area[x] += part * part / size;
        if (fabs(part) > facing * size) dexel_note_steep(cell, at, polygon, count, x, 0.5 * size);
    }
}

// a new cell at a place of this level; NULL: none
DexelCell* dexel_new_cell(const DexelRun* run, const int at[3])
{
    const int c = cell_tree_at(run->tree, run->level, at);
    return c >= run->first ? &run->cells[c - run->first] : NULL;
}

// places along an axis that a polygon reaches
void dexel_reach(const twVec3* polygon, int count, int axis, int* low, int* high)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < count; i++)
    {
        least = fmin(least, dexel_axis_of(polygon[i], axis));
        most = fmax(most, dexel_axis_of(polygon[i], axis));
    }
    *low = dexel_floor(least);
    *high = dexel_floor(most);
}

static void dexel_cross_column(DexelRun* run, int at[3], const twVec3* polygon, int count)
{
    int high;
    twVec3 inside[DEXEL_CORNERS];
    for (dexel_reach(polygon, count, 2, &at[2], &high); at[2] <= high; at[2]++)
    {
        DexelCell* cell = dexel_new_cell(run, at);
        const int kept = cell ? dexel_clip_slab(polygon, count, 2, at[2], inside) : 0;
        if (kept >= 3) dexel_cross(cell, at, inside, kept);
    }
}

void dexel_cross_face(DexelRun* run, const twVec3 corner[3])
{
    int at[3], high[2];
    twVec3 x[DEXEL_CORNERS], xy[DEXEL_CORNERS];
    for (dexel_reach(corner, 3, 0, &at[0], &high[0]); at[0] <= high[0]; at[0]++)
    {
        const int nx = dexel_clip_slab(corner, 3, 0, at[0], x);
        if (nx < 3) continue;
        for (dexel_reach(x, nx, 1, &at[1], &high[1]); at[1] <= high[1]; at[1]++)
        {
            const int ny = dexel_clip_slab(x, nx, 1, at[1], xy);
            if (ny >= 3) dexel_cross_column(run, at, xy, ny);
        }
    }
}
