// SPDX-License-Identifier: MIT
// One step: impulses at its beginning bring points to their places at its end, everything goes freely, impulses at its end bring them
// to their velocities (the order of RATTLE, with the exact flow of the oscillators in between). See parts.h for the equations.
#include "stage/cone.h"
#include "stage/stage.h"
#include <math.h>
#include <string.h>

#define MOST_ROUNDS 16    // of Newton's method for places
#define MOST_TRIES 3      // with grabs that give way
#define CLOSE 1e-13       // of the size of things: near enough
#define SLOW_NEWTON 0.01  // of what was left is left after a round: directions have to be looked at anew
#define SLOW_BOUNCE 0.05  // [m/s]: what comes slower does not rebound
#define LEAST_SHARE 0.01  // of a round of Newton's method: then there is no way
#define SURPLUS 0.05      // of the energy there is: so much more may be there than targets bring
#define SENSE 10.0        // times the energy of all at the speed that is asked for: no more in a step
#define ONSET 0.1         // of that energy: so much is no surplus
#define SOFTEST 0.01      // largest share of directions left alone where there would be no sense in it
#define RECOVERY 0.1      // share of an overlap that is mended in a step
#define OVERLAP 1e-3      // of a body's radius: overlap that is left alone

static bool acts_by_rows(const Hold* hold, bool way)
{
    if (!hold->active || hold->limited || hold->def.kind == TW_GRAB_FORCE) return false;
    return !way || hold->def.kind != TW_GRAB_VELOCITY;
}

// ---- forces that are given ----

static void push_point(twStage* s, int body, const twStagePoint* point, twVec3 impulse)
{
    StageSystem* system = &s->system;
    const double value[3] = {impulse.x, impulse.y, impulse.z};
    double rows[3 * (6 + TW_MAX_STAGE_MODES)];
    const BodyPlace place = stage_body_place(&s->bodies[body]);
    stage_point_rows(rows, &s->bodies[body], &place, point);
    for (int axis = 0; axis < 3; axis++)
    {
        // a column that is there only for a moment
        StageLine* line = system_column(system, body, TW_NOWHERE);
        const size_t size = (size_t)s->bodies[body].size;
        memcpy(line->part[0], rows + (size_t)axis * size, size * sizeof *rows);
        system_give(system, line);
        system_push_line(system, line, value[axis]);
        system->column_count--;
    }
}

static void push_given(twStage* s, double time)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!hold->active || (hold->def.kind != TW_GRAB_FORCE && !hold->limited)) continue;
        const twVec3 impulse = tw_vec3_scale(hold_force(hold, time), 0.5 * s->def.step);
        const twGrabDef* def = &hold->def;
        hold->impulse = tw_vec3_add(hold->impulse, impulse);
        hold->half = tw_vec3_add(hold->half, impulse);
        if (def->push_count == 0) push_point(s, def->body, &def->point, impulse);
        if (def->push_count == 0 && def->other != TW_NOWHERE)
            push_point(s, def->other, &def->other_point, tw_vec3_scale(impulse, -1));
        const twVec3 part = tw_vec3_scale(impulse, 1.0 / fmax(def->push_count, 1));
        for (int k = 0; k < def->push_count; k++)
        {
            push_point(s, def->push_body[k], &def->push_point[k], part);
            hold->pushed[k] = tw_vec3_add(hold->pushed[k], part);
        }
    }
}

// ---- lines ----

static void contact_lines(twStage* s, const StageContact* contact, bool way)
{
    StageSystem* system = &s->system;
    const Touch* touch = &contact->touch;
    StageLine* lines[3];
    for (int i = 0; i < 3; i++) lines[i] = system_touch(system, touch->body[0], touch->body[1]);
    for (int side = 0; side < 2; side++)
    {
        double rows[3 * (6 + TW_MAX_STAGE_MODES)];
        const StageBody* body = &s->bodies[touch->body[side]];
        tw_touch_rows(rows, touch, side, &s->places[body->index], !body->free);
        for (size_t i = 0; i < 3; i++)
            memcpy(lines[i]->part[side], rows + i * (size_t)body->size, (size_t)body->size * sizeof *rows);
    }
    for (int i = 0; i < 3; i++)
    {
        lines[i]->way = way;
        system_give(system, lines[i]);
    }
}

static void grab_lines(twStage* s, const BodyPlace* places, bool way)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (acts_by_rows(&s->holds[i], way)) hold_lines(&s->holds[i], &s->system, s->bodies, places, way);
}

// impulses of grabs' columns, per grab
static void count_grabs(twStage* s, const double* p, bool way)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!acts_by_rows(hold, way)) continue;
        int column = hold->column;
        double sum[3] = {0, 0, 0};
        for (int k = 0; k < hold->def.push_count; k++)
        {
            const double* own = p + column + 3 * k;
            hold->pushed[k] = tw_vec3_add(hold->pushed[k], tw_vec3(own[0], own[1], own[2]));
            for (int axis = 0; axis < 3; axis++) sum[axis] += own[axis];
        }
        if (hold->def.push_count == 0)
            for (int axis = 0; axis < 3; axis++)
                if (hold->def.along[axis]) sum[axis] = p[column++];
        hold->impulse = tw_vec3_add(hold->impulse, tw_vec3(sum[0], sum[1], sum[2]));
        hold->half = tw_vec3_add(hold->half, tw_vec3(sum[0], sum[1], sum[2]));
    }
}

