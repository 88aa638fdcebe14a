// SPDX-License-Identifier: MIT
// A ground that is a board answers: the pressure of the forces on it, against its closed form; what is silent; scenes.
#define _XOPEN_SOURCE 700
#include "render.h"
#include "sound.h"
#include "twang/media.h"
#include <complex.h>

#define OAK 15.4         // 22 mm of 700 kg/m^3 [kg/m^2]
#define HALF_FC 354.0    // half the coincidence frequency of that, c^2/(2 pi) sqrt(m''/B)/2 [Hz]
#define STEP 1e-5        // of the force [s]
#define PULSE 300e-6     // how long it lasts [s]
#define BEGIN 0.0513207  // when it begins: between two samples [s]
#define AIR 1.204        // [kg/m^3]

// force that is held from a time on, at each place of a list, and pulses upon it
typedef struct Press
{
    double board;          // mass per area; 0: not said
    double weight, since;  // [N], [s]
    double peak;           // of a half sine [N]
    double second;         // when it is there again; 0: not
    twVec3 place;
    uint64_t id;  // of the contact
} Press;

static double pulse_force(const Press* press, int step)
{
    return press->peak * sin(TW_PI * (step + 0.5) * STEP / PULSE);
}

static twStatus put_force(twTraceWriter* writer, const Press* press, double time, double force, twError* err)
{
    const twContactForce f = {.id = press->id ? press->id : 7,
                              .time = time,
                              .body = {0, TW_NOWHERE},
                              .vertex = {{0, -1, -1}, {-1, -1, -1}},
                              .weight = {{1, 0, 0}, {0, 0, 0}},
                              .point = press->place,
                              .normal = {0, 0, 1},
                              .force = {0.3 * force, 0, force}};
    return tw_trace_append_forces(writer, &f, 1, err);
}

static twStatus put_pulse(twTraceWriter* writer, const Press* press, double begin, twError* err)
{
    const int steps = (int)lround(PULSE / STEP);
    twStatus status = TW_OK;
    for (int k = 0; k < steps && status == TW_OK; k++)
        status = put_force(writer, press, begin + k * STEP, press->weight + pulse_force(press, k), err);
    return status == TW_OK ? put_force(writer, press, begin + PULSE, press->weight, err) : status;
}

// A rigid body that is held, so that nothing but the board sounds, for 0.4 s.
static twStatus press_trace(const char* path, const Press* press, twError* err)
{
    Bell bell;
    bell_make(&bell, 1);
    bell.set.mode_count = 0;
    bell.set.transfer = NULL;
    const twTraceBody body = {.name = "block", .material = "steel", .set = &bell.set, .held = true};
    const twTraceNumber number = {"mass per area of body -1", press->board};
    const twTracePose pose = {.position = press->place, .turn = tw_quat_identity()};
    const twTraceFrame frame = {.bodies = &pose};
    twTraceDef def = tw_trace_def();
    def.frame_rate_hz = 50;
    def.body_count = 1;
    def.bodies = &body;
    twTraceWriter* writer;
    twStatus status = tw_trace_create(&writer, path, &def, err);
    if (status == TW_OK && press->board != 0) status = tw_trace_put_numbers(writer, &number, 1, err);
    for (int k = 0; k <= 20 && status == TW_OK; k++)
    {
        const double time = k / 50.0, last = (k - 1) / 50.0;
        if (press->weight > 0 && press->since > last && press->since <= time)
            status = put_force(writer, press, press->since, press->weight, err);
        if (status == TW_OK && press->peak > 0 && BEGIN + PULSE > last && BEGIN + PULSE <= time)
            status = put_pulse(writer, press, BEGIN, err);
        if (status == TW_OK && press->second > 0 && press->second > last && press->second <= time)
            status = put_pulse(writer, press, press->second, err);
        if (status == TW_OK) status = tw_trace_append(writer, &frame, err);
    }
    if (status == TW_OK) return tw_trace_commit(&writer, err);
    tw_trace_abort(&writer);
    return status;
}

