// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"
#include "twang/trace.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Media: sound files, levels, pictures and plots. Every file written here appears whole or not at all, and its bytes
/// depend on nothing but the arguments.

// ---- sound files: reading ----

/// A sound in memory.
typedef struct twWav
{
    int rate_hz;        ///< frames per second
    int channels;       ///< at least 1
    int64_t frames;     ///< may be 0
    float* samples;     ///< (frames x channels), interleaved, full scale is 1
    int64_t nonfinite;  ///< NaN or infinite samples found in the file; they are 0 in samples
    char* comment;      ///< the comment stored in the file; "" if there is none
} twWav;

/// Load a WAV file of integers, floats, A-law or mu-law, at any rate. Survives any input.
/// @param max_samples refuse more than this many samples (frames x channels); 0 for TW_WAV_MAX_SAMPLES.
/// @return TW_BAD_INPUT if it is missing, not WAV or too long, TW_IO_ERROR if reading fails; *out is then NULL.
twStatus tw_wav_load(twWav** out, const char* path, int64_t max_samples, twError* err);
void tw_wav_destroy(twWav* wav);                                  ///< NULL is fine
void tw_wav_channel(const twWav* wav, int channel, double* out);  ///< one channel to out (frames)
void tw_wav_mono(const twWav* wav, double* out);                  ///< mean of the channels to out (frames)

// ---- sound files: writing ----

typedef enum twWavFormat
{
    TW_WAV_16,     ///< 16-bit integers
    TW_WAV_24,     ///< 24-bit integers
    TW_WAV_FLOAT,  ///< 32-bit floats: keeps what lies beyond full scale
} twWavFormat;

#define TW_WAV_MAX_SAMPLES ((int64_t)1 << 28)  ///< longest sound loaded by default: 1 GiB as float
#define TW_WAV_MAX_RATE 768000                 ///< [Hz]
#define TW_WAV_MAX_CHANNELS 64
#define TW_WAV_MAX_COMMENT 4000  ///< bytes

/// Everything needed to create a sound file. Start from tw_wav_def().
typedef struct twWavDef
{
    int rate_hz;   ///< 1 to TW_WAV_MAX_RATE
    int channels;  ///< 1 to TW_WAV_MAX_CHANNELS
    twWavFormat format;
    bool dither;          ///< triangular dither of 2 LSB width at 16 bits; exact zeros stay zero
    uint64_t seed;        ///< of the dither
    const char* comment;  ///< stored in the file, for example the pascals of full scale; NULL for none
} twWavDef;
twWavDef tw_wav_def(void);  ///< 48 kHz, mono, 24 bits, dither at 16, no comment

/// What went into a file.
typedef struct twWavStats
{
    int64_t frames;
    int64_t clipped;    ///< samples beyond full scale cut to it (integer formats only)
    int64_t nonfinite;  ///< NaN or infinite samples replaced by 0
    double peak;        ///< largest magnitude handed in, before clipping
} twWavStats;

/// A sound file being written; memory does not grow with its length.
typedef struct twWavWriter twWavWriter;

/// @return TW_BAD_INPUT naming the field if def makes no sense, TW_IO_ERROR if the folder cannot be written.
twStatus tw_wav_create(twWavWriter** out, const char* path, const twWavDef* def, twError* err);
/// Append frames, interleaved (frames x channels). After a failure only stats and abort are of use.
/// @return TW_IO_ERROR if the disk is full, TW_BAD_INPUT beyond the 4 GiB of a WAV file.
twStatus tw_wav_write(twWavWriter* writer, const float* samples, int64_t frames, twError* err);
twStatus tw_wav_write_double(twWavWriter* writer, const double* samples, int64_t frames, twError* err);
twWavStats tw_wav_stats(const twWavWriter* writer);  ///< so far: lets the caller refuse before commit
/// Make the file appear. *writer becomes NULL either way. stats (may be NULL) tells what was clipped: look at it.
twStatus tw_wav_commit(twWavWriter** writer, twWavStats* stats, twError* err);
void tw_wav_abort(twWavWriter** writer);  ///< leave nothing behind; NULL is fine
/// Create, write and commit in one call.
twStatus tw_wav_save(const char* path, const twWavDef* def, const float* samples, int64_t frames, twWavStats* stats,
                     twError* err);

// ---- sample rates ----

/// Another sample rate for one channel: out[n] is the band-limited input at the time n / out_rate_hz, so nothing is delayed.
/// The input is silent before its first and after its last sample, so any count of frames is right; in and out must not
/// overlap. Flat to 0.91 of the lower Nyquist frequency, nothing of what lies above that frequency; equal rates copy.
/// @return TW_BAD_INPUT if a count is negative, a rate is not above 0, the rates are more than a factor of 1000 apart or
/// a sample is not finite; TW_NO_MEMORY.
twStatus tw_resample(double* out, int64_t out_frames, const double* in, int64_t in_frames, double in_rate_hz,
                     double out_rate_hz, twError* err);

