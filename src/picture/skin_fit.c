// SPDX-License-Identifier: MIT
// How a free rod travels and turns as a whole, so that only its vibration is exaggerated: the rigid motion of its points in
// the first frame that comes nearest to them in another one, by least squares. The turn is the eigenvector of the largest
// eigenvalue of Horn's matrix (B. K. P. Horn, J. Opt. Soc. Am. A 4, 1987), found by multiplying again and again; begun with no turn
// it finds the least one where many are as good, about the axis of a straight rod.

#include "skin.h"

#define HELD 0.02  // of the farthest point's way: an end that goes less far is held
#define MOST_ROUNDS 2000

static twVec3 centre_of(const float* x, int count)
{
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++) sum = tw_vec3_add(sum, skin_vec3(x + 3 * i));
    return tw_vec3_scale(sum, 1.0 / count);
}

// Horn's matrix of the sums s[a][b] = sum of x0_a x_b, about the centres
static void horn(const double s[3][3], double out[4][4])
{
    const double upper[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
                                {0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                                {0, 0, -s[0][0] + s[1][1] - s[2][2], s[1][2] + s[2][1]},
                                {0, 0, 0, -s[0][0] - s[1][1] + s[2][2]}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) out[i][k] = i <= k ? upper[i][k] : upper[k][i];
}

// added to the diagonal, the sum of all makes every eigenvalue positive, and the largest one the one that wins
static twQuat largest_vector(double m[4][4])
{
    double shift = 0, q[4] = {1, 0, 0, 0};
    for (int i = 0; i < 16; i++) shift = fmax(shift, fabs(m[i / 4][i % 4]));
    if (!(shift > 0)) return tw_quat_identity();
    for (int i = 0; i < 4; i++) m[i][i] += 2 * shift;
    for (int round = 0; round < MOST_ROUNDS; round++)
    {
        double next[4] = {0}, size = 0, change = 0;
        for (int i = 0; i < 4; i++)
        {
            for (int k = 0; k < 4; k++) next[i] += m[i][k] * q[k];
            size += next[i] * next[i];
        }
        size = sqrt(size);
        for (int i = 0; i < 4; i++)
        {
            change = fmax(change, fabs(next[i] / size - q[i]));
            q[i] = next[i] / size;
        }
        if (change < 1e-15) break;
    }
    return tw_quat_normalize(tw_quat(q[0], q[1], q[2], q[3]));
}

SkinFit skin_fit(const float* x0, const float* x, int count)
{
    SkinFit fit = {.from = centre_of(x0, count), .to = centre_of(x, count)};
    double sums[3][3] = {{0}}, matrix[4][4];
    for (int i = 0; i < count; i++)
    {
        const twVec3 a = tw_vec3_sub(skin_vec3(x0 + 3 * i), fit.from), b = tw_vec3_sub(skin_vec3(x + 3 * i), fit.to);
        const double u[3] = {a.x, a.y, a.z}, v[3] = {b.x, b.y, b.z};
        for (int k = 0; k < 9; k++) sums[k / 3][k % 3] += u[k / 3] * v[k % 3];
    }
    horn((const double(*)[3])sums, matrix);
    fit.turn = largest_vector(matrix);
    return fit;
}

static double way(const twTrace* trace, int rod, int64_t frame, int point)
{
    const float *x0 = tw_trace_positions(trace, 0, rod), *x = tw_trace_positions(trace, frame, rod);
    return tw_vec3_norm(tw_vec3_sub(skin_vec3(x + 3 * point), skin_vec3(x0 + 3 * point)));
}

bool skin_is_free(const twTrace* trace, int rod)
{
    const int last = trace->rods[rod].point_count - 1;
    double most = 0, ends[2] = {0, 0};
    for (int64_t f = 1; f < trace->frame_count; f++)
    {
        for (int i = 0; i <= last; i++) most = fmax(most, way(trace, rod, f, i));
        for (int k = 0; k < 2; k++) ends[k] = fmax(ends[k], way(trace, rod, f, k * last));
    }
    return trace->rods[rod].closed || (ends[0] > HELD * most && ends[1] > HELD * most);
}
