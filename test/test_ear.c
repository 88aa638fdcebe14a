// SPDX-License-Identifier: MIT
// What ears hear of moving sources, against closed forms: delay, level, Doppler shift, images, directions.
#include "ear.h"

enum
{
    FRAMES = 96000
};
static const double RATE = 48000;
static float heard[4 * FRAMES];

// ---- at rest ----

static int level_and_delay_follow_distance(void)
{
    for (double r = 0.3; r < 95; r *= 1.73)
        for (double f = 100; f < 20000; f *= 5.1)
        {
            double lead = 0.1 * r;
            twEar* ear = create_ear(tw_ear_def());
            int first = (int)(r / SPEED * RATE) + 500;
            hear_tone(ear, 1, RATE, f, &(Way){.place = {0.6 * r, 0, -0.8 * r}}, NULL, lead, heard, first + 2000);
            tw_ear_destroy(ear);
            double complex p = ear_tone(heard, 1, 0, first, first + 2000, f, RATE);
            double complex exact = 1 / r * cexp(-I * 2 * TW_PI * f * (r - lead) / SPEED);
            ENSURE_NEAR(cabs(p / exact - 1), 0, 2e-3);
        }
    return 0;
}

// ---- in motion ----

// tone of a source heard at time t, both on lines: emission at tau with |ear(t) - source(tau)| = c (t - tau)
static double exact_moving(const Way* source, const Way* ear, double w, double t)
{
    double low = t - 2, high = t;
    for (int i = 0; i < 60; i++)
    {
        double tau = 0.5 * (low + high);
        bool late = tw_vec3_norm(tw_vec3_sub(way_at(ear, t), way_at(source, tau))) > SPEED * (t - tau);
        *(late ? &high : &low) = tau;
    }
    twVec3 d = tw_vec3_sub(way_at(ear, t), way_at(source, low));
    double r = tw_vec3_norm(d), mach = tw_vec3_dot(d, source->velocity) / (r * SPEED);
    return cos(w * low) / (r * (1 - mach));
}

static double worst_of_moving(Way source, Way way, double freq_hz)
{
    twEar* ear = create_ear(tw_ear_def());
    hear_tone(ear, 1, RATE, freq_hz, &source, &way, 0, heard, 84000);
    tw_ear_destroy(ear);
    double worst = 0, peak = 0;
    for (int n = 78000; n < 84000; n++)
    {
        double exact = exact_moving(&source, &way, 2 * TW_PI * freq_hz, n / RATE);
        worst = fmax(worst, fabs(heard[n] - exact));
        peak = fmax(peak, fabs(exact));
    }
    return worst / peak;
}

static int moving_sources_shift_in_pitch_and_level_as_doppler_says(void)
{
    // passes the ear at the end
    ENSURE(worst_of_moving((Way){{-66, 1, 0}, {40, 0, 0}, 0, 0}, (Way){0}, 2000) < 1e-3);
    ENSURE(worst_of_moving((Way){{4, 0.1, 0}, {30, 0, 0}, 0, 0}, (Way){0}, 10000) < 1e-3);
    return 0;
}

static int moving_ears_shift_in_pitch_but_not_in_level(void)
{
    ENSURE(worst_of_moving((Way){0}, (Way){{-66, 1, 0}, {40, 0, 0}, 0, 0}, 2000) < 2e-3);
    ENSURE(worst_of_moving((Way){{1, 0, 0}, {0, 10, 0}, 0, 0}, (Way){{60, 1, 2}, {-30, 0, 10}, 0, 0}, 7000) < 2e-3);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(level_and_delay_follow_distance)
    RUN(moving_sources_shift_in_pitch_and_level_as_doppler_says)
    RUN(moving_ears_shift_in_pitch_but_not_in_level)
)
