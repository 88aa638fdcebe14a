// SPDX-License-Identifier: MIT
// dexel_patch: faces of the surface in a cell that hang together there: they share an edge that passes through it. The matter
// just behind a patch is one piece.
#include "fem/dexel_run.h"
#include "mesh/edges.h"

int dexel_face_in(const DexelRun* run, const DexelCell* cell, int face)
{
    size_t low = cell->face, high = cell->face + (size_t)cell->faces;
    while (low < high)
    {
        const size_t middle = (low + high) / 2;
        if (run->faces[middle].face < face)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cell->face + (size_t)cell->faces && run->faces[low].face == face ? (int)low : -1;
}

// whether the side of a face passes through a cell
static bool patch_meets_side(const DexelRun* run, const Cell* cell, int face, int side)
{
    const double near = 1e-9;  // of a cell: round-off
    const twVec3 a = tw_vec3_scale(run->body->corners[face][side], run->scale),
                 b = tw_vec3_scale(run->body->corners[face][(side + 1) % 3], run->scale);
    double from = 0, to = 1;
    for (int x = 0; x < 3; x++)
    {
        const double start = dexel_axis_of(a, x) - cell->at[x], way = dexel_axis_of(b, x) - dexel_axis_of(a, x);
        if (way == 0 && (start < -near || start > 1 + near)) return false;
        if (way == 0) continue;
        const double low = (-near - start) / way, high = (1 + near - start) / way;
        from = fmax(from, fmin(low, high));
        to = fmin(to, fmax(low, high));
    }
    return from <= to;
}

static void patch_join_sides(DexelRun* run, int index)
{
    const DexelFace* of = &run->faces[index];
    const Cell* cell = &run->tree->cells[run->first + of->cell];
    for (int side = 0; side < 3; side++)
        for (int use = run->body->beside[of->face][side]; use / 3 != of->face;
             use = run->body->beside[use / 3][use % 3])
        {
            const int other = use / 3 < of->face ? dexel_face_in(run, &run->cells[of->cell], use / 3) : -1;
            if (other < 0 || !patch_meets_side(run, cell, of->face, side)) continue;
            tw_union_join(run->patch, index, other);
        }
}

static int patch_count(const DexelRun* run, const DexelCell* cell)
{
    int count = 0;
    for (int i = 0; i < cell->faces; i++) count += run->patch[cell->face + (size_t)i] == (int)cell->face + i;
    return count;
}

void dexel_join_faces(DexelRun* run)
{
    for (size_t i = 0; i < run->face_count; i++) run->patch[i] = (int)i;
    for (size_t i = 0; i < run->face_count; i++) patch_join_sides(run, (int)i);
    for (int c = 0; c < run->end - run->first; c++)
        if (run->tree->cells[run->first + c].level == run->level)
            run->cells[c].patched = patch_count(run, &run->cells[c]) > 1;
}

void dexel_choose_open(DexelRun* run)
{
    for (int c = 0; c < run->end - run->first; c++)
    {
        DexelCell* cell = &run->cells[c];
        if (run->tree->cells[run->first + c].level != run->level || !cell->patched) continue;
        cell->all_axes = cell->touches_held || patch_count(run, cell) > 1;
    }
}
