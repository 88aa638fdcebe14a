// SPDX-License-Identifier: MIT
// Bodies in a scene: what they are made from, where they are, how they move.

#include "reader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MODES 4096
#define MAX_HOLDS 64
#define MAX_REGIONS 64
#define DEFAULT_GRAIN 1e-3  // [m]
#define MAX_SPEED 1e6       // [m/s], [rad/s]: no more than TW_MAX_SPIN

// ---- small things ----

twVec3 read_direction(const twNode* map, const char* key, twVec3 fallback)
{
    const twVec3 v = read_vec3(map, key, NULL, fallback);
    if (!(tw_vec3_norm(v) > 0)) yaml_fail(yaml_get(map, key), "'%s' has no direction", key);
    return tw_vec3_normalize(v);
}

static twQuat degrees(twVec3 axis, double angle) { return tw_quat_from_axis_angle(axis, angle * TW_PI / 180); }

twQuat read_turn(const twNode* map, const char* key)
{
    const twNode* node = yaml_get(map, key);
    if (!node) return tw_quat_identity();
    if (node->kind == TW_NODE_MAP)
    {
        yaml_keys(node, "axis", "angle");
        const twVec3 axis = read_direction(node, "axis", tw_vec3(0, 0, 1));
        return degrees(axis, yaml_need_number(node, "angle", yaml_any("degrees")));
    }
    if (node->kind != TW_NODE_LIST)
        yaml_fail(node, "'%s' must be [x, y, z] in degrees, or a map of 'axis' and 'angle'", key);
    const twVec3 v = read_vec3(map, key, "degrees", tw_vec3(0, 0, 0));
    const twQuat x = degrees(tw_vec3(1, 0, 0), v.x), y = degrees(tw_vec3(0, 1, 0), v.y);
    return tw_quat_normalize(tw_quat_mul(degrees(tw_vec3(0, 0, 1), v.z), tw_quat_mul(y, x)));
}

const char* read_where(Reader* reader, const twNode* node)
{
    const twPlace* place = node->key ? &node->key_place : &node->place;
    const size_t bytes = strlen(reader->doc->name) + TW_TRACE_NAME + 48;
    const bool imported = read_imported(reader, node) >= 0;
    char* text = read_alloc(reader, bytes, 1);
    if (text)
        snprintf(text, bytes, "%s:%d:%d%s%.64s%s", reader->doc->name, place->line, place->column,
                 imported ? ", imported '" : "", imported ? node->key : "", imported ? "'" : "");
    return text ? text : "";
}

bool read_is_copy(const char* name, const char* base)
{
    const size_t n = strlen(base);
    return strncmp(name, base, n) == 0 && name[n] == '-' && name[n + 1] >= '1' && name[n + 1] <= '9' &&
           name[n + 1 + strspn(name + n + 1, "0123456789")] == 0;
}

static const char* nearest_body(Reader* reader, const char* name)
{
    const twScene* scene = reader->scene;
    const char** names = read_alloc(reader, (size_t)scene->body_count + 1, sizeof *names);
    for (int i = 0; names && i < scene->body_count; i++) names[i] = scene->bodies[i].name;
    return names ? tw_nearest_name(name, names, -1) : NULL;
}

int read_body_name(Reader* reader, const twNode* node, const char* name)
{
    const twScene* scene = reader->scene;
    int copies = 0;
    for (int i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0) return i;
    for (int i = 0; i < scene->body_count; i++) copies += read_is_copy(scene->bodies[i].name, name);
    const char* near = nearest_body(reader, name);
    if (copies > 0)
        yaml_fail(node, "there are %d of '%.60s'; name one, '%.60s-1' to '%.60s-%d'", copies, name, name, name, copies);
    else if (near)
        yaml_fail(node, "there is no body '%.60s'; did you mean '%s'?", name, near);
    else
        yaml_fail(node, "there is no body '%.60s'", name);
    return -1;
}

// ---- surfaces ----

static void read_coefficients(const twNode* map, twContactMaterial* contact)
{
    const twNode* node = yaml_get(map, "friction");
    const twRange range = yaml_between(0, 100, NULL);
    if (node && node->kind == TW_NODE_LIST)
    {
        int count;
        const double* v = yaml_numbers(map, "friction", range, 2, 2, &count);
        if (v) contact->stick = v[0], contact->slide = v[1];
        if (v && v[1] > v[0])
            yaml_fail(node, "'friction' is [static, dynamic], and the dynamic one is not the greater");
    }
    else if (node)
        contact->stick = contact->slide = yaml_as_number(node, range);
    contact->restitution = yaml_number(map, "restitution", yaml_between(0, 1, NULL), contact->restitution);
}

