// SPDX-License-Identifier: MIT
// The end of a world as the start of another (tw_world_end, twWorldStart): states of bodies, what their contacts and joints
// remember, as a list of finite doubles, which is the same on every machine and has nothing of clocks or memory in it.
//
//   head    version, bodies, joints, links
//   body    modes, vertices, mass; active, bent, hold, touched, lost, mates, next step;
//           now and before, 14 each (time, position, turn, velocity, spin); six lists of modes
//   joint   kind, two bodies; step, end; memory and stored energy of two blocks
//   link    two bodies, from, to, slots, memories; slots; memories of the pair
//
// Times are from the end on. One function per kind reads and writes it, so that both agree. In the new world bodies have other
// numbers: ids of contacts are made of these, and are made anew. Contacts of a pair whose order is another one are kept if they
// are points; crossing edges, which are known by the first body's, begin anew.
#include "dynamics/pair_parts.h"
#include "dynamics/world.h"
#include <limits.h>
#include <stdlib.h>

#define END_VERSION 2
#define ID_BODY 20  // bits of an id: of each body,
#define ID_REST 24  // of what else it is made of

typedef struct Tape
{
    double* out;  // NULL: only counted
    const double* in;
    size_t at, count;  // count: of those to be read
    bool bad;          // too short, or a number that is none of its kind
} Tape;

static void number(Tape* t, double* x)
{
    if (t->in)
    {
        if (t->at < t->count && fabs(t->in[t->at]) <= LOST_DISTANCE)
            *x = t->in[t->at];
        else
            t->bad = true;
    }
    else if (t->out)
        t->out[t->at] = *x;
    t->at++;
}

static void integer(Tape* t, int* x)
{
    double value = *x;
    number(t, &value);
    if (!t->in || t->bad) return;
    if (value >= INT_MIN && value <= INT_MAX && value == floor(value))
        *x = (int)value;
    else
        t->bad = true;
}

static void truth(Tape* t, bool* x)
{
    int value = *x;
    integer(t, &value);
    t->bad = t->bad || (value != 0 && value != 1);
    *x = value == 1;
}

static void numbers(Tape* t, double* x, int count)
{
    for (int i = 0; i < count; i++) number(t, x + i);
}

static void integers(Tape* t, int* x, int count)
{
    for (int i = 0; i < count; i++) integer(t, x + i);
}

static void vector(Tape* t, twVec3* v)
{
    number(t, &v->x);
    number(t, &v->y);
    number(t, &v->z);
}

// ---- bodies ----

typedef struct EndBody
{
    int modes, vertices, active, bent, hold, mates;
    double mass, next_step;
    bool touched, lost;
    BodyState now, before;  // times from the end on
    double* q[6];           // now, before, dreams: amplitudes and rates
} EndBody;

static void end_state(Tape* t, BodyState* s)
{
    number(t, &s->time);
    vector(t, &s->position);
    number(t, &s->turn.w);
    number(t, &s->turn.x);
    number(t, &s->turn.y);
    number(t, &s->turn.z);
    vector(t, &s->velocity);
    vector(t, &s->spin);
}

static void end_body(Tape* t, EndBody* b)
{
    integer(t, &b->modes);
    integer(t, &b->vertices);
    number(t, &b->mass);
    integer(t, &b->active);
    integer(t, &b->bent);
    integer(t, &b->hold);
    truth(t, &b->touched);
    truth(t, &b->lost);
    integer(t, &b->mates);
    number(t, &b->next_step);
    end_state(t, &b->now);
    end_state(t, &b->before);
}

// the lists of modes
static void end_modes(Tape* t, const EndBody* b, bool skip)
{
    const size_t count = 6 * (size_t)b->modes;
    if (!skip)
        for (int i = 0; i < 6; i++) numbers(t, b->q[i], b->modes);
    else if (t->count - t->at < count)
        t->bad = true;
    else
        t->at += count;
}

static void point_at_modes(EndBody* b, Body* body)
{
    double* const q[6] = {body->now.q,       body->now.rate, body->before.q,
                          body->before.rate, body->dream_q,  body->dream_rate};
    memcpy(b->q, q, sizeof q);
}

// bodies of one step by the first of them
static int mates_of(const twWorld* world, int body)
{
    for (int i = 0; i <= body && world->bodies[body].mates >= 0; i++)
        if (world->bodies[i].mates == world->bodies[body].mates) return i;
    return -1;
}

