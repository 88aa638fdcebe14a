// SPDX-License-Identifier: MIT
// Materials in a scene, and how a material or a body decays.

#include "reader.h"
#include <string.h>

#define DEFAULT_MATERIAL "steel"

// ---- damping ----

static const char* const damping_keys[] = {"alpha", "beta", "loss_factor", "t60", "damping_curve"};

bool read_has_damping(const twNode* node)
{
    for (size_t i = 0; i < sizeof damping_keys / sizeof *damping_keys; i++)
        if (yaml_has(node, damping_keys[i])) return true;
    return false;
}

// t60 and a curve are all there is to say; the constants are of one law
static void damping_check(const twNode* node)
{
    const twNode *t60 = yaml_get(node, "t60"), *curve = yaml_get(node, "damping_curve");
    for (size_t i = 0; i < sizeof damping_keys / sizeof *damping_keys; i++)
    {
        const twNode* other = yaml_get(node, damping_keys[i]);
        const twNode* whole = t60 && other != t60 ? t60 : curve && other != curve ? curve : NULL;
        if (other && whole)
            yaml_fail_key(other, "'%s' says how it decays already; keep one of it and '%s'", whole->key, other->key);
    }
}

// [[frequency, decay], ...], frequencies rising
static void damping_read_curve(const twNode* node, twDamping* damping)
{
    const twNode* list = yaml_list(node, "damping_curve");
    twError err;
    if (!list) return;
    *damping = (twDamping){.kind = TW_DAMPING_CURVE};
    if (list->count < 1 || list->count > TW_MAX_DAMPING_POINTS)
        yaml_fail(list, "'damping_curve' has 1 to %d points [frequency in Hz, decay in 1/s]", TW_MAX_DAMPING_POINTS);
    YAML_EACH(item, list)
    {
        int count;
        const double* pair = yaml_as_numbers(item, yaml_not_negative(NULL), 2, 2, &count);
        if (!yaml_ok(node->doc)) return;
        damping->freq_hz[damping->count] = pair[0];
        damping->decay[damping->count++] = pair[1];
    }
    if (tw_damping_check(damping, &err) != TW_OK) yaml_fail(list, "%s", err.text);
}

void read_damping(const twNode* node, twMaterial* material, twDamping* damping)
{
    damping_check(node);
    if (read_has_damping(node))
    {
        // constants that are not given are 0
        const twRange loss = {.low = 0, .high = 1, .below_high = true};
        *damping = tw_damping_materials();
        material->alpha = yaml_number(node, "alpha", yaml_not_negative("1/s"), 0);
        material->beta = yaml_number(node, "beta", yaml_not_negative("s"), 0);
        material->loss_factor = yaml_number(node, "loss_factor", loss, 0);
        if (yaml_has(node, "t60")) material->alpha = 2 * READ_LN_1000 / yaml_number(node, "t60", yaml_positive("s"), 1);
        damping_read_curve(node, damping);
    }
    double support = 0;
    const twNode* mounting = yaml_get(node, "mounting");
    const char* name = yaml_text(node, "mounting", "free");
    if (mounting && damping->kind == TW_DAMPING_CURVE)
        yaml_fail_key(mounting, "a 'damping_curve' has the mounting in it; keep one of them");
    else if (yaml_ok(node->doc) && !tw_mounting_parse(name, &support))
        yaml_fail(mounting, "'mounting' is free, hand or cloth, not '%.40s'", name);
    material->alpha += support;
}

// ---- materials ----

double read_poisson(const twNode* map, double fallback)
{
    return yaml_number(map, "poisson", (twRange){.low = -1, .high = READ_MAX_POISSON, .above_low = true}, fallback);
}

static const twMaterial* material_find(const Reader* reader, const char* name)
{
    for (int i = 0; i < reader->material_count; i++)
        if (strcmp(reader->materials[i].name, name) == 0) return &reader->materials[i];
    return tw_material_find(name);
}

twDamping read_material_damping(const Reader* reader, const twMaterial* material)
{
    for (int i = 0; i < reader->curve_count; i++)
        if (strcmp(reader->curves[i].material, material->name) == 0) return reader->curves[i].damping;
    return tw_damping_materials();
}

