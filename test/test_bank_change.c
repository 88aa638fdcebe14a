// SPDX-License-Identifier: MIT
// Changes while a bank sounds: weights, frequencies, decays.
#include "bank.h"

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

// clang-format off
TEST_MAIN(
    RUN(changes_do_not_click)
    RUN(weights_ramp_over_the_next_block)
    RUN(a_ramp_cut_short_goes_on_from_where_it_is)
    RUN(weights_reach_their_new_values)
    RUN(new_input_weights_leave_the_ringing_alone)
    RUN(a_mode_without_input_weight_can_get_one)
    RUN(a_new_frequency_keeps_displacement_and_amplitude)
    RUN(wild_frequency_changes_cannot_make_a_mode_grow)
    RUN(extra_decay_gives_the_product_decay)
    RUN(extra_decay_can_be_taken_off)
    RUN(a_mode_may_stop_ringing_and_ring_again)
    RUN(values_out_of_range_are_clamped_and_counted)
)
