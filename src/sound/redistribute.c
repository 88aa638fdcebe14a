// SPDX-License-Identifier: MIT
// Redistribution of contact forces, after section 5.2 of C. Zheng, D. James, Toward high-quality modal contact sound (2011).
//
//   min 1/2 |x - y|^2   with   A x = b = A f,   x in K        y: the step before, f: as solved for, K: product of friction cones
//
// has as many unknowns as its dual, one per row of A: x = P(v), v = y + A^T l, P the projection onto K, where l is the maximum of
//
//   b^T l + 1/2 |P(v)|^2 - v^T P(v),   gradient  b - A P(v),   Hessian  -A P' A^T
//
// The cones of contacts that fade are cut off at what they may still push: n . x <= c. All is
// concave and once differentiable: Newton's method with a line search. What it leaves of b - A x goes by least squares; and since
// f itself is in K and has A f = b, so has all between f and x: where x is outside of K by more than rounding, it goes back
// towards f. So the result has the right sum and lies in the cones whether Newton's method has come to its end or not.

#include "redistribute.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RIGID 6            // rows of force and torque
#define MOST_TURNS 60      // of Newton's method
#define MOST_ROUNDS 4      // each with fewer contacts that may change
#define SOLVED 1e-15       // what is left of the sum, of the largest force times contacts and a few
#define IN_CONE 1e-12      // how far outside of its cone a force may be, of the largest
#define SAME_SUM 1e-11     // how far off the sum may be, else all is left as it was
#define LEAST_RIDGE 1e-13  // of the mean diagonal
#define WIDER 1e-6         // how far outside of its cone a given force may be, of the largest: it was rounded to float

// a force of the step before
typedef struct Before
{
    uint64_t id;
    twVec3 force;
} Before;

struct Redistribution
{
    int most_contacts, most_rows;
    int count, rows, free_count;  // of this step; those that may change
    RedistributeStats stats;
    int before_count;
    double load, load_before;  // sum of the magnitudes of the forces given now, and before
    Before* before;
    const RedistributeContact* contacts;
    int* free;                                        // (free_count) indices of contacts
    double* mu;                                       // (contacts), as of all the following
    double* most;                                     // push that ends the cone
    double* axis;                                     // (x 3) normals, unit
    double* a;                                        // (x rows x 3)
    double* given;                                    // (x 3) in units of the largest
    double* near;                                     // (x 3) y
    double* x;                                        // (x 3)
    double* slope;                                    // (x 9) P'
    double *goal, *lambda, *gradient, *step, *trial;  // (rows)
    double *hessian, *normal;                         // (rows x rows) normal: factors of A A^T
    double mean;                                      // of the diagonal of A A^T
    double block[];
};

// ---- making ----

twStatus redistribute_create(Redistribution** out, int most_contacts, int most_rows, twError* err)
{
    TW_ASSERT(most_contacts >= 0 && most_rows >= 0);
    const size_t n = (size_t)most_contacts, m = RIGID + (size_t)most_rows;
    Redistribution* s = calloc(1, sizeof *s + (n * (23 + 3 * m) + 5 * m + 2 * m * m) * sizeof(double));
    *out = s;
    if (s)
    {
        s->before = calloc(n + 1, sizeof *s->before);
        s->free = calloc(n + 1, sizeof *s->free);
    }
    if (!s || !s->before || !s->free)
    {
        redistribute_destroy(s);
        *out = NULL;
        return tw_fail(err, TW_NO_MEMORY, "no memory to redistribute the forces of %d contacts", most_contacts);
    }
    s->most_contacts = most_contacts;
    s->most_rows = most_rows;
    double* at = s->block;
    double** const arrays[] = {&s->mu,   &s->most,   &s->axis,     &s->given, &s->near,  &s->x,       &s->slope, &s->a,
                               &s->goal, &s->lambda, &s->gradient, &s->step,  &s->trial, &s->hessian, &s->normal};
    const size_t sizes[] = {n, n, 3 * n, 3 * n, 3 * n, 3 * n, 9 * n, 3 * m * n, m, m, m, m, m, m * m, m * m};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; at += sizes[i++]) *arrays[i] = at;
    return TW_OK;
}

