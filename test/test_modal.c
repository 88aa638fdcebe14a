// SPDX-License-Identifier: MIT
// Modes and the resonator bank against closed forms, conservation laws and themselves cut up in other ways.
#include "modal/bank.h"
#include "test.h"
#include "twang/modal.h"
#include <float.h>
#include <stdlib.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static const double RATE = 44100, PI = 3.14159265358979323846;
static const char* const VARIANTS[] = {"generic", "avx2", "avx512"};
enum
{
    SECOND = 44100,
    VARIANT_COUNT = 3
};

// ---- helpers ----

static twModes* make_modes(int count, const double* freq_hz, const double* decay, const double* mass)
{
    twModesDef def = tw_modes_def();
    def.mode_count = count;
    def.freq_hz = freq_hz;
    def.decay = decay;
    def.mass = mass;
    twModes* modes = NULL;
    tw_modes_create(&modes, &def, NULL);
    return modes;
}

// random modes with several points and pickups
static twModes* random_modes(twRng* rng, int count, int points, int pickups)
{
    enum
    {
        MOST = 512
    };
    static double freq[MOST], decay[MOST], mass[MOST], shape[4 * MOST], pickup[4 * MOST];
    for (int k = 0; k < count; k++)
    {
        freq[k] = tw_rng_between(rng, 40, 18000);
        decay[k] = tw_rng_between(rng, 1, 200);
        mass[k] = tw_rng_between(rng, 1e-3, 1e-1);
    }
    for (int i = 0; i < 4 * MOST; i++)
    {
        shape[i] = tw_rng_between(rng, -1, 1);
        pickup[i] = tw_rng_between(rng, -1, 1);
    }
    twModesDef def = {count, freq, decay, mass, points, shape, pickups, pickup};
    twModes* modes = NULL;
    tw_modes_create(&modes, &def, NULL);
    return modes;
}

static twBank* make_bank(const twBankObject* objects, int count, twPrecision precision, const char* variant)
{
    twBankDef def = {RATE, precision, count, objects};
    twBank* bank = NULL;
    tw_bank_create_variant(&bank, &def, variant, NULL);
    return bank;
}

// a bank of one object with one input and output
static twBank* single(const twModes* modes, twPrecision precision, twQuantity quantity, const char* variant)
{
    twBankObject object = tw_bank_object(modes);
    object.quantity = quantity;
    return make_bank(&object, 1, precision, variant);
}

static double* zeros(int n) { return calloc((size_t)n, sizeof(double)); }

// one input, one output, in calls of a given length
static void run(twBank* bank, const double* in, double* out, int n, int block)
{
    for (int i = 0; i < n; i += block)
        tw_bank_process_double(bank, (const double*[]){in ? in + i : NULL}, (double*[]){out + i},
                               block < n - i ? block : n - i);
}

// displacement of one mode n samples after a unit force sample, in whatever precision long double has
static double exact(double freq_hz, double decay, double mass, int n)
{
    long double w0 = 2 * 3.14159265358979323846264338327950288L * freq_hz, c = decay, t = n / (long double)RATE;
    long double w = sqrtl((w0 - c) * (w0 + c));
    return (double)(expl(-c * t) * sinl(w * t) / (mass * w * RATE));
}

