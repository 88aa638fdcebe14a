// SPDX-License-Identifier: MIT
// dexel_ray: the rays along one axis, and where they hit the surface.
#include "fem/dexel_run.h"
#include <string.h>

bool dexel_wants_axis(const DexelRun* run, const DexelCell* cell, int axis)
{
    if (run->second) return cell->all_axes && cell->axis != axis;
    return cell->axis == axis || (cell->touches_held && !cell->patched);
}

// A new line that is cut at some places. Intervals of up to two cuts may have faces that slant in them; of more there are
// enough points for the functions.
static int dexel_add_line(DexelRun* run, const double* cuts, int count)
{
    const Trunk* trunk = run->trunk;
    if (run->line_count == run->line_room)
    {
        const int room = run->line_room > 0 ? 2 * run->line_room : 64;
        DexelLine* lines = realloc(run->lines, (size_t)room * sizeof *lines);
        if (!lines) return -1;
        run->lines = lines;
        run->line_room = room;
    }
    DexelLine* line = &run->lines[run->line_count];
    const bool few = count <= 2;
    const int points = few ? trunk->rays : trunk->points;
    const double *node = few ? trunk->ray : trunk->node, *weight = few ? trunk->ray_weight : trunk->weight;
    line->count = 0;
    for (int k = 0; k <= count; k++)
    {
        const double from = k > 0 ? cuts[k - 1] : 0, to = k < count ? cuts[k] : 1;
        for (int i = 0; i < points; i++)
        {
            const int at = line->count++;
            line->place[at] = from + 0.5 * (1 + node[i]) * (to - from);
            line->weight[at] = weight[i] * (to - from);
            trunk_lagrange(trunk, 2 * line->place[at] - 1, line->lagrange[at]);
        }
    }
    return run->line_count++;
}

static int dexel_line_at(DexelRun* run, const double* places, int places_count)
{
    double cuts[DEXEL_CUTS];
    int count = 0;
    for (int k = 0; k < places_count; k++)
        if (places[k] > DEXEL_CUT_LEAST && places[k] < 1 - DEXEL_CUT_LEAST) cuts[count++] = places[k];
    qsort(cuts, (size_t)count, sizeof *cuts, dexel_compare_double);
    return count > 0 ? dexel_add_line(run, cuts, count) : 0;
}

// the line of a cell along an axis, where hardly any of its faces stand along the rays
static int dexel_slanted_line(DexelRun* run, const DexelCell* cell, int axis)
{
    const double aside = 0.25;  // of what faces the rays
    const double narrow = 0.5;  // of the cell
    const double middle[1] = {0.5}, ends[2] = {cell->from[axis], cell->to[axis]};
    const DexelCuts* corners = &cell->corners[axis];
    // all of it in a narrow strip, as that of a wire: few rays of the whole cell would meet it
    if (cell->crossed && ends[1] - ends[0] < narrow && !cell->patched)
        return corners->count <= DEXEL_CUTS ? dexel_line_at(run, corners->at, corners->count)
                                            : dexel_line_at(run, ends, 2);
    // a surface that bends away from the rays: twice as many
    const double most = fmax(cell->area[0], fmax(cell->area[1], cell->area[2]));
    return cell->area[axis] > aside * most ? dexel_line_at(run, middle, 1) : 0;
}

// the line of a cell along an axis: cut where its faces stand along the rays
static int dexel_make_line(DexelRun* run, const DexelCell* cell, int axis)
{
    const double least_area = 0.01;  // of the cell
    const double ends[2] = {cell->low[axis], cell->high[axis]};
    const DexelCuts* cuts = &cell->cuts[axis];
    if (cell->steep[axis] < least_area) return dexel_slanted_line(run, cell, axis);
    // a curved surface is cut where it begins and ends, walls where they are, too many of them anywhere
    if (cell->bent[axis] && !cell->patched) return dexel_line_at(run, ends, 2);
    if (cuts->count <= DEXEL_CUTS) return dexel_line_at(run, cuts->at, cuts->count);
    double even[DEXEL_CUTS];
    for (int k = 0; k < DEXEL_CUTS; k++) even[k] = (k + 1.0) / (DEXEL_CUTS + 1);
    return dexel_line_at(run, even, DEXEL_CUTS);
}

