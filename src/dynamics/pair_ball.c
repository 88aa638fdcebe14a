// SPDX-License-Identifier: MIT
// Balls. Two of them touch where the line of their centres says. A ball touches a surface wherever the distance of its points
// from the centre is least among their neighbours: inside a face, or on an edge or a vertex if no face around it comes
// nearer; on top of a box once, in a groove twice, in a corner three times. Where the mesh stands for a curved surface the
// foot is taken on that (rounding.h), so that a ball rolls from face to face without a jump. Bending of the surface is
// taken away at each foot, as for points (pair.c).
//
// A touch is known again by its normal in the axes of b, since its place is the ball's radius away from the centre along it.
// Its tangent is carried along with b, the body that is no ball, or the second ball, and turned with the normal the short
// way: t - (n . t) (n0 + n) / (1 + n0 . n). So the ball's own spin does not turn it.
#include "dynamics/pair_parts.h"

enum
{
    MOST_FACES = 256,  // near the ball
    MOST_TOUCHES = 16
};

// one touch, in the axes of b at rest
typedef struct Found
{
    double gap;
    twFieldFoot foot;
    PairMemory* old;
    uint64_t id;
    int item;
} Found;

typedef struct FoundList
{
    int count;
    Found item[MOST_TOUCHES];
} FoundList;

// ---- faces near a ball ----

static void look(Pair* pair, const PairView* view, double reach)
{
    // within is a distance from the centre
    const twField* field = view->b->shape->field;
    int most = pair->def.max_candidates < MOST_FACES ? pair->def.max_candidates : MOST_FACES;
    double size = view->a->shape->ball + view->bend_b, within = size + reach + pair->margin, beyond = 0;
    twVec3 y = view->shift;
    twFieldNear near[MOST_FACES];
    double bound = tw_field_bound(field, y);
    pair->stats.refreshes++;
    pair->stats.lookups++;
    pair->point_count = pair->edge_count = 0;
    pair->radius = bound - size;
    if (bound <= within)
    {
        // too many: half as far beyond the nearest
        int count = tw_field_within(field, y, within, near, most, &beyond);
        double nearest = count > most ? fabs(tw_field_foot(field, y).distance) : 0;
        for (int i = 0; i < 20 && count > most; i++)
        {
            within = 0.5 * (within + nearest);
            count = tw_field_within(field, y, within, near, most, &beyond);
        }
        pair->point_count = count < most ? count : most;
        pair->radius = (count > 0 ? within : bound < 0 ? -HUGE_VAL : beyond) - size;
        if (within < size + reach) pair->stats.crowded++;
    }
    PairPoint* points = tw_pair_points(pair);
    for (int i = 0; i < pair->point_count; i++)
        points[i] = (PairPoint){view->which, near[i].face, (double)near[i].away - size};
    tw_pair_look_at(pair, view->which == 0 ? view->a : view->b, view->which == 0 ? view->b : view->a);
}

// nearest points, to the centre y, of the faces that are not farther than limit
static int nearest_points(Pair* pair, const PairView* view, twVec3 y, double low, double limit, twNearest* near)
{
    const twField* field = view->b->shape->field;
    const PairPoint* points = tw_pair_points(pair);
    int count = 0;
    for (int i = 0; i < pair->point_count; i++)
    {
        if (points[i].low >= low) continue;
        const twFieldFace* t = &field->faces[points[i].vertex];
        if (fabs(tw_vec3_dot(t->normal, tw_vec3_sub(y, t->a))) >= limit) continue;
        pair->stats.lookups++;
        near[count] = tw_field_nearest_on(field, points[i].vertex, y);
        count += near[count].distance2 < limit * limit;
    }
    return count;
}

static bool has_vertex(const twFieldFace* t, int v) { return t->v[0] == v || t->v[1] == v || t->v[2] == v; }

