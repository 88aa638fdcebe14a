// SPDX-License-Identifier: MIT
// The grabs of a world: commands, what they push with, what they do in a step.
//
// A servo moves the point A that it holds by forces at other places of the same body. With the response R of A to impulses at these places, it
// asks for the change of velocity that takes A's error z to 0 in SERVO_STEPS steps,
//
//   du = -(u_free + z/(SERVO_STEPS h)),   P = R^T (R R^T + e I)^-1 du,   |P| <= F h
//
// where e leaves alone directions in which the places hardly move A; it is powerless if more than half of du is missing.
#include "dynamics/weave.h"
#include <float.h>

#define LEAD_PART 0.1      // of the error, by which an exact target leads more after each step
#define SERVO_STEPS 10     // in which a servo takes its error away
#define SERVO_LEAST 1e-4   // e, of the largest eigenvalue that R R^T could have
#define WAY_STEP 1e-6      // by which the rate of a way is found [s]
#define WEIGHT_SLACK 1e-6  // a share may be below 0 by this, and the sum of shares off from 1

// ---- checks ----

twStatus grab_check_surface(const twBodyDef* body, const twSurfacePoint* point, twError* err)
{
    const int vertices = body->shape->contact->vertex_count;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < 3; i++)
    {
        const int v = point->vertex[i];
        if (v < -1 || v >= vertices)
            return tw_fail(err, TW_BAD_INPUT, "body '%s' has no vertex %d; it has %d", body->name, v, vertices);
        if (v < 0) continue;
        if (!(point->weight[i] >= -WEIGHT_SLACK))
            return tw_fail(err, TW_BAD_INPUT, "a vertex has the share %g; it must not be negative", point->weight[i]);
        sum += point->weight[i];
        count++;
    }
    if (count > 0 && !(fabs(sum - 1) <= WEIGHT_SLACK))
        return tw_fail(err, TW_BAD_INPUT, "the shares of the vertices sum to %g, not to 1", sum);
    return TW_OK;
}

twStatus grab_check_point(const twWorld* world, int body, const twSurfacePoint* point, twError* err)
{
    if (body < 0 || body >= world->body_count)
        return tw_fail(err, TW_BAD_INPUT, "there is no body %d; there are %d", body, world->body_count);
    return grab_check_surface(world->def.bodies + body, point, err);
}

static twStatus grab_check_end(const twWorld* world, const twGrabPoint* end, twError* err)
{
    if (end->rod == TW_NOWHERE) return grab_check_point(world, end->body, &end->point, err);
    if (end->body != TW_NOWHERE)
        return tw_fail(err, TW_BAD_INPUT, "a grab holds body %d and rod %d by one point; it must be one of them",
                       end->body, end->rod);
    return weave_check_grab(world, end->rod, end->node, err);
}

twStatus grab_check_numbers(const twGrabDef* def, twError* err)
{
    if ((int)def->kind < TW_GRAB_POSITION || def->kind > TW_GRAB_FORCE)
        return tw_fail(err, TW_BAD_INPUT, "a grab of kind %d is unknown", (int)def->kind);
    if (!world_is_within(def->target, GRAB_LARGEST))
        return tw_fail(err, TW_BAD_INPUT, "the target of a grab is not finite");
    if (!(def->ease >= 0 && def->ease <= GRAB_LARGEST))
        return tw_fail(err, TW_BAD_INPUT, "a grab's ease is %g s; it must be 0 or more", def->ease);
    if (!(def->max_force >= 0 && def->max_force <= GRAB_LARGEST))
        return tw_fail(err, TW_BAD_INPUT, "a grab's largest force is %g N; it must be 0 (none) or more",
                       def->max_force);
    if (!def->along[0] && !def->along[1] && !def->along[2])
        return tw_fail(err, TW_BAD_INPUT, "a grab holds no direction");
    const bool position = def->kind == TW_GRAB_POSITION;
    if (def->exact && !(position && def->max_force > 0))
        return tw_fail(err, TW_BAD_INPUT,
                       "an exact grab is of a position, and needs a largest force: a target out of reach "
                       "would be pulled at ever harder");
    if (def->push_count < 0 || def->push_count > TW_MAX_GRAB_PUSHES)
        return tw_fail(err, TW_BAD_INPUT, "a servo pushes at %d places; 1 to %d are possible", def->push_count,
                       TW_MAX_GRAB_PUSHES);
    if (def->push_count > 0 && !(position && def->max_force > 0))
        return tw_fail(err, TW_BAD_INPUT, "a servo is of a position, and needs a largest force");
    return TW_OK;
}

