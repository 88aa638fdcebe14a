// SPDX-License-Identifier: MIT
// What bodies of a scene hang on, how they touch, what pushes them, and how all that is computed.

#include "bodies.h"
#include "reader.h"
#include <math.h>
#include <string.h>

#define MAX_TAPS 10000
#define TAP_SECONDS 1e-3

// ---- joints ----

// two names; the second may be the world, and the first too if the second is not
static void read_pair(Reader* reader, const twNode* item, int body[2])
{
    const twNode* list = yaml_need_list(item, "between");
    if (!list) return;
    if (list->count != 2)
    {
        yaml_fail(list, "'between' takes two names, like [door, frame] or [door, world]");
        return;
    }
    YAML_EACH(node, list)
    {
        const char* name = yaml_as_text(node);
        if (!yaml_ok(reader->doc)) return;
        body[node->index] = strcmp(name, "world") == 0 ? TW_NOWHERE : read_body_name(reader, node, name);
    }
    if (yaml_ok(reader->doc) && body[0] == body[1]) yaml_fail(list, "a joint is between two different bodies");
}

static bool can_move(const twScene* scene, int body)
{
    return body != TW_NOWHERE && scene->bodies[body].kind == TW_BODY_FREE;
}

static void check_joint(Reader* reader, const twNode* item, const twJointDef* def)
{
    const bool spring = def->kind == TW_JOINT_SPRING;
    const bool turns = def->kind == TW_JOINT_HINGE || def->kind == TW_JOINT_SLIDER;
    static const char* const of_springs[] = {"to", "damping", "length"};
    for (int i = 0; i < 3 && !spring; i++)
        if (yaml_has(item, of_springs[i]))
            yaml_fail_key(yaml_get(item, of_springs[i]), "only 'kind: spring' has '%s'", of_springs[i]);
    if (!turns && (yaml_has(item, "axis") || yaml_has(item, "motor")))
        yaml_fail(item, "only 'kind: hinge' and 'kind: slider' have an 'axis' and a 'motor'");
    if (turns && !yaml_has(item, "axis"))
        yaml_fail(item, "a hinge or slider needs an 'axis': [x, y, z] in the world at the start");
    if (!yaml_has(item, "at")) yaml_fail(item, "a joint needs a place, 'at': [x, y, z] in the world at the start");
    if (spring && !yaml_has(item, "to")) yaml_fail(item, "a spring needs its other end, 'to': [x, y, z]");
    if (spring && !yaml_has(item, "stiffness")) yaml_fail(item, "a spring needs a 'stiffness' in N/m");
    if (yaml_ok(reader->doc) && !can_move(reader->scene, def->body[0]) && !can_move(reader->scene, def->body[1]))
        yaml_fail(yaml_get(item, "between"), "neither of them is free to move, so the joint does nothing");
}

static void read_motor(const twNode* item, twJointDef* def)
{
    const twNode* motor = yaml_map(item, "motor");
    if (!motor) return;
    const bool slider = def->kind == TW_JOINT_SLIDER;
    yaml_keys(motor, "speed", "force");
    def->motor = true;
    def->speed = yaml_need_number(motor, "speed", yaml_between(-1e6, 1e6, slider ? "m/s" : "rad/s"));
    def->max_force = yaml_need_number(motor, "force", yaml_positive(slider ? "N" : "N m"));
}

static void read_joint(Reader* reader, const twNode* item, twSceneJoint* joint)
{
    static const char* const kinds[] = {"ball", "hinge", "slider", "fixed", "spring", NULL};
    if (!yaml_as_map(item)) return;
    yaml_keys(item, "name", "kind", "between", "at", "to", "axis", "stiffness", "damping", "length", "motor");
    twJointDef* def = &joint->def;
    *def = tw_joint_def();
    joint->where = read_where(reader, item);
    def->kind = (twJointKind)yaml_need_choice(item, "kind", kinds);
    def->name = read_copy(reader, yaml_text(item, "name", kinds[def->kind]));
    read_pair(reader, item, def->body);
    def->at = read_vec3(item, "at", "m", tw_vec3(0, 0, 0));
    def->to = read_vec3(item, "to", "m", def->at);
    if (yaml_has(item, "axis")) def->axis = read_direction(item, "axis", tw_vec3(0, 0, 1));
    def->stiffness = yaml_number(item, "stiffness", yaml_positive("N/m"), def->stiffness);
    def->damping = yaml_number(item, "damping", yaml_not_negative("N s/m"), def->damping);
    def->rest_length = yaml_number(item, "length", yaml_not_negative("m"), -1);
    read_motor(item, def);
    if (yaml_ok(reader->doc)) check_joint(reader, item, def);
}

