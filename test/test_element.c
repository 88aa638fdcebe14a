// SPDX-License-Identifier: MIT
// Elements and matrices against exact integrals, the patch test and rigid motions.
#include "fem.h"
#include "fem/element.h"
#include "fem/system.h"

// ---- elements ----

// integral of l0^a l1^b l2^c l3^d over a tet of volume 1: a! b! c! d! 3! / (a + b + c + d + 3)!
static double monomial_integral(const int power[4])
{
    double value = 6;
    int sum = 3;
    for (int i = 0; i < 4; i++)
    {
        value *= tgamma(power[i] + 1);
        sum += power[i];
    }
    return value / tgamma(sum + 1);
}

static double rule_error(const FemPoint* points, int count, int degree)
{
    double worst = 0;
    int p[4];
    for (p[0] = 0; p[0] <= degree; p[0]++)
        for (p[1] = 0; p[0] + p[1] <= degree; p[1]++)
            for (p[2] = 0; p[0] + p[1] + p[2] <= degree; p[2]++)
            {
                p[3] = degree - p[0] - p[1] - p[2];
                double sum = 0;
                for (int i = 0; i < count; i++)
                    sum += points[i].weight * pow(points[i].l[0], p[0]) * pow(points[i].l[1], p[1]) *
                           pow(points[i].l[2], p[2]) * pow(points[i].l[3], p[3]);
                worst = fmax(worst, fabs(sum - monomial_integral(p)));
            }
    return worst;
}

static int rules_are_exact_to_their_degrees(void)
{
    FemRule rule = fem_rule(10);
    ENSURE(rule_error(rule.stiff, 4, 2) < 1e-15);
    ENSURE(rule_error(rule.stiff, 4, 3) > 1e-4);
    ENSURE(rule_error(rule.mass, 15, 5) < 1e-15);
    ENSURE(rule_error(rule.mass, 15, 4) < 1e-15);
    ENSURE(rule_error(rule.mass, 15, 6) > 1e-6);
    for (int i = 0; i < 15; i++) ENSURE(rule.mass[i].weight > 0);
    return 0;
}

// every node off the surface moved a little, straight edges kept
static void disturb(twTetMesh* mesh, const int cells[3])
{
    twRng rng = tw_rng(3);
    int step = mesh->mid_nodes ? 2 : 1, node = 0;
    double size = 0.15 / cells[0];
    for (int k = 0; k <= cells[2] * step; k++)
        for (int j = 0; j <= cells[1] * step; j++)
            for (int i = 0; i <= cells[0] * step; i++, node++)
            {
                bool surface = !i || !j || !k || i == cells[0] * step || j == cells[1] * step || k == cells[2] * step;
                bool corner = i % step == 0 && j % step == 0 && k % step == 0;
                twVec3 d = tw_vec3(tw_rng_between(&rng, -size, size), tw_rng_between(&rng, -size, size),
                                   tw_rng_between(&rng, -size, size));
                if (corner && !surface) mesh->nodes[node] = tw_vec3_add(mesh->nodes[node], d);
            }
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int e = 0; mesh->mid_nodes && e < mesh->tet_count; e++)
        for (int i = 0; i < 6; i++)
        {
            twVec3 a = mesh->nodes[mesh->tets[e].n[ends[i][0]]], b = mesh->nodes[mesh->tets[e].n[ends[i][1]]];
            mesh->nodes[mesh->mid_nodes[e][i]] = tw_vec3_scale(tw_vec3_add(a, b), 0.5);
        }
}

// forces of a uniform strain: none inside, and the energy is volume x stress x strain
static int check_patch(bool quadratic)
{
    const int cells[3] = {3, 3, 3};
    twTetMesh* mesh = box_mesh(3, 3, 3, 1, 1, 1, quadratic);
    disturb(mesh, cells);
    twFemDef def = def_of(mesh, &aluminium, 1);
    FemMemory memory = fem_memory(0);
    FemSystem* system = NULL;
    ENSURE(fem_system_create(&system, &def, &memory, NULL) == TW_OK);
    int n = 3 * system->nodes;
    double *u = calloc((size_t)n, sizeof *u), *f = calloc((size_t)n, sizeof *f), energy = 0, inside = 0;
    const double grad[3][3] = {{0.3, 0.7, -0.2}, {0.1, -0.5, 0.4}, {0.9, 0.2, 0.6}};
    for (int a = 0; a < system->nodes; a++)
    {
        twVec3 x = system->x[system->node[a]];
        for (int d = 0; d < 3; d++) u[3 * a + d] = grad[d][0] * x.x + grad[d][1] * x.y + grad[d][2] * x.z;
    }
    fem_multiply_stiffness(system, u, f, 1);
    for (int i = 0; i < n; i++) energy += u[i] * f[i];
    for (int a = 0; a < system->nodes; a++)
    {
        twVec3 x = mesh->nodes[system->node[a]];
        double edge = fmin(fmin(fmin(x.x, 1 - x.x), fmin(x.y, 1 - x.y)), fmin(x.z, 1 - x.z));
        for (int d = 0; edge > 1e-9 && d < 3; d++) inside = fmax(inside, fabs(f[3 * a + d]));
    }
    double nu = 0.33, mu = 1 / (2 * (1 + nu)), lambda = nu / ((1 + nu) * (1 - 2 * nu)), trace = 0.3 - 0.5 + 0.6,
           sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += pow(0.5 * (grad[i][j] + grad[j][i]), 2);
    double volume = pow(1 / sqrt(3), 3);
    ENSURE(inside < 1e-14);
    ENSURE_NEAR(energy, volume * (lambda * trace * trace + 2 * mu * sum), 1e-13);
    free(u);
    free(f);
    fem_system_destroy(system, &memory);
    ENSURE(memory.used == 0);
    grid_free(mesh);
    return 0;
}

