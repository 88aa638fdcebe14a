// SPDX-License-Identifier: MIT
// Wires that are played. Expected values: the pitch of a stiff string, what a plain rod does, states that are continuous.
#include "test.h"
#include "twang/math.h"
#include "twang/rod.h"

enum
{
    N = 16384
};
static double out_velocity[2][N], out_place[2][N], out_force[N];

static void play(twWire* wire, const double* speed, const double* press, int from, int to, int block)
{
    for (int at = from; at < to; at += block)
    {
        int n = to - at < block ? to - at : block;
        double* out[] = {out_velocity[0] + at, out_velocity[1] + at, out_place[0] + at, out_place[1] + at,
                         out_force + at};
        tw_wire_process(wire, NULL, speed ? speed + at : NULL, press ? press + at : NULL, out, n);
    }
}

static twWire* make(twWireDef* def)
{
    twWire* wire = NULL;
    twError err;
    def->pickups = 2;
    if (tw_wire_create(&wire, def, &err) != TW_OK) printf("%s\n", err.text);
    return wire;
}

static double string_pitch(const twWireDef* d)
{
    double area = TW_PI * d->radius * d->radius, pull = d->young * area * (d->stretch - 1),
           bend = d->young * area * d->radius * d->radius / 4;
    return sqrt(pull / (d->density * area)) / (2 * d->length) *
           sqrt(1 + TW_PI * TW_PI * bend / (pull * d->length * d->length));
}

static int a_plucked_wire_sounds_at_its_pitch_and_starts_where_it_was_pulled_to(void)
{
    twWireDef def = tw_wire_def();
    twWire* wire = make(&def);
    ENSURE(wire);
    ENSURE(tw_wire_place_pickup(wire, 0, 0.4) && tw_wire_place_pickup(wire, 1, 0.8));
    ENSURE(tw_wire_pluck(wire, 0.4, 0.5, 0.05));
    play(wire, NULL, NULL, 0, N, 64);
    // pulled to F x (L - x)/(T L) before it is let go
    double pull = def.young * TW_PI * def.radius * def.radius * (def.stretch - 1);
    double highest = 0;
    for (int i = 0; i < 2410; i++) highest = fmax(highest, out_place[0][i]);
    ENSURE_NEAR(highest, 0.5 * 0.4 * 0.6 * def.length / pull, 0.05 * highest);
    ENSURE_NEAR(1200 * log2(tw_pitch(out_velocity[0] + 3000, N - 3000, def.rate_hz) / string_pitch(&def)), 0, 5);
    for (int i = 0; i < N; i++) ENSURE(out_force[i] == 0);
    tw_wire_destroy(wire);
    return 0;
}

// decay of the tone at a frequency between two places of a signal [1/s]
static double tone_decay(const double* signal, int first, int second, double freq_hz, double rate_hz)
{
    enum
    {
        WINDOW = 4096
    };
    double level[2];
    for (int k = 0; k < 2; k++)
    {
        double re = 0, im = 0;
        for (int i = 0; i < WINDOW; i++)
        {
            const double hann = 0.5 - 0.5 * cos(2 * TW_PI * i / WINDOW), turn = 2 * TW_PI * freq_hz * i / rate_hz;
            const double x = hann * signal[(k ? second : first) + i];
            re += x * cos(turn), im += x * sin(turn);
        }
        level[k] = hypot(re, im);
    }
    return log(level[0] / level[1]) * rate_hz / (second - first);
}

// of the second tone of a thick wire that is held without tension, struck: what its pitch is, and how it decays
static void hear_second_tone(twWireDef* def, double* freq_hz, double* decay)
{
    def->hold = TW_WIRE_PINNED, def->stretch = 1;
    const double bend = def->young * def->radius * def->radius / 4 / def->density;
    *freq_hz = 2 * TW_PI * sqrt(bend) / (def->length * def->length);
    twWire* wire = make(def);
    tw_wire_strike(wire, 0.2, 0.05, 1e-3);
    play(wire, NULL, NULL, 0, N, 64);
    *decay = tone_decay(out_velocity[0], 1000, 12000, *freq_hz, def->rate_hz);
    tw_wire_destroy(wire);
}

