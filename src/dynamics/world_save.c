// SPDX-License-Identifier: MIT
// Everything that changes in a world, as bytes. What only saves time (factors of solvers, boxes of the broad phase, windows) is
// not kept: saving forgets it too, by loading what it has just saved, so that both worlds go on alike.
#include "dynamics/weave.h"
#include <stdlib.h>

#define MAGIC "TWWORLD5"

typedef struct Head
{
    char magic[8];
    twHash of;  // what the world is made of
    double time;
    int64_t window;
    int32_t body_count, joint_count, link_count, reserved;
    uint64_t number_count, link_bytes, weave_bytes;
    twWorldStats stats;
    twWorldEnergy energy;
} Head;

typedef struct SavedState
{
    double time;
    twVec3 position;
    twQuat turn;
    twVec3 velocity, spin;
} SavedState;

typedef struct SavedBody
{
    SavedState now, before;
    double next_step, room;
    twVec3 window_place;
    int64_t mates;
    int32_t active, bent, hold, touched, lost, reserved;
    Account spent;
} SavedBody;

// of joints, and behind them of the slots of grabs
typedef struct SavedJoint
{
    double h, to;
    SolveMemory memory[2];
    double stored[2];
    Grab grab;
} SavedJoint;

// then its slots and what its pair remembers
typedef struct SavedLink
{
    int32_t a, b, count, memory_count;
    double from, to;
} SavedLink;

// numbers that make a world what it is
static twHash identity(const twWorld* world)
{
    const twWorldDef* def = &world->def;
    const double scalars[] = {def->gravity.x,
                              def->gravity.y,
                              def->gravity.z,
                              def->max_step,
                              def->steps_per_cycle,
                              def->steps_per_impact,
                              def->wake_force,
                              def->sleep_energy,
                              def->cull_speed,
                              def->cull_impulse,
                              def->tolerance,
                              (double)def->method,
                              (double)def->seed,
                              def->no_private_clocks + 2 * def->no_mode_adaptation + 4 * def->fixed_step,
                              def->max_grabs,
                              def->path_count,
                              def->spare_bodies,
                              def->spare_modes,
                              def->no_warm_start + 2 * def->only_approaching,
                              def->no_contact_reduction + 2 * def->no_redistribution + 4 * def->no_friction_culling,
                              def->push_count,
                              def->joint_count,
                              def->rod_count,
                              world->weave ? def->rod_rate_hz : 0};
    twHash hash = tw_hash(scalars, sizeof scalars, (twHash){0, 0});
    for (int i = 0; world->weave && i < world->weave->rod_count; i++)
    {
        const WeaveRod* r = world->weave->rods + i;
        const StrandPlace* p = world->weave->places + i;
        const double rod[] = {(double)tw_rod_state_bytes(r->rod), r->material, p->ghost + 2 * p->no_self + 4 * r->gone,
                              r->calm_speed};
        hash = tw_hash(rod, sizeof rod, hash);
    }
    for (int i = 0; world->weave && i < world->weave->grab_first; i++)
    {
        const WeaveTie* t = world->weave->ties + i;
        const double tie[] = {t->rod, t->body, t->point, t->turn, t->stiffness, t->anchor.x, t->anchor.y, t->anchor.z};
        hash = tw_hash(tie, sizeof tie, hash);
    }
    for (int i = 0; i < world->body_count; i++)
    {
        const twBodyDef* b = def->bodies + i;
        const twMassProperties* m = &b->shape->mass;
        const double body[] = {m->mass,
                               m->inertia.m[0][0],
                               m->inertia.m[1][1],
                               b->shape->mode_count,
                               b->shape->contact->vertex_count,
                               (double)b->kind,
                               b->rigid,
                               b->material,
                               b->roughness,
                               b->grain,
                               b->motion.position.x,
                               b->motion.position.y,
                               b->motion.position.z};
        hash = tw_hash(body, sizeof body, hash);
    }
    hash = tw_hash(def->pairs, (size_t)def->pair_count * sizeof *def->pairs, hash);
    return tw_hash(def->materials, (size_t)def->material_count * sizeof *def->materials, hash);
}

