// SPDX-License-Identifier: MIT
// A body whose modes were found here, from its file into [twang_modal~] in real Pd: struck at several points, heard at several pickups, bit
// for bit as the library renders the same set; and with what the air takes, if the file is baked.
#define _GNU_SOURCE
#include "pd.h"
#include "twang/acoustics.h"
#include "twang/bake.h"

enum
{
    N = 9600,
    POINTS = 3,
    PICKUPS = 2
};
static float heard[PICKUPS * N], wanted[PICKUPS][N];

// a brass bar, coarsely; modes of no material are of steel
static twModeSet* bake_bar(void)
{
    twError err = {0};
    twModeSet* set = NULL;
    twBakeDef def = tw_bake_def();
    def.source = "bar:0.2x0.02x0.01";
    def.count = 12;
    def.material = *tw_material_find("brass");
    def.accuracy = 0.2;
    if (tw_bake(&set, &def, NULL, &err) != TW_OK) printf("%s\n", err.text);
    return set;
}

// places as Pd holds them
static const float places[POINTS + PICKUPS][6] = {{0.1f, 0.01f, 0.005f, 0, 0, 1},
                                                  {0, 0, 0.005f, 0, 1, 1},
                                                  {-0.05f, 0.01f, -0.005f, 0, 0, -2},
                                                  {-0.1f, 0, 0.005f, 0, 0, 1},
                                                  {0.03f, -0.01f, 0, 0, 1, 0}};

static twModePoint point_at(const twModeSet* set, const float* place)
{
    twModePoint point = {.vertex = tw_mode_set_nearest(set, tw_vec3(place[0], place[1], place[2]))};
    // directions may have any length
    double x = place[3], y = place[4], z = place[5], length = sqrt(x * x + y * y + z * z);
    point.direction = tw_vec3(x / length, y / length, z / length);
    return point;
}

static int render(const twModeSet* set)
{
    twModePoint points[POINTS + PICKUPS];
    twModes* modes;
    twBank* bank;
    for (int i = 0; i < POINTS + PICKUPS; i++) points[i] = point_at(set, places[i]);
    ENSURE(tw_mode_set_modes(&modes, set, points, POINTS, points + POINTS, PICKUPS, NULL, NULL, NULL) == TW_OK);
    ENSURE(modes->freq_hz[modes->mode_count - 1] < 24000);
    twBankObject object = tw_bank_object(modes);
    object.input_count = POINTS, object.output_count = PICKUPS, object.quantity = TW_VELOCITY;
    twBankDef def = tw_bank_def();
    def.object_count = 1, def.objects = &object;
    ENSURE(tw_bank_create(&bank, &def, NULL) == TW_OK);
    for (int i = 0; i < POINTS; i++) tw_bank_impulse(bank, 0, i, (float)(0.01 * (i + 1)));
    memset(wanted, 0, sizeof wanted);
    for (int at = 0; at < N; at += 64)
    {
        float* out[] = {wanted[0] + at, wanted[1] + at};
        tw_bank_process(bank, NULL, out, N - at < 64 ? N - at : 64);
    }
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}

static void write_object(char* text, size_t size, const char* file)
{
    size_t used = (size_t)snprintf(text, size, "twang_modal~ -points %d -pickups %d -load %s", POINTS, PICKUPS, file);
    for (int i = 0; i < POINTS + PICKUPS; i++)
    {
        const float* p = places[i];
        used += (size_t)snprintf(text + used, size - used, " -%s %d %g %g %g %g %g %g", i < POINTS ? "shape" : "pickup",
                                 i < POINTS ? i : i - POINTS, p[0], p[1], p[2], p[3], p[4], p[5]);
    }
}

// what Pd plays of a file at a pickup, into heard
static int play(const char* file, int pickup)
{
    char object[1024];
    write_object(object, sizeof object, file);
    subject(object, pickup, "64", N);
    driver(1000.0 * N / 48000 + 50, "\\; test-msg strike 0.01 0 \\; test-msg strike 0.02 1 \\; test-msg strike 0.03 2",
           0, "");
    int code = pd_run(48000, "", "subject.pd", "driver.pd");
    if (code != 0 || says_trouble() || strstr(pd_log, "error: twang")) printf("%s\n", pd_log);
    ENSURE(code == 0 && !says_trouble() && !strstr(pd_log, "error: twang"));
    ENSURE(read_floats("result.wav", heard, N) == N);
    return 0;
}

