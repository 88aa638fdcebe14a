// SPDX-License-Identifier: MIT
// Structured blocks into tets and triangles. The nodes of a quadratic mesh are the points of the lattice with half the
// cells' spacing: all edges of the cut (of cells, diagonals of their faces, diagonals of cells) have their middles there.
#include "mesh/blocks.h"
#include "mesh/weld.h"
#include <stdlib.h>
#include <string.h>

void tw_blocks_add(twBlocks* blocks, int part, const int cells[3], const int parity[3])
{
    TW_ASSERT(blocks->count < TW_MAX_BLOCKS);
    twBlock* b = &blocks->block[blocks->count++];
    b->part = part;
    for (int d = 0; d < 3; d++)
    {
        TW_ASSERT(cells[d] > 0);
        b->cells[d] = cells[d];
        b->parity[d] = parity[d] & 1;
    }
}

void tw_blocks_grade(twBlocks* blocks, int axis, twGrade grade)
{
    if (grade.count == 0) return;
    TW_ASSERT(blocks->grade_count < TW_MAX_GRADES);
    blocks->grade[blocks->grade_count++] = grade;
    blocks->block[blocks->count - 1].grade[axis] = blocks->grade_count;
}

int tw_cells(double length, double edge, int at_least)
{
    // a little less than the quotient, lest round-off adds a cell; the cap is far above what is refused later
    double n = ceil(length / edge * (1 - 1e-9));
    if (!(n < 1e7)) n = 1e7;
    return n > at_least ? (int)n : at_least > 1 ? at_least : 1;
}

int tw_even_cells(double length, double edge, int at_least)
{
    int n = tw_cells(length, edge, at_least);
    return n + n % 2;
}

// ---- lattice ----

// where t of a side's cells end
static double graded(const twBlocks* blocks, const twBlock* b, int axis, double t)
{
    if (b->grade[axis] == 0) return t;
    const twGrade* g = &blocks->grade[b->grade[axis] - 1];
    double at = t * b->cells[axis], from = 0;
    for (int i = 0; i < g->count; i++)
    {
        if (at <= g->cells[i]) return from + g->width[i] * at / g->cells[i];
        at -= g->cells[i];
        from += g->width[i];
    }
    return 1;
}

// point of the lattice that has side[d] + 1 points along d
static twVec3 lattice_point(const twBlocks* blocks, const twBlock* b, const int index[3], const int side[3])
{
    double at[3];
    for (int d = 0; d < 3; d++) at[d] = graded(blocks, b, d, index[d] / (double)side[d]);
    return blocks->map(b->part, at[0], at[1], at[2], blocks->context);
}

// lowest corner and size of the bounding box of all blocks, by nine points along each direction
static double extent(const twBlocks* blocks, twVec3* low)
{
    const int side[3] = {8, 8, 8};
    twVec3 high = tw_vec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
    *low = tw_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    for (int i = 0; i < blocks->count; i++)
        for (int k = 0; k < 9 * 9 * 9; k++)
        {
            const int index[3] = {k % 9, k / 9 % 9, k / 81};
            twVec3 p = lattice_point(blocks, &blocks->block[i], index, side);
            *low = tw_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
            high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
    return tw_vec3_norm(tw_vec3_sub(high, *low));
}

static twStatus too_many(const twBlocks* blocks, double count, twError* err)
{
    return tw_fail(
        err, TW_BAD_INPUT,
        "%s: a mesh this fine has about %.3g nodes, more than %d; use longer edges or fewer elements through "
        "the thickness",
        blocks->name, count, TW_MAX_BLOCK_NODES);
}

static twStatus no_memory(const twBlocks* blocks, double count, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "%s: no memory for a mesh of about %.3g nodes", blocks->name, count);
}

// ---- tets ----

typedef struct Build
{
    const twBlocks* blocks;
    size_t offset[TW_MAX_BLOCKS];  // of a block's nodes in id
    int* id;                       // node of each lattice point of each block
    int corner_count;
    int* order;  // node of each welded point, corners of tets first
    twWeld weld;
} Build;

// counts of the half lattice: all points, and those on faces of blocks, which may be welded
static void count_points(Build* build, double* points, double* on_faces)
{
    *points = *on_faces = 0;
    for (int i = 0; i < build->blocks->count; i++)
    {
        const int* n = build->blocks->block[i].cells;
        build->offset[i] = *points <= TW_MAX_BLOCK_NODES ? (size_t)*points : 0;  // too many are refused
        double all = (2.0 * n[0] + 1) * (2.0 * n[1] + 1) * (2.0 * n[2] + 1);
        *points += all;
        *on_faces += all - (2.0 * n[0] - 1) * (2.0 * n[1] - 1) * (2.0 * n[2] - 1);
    }
}

