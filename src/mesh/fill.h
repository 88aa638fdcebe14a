// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/table.h"
#include "twang/mesh.h"

/// @file
/// Inside the tet filler (internal). Stages, each in its own file:
///   fill_frame    the surface turned to its own axes, centred and scaled to unit size, equal vertices merged
///   fill_field    a function that is positive inside; its zeros on lattice edges
///   fill_walls    thickness of the walls, and how long cells may be
///   fill_octree   cells, finest at the surface, coarser elsewhere, 2:1 balanced
///   fill_lattice  the background tets of the octree: body-centred cubic where cells are equal
///   fill_warp     where the surface cuts lattice edges; vertices near it moved onto it
///   fill_stuff    stencils: background tets cut at the surface
///   fill_piece    neighbours of tets, pieces of the result
///   fill_feature  sharp edges and corners of the surface, and which boundary nodes belong to them
///   fill_snap     nodes moved onto sharp edges and corners
///   fill_smooth   nodes moved to better places
/// All lengths below are in units of the surface's bounding diagonal. Where cells are longer along an axis, everything is
/// pressed together along it, so that cells are cubes again.

// ---- fill_grid: growing arrays, items by place ----

/// Make room for needed items of the given size. @return false without memory
bool fill_reserve(void** items, int* capacity, int needed, size_t size);

/// Items by place: cubes of a given edge, each with a list.
typedef struct FillGrid
{
    double edge;
    twTable heads;
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
    twMat3 turn;     ///< rows are the lattice axes in the surface's coordinates
    twVec3 centre;   ///< of the bounding box [m]
    double size;     ///< its diagonal [m]
    twVec3 stretch;  ///< cells are so much longer along the axes: the frame is pressed together by it
    twMesh* mesh;    ///< the surface in this frame
    twVec3 low, high;
    bool flat[3];  ///< the surface has flat ends across this axis
    bool closed;   ///< every edge is used as often one way as the other
    double area, volume;
} FillFrame;
twStatus fill_frame_create(FillFrame* frame, const twMesh* surface, twError* err);
void fill_frame_free(FillFrame* frame);
void fill_frame_stretch(FillFrame* frame, twVec3 stretch);    ///< press it together, once
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

/// Of the surface in a frame; destroy its winding.
twStatus fill_field_create(FillField* field, const FillFrame* frame, twError* err);

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
/// Is the boundary of the solid at this point of the surface? Not if it lies inside another part.
bool fill_field_on_boundary(const FillField* field, twVec3 point);

// ---- fill_walls ----

enum
{
    FILL_SAMPLES = 240
};

typedef struct FillWall
{
    twVec3 normal;
    double way;  ///< through the wall
} FillWall;

/// What samples of the surface tell about the walls.
typedef struct FillWalls
{
    double thinnest;  ///< thickness, 5th percentile; 0: no wall was found
    double usual;     ///< median
    double unused;    ///< part of the surface that is no wall: inside the solid, or around nothing
    int count;
    FillWall samples[FILL_SAMPLES];
} FillWalls;
void fill_walls_find(FillWalls* walls, const FillField* field);
/// @return TW_BAD_INPUT if there are none, or hardly any
twStatus fill_walls_check(const FillWalls* walls, const FillFrame* frame, twError* err);
/// Set the thicknesses as cells see them that are so much longer along the axes.
void fill_walls_measure(FillWalls* walls, twVec3 stretch);
/// How much longer cells may be along the axes, at most most: along plates, bars and tubes, not in bowls.
twVec3 fill_walls_stretch(const FillWalls* walls, twVec3 extent, double most);

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
    twTable vertex_of;
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
    twTable cut_of;  ///< by edge
    FillCut* cuts;
    int count, capacity;
} FillCuts;
/// Find the cuts and move vertices near the surface onto it. Cuts of edges with an end on the surface are void.
twStatus fill_warp(FillCuts* cuts, FillLattice* lattice, const FillOctree* octree, const FillField* field,
                   const FillProgress* progress, twError* err);
void fill_cuts_free(FillCuts* cuts);
/// Index of the cut of the edge from a to b, after adding it with the given index if it is new. @return NULL without memory
static inline int* fill_cut_add(FillCuts* cuts, int a, int b, int fresh)
{
    return tw_table_put(&cuts->cut_of, a < b ? a : b, a < b ? b : a, 0, fresh);
}
static inline int* fill_cut_find(const FillCuts* cuts, int a, int b)
{
    return tw_table_get(&cuts->cut_of, a < b ? a : b, a < b ? b : a, 0);
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
/// Drop pieces far smaller than the largest; split nodes that join tets by a point or an edge only; renumber. kept and
/// dropped get the number of pieces.
twStatus fill_pieces(FillMesh* mesh, int* kept, int* dropped, twError* err);

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
/// Which segments are asked for: any if all are -1.
typedef struct FillWanted
{
    int curve;  ///< of this curve only
    int patch;  ///< beside this patch only
    int other;  ///< and with this one on the other side
} FillWanted;
static const FillWanted FILL_ANY = {-1, -1, -1};
/// Nearest segment within the cell size, -1: none.
int fill_features_nearest(const FillFeatures* features, twVec3 point, FillWanted wanted, twVec3* nearest,
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
double fill_shape_open(const FillShape* shape);                   ///< part of the boundary's area that is over holes
double fill_tet_quality(twVec3 a, twVec3 b, twVec3 c, twVec3 d);  ///< 1: regular, <= 0: flat or inverted
/// Worst quality of the tets of a node if it stood at point.
double fill_star_quality(const FillShape* shape, int node, twVec3 point);
void fill_snap(FillShape* shape, double least_quality);
void fill_smooth(FillShape* shape, double wanted_quality, int passes);
bool fill_have_common(const FillShape* shape, int a, int b);  ///< two boundary nodes belong to one patch or sharp edge
/// Fill dents and take off ridges where the boundary still cuts across a sharp edge. After changes shape is out of date.
twStatus fill_dents(FillShape* shape, bool* changed, twError* err);
