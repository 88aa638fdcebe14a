// SPDX-License-Identifier: MIT
// The middle surface: taken from a given one, and divided where waves need it.
//
// A triangle of a smooth surface stands for a curved piece of it: a flat one would be far too soft
// against stretching. So the middle of an edge from a to b is moved to where a cubic curve has it
// that touches the surface at both ends,
//     m = (a + b)/2 + (t_a - t_b)/8,    t = d - (d . n) n,   d = b - a,
// with the normals n of the vertices (Vlachos et al., Curved PN triangles, 2001). Edges whose faces
// turn by more than 40 degrees are sharp: the faces on each side have their own normals, and t is
// normal to both, so that a sharp rim curves but stays sharp. Flat stays flat.
#include "fem/shell_surface.h"
#include "mesh/edges.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHELL_SHARP_COS = 0.766;  // cosine of the angle that makes an edge sharp: 40 degrees

// ---- normals ----

static twVec3 shell_face_vector(const twMesh* mesh, int face)
{
    const int* v = mesh->faces[face].v;
    const twVec3 a = mesh->vertices[v[0]];
    return tw_vec3_scale(tw_vec3_cross(tw_vec3_sub(mesh->vertices[v[1]], a), tw_vec3_sub(mesh->vertices[v[2]], a)),
                         0.5);
}

static double shell_corner_angle(const twMesh* mesh, int corner)
{
    const int *v = mesh->faces[corner / 3].v, i = corner % 3;
    const twVec3 x = mesh->vertices[v[i]];
    const twVec3 a = tw_vec3_normalize(tw_vec3_sub(mesh->vertices[v[(i + 1) % 3]], x));
    const twVec3 b = tw_vec3_normalize(tw_vec3_sub(mesh->vertices[v[(i + 2) % 3]], x));
    return atan2(tw_vec3_norm(tw_vec3_cross(a, b)), tw_vec3_dot(a, b));
}

// corner of a face at a vertex it has
static int shell_corner_at(const twMesh* mesh, int face, int vertex)
{
    const int* v = mesh->faces[face].v;
    return 3 * face + (v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2);
}

// the smooth parts of a surface around its vertices: corners 3 f + i that are joined over smooth
// edges
typedef struct ShellFans
{
    int* parent;     // (corners) see tw_union_root()
    int* open;       // (corners) at roots: corners less edges in between; 0: the fan goes all around its vertex
    twVec3* normal;  // (corners) at roots
} ShellFans;

// whether the surface is smooth over an edge of two uses
static bool shell_smooth(const twMesh* mesh, int use, int other)
{
    const twVec3 n = tw_vec3_normalize(shell_face_vector(mesh, use / 3));
    const twVec3 o = tw_vec3_normalize(shell_face_vector(mesh, other / 3));
    return tw_edges_forward(mesh, use) != tw_edges_forward(mesh, other) && tw_vec3_dot(n, o) >= SHELL_SHARP_COS;
}

static void shell_fans_join(ShellFans* fans, const twMesh* mesh, const twEdges* edges)
{
    const int corners = 3 * mesh->face_count;
    for (int c = 0; c < corners; c++) fans->parent[c] = c;
    for (int pass = 0; pass < 2; pass++)
    {
        for (int e = 0; e < edges->count; e++)
        {
            if (tw_edges_faces(edges, e) != 2) continue;
            const int use = edges->uses[edges->start[e]], other = edges->uses[edges->start[e] + 1];
            if (!shell_smooth(mesh, use, other)) continue;
            for (int i = 0; i < 2; i++)
            {
                const int p = shell_corner_at(mesh, use / 3, edges->ends[e][i]);
                if (pass == 0)
                    tw_union_join(fans->parent, p, shell_corner_at(mesh, other / 3, edges->ends[e][i]));
                else
                    fans->open[tw_union_root(fans->parent, p)]--;
            }
        }
        for (int c = 0; pass == 0 && c < corners; c++) fans->open[tw_union_root(fans->parent, c)]++;
    }
}

