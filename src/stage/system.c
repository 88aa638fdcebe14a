// SPDX-License-Identifier: MIT
// With grabs g and contacts c, and A_xy = J_x S M^-1 J_y^T,
//
//     A_gg p_g + A_gc p_c = b_g,      way_c = b_c + A_cg p_g + A_cc p_c,
//
// grabs are eliminated by the pseudo-inverse of A_gg, which leaves contacts alone with
//
//     way_c = (b_c + A_cg A_gg^+ b_g) + (A_cc - A_cg A_gg^+ A_gc) p_c.
#include "stage/system.h"
#include "stage/bunch.h"
#include "stage/cone.h"
#include "stage/lanes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- memory ----

static double* take(double** from, size_t count)
{
    double* out = *from;
    *from += count;
    return out;
}

static void give_lines(StageLine* lines, int count, size_t size, double** from)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
        {
            lines[i].part[k] = take(from, size);
            lines[i].give[k] = take(from, size);
        }
}

static size_t largest_size(const StageBody* bodies, int count)
{
    int size = 1;
    for (int i = 0; i < count; i++) size = bodies[i].size > size ? bodies[i].size : size;
    return (size_t)size;
}

// velocities of all bodies
static int freedom(const StageSystem* s)
{
    int sum = 0;
    for (int i = 0; i < s->body_count; i++) sum += s->bodies[i].size;
    return sum;
}

// as many velocities as are fewer than rows
static size_t gram_room(const StageSystem* s)
{
    const int all = freedom(s);
    return gram_size(s->row_room, s->column_room, all < s->row_room ? all : s->row_room);
}

static void lay_out(StageSystem* s, size_t size, double* from)
{
    const size_t rows = (size_t)s->row_room, columns = (size_t)s->column_room, touches = 3 * (size_t)s->contact_room;
    give_lines(s->rows, s->row_room, size, &from);
    give_lines(s->columns, s->column_room, size, &from);
    give_lines(s->touches, 3 * s->contact_room, size, &from);
    for (int i = 0; i < s->body_count; i++)
    {
        s->speed[i] = take(&from, (size_t)s->bodies[i].size);
        s->kick[i] = take(&from, (size_t)s->bodies[i].size);
    }
    s->matrix = take(&from, rows * columns);
    s->factor = take(&from, tw_least_squares_scratch(s->row_room, s->column_room));
    s->mixed = take(&from, rows * touches);
    s->solved = take(&from, columns * touches);
    s->led = take(&from, columns * touches);
    s->contact = take(&from, touches * touches);
    s->b = take(&from, rows);
    s->p = take(&from, columns);
    s->bc = take(&from, touches);
    s->pc = take(&from, touches);
    s->soft = take(&from, touches);
    s->spare = take(&from, rows > columns ? rows : columns);
    s->own_b = take(&from, rows);
    s->own_p = take(&from, columns);
    s->gram_block = take(&from, gram_room(s));
}

static size_t block_numbers(const StageSystem* s, size_t size)
{
    const size_t rows = (size_t)s->row_room, columns = (size_t)s->column_room, touches = 3 * (size_t)s->contact_room;
    size_t sum = 4 * size * (rows + columns + touches) + rows * columns + touches * (rows + 2 * columns + touches + 3) +
                 4 * (rows + columns) + tw_least_squares_scratch(s->row_room, s->column_room);
    for (int i = 0; i < s->body_count; i++) sum += 2 * (size_t)s->bodies[i].size;
    return sum + gram_room(s) + 1;
}

twStatus system_make(StageSystem* s, const twStageDef* def, StageBody* bodies, twError* err)
{
    *s = (StageSystem){.bodies = bodies,
                       .h = def->step,
                       .body_count = def->body_count,
                       .row_room = 3 * def->max_grabs,
                       .column_room = 3 * def->max_grabs * TW_MAX_STAGE_PUSHES + 1,
                       .contact_room = def->contact == TW_STAGE_NO_CONTACT ? 0 : def->max_contacts,
                       .softness = def->softness};
    const size_t lines = (size_t)(s->row_room + s->column_room + 3 * s->contact_room);
    const size_t size = largest_size(bodies, def->body_count);
    s->rows = calloc(lines + 1, sizeof *s->rows);
    s->speed = calloc(2 * (size_t)def->body_count + 1, sizeof *s->speed);
    s->first = calloc(3 * (size_t)def->body_count + lines + 1, sizeof *s->first);
    s->bunches = calloc((size_t)def->body_count + 1, sizeof *s->bunches);
    s->block = calloc(block_numbers(s, size), sizeof(double));
    if (!s->rows || !s->speed || !s->first || !s->bunches || !s->block)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %zu lines", lines);
    s->columns = s->rows + s->row_room;
    s->touches = s->columns + s->column_room;
    s->kick = s->speed + def->body_count;
    s->joined = s->first + def->body_count;
    s->bunch_of = s->joined + def->body_count;
    s->order = s->bunch_of + def->body_count;
    lay_out(s, size, s->block);
    return TW_OK;
}

