// SPDX-License-Identifier: MIT
// The frame of the lattice. Sizes do not matter after scaling to a unit diagonal, and a body of flat faces fills best
// when the lattice lies along them: the first axis is the normal with most area, the second the one with most area
// across it. A body without such faces keeps the axes it came with.
#include "fill.h"
#include "mesh/mend.h"
#include <stdlib.h>
#include <string.h>

static const double LEAST_SHARE = 0.1;                 // of the area, for a normal to give an axis
static const double FLAT_SHARE = 0.02;                 // of the area at an end, to call it flat
static const double BIN = 1.0 / 2048;                  // width of direction bins
static const double SMALLEST = 1e-12, LARGEST = 1e12;  // size [m]

// ---- checks ----

static twStatus check(const twMesh* surface, twError* err)
{
    if (surface->vertex_count < 1 || surface->face_count < 1)
        return tw_fail(err, TW_BAD_INPUT, "fill: the surface has %d vertices and %d faces; a closed surface is needed",
                       surface->vertex_count, surface->face_count);
    for (int i = 0; i < surface->vertex_count; i++)
    {
        twVec3 p = surface->vertices[i];
        if (!(fabs(p.x) < 1e150 && fabs(p.y) < 1e150 && fabs(p.z) < 1e150))
            return tw_fail(err, TW_BAD_INPUT,
                           "fill: vertex %d is (%g, %g, %g): finite coordinates are needed; mend the surface first", i,
                           p.x, p.y, p.z);
    }
    for (int i = 0; i < surface->face_count; i++)
        for (int k = 0; k < 3; k++)
            if (surface->faces[i].v[k] < 0 || surface->faces[i].v[k] >= surface->vertex_count)
                return tw_fail(err, TW_BAD_INPUT, "fill: face %d names vertex %d of %d", i, surface->faces[i].v[k],
                               surface->vertex_count);
    return TW_OK;
}

static void bounds(const twVec3* points, int count, twVec3* low, twVec3* high)
{
    *low = *high = points[0];
    for (int i = 1; i < count; i++)
    {
        *low = tw_vec3(fmin(low->x, points[i].x), fmin(low->y, points[i].y), fmin(low->z, points[i].z));
        *high = tw_vec3(fmax(high->x, points[i].x), fmax(high->y, points[i].y), fmax(high->z, points[i].z));
    }
}

// ---- merging ----

static twVec3 area_vector(const twMesh* mesh, int face)
{
    const int* v = mesh->faces[face].v;
    twVec3 a = mesh->vertices[v[0]];
    return tw_vec3_scale(tw_vec3_cross(tw_vec3_sub(mesh->vertices[v[1]], a), tw_vec3_sub(mesh->vertices[v[2]], a)),
                         0.5);
}

// scaled copy with merged vertices and without faces of no area
static twStatus copy_scaled(FillFrame* frame, const twMesh* surface, twError* err)
{
    twStatus status = tw_mesh_create(&frame->mesh, surface->vertex_count, surface->face_count, err);
    if (status != TW_OK) return status;
    int* first = malloc(((size_t)surface->vertex_count + 1) * sizeof *first);
    if (!first || tw_merge_vertices(first, surface, 0) < 0)
    {
        free(first);
        return tw_fail(err, TW_NO_MEMORY, "fill: no memory for %d vertices", surface->vertex_count);
    }
    twMesh* mesh = frame->mesh;
    for (int i = 0; i < surface->vertex_count; i++)
        mesh->vertices[i] = tw_vec3_scale(tw_vec3_sub(surface->vertices[i], frame->centre), 1 / frame->size);
    int kept = 0;
    for (int i = 0; i < surface->face_count; i++)
    {
        const int* v = surface->faces[i].v;
        mesh->faces[kept] = (twTriangle){{first[v[0]], first[v[1]], first[v[2]]}};
        double area = tw_vec3_norm(area_vector(mesh, kept));
        if (area > 0) kept++;
    }
    mesh->face_count = kept;
    free(first);
    if (kept == 0) return tw_fail(err, TW_BAD_INPUT, "fill: all %d faces have no area", surface->face_count);
    return TW_OK;
}

