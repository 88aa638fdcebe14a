// SPDX-License-Identifier: MIT
// Rods in scenes: reading, errors, playing, and the pitch of the sound in the file.

#define _XOPEN_SOURCE 700  // scratch.h
#include "scene/rod_path.h"
#include "scratch.h"
#include "test.h"
#include "twang/math.h"
#include "twang/render.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static twScene* parse(const char* text, twError* err)
{
    twScene* scene;
    tw_scene_parse(&scene, "rods.yaml", text, strlen(text), err);
    return scene;
}

// ---- lines ----

static double longest_edge_over_shortest(const twVec3* p, int count)
{
    double low = INFINITY, high = 0;
    for (int i = 0; i + 1 < count; i++)
    {
        const double d = tw_vec3_norm(tw_vec3_sub(p[i + 1], p[i]));
        low = fmin(low, d), high = fmax(high, d);
    }
    return high / low;
}

// of the line r = outer + (inner - outer) s, height rise s, angle 2 pi turns s: Simpson's rule
static double spiral_length(const RodPath* p)
{
    const int n = 20000;
    double sum = 0;
    for (int i = 0; i <= n; i++)
    {
        const double r = p->radius + (p->inner - p->radius) * i / n, around = 2 * TW_PI * p->turns * r;
        const double speed =
            sqrt(around * around + (p->inner - p->radius) * (p->inner - p->radius) + p->rise * p->rise);
        sum += speed * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) / (3.0 * n);
    }
    return sum;
}

static int points_lie_at_equal_distances(void)
{
    const twVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {1.5, 0, 0}, {3, 0, 0}};
    RodPath few = {.kind = PATH_SPIRAL, .radius = 0.1, .inner = 0.02, .rise = 0.05, .turns = 4, .axis = {1, 0, 0}};
    RodPath many = {.kind = PATH_SPIRAL, .radius = 0.1, .inner = 0.08, .rise = 30, .turns = 3000, .axis = {1, 0, 0}};
    const struct
    {
        RodPath path;
        int points;
        double length;
    } cases[] = {
        {{.kind = PATH_STRAIGHT, .length = 2, .axis = {0, 1, 1}}, 141, 2},
        {{.kind = PATH_HELIX, .radius = 0.1, .pitch = 0.02, .turns = 7, .axis = {0, 0, -1}},
         141,
         7 * hypot(0.2 * TW_PI, 0.02)},
        {few, 141, spiral_length(&few)},
        {many, 72001, spiral_length(&many)},
        {{.kind = PATH_RING, .radius = 0.3, .turns = 1, .axis = {1, 2, 3}}, 141, 0.6 * TW_PI},
        {{.kind = PATH_POLYLINE, .corner_count = 4, .corners = corners}, 141, 3},
    };
    static twVec3 p[72001];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        const int n = cases[i].points;
        rod_path(&cases[i].path, p, n);
        double length = 0;
        for (int k = 0; k + 1 < n; k++) length += tw_vec3_norm(tw_vec3_sub(p[k + 1], p[k]));
        if (cases[i].path.kind == PATH_RING) length += tw_vec3_norm(tw_vec3_sub(p[n - 1], p[0]));
        // chords of arcs are a little short; a spiral's more so where it is narrow
        ENSURE(longest_edge_over_shortest(p, n) < (cases[i].path.kind == PATH_SPIRAL ? 1.02 : 1 + 1e-9));
        ENSURE_NEAR(length, cases[i].length, 0.01 * length);
    }
    return 0;
}

static int lines_are_turned_to_their_axis_and_moved(void)
{
    const RodPath helix = {
        .kind = PATH_HELIX, .radius = 0.1, .pitch = 0.02, .turns = 3, .axis = {0, -2, 0}, .at = {1, 2, 3}};
    twVec3 p[100];
    rod_path(&helix, p, 100);
    for (int i = 0; i < 100; i++)
    {
        // on a cylinder about the y axis through the place, going down
        ENSURE_NEAR(hypot(p[i].x - 1, p[i].z - 3), 0.1, 1e-12);
        ENSURE_NEAR(p[i].y, 2 - 0.06 * i / 99, 1e-12);
    }
    return 0;
}

// ---- errors ----

#define BAR "straight: 0.3, section: {circle: 0.003}"
#define EAR "listeners: {ear: {at: [0, 0, 1]}}\n"

