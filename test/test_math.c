// SPDX-License-Identifier: MIT
// Tests of math against closed forms, identities, and slower direct methods.
#include "test.h"
#include "twang/math.h"
#include <stdlib.h>

// ---- helpers ----

static twVec3 random_vec3(twRng* rng) { return tw_vec3(tw_rng_normal(rng), tw_rng_normal(rng), tw_rng_normal(rng)); }

static twQuat random_quat(twRng* rng)
{
    return tw_quat_normalize(tw_quat(tw_rng_normal(rng), tw_rng_normal(rng), tw_rng_normal(rng), tw_rng_normal(rng)));
}

static twMat3 random_mat3(twRng* rng) { return tw_mat3_rows(random_vec3(rng), random_vec3(rng), random_vec3(rng)); }

static double vec3_distance(twVec3 a, twVec3 b) { return tw_vec3_norm(tw_vec3_sub(a, b)); }

static double mat3_distance(twMat3 a, twMat3 b)
{
    double largest = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) largest = fmax(largest, fabs(a.m[i][j] - b.m[i][j]));
    return largest;
}

// ---- vectors ----

static int cross_product_obeys_its_identities(void)
{
    twRng rng = tw_rng(1);
    for (int i = 0; i < 100; i++)
    {
        twVec3 a = random_vec3(&rng), b = random_vec3(&rng), c = random_vec3(&rng);
        twVec3 axb = tw_vec3_cross(a, b);
        ENSURE_NEAR(tw_vec3_dot(axb, a), 0, 1e-13);
        ENSURE_NEAR(tw_vec3_dot(axb, b), 0, 1e-13);

        // Lagrange: |a x b|^2 = |a|^2 |b|^2 - (a.b)^2, and a x (b x c) = b (a.c) - c (a.b)
        double ab = tw_vec3_dot(a, b);
        ENSURE_NEAR(tw_vec3_dot(axb, axb), tw_vec3_dot(a, a) * tw_vec3_dot(b, b) - ab * ab, 1e-11);
        twVec3 left = tw_vec3_cross(a, tw_vec3_cross(b, c));
        twVec3 right = tw_vec3_add_scaled(tw_vec3_scale(b, tw_vec3_dot(a, c)), c, -ab);
        ENSURE_NEAR(vec3_distance(left, right), 0, 1e-12);
    }
    twVec3 z = tw_vec3_cross(tw_vec3(1, 0, 0), tw_vec3(0, 1, 0));
    ENSURE(z.x == 0 && z.y == 0 && z.z == 1);
    return 0;
}

static int normalize_survives_all_magnitudes(void)
{
    static const double scales[] = {1, 1e-320, 1e-300, 1e-160, 1e160, 1e308};
    for (int i = 0; i < 6; i++)
    {
        // 3-4-0 triangle; the smallest scale leaves about 3 digits of a denormal
        twVec3 u = tw_vec3_normalize(tw_vec3(0.3 * scales[i], -0.4 * scales[i], 0));
        double tolerance = scales[i] < 1e-310 ? 1e-3 : 1e-15;
        ENSURE_NEAR(u.x, 0.6, tolerance);
        ENSURE_NEAR(u.y, -0.8, tolerance);
        ENSURE(u.z == 0);
        ENSURE_NEAR(tw_vec3_norm(u), 1, 1e-15);
    }
    twVec3 zero = tw_vec3_normalize(tw_vec3(0, 0, 0));
    ENSURE(zero.x == 0 && zero.y == 0 && zero.z == 0);
    return 0;
}

// ---- quaternions ----

static int rotation_by_quaternion_is_rodrigues_formula(void)
{
    twRng rng = tw_rng(2);
    for (int i = 0; i < 100; i++)
    {
        twVec3 axis = random_vec3(&rng), v = random_vec3(&rng), k = tw_vec3_normalize(axis);
        double t = tw_rng_between(&rng, -7, 7);

        // v cos t + (k x v) sin t + k (k.v) (1 - cos t)
        twVec3 expected = tw_vec3_scale(v, cos(t));
        expected = tw_vec3_add_scaled(expected, tw_vec3_cross(k, v), sin(t));
        expected = tw_vec3_add_scaled(expected, k, tw_vec3_dot(k, v) * (1 - cos(t)));
        twQuat q = tw_quat_from_axis_angle(axis, t);
        ENSURE_NEAR(vec3_distance(tw_quat_rotate(q, v), expected), 0, 1e-14);
        ENSURE_NEAR(vec3_distance(tw_mat3_mul_vec(tw_mat3_from_quat(q), v), expected), 0, 1e-14);
    }
    return 0;
}

