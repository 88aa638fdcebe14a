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

int dexel_facing_axis(const double area[3])
{
    if (area[0] >= area[1] && area[0] >= area[2] && area[0] > 0) return 0;
    return area[1] >= area[2] && area[1] > 0 ? 1 : 2;
}

static void dexel_choose_axes(DexelRun* run)
{
    for (int c = run->first; c < run->end; c++)
    {
        DexelCell* info = &run->cells[c - run->first];
        if (run->tree->cells[c].level != run->level) continue;
        if (run->body->part_count > 0) dexel_touch_parts(run, &run->tree->cells[c], info);
        info->axis = (signed char)dexel_facing_axis(info->area);
    }
}

static twStatus dexel_find_patches(DexelRun* run, twError* err)
{
    run->face_count = run->piece_count = 0;
    for (int f = 0; f < run->body->face_count; f++)
    {
        const twStatus status = dexel_watch(run, (size_t)f, err);
        if (status != TW_OK) return status;
        if (!dexel_cross_face(run, f)) return dexel_no_memory(err);
    }
    int* patch = realloc(run->patch, (run->face_count + 1) * sizeof *patch);
    if (!patch) return dexel_no_memory(err);
    run->patch = patch;
    if (!dexel_sort_faces(run)) return dexel_no_memory(err);
    dexel_join_faces(run);
    return TW_OK;
}

static twStatus dexel_run_level(DexelRun* run, twError* err)
{
    run->scale = ldexp(1, run->level);
    run->line_count = 0;
    twStatus status = dexel_find_patches(run, err);
    if (status == TW_OK) dexel_choose_axes(run);
    for (int pass = 0; pass < 2 && status == TW_OK; pass++)
    {
        run->second = pass > 0;
        if (run->second) dexel_choose_open(run);
        for (int axis = 0; axis < 3 && status == TW_OK; axis++) status = dexel_run_axis(run, axis, err);
    }
    tw_table_clear(&run->columns);
    return status == TW_OK ? dexel_make_fragments(run, err) : status;
}

twStatus dexel_integrate(CellTree* tree, int first, const Trunk* trunk, DexelBody* body, twError* err)
{
    const size_t count = (size_t)(tree->count - first) + 1;
    DexelRun run = {.tree = tree, .trunk = trunk, .body = body, .first = first, .end = tree->count};
    run.cells = calloc(count, sizeof *run.cells);
    run.column = malloc(count * sizeof *run.column);
    bool present[CELL_LEVELS_MAX + 1] = {false};
    for (int c = first; c < run.end; c++) present[tree->cells[c].level] = true;
    for (int c = first; c < run.end && run.cells; c++)
        for (int x = 0; x < 3; x++) run.cells[c - first].line[x] = -1;
    twStatus status = run.cells && run.column ? TW_OK : dexel_no_memory(err);
    for (run.level = 0; run.level <= CELL_LEVELS_MAX && status == TW_OK; run.level++)
        if (present[run.level]) status = dexel_run_level(&run, err);
    void* const blocks[] = {run.pieces, run.cells, run.column, run.lines, run.hits, run.faces, run.patch};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    return status;
}
