// SPDX-License-Identifier: MIT
// Listeners of bodies in a scene, how bodies sound, and the air.

#include "reader.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

#define PATH_INSTANTS 1000  // of a path that is looked at
#define ROOM 20.0           // temperature for which the speed of sound and the density are known [degrees C]
#define ZERO 273.15
#define DEFAULT_NAME "ear"

twSceneEar tw_scene_ear(void)
{
    twSceneEar ear = {.name = DEFAULT_NAME, .def = tw_ear_def()};
    ear.def.kind = TW_EAR_BINAURAL;
    return ear;
}

// ---- how bodies sound ----

// warm air is faster and thinner
static void read_air(const twNode* root, twSceneSound* sound)
{
    const twNode* air = yaml_map(root, "air");
    if (!air) return;
    yaml_keys(air, "sound_speed", "density", "temperature", "humidity", "absorption");
    const double warmth =
        (yaml_number(air, "temperature", yaml_between(-50, 60, "degrees C"), ROOM) + ZERO) / (ROOM + ZERO);
    sound->sound_speed =
        yaml_number(air, "sound_speed", yaml_between(10, 1e4, "m/s"), sound->sound_speed * sqrt(warmth));
    sound->air_density = yaml_number(air, "density", yaml_positive("kg/m^3"), sound->air_density / warmth);
    if (yaml_has(air, "humidity") && !yaml_bool(air, "absorption", false))
        yaml_fail_key(yaml_get(air, "humidity"), "'humidity' matters for absorption only: add 'absorption: true'");
}

// true, false or a factor
static double read_factor(const twNode* map, const char* key)
{
    const twNode* node = yaml_get(map, key);
    if (!node) return 1;
    if (node->text && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)) return yaml_as_bool(node);
    return yaml_as_number(node, yaml_between(0, 1e6, NULL));
}

void read_sound(Reader* reader, const twNode* root)
{
    static const char* const ways[] = {"auto", "on", "off", NULL};
    static const char* const qualities[] = {"baked", "estimate", "fine", NULL};
    const twSoundDef usual = tw_sound_def();
    const double rate = reader->scene->rate_hz;
    twSceneSound* sound = &reader->scene->sound;
    *sound = (twSceneSound){.clicks = usual.clicks,
                            .contact_damping = 1,
                            .max_freq_hz = usual.max_freq_hz,
                            .highpass_hz = usual.highpass_hz,
                            .sound_speed = usual.sound_speed,
                            .air_density = usual.air_density};
    read_air(root, sound);
    const twNode* map = yaml_map(root, "sound");
    if (!map) return;
    yaml_keys(map, "clicks", "contact_damping", "full_damping", "max_freq", "highpass", "redistribute", "radiation");
    sound->clicks = yaml_bool(map, "clicks", true);
    sound->contact_damping = read_factor(map, "contact_damping");
    sound->full_damping = yaml_bool(map, "full_damping", false);
    sound->max_freq_hz = yaml_number(map, "max_freq", yaml_positive("Hz"), sound->max_freq_hz);
    sound->highpass_hz = yaml_number(map, "highpass", (twRange){0, 0.4 * rate, false, true, "Hz"}, sound->highpass_hz);
    sound->redistribution = (twRedistribution)yaml_choice(map, "redistribute", ways, TW_REDISTRIBUTE_AUTO);
    sound->radiation = (twRadiation)yaml_choice(map, "radiation", qualities, TW_RADIATION_BAKED);
}

// ---- listeners ----

static double height(const twScene* scene, twVec3 place)
{
    return tw_vec3_dot(tw_vec3_sub(place, scene->ground.point), scene->ground.normal);
}

static void check_place(const twNode* node, const twScene* scene, const twSceneEar* ear)
{
    if (!scene->ground.given) return;
    for (int i = 0; i <= (ear->moves ? PATH_INSTANTS : 0); i++)
    {
        const double t = scene->duration * i / PATH_INSTANTS;
        const twVec3 p = ear->moves ? rods_place(ear->along, t) : ear->def.position;
        if (!(height(scene, p) < 0)) continue;
        if (ear->moves)
            yaml_fail_key(yaml_get(node, "path"), "at %g s it is at (%g, %g, %g), %g m below the ground; change it", t,
                          p.x, p.y, p.z, -height(scene, p));
        else
            yaml_fail(yaml_get(node, "at"), "that is %g m below the ground; listeners are above it", -height(scene, p));
        return;
    }
}

static void read_place(Reader* reader, const twNode* node, twSceneEar* ear)
{
    const twNode* path = yaml_map(node, "path");
    ear->placed = yaml_has(node, "at") || path;
    if (yaml_has(node, "at") && path)
        yaml_fail(node, "a listener is at one place: 'at': [x, y, z], or 'path' for one that moves");
    ear->def.position = read_vec3(node, "at", "m", tw_vec3(0, 0, 0));
    if (path)
    {
        ear->moves = true;
        read_line(reader, path, ear->along);
        if (yaml_ok(reader->doc)) ear->def.position = rods_place(ear->along, 0);
    }
    if (yaml_ok(reader->doc) && ear->placed) check_place(node, reader->scene, ear);
}

