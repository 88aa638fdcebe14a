// SPDX-License-Identifier: MIT
// Surfaces that bodies touch with: those of shapes and files, and modes seen at the vertices of a coarser one.
//
// A modal analysis has ten thousand vertices and more, for the sake of its frequencies. What touches needs a quarter of these
// at most: modes are taken over to a coarser surface of the same body, by the nearest face of the fine one.

#include "bodies.h"
#include "mesh/copy.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MERGE_TOLERANCE 1e-9    // of the size: vertices closer than this are one
#define FLAT 1e-9               // of the size: all within this of a plane
#define FLEXIBLE_VERTICES 2500  // of the surface of a flexible shape
#define ROUND_EDGE (1.0 / 8)    // of triangles of a round shape, over its width
#define LONG_EDGE (1.0 / 40)    // or over its length
#define BALL_EDGE (1.0 / 4)     // over its radius: for pictures only

// ---- how fine ----

static bool is_flat(const char* text)
{
    static const char* const names[] = {"box:", "bar:", "plate:", "ruler:", "slab:", "table:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0) return true;
    return false;
}

double body_area(const twVec3* vertices, const twTriangle* faces, int count)
{
    double area = 0;
    for (int f = 0; f < count; f++)
    {
        const twVec3 a = vertices[faces[f].v[0]], b = vertices[faces[f].v[1]], c = vertices[faces[f].v[2]];
        area += 0.5 * tw_vec3_norm(tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(c, a)));
    }
    return area;
}

twVec3 body_sides(const twVec3* points, int count)
{
    twVec3 low, high;
    bake_bounds(points, count, &low, &high);
    return tw_vec3_sub(high, low);
}

// edges of a procedural surface, from its roughest one
static double edge_of(const twSceneShape* shape, const twMesh* rough, double roughest)
{
    if (shape->edge > 0) return shape->edge;
    if (shape->ball_radius > 0) return BALL_EDGE * shape->ball_radius;
    if (shape->flexible) return sqrt(body_area(rough->vertices, rough->faces, rough->face_count) / FLEXIBLE_VERTICES);
    if (is_flat(shape->source)) return roughest;
    const twVec3 s = body_sides(rough->vertices, rough->vertex_count);
    const double length = tw_vec3_max(s), width = s.x + s.y + s.z - length - fmin(s.x, fmin(s.y, s.z));
    return fmax(ROUND_EDGE * width, LONG_EDGE * length);
}

// ---- surfaces ----

static twStatus procedural_surface(twMesh** out, const twSceneShape* shape, twError* err)
{
    twShape* parsed;
    twMesh* rough = NULL;
    twStatus status = tw_shape_parse(&parsed, shape->source, err);
    if (status != TW_OK) return status;
    const double roughest = 1e6 * tw_shape_thickness(parsed);
    status = tw_shape_surface(&rough, parsed, roughest, err);
    const double edge = status == TW_OK ? edge_of(shape, rough, roughest) : 0;
    if (status == TW_OK && edge >= roughest)
        *out = rough, rough = NULL;
    else if (status == TW_OK)
        status = tw_shape_surface(out, parsed, edge, err);
    tw_mesh_destroy(rough);
    tw_shape_destroy(parsed);
    return status;
}

// whether all of it lies in the plane of a face
static bool lies_in_a_plane(const twMesh* mesh)
{
    const double size = tw_vec3_norm(body_sides(mesh->vertices, mesh->vertex_count));
    twVec3 normal = tw_vec3(0, 0, 0), at = normal;
    for (int f = 0; f < mesh->face_count; f++)
    {
        const twVec3 a = mesh->vertices[mesh->faces[f].v[0]], b = mesh->vertices[mesh->faces[f].v[1]];
        const twVec3 n = tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(mesh->vertices[mesh->faces[f].v[2]], a));
        if (tw_vec3_norm(n) > tw_vec3_norm(normal)) normal = n, at = a;
    }
    const double length = tw_vec3_norm(normal);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (fabs(tw_vec3_dot(normal, tw_vec3_sub(mesh->vertices[v], at))) > FLAT * length * size) return false;
    return true;
}

