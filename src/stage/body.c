// SPDX-License-Identifier: MIT
// A body of a stage. Its mass centre falls freely; its frame turns by the implicit midpoint rule in its own axes,
//
//     I (W1 - W0) = h (I Wm) x Wm,   Wm = (W0 + W1)/2,   R1 = R0 cay(h Wm),
//
// which keeps energy and angular momentum R I W, both exactly. Modes of a free body do not feel its weight; those of a held one are
// pulled by it, a constant force as long as the frame stands still. Turning frames do not shake the modes (Hauser 2003 leaves that out
// too).
#include "stage/body.h"
#include "dynamics/shake.h"
#include "live/warp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEEN_SHARE 0.45  // of the step rate: faster modes are not seen
#define FAR 1e9          // [m]
#define MOST_ROUNDS 10   // of Newton's method for the mean spin
#define MOST_TURN 0.5    // [rad] at once
#define MOST_PARTS 16    // of a step

// ---- making it ----

static int seen_modes(const twStageDef* def, const twStageBodyDef* body, twStageModes* out)
{
    const twModeSet* set = body->modes;
    const int all = set ? tw_body_shape_modes(body->shape) : 0;
    int count = 0;
    while (count < all && set->freq_hz[count] * def->step < SEEN_SHARE) count++;
    out->too_fast = set ? set->mode_count - count : 0;
    if (count > TW_MAX_STAGE_MODES) out->too_many = count - TW_MAX_STAGE_MODES, count = TW_MAX_STAGE_MODES;
    if (def->largest_force > 0 && def->smallest_motion > 0)
        for (; count > 0 && tw_mode_set_give(set, count - 1) * def->largest_force < def->smallest_motion; count--)
            out->too_stiff++;
    out->seen = count;
    out->heard = set ? set->mode_count : 0;
    return count;
}

// W^T M g with the mass of the tets
static twStatus weigh_tets(double* all, const twModeSet* set, twVec3 gravity, twError* err)
{
    const size_t nodes = (size_t)set->vertex_count + (size_t)set->inner_count;
    twVec3* fall = malloc(nodes * sizeof *fall);
    if (!fall) return tw_fail(err, TW_NO_MEMORY, "no memory for the weight of %zu nodes", nodes);
    for (size_t i = 0; i < nodes; i++) fall[i] = gravity;
    const twStatus status = tw_mode_set_project(all, set, fall, err);
    free(fall);
    return status;
}

// gravity of 1 along the axes of a held body on its modes: by its tets, else by its surface
static twStatus weigh(StageBody* body, const twModeSet* set, twError* err)
{
    const twBodyShape* shape = body->shape;
    const twVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none = {0, 0, 0};
    const size_t n = (size_t)body->mode_count;
    if (!shape->shake || n == 0) return TW_OK;
    double* all = calloc((size_t)set->mode_count + (size_t)shape->mode_count, sizeof *all);
    if (!all) return tw_fail(err, TW_NO_MEMORY, "no memory for the weight of %d modes", body->mode_count);
    twStatus status = TW_OK;
    for (size_t k = 0; k < 3 && status == TW_OK; k++)
    {
        if (set->tet_count > 0)
            status = weigh_tets(all, set, axes[k], err);
        else
            shake_force(all, shape->shake, shape->mode_count, tw_vec3_scale(axes[k], -1), none, none);
        memcpy(body->loads + k * n, all, n * sizeof *all);
    }
    free(all);
    return status;
}

void stage_body_weigh(StageBody* body, twVec3 gravity)
{
    const size_t n = (size_t)body->mode_count;
    const twVec3 own = tw_quat_rotate(tw_quat_conj(body->turn), gravity);
    if (body->free) return;
    for (size_t j = 0; j < n; j++)
        body->load[j] = own.x * body->loads[j] + own.y * body->loads[n + j] + own.z * body->loads[2 * n + j];
    tw_oscillators_hold(body->oscillators, body->load);
}

