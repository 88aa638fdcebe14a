// SPDX-License-Identifier: MIT
// Grabs. The target of a position follows a path with continuous velocity from where the point is when it is grabbed, so that nothing
// pops; velocities, accelerations and forces go to theirs in a straight line. A joint's target is a point of the other body.
#include "stage/hold.h"
#include <math.h>
#include <string.h>

#define LEAST_RETURN 0.05  // [s] in which what gave way comes back
#define STILL 1e-12        // [m]: a target that goes no farther stands still
#define SOFT 1e-6          // of the largest slope: of what makes do with less, directions that give less are left alone
#define FIRMER 0.1  // the same at the end of a step: what impulses at its beginning have moved is not left to move on

// ---- paths ----

// the cubic from (a, v) to (b, w) in a span of time, s of it gone
static twVec3 cubic(twVec3 a, twVec3 v, twVec3 b, twVec3 w, double span, double s, twVec3* rate)
{
    const twVec3 way = tw_vec3_sub(b, a), v1 = tw_vec3_scale(v, span), w1 = tw_vec3_scale(w, span);
    const twVec3 c2 = tw_vec3_sub(tw_vec3_scale(way, 3), tw_vec3_add(tw_vec3_scale(v1, 2), w1));
    const twVec3 c3 = tw_vec3_sub(tw_vec3_add(v1, w1), tw_vec3_scale(way, 2));
    *rate = tw_vec3_scale(tw_vec3_add_scaled(tw_vec3_add_scaled(v1, c2, 2 * s), c3, 3 * s * s), 1 / span);
    return tw_vec3_add_scaled(tw_vec3_add_scaled(tw_vec3_add_scaled(a, v1, s), c2, s * s), c3, s * s * s);
}

static twVec3 slow_at(const HoldPath* path, double time, twVec3* rate)
{
    const double since = time - path->begin, span = path->span;
    // what is told to be there at the end of a step is there, whatever rounding says of the time
    const double tiny = 1e-9 * span;
    if (span > 0 && since < span - tiny)
        return cubic(path->from, path->from_rate, path->to, path->to_rate, span, fmax(since / span, 0), rate);
    const twVec3 still = {0, 0, 0};
    if (span > 0 && since < 2 * span - tiny && tw_vec3_max(path->to_rate) > 0)
        return cubic(path->to, path->to_rate, path->to, still, span, fmax(since / span - 1, 0), rate);
    *rate = still;
    return path->to;
}

twVec3 hold_path_at(const HoldPath* path, double time, twVec3* rate)
{
    const twVec3 at = slow_at(path, time, rate), none = {0, 0, 0};
    const double since = time - path->begin, span = path->shake_span;
    if (!(since < span * (1 - 1e-9))) return at;
    twVec3 more;
    const twVec3 way = cubic(none, path->shake, none, none, span, fmax(since / span, 0), &more);
    *rate = tw_vec3_add(*rate, more);
    return tw_vec3_add(at, way);
}

static bool is_joint(const Hold* hold) { return hold->def.other != TW_NOWHERE; }
static bool is_place(const Hold* hold) { return hold->def.kind == TW_STAGE_GRAB_POSITION; }

// ---- commands ----

twVec3 hold_point_now(const StageBody* body, const twStagePoint* point, twVec3* velocity)
{
    const BodyPlace place = stage_body_place(body);
    double rows[3 * (6 + TW_MAX_STAGE_MODES)], speed[6 + TW_MAX_STAGE_MODES], v[3] = {0, 0, 0};
    stage_point_rows(rows, body, &place, point);
    stage_body_speed(body, speed);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < body->size; k++) v[i] += rows[i * body->size + k] * speed[k];
    *velocity = tw_vec3(v[0], v[1], v[2]);
    return stage_point_place(body, &place, point);
}

// where a joint's point of the other body is, with its offset, and how it moves
static twVec3 other_now(const Hold* hold, const StageBody* bodies, twVec3* velocity)
{
    const StageBody* other = &bodies[hold->def.other];
    const twVec3 offset = tw_quat_rotate(other->turn, hold->offset);
    const twVec3 place = hold_point_now(other, &hold->def.other_point, velocity);
    *velocity = tw_vec3_add(*velocity, tw_vec3_cross(other->spin, offset));
    return tw_vec3_add(place, offset);
}

