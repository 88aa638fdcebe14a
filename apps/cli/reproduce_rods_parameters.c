// SPDX-License-Identifier: MIT
// Fig. 7 and section 6.1 of Schweickart et al. 2017: points, material, sizes and rates of its ten examples, beside those of our scenes.

#include "reproduce_rods.h"
#include "twang/math.h"
#include <string.h>

typedef struct Parameters
{
    const char *name, *scene;
    int points;
    double young_gpa, poisson;
    double length;                      // of the first rod at rest, as the text gives it [m]; 0: not told
    double span;                        // from end to end as it begins, stretched [m]; 0: not told
    double area_mm2;                    // of its section
    double turns, radius;               // of a coil [m]; 0: none
    double rate_hz;                     // of steps
    const char *why_points, *why_rate;  // of what differs on purpose; NULL: nothing
} Parameters;

static const Parameters examples[] = {
    {"Rectangular Rod", "rectangular-rod", 30, 68.9, 0.33, 0.3048, 0, 25.4 * 12.7, 0, 0, 44100, NULL, NULL},
    {"Circular Rod", "circular-rod", 50, 70.7, 0.33, 0.6096, 0, TW_PI * 6.35 * 6.35, 0, 0, 44100, NULL, NULL},
    {"Ruler", "oak-ruler", 36, 6.3, 0.3, 0.381, 0, 33 * 7, 0, 0, 44100, NULL, NULL},
    {"Strapping", "strapping", 100, 205, 0.29, 1.0668, 0, 25.4 * 25.4 / 32, 0, 0, 44100, NULL, NULL},
    {"Clock Gong", "clock-gong", 400, 225, 0.29, 0, 0, TW_PI * 2 * 2, 0, 0, 44100, NULL, NULL},
    {"Rubber Band", "rubber-band", 50, 0.0003, 0.49, 0.186, 0.283, 1.6 * 0.8, 0, 0, 44100, NULL, NULL},
    {"Guy Wire", "guy-wire", 1500, 205, 0.29, 20, 20.1, TW_PI * 6.35 * 6.35, 0, 0, 88200, NULL, NULL},
    {"Slinky Dispersion", "slinky", 3888, 205, 0.29, 0, 0, 0.95 * 0.38, 81, 0.0325, 88200, NULL, NULL},
    {"Chain Link Fence", "chain-link-fence", 15000, 68.9, 0.33, 0, 0, TW_PI * 1.45 * 1.45, 0, 0, 88200,
     "35 wires of 417 points, a whole number for each zigzag, and two posts of 81; rings that tie them are ours, and not counted",
     "they need this rate to stay stable; compliant contacts in implicit steps do not"},
    {"Slinky Walk", "slinky-walk", 3888, 205, 0.29, 0, 0, 0.95 * 0.38, 81, 0.0325, 88200, NULL,
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

static double span(const twRodDef* def)
{
    return tw_vec3_norm(tw_vec3_sub(def->points[def->point_count - 1], def->points[0]));
}

// how often a coil goes round without stress: the angles between its edges
static double turns(const twRodDef* def)
{
    const twVec3* p = def->rest_points ? def->rest_points : def->points;
    double sum = 0;
    for (int i = 2; i < def->point_count; i++)
    {
        const twVec3 a = tw_vec3_sub(p[i - 1], p[i - 2]), b = tw_vec3_sub(p[i], p[i - 1]);
        sum += atan2(tw_vec3_norm(tw_vec3_cross(a, b)), tw_vec3_dot(a, b));
    }
    return sum / (2 * TW_PI);
}

static void compare_shape(CliReport* report, const Parameters* p, const twRodDef* def)
{
    const double area = def->sections[0].area * 1e6;
    if (p->length > 0)
        cli_report_row(report, p->length, rest_length(def), 1e-5 * p->length, "%s: length at rest [m]", p->name);
    if (p->span > 0) cli_report_row(report, p->span, span(def), 1e-9, "%s: stretched to [m]", p->name);
    cli_report_row(report, p->area_mm2, area, 1e-6 * p->area_mm2, "%s: area of the section [mm^2]", p->name);
    if (!(p->turns > 0)) return;
    const double round = turns(def);
    cli_report_row(report, p->turns, round, 0.5, "%s: turns", p->name);
    cli_report_row(report, p->radius, rest_length(def) / (2 * TW_PI * round), 0.01 * p->radius, "%s: radius [m]",
                   p->name);
}

// the widest extent of all points
static double widest(const twRodDef* def)
{
    double most = 0;
    for (int i = 0; i < def->point_count; i++)
        for (int j = 0; j < i; j++) most = fmax(most, tw_vec3_norm(tw_vec3_sub(def->points[i], def->points[j])));
    return most;
}

// what only one example has
static void compare_special(CliReport* report, const Parameters* p, const twScene* scene)
{
    if (strcmp(p->scene, "clock-gong") == 0)
        cli_report_row(report, 0.14, widest(&scene->rods[0].def), 0.01, "%s: across, about [m]", p->name);
    if (strcmp(p->scene, "chain-link-fence") != 0) return;
    int wires = 0, posts = 0;
    const twRodDef* post = NULL;
    for (int i = 0; i < scene->rod_count; i++)
    {
        const twRodDef* def = &scene->rods[i].def;
        if (def->closed) continue;
        const bool straight = fabs(span(def) - rest_length(def)) < 1e-6;
        if (straight) post = def;
        posts += straight, wires += !straight;
    }
    cli_report_row(report, 35, wires, 0, "%s: wires", p->name);
    cli_report_row(report, 2, posts, 0, "%s: posts", p->name);
    if (!post) return;
    cli_report_row(report, 1.15, rest_length(post), 1e-9, "%s: length of a post [m]", p->name);
    cli_report_row(report, TW_PI * (16 * 16 - 15 * 15), 1e6 * post->sections[0].area, 1e-6,
                   "%s: area of a post's wall [mm^2]", p->name);
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
    compare_shape(report, p, def);
    compare_special(report, p, scene);
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
    cli_report_row(report, 0.96, tw_listener_def().reflection, 1e-12, "section 6: sound that the ground reflects");
    return status;
}
