// SPDX-License-Identifier: MIT
// The exact Hessian of the elastic energy, and the matrix of the implicit step made of it.
//
// For a measure k of one node with energy 1/2 B (k - kbar)^2 the Hessian is B k' k'^T + B (k - kbar) k''. With e, f the edge
// vectors, te, tf their directions, chi = 1 + te.tf, T = (te + tf)/chi, b = 2 te x tf/chi, and for
//
//     k1: D =  (d2e + d2f)/chi, own d1, other  d2        k2: D = -(d1e + d1f)/chi, own d2, other -d1
//
//     k_e    = (tf x D - k T)/|e|,  k_f = (-te x D - k T)/|f|,  k_theta = -1/2 b.own
//     k_ee   = (2 k T T^T - (tf x D) T^T - T (tf x D)^T - k/chi (1 - te te^T) + 1/4 (b other^T + other b^T))/|e|^2
//     k_ef   = (2 k T T^T - (tf x D) T^T + T (te x D)^T - k/chi (1 + te tf^T) - [D]x)/(|e| |f|)
//     k_theta theta = -1/2 b.other,   k_e theta = (1/2 (b.own) T - tf x own/chi)/|e|,  with + te x own for f.
//
// The twist has m_e = b/(2|e|), m_theta = -1, 1,  m_ee = -(b (te + T)^T + (te + T) b^T)/(4 |e|^2),
// m_ef = ([te]x 2/chi - b T^T)/(2 |e| |f|). Frames are carried along without spin, so that the derivative of the gradient in
// the coordinates of a step has a small skew part; this is its symmetric part (Bergou et al. 2010 for the derivation).
#include "element.h"
#include "rod.h"
#include <math.h>
#include <string.h>

// Hessian of one node in (e, theta_e, f, theta_f): 3 + 1 + 3 + 1
typedef double Square[8][8];

typedef struct Pair
{
    RodFrame e, f;
    double inv_e, inv_f;
    twVec3 middle, binormal;  // T, b
    RodElement at;
} Pair;

static void add_outer(Square s, const double g[8], const double h[8], double scale)
{
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) s[a][b] += scale * g[a] * h[b];
}

static void put3(double* g, twVec3 a, double scale) { g[0] = scale * a.x, g[1] = scale * a.y, g[2] = scale * a.z; }

// which of the two curvatures, with its signed vectors
typedef struct Measure
{
    double k;
    twVec3 d, own_e, own_f, other_e, other_f;
} Measure;

static Measure measure(const Pair* p, int which)
{
    Measure m;
    double sign = which == 0 ? 1 : -1;
    m.k = which == 0 ? p->at.k1 : p->at.k2;
    m.own_e = which == 0 ? p->e.d1 : p->e.d2;
    m.own_f = which == 0 ? p->f.d1 : p->f.d2;
    m.other_e = tw_vec3_scale(which == 0 ? p->e.d2 : p->e.d1, sign);
    m.other_f = tw_vec3_scale(which == 0 ? p->f.d2 : p->f.d1, sign);
    m.d = tw_vec3_scale(tw_vec3_add(m.other_e, m.other_f), 1 / p->at.chi);
    return m;
}

static void bend_gradient(const Pair* p, const Measure* m, double g[8])
{
    twVec3 on_e = tw_vec3_add_scaled(tw_vec3_cross(p->f.t, m->d), p->middle, -m->k);
    twVec3 on_f = tw_vec3_add_scaled(tw_vec3_cross(m->d, p->e.t), p->middle, -m->k);
    put3(g, on_e, p->inv_e);
    put3(g + 4, on_f, p->inv_f);
    g[3] = -0.5 * tw_vec3_dot(p->binormal, m->own_e);
    g[7] = -0.5 * tw_vec3_dot(p->binormal, m->own_f);
}

