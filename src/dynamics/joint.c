// SPDX-License-Identifier: MIT
// Joints as bonds. With anchors A on body 0 and B on body 1, and axes d fixed to body 1, the error of a point row and its rate are
//
//   z = d.(A - B),   z' = d.(v_0(A) - v_1(A)) + modes at both anchors,
//
// v_1(A) being the velocity of body 1 where A is: exact however far A is from B (a slider), and both impulses act at A, so that
// angular momentum is kept to round-off. A spring has d along A - B and z = |A - B| - length; of length 0 it has three rows.
// Turning: Q_i = q_i frame_i, error the rotation vector of Q_0 Q_1* (hinge: of the turn from axis 1 to axis 0, the
// shortest one), along the axes of Q_1; rate d.(w_0 - w_1), but for terms of error times rate. Right to half a turn.
#include "dynamics/joint.h"
#include <string.h>

#define SHORTEST 1e-9  // a spring without direction, of its length or of 1 m

twJointDef tw_joint_def(void)
{
    return (twJointDef){.kind = TW_JOINT_BALL, .body = {TW_NOWHERE, TW_NOWHERE}, .axis = {0, 0, 1}, .rest_length = -1};
}

// ---- checks ----

static bool finite3(twVec3 v) { return (v.x - v.x) + (v.y - v.y) + (v.z - v.z) == 0; }

static bool has_axis(twJointKind kind) { return kind == TW_JOINT_HINGE || kind == TW_JOINT_SLIDER; }

static twStatus check_bodies(const twJointDef* def, const char* name, int body_count, twError* err)
{
    for (int side = 0; side < 2; side++)
        if (def->body[side] != TW_NOWHERE && (def->body[side] < 0 || def->body[side] >= body_count))
            return tw_fail(err, TW_BAD_INPUT, "joint %s: there is no body %d", name, def->body[side]);
    if (def->body[0] == TW_NOWHERE && def->body[1] == TW_NOWHERE)
        return tw_fail(err, TW_BAD_INPUT, "joint %s: joins nothing to nothing", name);
    if (def->body[0] == def->body[1])
        return tw_fail(err, TW_BAD_INPUT, "joint %s: joins body %d to itself", name, def->body[0]);
    return TW_OK;
}

static twStatus check_strength(const twJointDef* def, const char* name, twError* err)
{
    if (!(def->stiffness >= 0 && def->stiffness <= DBL_MAX))
        return tw_fail(err, TW_BAD_INPUT, "joint %s: stiffness %g is negative or not finite", name, def->stiffness);
    if (def->kind == TW_JOINT_SPRING && def->stiffness == 0)
        return tw_fail(err, TW_BAD_INPUT, "joint %s: a spring without stiffness", name);
    if (!(def->damping >= 0 && def->damping <= DBL_MAX))
        return tw_fail(err, TW_BAD_INPUT, "joint %s: damping %g is negative or not finite", name, def->damping);
    if (def->rest_length - def->rest_length != 0)
        return tw_fail(err, TW_BAD_INPUT, "joint %s: rest length is not finite", name);
    return TW_OK;
}

static twStatus check_motor(const twJointDef* def, const char* name, twError* err)
{
    if (!def->motor) return TW_OK;
    if (!has_axis(def->kind)) return tw_fail(err, TW_BAD_INPUT, "joint %s: only hinges and sliders have motors", name);
    if (!(def->max_force > 0 && def->max_force <= DBL_MAX))
        return tw_fail(err, TW_BAD_INPUT, "joint %s: a motor without force", name);
    if (def->speed - def->speed != 0)
        return tw_fail(err, TW_BAD_INPUT, "joint %s: the motor's speed is not finite", name);
    return TW_OK;
}