static twStatus check(const twStageDef* def, const twStageBodyDef* in, twError* err)
{
    const char* name = in->name ? in->name : "?";
    const twBodyMotion* m = &in->motion;
    const twVec3 all = tw_vec3_add(m->position, tw_vec3_add(m->velocity, m->spin));
    const double sum = all.x + all.y + all.z;
    if (!in->shape) return tw_fail(err, TW_BAD_INPUT, "body %s: has no shape", name);
    if (!isfinite(sum) || !(fabs(tw_quat_norm(m->turn) - 1) < 1e-6))
        return tw_fail(err, TW_BAD_INPUT, "body %s: its motion is not finite, or its turn no unit quaternion", name);
    if (in->kind == TW_BODY_MOVED)
        return tw_fail(err, TW_BAD_INPUT, "body %s: is moved; on a stage bodies are free or fixed, and moved by grabs",
                       name);
    if (in->material < 0 || in->material >= def->material_count)
        return tw_fail(err, TW_BAD_INPUT, "body %s: material %d of %d", name, in->material, def->material_count);
    if (in->modes && tw_body_shape_modes(in->shape) > 0 && in->modes->vertex_count != in->shape->contact->vertex_count)
        return tw_fail(err, TW_BAD_INPUT, "body %s: its modes are not those of its shape", name);
    return TW_OK;
}

static twStatus make_state(StageBody* body, const twStageBodyDef* in, const twStageDef* def, twError* err)
{
    const size_t n = (size_t)body->mode_count;
    body->responses = calloc((STAGE_LEVELS + 9) * n + 1, sizeof *body->responses);
    if (!body->responses) return tw_fail(err, TW_NO_MEMORY, "no memory for a body");
    body->s = body->responses;
    body->q = body->responses + STAGE_LEVELS * n;
    body->rate = body->q + n;
    body->load = body->rate + n;
    body->start_q = body->load + n;
    body->start_rate = body->start_q + n;
    body->free_q = body->start_rate + n;
    body->loads = body->free_q + n;
    static const double none = 0;
    const double* freq = n > 0 ? in->modes->freq_hz : &none;
    const double* decay = n > 0 ? in->modes->decay : &none;
    twStatus status = tw_oscillators_create(&body->oscillators, body->mode_count, freq, decay, err);
    if (status != TW_OK) return status;
    double time = def->step;
    for (size_t k = 0; k < STAGE_LEVELS; k++, time /= STAGE_PARTS)
        tw_oscillators_response(body->oscillators, time, body->responses + k * n, NULL);
    for (size_t j = 0; j < n; j++)
    {
        body->start_q[j] = in->amplitude ? in->amplitude[j] : 0;
        body->start_rate[j] = in->rate ? in->rate[j] : 0;
        if (!isfinite(body->start_q[j] + body->start_rate[j]))
            return tw_fail(err, TW_BAD_INPUT, "body %s: amplitude of mode %d is not finite", in->name, (int)j);
    }
    body->turn = tw_quat_normalize(body->start.turn);
    if (!body->free) status = weigh(body, in->modes, err);
    if (!body->free && status == TW_OK) stage_body_weigh(body, def->gravity);
    for (size_t j = 0; j < n && in->hangs && status == TW_OK; j++)
    {
        const double w = 2 * TW_PI * freq[j];
        if (w > 0) body->start_q[j] += body->load[j] / (w * w);
    }
    return status;
}

twStatus stage_body_make(StageBody* body, const twStageDef* def, int index, twStageModes* modes, twError* err)
{
    const twStageBodyDef* in = &def->bodies[index];
    *body = (StageBody){.index = index, .parts = 1};
    *modes = (twStageModes){0};
    twStatus status = check(def, in, err);
    if (status != TW_OK) return status;
    body->shape = in->shape;
    body->contact = in->shape->contact;
    body->free = in->kind == TW_BODY_FREE;
    body->ghost = in->ghost;
    body->mute = in->mute;
    body->material = in->material;
    body->inverse_mass = body->free ? 1 / in->shape->mass.mass : 0;
    body->mode_count = seen_modes(def, in, modes);
    body->size = (body->free ? 6 : 0) + body->mode_count;
    body->start = in->motion;
    body->warp = in->warp && body->mode_count > 0;
    if (body->warp && !(body->curl = stage_curl(in->modes, tw_body_shape_modes(in->shape))))
        return tw_fail(err, TW_NO_MEMORY, "no memory for the warp of body %s", in->name);
    if ((status = make_state(body, in, def, err)) != TW_OK) return status;
    stage_body_reset(body);
    return TW_OK;
}

