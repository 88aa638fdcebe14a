// SPDX-License-Identifier: MIT
// Stiffness of orthotropic solids (Lekhnitskii, Theory of Elasticity of an Anisotropic Body, 1963). In the axes L, R, T of
// the material the strains are e = S s with the compliance
//     S_ii = 1/E_i,   S_ij = -nu_ij/E_i = -nu_ji/E_j,   1/G_RT, 1/G_LT, 1/G_LR for the shears,
// and C is the inverse of S. It is positive definite if all E and G are positive, nu_ij^2 < E_i/E_j, and
//     1 - nu_LR nu_RL - nu_LT nu_TL - nu_RT nu_TR - 2 nu_LR nu_RT nu_TL > 0.
// Not given: nu_ij = nu sqrt(E_i/E_j), so that nu_ij nu_ji = nu^2 (Huber 1923), which is positive definite whenever nu is a
// Poisson's ratio; 1/G_ij = (1 + nu_ij)/E_i + (1 + nu_ji)/E_j (Saint-Venant 1863). Both are exact for isotropic solids.
//
// Rotation: a stress s of the material is M s in other axes, with the columns of A the axes of the material in those,
//     M_(ij)(ab) = A_ia A_jb + A_ib A_ja (1/2 of it for a = b),   C' = M C M^T                            (Bond 1943).

#include "twang/modal.h"
#include <math.h>
#include <string.h>

// ---- constants ----

bool tw_material_is_orthotropic(const twMaterial* material)
{
    return material->orthotropy.young[0] != 0 || material->orthotropy.young[1] != 0;
}

// the pairs LR, LT, RT
static const int orthotropic_pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
static const char* const orthotropic_name[3] = {"LR", "LT", "RT"};

static void orthotropic_moduli(double e[3], const twMaterial* material)
{
    const double* across = material->orthotropy.young;
    const bool isotropic = !tw_material_is_orthotropic(material);
    e[0] = material->young;
    for (int i = 0; i < 2; i++) e[1 + i] = isotropic ? e[0] : across[i] != 0 ? across[i] : across[1 - i];
}

twOrthotropy tw_material_orthotropy(const twMaterial* material)
{
    double e[3];
    orthotropic_moduli(e, material);
    const bool isotropic = !tw_material_is_orthotropic(material);
    twOrthotropy out = {.young = {e[1], e[2]}};
    for (int k = 0; k < 3; k++)
    {
        const double e1 = e[orthotropic_pair[k][0]], e2 = e[orthotropic_pair[k][1]];
        const double given_nu = isotropic ? 0 : material->orthotropy.poisson[k];
        const double given_g = isotropic ? 0 : material->orthotropy.shear[k];
        const double nu = out.poisson[k] = given_nu != 0 ? given_nu : material->poisson * sqrt(e1 / e2);
        out.shear[k] = given_g != 0 ? given_g : 1 / ((1 + nu) / e1 + (1 + nu * e2 / e1) / e2);
    }
    return out;
}

twMaterial tw_material_in_units(const twMaterial* material, double unit)
{
    twMaterial out = *material;
    out.young /= unit;
    for (int i = 0; i < 2; i++) out.orthotropy.young[i] /= unit;
    for (int i = 0; i < 3; i++) out.orthotropy.shear[i] /= unit;
    return out;
}

twMaterial tw_material_isotropic(const twMaterial* material)
{
    twMaterial out = *material;
    if (!tw_material_is_orthotropic(material)) return out;
    const twOrthotropy full = tw_material_orthotropy(material);
    out.orthotropy = (twOrthotropy){0};
    out.young = cbrt(material->young * full.young[0] * full.young[1]);
    const double g = cbrt(full.shear[0] * full.shear[1] * full.shear[2]);
    out.poisson = fmax(0, fmin(0.45, out.young / (2 * g) - 1));
    return out;
}

// ---- what can be wrong ----

