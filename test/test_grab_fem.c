// SPDX-License-Identifier: MIT
// Grabs of a world against finite elements that are not reduced: the nodes of the same mesh, held exactly, by
// multipliers, and integrated by Runge and Kutta in steps a mode of the mesh does not notice.
#include "fem.h"
#include "fem/element.h"
#include "twang/dynamics.h"
#include <stdlib.h>

enum
{
    MOST = 320,  // degrees of freedom
    HOLDS = 2    // points, three directions each
};

#define LENGTH 0.3

typedef struct Rig
{
    twTetMesh* tets;
    twMesh* surface;
    int* node_of;
    twMaterial material;
    twModeSet* set;
    twBodyShape* shape;
    double alpha, beta;
    int n;              // degrees of freedom that are not fixed
    int place[MOST];    // of each degree of freedom of the mesh, -1: fixed
    double *k, *m;      // (n x n)
    double* chol;       // of m
    double load[MOST];  // weight
} Rig;

// ---- the mesh, its matrices and its modes ----

static bool is_fixed(const Rig* r, int node) { return r->tets->nodes[node].x < 1e-9; }

static void assemble(Rig* r, twVec3 gravity)
{
    const twMaterial* m = &r->material;
    const FemStiffness stiffness = fem_stiffness(m, tw_mat3_identity());
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    const FemRule rule = fem_rule(4);
    FemElement element;
    for (int t = 0; t < r->tets->tet_count; t++)
    {
        twVec3 x[4];
        const int* node = r->tets->tets[t].n;
        for (int i = 0; i < 4; i++) x[i] = r->tets->nodes[node[i]];
        fem_element(&element, &rule, x, &stiffness, m->density);
        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 4; q++)
                for (int e = 0; e < 9; e++)
                {
                    const double mass = e % 4 ? 0 : p >= q ? element.m[p][q] : element.m[q][p];
                    const double k = p >= q ? element.k[p][q][e] : element.k[q][p][3 * (e % 3) + e / 3];
                    const int i = r->place[3 * node[p] + e / 3], j = r->place[3 * node[q] + e % 3];
                    if (i >= 0) r->load[i] += mass * g[e % 3];
                    if (i < 0 || j < 0) continue;
                    r->k[i * r->n + j] += k;
                    r->m[i * r->n + j] += mass;
                }
    }
    memcpy(r->chol, r->m, (size_t)(r->n * r->n) * sizeof(double));
    if (!tw_cholesky_factor(r->chol, r->n)) abort();
}

static float* shapes_of(const twFemModes* modes, const int* node, int count)
{
    float *shape = malloc((size_t)(3 * modes->count * count + 1) * sizeof *shape), *to = shape;
    if (!shape) abort();
    for (int j = 0; j < modes->count; j++)
        for (int v = 0; v < count; v++)
            for (int c = 0; c < 3; c++) *to++ = (float)modes->shape[3 * (j * modes->node_count + node[v]) + c];
    return shape;
}

// inner nodes after the vertices
static int order(Rig* r, int* node, int* index)
{
    const int nodes = r->tets->node_count, vertices = r->surface->vertex_count;
    int count = vertices;
    for (int i = 0; i < nodes; i++) index[i] = -1;
    for (int v = 0; v < vertices; v++) index[node[v] = r->node_of[v]] = v;
    for (int i = 0; i < nodes; i++)
        if (index[i] < 0) index[node[count] = i] = count, count++;
    return count;
}

