// SPDX-License-Identifier: MIT
// Boundary elements against the exact fields of vibrating spheres, and what can go wrong.
#include "acoustics/hankel.h"
#include "bem.h"
#include "bem/bem.h"
#include "mesh.h"
#include "test.h"
#include "twang/acoustics.h"
#include <pthread.h>

static const double radius = 0.1;

// Legendre's polynomial
static double legendre(int n, double x)
{
    double below = 0, p = 1;
    for (int i = 0; i < n; i++)
    {
        double above = ((2 * i + 1) * x * p - i * below) / (i + 1);
        below = p;
        p = above;
    }
    return p;
}

// h_n(x) e^{-ix} and its slope, from the recurrences
static Complex hankel(int n, double x, Complex* slope)
{
    Complex below = 1 / x, h = -I / x;  // h_-1 and h_0
    for (int i = 0; i < n; i++)
    {
        Complex above = (2 * i + 1) / x * h - below;
        below = h;
        h = above;
    }
    *slope = below - (n + 1) / x * h;
    return h;
}

// pressure at x of a sphere whose normal velocity is P_n(cos theta)
static Complex exact_sphere(int n, double freq_hz, twVec3 x)
{
    double w = 2 * TW_PI * freq_hz, k = w / bem_speed, r = fmax(tw_vec3_norm(x), radius);
    Complex slope, other;
    hankel(n, k * radius, &slope);
    Complex p = I * w * bem_density / k * hankel(n, k * r, &other) / slope * legendre(n, x.z / tw_vec3_norm(x));
    return p * cexp(I * k * (r - radius));
}

static BemRun sphere_run(const twBem* bem, int n, double kr)
{
    BemRun run = bem_run(bem, kr);
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    for (int i = 0; i < bem_count(bem); i++)
        run.velocity[2 * i] = legendre(n, panels[i].centre.z / tw_vec3_norm(panels[i].centre));
    if (!bem_run_solve(bem, &run)) abort();
    return run;
}

// relative error on the surface, mean square
static double surface_error(const twBem* bem, const BemRun* run, int n)
{
    double sum = 0, all = 0;
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    for (int i = 0; i < bem_count(bem); i++)
    {
        Complex exact = exact_sphere(n, run->freq_hz, panels[i].centre), off = bem_at(run->pressure, i) - exact;
        sum += panels[i].area * creal(off * conj(off));
        all += panels[i].area * creal(exact * conj(exact));
    }
    return sqrt(sum / all);
}

// pi and 4.493 are resonances of the inside
static const double waves[] = {1e-5, 0.01, 0.5, 2, 3.14159265, 4.49340946, 5};
enum
{
    WAVES = 7
};

static int pulsating_sphere_is_right_at_any_frequency(void)
{
    twBem* bem = bem_shape("sphere:0.1", 0.022, NULL);
    ENSURE_NEAR(bem_count(bem), 1000, 100);
    for (int i = 0; i < WAVES; i++)
    {
        BemRun run = sphere_run(bem, 0, waves[i]);
        const twBemPanel* panels = tw_bem_panels(bem, NULL);
        for (int j = 0; j < bem_count(bem); j++)
        {
            Complex exact = exact_sphere(0, run.freq_hz, panels[j].centre);
            ENSURE(bem_db(bem_at(run.pressure, j), exact) < 0.3);
            ENSURE(bem_degrees(bem_at(run.pressure, j), exact) < 3);
        }
        for (int j = 0; j < 20; j++)
        {
            twVec3 near = tw_vec3_scale(bem_direction(j, 20), 1.1 * radius), far = tw_vec3_scale(near, 100);
            ENSURE(bem_db(bem_field(bem, &run, near), exact_sphere(0, run.freq_hz, near)) < 0.3);
            ENSURE(bem_db(bem_pressure(bem, &run, near), exact_sphere(0, run.freq_hz, near)) < 0.3);
            ENSURE(bem_db(bem_field(bem, &run, far), exact_sphere(0, run.freq_hz, far)) < 0.3);
            ENSURE(bem_degrees(bem_field(bem, &run, far), exact_sphere(0, run.freq_hz, far)) < 3);
        }
        bem_run_free(&run);
    }
    tw_bem_destroy(bem);
    return 0;
}

