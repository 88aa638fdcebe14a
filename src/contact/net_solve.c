// SPDX-License-Identifier: MIT
// The contacts of one step, solved together. Per row, u1 = u_free - sum C F, F = law(u1):
//
//   impact    QI while a contact is a lone impact, DG from its first recompression on: QI's compression drifts from the
//             geometric one when forces other than the contact act for long, DG's does not. Both are passive (hunt.h).
//             AM1 on request: F = (f0 + f(x1, u1))/2.
//   friction  v = v_known + k1 y, z = z_known + k2 y, y = z'(v, z) (bristle.h), with b = C/2, k2 = h/2 and
//               k1 = -b (s0 k2 + s1)/(1 + s2 b),   v_known = (v_free - b (s0 z_known + s3 w))/(1 + s2 b)
//             exact scheme:    v, z, y, F are means over the step, v_free = (u0 + u_free)/2, z_known = z0. Then
//                                h F v - d(s0 z^2/2) = h (s0 z (v - y) + s1 y v + s2 v^2),
//                              negative only through s1; a tank of energy already taken pays for that, and when it is
//                              empty the step is done again with s1 = 0. Bristles that would swing around g get a
//                              larger k2 (settle_bristles()).
//             bilinear scheme: v, z, y, f at the end of the step, F = (f0 + f)/2, v_free = u_free - b f0,
//                              z_known = z0 + k2 y0.
//
// One active row is a safeguarded scalar solve. Several: Gauss-Seidel over such solves, then Newton on all rows at once.

#include "net.h"

#define SOLVE_TOLERANCE 1e-14  // of the speeds involved
#define SOLVE_ACCEPT 1e-12     // a solve that ends above this counts as unconverged
#define SCALAR_MAX_ITERATIONS 100
#define QUICK_ITERATIONS 4
#define QUICK_MISS 1e-8
#define NEWTON_MAX_ITERATIONS 12
#define SWEEPS_MAX 60
#define STALLS_MAX 4  // rounds of Newton that did not halve the miss
#define RESTRAIN_ROUNDS 40
#define RECENTRE_TIME 1e-2  // sustained contact: compression follows the geometric one within this [s]

double net_normal_force(const twNet* net, const Contact* contact)
{
    return contact->impact_row >= 0 ? net->rows[contact->impact_row].force : contact->normal_force;
}

static double speed_scale(const Row* row) { return fabs(row->u0) + fabs(row->u_free) + 1e-30; }

// ---- impact ----

typedef struct ImpactSolve
{
    const HuntStep* hunt;
    double c_free, mobility;
} ImpactSolve;

static double impact_gap(double c1, double* slope, const void* context)
{
    const ImpactSolve* s = context;
    HuntEnd end = hunt_end(s->hunt, c1);
    *slope = 1 + s->mobility * end.slope;
    return c1 - s->c_free + s->mobility * end.force;
}

// AM1: mean force (f0 + f(x1, c1))/2
static double am1_force(const twNet* net, const Contact* contact, double c0, double c1, double* slope)
{
    const twImpactLaw* law = &contact->def.impact;
    double x1 = contact->gap_x + 0.5 * net->h * (c0 + c1), rise, elastic = hunt_elastic(law, x1, &rise);
    double damp = 1 + law->dissipation * c1;
    *slope = 0.5 * (rise * 0.5 * net->h * damp + elastic * law->dissipation);
    return 0.5 * (contact->force_sample + elastic * damp);
}

typedef struct Am1Row
{
    const twNet* net;
    const Contact* contact;
    double c0, c_free, mobility;
} Am1Row;

static double am1_row_gap(double c1, double* slope, const void* context)
{
    const Am1Row* s = context;
    double rise, force = am1_force(s->net, s->contact, s->c0, c1, &rise);
    *slope = 1 + s->mobility * rise;
    return c1 - s->c_free + s->mobility * force;
}

