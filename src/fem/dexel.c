// SPDX-License-Identifier: MIT
// dexel_: integration over cells that a surface cuts.
//
// Per cell the axis d is chosen that the surface in it faces most (greatest sum of area * n_d^2). Along d rays r x r run
// through Gauss points (u, v) of the cell's square, with weights omega. A ray is inside the body where it has entered more
// often than left, so overlapping shells are united. Each interval [a, b] inside adds
//     w_ijk += omega l_i(u) l_j(v) (Z_k(b) - Z_k(a)),   l_i Lagrange polynomials of the cell's Gauss points, Z their integrals
// to the weights of the cell's q^3 Gauss points, which then give the integral of any product of two functions. Every
// integral is one over an actual set, so matrices stay positive whatever the sampling error (integration by the divergence
// theorem, face by face, does not have this).
//
// The surface of held parts is integrated by points where rays cross it: a point with the normal n belongs to the axis of
// the largest |n_d|, so that rays along this axis weigh it by 1/|n_d| <= sqrt(3).
#include "fem/dexel.h"
#include "mesh/edges.h"
#include <math.h>
#include <string.h>

// what is known of a new cell before its rays run
typedef struct DexelCell
{
    double area[3];          // of the surface in it, by how it faces the axes
    double steep[3];         // area of faces that all but face an axis
    double low[3], high[3];  // where along the axis these lie, in the cell
    bool own_column;         // of rays along the axis at hand
    bool crossed;            // by a face, or by a part's surface
    bool touches_held;       // near a held part
    signed char axis;
} DexelCell;

// Places of rays along one side of a column: Gauss points of one to three intervals, cut where faces stand along the rays.
typedef struct DexelLine
{
    int count;
    double place[3 * TRUNK_RAYS_MAX], weight[3 * TRUNK_RAYS_MAX];  // 0 to 1; the weights sum to 2
    double lagrange[3 * TRUNK_RAYS_MAX][TRUNK_POINTS_MAX];
} DexelLine;

// rays along one axis through cells above each other that have the same lines
typedef struct DexelColumn
{
    int at[2];        // (u, v)
    int next;         // other column at the same place; -1: none
    int cell;         // whose own it is, index among the new ones; -1: of all that have none
    int line[2];      // along u and v
    int first, rays;  // number of the first ray, and how many there are
} DexelColumn;

typedef struct DexelHit
{
    int ray, sign;  // sign: 1 enters, -1 leaves
    double z;
} DexelHit;

typedef struct DexelInterval
{
    double from, to;
} DexelInterval;

// an interval of a ray in one cell, for telling the cell's parts
typedef struct DexelPiece
{
    int cell, i, j;
    double from, to;
    double weight;    // of its ray; those of a cell sum to 4
    double place[2];  // of its ray in the cell
    int axis;         // of its ray
} DexelPiece;

// one level of new cells
typedef struct DexelRun
{
    CellTree* tree;
    const Trunk* trunk;
    DexelBody* body;
    int first, level;
    double scale;      // 2^level: cells of this level per unit
    DexelCell* cells;  // (new cells of all levels)
    // one axis
    int d, u, v;
    twTable columns;  // (u, v) to the first column there
    DexelColumn* column;
    int column_count;
    DexelLine* lines;  // the first is that without cuts
    int line_count, line_room;
    int rays;
    DexelHit* hits;
    size_t hit_count, hit_room;
    DexelPiece* pieces;
    size_t piece_count, piece_room;
} DexelRun;

#define DEXEL_FOLDS                                                                                                    \
    0.05  // part of the rays of a cell, by weight, that must have a gap for the cell to count as one with a gap

static twStatus dexel_no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the cells"); }

static double axis_of(twVec3 x, int axis) { return axis == 0 ? x.x : axis == 1 ? x.y : x.z; }

static int dexel_floor(double x) { return (int)floor(x); }

// ---- which cells a face crosses ----

enum
{
    DEXEL_CORNERS = 12  // of a triangle clipped by six planes, and some to spare
};

// the part of a polygon on one side of the plane x_axis = at
static int dexel_clip(const twVec3* in, int count, int axis, double at, bool above, twVec3* out)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
    {
        const twVec3 a = in[i], b = in[(i + 1) % count];
        double da = axis_of(a, axis) - at, db = axis_of(b, axis) - at;
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

// a face that stands along the rays of other axes
static void dexel_note_steep(DexelCell* cell, const int at[3], const twVec3* polygon, int count, int axis, double area)
{
    if (cell->steep[axis] == 0) cell->low[axis] = 1, cell->high[axis] = 0;
    cell->steep[axis] += area;
    for (int i = 0; i < count; i++)
    {
        cell->low[axis] = fmin(cell->low[axis], axis_of(polygon[i], axis) - at[axis]);
        cell->high[axis] = fmax(cell->high[axis], axis_of(polygon[i], axis) - at[axis]);
    }
}

static void dexel_cross(DexelCell* cell, const int at[3], const twVec3* polygon, int count)
{
    const double facing = 0.98;  // cosine to the axis
    twVec3 area = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++)
        area = tw_vec3_add(area,
                           tw_vec3_cross(tw_vec3_sub(polygon[i], polygon[0]), tw_vec3_sub(polygon[i + 1], polygon[0])));
    const double size = tw_vec3_norm(area);
    cell->crossed = true;
    for (int x = 0; x < 3 && size > 0; x++)
    {
        const double part = axis_of(area, x);
        cell->area[x] += part * part / size;
        if (fabs(part) > facing * size) dexel_note_steep(cell, at, polygon, count, x, 0.5 * size);
    }
}