static void read_joints(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "joints");
    twScene* scene = reader->scene;
    scene->joints = read_alloc(reader, list ? (size_t)list->count : 0, sizeof *scene->joints);
    YAML_EACH(item, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        read_joint(reader, item, &scene->joints[scene->joint_count++]);
    }
}

// ---- touches ----

// a material that something is made of
static const char* read_touching(Reader* reader, const twNode* node)
{
    const twScene* scene = reader->scene;
    const char* name = yaml_as_text(node);
    if (!yaml_ok(reader->doc)) return "";
    for (int i = 0; i < scene->surface_count; i++)
        if (strcmp(scene->surfaces[i].material, name) == 0) return scene->surfaces[i].material;
    yaml_fail(node, "nothing is made of '%.60s'; 'between' names materials of bodies, rods or the ground", name);
    return "";
}

static double read_or_nan(const twNode* item, const char* key, twRange range)
{
    return yaml_number(item, key, range, NAN);
}

// keys that have moved, and where to
static void read_moved_touch_keys(const twNode* item)
{
    static const struct
    {
        const char *old, *now;
    } moved[] = {{"stiffness", "impact: {stiffness"},
                 {"exponent", "impact: {exponent"},
                 {"dissipation", "impact: {dissipation"},
                 {"restitution", "impact: {restitution"},
                 {"static", "friction: {static"},
                 {"dynamic", "friction: {dynamic"},
                 {"bristle_stiffness", "friction: {stiffness"}};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
        if (yaml_has(item, moved[i].old))
            yaml_fail_key(yaml_get(item, moved[i].old), "'%s' is said as '%s: ...}' now", moved[i].old, moved[i].now);
    if (yaml_has(item, "bristle_damping"))
        yaml_fail_key(yaml_get(item, "bristle_damping"),
                      "'bristle_damping' is said as 'friction: {damping: ...}' now, in N s/m");
}

static void read_touch_impact(const twNode* map, twSceneTouch* touch)
{
    touch->impact = (twImpactLaw){NAN, NAN, NAN};
    touch->restitution = NAN;
    if (!map) return;
    yaml_keys(map, "stiffness", "exponent", "dissipation", "restitution");
    touch->impact.stiffness = read_or_nan(map, "stiffness", yaml_between(1e-6, 1e30, "N/m^a"));
    touch->impact.exponent = read_or_nan(map, "exponent", yaml_between(1, 10, NULL));
    touch->impact.dissipation = read_or_nan(map, "dissipation", yaml_between(0, 1e6, "s/m"));
    touch->restitution = read_or_nan(map, "restitution", yaml_between(0, 1, NULL));
    if (yaml_has(map, "dissipation") && yaml_has(map, "restitution"))
        yaml_fail(map, "'dissipation' and 'restitution' say the same thing; keep one");
    if (yaml_has(map, "exponent") && !yaml_has(map, "stiffness"))
        yaml_fail_key(yaml_get(map, "exponent"), "the unit of stiffness depends on 'exponent': give 'stiffness' too");
}

static void read_touch_friction(const twNode* map, twSceneTouch* touch)
{
    touch->friction = (twFrictionLaw){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};
    if (!map) return;
    yaml_keys(map, "stiffness", "damping", "viscosity", "static", "dynamic", "stribeck", "breakaway");
    read_friction_law(map, 0, &touch->friction);
    if (touch->friction.dynamic_friction > touch->friction.static_friction)
        yaml_fail(yaml_get(map, "dynamic"), "'dynamic' must not exceed 'static'");
}

