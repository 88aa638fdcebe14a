// SPDX-License-Identifier: MIT
#pragma once
#include "collide.h"
#include "stage/cone.h"
#include "stage/touches.h"

/// @file
/// Bodies of a stage put together by hand, without a stage: shapes, places, and the matrix of contacts.

enum
{
    TROUPE_MAX = 12
};

typedef struct Troupe
{
    int count;
    twBodyShape* shapes[TROUPE_MAX];
    StageBody bodies[TROUPE_MAX];
    BodyPlace places[TROUPE_MAX];
    twContactMaterial material;
} Troupe;

static inline Troupe troupe(double friction)
{
    return (Troupe){
        .material = {.young = 1e9, .poisson = 0.3, .stick = friction, .slide = friction, .restitution = 0.5}};
}

static inline int troupe_add(Troupe* t, const twBodyShapeDef* def, bool is_free, twVec3 position)
{
    int i = t->count++;
    twError err;
    if (tw_body_shape_create(&t->shapes[i], def, &err) != TW_OK)
    {
        printf("%s\n", err.text);
        abort();
    }
    const twBodyShape* shape = t->shapes[i];
    t->bodies[i] = (StageBody){.shape = shape, .contact = shape->contact, .free = is_free, .index = i};
    t->bodies[i].inverse_mass = is_free ? 1 / shape->mass.mass : 0;
    t->bodies[i].size = is_free ? 6 : 0;
    t->places[i] = body_at(shape->contact, i, position);
    t->places[i].still = !is_free;
    return i;
}

/// a rigid body of this surface, which is destroyed; of a mass, or fixed if 0
static inline int troupe_mesh(Troupe* t, twMesh* mesh, double mass, twVec3 position)
{
    twBodyShapeDef def = tw_body_shape_def();
    def.mesh = mesh;
    def.density = 1000;
    def.mass = mass > 0 ? mass : 1;
    int body = troupe_add(t, &def, mass > 0, position);
    tw_mesh_destroy(mesh);
    return body;
}

static inline int troupe_box(Troupe* t, twVec3 size, int cells, double mass, twVec3 position)
{
    return troupe_mesh(t, block_mesh(size, cells, cells, cells), mass, position);
}

static inline int troupe_ball(Troupe* t, double radius, double mass, twVec3 position)
{
    twBodyShapeDef def = tw_body_shape_def();
    def.ball_radius = radius;
    def.mass = mass;
    return troupe_add(t, &def, true, position);
}

static inline void troupe_end(Troupe* t)
{
    for (int i = 0; i < t->count; i++) tw_body_shape_destroy(t->shapes[i]);
}

static inline StageTouches* troupe_touches(const Troupe* t, double cluster, int max_contacts)
{
    twStageDef def = {.body_count = t->count, .materials = &t->material, .material_count = 1};
    def.cluster = cluster;
    def.max_contacts = max_contacts;
    StageTouches* touches;
    twError err;
    if (stage_touches_create(&touches, &def, t->bodies, &err) != TW_OK)
    {
        printf("%s\n", err.text);
        abort();
    }
    return touches;
}

// ---- motion of rigid bodies ----

// inverse mass times a row: linear, angular in the world
static inline void troupe_accelerate(const Troupe* t, int body, const double row[6], double out[6])
{
    const StageBody* b = t->bodies + body;
    twQuat turn = t->places[body].turn;
    twVec3 moment = tw_quat_rotate(tw_quat_conj(turn), tw_vec3(row[3], row[4], row[5]));
    twVec3 spin = tw_quat_rotate(turn, tw_mat3_mul_vec(b->shape->inverse_inertia, moment));
    for (int k = 0; k < 3; k++) out[k] = b->inverse_mass * row[k];
    out[3] = spin.x, out[4] = spin.y, out[5] = spin.z;
}

typedef struct Rows
{
    double side[2][3][6];
} Rows;