// what an ear hears of that; free() it
static float* hear_press(const Press* press, const twSoundEar* ear, int64_t* frames, twSoundReport* report)
{
    twError err = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s", in_folder("press.twtrace"));
    float* p = NULL;
    *frames = 0;
    if (press_trace(path, press, &err) == TW_OK)
    {
        const twSoundDef def = sound_def(path, ear);
        p = sound_of(&def, frames, report, &err);
    }
    if (!p) printf("%s\n", err.text);
    return p;
}

static double largest(const float* p, int64_t count)
{
    double most = 0;
    for (int64_t n = 0; n < count; n++) most = fmax(most, fabs((double)p[n]));
    return most;
}

// ---- against the closed form ----

// the Fourier transform of the recorded force, constant in each step [N s]
static double complex force_spectrum(const Press* press, double freq_hz)
{
    const double w = 2 * TW_PI * freq_hz;
    double complex sum = 0;
    for (int k = 0; k < (int)lround(PULSE / STEP); k++)
    {
        const double from = BEGIN + k * STEP;
        sum += pulse_force(press, k) * (cexp(-I * w * (from + STEP)) - cexp(-I * w * from)) / (-I * w);
    }
    return sum;
}

static double complex sound_spectrum(const float* p, int64_t frames, double freq_hz)
{
    double complex sum = 0;
    for (int64_t n = 0; n < frames; n++) sum += (double)p[n] * cexp(-2 * TW_PI * I * freq_hz * (double)n / RATE) / RATE;
    return sum;
}

static int pressure_is_the_force_over_the_mass_per_area(void)
{
    const Press press = {.board = OAK, .peak = 100, .place = {0.2, -0.1, 0}};
    const twSoundEar ear = mono_at(tw_vec3(0.5, 0.4, 0.6));
    const double r = tw_vec3_norm(tw_vec3_sub(ear.def.position, press.place));
    int64_t frames;
    twSoundReport report;
    float* p = hear_press(&press, &ear, &frames, &report);
    ENSURE(p && report.board == OAK);
    double worst = 0, late = 0;
    for (double freq = 40; freq <= HALF_FC; freq *= 1.1)
    {
        const double complex closed = -AIR / (2 * TW_PI * OAK * r) * force_spectrum(&press, freq);
        const double complex ratio =
            sound_spectrum(p, frames, freq) / (closed * cexp(-2 * TW_PI * I * freq * r / SPEED));
        worst = fmax(worst, fabs(20 * log10(cabs(ratio))));
        // the high-pass is early by atan(5 Hz/f)
        const double angle = carg(ratio) - atan(5 / freq);
        late = fmax(late, fabs(angle / (2 * TW_PI * freq)) * RATE);
    }
    printf("  40 to %.0f Hz: %.3f dB, %.3f samples\n", HALF_FC, worst, late);
    ENSURE(worst < 0.2 && late < 0.2);
    // and as long as the mean over a sample is flat: 1 dB at 11 kHz
    for (double freq = 400; freq <= 10000; freq *= 1.2)
    {
        const double closed = AIR / (2 * TW_PI * OAK * r) * cabs(force_spectrum(&press, freq));
        if (closed > 1e-3 * AIR / (2 * TW_PI * OAK * r) * cabs(force_spectrum(&press, 40)))
            ENSURE_NEAR(20 * log10(cabs(sound_spectrum(p, frames, freq)) / closed), 0, 1);
    }
    // nothing before it arrives
    const int64_t arrival = (int64_t)((BEGIN + r / SPEED) * RATE);
    ENSURE(largest(p, arrival - 60) < 1e-6 * largest(p, frames));
    free(p);
    return 0;
}

