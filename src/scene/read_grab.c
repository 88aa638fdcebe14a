// SPDX-License-Identifier: MIT
// What is grabbed, dragged, pinned and thrown, and when.

#include "reader.h"
#include <math.h>
#include <string.h>

#define MOST_THROWN 1e6  // [m/s], [rad/s]

// ---- what is no more ----

typedef struct GrabGone
{
    const char *key, *instead;
} GrabGone;

void read_no_stage(const twNode* root)
{
    static const GrabGone gone[] = {
        {"step", "write 'world: {max_step: ...}' for the longest step; bodies take shorter ones where they need them"},
        {"contact", "contacts have the law of 'touch'; a body that touches nothing says 'ghost: true'"},
        {"cluster", "all contacts are solved; leave it out"},
        {"max_contacts", "all contacts are solved; leave it out"},
        {"softness", "grabs that contradict each other are in balance; leave it out, or give them a 'max_force'"},
        {"settle", "write 'world: {settle: ...}'"},
        {"largest_force", "write 'max_freq' under 'flexible' of a body: modes above it do not act on the motion"},
        {"smallest_motion", "write 'max_freq' under 'flexible' of a body: modes above it do not act on the motion"}};
    const twNode* stage = yaml_get(root, "stage");
    if (!stage) return;
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (stage->kind == TW_NODE_MAP && yaml_has(stage, gone[i].key))
            yaml_fail_key(yaml_get(stage, gone[i].key), "there is no 'stage' any more: %s", gone[i].instead);
    yaml_fail_key(stage, "there is no 'stage' any more, and nothing is needed for it: leave it out. 'grabs', 'throws', "
                         "'warp', 'surface' and 'ghost' are of all scenes with bodies; those that say nothing of "
                         "'flexible' are what 'default_flexible' says");
}

// ---- places ----

// the body or rod that a map is on, and its place there
static twScenePlace read_on(Reader* reader, const twNode* map)
{
    twScenePlace out = {.body = TW_NOWHERE, .rod = TW_NOWHERE};
    const twScene* scene = reader->scene;
    const char* name = yaml_need_text(map, "on");
    if (!yaml_ok(reader->doc)) return out;
    for (int i = 0; i < scene->rod_count && out.rod < 0; i++)
        if (strcmp(scene->rods[i].name, name) == 0) out.rod = i;
    for (int i = 0; i < scene->body_count && out.rod >= 0; i++)
        if (strcmp(scene->bodies[i].name, name) == 0) out.rod = TW_NOWHERE;
    if (out.rod < 0) out.body = read_body_name(reader, yaml_get(map, "on"), name);
    return out;
}

static twScenePlace read_place(Reader* reader, const twNode* map)
{
    twScenePlace out = read_on(reader, map);
    if (!yaml_ok(reader->doc)) return out;
    if (out.rod >= 0)
        out.node = read_rod_point(map, "at", &reader->scene->rods[out.rod].def);
    else if (!yaml_has(map, "at"))
        yaml_fail(map, "say where: 'at': [x, y, z], near the surface of the body in its own coordinates");
    else
        out.at = read_vec3(map, "at", "m", tw_vec3(0, 0, 0));
    return out;
}

// a list of places on one body
static void read_many(Reader* reader, const twNode* at, twScenePlace* places)
{
    YAML_EACH(place, at)
    {
        int three;
        const double* v = yaml_as_numbers(place, yaml_any("m"), 3, 3, &three);
        if (!yaml_ok(reader->doc)) return;
        places[place->index] = places[0];
        places[place->index].at = tw_vec3(v[0], v[1], v[2]);
    }
}

