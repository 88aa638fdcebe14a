// SPDX-License-Identifier: MIT
// What others see of a world. Between two times of a body: cubic, by places and velocities at both.
#include "dynamics/law.h"
#include "dynamics/weave.h"

typedef struct Cubic
{
    double a, b, da, db;  // weights of both values and of both slopes
} Cubic;

static Cubic cubic(double s, double length)
{
    double t = 1 - s;
    return (Cubic){t * t * (1 + 2 * s), s * s * (3 - 2 * s), length * s * t * t, -length * s * s * t};
}

static Cubic cubic_slope(double s, double length)
{
    if (!(length > 0)) return (Cubic){0, 0, 0, 1};
    return (Cubic){-6 * s * (1 - s) / length, 6 * s * (1 - s) / length, (1 - s) * (1 - 3 * s), s * (3 * s - 2)};
}

static twVec3 blend(Cubic c, twVec3 a, twVec3 b, twVec3 da, twVec3 db)
{
    twVec3 sum = tw_vec3_add_scaled(tw_vec3_scale(a, c.a), b, c.b);
    return tw_vec3_add_scaled(tw_vec3_add_scaled(sum, da, c.da), db, c.db);
}

// state at a time; q, rate may be NULL
static BodyState look(const Body* body, double time, double* q, double* rate)
{
    const BodyState *a = &body->before, *b = &body->now;
    BodyState out = *b;
    out.time = time;
    double length = b->time - a->time, s = length > 0 ? (time - a->time) / length : 1;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    if (!body->dynamic) s = 1;
    Cubic value = cubic(s, length), slope = cubic_slope(s, length);
    out.position = blend(value, a->position, b->position, a->velocity, b->velocity);
    out.velocity = s < 1 ? blend(slope, a->position, b->position, a->velocity, b->velocity) : b->velocity;
    out.turn = tw_quat_blend(a->turn, b->turn, s);
    out.spin = tw_vec3_add_scaled(a->spin, tw_vec3_sub(b->spin, a->spin), s);
    if (body->kind == TW_BODY_MOVED)
    {
        out.q = out.rate = NULL;
        out.time = 0;
        Body led = *body;
        led.active = 0;
        body_drift(&led, &out, time);
    }
    for (int j = 0; j < body->mode_count; j++)
    {
        if (q) q[j] = value.a * a->q[j] + value.b * b->q[j] + value.da * a->rate[j] + value.db * b->rate[j];
        if (rate)
            rate[j] = s < 1 ? slope.a * a->q[j] + slope.b * b->q[j] + slope.da * a->rate[j] + slope.db * b->rate[j]
                            : b->rate[j];
    }
    return out;
}

twBodyMotion tw_world_motion(const twWorld* world, int body, double time, double* amplitude, double* rate)
{
    TW_ASSERT(body >= 0 && body < world->body_count);
    const Body* b = world->bodies + body;
    BodyState state = look(b, time, amplitude, rate);
    for (int j = b->mode_count; j < b->shape->mode_count; j++)
    {
        if (amplitude) amplitude[j] = 0;
        if (rate) rate[j] = 0;
    }
    return body_motion(b, &state);
}

twVec3 tw_world_point(const twWorld* world, int body, int vertex, double time, twVec3* velocity)
{
    TW_ASSERT(body >= 0 && body < world->body_count);
    const Body* b = world->bodies + body;
    const ContactShape* shape = b->shape->contact;
    TW_ASSERT(vertex >= 0 && vertex < shape->vertex_count);
    BodyState state = look(b, time, NULL, NULL);
    twVec3 at = shape->vertices[vertex], rate = {0, 0, 0};

    // amplitudes one by one: no memory is needed
    const BodyState *x = &b->before, *y = &b->now;
    double length = y->time - x->time, s = length > 0 ? (time - x->time) / length : 1;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    Cubic value = cubic(s, length), slope = cubic_slope(s, length);
    const float* u = b->mode_count > 0 ? shape->shape + 3 * (size_t)shape->mode_count * (size_t)vertex : NULL;
    for (int j = 0; j < b->mode_count; j++)
    {
        twVec3 shape_j = {u[j], u[shape->mode_count + j], u[2 * shape->mode_count + j]};
        at = tw_vec3_add_scaled(at, shape_j,
                                value.a * x->q[j] + value.b * y->q[j] + value.da * x->rate[j] + value.db * y->rate[j]);
        rate = tw_vec3_add_scaled(
            rate, shape_j, slope.a * x->q[j] + slope.b * y->q[j] + slope.da * x->rate[j] + slope.db * y->rate[j]);
    }
    if (velocity)
        *velocity =
            tw_vec3_add(state.velocity, tw_quat_rotate(state.turn, tw_vec3_add(rate, tw_vec3_cross(state.spin, at))));
    return tw_vec3_add(state.position, tw_quat_rotate(state.turn, at));
}

int tw_world_active_modes(const twWorld* world, int body)
{
    TW_ASSERT(body >= 0 && body < world->body_count);
    return world->bodies[body].active;
}

double contact_energy(const Link* link, const SolveMemory* memory)
{
    LawStep step = {.impact = link->law.impact, .kt = link->law.friction.stiffness};
    return law_energy(&step, memory->compression, memory->bristle) + 0.5 * memory->branch * memory->branch;
}

double link_energy(const Link* link)
{
    double sum = 0;
    for (int i = 0; link->used && i < link->count; i++) sum += contact_energy(link, &link->slots[i].memory);
    return sum;
}

twWorldEnergy tw_world_energy(const twWorld* world)
{
    twWorldEnergy e = world->energy;
    e.kinetic = e.elastic = e.weight = e.contacts = 0;
    for (int i = 0; i < world->body_count; i++)
    {
        const Body* body = world->bodies + i;
        e.kinetic += body_kinetic(body, &body->now);
        for (int j = 0; j < body->bent; j++)
        {
            double w = 2 * TW_PI * body->shape->freq_hz[j] * body->now.q[j];
            e.kinetic += 0.5 * body->now.rate[j] * body->now.rate[j];
            e.elastic += 0.5 * w * w;
        }
        if (!body->held) e.weight -= body->shape->mass.mass * tw_vec3_dot(world->def.gravity, body->now.position);
    }
    for (int i = 0; i < world->max_pairs; i++) e.contacts += link_energy(world->links + i);
    for (int i = 0; i < world->joint_count; i++)
        for (int block = 0; block < 2; block++) e.contacts += world->joints[i].memory[block].stored;
    if (!world->weave) return e;
    weave_energy(world, &e);
    e.loss[TW_LOSS_RODS] = e.start + e.work - e.kinetic - e.elastic - e.weight - e.contacts;
    return e;
}

twWorldStats tw_world_stats(const twWorld* world)
{
    twWorldStats stats = world->stats;
    ColliderStats collider = tw_collider_stats(world->collider);
    stats.dropped += collider.dropped + collider.broad.dropped + collider.pairs.crowded;
    return stats;
}
