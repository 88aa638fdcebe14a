// SPDX-License-Identifier: MIT
// The faces of a distance field. The nearest point of a triangle a, b, c lies at a corner, on a side or inside; which of
// them follows from the signs of products of p - a, p - b, p - c with the sides (Ericson: "Real-time collision detection",
// 2005, 5.1.5). The sign of the distance is that of (p - foot) . n with the pseudo-normal n of what is nearest: the face's
// normal; the sum of the normals at an edge; at a vertex their sum weighted by the angles (Baerentzen and Aanaes: "Signed
// distance computation using the angle weighted pseudonormal", IEEE TVCG 11, 2005). On a closed surface it is always right.
#include "mesh/edges.h"
#include "mesh/field.h"
#include "mesh/mend.h"
#include <stdlib.h>

// ---- nearest points ----

static twNearest place(const twFieldFace* t, int f, twVec3 ap, int feature, double v, double w)
{
    twVec3 off = tw_vec3_sub(ap, tw_vec3_add(tw_vec3_scale(t->ab, v), tw_vec3_scale(t->ac, w)));
    return (twNearest){tw_vec3_dot(off, off), f, feature, v, w};
}

twNearest tw_field_nearest_on(const twField* field, int f, twVec3 p)
{
    // products of the sides ab and ac with p - a, p - b and p - c
    const twFieldFace* t = &field->faces[f];
    twVec3 ap = tw_vec3_sub(p, t->a);
    double ab_a = tw_vec3_dot(t->ab, ap), ac_a = tw_vec3_dot(t->ac, ap);
    if (ab_a <= 0 && ac_a <= 0) return place(t, f, ap, TW_FEATURE_VERTEX, 0, 0);
    double ab_b = ab_a - t->abab, ac_b = ac_a - t->abac;
    if (ab_b >= 0 && ac_b <= ab_b) return place(t, f, ap, TW_FEATURE_VERTEX + 1, 1, 0);
    double ab_c = ab_a - t->abac, ac_c = ac_a - t->acac;
    if (ac_c >= 0 && ab_c <= ac_c) return place(t, f, ap, TW_FEATURE_VERTEX + 2, 0, 1);

    // weights of the corners, up to a factor; one that is not positive belongs to a side
    double wc = ab_a * ac_b - ab_b * ac_a, wb = ab_c * ac_a - ab_a * ac_c, wa = ab_b * ac_c - ab_c * ac_b;
    if (wc <= 0 && ab_a >= 0 && ab_b <= 0) return place(t, f, ap, TW_FEATURE_EDGE, ab_a / t->abab, 0);
    if (wb <= 0 && ac_a >= 0 && ac_c <= 0) return place(t, f, ap, TW_FEATURE_EDGE + 2, 0, ac_a / t->acac);
    double from_b = ac_b - ab_b, from_c = ab_c - ac_c;
    if (wa <= 0 && from_b >= 0 && from_c >= 0)
    {
        double along = from_b / (from_b + from_c);
        return place(t, f, ap, TW_FEATURE_EDGE + 1, 1 - along, along);
    }

    // inside: the distance to the plane loses no digits. A triangle without area is left to its neighbours.
    double away = tw_vec3_dot(t->normal, ap), sum = wa + wb + wc;
    if (!(sum > 0)) return (twNearest){HUGE_VAL, f, TW_FEATURE_FACE, 0, 0};
    return (twNearest){away * away, f, TW_FEATURE_FACE, wb / sum, wc / sum};
}

twNearest tw_field_nearest_in(const twField* field, const twFieldNear* near, int count, twVec3 p, double r)
{
    twNearest best = {HUGE_VAL, -1, 0, 0, 0};
    for (int k = 0; k < count; k++)
    {
        // all that follow are farther from the middle, and so from p
        double least = near[k].away - r;
        if (least > 0 && least * least >= best.distance2) break;
        tw_field_try(field, near[k].face, p, &best);
    }
    return best;
}

