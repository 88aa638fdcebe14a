// SPDX-License-Identifier: MIT
// Flat places. A foot f on a face, and no face nearer to f than room that is not in the plane of that face or wholly below it: then the
// disc of this radius about f is surface, since that has no border. A point y at the height h above the plane is farther than room -
// |y - f| from all else but what is below, and from that farther than h. So if h + |y - f| <= room, the nearest point is the one below it, on one
// of the faces of the plane: these are remembered, as tw_field_foot() takes longer. From below h is a lower bound of the distance still.
#include "dynamics/strand_body_parts.h"
#include "mesh/field.h"

enum
{
    FACES = 256,  // that a flat place may have
    RETRY = 256,  // steps until it is tried again where there is none
    TRIES = 6     // each with half of the room
};

// height above the plane; @return whether y is over or under the flat place
static bool is_over(const StrandFlat* flat, twVec3 y, double* height, bool* nearest)
{
    const twVec3 way = tw_vec3_sub(y, flat->foot);
    const double h = *height = tw_vec3_dot(flat->normal, way), way2 = tw_vec3_dot(way, way);
    const double room = flat->room - fabs(h), deep = flat->deep - fabs(h);
    const bool over = flat->count > 0 && room > 0 && way2 <= room * room;
    *nearest = over && (h >= 0 || (deep > 0 && way2 <= deep * deep));
    return over;
}

// 0: a face in the plane, but for rounding; -1: wholly below it; 1: neither
static int side_of(const twFieldFace* face, const StrandFlat* flat)
{
    const double level = 1e-12 * (fabs(face->a.x) + fabs(face->a.y) + fabs(face->a.z)) + 1e-12 * sqrt(face->abab);
    const twVec3 a = tw_vec3_sub(face->a, flat->foot), n = flat->normal;
    const double h[3] = {tw_vec3_dot(n, a), tw_vec3_dot(n, tw_vec3_add(a, face->ab)),
                         tw_vec3_dot(n, tw_vec3_add(a, face->ac))};
    int below = 0, on = 0;
    for (int i = 0; i < 3; i++)
    {
        below += h[i] < -level;
        on += fabs(h[i]) <= level;
    }
    if (below == 3) return -1;
    return on == 3 && tw_vec3_dot(face->normal, n) > 1 - 1e-9 ? 0 : 1;
}

// all that is not level, or not known, limits it. @return false if too many faces are near
static bool measure(const twField* field, StrandFlat* flat, double radius)
{
    twFieldNear near[FACES];
    double beyond;
    const int count = tw_field_within(field, flat->foot, radius, near, FACES, &beyond);
    if (count > FACES) return false;
    flat->room = flat->deep = beyond < radius ? beyond : radius;
    for (int i = 0; i < count; i++)
    {
        const double away = (double)near[i].away;
        const int side = side_of(&field->faces[near[i].face], flat);
        if (side != 0 && away < flat->deep) flat->deep = away;
        if (side > 0 && away < flat->room) flat->room = away;
    }
    return true;
}

static void look_for(StrandView const* view, StrandFlat* flat, const twFieldFoot* foot)
{
    const twField* field = view->body->shape->field;
    const StrandBody* pair = view->pair;
    *flat = (StrandFlat){.foot = foot->point, .normal = field->faces[foot->face].normal};
    flat->again = pair->stats.steps + RETRY;
    double radius = 2 * STRAND_CHUNK * pair->rod->longest;
    for (int i = 0; i < TRIES; i++, radius *= 0.5)
        if (measure(field, flat, radius)) break;
    flat->face[0] = foot->face;
    flat->count = flat->room > 4 * fabs(foot->distance) ? 1 : 0;
}

// The nearest point, if it is well inside a face that is known: then it is that of tw_field_foot() to the bit. On edges between faces of
// the plane it might be another face, or rounded otherwise.
static bool foot_below(const twField* field, StrandFlat* flat, twVec3 y, twFieldFoot* foot)
{
    const double inside = 1e-6;
    for (int i = 0; i < flat->count; i++)
    {
        const int k = flat->last + i < flat->count ? flat->last + i : flat->last + i - flat->count;
        const twNearest nearest = tw_field_nearest_on(field, flat->face[k], y);
        if (nearest.feature != TW_FEATURE_FACE || !(nearest.v > inside && nearest.w > inside)) continue;
        if (!(1 - nearest.v - nearest.w > inside)) continue;
        flat->last = k;
        *foot = tw_field_foot_of(field, &nearest, y);
        return true;
    }
    return false;
}

// no face twice: a foot on an edge may be of one that is known
static void know(StrandFlat* flat, int face)
{
    for (int i = 0; i < flat->count; i++)
        if (flat->face[i] == face) return;
    flat->last = flat->count < STRAND_FLATS ? flat->count++ : (flat->last + 1) % STRAND_FLATS;
    flat->face[flat->last] = face;
}

twFieldFoot strand_body_foot(const StrandView* view, int chunk, twVec3 y)
{
    const twField* field = view->body->shape->field;
    StrandFlat* flat = &view->pair->flats[chunk];
    double height;
    twFieldFoot foot;
    bool over;
    is_over(flat, y, &height, &over);
    if (over && foot_below(field, flat, y, &foot)) return foot;
    view->pair->stats.lookups++;
    foot = tw_field_foot(field, y);
    if (foot.face < 0) return foot;
    if (over)
        know(flat, foot.face);
    else if (view->pair->stats.steps >= flat->again)
        look_for(view, flat, &foot);
    return foot;
}

static twVec3 in_body(const StrandView* view, twVec3 x)
{
    const twVec3 way = tw_vec3_sub(x, view->body->position);
    return tw_vec3_add(tw_mat3_mul_vec(view->to_body, way), view->body->shape->centre);
}

double strand_body_bound(const StrandView* view, int chunk, twVec3 x, bool* flat)
{
    const BodyPlace* body = view->body;
    *flat = false;
    if (body->shape->ball > 0) return tw_vec3_norm(tw_vec3_sub(x, body->position)) - body->shape->ball;
    const twVec3 y = in_body(view, x);
    double height;
    bool nearest;
    *flat = is_over(&view->pair->flats[chunk], y, &height, &nearest);
    if (*flat) return height - view->bend;
    view->pair->stats.bounds++;
    return tw_field_bound(body->shape->field, y) - view->bend;
}

double strand_body_edge_bound(const StrandView* view, int chunk, twVec3 a, twVec3 b, const double near[2], bool flat,
                              double enough, int halvings)
{
    double least = near[0] < near[1] ? near[0] : near[1];
    if (flat) return least;
    double low = 0.5 * (near[0] + near[1] - tw_vec3_norm(tw_vec3_sub(b, a)));
    low = low < least ? low : least;
    if (low > enough || least <= enough || halvings == 0) return low;
    twVec3 middle = tw_vec3_scale(tw_vec3_add(a, b), 0.5);
    bool over;
    double half = strand_body_bound(view, chunk, middle, &over), before[2] = {near[0], half},
           behind[2] = {half, near[1]};
    double first = strand_body_edge_bound(view, chunk, a, middle, before, false, enough, halvings - 1);
    if (first <= enough) return first;
    double second = strand_body_edge_bound(view, chunk, middle, b, behind, false, enough, halvings - 1);
    return first < second ? first : second;
}
