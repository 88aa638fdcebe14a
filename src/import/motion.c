// SPDX-License-Identifier: MIT
// Where nodes and bodies are in time.
//
// The frame of a node in its parent is x -> R S x + t; frames multiply down the tree, and their rates by the product rule,
//     (A B)' = A' B + A B'.
// What the file has along y is z here: with C the quarter turn about x that does so, A becomes C A C^T, and coordinates of
// meshes C x, so that both are as they were in a modeller with z up. A body has the frame A = R K at the start, with R a
// rotation and K put into its mesh; later R(t) = A(t) K^-1, with the spin w of  R' R^T = [w]x.
#include "import/import.h"
#include <math.h>

#define CHANGES 1e-3     // how far from a rotation the motion of a body may be
#define MOST_LOOKS 1000  // at the keys of a curve

// ---- nodes ----

static ImportFrame local_frame(const ImportNode* node, double time)
{
    double t[3], t_rate[3], q[4], q_rate[4], s[3], s_rate[3];
    ImportFrame f = {.a = node->matrix.m, .p = node->matrix.t};
    if (node->has_matrix) return f;
    twVec3 translation = node->translation, scale = node->scale, speed = {0, 0, 0}, growth = {0, 0, 0},
           spin = {0, 0, 0};
    twQuat rotation = node->rotation;
    if (node->way[IMPORT_TRANSLATION])
    {
        spline_at(node->way[IMPORT_TRANSLATION], time, t, t_rate);
        translation = tw_vec3(t[0], t[1], t[2]);
        speed = tw_vec3(t_rate[0], t_rate[1], t_rate[2]);
    }
    if (node->way[IMPORT_SCALE])
    {
        spline_at(node->way[IMPORT_SCALE], time, s, s_rate);
        scale = tw_vec3(s[0], s[1], s[2]);
        growth = tw_vec3(s_rate[0], s_rate[1], s_rate[2]);
    }
    if (node->way[IMPORT_ROTATION])
    {
        // with p a curve of quaternions, q = p / |p| turns with 2 Im(p' p*) / |p|^2
        spline_at(node->way[IMPORT_ROTATION], time, q, q_rate);
        const twQuat p = tw_quat(q[3], q[0], q[1], q[2]), rate = tw_quat(q_rate[3], q_rate[0], q_rate[1], q_rate[2]);
        const double square = tw_quat_norm(p) * tw_quat_norm(p);
        const twQuat w = tw_quat_mul(rate, tw_quat_conj(p));
        const double factor = square > 0 ? 2 / square : 0;
        spin = tw_vec3(factor * w.x, factor * w.y, factor * w.z);
        rotation = square > 0 ? tw_quat_normalize(p) : node->rotation;
    }
    const twMat3 r = tw_mat3_from_quat(rotation), rs = tw_mat3_mul(r, tw_mat3_diagonal(scale));
    f.a = rs;
    f.a_rate = tw_mat3_add(tw_mat3_mul(tw_mat3_skew(spin), rs), tw_mat3_mul(r, tw_mat3_diagonal(growth)));
    f.p = translation;
    f.p_rate = speed;
    return f;
}

static ImportFrame inside(const ImportFrame* outer, const ImportFrame* inner)
{
    return (ImportFrame){
        .a = tw_mat3_mul(outer->a, inner->a),
        .a_rate = tw_mat3_add(tw_mat3_mul(outer->a_rate, inner->a), tw_mat3_mul(outer->a, inner->a_rate)),
        .p = tw_vec3_add(outer->p, tw_mat3_mul_vec(outer->a, inner->p)),
        .p_rate = tw_vec3_add(outer->p_rate, tw_vec3_add(tw_mat3_mul_vec(outer->a_rate, inner->p),
                                                         tw_mat3_mul_vec(outer->a, inner->p_rate))),
    };
}

twVec3 import_axes(const twImportTree* tree, twVec3 v) { return tree->z_up ? v : tw_vec3(v.x, -v.z, v.y); }

// C m C^T
static twMat3 turn_axes(const twImportTree* tree, twMat3 m)
{
    if (tree->z_up) return m;
    const twMat3 c = tw_mat3_rows(tw_vec3(1, 0, 0), tw_vec3(0, 0, -1), tw_vec3(0, 1, 0));
    return tw_mat3_mul(c, tw_mat3_mul(m, tw_mat3_transpose(c)));
}

ImportFrame import_frame(const twImportTree* tree, int node, double time)
{
    ImportFrame f = local_frame(&tree->nodes[node], time + tree->start);
    for (int i = tree->nodes[node].parent; i >= 0; i = tree->nodes[i].parent)
    {
        const ImportFrame outer = local_frame(&tree->nodes[i], time + tree->start);
        f = inside(&outer, &f);
    }
    f.a = turn_axes(tree, f.a);
    f.a_rate = turn_axes(tree, f.a_rate);
    f.p = tw_vec3_scale(import_axes(tree, f.p), tree->unit);
    f.p_rate = tw_vec3_scale(import_axes(tree, f.p_rate), tree->unit);
    return f;
}