static int translating_sphere_is_right_at_any_frequency(void)
{
    twBem* bem = bem_shape("sphere:0.1", 0.022, NULL);
    for (int i = 0; i < WAVES; i++)
    {
        BemRun run = sphere_run(bem, 1, waves[i]);
        ENSURE(surface_error(bem, &run, 1) < 0.035);
        for (int j = 0; j < 20; j++)
        {
            twVec3 near = tw_vec3_scale(bem_direction(j, 20), 1.1 * radius), far = tw_vec3_scale(near, 100);
            ENSURE(bem_db(bem_field(bem, &run, near), exact_sphere(1, run.freq_hz, near)) < 0.3);
            ENSURE(bem_db(bem_pressure(bem, &run, near), exact_sphere(1, run.freq_hz, near)) < 0.3);
            ENSURE(bem_db(bem_field(bem, &run, far), exact_sphere(1, run.freq_hz, far)) < 0.3);
            ENSURE(bem_degrees(bem_field(bem, &run, far), exact_sphere(1, run.freq_hz, far)) < 3);
        }
        bem_run_free(&run);
    }
    tw_bem_destroy(bem);
    return 0;
}

// 5.763 is a resonance of the inside with n = 2, 6.988 with n = 3
static int higher_multipoles_come_out_as_their_moment(void)
{
    twBem* bem = bem_shape("sphere:0.1", 0.022, NULL);
    static const double at[] = {0.05, 1, 4, 5.76345920, 6.98793200};
    for (int n = 2; n <= 3; n++)
        for (int i = 0; i < 5; i++)
        {
            // P_n = sqrt(4 pi/(2n + 1)) Y_n0, and its field on the sphere is that at the pole
            BemRun run = sphere_run(bem, n, at[i]);
            Complex exact = exact_sphere(n, run.freq_hz, tw_vec3(0, 0, radius)) * sqrt(4 * TW_PI / (2 * n + 1));
            Complex moment = bem_at(run.moments, n * n + n);
            ENSURE(bem_db(moment, exact) < 0.3);
            ENSURE(bem_degrees(moment, exact) < 3);
            // and little else
            for (int j = 0; j < 16; j++)
                if (j != n * n + n) ENSURE(cabs(bem_at(run.moments, j)) < 0.02 * cabs(exact));
            bem_run_free(&run);
        }
    tw_bem_destroy(bem);
    return 0;
}

static int errors_fall_with_the_square_of_the_edges(void)
{
    static const double edges[] = {0.06, 0.03, 0.015};
    double off[3];
    for (int i = 0; i < 3; i++)
    {
        twBem* bem = bem_shape("sphere:0.1", edges[i], NULL);
        BemRun run = sphere_run(bem, 1, 2.0);
        twVec3 far = {0, 0, 10 * radius};
        Complex exact = exact_sphere(1, run.freq_hz, far);
        off[i] = cabs(bem_field(bem, &run, far) - exact) / cabs(exact);
        bem_run_free(&run);
        tw_bem_destroy(bem);
    }
    ENSURE(off[0] > 2.5 * off[1] && off[1] > 2.5 * off[2]);
    ENSURE(off[2] < 0.006);
    return 0;
}

static int power_that_leaves_the_surface_arrives_far_away(void)
{
    twBem* bem = bem_shape("sphere:0.1", 0.022, NULL);
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    for (int n = 0; n < 3; n++)
    {
        BemRun run = sphere_run(bem, n, 2.0);
        double power = 0;
        for (int i = 0; i < bem_count(bem); i++)
            power += 0.5 * panels[i].area * creal(bem_at(run.pressure, i) * conj(bem_at(run.velocity, i)));
        ENSURE_NEAR(run.report.power, power, 0.03 * power);
        bem_run_free(&run);
    }
    tw_bem_destroy(bem);
    return 0;
}