// ---- energy ----

static double kinetic(const twStage* s)
{
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) sum += stage_body_kinetic(&s->bodies[i]);
    return sum;
}

// of contacts' impulses: times the velocity before, or after
static double contact_work(twStage* s, const double* pc)
{
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) stage_body_speed(&s->bodies[i], s->system.speed[i]);
    for (int c = 0; c < s->system.touch_count; c++)
        if (pc[c] != 0) sum += 0.5 * pc[c] * system_along(&s->system, &s->system.touches[c]);
    return sum;
}

// grabs whose targets do the work: those that push where they hold
static bool is_led(const twStage* s, int slot, bool way)
{
    const Hold* hold = &s->holds[slot];
    return acts_by_rows(hold, way) && hold->def.push_count == 0 && hold->def.kind != TW_GRAB_ACCELERATION;
}

// what such grabs' impulses do, times half the velocity before, then after, is surplus but for the work of their targets
static void count_surplus(twStage* s, bool way)
{
    for (int i = 0; i < s->body_count; i++) stage_body_speed(&s->bodies[i], s->system.speed[i]);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (!is_led(s, i, way)) continue;
        const double half[3] = {hold->half.x, hold->half.y, hold->half.z};
        double* surplus = &s->surplus[hold->def.body];
        for (int axis = 0, column = hold->column; axis < 3; axis++)
            if (hold->def.along[axis])
                *surplus += 0.5 * half[axis] * system_along(&s->system, &s->system.columns[column++]);
        *surplus -= 0.5 * tw_vec3_dot(hold->half, hold_lead(hold, s->bodies, s->places, s->time, s->def.step));
    }
}

// the kicks act; what contacts do is dissipated, the rest is work
static void kick_all(twStage* s, bool way)
{
    const double before = kinetic(s), touched = contact_work(s, s->system.pc);
    count_surplus(s, way);
    for (int i = 0; i < s->body_count; i++) stage_body_kick(&s->bodies[i], s->system.kick[i]);
    const double contacts = touched + contact_work(s, s->system.pc);
    count_surplus(s, way);
    s->energy.dissipated -= contacts;
    s->energy.work += kinetic(s) - before - contacts;
}

// ---- the beginning of a step ----

// no impulses yet
static void hold_rest(Hold* hold)
{
    hold->impulse = hold->half = tw_vec3(0, 0, 0);
    for (int k = 0; k < hold->def.push_count; k++) hold->pushed[k] = tw_vec3(0, 0, 0);
}

// velocities that ways are made of: mean ones without impulses, and what the kicks add
static void set_ways(twStage* s)
{
    const double h = s->def.step;
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        double* speed = s->system.speed[i];
        const double* kick = s->system.kick[i];
        stage_body_mean(body, s->def.gravity, h, speed);
        const int frame = body->size - body->mode_count;
        for (int k = 0; k < frame; k++) speed[k] += kick[k];
        for (int j = 0; j < body->mode_count; j++) speed[frame + j] += body->s[j] / h * kick[frame + j];
    }
}

static void go_on(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
        s->after[i] = stage_body_after(&s->bodies[i], s->def.gravity, s->def.step, s->system.kick[i], s->after_q[i]);
}

// right sides of the grabs' rows
static void want_places(twStage* s, bool first)
{
    const double h = s->def.step, end = s->time + h;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!acts_by_rows(hold, true)) continue;
        const bool place = hold->def.kind == TW_GRAB_POSITION;
        if (place || first)
            hold_wants(hold, &s->system, s->bodies, place ? s->after : s->places, true, place ? end : s->time, h,
                       s->def.gravity, s->system.b);
        else
            for (int k = 0; k < hold->row_count; k++) s->system.b[hold->row + k] = 0;
    }
}

static void contact_ways(twStage* s)
{
    const double h = s->def.step;
    StageSystem* system = &s->system;
    for (int i = 0; i < s->contact_count; i++)
    {
        const StageContact* c = &s->contacts[i];
        for (int k = 0; k < 3; k++) system->bc[3 * i + k] = system_along(system, &system->touches[3 * i + k]);
        system->soft[i] = 0;
        if (s->def.contact == TW_STAGE_PENALTY)
        {
            // an implicit spring with damper, p = -h (k (gap + h way) + d way), half of it now and half at the end of the step
            system->soft[i] = 2 / (h * (h * c->stiffness + c->damping));
            system->bc[3 * i] += c->stiffness * c->touch.gap / (h * c->stiffness + c->damping);
        }
        else
            system->bc[3 * i] += fmax(c->touch.gap, 0) / h;
    }
}

