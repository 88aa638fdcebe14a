// SPDX-License-Identifier: MIT
// What listeners hear, against closed forms: dipoles near and far, delays, Doppler shifts, images, round cylinders.
// Tones are fitted to the rendered samples; phases count, so that delays are checked to a small part of a sample.
#include "acoustics/kernel.h"
#include "listener.h"

// ---- dipoles and monopoles at rest ----

static int dipole_is_the_closed_form_near_and_far(void)
{
    const double freqs[] = {50, 100, 440, 1000, 5000, 10000, 15000, 19800}, distances[] = {0.02, 0.34, 3.3, 37};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++)
        {
            double r = distances[j], w = 2 * TW_PI * freqs[i], cosine = 0.6;
            twListener* l = create_at(cosine * r, 0.8 * r, 0);
            double complex p = tone_at(l, freqs[i], 1e-3, 0, 0);
            tw_listener_destroy(l);
            double complex exact =
                DENSITY / (4 * TW_PI) * 1e-3 * cosine * (I * w / (SPEED * r) + 1 / (r * r)) * cexp(-I * w * r / SPEED);
            // level within 0.04 dB (at 0.45 of the rate, else 0.01), delay within 0.005 samples at 1 kHz and up
            double tolerance = freqs[i] > 17000 ? 4e-3 : 1e-3;
            ENSURE_NEAR(cabs(p / exact), 1, tolerance);
            ENSURE_NEAR(carg(p / exact), 0, tolerance);
        }
    return 0;
}

static int volume_is_the_closed_form(void)
{
    for (double f = 50; f < 19000; f *= 2.7)
    {
        double r = 1.234, w = 2 * TW_PI * f;
        twListener* l = create_at(0, r, 0);
        double complex p = tone_at(l, f, 0, 1e-4, 0),
                       exact = DENSITY * 1e-4 / (4 * TW_PI * r) * cexp(-I * w * r / SPEED);
        tw_listener_destroy(l);
        ENSURE_NEAR(cabs(p / exact - 1), 0, 1e-3);
    }
    return 0;
}

// the far part alone misses more than 5 dB at 100 Hz and 0.34 m
static int near_term_counts_at_low_frequencies(void)
{
    double w = 2 * TW_PI * 100, r = 0.34, far = DENSITY * 1e-3 * w / (4 * TW_PI * SPEED * r);
    twListener* l = create_at(r, 0, 0);
    double p = cabs(tone_at(l, 100, 1e-3, 0, 0));
    tw_listener_destroy(l);
    ENSURE_NEAR(decibels(far / p), -10 * log10(1 + pow(SPEED / (w * r), 2)), 0.01);
    ENSURE(decibels(far / p) < -5);
    return 0;
}

static int level_and_delay_follow_distance(void)
{
    // distances a little apart: the fraction of the delay takes all values
    for (double r = 0.5; r < 90; r *= 1.37)
    {
        twListener* l = create_at(0, 0, r);
        double complex p = tone_at(l, 3000, 0, 1, 0), scale = DENSITY / (4 * TW_PI);
        tw_listener_destroy(l);
        ENSURE_NEAR(cabs(p / scale) * r, 1, 1e-3);
        double turns = carg(p * cexp(I * 2 * TW_PI * 3000 * r / SPEED)) / (2 * TW_PI);
        ENSURE_NEAR(turns * RATE / 3000, 0, 2e-3);  // samples
    }
    return 0;
}

// ---- motion ----

// A volume source and an ear that both move along lines: exact pressure at time t.
static double exact_moving(twVec3 source, twVec3 v, twVec3 ear, twVec3 u, double w, double t)
{
    // emission at tau: |ear(t) - source(tau)| = c (t - tau), by halving
    twVec3 e = tw_vec3_add_scaled(ear, u, t);
    double low = t - 10, high = t;
    for (int i = 0; i < 80; i++)
    {
        double tau = 0.5 * (low + high);
        if (tw_vec3_norm(tw_vec3_sub(e, tw_vec3_add_scaled(source, v, tau))) > SPEED * (t - tau))
            high = tau;
        else
            low = tau;
    }
    twVec3 d = tw_vec3_sub(e, tw_vec3_add_scaled(source, v, low));
    double r = tw_vec3_norm(d), mach = tw_vec3_dot(d, v) / (r * SPEED);
    return DENSITY / (4 * TW_PI * r * (1 - mach)) * cos(w * low);
}