bool import_moves(const twImportTree* tree, int node)
{
    for (int i = node; i >= 0; i = tree->nodes[i].parent)
        for (int way = 0; way < IMPORT_WAYS; way++)
            if (tree->nodes[i].way[way]) return true;
    return false;
}

// ---- bodies ----

// the rotation nearest to the columns of a matrix, in their order
static twQuat rotation_of(twMat3 a)
{
    const twMat3 t = tw_mat3_transpose(a);
    const twVec3 x = tw_vec3_normalize(tw_mat3_row(t, 0));
    const twVec3 second = tw_mat3_row(t, 1);
    const twVec3 y = tw_vec3_normalize(tw_vec3_add_scaled(second, x, -tw_vec3_dot(second, x)));
    return tw_quat_from_axes(x, y, tw_vec3_cross(x, y));
}

bool import_split(twMat3 a, twQuat* r, twMat3* k)
{
    twMat3 inverse;
    if (!tw_mat3_inverse(&inverse, a)) return false;
    *r = rotation_of(a);
    *k = tw_mat3_mul(tw_mat3_transpose(tw_mat3_from_quat(*r)), a);
    return true;
}

twBodyMotion tw_import_motion(const twImport* import, int body, double time)
{
    const ImportHook* hook = &import->tree->hooks[body];
    if (hook->still) return import->bodies[body].motion;
    const ImportFrame f = import_frame(import->tree, hook->node, time);
    const twQuat turn = rotation_of(tw_mat3_mul(f.a, hook->unscale));
    const twMat3 w = tw_mat3_mul(tw_mat3_mul(f.a_rate, hook->unscale), tw_mat3_transpose(tw_mat3_from_quat(turn)));
    return (twBodyMotion){
        .position = f.p,
        .turn = turn,
        .velocity = f.p_rate,
        .spin = tw_vec3(0.5 * (w.m[2][1] - w.m[1][2]), 0.5 * (w.m[0][2] - w.m[2][0]), 0.5 * (w.m[1][0] - w.m[0][1]))};
}

// whether the frame of a body is a rotation at a time
static bool is_rigid(const twImport* import, int body, double time)
{
    const ImportHook* hook = &import->tree->hooks[body];
    const twMat3 r = tw_mat3_mul(import_frame(import->tree, hook->node, time).a, hook->unscale);
    const twMat3 square = tw_mat3_mul(tw_mat3_transpose(r), r);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(square.m[i][k] - (i == k)) <= CHANGES)) return false;
    return true;
}

// at its keys, and between them
static bool stays_rigid(const twImport* import, int body, const Spline* spline)
{
    const double start = import->tree->start;
    for (int i = 0; i < spline->count; i += 1 + spline->count / MOST_LOOKS)
    {
        if (!is_rigid(import, body, spline->times[i] - start)) return false;
        if (i + 1 < spline->count && !is_rigid(import, body, 0.5 * (spline->times[i] + spline->times[i + 1]) - start))
            return false;
    }
    return true;
}

// whether a node keeps angles and always scales alike
static bool is_even(const ImportNode* node)
{
    const twVec3 s = node->scale;
    return !node->has_matrix && !node->way[IMPORT_SCALE] && fabs(s.x - s.y) <= 1e-6 * fabs(s.x) &&
           fabs(s.x - s.z) <= 1e-6 * fabs(s.x);
}

static twStatus check_size(const twImport* import, int body, twError* err)
{
    const twImportTree* tree = import->tree;
    for (int i = tree->hooks[body].node; i >= 0; i = tree->nodes[i].parent)
        for (int way = 0; way < IMPORT_WAYS; way++)
            if (tree->nodes[i].way[way] && !stays_rigid(import, body, tree->nodes[i].way[way]))
                return tw_fail(err, TW_BAD_INPUT,
                               "the animation changes the size or form of '%.60s' (by the scale of '%.60s' or of what "
                               "it hangs on), which no solid body does: take it out",
                               import->bodies[body].name, tree->nodes[i].name);
    return TW_OK;
}

twStatus tw_import_check(const twImport* import, int body, twError* err)
{
    const twImportTree* tree = import->tree;
    const char* name = import->bodies[body].name;
    if (tree->hooks[body].still) return TW_OK;
    for (int i = tree->hooks[body].node; i >= 0; i = tree->nodes[i].parent)
        if (tree->nodes[i].jumps)
            return tw_fail(err, TW_BAD_INPUT,
                           "the keys of node '%.60s' are jumps (STEP, constant interpolation), which '%.60s' cannot "
                           "follow where it touches: give them another interpolation",
                           tree->nodes[i].name, name);
    bool even = true;
    for (int i = tree->hooks[body].node; i >= 0; i = tree->nodes[i].parent) even = even && is_even(&tree->nodes[i]);
    return even ? TW_OK : check_size(import, body, err);
}
