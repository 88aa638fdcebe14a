// SPDX-License-Identifier: MIT
// Objects in a scene: a rigid mass, a list of modes, or a series of modes in closed form.

#include "reader.h"
#include "twang/math.h"
#include <string.h>

#define DEFAULT_MODAL_MASS 0.1   // [kg]
#define DEFAULT_SERIES_MASS 0.4  // [kg]
#define DEFAULT_SERIES_COUNT 12

// ---- modes ----

// what an object's modes are, before they become twModes
typedef struct ModeList
{
    int count;
    double *freq_hz, *decay, *mass;
    bool has_series;
    twSeries series;
} ModeList;

static bool mode_list_alloc(Reader* reader, ModeList* list, int count)
{
    list->count = count;
    list->freq_hz = read_alloc(reader, (size_t)count, sizeof(double));
    list->decay = read_alloc(reader, (size_t)count, sizeof(double));
    list->mass = read_alloc(reader, (size_t)count, sizeof(double));
    return !reader->no_memory;
}

// decay in one of its forms: decay [1/s], damping = 2 decay, t60 [s]; negative if none is given
static double read_decay(const twNode* map)
{
    const char* const forms[] = {"decay", "damping", "t60"};
    const twNode* first = NULL;
    for (int i = 0; i < 3; i++)
    {
        const twNode* node = yaml_get(map, forms[i]);
        if (node && first) yaml_fail_key(node, "'%s' and '%s' say the same thing; keep one", first->key, forms[i]);
        if (node) first = node;
    }
    if (!first) return -1;
    if (yaml_has(map, "t60")) return READ_LN_1000 / yaml_number(map, "t60", yaml_positive("s"), 1);
    if (yaml_has(map, "damping")) return 0.5 * yaml_number(map, "damping", yaml_not_negative("1/s"), 0);
    return yaml_number(map, "decay", yaml_not_negative("1/s"), 0);
}

static double decay_or_material(const Reader* reader, double decay, const twMaterial* material, double freq_hz)
{
    if (decay >= 0 || !material) return decay;
    const twDamping damping = read_material_damping(reader, material);
    return damping.kind == TW_DAMPING_CURVE ? tw_damping_decay(&damping, freq_hz)
                                            : tw_material_decay(material, freq_hz);
}

static void check_nyquist(Reader* reader, const twNode* node, double freq_hz)
{
    double nyquist = 0.5 * reader->scene->rate_hz * reader->scene->oversample;
    if (freq_hz >= nyquist)
        yaml_fail(node, "%g Hz is not below half the rate, %g Hz; drop the mode or raise 'rate' or 'oversample'",
                  freq_hz, nyquist);
}

static void read_mode_list(Reader* reader, const twNode* object, const twMaterial* material, ModeList* list)
{
    const twNode* modes = yaml_need_list(object, "modes");
    if (!modes) return;
    if (modes->count == 0) yaml_fail(modes, "'modes' is empty; write at least one, like {freq: 440}");
    if (modes->count > READ_MAX_MODES) yaml_fail(modes, "%d modes are more than %d", modes->count, READ_MAX_MODES);
    double common_mass = yaml_number(object, "modal_mass", yaml_positive("kg"), DEFAULT_MODAL_MASS),
           common_decay = read_decay(object);
    if (!yaml_ok(reader->doc) || !mode_list_alloc(reader, list, modes->count)) return;
    int i = 0;
    YAML_EACH(mode, modes)
    {
        if (!yaml_as_map(mode)) return;
        yaml_keys(mode, "freq", "decay", "damping", "t60", "mass", "gain");
        list->freq_hz[i] = yaml_need_number(mode, "freq", yaml_not_negative("Hz"));
        check_nyquist(reader, yaml_get(mode, "freq"), list->freq_hz[i]);
        double decay = read_decay(mode);
        list->decay[i] = decay_or_material(reader, decay >= 0 ? decay : common_decay, material, list->freq_hz[i]);
        list->mass[i] = yaml_number(mode, "mass", yaml_positive("kg"), common_mass);
        if (yaml_has(mode, "gain"))
        {
            if (yaml_has(mode, "mass")) yaml_fail_key(yaml_get(mode, "gain"), "'gain' is 1/mass; keep one of them");
            list->mass[i] = 1 / yaml_number(mode, "gain", yaml_positive("1/kg"), 1);
        }
        i++;
    }
}