static void read_touch(Reader* reader, const twNode* item, twSceneTouch* touch)
{
    if (!yaml_as_map(item)) return;
    read_moved_touch_keys(item);
    yaml_keys(item, "between", "impact", "friction", "loss_factor", "rolling");
    const twNode* list = yaml_need_list(item, "between");
    if (list && list->count != 2) yaml_fail(list, "'between' takes two materials, like [steel, wood]");
    if (!yaml_ok(reader->doc)) return;
    touch->where = read_where(reader, item);
    touch->material[0] = read_touching(reader, list->first);
    touch->material[1] = read_touching(reader, list->last);
    read_touch_impact(yaml_map(item, "impact"), touch);
    read_touch_friction(yaml_map(item, "friction"), touch);
    touch->loss_factor = read_or_nan(item, "loss_factor", yaml_between(0, 0.9, NULL));
    touch->rolling = read_or_nan(item, "rolling", yaml_between(0, 1e3, "m"));
}

static void read_touches(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "touch");
    twScene* scene = reader->scene;
    scene->touches = read_alloc(reader, list ? (size_t)list->count : 0, sizeof *scene->touches);
    YAML_EACH(item, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        read_touch(reader, item, &scene->touches[scene->touch_count++]);
    }
}

// ---- pushes ----

static int count_taps(const Reader* reader, const twNode* item)
{
    const double every = yaml_number(item, "every", yaml_positive("s"), 0),
                 start = yaml_number(item, "time", yaml_not_negative("s"), 0);
    if (every <= 0) return 1;
    const double taps = floor((reader->scene->duration - start) / every) + 1;
    if (taps > MAX_TAPS) yaml_fail(yaml_get(item, "every"), "that makes %.0f taps; %d are the most", taps, MAX_TAPS);
    return taps >= 1 && taps <= MAX_TAPS ? (int)taps : 1;
}

static void read_push_place(Reader* reader, const twNode* item, twScenePush* push)
{
    const twNode* at = yaml_get(item, "at");
    const char* on = yaml_need_text(item, "on");
    if (!yaml_ok(reader->doc)) return;
    push->where = read_where(reader, item);
    push->body = read_body_name(reader, yaml_get(item, "on"), on);
    push->centre = !at || (at->kind == TW_NODE_SCALAR && strcmp(at->text, "centre") == 0);
    if (!push->centre && at->kind != TW_NODE_LIST)
        yaml_fail(at, "'at' must be a place on the body, [x, y, z], or 'centre'");
    if (!push->centre) push->at = read_vec3(item, "at", "m", tw_vec3(0, 0, 0));
    if (yaml_ok(reader->doc) && push->centre && reader->scene->bodies[push->body].kind != TW_BODY_FREE)
        yaml_fail(yaml_get(item, "on"), "'%s' does not move as a whole, so a push at its centre does nothing", on);
}

// half a sine of that impulse: its peak is pi/2 times the mean
static void read_tap(const twNode* item, twScenePush* push)
{
    if (yaml_has(item, "value"))
        yaml_fail_key(yaml_get(item, "value"), "'value' is of a 'force'; an 'impulse' is a tap at 'time'");
    const twVec3 impulse = read_vec3(item, "impulse", "N s", tw_vec3(0, 0, 0));
    const double seconds = yaml_number(item, "duration", yaml_positive("s"), TAP_SECONDS);
    push->tap = true;
    push->force = tw_vec3_scale(impulse, 0.5 * TW_PI / seconds);
    push->begin = yaml_number(item, "time", yaml_not_negative("s"), 0);
    push->end = push->begin + seconds;
}

static void read_force(Reader* reader, const twNode* item, twScenePush* push)
{
    static const char* const of_taps[] = {"time", "duration", "every"};
    for (int i = 0; i < 3; i++)
        if (yaml_has(item, of_taps[i]))
            yaml_fail_key(yaml_get(item, of_taps[i]),
                          "'%s' is of a tap, which has an 'impulse'; let 'value' change in time", of_taps[i]);
    push->force = read_vec3(item, "force", "N", tw_vec3(0, 0, 0));
    push->value = read_signal(reader, item, "value", yaml_any(NULL), 1);
    if (push->value.kind == TW_SIGNAL_NOISE)
        yaml_fail(yaml_get(item, "value"), "noise has no value between its samples, where steps need one; use a 'wav'");
    push->end = reader->scene->duration;
}

