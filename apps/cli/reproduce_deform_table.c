// SPDX-License-Identifier: MIT
// Table 1 of Hauser et al. 2003, the time of modal decomposition, on bodies of about as many nodes and tets; and section 3.2, which
// modes can be seen.

#include "reproduce_deform.h"

typedef struct Model
{
    const char* name;
    int vertices, nodes, tets, modes;  // theirs
    double seconds;                    // theirs
    int cells[3];                      // ours
    DeformMap map;
    bool held;   // at one edge
    bool quick;  // also in a quick run
} Model;

// The bunny's counts cannot be both: linear tets have fewer nodes than there are tets. It is read once with its tets as printed, and
// once with nodes and tets exchanged.
static const Model models[] = {
    {"Brain", 18847, 304, 997, 40, 68.5, {4, 6, 7}, deform_ball, false, true},
    {"Dodo", 336, 113, 295, 40, 6.2, {2, 4, 6}, deform_block, false, true},
    {"Bunny, tets as printed", 2633, 37114, 15507, 32, 1440, {18, 12, 12}, deform_block, false, false},
    {"Bunny, exchanged", 2633, 15507, 37114, 32, 1440, {79, 78, 1}, deform_sheet, false, false},
    {"Sphere", 66, 80, 282, 40, 2.9, {3, 4, 4}, deform_ball, false, true},
    {"Sheet", 195, 195, 486, 20, 14.4, {9, 9, 1}, deform_sheet, true, true},
    {"Bat", 241, 310, 1030, 20, 68.9, {4, 4, 11}, deform_bat, false, true},
};
#define MODEL_COUNT ((int)(sizeof models / sizeof *models))

static bool keep_going(const char* stage, double done, void* context)
{
    (void)stage, (void)done, (void)context;
    return !cli_interrupted();
}

// nodes of one edge of a sheet
static int edge_nodes(int* out, const twTetMesh* tets)
{
    int count = 0;
    for (int i = 0; i < tets->node_count; i++)
        if (tets->nodes[i].x < 1e-9) out[count++] = i;
    return count;
}

// processor time of the decomposition [s]
static twStatus decompose(double* seconds, int* nodes, const Model* m, const twTetMesh* tets, bool linear, twError* err)
{
    int* fixed = malloc((size_t)tets->node_count * sizeof *fixed);
    if (!fixed) return tw_fail(err, TW_NO_MEMORY, "no memory for %d nodes", tets->node_count);
    const twMaterial rubber = deform_rubber(1e6);
    twFemDef def = tw_fem_def();
    def.tets = tets;
    def.linear = linear;
    def.materials = &rubber;
    def.material_count = 1;
    def.count = m->modes;
    def.fixed_nodes = fixed;
    def.fixed_count = m->held ? edge_nodes(fixed, tets) : 0;
    def.keep_going = keep_going;
    twFemModes* modes = NULL;
    const double begin = deform_cpu_seconds();
    const twStatus status = tw_fem_modes_create(&modes, &def, err);
    *seconds = deform_cpu_seconds() - begin;
    if (status == TW_OK) *nodes = modes->active_nodes + def.fixed_count;
    tw_fem_modes_destroy(modes);
    free(fixed);
    return status;
}

static twStatus make_quadratic(twTetMesh* tets, twError* err)
{
    twMesh* surface = NULL;
    int* node_of = NULL;
    twStatus status = tw_tets_surface(&surface, &node_of, tets, err);
    if (status == TW_OK) status = tw_tets_curve(tets, surface, NULL, err);
    tw_mesh_destroy(surface);
    free(node_of);
    return status;
}

