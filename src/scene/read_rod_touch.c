// SPDX-License-Identifier: MIT
// Rods of a scene that touch: whether they do, what they feel like, and which bodies hold them.

#include "reader.h"
#include <string.h>

static bool is_true(const twNode* map, const char* key)
{
    const twNode* node = map && map->kind == TW_NODE_MAP ? yaml_get(map, key) : NULL;
    return node && node->kind == TW_NODE_SCALAR && strcmp(node->text, "true") == 0;
}

// Rods share a world with bodies. Without bodies they do if one of them is to collide.
void read_collide(Reader* reader, const twNode* root)
{
    static const char* const others[] = {"objects", "interactions", "forces", "strikes", "scheme"};
    const twNode* rods = yaml_get(root, "rods");
    bool touch = yaml_has(root, "bodies") || yaml_bool(root, "collide", false);
    if (!rods && yaml_has(root, "collide"))
        yaml_fail_key(yaml_get(root, "collide"), "'collide' is for rods, and there are none");
    if (!rods) return;
    YAML_EACH(node, rods) { touch = touch || is_true(node, "collide"); }
    for (size_t i = 0; touch && !yaml_has(root, "bodies") && i < sizeof others / sizeof *others; i++)
        if (yaml_has(root, others[i]))
            yaml_fail_key(yaml_get(root, others[i]),
                          "'%s' and rods that collide do not know of each other; make two scenes of them", others[i]);
    reader->scene->rods_touch = touch;
}

// ---- ties ----

static void check_tie(const twNode* item, const twSceneRod* rod, const twSceneTie* tie)
{
    const twRodDef* def = &rod->def;
    for (int i = 0; i < def->support_count; i++)
        if (def->supports[i].point == tie->point)
            yaml_fail(yaml_get(item, "at"),
                      "point %d of %d is held already, by item %d of 'supports'; keep one of them, or move it",
                      tie->point + 1, def->point_count, i + 1);
    for (const twSceneTie* other = rod->ties; other < tie; other++)
        if (other->point == tie->point)
            yaml_fail(yaml_get(item, "at"),
                      "point %d of %d is tied already, by item %d of 'ties'; keep one of them, or move it",
                      tie->point + 1, def->point_count, (int)(other - rod->ties) + 1);
}

static int read_holder(Reader* reader, const twNode* item)
{
    const char* name = yaml_need_text(item, "body");
    if (!yaml_ok(reader->doc)) return 0;
    if (strcmp(name, "world") != 0 && strcmp(name, "ground") != 0)
        return read_body_name(reader, yaml_get(item, "body"), name);
    yaml_fail(yaml_get(item, "body"), "a tie is to a body; what stands still holds a rod by 'supports'");
    return 0;
}

static void read_ties(Reader* reader, const twNode* node, twSceneRod* rod)
{
    const twNode* list = yaml_list(node, "ties");
    twSceneTie* ties = read_alloc(reader, list ? (size_t)list->count : 0, sizeof *ties);
    rod->ties = ties;
    YAML_EACH(item, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory || !yaml_as_map(item)) return;
        yaml_keys(item, "at", "body", "clamped", "stiffness");
        twSceneTie* tie = &ties[rod->tie_count++];
        tie->where = read_where(reader, item);
        tie->point = read_rod_point(item, "at", &rod->def);
        tie->body = read_holder(reader, item);
        tie->clamped = yaml_bool(item, "clamped", false);
        tie->stiffness = yaml_number(item, "stiffness", yaml_positive("N/m"), 0);
        if (yaml_ok(reader->doc)) check_tie(item, rod, tie);
    }
}

// ---- the whole ----

static void refuse_alone(const twNode* node)
{
    static const char* const keys[] = {"self", "calm", "friction", "restitution"};
    if (yaml_has(node, "ties"))
        yaml_fail_key(yaml_get(node, "ties"),
                      "'ties' are to bodies, and there are none; 'supports' hold rods in space");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (yaml_has(node, keys[i]))
            yaml_fail_key(yaml_get(node, keys[i]),
                          "'%s' is of rods that touch: add 'collide: true' to the scene, or bodies", keys[i]);
}

void read_rod_touch(Reader* reader, const twNode* root, const twNode* node, twSceneRod* rod)
{
    const twScene* scene = reader->scene;
    const bool collide = yaml_bool(node, "collide", yaml_bool(root, "collide", scene->body_count > 0));
    if (!scene->rods_touch)
    {
        refuse_alone(node);
        return;
    }
    const twMaterial* named = read_material(reader, node);
    if (!named) return;
    twMaterial material = *named;
    material.young = rod->def.young;
    material.poisson = rod->def.poisson;
    rod->surface = read_surface_of(reader, node, &material);
    rod->ghost = !collide;
    rod->no_self = !yaml_bool(node, "self", true);
    rod->calm_speed = yaml_number(node, "calm", yaml_between(0, 1e3, "m/s"), 0);
    if (rod->ghost && yaml_has(node, "self"))
        yaml_fail_key(yaml_get(node, "self"), "a rod with 'collide: false' touches nothing, itself neither");
    if (rod->def.integrator != TW_ROD_GAUSS4)
        yaml_fail(yaml_get(node, "integrator"), "rods that touch are stepped by 'gauss'; leave 'integrator' out");
    if (yaml_ok(reader->doc)) read_ties(reader, node, rod);
}