static void read_push(Reader* reader, const twNode* item, twScenePush* push)
{
    yaml_keys(item, "on", "at", "force", "value", "impulse", "time", "duration", "every");
    if (yaml_has(item, "force") == yaml_has(item, "impulse"))
        yaml_fail(item, "a push has either a 'force' [x, y, z] in N, or an 'impulse' [x, y, z] in N s");
    read_push_place(reader, item, push);
    if (!yaml_ok(reader->doc)) return;
    if (yaml_has(item, "impulse"))
        read_tap(item, push);
    else
        read_force(reader, item, push);
}

static void read_pushes(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "pushes");
    twScene* scene = reader->scene;
    size_t total = 0;
    YAML_EACH(item, list)
    {
        if (!yaml_as_map(item)) return;
        total += (size_t)count_taps(reader, item);
    }
    scene->pushes = read_alloc(reader, total, sizeof *scene->pushes);
    YAML_EACH(item, list)
    {
        twScenePush push = {0};
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        read_push(reader, item, &push);
        const double every = yaml_number(item, "every", yaml_positive("s"), 0);
        for (int i = count_taps(reader, item); i > 0; i--, push.begin += every, push.end += every)
            scene->pushes[scene->push_count++] = push;
    }
}

// ---- ground and settings ----

static double read_board(Reader* reader, const twNode* map)
{
    const twNode* given = yaml_get(map, "thickness");
    const twMaterial* material = read_material(reader, map);
    const bool silent = yaml_bool(map, "silent", false);
    if (!material || !yaml_ok(reader->doc)) return 0;
    if (silent && given) yaml_fail_key(given, "a ground that is 'silent' has no 'thickness'; leave one of them out");
    const double thickness = yaml_number(map, "thickness", yaml_positive("m"), body_board_thickness(material->name));
    return silent ? 0 : material->density * thickness;
}

static void read_floor(Reader* reader, const twNode* root)
{
    const twNode* map = yaml_map(root, "ground");
    twSceneGround* ground = &reader->scene->ground;
    if (!map) return;
    yaml_keys(map, "point", "normal", "material", "thickness", "silent", "friction", "restitution", "absorption");
    ground->given = true;
    ground->point = read_vec3(map, "point", "m", tw_vec3(0, 0, 0));
    ground->normal = read_direction(map, "normal", tw_vec3(0, 0, 1));
    ground->surface = read_surface(reader, map);
    ground->mass_per_area = read_board(reader, map);
}

static void read_adaptive(const twNode* map, twWorldDef* def)
{
    const twNode* node = yaml_get(map, "adaptive");
    if (!node) return;
    if (node->kind != TW_NODE_MAP)
    {
        def->no_mode_adaptation = def->no_private_clocks = def->no_friction_culling = !yaml_as_bool(node);
        return;
    }
    yaml_keys(node, "modes", "clocks", "friction");
    def->no_mode_adaptation = !yaml_bool(node, "modes", true);
    def->no_private_clocks = !yaml_bool(node, "clocks", true);
    def->no_friction_culling = !yaml_bool(node, "friction", true);
}

static void read_comparison(const twNode* map, twWorldDef* def)
{
    static const char* const keys[] = {"warm_start", "contact_reduction", "redistribution", "only_approaching"};
    for (int i = 0; i < 4; i++)
        if (yaml_has(map, keys[i]) && def->method != TW_CONTACT_STAGGERED)
            yaml_fail_key(yaml_get(map, keys[i]), "'%s' is of 'method: staggered'", keys[i]);
    def->no_warm_start = !yaml_bool(map, "warm_start", true);
    def->no_contact_reduction = !yaml_bool(map, "contact_reduction", true);
    def->no_redistribution = !yaml_bool(map, "redistribution", true);
    def->only_approaching = yaml_bool(map, "only_approaching", false);
}

