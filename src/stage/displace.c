// SPDX-License-Identifier: MIT
#include "stage/displace.h"
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define MOST_ROUNDS 20
#define CORRECTIONS 2    // in a round
#define FAINTEST 1e-9    // slopes, of the largest: less is rounding
#define CLEAR 1e-3       // of it: slopes that do not vanish
#define SLOW 0.1         // of what was left is left after a round
#define FARTHEST 30.0    // times the root of what is left: no round is longer
#define TRIES 6          // each a quarter as long as the one before
#define NEAR_MOST 0.7    // of what is allowed: long enough
#define MOST_WEIGHTS 40  // that are tried

static bool is_of(const twStage* s, int body, int group) { return group == STEP_ALL || s->group[body] == group; }

static bool acts_in(const twStage* s, const Hold* hold, int group)
{
    return step_acts(hold) && is_of(s, hold->def.body, group);
}

double displace_look(twStage* s, int group)
{
    double most = 0;
    step_look(s);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (acts_in(s, &s->holds[i], group))
            most = fmax(most, tw_vec3_max(hold_error(&s->holds[i], s->bodies, s->after, s->time + s->h)));
    return most;
}

void displace_go(twStage* s, double share)
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

void displace_undo(twStage* s, int group, const StageKept* kept)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageBody* body = &s->bodies[i];
        if (!is_of(s, i, group)) continue;
        body->position = kept[i].position, body->turn = kept[i].turn;
        memcpy(body->q, kept[i].q, (size_t)body->mode_count * sizeof *body->q);
    }
}

void displace_measure(twStage* s, const StageKept* kept)
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

// ---- J L ----

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

// ---- x ----

static double length(const double* x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

// rows of a group, and what they lack. @return velocities that are known
static int set_rows(twStage* s, int group)
{
    StageSystem* system = &s->system;
    system_clear(system);
    step_look(s);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!acts_in(s, hold, group)) continue;
        hold_lines(hold, system, s->bodies, s->after, true);
        hold_wants(hold, system, s->bodies, s->after, true, s->time + s->h, s->h, system->b);
    }
    const int n = system_known(system);
    for (int k = 0; k < system->row_count; k++) system->b[k] *= s->h;
    write_rows(s, s->mending, n);
    return n;
}

double displace_aim(twStage* s, int group, double faintest)
{
    const int n = set_rows(s, group), rows = s->system.row_count;
    double *a = s->mending, *x = a + (size_t)rows * (size_t)n;
    tw_least_squares(x, a, rows, n, s->system.b, faintest, x + n);
    read_ways(s, x);
    return length(x, n);
}

// ---- no longer than something ----

// (square + diagonal + weight) x = side, (n x n)
typedef struct Normal
{
    int n;
    double *square, *factor, *x, *side, *diagonal;
    double sum;  // of the squares of slopes
} Normal;

// a^T a and a^T b, a (rows x n)
static void make_normal(Normal* o, const double* a, const double* b, int rows)
{
    const int n = o->n;
    memset(o->square, 0, (size_t)(n * n) * sizeof *o->square);
    memset(o->side, 0, (size_t)n * sizeof *o->side);
    o->sum = 0;
    for (int k = 0; k < rows; k++, a += n)
        for (int i = 0; i < n; i++)
        {
            o->side[i] += a[i] * b[k];
            o->sum += a[i] * a[i];
            for (int j = 0; j <= i; j++) o->square[i * n + j] += a[i] * a[j];
        }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) o->square[i * n + j] = o->square[j * n + i];
}

// of the square of a mode's amplitude, against squares of what points lack
static double bending_weight(const StageBody* body, int mode, double stiffness)
{
    const double share = body->shape->freq_hz[mode] / body->shape->freq_hz[body->mode_count - 1];
    return share * share / (stiffness * body->shape->mass.mass);
}

// what bends pushes back
static void add_bending(Normal* o, const twStage* s, double stiffness)
{
    memset(o->diagonal, 0, (size_t)o->n * sizeof *o->diagonal);
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        if (s->system.first[i] < 0) continue;
        const int modes = s->system.first[i] + body->size - body->mode_count;
        for (int j = 0; j < body->mode_count; j++)
        {
            const double weight = bending_weight(body, j, stiffness);
            o->diagonal[modes + j] = weight;
            o->side[modes + j] -= weight * body->q[j];
        }
    }
}

