// SPDX-License-Identifier: MIT
// The error estimate of cut cells, every round against the last one: random bodies that nothing was tuned on, and slender ones.
// ESTIMATE_BODIES: how many random ones; ESTIMATE_SEED: the first one's seed.

#include "carved.h"
#include "slender.h"
#include "twang/cells.h"
#include <stdio.h>

enum
{
    MODES = 20,
    ROUNDS = 8
};

static const twMaterial steel = {.name = "steel", .density = 7850, .young = 2e11, .poisson = 0.3};

// what was found over all bodies
typedef struct Tally
{
    int count, above;  // errors, those above their estimate
    double worst;      // largest error over its estimate
    int bodies;
    double ratio[256];  // of each body in its last but one round: largest estimate over largest error
} Tally;

typedef struct Rounds
{
    int count;
    double freq_hz[ROUNDS][MODES], error[ROUNDS][MODES];
} Rounds;

// Rounds until the reference has cost some 20 s of work at 2 Gflop/s; the mesh is destroyed.
static Rounds rounds_of(twMesh* mesh)
{
    Rounds rounds = {0};
    if (tw_mesh_mend(mesh, 1e-9, NULL, NULL) != TW_OK) abort();
    twCellsDef def = tw_cells_def();
    def.surface = mesh;
    def.material_count = 1;
    def.materials = &steel;
    def.count = MODES;
    twCells* cells;
    if (tw_cells_create(&cells, &def, NULL) != TW_OK) abort();
    tw_mesh_destroy(mesh);
    while (rounds.count < ROUNDS && tw_cells_next(cells, NULL) == TW_OK)
    {
        const twCellsRound* round = tw_cells_round(cells);
        if (round->count < MODES) break;
        memcpy(rounds.freq_hz[rounds.count], round->freq_hz, sizeof rounds.freq_hz[0]);
        memcpy(rounds.error[rounds.count++], round->error, sizeof rounds.error[0]);
        if (round->operations > 4e10) break;
    }
    tw_cells_destroy(cells);
    return rounds;
}

static void tally(Tally* sum, const Rounds* rounds)
{
    const double* reference = rounds->freq_hz[rounds->count - 1];
    for (int r = 0; r + 1 < rounds->count; r++)
    {
        double most = 0, said = 0;
        for (int k = 0; k < MODES; k++)
        {
            const double off = rounds->freq_hz[r][k] / reference[k] - 1, ratio = off / rounds->error[r][k];
            sum->count++;
            sum->above += ratio > 1;
            sum->worst = fmax(sum->worst, ratio);
            most = fmax(most, off);
            said = fmax(said, rounds->error[r][k]);
        }
        printf(" %.3g of %.3g %%", 100 * most, 100 * said);
        if (r + 2 == rounds->count) sum->ratio[sum->bodies++] = said / most;
    }
    printf("\n");
}

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static long setting(const char* name, long otherwise)
{
    const char* text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static int errors_of_random_bodies_are_below_their_estimates_and_near(void)
{
    const long bodies = setting("ESTIMATE_BODIES", 24), first = setting("ESTIMATE_SEED", 1);
    Tally sum = {0};
    for (long i = 0; i < bodies && sum.bodies < 256; i++)
    {
        const CarvedBody body = carved_body((uint64_t)(first + i));
        const Rounds rounds = rounds_of(carved_mesh(&body, 56));
        ENSURE(rounds.count > 1);
        printf("body %3ld:", first + i);
        tally(&sum, &rounds);
    }
    qsort(sum.ratio, (size_t)sum.bodies, sizeof *sum.ratio, compare);
    const double median = 0.5 * (sum.ratio[(sum.bodies - 1) / 2] + sum.ratio[sum.bodies / 2]);
    printf(
        "%d errors, %d above their estimate, at most by a factor of %.2f; the last but one round estimates %.2g times the "
        "largest error (median), at most %.2g times\n",
        sum.count, sum.above, sum.worst, median, sum.ratio[sum.bodies - 1]);
    ENSURE(sum.above <= 0.01 * sum.count);
    ENSURE(sum.worst < 2);
    ENSURE(median <= 4 && sum.ratio[sum.bodies - 1] <= 10);
    return 0;
}

// One function alone stretches a wall that several together bend. The first round's factor was chosen on these bodies, so this
// guards what holds; a brush is left out, whose roots no function of the next degree can bend (docs/cells.md, limits).
static int errors_of_slender_bodies_are_below_their_estimates(void)
{
    Tally sum = {0};
    for (int i = 0; i < SLENDER_COUNT; i++)
    {
        const Rounds rounds = rounds_of(slender_bodies[i].mesh());
        ENSURE(rounds.count > 1);
        printf("%-9s:", slender_bodies[i].name);
        tally(&sum, &rounds);
    }
    printf("%d errors, %d above their estimate, at most by a factor of %.2f\n", sum.count, sum.above, sum.worst);
    ENSURE(sum.above <= 0.01 * sum.count);
    ENSURE(sum.worst < 2);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(errors_of_random_bodies_are_below_their_estimates_and_near)
    RUN(errors_of_slender_bodies_are_below_their_estimates)
)
