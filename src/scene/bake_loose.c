// SPDX-License-Identifier: MIT
// What it costs that balls, boxes and half-spaces are cut along the elements.
//
// Where a part's border runs through elements, some matter is counted to the wrong side. To first order, matter with the
// share V of a mode's elastic and T of its kinetic energy changes the mode's w^2 relatively by
//     + V                                             if it should be held and is not,
//     +- V (1 - least E / greatest E) - T (r'/r - 1)  if it should have the density r' instead of r, and another E.
// How much of an element is on the wrong side is found by points in it. For a frequency half of that counts.

#include "bake.h"
#include <math.h>
#include <stdlib.h>

#define GRID 4  // points per edge of an element, less one, inset

// what a point of an element should be: its material, and whether it is held
typedef struct Wish
{
    int material;
    bool held;
} Wish;

static Wish wish_at(const twBakeDef* def, const BakeSource* source, int tet, twVec3 p)
{
    Wish wish = {0, false};
    for (int i = 0; i < def->region_count; i++)
    {
        int region;
        const twPart* part = &def->regions[i].part;
        if (part->kind == TW_PART_BALL || part->kind == TW_PART_BOX)
        {
            if (tw_part_distance(part, p) <= 0) wish.material = i + 1;
        }
        else if (part->kind == TW_PART_REGION && bake_find_region(def, source, part->region, &region, NULL) == TW_OK &&
                 (source->tets->regions ? source->tets->regions[tet] : 0) == region)
            wish.material = i + 1;
    }
    for (int i = 0; i < def->hold_count; i++)
        if (def->holds[i].kind == TW_PART_BALL || def->holds[i].kind == TW_PART_BOX)
            wish.held = wish.held || tw_part_distance(&def->holds[i], p) <= 0;
    return wish;
}

// parts of an element that should be held, or of each material (materials)
static void measure(const twBakeDef* def, const BakeSource* source, const twTetMesh* tets, int tet, double* held,
                    double* material)
{
    const int* n = tets->tets[tet].n;
    int count = 0;
    *held = 0;
    for (int i = 0; i <= def->region_count; i++) material[i] = 0;
    for (int a = 0; a < GRID; a++)
        for (int b = 0; a + b < GRID; b++)
            for (int c = 0; a + b + c < GRID; c++, count++)
            {
                // barycentric, shifted off the faces
                double l[3] = {(a + 0.25) / GRID, (b + 0.25) / GRID, (c + 0.25) / GRID}, last = 1 - l[0] - l[1] - l[2];
                twVec3 p = tw_vec3_scale(tets->nodes[n[3]], last);
                for (int k = 0; k < 3; k++) p = tw_vec3_add(p, tw_vec3_scale(tets->nodes[n[k]], l[k]));
                Wish wish = wish_at(def, source, tet, p);
                *held += wish.held;
                material[wish.material]++;
            }
    *held /= count;
    for (int i = 0; i <= def->region_count; i++) material[i] /= count;
}

static bool is_held(const twTetMesh* tets, int tet, const bool* held)
{
    for (int i = 0; i < 4; i++)
        if (!held[tets->tets[tet].n[i]]) return false;
    return true;
}

// change of w^2 by one element for each mode, added to sum (modes)
static void add_element(const twFemDef* fem, const BakeLevel* level, int tet, double held, const double* material,
                        double* energy, double* sum)
{
    const twFemModes* modes = level->modes;
    double *kinetic = energy, *elastic = energy + modes->count, stretch = held, weight = 0;
    const twMaterial* is = &fem->materials[level->tets->regions ? level->tets->regions[tet] : 0];
    for (int i = 0; i < fem->material_count; i++)
    {
        const twMaterial* should = &fem->materials[i];
        double least = fmin(is->young, should->young), greatest = fmax(is->young, should->young);
        stretch += material[i] * (should->young > is->young ? 1 : -1) * (1 - least / greatest);
        weight += material[i] * (should->density / is->density - 1);
    }
    if (stretch == 0 && weight == 0) return;
    tw_fem_tet_energy(modes, fem, tet, kinetic, elastic);
    for (int k = 0; k < modes->count; k++) sum[k] += elastic[k] * stretch - kinetic[k] * weight;
}

static bool has_loose_parts(const twBakeDef* def)
{
    bool loose = false;
    for (int i = 0; i < def->region_count; i++) loose = loose || def->regions[i].part.kind != TW_PART_REGION;
    for (int i = 0; i < def->hold_count; i++)
        loose = loose || def->holds[i].kind == TW_PART_BALL || def->holds[i].kind == TW_PART_BOX;
    return loose;
}

double bake_loose(const twBakeDef* def, const BakeSource* source, const BakeLevel* level, const twFemDef* fem)
{
    if (!has_loose_parts(def)) return 0;
    size_t modes = (size_t)level->modes->count;
    double *sum = calloc(3 * modes + 1, sizeof *sum), *part = calloc((size_t)fem->material_count, sizeof *part),
           most = 0;
    bool* held = calloc((size_t)level->tets->node_count + 1, sizeof *held);
    if (sum && part && held)
    {
        for (int i = 0; i < fem->fixed_count; i++) held[fem->fixed_nodes[i]] = true;
        for (int t = 0; t < level->tets->tet_count; t++)
        {
            double wish;
            if (def->hold_count && is_held(level->tets, t, held)) continue;
            measure(def, source, level->tets, t, &wish, part);
            add_element(fem, level, t, wish, part, sum + modes, sum);
        }
        for (size_t k = 0; k < modes; k++) most = fmax(most, 0.5 * fabs(sum[k]));
    }
    free(sum);
    free(part);
    free(held);
    return most;
}
