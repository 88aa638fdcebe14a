// SPDX-License-Identifier: MIT
// What a soft body costs that is held at ten points and dragged about: simulation, vertices to be drawn, sound, for
// surfaces of 1k to 300k vertices and 40 modes; how near the loop over vertices is to the memory's bandwidth; how
// even frames are; what more points, contacts, islands and heaps cost; and how long modal analysis takes for bodies
// as large as those of Hauser, Shen and O'Brien 2003 (their Table 1).
//
// A frame of that paper is one step. Both are measured: steps per second, each handed out by itself, and frames of
// 1/60 s at the default step of 1 ms, 16 or 17 steps each. All is on one core, in processor time of the thread.
//
// The modes are those of a soft ball by finite elements, 3840 quadratic tets. Finer surfaces are embedded in these:
// the motion of a vertex is that of the element it lies in. So every vertex of a fine surface has 40 modes of its own
// that are read when it is drawn, as if it had been analysed finely. Drawn the other way ("hung"), only the nodes of
// the elements have modes, and vertices hang on them.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"

// ---- points ----

static void report_points(BenchReport* report, const Ball* ball)
{
    static const int counts[] = {1, 2, 4, 8, 10, 16, 32, 64};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    {
        char name[32];
        double step = 0, frame = 0;
        Drag d = make_drag(ball, counts[i], NULL, false);
        const twWorldStats before = tw_live_view(d.live)->stats.world;
        for (int round = 0; round < 5; round++) time_drag(&d, counts[i] > 16 ? 4 : 10, &step, &frame);
        const twWorldStats after = tw_live_view(d.live)->stats.world;
        const double steps = (double)(after.steps - before.steps);
        snprintf(name, sizeof name, "points_%d", counts[i]);
        tell(report, name, "steps", 1 / step, "per second");
        tell(report, name, "frames", 1 / frame, "of 1/60 s, per second; more than 15 points leave 40 modes no freedom");
        tell(report, name, "iterations", (double)(after.iterations - before.iterations) / steps,
             "of Newton's method per step");
        tw_live_destroy(d.live);
    }
}

// ---- even frames ----

static int by_size(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void tell_frames(BenchReport* report, const char* name, double* took, int count)
{
    qsort(took, (size_t)count, sizeof *took, by_size);
    tell(report, name, "median_us", 1e6 * took[count / 2], "a frame of 1/60 s with vertices, normals and sound");
    tell(report, name, "p99_us", 1e6 * took[count * 99 / 100], "");
    tell(report, name, "p99_over_median", took[count * 99 / 100] / took[count / 2], "");
}

static void report_frames(BenchReport* report, const Ball* ball, const BenchOptions* options)
{
    const int count = options->quick ? 300 : 1200;
    double *cpu = room((size_t)count, sizeof *cpu), *wall = room((size_t)count, sizeof *wall);
    Drag d = make_drag(ball, POINTS, NULL, true);
    Canvas canvas = make_canvas(&d);
    float* out = room((size_t)(SOUND_FRAMES * tw_live_channels(d.live)), sizeof *out);
    for (int i = -20; i < count; i++)
    {
        const double begin = bench_cpu_seconds(), began = wall_seconds();
        drag_frame(&d);
        draw_all(&canvas);
        tw_live_sound(d.live, out, SOUND_FRAMES);
        if (i < 0) continue;
        cpu[i] = bench_cpu_seconds() - begin;
        wall[i] = wall_seconds() - began;
    }
    tell_frames(report, "frame", cpu, count);
    tell_frames(report, "frame_wall", wall, count);
    free(out);
    free_canvas(&canvas);
    tw_live_destroy(d.live);
    free(cpu);
    free(wall);
}

int main(int argc, char** argv)
{
    const BenchOptions options = bench_options(&argc, argv, "up to 30k vertices, shorter",
                                               "one of table, points, frames, sizes, contacts, heaps");
    bench_check_only(&options, "bench_grab", "table points frames sizes contacts heaps");
    BenchReport report = bench_report(argc, argv, "bench_grab");
    if (bench_wants(&options, "table")) report_table(&report, &options);
    twModeSet* coarse = coarse_set();
    Ball usual = make_ball(coarse, edge_of(&grab_sizes[3]), false);
    if (bench_wants(&options, "points")) report_points(&report, &usual);
    if (bench_wants(&options, "frames")) report_frames(&report, &usual, &options);
    free_ball(&usual);
    if (bench_wants(&options, "sizes")) report_sizes(&report, coarse, &options);
    if (bench_wants(&options, "contacts")) report_contacts(&report, coarse, &options);
    if (bench_wants(&options, "heaps")) report_heaps(&report);
    tw_mode_set_destroy(coarse);
    bench_end(&report);
    return 0;
}