// mean of the faces, by angle
static void shell_fans_mean(ShellFans* fans, const twMesh* mesh)
{
    for (int c = 0; c < 3 * mesh->face_count; c++)
    {
        twVec3* sum = &fans->normal[tw_union_root(fans->parent, c)];
        *sum = tw_vec3_add_scaled(*sum, tw_vec3_normalize(shell_face_vector(mesh, c / 3)), shell_corner_angle(mesh, c));
    }
    for (int c = 0; c < 3 * mesh->face_count; c++) fans->normal[c] = tw_vec3_normalize(fans->normal[c]);
}

// At a rim the mean of the faces is that of a place further in. A neighbour further in, seen in the
// mirror between the two, is right for any constant curvature.
static void shell_fans_mirror(ShellFans* fans, const twMesh* mesh, twVec3* sum)
{
    for (int c = 0; c < 3 * mesh->face_count; c++)
    {
        const int root = tw_union_root(fans->parent, c);
        if (fans->open[root] == 0) continue;
        for (int i = 1; i < 3; i++)
        {
            const int other = 3 * (c / 3) + (c + i) % 3, from = tw_union_root(fans->parent, other);
            if (fans->open[from] != 0) continue;
            const twVec3 d = tw_vec3_normalize(tw_vec3_sub(mesh->vertices[mesh->faces[c / 3].v[other % 3]],
                                                           mesh->vertices[mesh->faces[c / 3].v[c % 3]]));
            const twVec3 n = fans->normal[from];
            sum[root] = tw_vec3_add(sum[root], tw_vec3_add_scaled(n, d, -2 * tw_vec3_dot(n, d)));
        }
    }
    for (int c = 0; c < 3 * mesh->face_count; c++)
    {
        // only where neighbours agree on it
        const twVec3 n = tw_vec3_normalize(sum[c]);
        if (tw_vec3_dot(n, fans->normal[c]) > SHELL_SHARP_COS) fans->normal[c] = n;
    }
}

// (3 faces) unit normal of the surface at each corner, that of the smooth part it belongs to;
// free() it
static twVec3* shell_corner_normals(const twMesh* mesh, const twEdges* edges)
{
    const size_t corners = 3 * (size_t)mesh->face_count;
    ShellFans fans = {.parent = malloc(corners * sizeof *fans.parent),
                      .open = calloc(corners, sizeof *fans.open),
                      .normal = calloc(corners, sizeof *fans.normal)};
    twVec3* normal = calloc(corners, sizeof *normal);
    if (fans.parent && fans.open && fans.normal && normal)
    {
        shell_fans_join(&fans, mesh, edges);
        shell_fans_mean(&fans, mesh);
        shell_fans_mirror(&fans, mesh, normal);
        for (int c = 0; c < (int)corners; c++) normal[c] = fans.normal[tw_union_root(fans.parent, c)];
    }
    else
    {
        free(normal);
        normal = NULL;
    }
    free(fans.parent);
    free(fans.open);
    free(fans.normal);
    return normal;
}

// ---- dividing ----

// d without its parts along the normals at a vertex of an edge
static twVec3 shell_edge_tangent(const twMesh* mesh, const twEdges* edges, const twVec3* normal, int edge, int vertex,
                                 twVec3 d)
{
    twVec3 basis[2], t = d;
    int count = 0;
    for (int u = edges->start[edge]; u < edges->start[edge + 1]; u++)
    {
        twVec3 n = normal[shell_corner_at(mesh, edges->uses[u] / 3, vertex)];
        for (int i = 0; i < count; i++) n = tw_vec3_add_scaled(n, basis[i], -tw_vec3_dot(n, basis[i]));
        const double left = tw_vec3_norm(n);
        if (left < 0.1 || count == 2) continue;
        basis[count] = tw_vec3_scale(n, 1 / left);
        t = tw_vec3_add_scaled(t, basis[count], -tw_vec3_dot(t, basis[count]));
        count++;
    }
    return t;
}

