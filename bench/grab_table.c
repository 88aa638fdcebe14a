// SPDX-License-Identifier: MIT
// The seed's table beside ours: seconds of processor time that modal decomposition takes.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"
#include "hauser.h"

static double decompose(const HauserModel* model, int* tets)
{
    twError err;
    const twMaterial rubber = {.name = "rubber", .density = 1000, .young = 1e6, .poisson = 0.4};
    twTetMesh* mesh = grid_mesh(&model->grid);
    if (!mesh) bench_leave("memory", &(twError){.text = "none left"});
    twFemDef def = tw_fem_def();
    def.tets = mesh;
    def.linear = true;
    def.materials = &rubber;
    def.material_count = 1;
    def.count = model->modes;
    twFemModes* modes = NULL;
    const double begin = bench_cpu_seconds();
    check(model->name, tw_fem_modes_create(&modes, &def, &err), &err);
    const double took = bench_cpu_seconds() - begin;
    *tets = mesh->tet_count;
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return took;
}

void report_table(BenchReport* report, const BenchOptions* options)
{
    for (int i = 0; i < HAUSER_MODELS; i++)
    {
        const HauserModel* model = &hauser_models[i];
        int tets = 0;
        double best = 0;
        for (int round = 0; round < (options->quick ? 1 : 3); round++) best = smaller(best, decompose(model, &tets));
        tell(report, model->name, "tets", tets, "tetrahedra of ours");
        tell(report, model->name, "published_s", model->seconds, "decomposition, in 2003");
        tell(report, model->name, "s", best, "of processor time");
        tell(report, model->name, "speedup", model->seconds / best, "");
    }
}
