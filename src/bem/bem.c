// SPDX-License-Identifier: MIT
// Creating boundary elements, and one solve from velocity to moments.
#include "bem/bem.h"
#include "bem/surface.h"
#include <stdlib.h>
#include <string.h>

twBemDef tw_bem_def(void)
{
    return (twBemDef){.sound_speed = 343, .air_density = 1.204, .tolerance = 1e-4, .max_iterations = 150};
}

twStatus bem_ask(const twBem* bem, double done, twError* err)
{
    if (!bem->def.keep_going || bem->def.keep_going(done, bem->def.context)) return TW_OK;
    return tw_fail(err, TW_INTERRUPTED, "interrupted");
}

twStatus bem_no_memory(const FemMemory* memory, double more, twError* err)
{
    return tw_fail(
        err, TW_NO_MEMORY,
        "no memory for the boundary elements: needs %.0f MB more, %.0f MB are in use and the limit is %.0f MB; "
        "use fewer panels, or allow more",
        more / 1e6, (double)memory->used / 1e6, (double)memory->limit / 1e6);
}

// ---- creating ----

static twStatus bem_check_def(const twBemDef* def, twError* err)
{
    if (!(def->sound_speed > 0 && def->sound_speed < 1e6))
        return tw_fail(err, TW_BAD_INPUT, "a speed of sound of %g m/s is outside (0, 1e6)", def->sound_speed);
    if (!(def->air_density > 0 && def->air_density < 1e6))
        return tw_fail(err, TW_BAD_INPUT, "a density of %g kg/m^3 is outside (0, 1e6)", def->air_density);
    if (!(def->tolerance >= 1e-6 && def->tolerance < 1))
        return tw_fail(err, TW_BAD_INPUT, "a tolerance of %g is outside [1e-6, 1)", def->tolerance);
    if (def->max_iterations < 0 || def->max_iterations > 1000)
        return tw_fail(err, TW_BAD_INPUT, "%d iterations are outside 0 to 1000", def->max_iterations);
    if (!(def->radius >= 0 && def->radius < 1e100 && tw_vec3_max(def->centre) < 1e100))
        return tw_fail(err, TW_BAD_INPUT, "the sphere about the surface is not finite");
    return TW_OK;
}

// one block: panels, those for the caller, starts of the near lists, far arrays
static twBem* bem_allocate(int count)
{
    size_t n = (size_t)count, stride = (n + BEM_LANES - 1) / BEM_LANES * BEM_LANES;
    twBem* bem = calloc(1, sizeof *bem + n * (sizeof(Panel) + sizeof(twBemPanel)) + (n + 1) * sizeof(size_t) +
                               BEM_FAR_ARRAYS * stride * sizeof(float));
    if (!bem) return NULL;
    bem->count = count;
    bem->panels = (Panel*)(bem + 1);
    bem->outer = (twBemPanel*)(bem->panels + n);
    bem->near_start = (size_t*)(bem->outer + n);
    bem->far.stride = (int)stride;
    return bem;
}

static twStatus place_panels(twBem* bem, const twMesh* mesh, twError* err)
{
    for (int i = 0; i < bem->count; i++)
    {
        Panel panel = bem_panel(mesh, i, bem->centre, bem->radius);
        // slivers whose normal is round-off
        if (!(panel.area > 1e-9 * panel.size * panel.size)) return tw_fail(err, TW_BAD_INPUT, "face %d has no area", i);
        bem->panels[i] = panel;
        bem->outer[i].centre = tw_vec3_add_scaled(bem->centre, panel.centre, bem->radius);
        bem->outer[i].normal = panel.normal;
        bem->outer[i].area = panel.area * bem->radius * bem->radius;
        bem->longest = fmax(bem->longest, panel.size * bem->radius);
    }
    bem_fill_far(&bem->far, (float*)(bem->near_start + bem->count + 1), bem->far.stride, bem->panels, bem->count);
    return TW_OK;
}

// what the far rule leaves out of a pair, or all of it if the panel is close
static Still pair_still(const Panel* panel, const Panel* at, bool close)
{
    Still still = bem_still(panel, at->centre, at->normal);
    if (close) return still;
    Still far = bem_far_still(panel, at->centre, at->normal);
    return (Still){still.s - far.s, still.d - far.d, still.t - far.t, still.n - far.n};
}