static int a_board_that_presses_is_linear(void)
{
    Press press = {.board = OAK, .peak = 50};
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    int64_t frames, others;
    float* one = hear_press(&press, &ear, &frames, NULL);
    press.peak = 150;
    float* three = hear_press(&press, &ear, &others, NULL);
    press.board = 3 * OAK;
    float* heavy = hear_press(&press, &ear, &others, NULL);
    ENSURE(one && three && heavy && frames == others && largest(one, frames) > 0.1);
    const double small = 1e-6 * largest(three, frames);
    for (int64_t n = 0; n < frames; n++)
    {
        ENSURE_NEAR((double)three[n], 3 * (double)one[n], small);
        ENSURE_NEAR((double)heavy[n], (double)one[n], small);
    }
    free(one);
    free(three);
    free(heavy);
    return 0;
}

// ---- what is silent ----

static int what_is_held_is_silent(void)
{
    Press press = {.board = OAK, .weight = 20};
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    int64_t frames;
    float* p = hear_press(&press, &ear, &frames, NULL);
    ENSURE(p && frames > 0 && largest(p, frames) == 0);
    free(p);
    // it is heard where it begins
    press.since = 0.1;
    p = hear_press(&press, &ear, &frames, NULL);
    ENSURE(p && largest(p, frames) > 0.9 * 20 * AIR / (2 * TW_PI * OAK));
    const double begin = (press.since + 1 / SPEED) * RATE;
    for (int64_t n = (int64_t)begin + 60; n < frames - 300; n++)
        ENSURE_NEAR((double)p[n], -20 * AIR / (2 * TW_PI * OAK) * exp(-2 * TW_PI * 5 * ((double)n - begin) / RATE),
                    1e-4);
    free(p);
    return 0;
}

static int what_is_no_board_is_silent(void)
{
    // not said, nothing, or no number; and pushes, which do not touch the ground
    static const Press presses[] = {{.board = 0, .peak = 100},
                                    {.board = -1, .peak = 100},
                                    {.board = NAN, .peak = 100},
                                    {.board = OAK, .peak = 100, .id = TW_TRACE_PUSH + 1}};
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    for (int i = 0; i < 4; i++)
    {
        int64_t frames;
        twSoundReport report;
        float* p = hear_press(&presses[i], &ear, &frames, &report);
        ENSURE(p && frames > 0 && largest(p, frames) == 0);
        ENSURE(report.board == (i == 3 ? OAK : 0));
        free(p);
    }
    return 0;
}

// ---- ears ----

static int every_ear_hears_it_after_its_own_way_and_without_an_image(void)
{
    const Press press = {.board = OAK, .peak = 100};
    twSoundEar near = mono_at(tw_vec3(0, 0, 0.7)), far = mono_at(tw_vec3(0, 0, 0.7 + 100 * SPEED / RATE)), above = near;
    above.def.ground = true;
    above.def.ground_point = tw_vec3(0, 0, -0.3);
    int64_t frames, others;
    float* a = hear_press(&press, &near, &frames, NULL);
    float* b = hear_press(&press, &far, &others, NULL);
    float* c = hear_press(&press, &above, &others, NULL);
    ENSURE(a && b && c && frames == others);
    ENSURE(memcmp(a, c, (size_t)frames * sizeof *a) == 0);
    const double farther = far.def.position.z / near.def.position.z;
    for (int64_t n = 0; n < frames - 1000; n++)
        ENSURE_NEAR(farther * (double)b[n + 100], (double)a[n], 1e-5 * largest(a, frames));
    free(a);
    free(b);
    free(c);
    return 0;
}

#define WALK 2.0  // [m/s]

static void walk(void* context, double time, twVec3* position, twQuat* turn)
{
    (void)context;
    (void)turn;
    *position = tw_vec3(0, 0, 1 + WALK * time);
}

