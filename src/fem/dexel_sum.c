// SPDX-License-Identifier: MIT
// dexel_sum: intervals of rays inside the body, summed into the weights of the cells.
#include "fem/dexel_run.h"
#include "mesh/edges.h"
#include <string.h>

// ---- intervals inside the body ----

twStatus dexel_make_winding(DexelBody* body, twError* err)
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
    if (status != TW_OK) return status;
    status = tw_winding_create(&body->winding, mesh, err);
    tw_mesh_destroy(mesh);
    return status;
}

// a ray that enters more often than it leaves, by the winding number between its hits, and to the ends of its cell
static int dexel_open_ray(const DexelRun* run, const DexelRay* ray, const DexelHit* hits, int count, DexelInterval* out)
{
    const double low = ray->column->low, high = ray->column->high;
    int found = 0;
    for (int i = isfinite(low) ? -1 : 0; i + 1 < count + isfinite(high); i++)
    {
        const DexelInterval next = {i < 0 ? low : hits[i].z, i + 1 < count ? hits[i + 1].z : high, i < 0 ? 0 : i,
                                    i + 1 < count ? i + 1 : i};
        double x[3];
        x[run->u] = ray->place[0], x[run->v] = ray->place[1], x[run->d] = 0.5 * (next.from + next.to);
        const twVec3 p = tw_vec3_scale(tw_vec3(x[0], x[1], x[2]), 1 / run->scale);
        if (tw_winding_at(run->body->winding, p) > 0.5) out[found++] = next;
    }
    return found;
}

// depth: how often it has entered more than left before its first hit
static int dexel_closed_ray(const DexelRay* ray, const DexelHit* hits, int count, int depth, DexelInterval* out)
{
    int found = 0, first = 0;
    double from = ray->column->low;
    for (int i = 0; i < count; i++)
    {
        const int before = depth;
        depth += hits[i].sign;
        if (before <= 0 && depth > 0) first = i, from = hits[i].z;
        if (before > 0 && depth <= 0 && hits[i].z > from) out[found++] = (DexelInterval){from, hits[i].z, first, i};
    }
    if (depth > 0) out[found++] = (DexelInterval){from, ray->column->high, first, count - 1};
    return found;
}

// ---- sums ----

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
        if (part >= 0) body->met[part] = true;
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
            const double slant = fabs(dexel_axis_of(n, run->d));
            const bool mine = slant >= fabs(dexel_axis_of(n, run->u)) && slant > fabs(dexel_axis_of(n, run->v));
            if (mine && !dexel_add_surface(run, cell, ray, t[k] - base, slant)) return false;
            body->met[i] = body->met[i] || mine;
        }
    }
    return true;
}

// ---- intervals in cells whose surface is of several patches ----

// The patches of all hits of an interval in a cell are joined. @return one of them; -1: none
static int dexel_join_hits(DexelRun* run, const DexelCell* cell, const DexelHit* hits, DexelInterval interval, int at)
{
    int patch = -1;
    for (int i = interval.first; i <= interval.last; i++)
    {
        const int found = hits[i].z < at || hits[i].z > at + 1 ? -1 : dexel_face_in(run, cell, hits[i].face);
        if (found < 0) continue;
        if (patch >= 0) tw_union_join(run->patch, patch, found);
        patch = found;
    }
    return patch;
}

static bool dexel_keep_piece(DexelRun* run, DexelPiece piece)
{
    if (!dexel_grow((void**)&run->pieces, &run->piece_room, run->piece_count, sizeof *run->pieces)) return false;
    run->pieces[run->piece_count++] = piece;
    return true;
}

// the ray of a piece again; run->d becomes its axis
static DexelRay dexel_ray_of(DexelRun* run, const DexelPiece* piece)
{
    const DexelCell* info = &run->cells[piece->cell];
    const Cell* cell = &run->tree->cells[run->first + piece->cell];
    run->d = piece->axis, run->u = (run->d + 1) % 3, run->v = (run->d + 2) % 3;
    DexelRay ray = {
        .u = &run->lines[info->line[run->u]], .v = &run->lines[info->line[run->v]], .i = piece->i, .j = piece->j};
    memcpy(ray.at, cell->at, sizeof ray.at);
    ray.place[0] = cell->at[run->u] + ray.u->place[ray.i];
    ray.place[1] = cell->at[run->v] + ray.v->place[ray.j];
    return ray;
}

bool dexel_add_piece_to(DexelRun* run, const DexelPiece* piece, int cell)
{
    const DexelRay ray = dexel_ray_of(run, piece);
    const int base = ray.at[run->d];
    if (run->body->part_count == 0)
        return dexel_add_volume(run, &run->tree->cells[cell], &ray, 0, piece->from, piece->to);
    return dexel_add_parts(run, &run->tree->cells[cell], &ray, base, base + piece->from, base + piece->to);
}

bool dexel_add_held_of(DexelRun* run, const DexelPiece* piece, int cell)
{
    const DexelRay ray = dexel_ray_of(run, piece);
    const int base = ray.at[run->d];
    return dexel_add_held(run, &run->tree->cells[cell], &ray, base, base + piece->from, base + piece->to);
}

// ---- rays ----

