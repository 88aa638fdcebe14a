// SPDX-License-Identifier: MIT
// A pair of bodies, step by step. The gap of a point of a: its place, bent by a's modes, is taken into the axes of b; b's own
// bending at the nearest point of its surface is taken away; there b's field at rest gives gap and normal. So nothing is
// ever refitted, at an error of the order of bending times the turn that goes with it.
//
// A point can touch only what its own surface looks against, and only if it leads its neighbours that way: its normal cone
// must hold the contact's normal. That settles thin walls, edges flush with edges and vertices along an edge that crosses
// another; what is left, the choice between two faces that a point is between, stays as it was in the last step.
#include "dynamics/pair_parts.h"
#include <string.h>

// ---- life ----

PairDef tw_pair_def(void)
{
    return (PairDef){.margin = 1e-3,
                     .slack = 1e-5,
                     .hold = 5e-3,
                     .max_candidates = 256,
                     .max_edges = 128,
                     .max_touches = 24,
                     .max_modes = 256};
}

size_t tw_pair_bytes(const PairDef* def)
{
    size_t candidates = (size_t)def->max_candidates, edges = (size_t)def->max_edges;
    return sizeof(Pair) + 2 * (size_t)def->max_modes * sizeof(double) + candidates * sizeof(PairPoint) +
           2 * (candidates + edges) * sizeof(PairMemory) + TW_PAIR_CROSSINGS * edges * sizeof(PairEdge) +
           (2 * edges + (size_t)def->max_touches) * sizeof(int);
}

Pair* tw_pair_init(void* memory, const PairDef* def)
{
    Pair* pair = memory;
    TW_ASSERT(memory && def->max_candidates > 0 && def->max_edges > 0 && def->max_touches > 0 && def->max_modes >= 0);
    memset(memory, 0, sizeof(Pair));  // the arrays have counts
    pair->def = *def;
    return pair;
}

void tw_pair_forget(Pair* pair)
{
    pair->valid = false;
    pair->memory_count = pair->point_count = pair->edge_count = 0;
}

// an item that is in the shape, finite directions
static bool good_memory(const PairMemory* m, const ContactShape* const shape[2])
{
    double sum = m->gap + tw_vec3_norm(m->normal) + tw_vec3_norm(m->tangent) + tw_vec3_norm(m->point);
    if (!(m->which == 0 || m->which == 1) || sum - sum != 0) return false;
    return m->item >= 0 && m->item < (m->edge ? shape[0]->edge_count : shape[m->which]->vertex_count);
}

size_t tw_pair_memory_bytes(void) { return sizeof(PairMemory); }

const void* tw_pair_remembers(const Pair* pair, int* count)
{
    *count = pair->memory_count;
    return tw_pair_memory((Pair*)pair, pair->now);
}

void tw_pair_restore(Pair* pair, const void* memory, int count, const ContactShape* a, const ContactShape* b)
{
    const ContactShape* const shape[2] = {a, b};
    tw_pair_forget(pair);
    if (count < 0 || count > TW_PAIR_ROOM(pair->def)) return;
    PairMemory* to = tw_pair_memory(pair, pair->now);
    memcpy(to, memory, (size_t)count * sizeof *to);
    for (int i = 0; i < count; i++)
        if (!good_memory(to + i, shape)) return;
    pair->memory_count = count;
}

PairStats tw_pair_stats(const Pair* pair) { return pair->stats; }

// ---- motion ----

PairPose tw_pair_pose(const BodyPlace* a, const BodyPlace* b)
{
    twVec3 way = tw_vec3_sub(a->position, b->position);
    return (PairPose){
        tw_quat_mul(tw_quat_conj(b->turn), a->turn),
        {tw_quat_rotate(tw_quat_conj(b->turn), way), tw_quat_rotate(tw_quat_conj(a->turn), tw_vec3_scale(way, -1))}};
}

static double bend_change(const double* then, int then_count, const BodyPlace* place)
{
    double sum = 0;
    int both = then_count < place->mode_count ? then_count : place->mode_count;
    for (int j = 0; j < both; j++) sum += place->shape->motion[j] * fabs(place->amplitude[j] - then[j]);
    for (int j = both; j < then_count; j++) sum += place->shape->motion[j] * fabs(then[j]);
    for (int j = both; j < place->mode_count; j++) sum += place->shape->motion[j] * fabs(place->amplitude[j]);
    return sum;
}

