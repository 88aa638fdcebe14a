// SPDX-License-Identifier: MIT
// What rods cost: the examples of Schweickart et al. 2017 with the default scheme (two-stage Gauss, to tolerance) on one core,
// beside that paper's seconds per second of sound on 8 cores (its Fig. 7), and how cost grows with the number of points.
//
// Times are processor time of the thread, from the blow on, the better of two runs: up to a second of sound, or 2e7 points
// times steps. Sound is that of one listener.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "rod/rod.h"
#include "twang/acoustics.h"
#include "twang/rod.h"
#include <math.h>

typedef enum Shape
{
    STRAIGHT,
    SPIRAL,  // flat, the inner end clamped
    HELIX,   // hung between springs
    RING,    // closed
} Shape;

typedef enum Damping
{
    RAYLEIGH,  // alpha and beta
    UNDAMPED,
    LOSS_FACTOR,
} Damping;

typedef struct Example
{
    const char* name;
    Shape shape;
    int points;
    double rate_hz, young, poisson, density;  // [Hz], [Pa], [kg/m^3]
    double width, height;                     // [m]; height 0: circle of this diameter
    double length, stretch;                   // [m]
    bool held;                                // at both ends
    double force, duration;                   // of the blow [N], [s]
    double paper_seconds;                     // per second of sound; 0: not in the paper
} Example;

static const Example examples[] = {
    {"rectangular_rod", STRAIGHT, 30, 44100, 68.9e9, 0.33, 2700, 0.0127, 0.0254, 0.3048, 1, false, 100, 2e-4, 10},
    {"circular_rod", STRAIGHT, 50, 44100, 70.7e9, 0.33, 2700, 0.0127, 0, 0.6096, 1, false, 100, 2e-4, 42},
    {"ruler", STRAIGHT, 36, 44100, 6.3e9, 0.3, 700, 0.007, 0.033, 0.381, 1, false, 20, 4e-4, 47},
    {"strapping", STRAIGHT, 100, 44100, 205e9, 0.29, 7850, 0.00079375, 0.0254, 1.0668, 1, false, 20, 4e-4, 91},
    {"clock_gong", SPIRAL, 400, 44100, 225e9, 0.29, 7850, 0.004, 0, 0.14, 1, false, 50, 4e-4, 144},
    {"rubber_band", STRAIGHT, 50, 44100, 0.3e6, 0.49, 1100, 0.0008, 0.0016, 0.283, 0.283 / 0.186, true, 0.02, 2e-3, 12},
    {"guy_wire", STRAIGHT, 1500, 88200, 205e9, 0.29, 7850, 0.0127, 0, 20.1, 1.005, true, 500, 5e-5, 1000},
    {"ring", RING, 128, 44100, 205e9, 0.29, 7850, 0.004, 0, 0.1, 1, false, 20, 4e-4, 0},
    {"slinky_dispersion", HELIX, 3888, 88200, 205e9, 0.29, 7850, 0.00095, 0.00038, 1, 1, false, 2, 1e-4, 3098},
};

static twSection example_section(const Example* e)
{
    twSectionDef def = e->height > 0 ? tw_section_rectangle(e->width, e->height) : tw_section_circle(e->width / 2);
    twSection section;
    if (tw_section_compute(&section, &def, NULL) != TW_OK) exit(1);
    return section;
}

static twVec3 example_point(const Example* e, int i)
{
    double s = (double)i / (e->points - 1);
    if (e->shape == SPIRAL)
    {
        // from a radius of 1.5 cm to 7 cm in five turns
        double angle = 2 * TW_PI * 5 * s, r = 0.015 + 0.055 * s;
        return tw_vec3(r * cos(angle), r * sin(angle), 0);
    }
    if (e->shape == HELIX)
    {
        // 81 loops of 3.25 cm
        double angle = 2 * TW_PI * 81 * s;
        return tw_vec3(e->length * s, 0.0325 * cos(angle), 0.0325 * sin(angle));
    }
    if (e->shape == RING)
    {
        const double angle = 2 * TW_PI * i / e->points;
        return tw_vec3(e->length * cos(angle), e->length * sin(angle), 0);
    }
    return tw_vec3(e->length * s, 0, 0);
}

