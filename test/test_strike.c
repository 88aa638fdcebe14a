// SPDX-License-Identifier: MIT
// Tests of `twang modes`, `strike` and `info` on bodies, as a user runs them. Pitch and decay are measured from the WAV: with
// X(t) the sound under a Hann window at time t, turned back by exp(-2 pi i f t), a mode at f + d that decays by c gives
// X(t + h)/X(t) = exp((2 pi i d - c) h).
#define _GNU_SOURCE  // pipe2(), F_SETPIPE_SZ
#include "scratch.h"
#include "test.h"
#include "twang/math.h"
#include "twang/media.h"
#include "twang/modal.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (1 << 18)
#define MAX_MODES 16

static char output[OUTPUT_MAX];

// run `twang args`, with a cache of the test's own; what it prints goes to output. @return exit code
static int run(const char* args)
{
    char command[4096];
    snprintf(command, sizeof command,
             "cd '%s' && export XDG_CACHE_HOME=\"$PWD\" OPENBLAS_NUM_THREADS=1 && '%s/twang' %s", scratch_folder(),
             TEST_BIN_DIR, args);
    FILE* pipe = popen(command, "r");
    if (!pipe) return -1;
    size_t used = fread(output, 1, OUTPUT_MAX - 1, pipe);
    output[used] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool says(const char* text) { return strstr(output, text) != NULL; }

// the numbers of a flat array in the JSON of the last run. @return how many
static int numbers(const char* key, double* values)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": [", key);
    const char* at = strstr(output, quoted);
    int count = 0;
    for (at = at ? at + strlen(quoted) : ""; count < MAX_MODES; at++)
    {
        char* end;
        double value = strtod(at, &end);
        if (end == at) break;
        values[count++] = value;
        at = end;
        if (*at != ',') break;
    }
    return count;
}

static double number(const char* key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char* at = strstr(output, quoted);
    return at ? strtod(at + strlen(quoted), NULL) : NAN;
}

// ---- the sound of a strike ----

// the sound around a time, as seen from a frequency; false if the file ends before
static bool look(const twWav* wav, double start, double width, double freq_hz, double* re, double* im)
{
    int64_t first = (int64_t)llround(start * wav->rate_hz), n = (int64_t)llround(width * wav->rate_hz);
    *re = *im = 0;
    if (first + n > wav->frames) return false;
    for (int64_t i = 0; i < n; i++)
    {
        double t = (double)(first + i) / wav->rate_hz, hann = 0.5 - 0.5 * cos(2 * TW_PI * (double)i / (double)n);
        double x = hann * wav->samples[first + i];
        *re += x * cos(2 * TW_PI * freq_hz * t);
        *im -= x * sin(2 * TW_PI * freq_hz * t);
    }
    return true;
}

// Every mode that sounds alone in its part of the spectrum has its pitch within a cent and its decay within 2 %.
static int check_sound(const char* args, int least_checked)
{
    char command[1024];
    double freq[MAX_MODES], decay[MAX_MODES];
    snprintf(command, sizeof command, "strike %s --json -o s.wav", args);
    ENSURE(run(command) == 0);
    int count = numbers("frequencies_hz", freq), checked = 0;
    ENSURE(count > 0 && numbers("decay_per_s", decay) == count);
    twWav* wav;
    ENSURE(tw_wav_load(&wav, in_folder("s.wav"), 0, NULL) == TW_OK);
    for (int k = 0; k < count; k++)
    {
        // a window in which the mode falls to a tenth, but not so long that slow modes take all the file
        double width = fmin(0.2, 2.3 / decay[k]), apart = INFINITY, start = 0.02, step = 0.5 * width;
        for (int i = 0; i < count; i++)
            if (i != k) apart = fmin(apart, fabs(freq[i] - freq[k]));
        double re0, im0, re1, im1;
        if (apart * width < 8 || freq[k] * width < 16 || !look(wav, start, width, freq[k], &re0, &im0)) continue;
        if (!look(wav, start + step, width, freq[k], &re1, &im1) || hypot(re0, im0) < 1e-3 * width) continue;
        double off = atan2(im1 * re0 - re1 * im0, re1 * re0 + im1 * im0) / (2 * TW_PI * step);
        double fell = log(hypot(re0, im0) / hypot(re1, im1)) / step;
        ENSURE_NEAR(1200 * log2(1 + off / freq[k]), 0, 1);
        ENSURE_NEAR(fell / decay[k], 1, 0.02);
        checked++;
    }
    tw_wav_destroy(wav);
    if (checked < least_checked) printf("%s: %d modes checked\n", args, checked);
    ENSURE(checked >= least_checked);
    return 0;
}

static int a_bar_of_metal_has_the_pitch_and_decay_of_its_modes(void)
{
    // at a corner, where it answers both ways
    return check_sound("bar:0.3048x0.0254x0.0127 --material aluminium --count 8 --accuracy 20 --hardness metal "
                       "--at 0.1524,0.0127,0.00635",
                       5);
}