static int solve_am1(twNet* net, Row* row, double u_free)
{
    const Contact* contact = &net->contacts[row->contact];
    double rate = contact->offset_rate, slope;
    Am1Row solve = {net, contact, row->u0 + rate, u_free + rate, row->self};
    double far = solve.c_free - row->self * am1_force(net, contact, solve.c0, solve.c_free, &slope);
    double low = lesser(far, solve.c_free), high = greater(far, solve.c_free);
    twRoot root = tw_root_find(am1_row_gap, &solve, low, high, solve.c_free, SOLVE_TOLERANCE * speed_scale(row),
                               SCALAR_MAX_ITERATIONS);
    row->force = am1_force(net, contact, solve.c0, root.x, &row->slope);
    row->u1 = root.x - rate;
    row->solved = root.converged;
    return root.iterations;
}

// The bracket [low, high] of a contact whose force at c_free is known, and where to start in it. In a hard contact that
// force is huge; the rate that just ends the contact (x1 = 0) then cuts the bracket down.
static double impact_bracket(const ImpactSolve* solve, double force, double last_force, double* low, double* high)
{
    const HuntStep* hunt = solve->hunt;
    double touch = -2 * hunt->x0 / hunt->h - hunt->c0, span = solve->c_free - touch, slope;
    double hardness = solve->mobility * force / span;
    *high = solve->c_free;
    *low = solve->c_free - solve->mobility * force;
    if (span > 0 && hardness > 4)
    {
        if (impact_gap(touch, &slope, solve) < 0)
            *low = greater(*low, touch);
        else
            *high = touch;
    }
    if (last_force > 0) return lesser(greater(*low, solve->c_free - solve->mobility * last_force), *high);
    // as contact begins the force grows like a power of the excess t over touch: 1 - t = hardness t^a
    bool hard = span > 0 && hardness > 1;
    return lesser(hard ? touch + span * pow(hardness, -1 / hunt->law->exponent) : solve->c_free, *high);
}

// the end of the step at c1 near where end was evaluated
static void impact_deliver(Row* row, const HuntEnd* end, double dc, double c1, double rate)
{
    row->end = *end;
    row->end.x1 += end->reach * dc;
    row->end.v1 += end->force * end->reach * dc;
    row->force = end->force + end->slope * dc;
    row->slope = end->slope;
    row->u1 = c1 - rate;
    row->solved = true;
}

// Newton from the last force. The step taken at a miss below QUICK_MISS leaves a miss of its square.
static int solve_impact_quick(Row* row, double c_free, double rate)
{
    double c1 = c_free - row->self * row->force, most = QUICK_MISS * speed_scale(row);
    for (int i = 1; i <= QUICK_ITERATIONS; i++)
    {
        HuntEnd end = hunt_end(&row->hunt, c1);
        if (!(end.force > 0)) return 0;
        double miss = c1 - c_free + row->self * end.force, dc = -miss / (1 + row->self * end.slope);
        c1 += dc;
        if (!(c1 < c_free)) return 0;
        if (fabs(miss) > most) continue;
        impact_deliver(row, &end, dc, c1, rate);
        return i;
    }
    return 0;
}

static int solve_impact(twNet* net, Row* row, double u_free)
{
    Contact* contact = &net->contacts[row->contact];
    if (contact->def.method == TW_AM1) return solve_am1(net, row, u_free);
    double rate = contact->offset_rate, c_free = u_free + rate;
    int quick = row->force > 0 ? solve_impact_quick(row, c_free, rate) : 0;
    if (quick) return quick;
    HuntEnd end = hunt_end(&row->hunt, c_free);
    if (!(end.force > 0))
    {
        impact_deliver(row, &end, 0, c_free, rate);
        return 1;
    }
    ImpactSolve solve = {&row->hunt, c_free, row->self};
    double low, high, guess = impact_bracket(&solve, end.force, row->force, &low, &high);
    twRoot root =
        tw_root_find(impact_gap, &solve, low, high, guess, SOLVE_TOLERANCE * speed_scale(row), SCALAR_MAX_ITERATIONS);
    end = hunt_end(&row->hunt, root.x);
    impact_deliver(row, &end, 0, root.x, rate);
    // in a hard contact the velocity is known better than the force
    if (row->self * end.slope > 1) row->force = (c_free - root.x) / row->self;
    row->solved = root.converged;
    return root.iterations;
}

