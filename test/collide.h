// SPDX-License-Identifier: MIT
#pragma once
#include "bodies.h"
#include "dynamics/pair.h"
#include "test.h"

/// @file
/// Bodies to collide, and distances by trying everything.

static inline ContactShape* spaced_shape(twMesh* mesh, const twModeSet* modes, double cell, double spacing)
{
    ContactShape* shape;
    twError err;
    ContactShapeDef def = tw_contact_shape_def();
    def.mesh = mesh;
    def.modes = modes;
    def.field.cell = cell;
    def.spacing = spacing;
    if (tw_contact_shape_create(&shape, &def, &err) != TW_OK)
    {
        printf("%s\n", err.text);
        abort();
    }
    tw_mesh_destroy(mesh);
    return shape;
}

static inline ContactShape* contact_shape(twMesh* mesh, const twModeSet* modes, double cell)
{
    return spaced_shape(mesh, modes, cell, -1);
}

/// an exact ball
static inline ContactShape* ball_shape(double radius)
{
    ContactShape* shape;
    ContactShapeDef def = tw_contact_shape_def();
    def.ball = radius;
    if (tw_contact_shape_create(&shape, &def, NULL) != TW_OK) abort();
    return shape;
}

/// the surface of a shape such as "bowl:"
static inline twMesh* shape_mesh(const char* text, double edge)
{
    twShape* shape;
    twMesh* mesh;
    if (tw_shape_parse(&shape, text, NULL) != TW_OK || tw_shape_surface(&mesh, shape, edge, NULL) != TW_OK) abort();
    tw_shape_destroy(shape);
    return mesh;
}

/// a box about the origin, of so many cells along each axis
static inline twMesh* block_mesh(twVec3 size, int nx, int ny, int nz)
{
    Blocks blocks = {{nx, ny, nz}, {size.x / nx, size.y / ny, size.z / nz}, solid_all};
    twMesh* mesh = blocks_mesh(&blocks);
    for (int v = 0; v < mesh->vertex_count; v++)
        mesh->vertices[v] = tw_vec3_sub(mesh->vertices[v], tw_vec3_scale(size, 0.5));
    return mesh;
}

/// a plate with three modes: up as a whole, tilting along x, bending along x; and no meaning but that
static inline twModeSet* plate_modes(const twMesh* mesh)
{
    static float shape[3 * 3 * 1400];
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        double x = mesh->vertices[v].x / 0.15, u[3] = {1, x, x * x - 0.5};
        for (int j = 0; j < 3; j++) shape[3 * (j * mesh->vertex_count + v) + 2] = (float)(2 * u[j]);
    }
    const double freq[3] = {100, 200, 300}, decay[3] = {1, 1, 1};
    twModeSet def = {.mode_count = 3,
                     .vertex_count = mesh->vertex_count,
                     .face_count = mesh->face_count,
                     .freq_hz = freq,
                     .decay = decay,
                     .shape = shape,
                     .vertices = mesh->vertices,
                     .faces = mesh->faces,
                     .mass = tw_mesh_mass(mesh, 1000),
                     .damping = tw_damping_rayleigh(0, 0)};
    def.damping.kind = TW_DAMPING_MODES;
    twModeSet* set;
    twError err;
    if (tw_mode_set_create(&set, &def, &err) != TW_OK)
    {
        printf("%s\n", err.text);
        abort();
    }
    return set;
}

static inline BodyPlace body_at(const ContactShape* shape, int body, twVec3 position)
{
    return (BodyPlace){.shape = shape, .body = body, .position = position, .turn = tw_quat_identity()};
}

static inline Pair* new_pair(const PairDef* def)
{
    void* memory = malloc(tw_pair_bytes(def));
    if (!memory) abort();
    return tw_pair_init(memory, def);
}

static inline twVec3 world_vertex(const BodyPlace* place, int v)
{
    twVec3 x = tw_vec3_add(place->shape->vertices[v], tw_place_bend(place, v));
    return tw_vec3_add(place->position, tw_quat_rotate(place->turn, x));
}

static inline twVec3 random_unit(twRng* rng)
{
    return tw_vec3_normalize(tw_vec3(tw_rng_normal(rng), tw_rng_normal(rng), tw_rng_normal(rng)));
}

static inline twQuat random_turn(twRng* rng)
{
    return tw_quat_normalize(tw_quat(tw_rng_normal(rng), tw_rng_normal(rng), tw_rng_normal(rng), tw_rng_normal(rng)));
}

