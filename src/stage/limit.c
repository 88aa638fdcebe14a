// SPDX-License-Identifier: MIT
// Largest forces of hands. Impulses p of a group's hands are what carries bodies, and what hands do against each other,
//
//     p = p_r + p_i,     G p_r = G p,  |p_r| least,     G p_i = 0,
//
// G p being the momentum and angular momentum that frames get. Hands that may not do all of it do less of p_i, all of them by the same
// share: what is too much for them is to bend and to squeeze, and what they carry does not fall for that.
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define FAINTEST 1e-9  // ways to carry, of the largest: less is rounding

static bool may_not(const Hold* hold, double seconds)
{
    const double most = hold->def.max_force;
    return step_acts(hold) && most > 0 && tw_vec3_norm(hold->impulse) > most * seconds;
}

static bool in_place(const Hold* hold) { return step_acts(hold) && hold->def.push_count == 0; }

// bodies that hands carry
typedef struct Frames
{
    int body[2 * TW_MAX_STAGE_GRABS], count;
} Frames;

static int number_of(Frames* f, int body)
{
    for (int i = 0; i < f->count; i++)
        if (f->body[i] == body) return i;
    f->body[f->count] = body;
    return f->count++;
}

// a hand's columns of G (6 frames x columns), from a column on. @return the next
static int write_columns(const twStage* s, const Hold* hold, Frames* frames, double* g, int column, int columns)
{
    for (int axis = 0, line = hold->column; axis < 3; axis++)
    {
        if (!hold->def.along[axis]) continue;
        const StageLine* from = &s->system.columns[line++];
        for (int side = 0; side < 2; side++)
        {
            const int body = from->body[side];
            if (body == TW_NOWHERE || !s->bodies[body].free) continue;
            double* to = g + 6 * number_of(frames, body) * columns + column;
            for (int k = 0; k < 6; k++) to[k * columns] += from->part[side][k];
        }
        column++;
    }
    return column;
}

static int count_columns(const twStage* s)
{
    int columns = 0;
    for (int i = 0; i < s->def.max_grabs; i++)
        for (int axis = 0; axis < 3 && in_place(&s->holds[i]); axis++) columns += s->holds[i].def.along[axis];
    return columns;
}

// a hand's impulse in its columns, or what is in them
static double* move_impulse(Hold* hold, double* x, bool read)
{
    double p[3] = {hold->impulse.x, hold->impulse.y, hold->impulse.z};
    for (int axis = 0; axis < 3; axis++)
    {
        if (!hold->def.along[axis]) continue;
        if (read)
            p[axis] = *x++;
        else
            *x++ = p[axis];
    }
    if (read) hold->carried = tw_vec3(p[0], p[1], p[2]);
    return x;
}

// p_r of all hands that act where they hold
static void find_carried(twStage* s)
{
    Frames frames = {.count = 0};
    const int columns = count_columns(s);
    double *g = s->mending, *x = g + 12 * s->def.max_grabs * columns, *next = x;
    memset(g, 0, (size_t)(x - g) * sizeof *g);
    for (int i = 0, column = 0; i < s->def.max_grabs; i++)
    {
        if (!in_place(&s->holds[i])) continue;
        column = write_columns(s, &s->holds[i], &frames, g, column, columns);
        next = move_impulse(&s->holds[i], next, false);
    }
    const int rows = 6 * frames.count;
    double* b = x + columns;
    for (int k = 0; k < rows; k++)
    {
        b[k] = 0;
        for (int c = 0; c < columns; c++) b[k] += g[k * columns + c] * x[c];
    }
    tw_least_squares(x, g, rows, columns, b, FAINTEST, b + rows);
    next = x;
    for (int i = 0; i < s->def.max_grabs; i++)
        if (in_place(&s->holds[i])) next = move_impulse(&s->holds[i], next, true);
}

// largest share of p_i that a hand may do
static double share_of(const Hold* hold, double seconds)
{
    const double most = hold->def.max_force * seconds;
    const twVec3 d = tw_vec3_sub(hold->impulse, hold->carried);
    const double a = tw_vec3_dot(d, d), b = tw_vec3_dot(d, hold->carried);
    const double c = tw_vec3_dot(hold->carried, hold->carried) - most * most;
    if (c >= 0 || !(a > 0)) return 0;
    return fmin((sqrt(b * b - a * c) - b) / a, 1);
}

static twVec3 at_most(twVec3 p, double most)
{
    const double size = tw_vec3_norm(p);
    return size > most ? tw_vec3_scale(p, most / size) : p;
}

// what hands of a group that would do too much may do
static void allow(twStage* s, int group, double seconds)
{
    double share = 1;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (may_not(hold, seconds) && in_place(hold) && s->group[hold->def.body] == group)
            share = fmin(share, share_of(hold, seconds));
    }
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!may_not(hold, seconds) || s->group[hold->def.body] != group) continue;
        const twVec3 against = tw_vec3_sub(hold->impulse, hold->carried);
        const twVec3 p = in_place(hold) ? tw_vec3_add_scaled(hold->carried, against, share) : hold->impulse;
        hold->allowed = at_most(p, hold->def.max_force * seconds);
    }
}

bool step_limit(twStage* s, double seconds)
{
    bool any = false;
    for (int i = 0; i < s->def.max_grabs; i++) any = any || may_not(&s->holds[i], seconds);
    if (!any) return false;
    ledger_groups(s);
    find_carried(s);
    for (int g = 0; g < s->body_count; g++)
        if (s->group[g] == g) allow(s, g, seconds);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!may_not(hold, seconds)) continue;
        const twVec3 before = tw_vec3_sub(hold->impulse, hold->half);
        hold->push = tw_vec3_scale(tw_vec3_sub(hold->allowed, before), 2 / s->h);
        hold->limited = true;
    }
    return true;
}
