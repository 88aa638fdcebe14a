// SPDX-License-Identifier: MIT
// An imported file in a scene. What it holds is written into the tree of the scene as if it stood there, unless it does: a map
// in 'bodies' for each of its bodies, with what the scene says of it, and what the file says of the rest; so the readers of
// bodies, ground and camera need not know where these come from. Messages about what the file says point at 'import'.

#include "import/import.h"
#include "reader.h"
#include <math.h>
#include <string.h>

#define MAX_NAMES 1024  // of animations, and of what is left out

// ---- the file ----

// names under a key: one, or a list of them
static const char** read_names(Reader* reader, const twNode* map, const char* key, int* count)
{
    const twNode* node = yaml_get(map, key);
    const bool list = node && node->kind == TW_NODE_LIST;
    *count = 0;
    if (!node) return NULL;
    if (list && node->count > MAX_NAMES) yaml_fail(node, "'%s' has at most %d names", key, MAX_NAMES);
    const char** names = read_alloc(reader, list ? (size_t)node->count : 1, sizeof *names);
    if (!names || !yaml_ok(reader->doc)) return NULL;
    if (!list) names[(*count)++] = yaml_as_text(node);
    YAML_EACH(item, list ? node : NULL) { names[(*count)++] = yaml_as_text(item); }
    return names;
}

// metres, or the name of a unit
static double read_import_unit(const twNode* map, double fallback)
{
    const twNode* node = yaml_get(map, "unit");
    int count;
    const twUnit* units = tw_units(&count);
    for (int i = 0; node && i < count; i++)
        if (strcmp(node->text, units[i].name) == 0) return units[i].metres;
    return yaml_number(map, "unit", (twRange){.low = 0, .high = 1e6, .above_low = true, .unit = "m"}, fallback);
}

static twImportDef read_def(Reader* reader, const twNode* map)
{
    static const char* const ups[] = {"y", "z", NULL};
    twImportDef def = tw_import_def();
    yaml_keys(map, "file", "unit", "up", "animation", "start", "camera", "skip");
    def.unit = read_import_unit(map, def.unit);
    def.z_up = yaml_choice(map, "up", ups, 0) == 1;
    def.start = yaml_number(map, "start", yaml_between(-READ_MAX_DURATION, READ_MAX_DURATION, "s"), 0);
    def.animations = read_names(reader, map, "animation", &def.animation_count);
    if (def.animation_count == 1 && strcmp(def.animations[0], "none") == 0) def.animation_count = 0;
    def.camera = yaml_text(map, "camera", NULL);
    return def;
}

void read_import(Reader* reader, const twNode* root)
{
    const twNode* node = yaml_get(root, "import");
    twImportDef def = tw_import_def();
    twError err;
    if (!node) return;
    if (node->kind == TW_NODE_MAP) def = read_def(reader, node);
    const char* name = node->kind == TW_NODE_MAP ? yaml_need_text(node, "file") : yaml_as_text(node);
    if (!yaml_ok(reader->doc) || reader->no_memory) return;
    reader->import_name = read_copy(reader, name);
    const char* path = read_path(reader, reader->import_name);
    if (tw_import_load(&reader->scene->import, path, &def, &err) == TW_OK)
        reader->scene->hash = tw_hash(&reader->scene->import->hash, sizeof(twHash), reader->scene->hash);
    else
        yaml_fail(node->kind == TW_NODE_MAP ? yaml_get(node, "file") : node, "%s", err.text);
}

// ---- nodes of the scene's tree ----

// what is written here now stands where the import does
static twNode* new_node(Reader* reader, twNodeKind kind, const char* key, const char* text)
{
    const twNode* import = yaml_get(reader->doc->root, "import");
    twNode* node = tw_arena_alloc(reader->doc->arena, 1, sizeof *node);
    if (!node) reader->no_memory = true;
    if (!node) return NULL;
    *node =
        (twNode){.kind = kind, .text = text, .key = key, .place = import->key_place, .key_place = import->key_place};
    node->doc = reader->doc;
    return node;
}

