// SPDX-License-Identifier: MIT
// Cracks: borders that should be one and are not. Two kinds are closed, both at edges of one face only, so that a sound
// surface is left alone.
//
// Vertices of borders become one if they are nearer than 1e-3 of the size and a fifth of the shortest edge at either: then
// no face can collapse. Where vertex c of a border lies on a border edge a b of another face (a T-junction, as left by
// boolean operations), nearer than 1e-4 of the size and a tenth of the distance to either end, that face is split at c:
//
//     a----c----b           a----c----b
//      \       /     ->      \   |   /
//         \ /                   \|/
//          d                     d
#include "mesh/mend.h"
#include "mesh/tree.h"
#include <stdlib.h>
#include <string.h>

static const double WIDEST = 1e-3;        // distance of vertices that are joined, of the size
static const double EDGE_SHARE = 0.2;     // the same, of the shortest edge there
static const double WIDEST_T = 1e-4;      // distance of a vertex from an edge that is split, of the size
static const double EDGE_SHARE_T = 0.1;   // the same, of the distance to the edge's ends
static const double FINEST = 1e-9;        // joining begins here, of the size: what is nearest comes first
static const double FACTOR = 31.6227766;  // and goes on so much wider

enum
{
    MAX_ROUNDS = 8,
    HOPELESS = 10000  // vertices
};

// ---- vertices of borders ----

typedef struct Border
{
    int* vertices;  // (count) of edges of one face
    int count;
    double* room;  // (vertices of the mesh) shortest edge at each
} Border;

static void border_free(Border* border)
{
    free(border->vertices);
    free(border->room);
}

static bool border_find(Border* border, const twMesh* mesh, const twEdges* edges)
{
    size_t vertices = (size_t)mesh->vertex_count + 1;
    unsigned char* marked = calloc(vertices, 1);
    *border = (Border){malloc(vertices * sizeof *border->vertices), 0, malloc(vertices * sizeof *border->room)};
    bool fine = marked && border->vertices && border->room;
    for (int v = 0; fine && v < mesh->vertex_count; v++) border->room[v] = HUGE_VAL;
    for (int e = 0; fine && e < edges->count; e++)
    {
        const int* end = edges->ends[e];
        double length = tw_vec3_norm(tw_vec3_sub(mesh->vertices[end[0]], mesh->vertices[end[1]]));
        for (int k = 0; k < 2; k++)
        {
            border->room[end[k]] = fmin(border->room[end[k]], length);
            if (tw_edges_faces(edges, e) != 1 || marked[end[k]]) continue;
            marked[end[k]] = 1;
            border->vertices[border->count++] = end[k];
        }
    }
    free(marked);
    if (!fine) border_free(border);
    return fine;
}

// Join the vertices of borders within a distance, the first of them stays. target[v] gets what v becomes. @return how many
// are joined, -1 without memory
static int join_within(const twMesh* mesh, const Border* border, double distance, int* target, int* first_of)
{
    // the points alone, as a mesh without faces
    twVec3* points = malloc(((size_t)border->count + 1) * sizeof *points);
    if (!points) return -1;
    for (int i = 0; i < border->count; i++) points[i] = mesh->vertices[border->vertices[i]];
    twMesh cloud = {border->count, 0, points, NULL, NULL};
    int joined = tw_merge_vertices(first_of, &cloud, distance) < 0 ? -1 : 0;
    for (int i = 0; joined >= 0 && i < border->count; i++)
    {
        int v = border->vertices[i], to = border->vertices[first_of[i]];
        bool tight = distance > EDGE_SHARE * fmin(border->room[v], border->room[to]);
        if (v == to || tight) continue;
        target[v] = to;
        joined++;
    }
    free(points);
    return joined;
}

// one distance: borders as they are now. @return vertices joined, -1 without memory
static int join_round(twMesh* mesh, double distance, int* target, int* first_of, bool* open)
{
    twEdges* edges;
    Border border;
    if (tw_edges_create(&edges, mesh, NULL) != TW_OK) return -1;
    bool fine = border_find(&border, mesh, edges);
    tw_edges_destroy(edges);
    if (!fine) return -1;
    *open = border.count > 0;
    for (int v = 0; v < mesh->vertex_count; v++) target[v] = v;
    int joined = *open ? join_within(mesh, &border, distance, target, first_of) : 0;
    for (int i = 0; joined > 0 && i < 3 * mesh->face_count; i++)
        mesh->faces[i / 3].v[i % 3] = target[mesh->faces[i / 3].v[i % 3]];
    border_free(&border);
    return joined;
}

