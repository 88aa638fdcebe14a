// SPDX-License-Identifier: MIT
// From a surface and a thickness to modes, in rounds: solve, estimate the error, divide all
// triangles, until the error is as small as wanted or the next round would take too long. Each
// round before the last costs a sixth of the next.
#include "twang/shell.h"
#include "fem/lapack.h"
#include "fem/shell_check.h"
#include "fem/shell_error.h"
#include "fem/shell_surface.h"
#include "fem/shell_weld.h"
#include "fem/solve.h"
#include "mesh/copy.h"
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SHELL_FACES_MAX = 200000,    // of a round: about 10 s and 2 GB
    SHELL_FACES_FINE = 20000,    // of the first round, unless there are more modes than
    SHELL_FACES_PER_MODE = 200,  // this allows: more is finer than waves need
    SHELL_FACES_LEAST = 100      // a surface with less is not made coarser
};

// one analysis under way
typedef struct ShellRun
{
    const twShellDef* def;
    twError* err;
    FemMemory memory;
    ShellShape shape;
    ShellSurface surface;  // of this round
    ShellPlace* places;    // (vertices of the def's surface)
    ShellWeld weld;
    ShellBody body;
    ShellSystem system;
    FemSolve* solve;
    double facets;      // volume of the first surface before it is divided [m^3]
    double operations;  // of all rounds so far
    int rounds;
    double start;         // when it began [s]
    twShellModes* modes;  // of the last round
    double* share;        // (faces) of the error
} ShellRun;

twShellDef tw_shell_def(void) { return (twShellDef){.count = 32, .accuracy = 0.003, .threads = 1}; }

// ---- result ----

static twStatus shell_modes_room(twShellModes** out, const ShellRun* run, int count)
{
    const size_t modes = (size_t)count, vertices = (size_t)run->def->surface->vertex_count,
                 materials = (size_t)run->def->material_count;
    const size_t numbers = modes * (2 + 3 * vertices + 2 * materials);
    char* block = calloc(1, sizeof **out + numbers * sizeof(double));
    *out = (twShellModes*)(void*)block;
    if (!block)
        return tw_fail(run->err, TW_NO_MEMORY, "no memory for %d modes of %d vertices", count,
                       run->def->surface->vertex_count);
    double* at = (double*)(void*)(block + sizeof **out);
    (*out)->freq_hz = at;
    (*out)->error = at += modes;
    (*out)->shape = at += modes;
    (*out)->kinetic = at += 3 * modes * vertices;
    (*out)->elastic = at + modes * materials;
    (*out)->count = count;
    (*out)->vertex_count = run->def->surface->vertex_count;
    (*out)->material_count = run->def->material_count;
    return TW_OK;
}

void tw_shell_modes_destroy(twShellModes* modes) { free(modes); }

// displacement of a vertex of the given surface in a mode x
static twVec3 shell_displacement(const ShellRun* run, const ShellPlace* place, const double* x)
{
    const FemSystem* fem = run->system.fem;
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
    {
        const int a = fem->active[place->vertex[i]];
        if (a < 0 || place->weight[i] == 0) continue;
        const double *u = x + 6 * (size_t)a, s = 1 / (run->system.rotation_length * fem->length);
        const twVec3 theta = tw_vec3(s * u[3], s * u[4], s * u[5]);
        const twVec3 part = tw_vec3_add(tw_vec3(u[0], u[1], u[2]), tw_vec3_cross(theta, place->arm[i]));
        sum = tw_vec3_add_scaled(sum, part, place->weight[i]);
    }
    return sum;
}

static void shell_fill_shape(const ShellRun* run, double* shape, const double* x)
{
    const FemSystem* fem = run->system.fem;
    const double unit = 1 / sqrt(fem->density * fem->length * fem->length * fem->length);
    for (int v = 0; v < run->def->surface->vertex_count; v++)
    {
        const twVec3 u = tw_vec3_scale(shell_displacement(run, &run->places[v], x), unit);
        shape[3 * v] = u.x, shape[3 * v + 1] = u.y, shape[3 * v + 2] = u.z;
    }
}