// whether no other face at the same edge or vertex comes nearer, but for round-off
static bool is_least(const twField* field, const twNearest* near, int count, int i)
{
    const double equal = 1 - 1e-12;
    if (near[i].feature == TW_FEATURE_FACE) return true;
    bool edge = near[i].feature >= TW_FEATURE_EDGE;
    int corner = near[i].feature - (edge ? TW_FEATURE_EDGE : TW_FEATURE_VERTEX);
    const int* v = field->faces[near[i].face].v;
    for (int k = 0; k < count; k++)
    {
        if (near[k].distance2 >= near[i].distance2 * equal) continue;
        const twFieldFace* t = &field->faces[near[k].face];
        if (has_vertex(t, v[corner]) && (!edge || has_vertex(t, v[(corner + 1) % 3]))) return false;
    }
    return true;
}

// ---- touches of a surface ----

// the foot that a nearest point leads to, with b bent as it is there
static twFieldFoot settle(const PairView* view, const twNearest* nearest, twVec3 y)
{
    const ContactShape* shape = view->b->shape;
    twFieldFoot foot = {.face = nearest->face, .weight = {1 - nearest->v - nearest->w, nearest->v, nearest->w}}, round;
    twNearest at = *nearest;
    if (view->b->mode_count > 0)
    {
        y = tw_vec3_sub(y, tw_pair_bend(view, &foot));
        at = tw_field_nearest_on(shape->field, at.face, y);
    }
    foot = tw_field_foot_of(shape->field, &at, y);
    bool flat = shape->rounding->flat[at.face] && at.feature == TW_FEATURE_FACE;
    if (flat || !(foot.distance > 0) || !tw_rounding_foot(shape->rounding, shape->field, at.face, y, &round))
        return foot;
    return round;
}

// of those with one normal the nearest, of too many the nearest
static void add_found(FoundList* list, const Found* found)
{
    const double same = 0.9994;  // 2 degrees
    int at = 0, far = 0;
    while (at < list->count && tw_vec3_dot(list->item[at].foot.normal, found->foot.normal) < same) at++;
    for (int i = 1; i < list->count; i++)
        if (list->item[i].gap > list->item[far].gap) far = i;
    if (at == list->count && at < MOST_TOUCHES)
        list->item[list->count++] = *found;
    else
    {
        if (at == list->count) at = far;
        if (found->gap < list->item[at].gap) list->item[at] = *found;
    }
}

static twNearest nearest_of(const twNearest* near, int count)
{
    twNearest best = near[0];
    for (int i = 1; i < count; i++)
        if (near[i].distance2 < best.distance2) best = near[i];
    return best;
}

// least distances from outside; centre gets the place of the ball less the bending below it
static void find_feet(Pair* pair, const PairView* view, double reach, double moved, FoundList* list, twVec3* centre)
{
    const ContactShape* shape = view->b->shape;
    twNearest near[MOST_FACES];
    double ball = view->a->shape->ball, low = reach + shape->rounding->bulge + moved;
    double limit = ball + reach + shape->rounding->bulge + 2 * view->bend_b;
    twVec3 y = view->shift;
    int count;
    *centre = y;
    if (view->b->mode_count > 0)
    {
        count = nearest_points(pair, view, y, low, limit, near);
        if (count == 0) return;
        twNearest first = nearest_of(near, count);
        twFieldFoot foot = tw_field_foot_of(shape->field, &first, y);
        *centre = tw_vec3_sub(y, tw_pair_bend(view, &foot));
    }
    count = nearest_points(pair, view, *centre, low, limit, near);
    for (int i = 0; i < count; i++)
    {
        double high = limit - shape->rounding->bulge + shape->rounding->rise[near[i].face];
        if (near[i].distance2 >= high * high || !is_least(shape->field, near, count, i)) continue;
        if (!(tw_field_signed(shape->field, &near[i], *centre, NULL) > 0)) continue;
        Found found = {.foot = settle(view, &near[i], y)};
        found.gap = found.foot.distance - ball;
        if (found.gap < reach) add_found(list, &found);
    }
}

// ---- from step to step ----

// give each touch the memory whose normal is nearest to its own, best ones first
static void recall(Pair* pair, FoundList* list)
{
    const double alike = 0.9;
    PairMemory* memory = tw_pair_memory(pair, pair->now);
    for (int round = 0; round < list->count; round++)
    {
        double best = alike;
        int touch = -1, old = -1;
        for (int i = 0; i < list->count; i++)
            for (int m = 0; m < pair->memory_count; m++)
            {
                double dot = tw_vec3_dot(list->item[i].foot.normal, memory[m].normal);
                if (list->item[i].old || memory[m].used || !(dot > best)) continue;
                best = dot;
                touch = i;
                old = m;
            }
        if (touch < 0) return;
        list->item[touch].old = &memory[old];
        memory[old].used = true;
    }
}