static void put_body(Tape* t, const twWorld* world, int i)
{
    Body* body = world->bodies + i;
    EndBody b = {.modes = body->lost ? 0 : body->mode_count,
                 .vertices = body->shape->contact->vertex_count,
                 .mass = body->shape->mass.mass,
                 .active = body->active,
                 .bent = body->bent,
                 .hold = body->hold,
                 .touched = body->touched,
                 .lost = body->lost,
                 .mates = mates_of(world, i),
                 .next_step = body->next_step,
                 .now = body->now,
                 .before = body->before};
    // what does not move by itself has no clock
    b.now.time = fmax(b.now.time - world->time, 0);
    b.before.time = fmin(b.before.time - world->time, b.now.time);
    if (!body->dynamic) b.now.time = b.before.time = 0;
    point_at_modes(&b, body);
    end_body(t, &b);
    end_modes(t, &b, false);
}

static bool good_state(const BodyState* s) { return fabs(tw_quat_norm(s->turn) - 1) < 1e-3; }

static bool good_body(const EndBody* b)
{
    return b->modes >= 0 && b->vertices >= 0 && good_state(&b->now) && good_state(&b->before) && b->now.time >= 0 &&
           b->before.time <= b->now.time && b->active >= 0 && b->active <= b->bent && b->bent <= b->modes &&
           b->hold >= 0 && b->hold <= WAKE_HOLD && b->mates >= -1 &&
           (b->next_step == 0 || (b->next_step >= 1e-9 && b->next_step <= 1e3));
}

static void take_state(BodyState* to, const BodyState* from, twBodyKind kind)
{
    to->time = from->time;
    to->position = from->position;
    to->turn = from->turn;
    to->velocity = kind == TW_BODY_FREE ? from->velocity : tw_vec3(0, 0, 0);
    to->spin = kind == TW_BODY_FREE ? from->spin : tw_vec3(0, 0, 0);
}

// a moved body is where its path says
static void follow_path(const Body* body, BodyState* state)
{
    const double time = state->time;
    state->time = 0;
    body_drift(body, state, fmax(time, 0));
    state->time = time;
}

static twStatus fits(const Body* body, const EndBody* b, twError* err)
{
    const int vertices = body->shape->contact->vertex_count;
    const double mass = body->shape->mass.mass;
    if (b->lost) return tw_fail(err, TW_BAD_INPUT, "body '%s' was lost there: it went beyond all bounds", body->name);
    if (b->modes != body->mode_count)
        return tw_fail(err, TW_BAD_INPUT, "body '%s' has %d modes that move there, and %d here: it is another one",
                       body->name, b->modes, body->mode_count);
    if (b->vertices != vertices)
        return tw_fail(err, TW_BAD_INPUT, "body '%s' touches with %d vertices there, and %d here: it is another one",
                       body->name, b->vertices, vertices);
    if (!(fabs(b->mass - mass) <= 1e-6 * mass))
        return tw_fail(err, TW_BAD_INPUT, "body '%s' weighs %.6g kg there, and %.6g kg here: it is another one",
                       body->name, b->mass, mass);
    return TW_OK;
}

static void take_body(Body* body, EndBody* b)
{
    const twBodyKind kind = body->kind;
    take_state(&body->now, &b->now, kind);
    take_state(&body->before, &b->before, kind);
    if (!body->dynamic) body->now.time = body->before.time = 0;
    if (kind == TW_BODY_MOVED) follow_path(body, &body->now), follow_path(body, &body->before);
    body->active = b->active;
    body->bent = b->bent;
    body->hold = b->hold;
    body->touched = b->touched;
    body->mates = b->mates;
    body->next_step = b->next_step;
    body->h = 0;
    body->prepared = body->member = -1;
}

static twStatus damaged(twError* err) { return tw_fail(err, TW_BAD_INPUT, "the end of a world is damaged"); }

// to: bodies of this world by those of the other
static twStatus get_bodies(Tape* t, twWorld* world, int count, const int* to, twError* err)
{
    for (int i = 0; i < count; i++)
    {
        EndBody b = {0};
        end_body(t, &b);
        if (t->bad || !good_body(&b)) return damaged(err);
        Body* body = to[i] >= 0 ? world->bodies + to[i] : NULL;
        const twStatus status = body ? fits(body, &b, err) : TW_OK;
        if (status != TW_OK) return status;
        if (body) point_at_modes(&b, body);
        end_modes(t, &b, !body);
        if (t->bad) return damaged(err);
        if (body) take_body(body, &b);
    }
    return TW_OK;
}

// ---- what is remembered ----

