// SPDX-License-Identifier: MIT
// Sound files through libsndfile; no other file knows it.
//
// Quantising to b bits: full scale 1 is 2^(b-1) steps, so that reading divides by the same power of two and +1
// saturates one step below. Dither: the sum of two uniform numbers, triangular over (-1, 1) step, makes the error's
// mean and variance independent of the signal (Lipshitz, Wannamaker, Vanderkooy: "Quantization and dither", JAES 40,
// 1992). Bytes depend on the arguments only: libsndfile's PEAK chunk carries a time stamp and is switched off.

#define _POSIX_C_SOURCE 200809L

#include "twang/media.h"

#include <errno.h>
#include <math.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHUNK 8192  // samples converted at a time, and at least one frame of the most channels read

struct twWavWriter
{
    twFile* file;
    SNDFILE* sound;
    twWavDef def;
    twWavStats stats;
    int64_t max_frames;
    twRng rng;
    char* path;
    union
    {
        short s16[CHUNK];
        int s32[CHUNK];
        float f32[CHUNK];
    } raw;
    double chunk[CHUNK];
};

// ---- reading ----

static bool is_wav(FILE* stream)
{
    char head[12];
    if (fread(head, 1, sizeof head, stream) != sizeof head || memcmp(head + 8, "WAVE", 4) != 0) return false;
    return memcmp(head, "RIFF", 4) == 0 || memcmp(head, "RIFX", 4) == 0 || memcmp(head, "RF64", 4) == 0;
}

static bool is_plain(int format)
{
    switch (format & SF_FORMAT_SUBMASK)
    {
    case SF_FORMAT_PCM_U8:
    case SF_FORMAT_PCM_16:
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_PCM_32:
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_DOUBLE:
    case SF_FORMAT_ULAW:
    case SF_FORMAT_ALAW:
        return true;
    default:
        return false;
    }
}

// make room for more samples, doubling
static bool grow(twWav* wav, size_t* capacity, size_t wanted)
{
    if (wanted <= *capacity) return true;
    size_t bigger = *capacity * 2 > wanted ? *capacity * 2 : wanted;
    float* samples = realloc(wav->samples, bigger * sizeof *samples);
    if (!samples) return false;
    wav->samples = samples;
    *capacity = bigger;
    return true;
}

static void clean(twWav* wav)
{
    for (int64_t i = 0; i < wav->frames * wav->channels; i++)
        if (!isfinite(wav->samples[i]))
        {
            wav->samples[i] = 0;
            wav->nonfinite++;
        }
}

// believe what can be read, not what the header promises: memory grows with the data found
static twStatus read_samples(twWav* wav, SNDFILE* sound, int64_t max_samples, const char* path, twError* err)
{
    size_t capacity = 0;
    const int64_t step = CHUNK / wav->channels;
    for (;;)
    {
        int64_t used = wav->frames * wav->channels;
        if (!grow(wav, &capacity, (size_t)(used + step * wav->channels)))
            return tw_fail(err, TW_NO_MEMORY, "%s: no memory for %lld samples", path, (long long)used);
        int64_t got = sf_readf_float(sound, wav->samples + used, step);
        if (got <= 0) break;
        wav->frames += got;
        if (wav->frames * wav->channels > max_samples)
            return tw_fail(err, TW_BAD_INPUT, "%s: longer than the %lld samples allowed", path, (long long)max_samples);
    }
    clean(wav);
    return TW_OK;
}

static twStatus read_sound(twWav* wav, FILE* stream, int64_t max_samples, const char* path, twError* err)
{
    if (!is_wav(stream))
        return tw_fail(err, TW_BAD_INPUT, "%s: not a WAV file (it must begin with RIFF....WAVE)", path);
    rewind(stream);
    SF_INFO info = {0};
    SNDFILE* sound = sf_open_fd(fileno(stream), SFM_READ, &info, 0);
    twStatus status = TW_OK;
    if (!sound || info.channels < 1 || info.channels > CHUNK || info.samplerate < 1)
        status = tw_fail(err, TW_BAD_INPUT, "%s: damaged WAV header or unknown sample format", path);
    else if (!is_plain(info.format))
        status = tw_fail(err, TW_BAD_INPUT, "%s: compressed; convert it to 16-bit, 24-bit or float samples", path);
    else if (info.frames > max_samples / info.channels)
        status = tw_fail(err, TW_BAD_INPUT, "%s: %lld frames of %d channels are more than the %lld samples allowed",
                         path, (long long)info.frames, info.channels, (long long)max_samples);
    if (status == TW_OK)
    {
        const char* comment = sf_get_string(sound, SF_STR_COMMENT);
        wav->rate_hz = info.samplerate;
        wav->channels = info.channels;
        wav->comment = strdup(comment ? comment : "");
        status = wav->comment ? read_samples(wav, sound, max_samples, path, err)
                              : tw_fail(err, TW_NO_MEMORY, "%s: no memory", path);
    }
    if (sound) sf_close(sound);
    return status;
}

