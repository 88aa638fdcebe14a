// SPDX-License-Identifier: MIT
// What can be wrong with a def: counts, indices, materials, numbers that are not finite. Inverted elements are found
// while assembling.
#include "fem/check.h"
#include "fem/element.h"
#include <math.h>

twStatus fem_check_wishes(int count, double max_freq_hz, int threads, twError* err)
{
    if (count < 0 || count > TW_MAX_MODES)
        return tw_fail(err, TW_BAD_INPUT, "%d modes wanted: the count must be between 0 and %d", count, TW_MAX_MODES);
    if (!(max_freq_hz >= 0 && isfinite(max_freq_hz)))
        return tw_fail(err, TW_BAD_INPUT, "highest frequency %g Hz: must be 0 (no limit) or positive", max_freq_hz);
    if (count == 0 && max_freq_hz == 0)
        return tw_fail(err, TW_BAD_INPUT, "no modes wanted: give a count, a highest frequency or both");
    if (threads < 1 || threads > 1024)
        return tw_fail(err, TW_BAD_INPUT, "%d threads: must be between 1 and 1024", threads);
    return TW_OK;
}

twStatus fem_check_fibre(twMat3 fibre, twError* err)
{
    const double round_off = 1e-9;
    const twMat3 axes = fem_fibre(fibre), unit = tw_mat3_mul(axes, tw_mat3_transpose(axes));
    for (int i = 0; i < 9; i++)
        if (!(fabs(unit.m[i / 3][i % 3] - (i % 4 == 0)) < round_off))
            return tw_fail(err, TW_BAD_INPUT,
                           "the axes of the fibres are not perpendicular unit vectors: make them with tw_fibre_axes()");
    return TW_OK;
}

static twStatus check_materials(const twFemDef* def, twError* err)
{
    if (def->material_count < 1 || !def->materials)
        return tw_fail(err, TW_BAD_INPUT, "no material: give one for each region of the mesh");
    for (int i = 0; i < def->material_count; i++)
    {
        const twMaterial* material = &def->materials[i];
        if (!(material->density > 0 && isfinite(material->density)))
            return tw_fail(err, TW_BAD_INPUT, "material of region %d: density %g kg/m^3 must be positive and finite", i,
                           material->density);
        if (!(material->young > 0 && isfinite(material->young)))
            return tw_fail(err, TW_BAD_INPUT,
                           "material of region %d: Young's modulus %g Pa must be positive and finite", i,
                           material->young);
        if (tw_material_is_orthotropic(material))
        {
            twError inner;
            twStatus status = fem_check_fibre(def->fibre, err);
            if (status != TW_OK) return status;
            status = tw_material_check(material, &inner);
            if (status != TW_OK) return tw_fail(err, status, "material of region %d: %s", i, inner.text);
        }
        else if (!(material->poisson > -1 && material->poisson <= 0.4999))
            return tw_fail(err, TW_BAD_INPUT,
                           "material of region %d: Poisson's ratio %g must be above -1 and at most 0.4999 (0.5 is "
                           "incompressible, which these elements cannot be)",
                           i, material->poisson);
    }
    return TW_OK;
}

static twStatus check_nodes(const twFemDef* def, twError* err)
{
    const twTetMesh* tets = def->tets;
    if (def->fixed_count < 0 || (def->fixed_count > 0 && !def->fixed_nodes))
        return tw_fail(err, TW_BAD_INPUT, "%d fixed nodes: give a list of as many", def->fixed_count);
    for (int i = 0; i < def->fixed_count; i++)
        if (def->fixed_nodes[i] < 0 || def->fixed_nodes[i] >= tets->node_count)
            return tw_fail(err, TW_BAD_INPUT, "fixed node %d: the mesh has nodes 0 to %d", def->fixed_nodes[i],
                           tets->node_count - 1);
    return TW_OK;
}

static twStatus check_tet(const twFemDef* def, int tet, twError* err)
{
    const twTetMesh* tets = def->tets;
    for (int i = 0; i < (def->linear ? 4 : 10); i++)
    {
        int node = i < 4 ? tets->tets[tet].n[i] : tets->mid_nodes[tet][i - 4];
        if (node < 0 || node >= tets->node_count)
            return tw_fail(err, TW_BAD_INPUT, "tet %d: node %d does not exist, the mesh has nodes 0 to %d", tet, node,
                           tets->node_count - 1);
        twVec3 x = tets->nodes[node];
        if (!(isfinite(x.x) && isfinite(x.y) && isfinite(x.z)))
            return tw_fail(err, TW_BAD_INPUT, "tet %d: the place of its node %d is not finite", tet, node);
    }
    int region = tets->regions ? tets->regions[tet] : 0;
    if (region < 0 || region >= def->material_count)
        return tw_fail(err, TW_BAD_INPUT, "tet %d: region %d has no material, there are materials for regions 0 to %d",
                       tet, region, def->material_count - 1);
    return TW_OK;
}

twStatus fem_check(const twFemDef* def, twError* err)
{
    const twTetMesh* tets = def->tets;
    if (!tets || tets->tet_count < 1 || tets->node_count < 4 || !tets->nodes || !tets->tets)
        return tw_fail(err, TW_BAD_INPUT, "the mesh is empty: it needs at least one tet and its four nodes");
    if (!def->linear && !tets->mid_nodes)
        return tw_fail(
            err, TW_BAD_INPUT,
            "the mesh has no mid nodes, which 10-node elements need: call tw_tets_make_quadratic() or ask for "
            "linear elements");
    twStatus status = fem_check_wishes(def->count, def->max_freq_hz, def->threads, err);
    if (status == TW_OK && !(def->tolerance >= 1e-12 && def->tolerance <= 1e-2))
        status = tw_fail(err, TW_BAD_INPUT, "tolerance %g: must be between 1e-12 and 0.01", def->tolerance);
    if (status == TW_OK) status = check_materials(def, err);
    if (status == TW_OK) status = check_nodes(def, err);
    for (int i = 0; status == TW_OK && i < tets->tet_count; i++) status = check_tet(def, i, err);
    return status;
}
