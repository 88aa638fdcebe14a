// SPDX-License-Identifier: MIT
// trunk_: the trunk space on a cube (Szabo and Babuska, Finite Element Analysis, 1991, ch. 6), its quadrature, and how a
// cube's functions look on its eight children.
#include "fem/trunk.h"
#include "fem/lapack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- one axis ----

void trunk_factor(int place, int degree, double t, double* value, double* slope)
{
    if (place != 1)
    {
        *value = place == 0 ? 0.5 * (1 - t) : 0.5 * (1 + t);
        *slope = place == 0 ? -0.5 : 0.5;
        return;
    }
    double before = 1, p = t, older = 0;  // P_(k-1), P_k, P_(k-2)
    for (int k = 2; k <= degree; k++)
    {
        const double next = ((2 * k - 1) * t * p - (k - 1) * before) / k;
        older = before;
        before = p;
        p = next;
    }
    const double scale = 1 / sqrt(2 * (2.0 * degree - 1));
    *value = scale * (p - older);
    *slope = scale * (2 * degree - 1) * before;
}

// Gauss-Legendre points, ascending
static void trunk_gauss(int count, double* node, double* weight)
{
    for (int i = 0; i < count; i++)
    {
        double z = -cos(TW_PI * (i + 0.75) / (count + 0.5)), slope = 1;
        for (int iteration = 0; iteration < 100; iteration++)
        {
            double p = 1, before = 0;
            for (int k = 0; k < count; k++)
            {
                const double older = before;
                before = p;
                p = ((2 * k + 1) * z * before - k * older) / (k + 1);
            }
            slope = count * (z * p - before) / (z * z - 1);
            const double step = p / slope;
            z -= step;
            if (fabs(step) < 1e-15) break;
        }
        node[i] = z;
        weight[i] = 2 / ((1 - z * z) * slope * slope);
    }
}

// the integral from -1 of the Lagrange polynomial of Gauss point i, by its coefficients
static void trunk_set_integral(Trunk* trunk, int i)
{
    double c[TRUNK_POINTS_MAX + 1] = {1}, scale = 1;
    int degree = 0;
    for (int k = 0; k < trunk->points; k++)
    {
        if (k == i) continue;
        degree++;
        for (int j = degree; j >= 0; j--) c[j] = (j > 0 ? c[j - 1] : 0) - trunk->node[k] * (j < degree ? c[j] : 0);
        scale *= trunk->node[i] - trunk->node[k];
    }
    double at_start = 0;
    for (int j = 0; j <= degree; j++)
    {
        trunk->integral[i][j + 1] = c[j] / (j + 1) / scale;
        at_start += trunk->integral[i][j + 1] * (j % 2 ? 1 : -1);
    }
    trunk->integral[i][0] = -at_start;
}

void trunk_lagrange(const Trunk* trunk, double t, double* out)
{
    for (int i = 0; i < trunk->points; i++)
    {
        out[i] = 1;
        for (int k = 0; k < trunk->points; k++)
            if (k != i) out[i] *= (t - trunk->node[k]) / (trunk->node[i] - trunk->node[k]);
    }
}

void trunk_integrals(const Trunk* trunk, double t, double* out)
{
    for (int i = 0; i < trunk->points; i++)
    {
        double sum = 0;
        for (int j = trunk->points; j >= 0; j--) sum = sum * t + trunk->integral[i][j];
        out[i] = sum;
    }
}

// ---- functions ----

static void trunk_add(Trunk* trunk, const int place[3], const int degree[3])
{
    TrunkFunction* f = &trunk->function[trunk->count++];
    int sum = 0;
    for (int x = 0; x < 3; x++)
    {
        f->place[x] = place[x];
        f->degree[x] = degree[x];
        sum += degree[x];
    }
    f->entity = place[0] + 3 * place[1] + 9 * place[2];
    f->slot = trunk->per_entity[f->entity]++;
    f->top = sum == trunk->degree;
}

static void trunk_add_edges(Trunk* trunk, int degree)
{
    for (int axis = 0; axis < 3; axis++)
        for (int c = 0; c < 4; c++)
        {
            int place[3] = {0}, degrees[3] = {0};
            place[axis] = 1;
            degrees[axis] = degree;
            place[(axis + 1) % 3] = 2 * (c & 1);
            place[(axis + 2) % 3] = 2 * (c >> 1);
            trunk_add(trunk, place, degrees);
        }
}

// two degrees of at least 2 that sum to this
static void trunk_add_faces(Trunk* trunk, int degree)
{
    for (int axis = 0; axis < 3; axis++)
        for (int c = 0; c < 2; c++)
            for (int d = 2; degree - d >= 2; d++)
            {
                int place[3] = {1, 1, 1}, degrees[3] = {0};
                place[axis] = 2 * c;
                degrees[(axis + 1) % 3] = d;
                degrees[(axis + 2) % 3] = degree - d;
                trunk_add(trunk, place, degrees);
            }
}

// corners, then degree by degree: the functions of degree p are the first ones of degree p + 1
static void trunk_list(Trunk* trunk)
{
    for (int c = 0; c < 8; c++)
        trunk_add(trunk, (int[]){2 * (c & 1), 2 * (c >> 1 & 1), 2 * (c >> 2)}, (int[]){0, 0, 0});
    for (int degree = 2; degree <= trunk->degree; degree++)
    {
        trunk_add_edges(trunk, degree);
        trunk_add_faces(trunk, degree);
    }
}