// half turns about each axis too, where w is 0
static int axes_give_back_their_quaternion(void)
{
    twRng rng = tw_rng(5);
    for (int i = 0; i < 1000; i++)
    {
        const twQuat half[3] = {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        const twQuat q = i < 3 ? half[i] : random_quat(&rng);
        const twVec3 x = tw_quat_rotate(q, tw_vec3(1, 0, 0)), y = tw_quat_rotate(q, tw_vec3(0, 1, 0)),
                     z = tw_quat_rotate(q, tw_vec3(0, 0, 1));
        const twQuat p = tw_quat_from_axes(x, y, z);
        // p or -p
        ENSURE_NEAR(fabs(q.w * p.w + q.x * p.x + q.y * p.y + q.z * p.z), 1, 1e-14);
    }
    return 0;
}

static int quaternion_product_chains_rotations(void)
{
    twRng rng = tw_rng(3);
    for (int i = 0; i < 100; i++)
    {
        twQuat a = random_quat(&rng), b = random_quat(&rng);
        twVec3 v = random_vec3(&rng);
        twVec3 chained = tw_quat_rotate(a, tw_quat_rotate(b, v));
        ENSURE_NEAR(vec3_distance(tw_quat_rotate(tw_quat_mul(a, b), v), chained), 0, 1e-14);
        ENSURE_NEAR(vec3_distance(tw_quat_rotate(tw_quat_conj(a), tw_quat_rotate(a, v)), v), 0, 1e-14);
        twMat3 product = tw_mat3_mul(tw_mat3_from_quat(a), tw_mat3_from_quat(b));
        ENSURE_NEAR(mat3_distance(product, tw_mat3_from_quat(tw_quat_mul(a, b))), 0, 1e-14);
    }

    // i j = k
    twQuat k = tw_quat_mul(tw_quat(0, 1, 0, 0), tw_quat(0, 0, 1, 0));
    ENSURE(k.w == 0 && k.x == 0 && k.y == 0 && k.z == 1);
    return 0;
}

static int matrix_of_a_quaternion_is_a_rotation(void)
{
    twRng rng = tw_rng(4);
    for (int i = 0; i < 100; i++)
    {
        twMat3 r = tw_mat3_from_quat(random_quat(&rng));
        ENSURE_NEAR(mat3_distance(tw_mat3_mul(r, tw_mat3_transpose(r)), tw_mat3_identity()), 0, 4e-15);
        ENSURE_NEAR(tw_mat3_det(r), 1, 4e-15);
    }
    return 0;
}

static int constant_spin_integrates_exactly_in_any_number_of_steps(void)
{
    twVec3 w = tw_vec3(1, -2, 0.5);
    twQuat start = tw_quat_from_axis_angle(tw_vec3(0, 1, 1), 0.7);
    twQuat whole = tw_quat_integrate(start, w, 3);
    twQuat steps = start;
    for (int i = 0; i < 300; i++) steps = tw_quat_integrate(steps, w, 0.01);
    ENSURE_NEAR(steps.w, whole.w, 1e-13);
    ENSURE_NEAR(steps.x, whole.x, 1e-13);
    ENSURE_NEAR(steps.y, whole.y, 1e-13);
    ENSURE_NEAR(steps.z, whole.z, 1e-13);

    // the spin is in world axes: about z, x goes to y whatever the start
    twVec3 x = tw_quat_rotate(tw_quat_conj(start), tw_vec3(1, 0, 0));
    twVec3 turned = tw_quat_rotate(tw_quat_integrate(start, tw_vec3(0, 0, TW_PI), 0.5), x);
    ENSURE_NEAR(vec3_distance(turned, tw_vec3(0, 1, 0)), 0, 1e-15);

    // no spin, no change
    twQuat same = tw_quat_integrate(start, tw_vec3(0, 0, 0), 1);
    ENSURE_NEAR(same.w, start.w, 1e-16);
    return 0;
}

static int quaternion_without_direction_is_the_identity(void)
{
    twQuat a = tw_quat_normalize(tw_quat(0, 0, 0, 0)), b = tw_quat_from_axis_angle(tw_vec3(0, 0, 0), 2);
    ENSURE(a.w == 1 && a.x == 0 && a.y == 0 && a.z == 0);
    ENSURE(b.w == 1 && b.x == 0 && b.y == 0 && b.z == 0);
    twQuat tiny = tw_quat_normalize(tw_quat(3e-200, 0, -4e-200, 0));
    ENSURE_NEAR(tiny.w, 0.6, 1e-15);
    ENSURE_NEAR(tiny.y, -0.8, 1e-15);
    return 0;
}

// ---- matrices ----

static int matrix_products_obey_their_identities(void)
{
    twRng rng = tw_rng(5);
    for (int i = 0; i < 100; i++)
    {
        twMat3 a = random_mat3(&rng), b = random_mat3(&rng);
        twVec3 u = random_vec3(&rng), v = random_vec3(&rng);
        twVec3 abv = tw_mat3_mul_vec(a, tw_mat3_mul_vec(b, v));
        ENSURE_NEAR(vec3_distance(tw_mat3_mul_vec(tw_mat3_mul(a, b), v), abv), 0, 1e-13);
        ENSURE_NEAR(tw_mat3_det(tw_mat3_mul(a, b)), tw_mat3_det(a) * tw_mat3_det(b), 1e-11);

        // (A B)^T = B^T A^T
        twMat3 left = tw_mat3_transpose(tw_mat3_mul(a, b));
        ENSURE_NEAR(mat3_distance(left, tw_mat3_mul(tw_mat3_transpose(b), tw_mat3_transpose(a))), 0, 1e-14);

        // [u]x v = u x v,  (u v^T) v = u |v|^2,  [u]x^2 = u u^T - |u|^2 I
        twMat3 skew = tw_mat3_skew(u);
        ENSURE_NEAR(vec3_distance(tw_mat3_mul_vec(skew, v), tw_vec3_cross(u, v)), 0, 1e-15);
        twVec3 uvv = tw_mat3_mul_vec(tw_mat3_outer(u, v), v);
        ENSURE_NEAR(vec3_distance(uvv, tw_vec3_scale(u, tw_vec3_dot(v, v))), 0, 1e-13);
        twMat3 expected = tw_mat3_add(tw_mat3_outer(u, u), tw_mat3_scale(tw_mat3_identity(), -tw_vec3_dot(u, u)));
        ENSURE_NEAR(mat3_distance(tw_mat3_mul(skew, skew), expected), 0, 1e-14);
    }
    return 0;
}

static int inverse_times_matrix_is_the_identity(void)
{
    twRng rng = tw_rng(6);
    int inverted = 0;
    for (int i = 0; i < 200; i++)
    {
        // rows of very different sizes, as different units make them
        twMat3 a = random_mat3(&rng), inverse;
        static const double scales[] = {1, 1e-150, 1e120};
        twMat3 scaled = tw_mat3_mul(tw_mat3_diagonal(tw_vec3(1, scales[i % 3], scales[(i / 3) % 3])), a);
        if (fabs(tw_mat3_det(a)) < 0.1) continue;
        ENSURE(tw_mat3_inverse(&inverse, scaled));
        ENSURE_NEAR(mat3_distance(tw_mat3_mul(inverse, scaled), tw_mat3_identity()), 0, 1e-12);
        inverted++;
    }
    ENSURE(inverted > 100);
    return 0;
}

static int singular_or_broken_matrix_has_no_inverse(void)
{
    twMat3 inverse;
    twVec3 a = tw_vec3(1, 2, 3), b = tw_vec3(-1, 0.1, 4);
    twMat3 bad[] = {tw_mat3_rows(a, b, tw_vec3_add_scaled(a, b, 0.3)),
                    tw_mat3_rows(a, tw_vec3(0, 0, 0), b),
                    tw_mat3_outer(a, b),
                    tw_mat3_diagonal(tw_vec3(0, 0, 0)),
                    tw_mat3_diagonal(tw_vec3(1, NAN, 1)),
                    tw_mat3_diagonal(tw_vec3(1, INFINITY, 1)),
                    tw_mat3_diagonal(tw_vec3(1, 1, 1e-320))};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
        ENSURE(!tw_mat3_inverse(&inverse, bad[i]));
        ENSURE(mat3_distance(inverse, tw_mat3_diagonal(tw_vec3(0, 0, 0))) == 0);
    }
    return 0;
}

