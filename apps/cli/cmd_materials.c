// SPDX-License-Identifier: MIT
// twang materials: the built-in materials.

#include "cli.h"
#include "twang/modal.h"
#include <math.h>

#define REFERENCE_HZ 1000.0

static double ring_time(const twMaterial* material) { return log(1000) / tw_material_decay(material, REFERENCE_HZ); }

// along the grain L, radial R and tangential T
static void json_orthotropy(twJson* json, const twMaterial* material)
{
    static const char* const pair[3] = {"lr", "lt", "rt"};
    const twOrthotropy all = tw_material_orthotropy(material);
    tw_json_number(json, "young_r", all.young[0]);
    tw_json_number(json, "young_t", all.young[1]);
    for (int i = 0; i < 6; i++)
    {
        char key[16];
        snprintf(key, sizeof key, "%s_%s", i < 3 ? "shear" : "poisson", pair[i % 3]);
        tw_json_number(json, key, i < 3 ? all.shear[i] : all.poisson[i - 3]);
    }
}

static void json_material(twJson* json, const twMaterial* material)
{
    tw_json_object(json, NULL);
    tw_json_text(json, "name", material->name);
    tw_json_number(json, "density", material->density);
    tw_json_number(json, "young", material->young);
    tw_json_number(json, "poisson", material->poisson);
    if (tw_material_is_orthotropic(material)) json_orthotropy(json, material);
    tw_json_number(json, "alpha", material->alpha);
    tw_json_number(json, "beta", material->beta);
    tw_json_number(json, "decay_1khz", tw_material_decay(material, REFERENCE_HZ));
    tw_json_text(json, "source", material->source);
    tw_json_text(json, "note", material->note);
    tw_json_end(json);
}

static void print_json(const twMaterial* materials, int count, bool one)
{
    twJson json = tw_json(stdout);
    if (!one) tw_json_array(&json, NULL);
    for (int i = 0; i < count; i++) json_material(&json, &materials[i]);
    if (!one) tw_json_end(&json);
}

static void print_table(const twMaterial* materials, int count)
{
    printf("%-13s  %8s  %9s  %7s  %7s  %8s  %8s  %s\n", "name", "density", "young", "poisson", "alpha", "beta",
           "t60 1kHz", "source");
    printf("%-13s  %8s  %9s  %7s  %7s  %8s  %8s\n", "", "[kg/m^3]", "[Pa]", "", "[1/s]", "[s]", "[s]");
    for (int i = 0; i < count; i++)
    {
        const twMaterial* m = &materials[i];
        printf("%-13s  %8g  %9.3g  %7.2f  %7g  %8.2g  %8.3f  %s%s%s\n", m->name, m->density, m->young, m->poisson,
               m->alpha, m->beta, ring_time(m), m->source, m->note[0] ? "; " : "", m->note);
        if (!tw_material_is_orthotropic(m)) continue;
        const twOrthotropy all = tw_material_orthotropy(m);
        printf("%-13s  %8s  %9.3g  radial; shear moduli LR %.3g, LT %.3g, RT %.3g Pa\n", "", "", all.young[0],
               all.shear[0], all.shear[1], all.shear[2]);
        printf("%-13s  %8s  %9.3g  tangential; Poisson's ratios LR %.3g, LT %.3g, RT %.3g\n", "", "", all.young[1],
               all.poisson[0], all.poisson[1], all.poisson[2]);
    }
}

static int fail_unknown(const char* name)
{
    const char* near = tw_material_nearest(name);
    if (near) return cli_fail("materials", CLI_USAGE, "no material '%s'; did you mean '%s'?", name, near);
    return cli_fail("materials", CLI_USAGE, "no material '%s'; 'twang materials' lists what there is", name);
}

static const char notes[] =
    "A mode at frequency f decays as exp(-c t) with c = (alpha + beta w^2)/2, w = 2 pi f; t60 = ln(1000)/c.\n"
    "Woods with three moduli are stiffest along the grain, which 'twang modes --fibre' directs.\n";

int cmd_materials(int argc, char** argv)
{
    const char* name = NULL;
    bool as_json = false;
    const CliOption options[] = {
        {.kind = CLI_ARGUMENT, .name = "NAME", .out = &name, .help = "show only this one"},
        {.kind = CLI_FLAG, .name = "--json", .out = &as_json, .help = "print one JSON array, or one object for NAME"},
    };
    CliUsage usage = {"materials", "the built-in materials", options, 2, notes};
    int code, count;
    if (!cli_parse(&usage, argc, argv, &code)) return code;

    const twMaterial* materials = tw_materials(&count);
    if (name)
    {
        materials = tw_material_find(name);
        if (!materials) return fail_unknown(name);
        count = 1;
    }
    if (as_json)
        print_json(materials, count, name != NULL);
    else
        print_table(materials, count);
    return CLI_OK;
}
