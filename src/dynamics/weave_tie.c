// SPDX-License-Identifier: MIT
// Points of rods that bodies hold: bonds of three rows, as joints of bodies are. What is held is where both were at the start; of
// a flexible body it goes along with the vertex that was nearest.
//
// A bond's spring is where rod and body are, not where it was in the last step: what it would have more than it had it may only take
// from what it has lost before.
#include "dynamics/weave.h"
#include <stdlib.h>

#define STIFF 40.0      // of 1/(h^2 W)
#define STIFFEST 200.0  // at most: beyond, what alternates from step to step dies out too slowly
#define DAMPING 2.0     // of 1/(h W)
#define FREE_EDGES 2    // on either side of a tie, that do not touch its body
#define TIE_ID ((uint64_t)1 << 63 | (uint64_t)1 << 32)  // of forces: behind those of pushes, see twang/trace.h

static twVec3 rod_point(const twRodView* v, int i)
{
    return tw_vec3(v->position[0][i], v->position[1][i], v->position[2][i]);
}

static twStatus check(const Weave* w, const twWorldDef* def, int i, twError* err)
{
    const twTieDef* t = def->ties + i;
    if (t->rod < 0 || t->rod >= w->rod_count)
        return tw_fail(err, TW_BAD_INPUT, "tie %d: rod %d of %d", i, t->rod, w->rod_count);
    const int points = w->shapes[t->rod]->point_count;
    if (t->point < 0 || t->point >= points)
        return tw_fail(err, TW_BAD_INPUT, "tie %d: point %d of rod '%s', which has %d", i, t->point,
                       w->rods[t->rod].name, points);
    if (t->body < 0 || t->body >= def->body_count)
        return tw_fail(err, TW_BAD_INPUT, "tie %d: body %d of %d", i, t->body, def->body_count);
    if (!(t->stiffness >= 0 && t->stiffness < 1e30))
        return tw_fail(err, TW_BAD_INPUT, "tie %d: its stiffness is not 0 or more", i);
    return TW_OK;
}

static int nearest_vertex(const ContactShape* shape, twVec3 x)
{
    int best = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < shape->vertex_count; i++)
    {
        const twVec3 d = tw_vec3_sub(shape->vertices[i], x);
        if (!(tw_vec3_dot(d, d) < least)) continue;
        least = tw_vec3_dot(d, d);
        best = i;
    }
    return best;
}

static void add(twWorld* world, const twTieDef* def, int point, bool twist)
{
    Weave* w = world->weave;
    const Body* body = world->bodies + def->body;
    const twRodView v = tw_rod_view(w->rods[def->rod].rod);
    const twQuat back = tw_quat_conj(body->now.turn);
    WeaveTie* tie = w->ties + w->tie_count++;
    *tie = (WeaveTie){.rod = def->rod, .body = def->body, .point = point, .twist = twist, .stiffness = def->stiffness};
    if (twist)
    {
        tie->anchor = tw_quat_rotate(back, tw_vec3(v.frame_d1[0][point], v.frame_d1[1][point], v.frame_d1[2][point]));
        return;
    }
    tie->anchor = tw_quat_rotate(back, tw_vec3_sub(rod_point(&v, point), body->now.position));
    tie->vertex = nearest_vertex(body->shape->contact, tie->anchor);
}

twStatus weave_make_ties(twWorld* world, const twWorldDef* def, twError* err)
{
    Weave* w = world->weave;
    w->ties = calloc(3 * (size_t)def->tie_count + 1, sizeof *w->ties);
    if (!w->ties) return tw_fail(err, TW_NO_MEMORY, "no memory for the ties");
    twStatus status = TW_OK;
    for (int i = 0; i < def->tie_count && status == TW_OK; i++)
    {
        const twTieDef* t = def->ties + i;
        status = check(w, def, i, err);
        if (status != TW_OK) break;
        add(world, t, t->point, false);
        if (!t->clamped) continue;
        const StrandShape* s = w->shapes[t->rod];
        const int edge = t->point < s->edge_count ? t->point : t->point - 1;
        add(world, t, t->point < s->edge_count ? (t->point + 1) % s->point_count : t->point - 1, false);
        add(world, t, edge, true);
    }
    return status;
}

static BodyPlace place_of(twWorld* world, int body, BodyState* scratch)
{
    return world_place(world, body, world->weave->time + 0.5 * world->weave->h_piece, scratch);
}

// ---- a point ----

static bool set_point(twWorld* world, const WeaveTie* tie, WeaveContact* c, double offset[3])
{
    static const twVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Weave* w = world->weave;
    BodyState scratch;
    const BodyPlace place = place_of(world, tie->body, &scratch);
    const StrandPlace* rod = w->places + tie->rod;
    twVec3 at = tie->anchor;
    if (place.mode_count > 0) at = tw_vec3_add(at, tw_place_bend(&place, tie->vertex));
    at = tw_vec3_add(place.position, tw_quat_rotate(place.turn, at));
    c->side[0] = (WeaveSide){.rod = tie->rod, .point = {tie->point, tie->point}};
    for (int q = 0; q < 3; q++) c->side[0].row[q][q] = 1;
    const Touch touch = {.body = {-1, tie->body},
                         .corner = {tie->vertex, tie->vertex, tie->vertex},
                         .weight = {1, 0, 0},
                         .point = at,
                         .normal = axes[0],
                         .tangent = {axes[1], axes[2]}};
    SolveContact side = {.body = {-1, -1}};
    if (!group_set_side(&w->group, &touch, 1, &side)) return false;
    c->body[1] = side.body[1];
    c->row[1] = side.row[1];
    memcpy(c->wall, side.wall, sizeof c->wall);
    weave_begin_contact(w, c);
    const double to[3] = {at.x, at.y, at.z};
    for (int q = 0; q < 3; q++) offset[q] = rod->x[q][tie->point] - to[q] - 0.5 * w->h_piece * c->step.u0[q];
    return true;
}

