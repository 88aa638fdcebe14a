// SPDX-License-Identifier: MIT
// Motion of one body.
//
// Free rotation, spin W in the body's axes:   I (W1 - W0) = -t Wm x I Wm,  Wm = (W0 + W1)/2,   R1 = R0 cay(t Wm)
// conserves energy and angular momentum R I W exactly for any t (J. Simo, K. Wong 1991); with t = 2 tan(|Wm| dt/2)/|Wm| a steady
// rotation has the right angle.
//
// Mode j:  v1 - v0 = -t w^2 (q0 + q1)/2 - t c (v0 + v1)/2 + s U p,   q1 = q0 + t (v0 + v1)/2,   s = t/h
// with t = (2/w) tan(w h/2) has the right frequency at any step, conserves v^2 + w^2 q^2, and yields to a constant force p/h by
// U p/(h w^2), just as it should. c = 2 decay w h/sin(w h) gives the right decay. Rows of contacts are s U, so that the rate of a
// contact's compression is that of the displacement.
#include "dynamics/body.h"
#include "dynamics/gyro.h"
#include "dynamics/shake.h"
#include <string.h>

#define TURN_STEP 0.1  // radians of free rotation in one go, at most
#define TURN_ROUNDS 40
#define WARP_MOST 1.2  // w h/2 beyond which a mode is slow rather than right

// ---- making ----

static int modes_of(const twBodyShape* shape, bool rigid) { return rigid ? 0 : shape->mode_count; }

static void place_motion(Body* body, BodyState* state, const twBodyMotion* motion)
{
    twVec3 arm = tw_quat_rotate(motion->turn, body->shape->mass.centre);
    state->turn = motion->turn;
    state->position = tw_vec3_add(motion->position, arm);
    state->velocity = tw_vec3_add(motion->velocity, tw_vec3_cross(motion->spin, arm));
    state->spin = tw_quat_rotate(tw_quat_conj(motion->turn), motion->spin);
}

// where the path of a moved body is
static void follow(const Body* body, BodyState* state, double time)
{
    twBodyMotion motion = {.turn = {1, 0, 0, 0}};
    body->path(time > 0 ? time : 0, &motion, body->path_context);
    motion.turn = tw_quat_normalize(motion.turn);
    if (time < 0) motion.velocity = motion.spin = tw_vec3(0, 0, 0);
    Body shell = {.shape = body->shape};
    place_motion(&shell, state, &motion);
}

void body_reset(Body* body, const twBodyDef* def)
{
    int n = modes_of(def->shape, def->rigid);
    body->kind = def->kind;
    body->held = def->kind != TW_BODY_FREE;
    body->heard = def->heard;
    body->dynamic = def->kind == TW_BODY_FREE || n > 0;
    body->ghost = def->ghost;
    body->lost = false;
    body->mode_count = body->active = body->bent = n;
}

void body_put(Body* body, const twBodyMotion* motion) { place_motion(body, &body->now, motion); }

void body_lose(Body* body)
{
    body->active = body->bent = body->mode_count = 0;
    body->kind = TW_BODY_FIXED;
    body->dynamic = false;
    body->held = body->ghost = body->lost = true;
}

void body_init(Body* body, const twBodyDef* def, double* numbers)
{
    int n = modes_of(def->shape, def->rigid);
    *body = (Body){.shape = def->shape,
                   .name = def->name,
                   .material = def->material,
                   .roughness = def->roughness,
                   .grain = def->grain,
                   .path = def->path,
                   .path_context = def->path_context,
                   .mates = -1,
                   .prepared = -1,
                   .member = -1};
    body_reset(body, def);
    double** arrays[] = {&body->now.q,      &body->now.rate,   &body->before.q,    &body->before.rate, &body->start.q,
                         &body->start.rate, &body->middle.q,   &body->middle.rate, &body->stretch,     &body->mass,
                         &body->dream_q,    &body->dream_rate, &body->spare};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = numbers + i * (size_t)n;
    twBodyMotion motion = def->motion;
    motion.turn = tw_quat_normalize(motion.turn);
    if (def->kind == TW_BODY_FIXED) motion.velocity = motion.spin = tw_vec3(0, 0, 0);
    place_motion(body, &body->now, &motion);
    if (def->kind == TW_BODY_MOVED) follow(body, &body->now, 0);
    for (int j = 0; j < n; j++)
    {
        body->now.q[j] = def->amplitude ? def->amplitude[j] : 0;
        body->now.rate[j] = def->rate ? def->rate[j] : 0;
    }
    body_copy(&body->before, &body->now, n);
}

void body_copy(BodyState* to, const BodyState* from, int modes)
{
    double *q = to->q, *rate = to->rate;
    *to = *from;
    to->q = q;
    to->rate = rate;
    if (modes == 0) return;
    memcpy(q, from->q, (size_t)modes * sizeof *q);
    memcpy(rate, from->rate, (size_t)modes * sizeof *rate);
}