// one place, or a list of them
static void read_places(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    const twNode* at = yaml_get(item, "at");
    twScenePlace on = read_on(reader, item);
    if (!yaml_ok(reader->doc)) return;
    const bool many = on.rod < 0 && at && at->kind == TW_NODE_LIST && at->first && at->first->kind == TW_NODE_LIST;
    if (on.rod < 0 && !(at && at->kind == TW_NODE_LIST))
        yaml_fail(at ? at : item,
                  "say where: 'at': [x, y, z], near the surface of the body in its own coordinates, or a list of them");
    if (many && at->count > TW_MAX_GRAB_PLACES)
        yaml_fail(at, "%d places are more than a grab has, %d", at->count, TW_MAX_GRAB_PLACES);
    if (!yaml_ok(reader->doc)) return;
    grab->place_count = many ? at->count : 1;
    twScenePlace* places = read_alloc(reader, (size_t)grab->place_count, sizeof *places);
    grab->places = places;
    if (!places) return;
    places[0] = many ? on : read_place(reader, item);
    if (many) read_many(reader, at, places);
}

static void read_along(Reader* reader, const twNode* item, bool along[3])
{
    static const char* const axes[] = {"x", "y", "z", NULL};
    const twNode* list = yaml_list(item, "along");
    for (int k = 0; k < 3; k++) along[k] = !list;
    YAML_EACH(axis, list)
    {
        const int k = yaml_as_choice(axis, axes);
        if (yaml_ok(reader->doc)) along[k] = true;
    }
    if (list && list->count == 0)
        yaml_fail(list, "'along' is empty; write the directions that are held, such as [x, y]");
}

// where the forces of a servo act
static void read_pushed(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    const twNode* list = yaml_list(item, "push");
    if (!list) return;
    if (list->count < 1 || list->count > TW_MAX_GRAB_PUSHES)
        yaml_fail(list, "'push' has 1 to %d places where the forces act, like {on: a, at: [0, 0, 0]}; this has %d",
                  TW_MAX_GRAB_PUSHES, list->count);
    YAML_EACH(place, list)
    {
        if (!yaml_ok(reader->doc) || !yaml_as_map(place)) return;
        yaml_keys(place, "on", "at");
        const twScenePlace at = grab->pushes[grab->push_count++] = read_place(reader, place);
        if (yaml_ok(reader->doc) && (at.body < 0 || at.body != grab->places[0].body))
            yaml_fail(yaml_get(place, "on"), "forces of a grab act on the body that it holds, '%s'", grab->on);
    }
    if (yaml_ok(reader->doc) && !(yaml_has(item, "max_force") && grab->kind == TW_GRAB_POSITION))
        yaml_fail_key(list, "what is held in one place and pushed in others is a servo: it is of 'kind: position', and "
                            "needs a 'max_force' [N]");
}

// ---- aims ----

static bool jumps(const twSignal* signal)
{
    return signal->kind == TW_SIGNAL_NOISE ||
           (signal->kind == TW_SIGNAL_KEYFRAMES && signal->interpolation == TW_STEP && signal->count > 1);
}

static void check_smooth(const twNode* map, const twSignal along[3])
{
    for (int k = 0; k < 3; k++)
        if (jumps(&along[k])) yaml_fail(map, "steps and noise jump: nothing can be dragged like that");
}

// keyframes of three values: [time, x, y, z]
static void read_rows(Reader* reader, const twNode* map, twSignal out[3])
{
    static const char* const interpolations[] = {"linear", "smooth", "step", NULL};
    const twNode* list = yaml_need_list(map, "keyframes");
    const twInterpolation way = (twInterpolation)yaml_choice(map, "interpolate", interpolations, TW_SMOOTH);
    const int count = read_keyframe_count(list);
    double* numbers = read_alloc(reader, 4 * (size_t)count, sizeof *numbers);
    if (list && list->count == 0)
        yaml_fail(list, "'keyframes' is empty; write rows like [0.5, 0, 0, 0.1]: time, x, y, z");
    if (!numbers || !yaml_ok(reader->doc)) return;
    YAML_EACH(row, list)
    {
        int four;
        const double* v = yaml_as_numbers(row, yaml_any(NULL), 4, 4, &four);
        const int i = row->index;
        if (!yaml_ok(reader->doc)) return;
        for (int k = 0; k < 4; k++) numbers[k * count + i] = v[k];
        if (v[0] < 0) yaml_fail(row->first, "a keyframe's time must not be negative");
        if (i > 0 && !(v[0] > numbers[i - 1]))
            yaml_fail(row->first, "keyframe times must rise; this one is not after %g s", numbers[i - 1]);
    }
    for (int k = 0; k < 3; k++)
        out[k] = (twSignal){.kind = TW_SIGNAL_KEYFRAMES,
                            .interpolation = way,
                            .count = count,
                            .times = numbers,
                            .values = numbers + (k + 1) * count};
}