// A ball that was inside and is on no side it was on: its centre has gone through the surface. It stays on that side, and
// what it has come out at is no touch.
static void hold_sides(Pair* pair, const PairView* view, twVec3 centre, FoundList* list)
{
    const double turned = 0.7;
    PairMemory* memory = tw_pair_memory(pair, pair->now);
    for (int m = 0; m < pair->memory_count; m++)
    {
        if (memory[m].used || !(memory[m].gap < 0)) continue;
        pair->stats.sides++;
        twFieldFoot side =
            tw_field_side(view->b->shape->field, centre, memory[m].normal, turned, pair->hold + view->bend_b);
        if (side.face < 0 || side.distance > 0) continue;
        twVec3 beside = tw_vec3_sub(tw_vec3_sub(centre, side.point), tw_vec3_scale(side.normal, side.distance));
        if (tw_vec3_norm(beside) > pair->slack) continue;
        int left = 0;
        for (int i = 0; i < list->count; i++)
            if (tw_vec3_dot(list->item[i].foot.normal, side.normal) > -0.5) list->item[left++] = list->item[i];
        list->count = left;
        Found found = {.gap = side.distance - view->a->shape->ball, .foot = side, .old = &memory[m]};
        memory[m].used = true;
        if (list->count < MOST_TOUCHES) list->item[list->count++] = found;
    }
}

// inside from the start: the shortest way out
static void force_out(Pair* pair, const PairView* view, twVec3 centre, FoundList* list)
{
    const twField* field = view->b->shape->field;
    pair->stats.lookups++;
    if (tw_field_bound(field, centre) > 0) return;
    twFieldFoot foot = tw_field_foot(field, centre);
    if (!(foot.distance <= 0)) return;
    pair->stats.forced++;
    list->item[list->count++] = (Found){.gap = foot.distance - view->a->shape->ball, .foot = foot};
}

// the first number that no touch has or had in the last step; its lowest bits are the serial
static void name_touch(Pair* pair, const PairView* view, const FoundList* list, Found* found)
{
    const PairMemory* memory = tw_pair_memory(pair, pair->now);
    for (int number = 0;; number++)
    {
        Touch touch = {.body = {view->a->body, view->b->body}, .item = number / 4};
        found->item = touch.item;
        found->id = tw_pair_id(&touch, number % 4);
        bool taken = false;
        for (int m = 0; m < pair->memory_count; m++) taken = taken || memory[m].id == found->id;
        for (int i = 0; i < list->count; i++)
            taken = taken || (&list->item[i] != found && list->item[i].id == found->id);
        if (!taken) return;
    }
}

static void name_touches(Pair* pair, const PairView* view, FoundList* list)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i].old)
        {
            list->item[i].id = list->item[i].old->id;
            list->item[i].item = list->item[i].old->item;
        }
    for (int i = 0; i < list->count; i++)
        if (!list->item[i].old) name_touch(pair, view, list, &list->item[i]);

    // in an order that stays
    for (int i = 1; i < list->count; i++)
    {
        Found found = list->item[i];
        int k = i;
        for (; k > 0 && list->item[k - 1].id > found.id; k--) list->item[k] = list->item[k - 1];
        list->item[k] = found;
    }
}

static twVec3 carry_tangent(const PairMemory* old, twVec3 n)
{
    twVec3 t = tw_pair_axis(n);
    double turn = old ? 1 + tw_vec3_dot(old->normal, n) : 0;
    if (turn > 0.1)
        t = tw_vec3_add_scaled(old->tangent, tw_vec3_add(old->normal, n), -tw_vec3_dot(n, old->tangent) / turn);
    return tw_vec3_normalize(tw_vec3_add_scaled(t, n, -tw_vec3_dot(n, t)));
}