double displace_cost(twStage* s, int group, double stiffness)
{
    double sum = 0;
    step_look(s);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        if (!acts_in(s, &s->holds[i], group)) continue;
        const twVec3 error = hold_error(&s->holds[i], s->bodies, s->after, s->time + s->h);
        sum += tw_vec3_dot(error, error);
    }
    for (int i = 0; i < s->body_count; i++)
        for (int j = 0; j < s->bodies[i].mode_count && is_of(s, i, group); j++)
            sum += bending_weight(&s->bodies[i], j, stiffness) * s->bodies[i].q[j] * s->bodies[i].q[j];
    return sum;
}

// @return the length of x; infinite if rounding hides it
static double weigh(Normal* o, double weight)
{
    const int n = o->n;
    memcpy(o->factor, o->square, (size_t)(n * n) * sizeof *o->factor);
    memcpy(o->x, o->side, (size_t)n * sizeof *o->x);
    for (int i = 0; i < n; i++) o->factor[i * n + i] += o->diagonal[i] + weight;
    if (!tw_cholesky_factor(o->factor, n)) return HUGE_VAL;
    tw_cholesky_solve(o->factor, n, o->x);
    return length(o->x, n);
}

// x no longer than most, by the weight that does it: nothing as short is nearer
static double shorten(Normal* o, double least, double most)
{
    double low = log(least * o->sum), high = HUGE_VAL, at = low, got = HUGE_VAL;
    for (int i = 0; i < MOST_WEIGHTS; i++)
    {
        got = weigh(o, exp(at));
        if (got <= most && (got >= NEAR_MOST * most || i == 0)) return got;
        if (got > most)
            low = at;
        else
            high = at;
        at = isfinite(high) ? 0.5 * (low + high) : low + log(100);
    }
    if (got <= most) return got;
    memset(o->x, 0, (size_t)o->n * sizeof *o->x);
    return 0;
}

double displace_aim_within(twStage* s, int group, double most, double least, double stiffness)
{
    const int n = set_rows(s, group), rows = s->system.row_count;
    const size_t square = (size_t)n * (size_t)n;
    double *a = s->mending, *x = a + (size_t)rows * (size_t)n, *from = x + n;
    Normal o = {n, from, from + square, x, from + 2 * square, from + 2 * square + n, 0};
    make_normal(&o, a, s->system.b, rows);
    add_bending(&o, s, stiffness);
    const double far = shorten(&o, least, most);
    read_ways(s, x);
    return far;
}

// ---- where slopes vanish ----

// kicks become the least displacement that should do. @return how far that is, about
static double aim(twStage* s, int group, double faintest)
{
    const double far = displace_aim(s, group, faintest);
    double mass = 0;
    for (int i = 0; i < s->body_count; i++)
        mass += s->system.first[i] >= 0 && is_of(s, i, group) ? s->bodies[i].shape->mass.mass : 0;
    return far / sqrt(mass);
}

// one round, no farther than most; what that bends is brought back to where slopes are clear. @return what is left
static double go_by(twStage* s, int group, double share, double most)
{
    const double far = aim(s, group, FAINTEST);
    displace_go(s, fmin(share, most / far));
    for (int k = 0; k < CORRECTIONS; k++)
    {
        aim(s, group, CLEAR);
        displace_go(s, 1);
    }
    return displace_look(s, group);
}

// What is of the second order is undone by about its root; where slopes vanish between two answers they tell only the direction.
// @return what is left after a round, less than before; else nothing is changed
static double come_nearer(twStage* s, int group, double before, double share)
{
    double most = FARTHEST * sqrt(before * step_scale(s));
    step_keep(s, s->kept[3]);
    for (int try = 0; try < TRIES; try++, most *= 0.25)
    {
        const double left = go_by(s, group, share, most);
        if (left < before) return left;
        displace_undo(s, group, s->kept[3]);
    }
    return before;
}

bool displace_bring(twStage* s, int group, double left, double close, double met)
{
    const double scale = step_scale(s);
    double share = 1;
    for (int round = 0; round < MOST_ROUNDS && left > close * scale; round++)
    {
        const double before = left;
        left = come_nearer(s, group, before, share);
        if (left == before) break;
        // where slopes vanish Newton's method comes half of the way
        share = left > SLOW * before ? 2 : 1;
    }
    return left <= met * scale;
}
