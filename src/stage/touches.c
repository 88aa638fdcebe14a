// SPDX-License-Identifier: MIT
// Contacts of a stage: pair after pair the touches of the collider, clustered. A cluster keeps its name as long as one of its touches was in
// it before; what the last step pushed with goes to the contact of the same name, along its new directions.
//
// A penalty spring stores the energy of an impact at 1 m/s where the law of Hertz does, k = m v^2/x_max^2 with the mass m that both
// bodies have against each other, and its damper takes as much: c = 2 z sqrt(k m), z = -ln e/sqrt(pi^2 + ln^2 e).
#include "stage/touches.h"
#include "contact/hunt.h"
#include "stage/cone.h"
#include "stage/patch.h"
#include <stdlib.h>
#include <string.h>

#define SLIDING 1e-3        // faster along the surface is sliding [m/s]
#define IMPACT_SPEED 1.0    // at which springs are like Hertz's [m/s]
#define LEAST_REBOUND 1e-3  // restitution
#define NAME_BITS 60        // of an id of a touch: numbers of bodies end there
#define NAMES 8             // with the bits above

enum
{
    MEMORY = 4096  // touches remembered
};

// a touch of the last step
typedef struct Remembered
{
    uint64_t touch, cluster;
    bool seed;
} Remembered;

typedef struct StageLaw
{
    double stick, slide, stiffness, damping;
    double hertz;  // stiffness of the impact law
} StageLaw;

// a pair that is near
typedef struct StageLink
{
    int a, b;          // -1: none
    int64_t step;      // when it was last looked at
    int first, count;  // of what is remembered
    StageLaw law;
} StageLink;

struct StageTouches
{
    twStageDef def;
    const StageBody* bodies;
    twContactMaterial* materials;
    twContactPair* pairs;
    Collider* collider;
    int max_pairs, near_count;
    const BroadPair* near;      // of the collider
    StageLink* links;           // (max_pairs) by slot
    Touch* touches;             // room of a pair
    StageContact* contacts[2];  // (max_contacts) now, before
    int* order;                 // (max_contacts) in which they were found
    Remembered* memory[2];      // (MEMORY) now, before
    int count[2], memory_count[2];
    bool replaced;  // some contact was, by a deeper one
    int64_t step;
    StageTouchStats stats;
};

// ---- creation ----

static twStatus check(const twStageDef* def, const StageBody* bodies, twError* err)
{
    if (def->max_contacts < 0 || def->max_contacts > CONE_MAX)
        return tw_fail(err, TW_BAD_INPUT, "%d contacts at a time; 0 to %d are possible", def->max_contacts, CONE_MAX);
    for (int i = 0; i < def->body_count && def->contact != TW_STAGE_NO_CONTACT; i++)
        if (!bodies[i].ghost && (bodies[i].material < 0 || bodies[i].material >= def->material_count))
            return tw_fail(err, TW_BAD_INPUT, "body %d: material %d of %d", i, bodies[i].material, def->material_count);
    for (int i = 0; i < 2 * def->pair_count; i++)
    {
        int material = def->pairs[i / 2].material[i % 2];
        if (material < 0 || material >= def->material_count)
            return tw_fail(err, TW_BAD_INPUT, "pair %d: material %d of %d", i / 2, material, def->material_count);
    }
    return TW_OK;
}

static twStatus build_collider(StageTouches* t, twError* err)
{
    ColliderDef def = tw_collider_def();
    int n = def.body_count = t->def.body_count;
    def.pair.max_touches = PATCH_MAX;
    def.pair.max_modes = 1;
    def.pair.soft = true;
    for (int i = 0; i < n; i++)
        if (t->bodies[i].mode_count > def.pair.max_modes) def.pair.max_modes = t->bodies[i].mode_count;
    int64_t all = (int64_t)n * (n - 1) / 2, most = 4 * (int64_t)n + 16;
    def.max_pairs = t->max_pairs = (int)(all < most ? all : most);
    def.max_touches = 0;  // they are asked for pair by pair
    t->touches = malloc((size_t)TW_PAIR_ROOM(def.pair) * sizeof *t->touches);
    if (!t->touches) return tw_fail(err, TW_NO_MEMORY, "no memory for touches");
    return tw_collider_create(&t->collider, &def, err);
}

