// SPDX-License-Identifier: MIT
// From modes in cut cells or at the nodes of tets to a mode set: shapes at the surface, and inside if wanted; materials and
// their shares of the energy.

#include "bake.h"
#include "mesh/copy.h"
#include <stdlib.h>
#include <string.h>

// What a set points to while it is made.
typedef struct Draft
{
    twMesh* surface;
    int* node_of;  // mesh node of each node of the set: vertices, then inner nodes
    int inner_count;
    float *shape, *inner_shape;
    twVec3* inner;
    double *kinetic, *elastic;
    int *tets, *tet_materials;
    twModeMaterial* materials;
    int material_count;
    int* used;       // material of the set for each one of the def, -1: not used
    double* volume;  // of each one of the def [m^3]
    twMassProperties mass;
} Draft;

static void draft_free(Draft* d)
{
    tw_mesh_destroy(d->surface);
    void* const blocks[] = {d->node_of,   d->shape, d->inner_shape, d->inner,         d->kinetic, d->elastic,
                            d->materials, d->used,  d->tets,        d->tet_materials, d->volume};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

static int set_count(const BakeLevel* level)
{
    return level->cells ? tw_cells_round(level->cells)->count : level->modes->count;
}

static twStatus no_memory(const BakeLevel* level, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "no memory for the shapes of %d modes", set_count(level));
}

// ---- materials ----

twModeMaterial bake_material_of(const twMaterial* m, double volume, double wall)
{
    twModeMaterial out = {.density = m->density,
                          .young = m->young,
                          .poisson = m->poisson,
                          .alpha = m->alpha,
                          .beta = m->beta,
                          .loss_factor = m->loss_factor,
                          .volume = volume,
                          .thermoelastic = tw_material_thermoelastic(m, wall)};
    snprintf(out.name, sizeof out.name, "%s", m->name ? m->name : "");
    return out;
}

double bake_wall(const twMesh* surface, double volume)
{
    double area = 0;
    for (int f = 0; f < surface->face_count; f++)
    {
        const int* v = surface->faces[f].v;
        const twVec3 *x = surface->vertices, a = tw_vec3_sub(x[v[1]], x[v[0]]), b = tw_vec3_sub(x[v[2]], x[v[0]]);
        area += 0.5 * tw_vec3_norm(tw_vec3_cross(a, b));
    }
    return area > 0 ? 2 * volume / area : 0;
}

// mass and volume (of each material) of tets
static twMassProperties set_mass_of_tets(double* volume, const twTetMesh* tets, const twMaterial* materials,
                                         double* density, int count)
{
    for (int i = 0; i < count; i++)
    {
        density[i] = 1;
        volume[i] = tw_tets_mass(tets, density).mass;
        density[i] = 0;
    }
    for (int i = 0; i < count; i++) density[i] = materials[i].density;
    return tw_tets_mass(tets, density);
}

// the materials that are used, their volumes, and the body's mass
static twStatus take_materials(Draft* d, const twBakeDef* def, const BakeLevel* level, twError* err)
{
    int count = 1 + def->region_count;
    twMaterial* all = bake_materials(def);
    double* density = calloc((size_t)count, sizeof *density);
    d->materials = calloc((size_t)count, sizeof *d->materials);
    d->used = malloc((size_t)count * sizeof *d->used);
    d->volume = calloc((size_t)count, sizeof *d->volume);
    const bool room = all && density && d->materials && d->used && d->volume;
    if (room)
    {
        d->mass = level->cells ? tw_cells_mass(level->cells, d->volume)
                               : set_mass_of_tets(d->volume, level->tets, all, density, count);
        double whole = 0;
        for (int i = 0; i < count; i++) whole += d->volume[i];
        const double wall = bake_wall(d->surface, whole);
        for (int i = 0; i < count; i++)
        {
            d->used[i] = d->volume[i] > 0 ? d->material_count : -1;
            if (d->volume[i] > 0) d->materials[d->material_count++] = bake_material_of(&all[i], d->volume[i], wall);
        }
    }
    free(all);
    free(density);
    return room ? TW_OK : no_memory(level, err);
}

void bake_pack_shares(double* shares, const double* volume, int modes, int materials)
{
    double* to = shares;
    for (int k = 0; k < modes; k++)
        for (int i = 0; i < materials; i++)
            if (volume[i] > 0) *to++ = shares[(size_t)k * (size_t)materials + (size_t)i];
}

static twStatus take_energy(Draft* d, const twBakeDef* def, const BakeLevel* level, twError* err)
{
    if (d->material_count < 2) return TW_OK;
    const int modes = set_count(level);
    size_t count = (size_t)(1 + def->region_count), values = count * (size_t)modes + 1;
    twMaterial* all = bake_materials(def);
    d->kinetic = malloc(values * sizeof *d->kinetic);
    d->elastic = malloc(values * sizeof *d->elastic);
    twStatus status = all && d->kinetic && d->elastic ? TW_OK : no_memory(level, err);
    if (status == TW_OK && level->cells) status = tw_cells_energy(level->cells, d->kinetic, d->elastic, err);
    if (status == TW_OK && !level->cells)
    {
        twFemDef fem = tw_fem_def();
        fem.tets = level->tets;
        fem.linear = def->linear;
        fem.material_count = (int)count;
        fem.materials = all;
        fem.fibre = level->fibre;
        status = tw_fem_energy(level->modes, &fem, d->kinetic, d->elastic, err);
    }
    if (status == TW_OK)
    {
        bake_pack_shares(d->kinetic, d->volume, modes, (int)count);
        bake_pack_shares(d->elastic, d->volume, modes, (int)count);
    }
    free(all);
    return status;
}

