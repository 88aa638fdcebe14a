// SPDX-License-Identifier: MIT
// Shells: patch tests, plates against Ritz and Mindlin, bodies of revolution against
// three-dimensional elasticity, welded parts, held edges.
#include "fem/lapack.h"
#include "fem/shell_surface.h"
#include "mesh.h"
#include "shell_modes.h"

// ---- helpers ----

// turn a mesh out of its plane, so that no axis is special
static void tilt(twMesh* mesh)
{
    const twQuat q = tw_quat_normalize(tw_quat(0.7, 0.2, -0.5, 0.4));
    for (int v = 0; v < mesh->vertex_count; v++) mesh->vertices[v] = tw_quat_rotate(q, mesh->vertices[v]);
}

// frequency of a thin plate of side a, by its eigenvalue
static double plate_hz(double eigenvalue, double side, double thickness)
{
    const double rigidity = 2e11 * pow(thickness, 3) / (12 * (1 - 0.09));
    return eigenvalue * sqrt(rigidity / (7850 * thickness)) / (2 * TW_PI * side * side);
}

// ---- patch tests ----

// displacement and rotation at a place of the plane
typedef void (*Motion)(twVec3* u, twVec3* theta, twVec3 x);

// forces (vertices x 6) and energy of a motion, given before the mesh is tilted; no edge counts as
// free
static double forces_of(const twMesh* mesh, const ShellPly* ply, Motion motion, double* force)
{
    const twQuat q = tw_quat_normalize(tw_quat(0.7, 0.2, -0.5, 0.4));
    double energy = 0;
    for (int f = 0; f < mesh->face_count; f++)
    {
        ShellElement e;
        twVec3 x[3];
        double at[6][3];
        for (int i = 0; i < 3; i++)
        {
            twVec3 u, theta;
            const twVec3 flat = mesh->vertices[mesh->faces[f].v[i]];
            motion(&u, &theta, flat);
            x[i] = tw_quat_rotate(q, flat);
            u = tw_quat_rotate(q, u);
            theta = tw_quat_rotate(q, theta);
            memcpy(at[2 * i], &u, sizeof u);
            memcpy(at[2 * i + 1], &theta, sizeof theta);
        }
        if (!shell_element(&e, x, ply, (const bool[3]){false, false, false})) return NAN;
        for (int p = 0; p < 6; p++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 18; c++)
                {
                    const double part = e.k[p][c / 3][3 * r + c % 3] * at[c / 3][c % 3];
                    force[6 * mesh->faces[f].v[p / 2] + 3 * (p % 2) + r] += part;
                    energy += 0.5 * at[p][r] * part;
                }
    }
    return energy;
}

// largest force on a vertex inside a plate of n x n, over the largest of all
static double force_inside(const double* force, int n)
{
    double inside = 0, all = 0;
    for (int v = 0; v < (n + 1) * (n + 1); v++)
        for (int i = 0; i < 6; i++)
        {
            const int column = v % (n + 1), row = v / (n + 1);
            all = fmax(all, fabs(force[6 * v + i]));
            if (column > 0 && row > 0 && column < n && row < n) inside = fmax(inside, fabs(force[6 * v + i]));
        }
    return inside / all;
}

static void stretch(twVec3* u, twVec3* theta, twVec3 x)
{
    *u = tw_vec3(1e-3 * x.x + 3e-4 * x.y, -2e-4 * x.y + 5e-4 * x.x, 0);
    *theta = tw_vec3(0, 0, 0.5 * (5e-4 - 3e-4));
}

// w = (a x^2 + b y^2)/2 + c x y, rotation (w,y  -w,x  0)
static void bend(twVec3* u, twVec3* theta, twVec3 x)
{
    const double a = 0.3, b = -0.2, c = 0.4;
    *u = tw_vec3(0, 0, 0.5 * (a * x.x * x.x + b * x.y * x.y) + c * x.x * x.y);
    *theta = tw_vec3(b * x.y + c * x.x, -(a * x.x + c * x.y), 0);
}

