// SPDX-License-Identifier: MIT
// Recorded motion: rods of a scene, and a struck body, against what they must do; what is said of contacts.
#define _XOPEN_SOURCE 700
#include "scratch.h"
#include "sound/rigid.h"
#include "test.h"
#include "twang/render.h"
#include "twang/strike.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define RATE 48000
#define MODES 3

// ---- rods ----

// render a scene into a folder of its own
static twStatus render_with(const char* text, const char* folder, bool no_picture, twRenderReport* report)
{
    twScene* scene;
    twError err = {0};
    twStatus status = tw_scene_parse(&scene, "test.yaml", text, strlen(text), &err);
    const twRenderDef def = {.folder = in_folder(folder), .no_picture = no_picture};
    if (status == TW_OK)
    {
        status = tw_render(scene, &def, report, &err);
        tw_scene_destroy(scene);
    }
    if (status != TW_OK) printf("%s\n", err.text);
    return status;
}

static twStatus render(const char* text, const char* folder, twRenderReport* report)
{
    return render_with(text, folder, true, report);
}

#define BAR                                                                                                               \
    "duration: 0.1\ngravity: [0, 0, -9.81]\nground: {point: [0, 0, -2], normal: [0, 0, 3]}\n"                             \
    "rods:\n  \"a\\nb\": {straight: 0.4, points: 21, section: {rectangle: [0.004, 0.002]}, alpha: 5, beta: 3.0e-8,\n"     \
    "    supports: [{at: start, hold: clamped}], strikes: [{at: end, force: [0, 0, 8], time: 0.021, duration: 0.001}]}\n" \
    "listeners: {ear: {at: [0, 0, 1]}}\n"

static int rods_are_recorded_sixty_times_a_second_unless_told_otherwise(void)
{
    twRenderReport report;
    twTrace* trace;
    ENSURE(render("title: \"A bar\\nthat rings\"\ncamera: {eye: [1, -2, 0.5], target: [0.2, 0, 0], angle: 40}\n" BAR,
                  "usual", &report) == TW_OK);
    ENSURE(tw_trace_load(&trace, report.trace, NULL) == TW_OK);
    ENSURE(trace->frame_rate_hz == 60 && trace->frame_count == 6 && trace->rod_count == 1 && trace->body_count == 0);
    ENSURE_TEXT(trace->title, "A bar that rings");
    ENSURE_TEXT(trace->rods[0].name, "a b");
    char beside[1024];
    snprintf(beside, sizeof beside, "%s/%s", in_folder("usual"), trace->sound);
    ENSURE(access(beside, R_OK) == 0);
    ENSURE(trace->camera.given && trace->camera.eye.y == -2 && trace->camera.target.x == 0.2);
    ENSURE_NEAR(trace->camera.view_angle, 40 * TW_PI / 180, 1e-12);
    ENSURE(trace->ground && trace->ground_point.z == -2 && trace->ground_normal.z == 1);
    tw_trace_destroy(trace);
    tw_render_report_free(&report);
    ENSURE(render("frames: 0\n" BAR, "none", &report) == TW_OK && report.trace[0] == 0);
    ENSURE(access(in_folder("none/trace.twtrace"), F_OK) != 0);
    tw_render_report_free(&report);
    return 0;
}

// files of at most 40 kB: the sound has 13, the trace 300, the spectrogram more than 40
static int a_disk_with_room_for_the_sound_gets_the_sound(void)
{
    twRenderReport report;
    struct rlimit old, tight;
    ENSURE(render_with("frames: 60\n" BAR, "full", false, &report) == TW_OK && report.trouble.status == TW_OK);
    tw_render_report_free(&report);
    ENSURE(unlink(in_folder("full/ear.wav")) == 0 && getrlimit(RLIMIT_FSIZE, &old) == 0);
    tight = old;
    tight.rlim_cur = 40000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    const twStatus status = render_with("frames: 5000\n" BAR, "full", false, &report);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    ENSURE(status == TW_OK && report.trouble.status == TW_IO_ERROR && strstr(report.trouble.text, "trace.twtrace"));
    ENSURE(report.trace[0] == 0 && report.outputs[0].png[0] == 0);
    ENSURE(access(in_folder("full/ear.wav"), R_OK) == 0 && access(in_folder("full/report.json"), R_OK) == 0);

    // what is left of an earlier render is not of this one
    ENSURE(access(in_folder("full/trace.twtrace"), F_OK) != 0 && access(in_folder("full/spectrogram.png"), F_OK) != 0);
    tw_render_report_free(&report);
    return 0;
}

