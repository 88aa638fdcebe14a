// SPDX-License-Identifier: MIT
// What grabs that agree leave of the second order. Where points hold more than their body can give up, as three of one flat face, some of
// what they ask for has no slope at all: a bend b makes their distances shorter by b^2, so that b has to be 0, and no force of theirs
// could see to that (it would have to be as large as 1/b). Newton's method leaves such directions alone, and what is left after a step is
// mended here: bodies are displaced, by the least that does it in the norm of the mass, until all points are where they should be,
//
//     J L x = target - place,     L L^T = M^-1,     displacement = L x,
//
// by the pseudo-inverse of J L, not of its square: slopes are small. The motion that has led away,
// as far as grabs leave it free, ends: b is held by what they do not feel. That takes energy, and what lifts or bends is owed (ledger.c).
// Where not all points can be brought to their places nothing is changed: then the rest is the least there is.
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define MOST_ROUNDS 20
#define CORRECTIONS 2  // in a round
#define CLOSE 1e-13    // of the size of things: nothing to mend
#define MET 1e-10      // of it: points are where they should be
#define FAR 1e-3       // of it: that is no rest of the second order
#define FAINTEST 1e-9  // slopes, of the largest: less is rounding
#define CLEAR 1e-3     // of it: slopes that do not vanish
#define SLOW 0.1       // of what was left is left after a round
#define FARTHEST 30.0  // times the root of what is left: no round is longer
#define TRIES 6        // each a quarter as long as the one before

// how far points are from where they should be, at most; right sides are set
static double look(twStage* s)
{
    double most = 0;
    for (int i = 0; i < s->body_count; i++) s->after[i] = stage_body_place(&s->bodies[i]);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i]))
            hold_wants(&s->holds[i], &s->system, s->bodies, s->after, true, s->time + s->h, s->h, s->system.b);
    for (int k = 0; k < s->system.row_count; k++) most = fmax(most, s->h * fabs(s->system.b[k]));
    return most;
}

// bodies go as far as kicks say
static void displace(twStage* s, double share)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageBody* body = &s->bodies[i];
        const double* way = s->system.kick[i];
        if (body->free)
        {
            body->position = tw_vec3_add_scaled(body->position, tw_vec3(way[0], way[1], way[2]), share);
            body->turn = tw_quat_integrate(body->turn, tw_vec3(way[3], way[4], way[5]), share);
            way += 6;
        }
        for (int j = 0; j < body->mode_count; j++) body->q[j] += share * way[j];
    }
}

// L of M^-1 = L L^T, of turning
static twMat3 turning_root(const StageBody* body)
{
    twMat3 root = body->shape->inverse_inertia;
    double* m = &root.m[0][0];
    tw_cholesky_factor(m, 3);
    m[1] = m[2] = m[5] = 0;
    return tw_mat3_mul(tw_mat3_from_quat(body->turn), root);
}

// out (rows x n) = J L
static void write_rows(const twStage* s, double* out, int n)
{
    const StageSystem* system = &s->system;
    memset(out, 0, (size_t)system->row_count * (size_t)n * sizeof *out);
    for (int i = 0; i < 2 * system->row_count; i++)
    {
        const StageLine* row = &system->rows[i / 2];
        const int body = row->body[i % 2];
        if (body == TW_NOWHERE) continue;
        const StageBody* b = &s->bodies[body];
        const double* part = row->part[i % 2];
        double* to = out + (size_t)(i / 2) * (size_t)n + system->first[body];
        if (b->free)
        {
            const twVec3 arm = {part[3], part[4], part[5]};
            const twVec3 turn = tw_mat3_mul_vec(tw_mat3_transpose(turning_root(b)), arm);
            for (int k = 0; k < 3; k++) to[k] += sqrt(b->inverse_mass) * part[k];
            to[3] += turn.x, to[4] += turn.y, to[5] += turn.z;
        }
        for (int k = b->free ? 6 : 0; k < b->size; k++) to[k] += part[k];
    }
}

// kicks become L x
static void read_ways(twStage* s, const double* x)
{
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* b = &s->bodies[i];
        const double* from = x + s->system.first[i];
        double* way = s->system.kick[i];
        memset(way, 0, (size_t)b->size * sizeof *way);
        if (s->system.first[i] < 0) continue;
        memcpy(way, from, (size_t)b->size * sizeof *way);
        if (!b->free) continue;
        const twVec3 turn = tw_mat3_mul_vec(turning_root(b), tw_vec3(from[3], from[4], from[5]));
        for (int k = 0; k < 3; k++) way[k] = sqrt(b->inverse_mass) * from[k];
        way[3] = turn.x, way[4] = turn.y, way[5] = turn.z;
    }
}

// kicks become the least displacement that should do. @return how far that is, about
static double aim(twStage* s, double faintest)
{
    StageSystem* system = &s->system;
    system_clear(system);
    step_grab_lines(s, s->after, true);
    look(s);
    const int rows = system->row_count, n = system_known(system);
    double *matrix = s->mending, *x = matrix + (size_t)rows * (size_t)n, *scratch = x + n;
    for (int k = 0; k < rows; k++) system->b[k] *= s->h;
    write_rows(s, matrix, n);
    tw_least_squares(x, matrix, rows, n, system->b, faintest, scratch);
    read_ways(s, x);
    double sum = 0, mass = 0;
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    for (int i = 0; i < s->body_count; i++) mass += system->first[i] < 0 ? 0 : s->bodies[i].shape->mass.mass;
    return sqrt(sum / mass);
}

