// SPDX-License-Identifier: MIT
// Sound files and levels.
#define _XOPEN_SOURCE 700
#include "media_files.h"

#include "twang/math.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

// ---- sound files ----

static int float_samples_come_back_exactly(void)
{
    float x[300], peak = 0;
    twRng rng = tw_rng(1);
    for (int i = 0; i < 300; i++) x[i] = (float)tw_rng_normal(&rng), peak = fmaxf(peak, fabsf(x[i]));
    twWavDef def = tw_wav_def();
    def.format = TW_WAV_FLOAT, def.channels = 3, def.rate_hz = 44100;
    twWavStats stats;
    ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 100, &stats, &error) == TW_OK);
    ENSURE(stats.frames == 100 && stats.clipped == 0 && stats.nonfinite == 0 && stats.peak == peak);
    twWav* wav;
    ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 0, &error) == TW_OK);
    ENSURE(wav->frames == 100 && wav->channels == 3 && wav->rate_hz == 44100);
    ENSURE(memcmp(wav->samples, x, sizeof x) == 0);
    tw_wav_destroy(wav);
    return 0;
}

static int integer_samples_come_back_within_half_a_step(void)
{
    float x[1001];
    for (int i = 0; i <= 1000; i++) x[i] = (float)(-1 + 0.002 * i);
    for (int k = 0; k < 2; k++)
    {
        twWavDef def = tw_wav_def();
        def.format = k ? TW_WAV_24 : TW_WAV_16;
        def.dither = false;
        double step = k ? 0x1p-23 : 0x1p-15;
        twWavStats stats;
        twWav* wav;
        ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 1001, &stats, &error) == TW_OK);
        ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 0, &error) == TW_OK);
        for (int i = 0; i < 1000; i++) ENSURE_NEAR(wav->samples[i], x[i], 0.5 * step);
        // +1 is full scale: the highest step, and no clipping
        ENSURE_NEAR(wav->samples[1000], 1 - step, 0);
        ENSURE(stats.clipped == 0);
        tw_wav_destroy(wav);
    }
    return 0;
}

// theory: the error of triangular dither has mean 0 and variance step^2/4 whatever the signal
static int dither_error_does_not_depend_on_the_signal(void)
{
    enum
    {
        N = 40000
    };
    float* x = malloc(N * sizeof *x);
    const double step = 0x1p-15, offsets[] = {0.1, 0.25, 0.5, 0.77};
    for (int k = 0; k < 4; k++)
    {
        for (int i = 0; i < N; i++) x[i] = (float)((100 + offsets[k]) * step);
        twWavDef def = tw_wav_def();
        def.format = TW_WAV_16;
        def.seed = 3;
        twWav* wav;
        ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, N, NULL, &error) == TW_OK);
        ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 0, &error) == TW_OK);
        double mean = 0, square = 0;
        for (int i = 0; i < N; i++)
        {
            double e = (wav->samples[i] - x[i]) / step;
            mean += e / N;
            square += e * e / N;
        }
        // four standard deviations of the estimates
        ENSURE_NEAR(mean, 0, 4 * 0.5 / sqrt(N));
        ENSURE_NEAR(square, 0.25, 4 * 0.4 / sqrt(N));
        tw_wav_destroy(wav);
    }
    free(x);
    return 0;
}

static int silence_stays_silent_under_dither(void)
{
    static const float x[500];
    twWavDef def = tw_wav_def();
    def.format = TW_WAV_16;
    twWav* wav;
    ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 500, NULL, &error) == TW_OK);
    ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 0, &error) == TW_OK);
    ENSURE(memcmp(wav->samples, x, sizeof x) == 0);
    tw_wav_destroy(wav);
    return 0;
}