static double worst_of_moving(twVec3 source, twVec3 v, twVec3 ear, twVec3 u, double freq_hz)
{
    double w = 2 * TW_PI * freq_hz, worst = 0, peak = 0;
    twListener* l = create_at(ear.x, ear.y, ear.z);
    int latency = tw_listener_latency(l), steps = 12000;
    for (int n = 0; n < steps; n++)
    {
        double t = n / RATE;
        twVec3 x = tw_vec3_add_scaled(source, v, t);
        Source s = {.position = {x.x, x.y, x.z}, .volume = cos(w * t)};
        twSources sources = view(&s);
        tw_listener_move(l, tw_vec3_add_scaled(ear, u, t));
        tw_listener_add(l, 0, &sources);
        double p = tw_listener_step(l);
        if (n < 4000) continue;
        double exact = exact_moving(source, v, ear, u, w, (n - latency) / RATE);
        worst = fmax(worst, fabs(p - exact));
        peak = fmax(peak, fabs(exact));
    }
    tw_listener_destroy(l);
    return worst / peak;
}

static int moving_sources_shift_in_pitch_and_level_as_doppler_says(void)
{
    ENSURE(worst_of_moving(tw_vec3(-6, 1, 0), tw_vec3(40, 0, 0), tw_vec3(0, 0, 0), tw_vec3(0, 0, 0), 2000) < 1e-3);
    ENSURE(worst_of_moving(tw_vec3(-4, 0.1, 0), tw_vec3(-30, 0, 0), tw_vec3(0, 0, 0), tw_vec3(0, 0, 0), 10000) < 1e-3);
    return 0;
}

static int moving_listeners_shift_in_pitch_but_not_in_level(void)
{
    ENSURE(worst_of_moving(tw_vec3(0, 0, 0), tw_vec3(0, 0, 0), tw_vec3(-6, 1, 0), tw_vec3(40, 0, 0), 2000) < 1e-3);
    ENSURE(worst_of_moving(tw_vec3(1, 0, 0), tw_vec3(0, 10, 0), tw_vec3(9, 1, 2), tw_vec3(-30, 0, 10), 7000) < 1e-3);
    return 0;
}

// ---- ground ----

static int ground_is_an_image(void)
{
    twListenerDef def = tw_listener_def();
    def.position = tw_vec3(2, 1, 1.5);
    twListener* direct = create(def);
    def.position.z = -2.5;
    twListener* image = create(def);
    def.position.z = 1.5;
    def.ground = true;
    def.ground_point = tw_vec3(7, 7, -0.5);
    def.ground_normal = tw_vec3(0, 0, 3);
    def.reflection = 0.7;
    twListener* both = create(def);
    for (int n = 0; n < 3000; n++)
    {
        Source s = {.dipole = {sin(n * 0.3), 1, cos(n * 0.1)}, .rate = {1e4 * cos(n * 0.7), 1, 1e4}, .volume = sin(n)};
        twSources sources = view(&s);
        double shift = 1e-4 * n;
        tw_listener_move(direct, tw_vec3(2, 1, 1.5 + shift));
        tw_listener_move(image, tw_vec3(2, 1, -2.5 - shift));
        tw_listener_move(both, tw_vec3(2, 1, 1.5 + shift));
        tw_listener_add(direct, 0, &sources);
        tw_listener_add(image, 0, &sources);
        tw_listener_add(both, 0, &sources);
        double a = tw_listener_step(direct), b = tw_listener_step(image), c = tw_listener_step(both);
        ENSURE_NEAR(c, a + 0.7 * b, 1e-9);
    }
    tw_listener_destroy(direct);
    tw_listener_destroy(image);
    tw_listener_destroy(both);
    return 0;
}

// ---- round cylinders ----

