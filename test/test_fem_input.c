// SPDX-License-Identifier: MIT
// What an analysis makes of its input: pieces, fixed points, limits, interruption, and everything that must be refused.
#define _POSIX_C_SOURCE 200809L

#include "fem.h"
#include "fem/wait.h"
#include <time.h>

// ---- rigid motions ----

// two boxes of one mesh: the nodes of the second for which joined() is true are those of the first at the same place
static twTetMesh* two_boxes(twVec3 offset, int cells)
{
    twTetMesh *a = box_mesh(cells, cells, cells, 1, 1, 1, false), *b = box_mesh(cells, cells, cells, 1, 1, 1, false);
    int nodes = a->node_count, tets = a->tet_count;
    a->nodes = realloc(a->nodes, 2 * (size_t)nodes * sizeof *a->nodes);
    a->tets = realloc(a->tets, 2 * (size_t)tets * sizeof *a->tets);
    a->node_count *= 2;
    a->tet_count *= 2;
    for (int i = 0; i < nodes; i++) a->nodes[nodes + i] = tw_vec3_add(b->nodes[i], offset);
    for (int i = 0; i < 4 * tets; i++)
    {
        int node = nodes + b->tets[i / 4].n[i % 4];
        for (int j = 0; j < nodes; j++)
            if (tw_vec3_norm(tw_vec3_sub(a->nodes[j], a->nodes[node])) < 1e-9) node = j;
        a->tets[tets + i / 4].n[i % 4] = node;
    }
    grid_free(b);
    return a;
}

// 2 cells make full matrices, 5 a sparse problem; pieces that only touch at an edge or a corner can still turn
static int rigid_modes_of_several_pieces_are_counted(void)
{
    static const struct
    {
        twVec3 offset;
        int pieces, rigid;
    } cases[] = {{{3, 0, 0}, 2, 12}, {{1, 1, 1}, 1, 9}, {{1, 1, 0}, 1, 7}, {{1, 0, 0}, 1, 6}};
    for (int i = 0; i < 4; i++)
        for (int cells = 2; cells <= 5; cells += 3)
        {
            twTetMesh* mesh = two_boxes(cases[i].offset, cells);
            twFemModes* modes = box_modes(mesh, &aluminium, 4);
            ENSURE(modes && modes->pieces == cases[i].pieces && modes->rigid_modes == cases[i].rigid);
            ENSURE(modes->count == 4 && modes->freq_hz[0] > 10);
            tw_fem_modes_destroy(modes);
            grid_free(mesh);
        }
    return 0;
}

static int fixed_points_leave_the_rotations_about_them(void)
{
    for (int cells = 2; cells <= 6; cells += 4)
    {
        twTetMesh* mesh = box_mesh(cells, cells, cells, 1, 1, 1, false);
        int fixed[4] = {0, cells, 1, cells * (cells + 1)};  // a corner, the other end of an edge, between, another edge
        static const int counts[4] = {0, 1, 3, 4}, rigid[4] = {6, 3, 1, 0};
        for (int i = 0; i < 4; i++)
        {
            twFemDef def = def_of(mesh, &aluminium, 4);
            def.fixed_count = counts[i], def.fixed_nodes = fixed;
            twFemModes* modes = modes_of(&def);
            ENSURE(modes && modes->rigid_modes == rigid[i]);
            ENSURE(modes->freq_hz[0] > 10);
            tw_fem_modes_destroy(modes);
        }
        grid_free(mesh);
    }
    return 0;
}

// ---- what is refused ----

typedef struct Watch
{
    int calls, stop_at;
    char stages[256];
} Watch;

static bool watch(const char* stage, double done, void* context)
{
    Watch* watch = context;
    if (!(done >= 0 && done <= 1)) watch->calls = -1000;
    if (!strstr(watch->stages, stage)) strcat(strcat(watch->stages, stage), " ");
    return ++watch->calls != watch->stop_at;
}

static int memory_limit_is_refused_with_a_message_and_kept(void)
{
    twTetMesh* mesh = cube_mesh();
    twFemDef def = def_of(mesh, &aluminium, 60);
    twFemModes *free_run = modes_of(&def), *modes = NULL;
    twError err;
    ENSURE(free_run && free_run->peak_memory_bytes > free_run->factor_memory_bytes);

    // refused at every stage
    for (double part = 0.001; part < 0.7; part *= 2)
    {
        def.max_memory_bytes = (size_t)(part * (double)free_run->peak_memory_bytes);
        ENSURE(tw_fem_modes_create(&modes, &def, &err) == TW_NO_MEMORY && !modes);
        ENSURE(strstr(err.text, "limit") && strstr(err.text, "MB"));
    }

    // with the least that is not refused it restarts more often
    for (double part = 0.8; part < 1.1 && !modes; part += 0.01)
    {
        def.max_memory_bytes = (size_t)(part * (double)free_run->peak_memory_bytes);
        tw_fem_modes_create(&modes, &def, NULL);
    }
    ENSURE(modes && modes->peak_memory_bytes <= def.max_memory_bytes);
    for (int i = 0; i < 60; i++) ENSURE_NEAR(modes->freq_hz[i] / free_run->freq_hz[i], 1, 1e-8);
    tw_fem_modes_destroy(modes);
    tw_fem_modes_destroy(free_run);
    grid_free(mesh);
    return 0;
}

