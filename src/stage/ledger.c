// SPDX-License-Identifier: MIT
// One account of energy for all that grabs and contacts do. Bodies that hang together by grabs, or push each other, are a group; of a
// group after a part of a step
//
//     E <= E before + work of forces that are given + work of targets, as long as E is below what hands may reach,
//
// E being of motion and bending; above that, grabs that agree with each other may bend it further, which is what holding needs. Work of
// grabs at their largest force, or that come back, is what they took before (open_purses()). Impulses of grabs and contacts at the
// beginning and at the end of a step do not keep that by themselves (as those of RATTLE: right on the average, and ever more where
// directions change much in a step). What they have brought in beyond is owed, and is paid by the motion that they leave free, V_f:
//
//     V = V_c + V_r + V_f   ->   V_c + V_r + f V_f
//
// V_c the least velocities that grabs ask for, V_r what a group that hangs on nothing does as a whole, so that momentum stays. All
// three are square to each other by the mass. What cannot be paid is a reason to do the step otherwise.
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define CREDIT 0.05  // of the energy there is: so much that grabs have taken too much is remembered
#define SLACK 1e-9   // of the energy there is: not worth paying
#define TRUST 0.05   // of the energy there was: so much may be owed for a while
#define HASTE 8.0    // times the speed that targets are told to go: a group may have the energy of going as fast
#define BENDING 1.0  // times the way that targets are told to go: a body may be bent by it in its fastest mode
#define REST 5e-4    // [m/s] and no faster than a step's fall: what is slower lies still
#define IDLE 1.0     // [1/s] times its radius: a speed that is no haste
#define AHEAD 1.1    // times what is lacking is paid before a step is done anew
#define WILD 100.0   // times what may be, within a step: no more
#define SAVED 0.1    // of a body's radius: lifting by more is not saved for
#define WORTH 0.01   // of a group's energy: lacking more than before by it is worth dividing a step
#define CALM 0.5     // of a body's energy of motion is above what it may have: too much
#define STRAY 1e-3   // of the way that an acceleration goes in a part of a step: off by more, it is not to be had
#define RISE 1e-3    // of a body's radius: what it is lifted by is not asked

// ---- groups ----

static void unite(twStage* s, int a, int b)
{
    const int now = s->group[a] < 0 ? a : s->group[a], old = s->group[b] < 0 ? b : s->group[b];
    for (int i = 0; i < s->body_count; i++)
        if (s->group[i] == old) s->group[i] = now;
    s->group[a] = s->group[b] = now;
}

// bodies that hang together have the number of one of them; -1: alone. What does not move at all hangs on nothing
void ledger_groups(twStage* s)
{
    for (int i = 0; i < s->body_count; i++) s->group[i] = -1;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        const twStageGrabDef* def = &hold->def;
        if (!step_acts(hold) && !(hold->active && (hold->slack || hold->limited))) continue;
        unite(s, def->body, def->body);
        if (def->other != TW_NOWHERE && s->bodies[def->other].size > 0) unite(s, def->body, def->other);
        for (int k = 0; k < def->push_count; k++) unite(s, def->body, def->push_body[k]);
    }
    for (int c = 0; c < s->contact_count; c++)
    {
        const int* body = s->contacts[c].touch.body;
        if (!(s->contacts[c].impulse[0] > 0)) continue;
        for (int side = 0; side < 2; side++)
            if (s->bodies[body[side]].size > 0)
                unite(s, body[side], s->bodies[body[!side]].size > 0 ? body[!side] : body[side]);
    }
}

// ---- what is done ----

double step_energy(const StageBody* body) { return stage_body_kinetic(body) + stage_body_elastic(body); }

void ledger_open(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageAccount* account = &s->accounts[i];
        account->had = step_energy(&s->bodies[i]);
        account->bent = stage_body_elastic(&s->bodies[i]);
        account->old = account->owed;
        account->own = account->may = account->lost = 0;
    }
    for (int c = 0; c < s->contact_count; c++) s->contacts[c].work = 0;
    for (int i = 0; i < s->def.max_grabs; i++) s->holds[i].brought = 0, s->holds[i].next = s->holds[i].purse;
}