static int round_cylinder_has_hankels_factor(void)
{
    const double radius[] = {0, 6.35e-3, 25e-3};
    for (int i = 1; i < 3; i++)
        for (double f = 60; f < 19800; f *= 1.9)
        {
            twListenerDef def = tw_listener_def();
            def.position = tw_vec3(2, 0, 0);
            def.track_count = 3;
            def.radius = radius;
            twListener *compact = create(def), *exact = create(def);
            double complex ratio = tone_at(exact, f, 1, 0, i) / tone_at(compact, f, 1, 0, 0);
            tw_listener_destroy(compact);
            tw_listener_destroy(exact);
            double ka = 2 * TW_PI * f * radius[i] / SPEED;
            double complex factor = conj(2 * I / (TW_PI * ka * ka * hankel_slope(ka)));
            ENSURE_NEAR(cabs(ratio - factor), 0, 2e-3);
        }
    return 0;
}

static int compact_thick_rod_is_too_loud_by_the_published_amount(void)
{
    const double freqs[] = {5000, 10000, 15000}, louder_db[] = {0.3, 4.8, 9.5};
    for (int i = 0; i < 3; i++)
    {
        double ka = 2 * TW_PI * freqs[i] * 6.35e-3 / 340;
        ENSURE_NEAR(-decibels(cabs(2 * I / (TW_PI * ka * ka * hankel_slope(ka)))), louder_db[i], 0.1);
    }
    return 0;
}

// ---- switches ----

static int instant_sound_has_the_level_but_no_delay(void)
{
    twListenerDef def = tw_listener_def();
    def.position = tw_vec3(0, 5, 0);
    def.instant = true;
    twListener* l = create(def);
    double complex p = tone_at(l, 1000, 0, 1, 0);
    ENSURE_NEAR(cabs(p - DENSITY / (4 * TW_PI * 5)), 0, 1e-5);
    tw_listener_destroy(l);
    return 0;
}

static int signal_is_heard_as_it_is(void)
{
    twListener* l = create_at(0, 0, 0);
    int latency = tw_listener_latency(l);
    double worst = 0;
    for (int n = 0; n < 2000; n++)
    {
        tw_listener_add_signal(l, sin(0.5 * n) + cos(2 * n));
        double p = tw_listener_step(l), t = n - latency;
        if (n > 300) worst = fmax(worst, fabs(p - sin(0.5 * t) - cos(2 * t)));
    }
    ENSURE(worst < 2e-3);
    tw_listener_destroy(l);
    return 0;
}

static int lowpass_is_butterworths(void)
{
    for (double f = 1000; f < 12000; f *= 1.7)
    {
        twListenerDef def = tw_listener_def();
        def.position = tw_vec3(0, 1, 0);
        twListener* plain = create(def);
        def.lowpass_hz = 6000;
        twListener* low = create(def);
        double gain = cabs(tone_at(low, f, 0, 1, 0) / tone_at(plain, f, 0, 1, 0));
        double ratio = tan(TW_PI * f / RATE) / tan(TW_PI * 6000 / RATE);
        ENSURE_NEAR(gain, 1 / sqrt(1 + pow(ratio, 12)), 1e-4);
        tw_listener_destroy(plain);
        tw_listener_destroy(low);
    }
    return 0;
}

// ---- trouble ----

static int sources_too_near_too_far_or_not_finite_are_counted(void)
{
    const double places[][2] = {{0, 1}, {200, 1}, {1, NAN}, {NAN, 1}, {1, INFINITY}};
    for (int i = 0; i < 5; i++)
    {
        twListenerDef def = tw_listener_def();
        def.lowpass_hz = 15000;
        twListener* l = create(def);
        double last = 0, largest = 0;
        for (int n = 0; n < 1000; n++)
        {
            Source s = {.position = {places[i][0]}, .dipole = {n == 0 ? places[i][1] : 0}};
            twSources sources = view(&s);
            if (n < 100) tw_listener_add(l, 0, &sources);
            last = tw_listener_step(l);
            ENSURE(isfinite(last));
            largest = fmax(largest, fabs(last));
        }
        twListenerStats stats = tw_listener_stats(l);
        ENSURE(stats.too_near == (i == 0 ? 100 : 0) && stats.too_far == (i == 1 ? 100 : 0));
        ENSURE(stats.bad_values == (i == 2 || i == 4 ? 1 : i == 3 ? 100 : 0));
        // at the ear the direction is none, so that a dipole is not heard
        ENSURE(largest == 0);
        tw_listener_destroy(l);
    }
    return 0;
}