static twVec3 shell_edge_middle(const twMesh* mesh, const twEdges* edges, const twVec3* normal, int edge)
{
    const int i = edges->ends[edge][0], j = edges->ends[edge][1];
    const twVec3 a = mesh->vertices[i], b = mesh->vertices[j], d = tw_vec3_sub(b, a);
    const twVec3 ta = shell_edge_tangent(mesh, edges, normal, edge, i, d);
    const twVec3 tb = shell_edge_tangent(mesh, edges, normal, edge, j, d);
    twVec3 off = tw_vec3_scale(tw_vec3_sub(ta, tb), 0.125);
    // a smooth edge turns by 40 degrees at most, which moves its middle by 0.08 of its length
    const double most = 0.1 * tw_vec3_norm(d), far = tw_vec3_norm(off);
    if (far > most) off = tw_vec3_scale(off, most / far);
    return tw_vec3_add(tw_vec3_scale(tw_vec3_add(a, b), 0.5), off);
}

static double shell_edge_length(const twMesh* mesh, const twEdges* edges, int edge)
{
    return tw_vec3_norm(tw_vec3_sub(mesh->vertices[edges->ends[edge][0]], mesh->vertices[edges->ends[edge][1]]));
}

// middle: (edges) 1 if divided. A divided triangle is also divided at its longest edge, so that
// none becomes a needle.
static int shell_mark_edges(int* middle, const twMesh* mesh, const twEdges* edges, double longest, const bool* marked)
{
    for (int e = 0; e < edges->count; e++) middle[e] = shell_edge_length(mesh, edges, e) > longest;
    for (int c = 0; marked && c < 3 * mesh->face_count; c++)
        if (marked[c / 3]) middle[edges->of_face[c / 3][c % 3]] = 1;
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int f = 0; f < mesh->face_count; f++)
        {
            const int* e = edges->of_face[f];
            int most = 0;
            for (int i = 1; i < 3; i++)
                if (shell_edge_length(mesh, edges, e[i]) > (1 + 1e-9) * shell_edge_length(mesh, edges, e[most]))
                    most = i;
            if (!(middle[e[0]] || middle[e[1]] || middle[e[2]]) || middle[e[most]]) continue;
            middle[e[most]] = 1;
            changed = true;
        }
    }
    int count = 0;
    for (int e = 0; e < edges->count; e++) count += middle[e];
    return count;
}

// The triangles that one becomes. m: vertex in the middle of each side, or -1. @return how many
static int shell_divide(twTriangle out[4], const int v[3], const int m[3], const twVec3* x)
{
    const int count = (m[0] >= 0) + (m[1] >= 0) + (m[2] >= 0);
    int i = 0;
    if (count == 1)
        while (m[i] < 0) i++;
    if (count == 2)
        while (m[i] >= 0) i++;
    const int a = v[i], b = v[(i + 1) % 3], c = v[(i + 2) % 3];
    if (count == 0) out[0] = (twTriangle){{a, b, c}};
    if (count == 1)
    {
        out[0] = (twTriangle){{a, m[i], c}};
        out[1] = (twTriangle){{m[i], b, c}};
    }
    if (count == 2)
    {
        // side a b is whole; of the two diagonals the shorter
        const int p = m[(i + 1) % 3], q = m[(i + 2) % 3];
        out[0] = (twTriangle){{q, p, c}};
        const bool first = tw_vec3_norm(tw_vec3_sub(x[a], x[p])) <= tw_vec3_norm(tw_vec3_sub(x[b], x[q]));
        out[1] = first ? (twTriangle){{a, b, p}} : (twTriangle){{a, b, q}};
        out[2] = first ? (twTriangle){{a, p, q}} : (twTriangle){{b, p, q}};
    }
    if (count == 3)
    {
        const twTriangle four[4] = {
            {{v[0], m[0], m[2]}}, {{m[0], v[1], m[1]}}, {{m[2], m[1], v[2]}}, {{m[0], m[1], m[2]}}};
        memcpy(out, four, sizeof four);
    }
    return count + 1;
}

