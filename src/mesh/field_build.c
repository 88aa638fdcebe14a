// SPDX-License-Identifier: MIT
// Making a distance field. The corners of a coarse grid hold distances, signed by the winding number. A coarse cell that
// the surface comes near becomes a brick of 4 x 4 x 4 fine cells. Which faces can be nearest to a point of a cell: with d
// the distance at its middle and r half its diagonal, those not farther than d + 2 r from the middle, since distances
// change by no more than the way. So lists are cut down from the brick to its eighths and its cells, and the distances at
// the corners of the cells come from the lists.
//
// A cell is interpolated if that is right: for certain if all faces of its list lie in one plane, otherwise if it is
// right to the tolerance at nine points inside. All others keep their lists, and so do cells at the surface.
#include "mesh/field.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// lists while a brick is made
typedef struct Lists
{
    twFieldNear *brick, *eighth, *cell;  // (faces)
} Lists;

static twVec3 at_step(twVec3 origin, double step, double i, double j, double k)
{
    return tw_vec3(origin.x + step * i, origin.y + step * j, origin.z + step * k);
}

static double half_diagonal(double edge) { return 0.5 * sqrt(3.0) * edge; }

// ---- lists ----

// by rising distance (Shell's method with Ciura's steps: lists are short, and qsort's calls a third of all time)
static void sort_list(twFieldNear* list, int count)
{
    static const int steps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (int s = 0; s < 8; s++)
        for (int i = steps[s]; i < count; i++)
        {
            twFieldNear item = list[i];
            int j = i;
            for (; j >= steps[s] && list[j - steps[s]].away > item.away; j -= steps[s]) list[j] = list[j - steps[s]];
            list[j] = item;
        }
}

// a little less, so that a bound stays one in float
static float lower(double x) { return (float)(x * (1 - 1e-6)); }

static double away2_of_ball(const twField* field, int face, twVec3 p)
{
    twVec3 way = tw_vec3_sub(p, field->balls[face].middle);
    return tw_vec3_dot(way, way);
}

// of the faces in from, those that may be nearest to a point not farther than r from middle. @return how many
static int cut_list(twFieldNear* to, const twField* field, const twFieldNear* from, int count, twVec3 middle, double r)
{
    // the middles of the faces bound the least distance, the balls around them those of the rest
    double most2 = HUGE_VAL;
    for (int k = 0; k < count; k++)
    {
        double away2 = away2_of_ball(field, from[k].face, middle);
        if (away2 < most2) most2 = away2;
    }
    double best = sqrt(most2);
    int kept = 0;
    for (int k = 0; k < count; k++)
    {
        double limit = (best + 2 * r) * (1 + 1e-6), reach = limit + field->balls[from[k].face].radius;
        if (away2_of_ball(field, from[k].face, middle) > reach * reach) continue;
        double away = sqrt(tw_field_nearest_on(field, from[k].face, middle).distance2);
        if (away < best) best = away;
        if (away <= limit) to[kept++] = (twFieldNear){from[k].face, lower(away)};
    }

    // less those taken before the best was known
    int left = 0;
    for (int k = 0; k < kept; k++)
        if ((double)to[k].away <= (best + 2 * r) * (1 + 1e-6)) to[left++] = to[k];
    return left;
}

static double box_away2(const twTreeNode* node, twVec3 q)
{
    double x = q.x < node->low.x ? node->low.x - q.x : q.x > node->high.x ? q.x - node->high.x : 0;
    double y = q.y < node->low.y ? node->low.y - q.y : q.y > node->high.y ? q.y - node->high.y : 0;
    double z = q.z < node->low.z ? node->low.z - q.z : q.z > node->high.z ? q.z - node->high.z : 0;
    return x * x + y * y + z * z;
}