double tw_pair_motion(Pair* pair, const BodyPlace* a, const BodyPlace* b)
{
    // a turn by the angle t moves a point at R by 2 R sin(t/2), and nothing of a ball; seen from either body, whichever is
    // less
    PairPose pose = tw_pair_pose(a, b);
    twQuat turn = tw_quat_mul(tw_quat_conj(pair->pose.turn), pose.turn);
    double chord = 2 * tw_vec3_norm(tw_vec3(turn.x, turn.y, turn.z));
    double bend_a = bend_change(tw_pair_amplitude(pair, 0), pair->mode_count[0], a);
    double bend_b = bend_change(tw_pair_amplitude(pair, 1), pair->mode_count[1], b);
    double radius_a = a->shape->ball > 0 ? 0 : a->shape->radius, radius_b = b->shape->ball > 0 ? 0 : b->shape->radius;
    double seen_by_b = tw_vec3_norm(tw_vec3_sub(pose.offset[0], pair->pose.offset[0])) + chord * radius_a;
    double seen_by_a = tw_vec3_norm(tw_vec3_sub(pose.offset[1], pair->pose.offset[1])) + chord * radius_b;
    double bent = a->mode_count + b->mode_count > 0 ? chord * (tw_place_bend_bound(a) + tw_place_bend_bound(b)) : 0;
    return (seen_by_b < seen_by_a ? seen_by_b : seen_by_a) + bend_a + bend_b + bent;
}

double tw_pair_clearance(const Pair* pair, const BodyPlace* a, const BodyPlace* b)
{
    if (a->shape->ball > 0 && b->shape->ball > 0)
        return tw_vec3_norm(tw_vec3_sub(a->position, b->position)) - a->shape->ball - b->shape->ball;
    if (!pair->valid) return -HUGE_VAL;
    return pair->radius - tw_pair_motion((Pair*)(uintptr_t)pair, a, b);
}

// ---- one point ----

// where a point touches b, in b's axes at rest
typedef struct Contact
{
    double gap;
    twVec3 seen;        // the point
    twVec3 at, normal;  // the point less b's bending
    twFieldFoot foot;   // on b
} Contact;

static bool on_side(const twFieldFoot* side, twVec3 at, double slack, double reach)
{
    if (side->face < 0 || side->distance >= reach) return false;
    twVec3 beside = tw_vec3_sub(tw_vec3_sub(at, side->point), tw_vec3_scale(side->normal, side->distance));
    return tw_vec3_dot(beside, beside) <= slack * slack;
}

// as tw_contact_shape_leads(), with the body as it is bent: what is pressed flat touches with all of its points
static bool leads_bent(const PairView* view, int vertex, twVec3 normal, double tolerance)
{
    const ContactShape* shape = view->a->shape;
    const twVec3 at = tw_pair_seen(view, vertex);
    for (int i = shape->fan_start[vertex]; i < shape->fan_start[vertex + 1]; i++)
    {
        const twVec3 way = tw_vec3_sub(tw_pair_seen(view, shape->fan[i]), at);
        const double along = tw_vec3_dot(normal, way);
        if (along < 0 && along * along > tolerance * tolerance * tw_vec3_dot(way, way)) return false;
    }
    return true;
}

// whether a vertex of a can touch what has this normal, in b's axes
static bool can_touch(const Pair* pair, const PairView* view, int vertex, twVec3 normal, double tolerance)
{
    twVec3 outward = tw_mat3_mul_vec(view->to_b, view->a->shape->normals[vertex]);
    if (tw_vec3_dot(normal, outward) > -0.05) return false;
    if (pair->def.soft && view->a->mode_count > 0) return leads_bent(view, vertex, normal, tolerance);
    twVec3 n = tw_mat3_mul_vec(tw_mat3_transpose(view->to_b), normal);
    return tw_contact_shape_leads(view->a->shape, vertex, n, tolerance);
}

static void set_touch(Touch* touch, const PairView* view, int vertex, const Contact* contact);

// How deep a point was below a face when the step began, by its velocity now. What was not known then, and beyond the
// middle of the body, has not come in there.
static bool came_in(const Pair* pair, const PairView* view, int vertex, const Contact* contact)
{
    const double most = 0.5 * view->b->shape->thickness;
    if (contact->gap > -most || !(pair->ahead < HUGE_VAL)) return true;
    double u[3];
    Touch touch;
    set_touch(&touch, view, vertex, contact);
    tw_touch_velocity(u, &touch, view->a, view->b);
    return contact->gap - pair->ahead * u[0] > -most;
}