static int an_ear_that_goes_away_hears_it_fainter_and_later(void)
{
    const Press press = {.board = OAK, .peak = 100, .second = 0.2513207};
    twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    ear.place = walk;
    int64_t frames;
    float* p = hear_press(&press, &ear, &frames, NULL);
    ENSURE(p);
    double impulse[2], place[2], when[2];
    for (int i = 0; i < 2; i++)
    {
        const double begin = i == 0 ? BEGIN : press.second;
        // where the ear is when it arrives: z = 1 + WALK t, z = c (t - begin)
        when[i] = (1 + SPEED * begin) / (SPEED - WALK);
        place[i] = 1 + WALK * when[i];
        const int64_t first = (int64_t)(when[i] * RATE) - 20;
        double sum = 0, moment = 0;
        for (int64_t n = first; n < first + 54; n++) sum += (double)p[n], moment += (double)p[n] * (double)n / RATE;
        impulse[i] = sum;
        // the middle of a pulse that arrives longer by the Doppler shift
        ENSURE_NEAR((moment / sum - when[i]) * RATE, 0.5 * PULSE * RATE * (1 + WALK / SPEED), 1);
    }
    ENSURE_NEAR(impulse[1] / impulse[0], place[0] / place[1], 0.01);
    free(p);
    return 0;
}

static int any_number_of_threads_gives_the_same_board(void)
{
    const Press press = {.board = OAK, .peak = 100, .second = 0.21};
    twError err = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s", in_folder("threads.twtrace"));
    ENSURE(press_trace(path, &press, &err) == TW_OK);
    twSoundEar ear = mono_at(tw_vec3(0.2, 0, 1));
    ear.def.kind = TW_EAR_AMBIX;
    twSoundDef def = sound_def(path, &ear);
    int64_t frames, others;
    float* one = sound_of(&def, &frames, NULL, &err);
    def.threads = 3;
    float* three = sound_of(&def, &others, NULL, &err);
    def.board = false;
    float* none = sound_of(&def, &others, NULL, &err);
    ENSURE(one && three && frames == others && memcmp(one, three, 4 * (size_t)frames * sizeof *one) == 0);
    ENSURE(none && largest(one, 4 * frames) > 0.1 && largest(none, 4 * frames) == 0);
    free(none);
    free(one);
    free(three);
    return 0;
}

// ---- scenes ----

// A marble of 5.4 g that touches the ground at 1 m/s, and an ear half a metre away. Oak is rough and yields: a contact with glass is a
// quarter as stiff as that of smooth elastic ones (1.28e9).
#define MARBLE(material, ground)                                                                                       \
    "duration: 0.1\nframes: 200\nground: {material: " material ground "}\nbodies:\n"                                   \
    "  marble: {shape: \"sphere:0.00802\", material: glass, position: [0, 0, 0.0085], velocity: [0, 0, -0.995]}\n"     \
    "touch: [{between: [glass, " material "], impact: {stiffness: 3.1e+8}}]\n"                                         \
    "listeners: {near: {at: [0.3, 0, 0.4], kind: mono}}\n"                                                             \
    "outputs: [{name: near, from: [near], level: {gain: 1}, format: float}]\n"

static double difference(const twWav* a, const twWav* b)
{
    double most = 0;
    for (int64_t n = 0; n < a->frames && n < b->frames; n++)
        most = fmax(most, fabs((double)a->samples[n] - (double)b->samples[n]));
    return most;
}

static double wav_peak(const twWav* wav) { return largest(wav->samples, wav->frames); }

static double largest_force(const twTrace* trace)
{
    double most = 0;
    for (int i = 0; i < trace->force_block_count; i++)
        for (int64_t k = 0; k < trace->force_blocks[i].count; k++)
            most = fmax(most, fabs((double)trace->force_blocks[i].forces[k].force[2]));
    return most;
}

static bool says_board(const twTrace* trace)
{
    bool found = false;
    for (int i = 0; i < trace->number_count; i++) found |= strncmp(trace->numbers[i].name, "mass per area", 13) == 0;
    return found;
}

