// SPDX-License-Identifier: MIT
// Listeners in a scene, and what lies between them and the rods: air and ground.

#include "reader.h"
#include "rod_sound.h"
#include <math.h>
#include <string.h>

#define PATH_INSTANTS 1000  // of a path that is looked at

static void read_air(const twNode* root, twListenerDef* def)
{
    const twNode* air = yaml_map(root, "air");
    if (air) yaml_keys(air, "sound_speed", "density");
    def->sound_speed = yaml_number(air, "sound_speed", yaml_between(10, 1e4, "m/s"), def->sound_speed);
    def->air_density = yaml_number(air, "density", yaml_positive("kg/m^3"), def->air_density);
}

static void read_ground(const twNode* root, twListenerDef* def)
{
    const twNode* ground = yaml_map(root, "ground");
    if (!ground) return;
    static const char* const touched[] = {"material", "thickness", "silent", "friction", "restitution"};
    for (size_t i = 0; i < sizeof touched / sizeof *touched; i++)
        if (yaml_has(ground, touched[i]))
            yaml_fail_key(
                yaml_get(ground, touched[i]),
                "'%s' is of a ground that is touched; here it is only heard, as a mirror: add 'collide: true' "
                "to the scene, so that rods touch it",
                touched[i]);
    yaml_keys(ground, "point", "normal", "absorption");
    def->ground = true;
    def->ground_point = read_vec3(ground, "point", "m", tw_vec3(0, 0, 0));
    def->ground_normal = read_vec3(ground, "normal", NULL, tw_vec3(0, 0, 1));
    def->reflection = read_reflection(ground);
}

double read_reflection(const twNode* ground)
{
    return sqrt(1 - yaml_number(ground, "absorption", yaml_between(0, 1, NULL), 0.08));
}

// the velocity of one point of a rod: as other programs take their sound
static void read_pickup(Reader* reader, const twNode* node, twSceneListener* listener)
{
    const twNode* map = yaml_map(node, "pickup");
    const twScene* scene = reader->scene;
    if (!map) return;
    yaml_keys(map, "rod", "at", "direction");
    const char* name = yaml_need_text(map, "rod");
    if (!yaml_ok(reader->doc)) return;
    for (int i = 0; i < scene->rod_count; i++)
        if (strcmp(scene->rods[i].name, name) == 0) listener->pickup_rod = i;
    if (listener->pickup_rod < 0)
    {
        const char** names = read_alloc(reader, (size_t)scene->rod_count + 1, sizeof *names);
        for (int i = 0; names && i < scene->rod_count; i++) names[i] = scene->rods[i].name;
        const char* near = names ? tw_nearest_name(name, names, scene->rod_count) : NULL;
        yaml_fail(yaml_get(map, "rod"), "there is no rod '%.60s'%s%s%s", name, near ? "; did you mean '" : "",
                  near ? near : "", near ? "'?" : "");
    }
    else
        listener->pickup_point = read_rod_point(map, "at", &scene->rods[listener->pickup_rod].def);
    listener->pickup_direction = read_direction(map, "direction", tw_vec3(0, 0, 1));
}

static void read_place(Reader* reader, const twNode* node, twSceneListener* listener)
{
    const twNode* path = yaml_map(node, "path");
    listener->def.position = read_vec3(node, "at", "m", tw_vec3(0, 0, 1));
    if (yaml_has(node, "at") + (path != NULL) + yaml_has(node, "pickup") != 1)
        yaml_fail(node, "a listener is at one place: 'at': [x, y, z], 'path' for one that moves, or a 'pickup'");
    if (!path) return;
    listener->moves = true;
    read_line(reader, path, listener->along);
    if (yaml_ok(reader->doc)) listener->def.position = rods_place(listener->along, 0);
}

static double height(const twListenerDef* def, twVec3 place)
{
    return tw_vec3_dot(tw_vec3_sub(place, def->ground_point), tw_vec3_normalize(def->ground_normal));
}

static void check_path(const Reader* reader, const twNode* node, const twSceneListener* listener)
{
    for (int i = 0; i <= PATH_INSTANTS && listener->moves && listener->def.ground; i++)
    {
        const double t = reader->scene->duration * i / PATH_INSTANTS;
        const twVec3 p = rods_place(listener->along, t);
        if (!(height(&listener->def, p) < 0)) continue;
        yaml_fail_key(yaml_get(node, "path"),
                      "at %g s it is at (%g, %g, %g), below the ground; change it, or turn the ground's normal", t, p.x,
                      p.y, p.z);
        return;
    }
}