// far above the frequencies that the panels resolve well, power is still that of the closed form and that of the surface:
// 2 pi a^2 rho c x^2/(1 + x^2), and a third of x^4/(4 + x^4) of it
static int spheres_radiate_their_power_up_to_short_waves(void)
{
    static const double at[] = {0.3, 3, 10, 20, 40};
    twBem* bem = bem_shape("sphere:0.1", 0.0145, NULL);
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    double area = 2 * TW_PI * radius * radius * bem_density * bem_speed;
    for (int i = 0; i < 5; i++)
        for (int n = 0; n < 2; n++)
        {
            BemRun run = sphere_run(bem, n, at[i]);
            double x = at[i] * radius / tw_bem_sphere(bem, NULL), x2 = x * x, surface = 0;
            double exact = n == 0 ? area * x2 / (1 + x2) : area / 3 * x2 * x2 / (4 + x2 * x2);
            for (int j = 0; j < bem_count(bem); j++)
                surface += 0.5 * panels[j].area * creal(bem_at(run.pressure, j) * conj(bem_at(run.velocity, j)));
            // at 40 there is one panel per wave
            ENSURE_NEAR(10 * log10(run.report.power / exact), 0, x < 30 ? 0.15 : 1);
            // below, pressure on the surface is out of phase but for a part less than its error
            if (x > 1) ENSURE_NEAR(10 * log10(run.report.power / surface), 0, x < 30 ? 0.15 : 1);
            bem_run_free(&run);
        }
    tw_bem_destroy(bem);
    return 0;
}

// two ways from the surface to the field: Green's integral at the place, and the moments
static int moments_are_the_field_of_the_surface(void)
{
    enum
    {
        ORDER = 30,
        PLACES = 40
    };
    static double moments[2 * (ORDER + 1) * (ORDER + 1)];
    static const double at[] = {0.01, 1, 5};
    twBem* bem = bem_shape("bar:0.2x0.05x0.03", 0.01, NULL);
    twVec3 centre, places[PLACES];
    double size = tw_bem_sphere(bem, &centre), direct[2 * PLACES], fitted[2 * PLACES];
    for (int i = 0; i < PLACES; i++) places[i] = tw_vec3_add_scaled(centre, bem_direction(i, PLACES), 2.5 * size);
    for (int w = 0; w < 3; w++)
    {
        BemRun run = bem_run(bem, at[w]);
        twRng rng = tw_rng(3);
        for (int i = 0; i < 2 * bem_count(bem); i++) run.velocity[i] = tw_rng_between(&rng, -1, 1);
        ENSURE(tw_bem_solve(bem, run.freq_hz, run.velocity, ORDER, moments, run.pressure, NULL, NULL) == TW_OK);
        tw_bem_pressure(bem, run.freq_hz, run.velocity, run.pressure, PLACES, places, direct);
        double off[2] = {0, 0}, all = 0;
        for (int order = 0; order < 2; order++)
        {
            tw_bem_field(bem, run.freq_hz, order == 0 ? ORDER : 2, moments, PLACES, places, fitted);
            for (int i = 0; i < 2 * PLACES; i++) off[order] += pow(fitted[i] - direct[i], 2);
        }
        for (int i = 0; i < 2 * PLACES; i++) all += direct[i] * direct[i];
        ENSURE(sqrt(off[0] / all) < 1e-3);
        // and a few of them are not
        ENSURE(sqrt(off[1] / all) > 0.01);
        bem_run_free(&run);
    }
    tw_bem_destroy(bem);
    return 0;
}

// iterated, or factored, by one factor
static int shared_equations_are_as_single_ones(int max_iterations)
{
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 0.1, 5);
    twBem* bem;
    twBemDef def = tw_bem_def();
    def.max_iterations = max_iterations;
    ENSURE(tw_mesh_mend(mesh, 1e-9, NULL, NULL) == TW_OK);
    def.surface = mesh;
    ENSURE(tw_bem_create(&bem, &def, NULL) == TW_OK);
    BemRun runs[] = {sphere_run(bem, 1, 2.0), sphere_run(bem, 2, 2.0)};
    size_t count = 2 * (size_t)bem_count(bem), values = 2 * (size_t)((runs[0].order + 1) * (runs[0].order + 1));
    double *velocity = calloc(2 * count, sizeof(double)), *pressure = calloc(2 * count, sizeof(double));
    double* moments = calloc(2 * values, sizeof(double));
    ENSURE(velocity && pressure && moments);
    twBemReport reports[2];
    for (int i = 0; i < 2; i++) memcpy(velocity + (size_t)i * count, runs[i].velocity, count * sizeof(double));
    ENSURE(tw_bem_solve_many(bem, runs[0].freq_hz, 2, velocity, runs[0].order, moments, pressure, reports, NULL) ==
           TW_OK);
    for (size_t i = 0; i < 2; i++)
    {
        ENSURE(memcmp(moments + i * values, runs[i].moments, values * sizeof(double)) == 0);
        ENSURE(memcmp(pressure + i * count, runs[i].pressure, count * sizeof(double)) == 0);
        ENSURE(reports[i].power == runs[i].report.power && reports[i].iterations == runs[i].report.iterations);
        ENSURE(reports[i].factored == (max_iterations == 0) && reports[i].residual <= def.tolerance);
        bem_run_free(&runs[i]);
    }
    free(velocity), free(pressure), free(moments);
    tw_bem_destroy(bem);
    tw_mesh_destroy(mesh);
    return 0;
}

