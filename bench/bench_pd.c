// SPDX-License-Identifier: MIT
// How many instances keep real time in Pd on one core: a patch of INSTANCES of them runs in batch mode for two lengths of time, and the
// difference of Pd's processor time over that of sounding time is what they cost, with all that Pd does around them. Start-up
// drops out. Voices are those of bench_contact, at 44.1 kHz:
//
//   impact    N modes of 1 kg and a hammer of 10 g, k = 1e8, struck at 3 m/s ten times a second
//   friction  N modes of 10 g and an exciter of 10 g pulled by 0.3 N, f_N = 0.5 N, s0 = 5000, s1 = 1, s2 = 0.2, noise 0.01 N
//
// Block times are those of whole ticks of Pd (64 samples) with the same patch, noted inside by [pd_clock~] as processor time of Pd's
// thread: a few ticks in which the machine was busy with others do not count, cold caches after them do.
#define _DEFAULT_SOURCE
#include "bench.h"
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
    INSTANCES = 8,
    ROUNDS = 5,
    MOST = 1 << 16
};
static const double RATE = 44100, SHORT = 1, LONG = 5;  // [s]

static char folder[200];

static double mode_freq(int k, int modes) { return 50 * pow(360, (k + 0.5) / modes); }
static double mode_decay(int k, int modes) { return 1 + 49 * (k + 0.5) / modes; }

static void write_object(FILE* file, const char* kind, int modes)
{
    fprintf(file, "#X obj 0 0 twang_%s~ -freq", kind);
    for (int k = 0; k < modes; k++) fprintf(file, " %g", mode_freq(k, modes));
    fprintf(file, " -decay");
    for (int k = 0; k < modes; k++) fprintf(file, " %g", mode_decay(k, modes));
    if (strcmp(kind, "impact") == 0)
        fprintf(file, " -mass 1 -exciter mass 0.01 -stiffness 1e+08 -dissipation 1;\n");
    else
        fprintf(
            file,
            " -mass 0.01 -shape 0 1 -exciter mass 0.01 -exciter decay 0 -stiffness 5000 -damping 1 -viscosity 0.2 "
            "-noise 0.01 -static 0.95 -dynamic 0.15 -stribeck 0.1 -breakaway 0.2 -roughness 0 -force 0.3 -normal 0.5;\n");
}

// instances of one kind, a hammer for all, a clock, and an end
static bool write_patch(const char* path, const char* kind, int modes, double seconds)
{
    FILE* file = fopen(path, "w");
    if (!file) return false;
    fprintf(file, "#N canvas 0 0 600 400 12;\n#X obj 0 0 loadbang;\n#X obj 0 0 t b b b;\n#X msg 0 0 \\; pd dsp 1;\n");
    fprintf(file, "#X obj 0 0 del %g;\n#X obj 0 0 t b b;\n#X msg 0 0 \\; pd quit;\n", 1000 * seconds);
    fprintf(file, "#X msg 0 0 write %s/times;\n#X obj 0 0 pd_clock~;\n#X msg 0 0 1;\n#X obj 0 0 metro 100;\n", folder);
    fprintf(file, "#X msg 0 0 strike 3;\n");
    fprintf(
        file,
        "#X connect 0 0 1 0;\n#X connect 1 2 2 0;\n#X connect 1 1 3 0;\n#X connect 1 0 8 0;\n#X connect 3 0 4 0;\n");
    fprintf(
        file,
        "#X connect 4 1 6 0;\n#X connect 4 0 5 0;\n#X connect 6 0 7 0;\n#X connect 8 0 9 0;\n#X connect 9 0 10 0;\n");
    for (int i = 0; i < INSTANCES; i++) write_object(file, kind, modes);
    for (int i = 0; i < INSTANCES && strcmp(kind, "impact") == 0; i++) fprintf(file, "#X connect 10 0 %d 0;\n", 11 + i);
    return fclose(file) == 0;
}

// processor time of all children so far [s]
static double children_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_sec +
           1e-6 * (double)usage.ru_stime.tv_usec;
}

// run the patch. @return processor time of Pd [s]
static double run_pd(const char* kind, int modes, double seconds)
{
    char patch[256], command[2048];
    snprintf(patch, sizeof patch, "%s/voices.pd", folder);
    if (!write_patch(patch, kind, modes, seconds)) exit(1);
    snprintf(command, sizeof command,
             "'%s' -nogui -noprefs -nosound -batch -r %g -path '%s' -path '%s' -open '%s' >'%s/log' 2>&1", BENCH_PD,
             RATE, BENCH_PD_FOLDER, BENCH_PD_CLOCK, patch, folder);
    double before = children_seconds();
    int status = system(command);
    if (status == 0) return children_seconds() - before;
    fprintf(stderr, "bench_pd: Pd failed on %s; see %s/log\n", patch, folder);
    exit(1);
}

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// ticks of the last run, sorted, without the first second. @return how many
static int read_ticks(double* ticks)
{
    char path[256];
    snprintf(path, sizeof path, "%s/times", folder);
    FILE* file = fopen(path, "rb");
    int count = file ? (int)fread(ticks, sizeof *ticks, MOST, file) : 0, skip = (int)(RATE / 64);
    if (file) fclose(file);
    if (count < 2 * skip) exit(1);
    for (int i = skip; i + 1 < count; i++) ticks[i - skip] = ticks[i + 1] - ticks[i];
    count -= skip + 1;
    qsort(ticks, (size_t)count, sizeof *ticks, by_size);
    return count;
}

static void figure(BenchReport* report, const char* what, const char* kind, int modes, double value,
                   const char* meaning)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%s_%d", what, kind, modes);
    bench_figure(report, key, value, meaning);
}

static void measure(BenchReport* report, const char* kind, int modes)
{
    static double ticks[MOST];
    double cost = HUGE_VAL, spread = HUGE_VAL, median = HUGE_VAL, worst = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++)
    {
        double quick = run_pd(kind, modes, SHORT), whole = run_pd(kind, modes, LONG);
        int count = read_ticks(ticks);
        cost = fmin(cost, (whole - quick) / (LONG - SHORT) / INSTANCES);
        median = fmin(median, ticks[count / 2]);
        spread = fmin(spread, ticks[count * 99 / 100] / ticks[count / 2]);
        worst = fmin(worst, ticks[count - 1] / ticks[count / 2]);
    }
    figure(report, "instances", kind, modes, 1 / cost, "in real time on one core, Pd's own work included");
    figure(report, "us_per_tick", kind, modes, 1e6 * median, "median of ticks of 64 samples, all instances");
    figure(report, "tick_p99_over_median", kind, modes, spread, "processor time, best of the rounds");
    figure(report, "tick_max_over_median", kind, modes, worst, "the same, of the slowest tick");
}

int main(int argc, char** argv)
{
    static const int counts[] = {3, 16, 128};
    BenchReport report = bench_report(argc, argv, "bench_pd");
    const char* parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/bench_pd_XXXXXX", parent && parent[0] ? parent : P_tmpdir);
    if (!mkdtemp(folder)) return 1;
    bench_figure(&report, "patch_instances", INSTANCES, "in the patches that are measured");
    for (int i = 0; i < 6; i++) measure(&report, i < 3 ? "impact" : "friction", counts[i % 3]);
    bench_end(&report);
    static const char* const files[] = {"voices.pd", "times", "log"};
    for (int i = 0; i < 3; i++)
    {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    return 0;
}