static int a_beam_of_wood_has_the_pitch_and_decay_of_its_modes(void)
{
    return check_sound("bar:0.9x0.06x0.03 --material oak --count 4 --accuracy 20 --hardness wood --at 0.45,0.03,0.015",
                       2);
}

static int a_held_ruler_has_the_pitch_and_decay_of_its_modes(void)
{
    return check_sound(
        "bar:0.2x0.02x0.004 --material steel --fix 'x<-0.0999' --count 5 --accuracy 20 --at 0.1,0.01,0.002 "
        "--hardness wood --loss-factor 0.002",
        3);
}

static int a_plate_of_glass_has_the_pitch_and_decay_of_its_modes(void)
{
    return check_sound("plate:0.2x0.15x0.008 --material glass --count 5 --accuracy 20 --hardness metal", 3);
}

static int a_tube_of_steel_has_the_pitch_and_decay_of_its_modes(void)
{
    // pairs that are equal sound as one
    return check_sound("tube:0.3x0.04x0.004 --material steel,0.001 --count 1 --accuracy 20 --hardness metal", 1);
}

static int a_bar_of_two_materials_has_the_pitch_and_decay_of_its_modes(void)
{
    return check_sound("bar:0.3x0.02x0.01 --material brass --material 'x>0.1=nylon' --count 5 --accuracy 20 "
                       "--hardness metal --at -0.15,0.01,0.005",
                       2);
}

static int a_mode_file_sounds_like_its_body_or_with_other_damping(void)
{
    ENSURE(run("modes bar:0.3048x0.0254x0.0127 --count 5 --accuracy 20 -o bar.twmodes") == 0);
    ENSURE(check_sound("bar.twmodes --hardness metal --at 0.1524,0.0127,0.00635", 3) == 0);
    ENSURE(check_sound("bar.twmodes --damping-curve 100:5,10000:20 --hardness metal --at 0.1524,0.0127,0.00635", 3) ==
           0);
    ENSURE_NEAR(numbers("decay_per_s", (double[MAX_MODES]){0}), 5, 0);
    ENSURE(check_sound("bar.twmodes --decay 3,4,5,6,7 --hardness metal --at 0.1524,0.0127,0.00635", 3) == 0);
    ENSURE(run("strike bar.twmodes --material glass -o s.wav 2>&1") == 2 && says("made already"));
    return 0;
}

// ---- damping by options ----

#define DAMPED 3
#define TWO "bar:0.3x0.02x0.01 --material aluminium --material 'x>0.1=nylon' --count 3 --accuracy 20 --json "

// decays of all modes with options, of a body or a file of modes. @return whether there are that many
static bool decays(double* freq, double* decay, const char* what, const char* options)
{
    char command[512];
    snprintf(command, sizeof command, "%s %s", what, options);
    return run(command) == 0 && numbers("frequencies_hz", freq) == DAMPED && numbers("decay_per_s", decay) == DAMPED;
}

// what options do to a body of two materials, aluminium and nylon
static int check_options(const char* what)
{
    double f[MAX_MODES], plain[MAX_MODES], d[MAX_MODES], more[MAX_MODES];
    ENSURE(decays(f, plain, what, ""));
    ENSURE(decays(f, d, what, "--t60 2") && decays(f, more, what, "--t60 2 --mounting hand"));
    for (int k = 0; k < DAMPED; k++) ENSURE_NEAR(d[k], log(1000) / 2, 1e-6);
    for (int k = 0; k < DAMPED; k++) ENSURE_NEAR(more[k] - d[k], 30, 1e-5);
    ENSURE(decays(f, d, what, "--mounting cloth") && decays(f, more, what, "--mounting free"));
    for (int k = 0; k < DAMPED; k++) ENSURE_NEAR(d[k] - plain[k], 70, 1e-5);
    for (int k = 0; k < DAMPED; k++) ENSURE_NEAR(more[k], plain[k], 0);
    // of both materials, with the same heat on top, which is that of aluminium
    ENSURE(decays(f, d, what, "--loss-factor 0.01") && decays(f, more, what, "--loss-factor 0.03"));
    for (int k = 0; k < DAMPED; k++) ENSURE_NEAR((more[k] - d[k]) / (TW_PI * f[k] * 0.02), 1, 1e-6);
    for (int k = 0; k < DAMPED; k++) ENSURE(d[k] > TW_PI * f[k] * 0.01 * (1 + 1e-5));
    return 0;
}

static int options_damp_all_materials_of_a_body(void)
{
    ENSURE(check_options("modes " TWO) == 0);
    ENSURE(run("modes " TWO "-o two.twmodes") == 0);
    return check_options("strike two.twmodes --json --duration 0.01 -o s.wav");
}

