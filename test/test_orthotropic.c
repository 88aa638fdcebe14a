// SPDX-License-Identifier: MIT
// Orthotropic solids: constants and rotation, bars cut along, across and at an angle to the grain against closed forms,
// plates, and the three solvers against each other.
#include "fem.h"
#include "fem/element.h"
#include "shell.h"
#include "twang/cells.h"
#include "twang/shell.h"

static const twMaterial* spruce(void) { return tw_material_find("sitka-spruce"); }

// columns along, radial, and across both
static twMat3 axes_of(twVec3 along, twVec3 radial)
{
    twMat3 axes;
    const twFibre fibre = {along, radial};
    if (tw_fibre_axes(&axes, &fibre, tw_vec3(1, 1, 1), NULL) != TW_OK) printf("unexpected: no axes\n");
    return axes;
}

// L, R, T along the axes with these numbers
static twMat3 axes_along(int l, int r)
{
    return axes_of(tw_vec3(l == 0, l == 1, l == 2), tw_vec3(r == 0, r == 1, r == 2));
}

static twMat3 oblique(void) { return axes_of(tw_vec3(0.6, 0.3, -0.4), tw_vec3(0.2, 1, 0.5)); }

// ---- constants ----

// the compliance, from its definition
static void compliance(double s[6][6], const twMaterial* m)
{
    const twOrthotropy o = tw_material_orthotropy(m);
    const double e[3] = {m->young, o.young[0], o.young[1]};
    memset(s, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++) s[i][i] = 1 / e[i];
    s[0][1] = s[1][0] = -o.poisson[0] / e[0];
    s[0][2] = s[2][0] = -o.poisson[1] / e[0];
    s[1][2] = s[2][1] = -o.poisson[2] / e[1];
    s[3][3] = 1 / o.shear[2], s[4][4] = 1 / o.shear[1], s[5][5] = 1 / o.shear[0];
}

static int stiffness_is_the_inverse_of_the_compliance(void)
{
    int count;
    const twMaterial* all = tw_materials(&count);
    for (int k = 0; k < count; k++)
    {
        double s[6][6], c[6][6];
        compliance(s, &all[k]);
        tw_material_stiffness(c, &all[k]);
        ENSURE(tw_material_check(&all[k], NULL) == TW_OK);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
            {
                double sum = 0;
                for (int n = 0; n < 6; n++) sum += s[i][n] * c[n][j];
                ENSURE_NEAR(sum, i == j, 1e-11);
            }
    }
    return 0;
}

static int equal_constants_are_isotropic(void)
{
    twMaterial m = aluminium;
    double c[6][6], d[6][6];
    tw_material_stiffness(c, &aluminium);
    m.orthotropy.young[0] = m.young;
    ENSURE(tw_material_is_orthotropic(&m) && !tw_material_is_orthotropic(&aluminium));
    tw_material_stiffness(d, &m);
    for (int i = 0; i < 36; i++) ENSURE_NEAR(d[i / 6][i % 6], c[i / 6][i % 6], 1e-12 * c[0][0]);
    tw_stiffness_rotate(d, c, oblique());
    for (int i = 0; i < 36; i++) ENSURE_NEAR(d[i / 6][i % 6], c[i / 6][i % 6], 1e-12 * c[0][0]);
    return 0;
}

