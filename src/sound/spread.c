// SPDX-License-Identifier: MIT
// Forces of one body, redistributed among the contacts with each other body by itself: what presses a body between two others is
// no choice of the solver, and the other body finds the same forces. Places are those of the touches in the world: force and
// torque are kept about any point if about one, so that it needs no pose. A trace leaves out contacts that do not push, and one that flickers ends and begins again: so a
// contact that has ended stays for some more steps, and may get a share; after that its share falls smoothly to nothing, so that the
// others do not take it over with a jump that the trace does not have.

#include "spread.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CONTACTS 256  // of two bodies; with more all is given as it comes
#define LINGER 4           // steps of the two bodies that a contact stays after its end, as if it touched
#define FADE 0.03          // then its share falls like exp(-t^2 / 2 FADE^2) [s]
#define GROWTH 0.01        // by how much it may rise in a step at first, as others fall;
#define BARRED 0.2         // this falls like exp(-t^2 / 2 (BARRED FADE)^2)
#define LONGEST_STEP 0.25  // of FADE, if forces change less often
#define FAINT 1e-5         // share that may end at once, of all forces of the two bodies

typedef struct SpreadContact
{
    twTraceTouch touch;
    int partner;  // the other body
    double friction;
    float force[3];            // of the trace, on this body
    float share[3], shown[3];  // redistributed now; as given last, on this body
    bool anew;                 // the touch is another than was given last
    int idle;                  // steps since it ended
    bool gone;                 // it may get no share
    double age;                // how long it does not linger any more, in units of FADE; falls when it is back
    double fade, limit;        // of its share in this step, as in RedistributeContact
} SpreadContact;

// the contacts with another body
typedef struct SpreadGroup
{
    int partner;
    bool changed;
    double time;  // of its last step
    Redistribution* redistribution;
} SpreadGroup;

struct Spread
{
    int body;
    const RigidContacts* rigid;
    RedistributeStats stats;  // of groups that are no more
    bool waiting;             // forces of this time are not given yet
    double time;
    int count, room, group_count, group_room;
    SpreadGroup* groups;
    SpreadContact* contacts;
    RedistributeContact* load;  // (room)
    twVec3* shares;             // (room)
};

twStatus spread_create(Spread** out, int body, const RigidContacts* rigid, twError* err)
{
    Spread* s = *out = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for the forces on a body");
    s->body = body;
    s->rigid = rigid;
    return TW_OK;
}

void spread_destroy(Spread* s)
{
    if (!s) return;
    for (int i = 0; i < s->group_count; i++) redistribute_destroy(s->groups[i].redistribution);
    free(s->groups);
    free(s->contacts);
    free(s->load);
    free(s->shares);
    free(s);
}

static void add_stats(RedistributeStats* sum, const Redistribution* redistribution)
{
    const RedistributeStats one = redistribute_stats(redistribution);
    sum->steps += one.steps;
    sum->kept += one.kept;
    sum->held += one.held;
    sum->iterations += one.iterations;
}

int spread_contacts(const Spread* s) { return s->count; }

RedistributeStats spread_stats(const Spread* s)
{
    RedistributeStats sum = s->stats;
    for (int i = 0; i < s->group_count; i++) add_stats(&sum, s->groups[i].redistribution);
    return sum;
}

// ---- groups ----

static SpreadGroup* group_of(Spread* s, int partner)
{
    for (int i = 0; i < s->group_count; i++)
        if (s->groups[i].partner == partner) return &s->groups[i];
    if (s->group_count == s->group_room)
    {
        const int room = 2 * s->group_room + 4;
        void* larger = realloc(s->groups, (size_t)room * sizeof *s->groups);
        if (!larger) return NULL;
        s->groups = larger;
        s->group_room = room;
    }
    SpreadGroup* g = &s->groups[s->group_count];
    *g = (SpreadGroup){.partner = partner};
    if (redistribute_create(&g->redistribution, MOST_CONTACTS, 0, NULL) != TW_OK) return NULL;
    s->group_count++;
    return g;
}

