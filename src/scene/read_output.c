// SPDX-License-Identifier: MIT
// Outputs in a scene.

#include "reader.h"
#include <string.h>

#define DEFAULT_PEAK_DBFS (-1)

// a file name that stays in its folder
static void check_name(Reader* reader, const twNode* node, const twSceneOutput* output)
{
    const char* name = output->name;
    if (!name[0] || name[0] == '.' || strpbrk(name, "/\\:*?\"<>|") || strlen(name) > 100)
        yaml_fail(node, "an output's name becomes a file name: letters, digits, '-' and '_' are fine");
    if (strcmp(name, "report") == 0 || strcmp(name, "spectrogram") == 0)
        yaml_fail(node, "'%s' is the name of another file that a render writes; choose another", name);
    for (const twSceneOutput* other = reader->scene->outputs; other < output; other++)
        if (strcmp(other->name, name) == 0) yaml_fail(node, "there are two outputs called '%s'", name);
}

// what 'level' of a map says; as it was without one
static void read_level(const twNode* node, twSceneOutput* output)
{
    const twNode* level = yaml_map(node, "level");
    if (!level) return;
    yaml_keys(level, "peak", "loudness", "gain");
    if (level->count != 1) yaml_fail(level, "'level' takes one of: peak [dBFS], loudness [LUFS], gain");
    if (yaml_has(level, "peak"))
    {
        output->level = TW_LEVEL_PEAK;
        output->level_value = yaml_number(level, "peak", yaml_between(-120, 0, "dBFS"), 0);
    }
    if (yaml_has(level, "loudness"))
    {
        output->level = TW_LEVEL_LOUDNESS;
        output->level_value = yaml_number(level, "loudness", yaml_between(-70, 0, "LUFS"), 0);
    }
    if (yaml_has(level, "gain"))
    {
        output->level = TW_LEVEL_GAIN;
        output->level_value = yaml_number(level, "gain", yaml_any(NULL), 1);
    }
}

// The scene's level, or true scale of what is in pascals; other quantities have none that an ear would know.
static void output_default_level(const twNode* root, twSceneOutput* output)
{
    const bool pressure = output->quantity == TW_SOUND_PRESSURE;
    output->level = pressure ? TW_LEVEL_GAIN : TW_LEVEL_PEAK;
    output->level_value = pressure ? 1 / TW_FULL_SCALE_PA : DEFAULT_PEAK_DBFS;
    read_level(root, output);
}

static void read_term(Reader* reader, const twNode* node, twSceneTerm* term, bool* panned)
{
    *term = (twSceneTerm){.listener = -1, .gain = 1};
    const char* text = node->text;
    const twNode* name = node;
    if (node->kind == TW_NODE_MAP)
    {
        yaml_keys(node, "from", "gain", "pan");
        text = yaml_need_text(node, "from");
        name = yaml_get(node, "from");
        term->gain = yaml_number(node, "gain", yaml_any(NULL), 1);
        term->pan = yaml_number(node, "pan", yaml_between(-1, 1, NULL), 0);
        *panned |= yaml_has(node, "pan");
    }
    else
        text = yaml_as_text(node);
    if (!yaml_ok(reader->doc)) return;
    for (int i = 0; i < reader->scene->listener_count; i++)
        if (strcmp(reader->scene->listeners[i].name, text) == 0) term->listener = i;
    if (term->listener < 0) read_reference(reader, name, text, true, &term->object, &term->pickup);
}

// all sounding objects at their first pickups
static void default_terms(Reader* reader, twSceneOutput* output)
{
    const twScene* scene = reader->scene;
    output->terms = read_alloc(reader, (size_t)scene->object_count, sizeof(twSceneTerm));
    if (reader->no_memory) return;
    for (int i = 0; i < scene->object_count; i++)
        if (!scene->objects[i].rigid)
            output->terms[output->term_count++] = (twSceneTerm){.listener = -1, .object = i, .gain = 1};
}

static void read_terms(Reader* reader, const twNode* node, twSceneOutput* output)
{
    const twNode* list = yaml_list(node, "from");
    output->channels = 1;
    if (!list)
    {
        default_terms(reader, output);
        return;
    }
    output->terms = read_alloc(reader, (size_t)list->count, sizeof(twSceneTerm));
    if (reader->no_memory) return;
    bool panned = false;
    YAML_EACH(item, list)
    {
        read_term(reader, item, &output->terms[output->term_count++], &panned);
        if (!yaml_ok(reader->doc)) return;
    }
    if (panned) output->channels = 2;
}

static bool is_pickup(const twSceneListener* l) { return l->pickup_rod >= 0 || l->pickup_body >= 0; }

// Ears that are added up have as many channels each; only what has one can be panned.
static void check_channels(Reader* reader, const twNode* node, twSceneOutput* output)
{
    const twScene* scene = reader->scene;
    int channels = 0;
    for (int i = 0; i < output->term_count; i++)
    {
        const twSceneEar* ear = scene->listeners[output->terms[i].listener].ear;
        const int own = ear ? tw_ear_channels(ear->def.kind) : 1;
        if (channels > 0 && own != channels)
            yaml_fail(yaml_get(node, "from"), "listeners with %d and %d channels cannot be added up in one output",
                      channels, own);
        channels = own;
    }
    if (channels > 1 && output->channels > 1)
        yaml_fail(yaml_get(node, "from"), "only 'kind: mono' can be panned; leave 'pan' out");
    if (channels > 1) output->channels = channels;
}

