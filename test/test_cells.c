// SPDX-License-Identifier: MIT
// Cut cells: functions, integrals, modes against closed forms, rounds that only fall, gaps, parts, going on later.

#include "fem/cells.h"
#include "mesh.h"
#include "slender.h"
#include "test.h"
#include "twang/cells.h"

static const twMaterial steel = {.name = "steel", .density = 7850, .young = 2e11, .poisson = 0.3};

static twMesh* mended(twMesh* mesh)
{
    if (tw_mesh_mend(mesh, 1e-9, NULL, NULL) != TW_OK) abort();
    return mesh;
}

// turned about an axis that is none of its own
static twMesh* turned(twMesh* mesh)
{
    const twQuat q = tw_quat_from_axis_angle(tw_vec3_normalize(tw_vec3(1, 0.5, 0.3)), 0.7);
    for (int i = 0; i < mesh->vertex_count; i++) mesh->vertices[i] = tw_quat_rotate(q, mesh->vertices[i]);
    return mesh;
}

static twCellsDef def_of(const twMesh* mesh, int count)
{
    twCellsDef def = tw_cells_def();
    def.surface = mesh;
    def.material_count = 1;
    def.materials = &steel;
    def.count = count;
    return def;
}

// a body after so many rounds; the mesh is destroyed
static twCells* cells_after(twMesh* mesh, const twCellsDef* like, int rounds)
{
    twCellsDef def = *like;
    twCells* cells;
    def.surface = mesh;
    if (tw_cells_create(&cells, &def, NULL) != TW_OK) abort();
    for (int i = 0; i < rounds; i++)
        if (tw_cells_next(cells, NULL) != TW_OK) abort();
    tw_mesh_destroy(mesh);
    return cells;
}

// ---- functions ----

static double wave(double x, double y, double z) { return 1 + x * y - z + 0.5 * x * x * z + z * z * z; }

// the coefficients of a polynomial of degree 3 at some points, by least squares over the Gauss points
static int functions_hold_all_polynomials_of_their_degree(void)
{
    Trunk* trunk;
    ENSURE(trunk_create(&trunk, 3, NULL) == TW_OK && trunk->count == 32);
    // integrals of the functions give the mass matrix; solve M c = b by plain elimination
    double m[32][33];
    TrunkProduct* mass;
    ENSURE(trunk_product_create(&mass, trunk, trunk, trunk, false, NULL) == TW_OK);
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 33; j++) m[i][j] = j < 32 ? mass->full[i * 32 + j] : 0;
    const int q = trunk->points;
    for (int g = 0; g < trunk->total; g++)
    {
        const int a = g % q, b = g / q % q, c = g / q / q;
        const double w = trunk->weight[a] * trunk->weight[b] * trunk->weight[c];
        for (int i = 0; i < 32; i++)
            m[i][32] += w * trunk->value[g * 32 + i] * wave(trunk->node[a], trunk->node[b], trunk->node[c]);
    }
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 32; k++)
            for (int j = 32; k != i && j >= i; j--) m[k][j] -= m[k][i] / m[i][i] * m[i][j];
    for (int trial = 0; trial < 5; trial++)
    {
        const double t[3] = {0.3 * trial - 0.7, 0.9 - 0.4 * trial, 0.17 * trial};
        double value[TRUNK_MAX], sum = 0;
        trunk_values(trunk, t, value);
        for (int i = 0; i < 32; i++) sum += m[i][32] / m[i][i] * value[i];
        ENSURE_NEAR(sum, wave(t[0], t[1], t[2]), 1e-11);
    }
    trunk_product_destroy(mass);
    trunk_destroy(trunk);
    return 0;
}

// the slope of a function by differences, exact for its degrees up to round-off and step^4
static double slope_of(const Trunk* trunk, int f, int axis, const double at[3])
{
    const double step = 1e-3;
    double sum = 0;
    for (int i = -2; i <= 2; i++)
    {
        static const double weight[5] = {1, -8, 0, 8, -1};
        double t[3] = {at[0], at[1], at[2]}, value[TRUNK_MAX];
        t[axis] += i * step;
        trunk_values(trunk, t, value);
        sum += weight[i + 2] * value[f] / (12 * step);
    }
    return sum;
}

