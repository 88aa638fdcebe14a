// SPDX-License-Identifier: MIT
// Rods of a world: made, stepped together with bodies, taken apart.
//
// A step that rods and contacts do not agree on is taken back and made in two halves, those in halves again if need be; what
// cannot be solved even then is solved with softer contacts. All that is counted.
#include "dynamics/weave.h"
#include <stdio.h>
#include <stdlib.h>

#define SOFTEST_IMPACT 4.0     // steps: an impact of an edge at 1 m/s lasts at least so long
#define MOST_DISSIPATION 20.0  // [s/m]: of restitution 0.05 at 1 m/s
#define OVERLAP 0.25           // of the thickness: what may overlap at the start
#define LEAP 0.25              // of the thickness: what contacts come nearer in a piece, or it is cut

enum
{
    EASY_STEPS = 64,       // in a row, then steps are cut once less
    ALONE_ITERATIONS = 12  // of rods without contacts
};

twWorldRodDef tw_world_rod_def(void) { return (twWorldRodDef){.rod = tw_rod_def()}; }

// ---- how rods touch ----

// Hardness by the materials; but impacts that would be over before a step is are made softer, to last a few: their sound has nothing
// more within half the rate, and what many of them do at once can be solved. Those that hardly rebound lose their compression at the
// speed 1/dissipation, at once: that has a least.
static SolveLaw make_law(const twWorld* world, const int material[2], const double radius[2], double mass)
{
    bool given;
    const twContactPair pair = world_pair(world, material, radius, &given);
    SolveLaw law = {.impact = pair.impact, .friction = pair.friction};
    const double power = law.impact.exponent + 1, depth = SOFTEST_IMPACT * world->weave->h / 3;
    const double most = 0.5 * power * mass / pow(depth, power);
    law.impact.dissipation = fmin(law.impact.dissipation, MOST_DISSIPATION);
    if (given || !(law.impact.stiffness > most)) return law;
    // softer bristles bend more, but yield over the same way
    const double softer = pow(most / law.impact.stiffness, 2.0 / 3);
    law.friction.stiffness *= softer;
    law.friction.breakaway = 1 - (1 - law.friction.breakaway) * softer;
    law.impact.stiffness = most;
    return law;
}

void weave_law_of_body(const twWorld* world, int rod, int index, SolveLaw* out)
{
    const WeaveRod* r = world->weave->rods + rod;
    const Body* body = world->bodies + index;
    const int material[2] = {r->material, body->material};
    const double radius[2] = {r->radius, body->shape->contact_radius}, m = body->shape->mass.mass;
    *out = make_law(world, material, radius, body->held ? r->edge_mass : r->edge_mass * m / (r->edge_mass + m));
}

// where rods come and go each place has a kind of its own
static void weave_choose_kinds(Weave* w)
{
    for (int i = 0; i < w->rod_count; i++)
    {
        WeaveRod* r = w->rods + i;
        r->kind = w->kind_count;
        for (int k = 0; k < i && !w->room; k++)
        {
            const WeaveRod* other = w->rods + k;
            if (other->material == r->material && other->radius == r->radius && other->edge_mass == r->edge_mass)
                r->kind = other->kind;
        }
        w->kind_count += r->kind == w->kind_count;
    }
}

static void weave_set_law(const twWorld* world, const WeaveRod* a, const WeaveRod* b)
{
    const Weave* w = world->weave;
    const int material[2] = {a->material, b->material};
    const double radius[2] = {a->radius, b->radius};
    w->laws[(size_t)a->kind * (size_t)w->kind_count + (size_t)b->kind] =
        make_law(world, material, radius, a->edge_mass * b->edge_mass / (a->edge_mass + b->edge_mass));
}

void weave_set_laws(const twWorld* world, int rod)
{
    const Weave* w = world->weave;
    for (int i = 0; i < w->rod_count; i++)
        if (!w->rods[i].gone)
            weave_set_law(world, w->rods + rod, w->rods + i), weave_set_law(world, w->rods + i, w->rods + rod);
}

