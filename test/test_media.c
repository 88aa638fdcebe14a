// SPDX-License-Identifier: MIT
// Sound files, levels, pictures and plots.
#define _XOPEN_SOURCE 700
#include "test.h"

#include "media/axis.h"
#include "media/image.h"
#include "media/spectrum.h"
#include "media/stft.h"
#include "media/svg.h"
#include "twang/math.h"
#include "twang/media.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static twError error;
static char folder[200];

// a path in the tests' own folder, which is made on first use
static const char* in_folder(const char* name)
{
    static char path[2][300];
    static int turn;
    const char* base = getenv("TMPDIR");
    if (!folder[0])
    {
        snprintf(folder, sizeof folder, "%s/test_media.XXXXXX", base && *base && strlen(base) < 100 ? base : "/tmp");
        if (!mkdtemp(folder)) folder[0] = 0;
    }
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int files_in_folder(void)
{
    in_folder("");
    int n = 0;
    DIR* dir = opendir(folder);
    for (struct dirent* entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
        n += entry->d_name[0] != '.' || entry->d_name[1] == 't';
    if (dir) closedir(dir);
    return n;
}

static bool same_bytes(const char* a, const char* b)
{
    char *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    tw_file_read(&x, &n, a, 1 << 24, NULL);
    tw_file_read(&y, &m, b, 1 << 24, NULL);
    bool same = x && y && n == m && memcmp(x, y, n) == 0;
    free(x);
    free(y);
    return same;
}

static void put_bytes(const char* path, const void* data, size_t n)
{
    FILE* f = fopen(path, "wb");
    if (!f) return;
    fwrite(data, 1, n, f);
    fclose(f);
}

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

// ---- pictures ----

static int png_has_the_size_and_the_same_bytes_again(void)
{
    uint8_t rgb[7 * 5 * 3];
    for (int i = 0; i < 105; i++) rgb[i] = (uint8_t)(i * 37);
    ENSURE(tw_png_save(in_folder("a.png"), rgb, 7, 5, &error) == TW_OK);
    ENSURE(tw_png_save(in_folder("b.png"), rgb, 7, 5, &error) == TW_OK);
    ENSURE(same_bytes(in_folder("a.png"), in_folder("b.png")));
    char* bytes;
    size_t n;
    ENSURE(tw_file_read(&bytes, &n, in_folder("a.png"), 4096, &error) == TW_OK);
    // signature, then the header: width, height, 8 bits, RGB
    ENSURE(memcmp(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\7\0\0\0\5\x08\x02", 26) == 0);
    ENSURE(memcmp(bytes + n - 8, "IEND", 4) == 0);
    free(bytes);
    ENSURE(tw_png_save(in_folder("no.png"), rgb, 0, 5, &error) == TW_BAD_INPUT);
    ENSURE(tw_png_save("/there/is/no/folder/a.png", rgb, 7, 5, &error) == TW_IO_ERROR);
    return 0;
}

enum
{
    GLYPH = 24
};

static void draw_glyph(char c, uint8_t* rgb)
{
    memset(rgb, 0, GLYPH * GLYPH * 3);
    Image image = {GLYPH, GLYPH, rgb};
    image_text(&image, 4, 18, (TextStyle){.size = 12, .colour = 0xffffff}, (char[]){c, 0});
}

static int every_character_can_be_told_from_every_other(void)
{
    static uint8_t glyph[95][GLYPH * GLYPH * 3];
    for (int k = 0; k < 95; k++) draw_glyph((char)(32 + k), glyph[k]);
    for (int k = 0; k < 95; k++)
        for (int m = 0; m < k; m++)
        {
            int differ = 0;
            for (int i = 0; i < GLYPH * GLYPH * 3; i += 3) differ += abs(glyph[k][i] - glyph[m][i]) > 100;
            if (differ < 2) printf("'%c' looks like '%c'\n", 32 + k, 32 + m);
            ENSURE(differ >= 2);
        }
    return 0;
}

static int text_outside_the_picture_is_cut_off(void)
{
    uint8_t rgb[10 * 10 * 3] = {0};
    Image image = {10, 10, rgb};
    image_text(&image, -1000, 5, (TextStyle){.size = 8, .colour = 0xffffff}, "far away");
    image_text(&image, 8, 12, (TextStyle){.size = 30, .colour = 0xffffff, .upwards = 1}, "\xff\x01 big");
    image_rect(&image, -5, -5, 100, 100, 0x808080, 1);
    ENSURE(rgb[0] == 0x80 && rgb[299] == 0x80);
    return 0;
}

static double luma(uint32_t c) { return 0.2126 * (c >> 16 & 255) + 0.7152 * (c >> 8 & 255) + 0.0722 * (c & 255); }

static int colour_map_only_gets_brighter(void)
{
    ENSURE(luma(image_heat(0)) < 10 && luma(image_heat(1)) > 225);
    for (int k = 1; k <= 64; k++) ENSURE(luma(image_heat(k / 64.0)) > luma(image_heat((k - 1) / 64.0)));
    return 0;
}

// ---- spectrogram ----

enum
{
    COLUMNS = 60,
    ROWS = 200
};

static float* levels_of(const float* x, int64_t frames, double rate_hz)
{
    static float levels[COLUMNS * ROWS];
    StftDef def = {.samples = x,
                   .frames = frames,
                   .channels = 1,
                   .rate_hz = rate_hz,
                   .columns = COLUMNS,
                   .rows = ROWS,
                   .low_hz = 20,
                   .high_hz = rate_hz / 2};
    return stft_levels(levels, &def) ? levels : NULL;
}

// theory: a sine of amplitude A shows at 20 log10 A in the row of its frequency, at every pitch
static int sines_show_at_their_level_and_pitch(void)
{
    enum
    {
        N = 48000
    };
    static const double freqs[] = {100, 440, 1000, 3000, 12000};
    float* x = malloc(N * sizeof *x);
    for (int k = 0; k < 5; k++)
    {
        for (int i = 0; i < N; i++) x[i] = (float)(0.1 * sin(2 * TW_PI * freqs[k] * i / 48000));
        const float* middle = levels_of(x, N, 48000) + COLUMNS / 2 * ROWS;
        int best = 0;
        for (int row = 1; row < ROWS; row++) best = middle[row] > middle[best] ? row : best;
        double expected = ROWS * log(freqs[k] / 20) / log(24000 / 20.0) - 0.5;
        ENSURE_NEAR(best, expected, 1.6);
        // a Hann window loses up to 1.4 dB between two bins
        ENSURE_NEAR(middle[best], -20, 1.45);
    }
    free(x);
    return 0;
}

static int clicks_show_in_their_column(void)
{
    enum
    {
        N = 48000
    };
    float* x = calloc(N, sizeof *x);
    x[N * 2 / 3] = 1;
    const float* levels = levels_of(x, N, 48000);
    const int row = ROWS - 20;
    int best = 0;
    for (int column = 1; column < COLUMNS; column++)
        best = levels[column * ROWS + row] > levels[best * ROWS + row] ? column : best;
    ENSURE_NEAR(best, COLUMNS * 2 / 3, 1);
    // half a window away there is nothing
    ENSURE(levels[(best - 4) * ROWS + row] == STFT_SILENCE);
    free(x);
    return 0;
}

static int strange_sounds_are_drawn(void)
{
    const float one[] = {1}, wild[] = {NAN, INFINITY, 0, -1e30f, 1e-30f, 3};
    float* noise = calloc(20000, sizeof *noise);
    twRng rng = tw_rng(3);
    for (int i = 0; i < 20000; i++) noise[i] = (float)(0.1 * tw_rng_normal(&rng));
    twSpectrogramDef def = tw_spectrogram_def();
    def.width = 400, def.height = 300, def.title = "title \xff & more";
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, NULL, 0, 1, 48000, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, one, 1, 1, 48000, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, wild, 3, 2, 44100, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, noise, 20000, 1, 1, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s.png"), &def, noise, 20000, 1, 768000, &error) == TW_OK);
    ENSURE(tw_spectrogram_save(in_folder("s2.png"), &def, noise, 20000, 1, 768000, &error) == TW_OK);
    ENSURE(same_bytes(in_folder("s.png"), in_folder("s2.png")));
    free(noise);
    def.range_db = NAN;
    ENSURE(tw_spectrogram_save(in_folder("no.png"), &def, one, 1, 1, 48000, &error) == TW_BAD_INPUT);
    def = tw_spectrogram_def(), def.width = 10;
    ENSURE(tw_spectrogram_save(in_folder("no.png"), &def, one, 1, 1, 48000, &error) == TW_BAD_INPUT);
    def = tw_spectrogram_def();
    ENSURE(tw_spectrogram_save(in_folder("no.png"), &def, one, 1, 1, -1, &error) == TW_BAD_INPUT);
    return 0;
}

// theory: as above, but for the whole sound; loud neighbours leave soft partials alone
static int spectra_show_partials_at_their_level_and_pitch(void)
{
    enum
    {
        N = 20000,
        WIDTH = 600
    };
    static const double freqs[] = {100, 997, 1200, 9000}, gains[] = {0.5, 1, 1e-3, 1e-4};
    double *x = calloc(N, sizeof *x), levels[WIDTH];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) x[i] += gains[k] * sin(2 * TW_PI * freqs[k] * i / 44100);
    const Axis axis = {20, 20000, true, 100, 100 + WIDTH};
    const twSpectrumCurve curve = {x, N, 44100, NULL};
    ENSURE(spectrum_levels(levels, &axis, &curve));
    for (int k = 0; k < 4; k++)
    {
        const int column = (int)(axis_place(&axis, freqs[k]) - 100);
        ENSURE_NEAR(levels[column], 20 * log10(gains[k]), 0.12);
    }
    ENSURE(levels[(int)(axis_place(&axis, 4000) - 100)] < -90);
    free(x);
    return 0;
}

static int strange_spectra_are_drawn_or_refused(void)
{
    const double wild[] = {NAN, INFINITY, 0, -1e30, 3}, marks[] = {NAN, -1, 0, 440, 1e9};
    twSpectrumCurve curves[] = {
        {wild, 5, 44100, "title \xff & more"}, {wild + 2, 1, 1, NULL}, {wild + 2, 1, 768000, NULL}};
    twSpectrumDef def = tw_spectrum_def();
    def.width = 400, def.height = 300, def.title = "title \xff & more";
    def.mark_count = 5, def.marks_hz = marks;
    ENSURE(tw_spectrum_save(in_folder("p.png"), &def, curves, 3, &error) == TW_OK);
    ENSURE(tw_spectrum_save(in_folder("p2.png"), &def, curves, 3, &error) == TW_OK);
    ENSURE(same_bytes(in_folder("p.png"), in_folder("p2.png")));
    ENSURE(tw_spectrum_save(in_folder("no.png"), &def, curves, 0, &error) == TW_BAD_INPUT);
    curves[1].frames = 0;
    ENSURE(tw_spectrum_save(in_folder("no.png"), &def, curves, 3, &error) == TW_BAD_INPUT);
    curves[1].frames = 1, curves[1].rate_hz = NAN;
    ENSURE(tw_spectrum_save(in_folder("no.png"), &def, curves, 3, &error) == TW_BAD_INPUT);
    def.max_hz = def.min_hz;
    ENSURE(tw_spectrum_save(in_folder("no.png"), &def, curves, 1, &error) == TW_BAD_INPUT);
    return 0;
}

// ---- plots ----

// text of a file; free it
static char* slurp(const char* path)
{
    char* bytes = NULL;
    size_t n = 0;
    return tw_file_read(&bytes, &n, path, 1 << 24, NULL) == TW_OK ? bytes : NULL;
}

// elements nest, attributes are quoted, no bare & or <
static bool is_well_formed(const char* s)
{
    char stack[32][16];
    int depth = 0, elements = 0;
    for (; *s; s++)
    {
        if (*s == '&' && strncmp(s, "&amp;", 5) != 0 && strncmp(s, "&lt;", 4) != 0 && strncmp(s, "&gt;", 4) != 0)
            return false;
        if (*s != '<') continue;
        bool closing = s[1] == '/', quoted = false;
        size_t length = strcspn(s + 1 + closing, " >/?");
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)length, s + 1 + closing);
        const char* end = s + 1;
        for (; *end && (quoted || *end != '>'); end++)
        {
            if (*end == '"') quoted = !quoted;
            if (*end == '<') return false;
        }
        if (!*end) return false;
        elements++;
        if (closing && (depth == 0 || strcmp(stack[--depth], name) != 0)) return false;
        if (!closing && end[-1] != '/' && s[1] != '?')
        {
            if (depth == 32) return false;
            strcpy(stack[depth++], name);
        }
        s = end;
    }
    return depth == 0 && elements > 3;
}

static int count_of(const char* text, const char* part)
{
    int n = 0;
    for (const char* s = strstr(text, part); s; s = strstr(s + 1, part)) n++;
    return n;
}

static int figures_are_well_formed_whatever_is_drawn(void)
{
    const double x[] = {1, 2, NAN, 4, 5, INFINITY}, y[] = {1e-9, -1e300, 3, NAN, 1e300, 2}, constant[] = {5, 5, 5};
    twPlot* plot = tw_plot_create("a < b & \"c\" \xff \x01 \xc3\xa9", 3);
    for (int k = 0; k < 8; k++)
    {
        tw_plot_panel(plot, k ? "p < q" : NULL, "time [s]", "force & more [N]");
        tw_plot_log(plot, k & 1, k & 2);
        if (k & 4) tw_plot_line(plot, x, y, 6, "line");
        if (k & 4) tw_plot_dots(plot, x, y, 6, "dots > lines");
        if (k & 1) tw_plot_line(plot, NULL, constant, 3, NULL);
        tw_plot_line(plot, x, y, 0, "nothing");
        tw_plot_hline(plot, k - 3, "zero & below");
        tw_plot_vline(plot, NAN, "nowhere");
        tw_plot_x_range(plot, k, -k);
    }
    ENSURE(tw_plot_save(plot, in_folder("p.svg"), &error) == TW_OK);
    ENSURE(tw_plot_save(plot, in_folder("q.svg"), &error) == TW_OK);
    tw_plot_destroy(plot);
    ENSURE(same_bytes(in_folder("p.svg"), in_folder("q.svg")));
    char* text = slurp(in_folder("p.svg"));
    ENSURE(text && is_well_formed(text));
    ENSURE(!strstr(text, "nan") && !strstr(text, "inf"));
    ENSURE(count_of(text, "<clipPath") == 8);
    ENSURE(strstr(text, "a &lt; b &amp; \"c\" \xef\xbf\xbd"));
    free(text);
    return 0;
}

static int plots_without_memory_or_panels_do_no_harm(void)
{
    tw_plot_panel(NULL, "a", "b", "c");
    tw_plot_line(NULL, NULL, NULL, 3, "x");
    tw_plot_hline(NULL, 1, NULL);
    tw_plot_log(NULL, true, true);
    tw_plot_destroy(NULL);
    ENSURE(tw_plot_save(NULL, in_folder("no.svg"), &error) == TW_NO_MEMORY);
    twPlot* plot = tw_plot_create(NULL, 0);
    ENSURE(tw_plot_save(plot, in_folder("e.svg"), &error) == TW_OK);
    ENSURE(tw_plot_save(plot, "/there/is/no/folder/a.svg", &error) == TW_IO_ERROR);
    tw_plot_destroy(plot);
    return 0;
}

static char path_text[1 << 20];

// the path through n points on a square of 100 px
static const char* path_of(const double* x, const double* y, size_t n, double high)
{
    const Axis x_axis = {.low = 0, .high = high, .start = 0, .end = 100},
               y_axis = {.low = 0, .high = 1, .start = 100, .end = 0};
    path_text[0] = 0;
    FILE* stream = fmemopen(path_text, sizeof path_text, "w");
    svg_path(stream, &x_axis, &y_axis, x, y, n);
    fclose(stream);
    return path_text;
}

static int paths_break_at_gaps_and_show_single_points(void)
{
    const double x[] = {0, 10, 20, 30, 40, 50, 100}, y[] = {0, 1, NAN, 0.5, NAN, 1, 0};
    ENSURE_TEXT(path_of(x, y, 7, 100), "M0 1000l100 -1000M300 500h0M500 0l500 1000");
    ENSURE_TEXT(path_of(x, y, 0, 100), "");
    return 0;
}

static int long_series_shrink_to_pixels_but_keep_their_spikes(void)
{
    enum
    {
        N = 1000000
    };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) x[i] = i, y[i] = 0.4 + 0.1 * sin(0.01 * i);
    y[777777] = 1;
    const char* path = path_of(x, y, N, N);
    // at most four points for each of 101 pixels
    ENSURE(count_of(path, "l") <= 404 && count_of(path, "M") == 1);
    long at = 0, top = 1000, move_x, move_y;
    int used;
    ENSURE(sscanf(path, "M%ld %ld%n", &move_x, &at, &used) == 2);
    for (path += used; sscanf(path, "l%ld %ld%n", &move_x, &move_y, &used) == 2; path += used)
        at += move_y, top = at < top ? at : top;
    ENSURE(*path == 0 && top == 0);
    free(x);
    free(y);
    return 0;
}

