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

// The ear is told places at the ends of blocks; on straight lines between them the distance would change by 31 um, 0.4 % of
// a period of 10 kHz.
static int circling_sources_keep_their_distance(void)
{
    twEar* ear = create_ear(tw_ear_def());
    hear_tone(ear, 1, RATE, 10000, &(Way){.radius = 1, .turns_hz = 0.5}, NULL, 0, heard, 20000);
    tw_ear_destroy(ear);
    double worst = 0;
    for (int n = 2000; n < 20000; n++)
        worst = fmax(worst, fabs(heard[n] - cos(2 * TW_PI * 10000 * (n / RATE - 1 / SPEED))));
    ENSURE(worst < 1e-3);
    return 0;
}

// ---- ground, pairs, harmonics ----

static int ground_is_an_image(void)
{
    static float direct[6000], image[6000];
    const Way source = {{0, 1, 0.3}, {5, 0, 1}, 0, 0}, way = {{2, 1, 1.5}, {0, 0, 0.4}, 0, 0};
    const Way mirrored = {{2, 1, -2.5}, {0, 0, -0.4}, 0, 0};
    twEarDef def = tw_ear_def();
    twEar* ear = create_ear(def);
    hear_tone(ear, 1, RATE, 700, &source, &way, 0.1, direct, 6000);
    tw_ear_destroy(ear);
    ear = create_ear(def);
    hear_tone(ear, 1, RATE, 700, &source, &mirrored, 0.1, image, 6000);
    tw_ear_destroy(ear);
    def.ground = true;
    def.ground_point = tw_vec3(7, 7, -0.5);
    def.ground_normal = tw_vec3(0, 0, 3);
    def.reflection = 0.7;
    ear = create_ear(def);
    ENSURE(tw_ear_point_count(ear) == 2);
    hear_tone(ear, 1, RATE, 700, &source, &way, 0.1, heard, 6000);
    ENSURE_NEAR(tw_ear_point(ear, 1).z, -1 - tw_ear_point(ear, 0).z, 1e-12);
    tw_ear_destroy(ear);
    for (int n = 0; n < 6000; n++) ENSURE_NEAR(heard[n], direct[n] + 0.7 * image[n], 1e-6);
    return 0;
}

// complex amplitudes of the channels for a source at rest
static void tones_of(twEarDef def, twVec3 source, double freq_hz, double complex* out)
{
    int channels = tw_ear_channels(def.kind);
    twEar* ear = create_ear(def);
    hear_tone(ear, channels, RATE, freq_hz, &(Way){.place = source}, NULL, 0, heard, 6000);
    tw_ear_destroy(ear);
    for (int c = 0; c < channels; c++) out[c] = ear_tone(heard, channels, c, 3000, 6000, freq_hz, RATE);
}

static int harmonics_have_the_gains_of_ambix(void)
{
    twEarDef def = tw_ear_def();
    def.kind = TW_EAR_AMBIX;
    for (int i = 0; i < 6; i++)
    {
        // the ear looks elsewhere; the direction in its own axes is what counts
        twVec3 e = tw_vec3_normalize(tw_vec3(sin(3 * i + 1.0), cos(i), sin(i - 0.5)));
        def.turn = tw_quat_from_axis_angle(tw_vec3(1, i, -2), 0.7 * i);
        def.position = tw_vec3(i, 2, 1);
        twVec3 source = tw_vec3_add_scaled(def.position, tw_quat_rotate(def.turn, e), 2.5);
        double complex p[4];
        tones_of(def, source, 1000, p);
        double complex w = cexp(-I * 2 * TW_PI * 1000 * 2.5 / SPEED) / 2.5;
        const double gains[4] = {1, e.y, e.z, e.x};
        for (int c = 0; c < 4; c++) ENSURE_NEAR(cabs(p[c] / w - gains[c]), 0, 1e-3);
    }
    return 0;
}

static int images_come_from_below(void)
{
    twEarDef def = tw_ear_def();
    def.kind = TW_EAR_AMBIX;
    def.position = tw_vec3(0, 0, 1);
    def.ground = true;
    def.reflection = 1;
    double complex p[4], q[4];
    tones_of(def, tw_vec3(3, 0, 1), 500, p);
    def.ground = false;
    tones_of(def, tw_vec3(3, 0, 1), 500, q);
    double r = sqrt(13);
    double complex w = cexp(-I * 2 * TW_PI * 500 * r / SPEED) / r;
    const double gains[4] = {1, 0, -2 / r, 3 / r};
    for (int c = 0; c < 4; c++) ENSURE_NEAR(cabs((p[c] - q[c]) / w - gains[c]), 0, 1e-3);
    return 0;
}

