// SPDX-License-Identifier: MIT
// The octree under the lattice. All cells within a margin of the surface are of the finest size, so that only regular
// tets are cut (Labelle & Shewchuk 2007, section 4). Inside, a cell of edge s may stay whole at depth
//   (s - a)/(g - 1)
// below the margin, a being the finest edge and g the growth per layer. Outside cells stay as large as they can.
// Neighbours across faces and edges differ by one level at most.
#include "fill.h"
#include <stdlib.h>

static const double MARGIN = 1.3;  // in finest edges: tets of larger cells then lie clear of the surface, warp included

twStatus fill_progress(const FillProgress* progress, double done, twError* err)
{
    double whole = progress->from + done * (progress->to - progress->from);
    if (!progress->keep_going || progress->keep_going(whole, progress->context)) return TW_OK;
    return tw_fail(err, TW_INTERRUPTED, "fill: stopped at %.0f %%", 100 * whole);
}

static double edge_of(const FillOctree* octree)  // the longest finest edge
{
    return 2 * fmax(octree->step.x, fmax(octree->step.y, octree->step.z));
}

static twVec3 centre_of(const FillOctree* octree, const FillCell* cell)
{
    int half = fill_cell_size(octree, cell) / 2;
    return fill_octree_point(octree, cell->x + half, cell->y + half, cell->z + half);
}

static double radius_of(const FillOctree* octree, const FillCell* cell)
{
    return 0.5 * fill_cell_size(octree, cell) * tw_vec3_norm(octree->step);
}

// Near a hole the sign may change away from the surface too. There w and 1 - w are harmonic and positive, so by Harnack's
// inequality the smaller one, u, grows within s d of the centre at most to u (1 + s)/(1 - s)^2, d being the distance to
// the surface; the sign holds until that is 1/2.
static double open_reach(FillProbe probe)
{
    double u = 0.5 - fabs(probe.level);
    if (u <= 0) return probe.distance;
    double k = 0.5 / u;
    return probe.distance * (2 * k + 1 - sqrt(8 * k + 1)) / (2 * k);
}

// the field at the centre; the sign comes from the parent if the empty balls around both overlap
static void evaluate(FillOctree* octree, const FillField* field, FillCell* cell, const FillCell* parent)
{
    twVec3 centre = centre_of(octree, cell);
    FillProbe probe = {.distance = fill_field_distance(field, centre, NULL)};
    double clear = parent ? parent->reach + (field->closed ? probe.distance : 0) : 0;
    if (clear > 1.001 * radius_of(octree, cell))
        probe.level = parent->value > 0 ? 0.5 : -0.5;
    else
        probe.level = fill_field_level(field, centre);
    if (fabs(probe.level) > 0.6) octree->overlaps = true;
    cell->value = fill_field_combine(field, centre, probe);
    cell->reach = field->closed ? probe.distance : open_reach(probe);
}

static bool wants_split(const FillOctree* octree, const FillCell* cell)
{
    if (cell->level >= octree->depth) return false;
    double a = edge_of(octree), radius = radius_of(octree, cell);
    double clear = cell->reach - radius - MARGIN * a;
    if (clear < 0) return true;
    if (cell->value < 0) return false;
    // inside: how large may it be at this depth?
    double s = a * (1 << (octree->depth - cell->level));
    return octree->growth <= 1 || clear * (octree->growth - 1) < s - a;
}

static twStatus split(FillOctree* octree, const FillField* field, int index, twError* err)
{
    if (octree->count + 8 > octree->limit)
        return tw_fail(err, TW_BAD_INPUT,
                       "fill: the lattice needs more than %d cells: take a larger spacing or raise max_tets",
                       octree->limit);
    if (!fill_reserve((void**)&octree->cells, &octree->capacity, octree->count + 8, sizeof *octree->cells))
        return tw_fail(err, TW_NO_MEMORY, "fill: no memory for %d cells", octree->count + 8);
    FillCell* parent = &octree->cells[index];
    int half = fill_cell_size(octree, parent) / 2;
    parent->child = octree->count;
    for (int k = 0; k < 8; k++)
    {
        FillCell cell = {.x = parent->x + (k & 1 ? half : 0),
                         .y = parent->y + (k & 2 ? half : 0),
                         .z = parent->z + (k & 4 ? half : 0),
                         .child = -1,
                         .level = parent->level + 1};
        evaluate(octree, field, &cell, parent);
        octree->cells[octree->count++] = cell;
    }
    return TW_OK;
}

int fill_octree_leaf(const FillOctree* octree, int x, int y, int z)
{
    int size = 2 << octree->depth;
    if (x < 0 || y < 0 || z < 0 || x >= size || y >= size || z >= size) return -1;
    int index = 0;
    while (octree->cells[index].child >= 0)
    {
        const FillCell* cell = &octree->cells[index];
        int half = fill_cell_size(octree, cell) / 2;
        int k = (x >= cell->x + half) | (y >= cell->y + half) << 1 | (z >= cell->z + half) << 2;
        index = cell->child + k;
    }
    return index;
}

// split the neighbours of a leaf that are more than twice as large. @return whether any was, in *changed
static twStatus balance_leaf(FillOctree* octree, const FillField* field, int index, bool* changed, twError* err)
{
    FillCell cell = octree->cells[index];
    int size = fill_cell_size(octree, &cell);
    for (int k = 0; k < 27; k++)
    {
        int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        int steps = abs(d[0]) + abs(d[1]) + abs(d[2]);
        if (steps != 1 && steps != 2) continue;
        for (;;)
        {
            int other =
                fill_octree_leaf(octree, cell.x + 1 + d[0] * size, cell.y + 1 + d[1] * size, cell.z + 1 + d[2] * size);
            if (other < 0 || octree->cells[other].level >= cell.level - 1) break;
            twStatus status = split(octree, field, other, err);
            if (status != TW_OK) return status;
            *changed = true;
        }
    }
    return TW_OK;
}

// children made on the way come later in the array; earlier leaves may be unbalanced by them, hence rounds
static twStatus balance(FillOctree* octree, const FillField* field, twError* err)
{
    bool changed = true;
    for (int round = 0; changed && round <= octree->depth; round++)
    {
        changed = false;
        for (int i = 0; i < octree->count; i++)
        {
            if (octree->cells[i].child >= 0) continue;
            twStatus status = balance_leaf(octree, field, i, &changed, err);
            if (status != TW_OK) return status;
        }
    }
    return TW_OK;
}

twStatus fill_octree_build(FillOctree* octree, const FillField* field, const FillProgress* progress, twError* err)
{
    if (!fill_reserve((void**)&octree->cells, &octree->capacity, 1024, sizeof *octree->cells))
        return tw_fail(err, TW_NO_MEMORY, "fill: no memory for cells");
    FillCell root = {.child = -1};
    evaluate(octree, field, &root, NULL);
    octree->cells[0] = root;
    octree->count = 1;
    for (int i = 0; i < octree->count; i++)
    {
        if (!wants_split(octree, &octree->cells[i])) continue;
        twStatus status = split(octree, field, i, err);
        if (status == TW_OK && i % 256 == 0) status = fill_progress(progress, (double)i / octree->count, err);
        if (status != TW_OK) return status;
    }
    return balance(octree, field, err);
}

void fill_octree_free(FillOctree* octree)
{
    free(octree->cells);
    *octree = (FillOctree){0};
}
