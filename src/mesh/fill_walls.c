// SPDX-License-Identifier: MIT
// Walls: how thick the solid is, and along which axes its cells may be long.
//
// Rays go inward from points spread evenly over the surface to where they come out. A wall of thickness w and normal n,
// seen by cells that are r_k times as long along axis k, is w / |R n| cells' units thick, R = diag(r). So cells may be long
// along a plate and along a tube, but not in a bowl, whose walls look everywhere.
#include "fill.h"
#include <stdlib.h>
#include <string.h>

static const double LEAST_ALONG = 6;   // thicknesses per length of a body that a cell's stretch counts for
static const double LONGEST = 1.2;     // way through a body of unit diagonal, and some more
static const double MOST_IDLE = 0.8;   // of the surface that may be no wall
static const double LEAST_KEPT = 0.9;  // of the thinnest wall, in cells, by stretching

// way inward from a point of the surface to where it comes out again; 0 if it does not go inside, or never out, or comes
// from inside already
static double way_through(const FillField* field, twVec3 point, twVec3 inward)
{
    enum
    {
        MAX_STEPS = 200
    };
    double last = 0, clear = 0, t = 1e-5;
    if (fill_field_level(field, tw_vec3_add_scaled(point, inward, -t)) > 0) return 0;
    for (int i = 0; i < MAX_STEPS && t < LONGEST; i++)
    {
        // within the empty ball around the last point the sign is the same
        twVec3 here = tw_vec3_add_scaled(point, inward, t);
        double distance = fill_field_distance(field, here, NULL);
        bool sure = field->closed && distance + clear > 1.001 * (t - last) && i > 0;
        if (!sure && fill_field_level(field, here) < 0)
            return i == 0 ? 0 : last + (t - last) * clear / (clear + distance);
        last = t;
        clear = distance;
        t += fmax(distance, 0.1 * t);
    }
    return 0;
}

static int compare(const void* a, const void* b)
{
    double s = *(const double*)a, t = *(const double*)b;
    return (s > t) - (s < t);
}

// point number k of a sequence that fills a triangle evenly (powers of the plastic number)
static twVec3 sample(const twMesh* mesh, int face, int k)
{
    double u = fmod(0.5 + 0.7548776662466927 * k, 1), v = fmod(0.5 + 0.5698402909980532 * k, 1);
    if (u + v > 1)
    {
        u = 1 - u;
        v = 1 - v;
    }
    const int* n = mesh->faces[face].v;
    twVec3 p = tw_vec3_scale(mesh->vertices[n[0]], 1 - u - v);
    return tw_vec3_add_scaled(tw_vec3_add_scaled(p, mesh->vertices[n[1]], u), mesh->vertices[n[2]], v);
}

static twVec3 area_vector(const twMesh* mesh, int face)
{
    const int* v = mesh->faces[face].v;
    twVec3 a = mesh->vertices[v[0]];
    return tw_vec3_scale(tw_vec3_cross(tw_vec3_sub(mesh->vertices[v[1]], a), tw_vec3_sub(mesh->vertices[v[2]], a)),
                         0.5);
}

// points evenly along the running area of the faces. @return how many
static int spread(const twMesh* mesh, double orientation, FillWall* samples, twVec3* points)
{
    double total = 0, passed = 0;
    int next = 0;
    for (int i = 0; i < mesh->face_count; i++) total += tw_vec3_norm(area_vector(mesh, i));
    for (int i = 0; i < mesh->face_count; i++)
    {
        twVec3 a = area_vector(mesh, i);
        passed += tw_vec3_norm(a);
        for (; next < FILL_SAMPLES && (next + 0.5) * total <= passed * FILL_SAMPLES; next++)
        {
            points[next] = sample(mesh, i, next);
            samples[next] = (FillWall){tw_vec3_scale(tw_vec3_normalize(a), -orientation), 0};
        }
    }
    return next;
}

