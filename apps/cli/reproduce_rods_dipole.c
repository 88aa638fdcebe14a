// SPDX-License-Identifier: MIT
// Dipole matrices of sections, and the paper's three comparisons of section 6.2: a single point, no retarded time, a uniform
// dipole.

#include "reproduce_rods.h"
#include "twang/math.h"
#include <stdlib.h>

// ---- sections ----

// D11 and D22 of an outline against theirs; both 0: not asked
static twStatus dipole(CliReport* report, const twSectionDef* def, double d11, double d22, double tolerance,
                       const char* name, twError* err)
{
    twSection s;
    twStatus status = tw_section_compute(&s, def, err);
    if (status != TW_OK) return status;
    cli_report_row(report, d11, s.dipole[0], tolerance * d11, "%s: D11 [m^2]", name);
    cli_report_row(report, d22, s.dipole[1], tolerance * d22, "%s: D22 [m^2]", name);
    return TW_OK;
}

static twStatus torsion(CliReport* report, double width, double height, double theirs, const char* name, twError* err)
{
    twSection s;
    const twSectionDef def = tw_section_rectangle(width, height);
    twStatus status = tw_section_compute(&s, &def, err);
    if (status != TW_OK) return status;
    cli_report_row(report, theirs, s.torsion / (s.moment[0] + s.moment[1]), 5e-4, "%s: J over the polar moment", name);
    return TW_OK;
}

// an ellipse of many corners: a little less than the whole
static twStatus many_corners(CliReport* report, double a, double b, twError* err)
{
    enum
    {
        CORNERS = 120
    };
    double points[2 * CORNERS];
    for (int i = 0; i < CORNERS; i++)
    {
        points[2 * i] = a * cos(2 * TW_PI * i / CORNERS);
        points[2 * i + 1] = b * sin(2 * TW_PI * i / CORNERS);
    }
    const twSectionDef def = tw_section_polygon(points, CORNERS);
    return dipole(report, &def, TW_PI * b * (a + b), TW_PI * a * (a + b), 1e-3, "ellipse 10 x 4 mm as 120 corners",
                  err);
}

twStatus rods_sections(CliReport* report, twError* err)
{
    const double x = BAR_WIDTH / 2, y = BAR_HEIGHT / 2, a = 0.005, square = (4 + 1.5132 * TW_PI) * a * a;
    const double corners[] = {-x, -y, x, -y, x, y, -x, y}, four[] = {-a, -a, a, -a, a, a, -a, a};
    const struct
    {
        twSectionDef def;
        double d11, d22, tolerance;
        const char* name;
    } rows[] = {
        {tw_section_rectangle(2 * x, 2 * y), 5.37364e-4, 1.013567e-3, 2e-6, "25.4 x 12.7 mm, mapped"},
        {tw_section_polygon(corners, 4), 5.37364e-4, 1.013567e-3, 2e-6, "25.4 x 12.7 mm, boundary elements"},
        {tw_section_polygon(four, 4), square, square, 2e-5, "10 x 10 mm, boundary elements"},
        {tw_section_rounded(2 * a, 2 * a, a), TW_PI * 2 * a * a, TW_PI * 2 * a * a, 1e-5,
         "10 mm circle, boundary elements"},
    };
    cli_report_heading(report, "Sections: dipole per length, torsion");
    twStatus status = TW_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == TW_OK; i++)
        status = dipole(report, &rows[i].def, rows[i].d11, rows[i].d22, rows[i].tolerance, rows[i].name, err);
    if (status == TW_OK) status = many_corners(report, 0.005, 0.002, err);
    if (status == TW_OK) status = torsion(report, BAR_WIDTH, BAR_HEIGHT, 0.549, "25.4 x 12.7 mm", err);
    if (status == TW_OK) status = torsion(report, 0.033, 0.007, 0.149, "33 x 7 mm", err);
    return status;
}

// ---- section 6.2 ----

enum
{
    EAR,
    INSTANT,
    END,
    POINT
};

static const double* ear(const RodSound* sound, int which)
{
    return sound->samples + (size_t)which * (size_t)sound->count;
}

// levels of a bar's modes, the strongest at 0 dB
static void mode_levels(const RodSound* sound, int which, double first_hz, double db[4])
{
    double most = -INFINITY;
    for (int j = 0; j < 4; j++)
    {
        const double hz = first_hz * pow(bar_root(j) / bar_root(0), 2);
        db[j] = band_db(ear(sound, which), sound->count, sound->rate_hz, 0.95 * hz, 1.05 * hz);
        most = fmax(most, db[j]);
    }
    for (int j = 0; j < 4; j++) db[j] -= most;
}