// heat comes on top of a loss factor alone, also in a file that was made with other damping
static int loss_factors_have_heat_on_top(void)
{
    const double volume = 0.3 * 0.02 * 0.002, area = 2 * (0.3 * 0.02 + 0.3 * 0.002 + 0.02 * 0.002);
    const twRelaxation heat = tw_material_thermoelastic(tw_material_find("aluminium"), 2 * volume / area);
    const char* body = "modes bar:0.3x0.02x0.002 --material aluminium --count 3 --accuracy 20 --json";
    double f[MAX_MODES], d[MAX_MODES], again[MAX_MODES];
    ENSURE(decays(f, d, body, "--alpha 3 -o a.twmodes") && says("\"cached\": false"));
    for (int k = 0; k < DAMPED; k++) ENSURE_NEAR(d[k], 1.5, 1e-12);
    ENSURE(decays(f, d, body, "--loss-factor 0.001"));
    for (int k = 0; k < DAMPED; k++)
        ENSURE_NEAR(d[k] / (TW_PI * f[k] * (0.001 + tw_relaxation_loss(heat, f[k]))), 1, 1e-9);
    ENSURE(decays(f, again, "strike a.twmodes --json --duration 0.01 --radiation estimate -o s.wav",
                  "--loss-factor 0.001"));
    for (int k = 0; k < DAMPED; k++) ENSURE_NEAR(again[k], d[k], 1e-12 * d[k]);
    return 0;
}

static int other_damping_is_no_other_analysis(void)
{
    static const char* const options[] = {
        "--loss-factor 0.01", "--loss-factor 0.02",    "--alpha 3 --beta 1e-7", "--t60 1",
        "--mounting hand",    "--damping-curve 100:1", "--decay 1,2,3",         "--material steel,0.004 "};
    const char* body = "modes bar:0.3x0.03x0.01 --count 3 --accuracy 20 --json";
    double f[MAX_MODES], d[MAX_MODES];
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        ENSURE(decays(f, d, body, options[i]) && says(i ? "\"cached\": true" : "\"cached\": false"));
    // another material is one
    ENSURE(decays(f, d, body, "--material brass") && says("\"cached\": false"));
    return 0;
}

// ---- what modes prints ----

static const char* const fields[] = {"frequencies_hz", "decay_per_s",
                                     "rigid_modes",    "nodes",
                                     "elements",       "error_estimate_percent",
                                     "seconds",        "peak_memory_bytes",
                                     "mesh",           "assemble",
                                     "order",          "factor",
                                     "solve",          "total",
                                     "materials"};

static int both_runs_print_all_fields(void)
{
    double nodes = 0, memory = 0, error = 0;
    for (int i = 0; i < 2; i++)
    {
        ENSURE(run("modes box:0.1x0.07x0.05 --count 3 --accuracy 20 --json") == 0);
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "\"%s\":", fields[k]);
            ENSURE(says(quoted));
        }
        ENSURE(says(i ? "\"cached\": true" : "\"cached\": false"));
        ENSURE(i == 0 || (number("nodes") == nodes && number("peak_memory_bytes") == memory &&
                          number("error_estimate_percent") == error));
        nodes = number("nodes");
        memory = number("peak_memory_bytes");
        error = number("error_estimate_percent");
        ENSURE(nodes > 0 && memory > 0 && error > 0 && number("elements") > 0 && number("rigid_modes") == 6);
    }
    return 0;
}

static int two_runs_at_once_agree(void)
{
    double first[MAX_MODES], second[MAX_MODES];
    char command[2048];
    const char* args = "modes box:0.1x0.07x0.03 --count 3 --accuracy 20 --json";
    snprintf(command, sizeof command,
             "--version >/dev/null; '%s/twang' %s >a.json & '%s/twang' %s >b.json; wait; cat a.json", TEST_BIN_DIR,
             args, TEST_BIN_DIR, args);
    ENSURE(run(command) == 0 && numbers("frequencies_hz", first) == 3);
    ENSURE(run("--version >/dev/null; cat b.json") == 0 && numbers("frequencies_hz", second) == 3);
    for (int k = 0; k < 3; k++) ENSURE_NEAR(first[k], second[k], 0);
    ENSURE(run("modes box:0.1x0.07x0.03 --count 3 --accuracy 20 --json") == 0 && says("\"cached\": true"));
    return 0;
}

static int culled_modes_are_reported_with_the_reason(void)
{
    ENSURE(run("modes bar:0.3x0.02x0.01 --count 6 --accuracy 20 --band 20,2000 --cull 10,1e-6 --json") == 0);
    double freq[MAX_MODES];
    int kept = numbers("frequencies_hz", freq);
    ENSURE(kept == number("kept") && kept > 0 && kept < 6);
    ENSURE(kept + number("too_high") + number("too_stiff") == 6 && number("too_high") > 0 && number("too_stiff") > 0);
    ENSURE(says("\"reason\": \"too high\"") && says("\"reason\": \"too stiff\""));
    ENSURE(run("modes bar:0.3x0.02x0.01 --count 6 --accuracy 20 --band 20,2000 --cull 10,1e-6") == 0);
    ENSURE(says("too stiff: 10 N move it by"));
    return 0;
}