int read_surface(Reader* reader, const twNode* map) { return read_surface_of(reader, map, read_material(reader, map)); }

int read_surface_of(Reader* reader, const twNode* map, const twMaterial* material)
{
    twScene* scene = reader->scene;
    if (!material || !yaml_ok(reader->doc) || reader->no_memory) return 0;
    twSceneSurface surface = {.material = material->name, .contact = tw_contact_material(material)};
    read_coefficients(map, &surface.contact);
    for (int i = 0; i < scene->surface_count; i++)
        if (strcmp(scene->surfaces[i].material, surface.material) == 0 &&
            memcmp(&scene->surfaces[i].contact, &surface.contact, sizeof surface.contact) == 0)
            return i;
    scene->surfaces[scene->surface_count] = surface;
    return scene->surface_count++;
}

// ---- shapes ----

static const char* const flexibles[] = {"auto", "true", "false", NULL};  // ReadFlexible

static void read_default_flexible(Reader* reader, const twNode* root)
{
    reader->default_flexible = (ReadFlexible)yaml_choice(root, "default_flexible", flexibles, READ_FLEXIBLE_AUTO);
}

// whether a body must have modes because of what else it says
static bool read_needs_modes(const twNode* node)
{
    return yaml_has(node, "hold") || yaml_has(node, "regions") || yaml_has(node, "bend") || yaml_has(node, "warp") ||
           yaml_has(node, "surface");
}

static void read_coupling(const twNode* node, twSceneShape* shape)
{
    static const char* const couplings[] = {"auto", "two-way", "one-way", NULL};
    const bool bent = yaml_has(node, "bend"), limited = yaml_has(yaml_get(node, "flexible"), "max_freq");
    const int usual = bent ? TW_COUPLING_TWO_WAY : TW_COUPLING_AUTO;
    shape->coupling = (twCoupling)yaml_choice(node, "coupling", couplings, usual);
    if (shape->coupling == TW_COUPLING_ONE_WAY && (bent || limited))
        yaml_fail_key(yaml_get(node, "coupling"), "with 'one-way' no mode acts on the motion: leave it out, or '%s'",
                      bent ? "bend" : "max_freq");
}

static void read_flexible(const Reader* reader, const twNode* node, twSceneShape* shape)
{
    const twNode* flexible = yaml_get(node, "flexible");
    const bool map = flexible && flexible->kind == TW_NODE_MAP;
    shape->max_freq_hz = tw_body_shape_def().max_freq_hz;
    ReadFlexible said = reader->default_flexible;
    if (flexible) said = map ? READ_FLEXIBLE : (ReadFlexible)yaml_choice(node, "flexible", flexibles, READ_RIGID);
    shape->flexible = said != READ_RIGID;
    shape->automatic = said == READ_FLEXIBLE_AUTO && !read_needs_modes(node);
    read_coupling(node, shape);
    if (!map) return;
    yaml_keys(flexible, "modes", "max_freq", "accuracy", "budget");
    shape->mode_count = (int)yaml_integer(flexible, "modes", 1, MAX_MODES, shape->mode_count);
    shape->max_freq_hz = yaml_number(flexible, "max_freq", yaml_positive("Hz"), shape->max_freq_hz);
    shape->accuracy = yaml_number(flexible, "accuracy", (twRange){.low = 0, .high = 0.5, .above_low = true}, 0);
    shape->budget = yaml_number(flexible, "budget", yaml_positive("s"), 0);
}

static void read_hold(const twNode* item, twPart* part)
{
    twError err;
    const char* text = yaml_as_text(item);
    if (yaml_ok(item->doc) && tw_part_parse(part, text, &err) != TW_OK) yaml_fail(item, "%s", err.text);
}

static void read_holds(Reader* reader, const twNode* node, twSceneShape* shape)
{
    const twNode* hold = yaml_get(node, "hold");
    if (!hold) return;
    const bool list = hold->kind == TW_NODE_LIST;
    if (!shape->flexible)
        yaml_fail_key(hold, "'hold' says where a flexible body cannot move; a rigid one is 'kind: fixed' as a whole");
    if (list && (hold->count < 1 || hold->count > MAX_HOLDS))
        yaml_fail(hold, "'hold' has 1 to %d parts, this has %d", MAX_HOLDS, hold->count);
    if (!yaml_ok(reader->doc)) return;
    shape->hold_count = list ? hold->count : 1;
    twPart* parts = read_alloc(reader, (size_t)shape->hold_count, sizeof *parts);
    shape->holds = parts;
    if (reader->no_memory) return;
    if (!list) read_hold(hold, parts);
    YAML_EACH(item, list ? hold : NULL) { read_hold(item, &parts[item->index]); }
}

