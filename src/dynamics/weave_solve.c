// SPDX-License-Identifier: MIT
// Rods and contacts find each other: Newton's method for the impulses p of all contacts of a step,
//
//     p = law(u1),   u1 = 2 way/h - u0 of rods, velocities at the end of bodies,   way and velocities by p,
//
// while the rods' own iterations go on with the present p. With the law's slopes D = -dp/du1 and the mobility W of what the
// contacts are on (rods: 2/h^2 times the response of couple.h, which is that of their implicit step; bodies: M^-1),
//
//     (I + D J W J^T) dp = law(u1) - p = r
//
// by GMRES (Saad and Schultz 1986), each step of which is one band solve per rod, with the contacts' own blocks I + D W_own as
// preconditioner.
// That is done in float: it only has to make what is left twenty times less. Residuals, forces and work are in double.
#include "dynamics/weave.h"

enum
{
    MOST_ITERATIONS = 100,
    HALVE_AFTER = 20,      // rounds
    CALM_ITERATIONS = 12,  // after these bristles do not calm down any more: that has kinks
    LOCAL_ITERATIONS = 8,  // after these no rod is local: its links are not good enough
    CONTACT_ROUNDS = 6,    // between two rounds of rods
    SMALL = 128            // of the points of all rods: rods with less are iterated twice in a round
};

#define TOLERANCE 1e-5         // of the residual, relative to the impulses
#define LINEAR 0.05            // of the linear systems
#define CONTACT_TOLERANCE 0.1  // of that: rounds of contacts alone,
#define CONTACT_GAIN 0.01      // or of what was left: rods change it by more
#define FAINT 1e-6             // of the squares of all forces: a rod with less is left out of the linear systems
#define UNMOVED 1e-14          // of the squares of all impulses: a change of less is none
#define SMALLEST 1e-300        // norms below are nothing
#define NO_WAY 1e-11    // [m]: impulses that move things by less in a step are as good as those that do by so much
#define ROUNDOFF 1e-14  // of the energies in a contact: gain that is let pass

// ---- sides ----

void weave_side_push(const WeaveSide* s, const double p[3], double* const* force)
{
    double f[WEAVE_ROW];
    for (int k = 0; k < WEAVE_ROW; k++) f[k] = p[0] * s->row[0][k] + p[1] * s->row[1][k] + p[2] * s->row[2][k];
    for (int c = 0; c < 3; c++)
    {
        force[c][s->point[0]] += f[c];
        force[c][s->point[1]] += f[3 + c];
    }
    force[3][s->point[0]] += f[6];
}

void weave_side_rate(const WeaveSide* s, const double* const* x, double scale, double u[3])
{
    const int a = s->point[0], b = s->point[1];
    const double v[WEAVE_ROW] = {x[0][a], x[1][a], x[2][a], x[0][b], x[1][b], x[2][b], x[3][a], 0};
    for (int q = 0; q < 3; q++)
    {
        double sum = 0;
        for (int k = 0; k < WEAVE_ROW; k++) sum += s->row[q][k] * v[k];
        u[q] += scale * sum;
    }
}

static void bodies_push(Weave* w, const WeaveContact* c, const double p[3])
{
    for (int side = 0; side < 2; side++)
        if (c->body[side] >= 0)
        {
            const SolveBody* b = w->group.solve_bodies + c->body[side];
            w->kernel->add3(c->row[side], b->count, p, w->vector + b->first);
        }
}

static void bodies_rate(const Weave* w, const WeaveContact* c, const double* v, double u[3])
{
    for (int side = 0; side < 2; side++)
        if (c->body[side] >= 0)
        {
            const SolveBody* b = w->group.solve_bodies + c->body[side];
            w->kernel->dot3(c->row[side], b->count, v + b->first, u);
        }
}

// impulses on bodies to velocities
static void divide_by_mass(Weave* w)
{
    for (int i = 0; i < w->group.body_count; i++)
    {
        const SolveBody* b = w->group.solve_bodies + i;
        double* v = w->vector + b->first;
        int rigid = b->held ? 0 : 6;
        if (rigid)
        {
            for (int c = 0; c < 3; c++) v[c] /= b->mass;
            group_put_vec(v + 3, tw_mat3_mul_vec(w->inverse_inertia[i], group_get_vec(v + 3)));
        }
        for (int j = rigid; j < b->count; j++) v[j] /= b->mode_mass[j - rigid];
    }
}