// ---- free flow ----

// one piece of free rotation
static void turn_piece(const twBodyShape* shape, BodyState* state, double dt)
{
    twVec3 w0 = state->spin, mean = w0;
    double t = dt;
    for (int round = 0; round < TURN_ROUNDS; round++)
    {
        double speed = tw_vec3_norm(mean), half = 0.5 * speed * dt;
        t = half > 1e-8 ? 2 * tan(half) / speed : dt;
        if (shape->round) break;
        twVec3 torque = tw_vec3_cross(mean, tw_mat3_mul_vec(shape->mass.inertia, mean));
        twVec3 next = tw_vec3_add_scaled(w0, tw_mat3_mul_vec(shape->inverse_inertia, torque), -0.5 * t);
        double change = tw_vec3_max(tw_vec3_sub(next, mean));
        mean = next;
        if (change <= 1e-16 * tw_vec3_max(w0)) break;
    }
    state->spin = tw_vec3_sub(tw_vec3_scale(mean, 2), w0);
    twQuat by = tw_quat(1, 0.5 * t * mean.x, 0.5 * t * mean.y, 0.5 * t * mean.z);
    state->turn = tw_quat_normalize(tw_quat_mul(state->turn, by));
}

static void turn_freely(const twBodyShape* shape, BodyState* state, double dt)
{
    double angle = tw_vec3_norm(state->spin) * fabs(dt);
    if (!(angle > 0)) return;
    int pieces = angle < 1e4 ? 1 + (int)(angle / TURN_STEP) : 100000;
    for (int i = 0; i < pieces; i++) turn_piece(shape, state, dt / pieces);
}

void body_drift(const Body* body, BodyState* state, double dt)
{
    state->time += dt;
    if (body->kind == TW_BODY_FREE)
    {
        state->position = tw_vec3_add_scaled(state->position, state->velocity, dt);
        turn_freely(body->shape, state, dt);
    }
    else if (body->kind == TW_BODY_MOVED)
        follow(body, state, state->time);
    for (int j = 0; j < body->active; j++) state->q[j] += dt * state->rate[j];
}

// ---- modes ----

double body_mode_mass(const Body* body, int j, double h, double* stretch)
{
    double w = 2 * TW_PI * body->shape->freq_hz[j], x = 0.5 * w * h;
    double capped = x < WARP_MOST ? x : WARP_MOST, s = capped > 1e-6 ? tan(capped) / capped : 1;
    double t = s * h, c = 2 * body->shape->decay[j] * (capped > 1e-6 ? 2 * capped / sin(2 * capped) : 1);
    *stretch = s;
    return 1 + 0.25 * t * t * w * w + 0.5 * t * c;
}

void body_prepare(Body* body, double h)
{
    if (body->h == h) return;
    body->h = h;
    for (int j = 0; j < body->mode_count; j++) body->mass[j] = body_mode_mass(body, j, h, &body->stretch[j]);
}

void body_free_modes(const Body* body, const BodyState* state, const double* force, double* rate)
{
    for (int j = 0; j < body->active; j++)
    {
        double w = 2 * TW_PI * body->shape->freq_hz[j], t = body->stretch[j] * body->h, d = body->mass[j];
        double push = force ? t * force[j] : 0;
        rate[j] = ((2 - d) * state->rate[j] - t * w * w * state->q[j] + push) / d;
    }
}

bool body_is_shaken(const Body* body)
{
    return body->kind == TW_BODY_MOVED && body->mode_count > 0 && body->shape->shake;
}

void body_shake(const Body* body, double t, double h, double* force)
{
    memset(force, 0, (size_t)body->mode_count * sizeof *force);
    if (t < 0) return;
    BodyState at[3];
    for (int i = 0; i < 3; i++) follow(body, &at[i], t + 0.5 * h * i);
    twQuat back = tw_quat_conj(at[1].turn);
    twVec3 spin[2];
    for (int i = 0; i < 2; i++) spin[i] = tw_quat_rotate(at[2 * i].turn, at[2 * i].spin);
    twVec3 faster = tw_vec3_scale(tw_vec3_sub(at[2].velocity, at[0].velocity), 1 / h);
    twVec3 spin_up = tw_vec3_scale(tw_vec3_sub(spin[1], spin[0]), 1 / h);
    shake_force(force, body->shape->shake, body->mode_count, tw_quat_rotate(back, faster),
                tw_quat_rotate(back, spin_up), at[1].spin);
}

void body_finish(const Body* body, const BodyState* start, const BodyState* middle, twVec3 velocity, twVec3 spin,
                 const double* rate, double h, BodyState* end)
{
    end->time = middle->time;
    end->position = middle->position;
    end->turn = middle->turn;
    end->velocity = velocity;
    end->spin = spin;
    for (int j = 0; j < body->active; j++)
    {
        // start may be end
        double t = body->stretch[j] * h, q = start->q[j] + 0.5 * t * (start->rate[j] + rate[j]);
        end->q[j] = q - 0.5 * h * rate[j];  // which drift adds
        end->rate[j] = rate[j];
    }
    for (int j = body->active; j < body->mode_count; j++)
    {
        end->q[j] = start->q[j];
        end->rate[j] = 0;
    }
    body_drift(body, end, 0.5 * h);
    if (body->shape->gyro)
        gyro_turn(body->shape->gyro, body->shape->mode_count, body->active, tw_vec3_scale(end->spin, h), end->rate,
                  body->spare);
}