static void append(twNode* parent, twNode* child)
{
    if (!parent || !child) return;
    child->parent = parent;
    child->index = parent->count++;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

// a node that has another place among others; what is in it stays
static void append_copy(Reader* reader, twNode* parent, const twNode* node)
{
    twNode* copy = new_node(reader, node->kind, node->key, node->text);
    if (!copy) return;
    *copy = *node;
    append(parent, copy);
}

static void append_text(Reader* reader, twNode* map, const char* key, const char* text)
{
    append(map, new_node(reader, TW_NODE_SCALAR, key, text));
}

static void append_number(Reader* reader, twNode* parent, const char* key, double number)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", number);
    append_text(reader, parent, key, read_copy(reader, text));
}

static void append_vector(Reader* reader, twNode* map, const char* key, twVec3 v)
{
    twNode* list = new_node(reader, TW_NODE_LIST, key, "");
    append_number(reader, list, NULL, v.x);
    append_number(reader, list, NULL, v.y);
    append_number(reader, list, NULL, v.z);
    append(map, list);
}

// ---- what bodies are made of ----

// names of some materials, for a message
static const char* some_materials(const Reader* reader, char* out, size_t bytes)
{
    out[0] = 0;
    for (int i = 0; i < reader->material_count && i < 5; i++)
    {
        const size_t used = strlen(out);
        snprintf(out + used, bytes - used, "%.30s, ", reader->materials[i].name);
    }
    const size_t used = strlen(out);
    snprintf(out + used, bytes - used, "steel, wood, glass ... ('twang materials')");
    return out;
}

static const char* property(const twImportBody* body, const char* key)
{
    for (int i = 0; i < body->property_count; i++)
        if (strcmp(body->properties[i].key, key) == 0) return body->properties[i].text;
    return NULL;
}

// what the file says a body is made of: by hand, in numbers, or by a name
static const char* material_of(Reader* reader, const twImportBody* body)
{
    char some[300];
    const char *told = property(body, "material"), *name = told ? told : body->material;
    if (!told && body->solid >= 0) return reader->solid_names[body->solid];
    const char* found = name[0] ? read_import_material(reader, name) : NULL;
    if (body->others[0])
        import_note(reader->scene->import, "'%s' has parts of %.100s; all of it is '%.60s', as most is", body->name,
                    body->others, name);
    if (found) return found;
    if (!name[0] && !reader->default_material)
        import_note(reader->scene->import, "'%s' has no material and is of %s", body->name,
                    read_default_material(reader));
    if (!name[0] || reader->default_material || body->ground) return read_default_material(reader);
    yaml_fail(yaml_get(reader->doc->root, "import"),
              "'%s' is made of '%.60s', which is no material: call it after one of %s, write 'bodies: {\"%s\": "
              "{material: ...}}', or say a 'default_material'",
              body->name, name, some_materials(reader, some, sizeof some), body->name);
    return NULL;
}

// ---- bodies ----

static bool is_any(const char* text, const char* const* names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0) return true;
    return false;
}

// what was written to the node by hand, unless the scene says it
static void add_properties(Reader* reader, const twImportBody* body, twNode* map)
{
    static const char* const known[] = {"kind",     "material",  "modes",           "flexible",    "mass",
                                        "coupling", "hold",      "friction",        "restitution", "gain",
                                        "grain",    "roughness", "contact_damping", "fibre",       NULL};
    for (int i = 0; i < body->property_count; i++)
    {
        const twImportProperty* p = &body->properties[i];
        if (!is_any(p->key, known))
            yaml_fail(
                yaml_get(reader->doc->root, "import"),
                "'%s' has a property 'twang_%s'; those that are known are twang_kind, _material, _modes, _flexible, "
                "_hold, _mass, _friction, _restitution, _gain, _roughness, _grain, _contact_damping, _coupling and _fibre",
                body->name, p->key);
        else if (strcmp(p->key, "modes") == 0 && !yaml_has(map, "flexible"))
        {
            twNode* flexible = new_node(reader, TW_NODE_MAP, "flexible", "");
            append_text(reader, flexible, "modes", p->text);
            append(map, flexible);
        }
        else if (strcmp(p->key, "modes") != 0 && strcmp(p->key, "kind") != 0 && strcmp(p->key, "material") != 0 &&
                 !yaml_has(map, p->key))
            append_text(reader, map, p->key, p->text);
    }
}