// random weights, some negative: the sums over points are those of the definition
static int products_of_slopes_are_summed_over_all_points(void)
{
    Trunk *trunk, *finer;
    TrunkProduct* product;
    ENSURE(trunk_create(&trunk, 2, NULL) == TW_OK && trunk_create(&finer, 3, NULL) == TW_OK);
    ENSURE(trunk_product_create(&product, finer, finer, trunk, true, NULL) == TW_OK);
    const int q = finer->points, rows = 3 * finer->count;
    double* weights = malloc((size_t)finer->total * sizeof *weights);
    double* out = malloc((size_t)(rows * 3 * trunk->count) * sizeof *out);
    twRng rng = tw_rng(7);
    for (int g = 0; g < finer->total; g++) weights[g] = tw_rng_uniform(&rng) - 0.3;
    trunk_product_sum(product, weights, out);
    for (int trial = 0; trial < 12; trial++)
    {
        const int i = (int)(tw_rng_uniform(&rng) * finer->count), j = (int)(tw_rng_uniform(&rng) * trunk->count),
                  a = trial % 3, b = trial / 4;
        double sum = 0;
        for (int g = 0; g < finer->total; g++)
        {
            const double t[3] = {finer->node[g % q], finer->node[g / q % q], finer->node[g / q / q]};
            sum += weights[g] * slope_of(finer, i, a, t) * slope_of(trunk, j, b, t);
        }
        ENSURE_NEAR(out[(b * trunk->count + j) * rows + a * finer->count + i], sum, 1e-8);
    }
    free(weights);
    free(out);
    trunk_product_destroy(product);
    trunk_destroy(finer);
    trunk_destroy(trunk);
    return 0;
}

static int functions_are_the_same_in_the_children_of_a_cube(void)
{
    for (int degree = 2; degree <= 4; degree++)
    {
        Trunk* trunk;
        ENSURE(trunk_create(&trunk, degree, NULL) == TW_OK);
        const int n = trunk->count;
        for (int child = 0; child < 8; child++)
        {
            const double t[3] = {0.21, -0.63, 0.4};
            double coarse[TRUNK_MAX], fine[TRUNK_MAX], above[3];
            for (int x = 0; x < 3; x++) above[x] = 0.5 * (t[x] + (child >> x & 1 ? 1 : -1));
            trunk_values(trunk, above, coarse);
            trunk_values(trunk, t, fine);
            for (int f = 0; f < n; f++)
            {
                double sum = 0;
                for (int g = 0; g < n; g++) sum += trunk->child[child][f * n + g] * fine[g];
                ENSURE_NEAR(sum, coarse[f], 1e-11);
            }
        }
        trunk_destroy(trunk);
    }
    return 0;
}

// ---- integrals ----

static int mass_and_inertia_are_those_of_the_body(void)
{
    const twCellsDef def = def_of(NULL, 4);
    double volume;
    twMesh* mesh = turned(box_mesh(tw_vec3(0.2, -0.1, 0.3), tw_vec3(0.1, 0.08, 0.06)));
    const twMassProperties exact = tw_mesh_mass(mesh, steel.density);
    twCells* cells = cells_after(mesh, &def, 0);
    const twMassProperties mass = tw_cells_mass(cells, &volume);
    ENSURE_NEAR(volume / (0.1 * 0.08 * 0.06), 1, 1e-6);
    ENSURE_NEAR(mass.mass / exact.mass, 1, 1e-6);
    ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(mass.centre, exact.centre)), 0, 1e-7);
    for (int i = 0; i < 9; i++)
        ENSURE_NEAR(mass.inertia.m[i / 3][i % 3], exact.inertia.m[i / 3][i % 3], 2e-6 * exact.inertia.m[0][0]);
    tw_cells_destroy(cells);
    return 0;
}

static int overlapping_shells_are_one_body(void)
{
    const twCellsDef def = def_of(NULL, 4);
    twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.05, 0.05));
    join_mesh(mesh, box_mesh(tw_vec3(0.06, 0.01, 0.01), tw_vec3(0.1, 0.03, 0.03)));
    double volume;
    twCells* cells = cells_after(mesh, &def, 1);
    tw_cells_mass(cells, &volume);
    ENSURE_NEAR(volume / (0.1 * 0.05 * 0.05 + 0.06 * 0.03 * 0.03), 1, 1e-3);
    ENSURE(tw_cells_round(cells)->rigid_modes == 6 && tw_cells_round(cells)->pieces == 1);
    tw_cells_destroy(cells);
    return 0;
}

// ---- modes ----

// w R / ct of the lowest modes of a free ball with nu = 0.3 (Lamb 1882): twice torsional and spheroidal of n = 2, then
// torsional and spheroidal ones of n = 1, 3
static int a_ball_has_lambs_frequencies(void)
{
    const double radius = 0.1;
    const twCellsDef def = def_of(NULL, 10);
    twMesh* mesh = mended(sphere_mesh(tw_vec3(0, 0, 0), radius, 24));
    // of the ball that has the polyhedron's volume
    const double volume = tw_mesh_mass(mesh, 1).volume, r = cbrt(volume / (4 * TW_PI / 3));
    const double ct = sqrt(steel.young / (2 * 1.3 * steel.density));
    twCells* cells = cells_after(mesh, &def, 2);
    const twCellsRound* round = tw_cells_round(cells);
    for (int k = 0; k < 10; k++)
        ENSURE_NEAR(round->freq_hz[k] / ((k < 5 ? 2.5011 : 2.6470) * ct / (2 * TW_PI * r)), 1, 2e-3);
    ENSURE(round->rigid_modes == 6);
    tw_cells_destroy(cells);
    return 0;
}