twStatus tw_joint_check(const twJointDef* def, int body_count, twError* err)
{
    static const char* const kinds[] = {"(ball)", "(hinge)", "(slider)", "(fixed)", "(spring)"};
    if ((int)def->kind < TW_JOINT_BALL || def->kind > TW_JOINT_SPRING)
        return tw_fail(err, TW_BAD_INPUT, "joint %s: kind %d is unknown", def->name ? def->name : "", (int)def->kind);
    const char* name = def->name ? def->name : kinds[def->kind];
    twStatus status = check_bodies(def, name, body_count, err);
    if (status != TW_OK) return status;
    if (!finite3(def->at) || (def->kind == TW_JOINT_SPRING && !finite3(def->to)))
        return tw_fail(err, TW_BAD_INPUT, "joint %s: its place is not finite", name);
    if (has_axis(def->kind) && !(finite3(def->axis) && tw_vec3_max(def->axis) > 0))
        return tw_fail(err, TW_BAD_INPUT, "joint %s: its axis is zero or not finite", name);
    status = check_strength(def, name, err);
    return status == TW_OK ? check_motor(def, name, err) : status;
}

// ---- making ----

// vertex whose modes move a point, given in the body's axes
static int nearest_vertex(const BodyPlace* place, twVec3 point)
{
    const ContactShape* shape = place->shape;
    int nearest = -1;
    double least = HUGE_VAL;
    for (int i = 0; shape && shape->mode_count > 0 && i < shape->vertex_count; i++)
    {
        twVec3 d = tw_vec3_sub(shape->vertices[i], point);
        if (!(tw_vec3_dot(d, d) < least)) continue;
        least = tw_vec3_dot(d, d);
        nearest = i;
    }
    return nearest;
}

static twVec3 bend_of(const Joint* joint, int side, const BodyPlace* place)
{
    bool bends = joint->vertex[side] >= 0 && place->mode_count > 0;
    return bends ? tw_place_bend(place, joint->vertex[side]) : tw_vec3(0, 0, 0);
}

// where an anchor is in the world
static twVec3 anchor_of(const Joint* joint, int side, const BodyPlace* place)
{
    if (!place) return joint->anchor[side];
    twVec3 local = tw_vec3_add(joint->anchor[side], bend_of(joint, side, place));
    return tw_vec3_add(place->position, tw_quat_rotate(place->turn, local));
}

static twQuat axes_along(twVec3 axis)
{
    twVec3 z = tw_vec3_normalize(axis), helper = fabs(z.x) < 0.7 ? tw_vec3(1, 0, 0) : tw_vec3(0, 1, 0);
    twVec3 x = tw_vec3_normalize(tw_vec3_cross(helper, z));
    return tw_quat_from_axes(x, tw_vec3_cross(z, x), z);
}

void tw_joint_make(Joint* joint, const twJointDef* def, const BodyPlace* const place[2])
{
    bool spring = def->kind == TW_JOINT_SPRING;
    twVec3 line = tw_vec3_sub(def->at, def->to), axis = spring ? line : def->axis;
    if (!(spring || has_axis(def->kind)) || !(tw_vec3_max(axis) > 0)) axis = tw_vec3(0, 0, 1);
    *joint = (Joint){.kind = def->kind,
                     .stiffness = def->stiffness,
                     .damping = def->damping,
                     .length = def->rest_length >= 0 ? def->rest_length : tw_vec3_norm(line),
                     .motor = def->motor,
                     .speed = def->speed,
                     .max_force = def->max_force};
    for (int side = 0; side < 2; side++)
    {
        twVec3 at = spring && side ? def->to : def->at;
        const BodyPlace* body = place[side];
        joint->vertex[side] = -1;
        joint->anchor[side] = at;
        joint->frame[side] = axes_along(axis);
        if (!body) continue;
        twQuat back = tw_quat_conj(body->turn);
        twVec3 local = tw_quat_rotate(back, tw_vec3_sub(at, body->position));
        joint->vertex[side] = nearest_vertex(body, local);
        joint->anchor[side] = tw_vec3_sub(local, bend_of(joint, side, body));
        joint->frame[side] = tw_quat_mul(back, joint->frame[side]);
    }
}

int tw_joint_blocks(const Joint* joint)
{
    return joint->kind == TW_JOINT_BALL || joint->kind == TW_JOINT_SPRING ? 1 : 2;
}