static twStatus grab_check_ends(const twWorld* world, const twGrabDef* def, twError* err)
{
    if (def->path < TW_NOWHERE || def->path >= world->def.path_count)
        return tw_fail(err, TW_BAD_INPUT, "a grab follows path %d; there are %d", def->path, world->def.path_count);
    const bool two = def->to.body != TW_NOWHERE || def->to.rod != TW_NOWHERE;
    twStatus status = grab_check_end(world, &def->at, err);
    if (status == TW_OK && two) status = grab_check_end(world, &def->to, err);
    if (status == TW_OK && def->at.body != TW_NOWHERE && def->to.body == def->at.body)
        return tw_fail(err, TW_BAD_INPUT, "a grab holds two points of body '%s'; it must be two bodies",
                       world->def.bodies[def->at.body].name);
    if (status == TW_OK && def->at.rod != TW_NOWHERE && def->to.rod == def->at.rod && def->to.node == def->at.node)
        return tw_fail(err, TW_BAD_INPUT, "a grab holds point %d of rod %d to itself", def->at.node, def->at.rod);
    if (status == TW_OK && def->at.rod != TW_NOWHERE && def->push_count > 0)
        return tw_fail(err, TW_BAD_INPUT, "a servo pushes a body; it holds rod %d", def->at.rod);
    for (int i = 0; i < def->push_count && status == TW_OK; i++)
        status = grab_check_point(world, def->push[i].body, &def->push[i].point, err);
    for (int i = 0; i < def->push_count && status == TW_OK; i++)
        if (def->push[i].body != def->at.body)
            return tw_fail(err, TW_BAD_INPUT, "a servo pushes another body than '%s', which it holds",
                           world->def.bodies[def->at.body].name);
    return status;
}

static twStatus grab_check_slot(const twWorld* world, int slot, twError* err)
{
    if (slot >= 0 && slot < world->def.max_grabs) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "there is no slot %d for a grab; there are %d", slot, world->def.max_grabs);
}

static twStatus grab_check(const twWorld* world, int slot, const twGrabDef* def, twError* err)
{
    twStatus status = grab_check_slot(world, slot, err);
    if (status == TW_OK) status = grab_check_numbers(def, err);
    return status == TW_OK ? grab_check_ends(world, def, err) : status;
}

// ---- forces as they are listed ----

// of a grab on its bodies, unless it is as it was
static void grab_list_force(twWorld* world, Cluster* cluster, WorldJoint* joint, double time, twVec3 force)
{
    float* given = joint->grab->given;
    const float f[3] = {(float)force.x, (float)force.y, (float)force.z};
    if (f[0] == given[0] && f[1] == given[1] && f[2] == given[2]) return;
    memcpy(given, f, sizeof f);
    for (int side = 0; side < 2; side++)
    {
        const twGrabPoint* end = side ? &joint->grab->def.to : &joint->grab->def.at;
        const uint64_t number = 2 * (uint64_t)(joint->grab - world->grabs) + (uint64_t)side;
        if (end->body >= 0 && world->bodies[end->body].dynamic)
            record_hand(world, cluster, RECORD_GRAB, number, time, end->body, &end->point,
                        tw_vec3_scale(force, side ? -1 : 1), 0);
    }
}

// ---- commands ----

static WorldJoint* grab_joint(const twWorld* world, int slot) { return world->joints + world->def.joint_count + slot; }

