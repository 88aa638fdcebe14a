// SPDX-License-Identifier: MIT
#include "stage/bunch.h"
#include "stage/lanes.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define LEAST_PIVOT 1e-8  // of the largest entry: below, directions may be given up
#define SAFE_PIVOT 1e-4   // the same where there are more grabs than ways to move: some direction is given up there
#define FAINTER 0.01      // than safe pivots: directions there may be nevertheless
#define NEARLY 1e-7       // where some direction has to be left alone, so are those that give less than this share

// ---- finding them ----

static int root_of(int* joined, int body)
{
    while (joined[body] != body) body = joined[body] = joined[joined[body]];
    return body;
}

// what does not move at all holds nothing together
static void join(StageSystem* s, const StageLine* lines, int count)
{
    for (int i = 0; i < count; i++)
    {
        const int a = lines[i].body[0], b = lines[i].body[1];
        if (b == TW_NOWHERE || s->bodies[a].size == 0 || s->bodies[b].size == 0) continue;
        s->joined[root_of(s->joined, b)] = root_of(s->joined, a);
    }
}

// the bunch of a line, which may be a new one
static StageBunch* bunch_of(StageSystem* s, const StageLine* line)
{
    const bool still = s->bodies[line->body[0]].size == 0 && line->body[1] != TW_NOWHERE;
    int* number = &s->bunch_of[root_of(s->joined, line->body[still])];
    if (*number < 0)
    {
        *number = s->bunch_count++;
        s->bunches[*number] = (StageBunch){0};
    }
    return &s->bunches[*number];
}

// room of its own in what the system has
static void place(StageSystem* s)
{
    int* order = s->order;
    double *matrix = s->matrix, *factor = s->factor;
    for (int i = 0; i < s->bunch_count; i++)
    {
        StageBunch* k = &s->bunches[i];
        const int rows = k->row_count, columns = k->column_count;
        k->rows = order, k->columns = order + rows;
        order += rows + columns;
        k->matrix = matrix, k->factor = factor;
        matrix += (size_t)rows * (size_t)columns;
        if (rows > 0 && columns > 0) factor += tw_least_squares_scratch(rows, columns);
        k->row_count = k->column_count = 0;
    }
}

static void know(StageSystem* s, const StageLine* line, int* n)
{
    for (int side = 0; side < 2; side++)
    {
        const int body = line->body[side];
        if (body == TW_NOWHERE || s->first[body] >= 0) continue;
        s->first[body] = *n;
        *n += s->bodies[body].size;
    }
}

// numbers the velocities of its bodies
static void know_all(StageSystem* s, StageBunch* k)
{
    for (int i = 0; i < k->row_count; i++) know(s, &s->rows[k->rows[i]], &k->n);
    for (int j = 0; j < k->column_count; j++) know(s, &s->columns[k->columns[j]], &k->n);
}

static bool has_more_rows(const StageBunch* k) { return k->n > 0 && k->n < k->row_count && k->n <= k->column_count; }

void bunches_find(StageSystem* s)
{
    s->bunch_count = 0;
    for (int i = 0; i < s->body_count; i++) s->joined[i] = i, s->bunch_of[i] = s->first[i] = -1;
    join(s, s->rows, s->row_count);
    join(s, s->columns, s->column_count);
    for (int i = 0; i < s->row_count; i++) bunch_of(s, &s->rows[i])->row_count++;
    for (int j = 0; j < s->column_count; j++) bunch_of(s, &s->columns[j])->column_count++;
    place(s);
    for (int i = 0; i < s->row_count; i++)
    {
        StageBunch* k = bunch_of(s, &s->rows[i]);
        k->rows[k->row_count++] = i;
    }
    for (int j = 0; j < s->column_count; j++)
    {
        StageBunch* k = bunch_of(s, &s->columns[j]);
        k->columns[k->column_count++] = j;
    }
    double* room = s->gram_block;
    for (int i = 0; i < s->bunch_count; i++)
    {
        StageBunch* k = &s->bunches[i];
        know_all(s, k);
        k->rank = k->row_count;
        if (!has_more_rows(k)) continue;
        gram_place(&k->gram, k->row_count, k->column_count, k->n, room);
        room += gram_size(k->row_count, k->column_count, k->n);
    }
}