void stage_body_free(StageBody* body)
{
    tw_oscillators_destroy(body->oscillators);
    free(body->responses);
    free(body->curl);
}

// ---- where it is ----

void stage_body_throw(StageBody* body, const twBodyMotion* motion)
{
    const twVec3 arm = tw_quat_rotate(motion->turn, body->contact->centre);
    body->turn = tw_quat_normalize(motion->turn);
    body->position = tw_vec3_add(motion->position, arm);
    body->velocity = body->free ? tw_vec3_add(motion->velocity, tw_vec3_cross(motion->spin, arm)) : tw_vec3(0, 0, 0);
    body->spin = body->free ? motion->spin : tw_vec3(0, 0, 0);
}

void stage_body_reset(StageBody* body)
{
    stage_body_throw(body, &body->start);
    tw_oscillators_set(body->oscillators, body->start_q, body->start_rate);
    tw_oscillators_get(body->oscillators, body->q, body->rate);
}

bool stage_body_finite(const StageBody* body)
{
    double sum = 0;
    for (int j = 0; j < body->mode_count; j++) sum += fabs(body->q[j]) + fabs(body->rate[j]);
    const double place = tw_vec3_max(body->position), speed = tw_vec3_max(body->velocity) + tw_vec3_max(body->spin);
    return isfinite(sum + speed + tw_quat_norm(body->turn)) && sum < 1e30 && speed < 1e30 && place < FAR;
}

BodyPlace stage_body_place(const StageBody* body)
{
    return (BodyPlace){.shape = body->contact,
                       .body = body->index,
                       .still = !body->free && body->mode_count == 0,
                       .position = body->position,
                       .turn = body->turn,
                       .velocity = body->velocity,
                       .spin = body->spin,
                       .mode_count = body->mode_count,
                       .amplitude = body->q,
                       .rate = body->rate};
}

twBodyMotion stage_body_motion(const StageBody* body)
{
    const twVec3 arm = tw_quat_rotate(body->turn, body->contact->centre);
    return (twBodyMotion){.position = tw_vec3_sub(body->position, arm),
                          .turn = body->turn,
                          .velocity = tw_vec3_sub(body->velocity, tw_vec3_cross(body->spin, arm)),
                          .spin = body->spin};
}

// ---- motion ----

// dF/dWm = I - h/2 ([I Wm]x - [Wm]x I)
static twMat3 spin_slope(const twMat3* inertia, twVec3 w, double h)
{
    const twMat3 turned = tw_mat3_add(tw_mat3_skew(tw_mat3_mul_vec(*inertia, w)),
                                      tw_mat3_scale(tw_mat3_mul(tw_mat3_skew(w), *inertia), -1));
    return tw_mat3_add(*inertia, tw_mat3_scale(turned, -0.5 * h));
}

// the mean spin Wm of a step, in the body's axes, by Newton: F = I (Wm - W0) - h/2 (I Wm) x Wm; as it is, if that leads nowhere
static twVec3 mean_spin(const twMat3* inertia, twVec3 w0, double h)
{
    twVec3 w = w0;
    const twVec3 l0 = tw_mat3_mul_vec(*inertia, w0);
    for (int i = 0; i < MOST_ROUNDS; i++)
    {
        const twVec3 l = tw_mat3_mul_vec(*inertia, w);
        const twVec3 f = tw_vec3_sub(tw_vec3_sub(l, l0), tw_vec3_scale(tw_vec3_cross(l, w), 0.5 * h));
        twMat3 inverse;
        if (!tw_mat3_inverse(&inverse, spin_slope(inertia, w, h))) break;
        const twVec3 change = tw_mat3_mul_vec(inverse, f);
        w = tw_vec3_sub(w, change);
        if (tw_vec3_norm(change) <= 1e-15 * tw_vec3_norm(w)) return w;
    }
    const twVec3 l = tw_mat3_mul_vec(*inertia, w);
    const twVec3 f = tw_vec3_sub(tw_vec3_sub(l, l0), tw_vec3_scale(tw_vec3_cross(l, w), 0.5 * h));
    return tw_vec3_norm(f) <= 1e-12 * tw_vec3_norm(l0) ? w : w0;
}