// a new cell at a place of this level; NULL: none
static DexelCell* dexel_new_cell(const DexelRun* run, const int at[3])
{
    const int c = cell_tree_at(run->tree, run->level, at);
    return c >= run->first ? &run->cells[c - run->first] : NULL;
}

// places along an axis that a polygon reaches
static void dexel_reach(const twVec3* polygon, int count, int axis, int* low, int* high)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < count; i++)
    {
        least = fmin(least, axis_of(polygon[i], axis));
        most = fmax(most, axis_of(polygon[i], axis));
    }
    *low = dexel_floor(least);
    *high = dexel_floor(most);
}

static void dexel_cross_column(DexelRun* run, int at[3], const twVec3* polygon, int count)
{
    int high;
    twVec3 inside[DEXEL_CORNERS];
    for (dexel_reach(polygon, count, 2, &at[2], &high); at[2] <= high; at[2]++)
    {
        DexelCell* cell = dexel_new_cell(run, at);
        const int kept = cell ? dexel_clip_slab(polygon, count, 2, at[2], inside) : 0;
        if (kept >= 3) dexel_cross(cell, at, inside, kept);
    }
}

static void dexel_cross_face(DexelRun* run, const twVec3 corner[3])
{
    int at[3], high[2];
    twVec3 x[DEXEL_CORNERS], xy[DEXEL_CORNERS];
    for (dexel_reach(corner, 3, 0, &at[0], &high[0]); at[0] <= high[0]; at[0]++)
    {
        const int nx = dexel_clip_slab(corner, 3, 0, at[0], x);
        if (nx < 3) continue;
        for (dexel_reach(x, nx, 1, &at[1], &high[1]); at[1] <= high[1]; at[1]++)
        {
            const int ny = dexel_clip_slab(x, nx, 1, at[1], xy);
            if (ny >= 3) dexel_cross_column(run, at, xy, ny);
        }
    }
}

// ---- parts ----

double dexel_part_distance(const twCellsPart* part, twVec3 p)
{
    if (part->ball) return fmax(0, tw_vec3_norm(tw_vec3_sub(p, part->centre)) - part->radius);
    const twVec3 d = {fmax(0, fmax(part->low.x - p.x, p.x - part->high.x)),
                      fmax(0, fmax(part->low.y - p.y, p.y - part->high.y)),
                      fmax(0, fmax(part->low.z - p.z, p.z - part->high.z))};
    return tw_vec3_norm(d);
}

static twVec3 dexel_to_body(const DexelBody* body, twVec3 grid)
{
    return tw_vec3_add_scaled(body->origin, tw_mat3_mul_vec(body->turn, grid), body->cell);
}

// planes of a box that stand along rays, as faces of the surface do
static void dexel_note_planes(const DexelBody* body, const Cell* cell, const twCellsPart* part, twVec3 middle,
                              double edge, DexelCell* out)
{
    const double facing = 0.98, area = 1;
    const double low[3] = {part->low.x, part->low.y, part->low.z}, high[3] = {part->high.x, part->high.y, part->high.z};
    const twVec3 place = dexel_to_body(body, middle);
    for (int x = 0; x < 3 && !part->ball; x++)
        for (int side = 0; side < 2; side++)
        {
            const double off = (side ? high[x] : low[x]) - axis_of(place, x);
            for (int a = 0; a < 3 && isfinite(off); a++)
            {
                const double cosine = body->turn.m[x][a];
                const double at = 0.5 + off / (cosine * body->cell * edge);
                if (fabs(cosine) < facing || at <= 0 || at >= 1) continue;
                double x3[3] = {0, 0, 0};
                x3[a] = cell->at[a] + at;
                const twVec3 point = {x3[0], x3[1], x3[2]};
                dexel_note_steep(out, cell->at, &point, 1, a, area);
            }
        }
}

static void dexel_touch_parts(const DexelRun* run, const Cell* cell, DexelCell* out)
{
    const DexelBody* body = run->body;
    const double edge = 1 / run->scale;
    const twVec3 middle = {(cell->at[0] + 0.5) * edge, (cell->at[1] + 0.5) * edge, (cell->at[2] + 0.5) * edge};
    const twVec3 place = dexel_to_body(body, middle);
    const double reach = 0.5 * sqrt(3) * edge * body->cell;
    for (int i = 0; i < body->part_count; i++)
    {
        if (dexel_part_distance(&body->parts[i], place) > reach) continue;
        out->crossed = true;
        out->touches_held = out->touches_held || body->parts[i].material < 0;
        dexel_note_planes(body, cell, &body->parts[i], middle, edge, out);
    }
}

