// SPDX-License-Identifier: MIT
// Roughness and control: noise spectra by averaged FFT, surface profiles, rolling, bouncing, pointer.
#include "test.h"
#include "twang/contact.h"
#include "twang/math.h"
#include <stdlib.h>

// ---- noise ----

enum
{
    FFT = 8192,
    FRAMES = 60
};

// mean power spectrum of the noise
static void noise_spectrum(double beta, double rate_hz, double* power)
{
    static double re[FFT], im[FFT];
    twNoise noise = tw_noise(beta, rate_hz, 5);
    memset(power, 0, FFT / 2 * sizeof *power);
    // past the filters' start
    for (int i = 0; i < 20000; i++) tw_noise_next(&noise);
    for (int frame = 0; frame < FRAMES; frame++)
    {
        for (int i = 0; i < FFT; i++)
        {
            // a window that falls off fast, for spectra as steep as f^-2
            re[i] = tw_noise_next(&noise) * (1 - cos(2 * TW_PI * (i + 0.5) / FFT));
            im[i] = 0;
        }
        tw_fft(re, im, FFT, -1);
        for (int k = 0; k < FFT / 2; k++) power[k] += re[k] * re[k] + im[k] * im[k];
    }
}

// slope of log power over log frequency, least squares over bands of a third octave
static double spectral_slope(const double* power, double rate_hz, double low, double high)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (double f = low; f * 1.26 <= high; f *= 1.26)
    {
        int from = (int)(f / rate_hz * FFT), to = (int)(1.26 * f / rate_hz * FFT) + 1;
        double sum = 0;
        for (int k = from; k < to; k++) sum += power[k];
        double x = log(0.5 * (from + to)), y = log(sum / (to - from));
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static int noise_falls_or_rises_as_its_exponent_says(void)
{
    static double power[FFT / 2];
    static const double rates[] = {44100, 96000};
    for (double beta = -2; beta <= 2; beta += 0.5)
        for (int r = 0; r < 2; r++)
        {
            noise_spectrum(beta, rates[r], power);
            ENSURE_NEAR(spectral_slope(power, rates[r], 40, 15000), beta, 0.1);
        }
    return 0;
}

// integral of f^beta
static double band(double beta, double low, double high)
{
    return beta == -1 ? log(high / low) : (pow(high, beta + 1) - pow(low, beta + 1)) / (beta + 1);
}

static int noise_has_power_1_to_the_ear_at_any_rate(void)
{
    static double power[FFT / 2];
    static const double rates[] = {22050, 44100, 96000, 384000};
    for (int i = 0; i < 20; i++)
    {
        double beta = i / 4 - 2, rate = rates[i % 4], sum = 0;
        // from a few bins on, so that the window smears nothing in; a low rate has only its part of the band
        double low = fmax(60, 5 * rate / FFT), high = fmin(20000, 0.45 * rate);
        noise_spectrum(beta, rate, power);
        for (int k = (int)(low / rate * FFT) + 1; k <= high / rate * FFT; k++) sum += power[k];
        // the window's mean square is 1.5
        double got = 2 * sum / (1.5 * FRAMES * (double)FFT * FFT), want = band(beta, low, high) / band(beta, 20, 20000);
        ENSURE_NEAR(got / want, 1, beta < 0 ? 0.15 : 0.05);
    }
    return 0;
}

static int noise_has_no_mean(void)
{
    for (double beta = -1; beta <= 2; beta += 1)
    {
        twNoise noise = tw_noise(beta, 44100, 2);
        double sum = 0;
        for (int i = 0; i < 400000; i++) sum += tw_noise_next(&noise) / 400000;
        // 10 s of pink noise hold few swings at its low end
        ENSURE_NEAR(sum, 0, beta < 0 ? 0.1 : 0.01);
    }
    return 0;
}

static int noise_is_its_seed(void)
{
    twNoise a = tw_noise(-1, 44100, 9), b = tw_noise(-1, 44100, 9), c = tw_noise(-1, 44100, 10);
    int different = 0;
    for (int i = 0; i < 1000; i++)
    {
        double x = tw_noise_next(&a);
        ENSURE(x == tw_noise_next(&b));
        different += x != tw_noise_next(&c);
    }
    ENSURE(different > 990);
    return 0;
}

static int noise_survives_absurd_parameters(void)
{
    static const double betas[] = {-1e9, 1e9, NAN, INFINITY, 1}, rates[] = {44100, 1, 1e7, 60, NAN};
    for (int i = 0; i < 25; i++)
    {
        twNoise noise = tw_noise(betas[i / 5], rates[i % 5], 1);
        for (int k = 0; k < 1000; k++) ENSURE(isfinite(tw_noise_next(&noise)));
    }
    // clamped, not extrapolated
    twNoise steep = tw_noise(-50, 44100, 3), brown = tw_noise(-2, 44100, 3);
    for (int k = 0; k < 100; k++) ENSURE(tw_noise_next(&steep) == tw_noise_next(&brown));
    return 0;
}

// ---- profiles ----

static twProfile* profile_of(const twProfileDef* def)
{
    twProfile* profile = NULL;
    twError err;
    if (tw_profile_create(&profile, def, &err) == TW_OK) return profile;
    printf("profile: %s\n", err.text);
    abort();
}

// heights at points spaced evenly around the loop
static void sample_loop(const twProfile* profile, double loop, double* height, int points)
{
    for (int i = 0; i < points; i++) height[i] = tw_profile_height(profile, loop * i / points);
}

static int profile_has_its_rms_and_no_mean(void)
{
    static double height[65536];
    twProfileDef def = {.beta = -1.5, .rms = 3e-5, .longest = 0.05, .shortest = 1e-3, .seed = 4};
    twProfile* profile = profile_of(&def);
    double sum = 0, square = 0;
    sample_loop(profile, tw_profile_length(profile), height, 65536);
    for (int i = 0; i < 65536; i++) sum += height[i] / 65536, square += height[i] * height[i] / 65536;
    ENSURE_NEAR(sqrt(square), 3e-5, 0.02 * 3e-5);
    ENSURE_NEAR(sum, 0, 1e-8);
    tw_profile_destroy(profile);
    tw_profile_destroy(NULL);
    return 0;
}

static int profile_is_a_seamless_loop(void)
{
    twProfileDef def = tw_profile_def();
    twProfile* profile = profile_of(&def);
    double loop = tw_profile_length(profile), step = def.shortest / 50;
    double last = tw_profile_height(profile, -0.2 * loop), jump = 0;
    // the same after a turn, forth and back
    for (double s = -1.7; s < 1; s += 0.01)
    {
        double here = tw_profile_height(profile, s * loop);
        ENSURE_NEAR(tw_profile_height(profile, (s + 1) * loop), here, 1e-9 * def.rms);
        ENSURE_NEAR(tw_profile_height(profile, (s - 3) * loop), here, 1e-9 * def.rms);
    }
    // and no jump anywhere, the seams included
    for (double s = -0.2 * loop; s < 0.2 * loop; s += step)
    {
        double height = tw_profile_height(profile, s);
        jump = fmax(jump, fabs(height - last));
        last = height;
    }
    // a sine of the shortest wavelength and four times the rms would change by this
    ENSURE(jump > 0 && jump < 4 * def.rms * 2 * TW_PI / 50);
    ENSURE(tw_profile_height(profile, NAN) == 0 && tw_profile_height(profile, 1e300) == 0);
    tw_profile_destroy(profile);
    return 0;
}

static int profile_spectrum_is_a_power_law_inside_its_band_and_nothing_outside(void)
{
    enum
    {
        N = 131072
    };
    static double re[N], im[N];
    twProfileDef def = {.beta = -2, .rms = 1e-5, .longest = 0.02, .shortest = 4e-4, .seed = 8};
    twProfile* profile = profile_of(&def);
    double loop = tw_profile_length(profile);
    sample_loop(profile, loop, re, N);
    tw_fft(re, im, N, -1);
    double total = 0, outside = 0, at[3] = {0};
    for (int k = 0; k < N / 2; k++)
    {
        double power = re[k] * re[k] + im[k] * im[k], wave = k ? loop / k : INFINITY;
        total += power;
        // reading between the points by cubics leaves faint images beyond the band
        outside += wave > def.longest * 1.001 || wave < def.shortest * 0.999 ? power : 0;
        if (k == 320) at[0] = power;
        if (k == 1280) at[1] = power;
        if (k == 5120) at[2] = power;
    }
    ENSURE(outside < 1e-4 * total);
    ENSURE_NEAR(log(at[1] / at[0]) / log(4), -2, 0.01);
    ENSURE_NEAR(log(at[2] / at[1]) / log(4), -2, 0.1);
    tw_profile_destroy(profile);
    return 0;
}

static int a_ball_rolls_on_the_profile_and_never_through_it(void)
{
    enum
    {
        N = 32768
    };  // the profile's own points
    static double rough[N], rolled[N];
    twProfileDef def = {.beta = -1, .rms = 4e-5, .longest = 0.01, .shortest = 5e-4, .seed = 2};
    twProfile* bare = profile_of(&def);
    def.ball_radius = 0.005;
    twProfile* ball = profile_of(&def);
    double loop = tw_profile_length(bare), gap = loop / N, lift = -1, radius = def.ball_radius;
    int reach = (int)(radius / gap);
    sample_loop(bare, loop, rough, N);
    sample_loop(ball, loop, rolled, N);
    // the rolled path is given relative to its own mean: find the shift at which it just touches
    for (int i = 0; i < N; i++) lift = fmax(lift, rough[i] - rolled[i]);
    ENSURE(lift > 0);
    // the definition, again: highest place of a circle that stands on the profile
    double worst = 0;
    for (int i = 0; i < N; i++)
    {
        double best = -1;
        for (int d = -reach; d <= reach; d++)
        {
            double s = d * gap;
            if (fabs(s) <= radius) best = fmax(best, rough[(i + d + N) % N] + sqrt(radius * radius - s * s) - radius);
        }
        worst = fmax(worst, fabs(best - rolled[i] - lift));
    }
    ENSURE(worst < 1e-9 * def.rms);
    // an envelope of circles: no peak is sharper than the ball, while those of the bare profile are
    int sharp_before = 0, sharp_after = 0;
    for (int i = 0; i < N; i++)
    {
        int a = (i + N - 1) % N, b = (i + 1) % N;
        sharp_before += rough[a] - 2 * rough[i] + rough[b] < -1.1 * gap * gap / radius;
        sharp_after += rolled[a] - 2 * rolled[i] + rolled[b] < -1.1 * gap * gap / radius;
    }
    ENSURE(sharp_before > 100 && sharp_after == 0);
    // and the ball stays above the bottoms of narrow valleys
    int above = 0;
    for (int i = 0; i < N; i++) above += rolled[i] + lift > rough[i] + 0.1 * def.rms;
    ENSURE(above > N / 10);
    tw_profile_destroy(bare), tw_profile_destroy(ball);
    return 0;
}

static int bad_profiles_are_refused_by_name(void)
{
    struct
    {
        twProfileDef def;
        const char* name;
    } bad[] = {{{.beta = NAN, .rms = 1e-5, .longest = 0.02, .shortest = 1e-3}, "beta"},
               {{.beta = -1, .rms = -1, .longest = 0.02, .shortest = 1e-3}, "rms"},
               {{.beta = -1, .rms = 1e-5, .longest = 0.02, .shortest = 0}, "wavelength"},
               {{.beta = -1, .rms = 1e-5, .longest = 1e-4, .shortest = 1e-3}, "wavelength"},
               {{.beta = -1, .rms = 1e-5, .longest = 1e5, .shortest = 1e-9}, "wavelength"},
               {{.beta = -1, .rms = 1e-5, .longest = 0.02, .shortest = 1e-3, .ball_radius = -1}, "ball"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    {
        twError err;
        twProfile* profile = (twProfile*)1;
        ENSURE(tw_profile_create(&profile, &bad[i].def, &err) == TW_BAD_INPUT && profile == NULL);
        ENSURE(strstr(err.text, bad[i].name));
    }
    return 0;
}

// ---- control ----

static int rolling_modulates_once_a_turn(void)
{
    twProfileDef def = tw_profile_def();
    twProfile* profile = profile_of(&def);
    twTravel travel = {.profile = profile, .radius = 0.02, .asymmetry = 0.3};
    double speed = 0.7, dt = 1 / 44100.0, last = 1, first = 0, at = 0, low = 2, high = 0;
    int turns = 0;
    for (int i = 1; i <= 10 * 44100; i++)
    {
        double factor, height = tw_travel_next(&travel, speed, dt, &factor);
        ENSURE_NEAR(height, tw_profile_height(profile, speed * i * dt), 1e-3 * def.rms);
        if (last < 1 && factor >= 1)
        {
            at = i + (1 - last) / (factor - last);
            if (turns++ == 0) first = at;
        }
        low = fmin(low, factor), high = fmax(high, factor);
        last = factor;
    }
    ENSURE(turns > 10);
    ENSURE_NEAR((at - first) * dt / (turns - 1), 2 * TW_PI * 0.02 / speed, 1e-6);
    ENSURE_NEAR(low, 0.7, 1e-3);
    ENSURE_NEAR(high, 1.3, 1e-3);
    tw_profile_destroy(profile);
    return 0;
}

static int scraping_has_no_turns_and_may_go_backwards(void)
{
    twProfileDef def = tw_profile_def();
    twProfile* profile = profile_of(&def);
    twTravel tip = {.profile = profile};
    double start = tw_travel_next(&tip, 0, 1e-3, NULL), factor = 5;
    for (int i = 0; i < 100; i++) tw_travel_next(&tip, 0.1, 1e-3, &factor);
    ENSURE(factor == 1 && fabs(tip.position - 0.01) < 1e-12);
    double back = 0;
    for (int i = 0; i < 100; i++) back = tw_travel_next(&tip, -0.1, 1e-3, &factor);
    ENSURE_NEAR(back, start, 1e-9 * def.rms);
    twTravel bare = {.radius = 0.1};
    ENSURE(tw_travel_next(&bare, 1, 1e-3, NULL) == 0);
    tw_profile_destroy(profile);
    return 0;
}

static int a_bounce_draws_once_per_rebound(void)
{
    twBounce bounce = tw_bounce(0.4, 3), even = tw_bounce(0, 3), wild = tw_bounce(7, 3);
    ENSURE(bounce.factor == 1 && wild.irregularity == 1);
    double last = 1, low = 2, high = 0;
    int changes = 0;
    for (int i = 0; i < 100000; i++)
    {
        // a rebound in every 10th sample
        double factor = tw_bounce_next(&bounce, (i + 1) / 10);
        if (factor != last) ENSURE(i % 10 == 9);
        changes += factor != last;
        last = factor;
        low = fmin(low, factor), high = fmax(high, factor);
        ENSURE(tw_bounce_next(&even, (i + 1) / 10) == 1);
    }
    ENSURE(changes == 10000);
    ENSURE(low >= 0.6 && low < 0.61 && high <= 1.4 && high > 1.39);
    return 0;
}

static int the_pointer_maps_clamps_and_smooths(void)
{
    twPointer p = tw_pointer(-1, 3, 0, 10, 0.05);
    ENSURE(p.force == -1 && p.normal == 0);
    // after one time constant 63 % of the way
    for (int i = 0; i < 500; i++) tw_pointer_next(&p, 1, 0.5, 1e-4);
    ENSURE_NEAR(p.force, 3 - 4 * exp(-1), 1e-12);
    ENSURE_NEAR(p.normal, 5 * (1 - exp(-1)), 1e-12);
    // outside the square counts as its edge, no number as 0
    for (int i = 0; i < 20000; i++) tw_pointer_next(&p, 7, -3, 1e-4);
    ENSURE_NEAR(p.force, 3, 1e-12);
    ENSURE_NEAR(p.normal, 0, 1e-12);
    for (int i = 0; i < 20000; i++) tw_pointer_next(&p, NAN, INFINITY, 1e-4);
    ENSURE_NEAR(p.force, -1, 1e-12);
    ENSURE_NEAR(p.normal, 10, 1e-12);
    // no smoothing: at once
    twPointer quick = tw_pointer(0, 1, 0, 1, 0);
    tw_pointer_next(&quick, 0.25, 0.75, 1e-4);
    ENSURE(quick.force == 0.25 && quick.normal == 0.75);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(noise_falls_or_rises_as_its_exponent_says)
    RUN(noise_has_power_1_to_the_ear_at_any_rate)
    RUN(noise_has_no_mean)
    RUN(noise_is_its_seed)
    RUN(noise_survives_absurd_parameters)
    RUN(profile_has_its_rms_and_no_mean)
    RUN(profile_is_a_seamless_loop)
    RUN(profile_spectrum_is_a_power_law_inside_its_band_and_nothing_outside)
    RUN(a_ball_rolls_on_the_profile_and_never_through_it)
    RUN(bad_profiles_are_refused_by_name)
    RUN(rolling_modulates_once_a_turn)
    RUN(scraping_has_no_turns_and_may_go_backwards)
    RUN(a_bounce_draws_once_per_rebound)
    RUN(the_pointer_maps_clamps_and_smooths)
)