// an image of what is below the ground would be above it
static void check_rods_above(const Reader* reader, const twListenerDef* def)
{
    for (int k = 0; k < reader->scene->rod_count; k++)
    {
        const twRodDef* rod = &reader->scene->rods[k].def;
        for (int i = 0; i < rod->point_count; i++)
        {
            const double below = -height(def, rod->points[i]);
            if (!(below > READ_GROUND)) continue;
            yaml_fail_key(
                reader->rod_nodes[k],
                "point %d of the rod is %g m below the ground; move the rod or the ground, or turn its normal", i + 1,
                below);
            return;
        }
    }
}

// one track for compact sources, and one for each radius of those that are not, as many as there are
static void read_tracks(Reader* reader, twListenerDef* def)
{
    const twScene* scene = reader->scene;
    double* radius = read_alloc(reader, TW_MAX_LISTENER_TRACKS, sizeof *radius);
    def->radius = radius;
    def->track_count = 1;
    for (int i = 0; radius && i < scene->rod_count; i++)
    {
        int k = 0;
        while (k < def->track_count && radius[k] != scene->rods[i].cylinder) k++;
        if (k == def->track_count && k < TW_MAX_LISTENER_TRACKS) radius[def->track_count++] = scene->rods[i].cylinder;
    }
}

// what the listener itself finds wrong, or that it is inside a rod, is told at its name
static void try_listener(const twNode* node, const twSceneListener* listener, const twScene* scene)
{
    twListener* made;
    twError err;
    twStatus status = tw_listener_create(&made, &listener->def, &err);
    if (status == TW_OK && listener->pickup_rod < 0 && listener->pickup_body < 0)
        status = rods_check_place(scene, listener->def.position, &err);
    if (status != TW_OK) yaml_fail_key(node, "%s", err.text);
    tw_listener_destroy(made);
}

static const char* const of_bodies[] = {"kind", "look", "spacing", "angle", "hrtf", NULL};
static const char* const of_rods[] = {"instant", "lowpass", NULL};

static void refuse_keys(const twNode* node, const char* const* keys, const char* why)
{
    for (; *keys; keys++)
        if (yaml_has(node, *keys)) yaml_fail_key(yaml_get(node, *keys), "'%s' is of listeners of %s", *keys, why);
}

// a pickup on a body or a rod, or one who hears both
static void read_hearing(Reader* reader, const twNode* root, const twNode* node, twSceneListener* listener)
{
    twScene* scene = reader->scene;
    refuse_keys(node, of_rods, "rods that do not touch");
    if (!yaml_ok(reader->doc)) return;
    if (yaml_has(node, "pickup"))
    {
        const twNode* pickup = yaml_map(node, "pickup");
        listener->track = scene->pickup_count++;
        if (scene->rods_touch && pickup && yaml_has(pickup, "rod"))
            read_pickup(reader, node, listener);
        else
            read_body_pickup(reader, node, listener);
        return;
    }
    scene->ear_count++;
    read_ear(reader, root, node, listener);
    if (!scene->rods_touch || !listener->ear) return;
    listener->track = scene->pickup_count;
    scene->pickup_count += tw_ear_channels(listener->ear->def.kind);
}

// ---- rods that touch ----

static void grow(twVec3* low, twVec3* high, twVec3 x)
{
    *low = tw_vec3(fmin(low->x, x.x), fmin(low->y, x.y), fmin(low->z, x.z));
    *high = tw_vec3(fmax(high->x, x.x), fmax(high->y, x.y), fmax(high->z, x.z));
}

// rods sound while they move, so an ear must have its place before: in front of the rods and the origins of free bodies
static void place_ear(const twScene* scene, twSceneEar* ear)
{
    twVec3 low = scene->rods[0].def.points[0], high = low;
    for (int i = 0; i < scene->rod_count; i++)
        for (int k = 0; k < scene->rods[i].def.point_count; k++) grow(&low, &high, scene->rods[i].def.points[k]);
    for (int i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].kind == TW_BODY_FREE) grow(&low, &high, scene->bodies[i].motion.position);
    ear_place(ear, &scene->camera, &scene->ground, low, high);
    ear->placed = ear->looks = true;
}

