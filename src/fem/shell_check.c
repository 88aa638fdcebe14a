// SPDX-License-Identifier: MIT
// What can be wrong with the def of a shell, and what is to be known of its surface.
#include "fem/shell_check.h"
#include "fem/check.h"
#include "mesh/edges.h"
#include <math.h>
#include <stdlib.h>

static twStatus shell_check_wishes(const twShellDef* def, twError* err)
{
    twStatus status = fem_check_wishes(def->count, def->max_freq_hz, def->threads, err);
    if (status != TW_OK) return status;
    if (!(def->accuracy >= 0 && def->accuracy <= 1))
        return tw_fail(err, TW_BAD_INPUT, "accuracy %g: must be in (0, 1], or 0 for the usual one", def->accuracy);
    if (!(def->max_operations >= 0))
        return tw_fail(err, TW_BAD_INPUT, "at most %g operations: must be 0 (no limit) or positive",
                       def->max_operations);
    if (!(def->thickness > 0 && isfinite(def->thickness)))
        return tw_fail(err, TW_BAD_INPUT, "thickness %g m: must be positive and finite", def->thickness);
    return TW_OK;
}

static twStatus shell_check_materials(const twShellDef* def, twError* err)
{
    if (def->material_count < 1 || !def->materials)
        return tw_fail(err, TW_BAD_INPUT, "no material: give one for each region of the surface");
    for (int i = 0; i < def->material_count; i++)
    {
        const twMaterial* m = &def->materials[i];
        if (tw_material_is_orthotropic(m))
        {
            twError inner;
            twStatus status = fem_check_fibre(def->fibre, err);
            if (status != TW_OK) return status;
            status = tw_material_check(m, &inner);
            if (status != TW_OK) return tw_fail(err, status, "material of region %d: %s", i, inner.text);
        }
        const bool good = m->density > 0 && isfinite(m->density) && m->young > 0 && isfinite(m->young) &&
                          (tw_material_is_orthotropic(m) || (m->poisson > -1 && m->poisson <= 0.5));
        if (!good)
            return tw_fail(err, TW_BAD_INPUT,
                           "material of region %d: density %g kg/m^3 and Young's modulus %g Pa must be positive, "
                           "Poisson's ratio %g above -1 and at most 0.5",
                           i, m->density, m->young, m->poisson);
    }
    return TW_OK;
}

static twStatus shell_check_face(const twShellDef* def, int face, twError* err)
{
    const twMesh* mesh = def->surface;
    for (int i = 0; i < 3; i++)
    {
        const int v = mesh->faces[face].v[i];
        if (v < 0 || v >= mesh->vertex_count)
            return tw_fail(err, TW_BAD_INPUT, "face %d: vertex %d does not exist, the surface has vertices 0 to %d",
                           face, v, mesh->vertex_count - 1);
        const twVec3 x = mesh->vertices[v];
        if (!(isfinite(x.x) && isfinite(x.y) && isfinite(x.z)))
            return tw_fail(err, TW_BAD_INPUT, "face %d: the place of its vertex %d is not finite; mend the surface",
                           face, v);
        if (v == mesh->faces[face].v[(i + 1) % 3])
            return tw_fail(err, TW_BAD_INPUT, "face %d: vertex %d comes twice; mend the surface", face, v);
    }
    const int region = mesh->regions ? mesh->regions[face] : 0;
    if (region < 0 || region >= def->material_count)
        return tw_fail(err, TW_BAD_INPUT, "face %d: region %d has no material, there are materials for regions 0 to %d",
                       face, region, def->material_count - 1);
    return TW_OK;
}

// ---- measures ----

static twVec3 shell_check_vector(const twMesh* mesh, int face)
{
    const int* v = mesh->faces[face].v;
    const twVec3 a = mesh->vertices[v[0]];
    return tw_vec3_scale(tw_vec3_cross(tw_vec3_sub(mesh->vertices[v[1]], a), tw_vec3_sub(mesh->vertices[v[2]], a)),
                         0.5);
}

