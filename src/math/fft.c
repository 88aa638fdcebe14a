// SPDX-License-Identifier: MIT
// Radix-2 FFT, decimation in time (Cooley and Tukey 1965): after reordering by bit reversal, stages of half-length
// h = 1, 2, 4 ... n/2 combine pairs with w_j = exp(sign pi i j / h):
//     (x[a], x[a+h])  <-  (x[a] + w_j x[a+h],  x[a] - w_j x[a+h]),   j = a mod h.
// Accuracy is that of the factors. In chunks of 16, w_{j+k} = w_j w_k with both from sin and cos: one rounding more
// than the best, for an eighth of the cost. Chunks also make the inner loop a plain vector loop.
#include "twang/math.h"

enum
{
    CHUNK = 16
};

typedef struct Factors
{
    double c[CHUNK], s[CHUNK];
} Factors;

static void swap(double* a, double* b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

static void reorder(double* re, double* im, int n)
{
    // j counts like i, but with its bits mirrored: carry runs downwards
    for (int i = 0, j = 0; i < n; i++)
    {
        if (i < j)
        {
            swap(&re[i], &re[j]);
            swap(&im[i], &im[j]);
        }
        int bit = n >> 1;
        while (bit > 0 && (j & bit))
        {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
    }
}

// count pairs: low half (re, im), high half (re + h, im + h)
static void combine(double* restrict low_re, double* restrict low_im, double* restrict high_re,
                    double* restrict high_im, const Factors* w, int count)
{
    for (int k = 0; k < count; k++)
    {
        double x = w->c[k] * high_re[k] - w->s[k] * high_im[k];
        double y = w->c[k] * high_im[k] + w->s[k] * high_re[k];
        high_re[k] = low_re[k] - x;
        high_im[k] = low_im[k] - y;
        low_re[k] += x;
        low_im[k] += y;
    }
}

static void stage(double* re, double* im, int n, int h, int sign)
{
    double angle = sign * TW_PI / h;
    int count = h < CHUNK ? h : CHUNK;
    Factors first, w;
    for (int k = 0; k < count; k++)
    {
        first.c[k] = cos(k * angle);
        first.s[k] = sin(k * angle);
    }
    for (int j = 0; j < h; j += count)
    {
        double c = cos(j * angle), s = sin(j * angle);
        for (int k = 0; k < count; k++)
        {
            w.c[k] = c * first.c[k] - s * first.s[k];
            w.s[k] = s * first.c[k] + c * first.s[k];
        }
        for (int a = j; a < n; a += 2 * h) combine(re + a, im + a, re + a + h, im + a + h, &w, count);
    }
}

void tw_fft(double* re, double* im, int n, int sign)
{
    TW_ASSERT(n > 0 && (n & (n - 1)) == 0);
    TW_ASSERT(sign == 1 || sign == -1);
    reorder(re, im, n);
    for (int h = 1; h < n; h *= 2) stage(re, im, n, h, sign);
}