static void* copy(const void* items, int count, size_t size)
{
    void* to = calloc((size_t)count + 1, size);
    if (to && count > 0) memcpy(to, items, (size_t)count * size);
    return to;
}

static twStatus build(StageTouches* t, twError* err)
{
    twStatus status = build_collider(t, err);
    if (status != TW_OK) return status;
    size_t contacts = (size_t)t->def.max_contacts + 1;
    t->materials = copy(t->def.materials, t->def.material_count, sizeof *t->materials);
    t->pairs = copy(t->def.pairs, t->def.pair_count, sizeof *t->pairs);
    t->links = calloc((size_t)t->max_pairs + 1, sizeof *t->links);
    t->order = calloc(contacts, sizeof *t->order);
    bool all = t->materials && t->pairs && t->links && t->order;
    for (int i = 0; i < 2; i++)
    {
        t->contacts[i] = calloc(contacts, sizeof *t->contacts[i]);
        t->memory[i] = calloc(MEMORY, sizeof *t->memory[i]);
        all = all && t->contacts[i] && t->memory[i];
    }
    if (!all) return tw_fail(err, TW_NO_MEMORY, "no memory for %d contacts", t->def.max_contacts);
    for (int i = 0; i < t->max_pairs; i++) t->links[i].a = t->links[i].b = -1;
    return TW_OK;
}

twStatus stage_touches_create(StageTouches** out, const twStageDef* def, const StageBody* bodies, twError* err)
{
    *out = NULL;
    twStatus status = check(def, bodies, err);
    if (status != TW_OK) return status;
    StageTouches* t = calloc(1, sizeof *t);
    if (!t) return tw_fail(err, TW_NO_MEMORY, "no memory for contacts");
    t->def = *def;
    t->bodies = bodies;
    status = build(t, err);
    if (status == TW_OK)
        *out = t;
    else
        stage_touches_destroy(t);
    return status;
}

void stage_touches_destroy(StageTouches* t)
{
    if (!t) return;
    tw_collider_destroy(t->collider);
    free(t->materials);
    free(t->pairs);
    free(t->links);
    free(t->touches);
    free(t->order);
    for (int i = 0; i < 2; i++) free(t->contacts[i]), free(t->memory[i]);
    free(t);
}

// ---- how two bodies touch ----

static twContactPair pair_of(const StageTouches* t, const StageBody* a, const StageBody* b)
{
    for (int i = t->def.pair_count - 1; i >= 0; i--)
    {
        const int* m = t->pairs[i].material;
        if ((m[0] == a->material && m[1] == b->material) || (m[0] == b->material && m[1] == a->material))
            return t->pairs[i];
    }
    return tw_contact_pair(t->materials + a->material, t->materials + b->material, a->shape->contact_radius,
                           b->shape->contact_radius);
}

// of a blow between them; of two that are fixed and only bend, as if they were not
static double blow_mass(const StageBody* a, const StageBody* b)
{
    const double give = a->inverse_mass + b->inverse_mass;
    return 1 / (give > 0 ? give : 1 / a->shape->mass.mass + 1 / b->shape->mass.mass);
}

static StageLaw law_of(const StageTouches* t, const StageBody* a, const StageBody* b)
{
    twContactPair pair = pair_of(t, a, b);
    double mass = blow_mass(a, b), x = hunt_x_max(&pair.impact, mass, IMPACT_SPEED);
    double stiffness = mass * IMPACT_SPEED * IMPACT_SPEED / (x * x);
    double rebound = -hunt_release(pair.impact.dissipation, IMPACT_SPEED) / IMPACT_SPEED;
    double loss = -log(fmin(fmax(rebound, LEAST_REBOUND), 1)), share = loss / sqrt(TW_PI * TW_PI + loss * loss);
    return (StageLaw){pair.friction.static_friction, pair.friction.dynamic_friction, stiffness, 2 * share * sqrt(stiffness * mass), pair.impact.stiffness};
}

static StageLink* link_of(StageTouches* t, int index, BroadPair pair)
{
    StageLink* link = t->links + tw_collider_slot(t->collider, index);
    if (link->a != pair.a || link->b != pair.b)
        *link = (StageLink){.a = pair.a, .b = pair.b, .law = law_of(t, t->bodies + pair.a, t->bodies + pair.b)};
    if (link->step != t->step - 1) link->count = 0;
    link->step = t->step;
    return link;
}