static int a_wire_of_a_material_decays_by_its_loss_factor_its_heat_and_the_air(void)
{
    double freq_hz, given, aluminium, thick;
    twWireDef def = tw_wire_def();
    def.alpha = def.beta = 0, def.loss_factor = 1e-2, def.radius = 0.004;
    hear_second_tone(&def, &freq_hz, &given);
    printf("  %.0f Hz: %.3f /s, %.3f from the loss factor\n", freq_hz, given, TW_PI * freq_hz * 1e-2);
    ENSURE_NEAR(given, TW_PI * freq_hz * 1e-2, 0.06 * given);
    // heat: sqrt(12 I/A) is the thickness of the strip that bends like it
    def.radius = 0.0015;
    tw_wire_def_material(&def, tw_material_find("aluminium"));
    ENSURE(def.young == 69e9 && def.density == 2700 && def.alpha == 0.5 && def.beta == 0 && def.loss_factor == 1e-4);
    hear_second_tone(&def, &freq_hz, &aluminium);
    const twRelaxation heat = tw_material_thermoelastic(tw_material_find("aluminium"), sqrt(3) * def.radius);
    const double solid = 0.25 + TW_PI * freq_hz * (1e-4 + tw_relaxation_loss(heat, freq_hz));
    // what a round rod radiates below its coincidence is a bound for the air
    const double ka = 2 * TW_PI * freq_hz * def.radius / 343.2,
                 air = TW_PI * freq_hz * 0.5 * TW_PI * ka * ka * 1.204 / 2700;
    printf("  aluminium, %.0f Hz: %.4f /s, %.4f from solid, at most %.4f from air\n", freq_hz, aluminium, solid, air);
    ENSURE(aluminium > 0.9 * solid && aluminium < 1.1 * (solid + air));
    // without its heat it would decay otherwise
    def.matter = NULL;
    hear_second_tone(&def, &freq_hz, &thick);
    ENSURE(thick < 0.8 * aluminium);
    return 0;
}

static int a_bowed_wire_keeps_sounding(void)
{
    static double speed[N], press[N];
    twWireDef def = tw_wire_def();
    twWire* wire = make(&def);
    for (int i = 0; i < N; i++) speed[i] = 0.1, press[i] = fmin(1, i / 2000.0);
    play(wire, speed, press, 0, N, 64);
    double early = 0, late = 0;
    for (int i = 6000; i < 8000; i++) early += pow(out_velocity[0][i], 2), late += pow(out_velocity[0][i + 8000], 2);
    ENSURE(early > 1 && late > 0.5 * early && late < 2 * early);
    ENSURE_NEAR(1200 * log2(tw_pitch(out_place[0] + 6000, N - 6000, def.rate_hz) / string_pitch(&def)), 0, 30);
    tw_wire_destroy(wire);
    return 0;
}

static int blocks_make_no_difference(void)
{
    static double speed[N], press[N], kept[N];
    for (int i = 0; i < N; i++) speed[i] = 0.1 * sin(0.001 * i), press[i] = i > 2000;
    for (int b = 0; b < 2; b++)
    {
        twWireDef def = tw_wire_def();
        twWire* wire = make(&def);
        ENSURE(tw_wire_strike(wire, 0.3, 2, 1e-3));
        play(wire, speed, press, 0, 3000, b ? 1 : 64);
        ENSURE(tw_wire_place_bow(wire, 0.4) && tw_wire_place_pickup(wire, 0, 0.9) && tw_wire_place_push(wire, 0.5));
        play(wire, speed, press, 3000, 5000, b ? 1 : 64);
        if (b == 0) memcpy(kept, out_velocity[0], sizeof kept);
        ENSURE(memcmp(kept, out_velocity[0], 5000 * sizeof *kept) == 0);
        tw_wire_destroy(wire);
    }
    return 0;
}

