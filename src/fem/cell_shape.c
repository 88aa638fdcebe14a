// SPDX-License-Identifier: MIT
// shape_: results of the last round of cut cells: frequencies with their errors, displacements at points, energies.
#include "fem/cells.h"
#include "fem/system.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- errors ----

#define SHAPE_ERROR_LEAST 5e-4  // what integration over cut cells is good for
#define SHAPE_ERROR_UNKNOWN 4   // of frequencies of which nothing is known
// Error over what the next degree would gain in the first round, of which nothing else is known: that of a comb with teeth of a
// tenth of a cell, the largest of many bodies.
#define SHAPE_SAFETY_FIRST 20
// What the next degree would gain is some part of the error, and this part is much the same for all rounds of a body. The
// fall from one round to the next shows it from below: the error was the fall and what is left, taken as at most as much.
#define SHAPE_SAFETY 2
// Of error to gain, at least: bodies have 1 to 3 (median of their modes), and with SHAPE_SAFETY this holds for a sharp inner
// corner, which has 5.
#define SHAPE_RATIO 3

static int shape_compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double shape_error(double safety, double gain)
{
    return fmin(SHAPE_ERROR_LEAST + safety * gain, SHAPE_ERROR_UNKNOWN);
}

// Whether this ratio, without safety, would have foreseen the fall of all frequencies since the round before. Modes change
// places: it would if each new frequency can be one of the last, no two the same, that has fallen by at most its error; and
// it can if the k-th new one is at least the k-th smallest of the last ones' lower ends. Modes that lay above all that were
// found may have come among them: they are taken to have had the largest gain.
static bool shape_foresees(const twCells* cells, double ratio, double* low)
{
    const int count = cells->last_count < cells->modes.count ? cells->last_count : cells->modes.count;
    double most = 0;
    if (count == 0) return true;
    for (int k = 0; k < cells->last_count; k++)
    {
        low[k] = cells->last_freq_hz[k] / (1 + shape_error(ratio, cells->last_gain[k]));
        most = fmax(most, cells->last_gain[k]);
    }
    qsort(low, (size_t)cells->last_count, sizeof *low, shape_compare);
    const double above = cells->last_freq_hz[cells->last_count - 1] / (1 + shape_error(ratio, most));
    for (int k = 0; k < count; k++)
        if (fmin(low[k], above) > cells->freq_hz[k]) return false;
    return true;
}

// error over gain: the least that foresees what the last round has shown, to 1 %
static double shape_ratio(const twCells* cells, double* low)
{
    const double most = 1e6;  // any error is possible
    double from = SHAPE_RATIO, to = SHAPE_RATIO;
    while (!shape_foresees(cells, to, low) && to < most) from = to, to *= 2;
    while (to > 1.01 * from)
    {
        const double middle = sqrt(from * to);
        if (shape_foresees(cells, middle, low))
            to = middle;
        else
            from = middle;
    }
    return to;
}

twStatus cells_estimate(twCells* cells, const FemSystem* system, twError* err)
{
    const size_t found = (size_t)cells->modes.count;
    cells->freq_hz = malloc((found + 1) * sizeof *cells->freq_hz);
    cells->error = malloc((found + 1) * sizeof *cells->error);
    double* low = malloc(((size_t)cells->last_count + 1) * sizeof *low);
    if (!cells->freq_hz || !cells->error || !low)
    {
        free(low);
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", cells->modes.count);
    }
    for (size_t k = 0; k < found; k++) cells->freq_hz[k] = fem_system_freq_hz(system, cells->modes.lambda[k]);
    const double safety = cells->round.round > 0 ? SHAPE_SAFETY * shape_ratio(cells, low) : SHAPE_SAFETY_FIRST;
    for (size_t k = 0; k < found; k++) cells->error[k] = shape_error(safety, cells->gain[k]);
    free(low);
    twCellsRound* round = &cells->round;
    cells->found = cells->modes.count;
    round->count = cells->modes.count;
    if (cells->def.count > 0 && round->count > cells->def.count) round->count = cells->def.count;
    while (cells->def.max_freq_hz > 0 && round->count > 0 && cells->freq_hz[round->count - 1] > cells->def.max_freq_hz)
        round->count--;
    round->freq_hz = cells->freq_hz;
    round->error = cells->error;
    return TW_OK;
}

// ---- displacements ----

// points of each leaf
typedef struct ShapePoints
{
    int* leaf;           // (points)
    int* order;          // (points) leaf by leaf
    int* start;          // (leaves + 1)
    double (*place)[3];  // (points) in the leaf, -1 to 1
} ShapePoints;

