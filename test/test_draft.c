// SPDX-License-Identifier: MIT
// Modes described piece by piece, and chimes that ring while they change. Expected values: the series' closed forms, the exact
// impulse response, and what a bank that was never touched does.
#include "test.h"
#include "twang/math.h"
#include "twang/modal.h"
#include <stdlib.h>

static twDraft* draft(int points, int pickups)
{
    twDraft* d = NULL;
    return tw_draft_create(&d, points, pickups, NULL) == TW_OK ? d : NULL;
}

static twModes* work_out(twDraft* d, double below_hz)
{
    twModes* modes = NULL;
    return tw_draft_modes(&modes, d, below_hz, NULL) == TW_OK ? modes : NULL;
}

// ---- drafts ----

static int a_new_draft_is_a_free_mass(void)
{
    twDraft* d = draft(1, 1);
    twModes* m = work_out(d, 24000);
    ENSURE(m && m->mode_count == 1 && m->freq_hz[0] == 0 && m->decay[0] == 0 && m->mass[0] == 1 && m->shape[0] == 1);
    tw_modes_destroy(m);
    tw_draft_destroy(d);
    return 0;
}

static int a_series_has_its_frequencies_positions_and_masses(void)
{
    twDraft* d = draft(2, 1);
    ENSURE(tw_draft_series(d, TW_SERIES_BAR, 440, 5, NULL) == TW_OK);
    ENSURE(tw_draft_mass(d, &(double){0.2}, 1, NULL) == TW_OK);
    ENSURE(tw_draft_point(d, 1, &(double){0.3}, 1, NULL) == TW_OK);
    ENSURE(tw_draft_pickup(d, 0, &(double){1}, 1, NULL) == TW_OK);
    ENSURE(tw_draft_pitch(d, 2, NULL) == TW_OK && tw_draft_damping(d, 3, NULL) == TW_OK);
    twModes* m = work_out(d, 24000);
    ENSURE(m && m->mode_count == 5 && m->point_count == 2);
    for (int k = 0; k < 5; k++)
    {
        ENSURE_NEAR(m->freq_hz[k], 880 * tw_series_ratio(TW_SERIES_BAR, k), 1e-9);
        ENSURE_NEAR(m->decay[k], 3 * tw_material_decay(tw_material_find("steel"), m->freq_hz[k]), 1e-9);
        ENSURE_NEAR(m->mass[k], 0.05, 1e-15);
        ENSURE_NEAR(m->shape[k], tw_series_shape(TW_SERIES_BAR, k, 0.1), 1e-12);
        ENSURE_NEAR(m->shape[5 + k], tw_series_shape(TW_SERIES_BAR, k, 0.3), 1e-12);
        ENSURE_NEAR(m->pickup[k], tw_series_shape(TW_SERIES_BAR, k, 1), 1e-12);
    }
    tw_modes_destroy(m);
    tw_draft_destroy(d);
    return 0;
}

static int modes_above_the_limit_are_left_out_with_their_weights(void)
{
    const double freq[] = {100, 30000, 200, 50000, 300}, weight[] = {1, -2, 3, -4, -5}, heard[] = {6, 7, 8, 9, 10};
    twDraft* d = draft(2, 1);
    ENSURE(tw_draft_list(d, freq, 5, NULL) == TW_OK && tw_draft_point(d, 1, weight, 5, NULL) == TW_OK);
    ENSURE(tw_draft_pickup(d, 0, heard, 5, NULL) == TW_OK);
    twModes* m = work_out(d, 24000);
    ENSURE(m && m->mode_count == 3);
    for (int k = 0; k < 3; k++)
    {
        ENSURE(m->freq_hz[k] == 100 * (k + 1) && m->shape[k] == 1);
        ENSURE(m->shape[3 + k] == weight[2 * k] && m->pickup[k] == heard[2 * k]);
    }
    tw_modes_destroy(m);
    tw_draft_destroy(d);
    return 0;
}

