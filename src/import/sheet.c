// SPDX-License-Identifier: MIT
// From a part of a plane to a plate: its faces, the same again behind it and turned, and walls along its rim.
#include "import/sheet.h"
#include "mesh/table.h"
#include <math.h>
#include <stdlib.h>

#define FLAT 1e-6   // of the size: all within this of a plane
#define MERGE 1e-9  // of the size: vertices closer than this are one

static double size_of(const twMesh* mesh)
{
    twVec3 low = tw_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = tw_vec3_scale(low, -1);
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        const twVec3 p = mesh->vertices[v];
        low = tw_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return tw_vec3_norm(tw_vec3_sub(high, low));
}

static twVec3 face_normal(const twMesh* mesh, int face)
{
    const int* v = mesh->faces[face].v;
    const twVec3 a = tw_vec3_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]);
    return tw_vec3_cross(a, tw_vec3_sub(mesh->vertices[v[2]], mesh->vertices[v[0]]));
}

// the normal of the plane that all vertices lie in, on the side that most faces look to; false: there is none
static bool find_plane(const twMesh* mesh, double size, twVec3* normal)
{
    twVec3 largest = {0, 0, 0}, sum = {0, 0, 0};
    double area = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        const twVec3 n = face_normal(mesh, f);
        if (tw_vec3_norm(n) > tw_vec3_norm(largest)) largest = n;
        sum = tw_vec3_add(sum, n);
        area += tw_vec3_norm(n);
    }
    if (!(tw_vec3_norm(largest) > 0) || !isfinite(size)) return false;
    *normal = tw_vec3_normalize(largest);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (!(fabs(tw_vec3_dot(*normal, tw_vec3_sub(mesh->vertices[v], mesh->vertices[mesh->faces[0].v[0]]))) <=
              FLAT * size))
            return false;
    // two sides back to back are not a front
    if (!(tw_vec3_norm(sum) > 0.5 * area)) return false;
    if (tw_vec3_dot(sum, *normal) < 0) *normal = tw_vec3_scale(*normal, -1);
    return true;
}

// edges of one face, as they run in it
static twStatus find_rim(const twMesh* mesh, int (**rim)[2], int* count, twError* err)
{
    twTable edges = {0};
    bool fine = true;
    *count = 0;
    *rim = malloc(((size_t)mesh->face_count * 3 + 1) * sizeof **rim);
    for (int f = 0; f < mesh->face_count && fine; f++)
        for (int k = 0; k < 3 && fine; k++)
            fine = tw_table_put(&edges, mesh->faces[f].v[k], mesh->faces[f].v[(k + 1) % 3], 0, f) != NULL;
    for (int f = 0; f < mesh->face_count && fine && *rim; f++)
        for (int k = 0; k < 3; k++)
        {
            const int a = mesh->faces[f].v[k], b = mesh->faces[f].v[(k + 1) % 3];
            if (tw_table_slot(&edges, b, a, 0)->key[0] != TW_TABLE_EMPTY) continue;
            (*rim)[*count][0] = a;
            (*rim)[(*count)++][1] = b;
        }
    tw_table_clear(&edges);
    if (fine && *rim) return TW_OK;
    free(*rim);
    return tw_fail(err, TW_NO_MEMORY, "no memory for a plate");
}

static twStatus extrude(twMesh** out, const twMesh* front, twVec3 way, twError* err)
{
    int(*rim)[2], rims;
    twStatus status = find_rim(front, &rim, &rims, err);
    if (status != TW_OK) return status;
    const int n = front->vertex_count, m = front->face_count;
    status = tw_mesh_create(out, 2 * n, 2 * m + 2 * rims, err);
    for (int v = 0; v < n && status == TW_OK; v++)
    {
        (*out)->vertices[v] = front->vertices[v];
        (*out)->vertices[n + v] = tw_vec3_add(front->vertices[v], way);
    }
    for (int f = 0; f < m && status == TW_OK; f++)
    {
        const int* v = front->faces[f].v;
        (*out)->faces[f] = front->faces[f];
        (*out)->faces[m + f] = (twTriangle){{n + v[0], n + v[2], n + v[1]}};
    }
    for (int i = 0; i < rims && status == TW_OK; i++)
    {
        const int a = rim[i][0], b = rim[i][1];
        (*out)->faces[2 * m + 2 * i] = (twTriangle){{b, a, n + a}};
        (*out)->faces[2 * m + 2 * i + 1] = (twTriangle){{b, n + a, n + b}};
    }
    free(rim);
    return status;
}

twStatus sheet_thicken(twMesh** mesh, bool* flat, twVec3* normal, twError* err)
{
    const double size = size_of(*mesh);
    twMeshReport mended;
    twMesh* plate;
    *flat = find_plane(*mesh, size, normal);
    if (!*flat) return TW_OK;
    // joined at their edges, all faces to the front
    if (tw_mesh_mend(*mesh, MERGE, &mended, err) != TW_OK) return TW_BAD_INPUT;
    for (int f = 0; f < (*mesh)->face_count; f++)
    {
        int* v = (*mesh)->faces[f].v;
        if (tw_vec3_dot(face_normal(*mesh, f), *normal) > 0) continue;
        const int swap = v[1];
        v[1] = v[2];
        v[2] = swap;
    }
    const twStatus status = extrude(&plate, *mesh, tw_vec3_scale(*normal, -SHEET_THICKNESS * size), err);
    if (status != TW_OK) return status;
    tw_mesh_destroy(*mesh);
    *mesh = plate;
    return TW_OK;
}