static bool weave_make_laws(twWorld* world)
{
    Weave* w = world->weave;
    weave_choose_kinds(w);
    w->laws = calloc((size_t)w->kind_count * (size_t)w->kind_count, sizeof *w->laws);
    for (int i = 0, known = 0; w->laws && i < w->rod_count; i++)
        if (w->rods[i].kind == known) weave_set_laws(world, i), known++;
    return w->laws;
}

// ---- making ----

static twStatus check_rod(const twWorldDef* def, const twWorldRodDef* r, twError* err)
{
    const char* name = r->name ? r->name : "";
    if (r->material < 0 || r->material >= def->material_count)
        return tw_fail(err, TW_BAD_INPUT, "rod '%s': material %d of %d", name, r->material, def->material_count);
    if (r->rod.integrator != TW_ROD_GAUSS4)
        return tw_fail(err, TW_BAD_INPUT, "rod '%s': rods that touch are stepped by the Gauss scheme only", name);
    if (!(r->calm_speed >= 0 && r->calm_speed < 1e9))
        return tw_fail(err, TW_BAD_INPUT, "rod '%s': its calm speed is not 0 or more", name);
    return TW_OK;
}

static double* numbers(int points) { return calloc((size_t)points, sizeof(double)); }

static bool make_arrays(WeaveRod* r, int points)
{
    bool fine = (r->inverse = numbers(points));
    for (int c = 0; c < 3; c++) fine = (r->middle[c] = numbers(points)) && fine;
    for (int c = 0; c < ROD_COUPLED; c++)
        fine = (r->force[c] = numbers(points)) && (r->way[c] = numbers(points)) && fine;
    return fine;
}

// masses as contacts see them: half of both edges for a point
static void set_masses(WeaveRod* r, const twRodDef* def)
{
    const twRodView v = tw_rod_view(r->rod);
    double mass = 0, inertia = 0;
    for (int j = 0; j < v.edge_count; j++)
    {
        const int ends[2] = {j, (j + 1) % v.point_count};
        for (int k = 0; k < 2; k++)
        {
            const twSection* s = def->sections + (def->section_count > 1 ? ends[k] : 0);
            const double half = 0.5 * def->density * v.rest_length[j];
            r->inverse[ends[k]] += half * s->area;
            mass += half * s->area;
            inertia += half * (s->moment[0] + s->moment[1]);
        }
    }
    for (int i = 0; i < v.point_count; i++) r->inverse[i] = 1 / r->inverse[i];
    r->edge_mass = mass / v.edge_count;
    r->edge_inertia = inertia / v.edge_count;
}

static double least_radius(const twRodDef* def)
{
    double least = HUGE_VAL;
    for (int i = 0; i < def->section_count; i++)
        least = fmin(least, fmin(def->sections[i].half_size[0], def->sections[i].half_size[1]));
    return least;
}

twStatus weave_make_rod(const twWorld* world, const twWorldRodDef* from, WeaveRod* r, twError* err)
{
    const Weave* w = world->weave;
    twStatus status = check_rod(&world->def, from, err);
    if (status != TW_OK) return status;
    twRodDef def = from->rod;
    twError inner;
    def.rate_hz = w->rate_hz;
    def.gravity = world->def.gravity;
    def.account = false;
    def.company = w->point_count - def.point_count;
    // damping by mass would brake its fall
    if (def.support_count == 0) r->damping = 1 - exp(-def.alpha * w->h), def.alpha = 0;
    snprintf(r->name, sizeof r->name, "%s", from->name ? from->name : "");
    status = tw_rod_create(&r->rod, &def, &inner);
    if (status != TW_OK) return tw_fail(err, status, "rod '%s': %s", r->name, inner.text);
    r->shape = strand_shape_create(&def);
    if (!r->shape || !make_arrays(r, def.point_count) || (!w->lender && !tw_rod_local_reserve(r->rod)))
        return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    r->material = from->material;
    r->calm_speed = from->calm_speed;
    r->radius = least_radius(&def);
    set_masses(r, &def);
    r->ghost = from->ghost;
    r->no_self = from->no_self;
    return TW_OK;
}

void weave_free_rod(WeaveRod* r)
{
    tw_rod_destroy(r->rod);
    strand_shape_destroy(r->shape);
    free(r->inverse);
    for (int c = 0; c < 3; c++) free(r->middle[c]);
    for (int c = 0; c < ROD_COUPLED; c++) free(r->force[c]), free(r->way[c]);
}