// where contacts are; elsewhere there are none
static void clear_forces(const Weave* w, const WeaveRod* rod, double* const* force)
{
    for (int c = 0; c < ROD_COUPLED; c++)
        for (int k = 0; k < 2 * rod->side_count; k++) force[c][w->at[rod->at + k]] = 0;
}

// ---- the mobility of everything, in float ----

static float sum_of(WeaveFour a) { return (a[0] + a[1]) + (a[2] + a[3]); }

static double dot(const WeaveFour* a, const WeaveFour* b, int n)
{
    WeaveFour sum[4] = {{0}};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return sum_of((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static WeaveFour times(const WeaveFour column[3], WeaveFour x)
{
    return column[0] * x[0] + column[1] * x[1] + column[2] * x[2];
}

static void push_nodes(Weave* w)
{
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveRows* rows = w->rows + k;
        for (int side = 0; side < 2; side++)
            for (int i = 0; rows->node[side][0] >= 0 && i < 2; i++)
                w->node_force[rows->node[side][i]] += times(rows->row[side][i], w->spread[k]);
    }
}

// forces of the nodes of a rod to their way
static void respond(const Weave* w, WeaveRod* rod, int points)
{
    const float scale = (float)(2 / (w->h_piece * w->h_piece));
    const WeaveFour* force = w->node_force + rod->first;
    WeaveFour* way = w->node_way + rod->first;
    for (int i = 0; i < points; i++)
        for (int c = 0; c < ROD_COUPLED; c++) rod->force[c][i] = force[i][c];
    tw_rod_respond(rod->rod, rod->force, rod->force);
    for (int i = 0; i < points; i++)
        way[i] = scale * (WeaveFour){(float)rod->force[0][i], (float)rod->force[1][i], (float)rod->force[2][i],
                                     (float)rod->force[3][i]};
}

// all rods; those that hardly anything pushes do not move
static void respond_rods(Weave* w)
{
    double all = 0;
    for (int i = 0; i < w->rod_count; i++)
    {
        WeaveRod* rod = w->rods + i;
        const WeaveFour* force = w->node_force + rod->first;
        rod->share = rod->gives ? dot(force, force, w->shapes[i]->point_count) : 0;
        all += rod->share;
    }
    for (int i = 0; i < w->rod_count; i++)
    {
        WeaveRod* rod = w->rods + i;
        const int points = w->shapes[i]->point_count;
        if (!rod->gives) continue;
        if (rod->share > FAINT * all)
            respond(w, rod, points);
        else
            memset(w->node_way + rod->first, 0, (size_t)points * sizeof *w->node_way);
        memset(w->node_force + rod->first, 0, (size_t)points * sizeof *w->node_force);
    }
}

static void respond_bodies(Weave* w)
{
    memset(w->vector, 0, (size_t)w->group.solve.size * sizeof(double));
    for (int k = 0; k < w->contact_count; k++)
    {
        const double p[3] = {w->spread[k][0], w->spread[k][1], w->spread[k][2]};
        bodies_push(w, w->contacts + k, p);
    }
    divide_by_mass(w);
}

// rate = J W J^T spread, over all contacts
static void mobility(Weave* w)
{
    const bool bodies = w->group.solve.size > 0;
    push_nodes(w);
    respond_rods(w);
    if (bodies) respond_bodies(w);
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveRows* rows = w->rows + k;
        WeaveFour sum[3] = {{0}};
        for (int side = 0; side < 2; side++)
            for (int i = 0; rows->node[side][0] >= 0 && i < 2; i++)
                for (int q = 0; q < 3; q++) sum[q] += rows->row[side][i][q] * w->node_way[rows->node[side][i]];
        double u[3] = {0};
        if (bodies) bodies_rate(w, w->contacts + k, w->vector, u);
        w->rate[k] =
            (WeaveFour){sum_of(sum[0]) + (float)u[0], sum_of(sum[1]) + (float)u[1], sum_of(sum[2]) + (float)u[2], 0};
    }
    weave_local_add(w);
}

// rods that are solved with, whatever moves
static void mark_giving(Weave* w)
{
    for (int i = 0; i < w->rod_count; i++) w->rods[i].gives = w->rods[i].pushed && !w->rods[i].local;
}

// y = x + D J W J^T x
static void matrix(Weave* w, const WeaveFour* x, WeaveFour* y)
{
    memset(w->spread, 0, (size_t)w->contact_count * sizeof *w->spread);
    for (int i = 0; i < w->block_count; i++) w->spread[w->blocks[i].contact] = x[i];
    mobility(w);
    for (int i = 0; i < w->block_count; i++) y[i] = x[i] + times(w->blocks[i].slope, w->rate[w->blocks[i].contact]);
}

// ---- the linear system ----

// how a contact moves itself: of local rods as it is, else about, by masses alone
static void own_mobility(const Weave* w, int k, double own[3][3])
{
    const WeaveContact* c = w->contacts + k;
    bool local = true;
    for (int side = 0; side < 2; side++) local = local && (c->side[side].rod < 0 || w->rods[c->side[side].rod].local);
    for (int i = 0; i < 9; i++)
    {
        const double rods = local        ? (double)w->give[3 * k + i % 3][i / 3]
                            : i % 4 == 0 ? c->own[i / 3] - c->of_bodies[i / 3]
                                         : 0;
        own[i / 3][i % 3] = rods + (i % 4 == 0 ? c->of_bodies[i / 3] : 0);
    }
}

// of contacts that give way, or whose impulse is to change
static void set_blocks(Weave* w)
{
    w->block_count = 0;
    for (int i = 0; i < w->rod_count; i++) w->rods[i].gives = false;
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        const double* r = w->r + 3 * k;
        twMat3 a = tw_mat3_identity(), inverse;
        double any = fabs(r[0]) + fabs(r[1]) + fabs(r[2]);
        double own[3][3];
        own_mobility(w, k, own);
        for (int i = 0; i < 9; i++)
        {
            for (int j = 0; j < 3; j++) a.m[i / 3][i % 3] += c->end.d[i / 3][j] * own[j][i % 3];
            any += fabs(c->end.d[i / 3][i % 3]);
        }
        if (!(any > 0)) continue;
        for (int side = 0; side < 2; side++)
            if (c->side[side].rod >= 0) w->rods[c->side[side].rod].gives = !w->rods[c->side[side].rod].local;
        WeaveBlock* block = w->blocks + w->block_count++;
        if (!tw_mat3_inverse(&inverse, a)) inverse = tw_mat3_identity();
        block->contact = k;
        for (int j = 0; j < 3; j++)
        {
            block->slope[j] = (WeaveFour){(float)c->end.d[0][j], (float)c->end.d[1][j], (float)c->end.d[2][j], 0};
            block->inverse[j] = (WeaveFour){(float)inverse.m[0][j], (float)inverse.m[1][j], (float)inverse.m[2][j], 0};
        }
    }
}

