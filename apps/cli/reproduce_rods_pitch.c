// SPDX-License-Identifier: MIT
// Pitch of bars from their sound: the table of the spec (ideal bar, discrete elastic rods, trapezoid, Timoshenko), slender
// bars, 10 kHz, stretch and twist.

#include "reproduce_rods.h"
#include <stdlib.h>

enum
{
    MODES = 6
};

static const char* const mode_names[MODES] = {"thin 1", "thin 2", "thin 3", "thin 4", "thick 1", "thick 2"};

// how a bar is computed, what it should sound like, and how near it must come
typedef struct Column
{
    const char* name;
    int points, oversample;
    bool plain, trapezoid, shear;
    double tolerance;  // relative
    double theirs_hz[MODES];
} Column;

// Lumped bars are run at three times the rate, where Gauss is true to 1e-5: these columns are about space alone. The tolerances
// of the first and the last are the goals; the others compare with numbers known to five digits.
static const Column columns[] = {
    {"ideal bar; defaults, 30 points",
     30,
     1,
     false,
     false,
     false,
     1e-3,
     {709.841, 1956.703, 3835.920, 6340.970, 1419.681, 3913.406}},
    {"DER, lumped, 30 points",
     30,
     3,
     true,
     false,
     false,
     5e-5,
     {706.381, 1935.830, 3766.186, 6166.649, 1412.762, 3871.660}},
    {"DER, lumped, 60 points",
     60,
     3,
     true,
     false,
     false,
     5e-5,
     {709.001, 1951.615, 3818.837, 6298.029, 1418.002, 3903.230}},
    {"DER, lumped, 120 points",
     120,
     3,
     true,
     false,
     false,
     5e-5,
     {709.634, 1955.449, 3831.706, 6330.364, 1419.268, 3910.899}},
    {"DER, lumped, 30 points, trapezoid",
     30,
     1,
     true,
     true,
     false,
     5e-5,
     {705.79, 1923.70, 3679.53, 5810.38, 1408.02, 3777.74}},
    {"Timoshenko (5/6); shear, 30 points",
     30,
     1,
     false,
     false,
     true,
     2e-3,
     {705.34, 1921.68, 3705.21, 5996.87, 1384.96, 3657.78}},
};

#define SECONDS 0.3  // of sound: partials 14 Hz apart are told apart
#define NEAR 0.008   // where a partial is looked for: neighbours are 2 % apart

static twStatus table(CliReport* report, twError* err)
{
    double thick[2] = {0};
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
    {
        const Column* column = &columns[c];
        if (report->quick && column->points > 30) continue;
        char heading[96];
        snprintf(heading, sizeof heading, "Pitch from the sound [Hz]: %s", column->name);
        cli_report_heading(report, heading);
        Bar bar = rectangular_bar();
        bar.points = column->points, bar.oversample = column->oversample;
        bar.plain = column->plain, bar.trapezoid = column->trapezoid, bar.shear = column->shear;
        RodSound sound;
        twStatus status = hear_bar(&sound, &bar, SECONDS, err);
        if (status != TW_OK) return status;
        for (int i = 0; i < MODES; i++)
        {
            const double theirs = column->theirs_hz[i],
                         ours = partial_hz(sound.samples, sound.count, sound.rate_hz, theirs, NEAR);
            if (i == 4 && (c == 0 || column->shear)) thick[column->shear] = ours;
            cli_report_row(report, theirs, ours, column->tolerance * theirs, "%s: %s", column->name, mode_names[i]);
        }
        rod_sound_free(&sound);
    }
    // "raised by about 2 % compared to the recording", for want of shear
    cli_report_row(report, 2, 100 * (thick[0] / thick[1] - 1), 1, "thick 1: sharp without shear [%%]");
    return TW_OK;
}

// ---- slender bars ----

static twStatus slender(CliReport* report, bool clamped, int points, twError* err)
{
    const double radius = 0.002, length = 0.4, speed = sqrt(205e9 / 7850);
    Bar bar = {.length = length,
               .section = "circle: 0.002",
               .material = "{density: 7850, young: 205.0e+9, poisson: 0.29, alpha: 1, beta: 1.0e-10}",
               .points = points,
               .oversample = 1,
               .clamped = clamped,
               .strike_at = clamped ? 0.1 : 0,
               .force = {0, 0, 0.01},
               .ear = {0.07, 0.02, 0.3},
               .pickup = 0.5,
               .pickup_direction = {0, 0, 1}};
    RodSound sound;
    twStatus status = hear_bar(&sound, &bar, SECONDS, err);
    if (status != TW_OK) return status;
    for (int j = 0; j < 6; j++)
    {
        const double hz = bar_hz(j, length, speed, radius / 2);
        cli_report_row(report, hz, partial_hz(sound.samples, sound.count, sound.rate_hz, hz, NEAR), 1e-3 * hz,
                       "%s wire, %d points: bending %d [Hz]", clamped ? "clamped" : "free", points, j + 1);
    }
    rod_sound_free(&sound);
    return TW_OK;
}