static void shell_measure_size(ShellShape* shape, const twMesh* mesh)
{
    twVec3 low = tw_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = tw_vec3_scale(low, -1);
    for (int c = 0; c < 3 * mesh->face_count; c++)
    {
        const twVec3 x = mesh->vertices[mesh->faces[c / 3].v[c % 3]];
        low = tw_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = tw_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    shape->diagonal = tw_vec3_norm(tw_vec3_sub(high, low));
    for (int f = 0; f < mesh->face_count; f++)
    {
        const twVec3 n = shell_check_vector(mesh, f);
        shape->area += tw_vec3_norm(n);
        shape->volume += tw_vec3_dot(n, tw_vec3_sub(mesh->vertices[mesh->faces[f].v[0]], low)) / 3;
    }
}

// what is summed over the edges of a surface
typedef struct ShellBends
{
    const twMesh* mesh;
    const twEdges* edges;
    twMat3* bend;   // (vertices) sum of angle l/2 a a^T over the smooth edges, a across the edge
    double* area;   // (vertices) a third of the faces around
    double corner;  // sum of l tan(angle/2), at most l, over the sharp ones
} ShellBends;

// An edge of length l whose faces turn by an angle: smooth ones have the curvature angle l a a^T, spread over the area around
// (Cohen-Steiner and Morvan, Restricted Delaunay triangulations and normal cycle, 2003); sharp ones are corners.
static void shell_measure_bend(ShellBends* bends, int edge)
{
    const double sharp = 0.7;  // [rad], 40 degrees, as where the surface is divided
    const int* use = bends->edges->uses + bends->edges->start[edge];
    const int* end = bends->edges->ends[edge];
    const double along = tw_edges_forward(bends->mesh, use[0]) != tw_edges_forward(bends->mesh, use[1]) ? 1 : -1;
    const twVec3 n = tw_vec3_normalize(shell_check_vector(bends->mesh, use[0] / 3));
    const twVec3 o = tw_vec3_scale(tw_vec3_normalize(shell_check_vector(bends->mesh, use[1] / 3)), along);
    const twVec3 d = tw_vec3_sub(bends->mesh->vertices[end[1]], bends->mesh->vertices[end[0]]);
    const double angle = atan2(tw_vec3_norm(tw_vec3_cross(n, o)), tw_vec3_dot(n, o)), length = tw_vec3_norm(d);
    if (angle >= sharp) bends->corner += length * fmin(1, tan(0.5 * angle));
    if (angle >= sharp) return;
    const twVec3 across = tw_vec3_normalize(tw_vec3_cross(d, tw_vec3_add(n, o)));
    const twMat3 part = tw_mat3_outer(across, tw_vec3_scale(across, 0.5 * angle * length));
    for (int i = 0; i < 18; i++) bends->bend[end[i / 9]].m[i % 9 / 3][i % 3] += part.m[i % 9 / 3][i % 3];
}

static void shell_measure_bends(ShellShape* shape, ShellBends* bends, double thickness)
{
    const twMesh* mesh = bends->mesh;
    for (int c = 0; c < 3 * mesh->face_count; c++)
        bends->area[mesh->faces[c / 3].v[c % 3]] += tw_vec3_norm(shell_check_vector(mesh, c / 3)) / 3;
    shape->closed = true;
    for (int e = 0; e < bends->edges->count; e++)
    {
        shape->closed = shape->closed && tw_edges_faces(bends->edges, e) > 1;
        if (tw_edges_faces(bends->edges, e) == 2) shell_measure_bend(bends, e);
    }
    shape->corner_share = fmin(1, thickness * bends->corner / shape->area);
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        double sum = 0;
        for (int i = 0; i < 9; i++) sum += pow(bends->bend[v].m[i / 3][i % 3], 2);
        const double area = bends->area[v], curvature = area > 0 ? thickness * sqrt(sum) / area : 0;
        shape->curvature += area / shape->area * pow(fmin(1, curvature), 2);
    }
}