// those without contacts
static void drop_groups(Spread* s)
{
    int kept = 0;
    for (int i = 0; i < s->group_count; i++)
    {
        bool used = false;
        for (int k = 0; k < s->count && !used; k++) used = s->contacts[k].partner == s->groups[i].partner;
        if (used)
            s->groups[kept++] = s->groups[i];
        else
        {
            add_stats(&s->stats, s->groups[i].redistribution);
            redistribute_destroy(s->groups[i].redistribution);
        }
    }
    s->group_count = kept;
}

// ---- contacts ----

static bool make_room(Spread* s)
{
    if (s->count < s->room) return true;
    const int room = 2 * s->room + 16;
    void* contacts = realloc(s->contacts, (size_t)room * sizeof *s->contacts);
    if (contacts) s->contacts = contacts;
    void* load = realloc(s->load, (size_t)room * sizeof *s->load);
    if (load) s->load = load;
    void* shares = realloc(s->shares, (size_t)room * sizeof *s->shares);
    if (shares) s->shares = shares;
    if (!contacts || !load || !shares) return false;
    s->room = room;
    return true;
}

static SpreadContact* contact_of(Spread* s, const twTraceTouch* touch)
{
    for (int i = 0; i < s->count; i++)
        if (s->contacts[i].touch.id == touch->id) return &s->contacts[i];
    if (!make_room(s)) return NULL;
    SpreadContact* c = &s->contacts[s->count++];
    *c = (SpreadContact){.partner = touch->body[touch->body[0] == s->body],
                         .friction = rigid_friction(s->rigid, touch->body[0], touch->body[1])};
    return c;
}