// ---- rows ----

// a block while it is made
typedef struct Block
{
    const Joint* joint;
    const BodyPlace* const* place;
    const bool* held;
    double* const* row;
    twVec3 point;    // A
    twQuat frame;    // axes of body 1
    double rate[3];  // z' at the velocities of the places
    double *offset, *wall;
    SolveBond* bond;
} Block;

static twQuat frame_of(const Joint* joint, int side, const BodyPlace* place)
{
    return place ? tw_quat_mul(place->turn, joint->frame[side]) : joint->frame[side];
}

static double row_times(const double* row, const BodyPlace* place, bool held)
{
    const double rigid[6] = {place->velocity.x, place->velocity.y, place->velocity.z,
                             place->spin.x,     place->spin.y,     place->spin.z};
    double sum = 0;
    int n = 0;
    for (; n < 6 && !held; n++) sum += row[n] * rigid[n];
    for (int j = 0; j < place->mode_count; j++) sum += row[n + j] * place->rate[j];
    return sum;
}

// both bodies' row r along d, at the point or for turning
static void set_rows(Block* block, int r, twVec3 d, bool turning)
{
    for (int side = 0; side < 2; side++)
    {
        const BodyPlace* place = block->place[side];
        if (!place) continue;
        bool held = block->held[side];
        const size_t size = (size_t)tw_touch_size(place, held);
        double* row = size > 0 ? block->row[side] + (size_t)r * size : NULL;  // what is held and rigid has none
        twVec3 arm = tw_vec3_sub(block->point, place->position), moment = turning ? d : tw_vec3_cross(arm, d);
        double sign = side ? -1 : 1, share = 1;
        int vertex = block->joint->vertex[side];
        tw_touch_row(row, place, held, arm, d, &vertex, &share, turning || vertex < 0 ? 0 : 1, sign);
        if (turning && !held)
        {
            const double rigid[6] = {0, 0, 0, d.x, d.y, d.z};
            for (int i = 0; i < 6; i++) row[i] = sign * rigid[i];
        }
        if (held)
            block->wall[r] +=
                sign * ((turning ? 0 : tw_vec3_dot(d, place->velocity)) + tw_vec3_dot(moment, place->spin));
        block->rate[r] += row_times(row, place, held);
    }
    block->rate[r] += block->wall[r];
}

static void set_unused(Block* block, int r)
{
    for (int side = 0; side < 2; side++)
        if (block->place[side])
        {
            int n = tw_touch_size(block->place[side], block->held[side]);
            if (n > 0) memset(block->row[side] + (size_t)r * (size_t)n, 0, (size_t)n * sizeof(double));
        }
}

// row r holds an error
static void hold(Block* block, int r, twVec3 d, double error, bool turning)
{
    set_rows(block, r, d, turning);
    block->offset[r] = error;
    block->bond->stiffness[r] = turning ? 0 : block->joint->stiffness;
    block->bond->stiff[r] = true;
    block->bond->theta[r] = 1;
}

// row r along d drives, or is free
static void drive(Block* block, int r, twVec3 d, bool turning)
{
    if (!block->joint->motor)
    {
        set_unused(block, r);
        return;
    }
    block->wall[r] = -block->joint->speed;
    set_rows(block, r, d, turning);
    block->bond->stiff[r] = true;
    block->bond->limit[r] = block->joint->max_force;
}

static twVec3 axis_of(twQuat frame, int r) { return tw_quat_rotate(frame, tw_vec3(r == 0, r == 1, r == 2)); }

static void hold_point(Block* block, twVec3 error)
{
    for (int r = 0; r < 3; r++)
    {
        twVec3 d = axis_of(block->frame, r);
        if (r == 2 && block->joint->kind == TW_JOINT_SLIDER)
            drive(block, r, d, false);
        else
            hold(block, r, d, tw_vec3_dot(d, error), false);
    }
}