static int sound_ends_when_it_has_arrived(void)
{
    twListener* l = create_at(0, 0, 50);
    double last = 1;
    for (int n = 0; n < 9000; n++)
    {
        Source s = {.volume = n < 500 ? cos(n) : 0};
        twSources sources = view(&s);
        tw_listener_add(l, 0, &sources);
        last = tw_listener_step(l);
        double arrival = 50 / SPEED * RATE;
        // nothing before its time but the bump and the filter's ringing, and nothing after
        if (n - tw_listener_latency(l) < arrival - 110 || n - tw_listener_latency(l) > arrival + 610) ENSURE(last == 0);
    }
    tw_listener_destroy(l);
    return 0;
}

static int jumping_listener_has_no_velocity(void)
{
    twListener *l = create_at(0, 0, 1), *still = create_at(0, 0, 1);
    for (int n = 0; n < 400; n++)
    {
        Source s = {.volume = cos(0.2 * n)};
        twSources sources = view(&s);
        tw_listener_move(l, tw_vec3(0, 0, n < 200 ? 1 : -1));
        tw_listener_add(l, 0, &sources);
        tw_listener_add(still, 0, &sources);
        ENSURE_NEAR(tw_listener_step(l), tw_listener_step(still), 1e-12);
    }
    tw_listener_move(l, tw_vec3(NAN, 0, 0));
    ENSURE(tw_listener_stats(l).bad_values == 1);
    tw_listener_destroy(l);
    tw_listener_destroy(still);
    return 0;
}

static int all_instruction_sets_write_the_same_bits(void)
{
    enum
    {
        N = 131,
        SIZE = 4096
    };
    static double field[10][N], rings[3][WRITE_COPIES * (SIZE + 72)], table[WRITE_PHASES * 2 * WRITE_TAPS];
    const char* names[] = {"generic", "avx2", "avx512"};
    twRng rng = tw_rng(1);
    for (int k = 0; k < 10; k++)
        for (int i = 0; i < N; i++) field[k][i] = tw_rng_between(&rng, -1, 1);
    for (int i = 0; i < WRITE_PHASES * 2 * WRITE_TAPS; i++) table[i] = tw_rng_uniform(&rng);
    twSources s = {
        N, {field[0], field[1], field[2]}, {field[3], field[4], field[5]}, {field[6], field[7], field[8]}, field[9]};
    Ear ear = {{3, 2, 1}, {1, 2, 3}, 1e-6, 100, 343, 44100, 1, 1, true, false};
    for (int v = 0; v < 3; v++)
    {
        const Kernel* kernel = acoustics_kernel(names[v]);
        if (!kernel) continue;
        ENSURE_TEXT(kernel->name, names[v]);
        for (int pass = 0; pass < 4; pass++)
        {
            twListenerStats stats = {0};
            ear.moves = pass & 1;
            s.volume = pass & 2 ? field[9] : NULL;
            kernel->write(&ear, &(Ring){rings[v], SIZE + 72, SIZE - 1, 4000 + pass, table}, &s, &stats);
        }
        ENSURE(memcmp(rings[v], rings[0], sizeof rings[0]) == 0);
    }
    ENSURE(acoustics_kernel("abacus") == NULL);
    return 0;
}

