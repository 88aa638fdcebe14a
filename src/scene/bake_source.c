// SPDX-License-Identifier: MIT
// Where a body comes from: a procedural shape or a surface file, both cut into cells, or a tet file.

#include "bake.h"
#include "mesh/copy.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MERGE_TOLERANCE 1e-9  // of the size: vertices closer than this are one
#define MOST_FACES 2000000    // of a surface: cutting more takes minutes
#define FILL_MAX_TETS 1000000
#define FILL_SEEN_TETS 30000  // if they only give a surface: some thousand vertices
#define FILL_ALONG 12         // cells along the longest side, at least
#define FILL_STRETCH 4.0      // of cells along plates and bars
#define SHAPE_ALONG 32        // edges along the longest side of a shape's surface, where its modes are seen
#define SHAPE_ROUND 1e-4      // of the volume of a shape: what its facets may lack
#define SHAPE_FACES 60000

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
    source->box = tw_vec3(x, y, z);
    source->size = fmax(x, fmax(y, z));
    source->width = x + y + z - source->size - fmin(x, fmin(y, z));
}

// ---- opening ----

// how fine the facets of a shape are
typedef struct ShapeFacets
{
    double edge;  // [m]
    int round;    // edges around slender round shapes
    double volume;
} ShapeFacets;

static twStatus open_facets(twMesh** out, const twShape* shape, ShapeFacets* facets, twError* err)
{
    const twStatus status = tw_shape_surface_round(out, shape, facets->edge, facets->round, err);
    if (status == TW_OK) facets->volume = tw_mesh_mass(*out, 1).volume;
    return status;
}

// The surface of a shape to cut cells by. What facets lack of the volume of curved walls falls with the square of their size:
// of two sizes, one half of the other, the finer ones lack a third of the difference. Slender shapes are made rounder first.
static twStatus open_shape_walls(BakeSource* source, ShapeFacets facets, twError* err)
{
    bool round = true;
    twStatus status = open_facets(&source->walls, source->shape, &facets, err);
    while (status == TW_OK && 4 * source->walls->face_count < SHAPE_FACES)
    {
        twMesh* walls;
        ShapeFacets finer = {round ? facets.edge : 0.5 * facets.edge, round ? 2 * facets.round : facets.round, 0};
        status = open_facets(&walls, source->shape, &finer, err);
        if (status != TW_OK) break;
        const double lack = fabs(finer.volume - facets.volume) / (3 * finer.volume);
        const bool better = lack > 1e-3 * SHAPE_ROUND;  // else walls are flat this way
        if (better)
        {
            tw_mesh_destroy(source->walls);
            source->walls = walls;
            facets = finer;
        }
        else
            tw_mesh_destroy(walls);
        if (lack < SHAPE_ROUND && !round) break;
        round = round && lack >= SHAPE_ROUND;
    }
    return status;
}

static twStatus open_shape(BakeSource* source, const twBakeDef* def, twError* err)
{
    twStatus status = tw_shape_parse(&source->shape, def->source, err);
    if (status != TW_OK) return status;
    // its size, from a rough surface
    twMesh* rough;
    status = tw_shape_surface(&rough, source->shape, 1e6 * tw_shape_thickness(source->shape), err);
    if (status != TW_OK) return status;
    measure(source, rough->vertices, rough->vertex_count);
    tw_mesh_destroy(rough);
    const ShapeFacets facets = {.edge = source->size / SHAPE_ALONG, .round = SHAPE_ALONG};
    status = tw_shape_surface_round(&source->surface, source->shape, facets.edge, facets.round, err);
    if (status == TW_OK) status = open_shape_walls(source, facets, err);
    if (status == TW_OK) source->mended = tw_mesh_check(source->surface);
    return status;
}

static twStatus open_tets(BakeSource* source, const twBakeDef* def, twError* err)
{
    twStatus status = tw_tets_load(&source->tets, def->source, def->scale, err);
    if (status != TW_OK) return status;
    if (source->tets->node_count == 0) return tw_fail(err, TW_BAD_INPUT, "%s: no nodes", def->source);
    measure(source, source->tets->nodes, source->tets->node_count);
    return TW_OK;
}

