// SPDX-License-Identifier: MIT
// Modes, and the bank against closed forms and conservation laws.
#include "bank.h"

static const char* const VARIANTS[] = {"generic", "avx2", "avx512"};
enum
{
    VARIANT_COUNT = 3
};

// ---- modes ----

static int modes_copy_what_they_are_given(void)
{
    double freq[] = {100, 200}, decay[] = {1, 2}, mass[] = {3, 4}, shape[] = {1, 2, 3, 4}, pickup[] = {5, 6};
    twModesDef def = {2, freq, decay, mass, 2, shape, 1, pickup};
    twModes* modes = NULL;
    ENSURE(tw_modes_create(&modes, &def, NULL) == TW_OK);
    freq[1] = decay[1] = mass[1] = shape[3] = pickup[1] = -1;
    ENSURE(modes->mode_count == 2 && modes->point_count == 2 && modes->pickup_count == 1);
    ENSURE(modes->freq_hz[1] == 200 && modes->decay[1] == 2 && modes->mass[1] == 4);
    ENSURE(modes->shape[3] == 4 && modes->pickup[1] == 6);
    tw_modes_destroy(modes);
    return 0;
}

static int modes_default_to_unit_mass_no_decay_and_the_first_points_shape(void)
{
    double freq[] = {100, 200}, shape[] = {7, 8, 9, 10};
    twModesDef def = tw_modes_def();
    def.mode_count = 2, def.freq_hz = freq, def.point_count = 2, def.shape = shape, def.pickup_count = 2;
    twModes* modes = NULL;
    ENSURE(tw_modes_create(&modes, &def, NULL) == TW_OK);
    ENSURE(modes->mass[0] == 1 && modes->decay[1] == 0);
    ENSURE(modes->pickup[0] == 7 && modes->pickup[1] == 8 && modes->pickup[2] == 7 && modes->pickup[3] == 8);
    tw_modes_destroy(modes);
    tw_modes_destroy(NULL);
    return 0;
}

static int expect_modes_error(const twModesDef* def, const char* text)
{
    twError err = {0};
    twModes* modes = (twModes*)&err;
    ENSURE(tw_modes_create(&modes, def, &err) == TW_BAD_INPUT);
    ENSURE(modes == NULL && err.status == TW_BAD_INPUT);
    ENSURE_TEXT(err.text, text);
    return 0;
}

static int bad_modes_are_named(void)
{
    double freq[] = {100, 200}, wrong[] = {1, -2}, broken[] = {1, NAN};
    twModesDef good = {2, freq, NULL, NULL, 1, NULL, 1, NULL}, def = good;
    def.freq_hz = wrong;
    ENSURE(!expect_modes_error(&def, "mode 1: frequency -2 Hz must be 0 or more and finite"));
    def = good, def.decay = wrong;
    ENSURE(!expect_modes_error(&def, "mode 1: decay -2 1/s must be 0 or more and finite"));
    def = good, def.mass = wrong;
    ENSURE(!expect_modes_error(&def, "mode 1: mass -2 kg must be positive and finite"));
    def = good, def.shape = broken;
    ENSURE(!expect_modes_error(&def, "mode 1: the weight at point 0 is not a finite number"));
    def = good, def.pickup = broken;
    ENSURE(!expect_modes_error(&def, "mode 1: the weight at pickup 0 is not a finite number"));
    def = good, def.mode_count = 1000000000;
    ENSURE(!expect_modes_error(&def, "1000000000 modes: the count must be between 0 and 16777216"));
    def = good, def.mode_count = -1;
    ENSURE(!expect_modes_error(&def, "-1 modes: the count must be between 0 and 16777216"));
    def = good, def.point_count = 2147483647;
    ENSURE(!expect_modes_error(
        &def, "2147483647 points of 2 modes: give at least one point and at most 268435456 shape values"));
    def = good, def.pickup_count = 0;
    ENSURE(!expect_modes_error(&def, "0 pickups of 2 modes: give at least one pickup and at most 268435456 weights"));
    def = good, def.freq_hz = NULL;
    ENSURE(!expect_modes_error(&def, "2 modes have no frequencies: set freq_hz"));
    return 0;
}

// ---- closed forms ----

