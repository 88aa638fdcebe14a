// SPDX-License-Identifier: MIT
// A flat shell triangle of thickness t with three displacements and three rotations at each corner,
// in three parts.
//
// Membrane: the triangle with drilling rotations of Felippa (A study of optimal membrane triangles
// with drilling freedoms, Comput. Methods Appl. Mech. Engrg. 192, 2003): K = L E L^T / (A t) + 3/4
// b0 T^T (sum of Q^T E Q) T, with a = 3/2 and b0 = (1 - 4 nu^2)/2, at least 0.01. It passes the
// patch test, and bends in its plane without locking. E is the stiffness of plane stress. Of an
// orthotropic material it is rotated into the plane of the triangle, nu^2 is E_12^2/(E_11 E_22), and
// 2/(1 - nu) below is the modulus of stretching along the side over that of shear through the
// thickness.
//
// Bending with shear: the discrete Kirchhoff-Mindlin triangle of Katili (A new discrete
// Kirchhoff-Mindlin element based on Mindlin-Reissner plate theory and assumed shear strain fields,
// part I, Int. J. Numer. Methods Eng. 36, 1993). The section rotates by b = sum N_i b_i + sum 4 N_i
// N_j s_k d_k, quadratic along each side k (unit vector s_k, length l_k), with
//     d_k = -3 / (2 l_k (1 + p_k)) (w_j - w_i + l_k/2 s_k . (b_i + b_j)),    p_k = 2 t^2 / (5/6 (1 - nu) l_k^2),
// so that the shear strain along the side, g_k = -2/3 p_k d_k, is in equilibrium with the bending
// moment. It becomes the discrete Kirchhoff triangle when t/l_k vanishes: nothing locks.
//
// Free edge: within a distance of about r = t/sqrt(10) from it the twisting stress turns round, so
// that the twist takes energy as if the plate were narrower by r (Thomson and Tait; a strip of
// width b has the torsion constant b t^3/3 (1 - 0.63 t/b), and 2 r = 0.632 t). This lowers
// frequencies by the order of t over the size of the body; Kirchhoff's theory misses it, and the
// elements find it only if they are much smaller than t. What they cannot see is taken from the
// twisting stiffness of the triangle at the edge.
#include "fem/shell_element.h"
#include <string.h>

enum
{
    SHELL_DOFS = 9
};

// shape of a triangle in its plane, with corner 0 in the origin and corner 1 on the x axis
typedef struct ShellFacet
{
    double x[3], y[3], area;
    double side[3][2];   // unit vectors from corner i to i + 1
    double length[3];    // of the sides
    double slope[3][2];  // gradients of the barycentric coordinates
    twVec3 axis[3];      // x, y and the normal, in space
} ShellFacet;

// ---- small matrices ----

// k += w b^T d b with d (rows x rows) symmetric
static void shell_facet_add(double k[SHELL_DOFS][SHELL_DOFS], int rows, double (*b)[SHELL_DOFS], double (*d)[3],
                            double w)
{
    double db[3][SHELL_DOFS];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < SHELL_DOFS; j++)
        {
            db[i][j] = 0;
            for (int l = 0; l < rows; l++) db[i][j] += w * d[i][l] * b[l][j];
        }
    for (int i = 0; i < SHELL_DOFS; i++)
        for (int j = 0; j < SHELL_DOFS; j++)
            for (int l = 0; l < rows; l++) k[i][j] += b[l][i] * db[l][j];
}

// r = a^T e a
static void shell_facet_congruence(double r[3][3], double a[3][3], double e[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            r[i][j] = 0;
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++) r[i][j] += a[p][i] * e[p][q] * a[q][j];
        }
}

// plane stress: stress from (exx, eyy, 2 exy), times a factor
static void shell_facet_plane_stress(double e[3][3], const ShellPly* ply, double factor)
{
    if (ply->orthotropic)
    {
        for (int i = 0; i < 9; i++) e[i / 3][i % 3] = factor * ply->plane[i / 3][i % 3];
        return;
    }
    const double nu = ply->poisson, c = ply->young * factor / (1 - nu * nu);
    const double full[3][3] = {{c, nu * c, 0}, {nu * c, c, 0}, {0, 0, 0.5 * (1 - nu) * c}};
    memcpy(e, full, sizeof full);
}

// Poisson's ratio of the plane; of an orthotropic one the mean of both
static double shell_facet_poisson(const ShellPly* ply)
{
    if (!ply->orthotropic) return ply->poisson;
    return ply->plane[0][1] / sqrt(ply->plane[0][0] * ply->plane[1][1]);
}

// ---- geometry ----