// free bar: cosh(kl) cos(kl) = 1, with Timoshenko's correction for the first mode of each direction; stretching n c/2l
static int a_turned_bar_bends_and_stretches_as_theory_says(void)
{
    const double l = 0.3048, b = 0.0254, h = 0.0127;
    const twCellsDef def = def_of(NULL, 12);
    twCells* cells = cells_after(turned(box_mesh(tw_vec3(0, 0, 0), tw_vec3(l, b, h))), &def, 1);
    const twCellsRound* round = tw_cells_round(cells);
    // first bending modes of 705.1 and 1384.9 Hz and first twist of 3808 Hz: quadratic tets, converged to 1e-4
    ENSURE_NEAR(round->freq_hz[0], 705.08, 0.7);
    ENSURE_NEAR(round->freq_hz[1], 1384.9, 1.4);
    bool stretches = false;
    for (int k = 0; k < round->count; k++)
        stretches = stretches || fabs(round->freq_hz[k] / (sqrt(steel.young / steel.density) / (2 * l)) - 1) < 2e-3;
    ENSURE(stretches);
    for (int k = 0; k < round->count; k++) ENSURE(round->error[k] > 0 && round->error[k] < 0.2);
    tw_cells_destroy(cells);
    return 0;
}

// two thick plates that meet in a corner
static twMesh* angle_mesh(void)
{
    twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.05, 0.03));
    join_mesh(mesh, box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.03, 0.05, 0.08)));
    return mesh;
}

static int frequencies_only_fall_and_not_below_the_estimate(void)
{
    enum
    {
        ROUNDS = 4
    };
    const twCellsDef def = def_of(NULL, 10);
    double freq[ROUNDS][10], error[ROUNDS][10];
    twCells* cells = cells_after(angle_mesh(), &def, 0);
    for (int r = 0; r < ROUNDS; r++)
    {
        ENSURE(tw_cells_next(cells, NULL) == TW_OK);
        const twCellsRound* round = tw_cells_round(cells);
        ENSURE(round->round == r && round->rigid_modes == 6);
        for (int k = 0; k < 10; k++)
        {
            freq[r][k] = round->freq_hz[k];
            error[r][k] = round->error[k];
            // the volume is right to 1e-4, and so are frequencies
            ENSURE(r == 0 || freq[r][k] < freq[r - 1][k] * (1 + 3e-4));
        }
    }
    for (int r = 0; r < ROUNDS - 1; r++)
    {
        double most = 0, said = 0;
        for (int k = 0; k < 10; k++)
        {
            const double off = freq[r][k] / freq[ROUNDS - 1][k] - 1;
            ENSURE(off < error[r][k]);
            most = fmax(most, off);
            said = fmax(said, error[r][k]);
        }
        ENSURE(said < (r == 0 ? 25 : 10) * most);
    }
    tw_cells_destroy(cells);
    return 0;
}

// A hollow box with a wall of a tenth of a cell: what the next degree would gain is a good part of the fall to the next round.
// Functions one by one, which stretch the wall that they bend together, would gain a tenth of the fall.
static int functions_together_bend_a_thin_wall(void)
{
    const twCellsDef def = def_of(NULL, 10);
    double freq[10], gain[10];
    twCells* cells = cells_after(mended(slender_thin_box()), &def, 1);
    memcpy(freq, cells->freq_hz, sizeof freq);
    memcpy(gain, cells->gain, sizeof gain);
    ENSURE(tw_cells_next(cells, NULL) == TW_OK);
    for (int k = 0; k < 10; k++)
    {
        const double fall = freq[k] / cells->freq_hz[k] - 1;
        ENSURE(fall < 4 * gain[k] && gain[k] < fall);
    }
    tw_cells_destroy(cells);
    return 0;
}

// a ring with a slit as wide as a cell: joined across it, it would be a ring
// a ring of 8 x 8 mm, 100 mm across, with a slit that takes up an angle
static twMesh* slit_ring(double slit)
{
    enum
    {
        SIDES = 60
    };
    twMesh* mesh;
    if (tw_mesh_create(&mesh, 4 * (SIDES + 1), 8 * SIDES + 4, NULL) != TW_OK) abort();
    mesh->face_count = 0;
    for (int i = 0; i <= SIDES; i++)
    {
        const double angle = 0.5 * slit + (2 * TW_PI - slit) * i / SIDES;
        for (int k = 0; k < 4; k++)
        {
            const double r = k & 1 ? 0.05 : 0.042, z = k & 2 ? 0.004 : -0.004;
            mesh->vertices[4 * i + k] = tw_vec3(r * cos(angle), r * sin(angle), z);
        }
    }
    static const int around[5] = {0, 1, 3, 2, 0};
    for (int i = 0; i < SIDES; i++)
        for (int k = 0; k < 4; k++)
        {
            const int a = 4 * i + around[k], b = 4 * i + around[k + 1];
            mesh->faces[mesh->face_count++] = (twTriangle){{a, b, b + 4}};
            mesh->faces[mesh->face_count++] = (twTriangle){{a, b + 4, a + 4}};
        }
    for (int end = 0; end < 2; end++)
    {
        const int n = end ? 4 * SIDES : 0;
        mesh->faces[mesh->face_count++] = (twTriangle){{n, n + 1, n + 3}};
        mesh->faces[mesh->face_count++] = (twTriangle){{n, n + 3, n + 2}};
    }
    return mended(mesh);
}