static const char* const axis_names[] = {"x", "y", "z"};

static void read_axes(Reader* reader, const twNode* map, const char* unit, twSceneGrab* grab)
{
    yaml_keys(map, "x", "y", "z", "keyframes", "interpolate", "on", "at");
    for (int k = 0; k < 3; k++)
    {
        grab->to[k] = read_signal(reader, map, axis_names[k], yaml_any(unit), 0);
        if (grab->kind == TW_GRAB_POSITION && grab->along[k] && !yaml_has(map, axis_names[k]))
            yaml_fail(map, "a place needs 'x', 'y' and 'z' [m], but for directions that 'along' leaves free; a "
                           "displacement is a 'move'");
    }
}

static void read_to(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    static const char* const units[] = {"m", "m/s", "m/s^2", "N"};
    const twNode* to = yaml_get(item, "to");
    const bool map = to->kind == TW_NODE_MAP;
    grab->aim = TW_AIM_GIVEN;
    if (map && (yaml_has(to, "on") || yaml_has(to, "at")))
    {
        yaml_keys(to, "on", "at");
        grab->aim = TW_AIM_BODY;
        grab->other = read_place(reader, to);
        const twScenePlace* own = grab->places;
        if (yaml_ok(reader->doc) && grab->other.body == own->body && grab->other.rod == own->rod)
            yaml_fail(to, "a body cannot be joined to itself; name another one");
    }
    else if (map && yaml_has(to, "keyframes"))
    {
        yaml_keys(to, "keyframes", "interpolate");
        read_rows(reader, to, grab->to);
    }
    else if (map)
        read_axes(reader, to, units[grab->kind], grab);
    else
    {
        const twVec3 v = read_vec3(item, "to", units[grab->kind], tw_vec3(0, 0, 0));
        grab->to[0] = tw_signal_constant(v.x);
        grab->to[1] = tw_signal_constant(v.y);
        grab->to[2] = tw_signal_constant(v.z);
    }
    if (grab->kind == TW_GRAB_POSITION && grab->aim == TW_AIM_GIVEN && grab->place_count > 1)
        yaml_fail(to, "%d places cannot be at one; drag them by 'move', or hold one of them", grab->place_count);
}

// displacement and turn, as of bodies that are moved
static void read_move(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    const twNode* map = yaml_map(item, "move");
    if (!map) return;
    grab->aim = TW_AIM_MOVE;
    if (grab->kind != TW_GRAB_POSITION) yaml_fail_key(map, "'move' is of 'kind: position'; others have 'to'");
    yaml_keys(map, "x", "y", "z", "angle", "axis", "about", "keyframes", "interpolate");
    const bool rows = yaml_has(map, "keyframes");
    twSceneDrive* drive = read_alloc(reader, 1, sizeof *drive);
    if (!drive || !yaml_ok(reader->doc)) return;
    if (rows && (yaml_has(map, "x") || yaml_has(map, "y") || yaml_has(map, "z")))
        yaml_fail(map, "'keyframes' have x, y and z already; keep one of both");
    for (int k = 0; k < 3; k++) drive->along[k] = read_signal(reader, map, axis_names[k], yaml_any("m"), 0);
    if (rows) read_rows(reader, map, drive->along);
    drive->angle = read_signal(reader, map, "angle", yaml_any("degrees"), 0);
    if (jumps(&drive->angle))
        yaml_fail(yaml_get(map, "angle"), "steps and noise jump: nothing can be turned like that");
    drive->axis = read_direction(map, "axis", tw_vec3(0, 0, 1));
    drive->about = read_vec3(map, "about", "m", tw_vec3(0, 0, 0));
    if (!yaml_has(map, "angle") && (yaml_has(map, "axis") || yaml_has(map, "about")))
        yaml_fail(map, "'axis' and 'about' say what it turns about; add 'angle' in degrees");
    grab->about_here = !yaml_has(map, "about");
    grab->move = drive;
}