static void place_block(Build* build, int which)
{
    const twBlock* b = &build->blocks->block[which];
    const int side[3] = {2 * b->cells[0], 2 * b->cells[1], 2 * b->cells[2]};
    int* id = build->id + build->offset[which];
    int i[3];
    for (i[2] = 0; i[2] <= side[2]; i[2]++)
        for (i[1] = 0; i[1] <= side[1]; i[1]++)
            for (i[0] = 0; i[0] <= side[0]; i[0]++)
            {
                bool on_face = false;
                for (int d = 0; d < 3; d++) on_face = on_face || i[d] == 0 || i[d] == side[d];
                twVec3 p = lattice_point(build->blocks, b, i, side);
                *id++ = on_face ? tw_weld_add(&build->weld, p) : tw_weld_append(&build->weld, p);
            }
}

// number the welded points: corners of cells, then the rest
static void number_nodes(Build* build)
{
    int count = build->weld.count;
    for (int k = 0; k < count; k++) build->order[k] = 1;
    for (int i = 0; i < build->blocks->count; i++)
    {
        const int* n = build->blocks->block[i].cells;
        const int row = 2 * n[0] + 1, sheet = row * (2 * n[1] + 1);
        for (int z = 0; z <= n[2]; z++)
            for (int y = 0; y <= n[1]; y++)
                for (int x = 0; x <= n[0]; x++)
                    build->order[build->id[build->offset[i] + (size_t)sheet * 2 * z + (size_t)row * 2 * y + 2 * x]] = 0;
    }
    int corners = 0;
    for (int k = 0; k < count; k++) corners += build->order[k] == 0;
    build->corner_count = corners;
    for (int k = 0, corner = 0, middle = corners; k < count; k++)
        build->order[k] = build->order[k] ? middle++ : corner++;
}

// the six tets of a cell: paths from its even to its odd corner, one axis after the other
static void cut_cell(const Build* build, int which, const int cell[3], twTet* tet, int (*mid)[6])
{
    static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const twBlock* b = &build->blocks->block[which];
    const int* id = build->id + build->offset[which];
    const int stride[3] = {1, 2 * b->cells[0] + 1, (2 * b->cells[0] + 1) * (2 * b->cells[1] + 1)};

    // begin at the corner of even indices; an axis walked backwards turns the tets inside out
    int start = 0, step[3], mirrored = 0;
    for (int d = 0; d < 3; d++)
    {
        int odd = (b->parity[d] + cell[d]) & 1;
        start += 2 * (cell[d] + odd) * stride[d];
        step[d] = odd ? -2 * stride[d] : 2 * stride[d];
        mirrored ^= odd;
    }
    for (int t = 0; t < 6; t++)
    {
        int at[4] = {start, 0, 0, 0};
        for (int k = 0; k < 3; k++) at[k + 1] = at[k] + step[axes[t][k]];
        if ((t >= 3) != mirrored)
        {
            int swap = at[2];
            at[2] = at[3];
            at[3] = swap;
        }
        for (int k = 0; k < 4; k++) tet[t].n[k] = build->order[id[at[k]]];
        for (int k = 0; k < 6; k++) mid[t][k] = build->order[id[(at[edges[k][0]] + at[edges[k][1]]) / 2]];
    }
}

static void cut_blocks(const Build* build, twTetMesh* tets)
{
    int count = 0;
    for (int i = 0; i < build->blocks->count; i++)
    {
        const int* n = build->blocks->block[i].cells;
        int cell[3];
        for (cell[2] = 0; cell[2] < n[2]; cell[2]++)
            for (cell[1] = 0; cell[1] < n[1]; cell[1]++)
                for (cell[0] = 0; cell[0] < n[0]; cell[0]++, count += 6)
                    cut_cell(build, i, cell, tets->tets + count, tets->mid_nodes + count);
    }
}

static int count_cells(const twBlocks* blocks)
{
    int count = 0;
    for (int i = 0; i < blocks->count; i++)
        count += blocks->block[i].cells[0] * blocks->block[i].cells[1] * blocks->block[i].cells[2];
    return count;
}

