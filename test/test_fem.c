// SPDX-License-Identifier: MIT
// Modes against closed forms (bars, plate, ball), convergence orders, full matrices and ARPACK.
#include "fem.h"
#include "fem/dense.h"
#include "fem/lanczos.h"
#include "fem/metis.h"
#include "fem/system.h"
#include "fem/weyl.h"
#ifdef TEST_ARPACK
#include "arpack.h"
#endif

// ---- closed forms ----

// the mode most like a given motion: the largest mean of shape . motion over the nodes
static int mode_like(const twFemModes* modes, const twTetMesh* mesh, twVec3 (*motion)(twVec3 x))
{
    int best = -1;
    double most = 0;
    for (int k = 0; k < modes->count; k++)
    {
        double dot = 0, norm = 0;
        const double* shape = modes->shape + 3 * (size_t)k * (size_t)mesh->node_count;
        for (int i = 0; i < mesh->node_count; i++, shape += 3)
        {
            dot += tw_vec3_dot(motion(mesh->nodes[i]), tw_vec3(shape[0], shape[1], shape[2]));
            norm += shape[0] * shape[0] + shape[1] * shape[1] + shape[2] * shape[2];
        }
        if (fabs(dot) / sqrt(norm) > most) most = fabs(dot) / sqrt(norm), best = k;
    }
    return best;
}

static twVec3 first_stretch(twVec3 x) { return tw_vec3(cos(TW_PI * x.x), 0, 0); }
static twVec3 first_twist(twVec3 x)
{
    double turn = cos(TW_PI * x.x);
    return tw_vec3(0, -turn * (x.z - 0.05), turn * (x.y - 0.05));
}

