// SPDX-License-Identifier: MIT
// From the surface of a mode set to panels. Pieces inside others, such as the walls of cavities, are not heard outside and left
// out. The surface is cut finer if it must be (each triangle in four, motion in between interpolated) and then coarsened, once
// to a few triangles per panel, and from there to each number of panels; every fine triangle belongs to the panel nearest to it
// among those around the vertices that its own have become, so that both sides of a wall stay apart. A panel moves such that its
// flux is that of its triangles: the strength of a mode as a monopole is exact however coarse the panels are.

#include "panels.h"
#include "mesh/mend.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BALL_MARGIN 1.02  // the sphere may not touch coarse panels, which bulge
#define FINER 4           // fine triangles per panel, at least
#define CROSSING_TRIES 4
#define MORE 1.4        // panels if they cross
#define WRONG_SIDE 0.2  // cosine between normals below which a panel faces another way
#define FARTHEST 0.995  // of the sphere's radius

static twVec3 area_vector(const twMesh* mesh, int face)
{
    const int* v = mesh->faces[face].v;
    twVec3 a = tw_vec3_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]);
    twVec3 b = tw_vec3_sub(mesh->vertices[v[2]], mesh->vertices[v[0]]);
    return tw_vec3_scale(tw_vec3_cross(a, b), 0.5);
}

static double length(twVec3 v) { return sqrt(tw_vec3_dot(v, v)); }

// ---- the fine surface ----

void panel_surface_free(PanelSurface* s)
{
    tw_mesh_destroy(s->mesh);
    tw_mesh_destroy(s->coarse);
    free(s->parents);
    free(s->stands);
}

static twStatus subdivide(PanelSurface* s, twError* err)
{
    twMesh* finer;
    int(*ends)[2];
    twStatus status = tw_mesh_subdivide(&finer, s->mesh, &ends, err);
    if (status != TW_OK) return status;
    size_t before = (size_t)(s->mesh->vertex_count - s->own),
           more = (size_t)(finer->vertex_count - s->mesh->vertex_count);
    int(*parents)[2] = realloc(s->parents, (before + more + 1) * sizeof *parents);
    if (parents)
    {
        memcpy(parents + before, ends, more * sizeof *parents);
        s->parents = parents;
        tw_mesh_destroy(s->mesh);
        s->mesh = finer;
    }
    else
    {
        tw_mesh_destroy(finer);
        status = tw_fail(err, TW_NO_MEMORY, "no memory to cut %d faces finer", s->mesh->face_count);
    }
    free(ends);
    return status;
}

double panel_sphere(const twModeSet* set, twVec3* centre)
{
    return BALL_MARGIN * tw_points_ball(set->vertices, set->vertex_count, centre);
}

static twStatus measure(PanelSurface* s, twError* err)
{
    twMeshReport report = tw_mesh_check(s->mesh);
    if (report.boundary_edges > 0)
        return tw_fail(err, TW_BAD_INPUT, "the surface is open (%d edges of one face): how it sounds is not defined",
                       report.boundary_edges);
    for (int f = 0; f < s->mesh->face_count; f++) s->area += length(area_vector(s->mesh, f));
    s->crossings = report.self_intersections;
    if (s->area > 0) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "the surface of %d faces has no area", s->mesh->face_count);
}

twStatus panel_surface_make(PanelSurface* s, const twModeSet* set, int most_panels, twError* err)
{
    *s = (PanelSurface){.own = set->vertex_count};
    twStatus status = tw_mesh_create(&s->mesh, set->vertex_count, set->face_count, err);
    if (status != TW_OK) return status;
    memcpy(s->mesh->vertices, set->vertices, (size_t)set->vertex_count * sizeof *set->vertices);
    memcpy(s->mesh->faces, set->faces, (size_t)set->face_count * sizeof *set->faces);
    s->radius = panel_sphere(set, &s->centre);
    status = tw_mesh_keep_outer(s->mesh, err);
    if (status == TW_OK) status = measure(s, err);
    while (status == TW_OK && s->mesh->face_count < FINER * most_panels) status = subdivide(s, err);
    if (status != TW_OK) return status;
    s->stands = malloc(((size_t)s->mesh->vertex_count + 1) * sizeof *s->stands);
    if (!s->stands) return tw_fail(err, TW_NO_MEMORY, "no memory for %d vertices", s->mesh->vertex_count);
    return tw_mesh_coarsen(&s->coarse, s->mesh, FINER * most_panels, s->stands, err);
}

// ---- which panel stands for what ----

// faces around each vertex: those of v are list[start[v]] to list[start[v + 1] - 1]
typedef struct Around
{
    int *start, *list;
} Around;

static bool around_make(Around* a, const twMesh* mesh)
{
    a->start = calloc((size_t)mesh->vertex_count + 2, sizeof *a->start);
    a->list = malloc((3 * (size_t)mesh->face_count + 1) * sizeof *a->list);
    if (!a->start || !a->list) return false;
    int* next = a->start + 1;
    for (int i = 0; i < 3 * mesh->face_count; i++) next[mesh->faces[i / 3].v[i % 3] + 1]++;
    for (int v = 0; v < mesh->vertex_count; v++) next[v + 1] += next[v];
    for (int i = 0; i < 3 * mesh->face_count; i++) a->list[next[mesh->faces[i / 3].v[i % 3]]++] = i / 3;
    return true;
}

static double distance2(const twMesh* mesh, int panel, twVec3 place)
{
    const int* v = mesh->faces[panel].v;
    const twVec3 corners[3] = {mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]};
    twVec3 d = tw_vec3_sub(tw_triangle_nearest(corners, place), place);
    return tw_vec3_dot(d, d);
}