static void end_memory(Tape* t, SolveMemory* m)
{
    truth(t, &m->impact);
    truth(t, &m->slides);
    integer(t, &m->closed_steps);
    number(t, &m->compression);
    numbers(t, m->bristle, 2);
    numbers(t, m->impulse, 3);
    numbers(t, m->before, 3);
    numbers(t, m->spread, 3);
    number(t, &m->stored);
    number(t, &m->branch);
}

typedef struct EndJoint
{
    int kind, body[2];
    double h, to, stored[2];
    SolveMemory memory[2];
} EndJoint;

static void end_joint(Tape* t, EndJoint* j)
{
    integer(t, &j->kind);
    integers(t, j->body, 2);
    number(t, &j->h);
    number(t, &j->to);
    for (int i = 0; i < 2; i++)
    {
        end_memory(t, &j->memory[i]);
        number(t, &j->stored[i]);
    }
}

static void put_joint(Tape* t, const twWorld* world, int i)
{
    const WorldJoint* joint = world->joints + i;
    EndJoint j = {.kind = (int)world->def.joints[i].kind,
                  .body = {joint->body[0], joint->body[1]},
                  .h = joint->h,
                  .to = joint->to - world->time,
                  .stored = {joint->stored[0], joint->stored[1]},
                  .memory = {joint->memory[0], joint->memory[1]}};
    end_joint(t, &j);
}

static int new_number(const int* to, int count, int body) { return body >= 0 && body < count ? to[body] : -1; }

// the first joint of that kind between the same bodies that has none yet
static twStatus get_joints(Tape* t, twWorld* world, int joints, int bodies, const int* to, twError* err)
{
    for (int i = 0; i < world->def.joint_count; i++) world->joints[i].seen = -2;
    for (int k = 0; k < joints; k++)
    {
        EndJoint j = {0};
        end_joint(t, &j);
        if (t->bad || !(j.h >= 0 && j.h <= 1e3) || !world_good_memory(&j.memory[0]) || !world_good_memory(&j.memory[1]))
            return damaged(err);
        const int a = new_number(to, bodies, j.body[0]), b = new_number(to, bodies, j.body[1]);
        for (int i = 0; i < world->def.joint_count; i++)
        {
            WorldJoint* joint = world->joints + i;
            const bool same = joint->body[0] == a && joint->body[1] == b && (a >= 0) == (j.body[0] >= 0) &&
                              (b >= 0) == (j.body[1] >= 0) && (int)world->def.joints[i].kind == j.kind;
            if (!same || joint->seen != -2) continue;
            joint->seen = -1;
            joint->h = j.h;
            joint->to = j.to;
            memcpy(joint->memory, j.memory, sizeof j.memory);
            memcpy(joint->stored, j.stored, sizeof j.stored);
            break;
        }
    }
    for (int i = 0; i < world->def.joint_count; i++) world->joints[i].seen = -1;
    return TW_OK;
}

// ---- contacts ----

// an id in three parts, each of which a double can hold
static void end_id(Tape* t, uint64_t* id)
{
    int part[3] = {(int)(*id >> (ID_BODY + ID_REST)), (int)(*id >> ID_REST & (TW_TOUCH_BODIES - 1)),
                   (int)(*id & ((1u << ID_REST) - 1))};
    integers(t, part, 3);
    t->bad = t->bad || part[0] < 0 || part[0] >= TW_TOUCH_BODIES || part[1] < 0 || part[1] >= TW_TOUCH_BODIES ||
             part[2] < 0 || part[2] >= 1 << ID_REST;
    if (!t->bad)
        *id = (uint64_t)part[0] << (ID_BODY + ID_REST) | (uint64_t)part[1] << ID_REST | (uint64_t)(unsigned)part[2];
}

static void end_touch(Tape* t, Touch* touch)
{
    end_id(t, &touch->id);
    integers(t, touch->body, 2);
    truth(t, &touch->edge);
    integers(t, touch->vertex, 2);
    numbers(t, touch->share, 2);
    integer(t, &touch->face);
    integers(t, touch->corner, 3);
    numbers(t, touch->weight, 3);
    vector(t, &touch->point);
    vector(t, &touch->normal);
    vector(t, &touch->tangent[0]);
    vector(t, &touch->tangent[1]);
    number(t, &touch->gap);
    truth(t, &touch->fresh);
    integer(t, &touch->which);
    integer(t, &touch->item);
}

static void end_slot(Tape* t, Slot* slot)
{
    end_id(t, &slot->id);
    end_memory(t, &slot->memory);
    end_memory(t, &slot->before);
    number(t, &slot->h);
    number(t, &slot->impact_time);
    number(t, &slot->impact_speed);
    vector(t, &slot->force);
    end_touch(t, &slot->touch);
}