static int energies_in_a_trace_balance(void)
{
    twRenderReport report;
    twTrace* trace;
    ENSURE(render("frames: 500\n" BAR, "energy", &report) == TW_OK);
    ENSURE(tw_trace_load(&trace, report.trace, NULL) == TW_OK && trace->series_count == 6);
    const float* first = tw_trace_values(trace, 0);
    const double start = (double)first[0] + first[1] + first[2];
    double work = 0, kinetic = 0;
    for (int64_t f = 0; f < trace->frame_count; f++)
    {
        const float* e = tw_trace_values(trace, f);
        work = e[4];
        kinetic = fmax(kinetic, e[0]);

        // rods close their budget to 1e-5 at the tolerance of scenes (docs/rod.md); a share left out would be far more
        ENSURE_NEAR((double)e[0] + e[1] + e[2] + e[3] - e[4], start, 2e-5 * kinetic + 1e-7 * fabs(e[2]) + 1e-12);
    }
    // no step was cut
    ENSURE(isnan(first[5]));
    for (int64_t f = 1; f < trace->frame_count; f++) ENSURE_NEAR(tw_trace_values(trace, f)[5] * 48000, 1, 1e-6);
    ENSURE(work > 0 && kinetic > 0.5 * work);
    ENSURE_NEAR(work, report.rods[0].end.work, 1e-6 * work);
    tw_trace_destroy(trace);
    tw_render_report_free(&report);
    return 0;
}

// a blow shorter than a frame is seen, once, in the frame that is shown when it is heard
static int a_blow_is_an_arrow_where_and_when_it_strikes(void)
{
    twRenderReport report;
    twTrace* trace;
    ENSURE(render(BAR, "arrow", &report) == TW_OK && tw_trace_load(&trace, report.trace, NULL) == TW_OK);
    for (int f = 0; f < 6; f++) ENSURE(trace->arrow_count[f] == (f == 1));  // 16.7 to 33.3 ms
    const twTraceArrow* arrow = trace->arrows[1];
    const float* x = tw_trace_positions(trace, 1, 0);
    ENSURE(arrow->force[0] == 0 && arrow->force[2] == 8);
    for (int k = 0; k < 3; k++) ENSURE(arrow->at[k] == x[3 * 20 + k]);
    tw_trace_destroy(trace);
    tw_render_report_free(&report);

    // slowly: every frame has the largest force until the next, sin(pi x) of a half sine from 21 to 22 ms
    ENSURE(render("frames: 4000\n" BAR, "arrows", &report) == TW_OK &&
           tw_trace_load(&trace, report.trace, NULL) == TW_OK);
    const double largest[] = {sin(0.25 * TW_PI), 1, 1, sin(0.75 * TW_PI)};
    for (int i = 0; i < 4; i++) ENSURE_NEAR(trace->arrows[84 + i]->force[2], 8 * largest[i], 1e-5);
    ENSURE(trace->arrow_count[83] == 0 && trace->arrow_count[88] == 0);
    tw_trace_destroy(trace);
    tw_render_report_free(&report);
    return 0;
}