static void make_set(Rig* r)
{
    int fixed[MOST], fixed_count = 0, node[MOST], index[MOST], tets[8 * MOST * 4];
    for (int i = 0; i < r->tets->node_count; i++)
        if (is_fixed(r, i)) fixed[fixed_count++] = i;
    twFemDef def = def_of(r->tets, &r->material, r->n);
    def.fixed_nodes = fixed;
    def.fixed_count = fixed_count;
    twFemModes* modes = modes_of(&def);
    if (!modes || modes->count != r->n) abort();
    const int count = order(r, node, index), vertices = r->surface->vertex_count;
    twVec3 inner[MOST];
    double decay[MOST];
    for (int i = vertices; i < count; i++) inner[i - vertices] = r->tets->nodes[node[i]];
    for (int t = 0; t < r->tets->tet_count; t++)
        for (int i = 0; i < 4; i++) tets[4 * t + i] = index[r->tets->tets[t].n[i]];
    for (int j = 0; j < modes->count; j++)
    {
        const double w = 2 * TW_PI * modes->freq_hz[j];
        decay[j] = 0.5 * (r->alpha + r->beta * w * w);
    }
    float *shape = shapes_of(modes, node, vertices), *inner_shape = shapes_of(modes, node + vertices, count - vertices);
    const twModeMaterial material = {.density = r->material.density, .young = 1, .volume = 1};
    const twModeSet set = {.mode_count = modes->count,
                           .vertex_count = vertices,
                           .face_count = r->surface->face_count,
                           .freq_hz = modes->freq_hz,
                           .decay = decay,
                           .shape = shape,
                           .vertices = r->surface->vertices,
                           .faces = r->surface->faces,
                           .mass = tw_tets_mass(r->tets, &r->material.density),
                           .damping = {.kind = TW_DAMPING_MODES},
                           .material_count = 1,
                           .materials = &material,
                           .tet_count = r->tets->tet_count,
                           .nodes_per_tet = 4,
                           .inner_count = count - vertices,
                           .tets = tets,
                           .inner = inner,
                           .inner_shape = inner_shape};
    twError err = {0};
    twBodyShapeDef shape_def = tw_body_shape_def();
    if (tw_mode_set_create(&r->set, &set, &err) != TW_OK) printf("%s\n", err.text), abort();
    shape_def.modes = r->set;
    shape_def.max_freq_hz = 1e9;
    if (tw_body_shape_create(&r->shape, &shape_def, &err) != TW_OK) printf("%s\n", err.text), abort();
    free(shape);
    free(inner_shape);
    tw_fem_modes_destroy(modes);
}

static void rig_make(Rig* r, double alpha, double beta, twVec3 gravity)
{
    *r = (Rig){.material = {.density = 1000, .young = 2e4, .poisson = 0.3}, .alpha = alpha, .beta = beta};
    twError err;
    r->tets = box_mesh(3, 2, 2, LENGTH, 0.1, 0.08, false);
    if (tw_tets_surface(&r->surface, &r->node_of, r->tets, &err) != TW_OK) abort();
    // from x = 0 on
    double least = HUGE_VAL;
    for (int i = 0; i < r->tets->node_count; i++) least = fmin(least, r->tets->nodes[i].x);
    for (int i = 0; i < r->tets->node_count; i++) r->tets->nodes[i].x -= least;
    for (int v = 0; v < r->surface->vertex_count; v++) r->surface->vertices[v].x -= least;
    for (int i = 0; i < 3 * r->tets->node_count; i++) r->place[i] = is_fixed(r, i / 3) ? -1 : r->n++;
    r->k = calloc((size_t)(3 * r->n * r->n), sizeof *r->k);
    if (!r->k) abort();
    r->m = r->k + r->n * r->n;
    r->chol = r->m + r->n * r->n;
    assemble(r, gravity);
    make_set(r);
}

static void rig_free(Rig* r)
{
    tw_body_shape_destroy(r->shape);
    tw_mode_set_destroy(r->set);
    tw_mesh_destroy(r->surface);
    tw_tets_destroy(r->tets);
    free(r->node_of);
    free(r->k);
}

// ---- the nodes by themselves ----

typedef struct Holding
{
    int count;                    // points
    twSurfacePoint point[HOLDS];  // on the surface
    double to[HOLDS][3], ease;    // displacement wanted after this time, by a cubic
    double until;                 // then it is let go
    int pushed;                   // vertex with a force; -1: none
    twVec3 force;
} Holding;

// second derivative of the cubic from 0 to way at rest
static double cubic2(double way, double ease, double t)
{
    return t < ease ? way * (6 - 12 * t / ease) / (ease * ease) : 0;
}

// row of a multiplier: how nodes move a point along an axis
static void row_of(const Rig* r, const twSurfacePoint* point, int axis, double* row)
{
    memset(row, 0, (size_t)r->n * sizeof *row);
    for (int k = 0; k < 3; k++)
        if (point->vertex[k] >= 0 && r->place[3 * r->node_of[point->vertex[k]] + axis] >= 0)
            row[r->place[3 * r->node_of[point->vertex[k]] + axis]] += point->weight[k];
}

typedef struct Nodes
{
    double rows[3 * HOLDS][MOST], give[3 * HOLDS][MOST], matrix[9 * HOLDS * HOLDS];
    double u[MOST], v[MOST];
} Nodes;

