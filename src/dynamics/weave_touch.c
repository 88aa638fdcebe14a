// SPDX-License-Identifier: MIT
// From rods and bodies in the middle of a step to contacts: which are near, where they touch, how contacts move them, and what
// they remember.
#include "dynamics/rest.h"
#include "dynamics/weave.h"
#include <stdlib.h>

#define LOOK_TIME 1e-3  // after which what is near is looked for again [s]
#define ROOM 1.5        // of the way rods and bodies go in that time
#define MARGIN 1e-3     // [m]
#define SLACK 1e-4      // of the thickness: gaps below count as touching
#define RISE_TIME 1e-3  // [s]
#define RISE_STEPS 64
#define MUCH 0.02       // of the thickness: depth that is missing and is learnt in any case, between rods
#define MOST 0.1        // the same on bodies
#define SOON 2e-4       // [s]
#define MOST_TAKEN 0.1  // of a rod's motion, in a step, for that
#define SOON_SET 4      // touches until one is set
#define SOONER 1.5      // of the way two points go in a step: touches that may close

// ---- places ----

static void go_half(double* restrict middle, const double* restrict x, const double* restrict v, double time, int count)
{
    for (int k = 0; k < count; k++) middle[k] = x[k] + time * v[k];
}

static void set_middle(Weave* w, int i)
{
    const twRodView v = tw_rod_view(w->rods[i].rod);
    StrandPlace* p = w->places + i;
    for (int c = 0; c < 3; c++)
    {
        go_half(w->rods[i].middle[c], v.position[c], v.velocity[c], 0.5 * w->h_piece, v.point_count);
        p->x[c] = w->rods[i].middle[c];
        p->v[c] = v.velocity[c];
        p->d1[c] = v.frame_d1[c], p->d2[c] = v.frame_d2[c], p->t[c] = v.tangent[c];
    }
    p->spin = v.spin;
}

// ---- what is near ----

static twVec3 point_of(const double* const* x, int i) { return tw_vec3(x[0][i], x[1][i], x[2][i]); }

static double fastest(const StrandPlace* place)
{
    double most = 0;
    for (int i = 0; i < place->shape->point_count; i++)
    {
        twVec3 v = point_of(place->v, i);
        const double square = tw_vec3_dot(v, v);
        most = square > most ? square : most;
    }
    return sqrt(most);
}