// turn and spin [world] after a time, which is divided if it turns much
static void turn_for(const StageBody* body, twQuat* turn, twVec3* spin, double time)
{
    const double h = time / body->parts;
    twVec3 w = tw_quat_rotate(tw_quat_conj(*turn), *spin);
    for (int i = 0; i < body->parts; i++)
    {
        const twVec3 mean = mean_spin(&body->shape->mass.inertia, w, h), half = tw_vec3_scale(mean, 0.5 * h);
        *turn = tw_quat_normalize(tw_quat_mul(*turn, tw_quat(1, half.x, half.y, half.z)));
        w = tw_vec3_sub(tw_vec3_scale(mean, 2), w);
    }
    *spin = tw_quat_rotate(*turn, w);
}

// the same as stage_body_turning(), by differences
static twMat3 turning_by_parts(const StageBody* body, double h, twVec3 spin)
{
    const twVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double small = 1e-6 * (tw_vec3_norm(spin) + 1 / h);
    twMat3 out;
    for (int k = 0; k < 3; k++)
    {
        twQuat turn[2] = {body->turn, body->turn};
        for (int side = 0; side < 2; side++)
        {
            twVec3 other = tw_vec3_add_scaled(spin, axes[k], side == 0 ? -small : small);
            turn_for(body, &turn[side], &other, h);
        }
        const twQuat d = tw_quat_mul(turn[1], tw_quat_conj(turn[0]));
        const twVec3 column = tw_vec3_scale(tw_vec3(d.x, d.y, d.z), (d.w < 0 ? -1 : 1) / (small * h));
        out.m[0][k] = column.x, out.m[1][k] = column.y, out.m[2][k] = column.z;
    }
    return out;
}

// With b = h Wm/2, R1 = R0 cay(2 b) turns by 2/(1 + b^2) (I + [b]x) db further, and dWm = (dF/dWm)^-1 I dW0.
twMat3 stage_body_turning(const StageBody* body, double h, const double* kick)
{
    const twMat3 *inertia = &body->shape->mass.inertia, turn = tw_mat3_from_quat(body->turn);
    const twVec3 spin = tw_vec3_add(body->spin, tw_vec3(kick[3], kick[4], kick[5]));
    if (body->parts > 1) return turning_by_parts(body, h, spin);
    const twVec3 mean = mean_spin(inertia, tw_quat_rotate(tw_quat_conj(body->turn), spin), h);
    const twVec3 b = tw_vec3_scale(mean, 0.5 * h);
    twMat3 inverse;
    if (!tw_mat3_inverse(&inverse, spin_slope(inertia, mean, h))) return tw_mat3_identity();
    const twMat3 along = tw_mat3_add(tw_mat3_identity(), tw_mat3_skew(b));
    const twMat3 inner = tw_mat3_mul(along, tw_mat3_mul(inverse, *inertia));
    const twMat3 whole = tw_mat3_mul(turn, tw_mat3_mul(inner, tw_mat3_transpose(turn)));
    return tw_mat3_scale(whole, 1 / (1 + tw_vec3_dot(b, b)));
}

void stage_body_predict(StageBody* body, double h)
{
    tw_oscillators_ahead(body->oscillators, h, body->free_q, NULL);
    body->parts = (int)fmin(1 + tw_vec3_norm(body->spin) * h / MOST_TURN, MOST_PARTS);
}

BodyPlace stage_body_after(const StageBody* body, twVec3 gravity, double h, const double* kick, double* q)
{
    BodyPlace out = stage_body_place(body);
    int n = 0;
    if (body->free)
    {
        out.velocity = tw_vec3_add(out.velocity, tw_vec3(kick[0], kick[1], kick[2]));
        out.spin = tw_vec3_add(out.spin, tw_vec3(kick[3], kick[4], kick[5]));
        out.position = tw_vec3_add(out.position, tw_vec3_scale(tw_vec3_add_scaled(out.velocity, gravity, 0.5 * h), h));
        out.velocity = tw_vec3_add_scaled(out.velocity, gravity, h);
        turn_for(body, &out.turn, &out.spin, h);
        n = 6;
    }
    for (int j = 0; j < body->mode_count; j++) q[j] = body->free_q[j] + body->s[j] * kick[n + j];
    out.amplitude = q;
    out.rate = body->rate;
    return out;
}