static void material_unknown(Reader* reader, const twNode* node, const char* name)
{
    const char** names = read_alloc(reader, (size_t)reader->material_count + 1, sizeof *names);
    for (int i = 0; names && i < reader->material_count; i++) names[i] = reader->materials[i].name;
    const char* near = names ? tw_nearest_name(name, names, reader->material_count) : NULL;
    if (!near) near = tw_material_nearest(name);
    yaml_fail(node,
              "there is no material '%.60s'%s%s%s; 'twang materials' lists those built in, 'materials' defines others",
              name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

// three numbers of a key; NULL if it is one number or absent
static const double* read_three(const twNode* map, const char* key, twRange range)
{
    int count;
    const twNode* node = yaml_get(map, key);
    return node && node->kind == TW_NODE_LIST ? yaml_as_numbers(node, range, 3, 3, &count) : NULL;
}

// [along the grain, radial, tangential] for 'young', [LR, LT, RT] for 'shear' and 'poisson'
static void read_orthotropy(const twNode* node, twMaterial* material)
{
    twError err;
    const double* young = read_three(node, "young", yaml_positive("Pa"));
    const double* shear = read_three(node, "shear", yaml_positive("Pa"));
    const double* poisson = read_three(node, "poisson", yaml_between(-10, 10, NULL));
    const twNode *other = yaml_get(node, "shear"), *ratios = yaml_get(node, "poisson");
    if (!yaml_ok(node->doc)) return;
    if (other && !shear) yaml_fail(other, "'shear' is [G_LR, G_LT, G_RT] in Pa; one number follows from the others");
    if (!young && (shear || poisson))
        yaml_fail_key(shear ? other : ratios,
                      "three numbers are for what differs along and across the grain: give 'young' three too, [E_L, "
                      "E_R, E_T] in Pa");
    if (!young || !yaml_ok(node->doc)) return;
    material->young = young[0];
    memcpy(material->orthotropy.young, young + 1, sizeof material->orthotropy.young);
    if (shear) memcpy(material->orthotropy.shear, shear, sizeof material->orthotropy.shear);
    if (poisson) memcpy(material->orthotropy.poisson, poisson, sizeof material->orthotropy.poisson);
    if (tw_material_check(material, &err) != TW_OK) yaml_fail_key(node, "%s", err.text);
}

// the one number of contacts, if there are three
static double read_one_poisson(const twNode* node)
{
    const double most = 0.45, *three = read_three(node, "poisson", yaml_between(-10, 10, NULL));
    if (!three) return yaml_ok(node->doc) ? read_poisson(node, 0.29) : 0.29;
    return three[0] > -most && three[0] < most ? three[0] : most;
}

static double read_one_young(const twNode* node)
{
    const double* three = read_three(node, "young", yaml_positive("Pa"));
    return three || !yaml_ok(node->doc) ? 2e11 : yaml_number(node, "young", yaml_positive("Pa"), 2e11);
}

static void material_read(Reader* reader, const twNode* node)
{
    yaml_keys(node, "density", "young", "poisson", "shear", "alpha", "beta", "loss_factor", "t60", "damping_curve",
              "contact_damping");
    twMaterial* material = &reader->materials[reader->material_count++];
    *material = (twMaterial){.name = read_copy(reader, node->key),
                             .density = yaml_number(node, "density", yaml_positive("kg/m^3"), 7850),
                             .young = read_one_young(node),
                             .poisson = read_one_poisson(node),
                             .contact_damping = yaml_number(node, "contact_damping", yaml_positive("s/m"), 0)};
    twDamping damping = tw_damping_materials();
    if (!read_has_damping(node))
        yaml_fail_key(node, "say how it decays: 'loss_factor' (0.0002 of steel, 0.001 of glass, 0.01 of wood), 't60', "
                            "'damping_curve', or 'alpha' and 'beta'");
    read_damping(node, material, &damping);
    if (damping.kind == TW_DAMPING_CURVE) reader->curves[reader->curve_count++] = (ReadCurve){material->name, damping};
    read_orthotropy(node, material);
}

static void materials_read(Reader* reader, const twNode* map)
{
    reader->materials = read_alloc(reader, (size_t)map->count, sizeof(twMaterial));
    reader->curves = read_alloc(reader, (size_t)map->count, sizeof *reader->curves);
    if (reader->no_memory) return;
    YAML_EACH(node, map)
    {
        if (!yaml_as_map(node)) return;
        material_read(reader, node);
    }
}

void read_materials(Reader* reader, const twNode* root)
{
    const twNode* map = yaml_map(root, "materials");
    if (map) materials_read(reader, map);
    const char* name = yaml_text(root, "default_material", NULL);
    if (!name || reader->no_memory || !yaml_ok(reader->doc)) return;
    if (!material_find(reader, name)) material_unknown(reader, yaml_get(root, "default_material"), name);
    reader->default_material = read_copy(reader, name);
}

const char* read_default_material(const Reader* reader)
{
    return reader->default_material ? reader->default_material : DEFAULT_MATERIAL;
}

const twMaterial* read_material(Reader* reader, const twNode* map)
{
    const char* name = yaml_text(map, "material", read_default_material(reader));
    const twMaterial* found = material_find(reader, name);
    if (!found) material_unknown(reader, yaml_get(map, "material"), name);
    return found;
}