// ---- friction ----

// velocity that the law sees, and the mean force it gives
static double friction_velocity(const twNet* net, const Row* row, double u1)
{
    return net->def.scheme == TW_SCHEME_EXACT ? 0.5 * (row->u0 + u1) : u1;
}

static void friction_deliver(const twNet* net, Row* row, double v, double y)
{
    const Bristle* b = &row->bristle;
    const Contact* contact = &net->contacts[row->contact];
    double s1 = row->guarded ? 0 : b->s1;
    double force = b->s0 * (row->z_known + row->k2 * y) + s1 * y + b->s2 * v + b->s3 * contact->noise_value;
    if (!b->gripping) force = 0;
    row->y = y;
    row->force = net->def.scheme == TW_SCHEME_EXACT ? force : 0.5 * (contact->friction + force);
}

// the law under its normal force, worked out only when that changes
static void load_bristle(Row* row, const twFrictionLaw* law, double normal_force)
{
    if (normal_force == row->normal_force) return;
    row->bristle = bristle(law, normal_force);
    row->normal_force = normal_force;
}

static int solve_friction(twNet* net, Row* row, double u_free)
{
    const Contact* contact = &net->contacts[row->contact];
    load_bristle(row, &contact->def.friction, net_normal_force(net, contact));
    const Bristle* b = &row->bristle;
    double half = 0.5 * row->self, k2 = row->k2, s1 = row->guarded ? 0 : b->s1;
    bool exact = net->def.scheme == TW_SCHEME_EXACT;
    double v_free = exact ? 0.5 * (row->u0 + u_free) : u_free - half * contact->friction;
    twFrictionRoot root = {0, 0, true};
    double v = v_free;
    if (b->gripping)
    {
        // reciprocals do not wait for v_free
        double relief = 1 / (1 + b->s2 * half), k1 = -half * (b->s0 * k2 + s1) * relief;
        double v_known = (v_free - half * (b->s0 * row->z_known + b->s3 * contact->noise_value)) * relief;
        root = bristle_solve(b, v_known, row->z_known, k1, k2, row->y);
        v = v_known + k1 * root.y;
    }
    friction_deliver(net, row, v, root.y);
    row->u1 = u_free - row->self * row->force;
    row->solved = root.converged;
    return root.iterations;
}

// ---- one row at a given end velocity ----

static void evaluate_friction(twNet* net, Row* row, double u1)
{
    const Contact* contact = &net->contacts[row->contact];
    load_bristle(row, &contact->def.friction, net_normal_force(net, contact));
    const Bristle* b = &row->bristle;
    double v = friction_velocity(net, row, u1), k2 = row->k2, s1 = row->guarded ? 0 : b->s1;
    double y = b->gripping ? bristle_solve(b, v, row->z_known, 0, k2, row->y).y : 0, dv, dz;
    friction_deliver(net, row, v, y);
    row->slope = row->by_normal = 0;
    if (!b->gripping) return;
    double z = row->z_known + k2 * y, share = net->def.scheme == TW_SCHEME_EXACT ? 1 : 0.5;
    bristle_rate(b, v, z, &dv, &dz);
    double lift = (b->s0 * k2 + s1) / (1 - k2 * dz);
    row->slope = 0.5 * (lift * dv + b->s2);
    // the rate depends on z / f_N only
    row->by_normal = -share * lift * dz * z / net_normal_force(net, contact);
}

static void evaluate(twNet* net, Row* row, double u1)
{
    Contact* contact = &net->contacts[row->contact];
    row->u1 = u1;
    if (row->kind == ROW_FRICTION)
    {
        evaluate_friction(net, row, u1);
        return;
    }
    double c1 = u1 + contact->offset_rate;
    if (contact->def.method == TW_AM1)
    {
        row->force = am1_force(net, contact, row->u0 + contact->offset_rate, c1, &row->slope);
        return;
    }
    HuntEnd end = hunt_end(&row->hunt, c1);
    impact_deliver(row, &end, 0, c1, contact->offset_rate);
}

// ---- islands ----