void weave_set_place(Weave* w, int i)
{
    const WeaveRod* r = w->rods + i;
    w->shapes[i] = r->shape;
    w->places[i] = (StrandPlace){.shape = r->shape, .rod = i, .ghost = r->ghost, .no_self = r->no_self};
}

static void renew_factors(Weave* w)
{
    tw_rod_lender_clear(w->lender);
    for (int i = 0; i < w->rod_count; i++) tw_rod_borrow_from(w->rods[i].rod, w->lender);
}

// with the first that is alike
static void share_rods(Weave* w)
{
    renew_factors(w);
    // one that another shares with could not go
    for (int i = 0; !w->room && i < w->rod_count; i++)
        for (int k = 0; k < i; k++)
            if (tw_rod_share(w->rods[i].rod, w->rods[k].rod)) break;
}

static twStatus check_overlap(twWorld* world, twError* err)
{
    Weave* w = world->weave;
    w->h_piece = 0;
    gather_all(&w->group, 0, 0);
    weave_look(world);
    if (!weave_find(world)) return tw_fail(err, TW_NO_MEMORY, "no memory for the contacts of rods");
    for (int i = 0; i < w->touch_count; i++)
    {
        const StrandTouch* t = w->touches + i;
        if (!(t->gap < -OVERLAP * w->shapes[t->rod[0]]->thinnest)) continue;
        const char* other = t->rod[1] >= 0 ? w->rods[t->rod[1]].name : world->bodies[t->body].name;
        return tw_fail(err, TW_BAD_INPUT, "rod '%s' and '%s' overlap by %.3g m at (%.4g, %.4g, %.4g); move them apart",
                       w->rods[t->rod[0]].name, other, -t->gap, t->point.x, t->point.y, t->point.z);
    }
    return TW_OK;
}

static bool make_lists(Weave* w, const twWorldDef* def)
{
    const size_t n = (size_t)def->rod_count + (size_t)def->spare_rods;
    w->rod_count = (int)n;
    w->rods = calloc(n, sizeof *w->rods);
    w->places = calloc(n, sizeof *w->places);
    w->shapes = calloc(n, sizeof *w->shapes);
    w->room = def->spare_rods > 0 ? calloc(n, sizeof *w->room) : NULL;
    w->work = strand_work_create();
    // factors that are lent are made while the world runs
    w->lender = world_is_reserved(def) ? NULL : tw_rod_lender_create();
    return w->rods && w->places && w->shapes && (w->room || def->spare_rods == 0) && w->work &&
           (w->lender || world_is_reserved(def));
}

static twStatus weave_check_rods(Weave* w, const twWorldDef* def, twError* err)
{
    twStatus status = TW_OK;
    int64_t points = (int64_t)def->spare_rods * def->spare_rod_points;
    for (int i = 0; i < def->rod_count && status == TW_OK; i++)
    {
        status = check_rod(def, def->rods + i, err);
        if (def->rods[i].rod.point_count > 0 && points < TW_MAX_ROD_POINTS) points += def->rods[i].rod.point_count;
    }
    w->point_count = (int)points;
    return status;
}

static twStatus weave_make_rods(twWorld* world, const twWorldDef* def, twError* err)
{
    Weave* w = world->weave;
    twStatus status = weave_check_rods(w, def, err);
    for (int i = 0; i < def->rod_count && status == TW_OK; i++)
        status = weave_make_rod(world, def->rods + i, w->rods + i, err);
    if (status == TW_OK && w->room) status = weave_make_places(world, def, err);
    for (int i = 0; i < w->rod_count && status == TW_OK; i++)
    {
        weave_set_place(w, i);
        w->rods[i].first = w->node_count;
        w->node_count += w->room ? w->room[i] : w->shapes[i]->point_count;
    }
    return status;
}