static void list_near(twBem* bem, int row)
{
    const Panel* at = &bem->panels[row];
    size_t next = bem->near_start[row];
    for (int j = 0; j < bem->count; j++)
    {
        if (!bem_is_near(&bem->panels[j], at->centre)) continue;
        bool close = bem_is_close(&bem->panels[j], at->centre);
        bem->near_panel[next] = j;
        bem->near_close[next] = close;
        bem->near_still[next++] = pair_still(&bem->panels[j], at, close);
    }
}

// near lists; they serve all frequencies
static twStatus bem_find_near(twBem* bem, twError* err)
{
    for (int i = 0; i < bem->count; i++)
    {
        size_t near = 0;
        for (int j = 0; j < bem->count; j++) near += bem_is_near(&bem->panels[j], bem->panels[i].centre);
        bem->near_start[i + 1] = bem->near_start[i] + near;
    }
    size_t total = bem->near_start[bem->count], bytes = total * (sizeof(Still) + sizeof(int) + sizeof(bool));
    FemMemory memory = fem_memory(bem->def.max_memory_bytes);
    if (bytes > fem_memory_left(&memory)) return bem_no_memory(&memory, (double)bytes, err);
    bem->near_still = malloc(bytes);
    if (!bem->near_still) return bem_no_memory(&memory, (double)bytes, err);
    bem->near_panel = (int*)(bem->near_still + total);
    bem->near_close = (bool*)(bem->near_panel + total);
    for (int i = 0; i < bem->count; i++) list_near(bem, i);
    return TW_OK;
}

twStatus tw_bem_create(twBem** out, const twBemDef* def, twError* err)
{
    TW_ASSERT(out && def);
    *out = NULL;
    twStatus status = bem_check_def(def, err);
    if (status == TW_OK) status = bem_check_surface(def->surface, err);
    if (status == TW_OK && def->radius > 0) status = bem_check_sphere(def->surface, def->centre, def->radius, err);
    if (status != TW_OK) return status;

    twBem* bem = bem_allocate(def->surface->face_count);
    if (!bem) return tw_fail(err, TW_NO_MEMORY, "no memory for %d panels", def->surface->face_count);
    bem->def = *def;
    bem->def.surface = NULL;
    bem->kernel = bem_kernel(NULL);
    bem->centre = def->centre;
    bem->radius = def->radius > 0 ? def->radius : bem_find_sphere(def->surface, &bem->centre);
    status = place_panels(bem, def->surface, err);
    if (status == TW_OK) status = bem_find_near(bem, err);
    if (status == TW_OK)
        *out = bem;
    else
        tw_bem_destroy(bem);
    return status;
}

void tw_bem_destroy(twBem* bem)
{
    if (!bem) return;
    free(bem->near_still);
    free(bem);
}

// ---- what is known of them ----

const twBemPanel* tw_bem_panels(const twBem* bem, int* count)
{
    if (count) *count = bem->count;
    return bem->outer;
}

double tw_bem_sphere(const twBem* bem, twVec3* centre)
{
    if (centre) *centre = bem->centre;
    return bem->radius;
}

double tw_bem_panels_per_wave(const twBem* bem, double freq_hz)
{
    return bem->def.sound_speed / (freq_hz * bem->longest);
}

int tw_bem_order(const twBem* bem, double freq_hz)
{
    double order = ceil(2 * TW_PI * freq_hz / bem->def.sound_speed * bem->radius) + 6;
    return order < TW_MAX_BEM_ORDER ? (int)order : TW_MAX_BEM_ORDER;
}

// matrix, right sides, fluxes, pressures, a row
static size_t system_bytes(const twBem* bem, int sides)
{
    size_t n = (size_t)bem->count, stride = (size_t)bem->far.stride;
    return 3 * (size_t)sides * n * sizeof(Complex) + (2 * n + BEM_OUTPUTS) * stride * sizeof(float);
}

size_t tw_bem_memory(const twBem* bem) { return system_bytes(bem, 1) + bem_iterate_bytes(bem); }

// ---- solving ----

static twStatus check_motion(const twBem* bem, double freq_hz, int sides, const double* velocity, int order,
                             twError* err)
{
    double k = 2 * TW_PI * freq_hz / bem->def.sound_speed * bem->radius;
    if (!(freq_hz > 0 && k < 1000))
        return tw_fail(err, TW_BAD_INPUT, "%g Hz is outside (0, %g)", freq_hz, 1000 * freq_hz / k);
    if (order < 0 || order > TW_MAX_BEM_ORDER)
        return tw_fail(err, TW_BAD_INPUT, "order %d is outside 0 to %d", order, TW_MAX_BEM_ORDER);
    for (int i = 0; i < 2 * sides * bem->count; i++)
        if (!(fabs(velocity[i]) < 1e100))
            return tw_fail(err, TW_BAD_INPUT, "the velocity of panel %d is not finite", i / 2 % bem->count);
    return TW_OK;
}

