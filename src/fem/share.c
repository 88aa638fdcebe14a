// SPDX-License-Identifier: MIT
// Shares of a mesh. The order of elimination is a nested dissection: pieces of the body are contiguous in it, the
// separators between them come late. So ranks get contiguous ranges of nodes of equal length, and each element goes to
// whoever has its first node. A share is one block of memory and travels as such.
#include "fem/share.h"
#include "fem/graph.h"
#include "fem/ranks.h"
#include <mpi.h>
#include <string.h>

int fem_share_begin(int nodes, int rank, int ranks) { return (int)((int64_t)nodes * rank / ranks); }

// ---- the block ----

static void* take(char* block, size_t* at, size_t count, size_t size)
{
    void* place = block ? block + *at : NULL;
    *at += (count * size + 7) / 8 * 8;
    return place;
}

// set the arrays of a share in a block, for the counts it has; NULL: only count the bytes
static void lay_out(FemShare* share, char* block)
{
    size_t at = 0, nodes = (size_t)share->tets.node_count, tets = (size_t)share->tets.tet_count;
    share->block = block;
    share->tets.nodes = take(block, &at, nodes, sizeof *share->tets.nodes);
    share->tets.tets = take(block, &at, tets, sizeof *share->tets.tets);
    share->tets.mid_nodes = share->def.linear ? NULL : take(block, &at, tets, sizeof *share->tets.mid_nodes);
    share->tets.regions = take(block, &at, tets, sizeof *share->tets.regions);
    share->name = take(block, &at, tets, sizeof *share->name);
    share->row = take(block, &at, nodes, sizeof *share->row);
    share->def.materials = take(block, &at, (size_t)share->def.material_count, sizeof *share->def.materials);
    share->def.fixed_nodes = take(block, &at, (size_t)share->def.fixed_count, sizeof *share->def.fixed_nodes);
    share->def.tets = &share->tets;
    share->bytes = at;
}

static twStatus make_block(FemShare* share, FemMemory* memory, twError* err)
{
    lay_out(share, NULL);
    char* block = fem_alloc(memory, share->bytes, 1);
    if (!block) return fem_no_memory(memory, (double)share->bytes, "a share of the mesh", err);
    lay_out(share, block);
    return TW_OK;
}

void fem_share_free(FemShare* share, FemMemory* memory)
{
    fem_free(memory, share->block);
    share->block = NULL;
}

// ---- cutting ----

// what a cut works with
typedef struct Cut
{
    const twFemDef* def;
    const FemSystem* system;
    const int* position;
    int* local;  // (nodes of the mesh) number in the share being made; -1: not in it
    int begin, end;
} Cut;

// whether tet e, with its nodes, belongs to the share. Elements without a node that moves have only mass: rank 0.
static bool belongs(const Cut* cut, int e, int* node, int* count)
{
    int first = cut->system->nodes;
    *count = fem_tet_nodes(cut->def, e, node);
    for (int i = 0; i < *count; i++)
    {
        int a = cut->system->active[node[i]];
        if (a >= 0 && cut->position[a] < first) first = cut->position[a];
    }
    if (first == cut->system->nodes) first = 0;
    return first >= cut->begin && first < cut->end;
}

static void count_share(const Cut* cut, FemShare* share)
{
    int node[10], count;
    for (int i = 0; i < cut->system->mesh_nodes; i++) cut->local[i] = -1;
    for (int e = 0; e < cut->def->tets->tet_count; e++)
    {
        if (!belongs(cut, e, node, &count)) continue;
        share->tets.tet_count++;
        for (int i = 0; i < count; i++)
        {
            if (cut->local[node[i]] >= 0) continue;
            cut->local[node[i]] = share->tets.node_count++;
            share->def.fixed_count += cut->system->active[node[i]] < 0;
        }
    }
}

static void fill_nodes(const Cut* cut, FemShare* share)
{
    int fixed = 0, *fixed_nodes = (int*)share->def.fixed_nodes;
    for (int i = 0; i < cut->system->mesh_nodes; i++)
    {
        int to = cut->local[i], a = cut->system->active[i];
        if (to < 0) continue;
        share->tets.nodes[to] = cut->def->tets->nodes[i];
        share->row[to] = a >= 0 ? cut->position[a] : -1;
        if (a < 0) fixed_nodes[fixed++] = to;
    }
}

