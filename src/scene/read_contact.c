// SPDX-License-Identifier: MIT
// Interactions, forces and strikes in a scene.

#include "reader.h"
#include "twang/math.h"
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81

// ---- laws ----

static void read_impact(const twNode* map, twContactDef* def)
{
    static const char* const methods[] = {"qi", "dg", "am1", NULL};
    static const twImpactMethod method_of[] = {TW_QI, TW_DG, TW_AM1};
    yaml_keys(map, "stiffness", "exponent", "dissipation", "gap", "method");
    def->has_impact = true;
    def->impact.stiffness = yaml_number(map, "stiffness", yaml_between(1e-6, 1e30, "N/m^a"), def->impact.stiffness);
    def->impact.exponent = yaml_number(map, "exponent", yaml_between(1, 10, NULL), def->impact.exponent);
    def->impact.dissipation = yaml_number(map, "dissipation", yaml_between(0, 1e6, "s/m"), def->impact.dissipation);
    def->gap = yaml_number(map, "gap", yaml_any("m"), 0);
    def->method = method_of[yaml_choice(map, "method", methods, 0)];
}

void read_friction_law(const twNode* map, double least, twFrictionLaw* law)
{
    law->stiffness = yaml_number(map, "stiffness", yaml_between(1e-6, 1e15, "N/m"), law->stiffness);
    law->damping = yaml_number(map, "damping", yaml_between(0, 1e12, "N s/m"), law->damping);
    law->viscosity = yaml_number(map, "viscosity", yaml_between(0, 1e12, "N s/m"), law->viscosity);
    law->dynamic_friction = yaml_number(map, "dynamic", yaml_between(least, 1000, NULL), law->dynamic_friction);
    law->static_friction = yaml_number(map, "static", yaml_between(least, 1000, NULL), law->static_friction);
    law->stribeck = yaml_number(map, "stribeck", yaml_between(1e-9, 1e6, "m/s"), law->stribeck);
    law->breakaway = yaml_number(map, "breakaway", yaml_between(0, 0.999, NULL), law->breakaway);
}

static void read_friction(Reader* reader, const twNode* map, twSceneContact* contact)
{
    static const char* const models[] = {"elasto-plastic", "lugre", NULL};
    yaml_keys(map, "stiffness", "damping", "viscosity", "noise", "roughness", "seed", "static", "dynamic", "stribeck",
              "breakaway", "model", "normal_force");
    twContactDef* def = &contact->def;
    twFrictionLaw* law = &def->friction;
    def->has_friction = true;
    read_friction_law(map, 1e-9, law);
    if (!yaml_has(map, "static")) law->static_friction = fmax(law->static_friction, law->dynamic_friction);
    law->noise = yaml_number(map, "noise", yaml_between(0, 1e12, "N"), law->noise);
    law->lugre = yaml_choice(map, "model", models, 0) == 1;
    def->roughness_beta = yaml_number(map, "roughness", yaml_between(-2, 2, NULL), 0);
    def->seed = (uint64_t)yaml_integer(map, "seed", 0, INT64_MAX, 1);
    contact->has_normal_force = yaml_has(map, "normal_force");
    contact->normal_force = read_signal(reader, map, "normal_force", yaml_not_negative("N"), 0);
    twError err;
    if (yaml_ok(reader->doc) && tw_friction_law_check(law, &err) != TW_OK) yaml_fail_key(map, "%s", err.text);
}

// ---- control layers ----

