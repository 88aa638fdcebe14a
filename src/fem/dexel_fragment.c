// SPDX-License-Identifier: MIT
// dexel_fragment: the parts of the matter in a cell that do not touch each other in it.
//
// A fragment is a set of patches that matter joins, and matter is what rays run through: an interval of a ray joins the
// patches that it meets; intervals along two axes that cross each other are in the same matter; so are patches whose faces
// cross. A patch that no ray meets belongs to the nearest ray that is seen from it. A slit of any width stays open.
#include "fem/dexel_run.h"
#include "mesh/edges.h"
#include <string.h>

// ---- fragments of one cell ----

typedef struct Fragments
{
    DexelRun* run;
    int cell;            // among the new ones
    DexelPiece* pieces;  // of this cell
    int faces, count;    // of this cell; pieces
    int* set;            // (faces + pieces) in the same matter
    int* node;           // (faces) cell of the fragment, at the root of its set
    double (*area)[3];   // (faces) of the surface of the fragment, at the root
} Fragments;

static int fragment_compare_pieces(const void* a, const void* b)
{
    const DexelPiece *x = a, *y = b;
    if (x->cell != y->cell) return x->cell - y->cell;
    if (x->axis != y->axis) return x->axis - y->axis;
    if (x->j != y->j) return x->j - y->j;
    if (x->i != y->i) return x->i - y->i;
    return (x->from > y->from) - (x->from < y->from);
}

static const double* fragment_places(const Fragments* f, int axis)
{
    return f->run->lines[f->run->cells[f->cell].line[axis]].place;
}

