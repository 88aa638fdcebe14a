// SPDX-License-Identifier: MIT
// Filling a surface with tets: choose the lattice, stuff it, tidy up. The number of tets is about
//   12 V/a^3 + 2 A/a^2
// for volume V, area A and lattice edge a: twelve tets per cubic cell, and what cutting adds at the surface.
#include "fill.h"
#include <stdlib.h>
#include <string.h>

enum
{
    DEEPEST = 18,  // levels of the octree: coordinates fit 21 bits
    MOST_TETS = 50000000,
};
static const double COARSEST = 1.0 / 12;  // automatic lattice edge, of the size
static const double CELLS_THROUGH = 2;    // wanted through the thinnest wall; one must do
static const double USUAL_SHARE = 0.5;    // of the median wall that a cell may measure
static const double SNAP_QUALITY[] = {0.15, 0.08, 0.03};
static const double POOR = 0.25;       // tets worse than this are smoothed after snapping
static const double MOST_OPEN = 0.25;  // of the boundary: what is inside is a guess beyond

twFillDef tw_fill_def(void) { return (twFillDef){.interior_growth = 1, .stretch = 1, .max_tets = 200000}; }

typedef struct Filler
{
    const twFillDef* def;
    FillFrame frame;
    FillField field;
    FillOctree octree;
    FillLattice lattice;
    FillCuts cuts;
    FillFeatures features;
    FillShape shape;
    FillMesh mesh;
    FillWalls walls;  // as the cells see them
    double thinnest;  // wall as it is, in units of the size
    double spacing;   // longest edge of the pressed lattice
    double longest;   // longest edge, in units of the size
    int pieces, dropped;
    double open;  // part of the boundary over holes
} Filler;

static FillProgress part(const Filler* filler, double from, double to)
{
    return (FillProgress){filler->def->keep_going, filler->def->context, from, to};
}

// ---- choice of the lattice ----

// about how many tets a cell makes; with growth, those deeper than four cells are eight times as large
static double count_tets(const Filler* filler, const double steps[3])
{
    double volume = fabs(filler->frame.volume), area = filler->frame.area, cell = steps[0] * steps[1] * steps[2];
    double a = cbrt(cell), shell = filler->def->interior_growth > 1 ? fmin(volume, 4 * a * area) : volume;
    return 12 * (shell + (volume - shell) / 8) / cell + 2 * area / (a * a);
}

static twStatus too_many(const Filler* filler, double a, double tets, twError* err)
{
    double size = filler->frame.size;
    return tw_fail(
        err, TW_NO_MEMORY,
        "fill: a lattice of %.4g m makes about %.0f tets, more than max_tets %d (walls are %.4g m thick, the "
        "surface has a diagonal of %.4g m): raise max_tets, take a larger spacing or thicken the walls",
        a * size, tets, filler->def->max_tets, filler->thinnest * size, size);
}

// Edges along the axes, at most a, such that flat ends fall on the lattice. A little smaller may fit several axes better:
// weigh stretch against size.
static void fit_steps(const FillFrame* frame, double a, double steps[3])
{
    const double extents[3] = {frame->high.x - frame->low.x, frame->high.y - frame->low.y,
                               frame->high.z - frame->low.z};
    double least_cost = INFINITY;
    for (int i = 0; i <= 50; i++)
    {
        double base = a * (1 - 0.005 * i), trial[3], low = INFINITY, high = 0;
        for (int k = 0; k < 3; k++)
        {
            trial[k] = frame->flat[k] ? extents[k] / fmax(1, ceil(extents[k] / base - 1e-4)) : 0;
            if (trial[k] > 0) low = fmin(low, trial[k]);
            high = fmax(high, trial[k]);
        }
        // axes without flat ends follow the others
        for (int k = 0; k < 3; k++)
            if (trial[k] == 0) trial[k] = high > 0 ? high : base;
        double cost = (high > 0 ? high / low : 1) - 0.7 * fmin(low, base) / a;
        if (cost >= least_cost) continue;
        least_cost = cost;
        memcpy(steps, trial, sizeof trial);
    }
}

