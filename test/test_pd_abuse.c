// SPDX-License-Identifier: MIT
// The externals in real Pd under abuse: messages of every wrong kind, infinite and missing numbers, signals that are none, many
// instances, DSP on and off, rates that change. Nothing may crash, hang, or sound as what is not a number.
#define _GNU_SOURCE
#include "pd.h"

enum
{
    MOST = 1 << 18
};
static float heard[MOST];

// ---- rates and instances ----

// the sample rate doubles while it sounds: it goes on from where it is
static int another_rate_goes_on_without_a_click(void)
{
    static const char* const objects[] = {"twang_friction~ -noise 0", "twang_modal~ -series bar 440 6", "twang_rod~"};
    for (int i = 0; i < 3; i++)
    {
        subject(objects[i], 0, "64 1 1", 9600 + 19200);
        driver(450, i == 0 ? "\\; test-nobody bang" : "\\; test-msg bang", 200.5, "\\; test-block set 64 1 2");
        ENSURE(pd_run(48000, "", "subject.pd", "driver.pd") == 0 && !says_trouble());
        ENSURE(read_floats("result.wav", heard, MOST) == 9600 + 19200);
        double usual = 0, step = 0, late = 0;
        for (int k = 6000; k < 9590; k++) usual = fmax(usual, fabs(heard[k] - heard[k - 1]));
        for (int k = 9590; k < 9800; k++) step = fmax(step, fabs(heard[k] - heard[k - 1]));
        for (int k = 9700; k < 20000; k++) late = fmax(late, fabs(heard[k]));
        if (!(usual > 0 && step <= 1.5 * usual && late > 1e-4)) printf("%s: %g %g %g\n", objects[i], usual, step, late);
        ENSURE(usual > 0 && step <= 1.5 * usual && late > 1e-4);
    }
    return 0;
}

static int many_instances_and_dsp_on_and_off(void)
{
    static const char* const objects[] = {"modal", "impact", "friction", "scrape", "roll", "rod", "net"};
    patch_begin();
    patch_add(
        "#N canvas 0 0 600 400 12;\n#X obj 0 0 table result 64;\n#X obj 0 0 metro 7;\n#X obj 0 0 r test-msg;\n#X obj 0 0 f;\n");
    patch_add(
        "#X obj 0 0 == 0;\n#X msg 0 0 \\; pd dsp \\$1;\n#X connect 2 0 1 0;\n#X connect 1 0 3 0;\n#X connect 3 0 4 0;\n");
    patch_add("#X connect 4 0 3 1;\n#X connect 4 0 5 0;\n");
    for (int i = 0; i < 210; i++) patch_add("#X obj 0 0 twang_%s~;\n", objects[i % 7]);
    ENSURE(patch_save("subject.pd"));
    driver(100, "\\; test-msg 1", 0, "");
    ENSURE(pd_run(48000, "", "subject.pd", "driver.pd") == 0 && !says_trouble());
    return 0;
}

// what is deleted while it sounds goes without a trace; built with sanitizers, memory that is lost fails too
static int objects_come_and_go_while_dsp_is_on(void)
{
    static const char* const objects[] = {"twang_modal~ -points 3 -pickups 2",
                                          "twang_modal~ -load nosuch.twmodes -freq -1",
                                          "twang_impact~ -series string 200 30",
                                          "twang_friction~ -oversample 4",
                                          "twang_scrape~",
                                          "twang_roll~ -radius -1",
                                          "twang_rod~ -points 12",
                                          "twang_net~ -object a mass 1 -object b freq 300 -contact c a b -friction c",
                                          "twang_net~"};
    patch_begin();
    patch_add(
        "#N canvas 0 0 600 400 12;\n#N canvas 0 0 450 300 sub 0;\n#X restore 10 10 pd sub;\n#X obj 0 0 table result 64;\n");
    patch_add(
        "#X obj 0 0 r test-msg;\n#X obj 0 0 metro 4;\n#X obj 0 0 t b b;\n#X msg 0 0 \\; pd-sub clear;\n#X msg 0 0");
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) patch_add(" \\; pd-sub obj 10 10 %s", objects[i]);
    patch_add(
        ";\n#X obj 0 0 del 2;\n#X connect 2 0 3 0;\n#X connect 3 0 4 0;\n#X connect 4 1 6 0;\n#X connect 4 0 7 0;\n");
    patch_add("#X connect 7 0 5 0;\n");
    ENSURE(patch_save("subject.pd"));
    driver(120, "\\; test-msg 1", 0, "");
    int code = pd_run(48000, "", "subject.pd", "driver.pd");
    if (code != 0 || says_trouble()) printf("%s\n", pd_log);
    ENSURE(code == 0 && !says_trouble() && strstr(pd_log, "radius"));
    return 0;
}