static int recording_does_not_change_the_sound(void)
{
    twRenderReport report[2];
    char* bytes[2];
    size_t count[2];
    ENSURE(render("frames: 0\n" BAR, "quiet", &report[0]) == TW_OK);
    ENSURE(render("frames: 300\n" BAR, "seen", &report[1]) == TW_OK);
    for (int i = 0; i < 2; i++)
        ENSURE(tw_file_read(&bytes[i], &count[i], report[i].outputs[0].wav, 1 << 24, NULL) == TW_OK);
    ENSURE(count[0] == count[1] && memcmp(bytes[0], bytes[1], count[0]) == 0);
    for (int i = 0; i < 2; i++) free(bytes[i]), tw_render_report_free(&report[i]);
    return 0;
}

// area, centroid and moments of an outline, by triangles from the origin: must be those of the section
static int outlines_are_those_of_the_sections(void)
{
    static const struct
    {
        const char* text;
        int corners;
        double area;
    } cases[] = {
        {"{circle: 0.002}", 0, 0},
        {"{tube: [0.002, 0.001]}", 0, 0},
        {"{ellipse: [0.004, 0.002]}", 0, 0},
        {"{rectangle: [0.004, 0.002]}", 4, 8e-6},
        {"[{rectangle: [0.004, 0.002]}, {rectangle: [0.002, 0.001]}]", 4, 8e-6},
        {"{rounded: [0.004, 0.002, 0.0008]}", 28, 8e-6 - (4 - TW_PI) * 0.64e-6},
        // clockwise, far from the origin, not symmetric: axes and centroid are not where the corners suggest
        {"{polygon: [[5, 5], [5, 5.004], [5.001, 5.004], [5.001, 5.001], [5.003, 5.001], [5.003, 5]]}", 6, 6e-6}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    {
        char text[400];
        twScene* scene;
        snprintf(text, sizeof text, "rods: {a: {straight: 1, section: %s}}\nlisteners: {ear: {at: [0, 0, 1]}}\n",
                 cases[c].text);
        ENSURE(tw_scene_parse(&scene, "test.yaml", text, strlen(text), NULL) == TW_OK);
        const twSceneRod* rod = &scene->rods[0];
        const twSection* section = &rod->def.sections[0];
        ENSURE(rod->corner_count == cases[c].corners);
        double area = 0, sum[2] = {0}, moment[3] = {0};
        for (int i = 0; i < rod->corner_count; i++)
        {
            const double *p = rod->corners + 2 * i, *q = rod->corners + 2 * ((i + 1) % rod->corner_count);
            const double a[2] = {p[0] * section->half_size[0], p[1] * section->half_size[1]},
                         b[2] = {q[0] * section->half_size[0], q[1] * section->half_size[1]};
            const double cross = a[0] * b[1] - b[0] * a[1];
            area += cross / 2;
            for (int k = 0; k < 2; k++) sum[k] += cross * (a[k] + b[k]) / 6;
            for (int k = 0; k < 2; k++) moment[k] += cross * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]) / 12;
            moment[2] += cross * (2 * a[0] * a[1] + a[0] * b[1] + b[0] * a[1] + 2 * b[0] * b[1]) / 24;
        }
        const double round = cases[c].corners == 28 ? 0.01 : 1e-9;  // chords instead of arcs
        if (rod->corner_count > 0)
        {
            ENSURE_NEAR(area, cases[c].area, round * cases[c].area);
            ENSURE_NEAR(area, section->area, round * section->area);
            for (int k = 0; k < 2; k++) ENSURE_NEAR(sum[k], 0, 1e-9 * area * section->half_size[k]);
            for (int k = 0; k < 2; k++) ENSURE_NEAR(moment[k], section->moment[k], 2 * round * section->moment[k]);
            ENSURE_NEAR(moment[2], 0, 1e-9 * section->moment[0]);
        }
        tw_scene_destroy(scene);
    }
    return 0;
}