// where the point is and how it moves, of a joint against the other body's
static twVec3 relative_now(const Hold* hold, const StageBody* bodies, twVec3* velocity)
{
    twVec3 moves = {0, 0, 0}, place = hold_point_now(&bodies[hold->def.body], &hold->def.point, velocity);
    if (is_joint(hold)) place = tw_vec3_sub(place, other_now(hold, bodies, &moves));
    *velocity = tw_vec3_sub(*velocity, moves);
    return place;
}

// A point's velocity by vibration that is faster than a time, and the time in which half a period of it goes
static twVec3 vibration(const StageBody* body, const twStagePoint* point, double time, double* span)
{
    const BodyPlace place = stage_body_place(body);
    double rows[3 * (6 + TW_MAX_STAGE_MODES)], v[3] = {0, 0, 0}, all = 0, fast = 0;
    const int frame = body->size - body->mode_count;
    *span = time;
    if (body->mode_count == 0) return tw_vec3(0, 0, 0);
    stage_point_rows(rows, body, &place, point);
    for (int j = 0; j < body->mode_count; j++)
    {
        const double w = 2 * TW_PI * body->shape->freq_hz[j];
        for (int i = 0; i < 3 && w * time > TW_PI; i++)
        {
            const double own = rows[i * body->size + frame + j] * body->rate[j];
            v[i] += own;
            all += own * own;
            fast += w * w * own * own;
        }
    }
    if (all > 0) *span = TW_PI * sqrt(all / fast);
    return tw_vec3(v[0], v[1], v[2]);
}

// from where the point is, as fast as it is, of a joint against the other body's, to the target
static void come(Hold* hold, const StageBody* bodies, twVec3 to, double time, double step)
{
    HoldPath* path = &hold->path;
    twVec3 velocity;
    const twVec3 place = relative_now(hold, bodies, &velocity);
    *path = (HoldPath){.begin = time, .span = hold->def.ease, .to = to};
    if (is_place(hold))
    {
        // what it vibrates ends in half a period: it would lead far away in the time that is given
        path->span = fmax(path->span, step);
        path->shake = vibration(&bodies[hold->def.body], &hold->def.point, path->span, &path->shake_span);
        path->shake_span = fmax(path->shake_span, step);
        path->from = place;
        path->from_rate = tw_vec3_sub(velocity, path->shake);
    }
    else if (hold->def.kind == TW_STAGE_GRAB_VELOCITY)
        path->from = velocity;
    // straight lines, but for places
    if (!is_place(hold) && path->span > 0)
        path->from_rate = path->to_rate = tw_vec3_scale(tw_vec3_sub(path->to, path->from), 1 / path->span);
}

// What its target was told to go is worth its largest force all the way, anything if it has none: not what is left of ways that were told
// before. What has nowhere to go brings what it took: its path is that of its own motion.
static void earn(Hold* hold, double left, double told)
{
    if (!is_place(hold)) return;
    hold->back = !(left > STILL);
    if (told > STILL) hold->purse += hold->def.max_force > 0 ? hold->def.max_force * told : HUGE_VAL;
}

// the fastest of a way from rest to rest, and what it ends with; how fast the point was that it came with is not asked, nor how far
// that took it from where it was told to be
static void ask(Hold* hold, double most)
{
    const HoldPath* path = &hold->path;
    double speed = 0;
    hold->leg = fmin(tw_vec3_norm(tw_vec3_sub(path->to, path->from)), most);
    if (is_place(hold)) speed = 1.5 * hold->leg / path->span + tw_vec3_norm(path->to_rate);
    if (hold->def.kind == TW_STAGE_GRAB_VELOCITY) speed = tw_vec3_norm(path->to);
    hold->asked = fmax(hold->asked, speed);
    hold->far = fmax(hold->far, is_place(hold) ? tw_vec3_norm(tw_vec3_sub(path->to, hold->start)) : HUGE_VAL);
}