static void box_of(const StrandPlace* place, double room, twVec3* low, twVec3* high)
{
    *low = *high = point_of(place->x, 0);
    for (int i = 1; i < place->shape->point_count; i++)
    {
        twVec3 p = point_of(place->x, i);
        *low = tw_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = tw_vec3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
    *low = tw_vec3_sub(*low, tw_vec3(room, room, room));
    *high = tw_vec3_add(*high, tw_vec3(room, room, room));
}

static double thickness_of(const StrandShape* s)
{
    double most = 0;
    for (int j = 0; j < s->edge_count; j++) most = fmax(most, s->radius[j] + hypot(s->core[0][j], s->core[1][j]));
    return most;
}

static int by_number(const void* a, const void* b)
{
    const WeaveNear *x = a, *y = b;
    return x->rod != y->rod ? (x->rod > y->rod) - (x->rod < y->rod) : (x->body > y->body) - (x->body < y->body);
}

// of the first count, which are in order
static WeaveNear* find_near(const Weave* w, int count, int rod, int body)
{
    const WeaveNear key = {.rod = rod, .body = body};
    return count > 0 ? bsearch(&key, w->near, (size_t)count, sizeof key, by_number) : NULL;
}

static bool add_near(twWorld* world, int rod, int body)
{
    Weave* w = world->weave;
    if (!weave_room_near(w, w->near_count + 1)) return false;
    WeaveNear* n = w->near + w->near_count;
    *n = (WeaveNear){.rod = rod, .body = body, .kept = true, .touches = n->touches};
    if (!strand_body_begin(n->touches, w->shapes[rod], world->bodies[body].shape->contact)) return false;
    weave_law_of_body(world, rod, body, &n->law);
    w->near_count++;
    return true;
}

static bool apart(twVec3 low, twVec3 high, twVec3 other_low, twVec3 other_high)
{
    return low.x > other_high.x || low.y > other_high.y || low.z > other_high.z || other_low.x > high.x ||
           other_low.y > high.y || other_low.z > high.z;
}

static void weave_exchange_near(Weave* w, int i, int k)
{
    const WeaveNear near = w->near[i];
    w->near[i] = w->near[k];
    w->near[k] = near;
}

static void drop_far(Weave* w)
{
    int kept = 0;
    for (int i = 0; i < w->near_count; i++)
        if (w->near[i].kept) weave_exchange_near(w, kept++, i);
    w->near_count = kept;
}

// by halving steps: qsort may allocate
static void weave_sort_near(Weave* w)
{
    for (int step = w->near_count / 2; step > 0; step /= 2)
        for (int i = step; i < w->near_count; i++)
            for (int k = i; k >= step && by_number(w->near + k, w->near + k - step) < 0; k -= step)
                weave_exchange_near(w, k, k - step);
}

// a body that may come near rods until the next look
static void look_around(twWorld* world, int b, int known)
{
    Weave* w = world->weave;
    Body* body = world->bodies + b;
    BodyState scratch;
    body_copy(&body->middle, &body->now, body->mode_count);
    const BodyPlace place = world_place(world, b, w->time, &scratch);
    twVec3 low, high;
    tw_place_box(&place, &low, &high);
    const double room = ROOM * LOOK_TIME * tw_place_speed_bound(&place);
    const twVec3 around = tw_vec3(room, room, room);
    low = tw_vec3_sub(low, around);
    high = tw_vec3_add(high, around);
    for (int i = 0; i < w->rod_count; i++)
    {
        if (w->places[i].ghost || apart(low, high, w->rods[i].low, w->rods[i].high)) continue;
        WeaveNear* n = find_near(w, known, i, b);
        if (n)
            n->kept = true;
        else if (!add_near(world, i, b))
            w->cluster.stats.dropped++;
    }
}

void weave_look(twWorld* world)
{
    Weave* w = world->weave;
    const int known = w->near_count;
    w->looked = w->time;
    w->h_piece = 0;
    for (int i = 0; i < known; i++) w->near[i].kept = false;
    for (int i = 0; i < w->rod_count; i++)
    {
        set_middle(w, i);
        box_of(w->places + i, MARGIN + thickness_of(w->shapes[i]) + ROOM * LOOK_TIME * fastest(w->places + i),
               &w->rods[i].low, &w->rods[i].high);
    }
    for (int b = 0; b < world->body_count; b++)
        if (!world->bodies[b].ghost && !world->bodies[b].lost) look_around(world, b, known);
    drop_far(w);
    weave_sort_near(w);
}

// ---- touches ----

static bool add_touches(Weave* w, const StrandTouch* touches, int count)
{
    if (!weave_room_touches(w, w->touch_count + count)) return false;
    for (int i = 0; i < count; i++)
        if (!weave_is_tied(w, touches + i)) w->touches[w->touch_count++] = touches[i];
    return true;
}

bool weave_find(twWorld* world)
{
    Weave* w = world->weave;
    const StrandTouch* touches;
    w->touch_count = 0;
    double speed = 0, slack = 0;
    for (int i = 0; i < w->rod_count; i++)
    {
        set_middle(w, i);
        if (w->rods[i].gone) continue;
        speed = fmax(speed, fastest(w->places + i));
        slack = fmax(slack, SLACK * w->shapes[i]->thinnest);
    }
    strand_pairs_look_ahead(w->pairs, w->h_piece);
    int count = strand_pairs_touches(w->pairs, w->places, slack, &touches);
    if (count < 0 || !add_touches(w, touches, count)) return false;
    for (int i = 0; i < w->near_count; i++)
    {
        WeaveNear* n = w->near + i;
        BodyState scratch;
        const BodyPlace place = world_place(world, n->body, w->time + 0.5 * w->h_piece, &scratch);
        const double reach = 0.5 * w->h_piece * (speed + tw_place_speed_bound(&place)) + slack;
        count = strand_body_touches(n->touches, w->work, w->places + n->rod, &place, reach, &touches);
        if (count < 0 || !add_touches(w, touches, count)) return false;
    }
    return true;
}

// ---- sides ----

static void put(double* row, twVec3 v, double sign)
{
    row[0] = sign * v.x;
    row[1] = sign * v.y;
    row[2] = sign * v.z;
}

// the edge as a rigid body: a surface point at arm from the centre line
static void set_side(const Weave* w, const StrandTouch* t, int side, WeaveContact* c)
{
    WeaveSide* s = c->side + side;
    s->rod = t->rod[side];
    if (s->rod < 0) return;
    const StrandPlace* place = w->places + s->rod;
    s->point[0] = t->edge[side];
    s->point[1] = t->edge[side] + 1 < place->shape->point_count ? t->edge[side] + 1 : 0;
    const twVec3 axes[3] = {t->normal, t->tangent[0], t->tangent[1]}, along = point_of(place->t, t->edge[side]);
    const twVec3 edge = tw_vec3_sub(point_of(place->x, s->point[1]), point_of(place->x, s->point[0]));
    const double length = fmax(tw_vec3_norm(edge), 1e-12), sign = side == 0 ? 1 : -1, share = t->share[side];
    for (int q = 0; q < 3; q++)
    {
        const twVec3 moment = tw_vec3_cross(t->arm[side], axes[q]);
        const twVec3 tilt = tw_vec3_scale(tw_vec3_cross(moment, along), 1 / length);
        put(s->row[q], tw_vec3_sub(tw_vec3_scale(axes[q], 1 - share), tilt), sign);
        put(s->row[q] + 3, tw_vec3_add(tw_vec3_scale(axes[q], share), tilt), sign);
        s->row[q][6] = sign * tw_vec3_dot(along, moment);
        s->row[q][7] = 0;
    }
}

void weave_side_own(const Weave* w, const WeaveSide* s, double own[3])
{
    if (s->rod < 0) return;
    const WeaveRod* rod = w->rods + s->rod;
    const double a = rod->inverse[s->point[0]], b = rod->inverse[s->point[1]], turn = 1 / rod->edge_inertia;
    const double inverse[7] = {a, a, a, b, b, b, turn};
    for (int q = 0; q < 3; q++)
    {
        double sum = own[q];
        for (int k = 0; k < 7; k++) sum += s->row[q][k] * s->row[q][k] * inverse[k];
        own[q] = sum;
    }
}

static void side_start(const Weave* w, const WeaveSide* s, double u[3])
{
    if (s->rod < 0) return;
    const StrandPlace* p = w->places + s->rod;
    const int a = s->point[0], b = s->point[1];
    const double v[7] = {p->v[0][a], p->v[1][a], p->v[2][a], p->v[0][b], p->v[1][b], p->v[2][b], p->spin[a]};
    for (int q = 0; q < 3; q++)
    {
        double sum = u[q];
        for (int k = 0; k < 7; k++) sum += s->row[q][k] * v[k];
        u[q] = sum;
    }
}

// the bodies' part of mobility, and their velocity at the start
static void body_part(const Weave* w, const WeaveContact* c, double own[3], double u[3])
{
    for (int side = 0; side < 2; side++)
    {
        if (c->body[side] < 0) continue;
        const SolveBody* b = w->group.solve_bodies + c->body[side];
        const double* v = w->group.solve.velocity + b->first;
        const int rigid = b->held ? 0 : 6;
        for (int q = 0; q < 3; q++)
        {
            const double* row = c->row[side] + (size_t)q * (size_t)b->count;
            for (int k = 0; k < b->count; k++) u[q] += row[k] * v[k];
            for (int k = rigid; k < b->count; k++) own[q] += row[k] * row[k] / b->mode_mass[k - rigid];
            if (!rigid) continue;
            const twVec3 moment = group_get_vec(row + 3);
            own[q] += (row[0] * row[0] + row[1] * row[1] + row[2] * row[2]) / b->mass +
                      tw_vec3_dot(moment, tw_mat3_mul_vec(w->inverse_inertia[c->body[side]], moment));
        }
    }
}

void weave_begin_contact(const Weave* w, WeaveContact* c)
{
    memset(c->own, 0, sizeof c->own);
    memset(c->rod0, 0, sizeof c->rod0);
    for (int side = 0; side < 2; side++)
    {
        weave_side_own(w, c->side + side, c->own);
        side_start(w, c->side + side, c->rod0);
    }
    c->step = (LawStep){.h = w->h_piece};
    for (int q = 0; q < 3; q++) c->step.u0[q] = c->rod0[q] + c->wall[q];
    memset(c->of_bodies, 0, sizeof c->of_bodies);
    body_part(w, c, c->of_bodies, c->step.u0);
    for (int q = 0; q < 3; q++) c->own[q] += c->of_bodies[q];
}

// ---- memory ----

static void inherit(SolveMemory* to, const WeaveSlot* old, const StrandTouch* touch)
{
    *to = old->memory;
    if (old->id == touch->id) return;
    // from a neighbour: the tangents are others
    const StrandTouch* t = &old->touch;
    const twVec3 z = tw_vec3_add(tw_vec3_scale(t->tangent[0], old->memory.bristle[0]),
                                 tw_vec3_scale(t->tangent[1], old->memory.bristle[1]));
    const twVec3 p = tw_vec3_add(tw_vec3_scale(t->tangent[0], old->memory.impulse[1]),
                                 tw_vec3_scale(t->tangent[1], old->memory.impulse[2]));
    for (int q = 0; q < 2; q++)
    {
        to->bristle[q] = tw_vec3_dot(z, touch->tangent[q]);
        to->impulse[1 + q] = tw_vec3_dot(p, touch->tangent[q]);
    }
    memcpy(to->before, to->impulse, sizeof to->before);
}

static WeaveSlot* find_neighbour(const Weave* w, const StrandTouch* touch)
{
    uint64_t ids[8];
    const int count = touch->rod[1] < 0 ? strand_body_neighbours(touch, ids) : strand_neighbours(touch, w->shapes, ids);
    for (int i = 0; i < count; i++)
    {
        WeaveSlot* slot = weave_table_find(&w->table, ids[i]);
        if (slot && !slot->taken) return slot;
    }
    return NULL;
}

static void give_memories(Weave* w)
{
    for (int i = 0; i < w->table.count; i++) w->table.slots[i].taken = false;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < w->touch_count; i++)
        {
            SolveMemory* m = w->memories + i;
            const StrandTouch* t = w->touches + i;
            if (pass == 0) *m = (SolveMemory){0};
            if (m->closed_steps > 0) continue;
            WeaveSlot* old = pass == 0 ? weave_table_find(&w->table, t->id) : find_neighbour(w, t);
            if (!old || (pass == 1 && t->gap > SLACK * w->shapes[t->rod[0]]->thinnest)) continue;
            old->taken = true;
            inherit(m, old, t);
        }
    w->forgotten = 0;
    for (int i = 0; i < w->table.count; i++)
        if (!w->table.slots[i].taken) w->forgotten += w->table.slots[i].stored;
}