static bool is_zero(const float v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

// of a force on the first body of a touch, and of a normal
static float sign_of(const Spread* s, const twTraceTouch* touch) { return touch->body[0] == s->body ? 1 : -1; }

// ---- a step ----

static twVec3 vector_of(const float v[3]) { return tw_vec3(v[0], v[1], v[2]); }

// may a contact get a share?
static bool is_sharing(const SpreadContact* c, const SpreadGroup* g) { return c->partner == g->partner && !c->gone; }

// what a contact loses in a step; one that comes back goes on for a while, so that no speed jumps
static void fade_contact(SpreadContact* c, double step, double faint)
{
    const bool ended = is_zero(c->force) && c->idle >= LINGER;
    c->age = fmax(0, ended ? c->age + step : c->age - step);
    c->fade = -expm1(-c->age * step);
    c->limit = c->age > 0 ? 1 - c->fade + GROWTH * exp(-0.5 * pow(c->age / BARRED, 2)) : 0;
    c->gone = ended && tw_vec3_norm(vector_of(c->share)) <= faint;
}

// time goes on for contacts that have ended; if there is no room for all, these go at once
static void fade_contacts(Spread* s, const SpreadGroup* g)
{
    const double step = fmin(fmax(0, s->time - g->time) / FADE, LONGEST_STEP);
    double load = 0;
    int count = 0;
    for (int i = 0; i < s->count; i++)
    {
        if (s->contacts[i].partner != g->partner) continue;
        load += tw_vec3_norm(vector_of(s->contacts[i].force));
        count++;
    }
    const double faint = count > MOST_CONTACTS ? HUGE_VAL : FAINT * load;
    for (int i = 0; i < s->count; i++)
        if (s->contacts[i].partner == g->partner) fade_contact(&s->contacts[i], step, faint);
}

// what the contacts of a group have to carry. @return how many there are
static int fill_load(Spread* s, const SpreadGroup* g)
{
    int n = 0;
    twVec3 middle = {0, 0, 0};
    for (int i = 0; i < s->count; i++)
    {
        const SpreadContact* c = &s->contacts[i];
        if (!is_sharing(c, g)) continue;
        s->load[n++] = (RedistributeContact){.id = c->touch.id,
                                             .place = vector_of(c->touch.point),
                                             .normal = tw_vec3_scale(vector_of(c->touch.normal), sign_of(s, &c->touch)),
                                             .friction = c->friction,
                                             .force = vector_of(c->force),
                                             .fade = c->fade,
                                             .limit = c->limit};
        middle = tw_vec3_add(middle, vector_of(c->touch.point));
    }
    for (int i = 0; i < n; i++) s->load[i].place = tw_vec3_add_scaled(s->load[i].place, middle, -1.0 / n);
    return n;
}

// What is past its time gets no share; the others share what there is. Where nothing pushes there is nothing to go on from, and
// all is forgotten: else every body that was ever touched would be kept.
static void share_out(Spread* s, SpreadGroup* g)
{
    fade_contacts(s, g);
    bool pushes = false;
    for (int i = 0; i < s->count && !pushes; i++)
        pushes = s->contacts[i].partner == g->partner && !is_zero(s->contacts[i].force);
    redistribute_step(g->redistribution, s->load, fill_load(s, g), NULL, 0, s->shares);
    for (int i = 0, n = 0; i < s->count; i++)
    {
        SpreadContact* c = &s->contacts[i];
        if (c->partner != g->partner) continue;
        twVec3 share = is_sharing(c, g) ? s->shares[n++] : tw_vec3(0, 0, 0);
        if (!pushes) share = tw_vec3(0, 0, 0);
        c->share[0] = (float)share.x;
        c->share[1] = (float)share.y;
        c->share[2] = (float)share.z;
        c->idle = is_zero(c->force) ? c->idle + 1 : 0;
        c->gone = c->gone || !pushes;
    }
    g->changed = false;
    g->time = s->time;
}

static twStatus give_share(const Spread* s, SpreadContact* c, SpreadGive* give, void* context, twError* err)
{
    const float sign = sign_of(s, &c->touch);
    if (memcmp(c->share, c->shown, sizeof c->share) == 0 && !(c->anew && !is_zero(c->share))) return TW_OK;
    memcpy(c->shown, c->share, sizeof c->shown);
    c->anew = false;
    const float on_first[3] = {sign * c->share[0], sign * c->share[1], sign * c->share[2]};
    return give(context, &c->touch, s->time, on_first, err);
}

// those that have ended long enough ago are forgotten
static void drop_contacts(Spread* s)
{
    int kept = 0;
    for (int i = 0; i < s->count; i++)
        if (!s->contacts[i].gone) s->contacts[kept++] = s->contacts[i];
    s->count = kept;
}

static twStatus settle(Spread* s, SpreadGive* give, void* context, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; i < s->group_count; i++)
        if (s->groups[i].changed) share_out(s, &s->groups[i]);
    for (int i = 0; i < s->count && status == TW_OK; i++) status = give_share(s, &s->contacts[i], give, context, err);
    drop_contacts(s);
    drop_groups(s);
    s->waiting = false;
    return status;
}

// ---- what comes ----

twStatus spread_take(Spread* s, const twTraceTouch* touch, double time, const float force[3], SpreadGive* give,
                     void* context, twError* err)
{
    const twStatus status = s->waiting && time > s->time ? settle(s, give, context, err) : TW_OK;
    if (status != TW_OK) return status;
    SpreadContact* c = contact_of(s, touch);
    SpreadGroup* g = c ? group_of(s, c->partner) : NULL;
    if (!c || !g) return tw_fail(err, TW_NO_MEMORY, "no memory for the forces on a body");
    const float sign = sign_of(s, touch);
    for (int q = 0; q < 3; q++) c->force[q] = force[q] == 0 ? 0 : sign * force[q];
    c->anew = c->anew || memcmp(&c->touch, touch, sizeof *touch) != 0;
    c->touch = *touch;
    g->changed = true;
    s->time = time;
    s->waiting = true;
    return TW_OK;
}

twStatus spread_flush(Spread* s, double until, SpreadGive* give, void* context, twError* err)
{
    return s->waiting && s->time < until ? settle(s, give, context, err) : TW_OK;
}