static int clipping_and_nonsense_are_counted_and_made_harmless(void)
{
    const float x[] = {0.5f, 1.5f, -3, NAN, INFINITY, -1, 1};
    const float kept[] = {0.5f, 1.5f, -3, 0, 0, -1, 1};
    for (int k = 0; k < 3; k++)
    {
        twWavDef def = tw_wav_def();
        def.format = (twWavFormat)k;
        twWavStats stats;
        twWav* wav;
        ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 7, &stats, &error) == TW_OK);
        ENSURE(stats.nonfinite == 2 && stats.peak == 3);
        ENSURE(stats.clipped == (k == TW_WAV_FLOAT ? 0 : 2));
        ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 0, &error) == TW_OK);
        for (int i = 0; i < 7; i++)
            ENSURE_NEAR(wav->samples[i], k == TW_WAV_FLOAT ? kept[i] : fmaxf(-1, fminf(1, kept[i])), 1e-4);
        tw_wav_destroy(wav);
    }
    return 0;
}

static int doubles_too_big_for_float_are_not_written(void)
{
    const double x[] = {1e300, 0.25};
    twWavDef def = tw_wav_def();
    def.format = TW_WAV_FLOAT;
    twWavWriter* writer;
    twWavStats stats;
    ENSURE(tw_wav_create(&writer, in_folder("a.wav"), &def, &error) == TW_OK);
    ENSURE(tw_wav_write_double(writer, x, 2, &error) == TW_OK);
    ENSURE(tw_wav_stats(writer).nonfinite == 1);
    ENSURE(tw_wav_commit(&writer, &stats, &error) == TW_OK && writer == NULL);
    ENSURE(stats.nonfinite == 1 && stats.peak == 0.25);
    return 0;
}

static int equal_sounds_give_equal_bytes(void)
{
    float x[1000];
    for (int i = 0; i < 1000; i++) x[i] = sinf(0.1f * (float)i);
    for (int k = 0; k < 3; k++)
    {
        twWavDef def = tw_wav_def();
        def.format = (twWavFormat)k;
        def.seed = 5;
        ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 1000, NULL, &error) == TW_OK);
        // in pieces of any size the bytes are the same
        twWavWriter* writer;
        ENSURE(tw_wav_create(&writer, in_folder("b.wav"), &def, &error) == TW_OK);
        for (int at = 0; at < 1000; at += 7)
            ENSURE(tw_wav_write(writer, x + at, at + 7 > 1000 ? 1000 - at : 7, &error) == TW_OK);
        ENSURE(tw_wav_commit(&writer, NULL, &error) == TW_OK);
        ENSURE(same_bytes(in_folder("a.wav"), in_folder("b.wav")));
        // the chunk with a time stamp is not there
        char* bytes;
        size_t n;
        ENSURE(tw_file_read(&bytes, &n, in_folder("a.wav"), 1 << 20, &error) == TW_OK);
        for (size_t i = 0; i + 4 <= n && i < 200; i++) ENSURE(memcmp(bytes + i, "PEAK", 4) != 0);
        free(bytes);
    }
    return 0;
}

static int comments_survive(void)
{
    const float x[] = {0, 0.5f};
    const char* const comments[] = {"full scale = 2.5 Pa", "odd", "\xc3\xa9t\xc3\xa9", ""};
    for (int k = 0; k < 4; k++)
    {
        twWavDef def = tw_wav_def();
        def.comment = comments[k];
        twWav* wav;
        ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 2, NULL, &error) == TW_OK);
        ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 0, &error) == TW_OK);
        ENSURE_TEXT(wav->comment, comments[k]);
        ENSURE(wav->frames == 2);
        tw_wav_destroy(wav);
    }
    return 0;
}

static int all_rates_and_channels_are_written(void)
{
    static const int rates[] = {1, 999, 8000, 44100, 192000, 768000}, channels[] = {1, 2, 5, 64};
    static float x[64 * 10];
    for (int i = 0; i < 640; i++) x[i] = (float)i / 1024;
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 4; c++)
        {
            twWavDef def = tw_wav_def();
            def.rate_hz = rates[r], def.channels = channels[c], def.format = (twWavFormat)((r + c) % 3);
            twWav* wav;
            ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 10, NULL, &error) == TW_OK);
            ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 0, &error) == TW_OK);
            ENSURE(wav->rate_hz == rates[r] && wav->channels == channels[c] && wav->frames == 10);
            for (int i = 0; i < 10 * channels[c]; i++) ENSURE_NEAR(wav->samples[i], x[i], 0x1p-14);
            tw_wav_destroy(wav);
        }
    return 0;
}

