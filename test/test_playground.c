// SPDX-License-Identifier: MIT
// Tests of the benches of the playground (apps/web), without baked bodies. The page runs the same sources; its own tests are in
// apps/web/test.

#define _XOPEN_SOURCE 700
#include "../apps/web/playground.h"
#include "scratch.h"
#include "test.h"
#include "twang/modal.h"
#include <stdlib.h>
#include <string.h>

#define RATE 48000.0
#define SECOND 48000

// benches without a body, and what makes them sound
typedef struct Bench
{
    const char* name;
    PlayAction action;
    double numbers[4];
} Bench;
static const Bench benches[] = {
    {"wineglass", PLAY_DOWN, {0.75, 0.4}}, {"door", PLAY_DOWN, {0.7, 0.45}}, {"wheel", PLAY_DOWN, {0.8, 0.3}},
    {"rod", PLAY_HIT, {8, 0, 0, -5}},      {"wire", PLAY_HIT, {0.3, 2}},     {"bounce", PLAY_HIT, {-1}},
};
#define BENCHES (int)(sizeof benches / sizeof benches[0])

static Play* made(const char* name, const double* values)
{
    Play* play;
    twError err;
    if (play_create(&play, name, RATE, NULL, 0, values, &err) != TW_OK) printf("%s\n", err.text);
    return play;
}

static void begin(Play* play, const Bench* bench) { play_act(play, bench->action, bench->numbers, 4); }

// left channel, in blocks; @return the greatest sample, NaN if one is
static double listen(Play* play, float* out, int frames, int block)
{
    float left[PLAY_BLOCK], right[PLAY_BLOCK];
    double peak = 0;
    for (int at = 0; at < frames; at += block)
    {
        play_process(play, left, right, block);
        for (int i = 0; i < block; i++)
        {
            const double loudest = fmax(fabs(left[i]), fabs(right[i]));
            if (!(loudest <= peak)) peak = isnan(left[i] + right[i]) ? NAN : loudest;
            if (out && at + i < frames) out[at + i] = left[i];
        }
    }
    return peak;
}

// ---- sliders ----

static int sliders_begin_within_their_range(void)
{
    ENSURE(play_bench_count() == 8);
    for (int b = 0; b < play_bench_count(); b++)
    {
        int count;
        const PlayParameter* p = play_bench_parameters(b, &count);
        ENSURE(count > 0 && count <= PLAY_PARAMETERS);
        for (int i = 0; i < count; i++)
        {
            ENSURE(p[i].low < p[i].high && p[i].start >= p[i].low && p[i].start <= p[i].high);
            ENSURE(!p[i].log || p[i].low > 0);
            ENSURE(*p[i].name && *p[i].label && *p[i].hint);
            for (int k = 0; k < i; k++) ENSURE(strcmp(p[i].name, p[k].name) != 0);
        }
    }
    return 0;
}

// two benches sound the same after these values for the first slider
static int same_after(double a, double b)
{
    float sound[2][4800];
    const double values[2] = {a, b};
    for (int k = 0; k < 2; k++)
    {
        Play* play = made("wineglass", NULL);
        ENSURE(play);
        play_set(play, 0, values[k]);
        begin(play, &benches[0]);
        listen(play, sound[k], 4800, 128);
        play_destroy(play);
    }
    ENSURE(memcmp(sound[0], sound[1], sizeof sound[0]) == 0);
    return 0;
}

static int sliders_are_clamped_and_nonsense_is_ignored(void)
{
    int count;
    const PlayParameter* stiffness = play_bench_parameters(0, &count);
    ENSURE_TEXT(play_bench_name(0), "wineglass");
    if (same_after(1e300, stiffness->high) || same_after(-INFINITY, stiffness->low)) return 1;
    if (same_after(NAN, stiffness->start)) return 1;
    Play* play = made("wineglass", NULL);
    play_set(play, -1, 1);
    play_set(play, 1000, 1);
    play_act(play, PLAY_DOWN, (double[]){NAN, 1}, 2);
    play_act(play, (PlayAction)99, NULL, 0);
    ENSURE(listen(play, NULL, 4800, 128) == 0);
    play_destroy(play);
    return 0;
}

static int what_cannot_be_made_is_refused(void)
{
    Play* play;
    twError err;
    ENSURE(play_create(&play, "flute", RATE, NULL, 0, NULL, &err) == TW_BAD_INPUT && !play);
    ENSURE_TEXT(err.text, "there is no bench 'flute'");
    ENSURE(play_create(&play, "rod", NAN, NULL, 0, NULL, &err) == TW_BAD_INPUT && !play);
    ENSURE(play_create(&play, "strike", RATE, NULL, 0, NULL, &err) == TW_BAD_INPUT && !play);
    ENSURE(strstr(err.text, "needs 1 .twmodes files; 0 given"));
    static const uint64_t junk[64] = {0x1234, 0, 512, 7};
    ENSURE(play_create(&play, "strike", RATE, junk, sizeof junk, NULL, &err) != TW_OK && !play);
    ENSURE(play_create(&play, "grab", RATE, junk, 8, NULL, &err) != TW_OK && !play);
    play_destroy(NULL);
    return 0;
}

