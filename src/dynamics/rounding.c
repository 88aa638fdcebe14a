// SPDX-License-Identifier: MIT
// The curved surface that a mesh stands for. The foot of a point c on a face: three equations in v, w and d,
//     a + v ab + w ac + d (n_0 + v (n_1 - n_0) + w (n_2 - n_0)) = c,
// by Newton's method; if it lies outside the face it is looked for in the next one (compare D. Panozzo et al.: "Weighted
// averages on surfaces", 2013, for projection along interpolated normals).
#include "dynamics/rounding.h"
#include "mesh/edges.h"
#include <stdlib.h>

// ---- making ----

// sides across which the surface goes on smoothly, and which corners share a normal
static void join_faces(Rounding* rounding, const twField* field, const twEdges* edges, double cos_sharp, int* group)
{
    for (int i = 0; i < 3 * field->face_count; i++) rounding->beside[i / 3][i % 3] = -1;
    for (int e = 0; e < edges->count; e++)
    {
        if (tw_edges_faces(edges, e) != 2) continue;
        const int* use = edges->uses + edges->start[e];
        int f = use[0] / 3, g = use[1] / 3, i = use[0] % 3, k = use[1] % 3;
        if (tw_vec3_dot(field->faces[f].normal, field->faces[g].normal) < cos_sharp) continue;
        rounding->beside[f][i] = g;
        rounding->beside[g][k] = f;

        // the side runs the other way round in the other face
        tw_union_join(group, 3 * f + i, 3 * g + (k + 1) % 3);
        tw_union_join(group, 3 * f + (i + 1) % 3, 3 * g + k);
    }
}

// mean normals of the corners of each group, kept at its root, with the weights that are exact on spheres: u x w / u^2 w^2
// for the sides u and w at the corner (N. Max: "Weights for computing vertex normals from facet normals", 1999)
static void add_normals(Rounding* rounding, const twField* field, int* group)
{
    for (int c = 0; c < 3 * field->face_count; c++)
    {
        const twFieldFace* t = &field->faces[c / 3];
        const twVec3 at[3] = {{0, 0, 0}, t->ab, t->ac};
        twVec3 u = tw_vec3_sub(at[(c + 1) % 3], at[c % 3]), w = tw_vec3_sub(at[(c + 2) % 3], at[c % 3]);
        double product = tw_vec3_dot(u, u) * tw_vec3_dot(w, w);
        if (!(product > 0)) continue;
        int root = tw_union_root(group, c);
        twVec3* sum = &rounding->normal[root / 3][root % 3];
        *sum = tw_vec3_add_scaled(*sum, tw_vec3_cross(u, w), 1 / product);
    }
}

// from the roots to all corners, roots last; the tip of a cone, whose normals are none of its faces', keeps theirs
static void share_normals(Rounding* rounding, const twField* field, double cos_sharp, int* group)
{
    for (int c = 0; c < 3 * field->face_count; c++)
        if (tw_union_root(group, c) == c)
            rounding->normal[c / 3][c % 3] = tw_vec3_normalize(rounding->normal[c / 3][c % 3]);
    for (int c = 3 * field->face_count - 1; c >= 0; c--)
    {
        int root = tw_union_root(group, c);
        twVec3 mean = rounding->normal[root / 3][root % 3], own = field->faces[c / 3].normal;
        rounding->normal[c / 3][c % 3] = tw_vec3_dot(mean, own) < cos_sharp ? own : mean;
    }
}

// height of the curved surface over the middle of side i
static double side_height(const Rounding* rounding, const twFieldFace* t, int f, int i)
{
    const twVec3 at[3] = {{0, 0, 0}, t->ab, t->ac}, *n = rounding->normal[f];
    return tw_vec3_dot(tw_vec3_sub(n[(i + 1) % 3], n[i]), tw_vec3_sub(at[(i + 1) % 3], at[i])) / 8;
}

// whether faces are flat, and how high the vertices around them rise; rise (vertices)
static void set_heights(Rounding* rounding, const twField* field, double* rise)
{
    const double even = 1e-9;
    for (int f = 0; f < field->face_count; f++)
    {
        const twFieldFace* t = &field->faces[f];
        rounding->flat[f] = true;
        for (int i = 0; i < 3; i++)
        {
            bool same = tw_vec3_max(tw_vec3_sub(rounding->normal[f][i], t->normal)) < even;
            rounding->flat[f] = rounding->flat[f] && same;

            // 4 sum of b_i b_j h_ij is no more than 4/3 of the greatest h, and |N| is more than a half
            double height = 16.0 / 9 * side_height(rounding, t, f, i);
            for (int k = 0; k < 3; k++)
                if (height > rise[t->v[k]]) rise[t->v[k]] = height;
        }
    }
    for (int f = 0; f < field->face_count; f++)
    {
        const int* v = field->faces[f].v;
        rounding->rise[f] = fmax(rise[v[0]], fmax(rise[v[1]], rise[v[2]]));
        rounding->bulge = fmax(rounding->bulge, rounding->rise[f]);
    }
}