// size of things, for what is near enough
static double scale(const twStage* s)
{
    double size = 0;
    for (int i = 0; i < s->body_count; i++)
        if (s->bodies[i].free || s->bodies[i].mode_count > 0) size = fmax(size, s->bodies[i].contact->radius);
    return size;
}

// rows of positions as places at the end of the step change
static void aim_grabs(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
        if (s->bodies[i].free) s->turning[i] = stage_body_turning(&s->bodies[i], s->def.step, s->system.kick[i]);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (acts_by_rows(&s->holds[i], true) && s->holds[i].def.kind == TW_GRAB_POSITION)
            hold_aim(&s->holds[i], &s->system, s->bodies, s->after, s->turning);
    system_factor(&s->system);
}

// sum of squares of what is missing
static double missing(const twStage* s)
{
    double sum = 0;
    for (int k = 0; k < s->system.row_count; k++) sum += s->system.b[k] * s->system.b[k];
    return sum;
}

static void push_more(twStage* s, const double* p, double share)
{
    for (int k = 0; k < s->system.column_count; k++) s->system.p[k] = share * p[k];
    system_push(&s->system, s->system.p, NULL);
    count_grabs(s, s->system.p, true);
    go_on(s);
    want_places(s, false);
}

// energy of the kicks, by themselves
static double kicked(const twStage* s)
{
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) sum += stage_body_kinetic_of(&s->bodies[i], s->system.kick[i]);
    return sum;
}

// one round of Newton's method, less of it as long as it leads away. @return whether it got nearer
static bool come_nearer(twStage* s, double most)
{
    double* p = s->newton;
    const double before = missing(s);
    memcpy(p, s->system.p, (size_t)s->system.column_count * sizeof *p);
    push_more(s, p, 1);
    double share = 1;
    for (; !(missing(s) < before && kicked(s) <= most) && share > LEAST_SHARE; share *= 0.5)
        push_more(s, p, -0.5 * share);
    if (missing(s) < before && kicked(s) <= most) return true;
    push_more(s, p, -share);
    return false;
}

// Places by Newton's method; contacts push as they did. Of what cannot be reached, the rest is as small as it can be: what counts is
// how far grabs can still go.
static void correct_places(twStage* s, double most)
{
    const double enough = CLOSE * scale(s);
    double before = HUGE_VAL;
    go_on(s);
    want_places(s, false);
    for (int round = 0; round < MOST_ROUNDS && s->system.row_count > 0; round++)
    {
        system_solve_grabs(&s->system, s->system.b, s->system.p);
        double left = s->def.step * system_reach(&s->system, s->system.p);
        if (left <= enough) break;
        if (left > SLOW_NEWTON * before)
        {
            aim_grabs(s);
            system_solve_grabs(&s->system, s->system.b, s->system.p);
        }
        before = left;
        s->stats.repeated++;
        if (come_nearer(s, most)) continue;
        if (s->system.softness >= SOFTEST) break;
        // without the directions that give least
        s->system.softness = fmax(1e-8, 100 * s->system.softness);
        aim_grabs(s);
    }
}

// @return whether a grab pulls more than it may; it gives way then
static bool limit_grabs(twStage* s)
{
    bool any = false;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        const double force = tw_vec3_norm(hold->impulse) / (0.5 * s->def.step), most = hold->def.max_force;
        if (!acts_by_rows(hold, true) || !(most > 0) || force <= most) continue;
        hold->push = tw_vec3_scale(hold->impulse, most / force / (0.5 * s->def.step));
        hold->limited = any = true;
    }
    if (any) s->stats.limited++;
    return any;
}

// how much faster a target goes than its point does now
static double asked_speed(const twStage* s, const Hold* hold)
{
    twVec3 own, other = {0, 0, 0};
    hold_point_now(&s->bodies[hold->def.body], &hold->def.point, &own);
    if (hold->def.other != TW_NOWHERE) hold_point_now(&s->bodies[hold->def.other], &hold->def.other_point, &other);
    const twVec3 lead = hold_lead(hold, s->bodies, s->places, s->time, s->def.step);
    return tw_vec3_norm(tw_vec3_sub(tw_vec3_add(lead, other), own));
}

// energy of what velocities change by in a step by themselves
static double free_change(const twStage* s, const StageBody* body)
{
    double mean[6 + TW_MAX_STAGE_MODES], now[6 + TW_MAX_STAGE_MODES];
    stage_body_mean(body, s->def.gravity, s->def.step, mean);
    stage_body_speed(body, now);
    for (int k = 0; k < body->size; k++) mean[k] = 2 * (mean[k] - now[k]);
    return stage_body_kinetic_of(body, mean);
}