// scale (a b^T + b a^T) at (row, row)
static void add_sym(Square s, int row, twVec3 a, twVec3 b, double scale)
{
    const double *x = (const double*)&a, *y = (const double*)&b;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) s[row + i][row + j] += scale * (x[i] * y[j] + y[i] * x[j]);
}

// scale a b^T at (e, f), and transposed at (f, e)
static void add_mixed(Square s, twVec3 a, twVec3 b, double scale)
{
    const double *x = (const double*)&a, *y = (const double*)&b;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            s[i][4 + j] += scale * x[i] * y[j];
            s[4 + j][i] += scale * x[i] * y[j];
        }
}

// scale [a]x at (e, f), and transposed
static void add_cross(Square s, twVec3 a, double scale)
{
    const double m[3][3] = {{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            s[i][4 + j] += scale * m[i][j];
            s[4 + j][i] += scale * m[i][j];
        }
}

// scale (1 - t t^T) on the diagonal
static void add_across(Square s, int row, twVec3 t, double scale)
{
    for (int i = 0; i < 3; i++) s[row + i][row + i] += scale;
    add_sym(s, row, t, t, -0.5 * scale);
}

static void add_theta(Square s, int row, int theta, twVec3 a, double scale)
{
    for (int i = 0; i < 3; i++)
    {
        s[row + i][theta] += scale * ((const double*)&a)[i];
        s[theta][row + i] += scale * ((const double*)&a)[i];
    }
}

static void add_bend_curvature(const Pair* p, const Measure* m, double moment, Square s)
{
    double ee = moment * p->inv_e * p->inv_e, ff = moment * p->inv_f * p->inv_f, ef = moment * p->inv_e * p->inv_f;
    double k = m->k, inv_chi = 1 / p->at.chi;
    twVec3 fd = tw_vec3_cross(p->f.t, m->d), ed = tw_vec3_cross(p->e.t, m->d), mid = p->middle, b = p->binormal;
    add_sym(s, 0, mid, mid, ee * k);
    add_sym(s, 0, fd, mid, -ee);
    add_across(s, 0, p->e.t, -ee * k * inv_chi);
    add_sym(s, 0, b, m->other_e, 0.25 * ee);
    add_sym(s, 4, mid, mid, ff * k);
    add_sym(s, 4, ed, mid, ff);
    add_across(s, 4, p->f.t, -ff * k * inv_chi);
    add_sym(s, 4, b, m->other_f, 0.25 * ff);
    add_mixed(s, mid, mid, 2 * ef * k);
    add_mixed(s, fd, mid, -ef);
    add_mixed(s, mid, ed, ef);
    add_mixed(s, p->e.t, p->f.t, -ef * k * inv_chi);
    for (int i = 0; i < 3; i++) s[i][4 + i] -= ef * k * inv_chi, s[4 + i][i] -= ef * k * inv_chi;
    add_cross(s, m->d, -ef);
    s[3][3] -= 0.5 * moment * tw_vec3_dot(b, m->other_e);
    s[7][7] -= 0.5 * moment * tw_vec3_dot(b, m->other_f);
    double on_e = 0.5 * tw_vec3_dot(b, m->own_e), on_f = 0.5 * tw_vec3_dot(b, m->own_f);
    double me = moment * p->inv_e, mf = moment * p->inv_f;
    add_theta(s, 0, 3, tw_vec3_add_scaled(tw_vec3_scale(mid, on_e), tw_vec3_cross(p->f.t, m->own_e), -inv_chi), me);
    add_theta(s, 0, 7, tw_vec3_add_scaled(tw_vec3_scale(mid, on_f), tw_vec3_cross(p->f.t, m->own_f), -inv_chi), me);
    add_theta(s, 4, 3, tw_vec3_add_scaled(tw_vec3_scale(mid, on_e), tw_vec3_cross(p->e.t, m->own_e), inv_chi), mf);
    add_theta(s, 4, 7, tw_vec3_add_scaled(tw_vec3_scale(mid, on_f), tw_vec3_cross(p->e.t, m->own_f), inv_chi), mf);
}

static void add_twist(const Pair* p, double stiffness, double rest, Square s)
{
    double moment = stiffness * (p->at.tau - rest), slope = p->at.slope, g[8];
    twVec3 b = p->binormal;
    put3(g, b, 0.5 * p->inv_e);
    put3(g + 4, b, 0.5 * p->inv_f);
    g[3] = -1, g[7] = 1;
    add_outer(s, g, g, stiffness * slope * slope + moment * p->at.curvature);
    double m = moment * slope, ee = m * p->inv_e * p->inv_e, ff = m * p->inv_f * p->inv_f, ef = m * p->inv_e * p->inv_f;
    add_sym(s, 0, b, tw_vec3_add(p->e.t, p->middle), -0.25 * ee);
    add_sym(s, 4, b, tw_vec3_add(p->f.t, p->middle), -0.25 * ff);
    add_mixed(s, b, p->middle, -0.5 * ef);
    add_cross(s, p->e.t, ef / p->at.chi);
}

// ---- assembly ----

// bends, others: what the stiffness of each kind counts
static void node_square(const twRod* rod, int i, double bends, double others, Square s)
{
    const RodTrial* a = &rod->trial[0];
    Pair p = {.e = rod_frame_at(a->t, a->d1, a->d2, i - 1), .f = rod_frame_at(a->t, a->d1, a->d2, i)};
    int before = i > 0 ? i - 1 : rod->closed ? rod->ne - 1 : 0, after = i < rod->ne ? i : rod->ne - 1;
    p.inv_e = rod->inv_length[0][before];
    p.inv_f = rod->inv_length[0][after];
    p.at = rod_element(&p.e, &p.f);
    p.middle = tw_vec3_scale(tw_vec3_add(p.e.t, p.f.t), 1 / p.at.chi);
    p.binormal = tw_vec3_scale(tw_vec3_cross(p.e.t, p.f.t), 2 / p.at.chi);
    double dk1 = p.at.k1 - rod->k1_rest[i], dk2 = p.at.k2 - rod->k2_rest[i];
    double b11 = bends * rod->b11[i], b22 = bends * rod->b22[i], b12 = bends * rod->b12[i], g1[8], g2[8];
    Measure m1 = measure(&p, 0), m2 = measure(&p, 1);
    bend_gradient(&p, &m1, g1);
    bend_gradient(&p, &m2, g2);
    memset(s, 0, sizeof(Square));
    add_outer(s, g1, g1, b11);
    add_outer(s, g2, g2, b22);
    add_outer(s, g1, g2, b12);
    add_outer(s, g2, g1, b12);
    add_bend_curvature(&p, &m1, b11 * dk1 + b12 * dk2, s);
    add_bend_curvature(&p, &m2, b22 * dk2 + b12 * dk1, s);
    add_twist(&p, others * rod->twist_b[i], rod->tau_rest[i], s);
}

// how the coordinates of nodes i - 1, i, i + 1 move (e, theta_e, f, theta_f): rows of up to 6 per node
static void node_map(const twRod* rod, int i, double map[3][ROD_DOFS][8])
{
    memset(map, 0, sizeof(double) * 3 * ROD_DOFS * 8);
    bool has_e = rod->closed || i > 0, has_f = rod->closed || i < rod->ne;
    for (int c = 0; c < 3; c++)
    {
        if (has_e) map[0][c][c] = -1, map[1][c][c] = 1;
        if (has_f) map[1][c][4 + c] = -1, map[2][c][4 + c] = 1;
    }
    if (has_e) map[0][ROD_TURN][3] = 1;
    if (has_f) map[1][ROD_TURN][7] = 1;
    if (!rod->shear) return;
    // a tilt moves the section's normal as -length d does the edge
    int before = i > 0 ? i - 1 : rod->closed ? rod->ne - 1 : 0;
    for (int c = 0; c < 3; c++)
    {
        if (has_e) map[0][ROD_TILT][c] = -rod->trial[0].d1[c][i - 1] / rod->inv_length[0][before];
        if (has_e) map[0][ROD_TILT + 1][c] = -rod->trial[0].d2[c][i - 1] / rod->inv_length[0][before];
        if (has_f) map[1][ROD_TILT][4 + c] = -rod->trial[0].d1[c][i] / rod->inv_length[0][i];
        if (has_f) map[1][ROD_TILT + 1][4 + c] = -rod->trial[0].d2[c][i] / rod->inv_length[0][i];
    }
}

static double* block_at(const twRod* rod, int column, int k)
{
    int size = rod->dofs * rod->dofs;
    return rod->h_blocks + ((size_t)((column + rod->n) % rod->n) * 3 + (size_t)k) * (size_t)size;
}

// the same without tilts: e = x_i - x_i-1, f = x_i+1 - x_i, turns of edges i - 1 and i
static void spread_plain(twRod* rod, int i, Square s)
{
    // at an end one of the two edges does not exist, and nothing of it is added
    bool has_e = rod->closed || i > 0, has_f = rod->closed || i < rod->ne;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            if ((!has_e && (a < 4 || b < 4)) || (!has_f && (a >= 4 || b >= 4))) s[a][b] = 0;
    double nothing[3][16], *aa = nothing[0], *ba = nothing[0], *ca = nothing[0], *cb = nothing[1], *cc = nothing[2];
    double* bb = block_at(rod, i, 0);
    if (has_e) aa = block_at(rod, i - 1, 0), ba = block_at(rod, i - 1, 1);
    if (has_e && has_f) ca = block_at(rod, i - 1, 2);
    if (has_f) cb = block_at(rod, i, 1), cc = block_at(rod, i + 1, 0);
    if (!has_e || !has_f) memset(nothing, 0, sizeof nothing);
    for (int c = 0; c < 3; c++)
    {
        for (int r = 0; r < 3; r++)
        {
            double ee = s[r][c], ef = s[r][4 + c], fe = s[4 + r][c], ff = s[4 + r][4 + c];
            aa[c * 4 + r] += ee, ba[c * 4 + r] += fe - ee, ca[c * 4 + r] -= fe;
            bb[c * 4 + r] += ee - ef - fe + ff, cb[c * 4 + r] += fe - ff, cc[c * 4 + r] += ff;
        }
        double e3 = s[c][3], f3 = s[4 + c][3], e7 = s[c][7], f7 = s[4 + c][7];
        aa[c * 4 + 3] -= e3, aa[12 + c] -= e3;
        ba[c * 4 + 3] -= e7, ba[12 + c] += e3 - f3;
        ca[12 + c] += f3;
        bb[c * 4 + 3] += e7 - f7, bb[12 + c] += e7 - f7;
        cb[12 + c] += f7;
    }
    aa[15] += s[3][3], ba[15] += s[7][3], bb[15] += s[7][7];
}

// block (row, column) of three neighbouring nodes from map S map^T, added to the lower blocks
static void spread_square(twRod* rod, int i, Square s)
{
    int dofs = rod->dofs;
    double map[3][ROD_DOFS][8], half[3][ROD_DOFS][8];
    node_map(rod, i, map);
    for (int a = 0; a < 3; a++)
        for (int r = 0; r < dofs; r++)
            for (int k = 0; k < 8; k++)
            {
                double sum = 0;
                for (int j = 0; j < 8; j++) sum += map[a][r][j] * s[j][k];
                half[a][r][k] = sum;
            }
    for (int b = 0; b < 3; b++)
        for (int a = b; a < 3; a++)
        {
            if (!rod->closed && (i - 1 + b < 0 || i - 1 + a >= rod->n)) continue;
            double* block = block_at(rod, i - 1 + b, a - b);
            for (int c = 0; c < dofs; c++)
                for (int r = 0; r < dofs; r++)
                {
                    double sum = 0;
                    for (int k = 0; k < 8; k++) sum += half[a][r][k] * map[b][c][k];
                    block[c * dofs + r] += sum;
                }
        }
}

// x^T x of scalars on three neighbours i - 1, i, i + 1: scale g_a g_b^T for 3-vectors g
static void add_rank_one(twRod* rod, int first, int count, const twVec3* g, double scale)
{
    int dofs = rod->dofs;
    for (int b = 0; b < count; b++)
        for (int a = b; a < count; a++)
        {
            double* block = block_at(rod, first + b, a - b);
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++)
                    block[c * dofs + r] += scale * ((const double*)&g[a])[r] * ((const double*)&g[b])[c];
        }
}