static void read_settings(const twNode* root, twWorldDef* def)
{
    static const char* const methods[] = {"compliant", "hard", "staggered", NULL};
    const twNode* map = yaml_map(root, "world");
    if (!map) return;
    yaml_keys(map, "method", "tolerance", "max_step", "steps_per_cycle", "steps_per_impact", "adaptive", "wake_force",
              "sleep_energy", "cull_speed", "cull_impulse", "warm_start", "contact_reduction", "redistribution",
              "only_approaching", "settle", "seed", "threads");
    def->method = (twContactMethod)yaml_choice(map, "method", methods, (int)def->method);
    def->tolerance = yaml_number(map, "tolerance", yaml_between(0, 0.1, NULL), def->tolerance);
    def->max_step = yaml_number(map, "max_step", yaml_between(1e-7, 0.01, "s"), def->max_step);
    def->steps_per_cycle = yaml_number(map, "steps_per_cycle", yaml_between(2.5, 1000, NULL), def->steps_per_cycle);
    def->steps_per_impact = yaml_number(map, "steps_per_impact", yaml_between(0, 1000, NULL), def->steps_per_impact);
    def->wake_force = yaml_number(map, "wake_force", yaml_not_negative("N kg^-1/2"), def->wake_force);
    def->sleep_energy = yaml_number(map, "sleep_energy", yaml_not_negative("J"), def->sleep_energy);
    def->cull_speed = yaml_number(map, "cull_speed", yaml_not_negative("m/s"), def->cull_speed);
    def->cull_impulse = yaml_number(map, "cull_impulse", yaml_not_negative("N s"), def->cull_impulse);
    def->settle = yaml_bool(map, "settle", def->settle);
    def->seed = (uint64_t)yaml_integer(map, "seed", 0, INT64_MAX, (int64_t)def->seed);
    def->threads = (int)yaml_integer(map, "threads", 0, 256, def->threads);
    read_adaptive(map, def);
    read_comparison(map, def);
}

void read_world(Reader* reader, const twNode* root)
{
    twScene* scene = reader->scene;
    static const char* const for_bodies[] = {"joints", "touch", "pushes", "world", "sound", "grabs", "throws"};
    for (int i = 0; i < 7 && !tw_scene_has_world(scene); i++)
        if (yaml_has(root, for_bodies[i]))
            yaml_fail_key(yaml_get(root, for_bodies[i]), "'%s' is for bodies, and there are none%s", for_bodies[i],
                          scene->rod_count > 0 ? "; rods that touch need 'collide: true'" : "");
    if (!tw_scene_has_world(scene)) return;
    scene->world = tw_world_def();
    scene->world.settle = true;
    scene->world.gravity = read_vec3(root, "gravity", "m/s^2", tw_vec3(0, 0, -READ_GRAVITY));
    scene->world.rod_rate_hz = scene->rate_hz * scene->oversample;
    read_floor(reader, root);
    if (yaml_ok(reader->doc)) read_settings(root, &scene->world);
    if (yaml_ok(reader->doc) && scene->rods_touch && scene->world.method != TW_CONTACT_COMPLIANT)
        yaml_fail(yaml_get(yaml_get(root, "world"), "method"),
                  "rods touch by the contact law only: with 'rods' the method is 'compliant'; leave it out");
    if (yaml_ok(reader->doc) && !reader->no_memory) read_joints(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_touches(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_pushes(reader, root);
}

// ---- pickups ----

void read_body_pickup(Reader* reader, const twNode* node, twSceneListener* listener)
{
    if (node->count > 1) yaml_fail(node, "a 'pickup' hears no sound: it has nothing beside it");
    const twNode* map = yaml_need_map(node, "pickup");
    if (!map || !yaml_ok(reader->doc)) return;
    yaml_keys(map, "body", "at", "direction");
    const char* name = yaml_need_text(map, "body");
    if (!yaml_ok(reader->doc)) return;
    listener->pickup_body = read_body_name(reader, yaml_get(map, "body"), name);
    listener->pickup_at = read_vec3(map, "at", "m", tw_vec3(0, 0, 0));
    if (!yaml_has(map, "at"))
        yaml_fail(map, "a pickup needs 'at', a place on the body in its own axes: [x, y, z] in m");
    listener->pickup_direction = read_direction(map, "direction", tw_vec3(0, 0, 1));
}