void trunk_values(const Trunk* trunk, const double t[3], double* value)
{
    for (int f = 0; f < trunk->count; f++)
    {
        const TrunkFunction* function = &trunk->function[f];
        value[f] = 1;
        for (int x = 0; x < 3; x++)
        {
            double factor, slope;
            trunk_factor(function->place[x], function->degree[x], t[x], &factor, &slope);
            value[f] *= factor;
        }
    }
}

static void trunk_tabulate(Trunk* trunk)
{
    const size_t n = (size_t)trunk->count, total = (size_t)trunk->total;
    const int q = trunk->points;
    for (size_t g = 0; g < total; g++)
    {
        const int at[3] = {(int)g % q, (int)g / q % q, (int)g / q / q};
        const double t[3] = {trunk->node[at[0]], trunk->node[at[1]], trunk->node[at[2]]};
        trunk->full_weight[g] = trunk->weight[at[0]] * trunk->weight[at[1]] * trunk->weight[at[2]];
        trunk_values(trunk, t, trunk->value + g * n);
    }
}

// ---- children ----

// Function f of the cube on a child is a polynomial of the child's own space: the coefficients follow exactly from
// integrals over the child, N c = b with N the child's mass matrix.
static bool trunk_set_child(Trunk* trunk, int child, double* mass, double* right)
{
    const int n = trunk->count, q = trunk->points;
    for (int i = 0; i < n * n; i++) mass[i] = right[i] = 0;
    for (int g = 0; g < trunk->total; g++)
    {
        const int at[3] = {g % q, g / q % q, g / q / q};
        double t[3], w = 1, coarse[TRUNK_MAX];
        for (int x = 0; x < 3; x++)
        {
            t[x] = 0.5 * (trunk->node[at[x]] + (child >> x & 1 ? 1 : -1));
            w *= trunk->weight[at[x]];
        }
        trunk_values(trunk, t, coarse);
        const double* fine = trunk->value + (size_t)g * (size_t)n;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
            {
                mass[i * n + k] += w * fine[i] * fine[k];
                right[i * n + k] += w * coarse[i] * fine[k];
            }
    }
    // rows of right times the inverse of mass = R^T R: right R^-1 R^-T; by columns rows are columns
    if (!fem_cholesky(n, mass, n)) return false;
    double* c = trunk->child[child];
    for (int f = 0; f < n; f++)
    {
        double* y = c + (size_t)f * (size_t)n;
        for (int i = 0; i < n; i++)  // R^T y = b, R upper by columns
        {
            y[i] = right[f * n + i];
            for (int k = 0; k < i; k++) y[i] -= mass[i * n + k] * y[k];
            y[i] /= mass[i * n + i];
        }
        for (int i = n - 1; i >= 0; i--)  // R x = y
        {
            for (int k = i + 1; k < n; k++) y[i] -= mass[k * n + i] * y[k];
            y[i] /= mass[i * n + i];
        }
        const double round_off = 1e-12;
        for (int i = 0; i < n; i++)
            if (fabs(y[i]) < round_off) y[i] = 0;
    }
    return true;
}

static bool trunk_set_children(Trunk* trunk)
{
    const size_t square = (size_t)trunk->count * (size_t)trunk->count;
    double* work = malloc(2 * square * sizeof *work);
    bool good = work != NULL;
    for (int child = 0; child < 8 && good; child++) good = trunk_set_child(trunk, child, work, work + square);
    free(work);
    return good;
}

// ---- all of it ----

static bool trunk_alloc(Trunk* trunk)
{
    const size_t n = (size_t)trunk->count, total = (size_t)trunk->total;
    double* block = calloc((n + 1) * total + 8 * n * n, sizeof *block);
    if (!block) return false;
    trunk->value = block;
    trunk->full_weight = trunk->value + n * total;
    for (size_t c = 0; c < 8; c++) trunk->child[c] = trunk->full_weight + total + c * n * n;
    return true;
}

twStatus trunk_create(Trunk** out, int degree, twError* err)
{
    TW_ASSERT(degree >= 1 && degree <= TRUNK_DEGREE_MAX);
    *out = NULL;
    Trunk* trunk = calloc(1, sizeof *trunk);
    if (!trunk) return tw_fail(err, TW_NO_MEMORY, "no memory for functions of degree %d", degree);
    trunk->degree = degree;
    trunk->points = 2 * degree + 1;
    trunk->total = trunk->points * trunk->points * trunk->points;
    trunk->rays = 3 * degree + 2;
    trunk_list(trunk);
    trunk_gauss(trunk->points, trunk->node, trunk->weight);
    trunk_gauss(trunk->rays, trunk->ray, trunk->ray_weight);
    for (int i = 0; i < trunk->points; i++) trunk_set_integral(trunk, i);
    bool good = trunk_alloc(trunk);
    if (good) trunk_tabulate(trunk);
    good = good && trunk_set_children(trunk);
    if (good)
        *out = trunk;
    else
        trunk_destroy(trunk);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for functions of degree %d", degree);
}

void trunk_destroy(Trunk* trunk)
{
    if (!trunk) return;
    free(trunk->value);
    free(trunk);
}