// ---- as many ways to move as grabs ----

bool lines_mirror(const StageSystem* s, const int* rows, const int* columns, int count)
{
    for (int i = 0; i < count; i++)
    {
        const StageLine *row = &s->rows[rows[i]], *column = &s->columns[columns[i]];
        if (row->way != s->rows[rows[0]].way) return false;
        for (int k = 0; k < 2; k++)
        {
            if (row->body[k] != column->body[k]) return false;
            if (row->body[k] == TW_NOWHERE) continue;
            const size_t bytes = (size_t)s->bodies[row->body[k]].size * sizeof(double);
            if (memcmp(row->part[k], column->part[k], bytes) != 0) return false;
        }
    }
    return true;
}

bool factor_definite(double* u, int n)
{
    double largest = 0;
    for (int k = 0; k < n; k++) largest = fmax(largest, u[k * n + k]);
    for (int k = 0; k < n; k++)
    {
        double* row = u + (size_t)k * (size_t)n;
        if (!(row[k] > LEAST_PIVOT * largest) || !(row[k] <= DBL_MAX)) return false;
        const double inverse = 1 / sqrt(row[k]);
        for (int j = k; j < n; j++) row[j] *= inverse;
        for (int i = k + 1; i < n; i++)
        {
            double* restrict below = u + (size_t)i * (size_t)n;
            const double factor = row[i];
            for (int j = i; j < n; j++) below[j] -= factor * row[j];
        }
    }
    return true;
}

static void make_matrix(StageSystem* s, StageBunch* k, bool mirror)
{
    const int rows = k->row_count, columns = k->column_count;
    for (int i = 0; i < rows; i++)
        for (int j = mirror ? i : 0; j < columns; j++)
        {
            k->matrix[i * columns + j] = system_product(s, &s->rows[k->rows[i]], &s->columns[k->columns[j]]);
            if (mirror) k->matrix[j * columns + i] = k->matrix[i * columns + j];
        }
}

// Directions that were left alone do not come in. Where there are some, those that hardly give are of the second order, as a rule: pulling
// along them takes absurd forces and bends what need not be bent.
static void factor_faint(StageBunch* k)
{
    const int rows = k->row_count, columns = k->column_count, most = k->rank;
    double faintest = k->softness;
    k->rank = tw_least_squares_factor(k->matrix, rows, columns, faintest, k->factor);
    if (k->rank == rows && most == rows) return;
    faintest = fmax(NEARLY, faintest);
    do {
        k->rank = tw_least_squares_factor(k->matrix, rows, columns, faintest, k->factor);
        faintest *= 10;
    } while (k->rank > most && faintest < 1);
}

static void factor_wide(StageSystem* s, StageBunch* k)
{
    const int rows = k->row_count;
    const bool mirror = rows == k->column_count && lines_mirror(s, k->rows, k->columns, rows);
    make_matrix(s, k, mirror);
    // most grabs leave a body free enough for all of them; what is too much asks for the pseudo-inverse
    k->definite = mirror && k->softness <= LEAST_PIVOT && rows <= k->n && k->rank == rows;
    if (k->definite)
    {
        memcpy(k->factor, k->matrix, (size_t)rows * (size_t)rows * sizeof *k->factor);
        k->definite = factor_definite(k->factor, rows);
    }
    if (!k->definite) factor_faint(k);
}

// ---- more grabs than ways to move ----

