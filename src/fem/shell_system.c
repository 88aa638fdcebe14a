// SPDX-License-Identifier: MIT
// A facet shell as a FemSystem: two nodes for each vertex, its displacement u and its rotation, the
// latter as the vector s theta with a length s, so that all unknowns have one unit and M = m times
// the identity, K of 3x3 blocks. The inertia of rotation is t^2/12 of the mass. Points that are
// tied add k |G x|^2 / 2: springs without mass between material points, so that rigid motions keep
// no energy and the body stays passive.
#include "fem/shell_system.h"
#include "fem/block.h"
#include "fem/element.h"
#include "mesh/edges.h"
#include <stdlib.h>
#include <string.h>

// ---- vertices and their neighbours ----

// A face whose height is nothing beside its longest side has no part in the shell.
static bool shell_face_flat(const twMesh* mesh, int face)
{
    const double least = 1e-8;  // height over longest side
    const int* v = mesh->faces[face].v;
    const twVec3 a = tw_vec3_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]);
    const twVec3 b = tw_vec3_sub(mesh->vertices[v[2]], mesh->vertices[v[0]]), c = tw_vec3_sub(b, a);
    const double longest = fmax(tw_vec3_dot(a, a), fmax(tw_vec3_dot(b, b), tw_vec3_dot(c, c)));
    return !(tw_vec3_norm(tw_vec3_cross(a, b)) > least * longest);
}

// vertices that something joins: those of a face or of a tie
typedef struct ShellClique
{
    int count;
    const int* vertex;
} ShellClique;

static ShellClique shell_graph_clique(const ShellBody* body, int i)
{
    const int faces = body->mesh->face_count;
    if (i < faces) return (ShellClique){shell_face_flat(body->mesh, i) ? 0 : 3, body->mesh->faces[i].v};
    return (ShellClique){body->ties[i - faces].count, body->ties[i - faces].vertex};
}

// active: number of each vertex that moves, -1 held, -2 of no face. @return how many move
static int shell_graph_number(int* active, const ShellBody* body)
{
    const twMesh* mesh = body->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) active[v] = -2;
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3 && !shell_face_flat(mesh, f); i++) active[mesh->faces[f].v[i]] = 0;
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (active[v] == 0) active[v] = body->held && body->held[v] ? -1 : count++;
    return count;
}

// the cliques of each vertex that moves, one after the other: start (count + 1), list
static bool shell_graph_incidence(int64_t** start, int** list, const ShellBody* body, const int* active, int count,
                                  FemMemory* memory)
{
    const int cliques = body->mesh->face_count + body->tie_count;
    *start = fem_alloc(memory, (size_t)count + 2, sizeof **start);
    *list = NULL;
    if (!*start) return false;
    for (int pass = 0; pass < 2; pass++)
    {
        for (int i = 0; i < cliques; i++)
        {
            const ShellClique clique = shell_graph_clique(body, i);
            for (int k = 0; k < clique.count; k++)
            {
                const int a = active[clique.vertex[k]];
                if (a < 0) continue;
                if (pass == 0)
                    (*start)[a + 2]++;
                else
                    (*list)[(*start)[a + 1]++] = i;
            }
        }
        if (pass == 1) return true;
        for (int a = 0; a < count; a++) (*start)[a + 2] += (*start)[a + 1];
        *list = fem_alloc(memory, (size_t)(*start)[count + 1] + 1, sizeof **list);
        if (!*list) return false;
    }
    return true;
}

static int shell_graph_compare(const void* a, const void* b)
{
    const int i = *(const int*)a, j = *(const int*)b;
    return (i > j) - (i < j);
}

// rows 2 a and 2 a + 1 of the lower triangle, from the neighbours of a up to a, ascending
static void shell_graph_rows(FemSystem* fem, int a, const int* near, int count, int64_t* at)
{
    for (int r = 0; r < 2; r++)
    {
        for (int i = 0; i < count; i++)
        {
            fem->column[(*at)++] = 2 * near[i];
            if (near[i] < a || r == 1) fem->column[(*at)++] = 2 * near[i] + 1;
        }
        fem->start[2 * a + r + 1] = *at;
    }
}

// neighbours of vertex a that come before it, and itself; marked with a
static int shell_graph_near(int* near, int* mark, const ShellBody* body, const int* active, const int* cliques,
                            int64_t count, int a)
{
    int found = 0;
    near[found++] = a;
    mark[a] = a;
    for (int64_t i = 0; i < count; i++)
    {
        const ShellClique clique = shell_graph_clique(body, cliques[i]);
        for (int k = 0; k < clique.count; k++)
        {
            const int b = active[clique.vertex[k]];
            if (b < 0 || b > a || mark[b] == a) continue;
            mark[b] = a;
            near[found++] = b;
        }
    }
    qsort(near, (size_t)found, sizeof *near, shell_graph_compare);
    return found;
}

