// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// @file
/// What benchmarks share: timing and reports. A benchmark measures jobs and reports named figures, as one JSON object
/// with --json, else as a table:
///
///     BenchReport report = bench_report(argc, argv, "bench_topic");
///     bench_figure(&report, "voices", 1 / bench_seconds(job, &context, 100), "voices in real time");
///     bench_end(&report);

typedef void (*BenchJob)(void* context);

/// Processor time per call [s] over a number of calls. Jobs should last a few milliseconds in total.
static inline double bench_seconds(BenchJob job, void* context, int calls)
{
    clock_t begin = clock();
    for (int i = 0; i < calls; i++) job(context);
    return (double)(clock() - begin) / CLOCKS_PER_SEC / calls;
}

#ifdef CLOCK_THREAD_CPUTIME_ID
/// Processor time of this thread [s], for those that define _POSIX_C_SOURCE. Threads of the BLAS do not count: they only wait, by
/// turning in circles.
static inline double bench_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif

/// A job timed several times, in turn with others, so that all see the same moods of the machine; the best time counts.
typedef struct BenchTimer
{
    BenchJob job;
    void* context;
    int calls;
    double best;  ///< [s] per call; 0 before the first run
} BenchTimer;

/// Choose the number of calls so that one run takes about seconds.
static inline BenchTimer bench_timer(BenchJob job, void* context, double seconds)
{
    int calls = 1;
    double took = bench_seconds(job, context, calls);
    while (took * calls < 0.2 * seconds && calls < 1 << 28) took = bench_seconds(job, context, calls *= 4);
    int wanted = (int)(seconds / took);
    return (BenchTimer){job, context, wanted > 1 ? wanted : 1, 0};
}

static inline void bench_rounds(BenchTimer* const* timers, int count, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
        {
            double took = bench_seconds(timers[i]->job, timers[i]->context, timers[i]->calls);
            if (timers[i]->best == 0 || took < timers[i]->best) timers[i]->best = took;
        }
}

/// Keep a value alive, so that the compiler cannot drop what made it.
static inline void bench_keep(double value)
{
    volatile double sink = value;
    (void)sink;
}

typedef struct BenchReport
{
    bool as_json;
    twJson json;
} BenchReport;

/// Read the options (--json, --help) and open the report. Leaves the program on --help and on bad usage (status 2).
static inline BenchReport bench_report(int argc, char** argv, const char* name)
{
    BenchReport report = {.as_json = false};
    for (int i = 1; i < argc; i++)
    {
        bool help = strcmp(argv[i], "--help") == 0;
        report.as_json = strcmp(argv[i], "--json") == 0;
        if (report.as_json) continue;
        fprintf(help ? stdout : stderr,
                "usage: %s [--json]\nPrints measured figures, as one JSON object with --json.\n", name);
        exit(help ? 0 : 2);
    }
    report.json = tw_json(stdout);
    if (report.as_json) tw_json_object(&report.json, NULL);
    return report;
}

/// What benchmarks of scenes are asked for.
typedef struct BenchOptions
{
    bool quick;
    double seconds;    ///< simulated at most [s]; 0: as the benchmark says
    const char* only;  ///< one of its parts; NULL: all
} BenchOptions;

/// Take out --quick, --seconds S and --only NAME, which bench_report() does not know. quick, only: what --help says of them.
static inline BenchOptions bench_options(int* argc, char** argv, const char* quick, const char* only)
{
    BenchOptions options = {.quick = false};
    int kept = 1;
    for (int i = 1; i < *argc; i++)
    {
        const bool more = i + 1 < *argc;
        if (strcmp(argv[i], "--quick") == 0)
            options.quick = true;
        else if (strcmp(argv[i], "--seconds") == 0 && more && strtod(argv[i + 1], NULL) > 0)
            options.seconds = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--seconds") == 0)
        {
            fprintf(stderr, "%s: --seconds takes a number above 0\n", argv[0]);
            exit(2);
        }
        else if (strcmp(argv[i], "--only") == 0 && more)
            options.only = argv[++i];
        else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    for (int i = 1; i < kept; i++)
        if (strcmp(argv[i], "--help") == 0)
            printf("--quick: %s; --seconds S: at most S seconds simulated;\n--only NAME: %s\n", quick, only);
    return options;
}

/// Leaves the program (status 2) if --only names none of the parts. parts: separated by spaces
static inline void bench_check_only(const BenchOptions* options, const char* name, const char* parts)
{
    const char* found = options->only ? strstr(parts, options->only) : parts;
    const size_t length = options->only ? strlen(options->only) : 0;
    const bool begins = found && (found == parts || found[-1] == ' ');
    if (!options->only || (length > 0 && begins && (found[length] == ' ' || found[length] == 0))) return;
    fprintf(stderr, "%s: nothing called '%s'; there are: %s\n", name, options->only, parts);
    exit(2);
}

static inline bool bench_wants(const BenchOptions* options, const char* part)
{
    return !options->only || strcmp(options->only, part) == 0;
}

static inline void bench_figure(BenchReport* report, const char* key, double value, const char* meaning)
{
    if (report->as_json)
        tw_json_number(&report->json, key, value);
    else
        printf("%-26s %12.6g   %s\n", key, value, meaning);
}

static inline void bench_text(BenchReport* report, const char* key, const char* value, const char* meaning)
{
    if (report->as_json)
        tw_json_text(&report->json, key, value);
    else
        printf("%-26s %12s   %s\n", key, value, meaning);
}

static inline void bench_end(BenchReport* report)
{
    if (report->as_json) tw_json_end(&report->json);
    if (report->as_json) printf("\n");
}