static twStatus build(Rounding* rounding, const twField* field, const twEdges* edges, double sharp_deg)
{
    size_t faces = (size_t)field->face_count;
    double cos_sharp = cos(sharp_deg * TW_PI / 180);
    int* group = malloc(3 * faces * sizeof *group);
    rounding->face_count = field->face_count;
    rounding->normal = calloc(faces, sizeof *rounding->normal);
    rounding->beside = malloc(faces * sizeof *rounding->beside);
    rounding->flat = malloc(faces * sizeof *rounding->flat);
    rounding->rise = malloc(faces * sizeof *rounding->rise);
    double* rise = calloc((size_t)field->vertex_count, sizeof *rise);
    bool fits = group && rise && rounding->normal && rounding->beside && rounding->flat && rounding->rise;
    for (int c = 0; fits && c < 3 * field->face_count; c++) group[c] = c;
    if (fits)
    {
        join_faces(rounding, field, edges, cos_sharp, group);
        add_normals(rounding, field, group);
        share_normals(rounding, field, cos_sharp, group);
        set_heights(rounding, field, rise);
    }
    free(group);
    free(rise);
    return fits ? TW_OK : TW_NO_MEMORY;
}

twStatus tw_rounding_create(Rounding** out, const twField* field, const twMesh* mesh, double sharp_deg, twError* err)
{
    twEdges* edges;
    *out = NULL;
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    Rounding* rounding = calloc(1, sizeof *rounding);
    status = rounding ? build(rounding, field, edges, sharp_deg) : TW_NO_MEMORY;
    tw_edges_destroy(edges);
    if (status == TW_OK)
    {
        *out = rounding;
        return TW_OK;
    }
    tw_rounding_destroy(rounding);
    return tw_fail(err, status, "no memory to round %d faces", mesh->face_count);
}

void tw_rounding_destroy(Rounding* rounding)
{
    if (!rounding) return;
    free(rounding->normal);
    free(rounding->beside);
    free(rounding->flat);
    free(rounding->rise);
    free(rounding);
}

// ---- feet ----

// where the normals of a face, and of its plane beyond it, go through a point
typedef struct Ray
{
    double v, w, d;
    twVec3 along;  // N
} Ray;

static bool find_ray(const twFieldFace* t, const twVec3 n[3], twVec3 c, Ray* ray)
{
    const double close = 1e-13;
    twVec3 dv = tw_vec3_sub(n[1], n[0]), dw = tw_vec3_sub(n[2], n[0]), ac = tw_vec3_sub(c, t->a);
    double size = sqrt(t->abab + t->acac);
    for (int i = 0; i < 10; i++)
    {
        ray->along = tw_vec3_add(n[0], tw_vec3_add(tw_vec3_scale(dv, ray->v), tw_vec3_scale(dw, ray->w)));
        twVec3 at = tw_vec3_add(tw_vec3_scale(t->ab, ray->v), tw_vec3_scale(t->ac, ray->w));
        twVec3 off = tw_vec3_sub(ac, tw_vec3_add_scaled(at, ray->along, ray->d));

        // columns of the slope, and Cramer's rule
        twVec3 j1 = tw_vec3_add_scaled(t->ab, dv, ray->d), j2 = tw_vec3_add_scaled(t->ac, dw, ray->d), j3 = ray->along;
        twVec3 j23 = tw_vec3_cross(j2, j3), off1 = tw_vec3_cross(off, j1);
        double det = tw_vec3_dot(j1, j23);
        if (!(det > 0)) return false;
        double v = tw_vec3_dot(off, j23) / det, w = -tw_vec3_dot(off1, j3) / det, d = tw_vec3_dot(off1, j2) / det;
        ray->v += v;
        ray->w += w;
        ray->d += d;
        if (fabs(v) + fabs(w) < close && fabs(d) < close * (size + fabs(ray->d))) return ray->d > 0;
    }
    return false;
}

bool tw_rounding_foot(const Rounding* rounding, const twField* field, int face, twVec3 point, twFieldFoot* foot)
{
    // weights may be off by this, so that a point above an edge has a face; more crossings than a ball's way are none
    const double beyond = 1e-9;
    for (int crossings = 0; crossings < 16; crossings++)
    {
        const twFieldFace* t = &field->faces[face];
        twNearest start = tw_field_nearest_on(field, face, point);
        Ray ray = {start.v, start.w, sqrt(start.distance2), {0, 0, 0}};
        if (!find_ray(t, rounding->normal[face], point, &ray)) return false;
        const double b[3] = {1 - ray.v - ray.w, ray.v, ray.w};
        int least = b[0] < b[1] ? (b[0] < b[2] ? 0 : 2) : (b[1] < b[2] ? 1 : 2);
        if (b[least] < -beyond)
        {
            face = rounding->beside[face][(least + 1) % 3];
            if (face < 0) return false;
            continue;
        }
        double height = 0, length = tw_vec3_norm(ray.along);
        for (int i = 0; i < 3; i++) height += 4 * b[i] * b[(i + 1) % 3] * side_height(rounding, t, face, i);
        height *= 2 / (1 + length);
        *foot = (twFieldFoot){.distance = ray.d * length - height,
                              .normal = tw_vec3_scale(ray.along, 1 / length),
                              .face = face,
                              .weight = {b[0], b[1], b[2]}};
        foot->point = tw_vec3_add(t->a, tw_vec3_add(tw_vec3_scale(t->ab, ray.v), tw_vec3_scale(t->ac, ray.w)));
        return true;
    }
    return false;
}