// all faces whose boxes are not farther than reach from middle
static int gather_faces(twFieldNear* to, const twField* field, twVec3 middle, double reach)
{
    const twTree* tree = field->winding->tree;
    double scale = field->winding->scale, limit = reach * scale * (1 + 1e-6);
    twVec3 q = tw_vec3_scale(middle, scale);
    int stack[TW_TREE_DEPTH], depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth > 0)
    {
        int i = stack[--depth];
        const twTreeNode* node = &tree->nodes[i];
        if (box_away2(node, q) > limit * limit) continue;
        for (int k = 0; node->right == 0 && k < node->count; k++)
            to[count++] = (twFieldNear){tree->order[node->first + k], 0};
        if (node->right == 0) continue;
        stack[depth++] = node->right;
        stack[depth++] = i + 1;
    }
    return count;
}

static twStatus keep_list(twField* field, twFieldCell* cell, const twFieldNear* list, int count, twError* err)
{
    if (field->near_count + (size_t)count > field->near_capacity)
    {
        size_t capacity = 2 * field->near_capacity + (size_t)count + 1024;
        twFieldNear* larger = capacity < INT_MAX ? realloc(field->near, capacity * sizeof *larger) : NULL;
        if (!larger) return tw_fail(err, TW_NO_MEMORY, "no memory for the faces of a distance field's cells");
        field->near = larger;
        field->near_capacity = capacity;
    }
    cell->first = (int)field->near_count;
    cell->count = (unsigned)count & 0x7fffffffu;
    memcpy(field->near + field->near_count, list, (size_t)count * sizeof *list);
    field->near_count += (size_t)count;
    return TW_OK;
}

// ---- one cell ----

static int value_at(int i, int j, int k) { return (k * TW_BRICK_NODES + j) * TW_BRICK_NODES + i; }

static double exact_in(const twField* field, const twFieldNear* list, int count, twVec3 p, double r)
{
    twNearest nearest = tw_field_nearest_in(field, list, count, p, r);
    return tw_field_signed(field, &nearest, p, NULL);
}

static double interpolate(const twFieldBrick* brick, const int at[3], double x, double y, double z)
{
    double sum = 0;
    for (int c = 0; c < 8; c++)
        sum += (c & 1 ? x : 1 - x) * (c & 2 ? y : 1 - y) * (c & 4 ? z : 1 - z) *
               (double)brick->value[value_at(at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2))];
    return sum;
}

// the plane of all faces of a list; false if they have none in common
static bool common_plane(const twField* field, const twFieldNear* list, int count)
{
    const twFieldFace* t = &field->faces[list[0].face];
    const double even = 1e-9;
    for (int k = 1; k < count; k++)
    {
        const twFieldFace* u = &field->faces[list[k].face];
        if (tw_vec3_max(tw_vec3_sub(u->normal, t->normal)) > even) return false;
        if (fabs(tw_vec3_dot(t->normal, tw_vec3_sub(u->a, t->a))) > even * field->cell) return false;
    }
    return true;
}

// whether all corners of a cell are as far from the surface as from the plane of t: then no edge is below the cell, for
// the faces on its other side would be in the list
static bool is_plane(const twField* field, const twFieldBrick* brick, const int at[3], twVec3 low, int face)
{
    const twFieldFace* t = &field->faces[face];
    const double even = 1e-6;
    for (int c = 0; c < 8; c++)
    {
        int i = at[0] + (c & 1), j = at[1] + (c >> 1 & 1), k = at[2] + (c >> 2);
        double plane = tw_vec3_dot(t->normal, tw_vec3_sub(at_step(low, field->cell, i, j, k), t->a));
        if (fabs(plane - (double)brick->value[value_at(i, j, k)]) > even * field->cell) return false;
    }
    return true;
}

static bool has_sharp_turn(const twField* field, const twFieldNear* list, int count)
{
    const double cos_30 = 0.866;
    for (int k = 1; k < count; k++)
        if (tw_vec3_dot(field->faces[list[0].face].normal, field->faces[list[k].face].normal) < cos_30) return true;
    return false;
}