// ---- sound ----

static int every_bench_sounds_and_comes_to_rest(void)
{
    for (int b = 0; b < BENCHES; b++)
    {
        Play* play = made(benches[b].name, NULL);
        ENSURE(play);
        begin(play, &benches[b]);
        const double peak = listen(play, NULL, SECOND / 2, 128);
        ENSURE(peak > 1e-3 && peak <= (float)PLAY_CEILING);
        play_act(play, PLAY_UP, NULL, 0);
        ENSURE(listen(play, NULL, SECOND / 2, 128) <= (float)PLAY_CEILING);
        ENSURE(play_bad_samples(play) == 0);
        play_destroy(play);
    }
    return 0;
}

// the limit and the hand depend on samples alone
static int blocks_of_any_size_sound_the_same(void)
{
    static float sound[2][SECOND / 4];
    const int blocks[2] = {128, 40};
    for (int b = 0; b < 2; b++)
    {
        for (int k = 0; k < 2; k++)
        {
            Play* play = made(benches[b].name, NULL);
            begin(play, &benches[b]);
            listen(play, sound[k], SECOND / 4, blocks[k]);
            play_destroy(play);
        }
        ENSURE(memcmp(sound[0], sound[1], sizeof sound[0]) == 0);
    }
    return 0;
}

static int what_is_too_loud_is_turned_down_to_the_ceiling(void)
{
    Play* play = made("wire", NULL);
    for (int i = 0; i < 5; i++) play_act(play, PLAY_HIT, (double[]){0.9, 20}, 2);
    ENSURE_NEAR(listen(play, NULL, SECOND, 128), PLAY_CEILING, 1e-6);
    play_destroy(play);
    return 0;
}

// all sliders at one of their ends, by a fixed row of bits
static int corners_of_all_sliders_stay_finite(void)
{
    uint32_t bits = 12345;
    for (int b = 0; b < BENCHES; b++)
    {
        int count, at = 0;
        while (strcmp(play_bench_name(at), benches[b].name) != 0) at++;
        const PlayParameter* p = play_bench_parameters(at, &count);
        for (int k = 0; k < 6; k++)
        {
            double values[PLAY_PARAMETERS] = {0};
            for (int i = 0; i < count; i++)
            {
                bits = bits * 1664525u + 1013904223u;
                values[i] = bits >> 31 ? p[i].high : p[i].low;
            }
            Play* play = made(benches[b].name, values);
            ENSURE(play);
            begin(play, &benches[b]);
            ENSURE(listen(play, NULL, SECOND / 20, 128) <= (float)PLAY_CEILING);
            ENSURE(play_bad_samples(play) == 0);
            play_destroy(play);
        }
    }
    return 0;
}

// ---- pitch ----

// how strong a tone is, through a window of Hann
static double strength(const float* x, int n, double freq_hz)
{
    double re = 0, im = 0;
    for (int i = 0; i < n; i++)
    {
        const double turn = 2 * TW_PI * freq_hz * i / RATE, w = x[i] * (1 - cos(2 * TW_PI * i / n));
        re += w * cos(turn), im += w * sin(turn);
    }
    return re * re + im * im;
}

// the strongest tone within some cents of one [cents]
static double strongest(const float* x, int n, double freq_hz, double within)
{
    double best = 0, at = NAN;
    for (double cents = -within; cents <= within; cents += 0.5)
    {
        const double now = strength(x, n, freq_hz * exp2(cents / 1200));
        if (now > best) best = now, at = cents;
    }
    return at;
}

static int a_struck_rod_has_the_tones_of_a_bar_held_at_one_end(void)
{
    // (kl)^2 with cos(kl) cosh(kl) = -1, for the rod that sliders begin with
    const double squares[] = {3.516015, 22.034492, 61.697214, 120.901916}, cents[] = {1, 1, 2, 10};
    const double length = 0.09, thickness = 1e-3, speed = sqrt(2e11 / 7800);
    const int n = SECOND / 2;
    float* sound = malloc((size_t)n * sizeof *sound);
    ENSURE(sound);
    Play* play = made("rod", NULL);
    play_act(play, PLAY_HIT, (double[]){11, 0, 0, -0.5}, 4);
    listen(play, NULL, 1280, 128);
    listen(play, sound, n, 128);
    for (int k = 0; k < 4; k++)
    {
        const double tone = squares[k] * thickness * speed / (sqrt(12) * 2 * TW_PI * length * length);
        ENSURE_NEAR(strongest(sound, n, tone, 40), 0, cents[k]);
    }
    play_destroy(play);
    free(sound);
    return 0;
}