static void read_profile(const twNode* map, twProfileDef* def)
{
    const twNode* node = yaml_map(map, "profile");
    *def = tw_profile_def();
    if (!node) return;
    yaml_keys(node, "rms", "beta", "longest", "shortest", "seed");
    def->rms = yaml_number(node, "rms", yaml_between(0, 1, "m"), def->rms);
    def->beta = yaml_number(node, "beta", yaml_between(-4, 4, NULL), def->beta);
    def->longest = yaml_number(node, "longest", yaml_positive("m"), def->longest);
    def->shortest = yaml_number(node, "shortest", yaml_positive("m"), fmin(def->shortest, def->longest));
    def->seed = (uint64_t)yaml_integer(node, "seed", 0, INT64_MAX, 1);
    if (def->shortest > def->longest || def->longest / def->shortest > 1e5)
        yaml_fail(node, "wavelengths must satisfy shortest <= longest <= 100000 shortest");
}

static void read_rolling(Reader* reader, const twNode* map, twSceneMotion* motion)
{
    yaml_keys(map, "speed", "radius", "asymmetry", "gravity", "profile");
    motion->kind = TW_MOTION_ROLLING;
    motion->speed = read_signal(reader, map, "speed", yaml_any("m/s"), 0.5);
    motion->radius = yaml_number(map, "radius", yaml_positive("m"), 0.01);
    motion->asymmetry = yaml_number(map, "asymmetry", yaml_between(0, 1, NULL), 0.2);
    motion->gravity = yaml_number(map, "gravity", yaml_any("m/s^2"), GRAVITY);
    read_profile(map, &motion->profile);
    motion->profile.ball_radius = motion->radius;
}

static void read_scraping(Reader* reader, const twNode* map, twSceneMotion* motion)
{
    yaml_keys(map, "speed", "force", "profile");
    motion->kind = TW_MOTION_SCRAPING;
    motion->speed = read_signal(reader, map, "speed", yaml_any("m/s"), 0.2);
    motion->press = read_signal(reader, map, "force", yaml_not_negative("N"), 1);
    read_profile(map, &motion->profile);
}

static void read_bouncing(const twNode* map, twSceneMotion* motion)
{
    yaml_keys(map, "gravity", "irregularity", "seed");
    motion->kind = TW_MOTION_BOUNCING;
    motion->gravity = yaml_number(map, "gravity", yaml_any("m/s^2"), GRAVITY);
    motion->irregularity = yaml_number(map, "irregularity", yaml_between(0, 1, NULL), 0);
    motion->seed = (uint64_t)yaml_integer(map, "seed", 0, INT64_MAX, 1);
}

static void read_pointer(Reader* reader, const twNode* map, twSceneContact* contact)
{
    yaml_keys(map, "x", "y", "force", "normal_force", "smooth");
    int count;
    const double *force = yaml_numbers(map, "force", yaml_any("N"), 2, 2, &count), *normal;
    normal = yaml_numbers(map, "normal_force", yaml_not_negative("N"), 2, 2, &count);
    double smooth = yaml_number(map, "smooth", yaml_not_negative("s"), 0.01);
    contact->has_pointer = true;
    contact->pointer_x = read_signal(reader, map, "x", yaml_between(0, 1, NULL), 0);
    contact->pointer_y = read_signal(reader, map, "y", yaml_between(0, 1, NULL), 0);
    if (!yaml_ok(reader->doc)) return;
    contact->pointer =
        tw_pointer(force ? force[0] : 0, force ? force[1] : 5, normal ? normal[0] : 0, normal ? normal[1] : 10, smooth);
}

// ---- interactions ----

static void read_ends(Reader* reader, const twNode* list, int* a, int* a_point, int* b, int* b_point)
{
    if (!list) return;
    if (list->count != 2)
    {
        yaml_fail(list, "'%s' takes two names, the exciter and the resonator, like [hammer, bar.middle]", list->key);
        return;
    }
    const char *first = yaml_as_text(list->first), *second = yaml_as_text(list->last);
    if (!yaml_ok(reader->doc)) return;
    read_reference(reader, list->first, first, false, a, a_point);
    if (strcmp(second, "wall") == 0)
        *b = TW_WALL;
    else
        read_reference(reader, list->last, second, false, b, b_point);
    if (yaml_ok(reader->doc) && *a == *b) yaml_fail(list, "an object cannot touch itself");
}