// ---- names ----

static const Remembered* recall(const StageTouches* t, const StageLink* link, uint64_t touch)
{
    for (int i = 0; i < link->count; i++)
        if (t->memory[1][link->first + i].touch == touch) return t->memory[1] + link->first + i;
    return NULL;
}

typedef struct Names
{
    uint64_t id[PATCH_MAX];
    bool given[PATCH_MAX], fresh[PATCH_MAX];
    int count;
} Names;

static bool is_taken(const Names* names, uint64_t id)
{
    for (int c = 0; c < names->count; c++)
        if (names->given[c] && names->id[c] == id) return true;
    return false;
}

static bool give(Names* names, int cluster, uint64_t id)
{
    if (names->given[cluster] || is_taken(names, id)) return false;
    names->id[cluster] = id;
    return names->given[cluster] = true;
}

// the name its seed was under, else one of its touches was under, else a new one
static void name_all(Names* names, const PatchTouch* patch, const Remembered* const* old, int count)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < count; i++)
            if (old[i] && (patch[i].seed || round == 1)) give(names, patch[i].cluster, old[i]->cluster);
    for (int i = 0; i < count; i++)
    {
        if (!patch[i].seed || names->given[patch[i].cluster]) continue;
        names->fresh[patch[i].cluster] = true;
        for (uint64_t k = 0; k < NAMES; k++)
            if (give(names, patch[i].cluster, patch[i].touch->id | k << NAME_BITS)) break;
        names->id[patch[i].cluster] |= names->given[patch[i].cluster] ? 0 : patch[i].touch->id;
    }
}

static void remember(StageTouches* t, StageLink* link, const PatchTouch* patch, int count, const Names* names)
{
    link->first = t->memory_count[0];
    link->count = 0;
    for (int i = 0; i < count && t->memory_count[0] < MEMORY; i++, link->count++)
        t->memory[0][t->memory_count[0]++] =
            (Remembered){patch[i].touch->id, names->id[patch[i].cluster], patch[i].seed};
}

// ---- contacts ----

// what the last step pushed with, along the directions of now
static void warm(const StageTouches* t, StageContact* contact)
{
    for (int i = 0; i < t->count[1]; i++)
    {
        const StageContact* old = t->contacts[1] + i;
        if (old->touch.id != contact->touch.id) continue;
        const Touch *from = &old->touch, *to = &contact->touch;
        twVec3 push = tw_vec3_scale(from->normal, old->impulse[0]);
        push = tw_vec3_add_scaled(push, from->tangent[0], old->impulse[1]);
        push = tw_vec3_add_scaled(push, from->tangent[1], old->impulse[2]);
        if (from->which != to->which) push = tw_vec3_scale(push, -1);
        contact->impulse[0] = fmax(tw_vec3_dot(push, to->normal), 0);
        contact->impulse[1] = tw_vec3_dot(push, to->tangent[0]);
        contact->impulse[2] = tw_vec3_dot(push, to->tangent[1]);
        return;
    }
}

static bool slides(const Touch* touch, const BodyPlace* places)
{
    double u[3];
    tw_touch_velocity(u, touch, places + touch->body[0], places + touch->body[1]);
    return u[1] * u[1] + u[2] * u[2] > SLIDING * SLIDING;
}

// one more, for the shallowest if there is no room. @return where; NULL: it is the shallowest
static StageContact* room_for(StageTouches* t, double gap, int number)
{
    StageContact* list = t->contacts[0];
    int place = t->count[0];
    if (place == t->def.max_contacts)
    {
        t->stats.dropped++;
        place = -1;
        for (int i = 0; i < t->count[0]; i++)
            if (list[i].touch.gap > gap && (place < 0 || list[i].touch.gap > list[place].touch.gap)) place = i;
        if (place < 0) return NULL;
        t->replaced = true;
    }
    else
        t->count[0]++;
    t->order[place] = number;
    return list + place;
}