// whether interpolation is right to the tolerance: at the middle and half way to so many corners
static bool is_smooth(const twField* field, const twFieldBrick* brick, const int at[3], twVec3 low,
                      const twFieldNear* list, int count, double tolerance, int corners)
{
    for (int c = 8; c >= 8 - corners; c--)
    {
        double x = c == 8  ? 0.5
                   : c & 1 ? 0.75
                           : 0.25,
               y = c == 8  ? 0.5
                   : c & 2 ? 0.75
                           : 0.25,
               z = c == 8  ? 0.5
                   : c & 4 ? 0.75
                           : 0.25;
        twVec3 p = at_step(low, field->cell, at[0] + x, at[1] + y, at[2] + z);
        double exact = exact_in(field, list, count, p, half_diagonal(field->cell));
        if (!(fabs(interpolate(brick, at, x, y, z) - exact) <= tolerance)) return false;
    }
    return true;
}

static twStatus judge_cell(twField* field, twFieldBrick* brick, const int at[3], twVec3 low, twFieldNear* list,
                           int count, twError* err)
{
    // beyond the surface's own cells precision is not needed
    const double far_share = 0.02;
    double r = half_diagonal(field->cell), away = (double)list[0].away, beyond = away > r ? away - r : 0;
    double tolerance = field->tolerance + far_share * beyond;
    twFieldCell* cell = &brick->cell[(at[2] * TW_BRICK_CELLS + at[1]) * TW_BRICK_CELLS + at[0]];
    bool flat = common_plane(field, list, count) && is_plane(field, brick, at, low, list[0].face);
    bool any = flat || field->tolerance >= field->cell;
    bool sharp = !any && away <= r && has_sharp_turn(field, list, count);
    cell->linear = any || (!sharp && is_smooth(field, brick, at, low, list, count, tolerance, beyond > r ? 2 : 8));
    cell->count = 0;
    cell->first = 0;
    if (!flat && cell->linear && 2 * tolerance > (double)brick->slack) brick->slack = (float)(2 * tolerance);
    if (cell->linear && away > 2 * r) return TW_OK;
    return keep_list(field, cell, list, count, err);
}

// ---- bricks ----

// distances at the corners of a cell, from its list
static void set_corners(const twField* field, twFieldBrick* brick, const int at[3], twVec3 low, const twFieldNear* list,
                        int count)
{
    for (int c = 0; c < 8; c++)
    {
        int i = at[0] + (c & 1), j = at[1] + (c >> 1 & 1), k = at[2] + (c >> 2);
        float* value = &brick->value[value_at(i, j, k)];
        if (*value != HUGE_VALF) continue;
        twVec3 p = at_step(low, field->cell, i, j, k);
        *value = (float)exact_in(field, list, count, p, half_diagonal(field->cell));
    }
}

static twStatus make_cells(twField* field, twFieldBrick* brick, twVec3 low, Lists* lists, int brick_faces, twError* err)
{
    const int half = TW_BRICK_CELLS / 2;
    for (int e = 0; e < 8; e++)
    {
        int from[3] = {half * (e & 1), half * (e >> 1 & 1), half * (e >> 2)};
        twVec3 middle = at_step(low, field->cell, from[0] + 0.5 * half, from[1] + 0.5 * half, from[2] + 0.5 * half);
        int faces =
            cut_list(lists->eighth, field, lists->brick, brick_faces, middle, half_diagonal(half * field->cell));
        for (int c = 0; c < 8; c++)
        {
            int at[3] = {from[0] + (c & 1), from[1] + (c >> 1 & 1), from[2] + (c >> 2)};
            twVec3 centre = at_step(low, field->cell, at[0] + 0.5, at[1] + 0.5, at[2] + 0.5);
            int count = cut_list(lists->cell, field, lists->eighth, faces, centre, half_diagonal(field->cell));
            sort_list(lists->cell, count);
            set_corners(field, brick, at, low, lists->cell, count);
            twStatus status = judge_cell(field, brick, at, low, lists->cell, count, err);
            if (status != TW_OK) return status;
        }
    }
    return TW_OK;
}

