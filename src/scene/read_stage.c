// SPDX-License-Identifier: MIT
// Scenes on a stage: its settings, what is grabbed, dragged, pinned and thrown, and when.

#include "reader.h"
#include <math.h>
#include <string.h>

#define LEAST_STEP 1e-5  // [s]
#define MOST_STEP 0.02
#define MOST_THROWN 1e6  // [m/s], [rad/s]

static void refuse(const twNode* map, const char* key, const char* why)
{
    if (yaml_has(map, key)) yaml_fail_key(yaml_get(map, key), "'%s' %s", key, why);
}

bool read_is_staged(const twNode* root)
{
    return yaml_has(root, "stage") || yaml_has(root, "grabs") || yaml_has(root, "throws");
}

// ---- settings ----

static void read_settings(const twNode* root, twScene* scene)
{
    twStageDef* def = &scene->stage;
    static const char* const contacts[] = {"constraint", "penalty", "none", NULL};
    const twNode* map = yaml_map(root, "stage");
    if (!map) return;
    yaml_keys(map, "step", "contact", "cluster", "max_contacts", "softness", "largest_force", "smallest_motion",
              "settle");
    scene->unsettled = !yaml_bool(map, "settle", true);
    def->step = yaml_number(map, "step", yaml_between(LEAST_STEP, MOST_STEP, "s"), def->step);
    def->contact = (twStageContact)yaml_choice(map, "contact", contacts, (int)def->contact);
    def->cluster = yaml_number(map, "cluster", yaml_between(0, 1, NULL), def->cluster);
    def->max_contacts = (int)yaml_integer(map, "max_contacts", 1, 256, def->max_contacts);
    def->softness = yaml_number(map, "softness", yaml_between(0, 0.1, NULL), def->softness);
    def->largest_force = yaml_number(map, "largest_force", yaml_positive("N"), 0);
    def->smallest_motion = yaml_number(map, "smallest_motion", yaml_positive("m"), 0);
    if (yaml_has(map, "largest_force") != yaml_has(map, "smallest_motion"))
        yaml_fail(map, "'largest_force' [N] and 'smallest_motion' [m] go together: modes that this force moves by less "
                       "than this do not move");
}

// frames are at the end of steps: the longest step up to the one that was asked for that fits into them
static double fitting_step(const twScene* scene)
{
    const double step = scene->stage.step;
    if (!(scene->frame_rate_hz > 0)) return step;
    const double frame = 1 / scene->frame_rate_hz;
    return frame / ceil(frame / step * (1 - 1e-9));
}

static void refuse_others(const twNode* root, const twScene* scene)
{
    refuse(root, "rods", "are not on a stage; make two scenes of them");
    refuse(root, "collide", "is of rods, which are not on a stage");
    if (scene->body_count == 0)
        yaml_fail_key(yaml_get(root, yaml_has(root, "grabs")    ? "grabs"
                                     : yaml_has(root, "throws") ? "throws"
                                                                : "stage"),
                      "a stage is for bodies, and there are none; add 'bodies'");
}

// ---- places ----

static int read_on(Reader* reader, const twNode* map)
{
    const char* name = yaml_need_text(map, "on");
    return yaml_ok(reader->doc) ? read_body_name(reader, yaml_get(map, "on"), name) : -1;
}

static twScenePlace read_place(Reader* reader, const twNode* map)
{
    if (!yaml_has(map, "at"))
        yaml_fail(map, "say where: 'at': [x, y, z], near the surface of the body in its own coordinates");
    return (twScenePlace){read_on(reader, map), read_vec3(map, "at", "m", tw_vec3(0, 0, 0))};
}

