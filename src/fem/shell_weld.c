// SPDX-License-Identifier: MIT
// Parts of a surface that share no vertex but touch, such as the spout of a teapot, are welded.
// Where an edge passes through a face of another part, the two points are tied: a seam along the
// line where the parts cross. Parts that do not cross but are nearer to each other than the
// thickness, so that their walls overlap, are tied at each vertex that is so near to the other.
#include "fem/shell_weld.h"
#include "fem/shell_surface.h"
#include "mesh/edges.h"
#include "mesh/tree.h"
#include <stdlib.h>
#include <string.h>

enum
{
    SHELL_WELD_PARTS_MAX = 2000,
    SHELL_WELD_TIES_MAX = 4  // per vertex, on the mean: parts that cross everywhere need no more
};

// one search
typedef struct ShellWeldSearch
{
    const twMesh* mesh;
    double reach;  // [m]
    int* part;     // (vertices) its part
    twTree* tree;
    ShellWeld* out;
    int room;       // for ties
    bool* crossed;  // (parts x parts) whether an edge of one passes through the other
} ShellWeldSearch;

// ---- parts ----

// part: (vertices) number of the part of each vertex that a face has. @return how many; -1: no
// memory
static int shell_weld_parts(int* part, const twMesh* mesh)
{
    int count = 0;
    int* parent = malloc((size_t)mesh->vertex_count * sizeof *parent);
    if (!parent) return -1;
    for (int v = 0; v < mesh->vertex_count; v++) parent[v] = v, part[v] = -1;
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 1; i < 3; i++) tw_union_join(parent, mesh->faces[f].v[0], mesh->faces[f].v[i]);
    for (int c = 0; c < 3 * mesh->face_count; c++)
    {
        const int v = mesh->faces[c / 3].v[c % 3], root = tw_union_root(parent, v);
        if (part[root] < 0) part[root] = count++;
        part[v] = part[root];
    }
    free(parent);
    return count;
}

// ---- ties ----

static bool shell_weld_grow(ShellWeldSearch* search)
{
    if (search->out->tie_count < search->room) return true;
    const int room = 2 * search->room + 64;
    ShellTie* ties = realloc(search->out->ties, (size_t)room * sizeof *ties);
    if (!ties) return false;
    search->out->ties = ties;
    search->room = room;
    return true;
}

// a vertex of a tie: the point q of what it belongs to, the common point p
static void shell_weld_vertex(const twMesh* mesh, ShellTie* tie, int vertex, double weight, twVec3 q, twVec3 p)
{
    const int i = tie->count++;
    tie->vertex[i] = vertex;
    tie->weight[i] = weight;
    tie->arm[i] = tw_vec3_add_scaled(tw_vec3_sub(p, q), tw_vec3_sub(q, mesh->vertices[vertex]), 0.5);
}

// tie the point (1 - s) a + s b of an edge, or the vertex a, to the point q of a face
static bool shell_weld_tie(ShellWeldSearch* search, int a, int b, double s, int face, twVec3 q)
{
    const twMesh* mesh = search->mesh;
    if (search->out->tie_count >= SHELL_WELD_TIES_MAX * mesh->vertex_count) return true;
    if (!shell_weld_grow(search)) return false;
    ShellTie* tie = &search->out->ties[search->out->tie_count++];
    *tie = (ShellTie){0};
    const twVec3 at = tw_vec3_add_scaled(mesh->vertices[a], tw_vec3_sub(mesh->vertices[b], mesh->vertices[a]), s);
    const twVec3 p = tw_vec3_scale(tw_vec3_add(at, q), 0.5);
    shell_weld_vertex(mesh, tie, a, 1 - s, at, p);
    if (b != a) shell_weld_vertex(mesh, tie, b, s, at, p);
    twVec3 x[3];
    double weight[3];
    for (int i = 0; i < 3; i++) x[i] = mesh->vertices[mesh->faces[face].v[i]];
    shell_barycentric(weight, x, q);
    for (int i = 0; i < 3; i++) shell_weld_vertex(mesh, tie, mesh->faces[face].v[i], -weight[i], q, p);
    return true;
}

// ---- the search ----

static bool shell_weld_apart(const twTreeNode* node, twVec3 low, twVec3 high)
{
    return node->low.x > high.x || node->high.x < low.x || node->low.y > high.y || node->high.y < low.y ||
           node->low.z > high.z || node->high.z < low.z;
}

// faces of other parts than this whose boxes meet a box: calls visit for each
typedef bool (*ShellWeldVisit)(ShellWeldSearch* search, int face, void* context);
static bool shell_weld_visit(ShellWeldSearch* search, twVec3 low, twVec3 high, int part, ShellWeldVisit visit,
                             void* context)
{
    const twTree* tree = search->tree;
    int stack[TW_TREE_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0)
    {
        const int at = stack[--depth];
        const twTreeNode* node = &tree->nodes[at];
        if (shell_weld_apart(node, low, high)) continue;
        if (node->right)
        {
            stack[depth++] = node->right;
            stack[depth++] = at + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++)
        {
            const int face = tree->order[i];
            if (search->part[search->mesh->faces[face].v[0]] == part) continue;
            if (!visit(search, face, context)) return false;
        }
    }
    return true;
}

// the nearest point so far
typedef struct ShellWeldNearest
{
    twVec3 from, point;
    double distance;
    int face;
    int part;  // where from
} ShellWeldNearest;