static int constant_stretch_and_bending_are_exact(void)
{
    enum
    {
        N = 5
    };
    twMesh* mesh = shell_plate(N, N, 0.2, 0.2, 0.3);
    for (int k = 0; k < 3; k++)
    {
        const double t = 0.2 * pow(10, -1.0 - k), nu = 0.3, young = 2e11, c = young / (1 - nu * nu);
        const ShellPly ply = {.thickness = t, .young = young, .poisson = nu, .density = 7850};
        double force[6 * (N + 1) * (N + 1)] = {0};
        const double stretched = forces_of(mesh, &ply, stretch, force);
        ENSURE(force_inside(force, N) < 1e-10);
        const double xx = 1e-3, yy = -2e-4, xy = 8e-4;
        const double membrane = 0.5 * c * t * 0.04 * (xx * xx + yy * yy + 2 * nu * xx * yy + 0.5 * (1 - nu) * xy * xy);
        ENSURE_NEAR(stretched / membrane, 1, 1e-10);

        memset(force, 0, sizeof force);
        const double bent = forces_of(mesh, &ply, bend, force);
        ENSURE(force_inside(force, N) < 1e-9);
        const double kx = 0.3, ky = -0.2, kxy = 0.8;
        const double plate =
            0.5 * c * t * t * t / 12 * 0.04 * (kx * kx + ky * ky + 2 * nu * kx * ky + 0.5 * (1 - nu) * kxy * kxy);
        ENSURE_NEAR(bent / plate, 1, 1e-9);
    }
    tw_mesh_destroy(mesh);
    return 0;
}

// a strip bent in its plane to the curvature 0.1
static void swing(twVec3* u, twVec3* theta, twVec3 x)
{
    const double k = 0.1;
    *u = tw_vec3(-k * x.x * x.y, 0.5 * k * x.x * x.x + 0.5 * 0.3 * k * x.y * x.y, 0);
    *theta = tw_vec3(0, 0, k * x.x);
}

static int bending_in_the_plane_does_not_lock(void)
{
    // one row of rectangles: exact, however long they are
    for (int n = 2; n <= 16; n *= 2)
    {
        twMesh* mesh = shell_plate(n, 1, 0.4, 0.05, 0);
        const ShellPly ply = {.thickness = 0.001, .young = 2e11, .poisson = 0.3, .density = 7850};
        double force[6 * 2 * 17] = {0};
        const double exact = 0.5 * 2e11 * 0.001 * pow(0.05, 3) / 12 * 0.01 * 0.4;
        ENSURE_NEAR(forces_of(mesh, &ply, swing, force) / exact, 1, 0.02);
        tw_mesh_destroy(mesh);
    }
    return 0;
}

static int rigid_motions_have_no_energy(void)
{
    // also of a plate whose drilling rotations nothing but the membrane holds
    twMesh* bodies[] = {shell_hemisphere(0.07, 32), shell_plate(6, 6, 0.2, 0.2, 0.3), shell_teapot(24)};
    const double thickness[] = {0.004, 0.0002, 0.002};
    for (int i = 0; i < 3; i++)
    {
        tilt(bodies[i]);
        twShellDef def = shell_def_of(bodies[i], thickness[i], 6);
        def.accuracy = 0.9;
        twShellModes* modes = shell_modes_of(&def);
        ENSURE(modes && modes->count == 6 && modes->rigid_modes == 6);
        // drilling alone must not be a mode
        ENSURE(modes->freq_hz[0] > 1);
        tw_shell_modes_destroy(modes);
        tw_mesh_destroy(bodies[i]);
    }
    return 0;
}

// ---- plates ----

// Ritz, free, nu = 0.3: see test_reference.c
static const double free_square[12] = {13.4682, 19.5961, 24.2702, 34.8009, 34.8009,  61.0932,
                                       61.0932, 63.6861, 69.2654, 77.1717, 105.4604, 105.4604};

static double plate_error(int n, double irregular, double t, int count)
{
    double freq[12] = {0}, worst = 0;
    twMesh* mesh = shell_plate(n, n, 0.2, 0.2, irregular);
    tilt(mesh);
    if (shell_modes_as_is(mesh, t, NULL, count, freq) < count) worst = NAN;
    for (int k = 0; k < count; k++) worst = fmax(worst, fabs(freq[k] / plate_hz(free_square[k], 0.2, t) - 1));
    tw_mesh_destroy(mesh);
    return worst;
}

static int thin_plate_is_good_to_0_3_percent_with_1000_vertices(void)
{
    ENSURE(plate_error(32, 0, 2e-5, 12) < 0.003);
    ENSURE(plate_error(32, 0.25, 2e-5, 12) < 0.003);
    return 0;
}