static twRod* example_rod(const Example* e, Damping damping)
{
    twVec3* points = malloc((size_t)e->points * sizeof *points);
    for (int i = 0; i < e->points; i++) points[i] = example_point(e, i);
    twSection section = example_section(e);
    twRodSupport ends[2] = {{.kind = TW_ROD_CLAMPED, .point = 0}, {.kind = TW_ROD_CLAMPED, .point = e->points - 1}};
    if (e->shape == HELIX)
        for (int k = 0; k < 2; k++)
            ends[k].kind = TW_ROD_SPRING, ends[k].stiffness = tw_vec3(20, 20, 20), ends[k].damping = 0.02;
    twRodPulse blow = {.point = e->points / 5, .force = {0, e->force, 0.2 * e->force}, .duration = e->duration};
    if (e->shape == SPIRAL) blow.point = e->points - 1, blow.force = tw_vec3(0, 0, e->force);
    twRodDef def = tw_rod_def();
    def.point_count = e->points, def.points = points, def.closed = e->shape == RING;
    def.section_count = 1, def.sections = &section;
    def.young = e->young, def.poisson = e->poisson, def.density = e->density;
    if (damping == RAYLEIGH) def.alpha = 1, def.beta = 1e-9;
    if (damping == LOSS_FACTOR) def.loss_factor = 1e-3;
    def.rate_hz = e->rate_hz, def.stretch = e->stretch;
    def.support_count = e->shape == HELIX || e->held ? 2 : e->shape == SPIRAL ? 1 : 0, def.supports = ends;
    def.pulse_count = 1, def.pulses = &blow;
    twRod* rod = NULL;
    twError err;
    if (tw_rod_create(&rod, &def, &err) != TW_OK)
    {
        fprintf(stderr, "%s: %s\n", e->name, err.text);
        exit(1);
    }
    free(points);
    return rod;
}

typedef struct Cost
{
    double motion_ns, sound_ns;  // per point and step
    double iterations;           // per step
} Cost;

static twListener* example_listener(double rate_hz)
{
    twListenerDef def = tw_listener_def();
    def.rate_hz = rate_hz;
    def.position = tw_vec3(0.3, 0.4, 0.5);
    twListener* listener = NULL;
    if (tw_listener_create(&listener, &def, NULL) != TW_OK) exit(1);
    return listener;
}

static twRadiator* example_radiator(const Example* e, const twSection* section, const twRodView* view)
{
    twRadiatorDef def = tw_radiator_def();
    def.point_count = e->points;
    def.section_count = 1, def.sections = section;
    def.lengths = view->rest_length;
    def.poisson = e->poisson;
    twRadiator* radiator = NULL;
    if (tw_radiator_create(&radiator, &def, NULL) != TW_OK) exit(1);
    return radiator;
}

// seconds of sound for so many steps of a rod that stays where it is: the cost does not depend on the motion
static double sound_seconds(const Example* e, twRod* rod, int64_t steps)
{
    const twRodView v = tw_rod_view(rod);
    const twSection section = example_section(e);
    twRadiator* radiator = example_radiator(e, &section, &v);
    twListener* listener = example_listener(e->rate_hz);
    const twRadiatorMotion motion = tw_radiator_motion(&v);
    const double begin = bench_cpu_seconds();
    for (int64_t i = 0; i < steps; i++)
    {
        const twSources sources = tw_radiator_update(radiator, &motion);
        tw_listener_add(listener, 0, &sources);
        bench_keep(tw_listener_step(listener));
    }
    const double took = bench_cpu_seconds() - begin;
    tw_listener_destroy(listener);
    tw_radiator_destroy(radiator);
    return took;
}

static Cost measure(const Example* e, Damping damping)
{
    Cost cost = {HUGE_VAL, HUGE_VAL, 0};
    const int64_t steps = (int64_t)fmin(e->rate_hz, 2e7 / e->points);
    const double unit = 1e9 / ((double)steps * e->points);
    for (int run = 0; run < 2; run++)
    {
        twRod* rod = example_rod(e, damping);
        const double begin = bench_cpu_seconds();
        for (int64_t i = 0; i < steps; i++) tw_rod_step(rod);
        cost.motion_ns = fmin(cost.motion_ns, unit * (bench_cpu_seconds() - begin));
        cost.sound_ns = fmin(cost.sound_ns, unit * sound_seconds(e, rod, steps));
        cost.iterations = (double)tw_rod_stats(rod).iterations / (double)steps;
        tw_rod_destroy(rod);
    }
    return cost;
}