// "rigid" and "flexible" are what others call a free body
static void add_kind(Reader* reader, const twImportBody* body, twNode* map)
{
    static const char* const frees[] = {"free", "rigid", "dynamic", "flexible", NULL};
    static const char* const fixed[] = {"fixed", "static", NULL};
    static const char* const loose[] = {"velocity", "spin", "bend", "mass", NULL};
    const char* told = property(body, "kind");
    if (yaml_has(map, "kind") || yaml_has(map, "move")) return;
    if (told && strcmp(told, "flexible") == 0 && !yaml_has(map, "flexible"))
        append_text(reader, map, "flexible", "true");
    const twNode* flexible = yaml_get(map, "flexible");
    const bool asked = flexible && (flexible->kind == TW_NODE_MAP || strcmp(flexible->text, "true") == 0);
    bool is_loose = asked && !yaml_has(map, "hold");
    for (int i = 0; loose[i]; i++) is_loose = is_loose || yaml_has(map, loose[i]);
    const char* kind = body->moves ? "moved" : is_loose ? "free" : "fixed";
    if (told && is_any(told, frees))
        kind = "free";
    else if (told && is_any(told, fixed))
        kind = "fixed";
    else if (told && strcmp(told, "moved") != 0)
        yaml_fail(yaml_get(reader->doc->root, "import"),
                  "'%s' has a twang_kind '%.40s'; it may be fixed, free, rigid, flexible, moved or none", body->name,
                  told);
    append_text(reader, map, "kind", kind);
}

// what the scene says of a body, and what the file does
static twNode* merge(Reader* reader, const twImportBody* body, const twNode* said)
{
    twNode* map = new_node(reader, TW_NODE_MAP, body->name, "");
    if (!map) return NULL;
    if (said) map->place = said->place, map->key_place = said->key_place;
    YAML_EACH(child, said) { append_copy(reader, map, child); }
    if (!yaml_has(map, "shape"))
    {
        char shape[1024];
        snprintf(shape, sizeof shape, "%.900s#%s", reader->import_name, body->name);
        append_text(reader, map, "shape", read_copy(reader, shape));
        if (body->flat && !body->ground)
            import_note(reader->scene->import, "'%s' is flat, and was given a thickness behind it", body->name);
    }
    if (!yaml_has(map, "material"))
    {
        const char* material = material_of(reader, body);
        if (material) append_text(reader, map, "material", material);
    }
    add_properties(reader, body, map);
    add_kind(reader, body, map);
    return map;
}

// ---- what is not taken ----

static void check_skipped(Reader* reader, const twNode* import)
{
    const twImport* file = reader->scene->import;
    const twNode* skip = import->kind == TW_NODE_MAP ? yaml_get(import, "skip") : NULL;
    int count;
    const char** names = skip ? read_names(reader, import, "skip", &count) : NULL;
    const char** all = names ? read_alloc(reader, (size_t)file->body_count + 1, sizeof *all) : NULL;
    if (!all) return;
    for (int i = 0; i < file->body_count; i++) all[i] = file->bodies[i].name;
    for (int i = 0; i < count; i++)
    {
        if (is_any(names[i], all)) continue;
        const char* near = tw_nearest_name(names[i], all, -1);
        yaml_fail(skip, "the file has no body '%.60s'%s%s%s", names[i], near ? "; did you mean '" : "",
                  near ? near : "", near ? "'?" : "");
    }
}

static bool is_skipped(Reader* reader, const twNode* import, const twImportBody* body)
{
    const twNode* skip = import->kind == TW_NODE_MAP ? yaml_get(import, "skip") : NULL;
    const char* kind = property(body, "kind");
    if (kind && strcmp(kind, "none") == 0) return true;
    if (skip && skip->kind != TW_NODE_LIST) return strcmp(skip->text, body->name) == 0;
    YAML_EACH(item, skip) if (strcmp(item->text, body->name) == 0) return true;
    // the scene's own ground is instead of the file's
    return body->ground && (yaml_has(reader->doc->root, "ground"));
}

// ---- the scene ----

static void add_ground(Reader* reader, const twImportBody* body)
{
    twNode* ground = new_node(reader, TW_NODE_MAP, "ground", "");
    const twMesh* mesh = reader->scene->import->shapes[body->shape];
    const char* material = material_of(reader, body);
    // any vertex of its front, which come first
    const twVec3 point = tw_vec3_add(body->motion.position, tw_quat_rotate(body->motion.turn, mesh->vertices[0]));
    append_vector(reader, ground, "point", tw_vec3_scale(body->normal, tw_vec3_dot(body->normal, point)));
    append_vector(reader, ground, "normal", body->normal);
    if (material) append_text(reader, ground, "material", material);
    append(reader->doc->root, ground);
}

