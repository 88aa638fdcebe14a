// SPDX-License-Identifier: MIT
// What shells are off by, estimated and true: by dividing, by theory, by a guessed curve; and walls that are too thick for a shell.
#include "mesh.h"
#include "shell_modes.h"
#include "twang/bake.h"

// what is in the errors besides that of dividing
static double errors_of_theory_and_guess(const twShellDef* def)
{
    double theory = NAN, guess = NAN;
    twMesh* fine = NULL;
    if (tw_shell_theory_error(&theory, def, NULL) != TW_OK ||
        tw_shell_divide(&fine, &guess, def->surface, 0.003, NULL) != TW_OK)
        return NAN;
    tw_mesh_destroy(fine);
    return theory + guess;
}

static int estimates_hold(void)
{
    enum
    {
        COUNT = 6
    };
    twMesh* meshes[] = {shell_plate(6, 6, 0.2, 0.2, 0.25), shell_hemisphere(0.07, 16),
                        shell_cup(0.038, 0.002, 0.09, 4, 10, 24)};
    for (int i = 0; i < 3; i++)
    {
        twShellModes* modes[2];
        double error = 0, estimate = 0, others = 0;
        for (int k = 0; k < 2; k++)
        {
            twShellDef def = shell_def_of(meshes[i], 0.003, COUNT);
            // the second time one round more
            def.accuracy = k == 0 ? 0.9 : 0.9 * (modes[0]->error[COUNT - 1] - others);
            if (k == 0) others = errors_of_theory_and_guess(&def);
            modes[k] = shell_modes_of(&def);
            ENSURE(modes[k] && modes[k]->count == COUNT);
        }
        ENSURE(modes[1]->rounds > 1);
        for (int k = 0; k < COUNT; k++)
        {
            // what is left of the finer one is taken for a third of the difference
            const double off = 4.0 / 3 * fabs(modes[0]->freq_hz[k] / modes[1]->freq_hz[k] - 1);
            ENSURE(off <= modes[0]->error[k] - others);
            error = fmax(error, off);
            estimate = fmax(estimate, modes[0]->error[k] - others);
        }
        ENSURE(estimate < 10 * error);
        tw_shell_modes_destroy(modes[0]);
        tw_shell_modes_destroy(modes[1]);
        tw_mesh_destroy(meshes[i]);
    }
    return 0;
}

// lowest frequencies of boxes 100 x 80 x 60 mm with walls of 2, 4 and 10 mm: hollow boxes of 10-node tets, graded towards the
// edges to 1 mm, some 0.2 % above their limit
static const twMaterial box_steel = {.density = 7850, .young = 2e11, .poisson = 0.29};
static const double box_solid[3][6] = {{1653.27, 2171.72, 2848.50, 2856.44, 2965.28, 3386.69},
                                       {3429.42, 4529.55, 5933.62, 5941.81, 6125.46, 7070.66},
                                       {9142.71, 10169.63, 12029.57, 12339.50, 12653.94, 14362.43}};

static int walls_that_meet_at_sharp_edges_are_within_the_estimate(void)
{
    twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.08, 0.06));
    for (int i = 0; i < 3; i++)
    {
        twShellDef def = shell_def_of(mesh, (double[]){0.002, 0.004, 0.01}[i], 6);
        def.materials = &box_steel;
        def.hollow = true;
        def.accuracy = 0.01;
        twShellModes* modes = shell_modes_of(&def);
        double worst = 0, estimate = 0, theory;
        ENSURE(modes && modes->count == 6 && strstr(modes->note, "walls are thick"));
        ENSURE(tw_shell_theory_error(&theory, &def, NULL) == TW_OK);
        for (int k = 0; k < 6; k++)
        {
            worst = fmax(worst, fabs(modes->freq_hz[k] / box_solid[i][k] - 1));
            estimate = fmax(estimate, modes->error[k]);
        }
        // dividing alone would promise far too much
        ENSURE(estimate - theory < 0.5 * worst && worst < estimate && estimate < 2.5 * worst);
        tw_shell_modes_destroy(modes);
    }
    tw_mesh_destroy(mesh);
    return 0;
}

