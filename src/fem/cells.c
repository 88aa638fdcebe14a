// SPDX-License-Identifier: MIT
// cells_: modes in cut cells, round by round (finite cell method: Duester, Parvizian, Yang and Rank, Comput. Methods Appl.
// Mech. Engrg. 197, 2008). The body is turned to its principal axes and covered by a grid of some hundred cells that hold
// matter; each round refines the cells where the modes of the round before would gain most by the next degree.
#include "fem/cells.h"
#include "fem/check.h"
#include "fem/element.h"
#include "mesh/edges.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_SMALLEST 1e-12  // bodies [m]
#define CELLS_LARGEST 1e12
#define CELLS_SLENDER 1e4  // longest side over the second: beyond, round-off is heard
#define CELLS_FEWEST 150   // cells with matter of the first grid
#define CELLS_MOST 400
#define CELLS_ALONG_MOST 96  // along the longest side
#define CELLS_THIN 0.8       // walls below so many cells take functions of degree 3, else 2

twCellsDef tw_cells_def(void) { return (twCellsDef){.count = 32}; }

static twStatus cells_no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the cells"); }

static twStatus cells_report(const twCells* cells, const char* stage, double done, twError* err)
{
    if (!cells->def.keep_going || cells->def.keep_going(stage, done, cells->def.context)) return TW_OK;
    return tw_fail(err, TW_INTERRUPTED, "interrupted at stage \"%s\"", stage);
}

// within the cutting of a level
static twStatus cells_watch(void* context, twError* err) { return cells_report(context, "cut", 0, err); }

// ---- the grid ----

static void cells_bounds(const DexelBody* body, twVec3* low, twVec3* high)
{
    *low = tw_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), *high = tw_vec3_scale(*low, -1);
    for (int f = 0; f < body->face_count; f++)
        for (int k = 0; k < 3; k++)
        {
            const twVec3 p = body->corners[f][k];
            *low = tw_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
            *high = tw_vec3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
        }
}

// Axes of least, middle and greatest inertia as columns, by Jacobi rotations; of a body that is already turned so, the
// identity to the bit.
static twMat3 cells_principal_axes(twMat3 inertia)
{
    double a[3][3];
    twMat3 axes = tw_mat3_identity();
    memcpy(a, inertia.m, sizeof a);
    const double size = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]), round_off = 1e-9;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < 3; p++)
        {
            const int q = (p + 1) % 3;
            if (fabs(a[p][q]) <= round_off * size) continue;
            const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
            const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
            const double c = 1 / sqrt(t * t + 1), s = t * c;
            for (int k = 0; k < 3; k++)
            {
                const double x = a[k][p], y = a[k][q];
                a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
            }
            for (int k = 0; k < 3; k++)
            {
                const double x = a[p][k], y = a[q][k];
                a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
            }
            for (int k = 0; k < 3; k++)
            {
                const double x = axes.m[k][p], y = axes.m[k][q];
                axes.m[k][p] = c * x - s * y, axes.m[k][q] = s * x + c * y;
            }
        }
    if (tw_mat3_det(axes) < 0)
        for (int k = 0; k < 3; k++) axes.m[k][2] = -axes.m[k][2];
    return axes;
}

// the faces around each side of each face, in circles
static twStatus cells_find_beside(DexelBody* body, const twMesh* mesh, twError* err)
{
    twEdges* edges;
    body->beside = malloc(((size_t)mesh->face_count + 1) * sizeof *body->beside);
    if (!body->beside) return cells_no_memory(err);
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    for (int e = 0; e < edges->count; e++)
        for (int i = edges->start[e]; i < edges->start[e + 1]; i++)
        {
            const int next = i + 1 < edges->start[e + 1] ? i + 1 : edges->start[e];
            body->beside[edges->uses[i] / 3][edges->uses[i] % 3] = edges->uses[next];
        }
    tw_edges_destroy(edges);
    return TW_OK;
}