twStatus weave_create(twWorld* world, const twWorldDef* def, twError* err)
{
    if (def->method != TW_CONTACT_COMPLIANT)
        return tw_fail(err, TW_BAD_INPUT, "a world with rods has compliant contacts; the other methods are for bodies");
    if (!(def->rod_rate_hz >= TW_MIN_ROD_RATE_HZ && def->rod_rate_hz <= 1e7))
        return tw_fail(err, TW_BAD_INPUT, "rods step %g times a second; 1000 to 1e7 is possible", def->rod_rate_hz);
    Weave* w = world->weave = calloc(1, sizeof *w);
    if (!w || !make_lists(w, def)) return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    w->rate_hz = def->rod_rate_hz;
    w->h = 1 / w->rate_hz;
    w->looked = -1;
    w->options = world_solve_options(def);
    w->kernel = tw_block_kernel(NULL);
    w->group = (Group){.world = world, .cluster = &w->cluster, .worker = world->workers};
    twStatus status = weave_make_rods(world, def, err);
    if (status != TW_OK) return status;
    share_rods(w);
    w->pairs = strand_pairs_create(w->shapes, w->room, w->rod_count);
    w->node_force = calloc(2 * (size_t)w->node_count, sizeof *w->node_force);
    w->node_way = w->node_force + w->node_count;
    w->head = malloc((size_t)w->node_count * sizeof *w->head);
    if (!w->pairs || !w->node_force || !w->head || !weave_make_laws(world))
        return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    status = weave_make_ties(world, def, err);
    return status == TW_OK ? check_overlap(world, err) : status;
}

void weave_destroy(Weave* w)
{
    if (!w) return;
    for (int i = 0; w->rods && i < w->rod_count; i++)
        if (w->rods[i].rod != w->nothing.rod) weave_free_rod(w->rods + i);
    weave_free_rod(&w->nothing);
    for (int i = 0; i < w->near_room; i++) strand_body_destroy(w->near[i].touches);
    strand_work_destroy(w->work);
    tw_rod_lender_destroy(w->lender);
    strand_pairs_destroy(w->pairs);
    weave_table_free(&w->table);
    weave_table_free(&w->next);
    free(w->cluster.forces);
    void* blocks[] = {w->rods,     w->places, w->shapes, w->laws,   w->near,       w->ties,     w->touches,
                      w->contacts, w->links,  w->give,   w->behind, w->head,       w->memories, w->p,
                      w->sides,    w->rows,   w->blocks, w->basis,  w->node_force, w->at,       w->room};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    free(w);
}

// ---- a piece of a step ----

// what nothing touches is done with at once, while it is in the cache
static void open_rods(Weave* w, double remaining, bool first)
{
    for (int i = 0; i < w->rod_count; i++)
    {
        WeaveRod* r = w->rods + i;
        if (r->gone) continue;
        tw_rod_open(r->rod, w->time, w->h_piece, remaining, first);
        r->converged = r->settled = false;
        for (int k = 0; !r->pushed && k < ALONE_ITERATIONS && !r->converged; k++)
            r->converged = tw_rod_iterate(r->rod) < tw_rod_enough(r->rod);
    }
}

// What does not happen: nothing pushes in this piece, and contacts stay what they were.
static void go_alone(Weave* w, double remaining, bool first)
{
    w->borrowed = 0;
    w->contact_count = 0;
    for (int k = 0; k < w->group.solve.contact_count; k++)
        memset(w->group.solve.impulse + 3 * k, 0, 3 * sizeof(double));
    memcpy(w->group.solve.result, w->group.solve.free, (size_t)w->group.solve.size * sizeof(double));
    for (int i = 0; i < w->rod_count; i++) w->rods[i].pushed = false;
    open_rods(w, remaining, first);
    w->cluster.stats.failures++;
}

// what rods did to bodies, and bodies' own impulses
static void finish_bodies(Weave* w)
{
    Group* g = &w->group;
    g->rod_work = 0;
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        if (k < g->solve.contact_count)
        {
            memcpy(g->solve.impulse + 3 * k, w->p + 3 * k, 3 * sizeof(double));
            continue;
        }
        for (int side = 0; side < 2; side++)
        {
            if (c->body[side] < 0) continue;
            const SolveBody* b = g->solve_bodies + c->body[side];
            for (int i = 0; i < 3 * b->count; i++)
            {
                const int v = b->first + i % b->count;
                g->rod_work +=
                    0.5 * w->p[3 * k + i / b->count] * c->row[side][i] * (g->solve.velocity[v] + g->solve.result[v]);
            }
        }
    }
    group_finish(g);
    w->cluster.account.work -= g->rod_work;
    for (int k = 0; k < g->body_count; k++)
    {
        Body* body = g->world->bodies + g->bodies[k];
        body->now.time = w->time + w->h_piece;
        body_bound(body);
    }
}

