// SPDX-License-Identifier: MIT
// dexel_cross: which cells the faces of a surface cross, and how they face the axes in them.
#include "fem/dexel_run.h"
#include <string.h>

// the part of a polygon on one side of the plane x_axis = at
static int dexel_clip(const twVec3* in, int count, int axis, double at, bool above, twVec3* out)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
    {
        const twVec3 a = in[i], b = in[(i + 1) % count];
        double da = dexel_axis_of(a, axis) - at, db = dexel_axis_of(b, axis) - at;
        if (!above) da = -da, db = -db;
        if (da >= 0) out[kept++] = a;
        if ((da > 0 && db < 0) || (da < 0 && db > 0))
            out[kept++] = tw_vec3_add_scaled(a, tw_vec3_sub(b, a), da / (da - db));
    }
    return kept;
}

static int dexel_clip_slab(const twVec3* in, int count, int axis, int at, twVec3* out)
{
    twVec3 half[DEXEL_CORNERS];
    const int kept = dexel_clip(in, count, axis, at, true, half);
    return kept < 3 ? 0 : dexel_clip(half, kept, axis, at + 1, false, out);
}

static void dexel_note_cut(DexelCuts* cuts, double place)
{
    for (int i = 0; i < cuts->count && i < DEXEL_CUTS; i++)
        if (fabs(cuts->at[i] - place) < DEXEL_CUT_LEAST) return;
    if (cuts->count < DEXEL_CUTS) cuts->at[cuts->count] = place;
    if (cuts->count <= DEXEL_CUTS) cuts->count++;
}

// a face that stands along the rays of other axes
void dexel_note_steep(DexelCell* cell, const int at[3], const twVec3* polygon, int count, int axis, double area)
{
    if (cell->steep[axis] == 0) cell->low[axis] = 1, cell->high[axis] = 0;
    cell->steep[axis] += area;
    double low = 1, high = 0;
    for (int i = 0; i < count; i++)
    {
        low = fmin(low, dexel_axis_of(polygon[i], axis) - at[axis]);
        high = fmax(high, dexel_axis_of(polygon[i], axis) - at[axis]);
    }
    cell->low[axis] = fmin(cell->low[axis], low);
    cell->high[axis] = fmax(cell->high[axis], high);
    cell->bent[axis] = cell->bent[axis] || high - low > DEXEL_CUT_LEAST;
    dexel_note_cut(&cell->cuts[axis], low);
    dexel_note_cut(&cell->cuts[axis], high);
}

static bool dexel_add_face(DexelRun* run, DexelFace face)
{
    if (!dexel_grow((void**)&run->faces, &run->face_room, run->face_count, sizeof *run->faces)) return false;
    run->faces[run->face_count++] = face;
    return true;
}

// the faces of a cell that a polygon in it reaches
static unsigned char dexel_touches(const int at[3], const twVec3* polygon, int count)
{
    const double near = 1e-9;  // of a cell: round-off
    unsigned char touches = 0;
    for (int i = 0; i < count; i++)
        for (int x = 0; x < 3; x++)
        {
            const double place = dexel_axis_of(polygon[i], x) - at[x];
            if (place < near) touches |= (unsigned char)(1 << 2 * x);
            if (place > 1 - near) touches |= (unsigned char)(2 << 2 * x);
        }
    return touches;
}

static void dexel_note_reach(DexelCell* cell, const int at[3], const twVec3* polygon, int count)
{
    for (int x = 0; x < 3; x++)
    {
        if (!cell->crossed) cell->from[x] = 1, cell->to[x] = 0;
        for (int i = 0; i < count; i++)
        {
            const double place = dexel_axis_of(polygon[i], x) - at[x];
            cell->from[x] = fmin(cell->from[x], place);
            cell->to[x] = fmax(cell->to[x], place);
            dexel_note_cut(&cell->corners[x], place);
        }
    }
}

