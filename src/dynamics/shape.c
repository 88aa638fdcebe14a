// SPDX-License-Identifier: MIT
// What of a body can touch. Shapes of modes are turned round from the mode set's order (all vertices of a mode) to all modes
// of a vertex, which is what a contact reads. An edge is convex if, with the normal n of one face and the corner c of the
// other that is not on it, n . (c - a) < 0 for a point a of it.
#include "dynamics/shape.h"
#include "mesh/edges.h"
#include <stdlib.h>
#include <string.h>

// an edge turns by more than this; below the other its vertices stay points
static const double EDGE_DEG = 1e-3, BLUNT_DEG = 1;

// ---- placed ----

twVec3 tw_place_bend(const BodyPlace* place, int vertex)
{
    const ContactShape* shape = place->shape;
    size_t modes = (size_t)shape->mode_count;
    double bend[3];
    if (place->mode_count == 0) return tw_vec3(0, 0, 0);
    shape->kernel->bend3(shape->shape + 3 * modes * (size_t)vertex, modes, place->mode_count, place->amplitude, bend);
    return tw_vec3(bend[0], bend[1], bend[2]);
}

double tw_place_bend_bound(const BodyPlace* place)
{
    double sum = 0;
    for (int j = 0; j < place->mode_count; j++) sum += place->shape->motion[j] * fabs(place->amplitude[j]);
    return sum;
}

double tw_place_speed_bound(const BodyPlace* place)
{
    double sum = tw_vec3_norm(place->velocity);
    if (place->shape->ball > 0) return sum;
    sum += tw_vec3_norm(place->spin) * (place->shape->radius + tw_place_bend_bound(place));
    for (int j = 0; j < place->mode_count; j++) sum += place->shape->motion[j] * fabs(place->rate[j]);
    return sum;
}

void tw_place_box(const BodyPlace* place, twVec3* low, twVec3* high)
{
    // |R| times half the box, about where R takes its middle
    const ContactShape* shape = place->shape;
    if (shape->ball > 0)
    {
        twVec3 round = tw_vec3(shape->ball, shape->ball, shape->ball);
        *low = tw_vec3_sub(place->position, round);
        *high = tw_vec3_add(place->position, round);
        return;
    }
    twVec3 middle = tw_vec3_scale(tw_vec3_add(shape->low, shape->high), 0.5);
    twVec3 half = tw_vec3_scale(tw_vec3_sub(shape->high, shape->low), 0.5);
    twMat3 r = tw_mat3_from_quat(place->turn);
    double bend = tw_place_bend_bound(place), reach[3];
    for (int i = 0; i < 3; i++)
        reach[i] = fabs(r.m[i][0]) * half.x + fabs(r.m[i][1]) * half.y + fabs(r.m[i][2]) * half.z + bend;
    twVec3 at = tw_vec3_add(place->position, tw_mat3_mul_vec(r, middle)), size = tw_vec3(reach[0], reach[1], reach[2]);
    *low = tw_vec3_sub(at, size);
    *high = tw_vec3_add(at, size);
}

bool tw_contact_shape_leads(const ContactShape* shape, int vertex, twVec3 n, double tolerance)
{
    for (int i = shape->fan_start[vertex]; i < shape->fan_start[vertex + 1]; i++)
    {
        twVec3 way = tw_vec3_sub(shape->vertices[shape->fan[i]], shape->vertices[vertex]);
        double along = tw_vec3_dot(n, way);
        if (along < 0 && along * along > tolerance * tolerance * tw_vec3_dot(way, way)) return false;
    }
    return true;
}

// ---- making ----

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for a contact shape"); }

static void set_normals(ContactShape* shape)
{
    for (int f = 0; f < shape->face_count; f++)
        for (int i = 0; i < 3; i++)
        {
            const int* v = shape->faces[f].v;
            twVec3 at = shape->vertices[v[i]], u = tw_vec3_sub(shape->vertices[v[(i + 1) % 3]], at);
            twVec3 w = tw_vec3_sub(shape->vertices[v[(i + 2) % 3]], at), cross = tw_vec3_cross(u, w);
            double angle = atan2(tw_vec3_norm(cross), tw_vec3_dot(u, w));
            shape->normals[v[i]] = tw_vec3_add_scaled(shape->normals[v[i]], tw_vec3_normalize(cross), angle);
        }
    for (int v = 0; v < shape->vertex_count; v++) shape->normals[v] = tw_vec3_normalize(shape->normals[v]);
}

static twVec3 face_normal(const ContactShape* shape, int face)
{
    const int* v = shape->faces[face].v;
    twVec3 a = shape->vertices[v[0]];
    return tw_vec3_normalize(
        tw_vec3_cross(tw_vec3_sub(shape->vertices[v[1]], a), tw_vec3_sub(shape->vertices[v[2]], a)));
}

