// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/solve.h"
#include "friction_laws.h"
#include "twang/math.h"
#include <stdlib.h>

/// @file
/// Groups of bodies with contacts placed by hand, stepped by the contact solvers: small motions about fixed places, so that rows
/// stay as they are and a contact's gap is its first one plus rows times displacement. For tests and benchmarks.

typedef struct Rig
{
    Solver* solver;
    SolveGroup group;
    SolveBody* bodies;
    twVec3* centre;  ///< (bodies)
    SolveContact* contacts;
    SolveMemory* memory;
    SolveLaw law;       ///< of all contacts
    double* rows;       ///< of all contacts
    double* gap;        ///< at displacement 0 (contacts)
    double* block;      ///< what follows
    double *q, *v;      ///< (size)
    double *mass, *w2;  ///< (size) of linear velocities and modes; (2 pi f)^2
    double* damping;    ///< (size) [1/s]
    double* push;       ///< (size) constant acceleration
    double *effective, *free, *next, *impulse;
    int body_room, contact_room, size_room;
    size_t row_count, row_room;
} Rig;

static inline Rig* rig_create(double h, const SolveOptions* options, int bodies, int contacts, int size,
                              size_t row_room)
{
    Rig* r = calloc(1, sizeof *r);
    r->solver = solve_create(options);
    r->bodies = calloc((size_t)bodies, sizeof *r->bodies);
    r->centre = calloc((size_t)bodies, sizeof *r->centre);
    r->contacts = calloc((size_t)contacts, sizeof *r->contacts);
    r->memory = calloc((size_t)contacts, sizeof *r->memory);
    r->rows = calloc(row_room, sizeof(double));
    r->gap = calloc((size_t)contacts, sizeof(double));
    size_t n = (size_t)size;
    r->block = calloc(9 * n + 3 * (size_t)contacts, sizeof(double));
    double** parts[] = {&r->q, &r->v, &r->mass, &r->w2, &r->damping, &r->push, &r->effective, &r->free, &r->next};
    for (size_t i = 0; i < 9; i++) *parts[i] = r->block + i * n;
    r->impulse = r->block + 9 * n;
    r->body_room = bodies;
    r->contact_room = contacts;
    r->size_room = size;
    r->row_room = row_room;
    r->law = (SolveLaw){{1e8, 1.5, 0.2}, coulomb_friction(0.5, 0.5, 8e5), 0};
    r->group = (SolveGroup){.step = h,
                            .bodies = r->bodies,
                            .contacts = r->contacts,
                            .velocity = r->v,
                            .free = r->free,
                            .result = r->next,
                            .impulse = r->impulse};
    return r;
}

static inline void rig_destroy(Rig* r)
{
    solve_destroy(r->solver);
    free(r->bodies);
    free(r->centre);
    free(r->contacts);
    free(r->memory);
    free(r->rows);
    free(r->gap);
    free(r->block);
    free(r);
}

/// A body with modes, whose frequencies, masses and damping are filled in by the caller at its first + 6. @return its index
static inline int rig_body(Rig* r, twVec3 centre, double mass, twVec3 inertia, int modes)
{
    int b = r->group.body_count++, first = r->group.size;
    TW_ASSERT(b < r->body_room && first + 6 + modes <= r->size_room);
    r->bodies[b] = (SolveBody){first, 6 + modes, false, mass, tw_mat3_diagonal(inertia), r->effective + first + 6};
    r->centre[b] = centre;
    r->group.size += 6 + modes;
    double rigid[6] = {mass, mass, mass, inertia.x, inertia.y, inertia.z};
    for (int i = 0; i < 6 + modes; i++) r->mass[first + i] = i < 6 ? rigid[i] : 1;
    return b;
}

static inline int rig_box(Rig* r, twVec3 centre, double mass, twVec3 side)
{
    double x = side.x * side.x, y = side.y * side.y, z = side.z * side.z;
    return rig_body(r, centre, mass, tw_vec3(mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12), 0);
}

static inline int rig_sphere(Rig* r, twVec3 centre, double mass, double radius)
{
    double i = 0.4 * mass * radius * radius;
    return rig_body(r, centre, mass, tw_vec3(i, i, i), 0);
}

static inline void rig_gravity(Rig* r, twVec3 g)
{
    for (int b = 0; b < r->group.body_count; b++)
    {
        double* push = r->push + r->bodies[b].first;
        push[0] = g.x;
        push[1] = g.y;
        push[2] = g.z;
    }
}

