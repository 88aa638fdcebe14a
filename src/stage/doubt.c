// SPDX-License-Identifier: MIT
// The motion of a stage with fewer modes against that with all of them. What moves differs by e(t), held by the same grabs,
//
//     M e'' + C e' + K e = (forces of grabs, across e) + M W_d r,     r = W_d^T f,
//
// W_d being the modes left out and f the forces of the stage with fewer: they act on modes that are not there. The energy
// E = (e' M e' + e K e)/2 changes by e'.M W_d r at most, damping only takes from it; by parts, with |r| = sqrt(sum of r_j^2/w_j^2),
//
//     E(t) <= E(0) + |M W_d^T e|_K (|r(t)| + variation of r)  <=  e0^2/2 + e R,    e = sup of sqrt(2 E),
//
// so that e <= R + sqrt(R^2 + e0^2), R = max |r| + variation of r, whatever grabs hold. A displacement along d is at most
// sqrt(d.G d) e, G = sum of U_j U_j^T/w_j^2 at the point, over all modes; only over those left out as long as nothing is grabbed by
// place or velocity, since the others are exact then. An impulse p changes rates by W_d^T p, which adds to e0.
#include "stage/doubt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct BodyDoubt
{
    const twModeSet* set;  // NULL: nothing is left out
    int first, count;      // of the modes left out
    double* force;         // (modes left out) of the last step
    double* sum;           // of this one
    double* load;          // weight on them
    double start, most, variation, hits;
} BodyDoubt;

struct StageDoubt
{
    int body_count;
    double step;
    bool held;  // by grabs, at any time
    BodyDoubt bodies[];
};

static double frequency(const BodyDoubt* b, int j) { return 2 * TW_PI * b->set->freq_hz[b->first + j]; }

// ---- making ----

// weight, and what they had at the start
static void begin(BodyDoubt* b, const twStageBodyDef* def, const double* weight)
{
    for (int j = 0; j < b->count; j++)
    {
        const double q = def->amplitude ? def->amplitude[b->first + j] : 0, w = frequency(b, j);
        const double v = def->rate ? def->rate[b->first + j] : 0;
        b->start += w * w * q * q + v * v;
        b->load[j] = weight ? weight[b->first + j] : 0;
    }
    b->start = sqrt(b->start);
}

// W^T M g of a body that is held, in its axes; NULL: it has none. free() it
static double* weigh(const twStageDef* def, const twStageBodyDef* body, twStatus* status, twError* err)
{
    const twModeSet* set = body->modes;
    if (body->kind == TW_BODY_FREE || set->rigid_modes >= 6) return NULL;
    const size_t nodes = (size_t)set->vertex_count + (size_t)set->inner_count;
    const twVec3 own = tw_quat_rotate(tw_quat_conj(body->motion.turn), def->gravity);
    twVec3* fall = malloc(nodes * sizeof *fall);
    double* out = calloc((size_t)set->mode_count + 1, sizeof *out);
    for (size_t i = 0; fall && i < nodes; i++) fall[i] = own;
    *status =
        fall && out ? tw_mode_set_project(out, set, fall, err) : tw_fail(err, TW_NO_MEMORY, "no memory for a weight");
    free(fall);
    return out;
}

static twStatus make_body(BodyDoubt* b, const twStageDef* def, const twStageBodyDef* body, int seen, twError* err)
{
    if (!body->modes || body->modes->mode_count <= seen) return TW_OK;
    b->first = seen;
    b->count = body->modes->mode_count - seen;
    b->force = calloc(3 * (size_t)b->count, sizeof *b->force);
    if (!b->force) return tw_fail(err, TW_NO_MEMORY, "no memory for the doubt of %d modes", b->count);
    b->sum = b->force + b->count;
    b->load = b->sum + b->count;
    b->set = body->modes;
    twStatus status = TW_OK;
    double* weight = weigh(def, body, &status, err);
    begin(b, body, weight);
    free(weight);
    return status;
}

twStatus doubt_create(StageDoubt** out, const twStageDef* def, const StageBody* bodies, twError* err)
{
    *out = NULL;
    if (!def->doubt) return TW_OK;
    StageDoubt* d = calloc(1, sizeof *d + (size_t)def->body_count * sizeof *d->bodies);
    if (!d) return tw_fail(err, TW_NO_MEMORY, "no memory for doubts");
    d->body_count = def->body_count;
    d->step = def->step;
    twStatus status = TW_OK;
    for (int i = 0; i < def->body_count && status == TW_OK; i++)
        status = make_body(&d->bodies[i], def, &def->bodies[i], bodies[i].mode_count, err);
    if (status == TW_OK)
        *out = d;
    else
        doubt_destroy(d);
    return status;
}

void doubt_destroy(StageDoubt* d)
{
    for (int i = 0; d && i < d->body_count; i++) free(d->bodies[i].force);
    free(d);
}

// ---- a step ----

// U_j . p at a point
static double along(const BodyDoubt* b, int j, const StagePush* push)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        if (push->vertex[k] >= 0)
            sum += (double)push->weight[k] *
                   tw_vec3_dot(tw_mode_set_shape(b->set, b->first + j, push->vertex[k]), push->impulse);
    return sum;
}

static void add_push(BodyDoubt* b, const StagePush* push, double step)
{
    double square = 0;
    for (int j = 0; j < b->count; j++)
    {
        const double p = along(b, j, push);
        square += p * p;
        if (!push->hit) b->sum[j] += p / step;
    }
    if (push->hit) b->hits += sqrt(square);
}

static void settle(BodyDoubt* b)
{
    double size = 0, change = 0;
    for (int j = 0; j < b->count; j++)
    {
        const double w = frequency(b, j), now = b->sum[j] + b->load[j], d = now - b->force[j];
        size += now * now / (w * w);
        change += d * d / (w * w);
        b->force[j] = now;
        b->sum[j] = 0;
    }
    b->most = fmax(b->most, sqrt(size));
    b->variation += sqrt(change);
}

void doubt_step(StageDoubt* d, const StagePush* pushes, int count)
{
    if (!d) return;
    for (int i = 0; i < count; i++)
    {
        if (d->bodies[pushes[i].body].set) add_push(&d->bodies[pushes[i].body], &pushes[i], d->step);
        d->held = d->held || !pushes[i].hit;
    }
    for (int i = 0; i < d->body_count; i++)
        if (d->bodies[i].set) settle(&d->bodies[i]);
}

// ---- the answer ----

static twVec3 shape_at(const twModeSet* set, int mode, const twStagePoint* point)
{
    twVec3 u = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (point->vertex[k] >= 0)
            u = tw_vec3_add_scaled(u, tw_mode_set_shape(set, mode, point->vertex[k]), point->weight[k]);
    return u;
}

// largest d.G d of unit vectors, from above: the trace
static double compliance(const BodyDoubt* b, const twStagePoint* point, int first)
{
    double sum = 0;
    for (int j = first; j < b->set->mode_count; j++)
    {
        const twVec3 u = shape_at(b->set, j, point);
        const double w = 2 * TW_PI * b->set->freq_hz[j];
        sum += tw_vec3_dot(u, u) / (w * w);
    }
    return sum;
}

double doubt_at(const StageDoubt* d, int body, const twStagePoint* point)
{
    if (!d || !d->bodies[body].set) return 0;
    const BodyDoubt* b = &d->bodies[body];
    const double r = b->most + b->variation, start = b->start + b->hits;
    return sqrt(compliance(b, point, d->held ? 0 : b->first)) * (r + sqrt(r * r + start * start));
}