// gap and normal at a point. @return false if it does not touch
static bool choose_side(Pair* pair, const PairView* view, int vertex, Contact* contact, const PairMemory* old,
                        double reach)
{
    // a normal that has turned by more than 45 degrees; sines for neighbours that lie before a point, more for one that
    // touched before
    const double turned = 0.7, tolerance = old ? 0.4 : 0.2;
    const twField* field = view->b->shape->field;
    // what did not touch before has not come in from a side that it is deep below
    double thin = fmin(view->a->shape->thickness, view->b->shape->thickness);
    double deepest = old ? -HUGE_VAL : -(reach + 0.25 * thin);
    bool possible = contact->gap < reach && contact->gap > deepest &&
                    can_touch(pair, view, vertex, contact->normal, tolerance) &&
                    (old || came_in(pair, view, vertex, contact));
    if (possible && (!old || tw_vec3_dot(contact->normal, old->normal) > turned)) return true;

    // the side it was on, or the one it can touch
    twVec3 outward = tw_mat3_mul_vec(view->to_b, view->a->shape->normals[vertex]);
    twVec3 facing = old ? old->normal : tw_vec3_scale(outward, -1);
    twFieldFoot side = tw_field_side(field, contact->at, facing, old ? turned : 0.05, pair->hold);
    pair->stats.sides++;
    bool good = on_side(&side, contact->at, pair->slack, reach) && side.distance > deepest &&
                can_touch(pair, view, vertex, side.normal, tolerance);

    // the nearer one must be much nearer to take over
    if (possible && good) good = fabs(side.distance) < 1.5 * fabs(contact->gap) + 1e-2 * pair->slack;
    Contact other = *contact;
    other.gap = side.distance;
    other.normal = side.normal;
    other.foot = side;
    if (!good || !(old || came_in(pair, view, vertex, &other))) return possible;
    *contact = other;
    return true;
}

static bool find_contact(Pair* pair, const PairView* view, int vertex, const PairMemory* old, double reach,
                         Contact* contact)
{
    const twField* field = view->b->shape->field;
    bool bends = view->b->mode_count > 0, inside = old && old->gap < 0;
    twVec3 y = tw_pair_seen(view, vertex), gradient;
    contact->seen = contact->at = y;
    if (bends)
    {
        pair->stats.lookups++;
        if (!inside && tw_field_bound(field, y) - view->bend_b >= reach) return false;
        pair->stats.lookups++;
        contact->foot = tw_field_foot(field, y);
        contact->at = tw_vec3_sub(y, tw_pair_bend(view, &contact->foot));
    }
    pair->stats.lookups++;
    contact->gap = tw_field_at(field, contact->at, &gradient);
    if (!inside && contact->gap >= reach) return false;
    contact->normal = tw_vec3_normalize(gradient);
    // half way between sides the interpolated distance is flat: there the way out is that of the nearest face
    if (!(tw_vec3_max(gradient) > 0)) contact->normal = tw_field_foot(field, contact->at).normal;
    // the foot that b's bending was taken at is the one to push
    if (!bends) contact->foot.face = -1;
    return choose_side(pair, view, vertex, contact, old, reach);
}

// ---- all points ----

static void set_foot(Touch* touch, const PairView* view, const twFieldFoot* foot)
{
    touch->face = foot->face;
    for (int i = 0; i < 3; i++)
    {
        touch->corner[i] = view->b->shape->faces[foot->face].v[i];
        touch->weight[i] = foot->weight[i];
    }
}

// feet of the touches given out that need them only now: on bodies that do not bend
static void find_feet(Pair* pair, const PairView view[2], Touch* touches, int count)
{
    for (int i = 0; i < count; i++)
    {
        const PairView* seen = &view[touches[i].which];
        if (touches[i].edge || touches[i].face >= 0) continue;
        twFieldFoot foot = tw_field_foot(seen->b->shape->field, tw_pair_seen(seen, touches[i].vertex[0]));
        pair->stats.lookups++;
        set_foot(&touches[i], seen, &foot);
    }
}