// processor time of so many steps with each kind of damping, in turns, the least of five
static void measure_in_turns(const Example* e, double seconds[2])
{
    static const Damping dampings[2] = {UNDAMPED, LOSS_FACTOR};
    const int64_t steps = (int64_t)fmin(e->rate_hz, 4e6 / e->points);
    seconds[0] = seconds[1] = HUGE_VAL;
    for (int run = 0; run < 10; run++)
    {
        twRod* rod = example_rod(e, dampings[run % 2]);
        const double begin = bench_cpu_seconds();
        for (int64_t i = 0; i < steps; i++) tw_rod_step(rod);
        seconds[run % 2] = fmin(seconds[run % 2], bench_cpu_seconds() - begin);
        tw_rod_destroy(rod);
    }
}

static void figure(BenchReport* report, const Example* e, const char* what, double value, const char* note)
{
    char key[96];
    snprintf(key, sizeof key, "%s_%s", e->name, what);
    bench_figure(report, key, value, note);
}

static void report_example(BenchReport* report, const Example* e)
{
    const Cost cost = measure(e, RAYLEIGH), undamped = measure(e, UNDAMPED), lossy = measure(e, LOSS_FACTOR);
    const double took = (cost.motion_ns + cost.sound_ns) * 1e-9 * e->points * e->rate_hz;
    figure(report, e, "seconds", took, "of computing per second of sound, one core");
    if (e->paper_seconds > 0) figure(report, e, "paper", e->paper_seconds, "the paper's, 8 cores");
    if (e->paper_seconds > 0) figure(report, e, "speedup", e->paper_seconds / took, "");
    figure(report, e, "motion_share", cost.motion_ns / (cost.motion_ns + cost.sound_ns), "of the time");
    figure(report, e, "motion_ns", cost.motion_ns, "per point and step");
    figure(report, e, "sound_ns", cost.sound_ns, "per point and step");
    figure(report, e, "iterations", cost.iterations, "per step");
    double seconds[2];
    measure_in_turns(e, seconds);
    figure(report, e, "loss_factor_ratio", seconds[1] / seconds[0],
           "motion with a loss factor over that without damping, in turns, the least of five each");
    figure(report, e, "loss_factor_over_alpha_beta", lossy.motion_ns / cost.motion_ns, "the same over alpha and beta");
    figure(report, e, "loss_factor_iterations", lossy.iterations, "per step");
    figure(report, e, "undamped_iterations", undamped.iterations, "per step");
}

// how cost grows: a steel wire of 1 cm edges, struck
static void report_growth(BenchReport* report)
{
    static const int counts[] = {30, 120, 480, 1920, 7680, 16000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    {
        int points = counts[i];
        Example wire = {"wire", STRAIGHT,      points, 44100, 205e9, 0.29, 7850, 0.004,
                        0,      0.01 * points, 1,      false, 10,    2e-4, 0};
        char what[32];
        snprintf(what, sizeof what, "%d_ns", points);
        figure(report, &wire, what, measure(&wire, RAYLEIGH).motion_ns, "per point and step");
    }
}

int main(int argc, char** argv)
{
    const BenchOptions options = bench_options(&argc, argv, "the same", "an example, or wire: how cost grows");
    bench_check_only(&options, "bench_rods",
                     "rectangular_rod circular_rod ruler strapping clock_gong rubber_band guy_wire ring "
                     "slinky_dispersion wire");
    BenchReport report = bench_report(argc, argv, "bench_rods");
    bench_text(&report, "kernel", tw_rod_kernel(NULL)->name, "");
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (bench_wants(&options, examples[i].name)) report_example(&report, &examples[i]);
    if (bench_wants(&options, "wire")) report_growth(&report);
    bench_end(&report);
    return 0;
}