// half of what a given force does, share of it counted for the bodies it acts on
static double count_given(twStage* s, const Hold* hold, double share)
{
    const twStageGrabDef* def = &hold->def;
    twVec3 v;
    double all = 0;
    for (int k = 0; k < def->push_count; k++)
    {
        hold_point_now(&s->bodies[def->push_body[k]], &def->push_point[k], &v);
        const double work = 0.5 * tw_vec3_dot(tw_vec3_sub(hold->pushed[k], hold->first[k]), v);
        s->accounts[def->push_body[k]].own += share * work;
        all += work;
    }
    for (int side = 0; side < 2 && def->push_count == 0; side++)
    {
        const int body = side == 0 ? def->body : def->other;
        if (body == TW_NOWHERE) continue;
        hold_point_now(&s->bodies[body], side == 0 ? &def->point : &def->other_point, &v);
        const double work = (side == 0 ? 0.5 : -0.5) * tw_vec3_dot(hold->half, v);
        s->accounts[body].own += share * work;
        all += work;
    }
    return all;
}

// half of what the impulses of a grab that pushes elsewhere, or accelerates, do
static double work_now(const twStage* s, const Hold* hold)
{
    const StageSystem* system = &s->system;
    const double half[3] = {hold->half.x, hold->half.y, hold->half.z};
    double sum = 0;
    if (hold->def.push_count == 0)
        for (int axis = 0, column = hold->column; axis < 3; axis++)
            if (hold->def.along[axis]) sum += 0.5 * half[axis] * system_along(system, &system->columns[column++]);
    for (int k = 0; k < hold->def.push_count; k++)
    {
        const twVec3 p = tw_vec3_sub(hold->pushed[k], hold->first[k]);
        const StageLine* column = &system->columns[hold->column + 3 * k];
        sum += 0.5 * (p.x * system_along(system, column) + p.y * system_along(system, column + 1) +
                      p.z * system_along(system, column + 2));
    }
    return sum;
}

// a force that is given does what it does; what a grab at its largest does has to come from somewhere, if not from a target that moves
static void count_limited(twStage* s, Hold* hold, double lead)
{
    const bool pays = hold->limited && hold->def.kind != TW_STAGE_GRAB_ACCELERATION;
    const double work = count_given(s, hold, pays ? 0 : 1);
    const double led = hold->def.kind == TW_STAGE_GRAB_VELOCITY ? fmax(fmin(lead, work), 0) : 0;
    if (!pays) return;
    s->accounts[hold->def.body].own += led;
    hold->brought += work - led;
}

void ledger_count(twStage* s)
{
    StageSystem* system = &s->system;
    for (int i = 0; i < s->body_count; i++) stage_body_speed(&s->bodies[i], system->speed[i]);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        const bool gives = hold->active && !hold->slack && (hold->limited || hold->def.kind == TW_STAGE_GRAB_FORCE);
        const bool led = hold->def.push_count == 0 && hold->def.kind != TW_STAGE_GRAB_ACCELERATION;
        const double lead = led ? 0.5 * tw_vec3_dot(hold->half, hold_lead(hold, s->time, s->h)) : 0;
        if (gives) count_limited(s, hold, lead);
        if (!step_acts(hold)) continue;
        const double work = led ? lead : work_now(s, hold);
        // of what has a largest force, the purse has what it was told
        const bool from_purse = hold->back || (hold->def.kind == TW_STAGE_GRAB_POSITION && hold->def.max_force > 0);
        *(from_purse ? &hold->brought : &s->accounts[hold->def.body].may) += work;
    }
    for (int t = 0; t < system->touch_count; t++)
        if (system->pc[t] != 0)
            s->contacts[s->lined[t / 3]].work += 0.5 * system->pc[t] * system_along(system, &system->touches[t]);
}

// ---- what may be ----

// fresh: by a grab that has just begun; slack: by one that lets go
static bool is_held(const twStage* s, int group, bool* fresh, bool* slack)
{
    bool held = false;
    *fresh = *slack = false;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (!hold->active || s->group[hold->def.body] != group) continue;
        held = held || step_acts(hold) || hold->limited;
        *fresh = *fresh || hold->fresh;
        *slack = *slack || hold->slack;
    }
    return held;
}