// what is wrong with a surface that was mended as far as it goes
static twStatus check_closed(const twMesh* mesh, const twMeshReport* mended, twError* err)
{
    if (lies_in_a_plane(mesh))
        return tw_fail(err, TW_BAD_INPUT, "the surface is flat and encloses no volume; give it a 'thickness'");
    if (mended->boundary_edges == 0) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "the surface is open: %d edge(s) around %d hole(s) belong to one face only; close it, or give it "
                   "a 'thickness'",
                   mended->boundary_edges, mended->holes);
}

// both sides and the rim of a sheet instead of it
static twStatus thicken(twMesh** mesh, double thickness, twError* err)
{
    twMesh* both;
    twStatus status = bake_thicken(&both, NULL, *mesh, thickness, err);
    if (status != TW_OK) return status;
    tw_mesh_destroy(*mesh);
    *mesh = both;
    return TW_OK;
}

static twStatus file_surface(twMesh** out, const twSceneShape* shape, char* note, size_t bytes, twError* err)
{
    twMeshReport mended = {0};
    twError inner = {0};
    twStatus status =
        shape->mesh ? tw_mesh_copy(out, shape->mesh, err) : tw_mesh_load(out, shape->source, shape->scale, err);
    if (status != TW_OK) return status;
    status = tw_mesh_mend(*out, MERGE_TOLERANCE, &mended, &inner);
    if (status == TW_OK) tw_mesh_describe(note, bytes, &mended);
    if (status == TW_OK && shape->thickness > 0 && mended.boundary_edges > 0)
        status = thicken(out, shape->thickness, &inner);
    else if (status == TW_OK)
        status = check_closed(*out, &mended, &inner);
    if (status == TW_OK) return TW_OK;
    tw_mesh_destroy(*out);
    *out = NULL;
    const int line = mended.bad_coordinates > 0 && !shape->mesh ? tw_obj_bad_line(shape->source) : 0;
    if (line > 0)
        return tw_fail(err, status, "%s, line %d: a coordinate is not a finite number; without its vertex %s",
                       shape->source, line, inner.text);
    return tw_fail(err, status, "%s: %s", shape->source, inner.text);
}

static twStatus tets_surface(twMesh** out, const twSceneShape* shape, twError* err)
{
    twTetMesh* tets;
    int* node_of = NULL;
    twStatus status = tw_tets_load(&tets, shape->source, shape->scale, err);
    if (status == TW_OK) status = tw_tets_surface(out, &node_of, tets, err);
    free(node_of);
    tw_tets_destroy(tets);
    return status;
}

twStatus tw_scene_surface(twMesh** out, const twSceneShape* shape, char* note, size_t bytes, twError* err)
{
    *out = NULL;
    if (bytes > 0) note[0] = 0;
    if (shape->mesh) return file_surface(out, shape, note, bytes, err);
    if (tw_shape_looks_like(shape->source)) return procedural_surface(out, shape, err);
    if (tw_mesh_kind(shape->source) == TW_MESH_TETS) return tets_surface(out, shape, err);
    return file_surface(out, shape, note, bytes, err);
}

// ---- sets ----

twStatus body_rigid_set(twModeSet** out, const twMesh* mesh, const twMassProperties* mass, const twMaterial* material,
                        twError* err)
{
    const twModeMaterial of = bake_material_of(material, mass->volume, bake_wall(mesh, mass->volume));
    const twModeSet def = {.vertex_count = mesh->vertex_count,
                           .face_count = mesh->face_count,
                           .rigid_modes = 6,
                           .vertices = mesh->vertices,
                           .faces = mesh->faces,
                           .mass = *mass,
                           .damping = tw_damping_materials(),
                           .material_count = 1,
                           .materials = &of};
    return tw_mode_set_create(out, &def, err);
}

// weights of a face's corners at a point of it
static void weigh(const twVec3 corner[3], twVec3 point, double weight[3])
{
    const twVec3 e = tw_vec3_sub(corner[1], corner[0]), f = tw_vec3_sub(corner[2], corner[0]);
    const twVec3 p = tw_vec3_sub(point, corner[0]), n = tw_vec3_cross(e, f);
    const double square = tw_vec3_dot(n, n);
    weight[1] = square > 0 ? tw_vec3_dot(tw_vec3_cross(p, f), n) / square : 0;
    weight[2] = square > 0 ? tw_vec3_dot(tw_vec3_cross(e, p), n) / square : 0;
    weight[0] = 1 - weight[1] - weight[2];
}