static int repeated_loops_are_drawn_once(void)
{
    enum
    {
        N = 100000
    };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++)
        x[i] = 0.5 + 0.4 * cos(2 * TW_PI * i / 500), y[i] = 0.5 + 0.4 * sin(2 * TW_PI * i / 500);
    ENSURE(strlen(path_of(x, y, N, 1)) < 10000);
    free(x);
    free(y);
    return 0;
}

static int ticks_are_at_round_numbers(void)
{
    static const double spans[][2] = {{0, 1},          {-3.7, 12.2},    {1e-9, 7e-9},
                                      {99999, 100001}, {-1e200, 1e200}, {5, 5.0000001}};
    for (int k = 0; k < 6; k++)
    {
        Axis axis = {.low = spans[k][0], .high = spans[k][1]};
        axis_fit(&axis, 0);
        Ticks ticks;
        axis_ticks(&axis, 6, &ticks);
        ENSURE(ticks.count >= 3 && ticks.count <= 13);
        double step = ticks.tick[1].value - ticks.tick[0].value, decade = pow(10, floor(log10(step) + 1e-6));
        double m = step / decade;
        ENSURE(fabs(m - 1) < 1e-3 || fabs(m - 2) < 1e-3 || fabs(m - 5) < 1e-3);
        for (int t = 0; t < ticks.count; t++)
        {
            ENSURE(ticks.tick[t].value >= axis.low - 1e-6 * step && ticks.tick[t].value <= axis.high + 1e-6 * step);
            ENSURE(t == 0 || strcmp(ticks.tick[t].text, ticks.tick[t - 1].text) != 0);
        }
    }
    Axis unit = {.low = -0.5, .high = 0.5};
    Ticks ticks;
    axis_ticks(&unit, 5, &ticks);
    ENSURE(ticks.count == 5);
    ENSURE_TEXT(ticks.tick[0].text, "\xe2\x88\x92"
                                    "0.4");
    return 0;
}