// whether targets of a group go anywhere now, or push elsewhere: then hands will bring what is lacking
bool ledger_is_led(const twStage* s, int group)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (!hold->active || s->group[hold->def.body] != group || !step_acts(hold)) continue;
        if (hold->def.push_count > 0) return true;
        if (!hold->back && tw_vec3_norm(hold_lead(hold, s->time, s->h)) > 0) return true;
    }
    return false;
}

// whether a hand of a group that has a largest force has nothing left in its purse
static bool is_spent(const twStage* s, int group)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        const bool own = hold->active && s->group[hold->def.body] == group;
        if (own && hold->def.kind == TW_STAGE_GRAB_POSITION && hold->def.max_force > 0 && !(hold->next > 0))
            return true;
    }
    return false;
}

double step_own_speed(const twStage* s, int body)
{
    const double radius = s->bodies[body].contact->radius;
    return fmax(sqrt(tw_vec3_norm(s->def.gravity) * radius), IDLE * radius);
}

static double mass_of(const twStage* s, int group)
{
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) sum += s->group[i] == group ? s->bodies[i].shape->mass.mass : 0;
    return sum;
}

// fastest and farthest that targets of a group were told to go
static double asked_speed(const twStage* s, int group, double* far)
{
    double fast = 0;
    *far = 0;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        if (!s->holds[i].active || s->group[s->holds[i].def.body] != group) continue;
        fast = fmax(fast, s->holds[i].asked);
        *far = fmax(*far, s->holds[i].far);
    }
    return fast;
}

static double asked_energy(const twStage* s, int group)
{
    double far;
    const double speed = HASTE * asked_speed(s, group, &far);
    return 0.5 * mass_of(s, group) * speed * speed;
}

double ledger_haste(const twStage* s, int group)
{
    double far, own = 0;
    for (int i = 0; i < s->body_count; i++)
        if (s->group[i] == group) own = fmax(own, step_own_speed(s, i));
    return sqrt(mass_of(s, group)) * (own + HASTE * asked_speed(s, group, &far));
}

// the speed that a body may have if targets go as fast and far
static double reach_of(const twStage* s, int body, double fast, double far)
{
    const StageBody* b = &s->bodies[body];
    const double speed = step_own_speed(s, body) + HASTE * fast;
    if (b->mode_count == 0) return speed;
    return speed + BENDING * 2 * TW_PI * b->shape->freq_hz[b->mode_count - 1] * fmin(far, b->contact->radius);
}

// the speed that a grab which accelerates may bring in a step, against what a point does by itself: falls, and goes round
static double speed_gain(const twStage* s, const Hold* hold)
{
    const StageBody* body = &s->bodies[hold->def.body];
    const double round = tw_vec3_dot(body->spin, body->spin) * body->contact->radius;
    return s->h * (tw_vec3_norm(s->def.gravity) + tw_vec3_norm(hold->path.to) + round);
}

static bool accelerates(const Hold* hold) { return hold->active && hold->def.kind == TW_STAGE_GRAB_ACCELERATION; }

void ledger_look_back(twStage* s)
{
    bool any = false;
    for (int i = 0; i < s->def.max_grabs; i++) any = any || accelerates(&s->holds[i]);
    if (!any) return;
    step_look(s);
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!accelerates(hold)) continue;
        const double off = tw_vec3_norm(hold_error(hold, s->bodies, s->after, s->time + s->h));
        hold->strays = off > STRAY * s->h * speed_gain(s, hold);
    }
}

// Energy that hands may bring a group to, from what it had. An acceleration that is not to be had, because others hold its point, could
// bring any.
static double level(const twStage* s, int group, double had)
{
    double all = 0, gain = 0, far;
    const double mass = mass_of(s, group), fast = asked_speed(s, group, &far);
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        if (s->group[i] != group) continue;
        const double speed = reach_of(s, i, fast, far);
        all += 0.5 * body->shape->mass.mass * speed * speed;
    }
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (!hold->active || s->group[hold->def.body] != group) continue;
        if (hold->def.kind == TW_STAGE_GRAB_ACCELERATION && !hold->strays) gain = fmax(gain, speed_gain(s, hold));
    }
    const double more = sqrt(had) + sqrt(0.5 * mass) * HASTE * gain;
    return fmax(all, more * more);
}