static void add_camera(Reader* reader, const twNode* root)
{
    const twImport* file = reader->scene->import;
    if (!file->camera || yaml_has(root, "camera")) return;
    twNode* camera = new_node(reader, TW_NODE_MAP, "camera", "");
    append_vector(reader, camera, "eye", file->eye);
    append_vector(reader, camera, "target", file->target);
    if (file->view_angle > 0)
        append_number(reader, camera, "angle", fmin(fmax(file->view_angle * 180 / TW_PI, 1), 170));
    append(reader->doc->root, camera);
}

// bodies of the scene that are not the file's, which need a shape
static void add_others(Reader* reader, twNode* bodies, const twNode* said)
{
    const twImport* file = reader->scene->import;
    const char** names = read_alloc(reader, (size_t)file->body_count + 1, sizeof *names);
    for (int i = 0; names && i < file->body_count; i++) names[i] = file->bodies[i].name;
    YAML_EACH(node, said)
    {
        const bool taken = yaml_get(bodies, node->key) != NULL;
        const char* near = names ? tw_nearest_name(node->key, names, -1) : NULL;
        if (!taken && node->kind == TW_NODE_MAP && !yaml_has(node, "shape"))
            yaml_fail_key(node, "%s has no body '%.60s'%s%s%s; one that is not in it needs a 'shape'",
                          reader->import_name, node->key, near ? "; did you mean '" : "", near ? near : "",
                          near ? "'?" : "");
        if (!taken) append_copy(reader, bodies, node);
    }
}

// the tree has them in place of what was there
static void replace_bodies(Reader* reader, twNode* bodies)
{
    twNode* root = reader->doc->root;
    for (twNode* node = root->first; node; node = node->next)
        if (node->key && strcmp(node->key, "bodies") == 0)
        {
            twNode* next = node->next;
            const int index = node->index;
            bodies->place = node->place;
            bodies->key_place = node->key_place;
            *node = *bodies;
            node->next = next;
            node->index = index;
            node->parent = root;
            for (twNode* child = node->first; child; child = child->next) child->parent = node;
            reader->import_map = node;
            return;
        }
    append(root, bodies);
    reader->import_map = bodies;
}

void read_import_bodies(Reader* reader, const twNode* root)
{
    const twNode *import = yaml_get(root, "import"), *said = yaml_map(root, "bodies");
    const twImport* file = reader->scene->import;
    if (!file || !yaml_ok(reader->doc)) return;
    check_skipped(reader, import);
    read_import_solids(reader);
    twNode* bodies = new_node(reader, TW_NODE_MAP, "bodies", "");
    int* numbers = read_alloc(reader, (size_t)file->body_count, sizeof *numbers);
    for (int i = 0; i < file->body_count && yaml_ok(reader->doc) && !reader->no_memory; i++)
    {
        const twImportBody* body = &file->bodies[i];
        const twNode* own = yaml_get(said, body->name);
        if (own && !yaml_as_map(own)) return;
        if (is_skipped(reader, import, body)) continue;
        if (body->ground && !own)
        {
            add_ground(reader, body);
            continue;
        }
        append(bodies, merge(reader, body, own));
        numbers[reader->import_count++] = i;
    }
    if (reader->no_memory || !yaml_ok(reader->doc)) return;
    reader->imported = numbers;
    add_others(reader, bodies, said);
    if (bodies->count == 0) yaml_fail(import, "%s has no mesh that could be a body", reader->import_name);
    replace_bodies(reader, bodies);
    add_camera(reader, root);
}

int read_imported(const Reader* reader, const twNode* body)
{
    const bool ours = reader->import_map && body->parent == reader->import_map && body->index < reader->import_count;
    return ours ? reader->imported[body->index] : -1;
}

int read_import_shape(const Reader* reader, const char* shape)
{
    const twImport* file = reader->scene->import;
    const char* name = strchr(shape, '#');
    for (int i = 0; file && name && i < file->body_count; i++)
        if (strcmp(file->bodies[i].name, name + 1) == 0) return i;
    return -1;
}