static void shape_free_points(ShapePoints* points)
{
    free(points->leaf);
    free(points->order);
    free(points->start);
    free(points->place);
}

static twVec3 shape_to_grid(const DexelBody* body, twVec3 x)
{
    return tw_vec3_scale(tw_mat3_mul_vec(tw_mat3_transpose(body->turn), tw_vec3_sub(x, body->origin)), 1 / body->cell);
}

static bool shape_is_held(const DexelBody* body, twVec3 x)
{
    for (int i = body->part_count - 1; i >= 0; i--)
        if (dexel_part_distance(&body->parts[i], x) <= 0) return body->parts[i].material < 0;
    return false;
}

static bool shape_sort_points(ShapePoints* points, const twCells* cells, const twVec3* x, int count)
{
    const int leaves = cells->space->leaf_count;
    points->leaf = malloc(((size_t)count + 1) * sizeof *points->leaf);
    points->order = malloc(((size_t)count + 1) * sizeof *points->order);
    points->start = calloc((size_t)leaves + 2, sizeof *points->start);
    points->place = malloc(((size_t)count + 1) * sizeof *points->place);
    if (!points->leaf || !points->order || !points->start || !points->place) return false;
    for (int i = 0; i < count; i++)
    {
        const twVec3 grid = shape_to_grid(&cells->dexel, x[i]);
        double* t = points->place[i];
        t[0] = grid.x, t[1] = grid.y, t[2] = grid.z;
        const int leaf = cell_tree_leaf(&cells->tree, t);
        int c = dexel_fragment_at(&cells->tree, &cells->dexel, leaf, tw_vec3(t[0], t[1], t[2]));
        if (!cell_is_leaf(&cells->tree.cells[c])) c = leaf;  // a fragment that no ray has met
        const Cell* cell = &cells->tree.cells[c];
        for (int a = 0; a < 3; a++) t[a] = 2 * (ldexp(t[a], cell->level) - cell->at[a]) - 1;
        points->leaf[i] = cells->space->leaf_of[c];
        points->start[points->leaf[i] + 2]++;
    }
    for (int l = 0; l < leaves; l++) points->start[l + 2] += points->start[l + 1];
    for (int i = 0; i < count; i++) points->order[points->start[points->leaf[i] + 1]++] = i;
    return true;
}

// all modes at the points of one leaf, whose coefficients are u (n x 3 modes)
static void shape_at_leaf(const twCells* cells, const ShapePoints* points, int leaf, const double* u, double scale,
                          int count, float* shape)
{
    const int n = cells->trunk->count;
    const twMat3 turn = cells->dexel.turn;
    for (int at = points->start[leaf]; at < points->start[leaf + 1]; at++)
    {
        double value[TRUNK_MAX];
        const int i = points->order[at];
        trunk_values(cells->trunk, points->place[i], value);
        for (int k = 0; k < cells->round.count; k++)
        {
            double d[3] = {0, 0, 0};
            for (int a = 0; a < 3; a++)
                for (int f = 0; f < n; f++) d[a] += u[(3 * k + a) * n + f] * value[f];
            const twVec3 moved = tw_vec3_scale(tw_mat3_mul_vec(turn, tw_vec3(d[0], d[1], d[2])), scale);
            float* to = shape + 3 * ((size_t)k * (size_t)count + (size_t)i);
            to[0] = (float)moved.x, to[1] = (float)moved.y, to[2] = (float)moved.z;
        }
    }
}

twStatus tw_cells_shapes(const twCells* cells, const twVec3* x, int count, float* shape, twError* err)
{
    const size_t n = (size_t)cells->trunk->count, most = (size_t)cell_space_most(cells->space);
    const size_t modes = (size_t)cells->round.count;
    // a vector without units and of unit mass becomes a shape by the factor (rho L^3)^(-1/2)
    const double scale = 1 / sqrt(cells->density) / (cells->length * sqrt(cells->length));
    ShapePoints points = {0};
    double* rows = malloc((most * n + 3 * modes * (most + n) + 1) * sizeof *rows);
    const bool good = rows && shape_sort_points(&points, cells, x, count);
    for (int l = 0; good && l < cells->space->leaf_count; l++)
    {
        double *scratch = rows + most * n, *u = scratch + 3 * modes * most;
        if (points.start[l] == points.start[l + 1]) continue;
        cell_space_rows(cells->space, l, rows);
        cell_space_gather(cells->space, l, rows, cells->modes.x, cells->round.count, scratch, u);
        shape_at_leaf(cells, &points, l, u, scale, count, shape);
    }
    for (int i = 0; good && i < count && cells->dexel.part_count > 0; i++)
        for (size_t k = 0; k < modes && shape_is_held(&cells->dexel, x[i]); k++)
            memset(shape + 3 * (k * (size_t)count + (size_t)i), 0, 3 * sizeof *shape);
    shape_free_points(&points);
    free(rows);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the shapes of %d modes", cells->round.count);
}

