// SPDX-License-Identifier: MIT
// A grab's row along a direction d of the world has the error and the rate
//
//   z = d.(A - g),   w = d.(v(A) - g'),     A the point that is held, g its target
//
// and pushes by p = -h clip(k z1 + c w, F) with z1 = z0 + h w. One k and one c serve all three rows, from how easily the point moves along
// whatever direction, k = STIFF/(h^2 W) at the longest step h. g over a step is a straight line between g(t) and g(t + h), so that z1 is the
// error against g(t + h), and the work of the hand is -p.g'. Of another body g is its point, and it gets -p where A is.
#include "dynamics/grab.h"

// ---- points ----

twSurfacePoint tw_surface_vertex(int vertex) { return (twSurfacePoint){{vertex, -1, -1}, {1, 0, 0}}; }

twGrabDef tw_grab_def(void)
{
    const twGrabPoint none = {TW_NOWHERE, tw_surface_vertex(0), TW_NOWHERE, 0};
    return (twGrabDef){.at = none, .to = none, .along = {true, true, true}, .path = TW_NOWHERE, .ease = 0.05};
}

int grab_vertices(const twSurfacePoint* point, int vertex[3], double weight[3])
{
    int count = 0;
    for (int i = 0; i < 3; i++)
    {
        if (point->vertex[i] < 0) continue;
        vertex[count] = point->vertex[i];
        weight[count++] = point->weight[i];
    }
    return count;
}

// in the body's axes, from its mass centre: at rest and by its modes
twVec3 grab_local(const BodyPlace* place, const twSurfacePoint* point, bool bent)
{
    int vertex[3];
    double weight[3];
    const int count = grab_vertices(point, vertex, weight);
    twVec3 at = {0, 0, 0};
    for (int i = 0; i < count; i++)
    {
        at = tw_vec3_add_scaled(at, place->shape->vertices[vertex[i]], weight[i]);
        if (bent && place->mode_count > 0) at = tw_vec3_add_scaled(at, tw_place_bend(place, vertex[i]), weight[i]);
    }
    return at;
}

twVec3 grab_shape(const BodyPlace* place, const twSurfacePoint* point, int mode)
{
    int vertex[3];
    double weight[3];
    const int count = grab_vertices(point, vertex, weight);
    const size_t modes = (size_t)place->shape->mode_count;
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
    {
        const float* u = place->shape->shape + 3 * modes * (size_t)vertex[i] + mode;
        sum = tw_vec3_add_scaled(sum, tw_vec3((double)u[0], (double)u[modes], (double)u[2 * modes]), weight[i]);
    }
    return sum;
}

twVec3 grab_point(const BodyPlace* place, const twSurfacePoint* point, twVec3* velocity)
{
    const twVec3 arm = tw_quat_rotate(place->turn, grab_local(place, point, true));
    if (velocity)
    {
        BodyPlace moving = *place;
        moving.amplitude = place->rate;
        const twVec3 bend = tw_vec3_sub(grab_local(&moving, point, true), grab_local(&moving, point, false));
        *velocity = tw_vec3_add(place->velocity, tw_vec3_cross(place->spin, arm));
        *velocity = tw_vec3_add(*velocity, tw_quat_rotate(place->turn, bend));
    }
    return tw_vec3_add(place->position, arm);
}

twVec3 grab_along(const Grab* grab, twVec3 v)
{
    const bool* along = grab->def.along;
    return tw_vec3(along[0] ? v.x : 0, along[1] ? v.y : 0, along[2] ? v.z : 0);
}

void grab_axes(const Grab* grab, twVec3 axes[3])
{
    for (int r = 0; r < 3; r++) axes[r] = grab_along(grab, tw_vec3(r == 0, r == 1, r == 2));
}

// ---- paths ----

// the cubic from (a, v) to (b, w) in a span of time, s of it gone
static twVec3 grab_cubic(twVec3 a, twVec3 v, twVec3 b, twVec3 w, double span, double s, twVec3* rate)
{
    const twVec3 way = tw_vec3_sub(b, a), v1 = tw_vec3_scale(v, span), w1 = tw_vec3_scale(w, span);
    const twVec3 c2 = tw_vec3_sub(tw_vec3_scale(way, 3), tw_vec3_add(tw_vec3_scale(v1, 2), w1));
    const twVec3 c3 = tw_vec3_sub(tw_vec3_add(v1, w1), tw_vec3_scale(way, 2));
    *rate = tw_vec3_scale(tw_vec3_add_scaled(tw_vec3_add_scaled(v1, c2, 2 * s), c3, 3 * s * s), 1 / span);
    return tw_vec3_add_scaled(tw_vec3_add_scaled(tw_vec3_add_scaled(a, v1, s), c2, s * s), c3, s * s * s);
}

twVec3 grab_path_at(const GrabPath* path, double time, twVec3* rate)
{
    const twVec3 still = {0, 0, 0};
    const double since = time - path->begin, span = path->span;
    twVec3 scratch;
    if (!rate) rate = &scratch;
    // before it began it came as it goes on from there
    if (since < 0)
    {
        *rate = path->from_rate;
        return tw_vec3_add_scaled(path->from, path->from_rate, since);
    }
    if (since < span) return grab_cubic(path->from, path->from_rate, path->to, path->to_rate, span, since / span, rate);
    if (since < 2 * span && tw_vec3_max(path->to_rate) > 0)
        return grab_cubic(path->to, path->to_rate, path->to, still, span, since / span - 1, rate);
    *rate = still;
    return path->to;
}