static int wrong_definitions_are_refused_by_name(void)
{
    twWavWriter* writer;
    twWavDef def = tw_wav_def();
    int before = files_in_folder();
    def.rate_hz = 0;
    ENSURE(tw_wav_create(&writer, in_folder("no.wav"), &def, &error) == TW_BAD_INPUT && strstr(error.text, "rate") &&
           !writer);
    def = tw_wav_def(), def.channels = 65;
    ENSURE(tw_wav_create(&writer, in_folder("no.wav"), &def, &error) == TW_BAD_INPUT && strstr(error.text, "channels"));
    char* comment = calloc(1, TW_WAV_MAX_COMMENT + 2);
    memset(comment, 'x', TW_WAV_MAX_COMMENT + 1);
    def = tw_wav_def(), def.comment = comment;
    ENSURE(tw_wav_create(&writer, in_folder("no.wav"), &def, &error) == TW_BAD_INPUT && strstr(error.text, "comment"));
    free(comment);
    def = tw_wav_def();
    ENSURE(tw_wav_create(&writer, "/there/is/no/such/folder/a.wav", &def, &error) == TW_IO_ERROR && !writer);
    ENSURE(files_in_folder() == before);
    return 0;
}

static int abandoned_writers_leave_nothing(void)
{
    const float x[] = {0.5f};
    int before = files_in_folder();
    twWavWriter* writer;
    twWavDef def = tw_wav_def();
    ENSURE(tw_wav_create(&writer, in_folder("gone.wav"), &def, &error) == TW_OK);
    ENSURE(tw_wav_write(writer, x, 1, &error) == TW_OK);
    // more than fits in 4 GiB is refused before a sample is looked at
    ENSURE(tw_wav_write(writer, x, (int64_t)1 << 40, &error) == TW_BAD_INPUT && strstr(error.text, "4 GiB"));
    tw_wav_abort(&writer);
    tw_wav_abort(&writer);
    ENSURE(writer == NULL && files_in_folder() == before);
    return 0;
}

static int mono_is_the_mean_of_the_channels(void)
{
    float samples[] = {1, 3, -1, 0.5f};
    twWav wav = {.rate_hz = 1, .channels = 2, .frames = 2, .samples = samples};
    double out[2];
    tw_wav_mono(&wav, out);
    ENSURE(out[0] == 2 && out[1] == -0.25);
    tw_wav_channel(&wav, 1, out);
    ENSURE(out[0] == 3 && out[1] == 0.5);
    return 0;
}

static int files_that_are_no_wav_are_refused(void)
{
    twWav* wav;
    ENSURE(tw_wav_load(&wav, in_folder("none.wav"), 0, &error) != TW_OK && !wav && strstr(error.text, "none.wav"));
    ENSURE(tw_wav_load(&wav, "/tmp", 0, &error) != TW_OK && !wav);
    put_bytes(in_folder("t.wav"), "hello", 5);
    ENSURE(tw_wav_load(&wav, in_folder("t.wav"), 0, &error) == TW_BAD_INPUT && strstr(error.text, "not a WAV"));
    put_bytes(in_folder("t.wav"), "", 0);
    ENSURE(tw_wav_load(&wav, in_folder("t.wav"), 0, &error) == TW_BAD_INPUT);
    return 0;
}

static int sounds_longer_than_allowed_are_refused(void)
{
    static const float x[1000];
    twWav* wav;
    twWavDef def = tw_wav_def();
    ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 1000, NULL, &error) == TW_OK);
    ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 999, &error) == TW_BAD_INPUT && !wav);
    ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 1000, &error) == TW_OK && wav->frames == 1000);
    tw_wav_destroy(wav);
    return 0;
}

// load whatever it is; all samples that come must be finite
static bool survives_loading(const char* path)
{
    twWav* wav;
    twStatus status = tw_wav_load(&wav, path, 100000, &error);
    if (status != TW_OK) return wav == NULL;
    bool finite = true;
    for (int64_t i = 0; i < wav->frames * wav->channels; i++) finite = finite && isfinite(wav->samples[i]);
    tw_wav_destroy(wav);
    return finite;
}

