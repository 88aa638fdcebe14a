// SPDX-License-Identifier: MIT
// Boundary elements of bodies that are no spheres: against point sources inside, whose fields are known, and against
// classical results for discs and pistons.
#define _XOPEN_SOURCE 700
#include "bem.h"
#include "bem/bem.h"
#include "test.h"

enum
{
    MAX_SOURCES = 4000
};
static BemSource sources[MAX_SOURCES];

// ---- integrals over a triangle ----

static Panel some_panel(void)
{
    Panel panel = {.corner = {{0.1, 0, 0}, {0.7, 0.1, 0.2}, {0.3, 0.5, -0.1}}};
    twVec3 u = tw_vec3_sub(panel.corner[1], panel.corner[0]), v = tw_vec3_sub(panel.corner[2], panel.corner[0]);
    twVec3 across = tw_vec3_cross(u, v), sum = tw_vec3_add(panel.corner[0], panel.corner[1]);
    panel.normal = tw_vec3_normalize(across);
    panel.area = tw_vec3_norm(across) / 2;
    panel.centre = tw_vec3_scale(tw_vec3_add(sum, panel.corner[2]), 1 / 3.0);
    panel.size = tw_vec3_norm(u);
    return panel;
}

// the four integrals by a fine sum over pieces
static Wave summed_wave(const Panel* panel, double k, twVec3 x, twVec3 nx)
{
    const int cuts = 300;
    Wave sum = {0, 0, 0, 0};
    double both = tw_vec3_dot(nx, panel->normal), share = panel->area / (4 * TW_PI * cuts * cuts);
    for (int i = 0; i < cuts; i++)
        for (int j = 0; j < 2 * (cuts - i) - 1; j++)
        {
            double third = (1 + j % 2) / 3.0, s = (i + third) / cuts, t = (j / 2 + third) / cuts;
            double weight[3] = {1 - s - t, s, t};
            twVec3 d = tw_vec3_sub(x, bem_panel_point(panel, weight));
            double r = tw_vec3_norm(d), at_x = tw_vec3_dot(d, nx) / r, at_y = tw_vec3_dot(d, panel->normal) / r;
            Complex g = share * (cos(k * r) + I * sin(k * r)) / r, slope = (I * k - 1 / r) * g;
            sum.s += g;
            sum.d -= slope * at_y;
            sum.t += slope * at_x;
            sum.n -= (3 / (r * r) - k * k - 3 * I * k / r) * g * (at_x * at_y) + both * slope / r;
        }
    return sum;
}

static int near_integrals_are_those_of_a_fine_sum(void)
{
    Panel panel = some_panel();
    twVec3 nx = tw_vec3_normalize(tw_vec3(0.3, -0.5, 0.4));
    // beside, above, below close by, and in the plane
    twVec3 places[] = {{0.9, 0.3, 0.3}, {0.4, 0.2, 0.4}, {0, 0, 0}, {0, 0, 0}};
    places[2] = tw_vec3_add_scaled(panel.centre, panel.normal, -0.05);
    places[3] = tw_vec3_add_scaled(panel.corner[0], tw_vec3_sub(panel.corner[1], panel.corner[2]), 0.5);
    static const char* names[] = {"generic", "avx2", "avx512"};
    for (int i = 0; i < 12; i++)
        for (double k = 0; k < 3; k += 1.25)
        {
            const BemKernel* kernel = bem_kernel(names[i / 4]);
            if (!kernel) continue;
            twVec3 at = places[i % 4];
            Wave exact = summed_wave(&panel, k, at, nx);
            Wave wave = bem_near_wave(kernel, &panel, bem_still(&panel, at, nx), k, at, nx);
            ENSURE(cabs(wave.s - exact.s) < 3e-3 * cabs(exact.s));
            ENSURE(cabs(wave.d - exact.d) < 1e-3 * (cabs(exact.d) + cabs(exact.s)));
            ENSURE(cabs(wave.t - exact.t) < 4e-3 * (cabs(exact.t) + cabs(exact.s)));
            ENSURE(cabs(wave.n - exact.n) < 1e-3 * cabs(exact.n));
        }
    return 0;
}

