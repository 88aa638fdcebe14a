// SPDX-License-Identifier: MIT
// Points of rods that bodies hold: bonds of three rows, as joints of bodies are. What is held is where both were at the start; of
// a flexible body it goes along with the vertices that were nearest.
//
// Clamped: the edge does not turn either. Its rod bends and twists up to the point itself, half an edge beyond the middle of the
// edge; so what holds the turn is as soft as that half is, E I/(l/2) and G J/(l/2), or as stiff as steps allow if that is softer. Inside a
// rod both edges are held so, and the rod's own node does not bend any more: over a body that is light it is as stiff as it was.
//
// A bond's spring is where rod and body are, not where it was in the last step: what it would have more than it had it may only take
// from what it lost in that step, which counts as its own until then.
#include "dynamics/weave.h"
#include <stdlib.h>

#define STIFF 40.0      // of 1/(h^2 W)
#define STIFFEST 200.0  // at most: beyond, what alternates from step to step dies out too slowly
#define DAMPING 2.0     // of 1/(h W)
#define MUCH 4.0        // times as easily moved as before
#define FREE_EDGES 2    // on either side of a tie, that do not touch its body

enum
{
    LOOK_STEPS = 64
};

static twVec3 vec_at(const double* const* x, int i) { return tw_vec3(x[0][i], x[1][i], x[2][i]); }