static twStatus shell_measure_edges(ShellShape* shape, const twMesh* mesh, double thickness, twError* err)
{
    twEdges* edges;
    const twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    const size_t vertices = (size_t)mesh->vertex_count;
    ShellBends bends = {.mesh = mesh,
                        .edges = edges,
                        .bend = calloc(vertices, sizeof *bends.bend),
                        .area = calloc(vertices, sizeof *bends.area)};
    const bool room = bends.bend && bends.area;
    if (room) shell_measure_bends(shape, &bends, thickness);
    free(bends.bend);
    free(bends.area);
    tw_edges_destroy(edges);
    return room ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for %d vertices", mesh->vertex_count);
}

// Whether another sheet runs along a face nearer than five times the thickness, on one side: a point half that
// far away is nearer to the other than to the face.
static bool shell_measure_close(const twWinding* near, const twMesh* mesh, int face, double reach)
{
    const int* v = mesh->faces[face].v;
    const twVec3 n = tw_vec3_normalize(shell_check_vector(mesh, face));
    const twVec3 sum = tw_vec3_add(tw_vec3_add(mesh->vertices[v[0]], mesh->vertices[v[1]]), mesh->vertices[v[2]]);
    int other;
    const double distance =
        tw_winding_nearest(near, tw_vec3_add_scaled(tw_vec3_scale(sum, 1.0 / 3), n, reach), NULL, &other);
    const double along = fabs(tw_vec3_dot(n, tw_vec3_normalize(shell_check_vector(mesh, other))));
    return distance < 0.9 * fabs(reach) && along > 0.8;
}

// both sides of some of the faces
static twStatus shell_measure_sheets(ShellShape* shape, const twMesh* mesh, double thickness, twError* err)
{
    const int samples = 200, step = mesh->face_count / samples + 1;
    twWinding* near;
    const twStatus status = tw_winding_create(&near, mesh, err);
    if (status != TW_OK) return status;
    int all = 0, close = 0;
    for (int f = 0; f < mesh->face_count; f += step, all++)
        close +=
            shell_measure_close(near, mesh, f, 2.5 * thickness) || shell_measure_close(near, mesh, f, -2.5 * thickness);
    shape->close_share = (double)close / all;
    tw_winding_destroy(near);
    return TW_OK;
}

static twStatus shell_check_thickness(const ShellShape* shape, const twShellDef* def, twError* err)
{
    const double width = shape->area / shape->diagonal, depth = fabs(shape->volume) / shape->area;
    if (def->thickness > width)
        return tw_fail(err, TW_BAD_INPUT, "thickness %g m is more than the surface is wide, about %g m: no shell",
                       def->thickness, width);
    if (def->hollow && shape->closed && def->thickness > depth)
        return tw_fail(
            err, TW_BAD_INPUT,
            "walls of thickness %g m are too thick for a shell: its volume over its surface is %g m; leave the "
            "thickness out to have it solid",
            def->thickness, depth);
    return TW_OK;
}

twStatus shell_measure(ShellShape* shape, const twShellDef* def, twError* err)
{
    *shape = (ShellShape){0};
    const twMesh* mesh = def->surface;
    if (!mesh || mesh->face_count < 1 || mesh->vertex_count < 3 || !mesh->vertices || !mesh->faces)
        return tw_fail(err, TW_BAD_INPUT, "the surface is empty: it needs at least one triangle");
    twStatus status = shell_check_wishes(def, err);
    if (status == TW_OK) status = shell_check_materials(def, err);
    for (int f = 0; status == TW_OK && f < mesh->face_count; f++) status = shell_check_face(def, f, err);
    if (status != TW_OK) return status;
    shell_measure_size(shape, mesh);
    if (!(shape->diagonal > 1e-12 && shape->diagonal < 1e12 && shape->area > 1e-10 * shape->diagonal * shape->diagonal))
        return tw_fail(err, TW_BAD_INPUT, "the surface is %g m across with an area of %g m^2: no such can be handled",
                       shape->diagonal, shape->area);
    status = shell_measure_edges(shape, mesh, def->thickness, err);
    return status == TW_OK ? shell_measure_sheets(shape, mesh, def->thickness, err) : status;
}

twStatus shell_check(ShellShape* shape, const twShellDef* def, twError* err)
{
    const twStatus status = shell_measure(shape, def, err);
    return status == TW_OK ? shell_check_thickness(shape, def, err) : status;
}