static void read_region(Reader* reader, const twNode* item, twBakeRegion* region)
{
    if (!yaml_as_map(item)) return;
    yaml_keys(item, "part", "material");
    twError err;
    const char* text = yaml_need_text(item, "part");
    yaml_need_text(item, "material");
    const twMaterial* material = read_material(reader, item);
    if (!yaml_ok(reader->doc) || !material) return;
    region->material = *material;
    if (tw_part_parse(&region->part, text, &err) != TW_OK) yaml_fail(yaml_get(item, "part"), "%s", err.text);
}

// parts of another material
static void read_regions(Reader* reader, const twNode* node, twSceneShape* shape)
{
    const twNode* list = yaml_list(node, "regions");
    if (!list) return;
    if (!shape->flexible) yaml_fail_key(list, "'regions' are of a flexible body: add 'flexible: true'");
    if (list->count < 1 || list->count > MAX_REGIONS)
        yaml_fail(list, "'regions' has 1 to %d parts, like {part: z<0.1, material: wood}; this has %d", MAX_REGIONS,
                  list->count);
    twBakeRegion* regions = yaml_ok(reader->doc) ? read_alloc(reader, (size_t)list->count, sizeof *regions) : NULL;
    if (!regions) return;
    shape->regions = regions;
    shape->region_count = list->count;
    const bool whole = read_has_damping(node) || shape->damping.kind == TW_DAMPING_CURVE;
    YAML_EACH(item, list)
    {
        twDamping damping = shape->damping;
        read_region(reader, item, &regions[item->index]);
        if (!yaml_ok(reader->doc)) return;
        twMaterial* material = &regions[item->index].material;
        if (!whole && read_material_damping(reader, material).kind == TW_DAMPING_CURVE)
            yaml_fail(yaml_get(item, "material"),
                      "'%.60s' has a 'damping_curve', which is of a whole body, not of a region: give it a "
                      "'loss_factor', or the body the curve",
                      material->name);
        read_damping(node, material, &damping);
    }
}

static bool read_any_wood(const twSceneShape* shape)
{
    bool any = tw_material_is_orthotropic(&shape->material);
    for (int i = 0; i < shape->region_count; i++) any = any || tw_material_is_orthotropic(&shape->regions[i].material);
    return any;
}

// x, y, z or [x, y, z]; a scalar may have the radial direction too
static void read_fibre_direction(const twNode* node, twFibre* fibre)
{
    twError err;
    int count;
    const double* v = node->kind == TW_NODE_LIST ? yaml_as_numbers(node, yaml_any(NULL), 3, 3, &count) : NULL;
    if (v)
        fibre->along = tw_vec3(v[0], v[1], v[2]);
    else if (node->kind != TW_NODE_LIST && tw_fibre_parse(fibre, yaml_as_text(node), &err) != TW_OK)
        yaml_fail(node, "%s", err.text);
    if (v && !(tw_vec3_norm(fibre->along) > 0)) yaml_fail(node, "[0, 0, 0] has no direction");
}

// how the grain of wood lies in the body
static void read_fibre(const twNode* node, twSceneShape* shape)
{
    const twNode* key = yaml_get(node, "fibre");
    twFibre along = {0}, radial = {0};
    twMat3 axes;
    twError err;
    if (!key) return;
    if (key->kind == TW_NODE_MAP)
    {
        yaml_keys(key, "along", "radial");
        if (yaml_has(key, "along")) read_fibre_direction(yaml_get(key, "along"), &along);
        if (yaml_has(key, "radial")) read_fibre_direction(yaml_get(key, "radial"), &radial);
        along.radial = radial.along;
    }
    else
        read_fibre_direction(key, &along);
    shape->fibre = along;
    if (!shape->flexible)
        yaml_fail_key(key, "'fibre' says how the grain of a flexible body lies: add 'flexible: true'");
    else if (!read_any_wood(shape))
        yaml_fail_key(key,
                      "'%s' is the same in all directions: it has no fibres; 'twang materials' lists woods that have",
                      shape->material.name);
    else if (tw_fibre_axes(&axes, &along, tw_vec3(1, 1, 1), &err) != TW_OK && yaml_has(key, "along"))
        yaml_fail_key(key, "%s", err.text);
}

static void read_no_mesh(const twNode* node, const char* path)
{
    twError err;
    if (tw_mesh_is_foreign(path, &err))
        yaml_fail(node, "%s", err.text);
    else
        yaml_fail(node, "%s is no mesh: it must be OBJ, STL, PLY, OFF or glTF", path);
}