static inline Rows troupe_rows(const Troupe* t, const StageContact* contact)
{
    Rows rows = {0};
    for (int side = 0; side < 2; side++)
    {
        int body = contact->touch.body[side];
        if (t->bodies[body].free) tw_touch_rows(rows.side[side][0], &contact->touch, side, t->places + body, false);
    }
    return rows;
}

/// A (3 count x 3 count), and b: velocities along the rows
static inline void troupe_matrix(const Troupe* t, const StageContact* contacts, int count, double* a, double* b)
{
    for (int i = 0; i < count; i++)
    {
        Rows r = troupe_rows(t, contacts + i);
        const int* body = contacts[i].touch.body;
        tw_touch_velocity(b + 3 * i, &contacts[i].touch, t->places + body[0], t->places + body[1]);
        for (int k = 0; k < count; k++)
        {
            Rows s = troupe_rows(t, contacts + k);
            for (int e = 0; e < 9; e++)
            {
                double sum = 0, fast[6];
                for (int side = 0; side < 4; side++)
                {
                    int mine = body[side / 2], other = contacts[k].touch.body[side % 2];
                    if (mine != other || !t->bodies[mine].free) continue;
                    troupe_accelerate(t, mine, s.side[side % 2][e % 3], fast);
                    for (int d = 0; d < 6; d++) sum += r.side[side / 2][e / 3][d] * fast[d];
                }
                a[(3 * i + e / 3) * 3 * count + 3 * k + e % 3] = sum;
            }
        }
    }
}

/// contacts push: velocities change
static inline void troupe_push(Troupe* t, const StageContact* contacts, int count, const double* p)
{
    for (int i = 0; i < 6 * count; i++)
    {
        const StageContact* contact = contacts + i / 6;
        int side = i / 3 % 2, body = contact->touch.body[side];
        if (!t->bodies[body].free) continue;
        Rows r = troupe_rows(t, contact);
        double fast[6];
        troupe_accelerate(t, body, r.side[side][i % 3], fast);
        double q = p[3 * (i / 6) + i % 3];
        BodyPlace* place = t->places + body;
        place->velocity = tw_vec3_add_scaled(place->velocity, tw_vec3(fast[0], fast[1], fast[2]), q);
        place->spin = tw_vec3_add_scaled(place->spin, tw_vec3(fast[3], fast[4], fast[5]), q);
    }
}

/// One explicit step of semi-implicit Euler: gravity, contacts by velocity with gap/h added to the normal rows, motion. @return contacts
static inline int troupe_step(Troupe* t, StageTouches* touches, twVec3 gravity, double h, double reach)
{
    static double a[9 * 64 * 64], b[3 * 64], p[3 * 64];
    StageContact* contacts;
    int count = stage_touches_find(touches, t->places, reach, &contacts);
    for (int i = 0; i < t->count; i++)
        if (t->bodies[i].free) t->places[i].velocity = tw_vec3_add_scaled(t->places[i].velocity, gravity, h);
    troupe_matrix(t, contacts, count, a, b);
    for (int i = 0; i < count; i++)
    {
        b[3 * i] += fmax(contacts[i].touch.gap, 0) / h;
        memcpy(p + 3 * i, contacts[i].impulse, sizeof contacts[i].impulse);
    }
    cone_solve(p, a, b, NULL, contacts, count);
    for (int i = 0; i < count; i++) memcpy(contacts[i].impulse, p + 3 * i, sizeof contacts[i].impulse);
    troupe_push(t, contacts, count, p);
    for (int i = 0; i < t->count; i++)
    {
        BodyPlace* place = t->places + i;
        if (!t->bodies[i].free) continue;
        double rate = tw_vec3_norm(place->spin);
        place->position = tw_vec3_add_scaled(place->position, place->velocity, h);
        if (rate > 0)
            place->turn = tw_quat_normalize(
                tw_quat_mul(tw_quat_from_axis_angle(tw_vec3_scale(place->spin, 1 / rate), rate * h), place->turn));
    }
    return count;
}
