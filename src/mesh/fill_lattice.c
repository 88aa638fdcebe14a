// SPDX-License-Identifier: MIT
// Background tets of the octree (Labelle & Shewchuk 2007, section 4). Vertices are corners and centres of leaf cells.
//   equal cells A, B across a face:     a tet from both centres to each edge of the face (body-centred cubic), halved
//                                       if smaller cells put a vertex on the middle of that edge
//   a cell A beside one twice as large: its face is cut along the diagonal that meets the centre of the larger face;
//                                       each triangle makes a tet with the centre on either side
#include "fill.h"
#include <stdlib.h>

typedef struct Builder
{
    FillLattice* lattice;
    const FillOctree* octree;
    bool failed;  // no memory
} Builder;

// index of a vertex, made if new
static int vertex_at(Builder* b, const int at[3])
{
    FillLattice* lattice = b->lattice;
    int* slot = tw_table_put(&lattice->vertex_of, at[0], at[1], at[2], lattice->vertex_count);
    if (!slot || !fill_reserve((void**)&lattice->vertices, &lattice->vertex_capacity, lattice->vertex_count + 1,
                               sizeof *lattice->vertices))
    {
        b->failed = true;
        return 0;
    }
    if (*slot == lattice->vertex_count)
        lattice->vertices[lattice->vertex_count++] =
            (FillVertex){.at = {at[0], at[1], at[2]},
                         .position = fill_octree_point(b->octree, at[0], at[1], at[2]),
                         .gap = INFINITY,
                         .node = -1};
    return *slot;
}

// a corner or edge middle of the cell; remembers which cell's centre reaches nearest to it, and on which side that is
static int corner_at(Builder* b, const FillCell* cell, const int at[3])
{
    int index = vertex_at(b, at);
    if (b->failed) return 0;
    FillVertex* vertex = &b->lattice->vertices[index];
    int half = fill_cell_size(b->octree, cell) / 2;
    twVec3 centre = fill_octree_point(b->octree, cell->x + half, cell->y + half, cell->z + half);
    double gap = 1.001 * tw_vec3_norm(tw_vec3_sub(vertex->position, centre)) - cell->reach;
    if (!vertex->known && gap < vertex->gap && cell->value != 0)
    {
        vertex->gap = gap;
        vertex->sign = cell->value > 0 ? 1 : -1;
    }
    return index;
}

static void centre_coordinates(const Builder* b, const FillCell* cell, int at[3])
{
    int half = fill_cell_size(b->octree, cell) / 2;
    at[0] = cell->x + half;
    at[1] = cell->y + half;
    at[2] = cell->z + half;
}

static int centre_of(Builder* b, const FillCell* cell)
{
    int at[3];
    centre_coordinates(b, cell, at);
    int index = vertex_at(b, at);
    if (b->failed) return 0;
    FillVertex* vertex = &b->lattice->vertices[index];
    vertex->known = true;
    vertex->value = cell->value;
    vertex->sign = (signed char)((cell->value > 0) - (cell->value < 0));
    return index;
}

static int64_t volume_of(const FillVertex* v, const int n[4])
{
    int64_t e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) e[i][k] = v[n[i + 1]].at[k] - v[n[0]].at[k];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static void add_tet(Builder* b, int p, int q, int r, int s)
{
    FillLattice* lattice = b->lattice;
    if (b->failed) return;
    if (!fill_reserve((void**)&lattice->tets, &lattice->tet_capacity, lattice->tet_count + 1, sizeof *lattice->tets))
    {
        b->failed = true;
        return;
    }
    twTet tet = {{p, q, r, s}};
    if (volume_of(lattice->vertices, tet.n) < 0)
    {
        tet.n[2] = s;
        tet.n[3] = r;
    }
    lattice->tets[lattice->tet_count++] = tet;
}

// does the edge of a cell from at, along an axis, have a vertex in its middle? around: steps to the cells across it
static bool is_halved(const Builder* b, const FillCell* cell, const int at[3], int along, int across)
{
    int other = 3 - along - across;
    for (int k = 0; k < 4; k++)
    {
        int p[3];
        p[along] = at[along] + 1;
        p[across] = at[across] + (k & 1 ? 1 : -1);
        p[other] = at[other] + (k & 2 ? 1 : -1);
        int leaf = fill_octree_leaf(b->octree, p[0], p[1], p[2]);
        if (leaf >= 0 && b->octree->cells[leaf].level > cell->level) return true;
    }
    return false;
}

// tets around the face between two equal cells, the second one up the axis
static void join_equal(Builder* b, const FillCell* low, const FillCell* high, int axis)
{
    int size = fill_cell_size(b->octree, low);
    int c0 = centre_of(b, low), c1 = centre_of(b, high);
    for (int k = 0; k < 4; k++)
    {
        int along = (axis + 1 + (k & 1)) % 3, across = 3 - axis - along;
        int at[3] = {low->x, low->y, low->z};
        at[axis] += size;
        at[across] += k & 2 ? size : 0;
        int end[3] = {at[0], at[1], at[2]}, middle[3] = {at[0], at[1], at[2]};
        end[along] += size;
        middle[along] += size / 2;
        int e0 = corner_at(b, low, at), e1 = corner_at(b, low, end);
        if (size > 2 && is_halved(b, low, at, along, across))
        {
            int m = corner_at(b, low, middle);
            add_tet(b, c0, c1, e0, m);
            add_tet(b, c0, c1, m, e1);
        }
        else
            add_tet(b, c0, c1, e0, e1);
    }
}

