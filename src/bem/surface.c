// SPDX-License-Identifier: MIT
// The surface as panels: whether it is closed, the sphere about it, and which panels are near to which.
#include "bem/surface.h"
#include "mesh/edges.h"
#include <stdlib.h>

// ---- checks ----

// as often forward as backward, each edge
static twStatus check_edges(const twMesh* mesh, const twEdges* edges, twError* err)
{
    for (int i = 0; i < edges->count; i++)
    {
        int sum = 0;
        for (int j = edges->start[i]; j < edges->start[i + 1]; j++)
            sum += tw_edges_forward(mesh, edges->uses[j]) ? 1 : -1;
        if (sum == 0) continue;
        twVec3 at = mesh->vertices[edges->ends[i][0]];
        bool open = tw_edges_faces(edges, i) % 2 == 1;
        return tw_fail(err, TW_BAD_INPUT,
                       open ? "the surface is open at (%g, %g, %g) m; sound needs a closed one, mend it first"
                            : "faces at (%g, %g, %g) m disagree on what is outside; mend the surface first",
                       at.x, at.y, at.z);
    }
    return TW_OK;
}

// six times the volume of the tet from a face to a point
static double face_volume(const twMesh* mesh, int face, twVec3 about)
{
    const int* v = mesh->faces[face].v;
    twVec3 a = tw_vec3_sub(mesh->vertices[v[0]], about), b = tw_vec3_sub(mesh->vertices[v[1]], about);
    return tw_vec3_dot(a, tw_vec3_cross(b, tw_vec3_sub(mesh->vertices[v[2]], about)));
}

// pieces that face inward hold no outside
static twStatus check_pieces(const twMesh* mesh, const twEdges* edges, twError* err)
{
    size_t faces = (size_t)mesh->face_count;
    int* parent = malloc(faces * sizeof *parent);
    double* volume = calloc(faces, sizeof *volume);
    twStatus status = parent && volume ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for %zu panels", faces);
    for (int i = 0; status == TW_OK && i < mesh->face_count; i++) parent[i] = i;
    for (int i = 0; status == TW_OK && i < edges->count; i++)
        for (int j = edges->start[i] + 1; j < edges->start[i + 1]; j++)
            tw_union_join(parent, edges->uses[edges->start[i]] / 3, edges->uses[j] / 3);
    for (int i = 0; status == TW_OK && i < mesh->face_count; i++)
    {
        int root = tw_union_root(parent, i);
        volume[root] += face_volume(mesh, i, mesh->vertices[mesh->faces[root].v[0]]);
    }
    for (int i = 0; status == TW_OK && i < mesh->face_count; i++)
        if (parent[i] == i && !(volume[i] > 0))
            status = tw_fail(
                err, TW_BAD_INPUT,
                "the piece with face %d is flat or faces inward; a cavity makes no sound outside: leave it out", i);
    free(parent);
    free(volume);
    return status;
}

static twStatus check_face(const twMesh* mesh, int face, twError* err)
{
    const int* v = mesh->faces[face].v;
    for (int i = 0; i < 3; i++)
    {
        if (v[i] < 0 || v[i] >= mesh->vertex_count)
            return tw_fail(err, TW_BAD_INPUT, "face %d: there is no vertex %d", face, v[i]);
        if (v[i] == v[(i + 1) % 3]) return tw_fail(err, TW_BAD_INPUT, "face %d has vertex %d twice", face, v[i]);
        double size = tw_vec3_max(mesh->vertices[v[i]]);
        if (!(size < 1e100)) return tw_fail(err, TW_BAD_INPUT, "vertex %d is not finite", v[i]);
    }
    return TW_OK;
}

twStatus bem_check_surface(const twMesh* mesh, twError* err)
{
    if (!mesh || mesh->face_count < 4) return tw_fail(err, TW_BAD_INPUT, "a closed surface has at least 4 faces");
    if (mesh->face_count > TW_MAX_BEM_PANELS)
        return tw_fail(err, TW_BAD_INPUT, "%d panels are more than %d; use a coarser surface", mesh->face_count,
                       TW_MAX_BEM_PANELS);
    twStatus status = TW_OK;
    for (int i = 0; i < mesh->face_count && status == TW_OK; i++) status = check_face(mesh, i, err);
    if (status != TW_OK) return status;
    twEdges* edges;
    status = tw_edges_create(&edges, mesh, err);
    if (status == TW_OK) status = check_edges(mesh, edges, err);
    if (status == TW_OK) status = check_pieces(mesh, edges, err);
    tw_edges_destroy(edges);
    return status;
}

// ---- the sphere ----