void grab_path_move(GrabPath* path, twVec3 to, double seconds, double time, double since, bool straight)
{
    twVec3 rate;
    const twVec3 from = grab_path_at(path, time, &rate), before = path->to;
    *path = (GrabPath){.begin = time, .span = seconds, .from = from, .from_rate = rate, .to = to};
    // one of many moves goes on as fast as they go
    if (!straight && since > 0.5 * seconds && since < 2 * seconds)
        path->to_rate = tw_vec3_scale(tw_vec3_sub(to, before), 1 / since);
    if (straight && seconds > 0) path->from_rate = path->to_rate = tw_vec3_scale(tw_vec3_sub(to, from), 1 / seconds);
    if (straight && !(seconds > 0)) path->from_rate = tw_vec3(0, 0, 0);
}

twVec3 grab_way(const Grab* grab, double time)
{
    const twPathDef* way = grab->def.path < 0 ? NULL : &grab->ways[grab->def.path];
    return way ? way->at(time, way->context) : tw_vec3(0, 0, 0);
}

// of straight lines: where they end they stay
static twVec3 grab_straight(const Grab* grab, double time)
{
    const bool there = !(time < grab->path.begin + grab->path.span);
    return tw_vec3_add(there ? grab->path.to : grab_path_at(&grab->path, time, NULL), grab_way(grab, time));
}

// where a target is told to be
static twVec3 grab_told(const Grab* grab, double time)
{
    return tw_vec3_add(grab_path_at(&grab->path, time, NULL), grab_way(grab, time));
}

// ---- the bond ----

// target, and its mean rate in a step; of another body in its axes, beside its point
static twVec3 grab_target(const Grab* grab, double t, double h, twVec3* rate)
{
    const twVec3 a = tw_vec3_add(grab_told(grab, t), grab->lead),
                 b = tw_vec3_add_scaled(tw_vec3_add(grab_told(grab, t + h), grab->lead), grab->lead_rate, h);
    *rate = h > 0 ? tw_vec3_scale(tw_vec3_sub(b, a), 1 / h) : tw_vec3(0, 0, 0);
    return tw_vec3_scale(tw_vec3_add(a, b), 0.5);
}

twVec3 grab_led(const Grab* grab, double t, double h)
{
    twVec3 rate = grab_straight(grab, t + 0.5 * h);
    if (grab->def.kind == TW_GRAB_ACCELERATION) return tw_vec3_add_scaled(grab->speed, rate, 0.5 * h);
    if (grab->def.kind == TW_GRAB_POSITION) grab_target(grab, t, h, &rate);
    return rate;
}

static double grab_row_rate(const double* row, const BodyPlace* place, bool held)
{
    const double rigid[6] = {place->velocity.x, place->velocity.y, place->velocity.z,
                             place->spin.x,     place->spin.y,     place->spin.z};
    double sum = 0;
    int n = 0;
    for (; n < 6 && !held; n++) sum += row[n] * rigid[n];
    for (int j = 0; j < place->mode_count; j++) sum += row[n + j] * place->rate[j];
    return sum;
}

// one side's rows, their rates, and what is prescribed of them
static void grab_side(const Grab* grab, const GrabStep* step, int side, twVec3 at, double rate[3], double wall[3])
{
    const double sign = side ? -1 : 1;
    const bool held = step->held[side];
    BodyPlace place = *step->place[side];
    const twVec3 arm = tw_vec3_sub(at, place.position);
    const twVec3 led = tw_vec3_add(place.velocity, tw_vec3_cross(place.spin, arm));
    twVec3 axes[3];
    int vertex[3];
    double weight[3];
    const int count = grab_vertices(side ? &grab->def.to.point : &grab->def.at.point, vertex, weight);
    place.mode_count = step->awake[side];
    grab_axes(grab, axes);
    for (int r = 0; r < 3; r++)
    {
        if (held) wall[r] += sign * tw_vec3_dot(axes[r], led);
        if (!step->row[side]) continue;
        double* row = step->row[side] + r * tw_touch_size(&place, held);
        tw_touch_row(row, &place, held, arm, axes[r], vertex, weight, count, sign);
        rate[r] += grab_row_rate(row, &place, held);
    }
}

// where the target is in the middle of the step, and how fast it is led
twVec3 grab_aim(const Grab* grab, const GrabStep* step, twVec3* led)
{
    twVec3 at = grab_target(grab, step->t, step->h, led);
    *led = grab_led(grab, step->t, step->h);
    if (!step->place[1]) return at;
    *led = tw_quat_rotate(step->place[1]->turn, *led);
    return tw_vec3_add(grab_point(step->place[1], &grab->def.to.point, NULL), tw_quat_rotate(step->place[1]->turn, at));
}

void grab_block(const Grab* grab, const GrabStep* step, double offset[3], double wall[3], SolveBond* bond)
{
    const bool place = grab->def.kind == TW_GRAB_POSITION;
    twVec3 led;
    const twVec3 to = grab_aim(grab, step, &led), at = grab_point(step->place[0], &grab->def.at.point, NULL);
    const twVec3 off = tw_vec3_sub(at, to);
    const double z[3] = {off.x, off.y, off.z};
    double rate[3] = {0, 0, 0};
    led = grab_along(grab, led);
    wall[0] = -led.x, wall[1] = -led.y, wall[2] = -led.z;
    *bond = (SolveBond){.drives = !place, .max_force = grab->def.max_force, .mobility = grab->mobility};
    for (int side = 0; side < 2; side++)
        if (step->place[side]) grab_side(grab, step, side, at, rate, wall);
    for (int r = 0; r < 3; r++)
    {
        const bool held = grab->def.along[r];
        bond->stiff[r] = held;
        bond->theta[r] = 1;
        bond->stiffness[r] = held && place ? grab->stiffness : 0;
        offset[r] = held && place ? z[r] - 0.5 * step->h * (rate[r] + wall[r]) : 0;
    }
}
