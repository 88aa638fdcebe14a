// SPDX-License-Identifier: MIT
// Sharp edges and corners of a surface. An edge is sharp if its faces turn by more than 40 degrees; a corner is where
// other than two sharp edges meet, or two that turn as much. Chains too small for the lattice are left out, and all of
// them if there are more than a lattice could follow (a rough scan).
#include "fill.h"
#include <stdlib.h>

static const double SHARP = 0.766;         // cosine of 40 degrees
static const double LEAST_EXTENT = 2;      // of a chain of sharp edges, in cells
static const double GREATEST_DENSITY = 2;  // length of sharp edges per area, per cell

typedef struct Edge
{
    int v[2];  // v[0] < v[1]
    int face;
    int way;  // 1 if the face runs from v[0] to v[1], else -1
} Edge;

static int compare_edges(const void* a, const void* b)
{
    const Edge *s = a, *t = b;
    if (s->v[0] != t->v[0]) return s->v[0] < t->v[0] ? -1 : 1;
    if (s->v[1] != t->v[1]) return s->v[1] < t->v[1] ? -1 : 1;
    return (s->face > t->face) - (s->face < t->face);
}

static Edge* list_edges(const twMesh* mesh)
{
    Edge* edges = malloc(3 * (size_t)mesh->face_count * sizeof *edges);
    for (int i = 0; edges && i < 3 * mesh->face_count; i++)
    {
        const int* v = mesh->faces[i / 3].v;
        int a = v[i % 3], b = v[(i + 1) % 3];
        edges[i] = a < b ? (Edge){{a, b}, i / 3, 1} : (Edge){{b, a}, i / 3, -1};
    }
    if (edges) qsort(edges, 3 * (size_t)mesh->face_count, sizeof *edges, compare_edges);
    return edges;
}

static twVec3 normal_of(const twMesh* mesh, int face)
{
    const int* v = mesh->faces[face].v;
    twVec3 a = mesh->vertices[v[0]];
    return tw_vec3_normalize(tw_vec3_cross(tw_vec3_sub(mesh->vertices[v[1]], a), tw_vec3_sub(mesh->vertices[v[2]], a)));
}

static bool is_sharp(const twMesh* mesh, const Edge* one, const Edge* two)
{
    double cosine = tw_vec3_dot(normal_of(mesh, one->face), normal_of(mesh, two->face));
    return (one->way == two->way ? -cosine : cosine) < SHARP;
}

// number of entries of the edge at i
static int uses(const Edge* edges, int i, int count)
{
    int n = 1;
    while (i + n < count && edges[i + n].v[0] == edges[i].v[0] && edges[i + n].v[1] == edges[i].v[1]) n++;
    return n;
}