// ---- nodes ----

// the vertices come first, then all other nodes of the mesh in their order. index_of (nodes) is the way back
static twStatus order_nodes(Draft* d, const BakeLevel* level, int** index_of, twError* err)
{
    int nodes = level->tets->node_count, vertices = d->surface->vertex_count;
    int* larger = realloc(d->node_of, ((size_t)nodes + 1) * sizeof *larger);
    *index_of = malloc(((size_t)nodes + 1) * sizeof **index_of);
    if (larger) d->node_of = larger;
    if (!larger || !*index_of) return no_memory(level, err);
    for (int i = 0; i < nodes; i++) (*index_of)[i] = -1;
    for (int i = 0; i < vertices; i++) (*index_of)[d->node_of[i]] = i;
    for (int i = 0; i < nodes; i++)
    {
        if ((*index_of)[i] >= 0) continue;
        d->node_of[vertices + d->inner_count] = i;
        (*index_of)[i] = vertices + d->inner_count++;
    }
    return TW_OK;
}

static twStatus take_tets(Draft* d, const BakeLevel* level, const int* index_of, twError* err)
{
    const twTetMesh* mesh = level->tets;
    size_t per = mesh->mid_nodes ? 10 : 4, tets = (size_t)mesh->tet_count;
    d->tets = malloc(per * tets * sizeof(int));
    d->tet_materials = malloc(tets * sizeof(int));
    d->inner = malloc(((size_t)d->inner_count + 1) * sizeof *d->inner);
    if (!d->tets || !d->tet_materials || !d->inner) return no_memory(level, err);
    for (size_t t = 0; t < tets; t++)
    {
        for (size_t i = 0; i < per; i++)
            d->tets[per * t + i] = index_of[i < 4 ? mesh->tets[t].n[i] : mesh->mid_nodes[t][i - 4]];
        const int used = d->used[mesh->regions ? mesh->regions[t] : 0];
        d->tet_materials[t] = used < 0 ? 0 : used;  // a tet may reach into a material that the body has nothing of
    }
    for (int i = 0; i < d->inner_count; i++) d->inner[i] = mesh->nodes[d->node_of[d->surface->vertex_count + i]];
    return TW_OK;
}

// shapes at points, which are nodes of the tets if there are no cells, in a new array
static twStatus gather_shapes(float** out, const BakeLevel* level, const twVec3* points, const int* node_of, int count,
                              twError* err)
{
    const twFemModes* modes = level->modes;
    float* to = *out = malloc((3 * (size_t)set_count(level) * (size_t)count + 1) * sizeof **out);
    if (!to) return no_memory(level, err);
    if (level->cells) return tw_cells_shapes(level->cells, points, count, to, err);
    for (int k = 0; k < modes->count; k++)
        for (int i = 0; i < count; i++)
        {
            const size_t node = (size_t)k * (size_t)modes->node_count + (size_t)node_of[i];
            for (size_t axis = 0; axis < 3; axis++) *to++ = (float)modes->shape[3 * node + axis];
        }
    return TW_OK;
}

static twStatus take_inside(Draft* d, const BakeLevel* level, twError* err)
{
    int* index_of = NULL;
    twStatus status = order_nodes(d, level, &index_of, err);
    if (status == TW_OK) status = take_tets(d, level, index_of, err);
    free(index_of);
    if (status != TW_OK) return status;
    return gather_shapes(&d->inner_shape, level, d->inner, d->node_of + d->surface->vertex_count, d->inner_count, err);
}

// ---- the set ----

static twStatus finish(twModeSet** out, const Draft* d, const BakeLevel* level, double error_estimate, twError* err)
{
    const twCellsRound* round = level->cells ? tw_cells_round(level->cells) : NULL;
    twModeSet set = {.mode_count = set_count(level),
                     .vertex_count = d->surface->vertex_count,
                     .face_count = d->surface->face_count,
                     .rigid_modes = round ? round->rigid_modes : level->modes->rigid_modes,
                     .freq_hz = round ? round->freq_hz : level->modes->freq_hz,
                     .shape = d->shape,
                     .vertices = d->surface->vertices,
                     .faces = d->surface->faces,
                     .mass = d->mass,
                     .damping = tw_damping_materials(),
                     .error_estimate = error_estimate,
                     .material_count = d->material_count,
                     .materials = d->materials,
                     .kinetic = d->kinetic,
                     .elastic = d->elastic};
    if (d->tets)
    {
        set.tet_count = level->tets->tet_count;
        set.nodes_per_tet = level->tets->mid_nodes ? 10 : 4;
        set.inner_count = d->inner_count;
        set.tets = d->tets;
        set.tet_materials = d->material_count > 1 ? d->tet_materials : NULL;
        set.inner = d->inner;
        set.inner_shape = d->inner_shape;
    }
    return tw_mode_set_create(out, &set, err);
}

twStatus bake_set(twModeSet** out, const twBakeDef* def, const BakeLevel* level, double error_estimate, twError* err)
{
    Draft d = {0};
    twStatus status = level->tets ? tw_tets_surface(&d.surface, &d.node_of, level->tets, err)
                                  : tw_mesh_copy(&d.surface, level->surface, err);
    if (status == TW_OK) status = take_materials(&d, def, level, err);
    if (status == TW_OK) status = take_energy(&d, def, level, err);
    if (status == TW_OK)
        status = gather_shapes(&d.shape, level, d.surface->vertices, d.node_of, d.surface->vertex_count, err);
    if (status == TW_OK && def->with_tets) status = take_inside(&d, level, err);
    if (status == TW_OK) status = finish(out, &d, level, error_estimate, err);
    draft_free(&d);
    return status;
}