// Where the line origin + t direction is in a part: [from, to], empty if from >= to. Normals of the surface at both.
static void dexel_line_part(const twCellsPart* part, twVec3 origin, twVec3 direction, double t[2], twVec3 normal[2])
{
    t[0] = -HUGE_VAL, t[1] = HUGE_VAL;
    if (part->ball)
    {
        const twVec3 o = tw_vec3_sub(origin, part->centre);
        const double a = tw_vec3_dot(direction, direction), b = tw_vec3_dot(o, direction);
        const double root = b * b - a * (tw_vec3_dot(o, o) - part->radius * part->radius);
        t[0] = root > 0 ? (-b - sqrt(root)) / a : 0;
        t[1] = root > 0 ? (-b + sqrt(root)) / a : 0;
        for (int i = 0; i < 2; i++) normal[i] = tw_vec3_scale(tw_vec3_add_scaled(o, direction, t[i]), 1 / part->radius);
        return;
    }
    for (int x = 0; x < 3; x++)
    {
        const double o = axis_of(origin, x), s = axis_of(direction, x);
        const double low = axis_of(part->low, x), high = axis_of(part->high, x);
        if (s == 0 && (o < low || o > high)) t[1] = t[0];
        if (s == 0) continue;
        const double enter = ((s > 0 ? low : high) - o) / s, leave = ((s > 0 ? high : low) - o) / s;
        const twVec3 axis = {x == 0, x == 1, x == 2};
        if (enter > t[0]) t[0] = enter, normal[0] = axis;
        if (leave < t[1]) t[1] = leave, normal[1] = axis;
    }
}

// ---- rays of one axis ----

static bool dexel_wants_axis(const DexelCell* cell, int axis) { return cell->axis == axis || cell->touches_held; }

// a new line that is cut at up to two places
static int dexel_add_line(DexelRun* run, const double* cuts, int count)
{
    const Trunk* trunk = run->trunk;
    if (run->line_count == run->line_room)
    {
        const int room = run->line_room > 0 ? 2 * run->line_room : 64;
        DexelLine* lines = realloc(run->lines, (size_t)room * sizeof *lines);
        if (!lines) return -1;
        run->lines = lines;
        run->line_room = room;
    }
    DexelLine* line = &run->lines[run->line_count];
    line->count = 0;
    for (int k = 0; k <= count; k++)
    {
        const double from = k > 0 ? cuts[k - 1] : 0, to = k < count ? cuts[k] : 1;
        for (int i = 0; i < trunk->rays; i++)
        {
            const int at = line->count++;
            line->place[at] = from + 0.5 * (1 + trunk->ray[i]) * (to - from);
            line->weight[at] = trunk->ray_weight[i] * (to - from);
            trunk_lagrange(trunk, 2 * line->place[at] - 1, line->lagrange[at]);
        }
    }
    return run->line_count++;
}

// the line of a cell along an axis: cut where its faces stand along the rays
static int dexel_line_of(DexelRun* run, const DexelCell* cell, int axis)
{
    const double least_area = 0.01, least_length = 1e-3;  // of the cell
    const double bent = 0.25;                             // of what faces the rays
    double cuts[2];
    int count = 0;
    if (cell->steep[axis] < least_area)
    {
        // a surface that bends away from the rays: twice as many
        cuts[0] = 0.5;
        const double most = fmax(cell->area[0], fmax(cell->area[1], cell->area[2]));
        return cell->area[axis] > bent * most ? dexel_add_line(run, cuts, 1) : 0;
    }
    const double places[2] = {cell->low[axis], cell->high[axis]};
    for (int k = 0; k < 2; k++)
    {
        const double before = count > 0 ? cuts[count - 1] : 0;
        if (places[k] > before + least_length && places[k] < 1 - least_length) cuts[count++] = places[k];
    }
    return count > 0 ? dexel_add_line(run, cuts, count) : 0;
}

static bool dexel_add_column(DexelRun* run, const Cell* cell, int index)
{
    const DexelCell* info = &run->cells[index];
    const int u = cell->at[run->u], v = cell->at[run->v];
    const bool own = info->axis == run->d && info->crossed;
    const int line[2] = {own ? dexel_line_of(run, info, run->u) : 0, own ? dexel_line_of(run, info, run->v) : 0};
    if (line[0] < 0 || line[1] < 0) return false;
    const bool shared = line[0] == 0 && line[1] == 0;
    run->cells[index].own_column = !shared;
    int* first = tw_table_put(&run->columns, u, v, 0, -1);
    if (!first) return false;
    for (int c = *first; c >= 0 && shared; c = run->column[c].next)
        if (run->column[c].cell < 0) return true;
    const int rays = run->lines[line[0]].count * run->lines[line[1]].count;
    run->column[run->column_count] =
        (DexelColumn){{u, v}, *first, shared ? -1 : index, {line[0], line[1]}, run->rays, rays};
    run->rays += rays;
    *first = run->column_count++;
    return true;
}

static bool dexel_find_columns(DexelRun* run)
{
    const CellTree* tree = run->tree;
    run->column_count = run->line_count = run->rays = 0;
    const double no_cuts[1] = {0};
    if (dexel_add_line(run, no_cuts, 0) < 0) return false;
    for (int c = run->first; c < tree->count; c++)
    {
        const Cell* cell = &tree->cells[c];
        if (cell->level != run->level || !dexel_wants_axis(&run->cells[c - run->first], run->d)) continue;
        if (!dexel_add_column(run, cell, c - run->first)) return false;
    }
    return true;
}

