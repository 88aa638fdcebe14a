// SPDX-License-Identifier: MIT
// Spectrograms and spectra: levels, pitch, and strange sounds.
#define _XOPEN_SOURCE 700
#include "media_files.h"

#include "media/image.h"
#include "media/spectrum.h"
#include "media/stft.h"
#include "twang/math.h"

#include <unistd.h>

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
    const Axis axis = {.low = 20, .high = 20000, .log = true, .start = 100, .end = 100 + WIDTH};
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

// clang-format off
TEST_MAIN(
    RUN(sines_show_at_their_level_and_pitch)
    RUN(clicks_show_in_their_column)
    RUN(strange_sounds_are_drawn)
    RUN(spectra_show_partials_at_their_level_and_pitch)
    RUN(strange_spectra_are_drawn_or_refused)
)
