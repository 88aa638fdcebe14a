// SPDX-License-Identifier: MIT
// What air takes, against the table of ISO 9613-2 (made by ISO 9613-1), and what ears make of it.
#include "ear.h"

// dB per kilometre at 63 Hz to 8 kHz (ISO 9613-2, table 2)
static const double BANDS[8] = {63, 125, 250, 500, 1000, 2000, 4000, 8000};
static const struct
{
    double temperature, humidity, loss[8];
} ISO[] = {{10, 70, {0.1, 0.4, 1.0, 1.9, 3.7, 9.7, 32.8, 117}},   {20, 70, {0.1, 0.3, 1.1, 2.8, 5.0, 9.0, 22.9, 76.6}},
           {30, 70, {0.1, 0.3, 1.0, 3.1, 7.4, 12.7, 23.1, 59.3}}, {15, 20, {0.3, 0.6, 1.2, 2.7, 8.2, 28.2, 88.8, 202}},
           {15, 50, {0.1, 0.5, 1.2, 2.2, 4.2, 10.8, 36.2, 129}},  {15, 80, {0.1, 0.3, 1.1, 2.4, 4.1, 8.3, 23.7, 82.8}}};

static int absorption_is_that_of_the_standard(void)
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 8; k++)
        {
            // the bands' exact middles are powers of 10^0.3
            double f = 1000 * pow(10, 0.3 * (k - 4)), loss = ISO[i].loss[k];
            ENSURE_NEAR(f, BANDS[k], 0.02 * f);
            double a = 1000 * tw_air_absorption(f, ISO[i].temperature, ISO[i].humidity, 101.325);
            ENSURE_NEAR(a, loss, 0.051 + 0.006 * loss);
        }
    return 0;
}

static double gain_of_air(double rate_hz, double r, double f, double temperature, double humidity)
{
    static float heard[24000];
    twEarDef def = tw_ear_def();
    def.rate_hz = rate_hz;
    def.air_absorption = true;
    def.temperature = temperature;
    def.humidity = humidity;
    twEar* ear = create_ear(def);
    int first = (int)(r / SPEED * rate_hz) + 500;
    hear_tone(ear, 1, rate_hz, f, &(Way){.place = {r, 0, 0}}, NULL, 0, heard, first + 2000);
    tw_ear_destroy(ear);
    double complex p = ear_tone(heard, 1, 0, first, first + 2000, f, rate_hz);
    // the filter adds no delay beyond the latency that is told
    if (fabs(carg(p * cexp(I * 2 * TW_PI * f * r / SPEED))) > 1e-2) return NAN;
    return 20 * log10(cabs(p) * r);
}

static int ears_hear_absorption_within_half_a_decibel(void)
{
    for (int i = 0; i < 6; i++)
        for (double r = 0.5; r < 100; r *= 4.9)
            for (double f = 100; f < 10001; f *= 10)
            {
                double exact = -r * tw_air_absorption(f, ISO[i].temperature, ISO[i].humidity, 101.325);
                ENSURE_NEAR(gain_of_air(i % 2 ? 48000 : 44100, r, f, ISO[i].temperature, ISO[i].humidity), exact, 0.5);
            }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(absorption_is_that_of_the_standard)
    RUN(ears_hear_absorption_within_half_a_decibel)
)
