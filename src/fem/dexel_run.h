// SPDX-License-Identifier: MIT
#pragma once
#include "fem/dexel.h"
#include <math.h>

// One run of the integration over new cells: shared by the files dexel*.c.

enum
{
    DEXEL_CUTS = 12,  // of a line, where faces stand along the rays
    DEXEL_PLACES = 3 * TRUNK_RAYS_MAX > (DEXEL_CUTS + 1) * TRUNK_POINTS_MAX ? 3 * TRUNK_RAYS_MAX
                                                                            : (DEXEL_CUTS + 1) * TRUNK_POINTS_MAX
};

#define DEXEL_CUT_LEAST 1e-3  // of a cell, between two cuts

// distinct places along an axis of a cell, in any order
typedef struct DexelCuts
{
    double at[DEXEL_CUTS];
    int count;  // more than DEXEL_CUTS: too many to keep
} DexelCuts;

// what is known of a new cell before its rays run
typedef struct DexelCell
{
    double area[3];          // of the surface in it, by how it faces the axes
    double steep[3];         // area of faces that all but face an axis
    double low[3], high[3];  // where along the axis these lie, in the cell
    double from[3], to[3];   // where along the axis all of the surface in it lies
    DexelCuts cuts[3];       // places of faces that all but face an axis
    DexelCuts corners[3];    // places of the corners of all faces, cut off at the cell
    bool bent[3];            // some of them lean, as on a curved surface
    bool own_column;         // of rays along the axis at hand
    bool crossed;            // by a face, or by a part's surface
    bool touches_held;       // near a held part
    bool patched;            // its surface is of several patches: the rays' intervals are kept to tell its fragments
    bool all_axes;           // rays along its axis alone leave that open, or it is patched and near a held part
    signed char axis;
    int line[3];  // of places of rays along each axis; -1: not known yet
    size_t face;  // first of its faces
    int faces;
} DexelCell;

// a face of the surface in a cell
typedef struct DexelFace
{
    int cell, face;         // cell: among the new ones
    unsigned char touches;  // bit f: it reaches face f of the cell
    float area[3];          // in the cell, by how it faces the axes
} DexelFace;

// Places of rays along one side of a column: Gauss points of intervals, cut where faces stand along the rays.
typedef struct DexelLine
{
    int count;
    double place[DEXEL_PLACES], weight[DEXEL_PLACES];  // 0 to 1; the weights sum to 2
    double lagrange[DEXEL_PLACES][TRUNK_POINTS_MAX];
} DexelLine;

// rays along one axis through cells above each other that have the same lines
typedef struct DexelColumn
{
    int at[2];         // (u, v)
    int next;          // other column at the same place; -1: none
    int cell;          // whose own it is, index among the new ones; -1: of all that have none
    int line[2];       // along u and v
    int first, rays;   // number of the first ray, and how many there are
    double low, high;  // of its cell along the rays, or of everything: hits beyond are only counted
} DexelColumn;

typedef struct DexelHit
{
    int ray, sign;  // sign: 1 enters, -1 leaves
    int face;
    double z;
} DexelHit;

typedef struct DexelInterval
{
    double from, to;
    int first, last;  // hits, of those of its ray
} DexelInterval;

// an interval of a ray in a cell whose surface is of several patches
typedef struct DexelPiece
{
    int cell;  // among the new ones
    int axis, i, j;
    double from, to;  // in the cell
    int patch;        // a face that it ends at, among all of this level; -1: it crosses the cell
} DexelPiece;

// one level of new cells
typedef struct DexelRun
{
    CellTree* tree;
    const Trunk* trunk;
    DexelBody* body;
    int first, end, level;  // the new cells before they fall into fragments
    double scale;           // 2^level: cells of this level per unit
    DexelCell* cells;       // (new cells of all levels)
    DexelFace* faces;       // in new cells of this level, cell by cell
    int* patch;             // (faces) sets of those that are known to bound the same fragment
    size_t face_count, face_room;
    bool second;  // rays along the other axes, through cells whose fragments the first ones leave open
    // one axis
    int d, u, v;
    twTable columns;  // (u, v) to the first column there
    DexelColumn* column;
    int column_count;
    DexelLine* lines;  // the first is that without cuts
    int line_count, line_room;
    int rays;
    int *below, *sum;  // (rays) signs of the hits below those that are kept, and of all
    DexelHit* hits;
    size_t hit_count, hit_room;
    DexelPiece* pieces;
    size_t piece_count, piece_room;
} DexelRun;

