// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// Inside the tet filler (internal). Stages, each in its own file:
///   fill_frame    the surface turned to its own axes, centred and scaled to unit size, equal vertices merged
///   fill_field    a function that is positive inside; its zeros on lattice edges; wall thickness
///   fill_octree   cells, finest at the surface, coarser elsewhere, 2:1 balanced
///   fill_lattice  the background tets of the octree: body-centred cubic where cells are equal
///   fill_warp     where the surface cuts lattice edges; vertices near it moved onto it
///   fill_stuff    stencils: background tets cut at the surface
///   fill_piece    neighbours of tets, pieces of the result
///   fill_feature  sharp edges and corners of the surface, and which boundary nodes belong to them
///   fill_snap     nodes moved onto sharp edges and corners
///   fill_smooth   nodes moved to better places
/// All lengths below are in units of the surface's bounding diagonal.

// ---- fill_table: growing arrays, a hash table, a grid ----

/// Make room for needed items of the given size. @return false without memory
bool fill_reserve(void** items, int* capacity, int needed, size_t size);

/// From pairs of 64-bit keys to integers.
typedef struct FillTable
{
    uint64_t (*keys)[2];
    int* values;  ///< -1: free
    int capacity, count;
} FillTable;
/// Where the value of a key is kept, after adding it with value fresh (>= 0) if it is new. @return NULL without memory
int* fill_table_add(FillTable* table, uint64_t a, uint64_t b, int fresh);
int fill_table_find(const FillTable* table, uint64_t a, uint64_t b);  ///< -1: not there
void fill_table_free(FillTable* table);

/// Items by place: cubes of a given edge, each with a list.
typedef struct FillGrid
{
    double edge;
    FillTable heads;
    int (*links)[2];  ///< item, next link or -1
    int count, capacity;
} FillGrid;
bool fill_grid_add(FillGrid* grid, twVec3 point, int item);  ///< false without memory
/// First link of the cube k of 27 around the point's own, -1: none.
int fill_grid_around(const FillGrid* grid, twVec3 point, int k);
void fill_grid_free(FillGrid* grid);

// ---- fill_frame ----

typedef struct FillFrame
{
    twMat3 turn;    ///< rows are the lattice axes in the surface's coordinates
    twVec3 centre;  ///< of the bounding box [m]
    double size;    ///< its diagonal [m]
    twMesh* mesh;   ///< the surface in this frame
    twVec3 low, high;
    bool flat[3];  ///< the surface has flat ends across this axis
    bool closed;   ///< every edge is used as often one way as the other
    double area, volume;
} FillFrame;
twStatus fill_frame_create(FillFrame* frame, const twMesh* surface, twError* err);
void fill_frame_free(FillFrame* frame);
twVec3 fill_frame_out(const FillFrame* frame, twVec3 point);  ///< back to the surface's coordinates
twVec3 fill_frame_in(const FillFrame* frame, twVec3 point);

// ---- fill_field ----

typedef struct FillField
{
    const twMesh* mesh;
    twWinding* winding;
    double orientation;  ///< -1 if the surface is inside out
    bool closed;         ///< winding numbers are whole: the sign changes on the surface only
    bool simple;         ///< they are 0 and 1: the sign changes everywhere on the surface
    double cell;         ///< lattice edge: scales the tolerances
} FillField;

typedef struct FillProbe
{
    double distance;  ///< to the surface
    double level;     ///< winding number less 1/2: positive inside
} FillProbe;
FillProbe fill_field_probe(const FillField* field, twVec3 point);
/// Distance to the surface; nearest (may be NULL) gets the nearest point.
double fill_field_distance(const FillField* field, twVec3 point, twVec3* nearest);
/// Positive inside, negative outside, 0 on the surface: about the distance to it.
double fill_field_value(const FillField* field, twVec3 point);
double fill_field_level(const FillField* field, twVec3 point);                     ///< winding number less 1/2
double fill_field_combine(const FillField* field, twVec3 point, FillProbe probe);  ///< the same, from a probe
/// Where the value changes sign between a point inside and one outside, as a fraction of the way; the normal there.
double fill_field_cut(const FillField* field, twVec3 inside, twVec3 outside, double value_in, double value_out,
                      twVec3* normal);