static int plate_converges_with_order_2_and_does_not_lock(void)
{
    for (int k = 0; k < 2; k++)
    {
        const double t = k == 0 ? 2e-4 : 2e-6, coarse = plate_error(8, 0.25, t, 6), fine = plate_error(16, 0.25, t, 6);
        ENSURE(coarse < 0.03);
        ENSURE_NEAR(log2(coarse / fine), 2, 0.3);
    }
    return 0;
}

static int thick_plate_shears(void)
{
    // 200 x 200 x 20 mm, three-dimensional: plate:0.2x0.2x0.02 with 10-node tets of 10 mm, two
    // across, which are 0.05 % above their limit (from 20 mm). Mindlin's plate itself is 0.15 %
    // below. Kirchhoff's is 6 to 20 % above
    static const double solid[8] = {1548.50, 2304.52, 2838.75, 3890.35, 3890.35, 6752.56, 6752.56, 6802.78};
    twMesh* mesh = shell_plate(10, 10, 0.2, 0.2, 0.2);
    twShellDef def = shell_def_of(mesh, 0.02, 8);
    def.accuracy = 0.01;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 8);
    for (int k = 0; k < 8; k++) ENSURE_NEAR(modes->freq_hz[k] / solid[k], 1, 0.006);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);
    return 0;
}

// A free edge lowers the twisting mode by 0.6 % at t/a = 0.015. Edges are much longer than the
// layer is wide.
static int free_edges_count_before_elements_see_them(void)
{
    double freq[1];
    // plate:0.2x0.2x0.003 with 10-node tets of 5 mm: 244.30 Hz (244.40 with 10 mm)
    twMesh* mesh = shell_plate(32, 32, 0.2, 0.2, 0);
    ENSURE(shell_modes_as_is(mesh, 0.003, NULL, 1, freq) == 1);
    ENSURE_NEAR(freq[0], 244.2, 0.5);
    ENSURE_NEAR(plate_hz(free_square[0], 0.2, 0.003), 245.56, 0.01);
    tw_mesh_destroy(mesh);
    return 0;
}

static int cantilever_has_leissas_frequencies(void)
{
    // one side held, nu = 0.3 (Ritz; Leissa, The free vibration of rectangular plates, 1973, prints
    // up to 0.6 % more)
    static const double square[5] = {3.4710, 8.5066, 21.284, 27.199, 30.955};
    twMesh* mesh = shell_plate(10, 10, 0.2, 0.2, 0.2);
    bool held[121] = {false};
    for (int v = 0; v < 121; v++) held[v] = v % 11 == 0;
    tilt(mesh);
    twShellDef def = shell_def_of(mesh, 2e-4, 5);
    def.held = held;
    def.accuracy = 0.01;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 5 && modes->rigid_modes == 0);
    for (int k = 0; k < 5; k++) ENSURE_NEAR(modes->freq_hz[k] / plate_hz(square[k], 0.2, 2e-4), 1, 0.004);
    for (int i = 0; i < 3; i++) ENSURE(modes->shape[i] == 0);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);
    return 0;
}

// ---- bodies of revolution against three dimensions ----

static int hemisphere_agrees_with_three_dimensions(void)
{
    double solid[5];
    shell_revolve_hz(axi_hemisphere(0.07, 0.004), 2, 6, solid);
    ENSURE_NEAR(solid[0], 793.98, 0.05);
    twMesh* mesh = shell_hemisphere(0.07, 32);
    twShellDef def = shell_def_of(mesh, 0.004, 10);
    def.accuracy = 0.03;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 10);
    for (int n = 2; n <= 6; n++)
        for (int pair = 0; pair < 2; pair++) ENSURE_NEAR(modes->freq_hz[2 * (n - 2) + pair] / solid[n - 2], 1, 0.007);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);
    return 0;
}