// ---- energy of the materials ----

// x^T K x and x^T M x of a face, summed into its material
static void shell_face_energy(const ShellRun* run, int face, const ShellElement* e, const double* x, double* kinetic,
                              double* elastic)
{
    const FemSystem* fem = run->system.fem;
    const double t = run->body.thickness / fem->length, s = run->system.rotation_length;
    const int region = run->body.mesh->regions ? run->body.mesh->regions[face] : 0;
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++)
        {
            const int a = fem->active[run->body.mesh->faces[face].v[p / 2]];
            const int b = fem->active[run->body.mesh->faces[face].v[q / 2]];
            if (a < 0 || b < 0) continue;
            const double *u = x + 3 * (size_t)(2 * a + p % 2), *v = x + 3 * (size_t)(2 * b + q % 2), *k = e->k[p][q];
            for (int i = 0; i < 9; i++) elastic[region] += u[i / 3] * k[i] * v[i % 3];
            if (p % 2 == q % 2)
                kinetic[region] +=
                    e->m[p / 2][q / 2] * (p % 2 ? t * t / (12 * s * s) : 1) * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
        }
}

static void shell_normalise(double* share, int count)
{
    double sum = 0;
    for (int r = 0; r < count; r++) sum += share[r] = fmax(0, share[r]);
    for (int r = 0; r < count && sum > 0; r++) share[r] = fmin(1, share[r] / sum);
}

// shares of the materials in the modes x (3 nodes x count)
static twStatus shell_fill_energy(ShellRun* run, const double* x, int count, double* kinetic, double* elastic)
{
    const int materials = run->def->material_count;
    const size_t n = 3 * (size_t)run->system.fem->nodes;
    uint8_t* free_edges = materials > 1 ? shell_free_edges(&run->body, &run->memory) : NULL;
    if (materials > 1 && !free_edges) return fem_no_memory(&run->memory, 0, "the energies", run->err);
    for (int f = 0; materials > 1 && f < run->body.mesh->face_count; f++)
    {
        ShellElement e;
        const bool sides[3] = {free_edges[f] & 1, free_edges[f] & 2, free_edges[f] & 4};
        if (!shell_system_element(&e, &run->system, &run->body, f, sides)) continue;
        for (int k = 0; k < count; k++)
            shell_face_energy(run, f, &e, x + (size_t)k * n, kinetic + k * materials, elastic + k * materials);
    }
    for (int k = 0; k < count; k++)
    {
        if (materials == 1) kinetic[k] = elastic[k] = 1;
        shell_normalise(kinetic + k * materials, materials);
        shell_normalise(elastic + k * materials, materials);
    }
    fem_free(&run->memory, free_edges);
    return TW_OK;
}

// ---- one round ----

static void shell_round_free(ShellRun* run)
{
    fem_solve_destroy(run->solve);
    run->solve = NULL;
    shell_system_destroy(&run->system, &run->memory);
    free(run->weld.ties);
    run->weld = (ShellWeld){0};
}

static twStatus shell_report(const ShellRun* run, double done)
{
    const twShellDef* def = run->def;
    if (!def->keep_going || def->keep_going("assemble", done, def->context)) return TW_OK;
    return tw_fail(run->err, TW_INTERRUPTED, "interrupted at stage \"assemble\"");
}

static twStatus shell_round_assemble(ShellRun* run)
{
    const twShellDef* def = run->def;
    twStatus status = shell_report(run, 0);
    if (status == TW_OK) status = shell_weld(&run->weld, run->surface.mesh, def->thickness, run->err);
    run->body = (ShellBody){.mesh = run->surface.mesh,
                            .held = run->surface.held,
                            .thickness = def->thickness,
                            .material_count = def->material_count,
                            .materials = def->materials,
                            .fibre = def->fibre,
                            .tie_count = run->weld.tie_count,
                            .ties = run->weld.ties};
    if (status == TW_OK) status = shell_system_create(&run->system, &run->body, &run->memory, run->err);
    return status == TW_OK ? shell_report(run, 1) : status;
}

