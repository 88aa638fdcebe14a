// SPDX-License-Identifier: MIT
// What the text of Hauser et al. 2003 says of oscillators: steps of any length are exact, modes may be over-damped.

#include "reproduce_deform.h"

enum
{
    COUNT = 6
};
static const double freq_hz[COUNT] = {0.5, 3, 17, 60, 200, 440};

static twStatus steps(CliReport* report, twError* err)
{
    twOscillators *one = NULL, *many = NULL;
    const double decay[COUNT] = {0.1, 1, 2, 3, 2, 1};
    double rate[COUNT], a[2][COUNT], v[2][COUNT], largest = 0;
    for (int k = 0; k < COUNT; k++) rate[k] = 2 * TW_PI * freq_hz[k];
    twStatus status = tw_oscillators_create(&one, COUNT, freq_hz, decay, err);
    if (status == TW_OK) status = tw_oscillators_create(&many, COUNT, freq_hz, decay, err);
    if (status == TW_OK)
    {
        tw_oscillators_set(one, NULL, rate);
        tw_oscillators_set(many, NULL, rate);
        tw_oscillators_advance(one, 1);
        for (int i = 0; i < 1000; i++) tw_oscillators_advance(many, 1e-3);
        tw_oscillators_get(one, a[0], v[0]);
        tw_oscillators_get(many, a[1], v[1]);
        // amplitudes begin with 1; against what is left of them
        for (int k = 0; k < COUNT; k++)
            largest = fmax(largest, hypot(a[0][k] - a[1][k], (v[0][k] - v[1][k]) / rate[k]) / exp(-decay[k]));
        cli_report_row(report, 0, largest, 1e-10, "one step of 1 s beside 1000 of 1 ms: largest difference");
    }
    tw_oscillators_destroy(one);
    tw_oscillators_destroy(many);
    return status;
}

// amplitude after an impulse of 1, equations (5) to (11)
static double theory(double w, double c, double t)
{
    if (c > w) return exp(-c * t) * sinh(sqrt(c * c - w * w) * t) / sqrt(c * c - w * w);
    if (c < w) return exp(-c * t) * sin(sqrt(w * w - c * c) * t) / sqrt(w * w - c * c);
    return t * exp(-c * t);
}

static twStatus damped(CliReport* report, twError* err)
{
    static const double shares[] = {0.1, 1, 5};  // decay over angular frequency
    static const char* const names[] = {"under-damped", "critically damped", "over-damped"};
    for (int i = 0; i < 3; i++)
    {
        twOscillators* modes = NULL;
        const double hz = 10, w = 2 * TW_PI * hz, c = shares[i] * w, t = 0.02, one = 1;
        double a;
        const twStatus status = tw_oscillators_create(&modes, 1, &hz, &c, err);
        if (status != TW_OK) return status;
        tw_oscillators_impulse(modes, &one);
        for (int k = 0; k < 20; k++) tw_oscillators_advance(modes, t / 20);
        tw_oscillators_get(modes, &a, NULL);
        tw_oscillators_destroy(modes);
        const double right = theory(w, c, t);
        cli_report_row(report, right, a, 1e-12 * fabs(right), "%s: amplitude 20 ms after a blow, closed form",
                       names[i]);
    }
    return TW_OK;
}

twStatus deform_claims(CliReport* report, twError* err)
{
    cli_report_heading(report, "Sections 3.1 and 3.3: oscillators");
    const twStatus status = steps(report, err);
    return status == TW_OK ? damped(report, err) : status;
}