void hold_begin(Hold* hold, const twStageGrabDef* def, const StageBody* bodies, double time, double step)
{
    *hold = (Hold){.active = true, .fresh = true, .def = *def, .moved = -HUGE_VAL};
    twVec3 velocity, moves, to = def->target;
    const twVec3 place = hold_point_now(&bodies[def->body], &def->point, &velocity);
    if (is_joint(hold))
    {
        // what is added to the other's point fades away
        to = tw_vec3(0, 0, 0);
        if (def->here)
            hold->offset = tw_quat_rotate(tw_quat_conj(bodies[def->other].turn),
                                          tw_vec3_sub(place, other_now(hold, bodies, &moves)));
    }
    else if (def->here && is_place(hold))
        to = place;
    else if (def->here && def->kind == TW_STAGE_GRAB_VELOCITY)
        to = velocity;
    come(hold, bodies, to, time, step);
    hold->start = hold->path.from;
    hold->told = hold->path;
    ask(hold, HUGE_VAL);
    earn(hold, hold->leg, hold->leg);
}

void hold_again(Hold* hold, const StageBody* bodies, double time, double step)
{
    hold->fresh = true;
    if (!is_place(hold)) return;
    come(hold, bodies, hold->path.to, time, step);
    hold->told = hold->path;
    const double way = tw_vec3_norm(tw_vec3_sub(hold->path.to, hold->path.from));
    earn(hold, way, way);
}

// The cubic's acceleration is 6 d/T^2 + 4 v/T at most: so long that half of the force is enough for the whole mass
void hold_yield(Hold* hold, const StageBody* bodies, double time, double own_speed)
{
    if (!is_place(hold)) return;
    const twVec3 to = hold->path.to;
    hold->back = true;
    come(hold, bodies, to, time, LEAST_RETURN);
    HoldPath* path = &hold->path;
    const double give = 0.5 * hold->def.max_force / bodies[hold->def.body].shape->mass.mass;
    const double far = tw_vec3_norm(tw_vec3_sub(to, path->from)), fast = tw_vec3_norm(path->from_rate);
    if (give > 0) path->span = fmax(hold->def.ease, fmax(sqrt(12 * far / give), 8 * fast / give));
    if (hold->slack) path->span = fmax(path->span, 1.5 * far / fmax(hold->asked, own_speed));
}

void hold_move(Hold* hold, twVec3 target, double seconds, double time, double step)
{
    HoldPath* path = &hold->path;
    twVec3 rate;
    const twVec3 from = hold_path_at(path, time, &rate), before = path->to;
    const double since = time - hold->moved;
    const double span = is_place(hold) ? fmax(seconds, step) : seconds;
    *path = (HoldPath){.begin = time, .span = span, .from = from, .from_rate = rate, .to = target};
    // one of many moves goes on as fast as they go
    if (since > 0.5 * seconds && since < 2 * seconds)
        path->to_rate = tw_vec3_scale(tw_vec3_sub(target, before), 1 / since);
    hold->moved = time;
    if (!is_place(hold) && seconds > 0)
        path->from_rate = path->to_rate = tw_vec3_scale(tw_vec3_sub(target, from), 1 / seconds);
    hold->told = *path;
    // as far as from the target before, and what was left of the way there at most
    const double told = tw_vec3_norm(tw_vec3_sub(target, before));
    ask(hold, told + hold->leg);
    earn(hold, hold->leg, told);
}

// ---- a step ----

// a straight line ends with its slope, which is no reason to go on
static twVec3 wanted(const Hold* hold, double time, twVec3* rate)
{
    if (is_place(hold) || time < hold->path.begin + hold->path.span) return hold_path_at(&hold->path, time, rate);
    *rate = tw_vec3(0, 0, 0);
    return hold->path.to;
}

void hold_set_out(Hold* hold, const StageBody* bodies, double time)
{
    hold->set_out = time;
    if (!is_place(hold)) hold->was = relative_now(hold, bodies, &hold->was_rate);
}

