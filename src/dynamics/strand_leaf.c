// SPDX-License-Identifier: MIT
// Nodes of a rod stand in columns, one for each leaf, so that loops go over leaves: of a part of a vector, the nodes 4 l + j of all leaves l
// are one after the other, for j = 0 to 3, and before and after them those that its ends have beside. A leaf has the seven nodes from the one
// before it to the one after it. Of c, and of what all leaves are measured against, any point will do, as d is measured from it: the mean of the
// last call serves, so that each rod is gone through once, while it is at hand.
#include "dynamics/strand_leaf.h"

enum
{
    NODES = STRAND_LEAF + 3  // of a leaf
};

static int strand_leaves_of(int edges) { return (edges + STRAND_LEAF - 1) / STRAND_LEAF; }
static int count_leaves(const StrandShape* shape) { return strand_leaves_of(shape->edge_count); }

static size_t strand_columns_for(int leaves, int fibres)
{
    return 3 * STRAND_LEAF * ((size_t)leaves + 2) * (size_t)fibres;
}
static size_t columns_of(const StrandShape* shape)
{
    return strand_columns_for(count_leaves(shape), shape->fibre_count);
}

// ---- creation ----

void strand_leaves_cut(StrandLeaves* v, const StrandShape* const* shapes)
{
    StrandPart* part = v->parts;
    for (int r = 0; r < v->rod_count; r++)
        for (int first = 0; first < shapes[r]->edge_count; first += STRAND_LEAF)
        {
            const int left = shapes[r]->edge_count - first;
            *part++ = (StrandPart){r, first, left < STRAND_LEAF ? left : STRAND_LEAF};
        }
    v->count = (int)(part - v->parts);
    memset(v->motion, 0, (size_t)v->count * sizeof *v->motion);
}

bool strand_leaves_create(StrandLeaves* v, const StrandShape* const* shapes, const int* room, int count)
{
    *v = (StrandLeaves){.rod_count = count};
    size_t all = 0, largest = 0, most = 0, leaves = 1;
    for (int r = 0; r < count; r++)
    {
        const int of_rod = room ? strand_leaves_of(room[r]) : count_leaves(shapes[r]);
        const size_t columns = strand_columns_for(of_rod, room ? STRAND_FIBRES : shapes[r]->fibre_count);
        leaves += (size_t)of_rod;
        all += columns;
        largest = columns > largest ? columns : largest;
        most = (size_t)of_rod > most ? (size_t)of_rod : most;
    }
    v->parts = calloc(leaves, sizeof *v->parts);
    v->motion = strand_lines(leaves, sizeof *v->motion);
    v->block = calloc(all + largest + 4 * most + 4 * leaves, sizeof *v->block);
    if (!v->parts || !v->motion || !v->block) return false;
    v->columns = v->block;
    for (size_t k = 0; k < 4; k++) v->parted[k] = v->columns + largest + k * most;
    v->last = v->parted[3] + most;
    v->looked = v->last + all;
    v->room = (int)leaves - 1;
    strand_leaves_cut(v, shapes);
    return true;
}

void strand_leaves_destroy(StrandLeaves* v)
{
    free(v->parts);
    free(v->motion);
    free(v->block);
}

// ---- columns ----

static void put_places(double* columns, const StrandLine* line)
{
    const StrandShape* shape = line->shape;
    const int width = count_leaves(shape) + 2, whole = shape->point_count / STRAND_LEAF;
    for (int fibre = 0; fibre < shape->fibre_count; fibre++, columns += 3 * STRAND_LEAF * width)
    {
        const twVec3* node = line->node + (size_t)fibre * (size_t)shape->point_count;
        for (int l = -1; l < width - 1; l++)
            for (int j = 0; j < STRAND_LEAF; j++)
            {
                const int i = STRAND_LEAF * l + j;
                const twVec3 x = node[l >= 0 && l < whole ? i : strand_leaf_node(shape, i)];
                columns[j * width + 1 + l] = x.x;
                columns[(STRAND_LEAF + j) * width + 1 + l] = x.y;
                columns[(2 * STRAND_LEAF + j) * width + 1 + l] = x.z;
            }
    }
}