void system_free(StageSystem* s)
{
    free(s->rows);
    free(s->speed);
    free(s->first);
    free(s->bunches);
    free(s->block);
}

// ---- lines ----

void system_clear(StageSystem* s)
{
    s->row_count = s->column_count = s->touch_count = 0;
    for (int i = 0; i < s->body_count; i++) memset(s->kick[i], 0, (size_t)s->bodies[i].size * sizeof(double));
}

static StageLine* line_new(const StageSystem* s, StageLine* line, int a, int b)
{
    const int body[2] = {a, b};
    for (int k = 0; k < 2; k++)
    {
        line->body[k] = body[k];
        if (body[k] != TW_NOWHERE) memset(line->part[k], 0, (size_t)s->bodies[body[k]].size * sizeof(double));
    }
    line->way = false;
    line->softness = 0;
    return line;
}

StageLine* system_row(StageSystem* s, int a, int b) { return line_new(s, &s->rows[s->row_count++], a, b); }
StageLine* system_column(StageSystem* s, int a, int b) { return line_new(s, &s->columns[s->column_count++], a, b); }

StageLine* system_touch(StageSystem* s, int a, int b) { return line_new(s, &s->touches[s->touch_count++], a, b); }

void system_give(const StageSystem* s, StageLine* line)
{
    for (int k = 0; k < 2; k++)
        if (line->body[k] != TW_NOWHERE) stage_body_give(&s->bodies[line->body[k]], line->part[k], line->give[k]);
}

static double dot_by(const double* a, const double* b, const double* c, int count)
{
    double sums[LANES] = {0};
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++) sums[k] += a[i + k] * b[i + k] * c[i + k];
    double sum = sum_lanes(sums);
    for (; i < count; i++) sum += a[i] * b[i] * c[i];
    return sum;
}

double system_along(const StageSystem* s, const StageLine* line)
{
    double sum = 0;
    for (int k = 0; k < 2; k++)
    {
        if (line->body[k] == TW_NOWHERE) continue;
        sum += dot(line->part[k], s->speed[line->body[k]], s->bodies[line->body[k]].size);
    }
    return sum;
}

// J S M^-1 J^T of two parts on a body: S is 1 for frames, s(h)/h for modes if ways count
static double part_product(const StageBody* body, const double* part, const double* give, bool way, double h)
{
    const int frame = body->size - body->mode_count;
    if (!way) return dot(part, give, body->size);
    return dot(part, give, frame) + dot_by(part + frame, give + frame, body->s, body->mode_count) / h;
}

double system_product(const StageSystem* s, const StageLine* row, const StageLine* column)
{
    double sum = 0;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            if (row->body[a] != TW_NOWHERE && row->body[a] == column->body[b])
                sum += part_product(&s->bodies[row->body[a]], row->part[a], column->give[b], row->way, s->h);
    return sum;
}

// ---- grabs ----

int system_known(StageSystem* s)
{
    int n = 0;
    for (int i = 0; i < s->body_count; i++) s->first[i] = -1;
    for (int i = 0; i < 2 * s->row_count; i++)
    {
        const int body = s->rows[i / 2].body[i % 2];
        if (body == TW_NOWHERE || s->first[body] >= 0) continue;
        s->first[body] = n;
        n += s->bodies[body].size;
    }
    return n;
}

static void sum_up(StageSystem* s)
{
    s->definite = true;
    s->rank = 0;
    s->softest = s->softness;
    for (int i = 0; i < s->bunch_count; i++)
    {
        s->definite = s->definite && s->bunches[i].definite;
        s->rank += s->bunches[i].rank;
        s->softest = fmax(s->softest, s->bunches[i].softness);
    }
}

void system_factor(StageSystem* s)
{
    bunches_find(s);
    for (int i = 0; i < s->bunch_count; i++) bunch_factor(s, &s->bunches[i]);
    sum_up(s);
}

void system_aim(StageSystem* s)
{
    for (int i = 0; i < s->bunch_count; i++) bunch_aim(s, &s->bunches[i]);
    sum_up(s);
}