static bool dexel_cross(DexelRun* run, DexelCell* cell, const int at[3], int face, const twVec3* polygon, int count)
{
    const double facing = 0.98;  // cosine to the axis
    DexelFace found = {.cell = (int)(cell - run->cells), .face = face, .touches = dexel_touches(at, polygon, count)};
    twVec3 area = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++)
        area = tw_vec3_add(area,
                           tw_vec3_cross(tw_vec3_sub(polygon[i], polygon[0]), tw_vec3_sub(polygon[i + 1], polygon[0])));
    const double size = tw_vec3_norm(area);
    dexel_note_reach(cell, at, polygon, count);
    cell->crossed = true;
    for (int x = 0; x < 3 && size > 0; x++)
    {
        const double part = dexel_axis_of(area, x);
        cell->area[x] += part * part / size;
        found.area[x] = (float)(part * part / size);
        if (fabs(part) > facing * size) dexel_note_steep(cell, at, polygon, count, x, 0.5 * size);
    }
    return dexel_add_face(run, found);
}

// a new cell at a place of this level; NULL: none
DexelCell* dexel_new_cell(const DexelRun* run, const int at[3])
{
    const int c = cell_tree_at(run->tree, run->level, at);
    return c >= run->first ? &run->cells[c - run->first] : NULL;
}

// places along an axis that a polygon reaches
void dexel_reach(const twVec3* polygon, int count, int axis, int* low, int* high)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < count; i++)
    {
        least = fmin(least, dexel_axis_of(polygon[i], axis));
        most = fmax(most, dexel_axis_of(polygon[i], axis));
    }
    *low = dexel_floor(least);
    *high = dexel_floor(most);
}

static bool dexel_cross_column(DexelRun* run, int at[3], int face, const twVec3* polygon, int count)
{
    int high;
    twVec3 inside[DEXEL_CORNERS];
    bool good = true;
    for (dexel_reach(polygon, count, 2, &at[2], &high); at[2] <= high && good; at[2]++)
    {
        DexelCell* cell = dexel_new_cell(run, at);
        const int kept = cell ? dexel_clip_slab(polygon, count, 2, at[2], inside) : 0;
        if (kept >= 3) good = dexel_cross(run, cell, at, face, inside, kept);
    }
    return good;
}

bool dexel_cross_face(DexelRun* run, int face)
{
    int at[3], high[2];
    twVec3 corner[3], x[DEXEL_CORNERS], xy[DEXEL_CORNERS];
    bool good = true;
    for (int k = 0; k < 3; k++) corner[k] = tw_vec3_scale(run->body->corners[face][k], run->scale);
    for (dexel_reach(corner, 3, 0, &at[0], &high[0]); at[0] <= high[0]; at[0]++)
    {
        const int nx = dexel_clip_slab(corner, 3, 0, at[0], x);
        if (nx < 3) continue;
        for (dexel_reach(x, nx, 1, &at[1], &high[1]); at[1] <= high[1] && good; at[1]++)
        {
            const int ny = dexel_clip_slab(x, nx, 1, at[1], xy);
            if (ny >= 3) good = dexel_cross_column(run, at, face, xy, ny);
        }
    }
    return good;
}

int dexel_clip_to_cell(const DexelBody* body, int face, const Cell* cell, twVec3* out)
{
    twVec3 corner[3], x[DEXEL_CORNERS], xy[DEXEL_CORNERS];
    for (int k = 0; k < 3; k++) corner[k] = tw_vec3_scale(body->corners[face][k], ldexp(1, cell->level));
    const int nx = dexel_clip_slab(corner, 3, 0, cell->at[0], x);
    const int ny = nx < 3 ? 0 : dexel_clip_slab(x, nx, 1, cell->at[1], xy);
    return ny < 3 ? 0 : dexel_clip_slab(xy, ny, 2, cell->at[2], out);
}

// cell by cell, each cell's in ascending order, as they were found
bool dexel_sort_faces(DexelRun* run)
{
    const size_t cells = (size_t)(run->end - run->first);
    DexelFace* sorted = malloc((run->face_count + 1) * sizeof *sorted);
    size_t* start = calloc(cells + 2, sizeof *start);
    const bool good = sorted && start;
    for (size_t i = 0; good && i < run->face_count; i++) start[run->faces[i].cell + 2]++;
    for (size_t c = 0; good && c < cells; c++) start[c + 2] += start[c + 1];
    for (size_t i = 0; good && i < run->face_count; i++) sorted[start[run->faces[i].cell + 1]++] = run->faces[i];
    for (size_t i = run->face_count; good && i-- > 0;)
    {
        run->cells[sorted[i].cell].face = i;
        run->cells[sorted[i].cell].faces++;
    }
    if (good && run->face_count > 0) memcpy(run->faces, sorted, run->face_count * sizeof *sorted);
    free(sorted);
    free(start);
    return good;
}