void body_free_step(Body* body, const BodyState* start, twVec3 gravity, double h, BodyState* end)
{
    body_prepare(body, h);
    body_copy(&body->middle, start, body->mode_count);
    body_drift(body, &body->middle, 0.5 * h);
    twVec3 velocity = body->middle.velocity;
    if (body->kind == TW_BODY_FREE) velocity = tw_vec3_add_scaled(velocity, gravity, h);
    if (body_is_shaken(body)) body_shake(body, start->time, h, body->spare);
    body_free_modes(body, start, body_is_shaken(body) ? body->spare : NULL, body->middle.rate);
    body_finish(body, start, &body->middle, velocity, body->middle.spin, body->middle.rate, h, end);
    end->time = start->time + h;
}

// ---- between two times ----

static twVec3 between(twVec3 a, twVec3 b, double s) { return tw_vec3_add_scaled(a, tw_vec3_sub(b, a), s); }

void body_at(Body* body, double time, twVec3 gravity, BodyState* out)
{
    const BodyState *a = &body->before, *b = &body->now;
    if (!(time < b->time) || !body->dynamic)
    {
        body_copy(out, b, body->mode_count);
        if (body->kind == TW_BODY_MOVED) follow(body, out, time);
        out->time = time;
        return;
    }
    double s = b->time > a->time ? (time - a->time) / (b->time - a->time) : 1;
    if (s < 0) s = 0;
    if (!body->touched && s > 0)
    {
        body_free_step(body, a, gravity, time - a->time, out);
        out->time = time;
        return;
    }
    out->time = time;
    out->position = between(a->position, b->position, s);
    out->turn = tw_quat_blend(a->turn, b->turn, s);
    out->velocity = between(a->velocity, b->velocity, s);
    out->spin = between(a->spin, b->spin, s);
    for (int j = 0; j < body->mode_count; j++)
    {
        out->q[j] = a->q[j] + s * (b->q[j] - a->q[j]);
        out->rate[j] = a->rate[j] + s * (b->rate[j] - a->rate[j]);
    }
    if (body->kind == TW_BODY_MOVED) follow(body, out, time);
}

// ---- what others ask ----

BodyPlace body_place(const Body* body, int index, const BodyState* state)
{
    return (BodyPlace){.shape = body->shape->contact,
                       .body = index,
                       .still = body->kind == TW_BODY_FIXED && !body->dynamic,
                       .position = state->position,
                       .turn = state->turn,
                       .velocity = state->velocity,
                       .spin = tw_quat_rotate(state->turn, state->spin),
                       .mode_count = body->bent,
                       .amplitude = state->q,
                       .rate = state->rate};
}

void body_bound(Body* body)
{
    BodyPlace before = body_place(body, 0, &body->before), now = body_place(body, 0, &body->now);
    double bend = fmax(tw_place_bend_bound(&before), tw_place_bend_bound(&now));
    body->speed = fmax(tw_place_speed_bound(&before), tw_place_speed_bound(&now));
    body->extent = body->shape->contact->radius + bend;
}

double body_kinetic(const Body* body, const BodyState* state)
{
    if (body->held) return 0;
    return 0.5 * body->shape->mass.mass * tw_vec3_dot(state->velocity, state->velocity) +
           0.5 * tw_vec3_dot(state->spin, tw_mat3_mul_vec(body->shape->mass.inertia, state->spin));
}

double body_modal(const Body* body, const BodyState* state)
{
    double sum = 0;
    for (int j = 0; j < body->bent; j++)
    {
        double w = 2 * TW_PI * body->shape->freq_hz[j], e = w * state->q[j];
        sum += 0.5 * (state->rate[j] * state->rate[j] + e * e);
    }
    return sum;
}

double body_wanted_step(const Body* body, double steps_per_cycle, double max_step)
{
    if (body->active == 0) return max_step;
    double step = 1 / (steps_per_cycle * body->shape->freq_hz[body->active - 1]);
    return step < max_step ? step : max_step;
}

twBodyMotion body_motion(const Body* body, const BodyState* state)
{
    twVec3 arm = tw_quat_rotate(state->turn, body->shape->mass.centre), spin = tw_quat_rotate(state->turn, state->spin);
    return (twBodyMotion){.position = tw_vec3_sub(state->position, arm),
                          .turn = state->turn,
                          .velocity = tw_vec3_sub(state->velocity, tw_vec3_cross(spin, arm)),
                          .spin = spin};
}