static int used_links(const twWorld* world)
{
    int n = 0;
    for (int i = 0; i < world->max_pairs; i++) n += world->links[i].used;
    return n;
}

static size_t saved_bytes(int slots, int memories)
{
    return sizeof(SavedLink) + (size_t)slots * sizeof(Slot) + (size_t)memories * tw_pair_memory_bytes();
}

static size_t all_link_bytes(const twWorld* world)
{
    size_t sum = 0;
    int memories;
    for (int i = 0; i < world->max_pairs; i++)
    {
        const Link* link = world->links + i;
        if (!link->used) continue;
        tw_pair_remembers(link->pair, &memories);
        sum += saved_bytes(link->count, memories);
    }
    return sum;
}

static size_t whole_bytes(const twWorld* world, size_t links, size_t weave)
{
    return sizeof(Head) + (size_t)world->body_count * sizeof(SavedBody) +
           (size_t)world->joint_count * sizeof(SavedJoint) + world->number_count * sizeof(double) + links + weave +
           sizeof(twHash);
}

// ---- saving ----

static void put(char** at, const void* from, size_t bytes)
{
    if (bytes > 0) memcpy(*at, from, bytes);
    *at += bytes;
}

static SavedState save_state(const BodyState* s)
{
    return (SavedState){s->time, s->position, s->turn, s->velocity, s->spin};
}

static void put_bodies(const twWorld* world, char** at)
{
    for (int i = 0; i < world->body_count; i++)
    {
        const Body* b = world->bodies + i;
        SavedBody saved = {.now = save_state(&b->now),
                           .before = save_state(&b->before),
                           .next_step = b->next_step,
                           .room = b->room,
                           .window_place = b->window_place,
                           .mates = b->mates,
                           .active = b->active,
                           .bent = b->bent,
                           .hold = b->hold,
                           .touched = b->touched,
                           .lost = b->lost,
                           .spent = b->spent};
        put(at, &saved, sizeof saved);
    }
    for (int i = 0; i < world->joint_count; i++)
    {
        SavedJoint saved;
        memset(&saved, 0, sizeof saved);
        saved.h = world->joints[i].h;
        saved.to = world->joints[i].to;
        memcpy(saved.memory, world->joints[i].memory, sizeof saved.memory);
        memcpy(saved.stored, world->joints[i].stored, sizeof saved.stored);
        if (world->joints[i].grab) memcpy(&saved.grab, world->joints[i].grab, sizeof saved.grab);
        saved.grab.ways = NULL;
        put(at, &saved, sizeof saved);
    }
    put(at, world->numbers, world->number_count * sizeof(double));
}

static void put_links(const twWorld* world, char** at)
{
    for (int i = 0; i < world->max_pairs; i++)
    {
        const Link* link = world->links + i;
        if (!link->used) continue;
        int memories;
        const void* memory = tw_pair_remembers(link->pair, &memories);
        SavedLink saved = {link->a, link->b, link->count, memories, link->from, link->to};
        put(at, &saved, sizeof saved);
        put(at, link->slots, (size_t)link->count * sizeof *link->slots);
        put(at, memory, (size_t)memories * tw_pair_memory_bytes());
    }
}

twStatus tw_world_save(twWorld* world, void** bytes, size_t* count, twError* err)
{
    const size_t links = all_link_bytes(world), weave = world->weave ? weave_bytes(world->weave) : 0;
    const size_t size = whole_bytes(world, links, weave);
    char* block = calloc(1, size);
    *bytes = NULL;
    *count = 0;
    if (!block) return tw_fail(err, TW_NO_MEMORY, "no memory to save the world in %zu bytes", size);
    Head head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, MAGIC, sizeof head.magic);
    head.of = identity(world);
    head.time = world->time;
    head.window = world->window;
    head.body_count = world->body_count;
    head.joint_count = world->joint_count;
    head.link_count = used_links(world);
    head.number_count = world->number_count;
    head.link_bytes = links;
    head.weave_bytes = weave;
    head.stats = tw_world_stats(world);
    head.energy = world->energy;
    char* at = block;
    put(&at, &head, sizeof head);
    put_bodies(world, &at);
    put_links(world, &at);
    if (world->weave) weave_save(world->weave, at);
    at += weave;
    twHash hash = tw_hash(block, size - sizeof hash, (twHash){0, 0});
    put(&at, &hash, sizeof hash);
    twStatus status = tw_world_load(world, block, size, err);
    if (status != TW_OK)
    {
        free(block);
        return status;
    }
    *bytes = block;
    *count = size;
    return TW_OK;
}