static void read_series(Reader* reader, const twNode* object, const twMaterial* material, ModeList* list)
{
    static const char* const kinds[] = {"string", "bar", "cantilever", NULL};
    const twNode* series = yaml_need_map(object, "series");
    if (!series) return;
    yaml_keys(series, "kind", "freq", "count", "mass", "decay", "damping", "t60");
    list->has_series = true;
    list->series = (twSeries)yaml_choice(series, "kind", kinds, TW_SERIES_BAR);
    double first = yaml_need_number(series, "freq", yaml_positive("Hz")), decay = read_decay(series);
    int count = (int)yaml_integer(series, "count", 1, READ_MAX_MODES, DEFAULT_SERIES_COUNT);
    // without a count, as many as fit below half the rate
    double limit = 0.5 * reader->scene->rate_hz * reader->scene->oversample;
    while (!yaml_has(series, "count") && count > 1 && first * tw_series_ratio(list->series, count - 1) >= limit)
        count--;
    double mass = yaml_number(series, "mass", yaml_positive("kg"), DEFAULT_SERIES_MASS);
    if (!yaml_ok(reader->doc) || !mode_list_alloc(reader, list, count)) return;
    for (int i = 0; i < count && yaml_ok(reader->doc); i++)
    {
        list->freq_hz[i] = first * tw_series_ratio(list->series, i);
        list->decay[i] = decay_or_material(reader, decay, material, list->freq_hz[i]);
        list->mass[i] = mass * tw_series_mass_share(list->series);
        double nyquist = 0.5 * reader->scene->rate_hz * reader->scene->oversample;
        if (list->freq_hz[i] >= nyquist)
            yaml_fail(yaml_get(series, "count") ? yaml_get(series, "count") : series,
                      "mode %d of the series is at %g Hz, not below half the rate, %g Hz; 'count' can be %d at most",
                      i + 1, list->freq_hz[i], nyquist, i);
    }
}

// ---- points and pickups ----

// one row of weights: a list, or a position on a series
static void read_weights(Reader* reader, const twNode* node, const ModeList* list, double* row)
{
    if (node->kind == TW_NODE_SCALAR && list->has_series)
    {
        double position = yaml_as_number(node, yaml_between(0, 1, NULL));
        for (int k = 0; k < list->count; k++) row[k] = tw_series_shape(list->series, k, position);
        return;
    }
    if (node->kind != TW_NODE_LIST)
    {
        yaml_fail(node,
                  list->has_series ? "write a position from 0 to 1, or a list of %d numbers, one per mode"
                                   : "write a list of %d numbers, one per mode",
                  list->count);
        return;
    }
    int count;
    const double* numbers = yaml_as_numbers(node, yaml_any(NULL), list->count, list->count, &count);
    if (yaml_ok(reader->doc)) memcpy(row, numbers, (size_t)count * sizeof(double));
}

// a table of named rows; a missing one has a single row
static double* read_rows(Reader* reader, const twNode* map, const ModeList* list, int* count, const char* const** names)
{
    *count = map && map->count ? map->count : 1;
    if (map && map->count == 0) yaml_fail(map, "'%s' is empty; leave it out or name at least one", map->key);
    const char** named = read_alloc(reader, (size_t)*count, sizeof(char*));
    double* rows = read_alloc(reader, (size_t)*count * (size_t)list->count, sizeof(double));
    *names = named;
    if (reader->no_memory || !yaml_ok(reader->doc)) return rows;
    named[0] = "";
    int i = 0;
    YAML_EACH(node, map)
    {
        named[i] = read_copy(reader, node->key);
        read_weights(reader, node, list, rows + (size_t)i * (size_t)list->count);
        i++;
    }
    return rows;
}

static void default_row(const ModeList* list, double* row)
{
    for (int k = 0; k < list->count; k++)
        row[k] =
            list->has_series ? tw_series_shape(list->series, k, list->series == TW_SERIES_CANTILEVER ? 1 : 0.1) : 1;
}

static void build_modes(Reader* reader, const twNode* node, const ModeList* list, twSceneObject* object)
{
    const twNode *points = yaml_map(node, "points"), *pickups = yaml_map(node, "pickups");
    double* shape = read_rows(reader, points, list, &object->point_count, &object->point_names);
    double* pickup = read_rows(reader, pickups, list, &object->pickup_count, &object->pickup_names);
    object->displacement = read_alloc(reader, (size_t)list->count, sizeof(double));
    object->velocity = read_alloc(reader, (size_t)list->count, sizeof(double));
    if (reader->no_memory || !yaml_ok(reader->doc)) return;
    if (!points) default_row(list, shape);
    if (!pickups) memcpy(pickup, shape, (size_t)list->count * sizeof(double));
    twModesDef def = tw_modes_def();
    def.mode_count = list->count;
    def.freq_hz = list->freq_hz;
    def.decay = list->decay;
    def.mass = list->mass;
    def.point_count = object->point_count;
    def.shape = shape;
    def.pickup_count = object->pickup_count;
    def.pickup = pickup;
    twError err;
    if (tw_modes_create(&object->modes, &def, &err) != TW_OK) yaml_fail_key(node, "%s", err.text);
}