static int a_baked_body_sounds_in_pd_as_in_the_library(void)
{
    twModeSet* set = bake_bar();
    ENSURE(set && tw_mode_set_save(set, in_folder("bar.twmodes"), NULL) == TW_OK);
    if (render(set)) return 1;
    for (int k = 0; k < PICKUPS; k++)
    {
        double loudest = 0;
        if (play("bar.twmodes", k)) return 1;
        for (int i = 0; i < N; i++)
        {
            if (memcmp(&heard[i], &wanted[k][i], sizeof heard[i]) != 0)
                printf("pickup %d, sample %d is %.9g, the library says %.9g\n", k, i, heard[i], wanted[k][i]);
            ENSURE(memcmp(&heard[i], &wanted[k][i], sizeof heard[i]) == 0);
            loudest = fmax(loudest, fabs(heard[i]));
        }
        ENSURE(loudest > 1e-3);
    }
    tw_mode_set_destroy(set);
    return 0;
}

// energy of the difference of what Pd plays and what was wanted over that of what was wanted, in the second half
static double off_by(const float* right)
{
    double off = 0, all = 0;
    for (int i = N / 2; i < N; i++)
    {
        off += pow((double)heard[i] - (double)right[i], 2);
        all += pow((double)right[i], 2);
    }
    return off / all;
}

// modes decay by the power that they radiate, too; without it the sound is another
static int a_baked_file_brings_what_the_air_takes(void)
{
    double decay[32], most = 0;
    twModeSet* dry = bake_bar();
    twTransfer* air;
    ENSURE(dry && dry->mode_count <= 32);
    twTransferBakeDef def = tw_transfer_bake_def(dry);
    def.min_panels = def.max_panels = 300;
    ENSURE(tw_bake_transfer(&air, &def, NULL, NULL) == TW_OK);
    twModeSet file = *dry, wet = *dry;
    file.transfer = air;
    ENSURE(tw_mode_set_save(&file, in_folder("air.twmodes"), NULL) == TW_OK);
    for (int k = 0; k < dry->mode_count; k++)
    {
        decay[k] = dry->decay[k] + tw_transfer_decay(air, k);
        most = fmax(most, decay[k] / dry->decay[k]);
    }
    ENSURE(most > 1.5);
    wet.decay = decay;
    if (play("air.twmodes", 0) || render(&wet)) return 1;
    const double with = off_by(wanted[0]);
    if (render(dry)) return 1;
    const double without = off_by(wanted[0]);
    printf("decays grow by up to %.2f; off by %.2g with it, by %.2g without\n", most, with, without);
    ENSURE(with < 1e-9 && without > 1e-2);
    tw_transfer_destroy(air);
    tw_mode_set_destroy(dry);
    return 0;
}

// what is no file of modes, or was cut off, is refused with its name, and the object goes on as it is
static int a_damaged_file_is_refused(void)
{
    static char bytes[1 << 22];
    FILE* file = fopen(in_folder("bar.twmodes"), "rb");
    ENSURE(file);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (int way = 0; way < 2; way++)
    {
        if (way == 1) bytes[count / 2] ^= 1;
        FILE* to = fopen(in_folder("broken.twmodes"), "wb");
        size_t length = way == 0 ? count / 2 : count;
        ENSURE(to && fwrite(bytes, 1, length, to) == length && fclose(to) == 0);
        subject("twang_modal~ -load broken.twmodes", 0, "64", N);
        driver(250, "\\; test-msg strike 0.01", 0, "");
        ENSURE(pd_run(48000, "", "subject.pd", "driver.pd") == 0 && !says_trouble());
        ENSURE(strstr(pd_log, "error: twang_modal~: ") && strstr(pd_log, "broken.twmodes"));
        ENSURE(read_floats("result.wav", heard, N) == N && heard[100] != 0);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_baked_body_sounds_in_pd_as_in_the_library)
    RUN(a_baked_file_brings_what_the_air_takes)
    RUN(a_damaged_file_is_refused)
)