static twStatus shell_mesh_room(twMesh** out, int vertices, int faces, bool regions, twError* err)
{
    const twStatus status = tw_mesh_create(out, vertices, faces, err);
    if (status != TW_OK || !regions) return status;
    (*out)->regions = calloc((size_t)faces, sizeof *(*out)->regions);
    if ((*out)->regions) return TW_OK;
    tw_mesh_destroy(*out);
    *out = NULL;
    return tw_fail(err, TW_NO_MEMORY, "no memory for %d faces", faces);
}

// middle: 1 for edges to divide; becomes the vertex there, or -1
static twStatus shell_split(ShellSurface* surface, const twEdges* edges, const twVec3* normal, int* middle, int count,
                            twError* err)
{
    const twMesh* old = surface->mesh;
    int vertices = old->vertex_count, faces = 0;
    for (int f = 0; f < old->face_count; f++)
        for (int i = 0; i < 3; i++) faces += middle[edges->of_face[f][i]];
    twMesh* mesh = NULL;
    const twStatus status =
        shell_mesh_room(&mesh, vertices + count, old->face_count + faces, old->regions != NULL, err);
    bool* held = surface->held ? malloc((size_t)(vertices + count) * sizeof *held) : NULL;
    if (status != TW_OK || (surface->held && !held))
    {
        tw_mesh_destroy(mesh);
        free(held);
        return status != TW_OK ? status : tw_fail(err, TW_NO_MEMORY, "no memory for %d vertices", vertices + count);
    }
    memcpy(mesh->vertices, old->vertices, (size_t)vertices * sizeof *mesh->vertices);
    if (held) memcpy(held, surface->held, (size_t)vertices * sizeof *held);
    for (int e = 0; e < edges->count; e++)
    {
        if (!middle[e])
        {
            middle[e] = -1;
            continue;
        }
        if (held) held[vertices] = held[edges->ends[e][0]] && held[edges->ends[e][1]];
        mesh->vertices[vertices] = shell_edge_middle(old, edges, normal, e);
        middle[e] = vertices++;
    }
    faces = 0;
    for (int f = 0; f < old->face_count; f++)
    {
        const int* e = edges->of_face[f];
        const int m[3] = {middle[e[0]], middle[e[1]], middle[e[2]]};
        twTriangle part[4];
        const int parts = shell_divide(part, old->faces[f].v, m, mesh->vertices);
        for (int i = 0; i < parts; i++)
        {
            if (mesh->regions) mesh->regions[faces] = old->regions[f];
            mesh->faces[faces++] = part[i];
        }
    }
    shell_surface_destroy(surface);
    *surface = (ShellSurface){mesh, held};
    return TW_OK;
}