// Lattice edges along the axes: as asked, or the finest that max_tets allows, but not finer than needed. Where that is
// too coarse for the thinnest wall it may still do if most walls are much thicker, as on a body with a few thin ridges.
static twStatus choose_steps(const Filler* filler, double steps[3], twError* err)
{
    const double slack = 0.8;  // the count is an estimate
    double most = filler->def->max_tets, asked = filler->def->spacing / filler->frame.size;
    if (asked > 0)
    {
        // the true number is checked in the end
        fit_steps(&filler->frame, asked, steps);
        double tets = count_tets(filler, steps);
        return tets > 2 * most ? too_many(filler, asked, tets, err) : TW_OK;
    }
    double wall = 1.0001 * fmax(filler->walls.thinnest, USUAL_SHARE * filler->walls.usual);
    double a = fmin(filler->walls.thinnest / CELLS_THROUGH, COARSEST);
    for (bool last = false; !last; a *= 1.02)
    {
        last = a >= wall;
        fit_steps(&filler->frame, fmin(a, wall), steps);
        if (count_tets(filler, steps) <= slack * most) return TW_OK;
    }
    return too_many(filler, wall, count_tets(filler, steps) / slack, err);
}

static twStatus set_lattice(Filler* filler, twError* err)
{
    enum
    {
        MARGIN = 3  // cells around the surface on either side
    };
    const FillFrame* frame = &filler->frame;
    FillOctree* octree = &filler->octree;
    double steps[3], low[3], high[3], origin[3], cells = 0;
    memcpy(low, &frame->low, sizeof low);
    memcpy(high, &frame->high, sizeof high);
    twStatus status = choose_steps(filler, steps, err);
    if (status != TW_OK) return status;
    filler->spacing = fmax(steps[0], fmax(steps[1], steps[2]));
    filler->longest = fmax(steps[0] * frame->stretch.x, fmax(steps[1] * frame->stretch.y, steps[2] * frame->stretch.z));
    filler->field.cell = fmin(steps[0], fmin(steps[1], steps[2]));
    for (int k = 0; k < 3; k++) cells = fmax(cells, ceil((high[k] - low[k]) / steps[k] - 1e-4) + 2 * MARGIN);
    while (octree->depth <= DEEPEST && (1 << octree->depth) < cells) octree->depth++;
    if (octree->depth > DEEPEST)
        return tw_fail(err, TW_BAD_INPUT, "fill: a spacing of %g m is too fine for a surface with a diagonal of %g m",
                       filler->spacing * frame->size, frame->size);
    for (int k = 0; k < 3; k++)
    {
        int whole = 1 << octree->depth;
        double across = ceil((high[k] - low[k]) / steps[k] - 1e-4);
        // a flat end lies on the lattice, anything else has its middle on a lattice point
        origin[k] = frame->flat[k] ? low[k] - floor((whole - across) / 2) * steps[k]
                                   : 0.5 * (low[k] + high[k]) - whole / 2 * steps[k];
    }
    octree->origin = tw_vec3(origin[0], origin[1], origin[2]);
    octree->step = tw_vec3(steps[0] / 2, steps[1] / 2, steps[2] / 2);
    octree->growth = filler->def->interior_growth;
    octree->limit = 20000 + 8 * (filler->def->max_tets < MOST_TETS ? filler->def->max_tets : MOST_TETS);
    return TW_OK;
}

// ---- stages ----

// press the surface together where cells may be long
static twStatus stretch(Filler* filler, twError* err)
{
    FillFrame* frame = &filler->frame;
    twVec3 by = fill_walls_stretch(&filler->walls, tw_vec3_sub(frame->high, frame->low), filler->def->stretch);
    if (by.x == 1 && by.y == 1 && by.z == 1) return TW_OK;
    fill_frame_stretch(frame, by);
    fill_walls_measure(&filler->walls, by);
    tw_winding_destroy(filler->field.winding);
    return tw_winding_create(&filler->field.winding, frame->mesh, err);
}