// ---- contacts ----

const SolveLaw* weave_law(const Weave* w, const StrandTouch* t)
{
    if (t->rod[1] >= 0) return w->laws + w->rods[t->rod[0]].kind * w->kind_count + w->rods[t->rod[1]].kind;
    const WeaveNear* near = find_near(w, w->near_count, t->rod[0], t->body);
    return near ? &near->law : NULL;
}

static bool set_body_side(Weave* w, const StrandTouch* t, WeaveContact* c)
{
    if (t->rod[1] >= 0) return true;
    SolveContact contact = {.body = {-1, -1}};
    Touch touch = {.body = {-1, t->body},
                   .corner = {t->corner[0], t->corner[1], t->corner[2]},
                   .weight = {t->weight[0], t->weight[1], t->weight[2]},
                   .point = t->point,
                   .normal = t->normal,
                   .tangent = {t->tangent[0], t->tangent[1]}};
    if (!group_set_side(&w->group, &touch, 1, &contact)) return false;
    c->body[1] = contact.body[1];
    c->row[1] = contact.row[1];
    memcpy(c->wall, contact.wall, sizeof c->wall);
    return true;
}

// whether a touch may push in this step: closed, or closing soon
static bool may_push(const WeaveContact* c, double thin)
{
    return c->memory->compression > 0 || c->gap < SLACK * thin + SOONER * c->step.h * fmax(0, -c->step.u0[0]);
}