// direction of an edge; with shear the trial tangents are those of the sections
static twVec3 axis_of(const twRod* rod, int j)
{
    double* const* t = rod->shear ? rod->axis[0] : rod->trial[0].t;
    return tw_vec3(t[0][j], t[1][j], t[2][j]);
}

static void add_stretch(twRod* rod, int j, double share)
{
    int dofs = rod->dofs, ne = rod->ne;
    twVec3 t = axis_of(rod, j), both[2] = {tw_vec3_scale(t, -1), t};
    double before = rod->strain[0][j - 1], here = rod->strain[0][j], after = rod->strain[0][j + 1];
    double change = rod->axial_node[j + 1] * (after - here) - rod->axial_node[j] * (here - before);
    double tension = rod->axial[j] * here + rod->inv_rest[j] * change;
    // stretching counts with its branches, but what a tension makes has none
    if (rod->branches.any && rod->scheme.h > 0) tension *= rod->scheme.still;
    add_rank_one(rod, j, 2, both, share * (rod->axial[j] * rod->inv_rest[j] - tension * rod->inv_length[0][j]));
    for (int b = 0; b < 2; b++)
        for (int a = b; a < 2; a++)
        {
            double* block = block_at(rod, j + b, a - b);
            double scale = share * tension * rod->inv_length[0][j] * (a == b ? 1 : -1);
            for (int c = 0; c < 3; c++) block[c * dofs + c] += scale;
        }
    // the change of strain at node j, between the edge before and this one
    if (!(rod->axial_node[j] > 0)) return;
    int last = j > 0 ? j - 1 : ne - 1;
    twVec3 u = tw_vec3_scale(axis_of(rod, last), rod->inv_rest[last]), v = tw_vec3_scale(t, rod->inv_rest[j]);
    twVec3 three[3] = {u, tw_vec3_scale(tw_vec3_add(u, v), -1), v};
    add_rank_one(rod, j - 1, 3, three, -share * rod->axial_node[j]);
}