static bool shell_facet_init(ShellFacet* f, const twVec3 p[3])
{
    const twVec3 a = tw_vec3_sub(p[1], p[0]), b = tw_vec3_sub(p[2], p[0]), n = tw_vec3_cross(a, b);
    f->area = 0.5 * tw_vec3_norm(n);
    if (!(f->area > 0)) return false;
    f->axis[0] = tw_vec3_normalize(a);
    f->axis[2] = tw_vec3_normalize(n);
    f->axis[1] = tw_vec3_cross(f->axis[2], f->axis[0]);
    f->x[0] = f->y[0] = f->y[1] = 0;
    f->x[1] = tw_vec3_norm(a);
    f->x[2] = tw_vec3_dot(b, f->axis[0]);
    f->y[2] = tw_vec3_dot(b, f->axis[1]);
    for (int i = 0; i < 3; i++)
    {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double dx = f->x[j] - f->x[i], dy = f->y[j] - f->y[i];
        f->length[i] = sqrt(dx * dx + dy * dy);
        f->side[i][0] = dx / f->length[i];
        f->side[i][1] = dy / f->length[i];
        f->slope[i][0] = (f->y[j] - f->y[k]) / (2 * f->area);
        f->slope[i][1] = (f->x[k] - f->x[j]) / (2 * f->area);
    }
    return true;
}

// ---- material ----

// stiffness of the rows and columns a without stress in b: C_aa - C_ab C_bb^-1 C_ba
static void shell_ply_condense(double out[3][3], double c[6][6], const int a[3], const int b[3])
{
    twMat3 inverse, bb;
    for (int i = 0; i < 9; i++) bb.m[i / 3][i % 3] = c[b[i / 3]][b[i % 3]];
    tw_mat3_inverse(&inverse, bb);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            out[i][j] = c[a[i]][a[j]];
            for (int k = 0; k < 9; k++) out[i][j] -= c[a[i]][b[k / 3]] * inverse.m[k / 3][k % 3] * c[b[k % 3]][a[j]];
        }
}

ShellPly shell_ply(const twMaterial* material, twMat3 fibre, double thickness, double density, const twVec3 x[3])
{
    static const int in_plane[3] = {0, 1, 5}, through[3] = {2, 3, 4}, shear[2] = {4, 3};
    ShellFacet f;
    ShellPly ply = {.thickness = thickness, .young = material->young, .poisson = material->poisson, .density = density};
    if (!tw_material_is_orthotropic(material) || !shell_facet_init(&f, x)) return ply;
    double own[6][6], c[6][6];
    tw_material_stiffness(own, material);
    tw_stiffness_rotate(c, own, tw_mat3_mul(tw_mat3_rows(f.axis[0], f.axis[1], f.axis[2]), fibre));
    ply.orthotropic = true;
    shell_ply_condense(ply.plane, c, in_plane, through);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            ply.transverse[i][j] = c[shear[i]][shear[j]] - c[shear[i]][2] * c[2][shear[j]] / c[2][2];
    return ply;
}

// ---- membrane ----

// Felippa's lumping matrix: what constant stress does to the corners, for (u, v, rotation) of each
static void shell_membrane_lumping(double l[3][SHELL_DOFS], const ShellFacet* f)
{
    const double a = 1.5;
    for (int i = 0; i < 3; i++)
    {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double *x = f->x, *y = f->y;
        const double yjk = y[j] - y[k], xkj = x[k] - x[j];
        const double yik = y[i] - y[k], yji = y[j] - y[i], xki = x[k] - x[i], xij = x[i] - x[j];
        const double column[3][3] = {
            {yjk, 0, xkj},
            {0, xkj, yjk},
            {a / 6 * yjk * (yik - yji), a / 6 * xkj * (xki - xij), a / 3 * (xki * yik - xij * yji)}};
        for (int d = 0; d < 3; d++)
            for (int r = 0; r < 3; r++) l[r][3 * i + d] = 0.5 * column[d][r];
    }
}

// strains along the sides to (exx, eyy, 2 exy)
static void shell_membrane_natural(double t[3][3], const ShellFacet* f)
{
    for (int i = 0; i < 3; i++)
    {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double xjk = f->x[j] - f->x[k], yjk = f->y[j] - f->y[k];
        const double xik = f->x[i] - f->x[k], yik = f->y[i] - f->y[k];
        const double s = f->length[i] * f->length[i] / (4 * f->area * f->area);
        t[0][i] = yjk * yik * s;
        t[1][i] = xjk * xik * s;
        t[2][i] = -(yjk * xik + xjk * yik) * s;
    }
}

