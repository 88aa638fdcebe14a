// SPDX-License-Identifier: MIT
// Section 3.1 of Hauser et al. 2003: the decoupled system "will generate exactly the same results as the original linear system". The
// original one is put together here once more, tet by tet, and integrated in time by Runge and Kutta's rule; modes go there in one
// step. With fewer modes, what is missing is the part of the blow that those left out would take up.

#include "reproduce_deform.h"

static const int cells[3] = {3, 1, 1};
#define YOUNG 1e5
#define POISSON 0.4
#define DENSITY 1000.0

typedef struct System
{
    int nodes, size;  // of all nodes; 3 x those that move
    int* at;          // (nodes) first unknown; -1: held
    double *k, *m;    // (size x size)
} System;

// gradients of the four shape functions; @return volume
static double gradients(const twTetMesh* mesh, int tet, twVec3 g[4])
{
    const int* n = mesh->tets[tet].n;
    const twVec3 a = tw_vec3_sub(mesh->nodes[n[1]], mesh->nodes[n[0]]);
    const twVec3 b = tw_vec3_sub(mesh->nodes[n[2]], mesh->nodes[n[0]]);
    const twVec3 c = tw_vec3_sub(mesh->nodes[n[3]], mesh->nodes[n[0]]);
    const double six = tw_vec3_dot(tw_vec3_cross(a, b), c);
    g[1] = tw_vec3_scale(tw_vec3_cross(b, c), 1 / six);
    g[2] = tw_vec3_scale(tw_vec3_cross(c, a), 1 / six);
    g[3] = tw_vec3_scale(tw_vec3_cross(a, b), 1 / six);
    g[0] = tw_vec3_scale(tw_vec3_add(tw_vec3_add(g[1], g[2]), g[3]), -1);
    return six / 6;
}

// V (lambda g_i g_j^T + mu g_j g_i^T + mu g_i.g_j I), and rho V/20 (1 + delta_ij)
static void add_tet(System* s, const twTetMesh* mesh, int tet)
{
    const double lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), mu = YOUNG / (2 * (1 + POISSON));
    twVec3 g[4];
    const double volume = gradients(mesh, tet, g);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
        {
            const int row = s->at[mesh->tets[tet].n[i]], column = s->at[mesh->tets[tet].n[j]];
            if (row < 0 || column < 0) continue;
            const double gi[3] = {g[i].x, g[i].y, g[i].z}, gj[3] = {g[j].x, g[j].y, g[j].z};
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                {
                    double value = lambda * gi[a] * gj[b] + mu * gj[a] * gi[b];
                    if (a == b) value += mu * tw_vec3_dot(g[i], g[j]);
                    s->k[(row + a) * s->size + column + b] += volume * value;
                    if (a == b) s->m[(row + a) * s->size + column + b] += DENSITY * volume / 20 * (i == j ? 2 : 1);
                }
        }
}

static bool is_held(const twTetMesh* mesh, int node) { return mesh->nodes[node].x < 1e-9; }

// M becomes its Cholesky factor
static twStatus make_system(System* s, const twTetMesh* mesh, twError* err)
{
    *s = (System){.nodes = mesh->node_count, .at = malloc((size_t)mesh->node_count * sizeof(int))};
    if (!s->at) return tw_fail(err, TW_NO_MEMORY, "no memory for a system");
    for (int i = 0; i < mesh->node_count; i++)
    {
        s->at[i] = is_held(mesh, i) ? -1 : s->size;
        s->size += is_held(mesh, i) ? 0 : 3;
    }
    s->k = calloc((size_t)(s->size * s->size), sizeof *s->k);
    s->m = calloc((size_t)(s->size * s->size), sizeof *s->m);
    if (!s->k || !s->m) return tw_fail(err, TW_NO_MEMORY, "no memory for a system");
    for (int t = 0; t < mesh->tet_count; t++) add_tet(s, mesh, t);
    return tw_cholesky_factor(s->m, s->size) ? TW_OK : tw_fail(err, TW_NO_CONVERGE, "the mass is not definite");
}