// a body as it is at a time
static BodyPlace grab_place(const twWorld* world, int index, double time)
{
    Body* body = world->bodies + index;
    BodyState now = body->now;
    if (!body->dynamic && body->kind == TW_BODY_MOVED)
    {
        now.q = now.rate = NULL;
        now.time = 0;
        body_drift(body, &now, time);
    }
    return body_place(body, index, &now);
}

// from when on the commands of a grab count: its bodies may be ahead
static double grab_time(const twWorld* world, const int body[2])
{
    double time = world->time;
    for (int side = 0; side < 2; side++)
        if (body[side] >= 0 && world->bodies[body[side]].dynamic) time = fmax(time, world->bodies[body[side]].now.time);
    return time;
}

void grab_wake(Body* body)
{
    for (int j = body->active; j < body->mode_count; j++) body->now.rate[j] = 0;
    body->active = body->bent = body->mode_count;
    body->hold = WAKE_HOLD;
}

// velocity of a point by its body's frame: what it vibrates is for the hand to calm down
static twVec3 grab_frame_velocity(const BodyPlace* place, twVec3 at)
{
    return tw_vec3_add(place->velocity, tw_vec3_cross(place->spin, tw_vec3_sub(at, place->position)));
}

static twVec3 grab_end(const twWorld* world, const twGrabPoint* end, double time, twVec3* velocity)
{
    if (end->rod != TW_NOWHERE) return weave_grab_point(world, end->rod, end->node, velocity);
    const BodyPlace place = grab_place(world, end->body, time);
    const twVec3 at = grab_point(&place, &end->point, NULL);
    *velocity = grab_frame_velocity(&place, at);
    return at;
}

// the point against the other's, of a body in its axes; else where it is in the world
static twVec3 grab_now(const twWorld* world, const twGrabDef* def, double time, twVec3* velocity)
{
    const twVec3 at = grab_end(world, &def->at, time, velocity);
    twVec3 speed;
    if (def->to.rod != TW_NOWHERE)
    {
        const twVec3 to = grab_end(world, &def->to, time, &speed);
        *velocity = tw_vec3_sub(*velocity, speed);
        return tw_vec3_sub(at, to);
    }
    if (def->to.body == TW_NOWHERE) return at;
    const BodyPlace other = grab_place(world, def->to.body, time);
    const twQuat back = tw_quat_conj(other.turn);
    *velocity = tw_quat_rotate(back, tw_vec3_sub(*velocity, grab_frame_velocity(&other, at)));
    return tw_quat_rotate(back, tw_vec3_sub(at, grab_point(&other, &def->to.point, NULL)));
}

// of a position from where it is told to be, along what is held, in the world
static twVec3 grab_error(const twWorld* world, const WorldJoint* joint, double time)
{
    const Grab* grab = joint->grab;
    twVec3 velocity,
        off = tw_vec3_sub(grab_now(world, &grab->def, time, &velocity), grab_path_at(&grab->path, time, NULL));
    off = tw_vec3_sub(off, grab_way(grab, time));
    const int other = grab->def.to.body;
    if (other >= 0) off = tw_quat_rotate(grab_place(world, other, time).turn, off);
    return grab_along(grab, off);
}

// the longest step
static double grab_longest(const twWorld* world) { return world->weave ? world->weave->h : world->def.max_step; }

static void grab_begin_path(const twWorld* world, Grab* grab, double time)
{
    const twGrabDef* def = &grab->def;
    twVec3 velocity, still = {0, 0, 0}, at = grab_now(world, def, time, &velocity), to = def->target;
    const bool position = def->kind == TW_GRAB_POSITION;
    const bool two = def->to.body != TW_NOWHERE || def->to.rod != TW_NOWHERE;
    if (two && def->kind != TW_GRAB_FORCE) to = still;
    if (def->here) to = position ? at : def->kind == TW_GRAB_VELOCITY ? velocity : still;
    const twVec3 now = position ? at : def->kind == TW_GRAB_VELOCITY ? velocity : still;
    // beside the way, from where it is and as fast as it is
    const twVec3 way = grab_way(grab, time), from = tw_vec3_sub(now, way);
    const twVec3 moved = tw_vec3_sub(grab_way(grab, time + WAY_STEP), way);
    grab->path = (GrabPath){.begin = time, .to = from};
    if (def->kind == TW_GRAB_ACCELERATION) grab->speed = velocity;
    velocity = tw_vec3_add_scaled(velocity, moved, -1 / WAY_STEP);
    const double ease = fmax(def->ease, grab_longest(world));
    if (position)
        grab->path = (GrabPath){.begin = time, .span = ease, .from = from, .from_rate = velocity, .to = to};
    else
        grab_path_move(&grab->path, to, def->ease, time, HUGE_VAL, true);
}