// a free bar of unit length and square section 0.1
static int bar_bends_twists_and_stretches_as_theory_says(void)
{
    twTetMesh* mesh = box_mesh(16, 4, 4, 1, 0.1, 0.1, true);
    twFemModes* modes = box_modes(mesh, &aluminium, 8);
    ENSURE(modes && modes->count == 8 && modes->rigid_modes == 6 && modes->pieces == 1);
    ENSURE(modes->rigid_freq_hz < 0.01);
    ENSURE_NEAR(modes->mass, 27, 1e-10);
    double speed = sqrt(68.9e9 / 2700), shear = sqrt(68.9e9 / (2 * 1.33) / 2700);

    // bending: a thin beam, lowered by shear and rotary inertia (Timoshenko's equations integrated numerically, with
    // Cowper's shear factor: 0.96579)
    double thin = 4.73004074 * 4.73004074 / (2 * TW_PI) * speed * 0.1 / sqrt(12);
    ENSURE_NEAR(modes->freq_hz[0] / thin, 0.96579, 0.001);
    ENSURE_NEAR(modes->freq_hz[1] / modes->freq_hz[0], 1, 5e-4);

    // torsion, with J of the square; lateral contraction lowers the stretch by (nu pi r)^2 / 2, r^2 = Ip / A (Rayleigh)
    int twist = mode_like(modes, mesh, first_twist), stretch = mode_like(modes, mesh, first_stretch);
    ENSURE_NEAR(modes->freq_hz[twist] / (0.5 * shear * sqrt(0.1405770 * 6)), 1, 0.005);
    ENSURE_NEAR(modes->freq_hz[stretch] / (0.5 * speed), 1 - 0.5 * pow(0.33 * TW_PI, 2) * 0.01 / 6, 0.001);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

static int cantilever_is_the_clamped_beam_and_has_no_rigid_modes(void)
{
    twTetMesh* mesh = box_mesh(24, 2, 1, 1, 0.04, 0.025, true);
    int fixed[64], count = 0;
    for (int i = 0; i < mesh->node_count; i++)
        if (mesh->nodes[i].x == 0) fixed[count++] = i;
    twFemDef def = def_of(mesh, &cork, 3);
    def.fixed_count = count, def.fixed_nodes = fixed;
    twFemModes* modes = modes_of(&def);
    ENSURE(modes && modes->rigid_modes == 0 && modes->active_nodes == mesh->node_count - count);
    double unit = sqrt(1e9 / 1000) * 0.025 / sqrt(12) / (2 * TW_PI);
    ENSURE_NEAR(modes->freq_hz[0] / (1.87510407 * 1.87510407 * unit), 1, 0.002);
    ENSURE_NEAR(modes->freq_hz[1] / (1.87510407 * 1.87510407 * unit * 1.6), 1, 0.004);
    ENSURE_NEAR(modes->freq_hz[2] / (4.69409113 * 4.69409113 * unit), 1, 0.01);
    for (int i = 0; i < 3 * count; i++) ENSURE(modes->shape[3 * fixed[i / 3] + i % 3] == 0);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

static int square_plate_has_the_ritz_values(void)
{
    static const double lambda[5] = {13.4682, 19.5961, 24.2702, 34.8009, 34.8009};
    const twMaterial steel = {.density = 7800, .young = 2e11, .poisson = 0.3};
    twTetMesh* mesh = box_mesh(18, 18, 1, 0.2, 0.2, 0.003, true);
    twFemModes* modes = box_modes(mesh, &steel, 5);
    ENSURE(modes && modes->count == 5 && modes->rigid_modes == 6);
    double stiffness = 2e11 * pow(0.003, 3) / (12 * (1 - 0.09)),
           unit = sqrt(stiffness / (7800 * 0.003)) / (2 * TW_PI * 0.04);
    for (int i = 0; i < 5; i++) ENSURE_NEAR(modes->freq_hz[i] / (lambda[i] * unit), 1, 0.006);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

static int ball_has_lambs_frequencies_with_their_multiplicities(void)
{
    // T2 and S2 five times, S1 three times, T3 seven times
    static const double eta[4] = {2.50113, 2.64501, 3.50950, 3.86470};
    static const int times[4] = {5, 5, 3, 7};
    const twMaterial steel = {.density = 7850, .young = 2e11, .poisson = 0.29};
    Grid grid = {{6, 6, 6}, true, grid_ball, {0.045}, true};
    twTetMesh* mesh = grid_mesh(&grid);
    twFemModes* modes = box_modes(mesh, &steel, 20);
    ENSURE(modes && modes->count == 20 && modes->rigid_modes == 6);
    double unit = sqrt(2e11 / (2 * 1.29) / 7850) / (2 * TW_PI * 0.045);
    for (int group = 0, k = 0; group < 4; k += times[group++])
        for (int i = 0; i < times[group]; i++) ENSURE_NEAR(modes->freq_hz[k + i] / (eta[group] * unit), 1, 0.005);
    ENSURE_NEAR(modes->mass, 7850 * 4 / 3.0 * TW_PI * pow(0.045, 3), 0.01 * modes->mass);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

// Without lateral contraction the stretching modes of a box are exactly n c / 2 L.
static double stretch_error(int cells, bool quadratic)
{
    twTetMesh* mesh = box_mesh(cells, 1, 1, 1, 0.5, 0.5, quadratic);
    twFemModes* modes = box_modes(mesh, &cork, 20);
    if (!modes) return NAN;
    double exact = 0.5 * sqrt(1e9 / 1000), error = modes->freq_hz[mode_like(modes, mesh, first_stretch)] / exact - 1;
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return error;
}

static int frequencies_converge_with_order_two_and_four(void)
{
    double linear = log2(stretch_error(8, false) / stretch_error(16, false));
    double quadratic = log2(stretch_error(4, true) / stretch_error(8, true));
    ENSURE_NEAR(linear, 2, 0.1);
    ENSURE_NEAR(quadratic, 4, 0.2);
    return 0;
}

static int two_materials_share_the_closed_form_of_a_compound_bar(void)
{
    // halves with E and 4 E: tan(2 t) = -2 tan(t), so t = atan(sqrt 2) = w a / c2
    const twMaterial halves[2] = {{.density = 1000, .young = 1e9}, {.density = 1000, .young = 4e9}};
    twTetMesh* mesh = box_mesh(16, 1, 1, 1, 0.05, 0.05, true);
    mesh->regions = calloc((size_t)mesh->tet_count, sizeof *mesh->regions);
    for (int e = 0; e < mesh->tet_count; e++)
        mesh->regions[e] =
            mesh->nodes[mesh->tets[e].n[1]].x > 0.5 + 1e-9 || mesh->nodes[mesh->tets[e].n[0]].x > 0.5 - 1e-9;
    twFemDef def = def_of(mesh, halves, 24);
    def.material_count = 2;
    twFemModes* modes = modes_of(&def);
    ENSURE(modes);
    double exact = atan(sqrt(2)) * 2000 / (2 * TW_PI * 0.5);
    ENSURE_NEAR(modes->freq_hz[mode_like(modes, mesh, first_stretch)] / exact, 1, 1e-4);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

// ---- the solver ----

static int shapes_are_orthonormal_in_the_mass_norm(void)
{
    twTetMesh* mesh = box_mesh(8, 3, 2, 0.3, 0.1, 0.05, true);
    twFemDef def = def_of(mesh, &aluminium, 12);
    twFemModes* modes = modes_of(&def);
    FemMemory memory = fem_memory(0);
    FemSystem* system = NULL;
    ENSURE(modes && fem_system_create(&system, &def, &memory, NULL) == TW_OK);
    ENSURE(3 * system->nodes > FEM_DENSE_UNKNOWNS);
    int n = 3 * mesh->node_count;
    double* y = malloc(12 * (size_t)n * sizeof *y);
    double* scratch = malloc(fem_multiply_scratch(system) * sizeof *scratch);
    fem_multiply_mass(system, modes->shape, y, 12, scratch);
    double unit = pow(system->length, 3) * system->density;
    for (int i = 0; i < 144; i++)
    {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += modes->shape[(i % 12) * n + k] * y[(i / 12) * n + k];
        ENSURE_NEAR(sum * unit, i % 12 == i / 12, 1e-10);
    }
    free(y);
    free(scratch);
    fem_system_destroy(system, &memory);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

#ifdef TEST_ARPACK
static int arpack_finds_the_same_modes(void)
{
    enum
    {
        COUNT = 40
    };
    twTetMesh* mesh = cube_mesh();
    twFemDef def = def_of(mesh, &aluminium, COUNT);
    twFemModes* modes = modes_of(&def);
    FemMemory memory = fem_memory(0);
    FemSystem* system = NULL;
    FemFactor* factor = NULL;
    double lambda[COUNT + 6];
    ENSURE(modes && modes->count == COUNT);
    ENSURE(fem_system_create(&system, &def, &memory, NULL) == TW_OK);
    int* position = malloc((size_t)system->nodes * sizeof *position);
    ENSURE(fem_order(position, system, &memory, NULL) == TW_OK);
    ENSURE(fem_factor_create(&factor, system, position, true, &memory, NULL) == TW_OK);
    ENSURE(fem_factor_compute(factor, -1, 0, NULL) == TW_OK);
    ENSURE(arpack_lowest(system, factor, -1, COUNT + 6, 1e-12, lambda) > 0);
    for (int i = 0; i < 6; i++) ENSURE(fabs(lambda[i]) < 1e-9);
    for (int i = 0; i < COUNT; i++) ENSURE_NEAR(modes->freq_hz[i] / fem_system_freq_hz(system, lambda[6 + i]), 1, 1e-8);
    fem_factor_destroy(factor);
    fem_system_destroy(system, &memory);
    ENSURE(memory.used == 0);
    free(position);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}
#endif

static int full_matrices_give_the_same_modes(void)
{
    twTetMesh* mesh = box_mesh(8, 2, 1, 0.3, 0.1, 0.05, true);
    twFemDef def = def_of(mesh, &aluminium, 30);
    twFemModes* modes = modes_of(&def);
    FemMemory memory = fem_memory(0);
    FemSystem* system = NULL;
    double *lambda = NULL, *vectors = NULL;
    ENSURE(modes && 3 * modes->active_nodes > FEM_DENSE_UNKNOWNS);
    ENSURE(fem_system_create(&system, &def, &memory, NULL) == TW_OK);
    ENSURE(fem_dense(&lambda, &vectors, system, &memory, NULL) == TW_OK);
    for (int i = 0; i < 30; i++) ENSURE_NEAR(modes->freq_hz[i] / fem_system_freq_hz(system, lambda[6 + i]), 1, 1e-9);
    fem_free(&memory, lambda);
    fem_free(&memory, vectors);
    fem_system_destroy(system, &memory);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

static int sturm_count_proves_that_no_mode_is_missing(void)
{
    twTetMesh* mesh = cube_mesh();
    twFemDef def = def_of(mesh, &aluminium, 33);
    def.verify_count = true;
    twFemModes* modes = modes_of(&def);
    ENSURE(modes && modes->verified && modes->count == 33);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

static int highest_frequency_gives_all_modes_below_it(void)
{
    twTetMesh* mesh = cube_mesh();
    twFemDef def = def_of(mesh, &aluminium, 30);
    twFemModes* many = modes_of(&def);
    ENSURE(many);
    def.count = 0;
    def.max_freq_hz = 0.5 * (many->freq_hz[19] + many->freq_hz[20]);
    twFemModes* below = modes_of(&def);
    ENSURE(below && below->count == 20);
    for (int i = 0; i < 20; i++) ENSURE_NEAR(below->freq_hz[i] / many->freq_hz[i], 1, 1e-9);
    tw_fem_modes_destroy(below);

    // with a count too, whichever comes first
    def.count = 7;
    below = modes_of(&def);
    ENSURE(below && below->count == 7);
    tw_fem_modes_destroy(below);
    tw_fem_modes_destroy(many);
    grid_free(mesh);
    return 0;
}

static int results_are_the_same_every_time(void)
{
    twTetMesh* mesh = box_mesh(8, 3, 2, 0.3, 0.1, 0.05, true);
    twFemModes *one = box_modes(mesh, &aluminium, 8), *other = box_modes(mesh, &aluminium, 8);
    ENSURE(one && other);
    ENSURE(memcmp(one->freq_hz, other->freq_hz, 8 * sizeof(double)) == 0);
    ENSURE(memcmp(one->shape, other->shape, 24 * (size_t)mesh->node_count * sizeof(double)) == 0);
    tw_fem_modes_destroy(one);
    tw_fem_modes_destroy(other);
    grid_free(mesh);
    return 0;
}

static int size_and_place_only_scale_the_frequencies(void)
{
    static const double scales[3] = {1e-9, 1, 1e9};
    double first = 0;
    for (int s = 0; s < 3; s++)
    {
        twTetMesh* mesh = box_mesh(6, 2, 2, 3 * scales[s], scales[s], scales[s], true);
        for (int i = 0; i < mesh->node_count; i++) mesh->nodes[i].x += 1000 * scales[s];
        twFemModes* modes = box_modes(mesh, &aluminium, 4);
        ENSURE(modes && modes->rigid_modes == 6);
        if (s == 0) first = modes->freq_hz[3] * scales[s];
        ENSURE_NEAR(modes->freq_hz[3] * scales[s] / first, 1, 1e-9);
        tw_fem_modes_destroy(modes);
        grid_free(mesh);
    }
    return 0;
}

static int linear_elements_give_mid_nodes_the_mean_of_their_corners(void)
{
    twTetMesh *mesh = box_mesh(4, 2, 2, 3, 1, 1, true), *plain = box_mesh(4, 2, 2, 3, 1, 1, false);
    twFemDef def = def_of(mesh, &aluminium, 3);
    def.linear = true;
    twFemModes *modes = modes_of(&def), *same = box_modes(plain, &aluminium, 3);
    ENSURE(modes && same && modes->active_nodes == plain->node_count);
    ENSURE_NEAR(modes->freq_hz[2], same->freq_hz[2], 1e-9 * same->freq_hz[2]);
    const int *n = mesh->tets[5].n, *m = mesh->mid_nodes[5];
    for (int d = 0; d < 3; d++)
        ENSURE_NEAR(modes->shape[3 * m[4] + d], 0.5 * (modes->shape[3 * n[1] + d] + modes->shape[3 * n[3] + d]), 1e-15);
    tw_fem_modes_destroy(modes);
    tw_fem_modes_destroy(same);
    grid_free(mesh);
    grid_free(plain);
    return 0;
}

// ---- the shift ----

static int shift_on_a_mode_changes_nothing(void)
{
    twTetMesh* mesh = cube_mesh();
    twFemDef def = def_of(mesh, &aluminium, 30);
    twFemModes* many = modes_of(&def);
    ENSURE(many);

    // up to a highest frequency the shift is 0.6 of its square: let it hit single and double modes
    for (int hit = 0; hit < 15; hit += 7)
    {
        def.count = 0;
        def.max_freq_hz = many->freq_hz[hit] / sqrt(0.6);
        int below = 0;
        while (below < many->count && many->freq_hz[below] < def.max_freq_hz) below++;
        twFemModes* modes = modes_of(&def);
        ENSURE(modes && below < many->count && modes->count == below);
        for (int i = 0; i < below; i++) ENSURE_NEAR(modes->freq_hz[i] / many->freq_hz[i], 1, 1e-9);
        tw_fem_modes_destroy(modes);
    }
    tw_fem_modes_destroy(many);
    grid_free(mesh);
    return 0;
}

// what the tests of the eigensolver alone need
typedef struct Solver
{
    twTetMesh* mesh;
    FemMemory memory;
    FemSystem* system;
    int* position;
    FemFactor* factor;
    FemLanczos* lanczos;
} Solver;

static bool solver_start(Solver* solver, const FemWish* wish, double shift)
{
    FemMemory* memory = &solver->memory;
    FemSystem* system = solver->system;
    return fem_factor_create(&solver->factor, system, solver->position, shift < 0, memory, NULL) == TW_OK &&
           fem_factor_compute(solver->factor, shift, 0, NULL) == TW_OK &&
           fem_lanczos_create(&solver->lanczos, system, solver->factor, shift, NULL, 0, wish->count, memory, NULL) ==
               TW_OK;
}

static void solver_end(Solver* solver)
{
    fem_lanczos_destroy(solver->lanczos);
    fem_factor_destroy(solver->factor);
    solver->lanczos = NULL;
    solver->factor = NULL;
}

static int modes_come_from_both_sides_of_any_shift(void)
{
    Solver solver = {.mesh = cube_mesh(), .memory = fem_memory(0)};
    twFemDef def = def_of(solver.mesh, &aluminium, 1);
    ENSURE(fem_system_create(&solver.system, &def, &solver.memory, NULL) == TW_OK);
    solver.position = malloc((size_t)solver.system->nodes * sizeof *solver.position);
    ENSURE(fem_order(solver.position, solver.system, &solver.memory, NULL) == TW_OK);

    // from below all of them, six zeros first
    const FemWish wish = {.count = 24, .max_lambda = HUGE_VAL, .zero = 1e-6, .tolerance = 1e-8};
    double lambda[30];
    ENSURE(solver_start(&solver, &wish, -1) && fem_lanczos_below(solver.lanczos) == 0);
    ENSURE(fem_lanczos_run(solver.lanczos, &wish, NULL, NULL, NULL) == TW_OK);
    for (int i = 0; i < 30; i++) lambda[i] = fem_lanczos_lambda(solver.lanczos, i);
    solver_end(&solver);

    // between any two that differ; the number below is known
    for (int at = 5; at < 30; at += 6)
    {
        while (at < 28 && lambda[at + 1] - lambda[at] < 1e-3 * lambda[at + 1]) at++;
        double shift = at < 29 ? 0.5 * (lambda[at] + lambda[at + 1]) : 1.001 * lambda[at];
        ENSURE(solver_start(&solver, &wish, shift));
        ENSURE(at == 29 || fem_lanczos_below(solver.lanczos) == at + 1);
        ENSURE(fem_lanczos_run(solver.lanczos, &wish, NULL, NULL, NULL) == TW_OK);
        for (int i = 0; i < 6; i++) ENSURE(fabs(fem_lanczos_lambda(solver.lanczos, i)) < 1e-9 * shift);
        for (int i = 6; i < 30; i++) ENSURE_NEAR(fem_lanczos_lambda(solver.lanczos, i) / lambda[i], 1, 1e-9);
        solver_end(&solver);
    }
    fem_system_destroy(solver.system, &solver.memory);
    ENSURE(solver.memory.used == 0);
    free(solver.position);
    grid_free(solver.mesh);
    return 0;
}

// Weyl's law for a thick plate, whose volume and surface are known
// bytes and negative pivots of the factor between modes; every third node in units that are so many times larger
static bool factor_scaled(size_t* bytes, int* negative, double unit)
{
    Solver solver = {.mesh = cube_mesh(), .memory = fem_memory(0)};
    twFemDef def = def_of(solver.mesh, &aluminium, 1);
    bool good = fem_system_create(&solver.system, &def, &solver.memory, NULL) == TW_OK;
    FemSystem* system = solver.system;
    solver.position = malloc((size_t)system->nodes * sizeof *solver.position);
    for (int a = 0; a < system->nodes; a++)
        for (int64_t e = system->start[a]; e < system->start[a + 1]; e++)
        {
            const double by = (a % 3 == 0 ? unit : 1) * (system->column[e] % 3 == 0 ? unit : 1);
            for (int i = 0; i < 9; i++) system->k[9 * e + i] *= by;
            system->m[e] *= by;
        }
    good = good && fem_order(solver.position, system, &solver.memory, NULL) == TW_OK &&
           fem_factor_create(&solver.factor, system, solver.position, false, &solver.memory, NULL) == TW_OK &&
           fem_factor_compute(solver.factor, 40, 0, NULL) == TW_OK;
    *bytes = fem_factor_bytes(solver.factor);
    *negative = fem_factor_negative(solver.factor);
    solver_end(&solver);
    fem_system_destroy(system, &solver.memory);
    free(solver.position);
    grid_free(solver.mesh);
    return good;
}

// functions of cut cells are as small as the matter in their cells; pivots that were put off for that took many times the room
static int factor_does_not_depend_on_units(void)
{
    size_t bytes, mixed;
    int negative, same;
    ENSURE(factor_scaled(&bytes, &negative, 1) && factor_scaled(&mixed, &same, 1e-5));
    ENSURE(negative > 6 && same == negative && mixed == bytes);
    return 0;
}

static int guess_counts_the_waves_of_a_plate(void)
{
    const double nu = aluminium.poisson, a = 1, b = 0.8, h = 0.05, pi = TW_PI;
    twTetMesh* mesh = box_mesh(20, 16, 2, a, b, h, false);
    twFemDef def = def_of(mesh, &aluminium, 1);
    FemMemory memory = fem_memory(0);
    FemSystem* system = NULL;
    ENSURE(fem_system_create(&system, &def, &memory, NULL) == TW_OK);
    FemWeyl weyl = fem_weyl(system, &def, &memory);
    double size = system->length, area = a * b + (a + b) * h, thick = a * b * h / area;
    double ct = 1 / sqrt(2 * (1 + nu)), cp = 1 / sqrt(1 - nu * nu);
    double cl = sqrt((1 - nu) / ((1 + nu) * (1 - 2 * nu)));
    double volume = a * b * h * (2 / (ct * ct * ct) + 1 / (cl * cl * cl)) / (6 * pi * pi);
    ENSURE_NEAR(weyl.volume * size * size * size / volume, 1, 1e-9);
    ENSURE_NEAR(weyl.area * size * size / (area * (1 / (ct * ct) + 1 / (cp * cp)) / (4 * pi)), 1, 0.05);
    ENSURE_NEAR(weyl.line * size / (area * sqrt(12 * (1 - nu * nu)) / (4 * pi * thick)), 1, 0.1);
    for (double count = 0.1; count < 1e4; count *= 10)
        ENSURE_NEAR(fem_weyl_count(&weyl, fem_weyl_lambda(&weyl, count)) / count, 1, 1e-9);
    fem_system_destroy(system, &memory);
    ENSURE(memory.used == 0);
    grid_free(mesh);
    return 0;
}

static int random_vectors_brought_in_change_nothing_that_was_found(void)
{
    twTetMesh* mesh = cube_mesh();
    twFemDef def = def_of(mesh, &aluminium, 20);
    FemMemory memory = fem_memory(0);
    FemSystem* system = NULL;
    FemFactor* factor = NULL;
    FemLanczos* lanczos = NULL;
    FemWish wish = {.count = 20, .max_lambda = HUGE_VAL, .zero = 1e-6, .tolerance = 1e-9};
    double before[26];
    ENSURE(fem_system_create(&system, &def, &memory, NULL) == TW_OK);
    int* position = malloc((size_t)system->nodes * sizeof *position);
    ENSURE(fem_order(position, system, &memory, NULL) == TW_OK);
    ENSURE(fem_factor_create(&factor, system, position, true, &memory, NULL) == TW_OK);
    ENSURE(fem_factor_compute(factor, -1, 0, NULL) == TW_OK);

    // without the rigid motions given, six zeros are found
    ENSURE(fem_lanczos_create(&lanczos, system, factor, -1, NULL, 0, 20, &memory, NULL) == TW_OK);
    ENSURE(fem_lanczos_run(lanczos, &wish, NULL, NULL, NULL) == TW_OK && fem_lanczos_found(lanczos) == 26);
    for (int i = 0; i < 26; i++) before[i] = fem_lanczos_lambda(lanczos, i);
    for (int i = 0; i < 6; i++) ENSURE(fabs(before[i]) < 1e-9);
    ENSURE(before[6] > 1);
    ENSURE(fem_lanczos_refresh(lanczos, NULL) == TW_OK);
    ENSURE(fem_lanczos_run(lanczos, &wish, NULL, NULL, NULL) == TW_OK);
    for (int i = 6; i < 26; i++) ENSURE_NEAR(fem_lanczos_lambda(lanczos, i) / before[i], 1, 1e-8);
    fem_lanczos_destroy(lanczos);
    fem_factor_destroy(factor);
    fem_system_destroy(system, &memory);
    ENSURE(memory.used == 0);
    free(position);
    grid_free(mesh);
    return 0;
}

#ifndef TEST_ARPACK
#define ARPACK_TESTS
#else
#define ARPACK_TESTS RUN(arpack_finds_the_same_modes)
#endif

// clang-format off
TEST_MAIN(
    RUN(bar_bends_twists_and_stretches_as_theory_says)
    RUN(cantilever_is_the_clamped_beam_and_has_no_rigid_modes)
    RUN(square_plate_has_the_ritz_values)
    RUN(ball_has_lambs_frequencies_with_their_multiplicities)
    RUN(frequencies_converge_with_order_two_and_four)
    RUN(two_materials_share_the_closed_form_of_a_compound_bar)
    RUN(shapes_are_orthonormal_in_the_mass_norm)
    RUN(full_matrices_give_the_same_modes)
    RUN(sturm_count_proves_that_no_mode_is_missing)
    RUN(highest_frequency_gives_all_modes_below_it)
    RUN(results_are_the_same_every_time)
    RUN(size_and_place_only_scale_the_frequencies)
    RUN(linear_elements_give_mid_nodes_the_mean_of_their_corners)
    RUN(shift_on_a_mode_changes_nothing)
    RUN(modes_come_from_both_sides_of_any_shift)
    RUN(factor_does_not_depend_on_units)
    RUN(guess_counts_the_waves_of_a_plate)
    RUN(random_vectors_brought_in_change_nothing_that_was_found)
    ARPACK_TESTS
)