static double rise_cost(const LawStep* step, double more)
{
    const double none[2] = {0};
    return law_energy(step, step->x0 + more, none) - law_energy(step, step->x0, none);
}

// A contact that came to be where things overlap already knows too little of its depth, and one that slides along two bent rods loses
// some of it: it learns. Small amounts only while it is new: later that would work against what calms contacts down. Large ones
// always, or rods that are pulled along each other would creep through, and ends that hammer would sink into the ground; on bodies,
// where it is rebound that the law has not, only if they are larger.
static void want_rise(Weave* w, WeaveContact* c, const StrandTouch* t)
{
    const double missing = -c->gap - c->step.x0, h = c->step.h;
    const bool much = missing > (t->rod[1] >= 0 ? MUCH : MOST) * w->shapes[t->rod[0]]->thinnest;
    if (!(missing > 0) || (!much && (!c->step.rest || c->memory->closed_steps > RISE_STEPS))) return;
    const double share = fmin(h / (much ? SOON : RISE_TIME), 1);
    c->rise = fmin(missing * share, much ? missing : w->options.drift_speed * h);
    w->wanted += rise_cost(&c->step, c->rise);
}

// what the motion of the rods that want it may give
static double ask_motion(Weave* w)
{
    double all = 0;
    for (int i = 0; i < w->rod_count; i++) w->rods[i].owing = false;
    for (int k = 0; k < w->contact_count; k++)
        for (int side = 0; w->contacts[k].rise > 0 && side < 2; side++)
            if (w->contacts[k].side[side].rod >= 0) w->rods[w->contacts[k].side[side].rod].owing = true;
    for (int i = 0; i < w->rod_count; i++)
    {
        WeaveRod* rod = w->rods + i;
        rod->spare = rod->owing ? MOST_TAKEN * w->h_piece / w->h * tw_rod_kinetic_energy(rod->rod) : 0;
        all += rod->spare;
    }
    return all;
}

