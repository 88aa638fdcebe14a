// SPDX-License-Identifier: MIT
// shape_: what the last round of cut cells tells: frequencies with their errors, displacements at points, energies.
#include "fem/cells.h"
#include "fem/system.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- errors ----

#define SHAPE_ERROR 1.5  // safety factor on the estimate, see docs/cells.md
#define SHAPE_ERROR_MOST 0.6

static int shape_compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Mode j lies between f_j (1 - e_j) and f_j. Modes may change places, so frequency k is at least the k-th smallest of the
// lower ends.
twStatus cells_estimate(twCells* cells, const FemSystem* system, twError* err)
{
    const size_t found = (size_t)cells->modes.count;
    cells->freq_hz = malloc((found + 1) * sizeof *cells->freq_hz);
    cells->error = malloc((found + 1) * sizeof *cells->error);
    double* low = malloc((found + 1) * sizeof *low);
    if (!cells->freq_hz || !cells->error || !low)
    {
        free(low);
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", cells->modes.count);
    }
    for (size_t k = 0; k < found; k++)
    {
        cells->freq_hz[k] = fem_system_freq_hz(system, cells->modes.lambda[k]);
        low[k] = cells->freq_hz[k] * (1 - fmin(SHAPE_ERROR * cells->raw_error[k], SHAPE_ERROR_MOST));
    }
    qsort(low, found, sizeof *low, shape_compare);
    for (size_t k = 0; k < found; k++) cells->error[k] = cells->freq_hz[k] / low[k] - 1;
    free(low);
    twCellsRound* round = &cells->round;
    round->count = cells->modes.count;
    if (cells->def.count > 0 && round->count > cells->def.count) round->count = cells->def.count;
    while (cells->def.max_freq_hz > 0 && round->count > 0 && cells->freq_hz[round->count - 1] > cells->def.max_freq_hz)
        round->count--;
    round->freq_hz = cells->freq_hz;
    round->error = cells->error;
    return TW_OK;
}