static int cup_and_tube_agree_with_three_dimensions(void)
{
    double solid[2];
    shell_revolve_hz(axi_cup(0.04, 0.09, 0.004), 2, 3, solid);
    twMesh* mesh = shell_cup(0.038, 0.002, 0.09, 8, 20, 48);
    twShellDef def = shell_def_of(mesh, 0.004, 4);
    def.accuracy = 0.02;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 4);
    for (int k = 0; k < 4; k++) ENSURE_NEAR(modes->freq_hz[k] / solid[k / 2], 1, 0.007);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);

    shell_revolve_hz(axi_tube(0.05, 0.2, 0.004), 2, 2, solid);
    mesh = shell_tube(0.05, 0.2, 20, 48);
    def = shell_def_of(mesh, 0.004, 2);
    def.accuracy = 0.01;
    modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 2);
    ENSURE_NEAR(modes->freq_hz[0] / solid[0], 1, 0.005);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);
    return 0;
}

static int hollow_body_has_its_wall_inside(void)
{
    // the same sphere by its middle and by its outer face
    const ShellCap middle = {0.07, TW_PI * 0.999, 12}, outer = {0.072, TW_PI * 0.999, 12};
    twMesh* meshes[2] = {shell_revolve(13, 24, shell_cap_point, &middle),
                         shell_revolve(13, 24, shell_cap_point, &outer)};
    double freq[2], mass[2];
    for (int i = 0; i < 2; i++)
    {
        ENSURE(tw_mesh_mend(meshes[i], 0.01, NULL, NULL) == TW_OK);
        twShellDef def = shell_def_of(meshes[i], 0.004, 5);
        def.hollow = i == 1;
        def.accuracy = 0.9;
        twShellModes* modes = shell_modes_of(&def);
        ENSURE(modes && modes->count == 5 && modes->rigid_modes == 6);
        freq[i] = modes->freq_hz[0];
        mass[i] = modes->mass.mass;
        ENSURE_NEAR(modes->mass.inertia.m[0][0] / (2.0 / 3 * mass[i] * 0.07 * 0.07), 1, 0.03);
        tw_shell_modes_destroy(modes);
        tw_mesh_destroy(meshes[i]);
    }
    ENSURE_NEAR(freq[1] / freq[0], 1, 0.003);
    ENSURE_NEAR(mass[1] / mass[0], 1, 0.003);
    ENSURE_NEAR(mass[0], 4 * TW_PI * 0.07 * 0.07 * 0.004 * 7850, 0.03 * mass[0]);
    // two waves around a membrane: (1 - nu^2) x^2 - (7 + 3 nu) x + 4 = 0, x = rho (w R)^2 / E (Lamb, On the vibrations of a
    // spherical shell, 1882); bending adds (t/R)^2/3 or so
    const double b = 7.9, x = (b - sqrt(b * b - 16 * 0.91)) / (2 * 0.91);
    ENSURE_NEAR(freq[1] / (sqrt(x * 2e11 / 7850) / (2 * TW_PI * 0.07)), 1, 0.01);
    return 0;
}

// a box of small faces, with walls several faces thick: faces beside the edges must not fold over when they move inward
static int hollow_box_of_small_faces_has_its_volume(void)
{
    const double t = 0.01, solid = 0.1 * 0.08 * 0.06, hollow = solid - (0.1 - 2 * t) * (0.08 - 2 * t) * (0.06 - 2 * t);
    twMesh *mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.08, 0.06)), *fine;
    ENSURE(tw_mesh_split_edges(&fine, mesh, 0.004, NULL) == TW_OK && fine->face_count > 1000);
    twShellDef def = shell_def_of(fine, t, 3);
    def.hollow = true;
    def.accuracy = 0.9;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->rigid_modes == 6);
    ENSURE_NEAR(modes->mass.volume / hollow, 1, 0.01);
    ENSURE(strstr(modes->note, "walls are thick"));
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(fine);
    tw_mesh_destroy(mesh);
    return 0;
}

// ---- parts ----

static int parts_that_cross_or_touch_are_welded(void)
{
    twMesh* pot = shell_teapot(24);
    twShellDef def = shell_def_of(pot, 0.003, 8);
    def.accuracy = 0.9;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->pieces == 1 && modes->welded == 2 && modes->rigid_modes == 6 && modes->count == 8);
    ENSURE(strstr(modes->note, "welded") && modes->freq_hz[0] > 100);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(pot);

    // two halves of a plate that overlap by 5 % and lie on each other, with vertices that do not
    // agree: nearly the plate
    twMesh* half = shell_plate(10, 20, 0.11, 0.2, 0);
    twMesh* other = shell_plate(7, 14, 0.1, 0.2, 0);
    for (int v = 0; v < half->vertex_count; v++) half->vertices[v].x -= 0.045;
    for (int v = 0; v < other->vertex_count; v++) other->vertices[v].x += 0.05, other->vertices[v].z += 0.0002;
    twMesh* both = shell_join(half, other);
    def = shell_def_of(both, 0.001, 4);
    def.accuracy = 0.9;
    modes = shell_modes_of(&def);
    ENSURE(modes && modes->rigid_modes == 6 && modes->welded == 1);
    for (int k = 0; k < 4; k++) ENSURE_NEAR(modes->freq_hz[k] / plate_hz(free_square[k], 0.2, 0.001), 1, 0.15);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(both);
    return 0;
}