// For energy that contacts lost in the last piece, that of contacts that are no more, and, where that is not enough, from the motion
// of the rods: all get their share. V is convex, so that a share of the way costs no more than that share.
static void let_rise(Weave* w)
{
    const double have = w->tank + w->forgotten;
    double most = have;
    w->borrowed = 0;
    if (w->wanted > have) most += ask_motion(w);
    const double share = w->wanted > most ? most / w->wanted : 1;
    double cost = 0;
    for (int k = 0; k < w->contact_count; k++)
    {
        WeaveContact* c = w->contacts + k;
        if (!(c->rise > 0)) continue;
        cost += rise_cost(&c->step, share * c->rise);
        c->step.x0 += share * c->rise;
    }
    if (cost > have) w->borrowed = (cost - have) / (most - have);
}

// ---- contacts that are too hard ----

// If halves of steps do not help, contacts become as soft as the piece can resolve: h^2 W V'' and h^2 W k_t. What is stored stays the
// same: x and z grow as stiffness falls, and go back at the end.
static void soften(const Weave* w, WeaveContact* c)
{
    static const double softness[WEAVE_SOFTER + 1] = {0, 10, 0.5, 0.01};
    LawStep* s = &c->step;
    c->hard = s->impact;
    c->hard_kt = s->kt;
    if (w->softer == 0) return;
    const double limit = softness[w->softer] / (s->h * s->h), a = s->impact.exponent,
                 x = fmax(fmax(s->x0, -s->u0[0] * s->h), 1e-9), across = 0.5 * (c->own[1] + c->own[2]);
    s->impact.stiffness = fmin(s->impact.stiffness, limit / (c->own[0] * a * pow(x, a - 1)));
    s->impact.dissipation = fmin(s->impact.dissipation, 1);
    if (s->x0 > 0) s->x0 *= pow(c->hard.stiffness / s->impact.stiffness, 1 / (a + 1));
    if (!(across > 0 && s->kt > limit / across)) return;
    s->kt = limit / across;
    s->damping *= sqrt(s->kt / c->hard_kt);
    for (int i = 0; i < 2; i++) s->z0[i] *= sqrt(c->hard_kt / s->kt);
}