// on the panel itself N is the limit from above, and S has the closed form of an equilateral triangle
static int integrals_on_the_panel_are_their_limits(void)
{
    Panel panel = some_panel();
    for (double k = 0; k < 3; k += 1.25)
    {
        Wave on = bem_near_wave(bem_kernel(NULL), &panel, bem_still(&panel, panel.centre, panel.normal), k,
                                panel.centre, panel.normal);
        twVec3 above = tw_vec3_add_scaled(panel.centre, panel.normal, 1e-5);
        Wave near =
            bem_near_wave(bem_kernel(NULL), &panel, bem_still(&panel, above, panel.normal), k, above, panel.normal);
        ENSURE(cabs(on.n - near.n) < 1e-3 * cabs(on.n));
        ENSURE(cabs(on.s - near.s) < 1e-3 * cabs(on.s));
        ENSURE(cabs(on.d) < 1e-12 && cabs(near.d - 0.5) < 1e-3);
        ENSURE(cabs(on.t) < 1e-12 && cabs(near.t + 0.5) < 1e-3);
    }
    // edge 1, sides at t = 1/(2 sqrt 3), corners at R = 1/sqrt 3: 4 pi S = 6 t log((R + 1/2)/t)
    Panel even = {.corner = {{0, 0, 0}, {1, 0, 0}, {0.5, sqrt(3) / 2, 0}}, .normal = {0, 0, 1}, .size = 1};
    even.centre = tw_vec3(0.5, sqrt(3) / 6, 0);
    double t = sqrt(3) / 6, r = 1 / sqrt(3);
    Still still = bem_still(&even, even.centre, even.normal);
    ENSURE_NEAR(still.s, 3 * t * 2 * log((r + 0.5) / t) / (4 * TW_PI), 1e-15);
    // and 4 pi N = -3 (1/R)/t, the field of a current along its sides
    ENSURE_NEAR(still.n, -3 / (r * t) / (4 * TW_PI), 1e-14);
    return 0;
}

// ---- point sources inside ----

static int box_has_the_field_of_sources_inside(void)
{
    twMesh* mesh;
    twBem* bem = bem_shape("box:0.1x0.08x0.06", 0.0095, &mesh);
    BemSource three[] = {{{0.01, 0.01, 0.005}, {0, 0, 0}, 1},
                         {{-0.02, 0.005, 0}, {0, 0, 0}, -0.7},
                         {{0, -0.01, -0.003}, {0, 0.02, 0.01}, 0}};
    static const double waves[] = {0.005, 3, 6};
    for (int i = 0; i < 3; i++)
    {
        BemRun run = bem_run(bem, waves[i]);
        bem_drive(bem, &run, mesh, 4, three, 3);
        ENSURE(bem_run_solve(bem, &run));
        ENSURE(bem_error(bem, &run, 1.1, three, 3) < 0.02);
        ENSURE(bem_error(bem, &run, 20, three, 3) < 0.02);
        ENSURE(bem_fit(bem, &run, 1.01) >= 0.95 && bem_fit(bem, &run, 1.5) >= 0.95);
        bem_run_free(&run);
    }
    tw_bem_destroy(bem);
    tw_mesh_destroy(mesh);
    return 0;
}

// sources on the middle of a plate, fading to its edges: dipoles across it, or monopoles
static int plate_sheet(double half, double step, bool dipoles)
{
    int count = 0;
    for (double x = -half + step / 2; x < half; x += step)
        for (double y = -half + step / 2; y < half; y += step)
        {
            double fade = cos(TW_PI * x / (2 * half)) * cos(TW_PI * y / (2 * half));
            double s = fade * fade * (1 + 20 * x + 600 * x * y);
            sources[count++] = (BemSource){{x, y, 0}, {0, 0, dipoles ? s : 0}, dipoles ? 0 : s};
        }
    return count;
}

static int thin_plate_has_the_field_of_a_sheet_inside(void)
{
    twMesh* mesh;
    twBem* bem = bem_shape("plate:0.04x0.04x0.003", 0.005, &mesh);
    static const double waves[] = {0.01, 5};
    for (int i = 0; i < 4; i++)
    {
        BemRun run = bem_run(bem, waves[i / 2]);
        int count = plate_sheet(0.0185, 0.001, i % 2);
        bem_drive(bem, &run, mesh, 2, sources, count);
        ENSURE(bem_run_solve(bem, &run));
        ENSURE(bem_error(bem, &run, 1.1, sources, count) < 0.035);
        ENSURE(bem_error(bem, &run, 20, sources, count) < 0.035);
        ENSURE(bem_fit(bem, &run, 1.1) >= 0.95);
        bem_run_free(&run);
    }
    tw_bem_destroy(bem);
    tw_mesh_destroy(mesh);
    return 0;
}