// the mesh that is drawn instead
static void read_cover(Reader* reader, const twNode* node, twSceneShape* shape)
{
    const twNode* cover = yaml_get(node, "surface");
    if (!cover) return;
    const char* text = yaml_as_text(cover);
    if (!yaml_ok(reader->doc)) return;
    if (!shape->flexible) yaml_fail_key(cover, "a 'surface' is embedded in a flexible body: add 'flexible: true'");
    shape->cover = read_path(reader, read_copy(reader, text));
    if (access(shape->cover, R_OK) != 0)
        yaml_fail(cover, "there is no file %s", shape->cover);
    else if (tw_mesh_kind(shape->cover) != TW_MESH_SURFACE)
        read_no_mesh(cover, shape->cover);
}

// a rigid sphere is exact: its radius from its text, by what the shape itself makes of it
static double ball_radius(const twShape* shape, const char* text)
{
    return strncmp(text, "sphere:", 7) == 0 ? 0.5 * tw_shape_thickness(shape) : 0;
}

static void read_procedural(const twNode* node, const twNode* source, twSceneShape* shape)
{
    twError err;
    twShape* parsed;
    if (tw_shape_parse(&parsed, shape->source, &err) != TW_OK)
    {
        yaml_fail(source, "%s", err.text);
        return;
    }
    if (!shape->flexible || shape->automatic) shape->ball_radius = ball_radius(parsed, shape->source);
    if (shape->ball_radius > 0) shape->flexible = shape->automatic = false;
    tw_shape_destroy(parsed);
    const twNode* scale = yaml_get(node, yaml_has(node, "units") ? "units" : "scale");
    if (scale) yaml_fail_key(scale, "'%s' is for files; the lengths of '%.60s' are metres", scale->key, shape->source);
    shape->edge = yaml_number(node, "edge", yaml_positive("m"), 0);
}

// metres of a length of a file: by 'units' or 'scale'
static double read_scale(const twNode* node)
{
    const char* names[16] = {NULL};
    int count;
    const twUnit* units = tw_units(&count);
    for (int i = 0; i < count && i < 15; i++) names[i] = units[i].name;
    if (yaml_has(node, "units") && yaml_has(node, "scale"))
        yaml_fail_key(yaml_get(node, "scale"), "'units' and 'scale' say the same thing; keep one");
    if (yaml_has(node, "units")) return units[yaml_choice(node, "units", names, 0)].metres;
    return yaml_number(node, "scale", yaml_positive(NULL), 1);
}

static void read_file(Reader* reader, const twNode* node, const twNode* source, twSceneShape* shape)
{
    shape->scale = read_scale(node);
    if (yaml_has(node, "edge"))
        yaml_fail_key(yaml_get(node, "edge"), "a file has the triangles it has; 'edge' is for shapes like 'mug:'");
    const char* name = shape->source;
    shape->source = read_path(reader, name);
    FILE* file = fopen(shape->source, "rb");
    const bool empty = file && fgetc(file) == EOF;
    if (file) fclose(file);
    const twMeshKind kind = tw_mesh_kind(shape->source);
    char meant[300];
    if (!file && tw_shape_meant(meant, sizeof meant, name)[0])
        yaml_fail(source, "there is no file '%s'; the shape is written '%s'", name, meant);
    else if (!file)
        yaml_fail(source,
                  "there is no file %s; write a mesh (OBJ, STL, PLY, OFF, glTF) or a shape like 'box:0.1x0.08x0.06'",
                  shape->source);
    else if (kind == TW_MESH_NONE && empty)
        yaml_fail(source, "the file %s is empty, or cannot be read", shape->source);
    else if (kind == TW_MESH_NONE)
        read_no_mesh(source, shape->source);
    else if (kind == TW_MESH_TETS && !shape->flexible)
        yaml_fail(source, "%s holds tets; a rigid body needs a surface, or make it 'flexible'", shape->source);
}

static void read_import_mesh(Reader* reader, const twNode* node, const twNode* source, twSceneShape* shape)
{
    static const char* const others[] = {"scale", "units", "edge"};
    const int body = read_import_shape(reader, shape->source);
    if (body >= 0)
        shape->mesh = reader->scene->import->shapes[reader->scene->import->bodies[body].shape];
    else
        yaml_fail(source, "the imported file has no body of that name; 'twang info' lists what it has");
    for (int i = 0; i < 3; i++)
        if (yaml_has(node, others[i]))
            yaml_fail_key(yaml_get(node, others[i]),
                          "an imported body has the size and the triangles it has; 'import' has a 'unit' for all");
}