void weave_harden(WeaveContact* c)
{
    LawStep* s = &c->step;
    if (c->end.x1 > 0) c->end.x1 *= pow(s->impact.stiffness / c->hard.stiffness, 1 / (s->impact.exponent + 1));
    for (int i = 0; i < 2 && c->hard_kt > 0; i++) c->end.z1[i] *= sqrt(s->kt / c->hard_kt);
    s->impact = c->hard;
    s->kt = c->hard_kt;
}

// the next one, without sides
static WeaveContact* new_contact(Weave* w)
{
    WeaveContact* c = w->contacts + w->contact_count;
    *c = (WeaveContact){.side = w->sides + 2 * w->contact_count, .body = {-1, -1}, .touch = -1};
    c->side[0] = c->side[1] = (WeaveSide){.rod = -1};
    return c;
}

// what a touch will read of its rods, which is anywhere
static void fetch_touch(const Weave* w, const StrandTouch* t)
{
    for (int side = 0; side < 2 && t->rod[side] >= 0; side++)
    {
        const StrandPlace* p = w->places + t->rod[side];
        const int e = t->edge[side];
        for (int c = 0; c < 3; c++)
        {
            __builtin_prefetch(p->x[c] + e);
            __builtin_prefetch(p->v[c] + e);
            __builtin_prefetch(p->t[c] + e);
        }
        __builtin_prefetch(p->spin + e);
        __builtin_prefetch(w->rods[t->rod[side]].inverse + e);
    }
}

static bool set_touch(Weave* w, int i)
{
    const StrandTouch* t = w->touches + i;
    WeaveContact* c = new_contact(w);
    c->touch = i;
    c->memory = w->memories + i;
    set_side(w, t, 0, c);
    set_side(w, t, 1, c);
    if (!set_body_side(w, t, c)) return false;
    weave_begin_contact(w, c);
    c->gap = t->gap - 0.5 * w->h_piece * c->step.u0[0];
    if (!may_push(c, w->shapes[t->rod[0]]->thinnest)) return true;
    law_begin(&c->step, weave_law(w, t), c->memory, c->gap, 0.5 * (c->own[1] + c->own[2]));
    soften(w, c);
    rest_choose(&w->options, &c->step, c->own[0], c->memory);
    rest_apply(&w->options, &c->step, c->memory, c->gap, c->own[0], true);
    c->step.follows = true;
    want_rise(w, c, t);
    w->contact_count++;
    return true;
}