static int damaged_files_are_survived(void)
{
    float x[40];
    for (int i = 0; i < 40; i++) x[i] = sinf((float)i);
    twWavDef def = tw_wav_def();
    def.format = TW_WAV_FLOAT;
    def.comment = "a comment";
    ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 40, NULL, &error) == TW_OK);
    char *good, bad[512];
    size_t n;
    ENSURE(tw_file_read(&good, &n, in_folder("a.wav"), sizeof bad, &error) == TW_OK);
    for (size_t cut = 0; cut < n; cut += 3)
    {
        put_bytes(in_folder("t.wav"), good, cut);
        ENSURE(survives_loading(in_folder("t.wav")));
    }
    twRng rng = tw_rng(4);
    for (int round = 0; round < 600; round++)
    {
        memcpy(bad, good, n);
        // mostly in the header
        for (int k = 0; k < 1 + round % 6; k++)
            bad[12 + tw_rng_next(&rng) % (round % 2 ? n - 12 : 60)] = (char)tw_rng_next(&rng);
        put_bytes(in_folder("t.wav"), bad, n);
        ENSURE(survives_loading(in_folder("t.wav")));
    }
    free(good);
    return 0;
}

static int nonfinite_samples_in_files_become_zero(void)
{
    const float x[] = {0.25f, 0.5f, 0.75f};
    twWavDef def = tw_wav_def();
    def.format = TW_WAV_FLOAT;
    ENSURE(tw_wav_save(in_folder("a.wav"), &def, x, 3, NULL, &error) == TW_OK);
    char* bytes;
    size_t n;
    ENSURE(tw_file_read(&bytes, &n, in_folder("a.wav"), 4096, &error) == TW_OK);
    const float nan = NAN;
    memcpy(bytes + n - 8, &nan, 4);
    put_bytes(in_folder("a.wav"), bytes, n);
    free(bytes);
    twWav* wav;
    ENSURE(tw_wav_load(&wav, in_folder("a.wav"), 0, &error) == TW_OK);
    ENSURE(wav->samples[0] == 0.25f && wav->samples[1] == 0 && wav->samples[2] == 0.75f && wav->nonfinite == 1);
    tw_wav_destroy(wav);
    return 0;
}

// ---- levels ----

// feed seconds of a sine to the first of channels, or to all
static void feed(twMeter* meter, double rate_hz, int channels, bool all, double seconds, double freq_hz, double gain_db)
{
    const int64_t frames = (int64_t)(seconds * rate_hz);
    const double amplitude = pow(10, gain_db / 20);
    float frame[8] = {0};
    for (int64_t i = 0; i < frames; i++)
    {
        float x = (float)(amplitude * sin(2 * TW_PI * freq_hz * (double)i / rate_hz));
        for (int c = 0; c < channels; c++) frame[c] = all || c == 0 ? x : 0;
        tw_meter_process(meter, frame, 1, NULL);
    }
}

static double sine_lufs(double rate_hz, int channels, bool all, double seconds, double freq_hz, double gain_db)
{
    twMeter* meter = tw_meter_create(channels, rate_hz);
    feed(meter, rate_hz, channels, all, seconds, freq_hz, gain_db);
    double lufs = tw_meter_level(meter).loudness_lufs;
    tw_meter_destroy(meter);
    return lufs;
}

// BS.1770-4: a 0 dBFS sine of 997 Hz in one channel reads -3.01 LKFS
static int full_scale_sine_reads_minus_3_01(void)
{
    static const double rates[] = {8000, 22050, 44100, 48000, 96000, 192000};
    ENSURE_NEAR(sine_lufs(48000, 2, false, 3, 997, 0), -3.01, 0.01);
    for (int k = 0; k < 6; k++) ENSURE_NEAR(sine_lufs(rates[k], 1, false, 2, 997, 0), -3.01, 0.01);
    return 0;
}