static int wrong_options_are_refused_with_the_cure(void)
{
    const struct
    {
        const char *args, *cure;
    } cases[] = {
        {"--material stel", "did you mean 'steel'"},
        {"--material 7850,2e11", "DENSITY,YOUNG,POISSON,LOSS_FACTOR"},
        {"--material steel --material glass", "WHERE=MATERIAL"},
        {"--material head=steel", "has no regions"},
        {"--material 'x>0.05=steel'", "no material"},
        {"--fix 1,2", "ball:X,Y,Z,R"},
        {"--fix ball:9,9,9,1", "within 'ball:9,9,9,1', to be held; the nearest, 0.1,0.035,0.025, is"},
        {"--fix 'x>5'", "within 'x>5', to be held; the nearest, 0.1,"},
        {"--fix 'y<-3'", "within 'y<-3'"},
        {"--fix box:8,8,8,9,9,9", "within 'box:8,8,8,9,9,9'"},
        {"--fix 0.3,0,0", "at '0.3,0,0', to be held; the nearest, 0.1,0,0, is 0.2 m away, and the body reaches from"},
        {"--fix 0.111,0,0", "is 0.011 m away"},
        {"--fix 'w>5'", "x<A, x>A"},
        {"--fix 'x > 5'", "without blanks"},
        {"--material 'x>5=steel'", "within 'x>5'"},
        {"--damping-curve nofile", "nofile"},
        {"--damping-curve 100:1,50:2", "must rise"},
        {"--damping-curve 100", "FREQUENCY:DECAY"},
        {"--damping-curve 1:2,x", "'1:2,x', value 2: write FREQUENCY:DECAY"},
        {"--poisson 0.49995", "at most 0.4999"},
        {"--max-freq 10", "there is no mode up to 10 Hz; the lowest is at about"},
        {"--band 1,10", "3 too high"},
        {"--cull 1,1", "3 too stiff"},
        {"--scale 2", "lengths of shapes such as box:0.2x0.07x0.05 are in metres"},
        {"--units mm", "lengths of shapes"},
        {"--decay 1,2", "2 decays for 3 modes"},
        {"--decay -1,2,3", "negative"},
        {"--alpha 1 --t60 2", "one kind of damping"},
        {"--loss-factor 0.1 --decay 1,2,3", "one kind of damping"},
        {"--t60 0", "--t60"},
        {"--loss-factor 1", "--loss-factor"},
        {"--mounting nail", "'nail' is not free, hand or cloth"},
        {"--mounting hand --decay 1,2,3", "have the mounting in them"},
        {"--units yd", "m, dm, cm, mm, in, ft"},
        {"--units mm --scale 2", "not both"},
        {"--cull 1", "FORCE,MOTION"},
        {"--band 9,3", "LOW,HIGH"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char command[512];
        snprintf(command, sizeof command, "modes box:0.2x0.07x0.05 --count 3 --accuracy 20 %s 2>&1", cases[i].args);
        int code = run(command);
        if (code != 2 || !says(cases[i].cure)) printf("%s: exit %d: %s\n", cases[i].args, code, output);
        ENSURE(code == 2 && says(cases[i].cure));
    }
    return 0;
}

static int places_near_the_body_are_held_or_struck(void)
{
    const char* body = "box:0.2x0.07x0.05 --count 3 --accuracy 20";
    char command[256];
    // within 5 % of the size, inside between the nodes, and on a face but for rounding
    const char* const held[] = {"0.105,0,0", "0.03,0.01,0.01", "ball:0.03,0.01,0.01,0.001", "ball:0.109,0,0,0.001",
                                "'x>0.10000000000001'"};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
    {
        snprintf(command, sizeof command, "modes %s --fix %s --json 2>&1", body, held[i]);
        ENSURE(run(command) == 0);
        ENSURE(number("rigid_modes") == 0);
    }
    snprintf(command, sizeof command, "strike %s --at 0.1,0,0.001 -o s.wav", body);
    ENSURE(run(command) == 0 && !says("note"));
    snprintf(command, sizeof command, "strike %s --at 0.12,0,0 -o s.wav", body);
    ENSURE(run(command) == 0 && says("note: --at 0.12,0,0 is 0.02 m off the surface") && says("struck at 0.1,0,0 m"));
    snprintf(command, sizeof command, "strike %s --at 0.12,0,0.3 -o far.wav 2>&1", body);
    ENSURE(run(command) == 2 && says("off the body, which reaches from -0.1,"));
    ENSURE(run("modes box:0.2x0.07x0.05 --count 3 --accuracy 20 -o b.twmodes") == 0);
    ENSURE(run("strike b.twmodes --at 9,9,9 -o far.wav 2>&1") == 2 && says("off the body"));
    ENSURE(run("info far.wav 2>&1") == 2);
    return 0;
}

static int a_sound_that_is_cut_says_so(void)
{
    const char* body = "strike box:0.2x0.07x0.05 --count 2 --accuracy 20 -o s.wav";
    char command[256];
    // 60 dB are ln 1000 = 6.908: at 0.1 per second 69.08 s, of which 10 are 8.7 dB
    snprintf(command, sizeof command, "%s --decay 0.1,5", body);
    ENSURE(run(command) == 0 && says("10.00 s") && says("note: cut at 10 s") && says("8.7 of 60 dB"));
    snprintf(command, sizeof command, "%s --decay 0.1,5 --json", body);
    ENSURE(run(command) == 0 && number("duration_s") == 10 && says("\"note\": \"cut at 10 s"));
    ENSURE_NEAR(number("ringing_s"), 10 * log(1000), 1e-9);
    ENSURE_NEAR(number("full_scale_pa"), number("peak_pa") * pow(10, 0.05), 1e-6 * number("peak_pa"));
    ENSURE(number("rate_hz") == 48000 && number("distance_m") == 1 && says("\"at_m\": ["));
    snprintf(command, sizeof command, "%s --decay 4,5", body);
    ENSURE(run(command) == 0 && says("1.73 s") && !says("cut"));
    snprintf(command, sizeof command, "%s --decay 0.1,5 --duration 2", body);
    ENSURE(run(command) == 0 && says("2.00 s") && !says("cut"));
    return 0;
}

#define BAR "bar:0.3048x0.0254x0.0127 --count 4 --accuracy 1 "

static int what_is_not_heard_is_said(void)
{
    // Young's modulus in GPa, say
    ENSURE(run("strike " BAR "--young 200 -o low.wav 2>&1") == 2 && says("below 20 Hz") && says("Pa"));
    ENSURE(run("modes " BAR "--young 200") == 0 && says("below 20 Hz"));
    ENSURE(run("strike " BAR "--rate 3000 -o slow.wav") == 0 && says("modes above 1500 Hz are not heard"));
    ENSURE(run("strike " BAR "--alpha 1e9 -o dead.wav") == 0 && says("do not swing"));
    return 0;
}

static int as_many_modes_as_decays_are_found(void)
{
    ENSURE(run("modes box:0.2x0.07x0.05 --accuracy 20 --decay 1,2,3 --json") == 0);
    ENSURE(numbers("frequencies_hz", (double[MAX_MODES]){0}) == 3);
    return 0;
}

static int tables_show_very_small_and_large_bodies(void)
{
    // frequencies are as 1/size: 1e6 times those of the first
    ENSURE(run("modes box:0.2x0.07x0.05 --count 1 --accuracy 20 --json") == 0);
    double first[MAX_MODES], value;
    ENSURE(numbers("frequencies_hz", first) == 1);
    ENSURE(run("modes box:2e-7x7e-8x5e-8 --count 1 --accuracy 20 2>&1") == 0 && says("measures 2e-07 m"));
    ENSURE(sscanf(strstr(output, "   1 ") + 4, "%lf", &value) == 1);
    ENSURE_NEAR(value / first[0], 1e6, 1e3);
    ENSURE(!says(" 0.000 ") && strstr(output, "e+"));
    return 0;
}

static int a_relative_cache_folder_is_ignored(void)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "--version >/dev/null; XDG_CACHE_HOME=relative HOME=\"$PWD/home\" '%s/twang' modes box:0.2x0.1x0.05 --count 1 "
        "--accuracy 99 >/dev/null; ls -d relative home/.cache/twang 2>/dev/null",
        TEST_BIN_DIR);
    run(command);
    ENSURE_TEXT(output, "home/.cache/twang\n");
    return 0;
}