// edges and curvature in closed form
static int error_of_theory_counts_edges_radii_and_waves(void)
{
    double error;
    twMesh* box = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.08, 0.06));
    twShellDef def = shell_def_of(box, 0.002, 1);
    ENSURE(tw_shell_theory_error(&error, &def, NULL) == TW_OK);
    const double area = 2 * (0.008 + 0.006 + 0.0048), waves = 0.005 * 4 * TW_PI * 7;
    ENSURE_NEAR(error, 0.6 * 0.002 * 4 * (0.1 + 0.08 + 0.06) / area + waves * 4e-6 / area, 1e-12);
    tw_mesh_destroy(box);

    // (t/R)^2 of a tube, twice that of a sphere, however coarse; a flat plate has neither
    twMesh* round[] = {shell_tube(0.05, 0.2, 10, 16), shell_tube(0.05, 0.2, 40, 64), shell_hemisphere(0.05, 24),
                       shell_plate(4, 4, 0.1, 0.1, 0.2)};
    const double square[] = {1, 1, 2, 0}, tube = 2 * TW_PI * 0.05 * 0.2, cap = 2 * TW_PI * 0.05 * 0.05;
    const double areas[] = {tube, tube, cap, 0.1 * 0.1};
    for (int i = 0; i < 4; i++)
    {
        def = shell_def_of(round[i], 0.008, 1);
        ENSURE(tw_shell_theory_error(&error, &def, NULL) == TW_OK);
        error -= waves * 0.008 * 0.008 / areas[i];
        ENSURE_NEAR(error, 0.35 * square[i] * pow(0.008 / 0.05, 2), 0.2 * error + 1e-12);
        tw_mesh_destroy(round[i]);
    }
    return 0;
}

static int curve_through_few_vertices_counts_as_a_guess(void)
{
    // twelve sides: frequencies are off by more than dividing explains
    double solid[4];
    shell_revolve_hz(axi_hemisphere(0.07, 0.002), 2, 5, solid);
    twMesh* mesh = shell_hemisphere(0.07, 12);
    twShellDef def = shell_def_of(mesh, 0.002, 8);
    def.accuracy = 0.01;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 8);
    double worst = 0;
    for (int k = 0; k < 8; k++) worst = fmax(worst, fabs(modes->freq_hz[k] / solid[k / 2] - 1));
    ENSURE(worst < modes->error[7] && worst > modes->error[7] - errors_of_theory_and_guess(&def));
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);
    return 0;
}

// ---- through baking ----

static twModeSet* bake_walls_of(const twMesh* mesh, double thickness, double budget, twBakeReport* report)
{
    twModeSet* set;
    twBakeDef def = tw_bake_def();
    def.source = "walls";
    def.mesh = mesh;
    def.material = box_steel;
    def.material.name = "steel";
    def.thickness = thickness;
    def.count = 6;
    def.budget = budget;
    return tw_bake(&set, &def, report, NULL) == TW_OK ? set : NULL;
}

static int coarse_bowl_is_the_round_one_it_suggests(void)
{
    // facets would be 1 % too high
    const ShellCap cap = {0.07, TW_PI / 2, 8};
    AxiBody* body = axi_hemisphere(0.07, 0.004);
    twMesh* mesh = shell_revolve(9, 24, shell_cap_point, &cap);
    twBakeReport report;
    twModeSet* set = bake_walls_of(mesh, 0.004, 20, &report);
    ENSURE(set && set->mode_count == 6 && !strstr(report.note, "thick"));
    body->young = 2e11, body->poisson = 0.29, body->density = 7850;
    for (int k = 0; k < 6; k++)
    {
        double solid;
        ENSURE(axi_modes(body, 2 + k / 2, 1, &solid) == 1);
        ENSURE_NEAR(set->freq_hz[k] / solid, 1, fmin(0.003, report.error_estimate));
    }
    tw_mode_set_destroy(set);
    tw_mesh_destroy(mesh);
    free(body);
    return 0;
}

static int thick_walls_are_a_solid_with_a_cavity(void)
{
    twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.08, 0.06));
    twBakeReport report;
    // thin ones are a shell: too low, if anything
    twModeSet* set = bake_walls_of(mesh, 0.002, 20, &report);
    ENSURE(set && !report.one_sided && !strstr(report.note, "cavity"));
    tw_mode_set_destroy(set);

    set = bake_walls_of(mesh, 0.01, 2, &report);
    ENSURE(set && report.one_sided && strstr(report.note, "cavity"));
    ENSURE_NEAR(set->mass.volume / 0.000288, 1, 1e-6);
    for (int k = 0; k < 6; k++)
    {
        const double off = set->freq_hz[k] / box_solid[2][k] - 1;
        ENSURE(off > -0.002 && off < report.error_estimate);
    }
    // seen at the outer face only
    for (int v = 0; v < set->vertex_count; v++)
    {
        const twVec3 x = set->vertices[v];
        const double depth = fmin(fmin(fmin(x.x, 0.1 - x.x), fmin(x.y, 0.08 - x.y)), fmin(x.z, 0.06 - x.z));
        ENSURE(fabs(depth) < 1e-9);
    }
    tw_mode_set_destroy(set);

    // thicker than any shell; a wall that leaves no cavity is refused
    set = bake_walls_of(mesh, 0.02, 0.5, &report);
    ENSURE(set);
    ENSURE_NEAR(set->mass.volume / (0.00048 - 0.06 * 0.04 * 0.02), 1, 1e-6);
    tw_mode_set_destroy(set);
    ENSURE(!bake_walls_of(mesh, 0.035, 0.5, &report));
    tw_mesh_destroy(mesh);
    return 0;
}