static int wrong_rods_are_refused_with_place_and_cure(void)
{
    const struct
    {
        const char *text, *words;
    } cases[] = {
        {"rods: {r: {" BAR ", points: 1}}\n" EAR, "rods.yaml:1:"},
        {"rods: {r: {ring: 0.1, section: {circle: 0.001}, points: 7}}\n" EAR, "from 8 to"},
        {"rods: {r: {polyline: [[0, 0, 0]], section: {circle: 0.01}}}\n" EAR, "2 to 100000 corners, this has 1"},
        {"rods: {r: {polyline: [[0, 0, 0], [1.0e+300, 0, 0]], section: {circle: 0.01}}}\n" EAR, "1e+09 in m"},
        {"rods: {r: {straight: 1.0e+300, section: {circle: 0.01}}}\n" EAR, "1e+09 in m"},
        {"rods: {r: {polyline: [[0, 0, 0], [0, 0, 0]], points: 2, section: {circle: 0.01}}}\n" EAR,
         "1:34: this corner lies on the one before it"},
        {"rods: {r: {polyline: [[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]], section: {circle: 0.01}}}\n" EAR,
         "1:45: this corner lies on the one before it"},
        {"rods: {r: {polyline: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]], closed: true, section: {circle: 0.01}}}\n" EAR,
         "1:56: the last corner lies on the first"},
        {"rods: {r: {polyline: [[0, 0, 0], [1, 0, 0], [0.3, 0, 0]], section: {circle: 0.01}}}\n" EAR,
         "1:34: the line folds back on itself at this corner"},
        {"rods: {r: {" BAR ", rest: {polyline: [[0, 0, 0], [1, 0, 0], [1, 0, 0]]}}}\n" EAR, "the edge between them"},
        {"rods: {r: {" BAR ", poisson: 0.6}}\n" EAR, "'poisson' must be a number above -1 and up to 0.4999, not '0.6'"},
        {"materials: {m: {alpha: 1, beta: 0, poisson: 0.6}}\nrods: {r: {" BAR ", material: m}}\n" EAR,
         "'poisson' must be a number above -1 and up to 0.4999, not '0.6'"},
        {"rods: {r: {" BAR ", supports: [{at: start, hold: clamped}, {at: 0.001, hold: pinned}]}}\n" EAR,
         "point 1 of 50 is held already, by item 1"},
        {"rods: {r: {" BAR ", points: 11, supports: [{at: 0.4, hold: clamped}, {at: 0.5, hold: pinned}]}}\n" EAR,
         "point 6 of 11 is held already, by item 1"},
        {"rods: {r: {" BAR ", points: 11, supports: [{at: 0.5, hold: pinned}, {at: 0.4, hold: clamped}]}}\n" EAR,
         "point 5 of 11 is held already, by item 1"},
        {"rods: {r: {" BAR "}}\nground: {point: [0, 0, 0.5]}\n" EAR, "point 1 of the rod is 0.5 m below the ground"},
        {"rods: {r: {" BAR "}}\nground: {}\nlisteners: {ear: {path: {x: 0, y: 1, z: {ramp: [1, -1]}}}}\n",
         "below the ground"},
        {"rods: {r: {" BAR "}}\nlisteners: {ear: {path: {x: {ramp: [0.1, 9]}}}}\n", "inside"},
        {"rods: {r: {straight: 0.3, section: {rectangle: [0.1, 0.002]}, direction: [0, 1, 0]}}\n"
         "listeners: {ear: {at: [0.1, 0.04, 0]}}\n",
         "inside"},
        {"rods: {r: {" BAR "}}\n" EAR "outputs: [{from: [eye]}]\n", "no object or listener 'eye'"},
        {"rods: {r: {straight: 1, section: {polygon: [[0, 0], [1, 1], [1, 0], [0, 1]]}}}\n" EAR, "cross"},
        {"rods: {r: {" BAR "}}\nlisteners: {ear: {at: [0.1, 0.001, 0]}}\n", "inside"},
        {"rods: {r: {" BAR "}}\n", "nobody hears"},
        {"rods: {r: {" BAR ", helix: {radius: 1, pitch: 1, turns: 1}}}\n" EAR, "both shapes"},
        {"rods: {r: {section: {circle: 0.01}}}\n" EAR, "one of: straight"},
        {"rods: {r: {straight: 1}}\n" EAR, "needs a 'section'"},
        {"rods: {r: {straight: 1, section: {tube: [0.01, 0.02]}}}\n" EAR, "rods.yaml:1:"},
        {"rods: {r: {" BAR ", supports: [{at: 2, hold: clamped}]}}\n" EAR, "0 to 1"},
        {"rods: {r: {" BAR ", strikes: [{at: end}]}}\n" EAR, "'force'"},
        {"rods: {r: {" BAR ", strikes: [{at: end, force: [1, 2]}]}}\n" EAR, "3"},
        {"rods: {r: {" BAR "}}\nlisteners: {ear: {path: {x: {noise: 1}}}}\n", "noise"},
        {"rods: {r: {" BAR "}}\nlisteners: {ear: {pickup: {rod: s, at: 0.5}}}\n", "no rod 's'"},
        {"rods: {r: {" BAR ", loss_factor: -0.01}}\n" EAR, "loss_factor"},
        {"rods: {r: {" BAR ", loss_factor: 1}}\n" EAR, "loss_factor"},
        {"objects: {m: {mass: 1}}\n" EAR, "for rods"},
        {"rods: {r: {" BAR "}}\nlisteners: {a: {at: [0, 0, 1]}, b: {pickup: {rod: r, at: end}}}\n"
         "outputs: [{from: [a, b]}]\n",
         "cannot be added"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        twError err = {0};
        twScene* scene = parse(cases[i].text, &err);
        if (scene || !strstr(err.text, cases[i].words)) printf("%s\n  says: %s\n", cases[i].text, err.text);
        ENSURE(!scene && strstr(err.text, cases[i].words) && strstr(err.text, "rods.yaml:"));
        tw_scene_destroy(scene);
    }
    return 0;
}

// each at its place among several rods
static int wrong_rods_among_others_are_refused_at_their_line_and_column(void)
{
    static const struct
    {
        const char *second, *listener, *words;
    } cases[] = {
        {"straight: 0.3, points: 1, section: {circle: 0.003}", "at: [0, 0, 1]", "rods.yaml:3:30: 'points' must be"},
        {"polyline: [[0, 1, 0], [1, 1, 0], [1, 1, 0]], section: {circle: 0.003}", "at: [0, 0, 1]",
         "rods.yaml:3:40: this corner lies"},
        {"straight: 0.3, section: {circle: 0.003}, poisson: 0.6", "at: [0, 0, 1]", "rods.yaml:3:57: 'poisson' must be"},
        {"straight: 0.3, section: {polygon: [[0, 0], [1, 1], [1, 0], [0, 1]]}", "at: [0, 0, 1]",
         "rods.yaml:3:32: section: the edge from point 0 to 1 meets"},
        {"straight: 0.3, at: [0, 1, 0], section: {circle: 0.003}", "at: [0.1, 1.002, 0]",
         "rods.yaml:4:13: rod 'b': the listener at (0.1, 1.002, 0) is inside the rod"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[400];
        twError err = {0};
        snprintf(text, sizeof text, "rods:\n  a: {" BAR "}\n  b: {%s}\nlisteners: {ear: {%s}}\n", cases[i].second,
                 cases[i].listener);
        twScene* scene = parse(text, &err);
        if (scene || !strstr(err.text, cases[i].words)) printf("%s\n  says: %s\n", text, err.text);
        ENSURE(!scene && strstr(err.text, cases[i].words));
    }
    return 0;
}

// what is near something wrong but right
static int unusual_rods_are_accepted(void)
{
    static const char* const texts[] = {
        "rods: {r: {ring: 0.1, section: {circle: 0.001}, points: 8}}\n" EAR,
        "rods: {r: {polyline: [[0, 0, 0], [1, 0, 0], [1, 1, 0]], closed: true, section: {circle: 0.01}}}\n" EAR,
        "rods: {r: {" BAR ", poisson: 0.4999}}\n" EAR,
        "materials: {m: {alpha: 1, beta: 0, poisson: 0.4999}}\nrods: {r: {" BAR ", material: m}}\n" EAR,
        // a long clamp, made of two
        "rods: {r: {" BAR ", points: 11, supports: [{at: 0.4, hold: clamped}, {at: 0.6, hold: clamped}]}}\n" EAR,
        // on the ground; a pickup is nowhere
        "rods: {r: {" BAR "}}\nground: {}\n" EAR,
        "rods: {r: {" BAR
        ", at: [0, 0, 3]}}\nground: {point: [0, 0, 2]}\nlisteners: {ear: {pickup: {rod: r, at: end}}}\n",
        "rods: {r: {" BAR
        ", at: [0, 0, 3]}}\nground: {point: [0, 0, 2]}\nlisteners: {ear: {path: {z: {ramp: [5, 2]}}}}\n",
        // beside a flat section
        "rods: {r: {straight: 0.3, section: {rectangle: [0.1, 0.002]}, direction: [0, 1, 0]}}\n"
        "listeners: {ear: {at: [0.1, 0, 0.002]}}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    {
        twError err = {0};
        twScene* scene = parse(texts[i], &err);
        if (!scene) printf("%s\n  says: %s\n", texts[i], err.text);
        ENSURE(scene != NULL);
        tw_scene_destroy(scene);
    }
    return 0;
}

// ---- sound ----

// what a scene's first output sounds like, as rendered to a file; mono
static double* render(const char* text, const char* name, int64_t* frames, twRenderReport* report)
{
    twError err = {0};
    twScene* scene = parse(text, &err);
    if (!scene) printf("%s\n", err.text);
    if (!scene) return NULL;
    twRenderDef def = {.folder = in_folder(name), .no_picture = true};
    twWav* wav = NULL;
    double* sound = NULL;
    if (tw_render(scene, &def, report, &err) != TW_OK ||
        tw_wav_load(&wav, report->outputs[0].wav, 1 << 24, &err) != TW_OK)
        printf("%s\n", err.text);
    if (wav)
    {
        *frames = wav->frames;
        sound = malloc((size_t)wav->frames * sizeof *sound);
        if (sound) tw_wav_mono(wav, sound);
    }
    tw_wav_destroy(wav);
    tw_scene_destroy(scene);
    return sound;
}

static void window(double* x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
    {
        const double sine = sin(TW_PI * (double)i / (double)n);
        x[i] *= sine * sine;
    }
}

static double amplitude(const double* x, int64_t n, double w)
{
    const double cw = cos(w), sw = sin(w);
    double re = 0, im = 0, c = 1, s = 0;
    for (int64_t i = 0; i < n; i++)
    {
        re += x[i] * c, im += x[i] * s;
        const double next = c * cw - s * sw;
        s = s * cw + c * sw, c = next;
    }
    return hypot(re, im);
}

// frequency of the strongest partial near f: maximum of the transform of windowed samples
static double partial(const double* x, int64_t n, double rate, double f)
{
    double at = f, low = 0.97 * f, high = 1.03 * f;
    for (int pass = 0; pass < 4; pass++)
    {
        const double step = (high - low) / (pass == 0 ? 40 : 10);
        double best = 0;
        for (double g = low; g <= high; g += step)
        {
            const double a = amplitude(x, n, 2 * TW_PI * g / rate);
            if (a > best) best = a, at = g;
        }
        low = at - step, high = at + step;
    }
    return at;
}

static int the_file_has_the_pitch_of_beam_theory(void)
{
    // slender: shear and rotary inertia lower the sixth mode by 0.1 %
    const char* text =
        "duration: 1\n"
        "rods: {bar: {straight: 0.6, points: 40, section: {circle: 0.001}, young: 2.0e+11, density: 7850, poisson: 0.3,\n"
        "  alpha: 1, beta: 0, strikes: [{at: 0.03, force: [0, 0, 1], duration: 0.0003}]}}\n"
        "listeners: {ear: {at: [0.2, 0.05, 0.1]}}\n";
    twRenderReport report;
    int64_t n;
    double* x = render(text, "bar", &n, &report);
    ENSURE(x != NULL);
    window(x + 4800, n - 4800);
    const double roots[] = {4.730041, 7.853205, 10.995608, 14.137165, 17.278760, 20.420352};
    for (int k = 0; k < 6; k++)
    {
        const double theory = roots[k] * roots[k] / (0.36 * 2 * TW_PI) * sqrt(2e11 / 7850) * 0.0005;
        const double heard = partial(x + 4800, n - 4800, 48000, theory);
        if (fabs(heard / theory - 1) > 1e-3) printf("mode %d: %.3f, theory %.3f\n", k + 1, heard, theory);
        ENSURE(fabs(heard / theory - 1) < 1e-3);
    }
    ENSURE(report.rods[0].stats.halvings == 0 && report.rods[0].stats.stops == 0);
    free(x);
    tw_render_report_free(&report);
    return 0;
}

static int oversampling_changes_the_sound_little(void)
{
    const char* format =
        "duration: 0.2\noversample: %d\n"
        "rods: {bar: {straight: 0.2, points: 30, section: {circle: 0.002}, beta: 4.0e-6, supports: [{at: start, hold: clamped}],\n"
        "  strikes: [{at: end, force: [0, 0, 1], duration: 0.002, time: 0.01}]}}\n"
        "listeners: {ear: {at: [0.2, 0.05, 0.1]}}\noutputs: [{from: [ear], format: float, level: {gain: 1}}]\n";
    double *x[2], top = 0, off = 0;
    int64_t n;
    for (int i = 0; i < 2; i++)
    {
        char text[600], name[20];
        twRenderReport report;
        snprintf(text, sizeof text, format, 1 + i);
        snprintf(name, sizeof name, "over%d", i);
        x[i] = render(text, name, &n, &report);
        ENSURE(x[i] && n == 9600);
        tw_render_report_free(&report);
    }
    // where the blow begins and ends the force has a kink, which is heard up to half the rate, whatever that is
    for (int i = 700; i < n - 100; i++) top = fmax(top, fabs(x[0][i])), off = fmax(off, fabs(x[1][i] - x[0][i]));
    ENSURE(top > 0 && off < 0.005 * top);
    free(x[0]);
    free(x[1]);
    return 0;
}

static int a_report_balances_the_energy_and_a_trace_has_the_frames(void)
{
    const char* text =
        "duration: 0.1\nframes: 100\ngravity: [0, 0, -9.81]\n"
        "rods:\n  a: {straight: 0.4, points: 21, section: {circle: 0.002}, alpha: 5, beta: 1.0e-7, supports: [{at: start, hold: clamped}]}\n"
        "  b: {ring: 0.1, points: 24, section: {rectangle: [0.004, 0.001]}, velocity: [0, 1, 0], alpha: 0}\n"
        "listeners: {ear: {at: [0, 0, 1]}}\n";
    twRenderReport report;
    int64_t n;
    double* x = render(text, "energy", &n, &report);
    ENSURE(x && report.rod_count == 2);
    for (int i = 0; i < 2; i++)
    {
        const twRodEnergy *a = &report.rods[i].start, *b = &report.rods[i].end;
        const double before = a->kinetic + a->bending + a->twisting + a->stretching + a->gravity,
                     after = b->kinetic + b->bending + b->twisting + b->stretching + b->gravity;
        ENSURE_NEAR(after + b->dissipated - b->work, before, 1e-6 * (fabs(b->gravity - a->gravity) + a->kinetic));
    }
    twTrace* trace;
    ENSURE(tw_trace_load(&trace, report.trace, NULL) == TW_OK);
    ENSURE(trace->frame_count == 10 && trace->rod_count == 2 && trace->rods[1].closed);
    // the ring flies and falls: 1 m/s for 9 frames of 10 ms
    const float *first = tw_trace_positions(trace, 0, 1), *last = tw_trace_positions(trace, 9, 1);
    ENSURE_NEAR(last[1] - first[1], 0.09, 1e-5);
    ENSURE_NEAR(last[2] - first[2], -0.5 * 9.81 * 0.09 * 0.09, 1e-5);
    tw_trace_destroy(trace);
    tw_render_report_free(&report);
    free(x);
    return 0;
}

static double whole(const twRodEnergy* e)
{
    return e->kinetic + e->bending + e->twisting + e->stretching + e->shearing + e->springs + e->gravity;
}

// thick with shear, whipped about, on a spring: what is not damped keeps its energy, and never gains
static int undamped_rods_gain_nothing(void)
{
    static const char* const rods[] = {
        "straight: 0.25, points: 39, section: {circle: 0.01}, shear: true, material: brass, alpha: 0, beta: 0,\n"
        "  strikes: [{at: end, force: [0, 0, 2], duration: 0.00005}]",
        "straight: 0.25, points: 60, section: {circle: 0.01}, shear: true, material: brass, alpha: 0, beta: 0,\n"
        "  strikes: [{at: end, force: [0, 0, 2], duration: 0.00005}]",
        "straight: 0.5, points: 40, section: {circle: 0.002}, alpha: 0, beta: 0, strikes: [{at: start, force: [0, 0, 300]},\n"
        "  {at: end, force: [0, 0, -300]}]",
        "straight: 0.5, points: 40, section: {circle: 0.002}, alpha: 0, beta: 0, velocity: [0, 0, 3],\n"
        "  supports: [{at: start, hold: spring, stiffness: 3000}]",
    };
    for (int i = 0; i < 4; i++)
    {
        char text[600], name[20];
        twRenderReport report;
        int64_t n;
        snprintf(text, sizeof text, "duration: 0.15\nrods: {r: {%s}}\nlisteners: {ear: {at: [0, 0, 2]}}\n", rods[i]);
        snprintf(name, sizeof name, "free%d", i);
        double* x = render(text, name, &n, &report);
        ENSURE(x != NULL);
        const double in = whole(&report.rods[0].start) + report.rods[0].end.work, out = whole(&report.rods[0].end);
        if (!(fabs(out / in - 1) < 1e-3)) printf("%s: %g J of %g\n", rods[i], out, in);
        ENSURE(in > 0 && fabs(out / in - 1) < 1e-3);
        free(x);
        tw_render_report_free(&report);
    }
    return 0;
}

// stretched to twice its length and let go, with numbers of points that do not fill the vectors
static int violent_rods_are_stopped_and_stay_finite(void)
{
    for (int points = 9; points <= 12; points++)
    {
        char text[400], name[20];
        twRenderReport report;
        int64_t n;
        snprintf(
            text, sizeof text,
            "duration: 0.02\nrods: {r: {straight: 0.3, points: %d, stretch: 2, young: 1.0e+6, poisson: 0.45, density: "
            "1100, section: {rectangle: [0.005, 0.001]}, supports: [{at: start, hold: clamped}]}}\n"
            "listeners: {ear: {at: [0, 0, 1]}}\n",
            points);
        snprintf(name, sizeof name, "wild%d", points);
        double* x = render(text, name, &n, &report);
        ENSURE(x != NULL && report.listeners[0].bad_values == 0);
        free(x);
        tw_render_report_free(&report);
    }
    return 0;
}

static int a_rod_at_rest_is_silent(void)
{
    twRenderReport report;
    int64_t n;
    double *x = render("duration: 0.02\nrods: {r: {" BAR "}}\n" EAR, "rest", &n, &report), top = 0;
    ENSURE(x != NULL);
    for (int64_t i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
    ENSURE(top < 1e-6);
    free(x);
    tw_render_report_free(&report);
    return 0;
}

static int a_moved_clamp_carries_the_rod_and_a_pickup_hears_it(void)
{
    // a still rod moved at 0.5 m/s: after the jerk has died the pickup hears 0.5
    const char* text = "duration: 0.5\n"
                       "rods: {bar: {straight: 0.1, points: 11, section: {circle: 0.003}, alpha: 200, beta: 1.0e-6,\n"
                       "  supports: [{at: start, hold: clamped, move: {z: {ramp: [0, 0.25]}}}]}}\n"
                       "listeners: {point: {pickup: {rod: bar, at: end}}}\n"
                       "outputs: [{from: [point], format: float, level: {gain: 1}}]\n";
    twRenderReport report;
    int64_t n;
    double *x = render(text, "pickup", &n, &report), mean = 0;
    ENSURE(x != NULL);
    // but for the last 20 ms, which fade
    for (int64_t i = n / 2; i < n - 960; i++) mean += x[i] / (double)(n - 960 - n / 2);
    ENSURE_NEAR(mean, 0.5, 5e-3);
    free(x);
    tw_render_report_free(&report);
    return 0;
}

// a trace or a picture in the folder is that of the sound beside it
static int a_render_leaves_no_trace_of_an_earlier_one(void)
{
    const char* rod = "duration: 0.01\nrods: {r: {" BAR ", strikes: [{at: end, force: [0, 0, 1]}]}}\n" EAR;
    char text[400];
    twRenderReport report;
    twError err = {0};
    struct stat info;
    int64_t n;
    snprintf(text, sizeof text, "%sframes: 1000\n", rod);
    twScene* scene = parse(text, &err);
    twRenderDef def = {.folder = in_folder("again")};
    ENSURE(scene && tw_render(scene, &def, &report, &err) == TW_OK);
    tw_scene_destroy(scene);
    tw_render_report_free(&report);
    ENSURE(stat(in_folder("again/trace.twtrace"), &info) == 0 && stat(in_folder("again/spectrogram.png"), &info) == 0);
    snprintf(text, sizeof text, "%sframes: 0\n", rod);
    free(render(text, "again", &n, &report));
    tw_render_report_free(&report);
    ENSURE(stat(in_folder("again/trace.twtrace"), &info) != 0 && stat(in_folder("again/spectrogram.png"), &info) != 0);
    ENSURE(stat(in_folder("again/ear.wav"), &info) == 0 && stat(in_folder("again/report.json"), &info) == 0);
    return 0;
}

static int a_rod_that_falls_through_the_ground_is_told_of(void)
{
    for (int i = 0; i < 2; i++)
    {
        char text[300];
        twRenderReport report;
        int64_t n;
        snprintf(text, sizeof text,
                 "duration: 0.05\nground: {}\ngravity: [0, 0, %d]\nrods: {r: {" BAR ", points: 9}}\n" EAR,
                 i ? -10 : 10);
        double* x = render(text, "ground", &n, &report);
        ENSURE(x && report.rods[0].below_ground == (i == 1));
        free(x);
        tw_render_report_free(&report);
    }
    return 0;
}

// falling from rest: sample n is at n/rate, at the pickup and in the trace
static int a_pickup_hears_the_velocity_at_the_time_of_the_sample(void)
{
    const char* text = "duration: 0.05\noversample: 2\ngravity: [0, 0, -1000]\n"
                       "rods: {bar: {straight: 0.1, points: 11, section: {circle: 0.003}, alpha: 0}}\n"
                       "listeners: {point: {pickup: {rod: bar, at: end}}}\n"
                       "outputs: [{from: [point], format: float, level: {gain: 1}}]\n";
    twRenderReport report;
    int64_t n;
    double* x = render(text, "fall", &n, &report);
    ENSURE(x != NULL);
    for (int i = 300; i < n - 1000; i += 50) ENSURE_NEAR(x[i], -1000 * i / 48000.0, 0.05 * 1000 / 48000);
    free(x);
    tw_render_report_free(&report);
    return 0;
}

// many rods of few radii; two rods at one place, one of them struck, sound as that one alone
static int exact_cylinders_of_one_radius_share_a_track(void)
{
    enum
    {
        RODS = 90
    };
    char text[160 * RODS] = "rods:\n";
    for (int i = 0; i < RODS; i++)
    {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 "  r%d: {straight: 0.3, points: 9, section: {circle: %s}, radiation: {exact_cylinder: %s}}\n", i,
                 i % 2 ? "0.006" : "0.003", i < 3 ? "false" : "true");
    }
    strcat(text, EAR);
    twError err = {0};
    twScene* scene = parse(text, &err);
    if (!scene) printf("%s\n", err.text);
    ENSURE(scene && scene->listeners[0].def.track_count == 3);
    tw_scene_destroy(scene);

    const char* struck =
        "section: {circle: 0.02}, radiation: {exact_cylinder: true}, strikes: [{at: end, force: [0, 0, 9], "
        "duration: 0.0002}]";
    double* x[2];
    int64_t n = 0;
    for (int i = 0; i < 2; i++)
    {
        twRenderReport report;
        snprintf(text, sizeof text,
                 "duration: 0.02\nrods:\n%s  a: {straight: 0.3, points: 9, %s}\n"
                 "  b: {straight: 0.3, points: 9, section: {circle: 0.02}, radiation: {exact_cylinder: true}}\n" EAR
                 "outputs: [{from: [ear], format: float, level: {gain: 1}}]\n",
                 i ? "  c: {straight: 0.3, points: 9, section: {circle: 0.01}, radiation: {exact_cylinder: true}}\n"
                   : "",
                 struck);
        x[i] = render(text, i ? "shared" : "alone", &n, &report);
        ENSURE(x[i] != NULL);
        tw_render_report_free(&report);
    }
    double top = 0, off = 0;
    for (int i = 0; i < n; i++) top = fmax(top, fabs(x[0][i])), off = fmax(off, fabs(x[1][i] - x[0][i]));
    ENSURE(top > 0 && off < 1e-6 * top);
    free(x[0]);
    free(x[1]);
    return 0;
}

// a loss factor leaves the rest to those who ask for it; beta alone is Rayleigh's damping
static int losses_of_rods_are_read(void)
{
    static const struct
    {
        const char* text;
        double alpha, beta, loss;
    } cases[] = {
        {"loss_factor: 0.01", 0, 0, 0.01},          {"loss_factor: 0.01, alpha: 2, beta: 1.0e-7", 2, 1e-7, 0.01},
        {"alpha: 2, beta: 1.0e-7", 2, 1e-7, 0},     {"material: own", 3, 1e-6, 0},
        {"material: own, loss_factor: 0", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[400];
        snprintf(text, sizeof text,
                 "materials: {own: {density: 1000, young: 1.0e+9, alpha: 3, beta: 1.0e-6}}\nrods: {r: {" BAR
                 ", %s}}\n" EAR,
                 cases[i].text);
        twError err = {0};
        twScene* scene = parse(text, &err);
        if (!scene) printf("%s\n", err.text);
        ENSURE(scene);
        const twRodDef* def = &scene->rods[0].def;
        ENSURE(def->alpha == cases[i].alpha && def->beta == cases[i].beta && def->loss_factor == cases[i].loss);
        ENSURE(def->air_radius == 0.003 && def->air_density > 1 && def->air_speed > 300);
        tw_scene_destroy(scene);
    }
    return 0;
}

// k a = 0.3 at 10 kHz is a radius of 1.64 mm; sections that are not round have that of equal moved air, the fattest what filters can do
static int thick_rods_are_cylinders_unless_told_otherwise(void)
{
    static const struct
    {
        const char* text;
        double radius;
    } cases[] = {
        {"section: {circle: 0.0016}", 0},
        {"section: {circle: 0.0017}", 0.0017},
        {"section: {circle: 0.0017}, radiation: {exact_cylinder: false}", 0},
        {"section: {circle: 0.001}, radiation: {exact_cylinder: true}", 0.001},
        {"section: {ellipse: [0.02, 0.0001]}", 0.00707},  // moves pi a^2 of air as a strip of half width a
        {"section: {circle: 0.2}", 0.0505},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[300];
        snprintf(text, sizeof text, "rate: 44100\nrods: {r: {straight: 3, points: 9, %s}}\n" EAR, cases[i].text);
        twError err = {0};
        twScene* scene = parse(text, &err);
        if (!scene) printf("%s\n", err.text);
        ENSURE(scene);
        ENSURE_NEAR(scene->rods[0].cylinder, cases[i].radius, 0.01 * cases[i].radius);
        ENSURE(scene->listeners[0].def.track_count == (cases[i].radius > 0 ? 2 : 1));
        tw_scene_destroy(scene);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(points_lie_at_equal_distances)
    RUN(lines_are_turned_to_their_axis_and_moved)
    RUN(wrong_rods_are_refused_with_place_and_cure)
    RUN(wrong_rods_among_others_are_refused_at_their_line_and_column)
    RUN(unusual_rods_are_accepted)
    RUN(the_file_has_the_pitch_of_beam_theory)
    RUN(oversampling_changes_the_sound_little)
    RUN(a_report_balances_the_energy_and_a_trace_has_the_frames)
    RUN(undamped_rods_gain_nothing)
    RUN(violent_rods_are_stopped_and_stay_finite)
    RUN(a_rod_at_rest_is_silent)
    RUN(a_moved_clamp_carries_the_rod_and_a_pickup_hears_it)
    RUN(exact_cylinders_of_one_radius_share_a_track)
    RUN(losses_of_rods_are_read)
    RUN(thick_rods_are_cylinders_unless_told_otherwise)
    RUN(a_render_leaves_no_trace_of_an_earlier_one)
    RUN(a_rod_that_falls_through_the_ground_is_told_of)
    RUN(a_pickup_hears_the_velocity_at_the_time_of_the_sample)
)