// where one side did not converge, the others are not tried
static twStatus find_pressure(const BemSystem* system, BemFactor* factor, Complex* pressure, twBemReport* report,
                              FemMemory* memory, twError* err)
{
    // nothing moves
    if (bem_norm(system->right, system->bem->count) == 0) return TW_OK;
    twStatus status = TW_NO_CONVERGE;
    if (!factor->matrix && system->bem->def.max_iterations > 0)
        status = bem_iterate(system, pressure, report, memory, err);
    if (status == TW_NO_CONVERGE) status = bem_factor(system, factor, pressure, report, memory, err);
    return status;
}

// pressure and moments of the system's first side
static twStatus solve_side(const BemSystem* system, BemFactor* factor, Complex* pressure, int order, double* moments,
                           twBemReport* report, FemMemory* memory, twError* err)
{
    double start = tw_seconds();
    twStatus status = find_pressure(system, factor, pressure, report, memory, err);
    report->solve_seconds = tw_seconds() - start;
    if (status == TW_OK) status = bem_moments(system, pressure, order, moments, memory, err);
    report->moments_seconds = tw_seconds() - start - report->solve_seconds;
    if (status == TW_OK) report->power = bem_power(system->bem, system->k, order, moments);
    report->memory_bytes = memory->peak;
    return status;
}

twStatus tw_bem_solve_many(const twBem* bem, double freq_hz, int count, const double* normal_velocity, int order,
                           double* moments, double* pressure, twBemReport* reports, twError* err)
{
    TW_ASSERT(bem && count > 0 && normal_velocity && moments);
    if (reports) memset(reports, 0, (size_t)count * sizeof *reports);
    twStatus status = check_motion(bem, freq_hz, count, normal_velocity, order, err);
    if (status != TW_OK) return status;
    FemMemory memory = fem_memory(bem->def.max_memory_bytes);
    size_t bytes = system_bytes(bem, count) + bem_iterate_bytes(bem);
    if (bytes > fem_memory_left(&memory)) return bem_no_memory(&memory, (double)bytes, err);
    Complex* block = fem_alloc(&memory, 1, system_bytes(bem, count));
    if (!block) return bem_no_memory(&memory, (double)system_bytes(bem, count), err);

    size_t n = (size_t)bem->count, all = n * (size_t)count;
    Complex *right = block, *flux = right + all, *found = flux + all;
    float *row = (float*)(found + all), *matrix = row + BEM_OUTPUTS * (size_t)bem->far.stride;
    double k = 2 * TW_PI * freq_hz / bem->def.sound_speed * bem->radius;
    BemSystem system = {.bem = bem, .k = k, .flux = flux, .matrix = matrix, .right = right};
    Complex scale = I * (2 * TW_PI * freq_hz * bem->def.air_density * bem->radius);
    for (size_t i = 0; i < all; i++) flux[i] = scale * (normal_velocity[2 * i] + I * normal_velocity[2 * i + 1]);

    double start = tw_seconds();
    status = bem_assemble(&system, count, row, err);
    double assemble_seconds = tw_seconds() - start;
    BemFactor factor = {0};
    for (int i = 0; i < count && status == TW_OK; i++, system.flux += n, system.right += n)
    {
        twBemReport report = {.assemble_seconds = assemble_seconds};
        status = solve_side(&system, &factor, found + (size_t)i * n, order,
                            moments + 2 * (size_t)i * (size_t)((order + 1) * (order + 1)), &report, &memory, err);
        if (reports) reports[i] = report;
    }
    if (status == TW_OK && pressure) memcpy(pressure, found, all * sizeof *found);
    fem_free(&memory, factor.matrix);
    fem_free(&memory, block);
    return status;
}

twStatus tw_bem_solve(const twBem* bem, double freq_hz, const double* normal_velocity, int order, double* moments,
                      double* pressure, twBemReport* report, twError* err)
{
    return tw_bem_solve_many(bem, freq_hz, 1, normal_velocity, order, moments, pressure, report, err);
}