// lambda in the widest gap about the middle of the modes of the round before; 0: not known
static double shell_round_shift(const ShellRun* run)
{
    const twShellModes* modes = run->modes;
    if (!modes || modes->count < 4) return 0;
    int best = modes->count / 2;
    for (int k = modes->count / 3; k + 1 < (2 * modes->count + 2) / 3; k++)
        if (modes->freq_hz[k + 1] / modes->freq_hz[k] > modes->freq_hz[best + 1] / modes->freq_hz[best]) best = k;
    return fem_system_lambda(run->system.fem, 0.5 * (modes->freq_hz[best] + modes->freq_hz[best + 1]));
}

static twStatus shell_round_solve(ShellRun* run)
{
    const twShellDef* def = run->def;
    twFemDef want = tw_fem_def();
    want.count = def->count;
    want.max_freq_hz = def->max_freq_hz;
    want.tolerance = 3e-4;  // of the residual; frequencies are good to its square
    want.keep_going = def->keep_going;
    want.context = def->context;
    const FemSolveDef solve = {.system = run->system.fem,
                               .memory = &run->memory,
                               .want = &want,
                               .weyl = shell_weyl(&run->system, &run->body),
                               .shift = shell_round_shift(run),
                               .rigid = run->system.rigid,
                               .rigid_count = run->system.rigid_count,
                               .max_operations =
                                   def->max_operations > 0 ? fmax(1, def->max_operations - run->operations) : 0};
    return fem_solve_create(&run->solve, &solve, run->err);
}

// shapes, jumps and energies of the modes, some at a time
static twStatus shell_round_fill(ShellRun* run, twShellModes* modes, double* jumps, double* share)
{
    const FemSystem* fem = run->system.fem;
    const size_t n = 3 * (size_t)fem->nodes, rows = 3 * (size_t)modes->vertex_count;
    const int materials = modes->material_count;
    double* x = fem_alloc(&run->memory, n * FEM_VECTORS, sizeof *x);
    twStatus status = x ? TW_OK : fem_no_memory(&run->memory, 64.0 * (double)n, "the shapes", run->err);
    for (int i = 0; status == TW_OK && i < modes->count; i += FEM_VECTORS)
    {
        const int count = modes->count - i < FEM_VECTORS ? modes->count - i : FEM_VECTORS;
        double lambda[FEM_VECTORS];
        fem_solve_vectors(run->solve, i, count, x);
        for (int k = 0; k < count; k++)
        {
            lambda[k] = fem_solve_lambda(run->solve, i + k);
            ((double*)modes->freq_hz)[i + k] = fem_system_freq_hz(fem, lambda[k]);
            shell_fill_shape(run, (double*)modes->shape + (size_t)(i + k) * rows, x + (size_t)k * n);
        }
        status =
            shell_error_jumps(jumps + i, share, &run->system, &run->body, x, lambda, count, &run->memory, run->err);
        if (status == TW_OK)
            status = shell_fill_energy(run, x, count, (double*)modes->kinetic + i * materials,
                                       (double*)modes->elastic + i * materials);
    }
    fem_free(&run->memory, x);
    return status;
}

static void shell_round_describe(ShellRun* run, twShellModes* modes)
{
    const FemSolved solved = fem_solve_result(run->solve);
    modes->rigid_modes = run->system.rigid_count + solved.zeros;
    modes->pieces = run->system.fem->pieces;
    modes->welded = run->weld.parts > modes->pieces ? run->weld.parts - modes->pieces : 0;
    modes->elements = run->body.mesh->face_count;
    modes->mass = shell_surface_mass(run->body.mesh, run->def->thickness, run->def->materials);
    run->operations += solved.operations;
    modes->rounds = ++run->rounds;
}