// Most energy that kicks may have: what turns all motion back, and some times what bodies do by themselves, and that of all of them as
// fast as grabs ask for. More is needed only along directions that hardly give, or if directions turn too much in a step.
static double most_energy(twStage* s)
{
    double fastest = 0, sum = 0;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!acts_by_rows(hold, false) || hold->def.kind == TW_GRAB_ACCELERATION) continue;
        hold->asked = fmax(hold->asked, asked_speed(s, hold));
        fastest = fmax(fastest, hold->asked);
    }
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        if (body->size == 0) continue;
        sum += 4 * stage_body_kinetic(body) + SENSE * free_change(s, body);
        sum += SENSE * body->shape->mass.mass * fastest * fastest;
    }
    return sum;
}

// all impulses as if directions stayed, by ever fewer of them until there is sense in it. @return most energy of kicks
static double first_impulses(twStage* s)
{
    StageSystem* system = &s->system;
    double most = HUGE_VAL;
    for (double softness = s->def.softness;; softness = fmax(1e-8, 100 * softness))
    {
        set_ways(s);
        go_on(s);
        want_places(s, true);
        contact_ways(s);
        if (most == HUGE_VAL && system->row_count > 0) most = most_energy(s) + kicked(s);
        system->softness = softness;
        system_factor(system);
        system_solve(system, s->contacts);
        system_push(system, system->p, system->pc);
        if (softness >= SOFTEST || system->row_count == 0 || kicked(s) <= most) break;
        for (int j = 0; j < system->column_count; j++) system->p[j] = -system->p[j];
        for (int c = 0; c < system->touch_count; c++) system->pc[c] = -system->pc[c];
        system_push(system, system->p, system->pc);
        for (int c = 0; c < system->touch_count; c++) system->pc[c] = -system->pc[c];
    }
    count_grabs(s, system->p, true);
    return most;
}

static void begin_step(twStage* s)
{
    StageSystem* system = &s->system;
    for (int try = 0; try < MOST_TRIES; try++)
    {
        system_clear(system);
        for (int i = 0; i < 3 * s->contact_count; i++) system->pc[i] = 0.5 * s->contacts[i / 3].impulse[i % 3];
        for (int i = 0; i < s->def.max_grabs; i++) hold_rest(&s->holds[i]);
        push_given(s, s->time);
        grab_lines(s, s->places, true);
        for (int i = 0; i < s->contact_count; i++) contact_lines(s, &s->contacts[i], true);
        if (system->row_count + system->touch_count > s->stats.rows_max)
            s->stats.rows_max = system->row_count + system->touch_count;
        const double most = first_impulses(s);
        correct_places(s, most);
        if (!limit_grabs(s)) break;
    }
    for (int i = 0; i < s->contact_count; i++)
        for (int k = 0; k < 3; k++) s->contacts[i].impulse[k] = system->pc[3 * i + k];
    kick_all(s, true);
}

// ---- the end of a step ----

// Whether springs push at the end of a step as they did at its beginning. Where all is slow they do not: springs that are stiffer than
// steps can tell would shake what lies on them for ever.
static bool springs_push(const twStage* s)
{
    if (s->def.contact != TW_STAGE_PENALTY) return false;
    for (int i = 0; i < s->contact_count; i++)
        if (s->contacts[i].impulse[0] > 0 && s->approach[i] >= SLOW_BOUNCE) return true;
    return false;
}

// what touches at the end: what pushed, and what overlaps
static int feel(twStage* s)
{
    int count = 0;
    const bool hard = s->def.contact == TW_STAGE_CONSTRAINT;
    if (springs_push(s)) return 0;
    for (int i = 0; i < s->contact_count; i++)
        if (s->contacts[i].impulse[0] > 0 || (hard && s->contacts[i].touch.gap <= 0)) s->felt[count++] = i;
    return count;
}

// how fast rigid bodies go apart after a blow; of soft ones the modes rebound
static double rebound(const twStage* s, int contact)
{
    const int a = s->contacts[contact].touch.body[0], b = s->contacts[contact].touch.body[1];
    if (s->bodies[a].mode_count + s->bodies[b].mode_count > 0 || s->approach[contact] < SLOW_BOUNCE) return 0;
    return fmin(s->restitution[a], s->restitution[b]) * s->approach[contact];
}

// the energy that springs hold after the step
static void load_springs(twStage* s)
{
    const double h = s->def.step, before = s->energy.springs;
    s->energy.springs = 0;
    for (int i = 0; i < s->contact_count; i++)
    {
        const StageContact* c = &s->contacts[i];
        const double soft = 2 / (h * (h * c->stiffness + c->damping));
        // way = -soft p - k gap/(h k + d)
        const double way = -soft * c->impulse[0] - c->stiffness * c->touch.gap / (h * c->stiffness + c->damping);
        const double deep = c->impulse[0] > 0 ? fmin(c->touch.gap + h * way, 0) : 0;
        s->energy.springs += 0.5 * c->stiffness * deep * deep;
    }
    s->energy.dissipated += before - s->energy.springs;
}

// the other half of the penalty
static void push_springs(twStage* s)
{
    for (int i = 0; i < s->contact_count; i++)
    {
        contact_lines(s, &s->contacts[i], false);
        for (int k = 0; k < 3; k++) s->system.pc[3 * i + k] = s->contacts[i].impulse[k];
    }
    system_push(&s->system, NULL, s->system.pc);
}

