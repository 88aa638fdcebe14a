// SPDX-License-Identifier: MIT
// Generalised winding number of a triangle soup (Jacobson, Kavan, Sorkine-Hornung: "Robust inside-outside segmentation
// using generalized winding numbers", SIGGRAPH 2013):
//     w(q) = 1/(4 pi) sum over triangles of the solid angle O seen from q,
//     tan(O/2) = det(a, b, c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)
// with a, b, c the corners seen from q (van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30, 1983). Triangles that are
// far away are summed by a Taylor expansion about a centre p (Barill, Dickson, Schmidt, Levin, Jacobson: "Fast winding
// numbers for soups and clouds", SIGGRAPH 2018): with r = p - q, u = r/|r|, area vectors N,
//     4 pi w = N.u / r^2 - 3 u C u / r^3 + (15/2) S(u, u, u) / r^4,
//     C = sum of N (x - p),  S = sum of N (x - p)(x - p).
// The derivatives of the harmonic 1/r are symmetric and have no trace, so only those parts of C and S are kept: 6 and 10
// numbers. Moments of parents come from those of their children:
//     C' = C + N d,  S' = S + 2 sym(C d) + N d d,  d = p - p'.
#include "mesh/winding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Triangles are far when their centre is more than this many of their radii away. Errors measured: see docs/mesh.md.
static const double FAR_RADII = 4.5;

enum
{
    LEAF_FACES = 8
};

// ---- moments ----

// rows of the symmetric tensors: which parts of the vector each entry is made of
static const int SECOND[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
static const int THIRD[10][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}, {0, 0, 2},
                                 {1, 1, 0}, {1, 1, 2}, {2, 2, 0}, {2, 2, 1}, {0, 1, 2}};
