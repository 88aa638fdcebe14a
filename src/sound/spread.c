// SPDX-License-Identifier: MIT
// Forces of one body, redistributed. Places are those of the touches in the world: force and torque are kept about any point if about
// one, so that it needs no pose. A trace leaves out contacts that do not push, and one that flickers ends and begins again: so a
// contact that has ended stays for some more steps, and may get a share.

#include "spread.h"
#include <stdlib.h>
#include <string.h>

#define MOST_CONTACTS 256  // with more all is given as it comes
#define LINGER 4           // steps of the body's forces that a contact stays after its end

typedef struct SpreadContact
{
    twTraceTouch touch;
    double friction;
    float force[3];  // of the trace, on this body
    float shown[3];  // as given last, on this body
    bool anew;       // the touch is another than was given last
    int idle;        // steps since it ended
} SpreadContact;

struct Spread
{
    int body;
    const RigidContacts* rigid;
    Redistribution* redistribution;
    bool waiting;  // forces of this time are not given yet
    double time;
    int count, room;
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
    const twStatus status = redistribute_create(&s->redistribution, MOST_CONTACTS, 0, err);
    if (status == TW_OK) return TW_OK;
    spread_destroy(s);
    *out = NULL;
    return status;
}

void spread_destroy(Spread* s)
{
    if (!s) return;
    redistribute_destroy(s->redistribution);
    free(s->contacts);
    free(s->load);
    free(s->shares);
    free(s);
}

RedistributeStats spread_stats(const Spread* s) { return redistribute_stats(s->redistribution); }

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
    *c = (SpreadContact){.friction = rigid_friction(s->rigid, touch->body[0], touch->body[1])};
    return c;
}

static bool is_zero(const float v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

// of a force on the first body of a touch, and of a normal
static float sign_of(const Spread* s, const twTraceTouch* touch) { return touch->body[0] == s->body ? 1 : -1; }

// ---- a step ----

static void fill_load(Spread* s)
{
    twVec3 middle = {0, 0, 0};
    for (int i = 0; i < s->count; i++)
    {
        const float* p = s->contacts[i].touch.point;
        middle = tw_vec3_add_scaled(middle, tw_vec3(p[0], p[1], p[2]), 1.0 / s->count);
    }
    for (int i = 0; i < s->count; i++)
    {
        const SpreadContact* c = &s->contacts[i];
        const float *p = c->touch.point, *n = c->touch.normal, *f = c->force;
        s->load[i] = (RedistributeContact){.id = c->touch.id,
                                           .place = tw_vec3_sub(tw_vec3(p[0], p[1], p[2]), middle),
                                           .normal = tw_vec3_scale(tw_vec3(n[0], n[1], n[2]), sign_of(s, &c->touch)),
                                           .friction = c->friction,
                                           .force = {f[0], f[1], f[2]}};
    }
}

static twStatus give_share(const Spread* s, SpreadContact* c, twVec3 share, SpreadGive* give, void* context,
                           twError* err)
{
    const float force[3] = {(float)share.x, (float)share.y, (float)share.z}, sign = sign_of(s, &c->touch);
    if (memcmp(force, c->shown, sizeof force) == 0 && !(c->anew && !is_zero(force))) return TW_OK;
    memcpy(c->shown, force, sizeof force);
    c->anew = false;
    const float on_first[3] = {sign * force[0], sign * force[1], sign * force[2]};
    return give(context, &c->touch, s->time, on_first, err);
}

// those that have ended long enough ago are forgotten
static void drop_idle(Spread* s)
{
    int kept = 0;
    for (int i = 0; i < s->count; i++)
    {
        SpreadContact* c = &s->contacts[i];
        c->idle = is_zero(c->force) ? c->idle + 1 : 0;
        if (c->idle <= LINGER || !is_zero(c->shown)) s->contacts[kept++] = *c;
    }
    s->count = kept;
}

// what is past its time gets no share; the others share what there is
static twStatus settle(Spread* s, SpreadGive* give, void* context, twError* err)
{
    twStatus status = TW_OK;
    int sharing = 0;
    for (int i = 0; i < s->count; i++)
    {
        const SpreadContact c = s->contacts[i];
        if (c.idle >= LINGER && is_zero(c.force)) continue;
        s->contacts[i] = s->contacts[sharing];
        s->contacts[sharing++] = c;
    }
    const int count = s->count;
    s->count = sharing;
    fill_load(s);
    redistribute_step(s->redistribution, s->load, sharing, NULL, 0, s->shares);
    s->count = count;
    for (int i = 0; i < count && status == TW_OK; i++)
        status = give_share(s, &s->contacts[i], i < sharing ? s->shares[i] : tw_vec3(0, 0, 0), give, context, err);
    drop_idle(s);
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
    if (!c) return tw_fail(err, TW_NO_MEMORY, "no memory for the forces on a body");
    const float sign = sign_of(s, touch);
    for (int q = 0; q < 3; q++) c->force[q] = force[q] == 0 ? 0 : sign * force[q];
    c->anew = c->anew || memcmp(&c->touch, touch, sizeof *touch) != 0;
    c->touch = *touch;
    s->time = time;
    s->waiting = true;
    return TW_OK;
}

twStatus spread_flush(Spread* s, double until, SpreadGive* give, void* context, twError* err)
{
    return s->waiting && s->time < until ? settle(s, give, context, err) : TW_OK;
}