static void free_system(System* s)
{
    free(s->at);
    free(s->k);
    free(s->m);
}

// M^-1 (-K u)
static void accelerate(const System* s, const double* u, double* out)
{
    for (int i = 0; i < s->size; i++)
    {
        out[i] = 0;
        for (int j = 0; j < s->size; j++) out[i] -= s->k[i * s->size + j] * u[j];
    }
    tw_cholesky_solve(s->m, s->size, out);
}

// u and v (size each, one after the other) by the rule of fourth order
static twStatus integrate(const System* s, double* u, double time, int steps, twError* err)
{
    const int n = s->size;
    const double h = time / steps;
    double *v = u + n, *room = calloc(10 * (size_t)n, sizeof *room);
    if (!room) return tw_fail(err, TW_NO_MEMORY, "no memory for a system");
    double *x = room, *w = room + n, *ku[4], *kv[4];
    for (int i = 0; i < 4; i++) ku[i] = room + (2 + 2 * i) * n, kv[i] = ku[i] + n;
    for (int step = 0; step < steps; step++)
    {
        for (int i = 0; i < 4; i++)
        {
            const double part = i == 0 ? 0 : i == 3 ? h : 0.5 * h;
            for (int k = 0; k < n; k++)
            {
                x[k] = u[k] + (i > 0 ? part * ku[i - 1][k] : 0);
                w[k] = v[k] + (i > 0 ? part * kv[i - 1][k] : 0);
            }
            memcpy(ku[i], w, (size_t)n * sizeof *w);
            accelerate(s, x, kv[i]);
        }
        for (int k = 0; k < n; k++)
        {
            u[k] += h / 6 * (ku[0][k] + 2 * ku[1][k] + 2 * ku[2][k] + ku[3][k]);
            v[k] += h / 6 * (kv[0][k] + 2 * kv[1][k] + 2 * kv[2][k] + kv[3][k]);
        }
    }
    free(room);
    return TW_OK;
}

static twStatus find_modes(twFemModes** out, const System* s, const twTetMesh* mesh, twError* err)
{
    int held[64], count = 0;
    for (int i = 0; i < mesh->node_count && count < 64; i++)
        if (is_held(mesh, i)) held[count++] = i;
    twMaterial rubber = {.name = "rubber", .density = DENSITY, .young = YOUNG, .poisson = POISSON};
    twFemDef def = tw_fem_def();
    def.tets = mesh;
    def.linear = true;
    def.materials = &rubber;
    def.material_count = 1;
    def.fixed_nodes = held;
    def.fixed_count = count;
    def.count = s->size;
    def.tolerance = 1e-10;
    return tw_fem_modes_create(out, &def, err);
}

// displacements (nodes x 3) of the first count modes after a blow at a node, in one step
static twStatus ring(double* out, const twFemModes* modes, int count, int node, twVec3 blow, double time, twError* err)
{
    const size_t stride = 3 * (size_t)modes->node_count;
    twOscillators* bank = NULL;
    double *none = calloc(3 * (size_t)count, sizeof *none), *push = none + count, *q = push + count;
    twStatus status = none ? tw_oscillators_create(&bank, count, modes->freq_hz, none, err)
                           : tw_fail(err, TW_NO_MEMORY, "no memory for modes");
    memset(out, 0, stride * sizeof *out);
    if (status == TW_OK)
    {
        for (int k = 0; k < count; k++)
        {
            const double* shape = modes->shape + (size_t)k * stride + 3 * (size_t)node;
            push[k] = shape[0] * blow.x + shape[1] * blow.y + shape[2] * blow.z;
        }
        tw_oscillators_impulse(bank, push);
        tw_oscillators_advance(bank, time);
        tw_oscillators_get(bank, q, NULL);
        for (int k = 0; k < count; k++)
            for (size_t i = 0; i < stride; i++) out[i] += q[k] * modes->shape[(size_t)k * stride + i];
    }
    tw_oscillators_destroy(bank);
    free(none);
    return status;
}