static double energy(const double* x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

static double error_energy(const double* x, const double* y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

static double snr_db(const double* reference, const double* x, int n)
{
    return 10 * log10(energy(reference, n) / (error_energy(reference, x, n) + DBL_MIN));
}

static double peak(const double* x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// greatest second difference: a click shows here
static double sharpness(const double* x, int n)
{
    double most = 0;
    for (int i = 2; i < n; i++) most = fmax(most, fabs(x[i] - 2 * x[i - 1] + x[i - 2]));
    return most;
}

static void noise(twRng* rng, double* x, int n)
{
    for (int i = 0; i < n; i++) x[i] = tw_rng_between(rng, -1, 1);
}

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

// ---- layout, variants, blocks ----

enum
{
    CROWD = 90,
    CROWD_N = 200
};

// objects of many sizes, mostly small, some silent at first, of two quantities
static int check_crowd(twPrecision precision, const char* variant, bool mixed)
{
    twRng rng = tw_rng(8);
    static double in[CROWD][CROWD_N], out[CROWD][CROWD_N], alone[CROWD][CROWD_N];
    const double* ins[CROWD];
    double* outs[CROWD];
    twBankObject object[CROWD];
    memset(out, 0, sizeof out);
    memset(alone, 0, sizeof alone);
    for (int i = 0; i < CROWD; i++)
    {
        int count = i % 11 == 0 ? 40 + i : i % 7;
        object[i] = tw_bank_object(random_modes(&rng, count, 1, 1));
        if (i % 5 == 0) object[i].quantity = TW_VELOCITY;
        noise(&rng, in[i], CROWD_N);
        ins[i] = i % 13 ? in[i] : NULL;
        outs[i] = out[mixed ? 0 : i];
    }
    twBank* bank = make_bank(object, CROWD, precision, variant);
    tw_bank_process_double(bank, ins, outs, CROWD_N);
    for (int i = 0; i < CROWD; i++)
    {
        twBank* one = make_bank(&object[i], 1, TW_DOUBLE, "generic");
        tw_bank_process_double(one, &ins[i], (double*[]){alone[mixed ? 0 : i]}, CROWD_N);
        tw_bank_destroy(one);
        tw_modes_destroy((twModes*)object[i].modes);
    }
    for (int i = 0; i < (mixed ? 1 : CROWD); i++)
    {
        if (energy(alone[i], CROWD_N) == 0)
            ENSURE(energy(out[i], CROWD_N) == 0);
        else
            ENSURE(snr_db(alone[i], out[i], CROWD_N) > (precision == TW_FLOAT ? 100 : 240));
    }
    tw_bank_destroy(bank);
    return 0;
}

static int many_objects_in_one_bank_equal_each_alone_in_all_variants(void)
{
    for (int v = 0; v < VARIANT_COUNT; v++)
        for (int i = 0; i < 4 && tw_bank_variant(TW_FLOAT, VARIANTS[v]); i++)
            ENSURE(!check_crowd(i & 1 ? TW_DOUBLE : TW_FLOAT, VARIANTS[v], i & 2));
    return 0;
}

static int small_objects_share_vectors(void)
{
    double freq[3] = {100, 200, 300};
    twModes* modes = make_modes(3, freq, NULL, NULL);
    twBankObject object[100];
    for (int i = 0; i < 100; i++) object[i] = tw_bank_object(modes);
    twBank* bank = make_bank(object, 100, TW_FLOAT, "generic");
    int vectors = 0, lanes = bank->variant->lanes;
    for (int i = 0; i < bank->group_count; i++) vectors += bank->groups[i].vectors;
    ENSURE(vectors * lanes >= 300 && vectors * lanes <= 330);
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static int block_size_does_not_matter(void)
{
    enum
    {
        N = 3000
    };
    static const int block[] = {1, 7, 63, 64, 65, 200, 1000};
    twRng rng = tw_rng(9);
    double in[N], reference[N] = {0}, out[N];
    noise(&rng, in, N);
    twModes* modes = random_modes(&rng, 50, 1, 1);
    for (int precision = 0; precision < 2; precision++)
    {
        twBank* bank = single(modes, precision ? TW_DOUBLE : TW_FLOAT, TW_DISPLACEMENT, NULL);
        memset(reference, 0, sizeof reference);
        run(bank, in, reference, N, N);
        for (int b = 0; b < 7; b++)
        {
            memset(out, 0, sizeof out);
            tw_bank_reset(bank);
            run(bank, in, out, N, block[b]);
            ENSURE(snr_db(reference, out, N) > (precision ? 240 : 100));
        }
        tw_bank_destroy(bank);
    }
    tw_modes_destroy(modes);
    return 0;
}

static int float_and_double_calls_agree(void)
{
    enum
    {
        N = 150
    };
    twRng rng = tw_rng(10);
    double in[N], out[N];
    float in_float[N], out_float[N];
    noise(&rng, in, N);
    for (int i = 0; i < N; i++) in_float[i] = (float)in[i], in[i] = (double)in_float[i];
    twModes* modes = random_modes(&rng, 20, 1, 1);
    for (int precision = 0; precision < 2; precision++)
    {
        twBank* bank = single(modes, precision ? TW_DOUBLE : TW_FLOAT, TW_DISPLACEMENT, NULL);
        // outputs are added to what is there
        for (int i = 0; i < N; i++) out[i] = out_float[i] = 0.25f;
        run(bank, in, out, N, N);
        tw_bank_reset(bank);
        tw_bank_process(bank, (const float*[]){in_float}, (float*[]){out_float}, N);
        for (int i = 0; i < N; i++) ENSURE_NEAR((double)out_float[i], out[i], 1e-7);
        ENSURE(out[N - 1] != 0.25);
        tw_bank_destroy(bank);
    }
    tw_modes_destroy(modes);
    return 0;
}

static int reset_brings_back_the_start_to_the_bit(void)
{
    enum
    {
        N = 400
    };
    twRng rng = tw_rng(11);
    double in[N], first[N] = {0}, again[N] = {0}, silent[N] = {0}, freq[] = {0, 50, 500}, decay[] = {0, 400, 5};
    noise(&rng, in, N);
    twModes* modes = make_modes(3, freq, decay, NULL);
    twBank* bank = single(modes, TW_FLOAT, TW_DISPLACEMENT, NULL);
    run(bank, in, first, N, N);
    tw_bank_impulse(bank, 0, 0, 5);
    tw_bank_reset(bank);
    run(bank, NULL, silent, N, N);
    run(bank, in, again, N, N);
    ENSURE(energy(silent, N) == 0 && energy(first, N) > 0);
    ENSURE(memcmp(first, again, sizeof first) == 0);
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static int an_impulse_is_a_force_sample_times_the_sample_time(void)
{
    enum
    {
        N = 100
    };
    double freq = 1000, in[N] = {RATE * 0.5}, a[N] = {0}, b[N] = {0};
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank *struck = single(modes, TW_DOUBLE, TW_VELOCITY, NULL), *forced = single(modes, TW_DOUBLE, TW_VELOCITY, NULL);
    tw_bank_impulse(struck, 0, 0, 0.25);
    tw_bank_impulse(struck, 0, 0, 0.25);
    run(struck, NULL, a, N, N);
    run(forced, in, b, N, N);
    ENSURE_NEAR(a[0], 0.5, 1e-12);
    for (int i = 0; i < N; i++) ENSURE_NEAR(a[i], b[i], 1e-12);
    tw_bank_destroy(struck);
    tw_bank_destroy(forced);
    tw_modes_destroy(modes);
    return 0;
}

// ---- changes ----

// A mode at 440 Hz rings with amplitude 1 and is driven at 100 Hz to about as much again; change(), if any, is called
// half way. Returns the greatest second difference.
static double change_sharpness(twQuantity quantity, twPrecision precision, int block, void (*change)(twBank* bank),
                               double* out)
{
    enum
    {
        N = 4096
    };
    double freq = 440, w = 2 * PI * freq, scale = quantity == TW_VELOCITY ? 1 / w : 1, in[N];
    for (int i = 0; i < N; i++) in[i] = scale * w * w * sin(2 * PI * 100 * i / RATE);
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank* bank = single(modes, precision, quantity, NULL);
    tw_bank_impulse(bank, 0, 0, scale * w);
    memset(out, 0, N * sizeof *out);
    run(bank, in, out, N / 2, block);
    if (change) change(bank);
    run(bank, in + N / 2, out + N / 2, N / 2, block);
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return sharpness(out + 2, N - 2);
}

static void lower_output(twBank* bank) { tw_bank_set_output_weights(bank, 0, 0, (double[]){0.2}); }
static void flip_input(twBank* bank) { tw_bank_set_input_weights(bank, 0, 0, (double[]){-0.5}); }
static void raise_pitch(twBank* bank) { tw_bank_set_modes(bank, 0, (double[]){466.16}, NULL); }
static void damp(twBank* bank) { tw_bank_set_modes(bank, 0, NULL, (double[]){50}); }
static void damp_more(twBank* bank) { tw_bank_set_extra_decay(bank, 0, (double[]){50}); }

static int changes_do_not_click(void)
{
    // a plain jump of a weight, frequency or decay would show as a second difference of about 1 in what it acts on
    void (*const change[])(twBank*) = {lower_output, flip_input, raise_pitch, damp, damp_more};
    double out[4096];
    for (int i = 0; i < 5 * 2 * 2 * 2; i++)
    {
        twQuantity quantity = i & 1 ? TW_VELOCITY : TW_DISPLACEMENT;
        twPrecision precision = i & 2 ? TW_DOUBLE : TW_FLOAT;
        int block = i & 4 ? 256 : 1;
        double calm = change_sharpness(quantity, precision, block, NULL, out);
        double changed = change_sharpness(quantity, precision, block, change[i / 8], out);
        ENSURE(calm < 0.01 && changed < calm + 0.02);
        ENSURE(isfinite(peak(out, 4096)));
    }
    return 0;
}

// out / reference at sample i of a ramp, and its length
static int check_ramp(double freq, twPrecision precision, int length, int block)
{
    enum
    {
        N = 500
    };
    double ramped[N] = {0}, plain[N] = {0}, skip[N] = {0};
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank *a = single(modes, precision, TW_DISPLACEMENT, NULL), *b = single(modes, precision, TW_DISPLACEMENT, NULL);
    tw_bank_impulse(a, 0, 0, 1), run(a, NULL, skip, N, block);
    tw_bank_impulse(b, 0, 0, 1), run(b, NULL, skip, N, block);
    // the second call finds the first ramp at its start
    tw_bank_set_output_weights(a, 0, 0, (double[]){9});
    tw_bank_set_output_weights(a, 0, 0, (double[]){3});
    run(a, NULL, ramped, N, block);
    run(b, NULL, plain, N, block);
    for (int i = 0; i < N; i++)
    {
        double weight = 1 + 2 * fmin(1, (i + 1) / (double)length);
        ENSURE_NEAR(ramped[i], weight * plain[i], (precision == TW_FLOAT ? 1e-5 : 1e-13) * peak(plain, N));
    }
    tw_bank_destroy(a);
    tw_bank_destroy(b);
    tw_modes_destroy(modes);
    return 0;
}

static int weights_ramp_over_the_next_block(void)
{
    for (int i = 0; i < 4; i++)
    {
        // a ringing mode and a rigid mass
        double freq = i & 1 ? 440 : 0;
        twPrecision precision = i & 2 ? TW_FLOAT : TW_DOUBLE;
        ENSURE(!check_ramp(freq, precision, 200, 200));
        ENSURE(!check_ramp(freq, precision, 64, 64));
        ENSURE(!check_ramp(freq, precision, 64, 10));
        ENSURE(!check_ramp(freq, precision, 64, 1));
    }
    return 0;
}

static int a_ramp_cut_short_goes_on_from_where_it_is(void)
{
    enum
    {
        N = 200,
        CUT = 40
    };
    double freq[] = {3000, 0}, ramped[N] = {0}, plain[N] = {0};
    for (int k = 0; k < 2; k++)
    {
        memset(ramped, 0, sizeof ramped);
        memset(plain, 0, sizeof plain);
        twModes* modes = make_modes(1, &freq[k], NULL, NULL);
        twBank *a = single(modes, TW_DOUBLE, TW_VELOCITY, NULL), *b = single(modes, TW_DOUBLE, TW_VELOCITY, NULL);
        tw_bank_impulse(a, 0, 0, 1), tw_bank_impulse(b, 0, 0, 1);
        tw_bank_set_output_weights(a, 0, 0, (double[]){65});
        run(a, NULL, ramped, CUT, CUT);
        tw_bank_set_output_weights(a, 0, 0, (double[]){0});
        run(a, NULL, ramped + CUT, N - CUT, 20);
        run(b, NULL, plain, N, N);
        for (int i = 0; i < N; i++)
        {
            double weight = i < CUT ? 1 + (i + 1) : (1 + CUT) * fmax(0, 1 - (i - CUT + 1) / 64.0);
            ENSURE_NEAR(ramped[i], weight * plain[i], 1e-11);
        }
        tw_bank_destroy(a);
        tw_bank_destroy(b);
        tw_modes_destroy(modes);
    }
    return 0;
}

static int weights_reach_their_new_values(void)
{
    enum
    {
        N = 512
    };
    double freq = 700, in[N], out[N] = {0}, reference[N] = {0};
    twRng rng = tw_rng(12);
    for (int precision = 0; precision < 2; precision++)
        for (int several = 0; several < 2; several++)
        {
            twModes* modes = make_modes(1, &freq, NULL, NULL);
            twBankObject object[] = {tw_bank_object(modes), tw_bank_object(modes), tw_bank_object(modes)};
            twBank* bank = make_bank(object, several ? 3 : 1, precision ? TW_DOUBLE : TW_FLOAT, NULL);
            twBank* plain = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL);
            noise(&rng, in, N);
            memset(out, 0, sizeof out);
            memset(reference, 0, sizeof reference);
            const double* ins[] = {NULL, NULL, NULL};
            double* outs[] = {NULL, NULL, NULL};
            int last = several ? 2 : 0;
            tw_bank_set_input_weights(bank, last, 0, (double[]){0});
            tw_bank_set_input_weights(bank, last, 0, (double[]){2});
            tw_bank_set_output_weights(bank, last, 0, (double[]){-3});
            tw_bank_process_double(bank, ins, outs, 100);
            ins[last] = in, outs[last] = out;
            tw_bank_process_double(bank, ins, outs, N);
            run(plain, in, reference, N, N);
            for (int i = 0; i < N; i++) reference[i] *= -6;
            ENSURE(snr_db(reference, out, N) > (precision ? 240 : 100));
            tw_bank_destroy(bank);
            tw_bank_destroy(plain);
            tw_modes_destroy(modes);
        }
    return 0;
}

static int new_input_weights_leave_the_ringing_alone(void)
{
    enum
    {
        N = 600
    };
    double freq[] = {300, 900}, a[N] = {0}, b[N] = {0};
    twModes* modes = make_modes(2, freq, NULL, NULL);
    twBank *changed = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL),
           *left = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL);
    twBank* both[] = {changed, left};
    for (int i = 0; i < 2; i++) tw_bank_impulse(both[i], 0, 0, 1), run(both[i], NULL, i ? b : a, N / 2, 50);
    tw_bank_set_input_weights(changed, 0, 0, (double[]){0, 7});
    for (int i = 0; i < 2; i++) run(both[i], NULL, (i ? b : a) + N / 2, N / 2, 50);
    ENSURE(snr_db(b, a, N) > 240);
    tw_bank_destroy(changed);
    tw_bank_destroy(left);
    tw_modes_destroy(modes);
    return 0;
}

static int a_mode_without_input_weight_can_get_one(void)
{
    double freq = 900, zero = 0, one = 1, out[64] = {0};
    twModesDef def = {1, &freq, NULL, NULL, 1, &zero, 1, &one};
    twModes* modes = NULL;
    ENSURE(tw_modes_create(&modes, &def, NULL) == TW_OK);
    twBank* bank = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL);
    run(bank, (double[]){1}, out, 1, 1);
    tw_bank_set_output_weights(bank, 0, 0, (double[]){3});
    tw_bank_set_input_weights(bank, 0, 0, &one);
    // the first sample of the ramp gets 1/64 of the input weight; the output weight goes from 1 to 3
    tw_bank_impulse(bank, 0, 0, 64 / RATE);
    run(bank, NULL, out, 64, 64);
    for (int i = 0; i < 64; i++)
        ENSURE_NEAR(out[i], (1 + (i + 1) / 32.0) * exact(freq, 0, 1, i), 1e-12 * peak(out, 64));
    // a reset ends a ramp
    tw_bank_set_output_weights(bank, 0, 0, (double[]){5});
    tw_bank_reset(bank);
    memset(out, 0, sizeof out);
    tw_bank_impulse(bank, 0, 0, 1 / RATE);
    run(bank, NULL, out, 64, 64);
    for (int i = 0; i < 64; i++) ENSURE_NEAR(out[i], 5 * exact(freq, 0, 1, i), 1e-12 * peak(out, 64));
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static int a_new_frequency_keeps_displacement_and_amplitude(void)
{
    enum
    {
        N = 2000,
        CUT = 1000
    };
    double freq = 440, higher = 700, w = 2 * PI * higher / RATE, out[N] = {0};
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank* bank = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL);
    tw_bank_impulse(bank, 0, 0, 2 * PI * freq);
    run(bank, NULL, out, CUT, 64);
    tw_bank_set_modes(bank, 0, &higher, NULL);
    run(bank, NULL, out + CUT, N - CUT, 64);
    // a sine of amplitude 1 that goes on from the phase it had, at the new frequency
    double phase = 2 * PI * freq / RATE * (CUT - 1);
    for (int i = 0; i < N; i++)
        ENSURE_NEAR(out[i], i < CUT ? sin(2 * PI * freq / RATE * i) : sin(phase + w * (i - CUT + 1)), 1e-10);
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static int wild_frequency_changes_cannot_make_a_mode_grow(void)
{
    enum
    {
        N = 64
    };
    twRng rng = tw_rng(13);
    double freq = 440, out[N];
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank* bank = single(modes, TW_FLOAT, TW_DISPLACEMENT, NULL);
    tw_bank_impulse(bank, 0, 0, 2 * PI * freq);
    for (int block = 0; block < 5000; block++)
    {
        memset(out, 0, sizeof out);
        run(bank, NULL, out, N, N);
        ENSURE(peak(out, N) < 1.001);
        freq = tw_rng_between(&rng, 50, 20000);
        tw_bank_set_modes(bank, 0, &freq, NULL);
    }
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static int extra_decay_gives_the_product_decay(void)
{
    enum
    {
        N = 2000
    };
    double freq[] = {300, 2000, 10}, decay[] = {3, 20, 500}, extra[] = {40, 100, 70}, with[N] = {0},
           without[3][N] = {{0}};
    twModes* modes = make_modes(3, freq, decay, NULL);
    twBank* bank = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL);
    tw_bank_set_extra_decay(bank, 0, extra);
    tw_bank_impulse(bank, 0, 0, 1);
    run(bank, NULL, with, N, 64);
    for (int k = 0; k < 3; k++)
    {
        twModes* one = make_modes(1, &freq[k], &decay[k], NULL);
        twBank* plain = single(one, TW_DOUBLE, TW_DISPLACEMENT, NULL);
        tw_bank_impulse(plain, 0, 0, 1);
        run(plain, NULL, without[k], N, 64);
        tw_bank_destroy(plain);
        tw_modes_destroy(one);
    }
    for (int i = 0; i < N; i++)
    {
        double y = 0;
        for (int k = 0; k < 3; k++) y += without[k][i] * exp(-extra[k] * i / RATE);
        ENSURE_NEAR(with[i], y, 1e-12 * peak(with, N));
    }
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static int extra_decay_can_be_taken_off(void)
{
    enum
    {
        N = 300
    };
    double freq = 500, decay = 8, out[3 * N] = {0}, plain[3 * N] = {0}, loss = exp(-90 * N / RATE);
    twModes* modes = make_modes(1, &freq, &decay, NULL);
    twBank *a = single(modes, TW_DOUBLE, TW_VELOCITY, NULL), *b = single(modes, TW_DOUBLE, TW_VELOCITY, NULL);
    tw_bank_impulse(a, 0, 0, 1), tw_bank_impulse(b, 0, 0, 1);
    run(a, NULL, out, N, 100);
    tw_bank_set_extra_decay(a, 0, (double[]){90});
    run(a, NULL, out + N, N, 100);
    tw_bank_set_extra_decay(a, 0, NULL);
    run(a, NULL, out + 2 * N, N, 100);
    run(b, NULL, plain, 3 * N, N);
    for (int i = 0; i < N; i++)
    {
        ENSURE_NEAR(out[i], plain[i], 1e-12);
        ENSURE_NEAR(out[2 * N + i], loss * plain[2 * N + i], 1e-12);
    }
    tw_bank_destroy(a);
    tw_bank_destroy(b);
    tw_modes_destroy(modes);
    return 0;
}

static int a_mode_may_stop_ringing_and_ring_again(void)
{
    // overdamped for 64 samples: displacement and velocity go on as the closed form says
    enum
    {
        N = 64
    };
    double freq = 200, c = 5000, less = 30, w0 = 2 * PI * freq, x[3 * N] = {0}, v[3 * N] = {0};
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank *place = single(modes, TW_DOUBLE, TW_DISPLACEMENT, NULL),
           *speed = single(modes, TW_DOUBLE, TW_VELOCITY, NULL);
    for (int i = 0; i < 2; i++)
    {
        twBank* bank = i ? speed : place;
        double* out = i ? v : x;
        tw_bank_impulse(bank, 0, 0, 1);
        run(bank, NULL, out, N, N);
        tw_bank_set_modes(bank, 0, NULL, &c);
        run(bank, NULL, out + N, N, N);
        tw_bank_set_modes(bank, 0, NULL, &less);
        run(bank, NULL, out + 2 * N, N, N);
    }
    double b = sqrt(c * c - w0 * w0), x0 = x[N - 1], v0 = v[N - 1];
    for (int i = 0; i < N; i++)
    {
        double t = (i + 1) / RATE, C = exp(-c * t) * cosh(b * t), S = exp(-c * t) * sinh(b * t) / b;
        ENSURE_NEAR(x[N + i], C * x0 + S * (v0 + c * x0), 1e-12 * fabs(x0));
        ENSURE_NEAR(v[N + i], C * v0 - S * (w0 * w0 * x0 + c * v0), 1e-12 * fabs(v0));
    }
    c = less, b = sqrt(w0 * w0 - c * c), x0 = x[2 * N - 1], v0 = v[2 * N - 1];
    for (int i = 0; i < N; i++)
    {
        double t = (i + 1) / RATE, C = exp(-c * t) * cos(b * t), S = exp(-c * t) * sin(b * t) / b;
        ENSURE_NEAR(x[2 * N + i], C * x0 + S * (v0 + c * x0), 1e-12 * fabs(x0));
        ENSURE_NEAR(v[2 * N + i], C * v0 - S * (w0 * w0 * x0 + c * v0), 1e-12 * fabs(v0));
    }
    tw_bank_destroy(place);
    tw_bank_destroy(speed);
    tw_modes_destroy(modes);
    return 0;
}

static int values_out_of_range_are_clamped_and_counted(void)
{
    double freq = 440, out[64] = {0};
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank* bank = single(modes, TW_FLOAT, TW_DISPLACEMENT, NULL);
    tw_bank_set_modes(bank, 0, (double[]){1e9}, (double[]){-1});
    ENSURE(tw_bank_stats(bank).clamped_values == 2);
    ENSURE(bank->items[0].mode[0].freq_hz < RATE / 2 && bank->items[0].mode[0].decay == 0);
    tw_bank_set_modes(bank, 0, (double[]){NAN}, NULL);
    tw_bank_set_extra_decay(bank, 0, (double[]){INFINITY});
    tw_bank_set_input_weights(bank, 0, 0, (double[]){NAN});
    tw_bank_set_output_weights(bank, 0, 0, (double[]){-1e300});
    ENSURE(tw_bank_stats(bank).clamped_values == 6);
    tw_bank_impulse(bank, 0, 0, 1);
    run(bank, NULL, out, 64, 64);
    ENSURE(isfinite(peak(out, 64)));
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

// ---- hard cases ----

static int inputs_that_are_not_finite_are_silence_and_counted(void)
{
    enum
    {
        N = 200
    };
    twRng rng = tw_rng(14);
    double in[N], good[N], out[N], reference[N];
    twModes* modes = random_modes(&rng, 20, 1, 1);
    for (int v = 0; v < VARIANT_COUNT; v++)
        for (int precision = 0; precision < 2; precision++)
        {
            twBank* bank = single(modes, precision ? TW_DOUBLE : TW_FLOAT, TW_DISPLACEMENT, VARIANTS[v]);
            if (!bank) continue;
            noise(&rng, in, N);
            memcpy(good, in, sizeof in);
            memset(out, 0, sizeof out);
            memset(reference, 0, sizeof reference);
            in[3] = NAN, in[70] = INFINITY, in[71] = -INFINITY, in[150] = 1e30, in[199] = -NAN;
            good[3] = good[70] = good[71] = good[150] = good[199] = 0;
            run(bank, in, out, N, N);
            ENSURE(tw_bank_stats(bank).nan_inputs == 5);
            tw_bank_reset(bank);
            run(bank, good, reference, N, N);
            ENSURE(memcmp(out, reference, sizeof out) == 0);
            tw_bank_impulse(bank, 0, 0, NAN);
            ENSURE(tw_bank_stats(bank).nan_inputs == 6);
            tw_bank_destroy(bank);
        }
    tw_modes_destroy(modes);
    return 0;
}

static int output_stays_finite_whatever_the_weights(void)
{
    enum
    {
        N = 256
    };
    double freq[] = {100, 0, 5000}, mass[] = {1e-300, 1e-300, 1e-30}, shape[] = {1e300, 1e300, 1}, in[N], out[N] = {0};
    float out_float[N] = {0};
    for (int i = 0; i < N; i++) in[i] = i % 2 ? 1e14 : -9e14;
    twModesDef def = {3, freq, NULL, mass, 1, shape, 1, NULL};
    twModes* modes = NULL;
    ENSURE(tw_modes_create(&modes, &def, NULL) == TW_OK);
    for (int precision = 0; precision < 2; precision++)
    {
        twBank* bank = single(modes, precision ? TW_DOUBLE : TW_FLOAT, TW_VELOCITY, NULL);
        for (int round = 0; round < 20; round++)
        {
            run(bank, in, out, N, N);
            tw_bank_impulse(bank, 0, 0, 1e300);
            tw_bank_process(bank, NULL, (float*[]){out_float}, N);
            tw_bank_set_input_weights(bank, 0, 0, (double[]){1e29, 1e29, 1e29});
        }
        for (int i = 0; i < N; i++) ENSURE(isfinite(out[i]) && isfinite(out_float[i]));
        ENSURE(tw_bank_stats(bank).nan_outputs > 0);
        tw_bank_destroy(bank);
    }
    tw_modes_destroy(modes);
    return 0;
}

// no state may be other than 0 or well above denormals
static bool states_are_sound(const twBank* bank)
{
    size_t lanes = (size_t)bank->variant->lanes;
    for (int g = 0; g < bank->group_count; g++)
        for (int v = 0; v < bank->groups[g].vectors; v++)
            for (size_t l = 0; l < lanes; l++)
            {
                const float* at =
                    (const float*)bank->data + bank->groups[g].offset + (size_t)v * bank->groups[g].stride + l;
                float size = fabsf(at[0]) + fabsf(at[lanes]);
                if (size != 0 && size < 0.9e-25f) return false;
            }
    return true;
}

static int an_hour_of_decay_ends_in_rest(void)
{
    // at 1 kHz, so that an hour is short
    double freq[] = {3, 30, 100, 200, 400}, decay[] = {0.03, 0.05, 1, 30, 100};
    twModes* modes = make_modes(5, freq, decay, NULL);
    for (int v = 0; v < VARIANT_COUNT; v++)
    {
        twBankObject object = tw_bank_object(modes);
        twBankDef def = {1000, TW_FLOAT, 1, &object};
        twBank* bank = NULL;
        if (tw_bank_create_variant(&bank, &def, VARIANTS[v], NULL) != TW_OK) continue;
        float out[1000];
        tw_bank_impulse(bank, 0, 0, 1);
        for (int s = 0; s < 3600; s++)
        {
            memset(out, 0, sizeof out);
            tw_bank_process(bank, NULL, (float*[]){out}, 1000);
            for (int i = 0; i < 1000; i += 7) ENSURE(fpclassify(out[i]) != FP_SUBNORMAL);
            ENSURE(states_are_sound(bank));
        }
        ENSURE(!bank->groups[0].awake && out[0] == 0);
        tw_bank_destroy(bank);
    }
    tw_modes_destroy(modes);
    return 0;
}

static int processing_leaves_the_processor_as_it_was(void)
{
#if defined(__SSE2__)
    double freq = 440, out[10] = {0};
    twModes* modes = make_modes(1, &freq, NULL, NULL);
    twBank* bank = single(modes, TW_FLOAT, TW_DISPLACEMENT, NULL);
    // denormals on, and off
    for (unsigned setting = 0; setting < 2; setting++)
    {
        unsigned before = (_mm_getcsr() & 0xff80u & ~0x8040u) | (setting ? 0x8040u : 0);
        _mm_setcsr(before);
        tw_bank_impulse(bank, 0, 0, 1);
        run(bank, NULL, out, 10, 10);
        unsigned after = _mm_getcsr() & 0xffc0u;
        _mm_setcsr(0x1f80);
        ENSURE(after == before);
    }
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
#endif
    return 0;
}

static int nothing_is_fine(void)
{
    double out[8] = {0};
    twBankDef def = tw_bank_def();
    twBank* bank = NULL;
    ENSURE(tw_bank_create(&bank, &def, NULL) == TW_OK);
    tw_bank_process(bank, NULL, NULL, 8);
    tw_bank_reset(bank);
    tw_bank_destroy(bank);
    tw_bank_destroy(NULL);

    // no modes; no inputs or outputs; no samples
    twModes* empty = make_modes(0, NULL, NULL, NULL);
    twBankObject object[2] = {tw_bank_object(empty), tw_bank_object(empty)};
    object[1].input_count = object[1].output_count = 0;
    bank = make_bank(object, 2, TW_FLOAT, NULL);
    ENSURE(bank != NULL);
    tw_bank_set_modes(bank, 0, NULL, NULL);
    tw_bank_set_extra_decay(bank, 1, NULL);
    tw_bank_set_output_weights(bank, 0, 0, NULL);
    tw_bank_impulse(bank, 0, 0, 1);
    run(bank, out, out, 0, 1);
    tw_bank_process_double(bank, (const double*[]){NULL}, (double*[]){out}, 0);
    tw_bank_process_double(bank, (const double*[]){NULL}, (double*[]){out}, 8);
    ENSURE(peak(out, 8) == 0);
    tw_bank_destroy(bank);
    tw_modes_destroy(empty);
    return 0;
}

static int objects_fall_asleep(void)
{
    double freq = 3000, decay = 2000, out[640] = {0};
    twModes* modes = make_modes(1, &freq, &decay, NULL);
    twBank* bank = single(modes, TW_FLOAT, TW_DISPLACEMENT, NULL);
    ENSURE(!bank->groups[0].awake);
    tw_bank_impulse(bank, 0, 0, 1);
    run(bank, NULL, out, 64, 64);
    ENSURE(bank->groups[0].awake);
    for (int i = 0; i < 10; i++) run(bank, NULL, out, 640, 640);
    ENSURE(!bank->groups[0].awake);
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static int expect_bank_error(const twBankDef* def, const char* text)
{
    twError err = {0};
    twBank* bank = (twBank*)&err;
    ENSURE(tw_bank_create(&bank, def, &err) == TW_BAD_INPUT);
    ENSURE(bank == NULL);
    ENSURE_TEXT(err.text, text);
    return 0;
}

static int bad_banks_are_named(void)
{
    double freq[] = {100, 22050};
    twModes *good = make_modes(1, freq, NULL, NULL), *bad = make_modes(2, freq, NULL, NULL);
    twBankObject object[] = {tw_bank_object(good), tw_bank_object(bad)};
    twBankDef def = {RATE, TW_FLOAT, 2, object};
    ENSURE(!expect_bank_error(&def, "object 1, mode 1: 22050 Hz must be below half the sample rate, 22050 Hz"));
    object[1].modes = NULL;
    ENSURE(!expect_bank_error(&def, "object 1 has no modes: set its modes"));
    object[1] = object[0], object[1].input_point = (int[]){3};
    ENSURE(!expect_bank_error(&def, "object 1: input 0 uses point 3, but the modes have point 0 to 0"));
    object[1] = object[0], object[1].output_count = 2;
    ENSURE(!expect_bank_error(&def, "object 1: output 1 uses pickup 1, but the modes have pickup 0 to 0"));
    object[1] = object[0], object[1].input_count = -1;
    ENSURE(!expect_bank_error(&def, "object 1: -1 inputs; the count must be between 0 and 65536"));
    def.rate_hz = NAN;
    ENSURE(!expect_bank_error(&def, "sample rate nan Hz must be positive and finite"));
    def.rate_hz = RATE, def.objects = NULL;
    ENSURE(!expect_bank_error(&def, "2 objects: give between 0 and 67108864, and their array"));
    def.object_count = -5;
    ENSURE(!expect_bank_error(&def, "-5 objects: give between 0 and 67108864, and their array"));
    tw_modes_destroy(good);
    tw_modes_destroy(bad);
    return 0;
}

static int a_billion_modes_are_refused(void)
{
    // 80 objects share one list of 2^20 modes: 84 million in all
    int count = 1 << 20;
    double* freq = zeros(count);
    twModes* modes = make_modes(count, freq, NULL, NULL);
    twBankObject object[80];
    for (int i = 0; i < 80; i++) object[i] = tw_bank_object(modes);
    twBankDef def = {RATE, TW_FLOAT, 80, object};
    ENSURE(!expect_bank_error(&def, "83886080 modes, 80 inputs, 80 outputs: a bank holds at most 67108864 of each"));
    tw_modes_destroy(modes);
    free(freq);
    return 0;
}

TEST_MAIN(
    RUN(modes_copy_what_they_are_given) RUN(modes_default_to_unit_mass_no_decay_and_the_first_points_shape) RUN(
        bad_modes_are_named) RUN(impulse_response_is_the_closed_form) RUN(float_keeps_80_db_down_to_20_hz)
        RUN(float_keeps_pitch_and_level_for_a_minute) RUN(velocity_is_the_derivative) RUN(
            rigid_mass_under_constant_force_follows_the_parabola) RUN(modes_that_do_not_ring_are_exact)
            RUN(a_stopped_mass_stays_where_it_is) RUN(energy_decays_as_exp_minus_2ct) RUN(
                coupling_between_points_is_reciprocal) RUN(output_is_the_convolution_of_force_and_closed_form)
                RUN(several_inputs_and_outputs_are_sums_of_single_ones) RUN(
                    many_objects_in_one_bank_equal_each_alone_in_all_variants) RUN(small_objects_share_vectors)
                    RUN(block_size_does_not_matter) RUN(float_and_double_calls_agree) RUN(
                        reset_brings_back_the_start_to_the_bit) RUN(an_impulse_is_a_force_sample_times_the_sample_time)
                        RUN(changes_do_not_click) RUN(weights_ramp_over_the_next_block)
                            RUN(a_ramp_cut_short_goes_on_from_where_it_is) RUN(weights_reach_their_new_values) RUN(
                                new_input_weights_leave_the_ringing_alone) RUN(a_mode_without_input_weight_can_get_one)
                                RUN(a_new_frequency_keeps_displacement_and_amplitude)
                                    RUN(wild_frequency_changes_cannot_make_a_mode_grow)
                                        RUN(extra_decay_gives_the_product_decay) RUN(extra_decay_can_be_taken_off)
                                            RUN(a_mode_may_stop_ringing_and_ring_again)
                                                RUN(values_out_of_range_are_clamped_and_counted)
                                                    RUN(inputs_that_are_not_finite_are_silence_and_counted)
                                                        RUN(output_stays_finite_whatever_the_weights)
                                                            RUN(an_hour_of_decay_ends_in_rest)
                                                                RUN(processing_leaves_the_processor_as_it_was)
                                                                    RUN(nothing_is_fine) RUN(objects_fall_asleep)
                                                                        RUN(bad_banks_are_named)
                                                                            RUN(a_billion_modes_are_refused))