// ---- what grabs bring in ----

// Large steps make grabs on what turns and bends bring in more than their targets do (as RATTLE does: a little to and fro, but where
// forces are strong and directions change much in a step, ever more). What is beyond a share is taken from the motion that they leave
// free, along which no grab feels it.

// bodies that hang together by grabs have the number of one of them; -1: not grabbed
static void find_groups(twStage* s)
{
    for (int i = 0; i < s->body_count; i++) s->group[i] = -1;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        const twGrabDef* def = &hold->def;
        if (!acts_by_rows(hold, false)) continue;
        if (s->group[def->body] < 0) s->group[def->body] = def->body;
        for (int k = -1; k < def->push_count; k++)
        {
            const int other = k < 0 ? def->other : def->push_body[k], now = s->group[def->body];
            if (other == TW_NOWHERE) continue;
            const int old = s->group[other];
            s->group[other] = now;
            for (int b = 0; b < s->body_count && old >= 0; b++)
                if (s->group[b] == old) s->group[b] = now;
        }
    }
}

// kicks become the velocities of least energy that grabs want
static void want_least(twStage* s)
{
    StageSystem* system = &s->system;
    for (int i = 0; i < s->body_count; i++)
    {
        memset(system->speed[i], 0, (size_t)s->bodies[i].size * sizeof(double));
        memset(system->kick[i], 0, (size_t)s->bodies[i].size * sizeof(double));
    }
    for (int i = 0; i < s->def.max_grabs; i++)
        if (acts_by_rows(&s->holds[i], false))
            hold_wants(&s->holds[i], system, s->bodies, s->after, false, s->time + s->def.step, s->def.step,
                       s->def.gravity, system->b);
    system_solve_grabs(system, system->b, system->p);
    system_push(system, system->p, NULL);
}

// V = V_c + V_f, square to each other by the mass: the energy of V_f goes down by the surplus. kicks hold V_c
static void slow_group(twStage* s, int group, double surplus)
{
    double held = 0, moving = 0, gone = 0;
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        held += stage_body_kinetic_of(&s->bodies[i], s->system.kick[i]);
        moving += stage_body_kinetic(&s->bodies[i]);
    }
    const double loose = moving - held;
    if (!(loose > 0)) return;
    const double f = sqrt(fmax(1 - surplus / loose, 0));
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        double change[6 + TW_MAX_STAGE_MODES], speed[6 + TW_MAX_STAGE_MODES];
        stage_body_speed(&s->bodies[i], speed);
        for (int k = 0; k < s->bodies[i].size; k++) change[k] = (1 - f) * (s->system.kick[i][k] - speed[k]);
        gone += stage_body_kinetic(&s->bodies[i]);
        stage_body_kick(&s->bodies[i], change);
        gone -= stage_body_kinetic(&s->bodies[i]);
    }
    s->surplus[group] -= gone;
    s->energy.work -= gone;
}

// what a step may be wrong by while things begin to move
static double allowance(const twStage* s, int group)
{
    double mass = 0, fastest = s->def.step * tw_vec3_norm(s->def.gravity);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (acts_by_rows(&s->holds[i], false) && s->group[s->holds[i].def.body] == group)
            fastest = fmax(fastest, s->holds[i].asked);
    for (int i = 0; i < s->body_count; i++)
        if (s->group[i] == group) mass += s->bodies[i].shape->mass.mass;
    return ONSET * mass * fastest * fastest;
}

static void calm(twStage* s)
{
    bool known = false;
    find_groups(s);
    for (int g = 0; g < s->body_count; g++)
    {
        if (s->group[g] != g) s->surplus[s->group[g] < 0 ? g : s->group[g]] += s->group[g] < 0 ? 0 : s->surplus[g];
        if (s->group[g] != g) s->surplus[g] = 0;
    }
    for (int g = 0; g < s->body_count; g++)
    {
        if (s->group[g] != g) continue;
        double whole = 0;
        for (int i = 0; i < s->body_count; i++)
            if (s->group[i] == g) whole += stage_body_kinetic(&s->bodies[i]) + stage_body_elastic(&s->bodies[i]);
        s->surplus[g] = fmin(fmax(s->surplus[g], -SURPLUS * whole), whole);
        if (!(s->surplus[g] > SURPLUS * whole + allowance(s, g))) continue;
        if (!known) want_least(s);
        known = true;
        slow_group(s, g, s->surplus[g]);
    }
}

// only impulses of the beginning
static void hold_back(Hold* hold)
{
    hold->impulse = tw_vec3_sub(hold->impulse, hold->half);
    hold->half = tw_vec3(0, 0, 0);
    memcpy(hold->pushed, hold->first, sizeof hold->pushed);
}