double tw_field_signed(const twField* field, const twNearest* nearest, twVec3 p, twVec3* gradient)
{
    const twFieldFace* t = &field->faces[nearest->face];
    twVec3 ap = tw_vec3_sub(p, t->a);
    if (nearest->feature == TW_FEATURE_FACE)
    {
        if (gradient) *gradient = t->normal;
        return tw_vec3_dot(t->normal, ap);
    }
    int i = nearest->feature;
    twVec3 pseudo = i < TW_FEATURE_EDGE ? field->vertex_normal[t->v[i - TW_FEATURE_VERTEX]]
                                        : field->edge_normal[t->edge[i - TW_FEATURE_EDGE]];
    twVec3 off = tw_vec3_sub(ap, tw_vec3_add(tw_vec3_scale(t->ab, nearest->v), tw_vec3_scale(t->ac, nearest->w)));
    double distance = sqrt(nearest->distance2), sign = tw_vec3_dot(off, pseudo) < 0 ? -1 : 1;

    // on the edge itself the direction is round-off
    const double touching = 1e-12 * (fabs(p.x) + fabs(p.y) + fabs(p.z) + sqrt(t->abab));
    if (gradient) *gradient = distance > touching ? tw_vec3_scale(off, sign / distance) : pseudo;
    return sign * distance;
}

// ---- building ----

static void set_faces(twField* field, const twMesh* mesh, const twEdges* edges)
{
    for (int f = 0; f < mesh->face_count; f++)
    {
        twFieldFace* t = &field->faces[f];
        const int* v = mesh->faces[f].v;
        t->a = mesh->vertices[v[0]];
        t->ab = tw_vec3_sub(mesh->vertices[v[1]], t->a);
        t->ac = tw_vec3_sub(mesh->vertices[v[2]], t->a);
        t->normal = tw_vec3_normalize(tw_vec3_cross(t->ab, t->ac));
        t->abab = tw_vec3_dot(t->ab, t->ab);
        t->abac = tw_vec3_dot(t->ab, t->ac);
        t->acac = tw_vec3_dot(t->ac, t->ac);
        twFieldBall* ball = &field->balls[f];
        ball->middle = tw_vec3_add_scaled(t->a, tw_vec3_add(t->ab, t->ac), 1.0 / 3);
        ball->radius = 0;
        for (int i = 0; i < 3; i++)
        {
            t->v[i] = v[i];
            t->edge[i] = edges->of_face[f][i];
            ball->radius = fmax(ball->radius, tw_vec3_norm(tw_vec3_sub(mesh->vertices[v[i]], ball->middle)));
        }
    }
}

static void add_normals(twField* field, const twMesh* mesh)
{
    for (int f = 0; f < mesh->face_count; f++)
    {
        const twFieldFace* t = &field->faces[f];
        for (int i = 0; i < 3; i++)
        {
            twVec3 at = mesh->vertices[t->v[i]];
            twVec3 u = tw_vec3_sub(mesh->vertices[t->v[(i + 1) % 3]], at);
            twVec3 w = tw_vec3_sub(mesh->vertices[t->v[(i + 2) % 3]], at);
            double angle = atan2(tw_vec3_norm(tw_vec3_cross(u, w)), tw_vec3_dot(u, w));
            field->vertex_normal[t->v[i]] = tw_vec3_add_scaled(field->vertex_normal[t->v[i]], t->normal, angle);
            field->edge_normal[t->edge[i]] = tw_vec3_add(field->edge_normal[t->edge[i]], t->normal);
        }
    }
}

// every edge must have as many faces on one side as on the other
static twStatus check_edges(const twMesh* mesh, const twEdges* edges, twError* err)
{
    int open = 0, turned = 0, first_open = 0, first_turned = 0;
    for (int e = edges->count - 1; e >= 0; e--)
    {
        int net = 0;
        for (int u = edges->start[e]; u < edges->start[e + 1]; u++)
            net += tw_edges_forward(mesh, edges->uses[u]) ? 1 : -1;
        if (net == 0) continue;
        bool odd = tw_edges_faces(edges, e) % 2 == 1;
        *(odd ? &open : &turned) += 1;
        *(odd ? &first_open : &first_turned) = e;
    }
    const int* ends = edges->ends[open > 0 ? first_open : first_turned];
    if (open > 0)
        return tw_fail(err, TW_BAD_INPUT,
                       "the surface is open: %d edges have no face on one side, the first from vertex %d to %d; mend "
                       "it, or close its holes",
                       open, ends[0], ends[1]);
    if (turned > 0)
        return tw_fail(
            err, TW_BAD_INPUT,
            "faces disagree on what is outside at %d edges, the first from vertex %d to %d; mend the surface", turned,
            ends[0], ends[1]);
    return TW_OK;
}

