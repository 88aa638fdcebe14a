// SPDX-License-Identifier: MIT
// shell_bake_: the modes of a surface with a thickness. A closed surface is the outside of a hollow body; an open one is the
// middle of a sheet, which is shown, touched and heard by its two sides and its rim.

#include "bake.h"
#include "fem/shell_surface.h"
#include "mesh/copy.h"
#include "mesh/edges.h"
#include "twang/shell.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHELL_EDGE (1.0 / 32)  // longest edge of the surface, over the longest side of the body
#define SHELL_SHEET 0.01       // thickness of a sheet without one, over the longest side of the body
#define SHELL_OPEN 0.1         // part of the surface that is holes, from which on it is a sheet
#define SHELL_FLAT 1e-9        // volume over area times size, below which a surface encloses nothing
#define SHELL_ACCURACY 0.01    // of frequencies, unless another one is asked for
#define SHELL_FIRST 1.0        // budget of what is shown first [s at TW_BAKE_RATE operations per second]
#define SHELL_FAR 0.05         // of the body's size: a part farther off was not meant

double bake_sheet_thickness(const BakeSource* source)
{
    const twMeshReport* m = &source->mended;
    const bool open = m->holes > 0 && m->hole_area > SHELL_OPEN * (m->hole_area + m->area);
    const bool flat = !(fabs(m->volume) > SHELL_FLAT * m->area * m->size);
    return open || flat ? SHELL_SHEET * source->size : 0;
}

// a closed surface without a volume, pressed flat, is a sheet too
bool bake_is_hollow(const BakeSource* source)
{
    return source->mended.boundary_edges == 0 && bake_sheet_thickness(source) == 0;
}

// ---- parts ----

static int shell_bake_region(const twBakeDef* def, twVec3 point)
{
    int region = 0;
    for (int i = 0; i < def->region_count; i++)
        if (tw_part_distance(&def->regions[i].part, point) <= 0) region = i + 1;
    return region;
}

// regions of the faces by their centres
static twStatus shell_bake_regions(twMesh* mesh, const twBakeDef* def, twError* err)
{
    free(mesh->regions);
    mesh->regions = NULL;
    if (def->region_count == 0) return TW_OK;
    mesh->regions = malloc(((size_t)mesh->face_count + 1) * sizeof *mesh->regions);
    if (!mesh->regions) return tw_fail(err, TW_NO_MEMORY, "no memory for the regions of %d faces", mesh->face_count);
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        const twVec3 sum = tw_vec3_add(mesh->vertices[v[0]], tw_vec3_add(mesh->vertices[v[1]], mesh->vertices[v[2]]));
        mesh->regions[f] = shell_bake_region(def, tw_vec3_scale(sum, 1.0 / 3));
    }
    return TW_OK;
}

// vertices in held parts; of a part between the vertices the nearest
static twStatus shell_bake_hold(bool* held, const twMesh* mesh, const twBakeDef* def, const BakeSource* source,
                                twBakeReport* report, twError* err)
{
    for (int h = 0; h < def->hold_count; h++)
    {
        int nearest = 0, count = 0;
        double least = HUGE_VAL;
        for (int i = 0; i < mesh->vertex_count; i++)
        {
            const double d = tw_part_distance(&def->holds[h], mesh->vertices[i]);
            if (d < least) least = d, nearest = i;
            if (d > 1e-9 * source->size || def->holds[h].kind == TW_PART_POINT) continue;
            held[i] = true;
            count++;
        }
        if (count == 0 && least > SHELL_FAR * source->size)
            return bake_fail_part(def, &def->holds[h], -1, least, mesh->vertices[nearest], source, err);
        if (count == 0) held[nearest] = true;
        report->held_nodes += count > 0 ? count : 1;
    }
    return TW_OK;
}

// ---- the surface ----

// A sheet as corners of faces: those that are joined across an edge of two faces are one vertex of a side. Where more faces
// meet, or faces disagree on what is in front, each keeps its own, so that both sides and rims together are closed.
typedef struct ShellCorners
{
    int* vertex;  // (3 faces) vertex of the side
    int* of;      // (vertices of a side) vertex of the sheet
    int count;    // vertices of a side
    int rims;     // sides of faces that are joined to no other
} ShellCorners;

static void shell_corners_free(ShellCorners* c)
{
    free(c->vertex);
    free(c->of);
}

static bool shell_is_joined(const twMesh* mesh, const twEdges* edges, int edge)
{
    const int* use = edges->uses + edges->start[edge];
    return tw_edges_faces(edges, edge) == 2 && tw_edges_forward(mesh, use[0]) != tw_edges_forward(mesh, use[1]);
}