// ---- files ----

static int write_text(const char* name, const char* text)
{
    FILE* file = fopen(in_folder(name), "w");
    return file && fputs(text, file) >= 0 && fclose(file) == 0 ? 0 : 1;
}

static int units_are_asked_for_when_sizes_are_absurd(void)
{
    // a tetrahedron of 200 units
    ENSURE(write_text("big.obj", "v 0 0 0\nv 200 0 0\nv 0 200 0\nv 0 0 200\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n") ==
           0);
    ENSURE(run("info big.obj 2>&1") == 0 && says("--units mm") && says("watertight: yes"));
    ENSURE(run("info big.obj --units mm --json 2>&1") == 0 && !says("hint"));
    ENSURE_NEAR(number("volume_m3"), 0.2 * 0.2 * 0.2 / 6, 1e-12);
    ENSURE_NEAR(number("mass_kg_at_1000"), 0.008 / 6 * 1000, 1e-9);
    ENSURE(run("modes big.obj --count 1 --accuracy 50 2>&1 >/dev/null") == 0 && says("--units"));
    ENSURE(run("modes box:300x20x10 --count 1 --accuracy 100 2>&1 >/dev/null") == 0 && says("metres"));
    static const char* const sizes[][2] = {{"m", "size 200 x"},  {"dm", "size 20 x"},   {"cm", "size 2 x"},
                                           {"mm", "size 0.2 x"}, {"in", "size 5.08 x"}, {"ft", "size 60.96 x"}};
    for (int i = 0; i < 6; i++)
    {
        char args[80];
        snprintf(args, sizeof args, "info big.obj --units %s 2>/dev/null", sizes[i][0]);
        ENSURE(run(args) == 0 && says(sizes[i][1]));
    }
    return 0;
}