static twStatus add_brick(twField* field, twVec3 low, double away, Lists* lists, twError* err)
{
    if (field->brick_count == field->brick_capacity)
    {
        int capacity = field->brick_capacity < INT_MAX / 4 ? 2 * field->brick_capacity + 64 : 0;
        twFieldBrick* larger = capacity > 0 ? realloc(field->bricks, (size_t)capacity * sizeof *larger) : NULL;
        if (!larger) return tw_fail(err, TW_NO_MEMORY, "no memory for %d bricks of a distance field", capacity);
        field->bricks = larger;
        field->brick_capacity = capacity;
    }
    twFieldBrick* brick = &field->bricks[field->brick_count++];
    for (int i = 0; i < TW_BRICK_VALUES; i++) brick->value[i] = HUGE_VALF;
    brick->slack = 0;
    double r = half_diagonal(field->coarse);
    twVec3 middle = at_step(low, field->coarse, 0.5, 0.5, 0.5);
    int count = gather_faces(lists->brick, field, middle, away + 2 * r);
    count = cut_list(lists->brick, field, lists->brick, count, middle, r);
    return make_cells(field, brick, low, lists, count, err);
}

// ---- the grid ----

// distances at the corners of coarse cells. @return the least winding number seen
static double set_grid(twField* field)
{
    double least = 0;
    size_t c = 0;
    for (int k = 0; k <= field->n[2]; k++)
        for (int j = 0; j <= field->n[1]; j++)
            for (int i = 0; i <= field->n[0]; i++, c++)
            {
                twVec3 p = at_step(field->origin, field->coarse, i, j, k);
                double turns = tw_winding_at(field->winding, p);
                float away = lower(tw_winding_nearest(field->winding, p, NULL, NULL));
                field->corner[c] = turns > 0.5 ? -away : away;
                if (turns < least) least = turns;
            }
    return least;
}

static twStatus set_bricks(twField* field, Lists* lists, twError* err)
{
    double r = half_diagonal(field->coarse);
    size_t c = 0;
    for (int k = 0; k < field->n[2]; k++)
        for (int j = 0; j < field->n[1]; j++)
            for (int i = 0; i < field->n[0]; i++, c++)
            {
                field->brick_of[c] = -1;
                float corner =
                    field->corner[((size_t)k * (size_t)(field->n[1] + 1) + (size_t)j) * (size_t)(field->n[0] + 1) +
                                  (size_t)i];
                if (fabs((double)corner) > field->band + 2.01 * r) continue;
                twVec3 low = at_step(field->origin, field->coarse, i, j, k);
                twVec3 middle = at_step(low, field->coarse, 0.5, 0.5, 0.5);
                double away = tw_winding_nearest(field->winding, middle, NULL, NULL);
                if (away > field->band + r) continue;
                field->brick_of[c] = field->brick_count;
                twStatus status = add_brick(field, low, away, lists, err);
                if (status != TW_OK) return status;
            }
    return TW_OK;
}

static double surface_area(const twField* field)
{
    double area = 0;
    for (int f = 0; f < field->face_count; f++)
        area += 0.5 * tw_vec3_norm(tw_vec3_cross(field->faces[f].ab, field->faces[f].ac));
    return area;
}

// cells such that about three layers of bricks on the surface are so many
static double automatic_cell(const twField* field)
{
    const double bricks = 2500, coarse_cells = 1 << 17;
    twVec3 size = tw_vec3_sub(field->high, field->low);
    double brick = sqrt(3 * surface_area(field) / bricks);
    double least = cbrt(size.x * size.y * size.z / coarse_cells);
    return (brick > least ? brick : least) / TW_BRICK_CELLS;
}