static twStatus time_model(CliReport* report, const Model* m, twError* err)
{
    twTetMesh* tets = NULL;
    double linear = 0, quadratic = 0;
    int nodes = 0, more = 0;
    twStatus status = deform_grid(&tets, m->cells, m->map, err);
    if (status != TW_OK) return status;
    status = decompose(&linear, &nodes, m, tets, true, err);
    if (status == TW_OK) status = make_quadratic(tets, err);
    if (status == TW_OK) status = decompose(&quadratic, &more, m, tets, false, err);
    if (status == TW_OK)
    {
        cli_report_info(report, m->nodes, nodes, "%s: nodes", m->name);
        cli_report_info(report, m->tets, tets->tet_count, "%s: tets", m->name);
        cli_report_info(report, m->seconds, linear, "%s: %d modes, linear elements [s] | %.0f times faster", m->name,
                        m->modes, m->seconds / fmax(linear, 1e-6));
        cli_report_info(report, m->seconds, quadratic, "%s: quadratic elements, %d nodes [s]", m->name, more);
        cli_report_claim(report, linear < m->seconds && quadratic < m->seconds, "%s: faster, both ways", m->name);
    }
    tw_tets_destroy(tets);
    return status;
}

// ---- section 3.2 ----

// how far a force of 1 N moves a mode where it gives most, |w|^2/lambda [m]
static double give(const twFemModes* modes, int k)
{
    double largest = 0;
    const double w = 2 * TW_PI * modes->freq_hz[k], *shape = modes->shape + 3 * (size_t)k * (size_t)modes->node_count;
    for (int i = 0; i < modes->node_count; i++)
        largest = fmax(largest, shape[3 * i] * shape[3 * i] + shape[3 * i + 1] * shape[3 * i + 1] +
                                    shape[3 * i + 2] * shape[3 * i + 2]);
    return largest / (w * w);
}

// modes of a bat of rubber that a display of 60 frames per second shows, and that the force of a braking truck, 60 kN, moves by 0.1 mm
static twStatus seen_modes(int* kept, int* nodes, const int cells[3], twError* err)
{
    twTetMesh* tets = NULL;
    twFemModes* modes = NULL;
    const twMaterial rubber = deform_rubber(1e6);
    twFemDef def = tw_fem_def();
    def.materials = &rubber;
    def.material_count = 1;
    def.count = 60;
    def.keep_going = keep_going;
    twStatus status = deform_grid(&tets, cells, deform_bat, err);
    if (status == TW_OK) status = make_quadratic(tets, err);
    def.tets = tets;
    if (status == TW_OK) status = tw_fem_modes_create(&modes, &def, err);
    *kept = 0;
    for (int k = 0; status == TW_OK && k < modes->count; k++)
        *kept += modes->freq_hz[k] <= 30 && give(modes, k) * 60000 >= 1e-4;
    if (status == TW_OK) *nodes = modes->active_nodes;
    tw_fem_modes_destroy(modes);
    tw_tets_destroy(tets);
    return status;
}

static twStatus culling(CliReport* report, twError* err)
{
    static const int cells[2][3] = {{2, 2, 12}, {4, 4, 24}};
    int kept[2] = {0}, nodes[2] = {1, 1};
    cli_report_heading(report, "Section 3.2: modes of a bat of rubber that can be seen");
    twStatus status = TW_OK;
    for (int i = 0; i < 2 && status == TW_OK; i++) status = seen_modes(&kept[i], &nodes[i], cells[i], err);
    if (status != TW_OK) return status;
    for (int i = 0; i < 2; i++)
        cli_report_info(report, NAN, 100.0 * kept[i] / (3.0 * nodes[i]), "%d nodes: share of all modes [%%]", nodes[i]);
    cli_report_claim(report, kept[1] > 0 && kept[1] < 50, "fewer than fifty | %d", kept[1]);
    cli_report_row(report, kept[0], kept[1], 1, "on the finer mesh as many as on the coarser one");
    return TW_OK;
}

twStatus deform_table(CliReport* report, twError* err)
{
    twStatus status = TW_OK;
    cli_report_heading(report, "Table 1: time of the decomposition, on stand-ins of about the same size");
    for (int i = 0; i < MODEL_COUNT && status == TW_OK; i++)
        if (!report->quick || models[i].quick) status = time_model(report, &models[i], err);
    return status == TW_OK ? culling(report, err) : status;
}