// one place, or a list of them
static void read_places(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    const twNode* at = yaml_get(item, "at");
    if (!at || at->kind != TW_NODE_LIST)
    {
        yaml_fail(at ? at : item,
                  "say where: 'at': [x, y, z], near the surface of the body in its own coordinates, or a list of them");
        return;
    }
    const bool many = at->first && at->first->kind == TW_NODE_LIST;
    if (many && at->count > TW_MAX_GRAB_PLACES)
        yaml_fail(at, "%d places are more than a grab has, %d", at->count, TW_MAX_GRAB_PLACES);
    if (!yaml_ok(reader->doc)) return;
    grab->place_count = many ? at->count : 1;
    twVec3* places = read_alloc(reader, (size_t)grab->place_count, sizeof *places);
    grab->places = places;
    if (!places) return;
    if (!many) places[0] = read_vec3(item, "at", "m", tw_vec3(0, 0, 0));
    YAML_EACH(place, many ? at : NULL)
    {
        int three;
        const double* v = yaml_as_numbers(place, yaml_any("m"), 3, 3, &three);
        if (!yaml_ok(reader->doc)) return;
        places[place->index] = tw_vec3(v[0], v[1], v[2]);
    }
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

// where the forces act
static void read_pushed(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    const twNode* list = yaml_list(item, "push");
    if (!list) return;
    if (list->count < 1 || list->count > TW_MAX_STAGE_PUSHES)
        yaml_fail(list, "'push' has 1 to %d places where the forces act, like {on: a, at: [0, 0, 0]}; this has %d",
                  TW_MAX_STAGE_PUSHES, list->count);
    YAML_EACH(place, list)
    {
        if (!yaml_ok(reader->doc) || !yaml_as_map(place)) return;
        yaml_keys(place, "on", "at");
        grab->pushes[grab->push_count++] = read_place(reader, place);
    }
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
        if (grab->kind == TW_STAGE_GRAB_POSITION && grab->along[k] && !yaml_has(map, axis_names[k]))
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
        if (yaml_ok(reader->doc) && grab->other.body == grab->body)
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
    if (grab->kind == TW_STAGE_GRAB_POSITION && grab->aim == TW_AIM_GIVEN && grab->place_count > 1)
        yaml_fail(to, "%d places cannot be at one; drag them by 'move', or hold one of them", grab->place_count);
}

// displacement and turn, as of bodies that are moved
static void read_move(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    const twNode* map = yaml_map(item, "move");
    if (!map) return;
    grab->aim = TW_AIM_MOVE;
    if (grab->kind != TW_STAGE_GRAB_POSITION) yaml_fail_key(map, "'move' is of 'kind: position'; others have 'to'");
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
    if (grab->aim == TW_AIM_HERE && (grab->kind == TW_STAGE_GRAB_ACCELERATION || grab->kind == TW_STAGE_GRAB_FORCE))
        yaml_fail(item, "a grab by %s needs one, 'to': [x, y, z]",
                  grab->kind == TW_STAGE_GRAB_FORCE ? "force [N]" : "acceleration [m/s^2]");
    if (grab->kind == TW_STAGE_GRAB_POSITION && grab->aim == TW_AIM_GIVEN) check_smooth(yaml_get(item, "to"), grab->to);
    if (grab->aim == TW_AIM_MOVE) check_smooth(yaml_get(item, "move"), grab->move->along);
    for (int k = 0; k < 3 && grab->aim == TW_AIM_GIVEN; k++)
        if (grab->to[k].kind == TW_SIGNAL_NOISE) yaml_fail(yaml_get(item, "to"), "noise is no aim; use a 'wav'");
}

// ---- grabs ----

static void read_grab(Reader* reader, const twNode* item, twSceneGrab* grab)
{
    static const char* const kinds[] = {"position", "velocity", "acceleration", "force", NULL};
    yaml_keys(item, "name", "on", "at", "kind", "to", "move", "along", "push", "from", "until", "ease", "max_force");
    const double duration = reader->scene->duration;
    grab->where = read_where(reader, item);
    grab->name = read_copy(reader, yaml_text(item, "name", ""));
    grab->kind = (twStageGrabKind)yaml_choice(item, "kind", kinds, TW_STAGE_GRAB_POSITION);
    grab->body = read_on(reader, item);
    read_places(reader, item, grab);
    read_along(reader, item, grab->along);
    read_aim(reader, item, grab);
    read_pushed(reader, item, grab);
    grab->begin = yaml_number(item, "from", yaml_between(0, duration, "s"), 0);
    grab->end = yaml_number(item, "until", yaml_not_negative("s"), INFINITY);
    grab->ease = yaml_number(item, "ease", yaml_between(0, 3600, "s"), tw_stage_grab_def().ease);
    grab->max_force = yaml_number(item, "max_force", yaml_positive("N"), 0);
    if (yaml_ok(reader->doc) && !(grab->end > grab->begin))
        yaml_fail(yaml_get(item, "until"), "'until' must be later than 'from', %g s", grab->begin);
    if (yaml_ok(reader->doc) && grab->kind == TW_STAGE_GRAB_FORCE && grab->max_force > 0)
        yaml_fail_key(yaml_get(item, "max_force"), "the force is given by 'to'");
    const twScene* scene = reader->scene;
    if (yaml_ok(reader->doc) && scene->bodies[grab->body].kind == TW_BODY_FIXED &&
        !scene->shapes[scene->bodies[grab->body].shape].flexible)
        yaml_fail(yaml_get(item, "on"), "'%s' is fixed and rigid, so there is nothing to be moved",
                  scene->bodies[grab->body].name);
}

// all holds of a stage: places that are grabbed, joints, forces
static void check_room(const Reader* reader, const twNode* root)
{
    const twScene* scene = reader->scene;
    int count = scene->joint_count;
    for (int i = 0; i < scene->grab_count; i++) count += scene->grabs[i].place_count;
    for (int i = 0; i < scene->push_count; i++) count += !scene->pushes[i].tap;
    if (count > TW_MAX_STAGE_GRABS)
        yaml_fail(yaml_get(root, yaml_has(root, "grabs") ? "grabs" : "joints"),
                  "%d places are grabbed, joined or pushed; %d are the most", count, TW_MAX_STAGE_GRABS);
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
    out->body = read_on(reader, item);
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

// ---- what else there is, as a stage has it ----

static void check_joints(const twNode* root)
{
    YAML_EACH(item, yaml_list(root, "joints"))
    {
        const twNode* kind = yaml_get(item, "kind");
        if (kind && kind->text && strcmp(kind->text, "ball") != 0)
            yaml_fail(kind, "on a stage joints are 'kind: ball': a point of one stays at a point of the other; two or "
                            "three of them make a hinge, or fix it");
        refuse(item, "stiffness", "is not of a stage, where joints hold exactly");
    }
}

static void check_pushes(const twNode* root)
{
    YAML_EACH(item, yaml_list(root, "pushes"))
    {
        const twNode* at = yaml_get(item, "at");
        if (!at || at->kind != TW_NODE_LIST)
            yaml_fail(at ? at : item, "on a stage a push has a place, 'at': [x, y, z]");
        refuse(item, "duration", "is not of a stage, which strikes at once");
    }
}

void read_stage(Reader* reader, const twNode* root)
{
    twScene* scene = reader->scene;
    if (!scene->staged) return;
    refuse_others(root, scene);
    scene->stage = tw_stage_def();
    read_settings(root, scene);
    if (!yaml_ok(reader->doc)) return;
    scene->stage.step = fitting_step(scene);
    scene->stage.gravity = scene->world.gravity;
    check_joints(root);
    check_pushes(root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_grabs(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_throws(reader, root);
    if (yaml_ok(reader->doc) && !reader->no_memory) check_room(reader, root);
}
