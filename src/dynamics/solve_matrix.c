// SPDX-License-Identifier: MIT
// The Newton matrix A = c I + J^T D J, J = rows in y, D = -dp/du of the active contacts. Either factored by blocks
// of bodies, or, when there are few contacts for many modes, through the contacts:
//
//   A^-1 = (I - J^T (c I + D W)^-1 D J)/c,   W = J J^T
#include "solver.h"
#include <stdlib.h>

#define PANEL 8  // rows of a symmetric product that are made in one go

// contacts in order of pairs, so that those of a pair lie together among the rows of both its bodies
static int compare_pairs(const int a[2], const int b[2])
{
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] != b[1] ? (a[1] < b[1] ? -1 : 1) : 0;
}

// heap sort: no memory, no worst case
static void sink(const Solver* s, int* order, int root, int count)
{
    int item = order[root];
    for (int child; (child = 2 * root + 1) < count; root = child)
    {
        if (child + 1 < count)
        {
            int order_of = compare_pairs(s->pair[order[child]], s->pair[order[child + 1]]);
            if (order_of < 0 || (order_of == 0 && order[child] < order[child + 1])) child++;
        }
        int order_of = compare_pairs(s->pair[item], s->pair[order[child]]);
        if (order_of > 0 || (order_of == 0 && item > order[child])) break;
        order[root] = order[child];
    }
    order[root] = item;
}

static void sort_contacts(Solver* s)
{
    int n = s->group->contact_count, *order = s->order;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n / 2 - 1; i >= 0; i--) sink(s, order, i, n);
    for (int i = n - 1; i > 0; i--)
    {
        int last = order[0];
        order[0] = order[i];
        order[i] = last;
        sink(s, order, 0, i);
    }
}

static bool plan(Solver* s)
{
    if (s->planned) return true;
    sort_contacts(s);
    s->planned = block_plan(&s->blocks, s->group->body_count, s->first, s->size, (const int(*)[2])s->pair,
                            s->group->contact_count);
    return s->planned;
}

// rows of the active contacts, and D times them
static void weigh(const Touch* t, const double* rows, int n, double* weighted)
{
    const double(*d)[3] = t->end.d;
    if (t->rows == 1)
    {
        for (int i = 0; i < n; i++) weighted[i] = d[0][0] * rows[i];
        return;
    }
    for (int q = 0; q < 3; q++)
        for (int i = 0; i < n; i++)
            weighted[q * n + i] = d[q][0] * rows[i] + d[q][1] * rows[n + i] + d[q][2] * rows[2 * n + i];
}

// what sticks or hangs together; what slides pushes across by how it is pushed along, and not the other way round
static bool is_symmetric(double d[3][3]) { return d[0][1] == d[1][0] && d[0][2] == d[2][0] && d[1][2] == d[2][1]; }

static void collect(Solver* s)
{
    s->active_count = s->active_rows = 0;
    for (int b = 0; b < s->group->body_count; b++) s->symmetric[b] = true;
    memset(s->filled, 0, (size_t)s->group->body_count * sizeof(int));
    for (int k = 0; k < s->group->contact_count; k++)
    {
        Touch* t = s->touch + s->order[k];
        if (!law_pushes(&t->end)) continue;
        memcpy(s->slope[s->active_count], t->end.d, sizeof t->end.d);
        s->active_row[s->active_count] = s->active_rows;
        s->active[s->active_count++] = s->order[k];
        s->active_rows += t->rows;
        for (int side = 0; side < 2; side++)
        {
            int b = t->contact->body[side];
            if (b < 0) continue;
            if (t->rows == 3 && !is_symmetric(t->end.d)) s->symmetric[b] = false;
            t->slot[side] = s->filled[b];
            s->filled[b] += t->rows;
            double* rows = solver_rows_of(s, t, side);
            solver_scaled_rows(s, t, side, rows);
            weigh(t, rows, s->size[b], s->weighted + (rows - s->rows));
        }
    }
}

