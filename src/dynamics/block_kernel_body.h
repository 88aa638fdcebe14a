// SPDX-License-Identifier: MIT
/// @file
/// The loops of block_kernel.h for vectors of W doubles (gcc and clang vector extensions); the including file defines W.
#include "block_kernel.h"
#include <string.h>
#if W == 4
#include <immintrin.h>
#endif

typedef double Vec __attribute__((vector_size(8 * W)));
typedef double Pair __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

INLINE Vec vec_load(const double* from)
{
    Vec v;
    memcpy(&v, from, sizeof v);
    return v;
}
INLINE Pair pair_load(const double* from)
{
    Pair v;
    memcpy(&v, from, sizeof v);
    return v;
}
INLINE void vec_store(double* to, Vec v) { memcpy(to, &v, sizeof v); }
INLINE double vec_sum(Vec v)
{
    double sum = v[0];
    for (int i = 1; i < W; i++) sum += v[i];
    return sum;
}

// the sum of a vector and what is left over of a row
INLINE double pair_sum(Vec v, Pair rest)
{
    Pair half[W / 2];
    memcpy(half, &v, sizeof v);
    for (int i = 0; i < W / 2; i++) rest += half[i];
    return rest[0] + rest[1];
}

// Two sums per row, side by side, or each product would wait for the one before. Names, not arrays: those would go to memory.
static void dot3(const double* rows, int n, const double* v, double out[3])
{
    const double *a = rows, *b = rows + n, *c = rows + 2 * n;
    Vec x = {0}, y = {0}, z = {0}, x2 = {0}, y2 = {0}, z2 = {0};
    Pair left = {0}, middle = {0}, right = {0};
    int i = 0;
    for (; i + 2 * W <= n; i += 2 * W)
    {
        Vec at = vec_load(v + i), next = vec_load(v + i + W);
        x += vec_load(a + i) * at;
        y += vec_load(b + i) * at;
        z += vec_load(c + i) * at;
        x2 += vec_load(a + i + W) * next;
        y2 += vec_load(b + i + W) * next;
        z2 += vec_load(c + i + W) * next;
    }
    if (i + W <= n)
    {
        Vec at = vec_load(v + i);
        x += vec_load(a + i) * at;
        y += vec_load(b + i) * at;
        z += vec_load(c + i) * at;
        i += W;
    }
    if (i + 2 <= n)
    {
        Pair at = pair_load(v + i);
        left = pair_load(a + i) * at;
        middle = pair_load(b + i) * at;
        right = pair_load(c + i) * at;
        i += 2;
    }
    double s[3] = {pair_sum(x + x2, left), pair_sum(y + y2, middle), pair_sum(z + z2, right)};
    if (i < n)
    {
        s[0] += a[i] * v[i];
        s[1] += b[i] * v[i];
        s[2] += c[i] * v[i];
    }
    for (int q = 0; q < 3; q++) out[q] += s[q];
}

static void square3(const double* rows, int n, const double* weight, double out[3])
{
    const double *a = rows, *b = rows + n, *c = rows + 2 * n;
    Vec x = {0}, y = {0}, z = {0};
    Pair left = {0}, middle = {0}, right = {0};
    int i = 0;
    for (; i + W <= n; i += W)
    {
        Vec at = vec_load(weight + i), p = vec_load(a + i), q = vec_load(b + i), r = vec_load(c + i);
        x += p * (p * at);
        y += q * (q * at);
        z += r * (r * at);
    }
    if (i + 2 <= n)
    {
        Pair at = pair_load(weight + i), p = pair_load(a + i), q = pair_load(b + i), r = pair_load(c + i);
        left = p * (p * at);
        middle = q * (q * at);
        right = r * (r * at);
        i += 2;
    }
    double s[3] = {pair_sum(x, left), pair_sum(y, middle), pair_sum(z, right)};
    if (i < n)
    {
        s[0] += a[i] * a[i] * weight[i];
        s[1] += b[i] * b[i] * weight[i];
        s[2] += c[i] * c[i] * weight[i];
    }
    for (int q = 0; q < 3; q++) out[q] += s[q];
}

