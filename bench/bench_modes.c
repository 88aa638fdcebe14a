// SPDX-License-Identifier: MIT
// Modal analysis: processor time and memory for bodies of the sizes known from the literature and from earlier
// measurements, beside ARPACK (one vector at a time) on the same matrices with the same order, shifted below all modes; how
// honest the memory limit is; growth with the number of nodes; and the table of Hauser, Shen and O'Brien (Interactive
// deformation using modal analysis with constraints, 2003) beside bodies of as many linear tets. Every case runs in a
// process of its own, so that the peak of its memory is its own.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"
#include "fem/lapack.h"
#include "fem/metis.h"
#include "fem/mumps.h"
#include "hauser.h"
#include "twang/fem.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef BENCH_ARPACK
#include "../test/arpack.h"
#endif

typedef struct Case
{
    const char* name;
    Grid grid;
    int modes;
    int rounds;        // the best of them counts
    bool arpack;       // compare with it
    bool full;         // only with --full
    double published;  // seconds
} Case;

// the table of sizes, with smaller shells for the growth
static const Case cases[] = {
    {"solid_linear_3168", {{11, 11, 21}, false, grid_box, {0.1, 0.1, 0.19}, false}, 32, 15, true, false, 0},
    {"solid_quadratic_22747", {{11, 11, 21}, true, grid_box, {0.1, 0.1, 0.19}, false}, 32, 1, true, false, 0},
    {"shell_quadratic_3267", {{16, 16, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, 3, false, false, 0},
    {"shell_quadratic_12675", {{32, 32, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, 2, true, false, 0},
    {"shell_quadratic_49923", {{64, 64, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, 1, false, false, 0},
    {"shell_quadratic_49923", {{64, 64, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, 1, true, true, 0},
    {"shell_quadratic_399675", {{182, 182, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, 1, false, true, 0},
    {"shell_linear_702768", {{483, 483, 2}, false, grid_bowl, {0.08, 0.7, 0.003}, false}, 50, 1, false, true, 0},
};
static const int case_count = sizeof cases / sizeof *cases;

static const twMaterial aluminium = {.density = 2700, .young = 68.9e9, .poisson = 0.33};

// what a process sends back
typedef struct Outcome
{
    bool good;
    int nodes, tets;
    double seconds, bytes;  // whole solve; peak of the process
    double counted, limit;  // bytes that the library counted, and the least limit it does not refuse
    double assemble, order, factor, modes;
    double first_hz, last_hz;
} Outcome;

static twFemDef def_of(const Case* item, const twTetMesh* mesh)
{
    twFemDef def = tw_fem_def();
    def.tets = mesh;
    def.linear = !mesh->mid_nodes;
    def.material_count = 1;
    def.materials = &aluminium;
    def.count = item->modes;
    return def;
}

// The least limit that is not refused, from the message of a refusal; 0 if there is none.
static double least_limit(const Case* item, const twTetMesh* mesh, double peak)
{
    twFemDef def = def_of(item, mesh);
    twFemModes* modes = NULL;
    twError err;
    def.max_memory_bytes = (size_t)(0.8 * peak);
    twStatus status = tw_fem_modes_create(&modes, &def, &err);
    tw_fem_modes_destroy(modes);
    const char* end = status == TW_NO_MEMORY ? strstr(err.text, " MB with what is in use") : NULL;
    while (end && end > err.text && end[-1] != ' ') end--;
    return end ? 1e6 * strtod(end, NULL) : 0;
}

static void run_ours(const Case* item, const twTetMesh* mesh, Outcome* outcome)
{
    twFemDef def = def_of(item, mesh);
    twFemModes* modes = NULL;
    twError err;
    double start = bench_cpu_seconds();
    if (tw_fem_modes_create(&modes, &def, &err) != TW_OK)
    {
        fprintf(stderr, "%s: %s\n", item->name, err.text);
        return;
    }
    outcome->seconds = bench_cpu_seconds() - start;
    outcome->assemble = modes->seconds.assemble, outcome->order = modes->seconds.order;
    outcome->factor = modes->seconds.factor, outcome->modes = modes->seconds.modes;
    outcome->first_hz = modes->freq_hz[0], outcome->last_hz = modes->freq_hz[modes->count - 1];
    outcome->good = modes->count == item->modes && modes->rigid_modes == 6;
    outcome->counted = (double)modes->peak_memory_bytes;
    tw_fem_modes_destroy(modes);
}

#ifdef BENCH_ARPACK
// the same matrices, order and factor; only the eigensolver differs
static void run_arpack(const Case* item, const twTetMesh* mesh, Outcome* outcome)
{
    const double shift = -pow(2 * TW_PI / 20, 2);
    twFemDef def = def_of(item, mesh);
    FemMemory memory = fem_memory(0);
    FemSystem* system = NULL;
    FemFactor* factor = NULL;
    fem_blas_threads(1);
    double start = bench_cpu_seconds();
    if (fem_system_create(&system, &def, &memory, NULL) != TW_OK) return;
    int* position = malloc((size_t)system->nodes * sizeof *position);
    double* lambda = calloc((size_t)item->modes + 6, sizeof *lambda);
    if (position && lambda && fem_order(position, system, &memory, NULL) == TW_OK &&
        fem_factor_create(&factor, system, position, true, &memory, NULL) == TW_OK &&
        fem_factor_compute(factor, shift, 0, NULL) == TW_OK)
    {
        outcome->good = arpack_lowest(system, factor, shift, item->modes + 6, def.tolerance, lambda) > 0;
        outcome->seconds = bench_cpu_seconds() - start;
        outcome->first_hz = fem_system_freq_hz(system, lambda[6]);
        outcome->last_hz = fem_system_freq_hz(system, lambda[item->modes + 5]);
    }
    fem_factor_destroy(factor);
    fem_system_destroy(system, &memory);
    free(position);
    free(lambda);
}
#endif

static void run(const Case* item, bool arpack, Outcome* outcome)
{
    twTetMesh* mesh = grid_mesh(&item->grid);
    if (!mesh) return;
    outcome->nodes = mesh->node_count, outcome->tets = mesh->tet_count;
#ifdef BENCH_ARPACK
    if (arpack) run_arpack(item, mesh, outcome);
#endif
    if (!arpack) run_ours(item, mesh, outcome);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    outcome->bytes = 1024.0 * (double)usage.ru_maxrss;
    if (outcome->counted > 0 && item->published == 0) outcome->limit = least_limit(item, mesh, outcome->counted);
    grid_free(mesh);
}

// run in a child and read what it sends
static Outcome measure(const Case* item, bool arpack)
{
    Outcome outcome = {.good = false};
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0) return outcome;
    pid_t child = fork();
    if (child == 0)
    {
        run(item, arpack, &outcome);
        _exit(write(ends[1], &outcome, sizeof outcome) != (ssize_t)sizeof outcome);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &outcome, sizeof outcome) != (ssize_t)sizeof outcome) outcome.good = false;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return outcome;
}

static void figure(BenchReport* report, const char* name, const char* what, double value, const char* meaning)
{
    char key[80];
    snprintf(key, sizeof key, "%s_%s", name, what);
    bench_figure(report, key, value, meaning);
}

// the better of two
static Outcome better(Outcome a, Outcome b) { return !a.good || (b.good && b.seconds < a.seconds) ? b : a; }

static void report_arpack(BenchReport* report, const Case* item, const Outcome* ours, const Outcome* arpack)
{
    bool same = fabs(ours->last_hz / arpack->last_hz - 1) < 1e-6 && fabs(ours->first_hz / arpack->first_hz - 1) < 1e-6;
    if (!same) fprintf(stderr, "%s: ARPACK finds other modes\n", item->name);
    figure(report, item->name, "arpack_s", arpack->seconds, "s of processor time with ARPACK");
    figure(report, item->name, "ratio", arpack->good && same ? ours->seconds / arpack->seconds : NAN,
           "ours over ARPACK");
}

// @return seconds of our solver; 0 if it failed
static double report_case(BenchReport* report, const Case* item)
{
    Outcome ours = {.good = false}, arpack = {.good = false};
    for (int round = 0; round < item->rounds; round++)
    {
        ours = better(ours, measure(item, false));
#ifdef BENCH_ARPACK
        if (item->arpack) arpack = better(arpack, measure(item, true));
#endif
    }
    if (!ours.good) fprintf(stderr, "%s failed\n", item->name);
    figure(report, item->name, "tets", ours.tets, "tetrahedra");
    figure(report, item->name, "modes", item->modes, "elastic modes");
    figure(report, item->name, "s", ours.good ? ours.seconds : NAN, "s of processor time, whole solve");
    figure(report, item->name, "assemble_s", ours.assemble, "s, by the clock");
    figure(report, item->name, "order_s", ours.order, "s, by the clock");
    figure(report, item->name, "factor_s", ours.factor, "s, by the clock");
    figure(report, item->name, "modes_s", ours.modes, "s, by the clock");
    figure(report, item->name, "MB", ours.bytes / 1e6, "MB, peak of the process");
    figure(report, item->name, "counted_MB", ours.counted / 1e6, "MB, peak that the library counted");
    figure(report, item->name, "limit_MB", ours.limit / 1e6, "MB, a lower limit is refused");
    if (arpack.good) report_arpack(report, item, &ours, &arpack);
    return ours.good ? ours.seconds : 0;
}

static void report_seed(BenchReport* report, const HauserModel* model)
{
    const Case seed = {model->name, model->grid, model->modes, 3, false, false, model->seconds}, *item = &seed;
    Outcome ours = {.good = false};
    for (int round = 0; round < item->rounds; round++) ours = better(ours, measure(item, false));
    figure(report, item->name, "tets", ours.tets, "tetrahedra of ours");
    figure(report, item->name, "published_s", item->published, "s, in 2003");
    figure(report, item->name, "s", ours.good ? ours.seconds : NAN, "s of processor time");
}

// ---- growth ----

typedef struct Shell
{
    double nodes, seconds;
} Shell;

static void report_growth(BenchReport* report, const Shell* shells, int count)
{
    for (int i = 1; i < count; i++)
    {
        char key[64];
        double time = shells[i].seconds / shells[i - 1].seconds, size = shells[i].nodes / shells[i - 1].nodes;
        snprintf(key, sizeof key, "shell_growth_%.0f_to_%.0f", shells[i - 1].nodes, shells[i].nodes);
        bench_figure(report, key, log(time) / log(size), "time ~ nodes^this");
    }
}

// @return whether all went well
static bool report_cases(BenchReport* report, bool full)
{
    static const char growing[] = "shell_quadratic_";
    Shell shells[sizeof cases / sizeof *cases];
    int shell_count = 0;
    bool good = true;
    for (int i = 0; i < case_count; i++)
    {
        // a case that the full run does with ARPACK is not done twice
        bool again = i + 1 < case_count && full && strcmp(cases[i].name, cases[i + 1].name) == 0;
        if ((cases[i].full && !full) || again) continue;
        double seconds = report_case(report, &cases[i]);
        good = good && seconds > 0;
        if (strncmp(cases[i].name, growing, strlen(growing)) == 0)
            shells[shell_count++] = (Shell){strtod(cases[i].name + strlen(growing), NULL), seconds};
    }
    report_growth(report, shells, shell_count);
    return good;
}

int main(int argc, char** argv)
{
    bool full = false;
    int kept = 1;
    for (int i = 1; i < argc; i++)
    {
        if (strcmp(argv[i], "--full") == 0)
            full = true;
        else
            argv[kept++] = argv[i];
        if (strcmp(argv[i], "--help") == 0) printf("--full adds cases of minutes and up to 16 GB.\n");
    }
    BenchReport report = bench_report(kept, argv, "bench_modes");
    bool good = report_cases(&report, full);
    for (int i = 0; i < HAUSER_MODELS; i++) report_seed(&report, &hauser_models[i]);
    bench_end(&report);
    return good ? 0 : 1;
}