static int zero_ticks_have_no_sign(void)
{
    Axis axis = {.low = -1, .high = 1};
    Ticks ticks;
    axis_ticks(&axis, 10, &ticks);
    ENSURE(ticks.count == 11);
    ENSURE_TEXT(ticks.tick[5].text, "0.0");
    return 0;
}

static int logarithmic_ticks_are_decades(void)
{
    Axis axis = {.low = 20, .high = 20000, .log = true};
    Ticks ticks;
    axis_ticks(&axis, 8, &ticks);
    int labels = 0;
    for (int k = 0; k < ticks.count; k++)
    {
        if (ticks.tick[k].minor) continue;
        double power = log10(ticks.tick[k].value);
        ENSURE_NEAR(power, floor(power + 0.5), 1e-12);
        labels++;
    }
    ENSURE(labels == 3);
    return 0;
}

static int units_take_the_prefix_of_the_exponent(void)
{
    static const struct
    {
        const char* label;
        int exponent;
        const char* expected;
    } cases[] = {
        {"force [N]", 3, "force [kN]"},
        {"x [m]", -6, "x [\xc2\xb5m]"},
        {"v [m/s]", -3, "v [mm/s]"},
        {"time [s]", -3, "time [ms]"},
        {"time [s]", 3,
         "time [s] \xc3\x97"
         "10\xc2\xb3"},
        {"area [m^2]", -6,
         "area [m^2] \xc3\x97"
         "10\xe2\x81\xbb\xe2\x81\xb6"},
        {"mass [kg]", -3,
         "mass [kg] \xc3\x97"
         "10\xe2\x81\xbb\xc2\xb3"},
        {"k [N/m]", 0, "k [N/m]"},
        {NULL, 0, ""},
    };
    char out[100];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    {
        axis_label(out, sizeof out, cases[k].label, cases[k].exponent);
        ENSURE_TEXT(out, cases[k].expected);
    }
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
    in_folder("");
    DIR* dir = opendir(folder);
    ENSURE(dir != NULL);
    int temporaries = 0;
    for (struct dirent* entry = readdir(dir); entry; entry = readdir(dir))
    {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        temporaries += strstr(entry->d_name, ".part") != NULL;
        remove(in_folder(entry->d_name));
    }
    closedir(dir);
    rmdir(folder);
    folder[0] = 0;
    ENSURE(temporaries == 0);
    return 0;
}

