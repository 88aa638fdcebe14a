// SPDX-License-Identifier: MIT
// dexel_: integration over cells that a surface cuts.
//
// Per cell the axis d is chosen that the surface in it faces most (greatest sum of area * n_d^2). Along d rays r x r run
// through Gauss points (u, v) of the cell's square, with weights omega. A ray is inside the body where it has entered more
// often than left, so overlapping shells are united. Each interval [a, b] inside adds
//     w_ijk += omega l_i(u) l_j(v) (Z_k(b) - Z_k(a)),   l_i Lagrange polynomials of the cell's Gauss points, Z their integrals
// to the weights of the cell's q^3 Gauss points, which then give the integral of any product of two functions. Every
// integral is one over an actual set, so matrices stay positive whatever the sampling error (integration by the divergence
// theorem, face by face, does not have this).
//
// The surface of held parts is integrated by points where rays cross it: a point with the normal n belongs to the axis of
// the largest |n_d|, so that rays along this axis weigh it by 1/|n_d| <= sqrt(3).
#include "fem/dexel_run.h"
#include <string.h>

static void dexel_choose_axes(DexelRun* run)
{
    for (int c = run->first; c < run->tree->count; c++)
    {
        DexelCell* info = &run->cells[c - run->first];
        if (run->tree->cells[c].level != run->level) continue;
        if (run->body->part_count > 0) dexel_touch_parts(run, &run->tree->cells[c], info);
        const double* a = info->area;
        info->axis = 2;
        if (a[0] >= a[1] && a[0] >= a[2] && a[0] > 0)
            info->axis = 0;
        else if (a[1] >= a[2] && a[1] > 0)
            info->axis = 1;
    }
}

static twStatus dexel_run_level(DexelRun* run, twError* err)
{
    run->scale = ldexp(1, run->level);
    for (int f = 0; f < run->body->face_count; f++)
    {
        twVec3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = tw_vec3_scale(run->body->corners[f][k], run->scale);
        dexel_cross_face(run, corner);
    }
    dexel_choose_axes(run);
    twStatus status = TW_OK;
    for (int axis = 0; axis < 3 && status == TW_OK; axis++) status = dexel_run_axis(run, axis, err);
    tw_table_clear(&run->columns);
    return status;
}

// kinds of the new cells, from what the rays found
static void dexel_finish(CellTree* tree, int first)
{
    const double least = 1e-6;  // fractions below are no matter
    for (int c = first; c < tree->count; c++)
    {
        Cell* cell = &tree->cells[c];
        if (cell->kind == CELL_FULL)
            cell->fraction = 1;
        else
            cell->kind = cell->fraction > least ? CELL_CUT : CELL_EMPTY;
    }
}

twStatus dexel_integrate(CellTree* tree, int first, const Trunk* trunk, DexelBody* body, twError* err)
{
    const size_t count = (size_t)(tree->count - first) + 1;
    DexelRun run = {.tree = tree, .trunk = trunk, .body = body, .first = first};
    run.cells = calloc(count, sizeof *run.cells);
    run.column = malloc(count * sizeof *run.column);
    bool present[CELL_LEVELS_MAX + 1] = {false};
    for (int c = first; c < tree->count; c++) present[tree->cells[c].level] = true;
    twStatus status = run.cells && run.column ? TW_OK : dexel_no_memory(err);
    for (run.level = 0; run.level <= CELL_LEVELS_MAX && status == TW_OK; run.level++)
        if (present[run.level]) status = dexel_run_level(&run, err);
    if (status == TW_OK) status = dexel_find_parts(&run, err);
    if (status == TW_OK) dexel_finish(tree, first);
    free(run.pieces);
    free(run.cells);
    free(run.column);
    free(run.lines);
    free(run.hits);
    return status;
}