// what a listener hears of rods, beside the bodies; node: what to tell an error at
static void hear_rods(Reader* reader, const twNode* root, const twNode* node, twSceneListener* listener)
{
    const twScene* scene = reader->scene;
    twSceneEar* ear = (twSceneEar*)listener->ear;
    twListenerDef* def = &listener->def;
    if (ear) place_ear(scene, ear);
    *def = tw_listener_def();
    def->rate_hz = scene->rate_hz * scene->oversample;
    def->sound_speed = scene->sound.sound_speed;
    def->air_density = scene->sound.air_density;
    def->ground = scene->ground.given;
    def->ground_point = scene->ground.point;
    def->ground_normal = def->ground ? scene->ground.normal : tw_vec3(0, 0, 1);
    def->reflection = read_reflection(yaml_map(root, "ground"));
    def->position = def->ground_point;
    if (ear)
    {
        def->position = ear->def.position;
        def->farthest = ear->def.farthest;
        listener->moves = ear->moves;
        memcpy(listener->along, ear->along, sizeof listener->along);
    }
    read_tracks(reader, def);
    if (def->ground && yaml_ok(reader->doc)) check_rods_above(reader, def);
    if (yaml_ok(reader->doc) && !reader->no_memory) try_listener(node, listener, scene);
}

static void read_listener(Reader* reader, const twNode* root, const twNode* node, twSceneListener* listener)
{
    listener->name = read_copy(reader, node->key);
    listener->def = tw_listener_def();
    listener->pickup_rod = listener->pickup_body = listener->track = -1;
    if (!yaml_as_map(node)) return;
    yaml_keys(node, "at", "path", "pickup", "instant", "lowpass", "farthest", "kind", "look", "spacing", "angle",
              "hrtf");
    if (tw_scene_has_world(reader->scene))
    {
        read_hearing(reader, root, node, listener);
        if (yaml_ok(reader->doc) && !reader->no_memory && reader->scene->rods_touch)
            hear_rods(reader, root, node, listener);
        return;
    }
    refuse_keys(node, of_bodies, "bodies; rods are heard at a point");
    const double rate = reader->scene->rate_hz * reader->scene->oversample;
    listener->def.rate_hz = rate;
    read_air(root, &listener->def);
    read_ground(root, &listener->def);
    if (listener->def.ground && yaml_ok(reader->doc)) check_rods_above(reader, &listener->def);
    read_pickup(reader, node, listener);
    if (yaml_ok(reader->doc)) read_place(reader, node, listener);
    if (yaml_ok(reader->doc)) check_path(reader, node, listener);
    if (listener->pickup_rod >= 0) listener->def.position = listener->def.ground_point;
    listener->def.instant = yaml_bool(node, "instant", false);
    listener->def.lowpass_hz = yaml_number(node, "lowpass", (twRange){0, 0.5 * rate, true, true, "Hz"}, 0);
    listener->def.farthest = yaml_number(node, "farthest", yaml_positive("m"), listener->def.farthest);
    read_tracks(reader, &listener->def);
    if (yaml_ok(reader->doc) && !reader->no_memory) try_listener(node, listener, reader->scene);
}

void read_listeners(Reader* reader, const twNode* root)
{
    const twNode* map = yaml_map(root, "listeners");
    twScene* scene = reader->scene;
    static const char* const for_rods[] = {"listeners", "ground", "air", "gravity", "frames", "camera"};
    for (int i = 0; i < 6 && scene->rod_count + scene->body_count == 0; i++)
        if (yaml_has(root, for_rods[i]))
            yaml_fail_key(yaml_get(root, for_rods[i]), "'%s' is for rods and bodies, and there are none", for_rods[i]);
    const bool world = tw_scene_has_world(scene);
    if (scene->rod_count > 0 && !world && (!map || map->count == 0))
        yaml_fail(map ? map : yaml_get(root, "rods"),
                  "nobody hears the rods; write 'listeners: {ear: {at: [0, 0, 1]}}'");
    if (map && map->count > TW_MAX_SCENE_LISTENERS)
        yaml_fail(map, "%d listeners are more than %d", map->count, TW_MAX_SCENE_LISTENERS);
    scene->listeners = read_alloc(reader, map ? (size_t)map->count : 1, sizeof(twSceneListener));
    if (world) read_sound(reader, root);
    YAML_EACH(node, map)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        read_listener(reader, root, node, &scene->listeners[scene->listener_count++]);
    }
    if (!world || map || !yaml_ok(reader->doc) || reader->no_memory) return;
    read_default_ear(reader, root);
    if (!scene->rods_touch || scene->listener_count == 0 || !yaml_ok(reader->doc) || reader->no_memory) return;
    scene->listeners[0].track = 0;
    scene->pickup_count = tw_ear_channels(scene->listeners[0].ear->def.kind);
    hear_rods(reader, root, yaml_get(root, "rods"), &scene->listeners[0]);
}