static void precondition(const Weave* w, const WeaveFour* x, WeaveFour* y)
{
    for (int i = 0; i < w->block_count; i++) y[i] = times(w->blocks[i].inverse, x[i]);
}

// from the small triangular system back to all
static void combine(Weave* w, int k, double h[WEAVE_BASIS + 1][WEAVE_BASIS], double* g)
{
    const int n = w->block_count;
    memset(w->y, 0, (size_t)n * sizeof *w->y);
    for (int i = k - 1; i >= 0; i--)
    {
        for (int j = i + 1; j < k; j++) g[i] -= h[i][j] * g[j];
        g[i] = h[i][i] != 0 ? g[i] / h[i][i] : 0;
        const WeaveFour* v = w->basis + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) w->y[j] += (float)g[i] * v[j];
    }
    precondition(w, w->y, w->x);
}

// the next vector of the basis, made orthogonal to those before; a column of h. @return its length before it is made 1
static double next_vector(Weave* w, int k, double h[WEAVE_BASIS + 1][WEAVE_BASIS])
{
    const int n = w->block_count;
    WeaveFour* next = w->basis + (size_t)(k + 1) * (size_t)n;
    precondition(w, w->basis + (size_t)k * (size_t)n, w->x);
    matrix(w, w->x, next);
    for (int i = 0; i <= k; i++)
    {
        const WeaveFour* v = w->basis + (size_t)i * (size_t)n;
        h[i][k] = dot(v, next, n);
        for (int j = 0; j < n; j++) next[j] -= (float)h[i][k] * v[j];
    }
    const double length = sqrt(dot(next, next, n));
    const float scale = (float)(length > 0 ? 1 / length : 0);
    for (int j = 0; j < n; j++) next[j] *= scale;
    return length;
}