// ---- abuse ----

static int errors_name_the_object_and_what_would_be_right(void)
{
    static const char* const wrong[][2] = {
        {"twang_friction~ 440", "twang_friction~: creation arguments are messages with a dash"},
        {"twang_friction~ -frequency 440", "twang_friction~: no method for 'frequency'"},
        {"twang_impact~ -stiffness soft", "twang_impact~: stiffness: 'soft' where a finite number should be"},
        {"twang_rod~ -length 0", "twang_rod~: length [m] 0 of a wire must be in [0.001, 100]"},
        {"twang_rod~ -strike 1 2", "twang_rod~: strike 2 must be in [0, 1]"},
        {"twang_rod~ -strike 1 0.5 3 4", "twang_rod~: strike takes at most 3 numbers, not 4"},
        {"twang_modal~ -points 0", "twang_modal~: points 0 must be in [1, 64]"},
        {"twang_modal~ -load nosuch.twmodes", "twang_modal~: load: there is no nosuch.twmodes beside the patch"},
        {"twang_net~ -object bell", "twang_net~: object: argument 2 is missing where a word should be"},
        {"twang_net~ -contact c a b", "twang_net~: "},
        {"twang_scrape~ -freq 440 880 -t60 1 2 3", "twang_scrape~: 3 numbers for decay: give one, or 2, one per mode"},
        {"twang_modal~ -t60 0", "twang_modal~: t60 0 must be at least 1e-05 s"},
        {"twang_modal~ -series bar 440 1e+06", "twang_modal~: 1000000 modes: give 1 to 65536"},
        {"twang_rod~ -young 1e+31", "twang_rod~: Young's modulus [Pa] 1e+31 of a wire must be in"},
        {"twang_rod~ -loss_factor 1", "twang_rod~: loss factor 1 of a wire must be in [0, 0.999]"},
        {"twang_rod~ -material tin", "twang_rod~: material takes the name of a built-in material"},
        {"twang_net~ -object a mass 1 -contact c a wall -impact c stiffness 1 stiffness 1 stiffness 1 stiffness 1 "
         "stiffness 1 stiffness 1 stiffness 1 stiffness 1 stiffness 1 stiffness 1 stiffness 1 stiffness 1 stiffness 1 "
         "stiffness 1 stiffness 1 stiffness 1 beauty 1",
         "twang_net~: impact takes at most 16 parameters at once"},
        {"twang_roll~ -asymmetry 7", "twang_roll~: asymmetry 7 must be in [0, 1]"},
    };
    patch_begin();
    patch_add("#N canvas 0 0 600 400 12;\n#X obj 0 0 table result 64;\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) patch_add("#X obj 0 0 %s;\n", wrong[i][0]);
    ENSURE(patch_save("subject.pd"));
    driver(20, "\\; test-nobody bang", 0, "");
    ENSURE(pd_run(48000, "", "subject.pd", "driver.pd") == 0 && !strstr(pd_log, "couldn't create"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        if (!strstr(pd_log, wrong[i][1])) printf("%s: %s\n", wrong[i][0], pd_log);
        ENSURE(strstr(pd_log, wrong[i][1]));
    }
    return 0;
}

// modes above half the sample rate are left out, of what should be thrown all of them
static int what_has_no_modes_cannot_be_thrown(void)
{
    static const char* const tries[][3] = {
        {"twang_impact~ -exciter freq 30000", "\\; test-msg drop 0.1 \\; test-msg reset \\; test-msg bang",
         "twang_impact~: the exciter has no mode below half the sample rate"},
        {"twang_net~ -object a freq 30000 -contact c a wall -impact c",
         "\\; test-msg throw a 0 1 \\; test-msg strike c 1", "twang_net~: throw: 'a' has no mode below half the"},
    };
    for (int i = 0; i < 2; i++)
    {
        subject(tries[i][0], 0, "64", 64);
        driver(40, tries[i][1], 20, tries[i][1]);
        int code = pd_run(48000, "", "subject.pd", "driver.pd");
        if (code != 0 || !strstr(pd_log, tries[i][2])) printf("%s: %s\n", tries[i][0], pd_log);
        ENSURE(code == 0 && !says_trouble() && strstr(pd_log, tries[i][2]));
    }
    return 0;
}

// a reset takes back what was before it, not what comes after it in the same message box
static int a_throw_after_a_reset_is_kept(void)
{
    subject("twang_impact~", 3, "64", 9600);
    driver(250, "\\; test-msg strike 1", 100, "\\; test-msg reset \\; test-msg drop 0.1");
    ENSURE(pd_run(48000, "", "subject.pd", "driver.pd") == 0 && !strstr(pd_log, "error: twang"));
    ENSURE(read_floats("result.wav", heard, MOST) == 9600);
    // no force: it stays where it was put
    ENSURE_NEAR(heard[9000], -0.1, 1e-7);
    // while something fades the silence has to wait, and says so
    driver(250, "\\; test-msg strike 1", 100,
           "\\; test-msg reset \\; test-msg drop 0.1 \\; test-msg reset \\; test-msg drop 0.2");
    ENSURE(pd_run(48000, "", "subject.pd", "driver.pd") == 0 && strstr(pd_log, "twang_impact~: reset still waits"));
    return 0;
}

// clang-format off
static const char* const abuse[] = {
    "freq", "freq -1", "freq 1e+30", "freq 1e+39", "freq foo 3", "freq 30000", "freq 0 0 0", "series", "series bar",
    "series pear 3 4", "series bar 440 -3", "series bar 0 5", "series bar 440 1e+09", "series bar 1e+39 2", "shape",
    "shape 0", "shape 99 1", "shape -1 1", "shape 0 1e+39", "shape 0 1 2 3 4 5 6 7", "pickup 0 1 2 3",
    "pickup 1e+39 0", "mass 0", "mass -1 2 3", "mass 1e+39", "decay 1e+30", "decay -1", "t60 0", "t60 -1",
    "t60 1e+39", "pitch 0", "pitch -2", "pitch 1000", "pitch 1", "dampen -1", "dampen 1e+06", "dampen 1",
    "material cheese", "material 5", "material", "load nosuch.twmodes", "load 5", "load subject.pd", "load",
    "point 99", "point -1", "point foo", "oversample 0", "oversample 1e+09", "oversample -3", "stiffness -1",
    "stiffness 1e+39", "stiffness 1e+15", "exponent 0", "exponent 1e+39", "dissipation -1", "static 0", "dynamic 5",
    "stribeck 0", "breakaway 1", "sigma0", "sigma0 foo", "sigma1 1e+12", "mud 0.1", "mus 900", "strike foo",
    "strike 1e+30", "strike 1e+39", "strike 1 99", "strike 1 -5", "strike 1000", "pluck 1 2", "pluck 1e+39",
    "pluck 100 0.5 1", "drop -1", "drop 1e+39", "gap 1e+30", "gap -0.001", "exciter", "exciter 5", "exciter freq",
    "exciter mass -1", "exciter mass 1e-09", "exciter freq 0 100 1e+39", "rms -1", "rms 1", "longest 0",
    "longest 1e+39", "shortest 1e+09", "beta 99", "radius 1e+09", "radius -3", "seed -5", "weight -1",
    "asymmetry 7", "speed 1e+30", "speed 1e+39", "speed -500", "force 1e+39", "force 1e+06", "force 0", "normal -5",
    "normal 1e+39", "normal 1e+06", "normal 1", "bowat 7", "pushat -1", "hold tight", "hold free", "length 0",
    "length 1e+39", "young 0", "stretch 0.5", "alpha -1", "beta 0.5", "quantity beauty", "quantity displacement",
    "model 7", "model nobody", "roughness 1e+39", "object", "object 5", "object a.b mass 1", "object wall mass 1",
    "object x", "object x mass -1", "object x freq 100 200", "object y mass 0.01", "contact", "contact c x",
    "contact c x nobody", "contact c x x", "contact c y x.9", "contact c y x.1", "impact nobody",
    "impact c stiffness", "impact c stiffness -1", "impact c beauty 5", "impact c stiffness 1e+12",
    "friction c damping 1e+39", "friction c", "in 0 force nobody", "in 99 force x", "in -1 force x",
    "in 0 normal c", "in 0", "in", "out 0 beauty x", "out 0 velocity x", "out 5 velocity x", "out 0",
    "gap c -1e+39", "normal c 1e+39", "throw nobody 0 0", "throw y 1e+39 0", "throw y -0.01 5", "strike c 1e+39",
    "strike c 3", "strike nobody 1", "reset", "info", "list 1 2 3", "bang", "float 5", "symbol foo", "clear",
    "strike 1",
};
// clang-format on

// messages come to the object every 5 ms; numbers that are none come as messages and as a signal
static void abuse_patch(const char* object)
{
    subject(object, 0, "64", 48000);
    patch_add("#X obj 0 0 r test-msg2;\n#X obj 0 0 expr \\$f1-\\$f1;\n#X msg 0 0 stiffness \\$1;\n");
    patch_add("#X msg 0 0 freq \\$1 \\$1;\n#X msg 0 0 strike \\$1;\n#X msg 0 0 force \\$1;\n");
    patch_add(
        "#X obj 0 0 s test-msg;\n#X obj 0 0 s test-sig;\n#X connect 2 0 3 0;\n#X connect 2 0 9 0;\n#X connect 3 0 9 0;\n");
    for (int k = 4; k < 8; k++)
        patch_add("#X connect 3 0 %d 0;\n#X connect 2 0 %d 0;\n#X connect %d 0 8 0;\n", k, k, k);
    patch_save("subject.pd");
}

enum
{
    ABUSES = sizeof abuse / sizeof *abuse
};

// objects from 8 on: a delay and a message for each
static void abuse_later(int index, int ms, const char* text)
{
    patch_add("#X obj 0 0 del %d;\n#X msg 0 0 %s;\n#X connect 1 0 %d 0;\n#X connect %d 0 %d 0;\n", ms, text,
              8 + 2 * index, 8 + 2 * index, 9 + 2 * index);
}

static void abuse_driver(void)
{
    patch_begin();
    patch_add("#N canvas 0 0 600 400 12;\n#X obj 0 0 loadbang;\n#X obj 0 0 t b b b;\n");
    patch_add("#X msg 0 0 \\; test-go bang \\; test-msg2 1e+39 \\; pd dsp 1;\n#X obj 0 0 del %d;\n", 5 * ABUSES + 50);
    patch_add("#X obj 0 0 t b b;\n#X msg 0 0 \\; pd quit;\n#X msg 0 0 write -wave -bytes 4 result.wav result;\n");
    patch_add("#X obj 0 0 soundfiler;\n#X connect 0 0 1 0;\n#X connect 1 2 2 0;\n#X connect 1 1 3 0;\n");
    patch_add("#X connect 3 0 4 0;\n#X connect 4 1 6 0;\n#X connect 4 0 5 0;\n#X connect 6 0 7 0;\n");
    for (int k = 0; k < ABUSES; k++)
    {
        char text[256];
        snprintf(text, sizeof text, "\\; test-msg %s", abuse[k]);
        abuse_later(k, 5 * k + 1, text);
    }
    abuse_later(ABUSES, ABUSES, "\\; test-sig 0");
    abuse_later(ABUSES + 1, 2 * ABUSES, "\\; test-sig 1e+39");
    abuse_later(ABUSES + 2, 3 * ABUSES, "\\; test-sig -1e+20");
    abuse_later(ABUSES + 3, 4 * ABUSES, "\\; test-sig 0.5");
    patch_save("driver.pd");
}

static int nothing_that_is_sent_breaks_an_object(void)
{
    static const char* const objects[] = {
        "twang_modal~ -points -4 -pickups 1e+09",
        "twang_impact~ -points 0 foo -stiffness -1",
        "twang_friction~ -freq -5 -t60 0",
        "twang_scrape~ -rms -1 -longest 0",
        "twang_roll~ -radius 1e+09",
        "twang_rod~ -points 1 -length -1 -hold tight",
        "twang_net~ -ins -3 -outs 1e+39",
    };
    for (int i = 0; i < 7; i++)
    {
        char name[32];
        abuse_patch(objects[i]);
        abuse_driver();
        int code = pd_run(48000, "", "subject.pd", "driver.pd");
        if (code != 0 || getenv("TEST_PD_LOG")) printf("%s\n%s\n", objects[i], pd_log);
        ENSURE(code == 0 && !strstr(pd_log, "couldn't create"));
        // what was wrong is said, and by whom
        snprintf(name, sizeof name, "%.*s: ", (int)strcspn(objects[i], " "), objects[i]);
        ENSURE(strstr(pd_log, name) && strstr(pd_log, "must be in"));
        int n = read_floats("result.wav", heard, MOST), loud = 0;
        ENSURE(n == 48000);
        for (int k = 0; k < n; k++)
        {
            if (!isfinite(heard[k])) printf("%s: sample %d is %g\n", objects[i], k, heard[k]);
            ENSURE(isfinite(heard[k]));
            loud += heard[k] != 0;
        }
        // it still sounds, in the end or before
        if (loud <= 1000) printf("%s: %d samples are not 0\n", objects[i], loud);
        ENSURE(loud > 1000);
    }
    return 0;
}

// ---- at random ----

static unsigned state;

static unsigned draw(unsigned below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

// a number of any size, often a usual one
static void random_number(char* text, size_t size)
{
    static const char* const odd[] = {"0",   "-1", "1e+30", "-1e+30", "1e-30", "1e+38",
                                      "0.5", "1",  "2",     "3",      "nan",   "foo"};
    if (draw(3) == 0)
        snprintf(text, size, "%s", odd[draw(12)]);
    else
        snprintf(text, size, "%.6g", (draw(8) == 0 ? -1 : 1) * pow(10, (double)draw(1600) / 100 - 8));
}

static void random_message(char* text, size_t size)
{
    static const char* const words[] = {"freq",
                                        "series bar",
                                        "series string",
                                        "decay",
                                        "t60",
                                        "mass",
                                        "shape 0",
                                        "pickup 0",
                                        "pitch",
                                        "dampen",
                                        "point",
                                        "oversample",
                                        "force",
                                        "normal",
                                        "speed",
                                        "stiffness",
                                        "exponent",
                                        "dissipation",
                                        "damping",
                                        "viscosity",
                                        "noise",
                                        "static",
                                        "dynamic",
                                        "stribeck",
                                        "breakaway",
                                        "roughness",
                                        "seed",
                                        "rms",
                                        "beta",
                                        "longest",
                                        "radius",
                                        "shortest",
                                        "weight",
                                        "asymmetry",
                                        "length",
                                        "stretch",
                                        "young",
                                        "density",
                                        "alpha",
                                        "bowat",
                                        "pushat",
                                        "strike",
                                        "pluck",
                                        "drop",
                                        "gap",
                                        "exciter mass",
                                        "exciter freq",
                                        "object a mass",
                                        "object b freq",
                                        "contact c a b",
                                        "impact c stiffness",
                                        "friction c damping",
                                        "strike c",
                                        "throw a",
                                        "gap c",
                                        "normal c",
                                        "in 0 force a",
                                        "out 0 velocity b",
                                        "reset",
                                        "bang",
                                        "hold free",
                                        "hold pinned",
                                        "model lugre",
                                        "material glass",
                                        "quantity displacement"};
    size_t used = (size_t)snprintf(text, size, "%s", words[draw(sizeof words / sizeof *words)]);
    for (unsigned count = draw(20) == 0 ? 40 : draw(4); count > 0; count--)
    {
        char number[32];
        random_number(number, sizeof number);
        used += (size_t)snprintf(text + used, size - used, " %s", number);
    }
}

// messages 1 to 4 ms apart; the object may run in blocks of any size
static int fuzz(const char* object, const char* block, double rate_hz, int messages)
{
    double at = 1;
    patch_begin();
    patch_add(
        "#N canvas 0 0 600 400 12;\n#X obj 0 0 loadbang;\n#X obj 0 0 t b b b;\n#X msg 0 0 \\; test-go bang \\; pd dsp 1;\n");
    patch_add("#X obj 0 0 qlist;\n#X msg 0 0 clear");
    for (int i = 0; i < messages; i++)
    {
        char text[1024];
        random_message(text, sizeof text);
        double wait = 1 + draw(4);
        patch_add(" \\, add %g test-msg %s", wait, text);
        at += wait;
    }
    patch_add(" \\, bang;\n#X obj 0 0 del %g;\n#X obj 0 0 t b b;\n#X msg 0 0 \\; pd quit;\n", at + 100);
    patch_add("#X msg 0 0 write -wave -bytes 4 result.wav result;\n#X obj 0 0 soundfiler;\n");
    patch_add(
        "#X connect 0 0 1 0;\n#X connect 1 2 2 0;\n#X connect 1 1 4 0;\n#X connect 4 0 3 0;\n#X connect 1 0 5 0;\n");
    patch_add("#X connect 5 0 6 0;\n#X connect 6 1 8 0;\n#X connect 8 0 9 0;\n#X connect 6 0 7 0;\n");
    ENSURE(patch_save("driver.pd"));
    int n = (int)(at * rate_hz / 1000);
    subject(object, 0, block, n < MOST ? n : MOST);
    int code = pd_run(rate_hz, "", "subject.pd", "driver.pd");
    if (code != 0 || getenv("TEST_PD_LOG")) printf("%s in blocks of %s at %g Hz: %s\n", object, block, rate_hz, pd_log);
    ENSURE(code == 0);
    int got = read_floats("result.wav", heard, MOST);
    ENSURE(got > 0);
    for (int k = 0; k < got; k++)
    {
        // forces go up to a million N here; what is louder is no sound of these
        if (!(fabs(heard[k]) < 1e12)) printf("%s: sample %d is %g\n", object, k, heard[k]);
        ENSURE(fabs(heard[k]) < 1e12);
    }
    return 0;
}

// seconds of sound at random; TEST_PD_FUZZ=20 makes it twenty times as long
static int messages_at_random_break_nothing_at_any_rate_in_any_block(void)
{
    static const char* const objects[] = {"modal", "impact", "friction", "scrape", "roll", "rod", "net"};
    static const char* const blocks[] = {"1", "16", "64", "512", "4096"};
    static const double rates[] = {8000, 22050, 44100, 48000, 96000, 192000};
    const char* times = getenv("TEST_PD_FUZZ");
    int rounds = times ? atoi(times) : 1;
    for (int i = 0; i < 7 * rounds; i++)
    {
        char object[64];
        state = 77u + (unsigned)i;
        snprintf(object, sizeof object, "twang_%s~ -pickups 2", objects[i % 7]);
        const char* block = blocks[draw(5)];
        if (fuzz(object, block, rates[draw(6)], 120)) return 1;
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(another_rate_goes_on_without_a_click)
    RUN(many_instances_and_dsp_on_and_off)
    RUN(objects_come_and_go_while_dsp_is_on)
    RUN(errors_name_the_object_and_what_would_be_right)
    RUN(what_has_no_modes_cannot_be_thrown)
    RUN(a_throw_after_a_reset_is_kept)
    RUN(nothing_that_is_sent_breaks_an_object)
    RUN(messages_at_random_break_nothing_at_any_rate_in_any_block)
)