static void read_aim(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    if (yaml_has(item, "to") && yaml_has(item, "move"))
        yaml_fail(item, "a grab goes 'to' a place, or by a 'move' from where it is; keep one of both");
    if (!yaml_ok(reader->doc)) return;
    if (yaml_has(item, "to")) read_to(reader, item, grab);
    read_move(reader, item, grab);
    if (!yaml_ok(reader->doc)) return;
    if (grab->aim == TW_AIM_HERE && (grab->kind == TW_GRAB_ACCELERATION || grab->kind == TW_GRAB_FORCE))
        yaml_fail(item, "a grab by %s needs one, 'to': [x, y, z]",
                  grab->kind == TW_GRAB_FORCE ? "force [N]" : "acceleration [m/s^2]");
    if (grab->kind == TW_GRAB_POSITION && grab->aim == TW_AIM_GIVEN) check_smooth(yaml_get(item, "to"), grab->to);
    if (grab->aim == TW_AIM_MOVE) check_smooth(yaml_get(item, "move"), grab->move->along);
    for (int k = 0; k < 3 && grab->aim == TW_AIM_GIVEN; k++)
        if (grab->to[k].kind == TW_SIGNAL_NOISE) yaml_fail(yaml_get(item, "to"), "noise is no aim; use a 'wav'");
}

// ---- grabs ----

// whether it can be moved at all, as far as that is known yet
static void check_held(Reader* reader, const twNode* item, const twSceneGrab* grab)
{
    const twScene* scene = reader->scene;
    const twScenePlace* place = grab->places;
    const twSceneBody* body = place->body < 0 ? NULL : &scene->bodies[place->body];
    if (body && body->kind != TW_BODY_FREE && !scene->shapes[body->shape].flexible)
        yaml_fail(yaml_get(item, "on"), "'%s' is %s and rigid, so there is nothing to be held", body->name,
                  body->kind == TW_BODY_FIXED ? "fixed" : "moved");
}

static void check_limits(const twNode* item, const twSceneGrab* grab)
{
    if (!(grab->end > grab->begin))
        yaml_fail(yaml_get(item, "until"), "'until' must be later than 'from', %g s", grab->begin);
    if (grab->kind == TW_GRAB_FORCE && grab->max_force > 0)
        yaml_fail_key(yaml_get(item, "max_force"), "the force is given by 'to'");
    if (grab->exact && !(grab->kind == TW_GRAB_POSITION && grab->max_force > 0))
        yaml_fail_key(yaml_get(item, "exact"),
                      "'exact' is of 'kind: position', and needs a 'max_force' [N]: what is out "
                      "of reach would be pulled at ever harder");
    if (grab->exact && grab->push_count > 0)
        yaml_fail_key(yaml_get(item, "exact"), "'exact' is not of a grab with 'push'");
}