double ledger_level(const twStage* s, int group) { return level(s, group, 0); }

// whether what impulses at the beginning of a step have made of a group leads anywhere
static bool is_sane(const twStage* s, int group)
{
    double had = 0, moving = 0;
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        had += s->accounts[i].had;
        moving += stage_body_kinetic(&s->bodies[i]);
    }
    return moving <= WILD * fmax(had, level(s, group, had));
}

bool ledger_check(twStage* s)
{
    bool fine = true;
    ledger_groups(s);
    for (int g = 0; g < s->body_count; g++)
    {
        bool fresh, slack;
        s->accounts[g].refused = s->group[g] == g && is_held(s, g, &fresh, &slack) && !is_sane(s, g);
        fine = fine && !s->accounts[g].refused;
    }
    return fine;
}

// ---- paying ----

// kicks become the velocities of least energy that grabs want at a time
static void want_least(twStage* s, double time)
{
    StageSystem* system = &s->system;
    for (int i = 0; i < s->body_count; i++)
    {
        memset(system->speed[i], 0, (size_t)s->bodies[i].size * sizeof(double));
        memset(system->kick[i], 0, (size_t)s->bodies[i].size * sizeof(double));
    }
    for (int i = 0; i < s->def.max_grabs; i++)
        if (step_acts(&s->holds[i]))
            hold_wants(&s->holds[i], system, s->bodies, s->after, false, time, s->h, system->b);
    system_solve_grabs(system, system->b, system->p);
    system_push(system, system->p, NULL);
}

static bool is_anchored(const twStage* s, int group)
{
    for (int i = 0; i < s->body_count; i++)
        if (s->group[i] == group && !s->bodies[i].free) return true;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        const Hold* hold = &s->holds[i];
        if (!hold->active || s->group[hold->def.body] != group) continue;
        if (hold->def.other == TW_NOWHERE || s->bodies[hold->def.other].size == 0) return true;
    }
    for (int c = 0; c < s->contact_count; c++)
        for (int side = 0; side < 2; side++)
            if (s->contacts[c].impulse[0] > 0 && s->group[s->contacts[c].touch.body[side]] == group &&
                s->bodies[s->contacts[c].touch.body[!side]].size == 0)
                return true;
    return false;
}

// what a group that hangs on nothing does as a whole is added to the kicks: the rigid motion that has its momentum
static void add_common(twStage* s, int group)
{
    double mass = 0;
    twVec3 centre = {0, 0, 0}, momentum = {0, 0, 0}, turning = {0, 0, 0}, spin = {0, 0, 0};
    twMat3 inertia = {0}, inverse;
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        if (s->group[i] != group) continue;
        mass += 1 / body->inverse_mass;
        centre = tw_vec3_add_scaled(centre, body->position, 1 / body->inverse_mass);
        momentum = tw_vec3_add_scaled(momentum, body->velocity, 1 / body->inverse_mass);
    }
    centre = tw_vec3_scale(centre, 1 / mass);
    const twVec3 velocity = tw_vec3_scale(momentum, 1 / mass);
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        if (s->group[i] != group) continue;
        const twVec3 arm = tw_vec3_sub(body->position, centre);
        const twMat3 turn = tw_mat3_from_quat(body->turn), cross = tw_mat3_skew(arm);
        const twMat3 own = tw_mat3_mul(turn, tw_mat3_mul(body->shape->mass.inertia, tw_mat3_transpose(turn)));
        inertia =
            tw_mat3_add(inertia, tw_mat3_add(own, tw_mat3_scale(tw_mat3_mul(cross, cross), -1 / body->inverse_mass)));
        turning = tw_vec3_add(turning, tw_mat3_mul_vec(own, body->spin));
        turning = tw_vec3_add_scaled(turning, tw_vec3_cross(arm, body->velocity), 1 / body->inverse_mass);
    }
    if (tw_mat3_inverse(&inverse, inertia)) spin = tw_mat3_mul_vec(inverse, turning);
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        const twVec3 v = tw_vec3_add(velocity, tw_vec3_cross(spin, tw_vec3_sub(s->bodies[i].position, centre)));
        const double common[6] = {v.x, v.y, v.z, spin.x, spin.y, spin.z};
        for (int k = 0; k < 6; k++) s->system.kick[i][k] += common[k];
    }
}

