// SPDX-License-Identifier: MIT
// The least push that keeps contacts from closing: min |N^T a|^2/2 + a.c over a >= 0, with c = N y + wall - target (the dual of (5a)
// in Zheng and James 2011), by Lawson and Hanson's active-set method (Solving Least Squares Problems, 23) with the
// Cholesky factor of N N^T on the active contacts, grown and shrunk by one row at a time. A contact whose row depends on the active
// ones takes the place of the first of them that it relieves (Goldfarb and Idnani 1983).
#include "active_set.h"

#define DEPENDENT 1e-10  // pivot, of its diagonal, that counts as zero
#define CLOSED 1e-11     // violation that is let pass, of the largest rate

typedef struct Set
{
    Solver* s;
    int count, room;  // active contacts
    int* member;      // (room)
    double* low;      // L of N N^T (room x room)
    double* c;        // rates without normal impulses (contacts)
    double* a;        // wanted impulses (room)
    double scale;     // of rates
} Set;

static double normal_rate(const Solver* s, const Touch* t, const double* y)
{
    double sum = t->contact->wall[0];
    for (int side = 0; side < 2; side++)
    {
        int b = t->contact->body[side];
        if (b < 0) continue;
        const double* row = solver_rows_of(s, t, side);
        for (int i = 0; i < s->size[b]; i++) sum += row[i] * y[s->first[b] + i];
    }
    return sum;
}

static double product(const Solver* s, const Touch* a, const Touch* b)
{
    double sum = 0;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++)
        {
            int body = a->contact->body[p];
            if (body < 0 || body != b->contact->body[q]) continue;
            const double *x = solver_rows_of(s, a, p), *y = solver_rows_of(s, b, q);
            for (int i = 0; i < s->size[body]; i++) sum += x[i] * y[i];
        }
    return sum;
}

static double* low_row(const Set* set, int i) { return set->low + (size_t)i * (size_t)set->room; }