// an edge that is convex, and not within a flat face
static bool is_convex(const ContactShape* shape, const twEdges* edges, int e, double cos_sharp, ContactEdge* edge)
{
    const double cos_flat = cos(EDGE_DEG * TW_PI / 180);
    if (tw_edges_faces(edges, e) != 2) return false;
    const int* use = edges->uses + edges->start[e];
    int across = shape->faces[use[1] / 3].v[(use[1] % 3 + 2) % 3];
    *edge = (ContactEdge){{edges->ends[e][0], edges->ends[e][1]},
                          {face_normal(shape, use[0] / 3), face_normal(shape, use[1] / 3)},
                          false};
    twVec3 way = tw_vec3_sub(shape->vertices[across], shape->vertices[edge->v[0]]);
    double cosine = tw_vec3_dot(edge->normal[0], edge->normal[1]);
    edge->sharp = cosine < cos_sharp;
    return tw_vec3_dot(edge->normal[0], way) < 0 && cosine < cos_flat;
}

// neighbours of the vertices, by counting
static void set_fans(ContactShape* shape, const twEdges* edges)
{
    int* next = shape->fan_start + 1;
    for (int i = 0; i < 2 * edges->count; i++) next[edges->ends[i / 2][i % 2] + 1]++;
    for (int v = 0; v < shape->vertex_count; v++) next[v + 1] += next[v];
    for (int i = 0; i < 2 * edges->count; i++)
        shape->fan[next[edges->ends[i / 2][i % 2]]++] = edges->ends[i / 2][1 - i % 2];
}

static twStatus set_edges(ContactShape* shape, const twMesh* mesh, double sharp_deg, twError* err)
{
    twEdges* edges;
    twStatus status = tw_edges_create(&edges, mesh, err);
    if (status != TW_OK) return status;
    double cos_sharp = cos(sharp_deg * TW_PI / 180);
    shape->edges = malloc(((size_t)edges->count + 1) * sizeof *shape->edges);
    shape->fan_start = calloc((size_t)shape->vertex_count + 2, sizeof *shape->fan_start);
    shape->fan = malloc(2 * ((size_t)edges->count + 1) * sizeof *shape->fan);
    if (shape->edges && shape->fan_start && shape->fan)
    {
        set_fans(shape, edges);
        for (int e = 0; e < edges->count; e++)
            shape->edge_count += is_convex(shape, edges, e, cos_sharp, &shape->edges[shape->edge_count]);
    }
    else
        status = no_memory(err);
    tw_edges_destroy(edges);
    return status;
}

static void set_extent(ContactShape* shape)
{
    shape->low = shape->high = shape->vertices[shape->faces[0].v[0]];
    for (int i = 0; i < 3 * shape->face_count; i++)
    {
        twVec3 p = shape->vertices[shape->faces[i / 3].v[i % 3]];
        shape->radius = fmax(shape->radius, tw_vec3_norm(p));
        shape->low = tw_vec3(fmin(shape->low.x, p.x), fmin(shape->low.y, p.y), fmin(shape->low.z, p.z));
        shape->high = tw_vec3(fmax(shape->high.x, p.x), fmax(shape->high.y, p.y), fmax(shape->high.z, p.z));
    }
}

static twStatus set_modes(ContactShape* shape, const ContactShapeDef* def, twError* err)
{
    int count = def->modes ? def->modes->mode_count : 0;
    if (def->mode_count >= 0 && def->mode_count < count) count = def->mode_count;
    size_t modes = (size_t)count, vertices = (size_t)shape->vertex_count;
    shape->mode_count = count;
    shape->kernel = tw_block_kernel(NULL);
    shape->shape = malloc((3 * modes * vertices + 1) * sizeof *shape->shape);
    shape->motion = calloc(modes + 1, sizeof *shape->motion);
    if (!shape->shape || !shape->motion) return no_memory(err);
    for (size_t j = 0; j < modes; j++)
        for (size_t v = 0; v < vertices; v++)
        {
            const float* u = def->modes->shape + 3 * (j * vertices + v);
            for (size_t d = 0; d < 3; d++) shape->shape[(3 * v + d) * modes + j] = u[d];
            double size = tw_vec3_norm(tw_vec3((double)u[0], (double)u[1], (double)u[2]));
            if (size > shape->motion[j]) shape->motion[j] = size;
        }
    return TW_OK;
}

// ---- which vertices are points ----

enum
{
    UNUSED,
    FLAT,      // all its faces in one plane
    STRAIGHT,  // in two: along a straight edge
    POINT
};

static bool is_parallel(twVec3 a, twVec3 b)
{
    const double even = 1e-5;
    return tw_vec3_max(tw_vec3_sub(a, b)) < even;
}