// kicks hold V_c, to which V_r is added: the energy of V_f goes down by what is owed. @return what is paid
static double pay(twStage* s, int group, double owed)
{
    double kept = 0, moving = 0, gone = 0;
    if (!is_anchored(s, group)) add_common(s, group);
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        kept += stage_body_kinetic_of(&s->bodies[i], s->system.kick[i]);
        moving += stage_body_kinetic(&s->bodies[i]);
    }
    const double loose = moving - kept;
    if (!(loose > 0)) return 0;
    const double f = sqrt(fmax(1 - owed / loose, 0));
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
    return gone;
}

// ---- closing ----

// what a purse lacks is taken from those of the same group. @return what is still lacking
static double borrow(twStage* s, int group, double lacking)
{
    for (int i = 0; i < s->def.max_grabs && lacking > 0; i++)
    {
        Hold* hold = &s->holds[i];
        if (!hold->active || s->group[hold->def.body] != group || !(hold->next > 0)) continue;
        const double part = fmin(hold->next, lacking);
        hold->next -= part;
        lacking -= part;
    }
    return lacking;
}

// What grabs bring by coming back or by their largest force is what hands of the group took before, or what targets were told; what is
// beyond is none of theirs, and will be owed.
static void open_purses(twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        StageAccount* account = &s->accounts[hold->def.body];
        if (!hold->active) continue;
        *(hold->limited ? &account->own : &account->may) += hold->brought;
        hold->next = hold->purse - hold->brought;
    }
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        if (!hold->active || !(hold->next < 0)) continue;
        s->accounts[hold->def.body].own -= borrow(s, s->group[hold->def.body], -hold->next);
        hold->next = 0;
    }
}

// what a catch takes, for those that may have to let go
static void fill_purses(twStage* s, int group, double taken)
{
    int count = 0;
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && s->group[s->holds[i].def.body] == group) count++;
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && s->group[s->holds[i].def.body] == group) s->holds[i].next += taken / count;
}

// everything of a group into the account of the body that it is named after
static void gather(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageAccount* own = &s->accounts[i];
        own->own += own->was_sprung - own->sprung;
        const int group = s->group[i];
        if (group == i) continue;
        if (group >= 0)
        {
            StageAccount* all = &s->accounts[group];
            all->owed += own->owed, all->had += own->had, all->own += own->own, all->may += own->may;
            all->lost += own->lost, all->bent += own->bent, all->old += own->old;
        }
        // what is alone has no credit, and pays when it is held again
        own->owed = group >= 0 ? 0 : fmax(own->owed, 0);
    }
}

// what nobody has paid for is not in the springs either. @return how much of what is owed that is
static double leave_in_springs(twStage* s, int group, double owed)
{
    double all = 0;
    for (int i = 0; i < s->body_count; i++) all += s->group[i] == group ? s->accounts[i].sprung : 0;
    const double back = fmin(owed, all);
    if (!(back > 0)) return 0;
    for (int i = 0; i < s->body_count; i++)
    {
        StageAccount* account = &s->accounts[i];
        if (s->group[i] != group) continue;
        const double part = back * (account->sprung / all);
        account->sprung -= part;
        account->unpaid += part;
    }
    s->energy.springs -= back;
    s->energy.dissipated += back;
    return back;
}