// one ray of a column
typedef struct DexelRay
{
    const DexelColumn* column;
    const DexelLine *u, *v;
    int i, j;         // among the rays of its column
    double place[2];  // (u, v) in cells of this level
    int at[3];        // cell; the place along d changes
} DexelRay;

// whether to continue, asked at every 4096th of many items
static inline twStatus dexel_watch(const DexelRun* run, size_t item, twError* err)
{
    const bool ask = run->body->watch && (item & 4095) == 0;
    return ask ? run->body->watch(run->body->context, err) : TW_OK;
}

static inline twStatus dexel_no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the cells"); }

// room for one more item
static inline bool dexel_grow(void** items, size_t* room, size_t count, size_t size)
{
    if (count < *room) return true;
    const size_t more = *room > 0 ? 2 * *room : 1 << 10;
    void* grown = realloc(*items, more * size);
    if (!grown) return false;
    *items = grown;
    *room = more;
    return true;
}

static inline double dexel_axis_of(twVec3 x, int axis) { return axis == 0 ? x.x : axis == 1 ? x.y : x.z; }

static inline int dexel_floor(double x) { return (int)floor(x); }

static inline int dexel_compare_double(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// dexel.c
int dexel_facing_axis(const double area[3]);

// dexel_cross.c
// note faces of a cell that all but face an axis
void dexel_note_steep(DexelCell* cell, const int at[3], const twVec3* polygon, int count, int axis, double area);
DexelCell* dexel_new_cell(const DexelRun* run, const int at[3]);
void dexel_reach(const twVec3* polygon, int count, int axis, int* low, int* high);
bool dexel_cross_face(DexelRun* run, int face);
bool dexel_sort_faces(DexelRun* run);
int dexel_clip_to_cell(const DexelBody* body, int face, const Cell* cell,
                       twVec3* out);  // corners of the polygon, in cells of its level
enum
{
    DEXEL_CORNERS = 12  // of a triangle clipped by six planes, and some to spare
};

// dexel_part.c
twVec3 dexel_to_body(const DexelBody* body, twVec3 grid);
void dexel_touch_parts(const DexelRun* run, const Cell* cell, DexelCell* out);
void dexel_line_part(const twCellsPart* part, twVec3 origin, twVec3 direction, double t[2], twVec3 normal[2]);

// dexel_ray.c
bool dexel_wants_axis(const DexelRun* run, const DexelCell* cell, int axis);  // in this run along the axis
bool dexel_find_columns(DexelRun* run);                                       // and no hits yet
bool dexel_hit_face(DexelRun* run, int face);
bool dexel_sort_hits(DexelRun* run, size_t* start, size_t rays);

// dexel_sum.c
twStatus dexel_run_axis(DexelRun* run, int axis, twError* err);
bool dexel_add_piece_to(DexelRun* run, const DexelPiece* piece, int cell);  // to the weights of a fragment
bool dexel_add_held_of(DexelRun* run, const DexelPiece* piece, int cell);
twStatus dexel_make_winding(DexelBody* body, twError* err);

// dexel_polygon.c
// a face in the cell, in cells of its level
typedef struct DexelPolygon
{
    int count;
    twVec3 corner[DEXEL_CORNERS];
} DexelPolygon;
twVec3 dexel_polygon_nearest(const DexelPolygon* polygon, twVec3 place);
// where the way from a to b meets a polygon between two parts of it; 1: nowhere
double dexel_polygon_hit(const DexelPolygon* polygon, twVec3 a, twVec3 b, double from, double to);
bool dexel_polygon_pierces(const DexelPolygon* sides,
                           const DexelPolygon* through);  // a side of one passes through the other
twVec3 dexel_way_out(const Cell* cell, twVec3 from,
                     twVec3 direction);  // where a way from a point of the cell leaves it

// dexel_patch.c
void dexel_join_faces(DexelRun* run);  // patches: faces that share an edge in the cell
int dexel_face_in(const DexelRun* run, const DexelCell* cell, int face);  // index of a face in a cell; -1: not in it
void dexel_choose_open(DexelRun* run);                                    // cells that need rays along all axes

// dexel_fragment.c
twStatus dexel_make_fragments(DexelRun* run, twError* err);