// whether a shape is of the imported file: its name and a hash in front
static bool is_imported(const Reader* reader, const char* shape)
{
    const char* hash = strchr(shape, '#');
    const size_t length = hash ? (size_t)(hash - shape) : 0;
    return reader->import_name && hash && strlen(reader->import_name) == length &&
           strncmp(shape, reader->import_name, length) == 0;
}

static void read_shape(Reader* reader, const twNode* node, twSceneShape* shape)
{
    const twNode* source = yaml_get(node, "shape");
    const char* text = yaml_need_text(node, "shape");
    const twMaterial* material = read_material(reader, node);
    if (!yaml_ok(reader->doc) || !material) return;
    *shape = (twSceneShape){.where = read_where(reader, node), .scale = 1, .material = *material};
    shape->source = read_copy(reader, text);
    shape->damping = read_material_damping(reader, material);
    read_damping(node, &shape->material, &shape->damping);
    read_flexible(reader, node, shape);
    read_holds(reader, node, shape);
    read_regions(reader, node, shape);
    read_fibre(node, shape);
    read_cover(reader, node, shape);
    shape->thickness = yaml_number(node, "thickness", yaml_positive("m"), 0);
    if (shape->thickness > 0 && tw_shape_looks_like(shape->source))
        yaml_fail_key(yaml_get(node, "thickness"),
                      "'thickness' is for meshes that are shells; shapes like 'mug:' have their own");
    if (shape->thickness > 0 && shape->cover)
        yaml_fail_key(yaml_get(node, "thickness"), "a shell has no inside that could carry another 'surface'");
    shape->mass = yaml_number(node, "mass", yaml_positive("kg"), 0);
    if (!yaml_ok(reader->doc) || reader->no_memory) return;
    if (is_imported(reader, shape->source))
        read_import_mesh(reader, node, source, shape);
    else if (tw_shape_looks_like(shape->source))
        read_procedural(node, source, shape);
    else
        read_file(reader, node, source, shape);
}

static bool same_part(const twPart* a, const twPart* b)
{
    char x[256], y[256];
    return strcmp(tw_part_text(x, sizeof x, a), tw_part_text(y, sizeof y, b)) == 0;
}

static bool same_regions(const twSceneShape* a, const twSceneShape* b)
{
    bool same = a->region_count == b->region_count;
    for (int i = 0; same && i < a->region_count; i++)
        same = same_part(&a->regions[i].part, &b->regions[i].part) &&
               strcmp(a->regions[i].material.name, b->regions[i].material.name) == 0;
    return same;
}

static bool same_damping(const twSceneShape* a, const twSceneShape* b)
{
    return a->material.alpha == b->material.alpha && a->material.beta == b->material.beta &&
           a->material.loss_factor == b->material.loss_factor &&
           memcmp(&a->damping, &b->damping, sizeof a->damping) == 0;
}

static bool same_shape(const twSceneShape* a, const twSceneShape* b)
{
    const bool one = a->mesh || b->mesh ? a->mesh == b->mesh : strcmp(a->source, b->source) == 0;
    bool same = one && a->scale == b->scale && strcmp(a->material.name, b->material.name) == 0 && a->mass == b->mass &&
                a->thickness == b->thickness && memcmp(&a->fibre, &b->fibre, sizeof a->fibre) == 0 &&
                a->edge == b->edge && a->flexible == b->flexible && a->automatic == b->automatic &&
                a->hold_count == b->hold_count && !a->cover == !b->cover &&
                (!a->cover || strcmp(a->cover, b->cover) == 0) && same_regions(a, b) && same_damping(a, b);
    if (a->flexible)
        same = same && a->coupling == b->coupling && a->mode_count == b->mode_count &&
               a->max_freq_hz == b->max_freq_hz && a->accuracy == b->accuracy && a->budget == b->budget;
    for (int i = 0; same && i < a->hold_count; i++) same = same_part(&a->holds[i], &b->holds[i]);
    return same;
}

// index of the shape, which others may have already
static int keep_shape(twScene* scene, const twSceneShape* shape)
{
    for (int i = 0; i < scene->shape_count; i++)
        if (same_shape(&scene->shapes[i], shape)) return i;
    scene->shapes[scene->shape_count] = *shape;
    return scene->shape_count++;
}

// ---- motion ----