void stage_body_kick(StageBody* body, const double* kick)
{
    if (body->free)
    {
        body->velocity = tw_vec3_add(body->velocity, tw_vec3(kick[0], kick[1], kick[2]));
        body->spin = tw_vec3_add(body->spin, tw_vec3(kick[3], kick[4], kick[5]));
        kick += 6;
    }
    tw_oscillators_impulse(body->oscillators, kick);
    tw_oscillators_get(body->oscillators, NULL, body->rate);
}

void stage_body_flow(StageBody* body, twVec3 gravity, double h)
{
    if (body->free)
    {
        body->position =
            tw_vec3_add(body->position, tw_vec3_scale(tw_vec3_add_scaled(body->velocity, gravity, 0.5 * h), h));
        body->velocity = tw_vec3_add_scaled(body->velocity, gravity, h);
        turn_for(body, &body->turn, &body->spin, h);
    }
    tw_oscillators_advance(body->oscillators, h);
    tw_oscillators_get(body->oscillators, body->q, body->rate);
}

// ---- points ----

static twVec3 world_inertia(const StageBody* body, const twMat3* matrix, twVec3 v)
{
    return tw_quat_rotate(body->turn, tw_mat3_mul_vec(*matrix, tw_quat_rotate(tw_quat_conj(body->turn), v)));
}

void stage_body_give(const StageBody* body, const double* row, double* out)
{
    int n = 0;
    if (body->free)
    {
        for (; n < 3; n++) out[n] = body->inverse_mass * row[n];
        const twVec3 w = world_inertia(body, &body->shape->inverse_inertia, tw_vec3(row[3], row[4], row[5]));
        out[3] = w.x, out[4] = w.y, out[5] = w.z;
        n = 6;
    }
    for (; n < body->size; n++) out[n] = row[n];
}

void stage_body_speed(const StageBody* body, double* out)
{
    if (body->free)
    {
        const double frame[6] = {body->velocity.x, body->velocity.y, body->velocity.z,
                                 body->spin.x,     body->spin.y,     body->spin.z};
        memcpy(out, frame, sizeof frame);
        out += 6;
    }
    memcpy(out, body->rate, (size_t)body->mode_count * sizeof *out);
}

void stage_body_mean(const StageBody* body, twVec3 gravity, double h, double* out)
{
    stage_body_speed(body, out);
    if (body->free)
    {
        out[0] += 0.5 * h * gravity.x;
        out[1] += 0.5 * h * gravity.y;
        out[2] += 0.5 * h * gravity.z;
        out += 6;
    }
    for (int j = 0; j < body->mode_count; j++) out[j] = (body->free_q[j] - body->q[j]) / h;
}

// displacement by the modes [m], or what curl says [rad], of a vertex
static twVec3 vertex_sum(const StageBody* body, const float* table, const double* q, int vertex)
{
    const size_t modes = (size_t)body->contact->mode_count;
    const float *x = table + 3 * modes * (size_t)vertex, *y = x + modes, *z = y + modes;
    twVec3 sum = {0, 0, 0};
    for (int j = 0; j < body->mode_count; j++)
        sum = tw_vec3_add_scaled(sum, tw_vec3((double)x[j], (double)y[j], (double)z[j]), q[j]);
    return sum;
}

// where a vertex is in the body's axes, from the mass centre
static twVec3 vertex_arm(const StageBody* body, const double* q, int vertex)
{
    twVec3 rest = body->contact->vertices[vertex];
    if (body->mode_count == 0) return rest;
    const twVec3 u = vertex_sum(body, body->contact->shape, q, vertex);
    return tw_vec3_add(rest, body->warp ? warp_point(u, vertex_sum(body, body->curl, q, vertex)) : u);
}

static twVec3 point_arm(const StageBody* body, const double* q, const twStagePoint* point)
{
    twVec3 arm = {0, 0, 0};
    for (int i = 0; i < 3 && point->vertex[i] >= 0; i++)
        arm = tw_vec3_add_scaled(arm, vertex_arm(body, q, point->vertex[i]), point->weight[i]);
    return arm;
}