// of any width: 9 mm and 0.01 mm
static int a_slit_is_open_from_the_first_round_on(void)
{
    const double slits[2] = {0.2, 2e-4};
    const twCellsDef def = def_of(NULL, 4);
    for (int i = 0; i < 2; i++)
    {
        twCells* cells = cells_after(slit_ring(slits[i]), &def, 1);
        const twCellsRound* round = tw_cells_round(cells);
        const double first = round->freq_hz[0], said = round->error[0];
        ENSURE(tw_cells_next(cells, NULL) == TW_OK);
        ENSURE_NEAR(first / round->freq_hz[0], 1, said);
        ENSURE(said < 0.01);
        // the lowest mode of a closed ring, by Hoppe for bending in its plane: 6/sqrt(5) sqrt(E I/(rho A))/(2 pi R^2) = 2362 Hz
        ENSURE(round->freq_hz[0] < 0.25 * 2362);
        ENSURE(round->rigid_modes == 6 && round->pieces == 1);
        tw_cells_destroy(cells);
    }
    return 0;
}

// two bars 0.01 mm apart have the modes of one, each twice
static int bars_side_by_side_are_two(void)
{
    const twVec3 size = {0.2, 0.02, 0.01};
    const twCellsDef one = def_of(NULL, 4), both = def_of(NULL, 8);
    twMesh *mesh = box_mesh(tw_vec3(0, 0, 0), size), *alone = turned(box_mesh(tw_vec3(0, 0, 0), size));
    join_mesh(mesh, box_mesh(tw_vec3(0, 0, size.z + 1e-5), size));
    twCells *bar = cells_after(alone, &one, 2), *bars = cells_after(turned(mesh), &both, 2);
    ENSURE(tw_cells_round(bars)->pieces == 2 && tw_cells_round(bars)->rigid_modes == 12);
    for (int k = 0; k < 8; k++)
        ENSURE_NEAR(tw_cells_round(bars)->freq_hz[k] / tw_cells_round(bar)->freq_hz[k / 2], 1, 2e-3);
    tw_cells_destroy(bar);
    tw_cells_destroy(bars);
    return 0;
}

// voids much smaller than the rays are apart change nothing: they bound the matter around them
static int small_voids_do_not_crack_a_body(void)
{
    const twVec3 size = {0.1, 0.08, 0.06};
    const twCellsDef def = def_of(NULL, 4);
    twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), size);
    for (int i = 0; i < 200; i++)
    {
        const twVec3 at = {0.03 + 0.0071 * (i % 6), 0.02 + 0.0067 * (i / 6 % 6), 0.01 + 0.0063 * (i / 36 % 6)};
        twMesh* inner = box_mesh(at, tw_vec3(5e-5, 5e-5, 5e-5));
        for (int f = 0; f < inner->face_count; f++)
            inner->faces[f] = (twTriangle){{inner->faces[f].v[0], inner->faces[f].v[2], inner->faces[f].v[1]}};
        join_mesh(mesh, inner);
    }
    twCells *plain = cells_after(box_mesh(tw_vec3(0, 0, 0), size), &def, 1), *pores = cells_after(mesh, &def, 1);
    ENSURE(tw_cells_round(pores)->rigid_modes == 6 && tw_cells_round(pores)->pieces == 1);
    for (int k = 0; k < 4; k++)
        ENSURE_NEAR(tw_cells_round(pores)->freq_hz[k] / tw_cells_round(plain)->freq_hz[k], 1, 2e-3);
    tw_cells_destroy(plain);
    tw_cells_destroy(pores);
    return 0;
}

// two sheets that cross at 60 degrees, thinner than the rays are apart, are one body
static int thin_walls_that_cross_are_one(void)
{
    const twCellsDef def = def_of(NULL, 4);
    twMesh *mesh = box_mesh(tw_vec3(-0.05, -5e-5, 0), tw_vec3(0.1, 1e-4, 0.08)),
           *other = box_mesh(tw_vec3(-0.05, -5e-5, 0), tw_vec3(0.1, 1e-4, 0.08));
    for (int v = 0; v < other->vertex_count; v++)
    {
        const twVec3 p = other->vertices[v];
        other->vertices[v] = tw_vec3(0.5 * p.x - sqrt(0.75) * p.y, sqrt(0.75) * p.x + 0.5 * p.y, p.z);
    }
    join_mesh(mesh, other);
    twCells* cells = cells_after(mesh, &def, 1);
    ENSURE(tw_cells_round(cells)->rigid_modes == 6 && tw_cells_round(cells)->pieces == 1);
    tw_cells_destroy(cells);
    return 0;
}