/// A contact at a point whose normal points from body b (or -1) to body a; shapes (modes x 3) may be NULL. @return its index
static inline int rig_contact(Rig* r, int a, int b, twVec3 point, twVec3 normal, double gap, const double* shape_a,
                              const double* shape_b)
{
    int c = r->group.contact_count++, side_body[2] = {a, b};
    TW_ASSERT(c < r->contact_room);
    twVec3 helper = fabs(normal.x) < 0.7 ? tw_vec3(1, 0, 0) : tw_vec3(0, 1, 0);
    twVec3 t1 = tw_vec3_normalize(tw_vec3_cross(normal, helper)), t2 = tw_vec3_cross(normal, t1);
    twVec3 axes[3] = {normal, t1, t2};
    SolveContact* contact = r->contacts + c;
    *contact = (SolveContact){.body = {a, b}, .law = &r->law, .memory = r->memory + c};
    r->gap[c] = gap;
    for (int side = 0; side < 2; side++)
    {
        if (side_body[side] < 0) continue;
        const SolveBody* body = r->bodies + side_body[side];
        const double* shape = side ? shape_b : shape_a;
        double *rows = r->rows + r->row_count, sign = side ? -1 : 1;
        r->row_count += 3 * (size_t)body->count;
        TW_ASSERT(r->row_count <= r->row_room);
        contact->row[side] = rows;
        twVec3 arm = tw_vec3_sub(point, r->centre[side_body[side]]);
        for (int q = 0; q < 3; q++)
        {
            twVec3 turn = tw_vec3_cross(arm, axes[q]);
            double* row = rows + q * body->count;
            double rigid[6] = {axes[q].x, axes[q].y, axes[q].z, turn.x, turn.y, turn.z};
            for (int i = 0; i < 6; i++) row[i] = sign * rigid[i];
            for (int i = 6; i < body->count; i++)
                row[i] = shape ? sign * tw_vec3_dot(axes[q], tw_vec3(shape[3 * (i - 6)], shape[3 * (i - 6) + 1],
                                                                     shape[3 * (i - 6) + 2]))
                               : 0;
        }
    }
    return c;
}

/// row q of a contact times x
static inline double rig_rate(const Rig* r, int c, int q, const double* x)
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
    {
        int b = r->contacts[c].body[side];
        if (b < 0) continue;
        const SolveBody* body = r->bodies + b;
        for (int i = 0; i < body->count; i++) sum += r->contacts[c].row[side][q * body->count + i] * x[body->first + i];
    }
    return sum;
}

/// Predict by the trapezoidal rule.
static inline void rig_predict(Rig* r)
{
    double h = r->group.step;
    for (int i = 0; i < r->group.size; i++)
    {
        double d = 1 + 0.5 * h * r->damping[i] + 0.25 * h * h * r->w2[i];
        r->effective[i] = r->mass[i] * d;
        r->free[i] = ((2 - d) * r->v[i] - h * r->w2[i] * r->q[i] + h * r->push[i]) / d;
    }
    for (int c = 0; c < r->group.contact_count; c++)
    {
        r->contacts[c].gap = r->gap[c] + rig_rate(r, c, 0, r->q);
        for (int q = 0; q < 3; q++) r->contacts[c].offset[q] = rig_rate(r, c, q, r->q);
    }
}

static inline void rig_step(Rig* r)
{
    rig_predict(r);
    solve_step(r->solver, &r->group);
    for (int i = 0; i < r->group.size; i++)
    {
        r->q[i] += 0.5 * r->group.step * (r->v[i] + r->next[i]);
        r->v[i] = r->next[i];
    }
}

/// Of bodies, modes and contacts, less what the constant forces have done [J].
static inline double rig_energy(const Rig* r)
{
    double sum = 0;
    for (int i = 0; i < r->group.size; i++)
        sum += r->mass[i] * (0.5 * r->v[i] * r->v[i] + 0.5 * r->w2[i] * r->q[i] * r->q[i] - r->push[i] * r->q[i]);
    for (int c = 0; c < r->group.contact_count; c++)
    {
        const SolveMemory* m = r->memory + c;
        sum += tw_impact_potential(&r->law.impact, m->compression);
        sum += 0.5 * r->law.friction.stiffness * (m->bristle[0] * m->bristle[0] + m->bristle[1] * m->bristle[1]);
        sum += m->stored;
    }
    return sum;
}

/// RMS change from step to step of all normal impulses, of their mean, over a number of steps.
static inline double rig_jitter(Rig* r, int steps)
{
    int n = r->group.contact_count;
    double *last = malloc((size_t)n * sizeof(double)), square = 0, sum = 0;
    for (int i = 0; i <= steps; i++)
    {
        rig_step(r);
        for (int c = 0; c < n; c++)
        {
            double p = r->impulse[3 * c];
            if (i > 0) square += (p - last[c]) * (p - last[c]);
            if (i > 0) sum += p;
            last[c] = p;
        }
    }
    free(last);
    return sqrt(square / (steps * (double)n)) / (sum / (steps * (double)n));
}

static inline SolveOptions newton(void) { return solve_options(SOLVE_NEWTON); }

static inline Rig* block_on_slope(const SolveOptions* options, double angle_deg, double h)
{
    Rig* r = rig_create(h, options, 1, 4, 6, 4 * 18);
    int box = rig_box(r, tw_vec3(0, 0, 0.02), 0.5, tw_vec3(0.1, 0.1, 0.04));
    double a = angle_deg * TW_PI / 180;
    for (int i = 0; i < 4; i++)
        rig_contact(r, box, -1, tw_vec3(i & 1 ? 0.05 : -0.05, i & 2 ? 0.05 : -0.05, 0), tw_vec3(0, 0, 1), 0, NULL,
                    NULL);
    rig_gravity(r, tw_vec3(9.81 * sin(a), 0, -9.81 * cos(a)));
    return r;
}