// How a point moves by an impulse at another one of its body in a step, in the body's axes, all modes awake: V with v = V p
static twMat3 grab_response(const Body* body, double h, const BodyPlace* place, const twSurfacePoint* of,
                            const twSurfacePoint* by)
{
    const twMat3* inverse = &body->shape->inverse_inertia;
    const twVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                 arm[2] = {grab_local(place, of, true), grab_local(place, by, true)};
    twMat3 v = {{{0}}};
    for (int i = 0; i < 9 && !body->held; i++)
        v.m[i / 3][i % 3] = (i % 4 == 0) / body->shape->mass.mass +
                            tw_vec3_dot(tw_vec3_cross(arm[0], axes[i / 3]),
                                        tw_mat3_mul_vec(*inverse, tw_vec3_cross(arm[1], axes[i % 3])));
    for (int j = 0; j < body->mode_count; j++)
    {
        double stretch, mass = body_mode_mass(body, j, h, &stretch);
        const twVec3 a = grab_shape(place, of, j), b = grab_shape(place, by, j);
        const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
        for (int i = 0; i < 9; i++) v.m[i / 3][i % 3] += stretch * stretch / mass * x[i / 3] * y[i % 3];
    }
    return v;
}

void grab_again(twWorld* world, int body)
{
    for (int i = 0; i < world->def.max_grabs; i++)
    {
        const WorldJoint* joint = grab_joint(world, i);
        Grab* grab = joint->grab;
        if (!grab_has_body(grab, body) || grab->def.kind != TW_GRAB_POSITION) continue;
        const twVec3 to = grab->path.to;
        grab_begin_path(world, grab, grab_time(world, joint->body));
        grab->path.to = to;
    }
}

// W of the bond
static double grab_mobility(const twWorld* world, const twGrabDef* def, double time)
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
    {
        const twGrabPoint* end = side ? &def->to : &def->at;
        if (end->body == TW_NOWHERE || !world->bodies[end->body].dynamic) continue;
        Body* body = world->bodies + end->body;
        const BodyPlace place = grab_place(world, end->body, time);
        sum += world_greatest_eigenvalue(grab_response(body, grab_longest(world), &place, &end->point, &end->point));
    }
    return sum;
}

// what holds two bodies together is stepped together
static void grab_relist(twWorld* world, const int body[2])
{
    world_list_joints(world);
    if (body[0] >= 0 && body[1] >= 0) window_begin(world);
}

static void grab_clear(twWorld* world, WorldJoint* joint)
{
    grab_list_force(world, &world->ends, joint, world->time, tw_vec3(0, 0, 0));
    world->energy.loss[TW_LOSS_ENDED] += joint->memory[0].stored;
    joint->grab->active = false;
    joint->body[0] = joint->body[1] = TW_NOWHERE;
    joint->memory[0] = joint->memory[1] = (SolveMemory){0};
    joint->stored[0] = joint->stored[1] = joint->h = joint->to = 0;
}