static void put_speeds(double* columns, const StrandLine* line)
{
    const StrandShape* shape = line->shape;
    const int width = count_leaves(shape) + 2, whole = shape->point_count / STRAND_LEAF;
    for (int c = 0; c < 3; c++, columns += STRAND_LEAF * width)
    {
        const double* v = line->place->v[c];
        for (int l = -1; l < width - 1; l++)
            for (int j = 0; j < STRAND_LEAF; j++)
            {
                const int i = STRAND_LEAF * l + j;
                columns[j * width + 1 + l] = v[l >= 0 && l < whole ? i : strand_leaf_node(shape, i)];
            }
    }
}

// where node k of leaf 0, -1 to 5, stands in its columns
static size_t node_at(size_t width, int k)
{
    return (size_t)((k + STRAND_LEAF) % STRAND_LEAF) * width + (size_t)((k + STRAND_LEAF) / STRAND_LEAF);
}

static void add_nodes(const double* restrict columns, int leaves, double* restrict out)
{
    const size_t width = (size_t)leaves + 2;
    for (int l = 0; l < leaves; l++)
    {
        double sum = 0;
        for (int k = -1; k < NODES - 1; k++) sum += columns[node_at(width, k) + (size_t)l];
        out[l] += sum;
    }
}

// square of the most that a node differs from the mean, if that is more
static void add_differences(const double* restrict columns, int leaves, double* const mean[3], double* restrict most)
{
    const size_t width = (size_t)leaves + 2, next = STRAND_LEAF * width;
    const double* restrict ax = mean[0], * restrict ay = mean[1], * restrict az = mean[2];
    for (int l = 0; l < leaves; l++)
    {
        double far = most[l];
        for (int k = -1; k < NODES - 1; k++)
        {
            const double* x = columns + node_at(width, k) + l;
            const double dx = x[0] - ax[l], dy = x[next] - ay[l], dz = x[2 * next] - az[l];
            const double size = dx * dx + dy * dy + dz * dz;
            far = size > far ? size : far;
        }
        most[l] = far;
    }
}

// means of the leaves of a rod, and most that a node differs from them
static void part(StrandLeaves* v, int fibres, int leaves)
{
    const size_t column = STRAND_LEAF * ((size_t)leaves + 2);
    const double share = 1.0 / (fibres * NODES);
    for (int c = 0; c < 4; c++) memset(v->parted[c], 0, (size_t)leaves * sizeof(double));
    for (int c = 0; c < 3; c++)
    {
        double* restrict mean = v->parted[c];
        for (int fibre = 0; fibre < fibres; fibre++)
            add_nodes(v->columns + (size_t)(3 * fibre + c) * column, leaves, mean);
        for (int l = 0; l < leaves; l++) mean[l] *= share;
    }
    for (int fibre = 0; fibre < fibres; fibre++)
        add_differences(v->columns + (size_t)(3 * fibre) * column, leaves, v->parted, v->parted[3]);
    for (int l = 0; l < leaves; l++) v->parted[3][l] = sqrt(v->parted[3][l]);
}

static twVec3 parted(const StrandLeaves* v, int l)
{
    return tw_vec3(v->parted[0][l], v->parted[1][l], v->parted[2][l]);
}

// ---- ways ----

// columns to the way since the last ones, which become these
static void go_on(double* restrict columns, double* restrict last, size_t count)
{
    for (size_t i = 0; i < count; i++)
    {
        const double now = columns[i];
        columns[i] = now - last[i];
        last[i] = now;
    }
}

// @return the sum of their ways
static twVec3 move_rod(StrandLeaves* v, StrandLeaf* leaf, int leaves)
{
    twVec3 sum = {0};
    for (int l = 0; l < leaves; l++)
    {
        const twVec3 c = parted(v, l), off = tw_vec3_sub(c, v->step);
        const double bend = 4 * v->parted[3][l], far = tw_vec3_norm(off) + bend;
        sum = tw_vec3_add(sum, c);
        v->fastest = far > v->fastest ? far : v->fastest;
        leaf[l].way = tw_vec3_add(leaf[l].way, c);
        leaf[l].turned += bend;
    }
    return sum;
}