// a comb, askew to its principal axes by its handle, whose cells hold several teeth
static int many_walls_in_a_cell_have_their_volume(void)
{
    const twCellsDef def = def_of(NULL, 4);
    twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.16, 0.02, 0.001));
    join_mesh(mesh, box_mesh(tw_vec3(0.14, -0.03, 0), tw_vec3(0.02, 0.04, 0.001)));
    for (int i = 0; i < 39; i++) join_mesh(mesh, box_mesh(tw_vec3(0.004 * i, 0.01, 0), tw_vec3(0.003, 0.07, 0.001)));
    double volume;
    twCells* cells = cells_after(mesh, &def, 1);
    tw_cells_mass(cells, &volume);
    ENSURE_NEAR(volume / (0.001 * (0.16 * 0.02 + 0.02 * 0.03 + 39 * 0.003 * 0.06)), 1, 5e-4);
    ENSURE(tw_cells_round(cells)->pieces == 1);
    tw_cells_destroy(cells);
    return 0;
}

// Two balls that share a neck of 2 % of their size: the first mode falls by 10 % and more in every round. The estimate says
// that it is not accurate, and where that comes from.
static int a_neck_that_converges_slowly_is_named(void)
{
    const twCellsDef def = def_of(NULL, 4);
    twMesh* mesh = mended(sphere_mesh(tw_vec3(0, 0, 0), 0.05, 12));
    join_mesh(mesh, mended(sphere_mesh(tw_vec3(0.0999, 0, 0), 0.05, 12)));
    twCells* balls = cells_after(mesh, &def, 0);
    double before = HUGE_VAL;
    for (int r = 0; r < 4; r++)
    {
        ENSURE(tw_cells_next(balls, NULL) == TW_OK);
        const twCellsRound* round = tw_cells_round(balls);
        ENSURE(round->freq_hz[0] < before / 1.1 && round->error[0] > 0.1 && round->slowest < 4);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(round->slowest_at, tw_vec3(0.04995, 0, 0))), 0, 0.02);
        before = round->freq_hz[0];
    }
    tw_cells_destroy(balls);
    return 0;
}

static int pieces_apart_are_bodies_of_their_own(void)
{
    const twCellsDef def = def_of(NULL, 6);
    twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.08, 0.06));
    join_mesh(mesh, box_mesh(tw_vec3(0.5, 0, 0), tw_vec3(0.1, 0.08, 0.06)));
    twCells* cells = cells_after(mesh, &def, 2);
    ENSURE(tw_cells_round(cells)->rigid_modes == 12 && tw_cells_round(cells)->pieces == 2);
    // each has the same modes
    for (int k = 0; k < 6; k += 2)
        ENSURE_NEAR(tw_cells_round(cells)->freq_hz[k] / tw_cells_round(cells)->freq_hz[k + 1], 1, 0.03);
    tw_cells_destroy(cells);
    return 0;
}

// ---- parts ----

static int a_held_bar_is_a_cantilever(void)
{
    const double l = 0.2, h = 0.01;
    const twCellsPart held = {
        .low = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, .high = {0.01, HUGE_VAL, HUGE_VAL}, .material = -1};
    twCellsPart parts[2] = {held, held};
    parts[1].low.x = 1, parts[1].high.x = 2;  // beside the bar
    twCellsDef def = def_of(NULL, 4);
    def.part_count = 2;
    def.parts = parts;
    twCells* cells = cells_after(box_mesh(tw_vec3(0, 0, 0), tw_vec3(l + 0.01, 2 * h, h)), &def, 2);
    ENSURE(tw_cells_holds(cells, 0) && !tw_cells_holds(cells, 1));
    const twCellsRound* round = tw_cells_round(cells);
    // f = (kl)^2 / (2 pi l^2) sqrt(E h^2 / (12 rho)), kl = 1.8751; a clamped solid end is stiffer by some of nu
    const double beam = 1.8751 * 1.8751 / (2 * TW_PI * l * l) * sqrt(steel.young * h * h / (12 * steel.density));
    ENSURE(round->rigid_modes == 0);
    ENSURE_NEAR(round->freq_hz[0] / beam, 1, 0.01);
    // what is held does not move, what is at the other end does
    const twVec3 ends[2] = {{0.005, h, 0.5 * h}, {l, h, 0.5 * h}};
    float shape[4 * 2 * 3];
    ENSURE(tw_cells_shapes(cells, ends, 2, shape, NULL) == TW_OK);
    ENSURE(shape[0] == 0 && shape[1] == 0 && shape[2] == 0 && fabs(shape[5]) > 0.1);
    tw_cells_destroy(cells);
    return 0;
}