// ---- sheets ----

// lowest frequencies of a solid box by 10-node tets
static bool sheet_solid(double width, double thickness, int count, double* freq_hz)
{
    char shape[80];
    twModeSet* set;
    twBakeDef def = tw_bake_def();
    snprintf(shape, sizeof shape, "box:%gx%gx%g", width, width, thickness);
    def.source = shape;
    def.material = box_steel;
    def.material.name = "steel";
    def.count = count;
    def.accuracy = 0.002;
    if (tw_bake(&set, &def, NULL, NULL) != TW_OK) return false;
    memcpy(freq_hz, set->freq_hz, (size_t)count * sizeof *freq_hz);
    tw_mode_set_destroy(set);
    return true;
}

// waves not much longer than the plate is thick
static int short_waves_of_a_plate_are_within_the_estimate(void)
{
    enum
    {
        COUNT = 12
    };
    double solid[COUNT], worst = 0, estimate = 0, theory;
    twMesh* mesh = shell_plate(16, 16, 0.2, 0.2, 0);
    twShellDef def = shell_def_of(mesh, 0.04, COUNT);
    def.materials = &box_steel;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && sheet_solid(0.2, 0.04, COUNT, solid));
    ENSURE(tw_shell_theory_error(&theory, &def, NULL) == TW_OK);
    for (int k = 0; k < COUNT; k++)
    {
        const double off = fabs(modes->freq_hz[k] / solid[k] - 1);
        ENSURE(off < modes->error[k]);
        worst = fmax(worst, off);
        estimate = fmax(estimate, modes->error[k]);
    }
    // dividing alone would promise far too much
    ENSURE(worst > 0.02 && estimate - theory < 0.5 * worst && estimate < 3 * worst);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);
    return 0;
}

static int thick_sheet_is_a_solid(void)
{
    double solid[6];
    twBakeReport report;
    twMesh* mesh = shell_plate(8, 8, 0.2, 0.2, 0);
    // a thin one is a shell
    twModeSet* set = bake_walls_of(mesh, 0.002, 20, &report);
    ENSURE(set && !report.one_sided && !strstr(report.note, "solid"));
    tw_mode_set_destroy(set);

    set = bake_walls_of(mesh, 0.08, 20, &report);
    ENSURE(set && report.one_sided && strstr(report.note, "too thick for a shell: a solid"));
    ENSURE_NEAR(set->mass.volume / (0.2 * 0.2 * 0.08), 1, 1e-6);
    ENSURE(sheet_solid(0.2, 0.08, 6, solid));
    for (int k = 0; k < 6; k++) ENSURE_NEAR(set->freq_hz[k] / solid[k], 1, fmin(0.003, report.error_estimate));
    // seen at both sides
    double low = 0, high = 0;
    for (int v = 0; v < set->vertex_count; v++)
        low = fmin(low, set->vertices[v].z), high = fmax(high, set->vertices[v].z);
    ENSURE_NEAR(low, -0.04, 1e-9);
    ENSURE_NEAR(high, 0.04, 1e-9);
    tw_mode_set_destroy(set);
    ENSURE(!bake_walls_of(mesh, 0.3, 20, &report));  // more than the sheet is long
    tw_mesh_destroy(mesh);
    return 0;
}

// two legs at a right angle: what the mitre has more outside it has less inside
static int walls_of_a_bent_sheet_are_even(void)
{
    twBakeReport report;
    twMesh* mesh = shell_plate(8, 4, 0.2, 0.1, 0);
    for (int v = 0; v < mesh->vertex_count; v++)
    {
        const twVec3 x = mesh->vertices[v];
        if (x.x > 0) mesh->vertices[v] = tw_vec3(0, x.y, x.x);
    }
    twModeSet* set = bake_walls_of(mesh, 0.04, 1, &report);
    ENSURE(set && strstr(report.note, "a solid"));
    ENSURE_NEAR(set->mass.volume / (0.2 * 0.1 * 0.04), 1, 1e-3);  // legs lie at 45 degrees to the cells
    tw_mode_set_destroy(set);
    tw_mesh_destroy(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(estimates_hold)
    RUN(walls_that_meet_at_sharp_edges_are_within_the_estimate)
    RUN(error_of_theory_counts_edges_radii_and_waves)
    RUN(curve_through_few_vertices_counts_as_a_guess)
    RUN(short_waves_of_a_plate_are_within_the_estimate)
    RUN(coarse_bowl_is_the_round_one_it_suggests)
    RUN(thick_walls_are_a_solid_with_a_cavity)
    RUN(thick_sheet_is_a_solid)
    RUN(walls_of_a_bent_sheet_are_even)
)