static void read_slide(Reader* reader, const twNode* node, twContactDef* def)
{
    const twNode* list = yaml_list(node, "slide");
    def->a_slide = def->a_point;
    def->b_slide = def->b_point;
    if (!list) return;
    int a = def->a, b = def->b;
    read_ends(reader, list, &a, &def->a_slide, &b, &def->b_slide);
    if (yaml_ok(reader->doc) && (a != def->a || b != def->b))
        yaml_fail(list, "'slide' must name points of the objects in 'between'");
}

static void check_interaction(Reader* reader, const twNode* node, const twSceneContact* contact)
{
    const twContactDef* def = &contact->def;
    const twSceneObject* exciter = &reader->scene->objects[def->a];
    if (!def->has_impact && !def->has_friction) yaml_fail(node, "an interaction needs 'impact', 'friction' or both");
    if (contact->motion.kind != TW_MOTION_NONE && !def->has_impact)
        yaml_fail(node, "rolling, scraping and bouncing press one object on another: add 'impact'");
    if (contact->motion.kind != TW_MOTION_NONE && !exciter->rigid)
        yaml_fail(yaml_get(node, "between"), "rolling, scraping and bouncing need a rigid exciter; '%s' has no 'mass'",
                  exciter->name);
    if (contact->has_pointer && !def->has_friction)
        yaml_fail_key(yaml_get(node, "pointer"), "a pointer plays friction: add 'friction'");
    if (!def->has_friction) return;
    if (def->has_impact && (!yaml_has(node, "slide") || def->a_slide == def->a_point))
        yaml_fail(
            node,
            "impact and friction at once need 'slide': points that move along the surface, as 'between' names those "
            "that press on it");
    bool given = contact->has_normal_force || contact->has_pointer;
    if (def->has_impact && given)
        yaml_fail(node, "with 'impact' the normal force comes from the impact; leave 'normal_force' and 'pointer' out");
    if (!def->has_impact && !given)
        yaml_fail_key(yaml_get(node, "friction"), "friction needs a 'normal_force', a 'pointer' or an 'impact'");
    if (contact->has_normal_force && contact->has_pointer)
        yaml_fail_key(yaml_get(node, "pointer"), "the pointer sets the normal force; leave 'normal_force' out");
}

static void read_contact(Reader* reader, const twNode* node, twSceneContact* contact)
{
    if (!yaml_as_map(node)) return;
    yaml_keys(node, "name", "between", "slide", "impact", "friction", "rolling", "scraping", "bouncing", "pointer");
    contact->name = read_copy(reader, yaml_text(node, "name", ""));
    contact->def = tw_contact_def();
    contact->def.b = 0;
    read_ends(reader, yaml_need_list(node, "between"), &contact->def.a, &contact->def.a_point, &contact->def.b,
              &contact->def.b_point);
    read_slide(reader, node, &contact->def);
    int motions = yaml_has(node, "rolling") + yaml_has(node, "scraping") + yaml_has(node, "bouncing");
    if (motions > 1) yaml_fail(node, "keep one of 'rolling', 'scraping' and 'bouncing'");
    if (yaml_map(node, "impact")) read_impact(yaml_map(node, "impact"), &contact->def);
    if (yaml_map(node, "friction")) read_friction(reader, yaml_map(node, "friction"), contact);
    if (yaml_map(node, "rolling")) read_rolling(reader, yaml_map(node, "rolling"), &contact->motion);
    if (yaml_map(node, "scraping")) read_scraping(reader, yaml_map(node, "scraping"), &contact->motion);
    if (yaml_map(node, "bouncing")) read_bouncing(yaml_map(node, "bouncing"), &contact->motion);
    if (yaml_map(node, "pointer")) read_pointer(reader, yaml_map(node, "pointer"), contact);
    if (yaml_ok(reader->doc)) check_interaction(reader, node, contact);
}