void redistribute_destroy(Redistribution* s)
{
    if (!s) return;
    free(s->before);
    free(s->free);
    free(s);
}

void redistribute_reset(Redistribution* s) { s->before_count = 0; }

RedistributeStats redistribute_stats(const Redistribution* s) { return s->stats; }

// ---- cones ----

static double dot3(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// a force as a multiple of the normal and what is along the surface. @return the length of that
static double split(const double n[3], const double v[3], double* push, double along[3])
{
    *push = dot3(n, v);
    for (int q = 0; q < 3; q++) along[q] = v[q] - *push * n[q];
    return sqrt(dot3(along, along));
}

static const double* normal_of(const Redistribution* s, int contact) { return s->axis + 3 * contact; }

// how far outside of its cone a contact's force is, along the surface or the normal
static double outside(const Redistribution* s, int contact, const double v[3])
{
    double push, along[3];
    const double slide = split(normal_of(s, contact), v, &push, along);
    return fmax(fmax(-push, push - s->most[contact]), slide - s->mu[contact] * push);
}

// the nearest in the cone, and its derivative d (symmetric)
static void project(double mu, const double n[3], const double v[3], double x[3], double d[9])
{
    double push, along[3];
    const double slide = split(n, v, &push, along), bent = 1 / (1 + mu * mu);
    const bool inside = slide <= mu * push, gone = mu * slide <= -push;
    const double length = gone ? 0 : (push + mu * slide) * bent;  // of the part along the normal
    for (int q = 0; q < 3; q++)
        x[q] = inside ? v[q] : gone ? 0 : length * (n[q] + (slide > 0 ? mu * along[q] / slide : 0));
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
        {
            const double tp = slide > 0 ? along[p] / slide : 0, tq = slide > 0 ? along[q] / slide : 0;
            const double round = (p == q) - n[p] * n[q] - tp * tq, up = n[p] + mu * tp, uq = n[q] + mu * tq;
            const double surface = up * uq * bent + (slide > 0 ? mu * length / slide * round : 0);
            d[3 * p + q] = inside && mu > 0 ? p == q : gone ? 0 : surface;
        }
}

// the nearest on the disc that ends a cone
static void project_end(double mu, double most, const double n[3], const double v[3], double x[3], double d[9])
{
    double push, along[3];
    const double slide = split(n, v, &push, along), radius = mu * most;
    const bool inside = slide <= radius;
    const double part = inside ? 1 : radius / slide;
    for (int q = 0; q < 3; q++) x[q] = most * n[q] + part * along[q];
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
        {
            const double across = inside ? 0 : along[p] * along[q] / (slide * slide);
            d[3 * p + q] = part * ((p == q) - n[p] * n[q] - across);
        }
}

// the nearest force that a contact may have
static void project_contact(Redistribution* s, int contact, const double v[3])
{
    double *x = s->x + 3 * contact, *d = s->slope + 9 * contact;
    project(s->mu[contact], normal_of(s, contact), v, x, d);
    if (dot3(normal_of(s, contact), x) > s->most[contact])
        project_end(s->mu[contact], s->most[contact], normal_of(s, contact), v, x, d);
}

// how far from what was given towards what was found the cone reaches, 1: all the way
static double reach(const Redistribution* s, int contact)
{
    const double *p = s->given + 3 * contact, *q = s->x + 3 * contact;
    double low = 0, high = 1, r[3];
    if (outside(s, contact, q) <= IN_CONE) return 1;
    for (int i = 0; i < 40; i++)
    {
        const double f = 0.5 * (low + high);
        for (int l = 0; l < 3; l++) r[l] = p[l] + f * (q[l] - p[l]);
        *(outside(s, contact, r) <= IN_CONE ? &low : &high) = f;
    }
    return low;
}

// ---- sums ----

// sum of rows times forces, of those that may change
static void add_up(const Redistribution* s, const double* x, double* sum)
{
    memset(sum, 0, (size_t)s->rows * sizeof *sum);
    for (int i = 0; i < s->free_count; i++)
        for (int j = 0, k = s->free[i]; j < s->rows; j++) sum[j] += dot3(s->a + 3 * (k * s->rows + j), x + 3 * k);
}

// v = y + rows^T l of a contact
static void pull(const Redistribution* s, const double* from, const double* lambda, int contact, double v[3])
{
    for (int q = 0; q < 3; q++) v[q] = from[3 * contact + q];
    for (int j = 0; j < s->rows; j++)
        for (int q = 0; q < 3; q++) v[q] += s->a[3 * (contact * s->rows + j) + q] * lambda[j];
}

// A D A^T + ridge, lower triangle; D: slope, or the identity
static void square(const Redistribution* s, bool sloped, double ridge, double* out)
{
    const int m = s->rows;
    memset(out, 0, (size_t)m * (size_t)m * sizeof *out);
    for (int i = 0; i < s->free_count; i++)
    {
        const int k = s->free[i];
        const double *a = s->a + 3 * k * m, *d = s->slope + 9 * k;
        for (int j = 0; j < m; j++)
        {
            double da[3] = {a[3 * j], a[3 * j + 1], a[3 * j + 2]};
            for (int q = 0; sloped && q < 3; q++) da[q] = dot3(d + 3 * q, a + 3 * j);
            for (int l = 0; l <= j; l++) out[j * m + l] += dot3(da, a + 3 * l);
        }
    }
    for (int j = 0; j < m; j++) out[j * m + j] += ridge;
}

static double largest(const double* values, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
    return most;
}

// ---- Newton's method ----

// forces and gradient at lambda. @return the dual's value
static double evaluate(Redistribution* s, const double* lambda)
{
    double value = 0;
    for (int i = 0; i < s->free_count; i++)
    {
        const int k = s->free[i];
        const double* x = s->x + 3 * k;
        double v[3];
        pull(s, s->near, lambda, k, v);
        project_contact(s, k, v);
        value += 0.5 * dot3(x, x) - dot3(v, x);
    }
    add_up(s, s->x, s->gradient);
    for (int j = 0; j < s->rows; j++)
    {
        s->gradient[j] = s->goal[j] - s->gradient[j];
        value += s->goal[j] * lambda[j];
    }
    return value;
}

// along step, to where the dual has risen enough or its gradient fallen. @return whether there is such a place
static bool search(Redistribution* s, double* value, double left)
{
    double rise = 0, part = 1;
    for (int j = 0; j < s->rows; j++) rise += s->gradient[j] * s->step[j];
    for (int turn = 0; turn < 25; turn++, part *= 0.5)
    {
        for (int j = 0; j < s->rows; j++) s->trial[j] = s->lambda[j] + part * s->step[j];
        const double there = evaluate(s, s->trial);
        if (!(there >= *value + 1e-4 * part * rise) && !(largest(s->gradient, s->rows) <= 0.5 * left)) continue;
        *value = there;
        memcpy(s->lambda, s->trial, (size_t)s->rows * sizeof *s->trial);
        return true;
    }
    return false;
}

static void maximise(Redistribution* s)
{
    memset(s->lambda, 0, (size_t)s->rows * sizeof *s->lambda);
    double value = evaluate(s, s->lambda);
    for (int turn = 0; turn < MOST_TURNS; turn++)
    {
        const double left = largest(s->gradient, s->rows);
        if (left <= SOLVED * (s->free_count + 20)) return;
        s->stats.iterations++;
        square(s, true, s->mean * fmax(LEAST_RIDGE, 1e-3 * fmin(left, 1)), s->hessian);
        if (!tw_cholesky_factor(s->hessian, s->rows)) return;
        memcpy(s->step, s->gradient, (size_t)s->rows * sizeof *s->step);
        tw_cholesky_solve(s->hessian, s->rows, s->step);
        if (!search(s, &value, left)) break;
    }
    evaluate(s, s->lambda);
}

// ---- a step ----

// the sum to what it must be, by least squares. @return what is left
static double correct(Redistribution* s)
{
    square(s, false, s->mean * LEAST_RIDGE, s->normal);
    const bool good = tw_cholesky_factor(s->normal, s->rows);
    for (int turn = 0; turn < 4; turn++)
    {
        add_up(s, s->x, s->step);
        for (int j = 0; j < s->rows; j++) s->step[j] = s->goal[j] - s->step[j];
        if (!good || turn == 3) break;
        tw_cholesky_solve(s->normal, s->rows, s->step);
        for (int i = 0; i < s->free_count; i++)
        {
            double v[3];
            pull(s, s->x, s->step, s->free[i], v);
            memcpy(s->x + 3 * s->free[i], v, sizeof v);
        }
    }
    return largest(s->step, s->rows);
}

// back towards what was given, into the cones. @return how much of the way is left
static double retreat(Redistribution* s)
{
    double part = 1;
    for (int i = 0; i < s->free_count; i++) part = fmin(part, reach(s, s->free[i]));
    return part;
}

// those that would have to go back stay as given. @return how many
static int hold_back(Redistribution* s)
{
    int kept = 0;
    for (int i = 0; i < s->free_count; i++)
    {
        const int k = s->free[i];
        if (reach(s, k) >= 0.99)
            s->free[kept++] = k;
        else
            memcpy(s->x + 3 * k, s->given + 3 * k, 3 * sizeof(double));
    }
    const int held = s->free_count - kept;
    s->free_count = kept;
    s->stats.held += held;
    return held;
}

// @return false if all is to be left as it was
static bool solve(Redistribution* s)
{
    for (int round = 0; round < MOST_ROUNDS && s->free_count > 0; round++)
    {
        add_up(s, s->given, s->goal);
        maximise(s);
        const double left = correct(s), part = retreat(s);
        if (!(left <= SAME_SUM)) return false;
        if (part < 0.99 && round < MOST_ROUNDS - 1 && hold_back(s) > 0) continue;
        for (int i = 0; i < s->free_count; i++)
            for (int q = 3 * s->free[i]; q < 3 * s->free[i] + 3; q++)
                s->x[q] = part >= 1 ? s->x[q] : s->given[q] + part * (s->x[q] - s->given[q]);
        return true;
    }
    return false;
}

// ---- input ----

static bool is_finite(twVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

// the largest force; below 0 if something is not finite
static double scale_of(const RedistributeContact* contacts, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++)
    {
        const RedistributeContact* c = &contacts[k];
        if (!is_finite(c->force) || !is_finite(c->place) || !is_finite(c->normal) || !(c->friction >= 0)) return -1;
        most = fmax(most, tw_vec3_norm(c->force));
    }
    return most;
}

static void fill_rows(Redistribution* s, const double* rows, int row_count)
{
    const int m = s->rows, n = s->count;
    double size = 0;
    for (int k = 0; k < n; k++) size += tw_vec3_dot(s->contacts[k].place, s->contacts[k].place) / n;
    const double lever = size > 0 ? 1 / sqrt(size) : 0;
    for (int k = 0; k < n; k++)
    {
        const twMat3 turn = tw_mat3_skew(tw_vec3_scale(s->contacts[k].place, lever));
        double* a = s->a + 3 * k * m;
        for (int j = 0; j < 3; j++)
            for (int q = 0; q < 3; q++)
            {
                a[3 * j + q] = j == q;
                a[9 + 3 * j + q] = turn.m[j][q];
            }
        if (row_count > 0) memcpy(a + 3 * RIGID, rows + 3 * k * row_count, 3 * (size_t)row_count * sizeof *a);
    }

    // other rows are made as large as these
    for (int j = RIGID; j < m; j++)
    {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += dot3(s->a + 3 * (k * m + j), s->a + 3 * (k * m + j)) / n;
        for (int k = 0; k < n; k++)
            for (int q = 0; q < 3; q++) s->a[3 * (k * m + j) + q] *= sum > 0 ? 1 / sqrt(sum) : 0;
    }
    s->mean = (double)n;
}

// what a contact's force was before, in the same units; contacts mostly keep their order
static twVec3 remember(const Redistribution* s, uint64_t id, int* hint)
{
    for (int i = 0; i < s->before_count; i++)
    {
        const int at = (*hint + i) % s->before_count;
        if (s->before[at].id != id) continue;
        *hint = at + 1;
        return s->before[at].force;
    }
    return tw_vec3(0, 0, 0);
}

static void put3(double* out, twVec3 v, double scale)
{
    out[0] = v.x * scale;
    out[1] = v.y * scale;
    out[2] = v.z * scale;
}

// how much of the step before counts: after a blow what it pressed must not go on as tension
static double fade_of(const Redistribution* s) { return s->load < s->load_before ? s->load / s->load_before : 1; }

// cones are widened to what is given; what is in no cone stays as it is
static void fill_forces(Redistribution* s, double scale)
{
    const double fade = fade_of(s);
    int hint = 0;
    s->free_count = 0;
    for (int k = 0; k < s->count; k++)
    {
        const double rest = fade * (1 - s->contacts[k].fade), limit = s->contacts[k].limit;
        double push, along[3], was[3];
        put3(s->axis + 3 * k, tw_vec3_normalize(s->contacts[k].normal), 1);
        put3(s->given + 3 * k, s->contacts[k].force, 1 / scale);
        put3(was, remember(s, s->contacts[k].id, &hint), 1 / scale);
        for (int q = 0; q < 3; q++) s->near[3 * k + q] = rest * was[q];
        memcpy(s->x + 3 * k, s->given + 3 * k, 3 * sizeof(double));
        const double slide = split(normal_of(s, k), s->given + 3 * k, &push, along);
        s->mu[k] = s->contacts[k].friction;
        s->most[k] = limit > 0 ? fmax(limit * dot3(normal_of(s, k), was), push) : HUGE_VAL;
        const bool none = slide == 0 && push == 0, near = slide - s->mu[k] * push <= WIDER;
        if (near && push > 0) s->mu[k] = fmax(s->mu[k], slide / push);
        if (none || (near && push > 0))
            s->free[s->free_count++] = k;
        else
            s->stats.held++;
    }
}

// the forces of this step are those before the next
static void keep(Redistribution* s, const RedistributeContact* contacts, int count, const twVec3* forces)
{
    s->before_count = count <= s->most_contacts ? count : 0;
    s->load_before = s->load;
    for (int k = 0; k < s->before_count; k++) s->before[k] = (Before){contacts[k].id, forces[k]};
}

bool redistribute_step(Redistribution* s, const RedistributeContact* contacts, int count, const double* rows,
                       int row_count, twVec3* out)
{
    const double scale = scale_of(contacts, count);
    bool good = count > 0 && count <= s->most_contacts && row_count <= s->most_rows && scale > 0 && isfinite(1 / scale);
    s->stats.steps++;
    s->load = 0;
    for (int k = 0; k < count; k++)
    {
        out[k] = contacts[k].force;
        if (scale > 0) s->load += tw_vec3_norm(contacts[k].force);
    }
    if (good)
    {
        s->contacts = contacts;
        s->count = count;
        s->rows = RIGID + row_count;
        fill_rows(s, rows, row_count);
        fill_forces(s, scale);
        good = solve(s);
    }
    for (int i = 0; good && i < s->free_count; i++)
    {
        const double* x = s->x + 3 * s->free[i];
        out[s->free[i]] = tw_vec3(x[0] * scale, x[1] * scale, x[2] * scale);
    }
    s->stats.kept += !good;
    keep(s, contacts, count, out);
    return good;
}