// natural strains at the corners from the rotations there, less their mean
static void shell_membrane_higher(double q[3][3][3], const ShellFacet* f)
{
    static const double b[9] = {1, 2, 1, 0, 1, -1, -1, -1, -2};
    static const int at[3][3][3] = {
        {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}, {{8, 6, 7}, {2, 0, 1}, {5, 3, 4}}, {{4, 5, 3}, {7, 8, 6}, {1, 2, 0}}};
    for (int n = 0; n < 3; n++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) q[n][i][j] = 2 * f->area / 3 * b[at[n][i][j]] / (f->length[i] * f->length[i]);
}

static void shell_membrane_add(double k[SHELL_DOFS][SHELL_DOFS], const ShellFacet* f, const ShellPly* ply)
{
    const double t = ply->thickness, nu = shell_facet_poisson(ply), b0 = fmax(0.5 * (1 - 4 * nu * nu), 0.01);
    double e[3][3], l[3][SHELL_DOFS], natural[3][3], en[3][3], q[3][3][3], higher[3][3] = {{0}};
    shell_facet_plane_stress(e, ply, 1);
    shell_membrane_lumping(l, f);
    shell_facet_add(k, 3, l, e, t / f->area);

    shell_membrane_natural(natural, f);
    shell_facet_congruence(en, natural, e);
    shell_membrane_higher(q, f);
    for (int n = 0; n < 3; n++)
    {
        double middle[3][3], part[3][3];
        for (int i = 0; i < 9; i++) middle[i / 3][i % 3] = 0.5 * (q[n][i / 3][i % 3] + q[(n + 1) % 3][i / 3][i % 3]);
        shell_facet_congruence(part, middle, en);
        for (int i = 0; i < 9; i++) higher[i / 3][i % 3] += f->area * t * part[i / 3][i % 3];
    }

    // rotations less that of the triangle as a whole
    double turn[3][SHELL_DOFS];
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 3; i++)
        {
            const int j = (i + 1) % 3, o = (i + 2) % 3;
            turn[r][3 * i] = (f->x[o] - f->x[j]) / (4 * f->area);
            turn[r][3 * i + 1] = (f->y[o] - f->y[j]) / (4 * f->area);
            turn[r][3 * i + 2] = r == i;
        }
    shell_facet_add(k, 3, turn, higher, 0.75 * b0);
}

// ---- bending and shear, for (w, bx, by) of each corner ----

// Modulus of bending along a side over that of shear: E/(1 - nu^2) / G = 2/(1 - nu) if isotropic.
static double shell_bending_shear(const ShellPly* ply, const double side[2])
{
    if (!ply->orthotropic) return 2 / (1 - ply->poisson);
    const double v[3] = {side[0] * side[0], side[1] * side[1], 2 * side[0] * side[1]};
    double stretch = 0, shear = 0;
    for (int i = 0; i < 9; i++) stretch += v[i / 3] * ply->plane[i / 3][i % 3] * v[i % 3];
    for (int i = 0; i < 4; i++) shear += side[i / 2] * ply->transverse[i / 2][i % 2] * side[i % 2];
    return stretch / shear;
}

// d_k and g_k of each side
static void shell_bending_sides(double d[3][SHELL_DOFS], double g[3][SHELL_DOFS], const ShellFacet* f,
                                const ShellPly* ply)
{
    const double t = ply->thickness, shear = 5.0 / 6;
    memset(d, 0, 3 * sizeof *d);
    for (int k = 0; k < 3; k++)
    {
        const int i = k, j = (k + 1) % 3;
        const double l = f->length[k], p = shell_bending_shear(ply, f->side[k]) * t * t / (shear * l * l);
        const double c = -1.5 / (l * (1 + p));
        d[k][3 * i] = -c;
        d[k][3 * j] = c;
        for (int a = 0; a < 2; a++) d[k][3 * i + 1 + a] = d[k][3 * j + 1 + a] = 0.5 * l * c * f->side[k][a];
        for (int n = 0; n < SHELL_DOFS; n++) g[k][n] = -2.0 / 3 * p * d[k][n];
    }
}

// shear strain at a corner, from those along its two sides: s_k . g = g_k
static void shell_bending_corner_shear(double g[2][SHELL_DOFS], const ShellFacet* f, double sides[3][SHELL_DOFS],
                                       int corner)
{
    const int k = corner, m = (corner + 2) % 3;
    const double *s = f->side[k], *q = f->side[m], det = s[0] * q[1] - s[1] * q[0];
    for (int n = 0; n < SHELL_DOFS; n++)
    {
        g[0][n] = (q[1] * sides[k][n] - s[1] * sides[m][n]) / det;
        g[1][n] = (s[0] * sides[m][n] - q[0] * sides[k][n]) / det;
    }
}