twStatus tw_world_grab(twWorld* world, int slot, const twGrabDef* def, twError* err)
{
    twStatus status = grab_check(world, slot, def, err);
    if (status != TW_OK) return status;
    const int body[2] = {def->at.body, def->to.body};
    const bool rods = def->at.rod != TW_NOWHERE || def->to.rod != TW_NOWHERE;
    for (int side = 0; side < 2; side++)
        if (body[side] >= 0 && !tw_world_has_body(world, body[side]))
            return tw_fail(err, TW_BAD_INPUT, "body %d is no more", body[side]);
    const double time = grab_time(world, body), w = grab_mobility(world, def, time), h = grab_longest(world);
    if (!(w > 0) && !rods)
        return tw_fail(err, TW_BAD_INPUT, "body '%s' does not move: there is nothing to be held",
                       world->def.bodies[body[0]].name);
    WorldJoint* joint = grab_joint(world, slot);
    tw_world_release(world, slot);
    Grab* grab = joint->grab;
    *grab = (Grab){.active = true, .def = *def, .ways = world->def.paths, .told = -HUGE_VAL};
    // of rods it is found in the next step
    if (!rods) grab->mobility = w, grab->stiffness = LAW_STIFFEST / (h * h * w);
    grab_begin_path(world, grab, time);
    joint->joint = (Joint){.kind = TW_JOINT_BALL};
    for (int side = 0; side < 2; side++)
    {
        joint->body[side] = rods ? TW_NOWHERE : body[side];
        if (body[side] >= 0 && world->bodies[body[side]].dynamic) grab_wake(world->bodies + body[side]);
    }
    joint->to = time;
    grab_relist(world, joint->body);
    if (world->weave) weave_bind_grab(world, slot);
    return TW_OK;
}

twStatus tw_world_move_grab(twWorld* world, int slot, twVec3 target, double seconds, twError* err)
{
    const twStatus status = grab_check_slot(world, slot, err);
    if (status != TW_OK) return status;
    if (!world_is_within(target, GRAB_LARGEST) || !(seconds >= 0 && seconds <= GRAB_LARGEST))
        return tw_fail(err, TW_BAD_INPUT, "a grab is to move to what is not finite, or in %g s", seconds);
    const WorldJoint* joint = grab_joint(world, slot);
    Grab* grab = joint->grab;
    if (!grab->active) return tw_fail(err, TW_BAD_INPUT, "slot %d holds nothing that could be moved", slot);
    const double time = grab_time(world, joint->body);
    const bool straight = grab->def.kind != TW_GRAB_POSITION;
    if (!straight) seconds = fmax(seconds, grab_longest(world));
    grab_path_move(&grab->path, target, seconds, time, time - grab->told, straight);
    grab->told = time;
    grab->lead_work = grab->lead_budget = 0;
    return TW_OK;
}

void tw_world_release(twWorld* world, int slot)
{
    TW_ASSERT(slot >= 0 && slot < world->def.max_grabs);
    WorldJoint* joint = grab_joint(world, slot);
    if (!joint->grab->active) return;
    const int body[2] = {joint->body[0], joint->body[1]};
    grab_clear(world, joint);
    grab_relist(world, body);
    if (world->weave) weave_bind_grab(world, slot);
}

twGrabView tw_world_grab_view(const twWorld* world, int slot)
{
    TW_ASSERT(slot >= 0 && slot < world->def.max_grabs);
    const WorldJoint* joint = grab_joint(world, slot);
    const Grab* grab = joint->grab;
    twGrabView view = {.active = grab->active};
    if (!grab->active) return view;
    const double time = grab_time(world, joint->body);
    twVec3 velocity;
    view.limited = grab->limited;
    view.powerless = grab->powerless;
    view.force = grab->force;
    view.point = view.target = grab_end(world, &grab->def.at, time, &velocity);
    if (grab->def.kind != TW_GRAB_POSITION) return view;
    const twVec3 error = grab_error(world, joint, time);
    view.target = tw_vec3_sub(view.point, error);
    view.error = tw_vec3_norm(error);
    view.stiffness = grab->def.push_count > 0 ? 0 : grab->stiffness;
    return view;
}

// ---- as it was saved ----

static bool grab_good_path(const GrabPath* p)
{
    return fabs(p->begin) <= GRAB_LARGEST && p->span >= 0 && p->span <= GRAB_LARGEST &&
           world_is_within(p->from, GRAB_LARGEST) && world_is_within(p->from_rate, GRAB_LARGEST) &&
           world_is_within(p->to, GRAB_LARGEST) && world_is_within(p->to_rate, GRAB_LARGEST);
}