// ---- pictures ----

static double rod_energy(Play* play)
{
    float picture[64];
    return play_picture(play, picture, 64) > 2 ? picture[2] : NAN;
}

static int a_rod_that_is_let_go_only_loses_energy(void)
{
    Play* play = made("rod", NULL);
    play_act(play, PLAY_DOWN, (double[]){11, 0.09, 0, 0}, 4);
    play_act(play, PLAY_MOVE, (double[]){0.085, 0, 0.03}, 3);
    listen(play, NULL, SECOND / 10, 128);
    play_act(play, PLAY_UP, NULL, 0);
    listen(play, NULL, SECOND / 100, 128);
    const double first = rod_energy(play);
    ENSURE(first > 0);
    for (double last = first, i = 0; i < 10; i++)
    {
        listen(play, NULL, SECOND / 50, 128);
        const double now = rod_energy(play);
        ENSURE(now <= last * (1 + 1e-6));
        last = now;
    }
    play_destroy(play);
    return 0;
}

// what is exactly silent is not computed
static bool is_silent(Play* play)
{
    float sound[SECOND / 10];
    listen(play, sound, SECOND / 10, 128);
    for (int i = 0; i < SECOND / 10; i++)
        if (sound[i] != 0) return false;
    return true;
}

static int a_rod_that_is_held_sleeps_until_the_hand_moves_or_lets_go(void)
{
    Play* play = made("rod", NULL);
    play_act(play, PLAY_DOWN, (double[]){11, 0.09, 0, 0}, 4);
    play_act(play, PLAY_MOVE, (double[]){0.085, 0, 0.017}, 3);
    listen(play, NULL, SECOND, 128);
    const double bent = rod_energy(play);
    ENSURE(is_silent(play) && bent > 0 && rod_energy(play) == bent);
    play_act(play, PLAY_MOVE, (double[]){0.0853, 0, 0.016}, 3);
    ENSURE(!is_silent(play));
    listen(play, NULL, SECOND, 128);
    const double less = rod_energy(play);
    ENSURE(is_silent(play) && less < 0.95 * bent && less > 0.5 * bent);
    play_act(play, PLAY_UP, NULL, 0);
    ENSURE(!is_silent(play) && rod_energy(play) < less);
    play_destroy(play);
    return 0;
}

static int pictures_fit_the_room_they_are_given(void)
{
    for (int b = 0; b < BENCHES; b++)
    {
        Play* play = made(benches[b].name, NULL);
        float picture[256], few[3] = {0, 0, 77};
        begin(play, &benches[b]);
        listen(play, NULL, 1280, 128);
        const int count = play_picture(play, picture, 256);
        ENSURE(count > 2 && count < 256);
        for (int i = 0; i < count; i++) ENSURE(!isnan(picture[i]));
        ENSURE(play_picture(play, few, 2) == 2 && few[2] == 77);
        play_destroy(play);
    }
    return 0;
}

// ---- things that are struck ----

#define TONE 500.0            // of the one mode that the thing has [Hz]
#define THING_AREA 0.0692820  // of an octahedron with corners at 0.1 m [m^2]
#define THING_WALL 0.001      // twice its volume over that, as the mass says [m]

enum
{
    SLIDER_MATERIAL,
    SLIDER_SIZE,
    SLIDER_RING,
    STRIKE_SLIDERS = 5
};