twStatus tw_wav_load(twWav** out, const char* path, int64_t max_samples, twError* err)
{
    *out = NULL;
    // opening a pipe would wait for ever
    struct stat about;
    if (stat(path, &about) != 0)
        return tw_fail(err, errno == ENOENT || errno == ENOTDIR ? TW_BAD_INPUT : TW_IO_ERROR, "cannot read %s: %s",
                       path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return tw_fail(err, TW_BAD_INPUT, "cannot read %s: it is not a regular file", path);
    FILE* stream = fopen(path, "rb");
    if (!stream) return tw_fail(err, TW_IO_ERROR, "cannot read %s: %s", path, strerror(errno));
    twWav* wav = calloc(1, sizeof *wav);
    twStatus status = wav ? read_sound(wav, stream, max_samples > 0 ? max_samples : TW_WAV_MAX_SAMPLES, path, err)
                          : tw_fail(err, TW_NO_MEMORY, "%s: no memory", path);
    fclose(stream);
    if (status == TW_OK)
        *out = wav;
    else
        tw_wav_destroy(wav);
    return status;
}

void tw_wav_destroy(twWav* wav)
{
    if (!wav) return;
    free(wav->samples);
    free(wav->comment);
    free(wav);
}

void tw_wav_channel(const twWav* wav, int channel, double* out)
{
    TW_ASSERT(channel >= 0 && channel < wav->channels);
    for (int64_t i = 0; i < wav->frames; i++) out[i] = wav->samples[i * wav->channels + channel];
}

void tw_wav_mono(const twWav* wav, double* out)
{
    for (int64_t i = 0; i < wav->frames; i++)
    {
        double sum = 0;
        for (int c = 0; c < wav->channels; c++) sum += wav->samples[i * wav->channels + c];
        out[i] = sum / wav->channels;
    }
}

// ---- writing ----

twWavDef tw_wav_def(void) { return (twWavDef){.rate_hz = 48000, .channels = 1, .format = TW_WAV_24, .dither = true}; }

static twStatus check(const twWavDef* def, const char* path, twError* err)
{
    if (def->rate_hz < 1 || def->rate_hz > TW_WAV_MAX_RATE)
        return tw_fail(err, TW_BAD_INPUT, "%s: rate of %d Hz is outside 1 to %d", path, def->rate_hz, TW_WAV_MAX_RATE);
    if (def->channels < 1 || def->channels > TW_WAV_MAX_CHANNELS)
        return tw_fail(err, TW_BAD_INPUT, "%s: %d channels are outside 1 to %d", path, def->channels,
                       TW_WAV_MAX_CHANNELS);
    if (def->comment && strlen(def->comment) > TW_WAV_MAX_COMMENT)
        return tw_fail(err, TW_BAD_INPUT, "%s: comment of %zu bytes is longer than %d", path, strlen(def->comment),
                       TW_WAV_MAX_COMMENT);
    return TW_OK;
}

// the extensible header is the right one for more than two channels
static SF_INFO sound_info(const twWavDef* def)
{
    static const int subtype[] = {SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_FLOAT};
    int container = def->channels > 2 ? SF_FORMAT_WAVEX : SF_FORMAT_WAV;
    return (SF_INFO){.samplerate = def->rate_hz, .channels = def->channels, .format = container | subtype[def->format]};
}

static bool open_sound(twWavWriter* writer)
{
    SF_INFO info = sound_info(&writer->def);
    writer->sound = sf_open_fd(fileno(tw_file_stream(writer->file)), SFM_WRITE, &info, 0);
    if (!writer->sound) return false;
    sf_command(writer->sound, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE);
    if (!writer->def.comment || !writer->def.comment[0]) return true;
    return sf_set_string(writer->sound, SF_STR_COMMENT, writer->def.comment) == 0;
}

twStatus tw_wav_create(twWavWriter** out, const char* path, const twWavDef* def, twError* err)
{
    *out = NULL;
    twStatus status = check(def, path, err);
    if (status != TW_OK) return status;
    twWavWriter* writer = calloc(1, sizeof *writer + strlen(path) + 1);
    if (!writer) return tw_fail(err, TW_NO_MEMORY, "%s: no memory", path);
    writer->path = strcpy((char*)(writer + 1), path);
    writer->def = *def;
    writer->rng = tw_rng(def->seed);
    // RIFF counts bytes in 32 bits; leave room for the header
    static const int64_t bytes[] = {2, 3, 4};
    writer->max_frames = (0xffffffff - 2 * TW_WAV_MAX_COMMENT) / (bytes[def->format] * def->channels);
    status = tw_file_create(&writer->file, path, err);
    if (status == TW_OK && !open_sound(writer))
        status = tw_fail(err, TW_IO_ERROR, "%s: cannot write a WAV header", path);
    writer->def.comment = NULL;
    if (status == TW_OK)
        *out = writer;
    else
        tw_wav_abort(&writer);
    return status;
}

// triangular over (-1, 1)
static double triangle(twRng* rng)
{
    uint64_t bits = tw_rng_next(rng);
    return ((double)(bits >> 32) - (double)(bits & 0xffffffff)) * 0x1p-32;
}

static int quantise(twWavWriter* writer, double x, double full_scale)
{
    if (fabs(x) > 1) writer->stats.clipped++;
    double step = x * full_scale;
    if (writer->def.dither && writer->def.format == TW_WAV_16 && x != 0) step += triangle(&writer->rng);
    return (int)fmax(-full_scale, fmin(full_scale - 1, floor(step + 0.5)));
}

// convert writer->chunk and hand it to libsndfile
static bool flush(twWavWriter* writer, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
    {
        double x = writer->chunk[i];
        if (!isfinite((float)x))
        {
            writer->stats.nonfinite++;
            x = 0;
        }
        writer->stats.peak = fmax(writer->stats.peak, fabs(x));
        switch (writer->def.format)
        {
        case TW_WAV_16:
            writer->raw.s16[i] = (short)quantise(writer, x, 0x1p15);
            break;
        case TW_WAV_24:
            writer->raw.s32[i] = quantise(writer, x, 0x1p23) * 256;
            break;
        case TW_WAV_FLOAT:
            writer->raw.f32[i] = (float)x;
            break;
        }
    }
    switch (writer->def.format)
    {
    case TW_WAV_16:
        return sf_write_short(writer->sound, writer->raw.s16, n) == n;
    case TW_WAV_24:
        return sf_write_int(writer->sound, writer->raw.s32, n) == n;
    case TW_WAV_FLOAT:
        return sf_write_float(writer->sound, writer->raw.f32, n) == n;
    }
    return false;
}

// one of f32, f64 is NULL
static twStatus append(twWavWriter* writer, const float* f32, const double* f64, int64_t frames, twError* err)
{
    TW_ASSERT(frames >= 0);
    if (frames > writer->max_frames - writer->stats.frames)
        return tw_fail(err, TW_BAD_INPUT, "%s: more than the 4 GiB of a WAV file; split it or use fewer bits",
                       writer->path);
    const int64_t step = CHUNK / writer->def.channels;
    for (int64_t done = 0; done < frames; done += step)
    {
        int64_t now = frames - done < step ? frames - done : step;
        int64_t first = done * writer->def.channels, count = now * writer->def.channels;
        for (int64_t i = 0; i < count; i++) writer->chunk[i] = f32 ? (double)f32[first + i] : f64[first + i];
        if (!flush(writer, count)) return tw_file_fail(writer->file, err);
        writer->stats.frames += now;
    }
    return TW_OK;
}

twStatus tw_wav_write(twWavWriter* writer, const float* samples, int64_t frames, twError* err)
{
    return append(writer, samples, NULL, frames, err);
}

twStatus tw_wav_write_double(twWavWriter* writer, const double* samples, int64_t frames, twError* err)
{
    return append(writer, NULL, samples, frames, err);
}

twWavStats tw_wav_stats(const twWavWriter* writer) { return writer->stats; }

twStatus tw_wav_commit(twWavWriter** writer, twWavStats* stats, twError* err)
{
    twWavWriter* w = *writer;
    if (stats) *stats = w->stats;
    // closing writes the sizes into the header
    int trouble = sf_error(w->sound);
    trouble |= sf_close(w->sound);
    w->sound = NULL;
    twStatus status = trouble ? tw_file_fail(w->file, err) : tw_file_commit(&w->file, err);
    tw_wav_abort(writer);
    return status;
}

void tw_wav_abort(twWavWriter** writer)
{
    twWavWriter* w = *writer;
    if (!w) return;
    if (w->sound) sf_close(w->sound);
    tw_file_abort(&w->file);
    free(w);
    *writer = NULL;
}

twStatus tw_wav_save(const char* path, const twWavDef* def, const float* samples, int64_t frames, twWavStats* stats,
                     twError* err)
{
    twWavWriter* writer;
    twStatus status = tw_wav_create(&writer, path, def, err);
    if (status != TW_OK) return status;
    status = tw_wav_write(writer, samples, frames, err);
    if (status == TW_OK) return tw_wav_commit(&writer, stats, err);
    tw_wav_abort(&writer);
    return status;
}