bool grab_is_good(const twWorld* world, int slot, const Grab* g)
{
    if (!g->active) return true;
    const bool moves = g->mobility > 0 && g->stiffness > 0, rods = grab_has_rod(g);
    bool fine = grab_check(world, slot, &g->def, NULL) == TW_OK && grab_good_path(&g->path) && (moves || rods) &&
                fabs(g->mobility) <= DBL_MAX && fabs(g->stiffness) <= DBL_MAX &&
                world_is_within(g->speed, GRAB_LARGEST) && world_is_within(g->lead, GRAB_LARGEST) &&
                world_is_within(g->lead_rate, GRAB_LARGEST) && fabs(g->lead_work) <= DBL_MAX && g->lead_budget >= 0 &&
                g->told <= GRAB_LARGEST;
    for (int i = 0; i < 3 && fine; i++) fine = g->given[i] - g->given[i] == 0;
    const int body[2] = {g->def.at.body, g->def.to.body};
    for (int side = 0; side < 2 && fine; side++) fine = body[side] < 0 || tw_world_has_body(world, body[side]);
    return fine;
}

// ---- a step ----

// of a servo: the impulses at its places
static void grab_servo(const Group* g, Grab* grab, const Body* body, twVec3 change)
{
    const twGrabDef* def = &grab->def;
    const BodyPlace place = body_place(body, def->at.body, &body->middle);
    const twMat3 turn = tw_mat3_from_quat(place.turn);
    twMat3 response[TW_MAX_GRAB_PUSHES], square = {{{0}}};
    double most = 0;
    for (int i = 0; i < def->push_count; i++)
    {
        const twMat3 own = grab_response(body, g->h, &place, &def->at.point, &def->push[i].point);
        response[i] = tw_mat3_mul(turn, tw_mat3_mul(own, tw_mat3_transpose(turn)));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                if (!def->along[r]) response[i].m[r][c] = 0;
        const twMat3 s = tw_mat3_mul(response[i], tw_mat3_transpose(response[i]));
        for (int k = 0; k < 9; k++) square.m[k / 3][k % 3] += s.m[k / 3][k % 3];
        most += grab->mobility *
                world_greatest_eigenvalue(grab_response(body, g->h, &place, &def->push[i].point, &def->push[i].point));
    }
    const twVec3 along = grab_along(grab, change);
    twMat3 damped = square, inverse;
    for (int r = 0; r < 3; r++) damped.m[r][r] += SERVO_LEAST * most;
    const twVec3 lambda = tw_mat3_inverse(&inverse, damped) ? tw_mat3_mul_vec(inverse, along) : tw_vec3(0, 0, 0);
    const twVec3 missing = tw_vec3_sub(along, tw_mat3_mul_vec(square, lambda));
    double sum = 0;
    for (int i = 0; i < def->push_count; i++)
    {
        grab->push[i] = tw_vec3_scale(tw_mat3_mul_vec(tw_mat3_transpose(response[i]), lambda), 1 / g->h);
        sum += tw_vec3_dot(grab->push[i], grab->push[i]);
    }
    grab->powerless = tw_vec3_norm(missing) > 0.5 * tw_vec3_norm(along);
    grab->limited = sum > def->max_force * def->max_force;
    for (int i = 0; i < def->push_count && grab->limited; i++)
        grab->push[i] = tw_vec3_scale(grab->push[i], def->max_force / sqrt(sum));
}