// ---- objects ----

static void read_rigid(Reader* reader, const twNode* node, twSceneObject* object)
{
    yaml_keys(node, "mass", "damping", "position", "velocity");
    ModeList list = {0};
    if (!mode_list_alloc(reader, &list, 1)) return;
    list.mass[0] = yaml_number(node, "mass", yaml_positive("kg"), 1);
    list.decay[0] = 0.5 * yaml_number(node, "damping", yaml_not_negative("1/s"), 0);
    object->rigid = true;
    if (!yaml_ok(reader->doc)) return;
    build_modes(reader, node, &list, object);
    if (reader->no_memory || !yaml_ok(reader->doc)) return;
    object->displacement[0] = yaml_number(node, "position", yaml_any("m"), 0);
    object->velocity[0] = yaml_number(node, "velocity", yaml_any("m/s"), 0);
}

static void read_object(Reader* reader, const twNode* node, twSceneObject* object)
{
    object->name = read_copy(reader, node->key);
    if (strchr(node->key, '.'))
        yaml_fail_key(node, "an object's name must not hold a dot: 'object.point' names a point");
    if (strcmp(node->key, "wall") == 0) yaml_fail_key(node, "'wall' is the immovable wall; choose another name");
    if (!yaml_as_map(node)) return;
    int forms = yaml_has(node, "mass") + yaml_has(node, "modes") + yaml_has(node, "series");
    if (forms != 1)
    {
        yaml_fail_key(node, "an object needs one of 'mass' (a rigid body), 'modes' (a list) or 'series'; this has %s",
                      forms ? "several" : "none");
        return;
    }
    if (yaml_has(node, "mass"))
    {
        read_rigid(reader, node, object);
        return;
    }
    yaml_keys(node, "modes", "series", "material", "modal_mass", "decay", "damping", "t60", "points", "pickups");
    const twMaterial* material = read_material(reader, node);
    ModeList list = {0};
    if (yaml_has(node, "modes"))
        read_mode_list(reader, node, material, &list);
    else
        read_series(reader, node, material, &list);
    if (!yaml_ok(reader->doc) || reader->no_memory) return;
    build_modes(reader, node, &list, object);
    // modes at 0 Hz alone make no sound
    object->rigid = true;
    for (int k = 0; k < list.count; k++) object->rigid = object->rigid && list.freq_hz[k] == 0;
}

void read_objects(Reader* reader, const twNode* root)
{
    const bool alone = reader->scene->rod_count + reader->scene->body_count == 0;
    const twNode* map = alone ? yaml_need_map(root, "objects") : yaml_map(root, "objects");
    if (!map) return;
    if (map->count == 0) yaml_fail(map, "'objects' is empty; name at least one");
    twScene* scene = reader->scene;
    scene->objects = read_alloc(reader, (size_t)map->count, sizeof(twSceneObject));
    if (reader->no_memory) return;
    YAML_EACH(node, map)
    {
        scene->object_count++;  // before reading: destroy must see its modes
        read_object(reader, node, &scene->objects[scene->object_count - 1]);
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
    }
}

// ---- references ----

static int find_name(const char* const* names, int count, const char* name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

bool read_reference(Reader* reader, const twNode* node, const char* text, bool pickup, int* object, int* part)
{
    const twScene* scene = reader->scene;
    const char* dot = strchr(text, '.');
    size_t length = dot ? (size_t)(dot - text) : strlen(text);
    *object = *part = 0;
    while (*object < scene->object_count &&
           (strlen(scene->objects[*object].name) != length || strncmp(scene->objects[*object].name, text, length) != 0))
        ++*object;
    if (*object == scene->object_count)
    {
        const char** names = read_alloc(reader, (size_t)scene->object_count + 1, sizeof *names);
        for (int i = 0; names && i < scene->object_count; i++) names[i] = scene->objects[i].name;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
        const char* near = names ? tw_nearest_name(name, names, scene->object_count) : NULL;
        yaml_fail(node, "there is no object%s '%s'%s%s%s",
                  pickup && scene->rod_count + scene->body_count > 0 ? " or listener" : "", name,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    if (!dot) return true;
    const twSceneObject* o = &scene->objects[*object];
    *part = pickup ? find_name(o->pickup_names, o->pickup_count, dot + 1)
                   : find_name(o->point_names, o->point_count, dot + 1);
    if (*part >= 0) return true;
    yaml_fail(node, "'%s' has no %s '%s'", o->name, pickup ? "pickup" : "point", dot + 1);
    *part = 0;
    return false;
}