// the same on the middle of the wall of half a sphere, open upwards
static int bowl_sheet(double radius, double height, double step)
{
    int count = 0, rings = (int)(radius * TW_PI / 2 / step);
    for (int i = 0; i < rings; i++)
    {
        double theta = (i + 0.5) / rings * 0.97 * TW_PI / 2, fade = cos(theta / 0.97);
        int turns = (int)(2 * TW_PI * radius * sin(theta) / step) + 1;
        for (int j = 0; j < turns; j++)
        {
            double phi = 2 * TW_PI * j / turns,
                   s = fade * fade * (1 + 0.5 * sin(theta) * cos(phi)) * sin(theta) / turns;
            twVec3 n = tw_vec3(sin(theta) * cos(phi), sin(theta) * sin(phi), -cos(theta));
            twVec3 at = tw_vec3_add_scaled(tw_vec3(0, 0, height), n, radius);
            sources[count++] = (BemSource){at, tw_vec3_scale(n, s), 0.2 * s / radius};
        }
    }
    return count;
}

static int bowl_with_walls_of_3_mm_has_the_field_of_a_sheet_inside(void)
{
    twMesh* mesh;
    twBem* bem = bem_shape("bowl:0.02x0.003", 0.005, &mesh);
    int count = bowl_sheet(0.0185, 0.02, 0.001);
    static const double waves[] = {0.01, 3};
    for (int i = 0; i < 2; i++)
    {
        BemRun run = bem_run(bem, waves[i]);
        bem_drive(bem, &run, mesh, 2, sources, count);
        ENSURE(bem_run_solve(bem, &run));
        ENSURE(bem_error(bem, &run, 1.1, sources, count) < 0.05);
        ENSURE(bem_error(bem, &run, 20, sources, count) < 0.05);
        ENSURE(bem_fit(bem, &run, 1.1) >= 0.95);
        bem_run_free(&run);
    }
    tw_bem_destroy(bem);
    tw_mesh_destroy(mesh);
    return 0;
}

static int orders_are_cut_where_the_fit_allows(void)
{
    twBem* bem = bem_shape("bar:0.3x0.025x0.012", 0.012, NULL);
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    BemRun run = bem_run(bem, 1);
    double moments[2 * 21 * 21], loose, tight;
    for (int i = 0; i < bem_count(bem); i++) run.velocity[2 * i] = panels[i].normal.z * cos(20 * panels[i].centre.x);
    ENSURE(tw_bem_solve(bem, run.freq_hz, run.velocity, 20, moments, run.pressure, NULL, NULL) == TW_OK);
    const double *v = run.velocity, *p = run.pressure;
    int many = tw_bem_fit(bem, run.freq_hz, v, p, 20, moments, 1.5, 0.1, &tight);
    int few = tw_bem_fit(bem, run.freq_hz, v, p, 20, moments, 1.5, 0.5, &loose);
    ENSURE(few > 1 && few < many && many < 20);
    ENSURE(tight <= 0.1 && loose > 0.05 && loose <= 0.5);
    bem_run_free(&run);
    tw_bem_destroy(bem);
    return 0;
}

// ---- discs ----

static const double disc_radius = 0.05;

// a thin disc: both faces move along z, or both outward; its rim is still
static BemRun disc_run(const twBem* bem, double ka, bool outward)
{
    BemRun run = bem_run(bem, ka * tw_bem_sphere(bem, NULL) / disc_radius);
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    for (int i = 0; i < bem_count(bem); i++)
        if (fabs(panels[i].normal.z) > 0.5) run.velocity[2 * i] = outward ? 1 : panels[i].normal.z;
    if (!bem_run_solve(bem, &run)) abort();
    return run;
}

// A thin disc that moves across itself carries the mass 8/3 rho a^3 (Lamb, Hydrodynamics, 102); as a dipole it sends
// w^4 m^2/(24 pi rho c^3) U^2.
static int oscillating_disc_carries_the_mass_of_lamb(void)
{
    twBem* bem = bem_shape("disc:0.05x0.0005", 0.008, NULL);
    BemRun run = disc_run(bem, 0.05, false);
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    Complex force = 0;
    for (int i = 0; i < bem_count(bem); i++) force -= bem_at(run.pressure, i) * (panels[i].normal.z * panels[i].area);
    // force = -m dU/dt = i w m U
    double w = 2 * TW_PI * run.freq_hz, mass = cimag(force) / w, exact = 8 / 3.0 * bem_density * pow(disc_radius, 3);
    ENSURE_NEAR(mass, exact, 0.06 * exact);
    double power = pow(w, 4) * exact * exact / (24 * TW_PI * bem_density * pow(bem_speed, 3));
    ENSURE_NEAR(10 * log10(run.report.power / power), 0, 0.6);
    bem_run_free(&run);
    tw_bem_destroy(bem);
    return 0;
}

