// SPDX-License-Identifier: MIT
// walls_: a surface with a thickness is a shell, as long as the theory of shells is better than what cut cells reach in the usual
// budget on such walls, some 5 %, with an estimate that holds. Thicker walls are a solid. Of a closed surface it has a cavity: the
// surface, and the same surface moved inward by the thickness and turned over. Of a sheet it is the space between its two sides.

#include "bake.h"
#include "fem/shell_surface.h"
#include "mesh/copy.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WALLS_THEORY 0.08  // error of frequencies by the theory of shells, from which on walls are solid
#define WALLS_EVEN 0.1     // how much thinner walls may be in places
#define WALLS_MOST 0.02    // part of the vertices where they are thinner than that

static twStatus walls_theory(double* error, const BakeSource* source, const twBakeDef* def, bool hollow, twError* err)
{
    twShellDef shell = tw_shell_def();
    twError inner = {0};
    shell.surface = source->surface;
    shell.thickness = def->thickness;
    shell.hollow = hollow;
    shell.material_count = 1;
    shell.materials = &def->material;
    shell.fibre = source->fibre;
    shell.count = def->count;
    shell.max_freq_hz = def->max_freq_hz;
    const twStatus status = tw_shell_theory_error(error, &shell, &inner);
    return status == TW_OK ? TW_OK : tw_fail(err, status, "%s: %s", def->source, inner.text);
}

// Whether the vertices of a face of the wall are as far from the surface as they should be: not where the surface is narrower than
// two walls, or bent more sharply than a wall. Within a closed surface they must be inside it.
static twStatus walls_are_even(bool* even, const twMesh* surface, bool hollow, const twMesh* face, double distance,
                               twError* err)
{
    twWinding* winding;
    const twStatus status = tw_winding_create(&winding, surface, err);
    if (status != TW_OK) return status;
    int off = 0;
    for (int v = 0; v < face->vertex_count; v++)
    {
        const double away = tw_winding_nearest(winding, face->vertices[v], NULL, NULL);
        off += away < (1 - WALLS_EVEN) * distance || (hollow && tw_winding_at(winding, face->vertices[v]) < 0.5);
    }
    *even = off <= WALLS_MOST * face->vertex_count;
    tw_winding_destroy(winding);
    return TW_OK;
}

// outer, and inner turned over
static twStatus walls_join(twMesh** out, const twMesh* outer, const twMesh* inner, twError* err)
{
    const int vertices = outer->vertex_count, faces = outer->face_count;
    const twStatus status = tw_mesh_create(out, 2 * vertices, 2 * faces, err);
    if (status != TW_OK) return status;
    memcpy((*out)->vertices, outer->vertices, (size_t)vertices * sizeof *outer->vertices);
    memcpy((*out)->vertices + vertices, inner->vertices, (size_t)vertices * sizeof *inner->vertices);
    memcpy((*out)->faces, outer->faces, (size_t)faces * sizeof *outer->faces);
    for (int f = 0; f < faces; f++)
    {
        const int* v = inner->faces[f].v;
        (*out)->faces[faces + f] = (twTriangle){{v[0] + vertices, v[2] + vertices, v[1] + vertices}};
    }
    return TW_OK;
}

static twStatus walls_hollow(BakeSource* source, double thickness, twError* err)
{
    bool even = false;
    twMesh* inner = NULL;
    twStatus status = tw_mesh_copy(&inner, source->surface, err);
    if (status == TW_OK) status = shell_surface_inset(inner, thickness, err);
    if (status == TW_OK) status = walls_are_even(&even, source->surface, true, inner, thickness, err);
    if (status == TW_OK && even) status = walls_join(&source->walls, source->surface, inner, err);
    source->solid = source->walls != NULL;
    tw_mesh_destroy(inner);
    return status;
}

// both sides and the rims take the place of the sheet
static twStatus walls_sheet(BakeSource* source, double thickness, twError* err)
{
    twMesh* sides = NULL;
    twStatus status = bake_thicken(&sides, NULL, source->surface, thickness, err);
    if (status == TW_OK) status = walls_are_even(&source->solid, source->surface, false, sides, 0.5 * thickness, err);
    if (status == TW_OK && source->solid)
    {
        twMesh* sheet = source->surface;
        source->surface = sides;
        source->mended = tw_mesh_check(sides);
        sides = sheet;
    }
    tw_mesh_destroy(sides);
    return status;
}

twStatus bake_walls(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err)
{
    double theory = 0;
    const bool hollow = bake_is_hollow(source);
    if (def->thickness == 0 || (!hollow && source->mended.boundary_edges == 0)) return TW_OK;
    if (def->thickness > source->size)
        return tw_fail(err, TW_BAD_INPUT,
                       "%s: a thickness of %g m is more than its longest side, %g m; a thickness is in metres",
                       def->source, def->thickness, source->size);
    twStatus status = walls_theory(&theory, source, def, hollow, err);
    if (status != TW_OK || theory < WALLS_THEORY) return status;
    status = hollow ? walls_hollow(source, def->thickness, err) : walls_sheet(source, def->thickness, err);
    if (!source->solid) return status;
    bake_add_note(report, "walls are too thick for a shell: a solid", hollow ? " with a cavity" : "");
    source->note_bytes = strlen(report->note);
    return status;
}