twStatus shell_surface_refine(ShellSurface* surface, double longest, const bool* marked, twError* err)
{
    const twMesh* mesh = surface->mesh;
    if (mesh->face_count > INT32_MAX / 16)
        return tw_fail(err, TW_NO_MEMORY, "%d faces are too many to divide", mesh->face_count);
    twEdges* edges;
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    twVec3* normal = shell_corner_normals(mesh, edges);
    int* middle = malloc((size_t)edges->count * sizeof *middle);
    if (normal && middle)
    {
        const int count = shell_mark_edges(middle, mesh, edges, longest, marked);
        if (count > 0) status = shell_split(surface, edges, normal, middle, count, err);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory to divide %d faces", mesh->face_count);
    free(normal);
    free(middle);
    tw_edges_destroy(edges);
    return status;
}

// ---- the first surface ----

static twStatus shell_surface_copy(ShellSurface* out, const twShellDef* def, twError* err)
{
    const twMesh* from = def->surface;
    const twStatus status =
        shell_mesh_room(&out->mesh, from->vertex_count, from->face_count, from->regions != NULL, err);
    if (status != TW_OK) return status;
    memcpy(out->mesh->vertices, from->vertices, (size_t)from->vertex_count * sizeof *from->vertices);
    memcpy(out->mesh->faces, from->faces, (size_t)from->face_count * sizeof *from->faces);
    if (from->regions) memcpy(out->mesh->regions, from->regions, (size_t)from->face_count * sizeof *from->regions);
    if (!def->held) return TW_OK;
    out->held = malloc((size_t)from->vertex_count * sizeof *out->held);
    if (!out->held) return tw_fail(err, TW_NO_MEMORY, "no memory for %d vertices", from->vertex_count);
    memcpy(out->held, def->held, (size_t)from->vertex_count * sizeof *out->held);
    return TW_OK;
}

// moving the vertices of a surface inward
typedef struct ShellInset
{
    twMesh* mesh;
    twMat3* normals;  // sum of angle n n^T over the faces of a vertex, and a little of the unit matrix
    twVec3* pull;     // sum of angle n
    double* angle;    // sum of angles
    twMat3* free;     // onto the directions in which a vertex may slide: the tangent plane, a sharp edge, or nothing
    twVec3* before;   // (faces) normals before
    twVec3* mean;     // of the neighbours
    int* count;       // of neighbours; 0: no fold near
} ShellInset;

#define SHELL_INSET_LEAST 1e-3  // of the trace, of the unit matrix: keeps moves along flat directions at 0

static bool shell_inset_alloc(ShellInset* inset, twMesh* mesh)
{
    const size_t vertices = (size_t)mesh->vertex_count;
    *inset = (ShellInset){.mesh = mesh,
                          .normals = calloc(vertices, sizeof *inset->normals),
                          .pull = calloc(vertices, sizeof *inset->pull),
                          .angle = calloc(vertices, sizeof *inset->angle),
                          .free = calloc(vertices, sizeof *inset->free),
                          .before = malloc(((size_t)mesh->face_count + 1) * sizeof *inset->before),
                          .mean = malloc(vertices * sizeof *inset->mean),
                          .count = malloc(vertices * sizeof *inset->count)};
    return inset->normals && inset->pull && inset->angle && inset->free && inset->before && inset->mean && inset->count;
}

static void shell_inset_free(ShellInset* inset)
{
    free(inset->normals);
    free(inset->pull);
    free(inset->angle);
    free(inset->free);
    free(inset->before);
    free(inset->mean);
    free(inset->count);
}

// Each face moves by the distance, in the least-squares sense: the least move d with sum of angle (n . d + distance)^2 least.
static void shell_inset_move(ShellInset* inset, double distance)
{
    twMesh* mesh = inset->mesh;
    for (int c = 0; c < 3 * mesh->face_count; c++)
    {
        const int v = mesh->faces[c / 3].v[c % 3];
        const twVec3 n = inset->before[c / 3] = tw_vec3_normalize(shell_face_vector(mesh, c / 3));
        const double angle = shell_corner_angle(mesh, c), part[3] = {n.x, n.y, n.z};
        for (int i = 0; i < 9; i++) inset->normals[v].m[i / 3][i % 3] += angle * part[i / 3] * part[i % 3];
        inset->pull[v] = tw_vec3_add_scaled(inset->pull[v], n, angle);
        inset->angle[v] += angle;
    }
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        twMat3 sum = inset->normals[v], inverse;
        const double least = SHELL_INSET_LEAST * (sum.m[0][0] + sum.m[1][1] + sum.m[2][2]);
        for (int i = 0; i < 3; i++) sum.m[i][i] += least;
        if (!(least > 0) || !tw_mat3_inverse(&inverse, sum)) continue;
        twVec3 d = tw_mat3_mul_vec(inverse, inset->pull[v]);
        const double along = tw_vec3_dot(d, inset->pull[v]), round_off = 1e-12;
        if (!(along > round_off * inset->angle[v])) continue;  // faces of opposite sides: neither is behind
        // what the unit matrix took away
        d = tw_vec3_scale(d, -distance * inset->angle[v] / along);
        const double far = tw_vec3_norm(d), most = 3 * fabs(distance);  // spikes
        if (far > most) d = tw_vec3_scale(d, most / far);
        mesh->vertices[v] = tw_vec3_add(mesh->vertices[v], d);
        for (int i = 0; i < 9; i++) inset->free[v].m[i / 3][i % 3] = least * inverse.m[i / 3][i % 3];
    }
}

