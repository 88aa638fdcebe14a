// SPDX-License-Identifier: MIT
// Modes of surfaces: errors, time (with loading) and memory of each round of cut cells, and of the fill with 10-node tets that
// they replaced until it reaches 5, 1 and 0.3 %. The last round is the reference.
//
//     bench_meshes [--json] [--fill] [--count 20] [FILE ...]      without files: shapes as surfaces; --fill: the fill beside it

#define _POSIX_C_SOURCE 199309L  // bench_cpu_seconds()
#include "bench.h"
#include "twang/bake.h"
#include "twang/cells.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    COUNT = 64,  // modes at most
    LOWEST = 10,
    ROUNDS = 10,
    GOALS = 3,
    BODIES = 32
};
#define MOST_OPERATIONS 1e11  // of the reference
#define MOST_SECONDS 200      // before the last fill begins
static const double goals[GOALS] = {0.05, 0.01, 0.003};
static int mode_count = 20;

typedef struct MeshRound
{
    double seconds, operations, freq_hz[COUNT], error[COUNT];
    size_t bytes;
    int functions;
} MeshRound;

static twMesh* open_body(const char* source)
{
    twError err;
    twMesh* mesh = NULL;
    twShape* shape = NULL;
    twStatus status = TW_OK;
    if (tw_shape_looks_like(source))
    {
        status = tw_shape_parse(&shape, source, &err);
        if (status == TW_OK) status = tw_shape_surface(&mesh, shape, 0.004, &err);
        tw_shape_destroy(shape);
    }
    else
        status = tw_mesh_load(&mesh, source, 1, &err);
    if (status == TW_OK) status = tw_mesh_mend(mesh, 1e-9, NULL, &err);
    if (status == TW_OK) return mesh;
    fprintf(stderr, "bench_meshes: %s\n", err.text);
    exit(1);
}

static int run_rounds(MeshRound* rounds, const twMesh* mesh, double start)
{
    twError err;
    twCells* cells;
    twCellsDef def = tw_cells_def();
    def.surface = mesh;
    def.material_count = 1;
    def.materials = tw_material_find("steel");
    def.count = mode_count;
    if (tw_cells_create(&cells, &def, &err) != TW_OK)
    {
        fprintf(stderr, "bench_meshes: %s\n", err.text);
        return 0;
    }
    int count = 0;
    while (count < ROUNDS && tw_cells_next(cells, &err) == TW_OK)
    {
        const twCellsRound* r = tw_cells_round(cells);
        MeshRound* round = &rounds[count++];
        *round = (MeshRound){.seconds = bench_cpu_seconds() - start,
                             .operations = r->operations,
                             .bytes = r->peak_memory_bytes,
                             .functions = r->functions};
        for (int k = 0; k < mode_count && k < r->count; k++)
            round->freq_hz[k] = r->freq_hz[k], round->error[k] = r->error[k];
        if (r->operations > MOST_OPERATIONS) break;
    }
    tw_cells_destroy(cells);
    return count;
}

static double round_error(const MeshRound* round, const MeshRound* reference, int k)
{
    return reference->freq_hz[k] > 0 ? round->freq_hz[k] / reference->freq_hz[k] - 1 : 0;
}

static double largest(const MeshRound* round, const MeshRound* reference, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, fabs(round_error(round, reference, k)));
    return most;
}

// errors above their estimates, and the largest error over its estimate
static int count_short(const MeshRound* round, const MeshRound* reference, double* worst)
{
    int count = 0;
    for (int k = 0; k < mode_count; k++)
    {
        const double error = round_error(round, reference, k);
        *worst = fmax(*worst, error / round->error[k]);
        count += error > round->error[k];
    }
    return count;
}

static void write_round(twJson* json, const MeshRound* round, const MeshRound* reference)
{
    double squares = 0, said = 0;
    const int lowest = mode_count < LOWEST ? mode_count : LOWEST;
    for (int k = 0; k < mode_count; k++)
    {
        squares += pow(round_error(round, reference, k), 2);
        said = fmax(said, round->error[k]);
    }
    tw_json_object(json, NULL);
    tw_json_integer(json, "functions", round->functions);
    tw_json_number(json, "seconds", round->seconds);
    tw_json_number(json, "megabytes", (double)round->bytes * 1e-6);
    tw_json_number(json, "operations", round->operations);
    tw_json_number(json, "lowest_ten_percent", 100 * largest(round, reference, lowest));
    tw_json_number(json, "largest_percent", 100 * largest(round, reference, mode_count));
    tw_json_number(json, "rms_percent", 100 * sqrt(squares / mode_count));
    tw_json_number(json, "estimate_percent", 100 * said);
    tw_json_end(json);
}

// one mesh of the fill
typedef struct FillStep
{
    double seconds, bytes, error;  // of all meshes so far; largest of the frequencies
} FillStep;