static int parts_apart_move_apart(void)
{
    twMesh* other = shell_plate(6, 6, 0.1, 0.1, 0);
    for (int v = 0; v < other->vertex_count; v++) other->vertices[v].z += 0.01;
    twMesh* both = shell_join(shell_plate(6, 6, 0.1, 0.1, 0), other);
    twShellDef def = shell_def_of(both, 0.001, 4);
    def.accuracy = 0.9;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->pieces == 2 && modes->rigid_modes == 12 && modes->welded == 0);
    ENSURE(strstr(modes->note, "2 pieces") && !strstr(modes->note, "sheet"));
    ENSURE_NEAR(modes->freq_hz[1] / modes->freq_hz[0], 1, 1e-6);
    tw_shell_modes_destroy(modes);

    // 10 mm apart: near for walls of 3 mm
    def.thickness = 0.003;
    modes = shell_modes_of(&def);
    ENSURE(modes && modes->pieces == 2 && strstr(modes->note, "another sheet"));
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(both);
    return 0;
}

static int materials_share_the_energy(void)
{
    // rubber with steel ends: steel has most of the mass, rubber most of the elastic energy
    const twMaterial pair[2] = {shell_steel, {.density = 1100, .young = 5e6, .poisson = 0.49}};
    twMesh* mesh = shell_plate(12, 4, 0.3, 0.1, 0);
    mesh->regions = calloc((size_t)mesh->face_count, sizeof *mesh->regions);
    for (int f = 0; f < mesh->face_count; f++)
        mesh->regions[f] = fabs(mesh->vertices[mesh->faces[f].v[0]].x + mesh->vertices[mesh->faces[f].v[1]].x) < 0.1;
    twShellDef def = shell_def_of(mesh, 0.002, 3);
    def.material_count = 2;
    def.materials = pair;
    def.accuracy = 0.9;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 3 && modes->material_count == 2);
    ENSURE_NEAR(modes->kinetic[0] + modes->kinetic[1], 1, 1e-12);
    ENSURE_NEAR(modes->elastic[0] + modes->elastic[1], 1, 1e-12);
    ENSURE(modes->kinetic[0] > 0.7 && modes->elastic[1] > 0.95);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);
    return 0;
}

// ---- results ----

static int shapes_have_unit_modal_mass(void)
{
    twMesh* mesh = shell_plate(24, 24, 0.2, 0.2, 0);
    twShellDef def = shell_def_of(mesh, 0.001, 3);
    def.accuracy = 0.9;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->vertex_count == mesh->vertex_count);
    ENSURE_NEAR(modes->mass.mass, 7850 * 0.04 * 0.001, 1e-12);
    for (int k = 0; k < 3; k++) ENSURE_NEAR(shell_modal_mass(mesh, modes, 0.001, k), 1, 0.02);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(constant_stretch_and_bending_are_exact)
    RUN(bending_in_the_plane_does_not_lock)
    RUN(rigid_motions_have_no_energy)
    RUN(thin_plate_is_good_to_0_3_percent_with_1000_vertices)
    RUN(plate_converges_with_order_2_and_does_not_lock)
    RUN(thick_plate_shears)
    RUN(free_edges_count_before_elements_see_them)
    RUN(cantilever_has_leissas_frequencies)
    RUN(hemisphere_agrees_with_three_dimensions)
    RUN(cup_and_tube_agree_with_three_dimensions)
    RUN(hollow_body_has_its_wall_inside)
    RUN(hollow_box_of_small_faces_has_its_volume)
    RUN(parts_that_cross_or_touch_are_welded)
    RUN(parts_apart_move_apart)
    RUN(materials_share_the_energy)
    RUN(shapes_have_unit_modal_mass)
)