static int pair_has_its_spacing_and_its_patterns(void)
{
    twEarDef def = tw_ear_def();
    def.kind = TW_EAR_STEREO;
    def.spacing = 0.3;
    def.angle = TW_PI / 2;
    for (int i = 0; i < 3; i++)
    {
        def.omni = 0.5 * i;
        double complex p[2];
        twVec3 source = tw_vec3(2, 1, 0.5);
        tones_of(def, source, 1500, p);
        for (int c = 0; c < 2; c++)
        {
            twVec3 d = tw_vec3_sub(source, tw_vec3(0, c == 0 ? 0.15 : -0.15, 0));
            twVec3 axis = tw_vec3(sqrt(0.5), c == 0 ? sqrt(0.5) : -sqrt(0.5), 0);
            double r = tw_vec3_norm(d), gain = def.omni + (1 - def.omni) * tw_vec3_dot(d, axis) / r;
            ENSURE_NEAR(cabs(p[c] - gain / r * cexp(-I * 2 * TW_PI * 1500 * r / SPEED)), 0, 1e-3);
        }
    }
    return 0;
}

// ---- order, silence ----

static int any_order_of_hearing_gives_the_same_bits(void)
{
    enum
    {
        SOURCES = 5,
        N = 100
    };
    static float signal[SOURCES][2][N], out[2][N * 2];
    twEarDef def = tw_ear_def();
    def.kind = TW_EAR_STEREO;
    def.source_count = SOURCES;
    def.max_block = N;
    def.air_absorption = true;
    twEar* ears[2] = {create_ear(def), create_ear(def)};
    twRng rng = tw_rng(1);
    for (int block = 0; block < 60; block++)
    {
        for (int s = 0; s < SOURCES; s++)
            for (int p = 0; p < 2; p++) fill_noise(signal[s][p], N, &rng);
        for (int e = 0; e < 2; e++)
        {
            tw_ear_move(ears[e], tw_vec3(0.01 * block, 0, 0), tw_quat_identity());
            for (int k = 0; k < 2 * SOURCES; k++)
            {
                int i = e == 0 ? k : (7 * k + block) % (2 * SOURCES), s = i / 2;
                twVec3 from = tw_vec3(1 + s, 0.01 * block, s), to = tw_vec3(1 + s, 0.01 * (block + 1), s);
                tw_ear_hear(ears[e], s, i % 2, signal[s][i % 2], N, from, to, 0.05);
            }
            tw_ear_mix(ears[e], out[e], N);
        }
        ENSURE(memcmp(out[0], out[1], sizeof out[0]) == 0);
    }
    for (int e = 0; e < 2; e++) tw_ear_destroy(ears[e]);
    return 0;
}

static int silence_is_the_same_told_or_not(void)
{
    twEarDef def = tw_ear_def();
    def.air_absorption = true;
    def.max_block = BLOCK;
    twEar *told = create_ear(def), *untold = create_ear(def);
    float signal[BLOCK], silence[BLOCK] = {0}, a[BLOCK], b[BLOCK];
    twRng rng = tw_rng(2);
    twVec3 place = tw_vec3(4, 0, 0);
    int last = 0;
    for (int block = 0; block < 80; block++)
    {
        bool sounds = block < 3 || block == 20;
        fill_noise(signal, BLOCK, &rng);
        tw_ear_hear(told, 0, 0, sounds ? signal : silence, BLOCK, place, place, 0);
        if (sounds) tw_ear_hear(untold, 0, 0, signal, BLOCK, place, place, 0);
        tw_ear_mix(told, a, BLOCK);
        tw_ear_mix(untold, b, BLOCK);
        ENSURE(memcmp(a, b, sizeof a) == 0);
        for (int i = 0; i < BLOCK; i++)
            if (a[i] != 0) last = block * BLOCK + i;
    }
    // and it ends
    ENSURE(last > 20 * BLOCK && last < 21 * BLOCK + tw_ear_tail(told));
    tw_ear_destroy(told);
    tw_ear_destroy(untold);
    return 0;
}

// ---- rest and motion ----

