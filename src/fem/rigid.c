// SPDX-License-Identifier: MIT
// The rigid motions of each connected piece, x -> t + w x (x - c), that keep its fixed nodes in place: six if there
// are none, three rotations about one point, one about a line of points, none otherwise. They have no energy, so the
// solver need not look for them and cannot mistake a low mode for one.
#include "fem/block.h"
#include "fem/graph.h"
#include "fem/lapack.h"

enum
{
    MOST_PIECES = 100
};

// what holds a piece: nothing, a point, a line or enough
typedef struct Hold
{
    int rank;  // 0 to 3
    twVec3 point, axis;
} Hold;

static void hold_at(Hold* hold, twVec3 x)
{
    const double tolerance = 1e-9;  // of the size of the body, which is 1
    twVec3 d = tw_vec3_sub(x, hold->point);
    if (hold->rank == 0)
    {
        hold->point = x;
        hold->rank = 1;
    }
    else if (hold->rank == 1 && tw_vec3_norm(d) > tolerance)
    {
        hold->axis = tw_vec3_normalize(d);
        hold->rank = 2;
    }
    else if (hold->rank == 2 && tw_vec3_norm(tw_vec3_cross(d, hold->axis)) > tolerance)
        hold->rank = 3;
}

// the fixed nodes of an element hold the piece its other nodes belong to
static void find_holds(Hold* holds, const FemSystem* system, const twFemDef* def)
{
    int node[10];
    for (int e = 0; def->fixed_count > 0 && e < def->tets->tet_count; e++)
    {
        int count = fem_tet_nodes(def, e, node), piece = -1;
        for (int i = 0; i < count; i++)
            if (system->active[node[i]] >= 0) piece = system->piece[system->active[node[i]]];
        for (int i = 0; piece >= 0 && i < count; i++)
            if (system->active[node[i]] < 0) hold_at(&holds[piece], system->x[node[i]]);
    }
}

static int motion_count(const Hold* hold)
{
    static const int counts[4] = {6, 3, 1, 0};
    return counts[hold->rank];
}

// motion i of a piece at x: rotations about the point first, then translations
static twVec3 motion(const Hold* hold, int i, twVec3 x)
{
    double unit[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
    twVec3 axis = hold->rank == 2 ? hold->axis : tw_vec3(unit[0], unit[1], unit[2]);
    return i < 3 ? tw_vec3_cross(axis, tw_vec3_sub(x, hold->point)) : axis;
}

static void fill(double* v, const int* first, const Hold* holds, const FemSystem* system)
{
    size_t n = 3 * (size_t)system->nodes;
    for (size_t a = 0; a < (size_t)system->nodes; a++)
    {
        const Hold* hold = &holds[system->piece[a]];
        for (int i = 0; i < motion_count(hold); i++)
        {
            twVec3 u = motion(hold, i, system->x[system->node[a]]);
            double* at = v + (size_t)(first[system->piece[a]] + i) * n + 3 * a;
            at[0] = u.x, at[1] = u.y, at[2] = u.z;
        }
    }
}

// rotate a piece that floats about its own middle: motions of a small piece far away would be nearly dependent
static void centre_holds(Hold* holds, const FemSystem* system)
{
    int count[MOST_PIECES] = {0};
    twVec3 sum[MOST_PIECES] = {{0, 0, 0}};
    for (int a = 0; a < system->nodes; a++)
    {
        int piece = system->piece[a];
        sum[piece] = tw_vec3_add(sum[piece], system->x[system->node[a]]);
        count[piece]++;
    }
    for (int p = 0; p < system->pieces; p++)
        if (holds[p].rank == 0) holds[p].point = tw_vec3_scale(sum[p], 1.0 / count[p]);
}

twStatus fem_rigid_find(double** out, int* count, const FemSystem* system, const twFemDef* def, FemMemory* memory,
                        twError* err)
{
    *out = NULL;
    *count = 0;
    if (system->pieces > MOST_PIECES)
        return tw_fail(
            err, TW_BAD_INPUT,
            "the mesh falls into %d pieces that share no node: at most %d are handled; join them or analyse them "
            "one by one",
            system->pieces, MOST_PIECES);
    Hold holds[MOST_PIECES] = {{0}};
    int first[MOST_PIECES];
    find_holds(holds, system, def);
    centre_holds(holds, system);
    for (int p = 0; p < system->pieces; p++)
    {
        first[p] = *count;
        *count += motion_count(&holds[p]);
    }
    if (*count == 0) return TW_OK;

    size_t n = 3 * (size_t)system->nodes, columns = (size_t)*count;
    *out = fem_alloc(memory, n * columns, sizeof **out);
    if (!*out) return fem_no_memory(memory, 8.0 * (double)n * (double)columns, "the rigid motions", err);
    fill(*out, first, holds, system);
    return TW_OK;
}

twStatus fem_rigid_motions(double** out, int* count, const FemSystem* system, const twFemDef* def, FemMemory* memory,
                           twError* err)
{
    twStatus status = fem_rigid_find(out, count, system, def, memory, err);
    if (status != TW_OK || *count == 0) return status;
    size_t n = 3 * (size_t)system->nodes, columns = (size_t)*count;
    double* r = fem_alloc(memory, columns * columns, sizeof *r);
    FemBlocks blocks;
    bool room = fem_blocks_create(&blocks, system, *count, memory) && r;
    for (int pass = 0; room && pass < 2; pass++) fem_normalise(&blocks, *out, *count, r);
    fem_blocks_destroy(&blocks, memory);
    fem_free(memory, r);
    if (room) return TW_OK;
    fem_free(memory, *out);
    *out = NULL;
    return fem_no_memory(memory, 8.0 * (double)n * (double)columns, "the rigid motions", err);
}