static bool dexel_add_hit(DexelRun* run, DexelHit hit)
{
    if (run->hit_count == run->hit_room)
    {
        const size_t room = run->hit_room > 0 ? 2 * run->hit_room : 1 << 14;
        DexelHit* hits = realloc(run->hits, room * sizeof *hits);
        if (!hits) return false;
        run->hits = hits;
        run->hit_room = room;
    }
    run->hits[run->hit_count++] = hit;
    return true;
}

// whether p is to the left of a to b; on the line, one of two faces that share the edge has it
static bool dexel_left(const double a[2], const double b[2], const double p[2], double* area)
{
    *area = (a[0] - p[0]) * (b[1] - p[1]) - (a[1] - p[1]) * (b[0] - p[0]);
    return *area > 0 || (*area == 0 && (a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])));
}

// the rays of one column that a face meets; corner[i]: places (u, v) turning left, z their height
static bool dexel_hit_column(DexelRun* run, const DexelColumn* column, double corner[3][2], const double z[3], int sign)
{
    const DexelLine *lu = &run->lines[column->line[0]], *lv = &run->lines[column->line[1]];
    double low[2], high[2];
    for (int x = 0; x < 2; x++)
    {
        low[x] = fmin(corner[0][x], fmin(corner[1][x], corner[2][x]));
        high[x] = fmax(corner[0][x], fmax(corner[1][x], corner[2][x]));
    }
    for (int j = 0; j < lv->count; j++)
    {
        const double pv = column->at[1] + lv->place[j];
        if (pv < low[1] || pv > high[1]) continue;
        for (int i = 0; i < lu->count; i++)
        {
            const double p[2] = {column->at[0] + lu->place[i], pv};
            double w[3];
            if (p[0] < low[0] || p[0] > high[0]) continue;
            bool in = true;
            for (int k = 0; k < 3 && in; k++) in = dexel_left(corner[(k + 1) % 3], corner[(k + 2) % 3], p, &w[k]);
            const double sum = in ? w[0] + w[1] + w[2] : 0;
            if (!(sum > 0)) continue;
            const double height = (w[0] * z[0] + w[1] * z[1] + w[2] * z[2]) / sum;
            if (!dexel_add_hit(run, (DexelHit){column->first + j * lu->count + i, sign, height})) return false;
        }
    }
    return true;
}

static bool dexel_hit_face(DexelRun* run, const twVec3 corner[3])
{
    int low[2], high[2];
    double place[3][2], z[3];
    dexel_reach(corner, 3, run->u, &low[0], &high[0]);
    dexel_reach(corner, 3, run->v, &low[1], &high[1]);
    for (int k = 0; k < 3; k++)
    {
        place[k][0] = axis_of(corner[k], run->u);
        place[k][1] = axis_of(corner[k], run->v);
        z[k] = axis_of(corner[k], run->d);
    }
    const double turn = (place[1][0] - place[0][0]) * (place[2][1] - place[0][1]) -
                        (place[1][1] - place[0][1]) * (place[2][0] - place[0][0]);
    if (turn == 0) return true;
    if (turn < 0)
    {
        const double x = place[1][0], y = place[1][1], h = z[1];
        place[1][0] = place[2][0], place[1][1] = place[2][1], z[1] = z[2];
        place[2][0] = x, place[2][1] = y, z[2] = h;
    }
    for (int v = low[1]; v <= high[1]; v++)
        for (int u = low[0]; u <= high[0]; u++)
        {
            const int* first = tw_table_get(&run->columns, u, v, 0);
            for (int c = first ? *first : -1; c >= 0; c = run->column[c].next)
                if (!dexel_hit_column(run, &run->column[c], place, z, turn > 0 ? -1 : 1)) return false;
        }
    return true;
}

// Hits ray by ray, each from low to high, entering first: counted into buckets, then sorted within. start: (rays + 1)
static bool dexel_sort_hits(DexelRun* run, size_t* start, size_t rays)
{
    DexelHit* sorted = malloc((run->hit_count + 1) * sizeof *sorted);
    if (!sorted) return false;
    for (size_t i = 0; i < run->hit_count; i++) start[run->hits[i].ray + 1]++;
    for (size_t i = 0; i < rays; i++) start[i + 1] += start[i];
    for (size_t i = run->hit_count; i-- > 0;) sorted[--start[run->hits[i].ray + 1]] = run->hits[i];
    // starts have moved down to those of the next ray: shift them back
    memmove(start, start + 1, rays * sizeof *start);
    start[rays] = run->hit_count;
    for (size_t ray = 0; ray < rays; ray++)
        for (size_t i = start[ray] + 1; i < start[ray + 1]; i++)
        {
            const DexelHit hit = sorted[i];
            size_t k = i;
            for (; k > start[ray]; k--)
            {
                const DexelHit* before = &sorted[k - 1];
                if (before->z < hit.z || (before->z == hit.z && before->sign >= hit.sign)) break;
                sorted[k] = *before;
            }
            sorted[k] = hit;
        }
    free(run->hits);
    run->hits = sorted;
    run->hit_room = run->hit_count + 1;
    return true;
}