// the result of a round takes the place of the one before
static twStatus shell_round_result(ShellRun* run)
{
    const int count = fem_solve_result(run->solve).count;
    twShellModes* modes = NULL;
    double* jumps = calloc((size_t)count + 1, sizeof *jumps);
    double* share = calloc((size_t)run->body.mesh->face_count, sizeof *share);
    twStatus status = jumps && share ? shell_modes_room(&modes, run, count)
                                     : tw_fail(run->err, TW_NO_MEMORY, "no memory for %d modes", count);
    if (status == TW_OK) status = shell_round_fill(run, modes, jumps, share);
    if (status == TW_OK)
    {
        const twShellModes* before = run->modes;
        shell_round_describe(run, modes);
        shell_error_estimate((double*)modes->error, modes->freq_hz, jumps, count, before ? before->freq_hz : NULL,
                             before ? before->count : 0);
        free(run->modes);
        free(run->share);
        run->modes = modes;
        run->share = share;
    }
    else
    {
        free(modes);
        free(share);
    }
    free(jumps);
    return status;
}

static twStatus shell_round(ShellRun* run)
{
    twStatus status = shell_round_assemble(run);
    if (status == TW_OK) status = shell_round_solve(run);
    if (status == TW_OK) status = shell_round_result(run);
    shell_round_free(run);
    return status;
}

// ---- rounds ----

// wave number of mode n, counted from 1, of a plate of this area: N = A k^2 / 4 pi, rigid motions among them [1/m]
static double shell_wave_number(const ShellShape* shape, int n) { return sqrt(4 * TW_PI * (n + 6) / shape->area); }

// of the highest mode wanted [1/m]
static double shell_highest_wave(const ShellShape* shape, const twShellDef* def)
{
    const twMaterial mean = tw_material_isotropic(&def->materials[0]), *m = &mean;
    const double by_count = shell_wave_number(shape, def->count);
    const double rigidity = m->young * pow(def->thickness, 2) / (12 * (1 - m->poisson * m->poisson) * m->density);
    const double by_freq = sqrt(2 * TW_PI * def->max_freq_hz / sqrt(rigidity));
    return def->count == 0 ? by_freq : def->max_freq_hz == 0 ? by_count : fmin(by_count, by_freq);
}

static double shell_wave_length(const ShellRun* run) { return 2 * TW_PI / shell_highest_wave(&run->shape, run->def); }