// ---- distances by trying everything ----

// distance of two segments: all four ends against the other segment, and the perpendicular of both lines
static inline double end_distance(twVec3 p, twVec3 a, twVec3 b)
{
    twVec3 ab = tw_vec3_sub(b, a);
    double t = tw_vec3_dot(tw_vec3_sub(p, a), ab) / tw_vec3_dot(ab, ab);
    return tw_vec3_norm(tw_vec3_sub(p, tw_vec3_add_scaled(a, ab, t < 0 ? 0 : t > 1 ? 1 : t)));
}

static inline double brute_segments(const twVec3 p[2], const twVec3 q[2])
{
    double best = fmin(fmin(end_distance(p[0], q[0], q[1]), end_distance(p[1], q[0], q[1])),
                       fmin(end_distance(q[0], p[0], p[1]), end_distance(q[1], p[0], p[1])));
    twVec3 e = tw_vec3_sub(p[1], p[0]), f = tw_vec3_sub(q[1], q[0]), w = tw_vec3_sub(q[0], p[0]);
    twMat3 m = tw_mat3_transpose(tw_mat3_rows(e, tw_vec3_scale(f, -1), tw_vec3_cross(e, f))), inverse;
    if (!tw_mat3_inverse(&inverse, m)) return best;
    twVec3 s = tw_mat3_mul_vec(inverse, w);
    if (s.x < 0 || s.x > 1 || s.y < 0 || s.y > 1) return best;
    return fmin(best, fabs(s.z) * tw_vec3_norm(tw_vec3_cross(e, f)));
}

/// least distance of the vertices of a to the surface of b, by the tree of winding numbers; negative if one is inside
static inline double brute_vertices(const BodyPlace* a, const BodyPlace* b, const twWinding* surface)
{
    double best = HUGE_VAL;
    for (int v = 0; v < a->shape->vertex_count; v++)
    {
        twVec3 p = tw_quat_rotate(tw_quat_conj(b->turn), tw_vec3_sub(world_vertex(a, v), b->position));
        double away = tw_winding_nearest(surface, p, NULL, NULL);
        best = fmin(best, tw_winding_at(surface, p) > 0.5 ? -away : away);
    }
    return best;
}

/// least distance of all sides of all faces
static inline double brute_sides(const BodyPlace* a, const BodyPlace* b)
{
    double best = HUGE_VAL;
    for (int i = 0; i < 3 * a->shape->face_count; i++)
    {
        const int *u = a->shape->faces[i / 3].v, *v;
        if (u[i % 3] > u[(i + 1) % 3]) continue;
        twVec3 p[2] = {world_vertex(a, u[i % 3]), world_vertex(a, u[(i + 1) % 3])};
        for (int k = 0; k < 3 * b->shape->face_count; k++)
        {
            v = b->shape->faces[k / 3].v;
            if (v[k % 3] > v[(k + 1) % 3]) continue;
            twVec3 q[2] = {world_vertex(b, v[k % 3]), world_vertex(b, v[(k + 1) % 3])};
            best = fmin(best, brute_segments(p, q));
        }
    }
    return best;
}

/// whether a side of a face of a goes through a face of b
static inline bool brute_pierces(const BodyPlace* a, const BodyPlace* b)
{
    for (int i = 0; i < 3 * a->shape->face_count; i++)
    {
        const int* u = a->shape->faces[i / 3].v;
        twVec3 p = world_vertex(a, u[i % 3]), way = tw_vec3_sub(world_vertex(a, u[(i + 1) % 3]), p);
        for (int f = 0; f < b->shape->face_count; f++)
        {
            // p + t way = corner + s first + r second
            const int* v = b->shape->faces[f].v;
            twVec3 corner = world_vertex(b, v[0]), first = tw_vec3_sub(world_vertex(b, v[1]), corner);
            twVec3 second = tw_vec3_sub(world_vertex(b, v[2]), corner);
            twMat3 m = tw_mat3_transpose(tw_mat3_rows(first, second, tw_vec3_scale(way, -1))), inverse;
            if (!tw_mat3_inverse(&inverse, m)) continue;
            twVec3 s = tw_mat3_mul_vec(inverse, tw_vec3_sub(p, corner));
            if (s.x >= 0 && s.y >= 0 && s.x + s.y <= 1 && s.z >= 0 && s.z <= 1) return true;
        }
    }
    return false;
}
