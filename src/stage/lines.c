// SPDX-License-Identifier: MIT
// What both halves of a step share: which grabs act, their lines and those of contacts, forces that are given, and the kicks.
#include "stage/step.h"
#include <math.h>
#include <string.h>

bool step_acts(const Hold* hold)
{
    return hold->active && !hold->limited && !hold->slack && hold->def.kind != TW_STAGE_GRAB_FORCE;
}

void step_push_point(twStage* s, int body, const twStagePoint* point, twVec3 impulse)
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

void step_push_given(twStage* s, double time)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!hold->active || hold->slack || (hold->def.kind != TW_STAGE_GRAB_FORCE && !hold->limited)) continue;
        const twVec3 impulse = tw_vec3_scale(hold_force(hold, time), 0.5 * s->h);
        const twStageGrabDef* def = &hold->def;
        hold->impulse = tw_vec3_add(hold->impulse, impulse);
        hold->half = tw_vec3_add(hold->half, impulse);
        if (def->push_count == 0) step_push_point(s, def->body, &def->point, impulse);
        if (def->push_count == 0 && def->other != TW_NOWHERE)
            step_push_point(s, def->other, &def->other_point, tw_vec3_scale(impulse, -1));
        const twVec3 part = tw_vec3_scale(impulse, 1.0 / fmax(def->push_count, 1));
        for (int k = 0; k < def->push_count; k++)
        {
            step_push_point(s, def->push_body[k], &def->push_point[k], part);
            hold->pushed[k] = tw_vec3_add(hold->pushed[k], part);
        }
    }
}

void step_contact_lines(twStage* s, const StageContact* contact, bool way)
{
    StageSystem* system = &s->system;
    const Touch* touch = &contact->touch;
    StageLine* lines[3];
    s->lined[system->touch_count / 3] = (int)(contact - s->contacts);
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

void step_grab_lines(twStage* s, const BodyPlace* places, bool way)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i])) hold_lines(&s->holds[i], &s->system, s->bodies, places, way);
}

// impulses of grabs' columns, per grab
void step_count_grabs(twStage* s, const double* p)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!step_acts(hold)) continue;
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

double step_kinetic(const twStage* s)
{
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) sum += stage_body_kinetic(&s->bodies[i]);
    return sum;
}

// the kicks act; what contacts do is dissipated, the rest is work
void step_kick(twStage* s)
{
    const double before = step_kinetic(s);
    double contacts = 0;
    for (int c = 0; c < s->contact_count; c++) contacts -= s->contacts[c].work;
    ledger_count(s);
    for (int i = 0; i < s->body_count; i++) stage_body_kick(&s->bodies[i], s->system.kick[i]);
    ledger_count(s);
    for (int c = 0; c < s->contact_count; c++) contacts += s->contacts[c].work;
    s->energy.dissipated -= contacts;
    s->energy.work += step_kinetic(s) - before - contacts;
}

void step_look(twStage* s)
{
    for (int i = 0; i < s->body_count; i++) s->after[i] = stage_body_place(&s->bodies[i]);
}

bool step_in_place(const twStage* s, int group)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (step_acts(hold) && hold->def.push_count > 0 && (group == STEP_ALL || s->group[hold->def.body] == group))
            return false;
    }
    return true;
}

// size of things, for what is near enough
double step_scale(const twStage* s)
{
    double size = 0;
    for (int i = 0; i < s->body_count; i++)
        if (s->bodies[i].free || s->bodies[i].mode_count > 0) size = fmax(size, s->bodies[i].contact->radius);
    return size;
}
