// SPDX-License-Identifier: MIT
// A surface profile: a closed loop of heights with power spectrum ~ k^beta between two wavelengths, by spectral synthesis
// (random phases, fixed magnitudes), read by cubic interpolation. A ball of radius R rolling on it cannot reach the
// bottom of narrow valleys: its lowest point follows the closing of the profile's top by the ball,
//   height(s) = max over d of  h(s + d) + sqrt(R^2 - d^2) - R        (Rath 2003: the offset curve).

#include "twang/contact.h"
#include "twang/math.h"
#include <stdlib.h>

#define PROFILE_LOOPS 256  // longest wavelengths in one loop, if they fit
#define PROFILE_MIN_LOOPS 8
#define PROFILE_GOOD_POINTS (1 << 17)
#define PROFILE_PER_WAVE 4  // points per shortest wavelength, at least
#define PROFILE_MAX_POINTS (1 << 22)

struct twProfile
{
    double spacing;  // [m]
    int count;       // power of two
    double height[];
};

twProfileDef tw_profile_def(void)
{
    return (twProfileDef){.beta = -2, .rms = 5e-6, .longest = 0.02, .shortest = 2e-4, .seed = 1};
}

static twStatus profile_check(const twProfileDef* def, twError* err)
{
    if (!(def->beta >= -4 && def->beta <= 4))
        return tw_fail(err, TW_BAD_INPUT, "profile beta %g must be in [-4, 4]", def->beta);
    if (!(def->rms >= 0 && def->rms <= 1))
        return tw_fail(err, TW_BAD_INPUT, "profile rms %g m must be in [0, 1]", def->rms);
    if (!(def->shortest > 0 && def->longest >= def->shortest && def->longest <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "profile wavelengths must satisfy 0 < shortest (%g m) <= longest (%g m)",
                       def->shortest, def->longest);
    if (!(def->ball_radius >= 0 && isfinite(def->ball_radius)))
        return tw_fail(err, TW_BAD_INPUT, "ball radius %g m must not be negative", def->ball_radius);
    return TW_OK;
}

// points in the loop, a power of two, and its length in longest wavelengths; 0 if it cannot be
static int profile_points(const twProfileDef* def, double* loops)
{
    double per_loop = PROFILE_PER_WAVE * def->longest / def->shortest;
    if (PROFILE_MIN_LOOPS * per_loop > PROFILE_MAX_POINTS) return 0;
    *loops = fmin(PROFILE_LOOPS, fmax(PROFILE_MIN_LOOPS, floor(PROFILE_GOOD_POINTS / per_loop)));
    int count = 64;
    while (count < *loops * per_loop) count *= 2;
    return count;
}

// magnitudes k^(beta/2) with random phases between the two wavelengths, then the inverse transform
static void profile_synthesise(twProfile* p, const twProfileDef* def, double* re, double* im)
{
    twRng rng = tw_rng(def->seed);
    double loop = p->spacing * p->count;
    for (int k = 1; k < p->count / 2; k++)
    {
        double wave = loop / k, phase = tw_rng_between(&rng, 0, 2 * TW_PI);
        bool inside = wave <= def->longest * (1 + 1e-9) && wave >= def->shortest * (1 - 1e-9);
        double size = inside ? pow(k, 0.5 * def->beta) : 0;
        re[k] = re[p->count - k] = size * cos(phase);
        im[k] = size * sin(phase);
        im[p->count - k] = -im[k];
    }
    tw_fft(re, im, p->count, 1);
}

static void profile_scale(twProfile* p, const double* re, double rms)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++) sum += re[i] * re[i];
    double gain = sum > 0 ? rms / sqrt(sum / p->count) : 0;
    for (int i = 0; i < p->count; i++) p->height[i] = gain * re[i];
}

#define PROFILE_MAX_WORK 4e8  // of rolling a ball over it: points times neighbours

// how many neighbours to each side a ball may touch instead: one at distance d is lowered by R - sqrt(R^2 - d^2) >= d^2/2R
static int profile_reach(const twProfile* p, double radius)
{
    double low = p->height[0], high = low;
    for (int i = 0; i < p->count; i++)
    {
        low = fmin(low, p->height[i]);
        high = fmax(high, p->height[i]);
    }
    double far = fmin(radius, sqrt(2 * radius * (high - low)));
    return (int)fmin(far / p->spacing, p->count / 2);
}

// the offset curve, relative to its own mean. Only neighbours closer than the highest difference allows can matter
static void profile_roll(twProfile* p, double radius, int reach, double* scratch)
{
    double mean = 0;
    for (int i = 0; i < p->count; i++)
    {
        double best = p->height[i];
        for (int d = -reach; d <= reach; d++)
        {
            double s = d * p->spacing, drop = radius - sqrt(radius * radius - s * s);
            best = fmax(best, p->height[(i + d + p->count) & (p->count - 1)] - drop);
        }
        scratch[i] = best;
        mean += best / p->count;
    }
    for (int i = 0; i < p->count; i++) p->height[i] = scratch[i] - mean;
}

twStatus tw_profile_create(twProfile** out, const twProfileDef* def, twError* err)
{
    *out = NULL;
    twStatus status = profile_check(def, err);
    if (status != TW_OK) return status;
    double loops;
    int count = profile_points(def, &loops);
    if (count == 0)
        return tw_fail(err, TW_BAD_INPUT, "profile wavelengths %g m and %g m are too far apart: at most a factor of %d",
                       def->longest, def->shortest, PROFILE_MAX_POINTS / (PROFILE_MIN_LOOPS * PROFILE_PER_WAVE));
    twProfile* p = calloc(1, sizeof *p + (size_t)count * sizeof(double));
    double* scratch = calloc(2 * (size_t)count, sizeof(double));
    if (!p || !scratch)
    {
        free(p);
        free(scratch);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a profile of %d points", count);
    }
    p->count = count;
    p->spacing = loops * def->longest / count;
    profile_synthesise(p, def, scratch, scratch + count);
    profile_scale(p, scratch, def->rms);
    int reach = def->ball_radius > 0 ? profile_reach(p, def->ball_radius) : 0;
    bool fits = (double)reach * count <= PROFILE_MAX_WORK;
    if (fits && def->ball_radius > 0) profile_roll(p, def->ball_radius, reach, scratch);
    free(scratch);
    if (!fits)
    {
        free(p);
        return tw_fail(err, TW_BAD_INPUT,
                       "a ball of %g m on heights of %g m rms down to wavelengths of %g m takes too long to work out: "
                       "make the ball or the heights smaller, or 'shortest' longer",
                       def->ball_radius, def->rms, def->shortest);
    }
    *out = p;
    return TW_OK;
}

void tw_profile_destroy(twProfile* profile) { free(profile); }

double tw_profile_length(const twProfile* p) { return p->spacing * p->count; }

double tw_profile_height(const twProfile* p, double s)
{
    if (!(fabs(s) < 1e12)) return 0;
    double at = s / p->spacing, whole = floor(at), t = at - whole;
    long base = (long)fmod(whole, p->count);
    const double* h = p->height;
    long mask = p->count - 1;
    double a = h[(base - 1) & mask], b = h[base & mask], c = h[(base + 1) & mask], d = h[(base + 2) & mask];
    // Catmull-Rom
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}