static twStatus orthotropic_check_moduli(const twMaterial* material, const char* name, twError* err)
{
    static const char* const axis[3] = {"E_L", "E_R", "E_T"};
    double e[3];
    orthotropic_moduli(e, material);
    const twOrthotropy full = tw_material_orthotropy(material);
    for (int i = 0; i < 3; i++)
        if (!(e[i] > 0 && isfinite(e[i])))
            return tw_fail(err, TW_BAD_INPUT, "material '%s': Young's modulus %s = %g Pa must be positive and finite",
                           name, axis[i], e[i]);
    for (int k = 0; k < 3; k++)
        if (!(full.shear[k] > 0 && isfinite(full.shear[k])))
            return tw_fail(err, TW_BAD_INPUT, "material '%s': shear modulus G_%s = %g Pa must be positive and finite",
                           name, orthotropic_name[k], full.shear[k]);
    return TW_OK;
}

// 1 - nu_LR nu_RL - ..., over 1
static double orthotropic_rest(const twOrthotropy* full, const double e[3])
{
    const double *nu = full->poisson, lr = nu[0], lt = nu[1], rt = nu[2];
    return 1 - lr * lr * e[1] / e[0] - lt * lt * e[2] / e[0] - rt * rt * e[2] / e[1] - 2 * lr * rt * lt * e[2] / e[0];
}

static twStatus orthotropic_check_ratios(const twMaterial* material, const char* name, twError* err)
{
    const double least = 1e-4;  // of 1 - nu_LR nu_RL - ...: 0 is incompressible
    const twOrthotropy full = tw_material_orthotropy(material);
    double e[3];
    orthotropic_moduli(e, material);
    for (int k = 0; k < 3; k++)
    {
        const double bound = sqrt(e[orthotropic_pair[k][0]] / e[orthotropic_pair[k][1]]);
        if (!(fabs(full.poisson[k]) < bound))
            return tw_fail(err, TW_BAD_INPUT,
                           "material '%s': Poisson's ratio nu_%s = %g must be between -%.4g and %.4g, the root of "
                           "E_%c/E_%c",
                           name, orthotropic_name[k], full.poisson[k], bound, bound, orthotropic_name[k][0],
                           orthotropic_name[k][1]);
    }
    if (!(orthotropic_rest(&full, e) > least))
        return tw_fail(err, TW_BAD_INPUT,
                       "material '%s': Poisson's ratios nu_LR = %g, nu_LT = %g, nu_RT = %g are too large together: the "
                       "solid would be incompressible or gain energy; lower the last",
                       name, full.poisson[0], full.poisson[1], full.poisson[2]);
    return TW_OK;
}

static twStatus orthotropic_check_isotropic(const twMaterial* material, const char* name, twError* err)
{
    if (!(material->young > 0 && isfinite(material->young)))
        return tw_fail(err, TW_BAD_INPUT, "material '%s': Young's modulus %g Pa must be positive and finite", name,
                       material->young);
    if (!(material->poisson > -1 && material->poisson <= 0.4999))
        return tw_fail(err, TW_BAD_INPUT,
                       "material '%s': Poisson's ratio %g must be above -1 and at most 0.4999 (0.5 is incompressible)",
                       name, material->poisson);
    return TW_OK;
}

twStatus tw_material_check(const twMaterial* material, twError* err)
{
    const char* name = material->name ? material->name : "";
    if (!tw_material_is_orthotropic(material)) return orthotropic_check_isotropic(material, name, err);
    const twStatus status = orthotropic_check_moduli(material, name, err);
    return status == TW_OK ? orthotropic_check_ratios(material, name, err) : status;
}

// ---- stiffness ----

static void orthotropic_isotropic(double c[6][6], double young, double nu)
{
    const double mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    for (int i = 0; i < 3; i++)
    {
        for (int k = 0; k < 3; k++) c[i][k] = lambda + (i == k ? 2 * mu : 0);
        c[3 + i][3 + i] = mu;
    }
}