static void add3(const double* rows, int n, const double p[3], double* out)
{
    const double *a = rows, *b = rows + n, *c = rows + 2 * n;
    int i = 0;
    for (; i + W <= n; i += W)
        vec_store(out + i,
                  vec_load(out + i) + p[0] * vec_load(a + i) + p[1] * vec_load(b + i) + p[2] * vec_load(c + i));
    for (; i < n; i++) out[i] += p[0] * a[i] + p[1] * b[i] + p[2] * c[i];
}

static double dot1(const double* row, int n, const double* v)
{
    Vec x = {0}, y = {0};
    int i = 0;
    for (; i + 2 * W <= n; i += 2 * W)
    {
        x += vec_load(row + i) * vec_load(v + i);
        y += vec_load(row + i + W) * vec_load(v + i + W);
    }
    double sum = vec_sum(x + y);
    for (; i < n; i++) sum += row[i] * v[i];
    return sum;
}

static double square1(const double* row, int n, const double* weight)
{
    Vec x = {0};
    int i = 0;
    for (; i + W <= n; i += W) x += vec_load(row + i) * vec_load(row + i) * vec_load(weight + i);
    double sum = vec_sum(x);
    for (; i < n; i++) sum += row[i] * row[i] * weight[i];
    return sum;
}

static void add1(const double* row, int n, double p, double* out)
{
    int i = 0;
    for (; i + W <= n; i += W) vec_store(out + i, vec_load(out + i) + p * vec_load(row + i));
    for (; i < n; i++) out[i] += p * row[i];
}

static void gram3(const double* a, const double* b, int n, double out[3][3])
{
    Vec sum[3][3] = {{{0}}};
    int i = 0;
    for (; i + W <= n; i += W)
    {
        Vec b0 = vec_load(b + i), b1 = vec_load(b + n + i), b2 = vec_load(b + 2 * n + i);
        for (int r = 0; r < 3; r++)
        {
            Vec at = vec_load(a + r * n + i);
            sum[r][0] += at * b0;
            sum[r][1] += at * b1;
            sum[r][2] += at * b2;
        }
    }
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
        {
            double rest = vec_sum(sum[r][s]);
            for (int j = i; j < n; j++) rest += a[r * n + j] * b[s * n + j];
            out[r][s] += rest;
        }
}

// R rows and V vectors of columns at once, in registers
#define TILE(name, R, V, Type)                                                                                         \
    INLINE void name(double* c, int c_stride, double f, const double* a, int a_row, int a_column, const double* b,     \
                     int b_stride, int k)                                                                              \
    {                                                                                                                  \
        enum                                                                                                           \
        {                                                                                                              \
            LANES = sizeof(Type) / sizeof(double)                                                                      \
        };                                                                                                             \
        Type sum[R][V] = {{{0}}}, at[V];                                                                               \
        for (int l = 0; l < k; l++)                                                                                    \
        {                                                                                                              \
            memcpy(at, b + (long)l * b_stride, sizeof at);                                                             \
            for (int r = 0; r < R; r++)                                                                                \
                for (int v = 0; v < V; v++) sum[r][v] += a[(long)r * a_row + (long)l * a_column] * at[v];              \
        }                                                                                                              \
        for (int r = 0; r < R; r++)                                                                                    \
            for (int v = 0; v < V; v++)                                                                                \
            {                                                                                                          \
                double* to = c + (long)r * c_stride + v * LANES;                                                       \
                Type old;                                                                                              \
                memcpy(&old, to, sizeof old);                                                                          \
                old += f * sum[r][v];                                                                                  \
                memcpy(to, &old, sizeof old);                                                                          \
            }                                                                                                          \
    }