static twStatus make_tets(twTetMesh** out, Build* build, double points, double on_faces, twError* err)
{
    twVec3 low;
    double size = extent(build->blocks, &low);
    build->id = malloc((size_t)points * sizeof *build->id);
    if (!build->id || !tw_weld_create(&build->weld, (size_t)points, (size_t)on_faces, low, size))
        return no_memory(build->blocks, points, err);
    for (int i = 0; i < build->blocks->count; i++) place_block(build, i);
    build->order = malloc((size_t)build->weld.count * sizeof *build->order);
    if (!build->order) return no_memory(build->blocks, points, err);
    number_nodes(build);

    const int tet_count = 6 * count_cells(build->blocks);
    twStatus status = tw_tets_create(out, build->weld.count, tet_count, err);
    if (status) return status;
    (*out)->mid_nodes = malloc((size_t)tet_count * sizeof *(*out)->mid_nodes);
    if (!(*out)->mid_nodes) return no_memory(build->blocks, points, err);
    for (int k = 0; k < build->weld.count; k++) (*out)->nodes[build->order[k]] = build->weld.points[k];
    cut_blocks(build, *out);
    return TW_OK;
}

twStatus tw_blocks_tets(twTetMesh** out, const twBlocks* blocks, twError* err)
{
    *out = NULL;
    Build build = {.blocks = blocks};
    double points, on_faces;
    count_points(&build, &points, &on_faces);
    if (!(points <= TW_MAX_BLOCK_NODES)) return too_many(blocks, points, err);

    twStatus status = make_tets(out, &build, points, on_faces, err);
    free(build.id);
    free(build.order);
    tw_weld_destroy(&build.weld);
    if (!status) return TW_OK;
    tw_tets_destroy(*out);
    *out = NULL;
    return status;
}

// ---- surface ----

// one of the six faces of a block: across axis d, at its beginning or end; u and v run along the next two axes
typedef struct Face
{
    const twBlock* block;
    int across, end;
} Face;

static Face face_of(const twBlocks* blocks, int k)
{
    Face face = {&blocks->block[k / 6], k % 6 / 2, k % 2};
    return face;
}

static int cells_along(Face face, int axis) { return face.block->cells[(face.across + 1 + axis) % 3]; }

// point (i, j) of a face's lattice of the given sides
static twVec3 face_point(const twBlocks* blocks, Face face, int i, int j, int side_i, int side_j)
{
    int index[3], side[3];
    int d = face.across, a = (d + 1) % 3, b = (d + 2) % 3;
    index[d] = face.end;
    side[d] = 1;
    index[a] = i;
    side[a] = side_i;
    index[b] = j;
    side[b] = side_j;
    return lattice_point(blocks, face.block, index, side);
}

// mark the faces that are no other face's twin; blocks share whole faces, so the middles tell
static bool find_outside(bool* outside, const twBlocks* blocks, twVec3 low, double size)
{
    const int count = 6 * blocks->count;
    int first[6 * TW_MAX_BLOCKS];
    twWeld weld;
    if (!tw_weld_create(&weld, (size_t)count, (size_t)count, low, size)) return false;
    for (int k = 0; k < count; k++)
    {
        int known = weld.count, m = tw_weld_add(&weld, face_point(blocks, face_of(blocks, k), 1, 1, 2, 2));
        outside[k] = m == known;
        if (outside[k])
            first[m] = k;
        else
            outside[first[m]] = false;
    }
    tw_weld_destroy(&weld);
    return true;
}

// two triangles per cell of the face, cut between its corners of least and greatest type
static twTriangle* skin_face(twTriangle* out, Face face, const int* id)
{
    const int n = cells_along(face, 0), m = cells_along(face, 1), row = n + 1;
    const int* parity = face.block->parity;
    const int shift = parity[(face.across + 1) % 3] + parity[(face.across + 2) % 3];
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
        {
            // round the cell from a corner of the cut, counterclockwise seen from outside
            int q[4] = {j * row + i, j * row + i + 1, (j + 1) * row + i + 1, (j + 1) * row + i};
            const int turn = (shift + i + j) & 1;
            int a = id[q[turn]], b = id[q[1 + turn]], c = id[q[2 + turn]], d = id[q[(3 + turn) % 4]];
            *out++ = face.end ? (twTriangle){{a, b, c}} : (twTriangle){{a, c, b}};
            *out++ = face.end ? (twTriangle){{a, c, d}} : (twTriangle){{a, d, c}};
        }
    return out;
}