// Where the point is to be at a time, and how fast: velocities and accelerations lead on from where it was, straight lines in time that are
// integrated exactly.
static twVec3 told(const Hold* hold, double time, twVec3* velocity)
{
    const double h = time - hold->set_out;
    const twVec3 now = wanted(hold, time, velocity);
    if (is_place(hold)) return now;
    twVec3 slope;
    const twVec3 before = wanted(hold, hold->set_out, &slope), sum = tw_vec3_add(before, now);
    if (hold->def.kind == TW_STAGE_GRAB_VELOCITY)
    {
        *velocity = now;
        return tw_vec3_add_scaled(hold->was, sum, 0.5 * h);
    }
    *velocity = tw_vec3_add_scaled(hold->was_rate, sum, 0.5 * h);
    const twVec3 straight = tw_vec3_add_scaled(hold->was, hold->was_rate, h);
    return tw_vec3_add_scaled(straight, tw_vec3_add(sum, before), h * h / 6);
}

// the same, or what it makes do with
static twVec3 destination(const Hold* hold, double time, twVec3* velocity)
{
    const twVec3 to = told(hold, time, velocity);
    if (!hold->concedes) return to;
    *velocity = hold->conceded;
    return tw_vec3_sub(to, hold->short_of);
}

// from a target; of a joint it is added to the other's point
static twVec3 way_to(const Hold* hold, const StageBody* bodies, const BodyPlace* places, twVec3 to)
{
    const twStageGrabDef* def = &hold->def;
    if (is_joint(hold))
    {
        const BodyPlace* other = &places[def->other];
        to = tw_vec3_add(to, tw_quat_rotate(other->turn, hold->offset));
        to = tw_vec3_add(to, stage_point_place(&bodies[def->other], other, &def->other_point));
    }
    const twVec3 way = tw_vec3_sub(to, stage_point_place(&bodies[def->body], &places[def->body], &def->point));
    return tw_vec3(def->along[0] ? way.x : 0, def->along[1] ? way.y : 0, def->along[2] ? way.z : 0);
}

twVec3 hold_error(const Hold* hold, const StageBody* bodies, const BodyPlace* places, double time)
{
    twVec3 rate;
    return way_to(hold, bodies, places, destination(hold, time, &rate));
}

twVec3 hold_off(const Hold* hold, const StageBody* bodies, const BodyPlace* places, double time)
{
    twVec3 rate;
    return way_to(hold, bodies, places, hold_path_at(&hold->told, time, &rate));
}

twVec3 hold_lead(const Hold* hold, double time, double h)
{
    twVec3 rate;
    twVec3 begin = is_place(hold) ? wanted(hold, time, &rate) : hold->was;
    if (hold->concedes) begin = tw_vec3_sub(begin, hold->was_short);
    return tw_vec3_scale(tw_vec3_sub(destination(hold, time + h, &rate), begin), 1 / h);
}

twVec3 hold_force(const Hold* hold, double time)
{
    twVec3 rate;
    return hold->limited ? hold->push : wanted(hold, time, &rate);
}

// a lever's part of turning
static void add_lever(double* row, const StageBody* body, twVec3 lever, int axis)
{
    if (!body->free) return;
    const twVec3 d = axis == 0 ? tw_vec3(1, 0, 0) : axis == 1 ? tw_vec3(0, 1, 0) : tw_vec3(0, 0, 1);
    const twVec3 moment = tw_vec3_cross(lever, d);
    row[3] += moment.x, row[4] += moment.y, row[5] += moment.z;
}

static void put_parts(const Hold* hold, StageLine* line, const StageBody* bodies, const double* rows,
                      const double* other_rows, const BodyPlace* places, int axis)
{
    const StageBody* body = &bodies[hold->def.body];
    memcpy(line->part[0], rows + (size_t)axis * (size_t)body->size, (size_t)body->size * sizeof *rows);
    if (!is_joint(hold)) return;
    const StageBody* other = &bodies[hold->def.other];
    const size_t size = (size_t)other->size;
    memcpy(line->part[1], other_rows + (size_t)axis * size, size * sizeof *rows);
    add_lever(line->part[1], other, tw_quat_rotate(places[hold->def.other].turn, hold->offset), axis);
    for (size_t k = 0; k < size; k++) line->part[1][k] = -line->part[1][k];
}