static int cameras_that_see_nothing_are_refused(void)
{
    static const char* const bad[][2] = {
        {"camera: {eye: [1, 2, 3]}\n", "needs an 'eye' and a 'target'"},
        {"camera: {eye: [1, 2, 3], target: [1, 2, 3]}\n", "at one place"},
        {"camera: {eye: [1, 2, 3], target: [0, 0, 0], angle: 180}\n", "angle"},
        {"camera: {eye: [1, 2, 3], target: [0, 0, 0], zoom: 2}\n", "zoom"},
        {"camera: 3\n", "camera"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    {
        char text[2000];
        twScene* scene;
        twError err = {0};
        snprintf(text, sizeof text, "%s%s", bad[i][0], BAR);
        ENSURE(tw_scene_parse(&scene, "test.yaml", text, strlen(text), &err) == TW_BAD_INPUT);
        if (!strstr(err.text, bad[i][1])) printf("%s\n", err.text);
        ENSURE(strstr(err.text, bad[i][1]));
    }
    return 0;
}

// ---- a struck body ----

static const twVec3 vertices[] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
static const twTriangle faces[] = {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{2, 0, 3}}};
static const double freqs[MODES] = {200, 500, 30000}, decays[MODES] = {3, 1000, 5};
static const float shapes[MODES * 12] = {0.5f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 1, 1.1f, 1.2f,
                                         1,    0,    1,    2,    1,    0,    1,    1,    1,    0, 0,    1,
                                         1,    1,    1,    1,    1,    1,    1,    1,    1,    1, 1,    1};

static twModeSet block(void)
{
    return (twModeSet){.mode_count = MODES,
                       .vertex_count = 4,
                       .face_count = 4,
                       .rigid_modes = 6,
                       .freq_hz = freqs,
                       .decay = decays,
                       .shape = shapes,
                       .vertices = vertices,
                       .faces = faces,
                       .mass = {.volume = 1e-4,
                                .mass = 0.3,
                                .centre = {0.02, 0.03, 0.025},
                                .inertia = {{{1e-3, 0, 0}, {0, 2e-3, 0}, {0, 0, 3e-3}}}}};
}

static twStrikeDef blow(void)
{
    twStrikeDef def = tw_strike_def();
    def.vertex = 1;
    def.duration = 0.05;
    return def;
}

// strike the block and load the trace
static twStatus strike(twTrace** trace, twStrikeRecord record, const twStrikeDef* def, float** sound, twError* err)
{
    int64_t frames;
    twTraceWriter* writer = NULL;
    const twModeSet set = block();
    record.path = in_folder("strike.twtrace");
    record.name = "block";
    twStatus status = tw_strike_record(sound, &frames, &writer, &set, def, &record, err);
    if (status == TW_OK) status = tw_trace_commit(&writer, err);
    return status == TW_OK ? tw_trace_load(trace, record.path, err) : status;
}

// push of a mode per newton, from the set's faces: vertex 1 belongs to the lower three
static double push_of(int mode, twVec3* direction)
{
    const twModeSet set = block();
    *direction = tw_vec3_scale(tw_mode_set_normal(&set, 1), -1);
    return tw_vec3_dot(tw_mode_set_shape(&set, mode, 1), *direction);
}

// A mode under a force that is constant from sample to sample, by Runge-Kutta with steps much shorter than a sample.
static void oscillate(double* q, double* v, double freq_hz, double decay, double force, double time)
{
    enum
    {
        STEPS = 20
    };
    const double h = time / STEPS, w = 2 * TW_PI * freq_hz;
    for (int i = 0; i < STEPS; i++)
    {
        double dq[4], dv[4];
        for (int s = 0; s < 4; s++)
        {
            const double part = s == 0 ? 0 : s == 3 ? h : 0.5 * h;
            const double x = *q + (s ? part * dq[s - 1] : 0), u = *v + (s ? part * dv[s - 1] : 0);
            dq[s] = u;
            dv[s] = force - 2 * decay * u - w * w * x;
        }
        *q += h / 6 * (dq[0] + 2 * dq[1] + 2 * dq[2] + dq[3]);
        *v += h / 6 * (dv[0] + 2 * dv[1] + 2 * dv[2] + dv[3]);
    }
}

// with a frame per sample the series is the force of every step, from which each mode's motion follows
static int recorded_modes_move_as_the_recorded_force_makes_them(void)
{
    twTrace* trace;
    twError err = {0};
    float* sound;
    const twStrikeDef def = blow();
    twStrikeRecord record = tw_strike_record_def();
    record.slow = RATE / 60.0;
    ENSURE(strike(&trace, record, &def, &sound, &err) == TW_OK);
    ENSURE(trace->frame_count == RATE / 20 && trace->frame_rate_hz == 60 && trace->sound[0] == 0);
    for (int k = 0; k < 2; k++)
    {
        twVec3 direction;
        double q = 0, v = 0, most = 0, off = 0;
        const double push = push_of(k, &direction);
        for (int64_t f = 1; f < trace->frame_count; f++)
        {
            oscillate(&q, &v, freqs[k], decays[k], push * tw_trace_values(trace, f)[0], 1.0 / RATE);
            most = fmax(most, fabs(q));
            off = fmax(off, fabs(q - tw_trace_amplitudes(trace, f, 0)[k]));
        }
        ENSURE(most > 1e-7 && off < 1e-3 * most);
    }
    for (int64_t f = 0; f < trace->frame_count; f++)
        ENSURE(tw_trace_amplitudes(trace, f, 0)[2] == 0);  // beyond hearing
    tw_trace_destroy(trace);
    free(sound);
    return 0;
}

// frames between samples lie on the same motion as those on samples: 7000 per second are 6.3 samples apart
static int frames_between_samples_are_on_the_same_motion(void)
{
    twTrace *trace, *fine;
    float *sound, *again;
    twStrikeDef def = blow();
    twStrikeRecord record = tw_strike_record_def();
    record.slow = RATE / 60.0;
    ENSURE(strike(&fine, record, &def, &sound, NULL) == TW_OK);
    record.slow = 7000 / 60.0;
    ENSURE(strike(&trace, record, &def, &again, NULL) == TW_OK && trace->frame_count == 350);
    for (int64_t f = 100; f < 350; f++)  // the hammer is gone
        for (int k = 0; k < 2; k++)
        {
            // from the sample before on, with the velocity that the next one asks for
            const double at = (double)f * RATE / 7000, c = decays[k], w = sqrt(pow(2 * TW_PI * freqs[k], 2) - c * c);
            const int64_t n = (int64_t)floor(at + 1e-9);
            if (n + 1 >= fine->frame_count) continue;
            const double h = 1.0 / RATE, q0 = tw_trace_amplitudes(fine, n, 0)[k],
                         q1 = tw_trace_amplitudes(fine, n + 1, 0)[k], s = (at - (double)n) * h;
            const double b = (q1 * exp(c * h) - q0 * cos(w * h)) / sin(w * h);
            const double q = exp(-c * s) * (q0 * cos(w * s) + b * sin(w * s));
            ENSURE_NEAR(tw_trace_amplitudes(trace, f, 0)[k], q, 1e-6 * fabs(q0) + 1e-12);
        }
    ENSURE(memcmp(sound, again, (size_t)(RATE / 20) * sizeof *sound) == 0);
    tw_trace_destroy(trace);
    tw_trace_destroy(fine);
    free(sound);
    free(again);
    return 0;
}

static int recording_does_not_change_the_strike(void)
{
    twTrace* trace;
    float *sound, *plain;
    int64_t frames;
    const twStrikeDef def = blow();
    const twModeSet set = block();
    twStrikeRecord record = tw_strike_record_def();
    record.sound = "a.wav";
    record.material = "steel";
    ENSURE(strike(&trace, record, &def, &sound, NULL) == TW_OK);
    ENSURE(tw_strike(&plain, &frames, &set, &def, NULL) == TW_OK);
    ENSURE(memcmp(sound, plain, (size_t)frames * sizeof *plain) == 0);
    ENSURE_TEXT(trace->sound, "a.wav");
    ENSURE_TEXT(trace->bodies[0].material, "steel");

    // the blow is in the first frame, at the vertex, into the body, and of the series' force
    twVec3 n;
    push_of(0, &n);
    ENSURE(trace->frame_count == 3 && trace->arrow_count[0] == 1 && trace->arrow_count[2] == 0);
    const twTraceArrow* arrow = trace->arrows[0];
    ENSURE_NEAR(arrow->at[0], 0.1, 1e-8);
    ENSURE_NEAR(arrow->force[0], n.x * tw_trace_values(trace, 0)[0], 1e-4);
    ENSURE(tw_trace_values(trace, 0)[0] > 1 && n.x < 0);
    ENSURE(tw_trace_pose(trace, 2, 0)[0] == 0 && tw_trace_pose(trace, 2, 0)[3] == 1);  // held in place
    tw_trace_destroy(trace);
    free(sound);
    free(plain);
    return 0;
}

// what the hammer gave is what the body has: M V = J n, I Omega = (r x n) J
static int recoil_takes_up_the_impulse(void)
{
    twTrace* trace;
    float* sound;
    const twStrikeDef def = blow();
    const twModeSet set = block();
    twStrikeRecord record = tw_strike_record_def();
    record.slow = RATE / 60.0;
    record.recoil = true;
    ENSURE(strike(&trace, record, &def, &sound, NULL) == TW_OK);
    twVec3 n;
    push_of(0, &n);
    double impulse = 0;
    for (int64_t f = 0; f < trace->frame_count; f++) impulse += tw_trace_values(trace, f)[0] / RATE;
    ENSURE(impulse > 0.01 && impulse < 0.04);
    const int64_t last = trace->frame_count - 1;
    const float *a = tw_trace_pose(trace, last - 1000, 0), *b = tw_trace_pose(trace, last, 0);
    const twQuat qa = {a[3], a[4], a[5], a[6]}, qb = {b[3], b[4], b[5], b[6]};
    const twVec3 ca = tw_vec3_add(tw_vec3(a[0], a[1], a[2]), tw_quat_rotate(qa, set.mass.centre)),
                 cb = tw_vec3_add(tw_vec3(b[0], b[1], b[2]), tw_quat_rotate(qb, set.mass.centre));
    const twVec3 v = tw_vec3_scale(tw_vec3_sub(cb, ca), RATE / 1000.0);
    ENSURE_NEAR(tw_vec3_dot(v, n), impulse / set.mass.mass, 1e-3 * impulse / set.mass.mass);
    ENSURE_NEAR(tw_vec3_norm(v), fabs(tw_vec3_dot(v, n)), 1e-3 * tw_vec3_norm(v));
    const twVec3 arm = tw_vec3_cross(tw_vec3_sub(vertices[1], set.mass.centre), n);
    const twVec3 spin = tw_vec3_scale(tw_vec3(arm.x / 1e-3, arm.y / 2e-3, arm.z / 3e-3), impulse);
    const twQuat turn = tw_quat_mul(qb, tw_quat_conj(qa));
    const double angle = tw_vec3_norm(spin) * 1000 / RATE;
    ENSURE_NEAR(2 * atan2(tw_vec3_norm(tw_vec3(turn.x, turn.y, turn.z)), turn.w), angle, 2e-3 * angle);
    tw_trace_destroy(trace);
    free(sound);
    return 0;
}

static int films_that_make_no_sense_are_refused(void)
{
    twTrace* trace;
    twError err = {0};
    float* sound;
    const twStrikeDef def = blow();
    twStrikeRecord record = tw_strike_record_def();
    record.slow = 1000;
    ENSURE(strike(&trace, record, &def, &sound, &err) == TW_BAD_INPUT && !sound && strstr(err.text, "up to 800 times"));
    record.slow = 0;
    ENSURE(strike(&trace, record, &def, &sound, &err) == TW_BAD_INPUT && !sound);
    record = tw_strike_record_def();
    record.frame_rate_hz = NAN;
    ENSURE(strike(&trace, record, &def, &sound, &err) == TW_BAD_INPUT && !sound && strstr(err.text, "per second"));
    record = tw_strike_record_def();
    record.longest = -1;
    ENSURE(strike(&trace, record, &def, &sound, &err) == TW_BAD_INPUT && !sound);
    ENSURE(access(in_folder("strike.twtrace"), F_OK) != 0 || remove(in_folder("strike.twtrace")) == 0);
    record.longest = 0.5;
    record.slow = 100;
    ENSURE(strike(&trace, record, &def, &sound, &err) == TW_OK && trace->frame_count == 30);
    tw_trace_destroy(trace);
    free(sound);
    return 0;
}

// ---- contacts of bodies ----

#define BOXES                                                                                                          \
    "duration: 0.02\nground: {material: wood}\ndefault_flexible: false\nbodies:\n"                                     \
    "  a: {shape: \"box:0.1x0.1x0.1\", material: wood, position: [0, 0, 0.05]}\n"                                      \
    "  b: {shape: \"box:0.1x0.1x0.1\", material: steel, position: [0.3, 0, 0.05]}\n"                                   \
    "touch: [{between: [steel, wood], friction: {static: 0.9}}]\n"

// what is said before the first frame, force and sample
static bool read_rigid(const char* settings, const char* folder, RigidContacts* rigid)
{
    char text[1000];
    twRenderReport report;
    twTraceStream* stream;
    twTraceItem item;
    snprintf(text, sizeof text, "%s%s", BOXES, settings);
    if (render(text, folder, &report) != TW_OK || tw_trace_stream_open(&stream, report.trace, NULL) != TW_OK)
        return false;
    bool good = true;
    while (good && tw_trace_stream_next(stream, &item, NULL) == TW_OK && item.kind == TW_TRACE_NUMBERS)
        good = rigid_take(rigid, item.numbers, item.count, NULL) == TW_OK;
    tw_trace_stream_close(stream);
    tw_render_report_free(&report);
    return good;
}

static int a_trace_says_whether_contacts_are_rigid_and_how_they_rub(void)
{
    static const struct
    {
        const char *settings, *folder;
        bool wanted;
    } cases[] = {{"", "compliant", false},
                 {"world: {method: hard}\n", "hard", true},
                 {"world: {method: staggered}\n", "staggered", false},
                 {"world: {method: staggered, redistribution: false}\n", "sparse", true}};
    for (int i = 0; i < 4; i++)
    {
        RigidContacts* rigid;
        ENSURE(rigid_create(&rigid, 2, NULL) == TW_OK && read_rigid(cases[i].settings, cases[i].folder, rigid));
        ENSURE(rigid_wanted(rigid) == cases[i].wanted);
        const double wood = tw_contact_material(tw_material_find("wood")).stick;
        if (cases[i].wanted)
        {
            ENSURE_NEAR(rigid_friction(rigid, 0, TW_NOWHERE), wood, 1e-12);
            ENSURE_NEAR(rigid_friction(rigid, 0, 1), 0.9, 1e-12);
            ENSURE_NEAR(rigid_friction(rigid, 1, TW_NOWHERE), 0.9, 1e-12);
        }
        rigid_destroy(rigid);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rods_are_recorded_sixty_times_a_second_unless_told_otherwise)
    RUN(a_disk_with_room_for_the_sound_gets_the_sound)
    RUN(energies_in_a_trace_balance)
    RUN(a_blow_is_an_arrow_where_and_when_it_strikes)
    RUN(recording_does_not_change_the_sound)
    RUN(outlines_are_those_of_the_sections)
    RUN(cameras_that_see_nothing_are_refused)
    RUN(recorded_modes_move_as_the_recorded_force_makes_them)
    RUN(frames_between_samples_are_on_the_same_motion)
    RUN(recording_does_not_change_the_strike)
    RUN(recoil_takes_up_the_impulse)
    RUN(films_that_make_no_sense_are_refused)
    RUN(a_trace_says_whether_contacts_are_rigid_and_how_they_rub)
)