static twStatus prepare(Filler* filler, const twMesh* surface, twError* err)
{
    twStatus status = fill_frame_create(&filler->frame, surface, err);
    if (status == TW_OK) status = fill_field_create(&filler->field, &filler->frame, err);
    if (status != TW_OK) return status;
    fill_walls_find(&filler->walls, &filler->field);
    filler->thinnest = filler->walls.thinnest;
    status = fill_walls_check(&filler->walls, &filler->frame, err);
    return status == TW_OK ? stretch(filler, err) : status;
}

static twStatus stuff(Filler* filler, twError* err)
{
    FillProgress cells = part(filler, 0.1, 0.35), vertices = part(filler, 0.35, 0.5), cuts = part(filler, 0.5, 0.85);
    twStatus status = fill_octree_build(&filler->octree, &filler->field, &cells, err);
    filler->field.simple = filler->field.closed && !filler->octree.overlaps;
    if (status == TW_OK) status = fill_lattice_build(&filler->lattice, &filler->octree, &filler->field, &vertices, err);
    if (status == TW_OK)
        status = fill_warp(&filler->cuts, &filler->lattice, &filler->octree, &filler->field, &cuts, err);
    fill_octree_free(&filler->octree);
    if (status == TW_OK) status = fill_stuff(&filler->mesh, &filler->lattice, &filler->cuts, &filler->field, err);
    fill_cuts_free(&filler->cuts);
    fill_lattice_free(&filler->lattice);
    if (status == TW_OK && filler->mesh.tet_count > filler->def->max_tets)
        return too_many(filler, filler->spacing, filler->mesh.tet_count, err);
    if (status == TW_OK) status = fill_pieces(&filler->mesh, &filler->pieces, &filler->dropped, err);
    if (status != TW_OK || filler->mesh.tet_count > 0) return status;
    return tw_fail(
        err, TW_BAD_INPUT,
        "fill: nothing is inside at a spacing of %.4g m (walls are %.4g m thick): take a smaller spacing, or "
        "close the surface",
        filler->longest * filler->frame.size, filler->thinnest * filler->frame.size);
}

// A boundary that is mostly none of the surface's is no body anyone meant: a bowl without thickness would come out as
// half a ball.
static twStatus check_open(Filler* filler, twError* err)
{
    filler->open = fill_shape_open(&filler->shape);
    if (filler->open <= MOST_OPEN) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "fill: the surface is open: %.0f %% of the outside of what it encloses would be a guess; close its "
                   "holes, or give it a thickness if it is a thin shell",
                   100 * filler->open);
}

// what still cuts across sharp edges; a change may make way for another
static twStatus mend_dents(Filler* filler, twError* err)
{
    enum
    {
        MOST_ROUNDS = 8
    };
    twStatus status = TW_OK;
    bool changed = true;
    for (int i = 0; status == TW_OK && changed && i < MOST_ROUNDS; i++)
    {
        status = fill_dents(&filler->shape, &changed, err);
        if (status != TW_OK || !changed) break;
        fill_shape_free(&filler->shape);
        status = fill_shape_create(&filler->shape, &filler->mesh, &filler->field, &filler->features, err);
        if (status == TW_OK) fill_smooth(&filler->shape, POOR, 1);
    }
    return status;
}

// nodes onto sharp edges, then to better places; three times, each less demanding
static twStatus sharpen(Filler* filler, twError* err)
{
    twStatus status =
        fill_features_create(&filler->features, filler->frame.mesh, filler->field.cell, filler->frame.area, err);
    if (status == TW_OK)
        status = fill_shape_create(&filler->shape, &filler->mesh, &filler->field, &filler->features, err);
    if (status == TW_OK) status = check_open(filler, err);
    int rounds = filler->features.segment_count > 0 ? sizeof SNAP_QUALITY / sizeof SNAP_QUALITY[0] : 1;
    for (int i = 0; status == TW_OK && i < rounds; i++)
    {
        FillProgress progress = part(filler, 0.85, 1);
        fill_snap(&filler->shape, SNAP_QUALITY[i]);
        fill_smooth(&filler->shape, POOR, 2);
        status = fill_progress(&progress, (i + 1.0) / rounds, err);
    }
    return status == TW_OK && filler->features.segment_count > 0 ? mend_dents(filler, err) : status;
}

