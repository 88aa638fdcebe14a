// SPDX-License-Identifier: MIT
// Modal analysis: processor time and memory for bodies of the sizes known from the literature and from earlier
// measurements, beside ARPACK (one vector at a time) on the same matrices with the same factor, and growth with the
// number of nodes. Every case runs in a process of its own, so that the peak of its memory is its own.
#include "../test/grid.h"
#include "bench.h"
#include "fem/lapack.h"
#include "fem/metis.h"
#include "fem/mumps.h"
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
    bool arpack;  // compare with it
    bool full;    // only with --full
} Case;

// the table of sizes, then smaller shells for the growth
static const Case cases[] = {
    {"solid_linear_3168", {{11, 11, 21}, false, grid_box, {0.1, 0.1, 0.19}, false}, 32, true, false},
    {"solid_quadratic_22747", {{11, 11, 21}, true, grid_box, {0.1, 0.1, 0.19}, false}, 32, true, false},
    {"shell_quadratic_12675", {{32, 32, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, true, false},
    {"shell_quadratic_49923", {{64, 64, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, false, false},
    {"shell_quadratic_49923", {{64, 64, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, true, true},
    {"shell_quadratic_399675", {{182, 182, 1}, true, grid_bowl, {0.08, 0.7, 0.003}, false}, 100, false, true},
    {"shell_linear_702768", {{483, 483, 2}, false, grid_bowl, {0.08, 0.7, 0.003}, false}, 50, false, true},
};
static const int case_count = sizeof cases / sizeof *cases;
static const twMaterial aluminium = {.density = 2700, .young = 68.9e9, .poisson = 0.33};

// what a process sends back
typedef struct Outcome
{
    bool good;
    int nodes, tets;
    double seconds, bytes;  // whole solve
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

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void run_ours(const Case* item, const twTetMesh* mesh, Outcome* outcome)
{
    twFemDef def = def_of(item, mesh);
    twFemModes* modes = NULL;
    twError err;
    double start = processor_seconds();
    if (tw_fem_modes_create(&modes, &def, &err) != TW_OK)
    {
        fprintf(stderr, "%s: %s\n", item->name, err.text);
        return;
    }
    outcome->seconds = processor_seconds() - start;
    outcome->assemble = modes->seconds.assemble, outcome->order = modes->seconds.order;
    outcome->factor = modes->seconds.factor, outcome->modes = modes->seconds.modes;
    outcome->first_hz = modes->freq_hz[0], outcome->last_hz = modes->freq_hz[modes->count - 1];
    outcome->good = modes->count == item->modes && modes->rigid_modes == 6;
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
    double start = processor_seconds();
    if (fem_system_create(&system, &def, &memory, NULL) != TW_OK) return;
    int* position = malloc((size_t)system->nodes * sizeof *position);
    double* lambda = calloc((size_t)item->modes + 6, sizeof *lambda);
    if (position && lambda && fem_order(position, system, &memory, NULL) == TW_OK &&
        fem_factor_create(&factor, system, position, true, &memory, NULL) == TW_OK &&
        fem_factor_compute(factor, shift, 0, NULL) == TW_OK)
    {
        outcome->good = arpack_lowest(system, factor, shift, item->modes + 6, def.tolerance, lambda) > 0;
        outcome->seconds = processor_seconds() - start;
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

// @return seconds of our solver; 0 if it failed
static double report_case(BenchReport* report, const Case* item)
{
    Outcome ours = measure(item, false);
    if (!ours.good) fprintf(stderr, "%s failed\n", item->name);
    figure(report, item->name, "tets", ours.tets, "tetrahedra");
    figure(report, item->name, "modes", item->modes, "elastic modes");
    figure(report, item->name, "s", ours.good ? ours.seconds : NAN, "s of processor time, whole solve");
    figure(report, item->name, "assemble_s", ours.assemble, "s, by the clock");
    figure(report, item->name, "order_s", ours.order, "s, by the clock");
    figure(report, item->name, "factor_s", ours.factor, "s, by the clock");
    figure(report, item->name, "modes_s", ours.modes, "s, by the clock");
    figure(report, item->name, "MB", ours.bytes / 1e6, "MB, peak of the process");
#ifdef BENCH_ARPACK
    if (item->arpack)
    {
        Outcome arpack = measure(item, true);
        bool same = fabs(ours.last_hz / arpack.last_hz - 1) < 1e-6 && fabs(ours.first_hz / arpack.first_hz - 1) < 1e-6;
        if (!same) fprintf(stderr, "%s: ARPACK finds other modes\n", item->name);
        figure(report, item->name, "arpack_s", arpack.seconds, "s of processor time with ARPACK");
        figure(report, item->name, "ratio", arpack.good && same ? ours.seconds / arpack.seconds : NAN,
               "ours over ARPACK");
    }
#endif
    return ours.good ? ours.seconds : 0;
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
    double small = 0, large = 0;
    for (int i = 0; i < case_count; i++)
    {
        // a case that the full run does with ARPACK is not done twice
        bool again = i + 1 < case_count && full && strcmp(cases[i].name, cases[i + 1].name) == 0;
        if ((cases[i].full && !full) || again) continue;
        double seconds = report_case(&report, &cases[i]);
        if (strcmp(cases[i].name, "shell_quadratic_12675") == 0) small = seconds;
        if (strcmp(cases[i].name, "shell_quadratic_49923") == 0) large = seconds;
    }
    bench_figure(&report, "shell_growth", log(large / small) / log(49923.0 / 12675), "time ~ nodes^this");
    bench_end(&report);
    return small > 0 && large > 0 ? 0 : 1;
}
