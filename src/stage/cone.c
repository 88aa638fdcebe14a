// SPDX-License-Identifier: MIT
// Block Gauss-Seidel: contact after contact gets the impulse that obeys Coulomb's law exactly for what the others have left,
// until a sweep changes nothing; sweeps are mixed by Anderson's method, which takes stacks and unequal masses in few of them. The
// change d of a sweep is measured by the sum of d_i.A_ii d_i.
//
// Any p of the cones can be made passive by a factor: p.b + p.A p/2 is least at f = -p.b/p.A p along p.
#include "stage/cone.h"
#include "dynamics/coulomb.h"
#include "stage/anderson.h"
#include <float.h>
#include <string.h>

#define TOLERANCE 1e-9     // change in a sweep, of the impulses
#define SWEEPS 200         // at most
#define LAST_SWEEPS 10     // of these not mixed
#define WORSE 2.0          // change of a sweep, of the least so far, at which the past misleads
#define LEAST_SHARE 1e-14  // of the greatest: a normal row that moves less by itself does not move at all
#define ROUNDOFF (64 * DBL_EPSILON)

typedef struct Cone
{
    const double *a, *b, *soft;
    const StageContact* contacts;
    int count;
    double least;  // of A_nn
    double* p;
    double way[3 * CONE_MAX];     // b + A p
    double change[3 * CONE_MAX];  // of p in the sweep
    double weight[3 * CONE_MAX];  // A_kk of what takes part
    bool out[CONE_MAX];           // takes no part
    Anderson past;
} Cone;

static const double* row(const Cone* c, int i) { return c->a + (size_t)i * 3 * (size_t)c->count; }

static double mobility(const Cone* c, int contact) { return row(c, 3 * contact)[3 * contact]; }

static double friction(const Cone* c, int contact)
{
    double mu = c->contacts[contact].friction;
    return mu > 0 ? fmin(mu, DBL_MAX) : 0;
}

// ---- one contact ----

static void local(const Cone* c, int contact, double w[3][3])
{
    for (int q = 0; q < 3; q++) memcpy(w[q], row(c, 3 * contact + q) + 3 * contact, sizeof w[q]);
    if (c->soft) w[0][0] += c->soft[contact];
}

static void times(double out[3], const double w[3][3], const double x[3])
{
    for (int q = 0; q < 3; q++) out[q] = w[q][0] * x[0] + w[q][1] * x[1] + w[q][2] * x[2];
}