// tets on both sides of the face between a cell and a larger one; side: the larger one is up (1) or down (0) the axis
static void join_larger(Builder* b, const FillCell* small, const FillCell* large, int axis, int side)
{
    int size = fill_cell_size(b->octree, small), u = (axis + 1) % 3, v = (axis + 2) % 3;
    int base[3] = {small->x, small->y, small->z}, middle[3];
    base[axis] += side ? size : 0;
    centre_coordinates(b, large, middle);

    // corners of the face in order; the diagonal runs through the one at the centre of the larger face
    int corners[4], start = 0;
    for (int k = 0; k < 4; k++)
    {
        int at[3] = {base[0], base[1], base[2]};
        at[u] += k == 1 || k == 2 ? size : 0;
        at[v] += k >= 2 ? size : 0;
        corners[k] = corner_at(b, small, at);
        if (at[u] == middle[u] && at[v] == middle[v]) start = k;
    }
    int centres[2] = {centre_of(b, small), centre_of(b, large)};
    int p = corners[start], q = corners[(start + 1) % 4], r = corners[(start + 2) % 4], s = corners[(start + 3) % 4];
    for (int k = 0; k < 2; k++)
    {
        add_tet(b, centres[k], p, q, r);
        add_tet(b, centres[k], p, r, s);
    }
}

// both outside, and one surely so: nothing to fill between them
static bool is_outside(const Builder* b, const FillCell* one, const FillCell* two)
{
    if (one->value > 0 || two->value > 0) return false;
    double diagonal = fill_cell_size(b->octree, one) * tw_vec3_norm(b->octree->step);
    return one->reach > diagonal || two->reach > diagonal;
}

static void join(Builder* b, int index)
{
    const FillCell* cell = &b->octree->cells[index];
    int size = fill_cell_size(b->octree, cell);
    for (int k = 0; k < 6; k++)
    {
        int axis = k / 2, side = k % 2;
        int at[3] = {cell->x + 1, cell->y + 1, cell->z + 1};
        at[axis] += side ? size : -2;
        int leaf = fill_octree_leaf(b->octree, at[0], at[1], at[2]);
        if (leaf < 0) continue;
        const FillCell* other = &b->octree->cells[leaf];
        if (is_outside(b, cell, other)) continue;
        if (other->level == cell->level && side == 1)
            join_equal(b, cell, other, axis);
        else if (other->level < cell->level)
            join_larger(b, cell, other, axis, side);
    }
}

static void keep_inside(FillLattice* lattice)
{
    int kept = 0;
    for (int i = 0; i < lattice->tet_count; i++)
    {
        twTet tet = lattice->tets[i];
        bool inside = false;
        for (int k = 0; k < 4; k++) inside |= lattice->vertices[tet.n[k]].sign > 0;
        if (inside) lattice->tets[kept++] = tet;
    }
    lattice->tet_count = kept;
}

// far from the surface the distance is not needed; near it the cell's sign holds if the empty balls overlap
static void evaluate(const FillField* field, FillVertex* vertex)
{
    bool far = vertex->gap < -2 * field->cell;
    FillProbe probe = {.distance = far ? -vertex->gap : fill_field_distance(field, vertex->position, NULL)};
    double clear = field->closed ? probe.distance : 0;
    if (vertex->gap < clear)
        probe.level = 0.5 * vertex->sign;
    else
        probe.level = fill_field_level(field, vertex->position);
    vertex->value = fill_field_combine(field, vertex->position, probe);
    vertex->sign = (signed char)((vertex->value > 0) - (vertex->value < 0));
    vertex->known = true;
}

twStatus fill_lattice_build(FillLattice* lattice, const FillOctree* octree, const FillField* field,
                            const FillProgress* progress, twError* err)
{
    Builder b = {lattice, octree, false};
    for (int i = 0; i < octree->count && !b.failed; i++)
        if (octree->cells[i].child < 0) join(&b, i);
    if (b.failed) return tw_fail(err, TW_NO_MEMORY, "fill: no memory for a lattice of %d cells", octree->count);

    for (int i = 0; i < lattice->vertex_count; i++)
    {
        if (!lattice->vertices[i].known) evaluate(field, &lattice->vertices[i]);
        if (i % 1024) continue;
        twStatus status = fill_progress(progress, (double)i / lattice->vertex_count, err);
        if (status != TW_OK) return status;
    }
    keep_inside(lattice);
    return TW_OK;
}

void fill_lattice_free(FillLattice* lattice)
{
    tw_table_clear(&lattice->vertex_of);
    free(lattice->vertices);
    free(lattice->tets);
    *lattice = (FillLattice){0};
}