// what a contact pushes goes on
static void wake_sides(Weave* w, const WeaveContact* c)
{
    for (int side = 0; side < 2; side++)
        if (c->side[side].rod >= 0) w->rods[c->side[side].rod].converged = false;
}

// those whose impulses change; size: that dp is given in
static void wake_rods(Weave* w, double size)
{
    double all = 0;
    for (int i = 0; i < 3 * w->contact_count; i++) all += w->p[i] * w->p[i];
    for (int i = 0; i < w->block_count; i++)
        if (size * size * dot(w->x + i, w->x + i, 1) > UNMOVED * all) wake_sides(w, w->contacts + w->blocks[i].contact);
}

// no more than a largest force, to the last bit: rods are pushed by these
static void limit(Weave* w)
{
    for (int k = 0; k < w->contact_count; k++)
    {
        const BondStep* bond = w->contacts[k].step.bond;
        double* p = w->p + 3 * k;
        if (!bond || !(bond->radius > 0)) continue;
        const double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int q = 0; size > bond->radius && q < 3; q++) p[q] *= bond->radius / size;
    }
}

// p += dp
static void newton(Weave* w)
{
    double h[WEAVE_BASIS + 1][WEAVE_BASIS], c[WEAVE_BASIS], s[WEAVE_BASIS], g[WEAVE_BASIS + 1] = {1}, size = 0;
    set_blocks(w);
    for (int i = 0; i < 3 * w->contact_count; i++) size += w->r[i] * w->r[i];
    size = sqrt(size);
    if (!(size > SMALLEST)) return;
    for (int i = 0; i < w->block_count; i++)
    {
        const double* r = w->r + 3 * w->blocks[i].contact;
        w->basis[i] = (WeaveFour){(float)(r[0] / size), (float)(r[1] / size), (float)(r[2] / size), 0};
    }
    int k = 0;
    while (k < WEAVE_BASIS && fabs(g[k]) > LINEAR)
    {
        const double length = next_vector(w, k, h);
        for (int i = 0; i < k; i++)
        {
            const double a = h[i][k], b = h[i + 1][k];
            h[i][k] = c[i] * a + s[i] * b;
            h[i + 1][k] = c[i] * b - s[i] * a;
        }
        const double all = hypot(h[k][k], length);
        c[k] = all > 0 ? h[k][k] / all : 1;
        s[k] = all > 0 ? length / all : 0;
        h[k][k] = all;
        g[k + 1] = -s[k] * g[k];
        g[k] *= c[k];
        k++;
        if (!(length > 1e-6)) break;
    }
    combine(w, k, h, g);
    for (int i = 0; i < w->block_count; i++)
        for (int q = 0; q < 3; q++) w->p[3 * w->blocks[i].contact + q] += size * w->x[i][q];
    limit(w);
    wake_rods(w, size);
}

// ---- one round ----

// Rods that are small against all cost next to nothing: rounds are not to wait for them, least of all for rings, whose matrix
// does not follow their turns well.
static bool is_small(const Weave* w, const WeaveRod* rod) { return rod->shape->point_count < w->point_count / SMALL; }

// @return false if it is lost
static bool iterate_rod(const Weave* w, WeaveRod* rod)
{
    for (int k = 0; k < (is_small(w, rod) ? 2 : 1); k++)
    {
        const double change = tw_rod_iterate(rod->rod), enough = tw_rod_enough(rod->rod);
        if (!(change < 1e100)) return false;
        rod->converged = rod->settled = change < enough;
    }
    return true;
}

static bool move_rod(const Weave* w, WeaveRod* rod)
{
    if (rod->settled && !is_small(w, rod))
        rod->converged = rod->settled = tw_rod_follow(rod->rod);
    else if (!iterate_rod(w, rod))
        return false;
    if (rod->pushed) tw_rod_way_at(rod->rod, w->at + rod->at, 2 * rod->side_count, rod->way);
    return true;
}

// which rod comes after which
static void line_up(Weave* w)
{
    const twRod* next = NULL;
    for (int i = w->rod_count - 1; i >= 0; i--)
    {
        tw_rod_before(w->rods[i].rod, next);
        if (!w->rods[i].converged) next = w->rods[i].rod;
    }
}

