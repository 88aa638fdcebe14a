// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/joint.h"
#include "dynamics/solve.h"
#include "friction_laws.h"
#include "test.h"
#include <stdlib.h>
#include <string.h>

/// @file
/// Bodies with joints and contacts, stepped by the solver.

enum
{
    BODIES = 24,
    JOINTS = 24,
    BLOCKS = 2 * JOINTS + BODIES  // bonds, and a contact of each body with the floor
};

typedef struct Scene
{
    Solver* solver;
    double h, gravity;
    int body_count, joint_count, block_count;
    BodyPlace place[BODIES];
    double mass[BODIES], inertia[BODIES], radius[BODIES];
    Joint joint[JOINTS];
    int joined[JOINTS][2];
    bool floor;  // at z = 0, under bodies with a radius
    SolveLaw law;
    SolveBody bodies[BODIES];
    SolveContact block[BLOCKS];
    SolveBond bond[BLOCKS];
    SolveMemory memory[BLOCKS];
    double rows[BLOCKS][2][18], impulse[3 * BLOCKS];
    double v[6 * BODIES], free[6 * BODIES], next[6 * BODIES];
} Scene;

static inline Scene* scene_with(double h, double gravity, SolveMethod method)
{
    Scene* s = calloc(1, sizeof *s);
    SolveOptions options = solve_options(method);
    s->solver = solve_create(&options);
    s->h = h;
    s->gravity = gravity;
    s->law = (SolveLaw){{1e7, 1.5, 0.5}, coulomb_friction(0.5, 0.5, 8e5), 0};
    return s;
}

static inline void scene_destroy(Scene* s)
{
    solve_destroy(s->solver);
    free(s);
}

static inline int add_body(Scene* s, twVec3 at, double mass, double inertia)
{
    int b = s->body_count++;
    s->place[b] = (BodyPlace){.body = b, .position = at, .turn = tw_quat_identity()};
    s->mass[b] = mass;
    s->inertia[b] = inertia;
    return b;
}

static inline const BodyPlace* place_of(const Scene* s, int b) { return b == TW_NOWHERE ? NULL : s->place + b; }

static inline twJointDef joint_at(twJointKind kind, int a, int b, twVec3 at, twVec3 axis)
{
    twJointDef def = tw_joint_def();
    def.kind = kind;
    def.body[0] = a;
    def.body[1] = b;
    def.at = at;
    def.axis = axis;
    return def;
}

static inline void add_joint(Scene* s, const twJointDef* def)
{
    int j = s->joint_count++;
    const BodyPlace* place[2] = {place_of(s, def->body[0]), place_of(s, def->body[1])};
    tw_joint_make(s->joint + j, def, place);
    memcpy(s->joined[j], def->body, sizeof def->body);
}

static inline void drift(Scene* s, double time)
{
    for (int b = 0; b < s->body_count; b++)
    {
        BodyPlace* p = s->place + b;
        p->position = tw_vec3_add_scaled(p->position, p->velocity, time);
        p->turn = tw_quat_integrate(p->turn, p->spin, time);
    }
}

static inline SolveContact* next_block(Scene* s, int a, int b)
{
    int k = s->block_count++;
    s->block[k] =
        (SolveContact){.body = {a, b}, .row = {s->rows[k][0], s->rows[k][1]}, .memory = s->memory + k, .law = &s->law};
    return s->block + k;
}

static inline void make_bonds(Scene* s)
{
    for (int j = 0; j < s->joint_count; j++)
        for (int i = 0; i < tw_joint_blocks(s->joint + j); i++)
        {
            const BodyPlace* place[2] = {place_of(s, s->joined[j][0]), place_of(s, s->joined[j][1])};
            const bool held[2] = {false, false};
            int k = s->block_count;
            SolveContact* block = next_block(s, s->joined[j][0], s->joined[j][1]);
            double* const row[2] = {s->rows[k][0], s->rows[k][1]};
            tw_joint_block(s->joint + j, i, s->h, place, held, row, block->offset, block->wall, s->bond + k);
            block->bond = s->bond + k;
        }
}

/// balls on the floor
static inline void make_contacts(Scene* s)
{
    static const twVec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int b = 0; b < s->body_count && s->floor; b++)
    {
        if (!(s->radius[b] > 0)) continue;
        int k = s->block_count;
        SolveContact* block = next_block(s, b, -1);
        block->gap = s->place[b].position.z - s->radius[b];
        for (int q = 0; q < 3; q++)
        {
            twVec3 m = tw_vec3_cross(tw_vec3(0, 0, -s->radius[b]), axes[q]);
            const double row[6] = {axes[q].x, axes[q].y, axes[q].z, m.x, m.y, m.z};
            memcpy(s->rows[k][0] + 6 * q, row, sizeof row);
        }
    }
}

static inline void step(Scene* s)
{
    drift(s, 0.5 * s->h);
    for (int b = 0; b < s->body_count; b++)
    {
        const BodyPlace* p = s->place + b;
        const double v[6] = {p->velocity.x, p->velocity.y, p->velocity.z, p->spin.x, p->spin.y, p->spin.z};
        double i = s->inertia[b];
        s->bodies[b] = (SolveBody){6 * b, 6, false, s->mass[b], tw_mat3_diagonal(tw_vec3(i, i, i)), NULL};
        memcpy(s->v + 6 * b, v, sizeof v);
        memcpy(s->free + 6 * b, v, sizeof v);
        s->free[6 * b + 2] -= s->h * s->gravity;
    }
    s->block_count = 0;
    make_bonds(s);
    make_contacts(s);
    SolveGroup group = {.step = s->h,
                        .body_count = s->body_count,
                        .contact_count = s->block_count,
                        .size = 6 * s->body_count,
                        .bodies = s->bodies,
                        .contacts = s->block,
                        .velocity = s->v,
                        .free = s->free,
                        .result = s->next,
                        .impulse = s->impulse};
    solve_step(s->solver, &group);
    for (int b = 0; b < s->body_count; b++)
    {
        const double* v = s->next + 6 * b;
        s->place[b].velocity = tw_vec3(v[0], v[1], v[2]);
        s->place[b].spin = tw_vec3(v[3], v[4], v[5]);
    }
    drift(s, 0.5 * s->h);
}

/// of bodies and weight
static inline double body_energy(const Scene* s)
{
    double sum = 0;
    for (int b = 0; b < s->body_count; b++)
    {
        const BodyPlace* p = s->place + b;
        sum += 0.5 * s->mass[b] * tw_vec3_dot(p->velocity, p->velocity) +
               0.5 * s->inertia[b] * tw_vec3_dot(p->spin, p->spin) + s->mass[b] * s->gravity * p->position.z;
    }
    return sum;
}

static inline double spring_energy(const Scene* s)
{
    double sum = 0;
    for (int j = 0; j < s->joint_count; j++)
    {
        const BodyPlace* place[2] = {place_of(s, s->joined[j][0]), place_of(s, s->joined[j][1])};
        sum += tw_joint_energy(s->joint + j, place);
    }
    return sum;
}

/// how far a point of a body, given at the start relative to its centre, is from where it should be
static inline double away(const Scene* s, int b, twVec3 arm, twVec3 from)
{
    const BodyPlace* p = s->place + b;
    return tw_vec3_norm(tw_vec3_sub(tw_vec3_add(p->position, tw_quat_rotate(p->turn, arm)), from));
}