// values at times of their own, and a filter; both against plain sums
static int all_instruction_sets_scatter_and_convolve_alike(void)
{
    enum
    {
        N = 96,
        TAPS = 33,
        SIZE = 1024,
        STRIDE = SIZE + 72
    };
    static double rings[3][WRITE_COPIES * STRIDE], table[WRITE_PHASES * 2 * WRITE_TAPS], out[3][N];
    static double value[N], delay[N], x[TAPS - 1 + N], h[TAPS];
    const char* names[] = {"generic", "avx2", "avx512"};
    twRng rng = tw_rng(6);
    for (int i = 0; i < N; i++)
    {
        value[i] = tw_rng_normal(&rng);
        delay[i] = (int)tw_rng_between(&rng, 0, 2000) / 4.0;
    }
    for (int i = 0; i < TAPS - 1 + N; i++) x[i] = tw_rng_normal(&rng);
    for (int i = 0; i < TAPS; i++) h[i] = tw_rng_normal(&rng);
    for (int i = 0; i < WRITE_PHASES * 2 * WRITE_TAPS; i++) table[i] = tw_rng_uniform(&rng);
    for (int v = 0; v < 3; v++)
    {
        const Kernel* kernel = acoustics_kernel(names[v]);
        if (!kernel) continue;
        kernel->scatter(&(Ring){rings[v], STRIDE, SIZE - 1, 4000, table}, value, delay, N - 3);
        kernel->convolve(out[v], h, TAPS, x + TAPS - 1, N);
        ENSURE(memcmp(rings[v], rings[0], sizeof rings[0]) == 0);
        ENSURE(memcmp(out[v], out[0], sizeof out[0]) == 0);
    }
    for (int i = 0; i < N; i++)
    {
        double sum = 0;
        for (int k = 0; k < TAPS; k++) sum += h[k] * x[TAPS - 1 + i - k];
        ENSURE_NEAR(out[0][i], sum, 1e-12);
    }
    for (int i = 0; i < N - 3; i++)
    {
        // quarters of samples are rows of the table
        const double* row = table + (int)((delay[i] - floor(delay[i])) * WRITE_PHASES) * 2 * WRITE_TAPS;
        int64_t at = (4000 - WRITE_BEFORE + i + (int64_t)delay[i]) & (SIZE - 1);
        for (int k = 0; k < WRITE_TAPS; k++) rings[0][(i % WRITE_COPIES) * STRIDE + at + k] -= value[i] * row[k];
    }
    for (int i = 0; i < WRITE_COPIES * STRIDE; i++) ENSURE_NEAR(rings[0][i], 0, 1e-12);
    return 0;
}

// against each value by itself, at places round the end of the ring
static int samples_of_one_delay_are_written_together(void)
{
    enum
    {
        N = 600,
        SIZE = 1024,
        STRIDE = SIZE + 72
    };
    static double rings[3][WRITE_COPIES * STRIDE], sum[SIZE], table[WRITE_PHASES * 2 * WRITE_TAPS], value[N], delay[N];
    const char* names[] = {"generic", "avx2", "avx512"};
    const double even = 100.37;
    twRng rng = tw_rng(7);
    for (int i = 0; i < WRITE_PHASES * 2 * WRITE_TAPS; i++) table[i] = tw_rng_uniform(&rng);
    for (int i = 0; i < N; i++)
    {
        // at rest, in motion, nearly at rest within a row, slow through many of them
        value[i] = tw_rng_normal(&rng);
        delay[i] = i < 101   ? 300.7
                   : i < 150 ? 0.1 * i
                   : i < 457 ? 40 + (0.2 + 0.001 * (i - 150)) / WRITE_PHASES
                             : 60 + 0.0003 * i;
    }
    for (int v = 0; v < 3; v++)
    {
        const Kernel* kernel = acoustics_kernel(names[v]);
        if (!kernel) continue;
        const Ring ring = {rings[v], STRIDE, SIZE - 1, 4000, table};
        kernel->scatter(&ring, value, delay, N - 3);
        kernel->scatter_even(&ring, value, 0.7, even, N - 3);
        ENSURE(memcmp(rings[v], rings[0], sizeof rings[0]) == 0);
    }
    for (int i = 0; i < 2 * (N - 3); i++)
    {
        double phase = (i % 2 ? even : delay[i / 2]) * WRITE_PHASES, whole = floor(phase);
        const double* row = table + ((int)whole % WRITE_PHASES) * 2 * WRITE_TAPS;
        int64_t at = 4000 - WRITE_BEFORE + i / 2 + (int64_t)whole / WRITE_PHASES;
        for (int k = 0; k < WRITE_TAPS; k++)
            sum[(at + k) & (SIZE - 1)] +=
                (i % 2 ? 0.7 : 1) * value[i / 2] * (row[k] + (phase - whole) * row[WRITE_TAPS + k]);
    }
    const Ring ring = {rings[0], STRIDE, SIZE - 1, 0, table};
    for (int i = 0; i < SIZE; i++) ENSURE_NEAR(ring_take(&ring, i), sum[i], 1e-12);
    // nothing is left beside the rings
    for (int i = 0; i < WRITE_COPIES * STRIDE; i++) ENSURE(rings[0][i] == 0);
    return 0;
}