// ---- heads ----

/// Load a head from a SOFA file of free-field responses, at a rate [Hz]; path NULL: the one that comes with libmysofa (KEMAR, a
/// dummy head). What was measured at less than 0.9 of the largest distance is left out. On failure *out is NULL. @return
/// TW_BAD_INPUT if there is no such file, it is damaged or of another kind; TW_IO_ERROR, TW_NO_MEMORY.
twStatus tw_head_load(twHead** out, const char* path, double rate_hz, twError* err);

// ---- levels ----

/// How strong a sound is.
typedef struct twLevel
{
    double peak;           ///< largest magnitude of a sample
    double rms;            ///< root mean square over all samples of all channels
    double loudness_lufs;  ///< integrated loudness after ITU-R BS.1770-4; -INFINITY if nothing passes the gate
} twLevel;

/// Measures a sound piece by piece. All channels weigh the same. NaN and infinity count as 0.
typedef struct twMeter twMeter;

twMeter* tw_meter_create(int channels, double rate_hz);  ///< NULL if there is no memory; channels >= 1, rate_hz > 0
void tw_meter_destroy(twMeter* meter);                   ///< NULL is fine
/// Take in frames, interleaved (frames x channels). @return TW_NO_MEMORY
twStatus tw_meter_process(twMeter* meter, const float* samples, int64_t frames, twError* err);
twLevel tw_meter_level(const twMeter* meter);
/// Factor that brings the peak to peak_dbfs [dB]. Silence gives 1.
double tw_meter_gain_peak(const twMeter* meter, double peak_dbfs);
/// Factor that brings the loudness to lufs, less if the peak would pass -0.1 dBFS. Silence gives 1. Right for sounds in
/// physical units too: the gate is applied at the level after the gain.
double tw_meter_gain_loudness(const twMeter* meter, double lufs);

#define TW_FULL_SCALE_PA 20.0  ///< pressure of a sample of 1 at true scale [Pa]: 120 dB SPL
#define TW_FADE_SECONDS 0.02   ///< [s]
/// Let a sound (frames x channels) begin with 0 and end without a step: if its last 5 ms are above -80 dB of its peak, the last
/// TW_FADE_SECONDS fade by a raised cosine, to 0. @return whether they did
bool tw_sound_finish(float* samples, int64_t frames, int channels, double rate_hz);

// ---- pictures ----

/// Save an 8-bit RGB picture, rgb (height x width x 3), top row first, as PNG.
twStatus tw_png_save(const char* path, const uint8_t* rgb, int width, int height, twError* err);

/// A contact sheet of mode shapes as PNG: each tile shows the body bent by one mode, coloured by how far it moves. At most
/// count modes (0: as many as are there, up to 64).
twStatus tw_mode_sheet_save(const char* path, const twModeSet* set, int count, twError* err);

// ---- plots ----

/// A figure of one or more panels, saved as SVG or PNG. Calls after tw_plot_panel() act on that panel. Data are copied.
/// Nothing fails before tw_plot_save(), which reports missing memory; a NULL plot is accepted everywhere. NaN and
/// infinite values make gaps; so do values <= 0 on a logarithmic axis. Labels are UTF-8; put units in brackets: "time
/// [s]". Text that has no room is made smaller, then cut; the legend stands above the data.
typedef struct twPlot twPlot;

twPlot* tw_plot_create(const char* title, int columns);  ///< panels fill rows of this many columns; title may be NULL
void tw_plot_destroy(twPlot* plot);                      ///< NULL is fine
void tw_plot_dark(twPlot* plot);                         ///< light on dark
/// Size of the whole picture, 100 to 16000 on each side [px]. Without it panels have a size of their own and a PNG has twice the pixels of an SVG.
void tw_plot_size(twPlot* plot, int width, int height);

/// Start the next panel. Any text may be NULL.
void tw_plot_panel(twPlot* plot, const char* title, const char* x_label, const char* y_label);
void tw_plot_log(twPlot* plot, bool x, bool y);               ///< logarithmic axes
void tw_plot_x_range(twPlot* plot, double low, double high);  ///< instead of the range of the data
void tw_plot_y_range(twPlot* plot, double low, double high);
/// Share the x axis of the panel above, which then shows no numbers, if both are linear or both logarithmic.
void tw_plot_join(twPlot* plot);
void tw_plot_height(twPlot* plot, double share);  ///< of the data, against 1 for other panels