static twStatus check_faces(const twMesh* mesh, twVec3* low, twVec3* high, twError* err)
{
    if (mesh->face_count == 0) return tw_fail(err, TW_BAD_INPUT, "the surface has no faces");
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        for (int i = 0; i < 3; i++)
        {
            if (v[i] < 0 || v[i] >= mesh->vertex_count)
                return tw_fail(err, TW_BAD_INPUT, "face %d: vertex %d is outside 0..%d", f, v[i],
                               mesh->vertex_count - 1);
            if (!tw_is_place(mesh->vertices[v[i]]))
                return tw_fail(err, TW_BAD_INPUT, "face %d: vertex %d is not finite; mend the surface", f, v[i]);
            if (v[i] == v[(i + 1) % 3])
                return tw_fail(err, TW_BAD_INPUT, "face %d: vertex %d is there twice; mend the surface", f, v[i]);
        }
    }
    *low = *high = mesh->vertices[mesh->faces[0].v[0]];
    for (int i = 0; i < 3 * mesh->face_count; i++)
    {
        twVec3 p = mesh->vertices[mesh->faces[i / 3].v[i % 3]];
        *low = tw_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = tw_vec3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
    return TW_OK;
}

static twStatus check_volume(const twField* field, const twMesh* mesh, twError* err)
{
    double volume = tw_mesh_mass(mesh, 1).volume, area = 0, size = tw_vec3_norm(tw_vec3_sub(field->high, field->low));
    for (int f = 0; f < mesh->face_count; f++)
        area += 0.5 * tw_vec3_norm(tw_vec3_cross(field->faces[f].ab, field->faces[f].ac));

    // a wall of mean thickness 2 volume / area
    const double flat = 1e-9;
    if (!(fabs(volume) > flat * size * area))
        return tw_fail(err, TW_BAD_INPUT, "the surface encloses nothing: its thickness is zero");
    if (volume < 0)
        return tw_fail(err, TW_BAD_INPUT, "the surface is inside out: its volume is %g m^3; mend it", volume);
    return TW_OK;
}

twStatus tw_field_faces(twField* field, const twMesh* mesh, twError* err)
{
    twEdges* edges = NULL;
    twStatus status = check_faces(mesh, &field->low, &field->high, err);
    if (status == TW_OK) status = tw_edges_create(&edges, mesh, err);
    if (status == TW_OK) status = check_edges(mesh, edges, err);
    if (status != TW_OK)
    {
        tw_edges_destroy(edges);
        return status;
    }
    field->face_count = mesh->face_count;
    field->vertex_count = mesh->vertex_count;
    field->faces = malloc((size_t)mesh->face_count * sizeof *field->faces);
    field->balls = malloc((size_t)mesh->face_count * sizeof *field->balls);
    field->vertex_normal = calloc((size_t)mesh->vertex_count, sizeof *field->vertex_normal);
    field->edge_normal = calloc((size_t)edges->count, sizeof *field->edge_normal);
    if (field->faces && field->balls && field->vertex_normal && field->edge_normal)
    {
        set_faces(field, mesh, edges);
        add_normals(field, mesh);
        for (int v = 0; v < mesh->vertex_count; v++)
            field->vertex_normal[v] = tw_vec3_normalize(field->vertex_normal[v]);
        for (int e = 0; e < edges->count; e++) field->edge_normal[e] = tw_vec3_normalize(field->edge_normal[e]);
        status = check_volume(field, mesh, err);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory for the distance field of %d faces", mesh->face_count);
    tw_edges_destroy(edges);
    return status;
}