twBodyMotion tw_scene_drive(const twSceneDrive* drive, double time)
{
    if (drive->import) return tw_import_motion(drive->import, drive->imported, time);
    double at[3], speed[3];
    for (int k = 0; k < 3; k++)
    {
        at[k] = tw_signal_value(&drive->along[k], time, NULL);
        speed[k] = tw_signal_rate(&drive->along[k], time);
    }
    const double angle = tw_signal_value(&drive->angle, time, NULL) * TW_PI / 180;
    const twVec3 spin = tw_vec3_scale(drive->axis, tw_signal_rate(&drive->angle, time) * TW_PI / 180);
    const twQuat turn = tw_quat_from_axis_angle(drive->axis, angle);
    const twVec3 arm = tw_quat_rotate(turn, tw_vec3_sub(drive->start.position, drive->about));
    return (twBodyMotion){
        .position = tw_vec3_add(tw_vec3_add(drive->about, arm), tw_vec3(at[0], at[1], at[2])),
        .turn = tw_quat_normalize(tw_quat_mul(turn, drive->start.turn)),
        .velocity = tw_vec3_add(tw_vec3_cross(spin, arm), tw_vec3(speed[0], speed[1], speed[2])),
        .spin = spin,
    };
}

static twSignal read_way(Reader* reader, const twNode* map, const char* key, const char* unit)
{
    const twSignal signal = read_signal(reader, map, key, yaml_any(unit), 0);
    const bool steps = signal.kind == TW_SIGNAL_KEYFRAMES && signal.interpolation == TW_STEP && signal.count > 1;
    if (signal.kind == TW_SIGNAL_NOISE || steps)
        yaml_fail(yaml_get(map, key), "%s jump: nothing can move like that", steps ? "steps" : "samples of noise");
    return signal;
}

// the way of a moved body; where it begins is filled in for each copy
static twSceneDrive* read_drive(Reader* reader, const twNode* node)
{
    static const char* const names[] = {"x", "y", "z"};
    const twNode* map = yaml_map(node, "move");
    if (!map) return NULL;
    yaml_keys(map, "x", "y", "z", "angle", "axis", "about");
    twSceneDrive* drive = read_alloc(reader, 1, sizeof *drive);
    if (!drive) return NULL;
    for (int k = 0; k < 3; k++) drive->along[k] = read_way(reader, map, names[k], "m");
    drive->angle = read_way(reader, map, "angle", "degrees");
    drive->axis = read_direction(map, "axis", tw_vec3(0, 0, 1));
    if (!yaml_has(map, "angle") && (yaml_has(map, "axis") || yaml_has(map, "about")))
        yaml_fail(map, "'axis' and 'about' say what it turns about; add 'angle' in degrees");
    drive->about = read_vec3(map, "about", "m", tw_vec3(0, 0, 0));
    return drive;
}

// how an imported body is moved by its animation
static twSceneDrive* read_import_drive(Reader* reader, const twNode* node, int imported)
{
    static const char* const others[] = {"position", "turn", "copies"};
    twError err = {0};
    for (int i = 0; i < 3; i++)
        if (yaml_has(node, others[i]))
            yaml_fail_key(yaml_get(node, others[i]), "'%s' follows the animation; move it there, or add 'kind: fixed'",
                          node->key);
    if (tw_import_check(reader->scene->import, imported, &err) != TW_OK)
        yaml_fail_key(node, "%s, or write 'bodies: {\"%s\": {kind: fixed}}'", err.text, node->key);
    twSceneDrive* drive = read_alloc(reader, 1, sizeof *drive);
    if (drive) *drive = (twSceneDrive){.import = reader->scene->import, .imported = imported};
    return drive;
}

// whether an imported body follows its animation
static bool is_animated(const Reader* reader, const twNode* node)
{
    const int imported = read_imported(reader, node);
    return imported >= 0 && reader->scene->import->bodies[imported].moves && !yaml_has(node, "move");
}

static void read_kind(const Reader* reader, const twNode* node, const twSceneShape* shape, twSceneBody* body)
{
    static const char* const kinds[] = {"free", "fixed", "moved", NULL};
    const bool moves = yaml_has(node, "move"), animated = is_animated(reader, node);
    const twNode* kind = yaml_get(node, "kind");
    body->kind = (twBodyKind)yaml_choice(node, "kind", kinds, moves ? TW_BODY_MOVED : TW_BODY_FREE);
    if (moves && body->kind != TW_BODY_MOVED)
        yaml_fail(kind, "a body with 'move' is 'kind: moved', or leave 'kind' out");
    if (!moves && !animated && body->kind == TW_BODY_MOVED)
        yaml_fail(kind, "a moved body needs a 'move': {x: ..., angle: ...}");
    if (body->kind == TW_BODY_FREE && shape->hold_count > 0)
        yaml_fail_key(yaml_get(node, "hold"), "what is held somewhere is not free: add 'kind: fixed', or 'move' it");
    const twNode* speed = yaml_has(node, "velocity") ? yaml_get(node, "velocity") : yaml_get(node, "spin");
    if (speed && body->kind != TW_BODY_FREE)
        yaml_fail_key(speed, "a %s body has no '%s' of its own%s", kinds[body->kind], speed->key,
                      body->kind == TW_BODY_MOVED ? (animated ? "; it follows its animation" : "; it follows 'move'")
                                                  : "");
}