// @return false if a rod is lost
static bool move_rods(Weave* w)
{
    for (int i = 0; i < w->rod_count; i++)
        if (w->rods[i].pushed && !w->rods[i].converged) clear_forces(w, w->rods + i, tw_rod_forces(w->rods[i].rod));
    const double rate = 1 / w->h_piece;
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        const double p[3] = {rate * w->p[3 * k], rate * w->p[3 * k + 1], rate * w->p[3 * k + 2]};
        for (int side = 0; side < 2; side++)
        {
            const WeaveRod* rod = c->side[side].rod >= 0 ? w->rods + c->side[side].rod : NULL;
            if (rod && !rod->converged) weave_side_push(c->side + side, p, tw_rod_forces(rod->rod));
        }
    }
    const double begin = tw_seconds();
    line_up(w);
    for (int i = 0; i < w->rod_count; i++)
    {
        WeaveRod* rod = w->rods + i;
        if (!rod->converged && !move_rod(w, rod)) return false;
    }
    w->rod_seconds += tw_seconds() - begin;
    return true;
}

static void move_bodies(Weave* w)
{
    const SolveGroup* g = &w->group.solve;
    memset(w->vector, 0, (size_t)g->size * sizeof(double));
    for (int k = 0; k < w->contact_count; k++) bodies_push(w, w->contacts + k, w->p + 3 * k);
    divide_by_mass(w);
    for (int i = 0; i < g->size; i++) g->result[i] = g->free[i] + w->vector[i];
}

static void set_rates(Weave* w)
{
    const double rate = 2 / w->h_piece;
    for (int k = 0; k < w->contact_count; k++)
    {
        WeaveContact* c = w->contacts + k;
        for (int q = 0; q < 3; q++) c->u1[q] = c->wall[q] - c->rod0[q];
        for (int side = 0; side < 2; side++)
            if (c->side[side].rod >= 0)
                weave_side_rate(c->side + side, (const double* const*)w->rods[c->side[side].rod].way, rate, c->u1);
        bodies_rate(w, c, w->group.solve.result, c->u1);
    }
}

// Whether a contact sticks or slides is judged by where its friction p goes if it alone gives way, y being what bristles alone would
// push, s their slope and W its own mobility:
//
//     a = p + (y - p)/(1 + W s),   |a| <= limit: p becomes y;  else limit a/|a|
//
// which ends where the law does, but does not go to and fro between sliding one way and the other. In the second case a turns with
// p too: with C = limit/|a| what is left across it is (1 + W s)/(1 + W s (1 - C)) times as much.
static void friction_in_cone(WeaveContact* c, const double* p)
{
    const double limit = c->step.cone * c->end.p[0];
    const LawFlow flow = law_flow(&c->step, c->u1, c->end.p[0]);
    const LawStick stick = law_stick(&c->step, &flow);
    const double* y = stick.y;
    double slopes[2], a[2];
    for (int i = 0; i < 2; i++) slopes[i] = stick.slope[i] * flow.by_u[i][i];
    for (int i = 0; i < 2; i++) a[i] = p[1 + i] + (y[i] - p[1 + i]) / (1 + c->own[1 + i] * slopes[i]);
    const double size = sqrt(a[0] * a[0] + a[1] * a[1]), all = sqrt(y[0] * y[0] + y[1] * y[1]);
    if (!(size > limit))
    {
        for (int i = 0; i < 2; i++)
        {
            c->end.p[1 + i] = y[i];
            c->end.d[1 + i][1 + i] = slopes[i];
        }
        return;
    }
    const double e[2] = {a[0] / size, a[1] / size}, slope = 0.5 * (slopes[0] + slopes[1]);
    const double ws = 0.5 * (c->own[1] + c->own[2]) * slope, more = (1 + ws) / (1 + ws * (1 - limit / size));
    const double r[2] = {limit * e[0] - p[1], limit * e[1] - p[2]}, along = r[0] * e[0] + r[1] * e[1];
    for (int i = 0; i < 2; i++)
    {
        c->end.p[1 + i] = p[1 + i] + along * e[i] + more * (r[i] - along * e[i]);
        c->end.d[1 + i][0] = c->step.cone * e[i] * c->end.d[0][0];
        for (int j = 0; j < 2; j++)
            c->end.d[1 + i][1 + j] = all > limit ? limit / all * slope * ((i == j) - e[i] * e[j]) : 0;
    }
}