static void give_out(Pair* pair, const PairView* view, const Found* found, int slot, Touch* touch)
{
    twVec3 n = found->foot.normal, t = carry_tangent(found->old, n);
    *touch = (Touch){.id = found->id,
                     .body = {view->a->body, view->b->body},
                     .vertex = {-1, -1},
                     .face = found->foot.face,
                     .corner = {-1, -1, -1},
                     .normal = tw_vec3_normalize(tw_mat3_mul_vec(view->rb, n)),
                     .gap = found->gap,
                     .fresh = !found->old,
                     .which = view->which,
                     .item = found->item};
    touch->tangent[0] = tw_mat3_mul_vec(view->rb, t);
    touch->tangent[1] = tw_vec3_cross(touch->normal, touch->tangent[0]);
    touch->point = tw_vec3_add_scaled(view->a->position, touch->normal, -(view->a->shape->ball + 0.5 * found->gap));
    for (int i = 0; i < 3 && touch->face >= 0; i++)
    {
        touch->corner[i] = view->b->shape->faces[touch->face].v[i];
        touch->weight[i] = found->foot.weight[i];
    }
    twVec3 away = tw_vec3_sub(touch->point, view->b->position);
    tw_pair_memory(pair, 1 - pair->now)[slot] =
        (PairMemory){.id = found->id,
                     .which = view->which,
                     .item = found->item,
                     .kept = true,
                     .gap = found->gap,
                     .normal = n,
                     .tangent = t,
                     .point = tw_mat3_mul_vec(tw_mat3_transpose(view->rb), away)};
}

static int give_all(Pair* pair, const PairView* view, FoundList* list, Touch* out)
{
    name_touches(pair, view, list);
    int count = list->count < TW_PAIR_ROOM(pair->def) ? list->count : TW_PAIR_ROOM(pair->def);
    for (int i = 0; i < count; i++) give_out(pair, view, &list->item[i], i, &out[i]);
    pair->now = 1 - pair->now;
    pair->memory_count = count;
    return count;
}

// ---- a step ----

static int two_balls(Pair* pair, const BodyPlace* a, const BodyPlace* b, double reach, Touch* out)
{
    twVec3 way = tw_vec3_sub(a->position, b->position);
    double away = tw_vec3_norm(way), gap = away - a->shape->ball - b->shape->ball;
    if (!(gap < reach))
    {
        pair->memory_count = 0;
        return 0;
    }
    PairView view = {.a = a, .b = b, .rb = tw_mat3_from_quat(b->turn)};
    PairMemory* old = pair->memory_count > 0 ? tw_pair_memory(pair, pair->now) : NULL;
    twVec3 normal = tw_mat3_mul_vec(tw_mat3_transpose(view.rb), tw_vec3_scale(way, 1 / away));

    // one in the other
    if (!(away > 1e-9 * b->shape->ball)) normal = old ? old->normal : tw_vec3(0, 0, 1);
    FoundList list;
    list.count = 1;
    list.item[0] = (Found){.gap = gap, .foot = {.face = -1, .normal = normal}, .old = old};
    return give_all(pair, &view, &list, out);
}

int tw_pair_ball_touches(Pair* pair, const BodyPlace* a, const BodyPlace* b, double reach, Touch* out)
{
    if (a->shape->ball > 0 && b->shape->ball > 0) return two_balls(pair, a, b, reach, out);
    const BodyPlace* surface = a->shape->ball > 0 ? b : a;
    double moved = pair->valid ? tw_pair_motion(pair, a, b) : 0, wide = reach + surface->shape->rounding->bulge;
    bool stale = !pair->valid || !(moved + wide <= pair->radius);
    if (!stale && pair->point_count == 0)
    {
        pair->memory_count = 0;
        return 0;
    }
    PairView view = a->shape->ball > 0 ? tw_pair_view(a, b, 0) : tw_pair_view(b, a, 1);
    if (stale)
    {
        look(pair, &view, wide);
        moved = 0;
    }
    FoundList list;
    twVec3 centre;
    list.count = 0;
    find_feet(pair, &view, reach, moved, &list, &centre);
    PairMemory* memory = tw_pair_memory(pair, pair->now);
    for (int m = 0; m < pair->memory_count; m++) memory[m].used = false;
    recall(pair, &list);
    hold_sides(pair, &view, centre, &list);
    if (list.count == 0) force_out(pair, &view, centre, &list);
    return give_all(pair, &view, &list, out);
}
