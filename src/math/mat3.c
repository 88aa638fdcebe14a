// SPDX-License-Identifier: MIT
// Inverse and principal axes of a 3x3 matrix. With rows s_i scaled to unit length (A = D S, D diagonal),
//     S^-1 = [s_1 x s_2, s_2 x s_0, s_0 x s_1] / det S   (columns),   A^-1 = S^-1 D^-1.
// |det S| is the volume spanned by unit vectors: 1 for orthogonal rows, 0 for dependent ones, whatever their lengths.
#include "twang/math.h"

bool tw_mat3_inverse(twMat3* out, twMat3 a)
{
    *out = tw_mat3_diagonal(tw_vec3(0, 0, 0));

    // lengths by way of the largest part: no over- or underflow
    twVec3 s[3];
    double length[3];
    for (int i = 0; i < 3; i++)
    {
        twVec3 row = tw_mat3_row(a, i);
        s[i] = tw_vec3_normalize(row);
        length[i] = tw_vec3_dot(row, s[i]);
    }

    double det = tw_vec3_dot(s[0], tw_vec3_cross(s[1], s[2]));
    if (!(fabs(det) > 4 * DBL_EPSILON)) return false;
    twMat3 columns = tw_mat3_rows(tw_vec3_scale(tw_vec3_cross(s[1], s[2]), 1 / det / length[0]),
                                  tw_vec3_scale(tw_vec3_cross(s[2], s[0]), 1 / det / length[1]),
                                  tw_vec3_scale(tw_vec3_cross(s[0], s[1]), 1 / det / length[2]));

    // entries beyond the range of double are no inverse
    for (int i = 0; i < 3; i++)
        if (!isfinite(columns.m[i][0] + columns.m[i][1] + columns.m[i][2])) return false;
    *out = tw_mat3_transpose(columns);
    return true;
}

// Jacobi's rotations, each of which makes one entry beside the diagonal 0
twMat3 tw_mat3_principal(twMat3 a, double moments[3])
{
    twMat3 v = tw_mat3_identity();
    for (int sweep = 0; sweep < 60; sweep++)
    {
        const int p = sweep % 3 == 2, q = sweep % 3 == 0 ? 1 : 2;
        if (a.m[p][q] == 0) continue;
        const double angle = 0.5 * atan2(2 * a.m[p][q], a.m[q][q] - a.m[p][p]), c = cos(angle), s = sin(angle);
        twMat3 turn = tw_mat3_identity();
        turn.m[p][p] = turn.m[q][q] = c;
        turn.m[p][q] = s;
        turn.m[q][p] = -s;
        a = tw_mat3_mul(tw_mat3_transpose(turn), tw_mat3_mul(a, turn));
        a.m[p][q] = a.m[q][p] = 0;
        v = tw_mat3_mul(v, turn);
    }
    for (int k = 0; k < 3; k++) moments[k] = a.m[k][k];
    return tw_mat3_transpose(v);
}

// from the largest of w, x, y, z, so that nothing is lost by cancelling (S. W. Shepperd, J. Guidance and Control 1, 1978): 4 w^2 = 1 + trace
twQuat tw_quat_from_axes(twVec3 x, twVec3 y, twVec3 z)
{
    const double m[3][3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    const double trace = m[0][0] + m[1][1] + m[2][2];
    if (trace > 0)
        return tw_quat_normalize(tw_quat(1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]));
    int i = m[1][1] > m[0][0] ? 1 : 0;
    if (m[2][2] > m[i][i]) i = 2;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    double v[3];
    v[i] = 1 + m[i][i] - m[j][j] - m[k][k];
    v[j] = m[i][j] + m[j][i];
    v[k] = m[i][k] + m[k][i];
    return tw_quat_normalize(tw_quat(m[k][j] - m[j][k], v[0], v[1], v[2]));
}