// another rate: positions and velocities go on, and so does the pitch
static int a_wire_goes_on_at_another_rate(void)
{
    twWireDef def = tw_wire_def();
    twWire* wire = make(&def);
    ENSURE(tw_wire_strike(wire, 0.3, 0.5, 1e-3));
    play(wire, NULL, NULL, 0, 4000, 64);
    def.rate_hz = 96000;
    ENSURE(tw_wire_change(wire, &def, NULL) == TW_OK && !tw_wire_fading(wire));
    play(wire, NULL, NULL, 4000, N, 64);
    // what comes next is one step of the old rate on, by the mean of the velocities
    double mean = 0.5 * (out_velocity[0][3999] + out_velocity[0][4000]) / 48000;
    ENSURE_NEAR(out_place[0][4000], out_place[0][3999] + mean, 0.1 * fabs(mean));
    ENSURE_NEAR(1200 * log2(tw_pitch(out_velocity[0] + 4000, N - 4000, 96000) / string_pitch(&def)), 0, 5);
    tw_wire_destroy(wire);
    return 0;
}

static int another_wire_comes_in_without_a_click(void)
{
    twWireDef def = tw_wire_def();
    twWire* wire = make(&def);
    ENSURE(tw_wire_strike(wire, 0.3, 5, 1e-3));
    play(wire, NULL, NULL, 0, 8000, 64);
    double usual = 0, step = 0;
    for (int i = 1000; i < 8000; i++) usual = fmax(usual, fabs(out_velocity[0][i] - out_velocity[0][i - 1]));
    def.points = 40, def.length = 0.5;
    ENSURE(tw_wire_change(wire, &def, NULL) == TW_OK && tw_wire_fading(wire));
    play(wire, NULL, NULL, 8000, N, 64);
    for (int i = 8000; i < N; i++) step = fmax(step, fabs(out_velocity[0][i] - out_velocity[0][i - 1]));
    ENSURE(!tw_wire_fading(wire) && step <= 1.2 * usual);
    ENSURE(out_velocity[0][N - 1] == 0);
    tw_wire_destroy(wire);
    return 0;
}

static int nonsense_is_refused_and_nothing_breaks(void)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, -1, 1e300};
    static double wild[N];
    twWireDef def = tw_wire_def(), other;
    twWire* wire = make(&def);
    for (int i = 0; i < 5; i++)
    {
        ENSURE(!tw_wire_strike(wire, bad[i], 1, 1e-3) && !tw_wire_strike(wire, 0.5, 1, i == 3 ? 0 : bad[i]));
        ENSURE(!tw_wire_pluck(wire, 0.5, bad[i == 3 ? 0 : i], 0.1) && !tw_wire_place_bow(wire, bad[i]));
        ENSURE(!tw_wire_place_push(wire, bad[i]) && !tw_wire_place_pickup(wire, 0, bad[i]));
        double* values[] = {&other.rate_hz, &other.length,  &other.radius,
                            &other.young,   &other.density, &other.loss_factor};
        for (int k = 0; k < 6; k++)
        {
            other = def;
            *values[k] = bad[i];
            ENSURE(tw_wire_change(wire, &other, NULL) == TW_BAD_INPUT);
        }
    }
    ENSURE(!tw_wire_place_pickup(wire, 2, 0.5) && !tw_wire_place_pickup(wire, -1, 0.5));
    other = def, other.points = 3;
    ENSURE(tw_wire_change(wire, &other, NULL) == TW_BAD_INPUT);
    other = def, other.points = 1 << 20;
    ENSURE(tw_wire_change(wire, &other, NULL) == TW_BAD_INPUT);
    other = def, other.pickups = 1;
    ENSURE(tw_wire_change(wire, &other, NULL) == TW_BAD_INPUT);
    twRng rng = tw_rng(3);
    for (int i = 0; i < N; i++) wild[i] = i % 7 ? 10 * tw_rng_normal(&rng) : bad[i % 5];
    double* out[5] = {out_velocity[0], NULL, out_place[0], NULL, NULL};
    tw_wire_process(wire, wild, wild, wild, out, 3000);
    for (int i = 0; i < 3000; i++) ENSURE(isfinite(out_velocity[0][i]) && isfinite(out_place[0][i]));
    tw_wire_destroy(wire);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_plucked_wire_sounds_at_its_pitch_and_starts_where_it_was_pulled_to)
    RUN(a_wire_of_a_material_decays_by_its_loss_factor_its_heat_and_the_air)
    RUN(a_bowed_wire_keeps_sounding)
    RUN(blocks_make_no_difference)
    RUN(a_wire_goes_on_at_another_rate)
    RUN(another_wire_comes_in_without_a_click)
    RUN(nonsense_is_refused_and_nothing_breaks)
)