// lines and right sides of the end of a step, springs already pushing. @return contacts that are felt
static int set_end(twStage* s)
{
    StageSystem* system = &s->system;
    const double end = s->time + s->def.step;
    system_clear(system);
    push_given(s, end);
    grab_lines(s, s->after, false);
    const int felt = feel(s);
    for (int i = 0; i < felt; i++) contact_lines(s, &s->contacts[s->felt[i]], false);
    if (springs_push(s)) push_springs(s);
    for (int i = 0; i < s->body_count; i++)
    {
        stage_body_speed(&s->bodies[i], system->speed[i]);
        for (int k = 0; k < s->bodies[i].size; k++) system->speed[i][k] += system->kick[i][k];
    }
    for (int i = 0; i < s->def.max_grabs; i++)
        if (acts_by_rows(&s->holds[i], false))
            hold_wants(&s->holds[i], system, s->bodies, s->after, false, end, s->def.step, s->def.gravity, system->b);
    for (int i = 0; i < 3 * felt; i++) system->bc[i] = system_along(system, &system->touches[i]);
    for (int i = 0; i < felt; i++) system->bc[3 * i] -= rebound(s, s->felt[i]);
    return felt;
}

static void solve_end(twStage* s, int felt)
{
    StageSystem* system = &s->system;
    StageContact touching[CONE_MAX];
    system_factor(system);
    if (felt == 0)
    {
        system_solve_grabs(system, system->b, system->p);
        system_push(system, system->p, NULL);
        return;
    }
    for (int i = 0; i < felt; i++) touching[i] = s->contacts[s->felt[i]];
    memset(system->soft, 0, (size_t)felt * sizeof *system->soft);
    memset(system->pc, 0, 3 * (size_t)felt * sizeof *system->pc);
    system_solve(system, touching);
    system_push(system, system->p, system->pc);
}

// by ever fewer directions until there is sense in it. @return contacts that are felt
static int bring_to_speed(twStage* s)
{
    int felt = set_end(s);
    const double most = s->system.row_count > 0 ? most_energy(s) + kicked(s) : HUGE_VAL;
    solve_end(s, felt);
    while (kicked(s) > most && s->system.softness < SOFTEST)
    {
        s->system.softness = fmax(1e-8, 100 * s->system.softness);
        for (int i = 0; i < s->def.max_grabs; i++) hold_back(&s->holds[i]);
        felt = set_end(s);
        solve_end(s, felt);
    }
    return felt;
}

// @return whether a grab has pulled more than it may in the whole step; then it does what is left
static bool limit_end(twStage* s)
{
    bool any = false;
    const double h = s->def.step;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        const double force = tw_vec3_norm(hold->impulse) / h, most = hold->def.max_force;
        if (!acts_by_rows(hold, false) || !(most > 0) || force <= most) continue;
        const twVec3 first = tw_vec3_sub(hold->impulse, hold->half);
        hold->push = tw_vec3_scale(tw_vec3_sub(tw_vec3_scale(hold->impulse, most / force), first), 2 / h);
        hold->limited = any = true;
    }
    if (any) s->stats.limited++;
    return any;
}

static void end_step(twStage* s)
{
    StageSystem* system = &s->system;
    int felt = 0;
    system->softness = s->def.softness;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        s->holds[i].half = tw_vec3(0, 0, 0);
        memcpy(s->holds[i].first, s->holds[i].pushed, sizeof s->holds[i].pushed);
    }
    for (int i = 0; i < s->body_count; i++) s->after[i] = stage_body_place(&s->bodies[i]);
    if (s->def.contact == TW_STAGE_PENALTY) load_springs(s);
    const bool sprung = springs_push(s);
    for (int try = 0; try < MOST_TRIES; try++)
    {
        // from anew: what is given, and what grabs did
        for (int i = 0; i < s->def.max_grabs; i++) hold_back(&s->holds[i]);
        felt = bring_to_speed(s);
        count_grabs(s, system->p, false);
        if (!limit_end(s)) break;
    }
    for (int i = 0; i < s->contact_count && sprung; i++)
        for (int k = 0; k < 3; k++) s->contacts[i].impulse[k] *= 2;
    for (int i = 0; i < felt; i++)
        for (int k = 0; k < 3; k++) s->contacts[s->felt[i]].impulse[k] += system->pc[3 * i + k];
    kick_all(s, false);
    calm(s);
}

static bool is_held(const twStage* s, int body)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && (s->holds[i].def.body == body || s->holds[i].def.other == body)) return true;
    return false;
}

// to be moved without a push: what is grabbed is where it should be
static double give_of(const twStage* s, const StageBody* body)
{
    return is_held(s, body->index) ? 0 : body->inverse_mass;
}