// those of a group, no more than there is room for. @return how many there are
static int choose(const StageLine* lines, int count, const int* group, int wanted, int* out, int room)
{
    int n = 0;
    for (int i = 0; i < count; i++)
    {
        if (group[lines[i].body[0]] != wanted) continue;
        if (n < room) out[n] = i;
        n++;
    }
    return n;
}

bool system_agrees(StageSystem* s, const int* group, int wanted)
{
    int rows[3 * TW_MAX_STAGE_GRABS] = {0}, columns[3 * TW_MAX_STAGE_GRABS] = {0};
    const int n = choose(s->rows, s->row_count, group, wanted, rows, 3 * TW_MAX_STAGE_GRABS);
    if (choose(s->columns, s->column_count, group, wanted, columns, 3 * TW_MAX_STAGE_GRABS) != n) return false;
    if (!lines_mirror(s, rows, columns, n)) return false;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            s->matrix[i * n + j] = system_product(s, &s->rows[rows[i]], &s->columns[columns[j]]);
    return factor_definite(s->matrix, n);
}

void system_solve_grabs(StageSystem* s, const double* b, double* p)
{
    for (int i = 0; i < s->bunch_count; i++) bunch_solve(s, &s->bunches[i], b, p, false);
}

void system_solve_roughly(StageSystem* s, const double* b, double* p)
{
    for (int i = 0; i < s->bunch_count; i++) bunch_solve(s, &s->bunches[i], b, p, true);
}

double system_reach(StageSystem* s, const double* p)
{
    double largest = 0;
    for (int i = 0; i < s->bunch_count; i++) largest = fmax(largest, bunch_reach(s, &s->bunches[i], p));
    return largest;
}

// mixed = A_gc and solved = A_gg^+ A_gc, both column by column; led = A_cg
static void mix(StageSystem* s)
{
    for (int c = 0; c < s->touch_count; c++)
    {
        double* column = s->mixed + (size_t)c * (size_t)s->row_count;
        for (int i = 0; i < s->row_count; i++) column[i] = system_product(s, &s->rows[i], &s->touches[c]);
        system_solve_grabs(s, column, s->solved + (size_t)c * (size_t)s->column_count);
        double* led = s->led + (size_t)c * (size_t)s->column_count;
        for (int j = 0; j < s->column_count; j++) led[j] = system_product(s, &s->touches[c], &s->columns[j]);
    }
}

// A_cg x, for contact line c
static double lead(const StageSystem* s, int c, const double* x)
{
    return dot(s->led + (size_t)c * (size_t)s->column_count, x, s->column_count);
}

static void make_contact(StageSystem* s)
{
    const int n = s->touch_count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            double value = system_product(s, &s->touches[i], &s->touches[j]);
            if (s->row_count > 0) value -= lead(s, i, s->solved + (size_t)j * (size_t)s->column_count);
            s->contact[i * n + j] = value;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
        {
            const double mean = 0.5 * (s->contact[i * n + j] + s->contact[j * n + i]);
            s->contact[i * n + j] = s->contact[j * n + i] = mean;
        }
}

void system_solve(StageSystem* s, const StageContact* contacts)
{
    system_solve_grabs(s, s->b, s->p);
    if (s->touch_count == 0) return;
    mix(s);
    make_contact(s);
    for (int c = 0; c < s->touch_count && s->row_count > 0; c++) s->bc[c] += lead(s, c, s->p);
    cone_solve(s->pc, s->contact, s->bc, s->soft, contacts, s->touch_count / 3);
    if (s->row_count == 0) return;
    memcpy(s->spare, s->b, (size_t)s->row_count * sizeof *s->b);
    for (int c = 0; c < s->touch_count; c++)
        for (int i = 0; i < s->row_count; i++)
            s->spare[i] -= s->mixed[(size_t)c * (size_t)s->row_count + (size_t)i] * s->pc[c];
    system_solve_grabs(s, s->spare, s->p);
}

void system_push_line(StageSystem* s, const StageLine* line, double impulse)
{
    for (int k = 0; k < 2; k++)
    {
        if (line->body[k] == TW_NOWHERE) continue;
        double* kick = s->kick[line->body[k]];
        for (int i = 0; i < s->bodies[line->body[k]].size; i++) kick[i] += line->give[k][i] * impulse;
    }
}

void system_push(StageSystem* s, const double* p, const double* pc)
{
    for (int j = 0; j < s->column_count && p; j++) system_push_line(s, &s->columns[j], p[j]);
    for (int c = 0; c < s->touch_count && pc; c++) system_push_line(s, &s->touches[c], pc[c]);
}