static twVec3 read_speed(const twNode* node, const char* key, const char* unit)
{
    int count;
    const double* v = yaml_numbers(node, key, yaml_between(-MAX_SPEED, MAX_SPEED, unit), 3, 3, &count);
    return v && count == 3 ? tw_vec3(v[0], v[1], v[2]) : tw_vec3(0, 0, 0);
}

static void read_bend(const twNode* node, const twSceneShape* shape, twSceneBody* body)
{
    const twNode* map = yaml_map(node, "bend");
    if (!map) return;
    yaml_keys(map, "at", "force");
    body->bent = true;
    body->bend_at = read_vec3(map, "at", "m", tw_vec3(0, 0, 0));
    body->bend_force = read_vec3(map, "force", "N", tw_vec3(0, 0, 0));
    if (!shape->flexible) yaml_fail_key(map, "a rigid body does not bend: add 'flexible: true'");
    if (!yaml_has(map, "at") || !yaml_has(map, "force"))
        yaml_fail(map, "'bend' needs 'at', a place on the body, and a 'force' there in N: [x, y, z] each");
}

// ---- the whole ----

static void check_name(const twNode* node, bool copies)
{
    if (strlen(node->key) >= TW_TRACE_NAME - (copies ? 6u : 0u))
        yaml_fail_key(node, "a body's name has at most %d characters", TW_TRACE_NAME - 1 - (copies ? 6 : 0));
    if (strcmp(node->key, "world") == 0 || strcmp(node->key, "ground") == 0)
        yaml_fail_key(node, "'%s' is what bodies hang on or stand on; choose another name", node->key);
}

static void read_looks(const twNode* node, const twSceneShape* shape, twSceneBody* body)
{
    body->warp = yaml_bool(node, "warp", false);
    body->ghost = yaml_bool(node, "ghost", false);
    if (body->warp && !shape->flexible)
        yaml_fail_key(yaml_get(node, "warp"), "a rigid body does not bend: add 'flexible: true'");
}

// what a body's map says, of all its copies
static void read_one(Reader* reader, const twNode* node, twSceneBody* body)
{
    twSceneShape shape = {0};
    yaml_keys(node, "shape", "scale", "units", "material", "kind", "flexible", "hold", "mass", "edge", "position",
              "turn", "velocity", "spin", "move", "bend", "roughness", "grain", "friction", "restitution", "copies",
              "gain", "contact_damping", "alpha", "beta", "loss_factor", "t60", "damping_curve", "mounting", "regions",
              "surface", "warp", "ghost", "thickness", "fibre", "coupling");
    body->where = read_where(reader, node);
    read_shape(reader, node, &shape);
    if (!yaml_ok(reader->doc) || reader->no_memory) return;
    body->shape = keep_shape(reader->scene, &shape);
    body->surface = read_surface(reader, node);
    read_kind(reader, node, &shape, body);
    const int imported = read_imported(reader, node);
    const twBodyMotion* there = imported >= 0 ? &reader->scene->import->bodies[imported].motion : NULL;
    body->motion.position = read_vec3(node, "position", "m", there ? there->position : tw_vec3(0, 0, 0));
    body->motion.turn = there && !yaml_has(node, "turn") ? there->turn : read_turn(node, "turn");
    body->motion.velocity = read_speed(node, "velocity", "m/s");
    body->motion.spin = read_speed(node, "spin", "rad/s");
    read_looks(node, &shape, body);
    const bool follows = body->kind == TW_BODY_MOVED && is_animated(reader, node);
    body->drive = follows ? read_import_drive(reader, node, imported) : read_drive(reader, node);
    read_bend(node, &shape, body);
    body->roughness = yaml_number(node, "roughness", yaml_between(0, 1, "rad"), 0);
    body->gain = yaml_number(node, "gain", yaml_not_negative(NULL), 1);
    const bool built_in = tw_material_find(shape.material.name) != NULL;
    body->contact_damping =
        yaml_number(node, "contact_damping", yaml_positive("s/m"), built_in ? 0 : shape.material.contact_damping);
    body->grain = yaml_number(node, "grain", yaml_positive("m"), DEFAULT_GRAIN);
    if (yaml_has(node, "grain") && !(body->roughness > 0))
        yaml_fail_key(yaml_get(node, "grain"), "'grain' is of a rough surface: add 'roughness'");
}

