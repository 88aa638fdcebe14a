// SPDX-License-Identifier: MIT
// product_: sums over Gauss points axis by axis (Orszag, J. Comput. Phys. 37, 1980), for functions that are products.
#include "fem/trunk_product.h"
#include "fem/lapack.h"
#include <stdlib.h>

// One-dimensional functions: the two linear ones and those of degree 2 to the highest; each as value and as slope.
enum
{
    PRODUCT_FACTORS = 2 * (TRUNK_DEGREE_MAX + 1),
    PRODUCT_COLUMNS = PRODUCT_FACTORS * PRODUCT_FACTORS
};

// what has been seen already: its number and 1, 0 for what has not
typedef struct ProductTables
{
    double factor[PRODUCT_FACTORS][TRUNK_POINTS_MAX];
    int column[PRODUCT_COLUMNS];
    int pair[PRODUCT_COLUMNS * PRODUCT_COLUMNS];
    int triple[PRODUCT_COLUMNS * PRODUCT_COLUMNS * PRODUCT_COLUMNS];  // by pair and column
} ProductTables;

static int product_factor(const TrunkFunction* f, int axis, int slope)
{
    const int function = f->place[axis] == 1 ? f->degree[axis] : f->place[axis] / 2;
    return 2 * function + (slope == axis);
}

// the column of a product of two factors, whose order does not matter
static int product_column(TrunkProduct* product, ProductTables* tables, int a, int b)
{
    int* column = &tables->column[a < b ? a * PRODUCT_FACTORS + b : b * PRODUCT_FACTORS + a];
    const int q = product->points;
    if (*column > 0) return *column - 1;
    double* factors = product->factors + product->factor_count * q;
    *column = ++product->factor_count;
    for (int g = 0; g < q; g++) factors[g] = tables->factor[a][g] * tables->factor[b][g];
    return *column - 1;
}

// the triple of function i, its slope along a, times function j, its slope along b; -1: no slope
static int product_triple(TrunkProduct* product, ProductTables* tables, const TrunkFunction* i, int a,
                          const TrunkFunction* j, int b)
{
    int column[3];
    for (int axis = 0; axis < 3; axis++)
        column[axis] = product_column(product, tables, product_factor(i, axis, a), product_factor(j, axis, b));
    int* pair = &tables->pair[column[0] * PRODUCT_COLUMNS + column[1]];
    if (*pair == 0)
    {
        product->pairs[product->pair_count] = (TrunkPair){column[0], column[1]};
        *pair = ++product->pair_count;
    }
    int* triple = &tables->triple[(*pair - 1) * PRODUCT_COLUMNS + column[2]];
    if (*triple == 0)
    {
        product->triples[product->triple_count] = (TrunkTriple){*pair - 1, column[2]};
        *triple = ++product->triple_count;
    }
    return *triple - 1;
}

static bool product_set_entries(TrunkProduct* product, const Trunk* points, const Trunk* rows, const Trunk* columns,
                                bool slopes)
{
    ProductTables* tables = calloc(1, sizeof *tables);  // most of it is never touched
    if (!tables) return false;
    for (int f = 0; f < PRODUCT_FACTORS / 2; f++)
        for (int g = 0; g < points->points; g++)
            trunk_factor(f < 2 ? 2 * f : 1, f, points->node[g], &tables->factor[2 * f][g],
                         &tables->factor[2 * f + 1][g]);
    for (int c = 0; c < product->columns; c++)
        for (int r = 0; r < product->rows; r++)
        {
            const int a = slopes ? r / rows->count : -1, b = slopes ? c / columns->count : -1;
            const TrunkFunction *i = &rows->function[r % rows->count], *j = &columns->function[c % columns->count];
            product->entry[c * product->rows + r] = product_triple(product, tables, i, a, j, b);
        }
    free(tables);
    return true;
}

static bool product_alloc(TrunkProduct* product)
{
    const size_t q = (size_t)product->points, entries = (size_t)product->rows * (size_t)product->columns,
                 factors = PRODUCT_COLUMNS, pairs = entries < factors * factors ? entries : factors * factors;
    product->pairs = malloc(pairs * sizeof *product->pairs);
    product->triples = malloc(entries * sizeof *product->triples);
    product->entry = malloc(entries * sizeof *product->entry);
    product->factors = calloc(q * factors + q * q * factors + q * pairs + 2 * entries, sizeof *product->factors);
    if (!product->pairs || !product->triples || !product->entry || !product->factors) return false;
    product->x = product->factors + q * factors;
    product->xy = product->x + q * q * factors;
    product->xyz = product->xy + q * pairs;
    product->full = product->xyz + entries;
    return true;
}

twStatus trunk_product_create(TrunkProduct** out, const Trunk* points, const Trunk* rows, const Trunk* columns,
                              bool slopes, twError* err)
{
    const int axes = slopes ? 3 : 1;
    *out = NULL;
    TrunkProduct* product = calloc(1, sizeof *product);
    if (!product) return tw_fail(err, TW_NO_MEMORY, "no memory for products of functions");
    product->rows = axes * rows->count;
    product->columns = axes * columns->count;
    product->points = points->points;
    const bool good = product_alloc(product) && product_set_entries(product, points, rows, columns, slopes);
    if (good)
        trunk_product_sum(product, points->full_weight, product->full);
    else
        trunk_product_destroy(product);
    if (good) *out = product;
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for products of functions");
}

void trunk_product_destroy(TrunkProduct* product)
{
    if (!product) return;
    free(product->factors);
    free(product->pairs);
    free(product->triples);
    free(product->entry);
    free(product);
}

double trunk_product_operations(const TrunkProduct* product)
{
    const double q = product->points;
    return 2 * q * (q * q * product->factor_count + q * product->pair_count + product->triple_count);
}

static double product_dot(const double* restrict a, const double* restrict b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

void trunk_product_sum(TrunkProduct* product, const double* weights, double* out)
{
    const int q = product->points;
    // x (y, z; factor) = sum over points along x of weights (x; y, z) times factors (x; factor)
    fem_gemm('T', 'N', q * q, product->factor_count, q, 1, weights, q, product->factors, q, 0, product->x, q * q);
    for (int p = 0; p < product->pair_count; p++)
    {
        const double *x = product->x + product->pairs[p].x * q * q, *y = product->factors + product->pairs[p].y * q;
        for (int z = 0; z < q; z++) product->xy[p * q + z] = product_dot(x + z * q, y, q);
    }
    for (int t = 0; t < product->triple_count; t++)
        product->xyz[t] =
            product_dot(product->xy + product->triples[t].pair * q, product->factors + product->triples[t].z * q, q);
    for (int e = 0; e < product->rows * product->columns; e++) out[e] = product->xyz[product->entry[e]];
}