static int motions_that_share_equations_are_as_by_themselves(void)
{
    ENSURE(shared_equations_are_as_single_ones(150) == 0);
    ENSURE(shared_equations_are_as_single_ones(0) == 0);
    return 0;
}

static int factoring_and_iterating_agree(void)
{
    twMesh* mesh = sphere_mesh(tw_vec3(0.3, 0, 0), 0.1, 5);
    ENSURE(tw_mesh_mend(mesh, 1e-9, NULL, NULL) == TW_OK);
    twBemDef def = tw_bem_def();
    def.surface = mesh;
    def.tolerance = 1e-6;
    double moments[2][2 * 49];
    for (int i = 0; i < 2; i++)
    {
        twBem* bem;
        def.max_iterations = i == 0 ? 100 : 2;
        ENSURE(tw_bem_create(&bem, &def, NULL) == TW_OK);
        BemRun run = bem_run(bem, 1);
        const twBemPanel* panels = tw_bem_panels(bem, NULL);
        for (int j = 0; j < bem_count(bem); j++) run.velocity[2 * j] = panels[j].normal.x + panels[j].normal.y;
        ENSURE(bem_run_solve(bem, &run));
        ENSURE(run.report.factored == (i == 1));
        ENSURE(run.report.residual <= 1e-6);
        memcpy(moments[i], run.moments, sizeof moments[i]);
        bem_run_free(&run);
        tw_bem_destroy(bem);
    }
    for (int i = 0; i < 49; i++)
        ENSURE(cabs(bem_at(moments[0], i) - bem_at(moments[1], i)) < 1e-4 * cabs(bem_at(moments[0], 3)));
    tw_mesh_destroy(mesh);
    return 0;
}

typedef struct Part
{
    const twBem* bem;
    BemRun run;
    bool solved;
} Part;

static void* solve_part(void* context)
{
    Part* part = context;
    part->solved = bem_run_solve(part->bem, &part->run);
    return NULL;
}

static int threads_may_solve_at_once(void)
{
    twBem* bem = bem_shape("sphere:0.1", 0.03, NULL);
    Part parts[3];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
    {
        parts[i] = (Part){.bem = bem, .run = bem_run(bem, 1)};
        for (int j = 0; j < bem_count(bem); j++) parts[i].run.velocity[2 * j] = 1;
    }
    solve_part(&parts[0]);
    for (int i = 1; i < 3; i++) ENSURE(pthread_create(&threads[i], NULL, solve_part, &parts[i]) == 0);
    for (int i = 1; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++)
    {
        ENSURE(parts[i].solved);
        ENSURE(memcmp(parts[i].run.moments, parts[0].run.moments, 2 * 49 * sizeof(double)) == 0);
    }
    for (int i = 0; i < 3; i++) bem_run_free(&parts[i].run);
    tw_bem_destroy(bem);
    return 0;
}

// what a row is, by scalar double arithmetic
static Complex plain_entry(const BemFar* far, const BemSpot* spot, int j, bool right)
{
    Complex sum = 0;
    double k = (double)spot->k;
    twVec3 nx = tw_vec3((double)spot->normal[0], (double)spot->normal[1], (double)spot->normal[2]);
    twVec3 ny = tw_vec3((double)far->normal[0][j], (double)far->normal[1][j], (double)far->normal[2][j]);
    for (int i = 0; i < BEM_POINTS; i++)
    {
        twVec3 d = tw_vec3((double)spot->place[0] - (double)far->point[i][0][j],
                           (double)spot->place[1] - (double)far->point[i][1][j],
                           (double)spot->place[2] - (double)far->point[i][2][j]);
        double r = tw_vec3_norm(d), at_x = tw_vec3_dot(d, nx) / r, at_y = tw_vec3_dot(d, ny) / r;
        Complex g = (double)far->weight[j] * cexp(I * k * r) / r, slope = (I * k - 1 / r) * g;
        Complex bend = (3 / (r * r) - k * k - 3 * I * k / r) * g;
        Complex s = g, d_y = -slope * at_y, d_x = slope * at_x;
        Complex both = -(bend * at_x * at_y + tw_vec3_dot(nx, ny) * slope / r);
        sum += right ? s + I * (double)spot->beta * d_x : d_y + I * (double)spot->beta * both;
    }
    return sum;
}

