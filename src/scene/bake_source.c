// SPDX-License-Identifier: MIT
// Where a body comes from: a procedural shape, a surface file to be filled, or a tet file.

#include "bake.h"
#include "mesh/copy.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MERGE_TOLERANCE 1e-9  // of the size: vertices closer than this are one
#define FILL_MAX_TETS 3000000

static bool ends_with(const char* text, const char* ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

// longest and second side of the box around points
static void measure(BakeSource* source, const twVec3* points, int count)
{
    twVec3 low, high;
    bake_bounds(points, count, &low, &high);
    double x = high.x - low.x, y = high.y - low.y, z = high.z - low.z;
    source->size = fmax(x, fmax(y, z));
    source->width = x + y + z - source->size - fmin(x, fmin(y, z));
}

// ---- opening ----

static twStatus open_shape(BakeSource* source, const twBakeDef* def, twError* err)
{
    twStatus status = tw_shape_parse(&source->shape, def->source, err);
    if (status != TW_OK) return status;
    source->thickness = tw_shape_thickness(source->shape);
    // its size, from a rough surface
    twMesh* rough;
    status = tw_shape_surface(&rough, source->shape, 1e6 * source->thickness, err);
    if (status != TW_OK) return status;
    measure(source, rough->vertices, rough->vertex_count);
    tw_mesh_destroy(rough);
    return TW_OK;
}

static twStatus open_tets(BakeSource* source, const twBakeDef* def, twError* err)
{
    twStatus status = tw_tets_load(&source->tets, def->source, def->scale, err);
    if (status != TW_OK) return status;
    if (source->tets->node_count == 0) return tw_fail(err, TW_BAD_INPUT, "%s: no nodes", def->source);
    source->fixed_mesh = true;
    measure(source, source->tets->nodes, source->tets->node_count);
    source->thickness = source->size;
    return TW_OK;
}

static twStatus open_surface(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err)
{
    twMeshReport mended;
    twError inner = {0};
    twStatus status = def->mesh ? tw_mesh_copy(&source->surface, def->mesh, err)
                                : tw_mesh_load(&source->surface, def->source, def->scale, err);
    if (status != TW_OK) return status;
    status = tw_mesh_mend(source->surface, MERGE_TOLERANCE, &mended, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", def->source, inner.text);
    tw_mesh_describe(report->note, sizeof report->note, &mended);
    measure(source, source->surface->vertices, source->surface->vertex_count);
    // what one cell must not exceed: the thinnest walls, unless they are few and most are much thicker
    double thinnest, usual;
    status = tw_mesh_thickness(&thinnest, &usual, source->surface, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", def->source, inner.text);
    source->thickness = fmax(thinnest, 0.5 * usual);

    // and twice the volume over the area, which is less where a body is round or has parts beside each other
    if (mended.area > 0 && mended.volume > 0)
        source->thickness = fmin(source->thickness, 2 * mended.volume / mended.area);
    return TW_OK;
}

static twStatus open_source(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err)
{
    if (def->mesh) return open_surface(source, def, report, err);
    if (tw_shape_looks_like(def->source)) return open_shape(source, def, err);
    if (ends_with(def->source, ".msh") || tw_mesh_kind(def->source) == TW_MESH_TETS) return open_tets(source, def, err);
    return open_surface(source, def, report, err);
}

// names of regions are looked up before anything long begins
static twStatus check_places(const BakeSource* source, const twBakeDef* def, twError* err)
{
    twStatus status = TW_OK;
    int region;
    for (int i = 0; i < def->region_count && status == TW_OK; i++)
        if (def->regions[i].part.kind == TW_PART_REGION)
            status = bake_find_region(def, source, def->regions[i].part.region, &region, err);
    for (int i = 0; i < def->hold_count && status == TW_OK; i++)
        if (def->holds[i].kind == TW_PART_REGION)
            status = bake_find_region(def, source, def->holds[i].region, &region, err);
    return status;
}

twStatus bake_open(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err)
{
    twStatus status = open_source(source, def, report, err);
    report->size = source->size;
    return status == TW_OK ? check_places(source, def, err) : status;
}

void bake_close(BakeSource* source)
{
    tw_shape_destroy(source->shape);
    tw_mesh_destroy(source->surface);
    tw_tets_destroy(source->tets);
}

// ---- meshing ----

static twStatus copy_tets(twTetMesh** out, const twTetMesh* tets, twError* err)
{
    twStatus status = tw_tets_create(out, tets->node_count, tets->tet_count, err);
    if (status != TW_OK) return status;
    memcpy((*out)->nodes, tets->nodes, (size_t)tets->node_count * sizeof *tets->nodes);
    memcpy((*out)->tets, tets->tets, (size_t)tets->tet_count * sizeof *tets->tets);
    if (!tets->mid_nodes) return TW_OK;
    (*out)->mid_nodes = malloc((size_t)tets->tet_count * sizeof *tets->mid_nodes);
    if (!(*out)->mid_nodes) return tw_fail(err, TW_NO_MEMORY, "no memory for %d tets", tets->tet_count);
    memcpy((*out)->mid_nodes, tets->mid_nodes, (size_t)tets->tet_count * sizeof *tets->mid_nodes);
    return TW_OK;
}

typedef struct FillWatch
{
    const twBakeDef* def;
} FillWatch;

static bool fill_going(double done, void* context)
{
    const FillWatch* watch = context;
    return !watch->def->keep_going || watch->def->keep_going("fill", done, watch->def->context);
}

static twStatus fill_surface(const BakeSource* source, const twBakeDef* def, double edge, twTetMesh** out,
                             twBakeReport* report, twError* err)
{
    FillWatch watch = {def};
    twFillDef fill = tw_fill_def();
    fill.spacing = edge;
    // a mesh whose matrices alone would not fit is not worth filling
    double bytes_per_tet = def->linear ? 300 : 3000;
    // along plates and bars an eighth of the shortest wave is short enough; the same at every level, so that all refine alike
    double along = source->size / (6 + 1.3 * (def->count > 0 ? fmin(def->count, 32) : 32));
    fill.stretch = fmin(fmax(along / source->thickness, 1), 4);
    fill.max_tets = FILL_MAX_TETS;
    if (def->max_memory_bytes > 0)
        fill.max_tets = (int)fmax(1000, fmin(FILL_MAX_TETS, (double)def->max_memory_bytes / bytes_per_tet));
    fill.keep_going = fill_going;
    fill.context = &watch;
    twFillReport filled;
    twError inner = {0};
    twStatus status = tw_tets_fill(out, source->surface, &fill, &filled, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", def->source, inner.text);

    // what the last fill says replaces what the one before said
    char words[512], *before = strstr(report->note, "filled: ");
    if (before) *(before - report->note >= 2 ? before - 2 : before) = 0;
    size_t at = strlen(report->note);
    if (tw_fill_describe(words, sizeof words, &filled)[0])
        snprintf(report->note + at, sizeof report->note - at, "%sfilled: %s", at ? "; " : "", words);
    return TW_OK;
}

twStatus bake_mesh(const BakeSource* source, const twBakeDef* def, BakeSize size, twTetMesh** out, twBakeReport* report,
                   twError* err)
{
    *out = NULL;
    twStatus status;
    if (source->shape)
        status = tw_shape_tets_cut(out, source->shape, size.edge, (int)size.cuts, size.through, err);
    else if (source->tets)
        status = copy_tets(out, source->tets, err);
    else
        status = fill_surface(source, def, size.edge / size.cuts, out, report, err);
    if (status == TW_OK) status = bake_assign_materials(def, source, *out, err);
    if (status != TW_OK || def->linear || (*out)->mid_nodes) return status;
    if (source->surface) return tw_tets_curve(*out, source->surface, NULL, err);
    return tw_tets_make_quadratic(*out, NULL, NULL, err);
}