static double dot(const double* a, const double* b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void nodes_begin(const Rig* r, const Holding* h, Nodes* s)
{
    const int rows = 3 * h->count;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < rows; i++)
    {
        row_of(r, &h->point[i / 3], i % 3, s->rows[i]);
        memcpy(s->give[i], s->rows[i], sizeof s->give[i]);
        tw_cholesky_solve(r->chol, r->n, s->give[i]);
    }
    for (int i = 0; i < rows * rows; i++) s->matrix[i] = dot(s->rows[i / rows], s->give[i % rows], r->n);
    if (rows > 0 && !tw_cholesky_factor(s->matrix, rows)) abort();
}

static void acceleration(const Rig* r, const Holding* h, const Nodes* s, double t, const double* u, const double* v,
                         double* a)
{
    double both[MOST];
    for (int i = 0; i < r->n; i++) both[i] = u[i] + r->beta * v[i];
    for (int i = 0; i < r->n; i++)
        a[i] = r->load[i] - dot(r->k + i * r->n, both, r->n) - r->alpha * dot(r->m + i * r->n, v, r->n);
    const double f[3] = {h->force.x, h->force.y, h->force.z};
    for (int c = 0; c < 3 && h->pushed >= 0; c++) a[r->place[3 * r->node_of[h->pushed] + c]] += f[c];
    tw_cholesky_solve(r->chol, r->n, a);
    if (t >= h->until) return;
    double p[3 * HOLDS];
    const int rows = 3 * h->count;
    for (int i = 0; i < rows; i++) p[i] = cubic2(h->to[i / 3][i % 3], h->ease, t) - dot(s->rows[i], a, r->n);
    if (rows > 0) tw_cholesky_solve(s->matrix, rows, p);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < r->n; k++) a[k] += s->give[i][k] * p[i];
}

// a step of Runge and Kutta, as if what is held at its middle were so for all of it
static void nodes_step(const Rig* r, const Holding* h, Nodes* s, double t, double dt)
{
    const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double a[MOST] = {0}, u[MOST], v[MOST], vv[MOST] = {0}, du[MOST] = {0}, dv[MOST] = {0};
    Holding now = *h;
    now.until = t + 0.5 * dt < h->until ? HUGE_VAL : 0;
    for (int k = 0; k < 4; k++)
    {
        for (int i = 0; i < r->n; i++)
        {
            u[i] = s->u[i] + at[k] * dt * vv[i];
            v[i] = s->v[i] + at[k] * dt * a[i];
        }
        // the path's corner is between steps
        const double when = t + (at[k] == 0 ? 1e-9 : at[k] == 1 ? 1 - 1e-9 : at[k]) * dt;
        memcpy(vv, v, sizeof vv);
        acceleration(r, &now, s, when, u, v, a);
        for (int i = 0; i < r->n; i++) du[i] += share[k] * vv[i], dv[i] += share[k] * a[i];
    }
    for (int i = 0; i < r->n; i++) s->u[i] += dt * du[i], s->v[i] += dt * dv[i];
}

// ---- both ----

typedef struct Compared
{
    double largest, error;  // displacement, difference [m]
} Compared;

static twWorld* world_of(const Rig* r, twVec3 gravity, double step)
{
    const twContactMaterial material = {.young = 1e9, .poisson = 0.3, .stick = 0.5, .slide = 0.5};
    twBodyDef body = tw_body_def();
    body.name = "block";
    body.shape = r->shape;
    body.kind = TW_BODY_FIXED;
    twWorldDef def = tw_world_def();
    def.bodies = &body;
    def.materials = &material;
    def.body_count = def.material_count = 1;
    def.gravity = gravity;
    def.max_step = step;
    def.fixed_step = true;
    def.max_grabs = HOLDS + 1;
    twWorld* world = NULL;
    twError err;
    if (tw_world_create(&world, &def, &err) != TW_OK) printf("%s\n", err.text), abort();
    return world;
}

static void hold(twWorld* world, int slot, twGrabDef grab)
{
    twError err;
    grab.at.body = 0;
    if (tw_world_grab(world, slot, &grab, &err) != TW_OK) printf("%s\n", err.text), abort();
}

static void hold_all(const Rig* r, const Holding* h, twWorld* world)
{
    for (int i = 0; i < h->count; i++)
    {
        twGrabDef grab = tw_grab_def();
        grab.at.point = h->point[i];
        grab.ease = h->ease;
        grab.target = tw_vec3(h->to[i][0], h->to[i][1], h->to[i][2]);
        for (int k = 0; k < 3; k++)
            if (h->point[i].vertex[k] >= 0)
                grab.target =
                    tw_vec3_add_scaled(grab.target, r->surface->vertices[h->point[i].vertex[k]], h->point[i].weight[k]);
        hold(world, i, grab);
    }
    if (h->pushed < 0) return;
    twGrabDef push = tw_grab_def();
    push.kind = TW_GRAB_FORCE;
    push.at.point = tw_surface_vertex(h->pushed);
    push.target = h->force;
    push.ease = 0;
    hold(world, HOLDS, push);
}