// and viscous friction beside it
static void friction(WeaveContact* c, const double* p)
{
    const double drag = 0.5 * c->step.h * c->step.viscosity;
    double viscous[3] = {0}, dry[3] = {p[0], 0, 0};
    for (int q = 1; q < 3; q++)
    {
        viscous[q] = -drag * (c->step.u0[q] + c->u1[q]);
        dry[q] = p[q] - viscous[q];
    }
    friction_in_cone(c, dry);
    for (int q = 1; q < 3; q++)
    {
        c->end.p[q] += viscous[q];
        c->end.d[q][q] += drag;
    }
}

// Where the law falls steeply Newton's method may go to and fro between two states for ever. There the chord between them is the
// slope: what is looked for is on it.
static void chord(WeaveContact* c, double r, double p)
{
    const double way = c->u1[0] - c->last[0], fall = c->last[1] - c->end.p[0];
    if (r * c->last[2] < 0 && fabs(r) > 0.5 * fabs(c->last[2]) && fall * way > 0) c->end.d[0][0] = fall / way;
    c->last[0] = c->u1[0];
    c->last[1] = c->end.p[0];
    c->last[2] = r;
    if (r > 0)
        c->low = p, c->has_low = true;
    else
        c->high = p, c->has_high = true;
}

// If that goes on the push is looked for by halves, between those that were too little and too much; in every third round Newton's
// method may try again, with what others have become.
static void halve(Weave* w, int round)
{
    for (int k = 0; k < w->contact_count; k++)
    {
        WeaveContact* c = w->contacts + k;
        double* p = w->p + 3 * k;
        if (round < HALVE_AFTER || !c->has_low || !c->has_high) continue;
        if (!(c->low < c->high) || round % 8 == 0)
        {
            c->has_low = c->has_high = false;  // others have changed too much
            continue;
        }
        if (round % 3 > 0 || !(*p > c->low && *p < c->high)) *p = 0.5 * (c->low + c->high);
    }
}

// r = law(u1) - p. @return its size over that of p, but not over what round-off of places makes
static double residual(Weave* w)
{
    const double slow = NO_WAY / w->h_piece;
    double left = 0, all = 0;
    for (int k = 0; k < w->contact_count; k++)
    {
        WeaveContact* c = w->contacts + k;
        if (c->step.bond)
            law_end(&c->end, &c->step, c->u1);
        else
        {
            law_push(&c->end, &c->step, c->u1);
            chord(c, c->end.p[0] - w->p[3 * k], w->p[3 * k]);
        }
        if (!c->step.bond && c->end.p[0] > 0) friction(c, w->p + 3 * k);
        for (int q = 0; q < 3; q++)
        {
            double *r = w->r + 3 * k + q, p = w->p[3 * k + q];
            *r = c->end.p[q] - p;
            left += c->own[q] * *r * *r;
            all += c->own[q] * (p * p + c->end.p[q] * c->end.p[q]);
            if (c->own[q] > 0) all += slow * slow / c->own[q];
        }
    }
    return all > SMALLEST ? sqrt(left / all) : 0;
}

static bool all_converged(const Weave* w)
{
    for (int i = 0; i < w->rod_count; i++)
        if (!w->rods[i].converged) return false;
    return true;
}

// from the last impulses
static void warm_start(Weave* w)
{
    const double scale = w->last_h > 0 ? w->h_piece / w->last_h : 1;
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        const SolveMemory* m = c->memory;
        const bool line = m->closed_steps > 2 && (c->step.bond || 2 * m->impulse[0] > m->before[0]);
        for (int q = 0; q < 3; q++) w->p[3 * k + q] = scale * (line ? 2 * m->impulse[q] - m->before[q] : m->impulse[q]);
    }
    limit(w);
}