// u_free of a row less what the island's other rows do to it
static double row_free(const twNet* net, const Island* island, int i)
{
    const Row* rows = net->rows + island->first;
    const double* c = island->coupling + (long)i * island->count;
    double u = rows[i].u_free;
    for (int j = 0; j < island->count; j++)
        if (j != i) u -= c[j] * rows[j].force;
    return u;
}

// largest relative miss of u1 = u_free - C F
static double island_miss(const twNet* net, const Island* island)
{
    const Row* rows = net->rows + island->first;
    double miss = 0;
    for (int i = 0; i < island->count; i++)
    {
        if (!rows[i].active) continue;
        double off = fabs(rows[i].u1 - row_free(net, island, i) + rows[i].self * rows[i].force);
        miss = greater(miss, off / (rows[i].speed + 1e-30));
    }
    return miss;
}

static int solve_row(twNet* net, Row* row, double u_free)
{
    return row->kind == ROW_IMPACT ? solve_impact(net, row, u_free) : solve_friction(net, row, u_free);
}

static int sweep(twNet* net, const Island* island)
{
    int iterations = 0;
    for (int i = 0; i < island->count; i++)
    {
        Row* row = &net->rows[island->first + i];
        if (row->active) iterations += solve_row(net, row, row_free(net, island, i));
    }
    return iterations;
}

// One Newton step on (1 + C slope) du = -miss over the active rows; the step is halved until the miss shrinks. error: what
// the full step would change, relative to the speeds. In a very hard contact the last bit of u moves F by more than the
// tolerance; then the error can be at round-off and the miss not.
static bool newton_step(twNet* net, const Island* island, double* miss, double* error)
{
    Row* rows = net->rows + island->first;
    int n = island->count;
    double *matrix = net->scratch, *du = matrix + (long)n * n, *u = du + n;
    for (int i = 0; i < n; i++)
    {
        const double* c = island->coupling + (long)i * n;
        for (int j = 0; j < n; j++)
            matrix[(long)i * n + j] = (i == j) + (rows[i].active && rows[j].active ? c[j] * rows[j].slope : 0);
        for (int j = 0; j < n && rows[i].active; j++)
        {
            // friction that presses with the force of an impact
            int press = rows[j].kind == ROW_FRICTION ? net->contacts[rows[j].contact].impact_row : -1;
            if (press < 0 || !net->rows[press].active) continue;
            matrix[(long)i * n + net->rows[press].place] += c[j] * rows[j].by_normal * net->rows[press].slope;
        }
        du[i] = rows[i].active ? row_free(net, island, i) - rows[i].self * rows[i].force - rows[i].u1 : 0;
        u[i] = rows[i].u1;
    }
    if (!tw_lu_factor(matrix, net->pivot, n)) return false;
    tw_lu_solve(matrix, net->pivot, n, du);
    *error = 0;
    for (int i = 0; i < n; i++) *error = greater(*error, fabs(du[i]) / (rows[i].speed + 1e-30));
    for (double part = 1; part > 1e-3; part *= 0.5)
    {
        for (int i = 0; i < n; i++)
            if (rows[i].active) evaluate(net, &rows[i], u[i] + part * du[i]);
        double now = island_miss(net, island);
        if (now < *miss)
        {
            *miss = now;
            return true;
        }
    }
    for (int i = 0; i < n; i++)
        if (rows[i].active) evaluate(net, &rows[i], u[i]);
    return false;
}

// ---- energy ----

// what friction takes in this step (exact scheme); negative: gives back
static double friction_taken(const twNet* net, const Row* row)
{
    const Bristle* b = &row->bristle;
    if (!b->gripping) return 0;
    double v = 0.5 * (row->u0 + row->u1), z = row->z_known + 0.5 * net->h * row->y;
    return net->h * ((row->force - b->s3 * net->contacts[row->contact].noise_value) * v - b->s0 * z * row->y);
}