double tw_cells_edge(const twCells* cells) { return cells->dexel.cell; }

// ---- energies and mass ----

twStatus tw_cells_energy(const twCells* cells, double* kinetic, double* elastic, twError* err)
{
    const CellModes modes = {cells->round.count, cells->modes.lambda, cells->modes.x};
    return cell_error_energy(cells->space, &cells->body, &modes, kinetic, elastic, err);
}

// sums of mass, mass x and mass x x over matter, about the middle of the grid
typedef struct ShapeMoments
{
    double mass, first[3], second[3][3];
} ShapeMoments;

static void shape_add_moments(ShapeMoments* sum, const twCells* cells, const Cell* cell, const double* weights,
                              double density)
{
    const Trunk* trunk = cells->finer;
    const int q = trunk->points;
    const double edge = cell_edge(cell->level) * cells->dexel.cell, unit = edge * edge * edge / 8;
    for (int g = 0; g < trunk->total; g++)
    {
        const int at[3] = {g % q, g / q % q, g / q / q};
        const double w = density * unit * weights[g];
        double x[3];
        for (int a = 0; a < 3; a++)
            x[a] =
                (cell->at[a] + 0.5 * (1 + trunk->node[at[a]])) * edge - 0.5 * cells->tree.size[a] * cells->dexel.cell;
        sum->mass += w;
        for (int a = 0; a < 3; a++)
        {
            sum->first[a] += w * x[a];
            for (int b = 0; b < 3; b++) sum->second[a][b] += w * x[a] * x[b];
        }
    }
}

static ShapeMoments shape_moments(const twCells* cells, double* volume)
{
    ShapeMoments sum = {0};
    for (int m = 0; m < cells->body.material_count; m++) volume[m] = 0;
    for (int c = 0; c < cells->tree.count; c++)
    {
        const Cell* cell = &cells->tree.cells[c];
        const double before = sum.mass;
        if (!cell_is_leaf(cell)) continue;
        if (cell->kind == CELL_FULL)
        {
            shape_add_moments(&sum, cells, cell, cells->finer->full_weight, cells->materials[0].density);
            volume[0] += (sum.mass - before) / cells->materials[0].density;
        }
        for (const CellWeights* w = cell->kind == CELL_CUT ? cell->weights : NULL; w; w = w->next)
        {
            if (w->material < 0) continue;
            const double density = cells->materials[w->material].density, already = sum.mass;
            shape_add_moments(&sum, cells, cell, w->w, density);
            volume[w->material] += (sum.mass - already) / density;
        }
    }
    return sum;
}

twMassProperties tw_cells_mass(const twCells* cells, double* volume)
{
    const ShapeMoments sum = shape_moments(cells, volume);
    twMassProperties mass = {.mass = sum.mass};
    double centre[3];
    twMat3 inertia;
    for (int m = 0; m < cells->body.material_count; m++) mass.volume += volume[m];
    for (int a = 0; a < 3; a++) centre[a] = sum.mass > 0 ? sum.first[a] / sum.mass : 0;
    double trace = 0;
    for (int a = 0; a < 3; a++) trace += sum.second[a][a] - sum.mass * centre[a] * centre[a];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            inertia.m[a][b] = (a == b ? trace : 0) - (sum.second[a][b] - sum.mass * centre[a] * centre[b]);
    const DexelBody* body = &cells->dexel;
    twVec3 middle = {0.5 * cells->tree.size[0], 0.5 * cells->tree.size[1], 0.5 * cells->tree.size[2]};
    middle = tw_vec3_add(tw_vec3_scale(middle, body->cell), tw_vec3(centre[0], centre[1], centre[2]));
    mass.centre = tw_vec3_add(body->origin, tw_mat3_mul_vec(body->turn, middle));
    mass.inertia = tw_mat3_mul(tw_mat3_mul(body->turn, inertia), tw_mat3_transpose(body->turn));
    return mass;
}

bool tw_cells_holds(const twCells* cells, int part) { return cells->dexel.met[part]; }
