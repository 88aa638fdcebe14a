// SPDX-License-Identifier: MIT
// twang materials: the built-in materials.

#include "cli.h"
#include "twang/media.h"
#include "twang/modal.h"
#include <math.h>

// things whose ringing is listed: only the thickness of their walls matters before the air takes its part
static const struct
{
    const char* name;
    double wall;  // [m]
} things[] = {{"bar", 0.01}, {"bowl", 0.004}, {"plate", 0.003}};
static const double pitches_hz[] = {500, 2000, 8000};

enum
{
    THINGS = sizeof things / sizeof *things,
    PITCHES = sizeof pitches_hz / sizeof *pitches_hz,
    CURVE_POINTS = 120
};

// time to fall by 60 dB, without what the air takes [s]
static double ring_time(const twMaterial* material, double wall, double freq_hz)
{
    const twRelaxation heat = tw_material_thermoelastic(material, wall);
    return log(1000) / (tw_material_decay(material, freq_hz) + TW_PI * freq_hz * tw_relaxation_loss(heat, freq_hz));
}

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

static void json_ring_times(twJson* json, const twMaterial* material)
{
    tw_json_numbers(json, "t60_at_hz", pitches_hz, PITCHES);
    for (int i = 0; i < THINGS; i++)
    {
        char key[24];
        double times[PITCHES];
        for (int k = 0; k < PITCHES; k++) times[k] = ring_time(material, things[i].wall, pitches_hz[k]);
        snprintf(key, sizeof key, "t60_%s", things[i].name);
        tw_json_numbers(json, key, times, PITCHES);
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
    tw_json_number(json, "loss_factor", material->loss_factor);
    if (material->thermal.conductivity > 0)
    {
        tw_json_number(json, "expansion", material->thermal.expansion);
        tw_json_number(json, "conductivity", material->thermal.conductivity);
        tw_json_number(json, "heat_capacity", material->thermal.heat_capacity);
    }
    json_ring_times(json, material);
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

static void print_grain(const twMaterial* m)
{
    const twOrthotropy all = tw_material_orthotropy(m);
    printf("%-17s  %8s  %9.3g  radial; shear moduli LR %.3g, LT %.3g, RT %.3g Pa\n", "", "", all.young[0], all.shear[0],
           all.shear[1], all.shear[2]);
    printf("%-17s  %8s  %9.3g  tangential; Poisson's ratios LR %.3g, LT %.3g, RT %.3g\n", "", "", all.young[1],
           all.poisson[0], all.poisson[1], all.poisson[2]);
}

static void print_table(const twMaterial* materials, int count)
{
    printf("%-17s  %8s  %9s  %7s  %7s  %-20s  %-20s  %-20s  %s\n", "", "", "", "", "", "t60 of a 10 mm bar,",
           "a 4 mm bowl and", "a 3 mm plate", "");
    printf("%-17s  %8s  %9s  %7s  %7s  %-20s  %-20s  %-20s  %s\n", "name", "density", "young", "poisson", "eta",
           "at 0.5, 2, 8 kHz [s]", "", "", "source");
    for (int i = 0; i < count; i++)
    {
        const twMaterial* m = &materials[i];
        printf("%-17s  %8g  %9.3g  %7.2f  %7.2g", m->name, m->density, m->young, m->poisson, m->loss_factor);
        for (int t = 0; t < THINGS; t++)
        {
            printf("  ");
            for (int k = 0; k < PITCHES; k++)
                printf("%-*.2g", k + 1 < PITCHES ? 7 : 6, ring_time(m, things[t].wall, pitches_hz[k]));
        }
        printf("  %s%s%s\n", m->source, m->note[0] ? "; " : "", m->note);
        if (tw_material_is_orthotropic(m)) print_grain(m);
    }
}

// ---- plot ----

// one, or one of each sort
static int save_plot(const twMaterial* one, const char* path)
{
    static const char* const sorts[] = {"steel",   "aluminium", "glass", "ceramic",
                                        "granite", "oak",       "mdf",   "polystyrene"};
    const int count = one ? 1 : (int)(sizeof sorts / sizeof *sorts);
    twError err;
    twPlot* plot = tw_plot_create("Time to fall by 60 dB, before the air takes its part", THINGS);
    for (int t = 0; t < THINGS; t++)
    {
        char title[64];
        snprintf(title, sizeof title, "%s, wall %g mm", things[t].name, 1e3 * things[t].wall);
        tw_plot_panel(plot, title, "frequency [Hz]", "t60 [s]");
        tw_plot_log(plot, true, true);
        for (int i = 0; i < count; i++)
        {
            const twMaterial* material = one ? one : tw_material_find(sorts[i]);
            double x[CURVE_POINTS], y[CURVE_POINTS];
            for (int k = 0; k < CURVE_POINTS; k++)
            {
                x[k] = 100 * pow(160, k / (CURVE_POINTS - 1.0));
                y[k] = ring_time(material, things[t].wall, x[k]);
            }
            tw_plot_line(plot, x, y, CURVE_POINTS, material->name);
        }
    }
    const twStatus status = tw_plot_save(plot, path, &err);
    tw_plot_destroy(plot);
    return status == TW_OK ? CLI_OK : cli_fail("materials", CLI_FAILED, "%s", err.text);
}

static int fail_unknown(const char* name)
{
    const char* near = tw_material_nearest(name);
    if (near) return cli_fail("materials", CLI_USAGE, "no material '%s'; did you mean '%s'?", name, near);
    return cli_fail("materials", CLI_USAGE, "no material '%s'; 'twang materials' lists what there is", name);
}

static const char notes[] =
    "A mode at frequency f decays as exp(-c t) with c = (alpha + eta w + beta w^2)/2 + pi f Z, w = 2 pi f, Z the\n"
    "thermoelastic loss of thin metal; t60 = ln(1000)/c. What the air takes is computed with a body's sound.\n"
    "Woods with three moduli are stiffest along the grain, which 'twang modes --fibre' directs.\n";

int cmd_materials(int argc, char** argv)
{
    const char *name = NULL, *plot = NULL;
    bool as_json = false;
    twError err;
    const CliOption options[] = {
        {.kind = CLI_ARGUMENT, .name = "NAME", .out = &name, .help = "show only this one"},
        {.kind = CLI_FLAG, .name = "--json", .out = &as_json, .help = "print one JSON array, or one object for NAME"},
        {.kind = CLI_TEXT,
         .name = "--plot",
         .value = "FILE",
         .out = &plot,
         .help = "draw t60 over frequency (.svg, .png)"},
    };
    CliUsage usage = {"materials", "the built-in materials", options, 3, notes};
    int code, count;
    if (!cli_parse(&usage, argc, argv, &code)) return code;

    const twMaterial* materials = tw_materials(&count);
    if (name)
    {
        materials = tw_material_find(name);
        if (!materials) return fail_unknown(name);
        count = 1;
    }
    if (plot && tw_plot_check(plot, &err) != TW_OK) return cli_fail("materials", CLI_USAGE, "--plot: %s", err.text);
    if (as_json)
        print_json(materials, count, name != NULL);
    else
        print_table(materials, count);
    return plot ? save_plot(name ? materials : NULL, plot) : CLI_OK;
}
