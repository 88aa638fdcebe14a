// SPDX-License-Identifier: MIT
// Shells of odd surfaces, and input that is refused: limits of time and memory, wrong numbers, needles.
#include "mesh.h"
#include "shell_modes.h"

static int limits_are_kept(void)
{
    // a surface finer than the operations allow is made coarser, and its shapes still are on all
    // vertices
    twMesh* mesh = shell_hemisphere(0.07, 96);
    twShellDef def = shell_def_of(mesh, 0.004, 4);
    def.max_operations = 2e8;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->elements < mesh->face_count / 2 && modes->operations <= def.max_operations);
    ENSURE_NEAR(modes->freq_hz[0] / 793.98, 1, 0.03);
    for (int k = 0; k < 4; k++) ENSURE_NEAR(shell_modal_mass(mesh, modes, 0.004, k), 1, 0.05);
    ENSURE(modes->error[0] > 0.001 && modes->error[0] < 0.5);
    tw_shell_modes_destroy(modes);

    // too little for anything
    twError err = {0};
    def.max_operations = 1000;
    ENSURE(tw_shell_modes_create(&modes, &def, &err) == TW_LIMIT && !modes);
    def.max_operations = 0;
    def.max_memory_bytes = 10000;
    ENSURE(tw_shell_modes_create(&modes, &def, &err) != TW_OK && !modes);
    tw_mesh_destroy(mesh);
    return 0;
}

static bool stop_at_factor(const char* stage, double done, void* context)
{
    (void)done, (void)context;
    return strcmp(stage, "factor") != 0;
}

// ---- bad input ----

static bool refused(const twShellDef* def, const char* word)
{
    twError err = {0};
    twShellModes* modes;
    const twStatus status = tw_shell_modes_create(&modes, def, &err);
    if (status == TW_BAD_INPUT && !modes && strstr(err.text, word)) return true;
    printf("status %d, \"%s\"\n", status, err.text);
    return false;
}

static int bad_input_is_named(void)
{
    twMesh* mesh = shell_plate(4, 4, 0.1, 0.1, 0);
    twMesh empty = {0};
    const twShellDef good = shell_def_of(mesh, 0.001, 4);
    twShellDef def = good;
    def.surface = &empty;
    ENSURE(refused(&def, "empty"));
    const double thickness[] = {0, -1, NAN, INFINITY, 1};
    for (int i = 0; i < 5; i++)
    {
        def = good;
        def.thickness = thickness[i];
        ENSURE(refused(&def, "thickness"));
    }
    def = good;
    def.material_count = 0;
    ENSURE(refused(&def, "material"));
    def = good;
    def.count = 0;
    ENSURE(refused(&def, "no modes"));
    bool held[25];
    memset(held, true, sizeof held);
    def = good;
    def.held = held;
    ENSURE(refused(&def, "held"));
    twShellModes* modes;
    twError err;
    def = good;
    def.keep_going = stop_at_factor;
    ENSURE(tw_shell_modes_create(&modes, &def, &err) == TW_INTERRUPTED && !modes);
    mesh->vertices[7].y = NAN;
    ENSURE(refused(&good, "vertex 7"));
    mesh->vertices[7].y = 0;
    mesh->faces[3].v[1] = 99;
    ENSURE(refused(&good, "vertex 99"));
    tw_mesh_destroy(mesh);
    return 0;
}

static int odd_surfaces_are_solved_or_refused(void)
{
    // one triangle is a small plate
    twMesh* one;
    ENSURE(tw_mesh_create(&one, 3, 1, NULL) == TW_OK);
    one->vertices[1] = tw_vec3(0.1, 0, 0);
    one->vertices[2] = tw_vec3(0, 0.1, 0);
    one->faces[0] = (twTriangle){{0, 1, 2}};
    twShellDef def = shell_def_of(one, 0.001, 4);
    def.accuracy = 0.9;
    twShellModes* modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 4 && modes->rigid_modes == 6);
    tw_shell_modes_destroy(modes);
    one->vertices[2] = tw_vec3(0.05, 0, 0);
    ENSURE(refused(&def, "area"));
    tw_mesh_destroy(one);

    // inside out and hollow: the wall is inside all the same
    const ShellCap cap = {0.05, TW_PI * 0.999, 8};
    twMesh* ball = shell_revolve(9, 16, shell_cap_point, &cap);
    ENSURE(tw_mesh_mend(ball, 0.01, NULL, NULL) == TW_OK);
    double mass[2];
    for (int i = 0; i < 2; i++)
    {
        def = shell_def_of(ball, 0.004, 2);
        def.hollow = true;
        def.accuracy = 0.9;
        modes = shell_modes_of(&def);
        ENSURE(modes && (strstr(modes->note, "inside out") != NULL) == (i == 1));
        mass[i] = modes->mass.mass;
        tw_shell_modes_destroy(modes);
        for (int f = 0; f < ball->face_count; f++)
        {
            const int v = ball->faces[f].v[0];
            ball->faces[f].v[0] = ball->faces[f].v[1];
            ball->faces[f].v[1] = v;
        }
    }
    ENSURE_NEAR(mass[1] / mass[0], 1, 1e-9);
    def.thickness = 0.04;
    ENSURE(refused(&def, "too thick for a shell"));
    tw_mesh_destroy(ball);

    // two sheets of one part that cross: as if they did not
    twMesh* fold = shell_plate(8, 4, 0.2, 0.1, 0);
    for (int v = 0; v < fold->vertex_count; v++)
    {
        const double s = 3.5 * TW_PI * (fold->vertices[v].x / 0.2 + 0.5);
        fold->vertices[v] = tw_vec3(0.05 * cos(s), fold->vertices[v].y, 0.03 * sin(s));
    }
    def = shell_def_of(fold, 0.001, 3);
    def.accuracy = 0.9;
    modes = shell_modes_of(&def);
    ENSURE(modes && modes->count == 3 && modes->rigid_modes == 6);
    tw_shell_modes_destroy(modes);
    tw_mesh_destroy(fold);
    return 0;
}

static int needles_do_no_harm(void)
{
    // rows of vertices in pairs that are 1/60 of a cell apart: triangles 60 times as long as high
    double freq[2][6];
    for (int i = 0; i < 2; i++)
    {
        twMesh* mesh = shell_plate(16, 16, 0.2, 0.2, 0);
        for (int v = 0; i == 1 && v < mesh->vertex_count; v++)
        {
            const int row = v / 17;
            if (row % 4 == 2) mesh->vertices[v].y = mesh->vertices[v - 17].y + 0.2 / 16 / 60;
        }
        ENSURE(shell_modes_as_is(mesh, 0.001, NULL, 6, freq[i]) == 6);
        tw_mesh_destroy(mesh);
    }
    for (int k = 0; k < 6; k++) ENSURE_NEAR(freq[1][k] / freq[0][k], 1, 0.02);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(limits_are_kept)
    RUN(bad_input_is_named)
    RUN(odd_surfaces_are_solved_or_refused)
    RUN(needles_do_no_harm)
)
