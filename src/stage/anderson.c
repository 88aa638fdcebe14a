// SPDX-License-Identifier: MIT
// The least squares by their normal equations, the newest step first; a step that the newer ones already have is left out. History is
// kept in single precision: it only says where to go on from.
#include "stage/anderson.h"
#include <math.h>
#include <string.h>

#define LEAST_PIVOT 1e-10  // of a step's own square

void anderson_start(Anderson* h, int size, const double* weight)
{
    int room = size > 0 ? ANDERSON_ROOM / (2 * size) : 0;
    h->size = size;
    h->depth = room < ANDERSON_DEPTH ? room : ANDERSON_DEPTH;
    h->weight = weight;
    anderson_forget(h);
}

void anderson_forget(Anderson* h)
{
    h->count = h->next = 0;
    h->started = false;
}

static float* step_f(Anderson* h, int place) { return h->history + 2 * place * h->size; }

static float* step_g(Anderson* h, int place) { return h->history + (2 * place + 1) * h->size; }

// the place of the ring that was filled so many steps ago
static int back(const Anderson* h, int steps) { return (h->next - 1 - steps + 2 * h->depth) % h->depth; }

static void remember(Anderson* h, const double* g, const double* f)
{
    float *df = step_f(h, h->next), *dg = step_g(h, h->next);
    for (int k = 0; k < h->size; k++)
    {
        df[k] = (float)(f[k] - h->f[k]);
        dg[k] = (float)(g[k] - h->g[k]);
    }
    int place = h->next;
    h->next = (h->next + 1) % h->depth;
    if (h->count < h->depth) h->count++;
    for (int i = 0; i < h->count; i++)
    {
        int other = back(h, i);
        const float* with = step_f(h, other);
        double sum = 0;
        for (int k = 0; k < h->size; k++) sum += h->weight[k] * (double)df[k] * (double)with[k];
        h->gram[place][other] = h->gram[other][place] = sum;
    }
}

// c of all steps, newest first, by Cholesky's factors
static void solve(const Anderson* h, const double* right, double* c)
{
    double low[ANDERSON_DEPTH][ANDERSON_DEPTH] = {{0}};
    for (int i = 0; i < h->count; i++)
    {
        double own = h->gram[back(h, i)][back(h, i)], pivot = own;
        for (int k = 0; k < i; k++)
        {
            double sum = h->gram[back(h, i)][back(h, k)];
            for (int m = 0; m < k; m++) sum -= low[i][m] * low[k][m];
            low[i][k] = low[k][k] > 0 ? sum / low[k][k] : 0;
            pivot -= low[i][k] * low[i][k];
        }
        low[i][i] = pivot > LEAST_PIVOT * own ? sqrt(pivot) : 0;
        double sum = right[i];
        for (int k = 0; k < i; k++) sum -= low[i][k] * c[k];
        c[i] = low[i][i] > 0 ? sum / low[i][i] : 0;
    }
    for (int i = h->count - 1; i >= 0; i--)
    {
        double sum = c[i];
        for (int k = i + 1; k < h->count; k++) sum -= low[k][i] * c[k];
        c[i] = low[i][i] > 0 ? sum / low[i][i] : 0;
    }
}

bool anderson_mix(Anderson* h, double* x, const double* change)
{
    if (h->depth == 0) return false;
    if (h->started) remember(h, x, change);
    size_t bytes = (size_t)h->size * sizeof *x;
    memcpy(h->g, x, bytes);
    memcpy(h->f, change, bytes);
    if (!h->started) return h->started = true, false;
    double right[ANDERSON_DEPTH], c[ANDERSON_DEPTH];
    for (int i = 0; i < h->count; i++)
    {
        const float* df = step_f(h, back(h, i));
        right[i] = 0;
        for (int k = 0; k < h->size; k++) right[i] += h->weight[k] * (double)df[k] * change[k];
    }
    solve(h, right, c);
    for (int i = 0; i < h->count; i++)
    {
        const float* dg = step_g(h, back(h, i));
        for (int k = 0; k < h->size; k++) x[k] -= c[i] * (double)dg[k];
    }
    return true;
}