// what listeners hear is pressure, or velocity at a pickup; it cannot be added to anything else
static void check_terms(Reader* reader, const twNode* node, twSceneOutput* output)
{
    int heard = 0, picked = 0;
    for (int i = 0; i < output->term_count; i++)
    {
        const int listener = output->terms[i].listener;
        heard += listener >= 0;
        picked += listener >= 0 && is_pickup(&reader->scene->listeners[listener]);
    }
    if (heard == 0) return;
    if (heard < output->term_count || (picked > 0 && picked < heard))
        yaml_fail(yaml_get(node, "from"), "listeners, pickups of rods and objects cannot be added up in one output");
    if (yaml_has(node, "quantity"))
        yaml_fail_key(yaml_get(node, "quantity"), "a listener hears pressure, a pickup velocity: leave 'quantity' out");
    output->quantity = picked ? TW_SOUND_VELOCITY : TW_SOUND_PRESSURE;
    output->heard = true;
    if (yaml_ok(reader->doc)) check_channels(reader, node, output);
}

static void read_output(Reader* reader, const twNode* root, const twNode* node, twSceneOutput* output)
{
    static const char* const quantities[] = {"displacement", "velocity", "acceleration", NULL};
    static const char* const formats[] = {"16", "24", "float", NULL};
    if (node && !yaml_as_map(node)) return;
    if (node) yaml_keys(node, "name", "from", "quantity", "format", "level");
    output->name = read_copy(reader, yaml_text(node, "name", "sound"));
    output->quantity = (twSoundQuantity)yaml_choice(node, "quantity", quantities, TW_SOUND_VELOCITY);
    output->format = (twWavFormat)yaml_choice(node, "format", formats, TW_WAV_FLOAT);
    if (!yaml_ok(reader->doc) || reader->no_memory) return;
    if (node) check_name(reader, yaml_get(node, "name") ? yaml_get(node, "name") : node, output);
    read_terms(reader, node, output);
    if (yaml_ok(reader->doc) && !reader->no_memory) check_terms(reader, node, output);
    output_default_level(root, output);
    output->own_level = node && yaml_has(node, "level");
    if (node) read_level(node, output);
    if (yaml_ok(reader->doc) && output->term_count == 0 && tw_scene_has_world(reader->scene))
        yaml_fail(node,
                  "name in 'from' what this is the sound of: 'listeners' at a place, or with a 'pickup' on a body");
    if (yaml_ok(reader->doc) && output->term_count == 0)
        yaml_fail(node ? node : reader->doc->root, "nothing sounds: every object is rigid; list pickups in 'outputs'");
}

// an output of its own for each listener
static void output_listeners(Reader* reader, const twNode* root)
{
    twScene* scene = reader->scene;
    const twNode* names = yaml_get(root, "listeners");
    for (int i = 0; i < scene->listener_count; i++)
    {
        twSceneOutput* output = &scene->outputs[scene->output_count++];
        *output = (twSceneOutput){.name = scene->listeners[i].name,
                                  .quantity = TW_SOUND_PRESSURE,
                                  .heard = true,
                                  .channels = 1,
                                  .format = TW_WAV_FLOAT};
        if (is_pickup(&scene->listeners[i])) output->quantity = TW_SOUND_VELOCITY;
        output_default_level(root, output);
        if (scene->listeners[i].ear) output->channels = tw_ear_channels(scene->listeners[i].ear->def.kind);
        output->terms = read_alloc(reader, 1, sizeof(twSceneTerm));
        if (reader->no_memory) return;
        output->terms[output->term_count++] = (twSceneTerm){.listener = i, .gain = 1};
        const twNode* name = names ? names->first : NULL;
        for (int k = 0; k < i && name; k++) name = name->next;
        if (name) check_name(reader, name, output);
    }
}

void read_tail(Reader* reader, const twNode* root)
{
    twScene* scene = reader->scene;
    const twNode* node = yaml_get(root, "tail");
    scene->tail = TW_TAIL_AUTO;
    if (!node || (node->kind == TW_NODE_SCALAR && strcmp(node->text, "auto") == 0)) return;
    scene->tail = yaml_number(root, "tail", yaml_between(0, READ_MAX_TAIL, "s"), 0);
    bool rings = false;
    for (int i = 0; i < scene->listener_count; i++) rings |= scene->listeners[i].ear && tw_scene_has_sound(scene);
    if (scene->tail > 0 && !rings && yaml_ok(reader->doc))
        yaml_fail_key(node, "only bodies that listeners hear ring on; give the scene a longer 'duration' instead");
}

void read_outputs(Reader* reader, const twNode* root)
{
    const twNode* list = yaml_list(root, "outputs");
    twScene* scene = reader->scene;
    if (list && list->count == 0)
        yaml_fail(list, "'outputs' is empty; leave it out for one output of everything that sounds");
    const int by_default = scene->listener_count + (scene->object_count > 0);
    scene->outputs = read_alloc(reader, (size_t)(list ? list->count : by_default), sizeof(twSceneOutput));
    if (reader->no_memory) return;
    if (!list && scene->object_count > 0) read_output(reader, root, NULL, &scene->outputs[scene->output_count++]);
    if (!list && yaml_ok(reader->doc)) output_listeners(reader, root);
    YAML_EACH(node, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        read_output(reader, root, node, &scene->outputs[scene->output_count++]);
    }
}