static int impulse_response_is_the_closed_form(void)
{
    static const double freq[] = {20, 440, 3000, 15000, 22000}, decay[] = {0, 2, 50, 400, 10};
    double force[1] = {1};
    for (int k = 0; k < 5; k++)
    {
        double mass = 0.02, *out = zeros(SECOND), error = 0, unit = 1 / (mass * 2 * PI * freq[k] * RATE);
        twModes* modes = make_modes(1, &freq[k], &decay[k], &mass);
        twBank* bank = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL);
        run(bank, force, out, 1, 1);
        run(bank, NULL, out + 1, SECOND - 1, 512);
        for (int i = 0; i < SECOND; i++) error = fmax(error, fabs(out[i] - exact(freq[k], decay[k], mass, i)) / unit);
        // where long double is double, the rounding of the pole shows
        ENSURE_NEAR(error, 0, LDBL_EPSILON < DBL_EPSILON ? 1e-12 : 2e-11);
        tw_bank_destroy(bank);
        tw_modes_destroy(modes);
        free(out);
    }
    return 0;
}

static int float_keeps_80_db_down_to_20_hz(void)
{
    static const double freq[] = {20, 47, 440, 5000, 18000}, decay[] = {0, 3};
    for (int v = 0; v < VARIANT_COUNT; v++)
        for (int k = 0; k < 10; k++)
        {
            double f = freq[k / 2], c = decay[k % 2], mass = 1, *out = zeros(SECOND), *reference = zeros(SECOND);
            twModes* modes = make_modes(1, &f, &c, &mass);
            twBank* bank = single(modes, TW_FLOAT, TW_DISPLACEMENT, VARIANTS[v]);
            if (bank)
            {
                tw_bank_impulse(bank, 0, 0, 1 / RATE);
                run(bank, NULL, out, SECOND, 64);
                for (int i = 0; i < SECOND; i++) reference[i] = exact(f, c, mass, i);
                ENSURE(snr_db(reference, out, SECOND) > 80);
            }
            tw_bank_destroy(bank);
            tw_modes_destroy(modes);
            free(out);
            free(reference);
        }
    return 0;
}

static int float_keeps_pitch_and_level_for_a_minute(void)
{
    double freq = 440, *out = zeros(SECOND), *reference = zeros(SECOND);
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank* bank = single(modes, TW_FLOAT, TW_DISPLACEMENT, NULL);
    tw_bank_impulse(bank, 0, 0, 1 / RATE);
    for (int s = 0; s < 60; s++)
    {
        memset(out, 0, SECOND * sizeof *out);
        run(bank, NULL, out, SECOND, 4096);
    }
    for (int i = 0; i < SECOND; i++) reference[i] = exact(freq, 0, 1, 59 * SECOND + i);
    ENSURE(snr_db(reference, out, SECOND) > 60);
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    free(out);
    free(reference);
    return 0;
}

static int velocity_is_the_derivative(void)
{
    double freq = 300, decay = 40, mass = 0.5, out[2000] = {0}, w0 = 2 * PI * freq, w = sqrt(w0 * w0 - decay * decay);
    twModes* modes = make_modes(1, &freq, &decay, &mass);
    for (int precision = 0; precision < 2; precision++)
    {
        twBank* bank = single(modes, precision ? TW_DOUBLE : TW_FLOAT, TW_VELOCITY, NULL);
        memset(out, 0, sizeof out);
        tw_bank_impulse(bank, 0, 0, mass);
        run(bank, NULL, out, 2000, 100);
        for (int i = 0; i < 2000; i++)
        {
            double t = i / RATE, v = exp(-decay * t) * (cos(w * t) - decay / w * sin(w * t));
            ENSURE_NEAR(out[i], v, precision ? 1e-12 : 1e-5);
        }
        tw_bank_destroy(bank);
    }
    tw_modes_destroy(modes);
    return 0;
}

static int rigid_mass_under_constant_force_follows_the_parabola(void)
{
    enum
    {
        N = 1000
    };
    double mass = 0.3, in[N], out[N];
    float in_float[N], out_float[N] = {0};
    for (int i = 0; i < N; i++) in[i] = 2, in_float[i] = 2;
    twModes* modes = NULL;
    ENSURE(tw_modes_rigid(&modes, mass, NULL) == TW_OK);
    twBank *bank = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL),
           *low = single(modes, TW_FLOAT, TW_DISPLACEMENT, NULL);
    memset(out, 0, sizeof out);
    run(bank, in, out, N, 64);
    tw_bank_process(low, (const float*[]){in_float}, (float*[]){out_float}, N);
    // impulses f/rate at 0 .. n-1: the sum of (n - k) h
    for (int n = 0; n < N; n++)
    {
        double x = 2 / (mass * RATE * RATE) * 0.5 * n * (n + 1.0);
        ENSURE_NEAR(out[n], x, 1e-12 * out[N - 1]);
        ENSURE_NEAR((double)out_float[n], x, 1e-6 * x);
    }
    tw_bank_destroy(bank);
    tw_bank_destroy(low);
    tw_modes_destroy(modes);
    return 0;
}