// the held end is much thinner than rays are apart: one row of them would make a hinge of it
static int a_thin_sheet_held_by_its_end_is_clamped_in_the_first_round(void)
{
    const double l = 0.2, h = 0.001;
    const twCellsPart held = {
        .low = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, .high = {1e-5, HUGE_VAL, HUGE_VAL}, .material = -1};
    twCellsDef def = def_of(NULL, 4);
    def.part_count = 1;
    def.parts = &held;
    twCells* cells = cells_after(box_mesh(tw_vec3(0, 0, 0), tw_vec3(l, 0.025, h)), &def, 1);
    const double beam = 1.8751 * 1.8751 / (2 * TW_PI * l * l) * sqrt(steel.young * h * h / (12 * steel.density));
    ENSURE(tw_cells_round(cells)->rigid_modes == 0);
    ENSURE_NEAR(tw_cells_round(cells)->freq_hz[0] / beam, 1, 0.02);
    tw_cells_destroy(cells);
    return 0;
}

// a bar along x, half of it of another material, stretches: tan(w l/c1) / (Z1) = - tan(w l/c2) / Z2 in the middle
static int a_bar_of_two_materials_stretches_as_theory_says(void)
{
    const double l = 0.1;
    const twMaterial both[2] = {{.name = "a", .density = 7850, .young = 2e11},
                                {.name = "b", .density = 2700, .young = 7e10}};
    const twCellsPart half = {.low = {l, -HUGE_VAL, -HUGE_VAL}, .high = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, .material = 1};
    twCellsDef def = def_of(NULL, 12);
    def.material_count = 2;
    def.materials = both;
    def.part_count = 1;
    def.parts = &half;
    twCells* cells = cells_after(box_mesh(tw_vec3(0, 0, 0), tw_vec3(2 * l, 0.02, 0.02)), &def, 2);
    const twCellsRound* round = tw_cells_round(cells);
    double volume[2], low = 1000, high = 20000;
    const twMassProperties mass = tw_cells_mass(cells, volume);
    ENSURE_NEAR(volume[0] / (l * 0.0004), 1, 1e-6);
    ENSURE_NEAR(volume[1] / (l * 0.0004), 1, 1e-6);
    ENSURE_NEAR(mass.mass / (l * 0.0004 * (7850 + 2700)), 1, 1e-6);
    // first root of Z1 sin1 cos2 + Z2 sin2 cos1, Z = sqrt(E rho); nu is 0, so that this is exact
    const double z[2] = {sqrt(7850 * 2e11), sqrt(2700 * 7e10)}, c[2] = {sqrt(2e11 / 7850), sqrt(7e10 / 2700)};
    for (int i = 0; i < 60; i++)
    {
        const double f = 0.5 * (low + high), a = 2 * TW_PI * f * l / c[0], b = 2 * TW_PI * f * l / c[1];
        *(z[0] * sin(a) * cos(b) + z[1] * sin(b) * cos(a) > 0 ? &low : &high) = f;
    }
    double kinetic[24], elastic[24];
    ENSURE(tw_cells_energy(cells, kinetic, elastic, NULL) == TW_OK);
    bool found = false;
    for (int k = 0; k < round->count; k++)
    {
        found = found || fabs(round->freq_hz[k] / low - 1) < 2e-3;
        ENSURE_NEAR(kinetic[2 * k] + kinetic[2 * k + 1], 1, 1e-6);
        ENSURE_NEAR(elastic[2 * k] + elastic[2 * k + 1], 1, 1e-3);
    }
    ENSURE(found);
    tw_cells_destroy(cells);
    return 0;
}

// ---- shapes ----

// first bending of a free bar: the ends move by 2, the middle by -1.2157
static int shapes_are_those_of_the_bar(void)
{
    const double l = 0.4, h = 0.01;
    const twCellsDef def = def_of(NULL, 2);
    twCells* cells = cells_after(box_mesh(tw_vec3(0, 0, 0), tw_vec3(l, 2 * h, h)), &def, 2);
    const twVec3 points[3] = {{0, h, 0.5 * h}, {0.5 * l, h, 0.5 * h}, {l, h, 0.5 * h}};
    float shape[2 * 3 * 3];
    ENSURE(tw_cells_shapes(cells, points, 3, shape, NULL) == TW_OK);
    ENSURE_NEAR(shape[5] / shape[2], -1.2157 / 2, 3e-3);
    ENSURE_NEAR(shape[8] / shape[2], 1, 1e-3);
    // unit modal mass: the mean of the square of a free bar's mode is a quarter of that at its end
    ENSURE_NEAR(shape[2] * shape[2] * steel.density * l * 2 * h * h / 4, 1, 0.01);
    tw_cells_destroy(cells);
    return 0;
}