// faces that have turned over, whose vertices get a count
static int shell_inset_folds(ShellInset* inset)
{
    const twMesh* mesh = inset->mesh;
    int folds = 0;
    memset(inset->count, 0, (size_t)mesh->vertex_count * sizeof *inset->count);
    for (int f = 0; f < mesh->face_count; f++)
    {
        if (tw_vec3_dot(shell_face_vector(mesh, f), inset->before[f]) > 0) continue;
        folds++;
        for (int i = 0; i < 3; i++) inset->count[mesh->faces[f].v[i]] = 1;
    }
    return folds;
}

// Beside a sharp edge, vertices nearer to it than the distance stay behind it: they slide to the mean of their neighbours, and
// so do those around them, until no face is turned over.
static void shell_inset_unfold(ShellInset* inset)
{
    const int most = 400;  // passes, each of which reaches one face further
    twMesh* mesh = inset->mesh;
    for (int pass = 0; pass < most && shell_inset_folds(inset) > 0; pass++)
    {
        int* const near = inset->count;
        for (int f = 0; f < mesh->face_count; f++)
        {
            const int* v = mesh->faces[f].v;
            const bool fold = near[v[0]] == 1 || near[v[1]] == 1 || near[v[2]] == 1;
            for (int i = 0; i < 3 && fold; i++)
                if (near[v[i]] == 0) near[v[i]] = 2;
        }
        for (int v = 0; v < mesh->vertex_count; v++) inset->mean[v] = tw_vec3(0, 0, 0), near[v] = near[v] > 0 ? 0 : -1;
        for (int c = 0; c < 3 * mesh->face_count; c++)
        {
            const int v = mesh->faces[c / 3].v[c % 3], next = mesh->faces[c / 3].v[(c + 1) % 3];
            if (near[v] < 0) continue;
            inset->mean[v] = tw_vec3_add(inset->mean[v], mesh->vertices[next]);
            near[v]++;
        }
        for (int v = 0; v < mesh->vertex_count; v++)
        {
            if (near[v] <= 0) continue;
            const twVec3 away = tw_vec3_sub(tw_vec3_scale(inset->mean[v], 1.0 / near[v]), mesh->vertices[v]);
            mesh->vertices[v] = tw_vec3_add(mesh->vertices[v], tw_mat3_mul_vec(inset->free[v], away));
        }
    }
}

twStatus shell_surface_inset(twMesh* mesh, double distance, twError* err)
{
    ShellInset inset;
    const bool room = shell_inset_alloc(&inset, mesh);
    if (room) shell_inset_move(&inset, distance);
    if (room) shell_inset_unfold(&inset);
    shell_inset_free(&inset);
    return room ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for %d vertices", mesh->vertex_count);
}