twVec3 stage_point_place(const StageBody* body, const BodyPlace* place, const twStagePoint* point)
{
    return tw_vec3_add(place->position, tw_quat_rotate(place->turn, point_arm(body, place->amplitude, point)));
}

// change of a vertex's place in the body's axes with amplitude j
static twVec3 vertex_slope(const StageBody* body, int vertex, int j, twVec3 u, twVec3 w)
{
    const size_t modes = (size_t)body->contact->mode_count;
    const float* s = body->contact->shape + 3 * modes * (size_t)vertex + j;
    const twVec3 du = tw_vec3((double)s[0], (double)s[modes], (double)s[2 * modes]);
    if (!body->warp) return du;
    const float* c = body->curl + 3 * modes * (size_t)vertex + j;
    return warp_change(u, w, du, tw_vec3((double)c[0], (double)c[modes], (double)c[2 * modes]));
}

static void modes_rows(double* rows, const StageBody* body, const BodyPlace* place, const twStagePoint* point)
{
    const size_t size = (size_t)body->size, first = body->free ? 6 : 0;
    for (int i = 0; i < 3 && point->vertex[i] >= 0; i++)
    {
        const int v = point->vertex[i];
        twVec3 u = {0, 0, 0}, w = {0, 0, 0};
        if (body->warp)
        {
            u = vertex_sum(body, body->contact->shape, place->amplitude, v);
            w = vertex_sum(body, body->curl, place->amplitude, v);
        }
        for (int j = 0; j < body->mode_count; j++)
        {
            const twVec3 d = tw_quat_rotate(place->turn, vertex_slope(body, v, j, u, w));
            double* out = rows + first + j;
            out[0] += point->weight[i] * d.x;
            out[size] += point->weight[i] * d.y;
            out[2 * size] += point->weight[i] * d.z;
        }
    }
}

void stage_point_rows(double* rows, const StageBody* body, const BodyPlace* place, const twStagePoint* point)
{
    const size_t size = (size_t)body->size;
    memset(rows, 0, 3 * size * sizeof *rows);
    if (body->free)
    {
        const twVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const twVec3 arm = tw_quat_rotate(place->turn, point_arm(body, place->amplitude, point));
        for (size_t i = 0; i < 3; i++)
        {
            const twVec3 moment = tw_vec3_cross(arm, axes[i]);
            double* row = rows + i * size;
            row[i] = 1;
            row[3] = moment.x, row[4] = moment.y, row[5] = moment.z;
        }
    }
    modes_rows(rows, body, place, point);
}

// ---- energy ----

double stage_body_kinetic_of(const StageBody* body, const double* speed)
{
    double sum = 0;
    const double* rate = speed + (body->free ? 6 : 0);
    for (int j = 0; j < body->mode_count; j++) sum += 0.5 * rate[j] * rate[j];
    if (!body->free) return sum;
    const twVec3 v = tw_vec3(speed[0], speed[1], speed[2]), spin = tw_vec3(speed[3], speed[4], speed[5]);
    const twVec3 l = world_inertia(body, &body->shape->mass.inertia, spin);
    return sum + 0.5 * tw_vec3_dot(v, v) / body->inverse_mass + 0.5 * tw_vec3_dot(spin, l);
}

double stage_body_kinetic(const StageBody* body)
{
    double speed[6 + TW_MAX_STAGE_MODES];
    stage_body_speed(body, speed);
    return stage_body_kinetic_of(body, speed);
}

double stage_body_elastic(const StageBody* body)
{
    double sum = 0;
    for (int j = 0; j < body->mode_count; j++)
    {
        const double w = 2 * TW_PI * body->shape->freq_hz[j];
        sum += 0.5 * w * w * body->q[j] * body->q[j];
    }
    return sum;
}

double stage_body_weight(const StageBody* body, twVec3 gravity)
{
    if (body->free) return -tw_vec3_dot(gravity, body->position) / body->inverse_mass;
    double sum = 0;
    for (int j = 0; j < body->mode_count; j++) sum -= body->load[j] * body->q[j];
    return sum;
}