static int a_marble_is_louder_through_an_oak_board_than_by_itself(void)
{
    ENSURE(render_all(MARBLE("oak", ""), "oak") && render_all(MARBLE("oak", ", silent: true"), "silent"));
    twWav *oak = render_wav("oak", "near.wav"), *silent = render_wav("silent", "near.wav");
    twTrace* trace = render_trace("oak");
    ENSURE(oak && silent && trace);
    const double force = largest_force(trace), board = difference(oak, silent), click = wav_peak(silent);
    printf("  force %.1f N, board %.3f Pa, click %.3f Pa, %.1f dB\n", force, board, click, 20 * log10(board / click));
    ENSURE_NEAR(board, AIR * force / (2 * TW_PI * OAK * 0.5), 0.06 * board);
    ENSURE(20 * log10(board / click) > 10 && 20 * log10(board / click) < 16);
    tw_trace_destroy(trace);
    tw_wav_destroy(oak);
    tw_wav_destroy(silent);
    return 0;
}

// A fixed top instead of the ground, 0.4 x 0.3 m, on which the marble falls; and a rod that falls flat on the ground.
#define TOP(shape, material, more) TOP_AT("[0, 0, -0.011]", shape, material, more)
#define TOP_AT(position, shape, material, more)                                                                        \
    "duration: 0.05\nframes: 200\nbodies:\n"                                                                           \
    "  top: {shape: \"" shape "\", material: " material ", kind: fixed, position: " position more "}\n"                \
    "  marble: {shape: \"sphere:0.00802\", material: glass, position: [0, 0, 0.0085], velocity: [0, 0, -0.995]}\n"     \
    "touch: [{between: [glass, " material "], impact: {stiffness: 3.1e+8}}]\n"                                         \
    "listeners: {near: {at: [0.3, 0, 0.4], kind: mono}}\n"                                                             \
    "outputs: [{name: near, from: [near], level: {gain: 1}, format: float}]\n"

static int fixed_boards_without_modes_answer_as_the_ground_does(void)
{
    ENSURE(render_all(TOP("box:0.4x0.3x0.022", "oak", ", flexible: false"), "top"));
    // stone, and a block
    ENSURE(render_all(TOP("box:0.4x0.3x0.022", "granite", ", flexible: false"), "stone top"));
    ENSURE(render_all(TOP("box:0.1x0.1x0.022", "oak", ", flexible: false"), "block"));
    twWav *top = render_wav("top", "near.wav"), *silent = render_wav("block", "near.wav");
    twTrace *trace = render_trace("top"), *stone = render_trace("stone top"), *block = render_trace("block");
    ENSURE(top && silent && trace && stone && block);
    const double force = largest_force(trace), board = difference(top, silent);
    printf("  force %.1f N, board %.3f Pa\n", force, board);
    ENSURE_NEAR(board, AIR * force / (2 * TW_PI * OAK * 0.5), 0.06 * board);
    ENSURE(says_board(trace) && !says_board(stone) && !says_board(block));
    tw_trace_destroy(trace), tw_trace_destroy(stone), tw_trace_destroy(block);
    tw_wav_destroy(top);
    tw_wav_destroy(silent);
    return 0;
}

// the box as a file of triangles, turned by an angle about an axis in its own coordinates
static bool write_turned_box(const char* path, twVec3 sides, twVec3 axis, double angle)
{
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const twQuat turn = tw_quat_from_axis_angle(tw_vec3_normalize(axis), angle);
    FILE* file = fopen(path, "w");
    for (int i = 0; file && i < 8; i++)
    {
        const twVec3 corner = {(i & 1 ? 0.5 : -0.5) * sides.x, (i & 2 ? 0.5 : -0.5) * sides.y,
                               (i & 4 ? 0.5 : -0.5) * sides.z};
        const twVec3 at = tw_quat_rotate(turn, corner);
        fprintf(file, "v %.17g %.17g %.17g\n", at.x, at.y, at.z);
    }
    for (int i = 0; file && i < 6; i++)
        fprintf(file, "f %d %d %d %d\n", quads[i][0] + 1, quads[i][1] + 1, quads[i][2] + 1, quads[i][3] + 1);
    return file && fclose(file) == 0;
}

