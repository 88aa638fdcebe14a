// SPDX-License-Identifier: MIT
// Products of narrow matrices are inverted as the complete orthogonal decomposition of the product does, and what is not safe is said.
#include "stage/gram.h"
#include "test.h"
#include "twang/math.h"

enum
{
    ROWS = 23,
    COLUMNS = 19,
    N = 7
};

typedef struct Case
{
    double left[ROWS * N], right[COLUMNS * N], product[ROWS * COLUMNS];
    double room[4096];
    Gram gram;
} Case;

// columns of very different size, as those of frames and modes are; sizes go against each other if they cancel in the product
static void make(Case* c, twRng* rng, double spread)
{
    gram_place(&c->gram, ROWS, COLUMNS, N, c->room);
    for (int i = 0; i < ROWS * N; i++) c->left[i] = tw_rng_normal(rng) * pow(spread, i % N);
    for (int i = 0; i < COLUMNS * N; i++) c->right[i] = tw_rng_normal(rng) * pow(spread, -(i % N));
    // rows that know nothing of some columns
    for (int i = 0; i < 4 * N; i++) c->left[i] = i % N < 3 ? 0 : c->left[i];
    memcpy(c->gram.left, c->left, sizeof c->left);
    memcpy(c->gram.right, c->right, sizeof c->right);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
        {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += c->left[i * N + k] * c->right[j * N + k];
            c->product[i * COLUMNS + j] = sum;
        }
}

static int solution_is_the_pseudo_inverse_of_the_product(void)
{
    static Case c;
    static double scratch[4096];
    twRng rng = tw_rng(1);
    for (int spread = 0; spread < 3; spread++)
    {
        double b[ROWS], p[COLUMNS], rough[COLUMNS], expected[COLUMNS], way[ROWS];
        make(&c, &rng, pow(10, spread));
        ENSURE(gram_size(ROWS, COLUMNS, N) <= 4096 && tw_least_squares_scratch(ROWS, COLUMNS) <= 4096);
        ENSURE(gram_factor_left(&c.gram) && gram_factor_right(&c.gram) && gram_is_safe(&c.gram, 1e-8));
        for (int i = 0; i < ROWS; i++) b[i] = tw_rng_normal(&rng);
        tw_least_squares(expected, c.product, ROWS, COLUMNS, b, 1e-12, scratch);
        gram_solve(&c.gram, b, p);
        gram_solve_roughly(&c.gram, b, rough);
        gram_times(&c.gram, p, way);
        for (int j = 0; j < COLUMNS; j++)
        {
            ENSURE_NEAR(p[j], expected[j], 1e-12);
            ENSURE_NEAR(rough[j], expected[j], 1e-10);
        }
        for (int i = 0; i < ROWS; i++)
        {
            double sum = 0;
            for (int j = 0; j < COLUMNS; j++) sum += c.product[i * COLUMNS + j] * p[j];
            ENSURE_NEAR(way[i], sum, 1e-12);
        }
    }
    return 0;
}

static int columns_that_depend_on_each_other_are_not_safe(void)
{
    static Case c;
    twRng rng = tw_rng(2);
    make(&c, &rng, 1);
    for (int i = 0; i < ROWS; i++) c.gram.left[i * N + 5] = c.gram.left[i * N + 1] - 2 * c.gram.left[i * N + 4];
    ENSURE(!gram_factor_left(&c.gram) && gram_factor_right(&c.gram));
    make(&c, &rng, 1);
    for (int j = 0; j < COLUMNS; j++) c.gram.right[j * N + 2] = 0;
    ENSURE(gram_factor_left(&c.gram) && !gram_factor_right(&c.gram));
    make(&c, &rng, 1);
    c.gram.left[3] = NAN;
    ENSURE(!gram_factor_left(&c.gram));
    return 0;
}

static int direction_that_hardly_gives_is_not_safe(void)
{
    // a tonne among grams: its columns are small on both sides
    static Case c;
    twRng rng = tw_rng(3);
    make(&c, &rng, 1);
    for (int i = 0; i < ROWS; i++) c.gram.left[i * N] *= 1e-5;
    for (int j = 0; j < COLUMNS; j++) c.gram.right[j * N] *= 1e-5;
    ENSURE(gram_factor_left(&c.gram) && gram_factor_right(&c.gram));
    ENSURE(!gram_is_safe(&c.gram, 1e-8) && gram_is_safe(&c.gram, 1e-12));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(solution_is_the_pseudo_inverse_of_the_product)
    RUN(columns_that_depend_on_each_other_are_not_safe)
    RUN(direction_that_hardly_gives_is_not_safe)
)
