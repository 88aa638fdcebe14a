// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"
#include <float.h>
#include <math.h>

/// @file
/// Math: vectors, quaternions, 3x3 matrices, small dense solves, least squares, a safeguarded root finder, FFT, pitch.
///
/// Everything here but tw_pitch() is real-time safe: nothing allocates, locks or prints.

#ifdef __cplusplus
extern "C"
{
#endif

#ifndef TW_PI
#define TW_PI 3.14159265358979323846
#endif

typedef struct twVec3
{
    double x, y, z;
} twVec3;

/// w + x i + y j + z k. A rotation by angle t about the unit axis u is the unit quaternion (cos t/2, u sin t/2).
typedef struct twQuat
{
    double w, x, y, z;
} twQuat;

typedef struct twMat3
{
    double m[3][3];  ///< row, column
} twMat3;

// ---- vectors ----

/// (x, y, z)
static inline twVec3 tw_vec3(double x, double y, double z)
{
    twVec3 v = {x, y, z};
    return v;
}
/// a + b
static inline twVec3 tw_vec3_add(twVec3 a, twVec3 b) { return tw_vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
/// a - b
static inline twVec3 tw_vec3_sub(twVec3 a, twVec3 b) { return tw_vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
/// s a
static inline twVec3 tw_vec3_scale(twVec3 a, double s) { return tw_vec3(s * a.x, s * a.y, s * a.z); }
/// a + s b
static inline twVec3 tw_vec3_add_scaled(twVec3 a, twVec3 b, double s) { return tw_vec3_add(a, tw_vec3_scale(b, s)); }
/// a . b
static inline double tw_vec3_dot(twVec3 a, twVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
/// a x b
static inline twVec3 tw_vec3_cross(twVec3 a, twVec3 b)
{
    return tw_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/// max |a_i| (not by fmax: it is a library call, for the sake of NaN)
static inline double tw_vec3_max(twVec3 a)
{
    double xy = fabs(a.x) > fabs(a.y) ? fabs(a.x) : fabs(a.y);
    return fabs(a.z) > xy ? fabs(a.z) : xy;
}
/// |a| = sqrt(a . a)
static inline double tw_vec3_norm(twVec3 a) { return sqrt(tw_vec3_dot(a, a)); }
/// a / |a| for any finite a, however large or small; 0 for a = 0. First divides by the largest part, so that the square
/// neither over- nor underflows.
static inline twVec3 tw_vec3_normalize(twVec3 a)
{
    double s = tw_vec3_max(a);
    if (!(s > 0)) return tw_vec3(0, 0, 0);
    twVec3 b = tw_vec3(a.x / s, a.y / s, a.z / s);
    return tw_vec3_scale(b, 1 / tw_vec3_norm(b));
}

// ---- quaternions ----

/// w + x i + y j + z k
static inline twQuat tw_quat(double w, double x, double y, double z)
{
    twQuat q = {w, x, y, z};
    return q;
}
/// 1: no rotation
static inline twQuat tw_quat_identity(void) { return tw_quat(1, 0, 0, 0); }
/// a b (Hamilton): the rotation b, then a
static inline twQuat tw_quat_mul(twQuat a, twQuat b)
{
    return tw_quat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
/// w - x i - y j - z k: the inverse rotation of a unit quaternion
static inline twQuat tw_quat_conj(twQuat q) { return tw_quat(q.w, -q.x, -q.y, -q.z); }
/// |q| = sqrt(w^2 + x^2 + y^2 + z^2)
static inline double tw_quat_norm(twQuat q) { return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
/// q / |q| for any finite q; 1 for q = 0
static inline twQuat tw_quat_normalize(twQuat q)
{
    double u = tw_vec3_max(tw_vec3(q.x, q.y, q.z)), s = fabs(q.w) > u ? fabs(q.w) : u;
    if (!(s > 0)) return tw_quat_identity();
    twQuat p = tw_quat(q.w / s, q.x / s, q.y / s, q.z / s);
    double n = tw_quat_norm(p);
    return tw_quat(p.w / n, p.x / n, p.y / n, p.z / n);
}
/// From a (s = 0) to b (s = 1) the shorter way, straight and normalised.
static inline twQuat tw_quat_blend(twQuat a, twQuat b, double s)
{
    double u = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -s : s, t = 1 - s;
    return tw_quat_normalize(tw_quat(t * a.w + u * b.w, t * a.x + u * b.x, t * a.y + u * b.y, t * a.z + u * b.z));
}
/// q v q*, with u the vector part of the unit quaternion q:  v + 2 w (u x v) + 2 u x (u x v)
static inline twVec3 tw_quat_rotate(twQuat q, twVec3 v)
{
    twVec3 u = tw_vec3(q.x, q.y, q.z);
    twVec3 t = tw_vec3_scale(tw_vec3_cross(u, v), 2);
    return tw_vec3_add(tw_vec3_add_scaled(v, t, q.w), tw_vec3_cross(u, t));
}
/// (cos t/2, u sin t/2) with u = axis / |axis| and t = angle [rad]; 1 for axis = 0
static inline twQuat tw_quat_from_axis_angle(twVec3 axis, double angle)
{
    twVec3 u = tw_vec3_normalize(axis);
    if (!(tw_vec3_max(u) > 0)) return tw_quat_identity();
    double s = sin(angle / 2);
    return tw_quat(cos(angle / 2), s * u.x, s * u.y, s * u.z);
}
/// exp(dt w / 2) q: the orientation after turning for dt [s] at constant angular velocity w [rad/s] (world axes); exact
static inline twQuat tw_quat_integrate(twQuat q, twVec3 w, double dt)
{
    return tw_quat_normalize(tw_quat_mul(tw_quat_from_axis_angle(w, tw_vec3_norm(w) * dt), q));
}

// ---- 3x3 matrices ----

/// the matrix with rows a, b, c
static inline twMat3 tw_mat3_rows(twVec3 a, twVec3 b, twVec3 c)
{
    twMat3 r = {{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
    return r;
}
/// row i as a vector
static inline twVec3 tw_mat3_row(twMat3 a, int i) { return tw_vec3(a.m[i][0], a.m[i][1], a.m[i][2]); }
/// diag(d)
static inline twMat3 tw_mat3_diagonal(twVec3 d)
{
    return tw_mat3_rows(tw_vec3(d.x, 0, 0), tw_vec3(0, d.y, 0), tw_vec3(0, 0, d.z));
}
/// I
static inline twMat3 tw_mat3_identity(void) { return tw_mat3_diagonal(tw_vec3(1, 1, 1)); }
/// a b^T
static inline twMat3 tw_mat3_outer(twVec3 a, twVec3 b)
{
    return tw_mat3_rows(tw_vec3_scale(b, a.x), tw_vec3_scale(b, a.y), tw_vec3_scale(b, a.z));
}
/// [a]x, with [a]x b = a x b
static inline twMat3 tw_mat3_skew(twVec3 a)
{
    return tw_mat3_rows(tw_vec3(0, -a.z, a.y), tw_vec3(a.z, 0, -a.x), tw_vec3(-a.y, a.x, 0));
}
/// A^T
static inline twMat3 tw_mat3_transpose(twMat3 a)
{
    return tw_mat3_rows(tw_vec3(a.m[0][0], a.m[1][0], a.m[2][0]), tw_vec3(a.m[0][1], a.m[1][1], a.m[2][1]),
                        tw_vec3(a.m[0][2], a.m[1][2], a.m[2][2]));
}
/// A + B
static inline twMat3 tw_mat3_add(twMat3 a, twMat3 b)
{
    return tw_mat3_rows(tw_vec3_add(tw_mat3_row(a, 0), tw_mat3_row(b, 0)),
                        tw_vec3_add(tw_mat3_row(a, 1), tw_mat3_row(b, 1)),
                        tw_vec3_add(tw_mat3_row(a, 2), tw_mat3_row(b, 2)));
}
/// s A
static inline twMat3 tw_mat3_scale(twMat3 a, double s)
{
    return tw_mat3_rows(tw_vec3_scale(tw_mat3_row(a, 0), s), tw_vec3_scale(tw_mat3_row(a, 1), s),
                        tw_vec3_scale(tw_mat3_row(a, 2), s));
}
/// A v
static inline twVec3 tw_mat3_mul_vec(twMat3 a, twVec3 v)
{
    return tw_vec3(tw_vec3_dot(tw_mat3_row(a, 0), v), tw_vec3_dot(tw_mat3_row(a, 1), v),
                   tw_vec3_dot(tw_mat3_row(a, 2), v));
}
/// A B: row i is B^T a_i
static inline twMat3 tw_mat3_mul(twMat3 a, twMat3 b)
{
    twMat3 t = tw_mat3_transpose(b);
    return tw_mat3_rows(tw_mat3_mul_vec(t, tw_mat3_row(a, 0)), tw_mat3_mul_vec(t, tw_mat3_row(a, 1)),
                        tw_mat3_mul_vec(t, tw_mat3_row(a, 2)));
}
/// det A = a_0 . (a_1 x a_2), with rows a_i
static inline double tw_mat3_det(twMat3 a)
{
    return tw_vec3_dot(tw_mat3_row(a, 0), tw_vec3_cross(tw_mat3_row(a, 1), tw_mat3_row(a, 2)));
}
/// The unit quaternion that turns the x, y and z axes to x, y, z, which are unit, square to each other and right-handed.
twQuat tw_quat_from_axes(twVec3 x, twVec3 y, twVec3 z);
/// R with R v = q v q* for a unit quaternion: R = (w^2 - u . u) I + 2 u u^T + 2 w [u]x
static inline twMat3 tw_mat3_from_quat(twQuat q)
{
    double w = q.w, x = q.x, y = q.y, z = q.z;
    return tw_mat3_rows(tw_vec3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                        tw_vec3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                        tw_vec3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)));
}

/// Moments and axes of a symmetric matrix, A = sum_k moments[k] axis_k axis_k^T: the axes are rows, right-handed, in the order of the moments
/// on the diagonal, which is kept.
twMat3 tw_mat3_principal(twMat3 a, double moments[3]);
/// A^-1 into *out. @return false, and *out = 0, if A is singular to working precision or not finite.
bool tw_mat3_inverse(twMat3* out, twMat3 a);

// ---- small dense systems ----

/// Factor a (n x n, row-major) in place with partial pivoting: P A = L U. @return false if singular to working
/// precision (then a and pivot hold nothing of use).
bool tw_lu_factor(double* a, int* pivot, int n);
void tw_lu_solve(const double* a, const int* pivot, int n, double* b);  ///< b (n) becomes the solution
/// Factor a symmetric positive definite matrix (n x n, row-major) in place: A = L L^T. Reads and writes only the lower
/// triangle. @return false if not positive definite to working precision.
bool tw_cholesky_factor(double* a, int n);
void tw_cholesky_solve(const double* a, int n, double* b);  ///< b (n) becomes the solution

// ---- least squares ----

/// x (cols) of least norm among those with the least |A x - b|, A (rows x cols, row-major), of any shape and rank, by QR
/// with column pivoting and a complete orthogonal decomposition: x = A^+ b. Directions below tolerance (at least
/// round-off) times the largest are left alone. A that is not finite has rank 0, and x = 0. scratch:
/// tw_least_squares_scratch() doubles. @return rank
int tw_least_squares(double* x, const double* a, int rows, int cols, const double* b, double tolerance,
                     double* scratch);
/// The same in two parts, for several b: scratch keeps the factors, and is used by each solve.
int tw_least_squares_factor(const double* a, int rows, int cols, double tolerance, double* scratch);
void tw_least_squares_solve(double* x, const double* b, int rows, int cols, double* scratch);  ///< x may be b
size_t tw_least_squares_scratch(int rows, int cols);

// ---- roots ----

/// A function with its derivative: return f(x), store f'(x) in *slope.
typedef double (*twScalarFunction)(double x, double* slope, const void* context);

typedef struct twRoot
{
    double x;         ///< best point found: smallest |f|, or the better end of a bracket that has closed
    double residual;  ///< f(x); NaN if f has no value anywhere
    int iterations;   ///< function evaluations
    bool converged;   ///< |residual| <= tolerance, or the bracket has closed to round-off (a jump in f)
} twRoot;

// the state of a search: the result so far and the bracket, from negative (f < 0) to positive (f > 0), once known
typedef struct twRootSearch
{
    twRoot best;
    double negative, at_negative;  // point, and f there; f = 0 while unknown
    double positive, at_positive;
} twRootSearch;

static inline void tw_root_note(twRootSearch* search, double x, double y)
{
    if (y < 0)
    {
        search->negative = x;
        search->at_negative = y;
    }
    if (y > 0)
    {
        search->positive = x;
        search->at_positive = y;
    }
}

// evaluate f at x and take note. @return f(x)
static inline double tw_root_try(twRootSearch* search, twScalarFunction f, const void* context, double x,
                                 double tolerance, double* slope)
{
    *slope = 0;
    double y = f(x, slope, context);
    search->best.iterations++;
    search->best.converged = fabs(y) <= tolerance;
    if (y == y && !(fabs(y) > fabs(search->best.residual)))
    {
        search->best.x = x;
        search->best.residual = y;
    }
    tw_root_note(search, x, y);
    return y;
}

// make the ends the bracket. @return false if the search is over: an end is a root, or both have the same sign
static inline bool tw_root_ends(twRootSearch* search, twScalarFunction f, const void* context, double low, double high,
                                double tolerance)
{
    double slope;
    double at_low = tw_root_try(search, f, context, low, tolerance, &slope);
    if (search->best.converged) return false;
    double at_high = tw_root_try(search, f, context, high, tolerance, &slope);
    if (search->best.converged || (at_low > 0 && at_high > 0) || (at_low < 0 && at_high < 0)) return false;

    // an end that is NaN is taken to have the sign the other has not
    if (at_low != at_low) tw_root_note(search, low, at_high > 0 ? -HUGE_VAL : HUGE_VAL);
    if (at_high != at_high) tw_root_note(search, high, at_low > 0 ? -HUGE_VAL : HUGE_VAL);
    return at_low == at_low || at_high == at_high;
}

// Where to cut [a, b] in two: in the middle; but once it is narrow and lies at zero, where doubles are dense, first at
// zero and then at the geometric mean, so that a jump at zero takes not a thousand steps.
static inline double tw_root_middle(double a, double b, double narrow)
{
    if (b - a > narrow) return 0.5 * a + 0.5 * b;
    if (a < 0 && b > 0) return 0;
    double small = b > 0 ? a : -b, large = b > 0 ? b : -a;
    if (small < DBL_MIN) small = DBL_MIN;
    if (large < 1000 * small) return 0.5 * a + 0.5 * b;
    return copysign(sqrt(small) * sqrt(large), a + b);
}

// whether no more than round-off is left between the ends; then the better one is the result
static inline bool tw_root_closed(twRootSearch* search, double roundoff)
{
    double width = fabs(search->negative - search->positive);
    bool closed = width <= roundoff * fabs(search->negative) || width <= roundoff * fabs(search->positive);
    if (!closed && width > DBL_MIN) return false;
    bool below = -search->at_negative < search->at_positive;
    search->best.x = below ? search->negative : search->positive;
    search->best.residual = below ? search->at_negative : search->at_positive;
    search->best.converged = true;
    return true;
}

/// Safeguarded Newton inside a bracket [low, high] with f(low) and f(high) of opposite sign (or zero), starting at
/// guess (if outside: the middle). Bisects when a Newton step leaves the bracket or is not at most half the last one,
/// and around NaN. The ends are evaluated only if Newton alone fails. Stops on the residual, not on the step. Real-time
/// safe: at most max_iterations evaluations; 200 are enough for any f, even a jump. Defined here so that f can be inlined
/// into the caller's loop.
static inline twRoot tw_root_find(twScalarFunction f, const void* context, double low, double high, double guess,
                                  double tolerance, int max_iterations)
{
    const double roundoff = 4 * DBL_EPSILON, narrow = 1e-9 * (high - low);
    double x = guess >= low && guess <= high ? guess : 0.5 * low + 0.5 * high;
    twRootSearch search = {{x, NAN, 0, false}, 0, 0, 0, 0};
    double last_step = HUGE_VAL;  // size of the last Newton step
    bool crept = false;           // it was of round-off size

    while (search.best.iterations < max_iterations)
    {
        double slope, y = tw_root_try(&search, f, context, x, tolerance, &slope);
        if (search.best.converged) return search.best;
        bool bracketed = search.at_negative < 0 && search.at_positive > 0;
        bool rising = search.negative < search.positive;
        double a = !bracketed ? low : rising ? search.negative : search.positive;
        double b = !bracketed ? high : rising ? search.positive : search.negative;

        // newton; a step within round-off goes on a little, to close the bracket from the other side
        double step = -y / slope;
        bool creep = fabs(step) <= roundoff * fabs(x);
        if (creep) step = copysign(roundoff * fabs(x), step);
        double newton = x + step;
        bool halved = fabs(step) <= 0.5 * last_step;
        if (newton >= a && newton <= b && newton != x && (creep ? !crept : halved))
        {
            last_step = fabs(step);
            crept = creep;
            x = newton;
            continue;
        }

        // otherwise bisect, for which both ends are needed; from a NaN, go half way back to the best point
        if (!bracketed)
        {
            if (search.best.iterations + 2 > max_iterations) break;
            if (!tw_root_ends(&search, f, context, low, high, tolerance)) break;
            tw_root_note(&search, x, y);
            a = search.negative < search.positive ? search.negative : search.positive;
            b = search.negative < search.positive ? search.positive : search.negative;
        }
        if (tw_root_closed(&search, roundoff)) break;
        x = y == y ? tw_root_middle(a, b, narrow) : 0.5 * x + 0.5 * search.best.x;
        last_step = HUGE_VAL;
        crept = false;
    }
    return search.best;
}

// ---- Fourier transform ----

/// In-place complex FFT of n = 2^k points (re, im): X_j = sum over k of x_k exp(sign 2 pi i j k / n); sign -1 forward,
/// +1 inverse without scaling. Relative error about 1e-16 log2 n (rms).
void tw_fft(double* re, double* im, int n, int sign);

/// Fundamental frequency [Hz] of a periodic signal x (n) sampled at rate_hz; 0 if none is clear. Allocates scratch.
double tw_pitch(const double* x, int n, double rate_hz);

#ifdef __cplusplus
}
#endif