// whether a column's rays are those of a cell: its own if it has some
static bool dexel_serves(const DexelRun* run, const DexelColumn* column, const DexelCell* info)
{
    const int index = (int)(info - run->cells);
    if (column->cell >= 0) return column->cell == index;
    return !info->own_column;
}

// [a, b] of a ray in one cell
static bool dexel_add_span(DexelRun* run, const DexelRay* ray, DexelCell* info, int at, double a, double b)
{
    Cell* cell = &run->tree->cells[run->first + (info - run->cells)];
    bool good = true;
    if (info->axis == run->d && !info->crossed)
        cell->kind = CELL_FULL;
    else if (info->axis == run->d && run->body->part_count > 0)
        good = dexel_add_parts(run, cell, ray, at, a, b);
    else if (info->axis == run->d)
        good = dexel_add_volume(run, cell, ray, 0, a - at, b - at);
    return good && info->touches_held ? dexel_add_held(run, cell, ray, at, a, b) : good;
}

static bool dexel_add_interval(DexelRun* run, DexelRay* ray, const DexelHit* hits, DexelInterval interval)
{
    const int last = (run->tree->size[run->d] << run->level) - 1;
    const int from = dexel_floor(fmax(interval.from, 0)), to = dexel_floor(fmin(interval.to, last));
    bool good = true;
    for (int c = from; c <= to && good; c++)
    {
        ray->at[run->d] = c;
        DexelCell* info = dexel_new_cell(run, ray->at);
        const double a = fmax(interval.from, c), b = fmin(interval.to, c + 1);
        if (!info || !dexel_serves(run, ray->column, info) || b <= a) continue;
        if (!dexel_wants_axis(run, info, run->d)) continue;
        if (info->patched)
            good = dexel_keep_piece(run, (DexelPiece){.cell = (int)(info - run->cells),
                                                      .axis = run->d,
                                                      .i = ray->i,
                                                      .j = ray->j,
                                                      .from = a - c,
                                                      .to = b - c,
                                                      .patch = dexel_join_hits(run, info, hits, interval, c)});
        else
            good = dexel_add_span(run, ray, info, c, a, b);
    }
    return good;
}

static twStatus dexel_run_ray(DexelRun* run, const DexelColumn* column, int number, const DexelHit* hits, int count,
                              DexelInterval* intervals, twError* err)
{
    const int ray_of = number - column->first;
    DexelRay ray = {.column = column, .u = &run->lines[column->line[0]], .v = &run->lines[column->line[1]]};
    ray.i = ray_of % ray.u->count, ray.j = ray_of / ray.u->count;
    ray.at[run->u] = column->at[0], ray.at[run->v] = column->at[1];
    ray.place[0] = column->at[0] + ray.u->place[ray.i];
    ray.place[1] = column->at[1] + ray.v->place[ray.j];
    run->body->rays++;
    int found;
    if (run->sum[number] == 0)
        found = dexel_closed_ray(&ray, hits, count, run->below[number], intervals);
    else
    {
        run->body->open_rays++;
        twStatus status = dexel_make_winding(run->body, err);
        if (status != TW_OK) return status;
        found = dexel_open_ray(run, &ray, hits, count, intervals);
    }
    for (int i = 0; i < found; i++)
        if (!dexel_add_interval(run, &ray, hits, intervals[i])) return dexel_no_memory(err);
    return TW_OK;
}

// the intervals of all rays
static twStatus dexel_run_rays(DexelRun* run, size_t* start, DexelInterval* intervals, twError* err)
{
    const size_t rays = (size_t)run->rays;
    const DexelColumn* column = run->column;
    twStatus status = dexel_sort_hits(run, start, rays) ? TW_OK : dexel_no_memory(err);
    for (size_t i = 0; i < rays && status == TW_OK; i++)
    {
        const int count = (int)(start[i + 1] - start[i]);
        while ((int)i >= column->first + column->rays) column++;
        status = dexel_watch(run, i, err);
        if (status == TW_OK && (count > 0 || run->below[i] != 0 || run->sum[i] != 0))
            status = dexel_run_ray(run, column, (int)i, run->hits + start[i], count, intervals, err);
    }
    return status;
}

twStatus dexel_run_axis(DexelRun* run, int axis, twError* err)
{
    run->d = axis, run->u = (axis + 1) % 3, run->v = (axis + 2) % 3;
    run->hit_count = 0;
    twStatus status = dexel_find_columns(run) ? TW_OK : dexel_no_memory(err);
    for (int f = 0; f < run->body->face_count && run->column_count > 0 && status == TW_OK; f++)
    {
        status = dexel_watch(run, (size_t)f, err);
        if (status == TW_OK && !dexel_hit_face(run, f)) status = dexel_no_memory(err);
    }
    tw_table_clear(&run->columns);
    size_t* start = calloc((size_t)run->rays + 2, sizeof *start);
    DexelInterval* intervals = malloc((run->hit_count + 2) * sizeof *intervals);
    if (status == TW_OK && run->rays > 0)
        status = start && intervals ? dexel_run_rays(run, start, intervals, err) : dexel_no_memory(err);
    free(start);
    free(intervals);
    free(run->below);
    run->below = run->sum = NULL;
    return status;
}