static int info_tells_surfaces_tets_and_modes(void)
{
    ENSURE(write_text("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n") == 0);
    ENSURE(run("info open.obj") == 0 && says("watertight: no") && says("1 hole\n"));
    ENSURE(says("open, so it has no volume") && !says("kg"));
    ENSURE(run("info open.obj --json") == 0 && says("\"volume_m3\": null") && says("\"mass_kg_at_1000\": null"));
    ENSURE(write_text("t.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n") == 0);
    ENSURE(write_text("t.ele", "1 4 1\n1 1 2 3 4 7\n") == 0);
    ENSURE(run("info t.ele --json") == 0 && number("elements") == 1 && number("number") == 7);
    ENSURE_NEAR(number("volume_m3"), 1.0 / 6, 1e-12);
    ENSURE(run("modes t.node --count 2 --material 7=glass --with-tets -o t.twmodes") == 0);
    ENSURE(run("info t.twmodes") == 0 && says("2 modes") && says("glass") && says("tets: 1 of 10 nodes"));
    ENSURE(run("info t.twmodes --json") == 0 && number("elements") == 1);
    ENSURE(write_text("bad.twmodes", "TWMODES\n but no more") == 0);
    ENSURE(run("info bad.twmodes 2>&1") == 2 && says("bad.twmodes"));
    ENSURE(run("modes bad.twmodes 2>&1") == 2 && says("bad.twmodes: ") && !says("already"));
    ENSURE(run("modes t.twmodes 2>&1") == 2 && says("holds modes already"));
    ENSURE(run("info t.twmodes --units mm 2>&1") == 2 && says("for meshes"));
    ENSURE(run("info none.stl 2>&1") == 2 && says("none.stl"));
    return 0;
}

#define TETRAHEDRON "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\n"