static const int SECOND_AT[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

static void to_array(double v[3], twVec3 a)
{
    v[0] = a.x;
    v[1] = a.y;
    v[2] = a.z;
}

// second += the symmetric part of a b
static void add_second(double second[6], twVec3 a, twVec3 b)
{
    double u[3], v[3];
    to_array(u, a);
    to_array(v, b);
    for (int e = 0; e < 6; e++)
    {
        int i = SECOND[e][0], j = SECOND[e][1];
        second[e] += 0.5 * (u[i] * v[j] + u[j] * v[i]);
    }
}

// third += scale times the symmetric part of a M, with M symmetric
static void add_third(double third[10], twVec3 a, const double m[6], double scale)
{
    double u[3];
    to_array(u, a);
    for (int e = 0; e < 10; e++)
    {
        int i = THIRD[e][0], j = THIRD[e][1], k = THIRD[e][2];
        third[e] += scale / 3 * (u[i] * m[SECOND_AT[j][k]] + u[j] * m[SECOND_AT[i][k]] + u[k] * m[SECOND_AT[i][j]]);
    }
}

// add the moments of one triangle about far->centre
static void add_triangle(twFarField* far, const twVec3* corner)
{
    twVec3 d[3];
    for (int i = 0; i < 3; i++) d[i] = tw_vec3_sub(corner[i], far->centre);
    twVec3 sum = tw_vec3_add(tw_vec3_add(d[0], d[1]), d[2]);
    twVec3 normal = tw_vec3_scale(tw_vec3_cross(tw_vec3_sub(d[1], d[0]), tw_vec3_sub(d[2], d[0])), 0.5);

    // mean of x x over a triangle: (sum of d d + s s) / 12, with s the sum of the corners
    double mean[6] = {0};
    add_second(mean, sum, sum);
    for (int i = 0; i < 3; i++) add_second(mean, d[i], d[i]);
    for (int e = 0; e < 6; e++) mean[e] /= 12;

    far->dipole = tw_vec3_add(far->dipole, normal);
    add_second(far->second, normal, tw_vec3_scale(sum, 1.0 / 3));
    add_third(far->third, normal, mean, 1);
}

// add the moments of a child about far->centre
static void add_child(twFarField* far, const twFarField* child)
{
    twVec3 d = tw_vec3_sub(child->centre, far->centre);
    double dd[6] = {0};
    add_second(dd, d, d);
    far->dipole = tw_vec3_add(far->dipole, child->dipole);
    add_second(far->second, child->dipole, d);
    add_third(far->third, d, child->second, 2);
    add_third(far->third, child->dipole, dd, 1);
    for (int e = 0; e < 6; e++) far->second[e] += child->second[e];
    for (int e = 0; e < 10; e++) far->third[e] += child->third[e];
}

static void remove_traces(twFarField* far)
{
    double mean = (far->second[0] + far->second[1] + far->second[2]) / 3;
    for (int e = 0; e < 3; e++) far->second[e] -= mean;

    // t_i = S_ijj; take away (d_ij t_k + d_ik t_j + d_jk t_i) / 5
    double* s = far->third;
    double t[3] = {s[0] + s[5] + s[7], s[1] + s[3] + s[8], s[2] + s[4] + s[6]};
    for (int e = 0; e < 3; e++) s[e] -= 3 * t[e] / 5;
    s[3] -= t[1] / 5;
    s[4] -= t[2] / 5;
    s[5] -= t[0] / 5;
    s[6] -= t[2] / 5;
    s[7] -= t[0] / 5;
    s[8] -= t[1] / 5;
}

// ---- building ----

static double square(twVec3 v) { return tw_vec3_dot(v, v); }

static void gather_leaf(const twWinding* winding, const twTreeNode* node, twFarField* far)
{
    // centre: mean of the corners weighted by area
    const twVec3* corners = winding->corners + 3 * (size_t)node->first;
    twVec3 sum = {0, 0, 0};
    double total = 0;
    for (int i = 0; i < node->count; i++)
    {
        const twVec3* c = corners + 3 * (size_t)i;
        double area = tw_vec3_norm(tw_vec3_cross(tw_vec3_sub(c[1], c[0]), tw_vec3_sub(c[2], c[0])));
        sum = tw_vec3_add_scaled(sum, tw_vec3_add(tw_vec3_add(c[0], c[1]), c[2]), area / 3);
        total += area;
    }
    twVec3 middle = tw_vec3_scale(tw_vec3_add(node->low, node->high), 0.5);
    far->centre = total > 0 ? tw_vec3_scale(sum, 1 / total) : middle;
    for (int i = 0; i < 3 * node->count; i++)
    {
        double distance2 = square(tw_vec3_sub(corners[i], far->centre));
        if (distance2 > far->radius2) far->radius2 = distance2;
    }
    for (int i = 0; i < node->count; i++) add_triangle(far, corners + 3 * (size_t)i);
}

static void gather_children(const twTreeNode* node, const twFarField* left, const twFarField* right, twFarField* far)
{
    // the centre by the children's extent: any point near serves, the moments take care of the rest
    double a = sqrt(left->radius2), b = sqrt(right->radius2), share = a + b > 0 ? a / (a + b) : 0.5;
    far->centre = tw_vec3_add(tw_vec3_scale(left->centre, share), tw_vec3_scale(right->centre, 1 - share));
    add_child(far, left);
    add_child(far, right);

    // radius: that of the children's balls or of the box, whichever is smaller
    double ball = fmax(tw_vec3_norm(tw_vec3_sub(left->centre, far->centre)) + a,
                       tw_vec3_norm(tw_vec3_sub(right->centre, far->centre)) + b);
    twVec3 below = tw_vec3_sub(far->centre, node->low), above = tw_vec3_sub(node->high, far->centre);
    twVec3 reach = tw_vec3(fmax(below.x, above.x), fmax(below.y, above.y), fmax(below.z, above.z));
    far->radius2 = fmin(ball * ball, square(reach));
}

static void gather(twWinding* winding)
{
    // children come after their parents, so going backwards finds them ready
    const twTree* tree = winding->tree;
    for (int i = tree->node_count - 1; i >= 0; i--)
    {
        const twTreeNode* node = &tree->nodes[i];
        if (node->right == 0)
            gather_leaf(winding, node, &winding->far[i]);
        else
            gather_children(node, &winding->far[i + 1], &winding->far[node->right], &winding->far[i]);
    }
    for (int i = 0; i < tree->node_count; i++) remove_traces(&winding->far[i]);
}

// check the mesh and find its size. @return size 0 for a mesh without extent
static twStatus measure(const twMesh* mesh, double* size, twError* err)
{
    const double limit = 1e100;
    twVec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++)
        {
            int v = mesh->faces[f].v[i];
            if (v < 0 || v >= mesh->vertex_count)
                return tw_fail(err, TW_BAD_INPUT, "face %d: vertex %d is outside 0..%d", f, v, mesh->vertex_count - 1);
            twVec3 p = mesh->vertices[v];
            if (!(fabs(p.x) < limit && fabs(p.y) < limit && fabs(p.z) < limit))
                return tw_fail(err, TW_BAD_INPUT, "vertex %d (%g, %g, %g) is not finite; mend the mesh first", v, p.x,
                               p.y, p.z);
            low = tw_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
    *size = mesh->face_count > 0 ? tw_vec3_norm(tw_vec3_sub(high, low)) : 0;
    return TW_OK;
}

// the power of two that brings size to [1, 2)
static double unit_scale(double size)
{
    if (!(size > 1e-290)) return 1;
    return ldexp(1, -ilogb(size));
}

static twStatus build(twWinding* winding, const twMesh* mesh, twError* err)
{
    size_t count = 3 * (size_t)mesh->face_count;
    twVec3* soup = malloc((count + 1) * sizeof *soup);
    winding->corners = malloc((count + 1) * sizeof *winding->corners);
    if (!soup || !winding->corners)
    {
        free(soup);
        return tw_fail(err, TW_NO_MEMORY, "no memory for the winding tree of %d faces", mesh->face_count);
    }
    for (size_t i = 0; i < count; i++)
        soup[i] = tw_vec3_scale(mesh->vertices[mesh->faces[i / 3].v[i % 3]], winding->scale);
    twStatus status = tw_tree_create(&winding->tree, soup, mesh->face_count, LEAF_FACES, err);

    // the triangles in the tree's order, for the cache's sake
    for (size_t i = 0; i < count && status == TW_OK; i++)
        winding->corners[i] = soup[3 * (size_t)winding->tree->order[i / 3] + i % 3];
    free(soup);
    if (status != TW_OK) return status;
    winding->far = calloc((size_t)winding->tree->node_count + 1, sizeof *winding->far);
    if (!winding->far)
        return tw_fail(err, TW_NO_MEMORY, "no memory for the winding tree of %d faces", mesh->face_count);
    gather(winding);
    return TW_OK;
}

twStatus tw_winding_create(twWinding** out, const twMesh* mesh, twError* err)
{
    *out = NULL;
    double size = 0;
    twStatus status = measure(mesh, &size, err);
    if (status != TW_OK) return status;
    twWinding* winding = calloc(1, sizeof *winding);
    if (!winding) return tw_fail(err, TW_NO_MEMORY, "no memory for a winding tree");
    winding->scale = unit_scale(size);
    status = build(winding, mesh, err);
    if (status == TW_OK)
        *out = winding;
    else
        tw_winding_destroy(winding);
    return status;
}

void tw_winding_destroy(twWinding* winding)
{
    if (!winding) return;
    tw_tree_destroy(winding->tree);
    free(winding->corners);
    free(winding->far);
    free(winding);
}

// ---- asking ----

// a sum of half solid angles, kept as a product of complex numbers: one arc tangent at the end instead of one each
typedef struct AngleSum
{
    double re, im;  // its argument is the sum, less whole turns
    int turns;
} AngleSum;

static void add_angle(AngleSum* sum, double re, double im)
{
    double size = 1 / (fabs(re) + fabs(im));
    double product_re = (sum->re * re - sum->im * im) * size, product_im = (sum->re * im + sum->im * re) * size;

    // two turns to one side that seem to end on the other have passed half a turn
    if (sum->im >= 0 && im > 0 && product_im < 0) sum->turns++;
    if (sum->im < 0 && im < 0 && product_im >= 0) sum->turns--;
    sum->re = product_re;
    sum->im = product_im;
}

// add half the solid angle of a triangle seen from q
static void add_solid_angle(AngleSum* sum, const twVec3* corner, twVec3 q)
{
    twVec3 a = tw_vec3_sub(corner[0], q), b = tw_vec3_sub(corner[1], q), c = tw_vec3_sub(corner[2], q);
    double la = tw_vec3_norm(a), lb = tw_vec3_norm(b), lc = tw_vec3_norm(c);
    double det = tw_vec3_dot(a, tw_vec3_cross(b, c));
    double below = la * lb * lc + tw_vec3_dot(a, b) * lc + tw_vec3_dot(b, c) * la + tw_vec3_dot(c, a) * lb;

    // a point in the plane sees nothing; the sign of a zero would make it half a sphere. Nor does anything below
    // the range of double.
    if (fabs(det) > 1e-290) add_angle(sum, below, det);
}

// 4 pi w of a subtree that is far away, r = p - q, r2 = r . r
static double far_angle(const twFarField* far, twVec3 r, double r2)
{
    double inverse = 1 / sqrt(r2);
    double x = r.x * inverse, y = r.y * inverse, z = r.z * inverse;
    const double *c = far->second, *s = far->third;
    double first = far->dipole.x * x + far->dipole.y * y + far->dipole.z * z;
    double second = c[0] * x * x + c[1] * y * y + c[2] * z * z + 2 * (c[3] * x * y + c[4] * x * z + c[5] * y * z);
    double third = s[0] * x * x * x + s[1] * y * y * y + s[2] * z * z * z + 6 * s[9] * x * y * z +
                   3 * (x * x * (s[3] * y + s[4] * z) + y * y * (s[5] * x + s[6] * z) + z * z * (s[7] * x + s[8] * y));
    return inverse * inverse * (first + inverse * (-3 * second + inverse * 7.5 * third));
}

double tw_winding_at(const twWinding* winding, twVec3 point)
{
    const twTree* tree = winding->tree;
    twVec3 q = tw_vec3_scale(point, winding->scale);
    if (tree->node_count == 0 || !(tw_vec3_max(q) < 1e100)) return 0;

    int stack[TW_TREE_DEPTH], depth = 0;
    AngleSum near = {1, 0, 0};
    double far = 0;
    stack[depth++] = 0;
    while (depth > 0)
    {
        int i = stack[--depth];
        const twTreeNode* node = &tree->nodes[i];
        twVec3 r = tw_vec3_sub(winding->far[i].centre, q);
        double r2 = square(r);
        if (r2 > FAR_RADII * FAR_RADII * winding->far[i].radius2)
            far += far_angle(&winding->far[i], r, r2);
        else if (node->right == 0)
            for (int k = 0; k < node->count; k++)
                add_solid_angle(&near, winding->corners + 3 * (size_t)(node->first + k), q);
        else
        {
            stack[depth++] = node->right;
            stack[depth++] = i + 1;
        }
    }
    return near.turns + atan2(near.im + 0.0, near.re) / (2 * TW_PI) + far / (4 * TW_PI);
}