// what vertices are; planes (2 vertices) is for the normals found at each. Curved surfaces must not pass for flat: the turn
// from face to face of a slab of radius 10 m is 1e-4 and more
static void sort_vertices(const ContactShape* shape, unsigned char* kind, twVec3* planes)
{
    const double cos_blunt = cos(BLUNT_DEG * TW_PI / 180);
    for (int f = 0; f < shape->face_count; f++)
    {
        twVec3 normal = face_normal(shape, f);
        for (int i = 0; i < 3; i++)
        {
            int v = shape->faces[f].v[i];
            bool known = false;
            for (int k = 0; k < kind[v] && k < 2; k++) known = known || is_parallel(planes[2 * v + k], normal);
            if (known || kind[v] == POINT) continue;
            // bent sheets rest on their vertices
            bool blunt = kind[v] == FLAT && tw_vec3_dot(planes[2 * v], normal) > cos_blunt;
            if (kind[v] < STRAIGHT) planes[2 * v + kind[v]] = normal;
            kind[v] = blunt ? POINT : (unsigned char)(kind[v] + 1);
        }
    }
}

// Inside a flat face, or along a straight edge, a vertex touches nothing that corners and edges do not touch unless bodies
// bend, so that few are enough: of each cube of the spacing the first. @return false without memory
static bool choose_points(const ContactShape* shape, double spacing, unsigned char* kind, twVec3* planes)
{
    size_t slots = 1;
    while (slots < 4 * (size_t)shape->vertex_count) slots *= 2;
    uint64_t* taken = calloc(slots, sizeof *taken);
    if (!taken) return false;
    sort_vertices(shape, kind, planes);
    for (int v = 0; v < shape->vertex_count && spacing >= 0; v++)
    {
        if (kind[v] == UNUSED || kind[v] == POINT) continue;
        uint64_t key = 1;
        const double at[3] = {shape->vertices[v].x, shape->vertices[v].y, shape->vertices[v].z};
        for (int d = 0; d < 3 && spacing > 0; d++) key = key * 2097143 + (uint64_t)(int64_t)floor(at[d] / spacing);
        size_t slot = (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & (slots - 1);
        while (spacing > 0 && taken[slot] != 0 && taken[slot] != key) slot = (slot + 1) & (slots - 1);
        if (taken[slot] != key || spacing == 0) kind[v] = POINT;
        taken[slot] = key;
    }
    free(taken);
    return true;
}

// a tree over points or edges: triangles without area; its order is turned to the numbers given
static twStatus make_tree(twTree** out, const twVec3* ends, const int* number, int count, twError* err)
{
    twVec3* corners = calloc(3 * (size_t)count + 1, sizeof *corners);
    if (!corners) return no_memory(err);
    for (int i = 0; i < count; i++)
    {
        corners[3 * (size_t)i] = ends[2 * (size_t)i];
        corners[3 * (size_t)i + 1] = corners[3 * (size_t)i + 2] = ends[2 * (size_t)i + 1];
    }
    twStatus status = tw_tree_create(out, corners, count, 8, err);
    free(corners);
    for (int i = 0; status == TW_OK && i < count; i++) (*out)->order[i] = number[(*out)->order[i]];
    return status;
}

static twStatus set_trees(ContactShape* shape, double spacing, twError* err)
{
    if (spacing < 0 && shape->mode_count > 0) spacing = shape->radius / 8;
    size_t most = (size_t)(shape->vertex_count > shape->edge_count ? shape->vertex_count : shape->edge_count) + 1;
    unsigned char* chosen = calloc(most, 1);
    twVec3* ends = malloc(2 * most * sizeof *ends);
    int* number = malloc(most * sizeof *number);
    twStatus status = chosen && ends && number && choose_points(shape, spacing, chosen, ends) ? TW_OK : no_memory(err);
    int count = 0;
    for (int v = 0; status == TW_OK && v < shape->vertex_count; v++)
    {
        if (chosen[v] != POINT) continue;
        ends[2 * count] = ends[2 * count + 1] = shape->vertices[v];
        number[count++] = v;
    }
    if (status == TW_OK) status = make_tree(&shape->vertex_tree, ends, number, count, err);
    for (int e = 0; status == TW_OK && e < shape->edge_count; e++)
    {
        for (int i = 0; i < 2; i++) ends[2 * e + i] = shape->vertices[shape->edges[e].v[i]];
        number[e] = e;
    }
    if (status == TW_OK) status = make_tree(&shape->edge_tree, ends, number, shape->edge_count, err);
    free(chosen);
    free(ends);
    free(number);
    return status;
}

// ---- life ----

ContactShapeDef tw_contact_shape_def(void)
{
    return (ContactShapeDef){.mode_count = -1, .sharp_deg = 30, .spacing = -1, .field = tw_field_def()};
}

static twStatus set_surface(ContactShape* shape, const twMesh* mesh, twVec3 centre, twError* err)
{
    size_t vertices = (size_t)mesh->vertex_count, faces = (size_t)mesh->face_count;
    shape->vertex_count = mesh->vertex_count;
    shape->face_count = mesh->face_count;
    shape->centre = centre;
    shape->vertices = malloc(vertices * sizeof *shape->vertices);
    shape->normals = calloc(vertices, sizeof *shape->normals);
    shape->faces = malloc(faces * sizeof *shape->faces);
    if (!shape->vertices || !shape->normals || !shape->faces) return no_memory(err);
    for (size_t v = 0; v < vertices; v++) shape->vertices[v] = tw_vec3_sub(mesh->vertices[v], centre);
    memcpy(shape->faces, mesh->faces, faces * sizeof *shape->faces);
    set_normals(shape);
    set_extent(shape);
    return TW_OK;
}

// a ball, and the vertices of what is drawn of it
static twStatus build_ball(ContactShape* shape, const ContactShapeDef* def, const twMesh* mesh, twError* err)
{
    if (!(def->ball < HUGE_VAL)) return tw_fail(err, TW_BAD_INPUT, "a ball's radius of %g m is none", def->ball);
    size_t vertices = (size_t)mesh->vertex_count;
    shape->vertices = malloc((vertices + 1) * sizeof *shape->vertices);
    if (!shape->vertices) return no_memory(err);
    for (size_t v = 0; v < vertices; v++) shape->vertices[v] = tw_vec3_sub(mesh->vertices[v], def->centre);
    shape->vertex_count = mesh->vertex_count;
    shape->centre = def->centre;
    shape->ball = shape->radius = def->ball;
    shape->high = tw_vec3(def->ball, def->ball, def->ball);
    shape->low = tw_vec3_scale(shape->high, -1);
    return TW_OK;
}

static twStatus build(ContactShape* shape, const ContactShapeDef* def, const twMesh* mesh, twError* err)
{
    if (def->ball > 0) return build_ball(shape, def, mesh, err);

    // the field first: it knows what can be wrong with a surface
    if (mesh->vertex_count > TW_SHAPE_ITEMS || mesh->face_count > TW_SHAPE_ITEMS)
        return tw_fail(err, TW_BAD_INPUT, "%d vertices and %d faces are too many to collide; at most %d",
                       mesh->vertex_count, mesh->face_count, TW_SHAPE_ITEMS);
    twStatus status = tw_field_create(&shape->field, mesh, &def->field, err);
    if (status == TW_OK) status = set_surface(shape, mesh, def->centre, err);
    if (status == TW_OK) status = set_edges(shape, mesh, def->sharp_deg, err);
    if (status == TW_OK) status = set_modes(shape, def, err);
    if (status == TW_OK) status = set_trees(shape, def->spacing, err);
    if (status == TW_OK) status = tw_rounding_create(&shape->rounding, shape->field, mesh, def->sharp_deg, err);
    return status;
}

twStatus tw_contact_shape_create(ContactShape** out, const ContactShapeDef* def, twError* err)
{
    *out = NULL;
    TW_ASSERT(def->mesh || def->modes || def->ball > 0);
    twMesh view = {0};
    if (def->modes)
        view = (twMesh){def->modes->vertex_count, def->modes->face_count, (twVec3*)(uintptr_t)def->modes->vertices,
                        (twTriangle*)(uintptr_t)def->modes->faces, NULL};
    if (def->mesh && def->modes && def->mesh->vertex_count != def->modes->vertex_count)
        return tw_fail(err, TW_BAD_INPUT, "the surface has %d vertices, its modes have %d", def->mesh->vertex_count,
                       def->modes->vertex_count);
    ContactShape* shape = calloc(1, sizeof *shape);
    if (!shape) return no_memory(err);
    twStatus status = build(shape, def, def->mesh ? def->mesh : &view, err);
    if (status == TW_OK) shape->thickness = tw_contact_thickness(shape);
    if (status == TW_OK)
        *out = shape;
    else
        tw_contact_shape_destroy(shape);
    return status;
}

void tw_contact_shape_destroy(ContactShape* shape)
{
    if (!shape) return;
    free(shape->vertices);
    free(shape->normals);
    free(shape->faces);
    free(shape->edges);
    free(shape->fan_start);
    free(shape->fan);
    free(shape->shape);
    free(shape->motion);
    tw_field_destroy(shape->field);
    tw_tree_destroy(shape->vertex_tree);
    tw_tree_destroy(shape->edge_tree);
    tw_rounding_destroy(shape->rounding);
    free(shape);
}