// ---- axes ----

// bin of a direction, the same for its opposite: face of a cube and two coordinates on it
static void bin_of(twVec3 n, int bin[3])
{
    double c[3] = {n.x, n.y, n.z};
    int axis = fabs(c[0]) >= fabs(c[1]) ? 0 : 1;
    if (fabs(c[2]) > fabs(c[axis])) axis = 2;
    bin[0] = axis;
    for (int k = 1; k < 3; k++) bin[k] = (int)lround(c[(axis + k) % 3] / c[axis] / BIN);
}

// direction with most area among faces across axis (if not NULL); zero if its share is too small or without memory
static twVec3 main_normal(const twMesh* mesh, double total, const twVec3* axis, double least)
{
    twTable bins = {0};
    twVec3* sums = calloc((size_t)mesh->face_count, sizeof *sums);
    twVec3 best = {0, 0, 0};
    for (int i = 0; sums && i < mesh->face_count; i++)
    {
        twVec3 a = area_vector(mesh, i);
        twVec3 n = tw_vec3_normalize(a);
        if (axis && fabs(tw_vec3_dot(n, *axis)) > 1e-3) continue;
        int bin[3];
        bin_of(n, bin);
        int* slot = tw_table_put(&bins, bin[0], bin[1], bin[2], (int)bins.count);
        if (!slot) break;
        twVec3* sum = &sums[*slot];
        *sum = tw_vec3_add_scaled(*sum, a, tw_vec3_dot(*sum, a) < 0 ? -1 : 1);
        // clearly more area, so that round-off does not choose between equals
        if (tw_vec3_norm(*sum) > 1.001 * tw_vec3_norm(best)) best = *sum;
    }
    free(sums);
    tw_table_clear(&bins);
    return tw_vec3_norm(best) >= least * total ? tw_vec3_normalize(best) : tw_vec3(0, 0, 0);
}

// entries within round-off of 0 and 1 become exact
static twVec3 clean(twVec3 v)
{
    double c[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++)
        if (fabs(c[k] - round(c[k])) < 1e-12) c[k] = round(c[k]);
    return tw_vec3(c[0], c[1], c[2]);
}

static twMat3 axes_of(const twMesh* mesh, double total)
{
    twVec3 z = main_normal(mesh, total, NULL, LEAST_SHARE);
    if (tw_vec3_norm(z) == 0) return tw_mat3_identity();
    twVec3 x = main_normal(mesh, total, &z, FLAT_SHARE);

    // no second direction: the coordinate axis most across the first
    if (tw_vec3_norm(x) == 0)
    {
        x = tw_vec3(1, 0, 0);
        if (fabs(z.x) > fabs(z.y) || fabs(z.x) > fabs(z.z))
            x = fabs(z.y) <= fabs(z.z) ? tw_vec3(0, 1, 0) : tw_vec3(0, 0, 1);
    }
    z = clean(z);
    x = clean(tw_vec3_normalize(tw_vec3_add_scaled(x, z, -tw_vec3_dot(x, z))));
    return tw_mat3_rows(x, clean(tw_vec3_cross(z, x)), z);
}

// ---- the whole ----

static void measure(FillFrame* frame)
{
    const twMesh* mesh = frame->mesh;
    double ends[3] = {0, 0, 0}, lows[3], highs[3];
    bounds(mesh->vertices, mesh->vertex_count, &frame->low, &frame->high);
    memcpy(lows, &frame->low, sizeof lows);
    memcpy(highs, &frame->high, sizeof highs);
    frame->area = frame->volume = 0;
    for (int i = 0; i < mesh->face_count; i++)
    {
        twVec3 a = area_vector(mesh, i);
        frame->area += tw_vec3_norm(a);
        frame->volume += tw_vec3_dot(a, mesh->vertices[mesh->faces[i].v[0]]) / 3;
        for (int k = 0; k < 3; k++)
        {
            double low = INFINITY, high = -INFINITY;
            for (int j = 0; j < 3; j++)
            {
                double c[3];
                memcpy(c, &mesh->vertices[mesh->faces[i].v[j]], sizeof c);
                low = fmin(low, c[k]);
                high = fmax(high, c[k]);
            }
            if (high - lows[k] < 1e-9 || highs[k] - low < 1e-9) ends[k] += tw_vec3_norm(a);
        }
    }
    for (int k = 0; k < 3; k++) frame->flat[k] = ends[k] > FLAT_SHARE * frame->area && highs[k] - lows[k] > 1e-6;
}