static int all_kernels_are_the_formulas(void)
{
    enum
    {
        STRIDE = 2 * BEM_LANES
    };
    static float block[13][STRIDE], out[BEM_OUTPUTS * STRIDE], x[2 * STRIDE];
    static const char* names[] = {"generic", "avx2", "avx512"};
    twRng rng = tw_rng(7);
    for (int i = 0; i < 13; i++)
        for (int j = 0; j < STRIDE; j++) block[i][j] = (float)tw_rng_between(&rng, 0.1, 1);
    for (int i = 0; i < 2 * STRIDE; i++) x[i] = (float)tw_rng_between(&rng, -1, 1);
    BemFar far = {.stride = STRIDE, .weight = block[12]};
    for (int i = 0; i < 9; i++) far.point[i / 3][i % 3] = block[i];
    for (int i = 0; i < 3; i++) far.normal[i] = block[9 + i];
    BemSpot spot = {{-0.3f, 0.1f, -0.2f}, {0.6f, 0, 0.8f}, 7.5f, 0.04f};
    for (int v = 0; v < 3; v++)
    {
        const BemKernel* kernel = bem_kernel(names[v]);
        if (!kernel) continue;
        kernel->row(&far, &spot, out);
        for (int j = 0; j < STRIDE; j++)
        {
            Complex left = plain_entry(&far, &spot, j, false), right = plain_entry(&far, &spot, j, true);
            ENSURE_NEAR((double)out[j], creal(left), 1e-5 * (1 + cabs(left)));
            ENSURE_NEAR((double)out[STRIDE + j], cimag(left), 1e-5 * (1 + cabs(left)));
            ENSURE_NEAR((double)out[2 * STRIDE + j], creal(right), 1e-5 * (1 + cabs(right)));
            ENSURE_NEAR((double)out[3 * STRIDE + j], cimag(right), 1e-5 * (1 + cabs(right)));
        }
        double product[4];
        Complex expected[2] = {0, 0};
        kernel->multiply(out, 2, STRIDE, x, product);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < STRIDE; j++)
                expected[i] += ((double)out[2 * i * STRIDE + j] + I * (double)out[(2 * i + 1) * STRIDE + j]) *
                               ((double)x[j] + I * (double)x[STRIDE + j]);
        for (int i = 0; i < 2; i++) ENSURE(cabs(product[2 * i] + I * product[2 * i + 1] - expected[i]) < 1e-5);
    }
    return 0;
}