// does a row give at most the energy that it holds?
static bool row_affords(const twNet* net, const Row* row)
{
    const Contact* contact = &net->contacts[row->contact];
    double work = net->h * row->force * 0.5 * (row->u0 + row->u1);
    if (row->kind == ROW_FRICTION)
        return net->def.scheme != TW_SCHEME_EXACT || contact->tank + friction_taken(net, row) >= -1e-15 * fabs(work);
    if (contact->def.method == TW_AM1) return true;
    double put_in = work + net->h * row->force * contact->offset_rate;
    return row->hunt.v0 + put_in >= -1e-15 * (row->hunt.v0 + fabs(put_in));
}

// Forces that the solve could not bring into line with the motion may ask for more energy than there is: halve these,
// then drop them.
static void restrain(twNet* net, const Island* island)
{
    Row* rows = net->rows + island->first;
    for (int round = 0; round <= RESTRAIN_ROUNDS; round++)
    {
        bool fine = true;
        for (int i = 0; i < island->count; i++) rows[i].u1 = row_free(net, island, i) - rows[i].self * rows[i].force;
        for (int i = 0; i < island->count; i++)
        {
            if (!rows[i].active || (round < RESTRAIN_ROUNDS && row_affords(net, &rows[i]))) continue;
            rows[i].force *= 2 * round < RESTRAIN_ROUNDS ? 0.5 : 0;
            rows[i].y = 0;
            fine = false;
        }
        if (fine) return;
    }
}

static int solve_coupled(twNet* net, const Island* island, bool* solved)
{
    Row* rows = net->rows + island->first;
    int iterations = sweep(net, island);
    double miss = island_miss(net, island), error = HUGE_VAL, last = HUGE_VAL;
    for (int sweeps = 1, stalls = 0; sweeps < SWEEPS_MAX && stalls < STALLS_MAX && miss > SOLVE_TOLERANCE; sweeps++)
    {
        // slopes of friction rows are not known after a sweep
        for (int i = 0; i < island->count; i++)
            if (rows[i].active) evaluate(net, &rows[i], rows[i].u1);
        miss = island_miss(net, island);
        for (int k = 0; k < NEWTON_MAX_ITERATIONS && miss > SOLVE_TOLERANCE; k++)
        {
            iterations++;
            if (!newton_step(net, island, &miss, &error)) break;
        }
        if (miss <= 4 * SOLVE_TOLERANCE || error <= SOLVE_TOLERANCE) break;
        stalls += !(miss < 0.5 * last);
        last = miss;
        iterations += sweep(net, island);
        miss = island_miss(net, island);
    }
    *solved = miss <= SOLVE_ACCEPT || error <= SOLVE_ACCEPT;
    if (miss > SOLVE_ACCEPT) restrain(net, island);
    return iterations;
}

// true if the bristles would swing around their steady bend; from now on they settle there
static bool settle_bristles(const twNet* net, Row* row)
{
    if (row->k2 > 0.5 * net->h) return false;
    double v = friction_velocity(net, row, row->u1);
    return bristle_overshoots(&row->bristle, v, row->z_known, row->y, net->h, &row->k2);
}

// true if bristles must settle or gave back more than they had: the row is marked, and the island must be solved again
static bool guard(twNet* net, const Island* island)
{
    bool again = false;
    for (int i = 0; i < island->count; i++)
    {
        Row* row = &net->rows[island->first + i];
        if (!row->active || row->guarded || row->kind != ROW_FRICTION) continue;
        bool settles = net->def.scheme == TW_SCHEME_EXACT && settle_bristles(net, row);
        again = again || settles;
        if (settles || row_affords(net, row)) continue;
        row->guarded = again = true;
        net->stats.guarded++;
    }
    return again;
}

// ---- the step ----