// what no longer fits is forgotten, what fits stays
static int another_list_keeps_what_fits(void)
{
    const double freq[] = {100, 200, 300}, weight[] = {1, 2, 3};
    twDraft* d = draft(1, 1);
    ENSURE(tw_draft_list(d, freq, 3, NULL) == TW_OK && tw_draft_point(d, 0, weight, 3, NULL) == TW_OK);
    ENSURE(tw_draft_mass(d, weight, 3, NULL) == TW_OK && tw_draft_decay(d, &(double){7}, 1, NULL) == TW_OK);
    ENSURE(tw_draft_list(d, weight, 3, NULL) == TW_OK);
    twModes* m = work_out(d, 24000);
    ENSURE(m && m->freq_hz[2] == 3 && m->shape[2] == 3 && m->mass[1] == 2 && m->decay[2] == 7);
    tw_modes_destroy(m);
    ENSURE(tw_draft_list(d, freq, 2, NULL) == TW_OK);
    m = work_out(d, 24000);
    ENSURE(m && m->mode_count == 2 && m->shape[1] == 1 && m->mass[1] == 1 && m->decay[1] == 7);
    tw_modes_destroy(m);
    tw_draft_destroy(d);
    return 0;
}

// c + alpha/2; decays that are given have it in them
static int what_holds_it_adds_to_the_material(void)
{
    const double freq[] = {0, 500};
    twDraft* d = draft(1, 1);
    twError err;
    ENSURE(tw_draft_list(d, freq, 2, NULL) == TW_OK && tw_draft_material(d, "glass", NULL) == TW_OK);
    ENSURE(tw_draft_mounting(d, "shelf", &err) == TW_BAD_INPUT && strstr(err.text, "shelf"));
    ENSURE(tw_draft_mounting(d, "hand", NULL) == TW_OK);
    twModes* m = work_out(d, 24000);
    ENSURE(m && m->decay[0] == 0);
    ENSURE_NEAR(m->decay[1], tw_material_decay(tw_material_find("glass"), 500) + 30, 1e-12);
    tw_modes_destroy(m);
    ENSURE(tw_draft_decay(d, &(double){7}, 1, NULL) == TW_OK);
    m = work_out(d, 24000);
    ENSURE(m && m->decay[1] == 7);
    tw_modes_destroy(m);
    tw_draft_destroy(d);
    return 0;
}

static int what_makes_no_sense_is_refused_and_changes_nothing(void)
{
    const double bad[] = {NAN, INFINITY, -1, 1e300}, freq[] = {100, 200};
    twDraft* d = draft(1, 1);
    twError err;
    ENSURE(tw_draft_list(d, freq, 2, NULL) == TW_OK);
    for (int i = 0; i < 4; i++)
    {
        ENSURE(tw_draft_list(d, &bad[i], 1, NULL) == TW_BAD_INPUT);
        ENSURE(tw_draft_series(d, TW_SERIES_BAR, bad[i], 3, NULL) == TW_BAD_INPUT);
        ENSURE(tw_draft_decay(d, &bad[i], 1, NULL) == TW_BAD_INPUT);
        ENSURE(tw_draft_mass(d, &bad[i], 1, NULL) == TW_BAD_INPUT);
        ENSURE(tw_draft_pitch(d, bad[i], NULL) == TW_BAD_INPUT && tw_draft_damping(d, bad[i], NULL) == TW_BAD_INPUT);
        if (i != 2) ENSURE(tw_draft_point(d, 0, &bad[i], 1, NULL) == TW_BAD_INPUT);
    }
    ENSURE(tw_draft_list(d, freq, 0, NULL) == TW_BAD_INPUT && tw_draft_list(d, freq, -5, NULL) == TW_BAD_INPUT);
    ENSURE(tw_draft_series(d, TW_SERIES_BAR, 440, 1 << 30, NULL) == TW_BAD_INPUT);
    ENSURE(tw_draft_point(d, 1, freq, 2, NULL) == TW_BAD_INPUT && tw_draft_point(d, -1, freq, 2, NULL) == TW_BAD_INPUT);
    ENSURE(tw_draft_material(d, "cheese", &err) == TW_BAD_INPUT && strstr(err.text, "cheese"));
    ENSURE(tw_draft_decay(d, (double[]){1, 2, 3}, 3, &err) == TW_BAD_INPUT && strstr(err.text, "2, one per mode"));
    twDraft* none;
    ENSURE(tw_draft_create(&none, 0, 1, NULL) == TW_BAD_INPUT && tw_draft_create(&none, 1, -3, NULL) == TW_BAD_INPUT);
    twModes* m = work_out(d, 24000);
    ENSURE(m && m->mode_count == 2 && m->freq_hz[1] == 200 && m->mass[1] == 1 && m->shape[1] == 1);
    tw_modes_destroy(m);
    tw_draft_destroy(d);
    return 0;
}