void strand_leaves_move(StrandLeaves* v, const StrandLine* lines, bool start)
{
    double* last = v->last;
    twVec3 sum = {0};
    v->fastest = 0;
    for (int r = 0, at = 0; r < v->rod_count; r++)
    {
        const StrandShape* shape = lines[r].shape;
        const int leaves = count_leaves(shape);
        put_places(start ? last : v->columns, &lines[r]);
        if (!start)
        {
            go_on(v->columns, last, columns_of(shape));
            part(v, shape->fibre_count, leaves);
            sum = tw_vec3_add(sum, move_rod(v, v->motion + at, leaves));
        }
        last += columns_of(shape);
        at += leaves;
    }
    v->step = tw_vec3_scale(sum, 1.0 / (v->count ? v->count : 1));
    v->went += v->fastest;
}

void strand_leaves_look(StrandLeaves* v)
{
    for (int l = 0; l < v->count; l++) memcpy(v->looked + 4 * l, &v->motion[l], 4 * sizeof(double));
    v->went = 0;
}

// what a leaf has gone since the look
static twVec3 since_look(const StrandLeaves* v, int l)
{
    const double* from = v->looked + 4 * l;
    return tw_vec3_sub(v->motion[l].way, tw_vec3(from[0], from[1], from[2]));
}

bool strand_leaves_left(StrandLeaves* v, double limit)
{
    if (v->went <= limit) return false;
    twVec3 mean = {0};
    for (int l = 0; l < v->count; l++) mean = tw_vec3_add(mean, since_look(v, l));
    mean = tw_vec3_scale(mean, 1.0 / (v->count ? v->count : 1));
    v->went = 0;
    for (int l = 0; l < v->count; l++)
    {
        const double bent = 0.25 * (v->motion[l].turned - v->looked[4 * l + 3]);
        const double far = tw_vec3_norm(tw_vec3_sub(since_look(v, l), mean)) + bent;
        v->went = far > v->went ? far : v->went;
    }
    return v->went > limit;
}

// ---- velocities ----

// of what is beside the nodes, as sections spin and tilt
static void add_spin(const StrandLine* line, int leaves, double* differ)
{
    const StrandShape* shape = line->shape;
    for (int l = 0; l < leaves; l++)
    {
        double spin = 0;
        for (int k = -1; k <= STRAND_LEAF + 1; k++)
        {
            const int i = strand_leaf_node(shape, STRAND_LEAF * l + k);
            if (i < shape->edge_count && fabs(line->place->spin[i]) > spin) spin = fabs(line->place->spin[i]);
        }
        const double core = shape->core[0][STRAND_LEAF * l] + shape->core[1][STRAND_LEAF * l];
        differ[l] = differ[l] * (1 + 2 * core * line->per_edge) + spin * core;
    }
}

double strand_leaves_speed(StrandLeaves* v, const StrandLine* lines)
{
    StrandLeaf* leaf = v->motion;
    twVec3 sum = {0};
    double most = 0;
    for (int r = 0; r < v->rod_count; r++)
    {
        const int leaves = count_leaves(lines[r].shape);
        put_speeds(v->columns, &lines[r]);
        part(v, 1, leaves);
        if (lines[r].shape->fibre_count > 1) add_spin(&lines[r], leaves, v->parted[3]);
        for (int l = 0; l < leaves; l++, leaf++)
        {
            leaf->speed = parted(v, l);
            leaf->differ = v->parted[3][l];
            const double far = tw_vec3_norm(tw_vec3_sub(leaf->speed, v->speed)) + leaf->differ;
            sum = tw_vec3_add(sum, leaf->speed);
            most = far > most ? far : most;
        }
    }
    v->speed = tw_vec3_scale(sum, 1.0 / (v->count ? v->count : 1));
    return most;
}