// ---- loading ----

static bool is_finite(const double* x, size_t count)
{
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) fine = fabs(x[i]) <= LOST_DISTANCE;
    return fine;
}

static bool good_state(const SavedState* s)
{
    return is_finite(&s->time, sizeof *s / sizeof(double)) && fabs(tw_quat_norm(s->turn) - 1) < 1e-3;
}

// clocks are ahead of the world's time by a step at most, and the last step goes back by one more
static bool good_body(const twWorld* world, int i, double time, const SavedBody* s)
{
    const twBodyDef* def = world->def.bodies + i;
    const double most = 2 * world->def.max_step + 1e-3;
    bool dynamic = def->kind == TW_BODY_FREE || (!def->rigid && def->shape->mode_count > 0);
    int modes = def->rigid ? 0 : def->shape->mode_count;
    if (!good_state(&s->now) || !good_state(&s->before) || s->now.time < s->before.time) return false;
    if (def->kind == TW_BODY_FIXED && tw_vec3_max(s->now.velocity) + tw_vec3_max(s->now.spin) != 0) return false;
    if (dynamic && !s->lost && (s->before.time < time - most || s->now.time < time || s->now.time > time + most))
        return false;
    return s->active >= 0 && s->active <= s->bent && s->bent <= modes && s->hold >= 0 && s->hold <= WAKE_HOLD &&
           (s->next_step == 0 || (s->next_step >= 1e-9 && s->next_step <= 1e3));
}

// a truth value as it was saved: any other byte is none
static bool is_truth(const void* at)
{
    unsigned char byte;
    memcpy(&byte, at, 1);
    return byte <= 1;
}

bool world_good_memory(const SolveMemory* m)
{
    return is_truth(&m->impact) && is_truth(&m->slides) && m->closed_steps >= 0 && m->compression >= 0 &&
           m->compression <= LOST_DISTANCE && is_finite(m->bristle, 2) && is_finite(m->impulse, 3) &&
           is_finite(m->before, 3) && is_finite(m->spread, 3) && is_finite(&m->stored, 1) && is_finite(&m->branch, 1);
}

// @return where the next one is; NULL if it does not fit
static const char* check_link(const twWorld* world, const char* at, size_t left)
{
    SavedLink saved;
    if (left < sizeof saved) return NULL;
    memcpy(&saved, at, sizeof saved);
    if (saved.count < 0 || saved.count > LINK_SLOTS || saved.memory_count < 0 || saved.a < 0 || saved.b <= saved.a ||
        saved.b >= world->body_count || !(saved.from <= saved.to))
        return NULL;
    if (left < saved_bytes(saved.count, saved.memory_count)) return NULL;
    for (int i = 0; i < saved.count; i++)
    {
        Slot slot;
        memcpy(&slot, at + sizeof saved + (size_t)i * sizeof slot, sizeof slot);
        if (!is_truth(&slot.touch.edge) || !world_good_memory(&slot.memory) || !world_good_memory(&slot.before) ||
            !(slot.h > 0 && slot.h <= 1e3) || !(slot.impact_time > 0) || !is_finite(&slot.impact_speed, 1))
            return NULL;
    }
    return at + saved_bytes(saved.count, saved.memory_count);
}

static bool good_links(const twWorld* world, const Head* head, const char* at)
{
    const char* end = at + head->link_bytes;
    for (int i = 0; i < head->link_count && at; i++) at = check_link(world, at, (size_t)(end - at));
    return at == end;
}