// Work of bodies that are led, and of hands, on rods; of a hand that drives at the speed it has, not at the one it is to have.
static void count_walls(Weave* w)
{
    for (int k = w->group.solve.contact_count; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        const bool drives = c->step.bond && c->step.bond->drives;
        for (int q = 0; q < 3; q++)
        {
            const double slip = drives ? 0.5 * (c->step.u0[q] + c->u1[q]) : 0;
            w->cluster.account.work += (slip - c->wall[q]) * w->p[3 * k + q];
        }
    }
}

static void count_piece(Weave* w)
{
    twWorldStats* s = &w->cluster.stats;
    int count = 0;
    for (int k = 0; k < w->contact_count; k++) count += w->contacts[k].touch >= 0;
    s->rod_contacts += count;
    if (count > s->rod_contacts_max) s->rod_contacts_max = count;
    s->iterations += w->iterations;
    if (w->gained > 0)
    {
        w->cluster.total_rise += w->gained;
        w->cluster.largest_rise = fmax(w->cluster.largest_rise, w->gained);
    }
    w->iterations = 0;
}

static bool prepare(twWorld* world)
{
    Weave* w = world->weave;
    // all are at the same time, to the last bit: one that seems to be ahead would be taken back
    for (int i = 0; i < world->body_count; i++)
        if (world->bodies[i].dynamic) world->bodies[i].now.time = w->time;
    gather_all(&w->group, w->time, w->h_piece);
    return weave_push_bodies(world) && group_build(&w->group) && weave_find(world) && weave_contacts(world);
}

static void finish_piece(twWorld* world, bool alone)
{
    Weave* w = world->weave;
    weave_settle(w);
    for (int i = 0; w->borrowed > 0 && i < w->rod_count; i++) w->rods[i].owed += w->borrowed * w->rods[i].spare;
    finish_bodies(w);
    count_walls(w);
    for (int i = 0; i < w->rod_count; i++)
        if (w->rods[i].gone)
            continue;
        else if (w->rods[i].converged)
            tw_rod_close(w->rods[i].rod);
        else
            tw_rod_stop(w->rods[i].rod);
    if (!alone) weave_remember(world);
    weave_give_ties(world);
    weave_end_grabs(world);
    count_piece(w);
    w->last_h = w->h_piece;
}

// whether some contact comes nearer by so much in the piece that it might be found too late
static bool leaps(const Weave* w)
{
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        if (c->touch < 0) continue;
        const int* rod = w->touches[c->touch].rod;
        double thick = w->shapes[rod[0]]->thinnest;
        if (rod[1] >= 0) thick = fmin(thick, w->shapes[rod[1]]->thinnest);
        if (-c->step.u0[0] * w->h_piece > LEAP * thick) return true;
    }
    return false;
}

// last: however fast contacts are. @return whether rods and contacts agree; if not, rods are where they were
static bool solve_piece(twWorld* world, double remaining, bool first, bool last)
{
    Weave* w = world->weave;
    w->gained = 0;
    double begin = tw_seconds();
    const bool ready = prepare(world) && (last || !leaps(w));
    if (!ready) w->contact_count = 0;
    w->cluster.stats.collide_seconds += tw_seconds() - begin;
    begin = tw_seconds();
    open_rods(w, remaining, first);
    weave_stiffen_ties(w);
    w->rod_seconds = tw_seconds() - begin;
    const bool solved = ready && weave_solve(w);
    w->cluster.stats.rod_seconds += w->rod_seconds;
    w->cluster.stats.solve_seconds += tw_seconds() - begin - w->rod_seconds;
    for (int i = 0; !solved && i < w->rod_count; i++)
        if (!w->rods[i].gone) tw_rod_cancel(w->rods[i].rod);
    return solved;
}