// the highest modes that must be right: the bar's fifth, and that of a bar with it at 10 kHz, where the goal is what the
// scheme's closed form just misses
static twStatus ten_kilohertz(CliReport* report, twError* err)
{
    const double speed = sqrt(BAR_YOUNG / BAR_DENSITY), gyration = BAR_HEIGHT / sqrt(12);
    const double fifth = bar_hz(4, BAR_LENGTH, speed, gyration);
    Bar bar = rectangular_bar();
    RodSound sound;
    twStatus status = hear_bar(&sound, &bar, SECONDS, err);
    if (status != TW_OK) return status;
    cli_report_row(report, fifth, partial_hz(sound.samples, sound.count, sound.rate_hz, fifth, NEAR), 5e-3 * fifth,
                   "the bar, 30 points: thin 5 [Hz]");
    rod_sound_free(&sound);
    bar.points = 50;
    bar.length = sqrt(bar_hz(4, 1, speed, gyration) / 10000);
    status = hear_bar(&sound, &bar, SECONDS, err);
    if (status != TW_OK) return status;
    const double hz = partial_hz(sound.samples, sound.count, sound.rate_hz, 10000, NEAR);
    cli_report_row(report, 10000, hz, 50, "bar of %.4f m, 50 points: thin 5 [Hz]", bar.length);
    rod_sound_free(&sound);
    return TW_OK;
}

// ---- stretch and twist ----

// struck on its end, it is heard by its end caps
static twStatus stretch(CliReport* report, twError* err)
{
    Bar bar = rectangular_bar();
    bar.force = tw_vec3(0.4, 0, 0);
    bar.ear = tw_vec3(-0.3, 0.05, 0.05);
    RodSound sound;
    twStatus status = hear_bar(&sound, &bar, SECONDS, err);
    if (status != TW_OK) return status;
    const double hz = sqrt(BAR_YOUNG / BAR_DENSITY) / (2 * BAR_LENGTH);
    cli_report_row(report, hz, partial_hz(sound.samples, sound.count, sound.rate_hz, hz, NEAR), 5e-3 * hz,
                   "bar struck on its end: stretch 1 [Hz]");
    rod_sound_free(&sound);
    return TW_OK;
}

// twist makes no sound of its own: turned at one end, the turning of the other is measured
static twStatus twist_of(const twScene* scene, double* spin, int count, twError* err)
{
    twRodDef def = scene->rods[0].def;
    double* spins = calloc((size_t)def.point_count, sizeof *spins);
    if (!spins) return tw_fail(err, TW_NO_MEMORY, "no memory for a bar");
    spins[0] = 1;
    def.spins = spins;
    def.pulse_count = 0;
    twRod* rod;
    twStatus status = tw_rod_create(&rod, &def, err);
    free(spins);
    if (status != TW_OK) return status;
    const twRodView view = tw_rod_view(rod);
    for (int i = 0; i < count; i++)
    {
        tw_rod_step(rod);
        spin[i] = view.spin[view.edge_count - 1];
    }
    tw_rod_destroy(rod);
    return TW_OK;
}

static twStatus twist(CliReport* report, twError* err)
{
    enum
    {
        COUNT = 13230
    };
    const Bar bar = rectangular_bar();
    twScene* scene;
    twStatus status = bar_scene(&scene, &bar, err);
    if (status != TW_OK) return status;
    const twRodDef* def = &scene->rods[0].def;
    const twSection* s = def->sections;
    const double speed =
        sqrt(def->young / (2 * (1 + def->poisson)) * s->torsion / (def->density * (s->moment[0] + s->moment[1])));
    double* spin = malloc(COUNT * sizeof *spin);
    status = spin ? twist_of(scene, spin, COUNT, err) : tw_fail(err, TW_NO_MEMORY, "no memory for a bar");
    for (int j = 1; j <= 2 && status == TW_OK; j++)
    {
        const double hz = j * speed / (2 * BAR_LENGTH);
        cli_report_row(report, hz, partial_hz(spin, COUNT, def->rate_hz, hz, NEAR), 5e-3 * hz,
                       "bar turned at its end: twist %d [Hz]", j);
    }
    free(spin);
    tw_scene_destroy(scene);
    return status;
}

twStatus rods_pitch(CliReport* report, twError* err)
{
    twStatus status = table(report, err);
    if (status != TW_OK) return status;
    cli_report_heading(report, "Pitch with the defaults at 44.1 kHz against theory");
    status = slender(report, false, 30, err);
    if (status == TW_OK) status = slender(report, true, 30, err);
    if (status == TW_OK && !report->quick) status = slender(report, false, 50, err);
    if (status == TW_OK && !report->quick) status = slender(report, true, 50, err);
    if (status == TW_OK) status = ten_kilohertz(report, err);
    if (status == TW_OK) status = stretch(report, err);
    if (status == TW_OK) status = twist(report, err);
    return status;
}