// Rounds of contacts without rods: as those near a solution are, what impulses change of u1 is J W J^T times that.
static void settle_contacts(Weave* w, const double* p, const double* u, double enough)
{
    for (int round = 0; round < CONTACT_ROUNDS; round++)
    {
        for (int k = 0; k < w->contact_count; k++)
            w->spread[k] = (WeaveFour){(float)(w->p[3 * k] - p[3 * k]), (float)(w->p[3 * k + 1] - p[3 * k + 1]),
                                       (float)(w->p[3 * k + 2] - p[3 * k + 2]), 0};
        mark_giving(w);
        mobility(w);
        for (int i = 0; i < 3 * w->contact_count; i++) w->contacts[i / 3].u1[i % 3] = u[i] + w->rate[i / 3][i % 3];
        const double left = residual(w);
        if (!(left > enough)) return;
        newton(w);
    }
}

// p of the next round; left: the residual
static void improve(Weave* w, double left)
{
    double *p = w->before, *u = p + 3 * w->contact_count;
    memcpy(p, w->p, 3 * (size_t)w->contact_count * sizeof *p);
    for (int i = 0; i < 3 * w->contact_count; i++) u[i] = w->contacts[i / 3].u1[i % 3];
    newton(w);
    if (w->all_local) settle_contacts(w, p, u, fmax(CONTACT_TOLERANCE * TOLERANCE, CONTACT_GAIN * left));
}

bool weave_solve(Weave* w)
{
    warm_start(w);
    if (!weave_local_build(w)) weave_set_rows(w);
    for (int i = 0; i < MOST_ITERATIONS; i++)
    {
        w->iterations++;
        if (!move_rods(w)) return false;
        move_bodies(w);
        set_rates(w);
        const double left = residual(w);
        if (!(left < 1e100)) return false;
        if (left < TOLERANCE && all_converged(w)) return true;
        if (left >= TOLERANCE) improve(w, left);
        if (left > 1e-2) halve(w, i);
        if (i == LOCAL_ITERATIONS) weave_set_rows(w);
        for (int k = 0; i == CALM_ITERATIONS && k < w->contact_count; k++) w->contacts[k].step.calm = false;
    }
    return false;
}

// ---- the end of contacts ----

static void count_work(Weave* w, const WeaveContact* c, const double p[3])
{
    for (int side = 0; side < 2; side++)
    {
        if (c->side[side].rod < 0) continue;
        WeaveRod* rod = w->rods + c->side[side].rod;
        double u[3] = {0};
        weave_side_rate(c->side + side, (const double* const*)rod->way, 1 / w->h_piece, u);
        rod->contact_work += u[0] * p[0] + u[1] * p[1] + u[2] * p[2];
    }
}

// what a contact gained all the same a rod will lose
static void owe(Weave* w, const WeaveContact* c, double gain)
{
    const int rod = c->side[0].rod >= 0 ? c->side[0].rod : c->side[1].rod;
    if (rod >= 0)
        w->rods[rod].owed += gain;
    else
        w->gained += gain;
}

// what a bond gained it does not store
static void pay(Weave* w, const WeaveContact* c, double gain)
{
    const double own = fmin(fmax(gain, 0), c->memory->stored);
    c->memory->stored -= own;
    if (gain > own) owe(w, c, gain - own);
}

void weave_settle(Weave* w)
{
    w->gained = 0;
    w->tank = w->forgotten = 0;
    for (int k = 0; k < w->contact_count; k++)
    {
        WeaveContact* c = w->contacts + k;
        law_end(&c->end, &c->step, c->u1);
        memcpy(c->end.p, w->p + 3 * k, sizeof c->end.p);
        double size = c->step.bond ? 0 : law_energy(&c->step, c->step.x0, c->step.z0),
               gain = law_gain(&c->step, &c->end, c->u1);
        for (int q = 0; q < 3; q++) size += fabs(c->end.p[q]) * (fabs(c->u1[q]) + fabs(c->step.u0[q]));
        if (!c->step.bond) w->tank += fmax(0, -gain);
        if (gain > ROUNDOFF * size && !c->step.bond) owe(w, c, law_shrink(&c->step, &c->end, gain));
        // what a hand that drives loses it does not put in
        if (c->touch <= -2) w->ties[-2 - c->touch].credit = c->bond.drives ? 0 : fmax(0, -gain);
        count_work(w, c, c->end.p);
        if (w->softer > 0 && !c->step.bond) weave_harden(c);
        law_remember(c->memory, &c->step, &c->end, c->u1, c->step.bond || (c->end.p[0] > 0 && c->end.x1 > 0));
        if (c->step.bond) pay(w, c, gain);
    }
}