// fewer faces; regions and held vertices are those of the nearest
static twStatus shell_surface_coarsen(ShellSurface* surface, int faces, twError* err)
{
    twMesh* coarse = NULL;
    const twMesh* fine = surface->mesh;
    int* stands = malloc((size_t)fine->vertex_count * sizeof *stands);
    if (!stands) return tw_fail(err, TW_NO_MEMORY, "no memory for %d vertices", fine->vertex_count);
    twStatus status = tw_mesh_coarsen(&coarse, fine, faces, stands, err);
    bool* held = NULL;
    twWinding* near = NULL;
    if (status == TW_OK && surface->held)
    {
        held = calloc((size_t)coarse->vertex_count, sizeof *held);
        if (!held) status = tw_fail(err, TW_NO_MEMORY, "no memory for %d vertices", coarse->vertex_count);
        for (int v = 0; held && v < fine->vertex_count; v++)
            if (stands[v] >= 0 && surface->held[v]) held[stands[v]] = true;
    }
    if (status == TW_OK && fine->regions)
    {
        coarse->regions = calloc((size_t)coarse->face_count, sizeof *coarse->regions);
        if (!coarse->regions) status = tw_fail(err, TW_NO_MEMORY, "no memory for %d faces", coarse->face_count);
        if (status == TW_OK) status = tw_winding_create(&near, fine, err);
        for (int f = 0; near && f < coarse->face_count; f++)
        {
            const int* v = coarse->faces[f].v;
            int face = 0;
            const twVec3 sum =
                tw_vec3_add(tw_vec3_add(coarse->vertices[v[0]], coarse->vertices[v[1]]), coarse->vertices[v[2]]);
            tw_winding_nearest(near, tw_vec3_scale(sum, 1.0 / 3), NULL, &face);
            coarse->regions[f] = fine->regions[face];
        }
        tw_winding_destroy(near);
    }
    free(stands);
    if (status != TW_OK)
    {
        tw_mesh_destroy(coarse);
        free(held);
        return status;
    }
    shell_surface_destroy(surface);
    *surface = (ShellSurface){coarse, held};
    return TW_OK;
}

// ---- places ----

void shell_barycentric(double weight[3], const twVec3 x[3], twVec3 p)
{
    const twVec3 a = tw_vec3_sub(x[1], x[0]), b = tw_vec3_sub(x[2], x[0]), d = tw_vec3_sub(p, x[0]);
    const double aa = tw_vec3_dot(a, a), ab = tw_vec3_dot(a, b), bb = tw_vec3_dot(b, b);
    const double da = tw_vec3_dot(d, a), db = tw_vec3_dot(d, b), det = aa * bb - ab * ab;
    weight[1] = det > 0 ? (bb * da - ab * db) / det : 0;
    weight[2] = det > 0 ? (aa * db - ab * da) / det : 0;
    weight[0] = 1 - weight[1] - weight[2];
}

// the place p, whose nearest point of a face is q: quadratic along the face (half of the arm, as
// slopes change linearly), rigid across it
static ShellPlace shell_place_on(const twMesh* mesh, int face, twVec3 q, twVec3 p)
{
    ShellPlace place;
    twVec3 x[3];
    for (int i = 0; i < 3; i++) x[i] = mesh->vertices[place.vertex[i] = mesh->faces[face].v[i]];
    shell_barycentric(place.weight, x, q);
    for (int i = 0; i < 3; i++) place.arm[i] = tw_vec3_add_scaled(tw_vec3_sub(p, q), tw_vec3_sub(q, x[i]), 0.5);
    return place;
}

static twStatus shell_places(ShellPlace* places, const twMesh* from, const twMesh* to, bool same, twError* err)
{
    if (same)
    {
        for (int v = 0; v < from->vertex_count; v++)
            places[v] = (ShellPlace){
                {v, v, v}, {1, 0, 0}, {tw_vec3_sub(from->vertices[v], to->vertices[v]), {0, 0, 0}, {0, 0, 0}}};
        return TW_OK;
    }
    twWinding* near;
    const twStatus status = tw_winding_create(&near, to, err);
    if (status != TW_OK) return status;
    for (int v = 0; v < from->vertex_count; v++)
    {
        twVec3 q = from->vertices[v];
        int face = 0;
        tw_winding_nearest(near, q, &q, &face);
        places[v] = shell_place_on(to, face, q, from->vertices[v]);
    }
    tw_winding_destroy(near);
    return TW_OK;
}