static void set_touch(Touch* touch, const PairView* view, int vertex, const Contact* contact)
{
    *touch = (Touch){.body = {view->a->body, view->b->body},
                     .vertex = {vertex, vertex},
                     .share = {1, 0},
                     .face = -1,
                     .gap = contact->gap,
                     .which = view->which,
                     .item = vertex};
    if (contact->foot.face >= 0) set_foot(touch, view, &contact->foot);
    touch->normal = tw_mat3_mul_vec(view->rb, contact->normal);
    touch->point = tw_vec3_add_scaled(tw_pair_world(view, contact->seen), touch->normal, -0.5 * contact->gap);
}

// the memory of a point; memories of points rise, and so do points
static PairMemory* recall(PairMemory* memory, int count, int* next, int which, int vertex)
{
    while (*next < count && !memory[*next].edge &&
           (memory[*next].which < which || (memory[*next].which == which && memory[*next].item < vertex)))
        ++*next;
    PairMemory* m = &memory[*next];
    return *next < count && !m->edge && m->which == which && m->item == vertex ? m : NULL;
}

int tw_pair_point_touches(Pair* pair, const PairView view[2], double reach, double moved, Touch* out,
                          const PairReject* forced, PairReject* reject)
{
    const PairPoint* points = tw_pair_points(pair);
    PairMemory* memory = tw_pair_memory(pair, pair->now);
    int count = 0, next = 0;
    for (int i = 0; i < pair->point_count; i++)
    {
        int which = points[i].which, vertex = points[i].vertex;
        if (points[i].low - moved >= reach) continue;
        PairMemory* old = recall(memory, pair->memory_count, &next, which, vertex);
        Contact contact = {.gap = HUGE_VAL};
        bool touches = find_contact(pair, &view[which], vertex, old, reach, &contact);
        if (!touches && contact.gap < reject->gap) *reject = (PairReject){which, vertex, contact.gap};
        if (!touches && !(forced->gap < 0 && forced->which == which && forced->vertex == vertex)) continue;
        set_touch(&out[count], &view[which], vertex, &contact);
        tw_pair_remember(pair, &view[which], &out[count], count, old);
        count++;
    }
    return count;
}

// ---- memory ----

uint64_t tw_pair_id(const Touch* touch, int serial)
{
    return (uint64_t)touch->body[0] << 44 | (uint64_t)touch->body[1] << 24 | (uint64_t)(touch->edge ? 1 : 0) << 23 |
           (uint64_t)serial << 21 | (uint64_t)touch->item;
}

// an id that no other has: the edge it is made of may have handed its own on
static uint64_t new_id(Pair* pair, const Touch* touch, int count)
{
    const PairMemory *old = tw_pair_memory(pair, pair->now), *fresh = tw_pair_memory(pair, 1 - pair->now);
    uint64_t id = tw_pair_id(touch, 0);
    for (int serial = 0; serial < 4 && touch->edge; serial++)
    {
        id = tw_pair_id(touch, serial);
        bool taken = false;
        for (int i = 0; i < pair->memory_count; i++) taken = taken || old[i].id == id;
        for (int i = 0; i < count; i++) taken = taken || fresh[i].id == id;
        if (!taken) break;
    }
    return id;
}

twVec3 tw_pair_axis(twVec3 n)
{
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    return x <= y && x <= z ? tw_vec3(1, 0, 0) : y <= z ? tw_vec3(0, 1, 0) : tw_vec3(0, 0, 1);
}

void tw_pair_remember(Pair* pair, const PairView* view, Touch* touch, int slot, PairMemory* old)
{
    PairMemory* memory = &tw_pair_memory(pair, 1 - pair->now)[slot];
    twMat3 to_rest = tw_mat3_transpose(view->rb);
    twVec3 n = tw_mat3_mul_vec(to_rest, touch->normal), t = old ? old->tangent : tw_pair_axis(n);

    // the old tangent, carried along with b and laid across the new normal
    t = tw_vec3_add_scaled(t, n, -tw_vec3_dot(t, n));
    if (tw_vec3_dot(t, t) < 0.01) t = tw_pair_axis(n), t = tw_vec3_add_scaled(t, n, -tw_vec3_dot(t, n));
    t = tw_vec3_normalize(t);
    touch->tangent[0] = tw_mat3_mul_vec(view->rb, t);
    touch->tangent[1] = tw_vec3_cross(touch->normal, touch->tangent[0]);
    touch->fresh = !old;
    touch->id = old ? old->id : new_id(pair, touch, slot);
    *memory = (PairMemory){.id = touch->id,
                           .which = touch->which,
                           .item = touch->item,
                           .edge = touch->edge,
                           .kept = old && old->kept,
                           .gap = touch->gap,
                           .normal = n,
                           .tangent = t};
    memory->point = tw_mat3_mul_vec(to_rest, tw_vec3_sub(touch->point, view->b->position));
    if (old) old->used = true;
}

