// SPDX-License-Identifier: MIT
// Least squares of least norm against solutions built by hand from orthonormal vectors, and against the four conditions
// of Moore and Penrose.
#include "test.h"
#include "twang/math.h"
#include <stdlib.h>

enum
{
    MOST = 40,
    SCRATCH = 2 * MOST * MOST + 20 * MOST
};

// ---- helpers ----

// count orthonormal columns (size x count, by columns), Gram-Schmidt twice
static void orthonormal(double* q, int size, int count, twRng* rng)
{
    for (int j = 0; j < count; j++)
    {
        double* x = q + j * size;
        for (int i = 0; i < size; i++) x[i] = tw_rng_normal(rng);
        for (int round = 0; round < 2; round++)
            for (int k = 0; k < j; k++)
            {
                double dot = 0;
                for (int i = 0; i < size; i++) dot += x[i] * q[k * size + i];
                for (int i = 0; i < size; i++) x[i] -= dot * q[k * size + i];
            }
        double norm = 0;
        for (int i = 0; i < size; i++) norm += x[i] * x[i];
        for (int i = 0; i < size; i++) x[i] /= sqrt(norm);
    }
}

// A = sum of sigma_k u_k v_k^T: its solution of least norm is sum of v_k (u_k . b) / sigma_k
typedef struct Known
{
    int rows, cols, rank;
    double u[MOST * MOST], v[MOST * MOST], sigma[MOST], a[MOST * MOST], b[MOST], x[MOST];
} Known;

static void known_make(Known* k, int rows, int cols, int rank, double least, uint64_t seed)
{
    twRng rng = tw_rng(seed);
    *k = (Known){.rows = rows, .cols = cols, .rank = rank};
    orthonormal(k->u, rows, rank, &rng);
    orthonormal(k->v, cols, rank, &rng);
    for (int r = 0; r < rank; r++) k->sigma[r] = rank > 1 ? pow(least, (double)r / (rank - 1)) : 1;
    for (int i = 0; i < rows; i++) k->b[i] = tw_rng_normal(&rng);
    for (int r = 0; r < rank; r++)
    {
        double dot = 0;
        for (int i = 0; i < rows; i++) dot += k->u[r * rows + i] * k->b[i];
        for (int j = 0; j < cols; j++) k->x[j] += k->v[r * cols + j] * dot / k->sigma[r];
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) k->a[i * cols + j] += k->sigma[r] * k->u[r * rows + i] * k->v[r * cols + j];
    }
}