#define TURNED_BACK ", flexible: false, turn: {axis: [1, 2, 3], angle: 40}"

// how a board lies in its file does not matter
static int boards_are_found_however_they_lie_in_their_file(void)
{
    char path[1024], scene[2048];
    const twVec3 axis = {1, 2, 3};
    snprintf(path, sizeof path, "%s", in_folder("turned.obj"));
    ENSURE(write_turned_box(path, tw_vec3(0.4, 0.3, 0.022), axis, -TW_PI * 40 / 180));
    snprintf(scene, sizeof scene, TOP("%s", "oak", TURNED_BACK), path);
    ENSURE(render_all(scene, "turned") && render_all(TOP("box:0.4x0.3x0.022", "oak", ", flexible: false"), "straight"));
    snprintf(path, sizeof path, "%s", in_folder("turned block.obj"));
    ENSURE(write_turned_box(path, tw_vec3(0.1, 0.1, 0.022), axis, -TW_PI * 40 / 180));
    snprintf(scene, sizeof scene, TOP("%s", "oak", TURNED_BACK), path);
    ENSURE(render_all(scene, "turned block"));
    twWav *turned = render_wav("turned", "near.wav"), *straight = render_wav("straight", "near.wav");
    twTrace* block = render_trace("turned block");
    ENSURE(turned && straight && block && !says_board(block));
    ENSURE(wav_peak(straight) > 1 && difference(turned, straight) < 1e-3 * wav_peak(straight));
    tw_trace_destroy(block);
    tw_wav_destroy(turned);
    tw_wav_destroy(straight);
    return 0;
}

// The board on edge: the marble falls on its rim, or on its face if it lies, by the same blow.
#define RIM(board) TOP_AT("[0, 0, -0.2]", "box:0.4x0.3x0.022", board, ", flexible: false, turn: [0, 90, 0]")

static int a_blow_on_the_rim_does_not_bend_a_board(void)
{
    ENSURE(render_all(RIM("oak"), "rim") && render_all(TOP("box:0.4x0.3x0.022", "oak", ", flexible: false"), "face"));
    twWav *rim = render_wav("rim", "near.wav"), *face = render_wav("face", "near.wav");
    twTrace *on_rim = render_trace("rim"), *on_face = render_trace("face");
    ENSURE(rim && face && on_rim && on_face && says_board(on_rim));
    ENSURE_NEAR(largest_force(on_rim), largest_force(on_face), 0.02 * largest_force(on_face));
    // what is left is the click of the marble
    printf("  rim %.3f Pa, face %.3f Pa\n", wav_peak(rim), wav_peak(face));
    ENSURE(wav_peak(rim) < 0.4 * wav_peak(face));
    tw_trace_destroy(on_rim), tw_trace_destroy(on_face);
    tw_wav_destroy(rim);
    tw_wav_destroy(face);
    return 0;
}

// what rings is heard by its modes alone
static int fixed_boards_with_modes_are_none(void)
{
    ENSURE(render_all(TOP("box:0.4x0.3x0.022", "oak", ", flexible: {modes: 4}"), "rings"));
    twTrace* trace = render_trace("rings");
    ENSURE(trace && trace->bodies[0].set->mode_count > 0 && !says_board(trace));
    tw_trace_destroy(trace);
    return 0;
}

#define ROD(ground)                                                                                                    \
    "duration: 0.05\nrate: 44100\nframes: 200\ncollide: true\nground: {material: " ground "}\nrods:\n"                 \
    "  rod: {straight: 0.1, at: [-0.05, 0, 0.0045], points: 11, section: {circle: 0.004}, material: aluminium,"        \
    " velocity: [0, 0, -0.5]}\n"                                                                                       \
    "listeners: {near: {at: [0.3, 0, 0.4], kind: mono}}\n"                                                             \
    "outputs: [{name: near, from: [near], level: {gain: 1}, format: float}]\n"

