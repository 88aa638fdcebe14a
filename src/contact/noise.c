// SPDX-License-Identifier: MIT
// Fractal noise: white noise through a ladder of first-order sections whose poles and zeros interlace on a log-frequency
// axis, so that the power falls or rises like f^beta between 20 Hz and 20 kHz (or 0.45 rate), flat outside.
//
// Section k: H(s) = (s + z_k)/(s + p_k) (times p/z for beta < 0 keeps the gain 1 at low frequency). With pole ratio
// r = (f_high/f_low)^(1/n) and z_k = p_k r^(-beta/2), each section tilts the power by r^beta over one ratio r.

#include "twang/contact.h"
#include "twang/math.h"

#define NOISE_LOW_HZ 20.0
#define NOISE_HIGH_HZ 20000.0
#define NOISE_MAX_RATE 1e9

// bilinear transform of (s + zero)/(s + pole)
static void noise_section(twNoise* noise, int k, double zero_hz, double pole_hz, double rate_hz)
{
    double z = tan(TW_PI * fmin(zero_hz / rate_hz, 0.499)), p = tan(TW_PI * fmin(pole_hz / rate_hz, 0.499));
    noise->b0[k] = (1 + z) / (1 + p);
    noise->b1[k] = (z - 1) / (1 + p);
    noise->a1[k] = (p - 1) / (1 + p);
}

// integral of f^beta from low to high
static double band_power(double beta, double low, double high)
{
    return fabs(beta + 1) < 1e-9 ? log(high / low) : (pow(high, beta + 1) - pow(low, beta + 1)) / (beta + 1);
}

// power of the noise between two frequencies [Hz], by summing |H|^2
static double noise_power(const twNoise* noise, double low, double high, double rate_hz)
{
    enum
    {
        POINTS = 4096
    };
    double sum = 0;
    for (int i = 0; i < POINTS; i++)
    {
        double f = low + (high - low) * (i + 0.5) / POINTS, c = cos(2 * TW_PI * f / rate_hz), power = 1;
        for (int k = 0; k < noise->sections; k++)
        {
            double b0 = noise->b0[k], b1 = noise->b1[k], a1 = noise->a1[k];
            power *= (b0 * b0 + b1 * b1 + 2 * b0 * b1 * c) / (1 + a1 * a1 + 2 * a1 * c);
        }
        sum += power;
    }
    return sum / POINTS * (high - low) / (0.5 * rate_hz);
}

twNoise tw_noise(double beta, double rate_hz, uint64_t seed)
{
    twNoise noise = {.rng = tw_rng(seed), .gain = 1};
    beta = beta > 2 ? 2 : beta > -2 ? beta : -2;
    if (!(rate_hz > 4 * NOISE_LOW_HZ)) return noise;
    if (rate_hz > NOISE_MAX_RATE) rate_hz = NOISE_MAX_RATE;
    double high = fmin(NOISE_HIGH_HZ, 0.45 * rate_hz);
    noise.sections = beta == 0 ? 0 : TW_NOISE_SECTIONS;
    // one section beyond each end of the band
    double ratio = pow(high / NOISE_LOW_HZ, 1.0 / (TW_NOISE_SECTIONS - 2));
    for (int k = 0; k < noise.sections; k++)
    {
        double centre = NOISE_LOW_HZ * pow(ratio, k - 0.5), spread = pow(ratio, 0.25 * beta);
        noise_section(&noise, k, centre / spread, centre * spread, rate_hz);
    }
    // the same density at any rate: a low rate holds only its part of the band
    double part = band_power(beta, NOISE_LOW_HZ, high) / band_power(beta, NOISE_LOW_HZ, NOISE_HIGH_HZ);
    noise.gain = sqrt(part / noise_power(&noise, NOISE_LOW_HZ, high, rate_hz));
    return noise;
}

double tw_noise_next(twNoise* noise)
{
    double x = noise->gain * tw_rng_normal(&noise->rng);
    for (int k = 0; k < noise->sections; k++)
    {
        double y = noise->b0[k] * x + noise->state[k];
        noise->state[k] = noise->b1[k] * x - noise->a1[k] * y;
        x = y;
    }
    return x;
}