void fill_walls_find(FillWalls* walls, const FillField* field)
{
    enum
    {
        STRIDE = 89,  // visits all samples, each part of the surface early
        ENOUGH = 40   // tell whether there are walls at all: looking is slow where there are none
    };
    twVec3 points[FILL_SAMPLES];
    FillWall samples[FILL_SAMPLES];
    int count = spread(field->mesh, field->orientation, samples, points), looked = 0;
    walls->count = 0;
    for (int i = 0; i < FILL_SAMPLES; i++)
    {
        int k = i * STRIDE % FILL_SAMPLES;
        if (looked >= ENOUGH && walls->count < (1 - MOST_IDLE) * looked) break;
        if (k >= count) continue;
        looked++;
        samples[k].way = way_through(field, points[k], samples[k].normal);
        if (samples[k].way > 0) walls->samples[walls->count++] = samples[k];
    }
    walls->unused = looked > 0 ? 1 - (double)walls->count / looked : 1;
    fill_walls_measure(walls, tw_vec3(1, 1, 1));
}

void fill_walls_measure(FillWalls* walls, twVec3 stretch)
{
    double ways[FILL_SAMPLES];
    walls->thinnest = walls->usual = 0;
    if (walls->count == 0) return;
    for (int i = 0; i < walls->count; i++)
    {
        twVec3 n = walls->samples[i].normal;
        ways[i] = walls->samples[i].way / tw_vec3_norm(tw_vec3(stretch.x * n.x, stretch.y * n.y, stretch.z * n.z));
    }
    qsort(ways, (size_t)walls->count, sizeof *ways, compare);
    walls->usual = ways[walls->count / 2];
    walls->thinnest = ways[walls->count / 20];
}

twVec3 fill_walls_stretch(const FillWalls* walls, twVec3 extent, double most)
{
    enum
    {
        STEPS = 7
    };
    const double extents[3] = {extent.x, extent.y, extent.z};
    double limit[3], best[3] = {1, 1, 1};
    FillWalls trial = *walls;
    for (int k = 0; k < 3; k++) limit[k] = fmin(most, extents[k] / (LEAST_ALONG * walls->thinnest));

    // all combinations of a few lengths along each axis: the largest cell that keeps the walls
    for (int i = 0; i < STEPS * STEPS * STEPS; i++)
    {
        const int at[3] = {i % STEPS, i / STEPS % STEPS, i / (STEPS * STEPS)};
        double r[3];
        bool allowed = true;
        for (int k = 0; k < 3; k++)
        {
            r[k] = 1 + at[k] * (most - 1) / (STEPS - 1);
            allowed = allowed && (at[k] == 0 || r[k] <= limit[k]);
        }
        if (!allowed || r[0] * r[1] * r[2] <= best[0] * best[1] * best[2]) continue;
        fill_walls_measure(&trial, tw_vec3(r[0], r[1], r[2]));
        if (trial.thinnest >= LEAST_KEPT * walls->thinnest) memcpy(best, r, sizeof best);
    }
    return tw_vec3(best[0], best[1], best[2]);
}

// ---- of any surface ----

twStatus fill_walls_check(const FillWalls* walls, const FillFrame* frame, twError* err)
{
    if (!(walls->thinnest > 0))
        return tw_fail(
            err, TW_BAD_INPUT,
            "fill: no wall was found: the surface of %d faces, with a diagonal of %.4g m, encloses no volume; close "
            "it, or give it a thickness",
            frame->mesh->face_count, frame->size);
    if (walls->unused <= MOST_IDLE) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "fill: about %.0f %% of the surface of %d faces encloses nothing or lies inside the rest; keep its "
                   "outside only, or give it a thickness",
                   100 * walls->unused, frame->mesh->face_count);
}

twStatus tw_mesh_thickness(double* thinnest, double* usual, const twMesh* surface, twError* err)
{
    TW_ASSERT(thinnest && usual && surface);
    *thinnest = *usual = 0;
    FillFrame frame;
    FillField field = {0};
    FillWalls walls;
    twStatus status = fill_frame_create(&frame, surface, err);
    if (status == TW_OK) status = fill_field_create(&field, &frame, err);
    if (status == TW_OK)
    {
        fill_walls_find(&walls, &field);
        *thinnest = walls.thinnest * frame.size;
        *usual = walls.usual * frame.size;
        status = fill_walls_check(&walls, &frame, err);
    }
    tw_winding_destroy(field.winding);
    fill_frame_free(&frame);
    return status;
}