static double distance(const double* a, const double* b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static double norm(const double* a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

// ---- against what is known ----

static int any_shape_and_rank_gives_the_solution_of_least_norm(void)
{
    static Known k;
    static double scratch[SCRATCH], x[MOST];
    static const int shapes[][3] = {{1, 1, 1},    {5, 5, 5},    {5, 5, 3},   {9, 4, 4},   {9, 4, 2},
                                    {4, 9, 4},    {4, 9, 1},    {1, 7, 1},   {7, 1, 1},   {40, 40, 40},
                                    {40, 40, 13}, {40, 12, 12}, {12, 40, 7}, {30, 30, 29}};
    for (int i = 0; i < (int)(sizeof shapes / sizeof shapes[0]); i++)
    {
        known_make(&k, shapes[i][0], shapes[i][1], shapes[i][2], 1e-2, 10 + (uint64_t)i);
        ENSURE(tw_least_squares_scratch(k.rows, k.cols) <= SCRATCH);
        ENSURE(tw_least_squares(x, k.a, k.rows, k.cols, k.b, 1e-10, scratch) == k.rank);
        ENSURE_NEAR(distance(x, k.x, k.cols), 0, 1e-12 * (1 + norm(k.x, k.cols)));
    }
    return 0;
}

static int written_out_by_hand(void)
{
    double scratch[64], x[3];

    // one equation x + y + z = 3: all equal is shortest
    ENSURE(tw_least_squares(x, (double[]){1, 1, 1}, 1, 3, (double[]){3}, 1e-10, scratch) == 1);
    for (int i = 0; i < 3; i++) ENSURE_NEAR(x[i], 1, 1e-15);

    // x wanted at 1, at 2 and at 6: the mean
    ENSURE(tw_least_squares(x, (double[]){1, 1, 1}, 3, 1, (double[]){1, 2, 6}, 1e-10, scratch) == 1);
    ENSURE_NEAR(x[0], 3, 1e-15);

    // two rows at odds, [1 1; 1 1] x = (1, 3): x = y = 1
    ENSURE(tw_least_squares(x, (double[]){1, 1, 1, 1}, 2, 2, (double[]){1, 3}, 1e-10, scratch) == 1);
    ENSURE_NEAR(x[0], 1, 1e-15);
    ENSURE_NEAR(x[1], 1, 1e-15);

    // 1 x 1
    ENSURE(tw_least_squares(x, (double[]){-4}, 1, 1, (double[]){2}, 1e-10, scratch) == 1 && x[0] == -0.5);
    return 0;
}

static int nothing_to_solve_gives_zero(void)
{
    double scratch[64], x[3] = {7, 7, 7}, zero[6] = {0}, b[2] = {1, 2};
    ENSURE(tw_least_squares(x, zero, 2, 3, b, 1e-10, scratch) == 0);
    ENSURE(x[0] == 0 && x[1] == 0 && x[2] == 0);
    x[1] = 7;
    ENSURE(tw_least_squares(x, NULL, 0, 3, NULL, 1e-10, scratch) == 0);
    ENSURE(x[0] == 0 && x[1] == 0 && x[2] == 0);
    ENSURE(tw_least_squares(x, NULL, 2, 0, b, 1e-10, scratch) == 0);
    ENSURE(tw_least_squares(x, NULL, 0, 0, NULL, 1e-10, scratch) == 0);
    return 0;
}

static int what_is_not_finite_has_rank_zero(void)
{
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    double scratch[64], x[2];
    for (int i = 0; i < 3; i++)
    {
        double a[4] = {1, 0, bad[i], 1};
        x[0] = x[1] = 7;
        ENSURE(tw_least_squares(x, a, 2, 2, (double[]){1, 1}, 1e-10, scratch) == 0);
        ENSURE(x[0] == 0 && x[1] == 0);
    }
    return 0;
}

// ---- tolerance ----

static int ill_conditioned_is_solved_as_well_as_round_off_allows(void)
{
    static Known k;
    static double scratch[SCRATCH], x[MOST];
    known_make(&k, 20, 20, 20, 1e-12, 3);
    ENSURE(tw_least_squares(x, k.a, 20, 20, k.b, 0, scratch) == 20);

    // the error is at most about eps condition, what is left over about eps |A| |x|
    ENSURE_NEAR(distance(x, k.x, 20), 0, 1e-2 * norm(k.x, 20));
    double left[MOST];
    for (int i = 0; i < 20; i++)
    {
        left[i] = -k.b[i];
        for (int j = 0; j < 20; j++) left[i] += k.a[i * 20 + j] * x[j];
    }
    ENSURE_NEAR(norm(left, 20), 0, 1e-14 * norm(x, 20));
    return 0;
}

static int directions_below_the_tolerance_are_left_alone(void)
{
    // a wide gap in the singular values: as if the small ones were not there
    static Known k, all;
    static double scratch[SCRATCH], x[MOST];
    known_make(&k, 15, 15, 9, 0.1, 4);
    all = k;
    twRng rng = tw_rng(5);
    for (int i = 0; i < 15 * 15; i++) all.a[i] += 1e-13 * tw_rng_normal(&rng);
    ENSURE(tw_least_squares(x, all.a, 15, 15, k.b, 1e-8, scratch) == 9);
    ENSURE_NEAR(distance(x, k.x, 15), 0, 1e-10 * norm(k.x, 15));

    // diagonal: exactly those are dropped
    double a[9] = {1, 0, 0, 0, 1e-4, 0, 0, 0, 1e-6}, b[3] = {1, 1, 1};
    ENSURE(tw_least_squares(x, a, 3, 3, b, 1e-5, scratch) == 2);
    ENSURE_NEAR(x[0], 1, 1e-15);
    ENSURE_NEAR(x[1], 1e4, 1e-11);
    ENSURE(x[2] == 0);
    return 0;
}

static int scale_does_not_matter(void)
{
    static const double scales[] = {1e-300, 1e-160, 1e160, 1e300};
    static Known k;
    static double scratch[SCRATCH], x[MOST], a[MOST * MOST];
    known_make(&k, 8, 6, 4, 0.1, 6);
    for (int s = 0; s < 4; s++)
    {
        for (int i = 0; i < 48; i++) a[i] = scales[s] * k.a[i];
        ENSURE(tw_least_squares(x, a, 8, 6, k.b, 1e-10, scratch) == 4);
        for (int j = 0; j < 6; j++) ENSURE_NEAR(x[j] * scales[s], k.x[j], 1e-12 * norm(k.x, 6));
    }
    return 0;
}

// ---- in two parts ----

// X = A^+ by columns of the identity: A X A = A, X A X = X, A X and X A symmetric
static int many_solves_give_the_pseudo_inverse(void)
{
    enum
    {
        M = 9,
        N = 7
    };
    static Known k;
    static double scratch[SCRATCH], ax[M * M], xa[N * N], inverse[N * M];
    known_make(&k, M, N, 5, 0.01, 7);
    ENSURE(tw_least_squares_factor(k.a, M, N, 1e-10, scratch) == 5);
    for (int c = 0; c < M; c++)
    {
        double b[M] = {0}, x[N];
        b[c] = 1;
        tw_least_squares_solve(x, b, M, N, scratch);
        for (int j = 0; j < N; j++) inverse[j * M + c] = x[j];
    }
    for (int i = 0; i < M * M; i++)
    {
        ax[i] = 0;
        for (int j = 0; j < N; j++) ax[i] += k.a[i / M * N + j] * inverse[j * M + i % M];
    }
    for (int i = 0; i < N * N; i++)
    {
        xa[i] = 0;
        for (int j = 0; j < M; j++) xa[i] += inverse[i / N * M + j] * k.a[j * N + i % N];
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) ENSURE_NEAR(ax[i * M + j], ax[j * M + i], 1e-12);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) ENSURE_NEAR(xa[i * N + j], xa[j * N + i], 1e-12);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
        {
            double axa = 0, xax = 0;
            for (int r = 0; r < M; r++) axa += ax[i * M + r] * k.a[r * N + j];
            for (int r = 0; r < N; r++) xax += xa[j * N + r] * inverse[r * M + i];
            ENSURE_NEAR(axa, k.a[i * N + j], 1e-12);
            ENSURE_NEAR(xax, inverse[j * M + i], 1e-11);
        }
    return 0;
}

static int solution_may_replace_the_right_side(void)
{
    static Known k;
    static double scratch[SCRATCH], x[MOST];
    known_make(&k, 12, 12, 8, 0.1, 8);
    memcpy(x, k.b, sizeof k.b);
    tw_least_squares_factor(k.a, 12, 12, 1e-10, scratch);
    tw_least_squares_solve(x, x, 12, 12, scratch);
    ENSURE_NEAR(distance(x, k.x, 12), 0, 1e-12 * norm(k.x, 12));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(any_shape_and_rank_gives_the_solution_of_least_norm)
    RUN(written_out_by_hand)
    RUN(nothing_to_solve_gives_zero)
    RUN(what_is_not_finite_has_rank_zero)
    RUN(ill_conditioned_is_solved_as_well_as_round_off_allows)
    RUN(directions_below_the_tolerance_are_left_alone)
    RUN(scale_does_not_matter)
    RUN(many_solves_give_the_pseudo_inverse)
    RUN(solution_may_replace_the_right_side)
)