// curvatures (bx,x  by,y  bx,y + by,x) at a point
static void shell_bending_curvature(double b[3][SHELL_DOFS], const ShellFacet* f, double d[3][SHELL_DOFS],
                                    const double l[3])
{
    memset(b, 0, 3 * sizeof *b);
    for (int i = 0; i < 3; i++)
    {
        b[0][3 * i + 1] = b[2][3 * i + 2] = f->slope[i][0];
        b[1][3 * i + 2] = b[2][3 * i + 1] = f->slope[i][1];
    }
    for (int k = 0; k < 3; k++)
    {
        const int i = k, j = (k + 1) % 3;
        const double gx = 4 * (l[i] * f->slope[j][0] + l[j] * f->slope[i][0]);
        const double gy = 4 * (l[i] * f->slope[j][1] + l[j] * f->slope[i][1]);
        const double c = f->side[k][0], s = f->side[k][1];
        for (int n = 0; n < SHELL_DOFS; n++)
        {
            b[0][n] += gx * c * d[k][n];
            b[1][n] += gy * s * d[k][n];
            b[2][n] += (gy * c + gx * s) * d[k][n];
        }
    }
}

// root of the shear modulus of the twist v over that through the thickness, along a side; 1 if isotropic
static double shell_bending_layer(const ShellPly* ply, const double side[2], const double v[3])
{
    double in_plane = 0, through = 0;
    if (!ply->orthotropic) return 1;
    for (int i = 0; i < 9; i++) in_plane += v[i / 3] * ply->plane[i / 3][i % 3] * v[i % 3];
    for (int i = 0; i < 4; i++) through += side[i / 2] * ply->transverse[i / 2][i % 2] * side[i % 2];
    return sqrt(in_plane / through);
}

// What free edges take from the twisting stiffness (see above): stiff loses a share of (stiff
// v)(stiff v)^T / v^T stiff v, v the twist along the edge, and stays positive. The layer covers r l
// / area of the triangle. Of an orthotropic plate it is wider by the root of G in the plane over G through the thickness,
// by which Saint-Venant's torsion of its edge is stretched. A triangle smaller than the layer resolves part of it: the share that
// makes plates of any element size agree is ratio / (1 + ratio).
static void shell_bending_soften(double stiff[3][3], const ShellFacet* f, const ShellPly* ply, const bool free_edge[3])
{
    for (int k = 0; k < 3; k++)
    {
        if (!free_edge[k]) continue;
        const double c = f->side[k][0], s = f->side[k][1], v[3] = {-c * s, c * s, c * c - s * s};
        const double r = ply->thickness / sqrt(10) * shell_bending_layer(ply, f->side[k], v);
        const double ratio = r * f->length[k] / f->area, share = ratio / (1 + ratio);
        double stress[3], energy = 0;
        for (int i = 0; i < 3; i++)
        {
            stress[i] = stiff[i][0] * v[0] + stiff[i][1] * v[1] + stiff[i][2] * v[2];
            energy += stress[i] * v[i];
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) stiff[i][j] -= share * stress[i] * stress[j] / energy;
    }
}

static void shell_bending_add(double k[SHELL_DOFS][SHELL_DOFS], const ShellFacet* f, const ShellPly* ply,
                              const bool free_edge[3])
{
    const double t = ply->thickness, gt = 5.0 / 6 * ply->young * t / (2 * (1 + ply->poisson));
    double shear[3][3] = {{gt, 0, 0}, {0, gt, 0}, {0, 0, 0}};
    for (int i = 0; i < 4 && ply->orthotropic; i++) shear[i / 2][i % 2] = 5.0 / 6 * t * ply->transverse[i / 2][i % 2];
    double stiff[3][3], d[3][SHELL_DOFS], sides[3][SHELL_DOFS], corner[3][2][SHELL_DOFS], b[3][SHELL_DOFS],
        g[2][SHELL_DOFS];
    shell_facet_plane_stress(stiff, ply, t * t * t / 12);
    shell_bending_soften(stiff, f, ply, free_edge);
    shell_bending_sides(d, sides, f, ply);
    for (int i = 0; i < 3; i++) shell_bending_corner_shear(corner[i], f, sides, i);

    // exact for products of linear strains: the middles of the sides
    for (int q = 0; q < 3; q++)
    {
        const int j = (q + 1) % 3;
        double l[3] = {0, 0, 0};
        l[q] = l[j] = 0.5;
        shell_bending_curvature(b, f, d, l);
        shell_facet_add(k, 3, b, stiff, f->area / 3);
        for (int i = 0; i < 2 * SHELL_DOFS; i++)
            g[i / SHELL_DOFS][i % SHELL_DOFS] =
                0.5 * (corner[q][i / SHELL_DOFS][i % SHELL_DOFS] + corner[j][i / SHELL_DOFS][i % SHELL_DOFS]);
        shell_facet_add(k, 2, g, shear, f->area / 3);
    }
}