// what overlaps is moved apart a little, without velocity
static void part_bodies(twStage* s)
{
    for (int i = 0; i < s->contact_count && s->def.contact == TW_STAGE_CONSTRAINT; i++)
    {
        const Touch* touch = &s->contacts[i].touch;
        StageBody *a = &s->bodies[touch->body[0]], *b = &s->bodies[touch->body[1]];
        const double slack = OVERLAP * fmin(a->contact->radius, b->contact->radius);
        const double give_a = give_of(s, a), give_b = give_of(s, b), give = give_a + give_b;
        const double deep = -touch->gap - slack;
        if (!(deep > 0) || !(give > 0)) continue;
        const double way = RECOVERY * deep / (s->contact_count * give);
        const double before = stage_body_weight(a, s->def.gravity) + stage_body_weight(b, s->def.gravity);
        a->position = tw_vec3_add_scaled(a->position, touch->normal, way * give_a);
        b->position = tw_vec3_add_scaled(b->position, touch->normal, -way * give_b);
        s->energy.dissipated -= stage_body_weight(a, s->def.gravity) + stage_body_weight(b, s->def.gravity) - before;
    }
}

// Impulses at the beginning of a step and at its end do not take from each other exactly what contacts between soft bodies should; what
// is made of nothing, less than they dissipate on the way, is taken from the vibration of those that touch. Momentum stays.
static void pay_back(twStage* s, double made)
{
    double shaking = 0;
    if (!(made > 0)) return;
    for (int i = 0; i < s->body_count; i++) s->shaken[i] = false;
    for (int c = 0; c < s->contact_count; c++)
        for (int side = 0; side < 2; side++) s->shaken[s->contacts[c].touch.body[side]] = true;
    for (int i = 0; i < s->body_count; i++)
    {
        s->shaken[i] = s->shaken[i] && !is_held(s, i);
        for (int j = 0; j < s->bodies[i].mode_count && s->shaken[i]; j++)
            shaking += 0.5 * s->bodies[i].rate[j] * s->bodies[i].rate[j];
    }
    const double left = shaking > made ? sqrt(1 - made / shaking) : 0;
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        const int frame = body->size - body->mode_count;
        double* kick = s->system.kick[i];
        if (!s->shaken[i] || body->mode_count == 0) continue;
        memset(kick, 0, (size_t)frame * sizeof *kick);
        for (int j = 0; j < body->mode_count; j++) kick[frame + j] = (left - 1) * body->rate[j];
        stage_body_kick(&s->bodies[i], kick);
    }
    s->energy.dissipated += fmin(made, shaking);
}

// ---- the whole ----

static void find_contacts(twStage* s)
{
    s->contact_count = 0;
    if (!s->touches) return;
    double fastest = 0;
    for (int i = 0; i < s->body_count; i++) fastest = fmax(fastest, tw_place_speed_bound(&s->places[i]));
    const double h = s->def.step, reach = 2 * h * (fastest + h * tw_vec3_norm(s->def.gravity)) + 1e-4 * scale(s);
    s->contact_count = stage_touches_find(s->touches, s->places, reach, &s->contacts);
    for (int i = 0; i < s->contact_count; i++)
    {
        const Touch* touch = &s->contacts[i].touch;
        double u[3];
        tw_touch_velocity(u, touch, &s->places[touch->body[0]], &s->places[touch->body[1]]);
        s->approach[i] = -u[0];
    }
    s->stats.contacts += s->contact_count;
    if (s->contact_count > s->stats.contacts_max) s->stats.contacts_max = s->contact_count;
}

// how long a blow between masses lasts by Hertz' law: 2.94 x/v, x = (5 m v^2/4k)^(2/5)
static double blow_time(double mass, double speed, double hertz)
{
    const double v = fmax(speed, 1e-3);
    const double x = pow(1.25 * mass * v * v / fmax(hertz, 1), 0.4);
    return fmin(fmax(2.94 * x / v, 2e-5), 0.05);
}

static StagePush* new_push(twStage* s, uint64_t id, int body, twVec3 impulse)
{
    if (s->push_count >= s->push_room) return NULL;
    StagePush* push = &s->pushes[s->push_count++];
    *push = (StagePush){.id = id, .body = body, .vertex = {-1, -1, -1}};
    push->impulse = tw_quat_rotate(tw_quat_conj(s->bodies[body].turn), impulse);
    return push;
}

static void hear_contact(twStage* s, int index)
{
    const StageContact* c = &s->contacts[index];
    const Touch* t = &c->touch;
    if (!(c->impulse[0] > 0)) return;
    twVec3 impulse = tw_vec3_scale(t->normal, c->impulse[0]);
    impulse =
        tw_vec3_add_scaled(tw_vec3_add_scaled(impulse, t->tangent[0], c->impulse[1]), t->tangent[1], c->impulse[2]);
    const double give = s->bodies[t->body[0]].inverse_mass + s->bodies[t->body[1]].inverse_mass;
    for (int side = 0; side < 2; side++)
    {
        StagePush* push = new_push(s, t->id, t->body[side], tw_vec3_scale(impulse, side == 0 ? 1 : -1));
        if (!push) return;
        push->hit = s->approach[index] > SLOW_BOUNCE;
        push->contact_time = blow_time(give > 0 ? 1 / give : 1, s->approach[index], c->hertz);
        for (int i = 0; i < (side == 0 ? 2 : 3); i++)
        {
            const bool there = t->edge ? i < 2 : side == 1 || i < 1;
            push->vertex[i] = !there ? -1 : side == 0 ? t->vertex[i] : t->corner[i];
            push->weight[i] = !there ? 0 : (float)(side == 0 ? t->share[i] : t->weight[i]);
        }
    }
}