// those of bodies with each other, and joints
static void set_group_contact(Weave* w, int k)
{
    const SolveContact* from = w->group.contacts + k;
    WeaveContact* c = new_contact(w);
    for (int side = 0; side < 2; side++) c->body[side] = from->body[side], c->row[side] = from->row[side];
    memcpy(c->wall, from->wall, sizeof c->wall);
    c->gap = from->gap;
    c->memory = from->memory;
    weave_begin_contact(w, c);
    w->contact_count++;
    if (from->bond)
    {
        c->bond = law_bond(from->bond, from->offset, w->h_piece, c->own);
        c->step.bond = &c->bond;
        return;
    }
    law_begin(&c->step, from->law, c->memory, c->gap, 0.5 * (c->own[1] + c->own[2]));
    soften(w, c);
    rest_choose(&w->options, &c->step, c->own[0], c->memory);
    rest_apply(&w->options, &c->step, c->memory, c->gap, c->own[0], false);
}

void weave_set_rows(Weave* w)
{
    for (int i = 0; i < w->rod_count; i++) w->rods[i].local = false;
    w->link_count = 0;
    w->all_local = false;
    for (int i = 0; i < 2 * w->contact_count; i++)
    {
        const WeaveSide* s = w->sides + i;
        WeaveRows* rows = w->rows + i / 2;
        int* node = rows->node[i % 2];
        node[0] = node[1] = -1;
        if (s->rod < 0) continue;
        for (int k = 0; k < 2; k++) node[k] = w->rods[s->rod].first + s->point[k];
        for (int q = 0; q < 3; q++)
        {
            const double* r = s->row[q];
            rows->row[i % 2][0][q] = (WeaveFour){(float)r[0], (float)r[1], (float)r[2], (float)r[6]};
            rows->row[i % 2][1][q] = (WeaveFour){(float)r[3], (float)r[4], (float)r[5], 0};
        }
    }
}

// which rods contacts push, and at which points
static void mark_pushed(Weave* w)
{
    int all = 0;
    for (int i = 0; i < w->rod_count; i++) w->rods[i].side_count = 0;
    for (int k = 0; k < 2 * w->contact_count; k++)
        if (w->sides[k].rod >= 0) w->rods[w->sides[k].rod].side_count++;
    for (int i = 0; i < w->rod_count; i++)
    {
        WeaveRod* rod = w->rods + i;
        rod->pushed = rod->side_count > 0;
        rod->at = all;
        all += 2 * rod->side_count;
        rod->side_count = 0;
    }
    for (int k = 0; k < 2 * w->contact_count; k++)
    {
        const WeaveSide* s = w->sides + k;
        if (s->rod < 0) continue;
        WeaveRod* rod = w->rods + s->rod;
        memcpy(w->at + rod->at + 2 * rod->side_count++, s->point, sizeof s->point);
    }
}

bool weave_contacts(twWorld* world)
{
    Weave* w = world->weave;
    Group* g = &w->group;
    if (!weave_room_contacts(w, w->touch_count + w->tie_count + g->solve.contact_count)) return false;
    w->vector = group_scratch(g, (size_t)g->solve.size, sizeof(double));
    w->inverse_inertia = group_scratch(g, (size_t)g->body_count, sizeof *w->inverse_inertia);
    if (g->no_memory) return false;
    for (int i = 0; i < g->body_count; i++)
        if (!g->solve_bodies[i].held && !tw_mat3_inverse(w->inverse_inertia + i, g->solve_bodies[i].inertia))
            w->inverse_inertia[i] = (twMat3){{{0}}};
    w->contact_count = 0;
    w->wanted = 0;
    for (int k = 0; k < g->solve.contact_count; k++) set_group_contact(w, k);
    for (int i = 0; i < w->tie_count; i++)
    {
        if (!weave_tie_holds(w->ties + i)) continue;
        if (!weave_set_tie(world, i, new_contact(w))) return false;
        w->contact_count++;
    }
    give_memories(w);
    for (int i = 0; i < w->touch_count; i++)
    {
        if (i + SOON_SET < w->touch_count) fetch_touch(w, w->touches + i + SOON_SET);
        if (!set_touch(w, i)) return false;
    }
    let_rise(w);
    weave_set_rows(w);
    mark_pushed(w);
    return true;
}