// @return whether it could be solved, or last
static bool try_piece(twWorld* world, double t, double h, double remaining, bool first, bool last)
{
    Weave* w = world->weave;
    w->time = t;
    w->h_piece = h;
    bool solved = solve_piece(world, remaining, first, last);
    while (!solved && last && w->softer < WEAVE_SOFTER)
    {
        w->softer++;
        strand_pairs_back(w->pairs);
        solved = solve_piece(world, remaining, first, last);
    }
    if (!solved && !last)
    {
        strand_pairs_back(w->pairs);
        return false;
    }
    if (!solved) go_alone(w, remaining, first);
    w->cluster.stats.softened += w->softer > 0;
    finish_piece(world, !solved);
    return true;
}

static void advance(twWorld* world, double t, double h, double remaining, bool first, int halvings)
{
    Weave* w = world->weave;
    if (try_piece(world, t, h, remaining, first, halvings == WEAVE_HALVINGS)) return;
    w->cluster.stats.refined++;
    w->easy = 0;
    if (w->level < WEAVE_HALVINGS - 1) w->level = halvings + 1 < WEAVE_HALVINGS ? halvings + 1 : w->level;
    advance(world, t, 0.5 * h, remaining, first, halvings + 1);
    advance(world, t + 0.5 * h, 0.5 * h, remaining - 0.5 * h, false, halvings + 1);
}

// ---- a step ----

static void end_step(twWorld* world)
{
    Weave* w = world->weave;
    for (int i = 0; i < w->rod_count; i++)
    {
        if (w->rods[i].gone) continue;
        tw_rod_end_step(w->rods[i].rod, -w->rods[i].owed);
        w->rods[i].owed = 0;
        if (w->rods[i].damping > 0) tw_rod_damp(w->rods[i].rod, w->rods[i].damping);
        if (w->rods[i].calm_speed > 0) tw_rod_calm(w->rods[i].rod, w->rods[i].calm_speed);
    }
    if (++w->easy > EASY_STEPS && w->level > 0)
    {
        w->level--;
        w->easy = 0;
    }
    w->steps++;
    w->cluster.stats.rod_steps++;
}

static void step(twWorld* world)
{
    Weave* w = world->weave;
    const double t = (double)w->steps / w->rate_hz;
    const int level = w->level, pieces = 1 << level;
    w->time = t;
    w->softer = 0;
    if (w->looked < 0 || t >= w->looked + 1e-3 - FIXED_SLACK * w->h)
    {
        w->h_piece = 0;
        weave_look(world);
    }
    weave_push_rods(world);
    for (int k = 0; k < pieces; k++)
        advance(world, t + k * w->h / pieces, w->h / pieces, w->h - k * w->h / pieces, k == 0, level);
    end_step(world);
    const double end = (double)w->steps / w->rate_hz;
    for (int i = 0; i < world->body_count; i++)
        if (world->bodies[i].dynamic) world->bodies[i].now.time = end;
}

void weave_advance(twWorld* world, double time)
{
    Weave* w = world->weave;
    while (world->time < time)
    {
        const double begin = tw_seconds();
        if (!(world->time < world->window_end)) window_begin(world);
        step(world);
        world->time = (double)w->steps / w->rate_hz;
        w->cluster.stats.other_seconds += tw_seconds() - begin;
    }
}

void weave_forget(Weave* w)
{
    renew_factors(w);
    strand_pairs_forget(w->pairs);
    w->near_count = 0;
    w->looked = -1;
}

// ---- views ----

twRod* tw_world_rod(twWorld* world, int rod)
{
    TW_ASSERT(world->weave && rod >= 0 && rod < world->weave->rod_count);
    return world->weave->rods[rod].rod;
}

void weave_energy(const twWorld* world, twWorldEnergy* e)
{
    const Weave* w = world->weave;
    for (int i = 0; i < w->rod_count; i++)
    {
        if (w->rods[i].gone) continue;
        const twRodEnergy r = tw_rod_energy(w->rods[i].rod);
        e->kinetic += r.kinetic;
        e->elastic += r.bending + r.twisting + r.stretching + r.shearing + r.springs;
        e->weight += r.gravity;
        e->work += r.work - w->rods[i].contact_work;
    }
    for (int i = 0; i < w->table.count; i++) e->contacts += w->table.slots[i].stored;
    e->contacts += w->tank;
    for (int i = 0; i < w->tie_count; i++) e->contacts += w->ties[i].memory.stored + w->ties[i].credit;
}