twStatus shell_surface_create(ShellSurface* out, ShellPlace** places, const twShellDef* def, double inset,
                              int max_faces, twError* err)
{
    *out = (ShellSurface){0};
    *places = malloc((size_t)def->surface->vertex_count * sizeof **places);
    twStatus status =
        *places ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for %d vertices", def->surface->vertex_count);
    if (status == TW_OK) status = shell_surface_copy(out, def, err);
    if (status == TW_OK && inset != 0) status = shell_surface_inset(out->mesh, inset, err);
    const bool same = def->surface->face_count <= max_faces;
    if (status == TW_OK && !same) status = shell_surface_coarsen(out, max_faces, err);
    if (status == TW_OK) status = shell_places(*places, def->surface, out->mesh, same, err);
    if (status == TW_OK) return TW_OK;
    shell_surface_destroy(out);
    free(*places);
    *places = NULL;
    return status;
}

void shell_surface_destroy(ShellSurface* surface)
{
    tw_mesh_destroy(surface->mesh);
    free(surface->held);
    *surface = (ShellSurface){0};
}

// ---- mass ----

// A triangle with corners x about the origin: integral of x x^T = A/12 (sum x_i x_i^T + s s^T), s
// the sum of the corners; across the wall t^2/12 A n n^T is added.
static twMat3 shell_face_second_moment(const twVec3 x[3], twVec3 n, double area, double t)
{
    const twVec3 sum = tw_vec3_add(tw_vec3_add(x[0], x[1]), x[2]);
    twMat3 total = tw_mat3_outer(sum, sum);
    for (int k = 0; k < 3; k++)
    {
        const twMat3 one = tw_mat3_outer(x[k], x[k]);
        for (int i = 0; i < 9; i++) total.m[i / 3][i % 3] += one.m[i / 3][i % 3];
    }
    const twMat3 across = tw_mat3_outer(n, n);
    for (int i = 0; i < 9; i++)
        total.m[i / 3][i % 3] = area / 12 * (total.m[i / 3][i % 3] + t * t * across.m[i / 3][i % 3]);
    return total;
}

twMassProperties shell_surface_mass(const twMesh* mesh, double thickness, const twMaterial* materials)
{
    twMassProperties mass = {0};
    for (int pass = 0; pass < 2; pass++)
    {
        for (int f = 0; f < mesh->face_count; f++)
        {
            const twVec3 vector = shell_face_vector(mesh, f), n = tw_vec3_normalize(vector);
            const double area = tw_vec3_norm(vector), rho = materials[mesh->regions ? mesh->regions[f] : 0].density;
            twVec3 x[3];
            for (int i = 0; i < 3; i++) x[i] = tw_vec3_sub(mesh->vertices[mesh->faces[f].v[i]], mass.centre);
            if (pass == 0)
            {
                mass.volume += area * thickness;
                mass.mass += area * thickness * rho;
                continue;
            }
            const twMat3 s = shell_face_second_moment(x, n, area, thickness);
            const double trace = s.m[0][0] + s.m[1][1] + s.m[2][2];
            for (int i = 0; i < 9; i++)
                mass.inertia.m[i / 3][i % 3] += rho * thickness * ((i % 4 == 0 ? trace : 0) - s.m[i / 3][i % 3]);
        }
        twVec3 centre = {0, 0, 0};
        for (int f = 0; pass == 0 && f < mesh->face_count; f++)
            for (int i = 0; i < 3; i++)
                centre = tw_vec3_add_scaled(centre, mesh->vertices[mesh->faces[f].v[i]],
                                            tw_vec3_norm(shell_face_vector(mesh, f)) * thickness / 3 / mass.mass *
                                                materials[mesh->regions ? mesh->regions[f] : 0].density);
        if (pass == 0) mass.centre = centre;
    }
    return mass;
}