// ---- in space ----

// block of two nodes, from axes of the triangle to space
static void shell_facet_turn(double out[9], double k[3][3], const twVec3 axis[3])
{
    const double r[3][3] = {
        {axis[0].x, axis[0].y, axis[0].z}, {axis[1].x, axis[1].y, axis[1].z}, {axis[2].x, axis[2].y, axis[2].z}};
    double kr[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) kr[i][j] = k[i][0] * r[0][j] + k[i][1] * r[1][j] + k[i][2] * r[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = r[0][i] * kr[0][j] + r[1][i] * kr[1][j] + r[2][i] * kr[2][j];
}

// local (u, v, w) and (tx, ty, tz) of a corner, from membrane (u, v, tz) and bending (w, bx = ty,
// by = -tx)
static void shell_facet_gather(double block[3][3], double membrane[SHELL_DOFS][SHELL_DOFS],
                               double bending[SHELL_DOFS][SHELL_DOFS], int p, int q)
{
    static const int in_plane[2][3] = {{0, 1, -1}, {-1, -1, 2}}, out_of_plane[2][3] = {{-1, -1, 0}, {2, 1, -1}};
    static const double sign[2][3] = {{1, 1, 1}, {-1, 1, 1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            const int mi = in_plane[p % 2][i], mj = in_plane[q % 2][j];
            const int bi = out_of_plane[p % 2][i], bj = out_of_plane[q % 2][j];
            block[i][j] = 0;
            if (mi >= 0 && mj >= 0) block[i][j] = membrane[3 * (p / 2) + mi][3 * (q / 2) + mj];
            if (bi >= 0 && bj >= 0)
                block[i][j] = sign[p % 2][i] * sign[q % 2][j] * bending[3 * (p / 2) + bi][3 * (q / 2) + bj];
        }
}

bool shell_element(ShellElement* element, const twVec3 x[3], const ShellPly* ply, const bool free_edge[3])
{
    ShellFacet f;
    if (!shell_facet_init(&f, x)) return false;
    double membrane[SHELL_DOFS][SHELL_DOFS] = {{0}}, bending[SHELL_DOFS][SHELL_DOFS] = {{0}}, block[3][3];
    shell_membrane_add(membrane, &f, ply);
    shell_bending_add(bending, &f, ply, free_edge);
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++)
        {
            shell_facet_gather(block, membrane, bending, p, q);
            shell_facet_turn(element->k[p][q], block, f.axis);
        }
    element->area = f.area;
    const double lump = 0.5, mass = ply->density * ply->thickness * f.area;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            element->m[i][j] = mass * (lump * (i == j ? 1.0 / 3 : 0) + (1 - lump) * (i == j ? 1.0 / 6 : 1.0 / 12));
    return true;
}

bool shell_strain(double strain[6][18], const twVec3 x[3], const ShellPly* ply)
{
    ShellFacet f;
    if (!shell_facet_init(&f, x)) return false;
    double membrane[3][SHELL_DOFS], d[3][SHELL_DOFS], sides[3][SHELL_DOFS], curvature[3][SHELL_DOFS];
    shell_membrane_lumping(membrane, &f);
    shell_bending_sides(d, sides, &f, ply);
    shell_bending_curvature(curvature, &f, d, (const double[3]){1.0 / 3, 1.0 / 3, 1.0 / 3});
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++)
            {
                const double ax = c == 0 ? f.axis[0].x : c == 1 ? f.axis[0].y : f.axis[0].z;
                const double ay = c == 0 ? f.axis[1].x : c == 1 ? f.axis[1].y : f.axis[1].z;
                const double an = c == 0 ? f.axis[2].x : c == 1 ? f.axis[2].y : f.axis[2].z;
                const double *m = membrane[r] + 3 * i, *b = curvature[r] + 3 * i;
                strain[r][6 * i + c] = (m[0] * ax + m[1] * ay) / f.area;
                strain[r][6 * i + 3 + c] = m[2] * an / f.area;
                strain[3 + r][6 * i + c] = b[0] * an;
                strain[3 + r][6 * i + 3 + c] = b[1] * ay - b[2] * ax;
            }
    return true;
}
