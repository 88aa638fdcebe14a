// SPDX-License-Identifier: MIT
// Another sample rate, through libsoxr; no other file knows it. Linear phase, so that one delay holds for all frequencies,
// and libsoxr takes that out: out[n] is what the band-limited input is at n / out_rate. Very high quality: 28 bits, flat to
// 0.913 of the lower Nyquist frequency, nothing left at it. One thread: the order of sums is fixed.

#include "twang/media.h"

#include <math.h>
#include <soxr.h>
#include <string.h>

#define MAX_RATIO 1000.0  // between the rates: beyond it the filters get long for nothing
#define MAX_FRAMES ((int64_t)1 << 40)
#define BLOCK 4096  // of the silence behind the input

static twStatus check(int64_t out_frames, const double* in, int64_t in_frames, double in_rate_hz, double out_rate_hz,
                      twError* err)
{
    if (in_frames < 0 || out_frames < 0 || in_frames > MAX_FRAMES || out_frames > MAX_FRAMES)
        return tw_fail(err, TW_BAD_INPUT, "resampling: %lld frames to %lld; counts are from 0 to %lld",
                       (long long)in_frames, (long long)out_frames, (long long)MAX_FRAMES);
    const double rates[2] = {in_rate_hz, out_rate_hz};
    for (int i = 0; i < 2; i++)
        if (!(rates[i] > 0 && isfinite(rates[i])))
            return tw_fail(err, TW_BAD_INPUT, "resampling: %s rate of %g Hz; it must be above 0",
                           i ? "output" : "input", rates[i]);
    double ratio = in_rate_hz / out_rate_hz;
    if (!(ratio <= MAX_RATIO && ratio >= 1 / MAX_RATIO))
        return tw_fail(err, TW_BAD_INPUT, "resampling: from %g Hz to %g Hz; at most a factor of %g is possible",
                       in_rate_hz, out_rate_hz, MAX_RATIO);

    // the filters work on blocks: one bad sample would spoil thousands
    for (int64_t i = 0; i < in_frames; i++)
        if (!isfinite(in[i])) return tw_fail(err, TW_BAD_INPUT, "resampling: sample %lld is %g", (long long)i, in[i]);
    return TW_OK;
}

// the input, then as much silence as the last outputs need. @return libsoxr's message, NULL if all went well
static const char* run(soxr_t resampler, double* out, size_t out_frames, const double* in, size_t in_frames)
{
    static const double silence[BLOCK];
    size_t in_at = 0, out_at = 0;
    while (out_at < out_frames)
    {
        bool over = in_at == in_frames;
        size_t took, gave;
        const char* message = soxr_process(resampler, over ? silence : in + in_at, over ? BLOCK : in_frames - in_at,
                                           &took, out + out_at, out_frames - out_at, &gave);
        if (message) return message;
        if (took == 0 && gave == 0) return "it takes nothing and gives nothing";
        if (!over) in_at += took;
        out_at += gave;
    }
    return NULL;
}

twStatus tw_resample(double* out, int64_t out_frames, const double* in, int64_t in_frames, double in_rate_hz,
                     double out_rate_hz, twError* err)
{
    twStatus status = check(out_frames, in, in_frames, in_rate_hz, out_rate_hz, err);
    if (status != TW_OK || out_frames == 0) return status;
    size_t copied = in_rate_hz == out_rate_hz ? (size_t)(in_frames < out_frames ? in_frames : out_frames) : 0;
    if (copied > 0) memmove(out, in, copied * sizeof *out);
    if (in_rate_hz == out_rate_hz || in_frames == 0)
    {
        for (size_t i = copied; i < (size_t)out_frames; i++) out[i] = 0;
        return TW_OK;
    }

    soxr_error_t message;
    soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I);
    soxr_quality_spec_t quality = soxr_quality_spec(SOXR_VHQ, SOXR_ROLLOFF_NONE | SOXR_HI_PREC_CLOCK);
    soxr_runtime_spec_t one_thread = soxr_runtime_spec(1);
    soxr_t resampler = soxr_create(in_rate_hz, out_rate_hz, 1, &message, &io, &quality, &one_thread);
    if (!resampler || message)
        status = tw_fail(err, TW_NO_MEMORY, "resampling from %g Hz to %g Hz: %s", in_rate_hz, out_rate_hz,
                         message ? message : "no memory");
    else if ((message = run(resampler, out, (size_t)out_frames, in, (size_t)in_frames)))
        status = tw_fail(err, TW_NO_MEMORY, "resampling from %g Hz to %g Hz: %s", in_rate_hz, out_rate_hz, message);
    soxr_delete(resampler);
    return status;
}