static void shell_join_corners(int* parent, const twMesh* mesh, const twEdges* edges)
{
    for (int i = 0; i < 3 * mesh->face_count; i++) parent[i] = i;
    for (int e = 0; e < edges->count; e++)
    {
        if (!shell_is_joined(mesh, edges, e)) continue;
        // the side of the one face begins where that of the other ends
        const int a = edges->uses[edges->start[e]], b = edges->uses[edges->start[e] + 1];
        tw_union_join(parent, a, 3 * (b / 3) + (b % 3 + 1) % 3);
        tw_union_join(parent, 3 * (a / 3) + (a % 3 + 1) % 3, b);
    }
}

static void shell_number_corners(ShellCorners* c, const twMesh* mesh, const twEdges* edges, int* parent)
{
    for (int i = 0; i < 3 * mesh->face_count; i++)
    {
        const int root = tw_union_root(parent, i);
        if (root == i)
        {
            c->of[c->count] = mesh->faces[i / 3].v[i % 3];
            c->vertex[i] = c->count++;
        }
        c->vertex[i] = c->vertex[root];
    }
    for (int e = 0; e < edges->count; e++) c->rims += shell_is_joined(mesh, edges, e) ? 0 : tw_edges_faces(edges, e);
}

static twStatus shell_find_corners(ShellCorners* c, const twMesh* mesh, const twEdges* edges, twError* err)
{
    const size_t corners = 3 * (size_t)mesh->face_count + 1;
    int* parent = malloc(corners * sizeof *parent);
    c->vertex = malloc(corners * sizeof *c->vertex);
    c->of = malloc(corners * sizeof *c->of);
    const bool room = parent && c->vertex && c->of;
    if (room) shell_join_corners(parent, mesh, edges);
    if (room) shell_number_corners(c, mesh, edges, parent);
    free(parent);
    return room ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the sides of %d faces", mesh->face_count);
}

// one side of the sheet, at a distance behind it
static twStatus shell_make_side(twMesh** out, const twMesh* mesh, const ShellCorners* c, double distance, twError* err)
{
    const twStatus status = tw_mesh_create(out, c->count, mesh->face_count, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < c->count; i++) (*out)->vertices[i] = mesh->vertices[c->of[i]];
    for (int i = 0; i < 3 * mesh->face_count; i++) (*out)->faces[i / 3].v[i % 3] = c->vertex[i];
    return shell_surface_inset(*out, distance, err);
}

static twStatus shell_place_sides(twMesh* to, const twMesh* mesh, const ShellCorners* c, double thickness, twError* err)
{
    twStatus status = TW_OK;
    for (int side = 0; side < 2 && status == TW_OK; side++)
    {
        twMesh* moved = NULL;
        status = shell_make_side(&moved, mesh, c, (side - 0.5) * thickness, err);
        if (status == TW_OK)
            memcpy(to->vertices + side * c->count, moved->vertices, (size_t)c->count * sizeof *moved->vertices);
        tw_mesh_destroy(moved);
    }
    return status;
}

static void shell_face_sides(twMesh* to, const twMesh* mesh, const twEdges* edges, const ShellCorners* c)
{
    const int n = c->count;
    to->face_count = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = c->vertex + 3 * f;
        to->faces[to->face_count++] = (twTriangle){{v[0], v[1], v[2]}};
        to->faces[to->face_count++] = (twTriangle){{v[0] + n, v[2] + n, v[1] + n}};
    }
    for (int e = 0; e < edges->count; e++)
        for (int k = edges->start[e]; k < edges->start[e + 1] && !shell_is_joined(mesh, edges, e); k++)
        {
            const int use = edges->uses[k], *v = c->vertex + 3 * (use / 3);
            const int a = v[use % 3], b = v[(use % 3 + 1) % 3];
            to->faces[to->face_count++] = (twTriangle){{b, a, a + n}};
            to->faces[to->face_count++] = (twTriangle){{b, a + n, b + n}};
        }
}

twStatus bake_thicken(twMesh** out, int** of, const twMesh* mesh, double thickness, twError* err)
{
    twEdges* edges;
    ShellCorners corners = {0};
    *out = NULL;
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    status = shell_find_corners(&corners, mesh, edges, err);
    if (status == TW_OK) status = tw_mesh_create(out, 2 * corners.count, 2 * mesh->face_count + 2 * corners.rims, err);
    if (status == TW_OK) shell_face_sides(*out, mesh, edges, &corners);
    if (status == TW_OK) status = shell_place_sides(*out, mesh, &corners, thickness, err);
    if (status == TW_OK && of)
    {
        *of = corners.of;
        corners.of = NULL;
    }
    if (status != TW_OK)
    {
        tw_mesh_destroy(*out);
        *out = NULL;
    }
    shell_corners_free(&corners);
    tw_edges_destroy(edges);
    return status;
}

