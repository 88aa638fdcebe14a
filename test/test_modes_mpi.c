// SPDX-License-Identifier: MIT
// Tests of twang-modes-mpi: runs it under mpirun beside `twang modes`, whose solver and arithmetic are others, and
// compares the files they write. Runs that hang are ended and fail.
#define _XOPEN_SOURCE 700
#include "grid.h"
#include "scratch.h"
#include "test.h"
#include "twang/modal.h"
#include <sys/wait.h>

#define FULL_MATRIX_NODES 200  // no other rank is asked to help with as few
#define SEQUENTIAL "twang modes"
#define PARALLEL "twang-modes-mpi"

// ---- running ----

static char output[1 << 16];

// run a program of the build on a number of ranks (0: without mpirun); what it says goes to output. @return exit code
static int run(int ranks, const char* program, const char* args)
{
    char command[4096], launcher[512] = "";
    if (ranks > 0) snprintf(launcher, sizeof launcher, "'%s' -n %d ", TEST_MPIRUN, ranks);
    snprintf(command, sizeof command, "cd '%s' && timeout 100 %s'%s'/%s %s 2>&1 </dev/null", scratch_folder(), launcher,
             TEST_BIN_DIR, program, args);
    FILE* pipe = popen(command, "r");
    if (!pipe) return -1;
    size_t used = fread(output, 1, sizeof output - 1, pipe);
    output[used] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// modes of a body found by a program; NULL if that fails
static twModeSet* modes_of(int ranks, const char* program, const char* args)
{
    char all[1024];
    twModeSet* set = NULL;
    twError err = {0};
    snprintf(all, sizeof all, "%s --no-cache -o modes.twmodes", args);
    remove(in_folder("modes.twmodes"));
    if (run(ranks, program, all) != 0 || tw_mode_set_load(&set, in_folder("modes.twmodes"), &err) != TW_OK)
        printf("%s %s on %d ranks:\n%s%s\n", program, all, ranks, output, err.text);
    return set;
}

// ---- comparing ----

// Vectors of equal frequencies may be mixed, but the sum of their squares at a point is what it is. The last group may be
// cut off by the count and is left out.
static int same_shapes(const twModeSet* a, const twModeSet* b)
{
    const double equal = 1e-5, tolerance = 1e-4;
    for (int first = 0, next; first < a->mode_count; first = next)
    {
        for (next = first + 1; next < a->mode_count && a->freq_hz[next] < (1 + equal) * a->freq_hz[next - 1];) next++;
        if (next == a->mode_count) break;
        double most = 0, off = 0;
        for (int i = 0; i < a->vertex_count; i++)
        {
            double sum_a = 0, sum_b = 0;
            for (int k = first; k < next; k++)
            {
                const float *x = a->shape + 3 * ((size_t)k * (size_t)a->vertex_count + (size_t)i),
                            *y = b->shape + 3 * ((size_t)k * (size_t)a->vertex_count + (size_t)i);
                for (int d = 0; d < 3; d++) sum_a += (double)x[d] * x[d], sum_b += (double)y[d] * y[d];
            }
            most = fmax(most, sum_a);
            off = fmax(off, fabs(sum_a - sum_b));
        }
        ENSURE_NEAR(off / most, 0, tolerance);
    }
    return 0;
}

static int same_sets(const twModeSet* a, const twModeSet* b)
{
    ENSURE(a && b);
    ENSURE(a->mode_count > 0 && a->mode_count == b->mode_count);
    ENSURE(a->vertex_count == b->vertex_count);
    ENSURE(a->rigid_modes == b->rigid_modes);
    for (int k = 0; k < a->mode_count; k++) ENSURE_NEAR(b->freq_hz[k] / a->freq_hz[k] - 1, 0, 1e-8);
    ENSURE_NEAR(b->mass.mass / a->mass.mass - 1, 0, 1e-12);
    return same_shapes(a, b);
}

// what twang and some ranks of the other find for a body; *rigid: its rigid modes
static int same_modes(int ranks, const char* args, int* rigid)
{
    twModeSet *one = modes_of(0, SEQUENTIAL, args), *other = modes_of(ranks, PARALLEL, args);
    int failed = same_sets(one, other);
    *rigid = one ? one->rigid_modes : -1;
    if (one && ranks > 0 && one->vertex_count <= FULL_MATRIX_NODES)
    {
        printf("%s: the first rank needs no help with %d nodes\n", args, one->vertex_count);
        failed = 1;
    }
    tw_mode_set_destroy(one);
    tw_mode_set_destroy(other);
    return failed;
}

// ---- bodies from files ----

// A Gmsh file of two bars in a row, of regions 1 and 2, that touch or not.
static bool save_bars(const char* name, bool apart)
{
    const Grid grid = {.cells = {8, 2, 2}, .map = grid_box, .size = {0.08, 0.02, 0.015}};
    twTetMesh* bar = grid_mesh(&grid);
    FILE* file = bar ? fopen(in_folder(name), "w") : NULL;
    if (!file)
    {
        grid_free(bar);
        return false;
    }
    int n = bar->node_count, copies = apart ? 2 : 1;
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", copies * n);
    for (int c = 0; c < copies; c++)
        for (int i = 0; i < n; i++)
            fprintf(file, "%d %.17g %.17g %.17g\n", c * n + i + 1, bar->nodes[i].x + 0.1 * c, bar->nodes[i].y,
                    bar->nodes[i].z);
    fprintf(file, "$EndNodes\n$Elements\n%d\n", copies * bar->tet_count);
    for (int c = 0; c < copies; c++)
        for (int e = 0; e < bar->tet_count; e++)
        {
            // one bar has its regions half and half
            const int* v = bar->tets[e].n;
            double x = bar->nodes[v[0]].x + bar->nodes[v[1]].x + bar->nodes[v[2]].x + bar->nodes[v[3]].x;
            int region = apart ? c + 1 : x < 4 * 0.04 ? 1 : 2;
            fprintf(file, "%d 4 2 %d %d %d %d %d %d\n", c * bar->tet_count + e + 1, region, region, c * n + v[0] + 1,
                    c * n + v[1] + 1, c * n + v[2] + 1, c * n + v[3] + 1);
        }
    fprintf(file, "$EndElements\n");
    grid_free(bar);
    return fclose(file) == 0;
}

// A Gmsh file of a block from 0 to its size [m].
static bool save_block(const char* name, double x, double y, double z, int along, int across)
{
    const Grid grid = {.cells = {along, across, across}, .map = grid_box, .size = {x, y, z}};
    twTetMesh* block = grid_mesh(&grid);
    FILE* file = block ? fopen(in_folder(name), "w") : NULL;
    if (!file)
    {
        grid_free(block);
        return false;
    }
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", block->node_count);
    for (int i = 0; i < block->node_count; i++)
        fprintf(file, "%d %.17g %.17g %.17g\n", i + 1, block->nodes[i].x, block->nodes[i].y, block->nodes[i].z);
    fprintf(file, "$EndNodes\n$Elements\n%d\n", block->tet_count);
    for (int e = 0; e < block->tet_count; e++)
    {
        const int* v = block->tets[e].n;
        fprintf(file, "%d 4 2 1 1 %d %d %d %d\n", e + 1, v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
    }
    fprintf(file, "$EndElements\n");
    grid_free(block);
    return fclose(file) == 0;
}

// A Gmsh file of a block with curved elements, one of them folded.
static bool save_folded(const char* name)
{
    static const int order[6] = {0, 1, 2, 3, 5, 4};  // Gmsh's of the mid nodes
    const Grid grid = {.cells = {4, 4, 4}, .quadratic = true, .map = grid_box, .size = {0.08, 0.08, 0.08}};
    twTetMesh* block = grid_mesh(&grid);
    FILE* file = block ? fopen(in_folder(name), "w") : NULL;
    if (!file)
    {
        grid_free(block);
        return false;
    }
    block->nodes[block->mid_nodes[block->tet_count / 3][0]].x += 0.016;
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", block->node_count);
    for (int i = 0; i < block->node_count; i++)
        fprintf(file, "%d %.17g %.17g %.17g\n", i + 1, block->nodes[i].x, block->nodes[i].y, block->nodes[i].z);
    fprintf(file, "$EndNodes\n$Elements\n%d\n", block->tet_count);
    for (int e = 0; e < block->tet_count; e++)
    {
        fprintf(file, "%d 11 2 1 1", e + 1);
        for (int i = 0; i < 4; i++) fprintf(file, " %d", block->tets[e].n[i] + 1);
        for (int i = 0; i < 6; i++) fprintf(file, " %d", block->mid_nodes[e][order[i]] + 1);
        fprintf(file, "\n");
    }
    fprintf(file, "$EndElements\n");
    grid_free(block);
    return fclose(file) == 0;
}

// ---- claims ----

static int free_bar_has_the_same_modes(void)
{
    int rigid;
    ENSURE(save_block("bar.msh", 0.3048, 0.0254, 0.0127, 16, 2));
    ENSURE(same_modes(2, "bar.msh --material aluminium --count 12", &rigid) == 0);
    ENSURE(rigid == 6);
    return 0;
}

// the square section has every bending mode twice, the cube some three times
static int equal_frequencies_are_all_found(void)
{
    int rigid;
    ENSURE(save_block("box.msh", 0.05, 0.05, 0.05, 4, 4));
    ENSURE(same_modes(2, "box.msh --count 25", &rigid) == 0);
    return 0;
}

static int held_bar_has_the_same_modes(void)
{
    int rigid;
    ENSURE(save_block("held.msh", 0.2, 0.02, 0.01, 16, 2));
    ENSURE(same_modes(2, "held.msh --fix \"x<0.0001\" --count 8", &rigid) == 0);
    ENSURE(rigid == 0);
    return 0;
}

static int linear_elements_give_the_same_modes(void)
{
    int rigid;
    ENSURE(save_block("linear.msh", 0.2, 0.02, 0.02, 24, 4));
    ENSURE(same_modes(2, "linear.msh --elements linear --count 8", &rigid) == 0);
    return 0;
}

static int all_modes_up_to_a_frequency_are_the_same(void)
{
    int rigid;
    ENSURE(save_block("square.msh", 0.2, 0.02, 0.02, 16, 2));
    ENSURE(same_modes(2, "square.msh --max-freq 20000", &rigid) == 0);
    return 0;
}

static int two_pieces_on_three_ranks_have_twelve_rigid_modes(void)
{
    int rigid;
    ENSURE(save_bars("two.msh", true));
    ENSURE(same_modes(3, "two.msh --material 1=steel --material 2=steel --count 10", &rigid) == 0);
    ENSURE(rigid == 12);
    return 0;
}

static int regions_keep_their_materials(void)
{
    int rigid;
    ENSURE(save_bars("compound.msh", false));
    ENSURE(same_modes(4, "compound.msh --material 1=steel --material 2=aluminium --count 10", &rigid) == 0);
    ENSURE(rigid == 6);
    return 0;
}

// small bodies are solved as full matrices by the first rank; on its own it needs no mpirun
static int small_body_needs_no_help(void)
{
    int rigid;
    ENSURE(save_block("small.msh", 0.1, 0.1, 0.1, 2, 2));
    ENSURE(same_modes(0, "small.msh --elements linear --count 3", &rigid) == 0);
    ENSURE(rigid == 6);
    return 0;
}

// exit code of two ranks, and one message, with this in it
static int ends_with(int code, const char* args, const char* text)
{
    int got = run(2, PARALLEL, args);
    const char* first = strstr(output, "twang-modes-mpi:");
    if (got == code && first && strstr(first, text) && !strstr(first + 1, "twang-modes-mpi:")) return 1;
    printf("%s: exit code %d\n%s\n", args, got, output);
    return 0;
}

static int failures_end_all_ranks(void)
{
    ENSURE(ends_with(2, "nothing.obj", "nothing.obj"));
    ENSURE(save_block("bar.msh", 0.3, 0.02, 0.01, 16, 2) && save_block("small.msh", 0.1, 0.1, 0.1, 2, 2));
    ENSURE(ends_with(2, "bar:0.3x0.02x0.01 --no-cache", "by one process"));
    ENSURE(ends_with(1, "bar.msh --max-memory 0.004 --no-cache", "memory"));
    ENSURE(ends_with(1, "small.msh --elements linear --no-cache -o no/such/folder.twmodes", "folder"));
    ENSURE(run(2, PARALLEL, "--help") == 0 && strstr(output, "mpirun -n"));
    return 0;
}

// only the rank that has the element knows; it names it as in the file
static int what_one_rank_finds_wrong_ends_all(void)
{
    char message[512];
    ENSURE(save_folded("folded.msh"));
    ENSURE(run(0, SEQUENTIAL, "folded.msh --no-cache") == 2);
    snprintf(message, sizeof message, "%.200s", output + strlen(SEQUENTIAL));
    ENSURE(strstr(message, "is inverted"));
    ENSURE(ends_with(2, "folded.msh --no-cache", message));
    return 0;
}

static void set_environment(void)
{
    // Open MPI: root, and more ranks than processors, are fine; a rank that waits lets others work
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

// clang-format off
TEST_MAIN(
    set_environment();
    RUN(free_bar_has_the_same_modes)
    RUN(equal_frequencies_are_all_found)
    RUN(held_bar_has_the_same_modes)
    RUN(linear_elements_give_the_same_modes)
    RUN(all_modes_up_to_a_frequency_are_the_same)
    RUN(two_pieces_on_three_ranks_have_twelve_rigid_modes)
    RUN(regions_keep_their_materials)
    RUN(small_body_needs_no_help)
    RUN(failures_end_all_ranks)
    RUN(what_one_rank_finds_wrong_ends_all)
)