static int all_instruction_sets_follow_a_source_alike(void)
{
    enum
    {
        N = 43
    };
    static double out[3][6][(N + 7) / 8 * 8], ones[(N + 7) / 8 * 8];
    const char* names[] = {"generic", "avx2", "avx512"};
    Leg leg = {.d = {2, -1, 0.5}, .d_change = {-3, 2, -0.4}, .bend = {0.1, 0.2, 0.3}, .w = {20, 0, 3}};
    leg.w_change = tw_vec3(1, 2, 3), leg.speed = 343, leg.rate = 48000, leg.limit = 0.4, leg.farthest = 1.5;
    leg.lead = 0.1, leg.gain = 0.9;
    Aim aim = {.from = leg.d, .change = leg.d_change, .nearest = 0.5, .count = 4};
    for (int k = 0; k < 4; k++) aim.omni[k] = 0.3 * k, aim.axis[k] = tw_vec3(k, 1, 2 - k);
    for (int i = 0; i < N; i++) ones[i] = 1;
    for (int moves = 0; moves < 2; moves++)
        for (int v = 0; v < 3; v++)
        {
            const Kernel* kernel = acoustics_kernel(names[v]);
            if (!kernel) continue;
            leg.moves = moves;
            const Heard found = kernel->travel(&leg, out[v][0], out[v][1], N);
            kernel->aim(&aim, (double* const[]){out[v][2], out[v][3], out[v][4], out[v][5]}, ones, N);
            for (int k = 0; k < 6; k++) ENSURE(memcmp(out[v][k], out[0][k], N * sizeof(double)) == 0);
            int near = 0, far = 0;
            for (int i = 0; i < N; i++)
            {
                double s = (double)i / N;
                twVec3 straight = tw_vec3_add_scaled(leg.d, leg.d_change, s);
                twVec3 d = tw_vec3_add_scaled(straight, leg.bend, s * (s - 1));
                twVec3 w = tw_vec3_scale(tw_vec3_add_scaled(leg.w, leg.w_change, s), moves);
                double r = tw_vec3_norm(d), dw = tw_vec3_dot(d, w), rest = 343.0 * 343.0 - tw_vec3_dot(w, w);
                near += r < 0.4;
                if (r < 0.4) r = 0.2 + r * r / 0.8;
                double root = sqrt(dw * dw + rest * r * r), way = 343 * (dw + root) / rest;
                far += way > 1.5;
                ENSURE_NEAR(out[v][0][i], 0.9 * 343 / root, 1e-12);
                ENSURE_NEAR(out[v][1][i], fmax(way - 0.1, 0) * 48000 / 343, 1e-10);
                double size = tw_vec3_norm(straight), u = size / 0.5;
                twVec3 e = tw_vec3_scale(straight, u < 1 ? 0.5 * (3 - u * u) / 0.5 : 1 / size);
                for (int k = 0; k < 4; k++)
                    ENSURE_NEAR(out[v][2 + k][i], aim.omni[k] + tw_vec3_dot(aim.axis[k], e), 1e-12);
            }
            ENSURE(found.near == near && found.far == far && near > 0 && far > 0);
        }
    return 0;
}