const char* read_copy_name(Reader* reader, const char* name, int number)
{
    char text[TW_TRACE_NAME + 16];
    snprintf(text, sizeof text, "%s-%d", name, number);
    return read_copy(reader, text);
}

// a drive of its own, from where the body begins
static void start_drive(Reader* reader, const twNode* node, twSceneBody* body)
{
    twSceneDrive* drive = read_alloc(reader, 1, sizeof *drive);
    if (!drive) return;
    *drive = *body->drive;
    drive->start = body->motion;
    if (!yaml_has(yaml_get(node, "move"), "about")) drive->about = body->motion.position;
    body->drive = drive;
    body->motion = tw_scene_drive(drive, 0);
}

static void read_body(Reader* reader, const twNode* node)
{
    twScene* scene = reader->scene;
    twSceneBody first = {0};
    if (!yaml_as_map(node)) return;
    const Copies copies = read_copies(reader, node);
    check_name(node, copies.given);
    if (yaml_ok(reader->doc)) read_one(reader, node, &first);
    const int total = copies_total(&copies);
    twBodyMotion* places = read_alloc(reader, (size_t)total, sizeof *places);
    if (!yaml_ok(reader->doc) || reader->no_memory) return;
    copies_place(&copies, &first.motion, places);
    for (int i = 0; i < total; i++)
    {
        twSceneBody* body = &scene->bodies[scene->body_count++];
        *body = first;
        body->motion = places[i];
        body->name = copies.given ? read_copy_name(reader, node->key, i + 1) : read_copy(reader, node->key);
        if (first.drive) start_drive(reader, node, body);
    }
}

static int compare_names(const void* a, const void* b)
{
    return strcmp((*(const twSceneBody* const*)a)->name, (*(const twSceneBody* const*)b)->name);
}

// copies may be called as another body is
static void check_names(Reader* reader, const twNode* map)
{
    twScene* scene = reader->scene;
    const twSceneBody** sorted = read_alloc(reader, (size_t)scene->body_count, sizeof *sorted);
    if (!sorted) return;
    for (int i = 0; i < scene->body_count; i++) sorted[i] = &scene->bodies[i];
    qsort(sorted, (size_t)scene->body_count, sizeof *sorted, compare_names);
    for (int i = 1; i < scene->body_count; i++)
        if (strcmp(sorted[i]->name, sorted[i - 1]->name) == 0)
            yaml_fail(map, "two bodies are called '%s', one of them by 'copies'; rename one", sorted[i]->name);
}

// how many bodies a scene has
static int count_bodies(Reader* reader, const twNode* map)
{
    double total = 0;
    YAML_EACH(node, map)
    {
        if (!yaml_as_map(node)) return 0;
        const Copies copies = read_copies(reader, node);
        total += copies_total(&copies);
    }
    if (total > TW_MAX_SCENE_BODIES) yaml_fail(map, "%.0f bodies are more than %d", total, TW_MAX_SCENE_BODIES);
    return total <= TW_MAX_SCENE_BODIES ? (int)total : 0;
}

static void refuse(const twNode* root, const char* key, const char* why)
{
    if (yaml_has(root, key)) yaml_fail_key(yaml_get(root, key), "'%s' %s", key, why);
}

void read_bodies(Reader* reader, const twNode* root)
{
    const twNode* map = yaml_map(root, "bodies");
    twScene* scene = reader->scene;
    const twNode* rods = yaml_get(root, "rods");
    read_default_flexible(reader, root);
    const size_t kinds = (map ? (size_t)map->count : 0) + (rods ? (size_t)rods->count : 0) + 1;
    scene->surfaces = read_alloc(reader, kinds, sizeof *scene->surfaces);
    if (!map) return;
    if (map->count == 0) yaml_fail(map, "'bodies' is empty; name at least one");
    static const char* const others[] = {"objects", "interactions", "forces", "strikes"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        refuse(root, others[i], "and 'bodies' do not know of each other; make two scenes of them");
    if (!rods) refuse(root, "oversample", "is not for bodies, which choose their steps themselves; see 'world'");
    refuse(root, "scheme", "is not for bodies; see 'world'");
    const int total = count_bodies(reader, map);
    scene->bodies = read_alloc(reader, (size_t)total, sizeof *scene->bodies);
    scene->shapes = read_alloc(reader, (size_t)map->count, sizeof *scene->shapes);
    YAML_EACH(node, map)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        read_body(reader, node);
    }
    if (yaml_ok(reader->doc) && !reader->no_memory) check_names(reader, map);
}