// C_ijkl a_i b_j c_k d_l of a material with its axes in space, by definition
static double tensor(double c[6][6], twMat3 axes, const int at[4])
{
    static const int voigt[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    double sum = 0;
    for (int i = 0; i < 81; i++)
    {
        const int a = i % 3, b = i / 3 % 3, e = i / 9 % 3, f = i / 27;
        sum += axes.m[at[0]][a] * axes.m[at[1]][b] * axes.m[at[2]][e] * axes.m[at[3]][f] * c[voigt[a][b]][voigt[e][f]];
    }
    return sum;
}

static int rotation_is_that_of_a_tensor(void)
{
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    double c[6][6], d[6][6], back[6][6];
    tw_material_stiffness(c, spruce());
    tw_stiffness_rotate(d, c, oblique());
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
        {
            const int at[4] = {pair[i][0], pair[i][1], pair[j][0], pair[j][1]};
            ENSURE_NEAR(d[i][j], tensor(c, oblique(), at), 1e-12 * c[0][0]);
            ENSURE(d[i][j] == d[j][i]);
        }
    ENSURE(fabs(d[0][0] - c[0][0]) > 0.1 * c[0][0]);
    tw_stiffness_rotate(back, d, tw_mat3_transpose(oblique()));
    for (int i = 0; i < 36; i++) ENSURE_NEAR(back[i / 6][i % 6], c[i / 6][i % 6], 1e-12 * c[0][0]);
    return 0;
}

static bool refused(const twMaterial* m, const char* words)
{
    twError err = {TW_OK, ""};
    const bool right = tw_material_check(m, &err) == TW_BAD_INPUT && strstr(err.text, words);
    if (!right) printf("not '%s': %s\n", words, err.text);
    return right;
}

static int constants_out_of_range_are_named(void)
{
    twMaterial m = *spruce();
    m.orthotropy.young[1] = -1;
    ENSURE(refused(&m, "E_T = -1"));
    m = *spruce();
    m.orthotropy.shear[2] = -5;
    ENSURE(refused(&m, "G_RT = -5"));
    m = *spruce();
    m.orthotropy.poisson[2] = 1.4;
    ENSURE(refused(&m, "nu_RT = 1.4"));
    m = *spruce();
    m.orthotropy.poisson[1] = 4.9;
    ENSURE(refused(&m, "nu_LT = 4.9 must be between -4.822 and 4.822"));
    m = *spruce();
    m.orthotropy.poisson[1] = 4.4;
    ENSURE(refused(&m, "too large together"));
    m = *spruce();
    m.young = 0;
    ENSURE(refused(&m, "E_L = 0"));
    return 0;
}

static int axes_follow_the_box_unless_given(void)
{
    twMat3 axes;
    twFibre none = {0};
    ENSURE(tw_fibre_axes(&axes, &none, tw_vec3(0.02, 0.3, 0.1), NULL) == TW_OK);
    ENSURE(axes.m[1][0] == 1 && fabs(axes.m[2][1]) == 1 && fabs(axes.m[0][2]) == 1);
    ENSURE(tw_fibre_axes(&axes, &none, tw_vec3(1, 1 + 1e-9, 1), NULL) == TW_OK);
    ENSURE(axes.m[0][0] == 1 && fabs(axes.m[1][1]) == 1);
    // along the shortest side: the next one is tangential
    const twFibre thin = {.along = {2, 0, 0}};
    ENSURE(tw_fibre_axes(&axes, &thin, tw_vec3(0.02, 0.3, 0.1), NULL) == TW_OK);
    ENSURE(axes.m[0][0] == 1 && fabs(axes.m[1][1]) == 1 && fabs(axes.m[2][2]) == 1);
    twError err;
    const twFibre flat = {.along = {1, 1, 0}, .radial = {-2, -2, 0}};
    ENSURE(tw_fibre_axes(&axes, &flat, tw_vec3(1, 1, 1), &err) == TW_BAD_INPUT && strstr(err.text, "across"));
    ENSURE_NEAR(tw_mat3_det(oblique()), 1, 1e-14);
    return 0;
}

// ---- bars ----

typedef struct Bar
{
    int along, across;  // elements
    double a, b, c;     // sides along x, y, z [m]
} Bar;

// how much of a mode is stretching along x, and how much is torsion about it
static void kind_of(const twFemModes* modes, const twTetMesh* mesh, const Bar* bar, int k, double* stretch,
                    double* twist)
{
    double along = 0, all = 0, turn = 0, arms = 0;
    for (int n = 0; n < mesh->node_count; n++)
    {
        const double* u = modes->shape + 3 * ((size_t)k * (size_t)modes->node_count + (size_t)n);
        const double x = mesh->nodes[n].x - 0.5 * bar->a, y = mesh->nodes[n].y - 0.5 * bar->b,
                     z = mesh->nodes[n].z - 0.5 * bar->c;
        along += u[0] * u[0];
        all += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        turn += x * (y * u[2] - z * u[1]);
        arms += x * x * (y * y + z * z);
    }
    *stretch = along / all;
    *twist = turn * turn / (arms * all);
}

typedef struct Found
{
    double first, stretch, twist;  // [Hz]; 0: not among the modes
} Found;

static Found bar_modes(const Bar* bar, const twMaterial* material, twMat3 fibre, int count)
{
    Found found = {0};
    twTetMesh* mesh = box_mesh(bar->along, bar->across, bar->across, bar->a, bar->b, bar->c, true);
    twFemDef def = def_of(mesh, material, count);
    def.fibre = fibre;
    twFemModes* modes = modes_of(&def);
    for (int k = 0; modes && k < modes->count; k++)
    {
        double stretch, twist;
        kind_of(modes, mesh, bar, k, &stretch, &twist);
        if (k == 0) found.first = modes->freq_hz[k];
        if (found.stretch == 0 && stretch > 0.9) found.stretch = modes->freq_hz[k];
        if (found.twist == 0 && twist > 0.5) found.twist = modes->freq_hz[k];
    }
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return found;
}

// first bending frequency of a free slender bar (Euler and Bernoulli)
static double bending(double young, double density, double length, double height)
{
    return 22.3733 / (2 * TW_PI) * height / (length * length) * sqrt(young / (12 * density));
}

static int slender_bars_bend_by_the_modulus_along_them(void)
{
    const twMaterial* m = spruce();
    const double young[3] = {m->young, m->orthotropy.young[0], m->orthotropy.young[1]};
    const Bar bar = {32, 1, 0.4, 0.008, 0.004};
    double freq[3];
    // L, R or T along the bar
    const twMat3 fibre[3] = {axes_along(0, 1), axes_along(1, 0), axes_along(1, 2)};
    for (int i = 0; i < 3; i++)
    {
        freq[i] = bar_modes(&bar, m, fibre[i], 2).first;
        ENSURE_NEAR(freq[i] / bending(young[i], m->density, bar.a, bar.c), 1, 5e-3);
    }
    ENSURE_NEAR(freq[0] / freq[2] / sqrt(young[0] / young[2]), 1, 5e-3);
    return 0;
}

static int bars_stretch_at_the_speed_of_sound_along_them(void)
{
    const twMaterial* m = spruce();
    const double young[3] = {m->young, m->orthotropy.young[0], m->orthotropy.young[1]};
    const Bar bar = {24, 2, 0.4, 0.02, 0.02};
    const twMat3 fibre[3] = {axes_along(0, 1), axes_along(1, 0), axes_along(1, 2)};
    for (int i = 0; i < 3; i++)
        ENSURE_NEAR(bar_modes(&bar, m, fibre[i], 32).stretch / (sqrt(young[i] / m->density) / (2 * bar.a)), 1, 3e-3);
    return 0;
}

// 1/E of a bar at an angle to the grain, in the plane LT
static int a_bar_at_an_angle_to_the_grain_has_the_modulus_of_that_angle(void)
{
    const twMaterial* m = spruce();
    const twOrthotropy o = tw_material_orthotropy(m);
    const Bar bar = {40, 2, 0.4, 0.01, 0.01};
    for (int k = 1; k < 3; k++)
    {
        const double angle = k * TW_PI / 8, c = cos(angle), s = sin(angle);
        const double inverse = pow(c, 4) / m->young + pow(s, 4) / o.young[1] +
                               c * c * s * s * (1 / o.shear[1] - 2 * o.poisson[1] / m->young);
        const twMat3 fibre = axes_of(tw_vec3(c, s, 0), tw_vec3(0, 0, 1));
        const double speed = bar_modes(&bar, m, fibre, 48).stretch * 2 * bar.a;
        ENSURE_NEAR(speed / sqrt(1 / (inverse * m->density)), 1, 5e-3);
    }
    return 0;
}

// Saint-Venant's torsion of an orthotropic rectangle is that of an isotropic one with its sides stretched by the roots of
// the shear moduli (Lekhnitskii): here a square, with the constant 0.140577 of its side^4.
static int bars_twist_by_both_shear_moduli(void)
{
    const twMaterial* m = spruce();
    const twOrthotropy o = tw_material_orthotropy(m);
    // bar along T with L along y and R along z, then along L with R along y
    const double in_y[2] = {o.shear[1], o.shear[0]}, in_z[2] = {o.shear[2], o.shear[1]};
    const twMat3 fibre[2] = {axes_along(1, 2), axes_along(0, 1)};
    for (int i = 0; i < 2; i++)
    {
        // of shear stresses xy and xz: b sqrt(G_xz) = c sqrt(G_xy)
        const double wide = 0.02 * sqrt(sqrt(in_y[i] / in_z[i])), b = wide, c = 0.02 * 0.02 / wide;
        const Bar bar = {32, 3, 0.6, b, c};
        const double side = b * sqrt(in_z[i]), rigidity = 0.140577 * pow(side, 4) / sqrt(in_y[i] * in_z[i]);
        const double inertia = m->density * b * c * (b * b + c * c) / 12;
        const double exact = sqrt(rigidity / inertia) / (2 * bar.a);
        ENSURE_NEAR(bar_modes(&bar, m, fibre[i], 40).twist / exact, 1, 1e-2);
    }
    return 0;
}

// ---- invariance ----

static int turned_bodies_with_turned_grain_sound_the_same(void)
{
    const twMat3 turn = oblique(), fibre = axes_of(tw_vec3(1, 0.5, 0.2), tw_vec3(0, 1, 0));
    twTetMesh* mesh = box_mesh(4, 3, 2, 0.1, 0.07, 0.04, true);
    twFemDef def = def_of(mesh, spruce(), 12);
    def.fibre = fibre;
    twFemModes* before = modes_of(&def);
    for (int i = 0; i < mesh->node_count; i++) mesh->nodes[i] = tw_mat3_mul_vec(turn, mesh->nodes[i]);
    def.fibre = tw_mat3_mul(turn, fibre);
    twFemModes* after = modes_of(&def);
    def.fibre = fibre;
    twFemModes* wrong = modes_of(&def);
    double off = 0;
    for (int k = 0; k < 12; k++)
    {
        ENSURE_NEAR(after->freq_hz[k] / before->freq_hz[k], 1, 1e-9);
        off = fmax(off, fabs(wrong->freq_hz[k] / before->freq_hz[k] - 1));
    }
    ENSURE(off > 0.05);
    tw_fem_modes_destroy(before);
    tw_fem_modes_destroy(after);
    tw_fem_modes_destroy(wrong);
    grid_free(mesh);
    return 0;
}

static int equal_constants_give_the_modes_of_an_isotropic_body(void)
{
    twTetMesh* mesh = box_mesh(4, 3, 2, 0.1, 0.07, 0.04, true);
    twMaterial same = aluminium;
    same.orthotropy.young[0] = same.orthotropy.young[1] = same.young;
    twFemDef def = def_of(mesh, &aluminium, 12), other = def_of(mesh, &same, 12);
    other.fibre = oblique();
    twFemModes *a = modes_of(&def), *b = modes_of(&other);
    for (int k = 0; k < 12; k++) ENSURE_NEAR(a->freq_hz[k] / b->freq_hz[k], 1, 1e-10);
    tw_fem_modes_destroy(a);
    tw_fem_modes_destroy(b);
    grid_free(mesh);
    return 0;
}

// elastic shares of two halves sum to the energy w^2 of the mode, which the element alone would not know
static int energies_are_those_of_the_orthotropic_elements(void)
{
    twTetMesh* mesh = box_mesh(4, 3, 2, 0.1, 0.07, 0.04, true);
    twFemDef def = def_of(mesh, spruce(), 6);
    def.fibre = oblique();
    twFemModes* modes = modes_of(&def);
    double kinetic[6], elastic[6], sum[6] = {0};
    for (int t = 0; t < mesh->tet_count; t++)
    {
        tw_fem_tet_energy(modes, &def, t, kinetic, elastic);
        for (int k = 0; k < 6; k++) sum[k] += elastic[k];
    }
    for (int k = 0; k < 6; k++) ENSURE_NEAR(sum[k], 1, 1e-8);
    def.fibre = axes_along(0, 1);
    double wrong = 0;
    for (int t = 0; t < mesh->tet_count; t++)
    {
        tw_fem_tet_energy(modes, &def, t, kinetic, elastic);
        wrong += elastic[0];
    }
    ENSURE(fabs(wrong - 1) > 0.05);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

// ---- other solvers ----

static int cells_agree_with_tets(void)
{
    enum
    {
        MODES = 8
    };
    twError err = {0};
    twShape* shape;
    twMesh* surface;
    twTetMesh* mesh = box_mesh(12, 9, 6, 0.1, 0.07, 0.04, true);
    twFemDef def = def_of(mesh, spruce(), MODES);
    def.fibre = axes_of(tw_vec3(1, 0.6, 0.3), tw_vec3(0, 1, 0));
    twFemModes* exact = modes_of(&def);
    ENSURE(tw_shape_parse(&shape, "box:0.1x0.07x0.04", &err) == TW_OK);
    ENSURE(tw_shape_surface(&surface, shape, 0.02, &err) == TW_OK);
    // of another attitude: the grid turns with the body, the grain with both
    const twMat3 turn = axes_of(tw_vec3(1, 0.2, 0.3), tw_vec3(0.3, 1, -0.5));
    for (int i = 0; i < surface->vertex_count; i++) surface->vertices[i] = tw_mat3_mul_vec(turn, surface->vertices[i]);
    twCellsDef want = tw_cells_def();
    want.surface = surface;
    want.material_count = 1;
    want.materials = spruce();
    want.count = MODES;
    want.fibre = tw_mat3_mul(turn, def.fibre);
    twCells* cells;
    ENSURE(tw_cells_create(&cells, &want, &err) == TW_OK);
    for (int round = 0; round < 2; round++) ENSURE(tw_cells_next(cells, &err) == TW_OK);
    for (int k = 0; k < MODES; k++) ENSURE_NEAR(tw_cells_round(cells)->freq_hz[k] / exact->freq_hz[k], 1, 3e-3);
    tw_cells_destroy(cells);
    tw_mesh_destroy(surface);
    tw_shape_destroy(shape);
    tw_fem_modes_destroy(exact);
    grid_free(mesh);
    return 0;
}

// A plate of 0.3 x 0.1 m. Of modes that bend it along x alone the first is that of a bar of the modulus along x, within
// E and E/(1 - nu nu') (McIntyre and Woodhouse, On measuring the elastic and damping constants of orthotropic sheet materials,
// 1988); shells and solid elements agree.
static int check_plate(twMat3 fibre, double young, int which)
{
    const twMaterial* m = spruce();
    const double thick = 0.002;
    twMesh* plate = shell_plate(18, 6, 0.3, 0.1, 0);
    twTetMesh* solid = box_mesh(48, 16, 1, 0.3, 0.1, thick, true);
    twShellDef def = tw_shell_def();
    def.surface = plate;
    def.thickness = thick;
    def.material_count = 1;
    def.materials = m;
    def.fibre = fibre;
    def.count = 6;
    def.accuracy = 0.01;
    twFemDef fem = def_of(solid, m, 6);
    fem.fibre = fibre;
    twError err = {0};
    twShellModes* modes;
    if (tw_shell_modes_create(&modes, &def, &err) != TW_OK) printf("unexpected: %s\n", err.text);
    ENSURE(modes);
    twFemModes* exact = modes_of(&fem);
    ENSURE_NEAR(modes->freq_hz[which] / bending(young, m->density, 0.3, thick), 1, 0.01);
    for (int k = 0; k < 6; k++) ENSURE_NEAR(modes->freq_hz[k] / exact->freq_hz[k], 1, 0.01);
    tw_fem_modes_destroy(exact);
    tw_shell_modes_destroy(modes);
    grid_free(solid);
    tw_mesh_destroy(plate);
    return 0;
}

static int plates_bend_by_the_grain(void)
{
    const twMaterial* m = spruce();
    return check_plate(axes_along(0, 1), m->young, 1) || check_plate(axes_along(1, 0), m->orthotropy.young[0], 0);
}

// with the grain at an angle to the plate, in its plane and out of it
static int shells_take_any_direction_of_the_grain(void)
{
    const twMaterial* m = spruce();
    const twMat3 fibre = axes_of(tw_vec3(1, 0.7, 0.3), tw_vec3(0, 1, 0.1));
    const double thick = 0.002;
    const twMat3 turn = oblique();
    twMesh* plate = shell_plate(12, 8, 0.2, 0.12, 0);
    for (int i = 0; i < plate->vertex_count; i++) plate->vertices[i] = tw_mat3_mul_vec(turn, plate->vertices[i]);
    twTetMesh* solid = box_mesh(24, 14, 1, 0.2, 0.12, thick, true);
    twShellDef def = tw_shell_def();
    def.surface = plate;
    def.thickness = thick;
    def.material_count = 1;
    def.materials = m;
    def.fibre = tw_mat3_mul(turn, fibre);
    def.count = 6;
    def.accuracy = 0.01;
    twFemDef fem = def_of(solid, m, 6);
    fem.fibre = fibre;
    twShellModes* modes;
    ENSURE(tw_shell_modes_create(&modes, &def, NULL) == TW_OK);
    twFemModes* exact = modes_of(&fem);
    for (int k = 0; k < 6; k++) ENSURE_NEAR(modes->freq_hz[k] / exact->freq_hz[k], 1, 0.01);
    tw_fem_modes_destroy(exact);
    tw_shell_modes_destroy(modes);
    grid_free(solid);
    tw_mesh_destroy(plate);
    return 0;
}

static int wrong_axes_are_refused(void)
{
    twTetMesh* mesh = box_mesh(1, 1, 1, 1, 1, 1, true);
    twFemDef def = def_of(mesh, spruce(), 1);
    twFemModes* modes;
    twError err;
    def.fibre = tw_mat3_scale(tw_mat3_identity(), 2);
    ENSURE(tw_fem_modes_create(&modes, &def, &err) == TW_BAD_INPUT && strstr(err.text, "perpendicular unit vectors"));
    grid_free(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(stiffness_is_the_inverse_of_the_compliance)
    RUN(equal_constants_are_isotropic)
    RUN(rotation_is_that_of_a_tensor)
    RUN(constants_out_of_range_are_named)
    RUN(axes_follow_the_box_unless_given)
    RUN(slender_bars_bend_by_the_modulus_along_them)
    RUN(bars_stretch_at_the_speed_of_sound_along_them)
    RUN(a_bar_at_an_angle_to_the_grain_has_the_modulus_of_that_angle)
    RUN(bars_twist_by_both_shear_moduli)
    RUN(turned_bodies_with_turned_grain_sound_the_same)
    RUN(equal_constants_give_the_modes_of_an_isotropic_body)
    RUN(energies_are_those_of_the_orthotropic_elements)
    RUN(cells_agree_with_tets)
    RUN(plates_bend_by_the_grain)
    RUN(shells_take_any_direction_of_the_grain)
    RUN(wrong_axes_are_refused)
)
