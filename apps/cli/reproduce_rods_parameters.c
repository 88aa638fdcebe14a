// SPDX-License-Identifier: MIT
// Fig. 7 and section 6.1 of Schweickart et al. 2017: points, material, lengths and rates of its ten examples, beside those of our scenes.

#include "reproduce_rods.h"
#include "twang/math.h"
#include <string.h>

typedef struct Parameters
{
    const char *name, *scene;
    int points;
    double young_gpa, poisson;
    double length;                      // of the first rod at rest, as the text gives it [m]; 0: not told
    double rate_hz;                     // of steps
    const char *why_points, *why_rate;  // of what differs on purpose; NULL: nothing
} Parameters;

static const Parameters examples[] = {
    {"Rectangular Rod", "rectangular-rod", 30, 68.9, 0.33, 0.3048, 44100, NULL, NULL},
    {"Circular Rod", "circular-rod", 50, 70.7, 0.33, 0.6096, 44100, NULL, NULL},
    {"Ruler", "oak-ruler", 36, 6.3, 0.3, 0.381, 44100, NULL, NULL},
    {"Strapping", "strapping", 100, 205, 0.29, 1.0668, 44100, NULL, NULL},
    {"Clock Gong", "clock-gong", 400, 225, 0.29, 0, 44100, NULL, NULL},
    {"Rubber Band", "rubber-band", 50, 0.0003, 0.49, 0.186, 44100, NULL, NULL},
    {"Guy Wire", "guy-wire", 1500, 205, 0.29, 20, 88200, NULL, NULL},
    {"Slinky Dispersion", "slinky", 3888, 205, 0.29, 0, 88200, NULL, NULL},
    {"Chain Link Fence", "chain-link-fence", 15000, 68.9, 0.33, 0, 88200,
     "35 wires of 417 points, a whole number for each zigzag, and two posts of 81; rings that tie them are ours, and not counted",
     "they need this rate to stay stable; compliant contacts in implicit steps do not"},
    {"Slinky Walk", "slinky-walk", 3888, 205, 0.29, 0, 88200, NULL,
     "they need this rate to stay stable; compliant contacts in implicit steps do not"},
};

// without stress [m]
static double rest_length(const twRodDef* def)
{
    const twVec3* p = def->rest_points ? def->rest_points : def->points;
    double sum = 0;
    for (int i = 1; i < def->point_count; i++) sum += tw_vec3_norm(tw_vec3_sub(p[i], p[i - 1]));
    return sum / (def->stretch > 0 ? def->stretch : 1);
}

static void compare(CliReport* report, const Parameters* p, const twScene* scene)
{
    const twRodDef* def = &scene->rods[0].def;
    int points = 0;
    for (int i = 0; i < scene->rod_count; i++)
    {
        // what holds a fence to its posts is ours
        if (scene->rods[i].def.closed) continue;
        points += scene->rods[i].def.point_count;
    }
    if (p->why_points)
        cli_report_differs(report, p->points, points, p->why_points, "%s: points", p->name);
    else
        cli_report_row(report, p->points, points, 0, "%s: points", p->name);
    cli_report_row(report, p->young_gpa, def->young * 1e-9, 1e-9 * p->young_gpa, "%s: Young's modulus [GPa]", p->name);
    cli_report_row(report, p->poisson, def->poisson, 1e-12, "%s: Poisson's ratio", p->name);
    if (p->length > 0)
        cli_report_row(report, p->length, rest_length(def), 1e-5 * p->length, "%s: length at rest [m]", p->name);
    if (p->why_rate && def->rate_hz != p->rate_hz)
        cli_report_differs(report, p->rate_hz, def->rate_hz, p->why_rate, "%s: steps per second", p->name);
    else
        cli_report_row(report, p->rate_hz, def->rate_hz, 0, "%s: steps per second", p->name);
}

twStatus rods_parameters(CliReport* report, twError* err)
{
    twStatus status = TW_OK;
    cli_report_heading(report, "Fig. 7 and section 6.1: parameters of the ten examples, and of our scenes");
    for (size_t i = 0; i < sizeof examples / sizeof *examples && status == TW_OK; i++)
    {
        twScene* scene;
        status = built_in_scene(&scene, examples[i].scene, err);
        if (status != TW_OK) break;
        compare(report, &examples[i], scene);
        tw_scene_destroy(scene);
    }
    return status;
}