// fem->start and column. pass 0 counts, pass 1 fills.
static bool shell_graph_pattern(FemSystem* fem, const ShellBody* body, int count, FemMemory* memory)
{
    int64_t* start = NULL;
    int* list = NULL;
    int* mark = fem_alloc(memory, (size_t)count, sizeof *mark);
    int* near = fem_alloc(memory, (size_t)count, sizeof *near);
    bool room = mark && near && shell_graph_incidence(&start, &list, body, fem->active, count, memory);
    int64_t entries = 0;
    for (int pass = 0; room && pass < 2; pass++)
    {
        int64_t at = 0;
        for (int a = 0; a < count; a++) mark[a] = -1;
        for (int a = 0; a < count; a++)
        {
            const int n = shell_graph_near(near, mark, body, fem->active, list + start[a], start[a + 1] - start[a], a);
            if (pass == 0)
                entries += 4 * n - 1;
            else
                shell_graph_rows(fem, a, near, n, &at);
        }
        if (pass == 0)
        {
            fem->start = fem_alloc(memory, 2 * (size_t)count + 1, sizeof *fem->start);
            fem->column = fem_alloc(memory, (size_t)entries, sizeof *fem->column);
            fem->m = fem_alloc(memory, (size_t)entries, sizeof *fem->m);
            fem->k = fem_alloc(memory, (size_t)entries, 9 * sizeof *fem->k);
            room = fem->start && fem->column && fem->m && fem->k;
        }
    }
    void* const blocks[] = {start, list, mark, near};
    for (size_t i = 0; i < 4; i++) fem_free(memory, blocks[i]);
    return room;
}

// connected pieces of the vertices that move
static bool shell_graph_pieces(FemSystem* fem, const ShellBody* body, int count, FemMemory* memory)
{
    int* parent = fem_alloc(memory, (size_t)count, sizeof *parent);
    fem->piece = fem_alloc(memory, 2 * (size_t)count, sizeof *fem->piece);
    if (!parent || !fem->piece)
    {
        fem_free(memory, parent);
        return false;
    }
    for (int a = 0; a < count; a++) parent[a] = a;
    for (int i = 0; i < body->mesh->face_count + body->tie_count; i++)
    {
        const ShellClique clique = shell_graph_clique(body, i);
        for (int k = 1; k < clique.count; k++)
        {
            const int a = fem->active[clique.vertex[0]], b = fem->active[clique.vertex[k]];
            if (a >= 0 && b >= 0) tw_union_join(parent, a, b);
        }
    }
    for (int a = 0; a < count; a++)
    {
        const int root = tw_union_root(parent, a);
        fem->piece[2 * a] = fem->piece[2 * a + 1] = root == a ? fem->pieces++ : fem->piece[2 * root];
    }
    fem_free(memory, parent);
    return true;
}

// ---- units ----

static twStatus shell_units_set(ShellSystem* out, const ShellBody* body, twError* err)
{
    FemSystem* fem = out->fem;
    const twMesh* mesh = body->mesh;
    twVec3 low = tw_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = tw_vec3_scale(low, -1);
    double edges = 0;
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++)
        {
            const twVec3 p = mesh->vertices[mesh->faces[f].v[i]], q = mesh->vertices[mesh->faces[f].v[(i + 1) % 3]];
            low = tw_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
            edges += tw_vec3_norm(tw_vec3_sub(q, p));
        }
    fem->length = tw_vec3_norm(tw_vec3_sub(high, low));
    if (!(fem->length > 1e-100 && fem->length < 1e100))
        return tw_fail(err, TW_BAD_INPUT, "the surface is %g m across: no such size can be handled", fem->length);
    for (int i = 0; i < body->material_count; i++)
    {
        fem->young = fmax(fem->young, body->materials[i].young);
        fem->density = fmax(fem->density, body->materials[i].density);
    }
    out->rotation_length = edges / (3 * mesh->face_count) / fem->length;
    const twVec3 middle = tw_vec3_scale(tw_vec3_add(low, high), 0.5);
    for (int v = 0; v < mesh->vertex_count; v++)
        fem->x[v] = tw_vec3_scale(tw_vec3_sub(mesh->vertices[v], middle), 1 / fem->length);
    return TW_OK;
}