void tw_material_stiffness(double c[6][6], const twMaterial* material)
{
    memset(c, 0, 36 * sizeof(double));
    if (!tw_material_is_orthotropic(material))
    {
        orthotropic_isotropic(c, material->young, material->poisson);
        return;
    }
    double e[3];
    orthotropic_moduli(e, material);
    const twOrthotropy full = tw_material_orthotropy(material);
    const double rest = orthotropic_rest(&full, e), lr = full.poisson[0], lt = full.poisson[1], rt = full.poisson[2];
    const double rl = lr * e[1] / e[0], tl = lt * e[2] / e[0], tr = rt * e[2] / e[1];
    c[0][0] = e[0] * (1 - rt * tr) / rest;
    c[1][1] = e[1] * (1 - lt * tl) / rest;
    c[2][2] = e[2] * (1 - lr * rl) / rest;
    c[0][1] = c[1][0] = e[1] * (lr + lt * tr) / rest;
    c[0][2] = c[2][0] = e[2] * (lt + lr * rt) / rest;
    c[1][2] = c[2][1] = e[2] * (rt + rl * lt) / rest;
    for (int k = 0; k < 3; k++) c[5 - k][5 - k] = full.shear[k];
}

void tw_stiffness_rotate(double out[6][6], double c[6][6], twMat3 axes)
{
    static const int voigt[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    double m[6][6], half[6][6];
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++)
        {
            const int i = voigt[p][0], j = voigt[p][1], a = voigt[q][0], b = voigt[q][1];
            m[p][q] = axes.m[i][a] * axes.m[j][b] + (a == b ? 0 : axes.m[i][b] * axes.m[j][a]);
        }
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++)
        {
            half[p][q] = 0;
            for (int k = 0; k < 6; k++) half[p][q] += m[p][k] * c[k][q];
        }
    // one half and its mirror image: symmetric to the bit
    for (int p = 0; p < 6; p++)
        for (int q = 0; q <= p; q++)
        {
            double sum = 0;
            for (int k = 0; k < 6; k++) sum += half[p][k] * m[q][k];
            out[p][q] = out[q][p] = sum;
        }
}

// ---- axes ----

static double orthotropic_part(twVec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

static twVec3 orthotropic_unit(int i) { return tw_vec3(i == 0, i == 1, i == 2); }

// x, y, z by the sides of a box, longest first; sides that are equal but for round-off in this order
static void orthotropic_sort(int order[3], twVec3 size)
{
    const double equal = 1 + 1e-6;
    for (int i = 0; i < 3; i++) order[i] = i;
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0; k--)
        {
            const int a = order[k - 1], b = order[k];
            if (!(orthotropic_part(size, b) > equal * orthotropic_part(size, a))) break;
            order[k - 1] = b, order[k] = a;
        }
}

// a less its part along a unit vector, as a unit vector; false if nothing is left
static bool orthotropic_across(twVec3* out, twVec3 a, twVec3 along)
{
    const double parallel = 1e-6;  // sine of an angle that is none
    const twVec3 unit = tw_vec3_normalize(a), rest = tw_vec3_add_scaled(unit, along, -tw_vec3_dot(unit, along));
    if (!(tw_vec3_norm(rest) > parallel)) return false;
    *out = tw_vec3_normalize(rest);
    return true;
}

twStatus tw_fibre_axes(twMat3* out, const twFibre* fibre, twVec3 size, twError* err)
{
    const double steep = 0.9;  // cosine: a side this near to the grain is not the one through the board
    int order[3];
    orthotropic_sort(order, size);
    const bool given = tw_vec3_norm(fibre->along) > 0, ring = tw_vec3_norm(fibre->radial) > 0;
    *out = tw_mat3_identity();
    if (!isfinite(tw_vec3_norm(fibre->along)) || !isfinite(tw_vec3_norm(fibre->radial)))
        return tw_fail(err, TW_BAD_INPUT, "the direction of the fibres is not finite");
    const twVec3 l = given ? tw_vec3_normalize(fibre->along) : orthotropic_unit(order[0]);
    twVec3 r, t;
    if (ring)
    {
        if (!orthotropic_across(&r, fibre->radial, l))
            return tw_fail(err, TW_BAD_INPUT,
                           "the radial direction %g,%g,%g is that of the fibres: it must be across them",
                           fibre->radial.x, fibre->radial.y, fibre->radial.z);
        t = tw_vec3_cross(l, r);
    }
    else
    {
        const int thin = fabs(orthotropic_part(l, order[2])) < steep ? order[2] : order[1];
        orthotropic_across(&t, orthotropic_unit(thin), l);
        r = tw_vec3_cross(t, l);
    }
    *out = tw_mat3_transpose(tw_mat3_rows(l, r, t));
    return TW_OK;
}
