// SPDX-License-Identifier: MIT
// --material [WHERE=]MATERIAL: what a body, or a part of it, is made of.

#include "bake_options.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SYNTAX "write NAME, NAME,LOSS_FACTOR, DENSITY,YOUNG,POISSON,LOSS_FACTOR or DENSITY,YOUNG,POISSON,ALPHA,BETA"

static twStatus find_material(const char* name, twMaterial* out, twError* err)
{
    const twMaterial* found = tw_material_find(name);
    if (found)
    {
        *out = *found;
        return TW_OK;
    }
    const char* near = tw_material_nearest(name);
    return tw_fail(err, TW_BAD_INPUT, "--material: there is no '%s'%s%s%s; 'twang materials' lists them, or " SYNTAX,
                   name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

// numbers separated by commas. @return how many, -1 if one is none
static int split_numbers(char* text, double* values, int most)
{
    int count = 0;
    for (char* at = text; at;)
    {
        char* comma = strchr(at, ',');
        if (comma) *comma = 0;
        if (count == most || cli_parse_number(at, &values[count])) return -1;
        count++;
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

// a name with or without a loss factor, or the constants
static twStatus parse_material(const char* text, twMaterial* out, twError* err)
{
    char copy[256];
    double v[5];
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return tw_fail(err, TW_BAD_INPUT, "--material: '%.60s...' is too long", text);
    bool numbers = strchr("0123456789.+-", copy[0]) != NULL;
    char* rest = numbers ? copy : strchr(copy, ',');
    int count = 0;
    if (rest)
    {
        if (!numbers) *rest++ = 0;
        count = split_numbers(rest, v, 5);
        if (numbers ? count != 4 && count != 5 : count != 1)
            return tw_fail(err, TW_BAD_INPUT, "--material: '%s': " SYNTAX, text);
        for (int i = 0; i < count; i++)
            if (v[i] < 0 && !(numbers && i == 2))
                return tw_fail(err, TW_BAD_INPUT, "--material: '%s': %g must not be negative", text, v[i]);
    }
    if (numbers)
        *out = (twMaterial){.name = "custom", .density = v[0], .young = v[1], .poisson = v[2]};
    else
    {
        twStatus status = find_material(copy, out, err);
        if (status != TW_OK) return status;
    }
    if (count == 5)
    {
        out->alpha = v[3];
        out->beta = v[4];
    }
    else if (count > 0)
    {
        // one loss factor instead of Rayleigh's constants
        out->alpha = out->beta = 0;
        out->loss_factor = v[count - 1];
        if (!(out->loss_factor < 1))
            return tw_fail(err, TW_BAD_INPUT, "--material: '%s': loss factor %g must be below 1", text,
                           out->loss_factor);
    }
    return TW_OK;
}

// "WHERE=MATERIAL": where is all before the last equals sign
static twStatus parse_region(const char* text, const char* equals, twBakeRegion* out, twError* err)
{
    char where[128];
    twError inner;
    if (snprintf(where, sizeof where, "%.*s", (int)(equals - text), text) >= (int)sizeof where)
        return tw_fail(err, TW_BAD_INPUT, "--material: '%.60s...' is too long", text);
    if (tw_part_parse(&out->part, where, &inner) != TW_OK)
        return tw_fail(err, TW_BAD_INPUT, "--material: %s", inner.text);
    return parse_material(equals + 1, &out->material, err);
}

// --density, --young and --poisson change the material of the rest; other moduli keep their ratio to Young's
static void change_rest(const BakeOptions* o, twMaterial* material)
{
    if (o->density_given) material->density = o->density;
    if (o->young_given)
    {
        *material = tw_material_in_units(material, material->young / o->young);
        material->young = o->young;
    }
    if (o->poisson_given)
    {
        material->poisson = o->poisson;
        for (int i = 0; i < 3; i++) material->orthotropy.poisson[i] = 0;
    }
    if (o->density_given || o->young_given || o->poisson_given) material->name = "custom";
}

static twStatus parse_fibre(const BakeOptions* o, twBakeDef* def, twError* err)
{
    twError inner;
    if (!o->fibre || tw_fibre_parse(&def->fibre, o->fibre, &inner) == TW_OK) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "--fibre: %s", inner.text);
}

twStatus bake_parse_materials(BakeOptions* o, twBakeDef* def, twError* err)
{
    bool plain = false;
    twStatus status = TW_OK;
    def->regions = o->regions;
    for (int i = 0; i < o->material.count && status == TW_OK; i++)
    {
        const char *text = o->material.items[i], *equals = strrchr(text, '=');
        if (equals)
            status = parse_region(text, equals, &o->regions[def->region_count++], err);
        else if (plain)
            status = tw_fail(err, TW_BAD_INPUT,
                             "--material: '%s' is the second for the whole body; write WHERE=MATERIAL for parts", text);
        else
        {
            plain = true;
            status = parse_material(text, &def->material, err);
        }
    }
    if (status != TW_OK) return status;
    bool changed = o->density_given || o->young_given || o->poisson_given;
    def->no_rest = def->region_count > 0 && !plain && !changed;
    if (def->no_rest) def->material = def->regions[0].material;
    change_rest(o, &def->material);
    return parse_fibre(o, def, err);
}