// ---- dense systems ----

enum
{
    MAX_N = 40
};

// largest entry of A x - b
static double residual(const double* a, const double* x, const double* b, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
    {
        double sum = -b[i];
        for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

static int lu_solves_random_systems_to_round_off(void)
{
    twRng rng = tw_rng(7);
    double a[MAX_N * MAX_N], lu[MAX_N * MAX_N], x[MAX_N], b[MAX_N];
    int pivot[MAX_N];
    for (int n = 1; n <= MAX_N; n++)
    {
        for (int i = 0; i < n * n; i++) a[i] = lu[i] = tw_rng_normal(&rng);
        for (int i = 0; i < n; i++) x[i] = b[i] = tw_rng_normal(&rng);
        ENSURE(tw_lu_factor(lu, pivot, n));
        tw_lu_solve(lu, pivot, n, x);
        double size = 0;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
        ENSURE(residual(a, x, b, n) <= 10 * n * DBL_EPSILON * (size + 1));
    }
    return 0;
}

static int lu_needs_no_nonzero_diagonal(void)
{
    // a cyclic permutation: x = (b2, b0, b1) for rows e1, e2, e0
    double a[] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, b[] = {10, 20, 30};
    int pivot[3];
    ENSURE(tw_lu_factor(a, pivot, 3));
    tw_lu_solve(a, pivot, 3, b);
    ENSURE(b[0] == 30 && b[1] == 10 && b[2] == 20);
    return 0;
}

static int lu_inverts_the_hilbert_matrix_as_known(void)
{
    // the inverse of the 4x4 Hilbert matrix 1 / (i + j + 1) has integer entries; its condition number is 1.6e4
    static const double inverse[] = {16,  -120,  240,  -140,  -120, 1200, -2700, 1680,
                                     240, -2700, 6480, -4200, -140, 1680, -4200, 2800};
    double h[16];
    int pivot[4];
    for (int i = 0; i < 16; i++) h[i] = 1.0 / (i / 4 + i % 4 + 1);
    ENSURE(tw_lu_factor(h, pivot, 4));
    for (int j = 0; j < 4; j++)
    {
        double column[4] = {0};
        column[j] = 1;
        tw_lu_solve(h, pivot, 4, column);
        for (int i = 0; i < 4; i++) ENSURE_NEAR(column[i], inverse[4 * i + j], 1e-8);
    }
    return 0;
}

static int lu_refuses_singular_and_broken_matrices(void)
{
    int pivot[3];
    double dependent[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    ENSURE(!tw_lu_factor(dependent, pivot, 3));
    double zero[] = {0, 0, 0, 0};
    ENSURE(!tw_lu_factor(zero, pivot, 2));
    double zero_column[] = {1, 0, 2, 3, 0, 4, 5, 0, 7};
    ENSURE(!tw_lu_factor(zero_column, pivot, 3));

    // not a number anywhere
    for (int k = 0; k < 9; k++)
    {
        double broken[] = {2, 1, 0, 1, 3, 1, 0, 1, 4};
        broken[k] = k % 2 ? NAN : INFINITY;
        ENSURE(!tw_lu_factor(broken, pivot, 3));
    }
    return 0;
}

static int lu_accepts_columns_of_any_unit(void)
{
    // regular, but with columns 60 powers of ten apart
    double a[] = {2e-30, 1e30, 1e-30, 1e30}, b[] = {3, 2};
    int pivot[2];
    ENSURE(tw_lu_factor(a, pivot, 2));
    tw_lu_solve(a, pivot, 2, b);
    ENSURE_NEAR(b[0], 1e30, 1e15);
    ENSURE_NEAR(b[1], 1e-30, 1e-45);
    ENSURE(tw_lu_factor(NULL, NULL, 0));
    return 0;
}

static int cholesky_agrees_with_lu(void)
{
    twRng rng = tw_rng(8);
    double g[MAX_N * MAX_N], a[MAX_N * MAX_N], l[MAX_N * MAX_N], x[MAX_N], y[MAX_N];
    int pivot[MAX_N];
    for (int n = 1; n <= MAX_N; n++)
    {
        // G G^T + I is positive definite; the strict upper triangle must not matter
        for (int i = 0; i < n * n; i++) g[i] = tw_rng_normal(&rng);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
            {
                double sum = i == j;
                for (int k = 0; k < n; k++) sum += g[i * n + k] * g[j * n + k];
                a[i * n + j] = sum;
                l[i * n + j] = j <= i ? sum : NAN;
            }
        for (int i = 0; i < n; i++) x[i] = y[i] = tw_rng_normal(&rng);
        ENSURE(tw_cholesky_factor(l, n));
        tw_cholesky_solve(l, n, x);
        ENSURE(tw_lu_factor(a, pivot, n));
        tw_lu_solve(a, pivot, n, y);
        for (int i = 0; i < n; i++) ENSURE_NEAR(x[i], y[i], 1e-11);
    }
    return 0;
}

static int cholesky_refuses_what_is_not_positive_definite(void)
{
    double indefinite[] = {1, 2, 2, 1}, semidefinite[] = {1, 1, 1, 1}, negative[] = {-1}, zero[] = {0};
    double broken[] = {1, 0, NAN, 1};
    ENSURE(!tw_cholesky_factor(indefinite, 2));
    ENSURE(!tw_cholesky_factor(semidefinite, 2));
    ENSURE(!tw_cholesky_factor(negative, 1));
    ENSURE(!tw_cholesky_factor(zero, 1));
    ENSURE(!tw_cholesky_factor(broken, 2));

    // tiny is not zero
    double tiny[] = {1e-300, 0, 0, 1e-280}, b[] = {1e-300, 2e-280};
    ENSURE(tw_cholesky_factor(tiny, 2));
    tw_cholesky_solve(tiny, 2, b);
    ENSURE_NEAR(b[0], 1, 1e-15);
    ENSURE_NEAR(b[1], 2, 1e-15);
    return 0;
}

// ---- Fourier transform ----

enum
{
    MAX_FFT = 1024
};

// sum over k of x_k exp(sign 2 pi i j k / n), term by term with exact angles
static void direct_dft(const double* re, const double* im, int n, int sign, double* out_re, double* out_im)
{
    static double c[MAX_FFT], s[MAX_FFT];
    for (int k = 0; k < n; k++)
    {
        c[k] = cos(2 * TW_PI * k / n);
        s[k] = sign * sin(2 * TW_PI * k / n);
    }
    for (int j = 0; j < n; j++)
    {
        long double x = 0, y = 0;
        for (int k = 0; k < n; k++)
        {
            int angle = (int)((long long)j * k % n);
            x += (long double)re[k] * c[angle] - (long double)im[k] * s[angle];
            y += (long double)re[k] * s[angle] + (long double)im[k] * c[angle];
        }
        out_re[j] = (double)x;
        out_im[j] = (double)y;
    }
}

static int fft_is_the_direct_sum(void)
{
    static double re[MAX_FFT], im[MAX_FFT], dft_re[MAX_FFT], dft_im[MAX_FFT];
    twRng rng = tw_rng(10);
    for (int n = 1; n <= MAX_FFT; n *= 2)
        for (int sign = -1; sign <= 1; sign += 2)
        {
            for (int k = 0; k < n; k++)
            {
                re[k] = tw_rng_normal(&rng);
                im[k] = tw_rng_normal(&rng);
            }
            direct_dft(re, im, n, sign, dft_re, dft_im);
            tw_fft(re, im, n, sign);

            // rms error relative to the rms value sqrt(2 n)
            double error = 0;
            for (int j = 0; j < n; j++) error += pow(re[j] - dft_re[j], 2) + pow(im[j] - dft_im[j], 2);
            ENSURE(sqrt(error / n) <= 2 * DBL_EPSILON * (1 + log2(n)) * sqrt(2.0 * n));
        }
    return 0;
}

static int forward_then_inverse_fft_is_n_times_the_input(void)
{
    enum
    {
        N = 1 << 16
    };
    static double re[N], im[N];
    twRng rng = tw_rng(11), again = rng;
    double energy = 0, spectrum = 0;
    for (int k = 0; k < N; k++)
    {
        re[k] = tw_rng_normal(&rng);
        im[k] = tw_rng_normal(&rng);
        energy += re[k] * re[k] + im[k] * im[k];
    }
    tw_fft(re, im, N, -1);

    // Parseval: the energies differ by the factor n
    for (int j = 0; j < N; j++) spectrum += re[j] * re[j] + im[j] * im[j];
    ENSURE_NEAR(spectrum / N / energy, 1, 1e-13);
    tw_fft(re, im, N, 1);
    for (int k = 0; k < N; k++)
    {
        ENSURE_NEAR(re[k] / N, tw_rng_normal(&again), 1e-14);
        ENSURE_NEAR(im[k] / N, tw_rng_normal(&again), 1e-14);
    }
    return 0;
}

static int fft_of_a_harmonic_is_one_line(void)
{
    enum
    {
        N = 4096
    };
    static double re[N], im[N];
    for (int k = 0; k < N; k++)
    {
        re[k] = cos(2 * TW_PI * ((37LL * k) % N) / N);
        im[k] = sin(2 * TW_PI * ((37LL * k) % N) / N);
    }
    tw_fft(re, im, N, -1);
    for (int j = 0; j < N; j++)
    {
        ENSURE_NEAR(re[j], j == 37 ? N : 0, 1e-11);
        ENSURE_NEAR(im[j], 0, 1e-11);
    }
    return 0;
}

// ---- pitch ----

enum
{
    PITCH_N = 20000
};

// harmonics first to last of f [Hz] at 44100 Hz, falling as 1/k, plus noise and an offset
static double pitch_of_tone(double f, int first, int last, double noise)
{
    static double x[PITCH_N];
    twRng rng = tw_rng(12);
    for (int i = 0; i < PITCH_N; i++)
    {
        x[i] = 3 + noise * tw_rng_normal(&rng);
        for (int k = first; k <= last; k++) x[i] += sin(2 * TW_PI * k * f * i / 44100 + k) / k;
    }
    return tw_pitch(x, PITCH_N, 44100);
}

static int pitch_is_that_of_the_tone_well_within_a_cent(void)
{
    // a cent is 5.8e-4; no tone has a whole period in samples
    static const double freq_hz[] = {40.3, 110.7, 440.123, 1234.5};
    for (int i = 0; i < 4; i++)
    {
        ENSURE_NEAR(pitch_of_tone(freq_hz[i], 1, 1, 0) / freq_hz[i], 1, 1e-6);
        ENSURE_NEAR(pitch_of_tone(freq_hz[i], 1, 9, 0) / freq_hz[i], 1, 1e-6);
        ENSURE_NEAR(pitch_of_tone(freq_hz[i], 1, 9, 0.1) / freq_hz[i], 1, 1e-4);
    }
    return 0;
}

static int what_has_no_period_has_no_pitch(void)
{
    static double x[PITCH_N];
    ENSURE(tw_pitch(x, PITCH_N, 44100) == 0);
    ENSURE(tw_pitch(x, 0, 44100) == 0);
    twRng rng = tw_rng(13);
    for (int i = 0; i < PITCH_N; i++) x[i] = tw_rng_normal(&rng);
    ENSURE(tw_pitch(x, PITCH_N, 44100) == 0);
    for (int i = 0; i < PITCH_N; i++) x[i] = i;
    ENSURE(tw_pitch(x, PITCH_N, 44100) == 0);
    x[77] = NAN;
    ENSURE(tw_pitch(x, PITCH_N, 44100) == 0);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(cross_product_obeys_its_identities)
    RUN(normalize_survives_all_magnitudes)
    RUN(rotation_by_quaternion_is_rodrigues_formula)
    RUN(axes_give_back_their_quaternion)
    RUN(quaternion_product_chains_rotations)
    RUN(matrix_of_a_quaternion_is_a_rotation)
    RUN(constant_spin_integrates_exactly_in_any_number_of_steps)
    RUN(quaternion_without_direction_is_the_identity)
    RUN(matrix_products_obey_their_identities)
    RUN(inverse_times_matrix_is_the_identity)
    RUN(singular_or_broken_matrix_has_no_inverse)
    RUN(lu_solves_random_systems_to_round_off)
    RUN(lu_needs_no_nonzero_diagonal)
    RUN(lu_inverts_the_hilbert_matrix_as_known)
    RUN(lu_refuses_singular_and_broken_matrices)
    RUN(lu_accepts_columns_of_any_unit)
    RUN(cholesky_agrees_with_lu)
    RUN(cholesky_refuses_what_is_not_positive_definite)
    RUN(fft_is_the_direct_sum)
    RUN(forward_then_inverse_fft_is_n_times_the_input)
    RUN(fft_of_a_harmonic_is_one_line)
    RUN(pitch_is_that_of_the_tone_well_within_a_cent)
    RUN(what_has_no_period_has_no_pitch)
)