// ---- the set ----

typedef struct ShellDraft
{
    twMesh *mesh, *shown;
    int* of;  // (vertices of one side) vertex of the mesh; NULL: the same
    bool closed;
    bool* held;
    twMaterial* materials;
    twShellModes* modes;
    float* shape;
    double *kinetic, *elastic, *volume;
    twModeMaterial* used;
    int used_count;
} ShellDraft;

static void shell_bake_free(ShellDraft* d)
{
    tw_mesh_destroy(d->mesh);
    tw_mesh_destroy(d->shown);
    tw_shell_modes_destroy(d->modes);
    void* const blocks[] = {d->of, d->held, d->materials, d->shape, d->kinetic, d->elastic, d->volume, d->used};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

// what each material has of the surface, and of the energy
static twStatus shell_bake_materials(ShellDraft* d, const twBakeDef* def, twError* err)
{
    const size_t count = (size_t)def->region_count + 1, values = count * (size_t)d->modes->count;
    d->volume = calloc(count, sizeof *d->volume);
    d->used = calloc(count, sizeof *d->used);
    d->kinetic = malloc((values + 1) * sizeof *d->kinetic);
    d->elastic = malloc((values + 1) * sizeof *d->elastic);
    if (!d->volume || !d->used || !d->kinetic || !d->elastic)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d materials", (int)count);
    for (int f = 0; f < d->mesh->face_count; f++)
    {
        const int* v = d->mesh->faces[f].v;
        const twVec3* x = d->mesh->vertices;
        const twVec3 n = tw_vec3_cross(tw_vec3_sub(x[v[1]], x[v[0]]), tw_vec3_sub(x[v[2]], x[v[0]]));
        d->volume[d->mesh->regions ? d->mesh->regions[f] : 0] += 0.5 * tw_vec3_norm(n) * def->thickness;
    }
    for (size_t i = 0; i < count; i++)
        if (d->volume[i] > 0)
            d->used[d->used_count++] = bake_material_of(&d->materials[i], d->volume[i], def->thickness);
    if (count == 1) return TW_OK;
    memcpy(d->kinetic, d->modes->kinetic, values * sizeof *d->kinetic);
    memcpy(d->elastic, d->modes->elastic, values * sizeof *d->elastic);
    bake_pack_shares(d->kinetic, d->volume, d->modes->count, (int)count);
    bake_pack_shares(d->elastic, d->volume, d->modes->count, (int)count);
    return TW_OK;
}

static twStatus shell_bake_shapes(ShellDraft* d, twError* err)
{
    const size_t n = (size_t)d->mesh->vertex_count, shown = (size_t)d->shown->vertex_count;
    const size_t modes = (size_t)d->modes->count;
    d->shape = malloc((3 * modes * shown + 1) * sizeof *d->shape);
    if (!d->shape) return tw_fail(err, TW_NO_MEMORY, "no memory for the shapes of %d modes", (int)modes);
    for (size_t k = 0; k < modes; k++)
        for (size_t i = 0; i < shown; i++)
        {
            const size_t v = d->of ? (size_t)d->of[i % (shown / 2)] : i;
            for (size_t a = 0; a < 3; a++)
                d->shape[3 * (k * shown + i) + a] = (float)d->modes->shape[3 * (k * n + v) + a];
        }
    return TW_OK;
}

static twStatus shell_bake_set(twModeSet** out, ShellDraft* d, const twBakeDef* def, double error, twError* err)
{
    twStatus status = d->closed ? tw_mesh_copy(&d->shown, d->mesh, err)
                                : bake_thicken(&d->shown, &d->of, d->mesh, def->thickness, err);
    if (status == TW_OK) status = shell_bake_materials(d, def, err);
    if (status == TW_OK) status = shell_bake_shapes(d, err);
    if (status != TW_OK) return status;
    const twModeSet set = {.mode_count = d->modes->count,
                           .vertex_count = d->shown->vertex_count,
                           .face_count = d->shown->face_count,
                           .rigid_modes = d->modes->rigid_modes,
                           .freq_hz = d->modes->freq_hz,
                           .shape = d->shape,
                           .vertices = d->shown->vertices,
                           .faces = d->shown->faces,
                           .mass = d->modes->mass,
                           .damping = tw_damping_materials(),
                           .error_estimate = error,
                           .material_count = d->used_count,
                           .materials = d->used,
                           .kinetic = d->used_count > 1 ? d->kinetic : NULL,
                           .elastic = d->used_count > 1 ? d->elastic : NULL};
    return tw_mode_set_create(out, &set, err);
}

// ---- all of it ----

static twStatus shell_bake_solve(ShellDraft* d, const twBakeDef* def, const BakeSource* source, twBakeReport* report,
                                 twError* err)
{
    d->closed = bake_is_hollow(source);
    double surface_error = 0;
    twStatus status = tw_shell_divide(&d->mesh, &surface_error, source->surface, SHELL_EDGE * source->size, err);
    if (status == TW_OK) status = shell_bake_regions(d->mesh, def, err);
    d->materials = bake_materials(def);
    d->held = calloc(status == TW_OK ? (size_t)d->mesh->vertex_count + 1 : 1, sizeof *d->held);
    if (status == TW_OK && (!d->held || !d->materials)) status = tw_fail(err, TW_NO_MEMORY, "no memory for the shell");
    if (status == TW_OK) status = shell_bake_hold(d->held, d->mesh, def, source, report, err);
    if (status != TW_OK) return status;
    twShellDef shell = tw_shell_def();
    shell.surface = d->mesh;
    shell.thickness = def->thickness;
    shell.hollow = d->closed;
    shell.material_count = 1 + def->region_count;
    shell.materials = d->materials;
    shell.fibre = source->fibre;
    shell.held = def->hold_count > 0 ? d->held : NULL;
    shell.count = def->count;
    shell.max_freq_hz = def->max_freq_hz;
    shell.accuracy = def->accuracy > 0 ? def->accuracy : SHELL_ACCURACY;
    shell.surface_error = surface_error;
    shell.max_operations = def->budget * TW_BAKE_RATE;
    shell.max_memory_bytes = def->max_memory_bytes;
    shell.keep_going = def->keep_going;
    shell.context = def->context;
    twError inner = {0};
    status = tw_shell_modes_create(&d->modes, &shell, &inner);
    if (status == TW_LIMIT)
        return tw_fail(
            err, status,
            "%s: a budget of %g s is too short for a first result; give more, or 0 for no limit, by 'budget' in "
            "a scene, --budget in a command",
            def->source, def->budget);
    return status == TW_OK ? TW_OK : tw_fail(err, status, "%s: %s", def->source, inner.text);
}

static void shell_bake_report(const twShellModes* modes, twBakeReport* report)
{
    report->nodes = 2 * modes->vertex_count;
    report->elements = modes->elements;
    report->rigid_modes = modes->rigid_modes;
    report->levels = modes->rounds;
    report->operations = modes->operations;
    report->peak_memory_bytes = modes->peak_memory_bytes;
    report->solve_seconds = modes->seconds;
    bake_report_errors(report, modes->error, modes->count);
    if (modes->note[0]) bake_add_note(report, modes->note, "");
}

static twStatus shell_bake_once(twModeSet** out, const twBakeDef* def, const BakeSource* source, twBakeReport* report,
                                twError* err)
{
    ShellDraft draft = {0};
    twStatus status = shell_bake_solve(&draft, def, source, report, err);
    if (status == TW_OK) shell_bake_report(draft.modes, report);
    if (status == TW_OK) status = shell_bake_set(out, &draft, def, report->error_estimate, err);
    if (status == TW_OK) bake_add_hints(*out, def, report);
    shell_bake_free(&draft);
    return status;
}

// rounds within a small budget, on a coarser surface if need be: what they cost is little beside the rest
static twStatus shell_bake_show(const twBakeDef* def, const BakeSource* source, twBakeReport* report, twError* err)
{
    const twBakeReport before = *report;
    twModeSet* set = NULL;
    twBakeDef first = *def;
    first.budget = SHELL_FIRST;
    twStatus status = shell_bake_once(&set, &first, source, report, err);
    if (status == TW_OK) status = bake_show(set, def, err);
    tw_mode_set_destroy(set);
    *report = before;
    return status == TW_LIMIT ? TW_OK : status;
}

twStatus bake_shell(twModeSet** out, const twBakeDef* def, const BakeSource* source, twBakeReport* report, twError* err)
{
    const bool more = def->budget == 0 || def->budget > SHELL_FIRST;
    const twStatus status = def->on_round && more ? shell_bake_show(def, source, report, err) : TW_OK;
    return status == TW_OK ? shell_bake_once(out, def, source, report, err) : status;
}
