// SPDX-License-Identifier: MIT
// Sample rates: against the function that was sampled.
#include "test.h"

#include "twang/media.h"
#include <stdlib.h>

#define PI 3.14159265358979323846
#define FRAMES 6000  // of the lower rate
#define PHASE 0.3    // of sines [rad]

static const double rates[][2] = {{88200, 44100}, {44100, 88200}, {44100, 48000}, {48000, 44100},
                                  {96000, 44100}, {44100, 44101}, {192000, 8000}, {44100, 44056.3}};
#define PAIRS ((int)(sizeof rates / sizeof rates[0]))

static double in[24 * FRAMES + 1], out[24 * FRAMES + 1];

static double lower(int pair) { return fmin(rates[pair][0], rates[pair][1]); }

static int frames_at(double rate_hz, int pair) { return (int)floor(FRAMES * rate_hz / lower(pair) + 1e-9); }

// a sine at the first rate to out at the second. @return frames of out, 0 if it failed
static int carry_sine(int pair, double freq_hz)
{
    int n = frames_at(rates[pair][0], pair), m = frames_at(rates[pair][1], pair);
    for (int i = 0; i < n; i++) in[i] = sin(2 * PI * freq_hz * i / rates[pair][0] + PHASE);
    return tw_resample(out, m, in, n, rates[pair][0], rates[pair][1], NULL) == TW_OK ? m : 0;
}

// amplitude and phase of a sine in the middle half of out, by least squares
static void fit_sine(int m, double freq_hz, double rate_hz, double* amplitude, double* phase)
{
    double ss = 0, sc = 0, cc = 0, ys = 0, yc = 0;
    for (int n = m / 4; n < 3 * m / 4; n++)
    {
        double s = sin(2 * PI * freq_hz * n / rate_hz), c = cos(2 * PI * freq_hz * n / rate_hz);
        ss += s * s;
        sc += s * c;
        cc += c * c;
        ys += out[n] * s;
        yc += out[n] * c;
    }
    double det = ss * cc - sc * sc, a = (ys * cc - yc * sc) / det, b = (yc * ss - ys * sc) / det;
    *amplitude = hypot(a, b);
    *phase = atan2(b, a);
}

static double greatest(int begin, int end)
{
    double most = 0;
    for (int n = begin; n < end; n++) most = fmax(most, fabs(out[n]));
    return most;
}

static int sines_keep_level_and_phase(void)
{
    const double parts[] = {0.0003, 0.01, 0.13, 0.25, 0.37, 0.45};
    for (int p = 0; p < PAIRS; p++)
        for (int k = 0; k < 6; k++)
        {
            double freq_hz = parts[k] * lower(p), amplitude, phase;
            int m = carry_sine(p, freq_hz);
            ENSURE(m > 0);
            fit_sine(m, freq_hz, rates[p][1], &amplitude, &phase);
            ENSURE_NEAR(amplitude, 1, 1e-7);  // a millionth of a dB
            ENSURE_NEAR(phase, PHASE, 1e-7);
        }
    return 0;
}

static int every_sample_is_the_sine_at_its_time(void)
{
    for (int p = 0; p < PAIRS; p++)
    {
        double freq_hz = 0.211 * lower(p);
        int m = carry_sine(p, freq_hz);
        for (int n = m / 4; n < 3 * m / 4; n++)
            ENSURE_NEAR(out[n], sin(2 * PI * freq_hz * n / rates[p][1] + PHASE), 1e-8);
    }
    return 0;
}

static int nothing_above_the_lower_nyquist_frequency_passes(void)
{
    const double parts[] = {0.501, 0.53, 0.7, 0.9, 1.2};
    int heard = 0;
    for (int p = 0; p < PAIRS; p++)
        for (int k = 0; k < 5; k++)
        {
            if (parts[k] * lower(p) >= 0.5 * rates[p][0]) continue;
            int m = carry_sine(p, parts[k] * lower(p));
            ENSURE(m > 0);
            ENSURE(greatest(m / 4, 3 * m / 4) < 1e-8);  // -160 dB
            heard++;
        }
    ENSURE(heard >= 15);
    return 0;
}