// what contacts have taken is there for lifting bodies out of each other, by mass
static void save(twStage* s, int group, double taken)
{
    const double mass = mass_of(s, group), gravity = tw_vec3_norm(s->def.gravity);
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        const double own = s->bodies[i].shape->mass.mass, most = SAVED * gravity * own * s->bodies[i].contact->radius;
        s->accounts[i].saved = fmin(s->accounts[i].saved + taken * own / mass, most);
    }
}

static void count_paid(twStage* s, bool held, double gone)
{
    if (held)
        s->energy.work -= gone;
    else
        s->energy.dissipated += gone;
}

// No body of those that hands move becomes faster than HASTE times what they were told, or than all of them together: joined to a tonne,
// a gram could take its energy. @return the share of its energy of motion that it may keep
static double share_of(const twStage* s, int body, double fast, double far)
{
    const StageBody* b = &s->bodies[body];
    const double speed = reach_of(s, body, fast, far), bent = stage_body_elastic(b), moving = stage_body_kinetic(b);
    const double most = 0.5 * b->shape->mass.mass * speed * speed;
    return moving + bent > most ? fmax(most - bent, 0) / moving : 1;
}

static double least_share(const twStage* s, int group, double* fast, double* far)
{
    double share = 1, whole = 0;
    for (int i = 0; i < s->body_count; i++) whole += s->group[i] == group ? step_energy(&s->bodies[i]) : 0;
    const double asked = asked_speed(s, group, far);
    *fast = fmax(asked, sqrt(2 * whole / mass_of(s, group)));
    for (int i = 0; i < s->body_count && asked > 0; i++)
        if (s->group[i] == group) share = fmin(share, share_of(s, i, *fast, *far));
    return share;
}

// What is too fast is calmed with all that hangs on it. @return false: it is what grabs ask for that is too fast
static bool calm(twStage* s, int group, bool* known)
{
    double fast, far, all = 0;
    const double share = least_share(s, group, &fast, &far);
    if (!(share < 1)) return true;
    for (int i = 0; i < s->body_count; i++) all += s->group[i] == group ? stage_body_kinetic(&s->bodies[i]) : 0;
    // from anew: what was paid before has changed the kicks
    want_least(s, s->time + s->h);
    *known = true;
    count_paid(s, true, pay(s, group, (1 - share) * all));
    return least_share(s, group, &fast, &far) >= CALM;
}

void ledger_slow(twStage* s)
{
    for (int g = 0; g < s->body_count; g++)
    {
        double fast, far;
        if (s->group[g] != g || !(least_share(s, g, &fast, &far) < 1)) continue;
        for (int i = 0; i < s->body_count; i++)
        {
            StageBody* body = &s->bodies[i];
            const double share = s->group[i] == g ? share_of(s, i, fast, far) : 1, before = stage_body_kinetic(body);
            double change[6 + TW_MAX_STAGE_MODES];
            if (!(share < 1)) continue;
            stage_body_speed(body, change);
            for (int k = 0; k < body->size; k++) change[k] *= sqrt(share) - 1;
            stage_body_kick(body, change);
            count_paid(s, true, before - stage_body_kinetic(body));
        }
    }
}

// Whether the work of a group's targets is what hands really do, however much: its grabs agree, and all points are where they should be.
// What contradicts itself does any work.
static bool is_honest(twStage* s, int group)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].concedes && s->group[s->holds[i].def.body] == group) return false;
    return !s->missed && s->softness <= s->def.softness && system_agrees(&s->system, s->group, group);
}

// energy of motion of a group beyond what hands may bring it to, and what it had
static double too_fast(const twStage* s, int group)
{
    const double most = ledger_haste(s, group);
    double moving = 0;
    for (int i = 0; i < s->body_count; i++) moving += s->group[i] == group ? stage_body_kinetic(&s->bodies[i]) : 0;
    return moving - 0.5 * most * most;
}

