// SPDX-License-Identifier: MIT
#pragma once
#include "axisymmetric.h"
#include "fem/shell_system.h"
#include "shell.h"
#include "twang/shell.h"

/// @file
/// Modes of shells that their tests share.

/// lowest frequencies of a surface as it is, without rounds. @return how many
static inline int shell_modes_as_is(const twMesh* mesh, double thickness, const bool* held, int count, double* freq_hz)
{
    twError err = {0};
    FemMemory memory = fem_memory(0);
    const ShellBody body = {
        .mesh = mesh, .thickness = thickness, .held = held, .material_count = 1, .materials = &shell_steel};
    ShellSystem system;
    if (shell_system_create(&system, &body, &memory, &err) != TW_OK) return 0;
    twFemDef want = tw_fem_def();
    want.count = count;
    const FemSolveDef def = {.system = system.fem,
                             .memory = &memory,
                             .want = &want,
                             .weyl = shell_weyl(&system, &body),
                             .rigid = system.rigid,
                             .rigid_count = system.rigid_count};
    FemSolve* solve;
    int found = 0;
    if (fem_solve_create(&solve, &def, &err) == TW_OK) found = fem_solve_result(solve).count;
    for (int k = 0; k < found; k++) freq_hz[k] = fem_system_freq_hz(system.fem, fem_solve_lambda(solve, k));
    fem_solve_destroy(solve);
    shell_system_destroy(&system, &memory);
    return found;
}

static inline twShellDef shell_def_of(const twMesh* mesh, double thickness, int count)
{
    twShellDef def = tw_shell_def();
    def.surface = mesh;
    def.thickness = thickness;
    def.material_count = 1;
    def.materials = &shell_steel;
    def.count = count;
    return def;
}

static inline twShellModes* shell_modes_of(const twShellDef* def)
{
    twError err = {0};
    twShellModes* modes;
    if (tw_shell_modes_create(&modes, def, &err) != TW_OK) printf("unexpected: %s\n", err.text);
    return modes;
}

/// integral of rho t |u|^2 over the surface, by thirds of the faces at their corners
static inline double shell_modal_mass(const twMesh* mesh, const twShellModes* modes, double thickness, int k)
{
    double sum = 0;
    for (int c = 0; c < 3 * mesh->face_count; c++)
    {
        const twTriangle* f = &mesh->faces[c / 3];
        const twVec3 a = mesh->vertices[f->v[0]];
        const twVec3 n =
            tw_vec3_cross(tw_vec3_sub(mesh->vertices[f->v[1]], a), tw_vec3_sub(mesh->vertices[f->v[2]], a));
        const double* u = modes->shape + 3 * (size_t)(k * mesh->vertex_count + f->v[c % 3]);
        sum += 7850 * thickness * tw_vec3_norm(n) / 6 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    return sum;
}

/// lowest frequency of n = from to to in steel; free() the body
static inline void shell_revolve_hz(AxiBody* body, int from, int to, double* freq_hz)
{
    body->young = 2e11;
    body->poisson = 0.3;
    body->density = 7850;
    for (int n = from; n <= to; n++)
        if (axi_modes(body, n, 1, &freq_hz[n - from]) < 1) freq_hz[n - from] = NAN;
    free(body);
}