static twStatus check(const Weave* w, const twWorldDef* def, int i, twError* err)
{
    const twTieDef* t = def->ties + i;
    if (t->rod < 0 || t->rod >= def->rod_count)
        return tw_fail(err, TW_BAD_INPUT, "tie %d: rod %d of %d", i, t->rod, def->rod_count);
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

static WeaveTie* add(twWorld* world, const twTieDef* def, int point)
{
    Weave* w = world->weave;
    const Body* body = world->bodies + def->body;
    const twRodView v = tw_rod_view(w->rods[def->rod].rod);
    WeaveTie* tie = w->ties + w->tie_count++;
    *tie = (WeaveTie){.rod = def->rod, .body = def->body, .point = point, .stiffness = def->stiffness};
    tie->anchor =
        tw_quat_rotate(tw_quat_conj(body->now.turn), tw_vec3_sub(vec_at(v.position, point), body->now.position));
    tie->vertex = nearest_vertex(body->shape->contact, tie->anchor);
    return tie;
}

// of the edge, against the body; moment: along d1, d2 and of twist, that it holds from the start
static void add_turn(twWorld* world, const twTieDef* def, const twRodDef* rod, int edge, const double moment[3])
{
    Weave* w = world->weave;
    const Body* body = world->bodies + def->body;
    const twRodView v = tw_rod_view(w->rods[def->rod].rod);
    const twSection* s = rod->sections + (rod->section_count > 1 ? def->point : 0);
    const twQuat back = tw_quat_conj(body->now.turn);
    WeaveTie* tie = add(world, def, edge);
    tie->turn = true;
    tie->angle = s->angle;
    const twVec3 d1 = vec_at(v.frame_d1, edge),
                 end = tw_vec3_sub(vec_at(v.position, (edge + 1) % v.point_count), body->now.position);
    tie->across = tw_quat_rotate(back, d1);
    tie->end = tw_quat_rotate(back, end);
    tie->end_vertex = nearest_vertex(body->shape->contact, tie->end);
    const double half = 0.5 * v.rest_length[edge], c = cos(s->angle), n = sin(s->angle);
    tie->hold[0] = rod->young / (2 * (1 + rod->poisson)) * s->torsion / half;
    for (int k = 0; k < 2; k++) tie->hold[1 + k] = rod->young * s->moment[k] / half;
    const double bent[3] = {moment[2], c * moment[0] + n * moment[1], c * moment[1] - n * moment[0]};
    for (int q = 0; q < 3; q++)
    {
        tie->start[q] = bent[q] / tie->hold[q];
        tie->memory.stored += 0.5 * bent[q] * tie->start[q];
    }
}

static void clamp(twWorld* world, const twTieDef* def, const twRodDef* rod)
{
    const StrandShape* shape = world->weave->shapes[def->rod];
    const int i = def->point, last = shape->edge_count;
    double after[3] = {0}, before[3];
    if (shape->closed || (i > 0 && i < last)) tw_rod_cut(world->weave->rods[def->rod].rod, i, after);
    for (int q = 0; q < 3; q++) before[q] = -after[q];
    if (shape->closed || i < last) add_turn(world, def, rod, i, after);
    if (shape->closed || i > 0) add_turn(world, def, rod, (i + shape->point_count - 1) % shape->point_count, before);
}

twStatus weave_make_ties(twWorld* world, const twWorldDef* def, twError* err)
{
    Weave* w = world->weave;
    // a clamp inside a rod holds two edges too
    w->ties = calloc(3 * (size_t)def->tie_count + (size_t)def->max_grabs + 1, sizeof *w->ties);
    if (!w->ties) return tw_fail(err, TW_NO_MEMORY, "no memory for the ties");
    twStatus status = TW_OK;
    for (int i = 0; i < def->tie_count && status == TW_OK; i++)
    {
        const twTieDef* t = def->ties + i;
        status = check(w, def, i, err);
        if (status != TW_OK) break;
        add(world, t, t->point);
        if (t->clamped) clamp(world, t, &def->rods[t->rod].rod);
    }
    w->grab_first = w->tie_count;
    w->tie_room = w->tie_count + def->max_grabs;
    for (int slot = 0; slot < def->max_grabs; slot++) weave_bind_grab(world, slot);
    return status;
}

static BodyPlace place_of(twWorld* world, int body, BodyState* scratch)
{
    return world_place(world, body, world->weave->time + 0.5 * world->weave->h_piece, scratch);
}

// rows of a body's side; what it holds goes along with its modes there
static bool set_side(twWorld* world, int body, const twSurfacePoint* on, twVec3 point, const twVec3 axes[3],
                     SolveContact* side)
{
    Touch touch = {.body = {-1, body}, .point = point, .normal = axes[0], .tangent = {axes[1], axes[2]}};
    grab_vertices(on, touch.corner, touch.weight);
    *side = (SolveContact){.body = {-1, -1}};
    return group_set_side(&world->weave->group, &touch, 1, side);
}

static void set_body(WeaveContact* c, const SolveContact* side)
{
    c->body[1] = side->body[1];
    c->row[1] = side->row[1];
    memcpy(c->wall, side->wall, sizeof c->wall);
}

bool weave_hold_body(twWorld* world, int body, const twSurfacePoint* on, twVec3 point, const twVec3 axes[3],
                     WeaveContact* c)
{
    SolveContact side;
    if (!set_side(world, body, on, point, axes, &side)) return false;
    set_body(c, &side);
    return true;
}

// where a body holds something, and how it moves that along three axes; forces act at point, which is almost there, so that the
// body's and the rod's have no moment together
typedef struct Hold
{
    twVec3 at;
    SolveContact side;
} Hold;

static bool hold(twWorld* world, int body, twVec3 anchor, int vertex, twVec3 point, const twVec3 axes[3], Hold* out)
{
    BodyState scratch;
    const BodyPlace place = place_of(world, body, &scratch);
    const twSurfacePoint on = tw_surface_vertex(vertex);
    if (place.mode_count > 0) anchor = tw_vec3_add(anchor, tw_place_bend(&place, vertex));
    out->at = tw_vec3_add(place.position, tw_quat_rotate(place.turn, anchor));
    return set_side(world, body, &on, point, axes, &out->side);
}

// ---- a point ----

// along the edge there and across
static bool set_point(twWorld* world, const WeaveTie* tie, WeaveContact* c, double offset[3])
{
    Weave* w = world->weave;
    const StrandPlace* rod = w->places + tie->rod;
    const int i = tie->point, j = i < rod->shape->edge_count ? i : i - 1;
    const twVec3 axes[3] = {vec_at(rod->t, j), vec_at(rod->d1, j), vec_at(rod->d2, j)};
    Hold held;
    c->side[0] = (WeaveSide){.rod = tie->rod, .point = {i, i}};
    for (int q = 0; q < 3; q++) group_put_vec(c->side[0].row[q], axes[q]);
    const twVec3 x = vec_at(rod->x, i);
    if (!hold(world, tie->body, tie->anchor, tie->vertex, x, axes, &held)) return false;
    set_body(c, &held.side);
    weave_begin_contact(w, c);
    const twVec3 away = tw_vec3_sub(x, held.at);
    for (int q = 0; q < 3; q++) offset[q] = tw_vec3_dot(away, axes[q]) - 0.5 * w->h_piece * c->step.u0[q];
    return true;
}

// ---- a turn ----

// The body's part: by its spin, and tilts by how much two of its points, an edge apart, bend.
static bool set_turn_body(twWorld* world, const WeaveTie* tie, const twVec3 axes[3], WeaveContact* c, twVec3* along)
{
    Weave* w = world->weave;
    const StrandPlace* rod = w->places + tie->rod;
    const int next = (tie->point + 1) % rod->shape->point_count;
    Hold held[2];
    if (!hold(world, tie->body, tie->anchor, tie->vertex, vec_at(rod->x, tie->point), axes, &held[0]) ||
        !hold(world, tie->body, tie->end, tie->end_vertex, vec_at(rod->x, next), axes, &held[1]))
        return false;
    *along = tw_vec3_sub(held[1].at, held[0].at);
    const double length = fmax(tw_vec3_norm(*along), 1e-12);
    const twVec3 turns[3] = {axes[0], axes[2], tw_vec3_scale(axes[1], -1)};
    BodyState scratch;
    if (world->bodies[tie->body].kind == TW_BODY_MOVED)
        for (int q = 0; q < 3; q++) c->wall[q] = -tw_vec3_dot(turns[q], place_of(world, tie->body, &scratch).spin);
    c->body[1] = held[0].side.body[1];
    if (c->body[1] < 0) return true;
    const SolveBody* body = w->group.solve_bodies + c->body[1];
    const int n = body->count, rigid = body->held ? 0 : 6;
    double* rows = group_scratch(&w->group, 3 * (size_t)n, sizeof *rows);
    if (!rows) return false;
    for (int q = 0; q < 3; q++)
    {
        if (rigid) group_put_vec(rows + q * n + 3, tw_vec3_scale(turns[q], -1));
        for (int i = rigid; q > 0 && i < n; i++)
            rows[q * n + i] = (held[1].side.row[1][q * n + i] - held[0].side.row[1][q * n + i]) / length;
    }
    c->row[1] = rows;
    return true;
}

// rows: twist; tilts of the edge along the principal axes of the section
static bool set_turn(twWorld* world, const WeaveTie* tie, WeaveContact* c, double offset[3])
{
    Weave* w = world->weave;
    const StrandPlace* rod = w->places + tie->rod;
    const int j = tie->point, next = (j + 1) % rod->shape->point_count;
    const twVec3 t = vec_at(rod->t, j), d1 = vec_at(rod->d1, j), d2 = vec_at(rod->d2, j);
    const twVec3 axes[3] = {t, tw_vec3_add_scaled(tw_vec3_scale(d1, cos(tie->angle)), d2, sin(tie->angle)),
                            tw_vec3_add_scaled(tw_vec3_scale(d2, cos(tie->angle)), d1, -sin(tie->angle))};
    const twVec3 edge = tw_vec3_sub(vec_at(rod->x, next), vec_at(rod->x, j));
    const double length = fmax(tw_vec3_norm(edge), 1e-12);
    c->side[0] = (WeaveSide){.rod = tie->rod, .point = {j, next}};
    c->side[0].row[0][6] = 1;
    for (int q = 1; q < 3; q++)
    {
        const double to[3] = {axes[q].x / length, axes[q].y / length, axes[q].z / length};
        for (int k = 0; k < 3; k++) c->side[0].row[q][k] = -to[k], c->side[0].row[q][3 + k] = to[k];
    }
    twVec3 along;
    if (!set_turn_body(world, tie, axes, c, &along)) return false;
    weave_begin_contact(w, c);
    BodyState scratch;
    const twVec3 to = tw_quat_rotate(place_of(world, tie->body, &scratch).turn, tie->across),
                 turn = tw_vec3_cross(along, edge);
    // a vector along what turns one edge into the other, as long as the angle
    const double sine = tw_vec3_norm(turn), angle = atan2(sine, tw_vec3_dot(along, edge)),
                 scale = sine > 0 ? angle / sine : 0;
    offset[0] = atan2(tw_vec3_dot(t, tw_vec3_cross(to, d1)), tw_vec3_dot(to, d1));
    offset[1] = scale * tw_vec3_dot(turn, axes[2]);
    offset[2] = -scale * tw_vec3_dot(turn, axes[1]);
    for (int q = 0; q < 3; q++) offset[q] += tie->start[q] - 0.5 * w->h_piece * c->step.u0[q];
    return true;
}

// ---- both ----

// what the spring has more than it had is taken from what it lost, as far as that goes
static void keep_within_budget(const WeaveTie* tie, double h, BondStep* bond)
{
    const double part = law_bond_within(bond->k, bond->radius / h, bond->z0, tie->memory.stored + tie->credit);
    for (int q = 0; q < 3; q++) bond->z0[q] *= part;
}

bool weave_set_tie(twWorld* world, int index, WeaveContact* c)
{
    Weave* w = world->weave;
    WeaveTie* tie = w->ties + index;
    c->touch = -2 - index;
    c->memory = &tie->memory;
    double offset[3] = {0};
    const bool fine = tie->grab   ? weave_set_grab(world, tie, c, offset)
                      : tie->turn ? set_turn(world, tie, c, offset)
                                  : set_point(world, tie, c, offset);
    c->step.bond = &c->bond;
    memcpy(c->bond.z0, offset, sizeof offset);
    return fine;
}

// How easily rods give way in their implicit step, in which neighbours hold a point: less than alone.
static twMat3 mobility_of_rods(Weave* w, const WeaveSide side[2])
{
    const int sides = side[1].rod >= 0 ? 2 : 1, rods = side[1].rod == side[0].rod ? 1 : sides;
    WeaveRod* rod[2] = {w->rods + side[0].rod, sides == 2 ? w->rods + side[1].rod : NULL};
    twMat3 out;
    for (int q = 0; q < 3; q++)
    {
        const double unit[3] = {q == 0, q == 1, q == 2};
        double u[3] = {0};
        for (int c = 0; c < rods * ROD_COUPLED; c++)
            memset(rod[c / ROD_COUPLED]->force[c % ROD_COUPLED], 0,
                   (size_t)rod[c / ROD_COUPLED]->shape->point_count * sizeof(double));
        for (int k = 0; k < sides; k++) weave_side_push(side + k, unit, rod[k]->force);
        for (int k = 0; k < rods; k++) tw_rod_respond(rod[k]->rod, rod[k]->force, rod[k]->force);
        for (int k = 0; k < sides; k++)
            weave_side_rate(side + k, (const double* const*)rod[k]->force, 2 / (w->h_piece * w->h_piece), u);
        for (int r = 0; r < 3; r++) out.m[r][q] = u[r];
    }
    return out;
}

// Now and then, since rods bend. A spring that changes would be heard: it only does if it were much too stiff. It is that of the
// longest pieces there were, stiff enough in shorter ones.
static void keep_mobility(Weave* w, WeaveTie* tie, const WeaveContact* c)
{
    const bool longer = w->h_piece > tie->mobility_h;
    if (!longer && (w->steps % LOOK_STEPS > 0 || w->h_piece < tie->mobility_h)) return;
    const twMat3 rods = mobility_of_rods(w, c->side);
    const double all = tie->grab ? weave_grab_mobility(w, c, rods) : 0;
    for (int q = 0; q < 3; q++)
    {
        const double now = tie->grab ? all : fmax(rods.m[q][q], 0);
        if (longer || now > MUCH * tie->mobility[q]) tie->mobility[q] = now;
    }
    tie->mobility_h = w->h_piece;
}

// A point as stiff as steps allow, or as told; a turn as the rod is at most. The softer a turn is held, the less it is damped: it
// is a part of the rod then.
static void stiffen(const WeaveTie* tie, WeaveContact* c, int q)
{
    c->own[q] = c->of_bodies[q] + tie->mobility[q];
    // 0: held by the rod's own support, on a body that does not move
    if (!(c->own[q] > 0)) return;
    const double h = tie->mobility_h, unit = 1 / (h * c->own[q]), most = STIFF * unit / h, k = tie->stiffness;
    const double part = tie->turn ? fmin(1, tie->hold[q] / most) : 1;
    c->bond.k[q] = !tie->turn && k > 0 ? fmin(k, STIFFEST * unit / h) : part * most;
    c->bond.c[q] = part * part * DAMPING * unit;
    c->bond.theta[q] = !tie->turn;
}

void weave_stiffen_ties(Weave* w)
{
    for (int k = 0; k < w->contact_count; k++)
    {
        WeaveContact* c = w->contacts + k;
        if (c->touch > -2) continue;
        WeaveTie* tie = w->ties - 2 - c->touch;
        keep_mobility(w, tie, c);
        if (tie->grab) weave_stiffen_grab(w, tie, c);
        for (int q = 0; !tie->grab && q < 3; q++) stiffen(tie, c, q);
        keep_within_budget(tie, w->h_piece, &c->bond);
    }
}

// The bodies hear what ties pull at them: as pushes from outside, since what is tied on does not damp as a touch does.
void weave_give_ties(twWorld* world)
{
    Weave* w = world->weave;
    for (int k = 0; k < w->contact_count; k++)
    {
        const WeaveContact* c = w->contacts + k;
        const WeaveTie* tie = c->touch <= -2 ? w->ties - 2 - c->touch : NULL;
        if (!tie || tie->grab || tie->turn || tie->vertex < 0) continue;
        const Body* body = world->bodies + tie->body;
        if (!body->dynamic && body->mode_count == 0) continue;
        twVec3 pull = {0, 0, 0};
        for (int q = 0; q < 3; q++) pull = tw_vec3_add_scaled(pull, group_get_vec(c->side[0].row[q]), c->end.p[q]);
        // where it is without bending: one that is held stays at one place
        const twVec3 at = tw_vec3_add(body->now.position, tw_quat_rotate(body->now.turn, tie->anchor));
        const twContactForce out = {.id = (uint64_t)1 << 63 | (uint64_t)RECORD_TIE << 32 | (uint64_t)(tie - w->ties),
                                    .time = w->time,
                                    .body = {tie->body, TW_NOWHERE},
                                    .vertex = {{tie->vertex, -1, -1}, {-1, -1, -1}},
                                    .weight = {{1, 0, 0}, {0, 0, 0}},
                                    .point = at,
                                    .normal = {0, 0, 1},
                                    .force = tw_vec3_scale(pull, -1 / w->h_piece)};
        if (!record_add(&w->cluster, &out)) return;
    }
}

int weave_tie_of(const Weave* w, int body)
{
    for (int i = 0; i < w->grab_first; i++)
        if (w->ties[i].body == body) return i;
    return -1;
}

// how many edges a point is before an edge, the nearer way round if the rod is closed
static int edges_between(const StrandShape* shape, int point, int edge)
{
    const int along = edge - point, all = shape->edge_count;
    if (!shape->closed) return along;
    return 2 * along >= all ? along - all : 2 * along < -all ? along + all : along;
}

// whether an edge is so near a tied point that it does not count
static bool is_beside(const Weave* w, const StrandTouch* touch, int side, int rod, int point)
{
    if (touch->rod[side] != rod) return false;
    const int along = edges_between(w->shapes[rod], point, touch->edge[side]);
    return along >= -1 - FREE_EDGES && along <= FREE_EDGES;
}

bool weave_is_tied(const Weave* w, const StrandTouch* touch)
{
    for (int i = 0; i < w->tie_count; i++)
    {
        const WeaveTie* t = w->ties + i;
        if (t->turn || !weave_tie_holds(t)) continue;
        if (touch->rod[1] < 0 && t->body == touch->body && is_beside(w, touch, 0, t->rod, t->point)) return true;
        for (int k = 0; t->grab && t->to_rod >= 0 && k < 2; k++)
            if (is_beside(w, touch, k, t->rod, t->point) && is_beside(w, touch, 1 - k, t->to_rod, t->to_point))
                return true;
    }
    return false;
}