static int find_root(int* parent, int i)
{
    while (parent[i] != i)
    {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// ---- stages, each with scratch of its own; false without memory ----

// all sharp edges; patch holds the faces for now
static bool list_segments(FillFeatures* f, const Edge* edges)
{
    int count = 3 * f->mesh->face_count, capacity = 0;
    for (int i = 0, n; i < count; i += n)
    {
        n = uses(edges, i, count);
        if (n != 2 || !is_sharp(f->mesh, &edges[i], &edges[i + 1])) continue;
        if (!fill_reserve((void**)&f->segments, &capacity, f->segment_count + 1, sizeof *f->segments)) return false;
        f->segments[f->segment_count++] =
            (FillSegment){{edges[i].v[0], edges[i].v[1]}, {edges[i].face, edges[i + 1].face}, -1};
    }
    return true;
}

static double length_of(const FillFeatures* f, const FillSegment* s)
{
    return tw_vec3_norm(tw_vec3_sub(f->mesh->vertices[s->v[1]], f->mesh->vertices[s->v[0]]));
}

// chains are trees of vertices joined by segments; short ones go
static bool drop_short(FillFeatures* f, double area)
{
    int* parent = malloc((size_t)f->mesh->vertex_count * sizeof *parent);
    double* length = calloc((size_t)f->mesh->vertex_count, sizeof *length);
    double total = 0;
    int kept = 0;
    bool done = parent && length;
    for (int i = 0; done && i < f->mesh->vertex_count; i++) parent[i] = i;
    for (int i = 0; done && i < f->segment_count; i++)
        parent[find_root(parent, f->segments[i].v[0])] = find_root(parent, f->segments[i].v[1]);
    for (int i = 0; done && i < f->segment_count; i++)
        length[find_root(parent, f->segments[i].v[0])] += length_of(f, &f->segments[i]);
    for (int i = 0; done && i < f->segment_count; i++)
    {
        if (length[find_root(parent, f->segments[i].v[0])] < LEAST_EXTENT * f->cell) continue;
        total += length_of(f, &f->segments[i]);
        f->segments[kept++] = f->segments[i];
    }
    f->segment_count = total * f->cell > GREATEST_DENSITY * area ? 0 : kept;
    free(parent);
    free(length);
    return done;
}

// faces joined across edges that are not sharp make a patch; short chains divide too, or a small hole would join the two
// sides of a plate
static bool make_patches(FillFeatures* f, const Edge* edges)
{
    int count = 3 * f->mesh->face_count;
    int* parent = malloc((size_t)f->mesh->face_count * sizeof *parent);
    f->patch_of_face = parent;
    if (!parent) return false;
    for (int i = 0; i < f->mesh->face_count; i++) parent[i] = i;
    for (int i = 0, n; i < count; i += n)
    {
        n = uses(edges, i, count);
        if (n == 2 && !is_sharp(f->mesh, &edges[i], &edges[i + 1]))
            parent[find_root(parent, edges[i].face)] = find_root(parent, edges[i + 1].face);
    }
    for (int i = 0; i < f->mesh->face_count; i++) parent[i] = find_root(parent, i);
    for (int i = 0; i < f->segment_count; i++)
        for (int k = 0; k < 2; k++) f->segments[i].patch[k] = parent[f->segments[i].patch[k]];
    return true;
}

// do two segments that meet at a vertex go on in about the same direction?
static bool goes_on(const FillFeatures* f, int one, int two, int vertex)
{
    twVec3 ways[2];
    for (int k = 0; k < 2; k++)
    {
        const FillSegment* s = &f->segments[k ? two : one];
        int other = s->v[0] == vertex ? s->v[1] : s->v[0];
        ways[k] = tw_vec3_normalize(tw_vec3_sub(f->mesh->vertices[other], f->mesh->vertices[vertex]));
    }
    return -tw_vec3_dot(ways[0], ways[1]) > SHARP;
}

// curves join segments through vertices that are no corners
static bool make_curves(FillFeatures* f)
{
    int vertices = f->mesh->vertex_count, *parent = malloc(((size_t)f->segment_count + 1) * sizeof *parent);
    int* degree = calloc((size_t)vertices, sizeof *degree);
    int(*ends)[2] = calloc((size_t)vertices, sizeof *ends);
    f->corners = malloc(2 * ((size_t)f->segment_count + 1) * sizeof *f->corners);
    bool done = parent && degree && ends && f->corners;
    for (int i = 0; done && i < f->segment_count; i++)
    {
        parent[i] = i;
        for (int k = 0; k < 2; k++)
        {
            int v = f->segments[i].v[k];
            if (degree[v] < 2) ends[v][degree[v]] = i;
            degree[v]++;
        }
    }
    for (int v = 0; done && v < vertices; v++)
    {
        if (degree[v] == 2 && goes_on(f, ends[v][0], ends[v][1], v))
            parent[find_root(parent, ends[v][0])] = find_root(parent, ends[v][1]);
        else if (degree[v] >= 2)
            f->corners[f->corner_count++] = v;
    }
    for (int i = 0; done && i < f->segment_count; i++) f->segments[i].curve = find_root(parent, i);
    free(parent);
    free(degree);
    free(ends);
    return done;
}

// patches around every corner, one entry per face
static bool list_corner_patches(FillFeatures* f)
{
    int* corner_of = malloc((size_t)f->mesh->vertex_count * sizeof *corner_of);
    f->corner_first = calloc((size_t)f->corner_count + 2, sizeof *f->corner_first);
    f->corner_patches = malloc(3 * (size_t)f->mesh->face_count * sizeof *f->corner_patches);
    bool done = corner_of && f->corner_first && f->corner_patches;
    for (int i = 0; done && i < f->mesh->vertex_count; i++) corner_of[i] = -1;
    for (int i = 0; done && i < f->corner_count; i++) corner_of[f->corners[i]] = i;
    for (int i = 0; done && i < 3 * f->mesh->face_count; i++)
    {
        int corner = corner_of[f->mesh->faces[i / 3].v[i % 3]];
        if (corner >= 0) f->corner_first[corner + 2]++;
    }
    for (int i = 2; done && i < f->corner_count + 2; i++) f->corner_first[i] += f->corner_first[i - 1];
    for (int i = 0; done && i < 3 * f->mesh->face_count; i++)
    {
        int corner = corner_of[f->mesh->faces[i / 3].v[i % 3]];
        if (corner >= 0) f->corner_patches[f->corner_first[corner + 1]++] = f->patch_of_face[i / 3];
    }
    free(corner_of);
    return done;
}

static bool fill_places(FillFeatures* f)
{
    enum
    {
        MOST = 1 << 23
    };
    f->grid.edge = 1.5 * f->cell;
    for (int i = 0; i < f->segment_count; i++)
    {
        twVec3 a = f->mesh->vertices[f->segments[i].v[0]], b = f->mesh->vertices[f->segments[i].v[1]];
        double steps = ceil(2 * length_of(f, &f->segments[i]) / f->cell) + 1;
        if (steps + f->grid.count > MOST) return false;
        for (int k = 0; k <= (int)steps; k++)
            if (!fill_grid_add(&f->grid, tw_vec3_add_scaled(a, tw_vec3_sub(b, a), k / steps), i)) return false;
    }
    return true;
}

// ---- the whole ----

twStatus fill_features_create(FillFeatures* features, const twMesh* mesh, double cell, double area, twError* err)
{
    *features = (FillFeatures){.mesh = mesh, .cell = cell};
    Edge* edges = list_edges(mesh);
    bool done = edges && list_segments(features, edges) && drop_short(features, area) &&
                make_patches(features, edges) && make_curves(features) && list_corner_patches(features) &&
                fill_places(features);
    free(edges);
    if (done) return TW_OK;
    fill_features_free(features);
    return tw_fail(err, TW_NO_MEMORY, "fill: no memory for the sharp edges of %d faces", mesh->face_count);
}

void fill_features_free(FillFeatures* features)
{
    free(features->patch_of_face);
    free(features->segments);
    free(features->corners);
    free(features->corner_first);
    free(features->corner_patches);
    fill_grid_free(&features->grid);
    *features = (FillFeatures){0};
}

static twVec3 nearest_on(const FillFeatures* f, const FillSegment* s, twVec3 p)
{
    twVec3 a = f->mesh->vertices[s->v[0]], way = tw_vec3_sub(f->mesh->vertices[s->v[1]], a);
    double t = tw_vec3_dot(tw_vec3_sub(p, a), way) / tw_vec3_dot(way, way);
    return tw_vec3_add_scaled(a, way, fmin(fmax(t, 0), 1));
}

static bool is_wanted(const FillSegment* s, FillWanted wanted)
{
    if (wanted.curve >= 0 && s->curve != wanted.curve) return false;
    if (wanted.patch >= 0 && s->patch[0] != wanted.patch && s->patch[1] != wanted.patch) return false;
    return wanted.other < 0 || s->patch[s->patch[0] == wanted.patch] == wanted.other;
}

int fill_features_nearest(const FillFeatures* features, twVec3 point, FillWanted wanted, twVec3* nearest,
                          double* distance)
{
    int best = -1;
    *distance = features->cell;
    for (int k = 0; k < 27; k++)
        for (int link = fill_grid_around(&features->grid, point, k); link >= 0; link = features->grid.links[link][1])
        {
            int index = features->grid.links[link][0];
            const FillSegment* s = &features->segments[index];
            if (!is_wanted(s, wanted)) continue;
            twVec3 foot = nearest_on(features, s, point);
            double d = tw_vec3_norm(tw_vec3_sub(foot, point));
            if (d > *distance || (d == *distance && index >= best && best >= 0)) continue;
            best = index;
            *distance = d;
            *nearest = foot;
        }
    return best;
}