// back to the surface's own coordinates
static twStatus hand_over(twTetMesh** out, const Filler* filler, twError* err)
{
    twStatus status = tw_tets_create(out, filler->mesh.node_count, filler->mesh.tet_count, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < filler->mesh.node_count; i++)
        (*out)->nodes[i] = fill_frame_out(&filler->frame, filler->mesh.nodes[i]);
    memcpy((*out)->tets, filler->mesh.tets, (size_t)filler->mesh.tet_count * sizeof *filler->mesh.tets);
    return TW_OK;
}

static double volume_of(const FillMesh* mesh)
{
    double sum = 0;
    for (int i = 0; i < mesh->tet_count; i++)
    {
        const int* n = mesh->tets[i].n;
        twVec3 a = mesh->nodes[n[0]], ab = tw_vec3_sub(mesh->nodes[n[1]], a), ac = tw_vec3_sub(mesh->nodes[n[2]], a);
        sum += tw_vec3_dot(tw_vec3_cross(ab, ac), tw_vec3_sub(mesh->nodes[n[3]], a)) / 6;
    }
    return sum;
}

static twFillReport report_of(const Filler* filler, const twTetMesh* tets)
{
    twFillReport report = {.spacing = filler->longest * filler->frame.size,
                           .thinnest = filler->thinnest * filler->frame.size,
                           .elements_through = filler->walls.thinnest / filler->spacing,
                           .volume_error = volume_of(&filler->mesh) / fabs(filler->frame.volume) - 1,
                           .open_share = filler->open,
                           .unused_share = filler->walls.unused,
                           .pieces = filler->pieces,
                           .dropped_pieces = filler->dropped,
                           .quality = tw_tets_quality(tets)};
    return report;
}

static void clean_up(Filler* filler)
{
    fill_shape_free(&filler->shape);
    fill_features_free(&filler->features);
    fill_mesh_free(&filler->mesh);
    fill_cuts_free(&filler->cuts);
    fill_lattice_free(&filler->lattice);
    fill_octree_free(&filler->octree);
    tw_winding_destroy(filler->field.winding);
    fill_frame_free(&filler->frame);
}

static twStatus check(const twFillDef* def, twError* err)
{
    if (!(def->spacing >= 0 && def->spacing < INFINITY))
        return tw_fail(err, TW_BAD_INPUT, "fill: spacing is %g m; it must be positive, or 0 for automatic",
                       def->spacing);
    if (!(def->interior_growth >= 1 && def->interior_growth <= 100))
        return tw_fail(err, TW_BAD_INPUT, "fill: interior_growth is %g; it must be from 1 (uniform) to 100",
                       def->interior_growth);
    if (!(def->stretch >= 1 && def->stretch <= 10))
        return tw_fail(err, TW_BAD_INPUT, "fill: stretch is %g; it must be from 1 (cubes) to 10", def->stretch);
    if (def->max_tets < 1)
        return tw_fail(err, TW_BAD_INPUT, "fill: max_tets is %d; it must be at least 1", def->max_tets);
    return TW_OK;
}

twStatus tw_tets_fill(twTetMesh** out, const twMesh* surface, const twFillDef* def, twFillReport* report, twError* err)
{
    TW_ASSERT(out && surface && def);
    *out = NULL;
    if (report) *report = (twFillReport){0};
    twStatus status = check(def, err);
    if (status != TW_OK) return status;
    Filler filler = {.def = def};
    status = prepare(&filler, surface, err);
    if (status == TW_OK) status = set_lattice(&filler, err);
    if (status == TW_OK) status = stuff(&filler, err);
    if (status == TW_OK) status = sharpen(&filler, err);
    if (status == TW_OK) status = hand_over(out, &filler, err);
    if (status == TW_OK && report) *report = report_of(&filler, *out);
    clean_up(&filler);
    return status;
}