static int memory_that_does_not_suffice_is_known_before_the_search(void)
{
    twTetMesh* mesh = cube_mesh();
    twFemDef def = def_of(mesh, &aluminium, 100);
    def.keep_going = watch;
    for (double part = 20e6; part < 32e6; part += 1e6)
    {
        Watch seen = {0};
        twFemModes* modes = NULL;
        def.context = &seen;
        def.max_memory_bytes = (size_t)part;
        twStatus status = tw_fem_modes_create(&modes, &def, NULL);
        ENSURE(status == TW_OK || (status == TW_NO_MEMORY && !strstr(seen.stages, "modes")));
        ENSURE(status == TW_OK ? modes->peak_memory_bytes <= def.max_memory_bytes : !modes);
        ENSURE(status == (part < 22e6 ? TW_NO_MEMORY : part > 30e6 ? TW_OK : status));
        tw_fem_modes_destroy(modes);
    }
    grid_free(mesh);
    return 0;
}

static int interruption_stops_at_every_call(void)
{
    twTetMesh* mesh = box_mesh(8, 3, 2, 0.3, 0.1, 0.05, true);
    twFemDef def = def_of(mesh, &aluminium, 8);
    Watch all = {0};
    def.verify_count = true;
    def.keep_going = watch;
    def.context = &all;
    twFemModes* modes = modes_of(&def);
    ENSURE(modes && all.calls > 10);
    ENSURE_TEXT(all.stages, "assemble order factor modes check ");
    tw_fem_modes_destroy(modes);
    for (int i = 1; i <= all.calls; i++)
    {
        Watch some = {.stop_at = i};
        twError err;
        def.context = &some;
        ENSURE(tw_fem_modes_create(&modes, &def, &err) == TW_INTERRUPTED && !modes);
        ENSURE(some.calls == i);
    }
    grid_free(mesh);
    return 0;
}

static bool refused(const twFemDef* def, const char* word)
{
    twError err = {TW_OK, ""};
    twFemModes* modes = NULL;
    bool ok = tw_fem_modes_create(&modes, def, &err) == TW_BAD_INPUT && !modes && strstr(err.text, word);
    if (!ok) printf("expected \"%s\", got: %s\n", word, err.text);
    tw_fem_modes_destroy(modes);
    return ok;
}

static void sleep_a_little(void* context)
{
    *(bool*)context = true;
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
}

typedef struct Told
{
    int calls, stop_at;
    double done;
    bool falls;
} Told;

static bool hear(const char* stage, double done, void* context)
{
    Told* told = context;
    if (strcmp(stage, "factor") != 0 || !(done > told->done && done < 1)) told->falls = true;
    told->done = done;
    return ++told->calls != told->stop_at;
}

static int work_without_progress_is_told_by_the_clock(void)
{
    // the fraction rises, also when it takes longer than expected; a stop waits for the end
    for (int stop = 0; stop < 2; stop++)
    {
        Told told = {.stop_at = stop};
        bool begun = false;
        FemWait wait = {.stage = "factor", .from = 0.1, .seconds = 0.31, .keep_going = hear, .context = &told};
        ENSURE(fem_wait(&wait, sleep_a_little, &begun) == !stop && begun);
        ENSURE(!told.falls && told.done > 0.1 && (stop ? told.calls == 1 : told.calls >= 1));
    }
    return 0;
}