// one round, no farther than most; what that bends is brought back to where slopes are clear. @return what is left
static double go_by(twStage* s, double share, double most)
{
    const double far = aim(s, FAINTEST);
    displace(s, fmin(share, most / far));
    for (int k = 0; k < CORRECTIONS; k++)
    {
        aim(s, CLEAR);
        displace(s, 1);
    }
    return look(s);
}

// What is of the second order is undone by about its root; where slopes vanish between two answers they tell only the direction.
// @return what is left after a round, less than before; else nothing is changed
static double come_nearer(twStage* s, double before, double share)
{
    double most = FARTHEST * sqrt(before * step_scale(s));
    step_keep(s, s->kept[3]);
    for (int try = 0; try < TRIES; try++, most *= 0.25)
    {
        const double left = go_by(s, share, most);
        if (left < before) return left;
        step_put_back(s, s->kept[3]);
        look(s);
    }
    return before;
}

// @return whether points are in their places
static bool bring(twStage* s, double left)
{
    const double scale = step_scale(s);
    double share = 1;
    for (int round = 0; round < MOST_ROUNDS && left > CLOSE * scale; round++)
    {
        const double before = left;
        left = come_nearer(s, before, share);
        if (left == before) break;
        // where slopes vanish Newton's method comes half of the way
        share = left > SLOW * before ? 2 : 1;
    }
    return left <= MET * scale;
}

// what lifts and bends is owed
static void charge(twStage* s, const StageKept* kept)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageBody *body = &s->bodies[i], before = *body;
        before.position = kept[i].position, before.q = kept[i].q;
        const double lifted = stage_body_weight(body, s->def.gravity) - stage_body_weight(&before, s->def.gravity);
        s->accounts[i].own -= lifted;
        s->energy.work += lifted + stage_body_elastic(body) - stage_body_elastic(&before);
        tw_oscillators_set(body->oscillators, body->q, body->rate);
    }
}

static bool acts_in_place(const twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i]) && s->holds[i].def.push_count > 0) return false;
    return true;
}

bool step_mend(twStage* s)
{
    const StageSystem* system = &s->system;
    // where no direction is left alone there is nothing to mend, nor where forces act elsewhere
    if (system->rank == system->row_count || !acts_in_place(s)) return false;
    const double left = look(s), scale = step_scale(s);
    if (left <= CLOSE * scale || left > FAR * scale) return false;
    step_keep(s, s->kept[2]);
    const bool met = bring(s, left);
    if (met)
        charge(s, s->kept[2]);
    else
        step_put_back(s, s->kept[2]);
    return met;
}

// ---- what has led away ----

// speed becomes the way that bodies were displaced, as velocities
static void measure(twStage* s, const StageKept* kept)
{
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        double* out = s->system.speed[i];
        if (body->free)
        {
            const twVec3 way = tw_vec3_sub(body->position, kept[i].position);
            const twQuat turn = tw_quat_mul(body->turn, tw_quat_conj(kept[i].turn));
            const double sign = turn.w < 0 ? -2 : 2;
            const double frame[6] = {way.x, way.y, way.z, sign * turn.x, sign * turn.y, sign * turn.z};
            memcpy(out, frame, sizeof frame);
            out += 6;
        }
        for (int j = 0; j < body->mode_count; j++) out[j] = body->q[j] - kept[i].q[j];
    }
}

// of it only what grabs leave free
static void leave_free(twStage* s)
{
    StageSystem* system = &s->system;
    for (int i = 0; i < s->body_count; i++) memset(system->kick[i], 0, (size_t)s->bodies[i].size * sizeof(double));
    for (int k = 0; k < system->row_count; k++) system->b[k] = system_along(system, &system->rows[k]);
    system_solve_grabs(system, system->b, system->p);
    system_push(system, system->p, NULL);
    for (int i = 0; i < s->body_count; i++)
        for (int k = 0; k < s->bodies[i].size; k++) system->speed[i][k] -= system->kick[i][k];
}

// the motion of a group along speed ends
static void stop(twStage* s, int group)
{
    double size = 0, along = 0, change[6 + TW_MAX_STAGE_MODES];
    for (int i = 0; i < s->body_count; i++)
        if (s->group[i] == group) size += 2 * stage_body_kinetic_of(&s->bodies[i], s->system.speed[i]);
    if (!(size > 0)) return;
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        double* way = s->system.speed[i];
        if (s->group[i] != group) continue;
        for (int k = 0; k < body->size; k++) way[k] /= sqrt(size);
        stage_body_speed(body, change);
        for (int k = 0; k < body->size; k++) change[k] += way[k];
        along += stage_body_kinetic_of(body, change) - stage_body_kinetic(body) - stage_body_kinetic_of(body, way);
    }
    for (int i = 0; i < s->body_count; i++)
    {
        const double before = stage_body_kinetic(&s->bodies[i]);
        if (s->group[i] != group) continue;
        for (int k = 0; k < s->bodies[i].size; k++) change[k] = -along * s->system.speed[i][k];
        stage_body_kick(&s->bodies[i], change);
        s->energy.work += stage_body_kinetic(&s->bodies[i]) - before;
    }
}

void step_stop_mended(twStage* s)
{
    measure(s, s->kept[2]);
    leave_free(s);
    for (int g = 0; g < s->body_count; g++)
        if (s->group[g] == g) stop(s, g);
}
