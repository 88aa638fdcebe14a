// SPDX-License-Identifier: MIT
// The head that comes with libmysofa, against what its file holds, read by libmysofa itself; and files that are none.
#define _XOPEN_SOURCE 700
#include <mysofa.h>  // first: it has a member I, which <complex.h> takes for itself

#include "ear.h"
#include "scratch.h"
#include "twang/media.h"

static const double RATE = 44100;  // that of the file
static const char* FILE_NAME = "/usr/share/libmysofa/default.sofa";

enum
{
    FRAMES = 131072
};
static float heard[2 * FRAMES];

// ratio of left to right at a measured direction, as it is in the file
static double complex measured_ratio(const struct MYSOFA_HRTF* sofa, unsigned i, double freq_hz)
{
    double complex sum[2] = {0, 0};
    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; k < sofa->N; k++)
            sum[side] += sofa->DataIR.values[(2 * i + side) * sofa->N + k] * cexp(-I * 2 * TW_PI * freq_hz / RATE * k);
    return sum[0] / sum[1];
}

static twVec3 measured_place(const struct MYSOFA_HRTF* sofa, unsigned i)
{
    const float* v = sofa->SourcePosition.values + 3 * i;
    return tw_vec3(v[0], v[1], v[2]);
}

static struct MYSOFA_HRTF* read_default(void)
{
    int code;
    struct MYSOFA_HRTF* sofa = mysofa_load(FILE_NAME, &code);
    if (!sofa)
        printf("%s: %d\n", FILE_NAME, code);
    else
        mysofa_tocartesian(sofa);
    return sofa;
}

// the default head at 44.1 or 48 kHz, loaded once
static const twHead* default_head(double rate_hz)
{
    static twHead* heads[2];
    twHead** head = &heads[rate_hz == 48000];
    twError err;
    if (!*head && tw_head_load(head, NULL, rate_hz, &err) != TW_OK) printf("%s\n", err.text);
    return *head;
}

static twEarDef ear_at(double rate_hz)
{
    twEarDef def = tw_ear_def();
    def.kind = TW_EAR_BINAURAL;
    def.rate_hz = rate_hz;
    def.head = default_head(rate_hz);
    return def;
}

// level [dB] and time [samples] by which two ratios of a tone differ
static double level_off(double complex a, double complex b) { return decibels(cabs(a / b)); }
static double time_off(double complex a, double complex b, double freq_hz)
{
    return carg(a / b) / (2 * TW_PI * freq_hz) * RATE;
}

static int all_directions_have_the_ratios_of_the_file(void)
{
    struct MYSOFA_HRTF* sofa = read_default();
    const twHead* head = default_head(RATE);
    ENSURE(sofa && head);
    int taps = tw_head_taps(head), hint = 0;
    double* responses = malloc(2 * (size_t)taps * sizeof *responses);
    for (unsigned i = 0; i < sofa->M; i += 7)
    {
        double delays[2];
        tw_head_at(head, measured_place(sofa, i), responses, delays, &hint);
        for (double f = 200; f < 12000; f *= 1.9)
        {
            double complex sum[2] = {0, 0}, exact = measured_ratio(sofa, i, f);
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < taps; k++)
                    sum[side] += responses[side * taps + k] * cexp(-I * 2 * TW_PI * f / RATE * (k + delays[side]));
            ENSURE_NEAR(level_off(sum[0] / sum[1], exact), 0, 0.5);
            ENSURE_NEAR(time_off(sum[0] / sum[1], exact, f), 0, 1);
        }
    }
    free(responses);
    mysofa_free(sofa);
    return 0;
}

// Half a turn per second, 2 m away: both ears are compared over a period and 2 ms, when the sound of a measured direction is
// heard.
static int circling_sources_have_the_delays_and_levels_of_the_file(void)
{
    struct MYSOFA_HRTF* sofa = read_default();
    ENSURE(sofa && default_head(RATE));
    const double freqs[] = {300, 1500, 3000};
    for (int k = 0; k < 3; k++)
    {
        double f = freqs[k], worst_db = 0, worst_time = 0;
        twEar* ear = create_ear(ear_at(RATE));
        hear_tone(ear, 2, RATE, f, &(Way){.radius = 2, .turns_hz = 0.5}, NULL, 0, heard, 96000);
        tw_ear_destroy(ear);
        for (unsigned i = 0; i < sofa->M; i++)
        {
            twVec3 place = measured_place(sofa, i);
            if (fabs(place.z) > 1e-3) continue;
            double angle = atan2(place.y, place.x), start = (angle < 0.1 ? angle + 2 * TW_PI : angle) / TW_PI;
            int at = (int)lround((start + 2 / SPEED) * RATE), half = (int)ceil(RATE / f * 0.5) + 40;
            double complex ratio = ear_tone(heard, 2, 0, at - half, at + half, f, RATE) /
                                   ear_tone(heard, 2, 1, at - half, at + half, f, RATE);
            double complex exact = measured_ratio(sofa, i, f);
            worst_db = fmax(worst_db, fabs(level_off(ratio, exact)));
            worst_time = fmax(worst_time, fabs(time_off(ratio, exact, f)));
        }
        ENSURE(worst_db < 0.5);
        ENSURE(worst_time < 1);
    }
    mysofa_free(sofa);
    return 0;
}