static int files_are_told_apart_by_content(void)
{
    ENSURE(write_text("tet.txt", TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n") == 0);
    ENSURE(run("info tet.txt --json") == 0 && says("\"kind\": \"surface\"") && number("faces") == 4);
    ENSURE(run("info tet.txt --scale 0.01 --json 2>/dev/null") == 0);
    ENSURE_NEAR(number("volume_m3"), 0.002 * 0.002 * 0.002 / 6, 1e-15);
    ENSURE(run("info tet.txt --scale 0.01 --units mm 2>&1") == 2 && says("not both"));
    ENSURE(write_text("gmsh.txt",
                      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                      "$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n") == 0);
    ENSURE(run("info gmsh.txt --json") == 0 && says("\"kind\": \"tets\"") && number("elements") == 1);
    // a scene may be JSON, as glTF is
    ENSURE(write_text("scene.json", "{\"objects\": {\"bell\": {\"series\": {\"kind\": \"bar\", \"freq\": 440}}}}") ==
           0);
    ENSURE(run("info scene.json --json 2>&1") == 0 && says("\"kind\": \"scene\""));
    // bytes of no format at all, as many as a binary STL might have
    FILE* file = fopen(in_folder("noise.obj"), "wb");
    ENSURE(file != NULL);
    twRng rng = tw_rng(1);
    for (int i = 0; i < 2000; i++) fputc((int)(tw_rng_next(&rng) & 255), file);
    ENSURE(fclose(file) == 0);
    ENSURE(run("info noise.obj 2>&1") == 2 && says("neither OBJ nor STL"));
    ENSURE(run("modes noise.obj 2>&1") == 2 && says("neither OBJ nor STL"));
    return 0;
}

static int open_surfaces_and_materials_of_faces_are_explained(void)
{
    // a box without its lid
    ENSURE(write_text("box.obj",
                      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nusemtl a\nf 1 4 3 2\n"
                      "f 1 2 6 5\nusemtl b\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n") == 0);
    ENSURE(run("modes box.obj --count 1 --accuracy 99") == 0 && says("taken as a sheet") && says("--thickness"));
    ENSURE(run("strike box.obj --count 8 --accuracy 99 -o s.wav") == 0 && says("taken as a sheet"));
    ENSURE(run("info box.obj") == 0 && says("2 materials of faces"));
    ENSURE(run("modes box.obj --material a=steel 2>&1") == 2 && says("'a'") && says("of its faces"));
    ENSURE(write_text("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n") == 0);
    ENSURE(run("modes sheet.obj --count 4") == 0 && says("0.01 m thick"));
    ENSURE(run("modes sheet.obj --count 4 --thickness 0.002") == 0 && !says("say how thick"));
    ENSURE(run("modes sheet.obj --count 4 --thickness 0.002 --budget 1e-6 --no-cache 2>&1") != 0 &&
           says("a budget of 1e-06 s is too short for a first result") && says("--budget") && !says("operations"));
    return 0;
}

static int the_motion_is_recorded_beside_the_sound(void)
{
    ENSURE(write_text("t.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n") == 0);
    ENSURE(write_text("t.ele", "1 4 0\n1 1 2 3 4\n") == 0);
    ENSURE(run("modes t.node --count 2 --material glass -o t.twmodes") == 0);
    ENSURE(run("strike t.twmodes -o plain.wav --duration 0.5") == 0);
    ENSURE(run("strike t.twmodes -o t.wav --duration 0.5 --trace t.twtrace") == 0 && says("motion in t.twtrace"));
    ENSURE(run("info t.twtrace") == 0 && says("30 frame(s) at 60 per second") && says("sound: t.wav"));
    ENSURE(says("  t: 10 vertices") && says("glass, 2 modes") && says("moves by up to 0 m") &&
           says("force of the hammer"));
    twWav *plain, *seen;
    ENSURE(tw_wav_load(&plain, in_folder("plain.wav"), 0, NULL) == TW_OK);
    ENSURE(tw_wav_load(&seen, in_folder("t.wav"), 0, NULL) == TW_OK && seen->frames == plain->frames);
    ENSURE(memcmp(seen->samples, plain->samples, (size_t)seen->frames * sizeof *seen->samples) == 0);
    tw_wav_destroy(plain);
    tw_wav_destroy(seen);

    // slower than it happens: another sound would not fit; in another folder it would not be found
    ENSURE(run("strike t.twmodes -o t.wav --duration 0.5 --trace t.twtrace --slow 100 --recoil --json") == 0);
    ENSURE(says("\"trace\": \"t.twtrace\""));
    ENSURE(run("info t.twtrace --json") == 0 && number("frames") == 600 && says("\"sound\": null"));
    ENSURE(number("moves_by_m") > 0);
    ENSURE(run("strike t.twmodes -o t.wav --duration 0.5 --trace ./t.twtrace") == 0);
    ENSURE(run("info t.twtrace") == 0 && !says("sound:"));

    ENSURE(run("strike t.twmodes -o t.wav --slow 2 2>&1") == 2 && says("add --trace"));
    ENSURE(run("strike t.twmodes -o t.wav --trace t.bin 2>&1") == 2 && says("must end with .twtrace"));
    ENSURE(run("strike t.twmodes -o t.wav --trace t.twtrace --slow 801 2>&1") == 2 && says("up to 800 times"));
    return 0;
}

// ---- heard soon, and then better ----

#define MUG "strike mug: --count 12 --accuracy 1 -o mug.wav"
#define REFINING "; refining, Ctrl-C keeps this"

// how often text is in what the last run printed
static int count_of(const char* text)
{
    int count = 0;
    for (const char* at = output; (at = strstr(at, text)); at++) count++;
    return count;
}

// the value of a key in entry i of the last run's rounds
static double of_round(int i, const char* key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char* at = strstr(output, "\"rounds\": [");
    for (; at && i >= 0; i--) at = strstr(at + 1, "\"seconds\":");
    at = at ? strstr(at, quoted) : NULL;
    return at ? strtod(at + strlen(quoted), NULL) : NAN;
}

// the frames of a file of sound that is whole; 0: it is not
static int64_t frames_of(const char* name)
{
    twWav* wav;
    if (tw_wav_load(&wav, in_folder(name), 0, NULL) != TW_OK) return 0;
    const int64_t frames = wav->frames;
    tw_wav_destroy(wav);
    return frames;
}

// Start `twang args` with a pipe for its output that holds one line: it waits with the second until the first is read.
// @return its id, with the pipe to read from
static pid_t start(const char* args, int* from)
{
    char command[4096];
    int ends[2];
    snprintf(command, sizeof command,
             "cd '%s' && export XDG_CACHE_HOME=\"$PWD\" OPENBLAS_NUM_THREADS=1 && exec '%s/twang' %s", scratch_folder(),
             TEST_BIN_DIR, args);
    if (pipe2(ends, O_DIRECT) != 0 || fcntl(ends[0], F_SETPIPE_SZ, 1) < 0) return -1;
    const pid_t child = fork();
    if (child == 0)
    {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command, (char*)NULL);
        _exit(127);
    }
    close(ends[1]);
    *from = ends[0];
    return child;
}

// Run `twang args` until the line that a first sound is there, interrupt it, and read the rest. It cannot have told of a
// second sound before it is interrupted, however fast it is. @return exit code
static int run_until_heard(const char* args, bool* heard)
{
    int from, status;
    size_t used = 0;
    const pid_t child = start(args, &from);
    if (child < 0) return -1;
    poll(&(struct pollfd){.fd = from, .events = POLLIN}, 1, -1);
    *heard = frames_of("mug.wav") > 0;
    kill(child, SIGINT);
    for (ssize_t got = 1; got > 0 && used + 1 < OUTPUT_MAX; used += (size_t)got)
    {
        got = read(from, output + used, OUTPUT_MAX - 1 - used);
        output[used + (got > 0 ? (size_t)got : 0)] = 0;
        if (used == 0) *heard = *heard && says(REFINING);
        if (got < 0) break;
    }
    close(from);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int a_sound_is_there_before_the_last_round_and_stays_when_interrupted(void)
{
    bool heard = false;
    remove(in_folder("mug.wav"));
    ENSURE(run_until_heard(MUG, &heard) == 0 && heard);
    ENSURE(says("mug.wav: ") && says("struck at") && !says("nothing was written"));
    const int64_t frames = frames_of("mug.wav");
    ENSURE(frames > 0);

    // it goes on with the round that is in the cache, which is heard once more
    ENSURE(run(MUG " --json") == 0);
    const double first = of_round(0, "error_lowest_percent"), rough = of_round(0, "round");
    const int rounds = count_of("\"round\":");
    ENSURE(rounds >= 2 && rough >= 1 && of_round(rounds - 1, "round") > rough);
    ENSURE(of_round(rounds - 1, "error_lowest_percent") < 0.5 * first);
    ENSURE(of_round(rounds - 1, "error_estimate_percent") == number("error_estimate_percent"));
    for (int i = 1; i < rounds; i++) ENSURE(of_round(i, "seconds") > of_round(i - 1, "seconds"));
    double before[MAX_MODES], again[MAX_MODES];
    const int modes = numbers("frequencies_hz", before);
    ENSURE(modes == 12 && number("radiation_estimated") == 0);

    // what is in the cache is heard at once, and it is the last round
    ENSURE(run(MUG " --json") == 0 && count_of("\"round\":") == 1 && numbers("frequencies_hz", again) == modes);
    ENSURE(memcmp(before, again, (size_t)modes * sizeof *before) == 0);
    return 0;
}

static int a_draft_is_heard_once(void)
{
    ENSURE(run(MUG " --draft --no-cache") == 0 && !says(REFINING) && says("struck at"));
    ENSURE(run(MUG " --draft --no-cache --json") == 0 && count_of("\"round\":") == 1);
    ENSURE(number("error_estimate_percent") > 1);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_sound_is_there_before_the_last_round_and_stays_when_interrupted)
    RUN(a_draft_is_heard_once)
    RUN(a_bar_of_metal_has_the_pitch_and_decay_of_its_modes)
    RUN(a_beam_of_wood_has_the_pitch_and_decay_of_its_modes)
    RUN(a_held_ruler_has_the_pitch_and_decay_of_its_modes)
    RUN(a_plate_of_glass_has_the_pitch_and_decay_of_its_modes)
    RUN(a_tube_of_steel_has_the_pitch_and_decay_of_its_modes)
    RUN(a_bar_of_two_materials_has_the_pitch_and_decay_of_its_modes)
    RUN(a_mode_file_sounds_like_its_body_or_with_other_damping)
    RUN(options_damp_all_materials_of_a_body)
    RUN(loss_factors_have_heat_on_top)
    RUN(other_damping_is_no_other_analysis)
    RUN(both_runs_print_all_fields)
    RUN(two_runs_at_once_agree)
    RUN(culled_modes_are_reported_with_the_reason)
    RUN(wrong_options_are_refused_with_the_cure)
    RUN(places_near_the_body_are_held_or_struck)
    RUN(a_sound_that_is_cut_says_so)
    RUN(what_is_not_heard_is_said)
    RUN(as_many_modes_as_decays_are_found)
    RUN(tables_show_very_small_and_large_bodies)
    RUN(a_relative_cache_folder_is_ignored)
    RUN(units_are_asked_for_when_sizes_are_absurd)
    RUN(files_are_told_apart_by_content)
    RUN(open_surfaces_and_materials_of_faces_are_explained)
    RUN(info_tells_surfaces_tets_and_modes)
    RUN(the_motion_is_recorded_beside_the_sound)
)