static int going_up_and_down_again_gives_the_band_back(void)
{
    const int n = 4000;
    static double up[8000];
    twRng rng = tw_rng(3);
    double freq_hz[8], phase[8];
    for (int k = 0; k < 8; k++)
    {
        freq_hz[k] = tw_rng_between(&rng, 100, 20000);
        phase[k] = tw_rng_between(&rng, 0, 2 * PI);
    }
    for (int i = 0; i < n; i++)
    {
        in[i] = 0;
        for (int k = 0; k < 8; k++) in[i] += sin(2 * PI * freq_hz[k] * i / 44100 + phase[k]);
    }
    ENSURE(tw_resample(up, 2 * n, in, n, 44100, 88200, NULL) == TW_OK);
    ENSURE(tw_resample(out, n, up, 2 * n, 88200, 44100, NULL) == TW_OK);
    for (int i = n / 4; i < 3 * n / 4; i++) ENSURE_NEAR(out[i], in[i], 1e-8);
    return 0;
}

static int an_impulse_stays_at_its_time_and_is_even_about_it(void)
{
    for (int at = 0; at < 2; at++)
        for (int p = 0; p < 2; p++)  // rates with samples at the same times
        {
            int n = frames_at(rates[p][0], p), m = frames_at(rates[p][1], p), from = at ? n / 2 : 40;
            int to = (int)lrint(from * rates[p][1] / rates[p][0]);
            memset(in, 0, sizeof in);
            in[from] = 1;
            ENSURE(tw_resample(out, m, in, n, rates[p][0], rates[p][1], NULL) == TW_OK);
            for (int k = 1; k < 40 && k <= to; k++)
            {
                ENSURE(fabs(out[to + k]) < fabs(out[to]));
                ENSURE_NEAR(out[to - k], out[to + k], 1e-8);
            }
        }
    return 0;
}

// far below the Nyquist frequency, so that its samples at either rate are its values
static int a_smooth_pulse_is_read_off_between_the_samples(void)
{
    for (int p = 0; p < PAIRS; p++)
    {
        double centre = 0.41 * FRAMES / lower(p), width = 6 / lower(p);
        int n = frames_at(rates[p][0], p), m = frames_at(rates[p][1], p);
        for (int i = 0; i < n; i++) in[i] = exp(-0.5 * pow((i / rates[p][0] - centre) / width, 2));
        ENSURE(tw_resample(out, m, in, n, rates[p][0], rates[p][1], NULL) == TW_OK);
        for (int i = 0; i < m; i++) ENSURE_NEAR(out[i], exp(-0.5 * pow((i / rates[p][1] - centre) / width, 2)), 1e-8);
    }
    return 0;
}

// the first and the last sample count like all others, and what is asked for beyond the end is silence
static int any_length_is_right(void)
{
    const int n = 3000, m = 12000;
    static double longer[12000];
    for (int i = 0; i < n; i++) in[i] = sin(0.2 * i);
    ENSURE(tw_resample(longer, m, in, n, 44100, 48000, NULL) == TW_OK);
    for (int count = 1; count < m; count = 2 * count + 1)
    {
        out[count] = 7;
        ENSURE(tw_resample(out, count, in, n, 44100, 48000, NULL) == TW_OK);
        ENSURE(out[count] == 7);
        for (int i = 0; i < count; i++) ENSURE_NEAR(out[i], longer[i], 1e-12);
    }
    for (int i = 5000; i < m; i++) ENSURE(fabs(longer[i]) < 1e-7);

    // silence added by hand is the same as silence understood
    memset(in + n, 0, (size_t)n * sizeof *in);
    ENSURE(tw_resample(out, m, in, 2 * n, 44100, 48000, NULL) == TW_OK);
    for (int i = 0; i < m; i++) ENSURE_NEAR(out[i], longer[i], 1e-12);
    return 0;
}