twVec3 fill_field_normal(const FillField* field, twVec3 point);  ///< of the nearest face, outward
/// Wall thickness: 5th percentile over samples of the surface, and the median; 0 if no wall was found.
double fill_field_thickness(const FillField* field, double* median);
/// Is the boundary of the solid at this point of the surface? Not if it lies inside another part.
bool fill_field_on_boundary(const FillField* field, twVec3 point);

// ---- fill_octree ----

/// Coordinates are in half edges of the finest cells, so that centres of cells have integer coordinates too.
typedef struct FillCell
{
    int x, y, z;   ///< low corner
    int child;     ///< first of eight, -1: leaf
    int level;     ///< 0: root
    double value;  ///< at the centre
    double reach;  ///< within this distance of the centre the sign is that of the centre
} FillCell;

typedef struct FillOctree
{
    FillCell* cells;
    int count, capacity, limit;
    int depth;  ///< level of the finest cells
    twVec3 origin, step;
    double growth;
    bool overlaps;  ///< winding numbers other than 0 and 1 were seen
} FillOctree;

typedef struct FillProgress
{
    bool (*keep_going)(double done, void* context);
    void* context;
    double from, to;  ///< part of the whole
} FillProgress;
/// @return TW_INTERRUPTED with a message if the caller wants no more
twStatus fill_progress(const FillProgress* progress, double done, twError* err);

/// Split cells near the surface down to depth, balance. origin, step, depth, growth and limit are set.
twStatus fill_octree_build(FillOctree* octree, const FillField* field, const FillProgress* progress, twError* err);
void fill_octree_free(FillOctree* octree);
int fill_octree_leaf(const FillOctree* octree, int x, int y, int z);  ///< -1: outside; odd coordinates
static inline int fill_cell_size(const FillOctree* octree, const FillCell* cell)
{
    return 2 << (octree->depth - cell->level);
}
static inline twVec3 fill_octree_point(const FillOctree* octree, int x, int y, int z)
{
    return tw_vec3(octree->origin.x + octree->step.x * x, octree->origin.y + octree->step.y * y,
                   octree->origin.z + octree->step.z * z);
}

// ---- fill_lattice ----

typedef struct FillVertex
{
    int at[3];
    signed char sign;  ///< 1 inside, -1 outside, 0 on the surface
    bool known;
    double gap;  ///< a cell's centre of this sign reaches so far short of the vertex
    double value;
    twVec3 position;
    int node;  ///< in the result, -1: none yet
} FillVertex;

typedef struct FillLattice
{
    FillTable vertex_of;
    FillVertex* vertices;
    int vertex_count, vertex_capacity;
    twTet* tets;  ///< with a vertex inside
    int tet_count, tet_capacity;
} FillLattice;
twStatus fill_lattice_build(FillLattice* lattice, const FillOctree* octree, const FillField* field,
                            const FillProgress* progress, twError* err);
void fill_lattice_free(FillLattice* lattice);

// ---- fill_warp ----

/// Where the surface cuts a lattice edge.
typedef struct FillCut
{
    int in, out;  ///< vertices inside and outside
    double t;     ///< fraction of the way from in to out
    twVec3 point;
    twVec3 normal;  ///< of the surface, outward
    int node;       ///< in the result, -1: none yet
} FillCut;

typedef struct FillCuts
{
    FillTable cut_of;  ///< by edge
    FillCut* cuts;
    int count, capacity;
} FillCuts;
/// Find the cuts and move vertices near the surface onto it. Cuts of edges with an end on the surface are void.
twStatus fill_warp(FillCuts* cuts, FillLattice* lattice, const FillOctree* octree, const FillField* field,
                   const FillProgress* progress, twError* err);