static int dexel_line_of(DexelRun* run, DexelCell* cell, int axis)
{
    if (cell->line[axis] < 0) cell->line[axis] = dexel_make_line(run, cell, axis);
    return cell->line[axis];
}

static bool dexel_add_column(DexelRun* run, const Cell* cell, int index)
{
    DexelCell* info = &run->cells[index];
    const int u = cell->at[run->u], v = cell->at[run->v];
    const bool own = (info->crossed && (info->axis == run->d || info->touches_held)) || info->all_axes;
    const int line[2] = {own ? dexel_line_of(run, info, run->u) : 0, own ? dexel_line_of(run, info, run->v) : 0};
    if (line[0] < 0 || line[1] < 0) return false;
    const bool shared = line[0] == 0 && line[1] == 0;
    run->cells[index].own_column = !shared;
    int* first = tw_table_put(&run->columns, u, v, 0, -1);
    if (!first) return false;
    for (int c = *first; c >= 0 && shared; c = run->column[c].next)
        if (run->column[c].cell < 0) return true;
    const int rays = run->lines[line[0]].count * run->lines[line[1]].count;
    const double low = shared ? -HUGE_VAL : cell->at[run->d], high = shared ? HUGE_VAL : low + 1;
    run->column[run->column_count] =
        (DexelColumn){{u, v}, *first, shared ? -1 : index, {line[0], line[1]}, run->rays, rays, low, high};
    run->rays += rays;
    *first = run->column_count++;
    return true;
}

bool dexel_find_columns(DexelRun* run)
{
    run->column_count = run->rays = 0;
    const double no_cuts[1] = {0};
    if (run->line_count == 0 && dexel_add_line(run, no_cuts, 0) < 0) return false;
    for (int c = run->first; c < run->end; c++)
    {
        const Cell* cell = &run->tree->cells[c];
        if (cell->level != run->level || !dexel_wants_axis(run, &run->cells[c - run->first], run->d)) continue;
        if (!dexel_add_column(run, cell, c - run->first)) return false;
    }
    run->below = calloc(2 * (size_t)run->rays + 1, sizeof *run->below);
    if (!run->below) return false;
    run->sum = run->below + run->rays;
    return true;
}

static bool dexel_add_hit(DexelRun* run, const DexelColumn* column, DexelHit hit)
{
    run->sum[hit.ray] += hit.sign;
    if (hit.z < column->low) run->below[hit.ray] += hit.sign;
    if (hit.z < column->low || hit.z > column->high) return true;
    if (!dexel_grow((void**)&run->hits, &run->hit_room, run->hit_count, sizeof *run->hits)) return false;
    run->hits[run->hit_count++] = hit;
    return true;
}

// whether p is to the left of a to b; on the line, one of two faces that share the edge has it
static bool dexel_left(const double a[2], const double b[2], const double p[2], double* area)
{
    *area = (a[0] - p[0]) * (b[1] - p[1]) - (a[1] - p[1]) * (b[0] - p[0]);
    return *area > 0 || (*area == 0 && (a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])));
}