static int uniform_strain_leaves_no_force_inside(void) { return check_patch(false) || check_patch(true); }

// give each tet other first nodes, evenly permuted, so that blocks come from other sides
static void turn_tets(twTetMesh* mesh)
{
    for (int e = 0; e < mesh->tet_count; e++)
    {
        int *n = mesh->tets[e].n, *m = mesh->mid_nodes[e];
        int turned[4] = {n[1], n[2], n[0], n[3]}, mids[6] = {m[1], m[2], m[0], m[4], m[5], m[3]};
        memcpy(n, turned, sizeof turned);
        memcpy(m, mids, sizeof mids);
    }
}

static int matrices_are_symmetric_and_do_not_depend_on_the_order_of_nodes(void)
{
    Grid grid = {{3, 3, 1}, true, grid_bowl, {0.1, 0.7, 0.01}, false};
    twTetMesh* mesh = grid_mesh(&grid);
    twFemDef def = def_of(mesh, &aluminium, 1);
    FemMemory memory = fem_memory(0);
    FemSystem *one = NULL, *other = NULL;
    ENSURE(fem_system_create(&one, &def, &memory, NULL) == TW_OK);
    turn_tets(mesh);
    ENSURE(fem_system_create(&other, &def, &memory, NULL) == TW_OK);
    int64_t entries = one->start[one->nodes];
    double k = 0, m = 0, most_k = 0, most_m = 0, skew = 0;
    for (int64_t e = 0; e < entries; e++)
    {
        ENSURE(one->column[e] == other->column[e]);
        m = fmax(m, fabs(one->m[e] - other->m[e]));
        most_m = fmax(most_m, fabs(one->m[e]));
        for (int i = 0; i < 9; i++) k = fmax(k, fabs(one->k[9 * e + i] - other->k[9 * e + i]));
        for (int i = 0; i < 9; i++) most_k = fmax(most_k, fabs(one->k[9 * e + i]));
    }
    for (int a = 0; a < one->nodes; a++)
    {
        const double* d = one->k + 9 * (one->start[a + 1] - 1);
        skew = fmax(skew, fmax(fabs(d[1] - d[3]), fmax(fabs(d[2] - d[6]), fabs(d[5] - d[7]))));
    }
    ENSURE(k < 1e-14 * most_k && skew < 1e-14 * most_k && m < 1e-14 * most_m);
    fem_system_destroy(one, &memory);
    fem_system_destroy(other, &memory);
    grid_free(mesh);
    return 0;
}

static int rigid_motions_have_no_energy_and_unit_mass(void)
{
    Grid grid = {{4, 4, 1}, true, grid_bowl, {0.1, 0.7, 0.005}, false};
    twTetMesh* mesh = grid_mesh(&grid);
    twFemDef def = def_of(mesh, &aluminium, 1);
    FemMemory memory = fem_memory(0);
    FemSystem* system = NULL;
    double* rigid = NULL;
    int count = 0;
    ENSURE(fem_system_create(&system, &def, &memory, NULL) == TW_OK);
    ENSURE(fem_rigid_motions(&rigid, &count, system, &def, &memory, NULL) == TW_OK);
    ENSURE(count == 6);
    int n = 3 * system->nodes;
    double* y = malloc(6 * (size_t)n * sizeof *y);
    double* scratch = malloc(fem_multiply_scratch(system) * sizeof *scratch);
    fem_multiply_stiffness(system, rigid, y, 6);
    for (int i = 0; i < 6 * n; i++) ENSURE(fabs(y[i]) < 1e-10);
    fem_multiply_mass(system, rigid, y, 6, scratch);
    for (int i = 0; i < 36; i++)
    {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += rigid[(i % 6) * n + k] * y[(i / 6) * n + k];
        ENSURE_NEAR(sum, i % 6 == i / 6, 1e-13);
    }
    free(y);
    free(scratch);
    fem_free(&memory, rigid);
    fem_system_destroy(system, &memory);
    grid_free(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rules_are_exact_to_their_degrees)
    RUN(uniform_strain_leaves_no_force_inside)
    RUN(matrices_are_symmetric_and_do_not_depend_on_the_order_of_nodes)
    RUN(rigid_motions_have_no_energy_and_unit_mass)
)