// the first piece of an axis with a place j, or after it
static int fragment_first_piece(const Fragments* f, int axis, int j)
{
    int low = 0, high = f->count;
    while (low < high)
    {
        const int middle = (low + high) / 2;
        const DexelPiece* piece = &f->pieces[middle];
        if (piece->axis < axis || (piece->axis == axis && piece->j < j))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Pieces along axis d, with places (i, j) along d + 1 and d + 2, and pieces along e = d + 1, with places along d + 2 and d:
// they lie in one plane if j of the first is i of the second, and cross if each spans the place of the other.
static void fragment_join_crossing(Fragments* f, int d)
{
    const int e = (d + 1) % 3;
    const double *place_d = fragment_places(f, d), *place_e = fragment_places(f, e);
    for (int q = fragment_first_piece(f, e, 0); q < f->count && f->pieces[q].axis == e; q++)
    {
        const DexelPiece* y = &f->pieces[q];
        for (int p = fragment_first_piece(f, d, y->i); p < f->count; p++)
        {
            const DexelPiece* x = &f->pieces[p];
            if (x->axis != d || x->j != y->i) break;
            const double along_d = place_d[y->j], along_e = place_e[x->i];
            if (along_d > x->from && along_d < x->to && along_e > y->from && along_e < y->to)
                tw_union_join(f->set, f->faces + p, f->faces + q);
        }
    }
}

// where the way from a to b first meets a face of the cell, 0 to 1; 1: nowhere
static double fragment_first_hit(const Fragments* f, const DexelPolygon* polygons, twVec3 a, twVec3 b)
{
    const double near = 1e-6;  // of the way: the face that it starts at
    double first = 1;
    for (int i = 0; i < f->faces; i++) first = fmin(first, dexel_polygon_hit(&polygons[i], a, b, near, first));
    return first;
}

// ---- joining by faces that cross, and of patches that no ray meets ----

typedef struct FragmentOrder
{
    double low, high;  // along x
    int face;
} FragmentOrder;

static int fragment_compare_order(const void* a, const void* b)
{
    const FragmentOrder *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->face - y->face;
}

// Faces that cross each other bound matter that overlaps: walls thinner than the rays are apart.
static bool fragment_join_crossing_faces(Fragments* f, const DexelPolygon* polygons)
{
    FragmentOrder* order = malloc(((size_t)f->faces + 1) * sizeof *order);
    if (!order) return false;
    for (int i = 0; i < f->faces; i++)
    {
        order[i] = (FragmentOrder){HUGE_VAL, -HUGE_VAL, i};
        for (int k = 0; k < polygons[i].count; k++)
        {
            order[i].low = fmin(order[i].low, polygons[i].corner[k].x);
            order[i].high = fmax(order[i].high, polygons[i].corner[k].x);
        }
    }
    qsort(order, (size_t)f->faces, sizeof *order, fragment_compare_order);
    for (int i = 0; i < f->faces; i++)
        for (int j = i + 1; j < f->faces && order[j].low <= order[i].high; j++)
        {
            const int a = order[i].face, b = order[j].face;
            if (tw_union_root(f->set, a) == tw_union_root(f->set, b)) continue;
            if (dexel_polygon_pierces(&polygons[a], &polygons[b]) || dexel_polygon_pierces(&polygons[b], &polygons[a]))
                tw_union_join(f->set, a, b);
        }
    free(order);
    return true;
}

// A point of the matter at a face, halfway to what is next: behind it, or in front of it for a face inside matter. false:
// there is none, or the face is a point or a line
static bool fragment_beside(const Fragments* f, const DexelPolygon* polygons, int face, bool front, twVec3* out)
{
    const Cell* cell = &f->run->tree->cells[f->run->first + f->cell];
    const DexelPolygon* polygon = &polygons[face];
    const twVec3* corner = polygon->corner;
    twVec3 middle = {0, 0, 0}, normal = {0, 0, 0};
    for (int k = 0; k < polygon->count; k++) middle = tw_vec3_add_scaled(middle, corner[k], 1.0 / polygon->count);
    for (int k = 1; k + 1 < polygon->count; k++)
        normal = tw_vec3_add(normal,
                             tw_vec3_cross(tw_vec3_sub(corner[k], corner[0]), tw_vec3_sub(corner[k + 1], corner[0])));
    const double size = tw_vec3_norm(normal);
    if (!(size > 0)) return false;
    const twVec3 end = dexel_way_out(cell, middle, tw_vec3_scale(normal, (front ? 1 : -1) / size));
    const double hit = fragment_first_hit(f, polygons, middle, end);
    *out = tw_vec3_add_scaled(middle, tw_vec3_sub(end, middle), 0.5 * hit);
    return !front || tw_winding_at(f->run->body->winding, tw_vec3_scale(*out, 1 / f->run->scale)) > 0.5;
}

// a point of a ray, so far along it in its cell; in cells of this level
static twVec3 fragment_on(const DexelRun* run, const DexelPiece* piece, double along)
{
    const DexelCell* info = &run->cells[piece->cell];
    const int* at = run->tree->cells[run->first + piece->cell].at;
    const int d = piece->axis, u = (d + 1) % 3, v = (d + 2) % 3;
    double x[3];
    x[d] = at[d] + along;
    x[u] = at[u] + run->lines[info->line[u]].place[piece->i];
    x[v] = at[v] + run->lines[info->line[v]].place[piece->j];
    return tw_vec3(x[0], x[1], x[2]);
}

static twVec3 fragment_nearest_on(const DexelRun* run, const DexelPiece* piece, twVec3 place)
{
    const int at = run->tree->cells[run->first + piece->cell].at[piece->axis];
    return fragment_on(run, piece, fmin(fmax(dexel_axis_of(place, piece->axis) - at, piece->from), piece->to));
}

// The matter at a patch is that of the nearest ray that is seen from there. @return whether there is one
static bool fragment_adopt(Fragments* f, const DexelPolygon* polygons, int face, bool front)
{
    const int tries = 8;            // a patch that sees none of the nearest rays is a sliver that no ray has met
    const double round_off = 1e-6;  // rays end at faces
    double beyond = -1;
    twVec3 from;
    if (!fragment_beside(f, polygons, face, front, &from)) return false;
    for (int i = 0; i < tries; i++)
    {
        double least = HUGE_VAL;
        int best = -1;
        twVec3 to = from;
        for (int p = 0; p < f->count; p++)
        {
            const twVec3 near = fragment_nearest_on(f->run, &f->pieces[p], from);
            const double distance = tw_vec3_norm(tw_vec3_sub(near, from));
            if (distance > beyond && distance < least) least = distance, best = p, to = near;
        }
        if (best < 0) return false;
        if (fragment_first_hit(f, polygons, from, to) > 1 - round_off)
        {
            tw_union_join(f->set, face, f->faces + best);
            return true;
        }
        beyond = least;
    }
    return false;
}

static bool fragment_join_faces(Fragments* f)
{
    DexelRun* run = f->run;
    bool* met = calloc((size_t)f->faces + 1, sizeof *met);
    DexelPolygon* polygons = malloc(((size_t)f->faces + 1) * sizeof *polygons);
    bool good = met && polygons;
    for (int i = 0; i < f->faces && good; i++)
    {
        const int face = run->faces[run->cells[f->cell].face + (size_t)i].face;
        polygons[i].count =
            dexel_clip_to_cell(run->body, face, &run->tree->cells[run->first + f->cell], polygons[i].corner);
    }
    good = good && fragment_join_crossing_faces(f, polygons);
    for (int p = 0; p < f->count && good; p++)
    {
        const int root = tw_union_root(f->set, f->faces + p);
        if (root < f->faces) met[root] = true;
    }
    for (int i = 0; i < f->faces && good; i++)
        if (tw_union_root(f->set, i) == i && !met[i] && !fragment_adopt(f, polygons, i, false))
            fragment_adopt(f, polygons, i, true);
    free(met);
    free(polygons);
    return good;
}

static bool fragment_join(Fragments* f)
{
    const DexelCell* info = &f->run->cells[f->cell];
    const int base = (int)info->face;
    for (int i = 0; i < f->faces; i++) f->set[i] = tw_union_root(f->run->patch, base + i) - base;
    for (int p = 0; p < f->count; p++)
        f->set[f->faces + p] = f->pieces[p].patch >= 0 ? f->pieces[p].patch - base : f->faces + p;
    for (int d = 0; d < 3 && info->all_axes; d++) fragment_join_crossing(f, d);
    return !info->all_axes || fragment_join_faces(f);
}

// a cell of the tree for each set of faces, in the order of their lowest face
static bool fragment_split(Fragments* f)
{
    DexelRun* run = f->run;
    const DexelFace* faces = run->faces + run->cells[f->cell].face;
    CellSurface* surface = malloc(sizeof *surface + (size_t)f->faces * sizeof *surface->faces);
    int last = CELL_NONE;
    if (!surface) return false;
    surface->count = f->faces;
    run->tree->cells[run->first + f->cell].surface = surface;
    for (int i = 0; i < f->faces; i++)
    {
        const int root = tw_union_root(f->set, i);
        if (root == i)
        {
            last = last == CELL_NONE ? run->first + f->cell : cell_tree_split(run->tree, last);
            if (last == CELL_NONE) return false;
            f->node[i] = last;
            memset(f->area[i], 0, sizeof f->area[i]);
        }
        surface->faces[i] = (CellFace){faces[i].face, f->node[root]};
        run->tree->cells[f->node[root]].reach |= faces[i].touches;
        for (int x = 0; x < 3; x++) f->area[root][x] += faces[i].area[x];
    }
    return true;
}

// each fragment is integrated along the axis that its own surface faces most
static bool fragment_integrate(Fragments* f)
{
    DexelRun* run = f->run;
    const DexelCell* info = &run->cells[f->cell];
    bool good = true;
    for (int p = 0; p < f->count && good; p++)
    {
        const DexelPiece* piece = &f->pieces[p];
        int root = tw_union_root(f->set, f->faces + p);
        if (root >= f->faces)
        {
            const twVec3 middle = fragment_on(run, piece, 0.5 * (piece->from + piece->to));
            const int near =
                dexel_fragment_at(run->tree, run->body, run->first + f->cell, tw_vec3_scale(middle, 1 / run->scale));
            for (root = 0; f->set[root] != root || f->node[root] != near;) root++;
        }
        const int node = f->node[root];
        const bool only = !cell_tree_is_split(run->tree, node);
        if (piece->axis == (only ? info->axis : dexel_facing_axis(f->area[root])))
            good = dexel_add_piece_to(run, piece, node);
        if (good && info->touches_held) good = dexel_add_held_of(run, piece, node);
    }
    return good;
}

// ---- where they are in the tree ----

int dexel_fragment_at(const CellTree* tree, const DexelBody* body, int cell, twVec3 point)
{
    const Cell* of = &tree->cells[tree->cells[cell].first];
    const CellSurface* surface = of->surface;
    if (of->next == CELL_NONE || !surface) return tree->cells[cell].first;
    const twVec3 place = tw_vec3_scale(point, ldexp(1, of->level));
    double least = HUGE_VAL;
    int best = of->first;
    // the way to the nearest face in the cell meets no other face
    for (int i = 0; i < surface->count; i++)
    {
        DexelPolygon polygon;
        polygon.count = dexel_clip_to_cell(body, surface->faces[i].face, of, polygon.corner);
        const double distance = tw_vec3_norm(tw_vec3_sub(dexel_polygon_nearest(&polygon, place), place));
        if (polygon.count < 3 || !(distance < least)) continue;
        least = distance;
        best = surface->faces[i].fragment;
    }
    return best;
}

// faces of the cell that no face of the surface crosses are full or empty as a whole
static void fragment_cover(const Fragments* f)
{
    DexelRun* run = f->run;
    const int first = run->first + f->cell;
    const Cell* cell = &run->tree->cells[first];
    unsigned crossed = 0;
    for (int c = first; c >= 0; c = run->tree->cells[c].next) crossed |= run->tree->cells[c].reach;
    for (int face = 0; face < 6; face++)
    {
        double x[3] = {cell->at[0] + 0.5, cell->at[1] + 0.5, cell->at[2] + 0.5};
        x[face / 2] += face & 1 ? 0.5 : -0.5;
        const twVec3 middle = tw_vec3_scale(tw_vec3(x[0], x[1], x[2]), 1 / run->scale);
        cell->surface->cover[face] = CELL_NONE;
        if (crossed >> face & 1 || !(tw_winding_at(run->body->winding, middle) > 0.5)) continue;
        const int by = dexel_fragment_at(run->tree, run->body, first, middle);
        cell->surface->cover[face] = by;
        run->tree->cells[by].reach |= (unsigned char)(1 << face);
    }
}

// The fragment of the parent that bounds the same faces. Should there be two, the finer rays have found them to be one.
static void fragment_find_parent(const DexelRun* run, int node)
{
    CellTree* tree = run->tree;
    const Cell* cell = &tree->cells[node];
    const int above = cell->parent;
    if (above == CELL_NONE) return;
    int parent = CELL_NONE;
    const CellSurface* surface = tree->cells[cell->first].surface;
    for (int i = 0; surface && i < surface->count; i++)
    {
        const int of =
            surface->faces[i].fragment == node ? cell_tree_fragment(tree, above, surface->faces[i].face) : parent;
        if (of != parent && of >= 0 && parent >= 0) cell_tree_merge(tree, of, parent);
        if (of >= 0) parent = parent < 0 || of < parent ? of : parent;
    }
    const twVec3 middle = {cell->at[0] + 0.5, cell->at[1] + 0.5, cell->at[2] + 0.5};
    if (parent == CELL_NONE) parent = dexel_fragment_at(tree, run->body, above, tw_vec3_scale(middle, 1 / run->scale));
    tree->cells[node].parent = parent;
    // rays may have missed it there
    if (cell->kind != CELL_EMPTY) cell_tree_revive(tree, cell_tree_parent(tree, node));
}

static void fragment_finish(const DexelRun* run, int first)
{
    const double least = 1e-6;  // fractions below are no matter
    for (int c = first; c >= 0; c = run->tree->cells[c].next)
    {
        Cell* cell = &run->tree->cells[c];
        if (cell->kind == CELL_FULL)
            cell->fraction = 1;
        else
            cell->kind = cell->fraction > least ? CELL_CUT : CELL_EMPTY;
        if (!run->tree->cells[first].surface) cell->reach = 63;
        fragment_find_parent(run, c);
    }
}

// ---- all cells of a level ----

static bool fragment_alloc(Fragments* f)
{
    const size_t faces = (size_t)f->faces + 1;
    f->area = malloc(faces * (sizeof *f->area + 2 * sizeof(int)) + (size_t)f->count * sizeof(int));
    if (!f->area) return false;
    f->node = (int*)(f->area + faces);
    f->set = f->node + faces;
    return true;
}

static twStatus fragment_make(DexelRun* run, int cell, DexelPiece* pieces, int count, twError* err)
{
    Fragments f = {.run = run, .cell = cell, .pieces = pieces, .count = count, .faces = run->cells[cell].faces};
    if (f.faces > 0)
    {
        twStatus status = dexel_make_winding(run->body, err);
        if (status != TW_OK) return status;
        if (!fragment_alloc(&f)) return dexel_no_memory(err);
        status = fragment_join(&f) && fragment_split(&f) && fragment_integrate(&f) ? TW_OK : dexel_no_memory(err);
        if (status == TW_OK) fragment_cover(&f);
        free(f.area);
        if (status != TW_OK) return status;
    }
    fragment_finish(run, run->first + cell);
    return TW_OK;
}

twStatus dexel_make_fragments(DexelRun* run, twError* err)
{
    size_t at = 0;
    twStatus status = TW_OK;
    if (run->piece_count > 0) qsort(run->pieces, run->piece_count, sizeof *run->pieces, fragment_compare_pieces);
    for (int c = 0; c < run->end - run->first && status == TW_OK; c++)
    {
        if (run->tree->cells[run->first + c].level != run->level) continue;
        const size_t start = at;
        while (at < run->piece_count && run->pieces[at].cell == c) at++;
        status = dexel_watch(run, 64 * (size_t)c, err);  // a cell takes as long as 64 rays or faces
        if (status == TW_OK) status = fragment_make(run, c, run->pieces + start, (int)(at - start), err);
    }
    return status;
}