// ---- intervals inside the body ----

static twStatus dexel_make_winding(DexelBody* body, twError* err)
{
    twMesh* mesh;
    if (body->winding) return TW_OK;
    twStatus status = tw_mesh_create(&mesh, 3 * body->face_count, body->face_count, err);
    for (int f = 0; status == TW_OK && f < body->face_count; f++)
        for (int k = 0; k < 3; k++)
        {
            mesh->vertices[3 * f + k] = body->corners[f][k];
            mesh->faces[f].v[k] = 3 * f + k;
        }
    if (status == TW_OK) status = tw_winding_create(&body->winding, mesh, err);
    if (status == TW_OK) tw_mesh_destroy(mesh);
    return status;
}

// a ray that enters more often than it leaves, by the winding number between its hits
static int dexel_open_ray(const DexelRun* run, const double place[2], const DexelHit* hits, int count,
                          DexelInterval* out)
{
    int found = 0;
    for (int i = 0; i + 1 < count; i++)
    {
        double x[3];
        x[run->u] = place[0], x[run->v] = place[1], x[run->d] = 0.5 * (hits[i].z + hits[i + 1].z);
        const twVec3 p = tw_vec3_scale(tw_vec3(x[0], x[1], x[2]), 1 / run->scale);
        if (tw_winding_at(run->body->winding, p) > 0.5) out[found++] = (DexelInterval){hits[i].z, hits[i + 1].z};
    }
    return found;
}

static int dexel_closed_ray(const DexelHit* hits, int count, DexelInterval* out)
{
    int found = 0, depth = 0;
    double from = 0;
    for (int i = 0; i < count; i++)
    {
        const int before = depth;
        depth += hits[i].sign;
        if (before <= 0 && depth > 0) from = hits[i].z;
        if (before > 0 && depth <= 0 && hits[i].z > from) out[found++] = (DexelInterval){from, hits[i].z};
    }
    return found;
}

// ---- sums ----

// one ray of a column
typedef struct DexelRay
{
    const DexelColumn* column;
    const DexelLine *u, *v;
    int i, j;         // among the rays of its column
    double place[2];  // (u, v) in cells of this level
    int at[3];        // cell; the place along d changes
} DexelRay;

static bool dexel_add_volume(const DexelRun* run, Cell* cell, const DexelRay* ray, int material, double a, double b)
{
    const Trunk* trunk = run->trunk;
    const int q = trunk->points, stride[3] = {1, q, q * q};
    double za[TRUNK_POINTS_MAX], zb[TRUNK_POINTS_MAX];
    double* w = cell_tree_weights(cell, material, trunk->total);
    if (!w) return false;
    const double omega = ray->u->weight[ray->i] * ray->v->weight[ray->j];
    const double *lu = ray->u->lagrange[ray->i], *lv = ray->v->lagrange[ray->j];
    trunk_integrals(trunk, 2 * a - 1, za);
    trunk_integrals(trunk, 2 * b - 1, zb);
    cell->fraction += 0.25 * omega * (b - a);
    for (int k = 0; k < q; k++)
        for (int j = 0; j < q; j++)
        {
            const double part = omega * (zb[k] - za[k]) * lv[j];
            double* to = w + k * stride[run->d] + j * stride[run->v];
            for (int i = 0; i < q; i++) to[i * stride[run->u]] += part * lu[i];
        }
    return true;
}

static bool dexel_add_surface(const DexelRun* run, Cell* cell, const DexelRay* ray, double z, double slant)
{
    const Trunk* trunk = run->trunk;
    const int q = trunk->points, stride[3] = {1, q, q * q};
    double lz[TRUNK_POINTS_MAX];
    double* w = cell_tree_weights(cell, CELL_HELD, trunk->total);
    if (!w) return false;
    const double omega = ray->u->weight[ray->i] * ray->v->weight[ray->j] / slant;
    const double *lu = ray->u->lagrange[ray->i], *lv = ray->v->lagrange[ray->j];
    trunk_lagrange(trunk, 2 * z - 1, lz);
    for (int k = 0; k < q; k++)
        for (int j = 0; j < q; j++)
            for (int i = 0; i < q; i++)
                w[k * stride[run->d] + j * stride[run->v] + i * stride[run->u]] += omega * lu[i] * lv[j] * lz[k];
    return true;
}

// the line of a ray in the body's coordinates; its parameter counts cells of this level along d
static void dexel_line(const DexelRun* run, const DexelRay* ray, twVec3* origin, twVec3* direction)
{
    double x[3], s[3] = {0, 0, 0};
    x[run->u] = ray->place[0], x[run->v] = ray->place[1], x[run->d] = 0;
    s[run->d] = run->body->cell / run->scale;
    const twVec3 grid = tw_vec3_scale(tw_vec3(x[0], x[1], x[2]), 1 / run->scale);
    *origin = dexel_to_body(run->body, grid);
    *direction = tw_mat3_mul_vec(run->body->turn, tw_vec3(s[0], s[1], s[2]));
}