static void read_grab(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    static const char* const kinds[] = {"position", "velocity", "acceleration", "force", NULL};
    yaml_keys(item, "name", "on", "at", "kind", "to", "move", "along", "push", "from", "until", "ease", "max_force",
              "exact");
    const double duration = reader->scene->duration;
    grab->where = read_where(reader, item);
    grab->name = read_copy(reader, yaml_text(item, "name", ""));
    grab->kind = (twGrabKind)yaml_choice(item, "kind", kinds, TW_GRAB_POSITION);
    read_places(reader, item, grab);
    if (!yaml_ok(reader->doc) || reader->no_memory) return;
    grab->on = read_copy(reader, yaml_text(item, "on", ""));
    read_along(reader, item, grab->along);
    read_aim(reader, item, grab);
    read_pushed(reader, item, grab);
    grab->begin = yaml_number(item, "from", yaml_between(0, duration, "s"), 0);
    grab->end = yaml_number(item, "until", yaml_not_negative("s"), INFINITY);
    grab->ease = yaml_number(item, "ease", yaml_between(0, 3600, "s"), tw_grab_def().ease);
    grab->max_force = yaml_number(item, "max_force", yaml_positive("N"), 0);
    grab->exact = yaml_bool(item, "exact", false);
    if (yaml_ok(reader->doc)) check_limits(item, grab);
    if (yaml_ok(reader->doc)) check_held(reader, item, grab);
}

// slots of the world
static void check_room(const Reader* reader, const twNode* root)
{
    const twScene* scene = reader->scene;
    int64_t count = 0;
    for (int i = 0; i < scene->grab_count; i++) count += scene->grabs[i].place_count;
    if (count > TW_MAX_GRABS)
        yaml_fail(yaml_get(root, "grabs"), "%ld places are grabbed; %d are the most", (long)count, TW_MAX_GRABS);
}

static void read_grabs(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "grabs");
    twScene* scene = reader->scene;
    scene->grabs = read_alloc(reader, list ? (size_t)list->count : 0, sizeof *scene->grabs);
    YAML_EACH(item, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory || !yaml_as_map(item)) return;
        read_grab(reader, item, &scene->grabs[scene->grab_count++]);
    }
}

// ---- throws ----

static twVec3 read_speed(const twNode* node, const char* key, const char* unit)
{
    int count;
    const double* v = yaml_numbers(node, key, yaml_between(-MOST_THROWN, MOST_THROWN, unit), 3, 3, &count);
    return v && count == 3 ? tw_vec3(v[0], v[1], v[2]) : tw_vec3(0, 0, 0);
}

static void read_throw(Reader* reader, const twNode* item, twSceneThrow* out)
{
    yaml_keys(item, "on", "time", "velocity", "spin");
    out->where = read_where(reader, item);
    const char* name = yaml_need_text(item, "on");
    if (!yaml_ok(reader->doc)) return;
    out->body = read_body_name(reader, yaml_get(item, "on"), name);
    out->time = yaml_number(item, "time", yaml_not_negative("s"), 0);
    out->has_velocity = yaml_has(item, "velocity");
    out->has_spin = yaml_has(item, "spin");
    out->velocity = read_speed(item, "velocity", "m/s");
    out->spin = read_speed(item, "spin", "rad/s");
    if (!out->has_velocity && !out->has_spin)
        yaml_fail(item, "a throw gives a 'velocity' [m/s], a 'spin' [rad/s] or both");
    if (yaml_ok(reader->doc) && reader->scene->bodies[out->body].kind != TW_BODY_FREE)
        yaml_fail(yaml_get(item, "on"), "only a free body can be thrown");
}

static void read_throws(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "throws");
    twScene* scene = reader->scene;
    scene->throws = read_alloc(reader, list ? (size_t)list->count : 0, sizeof *scene->throws);
    YAML_EACH(item, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory || !yaml_as_map(item)) return;
        read_throw(reader, item, &scene->throws[scene->throw_count++]);
    }
}

void read_hands(Reader* reader, const twNode* root)
{
    if (!tw_scene_has_world(reader->scene)) return;
    read_grabs(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_throws(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) check_room(reader, root);
}
