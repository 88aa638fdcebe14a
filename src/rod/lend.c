// SPDX-License-Identifier: MIT
// Factors that rods lend each other. Copies of a rod that are bent alike have the same matrix in the axes of their nodes; one
// factor for all of them stays in the cache. A factor need only be about right, and once lent it never changes: a rod that
// converges slowly with it makes its own.
#include "couple.h"
#include "rod.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE 2e-3  // of the largest number of the matrix

enum
{
    MOST_LENT = 8
};

typedef struct Lent
{
    RodBand* band;
    double h;
    double* joint;  // (3 x points)
} Lent;

struct RodLender
{
    int count;
    Lent lent[MOST_LENT];
};

RodLender* tw_rod_lender_create(void) { return calloc(1, sizeof(RodLender)); }

void tw_rod_lender_clear(RodLender* lender)
{
    for (int i = 0; lender && i < lender->count; i++)
    {
        tw_band_destroy(lender->lent[i].band);
        free(lender->lent[i].joint);
    }
    if (lender) lender->count = 0;
}

void tw_rod_lender_destroy(RodLender* lender)
{
    tw_rod_lender_clear(lender);
    free(lender);
}

void tw_rod_borrow_from(twRod* rod, RodLender* lender)
{
    rod->lender = lender;
    tw_band_use(rod->band, NULL);
    rod->stale = true;
    rod->slow = rod->fresh = false;
}

static bool same_kind(const twRod* rod, const Lent* lent)
{
    const RodBand *a = rod->band, *b = lent->band;
    return a->n == b->n && a->size == b->size && lent->h == rod->scheme.h && !a->short_down[0] == !b->short_down[0];
}

// by the blocks off the diagonal: on it rows of what is held are those of the identity, which no other number can be judged by
static bool alike(const RodBand* a, const RodBand* b)
{
    const size_t size = (size_t)a->size, count = (size_t)a->n * 3 * size;
    double most = 0, off = 0;
    for (size_t i = 0; i < count; i++)
    {
        const double number = fabs(a->a[i]), apart = fabs(a->a[i] - b->a[i]);
        if (i / size % 3 > 0) most = number > most ? number : most;
        off = apart > off ? apart : off;
    }
    return off <= ALIKE * most;
}

// turns count from where they were when the factor was made
static void take_joint(twRod* rod, const Lent* lent)
{
    for (int c = 0; c < 3; c++)
        memcpy(rod->joint[c], lent->joint + (size_t)c * (size_t)rod->n, (size_t)rod->n * sizeof(double));
}

static bool add(twRod* rod)
{
    RodLender* lender = rod->lender;
    if (lender->count == MOST_LENT) return false;
    Lent* lent = lender->lent + lender->count;
    *lent = (Lent){.band = tw_band_create(rod->band->n, rod->band->cols, true, false, rod->band->short_down[0]),
                   .h = rod->scheme.h,
                   .joint = malloc(3 * (size_t)rod->n * sizeof(double))};
    lender->count++;
    if (!lent->band || !lent->joint)
    {
        tw_band_destroy(lent->band);
        free(lent->joint);
        lender->count--;
        return false;
    }
    memcpy(lent->band->a, rod->band->a, (size_t)rod->band->n * 3 * (size_t)rod->band->size * sizeof(double));
    rod->kernel->factor(lent->band);
    rod->kernel->turn(rod, true);
    for (int c = 0; c < 3; c++)
        memcpy(lent->joint + (size_t)c * (size_t)rod->n, rod->joint[c], (size_t)rod->n * sizeof(double));
    tw_band_use(rod->band, lent->band);
    return true;
}

bool tw_rod_borrow(twRod* rod)
{
    tw_band_use(rod->band, NULL);
    if (!rod->lender || rod->slow || rod->closed || !rod->band->is_complex) return false;
    for (int i = 0; i < rod->lender->count; i++)
    {
        const Lent* lent = rod->lender->lent + i;
        if (!same_kind(rod, lent) || !alike(rod->band, lent->band)) continue;
        tw_band_use(rod->band, lent->band);
        take_joint(rod, lent);
        return true;
    }
    return add(rod);
}