static void hear_point(twStage* s, int slot, int body, const twStagePoint* point, twVec3 impulse)
{
    StagePush* push = new_push(s, TW_TRACE_PUSH | (uint64_t)slot, body, impulse);
    for (int i = 0; i < 3 && push; i++)
    {
        push->vertex[i] = point->vertex[i];
        push->weight[i] = (float)point->weight[i];
    }
}

static void hear_grab(twStage* s, int slot)
{
    const Hold* hold = &s->holds[slot];
    const twGrabDef* def = &hold->def;
    if (!hold->active) return;
    for (int k = 0; k < def->push_count; k++)
        hear_point(s, slot, def->push_body[k], &def->push_point[k], hold->pushed[k]);
    if (def->push_count > 0) return;
    hear_point(s, slot, def->body, &def->point, hold->impulse);
    if (def->other != TW_NOWHERE) hear_point(s, slot, def->other, &def->other_point, tw_vec3_scale(hold->impulse, -1));
}

static void hear(twStage* s)
{
    s->strike_count = s->push_count;
    for (int i = 0; i < s->contact_count; i++) hear_contact(s, i);
    for (int i = 0; i < s->def.max_grabs; i++) hear_grab(s, i);
    doubt_step(s->doubt, s->pushes, s->push_count);
    live_hear(s->live, s->time, s->pushes, s->push_count, s->after);
    s->push_count = 0;
}

static bool holds_body(const Hold* hold, int body)
{
    bool any = hold->def.body == body || hold->def.other == body;
    for (int k = 0; k < hold->def.push_count; k++) any = any || hold->def.push_body[k] == body;
    return hold->active && any;
}

void stage_jumped(twStage* s, int body)
{
    if (s->touches) stage_touches_forget(s->touches, body);
    for (int k = 0; k < s->def.max_grabs; k++)
        if (holds_body(&s->holds[k], body)) hold_again(&s->holds[k], s->bodies, s->time);
}

static void reset_lost(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        if (stage_body_finite(&s->bodies[i])) continue;
        stage_body_reset(&s->bodies[i]);
        for (int k = 0; k < s->def.max_grabs; k++)
            if (holds_body(&s->holds[k], i)) s->holds[k].active = false;
        if (s->touches) stage_touches_forget(s->touches, i);
        s->stats.resets++;
    }
}

void stage_strike_now(twStage* s, int body, const twStagePoint* point, twVec3 impulse)
{
    system_clear(&s->system);
    push_point(s, body, point, impulse);
    const double before = kinetic(s);
    for (int i = 0; i < s->body_count; i++) stage_body_kick(&s->bodies[i], s->system.kick[i]);
    s->energy.work += kinetic(s) - before;
    StagePush* push = new_push(s, TW_TRACE_PUSH | TW_MAX_GRABS, body, impulse);
    if (!push) return;
    push->hit = true;
    push->contact_time = 1e-3;
    for (int i = 0; i < 3; i++)
    {
        push->vertex[i] = point->vertex[i];
        push->weight[i] = (float)point->weight[i];
    }
}

static double energy_of(const twStage* s, const StageBody* body)
{
    return stage_body_kinetic(body) + stage_body_elastic(body) + stage_body_weight(body, s->def.gravity);
}

// everything goes by itself; what damping has taken is not there any more, whoever brought it in
static void flow(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageBody* body = &s->bodies[i];
        const double before = energy_of(s, body);
        stage_body_flow(body, s->def.gravity, s->def.step);
        const double lost = before - energy_of(s, body);
        s->energy.dissipated += lost;
        s->surplus[i] -= lost;
    }
}

void stage_step(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        stage_body_predict(&s->bodies[i], s->def.step);
        s->places[i] = stage_body_place(&s->bodies[i]);
    }
    for (int i = 0; i < s->def.max_grabs; i++) s->holds[i].limited = false, s->holds[i].asked = 0;
    find_contacts(s);
    const double before = s->energy.dissipated;
    begin_step(s);
    flow(s);
    end_step(s);
    part_bodies(s);
    pay_back(s, before - s->energy.dissipated);
    s->time = (double)++s->step * s->def.step;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        s->holds[i].fresh = false;
        if (s->holds[i].active && s->holds[i].limited) hold_yield(&s->holds[i], s->bodies, s->time);
    }
    reset_lost(s);
    for (int i = 0; i < s->body_count; i++) s->after[i] = stage_body_place(&s->bodies[i]);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && s->holds[i].def.kind == TW_GRAB_POSITION)
            s->holds[i].error = tw_vec3_norm(hold_error(&s->holds[i], s->bodies, s->after, s->time));
    hear(s);
    if (s->recording) stage_record_step(s);
    s->stats.steps++;
}