// sums of harmonics point by point
static int all_kernels_sum_the_same_harmonics(void)
{
    enum
    {
        ORDER = 7,
        VALUES = (ORDER + 1) * (ORDER + 1),
        COUNT = 2 * BEM_LANES,
        PAIRS = (ORDER + 1) * (ORDER + 2) / 2
    };
    static const char* names[] = {"generic", "avx2", "avx512"};
    static double block[BEM_SOURCE_ARRAYS][COUNT], sums[PAIRS * BEM_SUMS * BEM_LANES], plain[PAIRS][BEM_SUMS];
    double start[ORDER + 1], step[2 * PAIRS];
    BemSources sources = {.k = 6};
    BemLegendre legendre = {.start = start, .step = step};
    twRng rng = tw_rng(9);
    bem_legendre_fill(&legendre, ORDER);
    memset(plain, 0, sizeof plain);
    for (int i = 0; i < BEM_SOURCE_ARRAYS; i++) sources.value[i] = block[i];
    for (int i = 0; i < COUNT; i++)
    {
        twVec3 at = tw_vec3_scale(bem_direction(i, COUNT), i / (double)COUNT), n = tw_vec3(0.6, 0, 0.8);
        Complex p = tw_rng_between(&rng, -1, 1) + I * tw_rng_between(&rng, -1, 1), q = tw_rng_between(&rng, -1, 1);
        double y[VALUES], b[ORDER + 2], r = tw_vec3_norm(at), power = 1;
        bem_source_put(&sources, at, n, p, q);
        twVec3 e = r > 0 ? tw_vec3_scale(at, 1 / r) : tw_vec3(0, 0, 1);
        tw_harmonics_double(y, ORDER, e);
        bessel_scaled(b, ORDER + 1, sources.k * r);
        for (int degree = 0; degree <= ORDER; degree++, power *= r)
            for (int m = 0; m <= degree; m++)
            {
                double* to = plain[bem_pair(ORDER, degree, m)];
                double c = y[degree * degree + degree + m] / (m > 0 ? sqrt(2) : 1);
                double s = m > 0 ? y[degree * degree + degree - m] / sqrt(2) : 0, slope = b[degree + 1] * power;
                Complex own = -sources.k * sources.k * r * tw_vec3_dot(e, n) / (2 * degree + 3) * slope * p -
                              b[degree] * power * q;
                const Complex what[] = {own, n.x * slope * p, n.y * slope * p, n.z * slope * p};
                for (int j = 0; j < 4; j++)
                {
                    to[4 * j] += c * creal(what[j]), to[4 * j + 1] += c * cimag(what[j]);
                    to[4 * j + 2] += s * creal(what[j]), to[4 * j + 3] += s * cimag(what[j]);
                }
            }
    }
    for (int v = 0; v < 3; v++)
    {
        const BemKernel* kernel = bem_kernel(names[v]);
        if (!kernel) continue;
        memset(sums, 0, sizeof sums);
        kernel->project(&sources, &legendre, sums);
        for (int i = 0; i < PAIRS * BEM_SUMS; i++) ENSURE_NEAR(sums[i], plain[i / BEM_SUMS][i % BEM_SUMS], 1e-12);
    }
    return 0;
}

static bool stop_half_way(double done, void* context)
{
    *(double*)context = done;
    return done < 0.3;
}

static int solving_can_be_interrupted(void)
{
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 0.1, 6);
    ENSURE(tw_mesh_mend(mesh, 1e-9, NULL, NULL) == TW_OK);
    twBemDef def = tw_bem_def();
    double last = 0, moments[2];
    def.surface = mesh;
    def.keep_going = stop_half_way;
    def.context = &last;
    twBem* bem;
    ENSURE(tw_bem_create(&bem, &def, NULL) == TW_OK);
    BemRun run = bem_run(bem, 1);
    run.velocity[0] = 1;
    ENSURE(tw_bem_solve(bem, run.freq_hz, run.velocity, 0, moments, NULL, NULL, NULL) == TW_INTERRUPTED);
    ENSURE(last >= 0.3 && last < 0.6);
    bem_run_free(&run);
    tw_bem_destroy(bem);
    tw_mesh_destroy(mesh);
    return 0;
}

static twStatus create_status(const twMesh* mesh, twError* err)
{
    twBem* bem;
    twBemDef def = tw_bem_def();
    def.surface = mesh;
    twStatus status = tw_bem_create(&bem, &def, err);
    tw_bem_destroy(bem);
    return status;
}

static int surfaces_that_are_not_closed_and_outward_are_refused(void)
{
    twError err;
    twMesh* mesh = cube_mesh();
    ENSURE(create_status(mesh, &err) == TW_OK);
    mesh->face_count--;
    ENSURE(create_status(mesh, &err) == TW_BAD_INPUT && strstr(err.text, "open"));
    mesh->face_count++;
    int swap = mesh->faces[3].v[0];
    mesh->faces[3].v[0] = mesh->faces[3].v[1];
    mesh->faces[3].v[1] = swap;
    ENSURE(create_status(mesh, &err) == TW_BAD_INPUT && strstr(err.text, "disagree"));
    mesh->faces[3].v[1] = mesh->faces[3].v[0];
    ENSURE(create_status(mesh, &err) == TW_BAD_INPUT && strstr(err.text, "twice"));
    mesh->faces[3].v[1] = 8;
    ENSURE(create_status(mesh, &err) == TW_BAD_INPUT && strstr(err.text, "no vertex 8"));
    tw_mesh_destroy(mesh);

    // inside out
    mesh = cube_mesh();
    for (int i = 0; i < mesh->vertex_count; i++) mesh->vertices[i].x *= -1;
    ENSURE(create_status(mesh, &err) == TW_BAD_INPUT && strstr(err.text, "inward"));
    mesh->vertices[2].y = NAN;
    ENSURE(create_status(mesh, &err) == TW_BAD_INPUT && strstr(err.text, "not finite"));
    tw_mesh_destroy(mesh);
    return 0;
}