// the point of a set's surface nearest to another: three vertices and their weights
static const int* surface_place(const twModeSet* set, const twWinding* winding, twVec3 at, double weight[3])
{
    twVec3 nearest, corner[3];
    int face;
    tw_winding_nearest(winding, at, &nearest, &face);
    const int* v = set->faces[face].v;
    for (int i = 0; i < 3; i++) corner[i] = set->vertices[v[i]];
    weigh(corner, nearest, weight);
    return v;
}

void body_surface_place(const twModeSet* set, const twWinding* winding, twVec3 at, int vertex[3], float weight[3])
{
    double part[3];
    const int* v = surface_place(set, winding, at, part);
    for (int i = 0; i < 3; i++) vertex[i] = v[i], weight[i] = (float)part[i];
}

twSurfacePoint body_touching_place(const BodyMade* made, twVec3 at)
{
    const twModeSet* set = made->touching ? made->touching : made->set;
    const bool mesh = !made->touching && made->mesh;
    const twVec3* vertices = mesh ? made->mesh->vertices : set->vertices;
    const twTriangle* faces = mesh ? made->mesh->faces : set->faces;
    const int count = mesh ? made->mesh->face_count : set->face_count;
    twSurfacePoint out = {{-1, -1, -1}, {0}};
    double least = INFINITY;
    for (int f = 0; f < count; f++)
    {
        twVec3 corner[3];
        for (int i = 0; i < 3; i++) corner[i] = vertices[faces[f].v[i]];
        const twVec3 nearest = tw_triangle_nearest(corner, at);
        const double away = tw_vec3_norm(tw_vec3_sub(at, nearest));
        if (!(away < least)) continue;
        least = away;
        weigh(corner, nearest, out.weight);
        for (int i = 0; i < 3; i++) out.vertex[i] = faces[f].v[i];
    }
    return out;
}

// how all modes move a vertex of another surface
static void take_over(float* shape, int vertices, int vertex, const twModeSet* fine, const twWinding* winding,
                      twVec3 point)
{
    double weight[3];
    const int* v = surface_place(fine, winding, point, weight);
    for (int m = 0; m < fine->mode_count; m++)
    {
        twVec3 u = {0, 0, 0};
        for (int i = 0; i < 3; i++) u = tw_vec3_add_scaled(u, tw_mode_set_shape(fine, m, v[i]), weight[i]);
        float* to = shape + 3 * ((size_t)m * (size_t)vertices + (size_t)vertex);
        to[0] = (float)u.x, to[1] = (float)u.y, to[2] = (float)u.z;
    }
}

twStatus body_coarse_set(twModeSet** out, const twModeSet* fine, const twMesh* coarse, twError* err)
{
    *out = NULL;
    const twMesh surface = {.vertex_count = fine->vertex_count,
                            .face_count = fine->face_count,
                            .vertices = (twVec3*)fine->vertices,
                            .faces = (twTriangle*)fine->faces};
    twWinding* winding;
    twStatus status = tw_winding_create(&winding, &surface, err);
    if (status != TW_OK) return status;
    float* shape = calloc((size_t)fine->mode_count * (size_t)coarse->vertex_count + 1, 3 * sizeof *shape);
    if (!shape) status = tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", fine->mode_count);
    for (int i = 0; status == TW_OK && i < coarse->vertex_count; i++)
        take_over(shape, coarse->vertex_count, i, fine, winding, coarse->vertices[i]);
    if (status == TW_OK)
    {
        twModeSet def = *fine;
        def.vertex_count = coarse->vertex_count;
        def.face_count = coarse->face_count;
        def.vertices = coarse->vertices;
        def.faces = coarse->faces;
        def.shape = shape;
        def.tet_count = def.nodes_per_tet = def.inner_count = 0;
        def.tets = def.tet_materials = NULL;
        def.inner = NULL;
        def.inner_shape = NULL;
        status = tw_mode_set_create(out, &def, err);
    }
    free(shape);
    tw_winding_destroy(winding);
    return status;
}