static void end_pair_memory(Tape* t, PairMemory* m)
{
    end_id(t, &m->id);
    integer(t, &m->which);
    integer(t, &m->item);
    truth(t, &m->edge);
    truth(t, &m->kept);
    number(t, &m->gap);
    vector(t, &m->normal);
    vector(t, &m->tangent);
    vector(t, &m->point);
}

typedef struct EndLink
{
    int a, b, slots, memories;
    double from, to;
} EndLink;

static void end_link(Tape* t, EndLink* l)
{
    integer(t, &l->a);
    integer(t, &l->b);
    integer(t, &l->slots);
    integer(t, &l->memories);
    number(t, &l->from);
    number(t, &l->to);
}

static void put_link(Tape* t, const twWorld* world, const Link* link)
{
    EndLink l = {.a = link->a, .b = link->b, .slots = link->count, .from = link->from - world->time};
    l.to = link->to - world->time;
    const PairMemory* memory = tw_pair_remembers(link->pair, &l.memories);
    end_link(t, &l);
    for (int i = 0; i < l.slots; i++)
    {
        Slot slot = link->slots[i];
        // impacts that never were have lasted for ever
        slot.impact_time = fmin(slot.impact_time, LOST_DISTANCE);
        end_slot(t, &slot);
    }
    for (int i = 0; i < l.memories; i++)
    {
        PairMemory m = memory[i];
        end_pair_memory(t, &m);
    }
}

// how the bodies of a link are called now; other: their order is the other one
typedef struct Renamed
{
    int old[2], now[2];
    bool other;
} Renamed;

static bool rename_id(uint64_t* id, const Renamed* r)
{
    const int a = (int)(*id >> (ID_BODY + ID_REST)), b = (int)(*id >> ID_REST & (TW_TOUCH_BODIES - 1));
    const int first = a == r->old[1];
    if (a != r->old[first] || b != r->old[1 - first]) return false;
    *id = (uint64_t)r->now[first] << (ID_BODY + ID_REST) | (uint64_t)r->now[1 - first] << ID_REST |
          (*id & ((1u << ID_REST) - 1));
    return true;
}

static bool in_shape(const ContactShape* shape, const int* v, int count)
{
    for (int i = 0; i < count; i++)
        if (v[i] < -1 || v[i] >= shape->vertex_count) return false;
    return true;
}

static bool rename_touch(Touch* touch, const Renamed* r, const twWorld* world)
{
    const int first = touch->body[0] == r->old[1];
    if (touch->body[0] != r->old[first] || touch->body[1] != r->old[1 - first] || touch->which != first ||
        !rename_id(&touch->id, r))
        return false;
    touch->body[0] = r->now[first];
    touch->body[1] = r->now[1 - first];
    if (r->other) touch->which = 1 - touch->which;
    return in_shape(world->bodies[touch->body[0]].shape->contact, touch->vertex, 2) &&
           in_shape(world->bodies[touch->body[1]].shape->contact, touch->corner, 3);
}

static bool good_slot(const Slot* s)
{
    return world_good_memory(&s->memory) && world_good_memory(&s->before) && s->h > 0 && s->h <= 1e3 &&
           s->impact_time > 0;
}

static twStatus get_slots(Tape* t, twWorld* world, Link* link, const EndLink* l, const Renamed* r, twError* err)
{
    for (int i = 0; i < l->slots; i++)
    {
        Slot slot;
        memset(&slot, 0, sizeof slot);
        end_slot(t, &slot);
        if (t->bad || !good_slot(&slot)) return damaged(err);
        if (!link || (r->other && slot.touch.edge)) continue;
        if (!rename_id(&slot.id, r) || !rename_touch(&slot.touch, r, world)) return damaged(err);
        link->slots[link->count++] = slot;
    }
    return TW_OK;
}

static twStatus get_memories(Tape* t, twWorld* world, Link* link, const EndLink* l, const Renamed* r, twError* err)
{
    PairMemory* all = calloc((size_t)l->memories + 1, sizeof *all);
    int kept = 0;
    if (!all) return tw_fail(err, TW_NO_MEMORY, "no memory for what contacts remember");
    bool fine = true;
    for (int i = 0; i < l->memories && fine; i++)
    {
        PairMemory m;
        memset(&m, 0, sizeof m);
        end_pair_memory(t, &m);
        fine = !t->bad;
        if (!fine || !link || (r->other && m.edge)) continue;
        fine = rename_id(&m.id, r);
        if (r->other) m.which = 1 - m.which;
        all[kept++] = m;
    }
    if (fine && link)
        tw_pair_restore(link->pair, all, kept, world->bodies[link->a].shape->contact,
                        world->bodies[link->b].shape->contact);
    free(all);
    return fine ? TW_OK : damaged(err);
}