// where a servo's point is against its target at the start of the step, and how fast it would be at its end
static twVec3 grab_servo_change(Group* g, const WorldJoint* joint)
{
    const Grab* grab = joint->grab;
    const Body* body = g->world->bodies + joint->body[0];
    BodyPlace place = body_place(body, joint->body[0], &body->middle), other;
    GrabStep step = {.t = g->t, .h = g->h, .place = {&place, NULL}};
    BodyState scratch;
    if (joint->body[1] >= 0)
    {
        other = world_place(g->world, joint->body[1], g->t + 0.5 * g->h, &scratch);
        step.place[1] = &other;
    }
    twVec3 led, velocity, to = grab_aim(grab, &step, &led);
    const twVec3 at = grab_point(&place, &grab->def.at.point, &velocity);
    if (!body->held) velocity = tw_vec3_add_scaled(velocity, g->world->def.gravity, g->h);
    const twVec3 rate = tw_vec3_sub(velocity, led), off = tw_vec3_sub(at, to);
    return tw_vec3_scale(tw_vec3_add_scaled(rate, off, 1 / (SERVO_STEPS * g->h)), -1);
}

void grab_set_force(Grab* grab, double t, double h)
{
    const twGrabDef* def = &grab->def;
    const twVec3 force = grab_led(grab, t, h);
    const double size = tw_vec3_norm(force), most = def->max_force;
    grab->limited = most > 0 && size > most;
    grab->push[0] = grab_along(grab, force);
    if (grab->limited) grab->push[0] = tw_vec3_scale(grab->push[0], most / size);
}

bool grab_push(Group* g, WorldJoint* joint)
{
    Grab* grab = joint->grab;
    const twGrabDef* def = &grab->def;
    const bool servo = def->push_count > 0;
    if (servo)
        grab_servo(g, grab, g->world->bodies + joint->body[0], grab_servo_change(g, joint));
    else
        grab_set_force(grab, g->t, g->h);
    grab->force = tw_vec3(0, 0, 0);
    for (int i = 0; i < (servo ? def->push_count : 1); i++)
    {
        const twGrabPoint* at = servo ? &def->push[i] : &def->at;
        const HandPush push = {at->body, at->point, grab->push[i]};
        grab->force = tw_vec3_add(grab->force, push.force);
        if (g->world->bodies[at->body].dynamic && !push_add_one(g, &push)) return false;
        // a force between two bodies acts on both
        const HandPush back = {def->to.body, def->to.point, tw_vec3_scale(grab->push[i], -1)};
        if (!servo && back.body >= 0 && g->world->bodies[back.body].dynamic && !push_add_one(g, &back)) return false;
    }
    return true;
}

// What is left of the error after a step leads the target of an exact grab. To hold a constant load f without error takes the work f^2/k. The
// lead does no more work than the largest load so far takes, so that it does not drive what swings.
static void grab_follow(const twWorld* world, const WorldJoint* joint, double t, double h)
{
    Grab* grab = joint->grab;
    grab->lead = tw_vec3_add_scaled(grab->lead, grab->lead_rate, h);
    grab->lead_work += h * tw_vec3_dot(grab->force, grab->lead_rate);
    grab->lead_budget = fmax(grab->lead_budget, tw_vec3_dot(grab->force, grab->force) / grab->stiffness);
    grab->lead_rate = tw_vec3(0, 0, 0);
    if (grab->limited) return;
    const twVec3 rate = tw_vec3_scale(grab_error(world, joint, t + h), -LEAD_PART / h);
    if (grab->lead_work < grab->lead_budget || tw_vec3_dot(grab->force, rate) < 0) grab->lead_rate = rate;
}

void grab_end_step(twWorld* world, Cluster* cluster, WorldJoint* joint, double t, double h)
{
    Grab* grab = joint->grab;
    if (grab->def.kind == TW_GRAB_ACCELERATION)
        grab->speed = tw_vec3_add_scaled(grab->speed, tw_vec3_sub(grab_led(grab, t, h), grab->speed), 2);
    if (grab_holds(grab) && grab->def.exact) grab_follow(world, joint, t, h);
    grab_list_force(world, cluster, joint, t, grab->force);
}

void grab_finish(Group* g, WorldJoint* joint, int k)
{
    Grab* grab = joint->grab;
    if (grab_holds(grab))
    {
        const double* p = g->solve.impulse + 3 * k;
        grab->force = tw_vec3(p[0] / g->h, p[1] / g->h, p[2] / g->h);
        grab->limited = g->memory[k].slides;
    }
    grab_end_step(g->world, g->cluster, joint, g->t, g->h);
}