// a triangle whose corner i moves by i + 1 in mode 0, along z
static twModeSet* triangle_set(void)
{
    static const double freq[] = {500, 900};
    static float shape[2 * 3 * 3];
    static const twVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const twTriangle face = {{0, 1, 2}};
    for (int i = 0; i < 3; i++) shape[3 * i + 2] = (float)(i + 1), shape[9 + 3 * i] = -1;
    twModeSet def = {.mode_count = 2, .vertex_count = 3, .face_count = 1, .freq_hz = freq, .shape = shape};
    def.vertices = vertices, def.faces = &face;
    def.damping = tw_damping_rayleigh(10, 0);
    def.mass.mass = 1;
    twModeSet* set = NULL;
    twError err;
    if (tw_mode_set_create(&set, &def, &err) != TW_OK) printf("%s\n", err.text);
    return set;
}

static int points_on_a_mode_set_are_places_and_directions(void)
{
    twDraft* d = draft(1, 2);
    twModeSet* set = triangle_set();
    ENSURE(set && tw_draft_set(d, set, NULL) == TW_OK);
    ENSURE(tw_draft_point(d, 0, (double[]){0.9, 0.1, 0}, 3, NULL) == TW_OK);
    ENSURE(tw_draft_pickup(d, 1, (double[]){0, 2, 0, -3, 0, 0}, 6, NULL) == TW_OK);
    ENSURE(tw_draft_point(d, 0, (double[]){1, 2}, 2, NULL) == TW_BAD_INPUT);
    ENSURE(tw_draft_mass(d, &(double){1}, 1, NULL) == TW_BAD_INPUT);
    twModes* m = work_out(d, 24000);
    ENSURE(m && m->mode_count == 2 && m->decay[0] == 5);
    ENSURE_NEAR(fabs(m->shape[0]), 2, 1e-6);
    ENSURE_NEAR(m->shape[1], 0, 1e-6);
    ENSURE(m->pickup[0] == m->shape[0]);
    ENSURE_NEAR(m->pickup[2 + 1], 1, 1e-6);
    tw_modes_destroy(m);
    tw_draft_destroy(d);
    return 0;
}

// ---- state of banks ----

static twModes* chord(int count, double first_hz, int points)
{
    twDraft* d = draft(points, 1);
    tw_draft_series(d, TW_SERIES_STRING, first_hz, count, NULL);
    tw_draft_decay(d, &(double){4}, 1, NULL);
    twModes* m = work_out(d, 24000);
    tw_draft_destroy(d);
    return m;
}

enum
{
    N = 4096
};
static float first[N], second[N];

// two chimes that ring alike; chords of one and of several points are kept differently in the bank
static int a_state_read_and_set_rings_on_at_any_rate(void)
{
    for (int points = 1; points <= 2; points++)
    {
        twModes* m = chord(9, 200, points);
        twChimeDef def = tw_chime_def(m);
        twChime* x;
        ENSURE(tw_chime_create(&x, &def, NULL) == TW_OK);
        tw_chime_impulse(x, points - 1, 0.01);
        memset(first, 0, sizeof first);
        float* out = first;
        tw_chime_process(x, NULL, &out, N);
        def.rate_hz = 96000;
        ENSURE(tw_chime_change(x, &def, NULL) == TW_OK && !tw_chime_fading(x));
        memset(second, 0, sizeof second);
        out = second;
        tw_chime_process(x, NULL, &out, N);
        // v(t) = sum of J s p exp(-c t) (cos wt - c/w sin wt)/m, at the new rate's samples; the state is that of the last sample
        double worst = 0, largest = 0;
        for (int i = 0; i < N; i++)
        {
            double t = (N - 1) / 48000.0 + (i + 1) / 96000.0, v = 0;
            for (int k = 0; k < m->mode_count; k++)
            {
                double w0 = 2 * TW_PI * m->freq_hz[k], c = m->decay[k], w = sqrt(w0 * w0 - c * c);
                double weight = m->shape[(points - 1) * m->mode_count + k] * m->pickup[k] / m->mass[k];
                v += 0.01 * weight * exp(-c * t) * (cos(w * t) - c / w * sin(w * t));
            }
            worst = fmax(worst, fabs(second[i] - v)), largest = fmax(largest, fabs(v));
        }
        ENSURE(worst < 2e-5 * largest);
        tw_chime_destroy(x);
        tw_modes_destroy(m);
    }
    return 0;
}