// ---- a twist ----

static bool set_twist(twWorld* world, const WeaveTie* tie, WeaveContact* c, double offset[3])
{
    Weave* w = world->weave;
    BodyState scratch;
    const BodyPlace place = place_of(world, tie->body, &scratch);
    const StrandPlace* rod = w->places + tie->rod;
    const int j = tie->point;
    const twVec3 t = tw_vec3(rod->t[0][j], rod->t[1][j], rod->t[2][j]),
                 d = tw_vec3(rod->d1[0][j], rod->d1[1][j], rod->d1[2][j]), to = tw_quat_rotate(place.turn, tie->anchor);
    c->side[0] = (WeaveSide){.rod = tie->rod, .point = {j, j}};
    c->side[0].row[0][6] = 1;
    const Body* body = world->bodies + tie->body;
    if (body->dynamic && !body->held)
    {
        const int size = w->group.solve_bodies[body->slot].count;
        double* rows = group_scratch(&w->group, 3 * (size_t)size, sizeof *rows);
        if (!rows) return false;
        group_put_vec(rows + 3, tw_vec3_scale(t, -1));
        c->row[1] = rows;
        c->body[1] = body->slot;
    }
    else
        c->wall[0] = -tw_vec3_dot(t, place.spin);
    weave_begin_contact(w, c);
    const double angle = atan2(tw_vec3_dot(t, tw_vec3_cross(to, d)), tw_vec3_dot(to, d));
    offset[0] = angle - 0.5 * w->h_piece * c->step.u0[0];
    return true;
}

// ---- both ----

// what the spring has more than it had is taken from what was lost, as far as that goes
static void keep_within_budget(WeaveTie* tie, BondStep* bond)
{
    double energy = 0;
    for (int q = 0; q < 3; q++) energy += 0.5 * bond->k[q] * bond->z0[q] * bond->z0[q];
    const double budget = tie->memory.stored + tie->credit;
    if (energy > budget)
    {
        const double part = energy > 0 ? sqrt(fmax(budget, 0) / energy) : 0;
        for (int q = 0; q < 3; q++) bond->z0[q] *= part;
    }
    tie->budget = fmax(0, budget - energy);
}

bool weave_set_tie(twWorld* world, int index, WeaveContact* c)
{
    Weave* w = world->weave;
    WeaveTie* tie = w->ties + index;
    c->touch = -2 - index;
    c->memory = &tie->memory;
    double offset[3] = {0};
    if (!(tie->twist ? set_twist(world, tie, c, offset) : set_point(world, tie, c, offset))) return false;
    SolveBond bond = {.theta = {1, 1, 1}};
    for (int q = 0; q < (tie->twist ? 1 : 3); q++)
    {
        const double unit = 1 / (w->h_piece * c->own[q]), k = tie->twist ? 0 : tie->stiffness;
        bond.stiffness[q] = k > 0 ? fmin(k, STIFFEST * unit / w->h_piece) : STIFF * unit / w->h_piece;
        bond.damping[q] = DAMPING * unit;
    }
    c->bond = law_bond(&bond, offset, w->h_piece, c->own);
    keep_within_budget(tie, &c->bond);
    c->step.bond = &c->bond;
    return true;
}

// The bodies hear what ties pull at them: as pushes from outside, since what is tied on does not damp as a touch does.
void weave_give_ties(twWorld* world)
{
    Weave* w = world->weave;
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        const WeaveTie* tie = c->touch <= -2 ? w->ties - 2 - c->touch : NULL;
        if (!tie || tie->twist || tie->vertex < 0) continue;
        const Body* body = world->bodies + tie->body;
        if (!body->dynamic && body->mode_count == 0) continue;
        twContactForce* out = record_new(&w->cluster);
        if (!out)
        {
            w->cluster.stats.dropped++;
            return;
        }
        // where it is without bending: one that is held stays at one place
        const twVec3 at = tw_vec3_add(body->now.position, tw_quat_rotate(body->now.turn, tie->anchor));
        *out =
            (twContactForce){.id = TIE_ID + (uint64_t)(tie - w->ties),
                             .time = w->time,
                             .body = {tie->body, TW_NOWHERE},
                             .vertex = {{tie->vertex, -1, -1}, {-1, -1, -1}},
                             .weight = {{1, 0, 0}, {0, 0, 0}},
                             .point = at,
                             .normal = {0, 0, 1},
                             .force = tw_vec3_scale(tw_vec3(c->end.p[0], c->end.p[1], c->end.p[2]), -1 / w->h_piece)};
    }
}

// how many edges a point is before an edge, the nearer way round if the rod is closed
static int edges_between(const StrandShape* shape, int point, int edge)
{
    const int along = edge - point, all = shape->edge_count;
    if (!shape->closed) return along;
    return 2 * along >= all ? along - all : 2 * along < -all ? along + all : along;
}

bool weave_is_tied(const Weave* w, const StrandTouch* touch)
{
    for (int i = 0; touch->rod[1] < 0 && i < w->tie_count; i++)
    {
        const WeaveTie* tie = w->ties + i;
        if (tie->twist || tie->rod != touch->rod[0] || tie->body != touch->body) continue;
        const int along = edges_between(w->shapes[tie->rod], tie->point, touch->edge[0]);
        if (along >= -1 - FREE_EDGES && along <= FREE_EDGES) return true;
    }
    return false;
}