static void refuse(const twNode* node, const char* key, const char* why)
{
    if (yaml_has(node, key)) yaml_fail_key(yaml_get(node, key), "'%s' %s", key, why);
}

static void read_look(const twNode* node, twSceneEar* ear)
{
    if (ear->def.kind == TW_EAR_MONO)
        refuse(node, "look", "is of listeners that hear directions; 'kind: mono' does not");
    ear->looks = yaml_has(node, "look");
    ear->look = read_vec3(node, "look", "m", tw_vec3(0, 0, 0));
    if (ear->looks && ear->placed && !ear->moves && tw_vec3_norm(tw_vec3_sub(ear->look, ear->def.position)) < 1e-6)
        yaml_fail(yaml_get(node, "look"), "a listener looks at another place than where it is");
}

static void read_stereo(const twNode* node, twSceneEar* ear)
{
    if (ear->def.kind != TW_EAR_STEREO)
    {
        refuse(node, "spacing", "is of 'kind: stereo'");
        refuse(node, "angle", "is of 'kind: stereo'");
    }
    ear->def.spacing = yaml_number(node, "spacing", yaml_between(0, 10, "m"), ear->def.spacing);
    ear->def.angle =
        yaml_number(node, "angle", yaml_between(0, 360, "degrees"), ear->def.angle * 180 / TW_PI) * TW_PI / 180;
}

static void read_head(Reader* reader, const twNode* node, twSceneEar* ear)
{
    if (ear->def.kind != TW_EAR_BINAURAL) refuse(node, "hrtf", "is of 'kind: binaural'");
    const char* name = yaml_text(node, "hrtf", NULL);
    if (!name || !yaml_ok(reader->doc)) return;
    ear->hrtf = read_copy(reader, read_path(reader, name));
    if (access(ear->hrtf, R_OK) != 0) yaml_fail(yaml_get(node, "hrtf"), "there is no file %s", ear->hrtf);
}

// what lies between
static void read_between(const Reader* reader, const twNode* root, twEarDef* def)
{
    const twScene* scene = reader->scene;
    const twNode *air = yaml_map(root, "air"), *ground = yaml_map(root, "ground");
    def->air_absorption = yaml_bool(air, "absorption", false);
    def->temperature = yaml_number(air, "temperature", yaml_any("degrees C"), def->temperature);
    def->humidity = yaml_number(air, "humidity", yaml_between(1, 100, "%"), def->humidity);
    def->ground = scene->ground.given;
    if (!def->ground) return;
    def->ground_point = scene->ground.point;
    def->ground_normal = scene->ground.normal;
    def->reflection = read_reflection(ground);
}

static twSceneEar* new_ear(Reader* reader, twSceneListener* listener, const char* name)
{
    twSceneEar* ear = read_alloc(reader, 1, sizeof *ear);
    if (!ear) return NULL;
    *ear = tw_scene_ear();
    ear->name = listener->name = read_copy(reader, name);
    listener->ear = ear;
    return ear;
}

void read_ear(Reader* reader, const twNode* root, const twNode* node, twSceneListener* listener)
{
    static const char* const kinds[] = {"mono", "stereo", "binaural", "ambix", NULL};
    twSceneEar* ear = new_ear(reader, listener, node->key);
    if (!ear) return;
    ear->def.kind = (twEarKind)yaml_choice(node, "kind", kinds, TW_EAR_BINAURAL);
    if (reader->scene->body_count > 0 && !(reader->scene->frame_rate_hz > 0))
        yaml_fail_key(node, "bodies are heard from what is recorded, and 'frames: 0' records nothing; leave it out");
    read_place(reader, node, ear);
    read_look(node, ear);
    read_stereo(node, ear);
    read_head(reader, node, ear);
    read_between(reader, root, &ear->def);
    ear->def.farthest = yaml_number(node, "farthest", yaml_between(0.1, 1e4, "m"), ear->def.farthest);
}

void read_default_ear(Reader* reader, const twNode* root)
{
    twScene* scene = reader->scene;
    if (scene->body_count > 0 && !(scene->frame_rate_hz > 0)) return;
    twSceneListener* listener = &scene->listeners[scene->listener_count];
    *listener = (twSceneListener){.pickup_rod = -1, .pickup_body = -1, .track = -1};
    twSceneEar* ear = new_ear(reader, listener, DEFAULT_NAME);
    if (!ear) return;
    ear->may_be_stereo = true;
    read_between(reader, root, &ear->def);
    scene->listener_count = scene->ear_count = 1;
}
