// SPDX-License-Identifier: MIT
// What hearing bodies costs: nanoseconds per source, point and sample for each kind of ear, sources at rest and in motion, with
// air; what silent sources cost; and what mixing costs however many there are. The head is made up, with as many taps as the
// one of libmysofa has at 48 kHz.
#include "bench.h"
#include "twang/acoustics.h"

enum
{
    SOURCES = 16,
    BLOCK = 256,
    DIRECTIONS = 400,
    TAPS = 624,
    ROUNDS = 5
};
static const double RUN_SECONDS = 20e-3;

typedef struct Job
{
    twEar* ear;
    bool moves, silent;
    double time;
    float signal[BLOCK], out[4 * BLOCK];
} Job;

static void check(twStatus status, const twError* err)
{
    if (status == TW_OK) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static twHead* make_head(void)
{
    static twVec3 directions[DIRECTIONS];
    static double responses[DIRECTIONS * 2 * TAPS];
    twRng rng = tw_rng(1);
    for (int i = 0; i < DIRECTIONS; i++)
    {
        directions[i] = tw_vec3(tw_rng_normal(&rng), tw_rng_normal(&rng), tw_rng_normal(&rng));
        for (int k = 30; k < 2 * TAPS; k++)
            responses[i * 2 * TAPS + k] = k % TAPS < 30 ? 0 : exp(-0.003 * (k % TAPS)) * tw_rng_normal(&rng);
    }
    twHeadDef def = tw_head_def();
    def.direction_count = DIRECTIONS;
    def.directions = directions;
    def.taps = TAPS;
    def.responses = responses;
    twHead* head;
    twError err;
    check(tw_head_create(&head, &def, &err), &err);
    return head;
}

static twVec3 place_at(const Job* job, int source, double time)
{
    double angle = source + (job->moves ? 3 * time : 0);
    return tw_vec3(2 * cos(angle), 2 * sin(angle), 0.1 * source);
}

static void hear(void* context)
{
    Job* job = context;
    double end = job->time + BLOCK / 48000.0;
    for (int s = 0; s < SOURCES && !job->silent; s++)
        for (int p = 0; p < tw_ear_point_count(job->ear); p++)
            tw_ear_hear(job->ear, s, p, job->signal, BLOCK, place_at(job, s, job->time), place_at(job, s, end), 0.1);
    job->time = end;
    tw_ear_mix(job->ear, job->out, BLOCK);
    bench_keep(job->out[0]);
}

static double seconds(Job* job)
{
    BenchTimer timer = bench_timer(hear, job, RUN_SECONDS), *list = &timer;
    bench_rounds(&list, 1, ROUNDS);
    return timer.best;
}

static void report_kind(BenchReport* report, twEarKind kind, const twHead* head, bool air)
{
    static const char* const names[] = {"mono", "stereo", "binaural", "ambix"};
    Job job = {.silent = true};
    twEarDef def = tw_ear_def();
    twError err;
    char key[64];
    for (int i = 0; i < BLOCK; i++) job.signal[i] = (float)sin(0.1 * i);
    def.kind = kind;
    def.head = head;
    def.source_count = SOURCES;
    def.max_block = BLOCK;
    def.air_absorption = air;
    check(tw_ear_create(&job.ear, &def, &err), &err);
    double silent = seconds(&job), points = tw_ear_point_count(job.ear);
    job.silent = false;
    double rest = seconds(&job);
    job.moves = true;
    double motion = seconds(&job);
    snprintf(key, sizeof key, "%s%s_ns", names[kind], air ? "_air" : "");
    bench_figure(report, key, 1e9 * (rest - silent) / (BLOCK * SOURCES * points), "per source, point and sample");
    snprintf(key, sizeof key, "%s%s_moving_ns", names[kind], air ? "_air" : "");
    bench_figure(report, key, 1e9 * (motion - silent) / (BLOCK * SOURCES * points), "the same, sources in motion");
    snprintf(key, sizeof key, "%s%s_mix_ns", names[kind], air ? "_air" : "");
    bench_figure(report, key, 1e9 * silent / BLOCK, "per sample, whatever the sources");
    tw_ear_destroy(job.ear);
}

int main(int argc, char** argv)
{
    BenchReport report = bench_report(argc, argv, "bench_ear");
    twHead* head = make_head();
    for (int kind = 0; kind < TW_EAR_KIND_COUNT; kind++) report_kind(&report, kind, head, false);
    report_kind(&report, TW_EAR_MONO, head, true);
    bench_end(&report);
    tw_head_destroy(head);
    return 0;
}