// displacement and velocity after a unit impulse on unit mass, poles real
static double overdamped(double w0, double c, double t, bool velocity)
{
    double b = sqrt(c * c - w0 * w0), p = -w0 * w0 / (c + b), q = -(c + b);
    if (b == 0) return velocity ? (1 - c * t) * exp(-c * t) : t * exp(-c * t);
    return velocity ? (p * exp(p * t) - q * exp(q * t)) / (p - q) : (exp(p * t) - exp(q * t)) / (p - q);
}

static int modes_that_do_not_ring_are_exact(void)
{
    // damped rigid mass, overdamped, far overdamped, critical, so slow that float would fail
    static const double freq[] = {0, 100, 10, 50, 2}, decay[] = {30, 1000, 1e5, 100 * 3.14159265358979323846, 0};
    for (int k = 0; k < 5; k++)
        for (int mode = 0; mode < 4; mode++)
        {
            bool velocity = mode & 1, low = mode & 2;
            twModes* modes = make_modes(1, &freq[k], &decay[k], NULL);
            twBank* bank = single(modes, low ? TW_FLOAT : TW_DOUBLE, velocity ? TW_VELOCITY : TW_DISPLACEMENT, NULL);
            double out[3000] = {0}, w0 = 2 * PI * freq[k], size = 0;
            tw_bank_impulse(bank, 0, 0, 1);
            run(bank, NULL, out, 3000, 128);
            for (int i = 0; i < 3000; i++) size = fmax(size, fabs(out[i]));
            for (int i = 0; i < 3000; i++)
            {
                double t = i / RATE,
                       x = k == 4 ? (velocity ? cos(w0 * t) : sin(w0 * t) / w0) : overdamped(w0, decay[k], t, velocity);
                ENSURE_NEAR(out[i], x, (low ? 1e-6 : 1e-11) * size);
            }
            tw_bank_destroy(bank);
            tw_modes_destroy(modes);
        }
    return 0;
}

static int a_stopped_mass_stays_where_it_is(void)
{
    double freq[50] = {0}, decay[50], *out = zeros(2 * SECOND), rest = 0;
    for (int k = 0; k < 50; k++) decay[k] = 50 + 7.3 * k, rest += 1 / (2 * decay[k]);
    twModes* modes = make_modes(50, freq, decay, NULL);
    twBank* bank = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL);
    tw_bank_impulse(bank, 0, 0, 1);
    run(bank, NULL, out, 2 * SECOND, 1024);
    ENSURE_NEAR(out[SECOND], rest, 1e-13);
    ENSURE(out[2 * SECOND - 1] == out[SECOND]);
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    free(out);
    return 0;
}

static int energy_decays_as_exp_minus_2ct(void)
{
    double freq = 250, decay = 12, w0 = 2 * PI * freq, w2 = w0 * w0 - decay * decay, first = 0;
    double *x = zeros(SECOND), *v = zeros(SECOND);
    twModes* modes = make_modes(1, &freq, &decay, NULL);
    twBank *place = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL),
           *speed = single(modes, TW_DOUBLE, TW_VELOCITY, NULL);
    tw_bank_impulse(place, 0, 0, 1);
    tw_bank_impulse(speed, 0, 0, 1);
    run(place, NULL, x, SECOND, 1000);
    run(speed, NULL, v, SECOND, 1000);
    // (v + c q)^2 + w^2 q^2 falls without ripples
    for (int i = 0; i < SECOND; i++)
    {
        double e = (v[i] + decay * x[i]) * (v[i] + decay * x[i]) + w2 * x[i] * x[i];
        if (i == 0) first = e;
        ENSURE_NEAR(e / first * exp(2 * decay * i / RATE), 1, 1e-10);
    }
    tw_bank_destroy(place);
    tw_bank_destroy(speed);
    tw_modes_destroy(modes);
    free(x);
    free(v);
    return 0;
}

// ---- linearity ----