// divide until edges are this part of a wave, as far as that makes sense
static twStatus shell_prepare(ShellRun* run, double part)
{
    const double longest = shell_wave_length(run) * part;
    for (int faces = 0; faces != run->surface.mesh->face_count;)
    {
        faces = run->surface.mesh->face_count;
        if (faces > SHELL_FACES_FINE) return TW_OK;
        const twStatus status = shell_surface_refine(&run->surface, longest, NULL, run->err);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

static int shell_faces_wanted(const ShellRun* run)
{
    const double wave = shell_wave_length(run), count = 4 * TW_PI * run->shape.area / (wave * wave);
    return (int)fmin(SHELL_FACES_MAX, fmax(SHELL_FACES_FINE, SHELL_FACES_PER_MODE * count));
}

// from the outer face of a wall to its middle; 0: the surface is the middle
static double shell_inset(const ShellRun* run)
{
    if (!run->def->hollow || !run->shape.closed) return 0;
    return run->shape.volume < 0 ? -0.5 * run->def->thickness : 0.5 * run->def->thickness;
}

// on the surface as it is, or a coarser one if that would take too much
static twStatus shell_first_round(ShellRun* run)
{
    double part = 1.0 / 8;  // of a wave
    for (int faces = shell_faces_wanted(run), before = INT_MAX;; part *= 2)
    {
        shell_surface_destroy(&run->surface);
        free(run->places);
        run->places = NULL;
        twStatus status =
            shell_surface_create(&run->surface, &run->places, run->def, shell_inset(run), faces, run->err);
        if (status != TW_OK) return status;
        faces = run->surface.mesh->face_count;
        run->facets = shell_surface_mass(run->surface.mesh, run->def->thickness, run->def->materials).volume;
        status = shell_prepare(run, part);
        if (status == TW_OK) status = shell_round(run);
        const bool less = run->surface.mesh->face_count < before && run->surface.mesh->face_count > SHELL_FACES_LEAST;
        if ((status != TW_LIMIT && status != TW_NO_MEMORY) || !less) return status;
        before = run->surface.mesh->face_count;
        faces = faces > 4 * SHELL_FACES_LEAST ? faces / 4 : SHELL_FACES_LEAST;
    }
}

static double shell_worst(const twShellModes* modes)
{
    double worst = 0;
    for (int k = 0; k < modes->count; k++) worst = fmax(worst, modes->error[k]);
    return worst;
}

// a face and its share of the error
typedef struct ShellFaceShare
{
    double share;
    int face;
} ShellFaceShare;

static int shell_share_compare(const void* a, const void* b)
{
    const ShellFaceShare *p = a, *q = b;
    if (p->share != q->share) return p->share < q->share ? 1 : -1;
    return (p->face > q->face) - (p->face < q->face);
}

// Divide the faces that have nearly all of the error, and a quarter of all at least: rounds that
// divide a few faces at a point where stress is infinite cost more than they bring.
static twStatus shell_divide_marked(ShellRun* run)
{
    const double part = 0.95, least = 0.25;
    const int faces = run->surface.mesh->face_count;
    ShellFaceShare* order = malloc((size_t)faces * sizeof *order);
    bool* marked = calloc((size_t)faces, sizeof *marked);
    twStatus status = order && marked ? TW_OK : tw_fail(run->err, TW_NO_MEMORY, "no memory for %d faces", faces);
    double sum = 0, so_far = 0;
    for (int f = 0; status == TW_OK && f < faces; f++)
    {
        order[f] = (ShellFaceShare){run->share[f], f};
        sum += run->share[f];
    }
    if (status == TW_OK) qsort(order, (size_t)faces, sizeof *order, shell_share_compare);
    for (int i = 0; status == TW_OK && i < faces && (so_far <= part * sum || i < least * faces); i++)
    {
        marked[order[i].face] = true;
        so_far += order[i].share;
    }
    if (status == TW_OK) status = shell_surface_refine(&run->surface, HUGE_VAL, marked, run->err);
    free(order);
    free(marked);
    return status;
}

static double shell_accuracy(const twShellDef* def) { return def->accuracy > 0 ? def->accuracy : 0.003; }

static twStatus shell_more_rounds(ShellRun* run)
{
    const double accuracy = shell_accuracy(run->def);
    double before = 0;
    while (shell_worst(run->modes) > accuracy && 4 * (double)run->surface.mesh->face_count < SHELL_FACES_MAX)
    {
        // the next round costs more than the last
        const double least = run->operations + (run->operations - before);
        if (run->def->max_operations > 0 && least > run->def->max_operations) return TW_OK;
        before = run->operations;
        twError err = {0};
        twError* const kept = run->err;
        run->err = &err;
        twStatus status = shell_divide_marked(run);
        if (status == TW_OK) status = shell_round(run);
        run->err = kept;
        if (status == TW_LIMIT || status == TW_NO_MEMORY) return TW_OK;
        if (status != TW_OK) return tw_fail(run->err, status, "%s", err.text);
    }
    return TW_OK;
}

// ---- what no round makes better ----

// of a mode with this wave number [1/m]
static double shell_theory(const ShellShape* shape, const twShellDef* def, double wave)
{
    return shell_error_theory(shape->corner_share, shape->curvature, wave * def->thickness);
}

static void shell_add_errors(const ShellRun* run)
{
    const double guess = shell_error_guess(run->modes->mass.volume / run->facets);
    for (int k = 0; k < run->modes->count; k++)
        ((double*)run->modes->error)[k] += shell_theory(&run->shape, run->def, shell_wave_number(&run->shape, k + 1)) +
                                           guess + run->def->surface_error;
}

twStatus tw_shell_theory_error(double* out, const twShellDef* def, twError* err)
{
    ShellShape shape;
    const twStatus status = shell_measure(&shape, def, err);
    *out = status == TW_OK ? shell_theory(&shape, def, shell_highest_wave(&shape, def)) : 0;
    return status;
}

// ---- notes ----

TW_PRINTF(2, 3) static void shell_note(twShellModes* modes, const char* format, ...)
{
    const size_t at = strlen(modes->note);
    char* out = modes->note + at;
    const size_t room = sizeof modes->note - at;
    va_list args;
    va_start(args, format);
    const int ahead = at > 0 ? snprintf(out, room, "; ") : 0;
    if ((size_t)ahead < room) vsnprintf(out + ahead, room - (size_t)ahead, format, args);
    va_end(args);
}

static void shell_notes(ShellRun* run)
{
    const twShellDef* def = run->def;
    twShellModes* modes = run->modes;
    if (modes->welded > 0) shell_note(modes, "%d parts welded where they touch", modes->welded);
    if (modes->pieces > 1) shell_note(modes, "%d pieces do not touch and move apart", modes->pieces);
    if (def->hollow && !run->shape.closed) shell_note(modes, "the surface is open: taken as the middle of the wall");
    if (def->hollow && run->shape.closed && run->shape.volume < 0) shell_note(modes, "the surface is inside out");
    if (run->shape.close_share > 0.05)
        shell_note(modes, "%.0f %% of the surface has another sheet nearer than five times the thickness",
                   100 * run->shape.close_share);
    const double worst = shell_worst(modes),
                 theory = shell_theory(&run->shape, def, shell_wave_number(&run->shape, modes->count));
    if (theory > 0.01)
        shell_note(
            modes,
            "walls are thick beside sharp edges, radii or waves, so that frequencies of a shell may be up to %.1f %% low",
            100 * theory);
    if (worst > shell_accuracy(def)) shell_note(modes, "frequencies may be off by up to %.1f %%", 100 * worst);
}

// ---- all of it ----

static twStatus shell_analyse(ShellRun* run)
{
    twStatus status = shell_check(&run->shape, run->def, run->err);
    if (status == TW_OK) status = shell_first_round(run);
    if (status == TW_OK) status = shell_more_rounds(run);
    if (status != TW_OK) return status;
    shell_add_errors(run);
    shell_notes(run);
    run->modes->operations = run->operations;
    run->modes->peak_memory_bytes = run->memory.peak;
    run->modes->seconds = tw_seconds() - run->start;
    return TW_OK;
}

twStatus tw_shell_modes_create(twShellModes** out, const twShellDef* def, twError* err)
{
    TW_ASSERT(out && def);
    *out = NULL;
    ShellRun run = {.def = def, .err = err, .memory = fem_memory(def->max_memory_bytes), .start = tw_seconds()};
    const int threads = fem_blas_threads(def->threads);
    const twStatus status = shell_analyse(&run);
    fem_blas_threads(threads);
    if (status == TW_OK)
        *out = run.modes;
    else
        free(run.modes);
    free(run.share);
    free(run.places);
    shell_surface_destroy(&run.surface);
    return status;
}

static double shell_area(const twMesh* mesh)
{
    const twMaterial unit = {.density = 1};
    twMesh plain = *mesh;
    plain.regions = NULL;
    return shell_surface_mass(&plain, 1, &unit).volume;
}

twStatus tw_shell_divide(twMesh** out, double* error, const twMesh* surface, double longest, twError* err)
{
    ShellSurface divided = {0};
    *out = NULL;
    twStatus status = tw_mesh_copy(&divided.mesh, surface, err);
    for (int faces = 0; status == TW_OK && faces != divided.mesh->face_count;)
    {
        faces = divided.mesh->face_count;
        status = shell_surface_refine(&divided, longest, NULL, err);
    }
    if (status != TW_OK)
    {
        shell_surface_destroy(&divided);
        return status;
    }
    *out = divided.mesh;
    *error = shell_error_guess(shell_area(divided.mesh) / shell_area(surface));
    return TW_OK;
}