static void write_line(const StageSystem* s, const StageLine* line, double* const* parts, bool way, double* out, int n)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k < 2; k++)
    {
        if (line->body[k] == TW_NOWHERE) continue;
        const StageBody* body = &s->bodies[line->body[k]];
        const int frame = body->size - body->mode_count;
        double* to = out + s->first[line->body[k]];
        for (int i = 0; i < frame; i++) to[i] += parts[k][i];
        for (int j = 0; j < body->mode_count; j++) to[frame + j] += parts[k][frame + j] * (way ? body->s[j] / s->h : 1);
    }
}

// where that is safe no direction is as faint as those that are left alone
static bool is_narrow(const StageBunch* k) { return has_more_rows(k) && k->softness <= FAINTER * SAFE_PIVOT; }

// @return false: it is not safe
static bool factor_rows(StageSystem* s, StageBunch* k)
{
    for (int i = 0; i < k->row_count; i++)
    {
        const StageLine* row = &s->rows[k->rows[i]];
        write_line(s, row, row->part, row->way, k->gram.left + (size_t)i * (size_t)k->n, k->n);
    }
    return gram_factor_left(&k->gram) && gram_is_safe(&k->gram, SAFE_PIVOT);
}

// @return false: it is not narrow, or not safe
static bool factor_narrow(StageSystem* s, StageBunch* k)
{
    if (!is_narrow(k)) return false;
    for (int j = 0; j < k->column_count; j++)
    {
        const StageLine* column = &s->columns[k->columns[j]];
        write_line(s, column, column->give, false, k->gram.right + (size_t)j * (size_t)k->n, k->n);
    }
    return gram_factor_right(&k->gram) && factor_rows(s, k);
}

// ---- factors ----

static bool is_empty(const StageBunch* k) { return k->row_count == 0 || k->column_count == 0; }

static void soften(const StageSystem* s, StageBunch* k)
{
    k->softness = s->softness;
    for (int i = 0; i < k->row_count; i++) k->softness = fmax(k->softness, s->rows[k->rows[i]].softness);
}

void bunch_factor(StageSystem* s, StageBunch* k)
{
    soften(s, k);
    k->definite = k->narrow = false;
    if (is_empty(k))
    {
        k->rank = 0;
        return;
    }
    k->narrow = factor_narrow(s, k);
    if (!k->narrow) factor_wide(s, k);
}

void bunch_aim(StageSystem* s, StageBunch* k)
{
    soften(s, k);
    if (k->narrow && is_narrow(k) && factor_rows(s, k)) return;
    bunch_factor(s, k);
}

// @return false: nothing is asked for
static bool gather(double* out, const double* from, const int* index, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++)
    {
        out[i] = from[index[i]];
        any = any || out[i] != 0;
    }
    return any;
}

void bunch_solve(StageSystem* s, StageBunch* k, const double* b, double* p, bool roughly)
{
    double *own = s->own_b, *answer = s->own_p;
    if (!gather(own, b, k->rows, k->row_count) || is_empty(k))
        memset(answer, 0, (size_t)k->column_count * sizeof *answer);
    else if (k->narrow && roughly)
        gram_solve_roughly(&k->gram, own, answer);
    else if (k->narrow)
        gram_solve(&k->gram, own, answer);
    else if (k->definite)
    {
        memcpy(answer, own, (size_t)k->row_count * sizeof *own);
        solve_triangles(k->factor, k->row_count, answer);
    }
    else
        tw_least_squares_solve(answer, own, k->row_count, k->column_count, k->factor);
    for (int j = 0; j < k->column_count; j++) p[k->columns[j]] = answer[j];
}

double bunch_reach(StageSystem* s, StageBunch* k, const double* p)
{
    double largest = 0;
    if (is_empty(k) || !gather(s->own_p, p, k->columns, k->column_count)) return 0;
    if (k->narrow) gram_times(&k->gram, s->own_p, k->gram.rest);
    for (int i = 0; i < k->row_count; i++)
    {
        const double* row = k->matrix + (size_t)i * (size_t)k->column_count;
        largest = fmax(largest, fabs(k->narrow ? k->gram.rest[i] : dot(row, s->own_p, k->column_count)));
    }
    return largest;
}