static bool shell_weld_nearest(ShellWeldSearch* search, int face, void* context)
{
    ShellWeldNearest* best = context;
    if (search->crossed[best->part * search->out->parts + search->part[search->mesh->faces[face].v[0]]]) return true;
    twVec3 x[3];
    for (int i = 0; i < 3; i++) x[i] = search->mesh->vertices[search->mesh->faces[face].v[i]];
    const twVec3 q = tw_triangle_nearest(x, best->from);
    const double distance = tw_vec3_norm(tw_vec3_sub(q, best->from));
    if (distance < best->distance) *best = (ShellWeldNearest){best->from, q, distance, face, best->part};
    return true;
}

static bool shell_weld_vertices(ShellWeldSearch* search)
{
    const twMesh* mesh = search->mesh;
    bool* done = calloc((size_t)mesh->vertex_count, sizeof *done);
    bool good = done != NULL;
    for (int c = 0; good && c < 3 * mesh->face_count; c++)
    {
        const int v = mesh->faces[c / 3].v[c % 3];
        if (done[v]) continue;
        done[v] = true;
        const twVec3 x = mesh->vertices[v], r = tw_vec3(search->reach, search->reach, search->reach);
        ShellWeldNearest best = {x, x, search->reach, -1, search->part[v]};
        shell_weld_visit(search, tw_vec3_sub(x, r), tw_vec3_add(x, r), search->part[v], shell_weld_nearest, &best);
        if (best.face >= 0) good = shell_weld_tie(search, v, v, 0, best.face, best.point);
    }
    free(done);
    return good;
}

// where the edge from a to b passes through a face: x = a + s (b - a), by the signed volumes on
// both sides
static bool shell_weld_cross(ShellWeldSearch* search, int face, void* context)
{
    const int *edge = context, *v = search->mesh->faces[face].v;
    const twVec3* x = search->mesh->vertices;
    const twVec3 a = x[edge[0]], d = tw_vec3_sub(x[edge[1]], a);
    const twVec3 e1 = tw_vec3_sub(x[v[1]], x[v[0]]), e2 = tw_vec3_sub(x[v[2]], x[v[0]]);
    const twVec3 n = tw_vec3_cross(e1, e2), from = tw_vec3_sub(a, x[v[0]]);
    const double along = tw_vec3_dot(n, d);
    if (along == 0) return true;
    const double s = -tw_vec3_dot(n, from) / along;
    if (!(s >= 0 && s <= 1)) return true;
    const twVec3 p = tw_vec3_add_scaled(a, d, s);
    double weight[3];
    shell_barycentric(weight, (const twVec3[3]){x[v[0]], x[v[1]], x[v[2]]}, p);
    if (weight[0] < 0 || weight[1] < 0 || weight[2] < 0) return true;
    const int i = search->part[edge[0]], j = search->part[v[0]], parts = search->out->parts;
    search->crossed[i * parts + j] = search->crossed[j * parts + i] = true;
    return shell_weld_tie(search, edge[0], edge[1], s, face, p);
}

static bool shell_weld_edges(ShellWeldSearch* search)
{
    const twMesh* mesh = search->mesh;
    twEdges* edges;
    if (tw_edges_create(&edges, mesh, NULL) != TW_OK) return false;
    bool good = true;
    for (int e = 0; good && e < edges->count; e++)
    {
        const twVec3 a = mesh->vertices[edges->ends[e][0]], b = mesh->vertices[edges->ends[e][1]];
        const twVec3 low = tw_vec3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
        const twVec3 high = tw_vec3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
        good = shell_weld_visit(search, low, high, search->part[edges->ends[e][0]], shell_weld_cross, edges->ends[e]);
    }
    tw_edges_destroy(edges);
    return good;
}

static bool shell_weld_tree(ShellWeldSearch* search)
{
    const twMesh* mesh = search->mesh;
    twVec3* corners = malloc(3 * (size_t)mesh->face_count * sizeof *corners);
    if (!corners) return false;
    for (int c = 0; c < 3 * mesh->face_count; c++) corners[c] = mesh->vertices[mesh->faces[c / 3].v[c % 3]];
    const twStatus status = tw_tree_create(&search->tree, corners, mesh->face_count, 4, NULL);
    free(corners);
    return status == TW_OK;
}

twStatus shell_weld(ShellWeld* out, const twMesh* mesh, double thickness, twError* err)
{
    *out = (ShellWeld){0};
    ShellWeldSearch search = {.mesh = mesh, .reach = thickness, .out = out};
    search.part = malloc((size_t)mesh->vertex_count * sizeof *search.part);
    out->parts = search.part ? shell_weld_parts(search.part, mesh) : -1;
    const size_t parts = out->parts > 0 ? (size_t)out->parts : 0;
    bool good = parts > 0;
    if (parts > 1 && parts <= SHELL_WELD_PARTS_MAX)
    {
        search.crossed = calloc(parts * parts, sizeof *search.crossed);
        good = search.crossed && shell_weld_tree(&search) && shell_weld_edges(&search) && shell_weld_vertices(&search);
    }
    tw_tree_destroy(search.tree);
    free(search.part);
    free(search.crossed);
    if (good) return TW_OK;
    free(out->ties);
    *out = (ShellWeld){0};
    return tw_fail(err, TW_NO_MEMORY, "no memory for the parts of %d faces", mesh->face_count);
}