static void solve_lower(const Set* set, double* x)
{
    for (int i = 0; i < set->count; i++)
    {
        const double* row = low_row(set, i);
        for (int k = 0; k < i; k++) x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
}

static void solve_upper(const Set* set, double* x)
{
    for (int i = set->count - 1; i >= 0; i--)
    {
        const double* row = low_row(set, i);
        x[i] /= row[i];
        for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
    }
}

// the row of a contact in L, as if it were next. @return its pivot, of the diagonal
static double next_row(const Set* set, int contact, double* row)
{
    const Touch* t = set->s->touch + contact;
    for (int k = 0; k < set->count; k++) row[k] = product(set->s, set->s->touch + set->member[k], t);
    double diagonal = product(set->s, t, t), left = diagonal;
    solve_lower(set, row);
    for (int k = 0; k < set->count; k++) left -= row[k] * row[k];
    return diagonal > 0 ? left / diagonal : 0;
}

static bool append(Set* set, int contact)
{
    if (set->count == set->room) return false;
    double* row = low_row(set, set->count);
    double pivot = next_row(set, contact, row);
    if (!(pivot > DEPENDENT)) return false;
    row[set->count] = sqrt(pivot * product(set->s, set->s->touch + contact, set->s->touch + contact));
    set->member[set->count++] = contact;
    return true;
}

// take out row k, and turn L back into a triangle
static void drop(Set* set, int k)
{
    set->s->touch[set->member[k]].end.p[0] = 0;
    for (int i = k; i + 1 < set->count; i++)
    {
        set->member[i] = set->member[i + 1];
        memcpy(low_row(set, i), low_row(set, i + 1), (size_t)(i + 2) * sizeof(double));
    }
    set->count--;
    for (int j = k; j < set->count; j++)
    {
        double x = low_row(set, j)[j], y = low_row(set, j)[j + 1], size = sqrt(x * x + y * y), c = x / size,
               n = y / size;
        for (int i = j; i < set->count; i++)
        {
            double* row = low_row(set, i);
            double left = row[j], right = row[j + 1];
            row[j] = c * left + n * right;
            row[j + 1] = c * right - n * left;
        }
    }
}

// Go from the present impulses toward those that make all active contacts' rates zero, dropping contacts on the way.
static int settle(Set* set)
{
    int changes = 0;
    for (;;)
    {
        for (int k = 0; k < set->count; k++) set->a[k] = -set->c[set->member[k]];
        solve_lower(set, set->a);
        solve_upper(set, set->a);
        double step = 1;
        int first = -1;
        for (int k = 0; k < set->count; k++)
        {
            double now = set->s->touch[set->member[k]].end.p[0];
            if (set->a[k] > 0 || !(now / (now - set->a[k]) < step)) continue;
            step = now / (now - set->a[k]);
            first = k;
        }
        for (int k = 0; k < set->count; k++)
        {
            double* now = set->s->touch[set->member[k]].end.p;
            now[0] += step * (set->a[k] - now[0]);
        }
        if (first < 0) return changes;
        drop(set, first);
        changes++;
    }
}

// put a dependent contact in the place of the active one that it relieves first. @return false if it relieves none
static bool exchange(Set* set, int contact)
{
    next_row(set, contact, set->a);
    solve_upper(set, set->a);
    double least = HUGE_VAL;
    int first = -1;
    for (int k = 0; k < set->count; k++)
    {
        double ratio = set->s->touch[set->member[k]].end.p[0] / set->a[k];
        if (!(set->a[k] > 1e-9) || !(ratio < least)) continue;
        least = ratio;
        first = k;
    }
    if (first < 0) return false;
    for (int k = 0; k < set->count; k++) set->s->touch[set->member[k]].end.p[0] -= least * set->a[k];
    set->s->touch[contact].end.p[0] = least;
    for (int k = 0; k < set->count; k++)
        if (set->s->touch[set->member[k]].end.p[0] < 0) set->s->touch[set->member[k]].end.p[0] = 0;
    drop(set, first);
    return append(set, contact);
}

// velocities with the present impulses, to y_try
static void push_all(const Set* set)
{
    Solver* s = set->s;
    memcpy(s->y_try, s->y, (size_t)s->group->size * sizeof(double));
    for (int k = 0; k < set->count; k++)
    {
        const Touch* t = s->touch + set->member[k];
        for (int side = 0; side < 2; side++)
        {
            int b = t->contact->body[side];
            if (b < 0) continue;
            const double* row = solver_rows_of(s, t, side);
            for (int i = 0; i < s->size[b]; i++) s->y_try[s->first[b] + i] += t->end.p[0] * row[i];
        }
    }
}

// the contact that closes fastest, -1 if none does
static int worst(const Set* set, const bool* refused)
{
    const Solver* s = set->s;
    double least = -CLOSED * set->scale;
    int found = -1;
    for (int k = 0; k < s->active_count; k++)
    {
        int i = s->active[k];
        if (refused[k]) continue;
        double rate = normal_rate(s, s->touch + i, s->y_try) - s->scratch[i];
        if (!(rate < least)) continue;
        least = rate;
        found = k;
    }
    return found;
}

static void start(Set* set)
{
    Solver* s = set->s;
    int n = s->group->contact_count;
    set->member = s->dense_pivot;
    set->c = s->scratch + n;
    set->a = s->scratch + 2 * n;
    set->low = s->dense;
    for (int k = 0; k < s->active_count; k++)
    {
        int i = s->active[k];
        set->c[i] = normal_rate(s, s->touch + i, s->y) - s->scratch[i];
        set->scale = fmax(set->scale, fabs(set->c[i]));
        // those that pushed last
        if (s->touch[i].end.p[0] > 0 && !append(set, i)) s->touch[i].end.p[0] = 0;
    }
}

int active_set_solve(Solver* s)
{
    Set set = {.s = s, .room = s->group->size < s->active_count ? s->group->size : s->active_count};
    if (!solver_dense_room(s, (size_t)set.room + 1)) return -1;
    start(&set);
    bool* refused = (bool*)(s->scratch + 3 * (size_t)s->group->contact_count);
    memset(refused, 0, (size_t)s->active_count * sizeof(bool));
    int changes = settle(&set), most = 10 * s->active_count + 100;
    for (int i = 0; i < most; i++)
    {
        push_all(&set);
        int k = worst(&set, refused);
        if (k < 0) break;
        changes++;
        if (append(&set, s->active[k]))
            changes += settle(&set);
        else if (exchange(&set, s->active[k]))
            changes += settle(&set);
        else
            refused[k] = true;
    }
    push_all(&set);
    memcpy(s->y, s->y_try, (size_t)s->group->size * sizeof(double));
    return changes;
}