// ---- by bodies ----

// c += rows^T weighted of m rows
static void add_block(const Solver* s, double* c, int columns, const double* rows, int row_size, const double* weighted,
                      int m)
{
    s->kernel->multiply(c, columns, 1, rows, 1, row_size, weighted, columns, row_size, columns, m);
}

// A body's own block. A symmetric one is made of panels from the diagonal on, and mirrored: little more than half the
// work.
static void add_own(const Solver* s, int b, double* own)
{
    const int n = s->size[b], panel = s->symmetric[b] ? PANEL : n;
    const double *rows = s->rows + s->row_base[b], *weighted = s->weighted + s->row_base[b];
    for (int i = 0; i < n; i += panel)
    {
        const int m = n - i < panel ? n - i : panel;
        s->kernel->multiply(own + (size_t)i * n + i, n, 1, rows + i, 1, n, weighted + i, n, m, n - i, s->filled[b]);
    }
    for (int i = 0; i < n && panel < n; i++)
        for (int j = 0; j < i; j++) own[(size_t)i * n + j] = own[(size_t)j * n + i];
}

// the active contacts from k on that have the same bodies, and their rows. @return the first one after them
static int run_end(const Solver* s, int k, int* rows)
{
    int end = k + 1;
    while (end < s->active_count && compare_pairs(s->pair[s->active[k]], s->pair[s->active[end]]) == 0) end++;
    *rows = (end < s->active_count ? s->active_row[end] : s->active_rows) - s->active_row[k];
    return end;
}

static bool factor_bodies(Solver* s)
{
    BlockFactor* f = &s->blocks;
    block_clear(f);
    for (int b = 0; b < s->group->body_count; b++)
    {
        int n = s->size[b];
        double* own = block_at(f, b, b);
        for (int i = 0; i < n; i++) own[(size_t)i * n + i] = s->shift;
        add_own(s, b, own);
    }
    for (int k = 0, end, m; k < s->active_count; k = end)
    {
        end = run_end(s, k, &m);
        const Touch* t = s->touch + s->active[k];
        int a = t->contact->body[0], b = t->contact->body[1];
        if (a < 0 || b < 0) continue;
        const double *rows_a = solver_rows_of(s, t, 0), *rows_b = solver_rows_of(s, t, 1);
        add_block(s, block_at(f, a, b), s->size[b], rows_a, s->size[a], s->weighted + (rows_b - s->rows), m);
        add_block(s, block_at(f, b, a), s->size[a], rows_b, s->size[b], s->weighted + (rows_a - s->rows), m);
    }
    return block_factor(f);
}

// ---- by contacts ----

bool solver_dense_room(Solver* s, size_t n)
{
    if (n * n <= s->dense_room) return true;
    free(s->dense);
    s->dense = malloc(n * n * sizeof(double));
    s->dense_room = s->dense ? n * n : 0;
    return s->dense != NULL;
}

// w += a b^T of as many rows as both have
static void add_product(const Solver* s, const Touch* a, const double* rows_a, const Touch* b, const double* rows_b,
                        int n, double w[3][3])
{
    double u[3] = {0};
    if (a->rows == 3 && b->rows == 3)
        s->kernel->gram3(rows_a, rows_b, n, w);
    else if (a->rows == 3)
        s->kernel->dot3(rows_a, n, rows_b, u);
    else
        touch_dot(s, b, rows_b, n, rows_a, u);
    for (int q = 0; q < 3 && a->rows == 3; q++) w[q][0] += u[q];
    for (int q = 0; q < 3 && a->rows == 1; q++) w[0][q] += u[q];
}