// the triangles in the grid's axes, in metres from the middle of the body's box
static twStatus cells_turn(twCells* cells, const twMesh* mesh, twError* err)
{
    DexelBody* body = &cells->dexel;
    body->face_count = mesh->face_count;
    body->corners = malloc(((size_t)mesh->face_count + 1) * sizeof *body->corners);
    if (!body->corners) return cells_no_memory(err);
    const twMassProperties mass = tw_mesh_mass(mesh, 1);
    body->turn = mass.volume > 0 ? cells_principal_axes(mass.inertia) : tw_mat3_identity();
    body->origin = mesh->vertices[mesh->faces[0].v[0]];
    body->cell = 1;
    const twMat3 back = tw_mat3_transpose(body->turn);
    for (int f = 0; f < mesh->face_count; f++)
    {
        for (int k = 0; k < 3; k++)
            body->corners[f][k] = tw_mat3_mul_vec(back, tw_vec3_sub(mesh->vertices[mesh->faces[f].v[k]], body->origin));
        const twVec3* c = body->corners[f];
        cells->area += 0.5 * tw_vec3_norm(tw_vec3_cross(tw_vec3_sub(c[1], c[0]), tw_vec3_sub(c[2], c[0])));
    }
    return cells_find_beside(body, mesh, err);
}