static int bad_numbers_are_refused_by_name(void)
{
    twTetMesh* mesh = box_mesh(2, 2, 2, 1, 1, 1, true);
    const twFemDef good = def_of(mesh, &aluminium, 4);
    const double bad[4] = {0.5, -1, 0.7, NAN};
    for (int i = 0; i < 4; i++)
    {
        twMaterial material = aluminium;
        twFemDef def = good;
        def.materials = &material;
        material.poisson = bad[i];
        ENSURE(refused(&def, "Poisson"));
        material = aluminium;
        material.density = i == 1 ? -1 : i == 3 ? NAN : 0;
        ENSURE(refused(&def, "density"));
        material = aluminium;
        material.young = i == 1 ? -1 : i == 3 ? INFINITY : 0;
        ENSURE(refused(&def, "Young"));
    }
    int node = mesh->node_count, every[200];
    for (int i = 0; i < node; i++) every[i] = i;
    twFemDef def = good;
    def.fixed_count = 1, def.fixed_nodes = &node;
    ENSURE(refused(&def, "fixed node 125"));
    def.fixed_count = node, def.fixed_nodes = every;
    ENSURE(refused(&def, "every node is fixed"));
    def = good, def.count = 0;
    ENSURE(refused(&def, "no modes wanted"));
    def = good, def.count = -1;
    ENSURE(refused(&def, "-1 modes"));
    def = good, def.max_freq_hz = NAN;
    ENSURE(refused(&def, "highest frequency"));
    def = good, def.tolerance = 0;
    ENSURE(refused(&def, "tolerance"));
    def = good, def.threads = 0;
    ENSURE(refused(&def, "threads"));
    def = good, def.material_count = 0;
    ENSURE(refused(&def, "material"));
    def = good, def.tets = NULL;
    ENSURE(refused(&def, "empty"));
    grid_free(mesh);
    return 0;
}

static int bad_meshes_are_refused_by_name(void)
{
    twTetMesh* mesh = box_mesh(2, 2, 2, 1, 1, 1, true);
    twFemDef def = def_of(mesh, &aluminium, 4);
    int *n = mesh->tets[7].n, *m = mesh->mid_nodes[7], was = n[1];

    // inverted, flat, by its mid nodes, of nodes that are not there
    n[1] = n[2], n[2] = was;
    ENSURE(refused(&def, "tet 7 is inverted"));
    n[2] = n[1], n[1] = n[0];
    ENSURE(refused(&def, "tet 7 is inverted or flat"));
    n[1] = was;
    twVec3 mid = mesh->nodes[m[0]];
    mesh->nodes[m[0]] = tw_vec3_add(mid, tw_vec3(1, 1, 1));
    ENSURE(refused(&def, "mid nodes"));
    mesh->nodes[m[0]] = mid;
    n[1] = -1;
    ENSURE(refused(&def, "tet 7: node -1"));
    n[1] = was, was = m[3], m[3] = 1 << 30;
    ENSURE(refused(&def, "tet 7: node 1073741824"));
    m[3] = was;

    // places, regions, elements
    mesh->nodes[m[3]].y = NAN;
    ENSURE(refused(&def, "not finite"));
    mesh->nodes[m[3]].y = 0.5 * (mesh->nodes[n[0]].y + mesh->nodes[n[3]].y);
    mesh->regions = calloc((size_t)mesh->tet_count, sizeof *mesh->regions);
    mesh->regions[9] = 1;
    ENSURE(refused(&def, "tet 9: region 1"));
    mesh->regions[9] = 0;
    twTetMesh linear = *mesh;
    linear.mid_nodes = NULL;
    def.tets = &linear;
    ENSURE(refused(&def, "no mid nodes"));
    linear.tet_count = 0;
    ENSURE(refused(&def, "empty"));
    def.tets = mesh;
    twFemModes* modes = modes_of(&def);
    ENSURE(modes && modes->rigid_modes == 6);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

static int too_many_modes_for_the_mesh_are_refused(void)
{
    twTetMesh* mesh = box_mesh(8, 3, 2, 0.3, 0.1, 0.05, true);
    twFemDef def = def_of(mesh, &aluminium, 3 * mesh->node_count / 2);
    ENSURE(refused(&def, "unknowns"));
    def.count = 0;
    def.max_freq_hz = 1e9;
    ENSURE(refused(&def, "unknowns"));
    grid_free(mesh);

    // full matrices give what there is
    mesh = box_mesh(1, 1, 1, 1, 1, 1, false);
    def = def_of(mesh, &aluminium, 1000);
    twFemModes* modes = modes_of(&def);
    ENSURE(modes && modes->count == 18 && modes->rigid_modes == 6);
    tw_fem_modes_destroy(modes);
    grid_free(mesh);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rigid_modes_of_several_pieces_are_counted)
    RUN(fixed_points_leave_the_rotations_about_them)
    RUN(memory_limit_is_refused_with_a_message_and_kept)
    RUN(memory_that_does_not_suffice_is_known_before_the_search)
    RUN(interruption_stops_at_every_call)
    RUN(work_without_progress_is_told_by_the_clock)
    RUN(bad_numbers_are_refused_by_name)
    RUN(bad_meshes_are_refused_by_name)
    RUN(too_many_modes_for_the_mesh_are_refused)
)