// ---- a step ----

PairView tw_pair_view(const BodyPlace* a, const BodyPlace* b, int which)
{
    PairView view = {
        .which = which, .a = a, .b = b, .ra = tw_mat3_from_quat(a->turn), .rb = tw_mat3_from_quat(b->turn)};
    twMat3 inverse = tw_mat3_transpose(view.rb);
    view.to_b = tw_mat3_mul(inverse, view.ra);
    view.shift = tw_vec3_add(tw_mat3_mul_vec(inverse, tw_vec3_sub(a->position, b->position)), b->shape->centre);
    view.bend_a = tw_place_bend_bound(a);
    view.bend_b = tw_place_bend_bound(b);
    return view;
}

static bool any_inside(const Touch* touches, int count)
{
    for (int i = 0; i < count; i++)
        if (touches[i].gap < 0) return true;
    return false;
}

static int find_touches(Pair* pair, const PairView view[2], double reach, double moved, Touch* out)
{
    PairReject none = {0, 0, 0}, reject = none;
    int count = tw_pair_point_touches(pair, view, reach, moved, out, &none, &reject);
    count = tw_pair_edge_touches(pair, view, reach, out, count);
    if (!(reject.gap < 0) || any_inside(out, count)) return count;

    // inside each other and no touch says so: better a doubtful one than none
    PairMemory* memory = tw_pair_memory(pair, pair->now);
    for (int i = 0; i < pair->memory_count; i++) memory[i].used = false;
    pair->stats.forced++;
    count = tw_pair_point_touches(pair, view, reach, moved, out, &reject, &none);
    return tw_pair_edge_touches(pair, view, reach, out, count);
}

// somewhere, and bent by something finite; NaN is nowhere
static bool is_somewhere(const BodyPlace* place)
{
    const double limit = 1e12;
    twVec3 p = place->position;
    return fabs(p.x) < limit && fabs(p.y) < limit && fabs(p.z) < limit && fabs(tw_quat_norm(place->turn) - 1) < 1e-3 &&
           tw_place_bend_bound(place) < limit;
}

// lengths are meant for bodies that one can hold in the hands: those of others are in proportion
static void set_lengths(Pair* pair, const ContactShape* a, const ContactShape* b)
{
    const double small = 5e-3, large = 1;
    double size = a->radius < b->radius ? a->radius : b->radius;
    double scale = size < small ? size / small : size > large ? size / large : 1;
    pair->margin = scale * pair->def.margin;
    pair->slack = scale * pair->def.slack;
    pair->hold = fmax(0.25 * size, pair->def.hold);
}

int tw_pair_touches(Pair* pair, const BodyPlace* a, const BodyPlace* b, double reach, Touch* out)
{
    return tw_pair_touches_ahead(pair, a, b, reach, HUGE_VAL, out);
}

int tw_pair_touches_ahead(Pair* pair, const BodyPlace* a, const BodyPlace* b, double reach, double ahead, Touch* out)
{
    pair->stats.steps++;
    pair->ahead = ahead;
    if (!is_somewhere(a) || !is_somewhere(b))
    {
        tw_pair_forget(pair);
        pair->stats.lost++;
        return 0;
    }
    set_lengths(pair, a->shape, b->shape);
    if (a->shape->ball > 0 || b->shape->ball > 0) return tw_pair_ball_touches(pair, a, b, reach, out);
    double moved = pair->valid ? tw_pair_motion(pair, a, b) : 0;
    bool stale = !pair->valid || !(moved + reach <= pair->radius);
    if (!stale && pair->point_count + pair->edge_count == 0)
    {
        pair->memory_count = 0;
        return 0;
    }
    PairView view[2] = {tw_pair_view(a, b, 0), tw_pair_view(b, a, 1)};
    if (stale)
    {
        tw_pair_refresh(pair, view, reach);
        moved = 0;
    }
    int count = find_touches(pair, view, reach, moved, out);
    bool changed = count != pair->memory_count;
    for (int i = 0; i < count; i++) changed = changed || out[i].fresh;
    pair->now = 1 - pair->now;
    pair->memory_count = count;
    count = tw_pair_reduce(pair, view, out, count, changed);
    find_feet(pair, view, out, count);
    return count;
}