// ---- assembly ----

ShellPly shell_system_ply(const ShellSystem* system, const ShellBody* body, int face)
{
    const FemSystem* fem = system->fem;
    const twMaterial* m = shell_material(body, face);
    const twMaterial scaled = tw_material_in_units(m, fem->young);
    twVec3 x[3];
    for (int i = 0; i < 3; i++) x[i] = fem->x[body->mesh->faces[face].v[i]];
    return shell_ply(&scaled, fem_fibre(body->fibre), body->thickness / fem->length, m->density / fem->density, x);
}

bool shell_system_element(ShellElement* element, const ShellSystem* system, const ShellBody* body, int face,
                          const bool free_edge[3])
{
    const ShellPly ply = shell_system_ply(system, body, face);
    twVec3 x[3];
    for (int i = 0; i < 3; i++) x[i] = system->fem->x[body->mesh->faces[face].v[i]];
    if (!shell_element(element, x, &ply, free_edge)) return false;
    const double s = 1 / system->rotation_length;
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++)
        {
            const double scale = (p % 2 ? s : 1) * (q % 2 ? s : 1);
            for (int i = 0; i < 9; i++) element->k[p][q][i] *= scale;
        }
    return true;
}

// add a block, given as node row >= column
static void shell_assemble_block(FemSystem* fem, int row, int column, const double* block, double mass)
{
    int64_t low = fem->start[row], high = fem->start[row + 1] - 1;
    while (low < high)
    {
        const int64_t middle = (low + high) / 2;
        if (fem->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    fem->m[low] += mass;
    for (int i = 0; i < 9; i++) fem->k[9 * low + i] += block[i];
}

// mass of rotation over that of displacement, for the unknown s theta
static double shell_assemble_rotary(const ShellSystem* system, const ShellBody* body)
{
    const double t = body->thickness / system->fem->length, s = system->rotation_length;
    return t * t / (12 * s * s);
}

static void shell_assemble_face(ShellSystem* system, const ShellBody* body, int face, uint8_t free_edges)
{
    FemSystem* fem = system->fem;
    const bool free_edge[3] = {free_edges & 1, free_edges & 2, free_edges & 4};
    ShellElement e;
    if (shell_face_flat(body->mesh, face) || !shell_system_element(&e, system, body, face, free_edge)) return;
    const double rotary = shell_assemble_rotary(system, body);
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++)
        {
            const int a = fem->active[body->mesh->faces[face].v[p / 2]];
            const int b = fem->active[body->mesh->faces[face].v[q / 2]];
            const int row = 2 * a + p % 2, column = 2 * b + q % 2;
            if (a < 0 || b < 0 || column > row) continue;
            const double mass = p % 2 == q % 2 ? e.m[p / 2][q / 2] * (p % 2 ? rotary : 1) : 0;
            shell_assemble_block(fem, row, column, e.k[p][q], mass);
        }
    const ShellPly ply = shell_system_ply(system, body, face);
    fem->mass += ply.density * ply.thickness * e.area;
    system->area += e.area;
}

// g (3 x 3, by rows): how much the gap of a tie changes with node p, displacement or rotation
static void shell_tie_slope(double g[9], const ShellSystem* system, const ShellTie* tie, int p)
{
    const double w = tie->weight[p / 2];
    const twVec3 d = tw_vec3_scale(tie->arm[p / 2], w / (system->fem->length * system->rotation_length));
    const double displacement[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
    const double rotation[9] = {0, d.z, -d.y, -d.z, 0, d.x, d.y, -d.x, 0};  // theta x d
    memcpy(g, p % 2 ? rotation : displacement, 9 * sizeof *g);
}

// Springs of 10 E t against displacement and 10 E t^3 against rotation: ten times what the shell
// itself has there.
static void shell_assemble_tie(ShellSystem* system, const ShellBody* body, const ShellTie* tie)
{
    FemSystem* fem = system->fem;
    const double t = body->thickness / fem->length, s = system->rotation_length, spring = 10 * t;
    for (int p = 0; p < 2 * tie->count; p++)
        for (int q = 0; q < 2 * tie->count; q++)
        {
            const int a = fem->active[tie->vertex[p / 2]], b = fem->active[tie->vertex[q / 2]];
            const int row = 2 * a + p % 2, column = 2 * b + q % 2;
            if (a < 0 || b < 0 || column > row) continue;
            double g[9], h[9], block[9];
            shell_tie_slope(g, system, tie, p);
            shell_tie_slope(h, system, tie, q);
            for (int i = 0; i < 9; i++)
                block[i] = spring * (g[i / 3] * h[i % 3] + g[3 + i / 3] * h[3 + i % 3] + g[6 + i / 3] * h[6 + i % 3]);
            if (p % 2 && q % 2)
                for (int i = 0; i < 9; i += 4)
                    block[i] += spring * t * t / (s * s) * tie->weight[p / 2] * tie->weight[q / 2];
            shell_assemble_block(fem, row, column, block, 0);
        }
}

uint8_t* shell_free_edges(const ShellBody* body, FemMemory* memory)
{
    const twMesh* mesh = body->mesh;
    uint8_t* sides = fem_alloc(memory, (size_t)mesh->face_count, 1);
    bool* tied = fem_alloc(memory, (size_t)mesh->vertex_count, sizeof *tied);
    twEdges* edges = NULL;
    if (sides && tied && tw_edges_create(&edges, mesh, NULL) == TW_OK)
    {
        for (int i = 0; i < body->tie_count; i++)
            for (int k = 0; k < body->ties[i].count; k++) tied[body->ties[i].vertex[k]] = true;
        for (int e = 0; e < edges->count; e++)
        {
            const int a = edges->ends[e][0], b = edges->ends[e][1], use = edges->uses[edges->start[e]];
            const bool held = body->held && body->held[a] && body->held[b];
            if (tw_edges_faces(edges, e) == 1 && !held && !(tied[a] && tied[b]))
                sides[use / 3] |= (uint8_t)(1 << use % 3);
        }
        tw_edges_destroy(edges);
    }
    else
    {
        fem_free(memory, sides);
        sides = NULL;
    }
    fem_free(memory, tied);
    return sides;
}

// ---- rigid motions ----

// Each piece without held vertices has six: translations, and rotations about its middle.
static int shell_rigid_number(int* first, const ShellBody* body, const FemSystem* fem)
{
    for (int p = 0; p < fem->pieces; p++) first[p] = 0;
    for (int i = 0; body->held && i < body->mesh->face_count + body->tie_count; i++)
    {
        const ShellClique clique = shell_graph_clique(body, i);
        bool held = false;
        for (int k = 0; k < clique.count; k++) held = held || fem->active[clique.vertex[k]] == -1;
        for (int k = 0; held && k < clique.count; k++)
            if (fem->active[clique.vertex[k]] >= 0) first[fem->piece[2 * fem->active[clique.vertex[k]]]] = -1;
    }
    int count = 0;
    for (int p = 0; p < fem->pieces; p++)
        if (first[p] == 0)
        {
            first[p] = count;
            count += 6;
        }
    return count;
}

static void shell_rigid_fill(double* v, const int* first, const twVec3* middle, const ShellSystem* system)
{
    const FemSystem* fem = system->fem;
    const size_t n = 3 * (size_t)fem->nodes;
    for (int x = 0; x < fem->mesh_nodes; x++)
    {
        if (fem->active[x] < 0) continue;
        const size_t a = 2 * (size_t)fem->active[x];
        const int piece = fem->piece[a];
        for (int i = 0; first[piece] >= 0 && i < 6; i++)
        {
            const twVec3 axis = tw_vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2);
            const twVec3 u = i < 3 ? axis : tw_vec3_cross(axis, tw_vec3_sub(fem->x[x], middle[piece]));
            double* at = v + (size_t)(first[piece] + i) * n + 3 * a;
            at[0] = u.x, at[1] = u.y, at[2] = u.z;
            if (i >= 3) at[i] = system->rotation_length;
        }
    }
}

static void shell_rigid_middles(twVec3* middle, int* count, const FemSystem* fem)
{
    for (int x = 0; x < fem->mesh_nodes; x++)
    {
        if (fem->active[x] < 0) continue;
        const int piece = fem->piece[2 * fem->active[x]];
        middle[piece] = tw_vec3_add(middle[piece], fem->x[x]);
        count[piece]++;
    }
    for (int p = 0; p < fem->pieces; p++) middle[p] = tw_vec3_scale(middle[p], 1.0 / count[p]);
}

static bool shell_rigid_normalise(ShellSystem* system, FemMemory* memory)
{
    const size_t columns = (size_t)system->rigid_count;
    double* r = fem_alloc(memory, columns * columns, sizeof *r);
    FemBlocks blocks;
    const bool room = fem_blocks_create(&blocks, system->fem, system->rigid_count, memory) && r;
    for (int pass = 0; room && pass < 2; pass++) fem_normalise(&blocks, system->rigid, system->rigid_count, r);
    fem_blocks_destroy(&blocks, memory);
    fem_free(memory, r);
    return room;
}

static twStatus shell_rigid_find(ShellSystem* system, const ShellBody* body, FemMemory* memory, twError* err)
{
    enum
    {
        SHELL_PIECES_MAX = 100
    };
    const FemSystem* fem = system->fem;
    if (fem->pieces > SHELL_PIECES_MAX)
        return tw_fail(err, TW_BAD_INPUT,
                       "the surface falls into %d pieces that do not touch: at most %d are handled; join them or "
                       "analyse them one by one",
                       fem->pieces, SHELL_PIECES_MAX);
    int first[SHELL_PIECES_MAX], count[SHELL_PIECES_MAX] = {0};
    twVec3 middle[SHELL_PIECES_MAX] = {{0, 0, 0}};
    system->rigid_count = shell_rigid_number(first, body, fem);
    if (system->rigid_count == 0) return TW_OK;
    shell_rigid_middles(middle, count, fem);
    const size_t size = 3 * (size_t)fem->nodes * (size_t)system->rigid_count;
    system->rigid = fem_alloc(memory, size, sizeof *system->rigid);
    if (system->rigid) shell_rigid_fill(system->rigid, first, middle, system);
    if (system->rigid && shell_rigid_normalise(system, memory)) return TW_OK;
    return fem_no_memory(memory, 8.0 * (double)size, "the rigid motions", err);
}

// ---- all of it ----

static twStatus shell_assemble(ShellSystem* out, const ShellBody* body, FemMemory* memory, twError* err)
{
    FemSystem* fem = out->fem;
    const size_t vertices = (size_t)body->mesh->vertex_count;
    fem->mesh_nodes = body->mesh->vertex_count;
    fem->active = fem_alloc(memory, vertices, sizeof *fem->active);
    fem->x = fem_alloc(memory, vertices, sizeof *fem->x);
    if (!fem->active || !fem->x) return fem_no_memory(memory, 28.0 * (double)vertices, "the vertices", err);
    const int count = shell_graph_number(fem->active, body);
    if (count == 0) return tw_fail(err, TW_BAD_INPUT, "no vertex of the surface can move: all are held");
    fem->nodes = 2 * count;
    twStatus status = shell_units_set(out, body, err);
    if (status != TW_OK) return status;
    if (!shell_graph_pattern(fem, body, count, memory) || !shell_graph_pieces(fem, body, count, memory))
        return fem_no_memory(memory, 1200.0 * count, "the matrices", err);
    uint8_t* free_edges = shell_free_edges(body, memory);
    if (!free_edges) return fem_no_memory(memory, 100.0 * (double)vertices, "the edges", err);
    for (int f = 0; f < body->mesh->face_count; f++) shell_assemble_face(out, body, f, free_edges[f]);
    for (int i = 0; i < body->tie_count; i++) shell_assemble_tie(out, body, &body->ties[i]);
    fem_free(memory, free_edges);
    return shell_rigid_find(out, body, memory, err);
}

twStatus shell_system_create(ShellSystem* out, const ShellBody* body, FemMemory* memory, twError* err)
{
    *out = (ShellSystem){.fem = fem_alloc(memory, 1, sizeof *out->fem)};
    if (!out->fem) return fem_no_memory(memory, sizeof *out->fem, "the system", err);
    const twStatus status = shell_assemble(out, body, memory, err);
    if (status != TW_OK) shell_system_destroy(out, memory);
    return status;
}

void shell_system_destroy(ShellSystem* system, FemMemory* memory)
{
    fem_free(memory, system->rigid);
    fem_system_destroy(system->fem, memory);
    *system = (ShellSystem){0};
}

// Weyl's law of a plate of the same area (fem/weyl.c), for the mean of the materials by area
FemWeyl shell_weyl(const ShellSystem* system, const ShellBody* body)
{
    FemWeyl weyl = {0, 0, 0, 0};
    for (int f = 0; f < body->mesh->face_count; f++)
    {
        const twMaterial m = tw_material_isotropic(shell_material(body, f));
        const double thickness = body->thickness / system->fem->length, nu = m.poisson;
        const double slow = m.density / system->fem->density / (m.young / system->fem->young);
        const double area = system->area / body->mesh->face_count;
        weyl.line += area * sqrt(12 * (1 - nu * nu) * slow) / (4 * TW_PI * thickness);
        weyl.area += area * slow * (2 * (1 + nu) + 1 - nu * nu) / (4 * TW_PI);
    }
    return weyl;
}
