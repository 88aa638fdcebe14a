// SPDX-License-Identifier: MIT
// The resonator bank against itself cut up in other ways, and hard cases.
#include "bank.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static const char* const VARIANTS[] = {"generic", "avx2", "avx512"};
enum
{
    VARIANT_COUNT = 3
};

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

// clang-format off
TEST_MAIN(
    RUN(many_objects_in_one_bank_equal_each_alone_in_all_variants)
    RUN(small_objects_share_vectors)
    RUN(block_size_does_not_matter)
    RUN(float_and_double_calls_agree)
    RUN(reset_brings_back_the_start_to_the_bit)
    RUN(an_impulse_is_a_force_sample_times_the_sample_time)
    RUN(inputs_that_are_not_finite_are_silence_and_counted)
    RUN(output_stays_finite_whatever_the_weights)
    RUN(an_hour_of_decay_ends_in_rest)
    RUN(processing_leaves_the_processor_as_it_was)
    RUN(nothing_is_fine)
    RUN(objects_fall_asleep)
    RUN(bad_banks_are_named)
    RUN(a_billion_modes_are_refused)
)
