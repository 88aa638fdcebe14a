// SPDX-License-Identifier: MIT
// From a surface to modes, step by step: filled, curved, solved; against theory and against structured meshes.
#include "bodies.h"
#include "test.h"
#include "twang/fem.h"

enum
{
    COUNT = 10
};

// frequencies of a mesh of steel, which is taken
static bool solve(twTetMesh* tets, double freq_hz[COUNT])
{
    twError err = {0};
    twFemModes* modes = NULL;
    twFemDef def = tw_fem_def();
    def.tets = tets;
    def.material_count = 1;
    def.materials = tw_material_find("steel");
    def.count = COUNT;
    twStatus status = tets ? tw_fem_modes_create(&modes, &def, &err) : TW_BAD_INPUT;
    if (status != TW_OK) printf("%s\n", err.text);
    for (int k = 0; modes && k < COUNT; k++) freq_hz[k] = modes->freq_hz[k];
    bool free_body = modes && modes->rigid_modes == 6 && modes->count == COUNT;
    tw_fem_modes_destroy(modes);
    tw_tets_destroy(tets);
    return free_body;
}

static bool solve_filled(const twMesh* surface, double spacing, double stretch, double freq_hz[COUNT])
{
    twError err = {0};
    twTetMesh* tets;
    twFillDef def = tw_fill_def();
    def.spacing = spacing;
    def.stretch = stretch;
    twStatus status = tw_tets_fill(&tets, surface, &def, NULL, &err);
    if (status == TW_OK) status = tw_tets_curve(tets, surface, NULL, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    return solve(tets, freq_hz);
}

static bool solve_shape(const char* text, double edge, int through, double freq_hz[COUNT], twMesh** surface)
{
    twShape* shape;
    twTetMesh* tets = NULL;
    if (tw_shape_parse(&shape, text, NULL) != TW_OK) return false;
    twStatus status = tw_shape_tets(&tets, shape, edge, through, NULL);
    if (status == TW_OK) status = tw_shape_surface(surface, shape, edge, NULL);
    tw_shape_destroy(shape);
    return status == TW_OK && solve(tets, freq_hz);
}

// greatest of |a/b - 1|
static double worst(const double a[COUNT], const double b[COUNT])
{
    double most = 0;
    for (int k = 0; k < COUNT; k++) most = fmax(most, fabs(a[k] / b[k] - 1));
    return most;
}

// Lamb: five torsional and five spheroidal modes of l = 2, at 2.50113 and 2.64501 (nu = 0.29) times c_s/(2 pi R)
static int a_filled_sphere_has_lambs_modes(void)
{
    const twMaterial* steel = tw_material_find("steel");
    ENSURE_NEAR(steel->poisson, 0.29, 1e-12);
    double theory[COUNT], rough[COUNT], fine[COUNT];
    double shear = sqrt(steel->young / (2 * (1 + steel->poisson) * steel->density));
    twMesh* surface = sphere_mesh(tw_vec3(0, 0, 0), 0.045, 40);
    // facets lie within the sphere: of the same volume, it has 0.03 % less radius
    double radius = cbrt(tw_mesh_mass(surface, 1).volume * 3 / (4 * TW_PI));
    for (int k = 0; k < COUNT; k++) theory[k] = (k < 5 ? 2.50113 : 2.64501) * shear / (2 * TW_PI * radius);
    ENSURE(solve_filled(surface, 0.03, 1, rough) && solve_filled(surface, 0.02, 1, fine));
    ENSURE(worst(fine, theory) < 1e-3);
    // modes of one kind differ by less than 0.05 %
    ENSURE(fine[4] / fine[0] - 1 < 5e-4 && fine[9] / fine[5] - 1 < 5e-4);
    // h^3 at least: the difference of two lattices tells the error of the finer one
    ENSURE(worst(fine, theory) < 2 * worst(rough, fine) / (pow(1.5, 3) - 1));
    tw_mesh_destroy(surface);
    return 0;
}

static int a_filled_box_and_bar_sound_like_their_shapes(void)
{
    double shape[COUNT], filled[COUNT];
    twMesh* surface;
    ENSURE(solve_shape("box:0.1x0.08x0.06", 0.0101, 3, shape, &surface));
    ENSURE(solve_filled(surface, 0.015, 1, filled));
    ENSURE(worst(filled, shape) < 1e-3);
    tw_mesh_destroy(surface);
    ENSURE(solve_shape("bar:0.2x0.02x0.02", 0.006, 4, shape, &surface));
    ENSURE(solve_filled(surface, 0.0067, 1, filled));
    ENSURE(worst(filled, shape) < 2e-3);
    tw_mesh_destroy(surface);
    return 0;
}

// one cell through, twice as long as thick
static int a_filled_plate_sounds_like_its_shape(void)
{
    double shape[COUNT], filled[COUNT];
    twMesh* surface;
    ENSURE(solve_shape("plate:0.1x0.08x0.002", 0.004, 2, shape, &surface));
    ENSURE(solve_filled(surface, 0.002, 2, filled));
    ENSURE(worst(filled, shape) < 3e-3);
    tw_mesh_destroy(surface);
    return 0;
}

// concave edges off the lattice: a cup and an L, two lattices apart by less than the estimate allows
static int filled_bodies_with_inner_edges_converge(void)
{
    for (int i = 0; i < 2; i++)
    {
        double rough[COUNT], fine[COUNT];
        twMesh* surface = body_mesh(i ? CUP : ANGLE);
        ENSURE(solve_filled(surface, 0.02, 1, rough) && solve_filled(surface, 0.0133, 1, fine));
        for (int k = 0; k < COUNT; k++) ENSURE(fine[k] < 1.0005 * rough[k] && fine[k] > 0.96 * rough[k]);
        tw_mesh_destroy(surface);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_filled_sphere_has_lambs_modes)
    RUN(a_filled_box_and_bar_sound_like_their_shapes)
    RUN(a_filled_plate_sounds_like_its_shape)
    RUN(filled_bodies_with_inner_edges_converge)
)