// Scale and shift the triangles to a grid with cells of an edge. The body lies askew in it: where a body and its cells share
// planes of symmetry, every other degree of a solution vanishes, and the error of a twisted bar could not be seen.
static void cells_fit_grid(twCells* cells, double edge)
{
    const double aside[3] = {0.31, 0.43, 0.37};  // of a cell, from the corner of the grid to that of the body
    DexelBody* body = &cells->dexel;
    twVec3 low, high;
    cells_bounds(body, &low, &high);
    const double scale = body->cell / edge;
    const double sides[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    for (int x = 0; x < 3; x++) cells->tree.size[x] = (int)ceil(sides[x] * scale + aside[x]);
    const twVec3 corner = {aside[0], aside[1], aside[2]};
    for (int f = 0; f < body->face_count; f++)
        for (int k = 0; k < 3; k++)
            body->corners[f][k] = tw_vec3_add(tw_vec3_scale(tw_vec3_sub(body->corners[f][k], low), scale), corner);
    body->origin = tw_vec3_add_scaled(body->origin, tw_mat3_mul_vec(body->turn, low), body->cell);
    body->origin = tw_vec3_add_scaled(body->origin, tw_mat3_mul_vec(body->turn, corner), -edge);
    body->cell = edge;
    tw_winding_destroy(body->winding);  // of the triangles as they were
    body->winding = NULL;
}

// 0: to cut only
static twStatus cells_set_degree(twCells* cells, int degree, twError* err)
{
    trunk_destroy(cells->trunk);
    trunk_destroy(cells->finer);
    cells->trunk = cells->finer = NULL;
    twStatus status = degree > 0 ? trunk_create(&cells->trunk, degree, err) : TW_OK;
    return status == TW_OK ? trunk_create(&cells->finer, degree + 1, err) : status;
}

static twStatus cells_cut(twCells* cells, double edge, twError* err)
{
    cell_tree_free(&cells->tree);
    cells_fit_grid(cells, edge);
    int at[3];
    for (at[2] = 0; at[2] < cells->tree.size[2]; at[2]++)
        for (at[1] = 0; at[1] < cells->tree.size[1]; at[1]++)
            for (at[0] = 0; at[0] < cells->tree.size[0]; at[0]++)
                if (cell_tree_add(&cells->tree, 0, at) == CELL_NONE) return cells_no_memory(err);
    return dexel_integrate(&cells->tree, 0, cells->finer, &cells->dexel, err);
}

int cells_count(const CellTree* tree, double* volume)
{
    int count = 0;
    *volume = 0;
    for (int c = 0; c < tree->count; c++)
    {
        if (!cell_is_leaf(&tree->cells[c])) continue;
        count++;
        *volume += tree->cells[c].fraction * pow(cell_edge(tree->cells[c].level), 3);
    }
    return count;
}

// the number of cells along the longest side such that some hundred hold matter
static twStatus cells_choose_grid(twCells* cells, twVec3 sides, twError* err)
{
    // cells at most a hundred times as long as the body is wide, so that rays find it
    const double longest = tw_vec3_max(sides), least = fmin(sides.x, fmin(sides.y, sides.z));
    const double second = sides.x + sides.y + sides.z - longest - least;
    if (longest > CELLS_SLENDER * second)
        return tw_fail(
            err, TW_BAD_INPUT,
            "the body is %g m long and %g m wide, %.0f to 1: up to %g to 1 are handled; a wire is a rod or a string",
            longest, second, longest / second, CELLS_SLENDER);
    double along = fmin(CELLS_ALONG_MOST, fmax(8, 0.01 * longest / second)), volume;
    twStatus status = cells_set_degree(cells, 0, err);
    for (int attempt = 0; attempt < 8 && status == TW_OK; attempt++)
    {
        status = cells_cut(cells, longest / along, err);
        const int count = status == TW_OK ? cells_count(&cells->tree, &volume) : 0;
        if (status == TW_OK && count == 0)
            status = tw_fail(err, TW_BAD_INPUT, "the surface encloses no volume, or all of it is held");
        if (status != TW_OK || (count >= CELLS_FEWEST && count <= CELLS_MOST)) break;
        if (count < CELLS_FEWEST && along >= CELLS_ALONG_MOST) break;
        // cells grow by more than the square and less than the cube of their number along a side
        const double target = sqrt((double)CELLS_FEWEST * CELLS_MOST);
        along = fmin(CELLS_ALONG_MOST, fmax(1, along * pow(target / count, 1 / 2.3)));
    }
    if (status != TW_OK) return status;
    const double edge = cells->dexel.cell;
    cells_count(&cells->tree, &volume);
    const double wall = 2 * volume * edge * edge * edge / cells->area;
    status = cells_set_degree(cells, wall < CELLS_THIN * edge ? 3 : 2, err);
    return status == TW_OK ? cells_cut(cells, edge, err) : status;
}

// ---- materials ----

// without units, in the grid's axes
static void cells_set_material(CellMaterial* out, const twCells* cells, const twMaterial* material)
{
    const twMat3 fibre = tw_mat3_mul(tw_mat3_transpose(cells->dexel.turn), fem_fibre(cells->def.fibre));
    const twMaterial scaled = tw_material_in_units(material, cells->young);
    const FemStiffness stiffness = fem_stiffness(&scaled, fibre);
    memcpy(out->c, stiffness.c, sizeof out->c);
    out->density = material->density / cells->density;
}

static twStatus cells_set_materials(twCells* cells, twError* err)
{
    const size_t count = (size_t)cells->def.material_count;
    cells->body.material_count = cells->def.material_count;
    cells->body.materials = calloc(count, sizeof *cells->body.materials);
    if (!cells->body.materials) return cells_no_memory(err);
    for (size_t i = 0; i < count; i++)
    {
        cells->young = fmax(cells->young, cells->materials[i].young);
        cells->density = fmax(cells->density, cells->materials[i].density);
    }
    for (size_t i = 0; i < count; i++) cells_set_material(&cells->body.materials[i], cells, &cells->materials[i]);
    return TW_OK;
}

static twStatus cells_set_products(twCells* cells, twError* err)
{
    CellBody* body = &cells->body;
    const Trunk *trunk = body->trunk = cells->trunk, *finer = body->finer = cells->finer;
    twStatus status = trunk_product_create(&body->slopes, finer, trunk, trunk, true, err);
    if (status == TW_OK) status = trunk_product_create(&body->values, finer, trunk, trunk, false, err);
    CellBody* next = &cells->finer_body;
    *next = (CellBody){
        .trunk = finer, .finer = finer, .material_count = body->material_count, .materials = body->materials};
    if (status == TW_OK) status = trunk_product_create(&next->slopes, finer, finer, finer, true, err);
    return status == TW_OK ? trunk_product_create(&next->values, finer, finer, finer, false, err) : status;
}

// ---- creating ----

static twStatus cells_check(const twCellsDef* def, twError* err)
{
    if (!def->surface || def->surface->face_count < 1)
        return tw_fail(err, TW_BAD_INPUT, "the surface is empty: it has no faces");
    if (def->material_count < 1 || !def->materials) return tw_fail(err, TW_BAD_INPUT, "no material");
    for (int i = 0; i < def->material_count; i++)
    {
        if (!tw_material_is_orthotropic(&def->materials[i])) continue;
        twStatus status = tw_material_check(&def->materials[i], err);
        if (status == TW_OK) status = fem_check_fibre(def->fibre, err);
        if (status != TW_OK) return status;
    }
    for (int i = 0; i < def->part_count; i++)
        if (def->parts[i].material >= def->material_count)
            return tw_fail(err, TW_BAD_INPUT, "part %d is of material %d, but there are %d", i, def->parts[i].material,
                           def->material_count);
    return fem_check_wishes(def->count, def->max_freq_hz, 1, err);
}

static twStatus cells_copy_def(twCells* cells, const twCellsDef* def, twError* err)
{
    cells->def = *def;
    cells->materials = malloc((size_t)def->material_count * sizeof *cells->materials);
    cells->parts = malloc(((size_t)def->part_count + 1) * sizeof *cells->parts);
    cells->dexel.met = calloc((size_t)def->part_count + 1, sizeof *cells->dexel.met);
    if (!cells->materials || !cells->parts || !cells->dexel.met) return cells_no_memory(err);
    memcpy(cells->materials, def->materials, (size_t)def->material_count * sizeof *cells->materials);
    if (def->part_count > 0) memcpy(cells->parts, def->parts, (size_t)def->part_count * sizeof *cells->parts);
    cells->def.materials = cells->materials;
    cells->dexel.parts = cells->def.parts = cells->parts;
    cells->dexel.part_count = def->part_count;
    cells->dexel.watch = cells_watch;
    cells->dexel.context = cells;
    cells->memory = fem_memory(def->max_memory_bytes);
    return TW_OK;
}

static twStatus cells_start(twCells* cells, const twCellsDef* def, twError* err)
{
    twVec3 low, high;
    twStatus status = cells_copy_def(cells, def, err);
    if (status == TW_OK) status = cells_report(cells, "cut", 0, err);
    twMesh* closed = NULL;
    if (status == TW_OK) status = tw_mesh_close(&closed, def->surface, NULL, err);
    if (status == TW_OK) status = cells_turn(cells, closed, err);
    tw_mesh_destroy(closed);
    cells->def.surface = NULL;  // not needed any more
    if (status == TW_OK) status = cells_set_materials(cells, err);
    if (status != TW_OK) return status;
    cells_bounds(&cells->dexel, &low, &high);
    const twVec3 sides = tw_vec3_sub(high, low);
    cells->length = tw_vec3_norm(sides);
    if (!(cells->length > CELLS_SMALLEST && cells->length < CELLS_LARGEST))
        return tw_fail(err, TW_BAD_INPUT, "the body is %g m across, an absurd size: %g to %g m are handled",
                       cells->length, CELLS_SMALLEST, CELLS_LARGEST);
    status = cells_choose_grid(cells, sides, err);
    if (status == TW_OK) status = cells_set_products(cells, err);
    cells->body.cell = cells->finer_body.cell = cells->dexel.cell / cells->length;
    cells->round.round = -1;
    return status == TW_OK ? cells_report(cells, "cut", 1, err) : status;
}

twStatus tw_cells_create(twCells** out, const twCellsDef* def, twError* err)
{
    *out = NULL;
    twStatus status = cells_check(def, err);
    if (status != TW_OK) return status;
    twCells* cells = calloc(1, sizeof *cells);
    if (!cells) return cells_no_memory(err);
    const double start = tw_seconds();
    status = cells_start(cells, def, err);
    cells->round.seconds.assemble = cells->round.seconds.total = tw_seconds() - start;
    if (status == TW_OK)
        *out = cells;
    else
        tw_cells_destroy(cells);
    return status;
}

void cells_free_round(twCells* cells)
{
    cell_space_destroy(cells->space);
    void* const blocks[] = {cells->modes.lambda, cells->modes.x, cells->last_gain,
                            cells->last_freq_hz, cells->error,   cells->marks};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    cells->last_gain = cells->gain;
    cells->last_freq_hz = cells->freq_hz;
    cells->last_count = cells->found;
    cells->space = NULL;
    cells->modes = (CellModes){0};
    cells->gain = cells->error = cells->freq_hz = NULL;
    cells->marks = NULL;
}

void tw_cells_destroy(twCells* cells)
{
    if (!cells) return;
    cells_free_round(cells);
    free(cells->last_gain);
    free(cells->last_freq_hz);
    cell_tree_free(&cells->tree);
    trunk_destroy(cells->trunk);
    trunk_destroy(cells->finer);
    trunk_product_destroy(cells->body.slopes);
    trunk_product_destroy(cells->body.values);
    trunk_product_destroy(cells->finer_body.slopes);
    trunk_product_destroy(cells->finer_body.values);
    tw_winding_destroy(cells->dexel.winding);
    free(cells->dexel.corners);
    free(cells->dexel.beside);
    free(cells->dexel.met);
    free(cells->history);
    free(cells->body.materials);
    free(cells->materials);
    free(cells->parts);
    free(cells);
}

// ---- history ----

bool cells_remember(twCells* cells, CellStep step)
{
    if (cells->history_count == cells->history_room)
    {
        const int room = cells->history_room > 0 ? 2 * cells->history_room : 256;
        CellStep* history = realloc(cells->history, (size_t)room * sizeof *history);
        if (!history) return false;
        cells->history = history;
        cells->history_room = room;
    }
    cells->history[cells->history_count++] = step;
    return true;
}

CellStep cells_step_of(const CellTree* tree, const Cell* cell, int kind)
{
    CellStep step = {.at = {cell->at[0], cell->at[1], cell->at[2]}, .level = cell->level, .kind = kind};
    for (int c = cell->first; &tree->cells[c] != cell; c = tree->cells[c].next) step.fragment++;
    return step;
}

// what a saved state begins with
typedef struct CellsHeader
{
    uint64_t version;
    int size[3], degree, round, dropped, steps;
    int count, found;  // modes wanted; those of the last round, whose frequencies and gains follow the steps
    double length, max_freq_hz, shift, operations, last_operations;
} CellsHeader;

enum
{
    CELLS_VERSION = 5
};

twStatus tw_cells_save(void** out, size_t* bytes, const twCells* cells, twError* err)
{
    const size_t steps = (size_t)(cells->history_count + cells->mark_count + 1), found = (size_t)cells->found;
    *bytes = sizeof(CellsHeader) + steps * sizeof(CellStep) + 2 * found * sizeof(double);
    char* block = calloc(1, *bytes);
    *out = block;
    if (!block) return cells_no_memory(err);
    CellsHeader header = {.version = CELLS_VERSION,
                          .size = {cells->tree.size[0], cells->tree.size[1], cells->tree.size[2]},
                          .degree = cells->trunk->degree,
                          .round = cells->round.round,
                          .dropped = cells->round.dropped_pieces,
                          .steps = (int)steps,
                          .count = cells->def.count,
                          .found = cells->found,
                          .length = cells->length,
                          .max_freq_hz = cells->def.max_freq_hz,
                          .shift = cells->shift,
                          .operations = cells->round.operations,
                          .last_operations = cells->last_operations};
    memcpy(block, &header, sizeof header);
    CellStep* to = (CellStep*)(block + sizeof header);
    if (cells->history_count > 0) memcpy(to, cells->history, (size_t)cells->history_count * sizeof *to);
    to += cells->history_count;
    for (int i = 0; i < cells->mark_count; i++, to++)
    {
        const Cell* cell = &cells->tree.cells[cells->space->leaf[cells->marks[i]]];
        *to = cells_step_of(&cells->tree, cell, CELL_STEP_REFINE);
    }
    (to++)->kind = CELL_STEP_INTEGRATE;
    const double* const last[2] = {cells->freq_hz, cells->gain};
    for (size_t i = 0; i < 2 && found > 0; i++)
        memcpy((char*)to + i * found * sizeof(double), last[i], found * sizeof(double));
    return TW_OK;
}

static twStatus cells_repeat(twCells* cells, const CellStep* step, int* first, twError* err)
{
    CellTree* tree = &cells->tree;
    if (step->kind == CELL_STEP_INTEGRATE)
    {
        twStatus status = dexel_integrate(tree, *first, cells->finer, &cells->dexel, err);
        *first = tree->count;
        return status;
    }
    const bool level = step->level >= 0 && step->level + 1 < CELL_LEVELS_MAX;
    int c = level ? cell_tree_at(tree, step->level, step->at) : CELL_NONE;
    for (int i = 0; i < step->fragment && c >= 0; i++) c = tree->cells[c].next;
    if (step->kind == CELL_STEP_REFINE && c >= 0 && tree->cells[c].refined) return TW_OK;
    if (c < 0 || !cell_is_leaf(&tree->cells[c]))
        return tw_fail(err, TW_BAD_INPUT, "the saved cells are not those of this body");
    if (step->kind == CELL_STEP_DROP)
        tree->cells[c].kind = CELL_EMPTY;
    else if (!cell_tree_refine(tree, c))
        return cells_no_memory(err);
    return TW_OK;
}

// frequencies and gains of the last round
static twStatus cells_take_last(twCells* cells, const char* from, int found, twError* err)
{
    const size_t bytes = (size_t)found * sizeof(double);
    double** const to[2] = {&cells->freq_hz, &cells->gain};
    for (size_t i = 0; i < 2; i++)
    {
        *to[i] = malloc(bytes + 1);
        if (!*to[i]) return cells_no_memory(err);
        memcpy(*to[i], from + i * bytes, bytes);
    }
    cells->found = found;
    return TW_OK;
}

twStatus tw_cells_load(twCells** out, const twCellsDef* def, const void* bytes, size_t count, twError* err)
{
    CellsHeader header;
    CellStep step;
    *out = NULL;
    if (count < sizeof header) return tw_fail(err, TW_BAD_INPUT, "the saved cells are cut off");
    memcpy(&header, bytes, sizeof header);
    const size_t fixed = sizeof header + (size_t)header.steps * sizeof step;
    const int many = 1 << 20;  // more than there can be
    if (header.version != CELLS_VERSION || header.steps < 0 || header.found < 0 || header.found > many ||
        header.round < 0 || header.round > many || header.dropped < 0 || header.dropped > many ||
        count != fixed + 2 * (size_t)header.found * sizeof(double))
        return tw_fail(err, TW_BAD_INPUT, "the saved cells are of another version, or cut off");
    twCells* cells;
    twStatus status = tw_cells_create(&cells, def, err);
    if (status != TW_OK) return status;
    if (memcmp(header.size, cells->tree.size, sizeof header.size) != 0 || header.degree != cells->trunk->degree ||
        header.length != cells->length || header.count != def->count || header.max_freq_hz != def->max_freq_hz)
        status = tw_fail(err, TW_BAD_INPUT, "the saved cells are not those of this body");
    int first = cells->tree.count;
    for (int i = 0; i < header.steps && status == TW_OK; i++)
    {
        memcpy(&step, (const char*)bytes + sizeof header + (size_t)i * sizeof step, sizeof step);
        status = cells_repeat(cells, &step, &first, err);
        if (status == TW_OK && !cells_remember(cells, step)) status = cells_no_memory(err);
    }
    if (status == TW_OK) status = cells_take_last(cells, (const char*)bytes + fixed, header.found, err);
    cells->round.round = header.round;
    cells->round.dropped_pieces = header.dropped;
    cells->round.operations = header.operations;
    cells->shift = header.shift;
    cells->last_operations = header.last_operations;
    if (status == TW_OK)
        *out = cells;
    else
        tw_cells_destroy(cells);
    return status;
}

const twCellsRound* tw_cells_round(const twCells* cells) { return &cells->round; }