// f = (k l)^2 h sqrt(E/12 rho) / 2 pi l^2, in pairs; the void in a cell would stiffen a rod that is a small part of it
static int a_rod_of_any_slenderness_bends_as_theory_says(void)
{
    static const double kl[2] = {4.730040745, 7.853204624};
    const double slender[] = {500, 1500, 1900, 9000}, l = 1.5;
    for (int i = 0; i < 4; i++)
        for (int turn = 0; turn < 2; turn++)
        {
            const double h = l / slender[i], unit = h * sqrt(2e11 / (12 * 7850)) / (2 * TW_PI * l * l);
            const twCellsDef def = def_of(NULL, 4);
            twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(l, h, h));
            twCells* cells = cells_after(turn ? turned(mesh) : mesh, &def, 1);
            const twCellsRound* round = tw_cells_round(cells);
            for (int k = 0; k < 4; k++)
                ENSURE_NEAR(round->freq_hz[k] / (kl[k / 2] * kl[k / 2] * unit), 1, round->error[k]);
            tw_cells_destroy(cells);
        }
    twError err = {0};
    twCells* none;
    twMesh* wire = box_mesh(tw_vec3(0, 0, 0), tw_vec3(l, 1e-4, 1e-4));
    const twCellsDef def = def_of(wire, 4);
    ENSURE(tw_cells_create(&none, &def, &err) == TW_BAD_INPUT && !none && strstr(err.text, "15000 to 1"));
    tw_mesh_destroy(wire);
    return 0;
}

// ---- rounds ----

static int a_saved_body_goes_on_to_the_same_bits(void)
{
    const twCellsDef def = def_of(NULL, 8);
    twCells *straight = cells_after(angle_mesh(), &def, 3), *first = cells_after(angle_mesh(), &def, 2), *again;
    void* bytes;
    size_t count;
    ENSURE(tw_cells_save(&bytes, &count, first, NULL) == TW_OK);
    tw_cells_destroy(first);
    twMesh* mesh = angle_mesh();
    twCellsDef same = def;
    same.surface = mesh;
    ENSURE(tw_cells_load(&again, &same, bytes, count, NULL) == TW_OK && tw_cells_next(again, NULL) == TW_OK);
    ENSURE(tw_cells_round(again)->round == 2 &&
           tw_cells_round(again)->functions == tw_cells_round(straight)->functions);
    for (int k = 0; k < 8; k++) ENSURE(tw_cells_round(again)->freq_hz[k] == tw_cells_round(straight)->freq_hz[k]);
    tw_cells_destroy(again);
    tw_mesh_destroy(mesh);

    // bytes of another body, and spoiled ones, are refused
    mesh = cube_mesh();
    same.surface = mesh;
    ENSURE(tw_cells_load(&again, &same, bytes, count, NULL) == TW_BAD_INPUT && !again);
    ENSURE(tw_cells_load(&again, &same, bytes, count - 1, NULL) == TW_BAD_INPUT && !again);
    ENSURE(tw_cells_load(&again, &same, bytes, 3, NULL) == TW_BAD_INPUT && !again);
    tw_mesh_destroy(mesh);
    mesh = angle_mesh();
    same.surface = mesh;
    for (size_t i = 0; i < count; i += 4)
    {
        ((char*)bytes)[i] ^= 0x55;
        if (tw_cells_load(&again, &same, bytes, count, NULL) == TW_OK) tw_cells_destroy(again);
        ((char*)bytes)[i] ^= 0x55;
        if (i > 80) i += count / 3;
    }
    tw_mesh_destroy(mesh);
    free(bytes);
    tw_cells_destroy(straight);
    return 0;
}

static int a_budget_ends_the_rounds_and_leaves_the_last(void)
{
    twCellsDef def = def_of(NULL, 8);
    twCells *one = cells_after(angle_mesh(), &def, 1), *cells;
    def.max_operations = 1.5 * tw_cells_round(one)->operations;
    cells = cells_after(angle_mesh(), &def, 1);
    twError err;
    ENSURE(tw_cells_next(cells, &err) == TW_LIMIT);
    const twCellsRound* round = tw_cells_round(cells);
    ENSURE(round->round == 0 && round->next_operations > def.max_operations);
    ENSURE(round->freq_hz[0] == tw_cells_round(one)->freq_hz[0]);
    const twVec3 point = {0.1, 0.05, 0.005};
    float shape[2][8 * 3];
    ENSURE(tw_cells_shapes(cells, &point, 1, shape[0], NULL) == TW_OK &&
           tw_cells_shapes(one, &point, 1, shape[1], NULL) == TW_OK);
    for (int i = 0; i < 24; i++) ENSURE(shape[0][i] == shape[1][i]);
    tw_cells_destroy(cells);
    tw_cells_destroy(one);
    return 0;
}