static void push_columns(const Hold* hold, StageSystem* system, const StageBody* bodies, const BodyPlace* places)
{
    const twStageGrabDef* def = &hold->def;
    for (int i = 0; i < def->push_count; i++)
    {
        const StageBody* body = &bodies[def->push_body[i]];
        double rows[3 * (6 + TW_MAX_STAGE_MODES)];
        stage_point_rows(rows, body, &places[def->push_body[i]], &def->push_point[i]);
        for (int axis = 0; axis < 3; axis++)
        {
            StageLine* column = system_column(system, def->push_body[i], TW_NOWHERE);
            memcpy(column->part[0], rows + (size_t)axis * (size_t)body->size, (size_t)body->size * sizeof *rows);
            system_give(system, column);
        }
    }
}

// rows of the points, and of a joint those of the other
typedef struct HoldRows
{
    double own[3 * (6 + TW_MAX_STAGE_MODES)], other[3 * (6 + TW_MAX_STAGE_MODES)];
} HoldRows;

static void point_rows(const Hold* hold, HoldRows* out, const StageBody* bodies, const BodyPlace* places)
{
    const twStageGrabDef* def = &hold->def;
    stage_point_rows(out->own, &bodies[def->body], &places[def->body], &def->point);
    if (is_joint(hold)) stage_point_rows(out->other, &bodies[def->other], &places[def->other], &def->other_point);
}

void hold_lines(Hold* hold, StageSystem* system, const StageBody* bodies, const BodyPlace* places, bool way)
{
    const twStageGrabDef* def = &hold->def;
    HoldRows rows;
    point_rows(hold, &rows, bodies, places);
    hold->row = system->row_count;
    hold->column = system->column_count;
    for (int axis = 0; axis < 3; axis++)
    {
        if (!def->along[axis]) continue;
        StageLine* row = system_row(system, def->body, def->other);
        row->way = way;
        row->softness = !hold->concedes ? 0 : way ? SOFT : FIRMER * SOFT;
        put_parts(hold, row, bodies, rows.own, rows.other, places, axis);
        if (def->push_count > 0) continue;
        StageLine* column = system_column(system, def->body, def->other);
        put_parts(hold, column, bodies, rows.own, rows.other, places, axis);
        system_give(system, column);
    }
    push_columns(hold, system, bodies, places);
    hold->row_count = system->row_count - hold->row;
    hold->column_count = system->column_count - hold->column;
}

void hold_aim(const Hold* hold, StageSystem* system, const StageBody* bodies, const BodyPlace* after,
              const twMat3* turning)
{
    HoldRows rows;
    int index = hold->row;
    point_rows(hold, &rows, bodies, after);
    for (int axis = 0; axis < 3; axis++)
    {
        if (!hold->def.along[axis]) continue;
        StageLine* row = &system->rows[index++];
        put_parts(hold, row, bodies, rows.own, rows.other, after, axis);
        for (int side = 0; side < (is_joint(hold) ? 2 : 1); side++)
        {
            const int body = row->body[side];
            double* arm = row->part[side] + 3;
            if (!bodies[body].free) continue;
            const twVec3 to = tw_mat3_mul_vec(tw_mat3_transpose(turning[body]), tw_vec3(arm[0], arm[1], arm[2]));
            arm[0] = to.x, arm[1] = to.y, arm[2] = to.z;
        }
    }
}

void hold_wants(const Hold* hold, const StageSystem* system, const StageBody* bodies, const BodyPlace* places, bool way,
                double time, double h, double* b)
{
    twVec3 want;
    if (way)
        want = tw_vec3_scale(hold_error(hold, bodies, places, time), 1 / h);
    else
        destination(hold, time, &want);
    const double value[3] = {want.x, want.y, want.z};
    int row = hold->row;
    for (int axis = 0; axis < 3; axis++)
    {
        if (!hold->def.along[axis]) continue;
        b[row] = value[axis] - (way ? 0 : system_along(system, &system->rows[row]));
        row++;
    }
}