typedef double Lone __attribute__((vector_size(8)));
TILE(wide4, 4, 2, Vec)
TILE(wide3, 3, 2, Vec)
TILE(wide1, 1, 2, Vec)
TILE(vec6, 6, 1, Vec)
TILE(vec3, 3, 1, Vec)
TILE(vec1, 1, 1, Vec)
TILE(pair6, 6, 1, Pair)
TILE(pair3, 3, 1, Pair)
TILE(pair1, 1, 1, Pair)
TILE(lone1, 1, 1, Lone)

// all rows of some columns: many at a time, then fewer
#define STRIP(many, MANY, few, FEW, one)                                                                               \
    do {                                                                                                               \
        int i = 0;                                                                                                     \
        for (; i + (MANY) <= m; i += (MANY))                                                                           \
            many(c + (long)i * c_stride + j, c_stride, f, a + (long)i * a_row, a_row, a_column, b + j, b_stride, k);   \
        for (; i + (FEW) <= m; i += (FEW))                                                                             \
            few(c + (long)i * c_stride + j, c_stride, f, a + (long)i * a_row, a_row, a_column, b + j, b_stride, k);    \
        for (; i < m; i++)                                                                                             \
            one(c + (long)i * c_stride + j, c_stride, f, a + (long)i * a_row, a_row, a_column, b + j, b_stride, k);    \
    } while (0)

static void multiply(double* c, int c_stride, double f, const double* a, int a_row, int a_column, const double* b,
                     int b_stride, int m, int n, int k)
{
    int j = 0;
    for (; j + 2 * W <= n; j += 2 * W) STRIP(wide4, 4, wide3, 3, wide1);
    for (; j + W <= n; j += W) STRIP(vec6, 6, vec3, 3, vec1);
    for (; j + 2 <= n; j += 2) STRIP(pair6, 6, pair3, 3, pair1);
    for (; j < n; j++) STRIP(lone1, 1, lone1, 1, lone1);
}

// floats as doubles, four at a time
typedef double Four __attribute__((vector_size(32)));
#if W == 4
#define LOAD_FLOATS(from) ((Four)_mm256_cvtps_pd(_mm_loadu_ps(from)))  // gcc makes two halves of a conversion
#else
typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));
#define LOAD_FLOATS(from) __builtin_convertvector(*(const FourFloats*)(from), Four)
#endif

static void bend3(const float* rows, size_t stride, int n, const double* v, double out[3])
{
    // eight partial sums of each row: fewer would wait for each addition
    const float *a = rows, *b = rows + stride, *c = rows + 2 * stride;
    Four x = {0}, y = {0}, z = {0}, x2 = {0}, y2 = {0}, z2 = {0}, at;
    int i = 0;
    for (; i + 8 <= n; i += 8)
    {
        memcpy(&at, v + i, sizeof at);
        x += LOAD_FLOATS(a + i) * at;
        y += LOAD_FLOATS(b + i) * at;
        z += LOAD_FLOATS(c + i) * at;
        memcpy(&at, v + i + 4, sizeof at);
        x2 += LOAD_FLOATS(a + i + 4) * at;
        y2 += LOAD_FLOATS(b + i + 4) * at;
        z2 += LOAD_FLOATS(c + i + 4) * at;
    }
    x += x2;
    y += y2;
    z += z2;
    out[0] = (x[0] + x[1]) + (x[2] + x[3]);
    out[1] = (y[0] + y[1]) + (y[2] + y[3]);
    out[2] = (z[0] + z[1]) + (z[2] + z[3]);
    for (; i < n; i++)
    {
        out[0] += (double)a[i] * v[i];
        out[1] += (double)b[i] * v[i];
        out[2] += (double)c[i] * v[i];
    }
}

#define KERNEL_TABLE(name)                                                                                             \
    {                                                                                                                  \
        name, dot3, square3, add3, dot1, square1, add1, gram3, multiply, bend3                                         \
    }