// the level of a long sine is that of the table's own response, evaluated on the unit circle
static double table_gain_db(double freq_hz)
{
    const double b[2][3] = {{1.53512485958697, -2.69169618940638, 1.19839281085285}, {1, -2, 1}};
    const double a[2][3] = {{1, -1.69065929318241, 0.73248077421585}, {1, -1.99004745483398, 0.99007225036621}};
    double w = 2 * TW_PI * freq_hz / 48000, gain = 1;
    for (int k = 0; k < 2; k++)
    {
        double br = b[k][0] + b[k][1] * cos(w) + b[k][2] * cos(2 * w), bi = b[k][1] * sin(w) + b[k][2] * sin(2 * w);
        double ar = a[k][0] + a[k][1] * cos(w) + a[k][2] * cos(2 * w), ai = a[k][1] * sin(w) + a[k][2] * sin(2 * w);
        gain *= hypot(br, bi) / hypot(ar, ai);
    }
    return 20 * log10(gain);
}

static int k_weighting_is_the_tabulated_filter_at_any_rate(void)
{
    static const double freqs[] = {30, 100, 500, 2000, 6000};
    for (int k = 0; k < 5; k++)
    {
        double expected = -0.691 - 3.0103 + table_gain_db(freqs[k]);
        ENSURE_NEAR(sine_lufs(48000, 1, false, 2, freqs[k], 0), expected, 0.02);
        ENSURE_NEAR(sine_lufs(96000, 1, false, 1, freqs[k], 0), expected, 0.05);
        if (k < 4) ENSURE_NEAR(sine_lufs(44100, 1, false, 2, freqs[k], 0), expected, 0.05);
    }
    return 0;
}

// EBU Tech 3341, cases 1 to 5 with shorter stretches: stereo sines of 1 kHz; all read as stated within 0.1 LU
static int gating_follows_the_ebu_cases(void)
{
    static const struct
    {
        double seconds[5], db[5], expected;
    } cases[] = {
        {{5}, {-23}, -23},
        {{5}, {-33}, -33},
        {{3, 15, 3}, {-36, -23, -36}, -23},
        {{3, 3, 15, 3, 3}, {-72, -36, -23, -36, -72}, -23},
        {{20, 20.1, 20}, {-26, -20, -26}, -23},
    };
    for (int k = 0; k < 5; k++)
    {
        twMeter* meter = tw_meter_create(2, 16000);
        for (int part = 0; part < 5 && cases[k].seconds[part] > 0; part++)
            feed(meter, 16000, 2, true, cases[k].seconds[part], 1000, cases[k].db[part]);
        double lufs = tw_meter_level(meter).loudness_lufs;
        tw_meter_destroy(meter);
        ENSURE_NEAR(lufs, cases[k].expected, 0.1);
    }
    return 0;
}

static int peak_and_rms_are_those_of_a_sine(void)
{
    twMeter* meter = tw_meter_create(2, 48000);
    feed(meter, 48000, 2, true, 1, 1000, -6);
    twLevel level = tw_meter_level(meter);
    tw_meter_destroy(meter);
    ENSURE_NEAR(level.peak, pow(10, -0.3), 1e-6);
    ENSURE_NEAR(level.rms, pow(10, -0.3) / sqrt(2), 1e-6);
    return 0;
}

static int gains_bring_the_sound_to_the_wanted_level(void)
{
    // as loud as asked for, from full scale down to displacements of nanometres
    static const double start_db[] = {0, -40, -180};
    for (int k = 0; k < 3; k++)
    {
        twMeter* meter = tw_meter_create(1, 48000);
        feed(meter, 48000, 1, true, 2, 997, start_db[k]);
        double peak_gain = tw_meter_gain_peak(meter, -1), loud_gain = tw_meter_gain_loudness(meter, -23);
        double limited = tw_meter_gain_loudness(meter, 0);
        tw_meter_destroy(meter);
        ENSURE_NEAR(20 * log10(peak_gain) + start_db[k], -1, 1e-4);
        ENSURE_NEAR(20 * log10(loud_gain) + start_db[k], -23 + 3.01, 0.01);
        // 0 LUFS would need a peak of +3 dBFS
        ENSURE_NEAR(20 * log10(limited) + start_db[k], -0.1, 1e-4);
    }
    return 0;
}