// largest step between neighbouring samples
static double largest_step(const float* x, int from, int to)
{
    double most = 0;
    for (int i = from + 1; i < to; i++) most = fmax(most, fabs((double)x[i] - x[i - 1]));
    return most;
}

static int other_modes_come_in_without_a_click(void)
{
    twModes *m = chord(9, 200, 1), *other = chord(4, 333, 1);
    twChimeDef def = tw_chime_def(m);
    twChime* x;
    ENSURE(tw_chime_create(&x, &def, NULL) == TW_OK);
    tw_chime_impulse(x, 0, 0.01);
    memset(first, 0, sizeof first);
    float *out = first, *rest = first + N / 2;
    tw_chime_process(x, NULL, &out, N / 2);
    def.modes = other;
    ENSURE(tw_chime_change(x, &def, NULL) == TW_OK && tw_chime_fading(x));
    tw_chime_process(x, NULL, &rest, N / 2);
    ENSURE(!tw_chime_fading(x));
    // the blow itself is a step; after it none is larger than those of the sound
    ENSURE(largest_step(first, N / 2 - 2, N) <= largest_step(first, 2, N / 2));
    // in blocks of one sample the same, but for the rounding of floats, 6e-8 a sample
    double largest = 0;
    for (int i = 0; i < N; i++) largest = fmax(largest, fabs(first[i]));
    twChime* y;
    def.modes = m;
    ENSURE(tw_chime_create(&y, &def, NULL) == TW_OK);
    tw_chime_impulse(y, 0, 0.01);
    memset(second, 0, sizeof second);
    for (int i = 0; i < N; i++)
    {
        float* one = second + i;
        def.modes = other;
        if (i == N / 2) ENSURE(tw_chime_change(y, &def, NULL) == TW_OK);
        tw_chime_process(y, NULL, &one, 1);
        ENSURE_NEAR(second[i], first[i], 3e-4 * largest);
    }
    tw_chime_destroy(x), tw_chime_destroy(y);
    tw_modes_destroy(m), tw_modes_destroy(other);
    return 0;
}

static int a_chime_refuses_what_does_not_fit(void)
{
    twModes *m = chord(3, 200, 1), *two = chord(3, 200, 2), *high = chord(3, 9000, 1);
    twChimeDef def = tw_chime_def(m);
    twChime* x;
    ENSURE(high->mode_count == 2);
    ENSURE(tw_chime_create(&x, &def, NULL) == TW_OK);
    def.modes = two;
    ENSURE(tw_chime_change(x, &def, NULL) == TW_BAD_INPUT);
    def.modes = high, def.rate_hz = 20000;
    ENSURE(tw_chime_change(x, &def, NULL) == TW_BAD_INPUT);
    float* out = first;
    tw_chime_impulse(x, 0, 1);
    tw_chime_process(x, NULL, &out, 10);
    tw_chime_destroy(x);
    tw_modes_destroy(m), tw_modes_destroy(two), tw_modes_destroy(high);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_new_draft_is_a_free_mass)
    RUN(a_series_has_its_frequencies_positions_and_masses)
    RUN(modes_above_the_limit_are_left_out_with_their_weights)
    RUN(another_list_keeps_what_fits)
    RUN(what_holds_it_adds_to_the_material)
    RUN(what_makes_no_sense_is_refused_and_changes_nothing)
    RUN(points_on_a_mode_set_are_places_and_directions)
    RUN(a_state_read_and_set_rings_on_at_any_rate)
    RUN(other_modes_come_in_without_a_click)
    RUN(a_chime_refuses_what_does_not_fit)
)