// the vertex of a face farthest from a point, and how far that is
static double farthest(const twMesh* mesh, twVec3 from, twVec3* place)
{
    double most = -1;
    for (int i = 0; i < mesh->face_count; i++)
        for (int j = 0; j < 3; j++)
        {
            twVec3 at = mesh->vertices[mesh->faces[i].v[j]];
            double distance = tw_vec3_norm(tw_vec3_sub(at, from));
            if (distance <= most) continue;
            most = distance;
            *place = at;
        }
    return most;
}

static twVec3 box_middle(const twMesh* mesh)
{
    twVec3 low = mesh->vertices[mesh->faces[0].v[0]], high = low;
    for (int i = 0; i < 3 * mesh->face_count; i++)
    {
        twVec3 at = mesh->vertices[mesh->faces[i / 3].v[i % 3]];
        low = tw_vec3(fmin(low.x, at.x), fmin(low.y, at.y), fmin(low.z, at.z));
        high = tw_vec3(fmax(high.x, at.x), fmax(high.y, at.y), fmax(high.z, at.z));
    }
    return tw_vec3_scale(tw_vec3_add(low, high), 0.5);
}

double bem_find_sphere(const twMesh* mesh, twVec3* centre)
{
    // from the middle of the box by ever smaller steps to the farthest vertex (Badoiu and Clarkson 2003); the best counts
    const int steps = 100;
    twVec3 at = box_middle(mesh), far = at;
    double least = HUGE_VAL;
    for (int i = 0; i < steps; i++)
    {
        double radius = farthest(mesh, at, &far);
        if (radius < least * (1 - 1e-9))
        {
            least = radius;
            *centre = at;
        }
        at = tw_vec3_add_scaled(at, tw_vec3_sub(far, at), 1.0 / (i + 4));
    }
    return least * (1 + 1e-9);
}

twStatus bem_check_sphere(const twMesh* mesh, twVec3 centre, double radius, twError* err)
{
    twVec3 far = centre;
    double distance = farthest(mesh, centre, &far);
    if (!(distance <= radius * (1 + 1e-6)))
        return tw_fail(err, TW_BAD_INPUT,
                       "vertex (%g, %g, %g) m is outside the sphere: %g m from its centre, radius %g m", far.x, far.y,
                       far.z, distance, radius);
    return TW_OK;
}

// ---- panels ----

Panel bem_panel(const twMesh* mesh, int face, twVec3 centre, double radius)
{
    Panel panel;
    twVec3 sum = tw_vec3(0, 0, 0);
    for (int i = 0; i < 3; i++)
    {
        twVec3 at = tw_vec3_sub(mesh->vertices[mesh->faces[face].v[i]], centre);
        panel.corner[i] = tw_vec3_scale(at, 1 / radius);
        sum = tw_vec3_add(sum, panel.corner[i]);
    }
    panel.centre = tw_vec3_scale(sum, 1 / 3.0);
    twVec3 across =
        tw_vec3_cross(tw_vec3_sub(panel.corner[1], panel.corner[0]), tw_vec3_sub(panel.corner[2], panel.corner[0]));
    panel.normal = tw_vec3_normalize(across);
    panel.area = 0.5 * tw_vec3_norm(across);
    panel.size = 0;
    for (int i = 0; i < 3; i++)
        panel.size = fmax(panel.size, tw_vec3_norm(tw_vec3_sub(panel.corner[(i + 1) % 3], panel.corner[i])));
    return panel;
}

void bem_fill_far(BemFar* far, float* block, int stride, const Panel* panels, int count)
{
    far->stride = stride;
    for (int i = 0; i < BEM_POINTS; i++)
        for (int j = 0; j < 3; j++) far->point[i][j] = block + (3 * i + j) * stride;
    for (int j = 0; j < 3; j++) far->normal[j] = block + (3 * BEM_POINTS + j) * stride;
    far->weight = block + (3 * BEM_POINTS + 3) * stride;
    for (int i = 0; i < stride; i++)
    {
        // the padding is out of reach and weighs nothing
        const Panel beyond = {.corner = {{9, 9, 9}, {9, 9, 9}, {9, 9, 9}}};
        const Panel* panel = i < count ? &panels[i] : &beyond;
        for (int j = 0; j < BEM_POINTS; j++)
        {
            twVec3 at = bem_far_point(panel, j);
            far->point[j][0][i] = (float)at.x;
            far->point[j][1][i] = (float)at.y;
            far->point[j][2][i] = (float)at.z;
        }
        far->normal[0][i] = (float)panel->normal.x;
        far->normal[1][i] = (float)panel->normal.y;
        far->normal[2][i] = (float)panel->normal.z;
        far->weight[i] = (float)(panel->area / (BEM_POINTS * 4 * TW_PI));
    }
}