static bool good_grab(const twWorld* world, int slot, const Grab* grab)
{
    const bool* truths[] = {&grab->active,   &grab->def.along[0], &grab->def.along[1], &grab->def.along[2],
                            &grab->def.here, &grab->def.exact,    &grab->limited,      &grab->powerless};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        if (!is_truth(truths[i])) return false;
    return grab_is_good(world, slot, grab);
}

static bool good_joints(const twWorld* world, const char* at)
{
    for (int i = 0; i < world->joint_count; i++)
    {
        SavedJoint saved;
        memcpy(&saved, at + (size_t)i * sizeof saved, sizeof saved);
        if (!(saved.h >= 0 && saved.h <= 1e3) || !world_good_memory(&saved.memory[0]) ||
            !world_good_memory(&saved.memory[1]) || !is_finite(saved.stored, 2))
            return false;
        if (i >= world->def.joint_count && !good_grab(world, i - world->def.joint_count, &saved.grab)) return false;
    }
    return true;
}

static bool good_numbers(const char* at, size_t count)
{
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++)
    {
        double x;
        memcpy(&x, at + i * sizeof x, sizeof x);
        fine = is_finite(&x, 1);
    }
    return fine;
}

static twStatus check_bytes(const twWorld* world, const char* bytes, size_t count, Head* head, twError* err)
{
    twHash hash;
    if (count < sizeof *head + sizeof hash || memcmp(bytes, MAGIC, 8) != 0)
        return tw_fail(err, TW_BAD_INPUT, "no saved world");
    memcpy(head, bytes, sizeof *head);
    memcpy(&hash, bytes + count - sizeof hash, sizeof hash);
    twHash right = tw_hash(bytes, count - sizeof hash, (twHash){0, 0}), of = identity(world);
    if (hash.high != right.high || hash.low != right.low)
        return tw_fail(err, TW_BAD_INPUT, "the saved world is damaged");
    if (head->of.high != of.high || head->of.low != of.low || head->body_count != world->body_count ||
        head->joint_count != world->joint_count || head->number_count != world->number_count)
        return tw_fail(err, TW_BAD_INPUT, "the saved world is another one: bodies, materials or settings differ");
    if (head->link_count < 0 || head->link_count > world->max_pairs || head->link_bytes > count ||
        head->weave_bytes > count || whole_bytes(world, head->link_bytes, head->weave_bytes) != count ||
        (head->weave_bytes > 0) != (world->weave != NULL) || !(head->time >= 0 && head->time <= 1e12) ||
        head->window < 0 || head->window >= (int64_t)1 << 26)
        return tw_fail(err, TW_BAD_INPUT, "the saved world is damaged");
    const char* at = bytes + sizeof *head;
    for (int i = 0; i < world->body_count; i++)
    {
        SavedBody saved;
        memcpy(&saved, at + (size_t)i * sizeof saved, sizeof saved);
        if (!good_body(world, i, head->time, &saved))
            return tw_fail(err, TW_BAD_INPUT, "the saved world is damaged: body %d", i);
    }
    at += (size_t)world->body_count * sizeof(SavedBody);
    const char* numbers = at + (size_t)world->joint_count * sizeof(SavedJoint);
    if (!good_joints(world, at) || !good_numbers(numbers, world->number_count) ||
        !good_links(world, head, numbers + world->number_count * sizeof(double)))
        return tw_fail(err, TW_BAD_INPUT, "the saved world is damaged: joints, modes or contacts");
    const char* rods = numbers + world->number_count * sizeof(double) + head->link_bytes;
    if (world->weave && !weave_check(world, head->time, rods, head->weave_bytes))
        return tw_fail(err, TW_BAD_INPUT, "the saved world is damaged: rods");
    return TW_OK;
}

static void load_state(BodyState* state, const SavedState* s)
{
    state->time = s->time;
    state->position = s->position;
    state->turn = s->turn;
    state->velocity = s->velocity;
    state->spin = s->spin;
}