void tw_rod_hessian(twRod* rod, double bends, double others)
{
    int size = rod->dofs * rod->dofs;
    rod->kernel->force(rod, rod->q, rod->g[0], 0);
    memset(rod->h_blocks, 0, (size_t)rod->n * 3 * (size_t)size * sizeof(double));
    for (int j = 0; j < rod->ne; j++)
    {
        add_stretch(rod, j, others);
        if (!rod->shear) continue;
        double* block = rod->h_blocks + (size_t)j * 3 * (size_t)size;
        block[ROD_TILT * rod->dofs + ROD_TILT] += others * rod->tilt11[j];
        block[(ROD_TILT + 1) * rod->dofs + ROD_TILT + 1] += others * rod->tilt22[j];
        block[ROD_TILT * rod->dofs + ROD_TILT + 1] += others * rod->tilt12[j];
        block[(ROD_TILT + 1) * rod->dofs + ROD_TILT] += others * rod->tilt12[j];
    }
    for (int i = 0; i < rod->n; i++)
    {
        bool end = !rod->closed && (i == 0 || i == rod->n - 1);
        if (end && !rod->clamp[i > 0]) continue;
        Square s;
        node_square(rod, i, bends, others, s);
        if (rod->shear)
            spread_square(rod, i, s);
        else
            spread_plain(rod, i, s);
    }
}