/// A line through n points; x NULL counts 0, 1, 2 ... A label (may be NULL) enters the legend.
void tw_plot_line(twPlot* plot, const double* x, const double* y, size_t n, const char* label);
void tw_plot_steps(twPlot* plot, const double* x, const double* y, size_t n,
                   const char* label);  ///< y holds until the next x
void tw_plot_dots(twPlot* plot, const double* x, const double* y, size_t n, const char* label);
/// What lies between two curves over a rising x.
void tw_plot_band(twPlot* plot, const double* x, const double* low, const double* high, size_t n, const char* label);
void tw_plot_hline(twPlot* plot, double y, const char* label);  ///< a dashed reference line; label may be NULL
void tw_plot_vline(twPlot* plot, double x, const char* label);
/// Many vertical ones; the label enters the legend.
void tw_plot_vlines(twPlot* plot, const double* x, size_t n, const char* label);

/// Colours for values on a raster, with a colour bar.
typedef struct twPlotHeat
{
    const float* values;  ///< (columns x rows), row 0 lowest; even along the axes as drawn
    int columns, rows;
    double x[2], y[2];  ///< edges of the first and the last column and row
    double low, high;   ///< values of the darkest and the brightest colour
    const char* label;  ///< of the colour bar
} twPlotHeat;
void tw_plot_heat(twPlot* plot, const twPlotHeat* heat);  ///< one per panel

twStatus tw_plot_check(const char* path, twError* err);  ///< TW_BAD_INPUT unless the path ends with .svg or .png
/// Save as SVG or PNG, by the path's ending.
twStatus tw_plot_save(twPlot* plot, const char* path, twError* err);

// ---- figures: ready-made plots, as SVG or PNG ----

/// The waveform of samples (frames x channels), interleaved: a panel for each channel; more than 8 share one. title may be
/// NULL.
twStatus tw_waveform_save(const char* path, const char* title, const float* samples, int64_t frames, int channels,
                          double rate_hz, twError* err);

/// A spectrogram with waveform and colour bar. Start from tw_spectrogram_def().
typedef struct twSpectrogramDef
{
    const char* title;  ///< NULL for none
    int width, height;  ///< of the whole picture [pixels], 400 x 300 to 8000 x 8000
    double range_db;    ///< from the darkest to the brightest colour, 10 to 200 [dB]
    double min_hz;      ///< lower end of the frequency axis; lowered if the Nyquist frequency is near
} twSpectrogramDef;
twSpectrogramDef tw_spectrogram_def(void);  ///< 1280 x 720, 90 dB, from 20 Hz, no title

/// Draw the spectrogram of samples (frames x channels), interleaved. Power is averaged over the channels; 0 dB is a sine
/// of amplitude 1. Any length: the cost of the spectra is bounded by the picture's columns.
twStatus tw_spectrogram_save(const char* path, const twSpectrogramDef* def, const float* samples, int64_t frames,
                             int channels, double rate_hz, twError* err);

/// A spectrum of whole sounds: level over a logarithmic frequency axis. Start from tw_spectrum_def().
typedef struct twSpectrumDef
{
    const char* title;       ///< NULL for none
    int width, height;       ///< of the whole picture [pixels], 400 x 300 to 8000 x 8000
    double range_db;         ///< from the bottom to the top, 10 to 200 [dB]
    double min_hz, max_hz;   ///< ends of the frequency axis
    int mark_count;          ///< dashed lines, of a theory for example
    const double* marks_hz;  ///< at these frequencies (mark_count)
    const char* mark_label;  ///< what they are; NULL for nothing
} twSpectrumDef;
twSpectrumDef tw_spectrum_def(void);  ///< 1280 x 720, 90 dB, 20 Hz to 20 kHz, no title, no marks

/// One curve of a spectrum.
typedef struct twSpectrumCurve
{
    const double* samples;
    int64_t frames;  ///< 1 to 4 million; all are under one window
    double rate_hz;
    const char* label;  ///< NULL for none
} twSpectrumCurve;

/// Draw spectra of 1 to 16 sounds; 0 dB is a sine of amplitude 1. Samples that are not finite count as 0.
twStatus tw_spectrum_save(const char* path, const twSpectrumDef* def, const twSpectrumCurve* curves, int count,
                          twError* err);

/// What a trace recorded over time, energy budget, active degrees of freedom and step size for example: a panel for each unit
/// over one time axis. Counts [1] and step sizes [s] are drawn as steps; positive values over decades get a logarithmic axis.
/// @return TW_BAD_INPUT if the trace has no series.
twStatus tw_series_plot_save(const char* path, const twTrace* trace, twError* err);

#ifdef __cplusplus
}
#endif