// block (i, j) of c I + D W
static void fill_pair(Solver* s, int i, int j)
{
    const Touch *a = s->touch + s->active[i], *b = s->touch + s->active[j];
    double w[3][3] = {{0}};
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++)
        {
            int body = a->contact->body[p];
            if (body >= 0 && body == b->contact->body[q])
                add_product(s, a, solver_rows_of(s, a, p), b, solver_rows_of(s, b, q), s->size[body], w);
        }
    size_t n = (size_t)s->active_rows, at_i = (size_t)s->active_row[i], at_j = (size_t)s->active_row[j];
    for (int r = 0; r < a->rows; r++)
        for (int t = 0; t < b->rows; t++)
        {
            double ij = 0, ji = 0;
            for (int l = 0; l < 3; l++)
            {
                ij += s->slope[i][r][l] * w[l][t];
                ji += s->slope[j][t][l] * w[r][l];
            }
            s->dense[(at_i + (size_t)r) * n + at_j + (size_t)t] = ij + (i == j && r == t ? s->shift : 0);
            if (i != j) s->dense[(at_j + (size_t)t) * n + at_i + (size_t)r] = ji;
        }
}

static bool factor_contacts(Solver* s)
{
    if (!solver_dense_room(s, (size_t)s->active_rows)) return false;
    for (int i = 0; i < s->active_count; i++)
        for (int j = i; j < s->active_count; j++) fill_pair(s, i, j);
    return block_dense_factor(s->kernel, s->dense, s->dense_pivot, s->active_rows);
}

// multiplications, roughly
static double cost_of_contacts(const Solver* s)
{
    double m = s->active_rows, cost = m * m * m / 3;
    for (int b = 0; b < s->group->body_count; b++) cost += 0.5 * s->filled[b] * (double)s->filled[b] * s->size[b];
    return cost;
}

static double cost_of_bodies(const Solver* s)
{
    double cost = s->blocks.cost;
    for (int b = 0; b < s->group->body_count; b++) cost += (double)s->filled[b] * s->size[b] * s->size[b];
    return cost;
}

bool matrix_factor(Solver* s, double shift, bool by_bodies)
{
    s->factored = false;
    if (!plan(s)) return false;
    collect(s);
    s->shift = shift;
    s->by_contacts = !by_bodies && cost_of_contacts(s) < cost_of_bodies(s);
    s->factored = s->by_contacts ? factor_contacts(s) : factor_bodies(s);
    s->stats.factorisations++;
    return s->factored;
}

// D J g of the active contacts
static void weighted_rates(Solver* s, const double* g, double* r)
{
    solver_to_velocity(s, g, s->v);
    for (int k = 0; k < s->active_count; k++)
    {
        const Touch* t = s->touch + s->active[k];
        double u[3] = {0};
        for (int side = 0; side < 2; side++)
        {
            int b = t->contact->body[side];
            if (b >= 0) touch_dot(s, t, t->contact->row[side], s->size[b], s->v + s->first[b], u);
        }
        for (int q = 0; q < t->rows; q++)
            r[s->active_row[k] + q] = s->slope[k][q][0] * u[0] + s->slope[k][q][1] * u[1] + s->slope[k][q][2] * u[2];
    }
}

static void solve_contacts(Solver* s, const double* g, double* dy)
{
    double* r = s->scratch;
    weighted_rates(s, g, r);
    block_dense_solve(s->dense, s->dense_pivot, s->active_rows, r);
    memset(s->out, 0, (size_t)s->group->size * sizeof(double));
    for (int k = 0; k < s->active_count; k++)
        for (int side = 0; side < 2; side++)
        {
            const Touch* t = s->touch + s->active[k];
            int b = t->contact->body[side];
            if (b >= 0) touch_add(s, t, t->contact->row[side], s->size[b], r + s->active_row[k], s->out + s->first[b]);
        }
    solver_force_to_scaled(s, s->out, dy);
    for (int i = 0; i < s->group->size; i++) dy[i] = (g[i] - dy[i]) / s->shift;
}

void matrix_solve(Solver* s, const double* g, double* dy)
{
    if (s->by_contacts)
    {
        solve_contacts(s, g, dy);
        return;
    }
    memcpy(dy, g, (size_t)s->group->size * sizeof(double));
    block_solve(&s->blocks, dy);
}