static int rest_sounds_as_motion_too_small_to_hear(void)
{
    enum
    {
        BLOCKS = 40
    };
    static float still[BLOCKS * BLOCK * 4], moved[BLOCKS * BLOCK * 4];
    for (int kind = 0; kind < 8; kind++)
    {
        twEarDef def = tw_ear_def();
        def.kind = (twEarKind)(kind / 2);
        if (def.kind == TW_EAR_BINAURAL) continue;
        def.air_absorption = kind % 2;
        def.ground = kind % 2;
        def.ground_point = tw_vec3(0, 0, -1);
        hear_trembling(def, 0, still, BLOCKS);
        hear_trembling(def, 1e-10, moved, BLOCKS);
        double most = 0;
        for (int i = 0; i < BLOCKS * BLOCK * tw_ear_channels(def.kind); i++)
        {
            ENSURE_NEAR(still[i], moved[i], 1e-6);
            most = fmax(most, fabs((double)still[i]));
        }
        ENSURE(most > 0.5);
    }
    return 0;
}

// rests, goes 0.3 m within 40 blocks, rests again; a and v are continuous
static int sources_that_start_and_stop_do_not_click(void)
{
    enum
    {
        LENGTH = 20000
    };
    static float out[LENGTH];
    const double tones[3] = {500, 2000, 8000}, limits[3] = {-80, -76, -66};
    for (int k = 0; k < 3; k++)
    {
        twEarDef def = tw_ear_def();
        twEar* ear = create_ear(def);
        float signal[BLOCK], block[BLOCK];
        for (int n = 0; n < LENGTH; n += BLOCK)
        {
            twVec3 place[2];
            for (int i = 0; i < 2; i++)
            {
                double u = fmin(fmax(((double)n / BLOCK + i - 30) / 40, 0), 1);
                place[i] = tw_vec3(1.5 - 0.3 * (u - sin(2 * TW_PI * u) / (2 * TW_PI)), 0.2, 0);
            }
            for (int i = 0; i < BLOCK; i++) signal[i] = (float)cos(2 * TW_PI * tones[k] * (n + i) / def.rate_hz);
            tw_ear_hear(ear, 0, 0, signal, BLOCK, place[0], place[1], 0);
            tw_ear_mix(ear, block, BLOCK);
            for (int i = 0; i < BLOCK && n + i < LENGTH; i++) out[n + i] = block[i];
        }
        tw_ear_destroy(ear);
        // without how it begins
        ENSURE(clicks_db(out + 3000, 1, 0, 16384, tones[k], 200, def.rate_hz) < limits[k]);
    }
    return 0;
}

// ---- trouble ----

static int sources_that_pass_through_the_ear_do_not_click(void)
{
    for (int kind = 0; kind < TW_EAR_KIND_COUNT; kind++)
    {
        if (kind == TW_EAR_BINAURAL) continue;
        twEarDef def = tw_ear_def();
        def.kind = kind;
        def.nearest = 0.2;
        def.spacing = 0;
        int channels = tw_ear_channels(kind);
        twEar* ear = create_ear(def);
        hear_tone(ear, channels, RATE, 2000, &(Way){{-0.7, 0, 0}, {1, 0, 0}, 0, 0}, NULL, 0.1, heard, 65536);
        ENSURE(tw_ear_stats(ear).too_near > 0.39 * RATE && tw_ear_stats(ear).bad_values == 0);
        tw_ear_destroy(ear);
        for (int c = 0; c < channels; c++)
        {
            if (kind == TW_EAR_AMBIX && (c == 1 || c == 2)) continue;
            double clicks = clicks_db(heard, channels, c, 65536, 2000, 200, RATE);
            if (clicks > -60) printf("kind %d channel %d: %g dB\n", kind, c, clicks);
            ENSURE(clicks < -60);
        }
        // level at the ear is that at half the nearest distance
        for (int n = 0; n < 65536 * channels; n++) ENSURE(fabs(heard[n]) < 2 / 0.2 * 1.01);
    }
    return 0;
}

static int sources_beyond_the_farthest_fade_and_are_counted(void)
{
    twEarDef def = tw_ear_def();
    def.farthest = 10;
    twEar* ear = create_ear(def);
    hear_tone(ear, 1, RATE, 2000, &(Way){{7, 0, 0}, {5, 0, 0}, 0, 0}, NULL, 0, heard, 65536);
    ENSURE(tw_ear_stats(ear).too_far > 0);
    tw_ear_destroy(ear);
    ENSURE(clicks_db(heard, 1, 0, 65536, 2000, 200, RATE) < -60);
    for (int n = 50000; n < 65536; n++) ENSURE(heard[n] == 0);
    return 0;
}

