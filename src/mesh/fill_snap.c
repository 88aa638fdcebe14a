// SPDX-License-Identifier: MIT
// Nodes onto sharp edges and corners. Every boundary node belongs to the patches it lies on: one, two on a sharp edge,
// more at a corner. A boundary edge whose ends have no patch in common cuts across a sharp edge: the end nearer to it
// moves onto it, if its tets allow. So sharp edges become chains of mesh edges (the idea: C. Doran, "Isosurface stuffing
// improved", University of British Columbia, 2013).
#include "fill.h"
#include <stdlib.h>
#include <string.h>

static const double ON_FEATURE = 1e-6;  // in cells
static const double TAKEN = 0.05;       // so near to a target, in cells, another node has it

// ---- what nodes are ----

static void set_on_segment(FillNode* node, const FillFeatures* features, int segment)
{
    const FillSegment* s = &features->segments[segment];
    *node = (FillNode){.kind = FILL_CURVE, .patch = {s->patch[0], s->patch[1]}, .curve = s->curve, .corner = -1};
}

// corner at a vertex of the surface, -1: none; corners are in order
static int corner_at(const FillFeatures* features, int vertex)
{
    int low = 0, high = features->corner_count;
    while (low < high)
    {
        int middle = (low + high) / 2;
        if (features->corners[middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < features->corner_count && features->corners[low] == vertex ? low : -1;
}

static FillNode boundary_node(const FillShape* shape, twVec3 point)
{
    FillNode node = {.kind = FILL_FREE, .patch = {-1, -1}, .curve = -1, .corner = -1};
    twVec3 nearest;
    int face;
    double distance = tw_winding_nearest(shape->field->winding, point, &nearest, &face);
    if (face < 0 || distance > 1e-3 * shape->cell) return node;
    node.kind = FILL_PATCH;
    node.patch[0] = node.patch[1] = shape->features->patch_of_face[face];
    int segment = fill_features_nearest(shape->features, point, FILL_ANY, &nearest, &distance);
    if (segment < 0 || distance > ON_FEATURE * shape->cell) return node;
    set_on_segment(&node, shape->features, segment);
    for (int k = 0; k < 2; k++)
    {
        int vertex = shape->features->segments[segment].v[k], corner = corner_at(shape->features, vertex);
        twVec3 end = shape->features->mesh->vertices[vertex];
        if (corner < 0 || tw_vec3_norm(tw_vec3_sub(end, point)) > ON_FEATURE * shape->cell) continue;
        node.kind = FILL_CORNER;
        node.corner = corner;
    }
    return node;
}

static bool list_stars(FillShape* shape)
{
    const FillMesh* mesh = shape->mesh;
    shape->first = calloc((size_t)mesh->node_count + 2, sizeof *shape->first);
    shape->star = malloc(4 * (size_t)mesh->tet_count * sizeof *shape->star + 1);
    if (!shape->first || !shape->star) return false;
    for (int i = 0; i < 4 * mesh->tet_count; i++) shape->first[mesh->tets[i / 4].n[i % 4] + 2]++;
    for (int i = 2; i < mesh->node_count + 2; i++) shape->first[i] += shape->first[i - 1];
    for (int i = 0; i < 4 * mesh->tet_count; i++) shape->star[shape->first[mesh->tets[i / 4].n[i % 4] + 1]++] = i / 4;
    return true;
}

static int compare_pairs(const void* a, const void* b)
{
    const int *s = a, *t = b;
    if (s[0] != t[0]) return s[0] < t[0] ? -1 : 1;
    return (s[1] > t[1]) - (s[1] < t[1]);
}

static bool list_boundary(FillShape* shape)
{
    const FillMesh* mesh = shape->mesh;
    int faces = 0;
    for (int i = 0; i < 4 * mesh->tet_count; i++) faces += shape->neighbours[i / 4][i % 4] < 0;
    int(*edges)[2] = malloc(3 * (size_t)faces * sizeof *edges + 1);
    if (!edges) return false;
    int count = 0, kept = 0;
    for (int i = 0; i < 4 * mesh->tet_count; i++)
    {
        if (shape->neighbours[i / 4][i % 4] >= 0) continue;
        for (int k = 0; k < 3; k++)
        {
            int a = mesh->tets[i / 4].n[(i + 1 + k) % 4], b = mesh->tets[i / 4].n[(i + 1 + (k + 1) % 3) % 4];
            edges[count][0] = a < b ? a : b;
            edges[count++][1] = a < b ? b : a;
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_pairs);
    for (int i = 0; i < count; i++)
        if (kept == 0 || compare_pairs(edges[i], edges[kept - 1]) != 0) memmove(edges[kept++], edges[i], sizeof *edges);
    shape->edges = (int*)edges;
    shape->edge_count = kept;
    return true;
}

twStatus fill_shape_create(FillShape* shape, FillMesh* mesh, const FillField* field, const FillFeatures* features,
                           twError* err)
{
    *shape = (FillShape){.mesh = mesh, .field = field, .features = features, .cell = field->cell};
    shape->nodes = calloc((size_t)mesh->node_count + 1, sizeof *shape->nodes);
    shape->neighbours = fill_neighbours(mesh->tets, mesh->tet_count);
    if (!shape->nodes || !shape->neighbours || !list_stars(shape) || !list_boundary(shape))
    {
        fill_shape_free(shape);
        return tw_fail(err, TW_NO_MEMORY, "fill: no memory to shape %d tets", mesh->tet_count);
    }
    for (int i = 0; i < 2 * shape->edge_count; i++)
    {
        FillNode* node = &shape->nodes[shape->edges[i]];
        if (node->kind == FILL_INTERIOR) *node = boundary_node(shape, mesh->nodes[shape->edges[i]]);
    }
    return TW_OK;
}

void fill_shape_free(FillShape* shape)
{
    free(shape->nodes);
    free(shape->neighbours);
    free(shape->first);
    free(shape->star);
    free(shape->edges);
    *shape = (FillShape){0};
}

double fill_shape_open(const FillShape* shape)
{
    double all = 0, open = 0;
    for (int i = 0; i < 4 * shape->mesh->tet_count; i++)
    {
        if (shape->neighbours[i / 4][i % 4] >= 0) continue;
        const int* n = shape->mesh->tets[i / 4].n;
        int corner[3] = {n[(i + 1) % 4], n[(i + 2) % 4], n[(i + 3) % 4]}, loose = 0;
        twVec3 a = shape->mesh->nodes[corner[0]], ab = tw_vec3_sub(shape->mesh->nodes[corner[1]], a);
        twVec3 ac = tw_vec3_sub(shape->mesh->nodes[corner[2]], a);
        double area = tw_vec3_norm(tw_vec3_cross(ab, ac));
        for (int k = 0; k < 3; k++) loose += shape->nodes[corner[k]].kind == FILL_FREE;
        all += area;
        open += area * loose / 3;
    }
    return all > 0 ? open / all : 0;
}

// ---- quality ----

// 6 sqrt(2) volume / (root mean square edge)^3
double fill_tet_quality(twVec3 a, twVec3 b, twVec3 c, twVec3 d)
{
    twVec3 ab = tw_vec3_sub(b, a), ac = tw_vec3_sub(c, a), ad = tw_vec3_sub(d, a);
    twVec3 bc = tw_vec3_sub(c, b), bd = tw_vec3_sub(d, b), cd = tw_vec3_sub(d, c);
    double square = (tw_vec3_dot(ab, ab) + tw_vec3_dot(ac, ac) + tw_vec3_dot(ad, ad) + tw_vec3_dot(bc, bc) +
                     tw_vec3_dot(bd, bd) + tw_vec3_dot(cd, cd)) /
                    6;
    return sqrt(2) * tw_vec3_dot(tw_vec3_cross(ab, ac), ad) / (square * sqrt(square));
}

double fill_star_quality(const FillShape* shape, int node, twVec3 point)
{
    double worst = 1;
    for (int i = shape->first[node]; i < shape->first[node + 1]; i++)
    {
        const int* n = shape->mesh->tets[shape->star[i]].n;
        twVec3 p[4];
        for (int k = 0; k < 4; k++) p[k] = n[k] == node ? point : shape->mesh->nodes[n[k]];
        double quality = fill_tet_quality(p[0], p[1], p[2], p[3]);
        if (!(quality >= worst)) worst = quality;
    }
    return worst;
}

// ---- corners ----

static bool has_patch(const FillShape* shape, const FillNode* node, int patch)
{
    if (node->kind != FILL_CORNER) return node->patch[0] == patch || node->patch[1] == patch;
    const FillFeatures* f = shape->features;
    for (int i = f->corner_first[node->corner]; i < f->corner_first[node->corner + 1]; i++)
        if (f->corner_patches[i] == patch) return true;
    return false;
}

// the nearest boundary node whose tets allow it moves to the corner
static void snap_corner(FillShape* shape, FillGrid* places, int corner, double least)
{
    twVec3 target = shape->features->mesh->vertices[shape->features->corners[corner]];
    double nearest = shape->cell;
    int best = -1;
    for (int k = 0; k < 27; k++)
        for (int link = fill_grid_around(places, target, k); link >= 0; link = places->links[link][1])
        {
            int node = places->links[link][0];
            double distance = tw_vec3_norm(tw_vec3_sub(shape->mesh->nodes[node], target));
            if (shape->nodes[node].kind == FILL_CORNER && shape->nodes[node].corner == corner) return;
            if (shape->nodes[node].kind == FILL_CORNER || distance > nearest) continue;
            if (distance == nearest && node > best && best >= 0) continue;
            if (fill_star_quality(shape, node, target) < least) continue;
            nearest = distance;
            best = node;
        }
    if (best < 0 || !fill_field_on_boundary(shape->field, target)) return;
    shape->mesh->nodes[best] = target;
    shape->nodes[best].kind = FILL_CORNER;
    shape->nodes[best].corner = corner;
    // without memory it may be overlooked later
    fill_grid_add(places, target, best);
}

// boundary nodes by place; those that move are added once more. @return false without memory
static bool list_places(const FillShape* shape, FillGrid* places)
{
    *places = (FillGrid){.edge = 1.05 * shape->cell};
    bool done = true;
    for (int i = 0; done && i < shape->mesh->node_count; i++)
        if (shape->nodes[i].kind != FILL_INTERIOR) done = fill_grid_add(places, shape->mesh->nodes[i], i);
    return done;
}

// is another node there already? Tets of the two need not touch, so quality does not tell
static bool is_taken(const FillShape* shape, const FillGrid* places, twVec3 target, int but)
{
    for (int k = 0; k < 27; k++)
        for (int link = fill_grid_around(places, target, k); link >= 0; link = places->links[link][1])
        {
            int node = places->links[link][0];
            double distance = tw_vec3_norm(tw_vec3_sub(shape->mesh->nodes[node], target));
            if (node != but && distance < TAKEN * shape->cell) return true;
        }
    return false;
}

// ---- edges ----

bool fill_have_common(const FillShape* shape, int a, int b)
{
    const FillNode *s = &shape->nodes[a], *t = &shape->nodes[b];
    if (s->kind == FILL_FREE || t->kind == FILL_FREE) return true;
    if (s->kind == FILL_CORNER && t->kind == FILL_CORNER)
    {
        const FillFeatures* f = shape->features;
        for (int i = f->corner_first[s->corner]; i < f->corner_first[s->corner + 1]; i++)
            if (has_patch(shape, t, f->corner_patches[i])) return true;
        return false;
    }
    if (s->kind == FILL_CORNER) return has_patch(shape, s, t->patch[0]) || has_patch(shape, s, t->patch[1]);
    return has_patch(shape, t, s->patch[0]) || has_patch(shape, t, s->patch[1]);
}

typedef struct Move
{
    double distance;
    int node, other, segment;
    twVec3 target;
} Move;

static int compare_moves(const void* a, const void* b)
{
    const Move *s = a, *t = b;
    if (s->distance != t->distance) return s->distance < t->distance ? -1 : 1;
    if (s->node != t->node) return s->node < t->node ? -1 : 1;
    return (s->other > t->other) - (s->other < t->other);
}

// The sharp edge that an edge of the mesh cuts across has the patches of both its ends. If there is none near, there is a
// third patch between: any sharp edge beside the node's own will do for now.
static void find_target(const FillShape* shape, Move* move)
{
    const FillNode* other = &shape->nodes[move->other];
    twVec3 from = shape->mesh->nodes[move->node];
    int patch = shape->nodes[move->node].patch[0];
    move->segment = -1;
    for (int k = 0; k < 2 && other->kind != FILL_CORNER; k++)
    {
        twVec3 target;
        double distance;
        int segment =
            fill_features_nearest(shape->features, from, (FillWanted){-1, patch, other->patch[k]}, &target, &distance);
        if (segment < 0 || (move->segment >= 0 && distance >= move->distance)) continue;
        move->segment = segment;
        move->target = target;
        move->distance = distance;
    }
    if (move->segment < 0)
        move->segment =
            fill_features_nearest(shape->features, from, (FillWanted){-1, patch, -1}, &move->target, &move->distance);
}

// moves of either end of the boundary edges that cut across. @return their number
static int list_moves(const FillShape* shape, Move* moves)
{
    int count = 0;
    for (int i = 0; i < 2 * shape->edge_count; i++)
    {
        int node = shape->edges[i], other = shape->edges[i ^ 1];
        if (shape->nodes[node].kind != FILL_PATCH || fill_have_common(shape, node, other)) continue;
        Move move = {.node = node, .other = other};
        find_target(shape, &move);
        if (move.segment >= 0) moves[count++] = move;
    }
    qsort(moves, (size_t)count, sizeof *moves, compare_moves);
    return count;
}

static int snap_edges(FillShape* shape, FillGrid* places, Move* moves, double least)
{
    int count = list_moves(shape, moves), done = 0;
    for (int i = 0; i < count; i++)
    {
        const Move* move = &moves[i];
        if (shape->nodes[move->node].kind != FILL_PATCH || fill_have_common(shape, move->node, move->other)) continue;
        if (fill_star_quality(shape, move->node, move->target) < least) continue;
        if (is_taken(shape, places, move->target, move->node)) continue;
        if (!fill_field_on_boundary(shape->field, move->target)) continue;
        shape->mesh->nodes[move->node] = move->target;
        fill_grid_add(places, move->target, move->node);
        set_on_segment(&shape->nodes[move->node], shape->features, move->segment);
        done++;
    }
    return done;
}

void fill_snap(FillShape* shape, double least_quality)
{
    enum
    {
        MOST_ROUNDS = 6
    };
    if (shape->features->segment_count == 0) return;
    FillGrid places;
    Move* moves = malloc(2 * (size_t)shape->edge_count * sizeof *moves + 1);

    // without memory sharp edges stay blunt
    if (list_places(shape, &places) && moves)
    {
        for (int i = 0; i < shape->features->corner_count; i++) snap_corner(shape, &places, i, least_quality);
        for (int i = 0; i < MOST_ROUNDS; i++)
            if (snap_edges(shape, &places, moves, least_quality) == 0) break;
    }
    free(moves);
    fill_grid_free(&places);
}