static double square(const double w[3][3], const double x[3])
{
    double y[3];
    times(y, w, x);
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static void push(Cone* restrict c, int contact, const double d[3])
{
    const double *x = row(c, 3 * contact), *y = row(c, 3 * contact + 1), *z = row(c, 3 * contact + 2);
    for (int k = 0; k < 3 * c->count; k++) c->way[k] += d[0] * x[k] + d[1] * y[k] + d[2] * z[k];
}

// @return square of the change; adds that of the impulse to size
static double relax(Cone* c, int contact, double* size)
{
    double w[3][3], own[3], rest[3], next[3], *p = c->p + 3 * contact, *d = c->change + 3 * contact;
    const double* way = c->way + 3 * contact;
    local(c, contact, w);
    times(own, (const double(*)[3])w, p);
    for (int q = 0; q < 3; q++) rest[q] = way[q] - own[q];
    // the way does not have what the softness takes, the row does
    if (c->soft) rest[0] += c->soft[contact] * p[0];
    coulomb_solve((const double(*)[3])w, rest, friction(c, contact), next);
    for (int q = 0; q < 3; q++) d[q] = next[q] - p[q];
    memcpy(p, next, sizeof next);
    if (d[0] != 0 || d[1] != 0 || d[2] != 0) push(c, contact, d);
    *size += square((const double(*)[3])w, p);
    return square((const double(*)[3])w, d);
}

// ---- all of them ----

static double sweep(Cone* c, double* size)
{
    double change = 0;
    *size = 0;
    for (int i = 0; i < c->count; i++)
        if (!c->out[i]) change += relax(c, i, size);
    return change;
}

static void set_way(Cone* c)
{
    memcpy(c->way, c->b, 3 * (size_t)c->count * sizeof(double));
    for (int i = 0; i < c->count; i++)
    {
        const double* p = c->p + 3 * i;
        if (p[0] != 0 || p[1] != 0 || p[2] != 0) push(c, i, p);
    }
}

// ---- what takes part, and what may be ----

static bool is_usable(const Cone* c, int contact)
{
    double w[3][3], sum = 0;
    local(c, contact, w);
    for (int q = 0; q < 3; q++) sum += c->b[3 * contact + q] + w[q][0] + w[q][1] + w[q][2];
    return sum - sum == 0 && w[0][0] > c->least;
}

// into the cone
static void admit(const Cone* c, int contact)
{
    double *p = c->p + 3 * contact, sum = p[0] + p[1] + p[2], side = hypot(p[1], p[2]),
           most = friction(c, contact) * p[0];
    if (!(p[0] > 0 && sum - sum == 0)) p[0] = p[1] = p[2] = 0;
    if (side <= most || p[0] == 0) return;
    p[1] *= most / side;
    p[2] *= most / side;
}

static void choose(Cone* c)
{
    for (int i = 0; i < c->count; i++)
        if (mobility(c, i) < HUGE_VAL) c->least = fmax(c->least, LEAST_SHARE * mobility(c, i));
    for (int i = 0; i < c->count; i++)
    {
        c->out[i] = !is_usable(c, i);
        for (int q = 3 * i; q < 3 * i + 3; q++) c->weight[q] = c->out[i] ? 0 : fmax(row(c, q)[q], 0);
        if (c->out[i])
            memset(c->p + 3 * i, 0, 3 * sizeof *c->p);
        else
            admit(c, i);
    }
}

// Back until no energy is gained: p.(b + A p/2) <= 0. |p_i A_ij p_j| <= sqrt(A_ii A_jj) |p_i p_j| bounds the round-off.
static void make_passive(Cone* c)
{
    set_way(c);
    double done = 0, to_way = 0, terms = 0, root = 0;  // p.b, p.A p
    for (int k = 0; k < 3 * c->count; k++)
    {
        double p = c->p[k];
        if (p == 0) continue;
        done += p * c->b[k];
        to_way += p * (c->way[k] - c->b[k]);
        terms += fabs(p * c->b[k]);
        root += fabs(p) * sqrt(c->weight[k]);
    }
    double work = done + 0.5 * to_way, slack = ROUNDOFF * (terms + root * root);
    if (work <= slack && slack < HUGE_VAL) return;
    double factor = slack < HUGE_VAL && to_way > 0 ? fmax(-done / to_way, 0) : 0;
    for (int k = 0; k < 3 * c->count; k++) c->p[k] = factor > 0 ? factor * c->p[k] : 0;
}

int cone_solve(double* p, const double* a, const double* b, const double* soft, const StageContact* contacts, int count)
{
    TW_ASSERT(count >= 0 && count <= CONE_MAX);
    if (count == 0) return 0;
    Cone cone;
    Cone* c = &cone;
    c->a = a, c->b = b, c->soft = soft, c->contacts = contacts, c->count = count, c->p = p, c->least = 0;
    memset(c->change, 0, 3 * (size_t)count * sizeof(double));
    choose(c);
    make_passive(c);
    set_way(c);
    anderson_start(&c->past, 3 * count, c->weight);
    double best = HUGE_VAL;
    int sweeps = 0;
    while (sweeps < SWEEPS)
    {
        double size, change = sweep(c, &size);
        sweeps++;
        if (!(change > TOLERANCE * TOLERANCE * size)) break;
        if (change > WORSE * WORSE * best) anderson_forget(&c->past);
        best = fmin(best, change);
        if (sweeps <= SWEEPS - LAST_SWEEPS && anderson_mix(&c->past, p, c->change)) set_way(c);
    }
    make_passive(c);
    return sweeps;
}