// the Fourier transform of all forces of a trace along z, each of which holds until the next one of its contact [N s]
static double complex trace_spectrum(const twTrace* trace, double freq_hz)
{
    const double w = 2 * TW_PI * freq_hz;
    double* last = calloc((size_t)trace->touch_count + 1, sizeof *last);
    double complex sum = 0;
    for (int i = 0; i < trace->force_block_count; i++)
        for (int64_t k = 0; k < trace->force_blocks[i].count; k++)
        {
            const twTraceForce* f = &trace->force_blocks[i].forces[k];
            uint32_t first = 0;  // touch of this contact
            while (trace->touches[first].id != trace->touches[f->touch].id) first++;
            sum += ((double)f->force[2] - last[first]) * cexp(-I * w * f->time) / (I * w);
            last[first] = (double)f->force[2];
        }
    free(last);
    return sum;
}

static int rods_on_a_board_sound_through_it(void)
{
    ENSURE(render_all(ROD("oak"), "rod") && render_all(ROD("oak, silent: true"), "mute"));
    ENSURE(render_all(ROD("granite"), "stony") && render_all(ROD("granite, silent: true"), "quiet stone"));
    ENSURE(same_file("stony", "quiet stone", "near.wav"));
    twWav *rod = render_wav("rod", "near.wav"), *mute = render_wav("mute", "near.wav");
    twTrace* trace = render_trace("rod");
    ENSURE(rod && mute && trace && trace->body_count == 0 && rod->frames >= mute->frames);
    for (int64_t n = 0; n < mute->frames; n++) rod->samples[n] -= mute->samples[n];
    double worst = 0;
    for (double freq = 100; freq < 1000; freq *= 1.2)
    {
        const double closed = AIR / (2 * TW_PI * OAK * 0.5) * cabs(trace_spectrum(trace, freq));

        worst = fmax(worst, fabs(20 * log10(cabs(sound_spectrum(rod->samples, rod->frames, freq)) / closed)));
    }
    printf("  rod, 100 to 1000 Hz: %.2f dB\n", worst);
    ENSURE(worst < 0.2);
    tw_trace_destroy(trace);
    tw_wav_destroy(rod);
    tw_wav_destroy(mute);
    return 0;
}

static int stone_is_silent(void)
{
    ENSURE(render_all(MARBLE("granite", ""), "stone"));
    ENSURE(render_all(MARBLE("granite", ", silent: true"), "quiet"));
    ENSURE(render_all(MARBLE("granite", ", thickness: 0.03"), "slab"));
    ENSURE(same_file("stone", "quiet", "near.wav"));
    ENSURE(!same_file("stone", "slab", "near.wav"));
    return 0;
}

typedef struct Kept
{
    int64_t count;
    float* samples;
} Kept;

static twStatus keep(const float* const* sounds, int frames, void* context, twError* err)
{
    Kept* kept = context;
    (void)err;
    for (int n = 0; n < frames && kept->count < 10000; n++) kept->samples[kept->count++] = sounds[0][n];
    return TW_OK;
}

static int a_trace_that_is_heard_again_has_its_board(void)
{
    ENSURE(render_all(MARBLE("oak", ", thickness: 0.03"), "again"));
    twScene* scene = read_scene(MARBLE("oak", ", thickness: 0.03"));
    twWav* wav = render_wav("again", "near.wav");
    Kept kept = {0, calloc(10000, sizeof(float))};
    ENSURE(scene && wav && kept.samples);
    twListenDef def = tw_listen_def();
    twListenReport report;
    twError err = {0};
    def.sound.path = rendered("again", "trace.twtrace");
    def.sound.rate_hz = scene->rate_hz;
    def.ear_count = 1;
    def.ears = scene->listeners[0].ear;
    ENSURE(tw_listen(&def, keep, &kept, &report, &err) == TW_OK);
    ENSURE_NEAR(report.sound.board, 21, 1e-9);
    // the end fades
    ENSURE(kept.count > 4000 && kept.count <= wav->frames && wav_peak(wav) > 0.1);
    for (int64_t n = 0; n < kept.count - 1200; n++)
        ENSURE_NEAR((double)wav->samples[n], (double)kept.samples[n], 1e-6 * wav_peak(wav));
    free(kept.samples);
    tw_wav_destroy(wav);
    tw_scene_destroy(scene);
    return 0;
}