TEST_MAIN(
    RUN(float_samples_come_back_exactly) RUN(integer_samples_come_back_within_half_a_step)
        RUN(dither_error_does_not_depend_on_the_signal) RUN(silence_stays_silent_under_dither) RUN(
            clipping_and_nonsense_are_counted_and_made_harmless) RUN(doubles_too_big_for_float_are_not_written)
            RUN(equal_sounds_give_equal_bytes) RUN(comments_survive) RUN(all_rates_and_channels_are_written) RUN(
                wrong_definitions_are_refused_by_name) RUN(abandoned_writers_leave_nothing)
                RUN(mono_is_the_mean_of_the_channels) RUN(files_that_are_no_wav_are_refused) RUN(
                    sounds_longer_than_allowed_are_refused) RUN(damaged_files_are_survived)
                    RUN(nonfinite_samples_in_files_become_zero) RUN(full_scale_sine_reads_minus_3_01) RUN(
                        k_weighting_is_the_tabulated_filter_at_any_rate) RUN(gating_follows_the_ebu_cases)
                        RUN(peak_and_rms_are_those_of_a_sine) RUN(gains_bring_the_sound_to_the_wanted_level) RUN(
                            loudness_gain_agrees_with_the_gate_after_it) RUN(silence_and_short_sounds_have_sane_levels)
                            RUN(png_has_the_size_and_the_same_bytes_again) RUN(
                                every_character_can_be_told_from_every_other) RUN(text_outside_the_picture_is_cut_off)
                                RUN(colour_map_only_gets_brighter) RUN(sines_show_at_their_level_and_pitch)
                                    RUN(clicks_show_in_their_column) RUN(strange_sounds_are_drawn)
                                        RUN(spectra_show_partials_at_their_level_and_pitch)
                                            RUN(strange_spectra_are_drawn_or_refused)
                                                RUN(figures_are_well_formed_whatever_is_drawn)
                                                    RUN(plots_without_memory_or_panels_do_no_harm)
                                                        RUN(paths_break_at_gaps_and_show_single_points) RUN(
                                                            long_series_shrink_to_pixels_but_keep_their_spikes)
                                                            RUN(repeated_loops_are_drawn_once) RUN(
                                                                ticks_are_at_round_numbers) RUN(zero_ticks_have_no_sign)
                                                                RUN(logarithmic_ticks_are_decades)
                                                                    RUN(units_take_the_prefix_of_the_exponent)
                                                                        RUN(a_full_disk_is_reported_and_leaves_nothing)
                                                                            RUN(no_temporary_is_left_behind))