static int loudness_gain_agrees_with_the_gate_after_it(void)
{
    // a decaying sound whose tail passes the absolute gate only at some levels
    enum
    {
        N = 48000 * 6
    };
    float* x = malloc(N * sizeof *x);
    for (int i = 0; i < N; i++) x[i] = (float)(1e-4 * exp(-i / 30000.0) * sin(0.2 * i));
    twMeter* meter = tw_meter_create(1, 48000);
    tw_meter_process(meter, x, N, NULL);
    double gain = tw_meter_gain_loudness(meter, -30);
    tw_meter_destroy(meter);
    for (int i = 0; i < N; i++) x[i] *= (float)gain;
    meter = tw_meter_create(1, 48000);
    tw_meter_process(meter, x, N, NULL);
    double lufs = tw_meter_level(meter).loudness_lufs;
    tw_meter_destroy(meter);
    free(x);
    ENSURE_NEAR(lufs, -30, 1e-4);
    return 0;
}

static int silence_and_short_sounds_have_sane_levels(void)
{
    const float silence[100] = {0}, click[] = {1, NAN, -INFINITY};
    twMeter* meter = tw_meter_create(1, 48000);
    ENSURE(tw_meter_level(meter).loudness_lufs == -INFINITY && tw_meter_gain_loudness(meter, -23) == 1);
    tw_meter_process(meter, silence, 100, NULL);
    ENSURE(tw_meter_level(meter).peak == 0 && tw_meter_gain_peak(meter, -1) == 1 &&
           tw_meter_gain_loudness(meter, -23) == 1);
    tw_meter_destroy(meter);
    meter = tw_meter_create(1, 48000);
    tw_meter_process(meter, click, 3, NULL);
    twLevel level = tw_meter_level(meter);
    ENSURE(level.peak == 1 && isfinite(level.loudness_lufs) && level.loudness_lufs < -30);
    double gain = tw_meter_gain_loudness(meter, -16);
    ENSURE(gain > 0 && gain < 1);
    tw_meter_destroy(meter);
    // any rate, down to one sample per second
    meter = tw_meter_create(1, 1);
    for (int i = 0; i < 20; i++) tw_meter_process(meter, click, 1, NULL);
    ENSURE(!isnan(tw_meter_level(meter).loudness_lufs));
    tw_meter_destroy(meter);
    return 0;
}

// files that may not grow stand for a full disk
static int a_full_disk_is_reported_and_leaves_nothing(void)
{
    enum
    {
        N = 60000,
        SIDE = 100
    };
    const int before = files_in_folder();
    static float x[N];
    static uint8_t rgb[SIDE * SIDE * 3];
    static double a[N], b[N];
    twRng rng = tw_rng(6);
    for (int i = 0; i < N; i++) x[i] = 0.5f, a[i] = tw_rng_uniform(&rng), b[i] = tw_rng_uniform(&rng);
    for (size_t i = 0; i < sizeof rgb; i++) rgb[i] = (uint8_t)tw_rng_next(&rng);
    struct rlimit old, tight;
    ENSURE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    tight = old;
    tight.rlim_cur = 20000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);

    twWavWriter* writer;
    twWavDef def = tw_wav_def();
    twStatus created = tw_wav_create(&writer, in_folder("full.wav"), &def, &error);
    twStatus written = tw_wav_write(writer, x, N, &error), committed = tw_wav_commit(&writer, NULL, &error);
    twStatus png = tw_png_save(in_folder("full.png"), rgb, SIDE, SIDE, &error);
    twPlot* plot = tw_plot_create(NULL, 1);
    tw_plot_line(plot, a, b, N, NULL);
    twStatus svg = tw_plot_save(plot, in_folder("full.svg"), &error);
    tw_plot_destroy(plot);

    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    ENSURE(created == TW_OK && written == TW_IO_ERROR && committed == TW_IO_ERROR);
    ENSURE(png == TW_IO_ERROR && svg == TW_IO_ERROR);
    ENSURE(files_in_folder() == before);
    return 0;
}