static twStatus make_surface(twMesh** out, const twBlocks* blocks, const bool* outside, twWeld* weld, int* id,
                             int cells, twError* err)
{
    // all vertices, then all faces
    int* next = id;
    for (int k = 0; k < 6 * blocks->count; k++)
    {
        const Face face = face_of(blocks, k);
        const int n = cells_along(face, 0), m = cells_along(face, 1);
        for (int j = 0; outside[k] && j <= m; j++)
            for (int i = 0; i <= n; i++) *next++ = tw_weld_add(weld, face_point(blocks, face, i, j, n, m));
    }
    twStatus status = tw_mesh_create(out, weld->count, 2 * cells, err);
    if (status) return status;
    memcpy((*out)->vertices, weld->points, (size_t)weld->count * sizeof *weld->points);
    twTriangle* end = (*out)->faces;
    for (int k = 0; k < 6 * blocks->count; k++)
    {
        if (!outside[k]) continue;
        const Face face = face_of(blocks, k);
        end = skin_face(end, face, id);
        id += (size_t)(cells_along(face, 0) + 1) * (size_t)(cells_along(face, 1) + 1);
    }
    return TW_OK;
}

twStatus tw_blocks_surface(twMesh** out, const twBlocks* blocks, twError* err)
{
    *out = NULL;
    bool outside[6 * TW_MAX_BLOCKS];
    twVec3 low;
    double size = extent(blocks, &low), points = 0, cells = 0;
    if (!find_outside(outside, blocks, low, size)) return no_memory(blocks, 6 * blocks->count, err);
    for (int k = 0; k < 6 * blocks->count; k++)
    {
        if (!outside[k]) continue;
        double n = cells_along(face_of(blocks, k), 0), m = cells_along(face_of(blocks, k), 1);
        points += (n + 1) * (m + 1);
        cells += n * m;
    }
    if (!(points <= TW_MAX_BLOCK_NODES)) return too_many(blocks, points, err);

    twWeld weld = {0};
    twStatus status;
    int* id = malloc((size_t)points * sizeof *id);
    if (!id || !tw_weld_create(&weld, (size_t)points, (size_t)points, low, size))
        status = no_memory(blocks, points, err);
    else
        status = make_surface(out, blocks, outside, &weld, id, (int)cells, err);
    free(id);
    tw_weld_destroy(&weld);
    return status;
}

// ---- disc ----

twDisc tw_disc(double radius, double meridian, double edge)
{
    // a tenth of the rim is about as long as a kite's side is when the pentagon has 0.6 of the radius
    twDisc disc = {.core = 0.6 * (radius < meridian ? radius / meridian : 1)};
    disc.inner = tw_cells(0.2 * TW_PI * radius, edge, 1);
    disc.outer = tw_cells((1 - 0.9 * disc.core) * meridian, edge, 1);
    return disc;
}

void tw_disc_add(const twDisc* disc, twBlocks* blocks, int cells, int parity)
{
    for (int k = 0; k < 5; k++)
        tw_blocks_add(blocks, k, (int[]){disc->inner, disc->inner, cells}, (int[]){0, 0, parity});

    // sectors go on from the kites' parity; every other one runs from a corner of the pentagon to a middle
    for (int j = 0; j < 10; j++)
    {
        const int from = j % 2 ? disc->inner : 0;
        tw_blocks_add(blocks, 5 + j, (int[]){disc->outer, disc->inner, cells}, (int[]){disc->inner, from, parity});
        tw_blocks_grade(blocks, 0, disc->rim);
    }
}

static twVec3 polar(double r, double angle) { return tw_vec3(r * cos(angle), r * sin(angle), 0); }

static twVec3 between(twVec3 a, twVec3 b, double t) { return tw_vec3_add_scaled(tw_vec3_scale(a, 1 - t), b, t); }

// corner (odd j) or middle of a side (even j) of the pentagon
static twVec3 pentagon(const twDisc* disc, int j)
{
    const double step = TW_PI / 5;
    return polar(j % 2 ? disc->core : disc->core * cos(step), step * j);
}

twVec3 tw_disc_point(const twDisc* disc, int part, double u, double v)
{
    if (part < 5)
    {
        // bilinear: the centre, a middle along u, the next one along v, the corner between them
        twVec3 a = pentagon(disc, 2 * part), b = pentagon(disc, 2 * part + 2), c = pentagon(disc, 2 * part + 1);
        return between(tw_vec3_scale(a, u), between(b, c, u), v);
    }
    const int j = part - 5;
    twVec3 inside = between(pentagon(disc, j), pentagon(disc, j + 1), v);
    return between(inside, polar(1, TW_PI / 5 * (j + v)), u);
}