// what modes from count on have of a blow, each at its largest, anywhere: no more can be missing without them
static double bound(const twFemModes* modes, int count, int node, twVec3 blow)
{
    const size_t stride = 3 * (size_t)modes->node_count;
    double sum = 0;
    for (int k = count; k < modes->count; k++)
    {
        const double* shape = modes->shape + (size_t)k * stride;
        const double* at = shape + 3 * (size_t)node;
        double largest = 0;
        for (size_t i = 0; i < stride; i++) largest = fmax(largest, fabs(shape[i]));
        sum += fabs(at[0] * blow.x + at[1] * blow.y + at[2] * blow.z) * largest / (2 * TW_PI * modes->freq_hz[k]);
    }
    return sum;
}

// largest difference to the full system, and its largest displacement
static double differs(const System* s, const double* full, const double* modal, double* largest)
{
    double most = *largest = 0;
    for (int i = 0; i < 3 * s->nodes; i++)
    {
        const double right = s->at[i / 3] < 0 ? 0 : full[s->at[i / 3] + i % 3];
        *largest = fmax(*largest, fabs(right));
        most = fmax(most, fabs(right - modal[i]));
    }
    return most;
}

static twStatus compare(CliReport* report, const System* s, const twFemModes* modes, const double* full, int node,
                        twVec3 blow, double time, twError* err)
{
    double* modal = calloc(3 * (size_t)s->nodes, sizeof *modal);
    twStatus status = modal ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a system");
    for (int share = 1; share <= 4 && status == TW_OK; share *= 2)
    {
        const int count = modes->count / share;
        double largest;
        status = ring(modal, modes, count, node, blow, time, err);
        const double off = differs(s, full, modal, &largest) / largest;
        const double most = bound(modes, count, node, blow) / largest;
        if (status != TW_OK) break;
        if (share == 1)
            cli_report_row(report, 0, off, 1e-6, "all %d modes, one step: largest difference, of the largest motion",
                           count);
        else
        {
            cli_report_info(report, NAN, off, "%d modes of the lowest: largest difference", count);
            cli_report_claim(report, off <= most, "within what the others can have of the blow | %.2g", most);
        }
    }
    free(modal);
    return status;
}

twStatus deform_full(CliReport* report, twError* err)
{
    System s = {0};
    twTetMesh* mesh = NULL;
    twFemModes* modes = NULL;
    double* full = NULL;
    const twVec3 blow = {0.02, 0.05, -0.1};
    cli_report_heading(report, "Section 3.1: modes beside the full system of a held block, integrated in time");
    twStatus status = deform_grid(&mesh, cells, deform_block, err);
    if (status == TW_OK) status = make_system(&s, mesh, err);
    if (status == TW_OK) status = find_modes(&modes, &s, mesh, err);
    if (status == TW_OK) full = calloc(2 * (size_t)s.size, sizeof *full);
    if (status == TW_OK && !full) status = tw_fail(err, TW_NO_MEMORY, "no memory for a system");
    if (status == TW_OK)
    {
        const int node = mesh->node_count - 1;
        const double time = 1.3 / modes->freq_hz[0], fastest = 2 * TW_PI * modes->freq_hz[modes->count - 1];
        // v = M^-1 blow
        double* v = full + s.size;
        v[s.at[node]] = blow.x, v[s.at[node] + 1] = blow.y, v[s.at[node] + 2] = blow.z;
        tw_cholesky_solve(s.m, s.size, v);
        status = integrate(&s, full, time, (int)ceil(fastest * time / 0.02), err);
        cli_report_row(report, s.size, modes->count, 0, "modes, as many as there are unknowns");
        if (status == TW_OK) status = compare(report, &s, modes, full, node, blow, time, err);
    }
    free(full);
    tw_fem_modes_destroy(modes);
    free_system(&s);
    tw_tets_destroy(mesh);
    return status;
}