static int what_is_not_finite_is_left_out(void)
{
    twEarDef def = tw_ear_def();
    twEar* ear = create_ear(def);
    float signal[BLOCK], out[BLOCK], largest = 0;
    for (int block = 0; block < 40; block++)
    {
        for (int i = 0; i < BLOCK; i++) signal[i] = i == 7 && block == 2 ? NAN : i == 9 && block == 2 ? INFINITY : 1;
        twVec3 place = tw_vec3(1, 0, block == 4 ? NAN : 0);
        if (block == 6) tw_ear_move(ear, tw_vec3(INFINITY, 0, 0), tw_quat_identity());
        tw_ear_hear(ear, 0, 0, signal, BLOCK, place, place, block == 8 ? -1 : 0);
        tw_ear_mix(ear, out, BLOCK);
        for (int i = 0; i < BLOCK; i++)
        {
            ENSURE(isfinite(out[i]));
            largest = fmaxf(largest, fabsf(out[i]));
        }
    }
    ENSURE(tw_ear_stats(ear).bad_values == 5);
    ENSURE(largest > 0.9f && largest < 1.5f);
    tw_ear_destroy(ear);
    return 0;
}

static int ears_that_jump_are_counted_and_stay_finite(void)
{
    twEarDef def = tw_ear_def();
    def.position = tw_vec3(1, 0, 0);
    twEar* ear = create_ear(def);
    float signal[BLOCK], out[BLOCK];
    for (int i = 0; i < BLOCK; i++) signal[i] = 1;
    for (int block = 0; block < 40; block++)
    {
        tw_ear_move(ear, tw_vec3(block < 20 ? 1 : -5, 0, 0), tw_quat_identity());
        tw_ear_hear(ear, 0, 0, signal, BLOCK, tw_vec3(0, 0, 0), tw_vec3(0, 0, 0), 0);
        tw_ear_mix(ear, out, BLOCK);
        for (int i = 0; i < BLOCK; i++) ENSURE(isfinite(out[i]) && fabsf(out[i]) < 2);
    }
    ENSURE(tw_ear_stats(ear).jumps == 1);
    ENSURE_NEAR(out[0], 0.2, 1e-3);
    tw_ear_destroy(ear);
    return 0;
}

static int ear_fails(twEarDef def, const char* text)
{
    twEar* ear;
    twError err = {0};
    if (tw_ear_create(&ear, &def, &err) != TW_BAD_INPUT || ear) return 0;
    if (!strstr(err.text, text)) printf("message: %s\n", err.text);
    return strstr(err.text, text) != NULL;
}

static int bad_ears_are_named(void)
{
    twEarDef good = tw_ear_def(), def;
#define WITH(field, value, text) (def = good, def.field = value, ear_fails(def, text))
    ENSURE(WITH(kind, TW_EAR_KIND_COUNT, "no such kind"));
    ENSURE(WITH(kind, TW_EAR_BINAURAL, "needs a head"));
    ENSURE(WITH(rate_hz, NAN, "rate"));
    ENSURE(WITH(sound_speed, 0, "speed of sound"));
    ENSURE(WITH(position.x, INFINITY, "position"));
    ENSURE(WITH(turn.w, 0, "no rotation"));
    ENSURE(WITH(nearest, 0, "distances from 0"));
    ENSURE(WITH(source_count, 0, "0 sources"));
    ENSURE(WITH(max_block, -1, "blocks of -1"));
    good.kind = TW_EAR_STEREO;
    ENSURE(WITH(spacing, -1, "spacing -1"));
    ENSURE(WITH(angle, NAN, "angle nan"));
    ENSURE(WITH(omni, 2, "omni 2"));
    good.air_absorption = true;
    ENSURE(WITH(humidity, 120, "120 %"));
    ENSURE(WITH(pressure, 0, "0 kPa"));
    good.ground = true;
    ENSURE(WITH(reflection, -1, "reflection -1"));
#undef WITH
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(level_and_delay_follow_distance)
    RUN(moving_sources_shift_in_pitch_and_level_as_doppler_says)
    RUN(moving_ears_shift_in_pitch_but_not_in_level)
    RUN(circling_sources_keep_their_distance)
    RUN(ground_is_an_image)
    RUN(harmonics_have_the_gains_of_ambix)
    RUN(images_come_from_below)
    RUN(pair_has_its_spacing_and_its_patterns)
    RUN(any_order_of_hearing_gives_the_same_bits)
    RUN(silence_is_the_same_told_or_not)
    RUN(rest_sounds_as_motion_too_small_to_hear)
    RUN(sources_that_start_and_stop_do_not_click)
    RUN(sources_that_pass_through_the_ear_do_not_click)
    RUN(sources_beyond_the_farthest_fade_and_are_counted)
    RUN(what_is_not_finite_is_left_out)
    RUN(ears_that_jump_are_counted_and_stay_finite)
    RUN(bad_ears_are_named)
)