// ---- forces and strikes ----

static void read_forces(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "forces");
    twScene* scene = reader->scene;
    scene->forces = read_alloc(reader, list ? (size_t)list->count : 0, sizeof(twSceneForce));
    YAML_EACH(node, list)
    {
        if (reader->no_memory || !yaml_as_map(node)) return;
        yaml_keys(node, "on", "value");
        twSceneForce* force = &scene->forces[scene->force_count++];
        const char* on = yaml_need_text(node, "on");
        if (!yaml_ok(reader->doc)) return;
        read_reference(reader, yaml_get(node, "on"), on, false, &force->object, &force->point);
        if (!yaml_has(node, "value")) yaml_fail(node, "a force needs a 'value' in N: a number or a signal");
        force->value = read_signal(reader, node, "value", yaml_any("N"), 0);
    }
}

// number of hits a strike entry stands for
static int strike_hits(const Reader* reader, const twNode* node)
{
    double every = yaml_number(node, "every", yaml_positive("s"), 0),
           start = yaml_number(node, "time", yaml_not_negative("s"), 0);
    if (every <= 0) return 1;
    double hits = floor((reader->scene->duration - start) / every) + 1;
    if (hits > 100000) yaml_fail(yaml_get(node, "every"), "that makes %.0f strikes; 100000 are the most", hits);
    return hits >= 1 && hits <= 100000 ? (int)hits : 1;
}

// strikes need a rigid object that is the exciter of an impact
static void check_strike(Reader* reader, const twNode* node, int object)
{
    const twScene* scene = reader->scene;
    if (!scene->objects[object].rigid) yaml_fail(node, "only a rigid object (with 'mass') can strike");
    for (int i = 0; i < scene->contact_count; i++)
        if (scene->contacts[i].def.a == object && scene->contacts[i].def.has_impact) return;
    yaml_fail(node, "'%s' strikes nothing: no interaction with 'impact' names it first in 'between'",
              scene->objects[object].name);
}

static int compare_strikes(const void* a, const void* b)
{
    double ta = ((const twSceneStrike*)a)->time, tb = ((const twSceneStrike*)b)->time;
    return (ta > tb) - (ta < tb);
}

static void read_strikes(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "strikes");
    twScene* scene = reader->scene;
    int total = 0;
    YAML_EACH(node, list)
    {
        if (!yaml_as_map(node)) return;
        total += strike_hits(reader, node);
    }
    scene->strikes = read_alloc(reader, (size_t)total, sizeof(twSceneStrike));
    YAML_EACH(node, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        yaml_keys(node, "with", "velocity", "time", "every");
        int object, point, hits = strike_hits(reader, node);
        const char* with = yaml_need_text(node, "with");
        double velocity = yaml_number(node, "velocity", yaml_between(-1e4, 1e4, "m/s"), 1),
               every = yaml_number(node, "every", yaml_positive("s"), 0);
        double time = yaml_number(node, "time", yaml_not_negative("s"), 0);
        if (!yaml_ok(reader->doc) || !read_reference(reader, yaml_get(node, "with"), with, false, &object, &point))
            return;
        check_strike(reader, yaml_get(node, "with"), object);
        for (int i = 0; i < hits; i++)
            scene->strikes[scene->strike_count++] = (twSceneStrike){object, time + i * every, velocity};
    }
    if (scene->strike_count) qsort(scene->strikes, (size_t)scene->strike_count, sizeof(twSceneStrike), compare_strikes);
}

void read_contacts(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "interactions");
    twScene* scene = reader->scene;
    scene->contacts = read_alloc(reader, list ? (size_t)list->count : 0, sizeof(twSceneContact));
    YAML_EACH(node, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        read_contact(reader, node, &scene->contacts[scene->contact_count++]);
    }
    if (yaml_ok(reader->doc)) read_forces(reader, root);
    if (yaml_ok(reader->doc)) read_strikes(reader, root);
}