static int wrong_numbers_are_refused(void)
{
    twError err;
    twMesh* mesh = cube_mesh();
    twBemDef def = tw_bem_def();
    twBem* bem;
    def.surface = mesh;
    def.radius = 0.5;
    def.centre = tw_vec3(0.5, 0.5, 0.5);
    ENSURE(tw_bem_create(&bem, &def, &err) == TW_BAD_INPUT && strstr(err.text, "outside the sphere"));
    ENSURE(bem == NULL);
    def.radius = 1;
    def.tolerance = 0;
    ENSURE(tw_bem_create(&bem, &def, &err) == TW_BAD_INPUT && strstr(err.text, "tolerance"));
    def.tolerance = 1e-4;
    ENSURE(tw_bem_create(&bem, &def, &err) == TW_OK);
    double velocity[24] = {0}, moments[2] = {1, 1};
    ENSURE(tw_bem_solve(bem, 0, velocity, 0, moments, NULL, NULL, &err) == TW_BAD_INPUT);
    ENSURE(tw_bem_solve(bem, NAN, velocity, 0, moments, NULL, NULL, &err) == TW_BAD_INPUT);
    ENSURE(tw_bem_solve(bem, 100, velocity, -1, moments, NULL, NULL, &err) == TW_BAD_INPUT);
    velocity[5] = INFINITY;
    ENSURE(tw_bem_solve(bem, 100, velocity, 0, moments, NULL, NULL, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "panel 2"));
    // what does not move is silent
    velocity[5] = 0;
    ENSURE(tw_bem_solve(bem, 100, velocity, 0, moments, NULL, NULL, &err) == TW_OK);
    ENSURE(moments[0] == 0 && moments[1] == 0);
    tw_bem_destroy(bem);
    tw_mesh_destroy(mesh);
    return 0;
}

static int memory_is_refused_before_it_is_used(void)
{
    twError err;
    twMesh* mesh = sphere_mesh(tw_vec3(0, 0, 0), 0.1, 8);
    ENSURE(tw_mesh_mend(mesh, 1e-9, NULL, NULL) == TW_OK);
    twBemDef def = tw_bem_def();
    twBem* bem;
    def.surface = mesh;
    def.max_memory_bytes = 3 << 20;
    ENSURE(tw_bem_create(&bem, &def, &err) == TW_OK);
    BemRun run = bem_run(bem, 1);
    ENSURE(tw_bem_memory(bem) > def.max_memory_bytes);
    twStatus status = tw_bem_solve(bem, run.freq_hz, run.velocity, run.order, run.moments, NULL, &run.report, &err);
    ENSURE(status == TW_NO_MEMORY && strstr(err.text, "MB"));
    bem_run_free(&run);
    tw_bem_destroy(bem);
    tw_mesh_destroy(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(pulsating_sphere_is_right_at_any_frequency)
    RUN(translating_sphere_is_right_at_any_frequency)
    RUN(higher_multipoles_come_out_as_their_moment)
    RUN(errors_fall_with_the_square_of_the_edges)
    RUN(power_that_leaves_the_surface_arrives_far_away)
    RUN(spheres_radiate_their_power_up_to_short_waves)
    RUN(moments_are_the_field_of_the_surface)
    RUN(motions_that_share_equations_are_as_by_themselves)
    RUN(factoring_and_iterating_agree)
    RUN(threads_may_solve_at_once)
    RUN(all_kernels_are_the_formulas)
    RUN(all_kernels_sum_the_same_harmonics)
    RUN(solving_can_be_interrupted)
    RUN(surfaces_that_are_not_closed_and_outward_are_refused)
    RUN(wrong_numbers_are_refused)
    RUN(memory_is_refused_before_it_is_used)
)