// of all modes that are asked for, those up to the highest frequency: the last round knows how many
static int a_round_is_foreseen_by_the_modes_of_the_last(void)
{
    twCellsDef def = def_of(NULL, 8);
    twCells* few = cells_after(angle_mesh(), &def, 2);
    def.count = 300;
    def.max_freq_hz = 1.001 * tw_cells_round(few)->freq_hz[7];
    twCells* many = cells_after(angle_mesh(), &def, 2);
    ENSURE(tw_cells_round(many)->count == 8);
    ENSURE_NEAR(tw_cells_round(many)->foreseen_operations / tw_cells_round(few)->foreseen_operations, 1, 0.1);
    tw_cells_destroy(few);
    tw_cells_destroy(many);
    return 0;
}

static bool count_down(const char* stage, double done, void* context)
{
    int* left = context;
    return stage && done >= 0 && --*left > 0;
}

static int interruption_leaves_the_last_round(void)
{
    int left = 100000;
    twCellsDef def = def_of(NULL, 8);
    def.keep_going = count_down;
    def.context = &left;
    twCells* cells = cells_after(angle_mesh(), &def, 1);
    const double first = tw_cells_round(cells)->freq_hz[0];
    twStatus status = TW_INTERRUPTED;
    for (int calls = 1; calls < 1000 && status == TW_INTERRUPTED; calls += 3)
    {
        left = calls;
        status = tw_cells_next(cells, NULL);
        if (status == TW_INTERRUPTED)
            ENSURE(tw_cells_round(cells)->round == 0 && tw_cells_round(cells)->freq_hz[0] == first);
    }
    ENSURE(status == TW_OK && tw_cells_round(cells)->round == 1 && tw_cells_round(cells)->freq_hz[0] < first * 1.0003);
    tw_cells_destroy(cells);
    return 0;
}

// many times while a fine surface is cut, and with nothing left behind
static int cutting_can_be_interrupted(void)
{
    const int enough = 100000;
    int left = enough;
    twMesh* mesh = mended(sphere_mesh(tw_vec3(0, 0, 0), 0.05, 40));
    twCellsDef def = def_of(mesh, 8);
    twCells* cells;
    def.keep_going = count_down;
    def.context = &left;
    ENSURE(tw_cells_create(&cells, &def, NULL) == TW_OK);
    const int calls = enough - left;
    ENSURE(calls > 50);  // twice, if it were asked at the ends alone
    tw_cells_destroy(cells);
    for (int k = 1; k <= calls; k += calls / 9)
    {
        left = k;
        ENSURE(tw_cells_create(&cells, &def, NULL) == TW_INTERRUPTED && !cells);
    }
    tw_mesh_destroy(mesh);
    return 0;
}

static int what_encloses_nothing_is_refused(void)
{
    twCells* cells;
    twError err;
    twMesh* mesh = cube_mesh();
    twCellsDef def = def_of(mesh, 4);
    mesh->face_count = 1;
    ENSURE(tw_cells_create(&cells, &def, &err) == TW_BAD_INPUT && !cells && strstr(err.text, "no volume"));
    mesh->face_count = 0;
    ENSURE(tw_cells_create(&cells, &def, &err) == TW_BAD_INPUT && !cells && strstr(err.text, "no faces"));
    mesh->face_count = 12;
    const twCellsPart all = {.ball = true, .radius = 10, .material = -1};
    def.parts = &all;
    def.part_count = 1;
    ENSURE(tw_cells_create(&cells, &def, &err) == TW_BAD_INPUT && !cells && strstr(err.text, "held"));
    tw_mesh_destroy(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(functions_hold_all_polynomials_of_their_degree)
    RUN(functions_are_the_same_in_the_children_of_a_cube)
    RUN(products_of_slopes_are_summed_over_all_points)
    RUN(mass_and_inertia_are_those_of_the_body)
    RUN(overlapping_shells_are_one_body)
    RUN(a_ball_has_lambs_frequencies)
    RUN(a_turned_bar_bends_and_stretches_as_theory_says)
    RUN(a_rod_of_any_slenderness_bends_as_theory_says)
    RUN(frequencies_only_fall_and_not_below_the_estimate)
    RUN(functions_together_bend_a_thin_wall)
    RUN(a_slit_is_open_from_the_first_round_on)
    RUN(bars_side_by_side_are_two)
    RUN(small_voids_do_not_crack_a_body)
    RUN(thin_walls_that_cross_are_one)
    RUN(many_walls_in_a_cell_have_their_volume)
    RUN(a_neck_that_converges_slowly_is_named)
    RUN(pieces_apart_are_bodies_of_their_own)
    RUN(a_held_bar_is_a_cantilever)
    RUN(a_thin_sheet_held_by_its_end_is_clamped_in_the_first_round)
    RUN(a_bar_of_two_materials_stretches_as_theory_says)
    RUN(shapes_are_those_of_the_bar)
    RUN(a_saved_body_goes_on_to_the_same_bits)
    RUN(a_budget_ends_the_rounds_and_leaves_the_last)
    RUN(a_round_is_foreseen_by_the_modes_of_the_last)
    RUN(interruption_leaves_the_last_round)
    RUN(cutting_can_be_interrupted)
    RUN(what_encloses_nothing_is_refused)
)