static int circling_sources_do_not_click(void)
{
    ENSURE(default_head(48000));
    const double freqs[] = {500, 2000, 8000};
    for (int k = 0; k < 3; k++)
    {
        twEar* ear = create_ear(ear_at(48000));
        hear_tone(ear, 2, 48000, freqs[k], &(Way){.radius = 1, .turns_hz = 0.5}, NULL, 0, heard, FRAMES);
        tw_ear_destroy(ear);
        for (int side = 0; side < 2; side++) ENSURE(clicks_db(heard, 2, side, FRAMES, freqs[k], 200, 48000) < -60);
    }
    return 0;
}

static int sound_from_the_front_keeps_its_level(void)
{
    ENSURE(default_head(48000));
    for (double f = 200; f < 3300; f *= 2)
    {
        twEar* ear = create_ear(ear_at(48000));
        hear_tone(ear, 2, 48000, f, &(Way){.place = {5, 0, 0}}, NULL, 0, heard, 12000);
        tw_ear_destroy(ear);
        for (int side = 0; side < 2; side++)
            ENSURE_NEAR(decibels(5 * cabs(ear_tone(heard, 2, side, 6000, 12000, f, 48000))), 0, 2);
    }
    return 0;
}

// the same head at two rates is the same for a tone
static int resampling_keeps_the_responses(void)
{
    double level[2], delay[2];
    for (int i = 0; i < 2; i++)
    {
        double rate = i ? 48000 : 44100, f = 2500;
        twEar* ear = create_ear(ear_at(rate));
        hear_tone(ear, 2, rate, f, &(Way){.place = {1, 1, 0.3}}, NULL, 0, heard, 12000);
        tw_ear_destroy(ear);
        double complex left = ear_tone(heard, 2, 0, 6000, 12000, f, rate);
        double complex ratio = left / ear_tone(heard, 2, 1, 6000, 12000, f, rate);
        level[i] = decibels(cabs(ratio));
        delay[i] = carg(ratio) / (2 * TW_PI * f);
    }
    ENSURE_NEAR(level[0], level[1], 0.1);
    ENSURE_NEAR(delay[0], delay[1], 2e-6);
    return 0;
}

// ---- files that are none ----

static int load_fails(const char* path, const char* text)
{
    twHead* head;
    twError err = {0};
    if (tw_head_load(&head, path, 48000, &err) == TW_OK || head) return 0;
    if (!strstr(err.text, text)) printf("message: %s\n", err.text);
    return strstr(err.text, text) != NULL;
}

static void write_bytes(const char* path, const char* data, size_t bytes)
{
    FILE* file = fopen(path, "wb");
    if (file && fwrite(data, 1, bytes, file) != bytes) printf("cannot write %s\n", path);
    if (file) fclose(file);
}

static int what_is_no_head_is_refused(void)
{
    const char* path = in_folder("none.sofa");
    ENSURE(load_fails(path, "none.sofa"));
    write_bytes(path, "RIFF....WAVE", 12);
    ENSURE(load_fails(path, "does not start as HDF5"));
    write_bytes(path, "\x89HDF\r\n\x1a\n", 8);
    ENSURE(load_fails(path, "does not start as HDF5"));
    ENSURE(load_fails(scratch_folder(), ""));
    twHead* head;
    twError err;
    ENSURE(tw_head_load(&head, NULL, NAN, &err) == TW_BAD_INPUT && strstr(err.text, "rate nan"));
    return 0;
}

static int missing_default_names_the_package(void)
{
    const char* list = getenv("XDG_DATA_DIRS");
    char* kept = list ? strdup(list) : NULL;
    setenv("XDG_DATA_DIRS", scratch_folder(), 1);
    int fails = load_fails(NULL, "install the package libmysofa1");
    if (kept)
        setenv("XDG_DATA_DIRS", kept, 1);
    else
        unsetenv("XDG_DATA_DIRS");
    free(kept);
    ENSURE(fails);
    return 0;
}

// some of these bring libmysofa down, but not us
static int damaged_files_are_refused(void)
{
    char* data;
    size_t bytes;
    ENSURE(tw_file_read(&data, &bytes, FILE_NAME, (size_t)1 << 30, NULL) == TW_OK);
    const char* path = in_folder("damaged.sofa");
    for (int i = 0; i < 30; i++)
    {
        write_bytes(path, data, bytes * (size_t)i / 30);
        ENSURE(load_fails(path, "damaged.sofa: "));
    }
    // bytes of the header that are not what they were
    char* broken = malloc(bytes);
    twRng rng = tw_rng(5);
    for (int i = 0; i < 40; i++)
    {
        memcpy(broken, data, bytes);
        for (int k = 0; k < 200; k++) broken[8 + tw_rng_next(&rng) % 20000] = (char)tw_rng_next(&rng);
        write_bytes(path, broken, bytes);
        ENSURE(load_fails(path, "damaged.sofa: "));
    }
    free(broken);
    free(data);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(all_directions_have_the_ratios_of_the_file)
    RUN(circling_sources_have_the_delays_and_levels_of_the_file)
    RUN(circling_sources_do_not_click)
    RUN(sound_from_the_front_keeps_its_level)
    RUN(resampling_keeps_the_responses)
    RUN(what_is_no_head_is_refused)
    RUN(missing_default_names_the_package)
    RUN(damaged_files_are_refused)
)