#define GROUND(ground)                                                                                                 \
    "duration: 0.1\nground: {" ground "}\nbodies:\n  a: {shape: \"sphere:0.01\", position: [0, 0, 0.1]}\n"

static int grounds_are_boards_by_their_material_or_thickness(void)
{
    static const struct
    {
        const char* text;
        double mass_per_area;
    } cases[] = {
        {GROUND("material: oak"), 0.022 * 700},
        {GROUND("material: wood"), 0.022 * 750},
        {GROUND("material: red-oak"), 0.022 * 706},
        {GROUND("material: mdf"), 0.019 * 615},
        {GROUND("material: glass"), 0.006 * 2500},
        {GROUND("material: oak, thickness: 0.04"), 0.04 * 700},
        {GROUND("material: steel, thickness: 0.003"), 0.003 * 7850},
        {GROUND("material: steel"), 0},
        {GROUND("point: [0, 0, 0]"), 0},
        {GROUND("material: concrete"), 0},
        {GROUND("material: ice"), 0},
        {GROUND("material: oak, silent: true"), 0},
        {GROUND("material: oak, silent: false"), 0.022 * 700},
        {"materials: {bamboo: {density: 600, young: 1e10, t60: 0.2}}\n" GROUND("material: bamboo"), 0},
        {"materials: {bamboo: {density: 600, young: 1e10, t60: 0.2}}\n" GROUND("material: bamboo, thickness: 0.01"),
         6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        twScene* scene = read_scene(cases[i].text);
        ENSURE(scene);
        ENSURE_NEAR(scene->ground.mass_per_area, cases[i].mass_per_area, 1e-12);
        tw_scene_destroy(scene);
    }
    return 0;
}

static const Wrong wrongs[] = {
    {GROUND("material: oak, thickness: 0"), "2:36", "'thickness'"},
    {GROUND("material: oak, thickness: -0.02"), "2:36", "'thickness'"},
    {GROUND("material: oak, thickness: .nan"), "2:36", "'thickness'"},
    {GROUND("material: oak, thickness: .inf"), "2:36", "'thickness'"},
    {GROUND("material: oak, thickness: thick"), "2:36", "'thickness'"},
    {GROUND("material: oak, silent: 2"), "2:33", "'silent'"},
    {GROUND("material: oak, silent: true, thickness: 0.02"), "2:39", "leave one of them out"},
    {GROUND("material: oak, thicknes: 0.02"), "2:25", "thickness"},
};

static int what_is_no_board_is_told(void) { return ensure_refused(wrongs, sizeof wrongs / sizeof *wrongs); }

// clang-format off
TEST_MAIN(
    RUN(pressure_is_the_force_over_the_mass_per_area)
    RUN(a_board_that_presses_is_linear)
    RUN(what_is_held_is_silent)
    RUN(what_is_no_board_is_silent)
    RUN(every_ear_hears_it_after_its_own_way_and_without_an_image)
    RUN(an_ear_that_goes_away_hears_it_fainter_and_later)
    RUN(any_number_of_threads_gives_the_same_board)
    RUN(a_marble_is_louder_through_an_oak_board_than_by_itself)
    RUN(stone_is_silent)
    RUN(fixed_boards_without_modes_answer_as_the_ground_does)
    RUN(boards_are_found_however_they_lie_in_their_file)
    RUN(a_blow_on_the_rim_does_not_bend_a_board)
    RUN(fixed_boards_with_modes_are_none)
    RUN(rods_on_a_board_sound_through_it)
    RUN(a_trace_that_is_heard_again_has_its_board)
    RUN(grounds_are_boards_by_their_material_or_thickness)
    RUN(what_is_no_board_is_told)
)