static void get_bodies(twWorld* world, const char** at)
{
    for (int i = 0; i < world->body_count; i++, *at += sizeof(SavedBody))
    {
        SavedBody saved;
        memcpy(&saved, *at, sizeof saved);
        Body* b = world->bodies + i;
        body_reset(b, world->def.bodies + i);
        if (saved.lost) body_lose(b);
        load_state(&b->now, &saved.now);
        load_state(&b->before, &saved.before);
        b->next_step = saved.next_step;
        b->room = saved.room;
        b->window_place = saved.window_place;
        b->mates = saved.mates;
        b->active = saved.lost ? 0 : saved.active;
        b->bent = saved.lost ? 0 : saved.bent;
        b->hold = saved.hold;
        b->touched = saved.touched != 0;
        b->spent = saved.spent;
        b->h = 0;
        b->prepared = b->member = -1;
    }
    for (int i = 0; i < world->joint_count; i++, *at += sizeof(SavedJoint))
    {
        SavedJoint saved;
        memcpy(&saved, *at, sizeof saved);
        world->joints[i].h = saved.h;
        world->joints[i].to = saved.to;
        world->joints[i].seen = -1;
        memcpy(world->joints[i].memory, saved.memory, sizeof saved.memory);
        memcpy(world->joints[i].stored, saved.stored, sizeof saved.stored);
        if (!world->joints[i].grab) continue;
        *world->joints[i].grab = saved.grab;
        world->joints[i].grab->ways = world->def.paths;
        world->joints[i].joint = (Joint){.kind = TW_JOINT_BALL};
        const bool bodies = saved.grab.active && !grab_has_rod(&saved.grab);
        world->joints[i].body[0] = bodies ? saved.grab.def.at.body : TW_NOWHERE;
        world->joints[i].body[1] = bodies ? saved.grab.def.to.body : TW_NOWHERE;
    }
    world_list_joints(world);
    size_t bytes = world->number_count * sizeof(double);
    memcpy(world->numbers, *at, bytes);
    *at += bytes;
}

Link* world_find_link(twWorld* world, int a, int b)
{
    for (int i = 0; i < world->near_count; i++)
    {
        Link* link = world->near_link[i] >= 0 ? world->links + world->near_link[i] : NULL;
        if (link && link->a == a && link->b == b) return link;
    }
    return NULL;
}

// @return where the next one is
static const char* get_link(twWorld* world, const char* at)
{
    SavedLink saved;
    memcpy(&saved, at, sizeof saved);
    const size_t bytes = saved_bytes(saved.count, saved.memory_count);
    const char* slots = at + sizeof saved;
    Link* link = world_find_link(world, saved.a, saved.b);
    if (!link)
    {
        // not near any more: its forces end
        for (int i = 0; i < saved.count; i++)
        {
            Slot slot;
            memcpy(&slot, slots + (size_t)i * sizeof slot, sizeof slot);
            record_force(&world->ends, &slot, world->time, tw_vec3(0, 0, 0));
        }
        return at + bytes;
    }
    link->count = saved.count;
    link->from = saved.from;
    link->to = saved.to;
    memcpy(link->slots, slots, (size_t)saved.count * sizeof *link->slots);
    tw_pair_restore(link->pair, slots + (size_t)saved.count * sizeof *link->slots, saved.memory_count,
                    world->bodies[link->a].shape->contact, world->bodies[link->b].shape->contact);
    return at + bytes;
}

twStatus tw_world_load(twWorld* world, const void* bytes, size_t count, twError* err)
{
    Head head;
    Collider* collider;
    twStatus status = check_bytes(world, bytes, count, &head, err);
    if (status == TW_OK) status = tw_collider_create(&collider, &world->collider_def, err);
    if (status != TW_OK) return status;

    // from here on nothing fails
    for (int i = 0; i < world->body_count; i++)
    {
        solve_destroy(world->solvers[i]);
        world->solvers[i] = NULL;
    }
    tw_collider_destroy(world->collider);
    world->collider = collider;
    memset(world->links, 0, (size_t)world->max_pairs * sizeof *world->links);
    const char* at = (const char*)bytes + sizeof head;
    get_bodies(world, &at);
    world->time = head.time;
    world->window = head.window;
    world->stats = head.stats;
    world->energy = head.energy;
    window_begin(world);
    for (int i = 0; i < head.link_count; i++) at = get_link(world, at);
    if (world->weave && !weave_load(world, at)) return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    return TW_OK;
}