static int coupling_between_points_is_reciprocal(void)
{
    enum
    {
        N = 500
    };
    twRng rng = tw_rng(5);
    double freq[7], shape[14], ab[N] = {0}, ba[N] = {0};
    for (int k = 0; k < 7; k++) freq[k] = tw_rng_between(&rng, 100, 9000);
    for (int i = 0; i < 14; i++) shape[i] = tw_rng_between(&rng, -1, 1);
    twModesDef def = {7, freq, NULL, NULL, 2, shape, 2, shape};
    twModes* modes = NULL;
    ENSURE(tw_modes_create(&modes, &def, NULL) == TW_OK);
    twBankObject object = tw_bank_object(modes);
    object.input_count = object.output_count = 2;
    twBank* bank = make_bank(&object, 1, TW_DOUBLE, NULL);
    tw_bank_impulse(bank, 0, 0, 1);
    tw_bank_process_double(bank, NULL, (double*[]){NULL, ab}, N);
    tw_bank_reset(bank);
    tw_bank_impulse(bank, 0, 1, 1);
    tw_bank_process_double(bank, NULL, (double*[]){ba, NULL}, N);
    for (int i = 0; i < N; i++) ENSURE_NEAR(ab[i], ba[i], 1e-13 * peak(ab, N));
    ENSURE(peak(ab, N) > 0);
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static int output_is_the_convolution_of_force_and_closed_form(void)
{
    enum
    {
        N = 700
    };
    twRng rng = tw_rng(6);
    double freq[] = {130, 2100, 9000}, decay[] = {5, 60, 300}, mass[] = {1, 0.1, 0.5}, in[N], out[N] = {0};
    noise(&rng, in, N);
    twModes* modes = make_modes(3, freq, decay, mass);
    twBank* bank = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL);
    run(bank, in, out, N, 33);
    for (int i = 0; i < N; i++)
    {
        double y = 0;
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < 3; k++) y += in[j] * exact(freq[k], decay[k], mass[k], i - j);
        ENSURE_NEAR(out[i], y, 1e-12 * peak(out, N));
    }
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

enum
{
    STREAMS = 4,
    STREAM_N = 300
};

// an object with several inputs and outputs, in reverse order, against all its single pairs; a ramp from weights to
// themselves must change nothing
static int check_streams(int inputs, int outputs, twQuantity quantity, bool ramp, const char* variant)
{
    twRng rng = tw_rng(7);
    double in[STREAMS][STREAM_N], out[STREAMS][STREAM_N] = {{0}}, sum[STREAMS][STREAM_N] = {{0}};
    const double* ins[STREAMS];
    double* outs[STREAMS];
    int point[STREAMS], pickup[STREAMS];
    twModes* modes = random_modes(&rng, 70, STREAMS, STREAMS);
    for (int i = 0; i < inputs; i++) noise(&rng, in[i], STREAM_N), point[i] = inputs - 1 - i, ins[i] = in[point[i]];
    for (int j = 0; j < outputs; j++) pickup[j] = outputs - 1 - j, outs[j] = out[pickup[j]];
    twBankObject object = {modes, inputs, point, outputs, pickup, quantity};
    twBank* bank = make_bank(&object, 1, TW_DOUBLE, variant);
    if (ramp) tw_bank_set_input_weights(bank, 0, 0, modes->shape + (size_t)point[0] * 70);
    if (ramp) tw_bank_set_output_weights(bank, 0, outputs - 1, modes->pickup);
    tw_bank_process_double(bank, ins, outs, STREAM_N);
    tw_bank_destroy(bank);
    for (int k = 0; k < inputs * outputs; k++)
    {
        int i = k / outputs, j = k % outputs;
        twBankObject single_pair = {modes, 1, &i, 1, &j, quantity};
        bank = make_bank(&single_pair, 1, TW_DOUBLE, NULL);
        run(bank, in[i], sum[j], STREAM_N, STREAM_N);
        tw_bank_destroy(bank);
    }
    for (int j = 0; j < outputs; j++) ENSURE(snr_db(sum[j], out[j], STREAM_N) > 240);
    tw_modes_destroy(modes);
    return 0;
}

static int several_inputs_and_outputs_are_sums_of_single_ones(void)
{
    for (int i = 0; i < STREAMS * STREAMS * 4 * VARIANT_COUNT; i++)
    {
        int inputs = 1 + i % STREAMS, outputs = 1 + i / STREAMS % STREAMS, rest = i / STREAMS / STREAMS;
        const char* variant = VARIANTS[rest / 4];
        if (!tw_bank_variant(TW_DOUBLE, variant)) continue;
        ENSURE(!check_streams(inputs, outputs, rest & 1 ? TW_VELOCITY : TW_DISPLACEMENT, rest & 2, variant));
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(modes_copy_what_they_are_given)
    RUN(modes_default_to_unit_mass_no_decay_and_the_first_points_shape)
    RUN(bad_modes_are_named)
    RUN(impulse_response_is_the_closed_form)
    RUN(float_keeps_80_db_down_to_20_hz)
    RUN(float_keeps_pitch_and_level_for_a_minute)
    RUN(velocity_is_the_derivative)
    RUN(rigid_mass_under_constant_force_follows_the_parabola)
    RUN(modes_that_do_not_ring_are_exact)
    RUN(a_stopped_mass_stays_where_it_is)
    RUN(energy_decays_as_exp_minus_2ct)
    RUN(coupling_between_points_is_reciprocal)
    RUN(output_is_the_convolution_of_force_and_closed_form)
    RUN(several_inputs_and_outputs_are_sums_of_single_ones)
)