// A thing of steel with one mode, which radiates as a monopole of some strength. @return its file; free() it
static void* make_thing(float strength, size_t* bytes)
{
    static const twVec3 corners[] = {{0.1, 0, 0}, {-0.1, 0, 0}, {0, 0.1, 0}, {0, -0.1, 0}, {0, 0, 0.1}, {0, 0, -0.1}};
    static const twTriangle faces[] = {{{0, 2, 4}}, {{2, 1, 4}}, {{1, 3, 4}}, {{3, 0, 4}},
                                       {{2, 0, 5}}, {{1, 2, 5}}, {{3, 1, 5}}, {{0, 3, 5}}};
    const twMaterial* steel = tw_material_find("steel");
    const double freq_hz = TONE, decay = 1, volume = THING_WALL * THING_AREA / 2;
    const float moments[2] = {strength, 0}, error_db = 0;
    const int order = 0;
    const int64_t first = 0;
    float shape[18];
    for (int v = 0; v < 6; v++)
        shape[3 * v] = (float)corners[v].x, shape[3 * v + 1] = (float)corners[v].y,
                  shape[3 * v + 2] = (float)corners[v].z;
    const twModeMaterial material = {
        .name = "steel", .density = steel->density, .young = steel->young, .poisson = steel->poisson, .volume = volume};
    const twTransfer transfer = {.mode_count = 1,
                                 .moment_count = 1,
                                 .radius = 0.1,
                                 .sound_speed = 343.2,
                                 .air_density = 1.204,
                                 .freq_hz = &freq_hz,
                                 .order = &order,
                                 .first = &first,
                                 .moments = moments,
                                 .error_db = &error_db};
    const twModeSet set = {
        .mode_count = 1,
        .vertex_count = 6,
        .face_count = 8,
        .rigid_modes = 6,
        .freq_hz = &freq_hz,
        .decay = &decay,
        .shape = shape,
        .vertices = corners,
        .faces = faces,
        .transfer = &transfer,
        .mass = {.volume = volume, .mass = volume * steel->density, .inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
        .material_count = 1,
        .materials = &material};
    const char* path = in_folder("thing.twmodes");
    twError err;
    if (tw_mode_set_save(&set, path, &err) != TW_OK) printf("%s\n", err.text), abort();
    FILE* file = fopen(path, "rb");
    char* data = malloc(1 << 16);
    if (!file || !data) abort();
    *bytes = fread(data, 1, 1 << 16, file);
    fclose(file);
    return data;
}

// how fast its mode dies in a material, and the pitch it has then [Hz]
static double thing_decay(float strength, double material, double size, double* freq_hz)
{
    const double values[STRIKE_SLIDERS] = {material, size, 1, 1e7, 0.01};
    size_t bytes;
    void* data = make_thing(strength, &bytes);
    Play* play = NULL;
    twError err;
    float early[8], late[8];
    if (play_create(&play, "strike", RATE, data, bytes, values, &err) != TW_OK) printf("%s\n", err.text), abort();
    play_act(play, PLAY_HIT, (double[4]){0, 2}, 4);
    listen(play, NULL, SECOND / 10, 128);
    play_picture(play, early, 8);
    listen(play, NULL, 128 * 375, 128);
    play_picture(play, late, 8);
    play_destroy(play);
    free(data);
    *freq_hz = (double)late[3];
    return log((double)early[2] / (double)late[2]);  // over a second
}

static int struck_things_lose_what_solid_heat_and_air_take(void)
{
    static const char* const names[] = {"steel", "aluminium", "glass"};
    const double sliders[] = {3, 4, 1};
    for (int m = 0; m < 3; m++)
        for (double size = 1; size < 3; size++)
        {
            const twMaterial* material = tw_material_find(names[m]);
            double freq_hz;
            const double quiet = thing_decay(1e-4f, sliders[m], size, &freq_hz),
                         loud = thing_decay(100, sliders[m], size, &freq_hz),
                         louder = thing_decay(200, sliders[m], size, &freq_hz);
            const twRelaxation heat = tw_material_thermoelastic(material, THING_WALL * size);
            const double solid = tw_material_decay(material, freq_hz),
                         hot = TW_PI * freq_hz * tw_relaxation_loss(heat, freq_hz);
            // P = R^2/(2 rho c) |A|^2/|k R h_0|^2, and x h_0(x) is a phase; of a lighter or smaller thing more
            const double air =
                0.01 / (2 * 1.204 * 343.2) * tw_material_find("steel")->density / material->density / size;
            printf("  %s x %g, %.0f Hz: %.4f /s, solid %.4f, heat %.4f; air %.4f, closed form %.4f\n", names[m], size,
                   freq_hz, quiet, solid, hot, (louder - loud) / 3, 1e4 * air);
            ENSURE_NEAR(quiet, solid + hot, 1e-3 * quiet);
            ENSURE_NEAR(louder - loud, 3e4 * air, 1e-3 * louder);
            ENSURE(m == 2 ? hot == 0 : hot > 0.02 * quiet);
        }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(struck_things_lose_what_solid_heat_and_air_take)
    RUN(sliders_begin_within_their_range)
    RUN(sliders_are_clamped_and_nonsense_is_ignored)
    RUN(what_cannot_be_made_is_refused)
    RUN(every_bench_sounds_and_comes_to_rest)
    RUN(blocks_of_any_size_sound_the_same)
    RUN(what_is_too_loud_is_turned_down_to_the_ceiling)
    RUN(corners_of_all_sliders_stay_finite)
    RUN(a_struck_rod_has_the_tones_of_a_bar_held_at_one_end)
    RUN(a_rod_that_is_let_go_only_loses_energy)
    RUN(a_rod_that_is_held_sleeps_until_the_hand_moves_or_lets_go)
    RUN(pictures_fit_the_room_they_are_given)
)
