// SPDX-License-Identifier: MIT
// What hearing rods costs: nanoseconds per point and step for turning motion into sources, per point, listener and step for
// writing them, and per listener and step for the filter. The rod is a helix of 2 m; every sample is written.
#include "bench.h"
#include "twang/acoustics.h"

enum
{
    MOST = 4000,
    ROUNDS = 7
};
static const double RUN_SECONDS = 20e-3;

typedef struct Job
{
    int points;
    double field[3][5][MOST], length[MOST];
    twRadiator* radiator;
    twListener* listener;
    twSources sources;
    bool moves;
    double turn;
} Job;

static void fill(Job* job, int points)
{
    job->points = points;
    for (int i = 0; i < points; i++)
    {
        double angle = 40.0 * i / points, c = cos(angle), s = sin(angle);
        const double rows[5][3] = {
            {0.05 * c, 0.05 * s, 2.0 * i / points}, {c, s, 0.5}, {s, 1e4 * c, 2}, {c, s, 0}, {0, 0, 1}};
        for (int row = 0; row < 5; row++)
            for (int k = 0; k < 3; k++) job->field[k][row][i] = rows[row][k];
        job->length[i] = 2.0 / points;
    }
}

static void check(twStatus status, const twError* err)
{
    if (status == TW_OK) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void make_radiator(Job* job)
{
    twSection section;
    twSectionDef box = tw_section_rectangle(5e-3, 2e-3);
    twError err;
    check(tw_section_compute(&section, &box, &err), &err);
    twRadiatorDef def = tw_radiator_def();
    def.point_count = job->points;
    def.section_count = 1;
    def.sections = &section;
    def.lengths = job->length;
    check(tw_radiator_create(&job->radiator, &def, &err), &err);
}

static void update(void* context)
{
    Job* job = context;
    twRadiatorMotion m;
    for (int k = 0; k < 3; k++)
    {
        m.position[k] = job->field[k][0];
        m.acceleration[k] = job->field[k][1];
        m.jerk[k] = job->field[k][2];
        m.director1[k] = job->field[k][3];
        m.director2[k] = job->field[k][4];
    }
    job->sources = tw_radiator_update(job->radiator, &m);
}

static void hear(void* context)
{
    Job* job = context;
    job->turn += 1e-4;
    if (job->moves) tw_listener_move(job->listener, tw_vec3(3 + 0.1 * sin(job->turn), 1, 1));
    tw_listener_add(job->listener, 0, &job->sources);
    bench_keep(tw_listener_step(job->listener));
}

static void be_silent(void* context)
{
    Job* job = context;
    bench_keep(tw_listener_step(job->listener));
}

static double seconds(BenchJob job, Job* context)
{
    BenchTimer timer = bench_timer(job, context, RUN_SECONDS), *list = &timer;
    bench_rounds(&list, 1, ROUNDS);
    return timer.best;
}

static void report_points(BenchReport* report, Job* job, int points)
{
    char key[64];
    fill(job, points);
    make_radiator(job);
    double time = seconds(update, job);
    snprintf(key, sizeof key, "radiator_%d_ns", points);
    bench_figure(report, key, 1e9 * time / points, "per point and step: sources of a motion");

    for (int variant = 0; variant < 3; variant++)
    {
        static const char* const names[] = {"listener", "moving", "ground"};
        static const char* const meaning[] = {"per point, listener and step", "the same, listener in motion",
                                              "the same, with the reflection of the ground"};
        twListenerDef def = tw_listener_def();
        twError err;
        def.position = tw_vec3(3, 1, 1);
        def.ground = variant == 2;
        job->moves = variant == 1;
        check(tw_listener_create(&job->listener, &def, &err), &err);
        double silent = seconds(be_silent, job), all = seconds(hear, job);
        tw_listener_destroy(job->listener);
        snprintf(key, sizeof key, "%s_%d_ns", names[variant], points);
        bench_figure(report, key, 1e9 * all / points, meaning[variant]);
        if (variant == 0 && points == MOST)
            bench_figure(report, "filter_ns", 1e9 * silent, "per listener and step, whatever the points");
    }
    tw_radiator_destroy(job->radiator);
}

int main(int argc, char** argv)
{
    BenchReport report = bench_report(argc, argv, "bench_acoustics");
    Job* job = calloc(1, sizeof *job);
    if (!job) return 1;
    const int points[] = {30, 400, MOST};
    for (int i = 0; i < 3; i++) report_points(&report, job, points[i]);
    bench_end(&report);
    free(job);
    return 0;
}