static void compare_vertices(const Rig* r, const twWorld* world, const Nodes* nodes, Compared* out)
{
    for (int v = 0; v < r->surface->vertex_count; v++)
    {
        double own[3];
        const twVec3 at = tw_vec3_sub(tw_world_point(world, 0, v, tw_world_time(world), NULL), r->surface->vertices[v]);
        for (int c = 0; c < 3; c++)
        {
            const int i = r->place[3 * r->node_of[v] + c];
            own[c] = i < 0 ? 0 : nodes->u[i];
        }
        out->largest = fmax(out->largest, tw_vec3_norm(at));
        out->error = fmax(out->error, tw_vec3_norm(tw_vec3_sub(at, tw_vec3(own[0], own[1], own[2]))));
    }
}

static Compared compare(const Rig* r, const Holding* h, twVec3 gravity, double step)
{
    twWorld* world = world_of(r, gravity, step);
    Nodes* nodes = malloc(sizeof *nodes);
    if (!nodes) abort();
    hold_all(r, h, world);
    nodes_begin(r, h, nodes);
    Compared out = {0};
    const int frames = 40, fine = 100;
    const double frame = 0.01;
    for (int f = 0; f < frames; f++)
    {
        if (f * frame == h->until)
            for (int k = 0; k < h->count; k++) tw_world_release(world, k);
        for (int i = 0; i < fine; i++) nodes_step(r, h, nodes, (f * fine + i) * frame / fine, frame / fine);
        tw_world_advance(world, (f + 1) * frame);
        compare_vertices(r, world, nodes, &out);
    }
    free(nodes);
    tw_world_destroy(world);
    return out;
}

// a corner of the far end and a point of a face are pulled, the rest follows
static Holding pull(const Rig* r, int count)
{
    Holding h = {.count = count, .ease = 0.1, .until = 1e9, .pushed = -1};
    const int corner = tw_body_shape_nearest(r->shape, tw_vec3(LENGTH, 1, 1));
    h.point[0] = tw_surface_vertex(corner);
    h.to[0][1] = 0.02;
    h.to[0][2] = -0.03;
    for (int f = 0; f < r->surface->face_count && count > 1; f++)
    {
        const int* v = r->surface->faces[f].v;
        const double x = r->surface->vertices[v[0]].x;
        // on the far end, away from the corner
        if (x < LENGTH - 1e-6 || r->surface->vertices[v[1]].x < x || r->surface->vertices[v[2]].x < x) continue;
        if (v[0] == corner || v[1] == corner || v[2] == corner) continue;
        h.point[1] = (twSurfacePoint){{v[0], v[1], v[2]}, {0.2, 0.3, 0.5}};
    }
    h.to[1][0] = 0.01;
    h.to[1][2] = 0.02;
    return h;
}

static int a_held_body_moves_as_its_mesh_to_second_order(void)
{
    const twVec3 gravity = tw_vec3(0, 0, 0);
    Rig r;
    rig_make(&r, 0.3, 2e-4, gravity);
    // dragged by one point and by two, one of them between vertices, and let go; pushed
    for (int kind = 0; kind < 3; kind++)
    {
        Holding h = pull(&r, kind < 2 ? kind + 1 : 0);
        if (kind < 2) h.until = 0.2;
        if (kind == 2)
            h.pushed = tw_body_shape_nearest(r.shape, tw_vec3(LENGTH, 0, 0)), h.force = tw_vec3(0.2, 0.1, 0.5);
        Compared c[3];
        for (int i = 0; i < 3; i++) c[i] = compare(&r, &h, gravity, 1e-3 / (1 << i));
        printf("    at 1 ms: %.2g of the displacement off\n", c[0].error / c[0].largest);
        ENSURE(c[0].largest > 0.01);
        ENSURE(c[0].error <= 5e-3 * c[0].largest);
        for (int i = 0; i < 2; i++) ENSURE_NEAR(c[i].error / c[i + 1].error, 4, 0.4);
    }
    rig_free(&r);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_held_body_moves_as_its_mesh_to_second_order)
)