// A disc both of whose faces move outward has no flow across its plane: each side is a piston in a baffle, with radiation
// resistance rho c (1 - J1(2ka)/ka) and directivity 2 J1(ka sin t)/(ka sin t) (Rayleigh, Theory of Sound, 302).
static int disc_of_two_faces_is_a_piston_in_a_baffle(void)
{
    twBem* bem = bem_shape("disc:0.05x0.0005", 0.008, NULL);
    static const double at[] = {0.2, 1, 2, 3.5};
    for (int i = 0; i < 4; i++)
    {
        double ka = at[i], area = TW_PI * disc_radius * disc_radius;
        BemRun run = disc_run(bem, ka, true);
        double power = bem_density * bem_speed * area * (1 - j1(2 * ka) / ka);
        ENSURE_NEAR(10 * log10(run.report.power / power), 0, 0.2);

        // on the axis, exactly: rho c v (e^{ik sqrt(z^2 + a^2)} - e^{ikz}) up to a sign
        double z = 0.08, k = ka / disc_radius;
        Complex exact =
            bem_density * bem_speed * (cexp(I * k * z) - cexp(I * k * sqrt(z * z + disc_radius * disc_radius)));
        Complex found = bem_field(bem, &run, tw_vec3(0, 0, z));
        ENSURE(bem_db(found, exact) < 0.3 && bem_degrees(found, exact) < 3);

        // aside, over that on the axis
        double far = 1e3, x = ka * sin(0.7);
        Complex aside = bem_field(bem, &run, tw_vec3(far * sin(0.7), 0, far * cos(0.7)));
        Complex axis = bem_field(bem, &run, tw_vec3(0, 0, far));
        ENSURE_NEAR(cabs(aside) / cabs(axis), 2 * fabs(j1(x)) / x, 0.02);
        bem_run_free(&run);
    }
    tw_bem_destroy(bem);
    return 0;
}

// the first mode of a plate held at its edges, in a baffle: by Rayleigh's integral
static int plate_mode_in_a_baffle_is_rayleighs_integral(void)
{
    twBem* bem = bem_shape("plate:0.06x0.06x0.0006", 0.006, NULL);
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    BemRun run = bem_run(bem, 3);
    for (int i = 0; i < bem_count(bem); i++)
        if (fabs(panels[i].normal.z) > 0.5)
            run.velocity[2 * i] = cos(TW_PI * panels[i].centre.x / 0.06) * cos(TW_PI * panels[i].centre.y / 0.06);
    ENSURE(bem_run_solve(bem, &run));
    enum
    {
        CUTS = 60
    };
    double w = 2 * TW_PI * run.freq_hz, k = w / bem_speed, step = 0.06 / CUTS;
    for (int direction = 0; direction < 10; direction++)
    {
        twVec3 place = tw_vec3_scale(bem_direction(direction, 20), 0.09);
        Complex exact = 0;
        for (int i = 0; i < CUTS * CUTS; i++)
        {
            double x = (i / CUTS + 0.5) * step - 0.03, y = (i % CUTS + 0.5) * step - 0.03;
            double r = tw_vec3_norm(tw_vec3_sub(place, tw_vec3(x, y, 0)));
            exact -= I * w * bem_density * step * step * cos(TW_PI * x / 0.06) * cos(TW_PI * y / 0.06) *
                     cexp(I * k * r) / (2 * TW_PI * r);
        }
        ENSURE(bem_db(bem_field(bem, &run, place), exact) < 0.3);
        ENSURE(bem_degrees(bem_field(bem, &run, place), exact) < 3);
    }
    bem_run_free(&run);
    tw_bem_destroy(bem);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(near_integrals_are_those_of_a_fine_sum)
    RUN(integrals_on_the_panel_are_their_limits)
    RUN(box_has_the_field_of_sources_inside)
    RUN(thin_plate_has_the_field_of_a_sheet_inside)
    RUN(bowl_with_walls_of_3_mm_has_the_field_of_a_sheet_inside)
    RUN(orders_are_cut_where_the_fit_allows)
    RUN(oscillating_disc_carries_the_mass_of_lamb)
    RUN(disc_of_two_faces_is_a_piston_in_a_baffle)
    RUN(plate_mode_in_a_baffle_is_rayleighs_integral)
)