void fill_cuts_free(FillCuts* cuts);
static inline uint64_t fill_edge_key(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}
/// Long edges join two corners or two centres of cells: along an axis.
static inline bool fill_is_long(const FillVertex* a, const FillVertex* b)
{
    return (a->at[0] != b->at[0]) + (a->at[1] != b->at[1]) + (a->at[2] != b->at[2]) == 1;
}

// ---- fill_stuff ----

/// A tet mesh that grows.
typedef struct FillMesh
{
    twVec3* nodes;
    int node_count, node_capacity;
    twTet* tets;
    int tet_count, tet_capacity;
} FillMesh;
/// Divide what the surface leaves of the lattice's tets into tets.
twStatus fill_stuff(FillMesh* out, FillLattice* lattice, FillCuts* cuts, const FillField* field, twError* err);
void fill_mesh_free(FillMesh* mesh);

// ---- fill_piece ----

/// Neighbour of every tet across the face opposite each of its nodes, -1: boundary. free() it. NULL without memory
int (*fill_neighbours(const twTet* tets, int count))[4];
/// Drop pieces far smaller than the largest; split nodes that join tets by a point or an edge only; renumber.
twStatus fill_pieces(FillMesh* mesh, int* dropped, twError* err);

// ---- fill_feature ----

typedef struct FillSegment
{
    int v[2];      ///< vertices of the surface
    int patch[2];  ///< on either side
    int curve;
} FillSegment;

/// Sharp edges and corners of the surface. A patch is a part of the surface between sharp edges.
typedef struct FillFeatures
{
    const twMesh* mesh;
    int* patch_of_face;
    FillSegment* segments;
    int segment_count;
    int* corners;  ///< vertices of the surface
    int corner_count;
    int* corner_first;  ///< (corners + 1) into corner_patches
    int* corner_patches;
    double cell;
    FillGrid grid;  ///< segments by place
} FillFeatures;
twStatus fill_features_create(FillFeatures* features, const twMesh* mesh, double cell, double area, twError* err);
void fill_features_free(FillFeatures* features);
/// Nearest segment within the cell size, -1: none. curve >= 0 and patch >= 0 ask for those of one curve or patch only.
int fill_features_nearest(const FillFeatures* features, twVec3 point, int curve, int patch, twVec3* nearest,
                          double* distance);

// ---- fill_snap, fill_smooth ----

typedef enum FillKind
{
    FILL_INTERIOR,
    FILL_FREE,  ///< on the boundary but not on the surface: across a hole
    FILL_PATCH,
    FILL_CURVE,
    FILL_CORNER,
} FillKind;

/// What a node may do.
typedef struct FillNode
{
    FillKind kind;
    int patch[2];
    int curve;
    int corner;
} FillNode;

typedef struct FillShape
{
    FillMesh* mesh;
    const FillField* field;
    const FillFeatures* features;
    FillNode* nodes;
    int (*neighbours)[4];
    int* first;  ///< (nodes + 1) into star
    int* star;   ///< tets of each node
    int* edges;  ///< boundary edges, two nodes each
    int edge_count;
    double cell;
} FillShape;
twStatus fill_shape_create(FillShape* shape, FillMesh* mesh, const FillField* field, const FillFeatures* features,
                           twError* err);
void fill_shape_free(FillShape* shape);
double fill_tet_quality(twVec3 a, twVec3 b, twVec3 c, twVec3 d);  ///< 1: regular, <= 0: flat or inverted
/// Worst quality of the tets of a node if it stood at point.
double fill_star_quality(const FillShape* shape, int node, twVec3 point);
void fill_snap(FillShape* shape, double least_quality);
void fill_smooth(FillShape* shape, double wanted_quality, int passes);