// last: every file written above is whole, nothing temporary is left
static int no_temporary_is_left_behind(void)
{
    DIR* dir = opendir(scratch_folder());
    ENSURE(dir != NULL);
    int temporaries = 0;
    for (struct dirent* entry = readdir(dir); entry; entry = readdir(dir))
        temporaries += strstr(entry->d_name, ".part") != NULL;
    closedir(dir);
    ENSURE(temporaries == 0);
    return 0;
}

// a sine that is cut: 0 at the start, as it was up to 20 ms before the end, then a raised cosine down to 0
static int a_sound_that_is_cut_fades_and_one_that_has_ended_is_left(void)
{
    enum
    {
        FRAMES = 4800,
        FADED = 960  // 20 ms at 48 kHz
    };
    float x[2 * FRAMES], was[2 * FRAMES];
    for (int i = 0; i < 2 * FRAMES; i++) x[i] = was[i] = (float)cos(0.05 * (i / 2) + i % 2);
    ENSURE(tw_sound_finish(x, FRAMES, 2, 48000));
    ENSURE(x[0] == 0 && x[1] == 0 && x[2 * FRAMES - 2] == 0 && x[2 * FRAMES - 1] == 0);
    for (int i = 2; i < 2 * FRAMES; i++)
    {
        const int left = FRAMES - 1 - i / 2;
        const double gain = left >= FADED ? 1 : 0.5 - 0.5 * cos(TW_PI * left / FADED);
        ENSURE_NEAR((double)x[i], gain * (double)was[i], 1e-7);
    }
    // -79 and -81 dB of the peak in the last 5 ms
    for (int k = 0; k < 2; k++)
    {
        const float end = k == 0 ? 1.12e-4f : 0.89e-4f;
        for (int i = 0; i < 2 * FRAMES; i++)
            x[i] = was[i] = i < 2 ? 0 : i == 100 ? -1 : i / 2 < FRAMES - 300 ? 0.01f : end;
        ENSURE(tw_sound_finish(x, FRAMES, 2, 48000) == (k == 0));
        ENSURE((memcmp(x, was, sizeof x) == 0) == (k == 1));
    }
    // shorter than the fade, silent, nothing
    ENSURE(tw_sound_finish(was, 10, 2, 48000) && was[0] == 0 && was[19] == 0);
    memset(was, 0, sizeof was);
    ENSURE(!tw_sound_finish(was, FRAMES, 2, 48000) && !tw_sound_finish(was, 0, 2, 48000));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(float_samples_come_back_exactly)
    RUN(integer_samples_come_back_within_half_a_step)
    RUN(dither_error_does_not_depend_on_the_signal)
    RUN(silence_stays_silent_under_dither)
    RUN(clipping_and_nonsense_are_counted_and_made_harmless)
    RUN(doubles_too_big_for_float_are_not_written)
    RUN(equal_sounds_give_equal_bytes)
    RUN(comments_survive)
    RUN(all_rates_and_channels_are_written)
    RUN(wrong_definitions_are_refused_by_name)
    RUN(abandoned_writers_leave_nothing)
    RUN(mono_is_the_mean_of_the_channels)
    RUN(files_that_are_no_wav_are_refused)
    RUN(sounds_longer_than_allowed_are_refused)
    RUN(damaged_files_are_survived)
    RUN(nonfinite_samples_in_files_become_zero)
    RUN(full_scale_sine_reads_minus_3_01)
    RUN(k_weighting_is_the_tabulated_filter_at_any_rate)
    RUN(gating_follows_the_ebu_cases)
    RUN(peak_and_rms_are_those_of_a_sine)
    RUN(gains_bring_the_sound_to_the_wanted_level)
    RUN(loudness_gain_agrees_with_the_gate_after_it)
    RUN(silence_and_short_sounds_have_sane_levels)
    RUN(a_sound_that_is_cut_fades_and_one_that_has_ended_is_left)
    RUN(a_full_disk_is_reported_and_leaves_nothing)
    RUN(no_temporary_is_left_behind)
)