// the panel around the vertices that a face's have become that is nearest, and faces its way
static int best_panel(const twMesh* panels, const Around* around, const int* stands, const twMesh* fine, int face)
{
    const int* v = fine->faces[face].v;
    twVec3 n = area_vector(fine, face), sum = tw_vec3_add(fine->vertices[v[0]], fine->vertices[v[1]]);
    twVec3 middle = tw_vec3_scale(tw_vec3_add(sum, fine->vertices[v[2]]), 1.0 / 3);
    int best = 0;
    double least = HUGE_VAL;
    for (int i = 0; i < 3; i++)
    {
        int vertex = stands[v[i]];
        if (vertex < 0) continue;
        for (int k = around->start[vertex]; k < around->start[vertex + 1]; k++)
        {
            int panel = around->list[k];
            twVec3 m = area_vector(panels, panel);
            double cost = distance2(panels, panel, middle);
            // one that faces another way is as far as it is large
            if (tw_vec3_dot(m, n) < WRONG_SIDE * length(m) * length(n)) cost += length(m);
            if (cost < least) least = cost, best = panel;
        }
    }
    return best;
}

static void assign(Panels* p, const PanelSurface* s, const Around* around, const int* stands)
{
    for (int f = 0; f < p->mesh->face_count; f++) p->areas[f] = length(area_vector(p->mesh, f));
    for (int f = 0; f < s->mesh->face_count; f++) p->of_face[f] = best_panel(p->mesh, around, stands, s->mesh, f);
}

// ---- panels ----

void panels_free(Panels* p)
{
    tw_mesh_destroy(p->mesh);
    free(p->areas);
    free(p->of_face);
}

// coarsen, with more panels if they cross where the surface does not
static twStatus coarsen(Panels* p, const PanelSurface* s, int count, int* stands, twError* err)
{
    double wanted = count;
    for (int i = 0;; i++, wanted *= MORE)
    {
        int most = wanted < TW_MAX_BEM_PANELS ? (int)wanted : TW_MAX_BEM_PANELS;
        twStatus status = tw_mesh_coarsen(&p->mesh, s->coarse, most, stands, err);
        if (status != TW_OK || i == CROSSING_TRIES || most == TW_MAX_BEM_PANELS) return status;
        if (s->crossings > 0 || tw_mesh_check(p->mesh).self_intersections == 0) return TW_OK;
        tw_mesh_destroy(p->mesh);
        p->mesh = NULL;
    }
}

// corners of panels that bulge out of the sphere go back
static void pull_in(twMesh* mesh, const PanelSurface* s)
{
    for (int i = 0; i < mesh->vertex_count; i++)
    {
        twVec3 d = tw_vec3_sub(mesh->vertices[i], s->centre);
        double r = length(d), most = FARTHEST * s->radius;
        if (r > most) mesh->vertices[i] = tw_vec3_add(s->centre, tw_vec3_scale(d, most / r));
    }
}

twStatus panels_make(Panels* p, const PanelSurface* s, int count, twError* err)
{
    *p = (Panels){0};
    Around around = {0};
    size_t vertices = (size_t)s->mesh->vertex_count + 1, coarse = (size_t)s->coarse->vertex_count + 1;
    int *stands = malloc((vertices + coarse) * sizeof *stands), *last = stands + vertices;
    twStatus status = stands ? coarsen(p, s, count, last, err) : TW_OK;
    for (int i = 0; status == TW_OK && p->mesh && i < s->mesh->vertex_count; i++)
        stands[i] = s->stands[i] < 0 ? -1 : last[s->stands[i]];
    if (status == TW_OK && p->mesh)
    {
        pull_in(p->mesh, s);
        p->areas = malloc(((size_t)p->mesh->face_count + 1) * sizeof *p->areas);
        p->of_face = malloc(((size_t)s->mesh->face_count + 1) * sizeof *p->of_face);
    }
    if (status == TW_OK && (!p->areas || !p->of_face || !around_make(&around, p->mesh)))
        status = tw_fail(err, TW_NO_MEMORY, "no memory for %d panels", count);
    if (status == TW_OK) assign(p, s, &around, stands);
    free(around.start);
    free(around.list);
    free(stands);
    return status;
}

// ---- motion ----

void panels_velocity(double* out, const Panels* p, const PanelSurface* s, const twModeSet* set, int mode, double* work)
{
    const float* shape = set->shape + 3 * (size_t)mode * (size_t)set->vertex_count;
    for (size_t i = 0; i < 3 * (size_t)s->own; i++) work[i] = shape[i];
    for (int i = s->own; i < s->mesh->vertex_count; i++)
    {
        const double *a = work + 3 * (size_t)s->parents[i - s->own][0],
                     *b = work + 3 * (size_t)s->parents[i - s->own][1];
        for (int k = 0; k < 3; k++) work[3 * (size_t)i + (size_t)k] = 0.5 * (a[k] + b[k]);
    }
    memset(out, 0, 2 * (size_t)p->mesh->face_count * sizeof *out);
    for (int f = 0; f < s->mesh->face_count; f++)
    {
        twVec3 n = area_vector(s->mesh, f);
        double flux = 0;
        for (int i = 0; i < 3; i++)
        {
            const double* v = work + 3 * (size_t)s->mesh->faces[f].v[i];
            flux += (n.x * v[0] + n.y * v[1] + n.z * v[2]) / 3;
        }
        out[2 * p->of_face[f]] += flux;
    }
    for (int i = 0; i < p->mesh->face_count; i++)
        if (p->areas[i] > 0) out[2 * i] /= p->areas[i];
}