static void fill_tets(const Cut* cut, FemShare* share)
{
    const twTetMesh* tets = cut->def->tets;
    int node[10], count, at = 0;
    for (int e = 0; e < tets->tet_count; e++)
    {
        if (!belongs(cut, e, node, &count)) continue;
        for (int i = 0; i < 4; i++) share->tets.tets[at].n[i] = cut->local[node[i]];
        for (int i = 4; i < count; i++) share->tets.mid_nodes[at][i - 4] = cut->local[node[i]];
        share->tets.regions[at] = tets->regions ? tets->regions[e] : 0;
        share->name[at++] = e;
    }
}

// the share of a rank, from what all shares have in common
static twStatus make_share(FemShare* share, Cut* cut, int rank, FemMemory* memory, twError* err)
{
    cut->begin = fem_share_begin(share->nodes, rank, fem_rank_count());
    cut->end = fem_share_begin(share->nodes, rank + 1, fem_rank_count());
    count_share(cut, share);
    twStatus status = make_block(share, memory, err);
    if (status != TW_OK) return status;
    memcpy((twMaterial*)share->def.materials, cut->def->materials,
           (size_t)share->def.material_count * sizeof *share->def.materials);
    fill_nodes(cut, share);
    fill_tets(cut, share);
    return TW_OK;
}

// ---- sending ----

enum
{
    TAG = 1,
    CHUNK = 1 << 30
};  // MPI counts by int

static void transfer(const FemShare* share, int rank, bool send)
{
    char* at = share->block;
    for (size_t left = share->bytes; left > 0;)
    {
        int bytes = left < CHUNK ? (int)left : CHUNK;
        if (send)
            MPI_Send(at, bytes, MPI_BYTE, rank, TAG, MPI_COMM_WORLD);
        else
            MPI_Recv(at, bytes, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        at += bytes;
        left -= (size_t)bytes;
    }
}

// Head first; what follows comes only if both sides have room for it. A head without bytes says that there is nothing.
static void send_share(const FemShare* share, int rank)
{
    int room = 0;
    MPI_Send(share, sizeof *share, MPI_BYTE, rank, TAG, MPI_COMM_WORLD);
    if (share->bytes == 0) return;
    MPI_Recv(&room, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (room) transfer(share, rank, true);
}

twStatus fem_share_receive(FemShare* share, FemMemory* memory, twError* err)
{
    MPI_Recv(share, sizeof *share, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *memory = fem_ranks_memory(share->def.max_memory_bytes);
    share->block = NULL;
    if (share->bytes == 0) return TW_OK;
    twStatus status = make_block(share, memory, err);
    int room = status == TW_OK;
    MPI_Send(&room, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    if (room) transfer(share, 0, false);
    return status;
}

twStatus fem_share_send(FemShare* share, const twFemDef* def, const FemSystem* system, const int* position,
                        int rigid_count, FemMemory* memory, twError* err)
{
    FemShare common = {.def = *def,
                       .nodes = system->nodes,
                       .rigid_count = rigid_count,
                       .length = system->length,
                       .wish = fem_wish(def, system, 0)};
    common.def.fixed_count = 0;
    common.def.keep_going = NULL;
    common.def.context = NULL;
    Cut cut = {.def = def, .system = system, .position = position};
    size_t mesh_nodes = (size_t)system->mesh_nodes;
    cut.local = fem_alloc(memory, mesh_nodes, sizeof *cut.local);
    twStatus status = cut.local ? TW_OK : fem_no_memory(memory, 4.0 * (double)mesh_nodes, "cutting the mesh", err);

    // the others wait: they get a head without bytes if something failed
    for (int rank = fem_rank_count() - 1; rank > 0; rank--)
    {
        FemShare theirs = common;
        if (status == TW_OK) status = make_share(&theirs, &cut, rank, memory, err);
        if (status != TW_OK) theirs.bytes = 0;
        send_share(&theirs, rank);
        fem_share_free(&theirs, memory);
    }
    *share = common;
    if (status == TW_OK) status = make_share(share, &cut, 0, memory, err);
    fem_free(memory, cut.local);
    return status;
}