static int no_frame_and_one_frame_are_fine(void)
{
    const double one = 3;
    for (int i = 0; i < 100; i++) out[i] = 7;
    ENSURE(tw_resample(out, 0, &one, 1, 44100, 48000, NULL) == TW_OK && out[0] == 7);
    ENSURE(tw_resample(NULL, 0, NULL, 0, 44100, 48000, NULL) == TW_OK);
    ENSURE(tw_resample(out, 10, NULL, 0, 44100, 48000, NULL) == TW_OK);
    for (int i = 0; i < 10; i++) ENSURE(out[i] == 0);
    ENSURE(out[10] == 7);

    // of one sample: the kernel, 3 at its own time less what lies above the flat band
    ENSURE(tw_resample(out, 1, &one, 1, 44100, 88200, NULL) == TW_OK);
    ENSURE(out[0] > 2.7 && out[0] < 3 && out[1] == 0);
    double sum = 0;
    ENSURE(tw_resample(out, 1000, &one, 1, 44100, 88200, NULL) == TW_OK);
    for (int i = 1; i < 1000; i++) sum += 2 * out[i];
    ENSURE_NEAR(sum + out[0], 2 * 3, 1e-6);  // unit gain at 0 Hz, at twice the rate
    return 0;
}

static int equal_rates_copy(void)
{
    for (int i = 0; i < 100; i++) in[i] = i + 0.123;
    out[150] = 7;
    ENSURE(tw_resample(out, 150, in, 100, 12345.6, 12345.6, NULL) == TW_OK);
    for (int i = 0; i < 150; i++) ENSURE(out[i] == (i < 100 ? in[i] : 0));
    ENSURE(out[150] == 7);
    ENSURE(tw_resample(out, 10, in, 100, 1, 1, NULL) == TW_OK && out[9] == in[9]);
    return 0;
}

static int equal_calls_give_equal_bytes(void)
{
    static double again[24 * FRAMES];
    int m = carry_sine(2, 1234);
    ENSURE(tw_resample(again, m, in, frames_at(rates[2][0], 2), rates[2][0], rates[2][1], NULL) == TW_OK);
    ENSURE(memcmp(again, out, (size_t)m * sizeof *out) == 0);
    return 0;
}

static int wrong_arguments_are_refused_by_name(void)
{
    const double bad[] = {0, -44100, NAN, INFINITY};
    twError err;
    in[0] = in[1] = 1;
    for (int i = 0; i < 4; i++)
    {
        ENSURE(tw_resample(out, 2, in, 2, bad[i], 44100, &err) == TW_BAD_INPUT && strstr(err.text, "input rate"));
        ENSURE(tw_resample(out, 2, in, 2, 44100, bad[i], &err) == TW_BAD_INPUT && strstr(err.text, "output rate"));
        ENSURE(tw_resample(out, 2, in, 2, bad[i], bad[i], NULL) == TW_BAD_INPUT);
    }
    ENSURE(tw_resample(out, -1, in, 2, 44100, 48000, &err) == TW_BAD_INPUT && strstr(err.text, "-1"));
    ENSURE(tw_resample(out, 2, in, -5, 44100, 48000, &err) == TW_BAD_INPUT && strstr(err.text, "-5"));
    ENSURE(tw_resample(out, INT64_MAX, in, 2, 44100, 48000, &err) == TW_BAD_INPUT);
    ENSURE(tw_resample(out, 2, in, 2, 1, 1001, &err) == TW_BAD_INPUT && strstr(err.text, "factor of 1000"));
    ENSURE(tw_resample(out, 2, in, 2, 1e300, 1e-300, &err) == TW_BAD_INPUT);
    ENSURE(tw_resample(out, 2, in, 2, 1, 1000, &err) == TW_OK);
    in[1] = NAN;
    ENSURE(tw_resample(out, 2, in, 2, 44100, 48000, &err) == TW_BAD_INPUT && strstr(err.text, "sample 1"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(sines_keep_level_and_phase)
    RUN(every_sample_is_the_sine_at_its_time)
    RUN(nothing_above_the_lower_nyquist_frequency_passes)
    RUN(going_up_and_down_again_gives_the_band_back)
    RUN(an_impulse_stays_at_its_time_and_is_even_about_it)
    RUN(a_smooth_pulse_is_read_off_between_the_samples)
    RUN(any_length_is_right)
    RUN(no_frame_and_one_frame_are_fine)
    RUN(equal_rates_copy)
    RUN(equal_calls_give_equal_bytes)
    RUN(wrong_arguments_are_refused_by_name)
)