static int join_borders(twMesh* mesh, double size)
{
    size_t bytes = ((size_t)mesh->vertex_count + 1) * sizeof(int);
    int *target = malloc(bytes), *first_of = malloc(bytes), total = target && first_of ? 0 : -1;
    bool open = true;
    for (double d = FINEST; total >= 0 && open && d <= 1.001 * WIDEST; d *= FACTOR)
    {
        int joined = join_round(mesh, d * size, target, first_of, &open);
        total = joined < 0 ? -1 : total + joined;
    }
    free(target);
    free(first_of);
    return total;
}

// ---- vertices on edges ----

// vertex on border edge, at a fraction of the way along side of the face
typedef struct Touch
{
    int face, side, vertex;
    double t;
} Touch;

typedef struct Search
{
    const twMesh* mesh;
    const twEdges* edges;
    const int* open;  // (faces of the tree) edges of one face
    const twTree* tree;
    double reach;
    Touch* touches;
    int count, capacity;
    int64_t steps_left;  // crowded borders must not make this endless
} Search;

static int compare_touches(const void* a, const void* b)
{
    const Touch *s = a, *t = b;
    if (s->face != t->face) return s->face < t->face ? -1 : 1;
    if (s->side != t->side) return s->side < t->side ? -1 : 1;
    if (s->t != t->t) return s->t < t->t ? -1 : 1;
    return (s->vertex > t->vertex) - (s->vertex < t->vertex);
}

// note vertex c if it lies on the edge. @return false without memory
static bool test_edge(Search* search, int edge, int c)
{
    int use = search->edges->uses[search->edges->start[edge]], f = use / 3, i = use % 3;
    const int* v = search->mesh->faces[f].v;
    int a = v[i], b = v[(i + 1) % 3];
    if (c == v[0] || c == v[1] || c == v[2]) return true;
    twVec3 from = search->mesh->vertices[a], p = search->mesh->vertices[c];
    twVec3 way = tw_vec3_sub(search->mesh->vertices[b], from);
    double length = tw_vec3_norm(way), t = tw_vec3_dot(tw_vec3_sub(p, from), way) / (length * length);
    double gap = tw_vec3_norm(tw_vec3_sub(p, tw_vec3_add_scaled(from, way, t)));
    if (!(t > 0 && t < 1 && gap <= fmin(search->reach, EDGE_SHARE_T * length * fmin(t, 1 - t)))) return true;
    if (search->count == search->capacity)
    {
        int capacity = 2 * search->capacity + 64;
        Touch* touches = realloc(search->touches, (size_t)capacity * sizeof *touches);
        if (!touches) return false;
        search->touches = touches;
        search->capacity = capacity;
    }
    search->touches[search->count++] = (Touch){f, i, c, t};
    return true;
}

static bool is_near(const twTreeNode* node, twVec3 p, double reach)
{
    return node->low.x <= p.x + reach && node->high.x >= p.x - reach && node->low.y <= p.y + reach &&
           node->high.y >= p.y - reach && node->low.z <= p.z + reach && node->high.z >= p.z - reach;
}

static bool search_edges(Search* search, int vertex)
{
    int stack[TW_TREE_DEPTH], depth = 0;
    bool fine = true;
    stack[depth++] = 0;
    while (fine && depth > 0 && search->steps_left-- > 0)
    {
        int i = stack[--depth];
        const twTreeNode* node = &search->tree->nodes[i];
        if (!is_near(node, search->mesh->vertices[vertex], search->reach)) continue;
        if (node->right > 0)
        {
            stack[depth++] = node->right;
            stack[depth++] = i + 1;
            continue;
        }
        for (int k = node->first; fine && k < node->first + node->count; k++)
            fine = test_edge(search, search->open[search->tree->order[k]], vertex);
    }
    return fine;
}