static twStatus get_link(Tape* t, twWorld* world, int bodies, const int* to, twError* err)
{
    EndLink l = {0};
    end_link(t, &l);
    if (t->bad || l.slots < 0 || l.slots > LINK_SLOTS || l.memories < 0 || (size_t)l.memories > t->count || l.a < 0 ||
        l.b <= l.a || l.b >= bodies || !(l.from <= l.to))
        return damaged(err);
    Renamed r = {{l.a, l.b}, {to[l.a], to[l.b]}, to[l.a] > to[l.b]};
    const int a = r.now[r.other], b = r.now[!r.other];
    Link* link = a >= 0 && b >= 0 ? world_find_link(world, a, b) : NULL;
    if (link) link->count = 0, link->from = l.from, link->to = l.to;
    const twStatus status = get_slots(t, world, link, &l, &r, err);
    return status == TW_OK ? get_memories(t, world, link, &l, &r, err) : status;
}

// ---- the whole ----

typedef struct EndHead
{
    int version, bodies, joints, links;
} EndHead;

static void end_head(Tape* t, EndHead* head)
{
    integer(t, &head->version);
    integer(t, &head->bodies);
    integer(t, &head->joints);
    integer(t, &head->links);
}

static void put_all(Tape* t, const twWorld* world)
{
    EndHead head = {END_VERSION, world->body_count, world->def.joint_count, 0};
    for (int i = 0; i < world->max_pairs; i++) head.links += world->links[i].used;
    end_head(t, &head);
    for (int i = 0; i < world->body_count; i++) put_body(t, world, i);
    for (int i = 0; i < head.joints; i++) put_joint(t, world, i);
    for (int i = 0; i < world->max_pairs; i++)
        if (world->links[i].used) put_link(t, world, world->links + i);
}

twStatus tw_world_end(double** out, size_t* count, const twWorld* world, twError* err)
{
    Tape tape = {0};
    *out = NULL;
    *count = 0;
    if (world->weave) return tw_fail(err, TW_BAD_INPUT, "the end of a world with rods cannot be kept");
    put_all(&tape, world);
    double* block = malloc((tape.at + 1) * sizeof *block);
    if (!block) return tw_fail(err, TW_NO_MEMORY, "no memory for the end of a world");
    *count = tape.at;
    tape = (Tape){.out = block};
    put_all(&tape, world);
    *out = block;
    return TW_OK;
}

int tw_world_end_bodies(const double* numbers_, size_t count)
{
    EndHead head = {0};
    Tape tape = {.in = numbers_, .count = count};
    end_head(&tape, &head);
    return !tape.bad && head.version == END_VERSION ? head.bodies : -1;
}

// bodies of this world by those of the other. @return NULL if two are one, or one is none
static int* turn_round(const twWorld* world, const twWorldStart* start, int count)
{
    int* to = malloc(((size_t)count + 1) * sizeof *to);
    for (int i = 0; to && i < count; i++) to[i] = -1;
    for (int i = 0; to && i < world->body_count; i++)
    {
        const int from = start->from[i];
        if (from < 0) continue;
        TW_ASSERT(from < count && to[from] < 0);
        to[from] = i;
    }
    return to;
}

twStatus world_begin(twWorld* world, const twWorldStart* start, bool contacts, twError* err)
{
    EndHead head = {0};
    Tape tape = {.in = start->numbers, .count = start->count};
    end_head(&tape, &head);
    if (!tape.bad && head.version != END_VERSION)
        return tw_fail(err, TW_BAD_INPUT, "the end of a world is of another version of the program; make it again");
    if (tape.bad || head.bodies < 0 || (size_t)head.bodies > start->count || head.joints < 0 || head.links < 0)
        return damaged(err);
    int* to = turn_round(world, start, head.bodies);
    if (!to) return tw_fail(err, TW_NO_MEMORY, "no memory for the start of a world");
    twStatus status = get_bodies(&tape, world, head.bodies, to, err);
    if (status == TW_OK && contacts)
    {
        status = get_joints(&tape, world, head.joints, head.bodies, to, err);
        window_begin(world);
        for (int i = 0; i < head.links && status == TW_OK; i++) status = get_link(&tape, world, head.bodies, to, err);
        if (status == TW_OK && tape.at != tape.count) status = damaged(err);
        world->stats = (twWorldStats){0};
    }
    free(to);
    return status;
}
