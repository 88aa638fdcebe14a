// SPDX-License-Identifier: MIT
// Mending, in this order: faces on bad coordinates and vertices of no face go; duplicate vertices become one; faces
// without area go; cracks are closed; duplicate faces go; faces are turned outward; vertices left behind go. Every step
// leaves a valid mesh for the next.
#include "mesh/mend.h"
#include <stdlib.h>

// ---- parts ----

bool tw_mesh_box(const twMesh* mesh, twVec3* low, twVec3* high)
{
    bool found = false;
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        twVec3 p = mesh->vertices[v];
        if (!tw_is_place(p)) continue;
        *low = found ? tw_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)) : p;
        *high = found ? tw_vec3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)) : p;
        found = true;
    }
    return found;
}

void tw_mesh_keep_faces(twMesh* mesh, const unsigned char* keep)
{
    int count = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        if (!keep[f]) continue;
        mesh->faces[count] = mesh->faces[f];
        if (mesh->regions) mesh->regions[count] = mesh->regions[f];
        count++;
    }
    mesh->face_count = count;
}

// drop faces with wrong indices or coordinates
static void drop_bad(twMesh* mesh, unsigned char* keep, twMeshReport* report)
{
    for (int v = 0; v < mesh->vertex_count; v++) report->bad_coordinates += !tw_is_place(mesh->vertices[v]);
    for (int f = 0; f < mesh->face_count; f++)
    {
        bool valid = true, placed = true;
        for (int i = 0; i < 3; i++)
        {
            int v = mesh->faces[f].v[i];
            valid = valid && v >= 0 && v < mesh->vertex_count;
            placed = placed && valid && tw_is_place(mesh->vertices[v]);
        }
        keep[f] = placed;
        report->degenerate_faces += !valid;
    }
    tw_mesh_keep_faces(mesh, keep);
}

static void drop_repeated(twMesh* mesh, unsigned char* keep, twMeshReport* report)
{
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        keep[f] = v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
        report->degenerate_faces += !keep[f];
    }
    tw_mesh_keep_faces(mesh, keep);
}

// make vertices that are near one; a face refers to the first of them
static twStatus merge(twMesh* mesh, int* scratch, double tolerance, twMeshReport* report, twError* err)
{
    twVec3 low, high;
    if (!tw_mesh_box(mesh, &low, &high)) return TW_OK;
    double distance = tolerance * tw_vec3_norm(tw_vec3_sub(high, low));
    int merged = tw_merge_vertices(scratch, mesh, distance);
    if (merged < 0) return tw_fail(err, TW_NO_MEMORY, "no memory to merge %d vertices", mesh->vertex_count);
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++) mesh->faces[f].v[i] = scratch[mesh->faces[f].v[i]];
    report->merged_vertices = merged;
    return TW_OK;
}

// drop vertices without faces. @return how many
static int drop_isolated(twMesh* mesh, int* scratch)
{
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) scratch[v] = -1;
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++) scratch[mesh->faces[f].v[i]] = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        if (scratch[v] < 0) continue;
        mesh->vertices[count] = mesh->vertices[v];
        scratch[v] = count++;
    }
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++) mesh->faces[f].v[i] = scratch[mesh->faces[f].v[i]];
    int dropped = mesh->vertex_count - count;
    mesh->vertex_count = count;
    return dropped;
}

// close cracks, unless only equal vertices are to be merged
static twStatus stitch(twMesh* mesh, unsigned char** keep, double tolerance, twMeshReport* report, twError* err)
{
    int joined = 0, split = 0;
    twStatus status = tolerance > 0 ? tw_stitch_cracks(mesh, &joined, &split, err) : TW_OK;
    if (status != TW_OK) return status;
    report->merged_vertices += joined;
    report->split_faces = split;
    unsigned char* larger = realloc(*keep, (size_t)mesh->face_count + 1);
    if (!larger) return tw_fail(err, TW_NO_MEMORY, "no memory to mend %d faces", mesh->face_count);
    *keep = larger;
    drop_repeated(mesh, *keep, report);
    return TW_OK;
}

// ---- the whole ----

twStatus tw_mend_faces(twMesh* mesh, double tolerance, twMeshReport* report, twError* err)
{
    unsigned char* keep = malloc((size_t)mesh->face_count + 1);
    int* scratch = malloc(((size_t)mesh->vertex_count + 1) * sizeof *scratch);
    twStatus status = TW_OK;
    if (!keep || !scratch)
        status = tw_fail(err, TW_NO_MEMORY, "no memory to mend %d faces", mesh->face_count);
    else
    {
        // stray vertices would spoil the size that the tolerance is a part of
        drop_bad(mesh, keep, report);
        report->isolated_vertices = drop_isolated(mesh, scratch) - report->bad_coordinates;
        status = merge(mesh, scratch, tolerance, report, err);
    }
    int slivers = 0;
    if (status == TW_OK)
    {
        drop_repeated(mesh, keep, report);
        status = tw_remove_slivers(mesh, &slivers, err);
        report->degenerate_faces += slivers;
    }
    if (status == TW_OK) status = stitch(mesh, &keep, tolerance, report, err);
    if (status == TW_OK) status = tw_remove_duplicates(mesh, &report->duplicate_faces, err);
    if (status == TW_OK) status = tw_orient_faces(mesh, &report->flipped_faces, &report->cavities, err);
    if (status == TW_OK) report->isolated_vertices += drop_isolated(mesh, scratch) - report->merged_vertices;
    free(keep);
    free(scratch);
    return status;
}

twStatus tw_mesh_mend(twMesh* mesh, double tolerance, twMeshReport* report, twError* err)
{
    twMeshReport unused;
    if (!report) report = &unused;
    *report = (twMeshReport){0};
    if (!(tolerance >= 0 && tolerance <= 0.1))
        return tw_fail(err, TW_BAD_INPUT, "merging within %g of the size: must be between 0 and 0.1", tolerance);
    twVec3 low, high;
    double size = tw_mesh_box(mesh, &low, &high) ? tw_vec3_norm(tw_vec3_sub(high, low)) : 0;
    twStatus status = tw_mend_faces(mesh, tolerance, report, err);
    if (status == TW_OK) status = tw_check_topology(report, mesh, err);
    if (status == TW_OK && mesh->face_count == 0)
        status = tw_fail(err, TW_BAD_INPUT,
                         "no face is left: %d without area in a box %g m across, %d duplicate, %d vertices with "
                         "coordinates that are not finite; export the mesh again",
                         report->degenerate_faces, size, report->duplicate_faces, report->bad_coordinates);
    return status;
}