static int all_instruction_sets_mix_and_filter_pairs_alike(void)
{
    enum
    {
        N = 224,
        TAPS = 40
    };
    static double rows[4][2 * TAPS], out[3][2][N];
    static float h[3][2 * TAPS], x[TAPS - 1 + N];
    const char* names[] = {"generic", "avx2", "avx512"};
    twRng rng = tw_rng(8);
    for (int i = 0; i < 8 * TAPS; i++) rows[i % 4][i / 4] = tw_rng_normal(&rng);
    for (int i = 0; i < TAPS - 1 + N; i++) x[i] = (float)tw_rng_normal(&rng);
    for (int v = 0; v < 6; v++)
    {
        const Kernel* kernel = acoustics_kernel(names[v / 2]);
        if (!kernel) continue;
        const double w[4] = {0.5, 0.3, 0.2, v % 2 ? 0.1 : 0}, *const from[4] = {rows[0], rows[1], rows[2], rows[3]};
        double* const to[2] = {out[v / 2][0], out[v / 2][1]};
        kernel->blend(h[v / 2], from, w, 2 * TAPS);
        for (int i = 0; i < 2 * TAPS; i++)
            ENSURE_NEAR(h[v / 2][i], w[0] * from[0][i] + w[1] * from[1][i] + w[2] * from[2][i] + w[3] * from[3][i],
                        1e-6);
        kernel->convolve_pair(to, h[v / 2], TAPS, x + TAPS - 1, N);
    }
    for (int v = 1; v < 3; v++) ENSURE(!acoustics_kernel(names[v]) || memcmp(out[v], out[0], sizeof out[0]) == 0);
    for (int i = 0; i < 2 * N; i++)
    {
        double sum = 0;
        for (int k = 0; k < TAPS; k++) sum += (double)h[0][i / N * TAPS + k] * (double)x[TAPS - 1 + i % N - k];
        ENSURE_NEAR(out[0][i / N][i % N], sum, 1e-5);
    }
    return 0;
}

static int listener_fails(twListenerDef def, const char* text)
{
    twListener* l;
    twError err = {0};
    if (tw_listener_create(&l, &def, &err) != TW_BAD_INPUT || l) return 0;
    if (!strstr(err.text, text)) printf("message: %s\n", err.text);
    return strstr(err.text, text) != NULL;
}

static int bad_listeners_are_named(void)
{
    twListenerDef good = tw_listener_def(), def;
#define WITH(field, value, text) (def = good, def.field = value, listener_fails(def, text))
    ENSURE(WITH(rate_hz, 0, "rate 0"));
    ENSURE(WITH(sound_speed, NAN, "speed of sound"));
    ENSURE(WITH(air_density, -1, "density of air -1"));
    ENSURE(WITH(position.y, INFINITY, "position (0, inf, 0)"));
    ENSURE(WITH(nearest, 200, "distances from 200 to 100"));
    ENSURE(WITH(farthest, 1e9, "distances"));
    ENSURE(WITH(lowpass_hz, 22050, "low-pass at 22050"));
    ENSURE(WITH(track_count, 0, "0 tracks"));
    double fat[] = {2};
    ENSURE(WITH(radius, fat, "too fat"));
    double negative[] = {-1};
    ENSURE(WITH(radius, negative, "radius -1 of track 0"));
    good.ground = true;
    ENSURE(WITH(ground_normal, tw_vec3(0, 0, 0), "normal other than 0"));
    ENSURE(WITH(reflection, 1.5, "reflection 1.5"));
    ENSURE(WITH(position, tw_vec3(0, 0, -1), "below the ground"));
#undef WITH
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(dipole_is_the_closed_form_near_and_far)
    RUN(volume_is_the_closed_form)
    RUN(near_term_counts_at_low_frequencies)
    RUN(level_and_delay_follow_distance)
    RUN(moving_sources_shift_in_pitch_and_level_as_doppler_says)
    RUN(moving_listeners_shift_in_pitch_but_not_in_level)
    RUN(ground_is_an_image)
    RUN(round_cylinder_has_hankels_factor)
    RUN(compact_thick_rod_is_too_loud_by_the_published_amount)
    RUN(instant_sound_has_the_level_but_no_delay)
    RUN(signal_is_heard_as_it_is)
    RUN(lowpass_is_butterworths)
    RUN(sources_too_near_too_far_or_not_finite_are_counted)
    RUN(sound_ends_when_it_has_arrived)
    RUN(jumping_listener_has_no_velocity)
    RUN(all_instruction_sets_write_the_same_bits)
    RUN(all_instruction_sets_scatter_and_convolve_alike)
    RUN(samples_of_one_delay_are_written_together)
    RUN(all_instruction_sets_mix_and_filter_pairs_alike)
    RUN(all_instruction_sets_follow_a_source_alike)
    RUN(bad_listeners_are_named)
)