// ever finer fills with 10-node tets, until the frequencies are within 1 % of the reference or MOST_SECONDS have passed
static int run_fills(FillStep* steps, const twMesh* mesh, const MeshRound* reference)
{
    twFillDef fill = tw_fill_def();
    double thinnest, usual;
    int count = 0;
    fill.max_tets = 400000;
    if (tw_mesh_thickness(&thinnest, &usual, mesh, NULL) != TW_OK) return 0;
    fill.spacing = fmax(thinnest, 0.5 * usual);
    const double start = bench_cpu_seconds();
    while (count < ROUNDS && bench_cpu_seconds() - start < MOST_SECONDS &&
           (count == 0 || steps[count - 1].error > goals[1]))
    {
        twTetMesh* tets;
        twFemModes* modes;
        if (tw_tets_fill(&tets, mesh, &fill, NULL, NULL) != TW_OK) break;
        twFemDef def = tw_fem_def();
        def.tets = tets;
        def.material_count = 1;
        def.materials = tw_material_find("steel");
        def.count = mode_count;
        twStatus status = tw_tets_curve(tets, mesh, NULL, NULL);
        if (status == TW_OK) status = tw_fem_modes_create(&modes, &def, NULL);
        tw_tets_destroy(tets);
        if (status != TW_OK) break;
        FillStep* step = &steps[count++];
        *step = (FillStep){.seconds = bench_cpu_seconds() - start, .bytes = (double)modes->peak_memory_bytes};
        for (int k = 0; k < mode_count; k++)
            step->error = fmax(step->error, fabs(modes->freq_hz[k] / reference->freq_hz[k] - 1));
        tw_fem_modes_destroy(modes);
        fill.spacing /= 1.5;
    }
    return count;
}

// the first fill that is as good, and how much more it takes than a round
static void write_fill(twJson* json, const FillStep* steps, int count, double goal, const MeshRound* round)
{
    int i = 0;
    while (i < count && steps[i].error > goal) i++;
    if (count == 0) return;
    const FillStep* step = &steps[i < count ? i : count - 1];
    tw_json_bool(json, "fill_reached", i < count);
    tw_json_number(json, "fill_percent", 100 * step->error);
    tw_json_number(json, "fill_seconds", step->seconds);
    tw_json_number(json, "fill_megabytes", 1e-6 * step->bytes);
    tw_json_number(json, "times_the_seconds", step->seconds / round->seconds);
    tw_json_number(json, "times_the_memory", step->bytes / (double)round->bytes);
}

static void bench_body(twJson* json, const char* source, bool fill)
{
    const double start = bench_cpu_seconds();
    twMesh* mesh = open_body(source);
    MeshRound rounds[ROUNDS];
    const int count = run_rounds(rounds, mesh, start);
    const MeshRound* last = &rounds[count > 0 ? count - 1 : 0];
    FillStep steps[ROUNDS];
    const int step_count = fill && count > 1 ? run_fills(steps, mesh, last) : 0;
    double worst = 0;
    int below = 0;
    tw_json_object(json, NULL);
    tw_json_text(json, "body", source);
    tw_json_integer(json, "faces", mesh->face_count);
    tw_json_array(json, "rounds");
    for (int r = 0; r < count; r++) write_round(json, &rounds[r], last);
    tw_json_end(json);
    tw_json_array(json, "goals");
    for (int g = 0; g < GOALS && count > 1; g++)
        for (int r = 0; r < count - 1; r++)
        {
            if (largest(&rounds[r], last, mode_count) > goals[g]) continue;
            tw_json_object(json, NULL);
            tw_json_number(json, "percent", 100 * goals[g]);
            tw_json_integer(json, "round", r);
            tw_json_number(json, "seconds", rounds[r].seconds);
            tw_json_number(json, "megabytes", (double)rounds[r].bytes * 1e-6);
            write_fill(json, steps, step_count, goals[g], &rounds[r]);
            tw_json_end(json);
            break;
        }
    tw_json_end(json);
    for (int r = 0; r + 1 < count; r++) below += count_short(&rounds[r], last, &worst);
    tw_json_integer(json, "errors_above_estimate", below);
    tw_json_integer(json, "errors", count > 0 ? mode_count * (count - 1) : 0);
    tw_json_number(json, "worst_error_over_estimate", worst);
    tw_json_end(json);
    tw_mesh_destroy(mesh);
}

int main(int argc, char** argv)
{
    static const char* const usual[] = {"bar:0.3048x0.0254x0.0127", "sphere:0.045", "box:0.1x0.08x0.06",
                                        "mug:", "fork:"};
    const char* sources[BODIES];
    int source_count = 0;
    bool fill = false, good = true;
    for (int i = 1; i < argc && good; i++)
    {
        fill = fill || strcmp(argv[i], "--fill") == 0;
        if (argv[i][0] != '-' && source_count < BODIES)
            sources[source_count++] = argv[i];
        else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc)
            mode_count = atoi(argv[++i]);
        else
            good = strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--fill") == 0;
    }
    if (!good || mode_count < 1 || mode_count > COUNT)
    {
        fprintf(stderr, "usage: bench_meshes [--json] [--fill] [--count 1..%d] [FILE ...]\n", COUNT);
        return 2;
    }
    if (source_count == 0)
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) sources[source_count++] = usual[i];
    twJson json = tw_json(stdout);
    tw_json_object(&json, NULL);
    tw_json_array(&json, "bodies");
    for (int i = 0; i < source_count; i++) bench_body(&json, sources[i], fill);
    tw_json_end(&json);
    tw_json_end(&json);
    putchar('\n');
    return 0;
}