static twStatus size_grid(twField* field, const twFieldDef* def, twError* err)
{
    field->cell = def->cell > 0 ? def->cell : automatic_cell(field);
    field->band = def->band > 0 ? def->band : 2 * field->cell;
    field->tolerance = def->tolerance * field->cell;
    field->coarse = TW_BRICK_CELLS * field->cell;
    field->per_coarse = 1 / field->coarse;
    twVec3 size = tw_vec3_sub(field->high, field->low);
    const double extent[3] = {size.x, size.y, size.z};
    double cells = 1, count[3];
    for (int d = 0; d < 3; d++)
    {
        count[d] = ceil((extent[d] + 2 * field->band) / field->coarse + 0.01);
        cells *= count[d];
    }
    if (!(cells <= TW_FIELD_COARSE_MAX))
        return tw_fail(err, TW_BAD_INPUT,
                       "cells of %g m are too small for a surface of %g m and a band of %g m: %g bricks", field->cell,
                       tw_vec3_norm(size), field->band, cells);

    // half of what is left over at either end
    for (int d = 0; d < 3; d++) field->n[d] = (int)count[d];
    field->origin = tw_vec3(field->low.x - 0.5 * (count[0] * field->coarse - size.x),
                            field->low.y - 0.5 * (count[1] * field->coarse - size.y),
                            field->low.z - 0.5 * (count[2] * field->coarse - size.z));
    return TW_OK;
}

static twStatus build_grid(twField* field, twError* err)
{
    size_t nx = (size_t)field->n[0], ny = (size_t)field->n[1], nz = (size_t)field->n[2];
    size_t list = (size_t)field->face_count * sizeof(twFieldNear);
    field->corner = malloc((nx + 1) * (ny + 1) * (nz + 1) * sizeof *field->corner);
    field->brick_of = malloc(nx * ny * nz * sizeof *field->brick_of);
    Lists lists = {malloc(list), malloc(list), malloc(list)};
    twStatus status = TW_OK;
    if (!field->corner || !field->brick_of || !lists.brick || !lists.eighth || !lists.cell)
        status = tw_fail(err, TW_NO_MEMORY, "no memory for a distance field of %zu x %zu x %zu bricks", nx, ny, nz);
    if (status == TW_OK && set_grid(field) < -0.5)
        status = tw_fail(err, TW_BAD_INPUT, "a part of the surface is inside out; mend it");
    if (status == TW_OK) status = set_bricks(field, &lists, err);
    free(lists.brick);
    free(lists.eighth);
    free(lists.cell);
    return status;
}

// ---- life ----

twFieldDef tw_field_def(void) { return (twFieldDef){.tolerance = 1e-3}; }

static twStatus check_def(const twFieldDef* def, twError* err)
{
    if (!(def->cell >= 0 && def->cell < 1e100))
        return tw_fail(err, TW_BAD_INPUT, "cell is %g m; it must be positive, or 0 for automatic", def->cell);
    if (!(def->band >= 0 && def->band < 1e100))
        return tw_fail(err, TW_BAD_INPUT, "band is %g m; it must be positive, or 0 for automatic", def->band);
    if (!(def->tolerance >= 0))
        return tw_fail(err, TW_BAD_INPUT, "tolerance is %g; it must not be negative", def->tolerance);
    return TW_OK;
}

twStatus tw_field_create(twField** out, const twMesh* mesh, const twFieldDef* def, twError* err)
{
    *out = NULL;
    twStatus status = check_def(def, err);
    if (status != TW_OK) return status;
    twField* field = calloc(1, sizeof *field);
    if (!field) return tw_fail(err, TW_NO_MEMORY, "no memory for a distance field");
    status = tw_field_faces(field, mesh, err);
    if (status == TW_OK) status = tw_winding_create(&field->winding, mesh, err);
    if (status == TW_OK) status = size_grid(field, def, err);
    if (status == TW_OK) status = build_grid(field, err);
    if (status == TW_OK)
        *out = field;
    else
        tw_field_destroy(field);
    return status;
}

void tw_field_destroy(twField* field)
{
    if (!field) return;
    free(field->faces);
    free(field->balls);
    free(field->vertex_normal);
    free(field->edge_normal);
    tw_winding_destroy(field->winding);
    free(field->corner);
    free(field->brick_of);
    free(field->bricks);
    free(field->near);
    free(field);
}