// the relative velocities of a row, and whether it can act at all in this step
static void prepare(twNet* net, Row* row)
{
    Contact* contact = &net->contacts[row->contact];
    double h = net->h;
    row->guarded = false;
    row->active = true;
    row->k2 = 0.5 * h;
    if (row->kind == ROW_FRICTION)
    {
        row->z_known = net->def.scheme == TW_SCHEME_EXACT ? contact->z : contact->z + 0.5 * h * contact->y;
        row->y = 2 * contact->y - contact->y_last;
        return;
    }
    double c0 = row->u0 + contact->offset_rate, c_free = row->u_free + contact->offset_rate;
    bool am1 = contact->def.method == TW_AM1;
    if (!contact->closed && !(am1 && contact->force_sample != 0))
        row->active = contact->gap_x + 0.5 * h * (c0 + c_free) > 0 || contact->gap_x > 0;
    // start where the last two forces point to
    row->force = row->active ? greater(2 * contact->force - contact->force_last, 0.5 * contact->force) : 0;
    row->u1 = row->u_free;
    if (!row->active || am1) return;
    double x0 = contact->closed ? contact->xc : lesser(contact->gap_x, 0);
    bool qi = contact->def.method == TW_QI && !contact->sustained;
    row->hunt = hunt_step(&contact->def.impact, h, x0, c0, qi);
    // sustained contact: let the compression follow the geometric one as far as passivity allows
    if (!qi && contact->closed) row->hunt.shift = (contact->gap_x - x0) / RECENTRE_TIME;
}

static void solve_island(twNet* net, const Island* island)
{
    int active = 0, last = 0, iterations;
    for (int i = 0; i < island->count; i++)
    {
        Row* row = &net->rows[island->first + i];
        prepare(net, row);
        if (row->active) active++, last = i;
    }
    if (active == 0) return;
    bool solved;
    do {
        Row* row = &net->rows[island->first + last];
        if (active == 1)
            iterations = solve_row(net, row, row->u_free), solved = row->solved;
        else
            iterations = solve_coupled(net, island, &solved);
        net->stats.solves++;
        net->stats.iterations += iterations;
        if (iterations > net->stats.iterations_max) net->stats.iterations_max = iterations;
    } while (guard(net, island));
    net->stats.unconverged += !solved;
}

void net_solve(twNet* net)
{
    for (int i = 0; i < net->island_count; i++) solve_island(net, &net->islands[i]);
}

// ---- taking the result ----

static void commit_impact(twNet* net, Row* row)
{
    Contact* contact = &net->contacts[row->contact];
    double c1 = row->u1 + contact->offset_rate;
    contact->force_last = contact->force;
    contact->force = row->force;
    contact->offset += net->h * contact->offset_rate;
    contact->gap_x += 0.5 * net->h * (row->u0 + row->u1) + net->h * contact->offset_rate;
    if (contact->def.method == TW_AM1)
    {
        contact->force_sample = tw_impact_force(&contact->def.impact, contact->gap_x, c1);
        contact->xc = contact->gap_x;
    }
    else if (row->active)
    {
        double passed = net->h * row->force * (fabs(row->hunt.c0) + fabs(c1));
        contact->xc = hunt_passive_end(&row->hunt, &row->end, row->force, c1, 1e-13 * (row->hunt.v0 + passed));
    }
    else
        contact->xc = lesser(contact->gap_x, 0);
    // a lone impact closes once and opens once
    bool closed = contact->xc > 0;
    contact->sustained = closed && (contact->sustained || (contact->released && c1 > 0));
    contact->released = closed && (contact->released || c1 < 0);
    contact->rebounds += contact->closed && !closed;
    contact->closed = closed;
}

static void commit_friction(twNet* net, Row* row)
{
    Contact* contact = &net->contacts[row->contact];
    const Bristle* b = &row->bristle;
    bool exact = net->def.scheme == TW_SCHEME_EXACT;
    if (exact) contact->tank += friction_taken(net, row);
    contact->y_last = contact->y;
    contact->y = b->gripping ? row->y : 0;
    contact->z = !b->gripping ? 0 : exact ? contact->z + net->h * row->y : row->z_known + 0.5 * net->h * row->y;
    contact->friction = row->force;
    if (!exact)
        contact->friction =
            b->gripping ? b->s0 * contact->z + b->s1 * row->y + b->s2 * row->u1 + b->s3 * contact->noise_value : 0;
}

void net_commit(twNet* net)
{
    for (int i = 0; i < net->row_count; i++)
    {
        Row* row = &net->rows[i];
        if (row->kind == ROW_IMPACT)
            commit_impact(net, row);
        else
            commit_friction(net, row);
    }
}
