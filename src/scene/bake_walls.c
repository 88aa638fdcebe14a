// SPDX-License-Identifier: MIT
// walls_: a closed surface with a thickness is a shell, as long as the theory of shells is better than what cut cells reach in the
// usual budget on such walls, some 5 %, with an estimate that holds. Thicker walls are a solid with a cavity: the surface, and the same surface moved inward by
// the thickness and turned over.

#include "bake.h"
#include "fem/shell_surface.h"
#include "mesh/copy.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WALLS_THEORY 0.08  // error of frequencies by the theory of shells, from which on walls are solid
#define WALLS_EVEN 0.1     // how far the thickness may be off
#define WALLS_MOST 0.02    // part of the vertices where it is off by more

static twStatus walls_theory(double* error, const BakeSource* source, const twBakeDef* def, twError* err)
{
    twShellDef shell = tw_shell_def();
    twError inner = {0};
    shell.surface = source->surface;
    shell.thickness = def->thickness;
    shell.hollow = true;
    shell.material_count = 1;
    shell.materials = &def->material;
    shell.fibre = source->fibre;
    const twStatus status = tw_shell_theory_error(error, &shell, &inner);
    return status == TW_OK ? TW_OK : tw_fail(err, status, "%s: %s", def->source, inner.text);
}

// whether the inner face is as far from the outer one as it should be: not where a body is narrower than two walls
static twStatus walls_are_even(bool* even, const twMesh* outer, const twMesh* inner, double thickness, twError* err)
{
    twWinding* winding;
    const twStatus status = tw_winding_create(&winding, outer, err);
    if (status != TW_OK) return status;
    int off = 0;
    for (int v = 0; v < inner->vertex_count; v++)
    {
        const double away = tw_winding_nearest(winding, inner->vertices[v], NULL, NULL);
        off += fabs(away / thickness - 1) > WALLS_EVEN || tw_winding_at(winding, inner->vertices[v]) < 0.5;
    }
    *even = off <= WALLS_MOST * inner->vertex_count;
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

twStatus bake_walls(BakeSource* source, const twBakeDef* def, twBakeReport* report, twError* err)
{
    double theory = 0;
    bool even = false;
    twMesh* inner = NULL;
    if (def->thickness == 0 || !bake_is_hollow(source)) return TW_OK;
    twStatus status = walls_theory(&theory, source, def, err);
    if (status != TW_OK || theory < WALLS_THEORY) return status;
    status = tw_mesh_copy(&inner, source->surface, err);
    if (status == TW_OK) status = shell_surface_inset(inner, def->thickness, err);
    if (status == TW_OK) status = walls_are_even(&even, source->surface, inner, def->thickness, err);
    if (status == TW_OK && even) status = walls_join(&source->walls, source->surface, inner, err);
    tw_mesh_destroy(inner);
    if (!source->walls) return status;
    bake_add_note(report, "walls are too thick for a shell: a solid with a cavity", "");
    source->note_bytes = strlen(report->note);
    return status;
}