// the rays of one column that a face meets; corner[i]: places (u, v) turning left, z their height
static bool dexel_hit_column(DexelRun* run, const DexelColumn* column, double corner[3][2], const double z[3], int sign,
                             int face)
{
    const DexelLine *lu = &run->lines[column->line[0]], *lv = &run->lines[column->line[1]];
    double low[2], high[2];
    for (int x = 0; x < 2; x++)
    {
        low[x] = fmin(corner[0][x], fmin(corner[1][x], corner[2][x]));
        high[x] = fmax(corner[0][x], fmax(corner[1][x], corner[2][x]));
    }
    for (int j = 0; j < lv->count; j++)
    {
        const double pv = column->at[1] + lv->place[j];
        if (pv < low[1] || pv > high[1]) continue;
        for (int i = 0; i < lu->count; i++)
        {
            const double p[2] = {column->at[0] + lu->place[i], pv};
            double w[3];
            if (p[0] < low[0] || p[0] > high[0]) continue;
            bool in = true;
            for (int k = 0; k < 3 && in; k++) in = dexel_left(corner[(k + 1) % 3], corner[(k + 2) % 3], p, &w[k]);
            const double sum = in ? w[0] + w[1] + w[2] : 0;
            if (!(sum > 0)) continue;
            const double height = (w[0] * z[0] + w[1] * z[1] + w[2] * z[2]) / sum;
            const DexelHit hit = {column->first + j * lu->count + i, sign, face, height};
            if (!dexel_add_hit(run, column, hit)) return false;
        }
    }
    return true;
}

bool dexel_hit_face(DexelRun* run, int face)
{
    int low[2], high[2];
    double place[3][2], z[3];
    twVec3 corner[3];
    for (int k = 0; k < 3; k++) corner[k] = tw_vec3_scale(run->body->corners[face][k], run->scale);
    dexel_reach(corner, 3, run->u, &low[0], &high[0]);
    dexel_reach(corner, 3, run->v, &low[1], &high[1]);
    for (int k = 0; k < 3; k++)
    {
        place[k][0] = dexel_axis_of(corner[k], run->u);
        place[k][1] = dexel_axis_of(corner[k], run->v);
        z[k] = dexel_axis_of(corner[k], run->d);
    }
    const double turn = (place[1][0] - place[0][0]) * (place[2][1] - place[0][1]) -
                        (place[1][1] - place[0][1]) * (place[2][0] - place[0][0]);
    if (turn == 0) return true;
    if (turn < 0)
    {
        const double x = place[1][0], y = place[1][1], h = z[1];
        place[1][0] = place[2][0], place[1][1] = place[2][1], z[1] = z[2];
        place[2][0] = x, place[2][1] = y, z[2] = h;
    }
    for (int v = low[1]; v <= high[1]; v++)
        for (int u = low[0]; u <= high[0]; u++)
        {
            const int* first = tw_table_get(&run->columns, u, v, 0);
            for (int c = first ? *first : -1; c >= 0; c = run->column[c].next)
                if (!dexel_hit_column(run, &run->column[c], place, z, turn > 0 ? -1 : 1, face)) return false;
        }
    return true;
}

// Hits ray by ray, each from low to high, entering first: counted into buckets, then sorted within. start: (rays + 1)
// by place; where they meet, those that enter first
static int dexel_compare_hits(const void* a, const void* b)
{
    const DexelHit *x = a, *y = b;
    if (x->z != y->z) return x->z < y->z ? -1 : 1;
    return y->sign - x->sign;
}

bool dexel_sort_hits(DexelRun* run, size_t* start, size_t rays)
{
    DexelHit* sorted = malloc((run->hit_count + 1) * sizeof *sorted);
    if (!sorted) return false;
    for (size_t i = 0; i < run->hit_count; i++) start[run->hits[i].ray + 1]++;
    for (size_t i = 0; i < rays; i++) start[i + 1] += start[i];
    for (size_t i = run->hit_count; i-- > 0;) sorted[--start[run->hits[i].ray + 1]] = run->hits[i];
    // starts have moved down to those of the next ray: shift them back
    memmove(start, start + 1, rays * sizeof *start);
    start[rays] = run->hit_count;
    for (size_t ray = 0; ray < rays; ray++)
        qsort(sorted + start[ray], start[ray + 1] - start[ray], sizeof *sorted, dexel_compare_hits);
    free(run->hits);
    run->hits = sorted;
    run->hit_room = run->hit_count + 1;
    return true;
}