static void add_pair(StageTouches* t, StageLink* link, int count, const BodyPlace* places, double reach, int* number)
{
    PatchTouch patch[PATCH_MAX];
    const Remembered* old[PATCH_MAX];
    double radius = fmin(t->bodies[link->a].contact->radius, t->bodies[link->b].contact->radius);
    for (int i = 0; i < count; i++)
    {
        old[i] = recall(t, link, t->touches[i].id);
        patch[i] = (PatchTouch){.touch = t->touches + i, .was_seed = old[i] && old[i]->seed};
    }
    Names names = {.count = patch_split(patch, count, t->def.cluster * radius)};
    name_all(&names, patch, old, count);
    remember(t, link, patch, count, &names);
    t->stats.clustered += count - names.count;
    for (int c = 0; c < names.count; c++)
    {
        StageContact contact = {0};
        contact.share = patch_join(patch, count, c, reach, &contact.touch);
        contact.touch.id = names.id[c];
        contact.touch.fresh = names.fresh[c];
        contact.friction = slides(&contact.touch, places) ? link->law.slide : link->law.stick;
        contact.stiffness = link->law.stiffness;
        contact.hertz = link->law.hertz;
        contact.damping = link->law.damping;
        warm(t, &contact);
        StageContact* place = room_for(t, contact.touch.gap, (*number)++);
        if (place) *place = contact;
    }
}

// as they were found
static void sort(StageTouches* t)
{
    for (int i = 1; i < t->count[0]; i++)
    {
        StageContact contact = t->contacts[0][i];
        int number = t->order[i], k = i;
        for (; k > 0 && t->order[k - 1] > number; k--)
        {
            t->contacts[0][k] = t->contacts[0][k - 1];
            t->order[k] = t->order[k - 1];
        }
        t->contacts[0][k] = contact;
        t->order[k] = number;
    }
}

static void next_step(StageTouches* t)
{
    StageContact* contacts = t->contacts[0];
    Remembered* memory = t->memory[0];
    t->contacts[0] = t->contacts[1];
    t->contacts[1] = contacts;
    t->memory[0] = t->memory[1];
    t->memory[1] = memory;
    t->count[1] = t->count[0];
    t->memory_count[1] = t->memory_count[0];
    t->count[0] = t->memory_count[0] = 0;
    t->replaced = false;
    t->step++;
}

// fixed bodies only as far as both bend: what is mounted on something else overlaps it
static bool can_touch(const StageBody* a, const StageBody* b)
{
    const bool bend = a->mode_count > 0 && b->mode_count > 0;
    return !a->ghost && !b->ghost && (a->free || b->free || bend);
}

int stage_touches_find(StageTouches* t, const BodyPlace* places, double reach, StageContact** out)
{
    next_step(t);
    *out = t->contacts[0];
    if (t->def.contact == TW_STAGE_NO_CONTACT || t->max_pairs == 0) return 0;
    int number = 0;
    t->near = tw_collider_near(t->collider, places, reach, &t->near_count);
    for (int i = 0; i < t->near_count; i++)
    {
        BroadPair pair = t->near[i];
        if (!can_touch(t->bodies + pair.a, t->bodies + pair.b)) continue;
        StageLink* link = link_of(t, i, pair);
        int count =
            tw_pair_touches(tw_collider_pair(t->collider, i), places + pair.a, places + pair.b, reach, t->touches);
        add_pair(t, link, count, places, reach, &number);
    }
    if (t->replaced) sort(t);
    t->stats.contacts += t->count[0];
    if (t->count[0] > t->stats.most) t->stats.most = t->count[0];
    return t->count[0];
}

void stage_touches_forget(StageTouches* t, int body)
{
    for (int i = 0; i < t->near_count; i++)
    {
        if (t->near[i].a != body && t->near[i].b != body) continue;
        tw_pair_forget(tw_collider_pair(t->collider, i));
        t->links[tw_collider_slot(t->collider, i)].count = 0;
    }
    int left = 0;
    for (int i = 0; i < t->count[0]; i++)
    {
        const int* bodies = t->contacts[0][i].touch.body;
        if (bodies[0] != body && bodies[1] != body) t->contacts[0][left++] = t->contacts[0][i];
    }
    t->count[0] = left;
}

StageTouchStats stage_touches_stats(const StageTouches* t)
{
    StageTouchStats stats = t->stats;
    stats.dropped += tw_collider_stats(t->collider).broad.dropped;
    return stats;
}