// all places where a vertex of a border lies on an edge of a border. @return false without memory
static bool find_touches(Search* search, const Border* border)
{
    const twEdges* edges = search->edges;
    int count = 0, *open = malloc(((size_t)edges->count + 1) * sizeof *open);
    for (int e = 0; open && e < edges->count; e++)
        if (tw_edges_faces(edges, e) == 1) open[count++] = e;
    twVec3* corners = open ? malloc(3 * ((size_t)count + 1) * sizeof *corners) : NULL;
    for (int i = 0; corners && i < 3 * count; i++)
        corners[i] = search->mesh->vertices[edges->ends[open[i / 3]][i % 3 == 0]];
    twTree* tree = NULL;
    bool fine = corners && tw_tree_create(&tree, corners, count, 4, NULL) == TW_OK;
    search->open = open;
    search->tree = tree;
    for (int i = 0; fine && i < border->count; i++) fine = search_edges(search, border->vertices[i]);
    tw_tree_destroy(tree);
    free(corners);
    free(open);
    return fine;
}

// split a face at the vertices of touches first to end, all on one side of it: a fan about the corner opposite
static void split_face(twMesh* mesh, const Touch* touches, int count)
{
    int f = touches[0].face, side = touches[0].side;
    const twTriangle face = mesh->faces[f];
    int last = face.v[side], b = face.v[(side + 1) % 3], d = face.v[(side + 2) % 3];
    for (int k = 0; k <= count; k++)
    {
        int next = k < count ? touches[k].vertex : b;
        if (next == last) continue;
        int place = k == 0 ? f : mesh->face_count++;
        mesh->faces[place] = (twTriangle){{last, next, d}};
        if (mesh->regions) mesh->regions[place] = mesh->regions[f];
        last = next;
    }
}

static bool make_room(twMesh* mesh, int more)
{
    size_t wanted = (size_t)mesh->face_count + (size_t)more + 1;
    twTriangle* faces = realloc(mesh->faces, wanted * sizeof *faces);
    if (faces) mesh->faces = faces;
    int* regions = mesh->regions && faces ? realloc(mesh->regions, wanted * sizeof *regions) : NULL;
    if (regions) mesh->regions = regions;
    return faces && (regions || !mesh->regions);
}

// split faces, each at one side: the others' turn comes in the next round. @return how many, -1 without memory
static int apply_touches(twMesh* mesh, Touch* touches, int count)
{
    int split = 0, done = -1;
    if (count > 0) qsort(touches, (size_t)count, sizeof *touches, compare_touches);
    if (count > INT32_MAX / 4 - mesh->face_count || !make_room(mesh, count)) return -1;
    for (int i = 0, n; i < count; i += n)
    {
        for (n = 1; i + n < count && touches[i + n].face == touches[i].face && touches[i + n].side == touches[i].side;)
            n++;
        if (touches[i].face == done) continue;
        done = touches[i].face;
        split_face(mesh, touches + i, n);
        split++;
    }
    return split;
}

// nearly all vertices of a large mesh on borders: triangles that never were a surface, not worth the search
static bool is_hopeless(const Border* border, const twMesh* mesh)
{
    return border->count > HOPELESS && border->count > mesh->vertex_count / 2;
}

// one round of splitting. @return how many faces, -1 without memory
static int split_round(twMesh* mesh, double size, int64_t* steps_left)
{
    twEdges* edges;
    Border border;
    if (tw_edges_create(&edges, mesh, NULL) != TW_OK) return -1;
    int split = -1;
    if (border_find(&border, mesh, edges))
    {
        Search search = {.mesh = mesh, .edges = edges, .reach = WIDEST_T * size, .steps_left = *steps_left};
        if (border.count == 0 || is_hopeless(&border, mesh))
            split = 0;
        else if (find_touches(&search, &border))
            split = apply_touches(mesh, search.touches, search.count);
        *steps_left = search.steps_left;
        free(search.touches);
        border_free(&border);
    }
    tw_edges_destroy(edges);
    return split;
}

// ---- the whole ----

twStatus tw_stitch_cracks(twMesh* mesh, int* joined, int* split, twError* err)
{
    twVec3 low, high;
    *joined = *split = 0;
    if (mesh->face_count == 0 || !tw_mesh_box(mesh, &low, &high)) return TW_OK;
    double size = tw_vec3_norm(tw_vec3_sub(high, low));
    *joined = join_borders(mesh, size);
    int changed = *joined < 0 ? -1 : 1;
    int64_t steps_left = 10000000 + 100 * (int64_t)mesh->face_count;
    for (int round = 0; round < MAX_ROUNDS && changed > 0 && steps_left > 0; round++)
    {
        changed = split_round(mesh, size, &steps_left);
        if (changed > 0) *split += changed;
    }
    return changed < 0 ? tw_fail(err, TW_NO_MEMORY, "no memory to close the cracks of %d faces", mesh->face_count)
                       : TW_OK;
}