// "a point that lies at a node of a particular vibration mode can lead to the mode's vibration frequency being
// underrepresented"
static twStatus single_point(CliReport* report, twError* err)
{
    Bar bar = rectangular_bar();
    bar.points = 41;
    bar.force = tw_vec3(0, 0, 0.4);
    bar.pickup = 0.225;  // the first mode's node is at 0.2242
    RodSound sound;
    twStatus status = hear_bar(&sound, &bar, 0.3, err);
    if (status != TW_OK) return status;
    const double first = bar_hz(0, BAR_LENGTH, sqrt(BAR_YOUNG / BAR_DENSITY), BAR_HEIGHT / sqrt(12));
    double all[4], end[4], point[4];
    mode_levels(&sound, EAR, first, all);
    mode_levels(&sound, END, first, end);
    mode_levels(&sound, POINT, first, point);
    rod_sound_free(&sound);
    cli_report_heading(report, "Section 6.2, single point: left all of the bar, right one point's velocity [dB]");
    for (int j = 0; j < 4; j++) cli_report_info(report, all[j], end[j], "thin %d, point at the end", j + 1);
    for (int j = 0; j < 4; j++) cli_report_info(report, all[j], point[j], "thin %d, point at a node of thin 1", j + 1);
    cli_report_claim(report, end[0] - end[1] > point[0] - point[1] + 20, "at its node thin 1 is lost | by %.0f dB",
                     end[0] - end[1] - point[0] + point[1]);
    return TW_OK;
}

static const double bands_hz[] = {125, 250, 500, 1000, 2000, 4000, 8000, 16000};
#define BAND_COUNT 7

static void band_levels(const RodSound* sound, int which, double db[BAND_COUNT])
{
    for (int i = 0; i < BAND_COUNT; i++)
        db[i] = band_db(ear(sound, which), sound->count, sound->rate_hz, bands_hz[i], bands_hz[i + 1]);
}

// right minus left, band by band; relative to 1 Pa
static void report_bands(CliReport* report, const double left[], const double right[])
{
    for (int i = 0; i < BAND_COUNT; i++)
        cli_report_info(report, left[i], right[i], "%g to %g Hz | %+.1f dB", bands_hz[i], bands_hz[i + 1],
                        right[i] - left[i]);
}

// "without the delay, the audio signal is prone to clearly audible interference": its circular rod, here struck
static twStatus no_delay(CliReport* report, twError* err)
{
    Bar bar = {.length = 0.6096,
               .section = "circle: 0.00635",
               .material = "{density: 2700, young: 70.7e+9, poisson: 0.33, alpha: 2, beta: 1.0e-9}",
               .points = 50,
               .oversample = 1,
               .force = {0, 0, 0.4},
               .ear = {0.5, 0.3, 1},
               .pickup = 0.5,
               .pickup_direction = {0, 0, 1}};
    RodSound sound;
    twStatus status = hear_bar(&sound, &bar, 0.3, err);
    if (status != TW_OK) return status;
    double with[BAND_COUNT], without[BAND_COUNT], most = 0;
    band_levels(&sound, EAR, with);
    band_levels(&sound, INSTANT, without);
    rod_sound_free(&sound);
    cli_report_heading(report,
                       "Section 6.2, retarded time, circular rod at 1 m: left with, right without [dB re 1 Pa]");
    report_bands(report, with, without);
    for (int i = 0; i < BAND_COUNT; i++) most = fmin(most, without[i] - with[i]);
    cli_report_claim(report, most < -10, "without delay bands cancel | by %.0f dB", -most);
    return TW_OK;
}

// "the uniform model artificially exaggerates the high-frequency bending modes": its ruler, struck askew
static twStatus uniform_dipole(CliReport* report, twError* err)
{
    Bar bar = {.length = 0.381,
               .section = "rectangle: [0.033, 0.007]",
               .material = "{density: 700, young: 6.3e+9, poisson: 0.3, alpha: 10, beta: 2.0e-9}",
               .points = 36,
               .oversample = 1,
               .force = {0, 0.2, 0.2},
               .ear = {0.2, 0.6, 0.3},
               .pickup = 0.5,
               .pickup_direction = {0, 0, 1}};
    twScene* scene;
    RodSound sound[2] = {{0}};
    double level[2][BAND_COUNT];
    twStatus status = bar_scene(&scene, &bar, err);
    if (status != TW_OK) return status;
    for (int k = 0; k < 2 && status == TW_OK; k++)
    {
        scene->rods[0].uniform = k == 1;
        status = hear(&sound[k], scene, 0.3, err);
        if (status == TW_OK) band_levels(&sound[k], EAR, level[k]);
        rod_sound_free(&sound[k]);
    }
    tw_scene_destroy(scene);
    if (status != TW_OK) return status;
    cli_report_heading(report, "Section 6.2, dipole, ruler: left by direction, right uniform [dB re 1 Pa]");
    report_bands(report, level[0], level[1]);
    const double low = level[1][0] - level[0][0], high = level[1][5] - level[0][5];
    cli_report_claim(report, high > low + 3, "uniform: 4 to 8 kHz louder against 125 to 250 Hz | by %.1f dB",
                     high - low);
    return TW_OK;
}

twStatus rods_dipoles(CliReport* report, twError* err)
{
    twStatus status = single_point(report, err);
    if (status == TW_OK) status = no_delay(report, err);
    if (status == TW_OK) status = uniform_dipole(report, err);
    return status;
}