// a group's account after a part of a step, @return whether it is in order
static bool settle(twStage* s, int group, bool* known)
{
    StageAccount* account = &s->accounts[group];
    double whole = 0, bent = 0, lift = 0, heft = 0;
    for (int i = 0; i < s->body_count; i++)
    {
        if (s->group[i] != group) continue;
        whole += step_energy(&s->bodies[i]);
        bent += stage_body_elastic(&s->bodies[i]);
        const double weight = tw_vec3_norm(s->def.gravity) * s->bodies[i].shape->mass.mass;
        heft += weight * s->bodies[i].contact->radius;
        lift += weight * (RISE * s->bodies[i].contact->radius + s->h * s->h * tw_vec3_norm(s->def.gravity));
    }
    bool fresh, slack;
    const bool held = is_held(s, group, &fresh, &slack);
    const double before = account->had + account->advance, room = fmax(level(s, group, before) - before, 0);
    const double more = whole - account->had - account->own;
    double owed = account->owed + more - fmin(account->may, room);
    // what damping has taken is not there any more, whoever brought it in
    if (held && owed > 0) owed = fmax(owed - account->lost, 0);
    if (!isfinite(owed)) return false;
    if (step_concedes(s, group)) owed = fmax(owed, too_fast(s, group));
    // what a catch takes is gone, but for coming back
    account->owed = fmax(owed, held && !fresh ? -CREDIT * whole - lift : 0);
    if (fresh && account->owed > owed) fill_purses(s, group, account->owed - owed);
    if (!fresh && account->owed > owed) save(s, group, account->owed - owed);
    const double slow = fmin(REST, tw_vec3_norm(s->def.gravity) * s->h);
    if (!(account->owed > (held ? SLACK * whole : 0))) return true;
    // what lies is left alone
    const bool lies = !held && whole < mass_of(s, group) * slow * slow;
    if (!*known && !lies) want_least(s, s->time + s->h);
    *known = *known || !lies;
    const double gone = lies ? 0 : pay(s, group, account->owed);
    account->owed -= gone;
    if (account->owed > 0) account->owed -= leave_in_springs(s, group, account->owed);
    // what is left beyond what hands may reach is theirs as far as it bends: no free motion could have paid for it
    const double beyond = fmin(fmin(account->owed, account->may - room), bent - account->bent);
    if (beyond > 0 && is_honest(s, group)) account->owed -= beyond;
    count_paid(s, held, gone);
    if (!lies && account->owed > SLACK * (whole + account->had + heft) && !ledger_is_led(s, group))
    {
        account->lacking = account->owed;
        account->more = account->owed - fmax(account->old, 0) > WORTH * account->had + SLACK * heft;
    }
    // what hands that make do with less cannot take from free motion is theirs, as far as they may reach
    if (step_concedes(s, group) && whole - gone <= level(s, group, before)) account->owed = fmin(account->owed, 0);
    // hands that have spent all they were told are not trusted
    if (held && is_spent(s, group)) return account->owed <= SLACK * account->had;
    return !held || account->owed <= TRUST * fmax(account->had, asked_energy(s, group)) + lift;
}

bool ledger_close(twStage* s)
{
    bool known = false, fine = true;
    ledger_groups(s);
    open_purses(s);
    gather(s);
    for (int g = 0; g < s->body_count; g++)
    {
        s->accounts[g].refused = false;
        s->accounts[g].lacking = 0;
        s->accounts[g].more = false;
        if (s->group[g] != g) continue;
        s->accounts[g].refused = !settle(s, g, &known);
        if (!calm(s, g, &known)) s->accounts[g].refused = true;
        fine = fine && !s->accounts[g].refused;
    }
    return fine;
}

bool ledger_pay_ahead(twStage* s)
{
    double paid = 0;
    bool known = false;
    for (int g = 0; g < s->body_count; g++)
    {
        bool fresh, slack;
        StageAccount* account = &s->accounts[g];
        account->ahead += account->lacking;
        if (s->group[g] != g || !(account->ahead > 0)) continue;
        if (!known)
        {
            step_look(s);
            system_clear(&s->system);
            step_grab_lines(s, s->after, false);
            s->system.softness = s->softness;
            system_factor(&s->system);
            want_least(s, s->time);
            known = true;
        }
        const double gone = pay(s, g, AHEAD * account->ahead);
        account->owed -= gone;
        account->advance = gone;
        count_paid(s, is_held(s, g, &fresh, &slack), gone);
        paid += gone;
    }
    return paid > 0;
}