static twStatus open_surface(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err)
{
    twMeshReport mended;
    twError inner = {0};
    twStatus status = def->mesh ? tw_mesh_copy(&source->surface, def->mesh, err)
                                : tw_mesh_load(&source->surface, def->source, def->scale, err);
    if (status != TW_OK) return status;
    if (source->surface->face_count > MOST_FACES)
        return tw_fail(err, TW_BAD_INPUT,
                       "%s: %d faces, and at most %d are analysed: a simpler surface sounds the same", def->source,
                       source->surface->face_count, MOST_FACES);
    status = tw_mesh_mend(source->surface, MERGE_TOLERANCE, &mended, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", def->source, inner.text);
    tw_mesh_describe(report->note, sizeof report->note, &mended);
    measure(source, source->surface->vertices, source->surface->vertex_count);
    source->mended = mended;
    source->note_bytes = strlen(report->note);
    return TW_OK;
}

bool bake_is_shape(const twBakeDef* def) { return !def->mesh && tw_shape_looks_like(def->source); }

bool bake_is_tets(const twBakeDef* def)
{
    if (def->mesh || bake_is_shape(def)) return false;
    return ends_with(def->source, ".msh") || tw_mesh_kind(def->source) == TW_MESH_TETS;
}

static twStatus open_source(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err)
{
    if (bake_is_tets(def)) return open_tets(source, def, err);
    return bake_is_shape(def) ? open_shape(source, def, err) : open_surface(source, def, report, err);
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
    if (status == TW_OK) status = tw_fibre_axes(&source->fibre, &def->fibre, source->box, err);
    return status == TW_OK ? check_places(source, def, err) : status;
}

void bake_close(BakeSource* source)
{
    tw_shape_destroy(source->shape);
    tw_mesh_destroy(source->surface);
    tw_mesh_destroy(source->walls);
    tw_tets_destroy(source->tets);
    tw_tets_destroy(source->filled);
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

// What one tet must not exceed: the thinnest walls, unless they are few and most are much thicker. For motion inside, also
// twice the volume over the area, which is less where a body is round or has parts beside each other; else what makes the number
// of tets 12 V/a^3 + 2 A/a^2 as wanted.
static twStatus measure_walls(double* thickness, const BakeSource* source, bool inside, twError* err)
{
    double thinnest, usual;
    const double volume = source->mended.volume, area = source->mended.area;
    twStatus status = tw_mesh_thickness(&thinnest, &usual, source->surface, err);
    if (status != TW_OK) return status;
    *thickness = fmax(thinnest, 0.5 * usual);
    if (!(area > 0 && volume > 0)) return TW_OK;
    double edge = 2 * volume / area;
    if (!inside)
        for (int i = 0; i < 20; i++) edge = cbrt((12 * volume + 2 * area * edge) / FILL_SEEN_TETS);
    *thickness = fmin(*thickness, edge);
    return TW_OK;
}

// tets that fill a surface, for motion inside and for surfaces with edges of more than two faces
static twStatus fill_surface(const BakeSource* source, const twBakeDef* def, twTetMesh** out, twError* err)
{
    FillWatch watch = {def};
    twFillDef fill = tw_fill_def();
    double thickness;
    twError inner = {0};
    twStatus status = measure_walls(&thickness, source, def->with_tets, &inner);
    if (status != TW_OK) return tw_fail(err, status, "%s: %s", def->source, inner.text);
    fill.spacing = fmin(fmin(source->size / FILL_ALONG, 0.5 * source->width), thickness);
    fill.stretch = FILL_STRETCH;
    fill.max_tets = FILL_MAX_TETS;
    fill.keep_going = fill_going;
    fill.context = &watch;
    status = tw_tets_fill(out, source->surface, &fill, NULL, &inner);
    return status == TW_OK ? TW_OK : tw_fail(err, status, "%s: %s", def->source, inner.text);
}

twStatus bake_mesh(const BakeSource* source, const twBakeDef* def, twTetMesh** out, twError* err)
{
    *out = NULL;
    twStatus status;
    if (source->shape)
        status = tw_shape_tets(out, source->shape, fmin(source->size / FILL_ALONG, 0.5 * source->width), 1, err);
    else if (source->tets)
        status = copy_tets(out, source->tets, err);
    else
        status = fill_surface(source, def, out, err);
    if (status == TW_OK) status = bake_assign_materials(def, source, *out, err);
    if (status != TW_OK || def->linear || (*out)->mid_nodes) return status;
    return tw_tets_make_quadratic(*out, NULL, NULL, err);
}