// angle times axis of a unit quaternion, at most half a turn
static twVec3 rotation_vector(twQuat q)
{
    twVec3 v = q.w < 0 ? tw_vec3(-q.x, -q.y, -q.z) : tw_vec3(q.x, q.y, q.z);
    double s = tw_vec3_norm(v), angle = 2 * atan2(s, fabs(q.w));
    return tw_vec3_scale(v, s > 1e-8 ? angle / s : 2);
}

// rotation vector of the shortest turn from a to b, both unit; by any axis, x, if they are opposite
static twVec3 shortest_turn(twVec3 a, twVec3 b, twVec3 x)
{
    twVec3 n = tw_vec3_cross(a, b);
    double s = tw_vec3_norm(n), c = tw_vec3_dot(a, b);
    if (!(s > 1e-12)) return tw_vec3_scale(x, c < 0 ? TW_PI : 0);
    return tw_vec3_scale(n, atan2(s, c) / s);
}

static void hold_turn(Block* block, twQuat other)
{
    bool hinge = block->joint->kind == TW_JOINT_HINGE;
    twVec3 error = hinge ? shortest_turn(axis_of(block->frame, 2), axis_of(other, 2), axis_of(block->frame, 0))
                         : rotation_vector(tw_quat_mul(other, tw_quat_conj(block->frame)));
    for (int r = 0; r < 3; r++)
    {
        twVec3 d = axis_of(block->frame, r);
        if (hinge && r == 2)
            drive(block, r, d, true);
        else
            hold(block, r, d, tw_vec3_dot(d, error), true);
    }
}

// row r pulls
static void pull(Block* block, int r, twVec3 d, double error)
{
    set_rows(block, r, d, false);
    block->offset[r] = error;
    block->bond->stiffness[r] = block->joint->stiffness;
    block->bond->damping[r] = block->joint->damping;
}

static void spring(Block* block, twVec3 line)
{
    double length = tw_vec3_norm(line), least = SHORTEST * (block->joint->length > 0 ? block->joint->length : 1);
    if (block->joint->length > 0)
    {
        // without a direction the one it had at the start is as good as any
        twVec3 d = length > least ? tw_vec3_scale(line, 1 / length) : axis_of(block->frame, 2);
        pull(block, 0, d, length - block->joint->length);
        set_unused(block, 1);
        set_unused(block, 2);
        return;
    }
    for (int r = 0; r < 3; r++)
    {
        twVec3 d = axis_of(block->frame, r);
        pull(block, r, d, tw_vec3_dot(d, line));
    }
}

void tw_joint_block(const Joint* joint, int block_number, double step, const BodyPlace* const place[2],
                    const bool held[2], double* const row[2], double offset[3], double wall[3], SolveBond* bond)
{
    *bond = (SolveBond){.stiffness = {0}};
    for (int r = 0; r < 3; r++) offset[r] = wall[r] = 0;
    twVec3 a = anchor_of(joint, 0, place[0]), error = tw_vec3_sub(a, anchor_of(joint, 1, place[1]));
    Block block = {.joint = joint,
                   .place = place,
                   .held = held,
                   .row = row,
                   .point = a,
                   .frame = frame_of(joint, 1, place[1]),
                   .offset = offset,
                   .wall = wall,
                   .bond = bond};
    if (joint->kind == TW_JOINT_SPRING)
        spring(&block, error);
    else if (block_number == 0)
        hold_point(&block, error);
    else
        hold_turn(&block, frame_of(joint, 0, place[0]));
    // motors and rows that are not used have no error
    for (int r = 0; r < 3; r++)
        if (bond->limit[r] == 0) offset[r] -= 0.5 * step * block.rate[r];
}

double tw_joint_energy(const Joint* joint, const BodyPlace* const place[2])
{
    if (joint->kind != TW_JOINT_SPRING) return 0;
    twVec3 line = tw_vec3_sub(anchor_of(joint, 0, place[0]), anchor_of(joint, 1, place[1]));
    double z = tw_vec3_norm(line) - joint->length;
    return 0.5 * joint->stiffness * z * z;
}