// the part that counts at a point of a line: the last that holds it; -1: none
static int dexel_part_at(const DexelBody* body, twVec3 origin, twVec3 direction, double t)
{
    const twVec3 p = tw_vec3_add_scaled(origin, direction, t);
    for (int i = body->part_count - 1; i >= 0; i--)
        if (dexel_part_distance(&body->parts[i], p) <= 0) return i;
    return -1;
}

enum
{
    DEXEL_BREAKS = 2050  // places where a line enters or leaves parts: two for each, and the ends
};

static int dexel_compare_double(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// [a, b] of a line in one cell, cut where materials change; what is held is no matter
static bool dexel_add_parts(const DexelRun* run, Cell* cell, const DexelRay* ray, double base, double a, double b)
{
    const DexelBody* body = run->body;
    double breaks[DEXEL_BREAKS] = {a, b};
    int count = 2;
    twVec3 origin, direction, normal[2];
    dexel_line(run, ray, &origin, &direction);
    for (int i = 0; i < body->part_count && count + 2 <= DEXEL_BREAKS; i++)
    {
        double t[2];
        dexel_line_part(&body->parts[i], origin, direction, t, normal);
        for (int k = 0; k < 2; k++)
            if (t[0] < t[1] && t[k] > a && t[k] < b) breaks[count++] = t[k];
    }
    qsort(breaks, (size_t)count, sizeof *breaks, dexel_compare_double);
    for (int i = 0; i + 1 < count; i++)
    {
        if (!(breaks[i + 1] > breaks[i])) continue;
        const int part = dexel_part_at(body, origin, direction, 0.5 * (breaks[i] + breaks[i + 1]));
        const int material = part < 0 ? 0 : body->parts[part].material;
        if (material < 0) continue;
        if (!dexel_add_volume(run, cell, ray, material, breaks[i] - base, breaks[i + 1] - base)) return false;
    }
    return true;
}

// points of held surfaces on [a, b] of a line in one cell
static bool dexel_add_held(const DexelRun* run, Cell* cell, const DexelRay* ray, double base, double a, double b)
{
    const DexelBody* body = run->body;
    const double aside = 1e-6;  // of a cell: just outside the surface
    twVec3 origin, direction, normal[2];
    dexel_line(run, ray, &origin, &direction);
    for (int i = 0; i < body->part_count; i++)
    {
        double t[2];
        if (body->parts[i].material >= 0) continue;
        dexel_line_part(&body->parts[i], origin, direction, t, normal);
        for (int k = 0; k < 2 && t[0] < t[1]; k++)
        {
            if (t[k] < a || t[k] > b) continue;
            const double outside = t[k] + (k == 0 ? -aside : aside);
            const int other = dexel_part_at(body, origin, direction, outside);
            if (other >= 0 && body->parts[other].material < 0) continue;
            const twVec3 n = tw_mat3_mul_vec(tw_mat3_transpose(body->turn), normal[k]);
            const double slant = fabs(axis_of(n, run->d));
            const bool mine = slant >= fabs(axis_of(n, run->u)) && slant > fabs(axis_of(n, run->v));
            if (mine && !dexel_add_surface(run, cell, ray, t[k] - base, slant)) return false;
        }
    }
    return true;
}

static bool dexel_add_piece(DexelRun* run, const Cell* cell, const DexelRay* ray, double from, double to)
{
    if (run->piece_count == run->piece_room)
    {
        const size_t room = run->piece_room > 0 ? 2 * run->piece_room : 1 << 12;
        DexelPiece* pieces = realloc(run->pieces, room * sizeof *pieces);
        if (!pieces) return false;
        run->pieces = pieces;
        run->piece_room = room;
    }
    run->pieces[run->piece_count++] = (DexelPiece){.cell = (int)(cell - run->tree->cells),
                                                   .i = ray->i,
                                                   .j = ray->j,
                                                   .from = from,
                                                   .to = to,
                                                   .weight = ray->u->weight[ray->i] * ray->v->weight[ray->j],
                                                   .place = {ray->u->place[ray->i], ray->v->place[ray->j]},
                                                   .axis = run->d};
    return true;
}

// whether a column's rays are those of a cell: its own if it has some
static bool dexel_serves(const DexelRun* run, const DexelColumn* column, const DexelCell* info)
{
    const int index = (int)(info - run->cells);
    if (column->cell >= 0) return column->cell == index;
    return !info->own_column;
}

static bool dexel_add_interval(DexelRun* run, DexelRay* ray, DexelInterval interval)
{
    const int last = (run->tree->size[run->d] << run->level) - 1;
    const int from = dexel_floor(fmax(interval.from, 0)), to = dexel_floor(fmin(interval.to, last));
    for (int c = from; c <= to; c++)
    {
        ray->at[run->d] = c;
        DexelCell* info = dexel_new_cell(run, ray->at);
        if (!info) continue;
        Cell* cell = &run->tree->cells[run->first + (info - run->cells)];
        if (!dexel_serves(run, ray->column, info)) continue;
        const double a = fmax(interval.from, c), b = fmin(interval.to, c + 1);
        if (b <= a) continue;
        bool good = true;
        if (info->axis == run->d && !info->crossed)
            cell->kind = CELL_FULL;
        else if (info->axis == run->d && run->body->part_count > 0)
            good = dexel_add_parts(run, cell, ray, c, a, b);
        else if (info->axis == run->d)
            good = dexel_add_volume(run, cell, ray, 0, a - c, b - c);
        if (good && info->axis == run->d && info->crossed) good = dexel_add_piece(run, cell, ray, a - c, b - c);
        if (good && info->touches_held) good = dexel_add_held(run, cell, ray, c, a, b);
        if (!good) return false;
    }
    return true;
}

static twStatus dexel_run_ray(DexelRun* run, const DexelColumn* column, const DexelHit* hits, int count,
                              DexelInterval* intervals, twError* err)
{
    const int ray_of = hits->ray - column->first;
    DexelRay ray = {.column = column, .u = &run->lines[column->line[0]], .v = &run->lines[column->line[1]]};
    ray.i = ray_of % ray.u->count, ray.j = ray_of / ray.u->count;
    ray.at[run->u] = column->at[0], ray.at[run->v] = column->at[1];
    ray.place[0] = column->at[0] + ray.u->place[ray.i];
    ray.place[1] = column->at[1] + ray.v->place[ray.j];
    int sum = 0;
    for (int i = 0; i < count; i++) sum += hits[i].sign;
    run->body->rays++;
    int found;
    if (sum == 0)
        found = dexel_closed_ray(hits, count, intervals);
    else
    {
        run->body->open_rays++;
        twStatus status = dexel_make_winding(run->body, err);
        if (status != TW_OK) return status;
        found = dexel_open_ray(run, ray.place, hits, count, intervals);
    }
    for (int i = 0; i < found; i++)
        if (!dexel_add_interval(run, &ray, intervals[i])) return dexel_no_memory(err);
    return TW_OK;
}

static twStatus dexel_run_axis(DexelRun* run, int axis, twError* err)
{
    run->d = axis, run->u = (axis + 1) % 3, run->v = (axis + 2) % 3;
    run->hit_count = 0;
    if (!dexel_find_columns(run)) return dexel_no_memory(err);
    for (int f = 0; f < run->body->face_count && run->column_count > 0; f++)
    {
        twVec3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = tw_vec3_scale(run->body->corners[f][k], run->scale);
        if (!dexel_hit_face(run, corner)) return dexel_no_memory(err);
    }
    tw_table_clear(&run->columns);
    if (run->hit_count == 0) return TW_OK;
    const size_t rays = (size_t)run->rays;
    size_t* start = calloc(rays + 2, sizeof *start);
    DexelInterval* intervals = malloc((run->hit_count + 1) * sizeof *intervals);
    twStatus status = start && intervals && dexel_sort_hits(run, start, rays) ? TW_OK : dexel_no_memory(err);
    const DexelColumn* column = run->column;
    for (size_t i = 0; i < rays && status == TW_OK; i++)
    {
        while ((int)i >= column->first + column->rays) column++;
        if (start[i + 1] > start[i])
            status = dexel_run_ray(run, column, run->hits + start[i], (int)(start[i + 1] - start[i]), intervals, err);
    }
    free(start);
    free(intervals);
    return status;
}

// ---- gaps in a cell ----

static int dexel_compare_pieces(const void* a, const void* b)
{
    const DexelPiece *x = a, *y = b;
    if (x->cell != y->cell) return x->cell - y->cell;
    if (x->j != y->j) return x->j - y->j;
    if (x->i != y->i) return x->i - y->i;
    return (x->from > y->from) - (x->from < y->from);
}

// intervals of neighbouring rays belong together if they overlap, or nearly so
static bool dexel_adjoin(const DexelPiece* x, const DexelPiece* y, double near)
{
    const int di = abs(x->i - y->i), dj = abs(x->j - y->j);
    return di + dj == 1 && x->from < y->to + near && y->from < x->to + near;
}

// Rays that leave the matter and enter it again within one cell, between two walls, say: the walls move as one polynomial.
// @return the mean width of the gap over these rays, in cells; 0 if they are too few
static double dexel_fold(const DexelPiece* piece, int count)
{
    const double least = 0.01;  // of a cell: gaps below are none
    double rays = 0, width = 0;
    for (int i = 0; i + 1 < count; i++)
    {
        const bool same = piece[i].i == piece[i + 1].i && piece[i].j == piece[i + 1].j;
        const double gap = piece[i + 1].from - piece[i].to;
        if (!same || gap < least) continue;
        rays += 0.25 * piece[i].weight;
        width += 0.25 * piece[i].weight * gap;
    }
    return rays > DEXEL_FOLDS ? width / rays : 0;
}

// how many parts the intervals of one cell form that are worth counting
static int dexel_count_parts(const DexelRun* run, const DexelPiece* piece, int count, int* parent, double* volume)
{
    const double least = 0.002;  // of the cell
    const Trunk* trunk = run->trunk;
    const double near = 0.5 / trunk->rays;
    int parts = 0, width = 1;
    for (int i = 0; i < count; i++) parent[i] = i, volume[i] = 0;
    for (int i = 0; i < count; i++)
    {
        // only intervals of this row of rays and the next can adjoin
        for (width = i + 1; width < count && piece[width].j <= piece[i].j + 1; width++)
            if (dexel_adjoin(&piece[i], &piece[width], near)) tw_union_join(parent, i, width);
    }
    for (int i = 0; i < count; i++)
        volume[tw_union_root(parent, i)] += 0.25 * piece[i].weight * (piece[i].to - piece[i].from);
    for (int i = 0; i < count; i++) parts += volume[i] > least;
    return parts;
}

// how far the matter is from the six faces of its cell, as rays tell
static void dexel_find_nearest(Cell* cell, const DexelPiece* piece, int count, double spacing)
{
    for (int f = 0; f < 6; f++) cell->near[f] = 1;
    for (int i = 0; i < count; i++)
    {
        const int d = piece[i].axis, u = (d + 1) % 3, v = (d + 2) % 3;
        double low[3], high[3];
        low[d] = piece[i].from, high[d] = piece[i].to;
        low[u] = high[u] = piece[i].place[0];
        low[v] = high[v] = piece[i].place[1];
        for (int x = 0; x < 3; x++)
        {
            // the first ray from a face stands for all that is nearer
            const double least = x == d ? 0 : spacing;
            cell->near[2 * x] = fmin(cell->near[2 * x], low[x] > least ? low[x] : 0);
            cell->near[2 * x + 1] = fmin(cell->near[2 * x + 1], 1 - high[x] > least ? 1 - high[x] : 0);
        }
    }
}

static twStatus dexel_find_parts(DexelRun* run, twError* err)
{
    int* parent = malloc((run->piece_count + 1) * sizeof *parent);
    double* volume = malloc((run->piece_count + 1) * sizeof *volume);
    const bool good = parent && volume;
    if (good && run->piece_count > 0) qsort(run->pieces, run->piece_count, sizeof *run->pieces, dexel_compare_pieces);
    for (size_t i = 0, end; good && i < run->piece_count; i = end)
    {
        for (end = i; end < run->piece_count && run->pieces[end].cell == run->pieces[i].cell;) end++;
        Cell* cell = &run->tree->cells[run->pieces[i].cell];
        const int count = (int)(end - i);
        cell->gap = dexel_fold(run->pieces + i, count);
        // parts side by side of the rays: a gap between two rays
        if (cell->gap == 0 && dexel_count_parts(run, run->pieces + i, count, parent, volume) > 1)
            cell->gap = 1.0 / run->trunk->rays;
        cell->gap *= cell_edge(cell->level);
        dexel_find_nearest(cell, run->pieces + i, count, 0.5 * (1 + run->trunk->ray[0]) + 1e-9);
    }
    free(parent);
    free(volume);
    return good ? TW_OK : dexel_no_memory(err);
}

// ---- levels ----

static void dexel_choose_axes(DexelRun* run)
{
    for (int c = run->first; c < run->tree->count; c++)
    {
        DexelCell* info = &run->cells[c - run->first];
        if (run->tree->cells[c].level != run->level) continue;
        if (run->body->part_count > 0) dexel_touch_parts(run, &run->tree->cells[c], info);
        const double* a = info->area;
        info->axis = 2;
        if (a[0] >= a[1] && a[0] >= a[2] && a[0] > 0)
            info->axis = 0;
        else if (a[1] >= a[2] && a[1] > 0)
            info->axis = 1;
    }
}

static twStatus dexel_run_level(DexelRun* run, twError* err)
{
    run->scale = ldexp(1, run->level);
    for (int f = 0; f < run->body->face_count; f++)
    {
        twVec3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = tw_vec3_scale(run->body->corners[f][k], run->scale);
        dexel_cross_face(run, corner);
    }
    dexel_choose_axes(run);
    twStatus status = TW_OK;
    for (int axis = 0; axis < 3 && status == TW_OK; axis++) status = dexel_run_axis(run, axis, err);
    tw_table_clear(&run->columns);
    return status;
}

// kinds of the new cells, from what the rays found
static void dexel_finish(CellTree* tree, int first)
{
    const double least = 1e-6;  // fractions below are no matter
    for (int c = first; c < tree->count; c++)
    {
        Cell* cell = &tree->cells[c];
        if (cell->kind == CELL_FULL)
            cell->fraction = 1;
        else
            cell->kind = cell->fraction > least ? CELL_CUT : CELL_EMPTY;
    }
}

twStatus dexel_integrate(CellTree* tree, int first, const Trunk* trunk, DexelBody* body, twError* err)
{
    const size_t count = (size_t)(tree->count - first) + 1;
    DexelRun run = {.tree = tree, .trunk = trunk, .body = body, .first = first};
    run.cells = calloc(count, sizeof *run.cells);
    run.column = malloc(count * sizeof *run.column);
    bool present[CELL_LEVELS_MAX + 1] = {false};
    for (int c = first; c < tree->count; c++) present[tree->cells[c].level] = true;
    twStatus status = run.cells && run.column ? TW_OK : dexel_no_memory(err);
    for (run.level = 0; run.level <= CELL_LEVELS_MAX && status == TW_OK; run.level++)
        if (present[run.level]) status = dexel_run_level(&run, err);
    if (status == TW_OK) status = dexel_find_parts(&run, err);
    if (status == TW_OK) dexel_finish(tree, first);
    free(run.pieces);
    free(run.cells);
    free(run.column);
    free(run.lines);
    free(run.hits);
    return status;
}