// is every edge used as often one way as the other? Then winding numbers are whole. Also false without memory
static bool is_closed(const twMesh* mesh)
{
    twTable balance = {0};
    bool closed = true;
    for (int i = 0; closed && i < 3 * mesh->face_count; i++)
    {
        int a = mesh->faces[i / 3].v[i % 3], b = mesh->faces[i / 3].v[(i + 1) % 3];
        int* count = tw_table_put(&balance, a < b ? a : b, a < b ? b : a, 0, 0);
        closed = count != NULL;
        if (closed) *count += a < b ? 1 : -1;
    }
    for (size_t i = 0; closed && i < balance.capacity; i++)
        closed = balance.slots[i].key[0] == TW_TABLE_EMPTY || balance.slots[i].value == 0;
    tw_table_clear(&balance);
    return closed;
}

twStatus fill_frame_create(FillFrame* frame, const twMesh* surface, twError* err)
{
    *frame = (FillFrame){.turn = tw_mat3_identity(), .stretch = {1, 1, 1}};
    twStatus status = check(surface, err);
    if (status != TW_OK) return status;
    bounds(surface->vertices, surface->vertex_count, &frame->low, &frame->high);
    frame->centre = tw_vec3_scale(tw_vec3_add(frame->low, frame->high), 0.5);
    frame->size = tw_vec3_norm(tw_vec3_sub(frame->high, frame->low));
    if (!(frame->size >= SMALLEST && frame->size <= LARGEST))
        return tw_fail(err, TW_BAD_INPUT,
                       "fill: the surface %s: its bounding box is %g m across; %g m to %g m can be filled: is the unit "
                       "right?",
                       frame->size > 0 ? "has an absurd size" : "has no extent", frame->size, SMALLEST, LARGEST);
    status = copy_scaled(frame, surface, err);
    if (status != TW_OK) return status;
    measure(frame);
    frame->closed = is_closed(frame->mesh);
    frame->turn = axes_of(frame->mesh, frame->area);
    for (int i = 0; i < frame->mesh->vertex_count; i++)
        frame->mesh->vertices[i] = tw_mat3_mul_vec(frame->turn, frame->mesh->vertices[i]);
    measure(frame);
    return TW_OK;
}

void fill_frame_free(FillFrame* frame)
{
    tw_mesh_destroy(frame->mesh);
    frame->mesh = NULL;
}

void fill_frame_stretch(FillFrame* frame, twVec3 stretch)
{
    frame->stretch = stretch;
    for (int i = 0; i < frame->mesh->vertex_count; i++)
    {
        twVec3* p = &frame->mesh->vertices[i];
        *p = tw_vec3(p->x / stretch.x, p->y / stretch.y, p->z / stretch.z);
    }
    measure(frame);
}

twVec3 fill_frame_out(const FillFrame* frame, twVec3 point)
{
    twVec3 s = frame->stretch, wide = tw_vec3(point.x * s.x, point.y * s.y, point.z * s.z);
    twVec3 turned = tw_mat3_mul_vec(tw_mat3_transpose(frame->turn), wide);
    return tw_vec3_add_scaled(frame->centre, turned, frame->size);
}

twVec3 fill_frame_in(const FillFrame* frame, twVec3 point)
{
    twVec3 s = frame->stretch;
    twVec3 p = tw_mat3_mul_vec(frame->turn, tw_vec3_scale(tw_vec3_sub(point, frame->centre), 1 / frame->size));
    return tw_vec3(p.x / s.x, p.y / s.y, p.z / s.z);
}
