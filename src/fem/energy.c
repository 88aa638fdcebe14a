// SPDX-License-Identifier: MIT
// Where the energy of a mode is. With unit modal mass a mode x swings between the kinetic energy w^2/2 x^T M x and the
// elastic one 1/2 x^T K x, which are equal; M and K are sums over elements, so each material has a share of both:
//     T_r = sum over its elements of x^T M_e x / x^T M x,    V_r = sum over its elements of x^T K_e x / x^T K x.
// Weak damping changes frequencies and shapes to second order only, so that the decay of a mode is the sum of what each
// material would do to it, by its share (Ungar and Kerwin, Loss factors of viscoelastic systems in terms of energy
// concepts, JASA 34, 1962).
#include "fem/element.h"
#include "twang/fem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// x^T k x and x^T m x of one element, whose blocks are there for q <= p only
static void element_energy(const FemElement* e, int nodes, double (*x)[3], double* elastic, double* kinetic)
{
    double k_sum = 0, m_sum = 0;
    for (int p = 0; p < nodes; p++)
        for (int q = 0; q <= p; q++)
        {
            const double* k = e->k[p][q];
            double k_pq = 0, twice = p == q ? 1 : 2;
            for (int r = 0; r < 3; r++)
                k_pq += x[p][r] * (k[3 * r] * x[q][0] + k[3 * r + 1] * x[q][1] + k[3 * r + 2] * x[q][2]);
            k_sum += twice * k_pq;
            m_sum += twice * e->m[p][q] * (x[p][0] * x[q][0] + x[p][1] * x[q][1] + x[p][2] * x[q][2]);
        }
    *elastic = k_sum;
    *kinetic = m_sum;
}

void tw_fem_tet_energy(const twFemModes* modes, const twFemDef* def, int tet, double* kinetic, double* elastic)
{
    TW_ASSERT(tet >= 0 && tet < def->tets->tet_count && modes->node_count == def->tets->node_count);
    const twTetMesh* tets = def->tets;
    FemRule rule = fem_rule(def->linear ? 4 : 10);
    int node[FEM_MAX_NODES];
    const twMaterial* m = &def->materials[tets->regions ? tets->regions[tet] : 0];
    twVec3 at[FEM_MAX_NODES];
    for (int i = 0; i < rule.nodes; i++)
    {
        node[i] = i < 4 ? tets->tets[tet].n[i] : tets->mid_nodes[tet][i - 4];
        at[i] = tets->nodes[node[i]];
    }
    FemElement e;
    const FemStiffness stiffness = fem_stiffness(m, def->fibre);
    fem_element(&e, &rule, at, &stiffness, m->density);
    for (int k = 0; k < modes->count; k++)
    {
        double x[FEM_MAX_NODES][3], w = 2 * TW_PI * modes->freq_hz[k];
        const double* shape = modes->shape + 3 * (size_t)k * (size_t)modes->node_count;
        for (int i = 0; i < rule.nodes; i++) memcpy(x[i], shape + 3 * (size_t)node[i], sizeof x[i]);
        element_energy(&e, rule.nodes, x, &elastic[k], &kinetic[k]);
        elastic[k] /= w * w;
    }
}

// make the shares of a mode sum to 1; rounding may leave one a little below 0
static void normalise(double* share, int count)
{
    double sum = 0;
    for (int r = 0; r < count; r++) sum += share[r] = fmax(0, share[r]);
    for (int r = 0; r < count && sum > 0; r++) share[r] = fmin(1, share[r] / sum);
}

twStatus tw_fem_energy(const twFemModes* modes, const twFemDef* def, double* kinetic, double* elastic, twError* err)
{
    size_t count = (size_t)modes->count, materials = (size_t)def->material_count;
    double* t = malloc((2 * count + 1) * sizeof *t);
    if (!t) return tw_fail(err, TW_NO_MEMORY, "no memory for the energies of %d modes", modes->count);
    double* v = t + count;
    for (size_t i = 0; i < count * materials; i++) kinetic[i] = elastic[i] = 0;
    for (int tet = 0; tet < def->tets->tet_count; tet++)
    {
        size_t region = def->tets->regions ? (size_t)def->tets->regions[tet] : 0;
        tw_fem_tet_energy(modes, def, tet, t, v);
        for (size_t k = 0; k < count; k++)
        {
            kinetic[k * materials + region] += t[k];
            elastic[k * materials + region] += v[k];
        }
    }
    for (size_t k = 0; k < count; k++)
    {
        normalise(kinetic + k * materials, def->material_count);
        normalise(elastic + k * materials, def->material_count);
    }
    free(t);
    return TW_OK;
}
