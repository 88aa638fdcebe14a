// SPDX-License-Identifier: MIT
// Memory of block-banded systems. The numbers are in band_kernel.h.
#include "band.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double* tw_band_block(const RodBand* band, int node, int k)
{
    return band->a + ((size_t)node * 3 + (size_t)k) * (size_t)band->size;
}

// hand out count doubles from *at, aligned to 64 bytes; with base NULL only count
static double* take(double* base, size_t* at, size_t count)
{
    double* result = base ? base + *at : NULL;
    *at += (count + 7) / 8 * 8;
    return result;
}

static size_t lay_out(RodBand* band, double* base, bool brief)
{
    size_t at = 0, n = (size_t)band->n, size = (size_t)band->size;
    band->a = take(base, &at, n * 3 * size);
    for (int half = 0; half < 2; half++)
    {
        band->down[half] = take(base, &at, (n + 3) * 3 * size);
        band->up[half] = take(base, &at, (n + 3) * 2 * size);
        band->work[half] = take(base, &at, (n + 3) * 3 * size);
    }
    brief = brief && band->is_complex && band->cols == 4 && !band->closed;
    for (int half = 0; brief && half < 2; half++)
        band->short_down[half] = (float*)take(base, &at, (n / 2 + 8) * 3 * size / 2);
    band->turn = take(base, &at, (n + 8) * 4);
    if (brief) band->short_turn = (float*)take(base, &at, (n + 8) * 2);
    size_t cols = 2 * (size_t)band->cols;
    band->border = take(base, &at, band->closed ? n * cols * (size_t)band->vec : 0);
    band->schur = take(base, &at, band->closed ? cols * cols * 2 : 0);
    return at;
}

RodBand* tw_band_create(int nodes, int cols, bool is_complex, bool closed, bool brief)
{
    RodBand* band = calloc(1, sizeof *band);
    if (!band) return NULL;
    band->n = nodes < BAND_MIN_NODES ? BAND_MIN_NODES : nodes;
    band->closed = closed;
    band->band_n = closed ? band->n - BAND_REACH : band->n;
    band->m = (band->band_n - BAND_REACH) / 2;
    band->is_complex = is_complex;
    band->cols = cols;
    band->rows = (cols + 3) / 4 * 4;
    band->vec = band->rows * (is_complex ? 2 : 1);
    band->size = band->cols * band->vec;
    size_t count = lay_out(band, NULL, brief);
    band->block = calloc(count + 8, sizeof(double));
    if (!band->block)
    {
        free(band);
        return NULL;
    }
    lay_out(band, (double*)(((uintptr_t)band->block + 63) / 64 * 64), brief);
    for (int half = 0; half < 2; half++)
    {
        band->own_down[half] = band->down[half];
        band->own_up[half] = band->up[half];
        band->own_short[half] = band->short_down[half];
    }
    return band;
}

void tw_band_destroy(RodBand* band)
{
    if (!band) return;
    free(band->block);
    free(band);
}

void tw_band_use(RodBand* band, const RodBand* other)
{
    for (int half = 0; half < 2; half++)
    {
        band->down[half] = other ? other->down[half] : band->own_down[half];
        band->up[half] = other ? other->up[half] : band->own_up[half];
        band->short_down[half] = other ? other->short_down[half] : band->own_short[half];
    }
}