// ---- after the piece ----

// forces on bodies that can be heard
static bool is_heard(const twWorld* world, int body)
{
    const Body* b = body >= 0 ? world->bodies + body : NULL;
    return b && (b->dynamic || b->mode_count > 0 || b->heard);
}

static void record(Weave* w, WeaveSlot* slot, double time, twVec3 force)
{
    const float f[3] = {(float)force.x, (float)force.y, (float)force.z};
    if (memcmp(f, slot->given, sizeof f) == 0) return;
    const StrandTouch* t = &slot->touch;
    const twContactForce out = {.id = slot->id & ~((uint64_t)1 << 63),
                                .time = time,
                                .body = {TW_NOWHERE, t->body},
                                .vertex = {{-1, -1, -1}, {t->corner[0], t->corner[1], t->corner[2]}},
                                .weight = {{0}, {(float)t->weight[0], (float)t->weight[1], (float)t->weight[2]}},
                                .point = t->point,
                                .normal = t->normal,
                                .force = force};
    if (record_add(&w->cluster, &out)) memcpy(slot->given, f, sizeof f);
}

static twVec3 force_of(const Weave* w, const WeaveContact* c, const StrandTouch* t)
{
    const double* p = c->end.p;
    twVec3 f = tw_vec3_scale(t->normal, p[0]);
    f = tw_vec3_add_scaled(tw_vec3_add_scaled(f, t->tangent[0], p[1]), t->tangent[1], p[2]);
    return tw_vec3_scale(f, 1 / w->h_piece);
}

void weave_remember(twWorld* world)
{
    Weave* w = world->weave;
    weave_table_clear(&w->next);
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        if (c->touch < 0 || !(c->memory->compression > 0 || c->memory->impulse[0] > 0)) continue;
        const StrandTouch* t = w->touches + c->touch;
        WeaveSlot slot = {.id = t->id,
                          .memory = *c->memory,
                          .touch = *t,
                          .stored = law_energy(&c->step, c->memory->compression, c->memory->bristle)};
        const WeaveSlot* old = weave_table_find(&w->table, t->id);
        if (old) memcpy(slot.given, old->given, sizeof slot.given);
        if (is_heard(world, t->body)) record(w, &slot, w->time, force_of(w, c, t));
        if (!weave_table_add(&w->next, &slot)) w->cluster.stats.dropped++;
    }
    const float none[3] = {0};
    for (int i = 0; i < w->table.count; i++)
    {
        WeaveSlot* old = w->table.slots + i;
        if (memcmp(old->given, none, sizeof none) == 0 || weave_table_find(&w->next, old->id)) continue;
        record(w, old, w->time, tw_vec3(0, 0, 0));
    }
    const WeaveTable table = w->table;
    w->table = w->next;
    w->next = table;
}

void weave_forget_contacts(twWorld* world, int rod, int body)
{
    Weave* w = world->weave;
    for (int i = 0; i < w->near_count; i++) w->near[i].kept = w->near[i].rod != rod && w->near[i].body != body;
    drop_far(w);
    w->looked = -1;
    for (int i = 0; i < w->table.count; i++)
    {
        WeaveSlot* slot = w->table.slots + i;
        const int* rods = slot->touch.rod;
        const bool of_body = rods[1] < 0 && slot->touch.body == body;
        if (rod >= 0 ? rods[0] != rod && rods[1] != rod : !of_body) continue;
        record(w, slot, world->time, tw_vec3(0, 0, 0));
        slot->memory = (SolveMemory){0};
        slot->stored = 0;
    }
}
